/* The table of all options of methods. SPDX-License-Identifier: Apache-2.0 */
#include <float.h>
#include <stddef.h>
#include <string.h>

#include "congru/method.h"

static const char *const metrics[] = {
    [CONGRU_METRIC_RIEMANN] = "riemann",
    [CONGRU_METRIC_LOGEUCLID] = "logeuclid",
    [CONGRU_METRIC_EUCLID] = "euclid",
    NULL,
};
static const char *const fishers[] = {
    [CONGRU_FISHER_FROBENIUS] = "frobenius", [CONGRU_FISHER_AXIS] = "axis", NULL};
static const char *const dispersions[] = {
    [CONGRU_DISPERSION_GLOBAL] = "global",
    [CONGRU_DISPERSION_SUBJECT] = "subject",
    [CONGRU_DISPERSION_SUBJECT_GLOBAL] = "subject+global",
    [CONGRU_DISPERSION_NONE] = "none",
    NULL,
};
static const char *const initials[] = {
    [CONGRU_INITIAL_EIGEN] = "eigen",
    [CONGRU_INITIAL_LIFTED] = "lifted",
    [CONGRU_INITIAL_RANDOM] = "random",
    [CONGRU_INITIAL_UNET_RANDOM] = "unet-random",
    NULL,
};
static const char *const recipes[] = {
    [CONGRU_RECIPE_PRINTED] = "printed",
    [CONGRU_RECIPE_AUTHORS] = "authors",
    [CONGRU_RECIPE_CONGRU] = "congru",
    NULL,
};
static const char *const pools[] = {[CONGRU_POOL_NONE] = "none", [CONGRU_POOL_MEAN] = "mean", NULL};
static const char *const schedules[] = {
    [CONGRU_SCHEDULE_CONSTANT] = "constant", [CONGRU_SCHEDULE_COSINE] = "cosine", NULL};
static const char *const keeps[] = {[CONGRU_KEEP_BEST] = "best", [CONGRU_KEEP_LAST] = "last", NULL};
static const char *const merges[] = {
    [CONGRU_MERGES_SKIP] = "skip",
    [CONGRU_MERGES_EVERY] = "every",
    [CONGRU_MERGES_NONE] = "none",
    NULL,
};
static const char *const merge_means[] = {
    [CONGRU_MERGE_LOGEUCLID] = "logeuclid", [CONGRU_MERGE_EUCLID] = "euclid", NULL};
static const char *const head_references[] = {
    [CONGRU_HEAD_BATCH] = "batch",
    [CONGRU_HEAD_IDENTITY] = "identity",
    [CONGRU_HEAD_DLDCT_IDENTITY] = "dldct-identity",
    NULL,
};
static const char *const reconstructions[] = {[false] = "logeuclid", [true] = "riemann", NULL};

/* The parts of a row. A default is one token: the number, its text and the end of the help come of it. The help of a
 * choice names each of them between single quotes. */
#define MEMBER(member) \
    .offset = offsetof(congru_method_options, member), .size = sizeof(((congru_method_options *)NULL)->member)
#define WITH_DEFAULT(name, argument, text, standard_) \
    .option = {name, '\0', argument, text " Default: " standard_ "."}, .standard = standard_
#define INTEGER(name, member, least_, most_, default_, users_, text) \
    WITH_DEFAULT(name, "N", text, #default_), MEMBER(member), \
        .kind = CONGRU_OPTION_INTEGER, .least = least_, .most = most_, .fallback = default_, .users = users_
#define NUMBER(name, member, least_, most_, default_, users_, text) \
    WITH_DEFAULT(name, "NUMBER", text, #default_), MEMBER(member), \
        .kind = CONGRU_OPTION_NUMBER, .least = least_, .most = most_, .fallback = default_, .users = users_
#define OWN_INTEGER(name, member, least_, most_, users_, text) \
    WITH_DEFAULT(name, "N", text, "own"), MEMBER(member), .kind = CONGRU_OPTION_INTEGER, .least = least_, \
                                                          .most = most_, .fallback = CONGRU_OWN, .own = true, \
                                                          .users = users_
#define OWN_NUMBER(name, member, least_, most_, users_, text) \
    WITH_DEFAULT(name, "NUMBER", text, "own"), MEMBER(member), \
        .kind = CONGRU_OPTION_NUMBER, .least = least_, .most = most_, .fallback = CONGRU_OWN, .own = true, \
        .users = users_
#define NUMBER_OR_AUTO(name, member, least_, most_, users_, text) \
    WITH_DEFAULT(name, "NUMBER", text, "auto"), MEMBER(member), \
        .kind = CONGRU_OPTION_NUMBER_OR_AUTO, .least = least_, .most = most_, .fallback = 0, .users = users_
#define SEED(name, member, default_, users_, text) \
    WITH_DEFAULT(name, "N", text, #default_), MEMBER(member), .kind = CONGRU_OPTION_SEED, \
                                                              .fallback = default_, .users = users_
#define CHOICE(name, member, choices_, default_, users_, text) \
    WITH_DEFAULT(name, "NAME", text, default_), MEMBER(member), .kind = CONGRU_OPTION_CHOICE, \
                                                                .choices = choices_, .users = users_
#define RECIPE(name, member, choices_, default_, users_, text) \
    WITH_DEFAULT(name, "NAME", text, default_), MEMBER(member), .kind = CONGRU_OPTION_RECIPE, \
                                                                .choices = choices_, .users = users_
#define SWITCH(name, member, given_, users_, text) \
    .option = {name, '\0', NULL, text}, MEMBER(member), .kind = CONGRU_OPTION_SWITCH, .standard = "off", \
    .given = given_, .users = users_
#define RANGE(name, argument, member, least_, most_, whole_, users_, text) \
    WITH_DEFAULT(name, argument, text, "own"), MEMBER(member), .kind = CONGRU_OPTION_RANGE, .least = least_, \
                                                               .most = most_, .whole = whole_, .own = true, \
                                                               .quiet = true, .users = users_
#define WIDTHS(name, member, count, most_, users_, text) \
    .option = {name, '\0', "D,...", text}, MEMBER(member), \
    .count_offset = offsetof(congru_method_options, count), .kind = CONGRU_OPTION_WIDTHS, .standard = "", \
    .least = 1, .most = most_, .users = users_
#define CHOOSE(name, member, users_, text) \
    .option = {name, '\0', "OPTION=V,...", text}, MEMBER(member), .kind = CONGRU_OPTION_CHOOSE, \
    .standard = "", .quiet = true, .fixed = "is what chooses", .users = users_
#define SHORTHAND(name, stands_for_, means_, users_, text) \
    .option = {name, '\0', NULL, text}, .kind = CONGRU_OPTION_SHORTHAND, .stands_for = stands_for_, \
    .means = means_, .users = users_

#define SIGNAL_NETWORKS "shallow deep eegnet conformer inception tsmnet conv-dldct conv-ddct-unet"

/* A new option is one row here, with its member in congru/method.h. Those of congru_network_options come last. */
static const congru_method_option rows[] = {
    {SEED("seed", seed, 50, "all", "Of every random choice.")},
    {SWITCH("balance", balance, true, "all",
            "Let 'loso' assume that the target's classes are equally frequent, and move its decisions so that "
            "they are; it looks at all trials of the target at once (transductive) and needs --target full."),
     .fixed = "is of whole runs"},
    {CHOOSE(
        "choose", choose, "all",
        "Choose an option of a method from these values, by leaving out source subjects in turn (a network's: four "
        "groups of them): a combination of values is scored by the accuracy on those left out, and the best is "
        "fitted on all of them. Several such options, given by as many --choose, are chosen together. 'weights' "
        "chooses the weights of branches.")},
    {CHOICE("ra-mean", alignment_mean, metrics, "riemann", "recentred",
            "The mean that alignment moves to the identity: 'riemann', 'logeuclid' or 'euclid'."),
     .asked = true},
    {CHOICE("mdm-mean", mdm_mean, metrics, "riemann", "mdm",
            "The mean of each class in mdm: 'riemann', 'logeuclid' or 'euclid'.")},
    {CHOICE("mdm-metric", mdm_metric, metrics, "riemann", "mdm",
            "The distance from the means in mdm: 'riemann', 'logeuclid' or 'euclid'.")},
    {CHOICE("tangent-mean", tangent_mean, metrics, "riemann", "tslr tsa-lda lda+tslr lda+tsa-lda",
            "Where tslr and tsa-lda touch the manifold: the mean by 'riemann', 'logeuclid' or 'euclid'.")},
    {NUMBER_OR_AUTO(
        "C", c, 1e-12, 1e12, "tslr lda+tslr ridge bins",
        "The inverse strength of the ridge of tslr, ridge and bins, as scikit-learn's C; 'auto' chooses "
        "it on the source subjects, left out one or one group at a time.")},
    {INTEGER("csp-filters", csp_filters, 1, 512, 2, "csp-lda",
             "How many filters csp-lda takes from each end of each class's spectrum.")},
    {INTEGER(
         "rpa-labels", rpa_labels, 0, 1000000, 0, "rpa",
         "How many labelled trials per class of the target subject rpa may rotate by; they are not scored. With "
         "0 it looks at no label, and re-centres and scales alone."),
     .asked = true, .fixed = "decides which trials are scored"},

    {RECIPE(
         "recipe", network.recipe, recipes, "printed", "networks",
         "The values that options have unless they are given: 'printed' for what the paper prints, 'authors' for "
         "choices of ours after a description of its authors' code, 'congru' for what we found best."),
     .fixed = "says how covariances are made, too"},
    {OWN_INTEGER("steps", network.steps, 0, 10000000, "networks",
                 "Training steps; 'own' here and below is what the network's authors have, which 'congru help "
                 "NETWORK' tells."),
     .overrides = "dct-steps"},
    {INTEGER("dct-steps", network.dct_steps, 0, 10000000, 0, "dct dct-e2e",
             "Those of dct, where they are others; 0: as many.")},
    {INTEGER("stop", network.stop, 0, 10000000, 0, "networks",
             "End training after so many of the steps, with schedules as if all were done; 0: after all.")},
    {CHOICE("keep", network.keep, keeps, "best", "networks",
            "Which weights are kept: 'best', those of the least loss, or of --validation, as printed; or "
            "'last', those of the last step.")},
    {INTEGER(
        "epochs", network.epochs, 0, 10000000, 0, "networks",
        "Passes over the source trials in another order each, without replacement, instead of steps; 0: "
        "steps, whose batches are drawn with replacement. With --batch-subjects as many steps are drawn.")},
    {OWN_NUMBER("lr", network.rate, 0, DBL_MAX, "networks", "Adam's learning rate.")},
    {CHOICE("schedule", network.schedule, schedules, "constant", "networks",
            "How the learning rate goes on behind --warmup: 'constant', or as half a 'cosine' to 0 at the last "
            "step.")},
    {INTEGER("warmup", network.warmup, 0, 10000000, 0, "networks",
             "Steps in which the learning rate rises to its value.")},
    {OWN_INTEGER("batch", network.batch, 1, 1000000, "networks", "Trials per step, all when there are fewer.")},
    {OWN_INTEGER("batch-subjects", network.batch_subjects, 0, 1000000, "networks",
                 "Of how many subjects a step has trials, as many of each; 0: of any.")},
    {OWN_NUMBER("weight-decay", network.decay, 0, DBL_MAX, "end-to-end", "Of the softmax head.")},
    {OWN_NUMBER("clip", network.clip, 0, DBL_MAX, "networks", "The largest norm of a gradient; 0: any.")},
    {NUMBER("lambda-act", network.action, 0, DBL_MAX, 1, "dldct ddct-unet dldct-e2e ddct-unet-e2e",
            "dldct, ddct-unet: weight of the Fisher term of actions.")},
    {NUMBER("lambda-sub", network.subject, 0, DBL_MAX, 0.05, "dldct ddct-unet dldct-e2e ddct-unet-e2e",
            "The same for subjects.")},
    {NUMBER("lambda-w", network.within, 0, DBL_MAX, 1, "dldct ddct-unet dldct-e2e ddct-unet-e2e",
            "Weight of within-group scatter in both.")},
    {NUMBER("lambda-b", network.between, 0, DBL_MAX, 1, "dldct ddct-unet dldct-e2e ddct-unet-e2e",
            "Weight of between-group scatter in both.")},
    {NUMBER("lambda-rec", network.reconstruction, 0, DBL_MAX, 0.001, "dldct ddct-unet dldct-e2e ddct-unet-e2e",
            "Weight of reconstruction.")},
    {NUMBER("lambda-ce", network.cross_entropy, 0, DBL_MAX, 1, "end-to-end",
            "Weight of cross-entropy, end to end.")},
    {NUMBER("delta", network.ratio, 0, DBL_MAX, 1.5, "dct dct-e2e",
            "dct: weight of the Fisher ratio of actions.")},
    {NUMBER("delta-sub", network.subject_ratio, 0, DBL_MAX, 0, "dct dct-e2e",
            "dct: weight of that of subjects, which the paper does not have.")},
    {NUMBER("ratio-floor", network.ratio_floor, 0, DBL_MAX, 1e-6, "dct dct-e2e",
            "dct: what is added to the denominator of a ratio.")},
    {SWITCH("log-ratio", network.log_ratio, true, "dct dct-e2e", "dct: take logarithms of the ratios.")},
    {NUMBER("alpha", network.gamma_penalty, 0, DBL_MAX, 0.01, "dct dct-e2e", "dct: weight of (gamma - 1)^2.")},
    {NUMBER("beta", network.rotation_penalty, 0, DBL_MAX, 0.0004, "dct dct-e2e",
            "dct: weight of the distance of the rotation from none, falling to 0.")},
    {NUMBER(
        "centre", network.centre_penalty, 0, DBL_MAX, 0, "dct dct-e2e",
        "dct: weight of CP, which Algorithm 9 names and nothing defines: here the squared norm of what is off "
        "the diagonal of the mean logarithm.")},
    {SHORTHAND("cp", "centre", "0.0001", "dct dct-e2e", "Let dct have CP, with a weight of 0.0001.")},
    {CHOICE("fisher", network.fisher, fishers, "frobenius", "dct dct-e2e",
            "Scatters of dct: 'frobenius' (as printed, blind to a rotation) or 'axis' (between classes on the "
            "diagonal, within them off it).")},
    {CHOICE(
        "dispersion", network.dispersion, dispersions, "global", "dct dct-e2e",
        "Scaling in dct: 'global' (learned, as printed), 'subject' (each subject's own), 'subject+global' or "
        "'none'.")},
    {CHOICE(
        "init", network.initial, initials, "eigen", "dldct ddct-unet dldct-e2e ddct-unet-e2e",
        "Initial weights: 'eigen' (the paper's Eqs. 9 and 10), 'lifted' (its appendix, which starts the "
        "encoder of ddct-unet by dropping the last channels), 'random', or 'unet-random' (random in ddct-unet, lifted "
        "in dldct).")},
    {WIDTHS(
        "dims", network.widths, network.width_count, CONGRU_DIMENSION_MAX,
        "dct dldct ddct-unet dct-e2e dldct-e2e ddct-unet-e2e",
        "Widths of dldct or ddct-unet from input to output. Without it: d,2d,2d,d and d,16,12,16,d for d = "
        "22, else d,d/2,d/4,d/2,d. Widths that are all d make the rotation of dct a product of as many as there are "
        "layers.")},
    {SWITCH("square-bottleneck", network.square_bottleneck, true, "ddct-unet ddct-unet-e2e",
            "One more layer where ddct-unet is narrowest, unless --dims is given.")},
    {SWITCH("input-trace", network.trace, true, "networks",
            "Divide recentred trials by their trace before a network sees them.")},
    {CHOICE("reconstruction", network.affine_reconstruction, reconstructions, "logeuclid",
            "dldct ddct-unet dldct-e2e ddct-unet-e2e",
            "Distance of the reconstruction term: 'logeuclid' or 'riemann'.")},
    {NUMBER("layer-jitter", network.layer_jitter, 0, DBL_MAX, 0.0001,
            "dldct ddct-unet dldct-e2e ddct-unet-e2e conv-dldct conv-ddct-unet",
            "What each congruence layer adds to the diagonal.")},
    {NUMBER("head-jitter", network.head_jitter, 0, DBL_MAX, 0.0001, "end-to-end",
            "What the softmax head adds to eigenvalues before their logarithm.")},
    {NUMBER("eigenvalue-floor", network.floor, 0, DBL_MAX, 1e-5, "networks",
            "What smaller eigenvalues count as in every logarithm.")},
    {CHOICE("head-reference", network.head_reference, head_references, "batch", "end-to-end",
            "Where the softmax head takes logarithms: at the mean of the 'batch', at the 'identity', or at the "
            "identity in dldct-e2e alone ('dldct-identity').")},
    {NUMBER("label-smoothing", network.label_smoothing, 0, 0.99, 0, "end-to-end",
            "The share of a label's weight that all classes get alike.")},
    {NUMBER("subject-dropout", network.subject_dropout, 0, 0.99, 0, "networks",
            "The share of the subjects that each step leaves out.")},
    {NUMBER("average", network.average, 0, 0.999999, 0, "networks",
            "Keep a moving average of the weights with this decay, such as 0.99, instead of those with the "
            "least loss; 0: off.")},
    {INTEGER("validation", network.validation_subjects, 0, 1000000, 0, "networks",
             "Hold so many source subjects out of training and keep the weights that are best for them.")},
    {INTEGER(
        "patience", network.patience, 0, 1000000, 0, "networks",
        "End training after so many looks at the held-out subjects, one every ten steps, none of which was "
        "the best; 0: never. Needs --validation.")},
    {INTEGER("ensemble", network.ensemble, 1, 100, 1, "end-to-end",
             "Train with so many seeds and average the probabilities.")},
    {SWITCH("balanced-batches", network.balanced_batches, true, "networks",
            "Draw each subject as often as any other.")},
    {CHOICE(
        "merges", network.merges, merges, "skip", "ddct-unet ddct-unet-e2e conv-ddct-unet",
        "Where ddct-unet merges: 'skip' (each layer of the decoder with the input of its mirror, as printed), "
        "'every' (each layer of the encoder with its own input too) or 'none'.")},
    {SHORTHAND("no-skip-merges", "merges", "none", "ddct-unet ddct-unet-e2e",
               "Leave out the merges of ddct-unet.")},
    {CHOICE("pool", network.pool, pools, "none", "spd-cnn ts-spd-cnn",
            "What is read of the last image: 'none' (every pixel) or 'mean' (the mean over its pixels).")},
    {OWN_NUMBER("dropout", network.dropout, 0, 0.99, "shallow deep eegnet conformer inception",
                "The share of activations that each step leaves out.")},
    {RANGE("signal-band", "A:B", network.signal_band, 0, CONGRU_SIGNAL_HERTZ_MAX, "off", SIGNAL_NETWORKS,
           "The band in Hz that networks on signals see, or 'off' for what the set holds; --band is that of "
           "covariances. 'own' is that of the pipeline, 4:38 unless a file defines another.")},
    {RANGE("signal-window", "A:B", network.signal_window, -CONGRU_SIGNAL_SECONDS_MAX, CONGRU_SIGNAL_SECONDS_MAX,
           "all", SIGNAL_NETWORKS,
           "The seconds after the cue that they see, or 'all' of a trial; --window is that of covariances. "
           "'own' is that of the pipeline, 0:4 unless a file defines another.")},
    {SWITCH(
        "zscore", network.zscore, true, SIGNAL_NETWORKS,
        "Give each channel of an aligned trial a mean of 0 and a standard deviation of 1 over its samples.")},
    {NUMBER(
        "crops", network.crops, 0, 1000000, 0, SIGNAL_NETWORKS,
        "Train on crops of so many seconds: of each trial that a step draws, from a place that the seed, the "
        "step and the trial decide; 0: whole trials.")},
    {INTEGER(
        "crop-count", network.crop_count, 1, 1000, 5, SIGNAL_NETWORKS,
        "With --crops, over how many crops of a trial predicted probabilities are averaged: the first at its "
        "beginning, the last at its end, the others evenly between.")},
    {CHOICE("merge-mean", network.merge_mean, merge_means, "logeuclid",
            "ddct-unet ddct-unet-e2e conv-ddct-unet",
            "How it merges: 'logeuclid' (as printed) or 'euclid' (half the sum).")},
    {SWITCH("unconstrained", network.unconstrained, true, "end-to-end",
            "Train end to end with cross-entropy alone.")},
    {SWITCH("no-record", network.record, false, "networks", "Do not keep the numbers of each training step."),
     .idle = true, .fixed = "changes no number"},
};

const congru_method_option *congru_method_option_at(size_t index)
{
    return index < sizeof rows / sizeof rows[0] ? &rows[index] : NULL;
}

const congru_method_option *congru_method_option_find(const char *name)
{
    for (size_t i = 0; name != NULL && i < sizeof rows / sizeof rows[0]; i++)
        if (strcmp(rows[i].option.name, name) == 0)
            return &rows[i];
    return NULL;
}

const char *congru_method_option_group(const congru_method_option *option)
{
    if (option != NULL && option->kind == CONGRU_OPTION_SHORTHAND)
        option = congru_method_option_find(option->stands_for);
    if (option == NULL)
        return NULL;
    return option->offset >= offsetof(congru_method_options, network) ? "Networks" : "Methods";
}
