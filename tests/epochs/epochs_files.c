/* Trials read from .npz and .mat files: made here, and real ones. SPDX-License-Identifier: Apache-2.0 */
#define _XOPEN_SOURCE 700
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "array/npz.h"
#include "congru/epochs.h"
#include "context_main.h"
#include "harness.h"
#include "mat_writer.h"
#include "scratch.h"

enum { PATH_SIZE = 1024 };

static congru_context *context;
static congru_npz_writer *npz;
static mat_writer mat;

static congru_epochs *read_whole(const char *path)
{
    congru_epochs *epochs = NULL;
    congru_status status = congru_epochs_read(context, path, &epochs);
    CHECK_SAYING(status == CONGRU_OK, "%s", congru_context_error(context));
    return epochs;
}

static void check_refused(const char *path, congru_status expected, const char *words)
{
    congru_epochs *epochs = NULL;
    congru_status status = congru_epochs_read(context, path, &epochs);
    const char *error = congru_context_error(context);
    CHECK_SAYING(status == expected, "status %d, not %d, for: %s", (int)status, (int)expected, words);
    CHECK_SAYING(strncmp(error, path, strlen(path)) == 0 && strstr(error, words) != NULL &&
                     strchr(error, '\n') == NULL,
                 "no '%s' in: %s", words, error);
    CHECK(epochs == NULL);
    congru_epochs_destroy(&epochs);
}

/* ---- .npz ---------------------------------------------------------------------------------------- */

enum { TRIALS = 3, CHANNELS = 2, SAMPLES = 4 };

static const size_t cube[3] = {TRIALS, CHANNELS, SAMPLES};
static double values[TRIALS * CHANNELS * SAMPLES];

static void npz_begin(void)
{
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++)
        values[i] = (double)i - 0.5;
    CHECK(congru_npz_create(context, path_in("in.npz"), &npz) == CONGRU_OK);
}

static void npz_real(const char *name, size_t dims, const size_t *shape, const double *data)
{
    CHECK(congru_npz_add_real(context, npz, name, dims, shape, data, false) == CONGRU_OK);
}

static void npz_integers(const char *name, size_t count, const int64_t *data)
{
    CHECK(congru_npz_add_integer(context, npz, name, 1, &count, data) == CONGRU_OK);
}

static void npz_texts(const char *name, size_t count, const char *const *data)
{
    CHECK(congru_npz_add_text(context, npz, name, 1, &count, data) == CONGRU_OK);
}

static const char *npz_end(void)
{
    CHECK(congru_npz_commit(context, &npz) == CONGRU_OK);
    return path_in("in.npz");
}

static const double rate = 250;

TEST(reads_a_full_npz)
{
    static const char *const names[] = {"C3", "C4"}, *const classes[] = {"left", "right"};
    const double start = -0.5;
    npz_begin();
    npz_real("X", 3, cube, values);
    npz_real("fs", 0, NULL, &rate);
    npz_real("tmin", 0, NULL, &start);
    npz_integers("y", 3, (const int64_t[]){1, 0, 1});
    npz_integers("run", 3, (const int64_t[]){4, 4, 8});
    npz_texts("session", 3, (const char *const[]){"1test", "0train", "1test"});
    npz_texts("ch_names", 2, names);
    npz_texts("classes", 2, classes);
    congru_epochs *epochs = read_whole(npz_end());
    if (!CHECK(epochs != NULL && epochs->count == 3 && epochs->channels == 2 && epochs->samples == 4))
        return;
    CHECK(memcmp(epochs->data, values, sizeof values) == 0 && epochs->rate == 250 && epochs->start == -0.5);
    CHECK(epochs->label[0] == 1 && epochs->label[1] == 0 && epochs->label[2] == 1);
    CHECK(epochs->run[0] == 4 && epochs->run[2] == 8 && epochs->session[0] == 1 && epochs->session[1] == 0);
    CHECK(strcmp(epochs->channel_name[1], "C4") == 0);
    CHECK(epochs->classes == 2 && strcmp(epochs->class_name[1], "right") == 0);
    congru_epochs_destroy(&epochs);
}

/* Two channels of one name would be one to --channels. */
TEST(names_of_channels_are_numbered_as_those_of_recordings)
{
    static const char *const names[] = {"A", "A"};
    npz_begin();
    npz_real("X", 3, cube, values);
    npz_real("fs", 0, NULL, &rate);
    npz_integers("y", 3, (const int64_t[]){1, 0, 1});
    npz_texts("ch_names", 2, names);
    congru_epochs *epochs = read_whole(npz_end());
    CHECK(epochs != NULL && strcmp(epochs->channel_name[0], "A-0") == 0 &&
          strcmp(epochs->channel_name[1], "A-1") == 0);
    congru_epochs_destroy(&epochs);
}

/* Names from the labels' own values, channels by number, scaled integers, an unknown start. */
TEST(reads_a_bare_npz)
{
    int64_t integers[TRIALS * CHANNELS * SAMPLES];
    const double scale = 0.25;
    for (size_t i = 0; i < sizeof integers / sizeof integers[0]; i++)
        integers[i] = 3 - (int64_t)i;
    npz_begin();
    CHECK(congru_npz_add_integer(context, npz, "signals", 3, cube, integers) == CONGRU_OK);
    npz_real("scale", 0, NULL, &scale);
    npz_integers("fs", 1, (const int64_t[]){160});
    static const double labels[TRIALS] = {770, -1, 770}; /* the writer looks at them when it commits */
    npz_real("y", 1, cube, labels);
    congru_epochs *epochs = read_whole(npz_end());
    if (!CHECK(epochs != NULL && epochs->count == 3))
        return;
    CHECK(epochs->data[0] == 0.75 && epochs->data[23] == -5 && epochs->rate == 160 && isnan(epochs->start));
    CHECK(epochs->classes == 2 && strcmp(epochs->class_name[0], "-1") == 0 &&
          strcmp(epochs->class_name[1], "770") == 0);
    CHECK(epochs->label[0] == 1 && epochs->label[1] == 0 && epochs->run[2] == 0 && epochs->session[2] == 0);
    CHECK(strcmp(epochs->channel_name[0], "1") == 0 && strcmp(epochs->channel_name[1], "2") == 0);
    congru_epochs_destroy(&epochs);
}

TEST(reads_labels_that_are_texts_or_from_one)
{
    static const char *const y[] = {"right", "feet", "right"}, *const classes[] = {"right", "left", "feet"};
    for (int form = 0; form < 3; form++) {
        npz_begin();
        npz_real("X", 3, cube, values);
        npz_real("fs", 0, NULL, &rate);
        if (form < 2)
            npz_texts("y", 3, y);
        else
            npz_integers("y", 3, (const int64_t[]){1, 3, 1});
        if (form > 0)
            npz_texts("classes", 3, classes);
        congru_epochs *epochs = read_whole(npz_end());
        if (CHECK(epochs != NULL)) {
            CHECK(epochs->classes == (form == 0 ? 2 : 3));
            CHECK(strcmp(epochs->class_name[epochs->label[0]], "right") == 0);
            CHECK(strcmp(epochs->class_name[epochs->label[1]], "feet") == 0);
        }
        congru_epochs_destroy(&epochs);
    }
}

TEST(refuses_broken_npz)
{
    static const char *const three[] = {"a", "b", "c"};
    static const size_t square[3] = {3, 2, 2};
    static const double symmetric[12] = {2, 1, 1, 2, 2, 1, 1, 2, 2, 1, 1, 2}, halves[3] = {0, 0.5, 1};
    static const char *const words[] = {"no sampling rate: expected a positive number 'fs'",
                                        "no labels",
                                        "'y' has 2 values in 1 dimension for 3 trials",
                                        "3 channel names for 2 channels",
                                        "trial 2 has label 7: expected 0 to 2",
                                        "holds covariances, not trials",
                                        "holds no trials",
                                        "y: expected integers or strings, found 0.5 at trial 2",
                                        "trial 1 has label 'x'",
                                        "'X' has 1 dimensions",
                                        "'run' of trial 3 is 4294967296: too large",
                                        "no sampling rate"};
    for (int i = 0; i < 12; i++) {
        const double bad_rate = (double)NAN;
        npz_begin();
        if (i == 5)
            npz_real("X", 3, square, symmetric);
        else if (i != 6)
            npz_real("X", i == 9 ? 1 : 3, cube, values);
        if (i != 0)
            npz_real("fs", 0, NULL, i == 11 ? &bad_rate : &rate);
        if (i == 7)
            npz_real("y", 1, cube, halves);
        else if (i == 8)
            npz_texts("y", 3, (const char *const[]){"x", "a", "b"});
        else if (i != 1)
            npz_integers("y", i == 2 ? 2 : 3, (const int64_t[]){0, i == 4 ? 7 : 1, 0});
        if (i == 3)
            npz_texts("channels", 3, three);
        if (i == 4 || i == 8)
            npz_texts("classes", 3, three);
        if (i == 10)
            npz_integers("run", 3, (const int64_t[]){1, 1, (int64_t)1 << 32});
        check_refused(npz_end(), i == 5 || i == 6 ? CONGRU_ERROR_KIND : CONGRU_ERROR_FORMAT, words[i]);
    }
}

/* What is beside the trials and the labels is checked as well. */
TEST(refuses_odd_details_in_npz)
{
    static const double infinite = (double)INFINITY, pair[2] = {250, 250};
    static const size_t two = 2;
    static const char *const words[] = {"'fs' is not one number", "'scale' is not finite", "'tmin' is infinite",
                                        "'ch_names' is not a list of texts",
                                        "subject: expected integers or strings, found 0.5 at trial 2"};
    static const double halves[3] = {0, 0.5, 1};
    for (int i = 0; i < 5; i++) {
        npz_begin();
        npz_real("X", 3, cube, values);
        npz_real("fs", i == 0 ? 1 : 0, i == 0 ? &two : NULL, i == 0 ? pair : &rate);
        npz_integers("y", 3, (const int64_t[]){0, 1, 0});
        if (i == 1)
            npz_real("scale", 0, NULL, &infinite);
        if (i == 2)
            npz_real("tmin", 0, NULL, &infinite);
        if (i == 3)
            npz_real("ch_names", 1, &two, pair);
        if (i == 4)
            npz_real("subject", 1, cube, halves);
        check_refused(npz_end(), CONGRU_ERROR_FORMAT, words[i]);
    }
}

/* ---- .mat ---------------------------------------------------------------------------------------- */

static const char *mat_store(void)
{
    const char *path = path_in("in.mat");
    FILE *stream = fopen(path, "wb");
    if (CHECK(stream != NULL)) {
        CHECK(fwrite(mat.bytes, 1, mat.size, stream) == mat.size);
        CHECK(fclose(stream) == 0);
    }
    mat_end(&mat);
    return path;
}

static const size_t mat_cube[3] = {4, 2, 3}; /* samples, channels, trials */

TEST(reads_mat_trials)
{
    static const char *const field[] = {"data", "labels", "fs", "ch_names", "classes"};
    static const char *const names[] = {"C3", "C4"}, *const classes[] = {"left", "right", "feet"};
    const double labels[3] = {3, 1, 3};
    for (int form = 0; form < 3; form++) {
        mat_begin(&mat, false);
        size_t start = form == 0 ? 0 : mat_open_struct(&mat, "set", 1, field, 5);
        mat_numbers(&mat, form > 0 ? "" : "trials", 6, 9, 3, mat_cube, values);
        mat_numbers(&mat, form > 0 ? "" : "classlabels", 9, 2, 2,
                    (const size_t[]){form == 0 ? 3 : 1, form == 0 ? 1 : 3}, labels);
        if (form > 0) {
            mat_number(&mat, "", 250);
            mat_texts(&mat, "", names, 2);
            mat_texts(&mat, "", classes, 3);
            mat_close(&mat, start);
        }
        if (form == 2)
            mat_compress(&mat, start);
        congru_epochs *epochs = read_whole(mat_store());
        if (!CHECK(epochs != NULL && epochs->count == 3 && epochs->channels == 2 && epochs->samples == 4))
            continue;
        CHECK(memcmp(epochs->data, values, sizeof values) == 0 && isnan(epochs->start));
        CHECK(form == 0 ? isnan(epochs->rate) : epochs->rate == 250);
        CHECK(strcmp(epochs->channel_name[1], form == 0 ? "2" : "C4") == 0);
        CHECK(epochs->classes == (form == 0 ? 2 : 3));
        CHECK(strcmp(epochs->class_name[epochs->label[0]], form == 0 ? "3" : "feet") == 0);
        CHECK(strcmp(epochs->class_name[epochs->label[1]], form == 0 ? "1" : "left") == 0);
        congru_epochs_destroy(&epochs);
    }
}

/* When trials begin, names that are not all texts, trials of as many samples as channels, a struct without trials. */
TEST(reads_odd_mat_trials)
{
    static const char *const field[] = {"fs"};
    static const double squares[12] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}, labels[3] = {1, 2, 1};
    mat_begin(&mat, false);
    size_t start = mat_open_struct(&mat, "info", 1, field, 1);
    mat_number(&mat, "", 250);
    mat_close(&mat, start);
    mat_numbers(&mat, "data", 6, 9, 3, (const size_t[]){2, 2, 3}, squares);
    mat_matrix(&mat, "y", 3, 1, labels);
    mat_number(&mat, "tmin", -0.25);
    start = mat_open(&mat, 1, 2, (const size_t[]){1, 2}, "ch_names");
    mat_text(&mat, "", "C3");
    mat_number(&mat, "", 4);
    mat_close(&mat, start);
    congru_epochs *epochs = read_whole(mat_store());
    if (!CHECK(epochs != NULL))
        return;
    CHECK(epochs->count == 3 && epochs->channels == 2 && epochs->samples == 2 && epochs->start == -0.25);
    CHECK(memcmp(epochs->data, squares, sizeof squares) == 0 && strcmp(epochs->channel_name[0], "1") == 0);
    congru_epochs_destroy(&epochs);
    mat_begin(&mat, false);
    start = mat_open_struct(&mat, "info", 1, field, 1);
    mat_number(&mat, "", 250);
    mat_close(&mat, start);
    check_refused(mat_store(), CONGRU_ERROR_KIND, "holds no trials: expected an array of");
}

TEST(refuses_more_classes_than_there_can_be)
{
    enum { MANY = 1001 };
    static double x[MANY * 2];
    static int64_t y[MANY];
    const size_t shape[3] = {MANY, 1, 2};
    for (int64_t i = 0; i < MANY; i++)
        y[i] = 3 * i;
    npz_begin();
    npz_real("X", 3, shape, x);
    npz_real("fs", 0, NULL, &rate);
    npz_integers("y", MANY, y);
    check_refused(npz_end(), CONGRU_ERROR_UNSUPPORTED,
                  "1001 classes; at most 1000 are read (is y the labels?)");
}

TEST(refuses_broken_mat_trials)
{
    static const double symmetric[12] = {2, 1, 1, 2, 2, 1, 1, 2, 2, 1, 1, 2}, labels[3] = {1, 2, 1.5};
    static const double whole[3] = {1, 2, 1};
    static const char *const words[] = {"no labels: expected",
                                        "no labels: expected",
                                        "holds covariances",
                                        "with fewer samples than channels",
                                        "trial 3 has label 1.5",
                                        "2 arrays of three dimensions",
                                        "its sampling rate is not",
                                        "holds a recording, not trials",
                                        "found lonely"};
    static const bool another[] = {false, false, true, false, false, false, false, true, true};
    for (int i = 0; i < 9; i++) {
        mat_begin(&mat, false);
        if (i == 2)
            mat_numbers(&mat, "data", 6, 9, 3, (const size_t[]){2, 2, 3}, symmetric);
        else if (i == 7)
            mat_bnci(&mat, 2, 10, 2, 1, true);
        else if (i == 8)
            mat_number(&mat, "lonely", 1);
        else
            mat_numbers(&mat, i == 5 ? "one" : "X", 6, 9, 3, i == 3 ? (const size_t[]){2, 4, 3} : mat_cube,
                        values);
        if (i == 5)
            mat_numbers(&mat, "other", 6, 9, 3, mat_cube, values);
        if (i == 1)
            mat_matrix(&mat, "label", 2, 1, labels);
        if (i >= 2 && i < 7)
            mat_matrix(&mat, "label", i == 4 ? 3 : 1, i == 4 ? 1 : 3, i == 4 ? labels : whole);
        if (i == 6)
            mat_number(&mat, "fs", -1);
        check_refused(mat_store(), another[i] ? CONGRU_ERROR_KIND : CONGRU_ERROR_FORMAT, words[i]);
    }
}

TEST(refuses_what_is_neither)
{
    mat_begin(&mat, false);
    mat.size = 0;
    check_refused(mat_store(), CONGRU_ERROR_FORMAT, "empty file");
    FILE *stream = fopen(path_in("in.gdf"), "wb");
    CHECK(stream != NULL && fputs("GDF 2.51", stream) >= 0 && fclose(stream) == 0);
    check_refused(path_in("in.gdf"), CONGRU_ERROR_KIND,
                  "holds no trials: expected an .npz, a .mat, an EEGLAB .set or FIF");
    check_refused(path_in("absent.npz"), CONGRU_ERROR_IO, "No such file");
    congru_epochs *epochs;
    CHECK(congru_epochs_read(context, NULL, &epochs) == CONGRU_ERROR_ARGUMENT);
    CHECK(congru_epochs_read(NULL, path_in("in.gdf"), NULL) == CONGRU_ERROR_ARGUMENT);
}

/* ---- Real files ---------------------------------------------------------------------------------- */

/* The folder of real recordings: CONGRU_DATA, or the one beside the source. */
static const char *data_path(const char *name)
{
    static char path[PATH_SIZE];
    const char *data = getenv("CONGRU_DATA"), *source = getenv("SOURCE");
    if (data != NULL)
        snprintf(path, sizeof path, "%s/%s", data, name);
    else
        snprintf(path, sizeof path, "%s/../shared/data/%s", source != NULL ? source : ".", name);
    return path;
}

static unsigned long checksum(const void *data, size_t size)
{
    return crc32_z(0, data, size);
}

static bool same_number(double a, double b)
{
    return a == b || (isnan(a) && isnan(b));
}

static void check_real_file(const char *line)
{
    char name[128], channel[80], class_name[80];
    size_t trials, channels, samples, classes;
    unsigned long data, label, run, session;
    double file_rate, start;
    if (!CHECK(sscanf(line, "%127s %zu %zu %zu %zu %lf %lf %79s %79s %lu %lu %lu %lu", name, &trials, &channels,
                      &samples, &classes, &file_rate, &start, channel, class_name, &data, &label, &run,
                      &session) == 13))
        return;
    congru_epochs *epochs = read_whole(data_path(name));
    if (!CHECK(epochs != NULL))
        return;
    CHECK(epochs->count == trials && epochs->channels == channels && epochs->samples == samples);
    CHECK(epochs->classes == classes && same_number(epochs->rate, file_rate) &&
          same_number(epochs->start, start));
    CHECK(strcmp(epochs->channel_name[epochs->channels - 1], channel) == 0);
    CHECK(strcmp(epochs->class_name[epochs->classes - 1], class_name) == 0);
    CHECK_SAYING(checksum(epochs->data, trials * channels * samples * sizeof(double)) == data,
                 "%s: other samples", name);
    CHECK_SAYING(checksum(epochs->label, trials * sizeof(int32_t)) == label, "%s: other labels", name);
    CHECK_SAYING(checksum(epochs->run, trials * sizeof(int32_t)) == run, "%s: other runs", name);
    CHECK_SAYING(checksum(epochs->session, trials * sizeof(int32_t)) == session, "%s: other sessions", name);
    congru_epochs_destroy(&epochs);
}

TEST(real_files_are_read_as_by_numpy)
{
    char path[PATH_SIZE], line[512];
    snprintf(path, sizeof path, "%s/tests/data/epochs_files.txt",
             getenv("SOURCE") != NULL ? getenv("SOURCE") : ".");
    if (access(data_path("SHA256SUMS"), R_OK) != 0) {
        SKIP("the folder of real recordings is absent");
        return;
    }
    FILE *oracle = fopen(path, "r");
    size_t files = 0;
    while (CHECK(oracle != NULL) && fgets(line, sizeof line, oracle) != NULL)
        if (line[0] != '#') {
            check_real_file(line);
            files++;
        }
    if (oracle != NULL)
        fclose(oracle);
    CHECK(files == 5);
}

TEST(real_covariances_are_refused_as_trials)
{
    if (access(data_path("SHA256SUMS"), R_OK) != 0) {
        SKIP("the folder of real recordings is absent");
        return;
    }
    check_refused(data_path("bci_iv_2a/A09_covariances.mat"), CONGRU_ERROR_KIND,
                  "holds covariances, not trials: 576 symmetric matrices of 22 x 22");
}

int main(void)
{
    return scratch_main(&context, NULL);
}
