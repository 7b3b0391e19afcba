/* What the numbers of a run depend on, as text. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_EVALUATION_SETTINGS_TEXT_H
#define CONGRU_EVALUATION_SETTINGS_TEXT_H

#include "base/text.h"
#include "congru/evaluation.h"

enum { CONGRU_FINGERPRINT_SIZE = 17 };

/* JSON members, one to a line, without the braces: a digest of the set and every option that can change a number;
 * not pipelines and subjects, which one folder may gather from several runs. */
void congru_settings_text(const congru_set *set, const congru_evaluation_options *options, congru_text *text);

/* The digest of such a text in hexadecimal digits: what tells the folds of two runs apart. */
void congru_settings_fingerprint(const congru_text *text, char fingerprint[CONGRU_FINGERPRINT_SIZE]);

#endif
