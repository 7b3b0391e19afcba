"""Estimators of scikit-learn's kind, made from the library's registries. SPDX-License-Identifier: Apache-2.0

Every classifier, network, aligner and pipeline of several views that the library has is a class here, and its options are
the parameters: what is added in C appears by itself. ``groups`` says whose a trial is: ``fit(X, y, groups=subject)`` and
``predict(X, groups=subject)`` align each subject by itself, without its labels.
"""
from __future__ import annotations

import inspect
import re
import warnings
from typing import Any, Callable, Dict, List, Optional, Tuple, Type

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, TransformerMixin
from sklearn.metrics import accuracy_score
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_consistent_length, check_is_fitted, column_or_1d

from . import _native, _options, errors
from .data import Set
from .geometry import _floats, _metric, covariances, expm
from .model import Model


def _trials(X: ArrayLike, what: str) -> NDArray[np.float64]:
    """(trials, channels, ...) with at least one of each."""
    x = _floats(X, "X")
    if x.ndim != 3:
        raise errors.ArgumentError(f"X: {what} are needed, a 3-dimensional array; found an array of shape {x.shape}. "
                                   "congru.Covariances makes covariances of signals")
    if x.size == 0:
        raise errors.ArgumentError(f"X: {what} are needed; found an array of shape {x.shape} with 0 sample(s) or channels")
    return x


def _groups(groups: Optional[ArrayLike], x: NDArray[np.float64]) -> Optional[NDArray[Any]]:
    if groups is None:
        return None
    whose = column_or_1d(groups)
    check_consistent_length(x, whose)
    return whose


_ONE_SUBJECT = "all trials are taken for those of one subject"


def _warn_unaligned(estimator: Any, what: str) -> None:
    name = type(estimator).__name__
    rest = " (aligner='none' says that this is meant)" if hasattr(estimator, "aligner") else ""
    warnings.warn(f"{name} was fitted without groups: {what}. Give fit(..., groups=subject){rest}. GridSearchCV and "
                  f"cross_val_score keep groups for their splits: there it is make_pipeline({name}()) and "
                  f"fit(..., groups=subject, {name.lower()}__groups=subject)", errors.AlignmentWarning, stacklevel=3)


class _Base(BaseEstimator):
    """What classifiers and aligners share: parameters by the names of the options, and a model that is fitted."""

    _options: Dict[str, Any] = {}
    _signals = False

    def _check_width(self, x: NDArray[np.float64]) -> None:
        if x.shape[1] != self.n_features_in_:
            raise errors.ArgumentError(f"X has {x.shape[1]} features (channels), but {type(self).__name__} is expecting "
                                       f"{self.n_features_in_} features as input")

    def _method(self) -> Dict[str, Any]:
        """The options that differ from the library's defaults, by name."""
        return {name: getattr(self, name) for name in self._options if getattr(self, name) != self._options[name]}

    def _kind(self) -> str:
        return ("signals (trials, channels, samples)" if self._signals else
                "covariances (trials, channels, channels)")

    def _set(self, x: NDArray[np.float64], label: Optional[NDArray[np.int32]], classes: int,
             groups: Optional[NDArray[Any]]) -> Set:
        if not self._signals and x.shape[1] != x.shape[2]:
            raise errors.ArgumentError(f"X: {self._kind()} are needed; found an array of shape {x.shape}, which may be "
                                       "signals: congru.Covariances makes covariances of them")
        names = None if label is None else [str(k) for k in range(classes)]
        if not self._signals:
            return Set(covariances=x, y=label, subject=groups, classes=names)
        return Set(signals=x, y=label, subject=groups, classes=names, fs=self.fs, tmin=self.tmin, channels=self.channels)

    def _more_tags(self) -> Dict[str, Any]:
        return {"X_types": ["3darray"], "requires_y": True}

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()  # scikit-learn 1.6 and later
        tags.input_tags.two_d_array, tags.input_tags.three_d_array = False, True
        return tags


class Classifier(ClassifierMixin, _Base):
    """A classifier of the library; what its subclasses share.

    Fitted attributes: ``classes_``, ``model_`` (a congru.Model, to be saved or to decode a stream), ``pipeline_`` (its
    name), ``n_features_in_`` (channels).
    """

    _name = ""
    _alone = False

    def _pipeline(self, grouped: bool) -> Tuple[str, Dict[str, Any]]:
        """The pipeline's name and the options of its parts."""
        if self._alone:
            return self._name, self._method()
        aligner, options = self.aligner, self._method()
        if aligner is None:
            aligner = self._aligner if grouped else "none"
        if isinstance(aligner, Aligner):
            options = {**aligner._method(), **options}
            aligner = aligner._name
        return f"{aligner}+{self._name}", options

    def fit(self, X: ArrayLike, y: ArrayLike, groups: Optional[ArrayLike] = None) -> "Classifier":
        """Fits on trials X with labels y; ``groups`` are the subjects they are of."""
        x = _trials(X, self._kind())
        if y is None:
            raise errors.ArgumentError(f"{type(self).__name__} requires y to be passed, but the target y is None")
        target = column_or_1d(y, warn=True)
        check_consistent_length(x, target)
        check_classification_targets(target)
        classes, label = np.unique(target, return_inverse=True)
        if len(classes) < 2:
            raise errors.ArgumentError(f"y has one class alone; {type(self).__name__} needs at least two")
        whose = _groups(groups, x)
        data = self._set(x, label.astype(np.int32), len(classes), whose)
        pipeline, options = self._pipeline(whose is not None)
        if whose is None and getattr(self, "aligner", None) != "none":
            _warn_unaligned(self, f"nothing is aligned ({pipeline})" if pipeline.startswith("none+") else _ONE_SUBJECT)
        if data.X is None and not self._signals:
            data = data.estimate()
        self.model_ = Model(_native.model_fit(data._handle, pipeline, _options.method_pairs(options), None, False, None, 0,
                                              None))
        self.classes_ = classes
        self.pipeline_ = pipeline
        self.n_features_in_ = x.shape[1]
        return self

    def predict_proba(self, X: ArrayLike, groups: Optional[ArrayLike] = None) -> NDArray[np.float64]:
        """Probabilities (trials, classes), in the order of ``classes_``; without ``groups`` all trials are of one subject."""
        check_is_fitted(self)
        x = _trials(X, self._kind())
        self._check_width(x)
        data = self._set(x, None, 0, _groups(groups, x))
        return self.model_.predict(data, target=self.target).probability

    def predict(self, X: ArrayLike, groups: Optional[ArrayLike] = None) -> NDArray[Any]:
        """The most probable class of each trial."""
        found = self.predict_proba(X, groups).argmax(1)
        return self.classes_[found]

    def score(self, X: ArrayLike, y: ArrayLike, sample_weight: Optional[ArrayLike] = None,
              groups: Optional[ArrayLike] = None) -> float:
        """The accuracy."""
        return float(accuracy_score(y, self.predict(X, groups), sample_weight=sample_weight))


class Aligner(TransformerMixin, _Base):
    """An aligner of the library; what its subclasses share: covariances in, covariances out."""

    _name = ""

    def fit(self, X: ArrayLike, y: ArrayLike, groups: Optional[ArrayLike] = None) -> "Aligner":
        """Learns what is to be learned of the source subjects' trials X and labels y."""
        x = _trials(X, self._kind())
        if y is None:
            raise errors.ArgumentError(f"{type(self).__name__} requires y to be passed, but the target y is None")
        classes, label = np.unique(column_or_1d(y, warn=True), return_inverse=True)
        check_consistent_length(x, label)
        if groups is None:
            _warn_unaligned(self, _ONE_SUBJECT)
        data = self._set(x, label.astype(np.int32), len(classes), _groups(groups, x))
        self.model_ = Model(_native.model_fit(data._handle, self._name + "+mdm", _options.method_pairs(self._method()),
                                              None, False, None, 0, None))
        self.n_features_in_ = x.shape[1]
        return self

    def transform(self, X: ArrayLike, groups: Optional[ArrayLike] = None) -> NDArray[np.float64]:
        """The trials as the aligner leaves them, each subject of ``groups`` by itself (all are of one without)."""
        check_is_fitted(self)
        x = _trials(X, self._kind())
        self._check_width(x)
        aligned = self.model_.predict(self._set(x, None, 0, _groups(groups, x)), target=self.target, aligned=True).aligned
        assert aligned is not None
        return aligned

    def fit_transform(self, X: ArrayLike, y: Optional[ArrayLike] = None,
                      groups: Optional[ArrayLike] = None) -> NDArray[np.float64]:
        """``fit``, then ``transform`` of the same trials."""
        return self.fit(X, y, groups).transform(X, groups)


class LabelledAligner(Aligner):
    """An aligner that may have labelled trials of the target subject: Riemannian Procrustes analysis.

    ``transform(X, groups, y)`` takes labels of as many of its trials as are known, None for the others: each subject is
    recentred and scaled by all of its trials, and rotated by those with a label so that the means of its classes fall on those
    of the sources. Without ``y`` nothing is rotated.

    >>> import numpy as np, congru
    >>> s = congru.synth(subjects=4, trials=10, channels=5)
    >>> held = s.subject == "S04"
    >>> rpa = congru.RPA().fit(s.X[~held], s.labels[~held], groups=s.subject[~held])
    >>> known = np.where(np.arange(held.sum()) < 20, s.labels[held], None)
    >>> rpa.transform(s.X[held], y=known).shape
    (40, 5, 5)
    """

    def fit(self, X: ArrayLike, y: ArrayLike, groups: Optional[ArrayLike] = None) -> "LabelledAligner":
        """Learns means and dispersion of the source subjects' trials X with labels y."""
        super().fit(X, y, groups)
        self.classes_ = np.unique(column_or_1d(y))
        return self

    def transform(self, X: ArrayLike, groups: Optional[ArrayLike] = None, y: Optional[Any] = None) -> NDArray[np.float64]:
        """The trials as the aligner leaves them, each subject of ``groups`` by itself; ``y`` has labels, or None where they are
        not known."""
        if y is None:
            return super().transform(X, groups)
        check_is_fitted(self)
        x = _trials(X, self._kind())
        self._check_width(x)
        if self.target != "full":
            raise errors.ArgumentError(f"labels of a subject are used with target='full', not {self.target!r}")
        given = list(y)
        check_consistent_length(x, given)
        place = {name: k for k, name in enumerate(self.classes_.tolist())}
        unknown = {label for label in given if label is not None and label not in place}
        if unknown:
            raise errors.ArgumentError(f"y: {sorted(map(repr, unknown))[0]} is none of the classes it was fitted on")
        label = np.array([-1 if name is None else place[name] for name in given], np.int32)
        return self._rotate(x, _groups(groups, x), label)

    def _rotate(self, x: NDArray[np.float64], whose: Optional[NDArray[Any]], label: NDArray[np.int32]) -> NDArray[np.float64]:
        tensors = self.model_.tensors
        high, low = (int(half) for half in tensors["b0.rpa.seed"])
        means = np.ascontiguousarray(expm(tensors["b0.rpa.mean"]))
        source = np.where(tensors["b0.rpa.trials"] > 0, np.arange(len(means)), -1).astype(np.int32)
        codes = np.zeros(len(x), int) if whose is None else np.unique(whose, return_inverse=True)[1]
        out = Recenter(getattr(self, "ra_mean", "riemann")).fit(x, groups=codes).transform(x, whose)
        for who in range(int(codes.max()) + 1 if len(x) else 0):
            own = np.ascontiguousarray(out[codes == who])
            _native.procrustes(own, np.ascontiguousarray(label[codes == who]), float(tensors["b0.rpa.dispersion"].ravel()[0]), means,
                               source, len(means), (high << 32) + low, own)
            out[codes == who] = own
        return out


class Covariances(TransformerMixin, BaseEstimator):
    """Covariances of signals (trials, channels, samples); ``estimator`` as of ``congru.covariances``.

    >>> import numpy as np, congru
    >>> congru.Covariances("oas").fit_transform(np.random.default_rng(0).standard_normal((5, 3, 100))).shape
    (5, 3, 3)
    """

    def __init__(self, estimator: str = "cov", trace_normalise: bool = False) -> None:
        self.estimator = estimator
        self.trace_normalise = trace_normalise

    def fit(self, X: ArrayLike, y: Optional[ArrayLike] = None) -> "Covariances":
        """There is nothing to learn."""
        self.n_features_in_ = _trials(X, "signals (trials, channels, samples)").shape[1]
        return self

    def transform(self, X: ArrayLike) -> NDArray[np.float64]:
        """Covariances (trials, channels, channels)."""
        return covariances(_trials(X, "signals (trials, channels, samples)"), self.estimator,
                           trace_normalise=self.trace_normalise)

    def _more_tags(self) -> Dict[str, Any]:
        return {"X_types": ["3darray"], "stateless": True}


class Recenter(Aligner):
    """Moves each subject's mean to the identity; no labels are needed. ``groups`` of ``transform`` are the subjects.

    ``metric`` is that of the mean: 'riemann', 'logeuclid' or 'euclid'.

    >>> import numpy as np, congru
    >>> s = congru.synth(subjects=2, trials=5, channels=4)
    >>> x = congru.Recenter().fit_transform(s.X, groups=s.subject)
    >>> bool(np.allclose(congru.mean(x[s.subject == "S01"]), np.eye(4)))
    True
    """

    _name = "ra"

    def __init__(self, metric: str = "riemann") -> None:
        self.metric = metric

    def _method(self) -> Dict[str, Any]:
        return {"ra_mean": self.metric}

    def fit(self, X: ArrayLike, y: Optional[ArrayLike] = None, groups: Optional[ArrayLike] = None) -> "Recenter":
        """There is nothing to learn."""
        _metric(self.metric)
        if groups is None:
            _warn_unaligned(self, _ONE_SUBJECT)
        self.n_features_in_ = _trials(X, self._kind()).shape[1]
        return self

    def transform(self, X: ArrayLike, groups: Optional[ArrayLike] = None) -> NDArray[np.float64]:
        """The trials, each subject's mean at the identity (all are of one subject without ``groups``)."""
        check_is_fitted(self, "n_features_in_")
        x = _trials(X, self._kind())
        self._check_width(x)
        if x.shape[1] != x.shape[2]:
            raise errors.ArgumentError(f"X: {self._kind()} are needed; found an array of shape {x.shape}")
        whose = _groups(groups, x)
        codes = np.zeros(len(x), np.int32) if whose is None else np.unique(whose, return_inverse=True)[1].astype(np.int32)
        count = int(codes.max()) + 1
        out, reference = np.empty(x.shape), np.empty((count,) + x.shape[1:])
        _native.recentre(_metric(self.metric), x, count, codes, reference, out)
        return out

    def _more_tags(self) -> Dict[str, Any]:
        return {"X_types": ["3darray"], "requires_y": False}


# ---- Classes of the registries -------------------------------------------------------------------------

#: Names of the field that the rule below does not give.
_SPELLINGS = {"tsa-lda": "TSLDA"}


def class_name(name: str) -> str:
    """The name of a method's class: 'mdm' is MDM, 'ddct-unet-e2e' DDCTUNetE2E, 'eegnet' EEGNet, 'shallow' Shallow."""
    if name in _SPELLINGS:
        return _SPELLINGS[name]
    words = []
    for word in re.split(r"[^a-z0-9]+", name.lower()):
        before = word[:-3]
        if word.endswith("net") and len(before) <= 3:
            words.append(before.upper() + "Net")
        elif len(word) <= 3 or not re.search("[aeiouy]", word):
            words.append(word.upper())
        else:
            words.append(word.capitalize())
    return "".join(words)


def _describe(pipeline: str) -> Optional[Dict[str, Any]]:
    try:
        return dict(_native.pipeline_describe(pipeline))
    except ValueError:
        return None


def _make_init(parameters: List[Tuple[str, Any]]) -> Callable[..., None]:
    """An __init__ whose signature is what scikit-learn reads parameters from."""

    def __init__(self: Any, **given: Any) -> None:
        for name, default in parameters:
            setattr(self, name, given.pop(name, default))
        if given:
            raise _options.unknown(next(iter(given)), [name for name, _ in parameters])

    one = inspect.Parameter
    __init__.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        [one("self", one.POSITIONAL_OR_KEYWORD)] +
        [one(name, one.KEYWORD_ONLY, default=default) for name, default in parameters])
    return __init__


#: Options of runs rather than of methods.
_OF_RUNS = {"balance", "no-record"}

_TARGET_HELP = "how much of a subject's unlabelled trials may be seen: 'full', '50p', '20p', 'none' or 'online'"
_SIGNAL_HELP = [("fs", None, "samples per second"), ("tmin", None, "seconds of the first sample from the cue"),
                ("channels", None, "their names")]


def _make_class(title: str, base: type, summary: str, rows: List[Dict[str, Any]], extra: List[Tuple[str, Any, str]],
                members: Dict[str, Any]) -> type:
    rows = [row for row in rows if row["kind"] != "shorthand" and row["name"] not in _OF_RUNS]
    options = {row["name"].replace("-", "_"): _options.default_of(row) for row in rows}
    parameters = [(name, default) for name, default, _ in extra] + list(options.items())
    lines = [f"{name} : {text} (default: {default!r})" for name, default, text in extra]
    lines += [f"{row['name'].replace('-', '_')} : {_native.spoken(row['help'])}" for row in rows]
    summary = _native.spoken(summary)
    documentation = f"{summary[:1].upper()}{summary[1:]}.\n\nParameters\n----------\n" + "\n".join(lines) + "\n"
    return type(title, (base,), {"__init__": _make_init(parameters), "__doc__": documentation, "__module__": __name__,
                                 "_options": options, **members})


def _classifier_class(name: str, summary: str) -> Optional[type]:
    """The class of a classifier: alone, or behind the aligners that it goes with."""
    alone = _describe(name)
    if alone is not None:
        return _pipeline_class(name, summary, alone)
    usable = [aligner for aligner, _ in _native.aligners() if _describe(f"{aligner}+{name}") is not None]
    if not usable:
        return None
    standard = "ra" if "ra" in usable else usable[-1]
    described = _describe(f"{standard}+{name}") or {}
    signals = bool(described.get("needs_signals"))
    extra = [("aligner", None, f"{', '.join(map(repr, usable))}, or an aligner such as congru.RPA(); None: {standard!r} "
              "where groups are given to fit, else 'none'"), ("target", "full", _TARGET_HELP)]
    return _make_class(class_name(name), Classifier, summary, _native.method_options(f"{standard}+{name}"),
                       extra + (_SIGNAL_HELP if signals else []),
                       {"_name": name, "_aligner": standard, "_signals": signals})


def _pipeline_class(name: str, summary: str, described: Dict[str, Any]) -> type:
    signals = bool(described["needs_signals"])
    return _make_class(class_name(name), Classifier, summary, _native.method_options(name),
                       [("target", "full", _TARGET_HELP)] + (_SIGNAL_HELP if signals else []),
                       {"_name": name, "_alone": True, "_signals": signals})


def _aligner_class(name: str, summary: str) -> Optional[type]:
    described = _describe(f"{name}+mdm")
    if described is None or described["needs_signals"]:
        return None
    used = {row["name"] for row in _native.method_options("none+mdm")}
    rows = [row for row in _native.method_options(f"{name}+mdm") if row["name"] not in used or row["name"] == "seed"]
    base = LabelledAligner if described["target_labels"] else Aligner
    return _make_class(class_name(name), base, summary, rows, [("target", "full", _TARGET_HELP)], {"_name": name})


def _make_all() -> Dict[str, type]:
    made: Dict[str, type] = {"Covariances": Covariances, "Recenter": Recenter}
    for name, summary in _native.aligners():
        found = _aligner_class(name, summary) if name not in ("none", "ra") else None
        if found is not None:
            made.setdefault(found.__name__, found)
    for name, summary in _native.classifiers():
        found = _classifier_class(name, summary)
        if found is not None:
            made.setdefault(found.__name__, found)
    for name in _native.defined():
        described = _describe(name)
        if described is not None and class_name(name) not in made:
            made[class_name(name)] = _pipeline_class(name, described["text"].splitlines()[0], described)
    return made


_CLASSES = _make_all()
globals().update(_CLASSES)
__all__ = ["Aligner", "Classifier", "class_name", "all_estimators", *_CLASSES]

RPA: Type[Aligner]
MDM: Type[Classifier]
TSLR: Type[Classifier]
TSLDA: Type[Classifier]
CSPLDA: Type[Classifier]


def all_estimators() -> Dict[str, type]:
    """Every estimator by its name.

    >>> import congru
    >>> {"MDM", "TSLR", "TSLDA", "CSPLDA", "RPA", "EEGNet", "DDCTUNetE2E", "Motor"} <= set(congru.all_estimators())
    True
    """
    return dict(_CLASSES)
