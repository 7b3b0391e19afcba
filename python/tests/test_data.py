"""Sets: of arrays, of files, of MNE, and the errors of each. SPDX-License-Identifier: Apache-2.0"""
import json
import pickle

import numpy as np
import pytest
from conftest import spd

import congru


def test_arrays_are_not_copied():
    x = spd(6, 3)
    s = congru.Set(x, [0, 1] * 3, [1, 1, 2, 2, 3, 3])
    assert np.shares_memory(s.X, x) and not s.X.flags.writeable
    kept = s.X
    del s, x
    assert kept.shape == (6, 3, 3) and np.isfinite(kept).all()


def test_labels_and_subjects():
    s = congru.Set(spd(4, 3), ["b", "a", "b", "c"], [7, 3, 7, 3], session=[0, 0, 1, 1])
    assert s.classes == ["a", "b", "c"] and s.y.tolist() == [1, 0, 1, 2] and s.labels.tolist() == ["b", "a", "b", "c"]
    assert s.subjects == ["7", "3"] and s.subject.tolist() == ["7", "3", "7", "3"]
    assert s.session.tolist() == [0, 0, 1, 1] and s.fs is None and s.tmin is None and s.meta == {}
    named = congru.Set(spd(2, 3), ["x", "y"], classes=["y", "x", "z"])
    assert named.classes == ["y", "x", "z"] and named.y.tolist() == [1, 0]


def test_signals_are_told_from_covariances():
    x = np.random.default_rng(0).standard_normal((3, 4, 4))
    assert congru.Set(x).signals is not None and congru.Set(x).X is None
    assert congru.Set(signals=spd(3, 4)).X is None
    both = congru.Set(covariances=spd(3, 4), signals=np.ones((3, 4, 9)))
    assert both.X is not None and both.signals.shape == (3, 4, 9)


@pytest.mark.parametrize("arguments, words", [
    (dict(), "needed"),
    (dict(X=np.zeros((0, 3, 3))), "shape"),
    (dict(X=np.ones(3)), "shape"),
    (dict(X=spd(3, 2), y=[0, 1]), "2 values where there are 3 trials"),
    (dict(X=spd(3, 2), y=[0, 1, 0.5]), "whole numbers"),
    (dict(X=spd(3, 2), y=[[0, 1, 2]]), "one value for each trial"),
    (dict(X=spd(3, 2), subject=[1]), "3 trials"),
    (dict(X=spd(3, 2), channels=["a"]), "1 names for 2 channels"),
    (dict(X=spd(3, 2), y=["a", "b", "c"], classes=["a", "b"]), "none of the classes"),
    (dict(X=spd(3, 2), y=[0, 1, 7], classes=["a", "b"]), "labels from 0 to 7"),
    (dict(X=spd(3, 2), y=["a" * 300, "b", "c"]), "bytes"),
    (dict(covariances=np.full((2, 2, 2), np.nan)), "trial"),
    (dict(covariances=spd(2, 3), signals=np.ones((3, 3, 9))), "same trials"),
    (dict(X=spd(2, 3), signals=np.ones((2, 3, 9))), "not both"),
])
def test_sets_that_cannot_be_are_refused(arguments, words):
    with pytest.raises(ValueError, match=words):
        congru.Set(**arguments)


def test_npz_both_ways(tmp_path, recorded):
    s = recorded.estimate()
    s.save(tmp_path / "set.npz")
    with np.load(tmp_path / "set.npz", allow_pickle=False) as file:
        np.testing.assert_array_equal(file["X"], s.X)
        assert file["y"].tolist() == s.y.tolist() and file["classes"].tolist() == s.classes
    again = congru.load_set(tmp_path / "set.npz")
    for name in ("X", "signals", "y", "session", "run"):
        np.testing.assert_array_equal(getattr(again, name), getattr(s, name))
    assert (again.subjects, again.classes, again.channels, again.fs, again.tmin) == (
        s.subjects, s.classes, s.channels, s.fs, s.tmin)
    np.savez(tmp_path / "plain.npz", X=spd(4, 3), y=[3, 1, 3, 1], subject=["a", "b", "a", "b"])
    plain = congru.Set.load(str(tmp_path / "plain.npz"))
    assert plain.classes == ["1", "3"] and plain.y.tolist() == [1, 0, 1, 0]


def test_files_that_cannot_be_read(tmp_path):
    with pytest.raises(OSError, match="nowhere.npz") as caught:
        congru.load_set(tmp_path / "nowhere.npz")
    assert isinstance(caught.value, congru.FileError) and caught.value.status == "CONGRU_ERROR_IO"
    (tmp_path / "text.npz").write_text("this is no set")
    with pytest.raises(congru.FormatError, match="text.npz"):
        congru.load_set(tmp_path / "text.npz")
    with pytest.raises(OSError):
        congru.Set(spd(2, 2)).save("/dev/null/set.npz")
    with pytest.raises((ValueError, TypeError)):
        congru.load_set("a\0b")


def test_parts_and_pickles(recorded):
    part = recorded[recorded.subject == "S02"]
    assert part.subjects == ["S02"] and len(part) == 24 and part.fs == 250
    again = pickle.loads(pickle.dumps(part))
    np.testing.assert_array_equal(again.signals, part.signals)
    assert again.subjects == part.subjects and again.tmin == part.tmin and again.channels == part.channels
    with pytest.raises(ValueError, match="at least one trial"):
        recorded[recorded.subject == "nobody"]


def test_preprocessing(recorded):
    s = recorded.preprocess(band=(8, 30), notch=None, window=(0.5, 3.5), estimator="oas")
    assert s.X.shape == (96, 6, 6) and s.signals.shape[2] == 750 and s.meta["band"] == [8, 30]
    assert recorded.signals.shape[2] == 1250
    wide = recorded.estimate(band=(8, 30))
    assert wide.signals.shape[2] == 1250 and wide.meta["band"] == [8, 30]
    with pytest.raises(ValueError, match="band"):
        recorded.preprocess(band=(30, 8))
    with pytest.raises(TypeError, match="'band' is one"):
        recorded.preprocess(bnad=(8, 30))


def test_read_recordings(tmp_path, recorded):
    # Epochs of an .npz, as other programs write them.
    for subject in ("S01", "S02"):
        part = recorded[recorded.subject == subject]
        np.savez(tmp_path / f"{subject}.npz", X=part.signals, y=part.y, fs=250.0, tmin=-0.5, ch_names=part.channels,
                 classes=part.classes)
    files = [tmp_path / "S01.npz", tmp_path / "S02.npz"]
    s = congru.read(files, band=(8, 30), notch=None, window=(0.5, 3.5), keep_signals=True)
    assert len(s) == 48 and s.subjects == ["S01", "S02"] and s.meta["band"] == [8, 30]
    assert [row["trials"] for row in s.files] == [24, 24]
    one = congru.read(files[0], band=(8, 30), notch=None, window=(0.5, 3.5))
    np.testing.assert_array_equal(one.X, s.X[:24])
    with pytest.raises(ValueError, match="preset"):
        congru.read(files, preset="no such thing")
    with pytest.raises(OSError, match="S001R04.edf"):
        congru.read(tmp_path / "S001R04.edf", preset="eegmmidb")
    with pytest.raises(ValueError, match="no files"):
        congru.read([])


# ---- MNE -----------------------------------------------------------------------------------------------

def epochs_of(s, subject, highpass=None, lowpass=None):
    mne = pytest.importorskip("mne")
    part = s[s.subject == subject]
    info = mne.create_info(part.channels, part.fs, "eeg", verbose=False)
    with info._unlock():
        info["highpass"], info["lowpass"] = highpass or 0.0, lowpass or part.fs / 2
    events = np.column_stack([np.arange(len(part)) * 2000, np.zeros(len(part), int), part.y + 1])
    names = {name: k + 1 for k, name in enumerate(part.classes)}
    return mne.EpochsArray(part.signals * 1e-6, info, events, tmin=part.tmin, event_id=names, verbose=False)


def test_epochs_of_mne(recorded):
    s = congru.Set.from_epochs({name: epochs_of(recorded, name, 1.0, 40.0) for name in ("S01", "S02")})
    part = recorded[np.isin(recorded.subject, ["S01", "S02"])]
    np.testing.assert_allclose(s.signals, part.signals, rtol=1e-12, atol=1e-12)
    assert s.labels.tolist() == part.labels.tolist() and s.subjects == ["S01", "S02"]
    assert (s.fs, s.tmin, s.channels) == (250.0, -0.5, part.channels) and s.meta["filtered"] == [1.0, 40.0]
    assert "1 to 40 Hz" in s.preprocessing
    one = congru.Set.from_epochs(epochs_of(recorded, "S01"), subject="A")
    assert one.subjects == ["A"] and "filtered" not in one.meta
    model = congru.train(s, "ra+mdm", band=(8, 30), window=(0.5, 3.5))
    assert json.loads(model.texts["preprocessing"])["band"] == [8, 30]
    with pytest.raises(ValueError, match="mne.Epochs"):
        congru.Set.from_epochs(recorded.signals)
    with pytest.raises(ValueError, match="epochs of S02"):
        congru.Set.from_epochs({"S01": epochs_of(recorded, "S01", 1.0, 40.0), "S02": epochs_of(recorded, "S02")})


def test_own_text_and_names_with_commas(tmp_path):
    rng = np.random.default_rng(0)
    names = {500: '"left, big"', 1500: '"up=down"', 2500: "right/1"}
    lines = [f"{i / 100},{a:.3f},{b:.3f},{names.get(i, '')}" for i, (a, b) in enumerate(rng.normal(0, 20, (3000, 2)))]
    (tmp_path / "S01.csv").write_text("\n".join(["time,C3,C4,label"] + lines) + "\n")
    events = {"left, big": "a,b", "up=down": "c=d", "right": "e"}
    s = congru.read(tmp_path / "S01.csv", events=events, notch=None)
    assert s.classes == ["a,b", "c=d", "e"] and len(s) == 3 and s.fs == 100 and s.subjects == ["S01"]


def test_tags_of_mne_name_classes(tmp_path):
    mne = pytest.importorskip("mne")
    raw = mne.io.RawArray(np.random.default_rng(0).standard_normal((3, 15000)) * 2e-5,
                          mne.create_info(["C3", "Cz", "C4"], 250, "eeg"), verbose="error")
    events = np.array([[1250 + 1500 * i, 0, 1 + i % 3] for i in range(9)])
    epochs = mne.Epochs(raw, events, {"left/1": 1, "left/2": 2, "right": 3}, -0.5, 4, baseline=None, preload=True, verbose="error")
    epochs.save(tmp_path / "S1-epo.fif", verbose="error")
    raw.set_annotations(mne.Annotations([5, 11, 17, 23], [1] * 4, ["left/1", "left/2", "right", "a,b=c"]))
    raw.save(tmp_path / "S1_raw.fif", verbose="error")
    of_epochs = congru.read(tmp_path / "S1-epo.fif", events={"left": "left", "right": "right"})
    assert of_epochs.classes == ["left", "right"] and of_epochs.y.tolist() == [0, 0, 1] * 3
    of_raw = congru.read(tmp_path / "S1_raw.fif", events={"left*": "left", "right": "right", "a,b=c": "x,y"})
    assert of_raw.classes == ["left", "right", "x,y"] and of_raw.y.tolist() == [0, 0, 1, 2]


def test_numbers_are_kept_or_refused():
    x = np.stack([np.eye(2)] * 4)
    for name in ("session", "run"):
        for values in ([0, 2**31, 1, 1], np.array([0, 2**63, 1, 1], dtype=np.uint64), [0.0, 1e300, 2e300, 1.0],
                       [0, -2**31 - 1, 0, 0], [0.5, 1, 1, 1], [0, np.nan, 1, 1], [0, np.inf, 1, 1]):
            with pytest.raises(congru.ArgumentError, match=name):
                congru.Set(x, [0, 0, 1, 1], **{name: values})
    kept = congru.Set(x, [0, 0, 1, 1], session=[7.0, 9.0, 7.0, 2.0**31 - 1], run=[-2**31, 0, 1, 2])
    assert kept.session.tolist() == [7, 9, 7, 2**31 - 1] and kept.run.tolist() == [-2**31, 0, 1, 2]
    for y in ([1e300, 2e300, 1e300, 2e300], [np.inf, 0, 0, 1]):
        with pytest.raises(congru.ArgumentError, match="too large"):
            congru.Set(x, y)
        with pytest.raises(congru.ArgumentError, match="too large"):
            congru.Set(x, [0, 0, 1, 1], subject=y)


def test_classes_are_named_once():
    with pytest.raises(congru.ArgumentError, match="'a' is named twice"):
        congru.Set(np.stack([np.eye(2)] * 2), [0, 1], classes=["a", "a"])
