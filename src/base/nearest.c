/* Guesses at what a misspelt name was meant to be. SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/number_text.h"
#include "congru/option.h"

enum { WORD_MAX = 31, NEAR = 2 };

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* How many letters to insert, drop, change or swap with their neighbour to get from one word to the other; a capital is no
 * slip. */
static size_t slips(const char *a, const char *b)
{
    size_t table[WORD_MAX + 1][WORD_MAX + 1], size_a = strlen(a), size_b = strlen(b);
    if (size_a > WORD_MAX || size_b > WORD_MAX)
        return WORD_MAX;
    for (size_t i = 0; i <= size_a; i++) {
        for (size_t j = 0; j <= size_b; j++) {
            if (i == 0 || j == 0) {
                table[i][j] = i + j;
                continue;
            }
            table[i][j] = smaller(smaller(table[i - 1][j], table[i][j - 1]) + 1,
                                  table[i - 1][j - 1] + !congru_same_letters(&a[i - 1], &b[j - 1], 1));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                table[i][j] = smaller(table[i][j], table[i - 2][j - 2] + 1);
        }
    }
    return table[size_a][size_b];
}

const char *congru_nearest(const char *word, size_t count, const char *const *names)
{
    const char *nearest = NULL;
    size_t least = NEAR + 1;
    for (size_t i = 0; word != NULL && names != NULL && i < count; i++) {
        size_t own = names[i] != NULL ? slips(word, names[i]) : least;
        /* Two slips in a word of three letters make another word. */
        if (own < least && own < strlen(word)) {
            least = own;
            nearest = names[i];
        }
    }
    return nearest;
}
