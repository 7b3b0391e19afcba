/* Channels that files mark as bad: told, or left out of all files. SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "import/import_internal.h"
#include "recording/fif.h"

/* ---- What files say ------------------------------------------------------------------------------------ */

/* MNE's info["bads"]: names with colons between. */
static congru_status read_fif(congru_context *context, const char *path, congru_text_set *bad)
{
    congru_source source;
    congru_fif fif = {0};
    unsigned char bytes[16];
    char *list = NULL, label[CONGRU_LABEL_SIZE];
    congru_status status = congru_source_open(context, path, &source);
    if (status != CONGRU_OK)
        return status;
    bool is_fif = source.size >= sizeof bytes &&
                  congru_source_read(context, &source, 0, sizeof bytes, bytes) == CONGRU_OK &&
                  congru_fif_recognises(bytes, sizeof bytes);
    if (is_fif)
        status = congru_fif_parse(context, &source, &fif);
    if (is_fif && status == CONGRU_OK && fif.bad.at != 0)
        status = congru_fif_text(context, &source, &fif.bad, &list);
    for (char *name = list, *end; status == CONGRU_OK && name != NULL && *name != '\0'; name = end) {
        size_t length = strcspn(name, ":");
        end = name + length + (name[length] == ':');
        congru_reader_copy_label(label, sizeof label, name, congru_fif_restore_colons(name, length));
        if (label[0] != '\0' && congru_text_set_add(bad, label) == NULL)
            status = congru_fail(context, CONGRU_ERROR_MEMORY, "%s: not enough memory", path);
    }
    free(list);
    congru_fif_clear(&fif);
    congru_source_close(&source);
    return status;
}

/* Whether the import takes a channel of this name. */
static bool is_taken(const congru_preprocessing *p, const char *name)
{
    for (size_t i = 0; i < p->channels; i++)
        if (congru_channel_matches(name, p->channel_name[i]))
            return true;
    return p->channels == 0 && congru_reader_guess_type(name) == CONGRU_CHANNEL_EEG;
}

/* Adds the file's to those of all, and to the line that tells of them. */
static congru_status take_file(congru_context *context, const congru_import *import, const char *path,
                               congru_text_set *all, congru_text *line)
{
    congru_text_set own = {0};
    const char *slash = strrchr(path, '/');
    size_t told = 0;
    congru_status status = read_fif(context, path, &own);
    if (status == CONGRU_OK)
        status = congru_import_bids_bad(context, path, &own);
    for (size_t i = 0; status == CONGRU_OK && i < own.count; i++) {
        if (!is_taken(&import->preprocessing, own.text[i]))
            continue;
        if (congru_text_set_add(all, own.text[i]) == NULL)
            status = congru_fail(context, CONGRU_ERROR_MEMORY, "%s: not enough memory", path);
        congru_text_add(line, "%s%s", told++ > 0 ? ", " : line->size > 0 ? "; " : "", own.text[i]);
    }
    if (told > 0)
        congru_text_add(line, " of %s", slash != NULL ? slash + 1 : path);
    congru_text_set_clear(&own);
    return congru_import_name_file(context, path, status);
}

/* ---- Leaving them out ---------------------------------------------------------------------------------- */

/* Those that were chosen by name, with their positions, less those that are bad. */
static congru_status drop_chosen(congru_context *context, const congru_import *import,
                                 const congru_text_set *bad, congru_import *own)
{
    const congru_preprocessing *p = &import->preprocessing;
    size_t kept = 0;
    own->preprocessing.channel_name = calloc(p->channels + 1, sizeof *p->channel_name);
    own->position = import->position != NULL ? calloc(p->channels + 1, sizeof *own->position) : NULL;
    if (own->preprocessing.channel_name == NULL || (import->position != NULL && own->position == NULL))
        return congru_fail_memory(context, "%zu channels", p->channels);
    for (size_t i = 0; i < p->channels; i++) {
        bool is_bad = false;
        for (size_t k = 0; k < bad->count; k++)
            is_bad = is_bad || congru_channel_matches(bad->text[k], p->channel_name[i]);
        if (is_bad)
            continue;
        memcpy(own->preprocessing.channel_name[kept], p->channel_name[i], CONGRU_LABEL_SIZE);
        if (own->position != NULL)
            own->position[kept] = import->position[i];
        kept++;
    }
    own->preprocessing.channels = kept;
    if (p->channels > 0 && kept == 0)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT,
                           "all channels that were chosen are marked as bad (--bads keep takes them)");
    return CONGRU_OK;
}

congru_status congru_import_find_bad(congru_context *context, const congru_import *import,
                                     const import_file *files, size_t count, congru_import *own,
                                     congru_text_set *bad)
{
    congru_text line = {0};
    congru_status status = CONGRU_OK;
    *own = *import;
    for (size_t i = 0; status == CONGRU_OK && i < count; i++)
        status = take_file(context, import, files[i].path, bad, &line);
    if (status == CONGRU_OK && bad->count > 0 && !line.failed)
        congru_note(context, "channels marked as bad, %s: %s",
                    import->drop_bad ? "left out of all files"
                                     : "kept (--bads drop leaves them out of all files)",
                    line.data);
    congru_text_clear(&line);
    if (status == CONGRU_OK && import->drop_bad) {
        own->bad = bad;
        status = drop_chosen(context, import, bad, own);
    }
    return status;
}

void congru_import_clear_own(const congru_import *import, congru_import *own)
{
    if (own->preprocessing.channel_name != import->preprocessing.channel_name)
        free(own->preprocessing.channel_name);
    if (own->position != import->position)
        free(own->position);
}
