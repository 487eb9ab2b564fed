"""What a linear model that predicts numbers does: the gate of its targets, and predictions."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import MultiOutputMixin, RegressorMixin
from sklearn.utils.validation import check_is_fitted

from inducer.base._threads import blas_threads
from inducer.base.arrays import (
    Array,
    Matrix,
    check_weights,
    check_X,
    matrix_of,
)
from inducer.base.blocks import RowBlocks
from inducer.base.errors import InputError
from inducer.base.learner import Learner
from inducer.base.targets import check_number_columns
from inducer.linear._rule import linear_scores, require_finite

Numbers = NDArray[np.float64]


class NumberRule(MultiOutputMixin, RegressorMixin, Learner):
    """A rule with ``coef_`` and ``intercept_`` that says ``X coef' + intercept``.

    Flat targets give a flat ``coef_`` and a plain ``intercept_``; a matrix of targets, a row and
    a number for each of them.
    """

    coef_: Array
    intercept_: Any

    def predict(self, X: Any) -> Array:
        """Return what the model says of each row.

        Parameters
        ----------
        X : array, CSR matrix or DataFrame of shape (n_samples, n_features)
        """
        check_is_fitted(self)
        found = linear_scores(
            check_X(self, X, reset=False),
            np.atleast_2d(self.coef_),
            np.atleast_1d(np.asarray(self.intercept_, np.float64)),
        )
        if np.isnan(found).any():
            row = int(np.argwhere(np.isnan(found))[0, 0])
            raise InputError(
                f"The predictions of {type(self).__name__} overflowed in row {row} of X: its "
                "features are too large to be multiplied and added. Scale them, in `fit` too."
            )
        return found[:, 0] if self.coef_.ndim == 1 else found

    def _set_rule(self, coef: Numbers, intercept: Numbers, dtype: Any, flat: bool) -> None:
        """Store weights (targets x features), in the shapes and the precision of the data."""
        require_finite(self, coef, intercept)
        with np.errstate(over="ignore"):
            weights = coef.astype(dtype)
        require_finite(self, weights)
        self.coef_ = weights[0] if flat else weights
        self.intercept_ = float(intercept[0]) if flat else intercept

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


def check_numbers(
    learner: Any, X: Any, y: Any, sample_weight: Any
) -> tuple[Matrix, Numbers, Numbers | None, bool]:
    """Return what a fit to numbers begins with: rows, targets, weights, and whether y was flat.

    Targets are a matrix of float64, one column each.
    """
    matrix = check_X(learner, X, reset=True, y=y)
    targets, flat = check_number_columns(y, matrix.X)
    return matrix, targets, check_weights(sample_weight, matrix.X), flat


def held_blas(matrix: Matrix, threads: int) -> AbstractContextManager[None]:
    """Hold LAPACK to one thread, so that its number does not show in the bits.

    With more than 1,000 rows and columns it takes most of the time, and may have them all; then
    weights on different numbers of threads agree as far as those of different processors do.
    """
    return blas_threads(threads if min(matrix.X.shape) > 1000 else 1)


def predictions(matrix: Matrix, coefs: Numbers, offsets: Numbers) -> Numbers:
    """Return ``X coefs' + offsets`` in float64, whatever X is; its layout does not show."""
    if matrix.X.dtype == np.float64:
        return linear_scores(matrix, coefs, offsets)
    found = np.empty((matrix.X.shape[0], len(coefs)))
    for rows in RowBlocks(len(found), float(matrix.X.shape[1])):
        part = matrix.X[rows].astype(np.float64)
        found[rows] = linear_scores(matrix_of(part), coefs, offsets)
    return found


def some_rows(matrix: Matrix, index: Any) -> Matrix:
    """Return some rows, as a matrix that is laid out by rows."""
    rows = matrix.X[index]
    return matrix_of(rows if sparse.issparse(rows) else np.ascontiguousarray(rows))
