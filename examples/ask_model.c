/* Asks a model about the trials of a set: ask_model MODEL SET.npz. SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "congru/congru.h"

int main(int argc, char **argv)
{
    congru_context *context = NULL;
    congru_set *set = NULL;
    congru_model *model = NULL;
    congru_predictions *answers = NULL;
    if (argc != 3 || congru_context_create(&context, NULL) != CONGRU_OK) {
        fprintf(stderr, "usage: %s MODEL SET.npz\n", argv[0]);
        return 2;
    }
    congru_status status = congru_model_load(context, argv[1], &model);
    if (status == CONGRU_OK)
        status = congru_set_read(context, argv[2], &set);
    if (status == CONGRU_OK)
        status = congru_model_predict(context, model, set, NULL, &answers);
    for (size_t i = 0; status == CONGRU_OK && i < answers->count; i++) {
        int32_t prediction = answers->prediction[i];
        printf("%s, trial %zu: %s (%.2f)\n", set->subject_name[set->subject[answers->trial[i]]],
               answers->trial[i], congru_model_class(model, (size_t)prediction),
               answers->probability[i * answers->classes + (size_t)prediction]);
    }
    if (status != CONGRU_OK)
        fprintf(stderr, "%s\n", congru_context_error(context));
    congru_predictions_destroy(&answers);
    congru_model_destroy(&model);
    congru_set_destroy(&set);
    congru_context_destroy(&context);
    return status == CONGRU_OK ? 0 : 1;
}
