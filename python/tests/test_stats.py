"""Statistics against scipy and scikit-learn, patterns, cues. SPDX-License-Identifier: Apache-2.0"""
import numpy as np
import pytest

import congru

rng = np.random.default_rng(11)


@pytest.mark.parametrize("n", [3, 9, 30, 80])
@pytest.mark.parametrize("ties", [False, True])
def test_paired_tests(n, ties):
    stats = pytest.importorskip("scipy.stats")
    a, b = rng.normal(size=(2, n)) + [[0.4], [0]]
    if ties:
        a, b = a.round(1), b.round(1)
    found = congru.stats.compare(a, b)
    difference = a - b
    np.testing.assert_allclose([found.gain, found.deviation, found.high - found.gain],
                               [difference.mean(), difference.std(ddof=1), found.gain - found.low], rtol=1e-12)
    # scipy's quantile is that of a search and good to 1e-10; its distribution is better.
    assert stats.t.cdf((found.gain - found.low) / stats.sem(difference), n - 1) == pytest.approx(0.975, rel=1e-13)
    assert found.effect == pytest.approx(difference.mean() / difference.std(ddof=1), rel=1e-12)
    assert found.improved == np.mean(a > b) and found.subjects == n
    test = congru.stats.wilcoxon(a, b)
    if not ties:
        expected = stats.wilcoxon(a, b)
        assert test.statistic == expected.statistic and test.p == pytest.approx(expected.pvalue, rel=1e-9)
        assert test.exact == (n <= 50) and test.differing == n
    interval = congru.stats.interval(difference)
    assert interval == (n, found.gain, found.deviation, found.low, found.high)
    if n <= 9:  # over all signs
        signs = np.array(np.meshgrid(*[[1, -1]] * n)).reshape(n, -1).T
        means = np.abs((signs * difference).mean(axis=1))
        assert congru.stats.permutation_test(a, b) == pytest.approx(np.mean(means >= abs(difference.mean()) - 1e-12))
    with pytest.raises(ValueError):
        congru.stats.compare(a, b[1:])


def test_holm():
    p = rng.uniform(size=12)
    order, expected, most = np.argsort(p), np.empty(12), 0.0
    for rank, i in enumerate(order):
        most = max(most, min(1.0, (12 - rank) * p[i]))
        expected[i] = most
    kept = p.copy()
    np.testing.assert_allclose(congru.stats.holm(p), expected, rtol=1e-14)
    np.testing.assert_array_equal(p, kept)


def test_chance_and_transfer():
    stats = pytest.importorskip("scipy.stats")
    for n, k in ((1, 2), (40, 4), (288, 4), (1000, 3)):
        assert congru.stats.chance_level(n, k) == pytest.approx(stats.binom.ppf(0.95, n, 1 / k) / n, rel=1e-12)
    accuracy, k = 0.8, 4
    bits = np.log2(k) + accuracy * np.log2(accuracy) + (1 - accuracy) * np.log2((1 - accuracy) / (k - 1))
    assert congru.stats.itr(accuracy, k) == pytest.approx(bits, rel=1e-12)
    assert congru.stats.itr(accuracy, k, seconds=3) == pytest.approx(20 * bits, rel=1e-12)
    assert congru.stats.itr(0.25, 4) == 0


@pytest.mark.parametrize("classes", [["left", "right"], ["feet", "left", "right", "tongue"]])
def test_metrics(classes):
    m = pytest.importorskip("sklearn.metrics")
    truth = rng.choice(classes, 60)
    proba = rng.dirichlet(np.ones(len(classes)), 60) + 0.5 * (truth[:, None] == classes)
    proba /= proba.sum(axis=1, keepdims=True)
    said = np.array(classes)[proba.argmax(axis=1)]
    found = congru.stats.metrics(truth, said, proba)
    auc = (m.roc_auc_score(truth == classes[1], proba[:, 1]) if len(classes) == 2
           else m.roc_auc_score(truth, proba, multi_class="ovr"))
    expected = {"accuracy": m.accuracy_score(truth, said), "kappa": m.cohen_kappa_score(truth, said),
                "balanced": m.balanced_accuracy_score(truth, said), "auc": auc,
                "precision": m.precision_score(truth, said, average="macro"), "f1": m.f1_score(truth, said, average="macro"),
                "recall": m.recall_score(truth, said, average="macro"), "trials": 60}
    for name, value in expected.items():
        assert found[name] == pytest.approx(value, rel=1e-12), name
    by_class = congru.stats.class_metrics(truth, said, proba)
    assert list(by_class) == sorted(classes)
    for name, row in by_class.items():
        assert row["precision"] == pytest.approx(m.precision_score(truth == name, said == name))
        assert row["auc"] == pytest.approx(m.roc_auc_score(truth == name, proba[:, classes.index(name)]))
    with pytest.raises(ValueError, match="none of the classes"):
        congru.stats.metrics(truth, said, classes=classes[1:])
    with pytest.raises(ValueError, match="y_proba"):
        congru.stats.metrics(truth, said, proba[:, 1:])


def test_metrics_of_results(small):
    pytest.importorskip("pandas")
    results = congru.within(small, ["ra+mdm", "ra+tslr"], folds=3)
    frame = results.metrics().set_index(["pipeline", "subject"])
    assert len(frame) == 2 * len(results.subjects)
    predictions = results.predictions()
    for (pipeline, subject), row in frame.iterrows():
        own = predictions[(predictions["pipeline"] == pipeline) & (predictions["subject"] == subject)]
        assert row["trials"] == len(own)
        assert row["accuracy"] == pytest.approx(results.scores(pipeline)[subject], rel=1e-12)
        assert row["itr"] == pytest.approx(congru.stats.itr(row["accuracy"], len(results.classes)))


def wide(subjects=3, trials=10):
    """Signals whose first class has more power at the first channel."""
    x = rng.normal(size=(subjects * trials, 4, 500))
    y = np.tile(["a", "b"], subjects * trials // 2)
    x[y == "a", 0] *= 2.0
    return congru.Set(signals=x, y=y, subject=np.repeat([f"S{i}" for i in range(subjects)], trials), fs=100, tmin=0,
                      channels=["C3", "Cz", "C4", "Fz"])


def test_patterns(tmp_path):
    s = wide()
    definitions = "pipeline = one\nbranch = all\nmethod = ra+ridge\nband = 8:30\nwindow = 0.5:3.5\n"
    model = congru.train(s, "one", definitions=definitions)
    found = model.patterns()
    assert [branch["branch"] for branch in found.branches] == ["all"] and "C3" in found.branches[0]["sentence"]
    results = congru.loso(s, ["one"], definitions=definitions, folder=tmp_path / "r")
    assert results.patterns().csv == (tmp_path / "r" / "patterns.csv").read_text()
    frame = results.patterns().to_frame()
    assert list(frame["class"]) == ["a", "b"] and list(frame.columns[-4:]) == ["C3", "Cz", "C4", "Fz"]
    with pytest.raises(ValueError):
        congru.train(s.preprocess(band=(8, 30), window=(0.5, 3.5)), "ra+mdm").patterns()


@pytest.mark.parametrize("pipeline", ["slow", "tsmnet"])
@pytest.mark.parametrize("adaptation, target", [("never", "none"), ("trials", "online")])
def test_cues(pipeline, adaptation, target):
    s = wide(subjects=4)
    model = congru.train(s, pipeline, without=["S3"], **({"steps": 3} if pipeline == "tsmnet" else {}))
    expected = model.predict(s, subjects=["S3"], target=target).probability
    decoder = congru.Decoder(model, rate=0, adaptation=adaptation, prior_weight=0 if adaptation == "trials" else 4, memory=0)
    found = []
    for k, trial in enumerate(s.signals[s.subject == "S3"]):
        due = decoder.mark(500 * k)
        decided = decoder.push(trial.T)
        found += decided
        assert [d.cue for d in decided] == [500 * k] and decided[0].sample == due
    np.testing.assert_array_equal([d.probability for d in found], expected)
    assert decoder.decide_cue(10 ** 6) is None
    for k in range(16):
        decoder.mark(10 ** 6 + k)
    with pytest.raises(ValueError, match="mark"):
        decoder.mark(10 ** 7)


def test_rpa_with_labels(small):
    pytest.importorskip("sklearn")
    held = small.subject == "S03"
    x, y, groups = small.X[~held], small.labels[~held], small.subject[~held]
    rpa = congru.RPA(rpa_labels=3).fit(x, y, groups=groups)
    labels = small.labels[held]
    first = np.zeros(held.sum(), bool)
    for name in np.unique(labels):
        first[np.flatnonzero(labels == name)[:3]] = True
    known = np.where(first, labels, None)
    aligned = rpa.transform(small.X[held], y=known)
    # The model itself leaves out the trials whose labels it has used.
    model = congru.train(small, "rpa+mdm", without=["S03"], rpa_labels=3)
    expected = model.predict(small, subjects=["S03"], aligned=True, use_labels=True)
    np.testing.assert_allclose(aligned[~first], expected.aligned, atol=1e-9)
    assert len(expected.aligned) == (~first).sum()
    np.testing.assert_allclose(rpa.transform(small.X[held], y=[None] * held.sum()), rpa.transform(small.X[held]), atol=1e-10)
    both = rpa.transform(np.concatenate([small.X[held], x]), np.concatenate([small.subject[held], groups]),
                         np.concatenate([known, np.full(len(x), None)]))
    np.testing.assert_allclose(both[:held.sum()], aligned, atol=1e-12)
    with pytest.raises(ValueError, match="none of the classes"):
        rpa.transform(small.X[held], y=["nothing"] * held.sum())


@pytest.mark.parametrize("level", [0, 1, -0.1, 1.5, np.nan, np.inf])
def test_levels_are_between_0_and_1(level):
    for call in (lambda: congru.stats.interval([1, 2, 3], level), lambda: congru.stats.compare([1, 2, 3], [2, 1, 4], level),
                 lambda: congru.stats.chance_level(100, 2, level)):
        with pytest.raises(congru.ArgumentError):
            call()
