/* How files become trials: the importer's options, by name. SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_scan.h"
#include "base/number_text.h"
#include "congru/spd.h"
#include "import/import_internal.h"
#include "preprocess/preprocessing.h"

enum {
    WHERE_SIZE = 160,
    KEY_DIGITS = 9,
    EVENT_TEXT_SIZE = 512,
    HZ_MAX = 1000000,
    SECONDS_MAX = 100000,
    CHANNELS_MAX = CONGRU_DIMENSION_MAX
};

/* A place where a value comes from: the importer it goes to, and how error lines about it begin. */
typedef struct value_source {
    congru_context *context;
    congru_import *import;
    bool by_preset; /* lists add up; otherwise they replace those of the preset */
    char where[WHERE_SIZE];
    char error[CONGRU_VALUE_ERROR_SIZE];
} value_source;

static congru_status fail_value(value_source *from)
{
    return congru_fail(from->context, CONGRU_ERROR_ARGUMENT, "%s", from->error);
}

static congru_status fail_memory(value_source *from)
{
    return congru_fail(from->context, CONGRU_ERROR_MEMORY, "%s: not enough memory", from->where);
}

static congru_status replace_text(value_source *from, char **text, const char *value)
{
    free(*text);
    *text = strdup(value);
    return *text != NULL ? CONGRU_OK : fail_memory(from);
}

/* ---- Lists --------------------------------------------------------------------------------------------- */

static char *trim(char *word)
{
    word += strspn(word, " \t");
    size_t size = strlen(word);
    while (size > 0 && (word[size - 1] == ' ' || word[size - 1] == '\t'))
        word[--size] = '\0';
    return word;
}

/* The letters that a backslash before them makes letters of a name. */
static const char escaped[] = ",=*\\";

/* The first, or the last, such letter that no backslash stands before; NULL: none. */
static char *find_plain(char *text, char letter, bool last)
{
    char *found = NULL;
    for (; *text != '\0' && (last || found == NULL); text++)
        if (*text == '\\' && text[1] != '\0' && strchr(escaped, text[1]) != NULL)
            text++;
        else if (*text == letter)
            found = text;
    return found;
}

/* Drops the backslashes, in place. */
static void unescape(char *text)
{
    char *to = text;
    for (; *text != '\0'; *to++ = *text++)
        if (*text == '\\' && text[1] != '\0' && strchr(escaped, text[1]) != NULL)
            text++;
    *to = '\0';
}

/* The next word of a list with commas, cut out of it; NULL after the last. */
static char *next_word(char **list)
{
    char *word = *list;
    if (word == NULL)
        return NULL;
    char *comma = find_plain(word, ',', false);
    if (comma != NULL)
        *comma = '\0';
    *list = comma != NULL ? comma + 1 : NULL;
    return trim(word);
}

static size_t count_words(const char *list)
{
    size_t count = 1;
    for (; *list != '\0'; list++)
        count += *list == ',';
    return count;
}

/* Cuts "KEY=VALUE" in two at the last equals sign; NULL when there is none or a side is empty. */
static char *cut_value(char *word)
{
    char *equals = find_plain(word, '=', true);
    if (equals == NULL)
        return NULL;
    *equals = '\0';
    char *value = trim(equals + 1);
    trim(word);
    return word[0] != '\0' && value[0] != '\0' ? value : NULL;
}

/* ---- Events -------------------------------------------------------------------------------------------- */

static void rule_clear(event_rule *rule)
{
    free(rule->words);
    free(rule->event);
    free(rule->by_text);
    *rule = (event_rule){0};
}

static bool all_digits(const char *text)
{
    size_t size = strlen(text);
    return size > 0 && size <= KEY_DIGITS && strspn(text, "0123456789") == size;
}

static congru_status add_event(value_source *from, event_rule *rule, char *word, const char *value)
{
    char *name = cut_value(word);
    if (name != NULL)
        unescape(name);
    if (name == NULL || strlen(name) >= CONGRU_LABEL_SIZE || strlen(word) >= EVENT_TEXT_SIZE)
        return congru_fail(from->context, CONGRU_ERROR_ARGUMENT,
                           "%s wants CODE=NAME or TEXT=NAME, with commas between (those of a TEXT are \\, and "
                           "\\=), not '%s'",
                           from->where, value);
    for (size_t i = 0; i < rule->event_count; i++)
        if (strcmp(rule->by_text[i].text, word) == 0)
            return congru_fail(from->context, CONGRU_ERROR_ARGUMENT, "%s: %s is named twice", from->where,
                               word);
    congru_event_class event = {.code = -1, .text = word, .class_name = name};
    rule->by_text[rule->event_count] = event;
    if (all_digits(word))
        event = (congru_event_class){.code = (int32_t)strtol(word, NULL, 10), .class_name = name};
    rule->event[rule->event_count++] = event;
    return CONGRU_OK;
}

/* "CODE=NAME,TEXT=NAME,..." */
static congru_status parse_events(value_source *from, const char *value, event_rule *rule)
{
    size_t count = count_words(value);
    rule->words = strdup(value);
    rule->event = calloc(count, sizeof *rule->event);
    rule->by_text = calloc(count, sizeof *rule->by_text);
    if (rule->words == NULL || rule->event == NULL || rule->by_text == NULL)
        return fail_memory(from);
    char *list = rule->words, *word;
    congru_status status = CONGRU_OK;
    while (status == CONGRU_OK && (word = next_word(&list)) != NULL)
        status = add_event(from, rule, word, value);
    return status;
}

static void clear_rules(congru_import *import)
{
    for (size_t i = 0; i < import->rule_count; i++)
        rule_clear(&import->rule[i]);
    import->rule_count = 0;
}

/* Adds a rule for the runs "4 8 12", or with "" for all. */
static congru_status add_rule(value_source *from, const char *runs, const char *value)
{
    congru_import *import = from->import;
    if (!from->by_preset) {
        clear_rules(import);
        import->events_chosen = true;
    }
    if (import->rule_count == EVENT_RULES_MAX)
        return congru_fail(from->context, CONGRU_ERROR_ARGUMENT, "%s: more than %d lines of events",
                           from->where, (int)EVENT_RULES_MAX);
    event_rule *rule = &import->rule[import->rule_count++];
    while (*(runs += strspn(runs, " ")) != '\0') {
        char *end;
        long run = strtol(runs, &end, 10);
        if (end == runs || run < 0 || run > INT32_MAX || rule->run_count == RULE_RUNS_MAX)
            return congru_fail(from->context, CONGRU_ERROR_ARGUMENT, "%s: expected numbers of runs, found '%s'",
                               from->where, runs);
        rule->run[rule->run_count++] = (int32_t)run;
        runs = end;
    }
    return parse_events(from, value, rule);
}

const event_rule *congru_import_events(const congru_import *import, int32_t run)
{
    for (size_t i = 0; i < import->rule_count; i++) {
        const event_rule *rule = &import->rule[i];
        if (rule->run_count == 0)
            return rule;
        for (size_t j = 0; j < rule->run_count; j++)
            if (rule->run[j] == run)
                return rule;
    }
    return NULL;
}

/* ---- File names ---------------------------------------------------------------------------------------- */

static void clear_patterns(congru_import *import)
{
    for (size_t i = 0; i < import->pattern_count; i++) {
        free(import->pattern[i]);
        import->pattern[i] = NULL;
    }
    import->pattern_count = 0;
}

static congru_status add_pattern(value_source *from, const char *value)
{
    congru_import *import = from->import;
    if (!congru_name_pattern_check(from->where, value, NAME_SUBJECT, from->error))
        return fail_value(from);
    if (!from->by_preset)
        clear_patterns(import);
    if (import->pattern_count == PATTERNS_MAX)
        return congru_fail(from->context, CONGRU_ERROR_ARGUMENT, "%s: more than %d patterns", from->where,
                           (int)PATTERNS_MAX);
    return replace_text(from, &import->pattern[import->pattern_count++], value);
}

static congru_status set_session_pattern(value_source *from, const char *value)
{
    if (!congru_name_pattern_check(from->where, value, NAME_SESSION, from->error))
        return fail_value(from);
    return replace_text(from, &from->import->session_pattern, value);
}

/* "NAME=NUMBER,..." */
static congru_status set_sessions(value_source *from, const char *value)
{
    congru_import *import = from->import;
    char *words = strdup(value), *list = words, *word;
    free(import->session);
    import->session_count = 0;
    import->session = calloc(count_words(value), sizeof *import->session);
    congru_status status = words != NULL && import->session != NULL ? CONGRU_OK : fail_memory(from);
    while (status == CONGRU_OK && (word = next_word(&list)) != NULL) {
        session_name *session = &import->session[import->session_count++];
        const char *text = cut_value(word);
        int number = 0;
        if (text == NULL || strlen(word) >= sizeof session->name)
            status = congru_fail(from->context, CONGRU_ERROR_ARGUMENT,
                                 "%s wants NAME=NUMBER, with commas between, not '%s'", from->where, value);
        else if (!congru_value_integer(from->where, text, 0, INT32_MAX, &number, from->error))
            status = fail_value(from);
        if (status == CONGRU_OK) {
            snprintf(session->name, sizeof session->name, "%s", word);
            session->number = number;
        }
    }
    free(words);
    return status;
}

/* ---- Channels ------------------------------------------------------------------------------------------ */

/* The positions "1-22" or "1-3", one for each channel from `count` on; how many there are, or 0 for no positions. */
static size_t add_positions(congru_import *import, const char *word, size_t count)
{
    char *end;
    unsigned long first = strtoul(word, &end, 10);
    unsigned long last = *end == '-' ? strtoul(end + 1, &end, 10) : first;
    if (end == word || *end != '\0' || first < 1 || last < first || last > CHANNELS_MAX)
        return 0;
    for (size_t i = 0; i <= last - first; i++)
        if (count + i < import->preprocessing.channels)
            import->position[count + i] = first + i;
    return last - first + 1;
}

/* "1-22" or "1-3, 8": one for each channel. */
static congru_status set_positions(value_source *from, const char *value)
{
    congru_import *import = from->import;
    char *words = strdup(value), *list = words, *word;
    free(import->position);
    import->position = calloc(import->preprocessing.channels + 1, sizeof *import->position);
    congru_status status = words != NULL && import->position != NULL ? CONGRU_OK : fail_memory(from);
    size_t count = 0;
    while (status == CONGRU_OK && (word = next_word(&list)) != NULL) {
        size_t added = add_positions(import, word, count);
        count += added;
        if (added == 0)
            status = congru_fail(from->context, CONGRU_ERROR_ARGUMENT,
                                 "%s: expected numbers from 1 on such as 1-22, found '%s'", from->where, word);
    }
    if (status == CONGRU_OK && count != import->preprocessing.channels)
        status = congru_fail(from->context, CONGRU_ERROR_ARGUMENT,
                             "%s: %s for %s (they go below the line 'channels')", from->where,
                             congru_count(count, "position").text,
                             congru_count(import->preprocessing.channels, "channel").text);
    free(words);
    return status;
}

/* Channels that are known by position keep their positions when some of them are chosen by name; where one of them is
 * not known so, only the file itself can tell. */
static congru_status choose_positions(value_source *from, const congru_preprocessing *known)
{
    congru_import *import = from->import;
    const congru_preprocessing *p = &import->preprocessing;
    size_t *chosen = calloc(p->channels + 1, sizeof *chosen);
    if (chosen == NULL)
        return fail_memory(from);
    bool all = true;
    for (size_t i = 0; i < p->channels; i++) {
        for (size_t j = 0; j < known->channels; j++)
            if (congru_channel_matches(known->channel_name[j], p->channel_name[i]))
                chosen[i] = import->position[j];
        all = all && chosen[i] > 0;
    }
    free(import->position);
    import->position = chosen;
    if (!all) {
        free(import->position);
        import->position = NULL;
    }
    return CONGRU_OK;
}

static congru_status set_channels(value_source *from, const char *value)
{
    congru_preprocessing *p = &from->import->preprocessing, known = *p;
    p->channels = 0;
    p->channel_name = NULL;
    congru_status status = congru_preprocessing_set(from->context, p, from->where, "channels", value);
    if (status == CONGRU_OK && from->import->position != NULL)
        status = choose_positions(from, &known);
    free(known.channel_name);
    return status;
}

/* ---- Options ------------------------------------------------------------------------------------------- */

static congru_status set_events(value_source *from, const char *value)
{
    return add_rule(from, "", value);
}

static congru_status set_number(value_source *from, const char *value, double low, double high, double *number)
{
    return congru_value_number(from->where, value, low, high, number, from->error) ? CONGRU_OK
                                                                                   : fail_value(from);
}

static congru_status set_rate(value_source *from, const char *value)
{
    return set_number(from, value, 0.001, HZ_MAX, &from->import->rate);
}

static congru_status set_start(value_source *from, const char *value)
{
    from->import->start_given = true;
    return set_number(from, value, -SECONDS_MAX, SECONDS_MAX, &from->import->start);
}

static congru_status set_rest(value_source *from, const char *value)
{
    (void)value;
    from->import->preprocessing.rest = true;
    return CONGRU_OK;
}

static congru_status set_rest_class(value_source *from, const char *value)
{
    if (value[0] == '\0' || strlen(value) >= CONGRU_LABEL_SIZE)
        return congru_fail(from->context, CONGRU_ERROR_ARGUMENT, "%s wants a name of 1 to %d bytes, not '%s'",
                           from->where, CONGRU_LABEL_SIZE - 1, value);
    snprintf(from->import->rest_class, sizeof from->import->rest_class, "%s", value);
    return CONGRU_OK;
}

static congru_status keep_signals(value_source *from, const char *value)
{
    (void)value;
    from->import->keep_signals = true;
    return CONGRU_OK;
}

static congru_status set_bads(value_source *from, const char *value)
{
    size_t choice = 0;
    if (!congru_value_choice(from->where, value, (const char *const[]){"keep", "drop", NULL}, &choice,
                             from->error))
        return fail_value(from);
    from->import->drop_bad = choice == 1;
    return CONGRU_OK;
}

static congru_status set_stream(value_source *from, const char *value)
{
    return replace_text(from, &from->import->stream, value);
}

static congru_status set_unit(value_source *from, const char *value)
{
    congru_import *import = from->import;
    import->unit_auto = strcmp(value, "auto") == 0;
    if (!import->unit_auto)
        return congru_preprocessing_set(from->context, &import->preprocessing, from->where, "unit", value);
    import->preprocessing.scale = 1;
    return CONGRU_OK;
}

static congru_status set_mat_cue(value_source *from, const char *value)
{
    return set_number(from, value, 0, SECONDS_MAX, &from->import->mat_cue);
}

static congru_status pass_over(value_source *from, const char *value)
{
    (void)from;
    (void)value;
    return CONGRU_OK;
}

const congru_option congru_import_options[CONGRU_IMPORT_OPTIONS] = {
    {"events", '\0', "CODE=NAME,...",
     "Which events are trials, by code or by annotation text (TEXT=NAME), and of which class. In a TEXT * "
     "stands for anything ('left*=left'), a tag for MNE's names that have it (left for left/trial1), and a "
     "backslash makes letters of \\, \\= \\*. A text in full goes before one that fits. In a file of trials it "
     "chooses and renames classes. Default: the preset's."},
    {"rest", '\0', NULL, "Take the rest before each cue instead, from -B to -A, as the one class 'rest'."},
    {"rest-class", '\0', "NAME", "Take the rest before each cue, from -B to -A, too, as a class of this name."},
    {"rate", '\0', "HZ",
     "The rate of files of trials, and of CSV, TSV and OpenBCI text, that do not say theirs. Default: unknown, "
     "an error where it is needed."},
    {"start", '\0', "S",
     "Seconds from the cue to the first sample of files of trials that do not say theirs. Default: likewise."},
    {"subject-from", '\0', "PATTERN",
     "Where the subject, and session and run, are in the name of a file: S{subject}R{run}. {subject:2} takes "
     "two characters, * anything. It is compared with the whole name without its folders and extension; with "
     "slashes, {subject}/eeg/*, with as many folders too. Default: the preset's, else the usual schemes "
     "(SxxxRyy, AxxT, BIDS, folders sub-xx/ses-yy), else the name without its extension is the subject."},
    {"session-from", '\0', "PATTERN",
     "The same for the session, if that takes a pattern of its own: *_ses{session}."},
    {"keep-signals", '\0', NULL, "Store the filtered trials beside their covariances."},
    {"bads", '\0', "NAME",
     "Channels that files mark as bad, in FIF (MNE's info['bads']) or in the channels.tsv of BIDS: 'drop' leaves "
     "them out of all files, 'keep' names them. Default: keep."},
    {"stream", '\0', "NAME",
     "The stream wanted of XDF files with several of signals. Default: the one of type EEG, else the only "
     "one, else the one with the channels wanted."},
};

/* The keys of presets and options that are the importer's own; where a key is for presets alone. */
static const struct {
    const char *key;
    congru_status (*set)(value_source *from, const char *value);
    bool preset_only;
} keys[] = {
    {"channels", set_channels, false},
    {"events", set_events, false},
    {"rest", set_rest, false},
    {"rest-class", set_rest_class, false},
    {"rate", set_rate, false},
    {"start", set_start, false},
    {"subject-from", add_pattern, false},
    {"session-from", set_session_pattern, false},
    {"keep-signals", keep_signals, false},
    {"bads", set_bads, false},
    {"stream", set_stream, false},
    {"unit", set_unit, false},
    {"positions", set_positions, true},
    {"files", add_pattern, true},
    {"sessions", set_sessions, true},
    {"mat-cue", set_mat_cue, true},
    {"title", pass_over, true},
    {"source", pass_over, true},
    {"note", pass_over, true},
};

static bool is_preprocessing(const char *name)
{
    for (size_t i = 0; i < CONGRU_PREPROCESSING_OPTIONS; i++)
        if (strcmp(congru_preprocessing_options[i].name, name) == 0)
            return true;
    return false;
}

static congru_status set_key(value_source *from, const char *key, const char *value)
{
    static const char runs[] = "events ";
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
        if (strcmp(keys[i].key, key) == 0 && (from->by_preset || !keys[i].preset_only))
            return keys[i].set(from, value);
    if (from->by_preset && strncmp(key, runs, sizeof runs - 1) == 0)
        return add_rule(from, key + sizeof runs - 1, value);
    if (is_preprocessing(key))
        return congru_preprocessing_set(from->context, &from->import->preprocessing, from->where, key, value);
    return congru_fail(from->context, CONGRU_ERROR_ARGUMENT, "%s: no such key (see 'congru help import')",
                       from->where);
}

/* An option that was set, for whoever wants to import the same again. */
static void remember(congru_import *import, const char *name, const char *value)
{
    congru_text_add(&import->given, " --%s", name);
    if (value != NULL && value[0] != '\0')
        congru_text_add(&import->given, " '%s'", value);
}

congru_status congru_import_set(congru_context *context, congru_import *import, const char *name,
                                const char *value)
{
    if (import == NULL || name == NULL)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT,
                           "congru_import_set: import and name must not be NULL");
    value_source from = {.context = context, .import = import};
    snprintf(from.where, sizeof from.where, "--%s", name);
    congru_status status = set_key(&from, name, value != NULL ? value : "");
    if (status == CONGRU_OK)
        remember(import, name, value);
    return status;
}

static congru_status set_from_preset(void *user, const char *key, const char *value)
{
    value_source *from = user;
    snprintf(from->where, sizeof from->where, "preset %s: %s", from->import->preset, key);
    return set_key(from, key, value);
}

congru_status congru_import_preset(congru_context *context, congru_import *import, const char *name)
{
    if (import == NULL || name == NULL)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT,
                           "congru_import_preset: import and name must not be NULL");
    value_source from = {.context = context, .import = import, .by_preset = true};
    snprintf(from.where, sizeof from.where, "preset %s", name);
    CONGRU_TRY(replace_text(&from, &import->preset, name));
    remember(import, "preset", name);
    return congru_preset_read(context, name, set_from_preset, &from);
}

import_owner congru_import_owner(const congru_import *import)
{
    import_owner owner = {"the model"};
    if (import->preset != NULL)
        congru_format(owner.text, sizeof owner.text, "the preset '%s'", import->preset);
    return owner;
}

/* ---- Meta data ----------------------------------------------------------------------------------------- */

void congru_import_write_rules(const congru_import *import, congru_text *text)
{
    congru_text_add(text, ", \"events\": [");
    for (size_t i = 0; i < import->rule_count; i++) {
        const event_rule *rule = &import->rule[i];
        congru_text_add(text, "%s[\"", i > 0 ? ", " : "");
        for (size_t k = 0; k < rule->run_count; k++)
            congru_text_add(text, "%s%d", k > 0 ? " " : "", (int)rule->run[k]);
        congru_text_add(text, "\"");
        for (size_t k = 0; k < rule->event_count; k++) {
            congru_text_add(text, ", ");
            congru_text_add_json(text, rule->by_text[k].text);
            congru_text_add(text, ", ");
            congru_text_add_json(text, rule->by_text[k].class_name);
        }
        congru_text_add(text, "]");
    }
    congru_text_add(text, "], \"cue\": ");
    congru_text_add_number(text, import->mat_cue, 17);
}

/* Texts of events are kept as they were given, names of classes as they are. */
static void add_word(congru_text *events, const char *before, const char *word, bool name)
{
    congru_text_add(events, "%s", before);
    for (; *word != '\0'; word++)
        congru_text_add(events, name && strchr(escaped, *word) != NULL ? "\\%c" : "%c", *word);
}

/* ["4 8 12", "T1", "left_fist", "T2", "right_fist"] as "T1=left_fist,T2=right_fist" of these runs. */
static bool read_rule(value_source *from, congru_scan *json)
{
    char word[EVENT_TEXT_SIZE], runs[EVENT_TEXT_SIZE] = "";
    congru_text events = {0};
    size_t count = 0;
    bool read = true;
    for (bool first = congru_scan_array(json); congru_scan_element(json, &first); count++) {
        if (!congru_scan_string(json, word, sizeof word))
            return false;
        if (count == 0)
            snprintf(runs, sizeof runs, "%s", word);
        else
            add_word(&events, count % 2 == 0 ? "=" : count > 1 ? "," : "", word, count % 2 == 0);
    }
    read = !json->failed && !events.failed && events.data != NULL &&
           add_rule(from, runs, events.data) == CONGRU_OK;
    congru_text_clear(&events);
    return read;
}

static bool read_rules(value_source *from, congru_scan *json)
{
    for (bool first = congru_scan_array(json); congru_scan_element(json, &first);)
        if (!read_rule(from, json))
            return false;
    return !json->failed;
}

static congru_status read_meta(congru_context *context, congru_import *import, const char *meta)
{
    char key[64];
    value_source from = {.context = context, .import = import, .by_preset = true, .where = "events"};
    congru_scan json = congru_scan_start(meta, strlen(meta));
    clear_rules(import);
    for (bool first = congru_scan_object(&json); congru_scan_member(&json, &first, key, sizeof key);) {
        bool read = strcmp(key, "events") == 0 ? read_rules(&from, &json)
                    : strcmp(key, "cue") == 0  ? congru_scan_number(&json, &import->mat_cue)
                                               : congru_scan_skip(&json);
        if (!read)
            return congru_fail(context, CONGRU_ERROR_FORMAT,
                               "the meta data has a value for '%s' that cannot be", key);
    }
    return CONGRU_OK;
}

congru_status congru_import_like(congru_context *context, congru_import *import,
                                 const congru_preprocessing *like, const char *meta)
{
    congru_preprocessing copy;
    if (import == NULL || like == NULL)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT,
                           "congru_import_like: import and like must not be NULL");
    CONGRU_TRY(congru_preprocessing_copy(context, like, &copy));
    /* A trained set of a rate of its own: files of another rate are brought to it. */
    if (copy.resample <= 0)
        copy.resample = copy.rate;
    congru_preprocessing_own_filters(&copy);
    copy.whole = !(copy.window[1] > copy.window[0]);
    if (copy.channels > 0 && copy.channel_name[0][0] == '\0')
        copy.channels = 0;
    congru_preprocessing_clear(&import->preprocessing);
    import->preprocessing = copy;
    remember(import, "like", "MODEL");
    return meta != NULL ? read_meta(context, import, meta) : CONGRU_OK;
}

congru_status congru_import_create(congru_context *context, congru_import **import)
{
    if (import == NULL)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT, "congru_import_create: import must not be NULL");
    *import = calloc(1, sizeof **import);
    if (*import == NULL)
        return congru_fail_memory(context, "an importer");
    congru_preprocessing_init(&(*import)->preprocessing);
    return CONGRU_OK;
}

void congru_import_destroy(congru_import **import)
{
    if (import == NULL || *import == NULL)
        return;
    congru_import *made = *import;
    congru_preprocessing_clear(&made->preprocessing);
    clear_rules(made);
    clear_patterns(made);
    free(made->preset);
    congru_text_clear(&made->given);
    free(made->position);
    free(made->stream);
    free(made->session_pattern);
    free(made->session);
    free(made);
    *import = NULL;
}
