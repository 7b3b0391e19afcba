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
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/number_text.h"
#include "stream/stream_lines.h"
#include "stream/stream_log.h"
#include "stream/stream_state.h"

/* A client costs this much memory whatever it does, and its decoder. It is read from while there is room for its lines
 * and it has not sent more than its share; what it does not take waits, and then its samples do. Each gets one piece of
 * work a round, so that none can keep the others waiting. */
enum {
    IN_SIZE = 8192,
    OUT_LEAST = 65536, /* bytes for lines, */
    OUT_LINES = 32,    /* or this many of the longest lines if that is more */
    LINES_KEPT =
        CONGRU_STREAM_MARKERS_MAX + 2, /* which markers may ask for, and a command, between two frames */
    GREETING_SIZE = OUT_LEAST - 1,
    FRAMES_ROOM = 2048,
    LINGER_SECONDS = 2,
    ACCEPTED_AT_ONCE = 64,
    BACKLOG = 1024
};

/* When there are no descriptors for another client, none is accepted for so many seconds: those who wait would wake poll
 * at once, again and again. */
static const double accept_pause = 0.25;

typedef enum client_state {
    CLIENT_OPEN,
    CLIENT_ENDING, /* no more is read; what is to be told is told */
    CLIENT_LINGERING /* all is told; what still comes is thrown away, so that the end arrives before a reset does */
} client_state;

enum { REASON_SIZE = 160 };

typedef struct client {
    int socket;
    uint64_t number;          /* from 1 */
    char reason[REASON_SIZE]; /* why it is let go; "": it has ended */
    double since;
    bool greeted;
    client_state state;
    congru_stream_protocol protocol;
    congru_stream_sink sink;
    unsigned char in[IN_SIZE];
    size_t in_at, in_size;
    size_t out_at, out_size, out_most;
    double progress, lingers; /* when the last whole thing was sent or taken; when it began to linger */
    double share, shared;     /* bytes it may send now, and when that was reckoned */
    char out[];               /* (out_most) */
} client;

typedef struct server {
    const congru_stream_settings *settings;
    int listener;
    client **client; /* (settings->options.clients) */
    size_t count;
    struct pollfd *poll;     /* the listener, then the clients */
    double now, rests_until; /* nobody is accepted before */
    bool warned;             /* that descriptors are used up */
    uint64_t number;         /* clients so far */
    congru_stream_log log;
    char greeting[GREETING_SIZE];
    double frames[FRAMES_ROOM]; /* of one channel and more: a frame has at most CONGRU_STREAM_CHANNELS_MAX */
} server;

/* ---- Telling ----------------------------------------------------------------------------------------------- */

static size_t out_room(const client *c)
{
    return c->out_most - (c->out_size - c->out_at);
}

/* Takes a line for the client: a congru_stream_sink's `write`. Callers have seen to it that there is room. */
static bool tell(void *user, const char *text, size_t size)
{
    client *c = user;
    if (c->out_at > 0 && c->out_most - c->out_size < size) {
        memmove(c->out, c->out + c->out_at, c->out_size - c->out_at);
        c->out_size -= c->out_at;
        c->out_at = 0;
    }
    if (size == 0 || c->out_most - c->out_size < size)
        return false;
    memcpy(c->out + c->out_size, text, size);
    c->out_size += size;
    return true;
}

static void tell_error(client *c, const char *why)
{
    char line[1200], quoted[1150];
    congru_stream_quote(why, quoted, sizeof quoted);
    const int size = snprintf(line, sizeof line, "{\"error\":\"%s\"}\n", quoted);
    tell(c, line, (size_t)size);
    congru_stream_quote(why, c->reason, sizeof c->reason);
    c->state = CLIENT_ENDING;
}

/* What the client has to know to send the right samples. */
static void tell_greeting(server *s, client *c, const char *const *channel, bool known)
{
    const congru_stream_session session = {c->protocol.session, known};
    size_t size = congru_stream_greeting(s->settings, c->sink.decoder, channel, c->protocol.format, &session,
                                         s->greeting, sizeof s->greeting);
    const char *name = session.name;
    congru_stream_log_add(
        &s->log, "begin", c->number, ",\"format\":\"%s\",\"channels\":%zu,\"rate\":%.9g%s%s%s%s",
        congru_protocol_format_name(c->protocol.format), congru_decoder_channels(c->sink.decoder),
        congru_decoder_sampling(c->sink.decoder), name[0] != '\0' ? ",\"session\":\"" : "", name,
        name[0] != '\0' ? "\",\"known\":" : "",
        name[0] == '\0' ? ""
        : known         ? "true"
                        : "false");
    c->greeted = true;
    if (!tell(c, s->greeting, size))
        tell_error(c, "the names of the channels are too long for a greeting");
}

/* ---- Sessions ------------------------------------------------------------------------------------------------ */

/* Keeps what was learned of the client's subject, where it has a session; once. */
static void keep_session(server *s, client *c)
{
    char path[CONGRU_STREAM_PATH_SIZE], reason[REASON_SIZE];
    if (!c->sink.begun || c->protocol.session[0] == '\0')
        return;
    c->sink.begun = false;
    if (congru_stream_state_path(s->settings, c->protocol.session, path) == CONGRU_OK &&
        congru_decoder_state_save(s->settings->context, c->sink.decoder, path) == CONGRU_OK)
        return;
    congru_stream_warn(s->settings, "%s", congru_context_error(s->settings->context));
    congru_stream_quote(congru_context_error(s->settings->context), reason, sizeof reason);
    congru_stream_log_add(&s->log, "unsaved", c->number, ",\"reason\":\"%s\"", reason);
}

/* A connection that hangs does not keep its subject from coming back: the newer one has the session. */
static congru_status take_session(server *s, client *c, bool *known)
{
    char path[CONGRU_STREAM_PATH_SIZE];
    *known = false;
    if (c->protocol.session[0] == '\0')
        return CONGRU_OK;
    if (s->settings->options.state == NULL)
        return congru_fail(s->settings->context, CONGRU_ERROR_ARGUMENT,
                           "no sessions are kept here (the server has no --state)");
    for (size_t i = 0; i < s->count; i++) {
        client *other = s->client[i];
        if (other == c || !other->sink.begun || strcmp(other->protocol.session, c->protocol.session) != 0)
            continue;
        keep_session(s, other);
        if (other->state == CLIENT_OPEN)
            tell_error(other, "the session goes on in another connection");
    }
    congru_status status = congru_stream_state_path(s->settings, c->protocol.session, path);
    if (status == CONGRU_OK)
        status = congru_stream_state_restore(s->settings, path, c->sink.decoder, known);
    c->sink.begun = status == CONGRU_OK;
    return status;
}

/* ---- Working ------------------------------------------------------------------------------------------------- */

static void make_decoder(server *s, client *c)
{
    congru_decoder_options options = s->settings->options.decoder;
    if (c->protocol.channels > 0) {
        options.channels = c->protocol.channel;
        options.channel_count = c->protocol.channels;
    }
    options.sampling = c->protocol.rate;
    bool known;
    if (congru_decoder_create(s->settings->context, s->settings->model, &options, &c->sink.decoder) !=
            CONGRU_OK ||
        take_session(s, c, &known) != CONGRU_OK)
        tell_error(c, congru_context_error(s->settings->context));
    else
        tell_greeting(s, c, options.channels, known);
}

/* Frames that cannot bring more decisions than there is room for. */
static size_t frames_allowed(const server *s, const client *c)
{
    size_t lines = out_room(c) / s->settings->line_most;
    double rate = congru_decoder_sampling(c->sink.decoder),
           per_line =
               s->settings->options.decoder.rate > 0 ? rate / s->settings->options.decoder.rate : FRAMES_ROOM;
    double most = lines <= LINES_KEPT ? 0 : floor((double)(lines - LINES_KEPT) * (per_line < 1 ? 1 : per_line));
    size_t room = FRAMES_ROOM / congru_decoder_channels(c->sink.decoder);
    room = room > 0 ? room : 1;
    return most < (double)room ? (size_t)most : room;
}

/* Frames end at the next marker's time, so that a round brings the lines of one time alone. */
static size_t frames_to_work_on(const server *s, const client *c)
{
    size_t allowed = frames_allowed(s, c);
    if (c->sink.markers.count == 0)
        return allowed;
    double left = c->sink.markers.item[0].due - (double)congru_decoder_position(c->sink.decoder);
    return left < (double)allowed ? (size_t)left : allowed;
}

static void work_on_samples(server *s, client *c)
{
    size_t count;
    congru_protocol_command command;
    c->in_at +=
        congru_protocol_read(&c->protocol, congru_decoder_channels(c->sink.decoder), c->in + c->in_at,
                             c->in_size - c->in_at, s->frames, frames_to_work_on(s, c), &count, &command);
    if (count > 0 || command.kind != CONGRU_PROTOCOL_NONE)
        c->progress = s->now;
    if (congru_stream_push(&c->sink, count, s->frames, NULL) != CONGRU_OK ||
        congru_stream_obey(&c->sink, &command) != CONGRU_OK)
        tell_error(c, "the decoder failed");
    else if (c->protocol.state == CONGRU_PROTOCOL_FAILED)
        tell_error(c, c->protocol.error);
}

static void work(server *s, client *c)
{
    if (c->state != CLIENT_OPEN || c->in_at == c->in_size)
        return;
    if (c->protocol.state == CONGRU_PROTOCOL_LINE) {
        c->in_at += congru_protocol_read_line(&c->protocol, c->in + c->in_at, c->in_size - c->in_at);
        if (c->protocol.state == CONGRU_PROTOCOL_FAILED)
            tell_error(c, c->protocol.error);
        else if (c->protocol.state == CONGRU_PROTOCOL_READY)
            make_decoder(s, c);
        c->progress = c->protocol.state == CONGRU_PROTOCOL_LINE ? c->progress : s->now;
    }
    if (c->state == CLIENT_OPEN && c->protocol.state == CONGRU_PROTOCOL_READY)
        work_on_samples(s, c);
}

/* No more samples come: markers that wait are told so, and a frame that is cut short is a mistake. */
static void end_input(client *c)
{
    if (c->sink.decoder != NULL)
        congru_stream_drop_markers(&c->sink, "the stream has ended");
    if (c->protocol.state == CONGRU_PROTOCOL_READY && !congru_protocol_is_whole(&c->protocol))
        tell_error(c, "the stream ends in the middle of a frame, line or packet");
    c->state = CLIENT_ENDING;
}

/* ---- Sockets --------------------------------------------------------------------------------------------------- */

static void let_go(server *s, size_t index)
{
    client *c = s->client[index];
    const uint64_t frames = c->sink.decoder != NULL ? congru_decoder_position(c->sink.decoder) : 0;
    keep_session(s, c);
    if (c->reason[0] == '\0')
        congru_stream_log_add(&s->log, "end", c->number, ",\"frames\":%llu,\"seconds\":%.3f",
                              (unsigned long long)frames, s->now - c->since);
    else
        congru_stream_log_add(&s->log, c->greeted ? "drop" : "refuse", c->number,
                              ",\"reason\":\"%s\",\"frames\":%llu,\"seconds\":%.3f", c->reason,
                              (unsigned long long)frames, s->now - c->since);
    congru_decoder_destroy(&c->sink.decoder);
    close(c->socket);
    free(c);
    s->client[index] = s->client[--s->count];
}

/* Bytes it may send per second. */
static double share_of(const server *s, const client *c)
{
    const congru_preprocessing *p = congru_model_preprocessing(s->settings->model);
    size_t channels = c->sink.decoder != NULL ? congru_decoder_channels(c->sink.decoder) : p->channels;
    static const double width[CONGRU_PROTOCOL_FORMATS] = {4, 8, 16, 8}; /* bytes of a number, at most */
    double rate = c->sink.decoder != NULL ? congru_decoder_sampling(c->sink.decoder) : p->rate;
    return s->settings->options.speed * rate * (double)channels * width[c->protocol.format];
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
           (c->state == CLIENT_OPEN && c->in_at == c->in_size && c->share > 0 && out_room(c) > c->out_most / 2);
}

/* Whether a call on its socket may be made again; else the client is gone, and why. */
static bool is_passing(client *c)
{
    if (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR)
        return true;
    if (c->reason[0] == '\0')
        congru_stream_quote(strerror(errno), c->reason, sizeof c->reason);
    return false;
}

/* False when the client is gone. */
static bool receive(client *c)
{
    ssize_t got = recv(c->socket, c->in, IN_SIZE, 0);
    if (got < 0)
        return is_passing(c);
    if (got == 0) {
        if (c->state == CLIENT_OPEN)
            end_input(c);
        return c->state != CLIENT_LINGERING && c->out_at < c->out_size;
    }
    if (c->state == CLIENT_OPEN) {
        c->in_at = 0;
        c->in_size = (size_t)got;
        c->share -= (double)got;
    }
    return true;
}

static bool send_out(const server *s, client *c)
{
    ssize_t sent = send(c->socket, c->out + c->out_at, c->out_size - c->out_at, MSG_NOSIGNAL);
    if (sent < 0)
        return is_passing(c);
    if (memchr(c->out + c->out_at, '\n', (size_t)sent) != NULL)
        c->progress = s->now;
    c->out_at += (size_t)sent;
    if (c->out_at == c->out_size)
        c->out_at = c->out_size = 0;
    return true;
}

/* Whether its time is up. Progress is a whole first line, frame or command that came, or a whole line that was taken: a
 * byte now and then is none. A client whose share is used up is kept waiting by the server, and not idle. */
static bool is_over(const server *s, client *c)
{
    if (c->state == CLIENT_LINGERING)
        return s->now - c->lingers > LINGER_SECONDS;
    const bool idle = s->now - c->progress > s->settings->options.idle && c->share > 0;
    if (idle && c->reason[0] == '\0')
        congru_format(c->reason, sizeof c->reason, "idle for %g s", s->settings->options.idle);
    return idle;
}

static bool serve_client(server *s, client *c, int events)
{
    bool stays = (events & (POLLERR | POLLNVAL)) == 0;
    if (!stays && c->reason[0] == '\0')
        snprintf(c->reason, sizeof c->reason, "the connection failed");
    reckon_share(s, c);
    if (stays && (events & (POLLIN | POLLHUP)) != 0 && wants_to_read(c))
        stays = receive(c);
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

/* After a failure of accept: those that take a while to pass. */
static void rest(server *s)
{
    if (errno != EMFILE && errno != ENFILE && errno != ENOBUFS && errno != ENOMEM)
        return;
    s->rests_until = s->now + accept_pause;
    if (!s->warned)
        congru_stream_warn(
            s->settings,
            "stream: %s: new clients wait until others leave (raise 'ulimit -n', or lower --clients)",
            strerror(errno));
    s->warned = true;
}

/* False when nobody waits, or can be taken. */
static bool accept_client(server *s)
{
    static const char busy[] = "{\"error\":\"too many clients\"}\n";
    struct sockaddr_in address = {.sin_family = AF_INET};
    socklen_t size = sizeof address;
    char from[64] = "";
    int socket = accept(s->listener, (struct sockaddr *)&address, &size);
    if (socket < 0) {
        rest(s);
        return false;
    }
    int flags = fcntl(socket, F_GETFL);
    size_t out_most = OUT_LINES * s->settings->line_most;
    out_most = out_most > OUT_LEAST ? out_most : OUT_LEAST;
    client *c = s->count < (size_t)s->settings->options.clients ? calloc(1, sizeof *c + out_most) : NULL;
    inet_ntop(AF_INET, &address.sin_addr, from, sizeof from);
    s->number++;
    congru_stream_log_add(&s->log, "connect", s->number, ",\"from\":\"%s:%d\"", from,
                          (int)ntohs(address.sin_port));
    if (c == NULL || flags < 0 || fcntl(socket, F_SETFL, flags | O_NONBLOCK) < 0) {
        ssize_t sent = send(socket, busy, sizeof busy - 1, MSG_NOSIGNAL | MSG_DONTWAIT);
        (void)sent;
        congru_stream_log_add(&s->log, "refuse", s->number, ",\"reason\":\"too many clients\"");
        close(socket);
        free(c);
        return true;
    }
    c->socket = socket;
    c->number = s->number;
    c->progress = c->shared = c->since = s->now;
    c->out_most = out_most;
    c->protocol.format = s->settings->options.format;
    c->sink = (congru_stream_sink){.settings = s->settings, .write = tell, .user = c};
    c->share = IN_SIZE;
    s->client[s->count++] = c;
    return true;
}

/* ---- The loop --------------------------------------------------------------------------------------------------- */

/* Milliseconds to wait at most: none while someone's bytes wait to be worked on, little while someone's share grows. */
static int prepare_poll(server *s)
{
    int wait = 250;
    s->poll[0] = (struct pollfd){.fd = s->now < s->rests_until ? -1 : s->listener, .events = POLLIN};
    for (size_t i = 0; i < s->count; i++) {
        client *c = s->client[i];
        int events = (wants_to_read(c) ? POLLIN : 0) | (c->out_at < c->out_size ? POLLOUT : 0);
        s->poll[1 + i] = (struct pollfd){.fd = c->socket, .events = (short)events};
        if (c->state == CLIENT_OPEN && c->in_at < c->in_size &&
            (c->sink.decoder == NULL || frames_allowed(s, c) > 0))
            wait = 0;
        else if (c->state == CLIENT_OPEN && c->share <= 0 && wait > 5)
            wait = 5;
    }
    return wait;
}

static congru_status serve(server *s)
{
    while (!congru_stream_stopped(s->settings)) {
        int wait = prepare_poll(s);
        size_t count = s->count;
        if (poll(s->poll, (nfds_t)(1 + count), wait) < 0 && errno != EINTR)
            return congru_fail(s->settings->context, CONGRU_ERROR_IO, "stream: cannot wait for clients: %s",
                               strerror(errno));
        s->now = congru_stream_clock();
        congru_stream_log_flush(&s->log);
        for (size_t i = count; i-- > 0;) /* from the last on: the last takes the place of one that goes */
            if (!serve_client(s, s->client[i], s->poll[1 + i].revents))
                let_go(s, i);
        /* A queue that overflows would make the system reset connections that were good. */
        for (int i = 0; (s->poll[0].revents & POLLIN) != 0 && i < ACCEPTED_AT_ONCE && accept_client(s);)
            i++;
    }
    return CONGRU_OK;
}

static congru_status open_listener(server *s)
{
    const bool six = strchr(s->settings->options.address, ':') != NULL;
    const in_port_t port = htons((uint16_t)s->settings->options.port);
    union {
        struct sockaddr any;
        struct sockaddr_in four;
        struct sockaddr_in6 six;
    } address = {.six = {.sin6_family = AF_INET6, .sin6_port = port}};
    if (!six)
        address.four = (struct sockaddr_in){.sin_family = AF_INET, .sin_port = port};
    socklen_t size = six ? sizeof address.six : sizeof address.four;
    int yes = 1;
    if (inet_pton(six ? AF_INET6 : AF_INET, s->settings->options.address,
                  six ? (void *)&address.six.sin6_addr : (void *)&address.four.sin_addr) != 1)
        return congru_fail(s->settings->context, CONGRU_ERROR_ARGUMENT,
                           "stream: the address is not one such as 127.0.0.1: '%s'",
                           s->settings->options.address);
    s->listener = socket(six ? AF_INET6 : AF_INET, SOCK_STREAM, 0);
    if (s->listener < 0 || fcntl(s->listener, F_SETFL, O_NONBLOCK) < 0 ||
        setsockopt(s->listener, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes) < 0 ||
        bind(s->listener, &address.any, size) < 0 || listen(s->listener, BACKLOG) < 0 ||
        getsockname(s->listener, &address.any, &size) < 0)
        return congru_fail(s->settings->context, CONGRU_ERROR_IO, "stream: cannot listen on %s:%d: %s",
                           s->settings->options.address, s->settings->options.port, strerror(errno));
    const congru_stream_options *o = &s->settings->options;
    const int found = (int)ntohs(six ? address.six.sin6_port : address.four.sin_port);
    congru_stream_log_add(&s->log, "listening", 0, ",\"address\":\"%s:%d\"", o->address, found);
    return o->listening == NULL || o->listening(o->user, o->address, found)
               ? CONGRU_OK
               : congru_fail(s->settings->context, CONGRU_ERROR_CANCELLED, "stream: the address was not taken");
}

/* A model that cannot be decoded from a stream is refused before anyone comes. */
static congru_status try_decoder(server *s)
{
    const congru_stream_settings *settings = s->settings;
    congru_context *context = settings->context;
    congru_decoder *decoder = NULL;
    congru_status status =
        congru_decoder_create(context, settings->model, &settings->options.decoder, &decoder);
    if (status != CONGRU_OK)
        return congru_fail(context, status, "stream: %s", congru_context_error(context));
    if (congru_decoder_channels(decoder) > CONGRU_STREAM_CHANNELS_MAX)
        status = congru_fail(context, CONGRU_ERROR_UNSUPPORTED, "stream: more than %d channels",
                             (int)CONGRU_STREAM_CHANNELS_MAX);
    else if (congru_stream_greeting(settings, decoder, settings->options.decoder.channels,
                                    settings->options.format, &(congru_stream_session){.name = ""}, s->greeting,
                                    sizeof s->greeting) == 0)
        status = congru_fail(context, CONGRU_ERROR_UNSUPPORTED,
                             "stream: the names of the channels are too long for a greeting");
    congru_decoder_destroy(&decoder);
    return status;
}

static congru_status check_options(const congru_stream_settings *settings)
{
    const congru_stream_options *o = &settings->options;
    const char *wrong = NULL;
    struct stat about;
    if (o->state != NULL && (stat(o->state, &about) != 0 || !S_ISDIR(about.st_mode)))
        return congru_fail(settings->context, CONGRU_ERROR_IO,
                           "%s: the states of sessions need a folder that is there", o->state);
    if (o->address == NULL || o->port < 0 || o->port > 65535)
        wrong = "an address, and a port between 0 and 65535, are needed";
    else if ((int)o->format < 0 || (int)o->format >= CONGRU_PROTOCOL_FORMATS)
        wrong = "clients send float32, float64, csv or packets";
    else if (o->clients < 1 || o->clients > CONGRU_STREAM_CLIENTS_MAX)
        wrong = "clients are between 1 and 1000";
    else if (!(o->idle > 0) || !(o->speed > 0) || isinf(o->speed))
        wrong = "idle and speed are numbers above 0";
    else if (o->lsl_out != NULL || o->lsl_markers != NULL)
        wrong = "clients have no LSL streams";
    else if (o->rest != NULL)
        wrong = "clients have no recording at rest: each is a subject of its own";
    return wrong == NULL ? CONGRU_OK
                         : congru_fail(settings->context, CONGRU_ERROR_ARGUMENT, "stream: %s", wrong);
}

static congru_status open_and_serve(server *s)
{
    const congru_stream_settings *settings = s->settings;
    const size_t clients = (size_t)settings->options.clients;
    s->client = calloc(clients, sizeof *s->client);
    s->poll = calloc(clients + 1, sizeof *s->poll);
    if (s->client == NULL || s->poll == NULL)
        return congru_fail(settings->context, CONGRU_ERROR_MEMORY, "stream: not enough memory for %d clients",
                           settings->options.clients);
    congru_status status = congru_stream_log_open(settings->context, settings->options.log, &s->log);
    if (status == CONGRU_OK)
        status = try_decoder(s);
    if (status == CONGRU_OK)
        status = open_listener(s);
    if (status == CONGRU_OK)
        status = serve(s);
    while (s->count > 0) {
        client *c = s->client[s->count - 1];
        if (c->reason[0] == '\0' && c->state != CLIENT_LINGERING)
            snprintf(c->reason, sizeof c->reason, "the server stops");
        let_go(s, s->count - 1);
    }
    congru_stream_log_close(&s->log);
    if (s->listener >= 0)
        close(s->listener);
    return status;
}

congru_status congru_stream_serve(congru_context *context, const congru_model *model,
                                  const congru_stream_options *options)
{
    congru_stream_settings settings;
    CONGRU_TRY(congru_stream_settle(context, model, options, &settings));
    CONGRU_TRY(check_options(&settings));
    server *s = calloc(1, sizeof *s);
    if (s == NULL)
        return congru_fail(context, CONGRU_ERROR_MEMORY, "stream: not enough memory");
    s->settings = &settings;
    s->listener = -1;
    s->log.descriptor = -1;
    s->now = congru_stream_clock();
    congru_status status = open_and_serve(s);
    free(s->client);
    free(s->poll);
    free(s);
    return status;
}
