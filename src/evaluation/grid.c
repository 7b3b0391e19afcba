/* Lists what may be chosen for a pipeline. SPDX-License-Identifier: Apache-2.0 */
#include "evaluation/grid.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"

/* What C is chosen from where none is given, and which of them is taken where none can be chosen. */
static const double ridges[] = {1e-4, 3e-4, 1e-3, 3e-3, 1e-2, 3e-2, 0.1, 0.3, 1.0, 3.0, 10.0};
static const double usual = 1;

/* Beside the C that a branch states, where its pipeline chooses. */
static const double factors[] = {0.01, 0.1, 1, 10};

#define COUNT(array) (sizeof(array) / sizeof(array)[0])
_Static_assert(COUNT(ridges) <= CONGRU_RIDGES_MAX && COUNT(factors) <= CONGRU_RIDGES_MAX,
               "there is room for each C");

/* ---- Options --------------------------------------------------------------------------------------------- */

/* C is chosen for each branch by itself, whatever the variant. */
static const congru_method_option *ridge_row(void)
{
    return congru_method_option_find("C");
}

static bool has_choice(const char *choose, const congru_method_option *option)
{
    congru_option_values values;
    for (size_t i = 0; congru_choose_at(choose, i, &values); i++)
        if (values.row == option)
            return true;
    return false;
}

static bool has_option(const congru_pipeline *pipeline, const congru_method_option *option)
{
    for (size_t b = 0; option != NULL && b < pipeline->branches; b++)
        if (congru_branch_takes(&pipeline->branch[b], option))
            return true;
    return option == NULL && pipeline->branches > 1;
}

bool congru_grid_takes(const congru_pipeline *pipeline, const congru_method_option *option)
{
    return has_option(pipeline, option) && !has_choice(pipeline->choose, option);
}

congru_status congru_grid_fail_untaken(congru_context *context, const congru_method_option *option)
{
    return congru_fail(context, CONGRU_ERROR_ARGUMENT, "--%s %s: no pipeline has %s to choose",
                       congru_choose_row()->option.name,
                       option != NULL ? option->option.name : CONGRU_CHOOSE_WEIGHTS,
                       option != NULL ? "this option" : "several branches");
}

/* The values of C that one of the texts has; none in *values where it has none. */
static void find_ridges(const char *choose, congru_option_values *values)
{
    for (size_t i = 0; congru_choose_at(choose, i, values); i++)
        if (values->row == ridge_row())
            return;
    values->count = 0;
}

static void list_ridges(const congru_pipeline *pipeline, size_t branch, const char *choose, double given,
                        congru_grid *grid)
{
    const bool uses = congru_branch_among(&pipeline->branch[branch], ridge_row()->users);
    const bool takes = congru_branch_takes(&pipeline->branch[branch], ridge_row());
    congru_option_values values = {0};
    double *c = grid->c[branch];
    find_ridges(has_choice(pipeline->choose, ridge_row()) ? pipeline->choose : choose, &values);
    grid->ridges[branch] = 1;
    grid->usual[branch] = c[0] = given;
    if (takes && values.count > 0) {
        for (size_t i = 0; i < values.count; i++) {
            congru_method_options tried = {0}; /* the text has been read before */
            congru_method_options_set(NULL, &tried, NULL, ridge_row()->option.name, values.value[i]);
            c[i] = tried.c;
        }
        grid->ridges[branch] = values.count;
        grid->usual[branch] = given > 0 ? given : usual;
    } else if (uses && given == 0) {
        memcpy(c, ridges, sizeof ridges);
        grid->ridges[branch] = COUNT(ridges);
        grid->usual[branch] = usual;
    } else if (uses && pipeline->choose_c) {
        for (size_t i = 0; i < COUNT(factors); i++)
            c[i] = factors[i] * given;
        grid->ridges[branch] = COUNT(factors);
    }
}

static congru_status add_choices(congru_context *context, const congru_pipeline *pipeline, const char *choose,
                                 bool own, congru_grid *grid)
{
    congru_option_values values;
    for (size_t i = 0; congru_choose_at(choose, i, &values); i++) {
        if (values.row == NULL || values.row == ridge_row() ||
            !(own || congru_grid_takes(pipeline, values.row)))
            continue;
        if (grid->choices == CONGRU_CHOICES_MAX)
            return congru_fail(context, CONGRU_ERROR_ARGUMENT, "more than %d options are chosen",
                               (int)CONGRU_CHOICES_MAX);
        grid->choice[grid->choices++] = values;
    }
    return CONGRU_OK;
}

/* All combinations of values; beyond CONGRU_VARIANTS_MAX however many. */
static size_t count_variants(const congru_grid *grid)
{
    size_t variants = 1;
    for (size_t i = 0; i < grid->choices && variants <= CONGRU_VARIANTS_MAX; i++)
        variants *= grid->choice[i].count;
    return variants;
}

/* ---- Variants -------------------------------------------------------------------------------------------- */

static void set_values(const congru_grid *grid, size_t variant, const congru_branch *branch,
                       congru_method_options *options)
{
    for (size_t i = 0; i < grid->choices; i++) {
        const congru_option_values *values = &grid->choice[i];
        if (branch == NULL || congru_branch_takes(branch, values->row))
            congru_method_options_set(NULL, options, NULL, values->row->option.name,
                                      values->value[grid->variant[variant].value[i]]);
    }
}

void congru_grid_set(const congru_grid *grid, size_t variant, congru_method_options *options)
{
    set_values(grid, variant, NULL, options);
}

/* What the branches of a variant read. */
static congru_status make_variant(congru_context *context, const congru_evaluation_options *options,
                                  const congru_pipeline *pipeline, size_t variant, congru_materials *materials,
                                  congru_grid *grid)
{
    congru_variant *own = &grid->variant[variant];
    congru_pipeline *made = &grid->made[variant];
    congru_method_options method = options->method;
    for (size_t i = grid->choices, rest = variant; i-- > 0; rest /= grid->choice[i].count)
        own->value[i] = rest % grid->choice[i].count;
    congru_grid_set(grid, variant, &method);
    CONGRU_TRY(congru_pipeline_copy(context, pipeline, made));
    CONGRU_TRY(congru_pipeline_adjust(context, &method, options->causal, made));
    for (size_t b = 0; b < made->branches; b++) {
        method = options->method;
        set_values(grid, variant, &made->branch[b], &method);
        memset(method.choose, 0, sizeof method.choose);
        CONGRU_TRY(congru_materials_want(context, &method, &made->branch[b], materials, &own->material[b]));
    }
    return CONGRU_OK;
}

/* What the run's own options make of the pipeline, which is the one variant where no option is chosen. */
static congru_status make_usual(congru_context *context, const congru_evaluation_options *options,
                                congru_pipeline *pipeline, congru_materials *materials, congru_grid *grid)
{
    congru_method_options method = options->method;
    memset(method.choose, 0, sizeof method.choose); /* which is settled here: what is read is what it says */
    for (size_t b = 0; b < pipeline->branches; b++) {
        congru_branch *branch = &pipeline->branch[b];
        CONGRU_TRY(congru_materials_want(context, &method, branch, materials, &branch->material));
        grid->material[b] = grid->variant[0].material[b] = branch->material;
        congru_method_options own = method;
        congru_branch_options(branch, &own);
        list_ridges(pipeline, b, options->method.choose, own.c, grid);
    }
    return CONGRU_OK;
}

congru_status congru_grid_make(congru_context *context, const congru_evaluation_options *options,
                               congru_pipeline *pipeline, congru_materials *materials, congru_grid *grid)
{
    const char *choose = options->method.choose, what[] = "what is chosen";
    size_t variants;
    *grid = (congru_grid){.branches = pipeline->branches,
                          .weights = pipeline->branches > 1 &&
                                     (pipeline->choose_weights || congru_choose_weights(choose)),
                          .trains = congru_pipeline_trains(pipeline)};
    CONGRU_TRY(congru_allocate(context, &grid->choice, CONGRU_CHOICES_MAX, sizeof *grid->choice, what));
    CONGRU_TRY(add_choices(context, pipeline, pipeline->choose, true, grid));
    CONGRU_TRY(add_choices(context, pipeline, choose, false, grid));
    variants = count_variants(grid);
    if (variants > CONGRU_VARIANTS_MAX)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT,
                           "what is chosen has more than %d combinations of values (choose fewer options, or "
                           "from fewer values)",
                           (int)CONGRU_VARIANTS_MAX);
    CONGRU_TRY(congru_allocate(context, &grid->variant, variants, sizeof *grid->variant, what));
    CONGRU_TRY(congru_allocate(context, &grid->made, variants, sizeof *grid->made, what));
    grid->variants = variants;
    CONGRU_TRY(make_usual(context, options, pipeline, materials, grid));
    for (size_t v = 0; variants > 1 && v < variants; v++)
        CONGRU_TRY(make_variant(context, options, pipeline, v, materials, grid));
    return CONGRU_OK;
}

void congru_grid_clear(congru_grid *grid)
{
    for (size_t v = 0; grid->made != NULL && v < grid->variants; v++)
        congru_pipeline_clear(&grid->made[v]);
    free(grid->choice);
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
