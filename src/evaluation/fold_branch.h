/* One branch of a pipeline in one fold: aligned, fitted, asked. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_EVALUATION_FOLD_BRANCH_H
#define CONGRU_EVALUATION_FOLD_BRANCH_H

#include "evaluation/fold_parts.h"
#include "evaluation/materials.h"

/* Trials by their index in the set, ascending: those fitted on and those asked about, which are of one subject. */
typedef struct congru_fold_side {
    size_t count;
    const size_t *trial;
} congru_fold_side;

/* Both sides of a fold as an aligner leaves them; {0} to begin with. Classifiers that stand behind the same aligner and
 * read the same blocks share one. */
typedef struct congru_fold_aligned {
    const congru_material *material; /* of which it was made; NULL: nothing is there yet */
    congru_fold_sources source[CONGRU_BLOCKS_MAX];
    congru_fold_target target[CONGRU_BLOCKS_MAX];
    double *prior[CONGRU_BLOCKS_MAX]; /* (d, d) of each block */
    congru_tensors model;             /* the aligner's */
    double seconds;                   /* that the source trials took */
    congru_record record;             /* of the aligner's training, where the fold is recorded and it has one */
} congru_fold_aligned;

void congru_fold_aligned_clear(congru_fold_aligned *aligned);

/* What one fold is made of. */
typedef struct congru_fold_case {
    congru_context *context;
    const congru_materials *materials;
    const congru_evaluation_options *options;
    congru_fold_side train, test;
    congru_record
        *record; /* of the last branch that was fitted: its network's, or its aligner's; may be NULL */
} congru_fold_case;

/* Aligns the trials to fit on: references and the aligner's tensors are in `aligned`, which is made anew unless it serves.
 * `views`: every classifier that is going to share it takes views. */
congru_status congru_branch_align(const congru_fold_case *fold, const congru_material *material,
                                  const congru_method_options *method, bool views,
                                  congru_fold_aligned *aligned);

/* Fits the branch of a material, with its method's options or others, on the trials to fit on: the aligner's tensors and
 * references go to `aligned`, the classifier's tensors to `model`. */
congru_status congru_branch_fit(const congru_fold_case *fold, const congru_material *material,
                                const congru_method_options *method, bool views, congru_fold_aligned *aligned,
                                congru_tensors *model);

/* Asks it about the trials of one subject: probability (test, classes). `labelled`: labels may be used by an aligner that
 * asks for some. Where the target is aligned it stays in aligned->target, and is not aligned again. */
congru_status congru_branch_ask(const congru_fold_case *fold, const congru_material *material,
                                const congru_method_options *method, congru_fold_aligned *aligned,
                                const congru_tensors *model, bool labelled, double *probability);

/* Whether the features of the trials asked about are those that all folds share, so that `aligned` is not looked at. */
bool congru_branch_shares(const congru_fold_case *fold, const congru_material *material);

#endif
