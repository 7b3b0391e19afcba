#!/usr/bin/env python3
# Makes things fail under every command, and counts what came of it. SPDX-License-Identifier: Apache-2.0
#
# usage: campaign.py --build BUILD [--sample] [--sanitized] [--only FAULT] [--command NAME] [--details]
#
# Needs nothing but Python's standard library. See docs/reliability.md for the faults and the rules.
import argparse
import collections
import errno
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor

sys.dont_write_bytecode = True  # the source tree may not be ours to write to
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from fault_commands import COMMANDS, make_inputs  # noqa: E402
from fault_judge import TIMEOUT, Bench  # noqa: E402

NOBODY = 65534
ALLOCATIONS = 2000
THREADS = 2
PARTS = ['calls', 'lengths', 'kills', 'full_disks', 'inputs', 'outputs', 'allocations']
MEMORY = r'[Mm]emory'
FAILURES = [('read', errno.EIO), ('write', errno.ENOSPC), ('open', errno.EMFILE), ('open', errno.EACCES),
            ('close', errno.EIO), ('sync', errno.EIO), ('rename', errno.ENOSPC), ('mkdir', errno.ENOSPC),
            ('map', errno.ENOMEM), ('stat', errno.EIO), ('seek', errno.EIO), ('list', errno.EIO),
            ('lock', errno.EIO), ('change', errno.EIO)]
KILL_KINDS = ('write', 'open', 'close', 'sync', 'rename', 'mkdir', 'remove', 'change')


class Campaign:
    def __init__(self, bench, sample, until, seed=1):
        self.bench, self.sample = bench, sample
        self.random = random.Random(seed)
        self.rows = collections.OrderedDict()  # fault -> command -> Counter
        self.violations = []
        self.skipped = []
        self.until = until
        self.unfinished = 0
        self.pool = ThreadPoolExecutor(THREADS)

    def places(self, count, most, in_sample=3):
        """Which of `count` places to try: all, or as many as `most`, evenly."""
        most = min(most, in_sample) if self.sample else most
        if count <= most:
            return list(range(1, count + 1))
        if self.sample:
            return sorted(self.random.sample(range(1, count + 1), most))
        return sorted({1 + (count - 1) * i // (most - 1) for i in range(most)})

    def submit(self, fault, command, what, call):
        def work():
            if time.monotonic() > self.until:
                return fault, command, what, 'no time', False
            try:
                verdict, fired = call()
            except Exception as problem:  # the harness itself
                verdict, fired = f'the harness: {problem!r}', True
            return fault, command, what, verdict, fired
        return self.pool.submit(work)

    def collect(self, futures):
        for future in futures:
            fault, command, what, verdict, fired = future.result()
            if verdict in (None, 'no time'):
                self.unfinished += verdict is not None
                continue
            counter = self.rows.setdefault(fault, collections.OrderedDict()).setdefault(command.name,
                                                                                       collections.Counter())
            counter['tries'] += 1
            counter['fired'] += fired
            if verdict in ('succeeded', 'failed', 'killed'):
                counter[verdict] += 1
            else:
                counter['violations'] += 1
                self.violations.append(f'{fault}: {command.name}: {what}: {verdict}')
                if not self.sample:
                    print(self.violations[-1], file=sys.stderr, flush=True)

    def under_shim(self, fault_name, command, faults, **options):
        bench = self.bench
        if not bench.sanitized and not bench.normal[command.name].counts.ready:
            self.skipped.append('system calls: seccomp filters are not allowed here')
            return []
        return [self.submit(fault_name, command, fault,
                            lambda fault=fault, n=n: bench.case(command, fault=fault, replaces=n % 2 == 1, **options))
                for n, fault in enumerate(faults)]

    # ---- Faults -----------------------------------------------------------------------------------------

    def allocations(self, command):
        """Each of the first 2000 allocations, alone; and each of a sample of them with all after it."""
        count = min(self.bench.normal[command.name].counts.allocations, ALLOCATIONS)
        yield from self.under_shim('an allocation fails', command,
                                   [{'FAULT_ALLOC': n} for n in self.places(count, ALLOCATIONS, 5)], says=MEMORY)
        yield from self.under_shim('an allocation and all later fail', command,
                                   [{'FAULT_ALLOC': n, 'FAULT_LATER': 1} for n in self.places(count, 50, 2)], says=MEMORY)

    def calls(self, command):
        """Each system call of each kind, failing."""
        counts = self.bench.normal[command.name].counts.call
        for kind, error in FAILURES:
            name = f'{"an" if kind == "open" else "a"} {kind} fails ({errno.errorcode[error]})'
            yield from self.under_shim(name, command, [{'FAULT_CALL': kind, 'FAULT_NTH': n, 'FAULT_ERRNO': error}
                                                       for n in self.places(counts[kind], 400, 1)],
                                       says=re.escape(os.strerror(error)))
        yield from self.under_shim('a write and all later fail (ENOSPC)', command,
                                   [{'FAULT_CALL': 'write', 'FAULT_NTH': n, 'FAULT_ERRNO': errno.ENOSPC,
                                     'FAULT_LATER': 1} for n in self.places(counts['write'], 400, 1)])

    def lengths(self, command):
        """Reads and writes of random lengths, which every command must get over; and interrupted calls."""
        seeds = self.places(20, 20, 1)
        yield from self.under_shim('short reads and writes', command, [{'FAULT_SHORT': n} for n in seeds],
                                   says='^$')
        yield from self.under_shim('interrupted calls (EINTR)', command, [{'FAULT_EINTR': n} for n in seeds])
        yield from self.under_shim('short and interrupted', command,
                                   [{'FAULT_SHORT': n, 'FAULT_EINTR': n + 1000} for n in seeds])

    def kills(self, command):
        """SIGKILL at each system call that changes something, and at random times."""
        counts = self.bench.normal[command.name].counts.call
        for kind in KILL_KINDS:
            yield from self.under_shim(f'killed at {"an" if kind == "open" else "a"} {kind}', command,
                                       [{'FAULT_CALL': kind, 'FAULT_NTH': n, 'FAULT_KILL': 1}
                                        for n in self.places(counts[kind], 400, 1)])
        if not self.bench.normal[command.name].tree:
            return
        started = time.monotonic()
        self.bench.case(command)
        seconds = time.monotonic() - started
        for n in range(2 if self.sample else 40):
            after = self.random.uniform(0, 1.2 * seconds)
            yield self.submit('killed at a random time', command, f'{after:.4f} s',
                              lambda after=after, n=n: self.bench.case(command, kill_after=after, replaces=n % 2 == 1))

    def full_disks(self, command):
        """Files that may not grow beyond a size; a disk that holds so much and no more."""
        def limited(size):
            return self.bench.case(command, through=['prlimit', f'--fsize={size}'])
        if not self.bench.normal[command.name].tree:
            return
        for size in (0, 1000) if self.sample else (0, 1, 100, 1000, 4096, 10000, 50000):
            yield self.submit('no file beyond a size (ulimit -f)', command, f'{size} bytes',
                              lambda size=size: limited(size))
        if os.geteuid() != 0:
            self.skipped.append('a small disk: mounting a tmpfs needs root')
        else:
            for size in (8,) if self.sample else (4, 8, 12, 16, 24, 32, 48, 64, 96, 128, 256, 512, 1024):
                yield self.submit('a small disk (tmpfs)', command, f'{size} KiB', lambda size=size: self.small(command, size))

    def small(self, command, size):
        """On a file system of its own that is too small, or just large enough; then made larger."""
        folder = self.bench.folder()
        words = ['mount', '-t', 'tmpfs', '-o', f'size={size}k', 'congru-faults', folder]
        if subprocess.run(words, stderr=subprocess.DEVNULL).returncode != 0:
            os.rmdir(folder)
            self.skipped.append('a small disk: mounting a tmpfs is not allowed here')
            return 'succeeded', False
        try:
            try:
                self.bench.prepare(command, folder)
            except (OSError, shutil.Error):
                return 'failed', False
            result = self.bench.run(command, folder)
            old = {}
            if command.name == 'compare, kept':
                old = {path: data for path, data in self.bench.normal[command.name].tree.items()
                       if path != 'results/statistics.json'}
            verdict = self.bench.judge(command, result, old)
            if verdict == 'failed':
                subprocess.run(['mount', '-o', 'remount,size=64m', folder], check=True)
                verdict = self.bench.judge_again(command, folder) or verdict
            return verdict, verdict == 'failed'
        finally:
            subprocess.run(['umount', folder], check=True)
            os.rmdir(folder)

    def inputs(self, command):
        """Each input in turn is something that cannot be read. It cannot succeed, but for optional files."""
        for name in command.inputs:
            for kind in ('missing', 'a folder', 'a dangling link', 'a pipe nobody writes to', 'empty', 'unreadable'):
                if kind == 'a pipe nobody writes to' and name in command.pipes:
                    continue
                yield self.submit(f'an input is {kind}', command, name,
                                  lambda name=name, kind=kind: self.unreadable(command, name, kind))

    def unreadable(self, command, name, kind):
        folder = self.bench.folder()
        private, work = os.path.join(folder, 'in'), os.path.join(folder, 'work')
        shutil.copytree(self.bench.inputs, private, copy_function=os.link)
        os.mkdir(work)
        path = os.path.join(private, name)
        options = {'timeout': 5 if kind == 'a pipe nobody writes to' else TIMEOUT}
        os.unlink(path)
        if kind == 'unreadable':
            shutil.copy(os.path.join(self.bench.inputs, name), path)
            os.chmod(path, 0)
            if os.geteuid() == 0:
                os.chown(work, NOBODY, NOBODY)
                options.update(user=NOBODY, group=NOBODY, extra_groups=[])
        elif kind == 'a folder':
            os.mkdir(path)
        elif kind == 'a dangling link':
            os.symlink('nothing', path)
        elif kind == 'a pipe nobody writes to':
            os.mkfifo(path)
        elif kind == 'empty':
            open(path, 'w').close()
        result = self.bench.run(command, work, inputs=private, **options)
        verdict = self.bench.judge(command, result, {}) if result.code != 0 else 'succeeded'
        shutil.rmtree(folder)
        return verdict, True

    def outputs(self, command):
        """Standard output that takes nothing; an output whose place is taken or closed."""
        if self.bench.normal[command.name].out:
            yield self.submit('standard output is full (/dev/full)', command, '', lambda: self.printed(command, 'full'))
            yield self.submit('standard output is closed', command, '', lambda: self.printed(command, 'closed'))
            yield self.submit('standard output is a broken pipe', command, '', lambda: self.printed(command, 'pipe'))
        words = command.words
        if '-o' in words or '--edf' in words:
            for kind in ('taken', 'read-only folder', 'below a file', '/dev/full'):
                if command.old or kind != '/dev/full':
                    yield self.submit(f'the output is {kind}' if kind == '/dev/full' else f'the output\'s place: {kind}',
                                      command, '', lambda kind=kind: self.misplaced(command, kind))

    def printed(self, command, kind):
        if kind == 'full':
            with open('/dev/full', 'wb') as full:
                verdict, _ = self.bench.case(command, stdout=full, stdout_broken=True, again=False)
        elif kind == 'closed':
            verdict, _ = self.bench.case(command, through=['sh', '-c', 'exec "$@" >&-', 'sh'], stdout_broken=True, again=False)
        else:
            reading, writing = os.pipe()
            os.close(reading)
            verdict, _ = self.bench.case(command, stdout=writing, stdout_broken=True, again=False)
            os.close(writing)
        return (verdict if verdict != 'succeeded' else 'success, though nothing was printed'), True

    def misplaced(self, command, kind):
        folder = self.bench.folder()
        self.bench.prepare(command, folder)
        words = list(command.words)
        at = 1 + (words.index('-o') if '-o' in words else words.index('--edf'))
        options = {}
        if kind == 'taken':  # a folder where a file goes, a file where a folder goes
            if command.old:
                os.mkdir(os.path.join(folder, words[at]))
            else:
                open(os.path.join(folder, words[at]), 'w').close()
        elif kind == 'below a file':  # folders are made with those above them, where they can be
            open(os.path.join(folder, 'file'), 'w').close()
            words[at] = 'file/there/' + words[at]
        elif kind == '/dev/full':  # by a link, since the ending of a name may be the format
            aside = self.bench.folder()
            os.symlink('/dev/full', os.path.join(aside, words[at]))
            words[at] = os.path.join(aside, words[at])
        else:
            os.chmod(folder, 0o555)
            if os.geteuid() == 0:
                options = {'user': NOBODY, 'group': NOBODY, 'extra_groups': []}
        changed = type(command)(command.name, ' '.join(words))
        before = {path: b'' for path in [words[at]] if kind == 'taken' and not command.old}
        before.update({'file': b''} if kind == 'below a file' else {})
        result = self.bench.run(changed, folder, **options)
        verdict = self.bench.judge(changed, result, before)
        if verdict == 'succeeded':
            verdict = 'success, though the output could not be written'
        os.chmod(folder, 0o755)
        for used in [folder, aside] if kind == '/dev/full' else [folder]:
            shutil.rmtree(used)
        return verdict, True

    # ---- The whole --------------------------------------------------------------------------------------

    def run(self, command, part):
        self.bench.learn(command)
        self.collect(list(getattr(self, part)(command)))

    def join(self, other):
        for fault, by_command in other.rows.items():
            self.rows.setdefault(fault, collections.OrderedDict()).update(by_command)
        self.violations += other.violations
        self.skipped += other.skipped
        self.unfinished += other.unfinished

    def commands(self):
        return {name for by_command in self.rows.values() for name in by_command}

    def table(self, details):
        total = collections.Counter()
        columns = ['tries', 'succeeded', 'failed', 'killed', 'violations']
        yield '| fault | ' + ('command | ' if details else '') + \
            'tries | succeeded | failed with one line | killed, then resumed | violations |'
        yield '| --- |' + (' --- |' if details else '') + ' ---: |' * len(columns)
        for fault, by_command in self.rows.items():
            summed = sum(by_command.values(), collections.Counter())
            total += summed
            for name, counter in by_command.items() if details else [('', summed)]:
                yield '| ' + ' | '.join([fault] + ([name] if details else []) + [str(counter[c]) for c in columns]) + ' |'
        yield '| ' + ' | '.join(['all'] + ([''] if details else []) + [str(total[c]) for c in columns]) + ' |'


def find_tools(build, source, scratch):
    """The programs that make inputs: built by meson, or compiled here."""
    def find(name):
        path = os.path.join(build, 'tests', name)
        if os.path.exists(path):
            return path
        path = os.path.join(scratch, name)
        if not os.path.exists(path):
            sources = [f'{source}/tests/support/{name}.c'] + ([f'{source}/tests/support/gdf_writer.c'] if name == 'make_gdf' else [])
            subprocess.run(os.environ.get('CC', 'cc').split() + ['-O1', '-o', path] + sources + ['-lm'], check=True)
        return path
    return find


def scratch_folder(prefix='congru-faults-'):
    """In memory if that can be: the campaign makes many files and flushes them all."""
    place = '/dev/shm' if os.access('/dev/shm', os.W_OK) else None
    path = tempfile.mkdtemp(prefix=prefix, dir=place)
    os.chmod(path, 0o755)
    return path


def parse():
    parser = argparse.ArgumentParser()
    parser.add_argument('--build', required=True)
    parser.add_argument('--sample', action='store_true', help='a few places of each, as TAP')
    parser.add_argument('--sanitized', action='store_true', help='allocations alone, in a build with sanitizers')
    parser.add_argument('--only', action='append', help='allocations, calls, lengths, kills, full_disks, inputs, outputs')
    parser.add_argument('--command', action='append', help='these commands alone')
    parser.add_argument('--jobs', type=int, default=os.cpu_count() or 1, help='runs at a time')
    parser.add_argument('--minutes', type=float, default=1e6, help='try no more after so long')
    parser.add_argument('--tap', action='store_true', help='report as TAP')
    parser.add_argument('--details', action='store_true', help='a row for each command')
    return parser.parse_args()


def main():
    options = parse()
    source = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    build = os.path.abspath(options.build)
    scratch = scratch_folder()
    try:
        # Copied to where somebody who is not root can run it.
        congru, shim = os.path.join(scratch, 'congru'), os.path.join(scratch, 'libfault_shim.so')
        shutil.copy(os.path.join(build, 'congru'), congru)
        shutil.copy(os.path.join(build, 'tests', 'faults', 'libfault_shim.so'), shim)
        os.mkdir(os.path.join(scratch, 'in'))
        make_inputs(os.path.join(scratch, 'in'), congru, find_tools(build, source, scratch))
        campaign = run_all(options, congru, shim, scratch)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    return report(campaign, options)


def run_task(task):
    options, congru, shim, scratch, until, command, part = task
    place = tempfile.mkdtemp(dir=scratch)
    os.chmod(place, 0o755)
    campaign = Campaign(Bench(congru, shim, scratch, place, options.sanitized), options.sample, until)
    campaign.run(command, part)
    campaign.pool.shutdown()
    campaign.pool = campaign.bench = None
    if not options.sample:
        print(f'{command.name}: {part}: {len(campaign.violations)} violations', file=sys.stderr, flush=True)
    return campaign


def run_all(options, congru, shim, scratch):
    """Every part on every command, in processes: one starts programs one after the other, however many threads it has."""
    until = time.monotonic() + 60 * options.minutes
    whole = Campaign(None, options.sample, until)
    tasks = [(options, congru, shim, scratch, until, command, part)
             for part in (PARTS[-1:] if options.sanitized else PARTS) if options.only is None or part in options.only
             for command in COMMANDS if options.command is None or command.name in options.command]
    with ProcessPoolExecutor(options.jobs) as pool:
        for campaign in pool.map(run_task, tasks):
            whole.join(campaign)
    return whole


def report_tap(campaign):
    for number, (fault, by_command) in enumerate(campaign.rows.items(), 1):
        summed = sum(by_command.values(), collections.Counter())
        for line in campaign.violations:
            if line.startswith(fault + ': '):
                print('# ' + line)
        print(f'{"not " if summed["violations"] else ""}ok {number} - {fault}: {summed["tries"]} times')
    skipped = sorted(set(campaign.skipped))
    for number, line in enumerate(skipped, len(campaign.rows) + 1):
        print(f'ok {number} - {line.split(":")[0]} # SKIP {line.split(":")[1].strip()}')
    print(f'1..{len(campaign.rows) + len(skipped)}')
    return 1 if campaign.violations else 0


def report(campaign, options):
    if options.tap:
        return report_tap(campaign)
    for details in (False, True) if options.details else (False,):
        for line in campaign.table(details):
            print(line)
    print(f'{len(campaign.commands())} commands')
    if campaign.unfinished:
        print(f'not tried for want of time: {campaign.unfinished}')
    for line in sorted(set(campaign.skipped)):
        print('skipped: ' + line)
    for line in campaign.violations:
        print('violation: ' + line)
    return 1 if campaign.violations else 0


if __name__ == '__main__':
    sys.exit(main())
