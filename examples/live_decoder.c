/* Decodes samples as they come: frames of 32-bit floats on standard input: live_decoder MODEL. SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>

#include "congru/congru.h"

/* Stands for the device: one frame, a sample of every channel. */
static int acquire(float *frame, size_t channels)
{
    return fread(frame, sizeof *frame, channels, stdin) == channels;
}

static congru_status decode(const congru_model *model, congru_decoder *decoder)
{
    size_t channels = congru_decoder_channels(decoder), taken;
    float *frame = calloc(channels, sizeof *frame);
    congru_status status = frame != NULL ? CONGRU_OK : CONGRU_ERROR_MEMORY;
    congru_decision decision;
    while (status == CONGRU_OK && acquire(frame, channels)) {
        status = congru_decoder_push_float(decoder, 1, frame, &taken, &decision);
        if (status == CONGRU_OK && decision.due && decision.prediction >= 0)
            printf("%7.2f s  %s (%.2f)\n", decision.time,
                   congru_model_class(model, (size_t)decision.prediction),
                   decision.probability[decision.prediction]);
    }
    free(frame);
    return status;
}

int main(int argc, char **argv)
{
    congru_context *context = NULL;
    congru_model *model = NULL;
    congru_decoder *decoder = NULL;
    congru_decoder_options options;
    if (argc != 2 || congru_context_create(&context, NULL) != CONGRU_OK) {
        fprintf(stderr, "usage: %s MODEL <FRAMES\n", argv[0]);
        return 2;
    }
    congru_decoder_options_init(&options);
    options.rate = 2;
    congru_status status = congru_model_load(context, argv[1], &model);
    if (status == CONGRU_OK)
        status = congru_decoder_create(context, model, &options, &decoder);
    if (status == CONGRU_OK)
        status = decode(model, decoder);
    if (status != CONGRU_OK)
        fprintf(stderr, "%s: %s\n", congru_status_text(status), congru_context_error(context));
    congru_decoder_destroy(&decoder);
    congru_model_destroy(&model);
    congru_context_destroy(&context);
    return status == CONGRU_OK ? 0 : 1;
}
