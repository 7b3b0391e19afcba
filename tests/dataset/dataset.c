/* Sets: what is appended, written, read and refused. SPDX-License-Identifier: Apache-2.0 */
#define _XOPEN_SOURCE 700
#include <dirent.h>
#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "context_main.h"
#include "dataset/set_internal.h"
#include "harness.h"
#include "refusal.h"
#include "scratch.h"

enum { PATH_SIZE = 512, PATHS = 4, FILE_SIZE_MAX = 1 << 16, CHANGES = 2000, STRIDE = 7 };

static congru_context *context;
static unsigned char file[FILE_SIZE_MAX];
static size_t file_size;

static const char *stored_path(const char *name)
{
    static char path[PATH_SIZE];
    const char *source = getenv("SOURCE");
    snprintf(path, sizeof path, "%s/tests/data/%s", source != NULL ? source : ".", name);
    return path;
}

static bool load_file(const char *path)
{
    FILE *stream = fopen(path, "rb");
    if (stream == NULL)
        return false;
    file_size = fread(file, 1, sizeof file, stream);
    return fclose(stream) == 0 && file_size < sizeof file;
}

static bool same_bytes(const void *a, const void *b, size_t size)
{
    return (a == NULL) == (b == NULL) && (a == NULL || memcmp(a, b, size) == 0);
}

static bool same_sets(const congru_set *a, const congru_set *b)
{
    size_t n = a->count, d = a->dimension;
    return n == b->count && d == b->dimension && a->classes == b->classes && a->subjects == b->subjects &&
           (a->signals == NULL || a->samples == b->samples) && a->rate == b->rate &&
           same_bytes(a->covariance, b->covariance, n * d * d * sizeof(double)) &&
           same_bytes(a->signals, b->signals, n * d * a->samples * sizeof(double)) &&
           same_bytes(a->label, b->label, n * sizeof(int32_t)) &&
           same_bytes(a->subject, b->subject, n * sizeof(int32_t)) &&
           same_bytes(a->session, b->session, n * sizeof(int32_t)) &&
           same_bytes(a->run, b->run, n * sizeof(int32_t)) &&
           same_bytes(a->class_name, b->class_name, a->classes * CONGRU_LABEL_SIZE) &&
           same_bytes(a->subject_name, b->subject_name, a->subjects * CONGRU_LABEL_SIZE) &&
           same_bytes(a->channel_name, b->channel_name, d * CONGRU_LABEL_SIZE) &&
           (a->meta == NULL) == (b->meta == NULL) && (a->meta == NULL || strcmp(a->meta, b->meta) == 0);
}

/* ---- Sets that numpy wrote ------------------------------------------------------------------------- */

/* The trials of tests/oracle/oracle_dataset.py. */
static void check_covariances(const congru_set *set)
{
    if (!CHECK(set->count == 6 && set->dimension == 3 && set->covariance != NULL))
        return;
    for (size_t k = 0; k < 6 * 9; k++) {
        size_t m = k / 9, i = k / 3 % 3, j = k % 3;
        CHECK(set->covariance[k] == (double)(m + 1) * (i == j) + 0.125 * (double)(i + j));
    }
    static const int32_t subjects[6] = {0, 1, 0, 1, 2, 2};
    CHECK(set->subjects == 3 && memcmp(set->subject, subjects, sizeof subjects) == 0);
    CHECK(strcmp(set->subject_name[0], "bo") == 0 && strcmp(set->subject_name[1], "\xc3\x85sa") == 0);
    CHECK(strcmp(set->subject_name[2], "c") == 0 && set->rate == 250.0);
    static const int32_t labels[6] = {2, 0, 0, 1, 2, 1};
    CHECK(set->classes == 3 && memcmp(set->label, labels, sizeof labels) == 0);
}

TEST(reads_what_savez_writes)
{
    congru_set *set;
    if (!CHECK_SAYING(congru_set_read(context, stored_path("numpy_stored.npz"), &set) == CONGRU_OK, "%s",
                      congru_context_error(context)))
        return;
    check_covariances(set);
    CHECK(strcmp(set->class_name[0], "left hand") == 0 && strcmp(set->class_name[2], "feet") == 0);
    CHECK(strcmp(set->channel_name[0], "C3") == 0 && strcmp(set->channel_name[2], "C4") == 0);
    CHECK(set->session[0] == 1 && set->session[5] == 2 && set->run[0] == 0 && set->run[5] == 5);
    CHECK(set->meta != NULL && strcmp(set->meta, "{\"made\": \"by numpy\", \"sign\": \"\xe2\x82\xac\"}") == 0);
    if (CHECK(set->signals != NULL && set->samples == 5))
        for (size_t k = 0; k < 6 * 15; k++)
            CHECK(set->signals[k] == (double)(100 * (k / 15) + 10 * (k / 5 % 3)) + 0.5 * (double)(k % 5));
    congru_set_destroy(&set);
    CHECK(set == NULL);
}

TEST(reads_what_savez_compressed_writes)
{
    congru_set *set;
    if (!CHECK_SAYING(congru_set_read(context, stored_path("numpy_deflated.npz"), &set) == CONGRU_OK, "%s",
                      congru_context_error(context)))
        return;
    check_covariances(set);
    CHECK(strcmp(set->class_name[0], "3") == 0 && strcmp(set->class_name[2], "9") == 0);
    CHECK(set->channel_name[1][0] == '\0' && set->signals == NULL && set->meta == NULL);
    CHECK(set->session[0] == 0 && set->session[3] == 1 && set->run[5] == 0);
    congru_set_destroy(&set);
}

/* ---- Damage ---------------------------------------------------------------------------------------- */

/* In a block of its own size, so that a sanitizer sees a step past its end. */
static congru_status parse_copy(const unsigned char *bytes, size_t size, congru_set **set)
{
    unsigned char *copy = malloc(size > 0 ? size : 1);
    memcpy(copy, bytes, size);
    congru_status status = congru_set_parse(context, "damaged", copy, size, set);
    free(copy);
    return status;
}

static void check_damage(const char *path)
{
    congru_set *whole, *set;
    if (!CHECK(load_file(path) && parse_copy(file, file_size, &whole) == CONGRU_OK))
        return;
    const size_t bytes = file_size;
    if (!CHECK(bytes > 0))
        return;
    for (size_t size = 0; size < bytes; size += STRIDE)
        CHECK_SAYING(parse_copy(file, size, &set) != CONGRU_OK && set == NULL, "%zu bytes of %s are read", size,
                     path);
    uint64_t state = 1;
    size_t refused = 0;
    for (int i = 0; i < CHANGES; i++) {
        state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        size_t place = (size_t)(state >> 33) % bytes;
        unsigned char old = file[place];
        file[place] = (unsigned char)(old ^ (1 + (state >> 20) % 255));
        congru_status status = parse_copy(file, file_size, &set);
        refused += status != CONGRU_OK;
        CHECK_SAYING(status == CONGRU_OK ? same_sets(set, whole)
                                         : set == NULL && congru_context_error(context)[0] != 0,
                     "byte %zu of %s changed from %02x to %02x is read as something else", place, path, old,
                     file[place]);
        congru_set_destroy(&set);
        file[place] = old;
    }
    CHECK(refused > CHANGES / 2);
    congru_set_destroy(&whole);
}

TEST(damaged_files_are_refused_or_read_right)
{
    check_damage(stored_path("numpy_stored.npz"));
    check_damage(stored_path("numpy_deflated.npz"));
    congru_set *set;
    CHECK(congru_set_read(context, stored_path("numpy_stored.npz"), &set) == CONGRU_OK);
    CHECK(congru_set_write(context, path_in("ours.npz"), set) == CONGRU_OK);
    congru_set_destroy(&set);
    check_damage(path_in("ours.npz"));
}

/* ---- Wrong sets ------------------------------------------------------------------------------------ */

/* Arrays of a set in the making; tests change one and see. */
typedef struct draft {
    size_t dims, shape[4];
    double data[64];
    size_t labels, subjects, channel_count, class_count;
    int64_t label[8];
    const char *subject[8], *channels[8], *classes[8];
    double rate;
    bool signals, no_x, y_is_text, x_is_integer;
} draft;

static draft good_draft(void)
{
    draft d = {.dims = 3, .shape = {4, 2, 2}, .labels = 4, .subjects = 4, .label = {5, 5, 8, 8}};
    for (size_t i = 0; i < 16; i++)
        d.data[i] = i % 4 == 0 || i % 4 == 3 ? 2 : 1;
    for (size_t i = 0; i < 8; i++)
        d.subject[i] = "A01";
    return d;
}

static void write_draft(const draft *d)
{
    congru_npz_writer *w;
    int64_t whole[64];
    CHECK(congru_npz_create(context, path_in("draft.npz"), &w) == CONGRU_OK);
    for (size_t i = 0; i < 64; i++)
        whole[i] = (int64_t)i;
    if (!d->no_x && d->x_is_integer)
        CHECK(congru_npz_add_integer(context, w, "X", d->dims, d->shape, whole) == CONGRU_OK);
    else if (!d->no_x)
        CHECK(congru_npz_add_real(context, w, "X", d->dims, d->shape, d->data, false) == CONGRU_OK);
    if (d->signals)
        CHECK(congru_npz_add_real(context, w, "signals", d->dims, d->shape, d->data, true) == CONGRU_OK);
    if (d->labels > 0 && d->y_is_text)
        CHECK(congru_npz_add_text(context, w, "y", 1, &d->labels, d->subject) == CONGRU_OK);
    else if (d->labels > 0)
        CHECK(congru_npz_add_integer(context, w, "y", 1, &d->labels, d->label) == CONGRU_OK);
    if (d->subjects > 0)
        CHECK(congru_npz_add_text(context, w, "subject", 1, &d->subjects, d->subject) == CONGRU_OK);
    if (d->channel_count > 0)
        CHECK(congru_npz_add_text(context, w, "channels", 1, &d->channel_count, d->channels) == CONGRU_OK);
    if (d->class_count > 0)
        CHECK(congru_npz_add_text(context, w, "classes", 1, &d->class_count, d->classes) == CONGRU_OK);
    if (d->rate != 0)
        CHECK(congru_npz_add_real(context, w, "fs", 0, NULL, &d->rate, false) == CONGRU_OK);
    CHECK(congru_npz_commit(context, &w) == CONGRU_OK);
}

static void check_draft_refused(const draft *d, congru_status expected, const char *words)
{
    congru_set *set;
    write_draft(d);
    check_error_at(context, congru_set_read(context, path_in("draft.npz"), &set), expected,
                   path_in("draft.npz: "), words);
    CHECK(set == NULL);
}

static congru_set *read_draft(const draft *d)
{
    congru_set *set;
    write_draft(d);
    CHECK_SAYING(congru_set_read(context, path_in("draft.npz"), &set) == CONGRU_OK, "%s",
                 congru_context_error(context));
    return set;
}

TEST(missing_arrays_are_named)
{
    draft d = good_draft();
    d.labels = 0;
    congru_set *set = read_draft(&d);
    CHECK(set != NULL && set->classes == 1 && strcmp(set->class_name[0], "unlabelled") == 0);
    congru_set_destroy(&set);
    d = good_draft();
    d.subjects = 0;
    check_draft_refused(&d, CONGRU_ERROR_FORMAT, "no array 'subject' in it (save a set with numpy.savez(");
    d = good_draft();
    d.no_x = true;
    check_draft_refused(&d, CONGRU_ERROR_FORMAT, "no array 'X'");
}

TEST(wrong_shapes_are_refused)
{
    draft d = good_draft();
    d.dims = 2;
    check_draft_refused(&d, CONGRU_ERROR_FORMAT, "X: expected shape (trials, channels, channels)");
    d.dims = 4;
    d.shape[3] = 1;
    check_draft_refused(&d, CONGRU_ERROR_FORMAT, "found (4, 2, 2, 1)");
    d = good_draft();
    d.shape[0] = 0;
    check_draft_refused(&d, CONGRU_ERROR_FORMAT, "shape (0, 2, 2) has no values");
    d = good_draft();
    d.x_is_integer = true;
    check_draft_refused(&d, CONGRU_ERROR_UNSUPPORTED, "X: expected float64 or float32, found integers");
    d = good_draft();
    d.shape[1] = 4;
    d.shape[2] = 1;
    d.signals = true;
    check_draft_refused(&d, CONGRU_ERROR_FORMAT, "X holds signals, and so does 'signals'");
}

TEST(mismatched_lengths_are_refused)
{
    draft d = good_draft();
    d.labels = 3;
    check_draft_refused(&d, CONGRU_ERROR_FORMAT,
                        "y: expected one value for each of 4 trials, found shape (3,)");
    d = good_draft();
    d.subjects = 5;
    check_draft_refused(&d, CONGRU_ERROR_FORMAT,
                        "subject: expected one value for each of 4 trials, found shape (5,)");
    d = good_draft();
    d.channel_count = 1;
    d.channels[0] = "Cz";
    check_draft_refused(&d, CONGRU_ERROR_FORMAT, "channels: expected one value for each of 2 channels");
    d = good_draft();
    d.class_count = 1;
    d.classes[0] = "left";
    check_draft_refused(&d, CONGRU_ERROR_FORMAT, "classes: 1 name for 2 distinct labels in y");
    d = good_draft();
    d.class_count = 2;
    d.classes[0] = d.classes[1] = "left";
    check_draft_refused(&d, CONGRU_ERROR_FORMAT, "classes: 'left' is there twice");
    d.classes[1] = "right";
    d.y_is_text = true;
    check_draft_refused(&d, CONGRU_ERROR_FORMAT, "y: 'A01' is not among the classes");
    d = good_draft();
    d.rate = -1;
    check_draft_refused(&d, CONGRU_ERROR_FORMAT, "fs: expected one number");
}

TEST(bad_trials_are_named)
{
    draft d = good_draft();
    d.data[2 * 4 + 1] = NAN;
    check_draft_refused(&d, CONGRU_ERROR_NOT_FINITE, "X: trial 3 of 4 holds NaN in row 1, column 2");
    d.data[2 * 4 + 1] = -INFINITY;
    check_draft_refused(&d, CONGRU_ERROR_NOT_FINITE, "X: trial 3 of 4 holds infinity in row 1, column 2");
    d.data[2 * 4 + 1] = 1.5;
    check_draft_refused(&d, CONGRU_ERROR_NOT_SYMMETRIC, "X: trial 3 of 4 is not symmetric");
    d.data[2 * 4 + 1] = 1 + 1e-9;
    congru_set *set = read_draft(&d);
    congru_set_destroy(&set);
}

TEST(long_names_are_refused)
{
    char name[CONGRU_LABEL_SIZE + 1];
    memset(name, 'n', sizeof name);
    name[CONGRU_LABEL_SIZE] = '\0';
    draft d = good_draft();
    d.subject[3] = name;
    check_draft_refused(&d, CONGRU_ERROR_UNSUPPORTED, "subject: a name of 80 bytes");
    name[CONGRU_LABEL_SIZE - 1] = '\0';
    congru_set *set = read_draft(&d);
    CHECK(set != NULL && set->subjects == 2 && strcmp(set->subject_name[1], name) == 0);
    congru_set_destroy(&set);
}

TEST(labels_find_their_classes)
{
    static const char *const names[4] = {"left", "right", "feet", "tongue"};
    draft d = good_draft();
    congru_set *set = read_draft(&d); /* 5 5 8 8, no names */
    CHECK(set != NULL && set->classes == 2 && set->label[0] == 0 && set->label[3] == 1);
    CHECK(set != NULL && strcmp(set->class_name[0], "5") == 0 && strcmp(set->class_name[1], "8") == 0);
    congru_set_destroy(&set);
    d.class_count = 2;
    memcpy(d.classes, names, sizeof names);
    set = read_draft(&d); /* as many names as labels: by rank */
    CHECK(set != NULL && set->classes == 2 && set->label[3] == 1 && strcmp(set->class_name[1], "right") == 0);
    congru_set_destroy(&set);
    d.class_count = 4;
    memcpy(d.label, (int64_t[4]){3, 3, 1, 1}, 4 * sizeof(int64_t));
    set = read_draft(&d); /* indices of names, some without a trial */
    CHECK(set != NULL && set->classes == 4 && set->label[0] == 3 && set->label[3] == 1);
    congru_set_destroy(&set);
    memcpy(d.label, (int64_t[4]){1, 1, 1, 1}, 4 * sizeof(int64_t));
    set = read_draft(&d); /* one class is no error here */
    CHECK(set != NULL && set->label[0] == 1);
    congru_set_destroy(&set);
    d = good_draft();
    d.y_is_text = true;
    d.subject[0] = "z";
    set = read_draft(&d); /* labels that are texts, sorted; subjects in order of appearance */
    CHECK(set != NULL && set->classes == 2 && set->label[0] == 1 && strcmp(set->class_name[0], "A01") == 0);
    CHECK(set != NULL && set->subjects == 2 && set->subject[0] == 0 && strcmp(set->subject_name[0], "z") == 0);
    congru_set_destroy(&set);
}

TEST(signals_may_be_called_x)
{
    draft d = good_draft();
    d.shape[2] = 3;
    congru_set *set = read_draft(&d);
    CHECK(set != NULL && set->covariance == NULL && set->signals != NULL && set->samples == 3);
    CHECK(set != NULL && congru_set_write(context, path_in("signals.npz"), set) == CONGRU_OK);
    congru_set *again;
    CHECK(congru_set_read(context, path_in("signals.npz"), &again) == CONGRU_OK);
    CHECK(set != NULL && again != NULL && same_sets(set, again));
    congru_set_destroy(&again);
    congru_set_destroy(&set);
}

/* ---- Appending and writing ------------------------------------------------------------------------- */

enum { E_COUNT = 5, E_CHANNELS = 3, E_SAMPLES = 40 };

typedef struct sample_epochs {
    double data[E_COUNT * E_CHANNELS * E_SAMPLES];
    int32_t label[E_COUNT], run[E_COUNT], session[E_COUNT];
    char channel_name[E_CHANNELS][CONGRU_LABEL_SIZE], class_name[2][CONGRU_LABEL_SIZE];
    congru_epochs epochs;
} sample_epochs;

static congru_epochs *make_epochs(sample_epochs *s, unsigned seed, const char *first, const char *second)
{
    uint64_t state = seed;
    memset(s, 0, sizeof *s);
    for (size_t i = 0; i < E_COUNT * E_CHANNELS * E_SAMPLES; i++) {
        state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        s->data[i] = (double)(state >> 40) * 0x1p-24 - 0.25;
    }
    for (int32_t i = 0; i < E_COUNT; i++) {
        s->label[i] = (i + 1) % 2;
        s->run[i] = i;
        s->session[i] = (int32_t)seed;
    }
    snprintf(s->class_name[0], CONGRU_LABEL_SIZE, "%s", first);
    snprintf(s->class_name[1], CONGRU_LABEL_SIZE, "%s", second);
    for (int i = 0; i < E_CHANNELS; i++)
        snprintf(s->channel_name[i], CONGRU_LABEL_SIZE, "C%d", i + 1);
    s->epochs = (congru_epochs){.count = E_COUNT,
                                .channels = E_CHANNELS,
                                .samples = E_SAMPLES,
                                .rate = 160,
                                .data = s->data,
                                .label = s->label,
                                .run = s->run,
                                .session = s->session,
                                .channel_name = s->channel_name,
                                .classes = 2,
                                .class_name = s->class_name};
    return &s->epochs;
}

static const congru_set_options with_signals = {
    .estimator = CONGRU_ESTIMATOR_OAS, .trace_normalise = true, .keep_signals = true};

static congru_set *make_set(void)
{
    static sample_epochs a, b;
    congru_set *set = NULL;
    make_epochs(&a, 1, "left", "right");
    make_epochs(&b, 2, "feet", "left");
    CHECK(congru_set_append(context, &set, &a.epochs, "S1", &with_signals) == CONGRU_OK);
    CHECK(congru_set_append(context, &set, &b.epochs, "S2", &with_signals) == CONGRU_OK);
    CHECK(congru_set_append(context, &set, &a.epochs, "S1", &with_signals) == CONGRU_OK);
    return set;
}

TEST(appended_trials_join)
{
    congru_set *set = make_set();
    if (!CHECK(set != NULL && set->count == 3 * E_COUNT && set->dimension == E_CHANNELS))
        return;
    CHECK(set->subjects == 2 && set->subject[0] == 0 && set->subject[5] == 1 && set->subject[10] == 0);
    CHECK(set->classes == 3 && strcmp(set->class_name[0], "left") == 0 &&
          strcmp(set->class_name[1], "right") == 0 && strcmp(set->class_name[2], "feet") == 0);
    static const int32_t labels[15] = {1, 0, 1, 0, 1, 0, 2, 0, 2, 0, 1, 0, 1, 0, 1};
    CHECK(memcmp(set->label, labels, sizeof labels) == 0);
    CHECK(set->run[6] == 1 && set->session[6] == 2 && set->rate == 160 && set->samples == E_SAMPLES);
    CHECK(strcmp(set->channel_name[2], "C3") == 0);
    static double expected[E_COUNT * E_CHANNELS * E_CHANNELS];
    static sample_epochs b;
    make_epochs(&b, 2, "feet", "left");
    CHECK(congru_covariance(context, CONGRU_ESTIMATOR_OAS, true, E_COUNT, E_CHANNELS, E_SAMPLES, b.data,
                            expected) == CONGRU_OK);
    CHECK(memcmp(set->covariance + E_COUNT * 9, expected, sizeof expected) == 0);
    CHECK(memcmp(set->signals + E_COUNT * E_CHANNELS * E_SAMPLES, b.data, sizeof b.data) == 0);
    congru_set_destroy(&set);
}

static void check_unappended(congru_set *set, const sample_epochs *s, const char *subject,
                             const congru_set_options *options, congru_status expected, const char *words)
{
    size_t count = set->count, classes = set->classes, subjects = set->subjects;
    check_error_at(context, congru_set_append(context, &set, &s->epochs, subject, options), expected, "",
                   words);
    CHECK(set->count == count && set->classes == classes && set->subjects == subjects);
}

TEST(what_does_not_fit_is_refused)
{
    static sample_epochs s;
    congru_set *set = make_set(), *none = NULL;
    congru_set_options without = with_signals;
    without.keep_signals = false;
    make_epochs(&s, 3, "left", "right");
    check_unappended(set, &s, "S3", &without, CONGRU_ERROR_ARGUMENT,
                     "subject S3: the set was made with signals");
    s.epochs.channels = 2;
    check_unappended(set, &s, "S3", &with_signals, CONGRU_ERROR_ARGUMENT,
                     "subject S3: 2 channels where the set has 3");
    s.epochs.channels = 3;
    s.epochs.samples = 39;
    check_unappended(set, &s, "S3", &with_signals, CONGRU_ERROR_ARGUMENT,
                     "windows of 39 samples where the set has 40");
    s.epochs.samples = 40;
    s.epochs.rate = 250;
    check_unappended(set, &s, "S3", &with_signals, CONGRU_ERROR_ARGUMENT,
                     "250 samples per second where the set has 160");
    s.epochs.rate = 160;
    snprintf(s.channel_name[1], CONGRU_LABEL_SIZE, "Pz");
    check_unappended(set, &s, "S3", &with_signals, CONGRU_ERROR_ARGUMENT,
                     "channel 2 is Pz where the set has C2");
    make_epochs(&s, 3, "left", "right");
    check_unappended(set, &s, "", &with_signals, CONGRU_ERROR_ARGUMENT, "a name of 1 to 79 bytes");
    s.data[2 * E_CHANNELS * E_SAMPLES] = NAN;
    check_unappended(set, &s, "S3", &with_signals, CONGRU_ERROR_NOT_FINITE, "trial 3 of 5: ");
    CHECK(congru_set_append(context, &none, &s.epochs, "S3", &with_signals) == CONGRU_ERROR_NOT_FINITE &&
          none == NULL);
    s.label[4] = 2;
    check_unappended(set, &s, "S3", &with_signals, CONGRU_ERROR_ARGUMENT, "trial 5 has label 2, of 2 classes");
    CHECK(congru_set_append(context, NULL, &s.epochs, "S3", &with_signals) == CONGRU_ERROR_ARGUMENT);
    congru_set_destroy(&set);
}

TEST(round_trips_keep_everything)
{
    congru_set *set = make_set(), *again;
    set->meta = strdup("{\"band\": [8, 35], \"who\": \"\xc3\x85sa\"}");
    const char *path = path_in("round.npz");
    CHECK_SAYING(congru_set_write(context, path, set) == CONGRU_OK, "%s", congru_context_error(context));
    if (CHECK_SAYING(congru_set_read(context, path, &again) == CONGRU_OK, "%s", congru_context_error(context)))
        CHECK(same_sets(set, again));
    static sample_epochs s;
    make_epochs(&s, 4, "feet", "tongue");
    CHECK(congru_set_append(context, &again, &s.epochs, "S9", &with_signals) == CONGRU_OK);
    CHECK(again->count == 4 * E_COUNT && again->classes == 4 && again->subjects == 3);
    congru_set_destroy(&again);
    set->label[3] = 7;
    check_error_at(context, congru_set_write(context, path, set), CONGRU_ERROR_ARGUMENT, path,
                   "not the index of a class");
    set->label[3] = -1;
    CHECK(congru_set_write(context, path, set) == CONGRU_ERROR_ARGUMENT);
    set->label[3] = 0;
    set->subject[3] = 5;
    check_error_at(context, congru_set_write(context, path, set), CONGRU_ERROR_ARGUMENT, path,
                   "not the index of a name");
    congru_set_destroy(&set);
    CHECK(congru_set_write(context, path, NULL) == CONGRU_ERROR_ARGUMENT);
    CHECK(congru_set_read(context, NULL, &set) == CONGRU_ERROR_ARGUMENT);
    check_error_at(context, congru_set_read(context, path_in("absent.npz"), &set), CONGRU_ERROR_IO,
                   scratch_folder(), "No such file");
}

/* The interpreter the other tests use, with numpy. */
TEST(numpy_opens_what_is_written)
{
    static const char script[] =
        "import sys, numpy as np\n"
        "z = np.load(sys.argv[1], allow_pickle=False)\n"
        "assert list(z) == ['X', 'signals', 'y', 'subject', 'session', 'run', 'classes', 'channels', 'fs', "
        "'tmin', 'meta']\n"
        "assert z['X'].shape == (15, 3, 3) and z['X'].dtype == '<f8' and np.allclose(z['X'].trace(0, 1, 2), "
        "1)\n"
        "assert z['signals'].shape == (15, 3, 40) and z['y'].dtype == '<i8' and z['y'][6] == 2\n"
        "assert list(z['subject'][4:6]) == ['S1', 'S2'] and list(z['channels']) == ['C1', 'C2', 'C3']\n"
        "assert z['fs'] == 160 and str(z['meta']) == '\\u00c5' and list(z['classes']) == ['left', 'right', "
        "'feet']\n";
    if (system("/usr/bin/python3 -c 'import numpy' 2>/dev/null") != 0) {
        SKIP("no numpy on this machine");
        return;
    }
    congru_set *set = make_set();
    set->meta = strdup("\xc3\x85");
    FILE *stream = fopen(path_in("check.py"), "w");
    CHECK(stream != NULL && fputs(script, stream) >= 0 && fclose(stream) == 0);
    CHECK(congru_set_write(context, path_in("numpy.npz"), set) == CONGRU_OK);
    char command[3 * PATH_SIZE];
    snprintf(command, sizeof command, "/usr/bin/python3 %s %s >&2", path_in("check.py"), path_in("numpy.npz"));
    fflush(stdout);
    CHECK(system(command) == 0);
    congru_set_destroy(&set);
}

int main(void)
{
    return scratch_main(&context, NULL);
}
