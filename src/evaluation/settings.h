/* What the numbers of a run depend on, as text. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_EVALUATION_SETTINGS_H
#define CONGRU_EVALUATION_SETTINGS_H

#include "base/text.h"
#include "congru/evaluation.h"

enum { CONGRU_FINGERPRINT_SIZE = 17 };

/* JSON members, one to a line, without the braces: a digest of the set and every option that can change a number, under
 * its name on the command line; not pipelines and subjects, which one folder may gather from several runs, but the
 * definitions of pipelines that the context was told. */
void congru_settings_text(const congru_context *context, const congru_set *set,
                          const congru_evaluation_options *options, congru_text *text);

/* The digest of such a text in hexadecimal digits: what tells the folds of two runs apart. */
void congru_settings_fingerprint(const congru_text *text, char fingerprint[CONGRU_FINGERPRINT_SIZE]);

/* CONGRU_OK when the settings of two such objects, braces included, are the same. CONGRU_ERROR_ARGUMENT lists what differs
 * in the words of the command line, "--C 1 there, --C 0.1 here", behind the folder's name; CONGRU_ERROR_FORMAT is for
 * settings of another version, or what is none. `sizes` are of the texts. */
congru_status congru_settings_compare(congru_context *context, const char *folder, const char *there,
                                      size_t there_size, const char *here, size_t here_size);

#endif
