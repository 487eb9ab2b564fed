"""The choice among alphas of ridge regression: by rows left out, in closed form, or by folds."""

from __future__ import annotations

from typing import Any

import numpy as np

from inducer.base.arrays import Matrix
from inducer.base.errors import ParameterError
from inducer.linear._factor import Factor, factor_of, left_out, leverages
from inducer.linear._folds import checked_folds
from inducer.linear._numbers import Numbers, predictions, some_rows


def checked_alphas(values: Any, name: str) -> Numbers:
    """Return penalties as a vector, none negative."""
    try:
        alphas = np.asarray(values, np.float64).ravel()
    except (TypeError, ValueError) as error:
        raise ParameterError(f"{name}: {error}") from None
    if len(alphas) == 0 or not np.all(np.isfinite(alphas)) or np.any(alphas < 0):
        raise ParameterError(f"{name} must be finite numbers, none negative. Got {values!r:.100}.")
    return alphas


def loo_scores(
    learner: Any,
    factor: Factor,
    coefs: Numbers,
    matrix: Matrix,
    Y: Numbers,
    weights: Numbers | None,
    alphas: Numbers,
) -> Numbers:
    """Return minus the mean squared error on rows left out (alphas x targets)."""
    hat = leverages(factor, matrix, weights, alphas, bool(learner.fit_intercept))
    h = np.ones(len(Y)) if weights is None else weights
    scores = np.empty((len(alphas), Y.shape[1]))
    offsets = factor.y_mean - coefs @ factor.x_mean
    for target in range(Y.shape[1]):
        said = predictions(matrix, coefs[:, target], offsets[:, target])
        out = left_out(Y[:, [target]] - said, hat)
        scores[:, target] = -(h @ (out * out)) / factor.total
    return scores


def fold_scores(
    learner: Any,
    matrix: Matrix,
    Y: Numbers,
    weights: Numbers | None,
    alphas: Numbers,
    threads: int,
) -> Numbers:
    """Return minus the mean squared error on the folds (alphas x targets)."""
    sums, total = np.zeros((len(alphas), Y.shape[1])), 0.0
    for train, test in checked_folds(learner.cv, matrix, Y, weights):
        w_train = None if weights is None else weights[train]
        h = np.ones(len(test)) if weights is None else weights[test]
        part = some_rows(matrix, train)
        factor = factor_of(learner, part, Y[train], w_train, threads, least=float(alphas.min()))
        coefs = factor.path(alphas)
        offsets = factor.y_mean - coefs @ factor.x_mean
        tested = some_rows(matrix, test)
        for target in range(Y.shape[1]):
            said = predictions(tested, coefs[:, target], offsets[:, target])
            missed = said - Y[test, target][:, None]
            sums[:, target] += h @ (missed * missed)
        total += float(h.sum())
    return -sums / total
