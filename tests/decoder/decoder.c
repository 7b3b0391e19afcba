/* The streaming decoder: the batch path's answers, whatever the blocks; no allocation; its refusals. SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "harness.h"
#include "stream_samples.h"

static congru_context *context;
static const stream_recipe small = {
    .subjects = 3, .trials = 8, .d = 4, .rate = 100, .estimator = "scm", .seed = 3};

static congru_model *train(const congru_set *set, const char *pipeline)
{
    return stream_model(context, set, pipeline, false, 20);
}

static congru_decoder *make(const congru_model *model, double rate, congru_adaptation adaptation)
{
    const congru_decoder_options options = stream_decoding(rate, adaptation);
    return stream_decoder(context, model, &options);
}

/* Pushes frames up to `end` in blocks, each block ending early where the end is. No decisions are expected. */
static void push_to(congru_decoder *decoder, const double *frames, size_t d, size_t end, size_t block)
{
    congru_decision decision;
    size_t taken;
    for (size_t at = (size_t)congru_decoder_position(decoder); at < end; at += taken) {
        size_t count = end - at < block ? end - at : block;
        CHECK(congru_decoder_push(decoder, count, frames + at * d, &taken, &decision) == CONGRU_OK);
        if (!CHECK(!decision.due && taken > 0))
            return;
    }
}

/* ---- Batch and stream ---------------------------------------------------------------------------------- */

/* The largest difference of probabilities at the trials of the last subject, without adaptation or `online`. */
static double batch_difference(const stream_recipe *recipe, const congru_set *set, const congru_model *model,
                               size_t block, bool online)
{
    const int32_t last = (int32_t)recipe->subjects - 1;
    const congru_prediction_options options = {.subjects = &last,
                                               .subject_count = 1,
                                               .target = online ? CONGRU_TARGET_ONLINE : CONGRU_TARGET_NONE,
                                               .ignore_labels = true};
    congru_predictions *batch = NULL;
    stream_recording recording;
    double worst = 0;
    CHECK(congru_model_predict(context, model, set, &options, &batch) == CONGRU_OK);
    stream_record(recipe, (size_t)last, &recording);
    double *frames = stream_frames(&recording);
    congru_decoder *decoder = make(model, 0, online ? CONGRU_ADAPT_TRIALS : CONGRU_ADAPT_NEVER);
    for (size_t k = 0; k < recording.trials; k++) {
        congru_decision decision;
        push_to(decoder, frames, recipe->d, recording.end[k], block);
        CHECK(congru_decoder_decide(decoder, &decision) == CONGRU_OK);
        if (!CHECK(decision.due && decision.status == CONGRU_OK && decision.sample == recording.end[k]))
            break;
        CHECK(decision.prediction == batch->prediction[k]);
        for (size_t c = 0; c < batch->classes; c++) {
            double difference = fabs(decision.probability[c] - batch->probability[k * batch->classes + c]);
            worst = difference > worst ? difference : worst;
        }
    }
    congru_decoder_destroy(&decoder);
    free(frames);
    stream_recording_clear(&recording);
    congru_predictions_destroy(&batch);
    return worst;
}

static void trials_are_decided_as_in_batch(void)
{
    static const char *const estimators[] = {"scm", "oas", "lwf"};
    static const size_t blocks[] = {1, 7, 160, 5000};
    char pipeline[CONGRU_PIPELINE_SIZE];
    for (size_t e = 0; e < 3; e++) {
        stream_recipe recipe = small;
        recipe.estimator = estimators[e];
        recipe.average_reference = e == 1;
        recipe.d = e == 1 ? 5 : 4;
        congru_set *set = stream_set(context, &recipe);
        for (size_t p = 0; congru_pipeline_at(p, false, pipeline); p++) {
            if (e > 0 && p % 5 != 0) /* all of them with the first estimator, some with the others */
                continue;
            congru_model *model = train(set, pipeline);
            for (size_t b = 0; model != NULL && b < sizeof blocks / sizeof blocks[0]; b++) {
                double worst = batch_difference(&recipe, set, model, blocks[b], false);
                CHECK_SAYING(worst <= 1e-9, "%s, %s, blocks of %zu: %g", estimators[e], pipeline, blocks[b],
                             worst);
            }
            /* What networks and rpa remember of the trials before is that of --target online. */
            double following = model != NULL ? batch_difference(&recipe, set, model, 160, true) : 0;
            CHECK_SAYING(following <= 1e-9, "%s, %s, online: %g", estimators[e], pipeline, following);
            congru_model_destroy(&model);
        }
        congru_set_destroy(&set);
    }
}

/* The reference by hand: one geodesic step after each decision. */
static void reference_moves_as_by_hand(void)
{
    congru_set *set = stream_set(context, &small);
    congru_model *model = train(set, "ra+mdm");
    stream_recording recording;
    stream_record(&small, 2, &recording);
    double *frames = stream_frames(&recording), reference[16], root[16], white[16], own[16];
    congru_model_tensor prior = {0};
    for (size_t i = 0; congru_model_tensor_at(model, i, &prior) && strcmp(prior.name, "b0.prior.0") != 0;)
        i++;
    memcpy(reference, prior.data, sizeof reference);
    congru_decoder *decoder = make(model, 0, CONGRU_ADAPT_DECISIONS);
    for (size_t k = 0; k < recording.trials; k++) {
        const double *c = set->covariance + (2 * small.trials + k) * 16;
        congru_decision decision;
        push_to(decoder, frames, 4, recording.end[k], 13);
        CHECK(congru_decoder_reference(decoder, own) == k);
        for (size_t i = 0; i < 16; i++)
            CHECK_NEAR(own[i], reference[i], 1e-11);
        CHECK(congru_decoder_decide(decoder, &decision) == CONGRU_OK && decision.prediction >= 0);
        CHECK(congru_spd_invsqrt(context, 1, 4, reference, root) == CONGRU_OK);
        CHECK(congru_spd_congruence(context, 1, 4, 4, c, root, white) == CONGRU_OK);
        CHECK(congru_spd_geodesic(context, CONGRU_METRIC_RIEMANN, 1, 4, reference, 1, c,
                                  1.0 / (5.0 + (double)k), reference) == CONGRU_OK);
    }
    congru_decoder_destroy(&decoder);
    free(frames);
    stream_recording_clear(&recording);
    congru_model_destroy(&model);
    congru_set_destroy(&set);
}

/* Asked about the window of a decision that was just made, the decoder answers the same, and learns no more from it. */
static void ask_again(const char *pipeline)
{
    congru_set *set = stream_set(context, &small);
    congru_model *model = train(set, pipeline);
    stream_recording recording;
    stream_record(&small, 2, &recording);
    double *frames = stream_frames(&recording);
    for (int adaptation = CONGRU_ADAPT_WINDOWS; adaptation <= CONGRU_ADAPT_DECISIONS; adaptation++) {
        congru_decoder *decoder = make(model, 1, (congru_adaptation)adaptation);
        congru_decision decision;
        size_t taken, decisions = 0;
        for (size_t at = 0; at < 700; at += taken) {
            if (!CHECK(congru_decoder_push(decoder, 700 - at, frames + at * 4, &taken, &decision) == CONGRU_OK))
                break;
            if (!decision.due)
                continue;
            double first[2] = {decision.probability[0], decision.probability[1]};
            CHECK(congru_decoder_decide(decoder, &decision) == CONGRU_OK && decision.due);
            CHECK(memcmp(first, decision.probability, sizeof first) == 0);
            decisions++;
        }
        CHECK(decisions == 5);
        CHECK(congru_decoder_reference(decoder, NULL) == (adaptation == CONGRU_ADAPT_WINDOWS ? 2 : 4));
        congru_decoder_destroy(&decoder);
    }
    free(frames);
    stream_recording_clear(&recording);
    congru_model_destroy(&model);
    congru_set_destroy(&set);
}

static void asking_again_changes_nothing(void)
{
    ask_again("ra+mdm");
    ask_again("dldct-e2e"); /* which remembers the trials of the subject */
}

/* ---- Blocks -------------------------------------------------------------------------------------------- */

typedef struct heard {
    size_t count;
    uint64_t sample[512];
    double first[512]; /* the first class's probability; -1 without a prediction */
} heard;

static void listen(congru_decoder *decoder, const double *frames, size_t samples, size_t d, size_t block,
                   heard *h)
{
    h->count = 0;
    for (size_t at = 0; at < samples;) {
        size_t count = samples - at < block ? samples - at : block, taken;
        congru_decision decision;
        if (!CHECK(congru_decoder_push(decoder, count, frames + at * d, &taken, &decision) == CONGRU_OK))
            return;
        at += taken;
        if (!decision.due || h->count == 512)
            continue;
        h->sample[h->count] = decision.sample;
        h->first[h->count++] = decision.prediction >= 0 ? decision.probability[0] : -1;
    }
}

/* Adapting, and with gaps: to the bit the same for any blocks, in any instruction set, again after a reset, and from
 * single precision. */
static void blocks_change_nothing(void)
{
    static const size_t blocks[] = {1, 7, 160, 5000};
    static heard first, other;
    congru_set *set = stream_set(context, &small);
    congru_model *model = train(set, "ra+tslr");
    stream_recording recording;
    stream_record(&small, 2, &recording);
    double *frames = stream_frames(&recording);
    frames[1000 * 4 + 2] = NAN;
    frames[2500 * 4] = INFINITY;
    congru_decoder *decoder = make(model, 7, CONGRU_ADAPT_WINDOWS);
    listen(decoder, frames, recording.samples, 4, 64, &first);
    CHECK_SAYING(first.count == 1 + (recording.samples - 300) * 7 / 100, "%zu decisions", first.count);
    CHECK(congru_decoder_reference(decoder, NULL) >= 8);
    size_t silent = 0;
    for (size_t i = 0; i < first.count; i++) {
        bool gap = (first.sample[i] > 1000 && first.sample[i] <= 1300) ||
                   (first.sample[i] > 2500 && first.sample[i] <= 2800);
        CHECK_SAYING(gap == (first.first[i] < 0), "decision at %llu", (unsigned long long)first.sample[i]);
        silent += first.first[i] < 0;
    }
    CHECK(silent == 42);
    for (size_t b = 0; b < 4; b++) {
        congru_decoder_reset(decoder);
        listen(decoder, frames, recording.samples, 4, blocks[b], &other);
        CHECK_SAYING(memcmp(&first, &other, sizeof first) == 0, "blocks of %zu differ", blocks[b]);
    }
    congru_decoder_destroy(&decoder);
    for (size_t i = 0; congru_cpu_name(i) != NULL; i++) {
        congru_context *in = NULL;
        congru_decoder_options options;
        congru_decoder_options_init(&options);
        options.rate = 7;
        if (!congru_cpu_available(congru_cpu_name(i)) ||
            congru_context_create(&in, &(congru_context_options){.cpu = congru_cpu_name(i)}) != CONGRU_OK)
            continue;
        CHECK(congru_decoder_create(in, model, &options, &decoder) == CONGRU_OK);
        listen(decoder, frames, recording.samples, 4, 100, &other);
        CHECK_SAYING(memcmp(&first, &other, sizeof first) == 0, "%s differs", congru_cpu_name(i));
        congru_decoder_destroy(&decoder);
        congru_context_destroy(&in);
    }
    free(frames);
    stream_recording_clear(&recording);
    congru_model_destroy(&model);
    congru_set_destroy(&set);
}

/* A spike of a volt leaves the window without a trace. */
static void artefacts_leave_no_trace(void)
{
    static heard clean, spiked;
    congru_set *set = stream_set(context, &small);
    congru_model *model = train(set, "ra+mdm");
    stream_recording recording;
    stream_record(&small, 2, &recording);
    double *frames = stream_frames(&recording);
    congru_decoder *decoder = make(model, 4, CONGRU_ADAPT_NEVER);
    listen(decoder, frames, recording.samples, 4, 64, &clean);
    frames[500 * 4 + 1] += 1e6;
    congru_decoder_reset(decoder);
    listen(decoder, frames, recording.samples, 4, 64, &spiked);
    size_t disturbed = 0;
    for (size_t i = 0; i < clean.count; i++) {
        disturbed += fabs(clean.first[i] - spiked.first[i]) > 1e-3;
        if (clean.sample[i] > 2000) /* the notch rings for a while */
            CHECK_NEAR(spiked.first[i], clean.first[i], 1e-9);
    }
    CHECK_SAYING(disturbed > 5, "only %zu decisions felt it", disturbed);
    congru_decoder_destroy(&decoder);
    free(frames);
    stream_recording_clear(&recording);
    congru_model_destroy(&model);
    congru_set_destroy(&set);
}

/* Without a high-pass, an electrode far from zero costs no digits: the same recording 0.1 V away. */
static void constants_cost_no_digits(void)
{
    static heard near, far;
    congru_set *set = stream_set(context, &small);
    memcpy(strstr(set->meta, "[8, 30]"), "[0,  0]", 7);
    memcpy(strstr(set->meta, "\"notch\": 40"), "\"notch\":  0", 11);
    congru_model *model = train(set, "ra+mdm");
    stream_recording recording;
    stream_record(&small, 2, &recording);
    double *frames = stream_frames(&recording);
    for (size_t i = 0; i < recording.samples * 4; i++)
        frames[i] = nearbyint(frames[i] * 0x1p20) * 0x1p-20; /* so that the shift itself is exact */
    congru_decoder *decoder = make(model, 4, CONGRU_ADAPT_WINDOWS);
    listen(decoder, frames, recording.samples, 4, 64, &near);
    for (size_t i = 0; i < recording.samples * 4; i++)
        frames[i] += 1e5;
    congru_decoder_reset(decoder);
    listen(decoder, frames, recording.samples, 4, 64, &far);
    for (size_t i = 0; i < near.count; i++)
        CHECK_NEAR(far.first[i], near.first[i], 1e-12);
    CHECK(near.count > 100);
    congru_decoder_destroy(&decoder);
    free(frames);
    stream_recording_clear(&recording);
    congru_model_destroy(&model);
    congru_set_destroy(&set);
}

/* ---- Frames -------------------------------------------------------------------------------------------- */

/* Channels found by name among others, in another order, in volts and single precision. */
static void channels_are_found_by_name(void)
{
    static heard plain, mapped;
    const char *const names[] = {"EOG", "C4", "EEG:C1", "c3.", "C2", "TRIGGER"};
    congru_set *set = stream_set(context, &small);
    congru_model *model = train(set, "ra+mdm");
    stream_recording recording;
    stream_record(&small, 2, &recording);
    double *frames = stream_frames(&recording);
    float *wide = calloc(recording.samples * 6, sizeof *wide);
    for (size_t t = 0; wide != NULL && t < recording.samples; t++) {
        const size_t place[] = {2, 4, 3, 1};
        for (size_t i = 0; i < 4; i++) {
            wide[t * 6 + place[i]] = (float)(frames[t * 4 + i] * 0x1p-20);
            frames[t * 4 + i] = (double)wide[t * 6 + place[i]] * 0x1p20;
        }
        wide[t * 6] = NAN;
    }
    congru_decoder *decoder = make(model, 5, CONGRU_ADAPT_WINDOWS);
    listen(decoder, frames, recording.samples, 4, 64, &plain);
    congru_decoder_destroy(&decoder);
    congru_decoder_options options;
    congru_decoder_options_init(&options);
    options.rate = 5;
    options.channels = names;
    options.channel_count = 6;
    options.scale = 0x1p20;
    options.sampling = 100;
    CHECK(congru_decoder_create(context, model, &options, &decoder) == CONGRU_OK);
    CHECK(congru_decoder_channels(decoder) == 6 && congru_decoder_window(decoder) == 300);
    mapped.count = 0;
    for (size_t at = 0, taken; wide != NULL && at < recording.samples; at += taken) {
        congru_decision decision;
        CHECK(congru_decoder_push_float(decoder, recording.samples - at, wide + at * 6, &taken, &decision) ==
              CONGRU_OK);
        if (decision.due)
            mapped.first[mapped.count++] = decision.prediction >= 0 ? decision.probability[0] : -1;
    }
    CHECK(mapped.count == plain.count &&
          memcmp(mapped.first, plain.first, plain.count * sizeof plain.first[0]) == 0);
    congru_decoder_destroy(&decoder);
    free(wide);
    free(frames);
    stream_recording_clear(&recording);
    congru_model_destroy(&model);
    congru_set_destroy(&set);
}

static void check_refused(const congru_model *model, const congru_decoder_options *options,
                          congru_status wanted, const char *text)
{
    congru_decoder *decoder = NULL;
    congru_status status = congru_decoder_create(context, model, options, &decoder);
    CHECK_SAYING(status == wanted && decoder == NULL && strstr(congru_context_error(context), text) != NULL,
                 "%s: %s", congru_status_name(status), congru_context_error(context));
    congru_decoder_destroy(&decoder);
}

/* The covariance of a band does not depend on the rate it is sampled at: a stream of twice the rate, of the same signal,
 * decides nearly alike. */
static void another_rate_is_decoded(void)
{
    static heard plain, finer;
    congru_set *set = stream_set(context, &small);
    congru_model *model = train(set, "ra+mdm");
    stream_recording recording;
    stream_record(&small, 2, &recording);
    const size_t twice = congru_signal_resampled(recording.samples, 2, 1);
    double *frames = stream_frames(&recording), *across = calloc(4 * twice, sizeof *across),
           *along = calloc(4 * twice, sizeof *along);
    CHECK(across != NULL && along != NULL);
    CHECK(congru_signal_resample(context, 2, 1, 4, recording.samples, recording.data, across) == CONGRU_OK);
    for (size_t t = 0; t < twice; t++)
        for (size_t c = 0; c < 4; c++)
            along[t * 4 + c] = across[c * twice + t];
    congru_decoder *decoder = make(model, 4, CONGRU_ADAPT_NEVER);
    size_t window = congru_decoder_window(decoder);
    listen(decoder, frames, recording.samples, 4, 64, &plain);
    congru_decoder_destroy(&decoder);
    congru_decoder_options options;
    congru_decoder_options_init(&options);
    options.rate = 4;
    options.adaptation = CONGRU_ADAPT_NEVER;
    options.sampling = 200;
    CHECK(congru_decoder_create(context, model, &options, &decoder) == CONGRU_OK);
    CHECK(congru_decoder_window(decoder) == 2 * window && congru_decoder_sampling(decoder) == 200);
    listen(decoder, along, twice, 4, 64, &finer);
    size_t alike = 0, count = plain.count < finer.count ? plain.count : finer.count;
    for (size_t i = 0; i < count; i++)
        alike += fabs(plain.first[i] - finer.first[i]) < 0.1;
    CHECK_SAYING(count > 50 && alike * 10 > count * 9, "%zu of %zu alike", alike, count);
    congru_decoder_destroy(&decoder);
    free(along);
    free(across);
    free(frames);
    stream_recording_clear(&recording);
    congru_model_destroy(&model);
    congru_set_destroy(&set);
}

static void refusals(void)
{
    const char *const names[] = {"C1", "C2", "C3"};
    congru_set *set = stream_set(context, &small);
    congru_model *model = train(set, "ra+mdm");
    congru_decoder_options options;
    congru_decoder_options_init(&options);
    options.sampling = 50;
    check_refused(model, &options, CONGRU_ERROR_ARGUMENT,
                  "50 Hz where the model has 100 Hz, and its band is too wide");
    options.sampling = 0;
    options.channels = names;
    options.channel_count = 3;
    check_refused(model, &options, CONGRU_ERROR_ARGUMENT, "no channel 'C4', which is number 4");
    options.channels = NULL;
    options.rate = -1;
    check_refused(model, &options, CONGRU_ERROR_ARGUMENT, "out of range");
    options.rate = 4;
    options.window = 0.001;
    check_refused(model, &options, CONGRU_ERROR_ARGUMENT, "too short");
    congru_model_destroy(&model);
    set->rate = 0;
    model = train(set, "ra+mdm");
    options.window = 0;
    check_refused(model, &options, CONGRU_ERROR_ARGUMENT, "does not know the sampling rate");
    congru_model_destroy(&model);
    set->rate = 100;
    memcpy(strstr(set->meta, "\"iir\""), "\"fir\"", 5);
    model = train(set, "ra+mdm");
    check_refused(model, &options, CONGRU_ERROR_UNSUPPORTED, "FIR filter");
    congru_model_destroy(&model);
    free(set->meta);
    set->meta = NULL;
    model = train(set, "ra+mdm");
    check_refused(model, &options, CONGRU_ERROR_ARGUMENT, "does not know how its covariances were made");
    congru_model_destroy(&model);
    congru_set_destroy(&set);
}

/* Flat channels: no prediction, no harm to the reference, and answers again after. */
static void flat_channels_have_no_answer(void)
{
    static heard h;
    congru_set *set = stream_set(context, &small);
    congru_model *model = train(set, "ra+mdm");
    stream_recording recording;
    stream_record(&small, 2, &recording);
    double *frames = stream_frames(&recording);
    for (size_t t = 500; t < 2500; t++)
        for (size_t i = 0; i < 4; i++)
            frames[t * 4 + i] = 0;
    congru_decoder *decoder = make(model, 1, CONGRU_ADAPT_WINDOWS);
    listen(decoder, frames, recording.samples, 4, 64, &h);
    size_t silent = 0;
    for (size_t i = 0; i < h.count; i++)
        silent += h.first[i] < 0;
    CHECK_SAYING(silent > 0 && h.first[0] >= 0 && h.first[h.count - 1] >= 0, "%zu of %zu silent", silent,
                 h.count);
    congru_decoder_destroy(&decoder);
    free(frames);
    stream_recording_clear(&recording);
    congru_model_destroy(&model);
    congru_set_destroy(&set);
}

static void a_flat_channel_is_named(void)
{
    congru_set *set = stream_set(context, &small);
    congru_model *model = train(set, "ra+mdm");
    stream_recording recording;
    stream_record(&small, 2, &recording);
    double *frames = stream_frames(&recording);
    for (size_t t = 0; t < recording.samples; t++)
        frames[t * 4 + 2] = 0;
    congru_decoder *decoder = make(model, 1, CONGRU_ADAPT_NEVER);
    size_t named = 0, due = 0;
    for (size_t t = 0, taken; t < 2000; t += taken) {
        congru_decision decision;
        CHECK(congru_decoder_push(decoder, 1, frames + t * 4, &taken, &decision) == CONGRU_OK);
        due += decision.due && decision.status == CONGRU_ERROR_NOT_POSITIVE;
        named += decision.due && decision.flat == 2;
    }
    CHECK_SAYING(due > 0 && named == due, "%zu of %zu named", named, due);
    congru_decoder_destroy(&decoder);
    free(frames);
    stream_recording_clear(&recording);
    congru_model_destroy(&model);
    congru_set_destroy(&set);
}

/* ---- Threads ------------------------------------------------------------------------------------------- */

typedef struct worker {
    const congru_model *model;
    const double *frames;
    size_t samples;
    double last;
    bool failed;
} worker;

static void *work(void *user)
{
    worker *w = user;
    congru_context *own = NULL;
    congru_decoder *decoder = NULL;
    w->failed = congru_context_create(&own, NULL) != CONGRU_OK ||
                congru_decoder_create(own, w->model, NULL, &decoder) != CONGRU_OK;
    for (size_t at = 0, taken; !w->failed && at < w->samples; at += taken) {
        congru_decision decision;
        w->failed =
            congru_decoder_push(decoder, w->samples - at, w->frames + at * 4, &taken, &decision) != CONGRU_OK;
        if (decision.due && decision.prediction >= 0)
            w->last = decision.probability[0];
    }
    congru_decoder_destroy(&decoder);
    congru_context_destroy(&own);
    return NULL;
}

static void several_threads_share_a_model(void)
{
    congru_set *set = stream_set(context, &small);
    congru_model *model = train(set, "ddct-unet-e2e");
    stream_recording recording;
    stream_record(&small, 2, &recording);
    double *frames = stream_frames(&recording);
    worker workers[4];
    pthread_t threads[4];
    for (size_t i = 0; i < 4; i++) {
        workers[i] = (worker){.model = model, .frames = frames, .samples = recording.samples};
        CHECK(pthread_create(&threads[i], NULL, work, &workers[i]) == 0);
    }
    for (size_t i = 0; i < 4; i++) {
        pthread_join(threads[i], NULL);
        CHECK(!workers[i].failed && workers[i].last == workers[0].last);
    }
    free(frames);
    stream_recording_clear(&recording);
    congru_model_destroy(&model);
    congru_set_destroy(&set);
}

int main(void)
{
    if (congru_context_create(&context, NULL) != CONGRU_OK)
        return 1;
    RUN(trials_are_decided_as_in_batch);
    RUN(reference_moves_as_by_hand);
    RUN(asking_again_changes_nothing);
    RUN(blocks_change_nothing);
    RUN(artefacts_leave_no_trace);
    RUN(constants_cost_no_digits);
    RUN(channels_are_found_by_name);
    RUN(flat_channels_have_no_answer);
    RUN(a_flat_channel_is_named);
    RUN(another_rate_is_decoded);
    RUN(refusals);
    RUN(several_threads_share_a_model);
    congru_context_destroy(&context);
    return harness_end();
}
