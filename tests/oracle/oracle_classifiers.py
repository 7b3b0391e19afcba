#!/usr/bin/python3
# Writes tests/data/classifiers.txt: what pyRiemann, scikit-learn and scipy predict. SPDX-License-Identifier: Apache-2.0
#
# usage: PYTHONPATH=PYRIEMANN tests/oracle/oracle_classifiers.py > tests/data/classifiers.txt
#
# PYRIEMANN is a source tree of github.com/pyRiemann/pyRiemann; scikit-learn is Debian's python3-sklearn. A case is a
# line "case CLASSES CHANNELS SUBJECTS TRAINING TEST SAMPLES", then lines "NAME COUNT NUMBERS...". The trials are those
# of make_trials in tests/classifier/classifier_oracle.c, the same in both languages up to rounding.
import numpy as np
import pyriemann
import scipy.linalg
import scipy.special
import sklearn
from pyriemann.classification import MDM
from pyriemann.spatialfilters import CSP
from pyriemann.tangentspace import TangentSpace
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import LogisticRegression

GRID = (1e-4, 3e-4, 1e-3, 3e-3, 1e-2, 3e-2, 0.1, 0.3, 1.0, 3.0, 10.0)
PER_END = 2


def make_trials(state, classes, d, subjects, n, samples):
    x = np.empty((n, d, d))
    y = np.empty(n, int)
    subject = np.empty(n, int)
    for i in range(n):
        u = np.empty((d, samples))
        for j in range(d):
            for t in range(samples):
                state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
                u[j, t] = (state >> 33) % 1001 - 500
        y[i] = (state >> 40) % classes
        subject[i] = i % subjects
        s = np.empty((d, samples))
        for j in range(d):
            gain = 1.1875 if (j + y[i]) % classes == 0 else 1.0
            s[j] = gain * u[j] + (1 + subject[i] + j % 3) / 8 * u[(j + 1) % d]
        x[i] = s @ s.T / (40000.0 * samples)
    return x, y, subject, state


def show(name, values):
    values = np.asarray(values).ravel()
    print(name, values.size, *(repr(float(v)) for v in values))


# The minimum is the same for every solver; the default one stops 1e-5 short of it.
def logistic(c):
    return LogisticRegression(C=c, solver="newton-cg", tol=1e-10, max_iter=500)


# Euclidean distances have a unit: they are relative to the mean trace of the class means.
def relative_mdm(mdm, x):
    unit = np.trace(mdm.covmeans_, axis1=1, axis2=2).mean()
    return scipy.special.softmax(-((mdm.transform(x) / unit) ** 2), axis=1)


def lda():
    return LinearDiscriminantAnalysis(solver="lsqr", shrinkage="auto")


def by_largest(w):
    return w * np.sign(w[np.argmax(np.abs(w))])


def csp_filters(x, y, classes):
    x = x / np.trace(x, axis1=1, axis2=2)[:, None, None]
    d = x.shape[1]
    size = min(d, 2 * PER_END)
    blocks = []
    for k in range(1 if classes == 2 else classes):
        a, b = x[y == k].mean(axis=0), x[y != k].mean(axis=0)
        w = scipy.linalg.eigh(a, b)[1][:, ::-1]
        if classes == 2:  # pyRiemann's, of the same directions, in its own order and scale
            theirs = CSP(nfilter=d, metric="euclid").fit(x, y).filters_
            order = np.argsort([(f @ b @ f) / (f @ a @ f) for f in theirs])
            w = (theirs[order] / np.sqrt([[f @ b @ f] for f in theirs[order]])).T
        first = (size + 1) // 2
        w = np.concatenate([w[:, :first], w[:, d - (size - first):]], axis=1)
        blocks.append(np.array([by_largest(f) for f in w.T]))
    return np.array(blocks)


def csp_features(x, blocks):
    variance = np.einsum("bfi,nij,bfj->nbf", blocks, x, blocks)
    return np.log(variance / variance.sum(axis=2, keepdims=True)).reshape(len(x), -1)


def directions(x, y, classes):
    within = sum((x[y == k] - x[y == k].mean(axis=0)).T @ (x[y == k] - x[y == k].mean(axis=0)) for k in range(classes))
    gaps = np.array([np.sqrt(np.sum(y == k)) * (x[y == k].mean(axis=0) - x.mean(axis=0)) for k in range(classes)])
    values, vectors = scipy.linalg.eigh(gaps.T @ gaps, within)
    return np.concatenate([by_largest(v) for v in vectors.T[::-1][: classes - 1]] + [values[::-1][: classes - 1]])


def chosen_c(x, y, subject):
    best = None
    for c in GRID:
        accuracy, loss = [], []
        for s in np.unique(subject):
            if len(np.unique(y[subject != s])) < len(np.unique(y)):
                continue
            model = logistic(c).fit(x[subject != s], y[subject != s])
            p = model.predict_proba(x[subject == s])
            accuracy.append(np.mean(np.argmax(p, axis=1) == y[subject == s]))
            loss.append(-np.mean(np.log(p[np.arange(len(p)), y[subject == s]])))
        key = (np.mean(accuracy), -np.mean(loss))
        if best is None or key > best[0]:
            best = (key, c)
    return best[1]


print("# pyRiemann", pyriemann.__version__, "scikit-learn", sklearn.__version__, "scipy", scipy.__version__,
      "by tests/oracle/oracle_classifiers.py")
for classes, d, subjects, training, test, samples in ((2, 5, 3, 60, 9, 24), (3, 4, 4, 90, 9, 16), (4, 6, 4, 120, 8, 24),
                                                      (4, 6, 2, 19, 8, 24), (2, 3, 3, 140, 7, 12)):
    print("case", classes, d, subjects, training, test, samples)
    x, y, subject, state = make_trials(1, classes, d, subjects, training, samples)
    other = make_trials(state, classes, d, subjects, test, samples)[0]
    for metric in ("riemann", "logeuclid"):
        show("mdm-" + metric, MDM(metric=metric).fit(x, y).predict_proba(other))
    show("mdm-euclid", relative_mdm(MDM(metric="euclid").fit(x, y), other))
    space = TangentSpace(metric="riemann").fit(x)
    features, unseen = space.transform(x), space.transform(other)
    show("tangent", unseen)
    for c in (0.01, 1.0, 100.0):
        show("tslr-%g" % c, logistic(c).fit(features, y).predict_proba(unseen))
    show("tsa-lda", lda().fit(features, y).predict_proba(unseen))
    filters = csp_filters(x, y, classes)
    show("csp", filters)
    show("csp-lda", lda().fit(csp_features(x, filters), y).predict_proba(csp_features(other, filters)))
    if training > 2 * features.shape[1]:
        show("directions", directions(features, y, classes))
    show("chosen-c", chosen_c(features, y, subject))
