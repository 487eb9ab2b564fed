"""What every penalty is."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from inducer.base.errors import ParameterError
from inducer.base.part import Part

Vector = NDArray[np.float64]


@dataclass(frozen=True)
class Penalty(Part, ABC):
    """What weights w cost: a convex function, least at zero, that a fit adds to the loss.

    A penalty of your own says `value` and `gradient`, and whether it is smooth. With `curvature`
    it can be minimised by Newton's method, with `prox` by proximal steps.

    Attributes
    ----------
    smooth : bool
        Whether the gradient is continuous, and its own derivative finite.

    See Also
    --------
    inducer.linear.LinearClassifier, inducer.linear.LinearRegressor

    References
    ----------
    Daumé, A Course in Machine Learning, section 7.3.

    Examples
    --------
    >>> import numpy as np
    >>> from inducer.penalties import Penalty
    >>> class Fourth(Penalty):
    ...     smooth = True
    ...     def value(self, w):
    ...         return float(np.sum(w**4))
    ...     def gradient(self, w):
    ...         return 4 * w**3
    >>> Fourth().gradient(np.array([1.0, 2.0]))
    array([ 4., 32.])
    """

    smooth: ClassVar[bool] = False
    name: ClassVar[str | None] = None

    @abstractmethod
    def value(self, w: Any) -> float:
        """Return what the weights cost.

        Parameters
        ----------
        w : array of shape (n_features,)
        """

    @abstractmethod
    def gradient(self, w: Any) -> Any:
        """Return the gradient; at a kink, a subgradient: zero if that is one.

        Parameters
        ----------
        w : array of shape (n_features,)
        """

    def curvature(self, w: Any) -> Any:
        """Return the second derivatives: the diagonal of the Hessian if it has no more, or all.

        Parameters
        ----------
        w : array of shape (n_features,)
        """
        raise NotImplementedError

    def prox(self, v: Any, step: float) -> Any:
        """Return the w of the least ``value(w) + |w - v|^2 / (2 step)``.

        Parameters
        ----------
        v : array of shape (n_features,)
            Where the weights would like to be.
        step : float
            How little they mind to move.
        """
        raise NotImplementedError

    def envelope_gradient(self, v: Any, step: float) -> Any:
        """Return ``(v - prox(v, step)) / step``, the gradient of what `prox` finds the least of.

        Parameters
        ----------
        v : array of shape (n_features,)
            Where the weights would like to be.
        step : float
            How little they mind to move.
        """
        return (v - self.prox(v, step)) / step

    def prox_jacobian(self, v: Any, step: float) -> Any:
        """Return the derivative of `prox` by v: the diagonal if it has no more, or all of it.

        Parameters
        ----------
        v : array of shape (n_features,)
            Where the weights would like to be.
        step : float
            How little they mind to move.
        """
        raise NotImplementedError

    def conjugate(self, a: Any) -> float:
        """Return the greatest ``a.w - value(w)`` over all w, infinite where there is none.

        Parameters
        ----------
        a : array of shape (n_features,)
        """
        raise NotImplementedError

    def shrunk(self, a: Any) -> float:
        """Return the largest factor up to 1 by which a gets a finite `conjugate`.

        Parameters
        ----------
        a : array of shape (n_features,)
        """
        return 1.0 if np.isfinite(self.conjugate(a)) else 0.0

    def check(self, features: int) -> None:
        """Refuse a number of features that the penalty does not fit.

        Parameters
        ----------
        features : int
        """

    def has(self, method: str) -> bool:
        """Return whether an optional method is there.

        Parameters
        ----------
        method : {"curvature", "prox", "prox_jacobian", "conjugate"}
        """
        return getattr(type(self), method) is not getattr(Penalty, method)


def require(penalty: Penalty, name: str, holds: bool, words: str) -> None:
    """Refuse a parameter."""
    if not holds:
        got = getattr(penalty, name)
        raise ParameterError(f"{name} of {type(penalty).__name__} must be {words}. Got {got!r}.")


def within_one(size: float) -> float:
    """Return the factor that brings a size down to one, if it is above.

    A little below one: a sum that is taken again must not come out above by a rounding error.
    """
    return 1.0 if size <= 1 else (1 - 1e-15) / size


def soft(v: Any, by: float) -> Any:
    """Return v, each part nearer to zero."""
    return np.sign(v) * np.maximum(np.abs(v) - by, 0.0)
