"""The course's stories of where data come from, told with random numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
from numpy.polynomial.legendre import legval

from inducer.base.errors import ParameterError
from inducer.base.params import ArrayLike, Int, Real, Seed
from inducer.datasets._result import bunch, checked, deal, generator, of_numbers


@checked(n_samples=Int(1), noise=Real(0), random_state=Seed())
def coins(
    n_samples: int = 200,
    *,
    noise: float = 1.0,
    random_state: Any = None,
    return_X_y: bool = False,
) -> Any:
    """Return American coins of 1, 5, 10 and 25 cents by diameter and mass: four classes.

    Parameters
    ----------
    n_samples : int
        Number of coins, as many of each value as can be.
    noise : float
        1: the measurements are off by a standard deviation of 0.4 mm and 0.2 g; other numbers
        multiply that. 0 gives the sizes of new coins.
    random_state : int, Generator, RandomState or None
        Where the random numbers start: the same integer gives the same coins.
    return_X_y : bool
        Return only the measurements and the values.

    Returns
    -------
    Bunch or pair
        ``target`` are the codes of ``target_names``.

    Examples
    --------
    >>> from inducer.datasets import coins
    >>> coins(40, random_state=0).target_names
    ['1c', '5c', '10c', '25c']
    """
    rng = generator(random_state)
    y = deal(rng, n_samples, 4)
    minted = np.array([(19.05, 2.5), (21.21, 5.0), (17.91, 2.268), (24.26, 5.67)])
    X = minted[y] + noise * np.array([0.4, 0.2]) * rng.standard_normal((n_samples, 2))
    return of_numbers(
        X,
        y,
        function=coins,
        return_X_y=return_X_y,
        feature_names=["diameter_mm", "mass_g"],
        target_column="value",
        target_names=["1c", "5c", "10c", "25c"],
    )


@checked(n_samples=Int(1), noise=Real(0, 1), random_state=Seed())
def noisy_bit(
    n_samples: int = 100,
    *,
    noise: float = 0.2,
    random_state: Any = None,
    return_X_y: bool = False,
) -> Any:
    """Return one feature of -1 or 1 that is the sign of the class, but for noise.

    CIML's example of a distribution on which nothing can do better than an error of `noise`
    (up to a half).

    Parameters
    ----------
    n_samples : int
        Number of rows.
    noise : float
        Probability that the class is the other one.
    random_state : int, Generator, RandomState or None
        Where the random numbers start: the same integer gives the same rows.
    return_X_y : bool
        Return only the feature and the class.

    Returns
    -------
    Bunch or pair

    Examples
    --------
    >>> from inducer.datasets import noisy_bit
    >>> X, y = noisy_bit(1000, random_state=0, return_X_y=True)
    >>> 0.15 < float(((X[:, 0] > 0) != y).mean()) < 0.25
    True
    """
    rng = generator(random_state)
    bit = rng.integers(0, 2, n_samples)
    y = bit ^ (rng.random(n_samples) < noise)
    X = 2.0 * bit[:, np.newaxis] - 1
    return of_numbers(X, y, function=noisy_bit, return_X_y=return_X_y)


@checked(n_samples=Int(1), degree=Int(0), noise=Real(0), random_state=Seed())
def polynomial(
    n_samples: int = 20,
    *,
    degree: int = 20,
    noise: float = 0.1**0.5,
    random_state: Any = None,
    return_X_y: bool = False,
) -> Any:
    """Return points of a random polynomial with noise: the lecture's experiment on overfitting.

    f = sum_q a_q L_q with Legendre polynomials L_q and a_q normally distributed, scaled so that
    the mean of f^2 over x from -1 to 1 is 1; x is drawn evenly, and y = f(x) + noise.

    Parameters
    ----------
    n_samples : int
        Number of points.
    degree : int
        Degree of f.
    noise : float
        Standard deviation of the noise (the lecture's sigma; its sigma^2 = 0.1 is the default).
    random_state : int, Generator, RandomState or None
        Where the random numbers start: the same integer gives the same f and points.
    return_X_y : bool
        Return only x, as a column, and y.

    Returns
    -------
    Bunch or pair
        The Bunch also has ``coef``, the a_q: ``numpy.polynomial.legendre.legval(x, coef)`` is f.

    Examples
    --------
    >>> import numpy as np
    >>> from numpy.polynomial.legendre import legval
    >>> from inducer.datasets import polynomial
    >>> points = polynomial(5, degree=3, noise=0, random_state=0)
    >>> np.allclose(legval(points.data[:, 0], points.coef), points.target)
    True
    """
    rng = generator(random_state)
    coef = rng.standard_normal(degree + 1)
    # The mean of L_q^2 is 1 / (2 q + 1), and the L_q are orthogonal.
    coef /= np.sqrt(np.sum(coef**2 / (2 * np.arange(degree + 1) + 1)))
    x = rng.uniform(-1, 1, n_samples)
    y = np.asarray(legval(x, coef)) + noise * rng.standard_normal(n_samples)
    return of_numbers(
        x[:, np.newaxis],
        y,
        function=polynomial,
        return_X_y=return_X_y,
        feature_names=["x"],
        target_column="y",
        coef=coef,
    )


@checked(n_samples=Int(1), horizon=Int(1), random_state=Seed())
def xor_chain(
    n_samples: int = 100,
    *,
    horizon: int = 10,
    random_state: Any = None,
    return_X_y: bool = False,
) -> Any:
    """Return CIML's problem on which one early mistake spoils the rest of an imitation.

    A learner is shown a zero or a one at each step. First it must press what it sees; later the
    exclusive or of what it sees and what was right the step before.

    Parameters
    ----------
    n_samples : int
        Number of games.
    horizon : int
        Number of steps in a game.
    random_state : int, Generator, RandomState or None
        Where the random numbers start: the same integer gives the same games.
    return_X_y : bool
        Return only what is shown and what is right.

    Returns
    -------
    Bunch or pair
        ``data`` and ``target`` are of shape (n_samples, horizon): what is shown (float64), and
        which button is right (integers). The frame has a row for each step of each game.

    Examples
    --------
    >>> from inducer.datasets import xor_chain
    >>> shown, right = xor_chain(1, horizon=5, random_state=0, return_X_y=True)
    >>> bool(((shown.cumsum(axis=1) % 2) == right).all())
    True
    """
    rng = generator(random_state)
    shown = rng.integers(0, 2, (n_samples, horizon))
    right = np.bitwise_xor.accumulate(shown, axis=1)
    X = shown.astype(np.float64)
    if return_X_y:
        return X, right
    step = np.arange(1, horizon + 1)
    frame = pl.DataFrame(
        {
            "game": np.repeat(np.arange(n_samples), horizon),
            "step": np.tile(step, n_samples),
            "shown": shown.ravel(),
            "right": right.ravel(),
        }
    )
    names = [f"shown{t}" for t in step]
    return bunch(xor_chain, names=names, target_column="right", frame=frame, data=X, target=right)


@checked(n_samples=Int(1), n_questions=Int(1), skill=ArrayLike(), random_state=Seed())
def exam(
    n_samples: int = 100,
    *,
    n_questions: int = 50,
    skill: Any = (0.5, 1.0),
    random_state: Any = None,
    return_X_y: bool = False,
) -> Any:
    """Return CIML's exam without a key: true-or-false answers of students of different skill.

    A student of skill s answers each question rightly with probability s. Skills from 0 on (the
    book's) have a mirror image: all answers of the key turned around, all skills s made 1 - s.

    Parameters
    ----------
    n_samples : int
        Number of students.
    n_questions : int
        Number of questions.
    skill : pair of float
        Lowest and highest skill; they are drawn evenly between.
    random_state : int, Generator, RandomState or None
        Where the random numbers start: the same integer gives the same exam.
    return_X_y : bool
        Return only the answers and the skills.

    Returns
    -------
    Bunch or pair
        ``data`` are the answers, 0 or 1, a row for each student; ``target`` the skills; the Bunch
        also has the ``key``, the right answers.

    Examples
    --------
    >>> from inducer.datasets import exam
    >>> answers = exam(random_state=0)
    >>> share_right = (answers.data == answers.key).mean(axis=1)
    >>> float(abs(share_right - answers.target).mean()) < 0.1
    True
    """
    low, high = _skills(skill)
    rng = generator(random_state)
    key = rng.integers(0, 2, n_questions)
    skills = rng.uniform(low, high, n_samples)
    wrong = rng.random((n_samples, n_questions)) >= skills[:, np.newaxis]
    return of_numbers(
        (key ^ wrong).astype(np.float64),
        skills,
        function=exam,
        return_X_y=return_X_y,
        feature_names=[f"question{m + 1}" for m in range(n_questions)],
        target_column="skill",
        key=key,
    )


def _skills(skill: Any) -> tuple[float, float]:
    """Return the lowest and the highest skill."""
    try:
        low, high = (float(end) for end in skill)
    except (TypeError, ValueError):
        low, high = 1.0, 0.0
    if not 0 <= low <= high <= 1:
        raise ParameterError(
            "The 'skill' parameter of exam must be two probabilities, the lower one first. "
            f"Got {skill!r}."
        )
    return low, high
