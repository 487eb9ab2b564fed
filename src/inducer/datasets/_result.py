"""What the functions of this package take and give: checked arguments in, a Bunch or a pair out."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Sequence
from typing import Any, ParamSpec, TypeVar

import numpy as np
import polars as pl
from numpy.typing import NDArray
from sklearn.utils import Bunch
from sklearn.utils._param_validation import InvalidParameterError, validate_parameter_constraints

from inducer.base.errors import ParameterError
from inducer.base.params import Domain, Flag
from inducer.base.random import seed_sequence

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")


def checked(
    **domains: Domain,
) -> Callable[[Callable[Arguments, Result]], Callable[Arguments, Result]]:
    """Return a decorator that checks arguments against their domains before the call."""
    constraints = {
        name: domain.constraints() for name, domain in {**domains, "return_X_y": Flag()}.items()
    }

    def decorate(function: Callable[Arguments, Result]) -> Callable[Arguments, Result]:
        signature = inspect.signature(function)

        @functools.wraps(function)
        def call(*args: Arguments.args, **kwargs: Arguments.kwargs) -> Result:
            bound = signature.bind(*args, **kwargs)
            bound.apply_defaults()
            try:
                validate_parameter_constraints(constraints, bound.arguments, function.__name__)
            except InvalidParameterError as error:
                raise ParameterError(str(error)) from None
            return function(*args, **kwargs)

        return call

    return decorate


def generator(random_state: Any) -> np.random.Generator:
    """Return the stream of random numbers that a ``random_state`` stands for."""
    return np.random.Generator(np.random.Philox(seed_sequence(random_state)))


def deal(rng: np.random.Generator, n_samples: int, n_classes: int) -> NDArray[np.int64]:
    """Return class codes in random order, as many of each as can be."""
    return rng.permutation(np.arange(n_samples) % n_classes)


def of_numbers(
    X: NDArray[Any],
    y: NDArray[Any],
    *,
    function: Callable[..., Any],
    return_X_y: bool,
    feature_names: Sequence[str] = (),
    target_column: str = "target",
    **more: Any,
) -> Any:
    """Return the pair, or the Bunch of a table whose features are all numbers.

    Parameters
    ----------
    X : array of shape (n_samples, n_features)
    y : array of shape (n_samples,)
    function : callable
        Its docstring describes the data.
    return_X_y : bool
    feature_names : sequence of str, optional
        Left out: x1, x2, ...
    target_column : str
        What y is called in the frame.
    **more
        Further entries of the Bunch; a ``frame`` replaces the one of X and y.
    """
    if return_X_y:
        return X, y
    names = list(feature_names) or [f"x{j + 1}" for j in range(X.shape[1])]
    if "frame" not in more:
        columns = {name: X[:, j] for j, name in enumerate(names)}
        more["frame"] = pl.DataFrame({**columns, target_column: y})
    return bunch(function, data=X, target=y, names=names, target_column=target_column, **more)


def of_frame(
    frame: pl.DataFrame,
    y: NDArray[Any],
    *,
    function: Callable[..., Any],
    return_X_y: bool,
    numeric: bool,
    feature_names: Sequence[str],
    target_column: str,
    **more: Any,
) -> Any:
    """Return the pair, or the Bunch of a table with categories or missing cells.

    Its ``data`` is a frame of the features, or with `numeric` a float64 array.
    """
    features = frame.select(feature_names)
    X, names = as_numbers(features) if numeric else (features, features.columns)
    if return_X_y:
        return X, y
    return bunch(
        function, frame=frame, data=X, target=y, names=names, target_column=target_column, **more
    )


def bunch(
    function: Callable[..., Any], *, names: Sequence[str], target_column: str, **entries: Any
) -> Any:
    """Return a Bunch; what the function's docstring says before its parameters is ``DESCR``."""
    about = (inspect.getdoc(function) or "").partition("\n\nParameters\n")[0]
    return Bunch(feature_names=list(names), target_column=target_column, DESCR=about, **entries)


def as_numbers(frame: pl.DataFrame) -> tuple[NDArray[np.float64], list[str]]:
    """Return a frame as float64 array and the names of its columns.

    A category becomes a 0/1 column for each level, named ``column=level``; of two levels only the
    second gets one. A missing cell is NaN, in each column that it becomes.
    """
    columns: dict[str, pl.Series] = {}
    for series in frame:
        if isinstance(series.dtype, pl.Enum):
            levels = series.dtype.categories.to_list()
            for level in levels[1:] if len(levels) == 2 else levels:
                columns[f"{series.name}={level}"] = series == level
        else:
            columns[series.name] = series
    array = np.column_stack([series.cast(pl.Float64).to_numpy() for series in columns.values()])
    return array, list(columns)
