/* Options of the aligners, classifiers and networks, and how they are called. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_METHOD_H
#define CONGRU_METHOD_H

#include <stdint.h>

#include "congru/option.h"
#include "congru/spd.h"

#ifdef __cplusplus
extern "C" {
#endif

/* How much of the unlabelled trials of a target subject the method may look at before it decides about them. */
typedef enum congru_target {
    CONGRU_TARGET_FULL,   /* all of them */
    CONGRU_TARGET_HALF,   /* the first half, in the order they were recorded */
    CONGRU_TARGET_FIFTH,  /* the first fifth */
    CONGRU_TARGET_NONE,   /* only the trial itself; references are those of the source subjects */
    CONGRU_TARGET_ONLINE, /* the trial and those before it: references move with each trial */
    CONGRU_TARGET_COUNT
} congru_target;

/* "full", "50p", "20p", "none", "online"; NULL from CONGRU_TARGET_COUNT on. */
CONGRU_API const char *congru_target_name(congru_target target);

/* ---- Networks ---------------------------------------------------------------------------------- */

typedef enum congru_fisher {
    CONGRU_FISHER_FROBENIUS, /* DCT: as printed in the paper; blind to a rotation */
    CONGRU_FISHER_AXIS       /* between-class scatter on the diagonal, within-class scatter off it */
} congru_fisher;

typedef enum congru_dispersion {
    CONGRU_DISPERSION_GLOBAL,         /* the learned gamma alone, as printed in the paper */
    CONGRU_DISPERSION_SUBJECT,        /* each subject's log-covariances over their rms norm */
    CONGRU_DISPERSION_SUBJECT_GLOBAL, /* that, then gamma */
    CONGRU_DISPERSION_NONE
} congru_dispersion;

typedef enum congru_initial {
    CONGRU_INITIAL_EIGEN, /* the paper's Eqs. 9 and 10, first weights U'[1:d_in, 1:d_out]: the first columns of U where it narrows, [U U]/sqrt 2
                              where it widens; and [U; U]/sqrt 2 or I, which they leave open, from beyond d */
    CONGRU_INITIAL_LIFTED, /* the paper's appendix: W_l = U~_l^T U~_(l+1), in which U cancels; it starts DDCT-UNet's
                              encoder by dropping the last channels */
    CONGRU_INITIAL_RANDOM,     /* N(0, 1/d_in) */
    CONGRU_INITIAL_UNET_RANDOM /* random in DDCT-UNet, lifted in DLDCT */
} congru_initial;

/* Where the head of an end-to-end model takes logarithms. */
typedef enum congru_head_reference {
    CONGRU_HEAD_BATCH,         /* at exp of the batch's mean logarithm, as in the paper */
    CONGRU_HEAD_IDENTITY,      /* at the identity */
    CONGRU_HEAD_DLDCT_IDENTITY /* at the identity in DLDCT, at the batch's mean in the others */
} congru_head_reference;

/* Where DDCT-UNet merges. */
typedef enum congru_merges {
    CONGRU_MERGES_SKIP,  /* each layer of the second half with the input of its mirror, as in the paper */
    CONGRU_MERGES_EVERY, /* each other layer with its own input too, on the leading block that both have */
    CONGRU_MERGES_NONE
} congru_merges;

/* How it merges. */
typedef enum congru_merge_mean {
    CONGRU_MERGE_LOGEUCLID, /* exp((log A + log B) / 2), as in the paper */
    CONGRU_MERGE_EUCLID     /* (A + B) / 2 */
} congru_merge_mean;

/* A recipe is a list of options with the values it gives them where the caller has not. */
typedef enum congru_recipe {
    CONGRU_RECIPE_PRINTED, /* what the paper's equations and algorithms print: the defaults below */
    CONGRU_RECIPE_AUTHORS, /* choices of ours after a description of the authors' code */
    CONGRU_RECIPE_CONGRU   /* what we found best; docs/results.md has the evidence */
} congru_recipe;

typedef enum congru_pool {
    CONGRU_POOL_NONE, /* every pixel of the last image has weights of its own */
    CONGRU_POOL_MEAN  /* the mean over its pixels is read: which channels they are is forgotten */
} congru_pool;

/* What Adam's rate is multiplied with, behind the steps in which it rises. */
typedef enum congru_schedule {
    CONGRU_SCHEDULE_CONSTANT, /* 1 */
    CONGRU_SCHEDULE_COSINE    /* half a cosine, from 1 to 0 at the last step */
} congru_schedule;

/* Which parameters are kept of training. */
typedef enum congru_keep {
    CONGRU_KEEP_BEST, /* those of the least loss, or that are best for held-out subjects; of networks that decide by
                         themselves, and of a moving average, the last */
    CONGRU_KEEP_LAST /* those of the last step */
} congru_keep;

enum { CONGRU_LAYERS_MAX = 9 };

/* Of networks on signals: where a band or a window ends that is all there is. */
enum { CONGRU_SIGNAL_HERTZ_MAX = 1000000, CONGRU_SIGNAL_SECONDS_MAX = 100000 };

/* In place of a number of training: what the network's authors have, which its model states (src/network/models). */
enum { CONGRU_OWN = -1 };

/* The defaults are those of the table of options (congru_method_option_at), which also says what each does. */
struct congru_process_group; /* congru/process_group.h */

typedef struct congru_network_options {
    /* Each CONGRU_OWN unless it is set. */
    int steps;          /* 0: the network is as it was before training */
    int batch;          /* drawn with replacement; all trials when there are fewer */
    int batch_subjects; /* subjects that a batch has trials of, as many of each; 0: of any */
    double rate;        /* Adam's */
    double decay;       /* of the softmax head's weights */
    double clip;        /* largest global norm of a gradient; 0: no clipping */
    double dropout;     /* networks on signals: the share of activations that a step leaves out */

    int dct_steps; /* DCT's, where they are others; 0: as many as the others have */
    int stop;      /* training ends after so many of the steps, schedules being those of all; 0: after all */
    congru_keep keep;

    int epochs; /* passes over the source trials, without replacement, instead of steps; 0: steps */
    congru_schedule schedule;
    int warmup;   /* steps in which the rate rises from 0 to its value */
    int patience; /* ends training after so many validations without a better one; 0: never */

    /* Weights of the objective. */
    double action, subject;      /* lambda_act, lambda_sub */
    double within, between;      /* lambda_w, lambda_b */
    double reconstruction;       /* lambda_rec */
    double cross_entropy;        /* lambda_CE; end to end */
    double ratio, subject_ratio; /* DCT: delta, and the same for subjects, which the paper does not have */
    double ratio_floor;          /* DCT: added to a ratio's denominator */
    bool log_ratio;              /* DCT: logarithms of the ratios */
    double gamma_penalty;        /* DCT: alpha */
    double rotation_penalty;     /* DCT: beta, falling as half a cosine over the steps */
    double
        centre_penalty; /* DCT: of CP in Algorithm 9, the squared norm off the diagonal of the mean logarithm */
    bool unconstrained; /* cross-entropy alone */

    congru_fisher fisher;
    congru_dispersion dispersion;
    congru_initial initial;
    congru_recipe recipe;
    bool trace;                   /* recentred trials are divided by their trace before the network sees them */
    bool affine_reconstruction;   /* reconstruction by affine-invariant distance instead of log-Euclidean */
    congru_merges merges;         /* DDCT-UNet */
    congru_merge_mean merge_mean; /* likewise */
    bool square_bottleneck;       /* DDCT-UNet: one more layer where it is narrowest, unless widths are given */
    congru_head_reference head_reference; /* end to end */

    double layer_jitter; /* added to each congruence layer's diagonal */
    double head_jitter;  /* added to eigenvalues in the head's logarithm */
    double floor;        /* eigenvalues below it count as it in every logarithm */

    size_t widths[CONGRU_LAYERS_MAX]; /* of DLDCT or DDCT-UNet, input and output included */
    size_t width_count;               /* 0: the model's own */

    /* Against overfitting to the source subjects; all off unless set. */
    double label_smoothing; /* share of a label's weight that all classes get alike, 0 to below 1 */
    bool balanced_batches;  /* as many draws of each subject */
    double subject_dropout; /* share of the subjects that each step's batch leaves out, 0 to below 1 */
    double average; /* decay of a moving average of the parameters, which is then what is kept; 0.99, say */
    int validation_subjects; /* held out of training: the parameters that are best for them are kept */
    int ensemble;            /* end to end: networks trained from as many seeds, probabilities averaged */

    congru_pool pool; /* spd-cnn, ts-spd-cnn */

    /* Networks on signals. */
    double signal_band[2];   /* Hz; 0 0: that of the pipeline; up to CONGRU_SIGNAL_HERTZ_MAX: all */
    double signal_window[2]; /* seconds after the cue; 0 0: likewise; up to CONGRU_SIGNAL_SECONDS_MAX: all */
    bool zscore;             /* each channel of a trial has mean 0 and standard deviation 1 over its samples */
    double crops;            /* seconds of a trial that a step takes, from a place of its own; 0: all of it */
    int crop_count;          /* prediction is the mean over so many crops, evenly spaced over the trial */

    bool record; /* keep losses, scatters, norms and eigenvalues of every step */

    struct congru_process_group *processes; /* that train together and share each step; NULL: this one alone */
} congru_network_options;

/* ---- All methods ------------------------------------------------------------------------------- */

/* Of csp-lda, whose time grows with their square for each class and with their cube. */
enum { CONGRU_CSP_FEATURES_MAX = 2048 };

/* What is chosen on source subjects, as text: "lambda-sub=0.01,0.05; weights". */
enum { CONGRU_CHOOSE_SIZE = 256 };

typedef struct congru_method_options {
    uint64_t seed;
    char choose
        [CONGRU_CHOOSE_SIZE]; /* options with the values they are chosen from, where a method is evaluated or a
                                        model fitted (docs/pipelines.md); "": none. Each has the value it has
                                        here where nothing can be chosen */
    bool
        balance; /* congru_evaluate, CONGRU_TARGET_FULL alone: congru_balance_classes on each target's trials */
    congru_metric alignment_mean; /* ra: the mean that becomes the identity */
    congru_metric mdm_mean;       /* mdm: of each class */
    congru_metric mdm_metric;     /* mdm: the distance from the means */
    congru_metric tangent_mean;   /* tslr, tsa-lda: where the tangent space touches */
    double c;        /* tslr: scikit-learn's C; 0: chosen by leave-one-subject-out among the sources */
    int csp_filters; /* csp-lda: from each end of each class's spectrum; of all classes together at most
                        CONGRU_CSP_FEATURES_MAX */
    int rpa_labels; /* rpa: labelled trials per class of the target, left out of the score; 0: no label is looked at */
    congru_network_options network;
} congru_method_options;

/* Fills in the defaults. */
CONGRU_API void congru_method_options_init(congru_method_options *options);

/* A recipe's options with their values, in the words of the command line: index 0, 1, ... until NULL. Most are of methods; the
 * others are of preprocessing (congru_preprocessing_set), for the caller that makes the covariances. */
typedef struct congru_recipe_value {
    const char *option, *value;
} congru_recipe_value;
CONGRU_API const congru_recipe_value *congru_recipe_at(congru_recipe recipe, size_t index);

/* Names the recipe and gives the options of methods that it lists their values, and those that only other recipes list
 * their defaults; the others stay as they are. What is set after it stays. Setting the option "recipe" by its name does the same. */
CONGRU_API void congru_method_options_recipe(congru_method_options *options, congru_recipe recipe);

/* ---- The options by name: one table for all methods --------------------------------------------------- */

typedef enum congru_option_kind {
    CONGRU_OPTION_SWITCH,  /* a bool; as text "on" (or "", which is how a command line gives it) or "off" */
    CONGRU_OPTION_INTEGER, /* an int */
    CONGRU_OPTION_NUMBER,  /* a double */
    CONGRU_OPTION_NUMBER_OR_AUTO, /* a double above 0, or "auto", which is 0 */
    CONGRU_OPTION_CHOICE,         /* an enumeration or a bool: one of `choices` */
    CONGRU_OPTION_RANGE,  /* two doubles, "A:B"; "own", which is 0 0; or `whole`, which is least to most */
    CONGRU_OPTION_WIDTHS, /* a list of sizes with commas between; "" for none */
    CONGRU_OPTION_SEED,   /* a uint64_t */
    CONGRU_OPTION_CHOOSE, /* text: parts "OPTION=V1,V2,..." or "weights" with semicolons between; "" for none */
    CONGRU_OPTION_RECIPE, /* a congru_recipe, one of `choices`; setting it sets what the recipe lists */
    CONGRU_OPTION_SHORTHAND /* has no value of its own: stands for a value of another option */
} congru_option_kind;

/* One option of a method. Defaults, bounds, text, help, run.json and what a model keeps all come of its row in
 * src/model/method_option_table.c. */
typedef struct congru_method_option {
    congru_option option; /* the name on the command line, and its help with the default */
    congru_option_kind kind;
    const char *standard; /* the default as text; "off" for a switch, "" for WIDTHS, NULL for SHORTHAND */
    double least, most;   /* INTEGER, NUMBER, NUMBER_OR_AUTO, RANGE, each of WIDTHS */
    bool own;             /* INTEGER, NUMBER: may be "own" too, which is CONGRU_OWN; RANGE: is by default */
    const char *whole;    /* RANGE: the word for all of it */
    const char *const *choices; /* CHOICE: names in the order of the enumeration, ended by NULL; else NULL */
    const char *users;          /* names of methods with spaces between; "all", "recentred" for those behind
                                 * recentring, "networks" for those that train one, "end-to-end" for such models */
    size_t offset;              /* of the member in congru_method_options */
    size_t count_offset;        /* WIDTHS: of the member that says how many there are */
    double fallback;            /* the default of numbers */
    size_t size;                /* of the member, in bytes */
    bool given;                 /* SWITCH: what the member is when the switch is given */
    bool idle;                  /* changes no number: run.json does not have it */
    bool quiet;             /* run.json has it only where it is not the default, as runs from before it have */
    bool asked;             /* is needed when a fitted model is asked: a saved model must have it */
    const char *fixed;      /* why it cannot be chosen on source subjects; NULL: it can */
    const char *overrides;  /* another option, which is as it is by default once this one is set; NULL: none */
    const char *stands_for; /* SHORTHAND: the other option, */
    const char *means;      /* and its value */
} congru_method_option;

/* The rows in the order of help: index 0, 1, ... until NULL. */
CONGRU_API const congru_method_option *congru_method_option_at(size_t index);

/* The row of this name; NULL when there is none. */
CONGRU_API const congru_method_option *congru_method_option_find(const char *name);

/* What help puts above it, "Methods" or "Networks"; rows of a group follow each other. */
CONGRU_API const char *congru_method_option_group(const congru_method_option *option);

/* Sets one of them: ("C", "0.1"), ("unconstrained", ""). CONGRU_ERROR_ARGUMENT for an unknown name or a value that
 * cannot be, with one line that begins with `where`, or with "--NAME" where that is NULL; `options` is then as it was. */
CONGRU_API congru_status congru_method_options_set(congru_context *context, congru_method_options *options,
                                                   const char *where, const char *name, const char *text);

/* The value as text that congru_method_options_set reads back as the same value; false for an unknown name, a shorthand,
 * or a member that no text stands for. */
enum { CONGRU_OPTION_TEXT_SIZE = 256 };
CONGRU_API bool congru_method_options_get(const congru_method_options *options, const char *name,
                                          char text[CONGRU_OPTION_TEXT_SIZE]);

/* Whether an option is to be chosen on source subjects (congru_method_options.choose). */
CONGRU_API bool congru_method_options_chooses(const congru_method_options *options,
                                              const congru_method_option *option);

/* CONGRU_ERROR_ARGUMENT, with one line about the first option that is not within its bounds. */
CONGRU_API congru_status congru_method_options_check(congru_context *context,
                                                     const congru_method_options *options);

/* How many options differ. They are told in the words of the command line, "--C 1 there, --C 0.1 here; ...", in `text`,
 * which may be NULL; when not all fit the last words count the others. */
CONGRU_API size_t congru_method_options_compare(const congru_method_options *there,
                                                const congru_method_options *here, char *text, size_t size);

#ifdef __cplusplus
}
#endif
#endif
