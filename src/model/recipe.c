/* Recipes: lists of options with the values they get. SPDX-License-Identifier: Apache-2.0 */
#include "model/method_options.h"

/* What the paper prints is what the table of options has by default. */
static const congru_recipe_value printed[] = {{NULL, NULL}};

/* Choices of ours after a description of the authors' code, which is not published with the paper: shrunk covariances over
 * their trace, over their trace again once they are recentred; another objective of DCT and fewer steps for it; other heads
 * and first weights. */
static const congru_recipe_value authors[] = {
    {"estimator", "oas"},
    {"trace-normalise", "on"},
    {"input-trace", "on"},
    {"dct-steps", "400"},
    {"fisher", "axis"},
    {"log-ratio", "on"},
    {"delta-sub", "0.3"},
    {"centre", "0.0001"},
    {"dispersion", "subject"},
    {"init", "unet-random"},
    {"square-bottleneck", "on"},
    {"head-reference", "dldct-identity"},
    {NULL, NULL},
};

static const congru_recipe_value congru[] = {{NULL, NULL}};

static const congru_recipe_value *const lists[] = {
    [CONGRU_RECIPE_PRINTED] = printed, [CONGRU_RECIPE_AUTHORS] = authors, [CONGRU_RECIPE_CONGRU] = congru};
enum { RECIPES = sizeof lists / sizeof lists[0] };

const congru_recipe_value *congru_recipe_at(congru_recipe recipe, size_t index)
{
    if ((size_t)recipe >= RECIPES)
        return NULL;
    const congru_recipe_value *value = lists[recipe];
    while (value->option != NULL && index-- > 0)
        value++;
    return value->option != NULL ? value : NULL;
}

void congru_method_options_recipe(congru_method_options *options, congru_recipe recipe)
{
    const congru_recipe_value *value;
    char error[CONGRU_VALUE_ERROR_SIZE];
    if (options == NULL)
        return;
    for (size_t other = 0; other < RECIPES; other++)
        for (size_t i = 0; (value = congru_recipe_at((congru_recipe)other, i)) != NULL; i++)
            if (congru_method_option_find(value->option) != NULL)
                congru_method_option_reset(congru_method_option_find(value->option), options);
    options->network.recipe = recipe;
    for (size_t i = 0; (value = congru_recipe_at(recipe, i)) != NULL; i++) {
        const congru_method_option *row = congru_method_option_find(value->option);
        if (row != NULL) /* the others are of preprocessing */
            congru_method_option_parse(row, value->option, value->value, options, error);
    }
}
