"""Convex sets, each with the nearest point in it in closed form."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from inducer.base.errors import InputError, ParameterError
from inducer.optimize import _checks
from inducer.optimize._objective import Array, inner, norm


class ConvexSet:
    """A closed convex set: called with a point, it gives the nearest point that it holds."""

    def __call__(self, x: Any) -> Array:
        """Return the point of the set that is nearest to x."""
        raise NotImplementedError

    def contains(self, x: Any, tol: float = 1e-9) -> bool:
        """Return whether x is in the set, or nearer to it than `tol` (relative from 1 on).

        Parameters
        ----------
        x : array
        tol : float, default=1e-9
        """
        point = np.asarray(x)
        return norm(self(point) - point) <= tol * max(1.0, norm(point))


class Box(ConvexSet):
    """All points between two corners: lower <= x <= upper.

    Parameters
    ----------
    lower, upper : float or array, default=0.0 and 1.0
        -inf and inf for no bound.

    Examples
    --------
    >>> from inducer.optimize import Box
    >>> Box(0, [1.0, 5.0])([-3.0, 7.0]).tolist()
    [0.0, 5.0]
    """

    def __init__(self, lower: Any = 0.0, upper: Any = 1.0) -> None:
        self.lower = _numbers("Box", "lower", lower, finite=False)
        self.upper = _numbers("Box", "upper", upper, finite=False)
        if not np.all((self.lower <= self.upper) & (self.lower < np.inf) & (self.upper > -np.inf)):
            raise ParameterError("Box: lower must not exceed upper: the box would be empty.")

    def __call__(self, x: Any) -> Array:
        """Return the nearest point: each coordinate cut off at its bounds."""
        point = _point("Box", x)
        for bound in (self.lower, self.upper):
            _same_shape("Box", "a bound", bound, point)
        return np.clip(point, self.lower, self.upper).astype(point.dtype, copy=False)


class L2Ball(ConvexSet):
    """All points no farther than a radius from a centre.

    Parameters
    ----------
    radius : float, default=1.0
    centre : float or array, default=0.0

    Examples
    --------
    >>> from inducer.optimize import L2Ball
    >>> L2Ball(radius=5.0)([6.0, 8.0]).tolist()
    [3.0, 4.0]
    """

    def __init__(self, radius: float = 1.0, centre: Any = 0.0) -> None:
        self.radius = _checks.positive("L2Ball", "radius", radius)
        self.centre = _numbers("L2Ball", "centre", centre)

    def __call__(self, x: Any) -> Array:
        """Return the nearest point: drawn towards the centre."""
        point = _point("L2Ball", x)
        _same_shape("L2Ball", "centre", self.centre, point)
        away = point - self.centre
        distance = norm(away)
        if distance <= self.radius:
            return point.copy()
        return (self.centre + away * (self.radius / distance)).astype(point.dtype, copy=False)


class Simplex(ConvexSet):
    """All points without negative coordinates whose sum is given: probabilities, if it is 1.

    Parameters
    ----------
    total : float, default=1.0

    Notes
    -----
    The nearest point is x less a threshold, cut off at zero; sorting finds the threshold in
    O(d log d).

    References
    ----------
    J. Duchi, S. Shalev-Shwartz, Y. Singer, T. Chandra: Efficient projections onto the l1-ball for
    learning in high dimensions. ICML (2008).

    Examples
    --------
    >>> from inducer.optimize import Simplex
    >>> Simplex()([0.5, 1.0, -2.0]).tolist()
    [0.25, 0.75, 0.0]
    """

    def __init__(self, total: float = 1.0) -> None:
        self.total = _checks.positive("Simplex", "total", total)

    def __call__(self, x: Any) -> Array:
        """Return the nearest point."""
        point = _point("Simplex", x)
        threshold = _threshold(point.ravel().astype(np.float64), self.total)
        return np.maximum(point - threshold, 0.0).astype(point.dtype, copy=False)


class L1Ball(ConvexSet):
    """All points whose absolute differences from a centre sum to no more than a radius.

    Parameters
    ----------
    radius : float, default=1.0
    centre : float or array, default=0.0

    Notes
    -----
    From outside, the nearest point has the absolute differences of the nearest point of a simplex:
    small ones become exactly zero.

    Examples
    --------
    >>> from inducer.optimize import L1Ball
    >>> L1Ball()([-1.0, 0.5, 0.1]).tolist()
    [-0.75, 0.25, 0.0]
    """

    def __init__(self, radius: float = 1.0, centre: Any = 0.0) -> None:
        self.radius = _checks.positive("L1Ball", "radius", radius)
        self.centre = _numbers("L1Ball", "centre", centre)

    def __call__(self, x: Any) -> Array:
        """Return the nearest point."""
        point = _point("L1Ball", x)
        _same_shape("L1Ball", "centre", self.centre, point)
        away = (point - self.centre).astype(np.float64)
        size = np.abs(away)
        if size.sum() <= self.radius:
            return point.copy()
        size = np.maximum(size - _threshold(size.ravel(), self.radius), 0.0)
        return (self.centre + np.copysign(size, away)).astype(point.dtype, copy=False)


class Halfspace(ConvexSet):
    """All points on one side of a hyperplane: normal . x <= offset.

    Parameters
    ----------
    normal : array
        Any length but zero; points out of the set.
    offset : float, default=0.0

    Examples
    --------
    >>> from inducer.optimize import Halfspace
    >>> Halfspace([1.0, 1.0], 2.0)([3.0, 3.0]).tolist()
    [1.0, 1.0]
    """

    def __init__(self, normal: Any, offset: float = 0.0) -> None:
        self.normal = _numbers("Halfspace", "normal", normal)
        self.offset = float(_numbers("Halfspace", "offset", offset).reshape(()))
        if not self.normal.size or not norm(self.normal):
            raise ParameterError("Halfspace: normal must not be zero: it points out of the set.")

    def __call__(self, x: Any) -> Array:
        """Return the nearest point: moved along the normal."""
        point = _point("Halfspace", x)
        if point.shape != self.normal.shape:
            raise InputError(
                f"Halfspace: x has shape {point.shape}, and the normal {self.normal.shape}."
            )
        excess = inner(self.normal, point) - self.offset
        if excess <= 0:
            return point.copy()
        moved = point - self.normal * (excess / inner(self.normal, self.normal))
        return moved.astype(point.dtype, copy=False)


def _threshold(x: Array, total: float) -> float:
    """Return t for which max(x - t, 0) sums to `total`."""
    falling = np.sort(x)[::-1]
    # Differences to the largest: sums of large numbers would lose what is left of the total.
    excess = np.cumsum(falling - falling[0]) - total
    counts = np.arange(1, len(x) + 1)
    last = int(np.flatnonzero(falling - falling[0] - excess / counts > 0)[-1])
    return float(falling[0] + excess[last] / (last + 1))


def _numbers(name: str, argument: str, value: Any, *, finite: bool = True) -> Array:
    try:
        array = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError):
        array = np.array(math.nan)
    if np.any(np.isnan(array)) or (finite and not np.all(np.isfinite(array))):
        raise ParameterError(f"{name}: {argument} must be made of numbers. Got {value!r:.80}.")
    return array


def _point(name: str, x: Any) -> Array:
    point = np.asarray(x)
    if point.dtype not in (np.float32, np.float64):
        point = point.astype(np.float64)
    if not np.all(np.isfinite(point)):
        raise InputError(f"{name}: the point to project is not finite.")
    return point


def _same_shape(name: str, what: str, part: Array, point: Array) -> None:
    if part.ndim and part.shape != point.shape:
        raise InputError(f"{name}: {what} has shape {part.shape}, and x has {point.shape}.")
