"""Gradient descent and ascent."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from inducer.optimize import _checks
from inducer.optimize._descent import Descent, Recorder, divergence_words, warn
from inducer.optimize._line_search import Backtracking, Wolfe
from inducer.optimize._objective import (
    Array,
    Gradient,
    Objective,
    Point,
    norm,
    read_only,
    starting_point,
)
from inducer.optimize._stopping import Rules, State
from inducer.optimize.schedules import rate_or_search

RUNAWAY = 1e8  # times what the first step promised: no descent that converges rises so far

Rate = float | str | Callable[[int], float] | Backtracking | Wolfe


def gradient_descent(
    f: Any,
    x0: Any,
    *,
    gradient: Gradient | None = None,
    rate: Rate = "backtracking",
    ascent: bool = False,
    normalised: bool = False,
    max_iter: int = 1000,
    gradient_tol: float | None = 1e-6,
    value_tol: float | None = None,
    point_tol: float | None = None,
    stop: Callable[[State], Any] | None = None,
    points: bool = False,
) -> Descent:
    r"""Minimise a smooth function by steps against its gradient.

    .. math:: x_k = x_{k-1} - \eta_k \nabla f(x_{k-1})

    The gradient points the steepest way uphill; how far its opposite can be trusted is up to the
    curvature. A rate of 1 / L, for L the largest curvature, never rises; from 2 / L on a fixed
    rate swings to and fro with growing steps; far below, it creeps.

    Parameters
    ----------
    f : callable
        f(x) gives the value and the gradient, or the value alone when `gradient` is given. x comes
        in the shape of `x0`, and read only.
    x0 : array
        Where to start; any shape. float32 stays float32.
    gradient : callable, default=None
        gradient(x) gives the gradient, in the shape of x.
    rate : float, str, callable or line search, default="backtracking"
        The factor of the gradient. A number; a schedule such as `SqrtRate`, or any function of the
        step k = 1, 2, ...; a line search, `Backtracking` (or "armijo") or `Wolfe` ("wolfe"), which
        needs no tuning.
    ascent : bool, default=False
        Maximise instead.
    normalised : bool, default=False
        Divide the gradient by its norm: the rate is then the length of the step.
    max_iter : int, default=1000
        The most steps to make.
    gradient_tol : float or None, default=1e-6
        Stop when the norm of the gradient is no larger.
    value_tol : float or None, default=None
        Stop when a step changes the value by no more than this, relative to the larger of the
        value and 1.
    point_tol : float or None, default=None
        Stop when a step is no longer than this, relative to the larger of the norm of x and 1.
    stop : callable, default=None
        Called with a `State` before the first and after each step; true means enough. For early
        stopping on held-out data there is `Plateau`.
    points : bool, default=False
        Whether to keep all the points in the trace.

    Returns
    -------
    Descent
        The last point (of a descent that diverged, the best), why it ended, and the whole trace.

    Warns
    -----
    ConvergenceWarning
        When it diverged, or ended before any tolerance was reached; with the norm of the gradient.

    See Also
    --------
    inducer.optimize.subgradient_descent : For functions with kinks.
    inducer.optimize.projected_gradient : Within a box, a ball, a simplex.
    inducer.optimize.stochastic_gradient_descent : For sums with many terms.
    inducer.optimize.descent_bound : How near it must be after so many steps.

    References
    ----------
    H. Daumé III: A Course in Machine Learning (0.99), section 7.4. Y. Nesterov: Introductory
    Lectures on Convex Optimization (2004), section 2.1.5.

    Examples
    --------
    >>> from inducer.optimize import gradient_descent
    >>> def f(x):
    ...     return (x[0] - 1) ** 2 + 5 * x[1] ** 2, [2 * (x[0] - 1), 10 * x[1]]
    >>> found = gradient_descent(f, [0.0, 1.0], rate=0.1)
    >>> found.x.round(4).tolist(), found.reason
    ([1.0, 0.0], 'gradient')
    >>> found.trace.values[:3].round(4).tolist()
    [6.0, 0.64, 0.4096]
    """
    name = "gradient_descent"
    rates = rate_or_search(name, rate)
    turned = _checks.flag(name, "normalised", normalised)
    most = _checks.count(name, "max_iter", max_iter)
    rules = Rules.checked(
        name, gradient_tol=gradient_tol, value_tol=value_tol, point_tol=point_tol, stop=stop
    )
    objective = Objective(name, f, gradient, ascent=_checks.flag(name, "ascent", ascent))
    record = Recorder(objective.sign, points=_checks.flag(name, "points", points))

    start = best = point = objective.start(starting_point(name, x0))
    size = norm(point.gradient)
    record.add(point.x, point.value, size)
    reason = rules.at_start(read_only(point.x), objective.sign * point.value, size)
    last: float | None = None
    for k in range(1, most + 1):
        if reason is not None:
            break
        if size == 0:
            reason = "gradient"
            break
        direction = -point.gradient / size if turned else -point.gradient
        if isinstance(rates, Backtracking | Wolfe):
            found = rates.search(objective, point, direction, last)
            if found is None:
                reason = "precision"
                break
            last, following = found
        else:
            last = rates(k)
            following = objective.at(_moved(point.x, last, direction))
        before, point = point, following
        if not point.finite or _runs_away(record, start, point, turned):
            warn(name, divergence_words(objective, start, before, point, last, k))
            record.add(point.x, point.value, norm(point.gradient), last)
            return record.descent(best.x, best.value, "diverged", objective.evaluations)
        size = norm(point.gradient)
        record.add(point.x, point.value, size, last)
        if point.value < best.value:
            best = point
        state = State(k, read_only(point.x), objective.sign * point.value, size)
        reason = rules.after_step(state, before.x, objective.sign * before.value)
    reason = reason or "max_iter"
    result = record.descent(point.x, point.value, reason, objective.evaluations)
    if not result.converged and rules.any:
        fixed = not isinstance(rates, Backtracking | Wolfe)
        warn(name, _unfinished(result, rose=fixed and point.value > start.value))
    return result


def _moved(x: Array, rate: float, direction: Array) -> Array:
    """Return the next point, in the precision of x."""
    return (x + rate * direction).astype(x.dtype, copy=False)


def _runs_away(record: Recorder, start: Point, point: Point, turned: bool) -> bool:
    """Return whether the value is far above anything that the start explains."""
    promised = record.gradient_norms[0] ** (1 if turned else 2)
    promised *= record.rates[0] if record.rates else math.inf
    return point.value - start.value > RUNAWAY * (promised + abs(start.value))


def _unfinished(result: Descent, *, rose: bool) -> str:
    """Return what to say of a descent that has not reached a tolerance."""
    if result.reason == "precision":
        return (
            f"no rate lowers the value any more: the norm of the gradient is "
            f"{result.gradient_norm:.3g} after {result.iterations} steps. That is as far as "
            "floating point goes, or the gradient is wrong: see inducer.optimize.check_gradient."
        )
    words = (
        f"made all {result.iterations} steps of max_iter; the norm of the gradient is "
        f"{result.gradient_norm:.3g}. "
    )
    if rose:
        return words + "The value is above that of the start: lower the rate."
    return words + "Raise max_iter, scale the variables, or set gradient_tol=None if that will do."
