/* Where an aligner and a classifier meet. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_EVALUATION_PIPELINE_H
#define CONGRU_EVALUATION_PIPELINE_H

#include "aligner/aligner.h"
#include "base/text.h"
#include "classifier/classifier.h"
#include "congru/evaluation.h"

enum {
    CONGRU_BRANCHES_MAX = 8,
    CONGRU_BLOCKS_MAX = 64,
    CONGRU_SETTINGS_MAX = 8,
    CONGRU_TITLE_SIZE = 256,
    CONGRU_DEFINITIONS_MAX = 1000 /* pipelines that a context or a model is told of */
};

/* An option of a method by name, as congru_method_options_set takes it, which has accepted it. */
typedef struct congru_branch_setting {
    char name[32], value[64];
} congru_branch_setting;

/* A branch is a preprocessing, an aligner and a classifier. Its preprocessing is one block or several, bands or windows, whose
 * features are joined; one block may be the trials as the set has them. */
typedef struct congru_branch {
    char name[CONGRU_LABEL_SIZE]; /* within its pipeline; "" where there is no other */
    const congru_aligner *aligner;
    const congru_classifier *classifier;
    size_t blocks;               /* 1 or more */
    congru_preprocessing *block; /* (blocks), owned; NULL: the one block is what the set has */
    bool inside;                 /* windows are moved inside what the trials hold */
    size_t settings;             /* options of its own methods */
    congru_branch_setting setting[CONGRU_SETTINGS_MAX];
    double weight;   /* of its log-probabilities, where none is learned */
    size_t material; /* what it reads, in the run's list (evaluation/materials.h) */
} congru_branch;

/* The description of a block; NULL for what the set has. */
static inline const congru_preprocessing *congru_branch_block(const congru_branch *branch, size_t block)
{
    return branch->block != NULL ? &branch->block[block] : NULL;
}

/* Whether it reads covariances as the set has them, or signals, of which it makes covariances where it needs them. */
bool congru_branch_reads(const congru_branch *branch, congru_needs needs);

/* The options a branch fits with: `options` comes in as the run's. */
void congru_branch_options(const congru_branch *branch, congru_method_options *options);

/* Whether a branch has a forward pattern: its log-probabilities are linear in features, and what its aligner does to trials
 * is whitening at most. */
bool congru_branch_linear(const congru_branch *branch);

/* One branch, which answers as its classifier does, or several, whose log-probabilities are added with their weights. */
typedef struct congru_pipeline {
    size_t branches;
    congru_branch branch[CONGRU_BRANCHES_MAX];
    bool choose_c; /* of each branch that states one: that, or ten times more, or up to a hundred times less */
    bool choose_weights;             /* of the branches */
    char choose[CONGRU_CHOOSE_SIZE]; /* its own options that are chosen, as in congru_method_options */
    char title[CONGRU_TITLE_SIZE];
} congru_pipeline;

/* Whether any of its branches reads it, or has a forward pattern. */
bool congru_pipeline_reads(const congru_pipeline *pipeline, congru_needs needs);
bool congru_pipeline_linear(const congru_pipeline *pipeline);

void congru_branch_clear(congru_branch *branch);
void congru_pipeline_clear(congru_pipeline *pipeline);

/* The same with blocks of its own. The caller clears the copy, after a failure too. */
congru_status congru_pipeline_copy(congru_context *context, const congru_pipeline *pipeline,
                                   congru_pipeline *copy);

/* Whether the option matters to the branch, which does not state it itself. */
bool congru_branch_takes(const congru_branch *branch, const congru_method_option *option);

/* "ALIGNER+CLASSIFIER", or the name of an end-to-end classifier, which stands behind its own aligner: one branch. */
congru_status congru_pipeline_parse_plain(congru_context *context, const char *name, congru_pipeline *pipeline);

/* Whether a branch is a network on signals, whose band and window the options of methods may set. */
bool congru_branch_reads_signals(const congru_branch *branch);

/* Brings the blocks of branches to what a run's options say of them: networks on signals have the band and window of
 * --signal-band and --signal-window, unless they are "own"; with `causal` the filters of all branches run forward only.
 * CONGRU_ERROR_ARGUMENT where these do not go together. */
congru_status congru_pipeline_adjust(congru_context *context, const congru_method_options *method, bool causal,
                                     congru_pipeline *pipeline);

/* Adds which bands and windows of the set's trials a pipeline of its own sees, by branch; nothing where it takes what the set
 * has. */
void congru_pipeline_signals_text(congru_context *context, const congru_set *set,
                                  const congru_evaluation_options *options, const char *name,
                                  congru_text *text);

/* Whether the branch is among `users` (congru_method_option.users). */
bool congru_branch_among(const congru_branch *branch, const char *users);

/* Whether it trains a network, in either of the two. */
bool congru_pipeline_trains(const congru_pipeline *pipeline);

/* The same, or a pipeline that is defined: built in, or by congru_pipeline_define. The caller clears the pipeline, after a
 * failure too. */
congru_status congru_pipeline_parse(congru_context *context, const char *name, congru_pipeline *pipeline);

/* The pipeline of this name in definitions (congru_pipeline_define): false in *found when there is none. With `name` NULL
 * all are read, for what is wrong with them. `where` begins the lines about it. */
congru_status congru_definitions_read(congru_context *context, const char *where, const char *text,
                                      const char *name, congru_pipeline *pipeline, bool *found);

/* The names in definitions, one with each call: *at begins as the text (NULL: there are none) and moves. false after the last. */
bool congru_definitions_next(const char **at, char name[CONGRU_PIPELINE_SIZE]);

/* The definitions that this pipeline is among; NULL when it is none of them. */
const char *congru_pipeline_definitions(const congru_context *context, const char *name);

/* Definitions that every context knows. */
extern const char congru_definitions_builtin[];

/* Every name of a pipeline that a run in this context may have: those of congru_pipeline_at, those of signals, those that are
 * defined. *name is freed by free. */
congru_status congru_pipeline_names(const congru_context *context, char (**name)[CONGRU_PIPELINE_SIZE],
                                    size_t *count);

/* Fits the aligner and maps the trials in `covariance` (which trials->covariance points to) in place. Trials are
 * recentred already if the aligner wants them so. */
congru_status congru_branch_align(congru_context *context, const congru_aligner *aligner,
                                  const congru_trials *trials, double *covariance,
                                  const congru_method_options *options, congru_tensors *model,
                                  congru_record *record);

/* Blocks of trials of one subject, recentred, as a fitted branch is asked about them. */
typedef struct congru_asked {
    size_t blocks, features;
    const congru_target_trials *block; /* (blocks) */
    const size_t *first;               /* (blocks), each block's first feature */
    double *mapped; /* the covariances of the one block, which its aligner maps in place; NULL: that is done */
    double *row;    /* (count, features), room for features; NULL: it is taken */
} congru_asked;

/* What the classifier says of them, with the tensors of both: probability (count, classes). */
congru_status congru_branch_predict(congru_context *context, const congru_branch *branch,
                                    const congru_method_options *options, const congru_tensors *tensors,
                                    const congru_asked *asked, double *probability);

/* The features of the blocks side by side: x (count, features). */
congru_status congru_branch_features(congru_context *context, const congru_branch *branch,
                                     const congru_method_options *options, const congru_asked *asked,
                                     double *x);

/* Training steps; 0 where no network is trained. */
size_t congru_pipeline_steps(const congru_pipeline *pipeline, const congru_method_options *options);

/* How long a fit takes, roughly, in units of a small classical one: for the order of jobs alone. */
double congru_pipeline_cost(const congru_pipeline *pipeline, const congru_method_options *options);

#endif
