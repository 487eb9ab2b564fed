"""What the learners with a penalty refuse, in our words: sizes, folds, weights to go on from."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

from inducer.base import InputError
from inducer.linear import (
    Lasso,
    LinearClassifier,
    LinearRegressor,
    LinearSVC,
    LinearSVR,
    LogisticRegression,
    Ridge,
)

rng = np.random.default_rng(0)
X = rng.normal(size=(120, 3))
labels = (X[:, 0] + rng.normal(size=120) > 0).astype(int)
three = np.arange(120) % 3
numbers = X @ [1.0, 2.0, 0.0] + rng.normal(size=120)

CLASSES: list[tuple[Any, Any]] = [
    (LogisticRegression(), labels),
    (LogisticRegression(), three),
    (LogisticRegression(multi_class="ovr"), three),
    (LogisticRegression(solver="newton-cg"), labels),
    (LogisticRegression(l1_ratio=1), labels),
    (LinearSVC(), labels),
    (LinearSVC(penalty="l1"), labels),
    (LinearSVC(loss="hinge"), labels),
    (LinearSVC(loss="hinge", dual=True), labels),
    (LinearClassifier(), labels),
]
NUMBERS: list[Any] = [
    LinearSVR(),
    LinearSVR(dual=True),
    LinearSVR(loss="squared_epsilon_insensitive"),
    Ridge(),
    Lasso(),
    LinearRegressor(),
]


@pytest.mark.parametrize("scale", [1e155, 1e200, 1e300])
def test_huge_numbers_are_refused_without_warnings_from_below(scale: float) -> None:
    cases = [(model, X * scale, y) for model, y in CLASSES]
    cases += [(model, X * scale, numbers) for model in NUMBERS]
    cases += [(model, X, numbers * scale) for model in NUMBERS[:5]]
    for model, rows, y in cases:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            with pytest.raises(InputError, match=r"(?s)too large.*Scale"):
                model.fit(rows, y)
