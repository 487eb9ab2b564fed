"""Bundled real tables. Where they come from and their licences: ``data/LICENCES.md``."""

from __future__ import annotations

from importlib.resources import files
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray
from sklearn.datasets import load_digits

from inducer.base.params import Flag
from inducer.datasets._result import checked, of_frame, of_numbers


def tables() -> list[str]:
    """Return the names of the bundled tables: each is a function of this package.

    Examples
    --------
    >>> from inducer import datasets
    >>> datasets.tables()
    ['auto_mpg', 'course_ratings', 'digits', 'heart', 'penguins']
    """
    return sorted(f.__name__ for f in (auto_mpg, course_ratings, digits, heart, penguins))


@checked(numeric=Flag())
def heart(*, numeric: bool = False, return_X_y: bool = False) -> Any:
    """Return the heart-disease table: 303 patients, 13 features, are the vessels narrowed.

    From the Cleveland clinic, in the UCI repository (CC BY 4.0). Five features are categories in
    words (sex, chest_pain, resting_ecg, st_slope, thal), eight are numbers. Four cells of
    major_vessels and two of thal are missing. The target is 1 where an artery is narrowed by half
    or more (139 patients), else 0.

    Parameters
    ----------
    numeric : bool
        False: the features are a Polars frame, categories and missing cells as they are. True:
        they are a float64 array of 22 columns, a 0/1 column for each level of a category (one
        for sex) and NaN for missing: fill and scale it, and any linear model takes it.
    return_X_y : bool
        Return only the features and the target.

    Returns
    -------
    Bunch or pair
        ``frame`` has all columns, ``data`` the features, ``target`` the codes of
        ``target_names``.

    Examples
    --------
    >>> from inducer.datasets import heart
    >>> X, y = heart(numeric=True, return_X_y=True)
    >>> X.shape, int(y.sum())
    ((303, 22), 139)
    """
    frame = _read("heart", categories=("sex", "chest_pain", "resting_ecg", "st_slope", "thal"))
    return of_frame(
        frame,
        frame["narrowing"].to_numpy(writable=True),
        function=heart,
        return_X_y=return_X_y,
        numeric=numeric,
        feature_names=[name for name in frame.columns if name != "narrowing"],
        target_column="narrowing",
        target_names=["not narrowed", "narrowed"],
    )


@checked(numeric=Flag())
def auto_mpg(*, numeric: bool = False, return_X_y: bool = False) -> Any:
    """Return the Auto MPG table: 398 cars of 1970 to 1982, 7 features, miles per gallon.

    From the UCI repository (CC BY 4.0). Six features are numbers, origin is a category. Six cells
    of horsepower are missing. Eight cars of the original table without a consumption are left out;
    the name of a car is in the frame, but no feature.

    Parameters
    ----------
    numeric : bool
        False: the features are a Polars frame. True: they are a float64 array of 9 columns, a
        0/1 column for each origin and NaN for missing.
    return_X_y : bool
        Return only the features and the target.

    Returns
    -------
    Bunch or pair
        ``frame`` has all columns, ``data`` the features, ``target`` the miles per gallon.

    Examples
    --------
    >>> from inducer.datasets import auto_mpg
    >>> X, y = auto_mpg(return_X_y=True)
    >>> X.columns
    ['cylinders', 'displacement', 'horsepower', 'weight_in_lbs', 'acceleration', 'year', 'origin']
    """
    frame = _read("auto_mpg", categories=("origin",)).drop_nulls("miles_per_gallon")
    return of_frame(
        frame,
        frame["miles_per_gallon"].to_numpy(writable=True),
        function=auto_mpg,
        return_X_y=return_X_y,
        numeric=numeric,
        feature_names=[name for name in frame.columns if name not in {"name", "miles_per_gallon"}],
        target_column="miles_per_gallon",
    )


@checked(numeric=Flag())
def penguins(*, numeric: bool = False, return_X_y: bool = False) -> Any:
    """Return the Palmer penguins: 344 birds, 6 features, three species.

    Measured by Gorman and others near Palmer Station, Antarctica (CC0). Four features are lengths
    and a weight, island and sex are categories. Nineteen cells are missing, eleven of them the
    sex. The year is in the frame, but no feature.

    Parameters
    ----------
    numeric : bool
        False: the features are a Polars frame. True: they are a float64 array of 8 columns, a
        0/1 column for each island, one for sex, and NaN for missing.
    return_X_y : bool
        Return only the features and the target.

    Returns
    -------
    Bunch or pair
        ``frame`` has all columns, ``data`` the features, ``target`` the codes of
        ``target_names``.

    Examples
    --------
    >>> from inducer.datasets import penguins
    >>> birds = penguins()
    >>> birds.target_names
    ['Adelie', 'Chinstrap', 'Gentoo']
    """
    frame = _read("penguins", categories=("species", "island", "sex"))
    return of_frame(
        frame,
        _codes(frame["species"]),
        function=penguins,
        return_X_y=return_X_y,
        numeric=numeric,
        feature_names=[name for name in frame.columns if name not in {"species", "year"}],
        target_column="species",
        target_names=_levels(frame["species"]),
    )


@checked()
def course_ratings(*, return_X_y: bool = False) -> Any:
    """Return the course ratings of CIML: 20 courses, 5 yes-or-no features, liked or not.

    A student rated courses from -2 to 2 and likes those rated 0 or better (12 of 20). The
    frame also has the ``rating``. Only 14 of the rows differ, and the features n, y, y, n, y
    stand once with rating 2 and once with -2: no function of the features is right on all rows,
    though the book says that a full tree is.

    Parameters
    ----------
    return_X_y : bool
        Return only the features and the target.

    Returns
    -------
    Bunch or pair
        ``data`` is a float64 array of zeros and ones, ``target`` the codes of ``target_names``.

    Examples
    --------
    >>> from inducer.datasets import course_ratings
    >>> courses = course_ratings()
    >>> courses.feature_names
    ['easy', 'ai', 'systems', 'theory', 'morning']
    >>> int(courses.target.sum())
    12
    """
    frame = _read("course_ratings")
    features = [name for name in frame.columns if name != "rating"]
    frame = frame.with_columns(
        *(pl.col(name) == "y" for name in features), liked=pl.col("rating") >= 0
    )
    return of_numbers(
        frame.select(features).cast(pl.Float64).to_numpy(order="c", writable=True),
        frame["liked"].cast(pl.Int64).to_numpy(writable=True),
        function=course_ratings,
        return_X_y=return_X_y,
        feature_names=features,
        target_column="liked",
        target_names=["not liked", "liked"],
        frame=frame,
    )


@checked()
def digits(*, return_X_y: bool = False) -> Any:
    """Return handwritten digits: 1797 pictures of 8 by 8 pixels, brightness 0 to 16.

    scikit-learn's own copy, from the UCI repository. ``data.reshape(-1, 8, 8)`` are the pictures.

    Parameters
    ----------
    return_X_y : bool
        Return only the features and the target.

    Returns
    -------
    Bunch or pair
        ``data`` is a float64 array, ``target`` the digit.

    Examples
    --------
    >>> from inducer.datasets import digits
    >>> X, y = digits(return_X_y=True)
    >>> X.shape, y[:5].tolist()
    ((1797, 64), [0, 1, 2, 3, 4])
    """
    theirs = load_digits()
    return of_numbers(
        np.ascontiguousarray(theirs.data),
        theirs.target,
        function=digits,
        return_X_y=return_X_y,
        feature_names=theirs.feature_names,
        target_column="digit",
        target_names=[str(digit) for digit in range(10)],
    )


def _read(name: str, *, categories: tuple[str, ...] = ()) -> pl.DataFrame:
    """Return a bundled table; columns named as categories get their levels in sorted order."""
    frame = pl.read_csv((files("inducer.datasets") / "data" / f"{name}.csv").read_bytes())
    return frame.with_columns(
        frame[column].cast(pl.Enum(frame[column].drop_nulls().unique().sort()))
        for column in categories
    )


def _levels(series: pl.Series) -> list[str]:
    """Return the levels of a category."""
    dtype = series.dtype
    return dtype.categories.to_list() if isinstance(dtype, pl.Enum) else []


def _codes(series: pl.Series) -> NDArray[np.int64]:
    """Return the codes of a category without missing cells."""
    return series.to_physical().cast(pl.Int64).to_numpy(writable=True)
