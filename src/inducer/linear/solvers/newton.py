"""Newton's method, with the step along each direction searched for.

For the logistic loss these are the steps of iteratively reweighted least squares; for squared
losses one step is the whole way. Where curvature is missing, as in pieces of losses that are flat,
it is lent some, more as long as steps turn out too long.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from inducer.linear.solvers.design import Vector
from inducer.linear.solvers.problem import Point, Problem
from inducer.linear.solvers.watch import Answer, Watch

_EPS = float(np.finfo(np.float64).eps)
_SINGULAR = 1e-13  # of the diagonal, what is left of it in a factorisation
_PATIENCE, _NEARLY = 8, 1e-6  # steps without a smaller gradient, when it is small already
_FLAT = 0.1  # a step is long enough where the slope along it is this much less


def newton(problem: Problem, u: Vector, watch: Watch, target: float) -> Answer:
    """Go down until the norm of the gradient is no larger than the target."""
    point = problem.at(u, curved=True)
    lent, length = 0.0, 1.0
    least, since = np.inf, 0
    while True:
        norm = problem.norm(point.gradient)
        if norm <= target or watch.over:
            break
        least, since = (norm, 0) if norm < least / 2 else (least, since + 1)
        if since > _PATIENCE and norm <= _NEARLY * problem.scale:
            break  # to and fro among rounding errors
        hessian = problem.hessian(point)
        if not (np.all(np.isfinite(hessian)) and np.isfinite(norm)):
            break  # refused by the learner
        way, lent = _direction(problem, hessian, point.gradient, lent)
        slope = float(point.gradient @ way)
        if not slope < 0:
            break
        # Where the last step was not a whole one, searching first costs less than a trial.
        new = problem.at(point.u + way, curved=True) if length == 1.0 else None
        if new is None or not _far_enough(point, new, way, slope):
            length = search(problem, point, way, slope)
            if length == 0.0:
                break  # rounding errors are all that is left to go down
            if new is None or length != 1.0:
                new = problem.at(point.u + length * way, curved=True)
        still = bool(np.all(np.abs(new.u - point.u) <= 2 * _EPS * np.abs(point.u)))
        point = new
        if lent:
            lent = lent / 10 if length > 0.9 else min(4 * lent, 1e6)
        watch.tell(point.u, point.value, problem.norm(point.gradient))
        if still:
            break
    norm = problem.norm(point.gradient)
    return Answer(point, norm, converged=norm <= target)


def newton_step(problem: Problem, point: Point) -> Vector | None:
    """Return the step to the least of the quadratic that fits F here; None where it has none."""
    hessian = problem.hessian(point)
    if not np.all(np.isfinite(hessian)):
        return None
    return _whole(hessian, point.gradient, problem.design.intercept)


def largest(gradient: Vector) -> float:
    """Return the size of the largest part."""
    return float(np.max(np.abs(gradient), initial=0.0))


def _direction(
    problem: Problem, hessian: Vector, gradient: Vector, lent: float
) -> tuple[Vector, float]:
    """Return a step, and how much curvature was lent for it, relative to what there is."""
    if not lent:
        way = _whole(hessian, gradient, problem.design.intercept)
        if way is not None:
            return way, 0.0
        lent = 1e-3
    sizes = np.maximum(problem.column_sizes[1], _EPS)
    typical = float(np.trace(hessian)) / float(np.sum(sizes)) or 1.0
    while True:
        way = _solved(hessian + np.diag(lent * typical * sizes), gradient)
        if way is not None:
            return way, lent
        lent *= 10


def _whole(hessian: Vector, gradient: Vector, intercept: bool) -> Vector | None:
    """Return the step without lent curvature, the shortest one; None where it has no end."""
    way = _solved(hessian, gradient)
    return _shortest(hessian, gradient, intercept) if way is None else way


def _solved(hessian: Vector, gradient: Vector) -> Vector | None:
    """Return the step to the least of the quadratic; None where it has none, or is too flat."""
    diagonal = np.diag(hessian)
    if not np.all(diagonal > 0):
        return None
    root = 1 / np.sqrt(diagonal)
    try:
        factor = cho_factor(hessian * np.outer(root, root), lower=True, check_finite=False)
    except LinAlgError:
        return None
    if np.min(np.diag(factor[0])) ** 2 < _SINGULAR:
        return None
    return np.asarray(-root * cho_solve(factor, root * gradient, check_finite=False))


def _shortest(hessian: Vector, gradient: Vector, intercept: bool) -> Vector | None:
    """Return the step of the smallest weights of those that are equally good.

    None where the gradient points where there is no curvature: no such step ends.
    """
    inner, rest = hessian, gradient
    if intercept:  # which may be as large as it likes
        if hessian[-1, -1] <= 0:
            return None
        across = hessian[:-1, -1] / hessian[-1, -1]
        inner = hessian[:-1, :-1] - np.outer(across, hessian[:-1, -1])
        rest = gradient[:-1] - across * gradient[-1]
    if not len(rest):
        return None
    sizes, axes = np.linalg.eigh(inner)
    there = sizes > len(rest) * 1e-14 * max(float(sizes[-1]), 0.0)
    parts = axes[:, there].T @ rest
    step = -axes[:, there] @ (parts / sizes[there])
    if intercept:
        step = np.append(step, -(gradient[-1] + hessian[-1, :-1] @ step) / hessian[-1, -1])
    missed = largest(hessian @ step + gradient)
    return step if missed <= 1e-6 * largest(gradient) else None


def _far_enough(point: Point, new: Point, way: Vector, slope: float) -> bool:
    """Return whether a whole step ends where it is rather level, and lower if that can be told."""
    left = abs(float(new.gradient @ way))
    return left <= _FLAT * abs(slope) or (left <= 0.5 * abs(slope) and new.value < point.value)


def search(problem: Problem, point: Point, way: Vector, slope: float) -> float:
    """Return how far to go along a way: to where the slope is nearly level.

    The slope along the way rises, since the function is convex, so its zero can be closed in on.
    Slopes are exact where differences of values have long been lost to rounding.
    """
    dz = problem.scores(way)

    def along(t: float) -> float:
        with np.errstate(all="ignore"):
            found = problem.slope_along(point.z, dz, t)
            found += float(problem.penalty_gradient(point.u + t * way) @ way)
        return found if np.isfinite(found) else np.inf

    low, high, t = 0.0, np.inf, 1.0
    low_slope, high_slope = slope, np.inf
    for _ in range(80):
        here = along(t)
        if abs(here) <= _FLAT * abs(slope):
            return t
        if here < 0:
            low, low_slope = t, here
        else:
            high, high_slope = t, here
        if high == np.inf:
            t *= 2
            continue
        t = (low + high) / 2
        if high_slope != np.inf:
            between = low + (high - low) * (-low_slope) / (high_slope - low_slope)
            margin = 0.1 * (high - low)
            t = float(np.clip(between, low + margin, high - margin))
        if high - low <= _EPS * high:
            break
    return low
