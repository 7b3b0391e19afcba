/* congru loso: decoders on subjects they have not seen. SPDX-License-Identifier: Apache-2.0 */
#include "commands.h"
#include "evaluation_run.h"
#include "set_load.h"

static const option options[] = {
    RUN_OPTION_TABLE,
    {"diagnostics", '\0', NULL,
     "Keep how the first network moves the trials while it is trained, the first subject left out: "
     "their embedding by t-SNE at each fifth of the steps, and silhouettes; ellipses of the classes "
     "before and after alignment, and scalp maps. The report shows them."},
    {"groups", '\0', "N",
     "Leave the subjects out in N groups, the first, the N + 1st and so on together, so that each pipeline is fitted N "
     "times instead of once for each subject: for networks and many subjects. 0: each subject by itself. Default: 0."},
    {"calibration", '\0', "N,...",
     "Fit on the first N labelled trials of each class of the target subject too, which are then not scored. "
     "With several numbers, ascending, print the curve; each run is in a folder of its own, and all are scored "
     "on the trials behind the largest number. Needs --target full. Default: 0."},
};

static int run(const arguments *parsed)
{
    const run_choice choice = {.protocol = CONGRU_PROTOCOL_LOSO,
                               .diagnostics = options_given(parsed, "diagnostics"),
                               .groups = true,
                               .calibration = options_value(parsed, "calibration")};
    return evaluation_run(parsed, &choice);
}

static const char *const examples[] = {
    "congru loso 2a.npz",
    "congru loso 2a.npz -p ra+tslr,dct-e2e -o 2a-results",
    "congru loso 2b.npz --pipelines classical --align-by session --target online",
    "congru loso 2a.npz -p ra+tslr --calibration 0,1,2,5,10",
    "congru loso wide.npz -p ra+tslr,eegnet,conformer --groups 7",
    "mpirun -n 4 congru loso 2a.npz --pipelines all",
    NULL,
};

const command command_loso = {
    .name = "loso",
    .summary = "Score decoders on each subject, fitted on all others",
    .usage = "SET.npz [OPTION...]",
    .description =
        "Leaves out one subject at a time: a pipeline is fitted on all others and then decides about the "
        "trials of the one left out, of whom no label is seen and as many unlabelled trials as --target says. With "
        "--groups several are left out at a time. "
        "Prints the mean and standard deviation of the accuracy over subjects, the dataset-normalised z-score, "
        "Cohen's kappa and the time per subject. Every finished fold is in the folder at once, and the same "
        "command takes up a run that was interrupted. The set may be larger than memory: arrays beyond "
        "a 32nd of it (CONGRU_LARGE has another number of megabytes) are files in TMPDIR. Under mpirun, processes "
        "share the folds.",
    .definitions = &pipeline_definitions,
    .options = {OPTION_ROWS(options), .more = &set_option_table},
    .examples = examples,
    .shares = true,
    .run = run,
};
