"""Runs: the same bits as the command, decoders of one's own, tables and the page. SPDX-License-Identifier: Apache-2.0"""
import csv
import os
import subprocess
import sys

import numpy as np
import pytest

import congru

pandas = pytest.importorskip("pandas")
command = os.environ.get("CONGRU_COMMAND")


def test_the_same_bits_as_the_command(tmp_path, small):
    if not command:
        pytest.skip("CONGRU_COMMAND does not name the command")
    small.save(tmp_path / "set.npz")
    arguments = [command, "loso", str(tmp_path / "set.npz"), "--pipelines", "ra+mdm,rpa+tslr,dct-e2e", "--steps", "10",
                 "--C", "0.1", "-o", str(tmp_path / "theirs")]
    subprocess.run(arguments, check=True, capture_output=True)
    congru.loso(small, ["ra+mdm", "rpa+tslr", "dct-e2e"], steps=10, C=0.1, folder=tmp_path / "ours", dataset="set")
    theirs, ours = ((tmp_path / name / "predictions.csv").read_text() for name in ("theirs", "ours"))
    assert theirs == ours


def test_networks_on_signals_have_a_band_of_their_own():
    rng = np.random.default_rng(3)
    s = congru.Set(signals=rng.normal(size=(24, 3, 450)), y=["a", "b"] * 12,
                   subject=np.repeat(["S1", "S2", "S3"], 8), fs=100, tmin=0)
    said = {name: congru.loso(s, ["eegnet"], steps=3, **options).predictions() for name, options in {
        "own": {}, "pair": {"signal_band": (4, 38), "signal_window": (0, 4)}, "text": {"signal_band": "8:30"},
        "other": {"signal_band": (8, 30.0)}}.items()}
    assert said["own"].equals(said["pair"]) and said["text"].equals(said["other"])
    assert not said["own"].equals(said["text"])
    with pytest.raises(ValueError, match="larger"):
        congru.loso(s, ["eegnet"], signal_band=(30, 8))


def test_options_are_chosen_on_source_subjects(small, tmp_path):
    choose = {"steps": [1, 9], "delta": (0.5, 1.5)}
    results = congru.loso(small, ["dct-e2e"], choose=choose, folder=tmp_path / "run")
    said = {fold["subject"]: fold["chosen"] for fold in results.folds}
    assert all(words.startswith("steps ") and ", delta " in words for words in said.values())
    read = congru.read_results(tmp_path / "run")
    assert said == {fold["subject"]: fold["chosen"] for fold in read.folds}
    assert any("dct-e2e chose on source subjects: steps" in note for note in read.notes)
    text = congru.loso(small, ["dct-e2e"], choose="steps=1,9; delta=0.5,1.5")
    assert text.predictions().equals(congru.loso(small, ["dct-e2e"], choose=choose).predictions())
    left = small.subjects[0]
    model = congru.train(small, "dct-e2e", without=[left], choose=choose)
    assert model.chosen == said[left] and congru.train(small, "ra+mdm").chosen is None
    for wrong, words in (({"steps": [1]}, "one value"), ({"stepz": [1, 2]}, "no such option"), ({"C": [1, 2]}, "no pipeline"),
                         ({"weights": True}, "several branches")):
        with pytest.raises(congru.errors.ArgumentError, match=words):
            congru.loso(small, ["dct-e2e"], choose=wrong)
    with pytest.raises(TypeError, match="is to be chosen"):
        congru.loso(small, ["dct-e2e"], choose=choose, steps=3)


def test_frames_have_the_columns_of_moabb(small):
    results = congru.loso(small, ["ra+mdm", "ra+tslr"], dataset="made up")
    frame = results.to_frame()
    assert list(frame.columns[:9]) == ["score", "time", "samples", "subject", "session", "channels", "n_sessions",
                                       "dataset", "pipeline"]
    assert len(frame) == 8 and set(frame["dataset"]) == {"made up"} and not frame["own"].any()
    for name, mean in frame.groupby("pipeline")["score"].mean().items():
        assert mean == pytest.approx(results.means()[name])
    predictions = results.predictions()
    right = (predictions["y_true"] == predictions["y_pred"]).groupby(predictions["pipeline"]).mean()
    assert right["ra+mdm"] == pytest.approx(results.means()["ra+mdm"])


def test_compare(small):
    stats = pytest.importorskip("scipy.stats")
    results = congru.loso(small, ["none+mdm", "ra+mdm", "ra+tslr"])
    frame = results.compare()
    a, b = (np.array(list(results.scores(name).values())) for name in ("ra+mdm", "none+mdm"))
    row = frame.set_index("pipeline").loc["ra+mdm"]
    assert row["gain"] == pytest.approx((a - b).mean()) and row["subjects"] == 4
    # By the exact distribution, as few subjects want it; scipy does so by itself from 1.13 on.
    assert row["p_wilcoxon"] == pytest.approx(stats.wilcoxon((a - b)[a != b], method="exact").pvalue)
    assert (frame["p_holm"] >= frame["p_wilcoxon"]).all()
    with pytest.raises(ValueError, match="no pipeline"):
        results.compare("ra+nothing")


def test_information_transfer_by_minute(small):
    assert congru.loso(small, ["ra+mdm"]).trial is None
    data = congru.synth(subjects=3, trials=8, channels=4, samples=300)
    results = congru.loso(data, ["ra+mdm"])
    assert results.trial == 300 / data.fs
    assert "bits/min" in results.table("metrics", "html")
    assert "bits/trial" in congru.loso(small, ["ra+mdm"]).table("metrics", "html")


def test_report(tmp_path, small):
    results = congru.loso(small, ["ra+mdm", "ra+tslr"])
    results.report(tmp_path / "r.html")
    page = (tmp_path / "r.html").read_text()
    assert page.lstrip().lower().startswith("<!doctype html>") and "ra+tslr" in page and "S04" in page
    assert results.figure("confusion", "ra+mdm").startswith("<?xml") or "<svg" in results.figure("confusion", "ra+mdm")
    assert "ra+mdm" in results.table("subjects") and "tabular" in results.table("subjects", "latex")
    with pytest.raises(ValueError, match="format"):
        results.table("subjects", "word")
    with pytest.raises(OSError):
        results.report("/dev/null/r.html")


def test_decoders_of_ones_own(tmp_path, small):
    pytest.importorskip("sklearn")
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import FunctionTransformer

    def flat(x):
        return congru.tangent_space(x, np.eye(x.shape[1]))

    mine = make_pipeline(FunctionTransformer(flat), LogisticRegression(max_iter=1000))
    for run in (lambda **o: congru.loso(small, ["ra+mdm", ("mine", mine), congru.TSLR()], folder=tmp_path / "l", **o),
                lambda **o: congru.within(small, ["ra+mdm", ("mine", mine)], folds=4, folder=tmp_path / "w", **o)):
        results = run()
        assert results.pipelines[:2] == ["ra+mdm", "own:mine"]
        frame = results.to_frame()
        assert set(frame.loc[frame["own"], "pipeline"]) == set(results.pipelines[1:])
        folds = {(f["pipeline"], f["subject"]): f for f in results.folds}
        for subject in small.subjects:
            np.testing.assert_array_equal(np.sort(folds["own:mine", subject]["trial"]),
                                          np.sort(folds["ra+mdm", subject]["trial"]))
        again = run()
        assert again.means() == results.means()
    # An estimator of the package, which is told the subjects, does what the pipeline does.
    results = congru.loso(small, ["ra+tslr", congru.TSLR()])
    for subject in small.subjects:
        ours, own = (f for f in results.folds if f["subject"] == subject)
        np.testing.assert_array_equal(ours["probability"], own["probability"])
        assert ours["kappa"] == pytest.approx(own["kappa"]) and ours["balanced"] == pytest.approx(own["balanced"])
    results.report(tmp_path / "r.html")
    assert "own:TSLR" in (tmp_path / "r.html").read_text()
    with open(tmp_path / "l" / "results.csv", newline="") as file:
        assert {row["pipeline"] for row in csv.DictReader(file)} == {"ra+mdm", "own:mine", "own:TSLR"}
    read = congru.read_results(tmp_path / "l")
    assert sorted(read.pipelines) == sorted(["ra+mdm", "own:mine", "own:TSLR"])
    alone = congru.loso(small, mine)
    assert alone.pipelines == ["own:functiontransformer+logisticregression"]
    with pytest.raises(ValueError, match="two decoders"):
        congru.loso(small, [mine, mine])
    with pytest.raises(ValueError, match="fit and predict"):
        congru.loso(small, [("x", object())])


def test_sessions_and_folds(recorded):
    s = congru.Set(signals=recorded.signals, y=recorded.labels, subject=recorded.subject,
                   session=np.arange(len(recorded)) // 4 % 2, fs=250, tmin=-0.5)
    results = congru.within(s, "ra+mdm", sessions=True, band=(8, 30), window=(0.5, 3.5))
    assert all(fold["samples"] == 12 for fold in results.folds)
    assert len(congru.within(s, "ra+mdm", folds=3, band=(8, 30), window=(0.5, 3.5)).folds) == 4
    # Each session is the fold of its number, for decoders of one's own too.
    results = congru.within(s, ["ra+mdm", congru.MDM()], session_out=True, band=(8, 30), window=(0.5, 3.5))
    frame = results.predictions()
    assert len(frame) == 2 * len(s) and set(frame["pipeline"]) == {"ra+mdm", "own:MDM"}
    assert (frame["fold"].to_numpy() == s.session[frame["trial"]]).all()
    with pytest.raises(ValueError, match="exclude each other"):
        congru.within(s, "ra+mdm", sessions=True, session_out=True)


def test_contiguous_folds_are_blocks(small):
    results = congru.within(small, ["ra+mdm", congru.MDM()], folds=4, contiguous=True)
    frame = results.predictions()
    for _, own in frame.groupby(["pipeline", "subject"]):
        parts = own.sort_values("trial")["fold"].to_numpy()
        assert (np.diff(parts) >= 0).all() and set(parts) == {0, 1, 2, 3}
    with pytest.raises(ValueError, match="contiguous and session_out exclude each other"):
        congru.within(small, "ra+mdm", contiguous=True, session_out=True)


def test_learning_curve(tmp_path, small):
    curve = congru.learning_curve(small, ["ra+mdm", ("mine", congru.MDM())], [0, 1, 2], folder=tmp_path / "c")
    assert curve.numbers == [0, 1, 2] and "0, 1, 2" in repr(curve)
    classes, count = len(small.classes), len(small) // len(small.subjects)
    scored = [fold["trial"] for fold in curve.results[0].folds]
    for number, results in zip(curve.numbers, curve.results):
        for fold, trials in zip(results.folds, scored):
            assert fold["calibration"] == number * classes and fold["samples"] == count - 2 * classes
            np.testing.assert_array_equal(fold["trial"], trials)
        assert len(results.folds) == 2 * len(small.subjects)
    alone = congru.loso(small, "ra+mdm", calibration=2)
    for a, b in zip(alone.folds, curve.results[2].folds):
        np.testing.assert_array_equal(a["probability"], b["probability"])
    frame = curve.to_frame()
    assert len(frame) == 6 and (frame["low"] <= frame["accuracy"]).all()
    line = frame[(frame["pipeline"] == "ra+mdm") & (frame["calibration"] == 2)].iloc[0]
    scores = list(alone.scores("ra+mdm").values())
    assert line["accuracy"] == pytest.approx(np.mean(scores)) and line["deviation"] == pytest.approx(np.std(scores, ddof=1))
    again = congru.read_curve(tmp_path / "c")
    assert again.numbers == curve.numbers and again.to_frame()["accuracy"].tolist() == pytest.approx(frame["accuracy"].tolist())
    curve.report(tmp_path / "c.html")
    assert "The first 0, 1, 2 labelled trials" in (tmp_path / "c.html").read_text() and "<svg" in curve.figure()
    for wrong in ([], [1, 1], [2, 1], [-1]):
        with pytest.raises(ValueError, match="ascending"):
            congru.learning_curve(small, "ra+mdm", wrong)
    with pytest.raises(OSError, match="no folders"):
        congru.read_curve(tmp_path)
    with pytest.raises(ValueError, match="calibration"):
        congru.loso(small, "ra+mdm", calibration=1, target="online")


def test_subjects_left_out_in_groups(small):
    """One fit for a group, with the library's decoders and with others."""
    count = len(small.subjects)
    fits = []

    class Counted(congru.MDM):
        def fit(self, X, y, **more):
            fits.append(len(X))
            return super().fit(X, y, **more)

    results = congru.loso(small, ["none+mdm", ("mine", Counted())], groups=2)
    assert len(fits) == 2
    trials = len(small) // count
    for fold in results.folds:
        place = list(small.subjects).index(fold["subject"])
        mates = sum(i % 2 == place % 2 for i in range(count))
        assert fold["train"] == (count - mates) * trials and fold["samples"] == trials
    ours, mine = results.folds[:count], results.folds[count:]
    for a, b in zip(ours, mine):
        np.testing.assert_array_equal(a["prediction"], b["prediction"])
    each, alone = congru.loso(small, "ra+mdm"), congru.loso(small, "ra+mdm", groups=count)
    assert each.means() == alone.means()
    with pytest.raises(ValueError, match="; groups takes 2 to"):
        congru.loso(small, "ra+mdm", groups=count + 1)


def test_pipelines_that_are_defined_here(recorded):
    text = "pipeline = mine\ntitle = one view\nbranch = a\nmethod = ra+mdm\nband = 8:30\nwindow = 0.5:3.5\n"
    assert congru.loso(recorded, "mine", definitions=text).pipelines == ["mine"]
    with pytest.raises(ValueError, match="mine"):
        congru.loso(recorded, "mine")
    assert "motor" in congru.pipelines() and "motor" not in congru.pipelines(classical=True)


def test_another_folder_is_refused(tmp_path, small):
    congru.loso(small, "ra+mdm", folder=tmp_path / "r")
    assert congru.loso(small, "ra+mdm", folder=tmp_path / "r").resumed == 4
    with pytest.raises(ValueError, match=r"C auto there, C 3 here \(name another folder, or remove it\)"):
        congru.loso(small, "ra+mdm", C=3, folder=tmp_path / "r")


def test_progress_of_training(small):
    seen = []
    with pytest.raises(congru.CancelledError):
        congru.train(small, "dldct-e2e", steps=100000,
                     progress=lambda done, total, part, name: seen.append((part, name)) or len(seen) < 4)
    parts = [part for part, name in seen if name == "dldct-e2e"]
    assert len(parts) >= 2 and parts == sorted(set(parts)) and 0 < parts[-1] < 1


def test_progress_and_stopping(tmp_path, small):
    seen = []
    with pytest.raises(congru.CancelledError):
        congru.loso(small, ["ddct-unet-e2e"], steps=100000, folder=tmp_path / "r",
                    progress=lambda done, total, part, name: seen.append((done, total, name)) or len(seen) < 3)
    assert seen[0][1] == 4 and len(seen) == 3

    def fail(*_):
        raise ZeroDivisionError("of the caller")
    with pytest.raises(ZeroDivisionError, match="of the caller"):
        congru.loso(small, ["ddct-unet-e2e"], steps=100000, progress=fail)


def test_results_without_a_folder_leave_nothing_and_say_nothing(small):
    script = """
import os, warnings
warnings.simplefilter("error")
import congru
results = congru.loso(congru.synth(subjects=3, trials=6, channels=4), ["ra+mdm"])
folder = results.folder if isinstance(results.folder, str) else results._keep.name
del results
assert not os.path.exists(folder), folder
congru.learning_curve(congru.synth(subjects=3, trials=6, channels=4), ["ra+mdm"], [0, 1])
"""
    ended = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert ended.returncode == 0 and ended.stderr == ""


def test_labels_of_the_target_are_told_and_compared_on_common_trials(tmp_path):
    data = congru.synth("orientation", subjects=4, trials=12, channels=5)
    pipelines = ["none+mdm", "ra+tslr", "rpa+mdm"]
    results = congru.loso(data, pipelines, C=0.1, rpa_labels=5, folder=tmp_path / "labels")
    assert {name: known["labels"] for name, known in results.knowledge.items()} == {"none+mdm": 0, "ra+tslr": 0, "rpa+mdm": 20}
    assert results.knowledge["none+mdm"]["text"] == "nothing"
    assert results.knowledge["rpa+mdm"]["text"].startswith("all trials, without labels; 20 labelled trials")
    assert any(note.startswith("labels of the target: rpa+mdm") for note in results.notes)
    assert "rpa+mdm 68.8 % (20 labels)" in repr(results)
    assert congru.read_results(tmp_path / "labels").knowledge == results.knowledge
    frame = results.compare("ra+tslr").set_index("pipeline")
    scored = {fold["subject"]: set(fold["trial"]) for fold in results.folds if fold["pipeline"] == "rpa+mdm"}
    gains = []
    for fold in results.folds:
        if fold["pipeline"] == "ra+tslr":
            here = [trial in scored[fold["subject"]] for trial in fold["trial"]]
            gains.append(results.scores("rpa+mdm")[fold["subject"]] - (fold["truth"] == fold["prediction"])[here].mean())
    row = frame.loc["rpa+mdm"]
    assert row["gain"] == pytest.approx(np.mean(gains)) and row["trials"] == sum(map(len, scored.values()))
    assert row["labels"] == 20 and row["baseline_labels"] == 0
    assert frame.loc["none+mdm", "trials"] == len(data.X) and frame.loc["none+mdm", "labels"] == 0
    blind = congru.loso(data, pipelines, C=0.1)
    assert not any(known["labels"] for known in blind.knowledge.values()) and not any("labels" in note for note in blind.notes)
    with pytest.raises(congru.ArgumentError, match="target none"):
        congru.loso(data, "rpa+mdm", rpa_labels=5, target="none")
    mine = congru.loso(data, ("mine", congru.MDM()), calibration=2, subjects=["S01", "S02"])
    assert mine.knowledge["own:mine"]["labels"] == 8 and "not known" in mine.knowledge["own:mine"]["text"]
