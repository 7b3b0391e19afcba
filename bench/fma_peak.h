/* The fused multiply-adds per second this machine can issue. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_BENCH_FMA_PEAK_H
#define CONGRU_BENCH_FMA_PEAK_H

/* Runs `rounds` rounds of 12 independent chains in one instruction set; returns the operations done, two for each
 * lane of each fused multiply-add. */
double congru_lanes_fma_rounds_base(long rounds);
double congru_lanes_fma_rounds_avx2(long rounds);
double congru_lanes_fma_rounds_avx512(long rounds);
double congru_lanes_fma_rounds_neon(long rounds);

#endif
