/* congru train: a decoder fitted on subjects, as a file. SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "congru/congru.h"
#include "options.h"
#include "session.h"
#include "set_load.h"
#include "terminal.h"

static const option options[] = {
    {"pipeline", 'p', "P", "ALIGNER+CLASSIFIER or an end-to-end model. Default: ra+tslr."},
    {"without", '\0', "A,B,...",
     "Do not look at these subjects: the model is that of the fold of 'congru loso' that leaves "
     "one out. Default: none."},
    {"align-by", '\0', "NAME",
     "Align each 'subject', or each 'session' of a subject by itself. Default: subject."},
    {"jobs", 'j', "N", "Threads; the numbers are the same with any. Default: 0, one per processor."},
    {"output", 'o', "FILE", "The model to write, a .safetensors file. Needed."},
};

typedef struct train_run {
    const arguments *parsed;
    congru_context *context;
    congru_set *set;
    int32_t *without;
    congru_model_options options;
    congru_model *model;
    terminal_work work;
    size_t step, steps, shown; /* of the networks that are trained */
} train_run;

static void watch(void *user, double part, const char *pipeline, size_t step, size_t steps)
{
    train_run *run = user;
    (void)pipeline;
    run->work.part = part;
    run->step = step;
    run->steps = steps;
}

static bool progress(void *user, size_t done, size_t total)
{
    train_run *run = user;
    (void)done, (void)total;
    if (run->steps == 0 || run->step < run->shown)
        return true;
    terminal_progress_timed(&run->work, run->step, run->steps, "steps");
    run->shown = run->step + 1 + run->steps / 500; /* steps may be quick: no more bars than are of use */
    return true;
}

static int prepare(train_run *run)
{
    const arguments *parsed = run->parsed;
    int jobs = 0, code = options_integer(parsed, "jobs", 0, 0, CONGRU_THREADS_MAX, &jobs);
    if (code == EXIT_DONE)
        code = options_align_by(parsed, &run->options.align_by_session);
    if (code == EXIT_DONE)
        code = session_open_with(
            &(congru_context_options){.threads = jobs, .progress = progress, .progress_user = run},
            &run->context);
    if (code == EXIT_DONE)
        code = method_settings_parse(run->context, parsed, &run->options.method);
    run->options.causal = options_given(parsed, "causal");
    run->options.pipeline = options_given(parsed, "pipeline") ? options_value(parsed, "pipeline") : "ra+tslr";
    if (code == EXIT_DONE)
        code = pipeline_file_read(run->context, parsed);
    const congru_status status =
        code == EXIT_DONE ? congru_pipeline_check(run->context, run->options.pipeline) : CONGRU_OK;
    if (status != CONGRU_OK)
        code = option_fail(run->context, "train", status);
    if (code == EXIT_DONE)
        code = set_load(run->context, parsed, parsed->operands[0], &run->set);
    if (code == EXIT_DONE)
        code = subject_list_find(run->context, "train: --without", options_value(parsed, "without"),
                                 parsed->operands[0], run->set, &run->without, &run->options.without_count);
    run->options.without = run->without;
    return code;
}

static int train(train_run *run)
{
    const char *path = run->parsed->operands[0], *output = options_value(run->parsed, "output");
    run->options.watch = watch;
    run->options.watch_user = run;
    congru_status status = congru_model_fit(run->context, run->set, &run->options, &run->model);
    terminal_progress_end();
    if (status != CONGRU_OK)
        return terminal_fail(EXIT_FAILED, "%s: %s", path, congru_context_error(run->context));
    session_hold_interrupts(output);
    status = congru_model_save(run->context, run->model, output);
    session_release_interrupts();
    if (status != CONGRU_OK)
        return terminal_fail(EXIT_FAILED, "%s", congru_context_error(run->context));
    size_t trials = 0, subjects = run->set->subjects - run->options.without_count;
    for (size_t i = 0; i < run->set->count; i++) {
        bool used = true;
        for (size_t k = 0; k < run->options.without_count; k++)
            used = used && run->set->subject[i] != run->without[k];
        trials += used;
    }
    char line[1024];
    snprintf(line, sizeof line, "%s: %s, fitted on %s of %s", output, run->options.pipeline,
             congru_count(trials, "trial").text, congru_count(subjects, "subject").text);
    terminal_clean(line);
    terminal_wrap(line, 0, 2, "");
    const char *name, *chosen;
    for (size_t i = 0;
         run->options.method.choose[0] != '\0' && congru_model_text(run->model, i, &name, &chosen); i++)
        if (strcmp(name, "chosen") == 0) {
            snprintf(line, sizeof line, "chosen on these subjects: %s", chosen);
            terminal_wrap(line, 0, 2, "");
        }
    congru_evaluation_options seen;
    congru_evaluation_options_init(&seen);
    seen.method = run->options.method;
    seen.causal = run->options.causal;
    seen.pipelines = &run->options.pipeline;
    seen.pipeline_count = 1;
    int code = pipeline_signals_print(run->context, run->set, &seen);
    for (size_t i = 0; congru_context_note(run->context, i) != NULL; i++)
        terminal_wrap(congru_context_note(run->context, i), 0, 2, "");
    return code;
}

static int run_train(const arguments *parsed)
{
    if (parsed->operand_count != 1)
        return terminal_fail(EXIT_USAGE, "train: %s (see 'congru help train')",
                             parsed->operand_count == 0 ? "the set is missing" : "one set at a time");
    if (!options_given(parsed, "output"))
        return terminal_fail(EXIT_USAGE, "train: --output FILE is missing (see 'congru help train')");
    train_run run = {.parsed = parsed};
    congru_model_options_init(&run.options);
    int code = prepare(&run);
    if (code == EXIT_DONE)
        code = train(&run);
    congru_model_destroy(&run.model);
    congru_set_destroy(&run.set);
    congru_context_destroy(&run.context);
    free(run.without);
    return code;
}

static const char *const examples[] = {
    "congru train 2a.npz --pipeline ra+tslr -o model.safetensors",
    "congru train 2a.npz -p ddct-unet-e2e --without A09 -o fold.safetensors",
    NULL,
};

const command command_train = {
    .name = "train",
    .summary = "Fit a decoder on subjects and keep it",
    .usage = "SET.npz -o MODEL [OPTION...]",
    .description =
        "Fits a pipeline on all trials of a set and writes it as a .safetensors file: every number by "
        "name, and in the metadata everything that the data went through, so that the model refuses "
        "data it was not made for. 'congru predict' asks it about sets, 'congru stream' about "
        "samples as they come.",
    .definitions = &pipeline_definitions,
    .options = {OPTION_ROWS(options), .more = &set_option_table},
    .examples = examples,
    .run = run_train,
};
