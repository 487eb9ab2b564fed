"""Blobs: Gaussian clusters, one a class."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from inducer.base.errors import ParameterError
from inducer.base.params import ArrayLike as Array
from inducer.base.params import Int, Real, Seed
from inducer.datasets._result import checked, deal, generator, of_numbers


@checked(
    n_samples=Int(1),
    n_features=Int(1),
    centers=Int(1) | Array(),
    spread=Real(0) | Array(),
    weights=Array() | None,
    random_state=Seed(),
)
def blobs(
    n_samples: int = 100,
    *,
    n_features: int = 2,
    centers: int | ArrayLike = 2,
    spread: float | ArrayLike = 1.0,
    weights: ArrayLike | None = None,
    random_state: Any = None,
    return_X_y: bool = False,
) -> Any:
    """Return round clouds of normally distributed points, one cloud a class.

    Parameters
    ----------
    n_samples : int
        Number of points.
    n_features : int
        Number of dimensions, where the centres are not given.
    centers : int or array of shape (n_classes, n_features)
        How many centres to draw, evenly from -10 to 10 in each dimension; or the centres.
    spread : float or array of shape (n_classes,)
        Standard deviation of the clouds in each dimension.
    weights : array of shape (n_classes,), optional
        Probability of each class. Left out: as many points of each class as can be.
    random_state : int, Generator, RandomState or None
        Where the random numbers start: the same integer gives the same points.
    return_X_y : bool
        Return only the points and their classes.

    Returns
    -------
    Bunch or pair
        The Bunch also has the ``centers``.

    Examples
    --------
    The Gaussian story of the class notes: six in ten points are positive.

    >>> from inducer.datasets import blobs
    >>> X, y = blobs(500, centers=[[-4, 10], [8, 11]], weights=[0.4, 0.6], random_state=0,
    ...              return_X_y=True)
    >>> X[y == 1].mean(axis=0).round()
    array([ 8., 11.])
    """
    rng = generator(random_state)
    means = _centers(centers, n_features, rng)
    spreads = _spreads(spread, len(means))
    if weights is None:
        y = deal(rng, n_samples, len(means))
    else:
        y = rng.choice(len(means), size=n_samples, p=_shares(weights, len(means)))
    noise = rng.standard_normal((n_samples, means.shape[1]))
    X = means[y] + spreads[y, np.newaxis] * noise
    return of_numbers(X, y, function=blobs, return_X_y=return_X_y, centers=means)


def _centers(
    centers: int | ArrayLike, n_features: int, rng: np.random.Generator
) -> NDArray[np.float64]:
    """Return the centres, drawn or given."""
    if isinstance(centers, (int, np.integer)):
        return rng.uniform(-10, 10, (int(centers), n_features))
    means = _floats(centers, "centers", "an integer, or a list of centres of one length")
    if means.ndim != 2 or means.size == 0:
        raise ParameterError(
            "The 'centers' parameter of blobs must be an integer or an array of shape "
            f"(n_classes, n_features). Got an array of shape {means.shape}."
        )
    return means


def _spreads(spread: float | ArrayLike, n_classes: int) -> NDArray[np.float64]:
    """Return one standard deviation a class."""
    spreads = _floats(spread, "spread", "a number, or one a class")
    if spreads.shape not in {(), (n_classes,)} or np.any(spreads < 0):
        raise ParameterError(
            "The 'spread' parameter of blobs must be a number from 0 on, or one for each of "
            f"the {n_classes} classes. Got {spread!r}."
        )
    return np.full(n_classes, spreads)


def _shares(weights: ArrayLike, n_classes: int) -> NDArray[np.float64]:
    """Return the probability of each class."""
    shares = _floats(weights, "weights", "one number a class")
    if shares.shape != (n_classes,) or np.any(shares < 0) or abs(shares.sum() - 1) > 1e-9:
        raise ParameterError(
            f"The 'weights' parameter of blobs must be {n_classes} numbers, one for each class, "
            f"none negative, with the sum 1. Got {weights!r}."
        )
    shares /= shares.sum()
    return shares


def _floats(values: Any, name: str, wanted: str) -> NDArray[np.float64]:
    """Return an argument as finite floats."""
    try:
        array = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        array = np.array(np.nan)
    if not np.all(np.isfinite(array)):
        raise ParameterError(
            f"The '{name}' parameter of blobs must be {wanted}, all finite. Got {values!r}."
        )
    return array
