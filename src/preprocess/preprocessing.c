/* The description of preprocessing: defaults, options by name, one line of words. SPDX-License-Identifier: Apache-2.0 */
#include "preprocess/preprocessing.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/number_text.h"
#include "congru/spd.h"

enum {
    HZ_MAX = 1000000,
    SECONDS_MAX = 100000,
    ORDER_MAX = 10,
    ORDER_DEFAULT = 4,
    CHANNELS_MAX = CONGRU_DIMENSION_MAX
};

static const char *const estimator_names[] = {
    [CONGRU_ESTIMATOR_SCM] = "scm",
    [CONGRU_ESTIMATOR_OAS] = "oas",
    [CONGRU_ESTIMATOR_LWF] = "lwf",
    [CONGRU_ESTIMATOR_CSP] = "csp",
};

const char *congru_estimator_name(congru_estimator estimator)
{
    return (size_t)estimator < sizeof estimator_names / sizeof estimator_names[0] ? estimator_names[estimator]
                                                                                  : "unknown";
}

void congru_preprocessing_init_raw(congru_preprocessing *p)
{
    if (p == NULL)
        return;
    *p = (congru_preprocessing){
        .scale = 1, .order = ORDER_DEFAULT, .whole = true, .estimator = CONGRU_ESTIMATOR_SCM};
}

void congru_preprocessing_init(congru_preprocessing *p)
{
    if (p == NULL)
        return;
    *p = (congru_preprocessing){
        .scale = 1,
        .band = {8, 35},
        .order = ORDER_DEFAULT,
        .notch = 50,
        .window = {0.5, 3.5},
        .estimator = CONGRU_ESTIMATOR_SCM,
    };
}

void congru_preprocessing_clear(congru_preprocessing *p)
{
    if (p == NULL)
        return;
    free(p->channel_name);
    *p = (congru_preprocessing){0};
}

congru_status congru_preprocessing_name_channels(congru_context *context, congru_preprocessing *p, size_t count,
                                                 const char (*name)[CONGRU_LABEL_SIZE])
{
    char(*names)[CONGRU_LABEL_SIZE] = calloc(count + 1, sizeof *names);
    if (names == NULL)
        return congru_fail_memory(context, "the names of %zu channels", count);
    if (count > 0)
        memcpy(names, name, count * sizeof *names);
    free(p->channel_name);
    p->channel_name = names;
    p->channels = count;
    return CONGRU_OK;
}

congru_status congru_preprocessing_copy(congru_context *context, const congru_preprocessing *from,
                                        congru_preprocessing *to)
{
    if (from == NULL || to == NULL)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT,
                           "congru_preprocessing_copy: from and to must not be NULL");
    *to = *from;
    to->channel_name = NULL;
    to->channels = 0;
    return congru_preprocessing_name_channels(context, to, from->channels,
                                              (const char(*)[CONGRU_LABEL_SIZE])from->channel_name);
}

/* ---- Options ------------------------------------------------------------------------------------------- */

/* What an option is given: where to put it, and how a line about it begins. */
typedef struct option_value {
    congru_preprocessing *p;
    const char *where, *text;
    char error[CONGRU_VALUE_ERROR_SIZE];
} option_value;

typedef bool (*option_setter)(option_value *value);

static bool fail_value(option_value *value, const char *what, const char *word)
{
    snprintf(value->error, sizeof value->error, "%s: '%s' %s", value->where, word, what);
    return false;
}

static bool is_off(const option_value *value)
{
    return strcmp(value->text, "off") == 0;
}

static bool set_hertz(option_value *value, double *hertz)
{
    if (is_off(value)) {
        *hertz = 0;
        return true;
    }
    return congru_value_number(value->where, value->text, 0.001, HZ_MAX, hertz, value->error);
}

static bool set_band_of(option_value *value, double band[2])
{
    if (is_off(value)) {
        band[0] = band[1] = 0;
        return true;
    }
    return congru_value_range(value->where, value->text, 0, HZ_MAX, band, value->error);
}

static bool set_switch(option_value *value, const char *no, const char *yes, bool *state)
{
    size_t choice = 0;
    if (!congru_value_choice(value->where, value->text, (const char *const[]){no, yes, NULL}, &choice,
                             value->error))
        return false;
    *state = choice == 1;
    return true;
}

/* Adds a channel's name; false for one that is empty, too long or there already. */
static bool add_channel(option_value *value, const char *word, size_t size)
{
    congru_preprocessing *p = value->p;
    char name[CONGRU_LABEL_SIZE] = "";
    while (size > 0 && (*word == ' ' || *word == '\t')) {
        word++;
        size--;
    }
    while (size > 0 && (word[size - 1] == ' ' || word[size - 1] == '\t'))
        size--;
    if (size == 0) {
        snprintf(value->error, sizeof value->error,
                 "%s wants words with commas between, none of them empty, not '%s'", value->where, value->text);
        return false;
    }
    if (size >= sizeof name) {
        snprintf(value->error, sizeof value->error, "%s: '%.*s' is too long for a channel's name", value->where,
                 (int)size, word);
        return false;
    }
    memcpy(name, word, size);
    for (size_t i = 0; i < p->channels; i++)
        if (congru_channel_matches(name, p->channel_name[i])) {
            snprintf(value->error, sizeof value->error, "%s: %s is named twice", value->where, name);
            return false;
        }
    memcpy(p->channel_name[p->channels++], name, sizeof name);
    return true;
}

static bool set_channels(option_value *value)
{
    congru_preprocessing *p = value->p;
    size_t count = 1;
    for (const char *at = value->text; *at != '\0'; at++)
        count += *at == ',';
    if (count > CHANNELS_MAX)
        return fail_value(value, "has too many channels", value->text);
    char(*names)[CONGRU_LABEL_SIZE] = calloc(count, sizeof *names);
    if (names == NULL)
        return fail_value(value, "takes more memory than there is", value->text);
    free(p->channel_name);
    p->channel_name = names;
    p->channels = 0;
    for (const char *at = value->text;; at++) {
        size_t size = strcspn(at, ",");
        if (!add_channel(value, at, size))
            return false;
        at += size;
        if (*at == '\0')
            return true;
    }
}

static bool set_unit(option_value *value)
{
    static const char *const names[] = {"uV", "mV", "V", NULL};
    static const double scales[] = {1, 1e3, 1e6};
    size_t choice = 0;
    if (!congru_value_choice(value->where, value->text, names, &choice, value->error))
        return false;
    value->p->scale = scales[choice];
    return true;
}

static bool set_band(option_value *value)
{
    return set_band_of(value, value->p->band);
}

static bool set_filtered(option_value *value)
{
    return set_band_of(value, value->p->filtered);
}

static bool set_order(option_value *value)
{
    return congru_value_integer(value->where, value->text, 1, ORDER_MAX, &value->p->order, value->error);
}

static bool set_filter(option_value *value)
{
    return set_switch(value, "iir", "fir", &value->p->fir);
}

static bool set_causal(option_value *value)
{
    value->p->causal = true;
    return true;
}

static bool set_notch(option_value *value)
{
    return set_hertz(value, &value->p->notch);
}

static bool set_harmonics(option_value *value)
{
    value->p->harmonics = true;
    return true;
}

static bool set_resample(option_value *value)
{
    return set_hertz(value, &value->p->resample);
}

static bool set_reference(option_value *value)
{
    return set_switch(value, "none", "average", &value->p->average_reference);
}

static bool set_window(option_value *value)
{
    value->p->whole = strcmp(value->text, "all") == 0;
    if (value->p->whole) {
        value->p->window[0] = value->p->window[1] = 0;
        return true;
    }
    return congru_value_range(value->where, value->text, -SECONDS_MAX, SECONDS_MAX, value->p->window,
                              value->error);
}

static bool set_baseline(option_value *value)
{
    congru_preprocessing *p = value->p;
    p->baseline_whole = strcmp(value->text, "all") == 0;
    if (p->baseline_whole || is_off(value)) {
        p->baseline[0] = p->baseline[1] = 0;
        return true;
    }
    return congru_value_range(value->where, value->text, -SECONDS_MAX, SECONDS_MAX, p->baseline, value->error);
}

static bool set_shrinkage(option_value *value)
{
    return congru_value_number(value->where, value->text, 0, 1, &value->p->shrinkage, value->error);
}

static bool set_rest_rule(option_value *value)
{
    return set_switch(value, "any", "inside", &value->p->rest_inside);
}

static bool set_rejected(option_value *value)
{
    return set_switch(value, "keep", "drop", &value->p->drop_rejected);
}

static bool set_reject(option_value *value)
{
    if (is_off(value)) {
        value->p->reject = 0;
        return true;
    }
    return congru_value_number(value->where, value->text, 0.001, 1e9, &value->p->reject, value->error);
}

static bool set_regress(option_value *value)
{
    if (value->text[0] == '\0' || strlen(value->text) >= sizeof value->p->regress)
        return fail_value(value, "is no list of channels", value->text);
    strcpy(value->p->regress, value->text);
    return true;
}

static bool set_estimator(option_value *value)
{
    static const char *const names[] = {"scm", "oas", "lwf", NULL};
    size_t choice = CONGRU_ESTIMATOR_SCM;
    if (!congru_value_choice(value->where, value->text, names, &choice, value->error))
        return false;
    value->p->estimator = (congru_estimator)choice;
    return true;
}

static bool set_trace(option_value *value)
{
    return set_switch(value, "off", "on", &value->p->trace_normalise);
}

const congru_option congru_preprocessing_options[CONGRU_PREPROCESSING_OPTIONS] = {
    {"channels", '\0', "A,B,...",
     "The channels wanted, in that order; case and trailing dots do not matter. Default: all EEG channels of a "
     "recording, all of a file of trials."},
    {"unit", '\0', "NAME",
     "The unit of files of trials, which do not say theirs: 'uV', 'mV' or 'V' (MNE's); in import also 'auto', "
     "which takes each file in the unit in which its signals are nearest to 10 uV. Default: uV."},
    {"reference", '\0', "NAME",
     "'none', or 'average' to subtract the mean of the channels, which leaves covariances of one rank less: "
     "see --estimator. Default: none."},
    {"band", '\0', "LO:HI",
     "The band-pass in Hz, zero phase; LO 0 makes it a low-pass; 'off' leaves it out. Default: 8:35 in import, "
     "off for signals of a set."},
    {"order", '\0', "N", "The order of the Butterworth band-pass, 1 to 10. Default: 4."},
    {"filter", '\0', "NAME",
     "The band-pass: 'iir' (Butterworth, forward and backward) or 'fir' (linear phase, its delay removed). "
     "Default: iir."},
    {"causal", '\0', NULL,
     "Filter forward only, as a stream is filtered, instead of with zero phase: for models that 'congru "
     "stream' is to use. Of pipelines with a preprocessing of their own the same."},
    {"notch", '\0', "HZ",
     "The mains frequency to remove; 'off' leaves it in. Default: 50 in import, off for signals of a set."},
    {"harmonics", '\0', NULL, "Remove the multiples of the notch frequency, too."},
    {"filtered", '\0', "LO:HI",
     "The samples went through this band-pass elsewhere: it is recorded, and a stream is filtered so. Default: "
     "not known."},
    {"resample", '\0', "HZ", "Bring every file to this rate, after the filters. Default: off."},
    {"window", '\0', "A:B",
     "Seconds after the cue, the last excluded; 'all' takes trials that were cut already as they are. Default: "
     "0.5:3.5 in import, all for signals of a set."},
    {"estimator", '\0', "NAME",
     "Covariances: 'scm' (sample), 'oas' or 'lwf' (shrunk towards a multiple of the identity). Default: scm."},
    {"trace-normalise", '\0', "NAME", "Divide each covariance by its trace: 'on' or 'off'. Default: off."},
    {"shrinkage", '\0', "PART",
     "Draw each covariance towards the multiple of the identity that has its trace, by this part, 0 to 1, "
     "after the estimator. Default: 0."},
    {"baseline", '\0', "A:B",
     "Take each channel's mean over these seconds from the cue off a trial before it is filtered; 'all': that "
     "of the whole trial, with --causal of what of it lies before the cue; 'off'. For trials that were cut "
     "already. Default: off."},
    {"rest-rule", '\0', "NAME",
     "'inside' drops a trial whose rest, from -B to -A before its cue, leaves the recording, as the paper "
     "does; 'any' does not look at it. Default: any, or the preset's."},
    {"rejected", '\0', "NAME",
     "Trials the recording marks as rejected (code 1023): 'keep' or 'drop'. Default: keep."},
    {"reject", '\0', "UV",
     "Leave out trials in which a channel, filtered and cut, swings over more microvolts than this from its "
     "least to its largest sample, and in a stream say so of such windows; 'off' keeps all. Default: off."},
    {"regress", '\0', "A,B,...",
     "Regress these channels, such as EOG, out of the others of each subject, by least squares over all "
     "samples and without labels, and leave them out: for files of trials that hold them. Default: none."},
};

/* What each of them does. */
static const struct {
    const char *name;
    option_setter set;
} setters[] = {
    {"channels", set_channels},     {"unit", set_unit},
    {"reference", set_reference},   {"band", set_band},
    {"order", set_order},           {"filter", set_filter},
    {"causal", set_causal},         {"notch", set_notch},
    {"harmonics", set_harmonics},   {"filtered", set_filtered},
    {"resample", set_resample},     {"window", set_window},
    {"rest-rule", set_rest_rule},   {"rejected", set_rejected},
    {"reject", set_reject},         {"estimator", set_estimator},
    {"trace-normalise", set_trace}, {"shrinkage", set_shrinkage},
    {"baseline", set_baseline},     {"regress", set_regress},
};

congru_status congru_preprocessing_set(congru_context *context, congru_preprocessing *p, const char *where,
                                       const char *name, const char *value)
{
    if (p == NULL || name == NULL)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT,
                           "congru_preprocessing_set: p and name must not be NULL");
    char own[64];
    snprintf(own, sizeof own, "--%s", name);
    option_value given = {.p = p, .where = where != NULL ? where : own, .text = value != NULL ? value : ""};
    for (size_t i = 0; i < sizeof setters / sizeof setters[0]; i++) {
        if (strcmp(setters[i].name, name) != 0)
            continue;
        if (setters[i].set(&given))
            return CONGRU_OK;
        return congru_fail(context, CONGRU_ERROR_ARGUMENT, "%s", given.error);
    }
    return congru_fail(context, CONGRU_ERROR_ARGUMENT, "%s: no such option of preprocessing", given.where);
}

congru_status congru_preprocessing_check(congru_context *context, const congru_preprocessing *p)
{
    if (p == NULL)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT, "congru_preprocessing_check: p must not be NULL");
    if (p->whole && p->rest)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT, "--rest needs a window, not --window all");
    if (p->causal && p->fir)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT, "--causal is for --filter iir");
    return CONGRU_OK;
}

/* ---- Words --------------------------------------------------------------------------------------------- */

/* Adds to a line that is cut to fit. */
static void add(char *line, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void add(char *line, const char *format, ...)
{
    size_t used = strlen(line);
    va_list values;
    if (used > 0 && used + 2 < CONGRU_PREPROCESSING_LINE_SIZE) {
        memcpy(line + used, ", ", 3);
        used += 2;
    }
    va_start(values, format);
    congru_format_list(line + used, CONGRU_PREPROCESSING_LINE_SIZE - used, format, values);
    va_end(values);
}

static void add_filters(const congru_preprocessing *p, char *line)
{
    const char *phase = p->causal ? "causal" : "zero phase";
    if (p->band[1] > 0 && p->fir)
        add(line, "%g to %g Hz (linear-phase FIR)", p->band[0], p->band[1]);
    else if (p->band[1] > 0)
        add(line, "%g to %g Hz (Butterworth of order %d, %s)", p->band[0], p->band[1], p->order, phase);
    else if (p->filtered[1] <= 0)
        add(line, "no band-pass");
    if (p->filtered[1] > 0)
        add(line, "filtered elsewhere %g to %g Hz", p->filtered[0], p->filtered[1]);
    if (p->notch > 0)
        add(line, "notch %g Hz%s", p->notch, p->harmonics ? " and its multiples" : "");
}

void congru_preprocessing_print(const congru_preprocessing *p, char line[CONGRU_PREPROCESSING_LINE_SIZE])
{
    if (p == NULL || line == NULL)
        return;
    line[0] = '\0';
    if (p->scale != 1)
        add(line, "samples times %g", p->scale);
    if (p->baseline_whole)
        add(line, "each trial's mean taken off");
    else if (p->baseline[1] > p->baseline[0])
        add(line, "the mean of %g to %g s taken off", p->baseline[0], p->baseline[1]);
    if (p->average_reference)
        add(line, "average reference");
    if (p->regress[0] != '\0')
        add(line, "%s regressed out", p->regress);
    add_filters(p, line);
    if (p->resample > 0)
        add(line, "resampled to %g Hz", p->resample);
    if (p->window[1] > p->window[0] && p->rest)
        add(line, "the rest %g to %g s before the cue", p->window[0], p->window[1]);
    else if (p->window[1] > p->window[0])
        add(line, "%g to %g s after the cue", p->window[0], p->window[1]);
    else if (p->whole)
        add(line, "whole trials");
    add(line, "%s%s", congru_estimator_name(p->estimator), p->trace_normalise ? " over its trace" : "");
    if (p->reject > 0)
        add(line, "trials beyond %g uV left out", p->reject);
    if (p->shrinkage > 0)
        add(line, "shrunk by %g", p->shrinkage);
}
