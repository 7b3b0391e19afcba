# Attacks on the decoder: by standard input, and by TCP clients on this machine. SPDX-License-Identifier: Apache-2.0
import json
import os
import re
import signal
import socket
import struct
import subprocess
import threading
import time

from hostile_formats import mutate_model
from hostile_judge import PROBLEMS, Ended, check_model, judge, judge_json_lines
from hostile_mutations import FLOATS, mutate_bytes, mutate_numbers, number_bytes, several, text_bytes

ANSWER_SECONDS = 30


# ---- Standard input ---------------------------------------------------------------------------------------------------


def feeder(pieces, pauses, stays_open):
    def feed(pipe):
        try:
            for piece, pause in zip(pieces, pauses):
                pipe.write(piece)
                pipe.flush()
                time.sleep(pause)
            if stays_open:
                time.sleep(stays_open)
            pipe.close()
        except (OSError, ValueError):
            pass  # the command has gone, as it may
    return feed


def attack_stdin(ground, r, folder):
    kind = r.choice(['float32', 'csv'])
    data = ground.bytes_of('frames.f32' if kind == 'float32' else 'frames.csv')
    data = data[:r.randrange(len(data) + 1)] if r.random() < 0.5 else data
    if r.random() < 0.6:
        data = mutate_bytes(r, data)
    cuts = sorted(r.randrange(len(data) + 1) for _ in range(r.randrange(6)))
    pieces = [data[a:b] for a, b in zip([0] + cuts, cuts + [len(data)])]
    pauses = [r.choice([0, 0, 0.01, 0.05]) for _ in pieces]
    stays = r.choice([0, 0, 0, 5])  # longer than the interrupt takes
    line = f'stream {{good}}/model --input {kind}' + r.choice(['', ' --adapt decisions', ' --window 1', ' --rate 50'])
    how = {'interrupt_after': 0.5} if stays else {}
    return ground.attempt(r, folder, line, stream=True, feed=feeder(pieces, pauses, stays), **how)


# ---- TCP --------------------------------------------------------------------------------------------------------------


class Server:
    """A server with its port and what it printed; ends it, and judges the end."""

    def __init__(self, ground, folder, words, descriptors):
        self.ground, self.folder = ground, folder
        self.out, self.err = os.path.join(folder, 'out'), os.path.join(folder, 'err')
        prefix = ground.limits.prefix + [f'--nofile={descriptors}']
        with open(self.out, 'wb') as out, open(self.err, 'wb') as err:
            self.process = subprocess.Popen(prefix + [ground.congru] + words, cwd=os.path.join(folder, 'work'), stdout=out,
                                            stderr=err, stdin=subprocess.DEVNULL, env=ground.limits.environment())
        self.port = self.wait_for_port()

    def wait_for_port(self):
        until = time.monotonic() + ANSWER_SECONDS
        while time.monotonic() < until:
            with open(self.out, 'rb') as file:
                line = file.readline()
            if line.endswith(b'\n'):
                return int(json.loads(line)['listening'].rsplit(':', 1)[1])
            time.sleep(0.01)
        return None

    def connect(self):
        client = socket.create_connection(('127.0.0.1', self.port), timeout=ANSWER_SECONDS)
        client.settimeout(0.2)
        return client

    def processor_seconds(self):
        with open(f'/proc/{self.process.pid}/stat') as file:
            fields = file.read().rsplit(')', 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf('SC_CLK_TCK')

    def end(self, number):
        limits = self.ground.limits
        timer = threading.Timer(limits.clock, self.process.kill)
        timer.start()
        if self.process.poll() is None:
            self.process.send_signal(number)
        started = time.monotonic()
        _, status, used = os.wait4(self.process.pid, 0) if self.process.returncode is None else (0, None, None)
        timer.cancel()
        if status is not None:
            self.process.returncode = os.waitstatus_to_exitcode(status)
        with open(self.out, 'rb') as out, open(self.err, 'rb') as err:
            hung = self.process.returncode == -signal.SIGKILL and time.monotonic() - started >= limits.clock
            ended = Ended(self.process.returncode, out.read(), err.read(), used.ru_maxrss / 1024 if used else 0, hung)
        return judge(limits, ended, interrupted=True) or judge_json_lines(ended.out) or \
            (f'exit code {ended.code} on an interrupt: {ended.err[:200]!r}' if ended.code in (1, 2) else None)


def receive_all(client, heard):
    """What there is to read now."""
    try:
        while True:
            piece = client.recv(65536)
            if not piece:
                return
            heard.append(piece)
    except OSError:
        return


def send_some(client, data):
    try:
        client.sendall(data)
    except OSError:
        pass  # refused, or not taken for now


def greeting(r):
    good = r.choice([b'congru/1\n', b'congru/1 channels=C1,C2,C3\n', b'congru/1 rate=100\r\n',
                     b'congru/1 channels=C3,X,C1,C2 rate=100\n'])
    return good if r.random() < 0.5 else r.choice([
        mutate_bytes(r, good), mutate_numbers(r, good), b'congru/1 channels=' + b'A,' * r.choice([1, 300, 5000]) + b'B\n',
        b'congru/1 rate=' + number_bytes(r) + b'\n', b'congru/1 channels=' + text_bytes(r) + b'\n', b'congru/2\n',
        b'GET / HTTP/1.1\r\n\r\n',
        b'\n', b'', b'c' * 100000, b'\x00' * 64, b'congru/1 ' + text_bytes(r) + b'\n'])


SESSIONS = ['a', 'b', 'c', 'a.b', 'x' * 63]
STATE_NAME = re.compile(r'[A-Za-z0-9_-][A-Za-z0-9._-]{0,62}\.state')


def greeting_of_session(r):
    """A first line that names a session, mostly one that may be named."""
    if r.random() < 0.7:
        name = r.choice(SESSIONS).encode()
    else:
        name = r.choice([b'', b'.', b'..', b'../a', b'/tmp/a', b'x' * 64, b'x' * 5000, b'a/b', b'a\x00b', b'a%sb', b'.a', b'a=b',
                         b'a session=b', text_bytes(r).replace(b'\n', b'')])
    return b'congru/1 session=' + name + r.choice([b'', b'', b' format=float32', b' channels=C1,C2,C3']) + b'\n'


def odd_frames(r, good):
    how = r.randrange(6)
    if how == 0:
        return good[:r.randrange(len(good))]
    if how == 1:
        return struct.pack('<f', r.choice([x for x in FLOATS if not 3e38 < abs(x) < float('inf')])) * 3000
    if how == 2:
        return bytes(r.randrange(256) for _ in range(3000))
    if how == 3:
        return good * 20
    return mutate_bytes(r, good)


def misbehave(ground, r, server, heard, greet=greeting):
    """One client; returns its socket if it stays."""
    client = server.connect()
    replies = []
    heard.append(replies)
    good = ground.bytes_of('frames.f32')
    how = r.randrange(8)
    send_some(client, greet(r))
    if how in (0, 1):
        send_some(client, odd_frames(r, good))
    elif how == 2:  # slow
        for byte in good[:20]:
            send_some(client, bytes([byte]))
            time.sleep(0.005)
    elif how == 3:  # a flood without listening
        client.settimeout(0.05)
        for _ in range(20):
            send_some(client, good)
    elif how == 4:
        send_some(client, odd_frames(r, good))
        try:
            client.shutdown(socket.SHUT_WR)
        except OSError:
            pass
        receive_all(client, replies)
    elif how == 5:  # a reset
        client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack('ii', 1, 0))
        client.close()
        return None
    elif how == 6:
        try:
            client.shutdown(socket.SHUT_RD)
        except OSError:
            pass
        send_some(client, odd_frames(r, good))
    if r.random() < 0.5:
        receive_all(client, replies)
        client.close()
        return None
    return client


def judge_replies(heard):
    """Whole lines that a server told are JSON."""
    for replies in heard:
        text = b''.join(replies)
        problem = judge_json_lines(text[:text.rfind(b'\n') + 1])
        if problem:
            return problem
    return None


def decisions(replies):
    """The lines with a decision; the greeting speaks of classes, too."""
    return [line for line in b''.join(replies).split(b'\n')[1:] if b'"class"' in line]


def judge_good_client(ground, server):
    """A client that behaves is still served: a greeting and a decision come."""
    until = time.monotonic() + ANSWER_SECONDS
    text = b''
    while time.monotonic() < until:
        try:
            client = server.connect()
        except OSError as problem:
            return f'no connection after the attack: {problem}'
        replies = []
        send_some(client, b'congru/1\n' + ground.bytes_of('frames.f32'))
        while time.monotonic() < until and not decisions(replies) and b'too many' not in b''.join(replies):
            before = len(replies)
            receive_all(client, replies)
            if len(replies) == before and server.process.poll() is not None:
                return 'the server has ended'
            time.sleep(0.02)
        client.close()
        text = b''.join(replies)
        if b'too many clients' not in text:
            break
        time.sleep(0.2)
    return None if decisions(replies) else f'a good client gets no decision after the attack: {text[:200]!r}'


def hang_up(clients):
    for client in clients:
        if client is not None:
            client.close()
    clients.clear()


def judge_starved(server, staying):
    """More clients than descriptors, all of them silent: there is nothing to do, and that takes no time."""
    hang_up(staying)
    time.sleep(0.5)
    staying += [server.connect() for _ in range(20)]
    time.sleep(0.1)
    before = server.processor_seconds()
    time.sleep(1)
    used = server.processor_seconds() - before
    return f'takes {used:.2f} s of a second without descriptors' if used > 0.1 else None


def attack_server(ground, r, folder, words, greet, starved=False):
    """Clients that misbehave, then one that does not, then the end of the server; the verdict, and what was asked for."""
    clients = 256 if starved else r.choice([4, 16, 256])
    words = ['stream', os.path.join(ground.good, 'model'), '--listen', '127.0.0.1:0', '--idle', r.choice(['1', '2', '30']),
             '--clients', str(clients), '--speed', r.choice(['10', '1000'])] + words
    told = 'congru ' + ' '.join(words)
    server = Server(ground, folder, words, 16 if starved else 1024)
    if server.port is None:
        server.process.kill()
        return 'the server does not start', told
    verdict, heard, staying = None, [], []
    try:
        for _ in range(r.choice([3, 6, 30 if clients < 256 else 60])):
            staying.append(misbehave(ground, r, server, heard, greet))
        if starved:
            verdict = judge_starved(server, staying)
    except OSError as problem:
        verdict = f'the server is not there: {problem}'
    hang_up(staying)
    verdict = verdict or judge_replies(heard) or judge_good_client(ground, server)
    verdict = server.end(r.choice([signal.SIGINT, signal.SIGTERM])) or verdict
    return verdict or 'accepted', told


def attack_tcp(ground, r, folder):
    return attack_server(ground, r, folder, [], greeting, starved=r.random() < 0.2)


# ---- Sessions and logs ------------------------------------------------------------------------------------------------


def is_taken(ground, folder, data):
    """Whether a state that was changed is one still."""
    path = os.path.join(folder, 'changed')
    with open(path, 'wb') as file:
        file.write(data)
    words = ['stream', os.path.join(ground.good, 'model'), os.path.join(ground.good, 'frames.f32'), '--state', path]
    return subprocess.run([ground.congru] + words, env=ground.limits.environment(), stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL).returncode == 0


def judge_states(ground, folder, place, before):
    """States are whole, under names that clients may give; what was damaged stays as it was."""
    for name in sorted(os.listdir(place)):
        path = os.path.join(place, name)
        if not STATE_NAME.fullmatch(name):
            return f'a file {name!r} among the states'
        if not os.path.isfile(path):
            continue
        with open(path, 'rb') as file:
            data = file.read()
        if data == before.get(name):
            continue
        if name in before and not is_taken(ground, folder, before[name]):
            return f'a state that is damaged was written over: {name}'
        try:
            check_model(data)
        except PROBLEMS as problem:
            return f'wrote {name}: {problem}'
    return None


def attack_session(ground, r, folder):
    """A server that keeps what it learns, and tells what happens; some of what it kept is damaged, some of its places are taken."""
    work = os.path.join(folder, 'work')
    place, log = os.path.join(work, 'states'), os.path.join(work, 'log')
    os.mkdir(place)
    before, good = {}, ground.bytes_of('subject.state')
    for name in SESSIONS:
        path = os.path.join(place, name + '.state')
        how = r.randrange(8)
        if how == 0:
            before[name + '.state'] = good
            with open(path, 'wb') as file:
                file.write(good)
        elif how <= 2:
            data = several(r, good, [mutate_model])
            before[name + '.state'] = data
            with open(path, 'wb') as file:
                file.write(data)
        elif how == 3:
            r.choice([os.mkdir, os.mkfifo, lambda path: os.symlink('nothing', path), lambda path: os.symlink(path, path)])(path)
    kind = r.choice(['file', 'file', 'pipe', 'full'])
    if kind == 'pipe':
        os.mkfifo(log)
    words = ['--state', place, '--log', '/dev/full' if kind == 'full' else log]
    verdict, told = attack_server(ground, r, folder, words, lambda r: greeting_of_session(r) if r.random() < 0.8 else greeting(r))
    if verdict == 'accepted' and kind == 'file':
        with open(log, 'rb') as file:
            verdict = judge_json_lines(file.read()) or verdict
    if verdict == 'accepted':
        verdict = judge_states(ground, folder, place, before) or verdict
    if verdict == 'accepted' and sorted(os.listdir(work)) != sorted(['states'] + (['log'] if kind != 'full' else [])):
        verdict = f'files beside the states: {os.listdir(work)}'
    return verdict, told
