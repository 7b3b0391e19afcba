/* Aligns, fits and asks branches. SPDX-License-Identifier: Apache-2.0 */
#include "evaluation/fit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "spd/view_load.h"

congru_executor congru_executor_make(congru_context *context, const congru_materials *materials,
                                     const congru_evaluation_options *options)
{
    const bool inside = options->protocol == CONGRU_PROTOCOL_FOLDS;
    return (congru_executor){.context = context,
                             .materials = materials,
                             .own_references = inside,
                             .target = inside ? CONGRU_TARGET_NONE : options->target};
}

/* ---- What is aligned -------------------------------------------------------------------------------------- */

static void clear_target(congru_aligned *a)
{
    for (size_t b = 0; b < CONGRU_BLOCKS_MAX; b++) {
        congru_memory_give(a->block[b].covariance);
        congru_memory_give(a->block[b].signal);
        a->block[b] = (congru_target_block){0};
        a->target[b] = (congru_target_trials){0};
    }
    free(a->trial);
    free(a->calibrated);
    free(a->place);
    free(a->known);
    a->trial = a->place = NULL;
    a->calibrated = NULL;
    a->known = NULL;
}

void congru_aligned_clear(congru_aligned *a)
{
    clear_target(a);
    for (size_t b = 0; b < CONGRU_BLOCKS_MAX; b++) {
        congru_memory_give(a->source[b].covariance);
        free(a->source[b].root);
        free(a->source[b].owner);
        a->source[b] = (congru_source_block){0};
    }
    free(a->label);
    free(a->subject);
    a->label = a->subject = NULL;
    congru_tensors_clear(&a->tensors);
    congru_record_clear(&a->record);
    a->material = NULL;
    a->seconds = 0;
}

/* Nothing is made of the trials fitted on before a classifier reads them, which takes them where they are. */
static bool takes_views(const congru_material *m)
{
    const congru_aligner *aligner = m->branch->aligner;
    const congru_classifier *classifier = m->branch->classifier;
    return classifier->views && classifier->features == NULL && aligner->fit == NULL &&
           aligner->map_sources == NULL;
}

bool congru_aligned_alike(const congru_material *a, const congru_material *b)
{
    return congru_same_but_c(&a->method, &b->method) && a->branch->aligner == b->branch->aligner &&
           a->blocks == b->blocks && memcmp(a->block, b->block, a->blocks * sizeof a->block[0]) == 0 &&
           (a->feature != NULL) == (b->feature != NULL) && (a->features > 0) == (b->features > 0) &&
           takes_views(a) == takes_views(b);
}

static bool reads_signals(const congru_material *m)
{
    return m->branch->classifier->needs == CONGRU_NEEDS_SIGNALS;
}

static void name_prior(char name[CONGRU_TENSOR_NAME_SIZE], size_t block)
{
    snprintf(name, CONGRU_TENSOR_NAME_SIZE, "prior.%zu", block);
}

/* ---- Trials fitted on -------------------------------------------------------------------------------------- */

/* Labels and subjects: those that are fitted on are numbered anew, in the order of the set. */
static congru_status list_trials(const congru_executor *e, const congru_material *m, congru_trial_list train,
                                 congru_aligned *a)
{
    const congru_set *set = e->materials->set;
    const size_t n = train.count;
    size_t subjects = 0;
    int32_t *number;
    CONGRU_TRY(congru_allocate(e->context, &a->label, n, sizeof *a->label, "%zu trials", n));
    CONGRU_TRY(congru_allocate(e->context, &a->subject, n, sizeof *a->subject, "%zu trials", n));
    CONGRU_TRY(congru_allocate(e->context, &number, set->subjects, sizeof *number, "%zu trials", n));
    for (size_t i = 0; i < n; i++)
        number[set->subject[train.trial[i]]] = 1;
    for (size_t k = 0; k < set->subjects; k++)
        number[k] = number[k] > 0 ? (int32_t)subjects++ : -1;
    for (size_t i = 0; i < n; i++) {
        a->label[i] = set->label[train.trial[i]];
        a->subject[i] = number[set->subject[train.trial[i]]];
    }
    free(number);
    for (size_t b = 0; b < m->blocks; b++)
        a->source[b].trials = (congru_trials){.count = n,
                                              .d = m->block[b]->d,
                                              .label = a->label,
                                              .subject = a->subject,
                                              .classes = set->classes,
                                              .class_name = (const char(*)[CONGRU_LABEL_SIZE])set->class_name,
                                              .subjects = subjects};
    return CONGRU_OK;
}

/* The mean of the references that these trials were recentred by, all trials of their domains being seen. */
static congru_status find_prior(const congru_executor *e, const congru_prepared *p, congru_trial_list train,
                                double *prior)
{
    const size_t size = p->d * p->d, domains = p->domains->count;
    size_t references = 0;
    double *reference = NULL;
    bool *used = NULL;
    congru_status status;
    CONGRU_TRY_TO(done, congru_allocate(e->context, &reference, domains * size, sizeof *reference,
                                        "%zu references", domains));
    CONGRU_TRY_TO(done, congru_allocate(e->context, &used, domains, sizeof *used, "%zu references", domains));
    for (size_t i = 0; i < train.count; i++)
        used[p->domains->of_trial[train.trial[i]]] = true;
    for (size_t k = 0; k < domains; k++)
        if (used[k])
            memcpy(reference + references++ * size, p->reference + k * size, size * sizeof *reference);
    status = congru_recentre_prior(e->context, references, p->d, reference, prior);
done:
    free(reference);
    free(used);
    return status;
}

/* The trials recentred by a reference of their own, which becomes the prior. */
static congru_status recentre_by_own(const congru_executor *e, const congru_material *m, size_t block,
                                     congru_source_block *s, double *prior)
{
    const congru_prepared *p = m->block[block];
    const congru_recentring *recentring = m->branch->aligner->recentring;
    const size_t n = s->trials.count, trials = e->materials->set->count;
    CONGRU_TRY(recentring->references(e->context, &m->method, &s->trials, prior));
    if (p->needs != CONGRU_NEEDS_SIGNALS)
        return congru_recentre_sources(e->context, &s->trials, prior, s->covariance);
    CONGRU_TRY(congru_allocate(e->context, &s->root, p->d * p->d, sizeof *s->root, "%zu trials", n));
    CONGRU_TRY(congru_allocate(e->context, &s->owner, trials, sizeof *s->owner, "%zu trials", n));
    s->signals.root = s->root;
    s->signals.owner = s->owner;
    return congru_spd_invsqrt(e->context, 1, p->d, prior, s->root);
}

static congru_status gather_sources(const congru_executor *e, const congru_material *m, size_t block,
                                    congru_trial_list train, congru_source_block *s)
{
    const congru_prepared *p = m->block[block];
    const bool recentres = m->branch->aligner->recentring != NULL, shared = recentres && !e->own_references;
    if (reads_signals(m)) {
        s->signals = congru_prepared_signals(p, shared, train.trial);
        s->trials.signals = &s->signals;
        return CONGRU_OK;
    }
    s->view = congru_prepared_view(p, shared, train.trial);
    if (takes_views(m) && shared == recentres) {
        s->trials.view = &s->view;
        return CONGRU_OK;
    }
    CONGRU_TRY(congru_take(e->context, &s->covariance, train.count * p->d * p->d, sizeof(double), "%zu trials",
                           train.count));
    s->trials.covariance = s->covariance;
    return congru_view_copy(e->context, train.count, p->d, &s->view, s->covariance);
}

/* One block: what the shared features do not make needless. */
static congru_status align_block(const congru_executor *e, const congru_material *m, size_t block,
                                 congru_trial_list train, bool records, congru_aligned *a)
{
    const congru_prepared *p = m->block[block];
    const congru_aligner *aligner = m->branch->aligner;
    const size_t shape[2] = {p->d, p->d};
    const bool gathers = m->feature == NULL;
    congru_source_block *s = &a->source[block];
    char name[CONGRU_TENSOR_NAME_SIZE];
    double *prior;
    if (gathers)
        CONGRU_TRY(gather_sources(e, m, block, train, s));
    if (aligner->recentring != NULL && (e->keeps_priors || e->target != CONGRU_TARGET_FULL)) {
        name_prior(name, block);
        CONGRU_TRY(congru_tensors_add(e->context, &a->tensors, name, 2, shape, &prior));
        CONGRU_TRY(e->own_references && gathers ? recentre_by_own(e, m, block, s, prior)
                                                : find_prior(e, p, train, prior));
    }
    return gathers ? congru_branch_align(e->context, aligner, &s->trials, s->covariance, &m->method,
                                         &a->tensors, records ? &a->record : NULL)
                   : CONGRU_OK;
}

congru_status congru_align(const congru_executor *e, const congru_material *m, congru_trial_list train,
                           bool records, congru_aligned *a)
{
    if (a->material != NULL && congru_aligned_alike(a->material, m))
        return CONGRU_OK;
    const double start = congru_seconds();
    congru_aligned_clear(a);
    CONGRU_TRY(list_trials(e, m, train, a));
    for (size_t b = 0; b < m->blocks; b++)
        CONGRU_TRY(align_block(e, m, b, train, records, a));
    a->material = m;
    a->seconds = congru_seconds() - start;
    return CONGRU_OK;
}

/* On rows that all fits share, or on those of these trials. */
static congru_status fit_features(const congru_executor *e, const congru_material *m,
                                  const congru_method_options *method, congru_trial_list train,
                                  const congru_aligned *a, congru_tensors *fitted, congru_record *record)
{
    const congru_classifier *classifier = m->branch->classifier;
    congru_features rows = {.plain = m->feature, .place = train.trial, .size = m->features};
    congru_target_trials block[CONGRU_BLOCKS_MAX];
    double *x = NULL;
    congru_status status;
    for (size_t b = 0; b < m->blocks; b++) {
        const congru_trials *trials = &a->source[b].trials;
        block[b] = (congru_target_trials){.count = trials->count,
                                          .d = trials->d,
                                          .covariance = trials->covariance,
                                          .signals = trials->signals};
    }
    if (m->feature == NULL) {
        const congru_asked sources = {m->blocks, m->features, block, m->first, NULL, NULL};
        CONGRU_TRY(
            congru_take(e->context, &x, (train.count + 1) * m->features, sizeof *x, "%zu trials", train.count));
        CONGRU_TRY_TO(done, congru_branch_features(e->context, m->branch, method, &sources, x));
        rows = (congru_features){.plain = x, .size = m->features};
    }
    congru_trials trials = a->source[0].trials;
    trials.covariance = NULL;
    trials.view = NULL;
    trials.signals = NULL;
    trials.features = &rows;
    status = classifier->fit(classifier, e->context, &trials, method, fitted, record);
done:
    congru_memory_give(x);
    return status;
}

congru_status congru_fit(const congru_executor *e, const congru_material *m, double c, congru_trial_list train,
                         congru_aligned *a, congru_tensors *fitted, congru_record *record)
{
    const congru_classifier *classifier = m->branch->classifier;
    congru_method_options method = m->method;
    method.c = c;
    CONGRU_TRY(congru_align(e, m, train, record != NULL, a));
    CONGRU_TRY(congru_tensors_add_all(e->context, fitted, "", &a->tensors));
    if (record != NULL)
        CONGRU_TRY(congru_record_copy(e->context, &a->record, record));
    if (m->features > 0)
        return fit_features(e, m, &method, train, a, fitted, record);
    return classifier->fit(classifier, e->context, &a->source[0].trials, &method, fitted, record);
}

/* ---- Trials asked about ------------------------------------------------------------------------------------ */

/* They were recentred for all fits together. */
static bool comes_recentred(const congru_executor *e, const congru_material *m)
{
    return m->branch->aligner->recentring != NULL && e->target == CONGRU_TARGET_FULL;
}

/* The numbers of a trial, as the target's recentring gives it back. */
static size_t numbers_of(const congru_prepared *p)
{
    return p->d * (p->needs == CONGRU_NEEDS_SIGNALS ? p->signals.samples : p->d);
}

/* Room to recentre the trials of a domain, next to each other: (count of the target) each. */
typedef struct domain_work {
    size_t *place; /* in the target's list */
    size_t *trial; /* in the set */
    double *before, *after;
} domain_work;

/* Recentres the target's trials of one domain, by what may be seen of that domain: out is where all of them go. */
static congru_status recentre_domain(const congru_executor *e, const congru_material *m, size_t block,
                                     congru_trial_list test, int32_t domain, const double *prior,
                                     const domain_work *w, double *out)
{
    const congru_prepared *p = m->block[block];
    const bool of_signals = p->needs == CONGRU_NEEDS_SIGNALS;
    const size_t size = numbers_of(p);
    size_t count = 0;
    for (size_t i = 0; i < test.count; i++) {
        if (p->domains->of_trial[test.trial[i]] != domain)
            continue;
        w->place[count] = i;
        w->trial[count++] = test.trial[i];
        if (!of_signals)
            memcpy(w->before + (count - 1) * size, out + i * size, size * sizeof *out);
    }
    const congru_signals signals = congru_prepared_signals(p, false, w->trial);
    congru_target_trials part = {.count = count,
                                 .d = p->d,
                                 .covariance = of_signals ? NULL : w->before,
                                 .signals = of_signals ? &signals : NULL};
    congru_target_see(&part, e->target);
    CONGRU_TRY(m->branch->aligner->recentring->target(e->context, &m->method, &part, prior, w->after));
    for (size_t i = 0; i < count; i++)
        memcpy(out + w->place[i] * size, w->after + i * size, size * sizeof *out);
    return CONGRU_OK;
}

/* out (count, d, d), which holds the covariances, or (count, d, samples). */
static congru_status recentre_target(const congru_executor *e, const congru_material *m, size_t block,
                                     congru_trial_list test, const congru_tensors *fitted, double *out)
{
    const congru_prepared *p = m->block[block];
    const size_t n = test.count;
    size_t shape[2] = {p->d, p->d};
    char name[CONGRU_TENSOR_NAME_SIZE];
    const double *prior;
    domain_work w = {0};
    int32_t last = -1; /* domains are numbered by their first trial: they come in ascending order */
    congru_status status;
    name_prior(name, block);
    CONGRU_TRY(congru_tensors_expect(e->context, fitted, name, 2, shape, &prior));
    CONGRU_TRY_TO(done, congru_allocate(e->context, &w.place, n, sizeof *w.place, "%zu trials", n));
    CONGRU_TRY_TO(done, congru_allocate(e->context, &w.trial, n, sizeof *w.trial, "%zu trials", n));
    CONGRU_TRY_TO(done, congru_take(e->context, &w.after, n * numbers_of(p), sizeof *w.after, "%zu trials", n));
    w.before = w.after;
    for (size_t i = 0; i < n; i++) {
        const int32_t domain = p->domains->of_trial[test.trial[i]];
        if (domain > last)
            CONGRU_TRY_TO(done, recentre_domain(e, m, block, test, domain, prior, &w, out));
        last = domain > last ? domain : last;
    }
done:
    free(w.place);
    free(w.trial);
    congru_memory_give(w.after);
    return status;
}

/* Picks the first trials of each class of the subject: no more than half of them. */
static size_t calibrate(const congru_executor *e, const congru_material *m, congru_trial_list test,
                        congru_aligned *a)
{
    const int32_t *label = e->materials->set->label;
    const size_t wanted = e->labelled ? congru_aligner_labels(m->branch->aligner, &m->method) : 0;
    size_t used = 0;
    for (size_t i = 0; wanted > 0 && i < test.count; i++) {
        const int32_t own = label[test.trial[i]];
        size_t before = 0, all = 0;
        if (own < 0) /* none of the model's classes */
            continue;
        for (size_t j = 0; j < test.count; j++) {
            const bool same = label[test.trial[j]] == own;
            all += same;
            before += same && j < i;
        }
        a->calibrated[i] = before < (wanted < all / 2 ? wanted : all / 2);
        if (!a->calibrated[i])
            continue;
        a->place[used] = i;
        a->known[used++] = own;
    }
    return used;
}

/* Where the trials of a block are: signals in their place, unless they are recentred for this subject alone. */
static congru_status gather_target(const congru_executor *e, const congru_material *m, size_t block,
                                   congru_trial_list test, congru_aligned *a)
{
    const congru_prepared *p = m->block[block];
    const bool recentred = comes_recentred(e, m), own = m->branch->aligner->recentring != NULL && !recentred;
    congru_target_block *t = &a->block[block];
    congru_target_trials *target = &a->target[block];
    const size_t numbers = test.count * numbers_of(p);
    if (p->needs == CONGRU_NEEDS_SIGNALS) {
        t->signals = congru_prepared_signals(p, recentred, a->trial);
        target->signals = &t->signals;
        if (!own)
            return CONGRU_OK;
        CONGRU_TRY(congru_take(e->context, &t->signal, numbers, sizeof *t->signal, "%zu trials", test.count));
        t->signals.plain = t->signal;
        t->signals.place = NULL;
        return CONGRU_OK;
    }
    const congru_view view = congru_prepared_view(p, recentred, test.trial);
    CONGRU_TRY(
        congru_take(e->context, &t->covariance, numbers, sizeof *t->covariance, "%zu trials", test.count));
    target->covariance = t->covariance;
    return congru_view_copy(e->context, test.count, p->d, &view, t->covariance);
}

static congru_status align_target_block(const congru_executor *e, const congru_material *m, size_t block,
                                        congru_trial_list test, size_t calibration,
                                        const congru_tensors *fitted, congru_aligned *a)
{
    const congru_aligner *aligner = m->branch->aligner;
    congru_target_block *t = &a->block[block];
    congru_target_trials *target = &a->target[block];
    *target = (congru_target_trials){.count = test.count,
                                     .d = m->block[block]->d,
                                     .calibration_trial = a->place,
                                     .calibration_label = a->known};
    congru_target_see(target, e->target);
    CONGRU_TRY(gather_target(e, m, block, test, a));
    if (aligner->recentring != NULL && !comes_recentred(e, m))
        CONGRU_TRY(recentre_target(e, m, block, test, fitted, t->signal != NULL ? t->signal : t->covariance));
    target->calibration = calibration;
    return aligner->map_target != NULL ? aligner->map_target(aligner, e->context, fitted, target, t->covariance)
                                       : CONGRU_OK;
}

/* Unless they are those of the question before. */
congru_status congru_align_target(const congru_executor *e, const congru_material *m,
                                  const congru_tensors *fitted, congru_trial_list test, congru_aligned *a)
{
    const size_t n = test.count;
    if (a->trial != NULL && a->material != NULL && congru_aligned_alike(a->material, m) &&
        a->target[0].count == n && memcmp(a->trial, test.trial, n * sizeof *a->trial) == 0)
        return CONGRU_OK;
    clear_target(a);
    CONGRU_TRY(congru_allocate(e->context, &a->trial, n, sizeof *a->trial, "%zu trials", n));
    CONGRU_TRY(congru_allocate(e->context, &a->calibrated, n, sizeof *a->calibrated, "%zu trials", n));
    CONGRU_TRY(congru_allocate(e->context, &a->place, n, sizeof *a->place, "%zu trials", n));
    CONGRU_TRY(congru_allocate(e->context, &a->known, n, sizeof *a->known, "%zu trials", n));
    memcpy(a->trial, test.trial, n * sizeof *a->trial);
    if (a->material == NULL) /* of a model, which was fitted elsewhere */
        a->material = m;
    const size_t calibration = calibrate(e, m, test, a);
    for (size_t b = 0; b < m->blocks; b++)
        CONGRU_TRY(align_target_block(e, m, b, test, calibration, fitted, a));
    return CONGRU_OK;
}

bool congru_asks_shared(const congru_executor *e, const congru_material *m)
{
    return m->feature != NULL && (m->branch->aligner->recentring == NULL || e->target == CONGRU_TARGET_FULL);
}

congru_asked congru_asked_last(const congru_material *m, const congru_aligned *a)
{
    return (congru_asked){m->blocks, m->features, a->target, m->first, NULL, NULL};
}

congru_status congru_ask(const congru_executor *e, const congru_material *m, const congru_tensors *fitted,
                         congru_trial_list test, congru_aligned *a, double *probability)
{
    const congru_classifier *classifier = m->branch->classifier;
    if (congru_asks_shared(e, m)) {
        const congru_features rows = {.plain = m->feature, .place = test.trial, .size = m->features};
        const congru_target_trials target = {.count = test.count, .d = m->block[0]->d, .features = &rows};
        return classifier->predict(classifier, e->context, fitted, &target, probability);
    }
    CONGRU_TRY(congru_align_target(e, m, fitted, test, a));
    const congru_asked asked = congru_asked_last(m, a);
    return congru_branch_predict(e->context, m->branch, &m->method, fitted, &asked, probability);
}

/* ---- Fits that are made together ---------------------------------------------------------------------------- */

bool congru_fits_together(const congru_material *m)
{
    return m->branch->block != NULL && m->feature != NULL && m->branch->classifier->fit_folds != NULL;
}

congru_status congru_fit_together(congru_context *context, const congru_materials *materials,
                                  const congru_material *m, size_t count, const double *c, size_t fits,
                                  const int8_t *const *side, double *log_probability, congru_tensors *fitted)
{
    const congru_set *set = materials->set;
    const congru_classifier *classifier = m->branch->classifier;
    int32_t *label = NULL, *subject = NULL;
    size_t *place = NULL, n = 0;
    bool *used = NULL;
    congru_status status;
    CONGRU_TRY_TO(done, congru_allocate(context, &place, set->count, sizeof *place, "%zu fits", fits));
    CONGRU_TRY_TO(done, congru_allocate(context, &label, set->count, sizeof *label, "%zu fits", fits));
    CONGRU_TRY_TO(done, congru_allocate(context, &subject, set->count, sizeof *subject, "%zu fits", fits));
    CONGRU_TRY_TO(done, congru_allocate(context, &used, fits * set->count, sizeof *used, "%zu fits", fits));
    for (size_t t = 0; t < set->count; t++)
        if (side[0][t] != CONGRU_SIDE_NEITHER) {
            label[n] = set->label[t];
            subject[n] = set->subject[t];
            place[n++] = t;
        }
    for (size_t i = 0; i < fits; i++)
        for (size_t t = 0; t < n; t++)
            used[i * n + t] = side[i][place[t]] == CONGRU_SIDE_FITTED;
    const congru_features features = {
        .plain = m->feature, .place = n < set->count ? place : NULL, .size = m->features};
    const congru_trials trials = {.count = n,
                                  .d = set->dimension,
                                  .label = label,
                                  .subject = subject,
                                  .classes = set->classes,
                                  .subjects = set->subjects,
                                  .class_name = (const char(*)[CONGRU_LABEL_SIZE])set->class_name,
                                  .features = &features};
    status = classifier->fit_folds(classifier, context, &trials, count, c, fits, used, log_probability, fitted);
done:
    free(place);
    free(label);
    free(subject);
    free(used);
    return status;
}
