/* What may be seen of a target subject, and classes in messages, by name. SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
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

congru_class_words congru_class_named(const char (*class_name)[CONGRU_LABEL_SIZE], size_t class)
{
    congru_class_words words;
    if (class_name != NULL)
        snprintf(words.text, sizeof words.text, "class '%s'", class_name[class]);
    else
        snprintf(words.text, sizeof words.text, "class %zu", class);
    return words;
}

/* ---- Trials that come one at a time ---------------------------------------------------------------------- */

/* What is kept, and then what this decision makes of it. */
static double *next_of(const congru_following *following)
{
    return following->number + following->room;
}

static bool grow(congru_following *following, size_t room)
{
    double *grown = calloc(2 * room, sizeof *grown);
    const size_t bytes = following->room * sizeof *grown;
    if (grown == NULL)
        return false;
    if (bytes > 0) {
        memcpy(grown, following->number, bytes);
        memcpy(grown + room, next_of(following), bytes);
    }
    free(following->number);
    following->number = grown;
    following->room = room;
    return true;
}

double *congru_following_take(congru_following *following, size_t count)
{
    const size_t first = following->used;
    if (first + count > following->room && !grow(following, first + count))
        return NULL;
    following->used = first + count;
    return next_of(following) + first;
}

void congru_following_count(const congru_following *following, size_t sums, double *number)
{
    const double trials = number[0] + 1.0, kept = following->memory;
    number[0] = trials;
    if (!(kept > 0) || trials <= kept)
        return;
    for (size_t i = 1; i <= sums; i++)
        number[i] *= kept / trials;
    number[0] = kept;
}

void congru_following_begin(congru_following *following)
{
    following->used = 0;
    if (following->room > 0)
        memcpy(next_of(following), following->number, following->room * sizeof(double));
}

void congru_following_keep(congru_following *following)
{
    if (following->room > 0)
        memcpy(following->number, next_of(following), following->room * sizeof(double));
}

void congru_following_forget(congru_following *following)
{
    following->used = 0;
    if (following->room > 0)
        memset(following->number, 0, 2 * following->room * sizeof(double));
}

void congru_following_clear(congru_following *following)
{
    free(following->number);
    *following = (congru_following){0};
}
