/* What the appendix says of its figures of training, as claims. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "paper/claims.h"
#include "paper/reproduce_geometry.h"

const congru_paper_geometry_model congru_paper_geometry_models[CONGRU_PAPER_MODELS] = {
    {"dct", "dct+tslr", false},   {"dldct", "dldct+tslr", false},   {"ddct-unet", "ddct-unet+tslr", false},
    {"dct-e2e", "dct-e2e", true}, {"dldct-e2e", "dldct-e2e", true}, {"ddct-unet-e2e", "ddct-unet-e2e", true},
};

/* The cell of a quantity at a stage: "W_c 20 %" of "dct-e2e", or of "dct-e2e, alone". */
#define END " 100 %"
#define ABOVE(quantity, model, other_quantity, other) \
    { \
        quantity, model, other_quantity, other, false \
    }
#define RISES(quantity, model) ABOVE(quantity END, model, quantity " 0 %", model)
#define FALLS(quantity, model) ABOVE(quantity " 0 %", model, quantity END, model)

/* From stage to stage; it may stay where it is, since what is mapped is the best network so far. */
#define NOT_BELOW(quantity, model, first, second) \
    { \
        quantity first, model, quantity second, model, true \
    }
#define FALLS_STEADILY(quantity, model) \
    FALLS(quantity, model), NOT_BELOW(quantity, model, " 0 %", " 20 %"), \
        NOT_BELOW(quantity, model, " 20 %", " 40 %"), NOT_BELOW(quantity, model, " 40 %", " 60 %"), \
        NOT_BELOW(quantity, model, " 60 %", " 80 %"), NOT_BELOW(quantity, model, " 80 %", " 100 %")

#define ALONE(model) model ", alone"

static const congru_claim claims[] = {
    /* Covariance evolution. */
    {"The geometry settles: trials move less in the last fifth of training than in the first, in every model",
     {ABOVE("moved 20 %", "dct", "moved 100 %", "dct"), ABOVE("moved 20 %", "dldct", "moved 100 %", "dldct"),
      ABOVE("moved 20 %", "ddct-unet", "moved 100 %", "ddct-unet"),
      ABOVE("moved 20 %", "dct-e2e", "moved 100 %", "dct-e2e"),
      ABOVE("moved 20 %", "dldct-e2e", "moved 100 %", "dldct-e2e"),
      ABOVE("moved 20 %", "ddct-unet-e2e", "moved 100 %", "ddct-unet-e2e")}},
    {"Early training moves trials more in DLDCT than in DCT",
     {ABOVE("moved 20 %", "dldct", "moved 20 %", "dct")}},
    {"Classes are clearer in DDCT-UNet than in DCT",
     {ABOVE("silhouette" END, "ddct-unet", "silhouette" END, "dct")}},
    {"End to end, DCT is clearer by class than as an aligner",
     {ABOVE("silhouette" END, "dct-e2e", "silhouette" END, "dct")}},
    {"End to end, DDCT-UNet has the clearest classes of all models",
     {ABOVE("silhouette" END, "ddct-unet-e2e", "silhouette" END, "dct"),
      ABOVE("silhouette" END, "ddct-unet-e2e", "silhouette" END, "dldct"),
      ABOVE("silhouette" END, "ddct-unet-e2e", "silhouette" END, "ddct-unet"),
      ABOVE("silhouette" END, "ddct-unet-e2e", "silhouette" END, "dct-e2e"),
      ABOVE("silhouette" END, "ddct-unet-e2e", "silhouette" END, "dldct-e2e")}},

    /* Fisher statistics of the aligners. */
    {"DCT: the scatter between classes rises and that within falls",
     {RISES("B_c", "dct"), FALLS("W_c", "dct")}},
    {"DCT: the Fisher ratio falls steadily", {FALLS_STEADILY("W_c/B_c", "dct")}},
    {"DLDCT: all scatters fall",
     {FALLS("B_c", "dldct"), FALLS("W_c", "dldct"), FALLS("B_s", "dldct"), FALLS("W_s", "dldct")}},
    {"DLDCT: the Fisher ratio falls steadily", {FALLS_STEADILY("W_c/B_c", "dldct")}},
    {"DLDCT: the subject ratio falls slightly", {FALLS("W_s/B_s", "dldct")}},
    {"DDCT-UNet: the scatters between and within classes and within subjects rise",
     {RISES("B_c", "ddct-unet"), RISES("W_c", "ddct-unet"), RISES("W_s", "ddct-unet")}},
    {"DDCT-UNet: the Fisher ratio falls steadily", {FALLS_STEADILY("W_c/B_c", "ddct-unet")}},

    /* Fisher statistics end to end, with the whole objective and by cross-entropy alone. */
    {"DCT end to end: both scatters of classes rise, with and without the other terms",
     {RISES("B_c", "dct-e2e"), RISES("W_c", "dct-e2e"), RISES("B_c", ALONE("dct-e2e")),
      RISES("W_c", ALONE("dct-e2e"))}},
    {"DCT end to end: the Fisher ratio falls steadily, with and without",
     {FALLS_STEADILY("W_c/B_c", "dct-e2e"), FALLS_STEADILY("W_c/B_c", ALONE("dct-e2e"))}},
    {"DCT end to end: cross-entropy alone has larger scatters and the lower Fisher ratio",
     {ABOVE("B_c" END, ALONE("dct-e2e"), "B_c" END, "dct-e2e"),
      ABOVE("W_c" END, ALONE("dct-e2e"), "W_c" END, "dct-e2e"),
      ABOVE("W_c/B_c" END, "dct-e2e", "W_c/B_c" END, ALONE("dct-e2e"))}},
    {"DLDCT end to end: all scatters fall",
     {FALLS("B_c", "dldct-e2e"), FALLS("W_c", "dldct-e2e"), FALLS("B_s", "dldct-e2e"),
      FALLS("W_s", "dldct-e2e")}},
    {"DLDCT end to end: the Fisher ratio falls, and ends below that of cross-entropy alone",
     {FALLS("W_c/B_c", "dldct-e2e"), ABOVE("W_c/B_c" END, ALONE("dldct-e2e"), "W_c/B_c" END, "dldct-e2e")}},
    {"DLDCT end to end: the subject ratio rises, and falls with cross-entropy alone",
     {RISES("W_s/B_s", "dldct-e2e"), FALLS("W_s/B_s", ALONE("dldct-e2e"))}},
    {"DLDCT end to end: cross-entropy alone keeps more scatter of subjects",
     {ABOVE("B_s" END, ALONE("dldct-e2e"), "B_s" END, "dldct-e2e"),
      ABOVE("W_s" END, ALONE("dldct-e2e"), "W_s" END, "dldct-e2e")}},
    {"DDCT-UNet end to end: all scatters rise, with and without the other terms",
     {RISES("B_c", "ddct-unet-e2e"), RISES("W_c", "ddct-unet-e2e"), RISES("B_s", "ddct-unet-e2e"),
      RISES("W_s", "ddct-unet-e2e"), RISES("B_c", ALONE("ddct-unet-e2e")), RISES("W_c", ALONE("ddct-unet-e2e")),
      RISES("B_s", ALONE("ddct-unet-e2e")), RISES("W_s", ALONE("ddct-unet-e2e"))}},
    {"DDCT-UNet end to end: the other terms hold the scatters down",
     {ABOVE("B_c" END, ALONE("ddct-unet-e2e"), "B_c" END, "ddct-unet-e2e"),
      ABOVE("W_c" END, ALONE("ddct-unet-e2e"), "W_c" END, "ddct-unet-e2e"),
      ABOVE("B_s" END, ALONE("ddct-unet-e2e"), "B_s" END, "ddct-unet-e2e"),
      ABOVE("W_s" END, ALONE("ddct-unet-e2e"), "W_s" END, "ddct-unet-e2e")}},
    {"DDCT-UNet end to end: a lower Fisher ratio and a higher subject ratio than with cross-entropy alone",
     {ABOVE("W_c/B_c" END, ALONE("ddct-unet-e2e"), "W_c/B_c" END, "ddct-unet-e2e"),
      ABOVE("W_s/B_s" END, "ddct-unet-e2e", "W_s/B_s" END, ALONE("ddct-unet-e2e"))}},

    /* Cross-entropy. */
    {"Cross-entropy falls steadily in DCT end to end, with and without the other terms",
     {FALLS_STEADILY("cross-entropy", "dct-e2e"), FALLS_STEADILY("cross-entropy", ALONE("dct-e2e"))}},
    {"Cross-entropy alone ends lower than with the other terms, in every end-to-end model",
     {ABOVE("cross-entropy" END, "dct-e2e", "cross-entropy" END, ALONE("dct-e2e")),
      ABOVE("cross-entropy" END, "dldct-e2e", "cross-entropy" END, ALONE("dldct-e2e")),
      ABOVE("cross-entropy" END, "ddct-unet-e2e", "cross-entropy" END, ALONE("ddct-unet-e2e"))}},
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

/* row "W_c/B_c 20 %", column "dct-e2e" or "dct-e2e, alone" */
static double ours(const void *user, const char *row, const char *column)
{
    size_t name = strcspn(column, ",");
    bool alone = column[name] != '\0';
    for (size_t m = 0; m < CONGRU_PAPER_MODELS; m++)
        for (size_t q = 0; congru_paper_geometry_quantity(q) != NULL; q++) {
            size_t size = strlen(congru_paper_geometry_quantity(q));
            if (strlen(congru_paper_geometry_models[m].name) == name &&
                strncmp(congru_paper_geometry_models[m].name, column, name) == 0 &&
                strncmp(congru_paper_geometry_quantity(q), row, size) == 0 && row[size] == ' ')
                return congru_paper_geometry_value(user, m, alone, q, strtoul(row + size, NULL, 10) / 20);
        }
    return NAN;
}

/* Figures have no numbers. */
static double printed(const void *user, const char *row, const char *column)
{
    (void)user, (void)row, (void)column;
    return NAN;
}

congru_status congru_paper_geometry_judge(const congru_paper_job *job, const congru_paper_geometry_table *table)
{
    return congru_claims_judge(job, "Claims of the paper's appendix:", claims, sizeof claims / sizeof claims[0],
                               ours, printed, table);
}
