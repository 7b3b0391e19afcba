#!/usr/bin/env python3
"""Sends frames to 'congru stream --listen' and asks once a second: stream_client.py PORT <FRAMES. SPDX-License-Identifier: Apache-2.0"""
import json
import socket
import struct
import sys


def send(server, kind, content):
    """A packet: four letters, the number of bytes that follow, and these."""
    server.sendall(kind + struct.pack('<I', len(content)) + content)


with socket.create_connection(('127.0.0.1', int(sys.argv[1]))) as server:
    lines = server.makefile('r', encoding='utf-8')
    server.sendall(b'congru/1 format=packets\n')
    greeting = json.loads(lines.readline())
    if 'error' in greeting:
        sys.exit(greeting['error'])
    second = int(greeting['rate']) * greeting['channels'] * 4
    while frames := sys.stdin.buffer.read(second):
        send(server, b'FL32', frames)
        send(server, b'TEXT', b'decide name=now')
        for line in lines:
            answer = json.loads(line)
            if answer.get('marker') == 'now':
                break
        print(answer['time'], answer['class'] or answer['reason'])
    server.shutdown(socket.SHUT_WR)
    for line in lines:
        print(line, end='')
