"""Parameter domains: what a constructor argument may be, declared once.

A learner says ``params = {"max_iter": Int(1), "tol": Real(0) | None}``. The same table feeds the
check in `fit`, the words of the error, scikit-learn's ``_parameter_constraints``, the command
line, and the generated tests.
"""

from __future__ import annotations

import numbers
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from sklearn.utils._param_validation import Interval, Options, StrOptions

Closed = Literal["[]", "[)", "(]", "()"]
_SIDES = {"[]": "both", "[)": "left", "(]": "right", "()": "neither"}


class Domain:
    """A set of values; domains are joined by ``|``, also with None."""

    def constraints(self) -> list[Any]:
        """Return the domain in scikit-learn's words."""
        raise NotImplementedError

    def __or__(self, other: Domain | None) -> Domain:
        return Union((*self.parts(), *(other.parts() if other is not None else (Missing(),))))

    def __ror__(self, other: None) -> Domain:
        return Union((Missing(), *self.parts()))

    def parts(self) -> Iterator[Domain]:
        """Yield the domains that this one is the union of."""
        yield self


@dataclass(frozen=True)
class Union(Domain):
    """Any of several domains."""

    members: tuple[Domain, ...]

    def constraints(self) -> list[Any]:
        """Return the domain in scikit-learn's words."""
        return [constraint for member in self.members for constraint in member.constraints()]

    def parts(self) -> Iterator[Domain]:
        """Yield the domains that this one is the union of."""
        yield from self.members


@dataclass(frozen=True)
class Missing(Domain):
    """None."""

    def constraints(self) -> list[Any]:
        """Return the domain in scikit-learn's words."""
        return [None]


@dataclass(frozen=True)
class Real(Domain):
    """A real number in an interval; a bound of None is infinite."""

    low: float | None = None
    high: float | None = None
    closed: Closed = "[]"

    def constraints(self) -> list[Any]:
        """Return the domain in scikit-learn's words."""
        return [Interval(numbers.Real, self.low, self.high, closed=_sides(self))]


@dataclass(frozen=True)
class Int(Domain):
    """An integer in an interval; a bound of None is infinite."""

    low: int | None = None
    high: int | None = None
    closed: Closed = "[]"

    def constraints(self) -> list[Any]:
        """Return the domain in scikit-learn's words."""
        return [Interval(numbers.Integral, self.low, self.high, closed=_sides(self))]


def _sides(interval: Real | Int) -> str:
    """Return which ends belong to the interval; an infinite one never does."""
    left = interval.closed[0] == "[" and interval.low is not None
    right = interval.closed[1] == "]" and interval.high is not None
    return _SIDES[("[" if left else "(") + ("]" if right else ")")]


class Choice(Domain):
    """One of a few values, most often words."""

    def __init__(self, *values: Any) -> None:
        self.values = values

    def constraints(self) -> list[Any]:
        """Return the domain in scikit-learn's words."""
        by_kind: dict[type, set[Any]] = {}
        for value in self.values:
            by_kind.setdefault(type(value), set()).add(value)
        return [
            StrOptions(values) if kind is str else Options(kind, values)
            for kind, values in by_kind.items()
        ]


@dataclass(frozen=True)
class Flag(Domain):
    """True or False."""

    def constraints(self) -> list[Any]:
        """Return the domain in scikit-learn's words."""
        return ["boolean"]


@dataclass(frozen=True)
class Seed(Domain):
    """What random numbers start from: an integer, a generator of NumPy's, or None."""

    def constraints(self) -> list[Any]:
        """Return the domain in scikit-learn's words."""
        return ["random_state", np.random.Generator]


@dataclass(frozen=True)
class ArrayLike(Domain):
    """An array, or what becomes one."""

    def constraints(self) -> list[Any]:
        """Return the domain in scikit-learn's words."""
        return ["array-like"]


class Instance(Domain):
    """An object of a class."""

    def __init__(self, *classes: type) -> None:
        self.classes = classes

    def constraints(self) -> list[Any]:
        """Return the domain in scikit-learn's words."""
        return list(self.classes)


@dataclass(frozen=True)
class Function(Domain):
    """Anything that can be called."""

    def constraints(self) -> list[Any]:
        """Return the domain in scikit-learn's words."""
        return [callable]
