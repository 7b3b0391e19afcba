#!/usr/bin/python3
# Prints what raw and recentred tangent-space regression score on sets. SPDX-License-Identifier: Apache-2.0
#
# usage: tools/check_synthetic.py SET.npz...    (Debian: python3-sklearn)
#
# A judge apart from the library: numpy's eigenvalues, scikit-learn's logistic regression (C = 1), every subject left
# out in turn. "ra" whitens each subject by its own affine-invariant mean, the newcomer too; tangent vectors are
# taken at the mean of the training trials. One line for each set: its stage, seed, scores in percent, and the
# largest condition number.
import json
import sys
import warnings

import numpy as np
from sklearn.linear_model import LogisticRegression


def function(matrices, f):
    values, vectors = np.linalg.eigh((matrices + np.swapaxes(matrices, -1, -2)) / 2)
    return (vectors * f(values)[..., None, :]) @ np.swapaxes(vectors, -1, -2)


def mean(matrices, start=None):
    # The unit step oscillates on widely spread sets: steps that shorten the tangent little become shorter, and one
    # that lengthens it is taken back.
    middle = start if start is not None else function(function(matrices, np.log).mean(0), np.exp)
    step, last, way = 1.0, np.inf, None
    for _ in range(500):
        root = function(middle, np.sqrt)
        inverse = function(middle, lambda x: 1 / np.sqrt(x))
        tangent = function(inverse @ matrices @ inverse, np.log).mean(0)
        norm = np.linalg.norm(tangent)
        if norm < 1e-6:
            break
        if norm < last:
            step = min(1.0, step * 1.2) if norm < 0.6 * last else step * 0.8
            last, way = norm, (root, tangent)
        else:
            step /= 2
        middle = way[0] @ function(step * way[1], np.exp) @ way[0]
    else:
        warnings.warn(f"the mean has not converged: {norm}")
    return middle


def whiten(matrices, middle):
    inverse = function(middle, lambda x: 1 / np.sqrt(x))
    whitened = inverse @ matrices @ inverse
    return (whitened + np.swapaxes(whitened, -1, -2)) / 2


def vectors(matrices, middle):
    logs = function(whiten(matrices, middle), np.log)
    rows, columns = np.triu_indices(matrices.shape[-1])
    return logs[:, rows, columns] * np.where(rows == columns, 1, np.sqrt(2))


def score(matrices, labels, subjects):
    scores, everyone = [], mean(matrices)
    for who in np.unique(subjects):
        train, test = subjects != who, subjects == who
        middle = mean(matrices[train], everyone)
        model = LogisticRegression(C=1.0, max_iter=2000).fit(vectors(matrices[train], middle), labels[train])
        scores.append(model.score(vectors(matrices[test], middle), labels[test]))
    return 100 * np.mean(scores)


for path in sys.argv[1:]:
    data = np.load(path)
    matrices, labels, subjects = data["X"], data["y"], data["subject"]
    made = json.loads(str(data["meta"]))
    aligned = matrices.copy()
    for who in np.unique(subjects):
        aligned[subjects == who] = whiten(matrices[subjects == who], mean(matrices[subjects == who]))
    values = np.linalg.eigvalsh(matrices)
    print(f"{made['synth']:12s} {made['seed']:3d} raw {score(matrices, labels, subjects):6.2f} "
          f"ra {score(aligned, labels, subjects):6.2f} condition {np.max(values[:, -1] / values[:, 0]):.1e}",
          flush=True)
