"""How near a descent must be: the theorems as functions."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from inducer.base.errors import InputError
from inducer.optimize import _checks


def descent_bound(distance: float, rate: float, iterations: Any) -> NDArray[np.float64]:
    r"""Return how far above the minimum gradient descent can be after some steps.

    .. math:: f(x_k) - f(x^*) \le \frac{\|x_0 - x^*\|^2}{2 \eta k}

    for a convex f with a curvature of at most L and a fixed rate :math:`\eta \le 1/L`. Strong
    convexity is not needed. The book's theorem has :math:`2 \|x_0 - x^*\|^2 / (\eta k)`, which is
    true too, and four times as large. Either says that an error of 1e-4 takes some 1e4 steps, and
    not the one thousand of the book's example, where constants are about 1.

    Parameters
    ----------
    distance : float
        Distance of the starting point from a minimum.
    rate : float
        The fixed rate.
    iterations : int or array of int
        Steps made, at least 1.

    Returns
    -------
    array
        The bound for each entry of `iterations`.

    References
    ----------
    H. Daumé III: A Course in Machine Learning (0.99), theorem 8.

    Examples
    --------
    >>> from inducer.optimize import descent_bound
    >>> descent_bound(distance=2.0, rate=0.5, iterations=[1, 10]).tolist()
    [4.0, 0.4]
    >>> descent_bound(distance=1.0, rate=0.5, iterations=10_000).item()
    0.0001
    """
    steps = np.asarray(iterations, dtype=np.float64)
    if not np.all(steps >= 1):
        raise InputError("descent_bound: iterations must be at least 1.")
    radius = _checks.tolerance("descent_bound", "distance", distance) or 0.0
    return np.asarray(radius**2 / (2 * _checks.positive("descent_bound", "rate", rate) * steps))


def subgradient_bound(distance: float, slopes: Any, rates: Any) -> NDArray[np.float64]:
    r"""Return how far above the minimum the best point of a subgradient descent can be.

    .. math::

        \min_{i < k} f(x_i) - f(x^*) \le
        \frac{\|x_0 - x^*\|^2 + \sum_{i \le k} \eta_i^2 \|g_i\|^2}{2 \sum_{i \le k} \eta_i}

    for a convex f. With a fixed rate it ends at :math:`\eta G^2 / 2`; it falls to zero when the
    rates do, and their sum does not end.

    Parameters
    ----------
    distance : float
        Distance of the starting point from a minimum.
    slopes : float or array of shape (k,)
        The norms of the subgradients, or a number G that none exceeds.
    rates : array of shape (k,)
        The rates of the steps.

    Returns
    -------
    array of shape (k,)
        Entry k - 1 bounds the best of the points before step k.

    Examples
    --------
    >>> from inducer.optimize import subgradient_bound
    >>> subgradient_bound(distance=1.0, slopes=1.0, rates=[1.0, 0.5, 0.5]).tolist()
    [1.0, 0.75, 0.625]
    """
    eta = np.asarray(rates, dtype=np.float64)
    G = np.asarray(slopes, dtype=np.float64)
    if eta.ndim != 1 or not np.all(eta > 0):
        raise InputError("subgradient_bound: rates must be an array of positive numbers.")
    if G.ndim and G.shape != eta.shape:
        raise InputError(
            f"subgradient_bound: there are {G.size} slopes and {eta.size} rates. Give one of each "
            "for every step: of a trace, gradient_norms[:-1] and rates."
        )
    radius = _checks.tolerance("subgradient_bound", "distance", distance) or 0.0
    return np.asarray((radius**2 + np.cumsum(eta**2 * G**2)) / (2 * np.cumsum(eta)))
