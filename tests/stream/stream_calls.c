/* Live decoding by the library: lines are those of a decoder, and callers end the calls. SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include <arpa/inet.h>
#include <math.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness.h"
#include "stream_samples.h"

static const stream_recipe recipe = {
    .subjects = 3, .trials = 8, .d = 4, .rate = 100, .estimator = "scm", .seed = 3};

static congru_context *context;
static congru_model *model;
static char path[] = "/tmp/congru_stream.XXXXXX";
static size_t samples;
static double *frames;

static volatile sig_atomic_t stopped;

/* What a call said, and how much of it is taken. */
typedef struct listener {
    char text[1 << 16];
    size_t size, lines, most;
} listener;

static bool take_line(void *user, const char *line, size_t size)
{
    listener *l = user;
    CHECK(size > 0 && line[size - 1] == '\n');
    if (l->lines == l->most || l->size + size >= sizeof l->text)
        return false;
    memcpy(l->text + l->size, line, size);
    l->size += size;
    l->lines++;
    return true;
}

static congru_stream_options options_for(listener *l)
{
    congru_stream_options options;
    congru_stream_options_init(&options);
    *l = (listener){.most = 10000};
    options.format = CONGRU_STREAM_FLOAT64;
    options.line = take_line;
    options.user = l;
    options.stop = &stopped;
    return options;
}

TEST(a_model_and_a_file_are_made)
{
    congru_model_options fit;
    stream_recording recording;
    congru_set *set = stream_set(context, &recipe);
    congru_model_options_init(&fit);
    fit.pipeline = "ra+mdm";
    CHECK(congru_model_fit(context, set, &fit, &model) == CONGRU_OK);
    congru_set_destroy(&set);
    stream_record(&recipe, 0, &recording);
    frames = stream_frames(&recording);
    samples = recording.samples;
    stream_recording_clear(&recording);
    int file = mkstemp(path);
    const size_t bytes = samples * recipe.d * sizeof *frames;
    CHECK(file >= 0 && write(file, frames, bytes) == (ssize_t)bytes);
    close(file);
}

/* How many decisions a decoder makes of the same frames, and the sum of what it says of the first class. */
static size_t decide(double *sum)
{
    congru_decoder *decoder = NULL;
    size_t count = 0;
    *sum = 0;
    CHECK(congru_decoder_create(context, model, NULL, &decoder) == CONGRU_OK);
    for (size_t at = 0, taken; at < samples; at += taken) {
        congru_decision decision;
        if (congru_decoder_push(decoder, samples - at, frames + at * recipe.d, &taken, &decision) != CONGRU_OK)
            break;
        count += decision.due;
        *sum += decision.due && decision.prediction >= 0 ? decision.probability[0] : 0;
    }
    congru_decoder_destroy(&decoder);
    return count;
}

static double sum_of_lines(const char *text)
{
    double sum = 0;
    for (const char *at = text; (at = strstr(at, "\"p\":{\"")) != NULL; at++)
        sum += strtod(strchr(at + 5, ':') + 1, NULL);
    return sum;
}

TEST(lines_are_those_of_a_decoder)
{
    static listener l;
    congru_stream_options options = options_for(&l);
    double sum;
    const size_t count = decide(&sum);
    congru_status status = congru_stream_run(context, model, path, &options);
    CHECK_SAYING(status == CONGRU_OK, "%s", congru_context_error(context));
    CHECK_SAYING(l.lines == count && count > 10, "%zu lines of %zu decisions", l.lines, count);
    CHECK_SAYING(sum_of_lines(l.text) == sum, "%.17g, not %.17g", sum_of_lines(l.text), sum);
}

TEST(callers_end_a_run)
{
    static listener l;
    congru_stream_options options = options_for(&l);
    l.most = 3;
    CHECK(congru_stream_run(context, model, path, &options) == CONGRU_ERROR_CANCELLED && l.lines == 3);
    options = options_for(&l);
    stopped = 1;
    CHECK(congru_stream_run(context, model, path, &options) == CONGRU_OK && l.lines == 0);
    stopped = 0;
}

TEST(mistakes_are_refused)
{
    static listener l;
    congru_stream_options options = options_for(&l);
    CHECK(congru_stream_run(context, model, "/nowhere/at/all", &options) == CONGRU_ERROR_IO);
    CHECK(strstr(congru_context_error(context), "/nowhere/at/all: cannot open") != NULL);
    options.line = NULL;
    CHECK(congru_stream_run(context, model, path, &options) == CONGRU_ERROR_ARGUMENT);
    options = options_for(&l);
    options.format = (congru_stream_format)99;
    CHECK(congru_stream_run(context, model, path, &options) == CONGRU_ERROR_ARGUMENT);
    CHECK(congru_stream_serve(context, model, &options) == CONGRU_ERROR_ARGUMENT);
    options = options_for(&l);
    options.lsl_markers = "m";
    CHECK(congru_stream_run(context, model, path, &options) == CONGRU_ERROR_ARGUMENT);
    options = options_for(&l);
    options.address = "nowhere";
    CHECK(congru_stream_serve(context, model, &options) == CONGRU_ERROR_ARGUMENT);
    options.address = "127.0.0.1";
    options.clients = 0;
    CHECK(congru_stream_serve(context, model, &options) == CONGRU_ERROR_ARGUMENT);
    options.clients = 1;
    options.idle = (double)NAN;
    CHECK(congru_stream_serve(context, model, &options) == CONGRU_ERROR_ARGUMENT);
}

/* ---- A server ------------------------------------------------------------------------------------------------ */

/* A client in a process of its own, whose end is a signal, and what it has heard. */
static pid_t client;
static FILE *heard;

static void stop(int number)
{
    (void)number;
    stopped = 1;
}

/* Sends all frames, and writes down all lines that come. */
static bool visit(int port)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    static const char first[] = "congru/1 format=float64\n";
    static char text[1 << 16];
    const char *bytes = (const char *)frames;
    const size_t size = samples * recipe.d * sizeof *frames;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int to = socket(AF_INET, SOCK_STREAM, 0);
    ssize_t n = 0;
    if (connect(to, (const struct sockaddr *)&address, sizeof address) != 0 ||
        send(to, first, sizeof first - 1, MSG_NOSIGNAL) != (ssize_t)sizeof first - 1)
        return false;
    for (size_t sent = 0; sent < size; sent += (size_t)n)
        if ((n = send(to, bytes + sent, size - sent, MSG_NOSIGNAL)) <= 0)
            return false;
    shutdown(to, SHUT_WR);
    while ((n = recv(to, text, sizeof text, 0)) > 0)
        fwrite(text, 1, (size_t)n, heard);
    return n == 0 && fflush(heard) == 0;
}

static bool go_there(void *user, const char *address, int port)
{
    (void)user;
    if (strcmp(address, "127.0.0.1") != 0 || port <= 0 || (client = fork()) < 0)
        return false;
    if (client == 0) {
        alarm(60);
        _exit(visit(port) ? 0 : 1);
    }
    return true;
}

static bool refuse(void *user, const char *address, int port)
{
    (void)user;
    (void)address;
    return port < 0;
}

TEST(clients_hear_the_same)
{
    static listener l;
    static char text[1 << 16];
    congru_stream_options options = options_for(&l);
    struct sigaction action = {.sa_handler = stop}, before;
    double sum;
    int end = -1;
    decide(&sum);
    heard = tmpfile();
    CHECK(heard != NULL && sigaction(SIGCHLD, &action, &before) == 0);
    if (heard == NULL)
        return;
    options.speed = 100000;
    options.listening = go_there;
    congru_status status = congru_stream_serve(context, model, &options);
    CHECK_SAYING(status == CONGRU_OK, "%s", congru_context_error(context));
    CHECK(waitpid(client, &end, 0) == client && end == 0);
    sigaction(SIGCHLD, &before, NULL);
    stopped = 0;
    rewind(heard);
    text[fread(text, 1, sizeof text - 1, heard)] = '\0';
    fclose(heard);
    CHECK_SAYING(strncmp(text, "{\"congru\":", 10) == 0, "%.60s", text);
    CHECK_SAYING(sum_of_lines(text) == sum, "%.17g, not %.17g", sum_of_lines(text), sum);
    options.listening = refuse;
    CHECK(congru_stream_serve(context, model, &options) == CONGRU_ERROR_CANCELLED);
}

int main(void)
{
    if (congru_context_create(&context, NULL) != CONGRU_OK)
        return 1;
    harness_run_all();
    unlink(path);
    free(frames);
    congru_model_destroy(&model);
    congru_context_destroy(&context);
    return harness_end();
}
