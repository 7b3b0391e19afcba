/* Recentred trials made up for tests of networks. SPDX-License-Identifier: Apache-2.0 */
#include "network_samples.h"

#include <math.h>
#include <stdlib.h>

#include "congru/random.h"
#include "congru/spd.h"

static void add_symmetric(congru_random *random, size_t d, double size, double *s)
{
    for (size_t i = 0; i < d; i++) {
        for (size_t j = 0; j <= i; j++) {
            double x = size * congru_random_normal(random) / sqrt((double)d);
            s[i * d + j] += x;
            if (i != j)
                s[j * d + i] += x;
        }
    }
}

congru_trials sample_trials(congru_context *context, size_t count, size_t d, size_t classes, size_t subjects,
                            uint64_t seed)
{
    congru_trials trials = {.count = count, .d = d, .classes = classes, .subjects = subjects};
    double *c = calloc(count * d * d, sizeof(double));
    int32_t *label = malloc(count * sizeof(int32_t)), *subject = malloc(count * sizeof(int32_t));
    for (size_t i = 0; i < count; i++) {
        label[i] = (int32_t)(i % classes);
        subject[i] = (int32_t)(i * subjects / count);
        congru_random pattern = congru_random_stream(seed, 1, (uint32_t)label[i], 0);
        congru_random bend = congru_random_stream(seed, 2, (uint32_t)label[i], (uint32_t)subject[i]);
        congru_random noise = congru_random_stream(seed, 3, (uint32_t)i, 0);
        add_symmetric(&pattern, d, 0.4, c + i * d * d);
        add_symmetric(&bend, d, 0.3, c + i * d * d);
        add_symmetric(&noise, d, 0.4 + 0.1 * subject[i], c + i * d * d);
    }
    congru_spd_exp(context, count, d, c, c);
    trials.covariance = c;
    trials.label = label;
    trials.subject = subject;
    return trials;
}

congru_method_options sample_axis_options(void)
{
    congru_method_options options;
    congru_method_options_init(&options);
    options.network.fisher = CONGRU_FISHER_AXIS;
    options.network.dispersion = CONGRU_DISPERSION_SUBJECT_GLOBAL;
    options.network.subject_ratio = 0.3;
    options.network.initial = CONGRU_INITIAL_LIFTED;
    return options;
}

void sample_free(congru_trials *trials)
{
    free((void *)trials->covariance);
    free((void *)trials->label);
    free((void *)trials->subject);
    *trials = (congru_trials){0};
}
