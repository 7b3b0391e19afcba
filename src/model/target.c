/* What may be seen of a target subject, by name. SPDX-License-Identifier: Apache-2.0 */
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
