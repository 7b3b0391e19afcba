/* Options of the aligners, classifiers and networks, and how they are called. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_METHOD_H
#define CONGRU_METHOD_H

#include <stdint.h>

#include "congru/spd.h"

#ifdef __cplusplus
extern "C" {
#endif

/* How much of the unlabelled trials of a new person the method may look at before it decides about them. */
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
    CONGRU_INITIAL_EIGEN, /* the paper's Eq. 7, U'[1:d_in, 1:d_out]: the first columns of U where it narrows, [U U]/sqrt 2
                              where it widens; and [U; U]/sqrt 2 or I, which Eq. 7 leaves open, from beyond d */
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
    CONGRU_RECIPE_PRINTED, /* the paper's equations and algorithms to the letter: the defaults below */
    CONGRU_RECIPE_AUTHORS, /* the published code's choices, for comparison */
    CONGRU_RECIPE_CONGRU   /* what we found best; docs/results.md has the evidence */
} congru_recipe;

enum { CONGRU_LAYERS_MAX = 9 };

typedef struct congru_network_options {
    int steps;     /* 1000 */
    int dct_steps; /* DCT's, where they are others; 0: as many as the others have */
    int batch;     /* 256, drawn with replacement; all trials when there are fewer */
    double rate;   /* Adam's, 1e-3 */
    double decay;  /* of the softmax head's weights, 1e-5 */
    double clip;   /* largest global norm of a gradient, 5; 0: no clipping */

    /* Weights of the objective. */
    double action, subject; /* lambda_act 1, lambda_sub 0.05 */
    double within, between; /* lambda_w 1, lambda_b 1 */
    double reconstruction;  /* lambda_rec 1e-3 */
    double cross_entropy;   /* lambda_CE 1; end to end */
    double ratio,
        subject_ratio;       /* DCT: delta 1.5, and the same for subjects, which the paper does not have: 0 */
    double ratio_floor;      /* DCT: added to a ratio's denominator, 1e-6 */
    bool log_ratio;          /* DCT: logarithms of the ratios */
    double gamma_penalty;    /* DCT: alpha 1e-2 */
    double rotation_penalty; /* DCT: beta 4e-4, falling as half a cosine over the steps */
    double centre_penalty;   /* DCT: 1e-4 */
    bool unconstrained;      /* cross-entropy alone */

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

    double layer_jitter; /* added to each congruence layer's diagonal, 1e-4 */
    double head_jitter;  /* added to eigenvalues in the head's logarithm, 1e-4 */
    double floor;        /* eigenvalues below it count as it in every logarithm, 1e-5 */

    size_t widths[CONGRU_LAYERS_MAX]; /* of DLDCT or DDCT-UNet, input and output included */
    size_t width_count;               /* 0: the model's own */

    /* Against overfitting to the source subjects; all off unless set. */
    double label_smoothing; /* share of a label's weight that all classes get alike, 0 to below 1 */
    bool balanced_batches;  /* as many draws of each subject */
    double subject_dropout; /* share of the subjects that each step's batch leaves out, 0 to below 1 */
    double average; /* decay of a moving average of the parameters, which is then what is kept; 0.99, say */
    int validation_subjects; /* held out of training: the parameters that are best for them are kept */
    int ensemble;            /* end to end: networks trained from as many seeds, probabilities averaged */

    bool record; /* keep losses, scatters, norms and eigenvalues of every step */
} congru_network_options;

/* ---- All methods ------------------------------------------------------------------------------- */

/* Of csp-lda, whose time grows with their square for each class and with their cube. */
enum { CONGRU_CSP_FEATURES_MAX = 2048 };

typedef struct congru_method_options {
    uint64_t seed;                /* 50 */
    congru_metric alignment_mean; /* ra: the mean that becomes the identity */
    congru_metric mdm_mean;       /* mdm: of each class */
    congru_metric mdm_metric;     /* mdm: the distance from the means */
    congru_metric tangent_mean;   /* tslr, tsa-lda: where the tangent space touches */
    double c;        /* tslr: scikit-learn's C, 1; 0: chosen by leave-one-subject-out among the sources */
    int csp_filters; /* csp-lda: from each end of each class's spectrum, 2; of all classes together at most
                        CONGRU_CSP_FEATURES_MAX */
    int rpa_labels;  /* rpa: labelled trials per class of the target, left out of the score; 0: unsupervised */
    congru_network_options network;
} congru_method_options;

/* Fills in the defaults. */
CONGRU_API void congru_method_options_init(congru_method_options *options);

/* Gives the options that a recipe lists its values, and leaves the others as they are: what is set before it is lost, what
 * is set after it stays. Setting the option "recipe" by its name does the same. */
CONGRU_API void congru_method_options_recipe(congru_method_options *options, congru_recipe recipe);

/* Aligners "none", "ra", ... and classifiers "mdm", "tslr", ... in the order help lists them, and the end-to-end
 * models "dct-e2e", ...; NULL after the last. */
CONGRU_API const char *congru_aligner_name(size_t index);
CONGRU_API const char *congru_aligner_summary(size_t index);
CONGRU_API const char *congru_classifier_name(size_t index);
CONGRU_API const char *congru_classifier_summary(size_t index);

#ifdef __cplusplus
}
#endif
#endif
