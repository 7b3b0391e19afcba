/* Names and one-sentence texts of the status codes. SPDX-License-Identifier: Apache-2.0 */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "congru/status.h"

#include <stddef.h>

typedef struct status_words {
    const char *name;
    const char *text;
} status_words;

#define WORDS(code, text) [code] = {#code, text}

static const status_words words[CONGRU_STATUS_COUNT] = {
    WORDS(CONGRU_OK, "no error"),
    WORDS(CONGRU_ERROR_ARGUMENT, "an argument is missing or out of range"),
    WORDS(CONGRU_ERROR_MEMORY, "not enough memory"),
    WORDS(CONGRU_ERROR_IO, "a file could not be opened, read or written"),
    WORDS(CONGRU_ERROR_FORMAT, "a file is not what it claims to be"),
    WORDS(CONGRU_ERROR_UNSUPPORTED, "this version does not handle that"),
    WORDS(CONGRU_ERROR_NOT_FINITE, "a matrix holds NaN or infinity"),
    WORDS(CONGRU_ERROR_NOT_SYMMETRIC, "a matrix is not symmetric"),
    WORDS(CONGRU_ERROR_NOT_POSITIVE, "a matrix is not positive definite"),
    WORDS(CONGRU_ERROR_NOT_CONVERGED, "an iteration ended before it reached its tolerance"),
    WORDS(CONGRU_ERROR_CPU, "the instruction set is unknown or not on this machine"),
    WORDS(CONGRU_ERROR_CANCELLED, "stopped by the progress callback"),
    WORDS(CONGRU_ERROR_SCALE, "the samples are of another unit than those the model was fitted on"),
    WORDS(CONGRU_ERROR_KIND, "a file holds something else: a recording, trials or covariances"),
    WORDS(CONGRU_ERROR_ARTEFACT, "an artefact: too far from the subject's other windows"),
};

/* A code may come from a newer library or from arithmetic on an int, so any value has words. A code added
 * to the enumeration but not to the table lands here too; the test of status names then fails. */
static const status_words *words_of(congru_status status)
{
    static const status_words unknown = {"CONGRU_ERROR_UNKNOWN", "not a status code of this library"};
    size_t index = (size_t)status;

    return index < CONGRU_STATUS_COUNT && words[index].name != NULL ? &words[index] : &unknown;
}

const char *congru_status_name(congru_status status)
{
    return words_of(status)->name;
}

const char *congru_status_text(congru_status status)
{
    return words_of(status)->text;
}

congru_counted congru_count(size_t count, const char *singular)
{
    congru_counted counted;
    const char *noun = singular != NULL ? singular : "";
    const size_t size = strlen(noun) < 32 ? strlen(noun) : 32;
    const bool index = size > 2 && strncmp(noun + size - 2, "ix", 2) == 0; /* matrix, matrices */
    const char *ending = index ? "ces" : size > 0 && noun[size - 1] == 's' ? "es" : size > 0 ? "s" : "";
    if (count == 1)
        snprintf(counted.text, sizeof counted.text, "1 %.*s", (int)size, noun);
    else
        snprintf(counted.text, sizeof counted.text, "%zu %.*s%s", count, (int)(index ? size - 1 : size), noun,
                 ending);
    return counted;
}
