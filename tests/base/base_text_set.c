/* The set of texts: each once, whatever they are. SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "base/text_set.h"
#include "congru/random.h"
#include "harness.h"

/* Short texts over few letters: many are prefixes of others, and many come again. */
TEST(each_text_is_kept_once)
{
    enum { TEXTS = 3000 };
    static char text[TEXTS][8];
    congru_random random = congru_random_stream(1, 0, 0, 0);
    congru_text_set set = {0};
    size_t distinct = 0;
    for (size_t i = 0; i < TEXTS; i++) {
        size_t length = congru_random_index(&random, 7);
        for (size_t k = 0; k < length; k++)
            text[i][k] = "ab\x80\xff"[congru_random_index(&random, 4)];
        size_t j = 0;
        while (strcmp(text[j], text[i]) != 0)
            j++;
        distinct += j == i;
        const char *kept = congru_text_set_add(&set, text[i]);
        if (!CHECK(kept != NULL && kept != text[i] && strcmp(kept, text[i]) == 0) ||
            !CHECK(set.count == distinct) || !CHECK(congru_text_set_add(&set, text[j]) == kept))
            break;
    }
    CHECK(set.count == distinct && distinct > 1000 && distinct < TEXTS);
    congru_text_set_clear(&set);
    CHECK(set.count == 0 && set.text == NULL);
    CHECK(strcmp(congru_text_set_add(&set, ""), "") == 0 && set.count == 1);
    congru_text_set_clear(&set);
}

int main(void)
{
    harness_run_all();
    return harness_end();
}
