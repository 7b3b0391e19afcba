/* What a decoder has learned: saved, restored to the bit, refused where it is damaged or foreign; learned at rest. SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/digest.h"
#include "harness.h"
#include "model/safetensors.h"
#include "stream_samples.h"

static congru_context *context;
static const stream_recipe recipe = {
    .subjects = 3, .trials = 10, .d = 4, .rate = 100, .estimator = "scm", .seed = 11};

enum { DECISIONS_MAX = 300 };

typedef struct decided {
    size_t count;
    congru_status status[DECISIONS_MAX];
    double p[DECISIONS_MAX];
} decided;

typedef struct subject {
    stream_recording recording;
    double *frames;
} subject;

static subject make_subject(void)
{
    subject made;
    stream_record(&recipe, recipe.subjects - 1, &made.recording);
    made.frames = stream_frames(&made.recording);
    return made;
}

static void clear_subject(subject *made)
{
    free(made->frames);
    stream_recording_clear(&made->recording);
}

static congru_model *make_model(const char *pipeline, bool wide)
{
    congru_set *set = wide ? stream_wide_set(context, &recipe) : stream_set(context, &recipe);
    congru_model *model = stream_model(context, set, pipeline, true, 5);
    congru_set_destroy(&set);
    return model;
}

/* Frames `from` to `to` of the recording, whose first is frame `origin` of the decoder; the cues among them are marked. */
static void run(congru_decoder *decoder, const congru_model *model, const subject *s, size_t from, size_t to,
                size_t origin, decided *out)
{
    out->count = 0;
    for (size_t k = 0; congru_model_needs_cues(model) && k < recipe.trials; k++)
        if (stream_cue(&recipe, k) >= from + 50 && stream_cue(&recipe, k) < to)
            CHECK(congru_decoder_mark(decoder, stream_cue(&recipe, k) - origin) == CONGRU_OK);
    for (size_t at = from, taken; at < to; at += taken) {
        congru_decision decision;
        if (!CHECK(congru_decoder_push(decoder, to - at < 77 ? to - at : 77, s->frames + at * recipe.d, &taken,
                                       &decision) == CONGRU_OK))
            break;
        if (!decision.due || !CHECK(out->count < DECISIONS_MAX))
            continue;
        out->status[out->count] = decision.status;
        out->p[out->count++] = decision.status == CONGRU_OK ? decision.probability[0] : 0;
    }
}

static void check_same(const char *what, const decided *a, const decided *b, size_t least)
{
    CHECK_SAYING(a->count == b->count && a->count >= least, "%s: %zu and %zu decisions", what, a->count,
                 b->count);
    for (size_t i = 0; i < a->count && i < b->count; i++)
        CHECK_SAYING(a->status[i] == b->status[i] && memcmp(&a->p[i], &b->p[i], sizeof a->p[i]) == 0,
                     "%s: decision %zu is %.17g, and %.17g", what, i, a->p[i], b->p[i]);
}

static unsigned char *pack(congru_decoder *decoder, size_t *size)
{
    CHECK(congru_decoder_state_pack(context, decoder, NULL, 0, size) == CONGRU_OK && *size > 0);
    unsigned char *bytes = malloc(*size + 1);
    CHECK(bytes != NULL && congru_decoder_state_pack(context, decoder, bytes, *size, size) == CONGRU_OK);
    return bytes;
}

static void restore(const char *pipeline, bool wide, congru_adaptation adaptation)
{
    static decided before, rewound, restored, fresh;
    const congru_decoder_options options = stream_decoding(4, adaptation);
    congru_model *model = make_model(pipeline, wide);
    subject s = make_subject();
    const size_t cut = s.recording.samples / 2 + 13, end = s.recording.samples;
    congru_decoder *first = stream_decoder(context, model, &options),
                   *second = stream_decoder(context, model, &options);
    char path[] = "/tmp/congru_state.XXXXXX";
    const int file = mkstemp(path);
    run(first, model, &s, 0, cut, 0, &before);
    CHECK(file >= 0 && congru_decoder_state_save(context, first, path) == CONGRU_OK);
    congru_decoder_rewind(first);
    run(first, model, &s, cut, end, cut, &rewound);
    run(second, model, &s, cut, end, cut, &fresh);
    CHECK_SAYING(congru_decoder_state_load(context, second, path) == CONGRU_OK, "%s",
                 congru_context_error(context));
    CHECK(congru_decoder_position(second) == 0);
    run(second, model, &s, cut, end, cut, &restored);
    check_same(pipeline, &rewound, &restored, 3);
    /* It is the state that does it. */
    CHECK(memcmp(fresh.p, restored.p, restored.count * sizeof restored.p[0]) != 0);
    close(file);
    unlink(path);
    congru_decoder_destroy(&first);
    congru_decoder_destroy(&second);
    clear_subject(&s);
    congru_model_destroy(&model);
}

TEST(restored_decoders_decide_as_rewound_ones)
{
    restore("ra+mdm", false, CONGRU_ADAPT_WINDOWS);
    restore("ra+tslr", false, CONGRU_ADAPT_DECISIONS);
    restore("motor", true, CONGRU_ADAPT_WINDOWS);
    restore("motor+slow", true, CONGRU_ADAPT_WINDOWS);
    restore("motor+slow", true, CONGRU_ADAPT_TRIALS);
    restore("tsmnet", true, CONGRU_ADAPT_TRIALS);
}

/* About trials of cues, without filters before them, there is nothing to settle: the stream is as if it had not been cut. */
TEST(trials_of_cues_are_decided_as_without_a_cut)
{
    static decided before, on, restored;
    static const congru_adaptation adaptations[] = {CONGRU_ADAPT_WINDOWS, CONGRU_ADAPT_TRIALS};
    congru_model *model = make_model("motor+slow", true);
    subject s = make_subject();
    const size_t cut = 5 * 500 - 10, end = s.recording.samples;
    for (size_t i = 0; i < 2; i++) {
        const congru_decoder_options options = stream_decoding(4, adaptations[i]);
        congru_decoder *whole = stream_decoder(context, model, &options),
                       *second = stream_decoder(context, model, &options);
        size_t size;
        run(whole, model, &s, 0, cut, 0, &before);
        unsigned char *bytes = pack(whole, &size);
        run(whole, model, &s, cut, end, 0, &on);
        CHECK(congru_decoder_state_parse(context, second, "state", bytes, size) == CONGRU_OK);
        run(second, model, &s, cut, end, cut, &restored);
        check_same("motor+slow", &on, &restored, 4);
        free(bytes);
        congru_decoder_destroy(&whole);
        congru_decoder_destroy(&second);
    }
    clear_subject(&s);
    congru_model_destroy(&model);
}

/* ---- Damage -------------------------------------------------------------------------------------------- */

TEST(damaged_and_foreign_states_are_refused)
{
    static decided some;
    const congru_decoder_options options = stream_decoding(4, CONGRU_ADAPT_WINDOWS);
    congru_model *model = make_model("ra+mdm", false), *other = make_model("ra+tslr", false);
    subject s = make_subject();
    congru_decoder *first = stream_decoder(context, model, &options),
                   *second = stream_decoder(context, model, &options),
                   *third = stream_decoder(context, other, &options);
    size_t size, refused = 0, loaded = 0;
    double learned[16], before[16], after[16];
    run(first, model, &s, 0, 2000, 0, &some);
    unsigned char *bytes = pack(first, &size);
    congru_decoder_reference(first, learned);
    congru_decoder_reference(second, before);
    CHECK(congru_decoder_state_parse(context, third, "state", bytes, size) == CONGRU_ERROR_ARGUMENT);
    CHECK_SAYING(strstr(congru_context_error(context), "state: of another model") != NULL, "%s",
                 congru_context_error(context));
    for (size_t cut = 0; cut < size; cut++)
        CHECK(congru_decoder_state_parse(context, second, "state", bytes, cut) != CONGRU_OK);
    for (size_t i = 0; i < size; i++)
        for (unsigned bit = 0; bit < 8; bit += 3) {
            bytes[i] ^= (unsigned char)(1u << bit);
            const congru_status status = congru_decoder_state_parse(context, second, "state", bytes, size);
            congru_decoder_reference(second, after);
            CHECK(memcmp(after, status == CONGRU_OK ? learned : before, sizeof after) == 0);
            refused += status != CONGRU_OK;
            loaded += status == CONGRU_OK;
            if (status == CONGRU_OK)
                congru_decoder_reset(second);
            bytes[i] ^= (unsigned char)(1u << bit);
        }
    /* Blanks, and the name of the pipeline, which is for readers. */
    CHECK_SAYING(refused > 20 * loaded, "%zu refused, %zu loaded", refused, loaded);
    free(bytes);
    CHECK(congru_decoder_state_load(context, second, "/dev/null/state") == CONGRU_ERROR_IO);
    CHECK(congru_decoder_state_save(context, second, "/dev/null/state") == CONGRU_ERROR_IO);
    CHECK(congru_decoder_state_load(context, NULL, "x") == CONGRU_ERROR_ARGUMENT);
    CHECK(congru_decoder_state_save(context, second, NULL) == CONGRU_ERROR_ARGUMENT);
    congru_decoder_destroy(&first);
    congru_decoder_destroy(&second);
    congru_decoder_destroy(&third);
    clear_subject(&s);
    congru_model_destroy(&model);
    congru_model_destroy(&other);
}

/* A forger's digest fits the numbers: what they say is looked at all the same. */
static congru_status load_forged(congru_decoder *decoder, const unsigned char *bytes, size_t size,
                                 const char *tensor, size_t index, double number)
{
    congru_tensors tensors;
    congru_texts texts;
    uint64_t digest = 1;
    CHECK(congru_safetensors_parse(context, "state", bytes, size, &tensors, &texts) == CONGRU_OK);
    const congru_tensor *own = congru_tensors_find(&tensors, tensor);
    if (CHECK(own != NULL))
        own->data[index] = number;
    for (size_t i = 0; i < tensors.count; i++) {
        size_t count = 1;
        for (size_t k = 0; k < tensors.tensor[i].dims; k++)
            count *= tensors.tensor[i].shape[k];
        digest = congru_digest(digest, tensors.tensor[i].name, strlen(tensors.tensor[i].name));
        digest = congru_digest(digest, tensors.tensor[i].data, count * sizeof(double));
    }
    for (size_t i = 0; i < texts.count; i++)
        if (strcmp(texts.entry[i].name, "digest") == 0)
            snprintf(texts.entry[i].text, 17, "%016" PRIx64, digest);
    size_t room = 0;
    CHECK(congru_safetensors_pack(context, &tensors, &texts, NULL, 0, &room) == CONGRU_OK);
    unsigned char *forged = malloc(room);
    CHECK(forged != NULL &&
          congru_safetensors_pack(context, &tensors, &texts, forged, room, &room) == CONGRU_OK);
    const congru_status status = congru_decoder_state_parse(context, decoder, "state", forged, room);
    free(forged);
    congru_tensors_clear(&tensors);
    congru_texts_clear(&texts);
    return status;
}

TEST(forged_states_are_refused)
{
    static decided some;
    static const struct {
        const char *tensor;
        size_t index;
        double number;
        bool taken;
    } forged[] = {{"view.0.windows", 0, 7, true},     {"view.0.windows", 0, 7.5, false},
                  {"view.0.windows", 0, -1, false},   {"view.0.windows", 0, 1e300, false},
                  {"view.0.reference", 0, -1, false}, {"view.0.reference", 1, 1e9, false},
                  {"view.0.reference", 5, 0, false}};
    const congru_decoder_options options = stream_decoding(4, CONGRU_ADAPT_WINDOWS);
    congru_model *model = make_model("ra+mdm", false);
    subject s = make_subject();
    congru_decoder *first = stream_decoder(context, model, &options);
    size_t size;
    run(first, model, &s, 0, 2000, 0, &some);
    unsigned char *bytes = pack(first, &size);
    for (size_t i = 0; i < sizeof forged / sizeof forged[0]; i++) {
        const congru_status status =
            load_forged(first, bytes, size, forged[i].tensor, forged[i].index, forged[i].number);
        CHECK_SAYING(status == (forged[i].taken ? CONGRU_OK : CONGRU_ERROR_FORMAT), "%s %zu %g: %s",
                     forged[i].tensor, forged[i].index, forged[i].number, congru_status_name(status));
    }
    CHECK(congru_decoder_reference(first, NULL) == 7);
    free(bytes);
    congru_decoder_destroy(&first);
    clear_subject(&s);
    congru_model_destroy(&model);
}

/* ---- Rest ---------------------------------------------------------------------------------------------- */

static void rest(const char *pipeline, bool wide, size_t expected)
{
    const congru_decoder_options options = stream_decoding(4, CONGRU_ADAPT_NEVER);
    congru_model *model = make_model(pipeline, wide);
    subject s = make_subject();
    congru_decoder *decoder = stream_decoder(context, model, &options);
    double before[16], after[16], distance[2], own[16];
    size_t windows = 0;
    congru_decoder_reference(decoder, before);
    CHECK(congru_decoder_rest(decoder, 3 * 500, s.frames, &windows) == CONGRU_OK);
    CHECK_SAYING(windows == expected, "%s: %zu windows", pipeline, windows);
    CHECK(congru_decoder_reference(decoder, after) == windows && congru_decoder_position(decoder) == 0);
    /* Nearer to where a long recording leads. */
    congru_decoder_reset(decoder);
    CHECK(congru_decoder_rest(decoder, s.recording.samples, s.frames, NULL) == CONGRU_OK);
    congru_decoder_reference(decoder, own);
    CHECK(congru_spd_distance(context, CONGRU_METRIC_RIEMANN, 1, 4, before, 1, own, &distance[0]) ==
              CONGRU_OK &&
          congru_spd_distance(context, CONGRU_METRIC_RIEMANN, 1, 4, after, 1, own, &distance[1]) == CONGRU_OK);
    CHECK(distance[1] < 0.8 * distance[0]);
    congru_decoder_reset(decoder);
    congru_decoder_reference(decoder, after);
    CHECK(memcmp(before, after, sizeof before) == 0);
    congru_decoder_destroy(&decoder);
    clear_subject(&s);
    congru_model_destroy(&model);
}

TEST(rest_moves_the_reference)
{
    rest("ra+mdm", false, 5);
    rest("motor", true, 4);
    rest("motor+slow", true, 3);
}

TEST(rest_is_of_the_models_unit)
{
    const congru_decoder_options options = stream_decoding(4, CONGRU_ADAPT_NEVER);
    congru_model *model = make_model("motor", true);
    subject s = make_subject();
    congru_decoder *decoder = stream_decoder(context, model, &options);
    size_t windows = 9;
    for (size_t i = 0; i < s.recording.samples * recipe.d; i++)
        s.frames[i] *= 1e-6;
    congru_status status = congru_decoder_rest(decoder, 1500, s.frames, &windows);
    CHECK_SAYING(status == CONGRU_ERROR_SCALE && windows == 0, "%s, %zu windows", congru_status_name(status),
                 windows);
    CHECK(congru_decoder_rest(decoder, 20, s.frames, &windows) == CONGRU_OK && windows == 0);
    CHECK(congru_decoder_rest(NULL, 20, s.frames, &windows) == CONGRU_ERROR_ARGUMENT);
    CHECK(congru_decoder_rest(decoder, 20, NULL, &windows) == CONGRU_ERROR_ARGUMENT);
    congru_decoder_destroy(&decoder);
    clear_subject(&s);
    congru_model_destroy(&model);
}

int main(void)
{
    if (congru_context_create(&context, NULL) != CONGRU_OK)
        return 1;
    harness_run_all();
    congru_context_destroy(&context);
    return harness_end();
}
