/* Multinomial logistic regression with a ridge. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_CLASSIFIER_LOGISTIC_H
#define CONGRU_CLASSIFIER_LOGISTIC_H

#include "classifier/class_table.h"
#include "congru/classifier.h"

/* Minimises the sum over trials of weight * cross-entropy + 1/2 |W|^2 over the weights W (rows, features), intercepts
 * apart, which are the last column and not penalised. Two classes have one row, for the second: the logit of the first
 * is 0. More have a row each.
 *
 * The variables of the iteration are V = W U^T with U^T U = h C (X^T X) + I, which is the second derivative where all
 * classes are equally likely, apart from what couples the classes; after Boehning (1992), who bounds it so with
 * h = 1/2. In these variables the problem is nearly round, whatever C and the features. */
typedef struct congru_logistic {
    size_t n, features, rows, blocks; /* features counts the intercept */
    bool reference;                   /* two classes */
    double *x;                        /* (blocks, features, CONGRU_LOGISTIC_BLOCK) */
    double *label, *weight;           /* (blocks, CONGRU_LOGISTIC_BLOCK) */
    double *gram;                     /* (features, stride), of x */
    double *factor;                   /* (features, stride), U */
    double *w;                        /* (rows, stride), weights of the last evaluation */
    double *plain;                    /* (rows, features), the same without padding */
    double *gradient;                 /* (rows, stride), of the last evaluation */
    double *part, *loss;              /* (blocks, rows, features) and (blocks) */
    double *scaled;                   /* (features, CONGRU_LOGISTIC_BLOCK) */
    double *scratch;                  /* for solving, and (features, features) for products of features */
} congru_logistic;

/* When to stop: at a gradient of this norm, or at this share of the norm that the iteration began with, the gradient
 * being with respect to V. 0: never. */
typedef struct congru_logistic_stop {
    double gradient, share;
    int iterations_max;
} congru_logistic_stop;

/* Run twice over an arena: measure, then place. `present` is the number of classes. */
void congru_logistic_layout(congru_arena *arena, const congru_context *context, size_t n, size_t features,
                            size_t present, congru_logistic *problem);

/* Takes in the features (n, features - 1) and the classes of the trials. */
void congru_logistic_load(congru_context *context, const double *x, const int32_t *label,
                          const congru_class_table *table, congru_logistic *problem);

/* Makes U for this C, from the features of all trials, or from what trials weigh and how sure w is of each. */
void congru_logistic_precondition(congru_context *context, double c, congru_logistic *problem);
void congru_logistic_precondition_at(congru_context *context, congru_logistic *problem, const double *w);

/* Every trial's weight becomes c, except of those of the subject `without`, which becomes 0; -1: of none. */
void congru_logistic_weigh(double c, const int32_t *subject, int32_t without, congru_logistic *problem);

/* The objective at w (rows, stride of the features); its derivative is left in problem->gradient. */
double congru_logistic_evaluate(congru_context *context, congru_logistic *problem, const double *w);

/* Goes from w (rows, stride of the features) to the minimum. CONGRU_ERROR_NOT_CONVERGED when it stops short. */
congru_status congru_logistic_minimise(congru_context *context, congru_logistic *problem,
                                       congru_logistic_stop stop, double *w, congru_logistic_info *info);

/* w as weights (classes, features - 1) and intercept (classes) of all classes. */
void congru_logistic_unpack(const congru_logistic *problem, const congru_class_table *table, const double *w,
                            double *weights, double *intercept);

/* Labelled trials, as the search for C needs them. */
typedef struct congru_logistic_set {
    size_t n, features; /* without the intercept */
    const double *x;    /* (n, features) */
    const int32_t *label, *subject;
    size_t subjects;
} congru_logistic_set;

/* The C of a grid that does best on subjects left out in turn, and w at its minimum for all trials to `stop`. */
congru_status congru_logistic_select(congru_context *context, congru_logistic *problem,
                                     const congru_class_table *table, const congru_logistic_set *set,
                                     congru_logistic_stop stop, double *w, congru_logistic_info *info);

#endif
