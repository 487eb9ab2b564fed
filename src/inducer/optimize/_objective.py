"""The function to minimise, as we see it: checked, counted, and turned round for an ascent."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from inducer.base.errors import InputError, ParameterError

Array = NDArray[Any]
Gradient = Callable[[Array], Any]


class Point:
    """A place, the value there, and the gradient when it is asked for. Downhill is better."""

    __slots__ = ("_gradient", "_objective", "value", "x")

    def __init__(
        self, x: Array, value: float, gradient: Array | None, objective: Objective
    ) -> None:
        self.x = x
        self.value = value
        self._gradient = gradient
        self._objective = objective

    @property
    def gradient(self) -> Array:
        """The gradient, evaluated once."""
        if self._gradient is None:
            self._gradient = self._objective.gradient(self.x)
        return self._gradient

    @property
    def finite(self) -> bool:
        """Whether the value is a finite number, and the gradient is made of those."""
        return math.isfinite(self.value) and bool(np.all(np.isfinite(self.gradient)))


class Objective:
    """A function of the user: f(x) gives the value, or value and gradient both.

    The function is called with a read-only array; what it returns is checked for its shape at
    once, and for NaN by who uses it. With `ascent` value and gradient change their sign, so that
    all minimisers minimise.
    """

    def __init__(
        self, name: str, f: Any, gradient: Gradient | None, *, ascent: bool = False
    ) -> None:
        for argument, what in (("f", f), ("gradient", gradient)):
            if not callable(what) and not (argument == "gradient" and what is None):
                raise ParameterError(f"{name}: {argument} must be a function. Got {what!r}.")
        self.name = name
        self.sign = -1.0 if ascent else 1.0
        self.evaluations = 0
        self.lowest = math.inf  # of the points that a search went on from
        self._f = f
        self._own_gradient = gradient

    def at(self, x: Array) -> Point:
        """Return the point at x, evaluated."""
        x = np.asarray(x)  # arithmetic makes scalars of arrays without axes
        self.evaluations += 1
        with np.errstate(over="ignore", invalid="ignore"):  # we look for the NaN ourselves
            found = self._f(read_only(x))
        slope: Array | None = None
        if self._own_gradient is None:
            if not isinstance(found, tuple | list) or len(found) != 2:
                raise InputError(
                    f"{self.name}: f returned {type(found).__name__}, and there is no gradient. "
                    "Let f return (value, gradient), or give gradient=, a function of x."
                )
            slope = self._checked(found[1], x)
            found = found[0]
        elif isinstance(found, tuple | list):
            raise InputError(
                f"{self.name}: f returned {len(found)} things. With gradient= it has to return the "
                "value alone; leave gradient= out if f returns (value, gradient)."
            )
        return Point(x, self.sign * self._number(found), slope, self)

    def gradient(self, x: Array) -> Array:
        """Return the gradient at x, by the function given for it."""
        assert self._own_gradient is not None
        with np.errstate(over="ignore", invalid="ignore"):
            return self._checked(self._own_gradient(read_only(x)), x)

    def start(self, x: Array) -> Point:
        """Return the point at which to start: value and gradient have to be finite."""
        point = self.at(x)
        if not math.isfinite(point.value):
            raise InputError(
                f"{self.name}: the value at the starting point is {self.sign * point.value}. Start "
                "where f is finite."
            )
        if not point.finite:
            where = tuple(int(i) for i in np.argwhere(~np.isfinite(point.gradient))[0])
            raise InputError(
                f"{self.name}: the gradient at the starting point is "
                f"{point.gradient[where]} at index {index_words(where)}. Start where f has a "
                "gradient; inducer.optimize.check_gradient compares it with differences."
            )
        return point

    def _number(self, value: Any) -> float:
        try:
            array = np.asarray(value, dtype=np.float64)
        except (TypeError, ValueError):
            array = np.empty(0)
        if array.size != 1:
            raise InputError(
                f"{self.name}: f has to return one number as the value. Got {value!r:.80}."
            )
        return float(array.reshape(()))

    def _checked(self, gradient: Any, x: Array) -> Array:
        array = np.array(gradient, dtype=x.dtype)  # a copy: the function may use its buffer again
        if array.shape != x.shape:
            raise InputError(
                f"{self.name}: the gradient has shape {array.shape}, and x has {x.shape}. It needs "
                "one partial derivative for each entry of x."
            )
        return array if self.sign > 0 else -array


def read_only(x: Array) -> Array:
    """Return a view that cannot be written to: a function must not move the point it is given."""
    view = np.asarray(x).view()
    view.flags.writeable = False
    return view


def starting_point(name: str, x0: Any) -> Array:
    """Return a copy of x0 in floating point; float32 stays what it is."""
    try:
        x = np.array(x0)
    except ValueError as error:
        raise InputError(f"{name}: x0 is no array of numbers: {error}") from None
    if x.dtype.kind in "biu":
        x = x.astype(np.float64)
    if x.dtype not in (np.float32, np.float64):
        raise InputError(f"{name}: x0 must hold real numbers. Got dtype {x.dtype}.")
    if x.size == 0:
        raise InputError(f"{name}: x0 is empty. Give the starting point, one number a variable.")
    if not np.all(np.isfinite(x)):
        where = tuple(int(i) for i in np.argwhere(~np.isfinite(x))[0])
        raise InputError(f"{name}: x0 is {x[where]} at index {index_words(where)}.")
    return x


def norm(x: Array) -> float:
    """Return the Euclidean norm of all entries, whatever the shape."""
    with np.errstate(over="ignore"):
        return float(np.linalg.norm(x.ravel().astype(np.float64, copy=False)))


def inner(x: Array, y: Array) -> float:
    """Return the dot product of all entries."""
    return float(np.dot(x.ravel().astype(np.float64, copy=False), y.ravel()))


def index_words(where: tuple[int, ...]) -> str:
    """Return an index as a reader writes it."""
    return ", ".join(str(i) for i in where) or "()"
