"""Losses of counts and amounts: the score is the logarithm of the mean.

Half deviances, less what does not depend on the score, so that they may be negative.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from inducer.base.errors import ParameterError
from inducer.losses.loss import Loss, entropy


class _LogMean(Loss):
    smooth = True
    attained = False

    def mean(self, z: Any) -> Any:
        """Return the mean that a score stands for, exp(z).

        Parameters
        ----------
        z : array
            Scores.
        """
        with np.errstate(over="ignore"):
            return np.exp(z)


@dataclass(frozen=True)
class Tweedie(_LogMean):
    """exp((2-p) z) / (2-p) - y exp((1-p) z) / (1-p), for amounts of which many are zero.

    The power p says how the variance grows with the mean: mean^p. At p = 1 it is `Poisson`, at
    p = 2 `Gamma`. Only powers from 1 to 2 are convex in z.

    Parameters
    ----------
    power : float, default=1.5
        Power of the mean that the variance grows with.
    """

    power: float = 1.5
    kind = "tweedie"
    targets = "counts"

    def __post_init__(self) -> None:
        if not 1 <= self.power <= 2:
            raise ParameterError(
                "power of Tweedie must be between 1 (counts) and 2 (amounts): others are not "
                f"convex in the logarithm of the mean. Got {self.power!r}."
            )
        if self.power == 2:  # log y is there
            object.__setattr__(self, "targets", "positive")

    @property
    def parameter(self) -> float:
        """The power."""
        return float(self.power)

    def value(self, y: Any, z: Any) -> Any:
        """Return what the rows cost.

        Parameters
        ----------
        y : array
            Amounts.
        z : array
            Logarithms of means.
        """
        a, b = 2 - self.power, 1 - self.power
        z = np.asarray(z, np.float64)
        with np.errstate(over="ignore", invalid="ignore"):
            high = np.exp(a * z) / a if a != 0 else z
            low = times(y, np.exp(b * z)) / b if b != 0 else times(y, z)
            return np.where(np.isposinf(high), high, high - low)

    def derivative(self, y: Any, z: Any) -> Any:
        """Return the derivative by z.

        Parameters
        ----------
        y : array
            Amounts.
        z : array
            Logarithms of means.
        """
        z = np.asarray(z, np.float64)
        with np.errstate(over="ignore", invalid="ignore"):
            return np.exp((2 - self.power) * z) - times(y, np.exp((1 - self.power) * z))

    def curvature(self, y: Any, z: Any) -> Any:
        """Return the second derivative by z.

        Parameters
        ----------
        y : array
            Amounts.
        z : array
            Logarithms of means.
        """
        a, b = 2 - self.power, 1 - self.power
        z = np.asarray(z, np.float64)
        with np.errstate(over="ignore", invalid="ignore"):
            return times(a, np.exp(a * z)) - times(b * np.asarray(y), np.exp(b * z))


@dataclass(frozen=True)
class Poisson(_LogMean):
    """exp(z) - y z: the negative log likelihood of counts."""

    kind = "poisson"
    targets = "counts"

    def value(self, y: Any, z: Any) -> Any:
        """Return what the rows cost.

        Parameters
        ----------
        y : array
            Counts.
        z : array
            Logarithms of means.
        """
        return Tweedie(1.0).value(y, z)

    def derivative(self, y: Any, z: Any) -> Any:
        """Return the derivative by z.

        Parameters
        ----------
        y : array
            Counts.
        z : array
            Logarithms of means.
        """
        with np.errstate(over="ignore"):
            return np.exp(np.asarray(z, np.float64)) - y

    def curvature(self, y: Any, z: Any) -> Any:
        """Return the second derivative by z.

        Parameters
        ----------
        y : array
            Counts.
        z : array
            Logarithms of means.
        """
        with np.errstate(over="ignore"):
            return np.exp(np.asarray(z, np.float64)) + 0.0 * np.asarray(y)

    def conjugate(self, y: Any, slope: Any) -> Any:
        """Return the greatest ``slope z - value(y, z)``.

        Parameters
        ----------
        y : array
            Counts.
        slope : array
            Slopes.
        """
        total = np.asarray(slope, np.float64) + y
        return entropy(total) - total


@dataclass(frozen=True)
class Gamma(_LogMean):
    """z + y exp(-z): for amounts above zero whose spread grows with their mean."""

    kind = "gamma"
    targets = "positive"

    def value(self, y: Any, z: Any) -> Any:
        """Return what the rows cost.

        Parameters
        ----------
        y : array
            Amounts.
        z : array
            Logarithms of means.
        """
        with np.errstate(over="ignore", invalid="ignore"):
            return z + times(y, np.exp(-np.asarray(z, np.float64)))

    def derivative(self, y: Any, z: Any) -> Any:
        """Return the derivative by z.

        Parameters
        ----------
        y : array
            Amounts.
        z : array
            Logarithms of means.
        """
        return 1 - self.curvature(y, z)

    def curvature(self, y: Any, z: Any) -> Any:
        """Return the second derivative by z.

        Parameters
        ----------
        y : array
            Amounts.
        z : array
            Logarithms of means.
        """
        with np.errstate(over="ignore", invalid="ignore"):
            return times(y, np.exp(-np.asarray(z, np.float64)))

    def conjugate(self, y: Any, slope: Any) -> Any:
        """Return the greatest ``slope z - value(y, z)``.

        Parameters
        ----------
        y : array
            Amounts.
        slope : array
            Slopes.
        """
        rest = 1 - np.asarray(slope, np.float64)
        return entropy(rest) - rest * (np.log(y) + 1)


def times(y: Any, e: Any) -> Any:
    """Return the product, zero where y is, be e infinite."""
    return np.where(np.equal(y, 0), 0.0, np.multiply(y, e))
