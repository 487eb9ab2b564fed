"""The solver of a smooth problem, begun: and the sums it begins with looked at."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from inducer.linear._newton import Newton
from inducer.linear._orthant import OrthantNewton
from inducer.linear._rule import require_finite
from inducer.linear._share import newton_for


def begun(
    learner: Any, problem: Any, start: NDArray[np.float64], *, l1: float, explicit: bool
) -> Newton:
    """Return Newton's method for a problem, with a penalty on absolute values if l1 is not 0.

    Features whose squares cannot be added are refused: no step would come of them.
    """
    with np.errstate(over="ignore", invalid="ignore"):
        if l1 > 0:
            run: Newton = OrthantNewton(
                problem, start, l1=l1 * problem.penalised, tol=learner.tol, explicit=explicit
            )
        else:
            run = newton_for(problem, start, tol=learner.tol, explicit=explicit)
        point = run.point
        bent = problem.diagonal(point) if point.hessian is None else point.hessian
        size = float(point.gradient @ point.gradient)
    require_finite(learner, point.value, size, bent)
    return run
