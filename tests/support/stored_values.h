/* Numbers of other programs stored in tests/data, and tensors compared with them. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_TESTS_STORED_VALUES_H
#define CONGRU_TESTS_STORED_VALUES_H

#include <stddef.h>
#include <stdint.h>

enum { STORED_PROJECTIONS = 16, STORED_PER_TENSOR = 2 + STORED_PROJECTIONS };

/* The numbers stored under a name in a file of tests/data; how many there are. 0, and a failed check, where there are none. */
size_t stored_values(const char *file, const char *name, double *values);

/* `count` numbers of the stream (seed, a, b, c), uniform from -1/2 to 1/2. */
void stored_draw(uint64_t seed, size_t count, uint32_t a, uint32_t b, uint32_t c, double *out);

/* ||a - b|| / ||b||, as random products of tensor number `tensor` see it: numbers are its size, its norm and these products.
 * A tensor of zeros must be zero to within the tolerance itself. */
double stored_distance(uint64_t seed, size_t tensor, size_t count, const double *a, const double *numbers);

#endif
