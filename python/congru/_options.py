"""Options by name: values of Python as the texts that the library reads, and back. SPDX-License-Identifier: Apache-2.0"""
from __future__ import annotations

import numbers
import re
from typing import Any, Dict, Iterable, List, Mapping, Sequence, Tuple

from . import _native

Pairs = List[Tuple[str, str]]

#: The options of all methods: a dictionary of each row of the library's table, by its name in Python.
METHOD = {row["name"].replace("-", "_"): row for row in _native.method_options(None)}

#: (name of the library, argument or None, help, whether it applies to trials that were cut already), by name in Python.
PREPROCESSING = {row[0].replace("-", "_"): row for row in _native.preprocessing_options()}


def default_of(row: Mapping[str, Any]) -> Any:
    """The default of an option as a value of Python."""
    text, kind = row["default"], row["kind"]
    if kind == "switch":
        return text == "on"
    if kind in ("widths", "choose"):
        return None
    # Where a word stands for a number, "auto" or "own", it is the default.
    number = {"integer": int, "seed": int, "number": float, "number or auto": float}.get(kind)
    if number is None or not re.fullmatch(r"[-+0-9.eE]+", text):
        return text
    return number(text)


def text_of(value: Any) -> str:
    """A value as the command line would have it."""
    if isinstance(value, str):
        return value
    if value is None:
        return ""
    if isinstance(value, bool) or type(value).__name__ == "bool_":
        return "on" if value else "off"
    if isinstance(value, numbers.Integral):
        return str(int(value))
    if isinstance(value, numbers.Real):
        return repr(float(value))
    if isinstance(value, Iterable):
        return ",".join(text_of(item) for item in value)
    raise TypeError(f"a value of {type(value).__name__} is no option: {value!r}")


def _letters(value: Any) -> str:
    """A name of an event or a class, whose commas and equals signs are letters."""
    return re.sub(r"(?<!\\\\)([,=])", r"\\\1", text_of(value))


def range_text(value: Any) -> str:
    """A range, (8, 35), as the command line would have it: "8:35". Words stand as they are."""
    if isinstance(value, Sequence) and not isinstance(value, str):
        return ":".join(text_of(item) for item in value)
    return text_of(value)


def choose_text(value: Any) -> str:
    """What is chosen, {"lambda_sub": [0.01, 0.05], "weights": True}, as the command line would have it."""
    if not isinstance(value, Mapping):
        return text_of(value)
    parts = []
    for name, values in value.items():
        row = METHOD.get(name, {"name": name, "kind": ""})
        if values is True:
            parts.append(row["name"])
        elif isinstance(values, str) or not isinstance(values, Iterable):
            parts.append(f"{row['name']}={text_of(values)}")
        else:
            parts.append(f"{row['name']}=" + ",".join(range_text(v) if row["kind"] == "range" else text_of(v) for v in values))
    return "; ".join(parts)


#: How options of these kinds become texts.
TEXTS = {"range": range_text, "choose": choose_text}


def unknown(name: str, known: Iterable[str]) -> TypeError:
    """The error for an option that there is not, with one that was meant perhaps."""
    import difflib

    near = difflib.get_close_matches(name, list(known), n=1)
    return TypeError(f"no option {name!r}" + (f"; {near[0]!r} is one" if near else ""))


def method_pairs(options: Mapping[str, Any]) -> Pairs:
    """Options of methods as the library takes them; a recipe comes first, so that what is given besides stays."""
    pairs: Pairs = []
    for name, value in options.items():
        if name not in METHOD:
            raise unknown(name, METHOD)
        if METHOD[name]["kind"] == "shorthand":
            raise TypeError(f"{name!r} stands for another option: {_native.spoken(METHOD[name]['help'])}")
        if METHOD[name]["kind"] == "choose" and isinstance(value, Mapping):
            both = [other for other in value if other in options]
            if both:
                raise TypeError(f"{both[0]!r} is given, and is to be chosen, too")
        pairs.append((METHOD[name]["name"], TEXTS.get(METHOD[name]["kind"], text_of)(value)))
    pairs.sort(key=lambda pair: pair[0] != "recipe")
    return pairs


def preprocessing_texts(options: Mapping[str, Any], trials_alone: bool) -> Tuple[List[str], List[str]]:
    """Names and texts of options of preprocessing: (8, 35) for a range is "8:35", None is "off"."""
    names: List[str] = []
    texts: List[str] = []
    for name, value in options.items():
        row = PREPROCESSING.get(name)
        if row is None or (trials_alone and not row[3]):
            raise unknown(name, (n for n, r in PREPROCESSING.items() if r[3] or not trials_alone))
        argument = row[1]
        if argument is None:
            if not value:
                continue
            text = ""
        elif value is None:
            text = "off"
        elif ":" in argument:
            text = range_text(value)
        elif isinstance(value, Mapping):
            text = ",".join(f"{_letters(code)}={_letters(label)}" for code, label in value.items())
        else:
            text = text_of(value)
        names.append(row[0])
        texts.append(text)
    return names, texts


def divide(options: Mapping[str, Any]) -> Tuple[Dict[str, Any], Dict[str, Any]]:
    """Options of methods, and those of preprocessing."""
    method: Dict[str, Any] = {}
    signal: Dict[str, Any] = {}
    for name, value in options.items():
        if name in METHOD:
            method[name] = value
        elif name in PREPROCESSING and PREPROCESSING[name][3]:
            signal[name] = value
        else:
            raise unknown(name, list(METHOD) + [n for n, row in PREPROCESSING.items() if row[3]])
    return method, signal
