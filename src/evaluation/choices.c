/* Chooses options, C and weights by leaving out groups of source subjects. SPDX-License-Identifier: Apache-2.0 */
#include "evaluation/choices.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "evaluation/combine.h"
#include "evaluation/inner_fits.h"
#include "evaluation/trainings.h"

enum { GROUPS_OF_MANY = 7 }; /* of sets with more subjects than CONGRU_GROUPS_MAX */

size_t congru_groups(const congru_set *set, const congru_evaluation_options *options, const congru_grid *grid)
{
    const bool loso = options->protocol == CONGRU_PROTOCOL_LOSO;
    if (loso && options->groups > 0)
        return (size_t)options->groups;
    if (loso && grid != NULL && grid->variants > 1 && grid->trains && set->subjects > CONGRU_GROUPS_OF_NETWORKS)
        return CONGRU_GROUPS_OF_NETWORKS;
    return set->subjects <= CONGRU_GROUPS_MAX ? set->subjects : GROUPS_OF_MANY;
}

congru_choice congru_choice_constant(const congru_pipeline *pipeline, const congru_grid *grid)
{
    congru_choice choice = {0};
    for (size_t b = 0; b < pipeline->branches; b++) {
        choice.material[b] = grid->material[b];
        choice.c[b] = grid->usual[b];
        choice.weight[b] = pipeline->branches > 1 ? pipeline->branch[b].weight : 1;
    }
    return choice;
}

congru_choice congru_choice_variant(const congru_pipeline *pipeline, const congru_grid *grid, size_t variant)
{
    congru_choice choice = congru_choice_constant(pipeline, grid);
    choice.variant = variant;
    choice.learned = true;
    memcpy(choice.material, grid->variant[variant].material, sizeof choice.material);
    return choice;
}

/* ---- What fits say --------------------------------------------------------------------------------------- */

typedef struct chooser {
    const congru_workers *workers;
    const congru_materials *materials;
    const congru_evaluation_options *options;
    size_t groups;                        /* that subjects are dealt into */
    congru_inner_list list[2];            /* fits made alone, and together */
    congru_inner_said *said;              /* (materials); of those that nobody asks for nothing */
    double *opinion[CONGRU_BRANCHES_MAX]; /* (trials, classes) */
    double *probability;                  /* (trials, classes) */
    int32_t *label;                       /* (trials) */
    int32_t *subject;                     /* (trials) */
} chooser;

/* What the trials that a fit is asked about are given with the C of this index, where they are in `of`: how many. */
static size_t gather_fit(const chooser *c, const congru_inner_said *f, size_t fit, size_t ridge, uint64_t of,
                         size_t count, double *opinion)
{
    const congru_set *set = c->materials->set;
    const double *from = f->log_probability + (ridge * f->first[f->list->fits] + f->first[fit]) * set->classes;
    for (size_t t = 0; t < set->count; t++) {
        if (f->list->fit[fit].side[t] != CONGRU_SIDE_ASKED)
            continue;
        if ((of >> (size_t)set->subject[t] % c->groups & 1) != 0) {
            memcpy(opinion + count * set->classes, from, set->classes * sizeof *opinion);
            c->label[count] = set->label[t];
            c->subject[count++] = set->subject[t];
        }
        from += set->classes;
    }
    return count;
}

/* What a material says with one C of every trial of groups that are not shut out, by fits that saw neither: how many. */
static size_t gather(const chooser *c, size_t material, double ridge, uint64_t shut, double *opinion)
{
    const congru_inner_said *f = &c->said[material];
    const bool loso = c->options->protocol == CONGRU_PROTOCOL_LOSO;
    size_t count = 0, k = 0;
    while (f->c[k] != ridge)
        k++;
    for (size_t i = 0; i < f->list->fits; i++) {
        const congru_inner_fit *fit = &f->list->fit[i];
        const uint64_t of = fit->without & ~shut;
        const bool one = of != 0 && (of & (of - 1)) == 0;
        if (loso ? one && (fit->without & shut) == shut && (fit->barred == 0 || fit->barred == shut) : one)
            count = gather_fit(c, f, i, k, of, count, opinion);
    }
    return count;
}

/* ---- What is best ---------------------------------------------------------------------------------------- */

/* The mean over subjects of the share of trials that are right; of equals the smaller mean of -log p counts. */
typedef struct merit {
    double accuracy, loss;
} merit;

static bool is_better(merit a, merit b)
{
    return a.accuracy > b.accuracy || (a.accuracy == b.accuracy && a.loss < b.loss);
}

static const merit nothing_yet = {-1, INFINITY};

/* Of what branches say together of `opinions->count` trials. */
static congru_status judge(const chooser *c, const congru_opinions *opinions, const double *weight, merit *of)
{
    const size_t classes = opinions->classes, subjects = c->materials->set->subjects;
    size_t *right, judged = 0;
    CONGRU_TRY(
        congru_allocate(c->workers->caller, &right, 2 * subjects, sizeof *right, "%zu subjects", subjects));
    size_t *all = right + subjects;
    *of = (merit){0};
    congru_opinions_combine(opinions, weight, c->probability);
    for (size_t i = 0; i < opinions->count; i++) {
        const double *p = c->probability + i * classes;
        size_t best = 0;
        for (size_t k = 1; k < classes; k++)
            best = p[k] > p[best] ? k : best;
        right[c->subject[i]] += best == (size_t)c->label[i];
        all[c->subject[i]]++;
    }
    congru_opinions_log(opinions->count * classes, c->probability);
    for (size_t i = 0; i < opinions->count; i++)
        of->loss -= c->probability[i * classes + (size_t)c->label[i]] / (double)opinions->count;
    for (size_t s = 0; s < subjects; s++) {
        of->accuracy += all[s] > 0 ? (double)right[s] / (double)all[s] : 0;
        judged += all[s] > 0;
    }
    of->accuracy /= (double)judged;
    free(right);
    return CONGRU_OK;
}

/* The C of one branch of a variant that does best by itself; what the branch says with it stays in its opinion. */
static congru_status choose_c(const chooser *c, const congru_grid *grid, size_t variant, size_t branch,
                              uint64_t shut, congru_choice *choice)
{
    const size_t material = grid->variant[variant].material[branch];
    static const double one[1] = {1};
    merit best = nothing_yet;
    congru_opinions said = {
        .branches = 1, .classes = c->materials->set->classes, .log_probability = {c->opinion[branch]}};
    for (size_t k = 0; grid->ridges[branch] > 1 && k < grid->ridges[branch]; k++) {
        merit own;
        said.count = gather(c, material, grid->c[branch][k], shut, c->opinion[branch]);
        CONGRU_TRY(judge(c, &said, one, &own));
        if (is_better(own, best)) {
            best = own;
            choice->c[branch] = grid->c[branch][k];
        }
    }
    if (congru_grid_fits(grid, branch))
        gather(c, material, choice->c[branch], shut, c->opinion[branch]);
    return CONGRU_OK;
}

/* Everything about one variant; its merit where several are compared. */
static congru_status choose_within(const chooser *c, const congru_chosen_for *of, size_t variant, size_t count,
                                   uint64_t shut, congru_choice *choice, merit *own)
{
    const size_t branches = of->pipeline->branches;
    congru_opinions said = {.branches = branches, .count = count, .classes = c->materials->set->classes};
    double loss;
    *choice = congru_choice_variant(of->pipeline, of->grid, variant);
    for (size_t b = 0; b < branches; b++) {
        CONGRU_TRY(choose_c(c, of->grid, variant, b, shut, choice));
        said.log_probability[b] = c->opinion[b];
    }
    if (of->grid->weights)
        CONGRU_TRY(congru_opinions_learn(c->workers->caller, &said, c->label, choice->weight, &loss));
    return of->grid->variants > 1 ? judge(c, &said, choice->weight, own) : CONGRU_OK;
}

/* How many trials the fits without what is shut out are asked about. */
static size_t count_asked(const chooser *c, const congru_chosen_for *of, uint64_t shut)
{
    for (size_t b = 0; b < of->pipeline->branches; b++)
        if (congru_grid_fits(of->grid, b))
            return gather(c, of->grid->variant[0].material[b], of->grid->c[b][0], shut, c->opinion[0]);
    return 0;
}

static congru_status choose(const chooser *c, const congru_chosen_for *of, uint64_t shut, congru_choice *choice)
{
    const size_t count = count_asked(c, of, shut);
    merit best = nothing_yet;
    *choice = congru_choice_constant(of->pipeline, of->grid);
    if (count == 0) {
        congru_note(
            c->workers->caller,
            "Too few subjects are left to choose on: what is not given is as it is by default, and C is "
            "%g.",
            choice->c[0]);
        return CONGRU_OK;
    }
    for (size_t v = 0; v < of->grid->variants; v++) {
        congru_choice tried;
        merit own = {0};
        CONGRU_TRY(choose_within(c, of, v, count, shut, &tried, &own));
        if (v > 0 && !is_better(own, best))
            continue;
        best = own;
        *choice = tried;
    }
    return CONGRU_OK;
}

/* ---- Fits ------------------------------------------------------------------------------------------------- */

/* Which fits are needed: without what is shut out and one group more. Two of these may be one; those that are made together
 * have its rows lie unused beside the others where all of the target may be seen, and elsewhere not even the last bit may
 * feel them. */
static congru_status list_fits(chooser *c, size_t shuts, const uint64_t *shut, bool together)
{
    const congru_set *set = c->materials->set;
    const size_t groups = c->groups;
    if (c->options->protocol != CONGRU_PROTOCOL_LOSO)
        return together ? CONGRU_OK
                        : congru_inner_list_within(c->workers->caller, set, c->options, groups, &c->list[0]);
    for (size_t i = 0; i < shuts; i++) {
        const uint64_t barred = together && c->options->target != CONGRU_TARGET_FULL ? shut[i] : 0;
        for (size_t g = 0; g < groups; g++)
            if ((shut[i] >> g & 1) == 0)
                CONGRU_TRY(congru_inner_list_groups(c->workers->caller, set, groups, shut[i],
                                                    shut[i] | UINT64_C(1) << g, barred, &c->list[together]));
    }
    return CONGRU_OK;
}

/* A material is asked with one C more, unless it is already. */
static congru_status want_c(congru_context *context, congru_inner_said *f, double ridge)
{
    for (size_t k = 0; k < f->ridges; k++)
        if (f->c[k] == ridge)
            return CONGRU_OK;
    if (f->ridges == CONGRU_INNER_RIDGES_MAX)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT, "more than %d C are chosen from for one branch",
                           (int)CONGRU_INNER_RIDGES_MAX);
    f->c[f->ridges++] = ridge;
    return CONGRU_OK;
}

/* What a branch of a pipeline reads is fitted, where its C, weights or options are chosen: a network is not trained in vain. */
static congru_status want_fits(chooser *c, const congru_grid *grid, size_t branch)
{
    for (size_t v = 0; congru_grid_fits(grid, branch) && v < grid->variants; v++) {
        const size_t index = grid->variant[v].material[branch];
        const congru_material *material = &c->materials->material[index];
        congru_inner_said *f = &c->said[index];
        f->workers = c->workers;
        f->materials = c->materials;
        f->options = c->options;
        f->material = material;
        f->list = &c->list[congru_inner_together(c->options, material)];
        for (size_t k = 0; k < grid->ridges[branch]; k++)
            CONGRU_TRY(want_c(c->workers->caller, f, grid->c[branch][k]));
    }
    return CONGRU_OK;
}

static congru_status begin(chooser *c)
{
    const congru_set *set = c->materials->set;
    const size_t n = set->count, numbers = n * set->classes;
    congru_context *context = c->workers->caller;
    CONGRU_TRY(congru_allocate(context, &c->label, n, sizeof *c->label, "choosing on %zu trials", n));
    CONGRU_TRY(congru_allocate(context, &c->subject, n, sizeof *c->subject, "choosing on %zu trials", n));
    CONGRU_TRY(congru_allocate(context, &c->said, c->materials->materials, sizeof *c->said, "choosing"));
    CONGRU_TRY(congru_take(context, &c->probability, numbers, sizeof(double), "choosing on %zu trials", n));
    for (size_t b = 0; b < CONGRU_BRANCHES_MAX; b++)
        CONGRU_TRY(congru_take(context, &c->opinion[b], numbers, sizeof(double), "choosing on %zu trials", n));
    return CONGRU_OK;
}

static void end(chooser *c)
{
    for (size_t m = 0; c->said != NULL && m < c->materials->materials; m++)
        congru_inner_clear(&c->said[m]);
    for (size_t b = 0; b < CONGRU_BRANCHES_MAX; b++)
        congru_memory_give(c->opinion[b]);
    congru_memory_give(c->probability);
    free(c->said);
    free(c->label);
    free(c->subject);
    for (size_t i = 0; i < 2; i++)
        congru_inner_list_clear(&c->list[i]);
}

static congru_status fit_all(chooser *c)
{
    congru_stop *stop = c->workers->stop;
    for (size_t m = 0; m < c->materials->materials; m++)
        if (c->said[m].ridges > 0)
            stop->steps += c->said[m].list->fits * congru_trainings_steps(&c->materials->material[m]);
    for (size_t m = 0; m < c->materials->materials; m++) {
        stop->material = m;
        if (c->said[m].ridges > 0)
            CONGRU_TRY(congru_inner_run(&c->said[m]));
    }
    return CONGRU_OK;
}

static congru_status choose_all(chooser *c, size_t count, const congru_chosen_for *of, size_t shuts,
                                const uint64_t *shut, congru_choice *choice)
{
    CONGRU_TRY(begin(c));
    for (size_t together = 0; together < 2; together++)
        CONGRU_TRY(list_fits(c, shuts, shut, together));
    for (size_t p = 0; p < count; p++)
        for (size_t b = 0; b < of[p].pipeline->branches; b++)
            CONGRU_TRY(want_fits(c, of[p].grid, b));
    CONGRU_TRY(fit_all(c));
    for (size_t p = 0; p < count; p++)
        for (size_t i = 0; i < shuts; i++)
            CONGRU_TRY(choose(c, &of[p], shut[i], &choice[p * shuts + i]));
    return CONGRU_OK;
}

congru_status congru_choices_make(const congru_workers *workers, const congru_materials *materials,
                                  const congru_evaluation_options *options, size_t groups, size_t count,
                                  const congru_chosen_for *of, size_t shuts, const uint64_t *shut,
                                  congru_choice *choice)
{
    chooser c = {.workers = workers, .materials = materials, .options = options, .groups = groups};
    const congru_status status = choose_all(&c, count, of, shuts, shut, choice);
    end(&c);
    return status;
}
