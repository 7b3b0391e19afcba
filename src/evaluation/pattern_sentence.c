/* What a pattern says, in numbers and in one sentence. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/number_text.h"
#include "base/text.h"
#include "congru/explain.h"

enum { NAMED = 3, COLUMN_OUTSIDE = 5 };

/* What is evoked by a cue is over by then, and imagery has hardly begun. */
static const double evoked_until = 1.0;

/* ---- Shares and strengths ------------------------------------------------------------------------------ */

static const congru_pattern *pattern_at(const congru_patterns *patterns, size_t index)
{
    return patterns != NULL && index < patterns->count ? &patterns->pattern[index] : NULL;
}

/* How much of `range` lies within `wanted`, 0 to 1. */
static double part_within(const double range[2], const double *wanted)
{
    if (wanted == NULL)
        return 1;
    const double low = fmax(range[0], wanted[0]), high = fmin(range[1], wanted[1]);
    if (!(range[1] > range[0]) || !(high > low))
        return 0;
    return (high - low) / (range[1] - range[0]);
}

double congru_pattern_share(const congru_patterns *patterns, size_t index, const double window[2],
                            const double band[2])
{
    const congru_pattern *pattern = pattern_at(patterns, index);
    double sum = 0;
    for (size_t c = 0; pattern != NULL && c < pattern->cells; c++) {
        const congru_pattern_cell *cell = &pattern->cell[c];
        const double within = part_within(cell->window, window) * part_within(cell->band, band);
        for (size_t k = 0; k < patterns->classes; k++)
            sum += within * cell->share[k];
    }
    return sum;
}

double congru_pattern_strength(const congru_patterns *patterns, size_t index, int32_t label, size_t channel)
{
    const congru_pattern *pattern = pattern_at(patterns, index);
    double sum = 0;
    for (size_t c = 0; pattern != NULL && channel < patterns->channels && c < pattern->cells; c++)
        for (size_t k = 0; k < patterns->classes; k++) {
            const double value = pattern->cell[c].value[k * patterns->channels + channel];
            if ((label < 0 || (size_t)label == k) && isfinite(value))
                sum += value * value;
        }
    return sqrt(sum);
}

size_t congru_pattern_strongest(const congru_patterns *patterns, size_t index, int32_t label, size_t wanted,
                                size_t *channel)
{
    size_t count = 0;
    for (; patterns != NULL && channel != NULL && count < wanted; count++) {
        double best = 0;
        for (size_t i = 0; i < patterns->channels; i++) {
            bool taken = false;
            for (size_t j = 0; j < count; j++)
                taken = taken || channel[j] == i;
            const double own = taken ? 0 : congru_pattern_strength(patterns, index, label, i);
            if (own > best) {
                best = own;
                channel[count] = i;
            }
        }
        if (!(best > 0))
            break;
    }
    return count;
}

/* ---- Regions ------------------------------------------------------------------------------------------- */

/* Case does not matter, nor "EEG-" or "EEG " in front, nor dots behind. The column is that of the name, 0 for z. */
congru_region congru_region_of(const char *channel)
{
    static const struct {
        const char *row;
        congru_region region;
    } rows[] = {{"EOG", CONGRU_REGION_FRONTAL}, {"FP", CONGRU_REGION_FRONTAL},  {"AF", CONGRU_REGION_FRONTAL},
                {"F", CONGRU_REGION_FRONTAL},   {"FC", CONGRU_REGION_CENTRAL},  {"C", CONGRU_REGION_CENTRAL},
                {"CP", CONGRU_REGION_CENTRAL},  {"FT", CONGRU_REGION_LATERAL},  {"T", CONGRU_REGION_LATERAL},
                {"TP", CONGRU_REGION_LATERAL},  {"P", CONGRU_REGION_POSTERIOR}, {"PO", CONGRU_REGION_POSTERIOR},
                {"O", CONGRU_REGION_POSTERIOR}, {"I", CONGRU_REGION_POSTERIOR}};
    if (channel == NULL)
        return CONGRU_REGION_UNKNOWN;
    if (strlen(channel) >= 3 && congru_same_letters(channel, "EOG", 3))
        return CONGRU_REGION_FRONTAL;
    if (strlen(channel) > 4 && congru_same_letters(channel, "EEG", 3) && strchr("- ", channel[3]) != NULL)
        channel += 4;
    size_t size = strlen(channel), letters, column = 0;
    while (size > 0 && channel[size - 1] == '.')
        size--;
    for (letters = 0; letters < size && strchr("0123456789zZ", channel[letters]) == NULL; letters++)
        ;
    for (size_t i = letters; i < size; i++) {
        if (channel[i] >= '0' && channel[i] <= '9' && column < 100)
            column = 10 * column + (size_t)(channel[i] - '0');
        else if (congru_small_letter(channel[i]) != 'z' || i > letters || i + 1 < size)
            return CONGRU_REGION_UNKNOWN;
    }
    for (size_t i = 0; letters < size && i < sizeof rows / sizeof rows[0]; i++)
        if (strlen(rows[i].row) == letters && congru_same_letters(rows[i].row, channel, letters))
            return rows[i].region == CONGRU_REGION_CENTRAL && column >= COLUMN_OUTSIDE ? CONGRU_REGION_LATERAL
                                                                                       : rows[i].region;
    return CONGRU_REGION_UNKNOWN;
}

/* The region of most of the strongest channels; UNKNOWN where none has more than half. */
static congru_region region_of_most(const congru_patterns *patterns, size_t count, const size_t *channel)
{
    size_t of[CONGRU_REGION_POSTERIOR + 1] = {0};
    for (size_t i = 0; i < count; i++)
        of[congru_region_of(patterns->channel_name[channel[i]])]++;
    for (size_t r = CONGRU_REGION_CENTRAL; r <= CONGRU_REGION_POSTERIOR; r++)
        if (2 * of[r] > count)
            return (congru_region)r;
    return CONGRU_REGION_UNKNOWN;
}

/* ---- The sentence -------------------------------------------------------------------------------------- */

static bool varies(const congru_pattern *pattern, bool in_time)
{
    for (size_t c = 1; c < pattern->cells; c++) {
        const double *own = in_time ? pattern->cell[c].window : pattern->cell[c].band,
                     *first = in_time ? pattern->cell[0].window : pattern->cell[0].band;
        if (isfinite(own[0]) && (own[0] != first[0] || own[1] != first[1]))
            return true;
    }
    return false;
}

/* The band with the largest share of those that cells have. */
static const double *main_band(const congru_patterns *patterns, size_t index, double *share)
{
    const congru_pattern *pattern = &patterns->pattern[index];
    const double *best = pattern->cell[0].band;
    *share = -INFINITY;
    for (size_t c = 0; c < pattern->cells; c++) {
        double own = 0;
        for (size_t other = 0; other < pattern->cells; other++)
            for (size_t k = 0; k < patterns->classes; k++)
                if (memcmp(pattern->cell[c].band, pattern->cell[other].band, sizeof pattern->cell[c].band) == 0)
                    own += pattern->cell[other].share[k];
        if (own > *share) {
            *share = own;
            best = pattern->cell[c].band;
        }
    }
    return best;
}

static double percent(double share)
{
    return congru_plain_zero(100 * share, 0);
}

/* "88 % of the slow branch's weight lies before 1 s": what is known of the time and the band. */
static void say_where(const congru_patterns *patterns, size_t index, congru_text *text)
{
    const congru_pattern *pattern = &patterns->pattern[index];
    const double early[2] = {-INFINITY, evoked_until},
                 before = congru_pattern_share(patterns, index, early, NULL);
    const congru_pattern_cell *only = &pattern->cell[0];
    double share;
    if (varies(pattern, false)) {
        const double *band = main_band(patterns, index, &share);
        congru_text_add(text, "%.0f %% of the %s branch's weight lies at %g to %g Hz", percent(share),
                        pattern->branch, band[0], band[1]);
        if (varies(pattern, true))
            congru_text_add(text, " and %.0f %% before %g s", percent(before), evoked_until);
    } else if (varies(pattern, true)) {
        congru_text_add(text, "%.0f %% of the %s branch's weight lies before %g s", percent(before),
                        pattern->branch, evoked_until);
    } else {
        congru_text_add(text, "The %s branch looks at", pattern->branch);
        if (isfinite(only->band[0]))
            congru_text_add(text, " %g to %g Hz", only->band[0], only->band[1]);
        else
            congru_text_add(text, " all frequencies of the trials");
        if (isfinite(only->window[0]))
            congru_text_add(text, " from %g to %g s", only->window[0], only->window[1]);
    }
}

static const char *conclusion_of(const congru_patterns *patterns, size_t index, size_t count,
                                 const size_t *channel)
{
    const double early[2] = {-INFINITY, evoked_until};
    const congru_region region = region_of_most(patterns, count, channel);
    if (patterns->pattern[index].kind == CONGRU_PATTERN_POTENTIAL) {
        if (congru_pattern_share(patterns, index, early, NULL) >= 0.5)
            return "gaze or evoked response, not imagery, may drive it";
        return region == CONGRU_REGION_CENTRAL ? "a slow potential of the movement itself may drive it"
                                               : "gaze or another slow potential, not imagery, may drive it";
    }
    switch (region) {
    case CONGRU_REGION_CENTRAL:
        return "rhythms over the motor cortex, as imagery changes them, may drive it";
    case CONGRU_REGION_FRONTAL:
        return "eyes or muscles, not imagery, may drive it";
    case CONGRU_REGION_LATERAL:
        return "muscles or rhythms beside the motor cortex may drive it";
    case CONGRU_REGION_POSTERIOR:
        return "rhythms of attention and sight, not imagery, may drive it";
    case CONGRU_REGION_UNKNOWN:
        break;
    }
    return "no one region stands out";
}

congru_status congru_pattern_sentence(congru_context *context, const congru_patterns *patterns, size_t index,
                                      char sentence[CONGRU_SENTENCE_SIZE])
{
    const congru_pattern *pattern = pattern_at(patterns, index);
    size_t channel[NAMED];
    congru_text text = {0};
    if (pattern == NULL || pattern->cells == 0 || sentence == NULL)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT, "there is no pattern %zu", index);
    const size_t count = congru_pattern_strongest(patterns, index, -1, NAMED, channel);
    say_where(patterns, index, &text);
    for (size_t i = 0; i < count; i++)
        congru_text_add(&text, i == 0 ? ", most at %s" : ", %s", patterns->channel_name[channel[i]]);
    congru_text_add(&text, ": %s", conclusion_of(patterns, index, count, channel));
    congru_status status = text.failed ? congru_fail_memory(context, "a sentence") : CONGRU_OK;
    congru_format(sentence, CONGRU_SENTENCE_SIZE, "%s", text.failed ? "" : text.data);
    congru_text_clear(&text);
    return status;
}
