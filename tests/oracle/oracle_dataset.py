#!/usr/bin/python3
# Writes the sets that tests/dataset/dataset.c reads, as numpy users write them. SPDX-License-Identifier: Apache-2.0
#
# usage: tests/oracle/oracle_dataset.py tests/data    (Debian: python3-numpy)
#
# numpy_stored.npz: covariances and signals by numpy.savez. numpy_deflated.npz: the same trials as float32 in Fortran
# order, other types for the rest, by numpy.savez_compressed.
import sys

import numpy as np

n, d, samples = 6, 3, 5
C = np.empty((n, d, d))
S = np.empty((n, d, samples))
for m in range(n):
    for i in range(d):
        for j in range(d):
            C[m, i, j] = (m + 1) * (i == j) + 0.125 * (i + j)
        for t in range(samples):
            S[m, i, t] = 100 * m + 10 * i + 0.5 * t
y = [9, 3, 3, 7, 9, 7]
subject = ["bo", "\u00c5sa", "bo", "\u00c5sa", "c", "c"]
classes = ["left hand", "right hand", "feet"]
channels = ["C3", "Cz", "C4"]
meta = '{"made": "by numpy", "sign": "\u20ac"}'

folder = sys.argv[1]
np.savez(folder + "/numpy_stored.npz", X=C, signals=S, y=np.array(y), subject=np.array(subject),
         session=np.array([1, 1, 1, 2, 2, 2], np.uint8), run=np.arange(n, dtype=np.int16), channels=channels,
         classes=classes, fs=250, meta=meta)
np.savez_compressed(folder + "/numpy_deflated.npz", X=np.asfortranarray(C, np.float32), y=np.array(y, np.float64),
                    subject=np.array([s.encode("latin-1") for s in subject]), session=["T", "T", "T", "E", "E", "E"],
                    fs=np.array([250.0]), unknown=np.arange(3))
