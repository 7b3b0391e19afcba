"""Tests over subjects, metrics of predictions, the level of chance. SPDX-License-Identifier: Apache-2.0"""
from __future__ import annotations

from typing import Any, Dict, NamedTuple, Optional, Sequence, Tuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _native, errors

__all__ = ["Comparison", "Interval", "METRICS", "Wilcoxon", "chance_level", "class_metrics", "compare", "holm", "interval",
           "itr", "metrics", "permutation_test", "wilcoxon"]

#: What each metric is, by name.
METRICS: Dict[str, str] = {name: text for name, _, text in _native.metric_names()}


class Wilcoxon(NamedTuple):
    """Wilcoxon's signed-rank test, as scipy.stats.wilcoxon has it from 1.13 on."""

    statistic: float  #: the smaller sum of ranks
    p: float  #: two-sided
    differing: int  #: pairs that differ
    exact: bool  #: by the exact distribution


class Interval(NamedTuple):
    """A mean and where it lies by Student's t."""

    count: int
    mean: float
    deviation: float
    low: float
    high: float


class Comparison(NamedTuple):
    """One method less another, subject by subject."""

    subjects: int
    gain: float  #: the mean difference
    deviation: float
    effect: float  #: Cohen's d_z
    low: float  #: the interval of the gain
    high: float
    improved: float  #: the share of subjects with a above b
    p_wilcoxon: float
    p_permutation: float


def _numbers(values: ArrayLike, name: str) -> NDArray[np.float64]:
    found = np.require(np.asarray(values), np.float64, ["C", "A"])
    if found.ndim != 1:
        raise errors.ArgumentError(f"{name}: numbers in a row are needed, not an array of shape {found.shape}")
    return found


def wilcoxon(a: ArrayLike, b: ArrayLike) -> Wilcoxon:
    """Whether the differences a - b of pairs lie about 0.

    >>> import congru
    >>> congru.stats.wilcoxon([3, 5, 7, 9], [1, 2, 3, 4]).p
    0.125
    """
    statistic, p, used, exact = _native.wilcoxon(_numbers(a, "a"), _numbers(b, "b"))
    return Wilcoxon(statistic, p, used, bool(exact))


def permutation_test(a: ArrayLike, b: ArrayLike, *, seed: int = 50) -> float:
    """p of the mean of a - b if each difference had its sign by chance: over all signs for up to 20 pairs."""
    return float(_native.permutation(_numbers(a, "a"), _numbers(b, "b"), int(seed)))


def holm(p: ArrayLike) -> NDArray[np.float64]:
    """p-values after Holm's correction for how many there are.

    >>> import congru
    >>> congru.stats.holm([0.01, 0.04, 0.03]).tolist()
    [0.03, 0.06, 0.06]
    """
    adjusted = _numbers(p, "p").copy()
    _native.holm(adjusted)
    return adjusted


def _level(confidence: float) -> float:
    level = float(confidence)
    if not 0 < level < 1:
        raise errors.ArgumentError(f"confidence: {confidence} is not between 0 and 1")
    return level


def interval(values: ArrayLike, confidence: float = 0.95) -> Interval:
    """The mean of values, NaN left out, its deviation and interval."""
    return Interval(*_native.interval(_numbers(values, "values"), _level(confidence)))


def compare(a: ArrayLike, b: ArrayLike, confidence: float = 0.95) -> Comparison:
    """One method against another: ``a`` and ``b`` have a score for each subject, in the same order."""
    found = _native.compare(_numbers(a, "a"), _numbers(b, "b"), _level(confidence))
    return Comparison(**found)


def chance_level(trials: int, classes: int, confidence: float = 0.95) -> float:
    """The accuracy that guessing exceeds with a probability of at most 1 - ``confidence``: binomial.

    >>> import congru
    >>> congru.stats.chance_level(100, 2)
    0.58
    """
    return float(_native.chance_level(int(trials), int(classes), _level(confidence)))


def itr(accuracy: float, classes: int, seconds: Optional[float] = None) -> float:
    """Wolpaw's information transfer: bits a trial, or bits a minute where a trial takes ``seconds``.

    >>> import congru
    >>> congru.stats.itr(1.0, 4), congru.stats.itr(1.0, 4, seconds=4)
    (2.0, 30.0)
    """
    bits = float(_native.transfer_bits(float(accuracy), int(classes)))
    return bits if seconds is None else bits * 60.0 / float(seconds)


def _measure(y_true: ArrayLike, y_pred: ArrayLike, y_proba: Optional[ArrayLike], classes: Optional[Sequence[Any]]
             ) -> Tuple[NDArray[np.float64], NDArray[np.float64], NDArray[Any]]:
    truth, prediction = np.asarray(y_true), np.asarray(y_pred)
    if truth.ndim != 1 or truth.shape != prediction.shape:
        raise errors.ArgumentError("y_true and y_pred: one label of each trial is needed in both")
    names = np.unique(np.concatenate([truth, prediction])) if classes is None else np.asarray(classes)
    place = {name: k for k, name in enumerate(names.tolist())}
    try:
        codes = [np.array([place[label] for label in labels.tolist()], np.int32) for labels in (truth, prediction)]
    except KeyError as missing:
        raise errors.ArgumentError(f"{missing.args[0]!r} is none of the classes") from None
    proba = None if y_proba is None else np.require(np.asarray(y_proba), np.float64, ["C", "A"])
    if proba is not None and proba.shape != (len(truth), len(names)):
        raise errors.ArgumentError(f"y_proba: ({len(truth)} trials, {len(names)} classes) are needed, not {proba.shape}")
    values, by_class = np.empty(len(METRICS)), np.empty((len(names), 4))
    _native.measure(codes[0], codes[1], proba, len(names), values, by_class)
    return values, by_class, names


def metrics(y_true: ArrayLike, y_pred: ArrayLike, y_proba: Optional[ArrayLike] = None,
            classes: Optional[Sequence[Any]] = None) -> Dict[str, float]:
    """Every metric of :data:`METRICS` of predictions; ``y_proba`` (trials, classes) is for the area under the ROC curve, and its
    columns are ``classes``, or the sorted labels.

    >>> import congru
    >>> found = congru.stats.metrics(["a", "b", "b", "a"], ["a", "b", "a", "a"])
    >>> found["accuracy"], found["kappa"]
    (0.75, 0.5)
    """
    values, _, _ = _measure(y_true, y_pred, y_proba, classes)
    return {name: float(value) for name, value in zip(METRICS, values) if name != "seconds"}


def class_metrics(y_true: ArrayLike, y_pred: ArrayLike, y_proba: Optional[ArrayLike] = None,
                  classes: Optional[Sequence[Any]] = None) -> Dict[Any, Dict[str, float]]:
    """Precision, recall, F1 and AUC of each class against the others."""
    _, by_class, names = _measure(y_true, y_pred, y_proba, classes)
    return {name: dict(zip(("precision", "recall", "f1", "auc"), map(float, row)))
            for name, row in zip(names.tolist(), by_class)}
