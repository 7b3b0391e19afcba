/* congru reproduce ablation and gap. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "ablation.h"
#include "claims.h"
#include "crew.h"
#include "paper_tables.h"
#include "reproduce.h"
#include "reproduce_sets.h"
#include "set_load.h"

enum { PATH_SIZE = 1024 };

#define LOSES(model, variant) \
    { \
        "baseline", model, variant, model, false \
    }

static const claim claims[] = {
    {"Without Fisher terms the pre-aligners lose",
     {LOSES("dct", "w/o fisher (action)"), LOSES("dct", "w/o fisher (subject)"),
      LOSES("dldct", "w/o fisher (action)"), LOSES("dldct", "w/o fisher (subject)"),
      LOSES("ddct-unet", "w/o fisher (action)"), LOSES("ddct-unet", "w/o fisher (subject)")}},
    {"Without Fisher terms all end-to-end variants lose",
     {LOSES("dct-e2e", "w/o fisher (action)"), LOSES("dct-e2e", "w/o fisher (subject)"),
      LOSES("dct-e2e", "w/o fisher (all)"), LOSES("dldct-e2e", "w/o fisher (action)"),
      LOSES("dldct-e2e", "w/o fisher (subject)"), LOSES("dldct-e2e", "w/o fisher (all)"),
      LOSES("ddct-unet-e2e", "w/o fisher (action)"), LOSES("ddct-unet-e2e", "w/o fisher (subject)"),
      LOSES("ddct-unet-e2e", "w/o fisher (all)")}},
    {"Without skip merges DDCT-UNet collapses", {LOSES("ddct-unet", "w/o skip merges")}},
    {"Without skip merges DDCT-UNet end to end loses", {LOSES("ddct-unet-e2e", "w/o skip merges")}},
    {"Without reconstruction the pre-aligners lose",
     {LOSES("dct", "w/o reconstruction"), LOSES("dldct", "w/o reconstruction"),
      LOSES("ddct-unet", "w/o reconstruction")}},
    {"With another depth DLDCT loses", {LOSES("dldct", "alt. depth"), LOSES("dldct-e2e", "alt. depth")}},
};

static double ours(const void *user, const char *row, const char *column)
{
    const ablation *found = user;
    for (size_t v = 0; ablation_variant(v) != NULL; v++)
        for (size_t i = 0; strcmp(ablation_variant(v), row) == 0 && i < found->models; i++)
            if (strcmp(found->model[i], column) == 0)
                return found->mean[v][i];
    return NAN;
}

static double printed(const void *user, const char *row, const char *column)
{
    (void)user;
    return paper_number("ablation", "mean", row, column);
}

static int print(const ablation *found, const char *dataset)
{
    static const char *const headings[] = {"ablation", "model", "paper", "ours", "difference"};
    bool known = strcmp(dataset, "bnci2014-001") == 0;
    text_table table = {.columns = 5};
    for (size_t i = 0; i < 5; i++)
        text_table_add(&table, "%s", headings[i]);
    for (size_t v = 0; ablation_variant(v) != NULL; v++)
        for (size_t i = 0; i < found->models; i++) {
            const char *variant = ablation_variant(v), *model = found->model[i];
            double theirs = known ? printed(NULL, variant, model) : NAN, mean = found->mean[v][i];
            if (isnan(theirs) && isnan(mean))
                continue;
            text_table_add(&table, "%s", variant);
            text_table_add(&table, "%s", model);
            reproduce_add_number(&table, theirs,
                                 known ? paper_number("ablation", "deviation", variant, model) : NAN);
            reproduce_add_number(&table, mean, found->deviation[v][i]);
            reproduce_add_difference(&table, mean, theirs);
        }
    printf("%s%s\n\n", dataset, known ? "" : ": not in the paper's ablation, which is on bnci2014-001");
    int code = text_table_print(&table, 0);
    text_table_clear(&table);
    return code;
}

static int ablate_set(const arguments *parsed, size_t which)
{
    char short_name[RUN_NAME_SIZE], name[RUN_NAME_SIZE + 32], folder[PATH_SIZE];
    run_state run;
    arguments chosen;
    ablation found;
    int code = reproduce_sets_open(&run, &chosen, parsed, which, ABLATION_PIPELINES);
    if (code == EXIT_DONE)
        code = ablation_check(&run);
    set_short_name(parsed->operands[which], short_name, sizeof short_name);
    snprintf(name, sizeof name, "%s-ablation", short_name);
    if (code == EXIT_DONE)
        code = reproduce_folder(parsed, name, folder, sizeof folder);
    if (code == EXIT_DONE)
        code = ablation_run(&run, folder, &found);
    if (code == EXIT_DONE && crew_leads())
        code = ablation_save(&found, folder);
    if (code == EXIT_DONE)
        code = print(&found, reproduce_sets_name(&run));
    if (code == EXIT_DONE) {
        printf("\nClaims of the paper:\n");
        claims_print(claims, sizeof claims / sizeof claims[0], ours, printed, &found);
    }
    evaluation_close(&run);
    return code;
}

int reproduce_ablation(const arguments *parsed)
{
    return reproduce_sets_each(parsed, ablate_set);
}

/* ---- The gap between a person's own decoder and a stranger's ------------------------------------- */

#define BASELINES "none+mdm,none+tslr,none+tsa-lda,none+csp-lda"

/* The mean of the pipelines with commas between. */
static double mean_of(const reproduce_sets *sets, const char *dataset, const char *pipelines)
{
    text_list names = {0};
    double sum = 0;
    if (text_list_split(&names, "reproduce", pipelines) != EXIT_DONE)
        return NAN;
    for (size_t i = 0; i < names.count; i++)
        sum += score_tables_mean(&sets->scores, dataset, names.item[i], NULL, NULL);
    sum /= (double)names.count;
    text_list_clear(&names);
    return sum;
}

typedef struct gap_job {
    reproduce_sets within, cross;
    const char *dataset;
} gap_job;

static double our_gap(const void *user, const char *row, const char *column)
{
    const gap_job *job = user;
    const char *names = strcmp(column, "ours") == 0 ? "ddct-unet-e2e" : BASELINES;
    double within = mean_of(&job->within, job->dataset, names),
           cross = mean_of(&job->cross, job->dataset, names);
    return strcmp(row, "within") == 0 ? within : strcmp(row, "cross") == 0 ? cross : within - cross;
}

static double printed_gap(const void *user, const char *row, const char *column)
{
    (void)user;
    return paper_number("gap", row, column, NULL);
}

static const claim gap_claims[] = {
    {"The gap from within to across subjects is smaller than that of Euclidean baselines",
     {{"gap", "euclidean baselines", "gap", "ours", false}}},
};

static int print_gap(const gap_job *job)
{
    static const char *const methods[] = {"euclidean baselines", "ours"}, *const rows[] = {"within", "cross",
                                                                                           "gap"};
    text_table table = {.columns = 4};
    text_table_add(&table, "%s", job->dataset);
    text_table_add(&table, "where");
    text_table_add(&table, "paper (2a)");
    text_table_add(&table, "ours");
    for (size_t m = 0; m < 2; m++)
        for (size_t r = 0; r < 3; r++) {
            text_table_add(&table, "%s", methods[m]);
            text_table_add(&table, "%s", rows[r]);
            reproduce_add_number(&table, printed_gap(NULL, rows[r], methods[m]), NAN);
            reproduce_add_number(&table, our_gap(job, rows[r], methods[m]), NAN);
        }
    int code = text_table_print(&table, 0);
    text_table_clear(&table);
    printf("\n");
    if (code == EXIT_DONE)
        claims_print(gap_claims, 1, our_gap, printed_gap, job);
    return code;
}

int reproduce_gap(const arguments *parsed)
{
    gap_job job = {0};
    int code = reproduce_sets_run(&job.cross, parsed, BASELINES ",ddct-unet-e2e", CONGRU_PROTOCOL_LOSO, "");
    if (code == EXIT_DONE)
        code = reproduce_sets_run(&job.within, parsed, BASELINES ",ddct-unet-e2e", CONGRU_PROTOCOL_FOLDS,
                                  "-within");
    if (code == EXIT_DONE && parsed->operand_count == 0)
        printf("bnci2014-001: data not given\n");
    for (size_t t = 0; code == EXIT_DONE && t < job.cross.scores.count; t++) {
        job.dataset = job.cross.scores.table[t].name;
        printf(t > 0 ? "\n" : "");
        code = print_gap(&job);
    }
    reproduce_sets_clear(&job.cross);
    reproduce_sets_clear(&job.within);
    return code;
}
