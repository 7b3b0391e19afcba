/* congru explain: what a linear decoder looks at, by channel, time, band and class. SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "commands.h"
#include "congru/congru.h"
#include "options.h"
#include "session.h"
#include "set_load.h"
#include "table_show.h"
#include "terminal.h"

static const option options[] = {
    {"pipelines", 'p', "A,B,...",
     "These pipelines of a results folder alone. Default: all that have patterns."},
    {"csv", '\0', NULL,
     "Print the patterns themselves, a row for each branch, band, time and class, a column for each "
     "channel."},
    {"json", '\0', NULL, "Print what the tables and sentences say as JSON."},
    {"output", 'o', "FILE", "Write --csv or --json to a file instead."},
};

static int fail(const congru_context *context)
{
    return terminal_fail(EXIT_FAILED, "%s", congru_context_error(context));
}

/* A folder is results, anything else a model. */
static int load(congru_context *context, const char *path, congru_patterns **patterns)
{
    struct stat about;
    congru_model *model = NULL;
    if (stat(path, &about) != 0)
        return terminal_fail(EXIT_FAILED, "%s: %s", path, strerror(errno));
    if (S_ISDIR(about.st_mode))
        return congru_patterns_read(context, path, patterns) == CONGRU_OK ? EXIT_DONE : fail(context);
    int code = model_load(context, path, &model);
    if (code == EXIT_DONE && congru_model_patterns(context, model, patterns) != CONGRU_OK)
        code = terminal_fail(EXIT_FAILED, "%s: %s", path, congru_context_error(context));
    congru_model_destroy(&model);
    return code;
}

static bool is_among(const congru_pattern *pattern, const text_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        if (strcmp(pattern->pipeline, list->item[i]) == 0)
            return true;
    return false;
}

/* One that has no patterns is told apart from one that is not there. */
static int check_name(congru_context *context, const char *path, const char *name,
                      const congru_patterns *patterns)
{
    congru_pipeline_description about;
    for (size_t k = 0; k < patterns->count; k++)
        if (strcmp(patterns->pattern[k].pipeline, name) == 0)
            return EXIT_DONE;
    if (congru_pipeline_describe(context, name, &about) == CONGRU_OK && !about.linear)
        return terminal_fail(EXIT_FAILED, "%s: '%s' is not linear, and has no forward pattern", path, name);
    return terminal_fail(EXIT_FAILED, "%s: no patterns of '%s' (the first there are: '%s')", path, name,
                         patterns->pattern[0].pipeline);
}

/* Puts the patterns of the pipelines named in front: *count of them. */
static int choose(congru_context *context, const arguments *parsed, congru_patterns *patterns, size_t *count)
{
    text_list list = {0};
    const char *path = parsed->operands[0];
    int code = options_words(parsed, "pipelines", &list);
    *count = list.count > 0 ? 0 : patterns->count;
    for (size_t i = 0; code == EXIT_DONE && i < list.count; i++)
        code = check_name(context, path, list.item[i], patterns);
    for (size_t k = 0; code == EXIT_DONE && list.count > 0 && k < patterns->count; k++)
        if (is_among(&patterns->pattern[k], &list)) {
            congru_pattern own = patterns->pattern[*count];
            patterns->pattern[(*count)++] = patterns->pattern[k];
            patterns->pattern[k] = own;
        }
    text_list_clear(&list);
    return code;
}

/* To the file, or to standard output where none is named. */
static int write_text(congru_context *context, const char *output, const char *text)
{
    if (output == NULL)
        return fputs(text, stdout) >= 0 ? EXIT_DONE : EXIT_FAILED;
    return congru_report_write(context, output, text, strlen(text)) == CONGRU_OK ? EXIT_DONE : fail(context);
}

/* A name out of a file, which stays on its line. */
static const char *plain(const char *name, char text[CONGRU_PIPELINE_SIZE])
{
    snprintf(text, CONGRU_PIPELINE_SIZE, "%s", name);
    terminal_clean(text);
    return text;
}

/* The pipeline above its first branch; then each branch, its tables and its sentence. */
static int print_branch(congru_context *context, const congru_patterns *patterns, size_t index)
{
    const congru_pattern *pattern = &patterns->pattern[index];
    char sentence[CONGRU_SENTENCE_SIZE], name[CONGRU_PIPELINE_SIZE];
    congru_table shares = {0}, strongest = {0};
    if (index == 0 || strcmp(pattern->pipeline, patterns->pattern[index - 1].pipeline) != 0)
        printf("%s%s, mean over %s\n", index > 0 ? "\n" : "", plain(pattern->pipeline, name),
               congru_count(pattern->subjects, "subject").text);
    congru_status status = congru_pattern_sentence(context, patterns, index, sentence);
    if (status == CONGRU_OK)
        status = congru_table_of_shares(context, patterns, index, &shares);
    if (status == CONGRU_OK)
        status = congru_table_of_strongest(context, patterns, index, &strongest);
    int code = status == CONGRU_OK ? EXIT_DONE : fail(context);
    if (code == EXIT_DONE) {
        printf("\n%s: %.0f %% of the decisions, %s\n", plain(pattern->branch, name), 100 * pattern->part,
               pattern->kind == CONGRU_PATTERN_POTENTIAL ? "the signal itself" : "power");
        code = shares.columns > 0 ? table_show(&shares, 2) : EXIT_DONE;
    }
    if (code == EXIT_DONE)
        code = table_show(&strongest, 2);
    if (code == EXIT_DONE) {
        printf("  ");
        terminal_clean(sentence);
        terminal_wrap(sentence, 2, 2, "");
    }
    congru_table_clear(&shares);
    congru_table_clear(&strongest);
    return code;
}

static int print(congru_context *context, const arguments *parsed, const congru_patterns *patterns,
                 size_t count)
{
    char *text = NULL;
    int code = EXIT_DONE;
    if (!options_given(parsed, "csv") && !options_given(parsed, "json")) {
        for (size_t i = 0; code == EXIT_DONE && i < count; i++)
            code = print_branch(context, patterns, i);
        return code;
    }
    congru_status status = options_given(parsed, "json") ? congru_patterns_json(context, patterns, count, &text)
                                                         : congru_patterns_csv(context, patterns, count, &text);
    code = status == CONGRU_OK ? EXIT_DONE : fail(context);
    if (code == EXIT_DONE)
        code = write_text(context, options_value(parsed, "output"), text);
    free(text);
    return code;
}

static int run(const arguments *parsed)
{
    if (parsed->operand_count != 1)
        return terminal_fail(EXIT_USAGE, "explain: %s (see 'congru help explain')",
                             parsed->operand_count == 0 ? "the results folder or the model is missing"
                                                        : "one folder or model at a time");
    if (options_given(parsed, "csv") && options_given(parsed, "json"))
        return terminal_fail(EXIT_USAGE, "explain: --csv and --json exclude each other");
    if (options_given(parsed, "output") && !options_given(parsed, "csv") && !options_given(parsed, "json"))
        return terminal_fail(EXIT_USAGE, "explain: --output needs --csv or --json");
    congru_context *context;
    congru_patterns *patterns = NULL;
    size_t count;
    int code = session_open(1, &context);
    if (code != EXIT_DONE)
        return code;
    code = load(context, parsed->operands[0], &patterns);
    if (code == EXIT_DONE)
        code = choose(context, parsed, patterns, &count);
    if (code == EXIT_DONE)
        code = print(context, parsed, patterns, count);
    congru_patterns_destroy(&patterns);
    congru_context_destroy(&context);
    return code;
}

static const char *const examples[] = {
    "congru explain wide-loso",
    "congru explain wide-loso -p motor+slow --json",
    "congru explain motor.safetensors --csv -o patterns.csv",
    NULL,
};

const command command_explain = {
    .name = "explain",
    .summary = "Tell what a linear decoder looks at",
    .usage = "DIR|MODEL.safetensors [OPTION...]",
    .description = "Prints, for each branch of each linear pipeline, which part of the decisions is its own, "
                   "how its weight is divided over time and bands, where each class's pattern is strongest, "
                   "and one sentence on what may drive it. Patterns are forward patterns, weights times the "
                   "covariance of what they are applied to: of a results folder of 'congru loso' the mean over "
                   "the subjects left out, of a model that over the subjects it was fitted on. Networks have "
                   "none.",
    .options = {OPTION_ROWS(options)},
    .examples = examples,
    .run = run,
};
