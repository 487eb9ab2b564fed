"""Losses of classes: functions of the margin m = y z, where y is -1 or +1.

The book's surrogates, each convex, and the zero-one loss that they stand for. At a kink the slope
is that of the side where the row costs something, as learning from mistakes takes it.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np

from inducer.losses.loss import Loss, entropy, within


@dataclass(frozen=True)
class MarginLoss(Loss):
    """A function of the margin alone: a subclass says it, and this turns it into one of y and z."""

    targets = "classes"

    def value(self, y: Any, z: Any) -> Any:
        """Return what the rows cost.

        Parameters
        ----------
        y : array
            -1 and +1.
        z : array
            Scores.
        """
        return self._value(np.multiply(y, z, dtype=np.float64))

    def derivative(self, y: Any, z: Any) -> Any:
        """Return the derivative by z.

        Parameters
        ----------
        y : array
            -1 and +1.
        z : array
            Scores.
        """
        return y * self._slope(np.multiply(y, z, dtype=np.float64))

    def curvature(self, y: Any, z: Any) -> Any:
        """Return the second derivative by z.

        Parameters
        ----------
        y : array
            -1 and +1.
        z : array
            Scores.
        """
        return self._curvature(np.multiply(y, z, dtype=np.float64))

    def conjugate(self, y: Any, slope: Any) -> Any:
        """Return the greatest ``slope z - value(y, z)``.

        Parameters
        ----------
        y : array
            -1 and +1.
        slope : array
            Slopes.
        """
        return self._conjugate(np.multiply(y, slope, dtype=np.float64))

    @abstractmethod
    def _value(self, m: Any) -> Any: ...

    @abstractmethod
    def _slope(self, m: Any) -> Any: ...

    @abstractmethod
    def _curvature(self, m: Any) -> Any: ...

    def _conjugate(self, s: Any) -> Any:
        raise NotImplementedError


@dataclass(frozen=True)
class ZeroOne(MarginLoss):
    """1[m <= 0]: a mistake costs one. Counted, and never minimised: it is not convex."""

    kind = "zero_one"
    bounding_scale = 1.0
    convex = False
    has_conjugate = False

    def _value(self, m: Any) -> Any:
        return np.where(m <= 0, 1.0, 0.0)

    def _slope(self, m: Any) -> Any:
        return np.zeros_like(m)

    _curvature = _slope


class _InPieces(MarginLoss):
    """With a prox in closed form."""

    def prox(self, y: Any, v: Any, step: float) -> Any:
        """Return the z of the least ``value(y, z) + (z - v)^2 / (2 step)``.

        Parameters
        ----------
        y : array
            -1 and +1.
        v : array
            Where the scores would like to be.
        step : float
            How little they mind to move.
        """
        m = np.multiply(y, v, dtype=np.float64)
        return y * (m - step * self._envelope_slope(m, step))

    def envelope_slope(self, y: Any, v: Any, step: float) -> Any:
        """Return ``(v - prox(y, v, step)) / step``, without the rounding errors of a difference.

        Parameters
        ----------
        y : array
            -1 and +1.
        v : array
            Where the scores would like to be.
        step : float
            How little they mind to move.
        """
        return y * self._envelope_slope(np.multiply(y, v, dtype=np.float64), step)

    @abstractmethod
    def _envelope_slope(self, m: Any, step: float) -> Any: ...


class _LinearPieces(_InPieces):
    """max(0, kink - m): two lines."""

    kink: float

    def _value(self, m: Any) -> Any:
        return np.maximum(0.0, self.kink - m)

    def _slope(self, m: Any) -> Any:
        return np.where(m <= self.kink, -1.0, 0.0)

    def _curvature(self, m: Any) -> Any:
        return np.zeros_like(m)

    def _conjugate(self, s: Any) -> Any:
        return within(s, -1.0, 0.0, self.kink * s)

    def _envelope_slope(self, m: Any, step: float) -> Any:
        return np.clip((m - self.kink) / step, -1.0, 0.0)


@dataclass(frozen=True)
class Perceptron(_LinearPieces):
    """max(0, -m): what the perceptron walks down.

    It is least, at zero, when all scores are zero, whatever y: minimising it teaches nothing, only
    the walk does. See `inducer.linear.Perceptron`.
    """

    kind = "perceptron"
    kink = 0.0


@dataclass(frozen=True)
class Hinge(_LinearPieces):
    """max(0, 1 - m): that of support vector machines. A margin of one costs nothing."""

    kind = "hinge"
    bounding_scale = 1.0
    kink = 1.0


class _SquaredPieces(_InPieces):
    """max(0, 1 - m)^2 above some margin, and its tangent below."""

    smooth = True
    bounding_scale = 1.0
    bend: float

    def _value(self, m: Any) -> Any:
        short = np.maximum(0.0, 1 - m)
        low = 1 - self.bend
        if math.isinf(low):
            return short * short
        near = np.minimum(short, low)
        return near * near + 2 * low * (short - near)

    def _slope(self, m: Any) -> Any:
        return -2 * np.clip(1 - m, 0.0, 1 - self.bend)

    def _curvature(self, m: Any) -> Any:
        return np.where((m < 1) & (m >= self.bend), 2.0, 0.0)

    def _conjugate(self, s: Any) -> Any:
        return within(s, -2 * (1 - self.bend), 0.0, s + s * s / 4)

    def _envelope_slope(self, m: Any, step: float) -> Any:
        return -np.clip(2 * (1 - m) / (1 + 2 * step), 0.0, 2 * (1 - self.bend))

    def probability(self, z: Any) -> Any:
        """Return the probability of the positive class: on many rows, scores become 2 P - 1.

        Parameters
        ----------
        z : array
            Scores.
        """
        return (np.clip(z, -1.0, 1.0) + 1) / 2


@dataclass(frozen=True)
class SquaredHinge(_SquaredPieces):
    """max(0, 1 - m)^2: smooth, and hard on rows that are far on the wrong side."""

    kind = "squared_hinge"
    bend = -math.inf


@dataclass(frozen=True)
class ModifiedHuber(_SquaredPieces):
    """max(0, 1 - m)^2 from m = -1 on, -4 m below: smooth, and no harder on outliers than hinge."""

    kind = "modified_huber"
    bend = -1.0


@dataclass(frozen=True)
class Logistic(MarginLoss):
    """log(1 + exp(-m)): the negative log likelihood of logistic regression.

    In natural logarithms; the book's is this divided by log 2, so that it is one at m = 0 and
    bounds the zero-one loss.
    """

    kind = "logistic"
    smooth = True
    attained = False
    bounding_scale = 1 / math.log(2)

    def _value(self, m: Any) -> Any:
        return np.maximum(0.0, -m) + np.log1p(np.exp(-np.abs(m)))

    def _slope(self, m: Any) -> Any:
        e = np.exp(-np.abs(m))
        return -np.where(m > 0, e, 1.0) / (1 + e)

    def _curvature(self, m: Any) -> Any:
        e = np.exp(-np.abs(m))
        return e / ((1 + e) * (1 + e))

    def _conjugate(self, s: Any) -> Any:
        return entropy(-s) + entropy(1 + s)

    def probability(self, z: Any) -> Any:
        """Return the probability of the positive class, 1 / (1 + exp(-z)).

        Parameters
        ----------
        z : array
            Scores.
        """
        e = np.exp(-np.abs(z))
        return np.where(z > 0, np.ones_like(e), e) / (1 + e)


@dataclass(frozen=True)
class Exponential(MarginLoss):
    """exp(-m): that of boosting. One row far on the wrong side outweighs all others."""

    kind = "exponential"
    smooth = True
    attained = False
    bounding_scale = 1.0

    def _value(self, m: Any) -> Any:
        with np.errstate(over="ignore"):
            return np.exp(-m)

    def _slope(self, m: Any) -> Any:
        return -self._value(m)

    _curvature = _value

    def _conjugate(self, s: Any) -> Any:
        return entropy(-s) + s

    def probability(self, z: Any) -> Any:
        """Return the probability of the positive class: scores are half its log odds.

        Parameters
        ----------
        z : array
            Scores.
        """
        return Logistic().probability(2 * z)
