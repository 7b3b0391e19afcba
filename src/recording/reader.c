/* Choosing among the channels of a file. SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "recording/reader.h"

#include "base/number_text.h"
#include "base/text_set.h"

enum { LIST_SIZE = 700 }; /* leaves room in the error text for the path and the rest */

static const double rate_least = 1e-9, rate_greatest = 1e9; /* Hz: beyond them lengths are no numbers */

/* "Fz, C3, Cz and 19 more"; with_rates: "Fz at 256 Hz, ...". */
static void list_channels(char list[LIST_SIZE], const congru_channel *channel, size_t count, bool with_rates)
{
    size_t used = 0;
    list[0] = '\0';
    for (size_t i = 0; i < count; i++) {
        char item[CONGRU_LABEL_SIZE + 48];
        const char *separator = i > 0 ? ", " : "";
        if (with_rates)
            congru_format(item, sizeof item, "%s%s at %g Hz", separator, channel[i].name, channel[i].rate);
        else
            snprintf(item, sizeof item, "%s%s", separator, channel[i].name);
        if (used + strlen(item) + 32 > LIST_SIZE) {
            snprintf(list + used, LIST_SIZE - used, " and %zu more", count - i);
            return;
        }
        memcpy(list + used, item, strlen(item) + 1);
        used += strlen(item);
    }
}

/* One channel as it is written, or else one that means the same. */
static congru_status find_channel(congru_context *context, const char *file, const congru_channel *channel,
                                  size_t count, const char *wanted, size_t *found)
{
    char list[LIST_SIZE];
    size_t matches = 0, written = 0;
    for (size_t i = 0; i < count; i++) {
        bool same = strcmp(channel[i].name, wanted) == 0;
        if (same ? written++ == 0
                 : written == 0 && matches == 0 && congru_channel_matches(channel[i].name, wanted))
            *found = i;
        matches += same || congru_channel_matches(channel[i].name, wanted);
    }
    if (written == 1 || (written == 0 && matches == 1))
        return CONGRU_OK;
    list_channels(list, channel, count, false);
    if (matches == 0)
        return congru_fail(context, CONGRU_ERROR_FORMAT,
                           "%s: no channel '%.80s': it has %s (name one of these)", file, wanted, list);
    return congru_fail(context, CONGRU_ERROR_FORMAT,
                       "%s: '%.80s' is the name of %zu channels: it has %s (name one of these in full)", file,
                       wanted, written > 1 ? written : matches, list);
}

static congru_status choose_named(congru_context *context, const char *file, const congru_channel *channel,
                                  size_t count, const congru_recording_options *options, size_t *chosen)
{
    bool *taken = calloc(count, sizeof *taken);
    if (taken == NULL)
        return congru_fail(context, CONGRU_ERROR_MEMORY, "%s: not enough memory for %zu channels", file, count);
    congru_status status = CONGRU_OK;
    for (size_t i = 0; i < options->channel_count && status == CONGRU_OK; i++) {
        const char *wanted = options->channels[i];
        status = find_channel(context, file, channel, count, wanted, &chosen[i]);
        if (status == CONGRU_OK && taken[chosen[i]])
            status = congru_fail(context, CONGRU_ERROR_ARGUMENT,
                                 "%s: channel '%s' is asked for twice, again as '%.80s' (name it once)", file,
                                 channel[chosen[i]].name, wanted);
        if (status == CONGRU_OK)
            taken[chosen[i]] = true;
    }
    free(taken);
    return status;
}

static bool is_left_out(const congru_recording_options *options, const char *name)
{
    for (size_t i = 0; i < options->leave_out_count; i++)
        if (congru_channel_matches(name, options->leave_out[i]))
            return true;
    return false;
}

/* All that have a rate: one of 0 has no samples at even intervals. */
static size_t choose_all(const congru_channel *channel, size_t count, const congru_recording_options *options,
                         size_t *chosen)
{
    size_t taken = 0;
    for (size_t i = 0; i < count; i++)
        if (channel[i].rate > 0 && (!options->eeg_only || channel[i].type == CONGRU_CHANNEL_EEG) &&
            !is_left_out(options, channel[i].name))
            chosen[taken++] = i;
    return taken;
}

/* One channel of each rate, for the error text. */
static congru_status fail_rates(congru_context *context, const char *file, const congru_channel *channel,
                                const size_t *chosen, size_t count)
{
    congru_channel example[4];
    size_t examples = 0;
    for (size_t i = 0; i < count && examples < sizeof example / sizeof example[0]; i++) {
        size_t j = 0;
        while (j < examples && example[j].rate != channel[chosen[i]].rate)
            j++;
        if (j == examples)
            example[examples++] = channel[chosen[i]];
    }
    char list[LIST_SIZE];
    list_channels(list, example, examples, true);
    return congru_fail(context, CONGRU_ERROR_UNSUPPORTED,
                       "%s: its channels differ in rate: %s (name channels that have the same rate)", file,
                       list);
}

congru_status congru_reader_choose(congru_context *context, const char *file, const congru_channel *channel,
                                   size_t count, const congru_recording_options *options, size_t *chosen,
                                   size_t *chosen_count, double *rate)
{
    if (count == 0)
        return congru_fail(context, CONGRU_ERROR_FORMAT, "%s: no channels in it (is it the right file?)", file);
    if (options->channels != NULL) {
        congru_status status = choose_named(context, file, channel, count, options, chosen);
        if (status != CONGRU_OK)
            return status;
        *chosen_count = options->channel_count;
    } else {
        *chosen_count = choose_all(channel, count, options, chosen);
    }
    if (*chosen_count == 0) {
        char list[LIST_SIZE];
        list_channels(list, channel, count, false);
        return congru_fail(context, CONGRU_ERROR_FORMAT, "%s: no %s: it has %s (name the channels wanted)",
                           file, options->eeg_only ? "EEG channel" : "evenly sampled channel", list);
    }
    *rate = channel[chosen[0]].rate;
    bool equal = true;
    for (size_t i = 1; i < *chosen_count; i++) {
        equal = equal && channel[chosen[i]].rate == *rate;
        *rate = channel[chosen[i]].rate > *rate ? channel[chosen[i]].rate : *rate;
    }
    if (!equal && !(options->header_only && options->channels == NULL))
        return fail_rates(context, file, channel, chosen, *chosen_count);
    if (!(*rate > 0))
        return congru_fail(context, CONGRU_ERROR_UNSUPPORTED,
                           "%s: channel '%s' is not sampled at even intervals (leave it out)", file,
                           channel[chosen[0]].name);
    if (!(*rate >= rate_least && *rate <= rate_greatest))
        return congru_fail(context, CONGRU_ERROR_FORMAT, "%s: %g samples a second are not possible", file,
                           *rate);
    return CONGRU_OK;
}

typedef struct named {
    const char *name;
    size_t index;
} named;

static int compare_named(const void *a, const void *b)
{
    const named *left = a, *right = b;
    int order = strcmp(left->name, right->name);
    return order != 0 ? order : (left->index > right->index) - (left->index < right->index);
}

/* What distinguishing names carries along. */
typedef struct naming {
    congru_channel *channel;
    size_t count;
    congru_text_set taken; /* all names of the file, and those that were given */
    size_t number;         /* the next of the names that are alike */
} naming;

/* "NAME-NUMBER"; the name loses whole characters where there is no room. Whether it did. */
static bool write_numbered(char numbered[CONGRU_LABEL_SIZE], const char *name, size_t number)
{
    char suffix[24];
    size_t length = strlen(name), added = (size_t)snprintf(suffix, sizeof suffix, "-%zu", number);
    bool cut = length + added >= CONGRU_LABEL_SIZE;
    if (cut) {
        length = CONGRU_LABEL_SIZE - 1 - added;
        while (length > 0 && ((unsigned char)name[length] & 0xc0) == 0x80)
            length--;
    }
    memcpy(numbered, name, length);
    memcpy(numbered + length, suffix, added + 1);
    return cut;
}

/* Numbers the channel, its name having others like it, so that no other has the name. Those that are cut have their
 * place as a number: what tells them apart may be what they lose. */
static bool number_name(naming *job, size_t index)
{
    char name[CONGRU_LABEL_SIZE];
    bool cut = write_numbered(name, job->channel[index].name, job->number);
    size_t number = cut ? index : job->number, before = job->taken.count;
    for (;; number += cut ? job->count : 1) {
        write_numbered(name, job->channel[index].name, number);
        if (congru_text_set_add(&job->taken, name) == NULL)
            return false;
        if (job->taken.count > before)
            break;
    }
    job->number = cut ? job->number : number + 1;
    memcpy(job->channel[index].name, name, strlen(name) + 1);
    return true;
}

static bool number_names(naming *job, named *sorted)
{
    for (size_t i = 0; i < job->count; i++) {
        congru_channel *channel = &job->channel[i];
        if (channel->name[0] == '\0')
            snprintf(channel->name, sizeof channel->name, "Ch%zu", i + 1);
        sorted[i] = (named){.name = congru_text_set_add(&job->taken, channel->name), .index = i};
        if (sorted[i].name == NULL)
            return false;
    }
    if (job->count > 1)
        qsort(sorted, job->count, sizeof *sorted, compare_named);
    for (size_t first = 0, last; first < job->count; first = last) {
        for (last = first + 1; last < job->count && sorted[first].name == sorted[last].name; last++)
            ;
        job->number = 0;
        for (size_t i = first; i < last && last - first > 1; i++)
            if (!number_name(job, sorted[i].index))
                return false;
    }
    return true;
}

congru_status congru_reader_distinguish(congru_context *context, const char *file, congru_channel *channel,
                                        size_t count)
{
    naming job = {.channel = channel, .count = count};
    named *sorted = calloc(count, sizeof *sorted);
    bool done = (sorted != NULL || count == 0) && number_names(&job, sorted);
    congru_text_set_clear(&job.taken);
    free(sorted);
    return done ? CONGRU_OK
                : congru_fail(context, CONGRU_ERROR_MEMORY, "%s: not enough memory for %zu channels", file,
                              count);
}
