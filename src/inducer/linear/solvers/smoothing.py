"""Kinks rounded off, less and less: high accuracy for hinge, absolute and quantile losses, and L1.

A convex function with kinks has an envelope, the least of f(x) + (x - z)^2 / (2 width) over x,
that is smooth and nowhere above it. The envelopes of loss and penalty are minimised by Newton's
method (L-BFGS with many features), for one width after another, each a tenth of the last, and each
from the answer of the one before. The slopes of the envelopes are dual variables: they bound how
far the objective is above its least.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from inducer.linear.solvers.design import Vector
from inducer.linear.solvers.newton import newton
from inducer.linear.solvers.problem import Problem
from inducer.linear.solvers.quasi_newton import lbfgs
from inducer.linear.solvers.watch import Answer, Watch
from inducer.losses import Loss
from inducer.penalties import Penalty

_NARROWEST = 1e-12
_LOOSE = 1e-4  # how small a gradient has to be before the width falls


@dataclass(frozen=True)
class LossEnvelope(Loss):
    """The envelope of a loss."""

    loss: Loss
    width: float
    smooth = True

    def value(self, y: Any, z: Any) -> Any:
        """Return the least of the loss there and the way there."""
        slope = self.loss.envelope_slope(y, z, self.width)
        return self.loss.value(y, self.loss.prox(y, z, self.width)) + slope**2 * self.width / 2

    def derivative(self, y: Any, z: Any) -> Any:
        """Return the slope, which is one of the loss's at the point of the prox."""
        return self.loss.envelope_slope(y, z, self.width)

    def curvature(self, y: Any, z: Any) -> Any:
        """Return 1 / width where a kink holds the prox, else nearly the loss's own curvature."""
        x = self.loss.prox(y, z, self.width)
        slope = self.loss.envelope_slope(y, z, self.width)
        own = self.loss.curvature(y, x)
        held = np.abs(slope - self.loss.derivative(y, x)) > 1e-6 * (1 + np.abs(slope))
        return np.where(held, 1 / self.width, own / (1 + self.width * own))


@dataclass(frozen=True)
class PenaltyEnvelope(Penalty):
    """The envelope of a penalty."""

    penalty: Penalty
    width: float
    smooth = True

    def value(self, w: Any) -> float:
        """Return the least of the penalty there and the way there."""
        slope = self.penalty.envelope_gradient(w, self.width)
        least = self.penalty.value(self.penalty.prox(w, self.width))
        return float(least + slope @ slope * self.width / 2)

    def gradient(self, w: Any) -> Any:
        """Return the gradient."""
        return self.penalty.envelope_gradient(w, self.width)

    def curvature(self, w: Any) -> Any:
        """Return the Hessian, or its diagonal if it has no more."""
        jacobian = self.penalty.prox_jacobian(w, self.width)
        if jacobian.ndim == 1:
            return (1 - jacobian) / self.width
        return (np.eye(len(w)) - jacobian) / self.width


def smoothing(problem: Problem, u: Vector, watch: Watch, tol: float, small: bool) -> Answer:
    """Narrow the envelopes until the objective is within tol of its least, relative to its start.

    Parameters
    ----------
    problem : Problem
        What to minimise; its penalty is smooth or has a prox with a Jacobian.
    u : array
        Where to start.
    watch : Watch
        Told of each iteration.
    tol : float
        How much the objective may be too large, as a share of where it starts.
    small : bool
        Whether a Hessian may be written down.
    """
    start = problem.start()
    target = tol * (abs(problem.value(start)) or 1.0)
    rounded_penalty = not problem.penalty.smooth and problem.alpha > 0
    best = Answer(u, problem.value(u), np.inf, np.inf, converged=False)
    width = 1.0
    while width >= _NARROWEST:
        rounded = problem
        if not problem.loss.smooth:
            envelope = LossEnvelope(problem.loss, width * problem.score_scale)
            rounded = rounded.replaced(loss=envelope)
        if rounded_penalty:
            wide = width * problem.weight_scale
            rounded = rounded.replaced(penalty=PenaltyEnvelope(problem.penalty, wide))
        enough = min(_LOOSE, max(1e-3 * width, 1e-10)) * problem.scale
        solved = newton(rounded, u, watch, enough) if small else lbfgs(rounded, u, watch, enough)
        u = solved.u
        found = _judged(problem, rounded, u, solved)
        if found.gap <= best.gap or not np.isfinite(best.gap):
            best = found
        if best.gap <= target or watch.over:
            break
        width /= 10
    best.converged = best.gap <= target
    return best


def _judged(problem: Problem, rounded: Problem, u: Vector, solved: Answer) -> Answer:
    """Return u as an answer of the true problem, with the better of two bounds of the gap."""
    z = problem.scores(u)
    slopes = rounded.loss.derivative(problem.y, z)
    below = solved.objective
    if rounded.penalty is not problem.penalty:  # exact zeros
        d = problem.design.features
        wide = rounded.penalty.width
        new = u.copy()
        new[:d] = problem.penalty.prox(u[:d], wide)
        new_z = problem.scores(new)
        if problem.value(new, new_z) <= problem.value(u, z):
            u, z = new, new_z
    value = problem.value(u, z)
    gap = problem.gap(u, z, slopes)
    if not np.isfinite(gap):
        # The envelope is nowhere above, and its least is found up to its gradient.
        away = float(np.sum(np.abs(u))) + problem.weight_scale
        gap = value - below + solved.gradient_norm * away
    return Answer(u, value, solved.gradient_norm, gap)
