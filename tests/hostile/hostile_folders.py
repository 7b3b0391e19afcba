# Attacks by folders of results and by command lines. SPDX-License-Identifier: Apache-2.0
import os
import re
import shutil
import subprocess

from fault_commands import write
from hostile_files import AS_NOBODY, NOBODY, WRITES_FOLDER, copy_good
from hostile_formats import odd_text
from hostile_mutations import (NUMBER_TEXTS, mutate_bytes, mutate_csv, mutate_json, mutate_lines, mutate_numbers,
                               mutate_ranges, several)

READERS = '''
show {in}/RUN
show {in}/RUN --per-subject
show {in}/RUN --confusion --format markdown
compare {in}/RUN --no-save
compare {in}/RUN --no-save --permutation
report {in}/RUN -o page.html
report {in}/RUN --figure training -o f.svg
report {in}/RUN --figure paired -o f.svg
report {in}/RUN --figure forest -o f.svg
report {in}/RUN --table pairs -o t.csv
report {in}/RUN --table accuracy --format latex
report {in}/RUN --figure confusion -o f.svg
report {in}/RUN {good}/results -o page.html
compare {in}/RUN
'''.strip().split('\n')
AGAIN = {'results': 'loso {good}/set.npz --jobs 1 -o {in}/results',
         'network': 'loso {good}/set.npz -p dct+mdm,ddct-unet-e2e --steps 3 --diagnostics --jobs 1 -o {in}/network'}


def reader_line(r, run):
    """A command that reads the run, or the one that takes it up; and whether it writes there."""
    line = AGAIN[run] if r.random() < 0.25 else r.choice(READERS).replace('RUN', run)
    return line, line == AGAIN[run] or line.endswith('compare {in}/' + run)


def files_below(place):
    return sorted(os.path.join(base, name) for base, _, files in os.walk(place) for name in files)


def change_file(r, path, mutators=None):
    with open(path, 'rb') as file:
        data = file.read()
    usual = [mutate_json, mutate_json, mutate_numbers, mutate_bytes] if path.endswith('.json') else \
        [mutate_csv, mutate_csv, mutate_csv, mutate_numbers, mutate_lines, mutate_bytes]
    write(path, several(r, data, mutators or usual))


def attack_results(ground, r, folder, pick, runs=('results', 'network'), mutators=None):
    run = r.choice(runs)
    place = copy_good(ground, folder, run)
    paths = [path for path in files_below(place) if pick(os.path.relpath(path, place))]
    for path in r.sample(paths, min(len(paths), r.choice([1, 1, 2]))):
        change_file(r, path, mutators)
    line, writes = reader_line(r, run)
    return ground.attempt(r, folder, line, keeps_parts=writes, changes_inputs=writes)


def attack_scores(ground, r, folder):
    if r.random() < 0.2:
        return attack_results(ground, r, folder, lambda path: path == 'results.csv', mutators=[mutate_ranges])
    return attack_results(ground, r, folder, lambda path: path in ('results.csv', 'predictions.csv'))


def attack_settings(ground, r, folder):
    return attack_results(ground, r, folder, lambda path: path == 'run.json')


def attack_folds(ground, r, folder):
    return attack_results(ground, r, folder, lambda path: path.startswith('folds/'))


def attack_training(ground, r, folder):
    return attack_results(ground, r, folder, lambda path: path.endswith('.json') and path != 'run.json', ['network'])


# ---- Folders that are not what they should be ------------------------------------------------------------------------


def remove_one(r, place, path):
    os.unlink(path)


def remove_folder(r, place, path):
    folders = [os.path.join(base, name) for base, names, _ in os.walk(place) for name in names]
    shutil.rmtree(r.choice(sorted(folders)))


def empty_one(r, place, path):
    open(path, 'w').close()


def cut_one(r, place, path):
    size = os.path.getsize(path)
    os.truncate(path, r.randrange(size + 1))


def make_folder(r, place, path):
    os.unlink(path)
    os.mkdir(path)


def make_link(r, place, path):
    os.unlink(path)
    os.symlink(r.choice(['nothing', path, '.', '..', '/dev/zero', '/dev/null', '/dev/full', os.path.basename(path)]), path)


def make_pipe(r, place, path):
    os.unlink(path)
    os.mkfifo(path)


EXTRA = ['x', '.congru-1-1.tmp', 'folds/ra+mdm/9.csv', 'folds/x', 'folds/ra+mdm/-1.csv', 'training/x-0.json', 'statistics.json',
         'geometry.json', 'results.csv.bak', 'folds/ra+mdm/99999999999999999999.csv', 'a\nb']


def add_files(r, place, path):
    for name in r.sample(EXTRA, 3):
        if os.path.isdir(os.path.dirname(os.path.join(place, name))):
            write(os.path.join(place, name), r.choice([b'', b'{', b'\xff' * 100, b'end,1,0,0.1,\n']))


def exchange(r, place, path):
    other = r.choice(files_below(place))
    if other != path:
        os.rename(path, path + '~')
        os.rename(other, path)
        os.rename(path + '~', other)


def loop_folder(r, place, path):
    base = os.path.dirname(path)
    if base != place:
        shutil.rmtree(base)
        os.symlink(r.choice([place, base, '/proc/self', '/nowhere']), base)


def hide(r, place, path):
    os.chmod(r.choice([path, os.path.dirname(path)]), 0)


FOLDER_CHANGES = [remove_one, remove_one, remove_folder, empty_one, cut_one, make_folder, make_link, make_pipe, add_files,
                  exchange, loop_folder, hide]


def attack_folder(ground, r, folder):
    run = r.choice(['results', 'network'])
    place = copy_good(ground, folder, run)
    change = r.choice(FOLDER_CHANGES)
    change(r, place, r.choice(files_below(place)))
    line, writes = reader_line(r, run)
    through = []
    if change is hide and os.geteuid() == 0:
        through = AS_NOBODY
        os.chown(os.path.join(folder, 'work'), NOBODY, NOBODY)
    try:
        verdict, told = ground.attempt(r, folder, line, keeps_parts=writes, changes_inputs=writes, through=through)
    finally:
        for base, names, files in os.walk(place):
            for name in names + files:
                if not os.path.islink(os.path.join(base, name)):
                    os.chmod(os.path.join(base, name), 0o755)
    return verdict, f'{change.__name__}: {told}'


# ---- Command lines ----------------------------------------------------------------------------------------------------

COMMAND_NAMES = ['import', 'synth', 'info', 'presets', 'loso', 'within', 'ablate', 'show', 'compare',
                 'reproduce', 'report', 'train', 'predict', 'align', 'stream', 'spd', 'version', 'help']
# What would leave this machine, wait for somebody, or honestly take long.
NOT_TRIED = {'--allow-remote', '--channels', '--data-parallel', '--ensemble', '--listen', '--lsl-in',
             '--lsl-out', '--realtime', '--signals', '--steps', '--subjects', '--trials'}
OPERANDS = ['{in}/set.npz', '{in}/sset.npz', '{in}/S1.edf', '{in}/model', '{in}/results', '{in}/a.npy',
            '{in}/b.vhdr', '{in}/nothing', '{in}', '/dev/null', '.', '', '-', '--', '{in}/trials.npz',
            '{in}/accuracies.csv', 'mean', 'log', 'distance', 'statistics', 'table-preproc', 'bnci2014-001',
            'import']
BASE = {
    'synth': ['--stage', 'shift', '--subjects', '2', '--trials', '2', '--channels', '4'],
    'ablate': ['{in}/set.npz', '--steps', '1'],
    'loso': ['{in}/set.npz', '--steps', '1'],
    'within': ['{in}/set.npz', '--steps', '1'],
    'train': ['{in}/sset.npz', '--steps', '1'],
    'import': ['{in}/S1.edf', '--events', 'T1=a,T2=b'],
    'report': ['{in}/network'],
    'show': ['{in}/results'],
    'compare': ['{in}/results', '--no-save'],
    'stream': ['{in}/model', '{in}/frames.f32'],
    'info': ['{in}/set.npz'],
    'predict': ['{in}/model', '{in}/sset.npz'],
    'align': ['{in}/model', '{in}/sset.npz'],
    'spd': ['mean', '{in}/a.npy'],
    'reproduce': ['statistics'],
}


def options_of(ground, name):
    """The options of a command with their default values, as its help tells them."""
    if name not in ground.kept:
        text = subprocess.run([ground.congru, 'help', name], env=ground.limits.environment({'COLUMNS': '100'}),
                              capture_output=True, check=True, text=True).stdout
        found = re.findall(r'^  (?:-\w, )?(--[\w-]+)( [A-Z]\S*)?', text, re.M)
        ground.kept[name] = sorted((option, value.strip()) for option, value in found if option not in NOT_TRIED)
    return ground.kept[name]


def odd_value(r):
    return r.choice([r.choice(NUMBER_TEXTS), odd_text(r)] + '0.5 2 3:1 1:2 8:30 riemann ra+mdm dct+mdm all off none'.split() +
                    'riemann,euclid pairs png svg o.csv /dev/full /proc/none/there'.split())


def attack_command(ground, r, folder):
    os.rmdir(os.path.join(folder, 'in'))
    # Outputs are renamed into place, and do not reach the originals.
    shutil.copytree(ground.good, os.path.join(folder, 'in'), copy_function=os.link)
    name = r.choice(COMMAND_NAMES)
    words = [name] + list(BASE.get(name, []))
    for _ in range(r.choice([0, 1, 1, 2, 3, 8])):
        options = options_of(ground, name)
        option, value = r.choice(options)
        way = r.random()
        if way < 0.2:
            words.insert(r.randrange(1, len(words) + 1), r.choice(OPERANDS))
        elif way < 0.3:
            words.append(r.choice([option[:-1], option + 'x', '-' + option[2:3], option + '=', '-', '--', odd_text(r)]))
        elif value and way < 0.9:
            words += [option, odd_value(r)] if r.random() < 0.7 else [option + '=' + odd_value(r)]
        else:
            words.append(option)
    if r.random() < 0.7 and '-o' not in words:
        words += ['-o', r.choice(['out.npz', 'out.csv', 'out', 'results', 'page.html', 'f.svg', 'f.png', 'a/b/c'])]
    if r.random() < 0.1:
        del words[r.randrange(len(words))]
    words = [word.encode('utf-8', 'replace').decode('utf-8')[:100000] for word in words]
    return ground.attempt(r, folder, words, changes_inputs=True, named=False, memory=False,
                          keeps_parts=name in WRITES_FOLDER + ('synth',))
