"""The tree grower against one that is written literally: every cut of every column is tried."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest

from inducer._core import base, trees

CLASSIFIES = ("gini", "entropy", "error", "gain_ratio")
REGRESSES = ("squared_error", "friedman_mse", "poisson", "variance")
TIE = 1e-12  # relative: gains this near are ties


def grow(
    X: Any,
    y: Any,
    criterion: str,
    *,
    weights: Any = None,
    categories: Any = None,
    max_bins: int = 0,
    threads: int = 1,
    slices: float = math.inf,
    outputs: int | None = None,
    **options: Any,
) -> dict[str, Any]:
    X = np.asarray(X)
    cols = X.shape[1]
    levels = np.zeros(cols, np.int32) if categories is None else np.asarray(categories, np.int32)
    table = trees.TreeTable(
        base.Rows.dense(X), categories=levels, max_bins=max_bins, threads=threads
    )
    classifies = criterion in CLASSIFIES
    y = np.asarray(y)
    if not classifies:
        y = np.ascontiguousarray(y.reshape(len(y), -1), dtype=np.float64)
    chosen: dict[str, Any] = {
        "max_depth": -1,
        "max_leaves": -1,
        "min_split": 2.0,
        "min_leaf": 1.0,
        "min_weight_leaf": 0.0,
        "min_decrease": 0.0,
        "max_features": cols,
        "random_splits": False,
        "monotone": None,
        "seed": 0,
    }
    fit = trees.TreeFit(
        table,
        codes=y.astype(np.int32) if classifies else None,
        targets=None if classifies else y,
        outputs=outputs or (int(y.max()) + 1 if classifies else y.shape[1]),
        weights=None if weights is None else np.asarray(weights, np.float64),
        criterion=criterion,
        **(chosen | options),
    )
    monitor = base.Monitor()
    while not fit.reached(1):
        monitor.begin_slice(slices)
        fit.advance(monitor, 1, threads)
    return dict(fit.tree())


def leaves(tree: dict[str, Any], X: Any, threads: int = 1) -> Any:
    names = ("feature", "threshold", "left", "right", "missing_left", "set_begin", "set_words")
    return trees.apply(*(tree[name] for name in names), base.Rows.dense(np.asarray(X)), threads)


def same(a: dict[str, Any], b: dict[str, Any]) -> bool:
    return all(np.array_equal(a[name], b[name]) for name in a)


# ---- the literal grower -------------------------------------------------------------------------


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


def compare(tree: dict[str, Any], expected: list[tuple[Any, ...]]) -> None:
    assert tree["feature"].tolist() == [node[0] for node in expected]
    np.testing.assert_allclose(tree["threshold"], [node[1] for node in expected], rtol=1e-15)
    assert tree["missing_left"].tolist() == [node[2] for node in expected]
    assert tree["samples"].tolist() == [node[3] for node in expected]
    # Sums of some 50 numbers near 1, in another order, differences of which are taken.
    np.testing.assert_allclose(tree["impurity"], [node[4] for node in expected], atol=1e-12)
    np.testing.assert_allclose(tree["gain"], [node[5] for node in expected], atol=1e-10)


def problem(
    seed: int, criterion: str, *, missing: bool, weighted: bool, outputs: int
) -> tuple[Any, Any, Any]:
    rng = np.random.default_rng(seed)
    n = 40
    X = np.round(rng.normal(size=(n, 3)), 1)
    if missing:
        X[rng.random(X.shape) < 0.2] = np.nan
    if criterion in CLASSIFIES:
        y = rng.integers(outputs, size=n)
        y[:outputs] = np.arange(outputs)
    else:
        y = rng.poisson(2.0, size=(n, outputs)) + np.round(rng.random((n, outputs)), 2)
    w = rng.integers(1, 4, size=n) + np.round(rng.random(n), 1) if weighted else np.ones(n)
    return X, y, w


KINDS = [
    (criterion, outputs)
    for criterion in CLASSIFIES + REGRESSES
    for outputs in ((2, 4) if criterion in CLASSIFIES else (1, 2))
]


@pytest.mark.parametrize(("criterion", "outputs"), KINDS)
@pytest.mark.parametrize("missing", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("max_bins", [0])
def test_the_tree_is_the_literal_one(
    criterion: str, outputs: int, missing: bool, weighted: bool, max_bins: int
) -> None:
    for seed, min_leaf in itertools.product(range(3), (1, 4)):
        X, y, w = problem(seed, criterion, missing=missing, weighted=weighted, outputs=outputs)
        given = w if weighted else None
        tree = grow(
            X, y, criterion, weights=given, min_leaf=float(min_leaf), max_bins=max_bins,
            outputs=outputs,
        )  # fmt: skip
        compare(tree, literal(X, y, w, criterion, outputs, min_leaf=min_leaf))
        compare(
            grow(X, y, criterion, weights=given, max_depth=2, max_bins=max_bins, outputs=outputs),
            literal(X, y, w, criterion, outputs, max_depth=2),
        )


def test_values_are_counts_or_means() -> None:
    X, y, w = problem(0, "gini", missing=True, weighted=True, outputs=4)
    tree = grow(X, y, "gini", weights=w, max_depth=3, outputs=4)
    at = leaves(tree, X)
    for leaf in np.unique(at):
        counts = [w[(at == leaf) & (y == c)].sum() for c in range(4)]
        np.testing.assert_allclose(tree["value"][leaf], counts, rtol=1e-13)
    X, y, w = problem(0, "squared_error", missing=True, weighted=True, outputs=2)
    tree = grow(X, y, "squared_error", weights=w, max_depth=3)
    at = leaves(tree, X)
    for leaf in np.unique(at):
        mean = np.average(y[at == leaf], axis=0, weights=w[at == leaf])
        np.testing.assert_allclose(tree["value"][leaf], mean, rtol=1e-12)


def test_depth_zero_is_the_root_alone() -> None:
    X, y, _ = problem(0, "gini", missing=False, weighted=False, outputs=2)
    tree = grow(X, y, "gini", max_depth=0)
    assert tree["feature"].tolist() == [-1]
    assert tree["value"].tolist() == [np.bincount(y).tolist()]


def test_rows_of_zero_weight_are_not_there() -> None:
    X, y, w = problem(1, "gini", missing=True, weighted=True, outputs=2)
    w[::3] = 0
    for criterion in ("gini", "squared_error"):
        kept = w > 0
        assert same(
            grow(X, y, criterion, weights=w), grow(X[kept], y[kept], criterion, weights=w[kept])
        )


def test_weights_are_copies() -> None:
    rng = np.random.default_rng(3)
    X, y, _ = problem(3, "gini", missing=True, weighted=False, outputs=3)
    w = rng.integers(1, 4, size=len(y))
    a = grow(X, y, "gini", weights=w, outputs=3)
    b = grow(np.repeat(X, w, 0), np.repeat(y, w), "gini", outputs=3)
    for name in ("feature", "threshold", "value", "missing_left"):
        assert np.array_equal(a[name], b[name])


def test_best_first_takes_the_largest_gain() -> None:
    X, y, _ = problem(4, "gini", missing=False, weighted=False, outputs=3)
    whole = grow(X, y, "gini", outputs=3)
    for most in range(1, 8):
        tree = grow(X, y, "gini", max_leaves=most, outputs=3)
        frontier = [(0, 0)]  # nodes of (the whole tree, this one)
        for _ in range(most - 1):
            best = max(frontier, key=lambda pair: (whole["gain"][pair[0]], -pair[1]))
            if whole["feature"][best[0]] < 0:
                break
            frontier.remove(best)
            assert tree["feature"][best[1]] == whole["feature"][best[0]]
            frontier += [(int(whole[s][best[0]]), int(tree[s][best[1]])) for s in ("left", "right")]
        assert all(tree["feature"][node] < 0 for _, node in frontier)


def large(kind: str) -> tuple[Any, Any]:
    rng = np.random.default_rng(5)
    X = rng.normal(size=(9000, 40))
    X[rng.random(X.shape) < 0.01] = np.nan
    y = np.nansum(X[:, :5], axis=1) + rng.normal(size=len(X))
    return X, (y > 0).astype(int) if kind in CLASSIFIES else y


@pytest.mark.parametrize("criterion", ["gini", "squared_error"])
@pytest.mark.parametrize("max_bins", [0])
@pytest.mark.parametrize("more", [{}, {"max_features": 5}, {"max_leaves": 50}])
def test_bits_do_not_depend_on_threads_or_slices(
    criterion: str, max_bins: int, more: dict[str, Any]
) -> None:
    X, y = large(criterion)
    one = grow(X, y, criterion, max_bins=max_bins, seed=7, **more)
    assert same(one, grow(X, y, criterion, max_bins=max_bins, seed=7, threads=3, **more))
    sliced = grow(X, y, criterion, max_bins=max_bins, seed=7, threads=2, slices=1e-3, **more)
    assert same(one, sliced)
    at = leaves(one, X, 2)
    assert np.array_equal(np.bincount(at, minlength=len(one["feature"])) > 0, one["feature"] < 0)
    assert np.array_equal(np.bincount(at)[one["feature"] < 0], one["samples"][one["feature"] < 0])


def test_another_seed_draws_other_columns() -> None:
    X, y = large("gini")
    first, second = (grow(X, y, "gini", max_features=3, seed=s, max_depth=5) for s in (1, 2))
    assert not same(first, second)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("order", ["C", "F"])
def test_any_dense_layout(dtype: Any, order: Any) -> None:
    X, y = large("gini")
    X = np.asarray(X, dtype=dtype, order=order)
    tree = grow(X, y, "gini", max_depth=4)
    assert same(tree, grow(np.ascontiguousarray(X, np.float64), y, "gini", max_depth=4))
    assert np.array_equal(leaves(tree, X), leaves(tree, np.ascontiguousarray(X, np.float64)))


def test_neighbouring_numbers_are_told_apart() -> None:
    low = 1.0
    X = np.array([[low], [np.nextafter(low, 2)], [-0.0], [0.0], [np.inf], [-np.inf]])
    tree = grow(X, [0, 1, 0, 0, 1, 0], "gini")
    assert tree["feature"].tolist() == [0, -1, -1]
    assert tree["threshold"][0] == low
