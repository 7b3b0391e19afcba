/* What signals a network can be built for. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "base/error.h"
#include "network/models/model.h"

/* What the network sees of a trial. */
static congru_status crop(congru_context *context, double seconds, congru_design *design)
{
    if (!(design->rate > 0.0))
        return congru_fail(context, CONGRU_ERROR_ARGUMENT,
                           "crops of %g s: how many samples a second has is not known of these trials",
                           seconds);
    const double samples = floor(seconds * design->rate + 0.5);
    if (!(samples >= 1.0 && samples <= (double)design->whole))
        return congru_fail(
            context, CONGRU_ERROR_ARGUMENT,
            "crops of %g s have %g samples, and a trial has %zu (take shorter ones with --crops)", seconds,
            samples, design->whole);
    design->samples = (size_t)samples;
    return CONGRU_OK;
}

congru_status congru_model_reads(congru_context *context, const congru_network *network,
                                 const double *covariance, const congru_signals *signals)
{
    if (network->needs == CONGRU_NEEDS_SIGNALS && signals == NULL)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT, "%s needs signals, and these trials are covariances",
                           network->name);
    if (network->needs == CONGRU_NEEDS_COVARIANCES && covariance == NULL)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT, "%s needs covariances, and %s", network->name,
                           signals != NULL ? "these trials are signals" : "these trials have none");
    return CONGRU_OK;
}

congru_status congru_design_signals(congru_context *context, const congru_network *network,
                                    const congru_signals *signals, double seconds, congru_design *design)
{
    if (signals->channels != design->d)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT, "%s has %zu channels, and the signals have %zu",
                           network->name, design->d, signals->channels);
    design->samples = design->whole = signals->samples;
    design->rate = signals->rate;
    if (seconds > 0.0) {
        congru_status status = crop(context, seconds, design);
        if (status != CONGRU_OK)
            return status;
    }
    if (network->model->taps != NULL && !(design->rate >= 4.0))
        return congru_fail(context, CONGRU_ERROR_ARGUMENT,
                           "%s has filters of half a second, and the signals' rate is %g Hz", network->name,
                           design->rate);
    const size_t least = network->model->least_samples(design);
    if (design->samples < least)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT,
                           "%s needs %s of %zu samples or more, and these have %zu (take a longer %s)",
                           network->name, seconds > 0.0 ? "crops" : "trials", least, design->samples,
                           seconds > 0.0 ? "one with --crops" : "window");
    return CONGRU_OK;
}

congru_status congru_network_suits(congru_context *context, const congru_network *network,
                                   const congru_network_options *options, const congru_signals *shape)
{
    congru_design design = {.d = shape->channels};
    return network->needs == CONGRU_NEEDS_SIGNALS
               ? congru_design_signals(context, network, shape, options->crops, &design)
               : CONGRU_OK;
}
