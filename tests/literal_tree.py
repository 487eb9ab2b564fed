"""A tree grown literally: every cut of every column is tried. Slow, for tiny tables."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

CLASSIFIES = ("gini", "entropy", "error", "gain_ratio")
REGRESSES = ("squared_error", "friedman_mse", "poisson", "variance")


def impurity(criterion: str, y: Any, w: Any, outputs: int) -> float:
    total = w.sum()
    if criterion in CLASSIFIES:
        p = np.array([w[y == c].sum() for c in range(outputs)]) / total
        if criterion == "gini":
            return float(1 - (p**2).sum())
        if criterion == "error":
            return float(1 - p.max())
        return float(-sum(q * math.log2(q) for q in p if q > 0))
    means = (w[:, None] * y).sum(0) / total
    if criterion == "poisson":
        if (means <= 0).any():
            return 0.0
        deviances = np.where(y > 0, y * np.log(np.where(y > 0, y, 1) / means), 0)
        return float((w[:, None] * deviances).sum() / total / y.shape[1])
    squares = (w[:, None] * (y - means) ** 2).sum() / y.shape[1]
    if criterion == "variance":
        return float(squares / (total - 1)) if total > 1 else 0.0
    return float(squares / total)


def score(criterion: str, y: Any, w: Any, left: Any, outputs: int) -> float:
    """Whatever the criterion maximises, up to a constant of the node."""
    a, b = w[left].sum(), w[~left].sum()
    if criterion == "friedman_mse":
        ya, yb = (w[left, None] * y[left]).sum(0), (w[~left, None] * y[~left]).sum(0)
        return float((b * ya - a * yb).sum() ** 2 / (a * b))
    if criterion == "poisson" and ((y[left].sum(0) <= 0).any() or (y[~left].sum(0) <= 0).any()):
        return -math.inf
    gain = (a + b) * impurity(criterion, y, w, outputs)
    gain -= a * impurity(criterion, y[left], w[left], outputs)
    gain -= b * impurity(criterion, y[~left], w[~left], outputs)
    if criterion == "gain_ratio":
        p = a / (a + b)
        gain /= -(a + b) * (p * math.log2(p) + (1 - p) * math.log2(1 - p))
    return gain


def candidates(x: Any, levels: int, y: Any, w: Any) -> Any:
    """All (rows to the left, threshold) of a column in the order in which ties are settled."""
    missing = np.isnan(x)
    values = np.unique(x[~missing])
    for side in (False, True) if missing.any() else (False,):
        for k, value in enumerate(values):
            if k + 1 == len(values):
                if not missing.any() or side:
                    continue
                threshold = math.inf
            else:
                threshold = (value + values[k + 1]) / 2
            yield np.where(missing, side, x <= value), threshold, side


def literal(
    X: Any, y: Any, w: Any, criterion: str, outputs: int, max_depth: int = 99, min_leaf: int = 1
) -> list[tuple[Any, ...]]:
    """(feature, threshold, missing_left, rows, impurity) of each node in preorder."""
    pure = impurity(criterion, y, w, outputs) <= 1e-14
    nodes: list[tuple[Any, ...]] = []
    best: tuple[Any, ...] | None = None
    if max_depth > 0 and len(y) >= 2 and not pure:
        for j in range(X.shape[1]):
            for left, threshold, side in candidates(X[:, j], 0, y, w):
                if min(left.sum(), (~left).sum()) < min_leaf:
                    continue
                found = score(criterion, y, w, left, outputs)
                scale = w.sum() * max(impurity(criterion, y, w, outputs), 1e-3)
                if found > (best[0] + 1e-10 * scale if best else -1e300):
                    best = (found, j, threshold, side, left, np.isnan(X[:, j]).any())
    gain = 0.0
    if best is not None:
        left = best[4]
        gain = w.sum() * impurity(criterion, y, w, outputs)
        gain -= w[left].sum() * impurity(criterion, y[left], w[left], outputs)
        gain -= w[~left].sum() * impurity(criterion, y[~left], w[~left], outputs)
        if gain < -1e-12:
            best = None
    if best is None:
        return [(-1, 0.0, False, len(y), impurity(criterion, y, w, outputs), 0.0)]
    _, j, threshold, side, left, seen = best
    if not seen:
        side = bool(w[left].sum() >= w[~left].sum())
    nodes.append((j, threshold, side, len(y), impurity(criterion, y, w, outputs), gain))
    for part in (left, ~left):
        nodes += literal(X[part], y[part], w[part], criterion, outputs, max_depth - 1, min_leaf)
    return nodes
