/* Parses the options of congru import and the lines of presets. SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include "import_settings.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "name_pattern.h"
#include "preset.h"
#include "terminal.h"

enum { WHERE_SIZE = 160, HZ_MAX = 1000000, SECONDS_MAX = 100000, ORDER_MAX = 10, CHANNELS_MAX = 1024 };

const char *const import_estimators[] = {
    [CONGRU_ESTIMATOR_SCM] = "scm",
    [CONGRU_ESTIMATOR_OAS] = "oas",
    [CONGRU_ESTIMATOR_LWF] = "lwf",
    NULL,
};

/* A place where a value comes from: the settings it goes to, and how error lines about it begin. */
typedef struct value_source {
    import_settings *settings;
    const arguments *parsed;
    char where[WHERE_SIZE];
} value_source;

static int fail_memory(const char *where)
{
    return terminal_fail(EXIT_FAILED, "%s: not enough memory", where);
}

static int replace_text(const char *where, char **text, const char *value)
{
    free(*text);
    *text = strdup(value);
    return *text != NULL ? EXIT_DONE : fail_memory(where);
}

/* "off" or a number. */
static int parse_hertz(const char *where, const char *value, double *hertz)
{
    *hertz = 0;
    return strcmp(value, "off") == 0 ? EXIT_DONE : options_parse_number(where, value, 0.001, HZ_MAX, hertz);
}

static int parse_switch(const char *where, const char *value, const char *off, const char *on, bool *state)
{
    size_t choice = 0;
    int code = options_parse_choice(where, value, (const char *const[]){off, on, NULL}, &choice);
    *state = choice == 1;
    return code;
}

static void rule_clear(event_rule *rule)
{
    text_list_clear(&rule->words);
    free(rule->event);
    free(rule->by_text);
    *rule = (event_rule){0};
}

static bool all_digits(const char *text)
{
    size_t size = strlen(text);
    return size > 0 && size < 10 && strspn(text, "0123456789") == size;
}

/* "CODE=NAME,TEXT=NAME,..." */
static int parse_events(const char *where, const char *value, event_rule *rule)
{
    int code = text_list_split(&rule->words, where, value);
    if (code != EXIT_DONE)
        return code;
    size_t count = rule->words.count;
    rule->event = calloc(count, sizeof *rule->event);
    rule->by_text = calloc(count, sizeof *rule->by_text);
    if (rule->event == NULL || rule->by_text == NULL)
        return fail_memory(where);
    for (; rule->event_count < count; rule->event_count++) {
        char *key = rule->words.item[rule->event_count], *name = text_list_value(key);
        if (name == NULL || strlen(name) >= CONGRU_LABEL_SIZE)
            return terminal_fail(EXIT_USAGE, "%s wants CODE=NAME or TEXT=NAME, with commas between, not '%s'",
                                 where, value);
        for (size_t i = 0; i < rule->event_count; i++)
            /* NOLINTNEXTLINE(clang-analyzer-core.NonNullParamChecker): entries before event_count have a text. */
            if (strcmp(rule->by_text[i].text, key) == 0)
                return terminal_fail(EXIT_USAGE, "%s: %s is named twice", where, key);
        congru_event_class event = {.code = -1, .text = key, .class_name = name};
        rule->by_text[rule->event_count] = event;
        if (all_digits(key))
            event = (congru_event_class){.code = (int32_t)strtol(key, NULL, 10), .class_name = name};
        rule->event[rule->event_count] = event;
    }
    return EXIT_DONE;
}

/* Adds a rule for the runs "4 8 12", or with "" for all. */
static int add_rule(value_source *from, const char *runs, const char *value)
{
    import_settings *settings = from->settings;
    if (settings->rule_count == EVENT_RULES_MAX)
        return terminal_fail(EXIT_USAGE, "%s: more than %d lines of events", from->where, (int)EVENT_RULES_MAX);
    event_rule *rule = &settings->rule[settings->rule_count++];
    while (*(runs += strspn(runs, " ")) != '\0') {
        char *end;
        long run = strtol(runs, &end, 10);
        if (end == runs || run < 0 || run > INT32_MAX || rule->run_count == RULE_RUNS_MAX)
            return terminal_fail(EXIT_USAGE, "%s: expected numbers of runs, found '%s'", from->where, runs);
        rule->run[rule->run_count++] = (int32_t)run;
        runs = end;
    }
    return parse_events(from->where, value, rule);
}

static void clear_rules(import_settings *settings)
{
    for (size_t i = 0; i < settings->rule_count; i++)
        rule_clear(&settings->rule[i]);
    settings->rule_count = 0;
}

static int add_pattern(value_source *from, const char *value)
{
    import_settings *settings = from->settings;
    int code = name_pattern_check(from->where, value, NAME_SUBJECT);
    if (code != EXIT_DONE)
        return code;
    if (settings->pattern_count == PATTERNS_MAX)
        return terminal_fail(EXIT_USAGE, "%s: more than %d patterns", from->where, (int)PATTERNS_MAX);
    return replace_text(from->where, &settings->pattern[settings->pattern_count++], value);
}

static void clear_patterns(import_settings *settings)
{
    for (size_t i = 0; i < settings->pattern_count; i++) {
        free(settings->pattern[i]);
        settings->pattern[i] = NULL;
    }
    settings->pattern_count = 0;
}

static int parse_session_pattern(value_source *from, const char *value)
{
    int code = name_pattern_check(from->where, value, NAME_SESSION);
    return code == EXIT_DONE ? replace_text(from->where, &from->settings->session_pattern, value) : code;
}

static int parse_window(value_source *from, const char *value)
{
    from->settings->window_all = strcmp(value, "all") == 0;
    if (from->settings->window_all)
        return EXIT_DONE;
    return options_parse_range(from->where, value, -SECONDS_MAX, SECONDS_MAX, from->settings->window);
}

static int parse_band(value_source *from, const char *value)
{
    from->settings->band_given = strcmp(value, "off") != 0;
    if (!from->settings->band_given)
        return EXIT_DONE;
    return options_parse_range(from->where, value, 0, HZ_MAX, from->settings->band);
}

static int parse_estimator(value_source *from, const char *value)
{
    size_t choice = CONGRU_ESTIMATOR_SCM;
    int code = options_parse_choice(from->where, value, import_estimators, &choice);
    from->settings->set.estimator = (congru_estimator)choice;
    return code;
}

static int parse_channels(value_source *from, const char *value)
{
    text_list *channels = &from->settings->channels;
    int code = text_list_split(channels, from->where, value);
    for (size_t i = 0; code == EXIT_DONE && i < channels->count; i++) {
        if (strlen(channels->item[i]) >= CONGRU_LABEL_SIZE)
            code = terminal_fail(EXIT_USAGE, "%s: '%s' is too long for a channel's name", from->where,
                                 channels->item[i]);
        for (size_t j = 0; code == EXIT_DONE && j < i; j++)
            if (congru_channel_matches(channels->item[i], channels->item[j]))
                code = terminal_fail(EXIT_USAGE, "%s: %s is named twice", from->where, channels->item[i]);
    }
    return code;
}

/* One option, from the command line or a preset. */
static int set_option(value_source *from, size_t place, const char *value)
{
    import_settings *settings = from->settings;
    switch (place) {
    case IMPORT_CHANNELS:
        return parse_channels(from, value);
    case IMPORT_BAND:
        return parse_band(from, value);
    case IMPORT_ORDER:
        return options_parse_integer(from->where, value, 1, ORDER_MAX, &settings->order);
    case IMPORT_FILTER:
        return parse_switch(from->where, value, "iir", "fir", &settings->fir);
    case IMPORT_CAUSAL:
        settings->causal = true;
        return EXIT_DONE;
    case IMPORT_NOTCH:
        return parse_hertz(from->where, value, &settings->notch);
    case IMPORT_HARMONICS:
        settings->harmonics = true;
        return EXIT_DONE;
    case IMPORT_RATE:
        return options_parse_number(from->where, value, 0.001, HZ_MAX, &settings->rate);
    case IMPORT_RESAMPLE:
        return parse_hertz(from->where, value, &settings->resample);
    case IMPORT_REFERENCE:
        return parse_switch(from->where, value, "none", "average", &settings->average_reference);
    case IMPORT_WINDOW:
        return parse_window(from, value);
    case IMPORT_REST:
        settings->rest = true;
        return EXIT_DONE;
    case IMPORT_EVENTS:
        return add_rule(from, "", value);
    case IMPORT_REJECTED:
        return parse_switch(from->where, value, "keep", "drop", &settings->drop_rejected);
    case IMPORT_SUBJECT_FROM:
        return add_pattern(from, value);
    case IMPORT_SESSION_FROM:
        return parse_session_pattern(from, value);
    case IMPORT_ESTIMATOR:
        return parse_estimator(from, value);
    case IMPORT_TRACE_NORMALISE:
        return parse_switch(from->where, value, "off", "on", &settings->set.trace_normalise);
    case IMPORT_KEEP_SIGNALS:
        settings->set.keep_signals = true;
        return EXIT_DONE;
    default: /* IMPORT_JOBS */
        return options_parse_integer(from->where, value, 0, CONGRU_THREADS_MAX, &settings->jobs);
    }
}

/* "1-22" or "1-3, 8": one for each channel. */
static int parse_positions(value_source *from, const char *value)
{
    import_settings *settings = from->settings;
    text_list ranges = {0};
    int code = text_list_split(&ranges, from->where, value);
    free(settings->position);
    settings->position = calloc(settings->channels.count + 1, sizeof *settings->position);
    if (code == EXIT_DONE && settings->position == NULL)
        code = fail_memory(from->where);
    size_t count = 0;
    for (size_t i = 0; code == EXIT_DONE && i < ranges.count; i++) {
        char *end;
        unsigned long first = strtoul(ranges.item[i], &end, 10);
        unsigned long last = *end == '-' ? strtoul(end + 1, &end, 10) : first;
        if (*end != '\0' || first < 1 || last < first || last > CHANNELS_MAX)
            code = terminal_fail(EXIT_USAGE, "%s: expected numbers from 1 on such as 1-22, found '%s'",
                                 from->where, ranges.item[i]);
        for (; code == EXIT_DONE && first <= last; first++, count++)
            if (count < settings->channels.count)
                settings->position[count] = first;
    }
    if (code == EXIT_DONE && count != settings->channels.count)
        code = terminal_fail(EXIT_USAGE, "%s: %s for %s (they go below the line 'channels')", from->where,
                             congru_count(count, "position").text,
                             congru_count(settings->channels.count, "channel").text);
    text_list_clear(&ranges);
    return code;
}

static int parse_sessions(value_source *from, const char *value)
{
    import_settings *settings = from->settings;
    int code = text_list_split(&settings->sessions, from->where, value);
    if (code != EXIT_DONE)
        return code;
    free(settings->session_number);
    settings->session_number = calloc(settings->sessions.count, sizeof *settings->session_number);
    if (settings->session_number == NULL)
        return fail_memory(from->where);
    for (size_t i = 0; code == EXIT_DONE && i < settings->sessions.count; i++) {
        int number = 0;
        const char *text = text_list_value(settings->sessions.item[i]);
        if (text == NULL)
            return terminal_fail(EXIT_USAGE, "%s wants NAME=NUMBER, with commas between, not '%s'", from->where,
                                 value);
        code = options_parse_integer(from->where, text, 0, INT32_MAX, &number);
        settings->session_number[i] = number;
    }
    return code;
}

/* The place of the option that a key of a preset names, if a preset may set it. */
static size_t find_option(const char *key)
{
    for (size_t i = IMPORT_CHANNELS; i < IMPORT_JOBS; i++)
        if (strcmp(import_options[i].name, key) == 0)
            return i;
    return IMPORT_OPTIONS;
}

static int set_from_preset(void *user, const char *key, const char *value)
{
    value_source *from = user;
    snprintf(from->where, sizeof from->where, "preset %s: %s", from->settings->preset, key);
    if (strcmp(key, "title") == 0 || strcmp(key, "source") == 0 || strcmp(key, "note") == 0)
        return EXIT_DONE;
    if (strcmp(key, "positions") == 0)
        return parse_positions(from, value);
    if (strcmp(key, "files") == 0)
        return add_pattern(from, value);
    if (strcmp(key, "sessions") == 0)
        return parse_sessions(from, value);
    if (strcmp(key, "mat-cue") == 0)
        return options_parse_number(from->where, value, 0, SECONDS_MAX, &from->settings->mat_cue);
    if (strncmp(key, "events ", strlen("events ")) == 0)
        return add_rule(from, key + strlen("events "), value);
    size_t place = find_option(key);
    if (place == IMPORT_OPTIONS)
        return terminal_fail(EXIT_USAGE, "%s: no such key (see 'congru help import')", from->where);
    return set_option(from, place, value);
}

/* A name with a slash or an extension is a file. */
static int apply_preset(value_source *from, const char *name)
{
    from->settings->preset = name;
    size_t size = strlen(name);
    if (strchr(name, '/') != NULL || (size > 4 && strcmp(name + size - 4, ".txt") == 0))
        return preset_read_file(name, set_from_preset, from);
    const preset *found = preset_find("import", name);
    return found != NULL ? preset_read(found, set_from_preset, from) : EXIT_USAGE;
}

/* What a list on the command line replaces, rather than adds to. */
static void make_way(import_settings *settings, const arguments *parsed)
{
    if (parsed->values[IMPORT_EVENTS] != NULL) {
        clear_rules(settings);
        settings->events_chosen = true;
    }
    if (parsed->values[IMPORT_SUBJECT_FROM] != NULL)
        clear_patterns(settings);
}

/* Channels that were named by position keep their positions when some of them are chosen by name. */
static int choose_positions(import_settings *settings, const text_list *known)
{
    size_t count = settings->channels.count;
    size_t *chosen = calloc(count + 1, sizeof *chosen);
    if (chosen == NULL)
        return fail_memory("import");
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < known->count; j++)
            if (congru_channel_matches(known->item[j], settings->channels.item[i]))
                chosen[i] = settings->position[j];
    free(settings->position);
    settings->position = chosen;
    for (size_t i = 0; i < count; i++) {
        if (chosen[i] == 0) { /* not one the preset knows: only the file itself can tell */
            free(settings->position);
            settings->position = NULL;
            break;
        }
    }
    return EXIT_DONE;
}

static int apply_command_line(value_source *from)
{
    import_settings *settings = from->settings;
    text_list known = {0};
    if (from->parsed->values[IMPORT_CHANNELS] != NULL) {
        known = settings->channels;
        settings->channels = (text_list){0};
    }
    make_way(settings, from->parsed);
    int code = EXIT_DONE;
    for (size_t i = IMPORT_CHANNELS; code == EXIT_DONE && i < IMPORT_OPTIONS; i++) {
        if (from->parsed->values[i] == NULL)
            continue;
        snprintf(from->where, sizeof from->where, "%s: --%s", from->parsed->command, import_options[i].name);
        code = set_option(from, i, from->parsed->values[i]);
    }
    if (code == EXIT_DONE && known.count > 0 && settings->position != NULL)
        code = choose_positions(settings, &known);
    text_list_clear(&known);
    return code;
}

int import_settings_parse(const arguments *parsed, import_settings *settings)
{
    *settings = (import_settings){
        .band_given = true,
        .band = {8, 35},
        .order = 4,
        .notch = 50,
        .window = {0.5, 3.5},
        .set = {.estimator = CONGRU_ESTIMATOR_SCM},
    };
    value_source from = {.settings = settings, .parsed = parsed};
    int code = EXIT_DONE;
    if (parsed->values[IMPORT_PRESET] != NULL)
        code = apply_preset(&from, parsed->values[IMPORT_PRESET]);
    if (code == EXIT_DONE)
        code = apply_command_line(&from);
    if (code == EXIT_DONE && settings->window_all && settings->rest)
        code = terminal_fail(EXIT_USAGE, "import: --rest needs a window, not --window all");
    if (code == EXIT_DONE && settings->causal && settings->fir)
        code = terminal_fail(EXIT_USAGE, "import: --causal is for --filter iir");
    return code;
}

const event_rule *import_settings_events(const import_settings *settings, int32_t run)
{
    for (size_t i = 0; i < settings->rule_count; i++) {
        const event_rule *rule = &settings->rule[i];
        if (rule->run_count == 0)
            return rule;
        for (size_t j = 0; j < rule->run_count; j++)
            if (rule->run[j] == run)
                return rule;
    }
    return NULL;
}

void import_settings_clear(import_settings *settings)
{
    text_list_clear(&settings->channels);
    text_list_clear(&settings->sessions);
    free(settings->position);
    free(settings->session_number);
    free(settings->session_pattern);
    clear_rules(settings);
    clear_patterns(settings);
    *settings = (import_settings){0};
}
