/* Models and decoders: sets and models they cannot use, and rates beyond the stream's. SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "context_main.h"
#include "decoder/model_internal.h"
#include "harness.h"
#include "refusal.h"
#include "set_samples.h"
#include "stream_samples.h"

static congru_context *context;
static const set_recipe small = {
    .subjects = 4, .classes = 3, .per_class = 8, .d = 4, .sessions = 2, .effect = 0.8, .seed = 1};
static const stream_recipe stream = {
    .subjects = 3, .trials = 8, .d = 4, .rate = 100, .estimator = "scm", .seed = 3};

static congru_model *train(const congru_set *set, const char *pipeline)
{
    congru_model_options options;
    congru_model *model = NULL;
    congru_model_options_init(&options);
    options.pipeline = pipeline;
    options.method.rpa_labels = 5;
    congru_status status = congru_model_fit(context, set, &options, &model);
    CHECK_SAYING(status == CONGRU_OK, "%s: %s", pipeline, congru_context_error(context));
    return model;
}

/* ---- Models -------------------------------------------------------------------------------------------- */

static void check_unfitted(const congru_set *set, const congru_model_options *options, const char *words)
{
    congru_model *model = NULL;
    check_error(context, congru_model_fit(context, set, options, &model), CONGRU_ERROR_ARGUMENT, words);
    CHECK(model == NULL);
}

TEST(sets_without_enough_are_refused)
{
    congru_set *set = sample_set(context, &small), wrong = *set;
    congru_model_options options;
    congru_model_options_init(&options);
    options.pipeline = "ra+mdm";
    wrong.label = NULL;
    check_unfitted(&wrong, &options, "the set holds no labelled covariances");
    wrong = *set;
    wrong.classes = 1;
    check_unfitted(&wrong, &options, "the set holds one class, 'class0'; nothing to tell apart");
    options.without = (const int32_t[]){4};
    options.without_count = 1;
    check_unfitted(set, &options, "there is no subject 4");
    congru_set_destroy(&set);
}

TEST(texts_end)
{
    congru_set *set = sample_set(context, &small);
    congru_model *model = train(set, "ra+mdm");
    const char *name = NULL, *text = NULL;
    size_t count = 0;
    bool pipeline = false;
    for (; congru_model_text(model, count, &name, &text); count++)
        pipeline = pipeline || (strcmp(name, "pipeline") == 0 && strcmp(text, "ra+mdm") == 0);
    CHECK(pipeline && count > 5 && !congru_model_text(model, count + 1, &name, &text));
    errno = 0;
    CHECK(!congru_model_recognises("/nowhere/at/all") && errno == ENOENT);
    CHECK(!congru_model_recognises(NULL));
    congru_model_destroy(&model);
    congru_set_destroy(&set);
}

/* A subject that is not there, and one that has no trials. */
TEST(subjects_are_those_of_the_set)
{
    congru_set *set = sample_set(context, &small);
    congru_model *model = train(set, "ra+mdm");
    congru_predictions *made = NULL;
    const int32_t subjects[] = {3, 1};
    congru_prediction_options options = {.subjects = (const int32_t[]){-1}, .subject_count = 1};
    check_error(context, congru_model_predict(context, model, set, &options, &made), CONGRU_ERROR_ARGUMENT,
                "there is no subject -1");
    for (size_t i = 0; i < set->count; i++)
        set->subject[i] = set->subject[i] == 3 ? 0 : set->subject[i];
    options = (congru_prediction_options){.subjects = subjects, .subject_count = 2};
    CHECK(congru_model_predict(context, model, set, &options, &made) == CONGRU_OK);
    CHECK(made != NULL && made->count == 24);
    for (size_t i = 0; made != NULL && i < made->count; i++)
        CHECK(set->subject[made->trial[i]] == 1);
    congru_predictions_destroy(&made);
    congru_model_destroy(&model);
    congru_set_destroy(&set);
}

/* Trials of a class that the model does not know are not calibrated with. */
TEST(foreign_classes_are_no_calibration)
{
    congru_set *set = sample_set(context, &small);
    congru_model *model = train(set, "rpa+mdm");
    congru_predictions *all = NULL, *some = NULL;
    const int32_t subject = 2;
    const congru_prediction_options options = {.subjects = &subject, .subject_count = 1};
    CHECK(congru_model_predict(context, model, set, &options, &all) == CONGRU_OK);
    const congru_prediction_options unseen = {
        .subjects = &subject, .subject_count = 1, .target = CONGRU_TARGET_NONE};
    congru_predictions *none = NULL;
    check_error(context, congru_model_predict(context, model, set, &unseen, &none), CONGRU_ERROR_ARGUMENT,
                "takes 5 labelled trials of each class");
    strcpy(set->class_name[1], "another");
    CHECK(congru_model_predict(context, model, set, &options, &some) == CONGRU_OK);
    if (CHECK(all != NULL && some != NULL)) {
        CHECK(all->calibration > 0 && all->calibration % 3 == 0 &&
              some->calibration == all->calibration / 3 * 2);
        CHECK(some->count + some->calibration == all->count + all->calibration);
        for (size_t i = 0; i < some->count; i++)
            CHECK((some->truth[i] == -1) == (set->label[some->trial[i]] == 1));
    }
    congru_predictions_destroy(&all);
    congru_predictions_destroy(&some);
    congru_model_destroy(&model);
    congru_set_destroy(&set);
}

/* ---- Decoders ------------------------------------------------------------------------------------------ */

TEST(a_window_is_needed)
{
    congru_set *set = stream_set(context, &stream);
    congru_decoder *decoder = NULL;
    congru_decoder_options options;
    congru_decoder_options_init(&options);
    memcpy(strstr(set->meta, "[0.5, 3.5]"), "[0.5, 0.5]", 10);
    set->samples = 0;
    congru_model *model = train(set, "ra+mdm");
    check_error(context, congru_decoder_create(context, model, &options, &decoder), CONGRU_ERROR_ARGUMENT,
                "the model does not know how long its trials were: give a window");
    options.window = 2.0;
    CHECK(congru_decoder_create(context, model, &options, &decoder) == CONGRU_OK);
    congru_decoder_destroy(&decoder);
    congru_model_destroy(&model);
    congru_set_destroy(&set);
}

/* A model's trials may be said to be of any length: what a window would take is reckoned before it is taken. */
TEST(windows_beyond_the_limit_are_refused)
{
    congru_set *set = stream_set(context, &stream);
    congru_decoder *decoder = NULL;
    congru_decoder_options options;
    congru_decoder_options_init(&options);
    set->samples = 100000000;
    congru_model *model = train(set, "ra+mdm");
    check_error(context, congru_decoder_create(context, model, &options, &decoder), CONGRU_ERROR_ARGUMENT,
                "a window of 100000000 samples of 4 channels takes more than 256 MB (give a shorter one)");
    CHECK(decoder == NULL);
    options.window = 2.0;
    CHECK(congru_decoder_create(context, model, &options, &decoder) == CONGRU_OK);
    congru_decoder_destroy(&decoder);
    options.window = 1e6; /* seconds, of 100 samples each */
    check_error(context, congru_decoder_create(context, model, &options, &decoder), CONGRU_ERROR_ARGUMENT,
                "a window of 100000000 samples of 4 channels takes more than 256 MB");
    options.window = 0.01;
    check_error(context, congru_decoder_create(context, model, &options, &decoder), CONGRU_ERROR_ARGUMENT,
                "a window of 1 samples is too short");
    congru_model_destroy(&model);
    congru_set_destroy(&set);
}

/* A scale set later is the scale from then on; of its own it is that of the options. */
TEST(scales_are_set)
{
    congru_set *set = stream_set(context, &stream);
    congru_model *model = train(set, "ra+mdm");
    congru_decoder *decoder[2] = {NULL, NULL};
    congru_decoder_options options;
    congru_decision decision[2];
    stream_recording recording;
    congru_decoder_options_init(&options);
    options.scale = 1000;
    CHECK(congru_decoder_create(context, model, &options, &decoder[0]) == CONGRU_OK);
    CHECK(congru_decoder_create(context, model, NULL, &decoder[1]) == CONGRU_OK);
    CHECK(congru_decoder_set_scale(decoder[1], 1000) == CONGRU_OK);
    CHECK(congru_decoder_set_scale(decoder[1], 0) == CONGRU_ERROR_ARGUMENT);
    CHECK(congru_decoder_set_scale(decoder[1], (double)NAN) == CONGRU_ERROR_ARGUMENT);
    CHECK(congru_decoder_set_scale(NULL, 1) == CONGRU_ERROR_ARGUMENT);
    stream_record(&stream, 2, &recording);
    double *frames = stream_frames(&recording);
    for (size_t k = 0, taken; k < 2; k++)
        CHECK(congru_decoder_push(decoder[k], 300, frames, &taken, &decision[k]) == CONGRU_OK && taken == 300);
    CHECK(decision[0].due && decision[1].due &&
          memcmp(decision[0].probability, decision[1].probability, 2 * sizeof(double)) == 0);
    free(frames);
    stream_recording_clear(&recording);
    for (size_t k = 0; k < 2; k++)
        congru_decoder_destroy(&decoder[k]);
    congru_model_destroy(&model);
    congru_set_destroy(&set);
}

/* From a file that was tampered with. */
TEST(a_prior_that_is_no_covariance_is_refused)
{
    congru_set *set = stream_set(context, &stream);
    congru_model *model = train(set, "ra+mdm");
    congru_decoder *decoder = NULL;
    congru_model_tensor prior = {0};
    for (size_t i = 0; congru_model_tensor_at(model, i, &prior) && strcmp(prior.name, "b0.prior.0") != 0;)
        i++;
    ((double *)prior.data)[0] = -1.0;
    check_error(context, congru_decoder_create(context, model, NULL, &decoder), CONGRU_ERROR_NOT_POSITIVE,
                "a reference of the model (b0.prior.0, ...) is not a covariance (train the model again)");
    CHECK(decoder == NULL);
    congru_model_destroy(&model);
    congru_set_destroy(&set);
}

/* More decisions than frames: one for each frame, from the first full window on. */
TEST(rates_beyond_the_stream_decide_at_each_frame)
{
    congru_set *set = stream_set(context, &stream);
    congru_model *model = train(set, "ra+mdm");
    congru_decoder *decoder = NULL;
    congru_decoder_options options;
    stream_recording recording;
    congru_decoder_options_init(&options);
    options.rate = 1000;
    CHECK(congru_decoder_create(context, model, &options, &decoder) == CONGRU_OK);
    stream_record(&stream, 2, &recording);
    double *frames = stream_frames(&recording);
    uint64_t expected = 300; /* 3 s at 100 Hz */
    for (size_t at = 0, taken; at < 350; at += taken) {
        congru_decision decision;
        CHECK(congru_decoder_push(decoder, 350 - at, frames + at * 4, &taken, &decision) == CONGRU_OK);
        if (!CHECK(taken > 0))
            break;
        if (decision.due) {
            CHECK(decision.sample == expected && decision.status == CONGRU_OK);
            expected++;
        }
    }
    CHECK(expected == 351);
    free(frames);
    stream_recording_clear(&recording);
    congru_decoder_destroy(&decoder);
    congru_model_destroy(&model);
    congru_set_destroy(&set);
}

int main(void)
{
    return context_main(&context, NULL);
}
