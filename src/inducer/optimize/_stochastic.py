"""Stochastic gradient descent on any sum."""

from __future__ import annotations

import math
import numbers
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import Any

import numpy as np

from inducer.base.errors import InputError, ParameterError
from inducer.optimize import _checks
from inducer.optimize._descent import Descent, Recorder, warn
from inducer.optimize._objective import Array, Objective, norm, read_only, starting_point
from inducer.optimize._stopping import Rules, State
from inducer.optimize.schedules import SqrtRate, schedule

NAME = "stochastic_gradient_descent"
ORDERS = ("every", "once", "never", "replace", "stream")
PASSES = 10


def stochastic_gradient_descent(
    gradient: Callable[[Array, Any], Any],
    x0: Any,
    n: int | Iterable[Any],
    *,
    value: Callable[[Array], Any] | None = None,
    batch_size: int = 1,
    order: str = "every",
    rate: float | str | Callable[[int], float] = SqrtRate(0.1),  # noqa: B008 (frozen)
    average: int = 0,
    max_iter: int | None = None,
    value_tol: float | None = None,
    point_tol: float | None = None,
    stop: Callable[[State], Any] | None = None,
    points: bool = False,
    random_state: Any = None,
) -> Descent:
    r"""Minimise a sum by steps against the gradient of a few of its terms.

    .. math:: f(x) = \frac{1}{n} \sum_{i=1}^n f_i(x), \qquad
        x_k = x_{k-1} - \eta_k \frac{1}{|B_k|} \sum_{i \in B_k} \nabla f_i(x_{k-1})

    The mean over a few terms points the right way on average, and costs n / S times less than
    the gradient. Its error does not vanish at the minimum: with a fixed rate the points end in a
    cloud around it, whose width the rate sets; falling rates, or the average of the points, go
    to the middle.

    Parameters
    ----------
    gradient : callable
        gradient(x, rows) gives the mean of the gradients of some terms, in the shape of x. `rows`
        is an array of their numbers, from 0; in a stream, the list of its items. Put a penalty
        into each term, with its full weight.
    x0 : array
        Where to start; any shape. float32 stays float32.
    n : int or iterable
        How many terms there are. With ``order="stream"`` an iterable of examples instead, which
        may be endless.
    value : callable, default=None
        value(x) gives f, for the trace and for `value_tol`; called once a pass.
    batch_size : int, default=1
        S, the terms of a step. The last step of a pass takes what is left.
    order : {"every", "once", "never", "replace", "stream"}, default="every"
        Shuffle the terms for every pass, once, or never (bad if neighbours are alike); draw the
        terms of each pass with replacement; or take them as they come.
    rate : float, str or callable, default=SqrtRate(0.1)
        A number, a schedule or its name, or any function of the step k = 1, 2, ... (not the pass).
    average : int, default=0
        The pass from which on the answer is the mean of the points after all steps (Polyak's
        average); 1 or True: from the first, 0 or False: the last point.
    max_iter : int or None, default=None
        The most passes to make; None means 10. In a stream a pass is a batch, and None all of it.
    value_tol : float or None, default=None
        Stop when a pass changes the value by no more than this, relative to the larger of the
        value and 1.
    point_tol : float or None, default=None
        Stop when a pass moves the answer by no more than this, relative to the larger of its norm
        and 1.
    stop : callable, default=None
        Called with a `State` before the first and after each pass; true means enough.
    points : bool, default=False
        Whether to keep the answers after each pass in the trace.
    random_state : int, numpy Generator, numpy RandomState or None, default=None
        Seed of the order.

    Returns
    -------
    Descent
        The answer; its trace has an entry a pass.

    See Also
    --------
    inducer.optimize.gradient_descent : All terms in each step.

    References
    ----------
    H. Daumé III: A Course in Machine Learning (0.99), section 14.3. B. Polyak, A. Juditsky:
    Acceleration of stochastic approximation by averaging. SIAM Journal on Control and
    Optimization 30 (1992).

    Examples
    --------
    The mean of numbers is the minimum of the mean of their squared distances:

    >>> import numpy as np
    >>> from inducer.optimize import stochastic_gradient_descent
    >>> numbers = np.array([1.0, 2.0, 6.0])
    >>> found = stochastic_gradient_descent(
    ...     lambda x, rows: x - numbers[rows].mean(), [0.0], 3, rate="inverse", random_state=0
    ... )
    >>> found.x.round(6).tolist()
    [3.0]
    """
    for argument, what in (("gradient", gradient), ("value", value)):
        if not callable(what) and (argument == "gradient" or what is not None):
            raise ParameterError(f"{NAME}: {argument} must be a function. Got {what!r}.")
    size = _checks.count(NAME, "batch_size", batch_size)
    rates = schedule(NAME, rate)
    begin = int(average) if isinstance(average, bool | np.bool_) else average
    begin = _checks.count(NAME, "average", begin, least=0)
    rules = Rules.checked(NAME, value_tol=value_tol, point_tol=point_tol, stop=stop)
    if rules.value_tol is not None and value is None:
        raise ParameterError(f"{NAME}: value_tol needs value=, a function of x.")
    batches = _batches(n, _checks.choice(NAME, "order", order, ORDERS), size, random_state)
    most = None if max_iter is None else _checks.count(NAME, "max_iter", max_iter)
    if most is None and order != "stream":
        most = PASSES

    x = starting_point(NAME, x0)
    mean, in_mean, steps = x, 0, 0
    record = Recorder(points=_checks.flag(NAME, "points", points))
    whole = Objective(NAME, value, lambda x: x) if value is not None else None
    reached = math.nan if whole is None else whole.start(x).value
    record.add(x, reached, math.nan)
    best = x, reached
    reason = rules.at_start(read_only(x), reached, math.nan)
    k = 0
    started = norm(x)
    while reason is None and (most is None or k < most):
        k += 1
        before, value_before = (mean if in_mean else x), reached
        slope, eta = None, math.nan
        for rows in next(batches, ()):
            steps += 1
            with np.errstate(over="ignore", invalid="ignore"):
                slope = np.asarray(gradient(read_only(x), rows), dtype=x.dtype)
            _check_shape(slope, x)
            eta = rates(steps)
            if not np.all(np.isfinite(slope)):
                if norm(x) <= 1e6 * (1 + started):
                    raise InputError(
                        f"{NAME}: the gradient of rows {_shown(rows)} is not finite, in step "
                        f"{steps}. Look at these rows, and at gradient(x, rows) there."
                    )
                break
            with np.errstate(over="ignore", invalid="ignore"):
                x = np.asarray(x - eta * slope)
            if begin and k >= begin:
                in_mean += 1
                mean = x if in_mean == 1 else mean + (x - mean) / in_mean
        if slope is None:
            k -= 1
            reason = "end"
            break
        answer = np.asarray(mean if in_mean else x)
        finite = bool(np.all(np.isfinite(x)) and np.all(np.isfinite(slope)))
        reached = math.nan if whole is None or not finite else whole.at(answer).value
        if not finite or (whole is not None and not math.isfinite(reached)):
            record.add(answer, math.nan, math.nan, eta)
            warn(
                NAME,
                f"diverged in pass {k}, step {steps}: x has grown without bound. Lower the rate, "
                "scale the features, or take larger batches. The best of the passes so far is "
                "returned (without value=, that before the last).",
            )
            return record.descent(*best, "diverged", steps)
        if not reached >= best[1]:
            best = answer, reached
        record.add(answer, reached, norm(slope), eta)
        state = State(k, read_only(answer), reached, record.gradient_norms[-1])
        reason = rules.after_step(state, before, value_before)
    reason = reason or "max_iter"
    if reason == "max_iter" and rules.any:
        change = abs(record.values[-1] - record.values[-2])
        warn(
            NAME,
            f"made all {k} passes of max_iter, and no tolerance was reached"
            + ("." if whole is None else f"; the last changed the value by {change:.3g}.")
            + " Raise max_iter, let the rate fall, or use average=1.",
        )
    return record.descent(np.asarray(mean if in_mean else x), reached, reason, steps)


def _batches(n: Any, order: str, size: int, random_state: Any) -> Iterator[Iterator[Any]]:
    """Return the batches of each pass."""
    if order == "stream":
        if isinstance(n, numbers.Integral) or not isinstance(n, Iterable):
            raise ParameterError(
                f"{NAME}: order='stream' needs an iterable of examples as n. Got {n!r}."
            )
        return _streamed(iter(n), size)
    if not isinstance(n, numbers.Integral):
        raise ParameterError(
            f"{NAME}: n must be the number of terms, or an iterable with order='stream'. Got "
            f"{type(n).__name__}."
        )
    terms = _checks.count(NAME, "n", n)
    if size > terms:
        raise ParameterError(
            f"{NAME}: batch_size is {size}, and there are {terms} terms. Use {terms} for all of "
            "them in each step."
        )
    return _passes(terms, order, size, _checks.generator(NAME, random_state))


def _streamed(items: Iterator[Any], size: int) -> Iterator[Iterator[Any]]:
    while batch := list(islice(items, size)):
        yield iter([batch])


def _passes(
    terms: int, order: str, size: int, random: np.random.Generator
) -> Iterator[Iterator[Any]]:
    rows = random.permutation(terms) if order == "once" else np.arange(terms)
    while True:
        if order == "every":
            rows = random.permutation(terms)
        elif order == "replace":
            rows = random.integers(terms, size=terms)
        yield (rows[first : first + size] for first in range(0, terms, size))


def _check_shape(slope: Array, x: Array) -> None:
    if slope.shape != x.shape:
        raise InputError(
            f"{NAME}: the gradient has shape {slope.shape}, and x has {x.shape}. It has to be the "
            "mean over the rows, one partial derivative for each entry of x."
        )


def _shown(rows: Any) -> str:
    shown = ", ".join(f"{row!s:.40}" for row in rows[:5])
    return f"[{shown}{', ...' if len(rows) > 5 else ''}]"
