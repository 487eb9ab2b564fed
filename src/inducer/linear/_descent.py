"""Coordinate descent for l1 penalties: on the Gram matrix, whole or of a working set.

For one target, and everything divided by the total weight,

    P(w) = 1/2 w'Qw - q'w + yy/2 + l1 |w|_1 + l2/2 |w|^2        (w >= 0, if positive)

`GramDescent` has Q whole. `WorkingSetDescent` never does: it solves for the columns that matter,
asks all others for violations of the optimality conditions |x_j'r - l2 w_j| <= l1, and takes the
worst of them in; the duality gap that it stops by is that of all columns. Every few sweeps both
solve for the present signs at once, by a Cholesky factor: exact as soon as the signs are right,
however slowly single coordinates would get there.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from inducer._core.base import Monitor
from inducer._core.linear import column_products, descend
from inducer.base.arrays import Matrix, matrix_of
from inducer.linear._moments import moments
from inducer.linear._numbers import Numbers

SWEEPS = 10  # between two tries to solve at once
SOLVES = 5  # tries in a row: each sets one weight of a changing sign to zero


@dataclass(frozen=True)
class Penalty:
    """What is added to half the mean of squares."""

    l1: float
    l2: float
    positive: bool

    def words(self) -> dict[str, Any]:
        """Return the penalty as the kernels take it."""
        return {"l1": self.l1, "l2": self.l2, "positive": self.positive}

    def value(self, w: Numbers) -> float:
        """Return the penalty of weights."""
        return float(self.l1 * np.abs(w).sum() + self.l2 / 2 * (w @ w))


class GramDescent:
    """A descent on the whole Gram matrix, that can be run on.

    Parameters
    ----------
    Q, q, yy
        The quadratic.
    penalty : Penalty
    w : array
        Where to start; the solution afterwards.
    tolerance : float
        The gap to stop at.
    """

    def __init__(
        self, Q: Numbers, q: Numbers, yy: float, penalty: Penalty, w: Numbers, tolerance: float
    ) -> None:
        self.Q, self.q, self.yy = np.ascontiguousarray(Q), np.ascontiguousarray(q), float(yy)
        self.penalty, self.tolerance = penalty, tolerance
        self.w = np.array(w, np.float64)
        used = np.flatnonzero(self.w)
        self.g = self.q - self.Q[used].T @ self.w[used]
        self.sweeps, self.gap, self.finished = 0, np.inf, False
        self._next_solve = SWEEPS
        self._monitor = Monitor()

    @property
    def objective(self) -> float:
        """P(w)."""
        squares = max(0.0, self.yy - float((self.q + self.g) @ self.w))
        return squares / 2 + self.penalty.value(self.w)

    def advance(self, sweeps: int) -> None:
        """Run until this many sweeps are made, or the gap is small enough, or nothing moves."""
        stuck = False
        while not self.finished and self.sweeps < sweeps:
            before = self.w.copy()
            made, self.gap = descend(
                self.Q,
                self.q,
                self.yy,
                self.w,
                self.g,
                **self.penalty.words(),
                tolerance=self.tolerance,
                sweeps=min(SWEEPS, sweeps - self.sweeps),
                monitor=self._monitor,
            )
            self.sweeps += made
            still = np.array_equal(before, self.w)
            self.finished = self.gap <= self.tolerance or (still and stuck)
            stuck = still
            if not self.finished and (still or self.sweeps >= self._next_solve):
                self._solve()

    def _solve(self) -> None:
        """Go to the best weights of the present signs, or to where the first of them changes."""
        w = self.w.copy()
        objective = self.objective
        for _ in range(SOLVES):
            free = not self.penalty.positive and self.penalty.l1 == 0
            used = np.arange(len(w)) if free else np.flatnonzero(w)
            if len(used) == 0:
                return
            signs = np.sign(w[used])
            M = self.Q[np.ix_(used, used)]
            M[np.diag_indices_from(M)] += self.penalty.l2
            try:
                factor = cho_factor(M, check_finite=False, overwrite_a=True)
            except LinAlgError:
                break
            goal = cho_solve(factor, self.q[used] - self.penalty.l1 * signs, check_finite=False)
            crossing = np.zeros(len(used), bool) if free else goal * signs <= 0
            if not crossing.any():
                w[used] = goal
                break
            steps = w[used][crossing] / (w[used] - goal)[crossing]
            reach = steps.min()
            w[used] += reach * (goal - w[used])
            w[used[np.flatnonzero(crossing)[steps <= reach]]] = 0
        used = np.flatnonzero(w)
        g = self.q - self.Q[used].T @ w[used]
        old = self.w, self.g
        self.w, self.g = w, g
        if not self.objective <= objective:
            self.w, self.g = old
        self._next_solve = self.sweeps + SWEEPS + len(used) ** 2 // (3 * max(1, len(w)))


class Design:
    """A table with its row weights, seen about its means: products with it, and pieces of it.

    ``y`` are the targets about their means, one a row, and ``pulls`` Xc'Hy / total of each.
    """

    def __init__(
        self,
        matrix: Matrix,
        Y: Numbers,
        weights: Numbers | None,
        fit_intercept: bool,
        threads: int,
    ) -> None:
        self.matrix, self.threads, self.fit_intercept = matrix, threads, fit_intercept
        self.weights = np.ones(len(Y)) if weights is None else weights
        self.total = float(self.weights.sum())
        shares = self.weights / self.total
        self.y_mean = shares @ Y if fit_intercept else np.zeros(Y.shape[1])
        self.y = np.ascontiguousarray((Y - self.y_mean).T)
        self.yy = self.y**2 @ shares
        # One pass over the data for the means and for all targets.
        wanted = np.vstack([shares, self.y * shares])
        found: Numbers = column_products(matrix.rows, wanted, threads)
        self.mean = found[0] if fit_intercept else np.zeros(found.shape[1])
        self.pulls = found[1:] - np.multiply.outer(wanted[1:].sum(axis=1), self.mean)

    def products(self, r: Numbers) -> Numbers:
        """Return Xc'Hr / total."""
        weighted = self.weights * r / self.total
        found: Numbers = column_products(self.matrix.rows, weighted[None], self.threads)[0]
        found -= self.mean * weighted.sum()
        return found


class HeldColumns:
    """Some columns of a design, and their Gram matrix."""

    def __init__(self, design: Design) -> None:
        self.design = design
        self.index: NDArray[np.intp] = np.empty(0, np.intp)
        self.X: Any = None
        self.Q = np.empty((0, 0))

    def add(self, more: NDArray[np.intp]) -> None:
        """Take more columns in. All of the Gram matrix is made again: ours is that fast."""
        self.index = np.concatenate([self.index, more])
        X = self.design.matrix.X[:, self.index]
        if hasattr(X, "sort_indices"):
            X.sort_indices()
            self.X = X
        else:
            self.X = np.ascontiguousarray(X)
        none = np.zeros((X.shape[0], 0))
        design = self.design
        made = moments(
            matrix_of(self.X), none, design.weights, design.fit_intercept, design.threads
        )
        self.Q = made.Q / made.total

    def predictions(self, w: Numbers) -> Numbers:
        """Return what weights, of the held columns, say about the means."""
        used = np.flatnonzero(w)
        X = self.X[:, used] if 2 * len(used) < len(w) else self.X
        some = w[used] if 2 * len(used) < len(w) else w
        found: Numbers = X @ some - self.design.mean[self.index] @ w
        return found


class WorkingSetDescent:
    """A descent that holds the Gram matrix of the columns that matter; runs like `GramDescent`.

    Parameters
    ----------
    held : HeldColumns
        Grows; what it holds already is in the working set.
    target : int
    penalty : Penalty
    w : array
        Where to start, all columns.
    tolerance : float
    last : WorkingSetDescent, optional
        A finished one for the same target; where w is its solution, its residual is known.
    """

    def __init__(
        self,
        held: HeldColumns,
        target: int,
        penalty: Penalty,
        w: Numbers,
        tolerance: float,
        last: WorkingSetDescent | None = None,
    ) -> None:
        design = held.design
        self.held, self.y, self.q = held, design.y[target], design.pulls[target]
        self.penalty, self.tolerance = penalty, tolerance
        self.w = np.array(w, np.float64)
        self.yy = float(design.yy[target])
        self.sweeps, self.gap, self.finished = 0, np.inf, False
        if last is not None and np.array_equal(last.w, self.w):
            self._judge(last.g, last._squares, last._residual_y)
        elif not self.w.any():
            self._judge(self.q, self.yy, self.yy)
        else:
            self._take(np.flatnonzero(self.w))
            self._look()

    @property
    def objective(self) -> float:
        """P(w)."""
        return self._squares / 2 + self.penalty.value(self.w)

    def advance(self, sweeps: int) -> None:
        """Run until this many sweeps are made, or the gap is small enough, or nothing moves."""
        sharper = 1.0
        while not self.finished and self.sweeps < sweeps:
            inside = np.zeros(len(self.w), bool)
            inside[self.held.index] = True
            violation = self._pulls() - self.penalty.l1
            violation[inside] = 0
            worst = np.flatnonzero(violation > 0)
            if len(worst):
                room = max(64, len(self.held.index))
                self._take(worst[np.argsort(-violation[worst], kind="stable")[:room]])
            else:
                sharper *= 0.1
            held = self.held
            part = GramDescent(
                held.Q,
                self.q[held.index],
                self.yy,
                self.penalty,
                self.w[held.index],
                max(0.3 * self.tolerance * sharper, 0.05 * self.gap if len(worst) else 0.0),
            )
            part.advance(sweeps - self.sweeps)
            self.sweeps += part.sweeps
            still = np.array_equal(part.w, self.w[held.index])
            self.w[held.index] = part.w
            self._look()
            self.finished |= still and len(worst) == 0

    def _take(self, wanted: NDArray[np.intp]) -> None:
        """Hold wanted columns, and a few of the most pulled: they are likely to be next."""
        outside = np.ones(len(self.w), bool)
        outside[self.held.index] = False
        more = wanted[outside[wanted]]
        if len(more) == 0:
            return
        if self.gap < np.inf:
            outside[more] = False
            others = np.flatnonzero(outside)
            room = 16 + len(self.held.index) // 8
            pull = self._pulls()[others]
            more = np.concatenate([more, others[np.argsort(-pull, kind="stable")[:room]]])
        self.held.add(more)

    def _look(self) -> None:
        """Compare the residual with every column, and find the gap."""
        design = self.held.design
        r = self.y - self.held.predictions(self.w[self.held.index])
        weighted = design.weights * r / design.total
        self._judge(design.products(r), float(weighted @ r), float(weighted @ self.y))

    def _judge(self, g: Numbers, squares: float, residual_y: float) -> None:
        self.g, self._squares, self._residual_y = g, squares, residual_y
        self.gap = self._gap(squares, residual_y)
        self.finished = self.gap <= self.tolerance

    def _pulls(self) -> Numbers:
        pull: Numbers = self.g - self.penalty.l2 * self.w
        return pull if self.penalty.positive else np.abs(pull)

    def _gap(self, squares: float, residual_y: float) -> float:
        p, w = self.penalty, self.w
        if p.l1 == 0:
            slope = p.l2 * w - self.g
            if p.positive:
                slope = np.where(w <= 0, np.minimum(slope, 0), slope)
            return float(slope @ slope) / (2 * (p.l2 or 1.0))
        steepest = float(self._pulls().max(initial=0.0))
        shrink = min(1.0, p.l1 / steepest) if steepest > 0 else 1.0
        half = (1 + shrink * shrink) / 2
        gap = half * squares - shrink * residual_y + p.l1 * np.abs(w).sum() + half * p.l2 * (w @ w)
        return max(0.0, float(gap))
