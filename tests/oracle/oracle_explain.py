"""Forward patterns of a model by numpy: weights times the covariance of features, mapped back to channels. SPDX-License-Identifier: Apache-2.0

Usage: oracle_explain.py make SET.npz           a set with a slow potential at Fz and rhythms at C3 and C4
       oracle_explain.py dipoles SET.npz MONTAGE.csv   the same at 22 electrodes: dipoles at 10 Hz under C3 and C4, a slow
                                                one under Fz, each spread over its neighbours, in noise that is too
       oracle_explain.py found SAID.json        whether 'congru explain --json' of motor and slow has found them
       oracle_explain.py compare SET.npz MODEL.safetensors PATTERNS.csv [break]
It prints one line for each thing that differs. With `break` the whitening is left out of the mapping: it must then differ.
"""
import csv
import json
import struct
import sys

import numpy as np

CHANNELS = ["Fz", "C3", "Cz", "C4", "Pz", "POz"]
RATE, START, SAMPLES, SUBJECTS, TRIALS, CLASSES = 100, -0.2, 120, 5, 90, 3
BIN = 5


def make(path):
    random = np.random.default_rng(3)
    time = START + np.arange(SAMPLES) / RATE
    signals, labels, subjects = [], [], []
    for subject in range(SUBJECTS):
        mixing = np.eye(6) + 0.25 * random.normal(size=(6, 6))
        for trial in range(TRIALS):
            label = trial % CLASSES
            source = random.normal(size=(6, SAMPLES))
            source[1] *= [1.0, 0.6, 1.0][label]
            source[3] *= [0.6, 1.0, 1.0][label]
            bump = np.exp(-0.5 * ((time - 0.4) / 0.08) ** 2)
            source[0] += [0.8, -0.8, 0.2][label] * bump
            signals.append(mixing @ source)
            labels.append(label)
            subjects.append(subject)
    np.savez(path, signals=np.array(signals), y=np.array(labels), subject=np.array(subjects), fs=RATE, tmin=START,
             channels=np.array(CHANNELS), classes=np.array(["a", "b", "c"]))


PLACES = "Fz FC3 FC1 FCz FC2 FC4 C5 C3 C1 Cz C2 C4 C6 CP3 CP1 CPz CP2 CP4 P1 Pz P2 POz".split()


def dipoles(path, montage):
    """Classes: left attenuates the rhythm under C4, right that under C3, feet neither; the slow potential is up, down, none."""
    random = np.random.default_rng(5)
    with open(montage) as file:
        place = {row[0]: np.array([float(row[1]), float(row[2])]) for row in list(csv.reader(file))[1:]}
    at = np.array([place[name] for name in PLACES])

    def topography(name, width):
        return np.exp(-0.5 * ((at - place[name]) ** 2).sum(1) / width ** 2)

    spread = np.array([topography(name, 0.15) for name in PLACES]).T
    time = -0.5 + np.arange(720) / 160
    bump = np.exp(-0.5 * ((time - 0.5) / 0.12) ** 2)
    signals, labels, subjects = [], [], []
    for subject in range(6):
        gain = np.exp(0.3 * random.normal(size=22))
        for trial in range(60):
            label = trial % 3
            x = 4 * spread @ random.normal(size=(22, len(time))) + random.normal(size=(22, len(time)))
            for name, weak in (("C3", 1), ("C4", 0)):
                rhythm = np.cos(2 * np.pi * (10 * time + random.uniform())) * (1 + 0.3 * random.normal())
                factor = np.where((time > 0.5) & (label == weak), 0.5, 1)
                x += 12 * np.outer(topography(name, 0.2), factor * rhythm)
            x += 8 * [1, -1, 0][label] * np.outer(topography("Fz", 0.25), bump)
            signals.append(gain[:, None] * x)
            labels.append(label)
            subjects.append(subject)
    np.savez(path, signals=np.array(signals), y=np.array(labels), subject=np.array(subjects), fs=160, tmin=-0.5,
             channels=np.array(PLACES), classes=np.array(["left", "right", "feet"]))


def found(path):
    with open(path) as file:
        branches = {(one["pipeline"], one["branch"]): one for one in json.load(file)["branches"]}

    def first(name, label):
        return {one["class"]: one["strongest"] for one in branches[name]["classes"]}[label][0]

    slow = branches["slow", "slow"]
    for label, sign in (("left", 1), ("right", -1)):
        one = first(("slow", "slow"), label)
        if one["channel"] != "Fz" or one["value"] * sign < 4:
            print("slow, %s: strongest at %s, %g" % (label, one["channel"], one["value"]))
    middle = sum(one["share"] for one in slow["times"] if 0.2 < (one["from"] + one["to"]) / 2 < 0.8)
    if middle < 0.9:
        print("slow: %g of the weight from 0.25 to 0.75 s" % middle)
    if "gaze or evoked response" not in slow["sentence"]:
        print(slow["sentence"])
    for branch in "whole", "grid":
        for label, channel in (("left", "C4"), ("right", "C3")):
            one = first(("motor", branch), label)
            if one["channel"] != channel or one["value"] > -0.2:
                print("%s, %s: strongest at %s, %g" % (branch, label, one["channel"], one["value"]))
        if "rhythms over the motor cortex" not in branches["motor", branch]["sentence"]:
            print(branches["motor", branch]["sentence"])
    share = sum(one["share"] for one in branches["motor", "grid"]["bands"] if one["low"] <= 10 < one["high"])
    if share < 0.9:
        print("grid: %g of the weight in bands with 10 Hz" % share)


def power_of(matrix, function):
    values, vectors = np.linalg.eigh(matrix)
    return (vectors * function(values)[..., None, :]) @ np.swapaxes(vectors, -1, -2)


def inverse_root(matrix):
    return power_of(matrix, lambda v: v ** -0.5)


def root(matrix):
    return power_of(matrix, np.sqrt)


def mean_of(covariances):
    mean = covariances.mean(0)
    for _ in range(50):
        half, inverse = root(mean), inverse_root(mean)
        step = power_of(inverse @ covariances @ inverse, np.log).mean(0)
        mean = half @ power_of(step, np.exp) @ half
        if np.linalg.norm(step) < 1e-13:
            break
    return mean


def tensors(path):
    with open(path, "rb") as file:
        (size,) = struct.unpack("<Q", file.read(8))
        header, data = json.loads(file.read(size)), file.read()
    made = {}
    for name, about in header.items():
        if name != "__metadata__":
            begin, end = about["data_offsets"]
            made[name] = np.frombuffer(data[begin:end], "<f8").reshape(about["shape"])
    return made


def covariance(a, b):
    a, b = a - a.mean(0), b - b.mean(0)
    return a.T @ b / (len(a) - 1)


def forward(features, weights):
    """Cov(x) w / deviation(w x), one column for each class, and w * Cov(x) w over the variance of all scores."""
    centred = weights - weights.mean(0)
    pattern = covariance(features, features) @ centred.T
    variance = np.einsum("kj,jk->k", centred, pattern)
    return pattern / np.sqrt(variance), centred.T * pattern / variance.sum()


def slow(x, weights, broken):
    moment = (x @ np.swapaxes(x, 1, 2) / x.shape[-1]).mean(0)
    reference = 0.99 * moment + 0.01 * np.trace(moment) / 6 * np.eye(6)
    bins = (inverse_root(reference) @ x).reshape(len(x), 6, -1, BIN).mean(-1)
    pattern, share = forward(bins.reshape(len(x), -1), weights)
    cells = bins.shape[-1]
    pattern = pattern.reshape(6, cells, -1)
    back = np.eye(6) if broken else root(reference)
    return np.einsum("ij,jtk->tki", back, pattern), share.reshape(6, cells, -1).sum(0)


def rhythms(x, weights, broken):
    """The pattern of log-power by channel, and to first order what the tangent space says of it."""
    x = x - x.mean(-1, keepdims=True)
    c = x @ np.swapaxes(x, 1, 2) / (x.shape[-1] - 1)
    reference = mean_of(c)
    inverse = inverse_root(reference)
    logarithm = power_of(inverse @ c @ inverse, np.log)
    i, j = np.triu_indices(6)
    factor = np.where(i == j, 1, np.sqrt(2))
    features = logarithm[:, i, j] * factor
    pattern, share = forward(features, weights)
    centred = weights - weights.mean(0)
    score = features @ centred.T
    power = np.log(np.einsum("nii->ni", c))
    exact = covariance(power, score) / score.std(0, ddof=1)
    first = np.zeros((len(weights), 6))
    for k in range(len(weights)):
        tangent = np.zeros((6, 6))
        tangent[i, j] = tangent[j, i] = pattern[:, k] / factor
        back = np.eye(6) if broken else root(reference)
        first[k] = np.diag(back @ tangent @ back) / (np.ones(6) if broken else np.diag(reference))
    return exact.T[None], share.sum(0)[None], first


def compare(path, model, table, broken):
    data = np.load(path)
    fitted = tensors(model)
    begin = round(-START * RATE)
    with open(table, newline="") as file:
        rows = list(csv.DictReader(file))
    for branch, function, name in (("slow", slow, "b0.bins.weights"), ("power", rhythms, "b1.ridge.weights")):
        made = []
        for subject in np.unique(data["subject"]):
            made.append(function(data["signals"][data["subject"] == subject][:, :, begin:], fitted[name], broken))
        values, shares = (np.mean([one[n] for one in made], 0) for n in (0, 1))
        own = [row for row in rows if row["branch"] == branch]
        said = np.array([[float(row[c]) for c in CHANNELS] for row in own]).reshape(values.shape)
        share = np.array([float(row["share"]) for row in own]).reshape(shares.shape)
        if not np.allclose(said, values, rtol=1e-5, atol=1e-6):
            print("%s: values differ by %g" % (branch, np.abs(said - values).max()))
        if not np.allclose(share, shares, rtol=1e-5, atol=1e-7):
            print("%s: shares differ by %g" % (branch, np.abs(share - shares).max()))
        if abs(share.sum() - 1) > 1e-6:
            print("%s: shares add up to %g" % (branch, share.sum()))
        if branch == "power":
            first = np.mean([one[2] for one in made], 0)
            alike = np.corrcoef(first.ravel(), said.ravel())[0, 1]
            if alike < 0.99 or np.abs(first - said[0]).max() > 0.15 * np.abs(said).max():
                print("power: the tangent space mapped back agrees by %.3f" % alike)
        strongest = np.abs(said).max((0, 1)).argmax()
        if branch == "slow":
            cell = np.abs(said[:, :, strongest]).max(1).argmax()
            if CHANNELS[strongest] != "Fz" or not 0.3 <= 0.05 * cell < 0.5:
                print("slow: strongest at %s, %g s" % (CHANNELS[strongest], 0.05 * cell))


if __name__ == "__main__":
    if sys.argv[1] == "make":
        make(sys.argv[2])
    elif sys.argv[1] == "dipoles":
        dipoles(sys.argv[2], sys.argv[3])
    elif sys.argv[1] == "found":
        found(sys.argv[2])
    else:
        compare(sys.argv[2], sys.argv[3], sys.argv[4], len(sys.argv) > 5)
