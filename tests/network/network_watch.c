/* Networks: notes on what degenerates, and silence about what does not. SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "harness.h"
#include "network/train.h"
#include "network_samples.h"

enum { N = 96, D = 8, SUBJECTS = 4 };

static congru_method_options some_options(void)
{
    congru_method_options options;
    congru_method_options_init(&options);
    options.network.steps = 20;
    options.network.batch = 32;
    return options;
}

/* A training on made-up trials of so many classes, with a context of its own. */
typedef struct watched {
    congru_context *context;
    congru_trials trials;
    congru_training *training;
} watched;

static void begin(watched *w, const congru_network *network, size_t classes,
                  const congru_method_options *options)
{
    *w = (watched){0};
    CHECK(congru_context_create(&w->context, NULL) == CONGRU_OK);
    w->trials = sample_trials(w->context, N, D, classes, SUBJECTS, 5);
    congru_status status = congru_training_create(w->context, network, true, &w->trials, options, &w->training);
    CHECK_SAYING(status == CONGRU_OK, "%s", congru_context_error(w->context));
}

static void end(watched *w)
{
    congru_training_destroy(&w->training);
    sample_free(&w->trials);
    congru_context_destroy(&w->context);
}

/* One batch is looked at. */
static void look(watched *w)
{
    w->training->graph.watched = true;
    congru_training_draw(w->training);
    CHECK_SAYING(congru_training_evaluate(w->training) == CONGRU_OK, "%s", congru_context_error(w->context));
    CHECK(congru_watch_step(&w->training->watch, &w->training->graph) == CONGRU_OK);
}

/* How many notes hold the text. */
static size_t told(const watched *w, const char *text)
{
    size_t count = 0;
    for (size_t k = 0; congru_context_note(w->context, k) != NULL; k++)
        count += strstr(congru_context_note(w->context, k), text) != NULL;
    return count;
}

static void give_widths(congru_method_options *options, size_t count, const size_t *width)
{
    options->network.width_count = count;
    memcpy(options->network.widths, width, count * sizeof *width);
}

/* ---- Directions that tell the classes apart (the paper's M.1) --------------------------------------------- */

TEST(lost_directions_are_noted_once)
{
    const congru_method_options options = some_options();
    watched w;
    begin(&w, &congru_network_ddct_unet, 3, &options);
    double *first = congru_training_parameter(w.training, 0);
    const size_t *width = w.training->design.width;
    for (size_t i = 0; i < width[0] * width[1]; i++) /* all columns the same: of rank 1 */
        first[i] = 0.1 * (double)(i / width[1] + 1);
    look(&w);
    look(&w);
    CHECK(w.training->series[CONGRU_SERIES_RANK] == 1.0);
    CHECK(told(&w, "step 0: the layers keep 1 of the 2 directions that tell the classes apart") == 1);
    end(&w);
}

/* One less than the classes is what it takes, however narrow the network. */
TEST(a_bottleneck_narrower_than_the_classes_is_noted)
{
    congru_method_options options = some_options();
    give_widths(&options, 3, (const size_t[]){D, 2, D});
    watched w;
    begin(&w, &congru_network_ddct_unet, 4, &options);
    look(&w);
    CHECK(w.training->series[CONGRU_SERIES_RANK] == 2.0);
    CHECK(told(&w, "the layers keep 2 of the 3 directions that tell the classes apart") == 1);
    end(&w);
}

/* Of two classes the one direction is compared with what the layers keep of others. */
TEST(the_only_direction_can_be_lost)
{
    congru_method_options options = some_options();
    watched w;
    begin(&w, &congru_network_ddct_unet, 2, &options);
    double *first = congru_training_parameter(w.training, 0), *v = w.training->watch.directions;
    const size_t out = w.training->design.width[1];
    CHECK(w.training->watch.rank == 1);
    for (size_t j = 0; j < out; j++) {
        double along = 0.0;
        for (size_t i = 0; i < D; i++)
            along += v[i] * first[i * out + j];
        for (size_t i = 0; i < D; i++)
            first[i * out + j] -= along * v[i];
    }
    look(&w);
    CHECK(w.training->series[CONGRU_SERIES_RANK] == 0.0);
    CHECK(told(&w, "the layers keep 0 of the 1 directions that tell the classes apart") == 1);
    end(&w);
}

/* A stack that is nowhere narrower than its input is judged by its output. */
TEST(a_wide_stack_can_lose_directions)
{
    const congru_method_options options = some_options();
    watched w;
    begin(&w, &congru_network_dldct, 3, &options);
    double *last = congru_training_parameter(w.training, 2);
    for (size_t i = 0; i < 2 * D * D; i++)
        last[i] = 0.1 * (double)(i / D + 1);
    look(&w);
    CHECK(told(&w, "the layers keep 1 of the 2 directions that tell the classes apart") == 1);
    end(&w);
}

/* ---- Eigenvalues that are jitter alone (M.3) --------------------------------------------------------------- */

static void check_jitter(double floor, size_t most)
{
    congru_method_options options = some_options();
    options.network.floor = floor;
    give_widths(&options, 3, (const size_t[]){D, most, D});
    watched w;
    begin(&w, &congru_network_dldct, 2, &options);
    look(&w);
    look(&w);
    CHECK_SAYING(told(&w, "step 0: 6 of the 8 eigenvalues of the output are the layers' jitter") ==
                     (most == 2 ? 1 : 0),
                 "floor %g, narrowest %zu", floor, most);
    end(&w);
}

TEST(eigenvalues_of_jitter_are_noted_whatever_the_floor)
{
    check_jitter(1e-5, 2);
    check_jitter(1e-12, 2);
    check_jitter(1e-3, 2);
    check_jitter(1e-5, D);
}

TEST(merges_keep_eigenvalues_from_being_jitter)
{
    congru_method_options options = some_options();
    watched with;
    begin(&with, &congru_network_ddct_unet, 3, &options);
    look(&with);
    CHECK(told(&with, "jitter") == 0);
    end(&with);
    options.network.merges = CONGRU_MERGES_NONE;
    watched without;
    begin(&without, &congru_network_ddct_unet, 3, &options);
    look(&without);
    CHECK(told(&without, "6 of the 8 eigenvalues of the output are the layers' jitter") == 1);
    end(&without);
}

TEST(gradients_far_beyond_the_clip_are_noted)
{
    congru_method_options options = some_options();
    options.network.clip = 1e-6;
    watched w;
    begin(&w, &congru_network_dldct, 3, &options);
    look(&w);
    CHECK(told(&w, "far beyond the clip of 1e-06") == 1);
    end(&w);
}

/* ---- Nothing to tell ---------------------------------------------------------------------------------------- */

TEST(healthy_networks_are_not_noted)
{
    for (int backbone = 0; backbone < ALIGNING_NETWORKS; backbone++) {
        congru_method_options options = some_options();
        options.network.steps = 201; /* three looks at the rank */
        watched w;
        begin(&w, congru_network_at((size_t)backbone), 3, &options);
        CHECK(congru_training_loop(w.training, NULL) == CONGRU_OK);
        CHECK(w.training->series[CONGRU_SERIES_RANK] == 2.0);
        const char *note = congru_context_note(w.context, 0);
        CHECK_SAYING(note == NULL, "model %d: %s", backbone, note != NULL ? note : "");
        end(&w);
    }
}

int main(void)
{
    harness_run_all();
    return harness_end();
}
