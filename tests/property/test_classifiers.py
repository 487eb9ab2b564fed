"""What holds of logistic regression and support vector machines, whatever the data."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import inducer
from inducer.linear import LinearSVC, LinearSVR, LogisticRegression

SEEDS = st.integers(0, 10**6)
PRICES = st.sampled_from([0.01, 0.3, 5.0])


def drawn(seed: int, rows: int = 60, cols: int = 4) -> tuple[Any, Any, Any]:
    """Return rows, signs of both kinds, and numbers."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, cols)) * rng.choice([0.1, 1.0, 3.0], cols)
    t = X @ rng.normal(size=cols) + rng.normal(size=rows)
    y = np.where(t > np.median(t), 1, -1)
    return X, y, t


@settings(max_examples=25)
@given(SEEDS, PRICES, st.booleans())
def test_the_gap_bounds_the_distance_to_the_optimum(seed: int, C: float, dual: bool) -> None:
    """No plane near by costs less than (1 - gap) of the objective."""
    X, y, _ = drawn(seed)
    model = LinearSVC(loss="hinge", C=C, tol=1e-2, dual=dual, max_iter=50_000, random_state=0)
    model.fit(X, y)
    exact = LinearSVC(loss="hinge", C=C, tol=1e-8, dual=False).fit(X, y)

    def cost(m: Any) -> float:
        w = m.coef_[0]
        return float(w @ w / 2 + C * np.maximum(0, 1 - y * (X @ w + m.intercept_[0])).sum())

    assert cost(model) == pytest.approx(model.objective_, rel=1e-9)
    assert cost(exact) >= (1 - model.certificate_) * cost(model) - 1e-9 * cost(model)


@settings(max_examples=25)
@given(SEEDS, PRICES)
def test_the_slopes_of_the_hinge_balance_at_the_optimum(seed: int, C: float) -> None:
    """KKT: rows beyond the margin do not hold the plane, and those that miss it hold fully."""
    X, y, _ = drawn(seed)
    model = LinearSVC(loss="hinge", C=C, tol=1e-8, dual=False).fit(X, y)
    margins = y * model.decision_function(X)
    held = np.isin(np.arange(len(y)), model.support_)
    assert np.all(margins[~held] >= 1 - 1e-4)
    assert np.all(held[margins < 1 - 1e-4])


@settings(max_examples=25)
@given(SEEDS, PRICES, st.sampled_from([0.0, 0.5, 1.0]), st.integers(2, 3))
def test_kkt_of_logistic_regression(seed: int, C: float, ratio: float, count: int) -> None:
    X, _, t = drawn(seed)
    y = np.digitize(t, np.quantile(t, np.arange(1, count) / count))
    model = LogisticRegression(C=C, l1_ratio=ratio, tol=1e-8).fit(X, y)
    wrong = (model.predict_proba(X) - np.eye(count)[y])[:, count == 2 :]
    slope = C * wrong.T @ X + (1 - ratio) * model.coef_
    small = 1e-6 * C * len(y)
    zero = model.coef_ == 0
    assert np.all(np.abs(slope[zero]) <= ratio + small)
    assert np.all(np.abs(slope + ratio * np.sign(model.coef_))[~zero] <= small)
    assert np.all(np.abs(wrong.sum(axis=0)) <= 1e-6 * len(y))  # the bias costs nothing


MODELS = (
    LogisticRegression(),
    LogisticRegression(l1_ratio=0.5),
    LinearSVC(),
    LinearSVC(loss="hinge", dual=False),
    LinearSVC(loss="hinge", dual=True, C=0.01, tol=1e-2, random_state=0),
)


@pytest.mark.parametrize("model", MODELS, ids=str)
def test_the_number_of_threads_changes_no_bit(model: Any) -> None:
    X, y, _ = drawn(1, rows=5000, cols=30)
    found = []
    for number in (1, 2, 7):
        with inducer.threads(number):
            model.fit(X, y)
        found.append((model.coef_.tobytes(), model.intercept_.tobytes()))
    assert found[0] == found[1] == found[2]


@settings(max_examples=10)
@given(SEEDS)
def test_weights_are_copies(seed: int) -> None:
    X, y, t = drawn(seed)
    times = np.random.default_rng(seed + 1).integers(0, 4, len(y))
    times[:2] = 1
    y[0], y[1] = 1, -1
    X2, y2, t2 = (np.repeat(a, times, axis=0) for a in (X, y, t))
    for model in (LogisticRegression(tol=1e-8), LinearSVC(tol=1e-8)):
        weighed = model.fit(X, y, sample_weight=times).coef_.copy()
        np.testing.assert_allclose(model.fit(X2, y2).coef_, weighed, rtol=1e-6, atol=1e-8)
    tube = LinearSVR(loss="squared_epsilon_insensitive", epsilon=0.1, tol=1e-8)
    weighed = tube.fit(X, t, sample_weight=times).coef_.copy()
    np.testing.assert_allclose(tube.fit(X2, t2).coef_, weighed, rtol=1e-6, atol=1e-8)


@settings(max_examples=15)
@given(SEEDS, PRICES)
def test_objectives_never_rise(seed: int, C: float) -> None:
    from inducer.base import Trace

    X, y, _ = drawn(seed)
    for ratio in (0.0, 1.0):
        model = LogisticRegression(C=C, l1_ratio=ratio, tol=1e-7).set_callbacks(Trace()).fit(X, y)
        values = model.history_["objective"]
        assert np.all(np.diff(values) <= 1e-10 * np.abs(values[:-1]))
