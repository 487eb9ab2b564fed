"""Of all weights that say the same of every row, the shortest.

Where columns are collinear, or more than rows, a loss without a penalty leaves the weights open:
anything X does not see can be added to them. What a solver ends at then depends on its steps, and
can be long. The shortest weights lie in the span of the rows (about their means, if there is an
intercept), and are the least squares solution for the scores themselves.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.linalg import LinAlgError, cho_factor

from inducer.base.arrays import Matrix
from inducer.linear._factor import factor_of, refined
from inducer.linear._moments import moments
from inducer.linear._numbers import Numbers, held_blas, predictions

MOST = 4000  # rows and columns both above: no factor is made, and weights stay as they are
UNIQUE = 1e-10  # of a column's squares: what is left of it beside the others, if it is needed
SAME = 1e-9  # of the spread of the scores


def shortest(
    learner: Any,
    matrix: Matrix,
    coef: Numbers,
    intercept: Numbers,
    weights: Numbers | None,
    threads: int,
) -> tuple[Numbers, Numbers]:
    """Return weights (outputs x features) and offsets with the scores of those given.

    Rows of weight zero are not looked at. Weights that no others can stand for are returned as
    they are, and so are those whose scores would change by more than rounding.
    """
    if not 0 < min(matrix.X.shape) <= MOST:
        return coef, intercept
    with held_blas(matrix, threads):
        if _unique(learner, matrix, weights, threads):
            return coef, intercept
        scores = predictions(matrix, coef, intercept)
        factor = factor_of(learner, matrix, scores, weights, threads)
        found = refined(factor, matrix, scores, weights, threads)
    offsets = factor.intercept(found) if learner.fit_intercept else intercept
    missed = np.abs(predictions(matrix, found, offsets) - scores)
    counted = slice(None) if weights is None else weights > 0
    spread = np.ptp(scores[counted], axis=0) + np.abs(scores[counted]).max(axis=0)
    if not np.all(missed[counted].max(axis=0) <= SAME * spread):
        return coef, intercept
    return found, offsets


def _unique(learner: Any, matrix: Matrix, weights: Numbers | None, threads: int) -> bool:
    """Return whether the columns are clearly independent: the cheap answer, and the usual one."""
    rows, cols = matrix.X.shape
    if cols >= rows:
        return False
    none = np.zeros((rows, 0))
    Q = moments(matrix, none, weights, bool(learner.fit_intercept), threads).Q
    diagonal = np.diagonal(Q)
    if not np.all(diagonal > 0):
        return False
    root = 1 / np.sqrt(diagonal)
    try:
        factor, _ = cho_factor(Q * np.multiply.outer(root, root), check_finite=False)
    except LinAlgError:
        return False
    return bool(np.min(np.diagonal(factor), initial=1.0) ** 2 > UNIQUE)
