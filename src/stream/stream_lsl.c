/* Samples from, and decisions to, the Lab Streaming Layer. SPDX-License-Identifier: Apache-2.0 */
#include <dlfcn.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "stream/stream_sink.h"

/* liblsl is loaded when it is asked for: it is no part of the build. The functions are those of its C interface, 1.12 and
 * later; handles are pointers that only it looks into. */
typedef void *lsl_handle;

typedef struct lsl_library {
    int (*version)(void);
    int (*resolve)(lsl_handle *found, unsigned room, const char *property, const char *value, int least,
                   double seconds);
    lsl_handle (*inlet_create)(lsl_handle info, int seconds_kept, int chunk, int recover);
    void (*inlet_destroy)(lsl_handle inlet);
    void (*inlet_open)(lsl_handle inlet, double seconds, int *error);
    lsl_handle (*inlet_info)(lsl_handle inlet, double seconds, int *error);
    double (*pull_sample)(lsl_handle inlet, float *sample, int room, double seconds, int *error);
    unsigned long (*pull_chunk)(lsl_handle inlet, float *samples, double *stamps, unsigned long samples_room,
                                unsigned long stamps_room, double seconds, int *error);
    double (*pull_text)(lsl_handle inlet, char **texts, int room, double seconds, int *error);
    void (*text_destroy)(char *text);
    double (*correction)(lsl_handle inlet, double seconds, int *error);
    void (*info_destroy)(lsl_handle info);
    int (*info_channels)(lsl_handle info);
    double (*info_rate)(lsl_handle info);
    lsl_handle (*info_description)(lsl_handle info);
    lsl_handle (*info_create)(const char *name, const char *type, int channels, double rate, int format,
                              const char *source);
    lsl_handle (*outlet_create)(lsl_handle info, int chunk, int seconds_kept);
    void (*outlet_destroy)(lsl_handle outlet);
    int (*push)(lsl_handle outlet, const double *sample, double stamp, int through);
    lsl_handle (*child)(lsl_handle element, const char *name);
    lsl_handle (*next)(lsl_handle element, const char *name);
    const char *(*child_value)(lsl_handle element, const char *name);
    int (*is_empty)(lsl_handle element);
    lsl_handle (*append)(lsl_handle element, const char *name);
    lsl_handle (*append_value)(lsl_handle element, const char *name, const char *value);
} lsl_library;

/* Release 1.12 says of itself that it is 110. */
enum { VERSION_LEAST = 110, FORMAT_DOUBLE = 2, CHUNK_FRAMES = 512, LOST = -2 };
static const double seconds_kept = 360;

/* dlsym gives an object's pointer where a function's is meant; POSIX has them alike. */
static bool find(void *library, const char *name, void *place)
{
    void *symbol = dlsym(library, name);
    memcpy(place, &symbol, sizeof symbol);
    return symbol != NULL;
}

static congru_status fail_load(congru_context *context, const char *why)
{
    return congru_fail(context, CONGRU_ERROR_UNSUPPORTED,
                       "stream: cannot use liblsl: %s (install it, or name it in CONGRU_LSL)", why);
}

static const char *find_all(void *library, lsl_library *lsl)
{
    const struct {
        const char *name;
        void *place;
    } functions[] = {
        {"lsl_library_version", &lsl->version},
        {"lsl_resolve_byprop", &lsl->resolve},
        {"lsl_create_inlet", &lsl->inlet_create},
        {"lsl_destroy_inlet", &lsl->inlet_destroy},
        {"lsl_open_stream", &lsl->inlet_open},
        {"lsl_get_fullinfo", &lsl->inlet_info},
        {"lsl_pull_sample_f", &lsl->pull_sample},
        {"lsl_pull_chunk_f", &lsl->pull_chunk},
        {"lsl_pull_sample_str", &lsl->pull_text},
        {"lsl_destroy_string", &lsl->text_destroy},
        {"lsl_time_correction", &lsl->correction},
        {"lsl_destroy_streaminfo", &lsl->info_destroy},
        {"lsl_get_channel_count", &lsl->info_channels},
        {"lsl_get_nominal_srate", &lsl->info_rate},
        {"lsl_get_desc", &lsl->info_description},
        {"lsl_create_streaminfo", &lsl->info_create},
        {"lsl_create_outlet", &lsl->outlet_create},
        {"lsl_destroy_outlet", &lsl->outlet_destroy},
        {"lsl_push_sample_dtp", &lsl->push},
        {"lsl_child", &lsl->child},
        {"lsl_next_sibling_n", &lsl->next},
        {"lsl_child_value_n", &lsl->child_value},
        {"lsl_empty", &lsl->is_empty},
        {"lsl_append_child", &lsl->append},
        {"lsl_append_child_value", &lsl->append_value},
    };
    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++)
        if (!find(library, functions[i].name, functions[i].place))
            return functions[i].name;
    return NULL;
}

/* Loads it; it stays until the program ends, as its threads do. */
static congru_status load(congru_context *context, lsl_library *lsl)
{
    static const char *const names[] = {"liblsl.so", "liblsl.so.2", "liblsl64.so", NULL};
    const char *named = getenv("CONGRU_LSL");
    void *library = NULL;
    if (named != NULL && named[0] != '\0')
        library = dlopen(named, RTLD_NOW);
    for (size_t i = 0; named == NULL && library == NULL && names[i] != NULL; i++)
        library = dlopen(names[i], RTLD_NOW);
    if (library == NULL)
        return fail_load(context, named != NULL ? dlerror() : "there is no liblsl.so");
    const char *missing = find_all(library, lsl);
    if (missing != NULL || lsl->version() < VERSION_LEAST)
        return fail_load(context,
                         missing != NULL ? "it is older than 1.12, or not liblsl" : "it is older than 1.12");
    return CONGRU_OK;
}

/* ---- Samples in ------------------------------------------------------------------------------------------------- */

/* A stream that somebody offers. */
typedef struct lsl_source {
    lsl_handle info, full, inlet;
    size_t channels;
} lsl_source;

typedef struct lsl_inlet {
    lsl_library lsl;
    lsl_source samples, markers;
    const char **name; /* (samples.channels) into the description, or NULL when it names none */
    float *floats;     /* frames as they come, */
    double *frames;    /* and as they are pushed */
    double *stamps;
    char **texts; /* (markers.channels) */
} lsl_inlet;

/* Says that it waits, when the stream is not there at once. */
static congru_status resolve(const lsl_inlet *in, const congru_stream_settings *settings, const char *name,
                             lsl_source *source)
{
    double end = congru_stream_clock() + settings->options.lsl_wait;
    int found = 0;
    for (bool said = false; found == 0 && !congru_stream_stopped(settings) && congru_stream_clock() < end;
         said = true) {
        double left = end - congru_stream_clock();
        found = in->lsl.resolve(&source->info, 1, "name", name, 1, left < 1 ? left : 1.0);
        if (found == 0 && !said && !congru_stream_stopped(settings) && congru_stream_clock() < end)
            congru_stream_warn(
                settings, "stream: there is no LSL stream '%s' yet: waiting for it, %g s at most (--lsl-wait)",
                name, settings->options.lsl_wait);
    }
    if (!congru_stream_stopped(settings) && found <= 0)
        return congru_fail(settings->context, CONGRU_ERROR_IO,
                           "stream: there is no LSL stream '%s' (waited %g s; see --lsl-wait)", name,
                           settings->options.lsl_wait);
    return CONGRU_OK;
}

static congru_status open_source(const lsl_inlet *in, const congru_stream_settings *settings, const char *name,
                                 lsl_source *source)
{
    int error = 0;
    congru_status status = resolve(in, settings, name, source);
    if (status != CONGRU_OK || congru_stream_stopped(settings))
        return status;
    source->inlet = in->lsl.inlet_create(source->info, (int)seconds_kept, 0, 0);
    if (source->inlet != NULL)
        source->full = in->lsl.inlet_info(source->inlet, 10, &error);
    if (source->full != NULL && error == 0)
        in->lsl.inlet_open(source->inlet, 10, &error);
    if (source->full == NULL || error != 0)
        return congru_fail(settings->context, CONGRU_ERROR_IO, "stream: the LSL stream '%s' does not answer",
                           name);
    int channels = in->lsl.info_channels(source->full);
    source->channels = channels > 0 && channels <= 65536 ? (size_t)channels : 0;
    return CONGRU_OK;
}

static void close_source(const lsl_inlet *in, lsl_source *source)
{
    if (source->inlet != NULL)
        in->lsl.inlet_destroy(source->inlet);
    if (source->full != NULL)
        in->lsl.info_destroy(source->full);
    if (source->info != NULL)
        in->lsl.info_destroy(source->info);
}

/* Labels of the channels, by the convention of LSL's description: channels/channel/label. */
static void read_names(lsl_inlet *in)
{
    const lsl_library *lsl = &in->lsl;
    lsl_handle channel = lsl->child(lsl->child(lsl->info_description(in->samples.full), "channels"), "channel");
    size_t count = 0;
    in->name = calloc(in->samples.channels, sizeof *in->name);
    for (; in->name != NULL && count < in->samples.channels && !lsl->is_empty(channel); count++) {
        in->name[count] = lsl->child_value(channel, "label");
        if (in->name[count] == NULL || in->name[count][0] == '\0')
            break;
        channel = lsl->next(channel, "channel");
    }
    if (count == in->samples.channels)
        return;
    free(in->name);
    in->name = NULL;
}

static congru_status start_decoder(lsl_inlet *in, congru_stream_sink *sink, const char *name)
{
    const congru_stream_settings *settings = sink->settings;
    congru_decoder_options options = settings->options.decoder;
    const size_t channels = in->samples.channels;
    double rate = in->lsl.info_rate(in->samples.full);
    if (channels > 0)
        read_names(in);
    options.sampling = rate > 0 ? rate : 0;
    if (options.channels == NULL && in->name != NULL) {
        options.channels = in->name;
        options.channel_count = channels;
    }
    char input[256];
    snprintf(input, sizeof input, "LSL stream '%.200s'", name);
    CONGRU_TRY(congru_stream_start(sink, &options, input));
    if (congru_decoder_channels(sink->decoder) != channels)
        return congru_fail(settings->context, CONGRU_ERROR_ARGUMENT,
                           "LSL stream '%s': %s, expected %zu (name them with --channels)", name,
                           congru_count(channels, "channel").text, congru_decoder_channels(sink->decoder));
    in->floats = calloc(CHUNK_FRAMES * channels, sizeof *in->floats);
    in->frames = calloc(CHUNK_FRAMES * channels, sizeof *in->frames);
    in->stamps = calloc(CHUNK_FRAMES, sizeof *in->stamps);
    in->texts = calloc(in->markers.channels + 1, sizeof *in->texts);
    return in->floats != NULL && in->frames != NULL && in->stamps != NULL && in->texts != NULL
               ? CONGRU_OK
               : congru_fail(settings->context, CONGRU_ERROR_MEMORY, "stream: not enough memory");
}

/* Seconds from the clock of the markers to that of the samples, which may be of another machine. */
static double clock_difference(const lsl_inlet *in)
{
    int error[2] = {0, 0};
    double markers = in->lsl.correction(in->markers.inlet, 1.0, &error[0]),
           samples = in->lsl.correction(in->samples.inlet, 1.0, &error[1]);
    return error[0] == 0 && error[1] == 0 ? markers - samples : 0;
}

/* Takes the markers that are there. A stream of markers that ends leaves the samples alone. */
static congru_status pull_markers(lsl_inlet *in, congru_stream_sink *sink)
{
    congru_status status = CONGRU_OK;
    int error = 0;
    while (in->markers.inlet != NULL && status == CONGRU_OK) {
        double stamp = in->lsl.pull_text(in->markers.inlet, in->texts, (int)in->markers.channels, 0.0, &error);
        if (stamp == 0 || error != 0)
            break;
        status = congru_stream_mark(sink, in->texts[0], stamp + clock_difference(in), (double)NAN);
        for (size_t i = 0; i < in->markers.channels; i++)
            in->lsl.text_destroy(in->texts[i]);
    }
    return status;
}

/* Waits for one frame, and takes with it those that are there already. */
static congru_status pull(lsl_inlet *in, congru_stream_sink *sink)
{
    const lsl_library *lsl = &in->lsl;
    const size_t channels = in->samples.channels;
    congru_status status = CONGRU_OK;
    int error = 0;
    while (status == CONGRU_OK && error == 0 && !congru_stream_stopped(sink->settings)) {
        double stamp = lsl->pull_sample(in->samples.inlet, in->floats, (int)channels, 0.2, &error);
        if (stamp == 0 || error != 0)
            continue;
        in->stamps[0] = stamp;
        unsigned long more = lsl->pull_chunk(in->samples.inlet, in->floats + channels, in->stamps + 1,
                                             (CHUNK_FRAMES - 1) * channels, CHUNK_FRAMES - 1, 0.0, &error);
        for (size_t i = 0; i < channels + more; i++)
            in->frames[i] = in->floats[i];
        status = pull_markers(in, sink);
        if (status == CONGRU_OK)
            status = congru_stream_push(sink, 1 + more / channels, in->frames, in->stamps);
    }
    if (status == CONGRU_OK && error != 0 && error != LOST)
        return congru_fail(sink->settings->context, CONGRU_ERROR_IO,
                           "stream: the LSL stream failed with error %d", error);
    return status == CONGRU_OK ? congru_stream_drop_markers(sink, "the stream has ended") : status;
}

static congru_status open_and_pull(lsl_inlet *in, congru_stream_sink *sink, const char *name)
{
    const congru_stream_settings *settings = sink->settings;
    const char *markers = settings->options.lsl_markers;
    congru_status status = open_source(in, settings, name, &in->samples);
    if (status == CONGRU_OK && markers != NULL && !congru_stream_stopped(settings)) {
        status = open_source(in, settings, markers, &in->markers);
        if (status == CONGRU_OK && in->markers.channels == 0 && !congru_stream_stopped(settings))
            status = congru_fail(settings->context, CONGRU_ERROR_FORMAT, "LSL stream '%s': has no channels",
                                 markers);
    }
    if (status == CONGRU_OK && !congru_stream_stopped(settings))
        status = start_decoder(in, sink, name);
    if (status == CONGRU_OK && !congru_stream_stopped(settings))
        status = pull(in, sink);
    return status;
}

congru_status congru_stream_read_lsl(congru_stream_sink *sink, const char *name)
{
    lsl_inlet in = {.name = NULL};
    CONGRU_TRY(load(sink->settings->context, &in.lsl));
    congru_status status = open_and_pull(&in, sink, name);
    close_source(&in, &in.samples);
    close_source(&in, &in.markers);
    free(in.name);
    free(in.floats);
    free(in.frames);
    free(in.stamps);
    free(in.texts);
    return status;
}

/* ---- Decisions out ---------------------------------------------------------------------------------------------- */

struct congru_lsl_outlet {
    lsl_library lsl;
    lsl_handle outlet;
    size_t classes;
    double *sample; /* (classes) */
};

static congru_status offer(const congru_stream_settings *settings, struct congru_lsl_outlet *made)
{
    const lsl_library *lsl = &made->lsl;
    CONGRU_TRY(load(settings->context, &made->lsl));
    made->classes = congru_model_classes(settings->model);
    made->sample = calloc(made->classes, sizeof *made->sample);
    lsl_handle info = lsl->info_create(settings->options.lsl_out, "probability", (int)made->classes, 0.0,
                                       FORMAT_DOUBLE, "congru");
    if (info != NULL) {
        lsl_handle channels = lsl->append(lsl->info_description(info), "channels");
        for (size_t k = 0; k < made->classes; k++)
            lsl->append_value(lsl->append(channels, "channel"), "label",
                              congru_model_class(settings->model, k));
        made->outlet = lsl->outlet_create(info, 0, (int)seconds_kept);
        lsl->info_destroy(info);
    }
    return made->outlet != NULL && made->sample != NULL
               ? CONGRU_OK
               : congru_fail(settings->context, CONGRU_ERROR_IO, "stream: cannot offer the LSL stream '%s'",
                             settings->options.lsl_out);
}

congru_status congru_stream_outlet_open(const congru_stream_settings *settings,
                                        struct congru_lsl_outlet **outlet)
{
    *outlet = calloc(1, sizeof **outlet);
    if (*outlet == NULL)
        return congru_fail(settings->context, CONGRU_ERROR_MEMORY, "stream: not enough memory");
    congru_status status = offer(settings, *outlet);
    if (status != CONGRU_OK)
        congru_stream_outlet_close(outlet);
    return status;
}

/* Without a prediction all are NaN. Without a stamp, LSL takes the time it is. */
void congru_stream_outlet_push(struct congru_lsl_outlet *outlet, const congru_decision *decision, double stamp)
{
    for (size_t k = 0; k < outlet->classes; k++)
        outlet->sample[k] = decision->prediction >= 0 ? decision->probability[k] : (double)NAN;
    outlet->lsl.push(outlet->outlet, outlet->sample, isnan(stamp) ? 0.0 : stamp, 1);
}

void congru_stream_outlet_close(struct congru_lsl_outlet **outlet)
{
    if (*outlet == NULL)
        return;
    if ((*outlet)->outlet != NULL)
        (*outlet)->lsl.outlet_destroy((*outlet)->outlet);
    free((*outlet)->sample);
    free(*outlet);
    *outlet = NULL;
}
