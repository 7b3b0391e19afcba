/* congru ablate: what each part of the networks is worth. SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "ablation.h"
#include "commands.h"
#include "session.h"
#include "set_load.h"

static const option options[] = {
    {"pipelines", 'p', "P,...",
     "Pipelines with a network. Default: dct, dldct and ddct-unet, each before tslr and end to "
     "end."},
    RUN_OTHER_OPTIONS("The folder of results, one in it for each part left out; a run that was interrupted is "
                      "taken up where it stood. Default: the set's name and the command's, NAME-ablate."),
};

static definition describe(size_t index)
{
    return (definition){.term = ablation_variant(index), .text = ablation_text(index)};
}

static int run(const arguments *parsed)
{
    if (parsed->operand_count != 1)
        return terminal_fail(EXIT_USAGE, "ablate: %s (see 'congru help ablate')",
                             parsed->operand_count == 0 ? "the set is missing" : "one set at a time");
    arguments chosen = *parsed;
    if (!options_given(&chosen, "pipelines"))
        options_set(&chosen, "pipelines", ABLATION_PIPELINES);
    run_state state = {.parsed = &chosen};
    ablation found;
    int code = evaluation_open(&state);
    if (code == EXIT_DONE)
        code = ablation_check(&state);
    const char *folder = state.options.folder;
    if (code == EXIT_DONE)
        code = ablation_run(&state, folder, &found);
    if (code == EXIT_DONE && process_group_leads())
        code = ablation_save(&found, folder);
    if (code == EXIT_DONE) {
        printf("%s: %s, %s, %s, %s; target %s; accuracy in %%\n\n", state.dataset,
               congru_count(state.set->subjects, "subject").text, congru_count(state.set->count, "trial").text,
               congru_count(state.set->classes, "class").text,
               congru_count(state.set->dimension, "channel").text, congru_target_name(state.options.target));
        code = ablation_print(&found);
        printf("\nResults in %s\n", folder);
    }
    evaluation_close(&state);
    return code;
}

static const char *const examples[] = {
    "congru ablate 2a.npz",
    "congru ablate 2a.npz -p dldct-e2e,ddct-unet-e2e --steps 300 -o 2a-parts",
    NULL,
};

const command command_ablate = {
    .name = "ablate",
    .summary = "Leave out one part of the networks after the other",
    .usage = "SET.npz [OPTION...]",
    .description =
        "Scores networks as 'congru loso' does, whole and with one part left out, and prints the mean "
        "and standard deviation of the accuracy over subjects. An arrow says whether it is above or "
        "below that of the whole model. 'congru report DIR/baseline' shows them too.",
    .definitions = describe,
    .definitions_title = "Parts",
    .options = {OPTION_ROWS(options), .more = &set_option_table},
    .examples = examples,
    .shares = true,
    .run = run,
};
