/* The real GDF files against what MNE reads, in tests/data/recordings_gdf.txt. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "congru/context.h"
#include "gdf_cases.h"
#include "harness.h"

static congru_context *context;

enum { LINE = 256 };

static FILE *open_stored(void)
{
    const char *source = getenv("SOURCE");
    char path[4096];
    snprintf(path, sizeof path, "%s/tests/data/recordings_gdf.txt", source != NULL ? source : ".");
    FILE *file = fopen(path, "r");
    if (file == NULL)
        printf("# cannot open %s\n", path);
    return file;
}

/* "channel SUM WEIGHTED FIRST THIRD LAST NAME": each sample to 1e-9 microvolts, and in its place. */
static void check_channel(const congru_recording *recording, size_t index, const char *line)
{
    double sum, weighted, first, third, last;
    int name_at = 0;
    CHECK(sscanf(line, "channel %lf %lf %lf %lf %lf %n", &sum, &weighted, &first, &third, &last, &name_at) ==
          5);
    CHECK_SAYING(strcmp(recording->channel[index].name, line + name_at) == 0, "'%s' where '%s' is expected",
                 recording->channel[index].name, line + name_at);
    size_t samples = recording->samples;
    const double *x = recording->data + index * samples;
    CHECK_NEAR(x[0], first, 1e-9);
    CHECK_NEAR(x[samples / 3], third, 1e-9);
    CHECK_NEAR(x[samples - 1], last, 1e-9);
    double total = 0, total_weighted = 0;
    for (size_t i = 0; i < samples; i++) {
        total += x[i];
        total_weighted += x[i] * (double)(i * 7919 % 1009);
    }
    CHECK_NEAR(total, sum, 1e-9 * (double)samples);
    CHECK_NEAR(total_weighted, weighted, 1e-9 * (double)samples * 1009);
}

static void check_event(const congru_recording *recording, size_t index, const char *line)
{
    const congru_event *event = &recording->event[index];
    size_t onset, duration;
    int code;
    char text[32];
    CHECK(sscanf(line, "event %zu %zu %d %31s", &onset, &duration, &code, text) == 4);
    CHECK_SAYING(event->onset == onset && event->duration == duration && event->code == code,
                 "event %zu: %zu %zu %d", index, event->onset, event->duration, event->code);
    CHECK(strcmp(event->text != NULL ? event->text : "-", text) == 0);
}

static void check_file(FILE *stored, const char *wanted)
{
    size_t size, channels = 0, samples = 0, events = 0;
    unsigned char *bytes = gdf_case_real(wanted, &size);
    if (bytes == NULL) {
        SKIP("the file is absent");
        return;
    }
    congru_recording_options options = {0};
    congru_recording *recording;
    congru_status status = gdf_case_read(context, bytes, size, &options, &recording);
    free(bytes);
    if (!CHECK_SAYING(status == CONGRU_OK, "%s", congru_context_error(context)))
        return;
    char line[LINE], name[LINE] = "", version[8];
    double rate = 0;
    while (strcmp(name, wanted) != 0 && fgets(line, sizeof line, stored) != NULL)
        if (sscanf(line, "file %255s %7s %lf %zu %zu %zu", name, version, &rate, &channels, &samples,
                   &events) != 6)
            name[0] = '\0';
    CHECK(strcmp(name, wanted) == 0 && strcmp(recording->format + 4, version) == 0 && recording->rate == rate);
    CHECK(recording->channels == channels && recording->samples == samples && recording->events == events);
    bool same_shape =
        recording->channels == channels && recording->samples == samples && recording->events == events;
    for (size_t i = 0; same_shape && i < channels + events && fgets(line, sizeof line, stored) != NULL; i++) {
        line[strcspn(line, "\n")] = '\0';
        if (i < channels)
            check_channel(recording, i, line);
        else
            check_event(recording, i - channels, line);
    }
    congru_recording_destroy(&recording);
}

static void check_named(const char *name)
{
    FILE *stored = open_stored();
    if (!CHECK(stored != NULL))
        return;
    check_file(stored, name);
    fclose(stored);
}

static void biosig_erds_sample(void)
{
    check_named("biosig_erds_sample.gdf");
}

static void s007r04_converted(void)
{
    check_named("S007R04_converted_gdf2.51.gdf");
}

int main(void)
{
    if (congru_context_create(&context, &(congru_context_options){.threads = 1}) != CONGRU_OK)
        return 1;
    RUN(biosig_erds_sample);
    RUN(s007r04_converted);
    congru_context_destroy(&context);
    return harness_end();
}
