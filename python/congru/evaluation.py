"""How well decoders do on subjects they have not seen. SPDX-License-Identifier: Apache-2.0"""
from __future__ import annotations

import os
import shutil
import tempfile
import weakref
from typing import Any, Dict, List, Optional, Sequence, Tuple, Union

import numpy as np
from numpy.typing import NDArray

from . import _native, _options, errors, own, stats
from .data import Path, Set
from .model import Patterns, _indices, ready

__all__ = ["Curve", "Own", "Results", "learning_curve", "loso", "pipelines", "read_curve", "read_results", "within"]

Own = own.Own

#: The columns of results.csv: MOABB's, and more.
COLUMNS = ["score", "time", "samples", "subject", "session", "channels", "n_sessions", "dataset", "pipeline", "kappa",
           "balanced_accuracy", "train", "calibration"]
STANDARD = ("ra+mdm", "ra+tslr", "ra+tsa-lda", "ra+csp-lda")


class Results:
    """What a run found: one fold for each pipeline and scored subject.

    >>> import congru
    >>> results = congru.loso(congru.synth(subjects=3, trials=10, channels=5), ["none+mdm", "ra+mdm"])
    >>> results
    <congru.Results of 2 pipelines, 3 subjects: none+mdm 27.5 %, ra+mdm 62.5 %>
    >>> list(results.to_frame().columns[:9])
    ['score', 'time', 'samples', 'subject', 'session', 'channels', 'n_sessions', 'dataset', 'pipeline']
    """

    def __init__(self, fields: Dict[str, Any], folder: Optional[str], keep: Any = None) -> None:
        self.folder = folder  #: where the results are as files
        self.pipelines: List[str] = list(fields["pipelines"])
        self.subjects: List[str] = list(fields["subjects"])
        self.classes: List[str] = list(fields["classes"])
        self.dataset: str = fields["dataset"]
        self.trial: Optional[float] = fields.get("trial") or None  #: seconds of a trial, by the set; None when unknown
        self.notes: List[str] = list(fields["notes"])  #: what the methods had to say
        #: what each pipeline was let see of a target subject: ``labels``, how many labelled trials, and all in words
        self.knowledge: Dict[str, Dict[str, Any]] = {name: dict(fields["knowledge"][name]) for name in self.pipelines}
        self.resumed: int = fields["resumed"]  #: folds that were in the folder already
        self.missing: int = fields["missing"]  #: folds of an interrupted run that are not there
        self._sessions: List[int] = list(fields["sessions"])
        self._channels: int = fields["channels"]
        self._folds: List[Dict[str, Any]] = [_unpack(fold, len(self.classes)) for fold in fields["folds"]]
        self._keep = keep

    def __repr__(self) -> str:
        marks = {name: f" ({known['labels']} labels)" if known["labels"] else "" for name, known in self.knowledge.items()}
        means = ", ".join(f"{name} {100 * value:.1f} %{marks[name]}" for name, value in self.means().items())
        return f"<congru.Results of {len(self.pipelines)} pipelines, {len(self.subjects)} subjects: {means}>"

    @property
    def folds(self) -> List[Dict[str, Any]]:
        """Each fold: pipeline, subject, accuracy, kappa, balanced, seconds, what was chosen for it on source subjects
        ('C 0.1, lambda-sub 0.05', or None), and arrays trial, truth, prediction, probability."""
        return [{**fold, "pipeline": self.pipelines[fold["pipeline"]], "subject": self.subjects[fold["subject"]]}
                for fold in self._folds]

    def scores(self, pipeline: str) -> Dict[str, float]:
        """The accuracy of a pipeline by subject."""
        if pipeline not in self.pipelines:
            raise errors.ArgumentError(f"no pipeline {pipeline!r}: there are {', '.join(self.pipelines)}")
        place = self.pipelines.index(pipeline)
        found: Dict[str, List[float]] = {}
        for fold in self._folds:
            if fold["pipeline"] == place:
                found.setdefault(self.subjects[fold["subject"]], []).append(fold["accuracy"])
        return {subject: float(np.mean(values)) for subject, values in found.items()}

    def common(self, pipeline: str, other: str) -> Dict[str, Tuple[float, int]]:
        """The accuracy of a pipeline by subject on the trials that ``other`` is scored on too, and how many these are."""
        self.scores(pipeline), self.scores(other)  # which are there
        found: Dict[str, Tuple[float, int]] = {}
        for place, subject in enumerate(self.subjects):
            mine, theirs = ([fold for fold in self._folds if self.pipelines[fold["pipeline"]] == name and fold["subject"] == place]
                            for name in (pipeline, other))
            if not mine or not theirs:
                continue
            scored = np.concatenate([fold["trial"] for fold in theirs])
            both = [np.isin(fold["trial"], scored) for fold in mine]
            values = [fold["accuracy"] if here.all() else float(np.mean((fold["truth"] == fold["prediction"])[here]))
                      for fold, here in zip(mine, both) if here.any() or not len(here)]
            if values:
                found[subject] = float(np.mean(values)), int(sum(here.sum() for here in both))
        return found

    def means(self) -> Dict[str, float]:
        """The accuracy of each pipeline, the mean over subjects."""
        return {name: float(np.mean(list(self.scores(name).values()))) for name in self.pipelines}

    def _row(self, fold: Dict[str, Any]) -> List[Any]:
        return [fold["accuracy"], fold["seconds"], fold["samples"], self.subjects[fold["subject"]],
                "all" if fold["session"] < 0 else str(fold["session"]), self._channels, self._sessions[fold["subject"]],
                self.dataset, self.pipelines[fold["pipeline"]], fold["kappa"], fold["balanced"], fold["train"],
                fold["calibration"]]

    def to_frame(self) -> Any:
        """A pandas.DataFrame with MOABB's columns, and ``kappa``, ``balanced_accuracy``, ``train``, ``calibration``; ``own``
        is True for decoders that are not the library's."""
        import pandas

        frame = pandas.DataFrame([self._row(fold) for fold in self._folds], columns=COLUMNS)
        frame["own"] = frame["pipeline"].str.startswith(own.PREFIX)
        return frame

    def predictions(self) -> Any:
        """A pandas.DataFrame of every scored trial: the columns of predictions.csv."""
        import pandas

        rows = [row for fold in self._folds for row in self._prediction_rows(fold)]
        return pandas.DataFrame(rows, columns=self._prediction_columns())

    def _prediction_columns(self) -> List[str]:
        return ["dataset", "subject", "trial", "pipeline", "y_true", "y_pred"] + [
            f"p_{name}" for name in self.classes] + ["fold"]

    def _prediction_rows(self, fold: Dict[str, Any]) -> List[List[Any]]:
        subject, pipeline = self.subjects[fold["subject"]], self.pipelines[fold["pipeline"]]
        return [[self.dataset, subject, int(trial), pipeline, self.classes[truth], self.classes[prediction], *map(float, p), int(part)]
                for trial, truth, prediction, p, part in zip(fold["trial"], fold["truth"], fold["prediction"], fold["probability"],
                                                         fold["part"])]

    def compare(self, baseline: Optional[str] = None, confidence: float = 0.95) -> Any:
        """Every other pipeline against ``baseline`` (the first), subject by subject, on the trials that both are scored on: a
        pandas.DataFrame of the gain, its interval, Cohen's d_z, Wilcoxon's and a permutation test, and Wilcoxon's p after Holm's
        correction; and how many trials these are, and how many labels of a target subject either looked at."""
        import pandas

        base = baseline or self.pipelines[0]
        rows = []
        for name in self.pipelines:
            if name == base:
                continue
            scores, reference = self.common(name, base), self.common(base, name)
            shared = [subject for subject in reference if subject in scores]
            rows.append({"pipeline": name, "baseline": base, "labels": self.knowledge[name]["labels"],
                         "baseline_labels": self.knowledge[base]["labels"], "trials": sum(scores[s][1] for s in shared),
                         **_native.compare(np.array([scores[s][0] for s in shared]),
                                           np.array([reference[s][0] for s in shared]), float(confidence))})
        frame = pandas.DataFrame(rows)
        if rows:
            adjusted = frame["p_wilcoxon"].to_numpy(dtype=np.float64, copy=True)
            _native.holm(adjusted)
            frame["p_holm"] = adjusted
        return frame

    def metrics(self) -> Any:
        """A pandas.DataFrame of every metric of ``congru.stats.METRICS``, a row for each pipeline and subject: folds averaged,
        trials and seconds added up, as ``congru show --metrics all`` does it."""
        import pandas

        rows = np.full((len(self._folds), len(stats.METRICS)), np.nan)
        for row, fold in zip(rows, self._folds):
            _native.measure(*(np.ascontiguousarray(fold[key], np.int32) for key in ("truth", "prediction")),
                            np.ascontiguousarray(fold["probability"], np.float64), len(self.classes), row,
                            np.empty((len(self.classes), 4)))
            row[list(stats.METRICS).index("seconds")] = fold["seconds"]
        out = np.empty((len(self.pipelines), len(self.subjects), len(stats.METRICS)))
        places = [np.array([fold[key] for fold in self._folds], np.int32) for key in ("pipeline", "subject")]
        _native.scores(len(self.pipelines), len(self.subjects), places[0], places[1], rows, len(self.classes), out)
        index = pandas.MultiIndex.from_product([self.pipelines, self.subjects], names=["pipeline", "subject"])
        frame = pandas.DataFrame(out.reshape(len(index), -1), index=index, columns=list(stats.METRICS))
        return frame.dropna(how="all").reset_index()

    def patterns(self) -> "Patterns":
        """What linear pipelines look at, means over folds: ``congru explain``."""
        return Patterns(*_native.folder_patterns(os.fspath(self._folders()[0])))

    def _folders(self) -> List[str]:
        if self.folder is None:
            raise errors.ArgumentError("these results are in no folder")
        return [self.folder]

    def report(self, path: Path) -> None:
        """Writes one HTML page with every table and figure: ``congru report``."""
        text = _native.report_html(self._folders())
        own.replace(os.fspath(path), text.encode("utf-8", "replace"))

    def table(self, name: str = "subjects", format: str = "csv", pipeline: Optional[str] = None) -> str:
        """A table of the report as 'csv', 'latex' or 'html'."""
        return str(_native.report_table(self._folders(), name, format, pipeline))

    def figure(self, name: str = "confusion", pipeline: Optional[str] = None) -> str:
        """A figure of the report as SVG."""
        return str(_native.report_figure(self._folders(), name, pipeline))


def _unpack(fold: Dict[str, Any], classes: int) -> Dict[str, Any]:
    """A fold of the library with its numbers as arrays."""
    if isinstance(fold["trial"], np.ndarray):
        return fold
    made = dict(fold)
    for key, kind in (("trial", np.uintp), ("part", np.int32), ("truth", np.int32), ("prediction", np.int32), ("probability", np.float64)):
        made[key] = np.frombuffer(fold[key] or b"", dtype=kind)
    made["trial"] = made["trial"].astype(np.int64)
    made["probability"] = made["probability"].reshape(-1, classes)
    return made


def pipelines(classical: bool = False) -> List[str]:
    """The names of all pipelines: an aligner and a classifier, end-to-end models, and those of several views.

    >>> import congru
    >>> "ra+tslr" in congru.pipelines(), "motor" in congru.pipelines(), "motor" in congru.pipelines(classical=True)
    (True, True, False)
    """
    found = list(_native.pipelines(classical))
    return found if classical else found + [name for name in _native.defined() if name not in found]


def _names_and_own(given: Any) -> Tuple[List[str], List[Own], List[str]]:
    """The library's pipelines, the others, and all names in their order."""
    if isinstance(given, str):
        given = pipelines(given == "classical") if given in ("all", "classical") else [given]
    elif not isinstance(given, Sequence) or (isinstance(given, tuple) and len(given) == 2 and hasattr(given[1], "fit")):
        given = [given]
    ours: List[str] = []
    others: List[Own] = []
    order: List[str] = []
    for item in given:
        if isinstance(item, str):
            ours.append(item)
            order.append(item)
            continue
        if isinstance(item, tuple):
            item = Own(item[1], item[0])
        elif not isinstance(item, Own):
            item = Own(item)
        if item.name in order:
            raise errors.ArgumentError(f"{item.name}: two decoders of this name; give them names: Own(estimator, name)")
        others.append(item)
        order.append(item.name)
    if not order:
        raise errors.ArgumentError("no pipelines given")
    return ours, others, order


def _evaluate(data: Set, given: Any, split: own.Split, subjects: Any, target: str, align_by: str,
              folder: Optional[Path], dataset: str, definitions: Optional[str], threads: int, progress: Any,
              options: Dict[str, Any]) -> Results:
    ours, others, order = _names_and_own(given)
    method, signal = _options.divide(options)
    if align_by not in ("subject", "session"):
        raise errors.ArgumentError(f"align_by {align_by!r}: 'subject' or 'session'")
    data = ready(data, method, signal)
    pairs = _options.method_pairs(method)
    wanted = _indices(data, subjects)
    temporary = None
    if folder is None:
        temporary = _Temporary()
        folder = os.path.join(temporary.name, "results")
    place = os.fspath(folder)
    if ours:
        command = f"congru.{'loso' if split.protocol == 'loso' else 'within'}(set, {ours!r}" + "".join(
            f", {name}={value!r}" for name, value in options.items()) + ")"
        handle = _native.evaluate(data._handle, split, ours, pairs, wanted, target, align_by == "session", dataset, place,
                                  command, definitions, int(threads), progress)
        fields = _native.results_fields(handle)
    else:
        os.makedirs(place, exist_ok=True)
        f = data._fields
        sessions = [len(np.unique(data.session[data.subject == name])) for name in f["subjects"]]
        fields = {"pipelines": [], "subjects": f["subjects"], "classes": f["classes"], "sessions": sessions,
                  "dataset": dataset, "channels": f["dimension"], "resumed": 0, "missing": 0, "notes": [],
                  "knowledge": {}, "folds": []}
    if others:
        _add_own(data, others, order, split, method, wanted, place, fields)
    results = Results(fields, place, temporary)
    if others:
        mine = [fold for fold in results._folds if results.pipelines[fold["pipeline"]].startswith(own.PREFIX)]
        own.add_to_folder(place, [results._row(fold) for fold in mine],
                          [row for fold in mine for row in results._prediction_rows(fold)], COLUMNS,
                          results._prediction_columns())
    return results


def _add_own(data: Set, others: List[Own], order: List[str], split: own.Split, method: Dict[str, Any],
             wanted: Optional[List[int]], place: str, fields: Dict[str, Any]) -> None:
    """Runs the decoders that are not the library's, and puts all folds in the order of the names."""
    seed = int(method.get("seed", _options.default_of(_options.METHOD["seed"])))
    library = list(fields["pipelines"])
    everyone = list(range(len(data.subjects))) if wanted is None else wanted
    all_folds = [{**fold, "pipeline": order.index(library[fold["pipeline"]])} for fold in fields["folds"]]
    # The library numbers subjects of results as those of the set.
    for item in others:
        for fold in own.run(item, data, split, seed, everyone, place, fields["notes"]):
            all_folds.append({**fold, "pipeline": order.index(item.name)})
        labels = max((fold["calibration"] for fold in all_folds if order[fold["pipeline"]] == item.name), default=0)
        fields["knowledge"][item.name] = _native.own_knowledge(labels)
    fields["pipelines"] = order
    fields["folds"] = sorted(all_folds, key=lambda fold: (fold["pipeline"], fold["subject"], fold["session"]))


def loso(data: Set, pipelines: Any = STANDARD, *, subjects: Union[str, Sequence[str], None] = None,
         target: str = "full", align_by: str = "subject", groups: int = 0, calibration: int = 0,
         folder: Optional[Path] = None, dataset: str = "set", definitions: Optional[str] = None, threads: int = 0,
         progress: Any = None, **options: Any) -> Results:
    """Leaves each subject out in turn, fits every pipeline on the others and scores it: ``congru loso``.

    Parameters
    ----------
    data : Set
    pipelines : names ('ra+tslr', 'ddct-unet-e2e', 'motor', ...; 'classical' or 'all'), and estimators of scikit-learn's
        kind among them, each by itself, as (name, estimator) or as ``Own``: they run on the same splits, and their
        names begin with 'own:'.
    subjects : those to score; None: all
    target : how much of the target's unlabelled trials may be seen: 'full', '50p', '20p', 'none', 'online'
    groups : leaves the subjects out in so many groups, subject i in group ``i % groups``, so that each pipeline is fitted once
        for a group; 0: each subject by itself
    calibration : so many labelled trials of each class of the target subject, its first, are fitted on with the sources, and
        not scored; ``learning_curve`` compares several numbers
    folder : where each finished fold goes at once. A run that was interrupted (Ctrl-C raises KeyboardInterrupt) goes on
        from there when it is called again with the same arguments. None: a temporary one.
    definitions : pipelines in the words of docs/pipelines.md
    progress : called as ``progress(done, total, part, pipeline)`` a few times a second; returning False stops the run
    options : of methods and of preprocessing, ``C=0.1``, ``steps=200``, ``band=(8, 30)``, ...;
        ``choose={"lambda_sub": [0.01, 0.05]}`` chooses an option on the source subjects of each fold

    >>> import congru
    >>> congru.loso(congru.synth(subjects=3, trials=10, channels=5), ["ra+mdm"]).means()
    {'ra+mdm': 0.625}
    """
    split = own.Split("loso", calibration=int(calibration), groups=int(groups))
    return _evaluate(data, pipelines, split, subjects, target, align_by, folder, dataset, definitions, threads, progress,
                     options)


def within(data: Set, pipelines: Any = STANDARD, *, folds: int = 5, contiguous: bool = False, sessions: bool = False,
           session_out: bool = False, subjects: Union[str, Sequence[str], None] = None, align_by: str = "subject", folder: Optional[Path] = None,
           dataset: str = "set", definitions: Optional[str] = None, threads: int = 0, progress: Any = None,
           **options: Any) -> Results:
    """Scores every pipeline inside each subject: ``folds`` parts, each left out in turn, shuffled with equal shares of each
    class, or blocks in the order of the set where ``contiguous``; or, with ``sessions``, fitted on the first session and scored on the others, or, with ``session_out``, each session left out in turn: ``congru within``.

    >>> import congru
    >>> results = congru.within(congru.synth(subjects=2, trials=10, channels=5), "ra+mdm", folds=4)
    >>> len(results.folds)
    2
    """
    chosen = [name for name, given in (("contiguous", contiguous), ("sessions", sessions), ("session_out", session_out)) if given]
    if len(chosen) > 1:
        raise errors.ArgumentError(f"{chosen[0]} and {chosen[1]} exclude each other")
    protocol = "sessions" if sessions else "session-out" if session_out else "folds"
    return _evaluate(data, pipelines, own.Split(protocol, int(folds), bool(contiguous)), subjects, "full", align_by, folder,
                     dataset, definitions, threads, progress, options)


class _Temporary:
    """A folder for as long as somebody has its results: then it goes, and says nothing, for nobody was to close it."""

    def __init__(self) -> None:
        self.name = tempfile.mkdtemp(prefix="congru-results-")
        weakref.finalize(self, shutil.rmtree, self.name, ignore_errors=True)


class Curve:
    """Accuracies by the number of labelled target trials: ``results[i]`` is the run with ``numbers[i]`` of each class."""

    def __init__(self, numbers: Sequence[int], results: Sequence[Results], folder: str, keep: Any = None) -> None:
        self.numbers: List[int] = list(numbers)
        self.results: List[Results] = list(results)
        self.folder = folder  #: where the runs are, a results folder each
        self._keep = keep

    def __repr__(self) -> str:
        first, last = self.results[0].means(), self.results[-1].means()
        gains = ", ".join(f"{name} {100 * first[name]:.1f} to {100 * last[name]:.1f} %" for name in first if name in last)
        return f"<congru.Curve of {self.numbers} labelled trials of each class: {gains}>"

    def to_frame(self) -> Any:
        """A pandas.DataFrame: for each pipeline and number the mean accuracy over subjects, its deviation and its 95 %
        interval by Student's t."""
        import pandas

        rows = []
        for name in self.results[0].pipelines:
            for number, results in zip(self.numbers, self.results):
                scores = list(results.scores(name).values())
                _, mean, deviation, low, high = stats.interval(scores)
                rows.append([name, number, len(scores), mean, deviation, low, high])
        return pandas.DataFrame(rows, columns=["pipeline", "calibration", "subjects", "accuracy", "deviation", "low", "high"])

    def report(self, path: Path) -> None:
        """Writes one HTML page with the curve, and every table and figure of its first number."""
        own.replace(os.fspath(path), _native.report_html([self.folder]).encode("utf-8", "replace"))

    def figure(self) -> str:
        """The curve as SVG."""
        return str(_native.report_figure([self.folder], "curve", None))


def learning_curve(data: Set, pipelines: Any = STANDARD, numbers: Sequence[int] = (0, 1, 2, 5, 10), *,
                   subjects: Union[str, Sequence[str], None] = None, align_by: str = "subject",
                   folder: Optional[Path] = None, dataset: str = "set", definitions: Optional[str] = None, threads: int = 0,
                   progress: Any = None, **options: Any) -> Curve:
    """What labelled trials of the target subject are worth: ``loso`` with each of the ascending ``numbers`` of them, all scored
    on the trials behind the largest: ``congru loso --calibration 0,1,2,5,10``. Other arguments are those of ``loso``.

    >>> import congru
    >>> congru.learning_curve(congru.synth(subjects=3, trials=10, channels=5), ["ra+mdm"], [0, 2]).numbers
    [0, 2]
    """
    wanted = [int(number) for number in numbers]
    if not wanted or wanted[0] < 0 or any(b <= a for a, b in zip(wanted, wanted[1:])):
        raise errors.ArgumentError(f"numbers {wanted}: ascending numbers of trials are needed, not negative")
    temporary = None
    if folder is None:
        temporary = _Temporary()
        folder = temporary.name
    place = os.fspath(folder)
    made = [_evaluate(data, pipelines, own.Split("loso", calibration=number, calibration_most=wanted[-1]), subjects, "full",
                      align_by, os.path.join(place, f"{_native.curve_folder}{number}"), dataset, definitions, threads, progress,
                      options) for number in wanted]
    return Curve(wanted, made, place, temporary)


def read_curve(folder: Path) -> Curve:
    """Reads a folder of ``learning_curve`` or of ``congru loso --calibration`` with several numbers."""
    place = os.fspath(folder)
    found = _native.curve_read(place)
    if not found:
        raise errors.FileError(f"{place}: holds no folders {_native.curve_folder}NUMBER of a learning curve")
    return Curve([number for number, _ in found],
                 [Results(_native.results_fields(handle), os.path.join(place, f"{_native.curve_folder}{number}"))
                  for number, handle in found], place)


def read_results(folder: Path) -> Results:
    """Reads a results folder of ``loso``, ``within`` or the command; of a run that was interrupted, what is there."""
    place = os.fspath(folder)
    return Results(_native.results_fields(_native.results_read(place)), place)
