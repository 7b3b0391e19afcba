/* Covariances of what electrodes measure with the scores of a branch. SPDX-License-Identifier: Apache-2.0 */
#include "evaluation/branch_look.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/number_text.h"
#include "base/scalar_math.h"
#include "spd/view_load.h"

/* The logarithm of a class that no trial was fitted on, or less. */
static const double impossible = -690;

static congru_status fail_memory(const congru_fold_case *fold)
{
    return congru_fail(fold->context, CONGRU_ERROR_MEMORY, "not enough memory for the pattern of %zu trials",
                       fold->test.count);
}

/* ---- Scores -------------------------------------------------------------------------------------------- */

/* Takes the mean of each domain off the columns of x (test, columns). */
static void centre_domains(const congru_fold_case *fold, size_t columns, double *x)
{
    const int32_t *domain = fold->materials->domains.of_trial;
    const size_t n = fold->test.count, *trial = fold->test.trial;
    int32_t last = -1; /* domains are numbered by their first trial */
    for (size_t i = 0; i < n; i++) {
        const int32_t own = domain[trial[i]];
        if (own <= last)
            continue;
        last = own;
        for (size_t j = 0; j < columns; j++) {
            double sum = 0;
            size_t count = 0;
            for (size_t t = i; t < n; t++)
                if (domain[trial[t]] == own) {
                    sum += x[t * columns + j];
                    count++;
                }
            for (size_t t = i; t < n; t++)
                if (domain[trial[t]] == own)
                    x[t * columns + j] -= sum / (double)count;
        }
    }
}

/* score (test, classes): log-probabilities without what all classes share, the mean of each domain taken off. A softmax
 * turns w x + b into these up to that term, so they are the linear scores. Classes that cannot be have 0. */
static void find_scores(const congru_fold_case *fold, size_t classes, const double *log_probability,
                        double *score)
{
    const size_t n = fold->test.count;
    for (size_t i = 0; i < n; i++) {
        const double *own = log_probability + i * classes;
        double sum = 0;
        size_t count = 0;
        for (size_t k = 0; k < classes; k++)
            if (own[k] > impossible) {
                sum += own[k];
                count++;
            }
        for (size_t k = 0; k < classes; k++)
            score[i * classes + k] = own[k] > impossible ? own[k] - sum / (double)count : 0;
    }
    centre_domains(fold, classes, score);
}

static double product_of(size_t n, size_t columns, const double *a, size_t other, const double *b)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += a[i * columns] * b[i * other];
    return sum;
}

/* ---- What was measured ----------------------------------------------------------------------------------- */

/* log(power) of each channel of the test trials in one block, as recorded: x (test, d). */
static congru_status measure_power(const congru_fold_case *fold, const congru_prepared *prepared, double *x)
{
    const size_t n = fold->test.count, d = prepared->d;
    const congru_view view = congru_prepared_view(prepared, false, fold->test.trial);
    double *own = congru_memory_take(n * d * d * sizeof *own);
    congru_status status = own != NULL ? congru_view_copy(fold->context, n, d, &view, own) : fail_memory(fold);
    for (size_t i = 0; status == CONGRU_OK && i < n; i++)
        for (size_t j = 0; j < d; j++)
            x[i * d + j] = congru_scalar_log(own[i * d * d + j * (d + 1)]);
    congru_memory_give(own);
    return status;
}

/* The means of each channel over each cell, as recorded: x (test, d, cells). */
static congru_status measure_signal(const congru_fold_case *fold, const congru_material *material,
                                    const congru_prepared *prepared, size_t cells, double *x)
{
    const congru_signals signals = congru_prepared_signals(prepared, false, fold->test.trial);
    const congru_target_trials trials = {.count = fold->test.count, .d = prepared->d, .signals = &signals};
    return material->branch->classifier->features(fold->context, &trials, &material->method,
                                                  prepared->d * cells, x);
}

/* ---- Where and when -------------------------------------------------------------------------------------- */

/* Into how many cells the classifier divides the time of a block, and how long each is; 0: the whole window. */
static size_t cells_of(const congru_material *material, const congru_prepared *prepared, double *seconds)
{
    const congru_classifier *classifier = material->branch->classifier;
    *seconds = 0;
    return classifier->cells != NULL ? classifier->cells(&prepared->signals, seconds) : 1;
}

/* The band and window of a block. */
static congru_status find_place(const congru_fold_case *fold, const congru_material *material, size_t block,
                                double band[2], double window[2])
{
    const congru_materials *m = fold->materials;
    const size_t product = m->prepared_product[material->block[block]];
    congru_preprocessing of_set;
    congru_status status = product < m->products
                               ? congru_set_signals_preprocessing(fold->context, m->set, &of_set)
                               : congru_set_preprocessing(fold->context, m->set, &of_set);
    if (status != CONGRU_OK)
        return status;
    const congru_preprocessing *own = product < m->products ? &m->product[product].description : &of_set;
    const double *found = own->band[1] > 0         ? own->band
                          : of_set.band[1] > 0     ? of_set.band
                          : of_set.filtered[1] > 0 ? of_set.filtered
                                                   : NULL;
    for (size_t i = 0; i < 2; i++) {
        band[i] = found != NULL ? found[i] : NAN;
        window[i] = of_set.window[1] > of_set.window[0] ? of_set.window[i] : NAN;
    }
    if (product < m->products) {
        window[0] = m->product[product].start;
        window[1] = window[0] + (double)m->product[product].samples / m->product[product].rate;
    }
    congru_preprocessing_clear(&of_set);
    return CONGRU_OK;
}

/* Which channel of the set channel `index` of a block is; SIZE_MAX where that is not known. */
static size_t channel_of(const congru_fold_case *fold, const congru_material *material, size_t block,
                         size_t index)
{
    const congru_materials *m = fold->materials;
    const size_t product = m->prepared_product[material->block[block]];
    const congru_preprocessing *own = product < m->products ? &m->product[product].description : NULL;
    if (own == NULL || own->channels == 0)
        return index;
    const char *name = own->channel_name[index];
    for (size_t i = 0; i < m->set->dimension; i++)
        if (strlen(name) == strlen(m->set->channel_name[i]) &&
            congru_same_letters(name, m->set->channel_name[i], strlen(name)))
            return i;
    return SIZE_MAX;
}

/* ---- Patterns -------------------------------------------------------------------------------------------- */

typedef struct look {
    const congru_fold_case *fold;
    const congru_material *material;
    size_t classes, channels;
    double *score;  /* (test, classes), centred */
    double *square; /* (classes): its sums of squares */
    congru_pattern *pattern;
} look;

/* Cov(x, s) / deviation(s) of one column of what was measured, for each class. */
static void set_values(const look *l, const double *x, size_t columns, size_t channel, double freedom,
                       congru_pattern_cell *cell)
{
    for (size_t k = 0; k < l->classes; k++) {
        const double scale = sqrt(l->square[k] * freedom);
        const double sum = product_of(l->fold->test.count, columns, x, l->classes, l->score + k);
        cell->value[k * l->channels + channel] = scale > 0 ? sum / scale : 0;
    }
}

static double freedom_of(const congru_fold_case *fold)
{
    const int32_t *domain = fold->materials->domains.of_trial;
    size_t domains = 0;
    int32_t last = -1;
    for (size_t i = 0; i < fold->test.count; i++)
        if (domain[fold->test.trial[i]] > last) {
            last = domain[fold->test.trial[i]];
            domains++;
        }
    return fold->test.count > domains ? (double)(fold->test.count - domains) : 1;
}

/* The cells of one block. */
static congru_status look_at_block(const look *l, size_t block, congru_pattern_cell *cell)
{
    const congru_fold_case *fold = l->fold;
    const congru_prepared *prepared = congru_material_block(fold->materials, l->material, block);
    double seconds, band[2] = {NAN, NAN}, window[2] = {NAN, NAN}, freedom = freedom_of(fold);
    const size_t cells = cells_of(l->material, prepared, &seconds), columns = prepared->d * cells;
    double *x = congru_memory_take((fold->test.count + 1) * columns * sizeof *x);
    congru_status status = x != NULL ? find_place(fold, l->material, block, band, window) : fail_memory(fold);
    if (status == CONGRU_OK)
        status = l->pattern->kind == CONGRU_PATTERN_POTENTIAL
                     ? measure_signal(fold, l->material, prepared, cells, x)
                     : measure_power(fold, prepared, x);
    if (status == CONGRU_OK)
        centre_domains(fold, columns, x);
    for (size_t c = 0; status == CONGRU_OK && c < cells; c++) {
        for (size_t i = 0; i < 2; i++) {
            cell[c].band[i] = band[i];
            cell[c].window[i] = seconds > 0 ? window[0] + (double)(c + i) * seconds : window[i];
        }
        for (size_t k = 0; k < l->classes; k++)
            for (size_t i = 0; i < l->channels; i++)
                cell[c].value[k * l->channels + i] = NAN;
        for (size_t i = 0; i < prepared->d; i++) {
            const size_t channel = channel_of(fold, l->material, block, i);
            if (channel < l->channels)
                set_values(l, x + i * cells + c, columns, channel, freedom, &cell[c]);
        }
    }
    congru_memory_give(x);
    return status;
}

/* Features of the test trials as they were asked about, where no rows are shared. */
static congru_status own_features(const look *l, const congru_method_options *method,
                                  const congru_fold_aligned *aligned, double **x)
{
    const congru_material *material = l->material;
    congru_status status = CONGRU_OK;
    *x = congru_memory_take((l->fold->test.count + 1) * material->features * sizeof **x);
    if (*x == NULL)
        return fail_memory(l->fold);
    for (size_t b = 0; status == CONGRU_OK && b < material->blocks; b++)
        status = material->branch->classifier->features(l->fold->context, &aligned->target[b].target, method,
                                                        material->features, *x + material->first[b]);
    return status;
}

/* centred (classes, features): weights without what all classes share. */
static void centre_weights(size_t classes, size_t features, const double *weights, double *centred)
{
    for (size_t j = 0; j < features; j++) {
        double sum = 0;
        for (size_t k = 0; k < classes; k++)
            sum += weights[k * features + j];
        for (size_t k = 0; k < classes; k++)
            centred[k * features + j] = weights[k * features + j] - sum / (double)classes;
    }
}

/* The shares of the cells of a block: the covariance of what a cell adds to a score with the score. */
static void set_shares(const look *l, size_t block, size_t cells, const double *weights,
                       const congru_features *rows, double whole, congru_pattern_cell *cell)
{
    const congru_material *material = l->material;
    const size_t first = material->first[block],
                 end = block + 1 < material->blocks ? material->first[block + 1] : material->features;
    for (size_t i = 0; i < l->fold->test.count; i++) {
        const double *x = congru_features_at(rows, i);
        for (size_t k = 0; k < l->classes; k++) {
            const double *w = weights + k * material->features;
            for (size_t c = 0; c < cells; c++) {
                double added = 0;
                for (size_t j = first + c; j < end; j += cells)
                    added += w[j] * x[j];
                cell[c].share[k] += added * l->score[i * l->classes + k];
            }
        }
    }
    for (size_t c = 0; c < cells; c++)
        for (size_t k = 0; k < l->classes; k++)
            cell[c].share[k] = whole > 0 ? cell[c].share[k] / whole : 0;
}

/* The rows that were asked about, and the weights that they were asked with. */
static congru_status look_at_features(const look *l, const congru_method_options *method,
                                      const congru_fold_aligned *aligned, const double *weights, double whole)
{
    const congru_material *material = l->material;
    const congru_fold_case *fold = l->fold;
    const size_t features = material->features;
    size_t at = 0;
    double seconds, *x = NULL, *centred = malloc(l->classes * features * sizeof *centred);
    congru_features rows = {.plain = material->feature, .place = fold->test.trial, .size = features};
    congru_status status = centred != NULL ? CONGRU_OK : fail_memory(fold);
    if (status == CONGRU_OK && !congru_branch_shares(fold, material)) {
        status = own_features(l, method, aligned, &x);
        rows = (congru_features){.plain = x, .size = features};
    }
    if (status == CONGRU_OK)
        centre_weights(l->classes, features, weights, centred);
    for (size_t b = 0; status == CONGRU_OK && b < material->blocks; b++) {
        const size_t cells = cells_of(material, congru_material_block(fold->materials, material, b), &seconds);
        set_shares(l, b, cells, centred, &rows, whole, l->pattern->cell + at);
        at += cells;
    }
    free(centred);
    congru_memory_give(x);
    return status;
}

static congru_status look_at_shares(const look *l, const congru_method_options *method,
                                    const congru_fold_aligned *aligned, const congru_tensors *model)
{
    const congru_material *material = l->material;
    double whole = 0;
    for (size_t k = 0; k < l->classes; k++)
        whole += l->square[k];
    if (material->features == 0) { /* one block is one cell */
        for (size_t k = 0; k < l->classes; k++)
            l->pattern->cell[0].share[k] = whole > 0 ? l->square[k] / whole : 0;
        return CONGRU_OK;
    }
    size_t shape[2] = {l->classes, material->features};
    const double *weights;
    char name[CONGRU_TENSOR_NAME_SIZE];
    snprintf(name, sizeof name, "%s.weights", material->branch->classifier->name);
    congru_status status = congru_tensors_expect(l->fold->context, model, name, 2, shape, &weights);
    return status == CONGRU_OK ? look_at_features(l, method, aligned, weights, whole) : status;
}

static congru_status look_at_all(look *l, const congru_method_options *method,
                                 const congru_fold_aligned *aligned, const congru_tensors *model)
{
    size_t cells = 0, at = 0;
    double seconds;
    for (size_t b = 0; b < l->material->blocks; b++)
        cells += cells_of(l->material, congru_material_block(l->fold->materials, l->material, b), &seconds);
    congru_status status = congru_pattern_reserve(l->fold->context, l->pattern, cells, l->classes, l->channels);
    for (size_t b = 0; status == CONGRU_OK && b < l->material->blocks; b++) {
        status = look_at_block(l, b, l->pattern->cell + at);
        at += cells_of(l->material, congru_material_block(l->fold->materials, l->material, b), &seconds);
    }
    return status == CONGRU_OK ? look_at_shares(l, method, aligned, model) : status;
}

congru_status congru_branch_look(const congru_fold_case *fold, const congru_material *material,
                                 const congru_method_options *method, congru_fold_aligned *aligned,
                                 const congru_tensors *model, const double *log_probability,
                                 congru_pattern *pattern)
{
    const congru_set *set = fold->materials->set;
    const size_t n = fold->test.count;
    look l = {.fold = fold,
              .material = material,
              .classes = set->classes,
              .channels = set->dimension,
              .score = malloc((n + 1) * set->classes * sizeof(double)),
              .square = calloc(set->classes, sizeof(double)),
              .pattern = pattern};
    *pattern = (congru_pattern){.kind = material->branch->classifier->needs == CONGRU_NEEDS_SIGNALS
                                            ? CONGRU_PATTERN_POTENTIAL
                                            : CONGRU_PATTERN_POWER,
                                .part = 1,
                                .subjects = 1};
    congru_status status = l.score != NULL && l.square != NULL ? CONGRU_OK : fail_memory(fold);
    if (status == CONGRU_OK) {
        find_scores(fold, l.classes, log_probability, l.score);
        for (size_t k = 0; k < l.classes; k++)
            l.square[k] = product_of(n, l.classes, l.score + k, l.classes, l.score + k);
        status = look_at_all(&l, method, aligned, model);
    }
    free(l.score);
    free(l.square);
    return status;
}

congru_status congru_branches_part(const congru_fold_case *fold, size_t branches,
                                   const double *const *log_probability, const double *weight, double *part)
{
    const size_t n = fold->test.count, classes = fold->materials->set->classes, numbers = n * classes;
    double *all = calloc(numbers + 1, sizeof *all), *own = malloc((numbers + 1) * sizeof *own), whole = 0;
    congru_status status = all != NULL && own != NULL ? CONGRU_OK : fail_memory(fold);
    for (size_t b = 0; status == CONGRU_OK && b < branches; b++) {
        find_scores(fold, classes, log_probability[b], own);
        for (size_t i = 0; i < numbers; i++)
            all[i] += weight[b] * own[i];
    }
    if (status == CONGRU_OK)
        whole = product_of(numbers, 1, all, 1, all);
    for (size_t b = 0; status == CONGRU_OK && b < branches; b++) {
        find_scores(fold, classes, log_probability[b], own);
        part[b] = whole > 0 ? weight[b] * product_of(numbers, 1, own, 1, all) / whole : 1 / (double)branches;
    }
    free(all);
    free(own);
    return status;
}
