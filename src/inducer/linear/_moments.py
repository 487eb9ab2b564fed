"""Sums over rows that least squares is made of: z z' for z = (x, y, 1).

The sums are taken about a shift near the means, so that centring them afterwards does not cancel
the digits that matter; they add up over blocks of rows, and subtract, which gives the moments of
all folds but one from those of each.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from inducer._core.linear import add_gram, gram_by_cells
from inducer.base.arrays import Matrix
from inducer.linear._numbers import Numbers

SLICE_WORK = 1 << 31  # multiply-adds between two looks for Ctrl-C: some 60 ms
SAMPLE = 512


@dataclass(frozen=True)
class Moments:
    """Moments about the means (or about zero, without an intercept), not divided by the total.

    Q = Xc'HXc, q = Xc'HYc and yy = the diagonal of Yc'HYc; columns that do not vary are zero.
    """

    total: float
    x_mean: Numbers
    y_mean: Numbers
    Q: Numbers
    q: Numbers
    yy: Numbers

    def intercept(self, coef: Numbers) -> Numbers:
        """Return the offsets that go with weights (targets x features)."""
        found: Numbers = self.y_mean - coef @ self.x_mean
        return found


def mirror(Q: Numbers) -> None:
    """Copy what is above the diagonal to below, by blocks that stay in the cache."""
    p, step = len(Q), 128
    for begin in range(0, p, step):
        end = min(begin + step, p)
        block = Q[begin:end, begin:end]
        block[:] = np.triu(block) + np.triu(block, 1).T
        Q[end:, begin:end] = Q[begin:end, end:].T


@dataclass(frozen=True)
class RawMoments:
    """The upper triangle of sum h z z', z = (x - x_shift, y - y_shift, 1)."""

    A: Numbers
    x_shift: Numbers
    y_shift: Numbers
    shifted: bool

    def __add__(self, other: RawMoments) -> RawMoments:
        return RawMoments(self.A + other.A, self.x_shift, self.y_shift, self.shifted)

    def __sub__(self, other: RawMoments) -> RawMoments:
        return RawMoments(self.A - other.A, self.x_shift, self.y_shift, self.shifted)

    def centred(self, fit_intercept: bool) -> Moments:
        """Return the moments about the means, or about zero; then nothing may be shifted."""
        p, A = len(self.x_shift), self.A
        total = float(A[-1, -1])
        mean = A[:-1, -1] / total if fit_intercept else np.zeros(len(A) - 1)
        Q = A[:p, :p].copy()
        if fit_intercept:
            Q -= np.multiply.outer(mean[:p] * total, mean[:p])
        mirror(Q)
        q = A[:p, p:-1] - np.multiply.outer(mean[:p] * total, mean[p:])
        yy = np.diagonal(A)[p:-1] - mean[p:] ** 2 * total
        x_mean, y_mean = mean[:p] + self.x_shift, mean[p:] + self.y_shift
        # What rounding alone leaves of a column that does not vary.
        eps = np.finfo(np.float64).eps
        noise = (8 * eps) ** 2 * x_mean**2 * total
        if not self.shifted:
            noise += 8 * eps * np.diagonal(A)[:p]
        dead = np.diagonal(Q) <= noise if fit_intercept else np.diagonal(Q) <= 0
        if dead.any():
            Q[dead], Q[:, dead], q[dead] = 0, 0, 0
        return Moments(total, x_mean, y_mean, Q, q, np.maximum(yy, 0))


@dataclass(frozen=True)
class Shift:
    """Where the moments are taken about."""

    x: Numbers
    y: Numbers
    shifted: bool


def shift_near_means(matrix: Matrix, Y: Numbers, fit_intercept: bool) -> Shift:
    """Return the mean of some rows, spread over all; zero where nothing may be shifted."""
    X = matrix.X
    if not fit_intercept:
        return Shift(np.zeros(X.shape[1]), np.zeros(Y.shape[1]), False)
    y_mean = Y.mean(axis=0)
    if gram_by_cells(matrix.rows) or len(Y) == 0:
        return Shift(np.zeros(X.shape[1]), y_mean, False)
    some = X[:: max(1, X.shape[0] // SAMPLE)]
    # Row by row in memory, so that the layout of X does not show in the last bits.
    some = some.toarray(order="C") if hasattr(some, "toarray") else np.ascontiguousarray(some)
    return Shift(some.mean(axis=0, dtype=np.float64), y_mean, True)


def raw_moments(
    matrix: Matrix, Y: Numbers, weights: Numbers | None, shift: Shift, threads: int
) -> RawMoments:
    """Return the sums over all rows."""
    rows, p = matrix.X.shape
    width = p + Y.shape[1] + 1
    A = np.zeros((width, width))
    targets = np.ascontiguousarray(Y - shift.y)
    step = max(1, SLICE_WORK // (width * width))
    for begin in range(0, rows, step):
        add_gram(
            matrix.rows,
            weights,
            targets,
            shift.x if shift.shifted else None,
            A,
            begin,
            min(begin + step, rows),
            threads,
        )
    return RawMoments(A, shift.x, shift.y, shift.shifted)


def moments(
    matrix: Matrix, Y: Numbers, weights: Numbers | None, fit_intercept: bool, threads: int
) -> Moments:
    """Return the moments of all rows about their means, or about zero."""
    shift = shift_near_means(matrix, Y, fit_intercept)
    with np.errstate(over="ignore", invalid="ignore"):  # the fit refuses what is not finite
        return raw_moments(matrix, Y, weights, shift, threads).centred(fit_intercept)
