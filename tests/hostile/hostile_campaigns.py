# Attacks by definitions of pipelines, many items, single damages, bounds of options, scales, pipes and signals. SPDX-License-Identifier: Apache-2.0
import csv
import io
import json
import os
import random
import re
import shutil
import signal
import stat
import struct
import subprocess
import time
import zipfile

from fault_commands import npy, write
from hostile_files import WRITES_FOLDER, copy_good, put
from hostile_folders import AGAIN, BASE, COMMAND_NAMES, NOT_TRIED, files_below
from hostile_formats import odd_text
from hostile_judge import PROGRESS
from hostile_mutations import mutate_bytes, mutate_keys, mutate_lines, mutate_numbers, several

# ---- Definitions of pipelines, in files and in models ---------------------------------------------------------------

METHODS = ['ra+ridge', 'none+mdm', 'ra+tslr', 'ea+bins', 'none+bins', 'ra+csp-lda', 'eegnet', 'dct+mdm', 'rpa+mdm', 'a', 'motor', '']
DEFINED = [('band', '8:13'), ('band', '8:13, 13:30, 4:8'), ('window', '0:0.3'), ('window', '0.1:0.2, 0:0.3'), ('C', '0.01'),
           ('weight', '2'), ('choose', 'C, weights'), ('windows', 'inside'), ('title', 'what it is'), ('shrinkage', '0.01'),
           ('steps', '1'), ('estimator', 'oas'), ('balance', 'on'), ('seed', '3')]


def a_chain(r, branches):
    """Pipelines of which each takes the branches of the one before: not so deep that they may not, or deeper."""
    depth = r.choice([2, 9, 100, 999, 1000, 1001, 5000])
    lines = ['pipeline = p0', 'branch = b', 'method = ra+ridge']
    for i in range(1, depth):
        lines += [f'pipeline = p{i}', f'branches = {", ".join([f"p{i - 1}"] * branches)}']
    return lines


def a_ring(r):
    names = [f'p{i}' for i in range(r.choice([1, 2, 3, 50]))]
    lines = []
    for i, name in enumerate(names):
        lines += [f'pipeline = {name}', f'branches = {names[(i + 1) % len(names)]}']
    return lines


def some_branches(r):
    lines = ['pipeline = p0', 'choose = C'] if r.random() < 0.3 else ['pipeline = p0']
    for i in range(r.choice([1, 1, 2, 8, 9, 400])):
        lines += [f'branch = b{i}', f'method = {r.choice(METHODS[:6] if r.random() < 0.8 else METHODS)}']
        lines += [' = '.join(pair) for pair in r.sample(DEFINED, r.randrange(4))]
    return lines


def many_values(r):
    most = r.choice([8, 32, 33, 1000])
    return ['pipeline = p0', 'branch = b', 'method = ra+ridge', 'band = ' + ', '.join(['8:13'] * most),
            'window = ' + ', '.join(['0:0.3'] * r.choice([1, 9, 64]))]


def definition(r):
    lines = r.choice([lambda: a_chain(r, 1), lambda: a_chain(r, 2), lambda: a_ring(r), lambda: some_branches(r),
                      lambda: some_branches(r), lambda: many_values(r)])()
    if r.random() < 0.3:
        name = r.choice(['.', '..', '...', '/', 'a/b', '\x1b[31m', 'all', 'motor', 'classical', '-', '', 'x' * 63, 'x' * 64, odd_text(r)])
        lines = [line.replace('p0', name) for line in lines]
    if r.random() < 0.1:
        lines += lines
    data = '\n'.join(lines + ['']).encode('utf-8', 'replace')
    return several(r, data, [mutate_keys, mutate_lines, mutate_numbers, mutate_bytes]) if r.random() < 0.4 else data


def with_metadata(data, changes):
    """A model whose texts are others."""
    size = struct.unpack_from('<Q', data)[0]
    header = json.loads(data[8:8 + size])
    header['__metadata__'].update(changes)
    text = json.dumps(header).encode()
    return struct.pack('<Q', len(text)) + text + data[8 + size:]


DEFINITION_LINES = '''
loso {good}/cued.npz --pipeline-file {in}/p.txt -p p0 --steps 1 --jobs 1 -o results
within {good}/cued.npz --pipeline-file {in}/p.txt -p p0,p1 --folds 2 --steps 1 --jobs 1 -o results
train {good}/cued.npz --pipeline-file {in}/p.txt -p p0 --steps 1 -o model.safetensors
'''.strip().split('\n')
MODEL_LINES = '''
info {in}/m
predict {in}/m {good}/cued.npz -o answers.csv
explain {in}/m
stream {in}/m {good}/frames.f32
import {good}/S1.edf --like {in}/m -o set.npz
'''.strip().split('\n')


def attack_definition(ground, r, folder):
    text = definition(r)
    if r.random() < 0.6:
        put(folder, 'p.txt', text)
        line = r.choice(DEFINITION_LINES)
        return ground.attempt(r, folder, line, keeps_parts=line.split()[0] in WRITES_FOLDER)
    changes = {'definitions': text.decode('utf-8', 'replace')}
    if r.random() < 0.8:
        changes['pipeline'] = r.choice(['p0', 'p0', 'p1', 'p999', 'p4999'])
    put(folder, 'm', with_metadata(ground.bytes_of('defined.safetensors'), changes))
    return ground.attempt(r, folder, r.choice(MODEL_LINES))


# ---- Many items -------------------------------------------------------------------------------------------------------


def set_of(columns, trials, d=2, classes=2):
    """A set whose covariances are diagonal and near each other."""
    buffer = io.BytesIO()
    noise = random.Random(trials)
    matrices = []
    for i in range(trials):
        scale = 1 + 0.3 * (i % classes) + 0.1 * noise.random()
        matrices += [scale if a == b == 0 else 1.0 if a == b else 0.1 for a in range(d) for b in range(d)]
    with zipfile.ZipFile(buffer, 'w', zipfile.ZIP_DEFLATED) as archive:
        archive.writestr('X.npy', npy((trials, d, d), matrices))
        archive.writestr('y.npy', npy((trials,), [i % classes for i in range(trials)]))
        for name, values in columns.items():
            archive.writestr(name + '.npy', npy((trials,), values))
    return buffer.getvalue()


def many_arrays(count):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, 'w') as archive:
        for i in range(count):
            archive.writestr(f'a{i}.npy', npy((1,), [i]))
    return buffer.getvalue()



def attack_many(ground, r, folder):
    """Numbers of subjects, sessions, classes, trials, arrays, rows and options beyond what anyone has."""
    count = r.choice([1000, 3000, 10000, 10001, 20000, 40000])
    kind = r.choice(['subjects', 'subjects', 'sessions', 'sessions', 'classes', 'arrays', 'rows', 'words', 'names'])
    line = ''
    if kind in ('subjects', 'sessions', 'classes'):
        numbers = list(range(count // 2)) * 2
        columns = {'subject': numbers if kind == 'subjects' else [i % 2 for i in range(count)],
                   'session': numbers if kind == 'sessions' else [1] * count}
        put(folder, 'f.npz', set_of(columns, count, classes=2 if kind != 'classes' else min(count // 4, 2000)))
        line = r.choice(['info {in}/f.npz', 'loso {in}/f.npz -p none+mdm --mdm-mean euclid --subjects 0 --jobs 1 -o results',
                         'loso {in}/f.npz -p ra+mdm --ra-mean euclid --align-by session --subjects 0 --jobs 1 -o results',
                         'within {in}/f.npz --sessions -p none+mdm --mdm-mean euclid --subjects 0 --jobs 1 -o results',
                         'train {in}/f.npz -p none+mdm --mdm-mean euclid -o model.safetensors',
                         'train {in}/f.npz -p ra+mdm --ra-mean euclid --mdm-mean euclid --align-by session -o model.safetensors'])
    elif kind == 'arrays':
        put(folder, 'f.npz', many_arrays(count))
        line = r.choice(['info {in}/f.npz', 'import {in}/f.npz --band off --notch off --window all -o set.npz'])
    elif kind == 'rows':
        place = copy_good(ground, folder, 'results')
        with open(os.path.join(place, 'results.csv'), 'ab') as file:
            last = open(os.path.join(place, 'results.csv'), 'rb').read().split(b'\n')[-2]
            file.write(b''.join(last.replace(b'S0', b'S%d-' % i) + b'\n' for i in range(count)))
        line = r.choice(['show {in}/results', 'report {in}/results -o page.html', 'compare {in}/results --no-save'])
    elif kind == 'words':
        line = ['loso', '{good}/set.npz', '-p', ','.join(['ra+mdm'] * min(count, 16000)), '-o', 'results']
    else:
        line = ['import', '{good}/S1.edf', '--events', ','.join(f'T{i}=c{i}' for i in range(min(count, 10000))), '-o', 'set.npz']
    words = line if isinstance(line, list) else line.split()
    return ground.attempt(r, folder, words, keeps_parts=words[0] in WRITES_FOLDER)


# ---- Folders of results with a single damage --------------------------------------------------------------------------

# What does not go into the numbers of a run that is taken up: pages and tables that are written anew.
WRITTEN_ANEW = ('results.csv', 'predictions.csv', 'statistics.json', 'geometry.json', 'patterns.json', 'patterns.csv')


def single_damage(r, place, path):
    """One field, row or file of a folder; what was done."""
    name = os.path.relpath(path, place)
    with open(path, 'rb') as file:
        data = file.read()
    if not path.endswith('.csv') or r.random() < 0.15:
        others = [other for other in files_below(place) if other != path and os.path.splitext(other)[1] == os.path.splitext(path)[1]]
        if others and r.random() < 0.5:
            shutil.copy(r.choice(others), path)
            return f'{name}: another file'
        if r.random() < 0.3:
            os.unlink(path)
            return f'{name}: removed'
        at = r.randrange(len(data)) if data else 0
        write(path, data[:at] + bytes([data[at] ^ 1 << r.randrange(7)]) + data[at + 1:] if data else b'x')
        return f'{name}: a bit of byte {at}'
    rows = data.decode().split('\n')
    n = r.randrange(max(1, len(rows) - 1))
    how = r.choice(['removed', 'doubled', 'moved', 'field', 'field', 'field', 'field'])
    if how == 'removed':
        del rows[n]
    elif how == 'doubled':
        rows.insert(n, rows[n])
    elif how == 'moved':
        rows.insert(r.randrange(len(rows)), rows.pop(n))
    else:
        cells = rows[n].split(',')
        k = r.randrange(len(cells))
        cells[k] = r.choice(['', '0', '1', '2', '-1', '0.5', '1e300', 'x', cells[r.randrange(len(cells))], cells[k] + '0', '1' + cells[k]])
        rows[n] = ','.join(cells)
    write(path, '\n'.join(rows).encode())
    return f'{name}: row {n} {how}'


def numbers_of(place):
    """What a run has found: its tables without the seconds."""
    found = {}
    for name in ('results.csv', 'predictions.csv', 'patterns.csv'):
        if os.path.exists(os.path.join(place, name)):
            with open(os.path.join(place, name), newline='') as file:
                rows = list(csv.reader(file))
            keep = [i for i, heading in enumerate(rows[0]) if heading != 'time']
            found[name] = [[row[i] for i in keep if i < len(row)] for row in rows]
    return found


def attack_damage(ground, r, folder):
    """A run with one damage is taken up: it is refused, or comes to the numbers of the run that was not damaged."""
    run = r.choice(['results', 'network'])
    place = copy_good(ground, folder, run)
    paths = [path for path in files_below(place) if os.path.relpath(path, place) not in WRITTEN_ANEW and
             not os.path.relpath(path, place).startswith('training')]
    told = single_damage(r, place, r.choice(paths))
    verdict, line = ground.attempt(r, folder, AGAIN[run], keeps_parts=True, changes_inputs=True)
    if verdict == 'accepted' and numbers_of(place) != numbers_of(os.path.join(ground.good, run)):
        verdict = 'a damaged run was believed'
    return verdict, f'{told}: {line}'


# ---- Options at their bounds --------------------------------------------------------------------------------------------

AROUND = ['{}', '-{}', '{}0', '{}1', '{}.5', '{}e-9', '{}e300', '0', '1', '-1', '1e-300', '1e300', '2147483647', '2147483648',
          '4294967296', '9223372036854775807', '9223372036854775808', '18446744073709551616', '0.999999999999999999', '-0', '',
          '{},{}', '{}:{}', '0:{}', '{}:0', '{}:-{}', ' {}', '{} ', '+{}', '0x{}', '{}.', '.{}', '{}x', ':{}', '{}:', ',{}', '{},',
          'nan', 'inf', '-inf', '{}e-320', 'auto', 'off', 'all', 'none', '%{}', '{}%']
FORMS = ['=', ' ']


def bounded_options(ground, name):
    """(option, numbers that its help names) of a command."""
    key = 'bounds ' + name
    if key not in ground.kept:
        text = subprocess.run([ground.congru, 'help', name], env=ground.limits.environment({'COLUMNS': '100'}),
                              capture_output=True, check=True, text=True).stdout
        found = re.findall(r'^  (?:-\w, )?(--[\w-]+) [A-Z]\S*((?:.*\n(?:   .*\n)*))', text, re.M)
        ground.kept[key] = [(option, sorted(set(re.findall(r'(?<![\w.])\d+(?:\.\d+)?(?![\w])', about))))
                            for option, about in found if option not in NOT_TRIED]
    return ground.kept[key]


def bound_cases(ground):
    """Every option of every command at each of its numbers and about them."""
    if 'bound cases' not in ground.kept:
        cases = [(name, option, form, way.replace('{}', number)) for name in COMMAND_NAMES
                 for option, numbers in bounded_options(ground, name)
                 for number in (numbers or ['1']) for way in AROUND for form in FORMS]
        ground.kept['bound cases'] = list(dict.fromkeys(cases))
    return ground.kept['bound cases']


def attack_bounds(ground, r, folder):
    os.rmdir(os.path.join(folder, 'in'))
    shutil.copytree(ground.good, os.path.join(folder, 'in'), copy_function=os.link)
    cases = bound_cases(ground)
    number = int(folder.rsplit('-', 1)[1])
    # A stride that has no divisor in common with their number, so that all of them come in as many tries.
    name, option, form, value = cases[number * 7919 % len(cases)]
    words = [name] + BASE.get(name, []) + ([f'{option}={value}'] if form == '=' else [option, value])
    if '-o' not in words and option not in ('-o', '--output'):
        words += ['-o', r.choice(['out.npz', 'out', 'page.html'])]
    return ground.attempt(r, folder, words, changes_inputs=True, named=False, memory=False,
                          keeps_parts=name in WRITES_FOLDER + ('synth',))


# ---- Scales ---------------------------------------------------------------------------------------------------------------

SCALED = ['none+mdm'] * 8 + ['none+tslr', 'none+tsa-lda', 'none+csp-lda', 'none+lda+tslr', 'none+lda+tsa-lda', 'ra+mdm', 'rpa+tslr', 'dct+mdm',
          'dldct+tslr', 'ddct-unet-e2e', 'spd-cnn', 'ts-spd-cnn', 'spdnet']
EUCLIDEAN = [[], ['--mdm-mean', 'euclid'], ['--mdm-metric', 'euclid'], ['--mdm-mean', 'euclid', '--mdm-metric', 'euclid'],
             ['--mdm-mean', 'logeuclid', '--mdm-metric', 'logeuclid']]


def scaled_set(data, scale):
    """The covariances of a set times a number."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as archive, zipfile.ZipFile(buffer, 'w') as made:
        for name in archive.namelist():
            body = archive.read(name)
            if name == 'X.npy':
                start = 10 + struct.unpack('<H', body[8:10])[0]
                values = struct.unpack(f'<{(len(body) - start) // 8}d', body[start:])
                body = body[:start] + struct.pack(f'<{len(values)}d', *[value * scale for value in values])
            if name != 'meta.npy':
                made.writestr(name, body)
    return buffer.getvalue()


def predictions_in(place):
    with open(os.path.join(place, 'predictions.csv'), newline='') as file:
        rows = list(csv.reader(file))
    column = rows[0].index('y_pred')
    return [row[column] for row in rows[1:]]


def attack_scales(ground, r, folder):
    """The same predictions whatever the unit of the signals."""
    method = [r.choice(SCALED)] + ['--steps', '1'] + r.choice(EUCLIDEAN)
    scale = 10.0 ** r.choice([-12, -9, -6, -3, -1, 1, 3, 6, 12])
    found = []
    for name, factor in (('one', 1.0), ('other', scale)):
        put(folder, name + '.npz', scaled_set(ground.bytes_of('set.npz'), factor))
        line = ['loso', f'{{in}}/{name}.npz', '-p'] + method + ['--dataset', 'd', '--jobs', '1', '-o', name]
        verdict, told = ground.attempt(r, folder, line, keeps_parts=True)
        if verdict != 'accepted':
            return verdict, told
        found.append(predictions_in(os.path.join(folder, 'work', name)))
    return ('accepted' if found[0] == found[1] else f'other predictions at a scale of {scale:g}'), told


# ---- Pipes and signals -----------------------------------------------------------------------------------------------------

PIPED = '''
train {good}/set.npz -p ra+mdm -o PIPE
predict {good}/model {good}/sset.npz -o PIPE
align {good}/model {good}/sset.npz -o PIPE
synth --stage shift --subjects 2 --trials 2 --channels 4 -o PIPE
import {good}/S1.edf --events T1=a,T2=b -o PIPE
import {good}/S1.edf --preset PIPE -o set.npz
import PIPE --events T1=a,T2=b -o set.npz
spd mean {good}/a.npy -o PIPE
spd mean PIPE -o o.npy
report {good}/results -o PIPE.html
compare --csv PIPE
loso {good}/set.npz --pipeline-file PIPE -p x -o results
loso PIPE -o results
info PIPE
predict PIPE {good}/sset.npz
stream {good}/model PIPE
stream {good}/model PIPE --input csv
stream {good}/model PIPE --input edf
show PIPE
'''.strip().split('\n')
LONG = '''
loso {good}/sset.npz -p ddct-unet-e2e --steps 1000000 --jobs 1 -o results
within {good}/sset.npz -p ddct-unet-e2e --steps 1000000 --folds 2 --jobs 2 -o results
train {good}/sset.npz -p ddct-unet-e2e --steps 1000000 -o model.safetensors
'''.strip().split('\n')
SIGNALS = [signal.SIGINT, signal.SIGTERM]
END_SECONDS = 10


def attack_pipes(ground, r, folder):
    """Whatever is waited for, a signal ends it: with 128 and its number, or by the signal, which leaves nothing."""
    work, given = os.path.join(folder, 'work'), os.path.join(folder, 'in')
    way = r.random()
    if way < 0.25:
        line = r.choice(LONG)
    elif way < 0.5:  # a pipe in the place of a file of results
        run = r.choice(['results', 'network'])
        place = copy_good(ground, folder, run)
        path = r.choice(files_below(place))
        os.unlink(path)
        os.mkfifo(path)
        line = r.choice([AGAIN[run], f'show {{in}}/{run}', f'report {{in}}/{run} -o page.html', f'compare {{in}}/{run}'])
    else:
        line = r.choice(PIPED)
        name = 'p.html' if 'PIPE.html' in line else 'p'
        os.mkfifo(os.path.join(given, name))
        line = line.replace('PIPE.html', 'PIPE').replace('PIPE', '{in}/' + name)
    words = [word.replace('{in}', given).replace('{good}', ground.good) for word in line.split()]
    chosen = r.choice(SIGNALS)
    paths = {name: os.path.join(folder, name) for name in ('out', 'err')}
    with open(paths['out'], 'wb') as out, open(paths['err'], 'wb') as err:
        process = subprocess.Popen(ground.limits.prefix + [ground.congru] + words, cwd=work, stdin=subprocess.DEVNULL, stdout=out,
                                   stderr=err, env=ground.limits.environment({'TMPDIR': ground.good + '.tmp'}))
        time.sleep(r.choice([0.0, 0.02, 0.1, 0.4]))
        process.send_signal(chosen)
        try:
            code = process.wait(END_SECONDS * (3 if ground.limits.sanitized else 1))
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            return f'{chosen.name} does not end it', line
    return judge_signal(ground, chosen, code, paths['err'], work), f'{chosen.name}: {line}'


def judge_signal(ground, chosen, code, path, work):
    with open(path, 'rb') as file:
        err = file.read()
    text = [one for one in err.decode('utf-8', 'replace').split('\n') if one and not PROGRESS.match(one)]
    if b'Sanitizer' in err or b'runtime error:' in err:
        return 'the sanitizer: ' + text[-1]
    if code not in (0, 1, 2, 128 + chosen, -chosen):
        return f'exit code {code}'
    if code == 128 + chosen and not any(one.startswith('congru: interrupted') for one in text):
        return 'an interrupted run does not say so'
    if code == 1 and any('Interrupted system call' in one for one in text):
        return text[-1]
    left = [name for name in files_below(work) if '.congru-' in name and stat.S_ISREG(os.lstat(name).st_mode)]
    return f'a temporary file is left: {left[0]}' if left and code != -chosen else 'refused' if code != 0 else 'accepted'
