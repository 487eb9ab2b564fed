"""Powers of the weights."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from inducer.penalties.norms import L1
from inducer.penalties.penalty import Penalty, require, soft

_ROUNDS = 200


@dataclass(frozen=True)
class Lp(Penalty):
    """sum |w_j|^p for a p of at least 1: between L1 and a bound on the largest weight.

    The sum itself, not its p-th root. Below p = 1 it would not be convex.

    Parameters
    ----------
    p : float, default=1.5
        The power.
    """

    p: float = 1.5
    name = "lp"

    def __post_init__(self) -> None:
        require(self, "p", 1 <= self.p < np.inf, "at least 1: below, it is not convex")

    @property
    def smooth(self) -> bool:  # type: ignore[override]
        """Whether the second derivative is finite everywhere."""
        return self.p >= 2

    def value(self, w: Any) -> float:
        """Return what the weights cost.

        Parameters
        ----------
        w : array of shape (n_features,)
        """
        with np.errstate(over="ignore"):
            return float(np.sum(np.abs(w) ** self.p))

    def gradient(self, w: Any) -> Any:
        """Return the gradient.

        Parameters
        ----------
        w : array of shape (n_features,)
        """
        with np.errstate(over="ignore"):
            return self.p * np.sign(w) * np.abs(w) ** (self.p - 1)

    def curvature(self, w: Any) -> Any:
        """Return the second derivatives, infinite at zero for a p between 1 and 2.

        Parameters
        ----------
        w : array of shape (n_features,)
        """
        if self.p == 1:
            return np.zeros_like(w)
        with np.errstate(over="ignore", divide="ignore"):
            return self.p * (self.p - 1) * np.abs(w) ** (self.p - 2)

    def prox(self, v: Any, step: float) -> Any:
        """Return the x of x + step p x^(p-1) = v, by Newton's method kept between bounds.

        Parameters
        ----------
        v : array of shape (n_features,)
        step : float
        """
        v = np.asarray(v, np.float64)
        if self.p == 1:
            return soft(v, step)
        size = np.abs(v)
        low, high = np.zeros_like(size), size.copy()
        x = np.minimum(size, (size / (step * self.p)) ** (1 / (self.p - 1)))
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            for _ in range(_ROUNDS):
                excess = x + step * self.p * x ** (self.p - 1) - size
                low, high = np.where(excess <= 0, x, low), np.where(excess >= 0, x, high)
                newton = x - excess / (1 + step * self.curvature(x))
                inside = (newton > low) & (newton < high)
                new = np.where(inside, newton, (low + high) / 2)
                done = np.all((np.abs(new - x) <= 4e-16 * size) | (high <= low))
                x = new
                if done:
                    break
        return np.sign(v) * x

    def envelope_gradient(self, v: Any, step: float) -> Any:
        """Return ``(v - prox(v, step)) / step``, without the rounding errors of a difference.

        Parameters
        ----------
        v : array of shape (n_features,)
        step : float
        """
        if self.p == 1:
            return L1().envelope_gradient(v, step)
        return self.gradient(self.prox(v, step))

    def prox_jacobian(self, v: Any, step: float) -> Any:
        """Return the derivative of `prox`.

        Parameters
        ----------
        v : array of shape (n_features,)
        step : float
        """
        if self.p == 1:
            return L1().prox_jacobian(v, step)
        return 1 / (1 + step * self.curvature(self.prox(v, step)))

    def conjugate(self, a: Any) -> float:
        """Return (p - 1) sum (|a_j| / p)^(p / (p - 1)).

        Parameters
        ----------
        a : array of shape (n_features,)
        """
        if self.p == 1:
            return L1().conjugate(a)
        with np.errstate(over="ignore"):
            sizes = (np.abs(a) / self.p) ** (self.p / (self.p - 1))
        return float((self.p - 1) * np.sum(sizes))

    def shrunk(self, a: Any) -> float:
        """Return the largest factor up to 1 by which a gets a finite `conjugate`.

        Parameters
        ----------
        a : array of shape (n_features,)
        """
        return L1().shrunk(a) if self.p == 1 else 1.0
