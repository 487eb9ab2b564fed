"""What is minimised: the mean loss of the rows, and a penalty of the weights."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from inducer.linear.solvers.design import Design, Vector
from inducer.losses import Loss
from inducer.penalties import Penalty


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

    def split(self, u: Vector) -> tuple[Vector, float]:
        """Return the weights and the intercept."""
        return self.design.split(u)

    def scores(self, u: Vector) -> Vector:
        """Return the score of each row."""
        with np.errstate(over="ignore", invalid="ignore"):
            return self.design.times(u)

    def mean_loss(self, z: Vector) -> float:
        """Return the mean loss, by weight."""
        with np.errstate(over="ignore", invalid="ignore"):
            return float(np.dot(self.weights, self.loss.value(self.y, z)))

    def penalty_of(self, u: Vector) -> float:
        """Return what the weights cost, without alpha."""
        with np.errstate(over="ignore", invalid="ignore"):
            return float(self.penalty.value(self.split(u)[0]))

    def value(self, u: Vector, z: Vector | None = None) -> float:
        """Return F."""
        found = self.mean_loss(self.scores(u) if z is None else z)
        return found + self.alpha * self.penalty_of(u) if self.alpha else found

    def loss_gradient(self, z: Vector) -> Vector:
        """Return the gradient of the mean loss."""
        with np.errstate(over="ignore", invalid="ignore"):
            slopes = self.loss.derivative(self.y, z)
            return self.design.transpose_times(self.weights * slopes)

    def penalty_gradient(self, u: Vector) -> Vector:
        """Return the gradient of alpha R, zero for the intercept."""
        found = np.zeros_like(u)
        if self.alpha:
            with np.errstate(over="ignore", invalid="ignore"):
                w = self.split(u)[0]
                found[: self.design.features] = self.alpha * self.penalty.gradient(w)
        return found

    def gradient(self, u: Vector, z: Vector | None = None) -> Vector:
        """Return the gradient of F, or a subgradient."""
        return self.loss_gradient(self.scores(u) if z is None else z) + self.penalty_gradient(u)

    def hessian(self, u: Vector, z: Vector) -> Vector:
        """Return the second derivatives of F."""
        with np.errstate(over="ignore", invalid="ignore"):
            heights = self.weights * self.loss.curvature(self.y, z)
        found = self.design.gram(heights)
        if self.alpha:
            bend = self.alpha * self.penalty.curvature(self.split(u)[0])
            d = self.design.features
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
        """The mean |x| and x^2 of each column, by weight."""
        return self.design.sums_of_sizes(self.weights)

    @cached_property
    def scale(self) -> float:
        """What the `norm` of a gradient is small beside: the mean slope where the fit starts."""
        z = self.scores(self.start())
        slope = float(np.dot(self.weights, np.abs(self.loss.derivative(self.y, z))))
        # The rounding errors of large targets that are all alike are no slopes.
        return max(slope, 1e-7 * float(np.dot(self.weights, np.abs(self.y))))

    @property
    def units(self) -> Vector:
        """The mean size of each column, 1 for one of zeros and for the intercept."""
        sizes = self.column_sizes[0]
        return np.where(sizes > 0, sizes, 1.0)

    def norm(self, gradient: Vector) -> float:
        """Return the largest part of a gradient, with each feature in units of its size.

        So a feature that is a million times larger than the others does not hide theirs.
        """
        return float(np.max(np.abs(gradient) / self.units, initial=0.0))

    def reach(self, u: Vector) -> Vector:
        """Return how far the parts of the answer may be from those of u: a guess, and generous."""
        return np.abs(u) + self.score_scale / self.units

    @cached_property
    def score_scale(self) -> float:
        """How far scores are from what they should be where the fit starts: 1 for classes."""
        if self.loss.targets != "numbers":
            return 1.0
        apart = np.abs(self.y - self.scores(self.start()))
        return float(np.dot(self.weights, apart)) or 1.0

    @cached_property
    def weight_scale(self) -> float:
        """What a weight may be like."""
        sizes = self.column_sizes[0][: self.design.features]
        return self.score_scale / (float(np.max(sizes, initial=0.0)) or 1.0)

    def replaced(self, **parts: Any) -> Problem:
        """Return the problem with other targets, loss, penalty or alpha."""
        made = replace(self, **parts)
        if "column_sizes" in vars(self):  # the rows are the same
            vars(made)["column_sizes"] = self.column_sizes
        return made

    def gap(self, u: Vector, z: Vector, slopes: Vector) -> float:
        """Return a bound of F(u) - min F, by duality; infinite where none is to be had.

        Any slopes that sum to zero (for the intercept's sake) make one: the better, the nearer
        they are to those of the answer. They are first shrunk until the dual allows them. Without
        a penalty it wants X' slopes = 0; what is missing is paid for as if the answer's weights
        were no more than twice as large as these.
        """
        if not self.loss.has_conjugate or (self.alpha and not self.penalty.has("conjugate")):
            return float("inf")
        with np.errstate(all="ignore"):
            if self.design.intercept:
                slopes = balanced(slopes, self.weights)
            d = self.design.features
            pull = -self.design.transpose_times(self.weights * slopes)[:d]
            if self.alpha:
                pull = pull / self.alpha
                factor = self.penalty.shrunk(pull)
                paid = self.alpha * self.penalty.conjugate(factor * pull)
            else:
                factor, paid = 1.0, float(np.abs(pull) @ self.reach(u)[:d])
            dual = -float(np.dot(self.weights, self.loss.conjugate(self.y, factor * slopes)))
            found = self.value(u, z) - dual + paid
        return max(found, 0.0) if np.isfinite(found) else float("inf")


def balanced(slopes: Vector, weights: Vector) -> Vector:
    """Return slopes with the larger of the two sides, above and below zero, shrunk to the other."""
    up = float(np.dot(weights, np.maximum(slopes, 0)))
    down = float(np.dot(weights, np.maximum(-slopes, 0)))
    if up == down:
        return slopes
    if min(up, down) == 0:
        return np.zeros_like(slopes)
    shrunk = np.where(slopes > 0, min(1.0, down / up), min(1.0, up / down))
    return slopes * shrunk
