"""What LinearSVC and LinearSVR have in common: which solver, and how it is run."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning

from inducer.base import progress
from inducer.base.arrays import Matrix
from inducer.base.warn import warn_user
from inducer.linear._machine import BentNewton, DualDescent, Machine, Solution
from inducer.linear._newton import Newton, write_hessian_down
from inducer.linear._orthant import OrthantNewton
from inducer.linear._sums import RowLosses

Floats = NDArray[np.float64]


def run_smooth(
    learner: Any, problem: RowLosses, start: Floats, *, l1: float, data: dict[str, Any]
) -> Newton:
    """Minimise a smooth loss beside squares or absolute values."""
    matrix = problem.matrix
    explicit = write_hessian_down(matrix.X.shape[0], problem.size)
    if l1 > 0:
        run: Newton = OrthantNewton(
            problem, start, l1=l1 * problem.penalised, tol=learner.tol, explicit=explicit
        )
    else:
        run = Newton(problem, start, tol=learner.tol, explicit=explicit)
    _run(learner, run, lambda: run.point.at, data)
    if not run.converged:
        _warn(learner, f"the largest slope left is {run.gradient_norm():.3g} per row")
    return run


def run_machine(
    learner: Any, machine: Machine, start: Floats, *, dual: Any, seed: int, data: dict[str, Any]
) -> Solution:
    """Minimise a loss with a kink."""
    matrix: Matrix = machine.matrix
    bent = write_hessian_down(matrix.X.shape[0], machine.losses.size)
    if not isinstance(dual, str):
        bent = not dual
    run: Solution
    if bent:
        run = BentNewton(machine, start, tol=learner.tol)
    else:
        run = DualDescent(machine, tol=learner.tol, seed=seed)
    _run(learner, run, lambda: run.at, data)
    if run.stuck and not run.settled():  # Newton's rounding: descent goes on from its bounds
        first, run = run, DualDescent(machine, tol=learner.tol, seed=seed)
        run.offer(first.at, first.primal, first.beta, first.dual)
        _run(learner, run, lambda: run.at, data)
    if isinstance(run, DualDescent) and not run.converged:
        run.judge()
    if not run.settled():
        _warn(learner, f"its objective may be {run.gap():.3g} of itself above the least")
    return run


def _run(learner: Any, run: Any, at: Any, data: dict[str, Any]) -> None:
    progress.run(
        learner,
        run,
        int(learner.max_iter),
        threads=1,
        record=run.record,
        fitted=lambda: {"coef_": at()[None, :-1].copy(), "intercept_": at()[-1:].copy()},
        **data,
    )


def _warn(learner: Any, words: str) -> None:
    warn_user(
        f"{type(learner).__name__} made its {learner.max_iter} iterations and {words}. Raise "
        "max_iter, scale the features, or lower C.",
        ConvergenceWarning,
    )
