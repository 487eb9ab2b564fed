"""Subgradient descent: for convex functions with kinks."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from inducer.base.errors import ParameterError
from inducer.optimize import _checks
from inducer.optimize._descent import Descent, Recorder, warn
from inducer.optimize._objective import Gradient, Objective, norm, read_only, starting_point
from inducer.optimize._stopping import Rules, State
from inducer.optimize.schedules import schedule


def subgradient_descent(
    f: Any,
    x0: Any,
    *,
    subgradient: Gradient | None = None,
    rate: float | str | Callable[[int], float] = "sqrt",
    normalised: bool = False,
    max_iter: int = 1000,
    target: float | None = None,
    stop: Callable[[State], Any] | None = None,
    points: bool = False,
) -> Descent:
    r"""Minimise a convex function that may have kinks, and return the best point met.

    .. math:: x_k = x_{k-1} - \eta_k g_k, \qquad g_k \in \partial f(x_{k-1})

    A subgradient is the slope of a line (a plane) that touches f and is nowhere above it: the
    gradient where there is one, and one of many at a kink, as -1 to 0 for the hinge loss at a
    margin of 1. A step along it need not lower f, but it leads nearer to every better point if it
    is short: so the rates must fall, a line search will not do, and the best point is kept.

    Parameters
    ----------
    f : callable
        f(x) gives the value and a subgradient, or the value alone when `subgradient` is given.
    x0 : array
        Where to start; any shape. float32 stays float32.
    subgradient : callable, default=None
        subgradient(x) gives any one of the subgradients, in the shape of x.
    rate : float, str or callable, default="sqrt"
        A number, which leads into a neighbourhood of the minimum only; a schedule (`SqrtRate`,
        `RatioRate`, ...) or its name; or any function of the step k = 1, 2, ...
    normalised : bool, default=False
        Divide the subgradient by its norm: the rate is then the length of the step.
    max_iter : int, default=1000
        The most steps to make.
    target : float or None, default=None
        Stop at a value no larger.
    stop : callable, default=None
        Called with a `State` before the first and after each step; true means enough.
    points : bool, default=False
        Whether to keep all the points in the trace.

    Returns
    -------
    Descent
        The best point. That a subgradient is zero proves it a minimum (reason ``gradient``);
        otherwise there is no sign of convergence but `subgradient_bound`, and all steps are made.

    See Also
    --------
    inducer.optimize.subgradient_bound : How near the best point must be.

    References
    ----------
    H. Daumé III: A Course in Machine Learning (0.99), section 7.5. S. Boyd: Subgradient methods
    (2014).

    Examples
    --------
    >>> import numpy as np
    >>> from inducer.optimize import subgradient_descent
    >>> def f(x):
    ...     return np.abs(x).sum(), np.sign(x)
    >>> found = subgradient_descent(f, [3.0, -1.7], rate="sqrt", max_iter=400)
    >>> bool(found.value < 0.1), bool(found.value <= found.trace.values[-1])
    (True, True)
    """
    name = "subgradient_descent"
    rates = schedule(name, rate)
    turned = _checks.flag(name, "normalised", normalised)
    most = _checks.count(name, "max_iter", max_iter)
    rules = Rules.checked(name, stop=stop)
    if target is not None and not isinstance(target, int | float):
        raise ParameterError(f"{name}: target must be a number or None. Got {target!r}.")
    objective = Objective(name, f, subgradient)
    record = Recorder(points=_checks.flag(name, "points", points))

    point = best = objective.start(starting_point(name, x0))
    size = norm(point.gradient)
    record.add(point.x, point.value, size)
    reason = rules.at_start(read_only(point.x), point.value, size)
    for k in range(1, most + 1):
        if size == 0:
            reason = "gradient"
        elif target is not None and best.value <= target:
            reason = "target"
        if reason is not None:
            break
        direction = point.gradient / size if turned else point.gradient
        eta = rates(k)
        point = objective.at((point.x - eta * direction).astype(point.x.dtype, copy=False))
        size = norm(point.gradient)
        record.add(point.x, point.value, size, eta)
        if not point.finite or not math.isfinite(size):
            warn(
                name,
                f"diverged: the value is {point.value:.6g} after {k} steps, and was "
                f"{record.values[0]:.6g} at the start. Lower the rate, or use normalised=True. The "
                "best point so far is returned.",
            )
            return record.descent(best.x, best.value, "diverged", objective.evaluations)
        if point.value < best.value:
            best = point
        reason = rules.after_step(
            State(k, read_only(point.x), point.value, size), point.x, point.value
        )
    else:
        if size == 0:
            reason = "gradient"
        elif target is not None and best.value <= target:
            reason = "target"
    if size == 0 and reason == "gradient":
        best = point
    reason = reason or "max_iter"
    if reason == "max_iter" and target is not None:
        warn(
            name,
            f"made all {most} steps of max_iter; the best value is {best.value:.6g}, above the "
            f"target {target:.6g}. Raise max_iter, or try another schedule.",
        )
    return record.descent(best.x, best.value, reason, objective.evaluations)
