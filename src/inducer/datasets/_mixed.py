"""A table as they come: numbers, categories, a date, and cells that are missing."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl

from inducer.base.params import Flag, Int, Real, Seed
from inducer.datasets._result import checked, generator, of_frame

GENDERS = ["female", "male", "other"]
HOMES = ["family", "own", "rent"]
REGIONS = ["centre", "east", "north", "south", "west"]
FIRST_DAY = np.datetime64("2020-01-01")


@checked(n_samples=Int(1), missing=Real(0, 1), numeric=Flag(), random_state=Seed())
def mixed(
    n_samples: int = 500,
    *,
    missing: float = 0.05,
    numeric: bool = False,
    random_state: Any = None,
    return_X_y: bool = False,
) -> Any:
    """Return applications for credit: numbers, categories, missing cells, approved or not.

    Five features are numbers (age, salary, debt, years_in_residence, years_in_job), three are
    categories (gender, home, region). Approval is drawn from a logistic model of the true values
    of salary, debt, years_in_job and home; gender and region play no part. The frame also has the
    date of the application, which is no feature.

    Parameters
    ----------
    n_samples : int
        Number of applications.
    missing : float
        Probability that a cell of a feature is missing, whatever is in it.
    numeric : bool
        False: the features are a Polars frame. True: they are a float64 array of 16 columns, a
        0/1 column for each level of a category and NaN for missing.
    random_state : int, Generator, RandomState or None
        Where the random numbers start: the same integer gives the same table.
    return_X_y : bool
        Return only the features and the target.

    Returns
    -------
    Bunch or pair
        ``frame`` has all columns, ``data`` the features, ``target`` the codes of
        ``target_names``; ``score`` are the log odds of approval.

    Examples
    --------
    >>> from inducer.datasets import mixed
    >>> X, y = mixed(4, random_state=0, return_X_y=True)
    >>> X.columns
    ['age', 'salary', 'debt', 'years_in_residence', 'years_in_job', 'gender', 'home', 'region']
    """
    rng = generator(random_state)
    age = rng.integers(18, 80, n_samples)
    years = age - 17
    in_job = np.floor(rng.beta(1, 3, n_samples) * years).astype(np.int64)
    salary = rng.lognormal(10.3 + 0.02 * in_job, 0.5).round(2)
    debt = (rng.lognormal(8.5, 1.2, n_samples) * (rng.random(n_samples) < 0.7)).round(2)
    home = rng.choice(3, n_samples, p=[0.2, 0.35, 0.45])
    features = {
        "age": pl.Series(age),
        "salary": pl.Series(salary),
        "debt": pl.Series(debt),
        "years_in_residence": pl.Series(np.floor(rng.beta(1, 4, n_samples) * age).astype(np.int64)),
        "years_in_job": pl.Series(in_job),
        "gender": _category(rng.choice(3, n_samples, p=[0.49, 0.49, 0.02]), GENDERS),
        "home": _category(home, HOMES),
        "region": _category(rng.integers(0, 5, n_samples), REGIONS),
    }
    score = (
        1.5 * np.log(salary / 30_000)
        - 2.0 * debt / salary
        + 0.1 * in_job
        + np.array([0.0, 1.0, -0.5])[home]
    )
    approved = rng.random(n_samples) < 1 / (1 + np.exp(-score))
    days = rng.integers(0, 5 * 365, n_samples)
    holes = {name: pl.Series(rng.random(n_samples) < missing) for name in features}
    frame = pl.DataFrame(
        {
            "applied": pl.Series(FIRST_DAY + days),
            **{name: _with_holes(features[name], holes[name]) for name in features},
            "approved": pl.Series(approved),
        }
    )
    return of_frame(
        frame,
        approved.astype(np.int64),
        function=mixed,
        return_X_y=return_X_y,
        numeric=numeric,
        feature_names=list(features),
        target_column="approved",
        target_names=["refused", "approved"],
        score=score,
    )


def _category(codes: Any, levels: list[str]) -> pl.Series:
    """Return codes as a category."""
    return pl.Series(levels).gather(codes).cast(pl.Enum(levels))


def _with_holes(values: pl.Series, holes: pl.Series) -> pl.Series:
    """Return the values, missing where there is a hole."""
    return values.set(holes, None)
