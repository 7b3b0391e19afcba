# Attacks by files: a good file of each kind is changed and given to a command that reads it. SPDX-License-Identifier: Apache-2.0
import os
import shutil
import struct
import zipfile

from fault_commands import made_up, npy, write
from fault_judge import read_tree
from hostile_formats import (VHDR, VMRK, bdf_of_edf, join_mat, mat_array, mutate_edf, mutate_gdf, mutate_ini, mutate_mat,
                             mutate_model, mutate_npy, mutate_npz, odd_text)
from hostile_judge import NOT_FINITE, judge, judge_files, judge_json_lines, judge_numbers, run
from hostile_mutations import (NUMBER_TEXTS, mutate_bytes, mutate_csv, mutate_floats, mutate_keys, mutate_lines,
                               mutate_numbers, several)

NOBODY = 65534
AS_NOBODY = ['setpriv', f'--reuid={NOBODY}', f'--regid={NOBODY}', '--clear-groups']


class Ground:
    """Where attacks happen: the program, the good files, the limits."""

    def __init__(self, congru, good, source, limits):
        self.congru, self.good, self.source, self.limits = congru, good, source, limits
        self.kept = {}

    def bytes_of(self, name):
        if name not in self.kept:
            with open(os.path.join(self.good, name), 'rb') as file:
                self.kept[name] = file.read()
        return self.kept[name]

    def corpus(self, kind):
        """The small files of the fuzzer."""
        if kind not in self.kept:
            folder = os.path.join(self.source, 'fuzz', 'corpus', kind)
            self.kept[kind] = []
            for name in sorted(os.listdir(folder)):
                with open(os.path.join(folder, name), 'rb') as file:
                    self.kept[kind].append(file.read())
        return self.kept[kind]

    def attempt(self, r, folder, line, keeps_parts=False, changes_inputs=False, stream=False, named=True, through=(),
                memory=True, **how):
        """Runs one command line in folder/work, on folder/in. Returns 'refused', 'accepted' or the rule that is broken, and the
        line. A command that keeps_parts leaves what it finished when it fails; one that is not `named` calls its outputs
        anything; `memory` makes a rule of it that it has enough."""
        work, given = os.path.join(folder, 'work'), os.path.join(folder, 'in')
        words = line if isinstance(line, list) else line.split()
        words = [word.replace('{in}', given).replace('{good}', self.good) for word in words]
        env = {'CONGRU_LARGE': '0'} if r.random() < 1 / 3 else {}
        env['TMPDIR'] = self.good + '.tmp'
        before, inputs = read_tree(work), read_tree(given)
        ended = run(self.limits, list(through) + [self.congru] + words, work, env, **how)
        lines = max(1, len(words) - 1) if words[:1] == ['info'] else 1  # which goes on with the next file
        verdict = judge(self.limits, ended, interrupted='interrupt_after' in how, lines=lines)
        if verdict is None and memory and ended.code == 1 and b'not enough memory' in ended.err:
            verdict = 'asks for more memory than there is: ' + ended.err.decode(errors='replace').strip()[:200]
        if verdict is None:
            verdict = judge_files(before, read_tree(work), ended.code, keeps_parts, named)
        if verdict is None and not changes_inputs and read_tree(given) != inputs:
            verdict = 'an input was changed'
        if verdict is None and stream:
            verdict = judge_json_lines(ended.out)
        if verdict is None and ended.code == 0 and not any(map(NOT_FINITE.search, words)):
            tables = [data for path, data in read_tree(work).items() if path.endswith('.csv') and data != before.get(path)]
            verdict = judge_numbers(b'\n'.join([ended.out] + tables), inputs.values())
        told = ('CONGRU_LARGE=0 ' if 'CONGRU_LARGE' in env else '') + 'congru ' + ' '.join(words)
        return verdict or ('accepted' if ended.code == 0 else 'refused'), told


def put(folder, name, data):
    os.makedirs(os.path.join(folder, 'in'), exist_ok=True)
    write(os.path.join(folder, 'in', name), data)


def make_more_inputs(folder):
    """What the campaign of faults has no file of."""
    def path(name):
        return os.path.join(folder, name)
    with open(path('S1.edf'), 'rb') as file:
        write(path('S1.bdf'), bdf_of_edf(file.read()))
    write(path('b.vhdr'), VHDR)
    write(path('p.txt'), b'pipeline = p0\nbranch = b\nmethod = ra+ridge\nband = 8:13\nwindow = 0:0.3\n')
    write(path('b.vmrk'), VMRK)
    write(path('b.eeg'), struct.pack('<9600h', *[int(3000 * value) for value in made_up(9600, 3)]))
    data = struct.pack('<720d', *made_up(720, 9))
    label = mat_array(b'label', [6, 1], struct.pack('<6d', 1, 2, 1, 2, 1, 2))
    write(path('trials.mat'), join_mat([mat_array(b'data', [40, 3, 6], data), label]))
    write(path('packed.mat'), join_mat([mat_array(b'data', [40, 3, 6], data), label], compressed=True))
    with zipfile.ZipFile(path('signals.npz'), 'w', zipfile.ZIP_DEFLATED) as archive:
        archive.writestr('X.npy', npy((12, 3, 60), made_up(2160, 11)))
        archive.writestr('fs.npy', npy((), [100]))
        archive.writestr('y.npy', npy((12,), [n % 2 for n in range(12)]))
        archive.writestr('subject.npy', npy((12,), [1 + n // 4 for n in range(12)]))
        archive.writestr('session.npy', npy((12,), [1] * 12))


# ---- Kinds: each makes one try and returns what Ground.attempt does ---------------------------------------------------

SPD = '''
spd mean {in}/f.npy -o o.npy
spd mean {in}/f.npy --metric logeuclid -o o.npy
spd log {in}/f.npy -o o.npy
spd exp {in}/f.npy -o o.npy
spd sqrt {in}/f.npy -o o.npy
spd power {in}/f.npy --p -0.5 -o o.npy
spd distance {in}/f.npy --pairwise
spd distance {good}/a.npy {in}/f.npy
spd tangent {good}/a.npy --base {in}/f.npy -o o.npy
spd untangent {in}/f.npy -o o.npy
spd geodesic {in}/f.npy {good}/one.npy --t 0.3 -o o.npy
info {in}/f.npy
spd mean {good}/a.npy --weights {in}/f.npy -o o.npy
spd invsqrt {in}/f.npy --threads 2 -o o.npy
'''.strip().split('\n')
SETS = '''
info {in}/f.npz
loso {in}/f.npz -p ra+mdm,none+tslr --jobs 1 -o results
loso {in}/f.npz -p rpa+csp-lda,ra+tsa-lda -o results
within {in}/f.npz -p ra+tslr --folds 3 --jobs 1 -o results
train {in}/f.npz -p ra+csp-lda -o model.safetensors
train {in}/f.npz -p dct-e2e --steps 1 -o model.safetensors
train {in}/f.npz -p ddct-unet-e2e --steps 1 -o model.safetensors
loso {in}/f.npz -p dct+mdm --steps 2 --diagnostics --jobs 1 -o results
predict {good}/model {in}/f.npz -o answers.csv
align {good}/model {in}/f.npz -o aligned.npz
ablate {in}/f.npz -p dct+mdm --steps 1 --jobs 1 -o results
loso {in}/f.npz --notch 20 -p ra+mdm --jobs 1 -o results
loso {in}/f.npz --classes class0,class1 -o results
within {in}/f.npz --band 8:30 -p none+mdm -o results
loso {in}/f.npz --target online --align-by session -p ra+tslr -o results
import {in}/f.npz --band off --notch off --window all -o out.npz
reproduce table-preproc {in}/f.npz -p ra+mdm -o results
loso {in}/f.npz --estimator oas -p dldct-e2e --steps 1 -o results
'''.strip().split('\n')
MODELS = '''
info {in}/m
predict {in}/m {good}/sset.npz -o answers.csv
align {in}/m {good}/sset.npz -o aligned.npz
stream {in}/m {good}/frames.f32
stream {in}/m {good}/stream.edf --input edf --adapt decisions
stream {in}/m {good}/frames.csv --input csv --adapt never
'''.strip().split('\n')
WRITES_FOLDER = ('loso', 'within', 'ablate', 'reproduce')
IMPORT_OPTIONS = '''
--band off
--band 8:30
--band 0:20
--filter fir
--causal
--notch off
--notch 40
--harmonics
--resample 50
--reference average
--window all
--window 0.1:0.3
--window 0:2
--rest
--rejected drop
--estimator oas
--estimator lwf
--trace-normalise on
--keep-signals
--rate 100
--jobs 2
--channels C3,C4
'''.strip().split('\n')


def import_line(r, path, fixed=''):
    """An import with some options, none of them twice."""
    chosen = {option.split()[0]: option for option in r.sample(IMPORT_OPTIONS, r.randrange(5))}
    for option in fixed.split(' --'):
        chosen.pop('--' + option.strip('- ').split(' ')[0], None)
    return f'import {path} {fixed} {" ".join(chosen.values())} -o set.npz'


def attack_npy(ground, r, folder):
    seeds = [ground.bytes_of('a.npy'), ground.bytes_of('one.npy')] + ground.corpus('npy')
    put(folder, 'f.npy', several(r, r.choice(seeds[:2] if r.random() < 0.7 else seeds), [mutate_npy]))
    return ground.attempt(r, folder, r.choice(SPD))


def attack_set(ground, r, folder):
    name = r.choice(['set.npz', 'sset.npz', 'signals.npz'])
    put(folder, 'f.npz', several(r, ground.bytes_of(name), [mutate_npz]))
    line = r.choice(SETS)
    return ground.attempt(r, folder, line, keeps_parts=line.split()[0] in WRITES_FOLDER)


def attack_trials(ground, r, folder):
    seeds = [ground.bytes_of('trials.npz'), ground.bytes_of('signals.npz')]
    data = r.choice(seeds) if r.random() < 0.8 else r.choice(ground.corpus('npz'))
    put(folder, 'f.npz', several(r, data, [mutate_npz]))
    line = 'info {in}/f.npz' if r.random() < 0.2 else \
        import_line(r, '{in}/f.npz', r.choice(['', '--window all --band off --notch off']))
    return ground.attempt(r, folder, line)


def attack_mat(ground, r, folder):
    seeds = [ground.bytes_of('trials.mat'), ground.bytes_of('packed.mat')] + ground.corpus('mat')
    put(folder, 'f.mat', several(r, r.choice(seeds[:2] if r.random() < 0.5 else seeds), [mutate_mat]))
    line = 'info {in}/f.mat' if r.random() < 0.3 else import_line(r, '{in}/f.mat', r.choice(
        ['--rate 100 --window all --band off --notch off', '--rate 100', '--events 1=a,2=b', '--preset bnci2014-001']))
    return ground.attempt(r, folder, line)


def attack_recording(ground, r, folder, name, seeds, mutate, events):
    put(folder, name, several(r, r.choice(seeds), [mutate]))
    path = '{in}/' + name
    way = r.random()
    if way < 0.2:
        return ground.attempt(r, folder, f'info {path}')
    if way < 0.3:
        return ground.attempt(r, folder, f'stream {{good}}/model {path} --input edf', stream=True)
    return ground.attempt(r, folder, import_line(r, path, events))


def attack_edf(ground, r, folder):
    seeds = [ground.bytes_of('S1.edf'), ground.bytes_of('stream.edf')] + ground.corpus('edf')
    return attack_recording(ground, r, folder, 'f.edf', seeds[:2] if r.random() < 0.7 else seeds, mutate_edf,
                            '--events T1=left,T2=right')


def attack_bdf(ground, r, folder):
    return attack_recording(ground, r, folder, 'f.bdf', [ground.bytes_of('S1.bdf')], mutate_edf, '--events T1=left,T2=right')


def attack_gdf(ground, r, folder):
    big = r.random() < 0.1
    seeds = [ground.bytes_of('A01T.gdf')] if big else ground.corpus('gdf')
    return attack_recording(ground, r, folder, 'f.gdf', seeds, mutate_gdf,
                            '--preset bnci2014-001' if big else
                            '--events 769=left,1=rest,2=right --window 0:0.02 --band off --notch off')


def attack_brainvision(ground, r, folder):
    parts = {name: ground.bytes_of(name) for name in ('b.vhdr', 'b.vmrk', 'b.eeg')}
    for name in r.sample(sorted(parts), r.choice([1, 1, 1, 2])):
        parts[name] = mutate_bytes(r, parts[name]) if name == 'b.eeg' else mutate_ini(r, parts[name])
    if r.random() < 0.1:
        del parts[r.choice(['b.vmrk', 'b.eeg'])]
    for name, data in parts.items():
        put(folder, name, data)
    if r.random() < 0.25:
        return ground.attempt(r, folder, 'info {in}/b.vhdr')
    return ground.attempt(r, folder, import_line(r, '{in}/b.vhdr').split() + ['--events', 'S  1=left,S  2=right'])


OPENBCI = b'''%OpenBCI Raw EXG Data
%Number of channels = 3
%Sample Rate = 100 Hz
%Board = OpenBCI_GUI$BoardCytonSerial
Sample Index, EXG Channel 0, EXG Channel 1, EXG Channel 2, Accel Channel 0, Timestamp, Timestamp (Formatted)
'''
TEXT_EVENTS = '--events l*=left,r*=right'


def openbci_of(data):
    """Samples as OpenBCI's program writes them."""
    rows = [line.split(b',') for line in data.split(b'\n')[1:-1]]
    return OPENBCI + b''.join(b', '.join([b'%d' % (i % 256)] + row[1:] + [b'0.5', b'1.7e9', b'2026-01-01 10:00:00.000']) + b'\n'
                              for i, row in enumerate(rows))


def odd_samples(r):
    """Text that no program writes: rows of one kind, many columns, times that stutter, quotes that do not end."""
    rows = r.choice([1, 2, 30, 500])
    columns = r.choice([1, 2, 3, 300, 9999, 10000, 10001, 60000])
    step = r.choice(['0.01', '1e-300', '5e-324', '1e300', '0', '-1', 'nan', '1e9', '1e-9', '3600'])
    heading = r.choice(['', ','.join(f'C{i} (u{i % 9}V)' for i in range(columns)) + '\n',
                        'time,' + ','.join(f'C{i}' for i in range(columns)) + '\n',
                        'label,' + ','.join(['C3'] * columns) + '\n', '"time","C3\n'])
    lead = heading.split(',')[0] if heading.count(',') == columns else None
    cell = r.choice(['1', '', '1e308', '-1e-308', '"1"', '"', 'x', '1,5'])
    body = ''
    for i in range(rows if columns < 1000 else 2):
        front = '' if lead is None else f'e{i},' if lead == 'label' else f'{i}e{step.split("e")[1]},' if 'e' in step else f'{i}{step},'
        body += front + ','.join([cell] * columns) + '\n'
    return (heading + body).encode()


def attack_text(ground, r, folder):
    """CSV, TSV and OpenBCI's text, and the table of events beside it."""
    own, events = ground.bytes_of('own.csv'), ground.bytes_of('own_events.tsv')
    mutators = [mutate_csv, mutate_csv, mutate_numbers, mutate_lines, mutate_bytes]
    kind = r.choice(['own', 'own', 'openbci', 'odd', 'corpus'])
    data = {'own': own, 'openbci': openbci_of(own)}.get(kind) or (odd_samples(r) if kind == 'odd' else r.choice(ground.corpus('text')))
    if r.random() < 0.7:
        data = several(r, data, mutators)
    else:
        events = several(r, events.replace(b'\t', b','), mutators).replace(b',', r.choice([b'\t', b',']))
    data = data.replace(b',', r.choice([b',', b',', b';', b'\t']))
    name = r.choice(['f.csv', 'f.csv', 'f.tsv', 'f.txt', 'sub-01_task-x_eeg.csv'])
    put(folder, name, data)
    if r.random() < 0.8:
        put(folder, name.rsplit('.', 1)[0].replace('_eeg', '') + r.choice(['_events.tsv', '_events.csv']), events)
    path = '{in}/' + name
    way = r.random()
    if way < 0.2:
        return ground.attempt(r, folder, f'info {path}')
    if way < 0.4:  # under the names that the model knows
        put(folder, name, data.replace(b'Cz', b'C2').replace(b'C4', b'C1').replace(b'EXG Channel 0', b'C1'))
        line = f'stream {{good}}/model {path} --input ' + r.choice(['edf', 'csv'])
        return ground.attempt(r, folder, line + r.choice(['', '', ' --events l*']), stream=True)
    return ground.attempt(r, folder, import_line(r, path, TEXT_EVENTS))


STATES = '''
stream {good}/model {good}/frames.f32 --state s
stream {good}/model {good}/frames.f32 --state s
stream {good}/model {good}/frames.f32 --state s --adapt decisions
stream {good}/model {good}/frames.csv --input csv --state s
stream {good}/model {good}/frames.f32 --rest {good}/stream.edf --state s
stream {good}/model {good}/frames.f32 --rest s
info s
predict s {good}/sset.npz
stream s {good}/frames.f32
'''.strip().split('\n')


def attack_state(ground, r, folder):
    """What a decoder has learned, changed: it is refused, and left as it is."""
    data = ground.bytes_of('subject.state')
    if r.random() < 0.9:
        data = several(r, data, [mutate_model])
    write(os.path.join(folder, 'work', 's'), data)
    line = r.choice(STATES)
    return ground.attempt(r, folder, line, stream=line.startswith('stream'))


def attack_model(ground, r, folder):
    seeds = [ground.bytes_of('model'), ground.bytes_of('model'), ground.bytes_of('network.safetensors')]
    put(folder, 'm', several(r, r.choice(seeds), [mutate_model]))
    line = r.choice(MODELS)
    return ground.attempt(r, folder, line, stream=line.startswith('stream'))


def attack_preset(ground, r, folder):
    data = ground.bytes_of('own.txt')
    if r.random() < 0.5:
        name = r.choice(['bnci2014-001.txt', 'eegmmidb.txt', 'bnci2014-004.txt'])
        with open(os.path.join(ground.source, 'share', 'presets', name), 'rb') as file:
            data = file.read()
    put(folder, 'p.txt', several(r, data, [mutate_keys, mutate_keys, mutate_lines, mutate_numbers, mutate_bytes]))
    preset = '/dev/zero' if r.random() < 0.01 else '{in}/p.txt'
    return ground.attempt(r, folder, f'import {{good}}/S1.edf --preset {preset} -o set.npz')


def odd_map(r):
    """A map of events or a list of classes, as on the command line."""
    names = ['T1', 'T2', 'left', 'right', '1', '2', '769', 'class0', 'class1']
    pieces = []
    for _ in range(r.choice([1, 2, 2, 3, 40, 2000])):
        left = r.choice(names) if r.random() < 0.7 else r.choice([odd_text(r), r.choice(NUMBER_TEXTS)])
        right = r.choice(names) if r.random() < 0.7 else odd_text(r)
        pieces.append(left + r.choice(['=', '=', '=', '', '==', ' = ']) + right)
    return r.choice([',', ',', ',', ', ', ',,', ';']).join(pieces)[:100000]


def attack_events(ground, r, folder):
    put(folder, 'nothing', b'')
    text = odd_map(r)
    line = r.choice([['import', '{good}/S1.edf', '--events', text, '-o', 'set.npz'],
                     'import {good}/trials.npz --band off --notch off --window all -o set.npz --events'.split() + [text],
                     ['import', '{good}/b.vhdr', '--events', text, '-o', 'set.npz'],
                     ['import', '{good}/S1.edf', '--events', 'T1=a,T2=b', '--channels', text, '-o', 'set.npz'],
                     ['import', '{good}/S1.edf', '--events', 'T1=a,T2=b', '--subject-from', text, '-o', 'set.npz'],
                     ['loso', '{good}/set.npz', '--classes', text, '-p', 'ra+mdm', '-o', 'results'],
                     ['loso', '{good}/set.npz', '--subjects', text, '-p', 'ra+mdm', '-o', 'results'],
                     ['train', '{good}/set.npz', '--classes', text, '-p', 'ra+mdm', '-o', 'model.safetensors'],
                     ['loso', '{good}/set.npz', '--dataset', text, '-p', 'ra+mdm', '-o', 'results']])
    return ground.attempt(r, folder, line, keeps_parts=line[0] == 'loso')


def attack_table(ground, r, folder):
    put(folder, 't.csv', several(r, ground.bytes_of('accuracies.csv'), [mutate_csv, mutate_numbers]))
    return ground.attempt(r, folder, 'compare --csv {in}/t.csv' + r.choice(['', ' --format latex', ' --permutation', ' --format markdown']))


def attack_frames(ground, r, folder):
    """Samples in files: float32 and CSV."""
    if r.random() < 0.5:
        data = several(r, ground.bytes_of('frames.csv'), [mutate_csv, mutate_csv, mutate_numbers, mutate_lines])
        line = 'stream {good}/model {in}/frames --input csv'
    else:
        data = several(r, ground.bytes_of('frames.f32'), [mutate_bytes, lambda r, data: mutate_floats(r, data, 4)])
        line = 'stream {good}/model {in}/frames --input float32'
    put(folder, 'frames', data)
    line += r.choice(['', ' --adapt decisions', ' --adapt never', ' --window 0.5', ' --scale 1e12', ' --rate 100', ' --memory 0',
                      ' --channels C3,Cz', ' --channels A,B,C,D'])
    return ground.attempt(r, folder, line, stream=True)


def copy_good(ground, folder, name):
    """A good folder of results to attack."""
    place = os.path.join(folder, 'in', name)
    shutil.copytree(os.path.join(ground.good, name), place)
    return place
