/* Fits a decoder on everyone in a set and saves it: train_model SET.npz PIPELINE MODEL. SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "congru/congru.h"

int main(int argc, char **argv)
{
    congru_context *context = NULL;
    congru_set *set = NULL;
    congru_model *model = NULL;
    congru_model_options options;
    if (argc != 4 || congru_context_create(&context, NULL) != CONGRU_OK) {
        fprintf(stderr, "usage: %s SET.npz PIPELINE MODEL\n", argv[0]);
        return 2;
    }
    congru_model_options_init(&options);
    options.pipeline = argv[2];
    congru_status status = congru_set_read(context, argv[1], &set);
    if (status == CONGRU_OK)
        status = congru_model_fit(context, set, &options, &model);
    if (status == CONGRU_OK)
        status = congru_model_save(context, model, argv[3]);
    if (status == CONGRU_OK)
        printf("%s: %s, fitted on %zu trials of %zu subjects\n", argv[3], congru_model_pipeline(model),
               set->count, set->subjects);
    else
        fprintf(stderr, "%s\n", congru_context_error(context));
    congru_model_destroy(&model);
    congru_set_destroy(&set);
    congru_context_destroy(&context);
    return status == CONGRU_OK ? 0 : 1;
}
