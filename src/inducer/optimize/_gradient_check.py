"""Is it the gradient? Differences, coordinate by coordinate."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from inducer.base.errors import InputError, ParameterError
from inducer.optimize import _checks
from inducer.optimize._objective import Array, Gradient, Objective, read_only, starting_point

NAME = "check_gradient"


@dataclass(frozen=True, eq=False)
class GradientCheck:
    """The answer of `check_gradient`; true or false as a condition.

    Attributes
    ----------
    correct : bool
        Whether `error` is within the tolerance.
    error : float
        The largest relative error of a coordinate.
    worst : tuple of int
        Index of that coordinate.
    gradient : array
        What was to be checked.
    differences : array
        What the values say.
    """

    correct: bool
    error: float
    worst: tuple[int, ...]
    gradient: Array
    differences: Array

    def __bool__(self) -> bool:
        return self.correct

    def __repr__(self) -> str:
        return (
            f"GradientCheck(correct={self.correct}, error={self.error:.3g} at {self.worst}: "
            f"gradient {self.gradient[self.worst]:.6g}, "
            f"differences {self.differences[self.worst]:.6g})"
        )


def check_gradient(
    f: Any,
    x: Any,
    *,
    gradient: Gradient | None = None,
    method: str = "central",
    tol: float = 1e-6,
) -> GradientCheck:
    r"""Compare a gradient with differences of the function.

    .. math::

        \frac{f(x + h e_j) - f(x - h e_j)}{2h} \quad\text{or}\quad
        \frac{\operatorname{Im} f(x + i h e_j)}{h}

    Central differences take two step widths h and 2h, whose errors of second order cancel;
    what they then still differ by counts as noise. The complex step has no cancellation at
    all, and is exact to rounding, for functions that take complex numbers and are analytic: no
    abs, no max, no conjugates.

    Parameters
    ----------
    f : callable
        f(x) gives the value and the gradient, or the value alone when `gradient` is given.
    x : array
        Where to look; better a random point than zero, where many mistakes do not show.
    gradient : callable, default=None
        gradient(x) gives the gradient.
    method : {"central", "complex"}, default="central"
    tol : float, default=1e-6
        The largest relative error to call correct.

    Returns
    -------
    GradientCheck

    Notes
    -----
    Costs four values a coordinate, with complex steps one. Float32 is checked in float64.

    Examples
    --------
    >>> import numpy as np
    >>> from inducer.optimize import check_gradient
    >>> def f(x):
    ...     return x[0] ** 3 + 5 * x[0] * x[1] - 3 * x[1] * x[2] ** 2
    >>> def wrong(x):
    ...     return [3 * x[0] ** 2 + 5 * x[1], 5 * x[0] - 3 * x[2] ** 2, 6 * x[1] * x[2]]
    >>> check_gradient(f, [1.0, 2.0, 3.0], gradient=wrong)
    GradientCheck(correct=False, error=2 at (2,): gradient 36, differences -36)
    """
    kind = _checks.choice(NAME, "method", method, ("central", "complex"))
    enough = _checks.positive(NAME, "tol", tol)
    if gradient is None and kind == "complex" and not callable(f):
        raise ParameterError(f"{NAME}: f must be a function. Got {f!r}.")
    objective = Objective(NAME, f, gradient)
    point = starting_point(NAME, x).astype(np.float64)
    stated = objective.start(point).gradient
    measured, noise = (_central if kind == "central" else _complex)(objective, f, point)
    size = np.maximum(np.abs(stated), np.abs(measured))
    away = np.abs(stated - measured)
    # Below the noise, over the tolerance, a relative error has no meaning.
    error = away / np.maximum(np.maximum(size, noise / enough), np.finfo(np.float64).tiny)
    worst = tuple(int(i) for i in np.unravel_index(int(np.argmax(error)), error.shape))
    largest = float(error[worst])
    return GradientCheck(largest <= enough, largest, worst, stated, measured)


def _central(objective: Objective, f: Any, x: Array) -> tuple[Array, Array]:  # noqa: ARG001
    """Return differences, and how far off they may be."""
    found, noise = np.empty(x.shape), np.empty(x.shape)
    eps = float(np.finfo(np.float64).eps)
    for index in np.ndindex(x.shape):
        h = float(eps**0.25 * max(1.0, abs(float(x[index]))))
        slopes, largest = [], 0.0
        for width in (h, 2 * h):
            above, below = x.copy(), x.copy()
            above[index] += width
            below[index] -= width
            values = objective.at(above).value, objective.at(below).value
            if not np.all(np.isfinite(values)):
                raise InputError(
                    f"{NAME}: f is not finite {width:.1g} beside x, along index {index}. Look "
                    "farther inside of where f is defined."
                )
            largest = max(largest, abs(values[0]), abs(values[1]))
            slopes.append((values[0] - values[1]) / float(above[index] - below[index]))
        found[index] = (4 * slopes[0] - slopes[1]) / 3
        noise[index] = 8 * eps * largest / h + abs(found[index] - slopes[0]) / 10
    return found, noise


def _complex(objective: Objective, f: Any, x: Array) -> tuple[Array, Array]:  # noqa: ARG001
    """Return derivatives by complex steps, and the rounding that may be in them."""
    h = 1e-20  # so small that its square is lost
    found = np.empty(x.shape)
    for index in np.ndindex(x.shape):
        moved = x.astype(np.complex128)
        moved[index] += 1j * h
        try:
            value = f(read_only(moved))
        except TypeError as error:
            raise InputError(
                f"{NAME}: f does not take complex numbers ({error}). Use method='central'."
            ) from None
        if isinstance(value, tuple | list):
            value = value[0]
        array = np.asarray(value)
        if array.dtype.kind != "c":
            raise InputError(
                f"{NAME}: f gave the real number {value!r:.40} for a complex x, so it drops the "
                "imaginary part. Use method='central'."
            )
        found[index] = float(array.reshape(()).imag) / h
    # Of other terms than those that are left in a coordinate; where all are zero, h squared.
    rounding = 8 * float(np.finfo(np.float64).eps) * float(np.abs(found).max())
    return found, np.full(x.shape, rounding + 1e-30)
