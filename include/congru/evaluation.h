/* How well decoders do on subjects they have not seen, and the results as files. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_EVALUATION_H
#define CONGRU_EVALUATION_H

#include "congru/dataset.h"
#include "congru/method.h"
#include "congru/process_group.h"
#include "congru/statistics.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { CONGRU_PIPELINE_SIZE = 64, CONGRU_SUBJECT_GROUPS_MAX = 64 };

/* A pipeline is an aligner and a classifier, "ra+mdm", or an end-to-end model, "ddct-unet-e2e". */

/* CONGRU_OK when `name` is a pipeline; otherwise CONGRU_ERROR_ARGUMENT, with a text that suggests what was meant. */
CONGRU_API congru_status congru_pipeline_check(congru_context *context, const char *name);

/* What a pipeline is made of. The names are the library's own. */
typedef struct congru_pipeline_description {
    const char *aligner, *classifier;
    const char
        *network; /* "dct", "dldct", "ddct-unet", ...: what it trains by gradient descent, in the aligner or in
                            the classifier; NULL when it trains nothing so */
    bool end_to_end;    /* the classifier stands alone: the pipeline's name is its name */
    bool target_labels; /* takes labelled trials of the target subject where options say so (rpa_labels) */
    bool needs_signals; /* covariances are not enough */
    bool embeds;        /* congru_pipeline_represent can show where it puts trials */
    bool target_trials; /* sees the target subject's trials without labels, as many as congru_target says */
    bool linear;        /* its branches have forward patterns (congru/explain.h) */
    size_t branches;    /* how many; aligner, classifier and network are those of the first */
} congru_pipeline_description;

/* CONGRU_ERROR_ARGUMENT as congru_pipeline_check. */
CONGRU_API congru_status congru_pipeline_describe(congru_context *context, const char *name,
                                                  congru_pipeline_description *description);

/* Whether one of the words of `users`, as options of methods have them (congru_method_option), means the pipeline: the name
 * of its aligner or classifier, or a family that it is of. false for a name that is no pipeline's. */
CONGRU_API bool congru_pipeline_among(const char *name, const char *users);

/* The options of methods that a pipeline uses, in the order of help: index 0, 1, ... until NULL. */
CONGRU_API const congru_method_option *congru_pipeline_option(const char *name, size_t index);

/* Options that are CONGRU_OWN become what the network of the pipeline has of its own. false, and nothing is changed, for a
 * name that is no pipeline's, and for a pipeline that trains no network or has several branches. */
CONGRU_API bool congru_pipeline_settle(const char *name, congru_method_options *options);

/* Every pipeline of covariances, an aligner and a classifier or an end-to-end model, and those of them without a trained
 * network: index 0, 1, ... false after the last. */
CONGRU_API bool congru_pipeline_at(size_t index, bool classical, char name[CONGRU_PIPELINE_SIZE]);

/* Pipelines that are defined, built in ("motor", "slow", "motor+slow") or by congru_pipeline_define: their log-probabilities
 * are added up over branches, each with its own preprocessing, aligner and classifier. Index 0, 1, ... false after the last.
 * They need sets that hold signals. */
CONGRU_API bool congru_pipeline_defined(const congru_context *context, size_t index,
                                        char name[CONGRU_PIPELINE_SIZE]);

/* Makes the pipelines of a text known to the context: lines of KEY = VALUE (docs/pipelines.md). `where` begins the line that
 * says what is wrong with it, CONGRU_ERROR_ARGUMENT; nothing is defined then. */
CONGRU_API congru_status congru_pipeline_define(congru_context *context, const char *where, const char *text);

/* The same of a file of at most 1 MiB. CONGRU_ERROR_IO, CONGRU_ERROR_FORMAT for what is no text, or as above. */
CONGRU_API congru_status congru_pipeline_read(congru_context *context, const char *path);

/* Whether the set holds what the pipeline reads: CONGRU_ERROR_ARGUMENT with what is missing. */
CONGRU_API congru_status congru_pipeline_suits(congru_context *context, const congru_set *set,
                                               const char *name);

/* What a pipeline is, a line for its title and one for each branch, into `text`, cut to fit. */
CONGRU_API congru_status congru_pipeline_explain(congru_context *context, const char *name, char *text,
                                                 size_t size);

typedef enum congru_protocol {
    CONGRU_PROTOCOL_LOSO,       /* each subject in turn is new: fitted on all others */
    CONGRU_PROTOCOL_FOLDS,      /* inside each subject: k parts, each in turn left out */
    CONGRU_PROTOCOL_SESSIONS,   /* inside each subject: fitted on the first session, scored on the others */
    CONGRU_PROTOCOL_SESSION_OUT /* inside each subject: each session in turn left out, fitted on its others */
} congru_protocol;

typedef struct congru_evaluation_options {
    congru_protocol protocol;
    const char *const *pipelines; /* (pipeline_count) */
    size_t pipeline_count;
    const int32_t *subjects; /* (subject_count) those to score, by index in the set; NULL: all */
    size_t subject_count;
    congru_target target; /* what may be seen of the target subject; LOSO */
    int groups; /* of LOSO: 0, or so many groups of subjects, 2 to CONGRU_SUBJECT_GROUPS_MAX, that are left out together: the
                   subject of index i is in group i % groups, and each pipeline is fitted once for a group, on the others. The
                   calibration is then 0 */
    bool align_by_session; /* recentre each session of a subject by itself */
    bool
        causal; /* filters of branches run forward only, and a baseline of the whole trial is what comes before the cue */
    int folds;       /* of CONGRU_PROTOCOL_FOLDS, 5 */
    bool contiguous; /* folds are blocks in the order of the set, instead of shuffled and equal in classes */
    int calibration; /* of LOSO: so many labelled trials of each class of the target subject, its first, are fitted on with
                            the sources; of the pipelines those that take labels themselves (rpa_labels) are refused, and the target
                            must be CONGRU_TARGET_FULL */
    int calibration_most; /* the first trials of each class that are not scored, so that runs of a curve score the same ones;
                             at least calibration, and 0 means that */
    const char *dataset; /* its name in tables */
    const char *file;    /* begins error lines about the set's trials and subjects; NULL: nothing does */
    const char *folder;  /* where results go as they come, and are taken up again; NULL: nowhere */
    const char *command; /* kept in run.json: how to repeat the run; may be NULL */
    congru_process_group *processes; /* the processes that share the run; NULL: this one alone */
    bool
        data_parallel; /* they share each step of training, instead of folds: for networks that outgrow a machine */
    congru_method_options method;

    /* Called before each call of the context's progress where threads share the folds, from the calling thread; may be NULL.
     * `part` is how much of the work is done, 0 to 1, by what folds are expected to cost, steps of networks included;
     * `pipeline` is that of the fold that runs, at `step` of `steps` when it trains a network, else 0 of 0; or NULL. While
     * networks are trained to choose weights, before the first fold, the steps are those of all of these together. */
    void (*watch)(void *user, double part, const char *pipeline, size_t step, size_t steps);
    void *watch_user;
} congru_evaluation_options;

CONGRU_API void congru_evaluation_options_init(congru_evaluation_options *options);

/* What the networks on signals among the options' pipelines see of a trial of the set, one line into `text`, cut to fit:
 * "eegnet, shallow: 4 to 38 Hz, 0 to 4 s after the cue"; several with semicolons between, "" where there are none. */
CONGRU_API congru_status congru_evaluation_signals(congru_context *context, const congru_set *set,
                                                   const congru_evaluation_options *options, char *text,
                                                   size_t size);

/* One scored subject under one pipeline. */
typedef struct congru_fold {
    size_t pipeline; /* index in congru_results.pipeline */
    int32_t subject; /* index in congru_results.subject_name */
    int32_t session; /* of the scored trials where it is one; else -1 */
    double accuracy; /* 0 to 1 */
    double kappa;
    double balanced;       /* mean of the classes' recalls, over classes that have trials */
    double seconds;        /* fitting and predicting, as it would take alone; of which */
    double aligning;       /* the share of recentring, and the aligner's training; NaN where it is not known */
    double fitting;        /* the classifier's training; NaN likewise */
    size_t train, samples; /* trials fitted on, trials scored */
    size_t calibration;    /* labelled trials of the target subject that were used, and not scored */
    size_t *trial;         /* (samples) index in the set */
    int32_t *part;         /* (samples) 0, 1, ...: which of the parts that are left out in turn */
    int32_t *truth;        /* (samples) */
    int32_t *prediction;   /* (samples) */
    double *probability;   /* (samples, classes) */
    char *
        chosen; /* what was chosen for it on source subjects, "C 0.1, lambda-sub 0.05"; NULL where nothing was */
    char *pattern; /* what linear branches looked at, as the text of a patterns.csv (congru/explain.h); NULL for
                             others, and where there is no folder to keep it in */
} congru_fold;

enum { CONGRU_KNOWLEDGE_SIZE = 160 };

/* What a run let a pipeline see of the subjects that it is scored on. */
typedef struct congru_knowledge {
    size_t labels; /* labelled trials of a subject, at most, which are not scored; 0: no label was looked at */
    bool
        known; /* what was seen without labels is: not of folders without run.json, nor of pipelines of others */
    congru_target unlabelled; /* CONGRU_TARGET_NONE: nothing, as by all that stands behind no alignment */
} congru_knowledge;

/* In words: "all trials, without labels; 20 labelled trials of each subject, which are not scored". */
CONGRU_API void congru_knowledge_text(const congru_knowledge *knowledge, char text[CONGRU_KNOWLEDGE_SIZE]);

/* What a run found, or what a results folder holds. Folds by pipeline, then by subject. */
typedef struct congru_results {
    size_t pipelines, subjects, classes, folds, channels;
    char (*pipeline)[CONGRU_PIPELINE_SIZE];
    congru_knowledge *knowledge; /* (pipelines) */
    char (*subject_name)[CONGRU_LABEL_SIZE];
    char (*class_name)[CONGRU_LABEL_SIZE];
    size_t *subject_sessions; /* (subjects) sessions the set holds of each */
    bool *
        subject_few; /* (subjects) fewer scored trials than classes, or none of a class: the scores say little */
    char *dataset;
    double
        trial_seconds; /* how long a trial is, by the set; 0 when unknown: information transfer is then by trial */
    congru_fold *fold;
    size_t resumed; /* how many of the folds were in the folder already */
    size_t missing; /* read from a folder: folds its last run was to make, and that are not there */
    size_t note_count;
    char (*note)[CONGRU_NOTE_SIZE]; /* what the methods had to say, or what is missing, each once */
} congru_results;

/* Runs every pipeline for every subject on the threads of the context, one fold per thread, the longest first. The
 * numbers do not depend on how many there are. With a folder, each finished fold is in it at once; folds found there
 * are not run again when they were made from the same set and options, and refused otherwise, by the fingerprint that
 * each carries. A folder that is removed during the run is CONGRU_ERROR_IO. Subjects that have no trials both to fit on and
 * to score are left out, which a note says; CONGRU_ERROR_ARGUMENT when that is all of them. At the end the folder
 * holds results.csv, predictions.csv, run.json, patterns.csv where a pipeline has patterns (LOSO) and, for networks,
 * training/. The columns of predictions.csv are dataset, subject, trial (its index in the set), pipeline, y_true, y_pred,
 * p_CLASS for each class, and fold: 0, 1, ..., which of the parts that are left out in turn; 0 where there is one.
 *
 * With a process group, each process calls this with the same set and options; one that differs is told apart and the call fails in
 * all. Folds go to threads of all of them from one queue. Rank 0 alone touches the folder; all get the same results. A
 * process that is lost costs the folds it was running, which others run again. */
CONGRU_API congru_status congru_evaluate(congru_context *context, const congru_set *set,
                                         const congru_evaluation_options *options, congru_results **results);

/* Which trials the pipelines of such a run are fitted on and scored with when `subject` is scored, for methods of other
 * programs to be compared on the same: side (set->count) becomes 1 where a trial is scored, 0 where it is fitted on, -1
 * where it is neither. CONGRU_PROTOCOL_FOLDS has the parts 0 to options->folds - 1, CONGRU_PROTOCOL_SESSION_OUT one for each
 * session of the subject that has most, the others part 0 alone; a part but the first may have no trial to score. Of the
 * options protocol, groups, folds, contiguous, calibration, calibration_most and method.seed count. CONGRU_ERROR_ARGUMENT for a part
 * that is none, and for a subject whose trials or sessions are too few. */
CONGRU_API congru_status congru_evaluation_split(congru_context *context, const congru_set *set,
                                                 const congru_evaluation_options *options, int32_t subject,
                                                 size_t part, int8_t *side);

/* Where the trials are when `subject` is the target: covariances of all trials, out (count, d, d), as the pipeline's
 * aligner leaves them, or as the network of an end-to-end model puts them before its head. Of the options method and
 * align_by_session count; all of the target's trials are seen, and a network has no training in it when
 * method.network.steps is 0. An aligner that asks for labels gets none: CONGRU_ERROR_ARGUMENT. */
CONGRU_API congru_status congru_pipeline_represent(congru_context *context, const congru_set *set,
                                                   const congru_evaluation_options *options,
                                                   const char *pipeline, int32_t subject, double *out);

enum { CONGRU_GEOMETRY_STAGES = 6 };

/* The source trials at 0, 20, ..., 100 % of a training, all in the log-Euclidean tangent space. */
typedef struct congru_geometry {
    size_t points;    /* trials that are shown: at most 400, as many of each subject that is shown */
    size_t *trial;    /* (points) index in the set; never one of the target's */
    bool best_so_far; /* as it was chosen */
    double
        *position[CONGRU_GEOMETRY_STAGES]; /* (points, 2) by t-SNE, each stage begun where the last one ended */
    double silhouette_subject[CONGRU_GEOMETRY_STAGES], silhouette_class[CONGRU_GEOMETRY_STAGES]; /* of points */
    double within_class[CONGRU_GEOMETRY_STAGES],
        between_class[CONGRU_GEOMETRY_STAGES]; /* of all source trials, as */
    double within_subject[CONGRU_GEOMETRY_STAGES],
        between_subject[CONGRU_GEOMETRY_STAGES]; /* the paper's scatters, Eq. (2a) */
    double moved
        [CONGRU_GEOMETRY_STAGES]; /* rms distance of all source trials from the stage before; 0 for the first */
} congru_geometry;

/* What is shown of a training: {0} has all source subjects, and at each stage the network of that step. */
typedef struct congru_geometry_options {
    const int32_t *shown; /* (shown_count) source subjects, by index */
    size_t shown_count;   /* 0: all */
    bool best_so_far;     /* the network of the least loss until then, which is what training keeps */
} congru_geometry_options;

/* Follows the source trials through the training of a pipeline's network with `subject` left out: training is ended at each
 * stage. Of the options method and align_by_session count; `choice` may be NULL. CONGRU_ERROR_ARGUMENT where the subject
 * left out is to be shown. Freed by congru_geometry_destroy; *geometry is NULL on failure. */
CONGRU_API congru_status congru_geometry_follow(congru_context *context, const congru_set *set,
                                                const congru_evaluation_options *options, const char *pipeline,
                                                int32_t subject, const congru_geometry_options *choice,
                                                congru_geometry **geometry);
CONGRU_API void congru_geometry_destroy(congru_geometry **geometry);

/* Silhouettes by subject and by class of the source trials as a pipeline puts them with `subject` left out. */
CONGRU_API congru_status congru_pipeline_silhouette(congru_context *context, const congru_set *set,
                                                    const congru_evaluation_options *options,
                                                    const char *pipeline, int32_t subject, double *by_subject,
                                                    double *by_class);

/* A results folder as congru_evaluate leaves it, or as another program wrote results.csv and predictions.csv; the
 * latter may be missing, and folds then hold no trials; without its column fold all trials are in part 0. Of a run that was interrupted, the folds that were finished; what
 * is missing is counted and named in a note. */
CONGRU_API congru_status congru_results_read(congru_context *context, const char *folder,
                                             congru_results **results);
CONGRU_API void congru_results_destroy(congru_results **results);

/* Every metric of every subject under every pipeline, folds averaged, in the order of the results; those that need
 * predictions are NaN without them. Freed by congru_scores_destroy; *scores is NULL on failure. */
CONGRU_API congru_status congru_results_scores(congru_context *context, const congru_results *results,
                                               congru_scores **scores);

/* by_class (classes): each class against the others, over all predictions of a pipeline as if they were of one run.
 * CONGRU_ERROR_FORMAT for results without predictions. */
CONGRU_API congru_status congru_results_classes(congru_context *context, const congru_results *results,
                                                size_t pipeline, congru_class_metrics *by_class);

/* ---- Learning curves: accuracy by the number of labelled target trials ----------------------------------- */

enum { CONGRU_CURVE_MAX = 16 };
#define CONGRU_CURVE_FOLDER "calibration-" /* and the number: the folder of each run */

/* Runs that differ in congru_evaluation_options.calibration alone, all scored on the same trials. */
typedef struct congru_curve {
    size_t count;
    int number[CONGRU_CURVE_MAX];   /* labelled target trials of each class, ascending */
    char *folder[CONGRU_CURVE_MAX]; /* where its results are; NULL: nowhere */
    congru_results *results[CONGRU_CURVE_MAX];
    congru_scores *scores[CONGRU_CURVE_MAX]; /* of these results */
} congru_curve;

/* congru_evaluate for each of the numbers (count), ascending, in the folders calibration-NUMBER of options->folder where that
 * is given. What is scored are the trials behind the largest number of each class, whatever options->calibration and
 * calibration_most say. Freed by congru_curve_destroy; *curve is NULL on failure, and what was done is in the folders. */
CONGRU_API congru_status congru_curve_evaluate(congru_context *context, const congru_set *set,
                                               const congru_evaluation_options *options, size_t count,
                                               const int *number, congru_curve **curve);

/* The folders calibration-NUMBER of a folder; *curve is NULL where there are none. CONGRU_ERROR_FORMAT for more than
 * CONGRU_CURVE_MAX, otherwise fails as congru_results_read does. */
CONGRU_API congru_status congru_curve_read(congru_context *context, const char *folder, congru_curve **curve);
CONGRU_API void congru_curve_destroy(congru_curve **curve);

/* A metric of a pipeline at one of the numbers, by index; none where that run does not have the pipeline. */
CONGRU_API congru_interval congru_curve_mean(const congru_curve *curve, size_t index, const char *pipeline,
                                             congru_score metric);

/* One row of the paper's table. */
typedef struct congru_summary {
    size_t subjects;
    double mean, deviation; /* of the accuracies over subjects (a subject's folds averaged first); n - 1 */
    double z; /* dataset-normalised: mean over subjects of (accuracy - mean)/std over pipelines; NaN
                               for fewer than two pipelines */
    double kappa, balanced; /* means */
    double seconds;         /* per subject */
} congru_summary;

/* summary (results->pipelines). */
CONGRU_API congru_status congru_results_summarise(congru_context *context, const congru_results *results,
                                                  congru_summary *summary);

/* confusion (classes, classes), truth by prediction, of one pipeline and one subject (-1: all). */
CONGRU_API congru_status congru_results_confusion(congru_context *context, const congru_results *results,
                                                  size_t pipeline, int32_t subject, size_t *confusion);

/* Adds the accuracies of a text file: columns subject,PIPELINE,... with a row for each subject and per cents in it, or columns
 * dataset,subject,pipeline,accuracy and others that are not looked at. Fails with the line. */
CONGRU_API congru_status congru_scores_read(congru_context *context, const char *path,
                                            congru_scores_list *list);

#ifdef __cplusplus
}
#endif
#endif
