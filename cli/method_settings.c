/* Parses the options of aligners, classifiers and networks. SPDX-License-Identifier: Apache-2.0 */
#include "method_settings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "terminal.h"

enum { WHERE_SIZE = 64, SEED_MAX = 2147483647 };

static const char *const metrics[] = {"riemann", "logeuclid", "euclid", NULL};
static const char *const fishers[] = {"frobenius", "axis", NULL};
static const char *const dispersions[] = {"global", "subject", "subject+global", "none", NULL};
static const char *const initials[] = {"eigen", "lifted", "random", "unet-random", NULL};
static const char *const recipes[] = {"printed", "authors", "congru", NULL};
static const char *const reconstructions[] = {"logeuclid", "riemann", NULL};

/* Classical methods. */
enum { SEED, RA_MEAN, MDM_METRIC, TANGENT_MEAN, C, CSP_FILTERS, RPA_LABELS, RPA_UNSUPERVISED, CLASSICAL };

static const option classical_options[CLASSICAL] = {
    [SEED] = {"seed", '\0', "N", "Of every random choice. Default: 50."},
    [RA_MEAN] = {"ra-mean", '\0', "NAME",
                 "The mean that alignment moves to the identity: 'riemann', 'logeuclid' or 'euclid'. Default: "
                 "riemann."},
    [MDM_METRIC] = {"mdm-metric", '\0', "NAME",
                    "Means and distances of mdm: 'riemann', 'logeuclid' or 'euclid'. Default: riemann."},
    [TANGENT_MEAN] =
        {"tangent-mean", '\0', "NAME",
         "Where tslr and tsa-lda touch the manifold: the mean by 'riemann', 'logeuclid' or 'euclid'. "
         "Default: riemann."},
    [C] = {"C", '\0', "NUMBER",
           "The inverse strength of tslr's ridge, as scikit-learn's C; 'auto' chooses it by leaving out one "
           "source subject at a time. Default: 1."},
    [CSP_FILTERS] = {"csp-filters", '\0', "N",
                     "How many filters csp-lda takes from each end of each class's spectrum. Default: 2."},
    [RPA_LABELS] = {"rpa-labels", '\0', "N",
                    "How many labelled trials per class of the new person rpa may use; they are not scored. "
                    "Default: 5."},
    [RPA_UNSUPERVISED] = {"rpa-unsupervised", '\0', NULL, "Let rpa stop after scaling, without any labels."},
};

/* Networks. */
enum {
    STEPS,
    LR,
    BATCH,
    WEIGHT_DECAY,
    CLIP,
    LAMBDA_ACT,
    LAMBDA_SUB,
    LAMBDA_W,
    LAMBDA_B,
    LAMBDA_REC,
    LAMBDA_CE,
    DELTA,
    DELTA_SUB,
    ALPHA,
    BETA,
    CENTRE,
    FISHER,
    DISPERSION,
    INIT,
    DIMS,
    RECIPE,
    RECONSTRUCTION,
    LABEL_SMOOTHING,
    SUBJECT_DROPOUT,
    AVERAGE,
    VALIDATION,
    ENSEMBLE,
    BALANCED,
    NO_SKIP_MERGES,
    UNCONSTRAINED,
    NO_RECORD,
    NETWORK
};

static const option network_options[NETWORK] = {
    [STEPS] = {"steps", '\0', "N", "Training steps. Default: 1000."},
    [LR] = {"lr", '\0', "NUMBER", "Adam's learning rate. Default: 0.001."},
    [BATCH] = {"batch", '\0', "N", "Trials per step, all when there are fewer. Default: 256."},
    [WEIGHT_DECAY] = {"weight-decay", '\0', "NUMBER", "Of the softmax head. Default: 1e-5."},
    [CLIP] = {"clip", '\0', "NUMBER", "The largest norm of a gradient; 0: any. Default: 5."},
    [LAMBDA_ACT] = {"lambda-act", '\0', "NUMBER",
                    "dldct, ddct-unet: weight of the Fisher term of actions. Default: 1."},
    [LAMBDA_SUB] = {"lambda-sub", '\0', "NUMBER", "The same for subjects. Default: 0.05."},
    [LAMBDA_W] = {"lambda-w", '\0', "NUMBER", "Weight of within-group scatter in both. Default: 1."},
    [LAMBDA_B] = {"lambda-b", '\0', "NUMBER", "Weight of between-group scatter in both. Default: 1."},
    [LAMBDA_REC] = {"lambda-rec", '\0', "NUMBER", "Weight of reconstruction. Default: 0.001."},
    [LAMBDA_CE] = {"lambda-ce", '\0', "NUMBER", "Weight of cross-entropy, end to end. Default: 1."},
    [DELTA] = {"delta", '\0', "NUMBER", "dct: weight of the Fisher ratio of actions. Default: 1.5."},
    [DELTA_SUB] = {"delta-sub", '\0', "NUMBER", "dct: weight of that of subjects. Default: 0.3."},
    [ALPHA] = {"alpha", '\0', "NUMBER", "dct: weight of (gamma - 1)^2. Default: 0.01."},
    [BETA] = {"beta", '\0', "NUMBER",
              "dct: weight of the distance of the rotation from none, falling to 0. Default: 4e-4."},
    [CENTRE] = {"centre", '\0', "NUMBER", "dct: weight of the centre penalty. Default: 1e-4."},
    [FISHER] =
        {"fisher", '\0', "NAME",
         "Scatters of dct: 'axis' (between classes on the diagonal, within them off it) or 'frobenius' (as "
         "printed, blind to a rotation). Default: axis."},
    [DISPERSION] = {"dispersion", '\0', "NAME",
                    "Scaling in dct: 'subject' (each person's own), 'global' (learned), 'subject+global' or "
                    "'none'. Default: subject+global."},
    [INIT] = {"init", '\0', "NAME",
              "Initial weights: 'lifted' (the paper's appendix), 'eigen' or 'random'. Default: lifted."},
    [DIMS] =
        {"dims", '\0', "D,...",
         "Widths of dldct or ddct-unet from input to output. Default: d,2d,2d,d and d,16,12,16,d for d = 22, "
         "else d,d/2,d/4,d/2,d."},
    [RECIPE] = {"recipe", '\0', "NAME",
                "'congru', or 'authors' for the choices of the published code. Default: congru."},
    [RECONSTRUCTION] = {"reconstruction", '\0', "NAME",
                        "Distance of the reconstruction term: 'logeuclid' or 'riemann'. Default: logeuclid."},
    [LABEL_SMOOTHING] = {"label-smoothing", '\0', "NUMBER",
                         "The share of a label's weight that all classes get alike. Default: 0."},
    [SUBJECT_DROPOUT] = {"subject-dropout", '\0', "NUMBER",
                         "The share of the subjects that each step leaves out. Default: 0."},
    [AVERAGE] =
        {"average", '\0', "NUMBER",
         "Keep a moving average of the weights with this decay, such as 0.99, instead of those with the least "
         "loss. Default: 0, off."},
    [VALIDATION] = {"validation", '\0', "N",
                    "Hold so many source subjects out of training and keep the weights that are best for them. "
                    "Default: 0."},
    [ENSEMBLE] = {"ensemble", '\0', "N", "Train with so many seeds and average the probabilities. Default: 1."},
    [BALANCED] = {"balanced-batches", '\0', NULL, "Draw each subject as often as any other."},
    [NO_SKIP_MERGES] = {"no-skip-merges", '\0', NULL, "Leave out the merges of ddct-unet."},
    [UNCONSTRAINED] = {"unconstrained", '\0', NULL, "Train end to end with cross-entropy alone."},
    [NO_RECORD] = {"no-record", '\0', NULL, "Do not keep the numbers of each training step."},
};

static const option_table network_option_table = {network_options, NETWORK, "Networks", NULL};
const option_table method_option_table = {classical_options, CLASSICAL, "Methods", &network_option_table};

static int choose(const arguments *parsed, size_t place, const char *const *names, int *choice)
{
    char where[WHERE_SIZE];
    size_t found = 0;
    if (parsed->values[place] == NULL)
        return EXIT_DONE;
    snprintf(where, sizeof where, "%s: --%s", parsed->command, options_at(parsed->table, place)->name);
    int code = options_parse_choice(where, parsed->values[place], names, &found);
    *choice = (int)found;
    return code;
}

static int parse_c(const arguments *parsed, size_t place, double *c)
{
    if (parsed->values[place] != NULL && strcmp(parsed->values[place], "auto") == 0) {
        *c = 0;
        return EXIT_DONE;
    }
    return options_number(parsed, place, *c, 1e-12, 1e12, c);
}

static int parse_classical(const arguments *parsed, size_t first, congru_method_options *options)
{
    int metric[3] = {0}, seed = (int)options->seed;
    int code = options_integer(parsed, first + SEED, seed, 0, SEED_MAX, &seed);
    options->seed = (uint64_t)seed;
    for (size_t i = 0; code == EXIT_DONE && i < 3; i++)
        code = choose(parsed, first + RA_MEAN + i, metrics, &metric[i]);
    options->alignment_mean = (congru_metric)metric[0];
    options->mdm_metric = (congru_metric)metric[1];
    options->tangent_mean = (congru_metric)metric[2];
    if (code == EXIT_DONE)
        code = parse_c(parsed, first + C, &options->c);
    if (code == EXIT_DONE)
        code =
            options_integer(parsed, first + CSP_FILTERS, options->csp_filters, 1, 512, &options->csp_filters);
    if (code == EXIT_DONE)
        code =
            options_integer(parsed, first + RPA_LABELS, options->rpa_labels, 1, 1000000, &options->rpa_labels);
    if (code == EXIT_DONE && parsed->values[first + RPA_UNSUPERVISED] != NULL) {
        if (parsed->values[first + RPA_LABELS] != NULL)
            return terminal_fail(EXIT_USAGE, "%s: --rpa-labels and --rpa-unsupervised exclude each other",
                                 parsed->command);
        options->rpa_labels = 0;
    }
    return code;
}

static int parse_numbers(const arguments *parsed, size_t first, congru_network_options *network)
{
    const struct {
        size_t place;
        double *number;
    } numbers[] = {
        {LR, &network->rate},
        {WEIGHT_DECAY, &network->decay},
        {CLIP, &network->clip},
        {LAMBDA_ACT, &network->action},
        {LAMBDA_SUB, &network->subject},
        {LAMBDA_W, &network->within},
        {LAMBDA_B, &network->between},
        {LAMBDA_REC, &network->reconstruction},
        {LAMBDA_CE, &network->cross_entropy},
        {DELTA, &network->ratio},
        {DELTA_SUB, &network->subject_ratio},
        {ALPHA, &network->gamma_penalty},
        {BETA, &network->rotation_penalty},
        {CENTRE, &network->centre_penalty},
    };
    int code = options_integer(parsed, first + STEPS, network->steps, 1, 10000000, &network->steps);
    if (code == EXIT_DONE)
        code = options_integer(parsed, first + BATCH, network->batch, 2, 1000000, &network->batch);
    for (size_t i = 0; code == EXIT_DONE && i < sizeof numbers / sizeof numbers[0]; i++)
        code = options_number(parsed, first + numbers[i].place, *numbers[i].number, 0, 1e9, numbers[i].number);
    return code;
}

static int parse_dims(const arguments *parsed, size_t place, congru_network_options *network)
{
    const char *text = parsed->values[place];
    char where[WHERE_SIZE], word[16];
    snprintf(where, sizeof where, "%s: --dims", parsed->command);
    while (text != NULL && *text != '\0') {
        size_t size = strcspn(text, ",");
        int width;
        if (network->width_count == CONGRU_LAYERS_MAX || size >= sizeof word)
            return terminal_fail(EXIT_USAGE, "%s wants at most %d widths with commas between, not '%s'", where,
                                 (int)CONGRU_LAYERS_MAX, parsed->values[place]);
        memcpy(word, text, size);
        word[size] = '\0';
        int code = options_parse_integer(where, word, 1, CONGRU_DIMENSION_MAX, &width);
        if (code != EXIT_DONE)
            return code;
        network->widths[network->width_count++] = (size_t)width;
        text += size + (text[size] == ',');
    }
    return EXIT_DONE;
}

/* What may help a network with people it has not seen. */
static int parse_extras(const arguments *parsed, size_t first, congru_network_options *network)
{
    int code = options_number(parsed, first + LABEL_SMOOTHING, 0, 0, 0.99, &network->label_smoothing);
    if (code == EXIT_DONE)
        code = options_number(parsed, first + SUBJECT_DROPOUT, 0, 0, 0.99, &network->subject_dropout);
    if (code == EXIT_DONE)
        code = options_number(parsed, first + AVERAGE, 0, 0, 0.999999, &network->average);
    if (code == EXIT_DONE)
        code = options_integer(parsed, first + VALIDATION, 0, 0, 1000000, &network->validation_subjects);
    if (code == EXIT_DONE)
        code = options_integer(parsed, first + ENSEMBLE, network->ensemble, 1, 100, &network->ensemble);
    network->balanced_batches = parsed->values[first + BALANCED] != NULL;
    return code;
}

static int parse_network(const arguments *parsed, size_t first, congru_network_options *network)
{
    int fisher = network->fisher, dispersion = network->dispersion, initial = network->initial,
        reconstruction = 0;
    int code = parse_numbers(parsed, first, network);
    if (code == EXIT_DONE)
        code = choose(parsed, first + FISHER, fishers, &fisher);
    if (code == EXIT_DONE)
        code = choose(parsed, first + DISPERSION, dispersions, &dispersion);
    if (code == EXIT_DONE)
        code = choose(parsed, first + INIT, initials, &initial);
    if (code == EXIT_DONE)
        code = choose(parsed, first + RECONSTRUCTION, reconstructions, &reconstruction);
    if (code == EXIT_DONE)
        code = parse_dims(parsed, first + DIMS, network);
    network->fisher = (congru_fisher)fisher;
    network->dispersion = (congru_dispersion)dispersion;
    network->initial = (congru_initial)initial;
    network->affine_reconstruction = reconstruction == 1;
    network->merges = parsed->values[first + NO_SKIP_MERGES] == NULL ? CONGRU_MERGES_SKIP : CONGRU_MERGES_NONE;
    if (code == EXIT_DONE)
        code = parse_extras(parsed, first, network);
    network->unconstrained = parsed->values[first + UNCONSTRAINED] != NULL;
    network->record = parsed->values[first + NO_RECORD] == NULL;
    return code;
}

int method_settings_parse(const arguments *parsed, congru_method_options *options)
{
    size_t first = options_place(parsed->table, method_option_table.options[0].name);
    congru_method_options_init(options);
    int recipe = 0;
    int code = choose(parsed, first + CLASSICAL + RECIPE, recipes, &recipe);
    congru_method_options_recipe(options, (congru_recipe)recipe);
    if (code == EXIT_DONE)
        code = parse_classical(parsed, first, options);
    return code == EXIT_DONE ? parse_network(parsed, first + CLASSICAL, &options->network) : code;
}
