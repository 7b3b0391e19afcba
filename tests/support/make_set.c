/* Writes a made-up covariance set: make_set SET.npz [--subjects N] [--trials N] [--d N] ... SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "set_samples.h"

/* --trials counts all of one subject; --name renames the first subject. */
int main(int count, char **words)
{
    set_recipe recipe = {.subjects = 4, .classes = 2, .per_class = 10, .d = 4, .effect = 0.5, .seed = 1};
    size_t trials = 20;
    const char *name = NULL;
    if (count < 2)
        return 2;
    for (int i = 2; i + 1 < count; i += 2) {
        size_t number = strtoul(words[i + 1], NULL, 10);
        if (strcmp(words[i], "--subjects") == 0)
            recipe.subjects = number;
        else if (strcmp(words[i], "--classes") == 0)
            recipe.classes = number;
        else if (strcmp(words[i], "--trials") == 0)
            trials = number;
        else if (strcmp(words[i], "--d") == 0)
            recipe.d = number;
        else if (strcmp(words[i], "--sessions") == 0)
            recipe.sessions = number;
        else if (strcmp(words[i], "--seed") == 0)
            recipe.seed = number;
        else if (strcmp(words[i], "--effect") == 0)
            recipe.effect = strtod(words[i + 1], NULL);
        else if (strcmp(words[i], "--name") == 0)
            name = words[i + 1];
        else
            return 2;
    }
    recipe.per_class = trials / recipe.classes;
    congru_context *context = NULL;
    if (congru_context_create(&context, NULL) != CONGRU_OK)
        return 1;
    congru_set *set = sample_set(context, &recipe);
    if (name != NULL)
        snprintf(set->subject_name[0], sizeof set->subject_name[0], "%s", name);
    congru_status status = congru_set_write(context, words[1], set);
    if (status != CONGRU_OK)
        fprintf(stderr, "%s\n", congru_context_error(context));
    congru_set_destroy(&set);
    congru_context_destroy(&context);
    return status != CONGRU_OK;
}
