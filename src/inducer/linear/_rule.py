"""What a fitted linear classifier does: scores, and the class of the largest."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from inducer._core.linear import scores
from inducer.base._threads import threads
from inducer.base.arrays import Array, check_X, rows_of
from inducer.base.learner import Learner

BLOCK_WORK = 1 << 26  # multiply-adds between two looks for Ctrl-C: some 50 ms


class LinearRule(ClassifierMixin, Learner):
    """A classifier with ``classes_``, ``coef_`` and ``intercept_``.

    Two classes may share one row of weights: positive scores mean ``classes_[1]``. Else each
    class has its own row, and the first of the largest scores wins.
    """

    classes_: Array
    coef_: Array
    intercept_: NDArray[np.float64]

    def decision_function(self, X: Any) -> Array:
        """Return the scores ``X coef' + intercept``.

        Parameters
        ----------
        X : array, CSR matrix or DataFrame of shape (n_samples, n_features)

        Returns
        -------
        array of shape (n_samples,), or (n_samples, n_classes) with more than two classes
        """
        check_is_fitted(self)
        found = linear_scores(check_X(self, X, reset=False), self.coef_, self.intercept_)
        return one_a_row(found)

    def predict(self, X: Any) -> Array:
        """Return the class of each row.

        Parameters
        ----------
        X : array, CSR matrix or DataFrame of shape (n_samples, n_features)
        """
        scores = self.decision_function(X)
        return self.classes_[winners(scores)]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


def linear_scores(X: Any, coef: Array, intercept: NDArray[np.float64]) -> Array:
    """Return ``X coef' + intercept`` in the precision of coef; Ctrl-C is seen between blocks."""
    X = X.astype(coef.dtype, copy=False)
    coef = np.ascontiguousarray(coef)
    offsets = np.ascontiguousarray(intercept, dtype=coef.dtype)
    out = np.empty((X.shape[0], coef.shape[0]), coef.dtype)
    rows = rows_of(X)
    step = max(1, BLOCK_WORK // max(1, coef.size))
    for begin in range(0, X.shape[0], step):
        scores(rows, coef, offsets, out, begin, min(begin + step, X.shape[0]), threads())
    return out


def one_a_row(scores: Array) -> Array:
    """Return scores as scikit-learn shapes them: one number a row when one tells two classes."""
    if scores.shape[1] == 1:
        return scores[:, 0]
    if scores.shape[1] == 2:
        flat: Array = scores[:, 1] - scores[:, 0]
        return flat
    return scores


def winners(scores: Array) -> NDArray[np.intp]:
    """Return the code of the winning class: positive, or the first of the largest."""
    if scores.ndim == 1:
        return (scores > 0).astype(np.intp)
    return np.argmax(scores, axis=1)
