"""What a fitted linear classifier does: scores, and the class of the largest."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from inducer._core.linear import scores
from inducer.base._threads import threads
from inducer.base.arrays import (
    Array,
    Labels,
    Matrix,
    check_labels,
    check_weights,
    check_X,
    class_weights,
    matrix_of,
)
from inducer.base.errors import InputError
from inducer.base.learner import Learner

BLOCK_WORK = 1 << 26  # multiply-adds between two looks for Ctrl-C: some 50 ms


class Rule(ClassifierMixin, Learner):
    """A classifier that scores: positive means ``classes_[1]``, or the largest of several wins."""

    classes_: Array

    @abstractmethod
    def decision_function(self, X: Any) -> Array:
        """Return one score a row, or one a row and class with more than two classes."""

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


class LinearRule(Rule):
    """A rule with ``coef_`` and ``intercept_``: a row a class, or one for two classes."""

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
        return said(self, found)


def check_examples(
    learner: Any, X: Any, y: Any, sample_weight: Any
) -> tuple[Matrix, Labels, NDArray[np.float64] | None]:
    """Return what a fit begins with: rows, labels, and weights with the class weights in them."""
    matrix = check_X(learner, X, reset=True, y=y)
    labels = check_labels(y, matrix.X, learner=learner)
    weights = check_weights(sample_weight, matrix.X)
    return matrix, labels, class_weights(getattr(learner, "class_weight", None), labels, weights)


def binary_targets(classes: Array) -> list[int]:
    """Return the codes that count as positive, one a problem: one for two classes, else all."""
    return [1] if len(classes) == 2 else list(range(len(classes)))


def initial_weights(name: str, values: Any, like: Array) -> Array:
    """Return initial weights like others; one row may come flat, as scikit-learn allows."""
    try:
        array = np.asarray(values, np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(f"{name}: {error}") from None
    if array.size == like.size and len(like) == 1:
        array = array.reshape(like.shape)
    if array.shape != like.shape:
        raise InputError(f"{name} has shape {array.shape}, expected {like.shape}.")
    with np.errstate(over="ignore"):
        array = array.astype(like.dtype)
    if not np.all(np.isfinite(array)):
        raise InputError(f"{name} holds NaN, infinity, or what is too large for {like.dtype}.")
    return array


def require_finite(learner: Any, *numbers: Any) -> None:
    """Refuse weights, losses or scores of a fit that have left the range of their floats."""
    if not all(np.all(np.isfinite(n)) for n in numbers):
        raise InputError(
            f"The weights of {type(learner).__name__} overflowed: the features (or the "
            "targets, or sample weights) are too large for sums of them. Scale the features first, "
            "with scikit-learn's StandardScaler for example."
        )


def linear_scores(matrix: Matrix, coef: Array, intercept: NDArray[np.float64]) -> Array:
    """Return ``X coef' + intercept`` in the precision of coef; Ctrl-C is seen between blocks."""
    matrix = in_precision(matrix, coef.dtype)
    coef = np.ascontiguousarray(coef)
    offsets = np.ascontiguousarray(intercept, dtype=coef.dtype)
    count = matrix.X.shape[0]
    out = np.empty((count, coef.shape[0]), coef.dtype)
    step = max(1, BLOCK_WORK // max(1, coef.size))
    for begin in range(0, count, step):
        scores(matrix.rows, coef, offsets, out, begin, min(begin + step, count), threads())
    return out


def in_precision(matrix: Matrix, dtype: Any) -> Matrix:
    """Return a matrix of the given precision: itself, if it has it."""
    if matrix.X.dtype == dtype:
        return matrix
    with np.errstate(over="ignore"):  # seen in the scores
        return matrix_of(matrix.X.astype(dtype))


def dense(X: Any) -> Array:
    """Return a matrix as an array, whether it is sparse or not."""
    array: Array = X.toarray() if hasattr(X, "toarray") else X
    return array


def one_a_row(scores: Array) -> Array:
    """Return scores as scikit-learn shapes them: one number a row when one tells two classes."""
    if scores.shape[1] == 1:
        return scores[:, 0]
    if scores.shape[1] == 2:
        flat: Array = scores[:, 1] - scores[:, 0]
        return flat
    return scores


def said(learner: Any, scores: Array) -> Array:
    """Return scores as scikit-learn shapes them; refuse those that overflowed into NaN."""
    with np.errstate(over="ignore", invalid="ignore"):
        found = one_a_row(scores)
    nowhere = np.isnan(found)
    if nowhere.any():
        row = int(np.argwhere(nowhere)[0, 0])
        raise InputError(
            f"The scores of {type(learner).__name__} overflowed in row {row} of X: its features "
            "are too large to be multiplied and added. Scale the features first, in `fit` too."
        )
    return found


def winners(scores: Array) -> NDArray[np.intp]:
    """Return the code of the winning class: positive, or the first of the largest."""
    if scores.ndim == 1:
        return (scores > 0).astype(np.intp)
    best: NDArray[np.intp] = np.argmax(scores, axis=1)
    return best
