/* Tables 1, 7 and 8: every cell of share/paper/properties-found.csv is measured. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "aligner/aligner.h"
#include "classifier_samples.h"
#include "congru/classifier.h"
#include "context_main.h"
#include "harness.h"
#include "spd_samples.h"

enum { CLASSES = 3, D = 5, SIZE = D * D, SUBJECTS = 3, N = 90, OWN = N / SUBJECTS, LINE = 1024, FIELDS = 6 };
enum { FEATURES = D * (D + 1) / 2 };

static congru_context *context;
static trial_set sources,
    target; /* of subjects that are recentred; the target's trials are those of the first source */

static void expect(congru_status status)
{
    spd_expect(context, status, CONGRU_OK, __FILE__, __LINE__);
}

static congru_method_options quick(void)
{
    congru_method_options options;
    congru_method_options_init(&options);
    options.c = 1;
    options.network.steps = 40;
    options.network.batch = 48;
    return options;
}

static trial_set copy_of(const trial_set *set, size_t count, const size_t *which)
{
    trial_set made = {.covariance = sample_alloc(count * SIZE),
                      .label = calloc(count, sizeof *made.label),
                      .subject = calloc(count, sizeof *made.subject)};
    for (size_t i = 0; i < count; i++) {
        const size_t from = which != NULL ? which[i] : i;
        memcpy(made.covariance + i * SIZE, set->covariance + from * SIZE, SIZE * sizeof(double));
        made.label[i] = set->label[from];
        made.subject[i] = which != NULL ? 0 : set->subject[from];
    }
    made.trials = set->trials;
    made.trials.count = count;
    made.trials.covariance = made.covariance;
    made.trials.label = made.label;
    made.trials.subject = made.subject;
    made.trials.subjects = which != NULL ? 1 : set->trials.subjects;
    return made;
}

static trial_set copy(const trial_set *set)
{
    return copy_of(set, set->trials.count, NULL);
}

static void begin(void)
{
    uint64_t state = 23;
    size_t own[OWN];
    sources = trial_set_make(&state, CLASSES, D, SUBJECTS, N, 30);
    for (size_t i = 0; i < OWN; i++)
        own[i] = i * SUBJECTS;
    target = copy_of(&sources, OWN, own);
}

static void end(void)
{
    trial_set_free(&sources);
    trial_set_free(&target);
}

/* ---- Maps: a congruence, or an aligner behind its recentring --------------------------------------------- */

typedef struct map {
    const congru_aligner *aligner; /* NULL: W^T C W with one W for all */
    congru_tensors model;
} map;

static void fixed_weights(double *w)
{
    congru_random random = congru_random_stream(32, 0, 0, 0);
    for (size_t e = 0; e < SIZE; e++)
        w[e] = 0.35 * congru_random_normal(&random) + (e % (D + 1) == 0 ? 1.2 : 0.0);
}

static map fit(const char *name, const trial_set *on, const congru_method_options *options)
{
    map made = {0};
    if (strcmp(name, "none") == 0)
        return made;
    trial_set recentred = copy(on);
    made.aligner = congru_aligner_find(name);
    trial_set_recentre(context, &recentred);
    if (made.aligner->fit != NULL)
        expect(made.aligner->fit(made.aligner, context, &recentred.trials, options, &made.model, NULL));
    trial_set_free(&recentred);
    return made;
}

/* The map with what is learned held fast, on trials that are recentred. */
static void apply(const map *by, const trial_set *set, double *out)
{
    static size_t place[N];
    double w[SIZE];
    congru_target_trials trials = {
        .count = set->trials.count, .d = D, .covariance = set->covariance, .calibration_trial = place};
    for (size_t i = 0; i < N; i++)
        place[i] = i;
    congru_target_see(&trials, CONGRU_TARGET_FULL);
    if (by->aligner != NULL && by->aligner->labels) {
        trials.calibration = set->trials.count;
        trials.calibration_label = set->label;
    }
    fixed_weights(w);
    if (by->aligner == NULL)
        expect(congru_spd_congruence(context, trials.count, D, D, set->covariance, w, out));
    else if (by->aligner->map_target != NULL)
        expect(by->aligner->map_target(by->aligner, context, &by->model, &trials, out));
    else
        memcpy(out, set->covariance, trials.count * SIZE * sizeof *out);
}

/* Recentred where the method does that, and mapped. */
static void align(const map *by, const trial_set *set, double *out)
{
    trial_set moved = copy(set);
    if (by->aligner != NULL)
        trial_set_recentre(context, &moved);
    apply(by, &moved, out);
    trial_set_free(&moved);
}

static double distance(const double *a, const double *b)
{
    double far;
    expect(congru_spd_distance(context, CONGRU_METRIC_RIEMANN, 1, D, a, 1, b, &far));
    return far;
}

static double mean_distance(size_t count, const double *a, const double *b)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += distance(a + i * SIZE, b + i * SIZE) / (double)count;
    return sum;
}

/* The rms distance from their mean. */
static double dispersion(size_t count, const double *c)
{
    double mean[SIZE], sum = 0;
    expect(congru_spd_mean(context, CONGRU_METRIC_RIEMANN, count, D, c, NULL, mean, NULL));
    for (size_t i = 0; i < count; i++)
        sum += pow(distance(c + i * SIZE, mean), 2) / (double)count;
    return sqrt(sum);
}

static double least_eigenvalue(size_t count, const double *c)
{
    double value[D], vectors[SIZE], least = INFINITY;
    for (size_t i = 0; i < count; i++) {
        expect(congru_spd_eigen(context, 1, D, c + i * SIZE, value, vectors));
        for (size_t k = 0; k < D; k++)
            least = fmin(least, value[k]);
    }
    return least;
}

/* How far f((a + b) / 2) is from (f(a) + f(b)) / 2, of what f moves; of logarithms where `logs`. */
static double bend(const map *by, bool logs)
{
    trial_set all = copy(&target);
    double out[OWN * SIZE], middle[SIZE], moved = 0, off = 0;
    trial_set_recentre(context, &all);
    for (size_t i = 0; i + 2 < OWN; i += 3) {
        double *c = all.covariance + i * SIZE;
        if (logs)
            expect(congru_spd_log(context, 2, D, c, c));
        for (size_t e = 0; e < SIZE; e++)
            c[2 * SIZE + e] = (c[e] + c[SIZE + e]) / 2;
        if (logs)
            expect(congru_spd_exp(context, 3, D, c, c));
    }
    apply(by, &all, out);
    for (size_t i = 0; i + 2 < OWN; i += 3) {
        double *c = out + i * SIZE;
        if (logs)
            expect(congru_spd_log(context, 3, D, c, c));
        for (size_t e = 0; e < SIZE; e++)
            middle[e] = (c[e] + c[SIZE + e]) / 2;
        off += dense_difference(SIZE, middle, c + 2 * SIZE);
        moved += dense_difference(SIZE, c, c + SIZE);
    }
    trial_set_free(&all);
    return off / moved;
}

/* Weights W, A and the like: tensors of two dimensions that are learned by steps. */
static size_t count_weights(const map *by, bool *other_width)
{
    size_t count = 0;
    *other_width = false;
    for (size_t i = 0; by->aligner != NULL && by->aligner->network != NULL && i < by->model.count; i++) {
        const congru_tensor *t = &by->model.tensor[i];
        if (t->dims != 2)
            continue;
        count++;
        *other_width |= t->shape[0] != D || t->shape[1] != D;
    }
    return count;
}

static void relabel(trial_set *set)
{
    for (size_t i = 0; i < set->trials.count; i++)
        set->label[i] = (int32_t)((i * 7 + i / 5) % CLASSES);
}

/* How far the target's trials come to lie from where they lie, after a change. */
static double moved_by_labels(const char *name)
{
    const congru_method_options options = quick();
    trial_set other = copy(&sources);
    double out[2][OWN * SIZE];
    relabel(&other);
    map by[2] = {fit(name, &sources, &options), fit(name, &other, &options)};
    for (size_t k = 0; k < 2; k++) {
        align(&by[k], &target, out[k]);
        congru_tensors_clear(&by[k].model);
    }
    trial_set_free(&other);
    return mean_distance(OWN, out[0], out[1]);
}

static double moved_by_steps(const char *name)
{
    congru_method_options options = quick();
    double out[2][OWN * SIZE];
    for (size_t k = 0; k < 2; k++) {
        map by = fit(name, &sources, &options);
        align(&by, &target, out[k]);
        congru_tensors_clear(&by.model);
        options.network.steps = 4;
    }
    return mean_distance(OWN, out[0], out[1]);
}

/* The first trial, when the others of the target are other ones. */
static double moved_by_company(const map *by)
{
    trial_set other = copy(&target);
    double out[2][OWN * SIZE];
    for (size_t i = 1; i < OWN; i++)
        for (size_t e = 0; e < SIZE; e++)
            other.covariance[i * SIZE + e] *= e == 0 ? 4 : e % D == 0 || e < D ? 2 : 1;
    align(by, &target, out[0]);
    align(by, &other, out[1]);
    trial_set_free(&other);
    return distance(out[0], out[1]);
}

/* ---- Properties of maps ---------------------------------------------------------------------------------- */

/* What is left of a difference between the target and the source subject whose trials it has: of how they are turned, or of
 * how far they lie from their mean. */
static double left_of(const map *by, bool turned)
{
    trial_set other = copy(&target);
    double q[SIZE], out[2][OWN * SIZE], before, after;
    congru_random random = congru_random_stream(5, 0, 0, 0);
    trial_set_recentre(context, &other);
    trial_set plain = copy(&other);
    sample_orthogonal(&random, D, q);
    if (turned)
        expect(congru_spd_congruence(context, OWN, D, D, other.covariance, q, other.covariance));
    else
        expect(congru_spd_power(context, OWN, D, other.covariance, 2.0, other.covariance));
    before = turned ? mean_distance(OWN, plain.covariance, other.covariance)
                    : log(dispersion(OWN, other.covariance) / dispersion(OWN, plain.covariance));
    align(by, &plain, out[0]);
    align(by, &other, out[1]);
    after =
        turned ? mean_distance(OWN, out[0], out[1]) : log(dispersion(OWN, out[1]) / dispersion(OWN, out[0]));
    trial_set_free(&other);
    trial_set_free(&plain);
    return after / before;
}

/* The spread of the subjects' means, of what it was. */
static double left_of_means(const map *by)
{
    double mean[2][SUBJECTS][SIZE], spread[2] = {0};
    for (size_t s = 0; s < SUBJECTS; s++) {
        size_t own[OWN];
        double out[OWN * SIZE];
        for (size_t i = 0; i < OWN; i++)
            own[i] = i * SUBJECTS + s;
        trial_set one = copy_of(&sources, OWN, own);
        align(by, &one, out);
        expect(congru_spd_mean(context, CONGRU_METRIC_RIEMANN, OWN, D, one.covariance, NULL, mean[0][s], NULL));
        expect(congru_spd_mean(context, CONGRU_METRIC_RIEMANN, OWN, D, out, NULL, mean[1][s], NULL));
        trial_set_free(&one);
    }
    for (size_t k = 0; k < 2; k++)
        for (size_t s = 1; s < SUBJECTS; s++)
            spread[k] += distance(mean[k][0], mean[k][s]);
    return spread[1] / spread[0];
}

/* How much distances between trials change when all recordings are mixed by one matrix. */
static double moved_by_mixing(const char *name)
{
    const congru_method_options options = quick();
    double w[SIZE], out[2][OWN * SIZE], worst = 0;
    trial_set mixed[2] = {copy(&sources), copy(&target)};
    fixed_weights(w);
    trial_set_transform(&mixed[0], w);
    trial_set_transform(&mixed[1], w);
    map by[2] = {fit(name, &sources, &options), fit(name, &mixed[0], &options)};
    align(&by[0], &target, out[0]);
    align(&by[1], &mixed[1], out[1]);
    for (size_t i = 1; i < OWN; i++)
        worst = fmax(worst, fabs(distance(out[0], out[0] + i * SIZE) - distance(out[1], out[1] + i * SIZE)) /
                                distance(out[0], out[0] + i * SIZE));
    for (size_t k = 0; k < 2; k++) {
        congru_tensors_clear(&by[k].model);
        trial_set_free(&mixed[k]);
    }
    return worst;
}

/* ---- Classifiers: log-odds of the target's trials --------------------------------------------------------- */

static void odds(const char *name, const congru_method_options *options, const trial_set *on,
                 const trial_set *of, double *out)
{
    static double probability[N * CLASSES];
    expect(fit_and_predict(context, name, options, on, of, probability));
    for (size_t i = 0; i < of->trials.count; i++)
        for (size_t k = 0; k + 1 < CLASSES; k++)
            out[i * (CLASSES - 1) + k] = log(probability[i * CLASSES + k + 1] / probability[i * CLASSES]);
}

static double largest(const double *a, const double *b, size_t count)
{
    double worst = 0;
    for (size_t i = 0; i < count; i++)
        worst = fmax(worst, fabs(a[i] - b[i]));
    return worst;
}

typedef enum change { MIX, LABELS, COMPANY } change;

/* How far log-odds move by a change; with the sources and the target recentred, or not. */
static double decided_by(const char *name, change what, bool recentred)
{
    static double out[2][N * CLASSES];
    const congru_method_options options = quick();
    double w[SIZE];
    trial_set on[2] = {copy(&sources), copy(&sources)}, of[2] = {copy(&target), copy(&target)};
    fixed_weights(w);
    if (what == MIX) {
        trial_set_transform(&on[1], w);
        trial_set_transform(&of[1], w);
    } else if (what == LABELS) {
        relabel(&on[1]);
    } else {
        for (size_t i = 1; i < OWN; i++)
            for (size_t e = 0; e < SIZE; e++)
                of[1].covariance[i * SIZE + e] *= e == 0 ? 4 : e % D == 0 || e < D ? 2 : 1;
    }
    for (size_t k = 0; k < 2; k++) {
        if (recentred) {
            trial_set_recentre(context, &on[k]);
            trial_set_recentre(context, &of[k]);
        }
        odds(name, &options, &on[k], &of[k], out[k]);
    }
    const double by = largest(out[0], out[1], (what == COMPANY ? 1 : OWN) * (CLASSES - 1));
    for (size_t k = 0; k < 2; k++) {
        trial_set_free(&on[k]);
        trial_set_free(&of[k]);
    }
    return by;
}

/* How far log-odds are from linear, in covariances or in their logarithms, of recentred trials; networks with a head at the
 * identity, where no other trial counts, and without its jitter. */
static double decided_bend(const char *name, bool logs)
{
    static double out[N * CLASSES];
    congru_method_options options = quick();
    options.network.head_reference = CONGRU_HEAD_IDENTITY;
    options.network.head_jitter = 0;
    trial_set on = copy(&sources), all = copy(&target);
    double off = 0, moved = 0;
    trial_set_recentre(context, &on);
    trial_set_recentre(context, &all);
    for (size_t i = 0; i + 2 < OWN; i += 3) {
        double *c = all.covariance + i * SIZE;
        if (logs)
            expect(congru_spd_log(context, 2, D, c, c));
        for (size_t e = 0; e < SIZE; e++)
            c[2 * SIZE + e] = (c[e] + c[SIZE + e]) / 2;
        if (logs)
            expect(congru_spd_exp(context, 3, D, c, c));
    }
    odds(name, &options, &on, &all, out);
    for (size_t i = 0; i + 2 < OWN; i += 3)
        for (size_t k = 0; k + 1 < CLASSES; k++) {
            const double *o = out + i * (CLASSES - 1) + k;
            off += fabs((o[0] + o[CLASSES - 1]) / 2 - o[2 * (CLASSES - 1)]);
            moved += fabs(o[0] - o[CLASSES - 1]);
        }
    trial_set_free(&on);
    trial_set_free(&all);
    return off / moved;
}

/* Weights of so many features of a trial, and matrices of layers. */
static void look(const char *name, bool *tangent, size_t *layers)
{
    const congru_method_options options = quick();
    const congru_classifier *classifier = congru_classifier_find(name);
    congru_tensors model = {0};
    expect(classifier->fit(classifier, context, &sources.trials, &options, &model, NULL));
    *tangent = false;
    *layers = 0;
    for (size_t i = 0; i < model.count; i++) {
        const congru_tensor *t = &model.tensor[i];
        const bool features = t->dims == 2 && (t->shape[0] == FEATURES || t->shape[1] == FEATURES);
        *tangent |= features;
        *layers += t->dims == 2 && t->shape[0] > 1 && !features && classifier->network != NULL &&
                   strstr(t->name, ".reference") == NULL; /* a bias has one row */
    }
    congru_tensors_clear(&model);
}

/* ---- Cells ----------------------------------------------------------------------------------------------- */

/* Whether the cell's property is there, and by which number that was seen. */
static bool of_map(const char *name, const char *property, double *number)
{
    const congru_method_options options = quick();
    bool width, yes = false;
    map by = fit(name, &sources, &options);
    double out[OWN * SIZE];
    align(&by, &target, out);
    const size_t weights = count_weights(&by, &width);
    *number = NAN;
    if (strcmp(property, "spd") == 0)
        yes = (*number = least_eigenvalue(OWN, out)) > 0;
    else if (strcmp(property, "mean align") == 0)
        yes = (*number = left_of_means(&by)) < 0.1;
    else if (strcmp(property, "orientation") == 0)
        yes = (*number = left_of(&by, true)) < 0.5;
    else if (strcmp(property, "dispersion") == 0)
        yes = fabs(*number = left_of(&by, false)) < 0.5;
    else if (strcmp(property, "tangent-free") == 0)
        yes = (*number = bend(&by, false)) < 1e-9;
    else if (strcmp(property, "nonlinear") == 0 || strcmp(property, "non-linear") == 0)
        yes = (*number = bend(&by, false)) > 1e-6;
    else if (strcmp(property, "intermediate dimensions") == 0)
        yes = width;
    else if (strcmp(property, "deep") == 0)
        yes = (*number = (double)weights) > 1;
    else if (strcmp(property, "class-aware") == 0)
        yes = (*number = moved_by_labels(name)) > 1e-6;
    else if (strcmp(property, "learned") == 0)
        yes = (*number = moved_by_steps(name)) > 1e-6;
    else if (strcmp(property, "transductive") == 0)
        yes = (*number = moved_by_company(&by)) > 1e-6;
    else if (strcmp(property, "geometry-aware") == 0)
        yes = (*number = moved_by_mixing(name)) < 1e-3;
    else
        CHECK_SAYING(false, "no property '%s' of maps", property);
    congru_tensors_clear(&by.model);
    return yes;
}

static bool of_classifier(const char *name, const char *property, bool recentred, double *number)
{
    bool tangent, yes = false;
    size_t layers;
    look(name, &tangent, &layers);
    *number = NAN;
    if (strcmp(property, "spd geometry") == 0 || strcmp(property, "geometry-aware") == 0)
        yes = (*number = decided_by(name, MIX, strstr(name, "-e2e") != NULL)) < 1e-3;
    else if (strcmp(property, "tangent space") == 0)
        yes = tangent;
    else if (strcmp(property, "learnable") == 0 || strcmp(property, "class-aware") == 0)
        yes = (*number = decided_by(name, LABELS, recentred)) > 1e-6;
    else if (strcmp(property, "learned") == 0)
        yes = congru_classifier_find(name)->network != NULL;
    else if (strcmp(property, "deep") == 0)
        yes = (*number = (double)layers) > 1;
    else if (strcmp(property, "nonlinear") == 0)
        yes = (*number = decided_bend(name, true)) > 1e-6;
    else if (strcmp(property, "non-linear") == 0)
        yes = (*number = decided_bend(name, false)) > 1e-6;
    else if (strcmp(property, "transductive") == 0)
        yes = (*number = decided_by(name, COMPANY, recentred)) > 1e-6;
    else
        CHECK_SAYING(false, "no property '%s' of classifiers", property);
    return yes;
}

/* Table 7 has CSP and the LDA projection, which are parts of classifiers here, among aligners. */
static bool measure(const char *table, const char *method, const char *property, double *number)
{
    if (strcmp(method, "lda") == 0)
        return of_classifier("lda+tslr", property, false, number);
    if (strcmp(method, "csp-lda") == 0)
        return of_classifier(method, property, false, number);
    return strcmp(table, "8") == 0 ? of_classifier(method, property, true, number)
                                   : of_map(method, property, number);
}

TEST(cells_are_as_found)
{
    char path[512], line[LINE];
    const char *source = getenv("SOURCE");
    size_t cells = 0;
    snprintf(path, sizeof path, "%s/share/paper/properties-found.csv", source != NULL ? source : ".");
    FILE *stream = fopen(path, "r");
    if (!CHECK(stream != NULL) || !CHECK(fgets(line, LINE, stream) != NULL))
        return;
    begin();
    for (; fgets(line, LINE, stream) != NULL; cells++) {
        char *field[FIELDS] = {line};
        double number;
        for (size_t i = 1; i < FIELDS && field[i - 1] != NULL; i++)
            if ((field[i] = strchr(field[i - 1], ',')) != NULL)
                *field[i]++ = '\0';
        if (!CHECK(field[3] != NULL))
            break;
        const bool yes = measure(field[0], field[1], field[2], &number);
        printf("# table %s, %s, %s: %s (%.3g)\n", field[0], field[1], field[2], yes ? "yes" : "no", number);
        CHECK_SAYING(strcmp(field[3], yes ? "yes" : "no") == 0, "table %s, %s, %s: found %s, measured %.6g",
                     field[0], field[1], field[2], field[3], number);
    }
    CHECK_SAYING(cells == 112, "%zu cells", cells);
    fclose(stream);
    end();
}

int main(void)
{
    return context_main(&context, NULL);
}
