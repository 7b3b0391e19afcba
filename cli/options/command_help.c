/* congru help, the list of commands or all about one; and congru version. SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "commands.h"
#include "congru/congru.h"
#include "session.h"
#include "terminal.h"

enum { COMMAND_INDENT = 13, DEFINITION_INDENT = 14, OPTION_INDENT = 26, USAGE_INDENT = 4 };

static void print_usage(const char *line)
{
    printf("Usage: ");
    terminal_wrap(line, strlen("Usage: "), USAGE_INDENT, "");
}

static void print_commands(void)
{
    print_usage("congru COMMAND [OPTION...] [FILE...]");
    printf("\n");
    terminal_wrap("Decodes imagined movement from the EEG of subjects it has never seen.", 0, 0, "");
    printf("\nCommands:\n");
    for (size_t i = 0; commands[i] != NULL; i++)
        terminal_define(commands[i]->name, commands[i]->summary, COMMAND_INDENT);
    printf("\n");
    terminal_wrap("'congru help COMMAND' and 'congru COMMAND --help' tell more about one.", 0, 0, "");
}

static void print_option(const option *about)
{
    char term[80];
    char letter[5] = {'-', about->letter, ',', ' ', '\0'};
    snprintf(term, sizeof term, "%s--%s%s%s", about->letter != '\0' ? letter : "", about->name,
             about->argument != NULL ? " " : "", about->argument != NULL ? about->argument : "");
    terminal_define(term, about->help, OPTION_INDENT);
}

static void print_command(const command *about)
{
    char line[256];
    snprintf(line, sizeof line, "congru %s%s%s", about->name, about->usage[0] != '\0' ? " " : "", about->usage);
    print_usage(line);
    printf("\n");
    terminal_wrap(about->description, 0, 0, "");
    if (about->definitions != NULL) {
        printf("\n%s:\n", about->definitions->title);
        for (size_t i = 0; about->definitions->at(i).term != NULL; i++)
            terminal_define(about->definitions->at(i).term, about->definitions->at(i).text, DEFINITION_INDENT);
    }
    for (const option_table *table = &about->options; table != NULL; table = table->more) {
        printf("\n%s:\n", table->title != NULL ? table->title : "Options");
        for (size_t i = 0; options_own(table, i) != NULL; i++)
            print_option(options_own(table, i));
    }
    print_option(&(option){.name = "help", .letter = 'h', .help = "Print this and exit."});
    if (about->examples != NULL) {
        printf("\nExamples:\n");
        for (size_t i = 0; about->examples[i] != NULL; i++) {
            printf("  ");
            terminal_wrap(about->examples[i], 2, USAGE_INDENT, " \\");
        }
    }
}

void help_print(const command *about)
{
    if (about == NULL)
        print_commands();
    else
        print_command(about);
}

static const option options[] = {
    {"man", '\0', NULL, "Print the manual page of COMMAND, or of congru, instead, as source for man."},
    {"choices", '\0', "OPTION",
     "Print the names that an option of methods takes, or those of 'target', one to a line: for "
     "completion."},
};

/* The names that the value of an option may be. */
static int print_choices(const char *name)
{
    const congru_method_option *row = congru_method_option_find(name);
    const char *choice;
    if (strcmp(name, "target") == 0)
        for (size_t i = 0; (choice = congru_target_name((congru_target)i)) != NULL; i++)
            printf("%s\n", choice);
    else if (row == NULL || row->choices == NULL)
        return terminal_fail(EXIT_USAGE, "help: --choices: --%s takes no names", name);
    else
        for (size_t i = 0; row->choices[i] != NULL; i++)
            printf("%s\n", row->choices[i]);
    return EXIT_DONE;
}

static void define_method(const char *name, const char *(*at)(size_t), const char *(*summary)(size_t))
{
    for (size_t i = 0; at(i) != NULL; i++)
        if (strcmp(at(i), name) == 0)
            terminal_define(name, summary(i), DEFINITION_INDENT);
}

/* What options that are "own" come to for the network of a pipeline. */
static void print_own(const char *name)
{
    char line[512] = "", text[CONGRU_OPTION_TEXT_SIZE];
    congru_method_options settled;
    const congru_method_option *row;
    congru_method_options_init(&settled);
    if (!congru_pipeline_settle(name, &settled))
        return;
    for (size_t i = 0; (row = congru_pipeline_option(name, i)) != NULL; i++) {
        const size_t used = strlen(line);
        if (row->own && congru_method_options_get(&settled, row->option.name, text))
            snprintf(line + used, sizeof line - used, "%s--%s %s", used > 0 ? " " : "", row->option.name, text);
    }
    printf("\nIts own numbers of training:\n  ");
    terminal_wrap(line, 2, USAGE_INDENT, "");
}

/* A pipeline's two methods, and the options that it uses. */
static int print_pipeline(const char *name)
{
    congru_context *context = NULL;
    congru_pipeline_description about;
    const congru_method_option *row;
    int code = session_open(1, &context);
    const congru_status status =
        code == EXIT_DONE ? congru_pipeline_describe(context, name, &about) : CONGRU_OK;
    if (status != CONGRU_OK)
        code = terminal_fail(terminal_refusal(status), "help: %s", congru_context_error(context));
    if (code == EXIT_DONE) {
        printf("%s:\n", name);
        if (!about.end_to_end)
            define_method(about.aligner, congru_aligner_name, congru_aligner_summary);
        define_method(about.classifier, congru_classifier_name, congru_classifier_summary);
        print_own(name);
        printf("\nOptions it uses:\n");
        for (size_t i = 0; (row = congru_pipeline_option(name, i)) != NULL; i++)
            print_option(&row->option);
    }
    congru_context_destroy(&context);
    return code;
}

/* Pipelines of an aligner and a classifier, one of which is the method: index 0, 1, ... until false. */
static bool pipeline_with(const char *method, size_t index, char name[CONGRU_PIPELINE_SIZE])
{
    congru_pipeline_description about;
    for (size_t a = 0; congru_aligner_name(a) != NULL; a++) {
        for (size_t c = 0; congru_classifier_name(c) != NULL; c++) {
            snprintf(name, CONGRU_PIPELINE_SIZE, "%s+%s", congru_aligner_name(a), congru_classifier_name(c));
            if ((strcmp(method, congru_aligner_name(a)) == 0 ||
                 strcmp(method, congru_classifier_name(c)) == 0) &&
                congru_pipeline_describe(NULL, name, &about) == CONGRU_OK && index-- == 0)
                return true;
        }
    }
    return false;
}

/* An aligner or a classifier: its pipelines, and the options that all of them use. */
static int print_method(const char *method)
{
    char name[CONGRU_PIPELINE_SIZE], list[1024] = "";
    const congru_method_option *row;
    printf("%s:\n", method);
    define_method(method, congru_aligner_name, congru_aligner_summary);
    define_method(method, congru_classifier_name, congru_classifier_summary);
    for (size_t i = 0; pipeline_with(method, i, name); i++) {
        const size_t used = strlen(list);
        snprintf(list + used, sizeof list - used, "%s%s", used > 0 ? ", " : "", name);
    }
    printf("\nPipelines with it ('congru help PIPELINE' tells more about one):\n  ");
    terminal_wrap(list, 2, 2, "");
    printf("\nOptions they use:\n");
    for (size_t k = 0; (row = congru_method_option_at(k)) != NULL; k++) {
        bool all = true;
        for (size_t i = 0; all && pipeline_with(method, i, name); i++)
            all = congru_pipeline_among(name, row->users);
        if (all)
            print_option(&row->option);
    }
    return EXIT_DONE;
}

/* What help knows by one word: commands, aligners, classifiers. */
static const char *known_name(size_t index, const void *user)
{
    size_t count = 0, aligners = 0;
    (void)user;
    while (commands[count] != NULL)
        count++;
    while (congru_aligner_name(aligners) != NULL)
        aligners++;
    if (index < count)
        return commands[index]->name;
    index -= count;
    return index < aligners ? congru_aligner_name(index) : congru_classifier_name(index - aligners);
}

static bool is_method(const char *name)
{
    char first[CONGRU_PIPELINE_SIZE];
    return pipeline_with(name, 0, first);
}

static bool is_pipeline(const char *name)
{
    return strchr(name, '+') != NULL || congru_pipeline_check(NULL, name) == CONGRU_OK;
}

static int run(const arguments *parsed)
{
    if (parsed->operand_count > 1)
        return terminal_fail(EXIT_USAGE, "help: one command at a time");
    if (options_given(parsed, "choices"))
        return print_choices(options_value(parsed, "choices"));
    const command *about = NULL;
    if (parsed->operand_count == 1 && strcmp(parsed->operands[0], "pipelines") == 0)
        return pipeline_help_print();
    if (parsed->operand_count == 1 && !options_given(parsed, "man") && is_pipeline(parsed->operands[0]))
        return print_pipeline(parsed->operands[0]);
    if (parsed->operand_count == 1 && !options_given(parsed, "man") && is_method(parsed->operands[0]))
        return print_method(parsed->operands[0]);
    if (parsed->operand_count == 1) {
        about = commands_find(parsed->operands[0]);
        if (about == NULL)
            return terminal_fail_unknown("unknown command", parsed->operands[0], known_name, NULL,
                                         "see 'congru help'");
    }
    if (options_given(parsed, "man") && about == NULL)
        manual_print_all();
    else if (options_given(parsed, "man"))
        manual_print(about);
    else
        help_print(about);
    return EXIT_DONE;
}

const command command_help = {
    .name = "help",
    .summary = "List the commands, or explain one",
    .usage = "[COMMAND | PIPELINE | METHOD] [OPTION]",
    .description =
        "Lists the commands, or prints the usage, the options with their defaults and examples of one. Of a "
        "pipeline such as ra+tslr it prints the options that its methods use, and what a network has of its "
        "own; of an aligner or a classifier, the pipelines with it. 'congru help pipelines' shows "
        "pipelines of several branches, and how to define others.",
    .options = {OPTION_ROWS(options)},
    .run = run,
};

static int run_version(const arguments *parsed)
{
    if (parsed->operand_count > 0)
        return terminal_fail(EXIT_USAGE, "version: unexpected '%s'", parsed->operands[0]);
    congru_context *context;
    int code = session_open(0, &context);
    if (code != EXIT_DONE)
        return code;
    char available[256];
    session_cpu_names(available, sizeof available);
    printf("congru %s\n", congru_version());
    printf("commit: %s\n", congru_version_commit());
    printf("compiler: %s\n", congru_version_compiler());
    printf("cpu: %s (available: %s)\n", congru_context_cpu(context), available);
    printf("threads: %d\n", congru_context_threads(context));
    printf("mpi: %s\n", process_group_transport_name());
    congru_context_destroy(&context);
    return EXIT_DONE;
}

const command command_version = {
    .name = "version",
    .summary = "Print the version, the compiler and the instruction set in use",
    .usage = "",
    .description = "Prints the version and the commit this program was built from, the compiler, the "
                   "instruction set in use with those this machine has, the number of threads, and the MPI "
                   "by which processes share work, if this program was built with one. CONGRU_CPU "
                   "in the environment chooses an instruction set; results are the same bits with all of them.",
    .run = run_version,
};
