/* congru reproduce: the paper's tables beside ours. SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "commands.h"
#include "paper_run.h"
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

static const char *experiment_name(size_t index, const void *user)
{
    (void)user;
    const congru_paper_experiment *about = congru_paper_experiment_at(index);
    return about != NULL ? about->name : NULL;
}

static definition describe(size_t index)
{
    const congru_paper_experiment *about = congru_paper_experiment_at(index);
    return about != NULL ? (definition){.term = about->name, .text = about->text} : (definition){0};
}

static int parse_seeds(const char *text, int seeds[2])
{
    enum { SEEDS_MAX = 1000 };
    char first[16];
    if (text == NULL)
        return EXIT_DONE;
    const char *dots = strstr(text, "..");
    if (dots == NULL || (size_t)(dots - text) >= sizeof first)
        return terminal_fail(EXIT_USAGE, "reproduce synthetic: --seeds wants two numbers, 50..54, not '%s'",
                             text);
    snprintf(first, sizeof first, "%.*s", (int)(dots - text), text);
    int code = options_parse_integer("reproduce synthetic: --seeds", first, 0, 1000000000, &seeds[0]);
    if (code == EXIT_DONE)
        code = options_parse_integer("reproduce synthetic: --seeds", dots + 2, 0, 1000000000, &seeds[1]);
    if (code == EXIT_DONE && (seeds[1] < seeds[0] || seeds[1] - seeds[0] >= SEEDS_MAX))
        code = terminal_fail(
            EXIT_USAGE, "reproduce synthetic: --seeds wants the smaller number first, and at most %d, not '%s'",
            (int)SEEDS_MAX, text);
    return code;
}

/* EXIT_DONE, or a line about an option that the experiment does not take. */
static int check_options(const arguments *parsed, const congru_paper_experiment *about)
{
    const char *name = parsed->operands[0];
    const bool pipelines = options_given(parsed, "pipelines");
    if (!about->takes_sets && parsed->operand_count > 1)
        return terminal_fail(EXIT_USAGE, "reproduce %s: unexpected '%s': it needs no set", name,
                             parsed->operands[1]);
    if (options_given(parsed, "seeds") && !about->takes_seeds)
        return terminal_fail(EXIT_USAGE, "reproduce %s: --seeds is for 'synthetic'; see --seed", name);
    if (options_given(parsed, "trials") && !about->takes_seeds)
        return terminal_fail(EXIT_USAGE, "reproduce %s: --trials is for 'synthetic'", name);
    if (options_given(parsed, "dataset") && parsed->operand_count > 2)
        return terminal_fail(EXIT_USAGE, "reproduce %s: --dataset is for one set", name);
    if (about->takes_seeds &&
        (pipelines || options_given(parsed, "subjects") || options_given(parsed, "dataset")))
        return terminal_fail(EXIT_USAGE, "reproduce %s: --pipelines, --subjects and --dataset do not apply",
                             name);
    if (!about->takes_pipelines && pipelines)
        return terminal_fail(EXIT_USAGE, "reproduce %s: --pipelines does not apply", name);
    if (!about->takes_recipe && options_given(parsed, "recipe"))
        return terminal_fail(EXIT_USAGE, "reproduce %s: --recipe does not apply: all are run", name);
    return EXIT_DONE;
}

static int find_experiment(const arguments *parsed, const congru_paper_experiment **about)
{
    if (parsed->operand_count == 0)
        return terminal_fail(EXIT_USAGE, "reproduce: the experiment is missing (see 'congru help reproduce')");
    const char *name = parsed->operands[0];
    *about = congru_paper_experiment_find(name);
    if (*about != NULL)
        return check_options(parsed, *about);
    return terminal_fail_unknown("reproduce: unknown experiment", name, experiment_name, NULL,
                                 "see 'congru help reproduce'");
}

static int run(const arguments *parsed)
{
    const congru_paper_experiment *about = NULL;
    char name[64];
    arguments inner = *parsed;
    paper_run paper = {.run.parsed = &inner};
    int code = find_experiment(parsed, &about);
    if (code != EXIT_DONE)
        return code;
    snprintf(name, sizeof name, "reproduce %s", parsed->operands[0]);
    inner.command = name; /* for messages, and for the command that results keep */
    inner.operands++;
    inner.operand_count--;
    code = paper_run_open(&paper);
    paper.request.experiment = about->name;
    if (code == EXIT_DONE && about->takes_networks)
        code = paper_run_check_networks(&paper);
    if (code == EXIT_DONE)
        code = parse_seeds(options_value(&inner, "seeds"), paper.request.seeds);
    if (code == EXIT_DONE)
        code = options_integer(&inner, "trials", paper.request.trials, 1, 1000000, &paper.request.trials);
    if (code == EXIT_DONE)
        code = paper_run_call(&paper, congru_paper_run);
    paper_run_close(&paper);
    return code;
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
