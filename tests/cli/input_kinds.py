# Every command on every kind of input: with all arrays in files the bits are the same; bombs; files that change. SPDX-License-Identifier: Apache-2.0
import concurrent.futures
import os
import resource
import shutil
import struct
import subprocess
import sys
import tempfile
import time

SOURCE, BUILD = os.environ['SOURCE'], os.environ['BUILD']
sys.path[:0] = [os.path.join(SOURCE, 'tests', 'support'), os.path.join(SOURCE, 'tests', 'faults')]
from array_files import Array, Zeros, texts, write_mat, write_npz  # noqa: E402
from campaign import find_tools  # noqa: E402
from fault_commands import COMMANDS, Command, made_up, make_inputs, spd_matrices  # noqa: E402
from fault_judge import printed_without_times, read_tree  # noqa: E402

SANITIZED = os.environ.get('SANITIZE', 'none') != 'none'
CONGRU = os.path.join(BUILD, 'congru')
tests = failures = 0


def result(name, problems):
    global tests, failures
    tests += 1
    failures += bool(problems)
    for line in problems:
        print('# ' + str(line)[:2000].replace('\n', '\n# '))
    print(f'{"not ok" if problems else "ok"} {tests} - {name}')


# ---- Inputs ---------------------------------------------------------------------------------------------

TRIALS, CHANNELS, SAMPLES = 24, 3, 120
CALLED = [0, 1] * (TRIALS // 2)
SUBJECTS = [i // 8 for i in range(TRIALS)]


# Of tests/data/readers, each kind that is no .npz and no .mat, and how it is imported.
CUT = '--window 0:0.1 --channels C3 --events '
READERS = {
    'inside.set': CUT + 'left=left,right=right', 'beside.set': CUT + 'left=left,right=right', 'legacy.set': CUT + 'left=left',
    **{f'{name}_raw.fif': CUT + 'left=left,769=right' for name in ('single', 'double', 'int', 'short')},
    **{f'{name}.xdf': CUT + 'left=left,7=key' for name in ('even', 'gap', 'integers')}, 'reset.xdf': CUT + 'left=left',
    **{name: '--window all --channels C3' for name in ('epochs_inside.set', 'epochs_beside.set', 'single-epo.fif',
                                                       'double-epo.fif')},
}


def columns(kind):
    """Labels, subjects, sessions and runs in one type."""
    return {'y': Array(kind, (TRIALS,), CALLED), 'subject': Array(kind, (TRIALS,), SUBJECTS),
            'session': Array(kind, (TRIALS,), [i // 4 % 2 for i in range(TRIALS)]),
            'run': Array(kind, (TRIALS,), [i // 2 % 2 for i in range(TRIALS)])}


def make_kinds(folder):
    """Trials, sets of signals and sets of covariances, in every type and at every place; returns their names."""
    signal = [round(100 * x) for x in made_up(TRIALS * CHANNELS * SAMPLES, 11)]
    for i in range(0, len(signal), CHANNELS * SAMPLES):  # classes differ in the strength of a channel
        for k in range(SAMPLES):
            signal[i + k] *= 1 + 2 * CALLED[i // (CHANNELS * SAMPLES)]
    rate, shape = Array('f8', (), [100.0]), (TRIALS, CHANNELS, SAMPLES)
    trials, signals, covariances = [], [], []
    ways = {'loose': {}, 'aligned': {'place': 0}, 'odd': {'place': 3}, 'deflated': {'deflate': True}}
    for kind in ('f8', 'f4', 'i2'):
        for way, options in ways.items():
            name = f'{kind}-{way}.npz'
            labels = columns({'odd': 'f8', 'deflated': 'f4'}.get(way, 'i8'))
            x = Array(kind, shape, signal)
            write_npz(f'{folder}/trials-{name}', {'X': x, 'fs': rate, 'tmin': Array('f8', (), [0.0]), 'y': labels['y'],
                                                  'run': labels['run'], 'session': labels['session']}, **options)
            trials.append('trials-' + name)
            if kind == 'i2':
                continue
            write_npz(f'{folder}/signals-{name}', {'signals': x, 'fs': rate, **labels}, **options)
            signals.append('signals-' + name)
            matrices = Array(kind, (TRIALS, 3, 3), spd_matrices(TRIALS, 3))
            write_npz(f'{folder}/set-{name}', {'X': matrices, **labels}, **options)
            covariances.append('set-' + name)
    rows = spd_matrices(TRIALS, 3)
    turned = [rows[t * 9 + k] for k in range(9) for t in range(TRIALS)]
    write_npz(f'{folder}/set-fortran.npz', {'X': Array('f8', (TRIALS, 3, 3), turned, True), **columns('f8')}, place=0)
    names = {'y': texts(['left', 'right'] * (TRIALS // 2)), 'subject': texts([f'P{s}' for s in SUBJECTS])}
    write_npz(f'{folder}/set-texts.npz', {'X': Array('f8', (TRIALS, 3, 3), spd_matrices(TRIALS, 3)), **names}, place=0)
    write_npz(f'{folder}/set-both.npz', {'X': Array('f8', (TRIALS, 3, 3), spd_matrices(TRIALS, 3)), 'fs': rate,
                                         'signals': Array('f8', shape, signal), **columns('f8')}, place=0)
    covariances += ['set-texts.npz', 'set-both.npz']
    for kind, deflate in (('f8', False), ('f4', True), ('i2', True)):
        name = f'trials-{kind}{"-deflated" if deflate else ""}.mat'
        write_mat(f'{folder}/{name}', {'data': Array(kind, (SAMPLES, CHANNELS, TRIALS), signal), 'fs': Array('f8', (1, 1), [100]),
                                       'tmin': Array('f8', (1, 1), [0]), 'label': Array('f8', (TRIALS, 1), CALLED)}, deflate)
        trials.append(name)
    run = {'X': Array('f8', (2000, 3), made_up(6000, 5)), 'fs': Array('f8', (1, 1), [100]),
           'trial': Array('f8', (6, 1), [100, 400, 700, 1000, 1300, 1600]), 'y': Array('f8', (6, 1), [1, 2] * 3)}
    write_mat(f'{folder}/runs.mat', {'data': [run, run]}, True)
    return trials, signals, covariances


def make_brainvision(folder):
    with open(f'{folder}/B1.vhdr', 'w', encoding='utf-8') as file:
        file.write('Brain Vision Data Exchange Header File Version 1.0\n[Common Infos]\nDataFile=B1.eeg\nMarkerFile=B1.vmrk\n'
                   'DataFormat=BINARY\nDataOrientation=MULTIPLEXED\nNumberOfChannels=2\nSamplingInterval=10000\n'
                   '[Binary Infos]\nBinaryFormat=IEEE_FLOAT_32\n[Channel Infos]\nCh1=C3,,1,µV\nCh2=C4,,1,µV\n')
    with open(f'{folder}/B1.vmrk', 'w', encoding='utf-8') as file:
        file.write('Brain Vision Data Exchange Marker File, Version 1.0\n[Common Infos]\nDataFile=B1.eeg\n[Marker Infos]\n')
        for i in range(6):
            file.write(f'Mk{i + 1}=Stimulus,S  {1 + i % 2},{400 * i + 301},1,0\n')
    with open(f'{folder}/B1.eeg', 'wb') as file:
        file.write(b''.join(struct.pack('<f', 50 * x) for x in made_up(6000, 3)))


def list_commands(folder):
    """All that is run: what faults are tried on, and each kind of input with each command that takes it."""
    trials, signals, covariances = make_kinds(folder)
    make_brainvision(folder)
    for name in [*READERS, 'beside.fdt', 'epochs_beside.fdt', 'legacy.dat']:
        shutil.copy(f'{SOURCE}/tests/data/readers/{name}', folder)
    commands = list(COMMANDS)

    def add(line):
        commands.append(Command(line, line))
    for name in trials:
        add(f'info {{in}}/{name}')
        add(f'import {{in}}/{name} --band off --notch off --window all --keep-signals -o set.npz')
        add(f'import {{in}}/{name} --band 8:30 --notch off --resample 50 --window 0:1 -o set.npz')
    add('import {in}/trials-f8-aligned.npz --notch 40 --band off --window all --channels 3,1 --events 1=go -o set.npz')
    add('import {in}/runs.mat --events 1=left,2=right --window 0:2 -o set.npz')
    add('info {in}/runs.mat')
    add('import {in}/B1.vhdr --events 1=left,2=right --window 0:2 -o set.npz')
    add('info {in}/B1.vhdr')
    for name in ('skip_raw.fif', 'joined_raw.fif'):  # without a cue
        shutil.copy(f'{SOURCE}/tests/data/readers/{name}', folder)
        add(f'info {{in}}/{name}')
    for name, options in READERS.items():
        add(f'info {{in}}/{name}')
        add(f'import {{in}}/{name} --band off --notch off --keep-signals {options} -o set.npz')
    for name in signals + covariances + ['set-fortran.npz']:
        of_signals = name.startswith('signals')
        add(f'info {{in}}/{name}')
        add(f'loso {{in}}/{name} -p ra+mdm,none+tslr -o results')
        add(f'within {{in}}/{name} -p none+mdm --folds 2 -o results')
        add(f'train {{in}}/{name} -p ra+tslr -o model')
        for option in ('--notch 40', '--band 8:30', '--band 8:30 --notch 40 --classes 1,0') if of_signals else ():
            add(f'loso {{in}}/{name} -p ra+mdm {option} -o results')
            add(f'within {{in}}/{name} -p none+mdm --folds 2 {option} -o results')
            add(f'train {{in}}/{name} -p ra+mdm {option} -o model')
    for name in ('set-f8-aligned.npz', 'set-f8-deflated.npz', 'signals-f8-aligned.npz', 'signals-f4-loose.npz'):
        add(f'predict {{in}}/own-model {{in}}/{name} -o answers.csv')
        add(f'align {{in}}/own-model {{in}}/{name} -o aligned.npz')
    add('ablate {in}/set-f8-aligned.npz -p dct+mdm --subjects 0,1 --steps 1 -o results')
    add('loso {in}/set-f4-odd.npz -p dct-e2e,ddct-unet-e2e --steps 2 --diagnostics -o results')
    return commands


# ---- Same bits ------------------------------------------------------------------------------------------

def environment(**more):
    kept = {key: value for key, value in os.environ.items() if key.startswith(('ASAN', 'LSAN', 'UBSAN'))}
    return {'PATH': '/usr/bin:/bin', 'LC_ALL': 'C', **kept, **more}


def run(command, scratch, **more):
    folder = tempfile.mkdtemp(dir=scratch)
    if command.name == 'compare, kept':
        shutil.copytree(f'{scratch}/in/results', f'{folder}/results')
    words = [CONGRU] + [word.replace('{in}', f'{scratch}/in') for word in command.words]
    done = subprocess.run(words, cwd=folder, env=environment(TMPDIR=f'{scratch}/tmp', **more), stdin=subprocess.DEVNULL,
                          capture_output=True, timeout=300, check=False)
    tree = read_tree(folder)
    shutil.rmtree(folder)
    return done, tree


def compare(command, scratch):
    """What is wrong with the command when all its arrays are files."""
    small, tree = run(command, scratch)
    large, large_tree = run(command, scratch, CONGRU_LARGE='0')
    if small.returncode != 0:
        return [f'{command.name}: exit {small.returncode}: {small.stderr.decode()}']
    if large.returncode != 0:
        return [f'{command.name}: CONGRU_LARGE=0: exit {large.returncode}: {large.stderr.decode()[-600:]}']
    problems = [f'{command.name}: {name} differs' for name in sorted(set(tree) | set(large_tree))
                if tree.get(name) != large_tree.get(name)]
    if printed_without_times(small.stdout) != printed_without_times(large.stdout):
        problems.append(f'{command.name}: it prints something else')
    return problems


def check_commands(scratch):
    folder = f'{scratch}/in'
    make_inputs(folder, CONGRU, find_tools(BUILD, SOURCE, scratch))
    commands = list_commands(folder)
    subprocess.run([CONGRU, 'train', 'set-f8-loose.npz', '-p', 'ra+tslr', '-o', 'own-model'], cwd=folder, check=True,
                   env=environment(), capture_output=True)
    listed = subprocess.run([CONGRU, 'help'], capture_output=True, check=True, env=environment()).stdout.decode()
    every = [line.split()[0] for line in listed.split('Commands:')[1].split('\n\n')[0].strip().splitlines()]
    tried = {command.words[0] for command in commands}
    result('every command is tried', [f'{name} is not' for name in every if name not in tried])
    for name in every:
        own = [command for command in commands if command.words[0] == name]
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            found = list(pool.map(lambda command: compare(command, scratch), own))
        problems = [problem for some in found for problem in some]
        result(f'{name}: {len(own)} times with all arrays in files, the bits are the same', problems)
    left = os.listdir(f'{scratch}/tmp')
    result('no temporary file is left', left)


# ---- Bombs ----------------------------------------------------------------------------------------------

def limit():
    resource.setrlimit(resource.RLIMIT_CPU, (20, 20))
    resource.setrlimit(resource.RLIMIT_FSIZE, (64 << 20, 64 << 20))
    if not SANITIZED:
        resource.setrlimit(resource.RLIMIT_AS, (400 << 20, 400 << 20))


def refused(scratch, line, words):
    """A command that must fail with one line, in little memory, on no disk."""
    folder = tempfile.mkdtemp(dir=scratch)
    done = subprocess.run([CONGRU] + line.replace('{in}', scratch).split(), cwd=folder, stdin=subprocess.DEVNULL,
                          capture_output=True, timeout=300, check=False, preexec_fn=limit,
                          env=environment(TMPDIR=f'{scratch}/tmp'))
    error = done.stderr.decode()
    left = os.listdir(folder)
    shutil.rmtree(folder)
    if done.returncode == 1 and error.count('\n') == 1 and error.startswith('congru: ') and words in error and not left:
        return []
    return [f'{line}: exit {done.returncode}, {left}, without "{words}": {error[-400:]}']


def check_bombs(scratch):
    eye, eight = Array('f8', (8, 3, 3), [1, 0, 0, 0, 1, 0, 0, 0, 1] * 8), Array('i8', (8,), [0, 1] * 4)
    x, rate, many = Array('f8', (8, 3, 40), made_up(960, 3)), Array('f8', (), [100.0]), 400_000_000
    whole = {'X': eye, 'y': eight, 'subject': eight}
    cases = [('subject', {**whole, 'subject': Zeros('S1', (many,))}, 'found shape (400000000,)'),
             ('y', {**whole, 'y': Zeros('i1', (many,))}, 'found shape (400000000,)'),
             ('session', {**whole, 'session': Zeros('f4', (many // 4,))}, 'found shape (100000000,)'),
             ('run', {**whole, 'run': Zeros('i1', (many,))}, 'found shape (400000000,)'),
             ('set', {**whole, 'X': Zeros('f4', (10_000_000, 3, 3))}, '10000000 trials'),
             ('signals', {**whole, 'signals': Zeros('f4', (8, 30, 500_000))}, 'X has 8 trials of 3 channels'),
             ('classes', {**whole, 'classes': Zeros('S1', (many,))}, 'classes'),
             ('wide', {**whole, 'classes': Zeros('S100000000', (2,))}, 'classes: strings of 100000000 bytes'),
             ('channels', {**whole, 'channels': Zeros('S1', (many,))}, 'found shape (400000000,)'),
             ('fs', {**whole, 'fs': Zeros('f8', (many // 8,))}, 'fs: expected one number'),
             ('meta', {**whole, 'meta': Zeros('S400000000', ())}, 'meta: a string of 400000000 bytes')]
    problems = []
    for name, arrays, words in cases:
        write_npz(f'{scratch}/bomb.npz', {key: value for key, value in arrays.items()})
        problems += refused(scratch, 'loso {in}/bomb.npz -o results', words)
        problems += refused(scratch, 'info {in}/bomb.npz', '')
    result(f'{len(cases)} sets whose arrays do not go together are refused unread', problems)
    whole, problems = {'X': x, 'y': eight, 'fs': rate}, []
    cases = [({**whole, 'X': Zeros('i1', (600_000_000,))}, "'X' has 1 dimensions"),
             ({**whole, 'X': Zeros('i1', (600_000, 10, 100))}, 'for 600000 trials'),
             ({**whole, 'y': Zeros('S1', (many,))}, 'for 8 trials'), ({**whole, 'run': Zeros('i1', (many,))}, 'for 8 trials'),
             ({**whole, 'fs': Zeros('i1', (many,))}, "'fs' is not one number"),
             ({**whole, 'ch_names': Zeros('S1', (many,))}, "'ch_names' has 400000000 texts"),
             ({**whole, 'classes': Zeros('S1', (many,))}, "'classes' has 400000000 texts")]
    for arrays, words in cases:
        write_npz(f'{scratch}/bomb.npz', arrays)
        problems += refused(scratch, 'import {in}/bomb.npz --window all --band off -o set.npz', words)
    result(f'{len(cases)} files of trials whose arrays do not go together are refused unread', problems)
    label, problems = Array('f8', (8, 1), [1, 2] * 4), []
    cube = Zeros('i1', (100, 3, 1_000_000))
    run_of = {'fs': Array('f8', (1, 1), [100]), 'X': Array('f8', (40, 3), made_up(120, 3))}
    cases = [({'data': Zeros('i1', (300_000_000, 1)), 'label': label}, 'holds no trials'),
             ({'label': label, 'data': cube}, 'with 1000000 entries'),
             ({'s': {'label': label, 'data': cube}}, 'with 1000000 entries'),
             ({'data': [{**run_of, 'trial': Zeros('i1', (300_000_000, 1))}]}, '300000000 trials in 40 samples'),
             ({'data': [{**run_of, 'y': Zeros('i1', (300_000_000, 1))}]}, '300000000 labels in y for 0 trials')]
    for variables, words in cases:
        write_mat(f'{scratch}/bomb.mat', variables)
        problems += refused(scratch, 'import {in}/bomb.mat --window all --band off --events 1=a,2=b -o set.npz', words)
    result(f'{len(cases)} MATLAB files whose arrays do not go together are refused unread', problems)
    one, x, problems = Array('f8', (1, 1), [1]), Array('f8', (3, 40), made_up(120, 3)), []
    eeg = {'nbchan': Array('f8', (1, 1), [3]), 'pnts': Array('f8', (1, 1), [40]), 'trials': one, 'srate': Array('f8', (1, 1), [100])}
    cases = [({'EEG': {**eeg, 'data': Zeros('i1', (3, 100_000_000))}}, 'found 300000000 values'),
             ({**eeg, 'data': Zeros('i1', (3, 100_000_000))}, 'found 300000000 values'),
             ({'EEG': {**eeg, 'data': Zeros('i1', (3, 40, 2_500_000))}}, 'found 300000000 values'),
             ({**eeg, 'data': x, 'nbchan': Zeros('i1', (300_000_000, 1))}, 'EEG.nbchan: expected a whole number'),
             ({'EEG': {'data': x, **eeg, 'srate': Zeros('i1', (300_000_000, 1))}}, 'EEG.srate: expected a positive number')]
    for variables, words in cases:
        write_mat(f'{scratch}/bomb.set', variables)
        problems += refused(scratch, 'import {in}/bomb.set --window all --band off --events 1=a,2=b -o set.npz', words)
        problems += refused(scratch, 'info {in}/bomb.set', words)
    result(f'{len(cases)} EEGLAB files whose arrays do not go together are refused unread', problems)


def check_compressible(scratch):
    """What goes together is read, however well it is compressed; what has no use is passed over."""
    count, problems = 20_000, []
    ones = [0, 1] * (count // 2)
    write_npz(f'{scratch}/flat.npz', {'X': Zeros('i1', (count, 2, 100)), 'y': Array('i8', (count,), ones),
                                      'fs': Array('f8', (), [100.0])}, deflate=True)
    write_mat(f'{scratch}/junk.mat', {'data': Array('f8', (40, 3, 8), made_up(960, 3)), 'label': Array('f8', (8, 1), [1, 2] * 4),
                                      'junk': Zeros('i1', (300_000_000, 1))})
    done = subprocess.run([CONGRU, 'info', f'{scratch}/flat.npz'], capture_output=True, check=False, env=environment())
    if done.returncode != 0 or b'20000' not in done.stdout:
        problems.append(done.stderr.decode())
    done = subprocess.run([CONGRU, 'info', f'{scratch}/junk.mat'], capture_output=True, check=False, env=environment(),
                          preexec_fn=limit)
    if done.returncode != 0:
        problems.append(done.stderr.decode())
    write_mat(f'{scratch}/junk.set', {'EEG': {'data': Array('f8', (3, 40), made_up(120, 3)), 'srate': Array('f8', (1, 1), [100]),
                                              'nbchan': Array('f8', (1, 1), [3]), 'pnts': Array('f8', (1, 1), [40]),
                                              'etc': {'junk': Zeros('i1', (300_000_000, 1))}}})
    done = subprocess.run([CONGRU, 'info', f'{scratch}/junk.set'], capture_output=True, check=False, env=environment(),
                          preexec_fn=limit)
    if done.returncode != 0 or b'EEGLAB' not in done.stdout:
        problems.append(done.stderr.decode())
    result('zeros that go together are read, and a large array that is not needed is passed over', problems)


# ---- Files that change --------------------------------------------------------------------------------------

ALIGN = 'align {in}/in/changing-model {in}/changing.npz -o aligned.npz'


def start(scratch, folder, line):
    return subprocess.Popen([CONGRU] + line.replace('{in}', scratch).split(), cwd=folder, stdin=subprocess.DEVNULL,
                            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                            env=environment(TMPDIR=f'{scratch}/tmp', CONGRU_LARGE='0'))


def spoil(path, how):
    """In place, as a copy over it or a program that appends to it would."""
    size = os.path.getsize(path)
    if how == 'cut':
        os.truncate(path, size // 3)
        return
    with open(path, 'r+b') as file:
        file.seek(size // 2 if how == 'written over' else size)
        file.write(bytes(size // 4))


def check_changes(scratch):
    d, count, line = 12, 1200, 'loso {in}/changing.npz -p ra+mdm,dct-e2e --steps 40 --jobs 2 -o results'
    matrices = spd_matrices(12, d) * (count // 12)
    path = f'{scratch}/changing.npz'
    arrays = {'X': Array('f8', (count, d, d), matrices), 'y': Array('i8', (count,), [0, 1] * (count // 2)),
              'subject': Array('i8', (count,), [i // 300 for i in range(count)])}
    write_npz(path, arrays, place=0)
    whole = open(path, 'rb').read()
    folder = tempfile.mkdtemp(dir=scratch)
    error = start(scratch, folder, line).communicate()[1]
    normal = read_tree(f'{folder}/results')
    if 'predictions.csv' not in normal:
        result('a set that changes during a run', [error])
        return
    open(path, 'wb').write(whole)
    subprocess.run([CONGRU, 'train', path, '-p', 'ra+mdm', '-o', f'{scratch}/in/changing-model'], check=True, env=environment(),
                   capture_output=True)
    folder = tempfile.mkdtemp(dir=scratch)
    start(scratch, folder, ALIGN).communicate()
    aligned = read_tree(folder)
    for how in ('cut', 'written over', 'longer'):
        folder, problems = tempfile.mkdtemp(dir=scratch), []
        open(path, 'wb').write(whole)
        process = start(scratch, folder, line)
        while not os.path.exists(f'{folder}/results/folds') and process.poll() is None:
            time.sleep(0.001)
        running = process.poll() is None
        spoil(path, how)
        error = process.communicate()[1].decode()
        tree = read_tree(f'{folder}/results')
        if not running:
            problems.append('it had ended before')
        if process.returncode != 0 or tree != normal:
            problems.append(f'exit {process.returncode}: {error[-300:]} ' + ' '.join(k for k in tree if tree[k] != normal.get(k)))
        result(f'a set that is {how} during a run changes no number', problems)
    problems, seen = [], {0: 0, 1: 0}
    for i in range(24):
        folder = tempfile.mkdtemp(dir=scratch)
        open(path, 'wb').write(whole)
        process = start(scratch, folder, ALIGN)
        time.sleep(i * 0.004)
        spoil(path, ('cut', 'written over', 'longer')[i % 3])
        error = process.communicate()[1].decode()
        tree = read_tree(folder)
        seen[process.returncode] = seen.get(process.returncode, 0) + 1
        good = process.returncode == 0 and tree == aligned or \
            process.returncode == 1 and not tree and error.count('\n') == 1 and error.startswith('congru: ')
        if not good:
            problems.append(f'{i}: exit {process.returncode}: {error[-300:]}')
        shutil.rmtree(folder)
    print(f'# {seen[1]} of 24 runs ended with a line, {seen[0]} had read the set before')
    result('a set that changes while it is read gives its numbers or an error', problems)


def main():
    scratch = tempfile.mkdtemp(prefix='congru-inputs-')
    try:
        os.mkdir(f'{scratch}/in')
        os.mkdir(f'{scratch}/tmp')
        check_commands(scratch)
        check_bombs(scratch)
        check_compressible(scratch)
        check_changes(scratch)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    print(f'1..{tests}')
    return failures > 0


sys.exit(main())
