"""A quadratic function with a separable penalty and a box, one coordinate at a time."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from inducer.base.errors import InputError, ParameterError
from inducer.optimize._objective import Array


class Quadratic:
    r"""A quadratic function, plus absolute values, within a box.

    .. math::

        \tfrac12 x^T A x - b^T x + \sum_j l_j |x_j|, \qquad \text{lower} \le x \le \text{upper}

    Least squares with an absolute penalty has :math:`A = X^T X, b = X^T y`, the dual of a
    support vector machine :math:`A_{ij} = y_i y_j K(x_i, x_j), b = 1`, and a box from 0 to C. The
    minimum over one coordinate has a closed form: that of the parabola, moved by :math:`l_j`, over
    the curvature, towards zero but not beyond, then cut off at the box.

    Parameters
    ----------
    A : array of shape (d, d)
        Symmetric and positive semidefinite (only its diagonal is looked at for that).
    b : array of shape (d,)
    l1 : float or array of shape (d,), default=0.0
        Weights of the absolute values.
    lower, upper : float or array of shape (d,), default=-inf and inf
        The box.
    floor : float, default=-inf
        A number that the quadratic part alone never falls below; for least squares
        :math:`-\tfrac12 \|y\|^2`. With it the duality gap is finite without a box, as long as
        all l1 are positive.

    Examples
    --------
    >>> from inducer.optimize import Quadratic, coordinate_descent
    >>> found = coordinate_descent(Quadratic([[2, 1], [1, 2]], [5, 1], l1=1.0), [0.0, 0.0])
    >>> found.x.tolist(), found.value
    ([2.0, 0.0], -4.0)
    """

    def __init__(
        self,
        A: Any,
        b: Any,
        *,
        l1: Any = 0.0,
        lower: Any = -np.inf,
        upper: Any = np.inf,
        floor: float = -math.inf,
    ) -> None:
        self.A = np.asarray(A, dtype=np.float64)
        self.b = np.asarray(b, dtype=np.float64)
        d = self.b.size
        if self.b.ndim != 1 or self.A.shape != (d, d) or d == 0:
            raise InputError(
                f"Quadratic: A has shape {self.A.shape} and b has {self.b.shape}. With d variables "
                "they are (d, d) and (d,)."
            )
        if not (np.all(np.isfinite(self.A)) and np.all(np.isfinite(self.b))):
            raise InputError("Quadratic: A and b must be finite numbers.")
        if not np.allclose(self.A, self.A.T, rtol=1e-10, atol=1e-12 * np.abs(self.A).max()):
            raise InputError("Quadratic: A is not symmetric. Use (A + A.T) / 2: the same function.")
        if np.any(np.diag(self.A) < 0):
            j = int(np.argmin(np.diag(self.A)))
            raise InputError(
                f"Quadratic: A[{j}, {j}] is {self.A[j, j]:.6g}: the function is not convex."
            )
        self.l1 = self._per_coordinate("l1", l1)
        self.lower = self._per_coordinate("lower", lower)
        self.upper = self._per_coordinate("upper", upper)
        if not np.all((self.l1 >= 0) & np.isfinite(self.l1)):
            raise ParameterError("Quadratic: l1 must be finite numbers >= 0.")
        if not np.all((self.lower <= self.upper) & (self.lower < np.inf) & (self.upper > -np.inf)):
            raise ParameterError("Quadratic: lower must not exceed upper.")
        self.floor = float(floor)

    def _per_coordinate(self, argument: str, value: Any) -> NDArray[np.float64]:
        try:
            return np.broadcast_to(np.asarray(value, dtype=np.float64), self.b.shape)
        except ValueError:
            raise ParameterError(
                f"Quadratic: {argument} must be a number, or one for each of {self.b.size} "
                "variables."
            ) from None

    def smooth(self, x: Array) -> tuple[float, Array]:
        """Return value and gradient of the quadratic part, for a gradient method."""
        Ax = self.A @ x
        return float(x @ (Ax / 2 - self.b)), Ax - self.b

    def value(self, x: Array) -> float:
        """Return the value, without a look at the box."""
        return self.smooth(x)[0] + float(self.l1 @ np.abs(x))

    def gap(self, x: Array) -> float:
        """Return how far above the minimum the value at x is at most; see `Sweep.gap`."""
        return Sweep(self, np.asarray(x, dtype=np.float64)).gap()

    def begin(self, x: Array) -> Sweep:
        """Return what `coordinate_descent` drives."""
        if x.shape != self.b.shape:
            raise InputError(
                f"Quadratic: x has shape {x.shape}, and there are {self.b.size} variables."
            )
        outside = np.flatnonzero((x < self.lower) | (x > self.upper))
        if outside.size:
            j = int(outside[0])
            raise InputError(
                f"Quadratic: x0[{j}] is {x[j]:.6g}, outside of the box from {self.lower[j]:.6g} to "
                f"{self.upper[j]:.6g}. Start within it: np.clip(x0, lower, upper)."
            )
        return Sweep(self, x)


class Sweep:
    """A point of a `Quadratic` and the gradient there, kept up to date as coordinates move."""

    def __init__(self, problem: Quadratic, x: Array) -> None:
        self._problem = problem
        self._diagonal = np.diag(problem.A).tolist()
        self._l1 = problem.l1.tolist()
        self._lower = problem.lower.tolist()
        self._upper = problem.upper.tolist()
        self.x = x
        self.gradient = problem.A @ x - problem.b
        self._moves = 0

    def minimiser(self, j: int) -> float:
        """Return the best value of coordinate j."""
        curvature = self._diagonal[j]
        pull = curvature * float(self.x[j]) - float(self.gradient[j])
        l1 = self._l1[j]
        lower, upper = self._lower[j], self._upper[j]
        beyond = math.copysign(abs(pull) - l1, pull) if abs(pull) > l1 else 0.0
        if curvature > 0:
            free = beyond / curvature
        else:
            free = math.copysign(math.inf, beyond) if beyond else 0.0
        found: float = min(max(free, lower), upper)
        if math.isinf(found):
            raise InputError(
                f"Quadratic: falls without end along coordinate {j}, where A has no curvature. "
                f"Give it a box, or an l1 of at least {abs(pull):.6g}."
            )
        return found

    def moved(self, j: int, delta: float) -> None:
        """Account for a move of coordinate j that was made."""
        self.gradient += delta * self._problem.A[j]
        self._moves += 1

    def _renew(self) -> None:
        """Take the gradient afresh: what many moves added up to is not good for a certificate."""
        if self._moves:
            self.gradient = self._problem.A @ self.x - self._problem.b
            self._moves = 0

    def value(self) -> float:
        """Return the value."""
        self._renew()
        problem = self._problem
        x = self.x.astype(np.float64, copy=False)
        return float(x @ (self.gradient - problem.b)) / 2 + float(problem.l1 @ np.abs(x))

    def gap(self) -> float:
        r"""Return the duality gap, an upper bound of how far above the minimum the value is.

        With q the quadratic part, h the rest and :math:`\theta = \nabla q(x)` it is
        :math:`h(x) + \theta \cdot x + h^*(-\theta)`, a sum over coordinates. Where no box holds a
        coordinate, :math:`h^*` is infinite as soon as :math:`|\theta_j| > l_j`; then a minimum has
        nevertheless no more than `value - floor` of penalty to spend, and that bounds it.
        """
        self._renew()
        problem, x = self._problem, self.x.astype(np.float64, copy=False)
        theta, l1 = self.gradient, problem.l1
        own = theta * x + l1 * np.abs(x)
        # -theta t - l1 |t| has its largest value at an end or at the kink.
        most = np.full(len(x), -np.inf)
        for t in (problem.lower, problem.upper, np.clip(0.0, problem.lower, problem.upper)):
            finite = np.isfinite(t)
            at = np.where(finite, t, 0.0)
            most = np.where(finite, np.maximum(most, -theta * at - l1 * np.abs(at)), most)
        free = (np.isinf(problem.upper) & (-theta > l1)) | (np.isinf(problem.lower) & (theta > l1))
        total = float(np.sum((own + most)[~free]))
        if not free.any():
            return max(total, 0.0)
        if np.any(l1[free] == 0) or math.isinf(problem.floor):
            return math.inf
        budget = self.value() - problem.floor
        worst = float(np.max(np.abs(theta[free]) / l1[free])) - 1
        return max(total + float(np.sum(own[free])) + budget * worst, 0.0)
