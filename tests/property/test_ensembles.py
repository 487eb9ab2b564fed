# ruff: noqa: ARG002 (the protocol's names)
"""Theorems about ensembles."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import BaseEstimator, ClassifierMixin

from inducer.ensembles import AdaBoost, Stacking
from inducer.trees import DecisionStump


@st.composite
def examples(draw: Any) -> tuple[Any, Any]:
    """Rows of few small integers, and two classes."""
    rows = draw(st.integers(4, 30))
    seed = draw(st.integers(0, 2**32 - 1))
    rng = np.random.default_rng(seed)
    X = rng.integers(0, draw(st.integers(2, 6)), size=(rows, draw(st.integers(1, 4)))).astype(float)
    y = rng.integers(0, 2, size=rows)
    y[:2] = 0, 1
    return X, y


@settings(deadline=None, max_examples=60)
@given(examples(), st.integers(1, 30))
def test_training_error_is_below_its_bound(data: tuple[Any, Any], rounds: int) -> None:
    X, y = data
    model = AdaBoost(DecisionStump(), n_estimators=rounds).fit(X, y)
    bound = 1.0
    for eps, said in zip(model.estimator_errors_, model.staged_predict(X), strict=True):
        bound *= 2 * np.sqrt(eps * (1 - eps))
        # Of products and sums of 30 numbers near one.
        assert np.mean(said != y) <= bound * (1 + 1e-9) + 1e-9


@settings(deadline=None, max_examples=30)
@given(examples(), st.integers(0, 1000))
def test_weights_are_copies(data: tuple[Any, Any], seed: int) -> None:
    """Until two stumps are equally good, when rounding decides: one round, then."""
    X, y = data
    counts = np.random.default_rng(seed).integers(1, 4, size=len(y))
    weighted = AdaBoost(n_estimators=1).fit(X, y, sample_weight=counts)
    copied = AdaBoost(n_estimators=1).fit(np.repeat(X, counts, axis=0), np.repeat(y, counts))
    np.testing.assert_allclose(
        weighted.estimator_errors_, copied.estimator_errors_, rtol=1e-12, atol=1e-15
    )


class Rememberer(ClassifierMixin, BaseEstimator):
    """Says of a row whether it has seen it: column 0 is the row's number."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        self.classes_ = np.unique(y)
        self.seen_ = set(X[:, 0].tolist())
        return self

    def predict_proba(self, X: Any) -> Any:
        seen = np.array([x in self.seen_ for x in X[:, 0].tolist()], dtype=float)
        return np.stack([1 - seen, seen], axis=1)

    def predict(self, X: Any) -> Any:
        return self.classes_[np.argmax(self.predict_proba(X), axis=1)]


class Recorder(Rememberer):
    """A last learner that writes down what it was given."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        self.given_ = X.copy()
        return super().fit(X, y)


@pytest.mark.parametrize("cv", [2, 3, 5, 0.2, 0.5])
@settings(deadline=None, max_examples=15)
@given(st.integers(20, 60), st.integers(0, 2**31), st.booleans())
def test_nobody_is_asked_about_a_row_it_saw(cv: Any, rows: int, seed: int, through: bool) -> None:
    X = np.arange(float(rows))[:, None]
    members = [("a", Rememberer()), ("b", Rememberer())]
    model = Stacking(members, Recorder(), cv=cv, passthrough=through, random_state=seed, n_jobs=1)
    model.fit(X, np.arange(rows) % 2)
    given = model.final_estimator_.given_
    assert np.all(given[:, :2] == 0)  # of no row that was asked about had it been seen
    assert len(given) == (rows if isinstance(cv, int) else np.ceil(cv * rows))
    if through:
        assert len(set(given[:, 2])) == len(given)
    assert np.all(model.estimators_[0].predict_proba(X)[:, 1] == 1)  # fitted to all at last
