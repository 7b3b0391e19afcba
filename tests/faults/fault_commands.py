# The commands that faults are tried on, and the small files they work on. SPDX-License-Identifier: Apache-2.0
import os
import struct
import subprocess
import zipfile


class Command:
    """One command line. {in} stands for the folder of inputs; it runs in an empty folder of its own."""

    def __init__(self, name, line, old=(), inputs=(), pipes=(), fonts=False, keeps=()):
        self.name = name
        self.words = line.split()
        self.old = old  # outputs that are there before in runs that replace
        self.inputs = inputs  # inputs that are made unreadable, in turn
        self.fonts = fonts  # draws with the system's fonts, and with others where these cannot be had
        self.keeps = keeps  # models with what was learned until it failed, where it goes on from when it is run again
        self.pipes = pipes  # those that are waited for when they are pipes, as any program that reads pipes does


EVENTS = '--events T1=left,T2=right'
COMMANDS = [
    Command('import edf', f'import {{in}}/S1.edf {{in}}/S2.edf {EVENTS} --jobs 1 -o set.npz', ['set.npz'], ['S1.edf']),
    Command('import edf, 2 jobs', f'import {{in}}/S1.edf {{in}}/S2.edf {EVENTS} --jobs 2 --keep-signals -o set.npz',
            ['set.npz']),
    Command('import gdf', 'import {in}/A01T.gdf --preset bnci2014-001 --channels C3,Cz,C4 --jobs 1 -o set.npz', ['set.npz'],
            ['A01T.gdf']),
    Command('import npz', 'import {in}/trials.npz --band off --notch off --window all --jobs 1 -o set.npz',
            ['set.npz'], ['trials.npz']),
    Command('import text', 'import {in}/own.csv --events l*=left,r*=right --jobs 1 -o set.npz', ['set.npz'],
            ['own.csv', 'own_events.tsv']),
    Command('import openbci', 'import {in}/bci.txt --events 1=left,2=right --jobs 1 --keep-signals -o set.npz', ['set.npz'],
            ['bci.txt']),
    Command('import preset', f'import {{in}}/S1.edf --preset {{in}}/own.txt --jobs 1 -o set.npz', ['set.npz'],
            ['own.txt'], ['own.txt']),
    Command('synth set', 'synth --stage fusion --subjects 2 --trials 2 --channels 4 --threads 1 -o set.npz', ['set.npz']),
    Command('synth signals', 'synth --stage shift --subjects 2 --trials 2 --channels 4 --signals 32 --threads 2 -o set.npz',
            ['set.npz']),
    Command('synth edf', 'synth --stage shift --subjects 2 --trials 2 --channels 4 --signals 32 --threads 1 --edf made'),
    Command('info text', 'info {in}/own.csv', inputs=['own.csv']),
    Command('info set', 'info {in}/set.npz', inputs=['set.npz']),
    Command('info edf', 'info {in}/S1.edf', inputs=['S1.edf']),
    Command('info gdf', 'info {in}/A01T.gdf', inputs=['A01T.gdf']),
    Command('info model', 'info {in}/model', inputs=['model']),
    Command('presets', 'presets'),
    Command('presets one', 'presets bnci2014-001'),
    Command('loso classical', 'loso {in}/set.npz --jobs 1 -o results', inputs=['set.npz']),
    Command('loso network', 'loso {in}/set.npz -p dct+mdm,ddct-unet-e2e --steps 3 --diagnostics --jobs 1 -o results'),
    Command('loso, 2 jobs', 'loso {in}/set.npz -p ra+mdm,rpa+tslr,dldct+csp-lda --steps 2 --rpa-labels 2 --jobs 2 '
            '-o results'),
    Command('loso calibrated', 'loso {in}/sset.npz -p ra+tslr,dct-e2e --C auto --target 50p --steps 2 --ensemble 2 '
            '--jobs 1 -o results'),
    Command('within', 'within {in}/set.npz -p ra+tslr,none+mdm --folds 3 --jobs 1 -o results', inputs=['set.npz']),
    Command('ablate', 'ablate {in}/set.npz -p dct+mdm --subjects S01,S02 --steps 1 --jobs 1 -o results',
            inputs=['set.npz']),
    Command('show', 'show {in}/results', inputs=['results/results.csv', 'results/predictions.csv']),
    Command('compare', 'compare {in}/results --no-save --permutation', inputs=['results/results.csv']),
    Command('compare, kept', 'compare results'),
    Command('compare csv', 'compare --csv {in}/accuracies.csv --format latex', inputs=['accuracies.csv'],
            pipes=['accuracies.csv']),
    Command('reproduce statistics', 'reproduce statistics'),
    Command('reproduce table-preproc', 'reproduce table-preproc {in}/2a.npz -p ra+mdm,dct+tslr --steps 1 --jobs 1 -o made',
            inputs=['2a.npz']),
    Command('reproduce table-e2e', 'reproduce table-e2e {in}/2a.npz -p ra+tslr,dct-e2e --steps 1 --jobs 1 -o made',
            inputs=['2a.npz']),
    Command('report page', 'report {in}/network -o page.html', ['page.html'],
            ['network/results.csv', 'network/geometry.json', 'network/patterns.json',
             'network/training/dct+mdm-0.json', 'network/run.json']),
    Command('report csv', 'report {in}/results --table pairs -o table.csv', ['table.csv']),
    Command('report latex', 'report {in}/results --format latex'),
    Command('report svg', 'report {in}/network --figure training -o figure.svg', ['figure.svg']),
    Command('report png', 'report {in}/results --format png -o figure.png', ['figure.png'], fonts=True),
    Command('explain', 'explain {in}/results --csv -o looks.csv', ['looks.csv']),
    Command('explain model', 'explain {in}/model'),
    Command('train', 'train {in}/sset.npz -p ra+tslr --jobs 1 -o model', ['model'], ['sset.npz']),
    Command('train network', 'train {in}/sset.npz -p ddct-unet-e2e --steps 2 --jobs 2 -o model', ['model']),
    Command('predict', 'predict {in}/model {in}/sset.npz --jobs 1 -o answers.csv', ['answers.csv'],
            ['model', 'sset.npz']),
    Command('align', 'align {in}/model {in}/sset.npz --jobs 1 -o aligned.npz', ['aligned.npz'], ['model', 'sset.npz']),
    Command('stream frames', 'stream {in}/model {in}/frames.f32 --adapt decisions', inputs=['model', 'frames.f32'],
            pipes=['frames.f32']),
    Command('stream csv', 'stream {in}/model {in}/frames.csv --input csv', inputs=['frames.csv'], pipes=['frames.csv']),
    Command('stream edf', 'stream {in}/model {in}/stream.edf --input edf', inputs=['stream.edf']),
    Command('stream rest', 'stream {in}/model {in}/frames.f32 --rest {in}/stream.edf', inputs=['stream.edf']),
    Command('stream state', 'stream {in}/model {in}/frames.f32 --state subject.state', keeps=['subject.state']),
    Command('spd mean', 'spd mean {in}/a.npy --threads 1 -o mean.npy', ['mean.npy'], ['a.npy'], ['a.npy']),
    Command('spd tangent', 'spd tangent {in}/a.npy --base {in}/one.npy --threads 2 -o tangent.npy', ['tangent.npy'],
            ['one.npy'], ['one.npy']),
    Command('spd distance', 'spd distance {in}/a.npy --pairwise --threads 1'),
    Command('version', 'version'),
    Command('help', 'help'),
    Command('help import', 'help import'),
]


def npy(shape, values):
    """The bytes of a .npy file of float64."""
    head = "{'descr': '<f8', 'fortran_order': False, 'shape': (%s), }" % ''.join(f'{size}, ' for size in shape)
    head += ' ' * (63 - (10 + len(head)) % 64) + '\n'
    return b'\x93NUMPY\x01\x00' + struct.pack('<H', len(head)) + head.encode() + struct.pack('<%dd' % len(values), *values)


def made_up(count, seed):
    """Numbers between -1 and 1 that are the same everywhere."""
    state, values = seed, []
    for _ in range(count):
        state = (state * 6364136223846793005 + 1442695040888963407) % (1 << 64)
        values.append((state >> 40) / (1 << 23) - 1)
    return values


def spd_matrices(count, d):
    values = []
    for n in range(count):
        a = made_up(d * d, n + 1)
        values += [sum(a[i * d + k] * a[j * d + k] for k in range(d)) + (i == j) for i in range(d) for j in range(d)]
    return values


def write(path, data):
    with open(path, 'wb') as file:
        file.write(data)


def make_inputs(folder, congru, tools):
    """Every file the commands above read. `tools` finds the programs make_set, make_stream, make_recording, make_gdf."""
    def run(*words):
        subprocess.run(words, cwd=folder, check=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)

    for subject in (1, 2):
        run(tools('make_recording'), f'S{subject}.edf', '100', '40', 'C3,Cz,C4', 'T1@5,T2@12,T1@20,T2@28')
    run(tools('make_recording'), 'stream.edf', '100', '12', 'C1,C2,C3', 'T1@5')
    run(tools('make_gdf'), '--bci2a', '1', 'A01T.gdf')
    run(tools('make_set'), 'set.npz', '--subjects', '3', '--trials', '8', '--d', '3')
    run(tools('make_set'), '2a.npz', '--subjects', '3', '--trials', '8', '--d', '4')
    run(tools('make_stream'), 'sset.npz', 'frames.f32')
    path = os.path.join(folder, 'frames.f32')
    with open(path, 'rb') as file:
        frames = file.read(12 * 1000)
    write(path, frames)
    rows = struct.iter_unpack('<3f', frames)
    write(os.path.join(folder, 'frames.csv'), ''.join('%.6g,%.6g,%.6g\n' % row for row in rows).encode())
    rows = zip(*[iter(made_up(3 * 4000, 5))] * 3)
    write(os.path.join(folder, 'own.csv'), ('time,C3,Cz,C4\n' + ''.join(
        '%.2f,%.4g,%.4g,%.4g\n' % (i / 100, 20 * a, 20 * b, 20 * c) for i, (a, b, c) in enumerate(rows))).encode())
    write(os.path.join(folder, 'own_events.tsv'), b'onset\tlabel\n5\tl1\n12\tr1\n20\tl2\n28\tr2\n')
    write(os.path.join(folder, 'bci.txt'), ('%OpenBCI Raw EXG Data\n%Number of channels = 3\n%Sample Rate = 100 Hz\n'
          'Sample Index, EXG Channel 0, EXG Channel 1, EXG Channel 2, Marker Channel\n' + ''.join(
              '%d, %s, %d\n' % (i % 256, ', '.join('%.4g' % (20 * x) for x in made_up(3, i + 1)),
                                {500: 1, 1200: 2, 2000: 1, 2800: 2}.get(i, 0)) for i in range(4000))).encode())
    write(os.path.join(folder, 'own.txt'), b'events = T1=left, T2=right\nband = 8:30\n')
    write(os.path.join(folder, 'accuracies.csv'),
          b'subject,ra+mdm,ra+tslr\n1,60,63\n2,71,70.5\n3,55,61\n4,80,84\n5,66,66\n')
    write(os.path.join(folder, 'a.npy'), npy((5, 3, 3), spd_matrices(5, 3)))
    write(os.path.join(folder, 'one.npy'), npy((1, 3, 3), spd_matrices(1, 3)))
    with zipfile.ZipFile(os.path.join(folder, 'trials.npz'), 'w') as archive:
        archive.writestr('X.npy', npy((6, 3, 40), made_up(720, 7)))
        archive.writestr('fs.npy', npy((), [100]))
        archive.writestr('y.npy', npy((6,), [0, 1, 0, 1, 0, 1]))
    run(congru, 'loso', 'set.npz', '-o', 'results')
    run(congru, 'loso', 'set.npz', '-p', 'dct+mdm,ddct-unet-e2e', '--steps', '3', '--diagnostics', '-o', 'network')
    run(congru, 'train', 'sset.npz', '-p', 'ra+tslr', '-o', 'model')
