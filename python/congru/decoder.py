"""The live decoder: samples in, decisions out. SPDX-License-Identifier: Apache-2.0"""
from __future__ import annotations

import threading
from typing import Any, Dict, List, NamedTuple, Optional, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _native, errors
from .data import Path
from .model import Model

__all__ = ["Decision", "Decoder"]

_ADAPTATION = {"windows": 0, "decisions": 1, "never": 2, "trials": 3}


class Decision(NamedTuple):
    """What was decided about the window that ends before ``sample``."""

    sample: int  #: frames pushed when it was made
    time: float  #: seconds of the stream
    label: Optional[str]  #: the class; None when there is no decision, and ``reason`` says why
    probability: Optional[NDArray[np.float64]]  #: (classes,)
    status: str  #: "CONGRU_OK", or the name of the code
    reason: str  #: "" or why there is none, in words
    flat: Optional[str]  #: the channel that is flat in the window
    cue: Optional[int] = None  #: the frame of the cue whose trial it is about; None: it is about the last window


class Decoder:
    """Filters samples as they come and asks a model about the last window, four times a second.

    The subject need not be known to the model: the reference that windows are compared with begins as that of the source
    subjects, and moves to the target subject's own.

    Parameters
    ----------
    model : Model
    rate : decisions per second; 0: only when ``decide`` is called
    fs : frames per second; None: the model's
    channels : names of what is pushed, in order; None: the model's
    scale : makes microvolts of the samples; 1e6 for volts
    window : seconds; None: as long as the model's trials
    adaptation : when the reference moves: 'windows', 'decisions' (behind each), 'never', or 'trials' (before each decision, with
        its own trial: with ``prior_weight=0, memory=0`` what ``Model.predict(target="online")`` does)
    adapt_every : seconds; None: one window
    prior_weight, memory : how many windows the reference at the start counts for, and how many are remembered

    >>> import congru
    >>> s = congru.synth(subjects=3, trials=4, channels=4, samples=500, rate=250)
    >>> model = congru.train(s.preprocess(band=(8, 30), causal=True, notch=None), "ra+mdm")
    >>> decoder = congru.Decoder(model, rate=1)
    >>> [d.time for d in decoder.push(s.signals[0].T)]
    [2.0]
    """

    def __init__(self, model: Model, *, rate: float = 4.0, fs: Optional[float] = None,
                 channels: Optional[Sequence[str]] = None, scale: float = 1.0, window: Optional[float] = None,
                 adaptation: str = "windows", adapt_every: Optional[float] = None, prior_weight: float = 4.0,
                 memory: float = 100.0) -> None:
        if not isinstance(model, Model):
            raise errors.ArgumentError(f"model: a congru.Model is needed, not {type(model).__name__}")
        if adaptation not in _ADAPTATION:
            raise errors.ArgumentError(f"adaptation {adaptation!r}: 'windows', 'decisions', 'never' or 'trials'")
        self.model = model
        self._classes = model.classes
        self._lock = threading.Lock()
        self._handle = _native.decoder_create(model._handle, float(rate), float(fs or 0),
                                              None if channels is None else [str(c) for c in channels], float(scale),
                                              float(window or 0), _ADAPTATION[adaptation], float(adapt_every or 0),
                                              float(prior_weight), float(memory))

    def _decision(self, row: Any) -> Decision:
        sample, time, status, prediction, flat, reason, probability, cue = row
        return Decision(sample, time, self._classes[prediction] if prediction >= 0 else None,
                        None if probability is None else np.array(probability), status, reason,
                        self.model.channels[flat] if flat >= 0 else None, cue)

    def push(self, frames: ArrayLike) -> List[Decision]:
        """Takes frames (frames, channels), one sample of every channel side by side, and gives the decisions that came due,
        in order. NaN is a missing sample. What comes out does not depend on how a stream is divided into pushes."""
        data = np.asarray(frames)
        if data.dtype.kind not in "fiub":
            raise errors.ArgumentError("frames: an array of real numbers is needed")
        single = data.dtype == np.float32
        data = np.require(data, np.float32 if single else np.float64, ["C", "A"])
        with self._lock:
            rows = _native.decoder_push(self._handle, data, single, len(self._classes))
        return [self._decision(row) for row in rows]

    def decide(self) -> Optional[Decision]:
        """Decides about the window that ends now; None before the first window is full."""
        with self._lock:
            row = _native.decoder_decide(self._handle, len(self._classes))
        return None if row is None else self._decision(row)

    def mark(self, cue: int) -> int:
        """Says that a cue is at this frame, counted from the first that was pushed: ``push`` gives the decision about its trial as
        soon as that is whole. Returns the number of frames after which it is. At most 16 marks wait at a time. Models that
        read signals decide about cues alone."""
        with self._lock:
            return int(_native.decoder_mark(self._handle, int(cue)))

    def decide_cue(self, cue: int) -> Optional[Decision]:
        """Decides about the trial of a cue whose frames have all come; None where some are still to come."""
        with self._lock:
            row = _native.decoder_decide_cue(self._handle, int(cue), len(self._classes))
        return None if row is None else self._decision(row)

    def reset(self) -> None:
        """Forgets everything but the options: a new recording of a new subject."""
        with self._lock:
            _native.decoder_reset(self._handle)

    def rewind(self) -> None:
        """Forgets the stream alone, for a recording that goes on after a gap: filters and windows begin anew, the next frame is
        frame 0, and what was learned of the subject stays."""
        with self._lock:
            _native.decoder_rewind(self._handle)

    def rest(self, frames: ArrayLike) -> int:
        """Learns of the subject at rest, before the first trial: the reference moves with one window of the frames (frames,
        channels) after the other, and the stream begins anew. Returns how many windows that were; 0 where the recording is too short,
        or all of it is missing or an artefact."""
        data = np.asarray(frames)
        if data.dtype.kind not in "fiub":
            raise errors.ArgumentError("frames: an array of real numbers is needed")
        with self._lock:
            return int(_native.decoder_rest(self._handle, np.require(data, np.float64, ["C", "A"])))

    def save_state(self, path: Path) -> None:
        """Writes what was learned of the subject to a file: the reference, and what methods remember of trials. Not the stream:
        after ``load_state`` decisions are those of this decoder after ``rewind``."""
        with self._lock:
            _native.decoder_state_save(self._handle, path)

    def load_state(self, path: Path) -> None:
        """Begins anew with what ``save_state`` of a decoder of the same model wrote; an error for any other file leaves the
        decoder as it was."""
        with self._lock:
            _native.decoder_state_load(self._handle, path)

    def _fields(self) -> Dict[str, Any]:
        with self._lock:
            return dict(_native.decoder_fields(self._handle))

    @property
    def channels(self) -> int:
        """Channels of a frame."""
        return int(self._fields()["channels"])

    @property
    def window(self) -> int:
        """Frames of a window."""
        return int(self._fields()["window"])

    @property
    def fs(self) -> float:
        """Frames per second."""
        return float(self._fields()["sampling"])

    @property
    def position(self) -> int:
        """Frames pushed since the start."""
        return int(self._fields()["position"])

    @property
    def reference(self) -> NDArray[np.float64]:
        """The reference as it is, (d, d) of the model's channels."""
        d = len(self.model.channels)
        out = np.empty((d, d))
        with self._lock:
            _native.decoder_reference(self._handle, out)
        return out
