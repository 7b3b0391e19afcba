/* Parameters that stay on a manifold, or within a norm. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_NETWORK_CONSTRAINT_H
#define CONGRU_NETWORK_CONSTRAINT_H

#include "network/graph.h"

/* The gradient's part in the tangent space, G - W sym(W^T G), of weights with orthonormal columns. */
void congru_constraints_project(congru_parameters *parameters);

/* After a step: W becomes Q of W = Q R, with R's diagonal positive; rows that are too long are shortened. */
void congru_constraints_retract(congru_parameters *parameters);

#endif
