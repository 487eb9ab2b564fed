"""Decision trees, written down from the formulas: slow, literal, independent of the kernels.

    grow(rows):  a leaf if nothing may or can be split; else, for each column and each midpoint of
                 neighbouring values, the rows on either side; take the split of the largest gain,
                 the lowest column and threshold among equals; grow both sides.

The gain of a split is the impurity of the node less the weighted average of its sides'. Missing
cells (NaN) are tried on either side, and with all that is known on the other.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

SAME = 1e-12  # gains as near as this, relative to the largest possible, are ties


# ---- impurities ----------------------------------------------------------------------------------


def shares(codes: Any, weights: Floats, classes: int) -> Floats:
    """Return the share of each class in the weight."""
    return np.bincount(codes, weights, minlength=classes) / weights.sum()


def entropy_of(p: Floats) -> float:
    """Return the entropy in bits."""
    return -sum(float(q * np.log2(q)) for q in p if q > 0)


def mean_of(y: Floats, weights: Floats) -> float:
    """Return the weighted mean."""
    return float(weights @ y / weights.sum())


def median_of(y: Floats, weights: Floats) -> float:
    """Return a weighted median: halfway where exactly half the weight is below."""
    order = np.argsort(y, kind="stable")
    y, weights = y[order], weights[order]
    reached = np.cumsum(weights)
    half = reached[-1] / 2
    at = int(np.searchsorted(reached, half))
    if reached[at] == half and at + 1 < len(y):
        return float((y[at] + y[at + 1]) / 2)
    return float(y[at])


def impurity_of(criterion: str, y: Any, weights: Floats, classes: int) -> float:
    """Return how mixed the targets of rows are."""
    if classes:
        p = shares(y, weights, classes)
        if criterion == "gini":
            return 1.0 - float(p @ p)
        if criterion == "error":
            return 1.0 - float(p.max())
        return entropy_of(p)  # entropy, log_loss, and that of gain_ratio
    mean = mean_of(y, weights)
    if criterion == "absolute_error":
        return mean_of(np.abs(y - median_of(y, weights)), weights)
    if criterion == "poisson":
        if mean <= 0:
            return np.inf
        logs = np.log(np.where(y > 0, y, 1.0) / mean)
        return mean_of(y * logs, weights)
    squares = mean_of((y - mean) ** 2, weights)
    if criterion == "variance":
        total = float(weights.sum())
        return squares * total / (total - 1.0) if total > 1 else 0.0
    return squares  # squared_error, friedman_mse


def gain_of(criterion: str, y: Any, weights: Floats, left: Any, classes: int) -> float:
    """Return what a split is worth; splits are compared by it."""
    total, over, under = weights.sum(), weights[left].sum(), weights[~left].sum()
    if criterion == "friedman_mse":
        apart = mean_of(y[left], weights[left]) - mean_of(y[~left], weights[~left])
        return float(over * under / total**2 * apart**2)
    here = impurity_of(criterion, y, weights, classes)
    sides = sum(
        weights[side].sum() / total * impurity_of(criterion, y[side], weights[side], classes)
        for side in (left, ~left)
    )
    if criterion == "gain_ratio":
        return float((here - sides) / entropy_of(np.array([over, under]) / total))
    return float(here - sides)


# ---- growing -------------------------------------------------------------------------------------


@dataclass
class Settings:
    """What limits a tree."""

    criterion: str
    classes: int = 0  # zero for regression
    max_depth: float = np.inf
    min_split: float = 2
    min_leaf: float = 1
    min_weight_leaf: float = 0.0
    min_decrease: float = 0.0
    total: float = 0.0
    nodes: list[dict[str, Any]] = field(default_factory=list)


def midpoint(low: float, high: float) -> float:
    """Return the threshold between two values, which is never the upper one."""
    middle = low / 2 + high / 2
    return low if middle in (high, np.inf, -np.inf) else middle


def candidates(column: Floats) -> Any:
    """Yield threshold, side of missing cells and the rows that go left, in the order of ties."""
    missing = np.isnan(column)
    values = np.unique(column[~missing])
    for missing_left in (False, True) if missing.any() else (None,):
        for low, high in pairwise(values):
            left = column <= low
            yield midpoint(low, high), missing_left, left | missing if missing_left else left
        if missing_left is False and len(values):
            yield np.inf, False, ~missing


def best_split(X: Floats, y: Any, weights: Floats, settings: Settings) -> Any:
    """Return the gain, column, threshold, side of missing cells and left rows, or None."""
    best = None
    for j in range(X.shape[1]):
        for threshold, missing_left, left in candidates(X[:, j]):
            if min(left.sum(), (~left).sum()) < settings.min_leaf:
                continue
            if min(weights[left].sum(), weights[~left].sum()) < settings.min_weight_leaf:
                continue
            if settings.criterion == "poisson" and not (y[left].any() and y[~left].any()):
                continue
            gain = gain_of(settings.criterion, y, weights, left, settings.classes)
            if best is None or gain > best[0] + SAME * max(1.0, abs(best[0])):
                best = gain, j, threshold, missing_left, left
    return best


def add_node(X: Floats, y: Any, weights: Floats, depth: int, settings: Settings) -> int:
    """Grow the node of these rows and all below it; return its number, in preorder."""
    classes, criterion = settings.classes, settings.criterion
    impurity = impurity_of(criterion, y, weights, classes)
    if classes:
        value = np.bincount(y, weights, minlength=classes)
    else:
        centre = median_of if criterion == "absolute_error" else mean_of
        value = np.array([centre(y, weights)])
    number = len(settings.nodes)
    node: dict[str, Any] = {
        "feature": -1,
        "threshold": 0.0,
        "left": -1,
        "right": -1,
        "missing_left": False,
        "value": value,
        "impurity": impurity,
        "samples": len(y),
        "weight": float(weights.sum()),
        "gain": 0.0,
    }
    settings.nodes.append(node)
    if (
        depth >= settings.max_depth
        or len(y) < max(settings.min_split, 2 * settings.min_leaf)
        or impurity <= np.finfo(float).eps
    ):
        return number
    found = best_split(X, y, weights, settings)
    if found is None:
        return number
    _, j, threshold, missing_left, left = found
    sides = sum(
        weights[s].sum() * impurity_of(criterion, y[s], weights[s], classes) for s in (left, ~left)
    )
    decrease = (weights.sum() * impurity - sides) / settings.total
    if decrease + np.finfo(float).eps < settings.min_decrease:
        return number
    if missing_left is None:  # nothing was missing: to the heavier side
        missing_left = weights[left].sum() >= weights[~left].sum()
    node |= {"feature": j, "threshold": threshold, "missing_left": missing_left, "gain": decrease}
    node["left"] = add_node(X[left], y[left], weights[left], depth + 1, settings)
    node["right"] = add_node(X[~left], y[~left], weights[~left], depth + 1, settings)
    return number


def grow(
    X: Any,
    y: Any,
    *,
    criterion: str,
    classes: int = 0,
    weights: Any = None,
    max_depth: float = np.inf,
    min_split: float = 2,
    min_leaf: float = 1,
    min_weight_leaf: float = 0.0,
    min_decrease: float = 0.0,
) -> dict[str, NDArray[Any]]:
    """Return the arrays of a tree: nodes in preorder, as the kernel gives them.

    Parameters
    ----------
    X : array of shape (n_samples, n_features)
        Numbers, NaN where missing.
    y : array of shape (n_samples,)
        Codes of classes, or numbers where `classes` is zero.
    """
    X = np.asarray(X, np.float64)
    y = np.asarray(y)
    weights = np.ones(len(y)) if weights is None else np.asarray(weights, np.float64)
    kept = weights > 0
    settings = Settings(
        criterion,
        classes,
        max_depth,
        min_split,
        min_leaf,
        min_weight_leaf,
        min_decrease,
        float(weights.sum()),
    )
    add_node(X[kept], y[kept], weights[kept], 0, settings)
    return {name: np.array([node[name] for node in settings.nodes]) for name in settings.nodes[0]}


def leaves_of(tree: dict[str, NDArray[Any]], X: Any) -> NDArray[np.int32]:
    """Return the leaf of each row: walk from the root."""
    found = []
    for row in np.asarray(X, np.float64):
        node = 0
        while tree["feature"][node] >= 0:
            cell = row[tree["feature"][node]]
            left = tree["missing_left"][node] if np.isnan(cell) else cell <= tree["threshold"][node]
            node = int(tree["left" if left else "right"][node])
        found.append(node)
    return np.array(found, np.int32)
