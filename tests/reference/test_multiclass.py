"""`MulticlassPerceptron` against CIML A39, bit for bit."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from inducer.base.random import kernel_seed
from inducer.linear import MulticlassPerceptron
from reference import transcriptions
from reference.examples import LAYOUTS, examples, row_weights
from reference.transcriptions import make_passes, orders, visited


def transcribed(
    X: Any,
    codes: Any,
    classes: int,
    *,
    max_iter: int = 3,
    tol: float | None = None,
    shuffle: str = "every",
    **options: Any,
) -> tuple[transcriptions.Multiclass, transcriptions.Passes]:
    walk = transcriptions.Multiclass(X, codes, classes, **options)
    weights = walk.weights
    passes = make_passes(
        walk.visit,
        orders(visited(X.shape[0], weights), shuffle, kernel_seed(0), 0),
        float(X.shape[0]) if weights is None else float(weights.sum()),
        max_iter=max_iter,
        tol=tol,
    )
    return walk, passes


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("shuffle", ["every", "once", "never"])
@pytest.mark.parametrize("average", [False, True])
def test_weight_for_weight(layout: str, shuffle: str, average: bool) -> None:
    for classes in (2, 4):
        X, codes = examples(layout, classes)
        model = MulticlassPerceptron(
            average=average, max_iter=3, tol=None, shuffle=shuffle, random_state=0
        ).fit(X, codes)
        walk, passes = transcribed(X, codes, classes, shuffle=shuffle)
        w, b = walk.averaged() if average else (walk.w, walk.b)
        assert model.coef_.dtype == w.dtype
        np.testing.assert_array_equal(model.coef_, w)
        np.testing.assert_array_equal(model.intercept_, b)
        assert model.n_mistakes_ == sum(passes.mistakes) > 20
        assert model.t_ == walk.c


@pytest.mark.parametrize("layout", ["float64", "csr float32"])
@pytest.mark.parametrize("average", [False, True])
def test_weights_rate_and_no_intercept(layout: str, average: bool) -> None:
    X, codes = examples(layout, classes=3)
    weights = row_weights()
    model = MulticlassPerceptron(
        average=average, max_iter=3, tol=None, eta0=0.3, fit_intercept=False, random_state=0
    ).fit(X, codes, sample_weight=weights)
    walk, _ = transcribed(X, codes, 3, weights=weights, rate=0.3, fit_intercept=False)
    np.testing.assert_array_equal(model.coef_, walk.averaged()[0] if average else walk.w)
    assert model.intercept_.tolist() == [0, 0, 0]


def test_passes_end_as_they_are_said_to() -> None:
    X, codes = examples("float64", classes=3, cols=7)
    model = MulticlassPerceptron(max_iter=500, random_state=0).fit(X, codes)
    walk, passes = transcribed(X, codes, 3, max_iter=500, tol=1e-3)
    assert model.n_iter_ == passes.made < 500
    np.testing.assert_array_equal(model.coef_, walk.w)


@pytest.mark.parametrize("average", [False, True])
def test_many_calls(average: bool) -> None:
    """Two passes, two more with a warm start, and one of partial_fit."""
    X, codes = examples("float64", classes=3)
    model = MulticlassPerceptron(
        average=average, max_iter=2, tol=None, warm_start=True, random_state=0
    )
    walk = transcriptions.Multiclass(X, codes, 3)
    for first, passes in ((0, 2), (2, 2), (4, 1)):
        order = orders(np.arange(40), "every", kernel_seed(0), 0, first)
        make_passes(walk.visit, order, 40, max_iter=passes, tol=None)
        if passes == 2:
            model.fit(X, codes)
        else:
            model.partial_fit(X, codes)
        w, b = walk.averaged() if average else (walk.w, walk.b)
        np.testing.assert_array_equal(model.coef_, w)
        np.testing.assert_array_equal(model.intercept_, b)
        assert model.t_ == walk.c


def test_given_weights_to_start_from() -> None:
    X, codes = examples("float64", classes=3)
    coef, intercept = np.linspace(-1, 1, 3 * 41).reshape(3, 41), np.array([0.5, -1, 2])
    model = MulticlassPerceptron(max_iter=1, tol=None, shuffle="never")
    model.fit(X, codes, coef_init=coef, intercept_init=intercept)
    walk = transcriptions.Multiclass(X, codes, 3)
    walk.w[:], walk.b[:] = coef, intercept
    for i in range(40):
        walk.visit(i)
    np.testing.assert_array_equal(model.coef_, walk.w)
    np.testing.assert_array_equal(model.intercept_, walk.b)


def test_the_guess_is_the_first_of_equals() -> None:
    """From zero all classes tie: the first is guessed, and right for the rows that are of it."""
    model = MulticlassPerceptron(max_iter=1, tol=None, shuffle="never")
    model.fit([[1.0, 2.0], [0.0, 1.0], [1.0, 0.0]], ["a", "c", "b"])
    # Row 0 is right. Row 1: c up, a down. Row 2: scores -1, 0, 1 from the offsets: b up, c down.
    assert model.coef_.tolist() == [[0, -1], [1, 0], [-1, 1]]
    assert model.intercept_.tolist() == [-1, 1, 0]
    assert model.n_mistakes_ == 2
