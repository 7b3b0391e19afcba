/* What 'congru reproduce' and 'congru ablate' share: a request made of options, its blocks printed. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_CLI_PAPER_RUN_H
#define CONGRU_CLI_PAPER_RUN_H

#include "evaluation_run.h"

/* {.run.parsed = ...} begins one; the operands are sets. */
typedef struct paper_run {
    run_state run;
    congru_paper_request request;
    congru_paper_set *set;
    char (*name)[RUN_NAME_SIZE]; /* of each set: its folder, its dataset */
    text_list subjects;
    bool printed; /* something, so that a block may stand apart from it */
    int code;     /* of what was told already */
} paper_run;

/* Fills in the request from the options that both commands have. Each returns EXIT_DONE, or prints one line and returns
 * another code. */
int paper_run_open(paper_run *paper);

/* Calls congru_paper_run or congru_ablate, and prints blocks as they come. */
int paper_run_call(paper_run *paper,
                   congru_status (*call)(congru_context *context, const congru_paper_request *request,
                                         congru_paper_result **result));

/* EXIT_USAGE, and one line, for --pipelines without a network. */
int paper_run_check_networks(const paper_run *paper);

void paper_run_close(paper_run *paper);

#endif
