/* congru: finds the command, runs it, and makes sure its output arrived. SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "commands.h"
#include "session.h"
#include "terminal.h"

/* In the order help lists them: the way of the data, then the tools. */
// clang-format off
const command *const commands[] = {
    &command_import,
    &command_synth,
    &command_info,
    &command_presets,
    &command_loso,
    &command_within,
    &command_ablate,
    &command_show,
    &command_compare,
    &command_explain,
    &command_reproduce,
    &command_report,
    &command_train,
    &command_predict,
    &command_align,
    &command_stream,
    &command_spd,
    &command_version,
    &command_help,
    NULL,
};
// clang-format on

static const char *command_name(size_t index, const void *user)
{
    (void)user;
    return commands[index] != NULL ? commands[index]->name : NULL;
}

const command *commands_find(const char *name)
{
    for (size_t i = 0; commands[i] != NULL; i++)
        if (strcmp(commands[i]->name, name) == 0)
            return commands[i];
    return NULL;
}

static int usage(void)
{
    fprintf(stderr, "Usage: congru COMMAND [OPTION...] [FILE...]\n'congru help' lists the commands.\n");
    return EXIT_USAGE;
}

static int run(int count, char **words)
{
    if (count < 2)
        return usage();
    const char *name = words[1];
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0)
        name = "help";
    else if (strcmp(name, "--version") == 0)
        name = "version";
    const command *found = commands_find(name);
    if (found == NULL)
        return terminal_fail_unknown("unknown command", name, command_name, NULL, "see 'congru help'");
    arguments parsed;
    int code = found->shares ? process_group_begin() : EXIT_DONE;
    if (code != EXIT_DONE)
        return code;
    code = options_parse(found->name, &found->options, count - 2, words + 2, &parsed);
    if (code != EXIT_DONE)
        return code;
    if (parsed.help) {
        help_print(found);
        return EXIT_DONE;
    }
    code = options_check_output(&parsed);
    return code == EXIT_DONE ? found->run(&parsed) : code;
}

int main(int count, char **words)
{
    standard_files_begin();
    return process_group_end(standard_files_end(run(count, words)));
}
