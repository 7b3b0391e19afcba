/* Fits on source subjects alone, by which something is chosen for a target subject. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_EVALUATION_INNER_FITS_H
#define CONGRU_EVALUATION_INNER_FITS_H

#include "evaluation/fit.h"
#include "evaluation/grid.h"

/* Subjects are dealt into groups by their number in the set, as bits of a word. */
typedef struct congru_inner_fit {
    uint64_t without; /* groups that it is fitted without; of a fit within a subject: the subject's */
    uint64_t barred;  /* those of them whose rows are not even beside the others */
    int8_t *side;     /* (trials) CONGRU_SIDE_FITTED, CONGRU_SIDE_ASKED or CONGRU_SIDE_NEITHER */
} congru_inner_fit;

typedef struct congru_inner_list {
    size_t fits, room;
    congru_inner_fit *fit; /* (fits) */
} congru_inner_list;

/* Adds a fit that leaves out `without`, and is asked about its trials but those of `barred`; not one that lacks a class that
 * trials outside of `shut` have, nor one that is there. */
congru_status congru_inner_list_groups(congru_context *context, const congru_set *set, size_t groups,
                                       uint64_t shut, uint64_t without, uint64_t barred,
                                       congru_inner_list *list);

/* Adds those that score each subject by itself. */
congru_status congru_inner_list_within(congru_context *context, const congru_set *set,
                                       const congru_evaluation_options *options, size_t groups,
                                       congru_inner_list *list);
void congru_inner_list_clear(congru_inner_list *list);

/* Of all pipelines that read a material. */
enum { CONGRU_INNER_RIDGES_MAX = 128 };

/* What the fits of one material say, with several C. */
typedef struct congru_inner_said {
    const congru_workers *workers;
    const congru_materials *materials;
    const congru_evaluation_options *options;
    const congru_material *material;
    const congru_inner_list *list;
    size_t ridges;
    double c[CONGRU_INNER_RIDGES_MAX];
    size_t *first; /* (fits + 1) a fit's first row among those of a C */
    double
        *log_probability; /* (ridges, rows, classes): fit by fit, the trials asked about in the set's order */
} congru_inner_said;

/* Whether fits of the material are made together on rows of features that all share; others are jobs of their own. */
bool congru_inner_together(const congru_evaluation_options *options, const congru_material *material);

congru_status congru_inner_run(congru_inner_said *said);
void congru_inner_clear(congru_inner_said *said);

#endif
