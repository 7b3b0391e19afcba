/* The defaults of every method, and what may be seen of a newcomer. SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "congru/method.h"
#include "model/trials.h"

const char *congru_target_name(congru_target target)
{
    static const char *const names[] = {"full", "50p", "20p", "none", "online"};
    return (size_t)target < sizeof names / sizeof names[0] ? names[target] : NULL;
}

void congru_newcomer_see(congru_newcomer *newcomer, congru_target target)
{
    newcomer->online = target == CONGRU_TARGET_ONLINE;
    newcomer->visible = target == CONGRU_TARGET_FULL    ? newcomer->count
                        : target == CONGRU_TARGET_HALF  ? (newcomer->count + 1) / 2
                        : target == CONGRU_TARGET_FIFTH ? (newcomer->count + 4) / 5
                                                        : 0;
}

static const congru_network_options network_defaults = {
    .steps = 1000,
    .batch = 256,
    .rate = 1e-3,
    .decay = 1e-5,
    .clip = 5.0,
    .action = 1.0,
    .subject = 0.05,
    .within = 1.0,
    .between = 1.0,
    .reconstruction = 1e-3,
    .cross_entropy = 1.0,
    .ratio = 1.5,
    .subject_ratio = 0.3,
    .gamma_penalty = 1e-2,
    .rotation_penalty = 4e-4,
    .centre_penalty = 1e-4,
    .skip_merges = true,
    .layer_jitter = 1e-4,
    .head_jitter = 1e-4,
    .floor = 1e-5,
    .dropout = -1.0,
};

void congru_method_options_init(congru_method_options *options)
{
    if (options == NULL)
        return;
    *options = (congru_method_options){
        .seed = 50,
        .c = 1.0,
        .csp_filters = 2,
        .rpa_labels = 5,
        .network = network_defaults,
    };
}
