"""Ridge regression by conjugate gradients: for sparse data too large for a factor."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from inducer._core.linear import column_products
from inducer.base.arrays import Matrix
from inducer.linear._numbers import Numbers
from inducer.linear._rule import linear_scores, require_finite


@dataclass(frozen=True)
class Conjugate:
    """What came out, over all targets."""

    coef: Numbers
    intercept: Numbers
    steps: int
    gap: float  # |gradient|^2 / (2 alpha) bounds what is left, where alpha > 0
    share: float  # the gradient, of what it was at zero
    converged: bool


def conjugate_gradients(
    learner: Any,
    matrix: Matrix,
    Y: Numbers,
    weights: Numbers | None,
    alphas: Numbers,
    *,
    fit_intercept: bool,
    tol: float,
    max_iter: int,
    threads: int,
) -> Conjugate:
    """Return the solution of (Z'Z + alpha) w = Z'z for each target, begun at zero.

    Z = sqrt(H) (X - mean) is never made: its products are those of X, less the mean's share. The
    steps are preconditioned by the diagonal.
    """
    h = np.ones(len(Y)) if weights is None else weights
    total = float(h.sum())
    cols = matrix.X.shape[1]
    mean = np.zeros(cols)
    if fit_intercept:
        mean = column_products(matrix.rows, (h / total)[None], threads)[0]
    y_mean = h @ Y / total if fit_intercept else np.zeros(Y.shape[1])
    with np.errstate(over="ignore"):
        squares = (
            np.asarray(matrix.X.multiply(matrix.X).T @ h, np.float64).ravel()
            if hasattr(matrix.X, "toarray")
            else h @ np.square(np.ascontiguousarray(matrix.X), dtype=np.float64)
        )
    require_finite(learner, squares)
    diagonal = squares - total * mean * mean

    def towards(r: Numbers) -> Numbers:
        weighted = h * r
        found: Numbers = column_products(matrix.rows, weighted[None], threads)[0]
        found -= mean * weighted.sum()
        return found

    def forth(v: Numbers) -> Numbers:
        row = v.astype(matrix.X.dtype)[None]
        found: Numbers = linear_scores(matrix, row, -np.array([mean @ v]))[:, 0]
        return found.astype(np.float64)

    coef = np.zeros((Y.shape[1], cols))
    most_steps, gap, worst, converged = 1, 0.0, 0.0, True
    for k, alpha in enumerate(alphas):
        r = towards(Y[:, k] - y_mean[k])  # minus the gradient of half the objective
        first = float(np.linalg.norm(r))
        scale = 1 / np.maximum(diagonal + alpha, np.finfo(np.float64).tiny)
        direction = z = scale * r
        rz, steps = float(r @ z), 0
        while steps < max_iter and np.linalg.norm(r) > tol * first:
            image = towards(forth(direction)) + alpha * direction
            step = rz / float(direction @ image)
            coef[k] += step * direction
            r = r - step * image
            z = scale * r
            rz, before = float(r @ z), rz
            direction = z + rz / before * direction
            steps += 1
        left = float(np.linalg.norm(r))
        most_steps = max(most_steps, steps)
        gap = max(gap, left * left / alpha if alpha > 0 else np.inf if left > 0 else 0.0)
        worst = max(worst, left / first if first > 0 else 0.0)
        converged &= left <= tol * first
    return Conjugate(coef, y_mean - coef @ mean, most_steps, gap, worst, converged)
