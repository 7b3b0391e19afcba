#!/usr/bin/python3
# Writes tests/data/aligners.txt: recentring and scaling by NumPy and SciPy. SPDX-License-Identifier: Apache-2.0
#
# usage: tests/oracle/oracle_aligners.py > tests/data/aligners.txt    (Debian: python3-scipy)
#
# A case is a line "METRIC WHAT N D" and the lower triangles of N matrices, one to a line; "factor" is one number. The
# trials are those of make_trials in tests/aligner/aligner_oracle.c, exact in both languages. Subjects alternate.
import numpy as np
import scipy
from scipy.linalg import expm, inv, logm, sqrtm

N, D, SAMPLES = 12, 5, 40


def make_trials():
    state = 1
    c = np.empty((N, D, D))
    for m in range(N):
        u = np.empty((D, SAMPLES))
        for i in range(D):
            for t in range(SAMPLES):
                state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
                u[i, t] = (state >> 33) % 1001 - 500
        x = np.array([u[i] * (1 + (m % 2) * i) + u[(i + 1) % D] / 2 for i in range(D)])
        c[m] = x @ x.T
    return c


def symmetric(a):
    return np.real(a + a.T) / 2


def log(a):
    return symmetric(logm(a))


def root(a):
    return symmetric(sqrtm(a))


def riemann_mean(c):
    mean = c.mean(0)
    for _ in range(300):
        half, back = root(mean), inv(root(mean))
        step = np.mean([log(symmetric(back @ x @ back)) for x in c], 0)
        mean = symmetric(half @ expm(step) @ half)
        if np.linalg.norm(step) < 1e-13:
            break
    return mean


def geodesic(metric, a, b, t):
    if metric == "euclid":
        return (1 - t) * a + t * b
    if metric == "logeuclid":
        return symmetric(expm((1 - t) * log(a) + t * log(b)))
    half, back = root(a), inv(root(a))
    return symmetric(half @ expm(t * log(symmetric(back @ b @ back))) @ half)


MEANS = {
    "riemann": riemann_mean,
    "logeuclid": lambda c: symmetric(expm(np.mean([log(x) for x in c], 0))),
    "euclid": lambda c: c.mean(0),
}


def whiten(c, mean):
    back = inv(root(mean))
    return np.array([symmetric(back @ x @ back) for x in c])


def online(metric, c):
    out = np.empty_like(c)
    reference = (c[0] + np.trace(c[0]) / D * np.eye(D)) / 2
    for t, x in enumerate(c):
        if t > 0:
            reference = geodesic(metric, reference, x, 1 / (t + 1))
        out[t] = whiten(x[None], reference)[0]
    return out


def show(metric, what, c):
    print(metric, what, len(c), D)
    for x in c:
        print(*(repr(float(x[i, j])) for i in range(D) for j in range(i + 1)))


print("# SciPy", scipy.__version__, "by tests/oracle/oracle_aligners.py")
trials = make_trials()
for name, mean_of in MEANS.items():
    recentred = np.empty_like(trials)
    references = [mean_of(trials[s::2]) for s in range(2)]
    for s in range(2):
        recentred[s::2] = whiten(trials[s::2], references[s])
    show(name, "references", references)
    show(name, "recentred", recentred)
    show(name, "online", online(name, trials))
    if name == "riemann":
        # Subject 1 scaled to the dispersion of subject 0.
        dispersion = [np.mean([np.sum(log(x) ** 2) for x in recentred[s::2]]) for s in range(2)]
        factor = np.sqrt(dispersion[0] / dispersion[1])
        print(name, "factor", 1, 1)
        print(repr(float(factor)))
        show(name, "scaled", [symmetric(expm(factor * log(x))) for x in recentred[1::2]])
