"""Squares, absolute values, and both: the penalties that nearly every fit takes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from inducer.penalties.penalty import Penalty, require, soft, within_one


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
        return soft(v, step)

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
        return soft(v, step * self.l1_ratio) / (1 + step * (1 - self.l1_ratio))

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
