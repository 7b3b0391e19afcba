"""Against pyRiemann, where PYRIEMANN names a tree of it: the same numbers, and the same decisions on real EEG.
SPDX-License-Identifier: Apache-2.0"""
import os
import sys

import numpy as np
import pytest

import congru

tree = os.environ.get("PYRIEMANN")
if not tree:
    pytest.skip("PYRIEMANN names no tree of pyRiemann", allow_module_level=True)
sys.path.append(tree)
pyriemann = pytest.importorskip("pyriemann")
from pyriemann.classification import MDM, TSclassifier  # noqa: E402
from pyriemann.utils.base import expm, invsqrtm, logm, powm, sqrtm  # noqa: E402
from pyriemann.utils.covariance import covariances  # noqa: E402
from pyriemann.utils.distance import distance, pairwise_distance  # noqa: E402
from pyriemann.utils.geodesic import geodesic  # noqa: E402
from pyriemann.utils.mean import mean_covariance  # noqa: E402
from pyriemann.utils.tangentspace import tangent_space, untangent_space  # noqa: E402
from sklearn.linear_model import LogisticRegression  # noqa: E402

METRICS = ("riemann", "logeuclid", "euclid")


@pytest.fixture(scope="module")
def real(data_folder):
    """Four subjects of EEGMMIDB: 22 channels, four classes."""
    files = [data_folder / "eegmmidb" / "epochs22" / f"S{k:03d}.npz" for k in range(1, 5)]
    return congru.read(files, band=(8, 30), notch=None, window=(0.5, 3.5), keep_signals=True)


def near(ours, theirs):
    """To 1e-10 of the largest."""
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-10 * np.abs(theirs).max())


def test_functions(real):
    c = real.X / np.trace(real.X, axis1=1, axis2=2).mean()
    for ours, theirs in ((congru.logm, logm), (congru.sqrtm, sqrtm), (congru.invsqrtm, invsqrtm)):
        near(ours(c), theirs(c))
    near(congru.expm(congru.logm(c)), expm(logm(c)))
    near(congru.powm(c, 0.3), powm(c, 0.3))


@pytest.mark.parametrize("estimator", ["cov", "scm", "oas", "lwf"])
def test_covariances(real, estimator):
    near(congru.covariances(real.signals[:20], estimator), covariances(real.signals[:20], estimator))


@pytest.mark.parametrize("metric", METRICS)
def test_geometry(real, metric):
    c = real.X
    more = {"tol": 1e-12, "maxiter": 200} if metric == "riemann" else {}
    m = mean_covariance(c, metric=metric, **more)
    near(congru.mean(c, metric), m)
    near(congru.distance(c, m, metric), distance(c, m, metric).ravel())  # 0.6 gives (n, 1)
    near(congru.distance(c[0], c[1], metric, squared=True), distance(c[0], c[1], metric, squared=True))
    near(congru.pairwise_distance(c[:10], c[10:15], metric), pairwise_distance(c[:10], c[10:15], metric))
    near(congru.geodesic(c[:5], c[5:10], 0.3, metric), np.array([geodesic(a, b, 0.3, metric) for a, b in zip(c, c[5:10])]))
    near(congru.tangent_space(c, m, metric=metric), tangent_space(c, m, metric=metric))
    vectors = tangent_space(c, m, metric=metric)
    near(congru.untangent_space(vectors, m, metric=metric), untangent_space(vectors, m, metric=metric))


def test_decisions_of_mdm(real):
    for subject in real.subjects:
        test = real.subject == subject
        ours = congru.MDM().fit(real.X[~test], real.labels[~test]).predict(real.X[test])
        theirs = MDM().fit(real.X[~test], real.labels[~test]).predict(real.X[test])
        assert ours.tolist() == theirs.tolist()


def test_decisions_of_tslr(real):
    for subject in real.subjects:
        test = real.subject == subject
        ours = congru.TSLR(C=0.1).fit(real.X[~test], real.labels[~test]).predict(real.X[test])
        judge = TSclassifier(clf=LogisticRegression(C=0.1, tol=1e-8, max_iter=10000))
        theirs = judge.fit(real.X[~test], real.labels[~test]).predict(real.X[test])
        assert ours.tolist() == theirs.tolist()
