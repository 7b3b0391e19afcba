/* Covariance sets: what every aligner and classifier takes. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_DATASET_H
#define CONGRU_DATASET_H

#include "congru/preprocess.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Trials of several subjects. X or signals or both are there; strings are owned. */
typedef struct congru_set {
    size_t count;       /* trials */
    size_t dimension;   /* channels */
    double *covariance; /* (count, dimension, dimension), or NULL */
    size_t samples;
    double *signals;  /* (count, dimension, samples), or NULL */
    int32_t *label;   /* (count), index into class_name */
    int32_t *subject; /* (count), index into subject_name */
    int32_t *session; /* (count) */
    int32_t *run;     /* (count) */
    size_t classes, subjects;
    char (*class_name)[CONGRU_LABEL_SIZE];
    char (*subject_name)[CONGRU_LABEL_SIZE];
    char (*channel_name)[CONGRU_LABEL_SIZE]; /* (dimension); "" where unknown */
    double rate;                             /* 0 when unknown */
    char *meta; /* JSON text, or NULL: what the covariances went through, and the signals too where the
                           next is NULL */
    char *
        signals_meta; /* the same for signals that covariances were made of with more done (congru_set_estimate) */
    double start;     /* seconds of sample 0 from the cue; NaN when unknown */
    bool borrowed; /* covariance and signals are the caller's of congru_set_create_borrowing, who frees them */
} congru_set;

/* A set of arrays that are there already, given as the fields of `from`: covariances or signals or both; label NULL is
 * all of one class, subject NULL all of one subject; session, run and names may be NULL, and rate 0. Everything is
 * checked as when a file is read. Copying: `from` may then go. Borrowing: covariance and signals stay where they are,
 * must live as long as the set, and are not written to; everything else is copied. */
CONGRU_API congru_status congru_set_create_copying(congru_context *context, const congru_set *from,
                                                   congru_set **set);
CONGRU_API congru_status congru_set_create_borrowing(congru_context *context, const congru_set *from,
                                                     congru_set **set);

/* Adds the trials of `other` to the set, classes and subjects joined by name. CONGRU_ERROR_ARGUMENT, with what differs,
 * unless both hold the same kinds of data of the same channels that went through the same; the window may differ where
 * one is the rest. */
CONGRU_API congru_status congru_set_join(congru_context *context, congru_set *set, const congru_set *other);

/* Covariances of epochs (count, d, T) -> (count, d, d). trace_normalise divides each by its trace. */
CONGRU_API congru_status congru_covariance(congru_context *context, congru_estimator estimator,
                                           bool trace_normalise, size_t count, size_t d, size_t samples,
                                           const double *signals, double *out);

/* CONGRU_ERROR_NOT_POSITIVE when a covariance has an eigenvalue below `tolerance` (0: 1e-10) of its largest; the
 * text names the trial, counted from 1, and the combination of channels that is missing ("Cz is flat", "C3 and C4 are equal", "the
 * channels add up to zero: average reference") and what to do. */
CONGRU_API congru_status congru_covariance_check_rank(congru_context *context, size_t count, size_t d,
                                                      const double *covariance, double tolerance,
                                                      const char (*channel_name)[CONGRU_LABEL_SIZE]);

/* The same for the trials of a set from `first` on, with tolerance 1e-10. Where they are those of `epochs`, which may be
 * NULL, trials have their numbers there. Where the samples of a trial are known and too few, the text says so. */
CONGRU_API congru_status congru_set_check_rank(congru_context *context, const congru_set *set, size_t first,
                                               const congru_epochs *epochs);

/* Appends the trials of `epochs` to the set (made anew when *set is NULL) under a subject's name, or under those that
 * the epochs themselves tell apart, with covariances by the estimator and, where keep_signals, the signals. Classes are
 * joined by name. Fails when channels, window length or rate differ from those of the set, saying what differs. */
typedef struct congru_set_options {
    congru_estimator estimator;
    bool trace_normalise;
    bool keep_signals;
    double shrinkage; /* as congru_preprocessing's */
} congru_set_options;
CONGRU_API congru_status congru_set_append(congru_context *context, congru_set **set,
                                           const congru_epochs *epochs, const char *subject,
                                           const congru_set_options *options);

/* An .npz as numpy.savez writes it, stored or deflated: X float64/float32 (n, d, d) or signals (n, d, T) [or X with
 * the last two dimensions different]; y integers; subject integers or strings; optional session, run, channels,
 * classes, fs, meta. Labels need not be 0..K-1: distinct values are sorted, and named by `classes` where given. Without y
 * all trials are of one class, "unlabelled".
 *
 * Beyond a 32nd of the machine's memory, 64 MB at least (CONGRU_LARGE of the environment, in MB), X and signals are
 * read into a temporary file without a name in TMPDIR. The set is the caller's own in either case: it may be written
 * to, and does not change with the file. congru_set_destroy knows how each array is freed; so pointers are taken out
 * of a set by exchanging them for others, never by free.
 *
 * CONGRU_ERROR_FORMAT where shapes do not go together, before any value is read; CONGRU_ERROR_IO where the file is changed
 * while it is read. */
CONGRU_API congru_status congru_set_read(congru_context *context, const char *path, congru_set **set);

/* Written so that numpy.load(allow_pickle=False) opens it; covariances stored, not deflated, at a multiple of 64 in the
 * file, so that other programs can map them. */
CONGRU_API congru_status congru_set_write(congru_context *context, const char *path, const congru_set *set);

/* Keeps the trials of the named classes alone, which become the classes 0, 1, ... in the order of the names; subjects
 * that have no trial left go too. CONGRU_ERROR_ARGUMENT for a class that is not in the set, with those that are. */
CONGRU_API congru_status congru_set_keep_classes(congru_context *context, congru_set *set,
                                                 const char *const *names, size_t count);

/* Keeps the trials of these sessions alone, by number; subjects that have no trial left go too. CONGRU_ERROR_ARGUMENT for a
 * session that nobody has. */
CONGRU_API congru_status congru_set_keep_sessions(congru_context *context, congru_set *set,
                                                  const int32_t *sessions, size_t count);

/* The indices of subjects by name, into `subject` (count). CONGRU_ERROR_ARGUMENT for a name that no subject has; `file`, what
 * the caller calls the set, begins the line. */
CONGRU_API congru_status congru_set_find_subjects(congru_context *context, const congru_set *set,
                                                  const char *file, size_t count, const char *const *names,
                                                  int32_t *subject);

/* What the trials went through, as their meta data say: what congru_import wrote, else raw. Clear *p afterwards. */
CONGRU_API congru_status congru_set_preprocessing(congru_context *context, const congru_set *set,
                                                  congru_preprocessing *p);

/* Does to the set's signals what is described and makes their covariances; meta data then say so. Channels are found by
 * name; a window needs `start`. Borrowed signals are copied first. Covariances without signals can be divided by their traces, and nothing else. On
 * failure the set is not to be used. */
CONGRU_API congru_status congru_set_preprocess(congru_context *context, congru_set *set,
                                               const congru_preprocessing *p);

/* The same for the covariances alone: signals stay as wide as they are, so that pipelines can make their own of them.
 * What covariances and signals share is done to both: channels, unit, and what was filtered elsewhere. */
CONGRU_API congru_status congru_set_estimate(congru_context *context, congru_set *set,
                                             const congru_preprocessing *p);

/* Does what is left so that the trials have gone through what is wanted, such as what a model's have: raw signals are
 * filtered, channels put in order. CONGRU_ERROR_ARGUMENT with what differs where more was done than that; `who` is what
 * `wanted` belongs to, "the model". `scale` makes microvolts of the set's samples. */
CONGRU_API congru_status congru_set_preprocess_like(congru_context *context, congru_set *set,
                                                    const congru_preprocessing *wanted, const char *who,
                                                    double scale);

CONGRU_API void congru_set_destroy(congru_set **set);

#ifdef __cplusplus
}
#endif
#endif
