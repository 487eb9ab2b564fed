"""What a minimiser gives back: the point, why it stopped there, and the way it took."""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning

from inducer.optimize._objective import Array, Objective, Point, norm


@dataclass(frozen=True, eq=False)
class DescentTrace:
    r"""The way from the starting point to the answer.

    Entry 0 belongs to the starting point, entry k to what k steps (of a stochastic or coordinate
    descent: k passes) led to.

    Attributes
    ----------
    values : array of shape (iterations + 1,)
        The values of f; NaN where no function was given for it.
    gradient_norms : array of shape (iterations + 1,)
        The Euclidean norms of the gradients: of the subgradients in a subgradient descent, of the
        step divided by its rate in a projected one, of the mean gradient of the last batch in a
        stochastic one (NaN at 0), of the largest move of a coordinate in a coordinate descent
        (NaN at 0).
    rates : array of shape (iterations,)
        What the gradient was multiplied with in each step; the last of a pass in a stochastic
        descent, NaN in a coordinate descent.
    points : array of shape (iterations + 1, \*x.shape), or None
        The points, if they were asked for.
    gaps : array of shape (iterations + 1,), or None
        Duality gaps, where there are any.
    """

    values: NDArray[np.float64]
    gradient_norms: NDArray[np.float64]
    rates: NDArray[np.float64]
    points: Array | None = None
    gaps: NDArray[np.float64] | None = None

    @property
    def best(self) -> NDArray[np.float64]:
        """The smallest value so far, for each entry of `values`."""
        return np.fmin.accumulate(self.values)


@dataclass(frozen=True, eq=False)
class Descent:
    """The answer of a minimiser.

    Attributes
    ----------
    x : array
        The answer, in the shape of x0.
    value : float
        f there; NaN where no function was given for it.
    iterations : int
        Steps made, or passes.
    converged : bool
        Whether a tolerance or the function `stop` ended it.
    reason : str
        What did: ``gradient``, ``value``, ``point``, ``gap`` or ``target`` (these tolerances),
        ``stop`` (the function), ``max_iter``, ``precision`` (no rate lowers the value any more in
        floating point), ``diverged``, ``end`` (of a stream).
    gradient_norm : float
        The last entry of `DescentTrace.gradient_norms`.
    evaluations : int
        How often f, or the stochastic gradient, or the minimiser of a coordinate was called.
    trace : DescentTrace
        The way there.
    """

    x: Array
    value: float
    iterations: int
    converged: bool
    reason: str
    gradient_norm: float
    evaluations: int
    trace: DescentTrace

    def __repr__(self) -> str:
        return (
            f"Descent(value={self.value:.6g}, iterations={self.iterations}, "
            f"converged={self.converged}, reason={self.reason!r})"
        )


class Recorder:
    """Collects a `DescentTrace`."""

    def __init__(self, sign: float = 1.0, *, points: bool = False) -> None:
        self.values: list[float] = []
        self.gradient_norms: list[float] = []
        self.rates: list[float] = []
        self.gaps: list[float] = []
        self._points: list[Array] | None = [] if points else None
        self._sign = sign

    def add(self, x: Array, value: float, gradient_norm: float, rate: float | None = None) -> None:
        """Write down a point, and the rate of the step that led to it."""
        self.values.append(self._sign * value)
        self.gradient_norms.append(gradient_norm)
        if rate is not None:
            self.rates.append(rate)
        if self._points is not None:
            self._points.append(x.copy())

    def trace(self) -> DescentTrace:
        """Return what was written."""
        return DescentTrace(
            np.array(self.values),
            np.array(self.gradient_norms),
            np.array(self.rates),
            None if self._points is None else np.array(self._points),
            np.array(self.gaps) if self.gaps else None,
        )

    def descent(self, x: Array, value: float, reason: str, evaluations: int) -> Descent:
        """Return the answer."""
        return Descent(
            x=x.copy(),
            value=self._sign * value,
            iterations=len(self.values) - 1,
            converged=reason in CONVERGED,
            reason=reason,
            gradient_norm=self.gradient_norms[-1],
            evaluations=evaluations,
            trace=self.trace(),
        )


CONVERGED = frozenset({"gradient", "value", "point", "gap", "target", "stop"})


def warn(name: str, words: str) -> None:
    """Warn the caller of a minimiser; called from the minimiser itself."""
    warnings.warn(f"{name}: {words}", ConvergenceWarning, stacklevel=3)


def divergence_words(
    objective: Objective, start: Point, before: Point, after: Point, rate: float, steps: int
) -> str:
    """Return what to say of a descent that runs away between two points.

    The curvature along the last step is at most L, the largest there is, and a fixed rate above
    2 / L cannot converge on a quadratic: so the printed bound is one that must be kept.
    """
    sign = objective.sign
    words = (
        f"diverged: the value went from {sign * start.value:.6g} to {sign * after.value:.6g} in "
        f"{steps} steps. The rate is too large"
    )
    step = norm(after.x - before.x)
    if after.finite and before.finite and 0 < step < math.inf:
        curvature = norm(after.gradient - before.gradient) / step
        if rate * curvature > 2 and math.isfinite(curvature):
            words += f" ({rate:.3g}, and 2 / curvature is {2 / curvature:.3g} along the last step)"
    return (
        words + ", or f has no minimum. Lower the rate, or use rate='backtracking'. The best point "
        "so far is returned."
    )
