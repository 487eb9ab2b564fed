"""What is minimised: the mean loss of the rows, and a penalty of the weights."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from inducer._core.linear import Objective
from inducer.base._threads import threads
from inducer.linear._sums import blocks
from inducer.linear.solvers.design import Design, Vector, both_triangles
from inducer.linear.solvers.row_losses import RowLosses, row_losses
from inducer.losses import Loss
from inducer.penalties import Penalty

FUSED = 190  # features up to which the Hessian is summed in the same pass: its tiles fit the cache


@dataclass(frozen=True)
class Point:
    """Where a problem was evaluated, and what one pass over the rows found there."""

    u: Vector
    z: Vector  # scores
    slopes: Vector  # of the rows' losses, times their weights
    mean_loss: float
    value: float  # of the objective
    gradient: Vector  # or a subgradient
    curvatures: Vector | None = None  # likewise, where asked for
    loss_hessian: Vector | None = None


@dataclass(frozen=True)
class Problem:
    """The function F(w, b) = sum_n weight_n loss(y_n, w.x_n + b) + alpha R(w).

    The weights of the rows have the sum one. The solvers' variable u is w, and b behind it.
    """

    design: Design
    y: Vector
    weights: Vector
    loss: Loss
    penalty: Penalty
    alpha: float

    @cached_property
    def row_losses(self) -> RowLosses:
        """The losses of the rows."""
        return row_losses(self.design, self.loss, self.y, self.weights)

    @property
    def features(self) -> int:
        """The number of weights."""
        return self.design.features

    def at(self, u: Vector, *, curved: bool = False) -> Point:
        """Return the value and the gradient at u, and with `curved` what `hessian` needs."""
        design = self.design
        gradient, scores, slopes = np.zeros(self.features + 1), *np.empty((2, design.rows))
        curvatures = np.empty(design.rows) if curved else None
        hessian = None
        if curved and self._fuses:
            hessian = np.zeros((self.features + 1, self.features + 1))
        w, loss = design.with_intercept(u), 0.0
        for begin, end in blocks(design.matrix, 1.0 if hessian is None else len(gradient) / 8):
            loss += self.row_losses.evaluate(
                w,
                begin,
                end,
                threads(),
                gradient=gradient,
                hessian=hessian,
                scores=scores,
                slopes=slopes,
                curvatures=curvatures,
            )
        value = loss + self.alpha * self.penalty_of(u) if self.alpha else loss
        total = design.wanted(gradient) + self.penalty_gradient(u)
        if hessian is not None:
            hessian = design.wanted(both_triangles(hessian))
        return Point(u, scores, slopes, loss, value, total, curvatures, hessian)

    @property
    def _fuses(self) -> bool:
        X = self.design.matrix.X
        fits = self.features <= FUSED and not hasattr(X, "indptr")
        return fits and isinstance(self.row_losses, Objective)

    def scores(self, u: Vector) -> Vector:
        """Return the score of each row."""
        scores, w = np.empty(self.design.rows), self.design.with_intercept(u)
        for begin, end in blocks(self.design.matrix):
            self.row_losses.evaluate(w, begin, end, threads(), scores=scores)
        return scores

    def slope_along(self, z: Vector, dz: Vector, t: float) -> float:
        """Return the derivative of the mean loss by t, where the scores are z + t dz."""
        return self.row_losses.along(z, dz, t, 0, self.design.rows, threads())[1]

    def penalty_of(self, u: Vector) -> float:
        """Return what the weights cost, without alpha."""
        with np.errstate(over="ignore", invalid="ignore"):
            return float(self.penalty.value(self.design.split(u)[0]))

    def penalty_gradient(self, u: Vector) -> Vector:
        """Return the gradient of alpha R, zero for the intercept."""
        found = np.zeros_like(u)
        if self.alpha:
            with np.errstate(over="ignore", invalid="ignore"):
                w = self.design.split(u)[0]
                found[: self.features] = self.alpha * self.penalty.gradient(w)
        return found

    def hessian(self, point: Point) -> Vector:
        """Return the second derivatives of F at a point that knows its curvatures."""
        assert point.curvatures is not None
        found = point.loss_hessian
        if found is None:
            found = self.design.gram(point.curvatures)
        if self.alpha:
            bend = self.alpha * self.penalty.curvature(self.design.split(point.u)[0])
            found = found.copy()
            d = self.features
            found[:d, :d] += np.diag(bend) if bend.ndim == 1 else bend
        return found

    def start(self) -> Vector:
        """Return zero weights, and an intercept that suits the targets."""
        u = np.zeros(self.design.columns)
        if self.design.intercept:
            u[-1] = self.loss.start(self.y, self.weights)
        return u

    @cached_property
    def column_sizes(self) -> tuple[Vector, Vector]:
        """The mean |x| and x^2 of each column, by weight; of far ones, from their centre."""
        return self.design.sums_of_sizes(self.weights)

    @cached_property
    def scale(self) -> float:
        """What the `norm` of a gradient is small beside: the mean slope where the fit starts."""
        slopes = self.loss.derivative(self.y, self._first_scores)
        # The rounding errors of large targets that are all alike are no slopes.
        least = 1e-7 * float(np.dot(self.weights, np.abs(self.y)))
        return max(float(np.dot(self.weights, np.abs(slopes))), least)

    @property
    def _first_scores(self) -> Vector:
        """The scores where the fit starts: there are no weights yet."""
        return np.full(self.design.rows, self.design.split(self.start())[1])

    @property
    def units(self) -> Vector:
        """The mean size of each column, 1 for one of zeros and for the intercept."""
        sizes = self.column_sizes[0]
        return np.where(sizes > 0, sizes, 1.0)

    def norm(self, gradient: Vector) -> float:
        """Return the largest part of a gradient, with each feature in units of its size.

        So a feature that is a million times larger than the others does not hide theirs, nor one
        that is far from zero its own.
        """
        return float(np.max(np.abs(self.design.slopes(gradient)) / self.units, initial=0.0))

    def reach(self, u: Vector) -> Vector:
        """Return how far the parts of the answer may be from those of u: a guess, and generous."""
        return np.abs(u) + self.score_scale / self.units

    @cached_property
    def score_scale(self) -> float:
        """How far scores are from what they should be where the fit starts: 1 for classes."""
        if self.loss.targets != "numbers":
            return 1.0
        return float(np.dot(self.weights, np.abs(self.y - self._first_scores))) or 1.0

    @cached_property
    def weight_scale(self) -> float:
        """What a weight may be like."""
        sizes = self.column_sizes[0][: self.features]
        return self.score_scale / (float(np.max(sizes, initial=0.0)) or 1.0)

    def replaced(self, **parts: Any) -> Problem:
        """Return the problem with other targets, loss, penalty or alpha."""
        made = replace(self, **parts)
        if "column_sizes" in vars(self):  # the rows are the same
            vars(made)["column_sizes"] = self.column_sizes
        return made

    def gap(self, point: Point, slopes: Vector) -> float:
        """Return a bound of F(u) - min F, by duality; infinite where none is to be had.

        Any slopes of the rows (times their weights) that sum to zero, for the intercept's sake,
        make one: the better, the nearer they are to those of the answer. They are first shrunk
        until the dual allows them. Without a penalty it wants X' slopes = 0; what is missing is
        paid for as if the answer's weights were no more than twice as large as these.
        """
        if not self.loss.has_conjugate or (self.alpha and not self.penalty.has("conjugate")):
            return float("inf")
        with np.errstate(all="ignore"):
            if self.design.intercept:
                slopes = balanced(slopes)
            d = self.features
            pull = -self.design.transpose_times(slopes)[:d]
            if self.alpha:
                pull = pull / self.alpha
                factor = self.penalty.shrunk(pull)
                paid = self.alpha * self.penalty.conjugate(factor * pull)
            else:
                factor, paid = 1.0, float(np.abs(pull) @ self.reach(point.u)[:d])
            # Towards zero by what dividing may have rounded away from it: the largest slopes are
            # at the border of where the conjugate is finite.
            inside = factor * (1 - 4 * np.finfo(np.float64).eps)
            each = np.where(self.weights > 0, inside * slopes / self.weights, 0.0)
            dual = -float(np.dot(self.weights, self.loss.conjugate(self.y, each)))
            found = point.value - dual + paid
        return max(found, 0.0) if np.isfinite(found) else float("inf")


def balanced(slopes: Vector) -> Vector:
    """Return slopes with the larger of the two sides, above and below zero, shrunk to the other."""
    up, down = float(np.sum(np.maximum(slopes, 0))), float(np.sum(np.maximum(-slopes, 0)))
    if up == down:
        return slopes
    least = min(up, down)
    return slopes * np.where(slopes > 0, least / max(up, 1e-300), least / max(down, 1e-300))
