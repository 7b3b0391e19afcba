/* Files of recordings and trials into one set. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_IMPORT_H
#define CONGRU_IMPORT_H

#include "congru/dataset.h"

#ifdef __cplusplus
extern "C" {
#endif

/* An importer holds how files become trials; it can then be used for any number of files:
 *
 *     congru_import_create(context, &import);
 *     congru_import_preset(context, import, "eegmmidb");
 *     congru_import_set(context, import, "band", "8:30");
 *     congru_import_run(context, import, paths, count, &set, &summary);
 */
typedef struct congru_import congru_import;

CONGRU_API congru_status congru_import_create(congru_context *context, congru_import **import);

/* Sets *import to NULL; NULL is allowed. */
CONGRU_API void congru_import_destroy(congru_import **import);

/* The importer's own options; those of congru_preprocessing_options are taken too. */
enum { CONGRU_IMPORT_OPTIONS = 10 };
CONGRU_API extern const congru_option congru_import_options[CONGRU_IMPORT_OPTIONS];

/* What is known of a public data set: a name of congru_preset_name, or, with a slash or ending in .txt, a file of the
 * same form. Comes before the options that go before it. CONGRU_ERROR_ARGUMENT, _IO or _FORMAT. */
CONGRU_API congru_status congru_import_preset(congru_context *context, congru_import *import, const char *name);

/* One option by name. A list given here replaces a preset's. CONGRU_ERROR_ARGUMENT with a line beginning "--NAME". */
CONGRU_API congru_status congru_import_set(congru_context *context, congru_import *import, const char *name,
                                           const char *value);

/* As other data were imported: everything that is done to samples as `like` says, and, from the meta data of their set
 * (NULL: none), which events are trials. A model carries both: congru_model_preprocessing and its text "preprocessing". */
CONGRU_API congru_status congru_import_like(congru_context *context, congru_import *import,
                                            const congru_preprocessing *like, const char *meta);

CONGRU_API const congru_preprocessing *congru_import_preprocessing(const congru_import *import);

/* A cue of a recording: its sample, from 0, and the class that it stands for. */
typedef struct congru_import_cue {
    size_t sample;
    char name[CONGRU_LABEL_SIZE];
} congru_import_cue;

/* Which events of a recording are cues, in their order: *cues (*count) is allocated, for the caller to free, and may be
 * empty. The run, for which there may be events of its own, is read out of the path. */
CONGRU_API congru_status congru_import_cues(congru_context *context, const congru_import *import,
                                            const char *path, const congru_recording *recording,
                                            congru_import_cue **cues, size_t *count);

/* What became of one file. */
typedef struct congru_imported_file {
    const char *path;                /* as it was given */
    char subject[CONGRU_LABEL_SIZE]; /* or "3 subjects", where the file itself tells them apart */
    int32_t session, run;            /* -1: neither its name nor the file says */
    size_t trials; /* in the set, those of the rest included; they follow those of the file before */
    congru_epochs_report report;
} congru_imported_file;

typedef struct congru_import_summary {
    size_t files;
    congru_imported_file *file; /* (files), in the order given */
    char subjects_from[160];    /* how subjects were told apart: "S{subject}R{run} in the file names" */
    char preprocessing[CONGRU_PREPROCESSING_LINE_SIZE];
} congru_import_summary;

/* Reads all files, as many at a time as the context has threads, and puts their trials in the order given into one set
 * with its meta data. The set is the same for any number of threads. The error names the file. Progress is told per
 * file. The paths must live as long as the summary; both results are the caller's to destroy. */
CONGRU_API congru_status congru_import_run(congru_context *context, const congru_import *import,
                                           const char *const *paths, size_t count, congru_set **set,
                                           congru_import_summary **summary);
CONGRU_API void congru_import_summary_destroy(congru_import_summary **summary);

/* ---- Presets --------------------------------------------------------------------------------------------- */

/* The presets that are built in: index 0, 1, ...; NULL after the last. */
CONGRU_API const char *congru_preset_name(size_t index);

/* A line of its text, "band = 8:35", as share/presets/README.md describes; NULL after the last, or for no preset. */
CONGRU_API const char *congru_preset_line(const char *name, size_t index);

/* ---- Kinds of files -------------------------------------------------------------------------------------- */

typedef enum congru_file_kind {
    CONGRU_FILE_UNKNOWN, /* readable, but none of the below */
    CONGRU_FILE_RECORDING,
    CONGRU_FILE_TRIALS, /* cut already, and not told apart by subject */
    CONGRU_FILE_SET,    /* trials or covariances with their subjects */
    CONGRU_FILE_ARRAY,  /* .npy */
    CONGRU_FILE_MODEL
} congru_file_kind;

/* What a file holds, told from its bytes alone; CONGRU_ERROR_IO when it cannot be read. */
CONGRU_API congru_status congru_file_kind_of(congru_context *context, const char *path, congru_file_kind *kind);

#ifdef __cplusplus
}
#endif
#endif
