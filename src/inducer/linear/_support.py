"""What LinearSVC and LinearSVR have in common: which solver, and how it is run."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning

from inducer._core.linear import column_sizes
from inducer.base import progress
from inducer.base._threads import one_blas_thread
from inducer.base.warn import warn_user
from inducer.linear._begin import begun
from inducer.linear._machine import BentNewton, DualDescent, DualDescents, Machine, Solution
from inducer.linear._newton import Newton, write_hessian_down
from inducer.linear._rule import require_finite
from inducer.linear._sums import RowLosses

Floats = NDArray[np.float64]

TOGETHER = 16  # machines run beside each other; each takes some 100 bytes a row


def run_smooth(
    learner: Any, problem: RowLosses, start: Floats, *, l1: float, data: dict[str, Any]
) -> Newton:
    """Minimise a smooth loss beside squares or absolute values."""
    explicit = write_hessian_down(problem.matrix.X.shape[0], problem.size)
    run = begun(learner, problem, start, l1=l1, explicit=explicit)
    _run(learner, run, lambda: run.solution(), data)
    if not run.converged:
        _warn(learner, f"the largest slope left is {run.gradient_norm():.3g} per row")
    return run


def run_machines(
    learner: Any,
    machines: Iterable[Machine],
    start: Floats,
    *,
    dual: Any,
    seed: int,
    data: dict[str, Any],
) -> Iterator[Solution]:
    """Minimise losses with a kink, each by itself.

    Newton's steps have work for all threads; a pass of dual descent has work for one, so that some
    machines are run beside each other.
    """
    waiting = iter(machines)
    while group := list(islice(waiting, TOGETHER)):
        _require_sums(learner, group)
        bent = write_hessian_down(group[0].matrix.X.shape[0], group[0].losses.size)
        if not isinstance(dual, str):
            bent = not dual
        if bent:
            runs = [_bent(learner, machine, start, seed, data) for machine in group]
        else:
            runs = _descended(learner, group, seed, data)
        worst = max(runs, key=Solution.gap)
        if not worst.settled():
            _warn(learner, f"its objective may be {worst.gap():.3g} of itself above the least")
        yield from runs


def _require_sums(learner: Any, machines: list[Machine]) -> None:
    """Refuse what squares of cannot be added: features, targets, costs."""
    with np.errstate(over="ignore"):
        for machine in machines:
            costs, y = machine.costs, machine.targets
            sizes = column_sizes(machine.matrix.rows, costs, machine.losses.threads)
            require_finite(learner, *sizes, float(costs.sum()), float(costs @ (y * y)))


def _bent(
    learner: Any, machine: Machine, start: Floats, seed: int, data: dict[str, Any]
) -> Solution:
    """Minimise by Newton's method, and go on by descent where rounding stopped that."""
    run = BentNewton(machine, start, tol=learner.tol)
    _run(learner, run, lambda: run.at, data)
    if run.stuck and not run.settled():
        return _descended(learner, [machine], seed, data, run)[0]
    return run


def _descended(
    learner: Any,
    machines: list[Machine],
    seed: int,
    data: dict[str, Any],
    known: Solution | None = None,
) -> list[Solution]:
    """Minimise by dual descents; what is known of the first machine bounds it from both sides."""
    runs = [DualDescent(machine, tol=learner.tol, seed=seed) for machine in machines]
    if known is not None:
        runs[0].offer(known.at, known.primal, known.beta, known.dual)
    threads = machines[0].losses.threads
    _run(learner, DualDescents(runs), lambda: np.array([run.at for run in runs]), data, threads)
    for run in runs:
        if not run.converged:
            run.judge()
    return list(runs)


def _run(learner: Any, run: Any, at: Any, data: dict[str, Any], threads: int = 1) -> None:
    def fitted() -> dict[str, Any]:
        planes = np.atleast_2d(at())
        return {"coef_": planes[:, :-1].copy(), "intercept_": planes[:, -1].copy()}

    with one_blas_thread():  # its threads would turn in circles where ours are at work
        progress.run(
            learner,
            run,
            int(learner.max_iter),
            threads=threads,
            record=run.record,
            fitted=fitted,
            **data,
        )


def _warn(learner: Any, words: str) -> None:
    warn_user(
        f"{type(learner).__name__} made its {learner.max_iter} iterations and {words}. Raise "
        "max_iter, scale the features, or lower C.",
        ConvergenceWarning,
    )
