/* congru info: what is in a recording, trials, a set, a model or an array. SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "commands.h"
#include "congru/congru.h"
#include "info_print.h"
#include "session.h"
#include "terminal.h"

static const option options[] = {
    {"stream", '\0', "NAME",
     "The stream to describe of XDF files with several of signals. Default: the one of type EEG, "
     "else the only one."},
};

static int fail(const congru_context *context)
{
    return terminal_fail(EXIT_FAILED, "%s", congru_context_error(context));
}

static int describe_array(congru_context *context, const char *path)
{
    congru_array array;
    if (congru_npy_read(context, path, &array) != CONGRU_OK)
        return fail(context);
    int code = info_print_array(path, &array);
    congru_array_clear(&array);
    return code;
}

/* `otherwise` is said of a file that holds no trials either; NULL: what the reader of trials says. */
static int describe_epochs(congru_context *context, const char *path, const char *otherwise)
{
    congru_epochs *epochs = NULL;
    congru_status status = congru_epochs_read(context, path, &epochs);
    if (status == CONGRU_ERROR_KIND && otherwise != NULL)
        return terminal_fail(EXIT_FAILED, "%s", otherwise);
    if (status != CONGRU_OK)
        return fail(context);
    int code = info_print_epochs(path, epochs);
    congru_epochs_destroy(&epochs);
    return code;
}

/* Only a set names its subjects. */
static int describe_zip(congru_context *context, const char *path)
{
    char said[1024];
    congru_set *set = NULL;
    congru_status status = congru_set_read(context, path, &set);
    snprintf(said, sizeof said, "%s", congru_context_error(context));
    if (status == CONGRU_ERROR_IO || status == CONGRU_ERROR_MEMORY)
        return fail(context);
    if (status != CONGRU_OK)
        return describe_epochs(context, path, said);
    int code = info_print_set(context, path, set);
    congru_set_destroy(&set);
    return code;
}

static int describe_recording(congru_context *context, const char *path, const char *stream)
{
    congru_recording *recording = NULL;
    congru_recording_options wanted = {.header_only = true, .stream = stream};
    congru_status status = congru_recording_read(context, path, &wanted, &recording);
    if (status == CONGRU_ERROR_KIND && congru_epochs_recognises(path)) { /* some kinds hold either */
        char said[1024];
        snprintf(said, sizeof said, "%s", congru_context_error(context));
        return describe_epochs(context, path, said);
    }
    if (status != CONGRU_OK)
        return fail(context);
    int code = info_print_recording(path, recording);
    congru_recording_destroy(&recording);
    return code;
}

static int describe_model(congru_context *context, const char *path)
{
    congru_model *model = NULL;
    if (congru_model_load(context, path, &model) != CONGRU_OK)
        return fail(context);
    int code = info_print_model(path, model);
    congru_model_destroy(&model);
    return code;
}

static int describe(congru_context *context, const char *path, const char *stream)
{
    congru_file_kind kind;
    if (congru_file_kind_of(context, path, &kind) != CONGRU_OK)
        return fail(context);
    switch (kind) {
    case CONGRU_FILE_ARRAY:
        return describe_array(context, path);
    case CONGRU_FILE_MODEL:
        return describe_model(context, path);
    case CONGRU_FILE_SET:
    case CONGRU_FILE_TRIALS:
        return describe_zip(context, path);
    default: /* what is none of these is for the recording reader to explain */
        return describe_recording(context, path, stream);
    }
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
