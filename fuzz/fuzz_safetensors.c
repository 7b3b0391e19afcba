/* Bytes for the reader of models: a libFuzzer target. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "decoder/model_internal.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static congru_context *context;
    congru_tensors tensors;
    congru_texts texts;
    congru_model *model = NULL;
    if (context == NULL &&
        congru_context_create(&context, &(congru_context_options){.threads = 1}) != CONGRU_OK)
        abort();
    if (congru_safetensors_parse(context, "fuzz", bytes, size, &tensors, &texts) != CONGRU_OK) {
        if (tensors.count != 0 || texts.count != 0)
            abort();
        return 0;
    }
    /* What is accepted has bytes behind every number. */
    size_t numbers = 0;
    for (size_t i = 0; i < tensors.count; i++) {
        size_t count = 1;
        for (size_t k = 0; k < tensors.tensor[i].dims; k++)
            count *= tensors.tensor[i].shape[k];
        numbers += count;
        for (size_t k = 0; k < count; k++)
            if (!isfinite(tensors.tensor[i].data[k]))
                abort();
    }
    if (numbers > size / sizeof(double))
        abort();
    congru_tensors_clear(&tensors);
    congru_texts_clear(&texts);
    if ((congru_model_parse(context, "fuzz", bytes, size, &model) == CONGRU_OK) != (model != NULL))
        abort();
    congru_model_destroy(&model);
    return 0;
}
