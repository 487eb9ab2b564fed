"""Tables: which columns are categories, what their codes are, and what is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import BaseEstimator

from inducer.base import InputError
from inducer.base.table import check_like, check_table

COLOURS = ["red", "green", None, "red"]


def frame(library: str) -> Any:
    size = [1, 2, 3, 4]
    if library == "polars":
        colours = pl.Series(COLOURS, dtype=pl.Enum(["red", "green", "blue"]))
        return pl.DataFrame({"size": size, "colour": colours, "heavy": [True, False, True, False]})
    colours = pd.Categorical(COLOURS, categories=["red", "green", "blue"])
    return pd.DataFrame({"size": size, "colour": colours, "heavy": [True, False, True, False]})


@pytest.mark.parametrize("library", ["polars", "pandas"])
def test_categories_of_a_frame_become_codes_of_sorted_levels(library: str) -> None:
    learner = BaseEstimator()
    table = check_table(learner, frame(library))
    assert table.categories.tolist() == [0, 2, 0]
    assert table.levels[0] is None
    assert table.levels[1].tolist() == ["green", "red"]
    np.testing.assert_array_equal(table.X, [[1, 1, 1], [2, 0, 0], [3, np.nan, 1], [4, 1, 0]])
    assert learner.feature_names_in_.tolist() == ["size", "colour", "heavy"]
    assert learner.n_features_in_ == 3


@pytest.mark.parametrize("library", ["polars", "pandas"])
def test_a_new_level_is_missing(library: str) -> None:
    learner = BaseEstimator()
    given = frame(library)
    table = check_table(learner, given)
    if library == "polars":
        later = given.with_columns(colour=pl.Series(["blue", "red", "green", None]))
    else:
        later = given.assign(colour=["blue", "red", "green", None])
    codes = check_like(learner, later, table.levels).X[:, 1]
    np.testing.assert_array_equal(codes, [np.nan, 1, 0, np.nan])


@pytest.mark.parametrize("named", [[0], [True, False], np.array([0])])
def test_columns_of_an_array_are_named_by_number_or_mask(named: Any) -> None:
    X = np.array([[7.0, 1.0], [3.0, np.nan], [np.nan, 2.0], [7.0, 3.0]])
    learner = BaseEstimator()
    table = check_table(learner, X, categorical_features=named)
    np.testing.assert_array_equal(table.X[:, 0], [1, 0, np.nan, 1])
    np.testing.assert_array_equal(table.X[:, 1], X[:, 1])
    later = check_like(learner, np.array([[5.0, 0.0], [3.0, 0.0], [99.0, 0.0]]), table.levels)
    np.testing.assert_array_equal(later.X[:, 0], [np.nan, 0, np.nan])


def test_text_may_be_a_category_where_it_is_named() -> None:
    X = [["b", 1.5], ["a", 2.5], ["b", None]]
    table = check_table(BaseEstimator(), X, categorical_features=[0])
    np.testing.assert_array_equal(table.X, [[1, 1.5], [0, 2.5], [1, np.nan]])
    words = pl.DataFrame({"word": ["b", "a"], "size": [1, 2]})
    assert check_table(BaseEstimator(), words, categorical_features=["word"]).X[0, 0] == 1


def test_levels_of_several_kinds() -> None:
    X = np.array([["b"], [3], [2.5], [None], ["a"]], dtype=object)
    table = check_table(BaseEstimator(), X, categorical_features=[0])
    assert table.categories.tolist() == [4]
    assert np.isnan(table.X[3, 0])


def test_numbers_are_taken_as_they_are() -> None:
    for X in (np.ones((3, 2), np.float32), np.asfortranarray(np.ones((3, 2)))):
        assert check_table(BaseEstimator(), X).X is X


def test_missing_cells_are_taken_and_infinite_ones_are_not() -> None:
    X = np.ones((4, 3))
    X[1, 2] = np.nan
    assert np.isnan(check_table(BaseEstimator(), X).X[1, 2])
    X[2, 1] = -np.inf
    with pytest.raises(InputError, match="infinity: row 2, column 1"):
        check_table(BaseEstimator(), X)
    with pytest.raises(InputError, match="infinity: row 2, column 1"):
        check_table(BaseEstimator(), X, categorical_features=[0])


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (["weight"], "'weight', which is no column"),
        ([3], "X has 3 columns"),
        ([-1], "X has 3 columns"),
        ([1.5], "X has 3 columns"),
        ([True], "mask of 1 columns"),
        ([[0]], "flat list"),
        ("colour", "'from_dtype'"),
    ],
)
def test_columns_that_are_not_there(wrong: Any, words: str) -> None:
    with pytest.raises(InputError, match=words):
        check_table(BaseEstimator(), frame("polars"), categorical_features=wrong)


def test_text_and_categories_that_were_not_named() -> None:
    with pytest.raises(InputError, match="colour"):
        check_table(BaseEstimator(), frame("polars"), categorical_features=None)
    words = pl.DataFrame({"word": ["b", "a"], "size": [1, 2]})
    with pytest.raises(InputError, match="word"):
        check_table(BaseEstimator(), words)
    with pytest.raises(InputError, match=r"word.*categorical_features"):
        check_table(BaseEstimator(), words, categorical_features=["size"])


def test_no_rows() -> None:
    with pytest.raises(InputError, match="0 sample"):
        check_table(BaseEstimator(), frame("polars")[:0])


def test_names_are_compared() -> None:
    learner = BaseEstimator()
    given = frame("pandas")
    table = check_table(learner, given)
    with pytest.raises(InputError, match="feature names"):
        check_like(learner, given[["colour", "size", "heavy"]], table.levels)
    with pytest.raises(InputError, match=r"feature names|features"):
        check_like(learner, given[["colour", "size"]], table.levels)
