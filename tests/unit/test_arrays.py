"""The second gate: what passes comes through untouched, what does not is named by its place."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn.exceptions import DataConversionWarning
from sklearn.utils import compute_class_weight

import inducer
from inducer.base import InputError, Learner
from inducer.base.arrays import (
    Labels,
    check_labels,
    check_length,
    check_weights,
    check_X,
    class_weights,
    codes_in,
    matrix_of,
)

X4 = np.zeros((4, 2))


class Anything(Learner):
    """A learner for its name and its ``n_features_in_``."""


def passed(X: Any, **options: Any) -> Any:
    return check_X(Anything(), X, **{"reset": True, **options}).X


# ---- matrices that pass -------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize(
    "view",
    [
        lambda X: X,
        np.asfortranarray,
        lambda X: X[::2],
        lambda X: X[:, ::-2],
        lambda X: X[::-1, 1:2],
        lambda X: X[:1],
        lambda X: np.broadcast_to(X[0], (5, 6)),
    ],
    ids=["c", "fortran", "rows", "columns", "one column", "one row", "broadcast"],
)
def test_floats_of_any_order_are_not_copied(dtype: type, view: Callable[[Any], Any]) -> None:
    X = view(np.arange(48, dtype=dtype).reshape(8, 6))
    X.flags.writeable = False
    checked = passed(X)
    assert checked.dtype == dtype
    assert checked.strides == X.strides
    assert np.shares_memory(checked, X)
    rows = matrix_of(checked).rows
    assert rows.shape == X.shape
    assert rows.single == (dtype is np.float32)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("make", [sparse.csr_matrix, sparse.csr_array])
def test_sparse_floats_are_not_copied(dtype: type, make: Callable[[Any], Any]) -> None:
    X = make(np.eye(5, 4, dtype=dtype))
    checked = passed(X)
    assert checked.dtype == dtype
    for part in ("data", "indices", "indptr"):
        assert np.shares_memory(getattr(checked, part), getattr(X, part))
    assert matrix_of(checked).rows.shape == (5, 4)


@pytest.mark.parametrize(
    "X",
    [
        np.arange(6).reshape(3, 2),
        np.ones((3, 2), dtype=bool),
        np.ones((3, 2), dtype=np.float16),
        np.ones((3, 2), dtype=">f8"),
        np.ones((3, 2), dtype=">f4"),
        np.ones((3, 2), dtype=np.longdouble),
        np.array([[1, 2.5], [True, 4]], dtype=object),
        [[1, 2], [3, 4]],
        sparse.csr_array(np.eye(3, dtype=np.int8)),
        sparse.csc_matrix(np.eye(3)),
        sparse.coo_array(np.eye(3)),
        sparse.lil_array(np.eye(3)),
        sparse.dok_array(np.eye(3)),
        sparse.dia_array(np.eye(3)),
        sparse.bsr_array(np.eye(4), blocksize=(2, 2)),
    ],
    ids=lambda X: f"{type(X).__name__}-{getattr(X, 'dtype', '')}",
)
def test_other_numbers_are_converted(X: Any) -> None:
    checked = passed(X)
    assert checked.dtype in (np.float64, np.float32)
    assert checked.dtype.isnative
    dense = [A.toarray() if sparse.issparse(A) else np.asarray(A, float) for A in (checked, X)]
    np.testing.assert_array_equal(*dense)


def test_a_field_of_packed_records() -> None:
    """Its steps are no multiple of the size of a number, which no kernel can go through."""
    records = np.zeros(5, dtype=[("tag", "i1"), ("x", "f8", 3)])
    records["x"] = np.arange(15).reshape(5, 3)
    checked = passed(records["x"])
    np.testing.assert_array_equal(checked, np.arange(15).reshape(5, 3))
    assert checked.flags.aligned
    assert matrix_of(checked).rows.first_nonfinite(1) is None


def test_masked_array_without_masked_cells() -> None:
    checked = passed(np.ma.MaskedArray(np.eye(3)))
    np.testing.assert_array_equal(np.asarray(checked), np.eye(3))


@pytest.mark.parametrize("library", [pd.DataFrame, pl.DataFrame])
def test_frames_give_their_names(library: Callable[[Any], Any]) -> None:
    learner = Anything()
    frame = library({"size": [1.0, 2.0], "count": [3, 4]})
    np.testing.assert_array_equal(check_X(learner, frame, reset=True).X, [[1, 3], [2, 4]])
    assert learner.feature_names_in_.tolist() == ["size", "count"]
    with pytest.raises(InputError, match="feature names"):
        check_X(learner, library({"count": [1], "size": [2]}), reset=False)


def test_width_is_remembered() -> None:
    learner = Anything()
    check_X(learner, X4, reset=True)
    with pytest.raises(InputError, match=r"3 features, but Anything is expecting 2"):
        check_X(learner, np.ones((4, 3)), reset=False)


# ---- matrices that do not -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("X", "words"),
    [
        (np.empty((0, 2)), "0 sample"),
        (np.empty((2, 0)), "0 feature"),
        (np.ones(3), "Expected 2D array, got 1D"),
        (np.ones((2, 2, 2)), "dim 3"),
        (3.0, "Expected 2D array, got scalar"),
        (np.ones((2, 2)) * 1j, "Complex data not supported"),
        ([["a", "b"]], "could not convert string to float: 'a'"),
        (np.array([[1, "x"]], dtype=object), "could not convert string to float: 'x'"),
        (np.array([["1", "2"]]), "text, though it looks like numbers .row 0, column 0: '1'"),
        ([[1.0, "2"]], "X holds text"),
        (np.array([[1.0, 2.0], [3.0, "4"]], dtype=object), "row 1, column 1: '4'"),
        (pd.DataFrame({"a": [1.0], "b": ["2"]}), r"X holds text.*columns \['b'\]"),
        (pl.DataFrame({"a": [1.0], "b": ["2"]}), r"X holds text.*columns \['b'\]"),
        (pl.LazyFrame({"a": [1.0]}), "lazy frame: call its collect"),
        (sparse.coo_array(np.ones(3)).tocsr(), "Expected 2D input, got input with shape"),
        (sparse.csr_array((0, 3)), "0 sample"),
        (
            np.ma.MaskedArray(np.eye(3), mask=[[0, 0, 0], [0, 0, 1], [1, 0, 0]]),
            r"X is a masked array.* row 1, column 2.*filled",
        ),
        (pd.DataFrame({"a": [1.0], "b": ["x"]}), r"Columns without numbers: \['b'\]; encode"),
        (pl.DataFrame({"a": [1.0], "b": ["x"]}), r"Columns without numbers: \['b'\]; encode"),
        (
            pd.DataFrame({"a": [1.0], "when": pd.to_datetime(["2020-01-01"])}),
            r"dates or times: \['when'\]",
        ),
        (
            pl.DataFrame({"a": [1.0], "when": ["2020-01-01"]}).with_columns(
                pl.col("when").str.to_date()
            ),
            r"dates or times: \['when'\]",
        ),
    ],
    ids=lambda value: value[:25] if isinstance(value, str) else type(value).__name__,
)
def test_what_is_no_matrix_of_numbers(X: Any, words: str) -> None:
    with pytest.raises(InputError, match=words):
        passed(X)


def test_sparse_where_it_is_not_taken() -> None:
    with pytest.raises((TypeError, InputError), match="Sparse data was passed"):
        passed(sparse.csr_array(np.eye(3)), accept_sparse=False)


def test_objects_that_are_no_numbers() -> None:
    """scikit-learn's contract wants a TypeError here."""
    with pytest.raises(TypeError, match="number"):
        passed(np.array([[1, {}]], dtype=object))


def test_y_that_is_missing() -> None:
    class Supervised(Anything):
        def __sklearn_tags__(self) -> Any:
            tags = super().__sklearn_tags__()
            tags.target_tags.required = True
            return tags

    with pytest.raises(ValueError, match="requires y to be passed, but the target y is None"):
        check_X(Supervised(), X4, reset=True, y=None)


PLACES = [(0, 0), (7, 3), (4999, 9), (2500, 0)]


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("order", ["C", "F", "strided", "csr"])
def test_the_cell_that_is_not_finite_is_named(
    place: tuple[int, int], dtype: type, order: str
) -> None:
    X = np.ones((5000, 10), dtype=dtype)
    for value, name in ((np.nan, "NaN"), (np.inf, "infinity"), (-np.inf, "infinity")):
        X[place] = value
        X[-1, -1] = value  # the first one counts
        given: Any = {
            "C": lambda: X,
            "F": lambda: np.asfortranarray(X),
            "strided": lambda: np.repeat(X, 2, axis=1)[:, ::2],
            "csr": lambda: sparse.csr_array(X),
        }[order]()
        for number in (1, 3):
            words = rf"Input X contains {name}: row {place[0]}, column {place[1]}\. Anything needs"
            with inducer.threads(number), pytest.raises(InputError, match=words):
                passed(given)


@pytest.mark.parametrize("library", [pd.DataFrame, pl.DataFrame])
def test_the_column_is_named_by_its_name(library: Callable[[Any], Any]) -> None:
    frame = library({"size": [1.0, 2.0], "count": [3.0, float("nan")]})
    with pytest.raises(InputError, match=r"row 1, column 1 \('count'\).*Fill missing cells"):
        passed(frame)


def test_missing_cells_of_frames() -> None:
    for frame in (
        pd.DataFrame({"a": pd.array([1, None], dtype="Int64")}),
        pl.DataFrame([[1, None]]),
    ):
        with pytest.raises(InputError, match=r"NaN: row 1, column 0"):
            passed(frame)


# ---- sparse matrices that are not what they claim -----------------------------------------------


def broken(kind: str, change: Callable[[Any], None]) -> Any:
    options = {"blocksize": (2, 2)} if kind == "bsr" else {}
    make = getattr(sparse, f"{kind}_array")
    X = make(np.arange(16.0).reshape(4, 4) + 1, **options)
    change(X)
    return X


def set_index(value: int, dtype: type = np.int32) -> Callable[[Any], None]:
    def change(X: Any) -> None:
        X.indices = X.indices.astype(dtype)
        X.indices[2] = value

    return change


def set_pointer(at: int, value: int) -> Callable[[Any], None]:
    def change(X: Any) -> None:
        X.indptr[at] = value

    return change


def shorten(part: str) -> Callable[[Any], None]:
    return lambda X: setattr(X, part, getattr(X, part)[:-1])


def set_coordinate(axis: int, value: int) -> Callable[[Any], None]:
    def change(X: Any) -> None:
        X.coords[axis][3] = value

    return change


@pytest.mark.parametrize(
    ("kind", "change", "words"),
    [
        ("csr", set_index(4), "row 0 has a value in column 4, but there are 4 columns"),
        ("csr", set_index(-1), "row 0 has a value in column -1"),
        ("csr", set_index(2**31 - 1), "row 0 has a value in column 2147483647"),
        ("csr", set_index(2**40, np.int64), "row 0 has a value in column 1099511627776"),
        ("csr", set_index(2**32, np.int64), "row 0 has a value in column 4294967296"),
        ("csr", set_index(-(2**33), np.int64), "row 0 has a value in column -8589934592"),
        ("csr", set_pointer(0, 1), r"pointers do not rise"),
        ("csr", set_pointer(2, 1), r"pointers do not rise.*\(row 1\)"),
        ("csr", set_pointer(2, -5), r"pointers do not rise"),
        ("csr", set_pointer(4, 10**6), "."),
        ("csr", shorten("indptr"), "."),
        ("csr", shorten("indices"), "."),
        ("csr", shorten("data"), "."),
        ("csc", set_index(10**6), "column 0 has a value in row 1000000, but there are 4 rows"),
        ("csc", set_index(2**40, np.int64), "column 0 has a value in row 1099511627776"),
        ("csc", set_pointer(1, -7), r"pointers do not rise.*column 0"),
        ("csc", set_pointer(4, 10**6), r"pointers do not rise"),
        ("csc", shorten("data"), "15 values have 16 indices"),
        ("bsr", set_index(10**6), "block row 1 has a value in block column 1000000"),
        ("bsr", set_pointer(1, 10**6), "pointers do not rise"),
        ("coo", set_coordinate(0, 10**6), "a value is in row 1000000, but there are 4 rows"),
        ("coo", set_coordinate(1, -3), "a value is in column -3"),
        ("coo", shorten("data"), "15 values have 16 row numbers"),
    ],
)
def test_unsound_sparse_matrices(kind: str, change: Callable[[Any], None], words: str) -> None:
    """Some of these would make SciPy write outside of its arrays."""
    with pytest.raises(InputError, match=words):
        passed(broken(kind, change))


def test_lists_with_a_column_outside() -> None:
    X = sparse.lil_array(np.eye(3))
    X.rows[1] = [7]
    with pytest.raises(InputError, match="row 1 has a value in column 7"):
        passed(X)


@pytest.mark.parametrize("dtype", [np.int32, np.int64])
def test_int64_indices_and_unsorted_columns(dtype: type) -> None:
    indices = np.array([2, 0, 1, 1, 1], dtype=dtype)  # unsorted, then repeated
    X = sparse.csr_array(
        (np.array([1.0, 2, 3, 4, 5]), indices.copy(), np.array([0, 2, 5], dtype=dtype)), (2, 3)
    )
    X.indices, X.indptr = X.indices.astype(dtype), X.indptr.astype(dtype)
    X.has_sorted_indices = X.has_canonical_format = True  # as somebody may wrongly have said
    checked = passed(X)
    np.testing.assert_array_equal(checked.toarray(), [[2, 0, 1], [0, 12, 0]])
    np.testing.assert_array_equal(checked.indices, [0, 2, 1])
    np.testing.assert_array_equal(X.indices, indices)  # the user's matrix is as it was
    assert matrix_of(checked).rows.shape == (2, 3)


def test_too_many_columns() -> None:
    with pytest.raises(InputError, match="at most 2147483647"):
        passed(sparse.csr_array((3, 2**31)))


# ---- labels -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("y", "classes"),
    [
        ([0, 1, 0, 1], [0, 1]),
        ([True, False, True, True], [False, True]),
        (["b", "a", "b", "c"], ["a", "b", "c"]),
        (np.array(["b", "a", "b", "c"], dtype=object), ["a", "b", "c"]),
        (np.array([b"b", b"a", b"b", b"c"]), [b"a", b"b", b"c"]),
        ([3.0, -1.0, 3.0, 3.0], [-1.0, 3.0]),
        (np.float32([1, 2, 1, 2]), [1.0, 2.0]),
        (np.array([1, 2.0, True, 2], dtype=object), [1, 2]),
        (np.array([-128, 127, -128, 127], dtype=np.int8), [-128, 127]),
        (np.array([2**64 - 1, 0, 0, 5], dtype=np.uint64), [0, 5, 2**64 - 1]),
        (np.array([-(2**63), 2**63 - 1, 0, 0]), [-(2**63), 0, 2**63 - 1]),
        (np.array([10**9, 10**9 + 1, 0, 0]), [0, 10**9, 10**9 + 1]),
        (np.array([1, 0, 1, 0], dtype=">i4"), [0, 1]),
        (np.array([9, 5, 9, 5, 9, 5, 9, 5], dtype=np.uint16)[::2], None),
        (np.array(["2021", "2020", "2020", "2021"], dtype="M8[Y]"), None),
        (pd.Series(["b", "a", "b", "a"], index=[5, 6, 7, 8]), ["a", "b"]),
        (pd.Series(["b", "a", "b", "a"], dtype="category"), ["a", "b"]),
        (np.array([1, 0, 1, 0], dtype=object), [0, 1]),
        (np.array([True, False, True, False], dtype=object), [False, True]),
        (pd.Series([True, False, True, True], dtype="boolean"), [False, True]),
        (pd.Series([4, 2, 4, 2], dtype="Int64"), [2, 4]),
        (pd.Series([4, 2, 4, 2], dtype="UInt8"), [2, 4]),
        (pl.Series(["b", "a", "b", "a"]), ["a", "b"]),
        (pl.Series(["b", "a", "b", "a"], dtype=pl.Categorical), ["a", "b"]),
        (pl.Series([7, 5, 7, 5]), [5, 7]),
    ],
    ids=lambda value: f"{type(value).__name__}-{getattr(value, 'dtype', '')}",
)
def test_labels_of_all_kinds(y: Any, classes: list[Any] | None) -> None:
    given = np.asarray(y)
    if len(set(given.tolist())) < 2:
        with pytest.raises(InputError, match="one class only, 9:"):
            check_labels(y, X4)
        return
    labels = check_labels(y, X4)
    assert labels.codes.dtype == np.int32
    assert labels.classes[labels.codes].tolist() == given.tolist()
    assert labels.classes.tolist() == sorted(set(given.tolist()))
    if given.dtype.kind in "biufSU":
        assert labels.classes.dtype == given.dtype
    if classes is not None:
        assert labels.classes.tolist() == classes
        known = codes_in(y, labels.classes, X4)
        assert known.dtype == np.int32
        np.testing.assert_array_equal(known, labels.codes)


def test_counting_gives_what_sorting_gives() -> None:
    rng = np.random.default_rng(0)
    for low, high in ((-3, 3), (100, 5000), (-(2**40), 2**40)):
        y = rng.integers(low, high, size=500)
        labels = check_labels(y, np.empty((500, 1)))
        classes, codes = np.unique(y, return_inverse=True)
        np.testing.assert_array_equal(labels.classes, classes)
        np.testing.assert_array_equal(labels.codes, codes)


@pytest.mark.parametrize(
    ("y", "words"),
    [
        ([0, 1, float("nan"), 1], r"Input y contains NaN\. See row 2"),
        ([0, 1, 0, float("inf")], r"Input y contains infinity.* See row 3"),
        ([0, 0.5, 1, 1], "Unknown label type: continuous"),
        (np.array([None, 1, 1, 0], dtype=object), r"y is missing in row 0 \(None\)"),
        (np.array(["a", "b", float("nan"), "a"], dtype=object), r"missing in row 2 \(nan\)"),
        (np.array(["a", pd.NA, "b", "a"], dtype=object), r"missing in row 1 \(<NA>\)"),
        (pd.Series([1, 0, None, 1], dtype="Int64"), r"contains NaN\. See row 2"),
        (pd.Series(["a", None, "b", "a"]), "missing in row 1"),
        (pl.Series(["a", "b", None, "a"]), r"missing in row 2 \(None\)"),
        (np.array(["2020", "NaT", "2021", "2020"], dtype="M8[Y]"), r"missing in row 1 \(NaT\)"),
        (np.array([0, 0.5, 1, 1], dtype=object), "Unknown label type: continuous"),
        (np.array([(1,), (2,), (1,), (2,), 0], dtype=object)[:4], "legacy multi-label"),
        (pl.Series([1, 0, 1, None]), r"contains NaN\. See row 3"),
        (
            np.array(["a", "b", 1, "a"], dtype=object),
            r"several kinds \(str in row 0, float in row 2\)",
        ),
        (np.ma.MaskedArray([0, 1, 0, 1], mask=[0, 1, 0, 0]), "y is a masked array.* row 1"),
        (["a", 1, 2, "a"], r"several kinds \(str in row 0, float in row 1\)"),
        ([1, 1, 1, 1], r"hold one class only, 1:"),
        (["x"] * 4, r"hold one class only, 'x':"),
        ([0, 1], "4 rows, 2 values"),
        (np.ones((4, 2)), r"1d array, got an array of shape \(4, 2\)"),
        (3, "1d array"),
        ([1j, 2, 3, 4], "Complex data not supported"),
        ([[1], [2, 3], [1], [2]], "."),
        (np.array([[1], [2, 3], [1], [2], 0], dtype=object)[:4], "."),
    ],
    ids=lambda value: value[:30] if isinstance(value, str) else type(value).__name__,
)
def test_labels_that_do_not_pass(y: Any, words: str) -> None:
    with pytest.raises(InputError, match=words):
        check_labels(y, X4)


def test_labels_name_the_learner() -> None:
    with pytest.raises(InputError, match="The labels of Anything hold one class"):
        check_labels([1, 1, 1, 1], X4, learner=Anything())


def test_a_column_of_labels_is_a_vector_with_a_warning() -> None:
    for y in (np.array([[0], [1], [0], [1]]), pd.DataFrame({"y": [0, 1, 0, 1]})):
        with pytest.warns(DataConversionWarning, match="column-vector"):
            labels = check_labels(y, X4)
        assert labels.codes.tolist() == [0, 1, 0, 1]


@pytest.mark.parametrize(
    ("y", "classes", "words"),
    [
        ([0, 1, 2, 1], [0, 1], "y holds 2 in row 2, which is not among the classes"),
        ([-1, 1, 0, 1], [0, 1], "y holds -1 in row 0"),
        (["a", "b", "c", "a"], ["a", "b"], "y holds 'c' in row 2"),
        (["a", "b", "a", "b"], [0, 1], "y holds 'a' in row 0"),
        ([0, 1, 0, 1], ["a", "b"], "y holds 0 in row 0"),
        ([0, 1, 0.5, 1], [0, 1], "y holds 0.5 in row 2"),
        ([0, 1, float("nan"), 1], [0, 1], "contains NaN. See row 2"),
        (np.array([0, None, 1, 1], dtype=object), [0, 1], "missing in row 1"),
        ([0, 1], [0, 1], "4 rows, 2 values"),
        (np.ones((4, 2)), [0, 1], "1d array"),
    ],
)
def test_labels_that_are_not_among_the_classes(y: Any, classes: list[Any], words: str) -> None:
    with pytest.raises(InputError, match=words):
        codes_in(y, np.array(classes), X4)


def test_lengths() -> None:
    check_length([1, 2, 3, 4], X4, "group")
    with pytest.raises(InputError, match="X and group have inconsistent numbers of samples"):
        check_length([1], X4, "group")


# ---- weights ------------------------------------------------------------------------------------


def test_weights_that_pass() -> None:
    assert check_weights(None, X4) is None
    kept = np.array([0.0, 1.0, 2.5, 1e-300])
    assert check_weights(kept, X4) is kept
    for given in ([1, 2, 3, 4], np.float32([1, 2, 3, 4]), pd.Series([1, 2, 3, 4]), (1, 2, 3, 4)):
        weights = check_weights(given, X4)
        assert weights is not None
        assert weights.dtype == np.float64
        assert weights.tolist() == [1, 2, 3, 4]
    weights = check_weights(2, X4)
    assert weights is not None
    assert weights.tolist() == [2, 2, 2, 2]
    strided = check_weights(np.arange(1.0, 9.0)[::2], X4)
    assert strided is not None
    assert strided.flags.c_contiguous


@pytest.mark.parametrize(
    ("weights", "words"),
    [
        ([1, 1, -0.5, 1], r"-0\.5 in row 2"),
        ([0, 0, 0, 0], "non-zero"),
        ([1, float("nan"), 1, 1], "sample_weight.*NaN"),
        ([1, float("inf"), 1, 1], "sample_weight.*infinity"),
        ([1, 2], r"\(2,\), expected \(4,\)"),
        (np.ones((4, 1)), "1D array"),
        (["a"] * 4, "could not convert"),
        (np.ones(4) * 1j, "Complex"),
        (np.ma.MaskedArray(np.ones(4), mask=[0, 0, 0, 1]), "masked array.* row 3"),
    ],
)
def test_weights_that_do_not(weights: Any, words: str) -> None:
    with pytest.raises(InputError, match=words):
        check_weights(weights, X4)


CLASSES = {
    "integers": np.array([-1, 1]),
    "small integers": np.array([-1, 1], dtype=np.int8),
    "floats": np.array([0.5, 2.0]),
    "booleans": np.array([False, True]),
    "words": np.array(["no", "yes"]),
    "words that are numbers": np.array(["0", "1"]),
    "objects": np.array(["no", "yes"], dtype=object),
    "bytes": np.array([b"no", b"yes"]),
    "dates": np.array(["2020", "2021"], dtype="M8[Y]"),
}
CODES = np.array([0, 1, 1, 1], dtype=np.int32)


@pytest.mark.parametrize("name", CLASSES)
def test_class_weights_of_labels_of_all_kinds(name: str) -> None:
    labels = Labels(CLASSES[name], CODES)
    assert class_weights(None, labels, None) is None
    balanced = class_weights("balanced", labels, None)
    assert balanced is not None
    # 4 rows, 2 classes: n / (K n_k).
    assert balanced.tolist() == [2.0, 4 / 6, 4 / 6, 4 / 6]
    low, high = labels.classes.tolist()
    given = class_weights({low: 3.0, high: 0.5}, labels, np.array([1.0, 2.0, 3.0, 4.0]))
    assert given is not None
    assert given.tolist() == [3.0, 1.0, 1.5, 2.0]
    numpy_keys = dict(zip(labels.classes, (3.0, 0.5), strict=True))
    again = class_weights(numpy_keys, labels, None)
    assert again is not None
    assert again.tolist() == [3.0, 0.5, 0.5, 0.5]


def test_balanced_counts_the_weights() -> None:
    labels = Labels(CLASSES["words"], CODES)
    weights = np.array([1.0, 2.0, 3.0, 4.0])
    by_class = compute_class_weight(
        "balanced", classes=labels.classes, y=labels.classes[CODES], sample_weight=weights
    )
    found = class_weights("balanced", labels, weights)
    assert found is not None
    np.testing.assert_array_equal(found, weights * by_class[CODES])


def test_balanced_with_a_class_whose_rows_do_not_count() -> None:
    found = class_weights("balanced", Labels(CLASSES["words"], CODES), np.array([0.0, 1, 1, 2]))
    assert found is not None
    assert found.tolist() == [0.0, 0.5, 0.5, 1.0]


def test_a_class_without_a_weight_counts_once() -> None:
    found = class_weights({"yes": 3.0}, Labels(CLASSES["words"], CODES), None)
    assert found is not None
    assert found.tolist() == [1.0, 3.0, 3.0, 3.0]


@pytest.mark.parametrize(
    ("class_weight", "words"),
    [
        ({"maybe": 1.0}, r"class_weight names .*maybe.*not among the classes \['no', 'yes'\]"),
        ({"yes": -1.0}, r"class_weight of 'yes' is -1\.0"),
        ({"yes": float("nan")}, "class_weight of 'yes' is nan"),
        ({"no": float("inf")}, "class_weight of 'no' is inf"),
        ({"yes": "much"}, "class_weight: could not convert"),
        ({"yes": 0.0, "no": 0.0}, "non-zero"),
        ("even", "class_weight"),
        ([1.0, 2.0], "class_weight"),
    ],
)
def test_class_weights_that_do_not_pass(class_weight: Any, words: str) -> None:
    with pytest.raises(InputError, match=words):
        class_weights(class_weight, Labels(CLASSES["words"], CODES), None)
