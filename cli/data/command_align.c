/* congru align: target subjects' trials where a model's classifier expects them. SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "session.h"
#include "set_load.h"
#include "terminal.h"

static const option options[] = {
    ASK_OPTION_TABLE,
    {"output", 'o', "SET.npz", "The set to write. Needed."},
};

/* Keeps of each column the entries of the trials that were asked about. */
static bool pick(const congru_predictions *made, int32_t **column)
{
    int32_t *picked = malloc((made->count + 1) * sizeof *picked);
    if (picked == NULL)
        return false;
    for (size_t i = 0; i < made->count; i++)
        picked[i] = (*column)[made->trial[i]];
    free(*column);
    *column = picked;
    return true;
}

/* Puts the aligned trials in the place of the set's. */
static int replace_trials(model_answers *answers, const char *path)
{
    congru_predictions *made = answers->predictions;
    congru_set *set = answers->set;
    char meta[512];
    snprintf(meta, sizeof meta, "{\"congru\": \"%s\", \"aligned_by\": \"%s\"}", congru_version(),
             congru_model_pipeline(answers->model));
    char *copy = malloc(strlen(meta) + 1);
    if (copy == NULL || !pick(made, &set->label) || !pick(made, &set->subject) || !pick(made, &set->session) ||
        !pick(made, &set->run)) {
        free(copy);
        return terminal_fail(EXIT_FAILED, "%s: not enough memory for %zu trials", path, made->count);
    }
    memcpy(copy, meta, strlen(meta) + 1);
    free(set->meta);
    set->meta = copy;
    double *old = set->covariance; /* each is still freed by whom it is with then */
    set->covariance = made->aligned;
    made->aligned = old;
    set->count = made->count;
    return EXIT_DONE;
}

static int run(const arguments *parsed)
{
    const char *output = options_value(parsed, "output");
    model_answers answers;
    if (output == NULL)
        return terminal_fail(EXIT_USAGE, "align: --output SET.npz is missing (see 'congru help align')");
    int code = model_ask(parsed, true, &answers);
    if (code == EXIT_DONE)
        code = replace_trials(&answers, output);
    if (code == EXIT_DONE) {
        congru_set written = *answers.set;
        written.signals = NULL; /* they are not aligned */
        written.samples = 0;
        session_hold_interrupts(output);
        congru_status status = congru_set_write(answers.context, output, &written);
        session_release_interrupts();
        if (status != CONGRU_OK)
            code = terminal_fail(EXIT_FAILED, "%s", congru_context_error(answers.context));
    }
    if (code == EXIT_DONE) {
        char line[1024];
        snprintf(line, sizeof line, "%s: %s, aligned as by %s", output,
                 congru_count(answers.set->count, "trial").text, congru_model_pipeline(answers.model));
        terminal_clean(line);
        terminal_wrap(line, 0, 2, "");
        model_answers_print_dropped(&answers);
    }
    model_answers_clear(&answers);
    return code;
}

static const char *const examples[] = {
    "congru align model.safetensors new.npz -o aligned.npz",
    NULL,
};

const command command_align = {
    .name = "align",
    .summary = "Write target subjects' trials as a model aligns them",
    .usage = "MODEL SET.npz|FILE... -o OUT.npz [OPTION...]",
    .description = "Writes the covariances of a set, or of recordings and files of trials, as the aligner of a "
                   "model leaves them: where subjects and "
                   "sessions meet, ready for other classifiers. Of an end-to-end model it is what its network "
                   "gives to its last layer.",
    .options = {OPTION_ROWS(options)},
    .examples = examples,
    .run = run,
};
