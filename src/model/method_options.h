/* Options of methods as members of a JSON object. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_MODEL_METHOD_OPTIONS_H
#define CONGRU_MODEL_METHOD_OPTIONS_H

#include "base/json_scan.h"
#include "base/text.h"
#include "congru/method.h"

/* Reads the text of one row into its member; false after writing one line that begins with `where` into `error`. */
bool congru_method_option_parse(const congru_method_option *row, const char *where, const char *text,
                                congru_method_options *options, char error[CONGRU_VALUE_ERROR_SIZE]);

/* Gives one row its default. */
void congru_method_option_reset(const congru_method_option *row, congru_method_options *options);

/* The member of one row as text; false when no text stands for it. */
bool congru_method_option_print(const congru_method_option *row, const congru_method_options *options,
                                char text[CONGRU_OPTION_TEXT_SIZE]);

/* What is chosen on source subjects, congru_method_options.choose. */
#define CONGRU_CHOOSE_WEIGHTS "weights" /* of branches */
enum { CONGRU_VALUES_MAX = 16, CONGRU_VALUE_TEXT_SIZE = 64 };

/* An option with the values it is chosen from, as they are printed; row NULL: the weights of branches. */
typedef struct congru_option_values {
    const congru_method_option *row;
    size_t count;
    char value[CONGRU_VALUES_MAX][CONGRU_VALUE_TEXT_SIZE];
} congru_option_values;

/* Reads "OPTION=V1,V2,...; weights" and leaves it in `choose` as congru_choose_at takes it; false after writing one line
 * that begins with `where` into `error`: an option that there is not or that cannot be chosen, a value that it cannot
 * have, fewer than two of them. */
bool congru_choose_parse(const char *where, const char *text, char choose[CONGRU_CHOOSE_SIZE], char *error);

/* Index 0, 1, ...; false after the last. */
bool congru_choose_at(const char *choose, size_t index, congru_option_values *values);
bool congru_choose_weights(const char *choose);

/* Its row in the table of options. */
const congru_method_option *congru_choose_row(void);

/* Adds `,\n  "NAME": VALUE` for each option that can change a number, or for each of the others (`idle`). Numbers are
 * numbers, switches true or false, choices their names, widths an array. */
void congru_method_options_write(const congru_method_options *options, bool idle, congru_text *text);

/* Reads the value that stands behind `key`. *row is the option of that name, or NULL for a key that names none, whose
 * value is passed over. false when the value cannot be, or is no JSON. */
bool congru_method_options_read(congru_scan *json, const char *key, congru_method_options *options,
                                const congru_method_option **row);

/* Adds a difference "--C 1 there, --C 0.1 here" to a list with semicolons between; the texts are options' values. A text
 * of NULL is an option that was not given. */
void congru_difference_add(congru_text *list, const char *name, const char *there, const char *here);

#endif
