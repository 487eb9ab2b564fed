"""`BatchPerceptron` against the off-line perceptron of MIT 3.5, bit for bit."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from inducer.linear import BatchPerceptron
from reference.examples import LAYOUTS, examples, row_weights, signs
from reference.transcriptions import Batch, batch


def assert_equal(model: BatchPerceptron, found: Batch, problem: int = 0) -> None:
    np.testing.assert_array_equal(model.coef_[problem], found.w.astype(model.coef_.dtype))
    assert model.intercept_[problem] == found.b


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("fit_intercept", [False, True])
def test_weight_for_weight(layout: str, fit_intercept: bool) -> None:
    """40 rows are one block, so the sums are added in the order of the rows."""
    X, codes = examples(layout, cols=9)
    for rate, weights in ((1.0, None), (0.3, row_weights())):
        model = BatchPerceptron(eta0=rate, max_iter=25, tol=None, fit_intercept=fit_intercept)
        model.fit(X, codes, sample_weight=weights)
        found = batch(
            X,
            signs(codes),
            max_iter=25,
            tol=None,
            rate=rate,
            weights=weights,
            fit_intercept=fit_intercept,
        )
        assert model.coef_.dtype == X.dtype
        assert_equal(model, found)
        assert model.n_iter_ == 25
        assert model.n_mistakes_ == found.mistakes > 0
        total = 40.0 if weights is None else weights.sum()
        assert model.loss_ == found.loss / total


def test_one_versus_all() -> None:
    X, codes = examples("float64", classes=3, cols=9)
    model = BatchPerceptron(max_iter=25, tol=None).fit(X, codes)
    found = [batch(X, signs(codes, k), max_iter=25, tol=None) for k in range(3)]
    for k in range(3):
        assert_equal(model, found[k], k)
    assert model.n_mistakes_ == sum(one.mistakes for one in found)


@pytest.mark.parametrize("tol", [1e-3, 0.2])
def test_passes_end_as_they_are_said_to(tol: float) -> None:
    X, codes = examples("float64", cols=9)
    model = BatchPerceptron(tol=tol, n_iter_no_change=7).fit(X, codes)
    found = batch(X, signs(codes), max_iter=1000, tol=tol, patience=7)
    assert model.n_iter_ == found.passes < 1000
    assert_equal(model, found)


def test_given_weights_to_start_from() -> None:
    X, codes = examples("float64", cols=9)
    start = np.linspace(-1, 1, 9), 0.5
    model = BatchPerceptron(max_iter=10, tol=None)
    model.fit(X, codes, coef_init=start[0], intercept_init=start[1])
    assert_equal(model, batch(X, signs(codes), max_iter=10, tol=None, start=start))


def test_the_step_is_the_sum_over_the_mistakes() -> None:
    """MIT 3.5.5-9 by hand: from zero all rows are mistakes, and one step tells these apart."""
    X = [[2.0, 1.0], [1.0, 3.0], [-1.0, -2.0]]
    model = BatchPerceptron(eta0=0.5).fit(X, [1, 1, 0])
    assert model.coef_.tolist() == [[2, 3]]  # half of (2, 1) + (1, 3) + (1, 2)
    assert model.intercept_.tolist() == [0.5]
    assert (model.n_iter_, model.n_mistakes_, model.loss_) == (1, 0, 0)


def test_many_blocks_add_up_to_the_same() -> None:
    """More rows than a block has; integers, so that the order of additions does not matter."""
    rng = np.random.default_rng(0)
    X = rng.integers(-3, 4, size=(60_000, 4)).astype(float)
    y = X @ [1, -2, 0, 1] + rng.normal(size=60_000) > 0
    model = BatchPerceptron(max_iter=6, tol=None).fit(X, y)
    side, w, b = signs(y), np.zeros(4), 0.0
    best: tuple[int, Any, float] = (60_001, w, b)
    for _ in range(7):
        wrong = side * (X @ w + b) <= 0
        best = min(best, (int(wrong.sum()), w, b), key=lambda one: one[0])
        w, b = w + side[wrong] @ X[wrong], b + side[wrong].sum()
    assert model.n_mistakes_ == best[0]
    np.testing.assert_array_equal(model.coef_[0], best[1])
    assert model.intercept_[0] == best[2]
