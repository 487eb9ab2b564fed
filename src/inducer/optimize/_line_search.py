"""Line searches: a rate for each step, from the values along the line."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from inducer.base.errors import InputError
from inducer.optimize import _checks
from inducer.optimize._objective import (
    Array,
    Gradient,
    Objective,
    Point,
    inner,
    starting_point,
)

MOST_TRIALS = 60  # halving a rate of 1 so often is below rounding


@dataclass(frozen=True, eq=False)
class LineStep:
    """The end of a line search.

    Attributes
    ----------
    rate : float
        What the direction is to be multiplied with; 0 if no rate would do.
    x : array
        x + rate * direction.
    value : float
        f there.
    evaluations : int
        How often f was called.
    found : bool
        Whether the condition of the search is met.
    """

    rate: float
    x: Array
    value: float
    evaluations: int
    found: bool


@dataclass(frozen=True)
class Backtracking:
    r"""Armijo's rule: try a rate, and shrink it until the value falls by enough.

    Accepted is the first rate with

    .. math:: f(x + \eta d) \le f(x) + c\,\eta\, \nabla f(x) \cdot d

    where c is `slope`. Each step begins with a rate somewhat above that of the last one, so
    that the search costs less than two evaluations a step on average.

    Where values differ by little more than rounding, the slope at the new point decides instead: it
    must not be steeper uphill than 1 - 2c of what it was downhill, on a parabola the same.

    Parameters
    ----------
    rate : float, default=1.0
        The first rate to try.
    shrink : float, default=0.5
        What a rate that will not do is multiplied with.
    slope : float, default=0.3
        c: the share of the promised fall that has to be kept. At most 1/2, the share that the
        minimum of a parabola keeps.
    grow : float, default=2.0
        By how much the rate of one step may be exceeded in the next; 1 lets it fall only.

    Examples
    --------
    >>> from inducer.optimize import Backtracking, gradient_descent
    >>> found = gradient_descent(lambda x: (50 * x @ x, 100 * x), [1.0], rate=Backtracking())
    >>> found.converged, found.trace.rates[0].item()
    (True, 0.0078125)
    """

    rate: float = 1.0
    shrink: float = 0.5
    slope: float = 0.3
    grow: float = 2.0

    def __post_init__(self) -> None:
        _checks.positive("Backtracking", "rate", self.rate)
        _checks.between("Backtracking", "shrink", self.shrink, 0, 1)
        _checks.between("Backtracking", "slope", self.slope, 0, 0.5)
        if _checks.positive("Backtracking", "grow", self.grow) < 1:
            _checks.between("Backtracking", "grow", self.grow, 1, math.inf)

    def first(self, last: float | None) -> float:
        """Return the rate to try first, after a step of this rate."""
        return self.rate if last is None else last * self.grow

    def search(
        self, objective: Objective, start: Point, direction: Array, last: float | None
    ) -> tuple[float, Point] | None:
        """Return a rate and the point that it leads to, or None."""
        slope = inner(start.gradient, direction)
        objective.lowest = min(objective.lowest, start.value)
        rate = self.first(last)
        for _ in range(MOST_TRIALS):
            trial = objective.at(start.x + rate * direction)
            if np.array_equal(trial.x, start.x):
                break
            if _falls(objective, start, trial, direction, rate, slope, self.slope):
                return rate, trial
            rate *= self.shrink
        return None


@dataclass(frozen=True)
class Wolfe:
    r"""The strong Wolfe conditions: the value falls by enough, and the slope flattens by enough.

    .. math::

        f(x + \eta d) \le f(x) + c_1 \eta\, \nabla f(x) \cdot d, \qquad
        |\nabla f(x + \eta d) \cdot d| \le c_2 |\nabla f(x) \cdot d|

    The second makes steps long enough. Each trial needs a gradient as well. The search doubles
    the rate until a good one is bracketed, then narrows the bracket by the cubic through its ends.

    Parameters
    ----------
    rate : float, default=1.0
        The first rate to try.
    slope : float, default=1e-4
        c1, below 1/2.
    flatness : float, default=0.1
        c2, between c1 and 1; 0.9 is usual where the direction is Newton's.

    References
    ----------
    J. Nocedal, S. Wright: Numerical Optimization, 2nd edition (2006), algorithms 3.5 and 3.6.

    Examples
    --------
    >>> from inducer.optimize import Wolfe, gradient_descent
    >>> found = gradient_descent(lambda x: (50 * x @ x, 100 * x), [1.0, 3.0], rate=Wolfe())
    >>> found.converged, found.trace.rates[0].round(4).item()
    (True, 0.01)
    """

    rate: float = 1.0
    slope: float = 1e-4
    flatness: float = 0.1

    def __post_init__(self) -> None:
        _checks.positive("Wolfe", "rate", self.rate)
        _checks.between("Wolfe", "slope", self.slope, 0, 0.5)
        _checks.between("Wolfe", "flatness", self.flatness, self.slope, 1)

    def search(
        self, objective: Objective, start: Point, direction: Array, last: float | None
    ) -> tuple[float, Point] | None:
        """Return a rate and the point that it leads to, or None."""
        slope = inner(start.gradient, direction)
        objective.lowest = min(objective.lowest, start.value)
        low: tuple[float, Point] = (0.0, start)
        high: tuple[float, Point] | None = None
        rate = self.rate if last is None else last
        for _ in range(MOST_TRIALS):
            trial = objective.at(start.x + rate * direction)
            if np.array_equal(trial.x, start.x):
                break
            falls = _falls(objective, start, trial, direction, rate, slope, self.slope)
            if not falls or (low[0] > 0 and trial.value > low[1].value):
                high = (rate, trial)
            else:
                uphill = inner(trial.gradient, direction)
                if abs(uphill) <= -self.flatness * slope:
                    return rate, trial
                # The slope points to where the minimum is: beyond the trial, or back.
                if high is None:
                    if uphill >= 0:
                        low, high = (rate, trial), low
                    else:
                        low = (rate, trial)
                else:
                    if uphill * (high[0] - low[0]) >= 0:
                        high = low
                    low = (rate, trial)
            following = 2 * rate if high is None else _between(low, high, direction)
            if following == rate or not math.isfinite(following):
                break
            rate = following
        # The best that fell by enough is a step as well, if a shorter or steeper one.
        return low if low[0] > 0 else None


def _falls(
    objective: Objective,
    start: Point,
    trial: Point,
    direction: Array,
    rate: float,
    slope: float,
    share: float,
) -> bool:
    """Return whether a step lowers the value by its share of what the slope promises."""
    if not math.isfinite(trial.value):
        return False
    noise = 4 * float(np.finfo(start.x.dtype).eps) * abs(start.value)
    if -rate * slope > 100 * noise:
        return trial.value <= start.value + share * rate * slope and trial.finite
    # Against the lowest of all, lest many such steps climb.
    if trial.value > objective.lowest + 10 * noise or not trial.finite:
        return False
    return inner(trial.gradient, direction) <= (2 * share - 1) * slope


def _between(low: tuple[float, Point], high: tuple[float, Point], direction: Array) -> float:
    """Return the minimum of the cubic through two ends of a bracket, kept off its ends."""
    (a, at_a), (b, at_b) = low, high
    middle, width = (a + b) / 2, b - a
    if not at_b.finite:
        return middle
    slope_a, slope_b = inner(at_a.gradient, direction), inner(at_b.gradient, direction)
    rise = slope_a + slope_b - 3 * (at_b.value - at_a.value) / width
    root = rise * rise - slope_a * slope_b
    if not 0 <= root < math.inf:
        return middle
    root = math.copysign(math.sqrt(root), width)
    below = slope_b - slope_a + 2 * root
    if below == 0:
        return middle
    found = b - width * (slope_b + root - rise) / below
    margin = 0.1 * abs(width)
    return min(max(found, min(a, b) + margin), max(a, b) - margin)


def backtracking_search(
    f: Any,
    x: Any,
    direction: Any,
    *,
    gradient: Gradient | None = None,
    rate: float = 1.0,
    shrink: float = 0.5,
    slope: float = 0.3,
) -> LineStep:
    """Search along a line by Armijo's rule; see `Backtracking`.

    Parameters
    ----------
    f : callable
        f(x) gives the value and the gradient, or the value alone when `gradient` is given.
    x : array
        Where the line begins.
    direction : array
        Downhill: its dot product with the gradient is negative.
    gradient : callable, default=None
        gradient(x) gives the gradient.
    rate : float, default=1.0
        The first rate to try.
    shrink : float, default=0.5
        What a rate that will not do is multiplied with.
    slope : float, default=0.3
        The share of the promised fall that has to be kept.

    Returns
    -------
    LineStep

    Examples
    --------
    >>> import numpy as np
    >>> from inducer.optimize import backtracking_search
    >>> step = backtracking_search(lambda x: (x @ x, 2 * x), [1.0, 0.0], [-2.0, 0.0])
    >>> step.rate, step.x.tolist(), step.value
    (0.5, [0.0, 0.0], 0.0)
    """
    rule = Backtracking(rate=rate, shrink=shrink, slope=slope)
    return _searched("backtracking_search", rule, f, x, direction, gradient)


def wolfe_search(
    f: Any,
    x: Any,
    direction: Any,
    *,
    gradient: Gradient | None = None,
    rate: float = 1.0,
    slope: float = 1e-4,
    flatness: float = 0.1,
) -> LineStep:
    """Search along a line for the strong Wolfe conditions; see `Wolfe`.

    Parameters
    ----------
    f : callable
        f(x) gives the value and the gradient, or the value alone when `gradient` is given.
    x : array
        Where the line begins.
    direction : array
        Downhill: its dot product with the gradient is negative.
    gradient : callable, default=None
        gradient(x) gives the gradient.
    rate : float, default=1.0
        The first rate to try.
    slope : float, default=1e-4
        The share of the promised fall that has to be kept.
    flatness : float, default=0.1
        The share of the slope that may be left.

    Returns
    -------
    LineStep

    Examples
    --------
    >>> import numpy as np
    >>> from inducer.optimize import wolfe_search
    >>> step = wolfe_search(lambda x: (np.cosh(x).sum(), np.sinh(x)), [3.0], [-1.0])
    >>> step.found, abs(np.sinh(step.x[0])) <= 0.1 * np.sinh(3.0)
    (True, np.True_)
    """
    rule = Wolfe(rate=rate, slope=slope, flatness=flatness)
    return _searched("wolfe_search", rule, f, x, direction, gradient)


def _searched(
    name: str,
    rule: Backtracking | Wolfe,
    f: Any,
    x: Any,
    direction: Any,
    gradient: Gradient | None,
) -> LineStep:
    objective = Objective(name, f, gradient)
    start = objective.start(starting_point(name, x))
    along = starting_point(name, direction).astype(start.x.dtype)
    if along.shape != start.x.shape:
        raise InputError(f"{name}: direction has shape {along.shape}, and x has {start.x.shape}.")
    slope = inner(start.gradient, along)
    if not slope < 0:
        raise InputError(
            f"{name}: direction goes uphill: its dot product with the gradient is {slope:.6g}. "
            "Take the negative gradient, or turn the direction round."
        )
    found = rule.search(objective, start, along, None)
    if found is None:
        return LineStep(0.0, start.x, start.value, objective.evaluations, False)
    rate, point = found
    flat = isinstance(rule, Backtracking) or (
        abs(inner(point.gradient, along)) <= -rule.flatness * slope
    )
    return LineStep(rate, point.x, point.value, objective.evaluations, flat)
