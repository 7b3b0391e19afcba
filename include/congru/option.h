/* Options by name, and values written as text. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_OPTION_H
#define CONGRU_OPTION_H

#include "congru/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One option as the command line, presets and documentation know it. */
typedef struct congru_option {
    const char *name;     /* "band" is --band on the command line and `band = ...` in a preset */
    char letter;          /* 'o' is -o as well; '\0' for none */
    const char *argument; /* what help calls the value, "LO:HI"; NULL for an option without one */
    const char *help;     /* sentences, with the default among them */
} congru_option;

enum { CONGRU_VALUE_ERROR_SIZE = 512 };

/* Each reads a value and returns true, or writes one line that begins with `where` into `error` and returns false;
 * what it would have filled in is then as it was. Plain decimal numbers alone are numbers. */
CONGRU_API bool congru_value_number(const char *where, const char *text, double least, double most,
                                    double *number, char error[CONGRU_VALUE_ERROR_SIZE]);
CONGRU_API bool congru_value_integer(const char *where, const char *text, int least, int most, int *number,
                                     char error[CONGRU_VALUE_ERROR_SIZE]);

/* Two numbers "LOW:HIGH", the second larger. */
CONGRU_API bool congru_value_range(const char *where, const char *text, double least, double most,
                                   double range[2], char error[CONGRU_VALUE_ERROR_SIZE]);

/* Which of the names, ended by NULL, the text is. */
CONGRU_API bool congru_value_choice(const char *where, const char *text, const char *const *names,
                                    size_t *choice, char error[CONGRU_VALUE_ERROR_SIZE]);

/* Which of `count` names `word` is most likely a slip of the fingers for; NULL when none is close. */
CONGRU_API const char *congru_nearest(const char *word, size_t count, const char *const *names);

#ifdef __cplusplus
}
#endif
#endif
