/* congru reproduce ablation: networks with a part left out. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ablation.h"
#include "claims.h"
#include "paper_tables.h"
#include "reproduce.h"
#include "reproduce_sets.h"
#include "session.h"
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
    const ablation *found = user;
    for (size_t v = 0; ablation_variant(v) != NULL; v++)
        for (size_t i = 0; strcmp(ablation_variant(v), row) == 0 && i < found->models; i++)
            if (strcmp(found->model[i], column) == 0)
                return found->mean[v][i];
    return NAN;
}

/* The mean over subjects where the table of means has none, as for dispersion. */
static double printed_subjects(const char *variant, const char *model, double *deviation)
{
    double sum = 0, squares = 0, count = 0;
    paper_row row;
    for (size_t i = 0; paper_row_read("subjects-ablation", i, &row) == 4; i++)
        if (strcmp(row.field[0], variant) == 0 && strcmp(row.field[2], model) == 0) {
            double value = strtod(row.field[3], NULL);
            sum += value;
            squares += value * value;
            count++;
        }
    *deviation = count > 1 ? sqrt((squares - sum * sum / count) / (count - 1)) : NAN;
    return count > 0 ? sum / count : NAN;
}

static double printed_cell(const char *variant, const char *model, double *deviation)
{
    double mean = paper_number("ablation", "mean", variant, model);
    *deviation = paper_number("ablation", "deviation", variant, model);
    return isnan(mean) ? printed_subjects(variant, model, deviation) : mean;
}

static double printed(const void *user, const char *row, const char *column)
{
    double deviation;
    (void)user;
    return printed_cell(row, column, &deviation);
}

static int print(const ablation *found, const char *dataset)
{
    static const char *const headings[] = {"ablation", "model", "paper", "ours", "difference"};
    bool known = strcmp(dataset, "bnci2014-001") == 0;
    congru_table table = {0};
    congru_table_headings(&table, 5, headings);
    for (size_t v = 0; ablation_variant(v) != NULL; v++)
        for (size_t i = 0; i < found->models; i++) {
            const char *variant = ablation_variant(v), *model = found->model[i];
            double spread, theirs = printed_cell(variant, model, &spread), mean = found->mean[v][i];
            theirs = known ? theirs : NAN;
            if (isnan(theirs) && isnan(mean))
                continue;
            congru_table_format_text(&table, "%s", variant);
            congru_table_format_text(&table, "%s", model);
            reproduce_add_number(&table, theirs, spread);
            if (isnan(mean))
                congru_table_format_text(&table, "no such part");
            else
                reproduce_add_number(&table, mean, found->deviation[v][i]);
            reproduce_add_difference(&table, mean, theirs);
        }
    printf("%s%s\n\n", dataset, known ? "" : ": not in the paper's ablation, which is on bnci2014-001");
    int code = table_show(&table, 0);
    congru_table_clear(&table);
    return code;
}

static int ablate_set(const arguments *parsed, size_t which)
{
    char short_name[RUN_NAME_SIZE], name[RUN_NAME_SIZE + 32], folder[PATH_SIZE], dataset[RUN_NAME_SIZE];
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
    if (code == EXIT_DONE && process_group_leads())
        code = ablation_save(&found, folder);
    if (code == EXIT_DONE) {
        reproduce_sets_name(&run, dataset);
        reproduce_sets_print_remark(&run);
        code = print(&found, dataset);
    }
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
