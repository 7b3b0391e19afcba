/* Made-up recordings and their sets. SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include "stream_samples.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness.h"

static const double trial_seconds = 5, window[2] = {0.5, 3.5};

static void *need(void *memory)
{
    if (memory == NULL)
        abort();
    return memory;
}

static void need_ok(congru_context *context, congru_status status)
{
    if (status == CONGRU_OK)
        return;
    fprintf(stderr, "%s\n", congru_context_error(context));
    abort();
}

void stream_record(const stream_recipe *recipe, size_t subject, stream_recording *r)
{
    size_t d = recipe->d, length = (size_t)(trial_seconds * recipe->rate);
    congru_random random = congru_random_stream(recipe->seed, (uint32_t)subject, 7, 7);
    *r = (stream_recording){
        .d = d, .samples = recipe->trials * length, .trials = recipe->trials, .rate = recipe->rate};
    r->data = need(calloc(d * r->samples, sizeof(double)));
    r->end = need(calloc(r->trials, sizeof *r->end));
    r->label = need(calloc(r->trials, sizeof *r->label));
    double *mixing = need(calloc(d * d, sizeof(double))), *source = need(calloc(d, sizeof(double)));
    double *last = need(calloc(d, sizeof(double)));
    for (size_t i = 0; i < d * d; i++)
        mixing[i] = 0.3 * congru_random_normal(&random) + (i % (d + 1) == 0 ? 1.0 : 0.0);
    for (size_t i = 0; i < r->trials; i++) {
        r->label[i] = (int32_t)(i % 2);
        r->end[i] = i * length + (size_t)(window[1] * recipe->rate);
    }
    for (size_t t = 0; t < r->samples; t++) {
        size_t trial = t / length;
        double second = (double)(t % length) / recipe->rate;
        bool active = second >= window[0] && second < window[1];
        for (size_t i = 0; i < d; i++) {
            double gain = active && (int32_t)i == r->label[trial] ? 2.0 : 1.0;
            last[i] = 0.5 * last[i] + congru_random_normal(&random);
            source[i] = 10.0 * gain * last[i];
        }
        for (size_t i = 0; i < d; i++) {
            double sum = 150.0; /* electrodes drift far from zero */
            for (size_t j = 0; j < d; j++)
                sum += mixing[i * d + j] * source[j];
            r->data[i * r->samples + t] = sum;
        }
    }
    free(mixing);
    free(source);
    free(last);
}

void stream_recording_clear(stream_recording *r)
{
    free(r->data);
    free(r->end);
    free(r->label);
    *r = (stream_recording){0};
}

double *stream_frames(const stream_recording *r)
{
    double *frames = need(calloc(r->d * r->samples, sizeof(double)));
    for (size_t t = 0; t < r->samples; t++)
        for (size_t i = 0; i < r->d; i++)
            frames[t * r->d + i] = r->data[i * r->samples + t];
    return frames;
}

static void filter(congru_context *context, const stream_recipe *recipe, stream_recording *r)
{
    congru_iir band, notch;
    if (recipe->average_reference)
        need_ok(context, congru_signal_average_reference(context, r->d, r->samples, r->data));
    need_ok(context, congru_iir_butterworth(context, 4, 8, 30, r->rate, &band));
    need_ok(context, congru_iir_notch(context, 40, 30, false, r->rate, &notch));
    need_ok(context, congru_iir_append(context, &band, &notch));
    need_ok(context, recipe->zero_phase
                         ? congru_signal_filter_zero_phase(context, &band, r->d, r->samples, r->data)
                         : congru_signal_filter_causal(context, &band, r->d, r->samples, r->data, NULL));
}

static void append(congru_context *context, const stream_recipe *recipe, size_t subject, congru_set **set)
{
    stream_recording r;
    char name[32];
    congru_set_options options = {.trace_normalise = true};
    size_t length = (size_t)((window[1] - window[0]) * recipe->rate);
    stream_record(recipe, subject, &r);
    filter(context, recipe, &r);
    char(*channel)[CONGRU_LABEL_SIZE] = need(calloc(r.d, sizeof *channel));
    char classes[2][CONGRU_LABEL_SIZE] = {"left", "right"};
    int32_t *zeros = need(calloc(r.trials, sizeof *zeros));
    double *data = need(calloc(r.trials * r.d * length, sizeof *data));
    for (size_t i = 0; i < r.d; i++)
        snprintf(channel[i], CONGRU_LABEL_SIZE, "C%zu", i + 1);
    for (size_t k = 0; k < r.trials; k++)
        for (size_t i = 0; i < r.d; i++)
            memcpy(data + (k * r.d + i) * length, r.data + i * r.samples + r.end[k] - length,
                   length * sizeof *data);
    congru_epochs epochs = {.count = r.trials,
                            .channels = r.d,
                            .samples = length,
                            .rate = r.rate,
                            .start = window[0],
                            .data = data,
                            .label = r.label,
                            .run = zeros,
                            .session = zeros,
                            .channel_name = channel,
                            .classes = 2,
                            .class_name = classes};
    options.estimator = strcmp(recipe->estimator, "oas") == 0   ? CONGRU_ESTIMATOR_OAS
                        : strcmp(recipe->estimator, "lwf") == 0 ? CONGRU_ESTIMATOR_LWF
                                                                : CONGRU_ESTIMATOR_SCM;
    snprintf(name, sizeof name, "S%02zu", subject + 1);
    need_ok(context, congru_set_append(context, set, &epochs, name, &options));
    free(channel);
    free(zeros);
    free(data);
    stream_recording_clear(&r);
}

congru_set *stream_set(congru_context *context, const stream_recipe *recipe)
{
    congru_set *set = NULL;
    char meta[512];
    for (size_t s = 0; s < recipe->subjects; s++)
        append(context, recipe, s, &set);
    snprintf(
        meta, sizeof meta,
        "{\"congru\": \"0\", \"band\": [8, 30], \"order\": 4, \"filter\": \"iir\", \"phase\": \"%s\", "
        "\"notch\": 40, \"harmonics\": false, \"resample\": 0, \"reference\": \"%s\", \"window\": [%g, %g], "
        "\"estimator\": \"%s\", \"trace_normalise\": true, \"files\": [\"a.edf\"]}",
        recipe->zero_phase ? "zero" : "causal", recipe->average_reference ? "average" : "none", window[0],
        window[1], recipe->estimator);
    need(set);
    free(set->meta);
    set->meta = need(strdup(meta));
    return set;
}

size_t stream_cue(const stream_recipe *recipe, size_t k)
{
    return k * (size_t)(trial_seconds * recipe->rate) + (size_t)(recipe->rate / 2);
}

congru_set *stream_wide_set(congru_context *context, const stream_recipe *recipe)
{
    const size_t d = recipe->d, count = recipe->subjects * recipe->trials;
    const size_t length = (size_t)(4.5 * recipe->rate), before = (size_t)(recipe->rate / 2);
    char(*name)[CONGRU_LABEL_SIZE] = need(calloc(recipe->subjects + d, sizeof *name));
    char classes[2][CONGRU_LABEL_SIZE] = {"left", "right"};
    char meta[] = "{\"congru\": \"0\", \"notch\": 0, \"window\": [-0.5, 4], \"files\": [\"a.edf\"]}";
    congru_set from = {.count = count,
                       .dimension = d,
                       .samples = length,
                       .signals = need(calloc(count * d * length, sizeof(double))),
                       .label = need(calloc(count, sizeof(int32_t))),
                       .subject = need(calloc(count, sizeof(int32_t))),
                       .classes = 2,
                       .subjects = recipe->subjects,
                       .class_name = classes,
                       .subject_name = name,
                       .channel_name = name + recipe->subjects,
                       .rate = recipe->rate,
                       .meta = meta,
                       .start = -0.5};
    congru_set *set = NULL;
    for (size_t i = 0; i < d; i++)
        snprintf(from.channel_name[i], CONGRU_LABEL_SIZE, "C%zu", i + 1);
    for (size_t s = 0; s < recipe->subjects; s++) {
        stream_recording r;
        stream_record(recipe, s, &r);
        snprintf(name[s], CONGRU_LABEL_SIZE, "S%02zu", s + 1);
        for (size_t k = 0; k < r.trials; k++) {
            const size_t at = s * r.trials + k;
            from.label[at] = r.label[k];
            from.subject[at] = (int32_t)s;
            for (size_t i = 0; i < d; i++)
                memcpy(from.signals + (at * d + i) * length,
                       r.data + i * r.samples + stream_cue(recipe, k) - before, length * sizeof(double));
        }
        stream_recording_clear(&r);
    }
    need_ok(context, congru_set_create_copying(context, &from, &set));
    free(from.signals);
    free(from.label);
    free(from.subject);
    free(name);
    return set;
}

congru_model *stream_model(congru_context *context, const congru_set *set, const char *pipeline, bool causal,
                           int steps)
{
    congru_model_options options;
    congru_model *model = NULL;
    const int32_t last = (int32_t)set->subjects - 1;
    congru_model_options_init(&options);
    options.pipeline = pipeline;
    options.without = &last;
    options.without_count = 1;
    options.causal = causal;
    options.method.network.steps = steps;
    congru_status status = congru_model_fit(context, set, &options, &model);
    CHECK_SAYING(status == CONGRU_OK, "%s: %s", pipeline, congru_context_error(context));
    return model;
}

congru_decoder_options stream_decoding(double rate, congru_adaptation adaptation)
{
    congru_decoder_options options;
    congru_decoder_options_init(&options);
    options.rate = rate;
    options.adaptation = adaptation;
    options.prior_weight = adaptation == CONGRU_ADAPT_TRIALS ? 0 : options.prior_weight;
    return options;
}

congru_decoder *stream_decoder(congru_context *context, const congru_model *model,
                               const congru_decoder_options *options)
{
    congru_decoder *decoder = NULL;
    congru_status status = congru_decoder_create(context, model, options, &decoder);
    CHECK_SAYING(status == CONGRU_OK, "%s", congru_context_error(context));
    return decoder;
}
