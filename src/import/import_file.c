/* One file: which reader it is for, and what its name adds. SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "import/import_internal.h"

congru_status congru_import_name_file(congru_context *context, const char *path, congru_status status)
{
    char error[CONGRU_ERROR_TEXT_SIZE];
    if (status == CONGRU_OK)
        return status;
    snprintf(error, sizeof error, "%s", congru_context_error(context));
    if (strncmp(error, path, strlen(error)) == 0) /* none, or a path that fills it */
        snprintf(error, sizeof error, "%s", congru_status_text(status));
    if (strncmp(error, path, strlen(path)) == 0)
        return status;
    /* A long path is cut, so that there is room for what is the matter with it. */
    return congru_fail(context, status, "%.*s: %s", CONGRU_ERROR_TEXT_SIZE / 2, path, error);
}

congru_preprocessing congru_import_preparation(const congru_import *import)
{
    congru_preprocessing p = import->preprocessing;
    p.reject = import->unit_auto ? 0 : p.reject;
    return p;
}

/* Numbers in the file's name go before those in the file. */
static void number_trials(const import_file *file, congru_epochs *epochs)
{
    for (size_t i = 0; epochs != NULL && i < epochs->count; i++) {
        if (file->session >= 0)
            epochs->session[i] = file->session;
        if (file->run >= 0)
            epochs->run[i] = file->run;
    }
}

void congru_import_file_read(congru_context *context, const congru_import *import, import_file *file)
{
    congru_file_kind kind;
    file->status = congru_file_kind_of(context, file->path, &kind);
    /* A .mat can be either, and its reader tells; a file of no known kind is the recording reader's to explain. */
    if (file->status == CONGRU_OK)
        file->status = kind == CONGRU_FILE_TRIALS || kind == CONGRU_FILE_SET
                           ? congru_import_epochs_read(context, import, file)
                           : congru_import_recording_read(context, import, file);
    if (file->status == CONGRU_OK && !file->left_out)
        file->status = congru_import_finish_file(context, import, file);
    if (file->status != CONGRU_OK) {
        congru_import_name_file(context, file->path, file->status);
        snprintf(file->error, sizeof file->error, "%s", congru_context_error(context));
        congru_epochs_destroy(&file->epochs);
        congru_epochs_destroy(&file->rest);
        return;
    }
    number_trials(file, file->epochs);
    number_trials(file, file->rest);
}
