#!/usr/bin/env python3
# Gives every command hostile files, folders, words and clients, and counts what came of it. SPDX-License-Identifier: Apache-2.0
#
# usage: attack.py --build BUILD [--sanitized] [--sample] [--seed N] [--only KIND] [--count N] [--minutes N]
#        attack.py --build BUILD --repeat KIND/SEED/NUMBER [--keep FOLDER]
#
# Needs nothing but Python's standard library, and connects to nothing but 127.0.0.1. See docs/reliability.md for
# the rules.
import argparse
import collections
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor

sys.dont_write_bytecode = True  # the source tree may not be ours to write to
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(os.path.dirname(HERE), 'faults')]
import hostile_campaigns as campaigns  # noqa: E402
import hostile_files as files  # noqa: E402
import hostile_folders as folders  # noqa: E402
import hostile_streams as streams  # noqa: E402
from campaign import find_tools, scratch_folder  # noqa: E402
from fault_commands import make_inputs  # noqa: E402
from hostile_judge import Limits, judge_itself  # noqa: E402

Kind = collections.namedtuple('Kind', 'name what attack share')  # share: tries for each try of others
KINDS = [
    Kind('npy', 'arrays, .npy', files.attack_npy, 1),
    Kind('set', 'covariance and signal sets, .npz', files.attack_set, 2),
    Kind('trials', 'trials, .npz', files.attack_trials, 1.5),
    Kind('mat', 'trials and recordings, .mat', files.attack_mat, 1),
    Kind('edf', 'EDF', files.attack_edf, 1),
    Kind('bdf', 'BDF', files.attack_bdf, 0.5),
    Kind('gdf', 'GDF', files.attack_gdf, 1),
    Kind('brainvision', 'BrainVision, three files', files.attack_brainvision, 1),
    Kind('text', 'CSV, TSV and OpenBCI, tables of events', files.attack_text, 1),
    Kind('state', 'states of decoders', files.attack_state, 1),
    Kind('model', 'models, .safetensors', files.attack_model, 1.5),
    Kind('preset', 'presets', files.attack_preset, 1),
    Kind('events', 'maps of events, lists of classes', files.attack_events, 1),
    Kind('table', 'tables for compare --csv', files.attack_table, 0.5),
    Kind('scores', 'results.csv, predictions.csv', folders.attack_scores, 1.5),
    Kind('settings', 'run.json', folders.attack_settings, 1),
    Kind('folds', 'folds/*', folders.attack_folds, 1),
    Kind('training', 'training/*.json, geometry.json, patterns.json', folders.attack_training, 1),
    Kind('folder', 'results folders: missing, extra, links, unreadable', folders.attack_folder, 1),
    Kind('frames', 'samples in files, float32 and CSV', files.attack_frames, 1),
    Kind('stdin', 'samples on standard input', streams.attack_stdin, 0.5),
    Kind('tcp', 'servers with many clients', streams.attack_tcp, 0.1),
    Kind('session', 'servers that keep sessions and a log', streams.attack_session, 0.1),
    Kind('command', 'command lines', folders.attack_command, 2),
    Kind('definition', 'pipeline files, and definitions in models', campaigns.attack_definition, 1),
    Kind('many', 'many subjects, sessions, classes, arrays, rows, words', campaigns.attack_many, 0.25),
    Kind('damage', 'results folders with one damage, taken up', campaigns.attack_damage, 1),
    Kind('bounds', 'options at their bounds, of each command', campaigns.attack_bounds, 2),
    Kind('scales', 'classifiers at scales of 1e-12 to 1e12', campaigns.attack_scales, 0.5),
    Kind('pipes', 'pipes without another end, and signals', campaigns.attack_pipes, 0.5),
]
COUNT, SAMPLE_COUNT, SAMPLE_SANITIZED = 400, 50, 12
BLOCK = 10  # tries that a process does before it asks for more


def one_try(ground, kind, seed, number, place):
    """(verdict, command line) of one try, which is the same whenever it is made."""
    folder = os.path.join(place, f'{kind.name}-{number}')
    for name in ('in', 'work'):
        os.makedirs(os.path.join(folder, name))
    r = random.Random(f'{seed}/{kind.name}/{number}')
    try:
        return kind.attack(ground, r, folder)
    except Exception as problem:  # the harness itself
        return f'the harness: {problem!r}', ''


def run_block(task):
    """Some tries of a kind: Counter, and (name, verdict, command line) of each violation."""
    congru, good, source, limits, until, seed, kind_name, numbers = task
    kind = next(kind for kind in KINDS if kind.name == kind_name)
    ground = files.Ground(congru, good, source, limits)
    place = tempfile.mkdtemp(dir=os.path.dirname(good))
    os.chmod(place, 0o755)
    counter, violations = collections.Counter(), []
    for number in numbers:
        if time.monotonic() > until:
            counter['not tried'] += 1
            continue
        verdict, line = one_try(ground, kind, seed, number, place)
        counter['tries'] += 1
        counter[verdict if verdict in ('refused', 'accepted') else 'violations'] += 1
        if verdict not in ('refused', 'accepted'):
            violations.append((f'{kind.name}/{seed}/{number}', verdict, line))
        shutil.rmtree(os.path.join(place, f'{kind.name}-{number}'), ignore_errors=True)
    shutil.rmtree(place, ignore_errors=True)
    return kind_name, counter, violations


# Signals whose cue is known, a model of a pipeline that was defined for it, and what a decoder has learned.
DEFINED = ['import signals.npz --start 0 --window all --band off --notch off --keep-signals -o cued.npz',
           'train cued.npz --pipeline-file p.txt -p p0 -o defined.safetensors',
           'stream model frames.f32 --state subject.state']


def prepare(options, scratch):
    """The program and the good files, where somebody who is not root can read them."""
    source = os.path.dirname(os.path.dirname(HERE))
    build = os.path.abspath(options.build)
    congru, good = os.path.join(scratch, 'congru'), os.path.join(scratch, 'good')
    shutil.copy(os.path.join(build, 'congru'), congru)
    os.mkdir(good)
    os.mkdir(good + '.tmp')
    os.chmod(good + '.tmp', 0o777)
    make_inputs(good, congru, find_tools(build, source, scratch))
    files.make_more_inputs(good)
    subprocess.run([congru, 'train', 'sset.npz', '-p', 'ddct-unet-e2e', '--steps', '2', '-o', 'network.safetensors'],
                   cwd=good, check=True, stdout=subprocess.DEVNULL)
    for line in DEFINED:
        subprocess.run([congru] + line.split(), cwd=good, check=True, stdout=subprocess.DEVNULL)
    return congru, good, source


def run_all(options, limits, scratch):
    missed = judge_itself(limits, tempfile.mkdtemp(dir=scratch))
    if missed:
        raise SystemExit('the judge lets pass: ' + ', '.join(missed))
    congru, good, source = prepare(options, scratch)
    until = time.monotonic() + 60 * options.minutes
    count = options.count or (COUNT if not options.sample else SAMPLE_SANITIZED if options.sanitized else SAMPLE_COUNT)
    tasks = []
    for kind in KINDS:
        if options.only is None or kind.name in options.only:
            numbers = list(range(1, 1 + max(1, round(count * kind.share))))
            tasks += [(congru, good, source, limits, until, options.seed, kind.name, numbers[i:i + BLOCK])
                      for i in range(0, len(numbers), BLOCK)]
    rows, violations = collections.OrderedDict((kind.name, collections.Counter()) for kind in KINDS), []
    with ProcessPoolExecutor(options.jobs) as pool:
        for name, counter, found in pool.map(run_block, tasks):
            rows[name].update(counter)
            violations += found
            for violation in found if not options.tap else ():
                print(printable(violation), file=sys.stderr, flush=True)
    return {name: row for name, row in rows.items() if row}, violations


def repeat(options, limits, scratch):
    """One try again, its files kept where --keep says."""
    name, seed, number = options.repeat.rsplit('/', 2)
    kind = next(kind for kind in KINDS if kind.name == name)
    place = os.path.abspath(options.keep) if options.keep else tempfile.mkdtemp(dir=scratch)
    os.makedirs(place, exist_ok=True)
    os.chmod(place, 0o755)
    congru, good, source = prepare(options, scratch if options.keep is None else place)
    verdict, line = one_try(files.Ground(congru, good, source, limits), kind, int(seed), int(number), place)
    print(line)
    print(verdict)
    return 0 if verdict in ('refused', 'accepted') else 1


# ---- Telling ------------------------------------------------------------------------------------------------------------

COLUMNS = ['tries', 'refused', 'accepted', 'violations']


def table(rows):
    total = sum(rows.values(), collections.Counter())
    yield '| attacked | kind | ' + ' | '.join(COLUMNS) + ' |'
    yield '| --- | --- |' + ' ---: |' * len(COLUMNS)
    for kind in KINDS:
        if kind.name in rows:
            yield '| ' + ' | '.join([kind.what, f'`{kind.name}`'] + [str(rows[kind.name][c]) for c in COLUMNS]) + ' |'
    yield '| ' + ' | '.join(['all', ''] + [str(total[c]) for c in COLUMNS]) + ' |'


def printable(violation):
    return ': '.join(violation)[:600].encode('ascii', 'backslashreplace').decode().replace('\n', '\\n')


def report_tap(rows, violations):
    for n, (name, row) in enumerate(rows.items(), 1):
        for violation in violations:
            if violation[0].startswith(name + '/'):
                print('# ' + printable(violation))
        kind = next(kind for kind in KINDS if kind.name == name)
        late = f' # SKIP no time for {row["not tried"]} tries' if row['tries'] == 0 else ''
        print(f'{"not " if row["violations"] else ""}ok {n} - {kind.what}: {row["tries"]} tries, {row["refused"]} refused, '
              f'{row["accepted"]} accepted{late}')
    print(f'1..{len(rows)}')


def report(options, rows, violations):
    if options.tap:
        report_tap(rows, violations)
    else:
        for line in table(rows):
            print(line)
        for violation in violations:
            print('violation: ' + printable(violation))
    late = {name: row['not tried'] for name, row in rows.items() if row['not tried']}
    if late:
        print(f'# stopped after {options.minutes:g} minutes; not tried for want of time: {sum(late.values())} ('
              + ', '.join(f'{name} {count}' for name, count in late.items()) + ')')
    return 1 if violations else 0


def parse():
    parser = argparse.ArgumentParser()
    parser.add_argument('--build', required=True)
    parser.add_argument('--sanitized', action='store_true', help='the build has sanitizers: more time and memory is allowed')
    parser.add_argument('--sample', action='store_true', help='a few tries of each kind')
    parser.add_argument('--tap', action='store_true', help='report as TAP')
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--only', action='append', choices=[kind.name for kind in KINDS], help='these kinds alone')
    parser.add_argument('--count', type=int, help=f'tries of a kind; {COUNT} by default, more or less of some')
    parser.add_argument('--minutes', type=float, default=60, help='try no more after so long')
    parser.add_argument('--jobs', type=int, default=os.cpu_count() or 1, help='tries at a time')
    parser.add_argument('--repeat', metavar='KIND/SEED/NUMBER', help='one try again')
    parser.add_argument('--keep', metavar='FOLDER', help='where --repeat leaves its files')
    return parser.parse_args()


def main():
    options = parse()
    limits = Limits(options.sanitized)
    scratch = scratch_folder('congru-hostile-')
    try:
        if options.repeat:
            return repeat(options, limits, scratch)
        return report(options, *run_all(options, limits, scratch))
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


if __name__ == '__main__':
    sys.exit(main())
