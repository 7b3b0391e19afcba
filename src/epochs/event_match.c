/* Which events a class takes: names in full, wildcards, tags. SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "epochs/epochs_internal.h"

enum { ANYTHING = -1 };

/* The next letter of a pattern, or ANYTHING, and *pattern behind it. A backslash makes a letter of what means something. */
static int next_letter(const char **pattern)
{
    const char *at = *pattern;
    if (*at == '\\' && at[1] != '\0' && strchr(",=*\\", at[1]) != NULL)
        at++;
    else if (*at == '*') {
        *pattern = at + 1;
        return ANYTHING;
    }
    *pattern = at + 1;
    return (unsigned char)*at;
}

/* Whether `size` bytes of text fit `length` of the pattern. The last run of anything is the one that is tried again, so that
 * the work is a product of the two lengths. */
static bool fits(const char *pattern, size_t length, const char *text, size_t size)
{
    const char *end = pattern + length, *again = NULL;
    size_t at = 0, tried = 0;
    while (at < size || pattern < end) {
        if (pattern < end) {
            const char *next = pattern;
            int letter = next_letter(&next);
            if (letter == ANYTHING) {
                pattern = again = next;
                tried = at;
                continue;
            }
            if (at < size && letter == (unsigned char)text[at]) {
                pattern = next;
                at++;
                continue;
            }
        }
        if (again == NULL || tried >= size)
            return false;
        pattern = again;
        at = ++tried;
    }
    return true;
}

/* Whether each tag of the pattern is one of the text's, as MNE has them: "left/trial1" is of left. */
static bool has_tags(const char *pattern, const char *text)
{
    for (size_t length;; pattern += length + 1) {
        bool found = false;
        length = strcspn(pattern, "/");
        for (const char *tag = text;; tag++) {
            size_t size = strcspn(tag, "/");
            found = found || fits(pattern, length, tag, size);
            tag += size;
            if (found || *tag == '\0')
                break;
        }
        if (!found || pattern[length] == '\0')
            return found;
    }
}

/* How well: 0 not at all, 2 in full. */
static int match(const congru_event_class *wanted, int32_t code, const char *text)
{
    if (wanted->text == NULL)
        return wanted->code == code && code != -1 ? 2 : 0;
    if (text == NULL)
        return 0;
    if (strcmp(wanted->text, text) == 0)
        return 2;
    return fits(wanted->text, strlen(wanted->text), text, strlen(text)) || has_tags(wanted->text, text);
}

bool congru_event_matches(const congru_event_class *wanted, int32_t code, const char *text)
{
    return match(wanted, code, text) > 0;
}

size_t congru_event_find(const congru_event_class *events, size_t count, int32_t code, const char *text)
{
    size_t found = count;
    for (size_t k = 0; k < count; k++) {
        int how = match(&events[k], code, text);
        if (how == 2)
            return k;
        found = how > 0 && found == count ? k : found;
    }
    return found;
}
