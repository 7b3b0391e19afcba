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

/* ---- Scores -------------------------------------------------------------------------------------------- */

/* Takes the mean of each domain off the columns of x (test, columns). */
static void centre_domains(const congru_materials *m, congru_trial_list test, size_t columns, double *x)
{
    const int32_t *domain = m->domains.of_trial;
    const size_t n = test.count, *trial = test.trial;
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
static void find_scores(const congru_materials *m, congru_trial_list test, const double *log_probability,
                        double *score)
{
    const size_t classes = m->set->classes;
    for (size_t i = 0; i < test.count; i++) {
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
    centre_domains(m, test, classes, score);
}

static double product_of(size_t n, size_t columns, const double *a, size_t other, const double *b)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += a[i * columns] * b[i * other];
    return sum;
}

/* ---- What was measured ----------------------------------------------------------------------------------- */

typedef struct look {
    const congru_executor *executor;
    const congru_material *material;
    congru_trial_list test;
    size_t classes, channels;
    double *score;  /* (test, classes), centred */
    double *square; /* (classes): its sums of squares */
    congru_pattern *pattern;
} look;

/* log(power) of each channel of the test trials in one block, as recorded: x (test, d). */
static congru_status measure_power(const look *l, const congru_prepared *prepared, double *x)
{
    const size_t n = l->test.count, d = prepared->d;
    const congru_view view = congru_prepared_view(prepared, false, l->test.trial);
    congru_context *context = l->executor->context;
    double *own;
    CONGRU_TRY(congru_take(context, &own, n * d * d, sizeof *own, "the pattern of %zu trials", n));
    const congru_status status = congru_view_copy(context, n, d, &view, own);
    for (size_t i = 0; status == CONGRU_OK && i < n; i++)
        for (size_t j = 0; j < d; j++)
            x[i * d + j] = congru_scalar_log(own[i * d * d + j * (d + 1)]);
    congru_memory_give(own);
    return status;
}

/* The means of each channel over each cell, as recorded: x (test, d, cells). */
static congru_status measure_signal(const look *l, const congru_prepared *prepared, size_t cells, double *x)
{
    const congru_signals signals = congru_prepared_signals(prepared, false, l->test.trial);
    const congru_target_trials trials = {.count = l->test.count, .d = prepared->d, .signals = &signals};
    return l->material->branch->classifier->features(l->executor->context, &trials, &l->material->method,
                                                     prepared->d * cells, x);
}

/* ---- Where and when -------------------------------------------------------------------------------------- */

/* Into how many cells the classifier divides the time of a block, and how long each is; 0: the whole window. */
static size_t cells_of(const congru_material *material, size_t block, double *seconds)
{
    const congru_classifier *classifier = material->branch->classifier;
    *seconds = 0;
    return classifier->cells != NULL ? classifier->cells(&material->block[block]->signals, seconds) : 1;
}

/* The band and window of a block. */
static congru_status find_place(congru_context *context, const congru_set *set, const congru_product *product,
                                double band[2], double window[2])
{
    congru_preprocessing of_set;
    CONGRU_TRY(product != NULL ? congru_set_signals_preprocessing(context, set, &of_set)
                               : congru_set_preprocessing(context, set, &of_set));
    const congru_preprocessing *own = product != NULL ? &product->description : &of_set;
    const double *found = own->band[1] > 0         ? own->band
                          : of_set.band[1] > 0     ? of_set.band
                          : of_set.filtered[1] > 0 ? of_set.filtered
                                                   : NULL;
    for (size_t i = 0; i < 2; i++) {
        band[i] = found != NULL ? found[i] : NAN;
        window[i] = of_set.window[1] > of_set.window[0] ? of_set.window[i] : NAN;
    }
    if (product != NULL) {
        window[0] = product->start;
        window[1] = window[0] + (double)product->samples / product->rate;
    }
    congru_preprocessing_clear(&of_set);
    return CONGRU_OK;
}

/* Which channel of the set channel `index` of a block is; SIZE_MAX where that is not known. */
static size_t channel_of(const congru_set *set, const congru_product *product, size_t index)
{
    if (product == NULL || product->description.channels == 0)
        return index;
    const char *name = product->description.channel_name[index];
    for (size_t i = 0; i < set->dimension; i++)
        if (strlen(name) == strlen(set->channel_name[i]) &&
            congru_same_letters(name, set->channel_name[i], strlen(name)))
            return i;
    return SIZE_MAX;
}

/* ---- Patterns -------------------------------------------------------------------------------------------- */

/* Cov(x, s) / deviation(s) of one column of what was measured, for each class. */
static void set_values(const look *l, const double *x, size_t columns, size_t channel, double freedom,
                       congru_pattern_cell *cell)
{
    for (size_t k = 0; k < l->classes; k++) {
        const double scale = sqrt(l->square[k] * freedom);
        const double sum = product_of(l->test.count, columns, x, l->classes, l->score + k);
        cell->value[k * l->channels + channel] = scale > 0 ? sum / scale : 0;
    }
}

static double freedom_of(const look *l)
{
    const int32_t *domain = l->executor->materials->domains.of_trial;
    size_t domains = 0;
    int32_t last = -1;
    for (size_t i = 0; i < l->test.count; i++)
        if (domain[l->test.trial[i]] > last) {
            last = domain[l->test.trial[i]];
            domains++;
        }
    return l->test.count > domains ? (double)(l->test.count - domains) : 1;
}

/* What was measured of a block (test, d, cells) goes to its cells. */
static void fill_cells(const look *l, size_t block, size_t cells, const double *x, congru_pattern_cell *cell)
{
    const congru_prepared *prepared = l->material->block[block];
    const double freedom = freedom_of(l);
    for (size_t c = 0; c < cells; c++) {
        for (size_t i = 0; i < l->classes * l->channels; i++)
            cell[c].value[i] = NAN;
        for (size_t i = 0; i < prepared->d; i++) {
            const size_t channel = channel_of(prepared->set, prepared->product, i);
            if (channel < l->channels)
                set_values(l, x + i * cells + c, prepared->d * cells, channel, freedom, &cell[c]);
        }
    }
}

/* The cells of one block. */
static congru_status look_at_block(const look *l, size_t block, congru_pattern_cell *cell)
{
    const congru_prepared *prepared = l->material->block[block];
    congru_context *context = l->executor->context;
    double seconds, band[2], window[2], *x;
    const size_t n = l->test.count, cells = cells_of(l->material, block, &seconds),
                 columns = prepared->d * cells;
    congru_status status;
    CONGRU_TRY(find_place(context, prepared->set, prepared->product, band, window));
    CONGRU_TRY(congru_take(context, &x, n * columns, sizeof *x, "the pattern of %zu trials", n));
    CONGRU_TRY_TO(done, l->pattern->kind == CONGRU_PATTERN_POTENTIAL ? measure_signal(l, prepared, cells, x)
                                                                     : measure_power(l, prepared, x));
    centre_domains(l->executor->materials, l->test, columns, x);
    for (size_t c = 0; c < cells; c++)
        for (size_t i = 0; i < 2; i++) {
            cell[c].band[i] = band[i];
            cell[c].window[i] = seconds > 0 ? window[0] + (double)(c + i) * seconds : window[i];
        }
    fill_cells(l, block, cells, x, cell);
done:
    congru_memory_give(x);
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
    for (size_t i = 0; i < l->test.count; i++) {
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
static congru_status look_at_features(const look *l, const congru_aligned *aligned, const double *weights,
                                      double whole)
{
    const congru_material *m = l->material;
    congru_context *context = l->executor->context;
    const size_t features = m->features, n = l->test.count;
    double seconds, *x = NULL, *centred = NULL;
    congru_features rows = {.plain = m->feature, .place = l->test.trial, .size = features};
    congru_status status;
    CONGRU_TRY_TO(done, congru_allocate(context, &centred, l->classes * features, sizeof *centred,
                                        "the pattern of %zu trials", n));
    if (!congru_asks_shared(l->executor, m)) {
        const congru_asked asked = congru_asked_last(m, aligned);
        CONGRU_TRY_TO(done, congru_take(context, &x, n * features, sizeof *x, "the pattern of %zu trials", n));
        CONGRU_TRY_TO(done, congru_branch_features(context, m->branch, &m->method, &asked, x));
        rows = (congru_features){.plain = x, .size = features};
    }
    centre_weights(l->classes, features, weights, centred);
    for (size_t b = 0, at = 0; b < m->blocks; b++) {
        const size_t cells = cells_of(m, b, &seconds);
        set_shares(l, b, cells, centred, &rows, whole, l->pattern->cell + at);
        at += cells;
    }
done:
    free(centred);
    congru_memory_give(x);
    return status;
}

static congru_status look_at_shares(const look *l, const congru_aligned *aligned, const congru_tensors *fitted)
{
    const congru_material *m = l->material;
    double whole = 0;
    for (size_t k = 0; k < l->classes; k++)
        whole += l->square[k];
    if (m->features == 0) { /* one block is one cell */
        for (size_t k = 0; k < l->classes; k++)
            l->pattern->cell[0].share[k] = whole > 0 ? l->square[k] / whole : 0;
        return CONGRU_OK;
    }
    size_t shape[2] = {l->classes, m->features};
    const double *weights;
    char name[CONGRU_TENSOR_NAME_SIZE];
    snprintf(name, sizeof name, "%s.weights", m->branch->classifier->name);
    CONGRU_TRY(congru_tensors_expect(l->executor->context, fitted, name, 2, shape, &weights));
    return look_at_features(l, aligned, weights, whole);
}

static congru_status look_at_all(const look *l, const congru_aligned *aligned, const congru_tensors *fitted)
{
    size_t cells = 0, at = 0;
    double seconds;
    for (size_t b = 0; b < l->material->blocks; b++)
        cells += cells_of(l->material, b, &seconds);
    CONGRU_TRY(congru_pattern_reserve(l->executor->context, l->pattern, cells, l->classes, l->channels));
    for (size_t b = 0; b < l->material->blocks; b++) {
        CONGRU_TRY(look_at_block(l, b, l->pattern->cell + at));
        at += cells_of(l->material, b, &seconds);
    }
    return look_at_shares(l, aligned, fitted);
}

congru_status congru_branch_look(const congru_executor *executor, const congru_material *material,
                                 const congru_tensors *fitted, congru_trial_list test,
                                 const congru_aligned *aligned, const double *log_probability,
                                 congru_pattern *pattern)
{
    const congru_set *set = executor->materials->set;
    const size_t n = test.count, classes = set->classes;
    const bool signals = material->branch->classifier->needs == CONGRU_NEEDS_SIGNALS;
    look l = {.executor = executor,
              .material = material,
              .test = test,
              .classes = classes,
              .channels = set->dimension,
              .pattern = pattern};
    congru_status status;
    *pattern = (congru_pattern){
        .kind = signals ? CONGRU_PATTERN_POTENTIAL : CONGRU_PATTERN_POWER, .part = 1, .subjects = 1};
    CONGRU_TRY_TO(done, congru_allocate(executor->context, &l.score, n * classes, sizeof *l.score,
                                        "the pattern of %zu trials", n));
    CONGRU_TRY_TO(done, congru_allocate(executor->context, &l.square, classes, sizeof *l.square,
                                        "the pattern of %zu trials", n));
    find_scores(executor->materials, test, log_probability, l.score);
    for (size_t k = 0; k < classes; k++)
        l.square[k] = product_of(n, classes, l.score + k, classes, l.score + k);
    status = look_at_all(&l, aligned, fitted);
done:
    free(l.score);
    free(l.square);
    return status;
}

congru_status congru_branches_part(const congru_executor *executor, congru_trial_list test, size_t branches,
                                   const double *const *log_probability, const double *weight, double *part)
{
    const congru_materials *m = executor->materials;
    const size_t numbers = test.count * m->set->classes;
    double *all, *own;
    CONGRU_TRY(congru_allocate(executor->context, &all, 2 * numbers, sizeof *all, "the pattern of %zu trials",
                               test.count));
    own = all + numbers;
    for (size_t b = 0; b < branches; b++) {
        find_scores(m, test, log_probability[b], own);
        for (size_t i = 0; i < numbers; i++)
            all[i] += weight[b] * own[i];
    }
    const double whole = product_of(numbers, 1, all, 1, all);
    for (size_t b = 0; b < branches; b++) {
        find_scores(m, test, log_probability[b], own);
        part[b] = whole > 0 ? weight[b] * product_of(numbers, 1, own, 1, all) / whole : 1 / (double)branches;
    }
    free(all);
    return CONGRU_OK;
}
