/* What all folds of a run share: filtered copies of the set, recentred trials, features. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_EVALUATION_MATERIALS_H
#define CONGRU_EVALUATION_MATERIALS_H

#include "evaluation/pipeline.h"
#include "evaluation/prepare.h"

/* What a branch reads: one or several blocks, and the features of all trials where folds share them. */
typedef struct congru_material {
    const congru_branch *branch;
    congru_method_options method; /* the run's, with the branch's own settings */
    size_t blocks;
    size_t block[CONGRU_BLOCKS_MAX]; /* indices of congru_materials.prepared */
    size_t first[CONGRU_BLOCKS_MAX]; /* each block's first feature */
    size_t features;                 /* how many a trial has; 0: the classifier reads the trials */
    double *feature;                 /* (trials, features); NULL: each fold makes its own */
    double seconds;                  /* that making all of it took, all threads' time added */
} congru_material;

typedef struct congru_materials {
    const congru_set *set;
    congru_domains domains;
    bool recentre; /* for all folds together, whole domains being seen */
    congru_product *product;
    size_t products;
    congru_prepared *prepared;
    size_t *prepared_product; /* (count) index of each one's product; beyond them: what the set holds */
    size_t count;
    congru_material *material;
    size_t materials;
} congru_materials;

/* Begins an empty list. `recentre`: subjects (or sessions) are recentred by all of their trials; false where folds may not
 * see them all. */
congru_status congru_materials_begin(congru_context *context, const congru_set *set, bool by_session,
                                     bool recentre, congru_materials *materials);

/* Adds what a branch reads, unless it is there: *index in materials->material. Nothing is computed yet, but what the set
 * cannot give is found: CONGRU_ERROR_ARGUMENT in one line. The branch must live as long as the list. */
congru_status congru_materials_want(congru_context *context, const congru_method_options *method,
                                    const congru_branch *branch, congru_materials *materials, size_t *index);

/* Computes all of it, jobs divided among the workers; the numbers do not depend on how. */
congru_status congru_materials_make(const congru_workers *workers, congru_materials *materials);

/* The features that one block gives of `count` trials of the set, recentred or as they are, into their columns of
 * x (count, features). */
congru_status congru_material_features(congru_context *context, const congru_materials *materials,
                                       const congru_material *material, size_t block, bool recentred,
                                       size_t count, const size_t *trial, double *x);

/* Whether all options but C are the same: C alone is of the classifier of features, and of no other part of a fit. */
bool congru_same_but_c(const congru_method_options *a, const congru_method_options *b);

/* Steps of each network that a fit of the material trains, in their order: 0, 1, ...; 0 after the last. The aligner's is the
 * first; an ensemble's members are networks of their own. */
size_t congru_material_steps(const congru_material *material, size_t training);

void congru_materials_clear(congru_materials *materials);

/* The block's way of having the trials. */
static inline const congru_prepared *congru_material_block(const congru_materials *materials,
                                                           const congru_material *material, size_t block)
{
    return &materials->prepared[material->block[block]];
}

#endif
