/* Live decisions of branches and of networks of signals: those of congru_model_predict about the same trials. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness.h"
#include "stream_samples.h"

static congru_context *context;
static const stream_recipe recipe = {
    .subjects = 4, .trials = 10, .d = 4, .rate = 100, .estimator = "scm", .seed = 11};

/* Two bands whose windows lie far from the beginning of a trial, one of them not at its end. */
static const char definitions[] = "pipeline = late\n"
                                  "choose = nothing\n"
                                  "method = ra+ridge\n"
                                  "shrinkage = 0.01\n"
                                  "branch = one\n"
                                  "band = 8:30\n"
                                  "window = 3:4\n"
                                  "branch = two\n"
                                  "band = 12:35\n"
                                  "window = 2.83:3.71, 3.1:3.9\n"
                                  "pipeline = beside\n"
                                  "branches = slow\n"
                                  "branch = all\n"
                                  "method = ra+tslr\n"
                                  "\n"
                                  "pipeline = cropped\n"
                                  "branch = crops\n"
                                  "method = eegnet\n"
                                  "window = 0:4\n"
                                  "band = 4:38\n"
                                  "windows = inside\n"
                                  "crops = 1.5\n"
                                  "crop-count = 3\n"
                                  "zscore = on\n"
                                  "ensemble = 2\n"
                                  "\n"
                                  "pipeline = centred\n"
                                  "branch = crops\n"
                                  "method = tsmnet\n"
                                  "window = 0:4\n"
                                  "crops = 2\n"
                                  "\n"
                                  "pipeline = centred-twice\n"
                                  "branches = slow\n"
                                  "branch = crops\n"
                                  "method = tsmnet\n"
                                  "window = 0:4\n"
                                  "crops = 2\n"
                                  "ensemble = 2\n"
                                  "\n"
                                  "pipeline = heads\n"
                                  "band = 8:30\n"
                                  "window = 0.5:3.5\n"
                                  "branch = layers\n"
                                  "method = dldct-e2e\n"
                                  "branch = scaled\n"
                                  "method = dct-e2e\n"
                                  "dispersion = subject\n"
                                  "ensemble = 2\n"
                                  "branch = aligned\n"
                                  "method = dct+tslr\n"
                                  "dispersion = subject+global\n"
                                  "\n"
                                  "pipeline = network-beside\n"
                                  "branches = motor+slow, eegnet\n";

static congru_model *train(const congru_set *set, const char *pipeline, bool causal)
{
    congru_model *model = stream_model(context, set, pipeline, causal, 5);
    CHECK(model == NULL || congru_model_is_causal(model) == causal);
    return model;
}

static congru_decoder *make(const congru_model *model, double rate, congru_adaptation adaptation)
{
    congru_decoder_options options = stream_decoding(rate, adaptation);
    options.memory = 0;
    return stream_decoder(context, model, &options);
}

/* The recording of the subject that models are trained without. */
typedef struct target {
    stream_recording recording;
    double *frames;
} target;

static target make_target(void)
{
    target made;
    stream_record(&recipe, recipe.subjects - 1, &made.recording);
    made.frames = stream_frames(&made.recording);
    return made;
}

static void clear_target(target *made)
{
    free(made->frames);
    stream_recording_clear(&made->recording);
}

/* Every cue marked in advance, `lead` frames before it comes; or, where negative, after its decision was due. Decisions
 * about cues go to p (trials, 2); how many there were. */
static size_t decode(congru_decoder *decoder, const target *t, size_t block, int lead, double *p)
{
    size_t marked = 0, decided = 0;
    for (size_t at = 0, taken; decoder != NULL && at < t->recording.samples; at += taken) {
        congru_decision decision;
        size_t count = t->recording.samples - at < block ? t->recording.samples - at : block;
        while (marked < recipe.trials &&
               (lead >= 0 ? stream_cue(&recipe, marked) <= at + (size_t)lead + block
                          : congru_decoder_cue_due(decoder, stream_cue(&recipe, marked)) + (size_t)-lead <= at))
            CHECK(congru_decoder_mark(decoder, stream_cue(&recipe, marked++)) == CONGRU_OK);
        if (!CHECK(congru_decoder_push(decoder, count, t->frames + at * recipe.d, &taken, &decision) ==
                   CONGRU_OK))
            return decided;
        if (!decision.due || !decision.cued || decided == recipe.trials)
            continue;
        CHECK(decision.cue == stream_cue(&recipe, decided) && decision.status == CONGRU_OK);
        if (lead >= 0)
            CHECK(decision.sample == congru_decoder_cue_due(decoder, decision.cue));
        if (decision.probability != NULL)
            memcpy(p + 2 * decided, decision.probability, 2 * sizeof *p);
        decided++;
    }
    return decided;
}

static double difference(size_t count, const double *a, const double *b)
{
    double worst = 0;
    for (size_t i = 0; i < count; i++)
        worst = fmax(worst, fabs(a[i] - b[i]));
    return worst;
}

static void compare(const congru_set *set, const congru_model *model, const char *pipeline, const target *t,
                    congru_adaptation adaptation, congru_target visible)
{
    static const struct {
        size_t block;
        int lead;
    } ways[] = {{1, 0}, {7, 30}, {5000, 0}, {13, -20}};
    const int32_t last = (int32_t)recipe.subjects - 1;
    const congru_prediction_options options = {.subjects = &last, .subject_count = 1, .target = visible};
    congru_predictions *batch = NULL;
    double p[20] = {0};
    CHECK(congru_model_predict(context, model, set, &options, &batch) == CONGRU_OK);
    congru_decoder *decoder = make(model, 0, adaptation);
    for (size_t w = 0; decoder != NULL && batch != NULL && w < sizeof ways / sizeof ways[0]; w++) {
        congru_decoder_reset(decoder);
        size_t decided = decode(decoder, t, ways[w].block, ways[w].lead, p);
        CHECK_SAYING(decided >= recipe.trials - 1, "%s: %zu decisions", pipeline, decided);
        double worst = difference(2 * decided, p, batch->probability);
        CHECK_SAYING(worst <= 0, "%s, blocks of %zu: %g", pipeline, ways[w].block, worst); /* to the bit */
    }
    congru_decoder_destroy(&decoder);
    congru_predictions_destroy(&batch);
}

TEST(cues_are_decided_as_trials_are)
{
    static const char *const pipelines[] = {"motor",  "slow", "motor+slow", "shallow",
                                            "eegnet", "late", "cropped",    "network-beside"};
    congru_set *set = stream_wide_set(context, &recipe);
    target t = make_target();
    for (size_t i = 0; i < sizeof pipelines / sizeof pipelines[0]; i++)
        for (int causal = 0; causal < 2; causal++) {
            congru_model *model = train(set, pipelines[i], causal == 1);
            if (model == NULL)
                continue;
            compare(set, model, pipelines[i], &t, CONGRU_ADAPT_NEVER, CONGRU_TARGET_NONE);
            compare(set, model, pipelines[i], &t, CONGRU_ADAPT_TRIALS, CONGRU_TARGET_ONLINE);
            congru_model_destroy(&model);
        }
    clear_target(&t);
    congru_set_destroy(&set);
}

/* Networks that recentre matrices of their own, whole and cropped, several of them: by those of their training, or by those
 * of the subject's trials so far. */
TEST(networks_recentre_as_trials_come)
{
    static const char *const pipelines[] = {"tsmnet", "centred", "centred-twice", "conv-dldct", "heads"};
    congru_set *set = stream_wide_set(context, &recipe);
    target t = make_target();
    for (size_t i = 0; i < sizeof pipelines / sizeof pipelines[0]; i++) {
        congru_model *model = train(set, pipelines[i], true);
        if (model == NULL)
            continue;
        compare(set, model, pipelines[i], &t, CONGRU_ADAPT_NEVER, CONGRU_TARGET_NONE);
        compare(set, model, pipelines[i], &t, CONGRU_ADAPT_TRIALS, CONGRU_TARGET_ONLINE);
        congru_model_destroy(&model);
    }
    clear_target(&t);
    congru_set_destroy(&set);
}

/* A causal model decides when its last window is there; one of zero phase when the trial is. */
TEST(decisions_come_as_early_as_they_can)
{
    static const struct {
        const char *pipeline;
        bool causal;
        size_t after; /* frames from the cue */
        bool cues;
    } expected[] = {{"slow", true, 150, true},       {"slow", false, 400, true}, {"motor", true, 400, false},
                    {"motor+slow", true, 400, true}, {"late", true, 400, false}, {"eegnet", true, 400, true},
                    {"motor+slow", false, 400, true}};
    congru_set *set = stream_wide_set(context, &recipe);
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
        congru_model *model = train(set, expected[i].pipeline, expected[i].causal);
        congru_decoder *decoder = make(model, 4, CONGRU_ADAPT_NEVER);
        congru_decision decision;
        CHECK(congru_decoder_cue_due(decoder, 1000) == 1000 + expected[i].after);
        CHECK(congru_model_needs_cues(model) == expected[i].cues);
        CHECK(congru_decoder_decide(decoder, &decision) ==
              (expected[i].cues ? CONGRU_ERROR_UNSUPPORTED : CONGRU_OK));
        CHECK(!decision.due);
        congru_decoder_destroy(&decoder);
        congru_model_destroy(&model);
    }
    congru_set_destroy(&set);
}

/* Far from the beginning of a trial its filters have forgotten it: at that moment windows as they flow are the trial's. */
TEST(windows_that_flow_are_those_of_trials)
{
    congru_set *set = stream_wide_set(context, &recipe);
    congru_model *model = train(set, "late", true);
    congru_decoder *decoder = make(model, 0, CONGRU_ADAPT_NEVER);
    target t = make_target();
    double worst = 0;
    for (size_t k = 1; decoder != NULL && k < recipe.trials; k++) {
        congru_decision decision;
        double p[2] = {0};
        const uint64_t due = congru_decoder_cue_due(decoder, stream_cue(&recipe, k));
        for (size_t at = (size_t)congru_decoder_position(decoder), taken; at < due; at += taken)
            CHECK(congru_decoder_push(decoder, (size_t)due - at, t.frames + at * recipe.d, &taken, &decision) ==
                  CONGRU_OK);
        CHECK(congru_decoder_decide(decoder, &decision) == CONGRU_OK && decision.status == CONGRU_OK);
        if (!CHECK(decision.probability != NULL && !decision.cued))
            break;
        memcpy(p, decision.probability, sizeof p);
        CHECK(congru_decoder_decide_cue(decoder, stream_cue(&recipe, k), &decision) == CONGRU_OK);
        CHECK(decision.status == CONGRU_OK && decision.cued);
        worst = fmax(worst, difference(2, p, decision.probability));
    }
    CHECK_SAYING(worst <= 1e-9, "%g", worst);
    clear_target(&t);
    congru_decoder_destroy(&decoder);
    congru_model_destroy(&model);
    congru_set_destroy(&set);
}

/* Series of decisions, adapting, with cues between them: to the bit however the stream is cut, and again after a reset. */
TEST(pushes_do_not_matter)
{
    static const size_t blocks[] = {1, 17, 64, 5000};
    static const congru_adaptation adaptations[] = {CONGRU_ADAPT_WINDOWS, CONGRU_ADAPT_DECISIONS};
    congru_set *set = stream_wide_set(context, &recipe);
    congru_model *model = train(set, "motor", true);
    target t = make_target();
    enum { MOST = 400 };
    double(*first)[3] = calloc(MOST, sizeof *first);
    for (size_t a = 0; a < 2; a++) {
        congru_decoder *decoder = make(model, 8, adaptations[a]);
        size_t before = 0;
        for (size_t b = 0; decoder != NULL && first != NULL && b < sizeof blocks / sizeof blocks[0]; b++) {
            size_t count = 0;
            congru_decoder_reset(decoder);
            for (size_t k = 0; k < recipe.trials; k++)
                CHECK(congru_decoder_mark(decoder, stream_cue(&recipe, k)) == CONGRU_OK);
            for (size_t at = 0, taken; at < t.recording.samples; at += taken) {
                congru_decision decision;
                size_t piece = t.recording.samples - at < blocks[b] ? t.recording.samples - at : blocks[b];
                CHECK(congru_decoder_push(decoder, piece, t.frames + at * recipe.d, &taken, &decision) ==
                      CONGRU_OK);
                if (!decision.due || count == MOST)
                    continue;
                const double now[3] = {(double)decision.sample,
                                       decision.probability != NULL ? decision.probability[0] : -1,
                                       (double)decision.cue};
                if (b == 0)
                    memcpy(first[count], now, sizeof now);
                CHECK(memcmp(first[count], now, sizeof now) == 0);
                count++;
            }
            before = b == 0 ? count : before;
            CHECK_SAYING(count == before && count > 300, "%zu decisions, then %zu", before, count);
        }
        congru_decoder_destroy(&decoder);
    }
    free(first);
    clear_target(&t);
    congru_model_destroy(&model);
    congru_set_destroy(&set);
}

/* ---- What has no prediction -------------------------------------------------------------------------------- */

static congru_decision decide_with(const congru_model *model, double *frames, size_t samples, uint64_t cue)
{
    congru_decoder *decoder = make(model, 0, CONGRU_ADAPT_NEVER);
    congru_decision decision = {.due = false};
    for (size_t at = 0, taken; decoder != NULL && at < samples; at += taken)
        CHECK(congru_decoder_push(decoder, samples - at, frames + at * recipe.d, &taken, &decision) ==
              CONGRU_OK);
    CHECK(decoder != NULL && congru_decoder_decide_cue(decoder, cue, &decision) == CONGRU_OK);
    decision.probability = NULL;
    congru_decoder_destroy(&decoder);
    return decision;
}

TEST(what_cannot_be_decided_is_said)
{
    congru_set *set = stream_wide_set(context, &recipe);
    congru_model *model = train(set, "motor+slow", true);
    target t = make_target();
    const size_t cue = stream_cue(&recipe, 1), samples = stream_cue(&recipe, 2) + 400, d = recipe.d;
    double kept[2000];
    congru_decision decision = decide_with(model, t.frames, samples, cue);
    CHECK(decision.due && decision.status == CONGRU_OK && decision.prediction >= 0);
    CHECK(decide_with(model, t.frames, samples, 10).status ==
          CONGRU_ERROR_NOT_FINITE);                                   /* before the first frame */
    CHECK(!decide_with(model, t.frames, samples, samples - 100).due); /* to come */
    CHECK(decide_with(model, t.frames, t.recording.samples, cue).status == CONGRU_ERROR_NOT_FINITE); /* gone */
    t.frames[(cue + 100) * d + 2] += NAN;
    decision = decide_with(model, t.frames, samples, cue);
    CHECK(decision.due && decision.status == CONGRU_ERROR_NOT_FINITE && decision.prediction == -1);
    CHECK(decide_with(model, t.frames, samples, stream_cue(&recipe, 2)).status == CONGRU_OK);
    for (size_t i = 0; i < 500; i++) {
        kept[i] = t.frames[(cue - 50 + i) * d + 2];
        t.frames[(cue - 50 + i) * d + 2] = 3;
    }
    decision = decide_with(model, t.frames, samples, cue);
    CHECK(decision.status == CONGRU_ERROR_NOT_POSITIVE && decision.flat == 2);
    for (size_t i = 0; i < 500; i++)
        t.frames[(cue - 50 + i) * d + 2] = isnan(kept[i]) ? 1 : kept[i];
    for (size_t i = 0; i < samples * d; i++)
        t.frames[i] *= 1e-6;
    CHECK(decide_with(model, t.frames, samples, cue).status == CONGRU_ERROR_SCALE);
    clear_target(&t);
    congru_model_destroy(&model);
    congru_set_destroy(&set);
}

TEST(marks_are_counted)
{
    congru_set *set = stream_wide_set(context, &recipe);
    congru_model *model = train(set, "slow", true);
    congru_decoder *decoder = make(model, 4, CONGRU_ADAPT_WINDOWS);
    target t = make_target();
    congru_decision decision;
    size_t taken, decided = 0;
    uint64_t last = 0;
    for (size_t i = 0; i < CONGRU_DECODER_MARKS_MAX; i++) /* out of order, overlapping, two of one frame */
        CHECK(congru_decoder_mark(decoder, 100 + 37 * (i % 2 == 0 ? i : 15 - i)) == CONGRU_OK);
    CHECK(congru_decoder_mark(decoder, 5000) == CONGRU_ERROR_ARGUMENT);
    CHECK(congru_decoder_mark(decoder, UINT64_MAX) == CONGRU_ERROR_ARGUMENT);
    for (size_t at = 0; at < 1000; at += taken) {
        CHECK(congru_decoder_push(decoder, 1000 - at, t.frames + at * recipe.d, &taken, &decision) ==
              CONGRU_OK);
        CHECK(!decision.due ||
              (decision.cued && decision.cue >= last && decision.sample == decision.cue + 150));
        last = decision.due ? decision.cue : last;
        decided += decision.due && decision.prediction >= 0;
    }
    CHECK_SAYING(decided == CONGRU_DECODER_MARKS_MAX, "%zu", decided);
    CHECK(congru_decoder_reference(decoder, NULL) == CONGRU_DECODER_MARKS_MAX);
    CHECK(congru_decoder_mark(decoder, 2000) == CONGRU_OK);
    congru_decoder_reset(decoder);
    for (size_t at = 0; at < 3000; at += taken) {
        CHECK(congru_decoder_push(decoder, 3000 - at, t.frames + at * recipe.d, &taken, &decision) ==
              CONGRU_OK);
        CHECK(!decision.due);
    }
    clear_target(&t);
    congru_decoder_destroy(&decoder);
    congru_model_destroy(&model);
    congru_set_destroy(&set);
}

/* A model of one window knows its cue as well, and decides about it at its moment. */
TEST(one_window_takes_marks)
{
    congru_set *set = stream_set(context, &recipe);
    congru_model *model = train(set, "ra+mdm", true);
    congru_decoder *decoder = make(model, 0, CONGRU_ADAPT_NEVER);
    target t = make_target();
    size_t taken, decided = 0;
    congru_decision decision;
    CHECK(congru_decoder_mark(decoder, 500) == CONGRU_OK && congru_decoder_cue_due(decoder, 500) == 850);
    for (size_t at = 0; at < 1000; at += taken) {
        CHECK(congru_decoder_push(decoder, 1000 - at, t.frames + at * recipe.d, &taken, &decision) ==
              CONGRU_OK);
        decided += decision.due && decision.cued && decision.sample == 850 && decision.prediction >= 0;
    }
    CHECK(decided == 1);
    CHECK(congru_decoder_decide_cue(decoder, 500, &decision) == CONGRU_OK && decision.prediction == -1);
    clear_target(&t);
    congru_decoder_destroy(&decoder);
    congru_model_destroy(&model);
    congru_set_destroy(&set);
}

/* ---- Refusals ------------------------------------------------------------------------------------------ */

static void refuse(const congru_model *model, const congru_decoder_options *options, const char *words)
{
    congru_decoder *decoder = NULL;
    CHECK(congru_decoder_create(context, model, options, &decoder) != CONGRU_OK && decoder == NULL);
    CHECK_SAYING(strstr(congru_context_error(context), words) != NULL, "%s", congru_context_error(context));
    congru_decoder_destroy(&decoder);
}

TEST(refusals_name_the_reason)
{
    congru_set *set = stream_wide_set(context, &recipe);
    congru_decoder_options options;
    congru_model *model = train(set, "slow", true), *motor = train(set, "motor", true);
    congru_decoder_options_init(&options);
    options.sampling = 200;
    refuse(model, &options, "whose samples it reads one by one");
    congru_decoder *decoder = NULL;
    CHECK_SAYING(congru_decoder_create(context, motor, &options, &decoder) == CONGRU_OK, "%s",
                 congru_context_error(context));
    CHECK(congru_decoder_cue_due(decoder, 0) == 800);
    congru_decoder_destroy(&decoder);
    options.sampling = 0;
    options.window = 2;
    refuse(model, &options, "windows of a model of branches");
    congru_model_destroy(&model);
    congru_model_destroy(&motor);
    /* Trials that begin with their cue have no baseline before it. */
    congru_set *late = NULL;
    congru_set from = *set;
    from.start = 0;
    from.meta = NULL;
    CHECK(congru_set_create_copying(context, &from, &late) == CONGRU_OK);
    congru_model_options fit;
    congru_model_options_init(&fit);
    fit.pipeline = "slow";
    fit.causal = true;
    CHECK(congru_model_fit(context, late, &fit, &model) == CONGRU_ERROR_ARGUMENT);
    CHECK_SAYING(strstr(congru_context_error(context), "what comes before the cue") != NULL, "%s",
                 congru_context_error(context));
    congru_set_destroy(&late);
    /* Covariances beside branches of signals: nothing says how they were made. */
    congru_preprocessing raw;
    congru_preprocessing_init_raw(&raw);
    CHECK(congru_set_estimate(context, set, &raw) == CONGRU_OK);
    model = train(set, "beside", false);
    refuse(model, NULL, "branch 'all' reads covariances as its set had them");
    congru_model_destroy(&model);
    congru_set_destroy(&set);
}

int main(void)
{
    if (congru_context_create(&context, NULL) != CONGRU_OK ||
        congru_pipeline_define(context, "definitions", definitions) != CONGRU_OK)
        return 1;
    harness_run_all();
    congru_context_destroy(&context);
    return harness_end();
}
