#!/usr/bin/python3
# Writes tests/data/statistics.txt: tests, quantiles, silhouettes and t-SNE by others. SPDX-License-Identifier: Apache-2.0
#
# usage: tests/oracle/oracle_statistics.py > tests/data/statistics.txt    (Debian: python3-scipy python3-sklearn python3-mpmath)
#
# A case is a line of its kind and sizes, and lines of numbers; see the reader in tests/support/statistics_oracle.h. The points
# are those of make_points there, exact in both languages.
import itertools
import warnings

import mpmath
import numpy as np
import scipy
import sklearn
import sklearn.metrics
from scipy import stats
from scipy.spatial.distance import cdist, squareform
from sklearn.manifold import TSNE
from sklearn.metrics import silhouette_samples

warnings.simplefilter("ignore")
mpmath.mp.dps = 40


def numbers(*rows):
    for row in rows:
        print(*(repr(float(x)) for x in np.ravel(row)))


# ---- Student's t, to 40 digits: scipy 1.10 has quantiles to 2e-11 only ----------------------------------

def tail(t, freedom):
    t, freedom = mpmath.mpf(t), mpmath.mpf(freedom)
    return mpmath.betainc(freedom / 2, mpmath.mpf(1) / 2, 0, freedom / (freedom + t * t), regularized=True) / 2


def quantile(p, freedom):
    return mpmath.findroot(lambda t: 1 - tail(t, freedom) - mpmath.mpf(p), stats.t.ppf(p, freedom))


# ---- Pairs ----------------------------------------------------------------------------------------------

def flips(d):
    n, observed = len(d), abs(d.sum())
    signs = np.array(list(itertools.product((1, -1), repeat=n)))
    return np.mean(abs(signs @ d) >= observed - 1e-12 * abs(d).sum())


def tied(d):
    d = d[d != 0]
    ranks = stats.rankdata(abs(d))
    sums = np.array(list(itertools.product((0, 1), repeat=len(d)))) @ ranks if len(d) else np.zeros(1)
    gains = ranks[d > 0].sum()
    return min(1.0, 2 * min(np.mean(sums <= gains), np.mean(sums >= gains)))


def compare(a, b):
    d = a - b
    n = len(d)
    wilcoxon = stats.wilcoxon(a, b) if d.any() else (0.0, 1.0)
    deviation = d.std(ddof=1) if n > 1 else np.nan
    half = float(quantile(0.975, n - 1)) * deviation / np.sqrt(n)
    print("pairs", n, int(d.all() and n <= 50))
    numbers(a, b, [wilcoxon[0], wilcoxon[1], d.mean(), deviation, d.mean() / deviation if deviation > 0 else np.nan,
                   d.mean() - half, d.mean() + half, np.mean(a > b), flips(d) if n <= 14 else np.nan,
                   tied(d) if n <= 15 else np.nan])


print("# scipy", scipy.__version__, "scikit-learn", sklearn.__version__, "mpmath", mpmath.__version__,
      "by tests/oracle/oracle_statistics.py")
rng = np.random.default_rng(50)
for n in (2, 3, 5, 9, 10, 14, 15, 20, 49, 50, 51, 56, 120):
    a = rng.normal(size=n)
    compare(a + 0.3 * rng.normal(size=n) + 0.1, a)             # no ties
    b = np.round(4 * a)
    compare(b + rng.integers(-3, 4, size=n) + (n == 2), b)     # ties, and mostly zeros among them
    compare(b + rng.choice([-3, -2, -1, 1, 2, 3], size=n), b)  # ties, no zeros
compare(np.arange(9.0) + 1, np.arange(9.0))                    # all improved alike
compare(np.array([1.0, 2, 3, 4]), np.array([1.0, 2, 3, 4]))    # all equal
compare(np.array([1.0, 2, 3, 4]), np.array([1.0, 2, 3, 5]))    # all but one

# ---- Student's t ----------------------------------------------------------------------------------------

for freedom in (0.5, 1, 2, 3.7, 8, 13, 14, 55, 119, 1000, 1999.5, 2000.5, 1e4):
    print("student", freedom)
    ts = [1e-6, 0.01, 0.3, 1, 1.7, 2.5, 4, 8, 30]
    tails = [tail(t, freedom) for t in ts]
    numbers(ts, tails)
    # Probabilities are the doubles nearest to these.
    ps = [0.6, 0.75, 0.9, 0.975, 0.995, 0.9995]
    quantiles = []
    for p in ps:
        quantiles.append(quantile(p, freedom))
    numbers(ps, quantiles)

# ---- Points ---------------------------------------------------------------------------------------------

def make_points(n, d, kinds, distance, seed):
    state = seed
    x = np.empty((n, d))
    for i in range(n):
        for k in range(d):
            total = 0
            for _ in range(4):  # a sum of four is bell-shaped enough
                state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
                total += (state >> 33) % 1001 - 500
            x[i, k] = total / 512 + (distance if k % kinds == i % kinds else 0)
    return x, np.arange(n) % kinds


for n, d, kinds, distance, seed in ((20, 3, 2, 1, 1), (33, 1, 4, 2, 2), (150, 5, 3, 3, 3), (57, 253, 9, 0, 4)):
    x, label = make_points(n, d, kinds, distance, seed)
    label = label.copy()
    if n == 33:
        label[5] = 100  # alone with its label
    samples = silhouette_samples(cdist(x, x), label, metric="precomputed")
    print("silhouette", n, d, kinds, distance, seed)
    numbers(samples, [samples.mean()])


def affinities(x, perplexity):
    squares = cdist(x, x, "sqeuclidean")
    n = len(x)
    p = np.zeros((n, n))
    for i in range(n):
        others = np.arange(n) != i
        s = squares[i, others] - squares[i, others].min()
        low, high, beta = 0.0, np.inf, 1.0 / s.mean()
        for _ in range(300):
            w = np.exp(-beta * s)
            entropy = np.log(w.sum()) + beta * (w @ s) / w.sum()
            low, high = (beta, high) if entropy > np.log(perplexity) else (low, beta)
            beta = beta * 2 if np.isinf(high) else (low + high) / 2
        p[i, others] = w / w.sum()
    return (p + p.T) / (2 * n)


def divergence(p, y):
    q = 1 / (1 + cdist(y, y, "sqeuclidean"))
    np.fill_diagonal(q, 0)
    q /= q.sum()
    there = p > 0
    return np.sum(p[there] * np.log(p[there] / q[there]))


for n, d, kinds, distance, seed, perplexity in ((150, 5, 3, 3, 3, 20), (300, 10, 4, 1, 5, 30)):
    x, label = make_points(n, d, kinds, distance, seed)
    y, _ = make_points(n, 2, 2, 3, seed + 100)
    best = TSNE(method="exact", perplexity=perplexity, init="random", random_state=50, learning_rate="auto").fit(x)
    pca = TSNE(method="exact", perplexity=perplexity, init="pca", random_state=50, learning_rate="auto").fit(x)
    print("tsne", n, d, kinds, distance, seed, perplexity)
    p = affinities(x, perplexity)
    numbers([divergence(p, y), divergence(p, best.embedding_.astype(float)),
             divergence(p, pca.embedding_.astype(float))])


# ---- Metrics of predictions ---------------------------------------------------------------------------

def metrics(n, classes, seed, skill, coarse, present=None):
    random = np.random.default_rng(seed)
    truth = random.integers(0, present or classes, n)
    z = random.normal(size=(n, classes))
    z[np.arange(n), truth] += skill
    p = np.exp(z) / np.exp(z).sum(1, keepdims=True)
    if coarse:  # ties among scores
        p = np.round(p * 4) / 4 + 1e-3
    predicted = p.argmax(1)
    k = sklearn.metrics
    area = [k.roc_auc_score(truth == c, p[:, c]) if 0 < (truth == c).sum() < n else np.nan for c in range(classes)]
    auc = area[1] if classes == 2 else np.nanmean(area)
    if classes > 2 and not coarse and not present:
        assert abs(auc - k.roc_auc_score(truth, p, multi_class="ovr", average="macro")) < 1e-14
    accuracy = k.accuracy_score(truth, predicted)
    bits = np.log2(classes) + accuracy * np.log2(accuracy)
    bits += (1 - accuracy) * np.log2((1 - accuracy) / (classes - 1)) if accuracy < 1 else 0
    level = stats.binom.ppf(0.95, n, 1 / classes) / n
    macro = [f(truth, predicted, average="macro", zero_division=0)
             for f in (k.precision_score, k.recall_score, k.f1_score)]
    print("metrics", n, classes)
    numbers(truth, predicted, p)
    numbers([accuracy, k.cohen_kappa_score(truth, predicted), k.balanced_accuracy_score(truth, predicted), auc, *macro,
             bits if accuracy > 1 / classes else 0, level, accuracy > level])
    every = range(classes)
    numbers(*(f(truth, predicted, labels=every, average=None, zero_division=0)
              for f in (k.precision_score, k.recall_score, k.f1_score)), area)


for case in ((40, 2, 1, 1.0, False), (288, 4, 2, 0.8, False), (57, 3, 3, 0.0, False), (30, 2, 4, 1.5, True),
             (100, 4, 5, 0.7, True), (60, 4, 6, 1.0, False, 3), (12, 2, 7, 9.0, False), (20, 5, 8, -0.5, False)):
    metrics(*case)

for n, classes in ((1, 2), (20, 2), (40, 4), (100, 2), (144, 2), (288, 4), (1000, 3), (20000, 2)):
    print("binomial", n, classes)
    k = [n // classes, n // classes + n // 20 + 1, int(stats.binom.ppf(0.95, n, 1 / classes)) + 1]
    numbers(k, stats.binom.sf(np.array(k) - 1, n, 1 / classes))
    numbers(stats.binom.ppf([0.001, 0.5, 0.95, 0.99, 0.999], n, 1 / classes))
