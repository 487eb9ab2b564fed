"""What the learners with a penalty refuse, in our words: sizes, folds, weights to go on from."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from inducer.base import InputError, ParameterError
from inducer.linear import (
    ElasticNet,
    Lasso,
    LinearClassifier,
    LinearRegressor,
    LinearSVC,
    LinearSVR,
    LogisticRegression,
    Perceptron,
    Ridge,
    SGDClassifier,
    SGDRegressor,
)
from inducer.losses import Loss
from inducer.penalties import Symmetry

rng = np.random.default_rng(0)
X = rng.normal(size=(120, 3))
labels = (X[:, 0] + rng.normal(size=120) > 0).astype(int)
three = np.arange(120) % 3
numbers = X @ [1.0, 2.0, 0.0] + rng.normal(size=120)

CLASSES: list[tuple[Any, Any]] = [
    (LogisticRegression(), labels),
    (LogisticRegression(), three),
    (LogisticRegression(multi_class="ovr"), three),
    (LogisticRegression(solver="newton-cg"), labels),
    (LogisticRegression(l1_ratio=1), labels),
    (LinearSVC(), labels),
    (LinearSVC(penalty="l1"), labels),
    (LinearSVC(loss="hinge"), labels),
    (LinearSVC(loss="hinge", dual=True), labels),
    (LinearClassifier(), labels),
]
NUMBERS: list[Any] = [
    LinearSVR(),
    LinearSVR(dual=True),
    LinearSVR(loss="squared_epsilon_insensitive"),
    Ridge(),
    Lasso(),
    LinearRegressor(),
]


@pytest.mark.parametrize("scale", [1e155, 1e200, 1e300])
def test_huge_numbers_are_refused_without_warnings_from_below(scale: float) -> None:
    cases = [(model, X * scale, y) for model, y in CLASSES]
    cases += [(model, X * scale, numbers) for model in NUMBERS]
    cases += [(model, X, numbers * scale) for model in NUMBERS[:5]]
    for model, rows, y in cases:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            with pytest.raises(InputError, match=r"(?s)too large.*Scale"):
                model.fit(rows, y)


# ---- folds ---------------------------------------------------------------------------------------

PLACES = np.arange(120)
CHOOSING: list[tuple[Any, Any]] = [
    (LogisticRegression(Cs=2), labels),
    (Ridge(alphas=[1.0, 2.0]), numbers),
    (Lasso(alphas=3), numbers),
]
FOLDS: dict[str, tuple[Any, str]] = {
    "more than rows": (1000, "n_splits=1000"),
    "a row that is not there": ([(PLACES[:60], [200])], "fold 0 names row 200.* there are 120"),
    "far below zero": ([(PLACES[:60], [-500])], "fold 0 names row -500"),
    "none": ([], "no folds"),
    "nothing to fit on": ([(PLACES[:0], PLACES)], "fold 0 has no rows to fit on"),
    "nothing held out": ([(PLACES, PLACES[:0])], "fold 0 has no rows held out"),
    "fractions": ([(PLACES + 0.5, PLACES)], "no two lists"),
    "tables": ([(PLACES[:, None], PLACES)], "no two lists"),
    "numbers": ([1, 2], "cv: "),
    "three parts": ([(PLACES, PLACES, PLACES)], "cv: "),
}


@pytest.mark.parametrize("case", FOLDS)
@pytest.mark.parametrize(("model", "y"), CHOOSING)
def test_folds_that_cannot_be_used(case: str, model: Any, y: Any) -> None:
    cv, words = FOLDS[case]
    with pytest.raises(InputError, match=f"(?s){words}"):
        clone(model).set_params(cv=cv).fit(X, y)


@pytest.mark.parametrize(("model", "y"), CHOOSING)
def test_folds_that_weigh_nothing(model: Any, y: Any) -> None:
    weights = np.append(np.ones(40), np.zeros(80))
    parts = [(PLACES[20:], PLACES[:20]), (PLACES[:60], PLACES[60:])]
    with pytest.raises(InputError, match="held out in fold 1 weigh nothing"):
        clone(model).set_params(cv=parts).fit(X, y, sample_weight=weights)
    with pytest.raises(InputError, match="to fit on in fold 0 weigh nothing"):
        clone(model).set_params(cv=[(PLACES[60:], PLACES)]).fit(X, y, sample_weight=weights)


@pytest.mark.parametrize(("model", "y"), CHOOSING)
def test_masks_and_rows_counted_from_the_end(model: Any, y: Any) -> None:
    plain = clone(model).set_params(cv=[(PLACES[:70], PLACES[70:])]).fit(X, y)
    masks = clone(model).set_params(cv=[(PLACES < 70, PLACES >= 70)]).fit(X, y)
    back = clone(model).set_params(cv=[(PLACES[:70], PLACES[70:] - 120)]).fit(X, y)
    np.testing.assert_array_equal(masks.coef_, plain.coef_)
    np.testing.assert_array_equal(back.coef_, plain.coef_)


def test_a_fold_without_a_class_that_weighs_something() -> None:
    weights = np.where(labels == 0, (PLACES < 60).astype(float), 1.0)
    model = LogisticRegression(Cs=2, cv=[(PLACES[60:], PLACES[:60])])
    with pytest.raises(InputError, match="fold 0 leaves a class without"):
        model.fit(X, labels, sample_weight=weights)


# ---- weights to go on from -----------------------------------------------------------------------

GOING_ON: list[tuple[Any, Any]] = [
    (LogisticRegression(), labels),
    (LinearClassifier(), labels),
    (Perceptron(tol=None, max_iter=5), labels),
    (SGDClassifier(tol=None, max_iter=5), labels),
    (Lasso(alpha=0.1), numbers),
    (ElasticNet(alpha=0.1), numbers),
    (LinearRegressor(), numbers),
    (LinearRegressor("absolute"), numbers),
    (SGDRegressor(tol=None, max_iter=5), numbers),
]


@pytest.mark.parametrize(("model", "y"), GOING_ON)
def test_weights_to_go_on_from_that_are_those_of_another_problem(model: Any, y: Any) -> None:
    fitted = clone(model).set_params(warm_start=True).fit(X, y)
    with pytest.raises(InputError, match="warm_start: X had 3 features and now has 2"):
        fitted.fit(X[:, :2], y)
    if y is labels:
        with pytest.raises(InputError, match=r"warm_start: the classes were \[0, 1\]"):
            fitted.fit(X, three)
    fitted.fit(X, y)


@pytest.mark.parametrize(("model", "y"), GOING_ON)
@pytest.mark.parametrize(
    ("name", "bad", "words"),
    [
        ("coef_", np.nan, "NaN or infinity"),
        ("intercept_", np.inf, "NaN or infinity"),
        ("coef_", np.ones(7), "X had 7 features"),
        ("coef_", np.ones((5, 3)), "5 rows of weights"),
        ("coef_", np.array(["a", "b", "c"]), "convert"),
    ],
)
def test_weights_to_go_on_from_that_cannot_be_used(
    name: str, bad: Any, words: str, model: Any, y: Any
) -> None:
    fitted = clone(model).set_params(warm_start=True).fit(X, y)
    shape = np.shape(getattr(fitted, name))
    setattr(fitted, name, np.full(shape, bad) if np.ndim(bad) == 0 else bad)
    with pytest.raises(InputError, match=f"warm_start: .*{words}"):
        fitted.fit(X, y)


# ---- losses of one's own, and what a fit says of itself ------------------------------------------


class NoNumber(Loss):
    smooth = True

    def value(self, y: Any, z: Any) -> Any:
        return (z - y) ** 2 * np.nan

    def derivative(self, y: Any, z: Any) -> Any:
        return 2 * (z - y)


class WrongSign(NoNumber):
    def value(self, y: Any, z: Any) -> Any:
        return (z - y) ** 2

    def derivative(self, y: Any, z: Any) -> Any:
        return 2 * (y - z)


class OneForAll(WrongSign):
    def derivative(self, y: Any, z: Any) -> Any:
        return np.mean(2 * (z - y))


class Kinked(NoNumber):
    smooth = False

    def value(self, y: Any, z: Any) -> Any:
        return np.abs(z - y)

    def derivative(self, y: Any, z: Any) -> Any:
        return np.sign(z - y)


@pytest.mark.parametrize(
    ("loss", "words"),
    [
        (NoNumber(), "the value is nan"),
        (WrongSign(), "One of the two is wrong"),
        (OneForAll(), "one number for each row"),
    ],
)
def test_losses_of_ones_own_that_are_wrong(loss: Loss, words: str) -> None:
    with pytest.raises(ParameterError, match=words):
        LinearRegressor(loss).fit(X, numbers)


def test_a_kink_is_no_mistake() -> None:
    y = np.where(PLACES % 2 == 0, 0.0, numbers)  # zero weights are at the kink of half the rows
    LinearRegressor(Kinked(), solver="subgradient", max_iter=5, tol=None).fit(X, y)


def test_a_large_offset_leaves_the_certificate_its_worth() -> None:
    times = np.column_stack([X, 1.7e9 + 3600 * np.random.default_rng(1).random(120)])
    model: Any = LinearRegressor(alpha=1e-3).fit(times, numbers)
    assert model.certificate_["gap"] <= 1e-4 * model.objective_  # it was larger than the objective


def test_a_proof_ends_the_complaints() -> None:
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(500, 4))
    y = (rows[:, 1] + rng.normal(size=500) > 0).astype(int)
    model: Any = LinearClassifier(solver="subgradient", alpha=0.01)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.fit(rows, y)
    assert model.certificate_["gap"] <= 1e-8
    with pytest.warns(ConvergenceWarning, match="Raise max_iter or tol"):
        LinearClassifier("hinge", solver="subgradient", max_iter=50).fit(rows, y)
    tied = LinearClassifier("hinge", penalty=Symmetry([(0, 1)]), alpha=0.01, tol=1e-15)
    with pytest.warns(ConvergenceWarning, match="get no further: raise tol"):
        tied.fit(rows, y)
