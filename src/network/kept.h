/* A network in the tensors of a model: what is called PREFIX.NAME, and its design by a table of fields. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_NETWORK_KEPT_H
#define CONGRU_NETWORK_KEPT_H

#include "network/models/model.h"

/* Whether trials of d channels are for this design: CONGRU_ERROR_ARGUMENT. */
congru_status congru_design_check(congru_context *context, const congru_design *design, size_t d);

/* Tensors added and found again, as in model/tensors.h. */
congru_status congru_kept_add(congru_context *context, congru_tensors *model, const char *prefix,
                              const char *own, size_t dims, const size_t *shape, const double *data);
congru_status congru_kept_make(congru_context *context, congru_tensors *model, const char *prefix,
                               const char *own, size_t dims, const size_t *shape, double **data);
congru_status congru_kept_add_number(congru_context *context, congru_tensors *model, const char *prefix,
                                     const char *own, double number);
bool congru_kept_has(const congru_tensors *model, const char *prefix, const char *own);
congru_status congru_kept_find(congru_context *context, const congru_tensors *model, const char *prefix,
                               const char *own, size_t dims, size_t *shape, const double **data);
congru_status congru_kept_find_number(congru_context *context, const congru_tensors *model, const char *prefix,
                                      const char *own, double least, double most, double *number);

/* The first segments of weights, under their names. */
congru_status congru_kept_add_weights(congru_context *context, congru_tensors *model, const char *prefix,
                                      size_t segments, const congru_parameters *parameters);

/* One field of a design, as the number PREFIX.FIELD; or all of them, as the tensor PREFIX.design. */
congru_status congru_design_add_field(congru_context *context, congru_tensors *model, const char *prefix,
                                      const char *field, const congru_design *design);
congru_status congru_design_find_field(congru_context *context, const congru_tensors *model, const char *prefix,
                                       const char *field, congru_design *design);
congru_status congru_design_add(congru_context *context, congru_tensors *model, const char *prefix,
                                const congru_design *design);
congru_status congru_design_find(congru_context *context, const congru_tensors *model, const char *prefix,
                                 congru_design *design);

#endif
