"""LinearSVC and LinearSVR beside exact quadratic programs and scikit-learn."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import sparse
from sklearn import svm
from sklearn.datasets import make_classification, make_regression

import inducer
from inducer.base import NotSeparableError, Trace
from inducer.linear import LinearSVC, LinearSVR, margin


def classes(rows: int = 300) -> tuple[Any, Any]:
    return make_classification(rows, 6, n_informative=4, flip_y=0.1, random_state=0)


def numbers(rows: int = 300) -> tuple[Any, Any]:
    X, y = make_regression(rows, 5, noise=5.0, random_state=0)
    return X, y / 20 + 3


# LIBSVM solves the same dual, bias free, to 1e-9 in its own measure; coefficients to about 1e-6.
LIBSVM: dict[str, Any] = {"kernel": "linear", "tol": 1e-9}


@pytest.mark.parametrize("dual", [True, False])
@pytest.mark.parametrize("C", [0.01, 1.0])
def test_the_hinge_with_a_free_bias_is_libsvms_optimum(dual: bool, C: float) -> None:
    X, y = classes()
    ours = LinearSVC(loss="hinge", C=C, dual=dual, tol=1e-8, max_iter=50_000, random_state=0).fit(
        X, y
    )
    exact = svm.SVC(C=C, **LIBSVM).fit(X, y)
    np.testing.assert_allclose(ours.coef_, exact.coef_, atol=3e-6)
    np.testing.assert_allclose(ours.intercept_, exact.intercept_, atol=3e-6)
    assert set(exact.support_) <= set(ours.support_)
    assert ours.certificate_ <= 1e-7
    np.testing.assert_allclose(ours.margin_, 1 / np.linalg.norm(exact.coef_), rtol=1e-5)


@pytest.mark.parametrize("dual", [True, False])
def test_without_a_bias_the_hinge_is_liblinears_optimum(dual: bool) -> None:
    X, y = classes()
    ours = LinearSVC(
        loss="hinge",
        C=0.1,
        fit_intercept=False,
        dual=dual,
        tol=1e-8,
        max_iter=50_000,
        random_state=0,
    ).fit(X, y)
    peer = svm.LinearSVC(
        loss="hinge", C=0.1, fit_intercept=False, tol=1e-9, max_iter=1_000_000
    ).fit(X, y)
    np.testing.assert_allclose(ours.coef_, peer.coef_, atol=3e-6)


def test_the_squared_hinge_is_liblinears_optimum_without_a_bias() -> None:
    X, y = classes()
    ours = LinearSVC(fit_intercept=False, tol=1e-8).fit(X, y)
    peer = svm.LinearSVC(fit_intercept=False, tol=1e-12, max_iter=100_000).fit(X, y)
    np.testing.assert_allclose(ours.coef_, peer.coef_, rtol=1e-6, atol=1e-8)


def test_the_squared_hinge_with_a_bias_is_liblinears_with_a_bias_that_costs_nothing() -> None:
    X, y = classes()
    ours = LinearSVC(tol=1e-8).fit(X, y)
    peer = svm.LinearSVC(tol=1e-12, max_iter=100_000, intercept_scaling=1e4).fit(X, y)
    np.testing.assert_allclose(ours.coef_, peer.coef_, rtol=1e-4, atol=1e-5)  # 1e-4 is its bias's


@pytest.mark.parametrize("loss", ["squared_hinge", "hinge"])
@pytest.mark.parametrize("weighed", [False, True])
@pytest.mark.parametrize("class_weight", ["balanced", {0: 5.0, 1: 0.3}, {2: 0.1}])
def test_class_weights_of_several_classes_are_liblinears(
    class_weight: Any, weighed: bool, loss: str
) -> None:
    """Each weighs the rows of its class in the problem of that class, and in no other."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(150, 4))
    y = np.argmax(X[:, :3] + rng.normal(size=(150, 3)) + [0, 0.7, 1.4], axis=1)
    weights = rng.random(150) if weighed else None
    common: dict[str, Any] = {"class_weight": class_weight, "fit_intercept": False, "loss": loss}
    ours = LinearSVC(tol=1e-9, random_state=0, max_iter=50_000, **common).fit(X, y, weights)
    peer = svm.LinearSVC(tol=1e-10, max_iter=10**6, **common).fit(X, y, weights)
    # A gap of 1e-9 of an objective of about 100 is 5e-4 of a weight at most, and much less here.
    np.testing.assert_allclose(ours.coef_, peer.coef_, atol=2e-5)


def test_absolute_values_in_the_penalty() -> None:
    X, y = classes()
    arguments: Any = {"penalty": "l1", "C": 0.02, "fit_intercept": False}
    ours = LinearSVC(tol=1e-8, **arguments).fit(X, y)
    peer = svm.LinearSVC(tol=1e-9, max_iter=100_000, dual=False, **arguments).fit(X, y)
    np.testing.assert_allclose(ours.coef_, peer.coef_, rtol=1e-6, atol=1e-8)
    assert np.any(ours.coef_ == 0)


def test_sparse_rows_and_several_classes() -> None:
    X, y = make_classification(
        300, 6, n_informative=4, n_classes=3, n_clusters_per_class=1, random_state=1
    )
    for loss in ("hinge", "squared_hinge"):
        model = LinearSVC(loss=loss, tol=1e-9).fit(X, y)
        thin = LinearSVC(loss=loss, tol=1e-9).fit(sparse.csr_matrix(X), y)
        np.testing.assert_allclose(thin.coef_, model.coef_, atol=1e-5)
        for k in range(3):
            alone = LinearSVC(loss=loss, tol=1e-9).fit(X, y == k)
            np.testing.assert_allclose(model.coef_[k], alone.coef_[0], rtol=1e-9)


def test_descents_beside_each_other_are_each_alone() -> None:
    """20 classes: more than are run at a time."""
    X, y = make_classification(
        4000, 12, n_informative=12, n_redundant=0, n_classes=20, n_clusters_per_class=1,
        random_state=1,
    )  # fmt: skip
    words: dict[str, Any] = {"loss": "hinge", "dual": True, "tol": 0.05, "random_state": 0}
    found = set()
    for number in (1, 2, 5):
        with inducer.threads(number):
            model = LinearSVC(**words).fit(X, y)
        found.add((model.coef_.tobytes(), model.intercept_.tobytes(), model.n_iter_))
    assert len(found) == 1
    for k in (0, 7, 19):
        alone = LinearSVC(**words).fit(X, y == k)
        assert np.array_equal(model.coef_[k], alone.coef_[0])
        assert model.n_iter_ >= alone.n_iter_


def test_a_trace_of_several_descents_is_that_of_their_sum() -> None:
    X, y = make_classification(
        300, 6, n_informative=4, n_classes=3, n_clusters_per_class=1, random_state=1
    )
    words: dict[str, Any] = {"loss": "hinge", "dual": True, "tol": 1e-3, "random_state": 0}
    model = LinearSVC(**words).set_callbacks(Trace()).fit(X, y)
    assert len(model.history_["objective"]) == model.n_iter_
    assert model.history_["objective"][-1] == pytest.approx(model.objective_, rel=1e-12)
    assert model.history_["gap"][-1] == model.certificate_
    assert np.array_equal(model.coef_, LinearSVC(**words).fit(X, y).coef_)


def test_an_infinite_price_is_the_widest_margin() -> None:
    rng = np.random.default_rng(0)
    X = np.vstack([rng.normal(size=(30, 2)) - 4, rng.normal(size=(30, 2)) + 4])
    y = np.repeat([0, 1], 30)
    hard = LinearSVC(loss="hinge", C=np.inf).fit(X, y)
    np.testing.assert_allclose(hard.margin_, margin(X, y).margin, rtol=1e-8)
    large = LinearSVC(loss="hinge", C=1e6, tol=1e-8).fit(X, y)
    np.testing.assert_allclose(large.coef_, hard.coef_, rtol=1e-5)
    assert hard.support_.tolist() == svm.SVC(C=1e9, **LIBSVM).fit(X, y).support_.tolist()
    with pytest.raises(NotSeparableError, match="hard margin"):
        LinearSVC(loss="hinge", C=np.inf).fit(*classes())


def test_zero_weights_cost_c_times_n_and_the_optimum_no_more() -> None:
    """CIML 7.7: w = 0 with all slacks 1 is allowed, so the optimum costs C n at most."""
    X, y = classes()
    for C in (1e-6, 0.1, 10.0):
        model = LinearSVC(loss="hinge", C=C).fit(X, y)
        assert model.objective_ <= C * len(y)


# ---- regression ----------------------------------------------------------------------------------


@pytest.mark.parametrize("dual", [True, False])
@pytest.mark.parametrize("epsilon", [0.0, 0.2])
def test_the_tube_is_libsvms_optimum(dual: bool, epsilon: float) -> None:
    X, y = numbers(120)
    ours = LinearSVR(epsilon=epsilon, dual=dual, tol=1e-7, max_iter=50_000, random_state=0).fit(
        X, y
    )
    exact = svm.SVR(epsilon=epsilon, **LIBSVM).fit(X, y)
    np.testing.assert_allclose(ours.coef_, exact.coef_[0], atol=2e-3 * np.sqrt(1e-7 / 1e-6))
    residuals = np.abs(X @ ours.coef_ + ours.intercept_ - y)
    value = ours.coef_ @ ours.coef_ / 2 + np.maximum(residuals - epsilon, 0).sum()
    best = (
        exact.coef_[0] @ exact.coef_[0] / 2
        + np.maximum(np.abs(exact.predict(X) - y) - epsilon, 0).sum()
    )
    assert value <= best * (1 + 2e-7)
    np.testing.assert_allclose(ours.objective_, value, rtol=1e-9)


def test_the_squared_tube_is_liblinears_optimum_without_a_bias() -> None:
    X, y = numbers()
    arguments: Any = {
        "loss": "squared_epsilon_insensitive", "epsilon": 0.1, "fit_intercept": False
    }  # fmt: skip
    ours = LinearSVR(tol=1e-8, **arguments).fit(X, y)
    peer = svm.LinearSVR(tol=1e-12, dual=False, max_iter=10_000, **arguments).fit(X, y)
    np.testing.assert_allclose(ours.coef_, peer.coef_, rtol=1e-6)
