/* What the appendix says of its figures of training, as claims. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "paper/claims.h"
#include "paper/paper_changes.h"
#include "paper/reproduce_geometry.h"

const congru_paper_geometry_model congru_paper_geometry_models[CONGRU_PAPER_MODELS] = {
    {"dct", "dct+tslr", false},   {"dldct", "dldct+tslr", false},   {"ddct-unet", "ddct-unet+tslr", false},
    {"dct-e2e", "dct-e2e", true}, {"dldct-e2e", "dldct-e2e", true}, {"ddct-unet-e2e", "ddct-unet-e2e", true},
};

const char *congru_paper_geometry_quantity(size_t quantity)
{
    static const char *const names[CONGRU_PAPER_QUANTITIES] = {
        "W_c", "B_c", "W_c/B_c", "W_s", "B_s", "W_s/B_s", "moved", "silhouette", "cross-entropy"};
    return quantity < CONGRU_PAPER_QUANTITIES ? names[quantity] : NULL;
}

/* Subjects that are recentred have no scatter between them but for rounding: then there is no ratio. */
static double quotient(double within, double between)
{
    return between > 1e-12 * within ? within / between : NAN;
}

double congru_paper_geometry_value(const congru_paper_geometry_table *table, size_t model, bool alone,
                                   size_t quantity, size_t stage)
{
    const congru_geometry *g = table->followed[model][alone];
    if (g == NULL)
        return NAN;
    const double classes = quotient(g->within_class[stage], g->between_class[stage]),
                 subjects = quotient(g->within_subject[stage], g->between_subject[stage]);
    const double value[CONGRU_PAPER_QUANTITIES] = {
        g->within_class[stage],   g->between_class[stage],    classes,
        g->within_subject[stage], g->between_subject[stage],  subjects,
        g->moved[stage],          g->silhouette_class[stage], table->cross_entropy[model][alone][stage]};
    return value[quantity];
}

typedef struct geometry_job {
    const congru_paper_open *open;
    const congru_paper_geometry_table *table;
} geometry_job;

/* Row "W_c/B_c 20 %", column "dct-e2e" or, by cross-entropy alone, "dct-e2e alone". The paper's figures have no numbers. */
static void read_cell(const void *user, congru_claim_side side, const char *row, const char *column,
                      congru_claim_cell *cell)
{
    const geometry_job *job = user;
    const size_t name = strcspn(column, " ");
    const bool alone = column[name] != '\0';
    cell->uses = CONGRU_USES_NETWORK;
    for (size_t m = 0; side != CONGRU_CLAIM_PAPER && m < CONGRU_PAPER_MODELS; m++)
        for (size_t q = 0; congru_paper_geometry_quantity(q) != NULL; q++) {
            size_t size = strlen(congru_paper_geometry_quantity(q));
            if (strlen(congru_paper_geometry_models[m].name) == name &&
                strncmp(congru_paper_geometry_models[m].name, column, name) == 0 &&
                strncmp(congru_paper_geometry_quantity(q), row, size) == 0 && row[size] == ' ')
                cell->number =
                    congru_paper_geometry_value(job->table, m, alone, q, strtoul(row + size, NULL, 10) / 20);
        }
}

static void add_changes(const void *user, unsigned uses, congru_text *text)
{
    const geometry_job *job = user;
    congru_paper_open all = *job->open;
    char dataset[CONGRU_PAPER_NAME_SIZE];
    all.options.subjects = NULL; /* one is left out, as in the paper */
    congru_paper_set_name(job->open, dataset);
    congru_paper_place_changes(dataset, text);
    congru_paper_set_changes(&all, text);
    congru_paper_method_changes(job->open->job, uses, text);
}

congru_status congru_paper_geometry_judge(const congru_paper_open *open,
                                          const congru_paper_geometry_table *table)
{
    const geometry_job job = {open, table};
    return congru_claims_judge(open->job, &(congru_claim_source){"geometry", read_cell, add_changes, &job},
                               "Claims of the paper's appendix:");
}
