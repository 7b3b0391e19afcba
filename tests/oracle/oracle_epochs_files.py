#!/usr/bin/python3
"""Writes tests/data/epochs_files.txt: what NumPy and SciPy read from real files of trials.

Usage: oracle_epochs_files.py DATA_FOLDER > tests/data/epochs_files.txt
SPDX-License-Identifier: Apache-2.0
"""
import os
import sys
import zlib

import numpy
import scipy.io

FILES = [
    "eegmmidb/epochs22/S001.npz",
    "eegmmidb/epochs22/S049.npz",
    "bci_iv_2b/epochs/B01.npz",
    "bci_iv_2b/original/B0401T.mat",
    "bci_iv_2b/original/B0404E.mat",
]


def checksum(values, kind):
    return zlib.crc32(numpy.ascontiguousarray(values, dtype=kind).tobytes())


def read(path):
    if path.endswith(".npz"):
        with numpy.load(path) as file:
            x = file["X"].astype(numpy.float64) * file["scale"]
            n = len(x)
            groups = [file[k] if k in file else numpy.zeros(n) for k in ("run", "session")]
            return (x, file["y"], *groups, float(file["fs"]), float(file["tmin"]), str(file["ch_names"][-1]),
                    [str(c) for c in file["classes"]])
    file = scipy.io.loadmat(path)
    y = file["label"].ravel()
    values = numpy.unique(y)
    x = file["data"].transpose(2, 1, 0)
    nothing = numpy.zeros(len(x))
    return (x, numpy.searchsorted(values, y), nothing, nothing, float("nan"), float("nan"), str(x.shape[1]),
            [str(v) for v in values])


print("# file trials channels samples classes rate start last_channel last_class crc32 of data, label, run, session")
print("# written by tests/oracle/oracle_epochs_files.py")
for name in FILES:
    x, y, run, session, rate, start, channel, classes = read(os.path.join(sys.argv[1], name))
    print(name, *x.shape, len(classes), rate, start, channel, classes[-1], checksum(x, "<f8"), checksum(y, "<i4"),
          checksum(run, "<i4"), checksum(session, "<i4"))
