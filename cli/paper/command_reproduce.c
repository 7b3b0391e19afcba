/* congru reproduce: the paper's tables beside ours. SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "commands.h"
#include "reproduce.h"
#include "set_load.h"
#include "terminal.h"

static const option options[] = {
    {"pipelines", 'p', "P,...", "Run these pipelines of the table alone. Default: all."},
    RUN_OTHER_OPTIONS(
        "The folder under which results go, one folder for each set; what is there is not run again. "
        "Default: reproduced."),
    {"seeds", '\0', "A..B", "Which synthetic sets to make; the networks have the same seeds. Default: 50..54."},
    {"trials", '\0', "N",
     "Trials of each class and subject in synthetic sets; fewer are for a quick look. "
     "Default: 40."},
};

typedef struct experiment {
    const char *name, *also; /* also: another name, or NULL */
    const char *text;
    bool sets; /* takes covariance sets */
    int (*run)(const arguments *parsed);
} experiment;

static const experiment experiments[] = {
    {"synthetic", NULL, "Table 2: accuracies on made-up sets of five kinds. Needs no set.", false,
     reproduce_synthetic},
    {"table-prealigners", "table-preproc",
     "Aligners before three classifiers, by dataset, and their overall z.", true, reproduce_table_prealigners},
    {"table-e2e", NULL, "End-to-end models beside classical ones, by dataset, and their overall z.", true,
     reproduce_table_e2e},
    {"comparison", NULL,
     "Euclidean, Riemannian, deep and transfer methods, across and within subjects, on bnci2014-001; methods "
     "that "
     "do not exist here are named.",
     true, reproduce_comparison},
    {"recipes", NULL,
     "The six models under each recipe, and with steps and C chosen on source subjects, beside ra+tslr: "
     "accuracies, paired tests by Holm's correction, verdicts. Folders are FOLDER/NAME, NAME-authors, "
     "NAME-chosen.",
     true, reproduce_recipes},
    {"ablation", NULL, "Networks with a part left out, on bnci2014-001.", true, reproduce_ablation},
    {"geometry", NULL,
     "The source trials while each of the six models is trained: t-SNE, scatters and cross-entropy by step, "
     "with and "
     "without the other terms of the objective. Figures go to FOLDER/NAME-geometry. The first of --subjects is "
     "left "
     "out; by default the second, as in the paper.",
     true, reproduce_geometry},
    {"runtime", NULL, "Seconds of training per subject.", true, reproduce_runtime},
    {"silhouette", NULL, "How trials cluster by subject and by class, as recorded, recentred, and in networks.",
     true, reproduce_silhouette},
    {"gap", NULL,
     "Accuracy within subjects less that across subjects, of classical pipelines and of ddct-unet-e2e.", true,
     reproduce_gap},
    {"statistics", NULL,
     "The tables of paired statistics, from the paper's own columns of subjects: which rows come back. Needs "
     "no set.",
     false, reproduce_statistics},
};
enum { EXPERIMENTS = sizeof experiments / sizeof experiments[0] };

static const char *experiment_name(size_t index, const void *user)
{
    (void)user;
    return index < EXPERIMENTS ? experiments[index].name : NULL;
}

static definition describe(size_t index)
{
    if (index >= EXPERIMENTS)
        return (definition){0};
    return (definition){.term = experiments[index].name, .text = experiments[index].text};
}

static int make_folder(const char *path)
{
    if (mkdir(path, 0777) != 0 && errno != EEXIST)
        return terminal_fail(EXIT_FAILED, "%s: cannot make the folder: %s", path, strerror(errno));
    return EXIT_DONE;
}

int reproduce_folder(const arguments *parsed, const char *name, char *path, size_t size)
{
    const char *folder = options_given(parsed, "output") ? options_value(parsed, "output") : "reproduced";
    int used = snprintf(path, size, "%s/%s", folder, name);
    if (used < 0 || (size_t)used >= size)
        return terminal_fail(EXIT_FAILED, "%s: too long a name", folder);
    int code = make_folder(folder);
    return code == EXIT_DONE ? make_folder(path) : code;
}

void reproduce_add_number(congru_table *table, double mean, double deviation)
{
    if (isnan(mean))
        congru_table_format_text(table, "-");
    else if (isnan(deviation))
        congru_table_format_text(table, "%.2f", mean);
    else
        congru_table_format_text(table, "%6.2f ± %5.2f", mean, deviation);
}

void reproduce_add_difference(congru_table *table, double ours, double paper)
{
    if (isnan(ours - paper))
        congru_table_format_text(table, "-");
    else
        congru_table_format_text(table, "%+.2f", ours - paper);
}

static int run(const arguments *parsed)
{
    if (parsed->operand_count == 0)
        return terminal_fail(EXIT_USAGE, "reproduce: the experiment is missing (see 'congru help reproduce')");
    const char *name = parsed->operands[0];
    size_t i = 0;
    while (i < EXPERIMENTS && strcmp(experiments[i].name, name) != 0 &&
           (experiments[i].also == NULL || strcmp(experiments[i].also, name) != 0))
        i++;
    if (i == EXPERIMENTS)
        return terminal_fail_unknown("reproduce: unknown experiment", name, experiment_name, NULL,
                                     "see 'congru help reproduce'");
    if (!experiments[i].sets && parsed->operand_count > 1)
        return terminal_fail(EXIT_USAGE, "reproduce %s: unexpected '%s': it needs no set", name,
                             parsed->operands[1]);
    if (options_given(parsed, "seeds") && strcmp(name, "synthetic") != 0)
        return terminal_fail(EXIT_USAGE, "reproduce %s: --seeds is for 'synthetic'; see --seed", name);
    if (options_given(parsed, "trials") && strcmp(name, "synthetic") != 0)
        return terminal_fail(EXIT_USAGE, "reproduce %s: --trials is for 'synthetic'", name);
    if (options_given(parsed, "dataset") && parsed->operand_count > 2)
        return terminal_fail(EXIT_USAGE, "reproduce %s: --dataset is for one set", name);
    arguments inner = *parsed;
    char command_name[64];
    snprintf(command_name, sizeof command_name, "reproduce %s", name);
    inner.command = command_name; /* for messages, and for the command that results keep */
    inner.operands++;
    inner.operand_count--;
    return experiments[i].run(&inner);
}

static const char *const examples[] = {
    "congru reproduce synthetic --seeds 50..50 --steps 100",
    "congru reproduce table-e2e 2a.npz 2b.npz",
    "congru reproduce table-e2e 2b.npz --keep-sessions 1,2,3",
    "congru reproduce statistics",
    NULL,
};

const command command_reproduce = {
    .name = "reproduce",
    .summary = "Print the paper's tables beside ours, with a verdict on each claim",
    .usage = "EXPERIMENT [SET.npz...] [OPTION...]",
    .description =
        "Runs an experiment of \"Geometry-Aware Deep Congruence Networks for Manifold Learning in "
        "Cross-Subject "
        "Motor Imagery\" and prints what the paper has beside what comes out here. Each claim of "
        "its text is an "
        "inequality between cells, or several: it is reproduced when all hold for our numbers, not "
        "reproduced when "
        "one does not (the one that decides is printed), or its data is not given. Sets are matched "
        "with the paper's "
        "by the name of their file, 2a.npz or bnci2014-001.npz, or by --dataset; one with another number of "
        "classes is not compared, and other differences are told.",
    .definitions = describe,
    .definitions_title = "Experiments",
    .options = {OPTION_ROWS(options), .more = &set_option_table},
    .examples = examples,
    .shares = true,
    .run = run,
};
