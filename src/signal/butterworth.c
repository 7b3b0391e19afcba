/* Butterworth filters as second-order sections. SPDX-License-Identifier: Apache-2.0
 *
 * With frequencies as tan(pi f / rate) the bilinear transform is z = (1 + p)/(1 - p), the sampling rate
 * cancelled. All is algebra on the poles p in the upper half plane, so coefficients have the same bits
 * everywhere. */
#include <math.h>

#include "base/error.h"
#include "base/scalar_math.h"
#include "signal/iir.h"

enum { ORDER_MAX = 10, POLES_MAX = 2 * ORDER_MAX + 1 };

/* A digital pole: real, or with its conjugate. */
typedef struct pole {
    double re, im; /* im > 0 with the conjugate, 0 when real */
    double a1, a2; /* of the pair */
    double gap;    /* 1 - |pole|^2: how far from the unit circle */
} pole;

typedef struct design {
    size_t poles;
    pole pole[POLES_MAX];
    int zeros[3]; /* how many are left at -1, 0 and 1 */
    double gain;
} design;

/* An analog pole pair, or a real pole where im is 0, through the bilinear transform. Returns the product of
 * 1 - p over them. */
static double add_pole(design *d, double re, double im)
{
    pole *new = &d->pole[d->poles++];
    double size = re * re + im * im, distance = (1.0 - re) * (1.0 - re) + im * im;
    new->re = im > 0.0 ? (1.0 - size) / distance : (1.0 + re) / (1.0 - re);
    new->im = 2.0 * im / distance;
    new->a1 = -2.0 * new->re;
    new->a2 = ((1.0 + re) * (1.0 + re) + im * im) / distance;
    new->gap = -4.0 * re / distance;
    return im > 0.0 ? distance : 1.0 - re;
}

/* The two band-pass poles of the prototype's real pole, p^2 + width p + centre = 0. */
static void add_band_of_real(design *d, double width, double centre)
{
    double half = 0.5 * width, inside = half * half - centre;
    if (inside < 0.0) {
        d->gain *= width / add_pole(d, -half, sqrt(-inside));
        return;
    }
    /* The root that does not cancel, then the other by their product. */
    double large = -half - sqrt(inside);
    d->gain *= width / add_pole(d, large, 0.0);
    d->gain /= add_pole(d, centre / large, 0.0);
}

/* The two band-pass pole pairs of the prototype's pair -c +- i s: p = q +- sqrt(q^2 - centre) with
 * q = width/2 (-c + i s). */
static void add_band_of_pair(design *d, double c, double s, double width, double centre)
{
    double half = 0.5 * width, q_re = -half * c, q_im = half * s;
    double re = half * half * (c - s) * (c + s) - centre, im = 2.0 * q_re * q_im;
    double size = sqrt(re * re + im * im), root_re, root_im;
    if (re < 0.0) {
        root_im = -sqrt(0.5 * (size - re));
        root_re = im / (2.0 * root_im);
    } else {
        root_re = -sqrt(0.5 * (size + re));
        root_im = im / (2.0 * root_re);
    }
    if (root_re * q_re + root_im * q_im < 0.0) {
        root_re = -root_re;
        root_im = -root_im;
    }
    double large_re = q_re + root_re, large_im = q_im + root_im;
    double share = centre / (large_re * large_re + large_im * large_im);
    /* Of each the one in the upper half plane stands for the pair. */
    d->gain *= width / add_pole(d, large_re, fabs(large_im));
    d->gain *= width / add_pole(d, share * large_re, fabs(share * large_im));
}

/* low_edge and high_edge are the tangents of the band's edges; 0 where there is none. */
static void place_poles(design *d, int order, double low_edge, double high_edge)
{
    bool band = low_edge > 0.0 && high_edge > 0.0;
    double width = high_edge - low_edge, centre = low_edge * high_edge;
    d->zeros[0] = high_edge > 0.0 ? order : 0;
    d->zeros[2] = low_edge > 0.0 ? order : 0;
    for (int m = order - 1; m >= 0; m -= 2) {
        double u = m / (4.0 * order), c = congru_scalar_cos_2pi(u), s = congru_scalar_sin_2pi(u);
        double edge = high_edge > 0.0 ? high_edge : low_edge, numerator = high_edge > 0.0 ? edge : 1.0;
        if (band && m == 0)
            add_band_of_real(d, width, centre);
        else if (band)
            add_band_of_pair(d, c, s, width, centre);
        else
            d->gain *=
                (m == 0 ? numerator : numerator * numerator) / add_pole(d, -edge * c, m == 0 ? 0.0 : edge * s);
    }
    if (!band && order % 2 == 1) {
        d->pole[d->poles++] = (pole){.gap = 1.0};
        d->zeros[1] = 1;
    }
}

/* Takes the pole nearest the unit circle, real ones alone where asked. In a band symmetric about rate/4 the
 * gaps are equal in pairs; rounding shall not choose, so of equal gaps the pole further left is taken. */
static pole take_pole(design *d, bool real_only)
{
    size_t best = d->poles;
    for (size_t i = 0; i < d->poles; i++) {
        if (real_only && d->pole[i].im > 0.0)
            continue;
        double lead = best < d->poles ? d->pole[best].gap - d->pole[i].gap : INFINITY;
        double equal = 1e-12 * d->pole[i].gap;
        if (lead > equal || (lead >= -equal && d->pole[i].re < d->pole[best].re))
            best = i;
    }
    pole taken = d->pole[best];
    d->pole[best] = d->pole[--d->poles];
    return taken;
}

/* Takes the zero nearest a pole. */
static double take_zero(design *d, const pole *p)
{
    int best = 0; /* there is one left: a design has as many zeros as poles */
    double least = INFINITY;
    for (int i = 0; i < 3; i++) {
        double x = p->re - (i - 1), distance = x * x + p->im * p->im;
        if (d->zeros[i] > 0 && distance < least) {
            least = distance;
            best = i;
        }
    }
    d->zeros[best]--;
    return best - 1;
}

/* The poles nearest the unit circle get the zeros nearest to them, and come last. */
static void pair_up(design *d, congru_iir *filter)
{
    size_t sections = 0;
    for (size_t i = 0; i < d->poles; i++)
        sections += d->pole[i].im > 0.0 ? 2 : 1;
    sections /= 2;
    filter->sections = sections;
    while (sections > 0) {
        double *section = filter->section[--sections];
        pole first = take_pole(d, false);
        double zero1 = take_zero(d, &first), zero2;
        section[3] = 1.0;
        if (first.im > 0.0) {
            zero2 = take_zero(d, &first);
            section[4] = first.a1;
            section[5] = first.a2;
        } else {
            pole second = take_pole(d, true);
            zero2 = take_zero(d, &second);
            section[4] = -(first.re + second.re);
            section[5] = first.re * second.re + 0.0;
        }
        section[0] = 1.0;
        section[1] = 0.0 - (zero1 + zero2);
        section[2] = zero1 * zero2 + 0.0;
    }
    for (int i = 0; i < 3; i++)
        filter->section[0][i] *= d->gain;
}

static congru_status check_band(congru_context *context, int order, double low, double high, double rate)
{
    if (order < 1 || order > ORDER_MAX)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT, "a Butterworth filter of order %d: expected 1 to %d",
                           order, ORDER_MAX);
    if (!(rate > 0.0 && isfinite(rate)))
        return congru_fail(context, CONGRU_ERROR_ARGUMENT,
                           "a sampling rate of %g Hz: expected a positive number", rate);
    if (!(low >= 0.0 && high >= 0.0))
        return congru_fail(context, CONGRU_ERROR_ARGUMENT, "a band of %g to %g Hz: expected numbers from 0",
                           low, high);
    if (!(low < 0.5 * rate))
        return congru_fail(context, CONGRU_ERROR_ARGUMENT,
                           "a band from %g Hz: at %g samples per second it must begin below %g Hz", low, rate,
                           0.5 * rate);
    bool open = high == 0.0 || high >= 0.5 * rate;
    if (low == 0.0 && open)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT,
                           "a band of %g to %g Hz at %g samples per second leaves nothing to filter", low, high,
                           rate);
    if (!open && low >= high)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT,
                           "a band of %g to %g Hz: its low edge must be below its high", low, high);
    return CONGRU_OK;
}

/* Whether rounding has left an edge where it can be told from 0 and from rate/2. */
static bool is_inside(double edge)
{
    return edge > 1e-15 && edge < 1e15;
}

congru_status congru_iir_butterworth(congru_context *context, int order, double low, double high, double rate,
                                     congru_iir *filter)
{
    CONGRU_TRY(congru_check_argument(context, filter != NULL, "there is no filter to fill"));
    CONGRU_TRY(check_band(context, order, low, high, rate));
    bool has_low = low > 0.0, has_high = high > 0.0 && high < 0.5 * rate;
    double low_edge = has_low ? congru_scalar_tan_2pi(0.5 * low / rate) : 0.0;
    double high_edge = has_high ? congru_scalar_tan_2pi(0.5 * high / rate) : 0.0;
    congru_iir made = {0};
    if ((!has_low || is_inside(low_edge)) && (!has_high || (is_inside(high_edge) && low_edge < high_edge))) {
        design d = {.gain = 1.0};
        place_poles(&d, order, low_edge, high_edge);
        pair_up(&d, &made);
    }
    if (made.sections == 0 || congru_iir_check(context, &made) != CONGRU_OK || !(made.section[0][0] > 0.0))
        return congru_fail(
            context, CONGRU_ERROR_ARGUMENT,
            "a band of %g to %g Hz at %g samples per second is too narrow for order %d (use a lower "
            "order or resample first)",
            low, high, rate, order);
    *filter = made;
    return CONGRU_OK;
}
