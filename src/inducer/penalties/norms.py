"""Penalties that are sums over the weights, and the largest of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from inducer.penalties.penalty import Penalty, require, within_one

_ROUNDS = 200


@dataclass(frozen=True)
class L2(Penalty):
    """|w|^2 / 2: small weights, all of them a little. A Gaussian prior."""

    name = "l2"
    smooth = True

    def value(self, w: Any) -> float:
        """Return what the weights cost.

        Parameters
        ----------
        w : array of shape (n_features,)
        """
        return float(np.dot(w, w)) / 2

    def gradient(self, w: Any) -> Any:
        """Return the weights.

        Parameters
        ----------
        w : array of shape (n_features,)
        """
        return w

    def curvature(self, w: Any) -> Any:
        """Return ones.

        Parameters
        ----------
        w : array of shape (n_features,)
        """
        return np.ones_like(w)

    def prox(self, v: Any, step: float) -> Any:
        """Return v, shorter.

        Parameters
        ----------
        v : array of shape (n_features,)
        step : float
        """
        return v / (1 + step)

    def conjugate(self, a: Any) -> float:
        """Return |a|^2 / 2.

        Parameters
        ----------
        a : array of shape (n_features,)
        """
        return float(np.dot(a, a)) / 2


@dataclass(frozen=True)
class L1(Penalty):
    """sum |w_j|: many weights exactly zero. A Laplace prior."""

    name = "l1"

    def value(self, w: Any) -> float:
        """Return what the weights cost.

        Parameters
        ----------
        w : array of shape (n_features,)
        """
        return float(np.sum(np.abs(w)))

    def gradient(self, w: Any) -> Any:
        """Return the signs.

        Parameters
        ----------
        w : array of shape (n_features,)
        """
        return np.sign(w)

    def prox(self, v: Any, step: float) -> Any:
        """Return v, each weight nearer to zero by the step.

        Parameters
        ----------
        v : array of shape (n_features,)
        step : float
        """
        return _soft(v, step)

    def envelope_gradient(self, v: Any, step: float) -> Any:
        """Return ``(v - prox(v, step)) / step``, without the rounding errors of a difference.

        Parameters
        ----------
        v : array of shape (n_features,)
        step : float
        """
        return np.clip(v / step, -1.0, 1.0)

    def prox_jacobian(self, v: Any, step: float) -> Any:
        """Return 1 where a weight stays above zero in size, else 0.

        Parameters
        ----------
        v : array of shape (n_features,)
        step : float
        """
        return (np.abs(v) > step).astype(np.float64)

    def conjugate(self, a: Any) -> float:
        """Return 0 where no part of a is larger than 1, else infinity.

        Parameters
        ----------
        a : array of shape (n_features,)
        """
        return 0.0 if np.max(np.abs(a), initial=0.0) <= 1 else np.inf

    def shrunk(self, a: Any) -> float:
        """Return the largest factor up to 1 by which a gets a finite `conjugate`.

        Parameters
        ----------
        a : array of shape (n_features,)
        """
        return within_one(float(np.max(np.abs(a), initial=0.0)))


@dataclass(frozen=True)
class ElasticNet(Penalty):
    """l1_ratio sum |w_j| + (1 - l1_ratio) |w|^2 / 2: zeros, and columns alike share a weight.

    Parameters
    ----------
    l1_ratio : float, default=0.5
        The share of the first part.
    """

    l1_ratio: float = 0.5
    name = "elasticnet"

    def __post_init__(self) -> None:
        require(self, "l1_ratio", 0 <= self.l1_ratio <= 1, "from 0 to 1")

    def value(self, w: Any) -> float:
        """Return what the weights cost.

        Parameters
        ----------
        w : array of shape (n_features,)
        """
        return self.l1_ratio * L1().value(w) + (1 - self.l1_ratio) * L2().value(w)

    def gradient(self, w: Any) -> Any:
        """Return a subgradient.

        Parameters
        ----------
        w : array of shape (n_features,)
        """
        return self.l1_ratio * np.sign(w) + (1 - self.l1_ratio) * w

    def prox(self, v: Any, step: float) -> Any:
        """Return v, nearer to zero.

        Parameters
        ----------
        v : array of shape (n_features,)
        step : float
        """
        return _soft(v, step * self.l1_ratio) / (1 + step * (1 - self.l1_ratio))

    def envelope_gradient(self, v: Any, step: float) -> Any:
        """Return ``(v - prox(v, step)) / step``, without the rounding errors of a difference.

        Parameters
        ----------
        v : array of shape (n_features,)
        step : float
        """
        l1, l2 = self.l1_ratio, 1 - self.l1_ratio
        return (np.clip(v / step, -l1, l1) + l2 * v) / (1 + step * l2)

    def prox_jacobian(self, v: Any, step: float) -> Any:
        """Return the derivative of `prox`.

        Parameters
        ----------
        v : array of shape (n_features,)
        step : float
        """
        stays = np.abs(v) > step * self.l1_ratio
        return stays / (1 + step * (1 - self.l1_ratio))

    def conjugate(self, a: Any) -> float:
        """Return the conjugate.

        Parameters
        ----------
        a : array of shape (n_features,)
        """
        if self.l1_ratio == 1:
            return L1().conjugate(a)
        over = np.maximum(np.abs(a) - self.l1_ratio, 0)
        return float(np.dot(over, over)) / (2 * (1 - self.l1_ratio))

    def shrunk(self, a: Any) -> float:
        """Return the largest factor up to 1 by which a gets a finite `conjugate`.

        Parameters
        ----------
        a : array of shape (n_features,)
        """
        return L1().shrunk(a) if self.l1_ratio == 1 else 1.0


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
            return _soft(v, step)
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


@dataclass(frozen=True)
class MaxNorm(Penalty):
    """max |w_j|: no weight stands out; many end at the same size."""

    name = "max_norm"

    def value(self, w: Any) -> float:
        """Return what the weights cost.

        Parameters
        ----------
        w : array of shape (n_features,)
        """
        return float(np.max(np.abs(w), initial=0.0))

    def gradient(self, w: Any) -> Any:
        """Return a subgradient: the sign of the first largest weight, in its place.

        Parameters
        ----------
        w : array of shape (n_features,)
        """
        found = np.zeros_like(w)
        if len(w):
            first = int(np.argmax(np.abs(w)))
            found[first] = np.sign(w[first])
        return found

    def prox(self, v: Any, step: float) -> Any:
        """Return v with its largest parts cut off; what is cut sums to the step.

        Parameters
        ----------
        v : array of shape (n_features,)
        step : float
        """
        ceiling = _ceiling(np.abs(v), step)
        return np.clip(v, -ceiling, ceiling)

    def prox_jacobian(self, v: Any, step: float) -> Any:
        """Return the derivative of `prox`, a matrix: those that are cut share what they become.

        Parameters
        ----------
        v : array of shape (n_features,)
        step : float
        """
        size = np.abs(v)
        ceiling = _ceiling(size, step)
        cut = size > ceiling
        found = np.diag((~cut).astype(np.float64))
        if ceiling > 0:
            signs = np.where(cut, np.sign(v), 0.0)
            found += np.outer(signs, signs) / max(1, np.count_nonzero(cut))
        return found

    def conjugate(self, a: Any) -> float:
        """Return 0 where sum |a_j| <= 1, else infinity.

        Parameters
        ----------
        a : array of shape (n_features,)
        """
        return 0.0 if float(np.sum(np.abs(a))) <= 1 else np.inf

    def shrunk(self, a: Any) -> float:
        """Return the largest factor up to 1 by which a gets a finite `conjugate`.

        Parameters
        ----------
        a : array of shape (n_features,)
        """
        return within_one(float(np.sum(np.abs(a))))


def _soft(v: Any, by: float) -> Any:
    """Return v, each part nearer to zero."""
    return np.sign(v) * np.maximum(np.abs(v) - by, 0.0)


def _ceiling(size: Any, cut: float) -> float:
    """Return where to cut sizes off so that what is cut sums to `cut`; zero if that is all."""
    if float(np.sum(size)) <= cut:
        return 0.0
    falling = np.sort(size)[::-1]
    ceilings = (np.cumsum(falling) - cut) / np.arange(1, len(size) + 1)
    above = np.flatnonzero(falling > ceilings)  # the first, but for rounding errors
    return max(float(ceilings[above[-1] if len(above) else 0]), 0.0)
