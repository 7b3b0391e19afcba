/* An experiment that runs: the blocks it gives, the set it has open, its runs. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_PAPER_JOB_H
#define CONGRU_PAPER_JOB_H

#include "congru/paper.h"

enum { CONGRU_PAPER_PATH_SIZE = 1024, CONGRU_PAPER_NAME_SIZE = 256 };

typedef struct congru_paper_job {
    congru_context *context;
    const congru_paper_request *request;
    congru_paper_result *result;
} congru_paper_job;

/* ---- Blocks: each adds one, and returns CONGRU_OK or fails for lack of memory ---- */

/* A line, a text or a note. */
congru_status congru_paper_say(const congru_paper_job *job, congru_paper_kind kind, bool apart,
                               const char *format, ...) CONGRU_PRINTF(4, 5);

/* Takes over the table, which is then empty, also on failure; and `plain`, which may be NULL. */
congru_status congru_paper_table(const congru_paper_job *job, bool apart, congru_table *table,
                                 congru_text *plain);

/* Takes over a block with its texts, also on failure; the other frees them, and fails for lack of memory. */
congru_status congru_paper_add(const congru_paper_job *job, congru_paper_block *block);
congru_status congru_paper_drop(const congru_paper_job *job, congru_paper_block *block);

/* ---- Lists of names ---- */

enum { CONGRU_NAMES_SIZE = 1024, CONGRU_NAMES_MAX = 64 };

/* Names of one text with commas between, without blanks. What is too long is cut: lists are the experiments' own. */
typedef struct congru_names {
    size_t count;
    const char *item[CONGRU_NAMES_MAX]; /* into `text` */
    char text[CONGRU_NAMES_SIZE];
} congru_names;

void congru_names_split(congru_names *names, const char *list);

/* ---- Sets ---- */

/* A set while it is run; {0} is none. */
typedef struct congru_paper_open {
    const congru_paper_job *job;
    const congru_paper_set *about;
    const congru_set *set;
    congru_set *loaded;  /* the same, where it is not the caller's */
    const char *dataset; /* its name */
    int32_t *subject;
    congru_names names;                /* of the pipelines, unless the request has them */
    congru_evaluation_options options; /* for runs of it; protocol, folder are to be set */
} congru_paper_open;

/* The set at `which` of the request, for runs of its pipelines or of the list; method NULL: the request's. */
congru_status congru_paper_set_open(const congru_paper_job *job, size_t which,
                                    const congru_method_options *method, const char *pipelines,
                                    congru_paper_open *open);
void congru_paper_set_close(congru_paper_open *open);

/* What begins lines about its trials. */
const char *congru_paper_where(const congru_paper_open *open);

/* congru_evaluate between two calls of the request's `running`. */
congru_status congru_paper_evaluate(const congru_paper_job *job, const congru_set *set,
                                    const congru_evaluation_options *options, congru_results **results);

/* Makes the request's folder and NAME + suffix in it ("2a-within"), and gives the latter's path. */
congru_status congru_paper_folder(const congru_paper_job *job, const char *name, const char *suffix,
                                  char path[CONGRU_PAPER_PATH_SIZE]);

/* Whether this process is the one that writes, and does what is not shared. */
bool congru_paper_leads(const congru_paper_job *job);

congru_status congru_paper_no_memory(const congru_paper_job *job);

#endif
