/* One file of congru import: from its name and bytes to its trials. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_CLI_IMPORT_FILE_H
#define CONGRU_CLI_IMPORT_FILE_H

#include "import_settings.h"
#include "name_pattern.h"

enum { IMPORT_ERROR_SIZE = 2048 };

/* A file of the command line: what its name says, then what became of it. */
typedef struct import_file {
    const char *path;
    name_parts name;
    int32_t session, run; /* -1: the name does not say */
    congru_epochs *epochs;
    congru_epochs_report report;   /* `found` is all trials of a file of trials */
    char error[IMPORT_ERROR_SIZE]; /* "" when all went well */
} import_file;

/* Reads the subject, session and run of each file out of its name, and refuses two files that say the same.
 * Returns EXIT_DONE, or prints one line and returns EXIT_FAILED. */
int import_files_identify(const import_settings *settings, import_file *files, size_t count);

/* Reads the file and fills `epochs` and `report`, or `error`. Prints nothing: it runs in several threads at a
 * time, each with a context of its own. */
void import_file_read(congru_context *context, const import_settings *settings, import_file *file);

/* ---- Steps, each of which fills `error` and returns false when it fails ---------------------------------- */

/* Writes an error line. */
bool import_file_fail(import_file *file, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Does nothing for CONGRU_OK; otherwise the context's error, after the file's name unless that begins it
 * already. */
bool import_file_check(congru_context *context, import_file *file, congru_status status);

/* Signals (channels, samples) in place: average reference over groups of `group` channels, band-pass and notch.
 * */
bool import_filter(congru_context *context, const import_settings *settings, import_file *file, double rate,
                   size_t channels, size_t group, size_t samples, double *signal);

/* Whether the settings ask for another rate than this, and the ratio up/down that gives it. */
bool import_needs_rate(const import_settings *settings, double rate);
bool import_ratio(const import_settings *settings, import_file *file, double rate, size_t *up, size_t *down);

/* Whether the first bytes are those of a file that can hold trials: .npz or .mat. */
bool import_holds_trials(const char *path);

/* The trials of a recording: import_recording.c. */
bool import_recording_read(congru_context *context, const import_settings *settings, import_file *file);

/* The trials of a file of trials: import_epochs.c. */
bool import_epochs_read(congru_context *context, const import_settings *settings, import_file *file);

#endif
