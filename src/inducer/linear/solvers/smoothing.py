"""Kinks rounded off, less and less: high accuracy for hinge, absolute and quantile losses, and L1.

A convex function with kinks has an envelope, the least of f(x) + (x - z)^2 / (2 width) over x,
that is smooth and nowhere above it. The envelopes of loss and penalty are minimised by Newton's
method (L-BFGS with many features), for one width after another, each a tenth of the last, and each
from the answer of the one before. The slopes of the envelopes are dual variables: they bound how
far the objective is above its least.

As long as the same rows stay at their kinks, answer and slopes are straight lines in the width, for
losses in linear and quadratic pieces. So two widths say where the lines end at width zero, and the
bound says whether that was so: most fits end there, long before widths drown in rounding errors.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from inducer.linear.solvers.design import Vector
from inducer.linear.solvers.newton import newton
from inducer.linear.solvers.problem import Problem
from inducer.linear.solvers.quasi_newton import lbfgs
from inducer.linear.solvers.row_losses import LossEnvelope
from inducer.linear.solvers.watch import Answer, Watch
from inducer.penalties import Penalty

_NARROWEST, _FALL = 1e-12, 0.1
_PATIENCE = 2  # widths without a smaller gap: rounding errors have taken over
_LOOSE = 1e-4  # how small a gradient has to be before the width falls


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
    first = problem.at(problem.start())
    target = tol * (abs(first.value) or 1.0)
    rounded_penalty = not problem.penalty.smooth and problem.alpha > 0
    best = Answer(first, np.inf, np.inf, converged=False)
    last: _Stage | None = None
    width, worse = 1.0, 0
    while width >= _NARROWEST:
        rounded = problem
        if not problem.loss.smooth:
            envelope = LossEnvelope(problem.loss, width * problem.score_scale)
            rounded = rounded.replaced(loss=envelope)
        if rounded_penalty:
            wide = width * problem.weight_scale
            rounded = rounded.replaced(penalty=PenaltyEnvelope(problem.penalty, wide))
        # As exact as rounding lets it be, where a step more costs little.
        enough = max(1e-7 * width, 3e-17 / width) if small else max(1e-3 * width, 1e-10)
        enough = min(_LOOSE, enough) * problem.scale
        solved = newton(rounded, u, watch, enough) if small else lbfgs(rounded, u, watch, enough)
        u = solved.u
        stage = _primal_and_dual(problem, rounded, solved)
        found = _judged(problem, stage, solved)
        if last is not None:
            found = min(found, _judged(problem, stage.beyond(last), solved), key=lambda a: a.gap)
        worse = 0 if found.gap <= best.gap or solved.converged else worse + 1
        if found.gap <= best.gap or not np.isfinite(best.gap):
            best = found
        if best.gap <= target or watch.over or worse == _PATIENCE:
            break
        last = stage
        width *= _FALL
    best.converged = best.gap <= target
    return best


@dataclass(frozen=True)
class _Stage:
    """What a width gave: weights, the slopes of the losses, and a value below the least."""

    u: Vector
    slopes: Vector
    below: float

    def beyond(self, last: _Stage) -> _Stage:
        """Return where the lines from the last width through this one end at width zero."""
        share = _FALL / (1 - _FALL)
        return _Stage(
            self.u + share * (self.u - last.u),
            self.slopes + share * (self.slopes - last.slopes),
            self.below,
        )


def _primal_and_dual(problem: Problem, rounded: Problem, solved: Answer) -> _Stage:
    """Return the weights, zero where the true penalty wants them so, the slopes, and the value."""
    point = solved.point
    # The envelope is nowhere above, and its least is found up to its gradient.
    slack = float(np.abs(point.gradient) @ problem.reach(point.u))
    u = point.u
    if isinstance(rounded.penalty, PenaltyEnvelope):
        d = problem.features
        u = u.copy()
        u[:d] = problem.penalty.prox(u[:d], rounded.penalty.width)
    return _Stage(u, point.slopes, point.value - slack)


def _judged(problem: Problem, stage: _Stage, solved: Answer) -> Answer:
    """Return a stage as an answer of the true problem, with the better of two bounds of the gap."""
    point = problem.at(stage.u)
    gap = min(problem.gap(point, stage.slopes), point.value - stage.below)
    return Answer(point, solved.gradient_norm, max(gap, 0.0))
