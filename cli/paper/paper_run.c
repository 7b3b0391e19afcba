/* Makes requests for experiments and prints what comes of them. SPDX-License-Identifier: Apache-2.0 */
#include "paper_run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "session.h"
#include "set_load.h"
#include "table_show.h"

/* Each recipe may have covariances of its own. */
static congru_status load(void *user, congru_context *context, const congru_paper_set *about,
                          const congru_method_options *method, congru_set **set)
{
    paper_run *paper = user;
    char recipe[CONGRU_OPTION_TEXT_SIZE];
    arguments inner = *paper->run.parsed;
    if (congru_method_options_get(method, "recipe", recipe))
        options_set(&inner, "recipe", recipe);
    paper->code = set_load(context, &inner, about->file, set);
    return paper->code == EXIT_DONE ? CONGRU_OK
           : session_interrupted()  ? CONGRU_ERROR_CANCELLED
                                    : CONGRU_ERROR_IO;
}

static void running(void *user, const char *folder)
{
    paper_run *paper = user;
    evaluation_running(&paper->run, folder);
}

static void print(void *user, const congru_paper_block *block)
{
    paper_run *paper = user;
    printf(block->apart && paper->printed ? "\n" : "");
    paper->printed = true;
    if (block->kind == CONGRU_PAPER_LINE)
        printf("%s\n", block->text);
    else if (block->kind == CONGRU_PAPER_TABLE && block->text != NULL)
        fputs(block->text, stdout);
    else if (block->kind == CONGRU_PAPER_TABLE)
        paper->code = table_show(&block->table, 0);
    else
        terminal_wrap(block->text, 0, block->kind == CONGRU_PAPER_TEXT ? 0 : 2, "");
}

static int name_sets(paper_run *paper)
{
    const arguments *parsed = paper->run.parsed;
    const char *given = options_value(parsed, "dataset");
    paper->set = calloc(parsed->operand_count + 1, sizeof *paper->set);
    paper->name = calloc(2 * parsed->operand_count + 1, sizeof *paper->name);
    if (paper->set == NULL || paper->name == NULL)
        return terminal_fail(EXIT_FAILED, "not enough memory for %zu sets", parsed->operand_count);
    for (size_t i = 0; i < parsed->operand_count; i++) {
        char *folder = paper->name[2 * i], *dataset = paper->name[2 * i + 1];
        set_short_name(parsed->operands[i], folder, RUN_NAME_SIZE);
        snprintf(dataset, RUN_NAME_SIZE, "%s", given != NULL ? given : folder);
        terminal_clean(dataset); /* it is printed, and stands in tables that others print */
        paper->set[i] = (congru_paper_set){.name = folder, .dataset = dataset, .file = parsed->operands[i]};
    }
    return EXIT_DONE;
}

int paper_run_open(paper_run *paper)
{
    run_state *run = &paper->run;
    congru_paper_request *request = &paper->request;
    int code = evaluation_choose(run);
    if (code == EXIT_DONE)
        code = options_words(run->parsed, "subjects", &paper->subjects);
    if (code == EXIT_DONE)
        code = name_sets(paper);
    evaluation_catch_interrupts(run);
    congru_paper_request_init(request);
    request->run = run->options;
    request->sets = paper->set;
    request->set_count = run->parsed->operand_count;
    request->subjects = (const char *const *)paper->subjects.item;
    request->subject_count = paper->subjects.count;
    if (options_given(run->parsed, "output"))
        request->folder = options_value(run->parsed, "output");
    request->load = load;
    request->running = running;
    request->found = print;
    request->user = paper;
    return code;
}

int paper_run_check_networks(const paper_run *paper)
{
    const congru_evaluation_options *options = &paper->request.run;
    if (options->pipelines != NULL &&
        congru_ablation_check(paper->run.context, options->pipeline_count, options->pipelines) != CONGRU_OK)
        return terminal_fail(EXIT_USAGE, "%s: %s", paper->run.parsed->command,
                             congru_context_error(paper->run.context));
    return EXIT_DONE;
}

int paper_run_call(paper_run *paper,
                   congru_status (*call)(congru_context *context, const congru_paper_request *request,
                                         congru_paper_result **result))
{
    congru_paper_result *result = NULL;
    congru_status status = call(paper->run.context, &paper->request, &result);
    congru_paper_result_destroy(&result);
    if (status != CONGRU_OK && paper->code != EXIT_DONE && !session_interrupted())
        return paper->code;
    int code = evaluation_end(&paper->run, status);
    return code == EXIT_DONE ? paper->code : code;
}

void paper_run_close(paper_run *paper)
{
    evaluation_close(&paper->run);
    text_list_clear(&paper->subjects);
    free(paper->set);
    free(paper->name);
}
