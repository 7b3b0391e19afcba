/* Forward patterns in memory and as text. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_EVALUATION_PATTERNS_H
#define CONGRU_EVALUATION_PATTERNS_H

#include "base/text.h"
#include "congru/explain.h"

#define CONGRU_PATTERNS_FILE "patterns.csv"

/* Room for the cells of a pattern, all zero; its names are left alone. Freed by congru_pattern_clear. */
congru_status congru_pattern_reserve(congru_context *context, congru_pattern *pattern, size_t cells,
                                     size_t classes, size_t channels);
void congru_pattern_clear(congru_pattern *pattern);

/* The heading of patterns.csv with its channels, and the rows of one pattern under this pipeline, with the part that the
 * branch has in it. */
void congru_patterns_add_heading(congru_text *text, size_t channels,
                                 const char (*channel_name)[CONGRU_LABEL_SIZE]);
void congru_patterns_add_rows(congru_text *text, const char *pipeline, double part,
                              const congru_pattern *pattern, size_t classes,
                              const char (*class_name)[CONGRU_LABEL_SIZE], size_t channels);

/* The rows of the first `count` of them, with the heading where the text is empty. */
void congru_patterns_add(congru_text *text, const congru_patterns *patterns, size_t count);

/* The mean of what `count` folds of one pipeline have left as texts. */
congru_status congru_patterns_average(congru_context *context, const char *pipeline, size_t count,
                                      const char *const *text, congru_patterns **patterns);

#endif
