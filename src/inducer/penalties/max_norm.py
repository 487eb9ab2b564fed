"""The largest of the weights."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from inducer.penalties.penalty import Penalty, within_one


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


def _ceiling(size: Any, cut: float) -> float:
    """Return where to cut sizes off so that what is cut sums to `cut`; zero if that is all."""
    if float(np.sum(size)) <= cut:
        return 0.0
    falling = np.sort(size)[::-1]
    ceilings = (np.cumsum(falling) - cut) / np.arange(1, len(size) + 1)
    above = np.flatnonzero(falling > ceilings)  # the first, but for rounding errors
    return max(float(ceilings[above[-1] if len(above) else 0]), 0.0)
