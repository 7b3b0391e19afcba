/* Writes a made-up set and the last subject's samples as frames: make_stream SET.npz FRAMES.f32 [D [zero | wide]]. SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stream_samples.h"

int main(int count, char **words)
{
    stream_recipe recipe = {.subjects = 3, .trials = 12, .d = 3, .rate = 100, .estimator = "scm", .seed = 9};
    congru_context *context = NULL;
    stream_recording recording;
    if (count < 3 || congru_context_create(&context, NULL) != CONGRU_OK)
        return 2;
    if (count > 3)
        recipe.d = strtoul(words[3], NULL, 10);
    const bool wide = count > 4 && strcmp(words[4], "wide") == 0;
    recipe.zero_phase = count > 4 && !wide;
    congru_set *set = wide ? stream_wide_set(context, &recipe) : stream_set(context, &recipe);
    stream_record(&recipe, recipe.subjects - 1, &recording);
    double *frames = stream_frames(&recording);
    FILE *file = fopen(words[2], "wb");
    bool written = file != NULL && congru_set_write(context, words[1], set) == CONGRU_OK;
    for (size_t i = 0; written && i < recording.samples * recording.d; i++) {
        float sample = (float)frames[i];
        written = fwrite(&sample, sizeof sample, 1, file) == 1;
    }
    written = file != NULL && fclose(file) == 0 && written;
    free(frames);
    stream_recording_clear(&recording);
    congru_set_destroy(&set);
    congru_context_destroy(&context);
    return written ? 0 : 1;
}
