"""What helps conjugate gradients on the softmax, beside the Hessian it stands for."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import sparse
from sklearn import linear_model

from inducer.base.arrays import matrix_of
from inducer.linear import LogisticRegression
from inducer.linear._orthant import OrthantNewton
from inducer.linear._precondition import by_factor
from inducer.linear._softmax import SAMPLE, SoftmaxLosses

OUTPUTS, COLS = 4, 5

# What is inverted is lifted by 1e-8 of its diagonal, and its condition is some hundreds.
CLOSE = 1e-5


def problem(X: Any, **arguments: Any) -> SoftmaxLosses:
    codes = np.arange(X.shape[0], dtype=np.int32) % OUTPUTS
    return SoftmaxLosses(matrix_of(X), OUTPUTS, codes=codes, **arguments)


def centred(unknowns: Any, width: int) -> Any:
    """Without what the softmax does not see: the mean of the offsets."""
    table = unknowns.reshape(-1, width).copy()
    if len(table) == OUTPUTS:
        table[:, -1] -= table[:, -1].mean()
    return table


@pytest.mark.parametrize(
    "arguments", [{}, {"pinned": True}, {"fit_intercept": False}, {"factor": 0.1}], ids=str
)
@pytest.mark.parametrize("weighted", [False, True])
def test_a_sample_of_all_rows_is_the_hessian(arguments: Any, weighted: bool) -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(SAMPLE * (COLS + 1) - 10, COLS)) + 0.5
    weights = rng.uniform(0, 2, len(X)) if weighted else None
    sums = problem(X, weights=weights, **arguments)
    point = sums.evaluate(
        rng.normal(size=sums.size) * (1.0 if sums.fit_intercept else sums.penalised)
    )
    v = rng.normal(size=sums.size) * (1.0 if sums.fit_intercept else sums.penalised)
    back = sums.sampled(point)(sums.product(point, v))
    np.testing.assert_allclose(centred(back, COLS + 1), centred(v, COLS + 1), atol=CLOSE)


@pytest.mark.parametrize("form", [np.asarray, np.asfortranarray, sparse.csr_matrix])
def test_a_sample_stands_for_all_rows(form: Any) -> None:
    rng = np.random.default_rng(1)
    seen = rng.normal(size=(SAMPLE * (COLS + 1), COLS))
    sums = problem(form(np.repeat(seen, 4, axis=0)))  # the sample is every fourth row
    # At zero the probabilities do not depend on the row: the Hessian is a Kronecker product.
    point = sums.evaluate(np.zeros(sums.size))
    about = np.repeat(seen, 4, axis=0) - sums.centre.place
    ones = np.column_stack([about, np.ones(4 * len(seen))])
    spread = np.eye(OUTPUTS) / OUTPUTS - np.ones((OUTPUTS, OUTPUTS)) / OUTPUTS**2
    H = np.kron(spread, ones.T @ ones) + np.diag(sums.penalised)
    v = rng.normal(size=sums.size)
    np.testing.assert_allclose(sums.product(point, v), H @ v, rtol=1e-9)
    back = sums.sampled(point)(H @ v)
    np.testing.assert_allclose(centred(back, COLS + 1), centred(v, COLS + 1), atol=CLOSE)


def test_what_the_sample_misses_curves_as_in_all_rows() -> None:
    H = np.array([[4.0, 1.0, 0.0], [1.0, 3.0, 0.0], [0.0, 0.0, 0.0]])
    solve = by_factor(H.copy(), np.array([5.0, 2.0, 8.0]), np.array([False, False, True]))
    expected = np.linalg.solve(H + np.diag([0.0, 0.0, 8.0]), [1.0, 2.0, 3.0])
    np.testing.assert_allclose(solve(np.array([1.0, 2.0, 3.0])), expected, rtol=1e-6)  # the lift


def test_correlated_columns_take_few_products(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(2)
    mixed = rng.normal(size=(20, 20)) * 0.6 ** np.arange(20)
    X = rng.normal(size=(30_000, 20)) @ mixed
    X /= X.std(axis=0)
    y = np.argmax(X @ rng.normal(size=(20, 8)) / 4 + rng.gumbel(size=(len(X), 8)), axis=1)
    made = 0
    product = SoftmaxLosses.product

    def counted(self: SoftmaxLosses, *arguments: Any) -> Any:
        nonlocal made
        made += 1
        return product(self, *arguments)

    monkeypatch.setattr(SoftmaxLosses, "product", counted)
    helped = LogisticRegression(tol=1e-8).fit(X, y)
    assert helped.solver_ == "newton-cg"
    with_sample = made
    monkeypatch.setattr("inducer.linear._softmax.MOST_WRITTEN", 0)
    made = 0
    plain = LogisticRegression(tol=1e-8, max_iter=1000).fit(X, y)
    assert with_sample < made / 4
    np.testing.assert_allclose(helped.objective_, plain.objective_, rtol=1e-10)


def test_a_column_that_the_sample_misses_is_found_in_all_rows() -> None:
    rng = np.random.default_rng(3)
    X = rng.normal(size=(4 * SAMPLE * (COLS + 1), COLS))
    X[::4, 2] = 0.0  # which are the rows taken
    sums = problem(X)
    sums.centre.place[:] = 0.0  # seen from elsewhere the column is not zero in the sample
    point = sums.evaluate(np.zeros(sums.size))
    e = np.zeros(sums.size)
    e[2] = 1.0
    curvature = (X[:, 2] ** 2).sum() * (1 / OUTPUTS) * (1 - 1 / OUTPUTS) + sums.ridge
    np.testing.assert_allclose(sums.sampled(point)(e), e / curvature, rtol=1e-6, atol=1e-12)


def test_rows_of_no_weight_are_not_sampled() -> None:
    rng = np.random.default_rng(4)
    seen = rng.normal(size=(SAMPLE * (COLS + 1), COLS))
    X = np.repeat(seen, 4, axis=0)
    weights = np.tile([0.0, 0.0, 2.0, 0.0], len(seen))
    sums = problem(X, weights=weights)
    point = sums.evaluate(rng.normal(size=sums.size))
    v = rng.normal(size=sums.size)
    back = sums.sampled(point)(sums.product(point, v))
    np.testing.assert_allclose(centred(back, COLS + 1), centred(v, COLS + 1), atol=CLOSE)
    nothing = problem(X, weights=np.zeros(len(X)))
    point = nothing.evaluate(np.zeros(nothing.size))
    assert np.all(np.isfinite(nothing.sampled(point)(nothing.product(point, v))))


def test_threads_do_not_matter() -> None:
    rng = np.random.default_rng(5)
    X, y = rng.normal(size=(20_000, 30)), rng.integers(0, 6, 20_000)
    one, two = (LogisticRegression(n_jobs=jobs, tol=1e-8).fit(X, y).coef_ for jobs in (1, 2))
    assert one.tobytes() == two.tobytes()


def test_absolute_values_and_what_all_outputs_have_in_common() -> None:
    """No probability sees it: Newton's steps had no end that way, and took 40 tries each."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(3000, 20))
    W = rng.normal(size=(20, 5)) * (rng.random((20, 5)) < 0.3)
    y = np.argmax(X @ W + rng.gumbel(size=(3000, 5)), axis=1)
    matrix = matrix_of(X)
    for C in (0.01, 0.1, 1.0):
        values = {}
        for explicit in (True, False):
            problem = SoftmaxLosses(matrix, 5, codes=y.astype(np.int32), factor=C, ridge=0.0)
            tried = 0
            evaluate = problem.evaluate

            def counted(at: Any, evaluate: Any = evaluate, **words: Any) -> Any:
                nonlocal tried
                tried += 1
                return evaluate(at, **words)

            problem.evaluate = counted  # type: ignore[method-assign]
            run = OrthantNewton(
                problem, np.zeros(problem.size), l1=problem.penalised, tol=1e-4, explicit=explicit
            )
            while not run.reached(50):
                run.advance(None, 50, 1)
            assert run.converged
            assert run.made <= 12
            assert tried <= 2 * run.made + 1
            assert run.gradient_norm() <= 1e-4
            values[explicit] = run.value(run.point)
            weights = run.point.at.reshape(5, -1)[:, :-1]
            # The best part in common: as many weights above zero as below, but for those at it.
            assert np.all(np.abs(np.sign(weights).sum(axis=0)) <= (weights == 0).sum(axis=0))
        peer = linear_model.LogisticRegression(
            C=C, l1_ratio=1, solver="saga", tol=1e-7, max_iter=20_000, random_state=0
        ).fit(X, y)
        lost = -C * peer.predict_log_proba(X)[np.arange(3000), y].sum() + np.abs(peer.coef_).sum()
        assert values[True] <= lost * (1 + 1e-8)
        assert values[False] <= lost * (1 + 5e-6)  # its decrement is 1e-6 of it, and truncated
