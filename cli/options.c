/* Parses a command line by a table of options. SPDX-License-Identifier: Apache-2.0 */
#include "options.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "terminal.h"

/* Where the words are read. */
typedef struct reader {
    int count;
    char **words;
    int next;
    arguments *parsed;
} reader;

static const char *option_name(size_t index, const void *user)
{
    const option_table *table = user;
    return index < table->count ? table->options[index].name : NULL;
}

static int fail_unknown(const arguments *parsed, const char *word)
{
    char name[64];
    size_t size = strcspn(word + 2, "=");
    const char *meant = NULL;
    if (word[1] == '-' && size < sizeof name) {
        memcpy(name, word + 2, size);
        name[size] = '\0';
        meant = terminal_nearest(name, option_name, parsed->table);
    }
    if (meant != NULL)
        return terminal_fail(EXIT_USAGE, "%s: unknown option %s (did you mean --%s?)", parsed->command, word,
                             meant);
    return terminal_fail(EXIT_USAGE, "%s: unknown option %s (see 'congru help %s')", parsed->command, word,
                         parsed->command);
}

/* Stores an option found in `word`. `attached` is a value in the same word, or NULL; otherwise the next word
 * is the value, even when it begins with a dash: it may be a negative number. */
static int store(reader *at, size_t place, const char *attached)
{
    arguments *parsed = at->parsed;
    const option *found = &parsed->table->options[place];
    if (parsed->values[place] != NULL)
        return terminal_fail(EXIT_USAGE, "%s: --%s is given twice", parsed->command, found->name);
    if (found->argument == NULL) {
        if (attached != NULL)
            return terminal_fail(EXIT_USAGE, "%s: --%s takes no value", parsed->command, found->name);
        parsed->values[place] = "";
        return EXIT_DONE;
    }
    if (attached == NULL && at->next < at->count)
        attached = at->words[at->next++];
    if (attached == NULL || *attached == '\0')
        return terminal_fail(EXIT_USAGE, "%s: --%s needs a value: --%s %s", parsed->command, found->name,
                             found->name, found->argument);
    parsed->values[place] = attached;
    return EXIT_DONE;
}

static int parse_long(reader *at, const char *word)
{
    const option_table *table = at->parsed->table;
    size_t size = strcspn(word + 2, "=");
    for (size_t i = 0; i < table->count; i++)
        if (strlen(table->options[i].name) == size && strncmp(table->options[i].name, word + 2, size) == 0)
            return store(at, i, word[2 + size] == '=' ? word + 2 + size + 1 : NULL);
    return fail_unknown(at->parsed, word);
}

static int parse_short(reader *at, const char *word)
{
    const option_table *table = at->parsed->table;
    for (size_t i = 0; i < table->count; i++)
        if (table->options[i].letter != '\0' && table->options[i].letter == word[1])
            return store(at, i, word[2] != '\0' ? word + 2 : NULL);
    return fail_unknown(at->parsed, word);
}

static int parse_operand(arguments *parsed, const char *word)
{
    if (parsed->operand_count == OPERANDS_MAX)
        return terminal_fail(EXIT_USAGE, "%s: more than %d files", parsed->command, (int)OPERANDS_MAX);
    parsed->operands[parsed->operand_count++] = word;
    return EXIT_DONE;
}

int options_parse(const char *command, const option_table *table, int count, char **words, arguments *parsed)
{
    *parsed = (arguments){.command = command, .table = table};
    reader at = {.count = count, .words = words, .parsed = parsed};
    bool options_ended = false;
    int code = EXIT_DONE;
    while (code == EXIT_DONE && !parsed->help && at.next < at.count) {
        const char *word = at.words[at.next++];
        if (options_ended || word[0] != '-' || word[1] == '\0')
            code = parse_operand(parsed, word);
        else if (strcmp(word, "--") == 0)
            options_ended = true;
        else if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0)
            parsed->help = true;
        else
            code = word[1] == '-' ? parse_long(&at, word) : parse_short(&at, word);
    }
    return code;
}

/* strtod also takes leading spaces, hexadecimal, "nan" and "inf"; none is meant here. */
static bool is_plain(const char *text, const char *letters)
{
    for (; *text != '\0'; text++)
        if (!isdigit((unsigned char)*text) && strchr(letters, *text) == NULL)
            return false;
    return true;
}

int options_number(const arguments *parsed, size_t place, double fallback, double least, double most,
                   double *number)
{
    const char *text = parsed->values[place], *name = parsed->table->options[place].name;
    *number = fallback;
    if (text == NULL)
        return EXIT_DONE;
    char *end;
    *number = strtod(text, &end);
    if (!is_plain(text, "+-.eE") || end == text || *end != '\0')
        return terminal_fail(EXIT_USAGE, "%s: --%s wants a number, not '%s'", parsed->command, name, text);
    if (*number < least || *number > most)
        return terminal_fail(EXIT_USAGE, "%s: --%s is %s; it must be between %g and %g", parsed->command, name,
                             text, least, most);
    return EXIT_DONE;
}

int options_integer(const arguments *parsed, size_t place, int fallback, int least, int most, int *number)
{
    const char *text = parsed->values[place], *name = parsed->table->options[place].name;
    *number = fallback;
    if (text == NULL)
        return EXIT_DONE;
    char *end;
    errno = 0;
    long value = strtol(text, &end, 10);
    if (!is_plain(text, "+-") || end == text || *end != '\0')
        return terminal_fail(EXIT_USAGE, "%s: --%s wants a whole number, not '%s'", parsed->command, name,
                             text);
    if (errno != 0 || value < least || value > most)
        return terminal_fail(EXIT_USAGE, "%s: --%s is %s; it must be between %d and %d", parsed->command, name,
                             text, least, most);
    *number = (int)value;
    return EXIT_DONE;
}
