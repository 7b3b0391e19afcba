/* Lists what folds share, and computes it once. SPDX-License-Identifier: Apache-2.0 */
#include "evaluation/materials.h"

#include <stdlib.h>
#include <string.h>

#include "base/mapped_memory.h"
#include "base/memory.h"
#include "network/network.h"
#include "preprocess/preprocessing.h"
#include "spd/view_load.h"

enum { CHUNK = 64 }; /* trials that a job takes at a time */

/* In place of a product: what the set holds; nothing, the window being outside. */
static const size_t of_set = SIZE_MAX - 1, nothing = SIZE_MAX;

congru_status congru_materials_begin(congru_context *context, const congru_set *set, bool by_session,
                                     bool recentre, congru_materials *materials)
{
    *materials = (congru_materials){.set = set, .recentre = recentre};
    return congru_domains_find(context, set, by_session, &materials->domains);
}

void congru_materials_clear(congru_materials *materials)
{
    for (size_t i = 0; i < materials->products; i++) {
        congru_memory_give(materials->product[i].covariance);
        congru_memory_give(materials->product[i].signals);
        congru_preprocessing_clear(&materials->product[i].description);
    }
    for (size_t i = 0; i < materials->count; i++)
        congru_prepared_clear(&materials->prepared[i]);
    for (size_t i = 0; i < materials->materials; i++)
        congru_memory_give(materials->material[i].feature);
    free(materials->product);
    free(materials->prepared);
    free(materials->prepared_product);
    free(materials->material);
    congru_domains_clear(&materials->domains);
    *materials = (congru_materials){0};
}

/* ---- Listing ------------------------------------------------------------------------------------------- */

static congru_status fail_memory(congru_context *context)
{
    return congru_fail(context, CONGRU_ERROR_MEMORY, "not enough memory for what the folds share");
}

/* The product of a description, measured; a new one unless it is there. */
static congru_status want_product(congru_context *context, const congru_branch *branch,
                                  const congru_preprocessing *p, congru_materials *m, size_t *index)
{
    congru_product made = {.description = *p};
    if (branch->inside && !congru_product_clip(m->set, &made.description)) {
        *index = nothing;
        return CONGRU_OK;
    }
    for (*index = 0; *index < m->products; ++*index)
        if (congru_preprocessing_same(&m->product[*index].description, &made.description))
            return CONGRU_OK;
    congru_preprocessing own;
    congru_status status = congru_preprocessing_copy(context, &made.description, &own);
    made.description = own;
    if (status == CONGRU_OK)
        status = congru_product_measure(context, m->set, &made);
    if (status == CONGRU_OK) {
        congru_product *grown = realloc(m->product, (m->products + 1) * sizeof *grown);
        status = grown != NULL ? CONGRU_OK : fail_memory(context);
        if (grown != NULL) {
            m->product = grown;
            m->product[m->products++] = made;
        }
    }
    if (status != CONGRU_OK)
        congru_preprocessing_clear(&own);
    return status;
}

/* What the set holds, as it is. */
static congru_status check_set(congru_context *context, const congru_set *set, congru_needs needs)
{
    if (needs == CONGRU_NEEDS_SIGNALS && set->signals == NULL)
        return congru_fail(
            context, CONGRU_ERROR_ARGUMENT,
            "holds covariances alone, and signals are needed (import it anew with --keep-signals)");
    if (needs == CONGRU_NEEDS_COVARIANCES && set->covariance == NULL)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT, "the set holds no covariances");
    return CONGRU_OK;
}

/* One block of a branch: a product (or the set's own arrays where `p` is NULL) with its recentring, by the mean that the
 * branch's options say. */
static congru_status want_block(congru_context *context, const congru_branch *branch,
                                const congru_method_options *method, const congru_preprocessing *p,
                                congru_materials *m, size_t *index)
{
    const congru_recentring *recentring = m->recentre ? branch->aligner->recentring : NULL;
    congru_needs needs = branch->classifier->needs;
    size_t product = of_set;
    congru_status status =
        p != NULL ? want_product(context, branch, p, m, &product) : check_set(context, m->set, needs);
    *index = nothing;
    if (status != CONGRU_OK || product == nothing)
        return status;
    for (*index = 0; *index < m->count; ++*index)
        if (m->prepared_product[*index] == product && m->prepared[*index].recentring == recentring &&
            m->prepared[*index].needs == needs &&
            (recentring == NULL || m->prepared[*index].mean == method->alignment_mean))
            return CONGRU_OK;
    congru_prepared *prepared = realloc(m->prepared, (m->count + 1) * sizeof *prepared);
    if (prepared == NULL)
        return fail_memory(context);
    m->prepared = prepared;
    size_t *place = realloc(m->prepared_product, (m->count + 1) * sizeof *place);
    if (place == NULL)
        return fail_memory(context);
    m->prepared_product = place;
    m->prepared_product[m->count] = product;
    m->prepared[m->count++] =
        (congru_prepared){.set = m->set,
                          .needs = needs,
                          .d = p != NULL ? m->product[product].channels : m->set->dimension,
                          .recentring = recentring,
                          .mean = method->alignment_mean};
    return CONGRU_OK;
}

/* The shape of a block's trials, for a classifier that counts its features. */
static congru_signals shape_of(const congru_materials *m, size_t prepared)
{
    const size_t product = m->prepared_product[prepared];
    const congru_set *set = m->set;
    if (product >= m->products)
        return (congru_signals){
            .channels = set->dimension, .samples = set->samples, .rate = set->rate, .start = set->start};
    const congru_product *own = &m->product[product];
    return (congru_signals){
        .channels = own->channels, .samples = own->samples, .rate = own->rate, .start = own->start};
}

static void count_features(const congru_materials *m, congru_material *material)
{
    const congru_classifier *classifier = material->branch->classifier;
    for (size_t b = 0; classifier->feature_count != NULL && b < material->blocks; b++) {
        const congru_signals signals = shape_of(m, material->block[b]);
        const congru_target_trials shape = {.d = signals.channels, .signals = &signals};
        material->first[b] = material->features;
        material->features += classifier->feature_count(&shape, &material->method);
    }
}

bool congru_same_but_c(const congru_method_options *a, const congru_method_options *b)
{
    congru_method_options other = *b;
    other.c = a->c;
    return congru_method_options_compare(a, &other, NULL, 0) == 0;
}

static bool same_material(const congru_material *a, const congru_material *b)
{
    return a->branch->aligner == b->branch->aligner && a->branch->classifier == b->branch->classifier &&
           a->blocks == b->blocks && memcmp(a->block, b->block, a->blocks * sizeof a->block[0]) == 0 &&
           congru_same_but_c(&a->method, &b->method);
}

congru_status congru_materials_want(congru_context *context, const congru_method_options *method,
                                    const congru_branch *branch, congru_materials *m, size_t *index)
{
    congru_material made = {.branch = branch, .method = *method};
    congru_branch_options(branch, &made.method);
    congru_status status = CONGRU_OK;
    for (size_t b = 0; status == CONGRU_OK && b < (branch->blocks > 0 ? branch->blocks : 1); b++) {
        status = want_block(context, branch, &made.method, branch->blocks > 0 ? &branch->block[b] : NULL, m,
                            &made.block[made.blocks]);
        made.blocks += status == CONGRU_OK && made.block[made.blocks] != nothing;
    }
    if (status == CONGRU_OK && made.blocks == 0)
        status =
            congru_fail(context, CONGRU_ERROR_ARGUMENT,
                        "its trials last from %g to %g s after the cue, which holds too little of any window "
                        "of branch '%s'",
                        m->set->start, m->set->start + (double)m->set->samples / m->set->rate, branch->name);
    if (status != CONGRU_OK)
        return status;
    if (made.blocks < branch->blocks)
        congru_note(context, "Branch '%s' has %zu of its %zu blocks: the other windows leave the trials.",
                    branch->name, made.blocks, branch->blocks);
    const congru_signals shape = shape_of(m, made.block[0]);
    if (branch->classifier->suits != NULL)
        status = branch->classifier->suits(branch->classifier, context, &made.method, &shape);
    if (status != CONGRU_OK)
        return status;
    count_features(m, &made);
    for (*index = 0; *index < m->materials; ++*index)
        if (same_material(&m->material[*index], &made))
            return CONGRU_OK;
    congru_material *grown = realloc(m->material, (m->materials + 1) * sizeof *grown);
    if (grown == NULL)
        return fail_memory(context);
    m->material = grown;
    m->material[m->materials++] = made;
    return CONGRU_OK;
}

/* ---- Computing ----------------------------------------------------------------------------------------- */

typedef struct make_run {
    congru_materials *m;
    size_t chunks;
    size_t *leader;  /* (products) the first product that shares its filters */
    double *seconds; /* (jobs) */
} make_run;

static size_t chunk_size(const congru_materials *m, size_t first)
{
    return m->set->count - first < CHUNK ? m->set->count - first : CHUNK;
}

/* Job: one chunk of trials through one set of filters, and all windows of it. */
static congru_status make_products(void *user, size_t job, congru_context *context)
{
    const make_run *run = user;
    congru_materials *m = run->m;
    size_t leader = job / run->chunks, first = job % run->chunks * CHUNK, count = 0;
    if (run->leader[leader] != leader)
        return CONGRU_OK;
    congru_product **list = malloc(m->products * sizeof *list);
    if (list == NULL)
        return fail_memory(context);
    double start = congru_seconds();
    for (size_t i = leader; i < m->products; i++)
        if (run->leader[i] == leader)
            list[count++] = &m->product[i];
    congru_status status = congru_product_make(context, m->set, first, chunk_size(m, first), count, list);
    free(list);
    run->seconds[job] = congru_seconds() - start;
    return status;
}

/* Job: the covariances of one product have full rank. */
static congru_status check_product(void *user, size_t job, congru_context *context)
{
    const make_run *run = user;
    const congru_product *product = &run->m->product[job];
    if (product->covariance == NULL)
        return CONGRU_OK;
    bool named = product->channels == run->m->set->dimension;
    return congru_covariance_check_rank(context, run->m->set->count, product->channels, product->covariance, 0,
                                        named ? (const char(*)[CONGRU_LABEL_SIZE])run->m->set->channel_name
                                              : NULL);
}

/* Room for what anybody reads of each product. */
static congru_status reserve_products(congru_context *context, congru_materials *m)
{
    for (size_t i = 0; i < m->count; i++) {
        if (m->prepared_product[i] >= m->products)
            continue;
        congru_product *product = &m->product[m->prepared_product[i]];
        bool signals = m->prepared[i].needs == CONGRU_NEEDS_SIGNALS;
        double **array = signals ? &product->signals : &product->covariance;
        size_t size = product->channels * (signals ? product->samples : product->channels);
        if (*array == NULL)
            *array = congru_memory_take(m->set->count * size * sizeof(double));
        if (*array == NULL)
            return congru_fail(context, CONGRU_ERROR_MEMORY,
                               "not enough memory for a filtered copy of %zu trials", m->set->count);
    }
    return CONGRU_OK;
}

static congru_status run_products(const congru_workers *workers, make_run *run)
{
    congru_materials *m = run->m;
    congru_status status = reserve_products(workers->caller, m);
    for (size_t i = 0; i < m->products; i++)
        for (run->leader[i] = 0; run->leader[i] < i; run->leader[i]++)
            if (congru_product_shares(&m->product[run->leader[i]].description, &m->product[i].description))
                break;
    if (status == CONGRU_OK)
        status = congru_workers_run(workers, m->products * run->chunks, make_products, run);
    return status == CONGRU_OK ? congru_workers_run(workers, m->products, check_product, run) : status;
}

/* Where each prepared one's trials are, now that they are there. */
static congru_status place_trials(congru_context *context, congru_materials *m)
{
    congru_status status = CONGRU_OK;
    for (size_t i = 0; status == CONGRU_OK && i < m->count; i++) {
        congru_prepared *prepared = &m->prepared[i];
        const size_t product = m->prepared_product[i];
        prepared->domains = &m->domains;
        if (prepared->needs == CONGRU_NEEDS_SIGNALS) {
            prepared->signals = shape_of(m, i);
            prepared->signals.plain = product < m->products ? m->product[product].signals : m->set->signals;
        } else {
            prepared->covariance = product < m->products ? m->product[product].covariance : m->set->covariance;
        }
        if (prepared->recentring != NULL)
            status = congru_prepare_begin(context, prepared);
    }
    return status;
}

/* Job: one domain of one prepared copy. */
static congru_status recentre_one(void *user, size_t job, congru_context *context)
{
    const make_run *run = user;
    congru_materials *m = run->m;
    const size_t place = job / m->domains.count;
    const congru_method_options *options = NULL;
    if (m->prepared[place].recentring == NULL)
        return CONGRU_OK;
    for (size_t i = 0; options == NULL && i < m->materials; i++)
        for (size_t b = 0; b < m->material[i].blocks; b++)
            if (m->material[i].block[b] == place)
                options = &m->material[i].method;
    double start = congru_seconds();
    congru_status status = congru_prepare_domain(context, options, &m->prepared[place], job % m->domains.count);
    run->seconds[job] = congru_seconds() - start;
    return status;
}

/* Job: the features of one chunk of trials of one material. */
static congru_status make_features(void *user, size_t job, congru_context *context)
{
    const make_run *run = user;
    congru_materials *m = run->m;
    const congru_material *material = &m->material[job / run->chunks];
    const size_t first = job % run->chunks * CHUNK, count = chunk_size(m, first);
    size_t trial[CHUNK];
    congru_status status = CONGRU_OK;
    if (material->feature == NULL)
        return CONGRU_OK;
    double start = congru_seconds();
    for (size_t i = 0; i < count; i++)
        trial[i] = first + i;
    for (size_t b = 0; status == CONGRU_OK && b < material->blocks; b++)
        status = congru_material_features(context, m, material, b, true, count, trial,
                                          material->feature + first * material->features);
    run->seconds[job] = congru_seconds() - start;
    return status;
}

congru_status congru_material_features(congru_context *context, const congru_materials *m,
                                       const congru_material *material, size_t block, bool recentred,
                                       size_t count, const size_t *trial, double *x)
{
    const congru_prepared *prepared = congru_material_block(m, material, block);
    const congru_classifier *classifier = material->branch->classifier;
    const congru_signals signals = congru_prepared_signals(prepared, recentred, trial);
    congru_target_trials trials = {.count = count, .d = prepared->d};
    congru_status status = CONGRU_OK;
    double *own = NULL;
    if (signals.plain != NULL) {
        trials.signals = &signals;
    } else {
        const congru_view view = congru_prepared_view(prepared, recentred, trial);
        own = congru_memory_take(count * prepared->d * prepared->d * sizeof *own);
        status = own != NULL ? congru_view_copy(context, count, prepared->d, &view, own) : fail_memory(context);
        trials.covariance = own;
    }
    if (status == CONGRU_OK)
        status = classifier->features(context, &trials, &material->method, material->features,
                                      x + material->first[block]);
    congru_memory_give(own);
    return status;
}

static congru_status run_features(const congru_workers *workers, make_run *run)
{
    congru_materials *m = run->m;
    for (size_t i = 0; i < m->materials; i++) {
        congru_material *material = &m->material[i];
        const congru_aligner *aligner = material->branch->aligner;
        if (material->features == 0 || aligner->fit != NULL || aligner->map_target != NULL || !m->recentre)
            continue;
        material->feature = congru_memory_take(m->set->count * material->features * sizeof(double));
        if (material->feature == NULL)
            return congru_fail(workers->caller, CONGRU_ERROR_MEMORY,
                               "not enough memory for %zu features of %zu trials", material->features,
                               m->set->count);
    }
    return congru_workers_run(workers, m->materials * run->chunks, make_features, run);
}

/* How long each material's parts took; parts that several share count in each. */
static void add_seconds(congru_materials *m, const double *recentring)
{
    for (size_t i = 0; i < m->materials; i++)
        for (size_t b = 0; b < m->material[i].blocks; b++)
            for (size_t k = 0; k < m->domains.count; k++)
                m->material[i].seconds += recentring[m->material[i].block[b] * m->domains.count + k];
}

congru_status congru_materials_make(const congru_workers *workers, congru_materials *m)
{
    make_run run = {.m = m, .chunks = (m->set->count + CHUNK - 1) / CHUNK};
    size_t jobs = m->count * m->domains.count;
    jobs = jobs > m->products * run.chunks ? jobs : m->products * run.chunks;
    jobs = jobs > m->materials * run.chunks ? jobs : m->materials * run.chunks;
    run.leader = malloc((m->products + 1) * sizeof *run.leader);
    run.seconds = calloc(jobs + 1, sizeof *run.seconds);
    congru_status status = run.leader != NULL && run.seconds != NULL ? CONGRU_OK : fail_memory(workers->caller);
    if (status == CONGRU_OK)
        status = run_products(workers, &run);
    if (status == CONGRU_OK)
        status = place_trials(workers->caller, m);
    if (status == CONGRU_OK) {
        memset(run.seconds, 0, (jobs + 1) * sizeof *run.seconds);
        status = congru_workers_run(workers, m->count * m->domains.count, recentre_one, &run);
    }
    if (status == CONGRU_OK) {
        add_seconds(m, run.seconds);
        status = run_features(workers, &run);
    }
    free(run.leader);
    free(run.seconds);
    return status;
}

size_t congru_material_steps(const congru_material *material, size_t training)
{
    const congru_network_options *options = &material->method.network;
    const struct {
        const congru_network *network;
        size_t trainings;
    } part[] = {{material->branch->aligner->network, 1},
                {material->branch->classifier->network, options->ensemble > 1 ? (size_t)options->ensemble : 1}};
    for (size_t i = 0; i < 2; i++) {
        const size_t trainings = part[i].network != NULL ? part[i].trainings : 0;
        if (training < trainings)
            return (size_t)congru_network_steps(part[i].network, options);
        training -= trainings;
    }
    return 0;
}
