/* Notches at one frequency and its harmonics. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "base/error.h"
#include "base/scalar_math.h"
#include "signal/iir.h"

/* Zeros on the unit circle at the frequency; the gain is 1 at 0 and rate/2, 1/sqrt 2 at the edges of a band of
 * frequency/q. */
static void place_notch(double frequency, double q, double rate, double section[6])
{
    double gain = 1.0 / (1.0 + congru_scalar_tan_2pi(0.5 * frequency / (q * rate)));
    double cosine = congru_scalar_cos_2pi(frequency / rate);
    section[0] = gain;
    section[1] = -2.0 * gain * cosine;
    section[2] = gain;
    section[3] = 1.0;
    section[4] = -2.0 * gain * cosine;
    section[5] = 2.0 * gain - 1.0;
}

congru_status congru_iir_notch(congru_context *context, double frequency, double q, bool harmonics, double rate,
                               congru_iir *filter)
{
    CONGRU_TRY(congru_check_argument(context, filter != NULL, "there is no filter to fill"));
    if (!(rate > 0.0 && isfinite(rate)))
        return congru_fail(context, CONGRU_ERROR_ARGUMENT,
                           "a sampling rate of %g Hz: expected a positive number", rate);
    if (!(frequency > 0.0 && frequency < 0.5 * rate))
        return congru_fail(context, CONGRU_ERROR_ARGUMENT,
                           "a notch at %g Hz: at %g samples per second it must be above 0 and below %g Hz",
                           frequency, rate, 0.5 * rate);
    congru_iir made = {0};
    do {
        double multiple = frequency * (double)(made.sections + 1);
        if (!(q > 0.0 && isfinite(q) && multiple < 0.5 * q * rate))
            return congru_fail(context, CONGRU_ERROR_ARGUMENT,
                               "a notch of quality %g at %g Hz: its width of %g Hz must be below %g Hz", q,
                               multiple, multiple / q, 0.5 * rate);
        if (made.sections == CONGRU_SECTIONS_MAX)
            return congru_fail(
                context, CONGRU_ERROR_ARGUMENT,
                "%g Hz has more than %d multiples below %g Hz (resample first, or leave the harmonics)",
                frequency, CONGRU_SECTIONS_MAX, 0.5 * rate);
        place_notch(multiple, q, rate, made.section[made.sections++]);
    } while (harmonics && frequency * (double)(made.sections + 1) < 0.5 * rate);
    if (congru_iir_check(context, &made) != CONGRU_OK)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT,
                           "a notch of quality %g at %g Hz is too narrow at %g samples per second", q,
                           frequency, rate);
    *filter = made;
    return CONGRU_OK;
}
