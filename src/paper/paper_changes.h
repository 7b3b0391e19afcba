/* How what is run differs from the paper, and runs by which claims compare like with like. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_PAPER_PAPER_CHANGES_H
#define CONGRU_PAPER_PAPER_CHANGES_H

#include "paper/paper_sets.h"

/* What numbers were made with: bits above those of the paper's sets, by index. */
enum { CONGRU_USES_NETWORK = 1 << 16, CONGRU_USES_RIDGE = 1 << 17, CONGRU_USES_LABELS = 1 << 18 };

/* Networks among pipelines with commas between, ridges whose C is not chosen on source subjects, and pipelines that the paper
 * lets look at labels of the target. */
unsigned congru_paper_uses(const congru_paper_job *job, const char *pipelines);

/* What stands before a change: a comma behind another, or behind a verdict. */
void congru_paper_next_change(congru_text *text);

/* Adds "1 of 9 subjects, 67 to 89 of 288 trials"; nothing where nothing differs. */
void congru_paper_set_changes(const congru_paper_open *open, congru_text *text);

/* Adds "on bnci2014-004, the paper on bnci2014-001" of experiments that the paper has on that set alone. */
void congru_paper_place_changes(const char *dataset, congru_text *text);

/* Adds "20 of 1000 steps", and other changes of methods, where they were used. */
void congru_paper_method_changes(const congru_paper_job *job, unsigned uses, congru_text *text);

/* Both, of the sets that were used; or, unless it is NULL, of one dataset. */
void congru_paper_runs_changed(const congru_paper_runs *runs, unsigned uses, const char *dataset,
                               congru_text *text);

/* ---- Ridges: claims are about those whose C is chosen on source subjects ---- */

#define CONGRU_PAPER_RIDGE "ra+tslr"

/* Whether a pipeline ends in a ridge, whose C the paper does not say. */
bool congru_paper_has_ridge(const char *pipeline);

/* The name among scores that a pipeline has in claims: for one with a ridge "ra+tslr (C auto)", or with `plain` "ra+tslr (C 1)",
 * what libraries have by default, and its own name where the request has that C. */
void congru_paper_ridge(const congru_paper_job *job, const char *pipeline, bool plain,
                        char name[CONGRU_SCORE_NAME_SIZE]);

/* The list of pipelines, and behind them those of both kinds that have scores. */
void congru_paper_ridge_rows(const congru_paper_runs *runs, const char *pipelines,
                             char list[CONGRU_NAMES_SIZE]);

/* What C ridges have that no row tells apart: "chosen on source subjects", or "0.5, given". */
const char *congru_paper_c(const congru_paper_job *job, char text[CONGRU_OPTION_TEXT_SIZE]);

/* Keeps which C the ridges of these results have, and who chose it: c as given, 0 where it is chosen. Scores have the
 * pipelines' names with `suffix` behind. */
congru_status congru_paper_runs_keep_ridges(congru_paper_runs *runs, const congru_results *results,
                                            const char *dataset, double c, const char *suffix);

/* "0.1 to 3, chosen" or "1, given"; "" of what has no ridge. */
const char *congru_paper_runs_ridge(const congru_paper_runs *runs, const char *dataset, const char *name);

/* All of these in one remark, below tables that have no column for them. */
congru_status congru_paper_runs_tell_ridges(const congru_paper_runs *runs, const char *where);

/* Runs those of the pipelines that have a ridge with both on every set, in the folders NAME-C-auto and NAME-C-1, but for the
 * one that the request has. */
congru_status congru_paper_runs_ridges(congru_paper_runs *runs, const char *pipelines);

/* ---- Pipelines that are scored on fewer trials than others, as those that are given labelled ones ---- */

/* Adds scores of all pipelines on the trials of each such one, and a remark. The set has so many trials. */
congru_status congru_paper_runs_common(congru_paper_runs *runs, const congru_results *results,
                                       const char *dataset, size_t trials);

/* What those scores are called. */
void congru_paper_common_name(const char *pipeline, const char *few, char name[CONGRU_SCORE_NAME_SIZE]);

#endif
