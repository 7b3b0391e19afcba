/* Logarithm, exponential and power over the vector layer, within about 1 ulp. SPDX-License-Identifier: Apache-2.0
 *
 * Include after a vector header (vec_scalar.h or one of kernel/vec_*.h). libm's functions differ between
 * processors; these are fixed sequences of IEEE operations, so every lane of every instruction set gives the
 * same bits. Coefficients: tools/minimax.py. */
#ifndef CONGRU_ELEMENTARY_H
#define CONGRU_ELEMENTARY_H

#define ELEMENTARY_ATANH_SMALL 0.17165 /* |z| up to which v_atanh_tail and the divided differences use it */
#define ELEMENTARY_EXPM1_SMALL 0.35    /* |x| up to which v_expm1_ratio holds */

static const double elementary_ln2_high = 0x1.62e42fefa3800p-1; /* 42 bits: k times it is exact */
static const double elementary_ln2_low = 0x1.ef35793c76730p-45;

static inline vec v_polynomial(vec x, const double *coefficients, int degree)
{
    vec sum = v_set(coefficients[degree]);
    for (int i = degree - 1; i >= 0; i--)
        sum = v_fma(sum, x, v_set(coefficients[i]));
    return sum;
}

/* (atanh(s)/s - 1)/s^2 as a function of z = s^2, |s| <= ELEMENTARY_ATANH_SMALL. */
static inline vec v_atanh_tail(vec z)
{
    static const double coefficients[] = {0x1.5555555555555p-2, 0x1.9999999999a3ap-3, 0x1.249249247670ap-3,
                                          0x1.c71c7201fc0e6p-4, 0x1.745cf8c09a9d4p-4, 0x1.3b1c43c68eb6dp-4,
                                          0x1.0fbd140544b63p-4, 0x1.0c135adcf3011p-4};
    return v_polynomial(z, coefficients, 7);
}

/* (exp(x) - 1)/x, |x| <= ELEMENTARY_EXPM1_SMALL. */
static inline vec v_expm1_ratio(vec x)
{
    static const double coefficients[] = {0x1.0000000000000p+0,  0x1.0000000000006p-1,  0x1.5555555555557p-3,
                                          0x1.5555555551c5fp-5,  0x1.111111110ff8bp-7,  0x1.6c16c1806e4e6p-10,
                                          0x1.a01a01ac9de9ep-13, 0x1.a019a2c08d573p-16, 0x1.71ddfff6573d6p-19,
                                          0x1.28a687232618ap-22, 0x1.af5282aacdb2ep-26};
    return v_polynomial(x, coefficients, 10);
}

/* log x as an unevaluated sum high + low, |low| <= ulp(high)/2, for finite x > 0, subnormals included. */
static inline void v_log_parts(vec x, vec *high, vec *low)
{
    const vec one = v_set(1.0);
    mask subnormal = v_lt(x, v_set(0x1p-1022));
    x = v_select(subnormal, v_mul(x, v_set(0x1p54)), x);
    /* The exponent field, written into the low bits of 2^52, becomes a double without a conversion. */
    vec exponent = v_sub(v_bits_or(v_bits_right(x, 52), UINT64_C(0x4330000000000000)), v_set(0x1p52));
    exponent = v_sub(exponent, v_select(subnormal, v_set(1023.0 + 54.0), v_set(1023.0)));
    vec m = v_bits_or(v_bits_and(x, UINT64_C(0x000fffffffffffff)), UINT64_C(0x3ff0000000000000));
    mask upper = v_lt(v_set(0x1.6a09e667f3bcdp+0), m);
    m = v_select(upper, v_mul(m, v_set(0.5)), m);
    exponent = v_select(upper, v_add(exponent, one), exponent);

    /* s = (m - 1)/(m + 1) to twice the precision: log m = 2 atanh s. */
    vec f = v_sub(m, one), u = v_add(m, one);
    vec u_low = v_sub(m, v_sub(u, one));
    vec inverse = v_div(one, u);
    vec s = v_mul(f, inverse);
    vec s_low = v_mul(v_fnma(s, u_low, v_fnma(s, u, f)), inverse);
    vec z = v_mul(s, s);
    vec tail = v_fma(v_mul(s, z), v_atanh_tail(z), s_low);

    vec whole = v_mul(exponent, v_set(elementary_ln2_high)), twice = v_add(s, s);
    vec sum = v_add(whole, twice);
    vec rest = v_add(v_sub(whole, sum), twice);
    rest = v_add(rest, v_fma(exponent, v_set(elementary_ln2_low), v_add(tail, tail)));
    *high = v_add(sum, rest);
    *low = v_add(v_sub(sum, *high), rest);
}

/* Over the whole double range: -inf at 0, NaN below, +inf at +inf. */
static inline vec v_log(vec x)
{
    vec high, low;
    v_log_parts(x, &high, &low);
    high = v_select(v_eq(x, v_set(0.0)), v_set(-INFINITY), high);
    high = v_select(v_eq(x, v_set(INFINITY)), x, high);
    return v_select(v_le(v_set(0.0), x), high, v_set(NAN));
}

/* 2^k for whole k in [-1022, 1023]. */
static inline vec v_power_of_two(vec k)
{
    return v_bits_left(v_add(k, v_set(0x1p52 + 1023.0)), 52);
}

/* exp(high + low) with |low| far below |high|; overflows to infinity, underflows gradually to 0. */
static inline vec v_exp_parts(vec high, vec low)
{
    const vec rounder = v_set(0x1.8p52);
    high = v_select(v_lt(high, v_set(-746.0)), v_set(-746.0), high);
    high = v_select(v_lt(v_set(710.0), high), v_set(710.0), high);
    vec k = v_sub(v_fma(high, v_set(0x1.71547652b82fep+0), rounder), rounder);
    vec r = v_fnma(k, v_set(elementary_ln2_high), high);
    r = v_add(r, v_fnma(k, v_set(elementary_ln2_low), low));
    vec y = v_fma(r, v_expm1_ratio(r), v_set(1.0));
    /* Two factors, since 2^k itself may be out of range where the product is not. */
    vec half = v_sub(v_fma(k, v_set(0.5), rounder), rounder);
    return v_mul(v_mul(y, v_power_of_two(half)), v_power_of_two(v_sub(k, half)));
}

static inline vec v_exp(vec x)
{
    return v_exp_parts(x, v_set(0.0));
}

/* x^p given log x in parts. */
static inline vec v_power_parts(vec high, vec low, vec p)
{
    vec product = v_mul(p, high);
    vec rest = v_fma(p, low, v_fms(p, high, product));
    /* Where the product alone decides, or has overflowed, the rest is noise or NaN. */
    rest = v_select(v_lt(v_abs(product), v_set(1000.0)), rest, v_set(0.0));
    return v_exp_parts(product, rest);
}

/* The normal distribution up to x, and its density: Q(a) = 1 - P(a) is exp(-a^2 / 2) times a slow function of a = |x|, which is
 * a polynomial in (a - 4) / (a + 4) over 1 + a. P is right to 1e-15 of itself on both sides; beyond 39 it is 0 or 1. */
static inline void v_normal(vec x, vec *cumulative, vec *density)
{
    static const double coefficients[] = {
        0x1.e361ea6fba141p-2, -0x1.8c18f2086e32ep-4, 0x1.cabd72a6103d7p-7, 0x1.d4969f10dd304p-6,
        -0x1.07c3c258357e9p-5, 0x1.25dd72065695dp-6, -0x1.47d5fc6dd4b19p-8, -0x1.2b7f5f298e01bp-12,
        0x1.6c5380b089021p-11, -0x1.8c118ecd9e90bp-14, -0x1.707b348fc8905p-14, 0x1.64818cc1830b6p-16,
        0x1.c92ef6e032c49p-17, -0x1.cc70ef9d0cc94p-19, -0x1.5e0b8b67aa701p-19, 0x1.afbf7b7390defp-22,
        0x1.23a239ac9d703p-21, 0x1.8197db15468dbp-29, -0x1.b2450c1ffd5e3p-24, -0x1.44612ce50e7d8p-26,
        0x1.85a9698c60876p-27, 0x1.2abccac5591abp-28, 0x1.b46032200a2f3p-33};
    const vec one = v_set(1.0), four = v_set(4.0);
    vec a = v_abs(x);
    a = v_select(v_lt(a, v_set(39.0)), a, v_set(39.0));
    vec square = v_mul(a, a), rest = v_fms(a, a, square);
    vec bell = v_exp_parts(v_mul(square, v_set(-0.5)), v_mul(rest, v_set(-0.5)));
    vec slow = v_polynomial(v_div(v_sub(a, four), v_add(a, four)), coefficients, 22);
    vec tail = v_div(v_mul(bell, slow), v_add(one, a));
    *cumulative = v_select(v_lt(x, v_set(0.0)), tail, v_sub(one, tail));
    *density = v_mul(bell, v_set(0x1.9884533d43651p-2)); /* 1 / sqrt(2 pi) */
}

#endif
