"""What every loss is."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from inducer.base.part import Part

Vector = NDArray[np.float64]
Targets = Literal["classes", "numbers", "counts", "positive"]

_HALVINGS = 200  # more than the bits of a float64 and of its exponent's range that matter
_LARGEST = float(np.finfo(np.float64).max)


@dataclass(frozen=True)
class Loss(Part, ABC):
    """What a row costs, given its target y and its score z: a convex function of z.

    A loss of your own says `value` and `derivative`, and whether it is smooth; all that is asked
    for besides follows from these, only more slowly. Where y are classes, they come as -1 and +1,
    and every function takes arrays and works cell by cell.

    Attributes
    ----------
    targets : {"classes", "numbers", "counts", "positive"}
        What y may be: -1 and +1, any number, y >= 0, or y > 0.
    smooth : bool
        Whether the derivative is continuous.
    attained : bool
        Whether the loss of a row is least at some z; that of the logistic loss only falls.
    bounding_scale : float or None
        The factor that makes the loss an upper bound of the zero-one loss: 1 / log 2 for the
        logistic loss, None where no factor does.
    kind : str or None
        The name of the C++ twin, None for a loss of your own.

    See Also
    --------
    inducer.linear.LinearClassifier : Minimises losses of classes.
    inducer.linear.LinearRegressor : Minimises the others.

    References
    ----------
    Daumé, A Course in Machine Learning, section 7.2.

    Examples
    --------
    >>> import numpy as np
    >>> from inducer.losses import Loss
    >>> class Fourth(Loss):
    ...     targets = "numbers"
    ...     smooth = True
    ...     def value(self, y, z):
    ...         return (z - y) ** 4
    ...     def derivative(self, y, z):
    ...         return 4 * (z - y) ** 3
    >>> Fourth().curvature(np.zeros(2), np.array([1.0, 2.0])).round(3)
    array([12., 48.])
    """

    targets: ClassVar[Targets] = "numbers"
    smooth: ClassVar[bool] = False
    convex: ClassVar[bool] = True
    attained: ClassVar[bool] = True
    bounding_scale: ClassVar[float | None] = None
    kind: ClassVar[str | None] = None

    @abstractmethod
    def value(self, y: Any, z: Any) -> Any:
        """Return what the rows cost.

        Parameters
        ----------
        y : array
            Targets.
        z : array
            Scores.
        """

    @abstractmethod
    def derivative(self, y: Any, z: Any) -> Any:
        """Return the derivative of the value by z; at a kink any slope between the sides'.

        Parameters
        ----------
        y : array
            Targets.
        z : array
            Scores.
        """

    def curvature(self, y: Any, z: Any) -> Any:
        """Return the second derivative; here by differences of the first.

        Parameters
        ----------
        y : array
            Targets.
        z : array
            Scores.
        """
        z = np.asarray(z, np.float64)
        h = 1e-5 * np.maximum(1.0, np.abs(z))
        rise = self.derivative(y, z + h) - self.derivative(y, z - h)
        return np.maximum(rise / (2 * h), 0.0)

    def prox(self, y: Any, v: Any, step: float) -> Any:
        """Return the z of the least ``value(y, z) + (z - v)^2 / (2 step)``.

        Here by halving: the derivative rises, so the answer lies between v and the step that
        the derivative at v asks for.

        Parameters
        ----------
        y : array
            Targets.
        v : array
            Where the scores would like to be.
        step : float
            How little they mind to move.
        """
        y, v = np.broadcast_arrays(np.asarray(y, np.float64), np.asarray(v, np.float64))
        with np.errstate(over="ignore", invalid="ignore"):
            far = np.clip(v - step * self.derivative(y, v), -_LARGEST, _LARGEST)
            low, high = np.minimum(v, far), np.maximum(v, far)
            for _ in range(_HALVINGS):
                middle = low / 2 + high / 2
                too_high = (middle - v) / step + self.derivative(y, middle) > 0
                low, high = np.where(too_high, low, middle), np.where(too_high, middle, high)
                if np.all(high - low <= 1e-16 * (np.abs(low) + np.abs(high))):
                    break
        return low / 2 + high / 2

    def envelope_slope(self, y: Any, v: Any, step: float) -> Any:
        """Return ``(v - prox(y, v, step)) / step``, the slope of what `prox` finds the least of.

        Parameters
        ----------
        y : array
            Targets.
        v : array
            Where the scores would like to be.
        step : float
            How little they mind to move.
        """
        return (v - self.prox(y, v, step)) / step

    def conjugate(self, y: Any, slope: Any) -> Any:
        """Return the greatest ``slope z - value(y, z)`` over all z, infinite where there is none.

        Duality gaps are made of it. A loss of your own need not have it.

        Parameters
        ----------
        y : array
            Targets.
        slope : array
            Slopes.
        """
        raise NotImplementedError

    def mean(self, z: Any) -> Any:
        """Return what a score predicts: the score itself, unless it is a logarithm.

        Parameters
        ----------
        z : array
            Scores.
        """
        return z

    @property
    def bounds_zero_one(self) -> bool:
        """Whether ``bounding_scale`` times the loss is never below the zero-one loss."""
        return self.bounding_scale is not None

    @property
    def parameter(self) -> float:
        """The number that tells losses of one kind apart, as the C++ twin takes it."""
        return 0.0

    @property
    def has_conjugate(self) -> bool:
        """Whether `conjugate` is there."""
        return type(self).conjugate is not Loss.conjugate

    @property
    def has_probability(self) -> bool:
        """Whether a score means a probability of the positive class: `probability` is there."""
        return hasattr(self, "probability")

    def start(self, y: ArrayLike, weights: ArrayLike) -> float:
        """Return a score for all rows that is no bad place to start from.

        Parameters
        ----------
        y : array
            Targets.
        weights : array
            Factors of the rows, of sum one.
        """
        if self.targets == "classes":
            return 0.0
        mean = float(np.dot(weights, y))
        return mean if self.targets == "numbers" else math.log(max(mean, 1e-300))


def entropy(p: Any) -> Any:
    """Return ``p log p``, zero at zero and infinite below."""
    p = np.asarray(p, np.float64)
    inside = np.where(p > 0, p, 1.0)
    return np.where(p < 0, np.inf, np.where(p > 0, p * np.log(inside), 0.0))


def within(slope: Any, low: Any, high: Any, values: Any) -> Any:
    """Return values where the slope lies in an interval, infinity elsewhere."""
    return np.where((slope >= low) & (slope <= high), values, np.inf)
