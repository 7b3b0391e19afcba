"""Congru decodes motor imagery from EEG of subjects it has never seen. SPDX-License-Identifier: Apache-2.0

Geometry of covariances under pyRiemann's names, sets of trials, estimators of scikit-learn's kind, leave-one-subject-out
evaluation, models and the live decoder: ``libcongru`` for Python, with the same bits as the command ``congru``. The page
docs/python.md shows each of them.

>>> import congru
>>> s = congru.synth(subjects=4, trials=10, channels=5)
>>> decoder = congru.TSLR().fit(s.X, s.labels, groups=s.subject)
>>> decoder.pipeline_
'ra+tslr'
"""
from __future__ import annotations

from typing import Any, Dict, List

from . import _native, errors, stats
from .data import Set, load_set, presets, read, synth
from .decoder import Decision, Decoder
from .errors import (AlignmentWarning, ArgumentError, CancelledError, ConvergenceError, Error, FileError, FormatError,
                     OutOfMemoryError)
from .evaluation import Curve, Own, Results, learning_curve, loso, pipelines, read_curve, read_results, within
from .geometry import (covariances, distance, expm, geodesic, invsqrtm, logm, mean, pairwise_distance, powm, sqrtm,
                       tangent_space, untangent_space)
from .model import Model, Patterns, Predictions, load, train
from .paper import Experiment, ablate, experiments, reproduce

__version__: str = _native.version

__all__ = [
    "AlignmentWarning", "ArgumentError", "CancelledError", "ConvergenceError", "Curve", "Decision", "Decoder", "Error", "Experiment",
    "FileError", "FormatError", "Model", "OutOfMemoryError", "Own", "Patterns", "Predictions", "Results", "Set", "ablate",
    "covariances", "distance", "errors", "experiments", "expm", "geodesic", "invsqrtm", "learning_curve", "load",
    "load_set", "logm", "loso", "mean", "pairwise_distance", "pipelines", "powm", "presets", "read", "read_curve",
    "read_results", "reproduce", "save", "set_threads", "sqrtm", "stats", "synth", "tangent_space", "train", "untangent_space",
    "versions", "within",
]


def set_threads(threads: int) -> None:
    """How many threads each call has from now on; 0: one for each processor. Results do not depend on it."""
    _native.set_threads(int(threads))


def versions() -> Dict[str, Any]:
    """Version, commit, compiler, instruction set and threads.

    >>> import congru
    >>> sorted(congru.versions())
    ['commit', 'compiler', 'cpu', 'threads', 'version']
    """
    return dict(_native.versions())


def save(model: Model, path: Any) -> None:
    """Writes a model as a .safetensors file: ``Model.save``."""
    model.save(path)


def __getattr__(name: str) -> Any:
    """The estimators, which need scikit-learn: it is imported when one of them is asked for."""
    if name.startswith("_"):
        raise AttributeError(f"module 'congru' has no attribute {name!r}")
    from importlib import import_module

    try:
        estimators = import_module(".estimators", __name__)
    except ModuleNotFoundError as error:
        if error.name is None or not error.name.startswith("sklearn"):
            raise
        raise AttributeError(f"module 'congru' has no attribute {name!r} (its estimators need scikit-learn, which is not "
                             "installed)") from None
    if name != "estimators" and name not in estimators.__all__:
        raise AttributeError(f"module 'congru' has no attribute {name!r}")
    return estimators if name == "estimators" else getattr(estimators, name)


def __dir__() -> List[str]:
    try:
        from . import estimators
    except ModuleNotFoundError:
        return sorted(set(globals()) | set(__all__))
    return sorted(set(globals()) | set(__all__) | set(estimators.__all__))
