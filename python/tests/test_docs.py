"""The examples of docstrings and of docs/python.md run as they stand. SPDX-License-Identifier: Apache-2.0"""
import doctest
import importlib
import os
import pkgutil
import re

import pytest
from conftest import DATA, SOURCE

import congru

MODULES = ["congru"] + [f"congru.{m.name}" for m in pkgutil.iter_modules(congru.__path__) if m.name != "_native"]


@pytest.mark.parametrize("name", MODULES)
def test_docstrings(name):
    failed, _ = doctest.testmod(importlib.import_module(name), optionflags=doctest.ELLIPSIS)
    assert failed == 0


def test_every_public_name_is_documented():
    for name in congru.__all__ + list(congru.all_estimators()):
        assert (getattr(congru, name).__doc__ or "").strip(), name


@pytest.mark.parametrize("page", ["python.md", "tutorial.md"])
def test_pages(page, tmp_path, monkeypatch):
    path = SOURCE / "docs" / page
    if not path.exists():
        pytest.skip(f"no {path}: the package is tested outside of its tree")
    if page == "tutorial.md":
        pytest.importorskip("mne")
        if not DATA.is_dir():
            pytest.skip(f"no data in {DATA}")
    monkeypatch.chdir(tmp_path)
    os.symlink(DATA, tmp_path / "data")
    failed, tried = doctest.testfile(str(path), module_relative=False, optionflags=doctest.ELLIPSIS, encoding="utf-8")
    assert failed == 0 and tried > 0


def test_what_pip_shows_is_short():
    fields = dict(re.findall(r'(?m)^(description|license) = (.*)$', (SOURCE / "pyproject.toml").read_text()))
    assert len(fields["description"]) < 80 and fields["license"] == '{ text = "Apache-2.0" }'
