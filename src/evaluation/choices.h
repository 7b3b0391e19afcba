/* What is chosen on the source subjects: options, C of each branch, and the weights of branches. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_EVALUATION_CHOICES_H
#define CONGRU_EVALUATION_CHOICES_H

#include "evaluation/grid.h"

/* Subjects are dealt into groups by their number in the set, into those that are left out together where the options have
 * groups. For a target subject nothing of its group is looked at: of the
 * other groups each in turn is left out too, branches are fitted on the rest and asked about it, and what does best there
 * is chosen. So a choice is a function of the set and of the groups that are shut out, whatever is run besides, and fits
 * without two groups serve both. Where subjects are scored by themselves, what does best for the subjects of other groups,
 * scored in the same way, is chosen. There are few groups where options of a network are chosen, since each combination of
 * values is trained without each pair of them: CONGRU_GROUPS_OF_NETWORKS, six trainings. */
enum { CONGRU_GROUPS_MAX = 10, CONGRU_GROUPS_OF_NETWORKS = 4 };

/* For a pipeline of this grid; no pipeline has more than where the grid is NULL. */
size_t congru_groups(const congru_set *set, const congru_evaluation_options *options, const congru_grid *grid);

typedef struct congru_choice {
    size_t variant;                       /* of the grid; of no meaning where nothing is learned */
    size_t material[CONGRU_BRANCHES_MAX]; /* which its branches read */
    double c[CONGRU_BRANCHES_MAX];
    double weight[CONGRU_BRANCHES_MAX]; /* of its log-probabilities */
    bool learned;                       /* false: constants, since too few groups are left */
} congru_choice;

/* What is taken where nothing can be chosen. */
congru_choice congru_choice_constant(const congru_pipeline *pipeline, const congru_grid *grid);

/* The choice of this variant, as it is before C and weights are known. */
congru_choice congru_choice_variant(const congru_pipeline *pipeline, const congru_grid *grid, size_t variant);

/* What is chosen from. */
typedef struct congru_chosen_for {
    const congru_pipeline *pipeline;
    const congru_grid *grid;
} congru_chosen_for;

/* choice (count, shuts) of pipelines (count), for each set of groups that is shut out, as bits, subjects being dealt into
 * `groups`. Branches that pipelines
 * share are fitted once; fits are divided among the workers, or run on all threads of their caller. */
congru_status congru_choices_make(const congru_workers *workers, const congru_materials *materials,
                                  const congru_evaluation_options *options, size_t groups, size_t count,
                                  const congru_chosen_for *of, size_t shuts, const uint64_t *shut,
                                  congru_choice *choice);

#endif
