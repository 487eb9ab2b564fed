"""Penalties that know something about the features."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from inducer.base.errors import ParameterError
from inducer.penalties.penalty import Penalty, require


@dataclass(frozen=True)
class Symmetry(Penalty):
    """1/2 sum (w_i - w_j)^2 over pairs of features that ought to mean the same.

    The left eye and the right one, a picture and its mirror image: the penalty ties their weights
    together and leaves their sizes alone. `rest` shrinks all weights a little besides, so that
    the answer is one.

    Parameters
    ----------
    pairs : sequence of pairs of int
        Columns that are tied.
    rest : float, default=0.0
        Factor of 1/2 |w|^2, added.

    Examples
    --------
    >>> import numpy as np
    >>> from inducer.penalties import Symmetry
    >>> Symmetry([(0, 1)]).value(np.array([2.0, 1.0, 5.0]))
    0.5
    """

    pairs: Sequence[tuple[int, int]]
    rest: float = 0.0
    name = "symmetry"
    smooth = True

    def __post_init__(self) -> None:
        try:
            pairs = tuple((int(i), int(j)) for i, j in self.pairs)
        except (TypeError, ValueError):
            raise ParameterError(
                f"pairs of Symmetry must be pairs of columns. Got {self.pairs!r:.200}."
            ) from None
        object.__setattr__(self, "pairs", pairs)
        require(self, "pairs", all(min(pair) >= 0 for pair in pairs), "columns counted from 0")
        require(self, "rest", 0 <= self.rest < np.inf, "at least 0")

    def check(self, features: int) -> None:
        """Refuse pairs of columns that are not there.

        Parameters
        ----------
        features : int
        """
        for pair in self.pairs:
            if max(pair) >= features:
                raise ParameterError(
                    f"Symmetry ties the columns {pair}, but X has {features} columns."
                )

    def value(self, w: Any) -> float:
        """Return what the weights cost.

        Parameters
        ----------
        w : array of shape (n_features,)
        """
        apart = self._apart(w)
        return float(np.dot(apart, apart) + self.rest * np.dot(w, w)) / 2

    def gradient(self, w: Any) -> Any:
        """Return the gradient.

        Parameters
        ----------
        w : array of shape (n_features,)
        """
        found, apart = self.rest * w, self._apart(w)
        left, right = self._sides()
        np.add.at(found, left, apart)
        np.subtract.at(found, right, apart)
        return found

    def curvature(self, w: Any) -> Any:
        """Return the Hessian: that of a graph whose edges are the pairs.

        Parameters
        ----------
        w : array of shape (n_features,)
        """
        found = self.rest * np.eye(len(w))
        left, right = self._sides()
        np.add.at(found, (left, left), 1.0)
        np.add.at(found, (right, right), 1.0)
        np.subtract.at(found, (left, right), 1.0)
        np.subtract.at(found, (right, left), 1.0)
        return found

    def prox(self, v: Any, step: float) -> Any:
        """Return v with tied parts nearer to each other.

        Parameters
        ----------
        v : array of shape (n_features,)
        step : float
        """
        return np.linalg.solve(np.eye(len(v)) + step * self.curvature(v), v)

    def conjugate(self, a: Any) -> float:
        """Return 1/2 a.x where the Hessian times x is a; infinite where there is no such x.

        Parameters
        ----------
        a : array of shape (n_features,)
        """
        hessian = self.curvature(a)
        x = np.linalg.lstsq(hessian, a, rcond=None)[0]
        missed = np.max(np.abs(hessian @ x - a), initial=0.0)
        if missed > 1e-12 * np.max(np.abs(a), initial=0.0):
            return np.inf
        return float(a @ x) / 2

    def _sides(self) -> Any:
        return np.array(self.pairs, np.intp).reshape(-1, 2).T

    def _apart(self, w: Any) -> Any:
        left, right = self._sides()
        return w[left] - w[right]


@dataclass(frozen=True)
class LowOrder(Penalty):
    """1/2 sum factor_j w_j^2: heavier for features of higher order, such as x^3 beside x.

    Parameters
    ----------
    factors : sequence of float
        One a feature, at least 0: for polynomials, 2 or 10 to the power of their degree.

    Examples
    --------
    >>> import numpy as np
    >>> from inducer.penalties import LowOrder
    >>> LowOrder([1, 10, 100]).value(np.ones(3))
    55.5
    """

    factors: Sequence[float]
    name = "low_order"
    smooth = True

    def __post_init__(self) -> None:
        try:
            factors = tuple(float(factor) for factor in self.factors)
        except (TypeError, ValueError):
            raise ParameterError(
                f"factors of LowOrder must be numbers. Got {self.factors!r:.200}."
            ) from None
        object.__setattr__(self, "factors", factors)
        require(self, "factors", all(0 <= f < np.inf for f in factors), "at least 0")

    def check(self, features: int) -> None:
        """Refuse a number of factors that is not that of the features.

        Parameters
        ----------
        features : int
        """
        if len(self.factors) != features:
            raise ParameterError(
                f"LowOrder has {len(self.factors)} factors, but X has {features} columns."
            )

    def value(self, w: Any) -> float:
        """Return what the weights cost.

        Parameters
        ----------
        w : array of shape (n_features,)
        """
        return float(np.dot(self.factors, np.square(w))) / 2

    def gradient(self, w: Any) -> Any:
        """Return the gradient.

        Parameters
        ----------
        w : array of shape (n_features,)
        """
        return np.multiply(self.factors, w)

    def curvature(self, w: Any) -> Any:  # noqa: ARG002 (it is the same everywhere)
        """Return the factors.

        Parameters
        ----------
        w : array of shape (n_features,)
        """
        return np.array(self.factors)

    def prox(self, v: Any, step: float) -> Any:
        """Return v, shorter.

        Parameters
        ----------
        v : array of shape (n_features,)
        step : float
        """
        return v / (1 + step * np.array(self.factors))

    def conjugate(self, a: Any) -> float:
        """Return 1/2 sum a_j^2 / factor_j; infinite where a factor is zero and a_j is not.

        Parameters
        ----------
        a : array of shape (n_features,)
        """
        factors = np.array(self.factors)
        if np.any((factors == 0) & (a != 0)):
            return np.inf
        return float(np.sum(np.square(a) / np.where(factors == 0, 1.0, factors))) / 2
