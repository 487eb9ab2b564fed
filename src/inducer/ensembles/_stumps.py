"""Boosted stumps on features of 0 and 1 are a linear classifier."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from inducer.base.errors import InputError
from inducer.linear import LinearClassifier


def linear_rule(boosted: Any) -> LinearClassifier:
    """Return the linear classifier that says what boosted stumps say."""
    several = len(boosted.classes_)
    coef = np.zeros((several, boosted.n_features_in_))
    intercept = np.zeros(several)
    for member, alpha in zip(boosted.estimators_, boosted.estimator_weights_, strict=True):
        feature, low, high = _sides(member, boosted.classes_)
        if np.isinf(alpha):  # it decides alone
            alpha = np.sign(alpha)
            coef[:], intercept[:] = 0, 0
        coef[:, feature] += alpha * (high - low)
        intercept += alpha * low
    model = LinearClassifier()
    model.classes_ = boosted.classes_
    model.n_features_in_ = boosted.n_features_in_
    if hasattr(boosted, "feature_names_in_"):
        model.feature_names_in_ = boosted.feature_names_in_
    model.coef_ = coef[1:] if several == 2 else coef
    model.intercept_ = intercept[1:] if several == 2 else intercept
    return model


def _sides(
    member: Any, classes: NDArray[Any]
) -> tuple[int, NDArray[np.float64], NDArray[np.float64]]:
    """Return a stump's feature, and its votes for where that is 0 and where it is 1."""
    tree = getattr(member, "tree_", None)
    if tree is None or tree.node_count > 3:
        raise InputError(
            f"as_linear: {type(member).__name__} is no stump. Boost trees of depth one."
        )
    root = int(tree.feature[0])
    left, right = int(tree.children_left[0]), int(tree.children_right[0])
    if left < 0:  # a single leaf, which says the same of all
        vote = _vote(member, tree, 0, classes)
        return 0, vote, vote
    if not 0 <= tree.threshold[0] < 1:
        raise InputError(
            f"as_linear: a stump asks whether column {root} is at most {tree.threshold[0]:.6g}. "
            "Only on features of 0 and 1 are stumps linear: make such features of the thresholds."
        )
    return root, _vote(member, tree, left, classes), _vote(member, tree, right, classes)


def _vote(member: Any, tree: Any, node: int, classes: NDArray[Any]) -> NDArray[np.float64]:
    """Return what a leaf says: 1 for its class, -1 / (K - 1) for each other."""
    label = member.classes_[int(np.argmax(np.ravel(tree.value[node])))]
    vote = np.full(len(classes), -1.0 / (len(classes) - 1))
    vote[int(np.searchsorted(classes, label))] = 1.0
    return vote
