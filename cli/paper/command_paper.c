/* congru reproduce and congru ablate: the paper's experiments, and what each part of its networks gives. SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "evaluation_run.h"
#include "session.h"
#include "set_load.h"
#include "table_show.h"
#include "terminal.h"

/* ---- What both share: a request made of options, its blocks printed -------------------------------------- */

/* {.run.parsed = ...} begins one; the operands are sets. */
typedef struct paper_run {
    run_state run;
    congru_paper_request request;
    congru_paper_set *set;
    char (*name)[RUN_NAME_SIZE]; /* of each set: its folder, its dataset */
    text_list subjects;
    congru_table_format format;
    bool printed; /* something, so that a block may stand apart from it */
    int code;     /* of what was told already */
} paper_run;

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

static void print_block(void *user, const congru_paper_block *block)
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

/* Fills in the request from the options that both commands have. Each returns EXIT_DONE, or prints one line and returns
 * another code. */
static int paper_run_open(paper_run *paper)
{
    run_state *run = &paper->run;
    congru_paper_request *request = &paper->request;
    int code = table_format_parse(run->parsed, &paper->format);
    if (code == EXIT_DONE)
        code = evaluation_choose(run);
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
    request->found = paper->format == CONGRU_TABLE_TEXT ? print_block : NULL;
    request->user = paper;
    return code;
}

/* EXIT_USAGE, and one line, for --pipelines without a network. */
static int paper_run_check_networks(const paper_run *paper)
{
    const congru_evaluation_options *options = &paper->request.run;
    if (options->pipelines == NULL)
        return EXIT_DONE;
    const congru_status status =
        congru_ablation_check(paper->run.context, options->pipeline_count, options->pipelines);
    return status == CONGRU_OK ? EXIT_DONE
                               : option_fail(paper->run.context, paper->run.parsed->command, status);
}

/* All blocks at once, in a format that is one document. */
static int print_result(const paper_run *paper, const congru_paper_result *result)
{
    char *text = NULL;
    if (congru_paper_print(paper->run.context, result, paper->format, &text) != CONGRU_OK)
        return terminal_fail(EXIT_FAILED, "%s", congru_context_error(paper->run.context));
    fputs(text, stdout);
    congru_report_text_destroy(&text);
    return EXIT_DONE;
}

/* Calls congru_paper_run or congru_ablate, and prints blocks: as they come, or all behind the last. */
static int paper_run_call(paper_run *paper,
                          congru_status (*call)(congru_context *context, const congru_paper_request *request,
                                                congru_paper_result **result))
{
    congru_paper_result *result = NULL;
    congru_status status = call(paper->run.context, &paper->request, &result);
    if (status == CONGRU_OK && paper->format != CONGRU_TABLE_TEXT)
        paper->code = print_result(paper, result);
    congru_paper_result_destroy(&result);
    if (status != CONGRU_OK && paper->code != EXIT_DONE && !session_interrupted())
        return paper->code;
    int code = evaluation_end(&paper->run, status);
    return code == EXIT_DONE ? paper->code : code;
}

static void paper_run_close(paper_run *paper)
{
    evaluation_close(&paper->run);
    text_list_clear(&paper->subjects);
    free(paper->set);
    free(paper->name);
}

/* ---- congru ablate --------------------------------------------------------------------------------------- */

static const option ablate_options[] = {
    {"pipelines", 'p', "P,...",
     "Pipelines with a network. Default: dct, dldct and ddct-unet, each before tslr and end to "
     "end."},
    RUN_OTHER_OPTIONS("The folder of results, one in it for each part left out; a run that was interrupted is "
                      "taken up where it stood. Default: the set's name and the command's, NAME-ablate."),
    TABLE_FORMAT_OPTION,
};

static definition describe_ablate(size_t index)
{
    definition found = {0};
    found.term = congru_ablation_variant(index, &found.text);
    return found;
}

static int run_ablate(const arguments *parsed)
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

static const char *const ablate_examples[] = {
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
        "below that of the whole model; where one trial makes the difference, or of one subject, there is none. 'congru report "
        "DIR/baseline' shows them too.",
    .definitions = &(const definition_list){"Parts", describe_ablate},
    .options = {OPTION_ROWS(ablate_options), .more = &set_option_table},
    .examples = ablate_examples,
    .shares = true,
    .run = run_ablate,
};

/* ---- congru reproduce ------------------------------------------------------------------------------------ */

static const option reproduce_options[] = {
    {"pipelines", 'p', "P,...", "Run these pipelines of the table alone. Default: all."},
    RUN_OTHER_OPTIONS(
        "The folder under which results go, one folder for each set; what is there is not run again. "
        "Default: reproduced."),
    {"seeds", '\0', "A..B", "Which synthetic sets to make; the networks have the same seeds. Default: 50..54."},
    {"trials", '\0', "N",
     "Trials of each class and subject in synthetic sets; fewer are for a quick look. "
     "Default: 40."},
    {"best-so-far", '\0', NULL,
     "Let the stages of 'geometry' show the best network until then, which training keeps, instead of that of "
     "the step."},
    TABLE_FORMAT_OPTION,
};

static const char *experiment_name(size_t index, const void *user)
{
    (void)user;
    const congru_paper_experiment *about = congru_paper_experiment_at(index);
    return about != NULL ? about->name : NULL;
}

static definition describe_reproduce(size_t index)
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
    if (options_given(parsed, "best-so-far") && !about->takes_stages)
        return terminal_fail(EXIT_USAGE, "reproduce %s: --best-so-far is for 'geometry'", name);
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

static int run_reproduce(const arguments *parsed)
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
    paper.request.best_so_far = options_given(&inner, "best-so-far");
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

static const char *const reproduce_examples[] = {
    "congru reproduce synthetic --seeds 50..50 --steps 100",
    "congru reproduce table-e2e 2a.npz 2b.npz",
    "congru reproduce table-e2e 2b.npz --keep-sessions 1,2,3",
    "congru reproduce statistics 2a.npz 2b.npz",
    "congru reproduce subjects",
    "congru reproduce table-e2e 2a.npz --format json",
    NULL,
};

const command command_reproduce = {
    .name = "reproduce",
    .summary = "Print the paper's tables beside ours, with a verdict on each claim",
    .usage = "EXPERIMENT [SET.npz...] [OPTION...]",
    .description =
        "Runs an experiment of \"Geometry-Aware Deep Congruence Networks for Manifold Learning in "
        "Cross-Subject Motor Imagery\" and prints what the paper has beside what comes out here; without sets, "
        "what the paper has. Each claim of its text is an inequality between cells, or several: it is reproduced "
        "when they hold for our numbers, not reproduced when they do not (the one that decides is printed), or not "
        "judged, where data is not given. Sets "
        "are matched with the paper's by the name of their file, 2a.npz or bnci2014-001.npz, or by --dataset; "
        "one with another number of classes is not compared, and other differences are told. --format json has "
        "every line, note, table and claim; csv, latex and html have the tables, and the claims as one.",
    .definitions = &(const definition_list){"Experiments", describe_reproduce},
    .options = {OPTION_ROWS(reproduce_options), .more = &set_option_table},
    .examples = reproduce_examples,
    .shares = true,
    .run = run_reproduce,
};
