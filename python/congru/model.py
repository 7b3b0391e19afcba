"""Fitted decoders: trained, saved, loaded, asked about other subjects. SPDX-License-Identifier: Apache-2.0"""
from __future__ import annotations

import json
import os
import tempfile
from typing import Any, Dict, List, NamedTuple, Optional, Sequence, Tuple, Union

import numpy as np
from numpy.typing import NDArray

from . import _native, _options, errors
from .data import Path, Set, _Described, instead, read

__all__ = ["Model", "Patterns", "Predictions", "load", "train"]


class Predictions(NamedTuple):
    """What a model decides about trials, in the order of the set."""

    trial: NDArray[np.int64]  #: index in the set
    label: NDArray[np.int32]  #: index in the model's classes
    probability: NDArray[np.float64]  #: (trials, classes)
    aligned: Optional[NDArray[np.float64]]  #: (trials, d, d) as the aligner left them, where asked for


class Patterns:
    """Forward patterns of linear branches: where in the head, when and in which band decisions come from.

    ``branches`` has, for each branch, its part, shares of time and band, strongest channels and a ``sentence``, in the words
    of docs/explain.md; ``to_frame`` every number, a row for each class and cell, a column for each channel.
    """

    def __init__(self, said: str, table: str) -> None:
        self.branches: List[Dict[str, Any]] = json.loads(said)["branches"]
        self.csv = table  #: the text of patterns.csv

    def __repr__(self) -> str:
        return f"<congru.Patterns of {len(self.branches)} branches>"

    def to_frame(self) -> Any:
        """A pandas.DataFrame with the columns of patterns.csv."""
        import io

        import pandas

        return pandas.read_csv(io.StringIO(self.csv))


class Model(_Described):
    """A pipeline fitted on the trials of some subjects; ``train`` and ``load`` make one. Several threads may ask it."""

    def __init__(self, handle: Any) -> None:
        self._handle = handle
        self._fields = _native.model_fields(handle)

    def __repr__(self) -> str:
        f = self._fields
        return f"<congru.Model {f['pipeline']}: {len(f['channels'])} channels, classes {', '.join(f['classes'])}>"

    @property
    def pipeline(self) -> str:
        """The name of the pipeline, such as 'ra+tslr'."""
        return str(self._fields["pipeline"])

    @property
    def preprocessing(self) -> str:
        """What the data it was fitted on went through, in one line."""
        return str(self._fields["preprocessing"])

    @property
    def texts(self) -> Dict[str, str]:
        """What it carries beside its numbers: version, subjects, settings, ..."""
        return dict(self._fields["texts"])

    @property
    def settings(self) -> Dict[str, Any]:
        """The options it was fitted with."""
        return json.loads(self._fields["texts"].get("settings", "{}"))

    @property
    def chosen(self) -> Optional[str]:
        """What was chosen on the subjects it was fitted on, 'C 0.1, lambda-sub 0.05'; None where nothing was."""
        return self.texts.get("chosen")

    @property
    def tensors(self) -> Dict[str, NDArray[np.float64]]:
        """Its numbers by name, as the .safetensors file has them; copies.

        >>> import congru
        >>> model = congru.train(congru.synth(subjects=3, trials=4, channels=4), "ra+mdm")
        >>> model.tensors["b0.mdm.mean"].shape
        (4, 4, 4)
        """
        return {name: np.frombuffer(data, dtype=np.float64).reshape(shape)
                for name, shape, data in _native.model_tensors(self._handle)}

    def patterns(self) -> Patterns:
        """What its branches look at, where they are linear, means over the subjects it was fitted on: ``congru explain``."""
        return Patterns(*_native.model_patterns(self._handle))

    def save(self, path: Path) -> None:
        """Writes a .safetensors file that the command and the C library read too."""
        _native.model_save(self._handle, path)

    def to_bytes(self) -> bytes:
        """The bytes of that file."""
        return bytes(_native.model_pack(self._handle))

    @classmethod
    def from_bytes(cls, data: bytes) -> "Model":
        """The model of these bytes."""
        return cls(_native.model_parse(bytes(data)))

    def __reduce__(self) -> Tuple[Any, ...]:
        return _unpickle, (self.to_bytes(),)

    def _trials(self, data: Any, about: Dict[str, Any]) -> Set:
        """The set that data of any kind are; what is said about them must be of use to that kind."""
        if data is None or isinstance(data, (str, os.PathLike)):
            raise errors.ArgumentError(f"data: a Set, mne.Epochs, mne.io.Raw or an array is needed, not {data!r} "
                                       "(congru.read reads files)")
        about = {name: value for name, value in about.items() if value is not None}
        epochs = isinstance(data, dict) or hasattr(data, "event_id")
        raw = not epochs and hasattr(data, "annotations") and hasattr(data, "save")
        useful = ((), "a Set") if isinstance(data, Set) else (("subject",), "mne.Epochs") if epochs else \
            (("events",), "mne.io.Raw") if raw else (("subject", "fs", "channels", "tmin"), "an array")
        for name in about:
            if name not in useful[0]:
                raise errors.ArgumentError(f"{name}: {useful[1]} needs no such word")
        if isinstance(data, Set):
            return data
        if epochs:
            return Set.from_epochs(data, **about)
        return self._cut(data, **about) if raw else Set(data, **about)

    def _cut(self, raw: Any, events: Optional[Dict[Any, str]] = None) -> Set:
        """The trials of a recording of MNE, cut as those of its file would be."""
        options: Dict[str, Any] = {} if events is None else {"events": events}
        own = [name for name in getattr(raw, "filenames", ()) if name is not None]
        # Where the events are those of runs, the file's name has the run.
        stem = os.path.splitext(os.path.basename(os.fspath(own[0])))[0] if own else "recording"
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, stem + ".fif")
            raw.save(path, fmt="double", verbose="error")
            return read(path, like=self, keep_signals=True, **options)

    def _ask(self, data: Set, subjects: Optional[Sequence[str]], target: str, align_by: str, keep_aligned: bool,
             use_labels: bool) -> Predictions:
        if align_by not in ("subject", "session"):
            raise errors.ArgumentError(f"align_by {align_by!r}: 'subject' or 'session'")
        found = _native.model_predict(self._handle, data._handle, _indices(data, subjects), target, align_by == "session",
                                      not use_labels, keep_aligned, 0)
        count, classes, d = found["count"], found["classes"], found["dimension"]
        trial = np.frombuffer(found["trial"], dtype=np.uintp).astype(np.int64)
        order = np.argsort(trial, kind="stable")
        aligned = found["aligned"]
        return Predictions(trial[order], np.frombuffer(found["prediction"], dtype=np.int32)[order],
                           np.frombuffer(found["probability"], dtype=np.float64).reshape(count, classes)[order],
                           None if aligned is None else np.frombuffer(aligned, np.float64).reshape(count, d, d)[order])

    def predict(self, data: Any, *, subjects: Optional[Sequence[str]] = None, target: str = "full",
                align_by: str = "subject", aligned: bool = False, use_labels: bool = False,
                subject: Union[str, Sequence[Any], None] = None, fs: Optional[float] = None,
                channels: Optional[Sequence[str]] = None, tmin: Optional[float] = None,
                events: Optional[Dict[Any, str]] = None) -> Predictions:
        """Decides about trials, each subject as one that is new to the model.

        ``data`` is a Set; ``mne.Epochs``, or a dictionary of them by subject; ``mne.io.Raw``, whose trials are cut as the
        model's were, around the same events or ``events``; or an array of signals (trials, channels, samples) in microvolts,
        with ``fs``, ``channels`` and ``tmin``, or of covariances. ``subject`` is whose they are, where they do not say. What
        is left to be done so that signals have gone through what the model's have is done. ``target`` is how much of
        a subject's unlabelled trials may be seen: 'full', '50p', '20p', 'none' or 'online'. ``use_labels`` lets a
        model that was made with ``rpa_labels`` use so many labelled trials of each class, which are then not among the predictions.

        >>> import congru
        >>> s = congru.synth(subjects=4, trials=10, channels=5)
        >>> model = congru.train(s, "ra+tslr", without=["S04"])
        >>> model.predict(s, subjects=["S04"]).probability.shape
        (40, 4)
        """
        given = self._trials(data, {"subject": subject, "fs": fs, "channels": channels, "tmin": tmin, "events": events})
        return self._ask(given, subjects, target, align_by, aligned, use_labels)

    def predict_proba(self, data: Any, **options: Any) -> NDArray[np.float64]:
        """Probabilities (trials, classes): ``predict(...).probability``."""
        return self.predict(data, **options).probability

    def prepare(self, data: Set) -> Set:
        """The set after what is left to be done so that it has gone through what the model's data have: raw signals are
        filtered and cut, channels put in order."""
        return Set._of(_native.set_preprocess(data._handle, 2, self._handle, [], []))


def _unpickle(data: bytes) -> Model:
    return Model.from_bytes(data)


def _indices(data: Set, subjects: Union[str, Sequence[str], None]) -> Optional[List[int]]:
    """Subjects by their names, as the library numbers them."""
    if subjects is None:
        return None
    names = data.subjects
    wanted = [subjects] if isinstance(subjects, str) else [str(name) for name in subjects]
    missing = [name for name in wanted if name not in names]
    if missing:
        raise errors.ArgumentError(f"no subject {missing[0]!r} in the set, which has {', '.join(names)}")
    return [names.index(name) for name in wanted]


def train(data: Set, pipeline: Union[str, Sequence[str]] = "ra+tslr", *, without: Union[str, Sequence[str], None] = None,
          align_by: str = "subject", definitions: Optional[str] = None, threads: int = 0, progress: Any = None,
          **options: Any) -> Model:
    """Fits a pipeline on the labelled trials of a set: ``congru train``.

    Options are those of the methods (``C=0.1``, ``steps=200``) and, for sets with signals, of preprocessing
    (``band=(8, 30)``), by their names on the command line with underscores. While networks are trained ``progress(done,
    total, part, pipeline)`` is called a few times a second, with ``part`` of their steps taken, 0 to 1; returning False
    stops it.

    >>> import congru
    >>> model = congru.train(congru.synth(subjects=3, trials=4, channels=4), "ra+tslr", C=0.1)
    >>> model
    <congru.Model ra+tslr: 4 channels, classes c1, c2, c3, c4>
    >>> model.settings["C"]
    0.1
    """
    if not isinstance(pipeline, str):  # a list, as loso takes
        names = [str(name) for name in pipeline]
        if len(names) != 1:
            raise errors.ArgumentError(f"a model has one pipeline, not {len(names)}; congru.loso compares several")
        pipeline = names[0]
    method, signal = _options.divide(options)
    data = ready(data, method, signal)
    return Model(_native.model_fit(data._handle, pipeline, _options.method_pairs(method), _indices(data, without),
                                   align_by == "session", definitions, int(threads), progress))


def ready(data: Set, method: Dict[str, Any], signal: Dict[str, Any]) -> Set:
    """The set with the covariances that the options and their recipe ask for, made where there are none."""
    if not isinstance(data, Set):
        raise errors.ArgumentError(f"a congru.Set is needed, not {type(data).__name__}")
    asked = {name.replace("-", "_"): value
             for name, value in _native.recipe_preprocessing(_options.method_pairs(method))}
    if data.signals is not None:
        signal = {**asked, **signal}
    elif asked.get("trace_normalise") == "on" and not data.meta.get("trace_normalise"):
        signal = {"trace_normalise": "on", **signal}
    return data.estimate(**signal) if signal or data.X is None else data


def load(path: Path) -> Model:
    """Reads a .safetensors file that ``Model.save`` or ``congru train`` wrote."""
    try:
        return Model(_native.model_load(path))
    except errors.FormatError as error:
        raise instead(path, "model", error) from None
