"""Estimators: what scikit-learn asks of them, and what they compute. SPDX-License-Identifier: Apache-2.0"""
import inspect
import pickle
import warnings

import numpy as np
import pytest
from conftest import spd

import congru

pytest.importorskip("sklearn")
from sklearn.base import clone  # noqa: E402
from sklearn.linear_model import LogisticRegression  # noqa: E402
from sklearn.model_selection import GridSearchCV, LeaveOneGroupOut, cross_val_score  # noqa: E402
from sklearn.pipeline import make_pipeline  # noqa: E402
from sklearn.utils.estimator_checks import check_estimator  # noqa: E402
from sklearn.utils.validation import check_array, check_X_y  # noqa: E402

CLASSICAL = ["MDM", "TSLR", "TSLDA", "CSPLDA"]
QUICK = {"steps": 3}


def make(name):
    """An estimator that is quick to fit."""
    kind = congru.all_estimators()[name]
    parameters = inspect.signature(kind).parameters
    quick = {key: value for key, value in QUICK.items() if key in parameters}
    if "fs" in parameters:
        quick.update(fs=250.0, tmin=-0.5)
    return kind(**quick)


def input_of(estimator, small, recorded):
    signals = getattr(estimator, "_signals", False) or isinstance(estimator, congru.Covariances)
    return (recorded, recorded.signals) if signals else (small, small.X)


def test_everything_in_the_registries_is_here():
    names = congru.all_estimators()
    assert {"Covariances", "Recenter", "RPA", "MDM", "TSLR", "TSLDA", "CSPLDA", "DCTE2E", "DLDCTE2E", "DDCTUNetE2E",
            "SPDNet", "EEGNet", "Shallow", "Deep", "Motor", "Slow", "MotorSlow"} <= set(names)
    listed = {kind._name for kind in names.values() if hasattr(kind, "_name")}
    assert {name for name, _ in congru._native.classifiers()} <= listed
    assert set(congru._native.defined()) <= listed


@pytest.mark.parametrize("name", sorted(congru.all_estimators()))
def test_parameters(name):
    estimator = make(name)
    assert clone(estimator).get_params() == estimator.get_params()
    repr(estimator)
    for key in estimator.get_params():
        estimator.set_params(**{key: estimator.get_params()[key]})
    with pytest.raises((TypeError, ValueError)):
        type(estimator)(no_such_parameter=1)


@pytest.mark.parametrize("name", sorted(n for n, k in congru.all_estimators().items() if issubclass(k, congru.Classifier)))
def test_classifiers_fit_predict_and_pickle(name, small, recorded):
    estimator = make(name)
    s, x = input_of(estimator, small, recorded)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        estimator.fit(x, s.labels, groups=s.subject)
    probability = estimator.predict_proba(x, groups=s.subject)
    assert probability.shape == (len(s), len(s.classes)) and estimator.classes_.tolist() == s.classes
    np.testing.assert_allclose(probability.sum(1), 1, rtol=1e-9)
    assert estimator.n_features_in_ == x.shape[1]
    again = pickle.loads(pickle.dumps(estimator))
    np.testing.assert_array_equal(again.predict_proba(x, groups=s.subject), probability)
    assert again.predict(x, groups=s.subject).tolist() == estimator.predict(x, groups=s.subject).tolist()
    assert 0 <= estimator.score(x, s.labels, groups=s.subject) <= 1
    shuffled = np.random.default_rng(0).permutation(len(s))
    if not estimator._signals:
        np.testing.assert_allclose(estimator.predict_proba(x[shuffled], groups=s.subject[shuffled]),
                                   probability[shuffled], atol=1e-7)


@pytest.mark.parametrize("name", sorted(n for n, k in congru.all_estimators().items() if issubclass(k, congru.Aligner)))
def test_aligners(name, small):
    estimator = make(name)
    x = estimator.fit_transform(small.X, small.labels, groups=small.subject)
    assert x.shape[0] == len(small) and (np.linalg.eigvalsh(x) > 0).all()
    again = pickle.loads(pickle.dumps(estimator))
    np.testing.assert_array_equal(again.transform(small.X, groups=small.subject), x)


def test_groups_are_whom_to_align(small):
    # As the pipelines of the library have it, with and without.
    held = small.subject == "S03"
    for grouped, pipeline in ((True, "ra+tslr"), (False, "none+tslr")):
        more = {"groups": small.subject[~held]} if grouped else {}
        fitted = congru.TSLR(C=0.1).fit(small.X[~held], small.labels[~held], **more)
        assert fitted.pipeline_ == pipeline
        fold = congru.loso(small, pipeline, subjects="S03", C=0.1).folds[0]
        np.testing.assert_array_equal(fitted.predict_proba(small.X[held]), fold["probability"])
    rpa = congru.MDM(aligner=congru.RPA()).fit(small.X[~held], small.labels[~held], groups=small.subject[~held])
    assert rpa.pipeline_ == "rpa+mdm" and rpa.get_params()["aligner__rpa_labels"] == 0
    fold = congru.loso(small, "rpa+mdm", subjects="S03").folds[0]
    np.testing.assert_array_equal(rpa.predict_proba(small.X[held]), fold["probability"])
    recentred = congru.Recenter().fit_transform(small.X, groups=small.subject)
    for subject in small.subjects:
        np.testing.assert_allclose(congru.mean(recentred[small.subject == subject]), np.eye(5), atol=1e-8)


def test_model_selection(small):
    search = GridSearchCV(congru.TSLR(), {"C": [0.01, 0.1, 1.0], "tangent_mean": ["riemann", "euclid"]},
                          cv=LeaveOneGroupOut())
    search.fit(small.X, small.labels, groups=small.subject)
    assert search.best_params_["C"] in (0.01, 0.1, 1.0) and hasattr(search.best_estimator_, "model_")
    grouped = cross_val_score(congru.MDM(), small.X, small.labels, groups=small.subject, cv=LeaveOneGroupOut(),
                              fit_params={"groups": small.subject})
    expected = list(congru.loso(small, "ra+mdm").scores("ra+mdm").values())
    np.testing.assert_allclose(grouped, expected)


def test_pipelines_of_scikit_learn(recorded):
    x = recorded.signals[:, :, 125:875]
    chain = make_pipeline(congru.Covariances("oas"), congru.Recenter(), congru.MDM())
    chain.fit(x, recorded.labels, recenter__groups=recorded.subject)
    assert chain.predict(x[:24]).shape == (24,)
    search = GridSearchCV(make_pipeline(congru.Covariances(), congru.TSLR()), {"covariances__estimator": ["cov", "oas"],
                                                                              "tslr__C": [0.1, 1]}, cv=2, n_jobs=2)
    assert search.fit(x, recorded.labels).best_score_ > 0


def test_labels_of_every_kind(small):
    for labels in (small.y, small.labels, small.y * 10 - 7, small.labels.astype(object), small.y == 1):
        fitted = congru.MDM().fit(small.X, labels)
        assert fitted.classes_.dtype == np.unique(labels).dtype
        assert set(fitted.predict(small.X)) <= set(labels.tolist())


@pytest.mark.parametrize("x, y, words", [
    (np.ones((10, 4)), np.arange(10) % 2, "3-dimensional"),
    (np.ones((10, 4, 7)), np.arange(10) % 2, "Covariances"),
    (np.zeros((0, 4, 4)), [], "0 sample"),
    (spd(10, 4), np.zeros(10), "one class"),
    (spd(10, 4), np.arange(9) % 2, "inconsistent"),
    (spd(10, 4), np.linspace(0, 1, 10), "label type"),
    (spd(10, 4), None, "requires y"),
    (np.full((10, 4, 4), np.nan), np.arange(10) % 2, "NaN|finite"),
    (-spd(10, 4), np.arange(10) % 2, "negative"),
    (np.random.default_rng(0).standard_normal((10, 4, 4)), np.arange(10) % 2, "symmetric"),
    (spd(10, 4).astype(complex), np.arange(10) % 2, "real numbers"),
])
@pytest.mark.parametrize("name", CLASSICAL)
def test_what_is_no_covariance_is_told(name, x, y, words):
    with pytest.raises(ValueError, match=words):
        getattr(congru, name)().fit(x, y)


def test_other_widths_and_unfitted(small):
    from sklearn.exceptions import NotFittedError
    with pytest.raises(NotFittedError):
        congru.MDM().predict(small.X)
    fitted = congru.MDM().fit(small.X, small.labels)
    with pytest.raises(ValueError, match="expecting 5 features"):
        fitted.predict(spd(3, 4))
    with pytest.raises(ValueError, match="inconsistent"):
        fitted.predict(small.X, groups=[1, 2])
    with pytest.raises(ValueError, match="C "):
        congru.TSLR(C=-1).fit(small.X, small.labels)
    with pytest.raises(ValueError, match="mdm_metric"):
        congru.MDM(mdm_metric="manhattan").fit(small.X, small.labels)


# ---- check_estimator -----------------------------------------------------------------------------------

def lift(x):
    """Vectors (n, k) as covariances (n, k + 1, k + 1), each by itself."""
    x = np.tanh(x / 10)
    k = x.shape[1]
    out = np.tile(2.0 * np.eye(k + 1), (len(x), 1, 1))
    out[:, 0, 1:] = out[:, 1:, 0] = 0.9 * x / np.sqrt(k)
    out[:, np.arange(1, k + 1), np.arange(1, k + 1)] += x
    return out


class Lifted:
    """Feeds an estimator of covariances with the vectors that check_estimator has; all else is its own."""

    def fit(self, X, y):
        X, y = check_X_y(X, y)
        super().fit(lift(X), y)
        self.n_features_in_ = X.shape[1]
        return self

    def predict_proba(self, X, groups=None):
        from sklearn.utils.validation import check_is_fitted
        check_is_fitted(self)
        X = check_array(X)
        if X.shape[1] != self.n_features_in_:
            raise ValueError(f"X has {X.shape[1]} features, but {type(self).__name__} is expecting {self.n_features_in_} "
                             "features as input")
        wide = self.n_features_in_
        self.n_features_in_ = wide + 1
        try:
            return super().predict_proba(lift(X))
        finally:
            self.n_features_in_ = wide

    def predict(self, X, groups=None):
        found = self.predict_proba(X).argmax(1)
        return self.classes_[found]

    def _more_tags(self):
        return {"X_types": ["2darray"]}


class LiftedMDM(Lifted, congru.MDM):
    pass


class LiftedTSLR(Lifted, congru.TSLR):
    pass


class LiftedTSLDA(Lifted, congru.TSLDA):
    pass


@pytest.mark.parametrize("kind", [LiftedMDM, LiftedTSLR, LiftedTSLDA])
def test_check_estimator(kind):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        check_estimator(kind())


@pytest.mark.parametrize("name", sorted(congru.all_estimators()))
def test_check_estimator_of_those_that_take_matrices(name):
    """scikit-learn leaves out the checks that feed vectors, by the tag; the others it runs."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        check_estimator(make(name))


def test_scikit_learn_is_the_judge_of_tslr(small):
    """The tangent space and scikit-learn's own logistic regression give the same probabilities."""
    ours = congru.TSLR(C=0.5).fit(small.X, small.labels)
    reference = congru.mean(small.X)
    vectors = congru.tangent_space(small.X, reference)
    theirs = LogisticRegression(C=0.5, solver="newton-cg", tol=1e-8, max_iter=5000).fit(vectors, small.labels)
    np.testing.assert_allclose(ours.predict_proba(small.X), theirs.predict_proba(vectors), atol=1e-6)
