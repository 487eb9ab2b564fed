"""Losses of numbers: functions of the residual r = z - y. At a kink inside, the slope is zero."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np

from inducer.base.errors import ParameterError
from inducer.losses.loss import Loss, within


@dataclass(frozen=True)
class ResidualLoss(Loss):
    """A function of the residual alone: a subclass says it, and this makes it one of y and z."""

    def value(self, y: Any, z: Any) -> Any:
        """Return what the rows cost.

        Parameters
        ----------
        y : array
            Targets.
        z : array
            Scores.
        """
        with np.errstate(over="ignore"):
            return self._value(np.subtract(z, y, dtype=np.float64))

    def derivative(self, y: Any, z: Any) -> Any:
        """Return the derivative by z.

        Parameters
        ----------
        y : array
            Targets.
        z : array
            Scores.
        """
        with np.errstate(over="ignore"):
            return self._slope(np.subtract(z, y, dtype=np.float64))

    def curvature(self, y: Any, z: Any) -> Any:
        """Return the second derivative by z.

        Parameters
        ----------
        y : array
            Targets.
        z : array
            Scores.
        """
        with np.errstate(over="ignore"):
            return self._curvature(np.subtract(z, y, dtype=np.float64))

    def prox(self, y: Any, v: Any, step: float) -> Any:
        """Return the z of the least ``value(y, z) + (z - v)^2 / (2 step)``.

        Parameters
        ----------
        y : array
            Targets.
        v : array
            Where the scores would like to be.
        step : float
            How little they mind to move.
        """
        r = np.subtract(v, y, dtype=np.float64)
        return y + (r - step * self._envelope_slope(r, step))

    def envelope_slope(self, y: Any, v: Any, step: float) -> Any:
        """Return ``(v - prox(y, v, step)) / step``, without the rounding errors of a difference.

        Parameters
        ----------
        y : array
            Targets.
        v : array
            Where the scores would like to be.
        step : float
            How little they mind to move.
        """
        return self._envelope_slope(np.subtract(v, y, dtype=np.float64), step)

    def conjugate(self, y: Any, slope: Any) -> Any:
        """Return the greatest ``slope z - value(y, z)``.

        Parameters
        ----------
        y : array
            Targets.
        slope : array
            Slopes.
        """
        with np.errstate(invalid="ignore"):
            return slope * y + self._conjugate(np.asarray(slope, np.float64))

    @abstractmethod
    def _value(self, r: Any) -> Any: ...

    @abstractmethod
    def _slope(self, r: Any) -> Any: ...

    @abstractmethod
    def _curvature(self, r: Any) -> Any: ...

    @abstractmethod
    def _envelope_slope(self, r: Any, step: float) -> Any: ...

    @abstractmethod
    def _conjugate(self, s: Any) -> Any: ...


@dataclass(frozen=True)
class Squared(ResidualLoss):
    """r^2, without a half: least at the mean.

    For classes it is (1 - m)^2, which bounds the zero-one loss and also punishes margins above one.
    """

    kind = "squared"
    smooth = True
    bounding_scale = 1.0

    def _value(self, r: Any) -> Any:
        return r * r

    def _slope(self, r: Any) -> Any:
        return 2 * r

    def _curvature(self, r: Any) -> Any:
        return np.full_like(r, 2.0)

    def _envelope_slope(self, r: Any, step: float) -> Any:
        return 2 * r / (1 + 2 * step)

    def _conjugate(self, s: Any) -> Any:
        return s * s / 4

    def probability(self, z: Any) -> Any:
        """Return the probability of the positive class: on many rows, scores become 2 P - 1.

        Parameters
        ----------
        z : array
            Scores.
        """
        return (np.clip(z, -1.0, 1.0) + 1) / 2


class _Epsilon(ResidualLoss):
    epsilon: float

    def __post_init__(self) -> None:
        _require(self, "epsilon", 0 <= self.epsilon < np.inf, "at least 0")

    @property
    def parameter(self) -> float:
        """Epsilon."""
        return float(self.epsilon)

    def _over(self, r: Any) -> Any:
        return np.maximum(0.0, np.abs(r) - self.epsilon)


class _Flat(ResidualLoss):
    """Without curvature."""

    def _curvature(self, r: Any) -> Any:
        return np.zeros_like(r)


@dataclass(frozen=True)
class Absolute(_Flat):
    """|r|: least at the median, and calm about outliers."""

    kind = "absolute"

    def _value(self, r: Any) -> Any:
        return np.abs(r)

    def _slope(self, r: Any) -> Any:
        return np.sign(r)

    def _envelope_slope(self, r: Any, step: float) -> Any:
        return np.clip(r / step, -1.0, 1.0)

    def _conjugate(self, s: Any) -> Any:
        return within(s, -1.0, 1.0, 0.0)


@dataclass(frozen=True)
class Huber(ResidualLoss):
    """r^2 / 2 where |r| <= delta, delta |r| - delta^2 / 2 beyond: squared near, absolute far.

    Parameters
    ----------
    delta : float, default=1.35
        Where the one becomes the other.
    """

    delta: float = 1.35
    kind = "huber"
    smooth = True

    def __post_init__(self) -> None:
        _require(self, "delta", 0 < self.delta < np.inf, "above 0")

    @property
    def parameter(self) -> float:
        """Delta."""
        return float(self.delta)

    def _value(self, r: Any) -> Any:
        size = np.abs(r)
        near = np.minimum(size, self.delta)
        return near * near / 2 + self.delta * (size - near)

    def _slope(self, r: Any) -> Any:
        return np.clip(r, -self.delta, self.delta)

    def _curvature(self, r: Any) -> Any:
        return np.where(np.abs(r) <= self.delta, 1.0, 0.0)

    def _envelope_slope(self, r: Any, step: float) -> Any:
        return np.clip(r / (1 + step), -self.delta, self.delta)

    def _conjugate(self, s: Any) -> Any:
        return within(s, -self.delta, self.delta, s * s / 2)


@dataclass(frozen=True)
class EpsilonInsensitive(_Epsilon, _Flat):
    """max(0, |r| - epsilon): that of support vector regression. A miss by epsilon is none.

    Parameters
    ----------
    epsilon : float, default=0.1
        What may be missed for nothing.
    """

    epsilon: float = 0.1
    kind = "epsilon_insensitive"

    def _value(self, r: Any) -> Any:
        return self._over(r)

    def _slope(self, r: Any) -> Any:
        return np.where(np.abs(r) > self.epsilon, np.sign(r), 0.0)

    def _envelope_slope(self, r: Any, step: float) -> Any:
        return np.sign(r) * np.minimum(self._over(r) / step, 1.0)

    def _conjugate(self, s: Any) -> Any:
        return within(s, -1.0, 1.0, self.epsilon * np.abs(s))


@dataclass(frozen=True)
class SquaredEpsilonInsensitive(_Epsilon):
    """max(0, |r| - epsilon)^2: smooth.

    Parameters
    ----------
    epsilon : float, default=0.1
        What may be missed for nothing.
    """

    epsilon: float = 0.1
    kind = "squared_epsilon_insensitive"
    smooth = True

    def _value(self, r: Any) -> Any:
        over = self._over(r)
        return over * over

    def _slope(self, r: Any) -> Any:
        return 2 * np.sign(r) * self._over(r)

    def _curvature(self, r: Any) -> Any:
        return np.where(np.abs(r) > self.epsilon, 2.0, 0.0)

    def _envelope_slope(self, r: Any, step: float) -> Any:
        return np.sign(r) * self._over(r) * (2 / (1 + 2 * step))

    def _conjugate(self, s: Any) -> Any:
        return self.epsilon * np.abs(s) + s * s / 4


@dataclass(frozen=True)
class Quantile(_Flat):
    """q (y - z) where z < y, (1 - q) (z - y) beyond: least at the q-quantile.

    Parameters
    ----------
    q : float, default=0.5
        Which quantile.
    """

    q: float = 0.5
    kind = "quantile"

    def __post_init__(self) -> None:
        _require(self, "q", 0 < self.q < 1, "between 0 and 1")

    @property
    def parameter(self) -> float:
        """Which quantile."""
        return float(self.q)

    def _value(self, r: Any) -> Any:
        return np.where(r < 0, -self.q * r, (1 - self.q) * r)

    def _slope(self, r: Any) -> Any:
        return np.where(r < 0, -self.q, np.where(r > 0, 1 - self.q, 0.0))

    def _envelope_slope(self, r: Any, step: float) -> Any:
        return np.clip(r / step, -self.q, 1 - self.q)

    def _conjugate(self, s: Any) -> Any:
        return within(s, -self.q, 1 - self.q, 0.0)


def _require(loss: Loss, name: str, holds: bool, words: str) -> None:
    if not holds:
        got = getattr(loss, name)
        raise ParameterError(f"{name} of {type(loss).__name__} must be {words}. Got {got!r}.")
