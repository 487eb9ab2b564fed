"""The choice of C for logistic regression, on rows held out."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from inducer.base.arrays import Matrix, matrix_of
from inducer.base.errors import InputError, ParameterError
from inducer.linear._folds import checked_folds

Floats = NDArray[np.float64]


def values_of_C(Cs: Any) -> Floats:
    """Return values of C, rising."""
    values = np.logspace(-4, 4, int(Cs)) if np.ndim(Cs) == 0 else np.asarray(Cs, np.float64)
    if values.ndim != 1 or not len(values) or not np.all(values > 0):
        raise ParameterError("Cs: a number of values, or a list of numbers above 0.")
    return np.sort(values)


def held_out_losses(
    learner: Any,
    fit: Callable[[Matrix, Any, float, Floats | None], None],
    values: Floats,
    matrix: Matrix,
    codes: NDArray[np.int32],
    shares: Floats | None,
    weights: Floats | None,
) -> Floats:
    """Return the mean log-loss of each C on each fold.

    ``fit`` sets the learner's weights from some rows, for a C, begun at the weights of the last.
    """
    splits = checked_folds(learner.cv, matrix, codes, weights, stratified=True)
    losses = np.zeros((len(values), len(splits)))
    for fold, (kept, held) in enumerate(splits):
        part, test = matrix_of(matrix.X[kept]), matrix_of(matrix.X[held])
        counted = kept if weights is None else kept[weights[kept] > 0]
        if shares is None and len(np.unique(codes[counted])) < len(np.unique(codes)):
            raise InputError(
                f"cv: fold {fold} leaves a class without a row to fit on that weighs something. "
                "Take fewer folds."
            )
        start = None
        for place, C in enumerate(values):
            fit(part, kept, float(C), start)
            start = np.column_stack([learner.coef_, learner.intercept_]).astype(np.float64)
            logs = learner._logs(test)
            if shares is None:
                lost = -logs[np.arange(len(held)), codes[held]]
            else:
                lost = -np.sum(shares[held] * np.maximum(logs, -745.0), axis=1)
            losses[place, fold] = np.average(
                lost, weights=None if weights is None else weights[held]
            )
    return losses
