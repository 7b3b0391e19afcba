/* Sets: what their files and those who make them by hand may get wrong, and classes taken out. SPDX-License-Identifier: Apache-2.0 */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/mapped_memory.h"
#include "base/memory.h"
#include "context_main.h"
#include "dataset/set_internal.h"
#include "harness.h"
#include "refusal.h"
#include "scratch.h"
#include "set_samples.h"

enum { TRIALS = 4, MANY = 1100 };

static congru_context *context;

/* ---- Files --------------------------------------------------------------------------------------------- */

/* An array of a set's file in the making: the first of the pointers that is set. */
typedef struct column {
    const char *name;
    size_t dims, shape[3];
    const double *real;
    const int64_t *integer;
    const char *const *text;
} column;

static const double units[MANY * 4] = {1, 0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1};
static const int64_t labels[TRIALS] = {0, 0, 1, 1};

/* Writes a good set of four trials with `other` in the place of the array of that name, or beside them. */
static void write_with(const column *other)
{
    const column good[] = {{.name = "X", .dims = 3, .shape = {TRIALS, 2, 2}, .real = units},
                           {.name = "y", .dims = 1, .shape = {TRIALS}, .integer = labels},
                           {.name = "subject", .dims = 1, .shape = {TRIALS}, .integer = labels}};
    congru_npz_writer *w;
    CHECK(congru_npz_create(context, path_in("draft.npz"), &w) == CONGRU_OK);
    for (size_t i = 0; i <= 3; i++) {
        const column *c = i < 3 ? &good[i] : other;
        if (i < 3 && strcmp(c->name, other->name) == 0)
            continue;
        congru_status status =
            c->real != NULL      ? congru_npz_add_real(context, w, c->name, c->dims, c->shape, c->real, false)
            : c->integer != NULL ? congru_npz_add_integer(context, w, c->name, c->dims, c->shape, c->integer)
                                 : congru_npz_add_text(context, w, c->name, c->dims, c->shape, c->text);
        CHECK_SAYING(status == CONGRU_OK, "%s", congru_context_error(context));
    }
    CHECK(congru_npz_commit(context, &w) == CONGRU_OK);
}

static void check_refused(const column *other, congru_status expected, const char *words)
{
    congru_set *set = NULL;
    write_with(other);
    check_error(context, congru_set_read(context, path_in("draft.npz"), &set), expected, words);
    CHECK(set == NULL && strstr(congru_context_error(context), path_in("draft.npz: ")) != NULL);
}

TEST(columns_of_the_wrong_kind_are_refused)
{
    static const char *const two[] = {"a", "b"};
    check_refused(&(column){.name = "y", .dims = 1, .shape = {TRIALS}, .real = (const double[]){0, 1, 0.5, 1}},
                  CONGRU_ERROR_FORMAT, "y: expected integers or strings, found 0.5 at trial 3");
    check_refused(
        &(column){.name = "subject", .dims = 1, .shape = {TRIALS}, .real = (const double[]){0, 1e17, 0, 1}},
        CONGRU_ERROR_FORMAT, "subject: expected integers or strings, found 1e+17 at trial 2");
    check_refused(&(column){.name = "classes", .dims = 1, .shape = {2}, .integer = labels}, CONGRU_ERROR_FORMAT,
                  "classes: expected a line of 1 to 1024 strings");
    check_refused(&(column){.name = "classes", .dims = 2, .shape = {1, 2}, .text = two}, CONGRU_ERROR_FORMAT,
                  "classes: expected a line of 1 to 1024 strings");
    check_refused(&(column){.name = "channels", .dims = 1, .shape = {2}, .integer = labels},
                  CONGRU_ERROR_FORMAT, "channels: expected strings");
    check_refused(&(column){.name = "meta", .dims = 1, .shape = {2}, .text = two}, CONGRU_ERROR_FORMAT,
                  "meta: expected one string");
    check_refused(&(column){.name = "session",
                            .dims = 1,
                            .shape = {TRIALS},
                            .integer = (const int64_t[]){0, 0, 0, INT64_C(1) << 31}},
                  CONGRU_ERROR_UNSUPPORTED, "session: 2147483648 at trial 4 does not fit 32 bits");
}

TEST(whole_numbers_may_be_floats)
{
    congru_set *set = NULL;
    write_with(&(column){
        .name = "run", .dims = 1, .shape = {TRIALS}, .real = (const double[]){3, 3, -2147483648.0, 7}});
    CHECK(congru_set_read(context, path_in("draft.npz"), &set) == CONGRU_OK);
    CHECK(set != NULL && set->run[0] == 3 && set->run[2] == INT32_MIN && set->run[3] == 7);
    congru_set_destroy(&set);
}

TEST(sizes_that_cannot_be_are_refused)
{
    check_refused(&(column){.name = "X", .dims = 3, .shape = {1, 513, 4}, .real = units},
                  CONGRU_ERROR_UNSUPPORTED, "X: 513 channels; at most 512 are read");
    check_refused(&(column){.name = "signals", .dims = 3, .shape = {TRIALS, 3, 2}, .real = units},
                  CONGRU_ERROR_FORMAT, "signals: X has 4 trials of 2 channels, these have shape (4, 3, 2)");
    check_refused(&(column){.name = "signals", .dims = 3, .shape = {3, 2, 2}, .real = units},
                  CONGRU_ERROR_FORMAT, "signals: X has 4 trials of 2 channels, these have shape (3, 2, 2)");
}

/* A measurement in the place of labels. */
TEST(too_many_classes_are_refused)
{
    static int64_t each[MANY];
    congru_npz_writer *w;
    congru_set *set = NULL;
    for (size_t i = 0; i < MANY; i++)
        each[i] = (int64_t)(i * i);
    const size_t shape[3] = {MANY, 2, 2};
    CHECK(congru_npz_create(context, path_in("many.npz"), &w) == CONGRU_OK);
    CHECK(congru_npz_add_real(context, w, "X", 3, shape, units, false) == CONGRU_OK);
    CHECK(congru_npz_add_integer(context, w, "y", 1, shape, each) == CONGRU_OK);
    CHECK(congru_npz_add_integer(context, w, "subject", 1, shape, each) == CONGRU_OK);
    CHECK(congru_npz_commit(context, &w) == CONGRU_OK);
    check_error(context, congru_set_read(context, path_in("many.npz"), &set), CONGRU_ERROR_UNSUPPORTED,
                "y: 1100 distinct values; at most 1024 classes are possible");
    CHECK(set == NULL);
}

/* ---- Sets made by hand --------------------------------------------------------------------------------- */

static congru_set *make_set(void)
{
    const set_recipe recipe = {.subjects = 3, .classes = 3, .per_class = 2, .d = 2, .effect = 0.3, .seed = 5};
    return sample_set(context, &recipe);
}

static void check_unwritten(const congru_set *set, const char *words)
{
    check_error(context, congru_set_write(context, path_in("hand.npz"), set), CONGRU_ERROR_ARGUMENT, words);
    FILE *file = fopen(path_in("hand.npz"), "rb");
    CHECK(file == NULL);
    if (file != NULL)
        fclose(file);
}

TEST(what_lacks_something_is_not_written)
{
    congru_set *set = make_set(), wrong = *set;
    wrong.count = 0;
    check_unwritten(&wrong, "cannot write: the set has no trials");
    wrong = *set;
    wrong.covariance = NULL;
    check_unwritten(&wrong, "cannot write: the set has neither covariances nor signals");
    wrong = *set;
    wrong.run = NULL;
    check_unwritten(&wrong, "cannot write: the set lacks labels, subjects, sessions or runs");
    wrong = *set;
    wrong.subject_name = NULL;
    check_unwritten(&wrong, "cannot write: the set lacks the names of its classes or subjects");
    congru_set_destroy(&set);
}

TEST(channels_need_no_names)
{
    congru_set *set = make_set(), nameless = *set, *read = NULL;
    nameless.channel_name = NULL;
    CHECK(congru_set_write(context, path_in("nameless.npz"), &nameless) == CONGRU_OK);
    CHECK(congru_set_read(context, path_in("nameless.npz"), &read) == CONGRU_OK);
    CHECK(read != NULL && read->count == set->count && read->channel_name[0][0] == '\0');
    congru_set_destroy(&read);
    congru_set_destroy(&set);
}

/* ---- Classes taken out --------------------------------------------------------------------------------- */

/* Trials with signals 10 i + k, those of the last subject all of class 0. */
static congru_set *make_signals(void)
{
    congru_set *set = make_set();
    set->samples = 3;
    set->signals = congru_memory_take(set->count * set->dimension * set->samples * sizeof(double));
    for (size_t i = 0; i < set->count; i++) {
        set->label[i] = set->subject[i] == 2 ? 0 : set->label[i];
        for (size_t k = 0; k < 6; k++)
            set->signals[i * 6 + k] = (double)(10 * i + k);
    }
    return set;
}

/* Classes 2 and 1 of `made`, as 0 and 1, with their signals; subject 2 has none. */
static void check_kept(const congru_set *kept, const congru_set *made)
{
    size_t next = 0;
    for (size_t i = 0; i < made->count; i++) {
        if (made->label[i] == 0)
            continue;
        CHECK(kept->label[next] == 2 - made->label[i] && kept->subject[next] == made->subject[i]);
        CHECK(memcmp(kept->signals + 6 * next, made->signals + 6 * i, 6 * sizeof(double)) == 0);
        CHECK(memcmp(kept->covariance + 4 * next, made->covariance + 4 * i, 4 * sizeof(double)) == 0);
        next++;
    }
    CHECK(next == 8 && kept->count == next && kept->classes == 2 && kept->subjects == 2);
    CHECK(strcmp(kept->class_name[0], made->class_name[2]) == 0);
    CHECK(strcmp(kept->subject_name[1], made->subject_name[1]) == 0);
}

TEST(signals_and_subjects_go_with_their_classes)
{
    congru_set *made = make_signals(), *kept = NULL;
    const char *names[] = {made->class_name[2], made->class_name[1], made->class_name[2]};
    CHECK(congru_set_write(context, path_in("made.npz"), made) == CONGRU_OK);
    for (int large = 0; large < 2; large++) {
        congru_mapped_set_limit(large ? 64 : 1 << 30);
        CHECK(congru_set_read(context, path_in("made.npz"), &kept) == CONGRU_OK);
        check_error(context, congru_set_keep_classes(context, kept, names, 3), CONGRU_ERROR_ARGUMENT,
                    "is named twice");
        check_error(context, congru_set_keep_classes(context, kept, names, 0), CONGRU_ERROR_ARGUMENT,
                    "no classes to keep are named");
        CHECK((congru_mapped_grow(kept->signals, 1) != NULL) == (large == 1));
        CHECK(congru_set_keep_classes(context, kept, names, 2) == CONGRU_OK);
        check_kept(kept, made);
        congru_set_destroy(&kept);
    }
    congru_mapped_set_limit(0);
    congru_set_destroy(&made);
}

TEST(sessions_are_kept)
{
    congru_set *set = make_signals();
    int32_t wanted[2] = {7, 3};
    size_t all = set->count, subjects = set->subjects;
    for (size_t i = 0; i < all; i++)
        set->session[i] = set->subject[i] == 0 ? 7 : 3 + (int32_t)(i % 2);
    check_error(context, congru_set_keep_sessions(context, set, wanted, 0), CONGRU_ERROR_ARGUMENT,
                "no sessions to keep are given");
    wanted[1] = 9;
    check_error(context, congru_set_keep_sessions(context, set, wanted, 2), CONGRU_ERROR_ARGUMENT,
                "there is no session 9 in the set");
    wanted[1] = 3;
    size_t left = 0;
    for (size_t i = 0; i < all; i++)
        left += set->session[i] != 4;
    CHECK(left < all);
    CHECK(congru_set_keep_sessions(context, set, wanted, 2) == CONGRU_OK);
    CHECK(set->count == left && set->subjects == subjects);
    for (size_t i = 0; i < set->count; i++)
        CHECK(set->session[i] == 7 || set->session[i] == 3);
    CHECK(congru_set_keep_sessions(context, set, wanted, 1) == CONGRU_OK && set->subjects == 1);
    congru_set_destroy(&set);
}

/* ---- Rank ---------------------------------------------------------------------------------------------- */

TEST(long_lists_of_channels_are_cut_short)
{
    double covariance[12 * 12] = {0}, norm = 0;
    for (size_t i = 0; i < 2; i++)
        covariance[i * 13] = 1;
    check_error(context, congru_covariance_check_rank(context, 1, 12, covariance, 0, NULL),
                CONGRU_ERROR_NOT_POSITIVE,
                "rank 2 of 12: channel 3, channel 4, channel 5, channel 6, channel 7, channel 8, channel 9, "
                "channel 10 and 2 more are flat");
    /* I - v v^T with v along (1, 2, ... 10): all ten channels are part of what is missing. */
    for (size_t i = 0; i < 10; i++)
        norm += (double)((i + 1) * (i + 1));
    for (size_t i = 0; i < 100; i++)
        covariance[i] = (i % 11 == 0) - (double)((i / 10 + 1) * (i % 10 + 1)) / norm;
    check_error(context, congru_covariance_check_rank(context, 1, 10, covariance, 0, NULL),
                CONGRU_ERROR_NOT_POSITIVE, "rank 9 of 10: ");
    CHECK(strstr(congru_context_error(context), "0.51 channel 10 ") != NULL);
    CHECK(strstr(congru_context_error(context), "0.153 channel 3 and 2 more channels has no variance") != NULL);
}

int main(void)
{
    return scratch_main(&context, NULL);
}
