/* What the files of the importer share. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_IMPORT_INTERNAL_H
#define CONGRU_IMPORT_INTERNAL_H

#include "base/error.h"
#include "base/text.h"
#include "base/text_set.h"
#include "congru/import.h"
#include "import/name_pattern.h"

enum {
    EVENT_RULES_MAX = 16,
    RULE_RUNS_MAX = 32,
    PATTERNS_MAX = 8,
    IMPORT_ERROR_SIZE = 2048,
    IMPORT_SEEN_MAX = 64,
    IMPORT_BURSTS_NAMED = 4
};

/* Which events are trials, in files of some runs or of all. */
typedef struct event_rule {
    size_t run_count; /* 0: any run */
    int32_t run[RULE_RUNS_MAX];
    char *words; /* what the two below point into */
    size_t event_count;
    congru_event_class *event;   /* (event_count) where a key of digits is a code */
    congru_event_class *by_text; /* (event_count) where it is a text: for files that have no codes */
} event_rule;

typedef struct session_name {
    char name[CONGRU_LABEL_SIZE];
    int32_t number;
} session_name;

struct congru_import {
    char *preset;      /* its name, or NULL */
    char *stream;      /* of files of several streams, its name; or NULL */
    congru_text given; /* the options that were set, as a command line: " --preset 'eegmmidb' --band '8:30'" */
    congru_preprocessing preprocessing;
    size_t *position; /* (preprocessing.channels), from 1, of files that do not name them; or NULL */
    double rate;      /* Hz, of files of trials and of text that do not say theirs; 0: unknown */
    double start;     /* seconds from the cue, likewise, where start_given */
    bool start_given;
    char rest_class[CONGRU_LABEL_SIZE]; /* take the rest before each cue too, as this class; "": not */
    event_rule rule[EVENT_RULES_MAX];
    size_t rule_count;
    bool events_chosen;          /* not by a preset: other classes of files of trials go */
    char *pattern[PATTERNS_MAX]; /* of file names, tried in order; none: the usual schemes */
    size_t pattern_count;
    char *session_pattern; /* or NULL */
    session_name *session; /* (session_count) numbers of sessions that have a name */
    size_t session_count;
    bool unit_auto;             /* each file is taken in the unit in which it is EEG */
    bool drop_bad;              /* channels that any file marks as bad are left out of all */
    const congru_text_set *bad; /* and which those are, while files are imported; or NULL */
    double mat_cue;             /* seconds from an event to the cue in .mat recordings */
    bool keep_signals;
};

/* The events of a file: those for its run, or those for any. NULL when there are only rules for other runs, or no rule
 * at all. `run` is -1 when unknown. */
const event_rule *congru_import_events(const congru_import *import, int32_t run);

/* Whose the events are, for messages: "the preset 'eegmmidb'", or "the model" whose trials they were. */
typedef struct import_owner {
    char text[96];
} import_owner;

import_owner congru_import_owner(const congru_import *import);

/* Adds `, "events": [...]`: members of a set's meta data, which congru_import_like reads. */
void congru_import_write_rules(const congru_import *import, congru_text *text);

/* ---- Files --------------------------------------------------------------------------------------------- */

/* What the trials of a file are like. */
typedef struct import_quality {
    double amplitude; /* microvolts, the median deviation; 0: unknown */
    double factor;    /* that they were multiplied by, 1 unless unit_auto */
    size_t bursts;    /* trials with a channel that swings ten times as far as it usually does, */
    size_t burst[IMPORT_BURSTS_NAMED];
    double largest;  /* and how far at most */
    size_t channels; /* that usually swing ten times as far as the others; the worst: */
    char channel[CONGRU_LABEL_SIZE];
    double channel_factor;
} import_quality;

/* A file: what its name says, then what became of it. */
typedef struct import_file {
    const char *path;
    name_parts name;
    int32_t session, run; /* -1: the name does not say */
    congru_epochs *epochs;
    congru_epochs *rest;         /* the rest before the cues, where the importer takes it too */
    congru_epochs_report report; /* `found` is all trials of a file of trials */
    bool own_events;             /* from a table beside it that is not BIDS's */
    bool left_out;               /* its run has no task in the preset: nothing was read of it */
    size_t trials;               /* that are in the set */
    size_t subjects;             /* that the file itself tells apart; 0: its name is one */
    bool covariances;            /* it holds those, not signals */
    import_quality quality;
    uint64_t seen;    /* bit k: it has event k of its rule */
    char events[400]; /* the events or classes it has, for messages */
    congru_status status;
    char error[IMPORT_ERROR_SIZE]; /* why not CONGRU_OK */
} import_file;

/* Reads the subject, session and run of each file out of its name, and refuses two files that say the same. `scheme`
 * says how subjects were told apart. */
congru_status congru_import_files_identify(congru_context *context, const congru_import *import,
                                           import_file *files, size_t count, char *scheme, size_t scheme_size);

/* What is done to samples before their unit is known: everything but leaving trials out by it. A view, not to be cleared. */
congru_preprocessing congru_import_preparation(const congru_import *import);

/* Reads the file and fills `epochs` and `report`, or `status` and `error`. It runs in several threads at a time, each
 * with a context of its own. */
void congru_import_file_read(congru_context *context, const congru_import *import, import_file *file);

/* Puts the file's name before the context's error text unless it begins with it already; CONGRU_OK is passed on. */
congru_status congru_import_name_file(congru_context *context, const char *path, congru_status status);

/* The trials of a recording: import_recording.c. */
congru_status congru_import_recording_read(congru_context *context, const congru_import *import,
                                           import_file *file);

/* Why no file is left: the first is of a run that has no task in the preset. */
congru_status congru_import_fail_no_task(congru_context *context, const congru_import *import,
                                         import_file *file);

/* Puts the events of the table beside a recording in the place of its own, where there is one: the _events.tsv of BIDS, or
 * NAME_events.tsv or NAME_events.csv; *own for the latter two. */
congru_status congru_import_side_events(congru_context *context, const char *path, congru_recording *recording,
                                        bool *own);

/* Whether a path is that of the events of a recording. */
bool congru_import_is_table_of(const char *path, const char *recording);

/* Adds the names that the _channels.tsv beside a BIDS recording marks as bad. */
congru_status congru_import_bids_bad(congru_context *context, const char *path, congru_text_set *bad);

/* Finds the channels that files mark as bad and tells of them. *own is `import` as it is then carried out, without them
 * where they are left out: it shares what it does not change, and is freed by the last function, after `bad`'s users. */
congru_status congru_import_find_bad(congru_context *context, const congru_import *import,
                                     const import_file *files, size_t count, congru_import *own,
                                     congru_text_set *bad);
void congru_import_clear_own(const congru_import *import, congru_import *own);

/* The trials of a file of trials: import_epochs.c. */
congru_status congru_import_epochs_read(congru_context *context, const congru_import *import,
                                        import_file *file);

/* ---- Quality: import_quality.c ------------------------------------------------------------------------- */

/* Judges the trials that were cut; where units are found out, takes the file in the one that fits, and rejects trials. */
congru_status congru_import_finish_file(congru_context *context, const congru_import *import,
                                        import_file *file);

/* Refuses a file whose signals are of another order of magnitude than the first's. */
congru_status congru_import_check_amplitude(congru_context *context, const import_file *first,
                                            const import_file *file);

/* Tells of units, trials and channels that are unlike the others, a line for each. */
void congru_import_tell_quality(congru_context *context, const import_file *files, size_t count);

/* ---- Threads ------------------------------------------------------------------------------------------- */

typedef struct import_pool import_pool;

/* Starts `threads` threads, each with a context of one thread, that read the files in order with congru_import_file_read, no
 * further ahead of congru_import_pool_wait than memory for two files each. */
congru_status congru_import_pool_start(congru_context *context, const congru_import *import, import_file *files,
                                       size_t count, size_t threads, import_pool **pool);

/* Waits until file `index` was read; calls come for 0, 1, 2, ... */
void congru_import_pool_wait(import_pool *pool, size_t index);

/* Lets the threads end after the file each is at, and frees the pool; NULL is allowed. */
void congru_import_pool_stop(import_pool **pool);

/* ---- Presets ------------------------------------------------------------------------------------------- */

/* share/presets/README.md describes the lines. Those of share/presets are compiled in. */
typedef struct preset {
    const char *name;
    const char *const *lines; /* ended by NULL */
} preset;

/* All that are compiled in, by name, ended by a NULL name; made from share/presets by tools/embed-presets.sh. */
extern const preset congru_presets[];

/* Called for each key in the order of the lines, with its whole value; not CONGRU_OK ends the reading. */
typedef congru_status (*preset_visit)(void *user, const char *key, const char *value);

/* Reads the lines of a preset, or of a file of that form when the name has a slash or ends in .txt. */
congru_status congru_preset_read(congru_context *context, const char *name, preset_visit visit, void *user);

#endif
