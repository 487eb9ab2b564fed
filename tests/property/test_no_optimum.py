"""A loss that never stops falling is told from one with a least value: a linear program knows."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog
from sklearn.exceptions import ConvergenceWarning

from inducer.linear import LinearClassifier, LinearRegressor, LogisticRegression

NO_END, NO_OFFSET = "no least value", "no offset is best"


def recedes(rows: Any, still: Any = None) -> bool:
    """Return whether some v has rows v >= 0, not all zero, and still v = 0."""
    equal = {} if still is None else {"A_eq": still, "b_eq": np.zeros(len(still))}
    found = linprog(
        -rows.sum(axis=0),
        A_ub=np.vstack([-rows, rows]),
        b_ub=np.append(np.zeros(len(rows)), np.ones(len(rows))),
        bounds=(None, None),
        method="highs",
        **equal,
    )
    assert found.status == 0
    return bool(-found.fun > 0.5)  # some row can be brought to 1


def comparisons(X: Any, y: Any, classes: int) -> Any:
    """Return what must not be below zero: a row's own score less each other one."""
    Z = np.column_stack([X, np.ones(len(X))])
    rows = []
    for z, own in zip(Z, y, strict=True):
        for other in set(range(classes)) - {own}:
            block = np.zeros((classes, len(z)))
            block[own], block[other] = z, -z
            rows.append(block.ravel())
    return np.array(rows)


def said(fit: Any) -> str:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        fit()
    return " ".join(str(w.message) for w in caught if w.category is ConvergenceWarning)


def few_rows(seed: int, classes: int) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 8)) * classes + int(rng.integers(0, 25))
    X = rng.integers(-2, 3, size=(n, int(rng.integers(1, 4)))).astype(float)
    y = rng.integers(0, classes, size=n)
    y[:classes] = np.arange(classes)
    if rng.random() < 0.5:  # a feature that one class alone has
        X[:, 0] = (y == 0) * (rng.random(n) < 0.5)
    return X, y


@given(st.integers(0, 10**6))
@settings(max_examples=600, deadline=None)
def test_two_classes(seed: int) -> None:
    X, y = few_rows(seed, 2)
    signed = np.column_stack([X, np.ones(len(X))]) * np.where(y == 1, 1, -1)[:, None]
    expected = recedes(signed)
    for model in (
        LogisticRegression(C=np.inf),
        LogisticRegression(C=np.inf, solver="newton-cg"),
        LinearClassifier(alpha=0),
        LinearClassifier("exponential", alpha=0),
        LinearClassifier(alpha=0, solver="lbfgs"),
    ):
        assert (NO_END in said(lambda model=model: model.fit(X, y))) == expected, model


@given(st.integers(0, 10**6))
@settings(max_examples=100, deadline=None)
def test_several_classes(seed: int) -> None:
    X, y = few_rows(seed, 3)
    expected = recedes(comparisons(X, y, 3))
    soft = np.eye(3)[y]
    assert (NO_END in said(lambda: LogisticRegression(C=np.inf).fit(X, y))) == expected
    assert (NO_END in said(lambda: LogisticRegression(C=np.inf).fit(X, soft))) == expected
    each = any(
        recedes(np.column_stack([X, np.ones(len(X))]) * np.where(y == k, 1, -1)[:, None])
        for k in range(3)
    )
    ovr = LogisticRegression(C=np.inf, multi_class="ovr")
    assert (NO_END in said(lambda: ovr.fit(X, y))) == each


@given(st.integers(0, 10**6))
@settings(max_examples=60, deadline=None)
def test_counts(seed: int) -> None:
    """Rows that count nothing may fall for ever, others must stay."""
    X, y = few_rows(seed, 2)
    Z = np.column_stack([X, np.ones(len(X))])
    expected = recedes(-Z[y == 0], Z[y > 0])
    for loss in ("poisson", "tweedie"):
        model = LinearRegressor(loss, alpha=0)
        assert (NO_END in said(lambda model=model: model.fit(X, y))) == expected, loss


def test_the_reviewers_three_classes() -> None:
    """One of them is apart, the others overlap: the weights were 336 and nothing was said."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(200, 3))
    y = (X[:, 0] > 1) * 2
    y[(X[:, 0] <= 1) & (X[:, 1] + rng.normal(size=200) > 0)] = 1
    for way in ("multinomial", "ovr"):
        words = said(lambda way=way: LogisticRegression(C=np.inf, multi_class=way).fit(X, y))
        assert NO_END in words
        assert "Raise max_iter" not in words


def test_many_rows_and_one_that_diverges() -> None:
    """Beside so many, the one row is nothing for the objective, and all for the optimum."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30_000, 5))
    y = (X[:, 0] + rng.normal(size=len(X)) > 0).astype(int)
    assert NO_END not in said(lambda: LogisticRegression(C=np.inf).fit(X, y))
    X[:, 4] = 0
    X[np.flatnonzero(y)[0], 4] = 1
    for solver in ("auto", "newton-cg"):
        model = LogisticRegression(C=np.inf, solver=solver)
        assert NO_END in said(lambda model=model: model.fit(X, y))


@pytest.mark.parametrize("C", [1.0, np.inf])
def test_offsets_without_a_best_value(C: float) -> None:
    """The penalty does not hold them."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(50, 2)), np.arange(50) % 2
    soft = np.tile([0.0, 1.0, 0.0], (50, 1))
    alpha = 0.0 if np.isinf(C) else 0.1
    counts = LinearRegressor("poisson", alpha=alpha)
    assert NO_OFFSET in said(lambda: LogisticRegression(C=C).fit(X, soft))
    assert NO_OFFSET in said(lambda: LogisticRegression(C=C, class_weight={0: 0}).fit(X, y))
    assert NO_OFFSET in said(lambda: LinearClassifier(alpha=alpha, class_weight={0: 0}).fit(X, y))
    assert NO_OFFSET in said(lambda: counts.fit(X, np.zeros(50)))
    # The hinge and its square have a least value: at a margin of one it is reached.
    hinge = LinearClassifier("squared_hinge", alpha=alpha, class_weight={0: 0})
    assert NO_OFFSET not in said(lambda: hinge.fit(X, y))
