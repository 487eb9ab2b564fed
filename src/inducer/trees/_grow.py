"""From parameters, a table and targets to the arrays of a tree: what all learners here share."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import ceil, log2, sqrt
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray

from inducer._core.trees import TreeFit, TreeTable
from inducer.base import progress
from inducer.base._threads import threads_for
from inducer.base.random import kernel_seed
from inducer.base.table import Table
from inducer.trees._tree import Tree

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Limits:
    """How large a tree may grow, in scikit-learn's words."""

    max_depth: int | None = None
    min_samples_split: float = 2
    min_samples_leaf: float = 1
    min_weight_fraction_leaf: float = 0.0
    max_features: Any = None
    max_leaf_nodes: int | None = None
    min_impurity_decrease: float = 0.0

    def for_kernel(self, rows: int, cols: int, weight: float) -> dict[str, Any]:
        """Return the kernel's words, all of them numbers."""
        leaves = self.max_leaf_nodes
        return {
            "max_depth": -1 if self.max_depth is None else min(self.max_depth, 2**31 - 1),
            "max_leaves": -1 if leaves is None else min(leaves, 2**31 - 1),
            "min_split": max(2.0, _rows_of(self.min_samples_split, rows)),
            "min_leaf": max(1.0, _rows_of(self.min_samples_leaf, rows)),
            "min_weight_leaf": self.min_weight_fraction_leaf * weight,
            "min_decrease": float(self.min_impurity_decrease),
            "max_features": _features_of(self.max_features, cols),
            "random_splits": False,
        }


def _rows_of(wanted: float, rows: int) -> float:
    """Return a number of rows that is given as such, or as a share."""
    return float(min(wanted, 2**62)) if isinstance(wanted, Integral) else float(ceil(wanted * rows))


def _features_of(wanted: Any, cols: int) -> int:
    """Return the number of columns to look at in each node."""
    if wanted is None:
        return cols
    if wanted == "sqrt":
        return max(1, int(sqrt(cols)))
    if wanted == "log2":
        return max(1, int(log2(cols)))
    if isinstance(wanted, Integral):
        return int(min(wanted, cols))
    return max(1, int(wanted * cols))


def grow(
    learner: Any,
    table: Table,
    *,
    limits: Limits,
    criterion: str,
    weights: Floats | None,
    codes: NDArray[np.int32] | None = None,
    classes: int = 0,
    targets: Floats | None = None,
    data: Mapping[str, Any],
) -> tuple[Tree, str]:
    """Return the grown tree, and the method that was used."""
    number = threads_for(learner.n_jobs)
    rows, cols = table.X.shape
    weight = float(rows) if weights is None else float(weights.sum())
    prepared = TreeTable(table.rows, categories=table.categories, max_bins=0, threads=number)
    kernel = TreeFit(
        prepared,
        codes=codes,
        outputs=classes or 1,
        targets=None if targets is None else targets.reshape(rows, 1),
        weights=weights,
        criterion="entropy" if criterion == "log_loss" else criterion,
        monotone=None,
        seed=kernel_seed(getattr(learner, "random_state", 0)),
        **limits.for_kernel(rows, cols, weight),
    )

    def fitted() -> dict[str, Any]:
        return {"tree_": Tree(kernel.tree(), cols, classes), "method_": prepared.method}

    progress.run(
        learner,
        kernel,
        1,
        threads=number,
        record=lambda: {"nodes": len(kernel.tree()["left"])},
        fitted=fitted,
        **data,
    )
    done = fitted()
    return done["tree_"], done["method_"]
