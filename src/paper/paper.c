/* The list of experiments, and what a request for one may ask. SPDX-License-Identifier: Apache-2.0 */
#include "congru/paper.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "paper/ablation.h"
#include "paper/reproduce.h"

typedef struct experiment {
    congru_paper_experiment about;
    congru_status (*run)(const congru_paper_job *job);
} experiment;

static const experiment experiments[] = {
    {{.name = "synthetic",
      .text = "Tables 2 and 6: accuracies on made-up sets of five kinds. Needs no set.",
      .takes_recipe = true,
      .takes_seeds = true},
     congru_reproduce_synthetic},
    {{.name = "table-prealigners",
      .also = "table-preproc",
      .text = "Tables 3 and 10: aligners before three classifiers, by dataset, and their overall z.",
      .takes_sets = true,
      .takes_pipelines = true,
      .takes_recipe = true},
     congru_reproduce_prealigners},
    {{.name = "table-e2e",
      .text = "Tables 4 and 11: end-to-end models beside classical ones, by dataset, and their overall z.",
      .takes_sets = true,
      .takes_pipelines = true,
      .takes_recipe = true},
     congru_reproduce_e2e},
    {{.name = "comparison",
      .text =
          "Table 19: Euclidean, Riemannian, deep and transfer methods, across and within subjects, on bnci2014-001; "
          "methods that do not exist here are named.",
      .takes_sets = true,
      .takes_pipelines = true,
      .takes_recipe = true},
     congru_reproduce_comparison},
    {{.name = "recipes",
      .text =
          "The six models under each recipe, and with steps and C chosen on source subjects, beside ra+tslr: "
          "accuracies, paired tests by Holm's correction, verdicts. Folders are FOLDER/NAME, NAME-authors, "
          "NAME-chosen.",
      .takes_sets = true,
      .takes_pipelines = true},
     congru_reproduce_recipes},
    {{.name = "coefficients",
      .text =
          "The weights of objectives as the paper chose them, on one validation fold, and on the source subjects "
          "of each fold: what is chosen, and accuracies. Others are chosen by --choose. Folders are FOLDER/NAME "
          "and NAME-, with the values.",
      .takes_sets = true,
      .takes_pipelines = true,
      .takes_recipe = true},
     congru_reproduce_coefficients},
    {{.name = "ablation",
      .text = "Tables 5 and 12: the ablation, networks with a part left out, on bnci2014-001.",
      .takes_sets = true,
      .takes_pipelines = true,
      .takes_networks = true,
      .takes_recipe = true},
     congru_reproduce_ablation},
    {{.name = "geometry",
      .text =
          "The source trials while each of the six models is trained: t-SNE, scatters and cross-entropy by "
          "step, with and without the other terms of the objective. Figures go to FOLDER/NAME-geometry. The "
          "first of --subjects is left out and the trials of the others are shown; by default the second is "
          "left out and the first four others are shown, as in the paper.",
      .takes_sets = true,
      .takes_stages = true,
      .takes_recipe = true},
     congru_reproduce_geometry},
    {{.name = "runtime",
      .text = "Tables 13 and 14: seconds of training per subject.",
      .takes_sets = true,
      .takes_pipelines = true,
      .takes_recipe = true},
     congru_reproduce_runtime},
    {{.name = "silhouette",
      .text =
          "Table 18: silhouettes, how trials cluster by subject and by class, as recorded, recentred, and in networks.",
      .takes_sets = true,
      .takes_recipe = true},
     congru_reproduce_silhouette},
    {{.name = "gap",
      .text =
          "Table 20: the gap, accuracy within subjects less that across subjects, of classical pipelines and of ddct-unet-e2e.",
      .takes_sets = true,
      .takes_pipelines = true,
      .takes_recipe = true},
     congru_reproduce_gap},
    {{.name = "subjects",
      .text =
          "Tables 21 to 23: the accuracy of every subject, with the means and deviations printed below them. Ours "
          "are those of FOLDER where no set is given; with bnci2014-001 its ablation is run too.",
      .takes_sets = true,
      .takes_pipelines = true,
      .takes_recipe = true},
     congru_reproduce_subjects},
    {{.name = "statistics",
      .text =
          "Tables 15 to 17 of paired statistics: as printed, recomputed from the paper's own columns of subjects, "
          "and of the sets that are given.",
      .takes_sets = true,
      .takes_pipelines = true,
      .takes_recipe = true},
     congru_reproduce_statistics},
    {{.name = "datasets",
      .text = "Table 9: what the paper says of its datasets, and what a given set has. Runs nothing.",
      .takes_sets = true,
      .takes_recipe = true},
     congru_reproduce_datasets},
    {{.name = "properties",
      .text =
          "Tables 1, 7 and 8 of properties: what of each cell is true, and the test that shows it. Needs no set.",
      .takes_recipe = true},
     congru_reproduce_properties},
    {{.name = "failures",
      .text =
          "Appendix M: what congruences, merges and depth do wrong, each shown on a small made-up set. Needs no "
          "set.",
      .takes_recipe = true},
     congru_reproduce_failures},
};
enum { EXPERIMENTS = sizeof experiments / sizeof experiments[0], TRIALS = 40 };

const congru_paper_experiment *congru_paper_experiment_at(size_t index)
{
    return index < EXPERIMENTS ? &experiments[index].about : NULL;
}

static const experiment *find(const char *name)
{
    for (size_t i = 0; name != NULL && i < EXPERIMENTS; i++)
        if (strcmp(experiments[i].about.name, name) == 0 ||
            (experiments[i].about.also != NULL && strcmp(experiments[i].about.also, name) == 0))
            return &experiments[i];
    return NULL;
}

const congru_paper_experiment *congru_paper_experiment_find(const char *name)
{
    const experiment *found = find(name);
    return found != NULL ? &found->about : NULL;
}

void congru_paper_request_init(congru_paper_request *request)
{
    if (request == NULL)
        return;
    *request = (congru_paper_request){.folder = "reproduced", .seeds = {50, 54}, .trials = TRIALS};
    congru_evaluation_options_init(&request->run);
}

/* What every request must have. */
static congru_status check(congru_context *context, const congru_paper_request *request,
                           congru_paper_result **result)
{
    if (context == NULL || request == NULL || result == NULL || request->folder == NULL ||
        (request->sets == NULL && request->set_count > 0) ||
        (request->subjects == NULL && request->subject_count > 0) ||
        (request->run.pipelines == NULL && request->run.pipeline_count > 0))
        return congru_fail(context, CONGRU_ERROR_ARGUMENT,
                           "an experiment needs a context, a request with a folder, and where its result goes");
    for (size_t i = 0; i < request->set_count; i++)
        if (request->sets[i].name == NULL || (request->sets[i].set == NULL && request->load == NULL))
            return congru_fail(context, CONGRU_ERROR_ARGUMENT, "set %zu has no name, or there is none", i + 1);
    return CONGRU_OK;
}

/* What the experiment does not take. */
static congru_status check_asked(congru_context *context, const congru_paper_request *request,
                                 const congru_paper_experiment *about)
{
    const char *name = about->name;
    if (!about->takes_sets && request->set_count > 0)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT, "%s: it needs no set", name);
    if (!about->takes_pipelines && request->run.pipelines != NULL)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT, "%s: it has pipelines of its own", name);
    if (!about->takes_recipe && request->run.method.network.recipe != CONGRU_RECIPE_PRINTED)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT, "%s: all recipes are run", name);
    for (size_t i = 0; !about->takes_recipe && i < request->set_count; i++)
        if (request->load == NULL)
            return congru_fail(context, CONGRU_ERROR_ARGUMENT,
                               "%s: recipes have covariances of their own: sets are asked for by `load`", name);
    return CONGRU_OK;
}

static congru_status begin(congru_context *context, congru_paper_result **result)
{
    *result = calloc(1, sizeof **result);
    return *result != NULL ? CONGRU_OK : congru_fail_memory(context, "an experiment");
}

congru_status congru_paper_run(congru_context *context, const congru_paper_request *request,
                               congru_paper_result **result)
{
    if (result != NULL)
        *result = NULL;
    congru_status status = check(context, request, result);
    const experiment *found = status == CONGRU_OK ? find(request->experiment) : NULL;
    if (status == CONGRU_OK && found == NULL)
        status = congru_fail(context, CONGRU_ERROR_ARGUMENT, "unknown experiment '%s'",
                             request->experiment != NULL ? request->experiment : "");
    if (status == CONGRU_OK)
        status = check_asked(context, request, &found->about);
    if (status == CONGRU_OK)
        status = begin(context, result);
    return status == CONGRU_OK ? found->run(&(congru_paper_job){context, request, *result}) : status;
}

congru_status congru_ablate(congru_context *context, const congru_paper_request *request,
                            congru_paper_result **result)
{
    if (result != NULL)
        *result = NULL;
    CONGRU_TRY(check(context, request, result));
    if (request->set_count != 1)
        CONGRU_TRY(
            congru_fail(context, CONGRU_ERROR_ARGUMENT, "parts of networks are left out on one set at a time"));
    CONGRU_TRY(begin(context, result));
    return congru_ablate_set(&(congru_paper_job){context, request, *result});
}
