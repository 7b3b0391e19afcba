/* Fits branches on trials of a set, and asks them about others. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_EVALUATION_FIT_H
#define CONGRU_EVALUATION_FIT_H

#include "evaluation/materials.h"

/* Trials by their index in the set, ascending. */
typedef struct congru_trial_list {
    size_t count;
    const size_t *trial;
} congru_trial_list;

/* Where branches are fitted and asked. */
typedef struct congru_executor {
    congru_context *context;
    const congru_materials *materials;
    bool own_references;  /* folds inside a subject: references are those of the part that is fitted on */
    congru_target target; /* what may be seen of a subject who is asked about */
    bool labelled;        /* labels of that subject may be used by an aligner that asks for some */
    bool
        keeps_priors; /* as a model; else the references of unknown subjects are had only where asking takes them */
} congru_executor;

congru_executor congru_executor_make(congru_context *context, const congru_materials *materials,
                                     const congru_evaluation_options *options);

/* One block of the trials fitted on, as the aligner leaves them. */
typedef struct congru_source_block {
    double *covariance; /* (count, d, d); NULL where nothing but a view of the set is needed */
    congru_view view;
    congru_signals signals; /* where these are what is read */
    double *root;           /* (d, d) of signals whitened by this fit's own reference, and */
    int32_t *owner;         /* (trials of the set) */
    congru_trials trials;
} congru_source_block;

/* One block of the trials of the subject who is asked about, likewise. */
typedef struct congru_target_block {
    double *covariance; /* (count, d, d); NULL for signals */
    double *signal;     /* (count, d, samples); NULL where they are read where they are */
    congru_signals signals;
} congru_target_block;

/* What an aligner has made of trials; {0} to begin with. Classifiers that stand behind the same aligner and read the same
 * blocks share it while the trials fitted on are the same. */
typedef struct congru_aligned {
    const congru_material *material; /* of which it was made; NULL: nothing is there yet */
    int32_t *label, *subject;        /* of the trials fitted on, subjects numbered anew */
    congru_source_block source[CONGRU_BLOCKS_MAX];
    congru_tensors tensors; /* the aligner's, and priors */
    congru_record record;   /* of the aligner's training, where the fit is recorded and it has one */
    double seconds;         /* that the trials fitted on took */

    size_t *trial;    /* of the subject who was asked about last; NULL: nobody yet */
    bool *calibrated; /* (count): the trial is used with its label, and not to be scored */
    size_t *place;    /* of the calibration trials */
    int32_t *known;   /* their labels */
    congru_target_block block[CONGRU_BLOCKS_MAX];
    congru_target_trials target[CONGRU_BLOCKS_MAX];
} congru_aligned;

void congru_aligned_clear(congru_aligned *aligned);

/* Whether what is aligned for one of the materials serves the other. */
bool congru_aligned_alike(const congru_material *a, const congru_material *b);

/* Gathers and aligns trials to fit on, unless what is there serves: the aligner's tensors, and, where it recentres, "prior.0",
 * ..., the references (d, d) of a subject of whom nothing is known, block by block. */
congru_status congru_align(const congru_executor *executor, const congru_material *material,
                           congru_trial_list train, bool records, congru_aligned *aligned);

/* The same of trials of one subject to ask about, by tensors of a fit, unless they are there. */
congru_status congru_align_target(const congru_executor *executor, const congru_material *material,
                                  const congru_tensors *fitted, congru_trial_list test,
                                  congru_aligned *aligned);

/* Fits the branch of a material with this C: the tensors of its aligner and classifier. `record` is that of its network, or of
 * its aligner's; may be NULL. */
congru_status congru_fit(const congru_executor *executor, const congru_material *material, double c,
                         congru_trial_list train, congru_aligned *aligned, congru_tensors *fitted,
                         congru_record *record);

/* Asks a fitted branch about trials of one subject: probability (test, classes). What is aligned stays in `aligned`. */
congru_status congru_ask(const congru_executor *executor, const congru_material *material,
                         const congru_tensors *fitted, congru_trial_list test, congru_aligned *aligned,
                         double *probability);

/* Whether the features of the trials asked about are those that all fits share, so that `aligned` is not looked at. */
bool congru_asks_shared(const congru_executor *executor, const congru_material *material);

/* The trials that were asked about last, as congru_branch_predict takes them. */
congru_asked congru_asked_last(const congru_material *material, const congru_aligned *aligned);

/* How a trial stands to a fit. */
enum { CONGRU_SIDE_FITTED = 0, CONGRU_SIDE_ASKED = 1, CONGRU_SIDE_NEITHER = -1 };

/* Whether folds without some subjects are fitted together, on rows of features that all share: those of described blocks, of
 * which there are many. A model is fitted so too, to the same bits. */
bool congru_fits_together(const congru_material *material);

/* Makes `fits` of them at once, each with every one of `count` C; side[fit] (trials), of which no fit has others on neither
 * side than the first. Either may be NULL: fitted (count, fits); log_probability, for each C, fit by fit, (trials asked about,
 * classes). */
congru_status congru_fit_together(congru_context *context, const congru_materials *materials,
                                  const congru_material *material, size_t count, const double *c, size_t fits,
                                  const int8_t *const *side, double *log_probability, congru_tensors *fitted);

#endif
