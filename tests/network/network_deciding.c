/* Networks that decide by themselves: fitted and asked, the same bits everywhere, and what they refuse. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "congru/random.h"
#include "harness.h"
#include "network/network.h"
#include "network_samples.h"

enum { N = 45, D = 5, CLASSES = 3, SUBJECTS = 3, OUT = N * CLASSES };
/* deep takes long signals, the others get by with short ones. */
enum { SAMPLES = 450, SIZE = D * SAMPLES, BRIEF = 130, BRIEF_SIZE = D * BRIEF };

static congru_context *context;
static congru_trials trials;
static double plain[N * SIZE], brief[N * BRIEF_SIZE];
static congru_signals signals = {.plain = plain, .channels = D, .samples = SAMPLES, .rate = 20.0};
static const congru_signals brief_signals = {.plain = brief, .channels = D, .samples = BRIEF, .rate = 20.0};

/* The channel of its class is larger in each trial. */
static void noise(size_t samples, double *out)
{
    congru_random random = congru_random_stream(3, 0, 0, 0);
    for (size_t i = 0; i < N * D * samples; i++)
        out[i] = congru_random_normal(&random) *
                 (i / samples % D == (size_t)trials.label[i / (D * samples)] ? 2.5 : 1.0);
}

static void draw(void)
{
    trials = sample_trials(context, N, D, CLASSES, SUBJECTS, 5);
    trials.signals = NULL;
    noise(SAMPLES, plain);
    noise(BRIEF, brief);
}

static bool on_signals(const congru_network *network)
{
    return network->needs == CONGRU_NEEDS_SIGNALS;
}

static const congru_signals *signals_of(const congru_network *network)
{
    return network == &congru_network_deep ? &signals : &brief_signals;
}

static congru_method_options options_of(int steps)
{
    congru_method_options options;
    congru_method_options_init(&options);
    options.network.steps = steps;
    options.network.batch = 37;
    return options;
}

static congru_target_trials target_of(const congru_network *network)
{
    congru_target_trials target = {.count = N, .d = D, .covariance = trials.covariance};
    if (on_signals(network))
        target.signals = signals_of(network);
    congru_target_see(&target, CONGRU_TARGET_FULL);
    return target;
}

/* Probabilities of the trials themselves, after some steps, and the network. */
static void ask(congru_context *own, const congru_network *network, const congru_method_options *options,
                congru_tensors *model, double *p)
{
    congru_trials given = trials;
    const congru_target_trials target = target_of(network);
    given.signals = on_signals(network) ? signals_of(network) : NULL;
    CHECK_SAYING(congru_network_fit(own, network, true, "m", &given, options, model, NULL) == CONGRU_OK,
                 "%s: %s", network->name, congru_context_error(own));
    CHECK_SAYING(congru_network_predict(own, network, "m", model, &target, p) == CONGRU_OK, "%s: %s",
                 network->name, congru_context_error(own));
}

static size_t count_right(const double *p)
{
    size_t right = 0;
    for (size_t i = 0; i < N; i++) {
        const double *own = p + i * CLASSES;
        size_t best = 0;
        for (size_t k = 1; k < CLASSES; k++)
            best = own[k] > own[best] ? k : best;
        right += best == (size_t)trials.label[i];
        CHECK_NEAR(own[0] + own[1] + own[2], 1.0, 1e-12);
    }
    return right;
}

/* Without dropout, and with what each has of its own: of three classes 15 are right by chance. */
static void networks_learn(void)
{
    if (HARNESS_RACES) {
        SKIP("ThreadSanitizer looks on: bits_are_the_same trains all of them");
        return;
    }
    for (size_t k = ALIGNING_NETWORKS; k < ALL_NETWORKS; k++) {
        const congru_network *network = congru_network_at(k);
        for (int dropout = 0; dropout < 2; dropout++) {
            double p[OUT];
            congru_tensors model = {0};
            const bool slow = network == &congru_network_eegnet || network == &congru_network_inception;
            congru_method_options options = options_of(network == &congru_network_spdnet ? 400
                                                       : slow                            ? 120
                                                                                         : 60);
            if (dropout == 0)
                options.network.dropout = 0.0;
            else if (congru_network_settle(network, &options.network).dropout == 0.0)
                continue;
            options.network.rate = network == &congru_network_spdnet ? 1e-2 : dropout == 0 ? 1e-3 : 3e-3;
            ask(context, network, &options, &model, p);
            const size_t right = count_right(p);
            CHECK_SAYING(right > 2 * N / 3, "%s: %zu of %d trials it was trained on%s", network->name, right, N,
                         dropout == 0 ? "" : ", with dropout");
            congru_tensors_clear(&model);
        }
    }
}

static bool same_tensors(const congru_tensors *a, const congru_tensors *b)
{
    bool same = a->count == b->count;
    for (size_t k = 0; same && k < a->count; k++) {
        size_t size = 1;
        for (size_t i = 0; i < a->tensor[k].dims; i++)
            size *= a->tensor[k].shape[i];
        same = memcmp(a->tensor[k].data, b->tensor[k].data, size * sizeof(double)) == 0;
    }
    return same;
}

/* Weights after some steps and probabilities: on every instruction set, and with more threads on the best. Plain C multiplies and
 * adds by a call each time, and takes few steps. */
static void check_bits(const congru_network *network, bool slow)
{
    double expected[OUT], found[OUT];
    congru_tensors first = {0};
    congru_method_options options = options_of(slow || HARNESS_RACES ? 3 : 20);
    options.network.validation_subjects = 1;
    ask(context, network, &options, &first, expected);
    for (size_t cpu = 0; congru_cpu_name(cpu) != NULL; cpu++) {
        const bool best = strcmp(congru_cpu_name(cpu), congru_context_cpu(context)) == 0;
        if (!congru_cpu_available(congru_cpu_name(cpu)) ||
            (strcmp(congru_cpu_name(cpu), "base") == 0 && !best) != slow)
            continue;
        for (int threads = 1; threads <= (best ? 3 : 1); threads += 2) {
            const congru_context_options how = {.threads = threads, .cpu = congru_cpu_name(cpu)};
            congru_context *own;
            congru_tensors model = {0};
            CHECK(congru_context_create(&own, &how) == CONGRU_OK);
            ask(own, network, &options, &model, found);
            CHECK_SAYING(memcmp(expected, found, sizeof found) == 0 && same_tensors(&first, &model),
                         "%s, %s, %d threads", network->name, how.cpu, threads);
            congru_tensors_clear(&model);
            congru_context_destroy(&own);
        }
    }
    congru_tensors_clear(&first);
}

static void bits_are_the_same(void)
{
    for (size_t k = ALIGNING_NETWORKS; k < ALL_NETWORKS; k++) {
        const congru_network *network = congru_network_at(k);
        check_bits(network, false);
        check_bits(network, true);
    }
}

static void refuse(const congru_network *network, const congru_trials *given, const char *words)
{
    congru_tensors model = {0};
    const congru_method_options options = options_of(2);
    CHECK(congru_network_fit(context, network, true, "m", given, &options, &model, NULL) != CONGRU_OK);
    CHECK_SAYING(strstr(congru_context_error(context), words) != NULL, "%s", congru_context_error(context));
    congru_tensors_clear(&model);
}

static void bad_signals_are_refused(void)
{
    congru_trials given = trials;
    congru_signals other = signals;
    refuse(&congru_network_shallow, &given, "shallow needs signals");
    given.signals = &other;
    other.samples = 98;
    refuse(&congru_network_shallow, &given, "99 samples or more, and these have 98");
    /* cppcheck-suppress redundantAssignment ; given.signals points to it */
    other.samples = 440;
    refuse(&congru_network_deep, &given, "441 samples or more, and these have 440");
    other.rate = 0.0;
    refuse(&congru_network_eegnet, &given, "rate is 0 Hz");
    given.signals = &signals;
    plain[7 * SIZE + 11] = NAN;
    refuse(&congru_network_eegnet, &given, "trial 8 has a sample that is not finite");
    plain[7 * SIZE + 11] = 0.5;
}

/* A model is asked about signals of another rate, and of other channels. */
static void models_refuse_what_they_were_not_trained_on(void)
{
    congru_tensors model = {0};
    congru_trials given = trials;
    double p[OUT];
    const congru_method_options options = options_of(2);
    given.signals = &signals;
    CHECK(congru_network_fit(context, &congru_network_eegnet, true, "m", &given, &options, &model, NULL) ==
          CONGRU_OK);
    congru_signals other = signals;
    congru_target_trials target = {.count = N, .d = D};
    congru_target_see(&target, CONGRU_TARGET_FULL);
    other.rate = 40.0;
    target.signals = &other;
    CHECK(congru_network_predict(context, &congru_network_eegnet, "m", &model, &target, p) ==
          CONGRU_ERROR_ARGUMENT);
    CHECK(strstr(congru_context_error(context), "at 20 Hz, and these trials have 450 at 40 Hz") != NULL);
    target.d = 4;
    CHECK(congru_network_predict(context, &congru_network_eegnet, "m", &model, &target, p) ==
          CONGRU_ERROR_ARGUMENT);
    congru_tensors_clear(&model);
}

int main(void)
{
    if (congru_context_create(&context, NULL) != CONGRU_OK)
        return 1;
    draw();
    RUN(networks_learn);
    RUN(bits_are_the_same);
    RUN(bad_signals_are_refused);
    RUN(models_refuse_what_they_were_not_trained_on);
    sample_free(&trials);
    congru_context_destroy(&context);
    return harness_end();
}
