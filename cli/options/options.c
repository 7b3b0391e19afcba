/* Parses a command line by a table of options. SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include "options.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "terminal.h"

enum { WHERE_SIZE = 128 };

/* Where the words are read. */
typedef struct reader {
    int count;
    char **words;
    int next;
    arguments *parsed;
} reader;

const option *options_own(const option_table *table, size_t place)
{
    if (table->at != NULL)
        return table->at(place);
    return place < table->count ? &table->options[place] : NULL;
}

static size_t count_own(const option_table *table)
{
    size_t count = table->count;
    while (table->at != NULL && table->at(count) != NULL)
        count++;
    return count;
}

const option *options_at(const option_table *table, size_t place)
{
    for (; table != NULL && options_own(table, place) == NULL; table = table->more)
        place -= count_own(table);
    return table != NULL ? options_own(table, place) : NULL;
}

static const char *option_name(size_t index, const void *user)
{
    const option *found = options_at(user, index);
    return found != NULL ? found->name : NULL;
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

/* Whether several of it say more than one does, by what help calls its value: "OPTION=V,...", one of many names. */
static bool repeats(const option *about)
{
    return about->argument != NULL && strncmp(about->argument, "OPTION=", 7) == 0;
}

/* One value more of an option, behind those before it. */
static int join(reader *at, size_t place, const char *value)
{
    arguments *parsed = at->parsed;
    char *to = parsed->repeated + parsed->repeated_size;
    const size_t room = sizeof parsed->repeated - parsed->repeated_size;
    const int size = snprintf(to, room, "%s; %s", parsed->values[place], value);
    if (size < 0 || (size_t)size >= room)
        return terminal_fail(EXIT_USAGE, "%s: --%s is given too often", parsed->command,
                             options_at(parsed->table, place)->name);
    parsed->repeated_size += (size_t)size + 1;
    parsed->values[place] = to;
    return EXIT_DONE;
}

/* Stores an option found in `word`. `attached` is a value in the same word, or NULL; otherwise the next word
 * is the value, even when it begins with a dash: it may be a negative number. */
static int store(reader *at, size_t place, const char *attached)
{
    arguments *parsed = at->parsed;
    const option *found = options_at(parsed->table, place);
    if (parsed->values[place] != NULL && !repeats(found))
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
    if (parsed->values[place] != NULL)
        return join(at, place, attached);
    parsed->values[place] = attached;
    return EXIT_DONE;
}

static int parse_long(reader *at, const char *word)
{
    const option_table *table = at->parsed->table;
    size_t size = strcspn(word + 2, "=");
    const option *found;
    for (size_t i = 0; (found = options_at(table, i)) != NULL; i++)
        if (strlen(found->name) == size && strncmp(found->name, word + 2, size) == 0)
            return store(at, i, word[2 + size] == '=' ? word + 2 + size + 1 : NULL);
    return fail_unknown(at->parsed, word);
}

static int parse_short(reader *at, const char *word)
{
    const option_table *table = at->parsed->table;
    const option *found;
    for (size_t i = 0; (found = options_at(table, i)) != NULL; i++)
        if (found->letter != '\0' && found->letter == word[1])
            return store(at, i, word[2] != '\0' ? word + 2 : NULL);
    return fail_unknown(at->parsed, word);
}

int options_parse(const char *command, const option_table *table, int count, char **words, arguments *parsed)
{
    *parsed = (arguments){.command = command, .table = table, .operands = words};
    reader at = {.count = count, .words = words, .parsed = parsed};
    bool options_ended = false;
    int code = EXIT_DONE;
    while (code == EXIT_DONE && !parsed->help && at.next < at.count) {
        char *word = at.words[at.next++];
        if (options_ended || word[0] != '-' || word[1] == '\0')
            parsed->operands[parsed->operand_count++] = word; /* never ahead of where words are read */
        else if (strcmp(word, "--") == 0)
            options_ended = true;
        else if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0)
            parsed->help = true;
        else
            code = word[1] == '-' ? parse_long(&at, word) : parse_short(&at, word);
    }
    return code;
}

static bool is_file(const char *path, const struct stat *file)
{
    struct stat about;
    return stat(path, &about) == 0 && about.st_dev == file->st_dev && about.st_ino == file->st_ino;
}

/* Whether it is one of the files that a run leaves in its folder. */
static bool is_in_run(const char *folder, const struct stat *file)
{
    static const char *const names[] = {"run.json",      "results.csv",  "predictions.csv", "geometry.json",
                                        "patterns.json", "patterns.csv", "ablation.json",   "statistics.json"};
    char path[4096];
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        int size = snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        if (size > 0 && (size_t)size < sizeof path && is_file(path, file))
            return true;
    }
    return false;
}

/* Whether it is the samples or the markers beside a header of BrainVision. */
static bool is_beside(const char *header, const struct stat *file)
{
    static const char *const endings[] = {".eeg", ".vmrk"};
    char path[4096];
    size_t size = strlen(header), stem = size > 5 && strcmp(header + size - 5, ".vhdr") == 0 ? size - 5 : 0;
    for (size_t i = 0; stem > 0 && i < sizeof endings / sizeof endings[0]; i++) {
        snprintf(path, sizeof path, "%.*s%s", (int)(stem < 4000 ? stem : 4000), header, endings[i]);
        if (is_file(path, file))
            return true;
    }
    return false;
}

static bool is_read(const char *operand, const struct stat *file)
{
    return is_file(operand, file) || is_in_run(operand, file) || is_beside(operand, file);
}

/* Whether an option's value is a file to read, by what help calls it. */
static bool names_file(const option *about)
{
    return about->letter != 'o' && about->argument != NULL &&
           (strstr(about->argument, "FILE") != NULL || strchr(about->argument, '.') != NULL);
}

/* The folder that is there among those above a file: where the missing ones are made. */
static void folder_above(char *path)
{
    struct stat about;
    do {
        char *slash = strrchr(path, '/');
        if (slash == NULL)
            strcpy(path, ".");
        else
            slash[slash == path] = '\0';
    } while (strcmp(path, ".") != 0 && strcmp(path, "/") != 0 && stat(path, &about) != 0 && errno == ENOENT);
}

/* That a file can be written, as far as that is seen beforehand: long work does not end in one that cannot. */
static int check_writable(const char *output)
{
    struct stat about;
    const bool exists = stat(output, &about) == 0;
    if (exists && S_ISDIR(about.st_mode))
        return terminal_fail(EXIT_FAILED, "%s: is a directory (name a file in it)", output);
    char *path = strlen(output) > 0 ? strdup(output) : NULL;
    if (path == NULL)
        return EXIT_DONE; /* the library says what is wrong */
    if (!exists)
        folder_above(path);
    errno = 0;
    if (!exists && stat(path, &about) == 0 && !S_ISDIR(about.st_mode))
        errno = ENOTDIR;
    else if (!exists || S_ISREG(about.st_mode))
        access(path, W_OK);
    const int cause = errno;
    free(path);
    return cause == 0 ? EXIT_DONE : terminal_fail(EXIT_FAILED, "%s: cannot write: %s", output, strerror(cause));
}

int options_check_output(const arguments *parsed)
{
    const char *output = NULL;
    const option *about;
    struct stat file;
    bool folder = false;
    for (size_t i = 0; (about = options_at(parsed->table, i)) != NULL; i++)
        if (about->letter == 'o') {
            output = parsed->values[i];
            folder = strcmp(about->argument, "DIR") == 0;
        }
    int code = output != NULL && !folder ? check_writable(output) : EXIT_DONE;
    if (code != EXIT_DONE || output == NULL || stat(output, &file) != 0 || !S_ISREG(file.st_mode))
        return code;
    bool read = false;
    for (size_t i = 0; i < parsed->operand_count; i++)
        read = read || is_read(parsed->operands[i], &file);
    for (size_t i = 0; (about = options_at(parsed->table, i)) != NULL; i++)
        read = read || (names_file(about) && parsed->values[i] != NULL && is_file(parsed->values[i], &file));
    if (read)
        return terminal_fail(EXIT_FAILED, "%s: is one of the files that %s reads (name another with -o)",
                             output, parsed->command);
    return EXIT_DONE;
}

/* The library reads values; the command prints what it says of one that cannot be. */
static int told(bool read, const char *error)
{
    return read ? EXIT_DONE : terminal_fail(EXIT_USAGE, "%s", error);
}

int options_parse_number(const char *where, const char *text, double least, double most, double *number)
{
    char error[CONGRU_VALUE_ERROR_SIZE];
    return told(congru_value_number(where, text, least, most, number, error), error);
}

int options_parse_integer(const char *where, const char *text, int least, int most, int *number)
{
    char error[CONGRU_VALUE_ERROR_SIZE];
    return told(congru_value_integer(where, text, least, most, number, error), error);
}

/* The place of the option of this name; that after the last when there is none. */
static size_t find(const option_table *table, const char *name)
{
    const option *at;
    size_t place = 0;
    while ((at = options_at(table, place)) != NULL && strcmp(at->name, name) != 0)
        place++;
    return place;
}

const char *options_value(const arguments *parsed, const char *name)
{
    size_t place = find(parsed->table, name);
    return options_at(parsed->table, place) != NULL ? parsed->values[place] : NULL;
}

bool options_given(const arguments *parsed, const char *name)
{
    return options_value(parsed, name) != NULL;
}

void options_set(arguments *parsed, const char *name, const char *value)
{
    parsed->values[find(parsed->table, name)] = value;
}

/* "spd: --t", which begins error lines about that option. */
static const char *option_where(const arguments *parsed, const char *name, char where[WHERE_SIZE])
{
    snprintf(where, WHERE_SIZE, "%s: --%s", parsed->command, name);
    return where;
}

int options_number(const arguments *parsed, const char *name, double fallback, double least, double most,
                   double *number)
{
    char where[WHERE_SIZE];
    const char *text = options_value(parsed, name);
    *number = fallback;
    return text == NULL ? EXIT_DONE
                        : options_parse_number(option_where(parsed, name, where), text, least, most, number);
}

int options_integer(const arguments *parsed, const char *name, int fallback, int least, int most, int *number)
{
    char where[WHERE_SIZE];
    const char *text = options_value(parsed, name);
    *number = fallback;
    return text == NULL ? EXIT_DONE
                        : options_parse_integer(option_where(parsed, name, where), text, least, most, number);
}

int options_choice(const arguments *parsed, const char *name, const char *const *names, size_t *choice)
{
    char where[WHERE_SIZE], error[CONGRU_VALUE_ERROR_SIZE];
    const char *text = options_value(parsed, name);
    option_where(parsed, name, where);
    return text == NULL ? EXIT_DONE : told(congru_value_choice(where, text, names, choice, error), error);
}

int options_target(const arguments *parsed, congru_target *target)
{
    const char *names[CONGRU_TARGET_COUNT + 1];
    size_t choice = 0;
    for (size_t i = 0; i <= CONGRU_TARGET_COUNT; i++)
        names[i] = congru_target_name((congru_target)i);
    int code = options_choice(parsed, "target", names, &choice);
    *target = (congru_target)choice;
    return code;
}

int options_align_by(const arguments *parsed, bool *by_session)
{
    static const char *const names[] = {"subject", "session", NULL};
    size_t choice = 0;
    int code = options_choice(parsed, "align-by", names, &choice);
    *by_session = choice == 1;
    return code;
}

int options_words(const arguments *parsed, const char *name, text_list *words)
{
    char where[WHERE_SIZE];
    const char *text = options_value(parsed, name);
    int code = text == NULL ? EXIT_DONE : text_list_split(words, option_where(parsed, name, where), text);
    if (text == NULL || code != EXIT_DONE)
        text_list_clear(words);
    return code;
}
