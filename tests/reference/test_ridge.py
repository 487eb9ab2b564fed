"""Ridge regression against scikit-learn, closed forms, and real leave-one-out fits."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import sparse
from sklearn import linear_model
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import KFold

import inducer
from inducer.base import InputError, ParameterError
from inducer.linear import LeastSquares, Ridge

Array = NDArray[Any]

# Two solvers of a problem whose condition is below a hundred.
TIGHT = {"rtol": 1e-9, "atol": 1e-11}
ALPHAS = np.array([0.0, 0.01, 1.0, 30.0, 1e4])


def problem(rows: int, cols: int, targets: int = 0) -> tuple[Array, Array]:
    rng = np.random.default_rng(rows + cols)
    X = rng.normal(size=(rows, cols)) + 2
    shape = (cols, targets) if targets else cols
    return X, X @ rng.normal(size=shape) + rng.normal(size=(rows, targets) if targets else rows) + 5


@pytest.mark.parametrize("shape", [(60, 7), (9, 20)])
@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("targets", [0, 3])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("form", [np.array, np.asfortranarray, sparse.csr_matrix])
def test_weights_are_scikit_learns(
    shape: tuple[int, int], fit_intercept: bool, targets: int, weighted: bool, form: Any
) -> None:
    X, y = problem(*shape, targets)
    h = np.random.default_rng(1).uniform(0.5, 3, len(X)) if weighted else None
    for alpha in (0.05, 3.0):
        ours = Ridge(alpha, fit_intercept=fit_intercept).fit(form(X), y, h)
        peer = linear_model.Ridge(alpha, fit_intercept=fit_intercept).fit(X, y, h)
        np.testing.assert_allclose(ours.coef_, peer.coef_, **TIGHT)
        np.testing.assert_allclose(ours.intercept_, peer.intercept_, **TIGHT)
        assert ours.coef_.shape == peer.coef_.shape


def test_zero_weights_are_as_if_the_rows_were_not_there() -> None:
    X, y = problem(20, 30)
    h = np.ones(20)
    h[[3, 7]] = 0
    kept = h > 0
    ours, peer = Ridge().fit(X, y, h), Ridge().fit(X[kept], y[kept])
    np.testing.assert_allclose(ours.coef_, peer.coef_, **TIGHT)
    assert ours.effective_dimension_ == pytest.approx(peer.effective_dimension_)


@pytest.mark.parametrize("shape", [(60, 7), (9, 20)])
def test_the_path_is_many_fits(shape: tuple[int, int]) -> None:
    X, y = problem(*shape, 2)
    coefs, intercepts = Ridge().path(X, y, ALPHAS)
    for k, alpha in enumerate(ALPHAS):
        one = Ridge(alpha).fit(X, y)
        np.testing.assert_allclose(coefs[k], one.coef_, **TIGHT)
        np.testing.assert_allclose(intercepts[k], one.intercept_, **TIGHT)
    shortest = LeastSquares().fit(X, y)
    np.testing.assert_allclose(coefs[0], shortest.coef_, **TIGHT)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("shape", [(30, 4), (10, 14)])
def test_alphas_are_scored_as_if_each_row_were_left_out(
    weighted: bool, shape: tuple[int, int]
) -> None:
    X, y = problem(*shape, 2)
    h = np.random.default_rng(1).integers(1, 4, len(X)).astype(float) if weighted else None
    alphas = ALPHAS[1:]
    model = Ridge(alphas=alphas, alpha_per_target=True).fit(X, y, h)
    squares = np.empty((len(X), len(alphas), 2))
    for i in range(len(X)):
        rest = np.arange(len(X)) != i
        coefs, b = Ridge().path(X[rest], y[rest], alphas, None if h is None else h[rest])
        squares[i] = (y[i] - (coefs @ X[i] + b)) ** 2
    np.testing.assert_allclose(model.scores_, -np.average(squares, axis=0, weights=h), rtol=1e-8)
    best = model.scores_.argmax(axis=0)
    assert np.array_equal(model.alpha_, alphas[best])
    np.testing.assert_allclose(model.coef_[1], model.coef_path_[best[1], 1], **TIGHT)
    np.testing.assert_allclose(model.best_score_, model.scores_.max(axis=0))


def test_the_choice_is_that_of_ridge_cv() -> None:
    X, y = problem(40, 8)
    y = y + 5 * np.random.default_rng(0).normal(size=40)
    peer = linear_model.RidgeCV(ALPHAS[1:]).fit(X, y)
    ours = Ridge(alphas=ALPHAS[1:]).fit(X, y)
    assert ours.alpha_ == peer.alpha_
    assert ours.best_score_ == pytest.approx(peer.best_score_, rel=1e-9)
    np.testing.assert_allclose(ours.coef_, peer.coef_, **TIGHT)


def test_folds_are_scored_by_fits_without_them() -> None:
    X, y = problem(40, 8)
    folds = KFold(4, shuffle=True, random_state=0)
    model = Ridge(alphas=ALPHAS[1:], cv=folds).fit(X, y)
    for k, alpha in enumerate(ALPHAS[1:]):
        squares = [
            (linear_model.Ridge(alpha).fit(X[a], y[a]).predict(X[b]) - y[b]) ** 2
            for a, b in folds.split(X)
        ]
        assert model.scores_[k] == pytest.approx(-np.concatenate(squares).mean(), rel=1e-9)


def test_an_alpha_for_each_target() -> None:
    X, y = problem(40, 8, 3)
    alphas = [0.1, 10.0, 1000.0]
    model = Ridge(alphas).fit(X, y)
    np.testing.assert_allclose(model.coef_, linear_model.Ridge(alphas).fit(X, y).coef_, **TIGHT)
    assert model.effective_dimension_.shape == (3,)
    with pytest.raises(ParameterError, match="2 penalties for 3 targets"):
        Ridge([1.0, 2.0]).fit(X, y)


@pytest.mark.parametrize("shape", [(50, 6), (8, 20)])
def test_effective_dimension_and_length(shape: tuple[int, int]) -> None:
    X, y = problem(*shape)
    model = Ridge(2.5).fit(X, y)
    Z = X - X.mean(axis=0)
    G = Z.T @ Z
    expected = np.trace(G @ np.linalg.inv(G + 2.5 * np.eye(len(G))))
    assert model.effective_dimension_ == pytest.approx(expected, rel=1e-9)
    assert model.effective_dimension(0.0) == pytest.approx(min(len(X) - 1, X.shape[1]))
    for alpha in (1e-3, 2.5, 1e5):
        C = model.radius(alpha)
        assert pytest.approx(np.linalg.norm(Ridge(alpha).fit(X, y).coef_), rel=1e-9) == C
        assert model.alpha_for_radius(C) == pytest.approx(alpha, rel=1e-6)
    assert model.alpha_for_radius(2 * model.radius(0.0)) == 0


def test_conjugate_gradients_come_to_the_same() -> None:
    rng = np.random.default_rng(0)
    X = sparse.random(400, 150, 0.05, format="csr", random_state=0) + sparse.csr_matrix(
        np.ones((400, 1)) @ (rng.random((1, 150)) < 0.02)
    )
    X = sparse.csr_matrix(X)
    y = X @ rng.normal(size=150) + 3
    h = rng.uniform(0.5, 2, 400)
    for form in (X, X.toarray()):
        ours = Ridge(solver="cg", tol=1e-12).fit(form, y, h)
        peer = Ridge(solver="factor").fit(X, y, h)
        np.testing.assert_allclose(ours.coef_, peer.coef_, rtol=1e-8, atol=1e-9)
        assert ours.intercept_ == pytest.approx(peer.intercept_)
        assert ours.n_iter_ > 1
        assert ours.certificate_ < 1e-12
    rough = Ridge(solver="cg", tol=0.01).fit(X, y, h)

    def objective(model: Ridge) -> float:
        r = y - model.predict(X)
        return float(h @ (r * r) + model.coef_ @ model.coef_)

    # The certificate bounds what is left of the objective, and is not nothing.
    assert 0 <= objective(rough) - objective(peer) <= rough.certificate_
    with pytest.warns(ConvergenceWarning, match="1 steps"):
        Ridge(solver="cg", max_iter=1).fit(X, y)
    with pytest.raises(InputError, match="singular values"):
        rough.radius(1.0)


def test_positive_weights_meet_scikit_learns_objective() -> None:
    X, y = problem(60, 7)
    y = y - 3 * X[:, 0]
    for alpha in (0.5, 20.0):
        ours = Ridge(alpha, positive=True).fit(X, y)
        peer = linear_model.Ridge(alpha, positive=True, tol=1e-12).fit(X, y)
        assert np.all(ours.coef_ >= 0)
        assert np.any(ours.coef_ == 0)
        # Its L-BFGS stops at some 1e-6.
        np.testing.assert_allclose(ours.coef_, peer.coef_, rtol=1e-4, atol=1e-5)


def test_float32_and_threads() -> None:
    X, y = problem(30000, 9)
    found = []
    for number in (1, 2, 7):
        with inducer.threads(number):
            found.append(Ridge(alphas=ALPHAS).fit(X.astype(np.float32), y))
    assert found[0].coef_.dtype == np.float32
    for other in found[1:]:
        assert other.coef_path_.tobytes() == found[0].coef_path_.tobytes()
        assert other.scores_.tobytes() == found[0].scores_.tobytes()
    np.testing.assert_allclose(found[0].coef_, Ridge(alphas=ALPHAS).fit(X, y).coef_, rtol=1e-5)


@pytest.mark.parametrize(
    "learner",
    [Ridge(alphas=[]), Ridge(alphas=[-1.0]), Ridge(["a"]), Ridge(alphas=[1.0], positive=True)],
)
def test_bad_alphas_are_refused(learner: Ridge) -> None:
    with pytest.raises(ParameterError, match="alpha"):
        learner.fit(*problem(10, 2))


@pytest.mark.parametrize("form", [np.array, sparse.csr_matrix])
def test_many_columns_and_one_alpha_are_solved_by_cholesky(form: Any) -> None:
    X, y = problem(700, 510, 2)
    h = np.random.default_rng(1).uniform(0.5, 2, 700)
    ours = Ridge(3.0).fit(form(X), y, h)
    peer = Ridge(3.0, solver="factor").fit(X, y, h)
    assert (ours.solver_, peer.solver_) == ("cholesky", "factor")
    np.testing.assert_allclose(ours.coef_, peer.coef_, **TIGHT)
    np.testing.assert_allclose(ours.intercept_, peer.intercept_, **TIGHT)
    assert ours.effective_dimension_ == pytest.approx(peer.effective_dimension_, rel=1e-9)
    # So small an alpha that the Gram matrix is not to be trusted.
    assert Ridge(1e-9).fit(X, y).solver_ == "factor"
