"""Rates of steps: how far to go along the gradient in step k = 1, 2, ...

A rate is a number, one of the objects here, a function of k, or a word: ``"constant"``,
``"sqrt"``, ``"inverse"``, ``"ratio"`` and ``"exponential"`` stand for the object with its defaults,
``"backtracking"`` (or ``"armijo"``) and ``"wolfe"`` for a line search, where there is a value to
search with.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from inducer.base.errors import InputError, ParameterError
from inducer.optimize import _checks
from inducer.optimize._line_search import Backtracking, Wolfe

__all__ = [
    "Backtracking",
    "ConstantRate",
    "ExponentialRate",
    "InverseRate",
    "RatioRate",
    "SqrtRate",
    "Wolfe",
]

Schedule = Callable[[int], float]


@dataclass(frozen=True)
class ConstantRate:
    """The same rate in each step.

    With 1 / L, for L the largest curvature, gradient descent comes as near as
    `inducer.optimize.descent_bound` says; from 2 / L on it does not converge.

    Parameters
    ----------
    rate : float, default=0.1

    Examples
    --------
    >>> from inducer.optimize import ConstantRate
    >>> ConstantRate(0.5)(7)
    0.5
    """

    rate: float = 0.1

    def __post_init__(self) -> None:
        _checks.positive("ConstantRate", "rate", self.rate)

    def __call__(self, k: int) -> float:  # noqa: ARG002
        """Return the rate of step k."""
        return self.rate


@dataclass(frozen=True)
class SqrtRate:
    """rate / sqrt(k): what a subgradient or stochastic descent needs to converge.

    The sum of the rates is infinite, so that every point can be reached, and the sum of squares
    grows so slowly beside it that `inducer.optimize.subgradient_bound` falls to zero.

    Parameters
    ----------
    rate : float, default=1.0
        The first rate.

    Examples
    --------
    >>> from inducer.optimize import SqrtRate
    >>> SqrtRate(0.5)(4)
    0.25
    """

    rate: float = 1.0

    def __post_init__(self) -> None:
        _checks.positive("SqrtRate", "rate", self.rate)

    def __call__(self, k: int) -> float:
        """Return the rate of step k."""
        return self.rate / math.sqrt(k)


@dataclass(frozen=True)
class InverseRate:
    """rate / k: for strongly convex functions, with a rate of about 1 / strong convexity.

    Smaller than that, it stalls far from the minimum: the steps sum up to log k only.

    Parameters
    ----------
    rate : float, default=1.0
        The first rate.

    Examples
    --------
    >>> from inducer.optimize import InverseRate
    >>> InverseRate(0.5)(5)
    0.1
    """

    rate: float = 1.0

    def __post_init__(self) -> None:
        _checks.positive("InverseRate", "rate", self.rate)

    def __call__(self, k: int) -> float:
        """Return the rate of step k."""
        return self.rate / k


@dataclass(frozen=True)
class RatioRate:
    """a / (b + k): falls like 1 / k, but only after b steps.

    Parameters
    ----------
    a : float, default=1.0
    b : float, default=1.0
        At least 0.

    Examples
    --------
    >>> from inducer.optimize import RatioRate
    >>> RatioRate(a=2.0, b=3.0)(5)
    0.25
    """

    a: float = 1.0
    b: float = 1.0

    def __post_init__(self) -> None:
        _checks.positive("RatioRate", "a", self.a)
        if _checks.tolerance("RatioRate", "b", self.b) is None:
            raise ParameterError("RatioRate: b must be a number >= 0. Got None.")

    def __call__(self, k: int) -> float:
        """Return the rate of step k."""
        return self.a / (self.b + k)


@dataclass(frozen=True)
class ExponentialRate:
    """rate * decay^(k - 1): each step a fixed share of the one before.

    All steps together reach rate / (1 - decay) gradients far, no farther.

    Parameters
    ----------
    rate : float, default=1.0
        The first rate.
    decay : float, default=0.99
        Between 0 and 1.

    Examples
    --------
    >>> from inducer.optimize import ExponentialRate
    >>> ExponentialRate(rate=2.0, decay=0.5)(3)
    0.5
    """

    rate: float = 1.0
    decay: float = 0.99

    def __post_init__(self) -> None:
        _checks.positive("ExponentialRate", "rate", self.rate)
        _checks.between("ExponentialRate", "decay", self.decay, 0, 1)

    def __call__(self, k: int) -> float:
        """Return the rate of step k."""
        return float(self.rate * self.decay ** (k - 1))


BY_NAME: dict[str, Callable[[], Any]] = {
    "constant": ConstantRate,
    "sqrt": SqrtRate,
    "inverse": InverseRate,
    "ratio": RatioRate,
    "exponential": ExponentialRate,
}
SEARCH_BY_NAME: dict[str, Callable[[], Backtracking | Wolfe]] = {
    "backtracking": Backtracking,
    "armijo": Backtracking,
    "wolfe": Wolfe,
}


def schedule(name: str, rate: Any) -> Schedule:
    """Return the schedule that a rate stands for, its values looked at when they are used."""
    if isinstance(rate, str) and rate in BY_NAME:
        return checked(name, BY_NAME[rate]())
    if isinstance(rate, Backtracking | Wolfe) or (isinstance(rate, str) and rate in SEARCH_BY_NAME):
        raise ParameterError(
            f"{name}: a line search needs a function whose values are exact and smooth. Use a "
            f"number or a schedule as rate, such as SqrtRate(0.1). Got {rate!r}."
        )
    if _checks.is_real(rate):
        return ConstantRate(_checks.positive(name, "rate", rate))
    if callable(rate):
        return checked(name, rate)
    words = ", ".join(repr(word) for word in BY_NAME)
    raise ParameterError(
        f"{name}: rate must be a positive number, a schedule, a function of the step, or one of "
        f"{words}. Got {rate!r}."
    )


def rate_or_search(name: str, rate: Any) -> Schedule | Backtracking | Wolfe:
    """Return the schedule or the line search that a rate stands for."""
    if isinstance(rate, Backtracking | Wolfe):
        return rate
    if isinstance(rate, str):
        if rate in SEARCH_BY_NAME:
            return SEARCH_BY_NAME[rate]()
        _checks.choice(name, "rate", rate, (*BY_NAME, *SEARCH_BY_NAME))
    return schedule(name, rate)


def checked(name: str, rates: Schedule) -> Schedule:
    """Return the same schedule, with an error where a rate is no positive number."""

    def looked_at(k: int) -> float:
        try:
            rate = float(rates(k))
        except (TypeError, ValueError) as error:
            raise InputError(f"{name}: the schedule gives no number in step {k}: {error}") from None
        if not 0 < rate < math.inf:
            raise InputError(
                f"{name}: the schedule gives {rate} in step {k}. Rates have to be positive; steps "
                "are counted from 1."
            )
        return rate

    return looked_at
