/* What every call answers: a status code with a name, and words that it leaves in its context. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_STATUS_H
#define CONGRU_STATUS_H

#if defined(__GNUC__)
#define CONGRU_API __attribute__((visibility("default")))
#else
#define CONGRU_API
#endif

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Every function that can fail returns one of these. The library never prints, exits or aborts; what
 * went wrong in words, with the file or the matrix it concerns, is congru_context_error(). */
typedef enum congru_status {
    CONGRU_OK = 0,
    CONGRU_ERROR_ARGUMENT,      /* a null pointer, an impossible size or option */
    CONGRU_ERROR_MEMORY,        /* an allocation failed */
    CONGRU_ERROR_IO,            /* a file could not be opened, read or written */
    CONGRU_ERROR_FORMAT,        /* a file is not what it claims to be */
    CONGRU_ERROR_UNSUPPORTED,   /* a valid file or request that this version does not handle */
    CONGRU_ERROR_NOT_FINITE,    /* a matrix holds NaN or infinity */
    CONGRU_ERROR_NOT_SYMMETRIC, /* a matrix differs from its transpose by more than rounding */
    CONGRU_ERROR_NOT_POSITIVE,  /* a matrix has an eigenvalue that is zero or negative */
    CONGRU_ERROR_NOT_CONVERGED, /* an iteration ended before it reached its tolerance */
    CONGRU_ERROR_CPU,           /* the instruction set asked for is unknown or not on this machine */
    CONGRU_ERROR_CANCELLED,     /* the progress callback asked to stop */
    CONGRU_ERROR_SCALE,         /* samples of another unit than those a model was fitted on */
    CONGRU_ERROR_KIND,          /* a file that holds trials where a recording is read, or the other way round */
    CONGRU_ERROR_ARTEFACT,      /* samples too far from a subject's others to be brain activity */
    CONGRU_STATUS_COUNT
} congru_status;

/* The code's own name, for example "CONGRU_ERROR_IO"; never NULL. */
CONGRU_API const char *congru_status_name(congru_status status);

/* One short sentence about the code, for where no error text is at hand; never NULL. */
CONGRU_API const char *congru_status_text(congru_status status);

/* A number and what is counted, "1 trial", "2 trials", "2 classes", "3 matrices", for messages: the singular is given, and
 * cut short where it is too long; NULL counts nothing. */
typedef struct congru_counted {
    char text[64];
} congru_counted;
CONGRU_API congru_counted congru_count(size_t count, const char *singular);

/* ---- In the context of a call ------------------------------------------------------------------ */

/* What a caller works in, which congru/context.h tells of and makes. */
typedef struct congru_context congru_context;

enum { CONGRU_THREADS_MAX = 1024 };

/* One line about the last failure in this context ("" after none): what was expected and what was found.
 * Valid until the next call with this context. */
CONGRU_API const char *congru_context_error(const congru_context *context);

enum { CONGRU_NOTES_MAX = 16, CONGRU_NOTE_SIZE = 256 };

/* What methods found worth telling although they succeeded ("class 'feet' has no trial..."), each once, since the
 * context was made: index 0, 1, ... until NULL. At most CONGRU_NOTES_MAX are kept. */
CONGRU_API const char *congru_context_note(const congru_context *context, size_t index);

/* Called from the calling thread between pieces of work, `done` of `total`. Return false to stop: the
 * call then ends with CONGRU_ERROR_CANCELLED. */
typedef bool (*congru_progress)(void *user, size_t done, size_t total);

#ifdef __cplusplus
}
#endif
#endif
