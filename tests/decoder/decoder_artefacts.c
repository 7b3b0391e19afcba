/* A loose electrode: what a stream's reference takes, what it is told, and what is left of it. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness.h"
#include "stream_samples.h"

static congru_context *context;

/* The samples of make_stream: a minute of three channels. Of the subjects the last is decoded. */
static const stream_recipe recipe = {
    .subjects = 3, .trials = 12, .d = 3, .rate = 100, .estimator = "scm", .seed = 9};

/* As many subjects as say how far a new one may be. */
static const stream_recipe many = {
    .subjects = 7, .trials = 12, .d = 3, .rate = 100, .estimator = "scm", .seed = 9};

enum { DECISIONS_MAX = 400 };

/* What was decided, clean or with noise. */
typedef struct decided {
    size_t count, artefacts;
    congru_status status[DECISIONS_MAX];
    int32_t prediction[DECISIONS_MAX];
    double time[DECISIONS_MAX];
    size_t moved[DECISIONS_MAX]; /* how often the reference had moved before */
    size_t moves;
} decided;

/* Noise of so many microvolts on the last channel between two times. */
static void loosen(const stream_recording *recording, double from, double to, double microvolts, double *frames)
{
    congru_random random = congru_random_stream(recipe.seed, 77, 7, 7);
    for (size_t t = (size_t)(from * recording->rate); t < (size_t)(to * recording->rate); t++)
        frames[t * recording->d + recording->d - 1] += microvolts * congru_random_normal(&random);
}

static void run(const congru_model *model, const congru_decoder_options *options, const double *frames,
                size_t samples, decided *out)
{
    congru_decoder *decoder = stream_decoder(context, model, options);
    *out = (decided){0};
    for (size_t k = 0; congru_model_needs_cues(model) && k < recipe.trials; k++)
        CHECK(congru_decoder_mark(decoder, stream_cue(&recipe, k)) == CONGRU_OK);
    for (size_t at = 0, taken; decoder != NULL && at < samples; at += taken) {
        congru_decision decision;
        if (!CHECK(congru_decoder_push(decoder, samples - at, frames + at * recipe.d, &taken, &decision) ==
                   CONGRU_OK))
            break;
        if (!decision.due || !CHECK(out->count < DECISIONS_MAX))
            continue;
        out->status[out->count] = decision.status;
        out->prediction[out->count] = decision.prediction;
        out->time[out->count] = decision.time;
        out->moved[out->count] = congru_decoder_reference(decoder, NULL);
        out->artefacts += decision.status == CONGRU_ERROR_ARTEFACT;
        CHECK((decision.status == CONGRU_OK) == (decision.prediction >= 0));
        out->count++;
    }
    out->moves = congru_decoder_reference(decoder, NULL);
    congru_decoder_destroy(&decoder);
}

typedef struct comparison {
    size_t after, differ;   /* decisions from a time on, and those whose class is another */
    size_t inside, refused; /* decisions about windows that are noise by more than half, and those refused */
    size_t clean;           /* refused without noise */
} comparison;

/* With noise from one time to another, and without. `settled`: when the last of it has left the window. */
static comparison compare_of(const stream_recipe *of, const char *pipeline, bool wide,
                             const congru_decoder_options *options, double from, double to, double settled,
                             double microvolts)
{
    static decided clean, loose;
    comparison found = {0};
    congru_set *set = wide ? stream_wide_set(context, of) : stream_set(context, of);
    congru_model *model = stream_model(context, set, pipeline, true, 5);
    stream_recording recording;
    stream_record(of, of->subjects - 1, &recording);
    double *frames = stream_frames(&recording);
    run(model, options, frames, recording.samples, &clean);
    loosen(&recording, from, to, microvolts, frames);
    run(model, options, frames, recording.samples, &loose);
    CHECK(clean.count == loose.count);
    for (size_t i = 0; i < clean.count && i < loose.count; i++) {
        const bool inside = clean.time[i] > from + 1.5 && clean.time[i] < to + 1.5;
        found.clean += clean.status[i] == CONGRU_ERROR_ARTEFACT;
        found.inside += inside;
        found.refused += inside && loose.status[i] == CONGRU_ERROR_ARTEFACT;
        found.after += clean.time[i] > settled;
        found.differ += clean.time[i] > settled && clean.prediction[i] != loose.prediction[i];
        if (clean.time[i] <= from)
            CHECK(clean.prediction[i] == loose.prediction[i]);
    }
    free(frames);
    stream_recording_clear(&recording);
    congru_model_destroy(&model);
    congru_set_destroy(&set);
    return found;
}

static comparison compare(const char *pipeline, bool wide, const congru_decoder_options *options, double from,
                          double to, double settled, double microvolts)
{
    return compare_of(&recipe, pipeline, wide, options, from, to, settled, microvolts);
}

#define CHECK_FOUND(found, most) \
    CHECK_SAYING(!((found).differ > (most)) && (found).refused == (found).inside && (found).clean == 0, \
                 "%zu of %zu differ, %zu of %zu refused, %zu refused without noise", (found).differ, \
                 (found).after, (found).refused, (found).inside, (found).clean)

TEST(loose_electrode_leaves_at_most_one_decision_different)
{
    static const char *const pipelines[] = {"ra+mdm", "ra+tslr", "ra+ridge"};
    const congru_decoder_options options = stream_decoding(4, CONGRU_ADAPT_WINDOWS);
    for (size_t p = 0; p < sizeof pipelines / sizeof pipelines[0]; p++) {
        comparison found = compare(pipelines[p], false, &options, 31, 36, 39, 500);
        CHECK(found.after >= 84);
        CHECK_FOUND(found, 1);
    }
}

/* The reference moves twice a second, or with each decision: windows that hold a little of the noise are many. That the
 * samples were missing instead makes two decisions differ. */
TEST(loose_electrode_while_windows_overlap)
{
    congru_decoder_options options = stream_decoding(4, CONGRU_ADAPT_DECISIONS);
    comparison found = compare("ra+mdm", false, &options, 31, 36, 39, 500);
    CHECK_FOUND(found, 2);
    options = stream_decoding(4, CONGRU_ADAPT_WINDOWS);
    options.adapt_every = 0.5;
    found = compare("ra+tslr", false, &options, 31, 36, 39, 500);
    CHECK_FOUND(found, 1);
}

/* Filters ring on, and the end of the noise alone is no artefact: within half a window of one nothing is learned. */
TEST(nothing_is_learned_of_the_end_of_an_artefact)
{
    static decided loose;
    const congru_decoder_options options = stream_decoding(4, CONGRU_ADAPT_DECISIONS);
    congru_set *set = stream_set(context, &recipe);
    congru_model *model = stream_model(context, set, "ra+mdm", true, 5);
    stream_recording recording;
    stream_record(&recipe, recipe.subjects - 1, &recording);
    double *frames = stream_frames(&recording), last = -INFINITY;
    size_t behind = 0;
    loosen(&recording, 31, 36, 60, frames);
    run(model, &options, frames, recording.samples, &loose);
    for (size_t i = 0; i + 1 < loose.count; i++) {
        const bool moves = loose.moved[i + 1] > loose.moved[i];
        last = loose.status[i] == CONGRU_ERROR_ARTEFACT ? loose.time[i] : last;
        const bool near = loose.time[i] < last + 1.5;
        behind += near && loose.status[i] == CONGRU_OK;
        CHECK_SAYING(moves == !near, "%g s: %s", loose.time[i], moves ? "moves" : "does not");
    }
    CHECK(behind >= 5);
    free(frames);
    stream_recording_clear(&recording);
    congru_model_destroy(&model);
    congru_set_destroy(&set);
}

/* Nothing is known of the subject yet but the other subjects: the first windows are the noise's. */
TEST(loose_electrode_at_the_beginning)
{
    const congru_decoder_options options = stream_decoding(4, CONGRU_ADAPT_WINDOWS);
    comparison found = compare_of(&many, "ra+mdm", false, &options, 0, 5, 8, 500);
    CHECK_FOUND(found, found.after / 20);
}

TEST(loose_electrode_before_branches)
{
    const congru_decoder_options options = stream_decoding(4, CONGRU_ADAPT_WINDOWS);
    comparison found = compare("motor", true, &options, 31, 36, 40, 500);
    CHECK(found.after >= 79);
    CHECK_FOUND(found, 1);
    /* Of the trials of cues, the seventh and the eighth begin in the noise. */
    found = compare("motor+slow", true, &options, 30, 36, 41, 500);
    CHECK(found.after >= 3 && found.inside >= 1);
    CHECK_FOUND(found, 0);
}

/* What goes on is how the subject is. */
TEST(noise_that_does_not_end_is_taken)
{
    static decided loose;
    const congru_decoder_options options = stream_decoding(4, CONGRU_ADAPT_WINDOWS);
    congru_set *set = stream_set(context, &recipe);
    congru_model *model = stream_model(context, set, "ra+mdm", true, 5);
    stream_recording recording;
    stream_record(&recipe, recipe.subjects - 1, &recording);
    double *frames = stream_frames(&recording), first = 0, last = 0;
    loosen(&recording, 15, 60, 500, frames);
    run(model, &options, frames, recording.samples, &loose);
    for (size_t i = loose.count; i-- > 0;)
        if (loose.status[i] == CONGRU_ERROR_ARTEFACT) {
            first = loose.time[i];
            last = last > 0 ? last : loose.time[i];
        }
    CHECK_SAYING(first > 15 && first < 17 && last - first > 15 && last - first < 40, "from %g to %g s", first,
                 last);
    CHECK(loose.status[loose.count - 1] == CONGRU_OK);
    free(frames);
    stream_recording_clear(&recording);
    congru_model_destroy(&model);
    congru_set_destroy(&set);
}

/* The bytes of a model, its spread under another name or its first number another. */
static congru_status load_changed(const congru_model *model, bool renamed, double number,
                                  congru_model **changed)
{
    size_t size = 0;
    CHECK(congru_model_pack(context, model, NULL, 0, &size) == CONGRU_OK);
    unsigned char *bytes = malloc(size);
    CHECK(bytes != NULL && congru_model_pack(context, model, bytes, size, &size) == CONGRU_OK);
    congru_model_tensor spread = {0};
    for (size_t i = 0;
         congru_model_tensor_at(model, i, &spread) && strcmp(spread.name, "b0.spread.0") != 0;)
        i++;
    CHECK(spread.dims == 2 && spread.shape[0] == 2 && spread.shape[1] == 2);
    bool found = false;
    for (size_t i = 0; i + 16 < size && !found; i++) {
        if (renamed && memcmp(bytes + i, "b0.spread.0", 11) == 0)
            found = memcpy(bytes + i, "b0.former.0", 11) != NULL;
        else if (!renamed && memcmp(bytes + i, spread.data, 4 * sizeof(double)) == 0)
            found = memcpy(bytes + i + sizeof number, &number, sizeof number) != NULL;
    }
    CHECK(found);
    const congru_status status = congru_model_parse(context, "changed", bytes, size, changed);
    free(bytes);
    return status;
}

/* Two subjects are no measure of how far a third may be: its first window is not judged by them. */
TEST(few_subjects_do_not_say_how_far_a_new_one_is)
{
    congru_set *set = stream_set(context, &recipe);
    congru_model *model = stream_model(context, set, "ra+mdm", true, 5);
    congru_model_tensor spread = {0};
    for (size_t i = 0;
         congru_model_tensor_at(model, i, &spread) && strcmp(spread.name, "b0.spread.0") != 0;)
        i++;
    CHECK(spread.dims == 2 && spread.shape[0] == 1 && spread.shape[1] == 2);
    congru_model_destroy(&model);
    congru_set_destroy(&set);
}

TEST(models_without_a_spread_take_every_window)
{
    static decided loose;
    const congru_decoder_options options = stream_decoding(4, CONGRU_ADAPT_WINDOWS);
    congru_set *set = stream_set(context, &many);
    congru_model *model = stream_model(context, set, "ra+mdm", true, 5), *former = NULL;
    stream_recording recording;
    stream_record(&many, many.subjects - 1, &recording);
    double *frames = stream_frames(&recording);
    loosen(&recording, 31, 36, 500, frames);
    if (CHECK(load_changed(model, true, 0, &former) == CONGRU_OK))
        run(former, &options, frames, recording.samples, &loose);
    CHECK(loose.count > 200 && loose.artefacts == 0);
    congru_model_destroy(&former);
    CHECK(load_changed(model, false, -1, &former) == CONGRU_ERROR_FORMAT && former == NULL);
    CHECK_SAYING(strstr(congru_context_error(context), "spread") != NULL, "%s", congru_context_error(context));
    free(frames);
    stream_recording_clear(&recording);
    congru_model_destroy(&model);
    congru_set_destroy(&set);
}

int main(void)
{
    if (congru_context_create(&context, NULL) != CONGRU_OK)
        return 1;
    harness_run_all();
    congru_context_destroy(&context);
    return harness_end();
}
