"""Least squares against the pseudo-inverse, real leave-one-out fits, and SciPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import optimize, sparse

import inducer
from inducer.linear import (
    BatchPerceptron,
    LeastSquares,
    LeastSquaresClassifier,
    Perceptron,
    PocketPerceptron,
)

Array = NDArray[Any]

# Two solvers of a problem whose condition is below a hundred: rounding is some 1e-13.
TIGHT = {"rtol": 1e-9, "atol": 1e-11}


def problem(rows: int = 60, cols: int = 5, targets: int = 0, seed: int = 0) -> tuple[Array, Array]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, cols)) + 3
    shape = (cols, targets) if targets else cols
    y = X @ rng.normal(size=shape) + rng.normal(size=(rows, targets) if targets else rows)
    return X, y + 7


def with_constant(X: Array, fit_intercept: bool) -> Array:
    return np.column_stack([X, np.ones(len(X))]) if fit_intercept else X


def solution(X: Array, y: Array, h: Array, fit_intercept: bool) -> Array:
    """Return the pseudo-inverse's answer, for the table with its constant column."""
    root = np.sqrt(h)[:, None]
    A = with_constant(X, fit_intercept) * root
    return np.linalg.pinv(A) @ (y.reshape(len(y), -1) * root)


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("targets", [0, 3])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("form", [np.array, np.asfortranarray, sparse.csr_matrix])
def test_weights_are_those_of_the_pseudo_inverse(
    fit_intercept: bool, targets: int, weighted: bool, form: Any
) -> None:
    X, y = problem(targets=targets)
    h = np.random.default_rng(1).integers(0, 4, len(X)).astype(float) if weighted else None
    model = LeastSquares(fit_intercept=fit_intercept).fit(form(X), y, h)
    found = solution(X, y, np.ones(len(X)) if h is None else h, fit_intercept)
    np.testing.assert_allclose(np.atleast_2d(model.coef_), found[:5].T, **TIGHT)
    expected = found[5] if fit_intercept else np.zeros(max(1, targets))
    np.testing.assert_allclose(np.atleast_1d(model.intercept_), expected, **TIGHT)
    assert model.coef_.shape == ((targets, 5) if targets else (5,))
    assert model.predict(form(X)).shape == y.shape


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("weighted", [False, True])
def test_the_leave_one_out_residuals_are_those_of_fits_without_the_row(
    fit_intercept: bool, weighted: bool
) -> None:
    X, y = problem(rows=25)
    h = np.random.default_rng(1).integers(1, 4, len(X)).astype(float) if weighted else None
    model = LeastSquares(fit_intercept=fit_intercept).fit(X, y, h)
    out = np.empty(len(X))
    for i in range(len(X)):
        rest = np.arange(len(X)) != i
        part = LeastSquares(fit_intercept=fit_intercept).fit(
            X[rest], y[rest], None if h is None else h[rest]
        )
        out[i] = y[i] - part.predict(X[[i]])[0]
    np.testing.assert_allclose(model.loo_residuals_, out, **TIGHT)
    assert model.loo_score_ == pytest.approx(-np.average(out**2, weights=h), rel=1e-9)


def test_the_hat_matrix_is_symmetric_and_idempotent_and_its_trace_counts_the_weights() -> None:
    X, y = problem(rows=30)
    # The hat matrix's columns are what is predicted for targets with a one in one row.
    H = LeastSquares().fit(X, np.eye(30)).predict(X)
    np.testing.assert_allclose(H, H.T, atol=1e-12)
    np.testing.assert_allclose(H @ H, H, atol=1e-12)
    assert np.trace(H) == pytest.approx(5 + 1, abs=1e-10)
    model = LeastSquares().fit(X, y)
    np.testing.assert_allclose(model.leverage_, np.diag(H), atol=1e-12)
    np.testing.assert_allclose(H @ y, model.predict(X), **TIGHT)
    squares = np.sum((y - model.predict(X)) ** 2)
    assert model.noise_variance_ == pytest.approx(squares / (30 - 6), rel=1e-10)


def test_rank_and_singular_values() -> None:
    X, y = problem()
    model = LeastSquares().fit(X, y)
    expected = np.linalg.svd(X - X.mean(axis=0), compute_uv=False)
    np.testing.assert_allclose(model.singular_, expected, **TIGHT)
    assert model.rank_ == 5
    model.fit(np.column_stack([X, X[:, 0] - 2 * X[:, 1], np.full(len(X), 0.1)]), y)
    assert model.rank_ == 5
    assert model.singular_.shape == (7,)
    assert np.all(model.singular_[5:] == 0)


@pytest.mark.parametrize("rows", [6, 40])
@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_of_many_solutions_it_is_the_shortest(rows: int, fit_intercept: bool, dtype: Any) -> None:
    """With fewer rows than columns, or with collinear columns."""
    X, y = problem(rows=rows, cols=5, seed=3)
    X = np.hstack([X, X @ np.random.default_rng(0).normal(size=(5, 4))]).astype(dtype)
    model = LeastSquares(fit_intercept=fit_intercept).fit(X, y)
    Z, z = X.astype(np.float64), y
    if fit_intercept:
        Z, z = Z - Z.mean(axis=0), y - y.mean()
    # As the pseudo-inverse with what is below the rounding of the data left out.
    eps = np.finfo(dtype).eps
    expected = np.linalg.pinv(Z, rcond=100 * eps) @ z
    bound = 1e-9 if dtype == np.float64 else 1e-3  # the noise of float32 columns, by the condition
    np.testing.assert_allclose(model.coef_, expected, rtol=bound, atol=bound)
    assert model.rank_ == min(rows - fit_intercept, 5)


def test_nearly_collinear_columns_give_no_garbage() -> None:
    """Condition 1e9: the Gram matrix knows nothing of the small direction, X itself does."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 3))
    X = np.column_stack([X, X[:, 0] + 1e-9 * rng.normal(size=200)])
    y = X[:, :3] @ [1.0, 2.0, 3.0]
    model = LeastSquares().fit(X, y)
    np.testing.assert_allclose(model.predict(X), y, atol=1e-12)
    assert model.rank_ == 4
    # Rounding of the data, times the condition.
    np.testing.assert_allclose(model.coef_, [1, 2, 3, 0], atol=1e-5)


def test_columns_far_from_zero_keep_their_digits() -> None:
    X, y = problem(rows=200)
    near = LeastSquares().fit(X, y)
    far = LeastSquares().fit(X + 1e7, y)
    # X + 1e7 itself is rounded to 2e-9.
    np.testing.assert_allclose(far.coef_, near.coef_, rtol=1e-7)


def test_columns_that_do_not_vary_get_no_weight() -> None:
    X, y = problem()
    for value in (0.1, 1e8, 0.0):
        model = LeastSquares().fit(np.column_stack([X, np.full(len(X), value)]), y)
        assert model.coef_[5] == 0
        np.testing.assert_allclose(model.coef_[:5], LeastSquares().fit(X, y).coef_, **TIGHT)
    only = LeastSquares().fit(np.full((10, 2), 0.1), np.arange(10.0))
    assert np.all(only.coef_ == 0)
    assert only.intercept_ == pytest.approx(4.5)
    assert only.rank_ == 0


def test_positive_weights_are_those_of_nnls() -> None:
    X, _ = problem(rows=80, cols=7, seed=2)
    y = X @ [1.0, -2.0, 3.0, 0.5, -1.0, 0.0, 2.0] + np.random.default_rng(0).normal(size=80)
    model = LeastSquares(positive=True, fit_intercept=False).fit(X, y)
    expected, _ = optimize.nnls(X, y)
    assert (expected == 0).any()
    assert (expected > 0).any()
    np.testing.assert_allclose(model.coef_, expected, rtol=1e-9, atol=1e-11)


def test_threads_do_not_change_a_bit() -> None:
    X, y = problem(rows=30000, cols=9)
    found = []
    for number in (1, 2, 7):
        with inducer.threads(number):
            model = LeastSquares().fit(X, y)
            found.append((model.coef_.tobytes(), model.intercept_, model.loo_score_))
    assert found[0] == found[1] == found[2]


@pytest.mark.parametrize("classes", [2, 3])
def test_the_classifier_is_the_sign_of_a_fit_to_signs(classes: int) -> None:
    X, y = problem(rows=90)
    labels = np.array(["a", "b", "c"])[
        np.digitize(y, np.quantile(y, np.arange(1, classes) / classes))
    ]
    model = LeastSquaresClassifier().fit(X, labels)
    names = model.classes_[1:] if classes == 2 else model.classes_
    signs = np.where(labels[:, None] == names, 1.0, -1.0)
    fit = LeastSquares().fit(X, signs)
    np.testing.assert_allclose(model.coef_, fit.coef_, **TIGHT)
    np.testing.assert_allclose(model.intercept_, fit.intercept_, **TIGHT)
    said = fit.predict(X)
    winner = (said[:, 0] > 0).astype(int) if classes == 2 else said.argmax(axis=1)
    assert np.array_equal(model.predict(X), model.classes_[winner])
    for learner in (Perceptron(max_iter=3, tol=None), PocketPerceptron(max_iter=3)):
        learner.fit(X, labels, coef_init=model.coef_, intercept_init=model.intercept_)
    BatchPerceptron(max_iter=1, tol=None).fit(
        X, labels, coef_init=model.coef_, intercept_init=model.intercept_
    )
