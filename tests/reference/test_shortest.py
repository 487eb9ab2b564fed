"""Without a penalty, collinear columns or more columns than rows: the shortest weights."""

from __future__ import annotations

import warnings
from contextlib import nullcontext
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import sparse
from sklearn import linear_model
from sklearn.exceptions import ConvergenceWarning

from inducer.linear import (
    LeastSquares,
    LinearClassifier,
    LinearRegressor,
    LogisticRegression,
    Ridge,
)

Array = NDArray[Any]

# Optima of strictly convex losses have the same scores: of weights that give those, the
# pseudo-inverse's are the shortest. Solved to gradients of some 1e-10, weights are right to 1e-6.
CLOSE = {"rtol": 1e-6, "atol": 1e-6}


def collinear(kind: str, rows: int = 120) -> Array:
    rng = np.random.default_rng(3)
    X = rng.normal([0, 5, -2, 0], size=(rows, 4))
    if kind == "duplicated":
        return np.column_stack([X, X[:, 0], X[:, 2]])
    if kind == "sums":
        return np.column_stack([X, X @ rng.normal(size=(4, 3)), np.full(rows, 7.0)])
    if kind == "units":  # a column in a unit far too large, another far too small
        return np.column_stack([X * [1e3, 1, 1, 1e-3], 1e3 * X[:, 0], 1e-3 * X[:, 3]])
    assert kind == "one-hot"
    return np.eye(5)[rng.integers(0, 5, rows)]


def labels(X: Array, classes: int) -> Array:
    rng = np.random.default_rng(4)
    Z = (X - X.mean(axis=0)) / np.maximum(X.std(axis=0), 1e-9)
    scores = Z @ rng.normal(size=(X.shape[1], classes)) + 3 * rng.gumbel(size=(len(X), classes))
    found: Array = np.argmax(scores, axis=1)
    return found


def least_norm(X: Array, scores: Array, intercept: bool) -> Array:
    """The shortest weights with these scores, up to an offset if there is an intercept."""
    Z, z = X.astype(np.float64), np.asarray(scores)
    if intercept:
        Z, z = Z - Z.mean(axis=0), z - z.mean(axis=0)
    found: Array = (np.linalg.pinv(Z, rcond=1e-11) @ z).T
    return found


KINDS = ["duplicated", "sums", "units", "one-hot"]
EXACT = {"tol": 1e-9, "max_iter": 500}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("solver", ["newton-cholesky", "newton-cg"])
@pytest.mark.parametrize(("classes", "scheme"), [(2, "ovr"), (3, "multinomial"), (3, "ovr")])
def test_logistic_weights_are_the_shortest(
    kind: str, fit_intercept: bool, solver: str, classes: int, scheme: str
) -> None:
    X = collinear(kind)
    y = labels(X, classes)
    # One class never comes with one of the five letters: there is no optimum, and that is said.
    apart = kind == "one-hot" and classes == 3
    with pytest.warns(ConvergenceWarning, match="no least value") if apart else nullcontext():
        model = LogisticRegression(
            penalty=None, solver=solver, multi_class=scheme, fit_intercept=fit_intercept, **EXACT
        ).fit(X, y)
    scores = model.decision_function(X).reshape(len(X), -1)
    if scheme == "multinomial":
        scores = scores - scores.mean(axis=1, keepdims=True)
        np.testing.assert_allclose(model.coef_.sum(axis=0), 0, atol=1e-9 * abs(model.coef_).max())
    wanted = least_norm(X, scores, fit_intercept)
    assert np.linalg.norm(model.coef_) <= np.linalg.norm(wanted) * (1 + 1e-6)
    np.testing.assert_allclose(model.coef_, wanted, rtol=1e-6, atol=1e-6 * abs(wanted).max())
    assert model.certificate_ < 1e-6


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("form", [np.array, sparse.csr_matrix])
def test_duplicated_columns_share_their_weight_equally(
    fit_intercept: bool, classes: int, form: Any
) -> None:
    X = collinear("duplicated")
    y = labels(X, classes)
    model = LogisticRegression(C=np.inf, fit_intercept=fit_intercept, **EXACT).fit(form(X), y)
    np.testing.assert_allclose(model.coef_[:, 4], model.coef_[:, 0], **CLOSE)
    np.testing.assert_allclose(model.coef_[:, 5], model.coef_[:, 2], **CLOSE)
    single = linear_model.LogisticRegression(
        C=np.inf, fit_intercept=fit_intercept, solver="newton-cg", tol=1e-10, max_iter=10_000
    ).fit(X[:, :4], y)
    np.testing.assert_allclose(2 * model.coef_[:, 0], single.coef_[:, 0], **CLOSE)
    np.testing.assert_allclose(model.coef_[:, 1], single.coef_[:, 1], **CLOSE)
    np.testing.assert_allclose(
        model.predict_proba(form(X)), single.predict_proba(X[:, :4]), **CLOSE
    )


def test_more_columns_than_rows_with_soft_labels() -> None:
    """Soft labels are met exactly, however many columns: the optimum exists."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(15, 40)) + 2
    p = rng.uniform(0.2, 0.8, 15)
    for solver in ("newton-cholesky", "newton-cg"):
        model = LogisticRegression(penalty=None, solver=solver, **EXACT)
        model.fit(X, np.column_stack([1 - p, p]))
        np.testing.assert_allclose(model.predict_proba(X)[:, 1], p, **CLOSE)
        wanted = least_norm(X, np.log(p / (1 - p)), True)
        np.testing.assert_allclose(model.coef_[0], wanted, **CLOSE)


def test_rows_without_weight_have_no_say() -> None:
    X, rng = collinear("duplicated"), np.random.default_rng(1)
    X[:40, 4] = rng.normal(size=40)  # only there are the columns told apart
    y = labels(X, 2)
    h = np.r_[np.zeros(40), rng.uniform(0.5, 2, 80)]
    model = LogisticRegression(penalty=None, **EXACT).fit(X, y, h)
    assert model.coef_[0, 0] == pytest.approx(model.coef_[0, 4], rel=1e-6)


def test_a_warm_start_does_not_show() -> None:
    X = collinear("duplicated")
    y = labels(X, 2)
    fresh = LogisticRegression(penalty=None, **EXACT).fit(X, y)
    warm = LogisticRegression(penalty=None, warm_start=True, **EXACT).fit(X, y)
    warm.coef_ = np.add(warm.coef_, [[3, 0, 0, 0, -3, 0]])
    np.testing.assert_allclose(warm.fit(X, y).coef_, fresh.coef_, **CLOSE)


def test_nearly_collinear_columns_keep_their_optimum() -> None:
    """A direction that is short, but there, is not taken for one that is not."""
    rng = np.random.default_rng(2)
    X = rng.normal(size=(200, 3))
    X = np.column_stack([X, X[:, 0] + 1e-6 * rng.normal(size=200)])
    y = labels(X, 2)
    model = LogisticRegression(penalty=None, **EXACT).fit(X, y)
    Z = np.column_stack([X[:, :3], (X[:, 3] - X[:, 0]) * 1e6])  # the same span, well conditioned
    same = LogisticRegression(penalty=None, **EXACT).fit(Z, y)
    assert model.objective_ <= same.objective_ * (1 + 1e-9)
    np.testing.assert_allclose(model.predict_proba(X), same.predict_proba(Z), rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("solver", ["newton", "lbfgs"])
def test_any_loss_without_a_penalty_has_the_shortest_weights(
    kind: str, fit_intercept: bool, solver: str
) -> None:
    X = collinear(kind)
    y = labels(X, 2)
    words: dict[str, Any] = {
        "alpha": 0, "fit_intercept": fit_intercept, "solver": solver, "tol": 1e-9,
        "max_iter": 20_000,
    }  # fmt: skip
    models: list[tuple[Any, Array]] = [(LinearClassifier("logistic", **words), y)]
    counts = np.random.default_rng(5).poisson(1 + y)
    models += [(LinearRegressor(loss, **words), counts) for loss in ("squared", "poisson")]
    for model, target in models:
        if kind == "units" and model.loss == "poisson":
            continue  # exp of 1e3: no solver gets to the digits
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            model.fit(X, target)
        w = np.ravel(model.coef_)
        wanted = least_norm(X, X @ w, fit_intercept)
        np.testing.assert_allclose(w, wanted, rtol=1e-6, atol=1e-6 * abs(wanted).max())


@pytest.mark.parametrize("kind", [*KINDS, "wide"])
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_squared_loss_is_the_pseudo_inverse(kind: str, fit_intercept: bool) -> None:
    rng = np.random.default_rng(6)
    X = rng.normal(size=(20, 50)) + 1 if kind == "wide" else collinear(kind)
    y = rng.normal(size=len(X)) + 4
    wanted = least_norm(X, y, fit_intercept)
    words = {"fit_intercept": fit_intercept}
    for model in (
        LeastSquares(**words),
        Ridge(alpha=0, **words),
        LinearRegressor("squared", alpha=0, tol=1e-10, **words),
    ):
        found = np.ravel(model.fit(X, y).coef_)
        np.testing.assert_allclose(found, wanted, rtol=1e-6, atol=1e-6 * abs(wanted).max())
