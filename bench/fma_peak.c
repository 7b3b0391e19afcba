/* Twelve independent chains of fused multiply-adds, compiled per instruction set. SPDX-License-Identifier: Apache-2.0 */
#include "fma_peak.h"

#include "kernel/lanes.h"

enum { CHAINS = 12 };

double LANES(fma_rounds)(long rounds)
{
    vec sum[CHAINS];
    for (int i = 0; i < CHAINS; i++)
        sum[i] = v_set((double)i);
    const vec factor = v_set(0.999), addend = v_set(0.001);
    for (long n = 0; n < rounds; n++) {
        for (int i = 0; i < CHAINS; i++)
            sum[i] = v_fma(sum[i], factor, addend);
    }
    /* The sums must be used, or the loop would be dropped. */
    volatile double sink = 0;
    for (int i = 0; i < CHAINS; i++)
        sink = sink + v_largest(sum[i]);
    return 2.0 * CHAINS * VEC_WIDTH * (double)rounds;
}
