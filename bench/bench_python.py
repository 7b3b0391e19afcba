#!/usr/bin/env python3
"""The Python package raced against pyRiemann: bench_python.py, with PYRIEMANN naming a tree of it and PYTHONPATH the
package. SPDX-License-Identifier: Apache-2.0

Both have the same arrays and one thread each, and take turns; of each the median processor time is printed, and the ratio,
so that what else runs on the machine counts little. Covariances are of real EEG where CONGRU_DATA (or ../shared/data) has EEGMMIDB, else made up."""
import os
import pathlib
import sys
import time

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
import numpy as np  # noqa: E402

tree = os.environ.get("PYRIEMANN")
if not tree:
    print("bench_python: skipped: PYRIEMANN names no tree of pyRiemann")
    sys.exit(0)
sys.path.append(tree)
import congru  # noqa: E402
import pyriemann  # noqa: E402
from pyriemann.classification import MDM, TSclassifier  # noqa: E402
from pyriemann.utils.base import expm, invsqrtm, logm, powm, sqrtm  # noqa: E402
from pyriemann.utils.covariance import covariances  # noqa: E402
from pyriemann.utils.distance import distance, pairwise_distance  # noqa: E402
from pyriemann.utils.geodesic import geodesic  # noqa: E402
from pyriemann.utils.mean import mean_covariance  # noqa: E402
from pyriemann.utils.tangentspace import tangent_space  # noqa: E402

source = pathlib.Path(__file__).resolve().parents[1]
data = pathlib.Path(os.environ.get("CONGRU_DATA", source.parent / "shared" / "data")) / "eegmmidb" / "epochs22"


def real_set():
    """500 trials of 22 channels, or more."""
    if not data.is_dir():
        return congru.synth(subjects=6, trials=21, channels=22, samples=480)
    files = [data / f"S{k:03d}.npz" for k in range(1, 7)]
    return congru.read(files, band=(8, 30), notch=None, window=(0.5, 3.5), keep_signals=True)


def race(name, ours, theirs, rounds, repeat, least):
    """Medians over rounds in which each runs `repeat` times, in turns; `least` is the ratio that is promised."""
    times = ([], [])
    ours(), theirs()
    for _ in range(rounds):
        for call, kept in ((ours, times[0]), (theirs, times[1])):
            begun = time.process_time()
            for _ in range(repeat):
                call()
            kept.append((time.process_time() - begun) / repeat)
    a, b = (float(np.median(t)) for t in times)
    print(f"{name:34} {1e6 * a:11.1f} {1e6 * b:12.1f} {b / a:8.1f}  {'' if b / a >= least else 'below %g' % least}")
    return b / a >= least


congru.set_threads(1)
s = real_set()
c = np.ascontiguousarray(s.X[:500])
signals = np.ascontiguousarray((s.signals if s.signals is not None else s.estimate().signals)[:500])
m = congru.mean(c)
one, other = c[0, :3, :3].copy(), c[1, :3, :3].copy()
logs = congru.logm(c)
print(f"congru {congru.__version__} ({congru.versions()['cpu']}, {congru.versions()['threads']} threads), pyRiemann "
      f"{pyriemann.__version__}, NumPy {np.__version__}; {'EEGMMIDB' if data.is_dir() else 'made up'}")
print(f"{'microseconds, medians':34} {'congru':>11} {'pyRiemann':>12} {'ratio':>8}")
good = [
    race("mean of 500, 22 x 22", lambda: congru.mean(c), lambda: mean_covariance(c), 9, 1, 5),
    race("distance of 500 from one", lambda: congru.distance(c, m), lambda: distance(c, m), 9, 1, 5),
    race("pairwise_distance, 200 x 200", lambda: congru.pairwise_distance(c[:200]), lambda: pairwise_distance(c[:200]), 5, 1,
         5),
    race("tangent_space of 500", lambda: congru.tangent_space(c, m), lambda: tangent_space(c, m), 9, 1, 5),
    race("logm of 500", lambda: congru.logm(c), lambda: logm(c), 9, 1, 5),
    race("expm of 500", lambda: congru.expm(logs), lambda: expm(logs), 9, 1, 5),
    race("sqrtm of 500", lambda: congru.sqrtm(c), lambda: sqrtm(c), 9, 1, 5),
    race("invsqrtm of 500", lambda: congru.invsqrtm(c), lambda: invsqrtm(c), 9, 1, 5),
    race("powm of 500", lambda: congru.powm(c, 0.3), lambda: powm(c, 0.3), 9, 1, 5),
    race("covariances of 500, 22 x 480", lambda: congru.covariances(signals), lambda: covariances(signals), 5, 1, 1),
    race("MDM, fitted on 500", lambda: congru.MDM().fit(c, s.y[:500]), lambda: MDM().fit(c, s.y[:500]), 3, 1, 1),
    race("TSLR, fitted on 500", lambda: congru.TSLR().fit(c, s.y[:500]), lambda: TSclassifier().fit(c, s.y[:500]), 3, 1, 1),
    race("distance, one 3 x 3", lambda: congru.distance(one, other), lambda: distance(one, other), 21, 200, 1),
    race("logm, one 3 x 3", lambda: congru.logm(one), lambda: logm(one), 21, 200, 1),
    race("tangent_space, one 3 x 3", lambda: congru.tangent_space(one, other), lambda: tangent_space(one, other), 21, 200, 1),
    race("geodesic, one 3 x 3", lambda: congru.geodesic(one, other, 0.5), lambda: geodesic(one, other, 0.5), 21, 200, 1),
    race("mean of two 3 x 3", lambda: congru.mean(np.stack([one, other])),
         lambda: mean_covariance(np.stack([one, other])), 21, 50, 1),
]


def least_time(call):
    """The shortest of many calls: what a call costs when nothing else runs."""
    found = []
    for _ in range(3000):
        begun = time.perf_counter()
        call()
        found.append(time.perf_counter() - begun)
    return min(found)


print(f"the shortest of 3000 calls with one 3 x 3: logm {1e6 * least_time(lambda: congru.logm(one)):.1f} us, distance "
      f"{1e6 * least_time(lambda: congru.distance(one, other)):.1f} us")
sys.exit(0 if all(good) else 1)
