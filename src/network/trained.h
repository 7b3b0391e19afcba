/* A trained network as its tensors hold it, and what it makes of trials. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_NETWORK_TRAINED_H
#define CONGRU_NETWORK_TRAINED_H

#include "network/train.h"

/* Pointers into the model. */
typedef struct congru_trained {
    const congru_network *network;
    congru_design design;
    size_t out;                                         /* dimension of the output */
    const double *w[CONGRU_LAYERS_MAX];                 /* of a stack */
    const double *rotation;                             /* DCT (d, d) */
    bool trace;                                         /* trials are divided by their trace first */
    double gamma, dispersion;                           /* the source subjects' mean; */
    bool by_subject;                                    /* whether there is any */
    const double *weights, *bias, *present, *reference; /* of the head, if there are classes */
} congru_trained;

/* Adds the tensors of a training; finds them again. */
congru_status congru_trained_save(const congru_training *training, const char *prefix, congru_tensors *model);
congru_status congru_trained_load(congru_context *context, const congru_network *network, const char *prefix,
                                  const congru_tensors *model, congru_trained *n);

/* The trials as the network sees them: *seen is `covariance`, or with `trace` *own, divided by traces, which the caller gives
 * back (congru_memory_give); *own may be NULL. */
congru_status congru_trained_trials(congru_context *context, bool trace, size_t count, size_t d,
                                    const double *covariance, double **own, const double **seen);

/* The squared norm of each trial's logarithm: (count). */
congru_status congru_trained_norms(congru_context *context, const congru_trained *n, size_t count,
                                   const double *covariance, double *norm);

/* The output C_out (count, out, out) and its logarithm, either of which may be NULL; trial i's logarithm is
 * divided by dispersion[i] first (DCT; NULL: none is). */
congru_status congru_trained_outputs(congru_context *context, const congru_trained *n, size_t count,
                                     const double *covariance, const double *dispersion, double *c_out,
                                     double *log_out);

/* Class probabilities (count, classes) of outputs, by one reference (mean logarithm, (out, out)) or one for
 * each. */
congru_status congru_trained_probabilities(congru_context *context, const congru_trained *n, size_t count,
                                           const double *c_out, size_t references, const double *reference,
                                           double *probability);

#endif
