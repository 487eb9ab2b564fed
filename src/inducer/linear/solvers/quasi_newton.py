"""L-BFGS, SciPy's: for smooth problems whose Hessian would be too large to write down."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.optimize import minimize

from inducer.linear.solvers.design import Vector
from inducer.linear.solvers.problem import Point, Problem
from inducer.linear.solvers.watch import Answer, Watch

_MEMORY = 20  # steps remembered; scikit-learn remembers 10
_SEARCHES = 50  # products in one search for the length of a step


def lbfgs(problem: Problem, u: Vector, watch: Watch, target: float) -> Answer:
    """Go down until the norm of the gradient is no larger than the target."""
    if watch.over or not len(u):
        return _answer(problem, problem.at(u), target)
    # Features from their centre, in units of their sizes: the first step is along the gradient.
    units = 1 / np.sqrt(np.maximum(problem.column_sizes[1], 1e-300))
    units[problem.column_sizes[1] == 0] = 1.0
    latest = problem.at(u)

    def at(v: Vector) -> Point:
        nonlocal latest
        u = problem.design.raw(units * v)
        if not np.array_equal(u, latest.u):
            latest = problem.at(u)
        return latest

    def both(v: Vector) -> tuple[float, Vector]:
        point = at(v)
        if not np.isfinite(point.value):
            return np.inf, np.zeros_like(v)
        return point.value, units * problem.design.slopes(point.gradient)

    def told(intermediate_result: Any) -> None:
        point = at(intermediate_result.x)
        norm = problem.norm(point.gradient)
        if watch.tell(point.u, point.value, norm) or norm <= target:
            raise StopIteration

    found = minimize(
        both,
        problem.design.seen(u) / units,
        jac=True,
        method="L-BFGS-B",
        callback=told,
        options={
            "maxiter": min(watch.max_iter, 2**31 - 2),
            "maxfun": 2**31 - 1,
            "maxcor": _MEMORY,
            "maxls": _SEARCHES,
            "ftol": 0.0,
            "gtol": 0.0,
        },
    )
    return _answer(problem, at(found.x), target)


def _answer(problem: Problem, point: Point, target: float) -> Answer:
    norm = problem.norm(point.gradient)
    return Answer(point, norm, converged=norm <= target)
