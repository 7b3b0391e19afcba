/* Models: what is saved is what is loaded, the fold's answers to the bit, and refusals. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/text.h"
#include "context_main.h"
#include "decoder/model_internal.h"
#include "harness.h"
#include "model/safetensors.h"
#include "scratch.h"
#include "set_samples.h"
#include "stream_samples.h"

static congru_context *context;
static const set_recipe small = {
    .subjects = 4, .classes = 3, .per_class = 8, .d = 4, .sessions = 2, .effect = 0.8, .seed = 1};

static congru_model *fit(const congru_set *set, const char *pipeline, int32_t without)
{
    congru_model_options options;
    congru_model *model = NULL;
    congru_model_options_init(&options);
    options.pipeline = pipeline;
    options.without = &without;
    options.without_count = without >= 0;
    options.method.network.steps = 20;
    congru_status status = congru_model_fit(context, set, &options, &model);
    CHECK_SAYING(status == CONGRU_OK, "%s: %s", pipeline, congru_context_error(context));
    return model;
}

/* ---- The fold -------------------------------------------------------------------------------------------- */

static void check_fold(const congru_set *set, const char *pipeline, congru_target target, bool by_session)
{
    const int32_t subject = 2;
    congru_evaluation_options options;
    congru_results *results = NULL;
    congru_predictions *made = NULL;
    congru_model *model = NULL;
    congru_model_options how;
    congru_evaluation_options_init(&options);
    options.pipelines = &pipeline;
    options.pipeline_count = 1;
    options.subjects = &subject;
    options.subject_count = 1;
    options.target = target;
    options.align_by_session = by_session;
    options.method.network.steps = 20;
    CHECK(congru_evaluate(context, set, &options, &results) == CONGRU_OK);
    congru_model_options_init(&how);
    how.pipeline = pipeline;
    how.without = &subject;
    how.without_count = 1;
    how.align_by_session = by_session;
    how.method = options.method;
    CHECK(congru_model_fit(context, set, &how, &model) == CONGRU_OK);
    CHECK(congru_model_save(context, model, path_in("model")) == CONGRU_OK);
    congru_model_destroy(&model);
    CHECK_SAYING(congru_model_load(context, path_in("model"), &model) == CONGRU_OK, "%s: %s", pipeline,
                 congru_context_error(context));
    const congru_prediction_options ask = {
        .subjects = &subject, .subject_count = 1, .target = target, .align_by_session = by_session};
    CHECK_SAYING(congru_model_predict(context, model, set, &ask, &made) == CONGRU_OK, "%s: %s", pipeline,
                 congru_context_error(context));
    if (results != NULL && made != NULL) {
        const congru_fold *fold = &results->fold[0];
        CHECK_SAYING(
            made->count == fold->samples && made->calibration == fold->calibration &&
                memcmp(made->trial, fold->trial, made->count * sizeof *made->trial) == 0 &&
                memcmp(made->prediction, fold->prediction, made->count * sizeof *made->prediction) == 0 &&
                memcmp(made->truth, fold->truth, made->count * sizeof *made->truth) == 0 &&
                memcmp(made->probability, fold->probability, made->count * made->classes * sizeof(double)) == 0,
            "%s, target %s: not the fold's answers", pipeline, congru_target_name(target));
    }
    congru_predictions_destroy(&made);
    congru_model_destroy(&model);
    congru_results_destroy(&results);
}

/* Trained without a subject, saved, loaded and asked about that subject: the fold of leave-one-subject-out. */
TEST(answers_are_those_of_the_fold)
{
    char pipeline[CONGRU_PIPELINE_SIZE];
    congru_set *set = sample_set(context, &small);
    for (size_t p = 0; congru_pipeline_at(p, false, pipeline); p++)
        for (int target = 0; target < CONGRU_TARGET_COUNT; target++)
            check_fold(set, pipeline, (congru_target)target, target == 1 || p % 3 == 0);
    congru_set_destroy(&set);
}

/* A set without labels, with labels of other names, in another order: the same answers. */
TEST(labels_are_not_needed)
{
    congru_set *set = sample_set(context, &small), *other = sample_set(context, &small);
    congru_model *model = fit(set, "ra+mdm", 3);
    congru_predictions *with = NULL, *without = NULL;
    memset(other->label, 0, other->count * sizeof *other->label);
    strcpy(other->class_name[0], "unlabelled");
    CHECK(congru_model_predict(context, model, set, NULL, &with) == CONGRU_OK);
    CHECK(congru_model_predict(context, model, other, NULL, &without) == CONGRU_OK);
    CHECK(with->count == set->count && without->count == set->count);
    CHECK(memcmp(with->probability, without->probability, with->count * 3 * sizeof(double)) == 0);
    CHECK(with->truth[0] == set->label[0] && without->truth[0] == -1);
    congru_predictions_destroy(&with);
    congru_predictions_destroy(&without);
    congru_model_destroy(&model);
    congru_set_destroy(&set);
    congru_set_destroy(&other);
}

/* Recentred trials have the identity as their mean, and a network changes them further. */
TEST(aligned_trials_meet)
{
    congru_set *set = sample_set(context, &small);
    static const char *const pipelines[] = {"ra+mdm", "ddct-unet-e2e", "dct+mdm"};
    double first = 0;
    for (size_t p = 0; p < 3; p++) {
        congru_model *model = fit(set, pipelines[p], 3);
        congru_predictions *made = NULL;
        const int32_t subject = 3;
        const congru_prediction_options options = {
            .subjects = &subject, .subject_count = 1, .keep_aligned = true};
        double mean[16];
        CHECK(congru_model_predict(context, model, set, &options, &made) == CONGRU_OK);
        CHECK(made->aligned != NULL);
        CHECK(congru_spd_mean(context, CONGRU_METRIC_RIEMANN, made->count, 4, made->aligned, NULL, mean,
                              NULL) == CONGRU_OK);
        for (size_t i = 0; p == 0 && i < 16; i++)
            CHECK_NEAR(mean[i], i % 5 == 0 ? 1.0 : 0.0, 1e-9);
        if (p == 0)
            first = made->aligned[1];
        else
            CHECK_SAYING(made->aligned[1] != first, "%s leaves trials as recentring did", pipelines[p]);
        congru_predictions_destroy(&made);
        congru_model_destroy(&model);
    }
    congru_set_destroy(&set);
}

/* ---- What differs ---------------------------------------------------------------------------------------- */

static void check_differs(const congru_model *model, const congru_set *set, const char *text)
{
    congru_predictions *made = NULL;
    congru_status status = congru_model_predict(context, model, set, NULL, &made);
    CHECK_SAYING((status == CONGRU_ERROR_ARGUMENT || status == CONGRU_ERROR_FORMAT) && made == NULL &&
                     strstr(congru_context_error(context), text) != NULL,
                 "expected '%s', got '%s'", text, congru_context_error(context));
    congru_predictions_destroy(&made);
}

/* Replaces a word of the meta data by one of the same length, asks, and puts it back. */
static void check_meta(const congru_model *model, congru_set *set, const char *word, const char *by,
                       const char *text)
{
    char *at = strstr(set->meta, word), kept[64];
    if (!CHECK_SAYING(at != NULL && strlen(word) == strlen(by), "%s", word))
        return;
    snprintf(kept, sizeof kept, "%s", word);
    memcpy(at, by, strlen(by));
    check_differs(model, set, text);
    memcpy(at, kept, strlen(kept));
}

TEST(other_data_is_refused)
{
    const stream_recipe recipe = {
        .subjects = 2, .trials = 6, .d = 3, .rate = 100, .estimator = "scm", .seed = 2};
    congru_set *set = stream_set(context, &recipe);
    congru_model *model = fit(set, "ra+mdm", -1);
    congru_predictions *made = NULL;
    CHECK_SAYING(congru_model_predict(context, model, set, NULL, &made) == CONGRU_OK, "%s",
                 congru_context_error(context));
    congru_predictions_destroy(&made);
    check_meta(model, set, "[8, 30]", "[8, 35]", "band 8 to 35 Hz where the model has 8 to 30 Hz");
    check_meta(model, set, "causal", "zero\",", "meta data is not a JSON object");
    check_meta(model, set, "\"causal\"", "\"zero\"  ", "phase zero where the model has causal");
    check_meta(model, set, "\"notch\": 40", "\"notch\": 45", "notch 45 Hz where the model has 40 Hz");
    check_meta(model, set, "\"notch\": 40", "\"notch\":  0", "notch none where the model has 40 Hz");
    check_meta(model, set, "\"order\": 4", "\"order\": 5", "order 5 where the model has 4");
    check_meta(model, set, "[0.5, 3.5]", "[0.4, 3.4]", "window 0.4 to 3.4 s where the model has 0.5 to 3.5 s");
    check_meta(model, set, "\"scm\"", "\"oas\"", "estimator oas where the model has scm");
    check_meta(model, set, "true", "null", "a value for 'trace_normalise' that cannot be");
    check_meta(model, set, "\"none\"", "\"mean\"", "a value for 'reference' that cannot be");
    check_meta(model, set, "[8, 30]", "[8,3,0]", "a value for 'band' that cannot be");
    check_meta(model, set, "\"order\": 4", "\"order\": 0", "a value for 'order' that cannot be");
    check_meta(model, set, "\"causal\"", "12345678", "a value for 'phase' that cannot be");
    check_meta(model, set, "\"scm\"", "12345", "a value for 'estimator' that cannot be");
    check_meta(model, set, "\"scm\"", "\"sum\"", "a value for 'estimator' that cannot be");
    double *covariance = set->covariance;
    set->covariance = NULL;
    check_differs(model, set, "the set holds no covariances");
    set->covariance = covariance;
    set->rate = 128;
    check_differs(model, set, "rate 128 Hz where the model has 100 Hz");
    set->rate = 100;
    strcpy(set->channel_name[1], "Pz");
    check_differs(model, set, "channel 2 is Pz where the model has C2");
    strcpy(set->channel_name[1], "EEG:c2");
    CHECK(congru_model_predict(context, model, set, NULL, &made) == CONGRU_OK);
    congru_predictions_destroy(&made);
    set->meta[0] = ' ';
    check_differs(model, set, "not a JSON object");
    congru_model_destroy(&model);
    congru_set_destroy(&set);
    set = sample_set(context, &small);
    model = fit(set, "ra+mdm", -1);
    set->dimension = 2;
    check_differs(model, set, "2 channels where the model has 4");
    set->dimension = 4;
    congru_model_destroy(&model);
    congru_set_destroy(&set);
}

/* ---- Damage ---------------------------------------------------------------------------------------------- */

typedef struct bytes {
    unsigned char *at;
    size_t size;
} bytes;

static bytes saved_model(void)
{
    congru_set *set = sample_set(context, &small);
    congru_model *model = fit(set, "ra+mdm", -1);
    bytes b = {malloc(1 << 20), 0};
    CHECK(congru_model_save(context, model, path_in("whole")) == CONGRU_OK);
    FILE *file = fopen(path_in("whole"), "rb");
    if (b.at == NULL || file == NULL)
        abort();
    b.size = fread(b.at, 1, 1 << 20, file);
    fclose(file);
    congru_model_destroy(&model);
    congru_set_destroy(&set);
    return b;
}

/* Parses a copy of exactly the size given, which a sanitizer watches. */
static void check_damage(const unsigned char *at, size_t size, const char *text)
{
    unsigned char *copy = malloc(size > 0 ? size : 1);
    congru_model *model = NULL;
    if (copy == NULL)
        abort();
    memcpy(copy, at, size);
    congru_status status = congru_model_parse(context, "file", copy, size, &model);
    CHECK_SAYING(status != CONGRU_OK && model == NULL &&
                     strncmp(congru_context_error(context), "file: ", 6) == 0 &&
                     strstr(congru_context_error(context), text) != NULL,
                 "expected '%s', got %s '%s'", text, congru_status_name(status), congru_context_error(context));
    congru_model_destroy(&model);
    free(copy);
}

/* The header with a word replaced, its size mended. */
static bytes with_header(bytes whole, const char *word, const char *by)
{
    uint64_t header;
    memcpy(&header, whole.at, 8);
    unsigned char *found = NULL;
    bytes changed = {malloc(whole.size + 256), whole.size};
    if (changed.at == NULL)
        abort();
    memcpy(changed.at, whole.at, whole.size);
    for (size_t i = 8; found == NULL && i + strlen(word) <= 8 + header; i++)
        if (memcmp(whole.at + i, word, strlen(word)) == 0)
            found = whole.at + i;
    if (CHECK_SAYING(found != NULL, "no %s in the header", word)) {
        size_t before = (size_t)(found - whole.at), after = before + strlen(word);
        uint64_t size = header + strlen(by) - strlen(word);
        memcpy(changed.at + before, by, strlen(by));
        memcpy(changed.at + before + strlen(by), whole.at + after, whole.size - after);
        memcpy(changed.at, &size, 8);
        changed.size += (size_t)(size - header);
    }
    return changed;
}

static void check_header(bytes whole, const char *word, const char *by, const char *text)
{
    bytes changed = with_header(whole, word, by);
    check_damage(changed.at, changed.size, text);
    free(changed.at);
}

/* Of version 0.1.0, where the two settings that asking needs had other names, and a choice was a number. */
TEST(older_models_are_read)
{
    bytes whole = saved_model();
    congru_model *model = NULL;
    bytes mean = with_header(whole, "\\\"ra-mean\\\": \\\"riemann\\\"", "\\\"alignment_mean\\\": 1");
    bytes both = with_header(mean, "\\\"rpa-labels\\\": 0", "\\\"rpa_labels\\\": 3");
    CHECK_SAYING(congru_model_parse(context, "file", both.at, both.size, &model) == CONGRU_OK, "%s",
                 congru_context_error(context));
    CHECK(model != NULL && model->method.alignment_mean == CONGRU_METRIC_LOGEUCLID &&
          model->method.rpa_labels == 3);
    congru_model_destroy(&model);
    check_header(both, "\\\"alignment_mean\\\": 1", "\\\"alignment_mean\\\": 3",
                 "no possible settings: see 'alignment_mean'");
    check_header(both, "\\\"rpa_labels\\\": 3", "\\\"rpa_labels\\\": -3",
                 "no possible settings: see 'rpa_labels'");
    /* Before options could be "own", -1 was the network's own dropout. */
    bytes own = with_header(whole, "\\\"dropout\\\": \\\"own\\\"", "\\\"dropout\\\": -1");
    CHECK_SAYING(congru_model_parse(context, "file", own.at, own.size, &model) == CONGRU_OK, "%s",
                 congru_context_error(context));
    CHECK(model != NULL && model->method.network.dropout == CONGRU_OWN);
    congru_model_destroy(&model);
    free(own.at);
    free(both.at);
    free(mean.at);
    free(whole.at);
}

TEST(labels_outside_the_tables_are_refused)
{
    const stream_recipe recipe = {
        .subjects = 2, .trials = 6, .d = 3, .rate = 100, .estimator = "scm", .seed = 2};
    congru_set *set = stream_set(context, &recipe);
    congru_model *model = fit(set, "ra+mdm", -1);
    congru_predictions *predictions = NULL;
    for (int column = 0; column < 2; column++) {
        int32_t *value = column == 0 ? &set->label[3] : &set->subject[3], kept = *value;
        static const int32_t wrong[] = {-1, 1000000, INT32_MIN};
        for (size_t i = 0; i < 3; i++) {
            *value = wrong[i];
            CHECK(congru_model_predict(context, model, set, NULL, &predictions) == CONGRU_ERROR_ARGUMENT);
            CHECK(strstr(congru_context_error(context), "trial 4 of ") != NULL);
        }
        *value = kept;
    }
    congru_model_destroy(&model);
    congru_set_destroy(&set);
}

TEST(damaged_files_are_refused)
{
    bytes whole = saved_model();
    congru_model *model = NULL;
    uint64_t header, huge = UINT64_C(4) << 30;
    memcpy(&header, whole.at, 8);
    CHECK(congru_model_parse(context, "file", whole.at, whole.size, &model) == CONGRU_OK);
    congru_model_destroy(&model);
    check_damage(whole.at, 0, "0 bytes are too few");
    check_damage(whole.at, 7, "too few for a .safetensors");
    check_damage(whole.at, 100, "truncated?");
    check_damage(whole.at, whole.size - 1, "truncated?");
    unsigned char *longer = calloc(whole.size + 8, 1);
    memcpy(longer, whole.at, whole.size);
    check_damage(longer, whole.size + 8, "but the file has");
    memcpy(longer, &huge, 8);
    check_damage(longer, whole.size, "its header would take 4294967296 bytes");
    memcpy(longer, whole.at, whole.size);
    memset(longer + whole.size - 8, 0xff, 8);
    check_damage(longer, whole.size, "is NaN or infinite");
    longer[8] = '[';
    check_damage(longer, whole.size, "not JSON at byte 8");
    free(longer);
    check_header(whole, "\"format_version\":\"2\"", "\"format_version\":\"3\"",
                 "a model of format 3, written by congru 0.2.0; congru 0.2.0 reads formats 1 to 2");
    check_header(whole, "\"congru model\"", "\"another model\"", "its format is 'another model'");
    check_header(whole, "\"pipeline\":\"ra+mdm\"", "\"pipeline\":\"ra+nothing\"",
                 "there is no classifier 'nothing'");
    check_header(whole, "\"pipeline\":\"ra+mdm\"", "\"pipeline\":\"ra+tslr\"", "missing from the model");
    check_header(whole, "\"b0.mdm.mean\"", "\"b0.mdm.meen\"", "tensor mdm.mean: missing");
    check_header(whole, "\"b0.prior.0\"", "\"b0.pryor.0\"", "tensor b0.prior.0: missing");
    check_header(whole, "\"b0.mdm.present\"", "\"b0.mdm.mean\"", "tensor b0.mdm.mean is there twice");
    check_header(whole, "[3,4,4]", "[3,4,5]", "not the size of its shape");
    check_header(whole, "[3,4,4]", "[6,2,4]", "tensor mdm.mean: dimension 1 is 2, expected 4");
    check_header(whole, "[3,4,4]", "[3,4,4,1,1]", "a shape of at most 4 numbers");
    check_header(whole, "[3,4,4]", "[3,4,-4]", "expected its dtype, a shape");
    check_header(whole, "[3,4,4]", "[9007199254740992,9007199254740992,4]", "not the size of its shape");
    check_header(whole, "\"F64\"", "\"F32\"", "is of type F32, expected F64");
    check_header(whole, "\"data_offsets\":[0,128]", "\"data_offsets\":[0,136]", "not the size of its shape");
    check_header(whole, "\"data_offsets\":[128,", "\"data_offsets\":[120,", "not the size of its shape");
    check_header(whole, "\"class1\\\", \\\"class2\\\"]", "\"class1\\\"]",
                 "names 2 classes, but its tensors tell 3 apart");
    check_header(whole, "\\\"class2\\\"]", "\\\"class2\\\", \\\"class3\\\"]",
                 "names 4 classes, but its tensors tell 3 apart");
    check_header(whole, "\\\"class1\\\"", "class1", "no list of names in 'classes'");
    check_header(whole, "\\\"class1\\\"", "1", "no list of names in 'classes'");
    check_header(whole, "\"classes\":\"[", "\"classes\":\"", "no list of names in 'classes'");
    check_header(whole, "\\\"rpa-labels\\\":", "\\\"labels\\\":", "no possible 'settings'");
    check_header(whole, "\\\"ra-mean\\\": \\\"", "\\\"ra-mean\\\": \\\"x",
                 "no possible settings: see 'ra-mean'");
    check_header(whole, "\"rate\":\"0\"", "\"rate\":\"-1\"", "no possible number for 'rate'");
    check_header(whole, "{\"__metadata__\":{", "{\"__metadata__\":{\"seed\":\"1\",", "names a text twice");
    check_header(whole, "\"seed\":", "\"saat\":{\"a\":1},\"seed\":", "holds what is not a text");
    free(whole.at);
}

/* Two tensors in one place, and a place that belongs to none. */
TEST(places_are_checked)
{
    static const struct {
        const char *header, *text;
    } cases[] = {
        {"{\"a\":{\"dtype\":\"F64\",\"shape\":[2],\"data_offsets\":[0,16]},"
         "\"b\":{\"dtype\":\"F64\",\"shape\":[2],\"data_offsets\":[8,24]}}",
         "tensors a and b overlap"},
        {"{\"a\":{\"dtype\":\"F64\",\"shape\":[1],\"data_offsets\":[0,8]},"
         "\"b\":{\"dtype\":\"F64\",\"shape\":[1],\"data_offsets\":[16,24]}}",
         "8 bytes before tensor b belong to none"},
        {"{\"a\":{\"dtype\":\"F64\",\"shape\":[2],\"data_offsets\":[0,16]}}",
         "take 16 bytes, but the file has 24"},
        {"{\"a\":{\"dtype\":\"F64\",\"shape\":[3],\"data_offsets\":[24,0]}}", "bytes 24 to 0"},
        {"{\"a\":{\"dtype\":\"F64\",\"shape\":[3]}}", "two data_offsets"},
        {"{\"a\":{\"dtype\":\"F64\",\"shape\":[3],\"data_offsets\":[0,24,24]}}", "two data_offsets"},
        /* An empty one before another is in its place. */
        {"{\"a\":{\"dtype\":\"F64\",\"shape\":[3],\"data_offsets\":[0,24]},"
         "\"b\":{\"dtype\":\"F64\",\"shape\":[0],\"data_offsets\":[0,0]}}",
         "not a model of congru"},
        {"{\"a\":{\"dtype\":\"F64\",\"shape\":[3],\"data_offsets\":[0,24]}}", "not a model of congru"},
        {"{\"a\":{\"dtype\":\"F64\",\"shape\":[3],\"data_offsets\":[0,24]}},", "not JSON"},
        {"{\"a\":{\"dtype\":\"F64\",\"shape\":[03],\"data_offsets\":[0,24]}}", "a shape"},
        {"{\"a\":{\"dtype\":\"F64\",\"shape\":[18446744073709551617],\"data_offsets\":[0,24]}}", "a shape"},
        {"{\"a\":{\"dtype\":\"F64\",\"shape\":[9007199254740992,2048],\"data_offsets\":[0,24]}}",
         "not the size of its shape"},
        {"{\"a\":{\"dtype\":\"F64\",\"data_offsets\":[0,8],\"data_offsets\":[0,24]}}", "a shape"},
        {"{\"a\":{\"dtype\":\"F64\",\"dtype\":\"F64\",\"shape\":[3],\"data_offsets\":[0,24]}}", "its dtype"},
        {"{\"a\":{\"dtype\":\"F64\",\"shape\":[1],\"data_offsets\":[0,8]},"
         "\"\\u0061\":{\"dtype\":\"F64\",\"shape\":[2],\"data_offsets\":[8,24]}}",
         "tensor a is there twice"},
        {"{\"__metadata__\":{\"a\":\"1\",\"a\":\"2\"}}", "names a text twice"},
        {"{\"__metadata__\":{},\"__metadata__\":{}}", "__metadata__ twice"},
        {"{\"__metadata__\":{\"a\":\"\\ud800\"}}", "is not a text"},
        {"{\"__metadata__\":{\"a\":\"\xff\"}}", "is not a text"},
        {"{\"\\udc00\":{}}", "half of a surrogate pair"},
        {"{\"a\xc3\":{}}", "not UTF-8"},
        {"{}", "take 0 bytes"},
        {"[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[", "not JSON"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        unsigned char file[1024] = {0};
        uint64_t size = strlen(cases[i].header);
        memcpy(file, &size, 8);
        memcpy(file + 8, cases[i].header, size);
        check_damage(file, 8 + (size_t)size + 24, cases[i].text);
    }
}

/* More texts or tensors than a model could have. */
TEST(long_lists_are_refused)
{
    for (int tensors = 0; tensors < 2; tensors++) {
        const int most = tensors ? CONGRU_SAFETENSORS_TENSORS_MAX : CONGRU_SAFETENSORS_TEXTS_MAX;
        congru_text text = {0};
        congru_text_add(&text, "12345678%s", tensors ? "{" : "{\"__metadata__\":{");
        for (int i = 0; i <= most; i++)
            congru_text_add(&text, "%s\"a%d\":%s", i > 0 ? "," : "", i,
                            tensors ? "{\"dtype\":\"F64\",\"shape\":[0],\"data_offsets\":[0,0]}" : "\"\"");
        congru_text_add(&text, tensors ? "}" : "}}");
        uint64_t size = text.size - 8;
        memcpy(text.data, &size, 8);
        check_damage((unsigned char *)text.data, text.size,
                     tensors ? "describes too many tensors" : "holds too many texts");
        congru_text_clear(&text);
    }
}

static void check_said(congru_status status, congru_status expected, const char *words)
{
    CHECK_SAYING(status == expected && strstr(congru_context_error(context), words) != NULL, "%s: %s",
                 congru_status_name(status), congru_context_error(context));
}

TEST(names_are_given_once)
{
    congru_texts texts = {0};
    congru_tensors tensors = {0};
    const size_t shape[2] = {1, 1};
    size_t found[1] = {1};
    double *data;
    const double *read;
    char *longest = malloc(CONGRU_SAFETENSORS_HEADER_MAX + 1);
    CHECK(congru_texts_add(context, &texts, "seed", "1") == CONGRU_OK);
    check_said(congru_texts_add(context, &texts, "seed", "2"), CONGRU_ERROR_ARGUMENT,
               "text seed: there already");
    CHECK(strcmp(congru_texts_find(&texts, "seed"), "1") == 0);
    CHECK(congru_tensors_add(context, &tensors, "w", 2, shape, &data) == CONGRU_OK);
    check_said(congru_tensors_add(context, &tensors, "w", 2, shape, &data), CONGRU_ERROR_ARGUMENT,
               "tensor w: there already");
    check_said(congru_tensors_add(context, &tensors, "v", CONGRU_TENSOR_DIMS_MAX + 1, shape, &data),
               CONGRU_ERROR_ARGUMENT, "tensor v: too many dimensions or too long a name");
    check_said(congru_tensors_expect(context, &tensors, "w", 1, found, &read), CONGRU_ERROR_FORMAT,
               "tensor w: has 2 dimensions, expected 1");
    /* What could not be read again is not written. */
    memset(longest, 'a', CONGRU_SAFETENSORS_HEADER_MAX);
    longest[CONGRU_SAFETENSORS_HEADER_MAX] = '\0';
    CHECK(congru_texts_add(context, &texts, "long", longest) == CONGRU_OK);
    check_said(congru_safetensors_write(context, path_in("long"), &tensors, &texts), CONGRU_ERROR_UNSUPPORTED,
               "its header would take 16777");
    CHECK(!congru_model_recognises(path_in("long")));
    free(longest);
    congru_texts_clear(&texts);
    congru_tensors_clear(&tensors);
}

/* The bytes in memory are those of the file, and are written where there is room for all of them alone. */
TEST(bytes_in_memory_are_those_of_the_file)
{
    bytes whole = saved_model();
    congru_model *model = NULL, *again = NULL;
    size_t size = 0, said = 0;
    CHECK(congru_model_load(context, path_in("whole"), &model) == CONGRU_OK);
    CHECK(congru_model_pack(context, model, NULL, 0, &size) == CONGRU_OK && size == whole.size);
    unsigned char *packed = malloc(size);
    if (packed == NULL)
        abort();
    packed[0] = 77;
    check_said(congru_model_pack(context, model, packed, size - 1, &said), CONGRU_ERROR_ARGUMENT, "room for");
    CHECK(said == size && packed[0] == 77);
    CHECK(congru_model_pack(context, model, packed, size, &said) == CONGRU_OK && said == size);
    CHECK(memcmp(packed, whole.at, size) == 0);
    CHECK(congru_model_parse(context, "bytes", packed, size, &again) == CONGRU_OK);
    congru_model_destroy(&again);
    packed[8] = 'x';
    check_said(congru_model_parse(context, "bytes", packed, size, &again), CONGRU_ERROR_FORMAT, "bytes: ");
    CHECK(again == NULL);
    free(packed);
    free(whole.at);
    congru_model_destroy(&model);
}

/* Seconds of the processor: a fifth of the limit, and five times it where each subject goes through all others. */
TEST(many_subjects_cost_no_more_each)
{
    const set_recipe many = {.subjects = 10000, .classes = 2, .per_class = 1, .d = 3, .seed = 2};
    const double limit = 2;
    congru_set *set = sample_set(context, &many);
    congru_model *model = NULL;
    congru_predictions *made = NULL;
    congru_model_options options;
    congru_model_options_init(&options);
    options.pipeline = "ra+mdm";
    options.method.alignment_mean = options.method.mdm_mean = CONGRU_METRIC_EUCLID;
    const clock_t start = clock();
    CHECK_SAYING(congru_model_fit(context, set, &options, &model) == CONGRU_OK, "%s",
                 congru_context_error(context));
    CHECK(congru_model_predict(context, model, set, NULL, &made) == CONGRU_OK);
    const double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
    CHECK_SAYING(seconds < limit, "%g s", seconds);
    congru_predictions_destroy(&made);
    congru_model_destroy(&model);
    congru_set_destroy(&set);
}

int main(void)
{
    return scratch_main(&context, NULL);
}
