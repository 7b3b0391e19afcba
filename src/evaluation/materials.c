/* Lists what fits share, and computes it once. SPDX-License-Identifier: Apache-2.0 */
#include "evaluation/materials.h"

#include <stdlib.h>
#include <string.h>

#include "base/mapped_memory.h"
#include "base/memory.h"
#include "congru/spd.h"
#include "network/network.h"
#include "preprocess/preprocessing.h"
#include "spd/view_load.h"

enum { CHUNK = 64 }; /* trials that a job takes at a time */

static const char memory[] = "what the fits share";

/* ---- Domains ------------------------------------------------------------------------------------------- */

void congru_domains_clear(congru_domains *domains)
{
    free(domains->of_trial);
    free(domains->subject);
    free(domains->trial);
    free(domains->first);
    *domains = (congru_domains){0};
}

typedef struct member {
    int32_t subject, session, trial;
} member;

static int by_domain(const void *a, const void *b)
{
    const member *x = a, *y = b;
    if (x->subject != y->subject)
        return x->subject < y->subject ? -1 : 1;
    if (x->session != y->session)
        return x->session < y->session ? -1 : 1;
    return (x->trial > y->trial) - (x->trial < y->trial);
}

/* Numbers the domains in the order of their first trials, by sorting: there may be as many as trials. */
static void number_domains(const congru_set *set, bool by_session, member *sorted, congru_domains *domains)
{
    for (size_t i = 0; i < set->count; i++)
        sorted[i] = (member){set->subject[i], by_session ? set->session[i] : 0, (int32_t)i};
    qsort(sorted, set->count, sizeof *sorted, by_domain);
    for (size_t i = 0, leader = 0; i < set->count; i++) {
        if (sorted[i].subject != sorted[leader].subject || sorted[i].session != sorted[leader].session)
            leader = i;
        domains->of_trial[sorted[i].trial] = sorted[leader].trial;
    }
    for (size_t i = 0; i < set->count; i++) {
        const size_t leader = (size_t)domains->of_trial[i];
        if (leader == i)
            domains->subject[domains->count] = set->subject[i];
        domains->of_trial[i] = leader == i ? (int32_t)domains->count++ : domains->of_trial[leader];
    }
}

void congru_list_groups(size_t count, const int32_t *group, size_t groups, size_t *first, size_t *listed)
{
    for (size_t i = 0; i < count; i++)
        first[group[i] + 1]++;
    for (size_t k = 0; k < groups; k++)
        first[k + 1] += first[k];
    for (size_t i = 0; i < count; i++)
        listed[first[group[i]]++] = i;
    for (size_t k = groups; k > 0; k--) /* each has moved to the end of its own */
        first[k] = first[k - 1];
    first[0] = 0;
}

congru_status congru_domains_find(congru_context *context, const congru_set *set, bool by_session,
                                  congru_domains *domains)
{
    const size_t n = set->count;
    member *sorted;
    *domains = (congru_domains){0};
    CONGRU_TRY(congru_allocate(context, &domains->of_trial, n, sizeof *domains->of_trial, "%zu trials", n));
    CONGRU_TRY(congru_allocate(context, &domains->subject, n, sizeof *domains->subject, "%zu trials", n));
    CONGRU_TRY(congru_allocate(context, &domains->trial, n, sizeof *domains->trial, "%zu trials", n));
    CONGRU_TRY(congru_allocate(context, &domains->first, n + 1, sizeof *domains->first, "%zu trials", n));
    CONGRU_TRY(congru_allocate(context, &sorted, n, sizeof *sorted, "%zu trials", n));
    number_domains(set, by_session, sorted, domains);
    congru_list_groups(n, domains->of_trial, domains->count, domains->first, domains->trial);
    free(sorted);
    return CONGRU_OK;
}

/* ---- Listing ------------------------------------------------------------------------------------------- */

congru_status congru_materials_begin(congru_context *context, const congru_set *set, bool by_session,
                                     bool recentre, congru_materials *materials)
{
    *materials = (congru_materials){.set = set, .recentre = recentre};
    return congru_domains_find(context, set, by_session, &materials->domains);
}

void congru_materials_clear(congru_materials *m)
{
    for (size_t i = 0; i < m->products; i++) {
        congru_memory_give(m->product[i]->covariance);
        congru_memory_give(m->product[i]->signals);
        congru_preprocessing_clear(&m->product[i]->description);
        free(m->product[i]);
    }
    for (size_t i = 0; i < m->count; i++) {
        free(m->prepared[i]->reference);
        free(m->prepared[i]->recentred);
        free(m->prepared[i]->root);
        free(m->prepared[i]);
    }
    for (size_t i = 0; i < m->materials; i++)
        congru_memory_give(m->material[i].feature);
    free(m->product);
    free(m->leader);
    free(m->prepared);
    free(m->material);
    congru_domains_clear(&m->domains);
    *m = (congru_materials){0};
}

/* The product of a description, measured, a new one unless it is there; NULL where the trials hold too little of its window. */
static congru_status want_product(congru_context *context, const congru_branch *branch,
                                  const congru_preprocessing *p, congru_materials *m, congru_product **product)
{
    congru_preprocessing wanted = *p;
    *product = NULL;
    if (branch->inside && !congru_product_clip(m->set, &wanted))
        return CONGRU_OK;
    for (size_t i = 0; i < m->products; i++)
        if (congru_preprocessing_same(&m->product[i]->description, &wanted)) {
            *product = m->product[i];
            return CONGRU_OK;
        }
    const size_t added = m->products;
    CONGRU_TRY(congru_grow(context, &m->product, &m->product_room, added + 1, sizeof *m->product, memory));
    CONGRU_TRY(congru_grow(context, &m->leader, &m->leader_room, added + 1, sizeof *m->leader, memory));
    CONGRU_TRY(congru_allocate(context, &m->product[added], 1, sizeof **m->product, memory));
    *product = m->product[m->products++];
    CONGRU_TRY(congru_preprocessing_copy(context, &wanted, &(*product)->description));
    for (m->leader[added] = 0; m->leader[added] < added; m->leader[added]++)
        if (congru_product_shares(&m->product[m->leader[added]]->description, &wanted))
            break;
    const congru_status status = congru_product_measure(context, m->set, *product);
    if (status != CONGRU_OK) {
        congru_preprocessing_clear(&(*product)->description);
        free(m->product[--m->products]);
    }
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

/* The shape of a block's trials, which a classifier counts its features by. */
static congru_signals shape_of(const congru_set *set, const congru_product *product)
{
    if (product == NULL)
        return (congru_signals){
            .channels = set->dimension, .samples = set->samples, .rate = set->rate, .start = set->start};
    return (congru_signals){.channels = product->channels,
                            .samples = product->samples,
                            .rate = product->rate,
                            .start = product->start};
}

/* One block of a branch: a product (or the set's own arrays where `p` is NULL) with its recentring, by the mean that the
 * branch's options say. NULL where the trials hold too little of its window. */
static congru_status want_block(congru_context *context, const congru_branch *branch,
                                const congru_method_options *method, const congru_preprocessing *p,
                                congru_materials *m, const congru_prepared **block)
{
    const congru_recentring *recentring = m->recentre ? branch->aligner->recentring : NULL;
    const congru_needs needs = branch->classifier->needs;
    congru_product *product = NULL;
    *block = NULL;
    CONGRU_TRY(p != NULL ? want_product(context, branch, p, m, &product) : check_set(context, m->set, needs));
    if (p != NULL && product == NULL)
        return CONGRU_OK;
    for (size_t i = 0; i < m->count; i++) {
        *block = m->prepared[i];
        if ((*block)->product == product && (*block)->recentring == recentring && (*block)->needs == needs &&
            (recentring == NULL || (*block)->method.alignment_mean == method->alignment_mean))
            return CONGRU_OK;
    }
    congru_prepared *made;
    CONGRU_TRY(congru_grow(context, &m->prepared, &m->room, m->count + 1, sizeof *m->prepared, memory));
    CONGRU_TRY(congru_allocate(context, &made, 1, sizeof *made, memory));
    *made = (congru_prepared){.set = m->set,
                              .product = product,
                              .needs = needs,
                              .signals = shape_of(m->set, product),
                              .recentring = recentring,
                              .method = *method};
    made->d = made->signals.channels;
    *block = m->prepared[m->count++] = made;
    return CONGRU_OK;
}

static void count_features(congru_material *material)
{
    const congru_classifier *classifier = material->branch->classifier;
    for (size_t b = 0; classifier->feature_count != NULL && b < material->blocks; b++) {
        const congru_signals *signals = &material->block[b]->signals;
        const congru_target_trials shape = {.d = signals->channels, .signals = signals};
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
    for (size_t b = 0; b < branch->blocks; b++) {
        CONGRU_TRY(want_block(context, branch, &made.method, congru_branch_block(branch, b), m,
                              &made.block[made.blocks]));
        made.blocks += made.block[made.blocks] != NULL;
    }
    if (made.blocks == 0)
        return congru_fail(
            context, CONGRU_ERROR_ARGUMENT,
            "its trials last from %g to %g s after the cue, which holds too little of any window "
            "of branch '%s'",
            m->set->start, m->set->start + (double)m->set->samples / m->set->rate, branch->name);
    if (made.blocks < branch->blocks)
        congru_note(context, "Branch '%s' has %zu of its %zu blocks: the other windows leave the trials.",
                    branch->name, made.blocks, branch->blocks);
    if (branch->classifier->suits != NULL)
        CONGRU_TRY(
            branch->classifier->suits(branch->classifier, context, &made.method, &made.block[0]->signals));
    count_features(&made);
    for (*index = 0; *index < m->materials; ++*index)
        if (same_material(&m->material[*index], &made))
            return CONGRU_OK;
    CONGRU_TRY(
        congru_grow(context, &m->material, &m->material_room, m->materials + 1, sizeof *m->material, memory));
    m->material[m->materials++] = made;
    return CONGRU_OK;
}

/* ---- Trials where they are ------------------------------------------------------------------------------- */

congru_view congru_prepared_view(const congru_prepared *prepared, bool recentred, const size_t *trial)
{
    if (recentred && prepared->recentred != NULL)
        return (congru_view){.plain = prepared->recentred, .place = trial};
    return (congru_view){.plain = prepared->covariance,
                         .place = trial,
                         .root = recentred ? prepared->root : NULL,
                         .owner = prepared->domains->of_trial};
}

congru_signals congru_prepared_signals(const congru_prepared *prepared, bool recentred, const size_t *trial)
{
    congru_signals signals = prepared->signals;
    signals.place = trial;
    signals.root = recentred ? prepared->root : NULL;
    signals.owner = prepared->domains->of_trial;
    return signals;
}

/* ---- Filtering ------------------------------------------------------------------------------------------- */

typedef struct make_run {
    congru_materials *m;
    size_t chunks;
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
    const size_t leader = job / run->chunks, first = job % run->chunks * CHUNK;
    size_t count = 0;
    congru_product **list;
    if (m->leader[leader] != leader)
        return CONGRU_OK;
    CONGRU_TRY(congru_allocate(context, &list, m->products, sizeof *list, memory));
    for (size_t i = leader; i < m->products; i++)
        if (m->leader[i] == leader)
            list[count++] = m->product[i];
    const congru_status status = congru_product_make(context, m->set, first, chunk_size(m, first), count, list);
    free(list);
    return status;
}

/* Job: the covariances of one product have full rank. */
static congru_status check_product(void *user, size_t job, congru_context *context)
{
    const make_run *run = user;
    const congru_set *set = run->m->set;
    const congru_product *product = run->m->product[job];
    const bool named = product->channels == set->dimension;
    if (product->covariance == NULL)
        return CONGRU_OK;
    return congru_covariance_check_rank(context, set->count, product->channels, product->covariance, 0,
                                        named ? (const char(*)[CONGRU_LABEL_SIZE])set->channel_name : NULL);
}

congru_status congru_materials_reserve(congru_context *context, congru_materials *m)
{
    for (size_t i = 0; i < m->count; i++) {
        congru_product *product = m->prepared[i]->product;
        if (product == NULL)
            continue;
        const bool signals = m->prepared[i]->needs == CONGRU_NEEDS_SIGNALS;
        const size_t size = product->channels * (signals ? product->samples : product->channels);
        double **array = signals ? &product->signals : &product->covariance;
        if (*array == NULL)
            CONGRU_TRY(congru_take(context, array, m->set->count * size, sizeof(double),
                                   "a filtered copy of %zu trials", m->set->count));
    }
    return CONGRU_OK;
}

/* ---- Recentring ------------------------------------------------------------------------------------------ */

/* Where a block's trials are, now that they are there, and room for recentring them. */
static congru_status place_trials(congru_context *context, const congru_materials *m, congru_prepared *p)
{
    const congru_product *product = p->product;
    const size_t size = p->d * p->d, trials = m->set->count;
    p->domains = &m->domains;
    if (p->needs == CONGRU_NEEDS_SIGNALS)
        p->signals.plain = product != NULL ? product->signals : m->set->signals;
    else
        p->covariance = product != NULL ? product->covariance : m->set->covariance;
    if (p->recentring == NULL)
        return CONGRU_OK;
    const bool copies = p->signals.plain == NULL && trials * size * sizeof(double) <= congru_mapped_limit();
    p->reference = malloc(m->domains.count * size * sizeof(double));
    *(copies ? &p->recentred : &p->root) = malloc((copies ? trials : m->domains.count) * size * sizeof(double));
    if (p->reference == NULL || (copies ? p->recentred : p->root) == NULL)
        return congru_fail_memory(context, "recentring %zu trials", trials);
    return CONGRU_OK;
}

/* Puts the trials of a domain, recentred, where they are in the set; or keeps what recentres them. */
static congru_status whiten_domain(congru_context *context, const congru_prepared *p, size_t domain,
                                   size_t count, const size_t *place)
{
    const size_t d = p->d, size = d * d;
    const double *reference = p->reference + domain * size;
    congru_status status;
    double *own;
    if (p->root != NULL)
        return congru_spd_invsqrt(context, 1, d, reference, p->root + domain * size);
    CONGRU_TRY(congru_allocate(context, &own, (count + 1) * size, sizeof *own, "recentring %zu trials", count));
    double *root = own + count * size;
    for (size_t k = 0; k < count; k++)
        memcpy(own + k * size, p->covariance + place[k] * size, size * sizeof *own);
    CONGRU_TRY_TO(done, congru_spd_invsqrt(context, 1, d, reference, root));
    CONGRU_TRY_TO(done, congru_spd_congruence(context, count, d, d, own, root, own));
    for (size_t k = 0; k < count; k++)
        memcpy(p->recentred + place[k] * size, own + k * size, size * sizeof *own);
done:
    free(own);
    return status;
}

/* The reference of a domain's trials, and what it does to them. */
static congru_status recentre_domain(congru_context *context, const congru_prepared *p, size_t domain)
{
    const size_t first = p->domains->first[domain], count = p->domains->first[domain + 1] - first;
    const size_t *place = p->domains->trial + first;
    const congru_view view = {.plain = p->covariance, .place = place};
    const congru_signals signals = congru_prepared_signals(p, false, place);
    const bool of_signals = p->needs == CONGRU_NEEDS_SIGNALS;
    int32_t *subject;
    congru_status status;
    CONGRU_TRY(congru_allocate(context, &subject, count, sizeof *subject, "recentring %zu trials", count));
    const congru_trials trials = {.count = count,
                                  .d = p->d,
                                  .view = of_signals ? NULL : &view,
                                  .signals = of_signals ? &signals : NULL,
                                  .subject = subject,
                                  .subjects = 1};
    CONGRU_TRY_TO(done,
                  p->recentring->references(context, &p->method, &trials, p->reference + domain * p->d * p->d));
    status = whiten_domain(context, p, domain, count, place);
done:
    free(subject);
    return status;
}

/* Job: one domain of one block. */
static congru_status recentre_one(void *user, size_t job, congru_context *context)
{
    const make_run *run = user;
    const congru_materials *m = run->m;
    const congru_prepared *p = m->prepared[job / m->domains.count];
    const size_t domain = job % m->domains.count;
    char text[CONGRU_ERROR_TEXT_SIZE];
    if (p->recentring == NULL)
        return CONGRU_OK;
    const double start = congru_seconds();
    const congru_status status = recentre_domain(context, p, domain);
    run->seconds[job] = congru_seconds() - start;
    if (status == CONGRU_OK)
        return CONGRU_OK;
    strcpy(text, congru_context_error(context));
    return congru_fail(context, status, "subject '%s': %.900s",
                       m->set->subject_name[m->domains.subject[domain]], text);
}

/* How long each material's blocks took; those that several share count in each. */
static void add_seconds(congru_materials *m, const double *recentring)
{
    const size_t domains = m->domains.count;
    for (size_t i = 0; i < m->materials; i++)
        for (size_t p = 0; p < m->count; p++)
            for (size_t b = 0; b < m->material[i].blocks; b++)
                for (size_t k = 0; m->material[i].block[b] == m->prepared[p] && k < domains; k++)
                    m->material[i].seconds += recentring[p * domains + k];
}

/* ---- Features -------------------------------------------------------------------------------------------- */

/* The features that one block gives of `count` trials of the set, recentred, into their columns of x. */
static congru_status fill_features(congru_context *context, const congru_material *material, size_t block,
                                   size_t count, const size_t *trial, double *x)
{
    const congru_prepared *p = material->block[block];
    const congru_signals signals = congru_prepared_signals(p, true, trial);
    const congru_view view = congru_prepared_view(p, true, trial);
    congru_target_trials trials = {.count = count, .d = p->d};
    congru_status status;
    double *own = NULL;
    if (p->needs == CONGRU_NEEDS_SIGNALS) {
        trials.signals = &signals;
    } else {
        CONGRU_TRY(congru_take(context, &own, count * p->d * p->d, sizeof *own, memory));
        CONGRU_TRY_TO(done, congru_view_copy(context, count, p->d, &view, own));
        trials.covariance = own;
    }
    status = material->branch->classifier->features(context, &trials, &material->method, material->features,
                                                    x + material->first[block]);
done:
    congru_memory_give(own);
    return status;
}

/* Job: the features of one chunk of trials of one material. */
static congru_status make_features(void *user, size_t job, congru_context *context)
{
    const make_run *run = user;
    const congru_material *material = &run->m->material[job / run->chunks];
    const size_t first = job % run->chunks * CHUNK, count = chunk_size(run->m, first);
    size_t trial[CHUNK];
    for (size_t i = 0; i < count; i++)
        trial[i] = first + i;
    for (size_t b = 0; material->feature != NULL && b < material->blocks; b++)
        CONGRU_TRY(
            fill_features(context, material, b, count, trial, material->feature + first * material->features));
    return CONGRU_OK;
}

static congru_status reserve_features(congru_context *context, const congru_materials *m)
{
    for (size_t i = 0; m->recentre && i < m->materials; i++) {
        congru_material *material = &m->material[i];
        const congru_aligner *aligner = material->branch->aligner;
        if (material->features > 0 && aligner->fit == NULL && aligner->map_target == NULL)
            CONGRU_TRY(congru_take(context, &material->feature, m->set->count * material->features,
                                   sizeof(double), "%zu features of %zu trials", material->features,
                                   m->set->count));
    }
    return CONGRU_OK;
}

congru_status congru_materials_make(const congru_workers *workers, congru_materials *m)
{
    congru_context *context = workers->caller;
    make_run run = {.m = m, .chunks = (m->set->count + CHUNK - 1) / CHUNK};
    congru_status status;
    CONGRU_TRY(
        congru_allocate(context, &run.seconds, m->count * m->domains.count, sizeof *run.seconds, memory));
    CONGRU_TRY_TO(done, congru_materials_reserve(context, m));
    CONGRU_TRY_TO(done, congru_workers_run(workers, m->products * run.chunks, make_products, &run));
    CONGRU_TRY_TO(done, congru_workers_run(workers, m->products, check_product, &run));
    for (size_t i = 0; i < m->count; i++)
        CONGRU_TRY_TO(done, place_trials(context, m, m->prepared[i]));
    CONGRU_TRY_TO(done, congru_workers_run(workers, m->count * m->domains.count, recentre_one, &run));
    add_seconds(m, run.seconds);
    CONGRU_TRY_TO(done, reserve_features(context, m));
    status = congru_workers_run(workers, m->materials * run.chunks, make_features, &run);
done:
    free(run.seconds);
    return status;
}

/* ---- Networks -------------------------------------------------------------------------------------------- */

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
