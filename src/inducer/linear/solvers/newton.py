"""Newton's method, with the step along each direction searched for.

For the logistic loss these are the steps of iteratively reweighted least squares; for squared
losses one step is the whole way. Where curvature is missing, as in pieces of losses that are flat,
it is lent some, more as long as steps turn out too long.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from inducer.linear.solvers.design import Vector
from inducer.linear.solvers.problem import Problem
from inducer.linear.solvers.watch import Answer, Watch

_EPS = float(np.finfo(np.float64).eps)
_SINGULAR = 1e-13  # of the diagonal, what is left of it in a factorisation
_PATIENCE, _NEARLY = 8, 1e-6  # steps without a smaller gradient, when it is small already
_FLAT = 0.1  # a step is long enough where the slope along it is this much less


def newton(problem: Problem, u: Vector, watch: Watch, target: float) -> Answer:
    """Go down until the norm of the gradient is no larger than the target."""
    z = problem.scores(u)
    gradient = problem.gradient(u, z)
    lent = 0.0
    least, since = np.inf, 0
    while True:
        norm = problem.norm(gradient)
        if norm <= target or watch.over:
            break
        least, since = (norm, 0) if norm < least / 2 else (least, since + 1)
        if since > _PATIENCE and norm <= _NEARLY * problem.scale:
            break  # to and fro among rounding errors
        hessian = problem.hessian(u, z)
        if not (np.all(np.isfinite(hessian)) and np.isfinite(norm)):
            break  # refused by the learner
        way, lent = _direction(problem, hessian, gradient, lent)
        dz = problem.scores(way)
        length = _search(problem, u, way, z, dz, float(gradient @ way))
        if length == 0.0:
            break  # rounding errors are all that is left to go down
        new = u + length * way
        still = bool(np.all(np.abs(new - u) <= 2 * _EPS * np.abs(u)))
        u, z = new, z + length * dz
        if watch.made % 10 == 9:
            z = problem.scores(u)  # sums of steps drift
        gradient = problem.gradient(u, z)
        if lent:
            lent = lent / 10 if length > 0.9 else min(4 * lent, 1e6)
        watch.tell(u, problem.value(u, z), problem.norm(gradient))
        if still:
            break
    z = problem.scores(u)
    norm = problem.norm(problem.gradient(u, z))
    return Answer(u, problem.value(u, z), norm, converged=norm <= target)


def largest(gradient: Vector) -> float:
    """Return the size of the largest part."""
    return float(np.max(np.abs(gradient), initial=0.0))


def _direction(
    problem: Problem, hessian: Vector, gradient: Vector, lent: float
) -> tuple[Vector, float]:
    """Return a step, and how much curvature was lent for it, relative to what there is."""
    if not lent:
        way = _solved(hessian, gradient)
        if way is None:
            way = _shortest(hessian, gradient, problem.design.intercept)
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


def _search(problem: Problem, u: Vector, way: Vector, z: Vector, dz: Vector, slope: float) -> float:
    """Return how far to go along a way: to where the slope is nearly level.

    The slope along the way rises, since the function is convex, so its zero can be closed in on.
    Slopes are exact where differences of values have long been lost to rounding.
    """
    if not slope < 0:
        return 0.0

    def along(t: float) -> float:
        with np.errstate(all="ignore"):
            slopes = problem.loss.derivative(problem.y, z + t * dz)
            found = float(np.dot(problem.weights * slopes, dz))
            found += float(problem.penalty_gradient(u + t * way) @ way)
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
