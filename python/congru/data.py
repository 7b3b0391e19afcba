"""Trials of several subjects: of arrays, of files, of MNE. SPDX-License-Identifier: Apache-2.0"""
from __future__ import annotations

import json
import math
import os
from typing import Any, Dict, Iterable, List, Optional, Sequence, Tuple, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _native, _options, errors
from .geometry import _floats

Path = Union[str, "os.PathLike[str]"]

__all__ = ["Set", "load_set", "presets", "read", "synth"]


class _Window:
    """Memory of a set, which lives as long as this does."""

    def __init__(self, handle: Any, address: int, shape: Tuple[int, ...], kind: str) -> None:
        self.handle = handle
        self.__array_interface__ = {"version": 3, "data": (address, True), "shape": shape, "typestr": kind}


def _codes(values: ArrayLike, name: str, ordered: bool) -> Tuple[NDArray[np.int32], List[Any]]:
    """Each value's number, and the distinct values: sorted, or as they appear first."""
    column = np.asarray(values)
    if column.ndim != 1:
        raise errors.ArgumentError(f"{name}: one value for each trial is needed, not an array of shape {column.shape}")
    if column.dtype.kind == "f":
        column = _whole(column, name)
    if column.dtype.kind == "O":
        column = column.astype(str)
    distinct, first, codes = np.unique(column, return_index=True, return_inverse=True)
    if not ordered:
        order = np.argsort(first, kind="stable")
        rank = np.empty(len(order), dtype=np.int64)
        rank[order] = np.arange(len(order))
        distinct, codes = distinct[order], rank[codes]
    return codes.astype(np.int32), distinct.tolist()


def _whole(column: NDArray[Any], name: str) -> NDArray[np.int64]:
    """Numbers with a point that are whole, below where some whole numbers are missing between them."""
    if not np.all(column == np.round(column)):
        raise errors.ArgumentError(f"{name}: whole numbers or texts are needed")
    if not np.all(np.abs(column) <= 2**53):
        raise errors.ArgumentError(f"{name}: {column[np.abs(column) > 2**53][0]:g} is too large; whole numbers up to 2**53")
    return column.astype(np.int64)


def _numbers(values: Optional[ArrayLike], name: str) -> Optional[NDArray[np.int32]]:
    if values is None:
        return None
    column = np.asarray(values)
    if column.dtype.kind == "f" and column.ndim == 1:
        column = _whole(column, name)
    if column.dtype.kind in "iub" and column.ndim == 1:
        limits = np.iinfo(np.int32)
        outside = column[(column < limits.min) | (column > limits.max)]
        if len(outside) > 0:
            raise errors.ArgumentError(f"{name}: {outside[0]} is too large; numbers from {limits.min} to {limits.max}")
        return np.ascontiguousarray(column, dtype=np.int32)
    return _codes(column, name, ordered=False)[0]


def _is_covariance(x: NDArray[np.float64]) -> bool:
    """Square matrices that are symmetric, of which those of a signal would hardly be."""
    if x.ndim != 3 or x.shape[1] != x.shape[2]:
        return False
    scale = np.abs(x).max() if x.size else 0.0
    return bool(np.all(np.abs(x - x.transpose(0, 2, 1)) <= 1e-6 * scale)) or not math.isfinite(scale)


class _Described:
    """What a set says of its channels, and a model of those it was fitted on."""

    _fields: Dict[str, Any]

    @property
    def channels(self) -> List[str]:
        """The names of the channels; "" where they are not known."""
        return list(self._fields["channels"])

    @property
    def fs(self) -> Optional[float]:
        """Samples per second; None when that is not known."""
        return self._fields["rate"] or None

    @property
    def classes(self) -> List[str]:
        """The names of the classes."""
        return list(self._fields["classes"])


class Set(_Described):
    """Trials of several subjects: covariances, signals or both, with labels. It does not change once it is made.

    Parameters
    ----------
    X : (trials, d, d) covariances, or (trials, d, samples) signals
        Told apart by their shape and symmetry; ``covariances=`` and ``signals=`` are for one or both of them by name.
        float64 in C order is used where it is, and must then not be written to.
    y : (trials,) labels, integers or texts. None: trials without labels.
    subject : (trials,) whose they are, integers or texts. None: all of one subject.
    session, run : (trials,) numbers
    channels, classes : names; ``classes`` of the sorted distinct labels
    fs : samples per second
    tmin : seconds of the first sample from the cue
    meta : what the trials went through, a dictionary of the keys that ``congru import`` writes

    >>> import numpy as np, congru
    >>> rng = np.random.default_rng(0)
    >>> x = rng.standard_normal((6, 3, 50))
    >>> s = congru.Set(x @ x.transpose(0, 2, 1), y=["left", "right"] * 3, subject=[1, 1, 2, 2, 3, 3])
    >>> s
    <congru.Set of 6 trials, 3 channels, 3 subjects, 2 classes: covariances>
    >>> s.classes, s.y
    (['left', 'right'], array([0, 1, 0, 1, 0, 1], dtype=int32))
    """

    def __init__(self, X: Optional[ArrayLike] = None, y: Optional[ArrayLike] = None,
                 subject: Optional[ArrayLike] = None, *, covariances: Optional[ArrayLike] = None,
                 signals: Optional[ArrayLike] = None, session: Optional[ArrayLike] = None, run: Optional[ArrayLike] = None,
                 channels: Optional[Sequence[str]] = None, classes: Optional[Sequence[str]] = None,
                 fs: Optional[float] = None, tmin: Optional[float] = None,
                 meta: Union[Dict[str, Any], str, None] = None) -> None:
        covariance = None if covariances is None else _floats(covariances, "covariances")
        samples = None if signals is None else _floats(signals, "signals")
        if X is not None and (covariance is not None or samples is not None):
            raise errors.ArgumentError("X, or covariances and signals by name: not both")
        if X is not None:
            x = _floats(X, "X")
            covariance, samples = (x, None) if _is_covariance(x) else (None, x)
        if covariance is None and samples is None:
            raise errors.ArgumentError("covariances or signals are needed")
        data = covariance if covariance is not None else samples
        assert data is not None
        if data.ndim != 3 or data.size == 0:
            raise errors.ArgumentError(f"X: (trials, channels, channels) or (trials, channels, samples) are needed, not "
                                       f"an array of shape {data.shape}")
        label = whose = None
        names: Optional[List[str]] = None if classes is None else [str(name) for name in classes]
        if names is not None and len(set(names)) < len(names):
            twice = next(name for name in names if names.count(name) > 1)
            raise errors.ArgumentError(f"classes: {twice!r} is named twice")
        subjects: Optional[List[str]] = None
        if y is not None:
            label, values = _codes(y, "y", ordered=True)
            if names is None:
                names = [str(value) for value in values]
            elif values and isinstance(values[0], str):
                label, names = _in_order(label, values, names)
            elif len(names) != len(values):
                label = _as_indices(y, len(names))
        if subject is not None:
            whose, values = _codes(subject, "subject", ordered=False)
            subjects = [str(value) for value in values]
        text = json.dumps(meta) if isinstance(meta, dict) else meta
        self._adopt(_native.set_create(covariance, samples, label, whose, _numbers(session, "session"),
                                       _numbers(run, "run"), names, subjects,
                                       None if channels is None else [str(name) for name in channels],
                                       float(fs or 0.0), math.nan if tmin is None else float(tmin), text, None,
                                       (covariance, samples)))

    #: What became of each file, of a set that ``read`` made: path, subject, session, run, trials and what was dropped.
    files: List[Dict[str, Any]]

    def _adopt(self, handle: Any) -> None:
        self.files = []
        self._handle = handle
        self._fields = _native.set_fields(handle)

    @classmethod
    def _of(cls, handle: Any) -> "Set":
        made = cls.__new__(cls)
        made._adopt(handle)
        return made

    def _view(self, key: str, shape: Tuple[int, ...], kind: str) -> Any:
        address = self._fields[key]
        return None if address is None else np.asarray(_Window(self._handle, address, shape, kind))

    def __len__(self) -> int:
        return int(self._fields["count"])

    def __repr__(self) -> str:
        f = self._fields
        kinds = [kind for kind, key in (("covariances", "covariance"), ("signals", "signals")) if f[key] is not None]
        return (f"<congru.Set of {f['count']} trials, {f['dimension']} channels, {len(f['subjects'])} subjects, "
                f"{len(f['classes'])} classes: {' and '.join(kinds)}>")

    @property
    def X(self) -> Optional[NDArray[np.float64]]:
        """The covariances (trials, d, d), read alone; None where there are none."""
        f = self._fields
        return self._view("covariance", (f["count"], f["dimension"], f["dimension"]), "<f8")

    @property
    def signals(self) -> Optional[NDArray[np.float64]]:
        """The signals (trials, channels, samples), read alone; None where there are none."""
        f = self._fields
        return self._view("signals", (f["count"], f["dimension"], f["samples"]), "<f8")

    @property
    def y(self) -> NDArray[np.int32]:
        """Each trial's class, as its index in ``classes``."""
        return self._view("label", (len(self),), "<i4")

    @property
    def labels(self) -> NDArray[np.str_]:
        """Each trial's class, by name."""
        return np.asarray(self.classes)[self.y]

    @property
    def subject(self) -> NDArray[np.str_]:
        """Each trial's subject, by name: what ``groups`` of estimators takes."""
        return np.asarray(self.subjects)[self._view("subject", (len(self),), "<i4")]

    @property
    def subjects(self) -> List[str]:
        """The names of the subjects, in the order in which they appear."""
        return list(self._fields["subjects"])

    @property
    def session(self) -> NDArray[np.int32]:
        """Each trial's session, by number."""
        return self._view("session", (len(self),), "<i4")

    @property
    def run(self) -> NDArray[np.int32]:
        """Each trial's run, by number."""
        return self._view("run", (len(self),), "<i4")

    @property
    def tmin(self) -> Optional[float]:
        """Seconds of the first sample from the cue; None when that is not known."""
        start = self._fields["start"]
        return None if math.isnan(start) else float(start)

    @property
    def meta(self) -> Dict[str, Any]:
        """What the trials went through, as ``congru import`` writes it."""
        return json.loads(self._fields["meta"]) if self._fields["meta"] else {}

    @property
    def preprocessing(self) -> str:
        """What the trials went through, in one line."""
        return str(_native.set_describe(self._handle))

    def preprocess(self, **options: Any) -> "Set":
        """A set with the signals filtered, cut and made covariances as the options say.

        They are those of ``congru import``: ``band=(8, 30)``, ``window=(0.5, 3.5)``, ``estimator="oas"``, ``notch=50``,
        ``causal=True``, ``channels=[...]``, ...

        >>> import congru
        >>> s = congru.synth(subjects=2, trials=3, channels=4, samples=500)
        >>> s.preprocess(band=(8, 30), notch=None).preprocessing
        '8 to 30 Hz (Butterworth of order 4, zero phase), whole trials, scm'
        """
        return Set._of(_native.set_preprocess(self._handle, 0, None, *_options.preprocessing_texts(options, True)))

    def estimate(self, **options: Any) -> "Set":
        """As ``preprocess``, for the covariances alone: signals stay as wide as they are, for pipelines such as ``motor``
        that filter them by themselves."""
        return Set._of(_native.set_preprocess(self._handle, 1, None, *_options.preprocessing_texts(options, True)))

    def save(self, path: Path) -> None:
        """Writes an .npz that the command and ``numpy.load`` read; it is under its name whole or not at all."""
        _native.set_write(self._handle, path)

    @classmethod
    def load(cls, path: Path) -> "Set":
        """Reads an .npz as ``save``, ``congru import`` or ``numpy.savez`` writes it.

        >>> import congru, os, tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = os.path.join(folder, "set.npz")
        ...     congru.synth(subjects=2, trials=3, channels=4).save(path)
        ...     congru.Set.load(path)
        <congru.Set of 24 trials, 4 channels, 2 subjects, 4 classes: covariances>
        """
        try:
            return cls._of(_native.set_read(path))
        except errors.FormatError as error:
            raise instead(path, "set", error) from None

    @classmethod
    def from_epochs(cls, epochs: Any, subject: Union[str, Sequence[Any], None] = None, *,
                    session: Optional[ArrayLike] = None, run: Optional[ArrayLike] = None) -> "Set":
        """Trials of ``mne.Epochs``, or of a dictionary of them by subject.

        Volts become microvolts; channels, sampling rate, the time of the first sample, the classes (``event_id``) and
        the filters that were applied (``highpass`` and ``lowpass`` of ``info``) come of the epochs, of which only the EEG
        channels are taken. A model that is fitted on them then knows what its data went through.
        """
        if isinstance(epochs, dict):
            parts = list(epochs.items())
            if not parts:
                raise errors.ArgumentError("epochs: no subject in the dictionary")
            if subject is not None:
                raise errors.ArgumentError("subject: the keys of the dictionary name the subjects")
            taken = [_take_epochs(item) for _, item in parts]
            _check_alike(parts, taken)
            whose: Sequence[Any] = [str(key) for (key, _), t in zip(parts, taken) for _ in range(len(t["data"]))]
        else:
            taken = [_take_epochs(epochs)]
            count = len(taken[0]["data"])
            whose = ["S1" if subject is None else subject] * count if isinstance(subject, str) or subject is None \
                else list(subject)
        first = taken[0]
        names: List[str] = []
        for t in taken:
            names += [name for name in t["names"].values() if name not in names]
        labels = [t["names"][code] for t in taken for code in t["codes"]]
        present = [name for name in names if name in set(labels)]
        return cls(signals=np.concatenate([t["data"] for t in taken]), y=labels, subject=whose, session=session, run=run,
                   channels=first["channels"], classes=present, fs=first["fs"], tmin=first["tmin"], meta=first["meta"])

    def __getitem__(self, trials: Any) -> "Set":
        """The trials of an index array, a mask or a slice.

        >>> import congru
        >>> s = congru.synth(subjects=3, trials=2, channels=4)
        >>> len(s[s.subject == "S02"])
        8
        """
        chosen = np.arange(len(self))[trials]
        f = self._fields
        if chosen.ndim != 1 or len(chosen) == 0:
            raise errors.ArgumentError("a part of a set needs at least one trial")
        label, names = self.y[chosen], self.classes
        whose = [self.subjects[i] for i in self._view("subject", (len(self),), "<i4")[chosen]]
        codes, subjects = _codes(whose, "subject", ordered=False)
        covariance = None if self.X is None else np.ascontiguousarray(self.X[chosen])
        samples = None if self.signals is None else np.ascontiguousarray(self.signals[chosen])
        return Set._of(_native.set_create(covariance, samples, np.ascontiguousarray(label), codes,
                                          np.ascontiguousarray(self.session[chosen]),
                                          np.ascontiguousarray(self.run[chosen]), names, subjects, self.channels,
                                          f["rate"], f["start"], f["meta"], f["signals_meta"], (covariance, samples)))

    def __reduce__(self) -> Tuple[Any, ...]:
        f = self._fields
        copies = [None if a is None else np.array(a) for a in (self.X, self.signals, self.y,
                                                               self._view("subject", (len(self),), "<i4"), self.session,
                                                               self.run)]
        return _rebuild, (copies, f["classes"], f["subjects"], f["channels"], f["rate"], f["start"], f["meta"],
                          f["signals_meta"])


def _rebuild(copies: List[Any], classes: List[str], subjects: List[str], channels: List[str], rate: float, start: float,
             meta: Optional[str], signals_meta: Optional[str]) -> Set:
    return Set._of(_native.set_create(*copies, classes, subjects, channels, rate, start, meta, signals_meta,
                                      (copies[0], copies[1])))


def _in_order(label: NDArray[np.int32], values: List[Any], names: List[str]) -> Tuple[NDArray[np.int32], List[str]]:
    """Labels that are texts, numbered in the order of the names given."""
    missing = [value for value in values if value not in names]
    if missing:
        raise errors.ArgumentError(f"y: the label {missing[0]!r} is none of the classes {names}")
    place = np.array([names.index(value) for value in values], dtype=np.int32)
    return place[label], names


def _as_indices(y: ArrayLike, classes: int) -> NDArray[np.int32]:
    """Labels of which not every class has a trial: they are indices then."""
    label = np.asarray(y)
    if label.min() < 0 or label.max() >= classes:
        raise errors.ArgumentError(f"y: labels from {label.min()} to {label.max()} for {classes} classes")
    return np.ascontiguousarray(label, dtype=np.int32)


def _take_epochs(epochs: Any) -> Dict[str, Any]:
    """What a set needs of mne.Epochs."""
    if not hasattr(epochs, "get_data") or not hasattr(epochs, "event_id"):
        raise errors.ArgumentError(f"epochs: mne.Epochs are needed, not {type(epochs).__name__}")
    picked = epochs.copy().load_data().pick("eeg")
    info = picked.info
    names = {code: name for name, code in picked.event_id.items()}
    high, low, rate = float(info["highpass"] or 0), float(info["lowpass"] or 0), float(info["sfreq"])
    meta: Dict[str, Any] = {"from": "mne.Epochs"}
    # What was recorded has a lowpass of half the rate; a filter that was applied is below it.
    if high > 0 or 0 < low < rate / 2:
        meta["filtered"] = [high, min(low, rate / 2)]
    return {"data": picked.get_data() * 1e6, "codes": picked.events[:, 2].tolist(), "names": names, "fs": rate,
            "tmin": float(picked.tmin), "channels": list(picked.ch_names), "meta": meta}


def _check_alike(parts: List[Tuple[Any, Any]], taken: List[Dict[str, Any]]) -> None:
    for (key, _), t in zip(parts, taken):
        for what in ("channels", "fs", "tmin", "meta"):
            if t[what] != taken[0][what]:
                raise errors.ArgumentError(f"epochs of {key}: {what} {t[what]} where {parts[0][0]} has {taken[0][what]}")
        if t["data"].shape[1:] != taken[0]["data"].shape[1:]:
            raise errors.ArgumentError(f"epochs of {key}: {t['data'].shape[2]} samples where {parts[0][0]} has "
                                       f"{taken[0]['data'].shape[2]}")


def read(files: Union[Path, Iterable[Path]], preset: Optional[str] = None, *, like: Any = None, threads: int = 0,
         progress: Any = None, **options: Any) -> Set:
    """Reads recordings and files of trials into one set: what ``congru import`` does.

    ``files`` is a path or several: GDF, EDF, BDF, BrainVision, EEGLAB, XDF, FIF, CSV, TSV, OpenBCI, MAT, .npz. ``preset`` says
    what is known of a public data set (``congru.presets()``); ``like`` is a model whose data are to
    be imitated. Options are those of the command: ``band=(8, 35)``, ``window=(0.5, 3.5)``, ``events={"T1": "left"}``, ...
    A set that was saved before is read too, without options.
    """
    paths = [files] if isinstance(files, (str, os.PathLike)) else list(files)
    texts = [os.fspath(path) for path in paths]
    if not texts:
        raise errors.ArgumentError("no files to read")
    names, values = _options.preprocessing_texts(options, False)
    handle, rows = _native.import_files(texts, preset, None if like is None else like._handle, names, values,
                                        int(threads), progress)
    made = Set._of(handle)
    made.files = rows
    return made


def instead(path: Path, wanted: str, error: errors.FormatError) -> errors.FormatError:
    """What is to be said of a file that is no model, or no set: what it is and what reads it, or the reader's error."""
    found = _native.file_kind(path)
    said = {"recording": "a file of EEG", "trials": "a file of trials", "set": "a set of trials", "model": "a model"}
    reads = {"recording": "congru.read makes a set of it", "trials": "congru.read makes a set of it",
             "set": "congru.load_set reads it, congru.train makes a model of it", "model": "congru.load reads it"}
    if found == wanted or found not in said or (wanted == "set" and found == "trials"):
        return error
    told = errors.FormatError(f"{os.fspath(path)!s}: {said[found]}, where a {wanted} is needed ({reads[found]})")
    told.status = error.status
    return told


def load_set(path: Path) -> Set:
    """Reads an .npz: ``Set.load``."""
    return Set.load(path)


def presets() -> List[str]:
    """The names of the presets of ``read``.

    >>> import congru
    >>> "eegmmidb" in congru.presets()
    True
    """
    return list(_native.presets())


def synth(stage: str = "fusion", *, subjects: int = 9, trials: int = 40, channels: int = 20, samples: int = 0,
          rate: float = 250.0, slow: float = 0.0, seed: int = 50) -> Set:
    """A made-up set whose subjects differ in known ways: ``congru synth``.

    ``stage`` is 'shift', 'dispersion', 'orientation', 'distortion' or 'fusion'; ``trials`` of each class and subject;
    with ``samples``, signals too.

    >>> import congru
    >>> congru.synth("shift", subjects=2, trials=3, channels=5)
    <congru.Set of 24 trials, 5 channels, 2 subjects, 4 classes: covariances>
    """
    return Set._of(_native.synth(stage, subjects, trials, channels, samples, float(rate), float(slow), seed))
