/* Tables, results and drawings on standard output: folded on a narrow terminal, never in a pipe. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_CLI_TABLE_SHOW_H
#define CONGRU_CLI_TABLE_SHOW_H

#include "congru/congru.h"
#include "congru/report.h"
#include "options.h"

/* Prints a table to standard output as text, each line after `indent` blanks. Each returns EXIT_DONE, or prints one line and
 * returns another code. */
int table_show(const congru_table *table, size_t indent);

/* The same in any format. */
int table_show_as(const congru_table *table, congru_table_format format, size_t indent);

/* The format of --format, "text", "markdown", "csv", "latex", "html" or "json"; text where it is not given. */
int table_format_parse(const arguments *parsed, congru_table_format *format);

#define TABLE_FORMAT_OPTION \
    { \
        "format", '\0', "NAME", \
            "How tables are written: 'text', 'markdown', 'csv', 'latex' (for the package booktabs), 'html' " \
            "or 'json'; " \
            "numbers have all their digits in csv and json. Default: text." \
    }

/* The metrics of a table. */
typedef struct metric_list {
    size_t count;
    congru_score metric[CONGRU_SCORE_KINDS];
} metric_list;

/* Accuracy, kappa, seconds. */
extern const metric_list metrics_default;

/* A row for each pipeline, or, of the first metric, one for each subject; what is missing of the results and whom to
 * mistrust below. Each returns EXIT_DONE, or prints one line and returns EXIT_FAILED. */
int results_show_scores(congru_context *context, const congru_results *results, const metric_list *list,
                        bool by_subject, congru_table_format format);

/* One table for each pipeline, under a line that says what it is; `before` other tables were printed. */
int results_show_classes(congru_context *context, const congru_results *results, const char *what, int before,
                         congru_status (*fill)(congru_context *, const congru_results *, size_t,
                                               congru_table *),
                         congru_table_format format);

/* Comparisons; as text, a table for each dataset under its name. */
int pairs_show(congru_context *context, size_t count, const congru_pair *pair, bool permutation,
               congru_table_format format);

typedef enum image_kind { IMAGE_PNG, IMAGE_PDF } image_kind;

/* Makes the bytes of an image, freed by free(). Returns EXIT_DONE, or prints one line and returns EXIT_FAILED:
 * no memory, or built without cairo. */
int report_image(const congru_drawing *drawing, image_kind kind, unsigned char **bytes, size_t *size);

#endif
