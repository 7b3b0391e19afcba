/* Lists what may be chosen for a pipeline. SPDX-License-Identifier: Apache-2.0 */
#include "evaluation/grid.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"

/* What C is chosen from where none is given, and which of them is taken where none can be chosen. */
static const double ridges[] = {1e-4, 3e-4, 1e-3, 3e-3, 1e-2, 3e-2, 0.1, 0.3, 1.0, 3.0, 10.0};
enum { USUAL = 8 };

/* Beside the C that a branch states, where its pipeline chooses. */
static const double factors[] = {0.01, 0.1, 1, 10};
enum { STATED = 2 };

#define COUNT(array) (sizeof(array) / sizeof(array)[0])
_Static_assert(COUNT(ridges) <= CONGRU_RIDGES_MAX && COUNT(factors) <= CONGRU_RIDGES_MAX,
               "there is room for each C");

static void list_ridges(const congru_pipeline *pipeline, size_t branch, double given, congru_grid *grid)
{
    const bool uses = congru_branch_among(&pipeline->branch[branch], congru_method_option_find("C")->users);
    double *c = grid->c[branch];
    grid->ridges[branch] = 1;
    grid->usual[branch] = 0;
    c[0] = given;
    if (uses && given == 0) {
        memcpy(c, ridges, sizeof ridges);
        grid->ridges[branch] = COUNT(ridges);
        grid->usual[branch] = USUAL;
    } else if (uses && pipeline->choose_c) {
        for (size_t i = 0; i < COUNT(factors); i++)
            c[i] = factors[i] * given;
        grid->ridges[branch] = COUNT(factors);
        grid->usual[branch] = STATED;
    }
}

congru_status congru_grid_make(congru_context *context, const congru_evaluation_options *options,
                               congru_pipeline *pipeline, congru_materials *materials, congru_grid *grid)
{
    *grid = (congru_grid){.branches = pipeline->branches,
                          .weights = pipeline->choose_weights && pipeline->branches > 1};
    grid->variant = calloc(1, sizeof *grid->variant);
    if (grid->variant == NULL)
        return congru_fail(context, CONGRU_ERROR_MEMORY, "not enough memory to choose");
    grid->variants = 1;
    grid->variant[0] = (congru_variant){.method = options->method, .pipeline = pipeline};
    congru_status status = CONGRU_OK;
    for (size_t b = 0; status == CONGRU_OK && b < pipeline->branches; b++) {
        congru_branch *branch = &pipeline->branch[b];
        status = congru_materials_want(context, &options->method, branch, materials, &branch->material);
        grid->variant[0].material[b] = branch->material;
        congru_method_options own = options->method;
        congru_branch_options(branch, &own);
        list_ridges(pipeline, b, own.c, grid);
    }
    return status;
}

void congru_grid_clear(congru_grid *grid)
{
    for (size_t v = 0; grid->made != NULL && v < grid->variants; v++)
        congru_pipeline_clear(&grid->made[v]);
    free(grid->made);
    free(grid->variant);
    *grid = (congru_grid){0};
}

bool congru_grid_fits(const congru_grid *grid, size_t branch)
{
    return grid->weights || grid->variants > 1 || grid->ridges[branch] > 1;
}

bool congru_grid_chooses(const congru_grid *grid)
{
    bool chooses = false;
    for (size_t b = 0; b < grid->branches; b++)
        chooses = chooses || congru_grid_fits(grid, b);
    return chooses;
}
