/* Trials from a file of trials: classes chosen, then as described. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "epochs/epochs_internal.h"
#include "import/import_internal.h"

/* The event of the rule that a class of the file is: by its name, or by its label. */
static const congru_event_class *find_event(const event_rule *rule, const char *class_name)
{
    size_t k = congru_event_find(rule->by_text, rule->event_count, -1, class_name);
    return k < rule->event_count ? &rule->by_text[k] : NULL;
}

/* Gives the wanted classes their new names and places, place[i] being -1 for the others, which `list` names too. */
static void rename_classes(const event_rule *rule, bool all, import_file *file, int32_t *place)
{
    congru_epochs *epochs = file->epochs;
    size_t used = 0, classes = 0, size = sizeof file->events;
    for (size_t i = 0; i < epochs->classes; i++) {
        const congru_event_class *event = find_event(rule, epochs->class_name[i]);
        if (used < size)
            used += (size_t)snprintf(file->events + used, size - used, "%s%s", i > 0 ? ", " : "",
                                     epochs->class_name[i]);
        place[i] = event != NULL || all ? (int32_t)classes++ : -1;
        if (event == NULL)
            continue;
        if ((size_t)(event - rule->by_text) < IMPORT_SEEN_MAX)
            file->seen |= (uint64_t)1 << (event - rule->by_text);
        snprintf(epochs->class_name[place[i]], CONGRU_LABEL_SIZE, "%s", event->class_name);
    }
    epochs->classes = classes;
}

/* Classes get the names that events give them; when the events are not a preset's, the others go. */
static congru_status choose_classes(congru_context *context, const congru_import *import, import_file *file)
{
    congru_epochs *epochs = file->epochs;
    const event_rule *rule = congru_import_events(import, file->run);
    if (rule == NULL)
        return CONGRU_OK;
    int32_t *place = calloc(epochs->classes + 1, sizeof *place);
    if (place == NULL)
        return congru_fail_memory(context, "%zu classes", epochs->classes);
    size_t kept = 0;
    rename_classes(rule, !import->events_chosen, file, place);
    for (size_t i = 0; i < epochs->count; i++) {
        int32_t label = place[epochs->label[i]];
        if (label < 0)
            continue;
        congru_epochs_move(epochs, i, kept);
        epochs->label[kept++] = label;
    }
    epochs->count = kept;
    free(place);
    if (kept == 0)
        return congru_fail(context, CONGRU_ERROR_FORMAT, "no trial is of a class in --events: it has %s",
                           file->events);
    return CONGRU_OK;
}

/* Covariances are what signals become: they are taken as they are. */
static congru_status take_covariances(congru_context *context, const congru_import *import, import_file *file)
{
    file->report = (congru_epochs_report){.found = file->epochs->count, .kept = file->epochs->count};
    if (import->preprocessing.channels > 0)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT,
                           "holds covariances, of which no channels can be chosen (leave --channels out)");
    if (import->keep_signals)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT,
                           "holds covariances, no signals (leave --keep-signals out)");
    congru_note(context, "covariances are taken as they are: nothing is filtered or cut");
    return CONGRU_OK;
}

/* All channels but those that are bad, where none were chosen: *p then has names of its own. */
static congru_status choose_good(congru_context *context, const congru_import *import,
                                 const congru_epochs *epochs, congru_preprocessing *p)
{
    if (import->bad == NULL || p->channels > 0)
        return CONGRU_OK;
    p->channel_name = calloc(epochs->channels + 1, sizeof *p->channel_name);
    if (p->channel_name == NULL)
        return congru_fail_memory(context, "%zu channels", epochs->channels);
    for (size_t i = 0; i < epochs->channels; i++) {
        bool bad = false;
        for (size_t k = 0; k < import->bad->count; k++)
            bad = bad || congru_channel_matches(epochs->channel_name[i], import->bad->text[k]);
        if (!bad)
            memcpy(p->channel_name[p->channels++], epochs->channel_name[i], CONGRU_LABEL_SIZE);
    }
    return CONGRU_OK;
}

congru_status congru_import_epochs_read(congru_context *context, const congru_import *import, import_file *file)
{
    if (import->rest_class[0] != '\0')
        return congru_fail(
            context, CONGRU_ERROR_ARGUMENT,
            "--rest-class is for recordings, this is a file of trials (import them apart and join "
            "the sets)");
    CONGRU_TRY(congru_epochs_read_either(context, file->path, &file->epochs));
    if (!(file->epochs->rate > 0))
        file->epochs->rate = import->rate;
    if (isnan(file->epochs->start) && import->start_given)
        file->epochs->start = import->start;
    congru_status status = choose_classes(context, import, file);
    if (status == CONGRU_OK && file->epochs->covariances)
        return take_covariances(context, import, file);
    congru_preprocessing p = congru_import_preparation(import);
    if (status == CONGRU_OK)
        status = choose_good(context, import, file->epochs, &p);
    if (status == CONGRU_OK)
        status = congru_preprocess_epochs(context, &p, import->position, file->epochs, &file->report);
    if (p.channel_name != import->preprocessing.channel_name)
        free(p.channel_name);
    return status;
}
