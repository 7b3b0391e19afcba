/* Symmetric eigen-decomposition, one matrix per lane. SPDX-License-Identifier: Apache-2.0 */
#include "kernel/lanes_ql.h"
#include "kernel/lanes_table.h"
#include "kernel/lanes_tridiagonal.h"

static size_t rotation_capacity(size_t d)
{
    return d > QL_ROTATIONS_MIN ? d : QL_ROTATIONS_MIN;
}

/* In vectors, for each of the vectors side by side: six arrays of the reduction, the off-diagonal, the rotations. */
static size_t work_per_vector(size_t d)
{
    return 6 * d + 2 * rotation_capacity(d);
}

size_t LANES(eigen_work)(size_t d)
{
    return VEC_SIDE_BY_SIDE * work_per_vector(d) * VEC_WIDTH;
}

/* Brings each matrix to a largest entry in [1, 2) by a power of two, so that no square over- or underflows
 * where it matters; returns the power. */
static vec scale_to_one(size_t d, double *a)
{
    vec largest = v_set(0.0);
    for (size_t i = 0; i < d; i++) {
        for (size_t j = 0; j <= i; j++) {
            vec size = v_abs(v_load(AT(a, i * d + j)));
            largest = v_select(v_lt(largest, size), size, largest);
        }
    }
    largest = v_select(v_lt(largest, v_set(0x1p-1020)), v_set(0x1p-1020), largest);
    largest = v_select(v_lt(v_set(0x1p1020), largest), v_set(0x1p1020), largest);
    vec power = v_bits_and(largest, UINT64_C(0x7ff0000000000000));
    vec inverse = v_bits_sub(v_lane_pattern(UINT64_C(2046) << 52), power);
    for (size_t i = 0; i < d; i++) {
        for (size_t j = 0; j <= i; j++)
            v_store(AT(a, i * d + j), v_mul(v_load(AT(a, i * d + j)), inverse));
    }
    return power;
}

/* Sweeps until all are diagonal, turning the vectors z along where they are wanted. */
ALWAYS_INLINE bool diagonalise(const int count, size_t d, ql_lane *q, double *z)
{
    size_t sweeps_left = QL_SWEEPS_PER_ROW * d;
    bool done = false, converged = true;
    while (!done) {
        done = ql_iterate(count, d, q, rotation_capacity(d), &sweeps_left);
        for (int v = 0; v < count && z != NULL; v++)
            ql_rotate(d, &q[v], z + (size_t)v * d * d * VEC_WIDTH);
    }
    for (int v = 0; v < count; v++)
        converged = converged && m_all(v_eq(v_load(q[v].low), v_set((double)(d - 1))));
    return converged;
}

/* Reduces `count` vectors, iterates on them side by side, and turns their vectors along. */
ALWAYS_INLINE bool eigen_side_by_side(const int count, size_t d, double *a, double *values, double *z,
                                      double *work)
{
    const size_t matrix = d * d * VEC_WIDTH, row = d * VEC_WIDTH;
    tridiagonal t[VEC_SIDE_BY_SIDE];
    ql_lane q[VEC_SIDE_BY_SIDE];
    vec power[VEC_SIDE_BY_SIDE];
    for (int v = 0; v < count; v++) {
        double *place = work + (size_t)v * work_per_vector(d) * VEC_WIDTH;
        t[v] = (tridiagonal){.a = a + (size_t)v * matrix, .diagonal = values + (size_t)v * row};
        t[v].work = (tridiagonal_work){place, place + row, place + 2 * row, place + 3 * row};
        t[v].h = place + 4 * row;
        q[v].diagonal = t[v].diagonal;
        q[v].off = t[v].off = place + 5 * row;
        q[v].tangent = place + 6 * row;
        q[v].sine = q[v].tangent + rotation_capacity(d) * VEC_WIDTH;
        power[v] = scale_to_one(d, t[v].a);
    }
    tridiagonal_reduce(count, d, t);
    for (int v = 0; v < count; v++) {
        if (z != NULL)
            tridiagonal_form_q(d, t[v].a, t[v].h, z + (size_t)v * matrix);
        v_store(q[v].low, v_set(0.0));
        ql_find_block(d, &q[v]);
    }
    bool converged = d == 1 || diagonalise(count, d, q, z);
    for (int v = 0; v < count; v++) {
        for (size_t i = 0; i < d; i++)
            v_store(AT(q[v].diagonal, i), v_mul(v_load(AT(q[v].diagonal, i)), power[v]));
        /* An identity rotation may turn -0 into +0, depending on the neighbours: make all zeros +0. */
        for (size_t i = 0; i < d * d && z != NULL; i++) {
            double *entry = AT(z + (size_t)v * matrix, i);
            v_store(entry, v_add(v_load(entry), v_set(0.0)));
        }
    }
    return converged;
}

bool LANES(eigen)(size_t vectors, size_t d, double *a, double *values, double *z, double *work)
{
    const size_t matrix = d * d * VEC_WIDTH, row = d * VEC_WIDTH;
    bool converged = true;
    for (size_t v = 0, count; v < vectors; v += count) {
        double *own_z = z != NULL ? z + v * matrix : NULL;
        count = lanes_least(vectors - v, VEC_SIDE_BY_SIDE);
        switch (count) {
#define SIDE_BY_SIDE_CASE(N) \
    case N: \
        converged &= eigen_side_by_side(N, d, a + v * matrix, values + v * row, own_z, work); \
        break
            SIDE_BY_SIDE_CASE(1);
            SIDE_BY_SIDE_CASE(2);
#if VEC_SIDE_BY_SIDE > 2
            SIDE_BY_SIDE_CASE(3);
#endif
#if VEC_SIDE_BY_SIDE > 3
            SIDE_BY_SIDE_CASE(4);
#endif
#undef SIDE_BY_SIDE_CASE
        }
    }
    return converged;
}
