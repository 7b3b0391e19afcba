/* Recipes: lists of options with the values they get. SPDX-License-Identifier: Apache-2.0 */
#include "congru/method.h"

void congru_method_options_recipe(congru_method_options *options, congru_recipe recipe)
{
    options->network.recipe = recipe;
    if (recipe != CONGRU_RECIPE_AUTHORS)
        return;
    options->network.trace = true;
    options->network.fisher = CONGRU_FISHER_AXIS;
    options->network.dispersion = CONGRU_DISPERSION_SUBJECT;
    options->network.log_ratio = true;
    options->network.subject_ratio = 0.3;
    options->network.dct_steps = 400;
    options->network.initial = CONGRU_INITIAL_UNET_RANDOM;
    options->network.square_bottleneck = true;
    options->network.head_reference = CONGRU_HEAD_DLDCT_IDENTITY;
}
