/* What a method is fitted on and applied to. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_MODEL_TRIALS_H
#define CONGRU_MODEL_TRIALS_H

#include <stdint.h>

#include "base/view.h"
#include "congru/method.h"
#include "congru/text.h"

/* What a method reads of a trial. */
typedef enum congru_needs {
    CONGRU_NEEDS_COVARIANCES, /* of one band and window */
    CONGRU_NEEDS_SIGNALS      /* the samples themselves */
} congru_needs;

/* Signals of trials where they are, like congru_view: what is read is W x with the W of the trial's owner. */
typedef struct congru_signals {
    const double *plain; /* (any, channels, samples) */
    const size_t *place; /* (count), where each trial is; NULL: the first count */
    size_t channels, samples;
    double rate;          /* samples per second; 0 when unknown */
    double start;         /* seconds of sample 0 from the cue; NaN when unknown */
    const double *root;   /* (owners, channels, channels), symmetric; NULL: x as it is */
    const int32_t *owner; /* (any) */
} congru_signals;

/* Trial `index` (channels, samples) of them, whitened by its owner's root where there is one. `out` is not among them. */
void congru_signals_read(const congru_signals *signals, size_t index, double *out);

/* Features of trials where they are: rows of a larger array. */
typedef struct congru_features {
    const double *plain; /* (any, size) */
    const size_t *place; /* (count); NULL: the first count */
    size_t size;
} congru_features;

/* The features of trial `index`. */
static inline const double *congru_features_at(const congru_features *features, size_t index)
{
    return features->plain + (features->place != NULL ? features->place[index] : index) * features->size;
}

/* Labelled trials of the source subjects. The arrays are the caller's. */
typedef struct congru_trials {
    size_t count;
    size_t d;
    const double *covariance; /* (count, d, d); NULL where there is a view, and for methods of signals */
    const int32_t *label;     /* (count), 0 to classes - 1; a class may have no trial */
    const int32_t *subject;   /* (count), 0 to subjects - 1 */
    size_t classes;
    size_t subjects;
    const char (*class_name)[CONGRU_LABEL_SIZE]; /* (classes), for messages; NULL: they are told by number */
    const congru_view *view; /* the trials where they are, for methods that take them so; NULL: in covariance */
    const congru_signals *signals;   /* for methods that need them; else NULL */
    const congru_features *features; /* for classifiers with features (classifier/classifier.h); else NULL */
} congru_trials;

/* A class in messages: "class 'feet'", or "class 2" where names are NULL. */
typedef struct congru_class_words {
    char text[CONGRU_LABEL_SIZE + 16];
} congru_class_words;

congru_class_words congru_class_named(const char (*class_name)[CONGRU_LABEL_SIZE], size_t class);

/* The trials for those who take either. */
static inline congru_view congru_trials_view(const congru_trials *trials)
{
    return trials->view != NULL ? *trials->view : (congru_view){.plain = trials->covariance};
}

/* What methods remember of a target subject whose trials come one at a time: statistics that CONGRU_TARGET_ONLINE makes of
 * trials 0 to i. A method takes its numbers when it is asked, in the same order each time; the first is how many trials they
 * stand for. */
typedef struct congru_following {
    bool before;    /* the trial counts for the decision about itself; otherwise for later ones alone */
    double memory;  /* how many trials the numbers stand for at most; 0: all */
    double *number; /* (2, room), owned: as the trials before have left them, and as this one does */
    size_t room, used;
} congru_following;

/* The next `count` numbers, zeros before the first trial, to be changed until the next call; NULL when memory lacks, which
 * is so in the first decision alone. */
double *congru_following_take(congru_following *following, size_t count);

/* One more trial: number[0], after the others were added to. The sums among them, number[1] to number[sums], shrink with it
 * where the memory is full. */
void congru_following_count(const congru_following *following, size_t sums, double *number);

/* Before each decision, from what was kept; a decision is kept once, however often it was asked for. And as before the first
 * trial. */
void congru_following_begin(congru_following *following);
void congru_following_keep(congru_following *following);
void congru_following_forget(congru_following *following);
void congru_following_clear(congru_following *following);

/* Trials of the target subject, who is new to the model, in the order they were recorded. */
typedef struct congru_target_trials {
    size_t count;
    size_t d;
    const double *covariance;        /* (count, d, d); NULL for methods of signals */
    const congru_signals *signals;   /* for methods that need them; else NULL */
    const congru_features *features; /* for classifiers with features; else NULL */

    /* Which trials statistics of the subject may be made of, for the decision about trial i: the first `visible`
     * ones; trials 0 to i when `online`; none but the source subjects' own statistics when visible is 0. */
    size_t visible;
    bool online;

    /* Of a single trial, neither visible nor online: those before it are in here. NULL: there are none. */
    congru_following *following;

    /* Labelled trials of the subject, for the methods that need them (rpa): (calibration) indices and their labels;
     * 0 for all others. */
    size_t calibration;
    const size_t *calibration_trial;
    const int32_t *calibration_label;
} congru_target_trials;

/* The target subject's `visible` and `online` for a mode: the first ceil(count / 2), ceil(count / 5), ... */
void congru_target_see(congru_target_trials *target, congru_target mode);

#endif
