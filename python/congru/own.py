"""Decoders that are not the library's, on the splits of the library's runs. SPDX-License-Identifier: Apache-2.0"""
from __future__ import annotations

import csv
import hashlib
import inspect
import io
import os
import re
import time
from typing import Any, Dict, List, NamedTuple, Optional

import numpy as np
from numpy.typing import NDArray

from . import _native, errors
from .data import Set

#: What the name of such a decoder begins with in every table.
PREFIX = "own:"
_NAME_MAX = 63 - len(PREFIX)
#: Of the folds that are kept: those with fewer fields are run again.
LAYOUT = 2


class Own:
    """An estimator of scikit-learn's kind among the pipelines of ``loso`` or ``within``.

    ``data`` is what it is given: 'covariances' (trials, d, d) or 'signals' (trials, channels, samples); None: covariances
    where the set has some. Where its ``fit`` takes ``groups``, it is told the subjects.
    """

    def __init__(self, estimator: Any, name: Optional[str] = None, data: Optional[str] = None) -> None:
        if not hasattr(estimator, "fit") or not hasattr(estimator, "predict"):
            raise errors.ArgumentError(f"a decoder of your own needs fit and predict, which {type(estimator).__name__} "
                                       "lacks")
        if data not in (None, "covariances", "signals"):
            raise errors.ArgumentError(f"data {data!r}: 'covariances' or 'signals'")
        title = name or _title(estimator)
        self.estimator, self.data = estimator, data
        self.name = PREFIX + re.sub(r"[^\w+.-]", "-", title)[:_NAME_MAX]

    def input(self, s: Set) -> NDArray[np.float64]:
        """What it is given of a set."""
        covariances = self.data == "covariances" or (self.data is None and s.X is not None)
        found = s.X if covariances else s.signals
        if found is None:
            raise errors.ArgumentError(f"{self.name}: the set holds no {'covariances' if covariances else 'signals'}")
        return found


def _title(estimator: Any) -> str:
    steps = getattr(estimator, "steps", None)
    return "+".join(name for name, _ in steps) if steps else type(estimator).__name__


def digest(s: Set) -> str:
    """What tells a set from others."""
    h = hashlib.sha256()
    for part in (s.X, s.signals, s.y, s.session):
        h.update(b"-" if part is None else np.ascontiguousarray(part).view(np.uint8).data)
    h.update(repr((s.classes, s.subject.tolist())).encode())
    return h.hexdigest()


def _takes_groups(method: Any) -> bool:
    try:
        return "groups" in inspect.signature(method).parameters
    except (TypeError, ValueError):
        return False


def _probabilities(fitted: Any, x: NDArray[np.float64], classes: int, groups: Any) -> NDArray[np.float64]:
    """(trials, classes); of decoders that have no probabilities, 1 for what they predict."""
    out = np.zeros((len(x), classes))
    if hasattr(fitted, "predict_proba"):
        more = {"groups": groups} if _takes_groups(fitted.predict_proba) else {}
        out[:, np.asarray(fitted.classes_, dtype=int)] = fitted.predict_proba(x, **more)
    else:
        more = {"groups": groups} if _takes_groups(fitted.predict) else {}
        out[np.arange(len(x)), np.asarray(fitted.predict(x, **more), dtype=int)] = 1.0
    return out


def _scores(truth: NDArray[np.int32], prediction: NDArray[np.int32], classes: int) -> Dict[str, float]:
    confusion = np.zeros((classes, classes))
    np.add.at(confusion, (truth, prediction), 1)
    total, right = confusion.sum(), np.trace(confusion)
    chance = float(confusion.sum(0) @ confusion.sum(1)) / total**2
    accuracy = right / total
    present = confusion.sum(1) > 0
    recall = np.diag(confusion)[present] / confusion.sum(1)[present]
    kappa = (accuracy - chance) / (1 - chance) if chance < 1 else 0.0
    return {"accuracy": float(accuracy), "kappa": float(kappa), "balanced": float(recall.mean())}


class Split(NamedTuple):
    """How trials are parted, as ``_native.evaluate`` takes it."""

    protocol: str  #: 'loso', 'folds', 'sessions' or 'session-out'
    folds: int = 5
    contiguous: bool = False
    calibration: int = 0  #: labelled target trials of each class that are fitted on
    calibration_most: int = 0  #: the first of each class that are not scored
    groups: int = 0  #: of subjects that are left out together; 0: each by itself


def _run_fold(own: Own, s: Set, split: Split, seed: int, subject: int,
              kept: Dict[bytes, Any]) -> Optional[Dict[str, Any]]:
    """One subject; None where it has too few trials. ``kept``: estimators that serve subjects left out together, by the trials
    they are fitted on."""
    from sklearn.base import clone  # the estimator is scikit-learn's, so it is there

    x, y, whose = own.input(s), s.y, s.subject
    begun = time.perf_counter()
    trials: List[NDArray[np.intp]] = []
    found: List[NDArray[np.float64]] = []
    train = calibration = 0
    protocol = split.protocol
    parts = {"folds": split.folds, "session-out": len(np.unique(s.session[whose == s.subjects[subject]]))}.get(protocol, 1)
    for part in range(parts):
        try:
            side = np.frombuffer(_native.evaluation_split(s._handle, split, seed, subject, part), np.int8)
        except errors.ArgumentError:
            return None
        fit, test = np.flatnonzero(side == 0), np.flatnonzero(side == 1)
        if len(test) == 0:
            trials.append(test)
            continue
        fitted = kept.get(fit.tobytes())
        if fitted is None:
            estimator = clone(own.estimator)
            more = {"groups": whose[fit]} if _takes_groups(estimator.fit) else {}
            fitted = estimator.fit(x[fit], y[fit], **more)
        if split.groups > 0:
            kept[fit.tobytes()] = fitted
        found.append(_probabilities(fitted, x[test], len(s.classes), whose[test]))
        trials.append(test)
        train += len(fit)
        calibration += int(np.sum(whose[fit] == s.subjects[subject])) if protocol == "loso" else 0
    order = np.argsort(np.concatenate(trials), kind="stable")
    trial, probability = np.concatenate(trials)[order], np.concatenate(found)[order]
    left_out = np.repeat(np.arange(parts, dtype=np.int32), [len(test) for test in trials])[order]
    truth, prediction = y[trial], probability.argmax(1).astype(np.int32)
    sessions = np.unique(s.session[trial])
    return {"subject": subject, "session": int(sessions[0]) if protocol != "loso" and len(sessions) == 1 else -1,
            "seconds": time.perf_counter() - begun, "train": train, "samples": len(trial), "calibration": calibration,
            "trial": trial, "part": left_out, "truth": truth, "prediction": prediction, "probability": probability,
            **_scores(truth, prediction, len(s.classes))}


def run(own: Own, s: Set, split: Split, seed: int, subjects: List[int], folder: str,
        notes: List[str]) -> List[Dict[str, Any]]:
    """Its folds, each of which is kept in the folder as soon as it is done, and found there again."""
    key = hashlib.sha256(repr((LAYOUT, repr(own.estimator), own.data, tuple(split), seed, digest(s))).encode()).hexdigest()
    place = os.path.join(folder, "own", own.name[len(PREFIX):])
    os.makedirs(place, exist_ok=True)
    made: List[Dict[str, Any]] = []
    fitted: Dict[bytes, Any] = {}
    for subject in subjects:
        path = os.path.join(place, f"{subject}-{key[:16]}.npz")
        fold: Optional[Dict[str, Any]]
        if os.path.exists(path):
            with np.load(path) as kept:
                fold = {name: kept[name] if kept[name].ndim else kept[name].item() for name in kept.files}
        else:
            fold = _run_fold(own, s, split, seed, subject, fitted)
            if fold is not None:
                buffer = io.BytesIO()
                np.savez(buffer, **fold)
                replace(path, buffer.getvalue())
        if fold is None:
            notes.append(f"{own.name}: subject '{s.subjects[subject]}' is left out: too few trials to fit on and to score")
        else:
            made.append(fold)
    return made


def replace(path: str, data: bytes) -> None:
    """The file is under its name whole or not at all."""
    _native.file_write(path, data)


def add_to_folder(folder: str, rows: List[List[Any]], predictions: List[List[Any]], header: List[str],
                  prediction_header: List[str]) -> None:
    """Adds rows to results.csv and predictions.csv, so that reports and other programs have them."""
    for name, first, added in (("results.csv", header, rows), ("predictions.csv", prediction_header, predictions)):
        path = os.path.join(folder, name)
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        if os.path.exists(path):
            with open(path, encoding="utf-8", newline="") as file:
                kept = list(csv.reader(file))
            place = first.index("pipeline")
            writer.writerows(row for row in kept if not row[place].startswith(PREFIX))
        else:
            writer.writerow(first)
        writer.writerows(added)
        replace(path, text.getvalue().encode())
