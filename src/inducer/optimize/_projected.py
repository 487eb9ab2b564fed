"""Projected gradient descent, plain and accelerated."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from inducer.base.errors import InputError, ParameterError
from inducer.optimize import _checks
from inducer.optimize._descent import Descent, Recorder, divergence_words, warn
from inducer.optimize._line_search import MOST_TRIALS, Backtracking, Wolfe
from inducer.optimize._objective import (
    Array,
    Gradient,
    Objective,
    Point,
    inner,
    norm,
    read_only,
    starting_point,
)
from inducer.optimize._stopping import Rules, State
from inducer.optimize.schedules import Schedule, rate_or_search

NAME = "projected_gradient"
RUNAWAY = 1e8

Projection = Callable[[Array], Any]


def projected_gradient(
    f: Any,
    x0: Any,
    projection: Projection,
    *,
    gradient: Gradient | None = None,
    rate: float | str | Callable[[int], float] | Backtracking = "backtracking",
    accelerated: bool = False,
    ascent: bool = False,
    max_iter: int = 1000,
    gradient_tol: float | None = 1e-6,
    value_tol: float | None = None,
    point_tol: float | None = None,
    stop: Callable[[State], Any] | None = None,
    points: bool = False,
) -> Descent:
    r"""Minimise a smooth function within a convex set.

    .. math:: x_k = P(x_{k-1} - \eta_k \nabla f(x_{k-1}))

    with P(x) the point of the set nearest to x: a step as in gradient descent, then back to the
    set. Cheap wherever P is: a box cuts off coordinates, a ball shrinks, a simplex sorts.

    Parameters
    ----------
    f : callable
        f(x) gives the value and the gradient, or the value alone when `gradient` is given. x comes
        in the shape of `x0`, read only, and out of the set: but if `accelerated`, when it may be
        outside of it.
    x0 : array
        Where to start; its projection, if it is outside.
    projection : callable
        projection(x) gives the nearest point of the set: a `Box`, `L2Ball`, `L1Ball`, `Simplex`,
        `Halfspace`, or a function of yours.
    gradient : callable, default=None
        gradient(x) gives the gradient, in the shape of x.
    rate : float, str, callable or Backtracking, default="backtracking"
        A number, a schedule or its name, any function of the step k = 1, 2, ...; or backtracking,
        which shrinks the rate until f at the new point is below the parabola that the rate
        promises.
    accelerated : bool, default=False
        Nesterov's momentum, started afresh whenever the value rises: some sqrt(condition) steps in
        place of condition many. The rate then only falls.
    ascent : bool, default=False
        Maximise instead.
    max_iter : int, default=1000
        The most steps to make.
    gradient_tol : float or None, default=1e-6
        Stop when the length of a step, divided by its rate, is no larger. Inside the set that is
        the norm of the gradient.
    value_tol : float or None, default=None
        Stop when a step changes the value by no more than this, relative to the larger of the
        value and 1.
    point_tol : float or None, default=None
        Stop when a step is no longer than this, relative to the larger of the norm of x and 1.
    stop : callable, default=None
        Called with a `State` before the first and after each step; true means enough.
    points : bool, default=False
        Whether to keep all the points in the trace.

    Returns
    -------
    Descent
        The last point (of a descent that diverged, the best); always in the set. The first of the
        trace's `gradient_norms` is NaN: there is no step that leads to the start.

    Warns
    -----
    ConvergenceWarning
        When it diverged, or ended before any tolerance was reached.

    References
    ----------
    H. Daumé III: A Course in Machine Learning (0.99), section 11.5. A. Beck, M. Teboulle: A fast
    iterative shrinkage-thresholding algorithm. SIAM Journal on Imaging Sciences 2 (2009).
    B. O'Donoghue, E. Candès: Adaptive restart for accelerated gradient schemes. Foundations of
    Computational Mathematics 15 (2015).

    Examples
    --------
    The probabilities nearest to some numbers:

    >>> import numpy as np
    >>> from inducer.optimize import Simplex, projected_gradient
    >>> aim = np.array([0.9, 0.5, -0.2])
    >>> def f(x):
    ...     return ((x - aim) ** 2).sum(), 2 * (x - aim)
    >>> projected_gradient(f, [0.0, 0.0, 1.0], Simplex()).x.round(6).tolist()
    [0.7, 0.3, 0.0]
    """
    rates = rate_or_search(NAME, rate)
    if isinstance(rates, Wolfe):
        raise ParameterError(
            f"{NAME}: Wolfe's conditions are for lines, and a projected path bends. Use "
            "'backtracking', a number or a schedule."
        )
    if not callable(projection):
        raise ParameterError(f"{NAME}: projection must be a function. Got {projection!r}.")
    fast = _checks.flag(NAME, "accelerated", accelerated)
    most = _checks.count(NAME, "max_iter", max_iter)
    rules = Rules.checked(
        NAME, gradient_tol=gradient_tol, value_tol=value_tol, point_tol=point_tol, stop=stop
    )
    objective = Objective(NAME, f, gradient, ascent=_checks.flag(NAME, "ascent", ascent))
    record = Recorder(objective.sign, points=_checks.flag(NAME, "points", points))

    start = best = point = objective.start(_projected(projection, starting_point(NAME, x0)))
    record.add(point.x, point.value, math.nan)
    reason = rules.at_start(read_only(point.x), objective.sign * point.value, math.nan)
    ahead, momentum, last = point, 1.0, None
    for k in range(1, most + 1):
        if reason is not None:
            break
        objective.lowest = min(objective.lowest, point.value)
        ceiling = objective.lowest if ahead is point else math.inf
        found = _step(objective, projection, ahead, rates, k, last, ceiling, grow=not fast)
        if found is not None and found[1].value > point.value and ahead is not point:
            ahead, momentum = point, 1.0  # momentum overshot: once more, from where we are
            ceiling = objective.lowest
            found = _step(objective, projection, ahead, rates, k, last, ceiling, grow=False)
        if found is None:
            reason = "precision"
            break
        last, following = found
        before, point = point, following
        size = norm(point.x - ahead.x) / last
        record.add(point.x, point.value, size, last)
        if not point.finite or _runs_away(start, point, last):
            warn(NAME, divergence_words(objective, start, before, point, last, k))
            return record.descent(best.x, best.value, "diverged", objective.evaluations)
        if point.value < best.value:
            best = point
        state = State(k, read_only(point.x), objective.sign * point.value, size)
        reason = rules.after_step(state, before.x, objective.sign * before.value)
        ahead = point
        if fast and reason is None:
            following_momentum = (1 + math.sqrt(1 + 4 * momentum * momentum)) / 2
            share = (momentum - 1) / following_momentum
            momentum = following_momentum
            if share:
                ahead = objective.at(point.x + share * (point.x - before.x))
                if not ahead.finite:  # outside of the set f need not exist
                    ahead, momentum = point, 1.0
    reason = reason or "max_iter"
    result = record.descent(point.x, point.value, reason, objective.evaluations)
    if not result.converged and rules.any:
        fixed = not isinstance(rates, Backtracking)
        warn(NAME, _unfinished(result, rose=fixed and point.value > start.value))
    return result


def _unfinished(result: Descent, *, rose: bool) -> str:
    """Return what to say of a descent that has not reached a tolerance."""
    size = f"the last step divided by its rate is {result.gradient_norm:.3g}"
    if result.reason == "precision":
        return (
            f"no rate lowers the value any more; {size}. That is as far as floating point goes, "
            "or the gradient is wrong: see inducer.optimize.check_gradient."
        )
    words = f"made all {result.iterations} steps of max_iter; {size}. "
    if rose:
        return words + "The value is above that of the start: lower the rate."
    return words + (
        "Raise max_iter, use accelerated=True, or set gradient_tol=None if that will do."
    )


def _step(
    objective: Objective,
    projection: Projection,
    start: Point,
    rates: Schedule | Backtracking,
    k: int,
    last: float | None,
    ceiling: float,
    *,
    grow: bool,
) -> tuple[float, Point] | None:
    """Return the rate of a step and the point that it leads to, or None."""
    if not isinstance(rates, Backtracking):
        rate = rates(k)
        return rate, objective.at(_projected(projection, start.x - rate * start.gradient))
    rate = rates.first(last) if grow or last is None else last
    eps = float(np.finfo(start.x.dtype).eps)
    noise = 4 * eps * abs(start.value)
    for shrunk in range(MOST_TRIALS):
        trial = objective.at(_projected(projection, start.x - rate * start.gradient))
        if norm(trial.x - start.x) <= 8 * eps * norm(start.x):
            # No step that could be seen: a minimum, unless it is the rate that is too small.
            return (rate, trial) if not shrunk and trial.finite else None
        if math.isfinite(trial.value):
            step = trial.x - start.x
            promised = inner(step, step) / (2 * rate)
            if promised > 100 * noise:
                below = start.value + inner(start.gradient, step) + promised
                accepted = trial.value <= below and trial.finite
            else:
                # Values differ by rounding only: the same of the slopes, and no climbing on them.
                accepted = (
                    trial.value <= ceiling + 10 * noise
                    and trial.finite
                    and inner(trial.gradient - start.gradient, step) <= 2 * promised
                )
            if accepted:
                return rate, trial
        rate *= rates.shrink
    return None


def _projected(projection: Projection, x: Array) -> Array:
    if not np.all(np.isfinite(x)):
        return x  # nothing is near to it; the descent reports that it diverged
    found = np.array(projection(read_only(x)), dtype=x.dtype)
    if found.shape != x.shape:
        raise InputError(f"{NAME}: projection gave shape {found.shape} for x of shape {x.shape}.")
    if not np.all(np.isfinite(found)):
        raise InputError(f"{NAME}: projection gave a point that is not finite.")
    return found


def _runs_away(start: Point, point: Point, rate: float) -> bool:
    """Return whether the value is far above anything that the start explains."""
    promised = rate * inner(start.gradient, start.gradient)
    return point.value - start.value > RUNAWAY * (promised + abs(start.value))
