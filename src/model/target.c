/* What may be seen of a target subject, by name. SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "congru/method.h"
#include "model/trials.h"

const char *congru_target_name(congru_target target)
{
    static const char *const names[] = {"full", "50p", "20p", "none", "online"};
    return (size_t)target < sizeof names / sizeof names[0] ? names[target] : NULL;
}

void congru_target_see(congru_target_trials *target, congru_target mode)
{
    target->online = mode == CONGRU_TARGET_ONLINE;
    target->visible = mode == CONGRU_TARGET_FULL    ? target->count
                      : mode == CONGRU_TARGET_HALF  ? (target->count + 1) / 2
                      : mode == CONGRU_TARGET_FIFTH ? (target->count + 4) / 5
                                                    : 0;
}
