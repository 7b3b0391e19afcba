/* Bytes for the state of a decoder, as they are and with digests that fit: a libFuzzer target. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decoder/live.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

enum { CHANNELS = 3, TRIALS = 24, SUBJECTS = 2, RATE = 100 };

static congru_context *context;
static congru_model *model;
static congru_decoder *decoder;

static void need(bool good)
{
    if (!good)
        abort();
}

/* Two subjects of any covariances, and a decoder of a model of them. */
static void begin(void)
{
    static double covariance[TRIALS][CHANNELS][CHANNELS];
    static int32_t label[TRIALS], subject[TRIALS], zero[TRIALS] = {0};
    static char name[][CONGRU_LABEL_SIZE] = {"a", "b", "C1", "C2", "C3"};
    static char meta[] =
        "{\"congru\": \"0\", \"band\": [8, 30], \"order\": 4, \"filter\": \"iir\", \"phase\": \"causal\", "
        "\"notch\": 0, \"resample\": 0, \"reference\": \"none\", \"window\": [0, 1], "
        "\"estimator\": \"scm\", \"trace_normalise\": false, \"files\": [\"a.edf\"]}";
    for (int i = 0; i < TRIALS; i++) {
        label[i] = i % 2;
        subject[i] = i * SUBJECTS / TRIALS;
        for (int k = 0; k < CHANNELS; k++)
            covariance[i][k][k] = 100 + 10 * ((i * 7 + k * 5) % 11) + 50 * (k == label[i]) + 20 * subject[i];
    }
    congru_set set = {.count = TRIALS,
                      .dimension = CHANNELS,
                      .covariance = &covariance[0][0][0],
                      .label = label,
                      .subject = subject,
                      .session = zero,
                      .run = zero,
                      .classes = 2,
                      .subjects = SUBJECTS,
                      .class_name = name,
                      .subject_name = name,
                      .channel_name = name + 2,
                      .rate = RATE,
                      .samples = RATE,
                      .start = 0,
                      .meta = meta};
    congru_model_options options;
    congru_model_options_init(&options);
    options.pipeline = "ra+mdm";
    need(congru_context_create(&context, &(congru_context_options){.threads = 1}) == CONGRU_OK);
    need(congru_model_fit(context, &set, &options, &model) == CONGRU_OK);
    need(congru_decoder_create(context, model, NULL, &decoder) == CONGRU_OK);
}

/* What is taken can be decoded with; what is not leaves the reference as it was. */
static void load(const uint8_t *bytes, size_t size)
{
    double before[CHANNELS * CHANNELS], after[CHANNELS * CHANNELS], frames[2 * RATE][CHANNELS];
    congru_decoder_reference(decoder, before);
    const congru_status status = congru_decoder_state_parse(context, decoder, "fuzz", bytes, size);
    congru_decoder_reference(decoder, after);
    need(status == CONGRU_OK || memcmp(before, after, sizeof before) == 0);
    for (size_t t = 0; t < 2 * RATE; t++)
        for (size_t k = 0; k < CHANNELS; k++)
            frames[t][k] = (double)((t * 37 + k * 11 + t * k * 5) % 23);
    for (size_t at = 0, taken; status == CONGRU_OK && at < 2 * RATE; at += taken) {
        congru_decision decision;
        need(congru_decoder_push(decoder, 2 * RATE - at, frames[at], &taken, &decision) == CONGRU_OK);
        for (size_t c = 0; decision.due && decision.status == CONGRU_OK && c < 2; c++)
            need(decision.probability[c] >= 0 && decision.probability[c] <= 1);
    }
    congru_decoder_reset(decoder);
}

/* The same numbers under digests that fit, which no mutation finds. */
static void load_signed(const uint8_t *bytes, size_t size)
{
    congru_tensors tensors;
    congru_texts texts;
    size_t room = 0;
    if (congru_safetensors_parse(context, "fuzz", bytes, size, &tensors, &texts) != CONGRU_OK)
        return;
    for (size_t i = 0; i < texts.count; i++) {
        char text[CONGRU_STATE_DIGEST_SIZE];
        const bool own = strcmp(texts.entry[i].name, "digest") == 0;
        if (!own && strcmp(texts.entry[i].name, "model") != 0)
            continue;
        congru_state_digest(own ? &tensors : &model->tensors, own ? NULL : &model->texts, text);
        free(texts.entry[i].text);
        texts.entry[i].text = malloc(sizeof text);
        need(texts.entry[i].text != NULL);
        memcpy(texts.entry[i].text, text, sizeof text);
    }
    need(congru_safetensors_pack(context, &tensors, &texts, NULL, 0, &room) == CONGRU_OK);
    uint8_t *fitting = malloc(room);
    need(fitting != NULL &&
         congru_safetensors_pack(context, &tensors, &texts, fitting, room, &room) == CONGRU_OK);
    load(fitting, room);
    free(fitting);
    congru_tensors_clear(&tensors);
    congru_texts_clear(&texts);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    if (decoder == NULL)
        begin();
    load(bytes, size);
    load_signed(bytes, size);
    return 0;
}
