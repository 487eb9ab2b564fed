"""Points in space with a class each: the shapes on which learners show what they can do."""

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


@checked(n_samples=Int(1), noise=Real(0), random_state=Seed())
def moons(
    n_samples: int = 100,
    *,
    noise: float = 0.1,
    random_state: Any = None,
    return_X_y: bool = False,
) -> Any:
    """Return two half circles that reach into each other: no line parts them.

    Parameters
    ----------
    n_samples : int
        Number of points.
    noise : float
        Standard deviation of what is added to each coordinate.
    random_state : int, Generator, RandomState or None
        Where the random numbers start: the same integer gives the same points.
    return_X_y : bool
        Return only the points and their classes.

    Returns
    -------
    Bunch or pair
        Class 0 is the upper moon around (0, 0), class 1 the lower one around (1, 0.5).

    Examples
    --------
    >>> from inducer.datasets import moons
    >>> X, y = moons(200, random_state=0, return_X_y=True)
    >>> X.shape, int(y.sum())
    ((200, 2), 100)
    """
    rng = generator(random_state)
    y = deal(rng, n_samples, 2)
    angle = rng.uniform(0, np.pi, n_samples)
    side = 1 - 2 * y
    arcs = np.column_stack([y + side * np.cos(angle), 0.5 * y + side * np.sin(angle)])
    X = arcs + noise * rng.standard_normal((n_samples, 2))
    return of_numbers(X, y, function=moons, return_X_y=return_X_y)


@checked(n_samples=Int(1), factor=Real(0, 1, "()"), noise=Real(0), random_state=Seed())
def circles(
    n_samples: int = 100,
    *,
    factor: float = 0.5,
    noise: float = 0.05,
    random_state: Any = None,
    return_X_y: bool = False,
) -> Any:
    """Return a ring of radius 1 and a smaller one in it.

    Parameters
    ----------
    n_samples : int
        Number of points.
    factor : float
        Radius of the inner ring.
    noise : float
        Standard deviation of what is added to each coordinate.
    random_state : int, Generator, RandomState or None
        Where the random numbers start: the same integer gives the same points.
    return_X_y : bool
        Return only the points and their classes.

    Returns
    -------
    Bunch or pair
        Class 0 is the outer ring, class 1 the inner one.

    Examples
    --------
    >>> import numpy as np
    >>> from inducer.datasets import circles
    >>> X, y = circles(6, noise=0, random_state=0, return_X_y=True)
    >>> np.unique(np.hypot(*X.T).round(9))
    array([0.5, 1. ])
    """
    rng = generator(random_state)
    y = deal(rng, n_samples, 2)
    angle = rng.uniform(0, 2 * np.pi, n_samples)
    radius = np.where(y == 1, factor, 1.0)
    X = radius[:, np.newaxis] * np.column_stack([np.cos(angle), np.sin(angle)])
    X += noise * rng.standard_normal((n_samples, 2))
    return of_numbers(X, y, function=circles, return_X_y=return_X_y)


@checked(n_samples=Int(1), noise=Real(0, 0.5), random_state=Seed())
def disc(
    n_samples: int = 100,
    *,
    noise: float = 0.0,
    random_state: Any = None,
    return_X_y: bool = False,
) -> Any:
    """Return points in a square, positive in the disc of radius sqrt(0.6) around its middle.

    The target of the lecture on nonlinear transforms: not separable in the plane, separable by
    the weights (0.6, -1, -1) on (1, x1^2, x2^2).

    Parameters
    ----------
    n_samples : int
        Number of points, drawn evenly from -1 to 1 in both dimensions.
    noise : float
        Probability that a label is flipped.
    random_state : int, Generator, RandomState or None
        Where the random numbers start: the same integer gives the same points.
    return_X_y : bool
        Return only the points and their classes.

    Returns
    -------
    Bunch or pair
        Class 1 is the disc.

    Examples
    --------
    >>> from inducer.datasets import disc
    >>> X, y = disc(200, random_state=0, return_X_y=True)
    >>> bool(((0.6 - (X**2).sum(axis=1) > 0) == y).all())
    True
    """
    rng = generator(random_state)
    X = rng.uniform(-1, 1, (n_samples, 2))
    inside = (X**2).sum(axis=1) < 0.6
    y = (inside ^ (rng.random(n_samples) < noise)).astype(np.int64)
    return of_numbers(X, y, function=disc, return_X_y=return_X_y)


@checked(n_samples=Int(1), n_features=Int(1, 62), noise=Real(0), random_state=Seed())
def xor(
    n_samples: int = 100,
    *,
    n_features: int = 2,
    noise: float = 0.1,
    random_state: Any = None,
    return_X_y: bool = False,
) -> Any:
    """Return points around the corners of a square, one class on each diagonal.

    The corners have coordinates -1 and 1; the class is 1 where an odd number of coordinates is
    positive. In more dimensions this is the parity problem. With ``noise=0`` and 2**n_features
    points each corner stands once. (The small table of CIML's chapter 10 calls the other
    diagonal positive.)

    Parameters
    ----------
    n_samples : int
        Number of points, as many at each corner as can be; where there are more corners than
        points, the corners are drawn.
    n_features : int
        Number of dimensions.
    noise : float
        Standard deviation of what is added to each coordinate.
    random_state : int, Generator, RandomState or None
        Where the random numbers start: the same integer gives the same points.
    return_X_y : bool
        Return only the points and their classes.

    Returns
    -------
    Bunch or pair

    Examples
    --------
    >>> from inducer.datasets import xor
    >>> X, y = xor(4, noise=0, random_state=0, return_X_y=True)
    >>> sorted((*map(int, corner), int(label)) for corner, label in zip(X, y))
    [(-1, -1, 0), (-1, 1, 1), (1, -1, 1), (1, 1, 0)]
    """
    rng = generator(random_state)
    corners = 2**n_features
    many = n_samples >= corners
    corner = deal(rng, n_samples, corners) if many else rng.integers(0, corners, n_samples)
    bits = (corner[:, np.newaxis] >> np.arange(n_features)) & 1
    y = bits.sum(axis=1) % 2
    X = 2.0 * bits - 1 + noise * rng.standard_normal((n_samples, n_features))
    return of_numbers(X, y, function=xor, return_X_y=return_X_y)


@checked(
    n_samples=Int(2),
    n_features=Int(1),
    margin=Real(0, closed="()"),
    intercept=Real(),
    random_state=Seed(),
)
def linear(
    n_samples: int = 100,
    *,
    n_features: int = 2,
    margin: float = 0.1,
    intercept: float = 0.0,
    random_state: Any = None,
    return_X_y: bool = False,
) -> Any:
    """Return points that a hyperplane separates, with a margin that is known.

    A unit vector w is drawn, and each point put at least `margin` from the hyperplane
    w.x + b = 0 on the side of its class. One point of each class lies exactly that far off,
    right across from the other: so no hyperplane has a larger margin (the two are 2 * margin
    apart), and this one has it, up to rounding.

    Parameters
    ----------
    n_samples : int
        Number of points.
    n_features : int
        Number of dimensions.
    margin : float
        Distance from the hyperplane to the nearest point of each class.
    intercept : float
        The b above, how far the origin is on the positive side.
    random_state : int, Generator, RandomState or None
        Where the random numbers start: the same integer gives the same points.
    return_X_y : bool
        Return only the points and their classes.

    Returns
    -------
    Bunch or pair
        Class 1 is where w.x + b > 0. The Bunch also has ``coef`` (the w), ``intercept`` and
        ``margin``.

    Examples
    --------
    >>> from inducer.datasets import linear
    >>> points = linear(50, margin=0.25, random_state=0)
    >>> distance = (points.data @ points.coef + points.intercept) * (2 * points.target - 1)
    >>> round(float(distance.min()), 9)
    0.25
    """
    rng = generator(random_state)
    coef = rng.standard_normal(n_features)
    coef /= np.linalg.norm(coef)
    y = deal(rng, n_samples, 2)
    depth = margin + np.abs(rng.standard_normal(n_samples))
    along = rng.standard_normal((n_samples, n_features))
    nearest = [int(np.argmax(y == 0)), int(np.argmax(y == 1))]
    depth[nearest] = margin
    along[nearest[1]] = along[nearest[0]]
    along -= np.outer(along @ coef, coef)
    X = along + np.outer(np.where(y == 1, depth, -depth) - intercept, coef)
    return of_numbers(
        X,
        y,
        function=linear,
        return_X_y=return_X_y,
        coef=coef,
        intercept=float(intercept),
        margin=float(margin),
    )


@checked(n_samples=Int(1), random_state=Seed())
def parallel_lines(
    n_samples: int = 100, *, random_state: Any = None, return_X_y: bool = False
) -> Any:
    """Return positive points on the line x2 = x1 + 1 and negative ones on x2 = x1 - 1.

    CIML's set for finding out whether a perceptron is implemented rightly.

    Parameters
    ----------
    n_samples : int
        Number of points; x1 is drawn evenly from -3 to 3.
    random_state : int, Generator, RandomState or None
        Where the random numbers start: the same integer gives the same points.
    return_X_y : bool
        Return only the points and their classes.

    Returns
    -------
    Bunch or pair

    Examples
    --------
    >>> from inducer.datasets import parallel_lines
    >>> X, y = parallel_lines(20, random_state=0, return_X_y=True)
    >>> bool(((X[:, 1] > X[:, 0]) == y).all())
    True
    """
    rng = generator(random_state)
    y = deal(rng, n_samples, 2)
    x = rng.uniform(-3, 3, n_samples)
    X = np.column_stack([x, x + 2 * y - 1])
    return of_numbers(X, y, function=parallel_lines, return_X_y=return_X_y)


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
