/* What a linear decoder looks at: forward patterns by channel, time, band and class. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_EXPLAIN_H
#define CONGRU_EXPLAIN_H

#include "congru/dataset.h"
#include "congru/evaluation.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Weights say what a decoder subtracts as well as what it looks for; the forward pattern, weights times the covariance of
 * what they are applied to (Haufe et al. 2014), says where in the head, when and in which band a score comes from. It is
 * had for pipelines whose log-probabilities are linear in the features of a trial (congru_pipeline_description.linear) and
 * of a subject that the weights were not fitted on: the covariance, over its trials, of what each electrode measures with
 * the score of each class. docs/explain.md has the formulas. */

typedef enum congru_pattern_kind {
    CONGRU_PATTERN_POWER,    /* of the logarithm of each channel's power in the band and window of the cell */
    CONGRU_PATTERN_POTENTIAL /* of each channel's mean over the time of the cell, in the unit of the set */
} congru_pattern_kind;

/* A stretch of time in a band. Values are per standard deviation of the class's score. */
typedef struct congru_pattern_cell {
    double band[2];   /* Hz; NaN where it is not known */
    double window[2]; /* seconds after the cue; NaN where they are not known */
    double *
        share; /* (classes): of the variance of the branch's scores; over all cells and classes they add up to 1 */
    double *value; /* (classes, channels); NaN where the branch does not read the channel */
} congru_pattern_cell;

/* What one branch of a pipeline looks at; a pipeline of an aligner and a classifier is one branch of its own name. */
typedef struct congru_pattern {
    char pipeline[CONGRU_PIPELINE_SIZE], branch[CONGRU_PIPELINE_SIZE];
    congru_pattern_kind kind;
    double part;     /* of the branch in the variance of the pipeline's scores */
    size_t subjects; /* whose patterns were averaged */
    size_t cells;
    congru_pattern_cell *cell;
} congru_pattern;

typedef struct congru_patterns {
    size_t classes, channels, count;
    char (*class_name)[CONGRU_LABEL_SIZE];
    char (*channel_name)[CONGRU_LABEL_SIZE];
    congru_pattern *pattern; /* branches, those of a pipeline side by side */
} congru_patterns;

/* FOLDER/patterns.csv, as congru_evaluate leaves it for the leave-one-subject-out protocol: means over folds. Where there is
 * none the text says why, as far as it can be known. */
CONGRU_API congru_status congru_patterns_read(congru_context *context, const char *folder,
                                              congru_patterns **patterns);

/* The same from the text of such a file; `name` begins what is said of it. */
CONGRU_API congru_status congru_patterns_parse(congru_context *context, const char *name, const char *text,
                                               congru_patterns **patterns);

/* Such a text of the first `count` of them, to be freed. */
CONGRU_API congru_status congru_patterns_csv(congru_context *context, const congru_patterns *patterns,
                                             size_t count, char **text);
CONGRU_API void congru_patterns_destroy(congru_patterns **patterns);

/* The share of a branch's weight, all classes, in the time and band given, NULL for any: cells count by how much of them
 * lies there, and not at all where it is not known. */
CONGRU_API double congru_pattern_share(const congru_patterns *patterns, size_t index, const double window[2],
                                       const double band[2]);

/* How strong a channel is in a branch: the root of the sum of squares over cells of one class, or of all where it is -1. 0
 * for a channel that the branch does not read. */
CONGRU_API double congru_pattern_strength(const congru_patterns *patterns, size_t index, int32_t label,
                                          size_t channel);

/* The strongest channels, strongest first: how many there are, `wanted` or fewer. */
CONGRU_API size_t congru_pattern_strongest(const congru_patterns *patterns, size_t index, int32_t label,
                                           size_t wanted, size_t *channel);

/* Where an electrode is, by its name in the 10-10 system. */
typedef enum congru_region {
    CONGRU_REGION_UNKNOWN,
    CONGRU_REGION_CENTRAL,  /* C3 C1 Cz C2 C4 and their neighbours in front and behind, FC and CP */
    CONGRU_REGION_FRONTAL,  /* F, AF, Fp, and EOG */
    CONGRU_REGION_LATERAL,  /* C5, C6, T and the like, from the fifth column outwards */
    CONGRU_REGION_POSTERIOR /* P, PO, O */
} congru_region;
CONGRU_API congru_region congru_region_of(const char *channel);

/* One sentence about a branch, computed by the rules of docs/explain.md: "88 % of the slow branch's weight lies before 1 s,
 * most at C5, FC3, Fz: gaze or evoked response, not imagery, may drive it"; cut to fit. */
enum { CONGRU_SENTENCE_SIZE = 512 };
CONGRU_API congru_status congru_pattern_sentence(congru_context *context, const congru_patterns *patterns,
                                                 size_t index, char sentence[CONGRU_SENTENCE_SIZE]);

#ifdef __cplusplus
}
#endif
#endif
