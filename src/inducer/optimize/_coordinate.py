"""Coordinate descent with an active set."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Protocol

import numpy as np

from inducer.base.errors import InputError, ParameterError
from inducer.optimize import _checks
from inducer.optimize._descent import Descent, Recorder, warn
from inducer.optimize._objective import Array, read_only, starting_point
from inducer.optimize._quadratic import Quadratic
from inducer.optimize._stopping import Rules, State

NAME = "coordinate_descent"
SETTLED = 0.1  # of the widest move of all coordinates: then the others are looked at again


def coordinate_descent(
    problem: Quadratic | Callable[[Array, int], Any],
    x0: Any,
    *,
    value: Callable[[Array], Any] | None = None,
    gap: Callable[[Array], Any] | None = None,
    order: str = "cyclic",
    active_set: bool = True,
    max_iter: int = 1000,
    point_tol: float | None = 1e-8,
    gap_tol: float | None = None,
    stop: Callable[[State], Any] | None = None,
    points: bool = False,
    random_state: Any = None,
) -> Descent:
    """Minimise a function along one coordinate after the other.

    Each step sets a coordinate to its best value given all the others, so the value never rises
    and there is no rate to choose. It reaches the minimum of a convex function that is smooth, or
    smooth plus a penalty for each coordinate by itself (absolute values, a box); at other kinks
    it may get stuck.

    With an active set, a pass over all coordinates is followed by passes over those only that
    it moved, until their moves are a tenth; in the end a pass over all has to confirm that nothing
    moves. Of
    a sparse solution that is most of the work saved.

    Parameters
    ----------
    problem : Quadratic or callable
        A `Quadratic`, which keeps its gradient from step to step and knows its duality gap; or
        problem(x, j), which gives the best value of x[j] when the rest of x stays. x is read
        only.
    x0 : array of shape (d,)
        Where to start.
    value : callable, default=None
        value(x) gives the function, for the trace; called once a pass. A `Quadratic` has its own.
    gap : callable, default=None
        gap(x) gives an upper bound of how far above the minimum x is. A `Quadratic` has its own.
    order : {"cyclic", "random"}, default="cyclic"
        In a pass, the coordinates one after the other, or shuffled.
    active_set : bool, default=True
        Whether to leave out the coordinates that did not move.
    max_iter : int, default=1000
        The most passes to make.
    point_tol : float or None, default=1e-8
        Stop when in a pass over all coordinates none moves farther, relative to the larger of 1
        and the largest of them.
    gap_tol : float or None, default=None
        Stop when the duality gap is no larger; then `point_tol` alone does not end it.
    stop : callable, default=None
        Called with a `State` before the first and after each pass; true means enough.
    points : bool, default=False
        Whether to keep the point after each pass in the trace.
    random_state : int, numpy Generator, numpy RandomState or None, default=None
        Seed of a random order.

    Returns
    -------
    Descent
        The last point; its trace has an entry a pass.

    Warns
    -----
    ConvergenceWarning
        When max_iter passes were not enough; with the gap, or the last move.

    References
    ----------
    J. Friedman, T. Hastie, R. Tibshirani: Regularization paths for generalized linear models via
    coordinate descent. Journal of Statistical Software 33 (2010). P. Tseng: Convergence of a block
    coordinate descent method for nondifferentiable minimization. Journal of Optimization Theory
    and Applications 109 (2001).

    Examples
    --------
    The smallest sum of (x0 - 1)^2, (x1 + 2)^2 and (x0 - x1)^2, a coordinate at a time:

    >>> from inducer.optimize import coordinate_descent
    >>> found = coordinate_descent(lambda x, j: ((1, -2)[j] + x[1 - j]) / 2, [0.0, 0.0])
    >>> found.x.round(6).tolist(), found.reason
    ([0.0, -1.0], 'point')
    """
    x = starting_point(NAME, x0)
    if x.ndim != 1:
        raise InputError(f"{NAME}: x0 has shape {x.shape}. It needs one axis: use x0.ravel().")
    shuffled = _checks.choice(NAME, "order", order, ("cyclic", "random")) == "random"
    saving = _checks.flag(NAME, "active_set", active_set)
    most = _checks.count(NAME, "max_iter", max_iter)
    rules = Rules.checked(NAME, point_tol=point_tol, stop=stop)
    enough = _checks.tolerance(NAME, "gap_tol", gap_tol)
    driven = _driven(problem, x, value, gap)
    if enough is not None and not driven.has_gap:
        raise ParameterError(f"{NAME}: gap_tol needs gap=, a function of x.")
    random = _checks.generator(NAME, random_state) if shuffled else None
    record = Recorder(points=_checks.flag(NAME, "points", points))
    evaluations = 0

    def entered(move: float, rate: float | None) -> str | None:
        """Write a pass down; return why to stop, or None."""
        with np.errstate(over="ignore", invalid="ignore"):
            reached = driven.value()
        record.add(x, reached, move, rate)
        if driven.has_gap:
            with np.errstate(over="ignore", invalid="ignore"):
                record.gaps.append(driven.gap())
            if enough is not None and record.gaps[-1] <= enough:
                return "gap"
        state = State(len(record.values) - 1, read_only(x), reached, move)
        return "stop" if rules.stop is not None and rules.stop(state) else None

    every = np.arange(len(x))
    active, whole, move, widest = every, True, math.nan, 0.0
    reason = entered(math.nan, None)
    for _ in range(most):
        if reason is not None:
            break
        sweep = random.permutation(active) if random is not None else active
        moves = np.zeros(len(x))
        with np.errstate(over="ignore", invalid="ignore"):  # the value tells
            for j in sweep.tolist():
                best = driven.minimiser(j)
                before = float(x[j])
                x[j] = best
                delta = float(x[j]) - before  # as rounded to the precision of x
                if delta:
                    moves[j] = abs(delta)
                    driven.moved(j, delta)
        evaluations += len(sweep)
        move = float(moves.max())
        reason = entered(move, math.nan)
        if not math.isfinite(record.values[-1]) and driven.has_value:
            warn(
                NAME,
                f"diverged: the value is {record.values[-1]} in pass {len(record.values) - 1}. The "
                "function is not convex, or has no minimum.",
            )
            return record.descent(x, record.values[-1], "diverged", evaluations)
        settled = point_tol is not None and move <= point_tol * max(1.0, float(np.abs(x).max()))
        if move == 0 or settled or (not whole and move <= SETTLED * widest):
            if whole and reason is None and (enough is None or move == 0):
                # Without a move nothing will change: an unmet gap is beyond floating point.
                reason = "point" if enough is None else "precision"
            active, whole = every, True
        elif saving and whole:
            widest = move
            active = np.flatnonzero(moves)
            whole = len(active) == len(x)
    reason = reason or "max_iter"
    if reason in ("max_iter", "precision") and (rules.any or enough is not None):
        gap_words = f", the duality gap {record.gaps[-1]:.3g}" if record.gaps else ""
        cure = (
            "Raise max_iter, or scale the variables."
            if reason == "max_iter"
            else "Floating point allows no more: raise gap_tol."
        )
        warn(
            NAME,
            f"ended after {len(record.values) - 1} passes; the largest move of the last was "
            f"{move:.3g}{gap_words}. {cure}",
        )
    return record.descent(x, record.values[-1], reason, evaluations)


class Driven(Protocol):
    """What the loop above drives: a point that moves along coordinates."""

    has_value: bool
    has_gap: bool

    def minimiser(self, j: int) -> float:
        """Return the best value of coordinate j."""
        ...

    def moved(self, j: int, delta: float) -> None:
        """Account for a move."""
        ...

    def value(self) -> float:
        """Return the value, or NaN."""
        ...

    def gap(self) -> float:
        """Return the duality gap."""
        ...


class _Callables:
    """A problem given by functions of the user."""

    def __init__(self, problem: Any, x: Array, value: Any, gap: Any) -> None:
        self._problem, self._value, self._gap = problem, value, gap
        self._x = read_only(x)
        self.has_value = value is not None
        self.has_gap = gap is not None

    def minimiser(self, j: int) -> float:
        found = _number(f"problem(x, {j})", self._problem(self._x, j))
        if not math.isfinite(found):
            raise InputError(
                f"{NAME}: problem(x, {j}) gave {found}. It has to be the best value of x[{j}], a "
                "finite number."
            )
        return found

    def moved(self, j: int, delta: float) -> None:
        pass

    def value(self) -> float:
        return math.nan if self._value is None else _number("value(x)", self._value(self._x))

    def gap(self) -> float:
        found = _number("gap(x)", self._gap(self._x))
        if math.isnan(found):
            raise InputError(f"{NAME}: gap(x) is NaN. Use infinity where there is no bound.")
        return found


class _Driven:
    """A `Quadratic`, perhaps with functions of the user for value or gap."""

    has_value = has_gap = True

    def __init__(self, problem: Quadratic, x: Array, own: _Callables) -> None:
        sweep = problem.begin(x)
        self.minimiser, self.moved = sweep.minimiser, sweep.moved
        self.value = own.value if own.has_value else sweep.value
        self.gap = own.gap if own.has_gap else sweep.gap


def _driven(problem: Any, x: Array, value: Any, gap: Any) -> Driven:
    _checks.function(NAME, "value", value)
    _checks.function(NAME, "gap", gap)
    own = _Callables(problem, x, value, gap)
    if isinstance(problem, Quadratic):
        return _Driven(problem, x, own)
    if not callable(problem):
        raise ParameterError(
            f"{NAME}: problem must be a Quadratic, or a function of x and j that gives the best "
            f"x[j]. Got {type(problem).__name__}."
        )
    return own


def _number(what: str, value: Any) -> float:
    try:
        return float(value)
    except (TypeError, ValueError):
        raise InputError(f"{NAME}: {what} must be one number. Got {value!r:.80}.") from None
