/* Plays a recording as a device would send it: frames of 32-bit floats on standard output: play_recording FILE SPEED. SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "congru/congru.h"

/* SPEED 1 is as fast as it was recorded, 0 as fast as it is read. */
static int play(const congru_recording *recording, double speed)
{
    struct timespec pause = {0, 0};
    if (speed > 0)
        pause.tv_nsec = (long)(1e9 / recording->rate / speed);
    for (size_t t = 0; t < recording->samples; t++) {
        for (size_t i = 0; i < recording->channels; i++) {
            float sample = (float)recording->data[i * recording->samples + t];
            if (fwrite(&sample, sizeof sample, 1, stdout) != 1)
                return 1; /* nobody listens any more */
        }
        if (speed > 0 && (fflush(stdout) != 0 || nanosleep(&pause, NULL) != 0))
            return 1;
    }
    return 0;
}

int main(int argc, char **argv)
{
    congru_context *context = NULL;
    congru_recording *recording = NULL;
    if (argc != 3 || congru_context_create(&context, NULL) != CONGRU_OK) {
        fprintf(stderr, "usage: %s FILE SPEED\n", argv[0]);
        return 2;
    }
    int code = 1;
    if (congru_recording_read(context, argv[1], NULL, &recording) == CONGRU_OK)
        code = play(recording, strtod(argv[2], NULL));
    else
        fprintf(stderr, "%s\n", congru_context_error(context));
    congru_recording_destroy(&recording);
    congru_context_destroy(&context);
    return code;
}
