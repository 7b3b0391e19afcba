# Runs a command under a fault and judges what came of it. SPDX-License-Identifier: Apache-2.0
import json
import os
import re
import shutil
import signal
import struct
import subprocess
import threading

TIMEOUT = 60
KINDS = ['read', 'write', 'open', 'close', 'sync', 'rename', 'remove', 'mkdir', 'map', 'stat', 'seek', 'list', 'lock',
         'change']
TEMPORARY = re.compile(r'(^|/)\.congru-\d+-\d+\.tmp$')
PROGRESS = re.compile(r'\d+ of \d+ (folds|steps)')  # which a run tells every ten seconds
SANITIZER_CODE = 99
LEAKS = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'leaks.txt')


def plain_environment():
    """The environment of every run: sanitizers end with a code of their own."""
    return {'PATH': '/usr/bin:/bin', 'LC_ALL': 'C', 'ASAN_OPTIONS': f'exitcode={SANITIZER_CODE}:'
            'verify_asan_link_order=0:detect_stack_use_after_return=0:allocator_may_return_null=1:fast_unwind_on_malloc=0',
            'LSAN_OPTIONS': f'print_suppressions=0:suppressions={LEAKS}',
            'UBSAN_OPTIONS': f'halt_on_error=1:exitcode={SANITIZER_CODE}'}


def without_times(path, data):
    """The bytes of an output with what is a duration left out."""
    name = os.path.basename(path)
    if name == 'results.csv':
        rows = [line.split(b',') for line in data.split(b'\n')]
        column = rows[0].index(b'time') if b'time' in rows[0] else None
        if column is not None:
            for row in rows[1:]:
                row[column:column + 1] = [b'time']
        return b'\n'.join(b','.join(row) for row in rows)
    if re.search(r'folds/[^/]+/\d+\.csv$', path):
        data = re.sub(rb'(\ntimes,)[^,]*,[^,]*', rb'\1time,time', data)
        data = re.sub(rb'(\ndigest,)[^,]*', rb'\1of times too', data)
        return re.sub(rb'(\nend,[^,]*,[^,]*,)[^,]*', rb'\1time', data)
    return data


def printed_without_times(data):
    """Standard output without the seconds at the end of lines."""
    return re.sub(rb' +\d+\.\d\d\d$', b'', data, flags=re.M)


def read_tree(folder):
    tree = {}
    for base, folders, files in os.walk(folder):
        for name in files:
            path = os.path.join(base, name)
            relative = os.path.relpath(path, folder)
            if os.path.islink(path) or not os.path.isfile(path):
                continue
            with open(path, 'rb') as file:
                tree[relative] = without_times(relative, file.read())
    return tree


class Result:
    def __init__(self, code, out, err, hung, counts, tree):
        self.code, self.out, self.err, self.hung, self.counts, self.tree = code, out, err, hung, counts, tree


class Counts:
    def __init__(self, path):
        with open(path, 'rb') as file:
            numbers = struct.unpack('<%dQ' % (4 + len(KINDS)), file.read())
        self.ready, self.fired, self.allocations = numbers[:3]
        self.call = dict(zip(KINDS, numbers[3:]), any=numbers[-1])


class Bench:
    """Where commands are run: the program, the shim, the inputs, and a folder for the cases."""

    def __init__(self, congru, shim, scratch, place, sanitized=False):
        self.congru, self.shim, self.place, self.sanitized = congru, shim, place, sanitized
        self.inputs = os.path.join(scratch, 'in')
        self.normal = {}
        self.number = 0
        self.lock = threading.Lock()

    def folder(self):
        """A new empty folder."""
        with self.lock:
            self.number += 1
            path = os.path.join(self.place, 'case-%d' % self.number)
        os.mkdir(path)
        return path

    def environment(self, fault, counts):
        env = plain_environment()
        if fault is not None:
            env.update({name: str(value) for name, value in fault.items()}, LD_PRELOAD=self.shim, FAULT_COUNTS=counts)
            if self.sanitized:
                env['FAULT_CALLS'] = '0'
        return env

    def prepare(self, command, folder):
        """What has to be in the folder before."""
        if command.name == 'compare, kept':
            shutil.copytree(os.path.join(self.inputs, 'results'), os.path.join(folder, 'results'))

    def run(self, command, folder, fault=None, inputs=None, kill_after=None, timeout=TIMEOUT, stdout=None, through=(), **keywords):
        words = list(through) + [self.congru] + [word.replace('{in}', inputs or self.inputs) for word in command.words]
        counts = folder + '.counts'
        process = subprocess.Popen(words, cwd=folder, env=self.environment(fault, counts), stdin=subprocess.DEVNULL,
                                   stdout=subprocess.PIPE if stdout is None else stdout, stderr=subprocess.PIPE, **keywords)
        hung = False
        try:
            out, err = process.communicate(timeout=timeout if kill_after is None else kill_after)
        except subprocess.TimeoutExpired:
            hung = kill_after is None
            process.kill()
            out, err = process.communicate()
        told = None
        if os.path.exists(counts):
            told = Counts(counts)
            os.unlink(counts)
        return Result(process.returncode, out or b'', err, hung, told, read_tree(folder))

    def learn(self, command):
        """What the command does when nothing fails, counted; run twice to see that it does the same twice."""
        results = []
        for _ in range(2):
            folder = self.folder()
            self.prepare(command, folder)
            results.append(self.run(command, folder, fault={}, timeout=600))
            shutil.rmtree(folder)
        first, again = results
        if first.code != 0 or first.tree != again.tree or \
                printed_without_times(first.out) != printed_without_times(again.out):
            raise SystemExit(f'{command.name}: not the same twice: {first.code} {again.code} {first.err} ' +
                             ' '.join(k for k in first.tree if first.tree[k] != again.tree.get(k)))
        self.normal[command.name] = first
        return first

    # ---- Judging ----------------------------------------------------------------------------------------

    def judge(self, command, result, old, killed=False, says=None, stdout_broken=False):
        """'succeeded', 'failed' or 'killed', a sentence that says which rule is broken, or None for what tells nothing. `old` is the tree before;
        `says` is what the line must match."""
        normal = self.normal[command.name]
        if result.hung:
            return 'hung'
        if result.code == SANITIZER_CODE and b'CHECK failed: sanitizer_' in result.err:
            return None  # the allocation that failed was the sanitizer's own
        if result.code == SANITIZER_CODE:
            return 'the sanitizer: ' + first_finding(result.err)
        if result.code < 0 and not (killed and result.code == -signal.SIGKILL):
            return f'ended by signal {-result.code}'
        if result.code == 0:
            return self.judge_success(command, normal, result, stdout_broken)
        left = self.judge_files(command, normal, result, old, temporaries=result.code < 0)
        if left is not None:
            return left
        if result.code < 0:
            return 'killed'
        lines = [line for line in result.err.decode(errors='replace').split('\n')[:-1]
                 if line.encode() not in normal.err and not PROGRESS.match(line)]
        if result.code == 128 + signal.SIGPIPE and stdout_broken and not lines:
            return 'failed'  # nobody reads on, as in "| head"
        if result.code != 1:
            return f'exit code {result.code}: {lines}'
        if len(lines) != 1 or not lines[0].startswith('congru: ') or not result.err.endswith(b'\n'):
            return f'not one line but {len(lines)}: {lines[:3]}'
        if says is not None and not re.search(says, lines[0]) and not command.fonts:
            return f'another reason is given: {lines[0]}'
        return 'failed'

    @staticmethod
    def judge_success(command, normal, result, stdout_broken):
        differing = sorted(path for path in set(normal.tree) | set(result.tree)
                           if normal.tree.get(path) != result.tree.get(path) and
                           not (command.fonts and whole_png(result.tree.get(path, b''))))
        if differing:
            return 'success, but other files: ' + ' '.join(differing[:4])
        if not stdout_broken and printed_without_times(result.out) != printed_without_times(normal.out):
            return 'success, but other output: ' + repr(result.out[:200])
        return 'succeeded'

    @staticmethod
    def judge_files(command, normal, result, old, temporaries):
        for path, data in sorted(result.tree.items()):
            if TEMPORARY.search(path):
                if not temporaries:
                    return 'a temporary file is left: ' + path
            elif data not in (old.get(path), normal.tree.get(path)) and not (command.fonts and whole_png(data)) and \
                    not (path in command.keeps and whole_model(data)):
                return 'a damaged file: ' + path
        for path in old:
            if path not in result.tree:
                return 'a file is gone: ' + path
        return None

    def judge_again(self, command, folder):
        """The same command without a fault, after one; None, or what is wrong."""
        result = self.run(command, folder)
        result.tree = {path: data for path, data in result.tree.items() if not TEMPORARY.search(path)}
        if command.keeps:
            whole = all(map(whole_model, result.tree.values()))
            return None if result.code == 0 and whole else f'and then, without a fault: {result.code} {result.err.decode()[:200]}'
        # A run that is taken up tells of it, and has no notes of folds that it did not run.
        resumed = b'there from before' in result.out
        verdict = self.judge(command, result, {}, stdout_broken=resumed)
        return None if verdict == 'succeeded' else f'and then, without a fault: {verdict} {result.err.decode()[:200]}'

    def case(self, command, replaces=False, again=True, **options):
        """One run in a folder of its own, judged; then again without the fault. Returns (verdict, fired)."""
        judging = {key: options.pop(key) for key in ('says', 'stdout_broken') if key in options}
        folder = self.folder()
        try:
            self.prepare(command, folder)
            for path in command.old if replaces else ():
                with open(os.path.join(folder, path), 'wb') as file:
                    file.write(b'what was there before\n')
            old = read_tree(folder)
            result = self.run(command, folder, **options)
            killed = 'kill_after' in options or 'FAULT_KILL' in (options.get('fault') or {})
            verdict = self.judge(command, result, old, killed=killed, **judging)
            if again and verdict in ('failed', 'killed') and (result.tree or killed):
                verdict = self.judge_again(command, folder) or verdict
            return verdict, result.counts is None or result.counts.fired > 0
        finally:
            shutil.rmtree(folder, ignore_errors=True)


def whole_model(data):
    size = struct.unpack_from('<Q', data.ljust(8))[0]
    try:
        tensors = json.loads(data[8:8 + size])
    except ValueError:
        return False
    return len(data) == 8 + size + max(t['data_offsets'][1] for name, t in tensors.items() if name != '__metadata__')


def whole_png(data):
    return data.startswith(b'\x89PNG') and data.endswith(b'IEND\xaeB`\x82')


def first_finding(err):
    for line in err.decode(errors='replace').split('\n'):
        if 'ERROR:' in line or 'runtime error' in line:
            return line
    return 'no words'
