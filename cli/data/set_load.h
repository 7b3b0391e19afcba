/* Sets, presets and models with what they are asked about, for every command that takes one. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_CLI_SET_LOAD_H
#define CONGRU_CLI_SET_LOAD_H

#include <stdbool.h>

#include "congru/congru.h"
#include "options.h"

/* Put into a command's option table as `.more`; followed by the methods' options. */
extern const option_table set_option_table;

/* Reads the set at `path`; keeps the classes and sessions asked for; makes covariances of its signals where an option asks for it or it
 * holds signals alone; the signals stay as wide as they are. Returns EXIT_DONE, or prints one line. */
int set_load(congru_context *context, const arguments *parsed, const char *path, congru_set **set);

/* The name of the file without folder and extension, in a text of the caller's. */
void set_short_name(const char *path, char *name, size_t size);

/* Whether it is neither the name of a preset nor that of a file. */
bool preset_is_unknown(const char *name);

/* Prints a line that suggests the nearest name; `who` begins it. Returns EXIT_USAGE. */
int preset_fail_unknown(const char *who, const char *name);

/* Rows that both commands have. */
#define ASK_OPTION_TABLE \
    {"subjects", '\0', "A,B,...", "Only these subjects, each as a subject of its own. Default: all."}, \
        {"target", '\0', "MODE", \
         "How much of a subject's unlabelled trials may be seen: 'full', '50p' or '20p' (the first half or " \
         "fifth), 'none', or 'online' (each trial with those before it). Default: full."}, \
        {"align-by", '\0', "NAME", \
         "Align each 'subject', or each 'session' of a subject by itself. Default: subject."}, \
        {"unlabelled", '\0', NULL, \
         "Use no labels at all: a model that was made with --rpa-labels otherwise takes a few of those the set " \
         "has, and leaves out the trials they belong to."}, \
        {"events", '\0', "CODE=NAME,...", \
         "Which events of a recording are trials. Default: as in the files the model was fitted on."}, \
        {"unit", '\0', "NAME", "The unit of signals that do not say theirs: 'uV', 'mV' or 'V'. Default: uV."}, \
        {"stream", '\0', "NAME", \
         "The stream wanted of XDF files with several of signals. Default: the one of type EEG, else " \
         "the one with the model's channels."}, \
    { \
        "jobs", 'j', "N", "Threads; the numbers are the same with any. Default: 0, one per processor." \
    }

/* A model's predictions about a set. */
typedef struct model_answers {
    congru_context *context;
    congru_model *model;
    congru_set *set;
    congru_table imported; /* what became of recordings and files of trials; empty for a set */
    size_t found, dropped; /* trials of theirs */
    congru_predictions *predictions;
    int32_t *subjects;
    char dataset[256]; /* the set's name */
} model_answers;

/* Loads the operands, MODEL and a SET or recordings, treated as the model's own were, and asks. Returns EXIT_DONE, or
 * prints one line. Freed by model_answers_clear in either case. */
int model_ask(const arguments *parsed, bool keep_aligned, model_answers *answers);
void model_answers_clear(model_answers *answers);

/* Prints how many trials of the files were dropped, and which; nothing where all were kept. */
void model_answers_print_dropped(const model_answers *answers);

/* The meta data of the set a model was fitted on, as JSON; NULL when it has none. */
const char *model_meta(const congru_model *model);

#endif
