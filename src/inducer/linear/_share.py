"""Where Newton's method begins: at zero, or at the optimum for a share of the rows.

With many rows a column, those of a share come to nearly the same optimum, in steps that cost next
to nothing. From there one or two steps over all rows do what five would do from zero.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from inducer.linear._newton import Newton
from inducer.linear._subspace import SubspaceNewton
from inducer.linear._sums import RowLosses

Floats = NDArray[np.float64]

EVERY = 17  # which row is taken: a prime, since tables often have a period
ROWS_PER_COLUMN = 50  # of the share: the optima then differ by some percent of the value
CELLS = 1 << 20  # fewer are gone through before a share is set up
STEPS = 6
TOLERANCE = 0.03  # its square is less of the value than the optima differ by


def newton_for(problem: Any, start: Floats, *, tol: float, explicit: bool) -> Newton:
    """Return the iterations that suit a smooth problem with a square penalty."""
    if isinstance(problem, RowLosses) and explicit:
        start = nearer(problem, start)
    # Without a penalty columns may be collinear, and the directions that curve run out.
    elif isinstance(problem, RowLosses) and problem.ridge > 0 and dense(problem):
        return SubspaceNewton(problem, start, tol=tol)
    return Newton(problem, start, tol=tol, explicit=explicit)


def dense(problem: RowLosses) -> bool:
    """Return whether all cells of the rows are stored."""
    return not hasattr(problem.matrix.X, "indptr")


def nearer(problem: RowLosses, start: Floats) -> Floats:
    """Return a better start than zero; any other is its caller's choice, and is kept."""
    X = problem.matrix.X
    rows = X.shape[0] // EVERY
    few = rows < ROWS_PER_COLUMN * problem.size or X.shape[0] * problem.size < CELLS
    if few or not dense(problem) or start.any():
        return start
    share = Newton(problem.share(EVERY), start, tol=TOLERANCE, explicit=True)
    while not share.reached(STEPS):
        share.advance(None, STEPS, problem.threads)
    return share.point.at if share.converged else start
