/* Sets larger than memory: in temporary files, they give the bits that loaded ones do. SPDX-License-Identifier: Apache-2.0 */
#define _XOPEN_SOURCE 700
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zip.h>

#include "base/mapped_memory.h"
#include "base/memory.h"
#include "context_main.h"
#include "harness.h"
#include "refusal.h"
#include "scratch.h"
#include "set_samples.h"
#include "spd/view_load.h"

enum { SMALL = 4096, NONE = 1 << 30 };

static congru_context *context;

static congru_set *make_mixed(void)
{
    const set_recipe recipe = {
        .subjects = 5, .classes = 3, .per_class = 9, .d = 7, .sessions = 2, .effect = 0.4, .seed = 3};
    congru_set *set = sample_set(context, &recipe);
    /* Subjects in turn, so that what is read together is not of one subject. */
    for (size_t i = 0; i < set->count; i++)
        set->subject[i] = (int32_t)(i * 7 % set->subjects);
    return set;
}

static bool same(const double *a, const double *b, size_t count)
{
    return memcmp(a, b, count * sizeof *a) == 0;
}

/* ---- Views ----------------------------------------------------------------------------------------- */

/* Whitened as it is read, or copied, whitened and then read: for one owner in a row and for several. */
static void check_views(congru_context *own, size_t n, size_t d, bool mixed)
{
    const set_recipe recipe = {.subjects = 3, .classes = 2, .per_class = n, .d = d, .effect = 0.5, .seed = d};
    congru_set *set = sample_set(own, &recipe);
    const size_t size = d * d, owners = 3, length = congru_spd_tangent_size(d);
    size_t *place = malloc(n * sizeof *place);
    double *root = malloc(owners * size * sizeof *root), *copy = malloc(n * size * sizeof *copy),
           *read = malloc(n * size * sizeof *read), mean[2][64 * 64],
           *vector[2] = {malloc(n * length * sizeof(double)), malloc(n * length * sizeof(double))};
    CHECK(congru_spd_invsqrt(own, owners, d, set->covariance, root) == CONGRU_OK);
    for (size_t i = 0; i < n; i++)
        place[i] = (i * 5 + 2) % set->count;
    for (size_t i = 0; i < set->count; i++)
        set->subject[i] = mixed ? (int32_t)(i % owners) : 1;
    const congru_view view = {set->covariance, place, root, set->subject};
    for (size_t i = 0; i < n; i++)
        CHECK(congru_spd_congruence(own, 1, d, d, set->covariance + place[i] * size,
                                    root + (size_t)set->subject[place[i]] * size,
                                    copy + i * size) == CONGRU_OK);
    CHECK(congru_view_copy(own, n, d, &view, read) == CONGRU_OK);
    CHECK_SAYING(same(copy, read, n * size), "copies of %zu matrices of %zu differ", n, d);
    const double *block;
    CHECK(congru_view_block(own, n / 3, n - n / 3, d, &view, read, &block) == CONGRU_OK);
    CHECK(same(copy + n / 3 * size, block, (n - n / 3) * size));
    /* In the order they are in, without places. */
    const congru_view all = {.plain = set->covariance, .root = root, .owner = set->subject};
    CHECK(congru_view_block(own, n / 3, n - n / 3, d, &all, read, &block) == CONGRU_OK);
    for (size_t i = 0; i < n - n / 3; i++) {
        double one[64 * 64];
        CHECK(congru_spd_congruence(own, 1, d, d, set->covariance + (n / 3 + i) * size,
                                    root + (size_t)set->subject[n / 3 + i] * size, one) == CONGRU_OK);
        CHECK(same(one, block + i * size, size));
    }
    const congru_mean_options options = {.iterations_max = 4}; /* so spread, they take longer to converge */
    for (congru_metric metric = CONGRU_METRIC_RIEMANN; metric <= CONGRU_METRIC_EUCLID; metric++) {
        congru_status expected = congru_spd_mean(own, metric, n, d, copy, &options, mean[1], NULL);
        CHECK(expected == CONGRU_OK ||
              (metric == CONGRU_METRIC_RIEMANN && expected == CONGRU_ERROR_NOT_CONVERGED));
        CHECK(congru_view_mean(own, metric, n, d, &view, &options, mean[0], NULL) == expected);
        CHECK_SAYING(same(mean[0], mean[1], size), "means of %zu matrices of %zu differ", n, d);
    }
    CHECK(congru_view_tangent(own, n, d, mean[0], &view, vector[0]) == CONGRU_OK);
    CHECK(congru_spd_tangent(own, n, d, mean[0], copy, vector[1]) == CONGRU_OK);
    CHECK(same(vector[0], vector[1], n * length));
    free(place);
    free(root);
    free(copy);
    free(read);
    free(vector[0]);
    free(vector[1]);
    congru_set_destroy(&set);
}

TEST(views_read_the_same_bits)
{
    for (size_t i = 0; congru_cpu_name(i) != NULL; i++) {
        congru_context *own;
        if (!congru_cpu_available(congru_cpu_name(i)))
            continue;
        if (!CHECK(congru_context_create(&own, &(congru_context_options){.cpu = congru_cpu_name(i)}) ==
                   CONGRU_OK))
            continue;
        check_views(own, 1, 3, true);
        check_views(own, 77, 22, true);
        check_views(own, 77, 22, false);
        check_views(own, 21, 33, true);
        congru_context_destroy(&own);
    }
}

/* More chunks than a window of sums holds: the sum over them all, by hand. */
TEST(means_of_many_add_up_in_order)
{
    enum { N = 32 * 300 + 5, D = 3 };
    double *c = malloc(N * D * D * sizeof *c), sum[D * D] = {0}, mean[D * D];
    for (size_t i = 0; i < N; i++)
        for (size_t r = 0; r < D; r++)
            for (size_t s = 0; s < D; s++)
                c[(i * D + r) * D + s] = r == s ? 1.0 + (double)(i * 37 % 101) / 7.0 : 0.01 * (double)(i % 13);
    for (size_t first = 0; first < N; first += 32) {
        double part[D * D] = {0};
        for (size_t i = first; i < N && i < first + 32; i++)
            for (size_t e = 0; e < D * D; e++)
                part[e] += c[i * D * D + e];
        for (size_t e = 0; e < D * D; e++)
            sum[e] += part[e];
    }
    for (size_t e = 0; e < D * D; e++)
        sum[e] /= N;
    CHECK(congru_spd_mean(context, CONGRU_METRIC_EUCLID, N, D, c, NULL, mean, NULL) == CONGRU_OK);
    CHECK(same(mean, sum, D * D));
    free(c);
}

/* ---- Files ----------------------------------------------------------------------------------------- */

static congru_set *read_with(size_t limit, const char *path)
{
    congru_set *set = NULL;
    congru_mapped_set_limit(limit);
    congru_status status = congru_set_read(context, path, &set);
    CHECK_SAYING(status == CONGRU_OK, "%s", congru_context_error(context));
    return set;
}

static bool overwrite(const char *path, long from, long to)
{
    FILE *stream = fopen(path, "rb+");
    if (stream == NULL || fseek(stream, from, SEEK_SET) != 0)
        return false;
    for (long i = from; i < to; i++)
        fputc(7, stream);
    return fclose(stream) == 0;
}

/* In a temporary file, and not in memory. */
static bool is_region(void *numbers)
{
    return congru_mapped_grow(numbers, 1) == numbers;
}

/* What was read is the reader's own: whatever becomes of the file, it stays, and may be written to. */
TEST(large_sets_are_copies)
{
    congru_set *made = make_mixed();
    const char *path = path_in("stored.npz");
    const size_t size = made->count * made->dimension * made->dimension;
    CHECK(congru_set_write(context, path, made) == CONGRU_OK);
    congru_set *loaded = read_with(NONE, path), *mapped = read_with(SMALL, path);
    if (loaded == NULL || mapped == NULL)
        return;
    CHECK(!is_region(loaded->covariance) && is_region(mapped->covariance));
    CHECK((uintptr_t)mapped->covariance % 64 == 0);
    CHECK(same(mapped->covariance, made->covariance, size) && same(loaded->covariance, made->covariance, size));
    CHECK(overwrite(path, 1000, 5000));
    CHECK(same(mapped->covariance, loaded->covariance, size));
    CHECK(truncate(path, 100) == 0);
    congru_mapped_pass((size_t)NONE); /* every page comes anew */
    CHECK(same(mapped->covariance, loaded->covariance, size));
    mapped->covariance[0] *= 2.0;
    CHECK(mapped->covariance[0] == 2.0 * loaded->covariance[0]);
    congru_set_destroy(&made);
    congru_set_destroy(&loaded);
    congru_set_destroy(&mapped);
    congru_mapped_set_limit(0);
}

/* Classes are left out of a temporary file, and trials added to it, as in memory. */
TEST(large_sets_are_changed)
{
    congru_set *made = make_mixed();
    const char *kept[] = {made->class_name[2], made->class_name[0]};
    const char *path = path_in("kept.npz");
    CHECK(congru_set_write(context, path, made) == CONGRU_OK);
    congru_set *loaded = read_with(NONE, path);
    CHECK(congru_set_keep_classes(context, loaded, kept, 2) == CONGRU_OK);
    congru_set *mapped = read_with(SMALL, path);
    CHECK(congru_set_keep_classes(context, mapped, kept, 2) == CONGRU_OK);
    CHECK(loaded->count == mapped->count && loaded->count < made->count);
    CHECK(same(loaded->covariance, mapped->covariance, loaded->count * made->dimension * made->dimension));
    congru_set_destroy(&mapped);
    double signal[1][7][50];
    for (size_t i = 0; i < 7 * 50; i++)
        (&signal[0][0][0])[i] = (double)(i * i % 17) - 8.0;
    int32_t label = 0;
    congru_epochs epochs = {.count = 1,
                            .channels = 7,
                            .samples = 50,
                            .data = &signal[0][0][0],
                            .label = &label,
                            .classes = 1,
                            .class_name = (char(*)[CONGRU_LABEL_SIZE])made->class_name};
    mapped = read_with(SMALL, path);
    const congru_set_options options = {.estimator = CONGRU_ESTIMATOR_OAS};
    for (int i = 0; i < 2; i++)
        CHECK(congru_set_append(context, &mapped, &epochs, "new", &options) == CONGRU_OK);
    CHECK(mapped->count == made->count + 2);
    CHECK(same(mapped->covariance, made->covariance, made->count * 49));
    CHECK(same(mapped->covariance + made->count * 49, mapped->covariance + (made->count + 1) * 49, 49));
    congru_set_destroy(&made);
    congru_set_destroy(&loaded);
    congru_set_destroy(&mapped);
    congru_mapped_set_limit(0);
}

/* X.npy in a zip without padding, as numpy.savez leaves it: not at a multiple of 8. */
static bool write_unaligned(const char *path, const congru_set *set, bool deflate)
{
    const char *const columns[] = {"y.npy", "subject.npy"};
    char header[2][128];
    int error;
    zip_t *zip = zip_open(path, ZIP_CREATE | ZIP_TRUNCATE, &error);
    if (zip == NULL)
        return false;
    const size_t size = set->count * set->dimension * set->dimension * sizeof(double);
    for (int k = 0; k < 2; k++) {
        memcpy(header[k], "\x93NUMPY\1\0\x76\0", 10);
        int length = k == 0
                         ? snprintf(header[k] + 10, 118,
                                    "{'descr': '<f8', 'fortran_order': False, 'shape': (%zu, %zu, %zu), }",
                                    set->count, set->dimension, set->dimension)
                         : snprintf(header[k] + 10, 118,
                                    "{'descr': '<i4', 'fortran_order': False, 'shape': (%zu,), }", set->count);
        memset(header[k] + 10 + length, ' ', (size_t)(118 - length));
    }
    zip_buffer_fragment_t pieces[2] = {{(zip_uint8_t *)header[0], 128}, {(zip_uint8_t *)set->covariance, size}};
    zip_int64_t index =
        zip_file_add(zip, "X.npy", zip_source_buffer_fragment(zip, pieces, 2, 0), ZIP_FL_ENC_GUESS);
    zip_set_file_compression(zip, (zip_uint64_t)index, deflate ? ZIP_CM_DEFLATE : ZIP_CM_STORE, 0);
    pieces[0].data = (zip_uint8_t *)header[1];
    for (int k = 0; k < 2; k++) {
        pieces[1] = (zip_buffer_fragment_t){(zip_uint8_t *)(k == 0 ? set->label : set->subject),
                                            set->count * sizeof(int32_t)};
        index = zip_file_add(zip, columns[k], zip_source_buffer_fragment(zip, pieces, 2, 0), ZIP_FL_ENC_GUESS);
        zip_set_file_compression(zip, (zip_uint64_t)index, ZIP_CM_STORE, 0);
    }
    return zip_close(zip) == 0;
}

TEST(others_go_to_a_temporary_file)
{
    congru_set *made = make_mixed();
    for (int deflate = 0; deflate < 2; deflate++) {
        const char *path = path_in("unaligned.npz");
        CHECK(write_unaligned(path, made, deflate));
        congru_set *set = read_with(SMALL, path);
        if (set == NULL)
            continue;
        CHECK(same(set->covariance, made->covariance, made->count * 49));
        double *taken = set->covariance;
        set->covariance = NULL;
        CHECK(congru_mapped_give(taken));
        congru_set_destroy(&set);
    }
    congru_set_destroy(&made);
    congru_mapped_set_limit(0);
}

static bool change_byte(const char *path, long offset)
{
    FILE *stream = fopen(path, "rb+");
    if (stream == NULL || fseek(stream, offset, SEEK_SET) != 0)
        return false;
    int old = fgetc(stream);
    fseek(stream, offset, SEEK_SET);
    fputc(old ^ 1, stream);
    return fclose(stream) == 0;
}

TEST(broken_files_are_refused)
{
    congru_set *made = make_mixed(), *set = NULL;
    const char *path = path_in("broken.npz");
    CHECK(congru_set_write(context, path, made) == CONGRU_OK);
    congru_mapped_set_limit(SMALL);
    CHECK(change_byte(path, 3000));
    check_error(context, congru_set_read(context, path, &set), CONGRU_ERROR_FORMAT,
                "X: broken data: CRC error");
    CHECK(set == NULL);
    CHECK(change_byte(path, 3000));
    FILE *stream = fopen(path, "rb");
    CHECK(stream != NULL && fseek(stream, 0, SEEK_END) == 0);
    long size = stream != NULL ? ftell(stream) : 0;
    if (stream != NULL)
        fclose(stream);
    for (long cut = size - 1; cut > 0; cut -= size / 23) {
        CHECK(truncate(path, cut) == 0);
        CHECK(congru_set_read(context, path, &set) != CONGRU_OK && set == NULL);
    }
    made->covariance[100] = 1e30; /* not symmetric */
    CHECK(congru_set_write(context, path, made) == CONGRU_OK);
    check_error(context, congru_set_read(context, path, &set), CONGRU_ERROR_NOT_SYMMETRIC, "trial 3 of 135");
    congru_set_destroy(&made);
    congru_mapped_set_limit(0);
}

/* ---- Evaluation ------------------------------------------------------------------------------------ */

static congru_status evaluate(const congru_set *set, const char *pipeline, congru_protocol protocol,
                              congru_target target, congru_results **results)
{
    congru_evaluation_options options;
    congru_evaluation_options_init(&options);
    options.pipelines = &pipeline;
    options.pipeline_count = 1;
    options.protocol = protocol;
    options.target = target;
    options.align_by_session = target == CONGRU_TARGET_ONLINE;
    options.method.network.steps = 6;
    *results = NULL;
    return set != NULL ? congru_evaluate(context, set, &options, results) : CONGRU_ERROR_IO;
}

static congru_status run(size_t limit, const char *path, const char *pipeline, congru_protocol protocol,
                         congru_target target, congru_results **results)
{
    congru_set *set = read_with(limit, path);
    congru_status status = evaluate(set, pipeline, protocol, target, results);
    congru_set_destroy(&set);
    congru_mapped_set_limit(0);
    return status;
}

static void check_same_results(const char *path, const char *pipeline, congru_protocol protocol,
                               congru_target target)
{
    congru_results *small, *large;
    CHECK(run(NONE, path, pipeline, protocol, target, &small) == CONGRU_OK);
    congru_status status = run(SMALL, path, pipeline, protocol, target, &large);
    CHECK_SAYING(status == CONGRU_OK, "%s: %s", pipeline, congru_context_error(context));
    CHECK(small != NULL && large != NULL && small->folds == large->folds && small->folds > 0);
    for (size_t i = 0; small != NULL && large != NULL && i < small->folds; i++) {
        const congru_fold *a = &small->fold[i], *b = &large->fold[i];
        CHECK_SAYING(a->samples == b->samples && a->samples > 0 &&
                         same(a->probability, b->probability, a->samples * small->classes),
                     "%s, subject %d: the probabilities differ", pipeline, (int)a->subject);
    }
    congru_results_destroy(&small);
    congru_results_destroy(&large);
}

TEST(results_are_the_same_bits)
{
    congru_set *made = make_mixed();
    const char *path = path_in("evaluated.npz");
    CHECK(congru_set_write(context, path, made) == CONGRU_OK);
    congru_set_destroy(&made);
    char name[CONGRU_PIPELINE_SIZE];
    for (size_t i = 0; congru_pipeline_at(i, true, name); i++) {
        check_same_results(path, name, CONGRU_PROTOCOL_LOSO, CONGRU_TARGET_FULL);
        check_same_results(path, name, CONGRU_PROTOCOL_LOSO, CONGRU_TARGET_ONLINE);
        check_same_results(path, name, CONGRU_PROTOCOL_FOLDS, CONGRU_TARGET_FULL);
    }
    static const char *const networks[] = {"dct-e2e", "dldct+mdm", "ddct-unet-e2e"};
    for (size_t i = 0; i < 3; i++)
        check_same_results(path, networks[i], CONGRU_PROTOCOL_LOSO, CONGRU_TARGET_FULL);
}

TEST(no_room_is_told)
{
    congru_set *made = make_mixed();
    const char *path = path_in("noroom.npz");
    congru_results *results;
    CHECK(congru_set_write(context, path, made) == CONGRU_OK);
    congru_set_destroy(&made);
    congru_set *set = read_with(10000, path), *none;
    setenv("TMPDIR", path_in("absent"), 1);
    check_error(context, congru_set_read(context, path, &none), CONGRU_ERROR_MEMORY,
                "No such file or directory (TMPDIR names another folder)");
    check_error(context, evaluate(set, "ra+tslr", CONGRU_PROTOCOL_LOSO, CONGRU_TARGET_FULL, &results),
                CONGRU_ERROR_MEMORY, "No such file or directory (TMPDIR names another folder)");
    CHECK(results == NULL && none == NULL);
    unsetenv("TMPDIR");
    congru_set_destroy(&set);
    congru_mapped_set_limit(0);
}

int main(void)
{
    return scratch_main(&context, NULL);
}
