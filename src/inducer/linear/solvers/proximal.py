"""Accelerated proximal gradient: a step down the loss, then one that the penalty takes itself.

For smooth losses and penalties with kinks, of any number of features: weights that a penalty wants
at zero are exactly zero.
"""

from __future__ import annotations

import math

import numpy as np

from inducer.linear.solvers.design import Vector
from inducer.linear.solvers.problem import Point, Problem
from inducer.linear.solvers.watch import Answer, Patience, Watch


def proximal(problem: Problem, u: Vector, watch: Watch, target: float) -> Answer:
    """Go on until a step moves no part by more than the target times its length.

    That movement is the gradient where there are no kinks. Momentum is dropped where it points
    uphill, which makes the method linear near the answer without knowing how curved it is.
    """
    d = problem.features
    length = 1 / max(float(np.max(problem.column_sizes[1], initial=0.0)), 1e-300)
    smooth = problem.replaced(alpha=0.0)
    ahead, momentum = u, 1.0
    norm = np.inf
    patience = Patience()
    point = problem.at(u)
    while not watch.over:
        here = smooth.at(ahead)
        length *= 1.5
        while True:
            new = ahead - length * here.gradient
            new[:d] = problem.penalty.prox(new[:d], length * problem.alpha)
            move = new - ahead
            there = problem.at(new)
            # The curvature along the move must be no more than 1 / length. By slopes, since
            # differences of losses drown in rounding errors near the answer.
            if _bend(here, there) <= float(move @ move) / length or length < 1e-300:
                break
            length /= 2
        norm = problem.norm(move) / length
        uphill = float((ahead - new) @ (new - point.u)) > 0
        following = (1 + math.sqrt(1 + 4 * momentum * momentum)) / 2
        if uphill:
            ahead, momentum = new, 1.0
        else:
            ahead, momentum = new + (momentum - 1) / following * (new - point.u), following
        point = there
        watch.tell(point.u, point.value, norm)
        if norm <= target or not np.all(np.isfinite(new)):
            break
        if target >= 0 and patience.lost(norm):
            break
    return Answer(point, norm, problem.gap(point, point.slopes), converged=norm <= target)


def _bend(here: Point, there: Point) -> float:
    """Return how much the slope rises on the way, times the way."""
    with np.errstate(all="ignore"):
        found = float(np.dot(there.slopes - here.slopes, there.z - here.z))
    return found if np.isfinite(found) else np.inf
