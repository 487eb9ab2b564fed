"""L-BFGS, SciPy's: for smooth problems whose Hessian would be too large to write down."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.optimize import minimize

from inducer.linear.solvers.design import Vector
from inducer.linear.solvers.problem import Problem
from inducer.linear.solvers.watch import Answer, Watch

_MEMORY = 20  # steps remembered; scikit-learn remembers 10
_SEARCHES = 50  # products in one search for the length of a step


def lbfgs(problem: Problem, u: Vector, watch: Watch, target: float) -> Answer:
    """Go down until the norm of the gradient is no larger than the target."""
    if watch.over or not len(u):
        z = problem.scores(u)
        norm = problem.norm(problem.gradient(u, z))
        return Answer(u, problem.value(u, z), norm, converged=norm <= target)
    # Features in units of their sizes: the first step is along the gradient.
    units = 1 / np.sqrt(np.maximum(problem.column_sizes[1], 1e-300))
    units[problem.column_sizes[1] == 0] = 1.0
    latest: dict[str, Any] = {}

    def both(v: Vector) -> tuple[float, Vector]:
        z = problem.scores(units * v)
        latest.update(v=v.copy(), gradient=problem.gradient(units * v, z))
        latest["value"] = value = problem.value(units * v, z)
        if not np.isfinite(value):
            return np.inf, np.zeros_like(v)
        return value, units * latest["gradient"]

    def told(intermediate_result: Any) -> None:
        v = intermediate_result.x
        if not np.array_equal(v, latest["v"]):
            both(v)
        norm = problem.norm(latest["gradient"])
        if watch.tell(units * v, latest["value"], norm) or norm <= target:
            raise StopIteration

    found = minimize(
        both,
        u / units,
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
    u = units * found.x
    z = problem.scores(u)
    norm = problem.norm(problem.gradient(u, z))
    return Answer(u, problem.value(u, z), norm, converged=norm <= target)
