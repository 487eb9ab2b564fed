"""Soft labels: for each row a probability of every class."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from inducer.base.errors import InputError


def shares_of(y: Any, X: Any) -> NDArray[np.float64] | None:
    """Return soft labels as a table whose rows sum to 1, or None for labels of one class each."""
    table = np.asarray(y)
    if table.ndim != 2 or table.shape[1] < 2 or table.dtype.kind not in "fiub":
        return None
    if table.shape[0] != X.shape[0]:
        raise InputError(
            f"X and y have inconsistent numbers of samples: {X.shape[0]} rows, {table.shape[0]} "
            "rows of soft labels."
        )
    shares = np.ascontiguousarray(table, np.float64)
    sums = shares.sum(axis=1)
    wrong = ~((np.abs(sums - 1) <= 1e-6) & np.all(shares >= 0, axis=1))
    if np.any(wrong):
        row = int(np.argmax(wrong))
        raise InputError(
            f"y holds soft labels, and row {row} sums to {sums[row]:.6g}, or has one below 0: give "
            "probabilities that sum to 1, or one label a row."
        )
    return shares
