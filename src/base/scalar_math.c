/* One-lane instances of the elementary functions. SPDX-License-Identifier: Apache-2.0 */
#include "base/scalar_math.h"

#include "base/vec_scalar.h"

#include "base/elementary.h"

double congru_scalar_log(double x)
{
    return v_log(x);
}

double congru_scalar_exp(double x)
{
    return v_exp(x);
}

/* cos(2 pi (quarter/4 + r)) for quarter >= 0 and |r| <= 1/8: a quarter turn swaps sine and cosine. */
static double cosine_of_turn(int quarter, double r)
{
    static const double sine[] = {0x1.921fb54442d18p+2,  -0x1.4abbce625be53p+5, 0x1.466bc6775aae2p+6,
                                  -0x1.32d2cce62bd82p+6, 0x1.50783487edcdbp+5,  -0x1.e3074fdc9bf34p+3,
                                  0x1.e8f4318c0c907p+1,  -0x1.6faa7e91b299fp-1, 0x1.a7788b76b30d1p-4};
    static const double cosine[] = {0x1.0000000000000p+0,  -0x1.3bd3cc9be45dep+4, 0x1.03c1f081b5ac4p+6,
                                    -0x1.55d3c7e3cbfedp+6, 0x1.e1f5068919a8ap+5,  -0x1.a6d1f29f1c7fap+4,
                                    0x1.f9d3854812ae6p+2,  -0x1.b6dd6cfa280afp+0, 0x1.1e2a69fa47a81p-2};
    double z = r * r;
    double value = quarter % 2 == 0 ? v_polynomial(z, cosine, 8) : r * v_polynomial(z, sine, 8);
    return quarter % 4 == 1 || quarter % 4 == 2 ? -value : value;
}

double congru_scalar_cos_2pi(double u)
{
    int quarter = (int)(4.0 * u + 0.5);
    return cosine_of_turn(quarter, u - 0.25 * quarter);
}

double congru_scalar_sin_2pi(double u)
{
    int quarter = (int)(4.0 * u + 0.5);
    return cosine_of_turn(quarter + 3, u - 0.25 * quarter);
}

double congru_scalar_tan_2pi(double u)
{
    return congru_scalar_sin_2pi(u) / congru_scalar_cos_2pi(u);
}
