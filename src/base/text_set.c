/* A set of texts as a binary tree over the bits in which they differ. SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include "base/text_set.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Where the texts below first differ: those on side 1 have the bit, those on side 0 have it not. A side is a fork (even:
 * twice its index) or a text (odd). Forks further down are about bits further on. */
typedef struct congru_text_fork {
    size_t byte;
    unsigned char bit; /* a mask of one bit */
    size_t side[2];
} fork;

enum { ROOM_START = 64 };

static bool is_text(size_t place)
{
    return place & 1;
}

/* Which side a text goes; beyond its end there is no bit. */
static size_t side_of(const fork *at, const char *text, size_t length)
{
    return at->byte < length && ((unsigned char)text[at->byte] & at->bit) != 0;
}

static bool grow(congru_text_set *set)
{
    if (set->count < set->room)
        return true;
    size_t room = set->room > 0 ? 2 * set->room : ROOM_START;
    char **text = room <= SIZE_MAX / 4 / sizeof(fork) ? realloc(set->text, room * sizeof *text) : NULL;
    set->text = text != NULL ? text : set->text;
    fork *forks = text != NULL ? realloc(set->fork, room * sizeof *forks) : NULL;
    set->fork = forks != NULL ? forks : set->fork;
    set->room = forks != NULL ? room : set->room;
    return forks != NULL;
}

/* The one text that `text` could be equal to. */
static const char *nearest(const congru_text_set *set, const char *text, size_t length)
{
    size_t place = set->root;
    while (!is_text(place))
        place = set->fork[place / 2].side[side_of(&set->fork[place / 2], text, length)];
    return set->text[place / 2];
}

/* A fork for the new text, whose first difference from all others is in `byte`, above the first fork that is about a
 * later bit. */
static void insert(congru_text_set *set, const char *text, size_t length, size_t byte, unsigned char difference)
{
    unsigned char bit = 0x80;
    while ((difference & bit) == 0)
        bit >>= 1;
    size_t *place = &set->root;
    while (!is_text(*place)) {
        fork *at = &set->fork[*place / 2];
        if (at->byte > byte || (at->byte == byte && at->bit < bit))
            break;
        place = &at->side[side_of(at, text, length)];
    }
    fork *made = &set->fork[set->count]; /* the first text has none */
    *made = (fork){.byte = byte, .bit = bit};
    const size_t side = side_of(made, text, length);
    made->side[side] = 2 * set->count + 1;
    made->side[1 - side] = *place;
    *place = 2 * set->count;
}

const char *congru_text_set_add(congru_text_set *set, const char *text)
{
    size_t length = strlen(text), byte = 0;
    const char *other = set->count > 0 ? nearest(set, text, length) : NULL;
    if (other != NULL) {
        while (text[byte] == other[byte] && text[byte] != '\0')
            byte++;
        if (text[byte] == other[byte])
            return other;
    }
    char *copy = grow(set) ? strdup(text) : NULL;
    if (copy == NULL)
        return NULL;
    set->text[set->count] = copy;
    if (other != NULL)
        insert(set, copy, length, byte, (unsigned char)(text[byte] ^ other[byte]));
    else
        set->root = 1;
    set->count++;
    return copy;
}

void congru_text_set_clear(congru_text_set *set)
{
    for (size_t i = 0; i < set->count; i++)
        free(set->text[i]);
    free(set->text);
    free(set->fork);
    *set = (congru_text_set){0};
}
