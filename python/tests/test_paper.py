"""The experiments of the paper. SPDX-License-Identifier: Apache-2.0"""
import csv
import os
import subprocess

import pytest

import congru
from conftest import SOURCE


@pytest.fixture()
def small():
    return congru.synth(subjects=3, trials=6, channels=4)


def test_experiments_are_those_of_the_command():
    names = congru.experiments()
    assert list(names)[:2] == ["synthetic", "table-prealigners"] and len(names) >= 14
    assert all(text.endswith(".") for text in names.values())


def test_a_table_beside_the_papers(small, tmp_path):
    found = congru.reproduce("table-e2e", {"2a": small}, folder=tmp_path / "made", pipelines=["ra+mdm", "ra+tslr"])
    rows = {row["bnci2014-001"]: row for row in found.tables[0]}
    with open(SOURCE / "share/paper/classifiers.csv") as file:
        printed = {row["pipeline"]: row for row in csv.DictReader(file) if row["dataset"] == "bnci2014-001"}["ra+mdm"]
    assert rows["ra+mdm"]["paper"].split() == [f"{float(printed['mean']):.2f}", "±", f"{float(printed['deviation']):.2f}"]
    again = congru.loso(small, ["ra+mdm"])
    assert rows["ra+mdm"]["ours"].split()[0] == f"{100 * again.means()['ra+mdm']:.2f}"
    assert rows["dct-e2e"]["ours"] is None
    assert os.path.exists(tmp_path / "made" / "2a" / "results.csv")
    with open(SOURCE / "share/paper/claims.csv") as file:
        claims = sum(row["experiment"] == "classifiers" for row in csv.DictReader(file))
    assert len(found.claims) == claims
    assert "bnci2014-004: data not given" in found.text
    assert repr(found) == f"<congru.Experiment table-e2e: 6 tables, 0 of {claims} claims hold>"


def test_the_command_prints_the_same(small, tmp_path):
    command = os.environ.get("CONGRU_COMMAND")
    if command is None:
        pytest.skip("no command to compare with (CONGRU_COMMAND)")
    small.save(tmp_path / "2a.npz")
    said = subprocess.run([command, "reproduce", "gap", tmp_path / "2a.npz", "--steps", "1", "-o", tmp_path / "command"],
                          capture_output=True, text=True, check=True).stdout
    found = congru.reproduce("gap", {"2a": small}, folder=tmp_path / "package", steps=1)
    assert said.split() == found.text.split()


def test_without_sets(tmp_path):
    found = congru.reproduce("statistics", folder=tmp_path / "made")
    assert [len(table) for table in found.tables] == [12, 20, 12] and found.text.startswith("Table 15: ")


def test_parts_of_networks(small, tmp_path):
    found = congru.ablate(small, ["dct-e2e"], folder=tmp_path / "parts", steps=1)
    assert [row["ablation"] for row in found.tables[0]][-1] == "baseline"
    assert os.path.exists(tmp_path / "parts" / "baseline" / "ablation.json")


def test_what_is_not_taken(small, tmp_path):
    with pytest.raises(congru.ArgumentError, match="unknown experiment 'tabel'"):
        congru.reproduce("tabel", folder=tmp_path)
    with pytest.raises(congru.ArgumentError, match="properties: it needs no set"):
        congru.reproduce("properties", {"2a": small}, folder=tmp_path)
    with pytest.raises(congru.ArgumentError, match="has pipelines of its own"):
        congru.reproduce("silhouette", {"2a": small}, pipelines=["ra+mdm"], folder=tmp_path)
    with pytest.raises(congru.ArgumentError, match="covariances of their own"):
        congru.reproduce("recipes", {"2a": small}, folder=tmp_path)
    with pytest.raises(congru.ArgumentError, match="no network to take parts of"):
        congru.ablate(small, ["ra+mdm"], folder=tmp_path)


def test_progress_stops(small, tmp_path):
    with pytest.raises(congru.CancelledError):
        congru.reproduce("table-e2e", {"2a": small}, folder=tmp_path, steps=100000, progress=lambda *_: False)
