"""Coordinate descent with a working set and a duality gap: for squares beside l1 and l2."""

from __future__ import annotations

import numpy as np

from inducer.linear import _descent as descents
from inducer.linear._net import Start, source_of
from inducer.linear.solvers.design import Vector
from inducer.linear.solvers.problem import Point, Problem
from inducer.linear.solvers.watch import Answer, Watch
from inducer.losses import Squared
from inducer.penalties import L1, L2, ElasticNet, Penalty


def shares(penalty: Penalty) -> tuple[float, float] | None:
    """Return how much of |w|_1 and of |w|^2 / 2 is in a penalty made of them."""
    if type(penalty) is L1:
        return 1.0, 0.0
    if type(penalty) is L2:
        return 0.0, 1.0
    return (penalty.l1_ratio, 1 - penalty.l1_ratio) if type(penalty) is ElasticNet else None


def is_net(problem: Problem) -> bool:
    """Return whether a problem is an elastic net's."""
    some = problem.alpha > 0 and shares(problem.penalty) is not None
    return type(problem.loss) is Squared and some


def coordinate_descent(problem: Problem, u: Vector, watch: Watch, tol: float) -> Answer:
    """Make sweeps until the objective is within tol of its least, relative to its start.

    The elastic net's objective is half of ours: it has half of the squares.
    """
    first = problem.at(problem.start())
    target = tol * (abs(first.value) or 1.0)
    l1, l2 = shares(problem.penalty) or (0.0, 0.0)
    half = problem.alpha / 2
    source = source_of(
        watch.learner, problem.design.matrix, problem.y[:, None], problem.weights, 1, many=False
    )
    d = problem.features
    penalty = descents.Penalty(half * l1, half * l2, False)
    descent = source.descent(0, penalty, Start(u[:d]), target / 2)

    def weights() -> Vector:
        w = np.array(descent.w)
        return np.append(w, source.intercept(w[None])) if problem.design.intercept else w

    while not watch.over and not descent.finished:
        before = descent.sweeps
        descent.advance(before + watch.at_once(descents.SWEEPS))
        if descent.sweeps == before:
            break
        watch.tell(weights(), 2 * descent.objective, 2 * descent.gap, descent.sweeps - before)
    point = problem.at(weights())
    gap = problem.gap(point, point.slopes)
    return Answer(point, _slope(problem, point, l1), gap, converged=gap <= target)


def _slope(problem: Problem, point: Point, l1: float) -> float:
    """Return the largest part of the smallest subgradient."""
    found, level, d = point.gradient.copy(), problem.alpha * l1, problem.features
    flat = point.u[:d] == 0
    found[:d][flat] = np.maximum(np.abs(found[:d][flat]) - level, 0.0)
    return problem.norm(found)
