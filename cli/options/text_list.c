/* Splits text at commas, and words at equals signs. SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include "text_list.h"

#include <stdlib.h>
#include <string.h>

#include "terminal.h"

static char *trim(char *text)
{
    text += strspn(text, " \t");
    size_t size = strlen(text);
    while (size > 0 && (text[size - 1] == ' ' || text[size - 1] == '\t'))
        text[--size] = '\0';
    return text;
}

int text_list_split(text_list *list, const char *where, const char *text)
{
    size_t count = 1;
    for (const char *c = text; *c != '\0'; c++)
        count += *c == ',';
    text_list_clear(list);
    list->text = strdup(text);
    list->item = calloc(count + 1, sizeof *list->item);
    if (list->text == NULL || list->item == NULL) {
        text_list_clear(list);
        return terminal_fail(EXIT_FAILED, "%s: not enough memory", where);
    }
    char *at = list->text;
    for (; list->count < count; list->count++) {
        size_t size = strcspn(at, ",");
        char *next = at + size + (at[size] == ',');
        at[size] = '\0';
        list->item[list->count] = trim(at);
        if (list->item[list->count][0] == '\0')
            return terminal_fail(EXIT_USAGE, "%s wants words with commas between, none of them empty, not '%s'",
                                 where, text);
        at = next;
    }
    return EXIT_DONE;
}

char *text_list_value(char *item)
{
    char *equals = strrchr(item, '=');
    if (equals == NULL)
        return NULL;
    *equals = '\0';
    char *value = trim(equals + 1);
    trim(item);
    return *item != '\0' && *value != '\0' ? value : NULL;
}

void text_list_clear(text_list *list)
{
    free(list->item);
    free(list->text);
    *list = (text_list){0};
}
