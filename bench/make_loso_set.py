"""Makes a set of covariances like those of motor imagery, for timing. SPDX-License-Identifier: Apache-2.0

usage: make_loso_set.py OUT.npz [SUBJECTS TRIALS CHANNELS CLASSES]

Every person has their own mixing of sources into channels and their own strength of imagery. A class lowers and
raises the power of a few sources, as in event-related desynchronisation, which move a little from person to person;
what is left is the scatter of a covariance of 750 samples of a band-limited signal, some 150 independent ones, and of
the power of every source from trial to trial. Unit trace.
"""
import sys

import numpy as np

SEED = 50
SAMPLES = 150


def orthogonal_near_identity(rng, d, angle):
    a = rng.standard_normal((d, d)) * angle / np.sqrt(d)
    half = (a - a.T) / 2
    return np.linalg.solve(np.eye(d) - half, np.eye(d) + half)


def make(subjects, trials, d, classes):
    rng = np.random.default_rng(SEED)
    power = np.exp(rng.standard_normal(d))
    effect = np.zeros((classes, d))
    for k in range(classes):
        effect[k, rng.choice(d, 4, replace=False)] = [-0.6, -0.4, 0.3, 0.3]
    mixing = rng.standard_normal((d, d)) + 2 * np.eye(d)
    covs, labels, names = [], [], []
    for s in range(subjects):
        own = mixing @ (np.eye(d) + 0.5 * rng.standard_normal((d, d)) / np.sqrt(d))
        turn = orthogonal_near_identity(rng, d, 0.5)
        strength = rng.uniform(0.5, 1.5)
        y = rng.permutation(np.arange(trials) % classes)
        level = np.log(power) + strength * effect[y] + 0.3 * rng.standard_normal((trials, d))
        x = np.exp(level / 2)[:, :, None] * rng.standard_normal((trials, d, SAMPLES))
        x = (own @ turn) @ x
        c = x @ np.swapaxes(x, 1, 2)
        covs.append(c / np.trace(c, axis1=1, axis2=2)[:, None, None])
        labels.append(y)
        names += [f"S{s + 1:02d}"] * trials
    return np.concatenate(covs), np.concatenate(labels), np.array(names)


def main():
    shape = [int(x) for x in sys.argv[2:6]] or [9, 288, 22, 4]
    x, y, subject = make(*shape)
    np.savez(sys.argv[1], X=x, y=y, subject=subject, classes=np.array([f"class{k}" for k in range(shape[3])]))


main()
