/* congru ablate: what each part of the networks is worth. SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "commands.h"
#include "paper_run.h"
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
    definition found = {0};
    found.term = congru_ablation_variant(index, &found.text);
    return found;
}

static int run(const arguments *parsed)
{
    if (parsed->operand_count != 1)
        return terminal_fail(EXIT_USAGE, "ablate: %s (see 'congru help ablate')",
                             parsed->operand_count == 0 ? "the set is missing" : "one set at a time");
    paper_run paper = {.run.parsed = parsed};
    int code = paper_run_open(&paper);
    if (code == EXIT_DONE)
        code = paper_run_check_networks(&paper);
    if (code == EXIT_DONE && !options_given(parsed, "output")) {
        snprintf(paper.run.folder, sizeof paper.run.folder, "%s-ablate", paper.set[0].name);
        paper.request.folder = paper.run.folder;
    }
    if (code == EXIT_DONE)
        code = paper_run_call(&paper, congru_ablate);
    paper_run_close(&paper);
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
