"""Geometry of symmetric positive definite matrices, many at a time. SPDX-License-Identifier: Apache-2.0

Names and arguments are pyRiemann's. A batch has any number of leading dimensions, ``(..., d, d)``; arrays of float64 in C
order are read where they are, others are converted. Results are float64, and the same bits for any number of threads and
any instruction set.
"""
from __future__ import annotations

import warnings
from typing import Any, Optional, Tuple, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _native, errors

Array = NDArray[np.float64]

__all__ = ["covariances", "distance", "expm", "geodesic", "invsqrtm", "logm", "mean", "pairwise_distance", "powm",
           "sqrtm", "tangent_space", "untangent_space"]

_FLOAT = np.dtype(np.float64)
_METRICS = {"riemann": 0, "logeuclid": 1, "euclid": 2}
_LOG, _EXP, _SQRT, _INVSQRT, _POWER = range(5)
_ESTIMATORS = {"cov": 0, "scm": 0, "oas": 1, "lwf": 2, "csp": 3}


def _floats(values: ArrayLike, name: str) -> Array:
    """float64 in C order and native bytes: the array itself where it is that."""
    if type(values) is np.ndarray and values.dtype == _FLOAT:
        flags = values.flags
        if flags.c_contiguous and flags.aligned and values.dtype.isnative:
            return values
    try:
        found = np.asarray(values)
        if found.dtype.kind not in "fiub":
            raise TypeError
        return np.require(found, _FLOAT, ["C", "A"])
    except (TypeError, ValueError):
        raise errors.ArgumentError(f"{name}: an array of real numbers is needed") from None


def _matrices(values: ArrayLike, name: str) -> Tuple[Array, Tuple[int, ...]]:
    """(n, d, d), and the dimensions before the last two."""
    x = _floats(values, name)
    shape = x.shape
    if len(shape) < 2 or shape[-1] != shape[-2]:
        raise errors.ArgumentError(f"{name}: matrices (..., d, d) are needed, not an array of shape {shape}")
    if x.size == 0:
        raise errors.ArgumentError(f"{name}: no matrices in an array of shape {shape}")
    return (x if len(shape) == 3 else x.reshape(-1, shape[-1], shape[-1])), shape[:-2]


def _metric(metric: str) -> int:
    try:
        return _METRICS[metric]
    except (KeyError, TypeError):
        raise errors.ArgumentError(f"metric {metric!r}: 'riemann', 'logeuclid' or 'euclid'") from None


def _function(which: int, values: ArrayLike, power: float = 0.0) -> Array:
    x, _ = _matrices(values, "C")
    out = np.empty(x.shape)
    _native.matrix(which, x, out, power)
    shape = np.shape(values)
    return out if len(shape) == 3 else out.reshape(shape)


def logm(C: ArrayLike) -> Array:
    """The logarithm of SPD matrices (..., d, d).

    >>> import numpy as np, congru
    >>> congru.logm(np.diag([1.0, np.e])).round(12)
    array([[0., 0.],
           [0., 1.]])
    """
    return _function(_LOG, C)


def expm(C: ArrayLike) -> Array:
    """The exponential of symmetric matrices (..., d, d).

    >>> import numpy as np, congru
    >>> congru.expm(np.zeros((2, 2)))
    array([[1., 0.],
           [0., 1.]])
    """
    return _function(_EXP, C)


def sqrtm(C: ArrayLike) -> Array:
    """The square root of SPD matrices (..., d, d).

    >>> import congru
    >>> congru.sqrtm([[4.0, 0.0], [0.0, 9.0]])
    array([[2., 0.],
           [0., 3.]])
    """
    return _function(_SQRT, C)


def invsqrtm(C: ArrayLike) -> Array:
    """The inverse of the square root of SPD matrices (..., d, d).

    >>> import congru
    >>> congru.invsqrtm([[4.0, 0.0], [0.0, 16.0]])
    array([[0.5 , 0.  ],
           [0.  , 0.25]])
    """
    return _function(_INVSQRT, C)


def powm(C: ArrayLike, alpha: float) -> Array:
    """SPD matrices (..., d, d) to the power alpha.

    >>> import congru
    >>> congru.powm([[2.0, 0.0], [0.0, 3.0]], 2).round(12)
    array([[4., 0.],
           [0., 9.]])
    """
    return _function(_POWER, C, float(alpha))


def _pair(A: ArrayLike, B: ArrayLike) -> Tuple[Array, Array, Tuple[int, ...]]:
    """A, B as (n, d, d) and (n or 1, d, d), with the dimensions of the result."""
    a, lead = _matrices(A, "A")
    b, lead_b = _matrices(B, "B")
    if a.shape[1] != b.shape[1]:
        raise errors.ArgumentError(f"A has matrices of {a.shape[1]} rows, and B of {b.shape[1]}")
    try:
        both = np.broadcast_shapes(lead, lead_b)
    except ValueError:
        raise errors.ArgumentError(f"A of shape {np.shape(A)} and B of shape {np.shape(B)} do not go together") from None
    d, count = a.shape[1:], int(np.prod(both, dtype=int))
    if len(a) != count:
        a = np.ascontiguousarray(np.broadcast_to(np.reshape(a, lead + d), both + d).reshape((-1,) + d))
    if len(b) not in (1, count):
        b = np.ascontiguousarray(np.broadcast_to(np.reshape(b, lead_b + d), both + d).reshape((-1,) + d))
    return a, b, both


def distance(A: ArrayLike, B: ArrayLike, metric: str = "riemann", squared: bool = False) -> Union[float, Array]:
    """The distance between SPD matrices: of A (..., d, d) from B (..., d, d), the dimensions in front being broadcast.

    ``metric`` is 'riemann' (affine-invariant), 'logeuclid' or 'euclid'.

    >>> import numpy as np, congru
    >>> round(congru.distance(np.eye(2), np.diag([1.0, np.e])), 12)
    1.0
    >>> congru.distance([np.eye(2), 4 * np.eye(2)], np.eye(2), metric="euclid").round(6)
    array([0.      , 4.242641])
    """
    a, b, lead = _pair(A, B)
    out = np.empty(len(a))
    _native.distance(_metric(metric), a, b, out)
    if squared:
        out *= out
    return out.reshape(lead) if lead else float(out[0])


def pairwise_distance(X: ArrayLike, Y: Optional[ArrayLike] = None, metric: str = "riemann",
                      squared: bool = False) -> Array:
    """Distances of every X (n, d, d) from every Y (m, d, d), or from every X: (n, m).

    >>> import numpy as np, congru
    >>> congru.pairwise_distance([np.eye(1), np.e * np.eye(1)]).round(12)
    array([[0., 1.],
           [1., 0.]])
    """
    x, _ = _matrices(X, "X")
    y = x if Y is None else _matrices(Y, "Y")[0]
    if x.shape[1] != y.shape[1]:
        raise errors.ArgumentError(f"X has matrices of {x.shape[1]} rows, and Y of {y.shape[1]}")
    out = np.empty((len(x), len(y)))
    _native.distance_pairwise(_metric(metric), x, y, out)  # of one batch each pair is measured once
    if squared:
        out *= out
    return out


def geodesic(A: ArrayLike, B: ArrayLike, alpha: float, metric: str = "riemann") -> Array:
    """The point a part ``alpha`` of the way from A (..., d, d) to B (..., d, d), the dimensions in front being broadcast.

    >>> import numpy as np, congru
    >>> congru.geodesic(np.eye(2), 16 * np.eye(2), 0.5).round(12)
    array([[4., 0.],
           [0., 4.]])
    """
    a, b, lead = _pair(A, B)
    out = np.empty(a.shape)
    _native.geodesic(_metric(metric), a, b, float(alpha), out)
    return out.reshape(lead + a.shape[1:])


def mean(X: ArrayLike, metric: str = "riemann", sample_weight: Optional[ArrayLike] = None, *, tol: float = 1e-10,
         maxiter: int = 200, init: Optional[ArrayLike] = None) -> Array:
    """The mean of SPD matrices (..., n, d, d) over n: (..., d, d).

    ``tol`` bounds the norm of the mean tangent vector, after at most ``maxiter`` steps from ``init`` (the log-Euclidean
    mean); where it is not reached a RuntimeWarning says so. pyRiemann calls it ``mean_covariance``.

    >>> import numpy as np, congru
    >>> congru.mean([np.eye(2), 16 * np.eye(2)]).round(12)
    array([[4., 0.],
           [0., 4.]])
    """
    shape = np.shape(X)
    if len(shape) < 3:
        raise errors.ArgumentError(f"X: matrices (..., n, d, d) are needed, not an array of shape {shape}")
    x, lead = _matrices(X, "X")
    count, d = lead[-1], x.shape[1]
    which = _metric(metric)
    weights = None
    if sample_weight is not None:
        weights = _floats(sample_weight, "sample_weight")
        if weights.shape != (count,):
            raise errors.ArgumentError(f"sample_weight: one for each of {count} matrices is needed, not shape "
                                       f"{weights.shape}")
    start = None
    if init is not None:
        start, _ = _matrices(init, "init")
        if start.shape != (1, d, d):
            raise errors.ArgumentError(f"init: a matrix of {d} rows is needed")
    out = np.empty((x.shape[0] // count, d, d))
    for i in range(len(out)):
        iterations, norm, converged = _native.mean(which, x[i * count:(i + 1) * count], weights, out[i], start,
                                                   float(tol), int(maxiter))
        if not converged:
            warnings.warn(f"the mean has not converged: its tangent norm is {norm:.3g} after {iterations} evaluations",
                          RuntimeWarning, stacklevel=2)
    return out.reshape(lead[:-1] + (d, d))


def _triangle(matrices: Array) -> Array:
    d = matrices.shape[-1]
    rows, columns = np.triu_indices(d)
    weight = np.where(rows == columns, 1.0, np.sqrt(2.0))
    return matrices[..., rows, columns] * weight


def _untriangle(vectors: Array, d: int) -> Array:
    rows, columns = np.triu_indices(d)
    weight = np.where(rows == columns, 1.0, 1 / np.sqrt(2.0))
    out = np.empty(vectors.shape[:-1] + (d, d))
    out[..., rows, columns] = out[..., columns, rows] = vectors * weight
    return out


def _reference(Cref: ArrayLike, d: int) -> Array:
    reference, _ = _matrices(Cref, "Cref")
    if reference.shape != (1, d, d):
        raise errors.ArgumentError(f"Cref: one matrix of {d} rows is needed, not shape {np.shape(Cref)}")
    return reference


def tangent_space(X: ArrayLike, Cref: ArrayLike, *, metric: str = "riemann") -> Array:
    """Tangent vectors at Cref (d, d) of SPD matrices (..., d, d): (..., d (d + 1) / 2).

    They are the upper triangle, row by row, of log(Cref^-1/2 X Cref^-1/2), what is off the diagonal times the square
    root of 2 (of log X - log Cref for 'logeuclid', X - Cref for 'euclid').

    >>> import numpy as np, congru
    >>> congru.tangent_space(np.diag([np.e, 1.0]), np.eye(2)).round(12)
    array([1., 0., 0.])
    """
    x, lead = _matrices(X, "X")
    d = x.shape[1]
    reference = _reference(Cref, d)
    if _metric(metric) == 0:
        out = np.empty((len(x), d * (d + 1) // 2))
        _native.tangent(x, reference, out)
    elif metric == "logeuclid":
        out = _triangle(logm(x) - logm(reference))
    else:
        out = _triangle(x - reference)
    return out.reshape(lead + out.shape[1:])


def untangent_space(T: ArrayLike, Cref: ArrayLike, *, metric: str = "riemann") -> Array:
    """SPD matrices (..., d, d) of tangent vectors (..., d (d + 1) / 2) at Cref (d, d).

    >>> import numpy as np, congru
    >>> congru.untangent_space([1.0, 0.0, 0.0], np.eye(2)).round(6)
    array([[2.718282, 0.      ],
           [0.      , 1.      ]])
    """
    vectors = _floats(T, "T")
    reference = np.asarray(Cref)
    d = reference.shape[-1] if reference.ndim >= 2 else 0
    if vectors.ndim < 1 or d == 0 or vectors.shape[-1] != d * (d + 1) // 2 or vectors.size == 0:
        raise errors.ArgumentError(f"T: vectors of {d * (d + 1) // 2} numbers are needed for matrices of {d} rows, not "
                                   f"an array of shape {vectors.shape}")
    base, lead = _reference(Cref, d), vectors.shape[:-1]
    flat = vectors.reshape(-1, vectors.shape[-1])
    if _metric(metric) == 0:
        out = np.empty((len(flat), d, d))
        _native.untangent(flat, base, out)
    elif metric == "logeuclid":
        out = expm(_untriangle(flat, d) + logm(base))
    else:
        out = _untriangle(flat, d) + base
    return out.reshape(lead + (d, d))


def covariances(X: ArrayLike, estimator: str = "cov", *, trace_normalise: bool = False, **options: Any) -> Array:
    """Covariances (..., d, d) of signals (..., d, samples).

    ``estimator`` is 'cov' (numpy.cov: over samples - 1; what the command calls scm), 'scm' (over samples), 'oas' or 'lwf'
    (shrunk, as scikit-learn's OAS and LedoitWolf), or 'csp' (X X^T over its trace, the mean not taken off).

    >>> import congru
    >>> congru.covariances([[0.0, 1.0, 2.0], [0.0, 2.0, 4.0]])
    array([[1., 2.],
           [2., 4.]])
    """
    if options:
        raise TypeError(f"covariances() has no option {next(iter(options))!r}")
    x = _floats(X, "X")
    if x.ndim < 2 or x.size == 0:
        raise errors.ArgumentError(f"X: signals (..., channels, samples) are needed, not an array of shape {x.shape}")
    if estimator not in _ESTIMATORS:
        raise errors.ArgumentError(f"estimator {estimator!r}: one of {', '.join(map(repr, _ESTIMATORS))}")
    d, samples = x.shape[-2:]
    out = np.empty(x.shape[:-2] + (d, d))
    flat = out.reshape(-1, d, d)
    _native.covariances(_ESTIMATORS[estimator], bool(trace_normalise), x.reshape(-1, d, samples), flat)
    if estimator == "scm" and not trace_normalise:
        out *= (samples - 1) / samples
    return out
