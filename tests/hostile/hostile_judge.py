# Runs a command on hostile input and judges how it ended and what it left. SPDX-License-Identifier: Apache-2.0
import csv
import io
import json
import math
import os
import re
import signal
import struct
import subprocess
import threading
import time
import xml.etree.ElementTree
import zipfile

from fault_judge import SANITIZER_CODE, TEMPORARY, first_finding, plain_environment

PROCESSOR_SECONDS = 20  # inputs are small: an honest run takes a fraction of a second
CLOCK_SECONDS = 90
PEAK_MEGABYTES = 256
ADDRESS_MEGABYTES = 3000  # what a plain run may ask for, so that a bomb does not take the machine down
FILE_MEGABYTES = 256
SANITIZED_FACTOR = 3  # in time and memory
SHOWN = 4 << 20
CONTROL = re.compile('[\x00-\x08\x0b-\x1f\x7f\x80-\x9f]')
NOT_FINITE = re.compile(r'(?<![\w.+-])[-+]?(nan|inf|infinity)(?![\w.-])', re.I)
PROGRESS = re.compile(r'^\d+ of \d+ ')
NUMBERS = {'score', 'time', 'samples', 'kappa', 'balanced_accuracy', 'accuracy', 'mean', 'sd', 'z', 'p', 'probability'}


class Limits:
    def __init__(self, sanitized):
        factor = SANITIZED_FACTOR if sanitized else 1
        self.sanitized = sanitized
        self.processor = PROCESSOR_SECONDS * factor
        self.clock = CLOCK_SECONDS * factor
        self.peak = PEAK_MEGABYTES * factor
        self.prefix = ['prlimit', f'--cpu={self.processor}', f'--fsize={FILE_MEGABYTES << 20}', '--core=0']
        if not sanitized:  # the shadow memory of the sanitizer is larger than any limit
            self.prefix.append(f'--as={ADDRESS_MEGABYTES << 20}')

    def environment(self, extra=()):
        env = plain_environment()
        env['ASAN_OPTIONS'] += f':hard_rss_limit_mb={2 * self.peak}:quarantine_size_mb=16:max_allocation_size_mb=4000'
        env.update(extra)
        return env


class Ended:
    def __init__(self, code, out, err, peak, hung):
        self.code, self.out, self.err, self.peak, self.hung = code, out, err, peak, hung


def run(limits, words, work, env=(), stdin=None, feed=None, interrupt_after=None):
    """Runs the words to their end. stdin: bytes or None; feed(pipe) writes to standard input in its own time."""
    log = work + '.log'
    os.makedirs(log, exist_ok=True)
    place = os.path.join(log, 'stdin')
    with open(place, 'wb') as file:
        file.write(stdin or b'')
    with open(place, 'rb') as given, open(os.path.join(log, 'out'), 'w+b') as out, \
            open(os.path.join(log, 'err'), 'w+b') as err:
        process = subprocess.Popen(limits.prefix + words, cwd=work, env=limits.environment(env), stdout=out, stderr=err,
                                   stdin=subprocess.PIPE if feed is not None else given)
        timers = [threading.Timer(limits.clock, process.send_signal, [signal.SIGKILL])]
        if interrupt_after is not None:
            timers.append(threading.Timer(interrupt_after, process.send_signal, [signal.SIGINT]))
        for timer in timers:
            timer.daemon = True
            timer.start()
        started = time.monotonic()
        if feed is not None:
            threading.Thread(target=feed, args=[process.stdin], daemon=True).start()
        _, status, used = os.wait4(process.pid, 0)
        for timer in timers:
            timer.cancel()
        process.returncode = os.waitstatus_to_exitcode(status)
        hung = process.returncode == -signal.SIGKILL and time.monotonic() - started >= limits.clock
        out.seek(0)
        err.seek(0)
        return Ended(process.returncode, out.read(SHOWN), err.read(SHOWN), used.ru_maxrss / 1024, hung)


def judge(limits, ended, interrupted=False, lines=1):
    """None, or the rule that the end of the process breaks. A failure may print so many lines."""
    err = ended.err.decode('utf-8', 'replace')
    if ended.hung:
        return f'does not end within {limits.clock} s'
    if ended.code == SANITIZER_CODE or 'Sanitizer' in err or 'runtime error:' in err:
        said = [line for line in err.split('\n') if 'Sanitizer' in line]
        summary = [line for line in said if line.startswith('SUMMARY: ')]
        return 'the sanitizer: ' + (summary or said or [first_finding(ended.err)])[0]
    if ended.code == -signal.SIGXCPU:
        return f'takes more than {limits.processor} s of the processor'
    if ended.code < 0:
        return f'ended by signal {-ended.code}'
    if ended.code not in ((0, 1, 2, 130, 143) if interrupted else (0, 1, 2)):
        return f'exit code {ended.code}'
    if ended.peak > limits.peak:
        return f'takes {ended.peak:.0f} MB'
    return judge_lines(ended.code, err, lines) or judge_text(ended)


def judge_lines(code, err, most):
    lines = [line for line in err.split('\n') if not PROGRESS.match(line)]
    if lines.pop() != '':
        return 'the last line of standard error has no end'
    others = [line for line in lines if not line.startswith('congru: warning: ') and not line.startswith('congru: note: ')]
    if code == 2 and others and others[0].startswith('Usage: congru '):
        return None
    if any(not line.startswith('congru: ') for line in others):
        return f'a line without congru: in front: {others[:2]}'
    if code in (1, 2) and not 1 <= len(others) <= most:
        return f'not one line but {len(others)}: {others[:3]}'
    if code in (1, 2) and re.search('File too large', others[0]):
        return f'wants a file of more than {FILE_MEGABYTES} MB: {others[0][:200]}'
    return None


def judge_text(ended):
    for name, data in (('output', ended.out), ('error', ended.err)):
        found = CONTROL.search(data.decode('utf-8', 'replace'))
        if found:
            return f'a control character, {found.group()!r}, on standard {name}'
    return None


# ---- What was written -----------------------------------------------------------------------------------------


def strict_json(text):
    """Parsed, every number finite."""
    def refuse(word):
        raise ValueError(f'{word} is not JSON')

    def finite(word):
        number = float(word)
        if not math.isfinite(number):
            raise ValueError(f'{word} is not finite')
        return number
    return json.loads(text, parse_constant=refuse, parse_float=finite)


def check_csv(text):
    rows = list(csv.reader(io.StringIO(text)))
    if not rows:
        raise ValueError('an empty table')
    number = [name in NUMBERS or re.fullmatch(r'p_.*|p\d+', name) is not None for name in rows[0]]
    for row in rows[1:]:
        for is_number, cell in zip(number, row):
            if is_number and NOT_FINITE.fullmatch(cell.strip()):
                raise ValueError(f'a cell {cell}')


def check_numbers(body, width):
    """That float32 or float64 values are finite."""
    values = struct.unpack('<%d%s' % (len(body) // width, {4: 'f', 8: 'd'}[width]), body)
    if not all(map(math.isfinite, values)):
        raise ValueError('an array that is not finite')


def check_npy(data):
    if data[:6] != b'\x93NUMPY':
        raise ValueError('not an array')
    wide = data[6] > 1
    size = struct.unpack('<I' if wide else '<H', data[8:12 if wide else 10])[0]
    start = (12 if wide else 10) + size
    head = data[:start].decode('latin-1')
    found = re.search(r"'descr': '<f([48])'", head)
    if found:
        check_numbers(data[start:], int(found.group(1)))


def check_npz(data):
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        for name in archive.namelist():
            check_npy(archive.read(name))  # which compares the checksum


def check_svg(text):
    for element in xml.etree.ElementTree.fromstring(text).iter():
        for name, value in element.attrib.items():
            if name in ('x', 'y', 'd', 'points', 'x1', 'y1', 'width', 'height', 'cx', 'cy') and \
                    re.search('nan|inf', value, re.I):
                raise ValueError(f'{name}="{value[:40]}"')


def check_file(path, data, named):
    """Raises ValueError or another of PROBLEMS for a file that is not whole. What it holds goes before what it is called, which
    says something only if it is `named` as such files are."""
    ending = '.npy' if data.startswith(b'\x93NUMPY') else '.npz' if data.startswith(b'PK\x03\x04') else \
        '.svg' if data.startswith(b'<svg') else os.path.splitext(path)[1] if named else ''
    CHECKS.get(ending, lambda data: None)(data)


def check_model(data):
    size = struct.unpack_from('<Q', data)[0]
    header = strict_json(data[8:8 + size].decode())
    end = max([tensor['data_offsets'][1] for name, tensor in header.items() if name != '__metadata__'], default=0)
    if len(data) != 8 + size + end:
        raise ValueError('a model of another length than it says')
    check_numbers(data[8 + size:], 8)


CHECKS = {'.json': lambda data: strict_json(data.decode()), '.csv': lambda data: check_csv(data.decode()),
          '.npy': check_npy, '.npz': check_npz, '.svg': lambda data: check_svg(data.decode()),
          '.safetensors': check_model}
PROBLEMS = (ValueError, KeyError, TypeError, RecursionError, zipfile.BadZipFile, xml.etree.ElementTree.ParseError,
            struct.error)


def judge_files(before, after, code, keeps_parts, named=True):
    """None, or what is wrong with the files of a folder: {path: bytes} before and after."""
    for path, data in sorted(after.items()):
        if data == before.get(path):
            continue
        if TEMPORARY.search(path):
            return 'a temporary file is left: ' + path
        if code != 0 and not keeps_parts:
            return 'failed, and wrote ' + path
        try:
            check_file(path, data, named)
        except PROBLEMS as problem:
            return f'wrote {path}: {problem}'
    gone = sorted(set(before) - set(after))
    return 'a file is gone: ' + gone[0] if gone else None


def judge_json_lines(out):
    """None, or what is wrong with the lines of a stream."""
    lines = out.decode('utf-8', 'replace').split('\n')
    if lines.pop() != '':
        return 'the last line has no end'
    for line in lines:
        try:
            strict_json(line)
        except ValueError as problem:
            return f'a line that is not JSON: {problem}: {line[:120]}'
    return None


def judge_numbers(out, inputs):
    """None, or the number that is printed though no input has one like it as text."""
    found = NOT_FINITE.search(out.decode('utf-8', 'replace'))
    if found is None or any(NOT_FINITE.search(data.decode('latin-1')) for data in inputs):
        return None
    return f'prints {found.group()}'


# ---- Whether the judge sees what it is to see -----------------------------------------------------------------------

WRONG_ENDS = [
    ('a crash', 'kill -SEGV $$'),
    ('another code', 'echo "congru: x" >&2; exit 3'),
    ('no line', 'exit 1'),
    ('two lines', 'echo "congru: a\ncongru: b" >&2; exit 1'),
    ('no prefix', 'echo a >&2; exit 1'),
    ('no end of line', 'printf "congru: a" >&2; exit 1'),
    ('a control character', 'printf "\\033[1m"'),
    ('a report', 'echo "SUMMARY: AddressSanitizer: x" >&2'),
    ('a file beyond the limit', 'echo "congru: File too large" >&2; exit 1'),
]
WRONG_FILES = [('a.json', b'{"a":NaN}'), ('a.json', b'{"a":1e999}'), ('a.json', b'{"a":'), ('a.csv', b'score\ninf\n'),
               ('a.csv', b''), ('a.npz', b'PK\x03\x04'),
               ('a.npy', b'no'), ('.congru-1-2.tmp', b''), ('a.svg', b'<svg><line x1="nan"/></svg>'), ('a.safetensors', bytes(9))]


def judge_itself(limits, work):
    """What the judge lets pass of what it must not."""
    missed = [what for what, script in WRONG_ENDS if judge(limits, run(limits, ['sh', '-c', script], work)) is None]
    if judge(limits, run(limits, ['sh', '-c', 'echo "congru: a" >&2; exit 1'], work)) is not None:
        missed.append('one line')
    missed += [f'{path} {data}' for path, data in WRONG_FILES if judge_files({}, {path: data}, 0, False) is None]
    if judge_files({}, {'a': b''}, 1, False) is None or judge_files({'a': b''}, {}, 0, False) is None:
        missed.append('a file that came or went')
    if judge_json_lines(b'{"p":[nan]}\n') is None or judge_numbers(b'inf \xc2\xb1 inf', []) is None:
        missed.append('numbers that are not finite')
    return missed
