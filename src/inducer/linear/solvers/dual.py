"""Dual coordinate descent with shrinking: for support vector machines of many columns."""

from __future__ import annotations

import numpy as np

from inducer._core.base import Monitor
from inducer.base._threads import threads
from inducer.base.progress import SLICE_SECONDS
from inducer.linear._machine import DualDescent, Machine
from inducer.linear.solvers.problem import Problem
from inducer.linear.solvers.watch import Answer, Watch
from inducer.losses import Absolute, EpsilonInsensitive, Hinge, Loss
from inducer.penalties import L2

_SEED = 0  # of the order of the rows, so that the same data give the same bits


def is_machine(problem: Problem) -> bool:
    """Return whether a problem is a support vector machine's, which the kernel solves."""
    return (
        type(problem.loss) in (Hinge, Absolute, EpsilonInsensitive)
        and type(problem.penalty) is L2
        and problem.alpha > 0
    )


def dual_descent(problem: Problem, watch: Watch, tol: float) -> Answer:
    """Make passes until the objective is within tol of its least, relative to its start.

    The machine's objective is ours over alpha. It begins at zero slopes, wherever others begin.
    """
    design, alpha = problem.design, problem.alpha
    first = problem.at(problem.start())
    target = tol * (abs(first.value) or 1.0)
    machine = Machine(
        design.matrix,
        problem.y,
        problem.weights / alpha,
        epsilon=_epsilon(problem.loss),
        fit_intercept=design.intercept,
        threads=threads(),
    )
    run = DualDescent(machine, tol=0.0, seed=_SEED)
    monitor = Monitor()
    while not watch.over:
        passes = run.made + 1
        while not run.reached(passes):
            monitor.begin_slice(SLICE_SECONDS)
            run.advance(monitor, passes, 1)
        if not np.isfinite(run.primal):
            run.judge()
        watch.tell(design.wanted(run.at), alpha * run.primal, run.kernel.worst)
        if run.converged or alpha * (run.primal - run.dual) <= target:
            break
    if not run.converged:
        run.judge()
    point = problem.at(design.wanted(run.at))
    gap = max(point.value - alpha * run.dual, 0.0)
    return Answer(point, run.kernel.worst, gap, converged=gap <= max(target, 1e-13 * point.value))


def _epsilon(loss: Loss) -> float | None:
    return None if isinstance(loss, Hinge) else loss.parameter
