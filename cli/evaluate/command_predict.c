/* congru predict: asks a model about the trials of target subjects. SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>

#include "commands.h"
#include "session.h"
#include "set_load.h"
#include "table_show.h"
#include "terminal.h"

static const option options[] = {
    ASK_OPTION_TABLE,
    {"output", 'o', "FILE",
     "A table of all predictions, predictions.csv as 'congru loso' writes it. Default: none, the "
     "summary alone."},
};

/* A row per subject: trials, how many were answered with each class, and how many rightly where labels tell. */
static void add_subject(const model_answers *answers, size_t first, size_t last, congru_table *table)
{
    const congru_predictions *made = answers->predictions;
    size_t labelled = 0, right = 0;
    congru_table_format_text(table, "%s",
                             answers->set->subject_name[answers->set->subject[made->trial[first]]]);
    congru_table_format_text(table, "%zu", last - first);
    for (size_t k = 0; k < made->classes; k++) {
        size_t count = 0;
        for (size_t i = first; i < last; i++)
            count += made->prediction[i] == (int32_t)k;
        congru_table_format_text(table, "%zu", count);
    }
    for (size_t i = first; i < last; i++) {
        labelled += made->truth[i] >= 0;
        right += made->truth[i] == made->prediction[i];
    }
    if (labelled > 0)
        congru_table_format_text(table, "%.1f", 100.0 * (double)right / (double)labelled);
    else
        congru_table_format_text(table, "-");
}

static int print_summary(const model_answers *answers)
{
    const congru_predictions *made = answers->predictions;
    congru_table table = {0};
    congru_table_headings(&table, 2, (const char *const[]){"subject", "trials"});
    for (size_t k = 0; k < made->classes; k++)
        congru_table_column_text(&table, congru_model_class(answers->model, k), NULL);
    congru_table_column_text(&table, "accuracy", "accuracy %");
    for (size_t first = 0, last; first < made->count; first = last) {
        const int32_t *subject = answers->set->subject;
        for (last = first + 1; last < made->count && subject[made->trial[last]] == subject[made->trial[first]];)
            last++;
        add_subject(answers, first, last, &table);
    }
    int code = table_show(&table, 0);
    congru_table_clear(&table);
    if (made->calibration > 0)
        printf("\nused and left out: %s\n", congru_count(made->calibration, "labelled trial").text);
    for (size_t i = 0; congru_context_note(answers->context, i) != NULL; i++) {
        printf(i == 0 ? "\n" : "");
        terminal_wrap(congru_context_note(answers->context, i), 0, 2, "");
    }
    model_answers_print_dropped(answers);
    return code;
}

static int run(const arguments *parsed)
{
    model_answers answers;
    int code = model_ask(parsed, false, &answers);
    const char *output = options_value(parsed, "output");
    session_hold_interrupts(output);
    if (code == EXIT_DONE && output != NULL &&
        congru_predictions_write(answers.context, answers.predictions, answers.model, answers.set,
                                 answers.dataset, output) != CONGRU_OK)
        code = terminal_fail(EXIT_FAILED, "%s", congru_context_error(answers.context));
    session_release_interrupts();
    if (code == EXIT_DONE)
        code = print_summary(&answers);
    model_answers_clear(&answers);
    return code;
}

static const char *const examples[] = {
    "congru predict model.safetensors new.npz -o predictions.csv",
    "congru predict model.safetensors S007R04.edf S007R08.edf",
    "congru predict fold.safetensors 2a.npz --subjects A09 --target online",
    NULL,
};

const command command_predict = {
    .name = "predict",
    .summary = "Ask a model about the trials of target subjects",
    .usage = "MODEL SET.npz|FILE... [OPTION...]",
    .description =
        "Decides about every trial of a set, or of recordings and files of trials, with a model that "
        "'congru train' wrote. Recordings, and the signals of a set, go through what those of the model went "
        "through, and channels are found by name. No labels are needed; where there are some, the "
        "share of right predictions is printed. Covariances that went through something else than what "
        "the model was fitted on, without signals to make them of, are refused, with all that differs.",
    .options = {OPTION_ROWS(options)},
    .examples = examples,
    .run = run,
};
