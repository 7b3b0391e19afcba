/* Serves decoders over TCP, many clients in one thread. SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "stream_protocol.h"
#include "stream_settings.h"
#include "terminal.h"

/* A client costs this much memory whatever it does, and its decoder. It is read from while there is room for its answers
 * and it has not sent more than its share; what it does not take waits, and then its samples do. Each gets one piece of
 * work a round, so that none can keep the others waiting. */
enum {
    IN_SIZE = 8192,
    OUT_SIZE = 65536,
    FRAMES_ROOM = 2048,
    LINGER_SECONDS = 2,
    ACCEPTED_AT_ONCE = 64,
    BACKLOG = 1024
};

typedef enum client_state {
    CLIENT_OPEN,
    CLIENT_ENDING, /* no more is read; what is to be told is told */
    CLIENT_LINGERING /* all is told; what still comes is thrown away, so that the end arrives before a reset does */
} client_state;

typedef struct client {
    int socket;
    client_state state;
    stream_protocol protocol;
    congru_decoder *decoder;
    unsigned char in[IN_SIZE];
    size_t in_at, in_size;
    char out[OUT_SIZE];
    size_t out_at, out_size;
    double came, alive, lingers; /* when it came, was last heard of, began to linger */
    double share, shared;        /* bytes it may send now, and when that was reckoned */
} client;

typedef struct server {
    const stream_settings *settings;
    int listener;
    client **client; /* (settings->clients) */
    size_t count;
    struct pollfd *poll; /* the listener, then the clients */
    double now;
} server;

/* ---- Telling ----------------------------------------------------------------------------------------------- */

static size_t out_room(const client *c)
{
    return OUT_SIZE - (c->out_size - c->out_at);
}

static void tell(client *c, const char *text, size_t size)
{
    if (c->out_at > 0 && OUT_SIZE - c->out_size < size) {
        memmove(c->out, c->out + c->out_at, c->out_size - c->out_at);
        c->out_size -= c->out_at;
        c->out_at = 0;
    }
    if (OUT_SIZE - c->out_size < size)
        return;
    memcpy(c->out + c->out_size, text, size);
    c->out_size += size;
}

static void tell_error(client *c, const char *why)
{
    char line[1200];
    size_t used = (size_t)snprintf(line, sizeof line, "{\"error\":\"");
    for (; *why != '\0' && used < sizeof line - 8; why++)
        line[used++] =
            *why == '"' || *why == '\\' || (unsigned char)*why < ' ' || (unsigned char)*why > '~' ? '\'' : *why;
    used += (size_t)snprintf(line + used, sizeof line - used, "\"}\n");
    tell(c, line, used);
    c->state = CLIENT_ENDING;
}

/* What the client has to know to send the right samples. */
static void tell_welcome(const server *s, client *c)
{
    char line[512];
    int size = snprintf(
        line, sizeof line,
        "{\"congru\":\"%s\",\"pipeline\":\"%s\",\"channels\":%zu,\"rate\":%.9g,\"window\":%zu}\n",
        congru_version(), congru_model_pipeline(s->settings->model), congru_decoder_channels(c->decoder),
        congru_model_preprocessing(s->settings->model)->rate, congru_decoder_window(c->decoder));
    tell(c, line, (size_t)size);
}

/* ---- Working ------------------------------------------------------------------------------------------------- */

static void make_decoder(const server *s, client *c)
{
    congru_decoder_options options = s->settings->decoder;
    if (c->protocol.channels > 0) {
        options.channels = c->protocol.channel;
        options.channel_count = c->protocol.channels;
    }
    options.sampling = c->protocol.rate;
    if (congru_decoder_create(s->settings->context, s->settings->model, &options, &c->decoder) != CONGRU_OK)
        tell_error(c, congru_context_error(s->settings->context));
    else
        tell_welcome(s, c);
}

/* Pushes frames; a decision ends a push, and there is room for its line. */
static void push_frames(const server *s, client *c, size_t count, const float *frames)
{
    static char line[STREAM_LINE_SIZE];
    for (size_t at = 0, taken; at < count && c->state == CLIENT_OPEN; at += taken) {
        congru_decision decision;
        if (congru_decoder_push_float(c->decoder, count - at, frames + at * congru_decoder_channels(c->decoder),
                                      &taken, &decision) != CONGRU_OK) {
            tell_error(c, "the decoder failed");
            return;
        }
        if (decision.due)
            tell(c, line, stream_line(s->settings->model, &decision, (double)NAN, line));
    }
}

/* Frames that cannot bring more decisions than there is room for. */
static size_t frames_allowed(const server *s, const client *c)
{
    size_t lines = out_room(c) / STREAM_LINE_SIZE;
    double rate = congru_model_preprocessing(s->settings->model)->rate,
           per_line = rate / s->settings->decoder.rate;
    double most = lines == 0 ? 0 : floor((double)(lines - 1) * (per_line < 1 ? 1 : per_line));
    size_t room = FRAMES_ROOM / congru_decoder_channels(c->decoder);
    room = room > 0 ? room : 1;
    return most < (double)room ? (size_t)most : room;
}

static void work(const server *s, client *c)
{
    static float frames[FRAMES_ROOM]; /* of one channel and more: a frame has at most PROTOCOL_CHANNELS_MAX */
    if (c->state != CLIENT_OPEN || c->in_at == c->in_size)
        return;
    if (c->protocol.state == PROTOCOL_LINE) {
        c->in_at += protocol_read_line(&c->protocol, c->in + c->in_at, c->in_size - c->in_at);
        if (c->protocol.state == PROTOCOL_FAILED)
            tell_error(c, c->protocol.error);
        else if (c->protocol.state == PROTOCOL_READY)
            make_decoder(s, c);
    }
    if (c->state == CLIENT_OPEN && c->protocol.state == PROTOCOL_READY) {
        size_t count;
        c->in_at += protocol_read_frames(&c->protocol, congru_decoder_channels(c->decoder), c->in + c->in_at,
                                         c->in_size - c->in_at, frames, frames_allowed(s, c), &count);
        push_frames(s, c, count, frames);
    }
}

/* ---- Sockets --------------------------------------------------------------------------------------------------- */

static void let_go(server *s, size_t index)
{
    client *c = s->client[index];
    congru_decoder_destroy(&c->decoder);
    close(c->socket);
    free(c);
    s->client[index] = s->client[--s->count];
}

/* Bytes it may send per second. */
static double share_of(const server *s, const client *c)
{
    const congru_preprocessing *p = congru_model_preprocessing(s->settings->model);
    size_t channels = c->decoder != NULL ? congru_decoder_channels(c->decoder) : p->channels;
    return s->settings->speed * p->rate * (double)channels * 4;
}

static void reckon_share(const server *s, client *c)
{
    double share = share_of(s, c), most = share + IN_SIZE;
    c->share += (s->now - c->shared) * share;
    c->share = c->share < most ? c->share : most;
    c->shared = s->now;
}

static bool wants_to_read(const client *c)
{
    return c->state == CLIENT_LINGERING ||
           (c->state == CLIENT_OPEN && c->in_at == c->in_size && c->share > 0 && out_room(c) > OUT_SIZE / 2);
}

/* False when the client is gone. */
static bool receive(const server *s, client *c)
{
    ssize_t got = recv(c->socket, c->in, IN_SIZE, 0);
    if (got < 0)
        return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR;
    if (got == 0) {
        bool over = c->state == CLIENT_LINGERING || c->out_at == c->out_size;
        c->state = CLIENT_ENDING;
        return !over;
    }
    if (c->state == CLIENT_OPEN) {
        c->in_at = 0;
        c->in_size = (size_t)got;
        c->share -= (double)got;
        c->alive = s->now;
    }
    return true;
}

static bool send_out(const server *s, client *c)
{
    ssize_t sent = send(c->socket, c->out + c->out_at, c->out_size - c->out_at, MSG_NOSIGNAL);
    if (sent < 0)
        return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR;
    c->out_at += (size_t)sent;
    c->alive = s->now;
    if (c->out_at == c->out_size)
        c->out_at = c->out_size = 0;
    return true;
}

/* Whether its time is up: silent for too long, a first line that does not come to its end, lingering. */
static bool is_over(const server *s, const client *c)
{
    if (c->state == CLIENT_LINGERING)
        return s->now - c->lingers > LINGER_SECONDS;
    if (c->protocol.state == PROTOCOL_LINE && s->now - c->came > s->settings->idle)
        return true;
    return s->now - c->alive > s->settings->idle;
}

static bool serve_client(const server *s, client *c, int events)
{
    bool stays = (events & (POLLERR | POLLNVAL)) == 0;
    reckon_share(s, c);
    if (stays && (events & (POLLIN | POLLHUP)) != 0 && wants_to_read(c))
        stays = receive(s, c);
    work(s, c);
    if (stays && c->out_at < c->out_size)
        stays = send_out(s, c);
    if (stays && c->state == CLIENT_ENDING && c->out_at == c->out_size) {
        shutdown(c->socket, SHUT_WR);
        c->state = CLIENT_LINGERING;
        c->lingers = s->now;
    }
    return stays && !is_over(s, c);
}

/* False when nobody waits. */
static bool accept_client(server *s)
{
    static const char busy[] = "{\"error\":\"too many clients\"}\n";
    int socket = accept(s->listener, NULL, NULL);
    if (socket < 0)
        return false;
    int flags = fcntl(socket, F_GETFL);
    client *c = s->count < (size_t)s->settings->clients ? calloc(1, sizeof *c) : NULL;
    if (c == NULL || flags < 0 || fcntl(socket, F_SETFL, flags | O_NONBLOCK) < 0) {
        ssize_t sent = send(socket, busy, sizeof busy - 1, MSG_NOSIGNAL | MSG_DONTWAIT);
        (void)sent;
        close(socket);
        free(c);
        return true;
    }
    c->socket = socket;
    c->came = c->alive = c->shared = s->now;
    c->share = IN_SIZE;
    s->client[s->count++] = c;
    return true;
}

/* ---- The loop --------------------------------------------------------------------------------------------------- */

/* Milliseconds to wait at most: none while someone's bytes wait to be worked on, little while someone's share grows. */
static int prepare_poll(server *s)
{
    int wait = 250;
    s->poll[0] = (struct pollfd){.fd = s->listener, .events = POLLIN};
    for (size_t i = 0; i < s->count; i++) {
        client *c = s->client[i];
        int events = (wants_to_read(c) ? POLLIN : 0) | (c->out_at < c->out_size ? POLLOUT : 0);
        s->poll[1 + i] = (struct pollfd){.fd = c->socket, .events = (short)events};
        if (c->state == CLIENT_OPEN && c->in_at < c->in_size &&
            (c->decoder == NULL || frames_allowed(s, c) > 0))
            wait = 0;
        else if (c->state == CLIENT_OPEN && c->share <= 0 && wait > 5)
            wait = 5;
    }
    return wait;
}

static int serve(server *s)
{
    while (stream_stopped == 0) {
        int wait = prepare_poll(s);
        size_t count = s->count;
        if (poll(s->poll, (nfds_t)(1 + count), wait) < 0 && errno != EINTR)
            return terminal_fail(EXIT_FAILED, "stream: cannot wait for clients: %s", strerror(errno));
        s->now = stream_clock();
        for (size_t i = count; i-- > 0;) /* from the last on: the last takes the place of one that goes */
            if (!serve_client(s, s->client[i], s->poll[1 + i].revents))
                let_go(s, i);
        /* A queue that overflows would make the system reset connections that were good. */
        for (int i = 0; (s->poll[0].revents & POLLIN) != 0 && i < ACCEPTED_AT_ONCE && accept_client(s);)
            i++;
    }
    return EXIT_DONE;
}

static int open_listener(server *s)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)s->settings->port)};
    socklen_t size = sizeof address;
    int yes = 1;
    if (inet_pton(AF_INET, s->settings->address, &address.sin_addr) != 1)
        return terminal_fail(EXIT_USAGE, "stream: --listen wants an address such as 127.0.0.1, not '%s'",
                             s->settings->address);
    s->listener = socket(AF_INET, SOCK_STREAM, 0);
    if (s->listener < 0 || fcntl(s->listener, F_SETFL, O_NONBLOCK) < 0 ||
        setsockopt(s->listener, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes) < 0 ||
        bind(s->listener, (const struct sockaddr *)&address, sizeof address) < 0 ||
        listen(s->listener, BACKLOG) < 0 || getsockname(s->listener, (struct sockaddr *)&address, &size) < 0)
        return terminal_fail(EXIT_FAILED, "stream: cannot listen on %s:%d: %s", s->settings->address,
                             s->settings->port, strerror(errno));
    printf("{\"listening\":\"%s:%d\"}\n", s->settings->address, (int)ntohs(address.sin_port));
    return fflush(stdout) == 0
               ? EXIT_DONE
               : terminal_fail(EXIT_FAILED, "standard output: cannot write: %s", strerror(errno));
}

/* A model that cannot be decoded from a stream is refused before anyone comes. */
static int try_decoder(const stream_settings *settings)
{
    congru_decoder *decoder = NULL;
    if (congru_decoder_create(settings->context, settings->model, &settings->decoder, &decoder) != CONGRU_OK)
        return terminal_fail(EXIT_FAILED, "stream: %s", congru_context_error(settings->context));
    size_t channels = congru_decoder_channels(decoder);
    congru_decoder_destroy(&decoder);
    if (channels > PROTOCOL_CHANNELS_MAX)
        return terminal_fail(EXIT_FAILED, "stream: more than %d channels", (int)PROTOCOL_CHANNELS_MAX);
    return EXIT_DONE;
}

int stream_serve(const stream_settings *settings)
{
    server s = {.settings = settings, .listener = -1, .now = stream_clock()};
    s.client = calloc((size_t)settings->clients, sizeof *s.client);
    s.poll = calloc((size_t)settings->clients + 1, sizeof *s.poll);
    int code = s.client != NULL && s.poll != NULL
                   ? try_decoder(settings)
                   : terminal_fail(EXIT_FAILED, "stream: not enough memory for %d clients", settings->clients);
    if (code == EXIT_DONE)
        code = open_listener(&s);
    if (code == EXIT_DONE)
        code = serve(&s);
    while (s.count > 0)
        let_go(&s, s.count - 1);
    if (s.listener >= 0)
        close(s.listener);
    free(s.client);
    free(s.poll);
    return code;
}
