#!/usr/bin/env python3
"""A client for tests: protocol_client.py PORT 'FIRST LINE' [STEP...]; prints what the server says. SPDX-License-Identifier: Apache-2.0

A step is FILE:FROM:TO (these frames of 3 channels in a packet FL32), csv:FILE:FROM:TO (as lines), text:WORDS (a packet
TEXT), raw:TEXT (with escapes), pause:SECONDS, hear:LINES (prints so many as they come, or all until the server ends where
that is earlier), drip:SECONDS (a byte every quarter of a second until the server ends).
"""
import array
import errno
import socket
import struct
import sys
import time


def read(path, begin, end):
    frames = array.array('f')
    frames.frombytes(open(path, 'rb').read()[12 * int(begin):12 * int(end)])
    return frames


def packet(kind, content):
    return kind + struct.pack('<I', len(content)) + content


def drip(server, seconds):
    server.settimeout(0.25)
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        try:
            if not server.recv(65536):
                return
        except TimeoutError:
            server.sendall(b'x')
    print('still there')


def hear(server, lines):
    server.settimeout(60)
    while lines > 0 and (got := server.recv(65536)):
        sys.stdout.write(got.decode())
        sys.stdout.flush()
        lines -= got.count(b'\n')


def act(server, step):
    kind, _, rest = step.partition(':')
    if kind == 'text':
        server.sendall(packet(b'TEXT', rest.encode()))
    elif kind == 'raw':
        server.sendall(rest.encode().decode('unicode_escape').encode('latin-1'))
    elif kind == 'pause':
        time.sleep(float(rest))
    elif kind == 'hear':
        hear(server, int(rest))
    elif kind == 'drip':
        drip(server, float(rest))
    elif kind == 'csv':
        frames = read(*rest.split(':'))
        lines = (','.join(map(repr, frames[i:i + 3])) + '\n' for i in range(0, len(frames), 3))
        server.sendall(''.join(lines).encode())
    else:
        server.sendall(packet(b'FL32', read(*step.split(':')).tobytes()))


with socket.create_connection(('127.0.0.1', int(sys.argv[1]))) as server:
    server.sendall(sys.argv[2].encode() + b'\n')
    try:
        for step in sys.argv[3:]:
            act(server, step)
        server.shutdown(socket.SHUT_WR)
        hear(server, sys.maxsize)
    except OSError as error:  # the server has let this client go, which the sender or the reader may find out first
        if error.errno not in (errno.EPIPE, errno.ECONNRESET, errno.ENOTCONN):
            raise
