/* A trained network: its design, weights and statistics in a model's tensors, and its graph run on trials. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_NETWORK_TRAINED_H
#define CONGRU_NETWORK_TRAINED_H

#include "network/statistics.h"
#include "network/train.h"

/* A graph without a batch, and what it stands on. */
typedef struct congru_application {
    congru_graph graph;
    congru_parameters parameters;
    congru_arena arena;
} congru_application;

/* An empty one, freed by end; planned and laid out, after which what is given to layers goes into their states. Rewritten
 * only where bits are the same as layer by layer: what a model says about a trial must not depend on algebra that training
 * may gain. */
congru_status congru_application_begin(congru_context *context, congru_application **application);
congru_status congru_application_lay_out(congru_application *application);
void congru_application_end(congru_application *application);

/* Pointers into the model, and a graph. A network has a head where its design has classes. */
typedef struct congru_trained {
    congru_context *context;
    const congru_network *network;
    const char *prefix;
    const congru_tensors *model;
    congru_design design;
    const double *weight[CONGRU_SEGMENTS_MAX]; /* by segment of its graph */
    const double *present;                     /* (classes): 0 for those without a trial */
    double gamma, dispersion; /* of DCT, the latter the source subjects' mean; 0: there is none */
    size_t middle; /* rows of the matrices that its head recentres, or the normalisation before it; 0: none */
    congru_statistic_kind centre; /* where those of the target are */
    congru_application *built;    /* its graph, which the first run takes; NULL: it has */
} congru_trained;

/* Adds the tensors of a training; finds them again. The latter is freed by end, also after a failure. */
congru_status congru_trained_save(const congru_training *training, const char *prefix, congru_tensors *model);
congru_status congru_trained_load(congru_context *context, const congru_network *network, const char *prefix,
                                  const congru_tensors *model, congru_trained *n);
void congru_trained_end(congru_trained *n);

/* What is kept of the source subjects' matrices (congru_statistic_of_sources): an error where it is not. */
congru_status congru_trained_reference(const congru_trained *n, const double **kept);

/* What a run of its graph is given beside the weights. */
typedef struct congru_given {
    size_t count;
    const double *covariance;  /* (count, d, d), or */
    const congru_real *signal; /* (count, samples, channels) as reals, of which */
    size_t crop;               /* this crop is read, from 1 */
    void *own;                 /* what of these is its own */
    const double *dispersion;  /* (count): by which DCT divides logarithms; NULL: by none */
    const double *matrix;      /* (count, middle, middle): the run begins with these; NULL: with the trials */
    const congru_statistic *centre; /* by whose results the matrices are recentred */
} congru_given;

/* The trials as the network reads them, over their traces or standardised where it was trained so: CONGRU_ERROR_ARGUMENT for
 * those of another kind or shape. congru_given_end frees what was made. */
congru_status congru_given_begin(const congru_trained *n, size_t count, size_t d, const double *covariance,
                                 const congru_signals *signals, congru_given *given);
void congru_given_end(congru_given *given);

/* Trials over their traces in memory of their own. */
congru_status congru_network_divide(congru_context *context, size_t count, size_t d, const double *covariance,
                                    void **own, const double **divided);

/* Fills in the outputs that are not NULL: matrices (count, out, out), their logarithms, class probabilities. */
congru_status congru_trained_run(congru_trained *n, const congru_given *given,
                                 double *const out[CONGRU_OUTPUT_COUNT]);

/* The squared norm of each trial's logarithm: (count). */
congru_status congru_trained_norms(const congru_trained *n, const congru_given *given, double *norm);

#endif
