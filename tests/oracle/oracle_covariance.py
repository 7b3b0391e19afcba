#!/usr/bin/python3
# Writes tests/data/covariance.txt: shrunk covariances by scikit-learn. SPDX-License-Identifier: Apache-2.0
#
# usage: tests/oracle/oracle_covariance.py > tests/data/covariance.txt    (Debian: python3-sklearn)
#
# A case is a line "ESTIMATOR CHANNELS SAMPLES SHRINKAGE" and a line with the lower triangle, row by row. The
# signals are those of make_signals in tests/dataset/covariance.c, exact in both languages.
import numpy as np
import sklearn
from sklearn.covariance import ledoit_wolf, oas


def make_signals(d, samples):
    state = 1
    u = np.empty((d, samples))
    for i in range(d):
        for t in range(samples):
            state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
            u[i, t] = (state >> 33) % 1001 - 500
    x = np.empty((d, samples))
    for i in range(d):
        x[i] = u[i] + (i + 1) * u[(i + 1) % d] / 2 + 10 * i
    return x


print("# scikit-learn", sklearn.__version__, "by tests/oracle/oracle_covariance.py")
for d, samples in ((1, 10), (2, 2), (3, 50), (5, 4), (8, 64), (8, 9), (22, 480), (22, 23)):
    for name, estimator in (("oas", oas), ("lwf", ledoit_wolf)):
        c, shrinkage = estimator(make_signals(d, samples).T)
        print(name, d, samples, repr(float(shrinkage)))
        print(*(repr(float(c[i, j])) for i in range(d) for j in range(i + 1)))
