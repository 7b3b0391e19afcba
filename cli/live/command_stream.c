/* congru stream: decisions while samples come. SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "commands.h"
#include "congru/congru.h"
#include "options.h"
#include "session.h"
#include "set_load.h"
#include "terminal.h"

static const option options[] = {
    {"rate", '\0', "HZ",
     "Decisions per second, from the first full window on; 0: only when a marker asks for one. Default: 4, or "
     "0 with --lsl-markers."},
    {"input", '\0', "KIND",
     "What FILE holds: 'float32' or 'float64' (frames of little-endian floats), 'csv' (a frame to a "
     "line, commas, semicolons or tabs between numbers, a first line of names if there is one, commands behind '!'), 'packets' (frames and "
     "commands as above), 'edf' (a recording of any format that 'congru import' reads). With "
     "--listen, how clients send that do not say it themselves. Default: edf for a recording, else "
     "float32."},
    {"channels", '\0', "A,B,...",
     "The channels of the frames, in order; those the model does not know are passed over. "
     "Default: the model's."},
    {"scale", '\0', "NUMBER", "Makes microvolts of the samples: 1e6 for volts. Default: 1."},
    {"window", '\0', "SECONDS", "Default: as long as the model's trials."},
    {"adapt", '\0', "WHEN",
     "When the reference moves to the subject at hand: with stretches of time, 'windows', after "
     "'decisions', 'never', or before each decision with its own trial, 'trials', which with "
     "--prior-weight 0 is --target online of 'congru predict'. Default: windows; for models that "
     "need cues these are decisions."},
    {"adapt-every", '\0', "SECONDS", "The length of those stretches. Default: one window."},
    {"prior-weight", '\0', "N",
     "For how many windows the subjects the model was fitted on count at first. Default: 4."},
    {"memory", '\0', "N", "How many windows are remembered at most; 0: all. Default: 100."},
    {"state", '\0', "FILE",
     "Begin with what was learned of the subject before, where FILE is there, and keep in it what is learned "
     "now. With --listen a folder, with a file for each name that clients give as 'session=NAME'."},
    {"rest", '\0', "FILE",
     "Begin with a recording of the subject at rest: the reference moves to it, window by window, before the "
     "first decision."},
    {"realtime", '\0', NULL, "Play a file as fast as it was recorded."},
    {"listen", '\0', "ADDR:PORT",
     "Serve clients over TCP, each a subject of its own, instead of reading FILE; port 0 takes a "
     "free one and prints it."},
    {"allow-remote", '\0', NULL, "Let ADDR be another one than that of this machine alone."},
    {"clients", '\0', "N", "How many clients at a time. Default: 256."},
    {"idle", '\0', "SECONDS",
     "A client that for so long sends no whole frame or command and takes no whole line is let go. "
     "Default: 30."},
    {"speed", '\0', "N",
     "How many times faster than the model's rate a client's samples are taken. Default: 10."},
    {"log", '\0', "FILE",
     "With --listen: add a line of JSON to FILE for each client that connects, begins, ends, is let go or "
     "refused. A pipe need not have a reader."},
    {"lsl-in", '\0', "NAME", "Take samples from the LSL stream of this name."},
    {"lsl-markers", '\0', "NAME",
     "Decide about the markers of the LSL stream of this name, each when --marker-after has "
     "passed since its time stamp."},
    {"lsl-wait", '\0', "SECONDS", "How long to wait for LSL streams that are not there yet. Default: 30."},
    {"marker-after", '\0', "SECONDS",
     "How long after a marker its decision is due, unless it says so itself. Default: the end "
     "of the model's trials, counted from their cue."},
    {"events", '\0', "CODE=NAME,...",
     "Which events of a recording are cues, by code or text: each is a marker. Default: those that "
     "the model's trials came from, for models that need cues and with --rate 0; else none."},
    {"lsl-out", '\0', "NAME", "Offer the probabilities as an LSL stream of this name, too."},
};

static volatile sig_atomic_t stopped;

static void stop(int number)
{
    (void)number;
    stopped = 1;
}

/* ---- Lines ------------------------------------------------------------------------------------------------ */

static bool fail_output(void)
{
    if (errno != EPIPE)
        terminal_fail(EXIT_FAILED, "standard output: cannot write: %s", strerror(errno));
    return false;
}

static bool print_line(void *user, const char *line, size_t size)
{
    (void)user;
    return (fwrite(line, 1, size, stdout) == size && fflush(stdout) == 0) || fail_output();
}

static bool print_address(void *user, const char *address, int port)
{
    (void)user;
    const bool six = strchr(address, ':') != NULL;
    printf("{\"listening\":\"%s%s%s:%d\"}\n", six ? "[" : "", address, six ? "]" : "", port);
    return fflush(stdout) == 0 || fail_output();
}

static void print_warning(void *user, const char *text)
{
    (void)user;
    terminal_warn("%s", text);
}

/* ---- Options ---------------------------------------------------------------------------------------------- */

static int parse_decoder(const arguments *parsed, congru_stream_options *settings, text_list *channels)
{
    static const char *const adaptations[] = {"windows", "decisions", "never", "trials", NULL};
    congru_decoder_options *d = &settings->decoder;
    size_t choice = 0;
    const struct {
        const char *name;
        double *number, least, most;
    } numbers[] = {
        {"rate", &d->rate, 0, 100000},
        {"scale", &d->scale, 1e-12, 1e12},
        {"window", &d->window, 0, 3600},
        {"adapt-every", &d->adapt_every, 0, 1e6},
        {"prior-weight", &d->prior_weight, 0, 1e9},
        {"memory", &d->memory, 0, 1e9},
        {"idle", &settings->idle, 0.1, 86400},
        {"speed", &settings->speed, 1, 100000},
        {"lsl-wait", &settings->lsl_wait, 0.1, 86400},
    };
    int code = EXIT_DONE;
    d->rate = options_given(parsed, "lsl-markers") ? 0 : d->rate;
    for (size_t i = 0; code == EXIT_DONE && i < sizeof numbers / sizeof numbers[0]; i++)
        code = options_number(parsed, numbers[i].name, *numbers[i].number, numbers[i].least, numbers[i].most,
                              numbers[i].number);
    if (code == EXIT_DONE)
        code = options_choice(parsed, "adapt", adaptations, &choice);
    d->adaptation = (congru_adaptation)choice;
    if (code == EXIT_DONE && options_given(parsed, "marker-after"))
        code = options_number(parsed, "marker-after", 0, 0, 3600, &settings->marker_after);
    if (code == EXIT_DONE && options_given(parsed, "channels")) {
        code = options_words(parsed, "channels", channels);
        d->channels = (const char *const *)channels->item;
        d->channel_count = channels->count;
    }
    return code;
}

/* "127.0.0.1:5000": only this machine, unless told otherwise. */
static int parse_listen(const arguments *parsed, congru_stream_options *settings, char address[64])
{
    const char *text = options_value(parsed, "listen"), *colon = text != NULL ? strrchr(text, ':') : NULL;
    if (text == NULL)
        return EXIT_DONE;
    if (colon == NULL || colon == text || colon - text >= 64)
        return terminal_fail(EXIT_USAGE, "stream: --listen wants ADDR:PORT, such as 127.0.0.1:5000, not '%s'",
                             text);
    const bool brackets = text[0] == '[' && colon[-1] == ']';
    snprintf(address, 64, "%.*s", (int)(colon - text) - 2 * brackets, text + brackets);
    if (strcmp(address, "localhost") ==
        0) /* which is this machine whatever its files of names say (RFC 6761) */
        strcpy(address, "127.0.0.1");
    settings->address = address;
    struct in6_addr number;
    const bool six = strchr(address, ':') != NULL,
               is_number = inet_pton(six ? AF_INET6 : AF_INET, address, &number) == 1;
    const bool here = six ? is_number && IN6_IS_ADDR_LOOPBACK(&number) : strncmp(address, "127.", 4) == 0;
    if (!is_number || six != brackets)
        return terminal_fail(
            EXIT_USAGE, "stream: --listen wants an address such as 127.0.0.1, [::1] or localhost, not '%s'",
            address);
    if (!here && !options_given(parsed, "allow-remote"))
        return terminal_fail(
            EXIT_USAGE, "stream: --listen %s is open to other machines (say --allow-remote if that is meant)",
            address);
    return options_parse_integer("stream: --listen: the port", colon + 1, 0, 65535, &settings->port);
}

static int check_ways(const arguments *parsed)
{
    int ways =
        (options_given(parsed, "listen")) + (options_given(parsed, "lsl-in")) + (parsed->operand_count > 1);
    if (parsed->operand_count == 0)
        return terminal_fail(EXIT_USAGE, "stream: the model is missing (see 'congru help stream')");
    if (parsed->operand_count > 2)
        return terminal_fail(EXIT_USAGE, "stream: one file at a time");
    if (ways > 1)
        return terminal_fail(EXIT_USAGE, "stream: samples come from FILE, --listen or --lsl-in: one of them");
    if (options_given(parsed, "listen") && options_given(parsed, "lsl-out"))
        return terminal_fail(EXIT_USAGE, "stream: --lsl-out is for one stream, not for --listen");
    if (options_given(parsed, "listen") && options_given(parsed, "realtime"))
        return terminal_fail(EXIT_USAGE, "stream: --realtime is for a file, not for --listen");
    if (options_given(parsed, "listen") && options_given(parsed, "rest"))
        return terminal_fail(EXIT_USAGE, "stream: --rest is of one subject, not for --listen");
    if (!options_given(parsed, "listen") && options_given(parsed, "log"))
        return terminal_fail(EXIT_USAGE, "stream: --log is for --listen");
    if (!options_given(parsed, "lsl-in") && options_given(parsed, "lsl-markers"))
        return terminal_fail(EXIT_USAGE, "stream: --lsl-markers needs --lsl-in NAME, whose clock they go by");
    if (options_given(parsed, "lsl-in") && options_given(parsed, "input"))
        return terminal_fail(EXIT_USAGE, "stream: --input is for FILE or --listen, not for --lsl-in");
    return EXIT_DONE;
}

/* --input, or what FILE looks like. */
static int parse_format(const arguments *parsed, congru_stream_format *format)
{
    static const char *const kinds[] = {"float32", "float64", "csv", "packets", "edf", NULL}; /* in its order */
    const char *path = parsed->operand_count > 1 ? parsed->operands[1] : NULL;
    size_t choice = 0;
    *format = options_given(parsed, "lsl-in")                     ? CONGRU_STREAM_LSL
              : path != NULL && congru_recording_recognises(path) ? CONGRU_STREAM_RECORDING
                                                                  : CONGRU_STREAM_FLOAT32;
    if (!options_given(parsed, "input"))
        return EXIT_DONE;
    int code = options_choice(parsed, "input", kinds, &choice);
    *format = (congru_stream_format)choice;
    if (code == EXIT_DONE && options_given(parsed, "listen") && *format == CONGRU_STREAM_RECORDING)
        code = terminal_fail(EXIT_USAGE, "stream: --input edf is for a file: clients send float32, float64, "
                                         "csv or packets");
    return code;
}

/* What makes no sense of one input: clients and LSL have markers of their own. */
static int check_input(const congru_stream_options *settings, const congru_model *model, const char *input)
{
    const bool cues = congru_model_needs_cues(model);
    if (settings->decoder.rate <= 0 && settings->format <= CONGRU_STREAM_FLOAT64)
        return terminal_fail(EXIT_USAGE,
                             "stream: %s decides about markers alone, which come with recordings, --listen, "
                             "--lsl-markers, --input csv or packets",
                             cues ? "the model" : "--rate 0");
    if (settings->events != NULL && settings->format < CONGRU_STREAM_RECORDING)
        return terminal_fail(EXIT_USAGE, "stream: --events is for a recording");
    if (settings->format == CONGRU_STREAM_RECORDING && strcmp(input, "-") == 0)
        return terminal_fail(EXIT_USAGE, "stream: --input edf needs a file, not standard input");
    return EXIT_DONE;
}

/* Zero phase takes samples from the future. Forward alone, the same filters cut less sharply and come late. The trial of a
 * cue is there as a whole, so that its own filters may look ahead in it: its decision waits for its end. */
static void warn_of_filters(const char *path, const congru_model *model)
{
    const congru_preprocessing *p = congru_model_preprocessing(model);
    const bool of_set = p->known && !p->causal && !p->fir && (p->band[1] > 0 || p->notch > 0);
    if (of_set)
        terminal_warn(
            "%s: trained on signals filtered with zero phase, which a stream cannot be: here the filters "
            "run forward only, and decisions may be worse (import with --causal and train on that)",
            path);
    else if (!congru_model_is_causal(model) && congru_model_needs_cues(model))
        terminal_warn(
            "%s: trained with filters of zero phase: a decision comes when the whole trial has (train "
            "with --causal for earlier ones)",
            path);
    else if (!congru_model_is_causal(model))
        terminal_warn("%s: trained with filters of zero phase, which a stream cannot be: decisions between "
                      "markers may be worse, and those about markers come when the whole trial has (train with "
                      "--causal)",
                      path);
}

/* Models that need cues decide about nothing else. */
static int settle_rate(const arguments *parsed, const congru_model *model, congru_stream_options *settings)
{
    if (!congru_model_needs_cues(model))
        return EXIT_DONE;
    if (options_given(parsed, "rate") && settings->decoder.rate > 0)
        return terminal_fail(EXIT_USAGE,
                             "stream: %s reads the signal after a cue, and decides about markers alone (leave "
                             "out --rate)",
                             congru_model_pipeline(model));
    settings->decoder.rate = 0;
    return EXIT_DONE;
}

/* ---- Running ---------------------------------------------------------------------------------------------- */

static int start(const arguments *parsed, congru_context *context, const congru_model *model,
                 congru_stream_options *settings)
{
    const char *input = options_given(parsed, "lsl-in") ? options_value(parsed, "lsl-in")
                        : parsed->operand_count > 1     ? parsed->operands[1]
                                                        : "-";
    const bool serves = options_given(parsed, "listen");
    struct sigaction action = {.sa_handler = stop};
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    int code = parse_format(parsed, &settings->format);
    if (code == EXIT_DONE && !serves)
        code = check_input(settings, model, input);
    if (code != EXIT_DONE)
        return code;
    congru_status status = serves ? congru_stream_serve(context, model, settings)
                                  : congru_stream_run(context, model, input, settings);
    if (status == CONGRU_OK)
        return EXIT_DONE;
    /* Where a line was not taken, that has been said. */
    return status == CONGRU_ERROR_CANCELLED ? EXIT_FAILED
                                            : terminal_fail(EXIT_FAILED, "%s", congru_context_error(context));
}

/* FILE that is of another kind is told for what it is: its bytes would be taken for frames of numbers. */
static int check_file(const arguments *parsed, congru_context *context)
{
    const char *model = parsed->operands[0], *path = parsed->operand_count > 1 ? parsed->operands[1] : "-";
    congru_file_kind kind, first;
    struct stat about;
    if (strcmp(path, "-") == 0 || options_given(parsed, "input") || stat(path, &about) != 0 ||
        !S_ISREG(about.st_mode) || congru_file_kind_of(context, path, &kind) != CONGRU_OK)
        return EXIT_DONE; /* pipes are not looked into; a file that cannot be opened is told of where it is read */
    if (kind == CONGRU_FILE_MODEL && congru_file_kind_of(context, model, &first) == CONGRU_OK &&
        first != CONGRU_FILE_MODEL)
        return terminal_fail(EXIT_FAILED, "%s: the model comes first ('congru stream %s %s')", model, path,
                             model);
    const char *what = kind == CONGRU_FILE_MODEL                               ? "a model"
                       : kind == CONGRU_FILE_SET || kind == CONGRU_FILE_TRIALS ? "a set of trials"
                       : kind == CONGRU_FILE_ARRAY                             ? "a NumPy array"
                                                                               : NULL;
    if (what == NULL)
        return EXIT_DONE;
    return terminal_fail(EXIT_FAILED, "%s: %s, where a recording or bare frames are needed (%s)", path, what,
                         kind == CONGRU_FILE_ARRAY   ? "numpy.ndarray.tofile writes frames of float32"
                         : kind == CONGRU_FILE_MODEL ? "one model at a time"
                                                     : "'congru predict' asks a model about trials");
}

static int load_and_start(const arguments *parsed, congru_stream_options *settings)
{
    const char *path = parsed->operands[0];
    congru_context *context = NULL;
    congru_model *model = NULL;
    int code = session_open(1, &context);
    if (code == EXIT_DONE)
        code = check_file(parsed, context);
    if (code == EXIT_DONE)
        code = model_load(context, path, &model);
    if (code == EXIT_DONE)
        code = settle_rate(parsed, model, settings);
    if (code == EXIT_DONE) {
        warn_of_filters(path, model);
        code = start(parsed, context, model, settings);
    }
    congru_model_destroy(&model);
    congru_context_destroy(&context);
    return code;
}

static int run(const arguments *parsed)
{
    congru_stream_options settings;
    text_list channels = {0};
    char address[64];
    congru_stream_options_init(&settings);
    settings.stop = &stopped;
    settings.line = print_line;
    settings.warn = print_warning;
    settings.listening = print_address;
    settings.realtime = options_given(parsed, "realtime");
    settings.lsl_out = options_value(parsed, "lsl-out");
    settings.lsl_markers = options_value(parsed, "lsl-markers");
    settings.events = options_value(parsed, "events");
    settings.state = options_value(parsed, "state");
    settings.rest = options_value(parsed, "rest");
    settings.log = options_value(parsed, "log");
    int code = check_ways(parsed);
    if (code == EXIT_DONE)
        code = parse_decoder(parsed, &settings, &channels);
    if (code == EXIT_DONE)
        code = options_integer(parsed, "clients", settings.clients, 1, CONGRU_STREAM_CLIENTS_MAX,
                               &settings.clients);
    if (code == EXIT_DONE)
        code = parse_listen(parsed, &settings, address);
    if (code == EXIT_DONE)
        code = load_and_start(parsed, &settings);
    text_list_clear(&channels);
    return code;
}

static const char *const examples[] = {
    "congru stream model.safetensors S001R04.edf",
    "acquire | congru stream model.safetensors --channels C3,Cz,C4 --rate 10",
    "congru stream model.safetensors --listen 127.0.0.1:5000",
    "congru stream model.safetensors S001R04.edf --rest S001R02.edf --state S001.state",
    "congru stream model.safetensors --lsl-in EEG --lsl-out decisions",
    NULL,
};

/* The whole of it is docs/protocol.md. */
static definition protocol(size_t index)
{
    static const definition parts[] = {
        {"first line", "The client begins: 'congru/1', then, if it wants, 'channels=A,B,...', 'rate=HZ' and "
                       "'format=float32', float64, csv or packets, 'session=NAME'; a newline ends it."},
        {"greeting",
         "The server answers with a line of JSON: its version, the pipeline, channels, rate, window "
         "in samples, protocol, classes, channel_names, commands; or {\"error\":...} and the end."},
        {"samples",
         "Frames of one number for each channel, binary and little-endian, or lines of CSV. In the format "
         "packets, each packet is four letters, FL32, FL64 or TEXT, the number of bytes that follow as "
         "32 bits, and these: whole frames, or a command."},
        {"commands",
         "In a packet TEXT, or in a line of CSV behind '!': 'decide [name=N]' asks about the window that "
         "ends now; 'marker [name=N] [sample=K] [after=S]' tells of a cue at frame K, now if there is "
         "none, and asks S seconds after it; 'reset' begins anew; 'scale factor=F'."},
        {"answers",
         "A line of JSON for each decision: sample, time, class, p; for a marker also marker and cue. "
         "Without a prediction \"class\" is null, and \"reason\" says why. 'reset' and 'scale' are answered by "
         "{\"done\":...}. An error is told in {\"error\":...}, the last line."},
        {"end", "A client that has sent all shuts its side down, and reads until the server closes. "
                "docs/protocol.md of the source has all of it."},
        {NULL, NULL},
    };
    return parts[index];
}

const command command_stream = {
    .name = "stream",
    .summary = "Decide while samples come: files, pipes, TCP, LSL",
    .usage = "MODEL [FILE] [OPTION...]",
    .description =
        "Filters samples as they come, keeps the covariances of the last windows, and asks a model about them "
        "several times a second: one line of JSON for each decision. Models of the signal after a cue (slow, "
        "motor+slow, shallow, ...) decide about markers instead: LSL markers, commands, events of a "
        "recording. The subject need not be known: the "
        "reference begins as that of the subjects the model was fitted on and moves to their own, without "
        "labels. Filters run forward only: a model for streams is trained on a set that was imported with "
        "--causal, and there is a warning about any other. Samples come from FILE, from standard input, from "
        "clients over TCP, or from the Lab "
        "Streaming Layer (liblsl 1.12 or later, named by the environment's CONGRU_LSL where it is not found).",
    .definitions = &(const definition_list){"Protocol of --listen", protocol},
    .options = {OPTION_ROWS(options)},
    .examples = examples,
    .run = run,
};
