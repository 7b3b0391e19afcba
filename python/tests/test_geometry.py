"""Geometry against formulas written out in NumPy and SciPy, and every kind of array. SPDX-License-Identifier: Apache-2.0"""
import numpy as np
import pytest
from conftest import spd

import congru

FUNCTIONS = {
    "logm": np.log,
    "expm": np.exp,
    "sqrtm": np.sqrt,
    "invsqrtm": lambda v: 1 / np.sqrt(v),
}


def by_eigenvalues(c, function):
    values, vectors = np.linalg.eigh(c)
    return (vectors * function(values)[..., None, :]) @ np.swapaxes(vectors, -1, -2)


def riemann(a, b):
    w = by_eigenvalues(a, lambda v: 1 / np.sqrt(v))
    return np.sqrt((np.log(np.linalg.eigvalsh(w @ b @ w)) ** 2).sum(-1))


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("shape", [(), (1,), (7,), (2, 3), (2, 2, 2)])
def test_functions_of_batches(name, shape):
    c = spd(int(np.prod(shape, dtype=int)), 4).reshape(shape + (4, 4))
    got = getattr(congru, name)(c)
    assert got.shape == c.shape
    np.testing.assert_allclose(got, by_eigenvalues(c, FUNCTIONS[name]), rtol=1e-11, atol=1e-12)


def test_power(matrices):
    np.testing.assert_allclose(congru.powm(matrices, -0.7), by_eigenvalues(matrices, lambda v: v**-0.7), rtol=1e-11,
                               atol=1e-12)


def test_distances(matrices):
    a, b = matrices[:6], matrices[6:]
    np.testing.assert_allclose(congru.distance(a, b), riemann(a, b), rtol=1e-11)
    np.testing.assert_allclose(congru.distance(a, b[0]), riemann(a, b[0]), rtol=1e-11)
    np.testing.assert_allclose(congru.distance(a.reshape(2, 3, 5, 5), b[:3]), riemann(a.reshape(2, 3, 5, 5), b[:3]),
                               rtol=1e-11)
    assert isinstance(congru.distance(a[0], b[0]), float)
    np.testing.assert_allclose(congru.distance(a, b, squared=True), riemann(a, b) ** 2, rtol=1e-11)
    np.testing.assert_allclose(congru.distance(a, b, "euclid"), np.linalg.norm(a - b, axis=(1, 2)), rtol=1e-12)
    difference = by_eigenvalues(a, np.log) - by_eigenvalues(b, np.log)
    np.testing.assert_allclose(congru.distance(a, b, "logeuclid"), np.linalg.norm(difference, axis=(1, 2)), rtol=1e-11)
    pairs = congru.pairwise_distance(a, b)
    assert pairs.shape == (6, 6)
    np.testing.assert_array_equal(np.diag(pairs), congru.distance(a, b))
    for count in (1, 6, 8, 9, 300):
        many = spd(count, 3)
        among = congru.pairwise_distance(many)
        np.testing.assert_array_equal(among, among.T)
        np.testing.assert_array_equal(np.diag(among), np.zeros(count))
        np.testing.assert_allclose(among, congru.pairwise_distance(many, many.copy()), rtol=1e-9, atol=1e-7)


def test_geodesic(matrices):
    a, b = matrices[:3], matrices[3:6]
    for metric in ("riemann", "logeuclid", "euclid"):
        np.testing.assert_allclose(congru.geodesic(a, b, 0, metric), a, rtol=1e-10, atol=1e-11)
        np.testing.assert_allclose(congru.geodesic(a, b, 1, metric), b, rtol=1e-10, atol=1e-11)
    middle = congru.geodesic(a, b[0], 0.25)
    np.testing.assert_allclose(congru.distance(a, middle), 0.25 * congru.distance(a, b[0]), rtol=1e-10)


def test_mean(matrices):
    m = congru.mean(matrices)
    np.testing.assert_allclose(congru.tangent_space(matrices, m).mean(0), 0, atol=1e-10)
    np.testing.assert_allclose(congru.mean(matrices, "euclid"), matrices.mean(0), rtol=1e-13)
    weights = np.arange(1.0, 13.0)
    np.testing.assert_allclose(congru.mean(matrices, "euclid", weights), np.average(matrices, 0, weights), rtol=1e-13)
    repeated = np.repeat(matrices[:2], [3, 1], axis=0)
    np.testing.assert_allclose(congru.mean(matrices[:2], sample_weight=[3, 1]), congru.mean(repeated), rtol=1e-9)
    both = congru.mean(matrices.reshape(2, 6, 5, 5))
    np.testing.assert_array_equal(both[1], congru.mean(matrices[6:]))
    np.testing.assert_allclose(congru.mean(matrices, init=np.eye(5)), m, rtol=1e-9)
    with pytest.warns(RuntimeWarning, match="not converged"):
        congru.mean(matrices, maxiter=1, init=100 * np.eye(5))


def test_tangent_space(matrices):
    reference = congru.mean(matrices)
    for metric in ("riemann", "logeuclid", "euclid"):
        vectors = congru.tangent_space(matrices, reference, metric=metric)
        assert vectors.shape == (12, 15)
        np.testing.assert_allclose(congru.untangent_space(vectors, reference, metric=metric), matrices, rtol=1e-10,
                                   atol=1e-11)
        distances = congru.distance(matrices, reference, metric)
        np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), distances, rtol=1e-10)
    assert congru.tangent_space(matrices.reshape(3, 4, 5, 5), reference).shape == (3, 4, 15)


def test_covariances():
    x = np.random.default_rng(1).standard_normal((2, 3, 4, 50))
    got = congru.covariances(x)
    assert got.shape == (2, 3, 4, 4)
    np.testing.assert_allclose(got[1, 2], np.cov(x[1, 2]), rtol=1e-12)
    np.testing.assert_allclose(congru.covariances(x, "scm")[0, 0], np.cov(x[0, 0], bias=True), rtol=1e-12)
    covariance = pytest.importorskip("sklearn.covariance")
    np.testing.assert_allclose(congru.covariances(x, "oas")[0, 1], covariance.OAS().fit(x[0, 1].T).covariance_, rtol=1e-10)
    np.testing.assert_allclose(congru.covariances(x, "lwf")[0, 1], covariance.LedoitWolf().fit(x[0, 1].T).covariance_,
                               rtol=1e-10)
    np.testing.assert_allclose(np.trace(congru.covariances(x[0, 0], trace_normalise=True)), 1, rtol=1e-12)


# ---- Kinds of arrays -----------------------------------------------------------------------------------

def kinds(c):
    """The same numbers in every layout."""
    wide = np.zeros((len(c), 2 * c.shape[1], 2 * c.shape[2]))
    wide[:, ::2, ::2] = c
    locked = c.copy()
    locked.setflags(write=False)
    shifted = np.zeros(c.nbytes + 1, np.uint8)[1:].view(np.float64).reshape(c.shape)
    shifted[:] = c
    return {
        "c": c.copy(), "fortran": np.asfortranarray(c), "strided": wide[:, ::2, ::2], "reversed": c[::-1].copy()[::-1],
        "big-endian": c.astype(">f8"), "read-only": locked, "list": c.tolist(), "unaligned": shifted,
        "longdouble": c.astype(np.longdouble),
    }


@pytest.mark.parametrize("kind", sorted(kinds(spd(1, 2))))
def test_layouts_give_the_same_bits(matrices, kind):
    x = kinds(matrices)[kind]
    np.testing.assert_array_equal(congru.logm(x), congru.logm(matrices))
    np.testing.assert_array_equal(congru.mean(x), congru.mean(matrices))
    np.testing.assert_array_equal(congru.distance(x, np.eye(5)), congru.distance(matrices, np.eye(5)))
    np.testing.assert_array_equal(congru.tangent_space(x, x[0]), congru.tangent_space(matrices, matrices[0]))


def test_other_numbers_are_converted(matrices):
    whole = np.array([[2, 0], [0, 3]])
    np.testing.assert_array_equal(congru.logm(whole), congru.logm(whole.astype(float)))
    single = matrices.astype(np.float32)
    assert congru.logm(single).dtype == np.float64
    np.testing.assert_array_equal(congru.logm(single), congru.logm(single.astype(float)))


def test_inputs_are_not_written_to(matrices):
    before = matrices.copy()
    congru.logm(matrices), congru.mean(matrices), congru.distance(matrices, matrices, squared=True)
    np.testing.assert_array_equal(matrices, before)


WRONG = {
    "a vector": (np.ones(3), "matrices"),
    "not square": (np.ones((2, 3, 4)), "shape"),
    "empty": (np.zeros((0, 3, 3)), "no matrices"),
    "no rows": (np.zeros((2, 0, 0)), "no matrices"),
    "complex": (np.eye(2) * 1j, "real numbers"),
    "texts": (np.array([["a", "b"], ["c", "d"]]), "real numbers"),
    "objects": (np.array([[None, 1], [2, 3]], dtype=object), "real numbers"),
    "ragged": ([[1.0, 2.0], [3.0]], "real numbers"),
    "NaN": (np.array([np.eye(2), [[1, np.nan], [np.nan, 1]]]), "matrix 2 of 2"),
    "infinity": (np.array([[np.inf, 0], [0, 1.0]]), "matrix 1"),
    "not symmetric": (np.array([[1.0, 0.5], [0.0, 1.0]]), "symmetric"),
    "not positive": (np.diag([1.0, -1.0]), "positive"),
    "singular": (np.ones((2, 2)), "positive"),
    "too large": (np.broadcast_to(np.float64(0), (1, 600, 600)), "512"),
}


@pytest.mark.parametrize("what", sorted(WRONG))
def test_wrong_matrices_are_told(what):
    value, words = WRONG[what]
    with pytest.raises(ValueError, match=words) as caught:
        congru.logm(value)
    assert isinstance(caught.value, congru.Error)
    if what != "not positive" and what != "singular":
        with pytest.raises(ValueError):
            congru.distance(value, np.eye(2))


def test_wrong_arguments_are_told(matrices):
    for call, words in [
            (lambda: congru.distance(matrices, np.eye(4)), "rows"),
            (lambda: congru.distance(matrices, matrices[:5]), "go together"),
            (lambda: congru.distance(matrices, matrices, "manhattan"), "'riemann'"),
            (lambda: congru.mean(matrices[0]), r"\(\.\.\., n, d, d\)"),
            (lambda: congru.mean(matrices, sample_weight=[1, 2]), "sample_weight"),
            (lambda: congru.mean(matrices, sample_weight=-np.ones(12)), "weight"),
            (lambda: congru.mean(matrices, init=np.eye(3)), "init"),
            (lambda: congru.tangent_space(matrices, np.eye(4)), "Cref"),
            (lambda: congru.untangent_space(np.zeros(14), np.eye(5)), "15 numbers"),
            (lambda: congru.powm(matrices, np.nan), ""),
            (lambda: congru.covariances(np.ones(3)), "signals"),
            (lambda: congru.covariances(np.ones((2, 3, 10)), "best"), "estimator"),
            (lambda: congru.geodesic(matrices, np.eye(4), 0.5), "rows"),
    ]:
        with pytest.raises(ValueError, match=words):
            call()


@pytest.mark.parametrize("lead_a, lead_b, both", [((), (3,), (3,)), ((2,), (1, 1), (1, 2)), ((2, 1), (3,), (2, 3)),
                                                  ((1, 3), (2, 1), (2, 3)), ((1,), (1, 1), (1, 1)), ((3,), (), (3,)),
                                                  ((), (2, 3), (2, 3))])
def test_batches_are_broadcast(lead_a, lead_b, both):
    a = spd(int(np.prod(lead_a, dtype=int)), 3).reshape(lead_a + (3, 3))
    b = spd(int(np.prod(lead_b, dtype=int)), 3, seed=5).reshape(lead_b + (3, 3))
    distances, points = congru.distance(a, b), congru.geodesic(a, b, 0.3)
    assert distances.shape == both and points.shape == both + (3, 3)
    wide_a, wide_b = np.broadcast_to(a, both + (3, 3)), np.broadcast_to(b, both + (3, 3))
    for place in np.ndindex(*both):
        assert distances[place] == pytest.approx(congru.distance(wide_a[place], wide_b[place]), rel=1e-12)
        assert np.allclose(points[place], congru.geodesic(wide_a[place], wide_b[place], 0.3), rtol=1e-12)


def test_a_function_that_is_none_is_a_type_error():
    x = np.eye(2)[None]
    for which in (5, -1):
        with pytest.raises(TypeError):
            congru._native.matrix(which, x, np.empty_like(x), 0.0)
    with pytest.raises(TypeError):
        congru._native.matrix(5)
