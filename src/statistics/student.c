/* Student's t: its distribution function and quantiles. SPDX-License-Identifier: Apache-2.0 */
#include <float.h>
#include <math.h>

#include "base/scalar_math.h"
#include "congru/statistics.h"
#include "statistics/distributions.h"

/* log(1 + x), accurate for small x: what rounding 1 + x loses from the logarithm, the quotient gives back. */
static double log_of_one_plus(double x)
{
    double sum = 1.0 + x;
    return sum == 1.0 ? x : congru_scalar_log(sum) * (x / (sum - 1.0));
}

/* log Gamma(x), x > 0: Stirling's series from 16 on, where eight terms are exact to rounding. */
static double log_gamma(double x)
{
    static const double series[] = {1.0 / 12,   -1.0 / 360,      1.0 / 1260, -1.0 / 1680,
                                    1.0 / 1188, -691.0 / 360360, 1.0 / 156,  -3617.0 / 122400};
    double factor = 1.0;
    while (x < 16.0) {
        factor *= x;
        x += 1.0;
    }
    double sum = 0.0, inverse = 1.0 / x;
    for (int i = 7; i >= 0; i--)
        sum = sum * inverse * inverse + series[i];
    return (x - 0.5) * congru_scalar_log(x) - x + 0.91893853320467274178 + sum * inverse -
           congru_scalar_log(factor);
}

/* log of Gamma(a) Gamma(1/2) / Gamma(a + 1/2). From 20 on by the series of the quotient, exact to rounding,
 * since the difference of two large logarithms would not be. */
static double log_beta_half(double a)
{
    static const double series[] = {1.0 / 8,         -1.0 / 192,   1.0 / 640,
                                    -17.0 / 14336.0, 31.0 / 18432, -691.0 / 180224};
    const double log_pi = 1.14472988584940017414;
    if (a < 20.0)
        return log_gamma(a) + 0.5 * log_pi - log_gamma(a + 0.5);
    double sum = 0.0, inverse = 1.0 / a;
    for (int i = 5; i >= 0; i--)
        sum = sum * inverse * inverse + series[i];
    return 0.5 * (log_pi - congru_scalar_log(a)) + sum * inverse;
}

/* The continued fraction of the incomplete beta function by Lentz's method; it converges fast for
 * x < (a + 1) / (a + b + 2). */
static double beta_fraction(double x, double a, double b)
{
    const double tiny = 1e-300;
    double c = 1.0, d = 1.0 - (a + b) * x / (a + 1.0);
    d = 1.0 / (fabs(d) < tiny ? tiny : d);
    double product = d;
    for (int m = 1; m < 100000; m++) {
        for (int odd = 0; odd < 2; odd++) {
            double term = odd ? -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0))
                              : m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m));
            d = 1.0 + term * d;
            d = 1.0 / (fabs(d) < tiny ? tiny : d);
            c = 1.0 + term / c;
            c = fabs(c) < tiny ? tiny : c;
            product *= d * c;
        }
        if (fabs(d * c - 1.0) < DBL_EPSILON)
            break;
    }
    return product;
}

/* The probability of more than |t|, one side: half the incomplete beta function of freedom / (freedom +
 * t^2). */
static double tail(double t, double freedom)
{
    double a = 0.5 * freedom, ratio = t * t / freedom; /* x = 1/(1 + ratio), 1 - x = ratio/(1 + ratio) */
    if (ratio == 0.0)
        return 0.5;
    if (!isfinite(ratio))
        return 0.0;
    double log_front = -a * log_of_one_plus(ratio) + 0.5 * (congru_scalar_log(ratio) - log_of_one_plus(ratio)) -
                       log_beta_half(a);
    double front = congru_scalar_exp(log_front), x = 1.0 / (1.0 + ratio);
    if (x < (a + 1.0) / (a + 2.5))
        return 0.5 * front * beta_fraction(x, a, 0.5) / a;
    return 0.5 - front * beta_fraction(ratio / (1.0 + ratio), 0.5, a);
}

double congru_student_cdf(double t, double freedom)
{
    if (!(freedom > 0.0) || isnan(t))
        return NAN;
    double p = tail(t, freedom);
    return t < 0.0 ? p : 1.0 - p;
}

static double density(double t, double freedom)
{
    return congru_scalar_exp(-0.5 * (freedom + 1.0) * log_of_one_plus(t * t / freedom) -
                             0.5 * congru_scalar_log(freedom) - log_beta_half(0.5 * freedom));
}

/* t > 0 whose tail is `p`, below 1/2: Newton's steps, kept inside a bracket that halves where they leave it. */
static double find_tail(double p, double freedom)
{
    double low = 0.0, high = 1.0;
    while (tail(high, freedom) > p && high < DBL_MAX / 4)
        low = high, high *= 2.0;
    double t = 0.5 * (low + high);
    for (int i = 0; i < 2000; i++) {
        double excess = tail(t, freedom) - p;
        if (excess > 0.0)
            low = t;
        else
            high = t;
        double next = t + excess / density(t, freedom);
        if (!(next > low && next < high))
            next = 0.5 * (low + high);
        if (fabs(next - t) <= 2.0 * DBL_EPSILON * t)
            return next;
        t = next;
    }
    return t;
}

double congru_student_quantile(double p, double freedom)
{
    if (!(freedom > 0.0) || !(p >= 0.0 && p <= 1.0))
        return NAN;
    if (p == 0.0 || p == 1.0)
        return p == 0.0 ? -INFINITY : INFINITY;
    if (p == 0.5)
        return 0.0;
    return p < 0.5 ? -find_tail(p, freedom) : find_tail(1.0 - p, freedom);
}

/* Up to 2 the series of the error function, all of whose terms are positive; then the continued fraction of its
 * complement, from the far end. */
double congru_normal_tail(double z)
{
    const double root_pi = 1.77245385090551602730;
    double x = fabs(z) * 0.70710678118654752440, front = congru_scalar_exp(-0.5 * z * z) / root_pi, p;
    if (x < 2.0) {
        double term = x, sum = x;
        for (int n = 1; term > DBL_EPSILON * 0.125 * sum; n++) {
            term *= 2.0 * x * x / (2.0 * n + 1.0);
            sum += term;
        }
        p = 0.5 - front * sum;
    } else {
        double fraction = x;
        for (int n = 120; n >= 1; n--)
            fraction = x + 0.5 * n / fraction;
        p = 0.5 * front / fraction;
    }
    return z >= 0.0 ? p : 1.0 - p;
}
