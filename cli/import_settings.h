/* How files become trials: the options of congru import and of presets. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_CLI_IMPORT_SETTINGS_H
#define CONGRU_CLI_IMPORT_SETTINGS_H

#include <stdbool.h>

#include "congru/dataset.h"
#include "options.h"
#include "text_list.h"

/* The options by their place in the table. */
typedef enum import_option {
    IMPORT_OUTPUT,
    IMPORT_PRESET,
    IMPORT_CHANNELS,
    IMPORT_BAND,
    IMPORT_ORDER,
    IMPORT_FILTER,
    IMPORT_CAUSAL,
    IMPORT_NOTCH,
    IMPORT_HARMONICS,
    IMPORT_RATE,
    IMPORT_RESAMPLE,
    IMPORT_REFERENCE,
    IMPORT_WINDOW,
    IMPORT_REST,
    IMPORT_EVENTS,
    IMPORT_REJECTED,
    IMPORT_SUBJECT_FROM,
    IMPORT_SESSION_FROM,
    IMPORT_ESTIMATOR,
    IMPORT_TRACE_NORMALISE,
    IMPORT_KEEP_SIGNALS,
    IMPORT_JOBS,
    IMPORT_OPTIONS
} import_option;

extern const option import_options[IMPORT_OPTIONS];

enum { EVENT_RULES_MAX = 16, RULE_RUNS_MAX = 32, PATTERNS_MAX = 8 };

/* Which events are trials, in files of some runs or of all. */
typedef struct event_rule {
    size_t run_count; /* 0: any run */
    int32_t run[RULE_RUNS_MAX];
    text_list words; /* what the two below point into */
    size_t event_count;
    congru_event_class *event;   /* (event_count) where a key of digits is a code */
    congru_event_class *by_text; /* (event_count) where it is a text: for files that have no codes */
} event_rule;

/* Freed by import_settings_clear. */
typedef struct import_settings {
    const char *preset; /* its name, or NULL */
    text_list channels; /* none: all EEG channels */
    size_t *position;   /* (channels.count), from 1, of files that do not name them; or NULL */
    bool band_given;    /* false: no band-pass */
    double band[2];
    int order;
    bool fir;
    double notch; /* Hz; 0: none */
    bool harmonics;
    bool causal;     /* filters run forward only, as those of a stream */
    double rate;     /* Hz, of files of trials that do not say theirs; 0: unknown */
    double resample; /* Hz; 0: as it is */
    bool average_reference;
    bool window_all; /* of trials that were cut already */
    double window[2];
    bool rest;
    event_rule rule[EVENT_RULES_MAX];
    size_t rule_count;
    bool events_chosen; /* on the command line: other classes of files of trials go */
    bool drop_rejected;
    char *pattern[PATTERNS_MAX]; /* of file names, tried in order; none: the name is the subject */
    size_t pattern_count;
    char *session_pattern; /* or NULL */
    text_list sessions;    /* "NAME", with its number in session_number */
    int32_t *session_number;
    double mat_cue; /* seconds from an event to the cue in .mat recordings */
    congru_set_options set;
    int jobs;
} import_settings;

/* The names of estimators, in the order of congru_estimator, ended by NULL. */
extern const char *const import_estimators[];

/* Fills the settings from the defaults, the preset if one is named, and the command line, each going before the
 * one before it. Returns EXIT_DONE, or prints one line. Clear the settings in either case. */
int import_settings_parse(const arguments *parsed, import_settings *settings);

/* The events of a file: those for its run, or those for any. NULL when there are only rules for other runs, or
 * no rule at all. `run` is -1 when unknown. */
const event_rule *import_settings_events(const import_settings *settings, int32_t run);

void import_settings_clear(import_settings *settings);

#endif
