/* A set of texts, each kept once, whose cost no choice of texts can raise. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_BASE_TEXT_SET_H
#define CONGRU_BASE_TEXT_SET_H

#include <stddef.h>

/* Texts come from files of strangers, who can choose them so that any hash collides. A tree that branches where texts
 * first differ has no such texts: finding one looks at no more places than it has bits. */
typedef struct congru_text_set {
    size_t count, room;
    char **text; /* (count): owned, in the order in which they came */
    struct congru_text_fork *fork;
    size_t root;
} congru_text_set;

/* The set's own copy of the text, the same for equal texts; NULL when memory ran out. {0} is an empty set. */
const char *congru_text_set_add(congru_text_set *set, const char *text);
void congru_text_set_clear(congru_text_set *set);

#endif
