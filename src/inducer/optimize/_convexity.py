"""Does a function look convex? Chords, and the values in their middles."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from inducer.base.errors import InputError, ParameterError
from inducer.optimize import _checks
from inducer.optimize._objective import Array, read_only

NAME = "looks_convex"
SHORTEST = 1e-2  # of the chords, relative to the points drawn


@dataclass(frozen=True, eq=False)
class Chord:
    """Two points, their middle, and the values of f at the three.

    Attributes
    ----------
    a, b : array
        The ends.
    middle : array
        (a + b) / 2.
    value_a, value_b, value_middle : float
        The values there.
    excess : float
        How far f in the middle is above the chord; positive proves f not convex.
    """

    a: Array
    b: Array
    middle: Array
    value_a: float
    value_b: float
    value_middle: float

    @property
    def excess(self) -> float:
        """How far f in the middle is above the chord."""
        if math.inf in (self.value_a, self.value_b):
            return -math.inf
        return self.value_middle - (self.value_a / 2 + self.value_b / 2)


@dataclass(frozen=True, eq=False)
class Convexity:
    """The answer of `looks_convex`; true or false as a condition.

    Attributes
    ----------
    convex : bool
        False is proved by `chord`; True means that no chord spoke against it.
    chord : Chord or None
        The chord with the middle farthest above it, if there is any such.
    chords : int
        How many were looked at.
    """

    convex: bool
    chord: Chord | None
    chords: int

    def __bool__(self) -> bool:
        return self.convex


def looks_convex(
    f: Callable[[Array], Any],
    lower: Any = None,
    upper: Any = None,
    *,
    sample: Callable[[np.random.Generator], Any] | None = None,
    chords: int = 1000,
    tol: float = 1e-10,
    random_state: Any = None,
) -> Convexity:
    r"""Test whether a function is convex, by the middles of random chords.

    .. math:: f\left(\frac{a + b}{2}\right) \le \frac{f(a) + f(b)}{2}

    for all a and b, together with continuity, is what convex means. One chord that fails proves
    that f is not convex; a thousand that hold prove nothing, but a function that is not convex
    over a good part of the domain will hardly pass.

    Parameters
    ----------
    f : callable
        f(x) gives the value, or value and gradient. It may be infinite, as outside of a domain.
    lower, upper : array
        Corners of a box to draw the points from; of the shape of x. Numbers, for a function of
        one number.
    sample : callable, default=None
        sample(random) draws a point with a NumPy generator, in place of a box. The domain should
        be convex.
    chords : int, default=1000
        How many to look at. Half of them are shortened, down to a hundredth.
    tol : float, default=1e-10
        What is still taken for rounding, relative to the largest of the three values.
    random_state : int, numpy Generator, numpy RandomState or None, default=None
        Seed of the points.

    Returns
    -------
    Convexity

    Examples
    --------
    >>> import numpy as np
    >>> from inducer.optimize import looks_convex
    >>> bool(looks_convex(lambda m: np.logaddexp(0, -m), -5.0, 5.0, random_state=0))
    True
    >>> sigmoid = looks_convex(lambda m: 1 / (1 + np.exp(m)), -5.0, 5.0, random_state=0)
    >>> bool(sigmoid), sigmoid.chord.excess > 0
    (False, True)
    """
    if not callable(f):
        raise ParameterError(f"{NAME}: f must be a function. Got {f!r}.")
    many = _checks.count(NAME, "chords", chords)
    slack = _checks.tolerance(NAME, "tol", tol) or 0.0
    draw = _sampler(lower, upper, sample)
    random = _checks.generator(NAME, random_state)
    worst: Chord | None = None
    for i in range(many):
        a, b = draw(random), draw(random)
        if i % 2:
            b = a + (b - a) * SHORTEST ** random.random()
        chord = _chord(f, a, b)
        values = (chord.value_a, chord.value_b, chord.value_middle)
        scale = max((abs(v) for v in values if math.isfinite(v)), default=0.0)
        if chord.excess > slack * scale and (worst is None or chord.excess > worst.excess):
            worst = chord
    return Convexity(worst is None, worst, many)


def _chord(f: Callable[[Array], Any], a: Array, b: Array) -> Chord:
    middle = np.asarray(a / 2 + b / 2)
    return Chord(a, b, middle, _value(f, a), _value(f, b), _value(f, middle))


def _value(f: Callable[[Array], Any], x: Array) -> float:
    with np.errstate(over="ignore"):
        found = f(read_only(x))
    if isinstance(found, tuple | list) and len(found) == 2:
        found = found[0]
    array = np.asarray(found)
    if array.size != 1 or array.dtype.kind not in "biuf":
        raise InputError(f"{NAME}: f has to return one real number. Got {found!r:.80}.")
    value = float(array.reshape(()))
    if math.isnan(value):
        raise InputError(
            f"{NAME}: f is NaN at {x.tolist()!r:.200}. Draw from where f is defined, or let it be "
            "infinite elsewhere."
        )
    return value


def _sampler(lower: Any, upper: Any, sample: Any) -> Callable[[np.random.Generator], Array]:
    if sample is not None:
        if lower is not None or upper is not None:
            raise ParameterError(f"{NAME}: give a box (lower and upper), or sample; not both.")
        if not callable(sample):
            raise ParameterError(f"{NAME}: sample must be a function. Got {sample!r}.")
        return lambda random: np.asarray(sample(random), dtype=np.float64)
    if lower is None or upper is None:
        raise ParameterError(f"{NAME}: give lower and upper, the corners of a box, or sample.")
    low, high = np.asarray(lower, dtype=np.float64), np.asarray(upper, dtype=np.float64)
    if low.shape != high.shape:
        raise InputError(f"{NAME}: lower has shape {low.shape}, and upper has {high.shape}.")
    if not (np.all(np.isfinite(low)) and np.all(np.isfinite(high)) and np.all(low < high)):
        raise InputError(f"{NAME}: lower must be below upper, and both be finite.")
    return lambda random: np.asarray(random.uniform(low, high))
