/* The experiments of the paper: tables beside the paper's, and a verdict on each of its claims. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_PAPER_H
#define CONGRU_PAPER_H

#include "congru/evaluation.h"
#include "congru/table.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The paper is "Geometry-Aware Deep Congruence Networks for Manifold Learning in Cross-Subject Motor Imagery". Its numbers
 * are part of the library. An experiment is run on sets of trials, and gives blocks to print: tables with what the paper has
 * beside what came out, the paper's claims with verdicts, and notes.
 *
 *     congru_paper_request request;
 *     congru_paper_result *result;
 *     congru_paper_request_init(&request);
 *     request.experiment = "table-e2e";
 *     request.sets = &(congru_paper_set){.name = "2a", .set = set};
 *     request.set_count = 1;
 *     if (congru_paper_run(context, &request, &result) == CONGRU_OK)
 *         ... result->block[0 ... result->count - 1] ...
 *     congru_paper_result_destroy(&result);
 */

typedef struct congru_paper_experiment {
    const char *name;     /* "table-e2e" */
    const char *also;     /* another name of it, or NULL */
    const char *text;     /* what it shows, a sentence or a few */
    bool takes_sets;      /* is run on sets of trials; the others need none */
    bool takes_pipelines; /* runs other pipelines than its own where they are asked for */
    bool takes_networks;  /* those must have a network (congru_ablation_check) */
    bool takes_recipe;    /* runs under the recipe of the request's options, rather than under all of them */
    bool takes_seeds;     /* makes sets itself: seeds and trials of the request count */
    bool takes_stages;    /* shows stages of training: best_so_far of the request counts */
} congru_paper_experiment;

/* By index 0, 1, ... until NULL; by either name, or NULL. */
CONGRU_API const congru_paper_experiment *congru_paper_experiment_at(size_t index);
CONGRU_API const congru_paper_experiment *congru_paper_experiment_find(const char *name);

/* ---- What is asked for --------------------------------------------------------------------------------- */

typedef struct congru_paper_set {
    const char *name; /* "2a": its results go to the folder of this name in the request's folder */
    const char *
        dataset; /* its name in tables, by which it is matched with the paper's: "2a", "bnci2014-001"; NULL: name */
    const char *file;      /* begins error lines about its trials; NULL: the dataset's name */
    const congru_set *set; /* or NULL: the request's `load` gives it */
} congru_paper_set;

typedef struct congru_paper_block congru_paper_block;

/* Filled in by congru_paper_request_init; then what is to differ is set. Everything stays the caller's. */
typedef struct congru_paper_request {
    const char *experiment;
    const congru_paper_set *sets; /* (set_count) */
    size_t set_count;
    const char *folder; /* where results go, and come from when they are there: "reproduced" */

    const char *const *subjects; /* (subject_count) names of those to score; NULL: all of each set */
    size_t subject_count;
    bool best_so_far; /* geometry: stages show the best network until then, not that of the step */
    int seeds[2];     /* of sets that are made, the first and the last: 50 and 54 */
    int trials;       /* of each class and subject of such sets, 40 */

    /* What all runs have in common: target, align_by_session, causal, method, command, processes, data_parallel and watch;
     * and pipelines, NULL for those of the experiment. The others are set run by run. In an experiment that runs several
     * recipes, options of methods that differ from their defaults stand over those of the recipes. */
    congru_evaluation_options run;

    /* Gives a set when the runs on it begin; it is freed when they end, so that one is in memory at a time. The options are
     * those of the runs: a recipe may ask for covariances of its own. What it returns but CONGRU_OK ends the call. */
    congru_status (*load)(void *user, congru_context *context, const congru_paper_set *about,
                          const congru_method_options *method, congru_set **set);

    /* Called before each run with the folder it writes to, and with NULL behind it; may be NULL. While a run lasts, the
     * context's progress counts its folds. */
    void (*running)(void *user, const char *folder);

    /* Called with each block as soon as it is known, so that one set's tables are there before the next is run; may be NULL. */
    void (*found)(void *user, const congru_paper_block *block);

    void *user; /* of these three */
} congru_paper_request;

CONGRU_API void congru_paper_request_init(congru_paper_request *request);

/* ---- What comes out ------------------------------------------------------------------------------------ */

typedef enum congru_paper_kind {
    CONGRU_PAPER_LINE, /* a line: a heading, or a result in a few words */
    CONGRU_PAPER_TEXT, /* a paragraph, to be broken into lines */
    CONGRU_PAPER_NOTE, /* likewise; its other lines are best indented, as several stand one below the other */
    CONGRU_PAPER_TABLE,
    CONGRU_PAPER_CLAIM /* printed like a note */
} congru_paper_kind;

typedef enum congru_paper_verdict {
    CONGRU_PAPER_NOT_GIVEN, /* the data it takes is not there */
    CONGRU_PAPER_HOLDS,
    CONGRU_PAPER_FAILS
} congru_paper_verdict;

struct congru_paper_block {
    congru_paper_kind kind;
    bool apart; /* an empty line stands before it, where it is not the first */

    /* What to print, without an end of line. Of a claim: the verdict, the sentence, the numbers that decide with their margin
     * and its interval, what was changed, and how the claim stands by C = 1 and by the paper's own table. Of a
     * table: NULL, or how it is written as plain text, with all ends of lines, where that is not congru_table_print's way. */
    char *text;
    congru_table table; /* of a table */
    char *claim;        /* of a claim: the sentence alone, */
    char *id, *place;   /* its name ("gap-recovered") and where the paper says it ("P5607; table 20"), */
    congru_paper_verdict verdict; /* the verdict by our numbers, */
    congru_paper_verdict printed; /* and by those that the paper prints; NOT_GIVEN where it has none; */
    double
        margin; /* by how much the inequality that decides holds, below 0 where it does not; NaN where not judged */
    double interval[2]; /* of the margin, 95 %, over subjects; NaN where there are fewer than two, or none */
    bool chance;        /* the interval holds zero: the verdict is within chance */
};

typedef struct congru_paper_result {
    size_t count, room;
    congru_paper_block *block; /* (count) */
} congru_paper_result;

/* Runs an experiment. Runs that the folder holds are not repeated, as by congru_evaluate; sets whose number of classes is not
 * the paper's are not compared with it, and a note tells how else they differ. After a failure *result has the blocks that
 * were finished. With a process group all processes call it, and the blocks of rank 0 count. CONGRU_ERROR_ARGUMENT for what
 * the experiment does not take. */
CONGRU_API congru_status congru_paper_run(congru_context *context, const congru_paper_request *request,
                                          congru_paper_result **result);
CONGRU_API void congru_paper_result_destroy(congru_paper_result **result);

/* Adds columns and a row for each claim to `table`, which the caller clears: id, place, claim, verdict, whether it is within chance,
 * margin, ends of its interval, by the paper's table, and the text. Any format of congru/table.h has them then. */
CONGRU_API congru_status congru_paper_claims(congru_context *context, const congru_paper_result *result,
                                             congru_table *table);

/* All blocks as one text, freed by congru_report_text_destroy (congru/report.h). JSON: {"blocks": [{"kind", ...}, ...]} in
 * their order, of which a table has "table" (congru_table_print), a claim "id", "place", "claim", "verdict", "chance", "margin", "low",
 * "high" and "printed", and all but
 * tables "text". CSV, LaTeX and HTML: the tables, a line right above one being its title, and the claims as a last one,
 * an empty line between two; Markdown has lines, texts and notes too. As text: every block, without breaking lines. */
CONGRU_API congru_status congru_paper_print(congru_context *context, const congru_paper_result *result,
                                            congru_table_format format, char **text);

/* ---- Networks with a part left out --------------------------------------------------------------------- */

/* The variants by index 0, 1, ... until NULL: "w/o fisher (action)", ..., "baseline"; *text, or NULL, becomes what is left
 * out, with the options that do it. */
CONGRU_API const char *congru_ablation_variant(size_t index, const char **text);

/* Scores the networks of the request's pipelines, or those of the paper, whole and with one part left out after the other,
 * on one set: a table of accuracies, with an arrow at those above or below the whole network's. The request's folder has one
 * folder for each variant; ablation.json in that of the baseline is for the report. experiment, seeds and trials do not
 * count. Otherwise as congru_paper_run. */
CONGRU_API congru_status congru_ablate(congru_context *context, const congru_paper_request *request,
                                       congru_paper_result **result);

/* CONGRU_OK where each of the names is of a pipeline with a network, so that congru_ablate takes it. */
CONGRU_API congru_status congru_ablation_check(congru_context *context, size_t count,
                                               const char *const *pipelines);

#ifdef __cplusplus
}
#endif
#endif
