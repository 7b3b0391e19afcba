/* congru show: the tables of a results folder. SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "commands.h"
#include "options.h"
#include "session.h"
#include "table_show.h"
#include "terminal.h"

static const option options[] = {
    {"metrics", '\0', "NAME,...",
     "The metrics of the table, of those below, or 'all'; the first of them is that of --per-subject. "
     "Default: accuracy, kappa, seconds."},
    {"trial", '\0', "SECONDS",
     "How long a trial takes, for 'itr' in bits a minute. Default: as long as the signals of the set, or the window "
     "of its covariances; where the set does not say it, 'itr' is in bits a trial."},
    {"per-subject", '\0', NULL, "A row for each subject, a column for each pipeline."},
    {"classes", '\0', NULL, "For each pipeline, precision, recall, F1 and AUC of each class."},
    {"confusion", '\0', NULL,
     "For each pipeline, the confusion matrix over all subjects, in per cent of each class."},
    {"choices", '\0', NULL,
     "For each pipeline and subject, what was chosen on the source subjects: C, weights of branches, options of "
     "--choose."},
    TABLE_FORMAT_OPTION,
};

static definition describe(size_t index)
{
    const congru_score_about *about = congru_score_describe(index);
    return about != NULL ? (definition){about->name, about->text} : (definition){NULL, NULL};
}

static const char *metric_name(size_t index, const void *user)
{
    const congru_score_about *about = congru_score_describe(index);
    (void)user;
    return about != NULL ? about->name : NULL;
}

static int add_metric(const char *name, metric_list *list)
{
    for (size_t m = 0; m < CONGRU_SCORE_KINDS; m++) {
        const bool all = strcmp(name, "all") == 0;
        if ((all || strcmp(metric_name(m, NULL), name) == 0) && list->count < CONGRU_SCORE_KINDS) {
            list->metric[list->count++] = (congru_score)m;
            if (!all)
                return EXIT_DONE;
        }
    }
    if (list->count > 0 && strcmp(name, "all") == 0)
        return EXIT_DONE;
    return terminal_fail_unknown("show: no metric is called", name, metric_name, NULL,
                                 "see 'congru help show'");
}

static int parse(const arguments *parsed, metric_list *list, congru_table_format *format)
{
    if (parsed->operand_count != 1)
        return terminal_fail(EXIT_USAGE, "show: %s (see 'congru help show')",
                             parsed->operand_count == 0 ? "the results folder is missing"
                                                        : "one folder at a time");
    text_list names = {0};
    int code = table_format_parse(parsed, format);
    *list = metrics_default;
    if (code == EXIT_DONE && options_given(parsed, "metrics")) {
        code = options_words(parsed, "metrics", &names);
        list->count = 0;
        for (size_t i = 0; code == EXIT_DONE && i < names.count; i++)
            code = add_metric(names.item[i], list);
        text_list_clear(&names);
    }
    return code;
}

static int show_choices(congru_context *context, const congru_results *results, bool apart,
                        congru_table_format format)
{
    congru_table table = {.title = "Chosen on source subjects"};
    if (apart && format == CONGRU_TABLE_TEXT)
        printf("\n");
    int code = congru_table_of_choices(context, results, &table) == CONGRU_OK
                   ? table_show_as(&table, format, 0)
                   : terminal_fail(EXIT_FAILED, "%s", congru_context_error(context));
    congru_table_clear(&table);
    return code;
}

static int show(congru_context *context, const arguments *parsed, const congru_results *results,
                const metric_list *list, congru_table_format format)
{
    const bool subjects = options_given(parsed, "per-subject"), classes = options_given(parsed, "classes"),
               confusion = options_given(parsed, "confusion"), choices = options_given(parsed, "choices");
    int code = EXIT_DONE, tables = 0;
    if (!subjects && !classes && !confusion && !choices)
        return results_show_scores(context, results, list, false, format);
    if (subjects) {
        code = results_show_scores(context, results, list, true, format);
        tables++;
    }
    if (code == EXIT_DONE && classes)
        code = results_show_classes(context, results, "metrics of each class, over all subjects", tables++,
                                    congru_table_of_classes, format);
    if (code == EXIT_DONE && confusion)
        code = results_show_classes(context, results, "predictions in % of each class", tables,
                                    congru_table_of_confusion, format);
    if (code == EXIT_DONE && choices)
        code = show_choices(context, results, tables > 0 || confusion, format);
    return code;
}

static int run(const arguments *parsed)
{
    congru_context *context;
    congru_results *results = NULL;
    congru_table_format format;
    metric_list list;
    double seconds = 0;
    int code = parse(parsed, &list, &format);
    if (code == EXIT_DONE)
        code = options_number(parsed, "trial", 0, 1e-3, 1e6, &seconds);
    if (code == EXIT_DONE)
        code = session_open(1, &context);
    if (code != EXIT_DONE)
        return code;
    if (congru_results_read(context, parsed->operands[0], &results) != CONGRU_OK)
        code = terminal_fail(EXIT_FAILED, "%s", congru_context_error(context));
    else {
        results->trial_seconds = seconds > 0 ? seconds : results->trial_seconds;
        code = show(context, parsed, results, &list, format);
    }
    congru_results_destroy(&results);
    congru_context_destroy(&context);
    return code;
}

static const char *const examples[] = {
    "congru show 2a-loso",
    "congru show 2a-loso --metrics auc,itr --trial 4",
    "congru show 2a-loso --per-subject --format markdown",
    "congru show 2a-loso --metrics all --format json",
    NULL,
};

const command command_show = {
    .name = "show",
    .summary = "Print the tables of a results folder",
    .usage = "DIR [OPTION...]",
    .description = "Prints again what 'congru loso' or 'congru within' found: by default the table of "
                   "pipelines, the best of them bold on a terminal. Metrics beyond accuracy, kappa and time "
                   "are computed from predictions.csv, for each fold, then averaged over the folds of a "
                   "subject and over subjects. Of a run that was interrupted it shows the folds that are "
                   "finished, and says which are missing.",
    .definitions = &(const definition_list){"Metrics", describe},
    .options = {OPTION_ROWS(options)},
    .examples = examples,
    .run = run,
};
