"""Leave-one-subject-out with NumPy and scikit-learn, and with pyRiemann. SPDX-License-Identifier: Apache-2.0

usage: loso_numpy.py SET.npz mdm|tslr numpy|pyriemann [--jobs N] [--repeat N] [--predictions OUT.npy]

What `congru loso SET.npz --pipelines ra+mdm` (or ra+tslr) does. Prints the seconds of each repetition and those of
processor time in it, without the start of Python, its imports and the reading of the set, then "accuracy A". Every
person is recentred once, not once per fold. Folds run on N threads; LAPACK and BLAS let go of the interpreter.
"""
import argparse
import sys
import time
import warnings
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from sklearn.linear_model import LogisticRegression

TOLERANCE = 1e-8


# ---- NumPy ------------------------------------------------------------


def spectral(function, c):
    values, vectors = np.linalg.eigh(c)
    return (vectors * function(values)[..., None, :]) @ np.swapaxes(vectors, -1, -2)


def invsqrt(x):
    return 1 / np.sqrt(x)


def riemann_mean(c):
    """Fixed point with a step that is halved when the norm of the mean tangent vector does not fall."""
    mean = spectral(np.exp, spectral(np.log, c).mean(0))
    step, last = 1.0, np.inf
    for _ in range(100):
        values, vectors = np.linalg.eigh(mean)
        root = (vectors * np.sqrt(values)) @ vectors.T
        back = (vectors / np.sqrt(values)) @ vectors.T
        tangent = spectral(np.log, back @ c @ back).mean(0)
        norm = np.linalg.norm(tangent)
        if norm < TOLERANCE:
            break
        if norm > last:
            step /= 2
        last = norm
        mean = root @ spectral(np.exp, step * tangent) @ root
        mean = (mean + mean.T) / 2
    return mean


def numpy_recentre(c):
    back = spectral(invsqrt, riemann_mean(c))
    return back @ c @ back


def numpy_mdm(train, y, test):
    distances = []
    for k in np.unique(y):
        back = spectral(invsqrt, riemann_mean(train[y == k]))
        distances.append((np.log(np.linalg.eigvalsh(back @ test @ back)) ** 2).sum(1))
    return np.unique(y)[np.argmin(distances, 0)]


def numpy_tslr(train, y, test):
    back = spectral(invsqrt, riemann_mean(train))
    rows, columns = np.triu_indices(train.shape[1])
    weight = np.where(rows == columns, 1.0, np.sqrt(2.0))
    features = [spectral(np.log, back @ c @ back)[:, rows, columns] * weight for c in (train, test)]
    return LogisticRegression(max_iter=1000).fit(features[0], y).predict(features[1])


# ---- pyRiemann ------------------------------------------------------------


def pyriemann_recentre(c):
    from pyriemann.utils.base import invsqrtm
    from pyriemann.utils.mean import mean_riemann

    back = invsqrtm(mean_riemann(c, tol=TOLERANCE))
    return back @ c @ back


def pyriemann_mdm(train, y, test):
    from pyriemann.classification import MDM

    return MDM(metric="riemann").fit(train, y).predict(test)


def pyriemann_tslr(train, y, test):
    from pyriemann.tangentspace import TangentSpace

    space = TangentSpace(metric="riemann").fit(train)
    model = LogisticRegression(max_iter=1000).fit(space.transform(train), y)
    return model.predict(space.transform(test))


# ---- Leave one subject out ------------------------------------------------------------


def run(c, y, subject, recentre, classify, jobs):
    people = np.unique(subject)
    aligned, answer = np.empty_like(c), np.empty_like(y)

    def align(person):
        aligned[subject == person] = recentre(c[subject == person])

    def fold(person):
        out = subject == person
        answer[out] = classify(aligned[~out], y[~out], aligned[out])

    with ThreadPoolExecutor(jobs) as pool:
        list(pool.map(align, people))
        list(pool.map(fold, people))
    return answer


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("set")
    parser.add_argument("classifier", choices=["mdm", "tslr"])
    parser.add_argument("peer", choices=["numpy", "pyriemann"])
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--repeat", type=int, default=1)
    parser.add_argument("--predictions")
    given = parser.parse_args()
    if given.peer == "pyriemann":
        try:
            import pyriemann.classification
            import pyriemann.tangentspace
        except ImportError as error:
            sys.exit(f"loso_numpy.py: pyRiemann cannot be had ({error})")
    warnings.filterwarnings("ignore")
    data = np.load(given.set)
    c, y, subject = data["X"], data["y"], data["subject"]
    methods = globals()
    recentre, classify = methods[f"{given.peer}_recentre"], methods[f"{given.peer}_{given.classifier}"]
    for _ in range(given.repeat):
        start, busy = time.perf_counter(), time.process_time()
        answer = run(c, y, subject, recentre, classify, given.jobs)
        print(f"{time.perf_counter() - start:.3f} {time.process_time() - busy:.3f}", flush=True)
    print(f"accuracy {np.mean(answer == y):.6f}")
    if given.predictions:
        np.save(given.predictions, answer)


main()
