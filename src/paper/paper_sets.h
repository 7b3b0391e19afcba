/* Pipelines run on the sets of a request, for experiments by dataset. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_PAPER_SETS_H
#define CONGRU_PAPER_SETS_H

#include "paper/paper_job.h"
#include "paper/score_list.h"

/* {.job = ...} is empty. Datasets have the paper's names where they are the paper's, else their own. */
typedef struct congru_paper_runs {
    const congru_paper_job *job;
    congru_scores_list scores;                        /* percent */
    congru_scores_list aligning, fitting, predicting; /* seconds per subject */
    congru_table remarks;                             /* notes alone: how sets differ from the paper's */
    congru_table bare;                                /* notes alone: names of sets that have no signals */
    congru_table changes; /* notes alone: "DATASET\n89 of 288 trials", for verdicts */
    congru_table ridges;  /* notes alone: "DATASET\nra+tslr\n0.1 to 3, chosen" */
} congru_paper_runs;

/* Runs the pipelines, with commas between, or those of the request, on a set; its results go to and come from the folder
 * NAME and `suffix`. Of `pipelines` those that do not exist, or want signals of a set that has none, are passed over. method
 * NULL: the request's. */
congru_status congru_paper_runs_add(congru_paper_runs *runs, size_t which, const congru_method_options *method,
                                    const char *pipelines, congru_protocol protocol, const char *suffix);

/* The same for each set of the request. */
congru_status congru_paper_runs_all(congru_paper_runs *runs, const char *pipelines, congru_protocol protocol,
                                    const char *suffix);
void congru_paper_runs_clear(congru_paper_runs *runs);

/* Adds the scores that earlier runs left, of the paper's sets that have none: in the folder of any of a set's names. */
congru_status congru_paper_runs_found(congru_paper_runs *runs);

/* What an earlier run left in the folder of one of the names of the paper's dataset, and `suffix`; NULL where none did, or on
 * a set with other classes. */
congru_status congru_paper_results_find(const congru_paper_job *job, const char *dataset, const char *suffix,
                                        congru_results **results);

/* For every dataset of the paper, and then for others: a row for each pipeline, as the paper's file has it with its mark and
 * as it came out; or that its data is not given. */
congru_status congru_paper_runs_show(const congru_paper_runs *runs, const char *file, const char *pipelines);

/* Whether scores of this dataset are there. */
bool congru_paper_runs_have(const congru_paper_runs *runs, const char *dataset);

/* Whether a set of this name was run and has covariances alone. */
bool congru_paper_runs_lack_signals(const congru_paper_runs *runs, const char *dataset);

/* The remarks about all sets that were run. */
congru_status congru_paper_runs_remark(const congru_paper_runs *runs);

/* Calls `one` for each set of the request, or `none`, which shows what the paper has alone; NULL says that data is not given. */
congru_status congru_paper_each_set(const congru_paper_job *job,
                                    congru_status (*one)(const congru_paper_job *job, size_t which),
                                    congru_status (*none)(const congru_paper_job *job));

/* The paper's name of a set's dataset; its own when it is none of the paper's; or "bnci2015-004 (2 classes)" when the
 * paper's has another number of classes, so that nothing is compared with it. */
void congru_paper_set_name(const congru_paper_open *open, char name[CONGRU_PAPER_NAME_SIZE]);

/* The fewest and the most trials of a subject. */
void congru_paper_count_trials(const congru_set *set, size_t *least, size_t *most);

/* A note on how the set differs from the paper's of that name; none where it does not, or where there is none. */
congru_status congru_paper_set_remark(const congru_paper_open *open);

/* One line, below what the paper has of it: that a set of the paper is not there, and where it is to be had. */
congru_status congru_paper_set_absent(const congru_paper_job *job, const char *dataset);

/* Adds the paper's columns of subjects, of one of its files. */
congru_status congru_paper_printed_scores(const congru_paper_job *job, const char *file,
                                          congru_scores_list *tables);

/* Cells: "52.43", or "-" where it is NaN; with the deviation where that is known; ours less theirs. */
void congru_paper_cell_number(congru_table *table, double mean, double deviation);
void congru_paper_cell_difference(congru_table *table, double ours, double paper);

#endif
