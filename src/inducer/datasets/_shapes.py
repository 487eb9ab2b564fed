"""Points in space with a class each: the shapes on which learners show what they can do."""

from __future__ import annotations

from typing import Any

import numpy as np

from inducer.base.params import Int, Real, Seed
from inducer.datasets._result import checked, deal, generator, of_numbers


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
