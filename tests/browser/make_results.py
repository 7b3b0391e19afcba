#!/usr/bin/env python3
"""Makes a believable results folder for tests of the report. SPDX-License-Identifier: Apache-2.0

usage: make_results.py FOLDER [--subjects N] [--pipelines N] [--classes N] [--trials N] [--steps N] [--hostile]
                       [--only-results] [--unconstrained] [--dataset NAME] [--seed N]
"""
import argparse
import csv
import json
import math
import os
import random

PIPELINES = ["ra+mdm", "ra+tslr", "ra+tsa-lda", "ra+csp-lda", "dct+mdm", "dct+tslr", "dct+tsa-lda", "dldct+mdm",
             "dldct+tslr", "dldct+tsa-lda", "ddct-unet+mdm", "ddct-unet+tslr", "dct-e2e", "dldct-e2e", "ddct-unet-e2e"]
SKILL = [0.0, 0.012, 0.015, -0.05, 0.004, 0.02, 0.022, 0.002, 0.018, 0.02, 0.016, 0.03, 0.034, 0.038, 0.05]
SECONDS = [0.02, 0.05, 0.06, 0.11, 0.9, 0.95, 0.96, 1.6, 1.65, 1.7, 3.4, 3.5, 1.9, 2.2, 4.1]
CLASSES = ["left_hand", "right_hand", "feet", "tongue"]
CHANNELS = ["Fz", "FC3", "FC1", "FCz", "FC2", "FC4", "C5", "C3", "C1", "Cz", "C2", "C4", "C6", "CP3", "CP1", "CPz",
            "CP2", "CP4", "P1", "Pz", "P2", "POz"]
HOSTILE = ["<script>alert(1)</script>", 'quote " and \' and `', "comma, and\ttab", "Größe 山田太郎 🧠", "</script><b>bold",
           "& &amp; <!-- -->", "${x} $& \\ %s", "a very long name of a subject, far too long for a phone"]


def seeded(*key):
    return random.Random(repr(key))


def number(x):
    return float(f"{x:.6g}")


def scores(o, subjects, classes, pipelines):
    """results.csv and predictions.csv, folds by pipeline, then by subject."""
    chance = 1 / len(classes)
    with open(f"{o.folder}/results.csv", "w", newline="", encoding="utf-8") as r, \
            open(f"{o.folder}/predictions.csv", "w", newline="", encoding="utf-8") as p:
        results, predictions = csv.writer(r, lineterminator="\n"), csv.writer(p, lineterminator="\n")
        results.writerow("score time samples subject session channels n_sessions dataset pipeline kappa "
                         "balanced_accuracy train calibration".split())
        predictions.writerow(["dataset", "subject", "trial", "pipeline", "y_true", "y_pred"] + [f"p_{c}" for c in classes])
        for index, pipeline in enumerate(pipelines):
            for s, subject in enumerate(subjects):
                ability = seeded(o.seed, "ability", s).betavariate(2.2, 2.6)
                rng = seeded(o.seed, "fold", s, pipeline, *["free"] * o.unconstrained)
                hit = min(0.99, chance + 0.05 + ability * (0.9 - chance) + SKILL[index] + rng.gauss(0, 0.02) - 0.06 * o.unconstrained)
                right, per_class = 0, [[0, 0] for _ in classes]
                for trial in range(o.trials):
                    truth = trial % len(classes)
                    answer = truth if rng.random() < hit else rng.choice([k for k in range(len(classes)) if k != truth])
                    right += truth == answer
                    per_class[truth][0] += truth == answer
                    per_class[truth][1] += 1
                    share = [rng.random() + (2 if k == answer else 0) for k in range(len(classes))]
                    predictions.writerow([o.dataset, subject, s * o.trials + trial, pipeline, classes[truth], classes[answer]]
                                         + [f"{x / sum(share):.4f}" for x in share])
                accuracy = right / o.trials
                balanced = sum(a / b for a, b in per_class) / len(classes)
                results.writerow([repr(accuracy), f"{SECONDS[index] * rng.uniform(0.8, 1.3):.6f}", o.trials, subject, "all",
                                  22, 2, o.dataset, pipeline, repr((accuracy - chance) / (1 - chance)), repr(balanced),
                                  o.trials * (len(subjects) - 1), 0])


def run_file(o, pipelines, subjects):
    settings = {"dataset": o.dataset, "data": "00c0ffee12345678", "version": "0.1.0", "trials": o.trials * len(subjects),
                "subjects": len(subjects), "protocol": "loso", "target": "full", "align-by": "subject", "folds": 5,
                "seed": 50, "steps": o.steps, "lr": 0.001, "unconstrained": o.unconstrained,
                "dims": [22, 16, 12, 16, 22]}
    about = {"settings": settings,
             "program": {"name": "congru", "version": "0.1.0", "commit": "0123456789ab", "compiler": "gcc 12.2.0", "cpu": "avx2"},
             "threads": 8, "command": f"congru loso 2a.npz --pipelines all --seed 50{' --unconstrained' if o.unconstrained else ''} -o {os.path.basename(o.folder)}",
             "pipelines": pipelines, "channels": CHANNELS}
    with open(f"{o.folder}/run.json", "w", encoding="utf-8") as file:
        json.dump(about, file, ensure_ascii=False, indent=1)


def curve(rng, steps, start, end, rate, noise):
    out, level = [], rng.gauss(1, 0.12)
    for k in range(steps):
        t = math.exp(-rate * k / steps)
        out.append(number(level * (end + (start - end) * t) * (1 + noise * rng.gauss(0, 1))))
    return out


def training(o, pipelines, subjects):
    """A few different records, each under the names of many subjects: writing them all apart takes long."""
    os.makedirs(f"{o.folder}/training", exist_ok=True)
    worse = 1.6 if o.unconstrained else 1
    for pipeline in pipelines:
        if pipeline.startswith("ra+"):
            continue
        bodies = []
        for k in range(min(5, len(subjects))):
            rng = seeded(o.seed, "training", pipeline, k, o.unconstrained)
            n = o.steps
            end_to_end = pipeline.endswith("e2e")
            series = {
                "loss": curve(rng, n, 2.2, 0.7 * worse, 5, 0.02),
                "cross_entropy": curve(rng, n, 1.386, 0.55 * worse, 4, 0.02) if end_to_end else [None] * n,
                "reconstruction": curve(rng, n, 0.4, 0.05, 6, 0.03) if "unet" in pipeline else [None] * n,
                "within_action": curve(rng, n, 1.0, 0.6, 4, 0.01),
                "between_action": curve(rng, n, 0.05, 0.3 / worse, 4, 0.02),
                "within_subject": curve(rng, n, 0.9, 0.85, 4, 0.01),
                "between_subject": curve(rng, n, 0.4, 0.08 * worse, 5, 0.02),
                "gradient_norm": curve(rng, n, 8 * worse, 0.2, 5, 0.15),
                "eigen_least": curve(rng, n, 3e-3, 4e-4 / worse ** 6, 4, 0.05),
                "eigen_largest": curve(rng, n, 2, 6 * worse, 3, 0.03),
                "rank": [4 if step % 100 == 0 else None for step in range(n)],
            }
            bodies.append(",\n".join(f'"{name}": {json.dumps(values)}' for name, values in series.items()))
        for s, subject in enumerate(subjects):
            with open(f"{o.folder}/training/{pipeline}-{s}.json", "w", encoding="utf-8") as file:
                file.write(f'{{\n"pipeline": {json.dumps(pipeline)},\n"subject": {json.dumps(subject)},\n'
                           f'"best_step": {o.steps - 10 - s % 7},\n{bodies[s % len(bodies)]}\n}}\n')


def geometry(o, subjects, classes):
    rng = seeded(o.seed, "geometry")
    intervals = [0, 20, 40, 60, 80, 100]
    homes = [(rng.gauss(0, 6), rng.gauss(0, 6)) for _ in subjects]
    angles = [rng.uniform(0, 6.28) for _ in subjects]
    points, ellipses = [], []
    for s, subject in enumerate(subjects):
        for trial in range(o.trials):
            c = trial % len(classes)
            jitter = (rng.gauss(0, 0.7), rng.gauss(0, 0.7))
            xs, ys = [], []
            for interval in intervals:
                t = interval / 100
                turn = 6.28 * c / len(classes) + (1 - t) * angles[s]
                reach = 0.8 + 2.2 * t
                xs.append(number((1 - t) * homes[s][0] + reach * math.cos(turn) + jitter[0]))
                ys.append(number((1 - t) * homes[s][1] + reach * math.sin(turn) + jitter[1]))
            points.append({"subject": subject, "label": classes[c], "x": xs, "y": ys})
        for stage in ("before", "after"):
            for c, name in enumerate(classes):
                before = stage == "before"
                ellipses.append({"stage": stage, "class": name, "subject": subject,
                                 "centre": [number(homes[s][0] / 3 if before else 0.2 * rng.gauss(0, 1)),
                                            number(homes[s][1] / 3 if before else 0.2 * rng.gauss(0, 1))],
                                 "axes": [number(rng.uniform(1, 2.4) if before else 1.6 + 0.1 * rng.gauss(0, 1)),
                                          number(rng.uniform(0.3, 1) if before else 0.8 + 0.05 * rng.gauss(0, 1))],
                                 "angle": number(rng.uniform(0, 180) if before else 180 * c / len(classes) + rng.gauss(0, 4))})
    write(o, "geometry.json", {"intervals": intervals, "points": points, "ellipses": ellipses,
                               "silhouette_subject": [0.42, 0.33, 0.2, 0.09, 0.02, -0.01],
                               "silhouette_class": [0.01, 0.04, 0.1, 0.17, 0.22, 0.25]})


def patterns(o, classes):
    rng = seeded(o.seed, "patterns")
    maps = []
    for k, name in enumerate(classes):
        focus = ["C4", "C3", "Cz", "FCz"][k % 4]
        near = CHANNELS.index(focus)
        values = [number(math.exp(-0.25 * abs(i - near)) - 0.3 + 0.15 * rng.gauss(0, 1)) for i in range(len(CHANNELS))]
        channels = CHANNELS + ["<img src=x onerror=alert(1)>"] if o.hostile else CHANNELS
        maps.append({"title": f"CSP pattern {k + 1}: {name}", "channels": channels, "values": values + [1.0] * (len(channels) - len(values))})
    write(o, "patterns.json", {"maps": maps})


def ablation(o):
    rows = [{"name": "DDCT-UNet (E2E), complete", "n": o.subjects, "mean": 0.712, "deviation": 0.121}]
    for name, change in (("without merges", -0.021), ("without reconstruction", -0.008), ("without subject term", -0.013),
                         ("without recentring", -0.094), ("random initial weights", -0.017)):
        rows.append({"name": name, "n": o.subjects, "mean": number(0.712 + change), "deviation": 0.12, "change": change,
                     "low": number(change - 0.009), "high": number(change + 0.009)})
    write(o, "ablation.json", {"title": "Ablation of DDCT-UNet", "baseline": rows[0]["name"], "rows": rows})


def statistics(o, pipelines):
    rng = seeded(o.seed, "statistics")
    rows = []
    for i, a in enumerate(pipelines[-4:]):
        for b in pipelines[:3]:
            gain = number(0.02 + 0.01 * i + 0.005 * rng.gauss(0, 1))
            p = number(10 ** -rng.uniform(0.5, 6))
            rows.append({"a": a, "b": b, "n": o.subjects, "mean_gain": gain, "d_z": number(gain / 0.05), "p": p,
                         "p_holm": min(1, number(12 * p)), "low": number(gain - 0.012), "high": number(gain + 0.012),
                         "fraction": number(rng.uniform(0.5, 0.9))})
    write(o, "statistics.json", {"test": "Sign-flip permutation test, Holm's correction over 12 comparisons.", "comparisons": rows})


def write(o, name, data):
    with open(f"{o.folder}/{name}", "w", encoding="utf-8") as file:
        json.dump(data, file, ensure_ascii=False)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder")
    parser.add_argument("--subjects", type=int, default=9)
    parser.add_argument("--pipelines", type=int, default=15)
    parser.add_argument("--classes", type=int, default=4)
    parser.add_argument("--trials", type=int, default=48)
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--dataset", default="BNCI2014-001")
    parser.add_argument("--hostile", action="store_true")
    parser.add_argument("--only-results", action="store_true")
    parser.add_argument("--unconstrained", action="store_true")
    o = parser.parse_args()
    os.makedirs(o.folder, exist_ok=True)
    subjects = [f"A{i + 1:02d}" for i in range(o.subjects)]
    classes = CLASSES[:o.classes]
    if o.hostile:
        subjects[:len(HOSTILE)] = [name[:63] for name in HOSTILE][:o.subjects]
        classes[:2] = ["<b>left</b>", 'droite "été"']
        o.dataset = "<script>document.title='taken'</script>"
    pipelines = PIPELINES[-o.pipelines:] if o.pipelines < 15 else PIPELINES
    scores(o, subjects, classes, pipelines)
    if o.only_results:
        os.remove(f"{o.folder}/predictions.csv")
        return
    run_file(o, pipelines, subjects)
    training(o, pipelines, subjects)
    geometry(o, subjects, classes)
    patterns(o, classes)
    ablation(o)
    statistics(o, pipelines)


main()
