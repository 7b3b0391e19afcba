/* Clients of 'congru stream --listen', good and bad: stream_clients PORT SECONDS GOOD SLOW GARBAGE CHANNELS RATE WINDOW. SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { CHANNELS_MAX = 64, CLIENTS_MAX = 1000, DECISIONS_PER_SECOND = 4 };

static int port;
static double seconds, rate;
static size_t channels, window;
static double started;
static atomic_int good_done, good_wrong, decisions_heard, decisions_due, refused, connections;

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static bool over(void)
{
    return now() - started > seconds;
}

static void pause_for(double time)
{
    struct timespec pause = {(time_t)time, (long)(1e9 * (time - (double)(time_t)time))};
    nanosleep(&pause, NULL);
}

static int connect_once(void)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int s = socket(AF_INET, SOCK_STREAM, 0);
    if (s >= 0 && connect(s, (struct sockaddr *)&address, sizeof address) == 0) {
        atomic_fetch_add(&connections, 1);
        return s;
    }
    if (s >= 0)
        close(s);
    return -1;
}

static uint32_t next_random(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

/* ---- Good ones ------------------------------------------------------------------------------------------- */

/* What a good client has read, line by line: decisions must be numbered as they are due. */
typedef struct listener {
    char line[8192];
    size_t size, decisions;
    bool welcomed, wrong;
} listener;

static uint64_t due_sample(size_t number)
{
    double at = (double)number * rate / DECISIONS_PER_SECOND;
    uint64_t whole = (uint64_t)at;
    return window + whole + ((double)whole < at - 1e-6);
}

static void hear_line(listener *l)
{
    unsigned long long sample;
    if (!l->welcomed)
        l->welcomed = strstr(l->line, "\"window\"") != NULL;
    else if (sscanf(l->line, "{\"sample\":%llu", &sample) != 1 || sample != due_sample(l->decisions++) ||
             strstr(l->line, "\"p\":{") == NULL)
        l->wrong = true;
}

/* False at the end of the stream. */
static bool hear(int s, listener *l, int wait)
{
    struct pollfd wanted = {.fd = s, .events = POLLIN};
    char bytes[4096];
    if (poll(&wanted, 1, wait) <= 0)
        return true;
    ssize_t got = recv(s, bytes, sizeof bytes, 0);
    for (ssize_t i = 0; i < got; i++) {
        if (bytes[i] != '\n' && l->size < sizeof l->line - 1) {
            l->line[l->size++] = bytes[i];
            continue;
        }
        l->line[l->size] = '\0';
        hear_line(l);
        l->size = 0;
    }
    return got > 0;
}

static bool send_all(int s, const void *data, size_t size)
{
    const char *at = data;
    while (size > 0) {
        ssize_t sent = send(s, at, size, MSG_NOSIGNAL);
        if (sent <= 0)
            return false;
        at += sent;
        size -= (size_t)sent;
    }
    return true;
}

/* Sends noise as fast as a headset would, in pieces of 40 ms, and hears its decisions. */
static void *be_good(void *user)
{
    uint32_t state = (uint32_t)(uintptr_t)user;
    listener l = {.size = 0};
    float frame[CHANNELS_MAX];
    size_t frames = 0;
    int s = connect_once();
    double begin = now();
    bool fine = s >= 0 && send_all(s, "congru/1\n", 9);
    while (fine && !over()) {
        for (; fine && (double)frames < (now() - begin) * rate; frames++) {
            for (size_t i = 0; i < channels; i++)
                frame[i] = (float)(next_random(&state) % 2000) / 50.0f;
            fine = send_all(s, frame, channels * sizeof frame[0]);
        }
        fine = fine && hear(s, &l, 40);
    }
    if (s >= 0)
        shutdown(s, SHUT_WR);
    while (fine && hear(s, &l, 20000)) {
        if (now() - started > seconds + 20)
            fine = false;
    }
    size_t due = 0;
    while (due_sample(due) <= frames)
        due++;
    if (!fine || l.wrong || l.decisions != due) {
        printf("# a good client: %zu of %zu decisions, %zu frames%s\n", l.decisions, due, frames,
               l.wrong ? ", wrongly numbered"
               : fine  ? ""
                       : ", connection lost");
        atomic_fetch_add(&good_wrong, 1);
    }
    atomic_fetch_add(&decisions_heard, (int)l.decisions);
    atomic_fetch_add(&decisions_due, (int)due);
    atomic_fetch_add(&good_done, 1);
    if (s >= 0)
        close(s);
    return NULL;
}

/* ---- Bad ones -------------------------------------------------------------------------------------------- */

/* Sends as much as is taken and reads nothing, or next to nothing. */
static void *be_slow(void *user)
{
    static const float noise[4096];
    uint32_t state = (uint32_t)(uintptr_t)user;
    while (!over()) {
        int s = connect_once();
        if (s < 0) {
            pause_for(0.2);
            continue;
        }
        bool alive = send_all(s, "congru/1\n", 9);
        while (alive && !over()) {
            char one;
            ssize_t sent = send(s, noise, sizeof noise, MSG_NOSIGNAL | MSG_DONTWAIT);
            (void)sent;
            if (next_random(&state) % 4 == 0)
                alive = recv(s, &one, 1, MSG_DONTWAIT) != 0;
            pause_for(0.05);
        }
        close(s);
    }
    return NULL;
}

static void *be_garbage(void *user)
{
    uint32_t state = (uint32_t)(uintptr_t)user;
    unsigned char bytes[2048];
    while (!over()) {
        int s = connect_once(), kind = (int)(next_random(&state) % 5);
        if (s < 0) {
            pause_for(0.2);
            continue;
        }
        for (size_t i = 0; i < sizeof bytes; i++)
            bytes[i] = (unsigned char)next_random(&state);
        if (kind == 0) { /* noise */
            send_all(s, bytes, sizeof bytes);
        } else if (kind == 1) { /* noise as samples: NaN, infinities, everything */
            send_all(s, "congru/1\n", 9);
            for (int i = 0; i < 50 && !over(); i++) {
                if (!send_all(s, bytes, 1 + next_random(&state) % sizeof bytes))
                    break;
                pause_for(0.02);
            }
        } else if (kind == 2) { /* a line that does not end */
            send_all(s, "congru/1 channels=", 18);
            for (int i = 0; i < 20 && !over() && send_all(s, "A,", 2); i++)
                pause_for(0.05);
        } else if (kind == 3) { /* channels and rates that are not the model's */
            static const char line[] = "congru/1 channels=X,Y rate=1\n";
            send_all(s, line, sizeof line - 1);
            if (recv(s, bytes, sizeof bytes, 0) > 0)
                atomic_fetch_add(&refused, 1);
        } /* else: comes and goes */
        close(s);
        pause_for(0.05);
    }
    return NULL;
}

int main(int count, char **words)
{
    static pthread_t thread[CLIENTS_MAX];
    if (count != 9)
        return 2;
    port = atoi(words[1]);
    seconds = strtod(words[2], NULL);
    const int kinds[3] = {atoi(words[3]), atoi(words[4]), atoi(words[5])};
    int threads = 0;
    channels = strtoul(words[6], NULL, 10);
    rate = strtod(words[7], NULL);
    window = strtoul(words[8], NULL, 10);
    void *(*const be[3])(void *) = {be_good, be_slow, be_garbage};
    pthread_attr_t small;
    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, 1 << 18);
    if (channels == 0 || channels > CHANNELS_MAX || kinds[0] + kinds[1] + kinds[2] > CLIENTS_MAX ||
        seconds > 120)
        return 2;
    started = now();
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < kinds[k]; i++)
            if (pthread_create(&thread[threads], &small, be[k], (void *)(uintptr_t)(threads + 1)) == 0)
                threads++;
    for (int i = 0; i < threads; i++)
        pthread_join(thread[i], NULL);
    printf("%d good clients: %d of %d decisions, %d clients wrong; %d connections, %d refusals heard\n",
           (int)good_done, (int)decisions_heard, (int)decisions_due, (int)good_wrong, (int)connections,
           (int)refused);
    return good_wrong > 0 || good_done != kinds[0] || decisions_due == 0;
}
