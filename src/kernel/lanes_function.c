/* Functions of eigenvalues and their divided differences, in lanes. SPDX-License-Identifier: Apache-2.0 */
#include "kernel/lanes_table.h"

ALWAYS_INLINE vec clamp(vec x, double floor)
{
    return v_select(v_lt(x, v_set(floor)), v_set(floor), x);
}

static vec evaluate(congru_function function, vec x)
{
    vec high, low;
    switch (function.kind) {
    case CONGRU_FUNCTION_LOG:
        x = v_add(x, v_set(function.a));
        return v_log(function.b > 0.0 ? clamp(x, function.b) : x);
    case CONGRU_FUNCTION_EXP:
        return v_exp(v_mul(x, v_set(function.a)));
    case CONGRU_FUNCTION_SQRT:
        return v_sqrt(x);
    case CONGRU_FUNCTION_INVSQRT:
        return v_div(v_set(1.0), v_sqrt(x));
    case CONGRU_FUNCTION_RECTIFY:
        return clamp(x, function.b);
    case CONGRU_FUNCTION_POWER:
        break;
    }
    v_log_parts(x, &high, &low);
    return v_power_parts(high, low, v_set(function.a));
}

void LANES(map)(congru_function function, size_t count, const double *in, double *out)
{
    for (size_t i = 0; i < count; i += VEC_WIDTH)
        v_store(out + i, evaluate(function, v_load(in + i)));
}

void LANES(scale_columns)(size_t vectors, size_t d, const double *z, const double *values, double *scaled)
{
    for (size_t v = 0; v < vectors; v++, values += d * VEC_WIDTH) {
        for (size_t i = 0; i < d; i++, z += d * VEC_WIDTH, scaled += d * VEC_WIDTH) {
            for (size_t k = 0; k < d; k++)
                v_store(AT(scaled, k), v_mul(v_load(AT(z, k)), v_load(AT(values, k))));
        }
    }
}

/* Divided differences
 *
 * (f(a) - f(b))/(a - b) loses its digits as a approaches b. Where the two are near, it is written with a
 * function that has no such trouble: for the logarithm atanh(z)/z at z = (a - b)/(a + b), for the exponential
 * (e^x - 1)/x at x = a - b, for a power both. Elsewhere the quotient is taken as it stands.
 *
 * Each kind has a `prepare`, which leaves up to three numbers per eigenvalue in first, second, third, and a
 * `difference` of two eigenvalues so prepared; its value at a == b is the derivative. */

typedef struct prepared {
    vec x, first, second, third;
} prepared;

/* first: the eigenvalue as the logarithm sees it; second + third: its logarithm. */
ALWAYS_INLINE prepared prepare_log(congru_function function, vec x)
{
    prepared p = {.x = v_add(x, v_set(function.a))};
    p.first = function.b > 0.0 ? clamp(p.x, function.b) : p.x;
    v_log_parts(p.first, &p.second, &p.third);
    return p;
}

ALWAYS_INLINE vec difference_log(congru_function function, const prepared *a, const prepared *b)
{
    vec gap = v_sub(a->first, b->first), sum = v_add(a->first, b->first);
    mask near = v_le(v_abs(gap), v_mul(sum, v_set(ELEMENTARY_ATANH_SMALL)));
    vec inverse = v_div(v_set(1.0), v_select(near, sum, gap));
    vec z = v_mul(gap, inverse), z2 = v_mul(z, z);
    vec near_value = v_fma(z2, v_atanh_tail(z2), v_set(1.0));
    vec far_value = v_add(v_sub(a->second, b->second), v_sub(a->third, b->third));
    vec value = v_mul(v_select(near, v_add(near_value, near_value), far_value), inverse);
    if (function.b <= 0.0)
        return value;
    /* Below the floor the logarithm is constant: only the part of the gap above it counts. */
    mask a_low = v_lt(a->x, v_set(function.b)), b_low = v_lt(b->x, v_set(function.b));
    if (!m_any(m_or(a_low, b_low)))
        return value;
    vec share = v_div(gap, v_sub(a->x, b->x));
    value = v_select(m_or(a_low, b_low), v_mul(value, share), value);
    return v_select(m_and(a_low, b_low), v_set(0.0), value);
}

/* x is scaled; first: its exponential. */
ALWAYS_INLINE prepared prepare_exp(congru_function function, vec x)
{
    prepared p = {.x = v_mul(x, v_set(function.a))};
    p.first = v_exp(p.x);
    p.second = p.third = p.x;
    return p;
}

ALWAYS_INLINE vec difference_exp(congru_function function, const prepared *a, const prepared *b)
{
    vec gap = v_sub(a->x, b->x);
    mask near = v_le(v_abs(gap), v_set(ELEMENTARY_EXPM1_SMALL));
    vec near_value = v_mul(b->first, v_expm1_ratio(gap));
    vec far_value = v_div(v_sub(a->first, b->first), gap);
    return v_mul(v_select(near, near_value, far_value), v_set(function.a));
}

/* first: x^p. */
ALWAYS_INLINE prepared prepare_power(congru_function function, vec x)
{
    prepared p = {.x = x};
    v_log_parts(x, &p.second, &p.third);
    p.first = v_power_parts(p.second, p.third, v_set(function.a));
    return p;
}

ALWAYS_INLINE vec difference_power(congru_function function, const prepared *a, const prepared *b)
{
    const vec p = v_set(function.a);
    vec gap = v_sub(a->x, b->x), sum = v_add(a->x, b->x);
    vec z = v_div(gap, sum), z2 = v_mul(z, z);
    vec log_ratio = v_mul(v_add(z, z), v_fma(z2, v_atanh_tail(z2), v_set(1.0))), bend = v_mul(p, log_ratio);
    mask small = v_le(v_abs(bend), v_set(ELEMENTARY_EXPM1_SMALL));
    mask near = m_and(v_le(v_abs(z), v_set(ELEMENTARY_ATANH_SMALL)), small);
    vec below = v_mul(b->x, v_expm1_ratio(log_ratio));
    vec slope = v_div(v_mul(v_mul(p, b->first), v_expm1_ratio(bend)), below);
    return v_select(near, slope, v_div(v_sub(a->first, b->first), gap));
}

/* first: the square root. */
ALWAYS_INLINE prepared prepare_root(congru_function function, vec x)
{
    (void)function;
    vec root = v_sqrt(x);
    return (prepared){x, root, root, root};
}

ALWAYS_INLINE vec difference_root(congru_function function, const prepared *a, const prepared *b)
{
    vec sum = v_add(a->first, b->first);
    if (function.kind == CONGRU_FUNCTION_SQRT)
        return v_div(v_set(1.0), sum);
    return v_div(v_set(-1.0), v_mul(v_mul(a->first, b->first), sum));
}

/* first: the rectified eigenvalue. */
ALWAYS_INLINE prepared prepare_rectify(congru_function function, vec x)
{
    vec high = clamp(x, function.b);
    return (prepared){x, high, high, high};
}

/* The share of the gap that is above the floor; at a gap of zero, whether both are. */
ALWAYS_INLINE vec difference_rectify(congru_function function, const prepared *a, const prepared *b)
{
    vec gap = v_sub(a->x, b->x);
    mask equal = v_eq(gap, v_set(0.0)), low = v_lt(a->x, v_set(function.b));
    vec slope = v_select(low, v_set(0.0), v_set(1.0));
    return v_select(equal, slope, v_div(v_sub(a->first, b->first), gap));
}

#define LOEWNER(kind) \
    static void loewner_##kind(congru_function function, size_t d, const double *values, double *out, \
                               double *work) \
    { \
        for (size_t i = 0; i < d; i++) { \
            prepared a = prepare_##kind(function, v_load(AT(values, i))); \
            v_store(AT(work, 3 * i), a.first); \
            v_store(AT(work, 3 * i + 1), a.second); \
            v_store(AT(work, 3 * i + 2), a.third); \
            for (size_t j = 0; j <= i; j++) { \
                prepared b = {loewner_abscissa(function, v_load(AT(values, j))), v_load(AT(work, 3 * j)), \
                              v_load(AT(work, 3 * j + 1)), v_load(AT(work, 3 * j + 2))}; \
                vec value = difference_##kind(function, &a, &b); \
                v_store(AT(out, i *d + j), value); \
                v_store(AT(out, j *d + i), value); \
            } \
        } \
    }

/* The x of a prepared eigenvalue, from the eigenvalue. */
ALWAYS_INLINE vec loewner_abscissa(congru_function function, vec x)
{
    if (function.kind == CONGRU_FUNCTION_LOG)
        return v_add(x, v_set(function.a));
    return function.kind == CONGRU_FUNCTION_EXP ? v_mul(x, v_set(function.a)) : x;
}

LOEWNER(log)
LOEWNER(exp)
LOEWNER(power)
LOEWNER(root)
LOEWNER(rectify)

void LANES(loewner)(congru_function function, size_t vectors, size_t d, const double *values, double *loewner,
                    double *work)
{
    for (size_t v = 0; v < vectors; v++, values += d * VEC_WIDTH, loewner += d * d * VEC_WIDTH) {
        switch (function.kind) {
        case CONGRU_FUNCTION_LOG:
            loewner_log(function, d, values, loewner, work);
            break;
        case CONGRU_FUNCTION_EXP:
            loewner_exp(function, d, values, loewner, work);
            break;
        case CONGRU_FUNCTION_POWER:
            loewner_power(function, d, values, loewner, work);
            break;
        case CONGRU_FUNCTION_SQRT:
        case CONGRU_FUNCTION_INVSQRT:
            loewner_root(function, d, values, loewner, work);
            break;
        case CONGRU_FUNCTION_RECTIFY:
            loewner_rectify(function, d, values, loewner, work);
            break;
        }
    }
}
