/* congru info: what is in a recording, trials, a set, a model or an array. SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "commands.h"
#include "congru/congru.h"
#include "session.h"
#include "table_show.h"
#include "terminal.h"

enum { KEY_INDENT = 15 };

static const option options[] = {
    {"stream", '\0', "NAME",
     "The stream to describe of XDF files with several of signals. Default: the one of type EEG, "
     "else the only one."},
};

static void print_line(const congru_description_line *line)
{
    terminal_clean(line->text);
    if (line->key != NULL) {
        terminal_define(line->key, line->text, KEY_INDENT);
        return;
    }
    printf("    ");
    terminal_wrap(line->text, 4, 6, "");
}

static int describe(congru_context *context, const char *path, const char *stream)
{
    char title[4096];
    congru_description *about = NULL;
    if (congru_describe(context, path, stream, &about) != CONGRU_OK)
        return terminal_fail(EXIT_FAILED, "%s", congru_context_error(context));
    snprintf(title, sizeof title, "%s: %s", path, about->title);
    terminal_clean(title);
    terminal_wrap(title, 0, 2, "");
    for (size_t i = 0; i < about->count; i++)
        print_line(&about->line[i]);
    const size_t indent = about->kind == CONGRU_FILE_RECORDING ? 4 : 2; /* events are under their number */
    int code = about->table.columns > 0 ? table_show(&about->table, indent) : EXIT_DONE;
    congru_description_destroy(&about);
    return code;
}

static int run(const arguments *parsed)
{
    if (parsed->operand_count == 0)
        return terminal_fail(EXIT_USAGE, "info: the files to describe are missing (see 'congru help info')");
    congru_context *context;
    int code = session_open(0, &context);
    if (code != EXIT_DONE)
        return code;
    /* A file that cannot be read does not keep the others from being described. */
    for (size_t i = 0; i < parsed->operand_count; i++) {
        int own = describe(context, parsed->operands[i], options_value(parsed, "stream"));
        code = code == EXIT_DONE ? own : code;
    }
    congru_context_destroy(&context);
    return code;
}

static const char *const examples[] = {
    "congru info A01T.gdf",
    "congru info set.npz",
    NULL,
};

const command command_info = {
    .name = "info",
    .summary = "Tell what is in a recording, a set or a model",
    .usage = "FILE... [OPTION...]",
    .description =
        "Describes files of every format that 'congru import' reads: of recordings the channels, rate, "
        "length and events; of trials and of covariance sets the channels and the trials by subject, "
        "session and class, with the condition numbers of covariances; of models what they were fitted on, "
        "what the signals went through, and the tensors; of .npy arrays the shape.",
    .options = {OPTION_ROWS(options)},
    .examples = examples,
    .run = run,
};
