"""Stochastic gradient descent: with averaging, or with truncated gradients where there is l1."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np

from inducer._core.base import Monitor
from inducer._core.linear import PassOptions, SgdFit, SgdOptions
from inducer.base.progress import SLICE_SECONDS
from inducer.linear._passes import FOREVER
from inducer.linear.solvers.coordinate import shares
from inducer.linear.solvers.design import Vector
from inducer.linear.solvers.problem import Problem
from inducer.linear.solvers.row_losses import has_twin
from inducer.linear.solvers.watch import Answer, Patience, Watch

_SEED = 0  # of the order of the rows, so that the same data give the same bits
_PATIENCE = 20  # passes without a smaller objective


def missing_for_sgd(problem: Problem, solver: str) -> str:
    """Return what stochastic steps want and a problem has not."""
    loss, penalty = problem.loss, problem.penalty
    if not has_twin(loss) or loss.targets not in ("classes", "numbers"):
        return f"a loss of classes or residuals of inducer.losses; {loss!r} is another"
    parts = shares(penalty)
    if problem.alpha > 0 and parts is None:
        return f"l1, l2 or both of them as a penalty; {penalty!r} is another"
    if solver == "truncated" and not (problem.alpha > 0 and parts is not None and parts[0] > 0):
        return f"a penalty with l1 in it; {penalty!r} has none"
    return ""


def stochastic_descent(
    problem: Problem,
    u: Vector,
    watch: Watch,
    tol: float,
    rate: float | None,
    *,
    truncated: bool,
) -> Answer:
    """Step against the slope of one row after the other, in a drawn order; keep the best pass.

    Without a rate the lengths fall with the root of their number, from one that suits the rows'
    sizes. With l2 alone the answer is the average of all weights; an average is hardly ever zero,
    so with l1 it is the last weights, and the penalty is paid cumulatively or, `truncated`, at
    each step.
    """
    design, d = problem.design, problem.features
    l1, l2 = (problem.alpha * part for part in shares(problem.penalty) or (0.0, 0.0))
    averaged = l1 == 0
    point = kept = problem.at(u)
    target = tol * (abs(problem.at(problem.start()).value) or 1.0)
    size = float(np.sum(problem.column_sizes[1])) or 1.0
    dtype = design.matrix.X.dtype
    state = SimpleNamespace(
        coef=np.array(u[None, :d], dtype),
        coef_sum=np.zeros((1, d)) if averaged else None,
        intercept=np.array(u[d:] if design.intercept else [0.0]),
        intercept_sum=np.zeros(1),
        visits=np.ones(1),
    )
    kernel = SgdFit(
        design.matrix.rows,
        problem.y,
        problem.weights * design.rows,
        state,
        classes=2,
        options=SgdOptions(
            loss=str(problem.loss.kind),
            loss_parameter=problem.loss.parameter,
            loss_factor=1.0,
            l2=l2,
            l1=l1,
            sparsity=("truncated" if truncated else "cumulative") if l1 > 0 else "none",
            schedule="power",
            eta0=1 / size if rate is None else rate,
            power=0.5 if rate is None else 0.0,
            shift=0.0,
            adaptive=False,
            fit_intercept=design.intercept,
            average_from=1.0 if averaged else 0.0,
            batch=1,
        ),
        passes=PassOptions(
            shuffle="every",
            max_passes=FOREVER,
            tolerance=-1.0,
            patience=FOREVER,
            seed=_SEED,
            first_part=0,
        ),
    )

    def weights() -> Vector:
        w, b = state.coef[0].astype(np.float64), state.intercept
        steps = float(state.visits[0]) - 1.0
        if averaged and steps > 0:
            w, b = state.coef_sum[0] / steps, state.intercept_sum / steps
        return np.append(w, b) if design.intercept else w

    monitor, patience, passes, gap = Monitor(), Patience(_PATIENCE), 0, np.inf
    while not watch.over and not kernel.reached(passes + 1):
        passes += 1
        while not kernel.reached(passes):
            monitor.begin_slice(SLICE_SECONDS)
            kernel.advance(monitor, passes, 1)
        point = problem.at(weights())
        if not np.isfinite(point.value):
            kept = point  # refused by the learner
            break
        if point.value <= kept.value:
            kept, gap = point, problem.gap(point, point.slopes)
        watch.tell(point.u, point.value, problem.norm(point.gradient))
        if gap <= target or (tol >= 0 and patience.lost(point.value)):
            break
    return Answer(kept, problem.norm(kept.gradient), gap, converged=gap <= target)
