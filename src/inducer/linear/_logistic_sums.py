"""What logistic regression minimises: one sum for all classes, or one for each."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from inducer.base.arrays import Matrix
from inducer.linear._newton import write_hessian_down
from inducer.linear._softmax import SoftmaxLosses
from inducer.linear._sums import RowLosses

Floats = NDArray[np.float64]

MOST_BLOCKS = 120  # unknowns of several outputs: each pair of them is a Gram matrix of its own


def logistic_sums(
    matrix: Matrix,
    classes: int,
    *,
    codes: NDArray[np.int32],
    shares: Floats | None,
    one_versus_all: bool,
    **common: Any,
) -> list[Any]:
    """Return the sums: that of two classes, of a softmax, or of each class against the rest.

    Parameters
    ----------
    shares : array of shape (n_samples, n_classes) or None
        Soft labels, instead of the codes.
    **common
        Weights, penalty and so on, as `RowLosses` and `SoftmaxLosses` take them.
    """
    if shares is not None:
        return [SoftmaxLosses(matrix, classes, shares=shares, pinned=classes == 2, **common)]
    if classes == 2:
        return [RowLosses(matrix, "logistic", codes=codes, positive=1, **common)]
    if one_versus_all:
        return [
            RowLosses(matrix, "logistic", codes=codes, positive=k, **common) for k in range(classes)
        ]
    return [SoftmaxLosses(matrix, classes, codes=codes, **common)]


def with_hessian(problem: Any, solver: str) -> bool:
    """Return whether to write the Hessian down: as told, or where it is cheap."""
    cheap = write_hessian_down(problem.matrix.X.shape[0], problem.size)
    if isinstance(problem, SoftmaxLosses) and problem.free > 1:
        cheap = problem.size <= MOST_BLOCKS
    return {"newton-cholesky": True, "newton-cg": False}.get(solver, cheap)
