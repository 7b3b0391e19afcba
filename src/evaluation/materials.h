/* What all fits of a run share: filtered copies of the set, recentred trials, features. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_EVALUATION_MATERIALS_H
#define CONGRU_EVALUATION_MATERIALS_H

#include "aligner/recentre.h"
#include "dataset/set_products.h"
#include "evaluation/pipeline.h"
#include "evaluation/workers.h"

/* Trials are recentred by domain: a subject, or one session of a subject. */
typedef struct congru_domains {
    size_t count;
    int32_t *of_trial; /* (trials) from 0 in the order of their first trials */
    int32_t *subject;  /* (count) */
    size_t *trial;     /* (trials): those of one domain after those of another, in the order of the set */
    size_t *first;     /* (count + 1): where in `trial` those of each begin */
} congru_domains;

/* Numbers the domains of a set; the caller clears them, after a failure too. */
congru_status congru_domains_find(congru_context *context, const congru_set *set, bool by_session,
                                  congru_domains *domains);
void congru_domains_clear(congru_domains *domains);

/* Lists places by the group that each is of, in the order of the places: those of group k are listed (count) from first[k] up
 * to first[k + 1]. first (groups + 1) is zeros before. */
void congru_list_groups(size_t count, const int32_t *group, size_t groups, size_t *first, size_t *listed);

/* One way of having the trials of a set: as it has them or after a description, each domain recentred or not. */
typedef struct congru_prepared {
    const congru_set *set; /* labels, subjects and names */
    const congru_domains *domains;
    congru_product *product; /* what the description makes; NULL: what the set has */
    congru_needs needs;
    size_t d;
    const double *covariance; /* (trials, d, d); NULL where signals are what is read */
    congru_signals signals;   /* their shape and, where they are read, the signals of all trials */

    const congru_recentring *recentring; /* NULL: none is done here */
    congru_method_options method;        /* which says the mean that becomes the identity */
    double *reference;                   /* (domains, d, d); NULL without recentring, like the two below */
    double *
        recentred; /* (trials, d, d) covariances, unless there are signals or the set is large (base/mapped_memory.h) */
    double *root; /* (domains, d, d), the references' inverse roots, otherwise */
} congru_prepared;

/* Trials where they are, recentred or not: those in `trial`, or all where it is NULL. */
congru_view congru_prepared_view(const congru_prepared *prepared, bool recentred, const size_t *trial);
congru_signals congru_prepared_signals(const congru_prepared *prepared, bool recentred, const size_t *trial);

/* What a branch reads: one or several blocks, and the features of all trials where fits share them. */
typedef struct congru_material {
    const congru_branch *branch;
    congru_method_options method; /* the run's, with the branch's own settings */
    size_t blocks;
    const congru_prepared *block[CONGRU_BLOCKS_MAX];
    size_t first[CONGRU_BLOCKS_MAX]; /* each block's first feature */
    size_t features;                 /* how many a trial has; 0: the classifier reads the trials */
    double *feature;                 /* (trials, features); NULL: each fit makes its own */
    double seconds;                  /* that making all of it took, all threads' time added */
} congru_material;

typedef struct congru_materials {
    const congru_set *set;
    congru_domains domains;
    bool recentre; /* for all fits together, whole domains being seen */
    congru_product **product;
    size_t *leader; /* (products) the first that shares its filters: these are made together */
    size_t products, product_room, leader_room;
    congru_prepared **prepared;
    size_t count, room;
    congru_material *material;
    size_t materials, material_room;
} congru_materials;

/* Begins an empty list. `recentre`: subjects (or sessions) are recentred by all of their trials; false where fits may not
 * see them all. */
congru_status congru_materials_begin(congru_context *context, const congru_set *set, bool by_session,
                                     bool recentre, congru_materials *materials);

/* Adds what a branch reads, unless it is there: *index in materials->material. Nothing is computed yet, but what the set
 * cannot give is found: CONGRU_ERROR_ARGUMENT in one line. The branch must live as long as the list. */
congru_status congru_materials_want(congru_context *context, const congru_method_options *method,
                                    const congru_branch *branch, congru_materials *materials, size_t *index);

/* Room for what anybody reads of each product, of so many trials. */
congru_status congru_materials_reserve(congru_context *context, congru_materials *materials);

/* Computes all of it, jobs divided among the workers; the numbers do not depend on how. */
congru_status congru_materials_make(const congru_workers *workers, congru_materials *materials);

/* Whether all options but C are the same: C alone is of the classifier of features, and of no other part of a fit. */
bool congru_same_but_c(const congru_method_options *a, const congru_method_options *b);

/* Steps of each network that a fit of the material trains, in their order: 0, 1, ...; 0 after the last. The aligner's is the
 * first; an ensemble's members are networks of their own. */
size_t congru_material_steps(const congru_material *material, size_t training);

void congru_materials_clear(congru_materials *materials);

#endif
