/* congru stream: decisions while samples come. SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "session.h"
#include "stream_settings.h"
#include "terminal.h"

enum {
    RATE,
    INPUT,
    CHANNELS,
    SCALE,
    WINDOW,
    ADAPT,
    ADAPT_EVERY,
    PRIOR_WEIGHT,
    MEMORY,
    REALTIME,
    LISTEN,
    ANYWHERE,
    CLIENTS,
    IDLE,
    SPEED,
    LSL_IN,
    LSL_OUT,
    OPTIONS
};

static const option options[OPTIONS] = {
    [RATE] = {"rate", '\0', "HZ", "Decisions per second, from the first full window on. Default: 4."},
    [INPUT] = {"input", '\0', "KIND",
               "What FILE holds: 'float32' (frames of 32-bit little-endian floats), 'csv' (a frame to a line, "
               "a first line of names if there is one), 'edf' (a recording of any format that 'congru import' "
               "reads). Default: edf for a recording, else float32."},
    [CHANNELS] = {"channels", '\0', "A,B,...",
                  "The channels of the frames, in order; those the model does not know are passed over. "
                  "Default: the model's."},
    [SCALE] = {"scale", '\0', "NUMBER", "Makes microvolts of the samples: 1e6 for volts. Default: 1."},
    [WINDOW] = {"window", '\0', "SECONDS", "Default: as long as the model's trials."},
    [ADAPT] = {"adapt", '\0', "WHEN",
               "When the reference moves to the person at hand: with stretches of time, 'windows', after "
               "'decisions', or 'never'. Default: windows."},
    [ADAPT_EVERY] = {"adapt-every", '\0', "SECONDS", "The length of those stretches. Default: one window."},
    [PRIOR_WEIGHT] = {"prior-weight", '\0', "N",
                      "For how many windows the people the model was fitted on count at first. Default: 4."},
    [MEMORY] = {"memory", '\0', "N", "How many windows are remembered at most; 0: all. Default: 100."},
    [REALTIME] = {"realtime", '\0', NULL, "Play a file as fast as it was recorded."},
    [LISTEN] = {"listen", '\0', "ADDR:PORT",
                "Serve clients over TCP, each a person of its own, instead of reading FILE; port 0 takes a "
                "free one and prints it."},
    [ANYWHERE] = {"allow-remote", '\0', NULL, "Let ADDR be another one than that of this machine alone."},
    [CLIENTS] = {"clients", '\0', "N", "How many clients at a time. Default: 256."},
    [IDLE] = {"idle", '\0', "SECONDS",
              "A client that neither sends nor takes anything for so long is let go. Default: 30."},
    [SPEED] = {"speed", '\0', "N",
               "How many times faster than the model's rate a client's samples are taken. Default: 10."},
    [LSL_IN] = {"lsl-in", '\0', "NAME", "Take samples from the LSL stream of this name."},
    [LSL_OUT] = {"lsl-out", '\0', "NAME", "Offer the probabilities as an LSL stream of this name, too."},
};

static void stop(int number)
{
    (void)number;
    stream_stopped = 1;
}

static int parse_decoder(const arguments *parsed, stream_settings *settings)
{
    static const char *const adaptations[] = {"windows", "decisions", "never", NULL};
    congru_decoder_options *d = &settings->decoder;
    size_t choice = 0;
    const struct {
        size_t place;
        double *number, least, most;
    } numbers[] = {
        {RATE, &d->rate, 0.001, 100000},
        {SCALE, &d->scale, 1e-12, 1e12},
        {WINDOW, &d->window, 0, 3600},
        {ADAPT_EVERY, &d->adapt_every, 0, 1e6},
        {PRIOR_WEIGHT, &d->prior_weight, 0, 1e9},
        {MEMORY, &d->memory, 0, 1e9},
        {IDLE, &settings->idle, 0.1, 86400},
        {SPEED, &settings->speed, 1, 100000},
    };
    int code = EXIT_DONE;
    congru_decoder_options_init(d);
    for (size_t i = 0; code == EXIT_DONE && i < sizeof numbers / sizeof numbers[0]; i++)
        code = options_number(parsed, numbers[i].place, *numbers[i].number, numbers[i].least, numbers[i].most,
                              numbers[i].number);
    if (code == EXIT_DONE && parsed->values[ADAPT] != NULL)
        code = options_parse_choice("stream: --adapt", parsed->values[ADAPT], adaptations, &choice);
    d->adaptation = (congru_adaptation)choice;
    if (code == EXIT_DONE && parsed->values[CHANNELS] != NULL) {
        code = text_list_split(&settings->channels, "stream: --channels", parsed->values[CHANNELS]);
        d->channels = (const char *const *)settings->channels.item;
        d->channel_count = settings->channels.count;
    }
    return code;
}

/* "127.0.0.1:5000": only this machine, unless told otherwise. */
static int parse_listen(const arguments *parsed, stream_settings *settings, char address[64])
{
    const char *text = parsed->values[LISTEN], *colon = text != NULL ? strrchr(text, ':') : NULL;
    if (text == NULL)
        return EXIT_DONE;
    if (colon == NULL || colon == text || colon - text >= 64)
        return terminal_fail(EXIT_USAGE, "stream: --listen wants ADDR:PORT, such as 127.0.0.1:5000, not '%s'",
                             text);
    memcpy(address, text, (size_t)(colon - text));
    address[colon - text] = '\0';
    settings->address = address;
    if (strncmp(address, "127.", 4) != 0 && parsed->values[ANYWHERE] == NULL)
        return terminal_fail(
            EXIT_USAGE, "stream: --listen %s is open to other machines (say --allow-remote if that is meant)",
            address);
    return options_parse_integer("stream: --listen: the port", colon + 1, 0, 65535, &settings->port);
}

static int check_ways(const arguments *parsed)
{
    const char *const *value = parsed->values;
    int ways = (value[LISTEN] != NULL) + (value[LSL_IN] != NULL) + (parsed->operand_count > 1);
    if (parsed->operand_count == 0)
        return terminal_fail(EXIT_USAGE, "stream: the model is missing (see 'congru help stream')");
    if (parsed->operand_count > 2)
        return terminal_fail(EXIT_USAGE, "stream: one file at a time");
    if (ways > 1)
        return terminal_fail(EXIT_USAGE, "stream: samples come from FILE, --listen or --lsl-in: one of them");
    if (value[LISTEN] != NULL && value[LSL_OUT] != NULL)
        return terminal_fail(EXIT_USAGE, "stream: --lsl-out is for one stream, not for --listen");
    return EXIT_DONE;
}

static int run_input(const arguments *parsed, stream_sink *sink)
{
    static const char *const kinds[] = {"float32", "csv", "edf", NULL};
    const char *path = parsed->operand_count > 1 ? parsed->operands[1] : NULL;
    size_t kind = path != NULL && congru_recording_recognises(path) ? 2 : 0;
    int code = EXIT_DONE;
    if (parsed->values[INPUT] != NULL)
        code = options_parse_choice("stream: --input", parsed->values[INPUT], kinds, &kind);
    if (code != EXIT_DONE)
        return code;
    return kind == 2   ? stream_recording(sink, path)
           : kind == 1 ? stream_csv(sink, path)
                       : stream_float32(sink, path);
}

/* Zero phase takes samples from the future. Forward alone, the same filters cut less sharply and come late. */
static void warn_of_filters(const char *path, const congru_model *model)
{
    const congru_preprocessing *p = congru_model_preprocessing(model);
    if (p->known && !p->causal && !p->fir && (p->band[1] > 0 || p->notch > 0))
        terminal_warn(
            "%s: trained on signals filtered with zero phase, which a stream cannot be: here the filters "
            "run forward only, and decisions may be worse (import with --causal and train on that)",
            path);
}

static int start(const arguments *parsed, stream_settings *settings)
{
    stream_sink sink = {.settings = settings};
    struct sigaction action = {.sa_handler = stop};
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    int code = settings->lsl_out != NULL ? stream_outlet_open(settings, &sink.outlet) : EXIT_DONE;
    if (code == EXIT_DONE && settings->address != NULL)
        code = stream_serve(settings);
    else if (code == EXIT_DONE && parsed->values[LSL_IN] != NULL)
        code = stream_lsl(&sink, parsed->values[LSL_IN]);
    else if (code == EXIT_DONE)
        code = run_input(parsed, &sink);
    stream_outlet_close(&sink.outlet);
    return code;
}

static int run(const arguments *parsed)
{
    stream_settings settings = {.idle = 30, .speed = 10, .realtime = parsed->values[REALTIME] != NULL};
    char address[64];
    int code = check_ways(parsed);
    if (code == EXIT_DONE)
        code = parse_decoder(parsed, &settings);
    if (code == EXIT_DONE)
        code = options_integer(parsed, CLIENTS, 256, 1, 1000, &settings.clients);
    if (code == EXIT_DONE)
        code = parse_listen(parsed, &settings, address);
    settings.lsl_out = parsed->values[LSL_OUT];
    if (code == EXIT_DONE)
        code = session_open(1, &settings.context);
    if (code == EXIT_DONE &&
        congru_model_load(settings.context, parsed->operands[0], &settings.model) != CONGRU_OK)
        code = terminal_fail(EXIT_FAILED, "%s", congru_context_error(settings.context));
    if (code == EXIT_DONE) {
        warn_of_filters(parsed->operands[0], settings.model);
        code = start(parsed, &settings);
    }
    text_list_clear(&settings.channels);
    congru_model_destroy(&settings.model);
    congru_context_destroy(&settings.context);
    return code;
}

static const char *const examples[] = {
    "congru stream model.safetensors S001R04.edf",
    "acquire | congru stream model.safetensors --channels C3,Cz,C4 --rate 10",
    "congru stream model.safetensors --listen 127.0.0.1:5000",
    "congru stream model.safetensors --lsl-in EEG --lsl-out decisions",
    NULL,
};

const command command_stream = {
    .name = "stream",
    .summary = "Decide while samples come: files, pipes, TCP, LSL",
    .usage = "MODEL [FILE] [OPTION...]",
    .description =
        "Filters samples as they come, keeps the covariance of the last window, and asks a model about it "
        "several times a second: one line of JSON for each decision. The person need not be known: the "
        "reference begins as that of the people the model was fitted on and moves to their own, without "
        "labels. Filters run forward only: a model for streams is trained on a set that was imported with "
        "--causal, and there is a warning about any other. Samples come from FILE, from standard input, from "
        "clients over TCP, or from the Lab "
        "Streaming Layer (liblsl 1.12 or later, named by the environment's CONGRU_LSL where it is not found).",
    .options = {.options = options, .count = OPTIONS},
    .examples = examples,
    .run = run,
};
