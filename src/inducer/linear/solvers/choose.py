"""Which solver suits a loss, a penalty and a size."""

from __future__ import annotations

import numpy as np

from inducer.base.errors import ParameterError
from inducer.linear.solvers.coordinate import coordinate_descent, is_net
from inducer.linear.solvers.descent import (
    Rate,
    gradient_descent,
    is_least_at_zero,
    subgradient_descent,
)
from inducer.linear.solvers.design import Vector
from inducer.linear.solvers.dual import dual_descent, is_machine
from inducer.linear.solvers.newton import newton, newton_step
from inducer.linear.solvers.problem import Problem
from inducer.linear.solvers.proximal import proximal
from inducer.linear.solvers.quasi_newton import lbfgs
from inducer.linear.solvers.smoothing import smoothing
from inducer.linear.solvers.stochastic import missing_for_sgd, stochastic_descent
from inducer.linear.solvers.watch import Answer, Watch

SOLVERS = (
    "newton",
    "lbfgs",
    "coordinate",
    "proximal",
    "dual_descent",
    "smoothing",
    "gradient",
    "subgradient",
    "sgd",
    "truncated",
)
SMALL = 1000  # features whose Hessian is written down


def chosen(problem: Problem) -> str:
    """Return the name of the solver that ``solver="auto"`` means.

    By the smoothness of loss and penalty, what the penalty can do, and the number of features.
    """
    loss, penalty, small = problem.loss, problem.penalty, problem.features <= SMALL
    smooth_penalty = penalty.smooth or problem.alpha == 0
    bent = problem.alpha == 0 or penalty.has("curvature")
    if is_least_at_zero(problem):
        return "subgradient"
    if is_net(problem) and not smooth_penalty:
        return "coordinate"
    if is_machine(problem) and not small:
        return "dual_descent"
    if loss.smooth and smooth_penalty:
        return "newton" if small and bent else "lbfgs"
    if (penalty.smooth and bent) or problem.alpha == 0 or penalty.has("prox_jacobian"):
        return "smoothing" if small or not loss.smooth else "proximal"
    if loss.smooth and penalty.has("prox"):
        return "proximal"
    return "subgradient"


def require_fit(problem: Problem, solver: str, rate: Rate = None) -> None:
    """Refuse a solver that cannot minimise such a problem."""
    loss, penalty, some = problem.loss, problem.penalty, problem.alpha > 0
    missing = ""
    if solver in ("newton", "lbfgs", "gradient"):
        if not loss.smooth:
            missing = f"a smooth loss; {loss!r} has kinks"
        elif some and not penalty.smooth:
            missing = f"a smooth penalty; {penalty!r} has kinks"
        elif some and solver == "newton" and not penalty.has("curvature"):
            missing = f"the curvature of the penalty; {penalty!r} does not say it"
    elif solver == "proximal":
        if not loss.smooth:
            missing = f"a smooth loss; {loss!r} has kinks"
        elif some and not penalty.has("prox"):
            missing = f"the prox of the penalty; {penalty!r} has none"
    elif solver == "coordinate" and not is_net(problem):
        missing = f"squared losses, and l1, l2 or both; got {loss!r} and {penalty!r}"
    elif solver == "dual_descent" and not is_machine(problem):
        missing = (
            f"hinge, absolute or epsilon-insensitive losses, and l2; got {loss!r}, {penalty!r}"
        )
    elif solver in ("sgd", "truncated"):
        missing = missing_for_sgd(problem, solver)
        if callable(rate):
            missing = "a number as learning_rate, or None"
    elif (
        solver == "smoothing"
        and some
        and not penalty.has("curvature" if penalty.smooth else "prox_jacobian")
    ):
        missing = f"the curvature of the penalty, or its prox; {penalty!r} does not say it"
    if missing:
        raise ParameterError(f"solver={solver!r} wants {missing}. 'auto' chooses one that fits.")


def solved(
    problem: Problem, solver: str, u: Vector, watch: Watch, tol: float | None, rate: Rate
) -> Answer:
    """Return what a solver makes of a problem; without a tolerance it runs as far as it may."""
    target = -1.0 if tol is None else tol * problem.scale
    share = -1.0 if tol is None else tol  # of the objective, where the gap is what ends a fit
    if solver == "newton":
        answer = newton(problem, u, watch, target)
    elif solver == "lbfgs":
        answer = lbfgs(problem, u, watch, target)
    elif solver == "proximal":
        answer = proximal(problem, u, watch, target)
    elif solver == "smoothing":
        small = problem.features <= SMALL
        answer = smoothing(problem, u, watch, share, small)
    elif solver == "coordinate":
        answer = coordinate_descent(problem, u, watch, share)
    elif solver == "dual_descent":
        answer = dual_descent(problem, watch, share)
    elif solver in ("sgd", "truncated"):
        assert not callable(rate)  # see require_fit
        truncated = solver == "truncated"
        answer = stochastic_descent(problem, u, watch, share, rate, truncated=truncated)
    elif solver == "gradient":
        answer = gradient_descent(problem, u, watch, target, rate)
    else:
        answer = subgradient_descent(problem, u, watch, target, rate)
    if answer.gap == float("inf"):
        answer.gap = problem.gap(answer.point, answer.point.slopes)
        enough = 0.0 if tol is None else tol * abs(answer.objective)
        bent = problem.loss.smooth and (problem.alpha == 0 or problem.penalty.has("curvature"))
        exact = solver in ("newton", "lbfgs") and problem.features <= SMALL
        if answer.gap > enough and bent and exact:
            answer.gap = min(answer.gap, _sharper_gap(problem, answer.point.u))
        # Proven to be as good as was asked for, however large the gradient.
        answer.converged |= answer.gap <= enough and tol is not None
    return answer


def _sharper_gap(problem: Problem, u: Vector) -> float:
    """Return the gap with the slopes that the rows would have after one more step of Newton's.

    Where a column is large beside what it varies by, the slopes at the answer leave a little of the
    gradient, and the dual pays for it by the square.
    """
    point = problem.at(u, curved=True)
    assert point.curvatures is not None  # asked for
    with np.errstate(all="ignore"):
        way = newton_step(problem, point)
        if way is None:
            return float("inf")
        return problem.gap(point, point.slopes + point.curvatures * problem.scores(way))
