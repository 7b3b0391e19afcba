/* Experiment ablation: networks with a part left out. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number_text.h"
#include "paper/ablation.h"
#include "paper/claims.h"
#include "paper/paper_sets.h"
#include "paper/paper_tables.h"
#include "paper/reproduce.h"

#define LOSES(model, variant) \
    { \
        "baseline", model, variant, model, false \
    }

static const congru_claim claims[] = {
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
    {"Without skip merges DDCT-UNet loses (in the paper it collapses)",
     {LOSES("ddct-unet", "w/o skip merges")}},
    {"Without skip merges DDCT-UNet end to end loses", {LOSES("ddct-unet-e2e", "w/o skip merges")}},
    /* The table has a number for dct, which has no such term: nothing can be left out. */
    {"Without reconstruction the deep pre-aligners lose",
     {LOSES("dldct", "w/o reconstruction"), LOSES("ddct-unet", "w/o reconstruction")}},
    {"Without reconstruction DDCT-UNet end to end loses", {LOSES("ddct-unet-e2e", "w/o reconstruction")}},
    {"Without dispersion DCT loses", {LOSES("dct", "w/o dispersion")}},
    {"Merges at every layer do not help DDCT-UNet",
     {{"baseline", "ddct-unet", "merges everywhere", "ddct-unet", true},
      {"baseline", "ddct-unet-e2e", "merges everywhere", "ddct-unet-e2e", true}}},
    {"With Euclidean merges DDCT-UNet loses",
     {LOSES("ddct-unet", "Euclidean merges"), LOSES("ddct-unet-e2e", "Euclidean merges")}},
    {"With random first weights deep models lose",
     {LOSES("dldct", "random first weights"), LOSES("ddct-unet", "random first weights"),
      LOSES("dldct-e2e", "random first weights"), LOSES("ddct-unet-e2e", "random first weights")}},
    {"With another depth DLDCT loses", {LOSES("dldct", "alt. depth"), LOSES("dldct-e2e", "alt. depth")}},
};

static double ours(const void *user, const char *row, const char *column)
{
    const congru_ablation *found = user;
    for (size_t v = 0; congru_ablation_variant(v, NULL) != NULL; v++)
        for (size_t i = 0; strcmp(congru_ablation_variant(v, NULL), row) == 0 && i < found->models; i++)
            if (strcmp(found->model[i], column) == 0)
                return found->mean[v][i];
    return NAN;
}

/* The mean over subjects where the table of means has none, as for dispersion. */
static double printed_subjects(const char *variant, const char *model, double *deviation)
{
    double sum = 0, squares = 0, count = 0;
    congru_paper_row row;
    for (size_t i = 0; congru_paper_row_read("subjects-ablation", i, &row) == 4; i++)
        if (strcmp(row.field[0], variant) == 0 && strcmp(row.field[2], model) == 0) {
            double value = congru_number_read(row.field[3], NULL);
            sum += value;
            squares += value * value;
            count++;
        }
    *deviation = count > 1 ? sqrt((squares - sum * sum / count) / (count - 1)) : NAN;
    return count > 0 ? sum / count : NAN;
}

static double printed_cell(const char *variant, const char *model, double *deviation)
{
    double mean = congru_paper_number("ablation", "mean", variant, model);
    *deviation = congru_paper_number("ablation", "deviation", variant, model);
    return isnan(mean) ? printed_subjects(variant, model, deviation) : mean;
}

static double printed(const void *user, const char *row, const char *column)
{
    double deviation;
    (void)user;
    return printed_cell(row, column, &deviation);
}

static congru_status show(const congru_paper_job *job, const congru_ablation *found, const char *dataset)
{
    static const char *const headings[] = {"ablation", "model", "paper", "ours", "difference"};
    bool known = strcmp(dataset, "bnci2014-001") == 0;
    congru_table table = {0};
    congru_table_headings(&table, 5, headings);
    for (size_t v = 0; congru_ablation_variant(v, NULL) != NULL; v++)
        for (size_t i = 0; i < found->models; i++) {
            const char *variant = congru_ablation_variant(v, NULL), *model = found->model[i];
            double spread, theirs = printed_cell(variant, model, &spread), mean = found->mean[v][i];
            theirs = known ? theirs : NAN;
            if (isnan(theirs) && isnan(mean))
                continue;
            congru_table_format_text(&table, "%s", variant);
            congru_table_format_text(&table, "%s", model);
            congru_paper_cell_number(&table, theirs, spread);
            if (isnan(mean))
                congru_table_format_text(&table, "no such part");
            else
                congru_paper_cell_number(&table, mean, found->deviation[v][i]);
            congru_paper_cell_difference(&table, mean, theirs);
        }
    congru_status status =
        congru_paper_say(job, CONGRU_PAPER_LINE, true, "%s%s", dataset,
                         known ? "" : ": not in the paper's ablation, which is on bnci2014-001");
    if (status == CONGRU_OK)
        return congru_paper_table(job, true, &table, NULL);
    congru_table_clear(&table);
    return status;
}

static congru_status ablate_set(const congru_paper_job *job, size_t which)
{
    char folder[CONGRU_PAPER_PATH_SIZE], dataset[CONGRU_PAPER_NAME_SIZE];
    congru_paper_open open;
    congru_ablation found;
    congru_status status = congru_paper_set_open(job, which, NULL, CONGRU_ABLATION_PIPELINES, &open);
    if (status == CONGRU_OK)
        status = congru_paper_folder(job, open.about->name, "-ablation", folder);
    if (status == CONGRU_OK)
        status = congru_ablation_run(&open, folder, &found);
    if (status == CONGRU_OK)
        status = congru_paper_set_remark(&open);
    if (status == CONGRU_OK) {
        congru_paper_set_name(&open, dataset);
        status = show(job, &found, dataset);
    }
    if (status == CONGRU_OK)
        status = congru_claims_judge(job, "Claims of the paper:", claims, sizeof claims / sizeof claims[0],
                                     ours, printed, &found);
    congru_paper_set_close(&open);
    return status;
}

congru_status congru_reproduce_ablation(const congru_paper_job *job)
{
    return congru_paper_each_set(job, ablate_set);
}
