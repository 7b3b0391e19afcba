/* Tails of distributions, inside the library. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_STATISTICS_DISTRIBUTIONS_H
#define CONGRU_STATISTICS_DISTRIBUTIONS_H

/* The probability that a standard normal number is above z. */
double congru_normal_tail(double z);

#endif
