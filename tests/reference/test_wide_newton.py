"""The fits of smooth losses that read the rows seldom, beside those that read them often."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import make_classification

import inducer
from inducer.base.arrays import matrix_of
from inducer.linear import LinearSVC, LogisticRegression
from inducer.linear._centre import Centre
from inducer.linear._newton import Newton
from inducer.linear._share import EVERY, ROWS_PER_COLUMN, nearer
from inducer.linear._subspace import SubspaceNewton
from inducer.linear._sums import Point, RowLosses

random = np.random.default_rng(0)


def table(rows: int, cols: int) -> tuple[Any, Any]:
    X = random.standard_normal((rows, cols))
    scores = X @ random.standard_normal(cols) / np.sqrt(cols) + 0.5 * random.standard_normal(rows)
    return X, (scores > 0.1).astype(np.int32)


def problem_of(X: Any, codes: Any, loss: str = "logistic", **arguments: Any) -> RowLosses:
    return RowLosses(matrix_of(X), loss, codes=codes, **arguments)


def ended(run: Any) -> Any:
    while not run.reached(100):
        run.advance(None, 100, 1)
    return run


def optimum(problem: RowLosses) -> Point:
    """Return where Newton's method over all rows ends."""
    found: Point = ended(Newton(problem, np.zeros(problem.size), tol=1e-10, explicit=True)).point
    return found


LAYOUTS = {
    "C": lambda X: X,
    "Fortran": np.asfortranarray,
    "float32": lambda X: X.astype(np.float32),
    "CSR": sparse.csr_matrix,
}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("cols", [1, 7, 8, 15, 16, 31, 50, 333])
def test_one_read_gives_what_three_give(layout: str, cols: int) -> None:
    X, codes = table(701, cols)
    weights = random.random(701)
    problem = problem_of(LAYOUTS[layout](X), codes, weights=weights, factor=2.0, ridge=0.3)
    at, v = random.standard_normal((2, cols + 1)) / np.sqrt(cols)
    point = problem.evaluate(at, squares=True)
    gradient, image, changes = problem.sweep(point, v)
    # Other pieces, in another order: some hundred additions' rounding.
    np.testing.assert_allclose(gradient, point.gradient, rtol=1e-12, atol=1e-10)
    np.testing.assert_allclose(image, problem.product(point, v), rtol=1e-12, atol=1e-10)
    rows = LAYOUTS[layout](X)
    rows = np.asarray(rows.toarray() if layout == "CSR" else rows, np.float64)
    raw = problem.raw(v)
    np.testing.assert_allclose(changes, rows @ raw[:-1] + raw[-1], rtol=1e-12, atol=1e-12)
    # About the centre; dense rows are taken to be curved alike.
    curvatures = point.held["curvatures"]
    heights = curvatures if layout == "CSR" else np.full(701, np.mean(curvatures))
    squares = heights @ (rows - problem.centre.place) ** 2
    expected = problem.factor * np.append(squares, heights.sum())
    expected += problem.ridge * problem.penalised
    np.testing.assert_allclose(problem.diagonal(point), expected, rtol=1e-12)


@pytest.mark.parametrize("loss", ["logistic", "squared_hinge"])
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_directions_lead_to_the_optimum(loss: str, fit_intercept: bool) -> None:
    X, codes = table(3000, 320)
    problem = problem_of(X, codes, loss, fit_intercept=fit_intercept)
    least = optimum(problem).value
    run = ended(SubspaceNewton(problem, np.zeros(321), tol=1e-4))
    assert run.converged
    assert not run.over  # columns that hardly depend on each other need few directions
    assert fit_intercept or run.point.at[-1] == 0
    # tol^1.5 of the value is what may be left, as the largest curvature met has it.
    assert 0 <= run.point.value - least <= 2e-6 * least
    true = problem.evaluate(run.point.at)
    assert run.point.value == pytest.approx(true.value, rel=1e-12)
    assert run.gradient_norm() == np.max(np.abs(true.gradient)) / problem.total


@pytest.mark.parametrize("loss", ["logistic", "squared_hinge"])
def test_where_columns_depend_on_each_other_newton_takes_over(loss: str) -> None:
    X, y = make_classification(1500, 400, n_informative=60, n_redundant=60, random_state=1)
    problem = problem_of(X, y.astype(np.int32), loss)
    least = optimum(problem).value
    run = ended(SubspaceNewton(problem, np.zeros(401), tol=1e-4))
    assert run.over
    assert run.converged
    # tol^1.5, and what a direction not yet met may add.
    assert run.point.value - least <= 2e-6 * least


@pytest.mark.parametrize("learner", [LogisticRegression, LinearSVC])
@pytest.mark.parametrize("shape", [(2000, 700), (60_000, 20)])
def test_threads_change_no_bit(learner: Any, shape: tuple[int, int]) -> None:
    X, y = table(*shape)
    found = []
    for number in (1, 2, 3):
        with inducer.threads(number):
            model = learner().fit(X, y)
        found.append((model.coef_.tobytes(), model.intercept_.tobytes(), model.certificate_))
    assert found[0] == found[1] == found[2]


def test_steps_that_stop_early_say_how_far_they_are() -> None:
    X, y = table(8000, 700)
    with pytest.warns(UserWarning, match="largest slope"):
        model = LogisticRegression(max_iter=1).fit(X, y)
    scores = X @ model.coef_[0] + model.intercept_[0]
    slopes = 1 / (1 + np.exp(-scores)) - y
    centre = Centre.of(matrix_of(X), free=True, threads=1).place
    left = np.append((X - centre).T @ slopes + model.coef_[0], slopes.sum())
    assert model.n_iter_ == 1
    assert model.certificate_ == pytest.approx(np.max(np.abs(left)) / 8000, rel=1e-9)


def test_a_share_of_the_rows_is_a_better_start() -> None:
    rows = 60_000
    X, codes = table(rows, 20)
    assert rows // EVERY > ROWS_PER_COLUMN * 21
    problem = problem_of(X, codes)
    start = nearer(problem, np.zeros(21))
    least = problem.evaluate(optimum(problem).at).value
    first, share = problem.evaluate(np.zeros(21)).value, problem.evaluate(start).value
    assert share - least < 0.02 * (first - least)
    own = np.ones(21)
    assert nearer(problem, own) is own  # a caller's start is kept


@pytest.mark.parametrize("learner", [LogisticRegression, LinearSVC])
def test_a_share_that_misleads_costs_steps_only(learner: Any) -> None:
    X, y = table(60_000, 20)
    y[::EVERY] = 1  # and none of these knows of another class
    plain = learner(tol=1e-7).fit(X, y)
    turned = learner(tol=1e-7).fit(X[::-1], y[::-1])  # another share, which knows both
    np.testing.assert_allclose(plain.coef_, turned.coef_, rtol=1e-6, atol=1e-8)
    assert plain.certificate_ < 1e-8
