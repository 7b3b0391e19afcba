/* What signals a network can be built for. SPDX-License-Identifier: Apache-2.0 */
#include "base/error.h"
#include "network/models/model.h"

congru_status congru_design_signals(congru_context *context, const congru_network_model *model,
                                    const congru_signals *signals, congru_design *design)
{
    if (signals == NULL)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT, "%s needs signals, and these trials are covariances",
                           model->name);
    if (signals->channels != design->d)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT, "%s has %zu channels, and the signals have %zu",
                           model->name, design->d, signals->channels);
    design->samples = signals->samples;
    design->rate = signals->rate;
    if (model->taps != NULL && !(design->rate >= 4.0))
        return congru_fail(context, CONGRU_ERROR_ARGUMENT,
                           "%s has filters of half a second, and the signals' rate is %g Hz", model->name,
                           design->rate);
    const size_t least = model->least_samples(design);
    if (design->samples < least)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT,
                           "%s needs trials of %zu samples or more, and these have %zu (take a longer window)",
                           model->name, least, design->samples);
    return CONGRU_OK;
}

congru_status congru_network_suits(congru_context *context, congru_backbone backbone,
                                   const congru_signals *shape)
{
    const congru_network_model *model = congru_model_of(backbone);
    congru_design design = {.d = shape->channels};
    return model->least_samples != NULL ? congru_design_signals(context, model, shape, &design) : CONGRU_OK;
}
