/* The C of logistic regression, by leaving out one subject at a time. SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/mapped_memory.h"
#include "base/scalar_math.h"
#include "base/workspace.h"
#include "classifier/dense_factor.h"
#include "classifier/linear.h"
#include "classifier/logistic.h"

/* Ascending, so that of equals the smaller is found first. */
static const double grid[] = {1e-4, 3e-4, 1e-3, 3e-3, 1e-2, 3e-2, 0.1, 0.3, 1.0, 3.0, 10.0};
enum { GRID = sizeof grid / sizeof grid[0], GRID_ONE = 8 };

/* Without a subject the minimum is near that of all trials, where the iteration begins. At this share of the first
 * gradient labels are those of the minimum, but for trials that lie between two classes. */
static const double fold_share = 3e-4;

typedef struct search {
    congru_context *context;
    congru_logistic *problem;
    const congru_class_table *table;
    const congru_logistic_set *set;
    size_t *left;                /* (classes), trials of each class without the subject */
    double *path;                /* (GRID, rows, stride): the minimum for all trials, for each C */
    double *w;                   /* (rows, stride) */
    double *weights, *intercept; /* (classes, features), (classes) */
    double *score;               /* (classes) */
    double accuracy[GRID], loss[GRID];
    congru_logistic_info info[GRID];
} search;

static void search_layout(congru_arena *arena, search *s)
{
    const size_t size = s->problem->rows * congru_dense_stride(s->problem->features),
                 classes = s->table->classes;
    s->left = congru_arena_take(arena, classes, sizeof *s->left);
    s->path = congru_arena_take(arena, GRID * size, sizeof(double));
    s->w = congru_arena_take(arena, size, sizeof(double));
    s->weights = congru_arena_take(arena, classes * s->set->features, sizeof(double));
    s->intercept = congru_arena_take(arena, classes, sizeof(double));
    s->score = congru_arena_take(arena, classes, sizeof(double));
}

/* Adds the share of the subject's trials that w gets right, and their mean loss. */
static void judge(search *s, int32_t subject, size_t c)
{
    const congru_logistic_set *set = s->set;
    const size_t classes = s->table->classes;
    size_t right = 0, count = 0;
    double loss = 0.0;
    congru_logistic_unpack(s->problem, s->table, s->w, s->weights, s->intercept);
    for (size_t i = 0; i < set->n; i++) {
        if (set->subject[i] != subject)
            continue;
        size_t best = 0;
        congru_mapped_pass(set->features * sizeof(double));
        congru_linear_score(set->features, set->x + i * set->features, classes, s->weights, s->intercept,
                            s->score);
        for (size_t k = 1; k < classes; k++)
            best = s->score[k] > s->score[best] ? k : best;
        right += best == (size_t)set->label[i];
        count++;
        congru_softmax(classes, s->score);
        const double own = s->score[set->label[i]];
        loss -= congru_scalar_log(own > 1e-300 ? own : 1e-300);
    }
    s->accuracy[c] += (double)right / (double)count;
    s->loss[c] += loss / (double)count;
}

/* Whether the subject has trials, and every class has some without them. */
static bool can_be_left_out(search *s, int32_t subject)
{
    bool any = false;
    memcpy(s->left, s->table->count, s->table->classes * sizeof *s->left);
    for (size_t i = 0; i < s->set->n; i++) {
        if (s->set->subject[i] == subject) {
            s->left[s->set->label[i]]--;
            any = true;
        }
    }
    for (size_t k = 0; k < s->table->classes; k++)
        if (s->table->count[k] > 0 && s->left[k] == 0)
            return false;
    return any;
}

/* All subjects for one C: the preconditioner of all trials does for each of them. */
static congru_status try_c(search *s, size_t c, congru_logistic_stop stop, size_t *folds)
{
    const size_t size = s->problem->rows * congru_dense_stride(s->problem->features);
    double *all = s->path + c * size;
    memcpy(all, c > 0 ? all - size : s->w, size * sizeof(double));
    congru_logistic_precondition(s->context, grid[c], s->problem);
    congru_logistic_weigh(grid[c], s->set->subject, -1, s->problem);
    congru_status status = congru_logistic_minimise(s->context, s->problem, stop, all, &s->info[c]);
    const congru_logistic_stop loose = {stop.gradient, fold_share, stop.iterations_max};
    *folds = 0;
    for (size_t subject = 0; subject < s->set->subjects && status == CONGRU_OK; subject++) {
        if (!can_be_left_out(s, (int32_t)subject))
            continue;
        memcpy(s->w, all, size * sizeof(double));
        congru_logistic_weigh(grid[c], s->set->subject, (int32_t)subject, s->problem);
        status = congru_logistic_minimise(s->context, s->problem, loose, s->w, NULL);
        judge(s, (int32_t)subject, c);
        ++*folds;
    }
    return status;
}

static congru_status search_grid(search *s, congru_logistic_stop stop, double *w, congru_logistic_info *info)
{
    const size_t size = s->problem->rows * congru_dense_stride(s->problem->features);
    congru_status status = CONGRU_OK;
    size_t best = 0, folds = 0;
    memset(s->w, 0, size * sizeof(double));
    for (size_t c = 0; c < GRID && status == CONGRU_OK; c++) {
        status = try_c(s, c, stop, &folds);
        if (s->accuracy[c] > s->accuracy[best] ||
            (s->accuracy[c] == s->accuracy[best] && s->loss[c] < s->loss[best]))
            best = c;
    }
    if (folds == 0) {
        best = GRID_ONE;
        congru_note(s->context,
                    "C cannot be chosen by leaving out subjects, for a class would have no trial: it is %g",
                    grid[best]);
    }
    memcpy(w, s->path + best * size, size * sizeof(double));
    *info = s->info[best];
    info->c = grid[best];
    return status;
}

congru_status congru_logistic_select(congru_context *context, congru_logistic *problem,
                                     const congru_class_table *table, const congru_logistic_set *set,
                                     congru_logistic_stop stop, double *w, congru_logistic_info *info)
{
    search s = {.context = context, .problem = problem, .table = table, .set = set};
    congru_arena arena = {0};
    search_layout(&arena, &s);
    if (congru_arena_reserve(&arena, arena.used) != CONGRU_OK)
        return congru_fail(context, CONGRU_ERROR_MEMORY, "no memory to choose C for %zu trials", set->n);
    search_layout(&arena, &s);
    congru_status status = search_grid(&s, stop, w, info);
    return congru_workspace_free(context, &arena, status);
}
