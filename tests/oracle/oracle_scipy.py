# Runs `congru spd` on matrices in .npy files and compares with scipy: TAP. SPDX-License-Identifier: Apache-2.0
#
# usage: oracle_scipy.py COMMAND
import os
import subprocess
import sys
import tempfile

import numpy as np
from scipy import linalg

TOLERANCE = 1e-12
DIMENSIONS = (1, 2, 3, 8, 22, 33)
COUNT = 4


class Inputs:
    """Well-conditioned matrices of one dimension: two sets, a symmetric set and a base."""

    def __init__(self, d):
        random = np.random.default_rng(d)
        self.a = np.stack([self.positive(random, d) for _ in range(COUNT)])
        self.b = np.stack([self.positive(random, d) for _ in range(COUNT)])
        self.base = self.positive(random, d)
        normals = random.standard_normal((COUNT, d, d))
        self.s = (normals + normals.transpose(0, 2, 1)) / (2 * np.sqrt(d))

    @staticmethod
    def positive(random, d):
        q, _ = np.linalg.qr(random.standard_normal((d, d)))
        c = q @ np.diag(np.exp(random.uniform(-1.5, 1.5, d))) @ q.T
        return (c + c.T) / 2


def each(function, matrices):
    return np.stack([function(matrix) for matrix in matrices])


def logm(c):
    return np.real(linalg.logm(c))


def sqrtm(c):
    return np.real(linalg.sqrtm(c))


def invsqrtm(c):
    return linalg.inv(sqrtm(c))


def power(c, p):
    return np.real(linalg.fractional_matrix_power(c, p))


def log_map(base, c):
    root, inverse = sqrtm(base), invsqrtm(base)
    return root @ logm(inverse @ c @ inverse) @ root


def exp_map(base, z):
    root, inverse = sqrtm(base), invsqrtm(base)
    return root @ linalg.expm(inverse @ z @ inverse) @ root


def distance(metric, a, b):
    if metric == "riemann":
        return np.linalg.norm(np.log(linalg.eigvalsh(a, b)))
    if metric == "logeuclid":
        return np.linalg.norm(logm(a) - logm(b))
    return np.linalg.norm(a - b)


def geodesic(metric, a, b, t):
    if metric == "riemann":
        return exp_map(a, t * log_map(a, b))
    if metric == "logeuclid":
        return linalg.expm((1 - t) * logm(a) + t * logm(b))
    return (1 - t) * a + t * b


def mean(metric, c):
    if metric == "euclid":
        return c.mean(axis=0)
    if metric == "logeuclid":
        return linalg.expm(each(logm, c).mean(axis=0))
    centre = c.mean(axis=0)
    for _ in range(100):
        step = each(lambda one: log_map(centre, one), c).mean(axis=0)
        centre = exp_map(centre, step)
        centre = (centre + centre.T) / 2
        if np.linalg.norm(step) < 1e-14 * np.linalg.norm(centre):
            break
    return centre


def tangent(base, c):
    inverse = invsqrtm(base)
    logarithm = logm(inverse @ c @ inverse)
    rows, columns = np.triu_indices(len(c))
    return logarithm[rows, columns] * np.where(rows == columns, 1, np.sqrt(2))


class Command:
    """Runs the command on arrays, in a folder of its own."""

    def __init__(self, path, folder):
        self.path = os.path.abspath(path)
        self.folder = folder

    def __call__(self, operation, *arrays, base=None, options=()):
        arguments = [self.path, "spd", operation]
        for i, array in enumerate(arrays):
            arguments.append(self.save(f"in{i}.npy", array))
        if base is not None:
            arguments += ["--base", self.save("base.npy", base)]
        out = os.path.join(self.folder, "out.npy")
        if os.path.exists(out):
            os.remove(out)
        run = subprocess.run(arguments + [*options, "-o", out], capture_output=True, text=True, check=False)
        if run.returncode != 0:
            raise RuntimeError(f"exit {run.returncode}: {run.stderr.strip()}")
        return np.load(out, allow_pickle=False)

    def save(self, name, array):
        path = os.path.join(self.folder, name)
        np.save(path, array)
        return path


def function_cases(run, x):
    yield "log", run("log", x.a), each(logm, x.a)
    yield "log of one", run("log", x.a[0]), logm(x.a[0])
    yield "exp", run("exp", x.s), each(linalg.expm, x.s)
    yield "sqrt", run("sqrt", x.a), each(sqrtm, x.a)
    yield "invsqrt", run("invsqrt", x.a), each(invsqrtm, x.a)
    for p in (0.3, -1.0, 2.0, -0.7):
        yield f"power {p}", run("power", x.a, options=("--p", str(p))), each(lambda c: power(c, p), x.a)


def map_cases(run, x):
    vectors = each(lambda c: tangent(x.base, c), x.a)
    yield "tangent", run("tangent", x.a, base=x.base), vectors
    yield "tangent at the identity", run("tangent", x.a), each(lambda c: tangent(np.eye(len(c)), c), x.a)
    yield "untangent", run("untangent", vectors, base=x.base), x.a
    yield "log map", run("log", x.a, base=x.base), each(lambda c: log_map(x.base, c), x.a)
    yield "exp map", run("exp", x.s, base=x.base), each(lambda z: exp_map(x.base, z), x.s)


def metric_cases(run, x, metric):
    chosen = ("--metric", metric)
    yield "distance to one", run("distance", x.a, x.base, options=chosen), each(
        lambda c: distance(metric, c, x.base), x.a
    )
    yield "distance", run("distance", x.a, x.b, options=chosen), np.array(
        [distance(metric, a, b) for a, b in zip(x.a, x.b)]
    )
    yield "distance, pairwise", run("distance", x.a, x.b, options=(*chosen, "--pairwise")), np.array(
        [[distance(metric, a, b) for b in x.b] for a in x.a]
    )
    yield "geodesic", run("geodesic", x.a, x.b, options=(*chosen, "--t", "0.3")), np.stack(
        [geodesic(metric, a, b, 0.3) for a, b in zip(x.a, x.b)]
    )


def mean_cases(run, x, metric):
    # The command stops at a tangent norm of 1e-10, so that the mean in an iterated metric is only as near.
    yield "mean", run("mean", x.a, options=("--metric", metric)), mean(metric, x.a)


def check(cases, tolerance=TOLERANCE):
    """The problems found: one line for each comparison that does not hold."""
    problems = []
    for name, found, expected in cases:
        expected = np.asarray(expected)
        if found.shape != expected.shape:
            problems.append(f"{name}: shape {found.shape}, expected {expected.shape}")
            continue
        error = np.linalg.norm(found - expected) / np.linalg.norm(expected)
        if not error <= tolerance:
            problems.append(f"{name}: relative error {error:.3g}, at most {tolerance:g}")
    return problems


def tests(run):
    for d in DIMENSIONS:
        x = Inputs(d)
        yield f"scipy_functions_d{d}", lambda: check(function_cases(run, x))
        yield f"scipy_maps_d{d}", lambda: check(map_cases(run, x))
        for metric in ("riemann", "logeuclid", "euclid"):
            yield f"scipy_distances_{metric}_d{d}", lambda: check(metric_cases(run, x, metric))
            tolerance = 1e-10 if metric == "riemann" else TOLERANCE
            yield f"scipy_mean_{metric}_d{d}", lambda: check(mean_cases(run, x, metric), tolerance)


def main():
    count, failed = 0, 0
    with tempfile.TemporaryDirectory() as folder:
        for name, test in tests(Command(sys.argv[1], folder)):
            count += 1
            try:
                problems = test()
            except Exception as problem:  # a test that cannot run has failed, and the others go on
                problems = [f"{type(problem).__name__}: {problem}"]
            for line in problems:
                print(f"# {line}".replace("\n", " "))
            failed += bool(problems)
            print(f"{'not ok' if problems else 'ok'} {count} - {name}", flush=True)
    print(f"1..{count}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
