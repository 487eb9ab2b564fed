"""Data for any learner of the table: small, noisy, of the shape that its tags ask for."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import is_classifier
from sklearn.utils import get_tags


def data_for(learner: Any, rows: int = 60, classes: int = 3) -> tuple[Any, Any]:
    """Return X and y; X is a kernel matrix where the learner wants one."""
    rng = np.random.default_rng(rows)
    codes = np.arange(rows) % classes
    X = rng.normal(size=(rows, 5))
    X[:, 0] += codes
    if get_tags(learner).input_tags.positive_only:
        X = np.abs(X)
    if get_tags(learner).input_tags.pairwise:
        X = X @ X.T
    return X, codes if is_classifier(learner) else X[:, 0] + rng.normal(size=rows)


def is_pairwise(learner: Any) -> bool:
    """Whether X is a kernel matrix, with a column for each row."""
    return bool(get_tags(learner).input_tags.pairwise)


def takes_sparse(learner: Any) -> bool:
    """Whether X may be a sparse matrix."""
    return bool(get_tags(learner).input_tags.sparse)


def answers(learner: Any, X: Any) -> dict[str, Any]:
    """Return all that a fitted learner says about rows."""
    methods = ("predict", "decision_function", "predict_proba", "transform")
    return {name: getattr(learner, name)(X) for name in methods if hasattr(learner, name)}


def labels_for(learner: Any, y: Any, words: list[str]) -> Any:
    """Return codes of classes as words, and numbers as they are."""
    return np.array(words)[y] if is_classifier(learner) else y
