"""The paper's experiments: its tables beside ours, and a verdict on each claim. SPDX-License-Identifier: Apache-2.0"""
from __future__ import annotations

import json
import os
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple, Union

from . import _native, _options, errors
from .data import Path, Set
from .model import ready

__all__ = ["Experiment", "ablate", "experiments", "reproduce"]


class Experiment:
    """What an experiment gave: tables, claims, and all of it as text.

    >>> import congru
    >>> found = congru.reproduce("statistics")
    >>> print(found.text.splitlines()[-1])
    Across subjects, 2 of 6 printed p are below 0.05; by Holm's correction 1
    >>> len(found.tables), len(found.tables[0]), found.claims
    (3, 12, [])
    """

    def __init__(self, name: str, blocks: List[Dict[str, Any]]) -> None:
        self.name = name
        self.blocks = blocks

    def __repr__(self) -> str:
        held = sum(claim["verdict"] == "holds" for claim in self.claims)
        return f"<congru.Experiment {self.name}: {len(self.tables)} tables, {held} of {len(self.claims)} claims hold>"

    @property
    def tables(self) -> List[List[Dict[str, Any]]]:
        """Each table as a list of rows, which are dictionaries by heading."""
        return [json.loads(block["json"])["rows"] for block in self.blocks if block["kind"] == "table"]

    @property
    def claims(self) -> List[Dict[str, str]]:
        """``claim``, ``verdict`` by our numbers and ``printed`` by the paper's ('holds', 'does not hold', 'not judged'),
        and ``text`` with the numbers that decide."""
        return [{key: block[key] for key in ("claim", "verdict", "printed", "text")}
                for block in self.blocks if block["kind"] == "claim"]

    @property
    def text(self) -> str:
        """As the command prints it, without breaking lines."""
        parts = []
        for block in self.blocks:
            parts.append("\n" if block["apart"] and parts else "")
            parts.append(block["text"].rstrip("\n") + "\n")
        return "".join(parts)

    def to_frames(self) -> List[Any]:
        """The tables as pandas.DataFrame."""
        import pandas

        return [pandas.DataFrame(table) for table in self.tables]


def experiments() -> Dict[str, str]:
    """The experiments by name, and what each shows.

    >>> import congru
    >>> congru.experiments()["runtime"]
    'Tables 13 and 14: seconds of training per subject.'
    """
    return {name: text for name, text, _ in _native.paper_experiments()}


def _run(experiment: Optional[str], sets: Mapping[str, Set], folder: Path, pipelines: Optional[Sequence[str]],
         subjects: Union[str, Sequence[str], None], target: str, align_by: str, seeds: Tuple[int, int], trials: int,
         threads: int, progress: Any, options: Dict[str, Any]) -> Experiment:
    name = experiment or "ablate"
    method, signal = _options.divide(options)
    if align_by not in ("subject", "session"):
        raise errors.ArgumentError(f"align_by {align_by!r}: 'subject' or 'session'")
    ours = {key: ready(data, method, signal) for key, data in sets.items()}
    chosen = [subjects] if isinstance(subjects, str) else subjects
    command = f"congru.{'reproduce' if experiment else 'ablate'}({name!r}, ...)" if experiment else "congru.ablate(...)"
    blocks = _native.paper_run(experiment, [data._handle for data in ours.values()], [str(key) for key in ours],
                               os.fspath(folder), None if pipelines is None else list(pipelines),
                               _options.method_pairs(method), None if chosen is None else [str(one) for one in chosen],
                               target, align_by == "session", int(seeds[0]), int(seeds[1]), int(trials), command,
                               int(threads), progress)
    return Experiment(name, blocks)


def reproduce(experiment: str, sets: Optional[Mapping[str, Set]] = None, *, folder: Path = "reproduced",
              pipelines: Optional[Sequence[str]] = None, subjects: Union[str, Sequence[str], None] = None,
              target: str = "full", align_by: str = "subject", seeds: Tuple[int, int] = (50, 54), trials: int = 40,
              threads: int = 0, progress: Any = None, **options: Any) -> Experiment:
    """Runs an experiment of the paper, as ``congru reproduce`` does.

    Parameters
    ----------
    experiment : a name of :func:`experiments`
    sets : sets by name; one of the paper's is known by its name, ``{"2a": set}``
    folder : where results go, one folder for each set; what is there is not run again
    pipelines : run these of the table alone
    seeds, trials : of the sets that 'synthetic' makes
    options : options of methods, ``steps=300``, and of covariances

    The others are those of :func:`loso`. 'recipes' has covariances of its own for each recipe: the command alone runs it.
    """
    return _run(experiment, sets or {}, folder, pipelines, subjects, target, align_by, seeds, trials, threads, progress,
                options)


def ablate(data: Set, pipelines: Optional[Sequence[str]] = None, *, dataset: str = "set", folder: Path = "ablated",
           subjects: Union[str, Sequence[str], None] = None, target: str = "full", align_by: str = "subject",
           threads: int = 0, progress: Any = None, **options: Any) -> Experiment:
    """Scores networks whole and with one part left out, as ``congru ablate`` does."""
    return _run(None, {dataset: data}, folder, pipelines, subjects, target, align_by, (0, 0), 1, threads, progress, options)
