/* Channels that FIF files mark as bad. SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "congru/congru.h"
#include "context_main.h"
#include "fif_writer.h"
#include "harness.h"
#include "scratch.h"

enum { CHANNELS = 4, SAMPLES = 4000 };

static congru_context *context;

/* Noise of four channels with the cues "go" at 5, 15 and 25 s. */
static const char *make_file(const char *name, const char *bad)
{
    static int16_t samples[SAMPLES * CHANNELS];
    static const float onset[] = {5, 15, 25};
    congru_random random = congru_random_stream(7, 0, 0, 0);
    fif_writer file;
    for (size_t i = 0; i < (size_t)SAMPLES * CHANNELS; i++)
        samples[i] = (int16_t)congru_random_index(&random, 100);
    fif_begin(&file, 1 << 20);
    fif_info(&file, 100, CHANNELS, bad);
    fif_raw(&file, sizeof samples, samples);
    fif_number(&file, 104, 3810);
    for (uint32_t kind = 3568; kind <= 3569; kind++) {
        fif_tag(&file, kind, 4, sizeof onset);
        for (size_t i = 0; i < 3; i++)
            fif_real(&file, onset[i]);
    }
    fif_tag(&file, 206, 10, 8);
    fif_bytes(&file, "go:go:go", 8);
    fif_number(&file, 105, 3810);
    const char *path = path_in(name);
    FILE *out = fopen(path, "wb");
    CHECK(out != NULL && fwrite(file.bytes, 1, file.size, out) == file.size && fclose(out) == 0);
    fif_end(&file);
    return path;
}

static bool noted(const char *text)
{
    for (size_t i = 0; congru_context_note(context, i) != NULL; i++)
        if (strstr(congru_context_note(context, i), text) != NULL)
            return true;
    return false;
}

/* How many channels the set of both files has. */
static size_t import_both(const char *const paths[2], const char *bads)
{
    congru_import *import;
    congru_set *set = NULL;
    CHECK(congru_import_create(context, &import) == CONGRU_OK);
    CHECK(congru_import_set(context, import, "events", "go=go") == CONGRU_OK);
    if (bads != NULL)
        CHECK(congru_import_set(context, import, "bads", bads) == CONGRU_OK);
    CHECK_SAYING(congru_import_run(context, import, paths, 2, &set, NULL) == CONGRU_OK, "%s",
                 congru_context_error(context));
    size_t channels = set != NULL ? set->dimension : 0;
    if (set != NULL && channels == 2)
        CHECK(strcmp(set->channel_name[0], "E1") == 0 && strcmp(set->channel_name[1], "E3") == 0);
    congru_set_destroy(&set);
    congru_import_destroy(&import);
    return channels;
}

TEST(bad_channels_are_named_or_left_out)
{
    char first[256], second[256];
    snprintf(first, sizeof first, "%s", make_file("a_raw.fif", "E4:E2"));
    snprintf(second, sizeof second, "%s", make_file("b_raw.fif", "E2"));
    const char *const paths[2] = {first, second};
    CHECK(import_both(paths, NULL) == 4);
    CHECK(noted(
        "marked as bad, kept (--bads drop leaves them out of all files): E4, E2 of a_raw.fif; E2 of b_raw.fif"));
    CHECK(import_both(paths, "drop") == 2);
    CHECK(noted("marked as bad, left out of all files: E4, E2 of a_raw.fif; E2 of b_raw.fif"));
    CHECK(import_both(paths, "keep") == 4);
}

int main(void)
{
    return scratch_main(&context, NULL);
}
