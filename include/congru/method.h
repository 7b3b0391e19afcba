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
    CONGRU_FISHER_AXIS,     /* DCT: between-class scatter on the diagonal, within-class scatter off it */
    CONGRU_FISHER_FROBENIUS /* as printed in the paper; blind to a rotation */
} congru_fisher;

typedef enum congru_dispersion {
    CONGRU_DISPERSION_SUBJECT_GLOBAL, /* each subject's log-covariances over their rms norm, then gamma */
    CONGRU_DISPERSION_SUBJECT,
    CONGRU_DISPERSION_GLOBAL, /* the learned gamma alone */
    CONGRU_DISPERSION_NONE
} congru_dispersion;

typedef enum congru_initial {
    CONGRU_INITIAL_LIFTED, /* the paper's appendix: W_l = U~_l^T U~_(l+1) */
    CONGRU_INITIAL_EIGEN,  /* [U U]/sqrt 2, I, [U; U]/sqrt 2; the first columns of U where it narrows */
    CONGRU_INITIAL_RANDOM  /* N(0, 1/d_in) */
} congru_initial;

typedef enum congru_recipe {
    CONGRU_RECIPE_CONGRU, /* the defaults below */
    CONGRU_RECIPE_AUTHORS /* the published code's choices, for comparison */
} congru_recipe;

typedef enum congru_pool {
    CONGRU_POOL_NONE, /* every pixel of the last image has weights of its own */
    CONGRU_POOL_MEAN /* the mean over its pixels is read, as in the published code: which channels they are is forgotten */
} congru_pool;

enum { CONGRU_LAYERS_MAX = 9 };

typedef struct congru_network_options {
    int steps;    /* 1000 */
    int batch;    /* 256, drawn with replacement; all trials when there are fewer */
    double rate;  /* Adam's, 1e-3 */
    double decay; /* of the softmax head's weights, 1e-5 */
    double clip;  /* largest global norm of a gradient, 5; 0: no clipping */

    /* Weights of the objective. */
    double action, subject;      /* lambda_act 1, lambda_sub 0.05 */
    double within, between;      /* lambda_w 1, lambda_b 1 */
    double reconstruction;       /* lambda_rec 1e-3 */
    double cross_entropy;        /* lambda_CE 1; end to end */
    double ratio, subject_ratio; /* DCT: delta 1.5, and the same for subjects, 0.3 */
    double gamma_penalty;        /* DCT: alpha 1e-2 */
    double rotation_penalty;     /* DCT: beta 4e-4, falling as half a cosine over the steps */
    double centre_penalty;       /* DCT: 1e-4 */
    bool unconstrained;          /* cross-entropy alone */

    congru_fisher fisher;
    congru_dispersion dispersion;
    congru_initial initial;
    congru_recipe recipe;
    bool affine_reconstruction; /* reconstruction by affine-invariant distance instead of log-Euclidean */
    bool skip_merges;           /* DDCT-UNet; true */

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

    congru_pool pool; /* spd-cnn, ts-spd-cnn */
    double dropout;   /* shallow, deep, eegnet: the share that is left out; negative: the network's own (-1) */

    bool record; /* keep losses, scatters, norms and eigenvalues of every step */
} congru_network_options;

/* ---- All methods ------------------------------------------------------------------------------- */

/* Of csp-lda, whose time grows with their square for each class and with their cube. */
enum { CONGRU_CSP_FEATURES_MAX = 2048 };

typedef struct congru_method_options {
    uint64_t seed;                /* 50 */
    congru_metric alignment_mean; /* ra: the mean that becomes the identity */
    congru_metric mdm_metric;
    congru_metric tangent_mean; /* tslr, tsa-lda: where the tangent space touches */
    double c;        /* tslr: scikit-learn's C, 1; 0: chosen by leave-one-subject-out among the sources */
    int csp_filters; /* csp-lda: from each end of each class's spectrum, 2; of all classes together at most
                        CONGRU_CSP_FEATURES_MAX */
    int rpa_labels;  /* rpa: labelled trials per class of the target, left out of the score; 0: unsupervised */
    congru_network_options network;
} congru_method_options;

/* Fills in the defaults. */
CONGRU_API void congru_method_options_init(congru_method_options *options);

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
