/* Finds subjects of a set by name. SPDX-License-Identifier: Apache-2.0 */
#include "subject_list.h"

#include <stdlib.h>
#include <string.h>

#include "terminal.h"
#include "text_list.h"

static int find(const text_list *names, const char *path, const congru_set *set, int32_t *subjects)
{
    for (size_t i = 0; i < names->count; i++) {
        size_t s = 0;
        while (s < set->subjects && strcmp(set->subject_name[s], names->item[i]) != 0)
            s++;
        if (s == set->subjects)
            return terminal_fail(EXIT_FAILED,
                                 "%s: has no subject '%s' (its first is '%s'; 'congru info' lists them)", path,
                                 names->item[i], set->subject_name[0]);
        subjects[i] = (int32_t)s;
    }
    return EXIT_DONE;
}

int subject_list_find(const char *where, const char *text, const char *path, const congru_set *set,
                      int32_t **subjects, size_t *count)
{
    text_list names = {0};
    *subjects = NULL;
    *count = 0;
    if (text == NULL)
        return EXIT_DONE;
    int code = text_list_split(&names, where, text);
    if (code == EXIT_DONE) {
        *subjects = calloc(names.count, sizeof **subjects);
        code = *subjects != NULL ? find(&names, path, set, *subjects)
                                 : terminal_fail(EXIT_FAILED, "%s: not enough memory", path);
        *count = names.count;
    }
    text_list_clear(&names);
    return code;
}
