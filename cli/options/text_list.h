/* A list of words from one text with commas. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_CLI_TEXT_LIST_H
#define CONGRU_CLI_TEXT_LIST_H

#include <stddef.h>

/* {0} is an empty list. Freed by text_list_clear. */
typedef struct text_list {
    size_t count;
    char **item; /* into `text`; ended by NULL */
    char *text;
} text_list;

/* Splits at commas; blanks around a word are dropped. Replaces what the list held. Returns EXIT_DONE, or prints
 * one line that begins with `where` and returns EXIT_USAGE: an empty word, or no memory (EXIT_FAILED). */
int text_list_split(text_list *list, const char *where, const char *text);

/* Cuts an item "KEY=VALUE" in two at the last equals sign, blanks around both dropped: the item becomes KEY,
 * and VALUE is returned; NULL when there is no equals sign or a side is empty. */
char *text_list_value(char *item);

void text_list_clear(text_list *list);

#endif
