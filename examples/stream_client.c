/* Sends frames to 'congru stream --listen' and asks once a second: stream_client PORT CHANNELS RATE <FRAMES. SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

/* A packet: four letters, the number of bytes that follow, and these. */
static void send_packet(FILE *server, const char *kind, const void *content, size_t size)
{
    const unsigned char count[4] = {size & 255, size >> 8 & 255, size >> 16 & 255, size >> 24 & 255};
    fwrite(kind, 1, 4, server);
    fwrite(count, 1, 4, server);
    fwrite(content, 1, size, server);
}

int main(int argc, char **argv)
{
    static char line[1 << 16], frames[1 << 20];
    struct sockaddr_in address = {.sin_family = AF_INET};
    address.sin_port = htons((unsigned short)(argc > 3 ? atoi(argv[1]) : 0));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int s = socket(AF_INET, SOCK_STREAM, 0);
    if (argc != 4 || connect(s, (struct sockaddr *)&address, sizeof address) != 0)
        return 2;
    FILE *out = fdopen(s, "w"), *in = fdopen(s, "r");
    fprintf(out, "congru/1 format=packets rate=%s\n", argv[3]);
    fflush(out);
    if (fgets(line, sizeof line, in) == NULL || strstr(line, "\"error\"") != NULL)
        return 1;
    size_t size, second = 4 * strtoul(argv[2], NULL, 10) * strtoul(argv[3], NULL, 10);
    while ((size = fread(frames, 1, second < sizeof frames ? second : sizeof frames, stdin)) > 0) {
        send_packet(out, "FL32", frames, size);
        send_packet(out, "TEXT", "decide name=now", 15);
        fflush(out);
        while (fgets(line, sizeof line, in) != NULL && strstr(line, "\"marker\":\"now\"") == NULL) {
        }
        fputs(line, stdout);
    }
    shutdown(s, SHUT_WR);
    while (fgets(line, sizeof line, in) != NULL)
        fputs(line, stdout);
    return 0;
}
