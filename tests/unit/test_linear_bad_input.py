"""What the perceptrons refuse: by name, by place, and never with a crash or a wrong answer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone

from inducer.base import InputError, ParameterError
from inducer.linear import (
    BatchPerceptron,
    DualPerceptron,
    MulticlassPerceptron,
    Perceptron,
    PocketPerceptron,
    VotedPerceptron,
)

LEARNERS = {
    "plain": Perceptron(max_iter=20, tol=None),
    "averaged": Perceptron(average=True, max_iter=20, tol=None),
    "held out": Perceptron(early_stopping=True, validation_fraction=0.3, max_iter=20),
    "multiclass": MulticlassPerceptron(max_iter=20, tol=None),
    "multiclass averaged": MulticlassPerceptron(average=True, max_iter=20, tol=None),
    "voted": VotedPerceptron(max_iter=20, tol=None),
    "pocket": PocketPerceptron(max_iter=50),
    "batch": BatchPerceptron(max_iter=20, tol=None),
    "dual": DualPerceptron(max_iter=20, tol=None),
}
pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

X = np.random.default_rng(0).normal(size=(12, 3))
y = np.arange(12) % 2


@pytest.fixture(params=LEARNERS)
def learner(request: pytest.FixtureRequest) -> Any:
    fresh = clone(LEARNERS[request.param])
    if "random_state" in fresh.get_params():
        fresh.set_params(random_state=0)
    return fresh


def starts() -> Any:
    """Return a parametrization over the learners that take weights to start from."""
    names = [name for name in LEARNERS if name not in ("voted", "dual")]
    return pytest.mark.parametrize("learner", names, indirect=True)


def changed(cell: tuple[int, int], value: float, dtype: Any = np.float64) -> Any:
    copy = X.astype(dtype)
    copy[cell] = value
    return copy


def csr(**arrays: Any) -> Any:
    """Return X as CSR with one of its arrays damaged; SciPy would refuse to build it."""
    matrix = sparse.csr_array(X)
    for name, array in arrays.items():
        setattr(matrix, name, array)
    return matrix


INDICES = sparse.csr_array(X).indices
POINTERS = sparse.csr_array(X).indptr


def put(array: Any, place: int, value: Any, dtype: Any = None) -> Any:
    copy = array.astype(dtype or array.dtype)
    copy[place] = value
    return copy


# ---- X -------------------------------------------------------------------------------------------

BAD_X: dict[str, tuple[Any, str]] = {
    "NaN": (changed((4, 2), np.nan), "NaN: row 4, column 2"),
    "infinity": (changed((4, 2), np.inf), "infinity: row 4, column 2"),
    "NaN in float32": (changed((4, 2), np.nan, np.float32), "NaN: row 4, column 2"),
    "NaN in Fortran order": (np.asfortranarray(changed((4, 2), np.nan)), "NaN: row 4, column 2"),
    "NaN in CSR": (csr(data=put(X.ravel(), 14, np.nan)), "NaN: row 4, column 2"),
    "-infinity in CSR": (csr(data=put(X.ravel(), 14, -np.inf)), "infinity: row 4, column 2"),
    "words": (np.full((12, 3), "word"), "could not convert string to float.*word"),
    "complex numbers": (X * 1j, "Complex data not supported"),
    "no rows": (np.zeros((0, 3)), r"0 sample\(s\)"),
    "no columns": (np.zeros((12, 0)), r"0 feature\(s\)"),
    "no columns in CSR": (sparse.csr_array((12, 0)), r"0 feature\(s\)"),
    "a vector": (X[:, 0], "2D array"),
    "three axes": (X[None], "dim 3"),
    "an index beyond the columns": (
        csr(indices=put(INDICES, 7, 3)),
        "row 2 has a value in column 3, but there are 3 columns",
    ),
    "a negative index": (csr(indices=put(INDICES, 7, -1)), "row 2 has a value in column -1"),
    "an index beyond 32 bits": (
        csr(indices=put(INDICES, 7, 2**32, np.int64), indptr=POINTERS.astype(np.int64)),
        f"row 2 has a value in column {2**32}",
    ),
    "pointers beyond the values": (csr(indptr=put(POINTERS, 5, 10**6)), "pointers.*row 4"),
    "falling pointers": (csr(indptr=put(POINTERS, 5, 2)), "pointers.*row 4"),
    "too few pointers": (csr(indptr=POINTERS[:-1]), "12 rows want 13 pointers"),
    "fewer values than indices": (csr(data=X.ravel()[:-1]), "values have"),
}


@pytest.mark.parametrize("case", BAD_X)
def test_rows_that_cannot_be_used(case: str, learner: Any) -> None:
    rows, words = BAD_X[case]
    with pytest.raises(InputError, match=f"(?s){words}"):
        learner.fit(rows, y)
    learner.fit(X, y)
    with pytest.raises(InputError):
        learner.predict(rows)


def test_columns_out_of_order_are_sorted_and_doubles_added(learner: Any) -> None:
    jumbled = sparse.csr_array((12, 3))
    jumbled.data = np.concatenate([[*x[::-1], 1.0] for x in X])
    jumbled.indices = np.tile(np.array([2, 1, 0, 1], np.int32), 12)
    jumbled.indptr = np.arange(13, dtype=np.int32) * 4
    kept = jumbled.data.copy(), jumbled.indices.copy()
    plain = X + np.array([0.0, 1.0, 0.0])
    # Three products are added alike in a dense and in a sparse row: (x1 + x3) + x2.
    expected = clone(learner).fit(sparse.csr_array(plain), y).decision_function(plain)
    model = learner.fit(jumbled, y)
    np.testing.assert_array_equal(model.decision_function(plain), expected)
    np.testing.assert_array_equal(jumbled.data, kept[0])
    np.testing.assert_array_equal(jumbled.indices, kept[1])


def test_other_columns_than_in_the_fit(learner: Any) -> None:
    learner.fit(X, y)
    with pytest.raises(InputError, match=r"2 features.*expecting 3"):
        learner.predict(X[:, :2])


# ---- y -------------------------------------------------------------------------------------------

BAD_Y: dict[str, tuple[Any, str]] = {
    "one class": (np.full(12, "a"), "one class only, 'a'.*at least two"),
    "too short": (y[:5], "12 rows, 5 values"),
    "too long": (np.tile(y, 2), "12 rows, 24 values"),
    "NaN": (put(y, 3, np.nan, float), "y contains NaN.*row 3"),
    "None": (put(y, 3, None, object), "missing in row 3"),
    "words and numbers": (put(y, 3, "a", object), "several kinds.*str in row 3"),
    "fractions": (X[:, 0], "continuous"),
    "two columns": (np.column_stack([y, y]), "1d array"),
}


@pytest.mark.parametrize("case", BAD_Y)
def test_labels_that_cannot_be_used(case: str, learner: Any) -> None:
    labels, words = BAD_Y[case]
    with pytest.raises(InputError, match=f"(?s){words}"):
        learner.fit(X, labels)


# ---- weights and costs ---------------------------------------------------------------------------

BAD_WEIGHTS: dict[str, tuple[Any, str]] = {
    "negative": (put(np.ones(12), 5, -2.0), "-2.0 in row 5"),
    "NaN": (put(np.ones(12), 5, np.nan), "NaN"),
    "infinite": (put(np.ones(12), 5, np.inf), "infinity"),
    "all zero": (np.zeros(12), "non-zero"),
    "too few": (np.ones(5), r"\(5,\), expected \(12,\)"),
    "words": (["a"] * 12, "string"),
    "two columns": (np.ones((12, 2)), "1D"),
}


@pytest.mark.parametrize("case", BAD_WEIGHTS)
def test_weights_of_rows_that_cannot_be_used(case: str, learner: Any) -> None:
    weights, words = BAD_WEIGHTS[case]
    with pytest.raises(InputError, match=f"(?s)sample_weight.*{words}"):
        learner.fit(X, y, sample_weight=weights)


@pytest.mark.parametrize(
    ("weights", "words"),
    [
        ({7: 1.0}, r"\[7\], not among the classes \[0, 1\]"),
        ({0: -1.0}, "-1.0"),
        ({0: "a"}, "string"),
        ({0: 0.0, 1: 0.0}, "non-zero"),
        ({0: np.nan}, "class_weight of 0 is nan"),
    ],
)
def test_weights_of_classes_that_cannot_be_used(weights: Any, words: str, learner: Any) -> None:
    with pytest.raises(InputError, match=words):
        learner.set_params(class_weight=weights).fit(X, y)


@pytest.mark.parametrize(
    ("cost", "words"),
    [
        (np.zeros((3, 3)), r"\(3, 3\); with 2 classes it must be \(2, 2\)"),
        ([0, 1], r"shape \(2,\)"),
        ([[0, 1], [-1, 0]], "not negative"),
        ([[0, np.nan], [1, 0]], "finite"),
        ([[0, np.inf], [1, 0]], "finite"),
        ([[1, 1], [1, 0]], "zero where the class is right"),
        ([[0, "a"], [1, 0]], "cost: could not convert string"),
        ([[0, 1], [1]], "cost: .*inhomogeneous"),
        ([[0, 0], [0, 0]], "every rule costs nothing"),
    ],
)
def test_costs_that_cannot_be_used(cost: Any, words: str) -> None:
    with pytest.raises(InputError, match=words):
        PocketPerceptron(cost=cost).fit(X, y)


def test_held_out_rows_that_weigh_nothing() -> None:
    model = Perceptron(early_stopping=True, validation_fraction=0.3, random_state=0)
    kept, held = model.fit(X, y)._split(_codes().codes)
    for zeros in (kept, held):
        weights = np.ones(12)
        weights[zeros] = 0
        with pytest.raises(InputError, match=r"early_stopping: .* weigh nothing"):
            model.fit(X, y, sample_weight=weights)
    with pytest.raises(InputError, match="early_stopping: "):
        model.set_params(validation_fraction=0.01).fit(X, y)


def _codes() -> Any:
    from inducer.base.arrays import Labels

    return Labels(np.array([0, 1]), y.astype(np.int32))


# ---- weights to start from -----------------------------------------------------------------------


@starts()
@pytest.mark.parametrize("argument", ["coef_init", "intercept_init"])
@pytest.mark.parametrize(
    ("value", "words"),
    [
        (np.ones((4, 4)), r"has shape \(4, 4\), expected"),
        (np.ones(7), r"has shape \(7,\), expected"),
        (["a", "b"], "string"),
        ([[1.0], [2.0, 3.0]], "inhomogeneous"),
        ([1j, 1j], "complex"),
        (sparse.csr_array(np.ones((1, 3))), "sequence"),
    ],
)
def test_starts_that_cannot_be_used(argument: str, value: Any, words: str, learner: Any) -> None:
    with pytest.raises(InputError, match=f"(?s){argument}.*{words}"):
        learner.fit(X, y, **{argument: value})


@starts()
@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_starts_that_are_not_finite(value: float, learner: Any) -> None:
    shape = learner.fit(X, y).coef_.shape
    for argument, size in (("coef_init", shape), ("intercept_init", shape[:1])):
        with pytest.raises(InputError, match=f"{argument} holds NaN, infinity"):
            learner.fit(X, y, **{argument: np.full(size, value)})


@starts()
def test_starts_too_large_for_single_precision(learner: Any) -> None:
    rows = X.astype(np.float32)
    shape = learner.fit(rows, y).coef_.shape
    with pytest.raises(InputError, match=r"too large|overflowed"):
        learner.fit(rows, y, coef_init=np.full(shape, 1e300))


@starts()
def test_a_transposed_start_is_not_taken_for_the_right_one(learner: Any) -> None:
    """As many numbers, but those of other features."""
    labels = np.arange(12) % 3
    wide = np.column_stack([X, X])
    with pytest.raises(InputError, match=r"shape \(6, 3\), expected \(3, 6\)"):
        learner.fit(wide, labels, coef_init=np.ones((6, 3)))


# ---- huge and tiny -------------------------------------------------------------------------------


@pytest.mark.parametrize("scale", [1e200, 1e300, 1.7e307])
def test_huge_features_are_refused(scale: float, learner: Any) -> None:
    """Products of two of them overflow, and infinity less infinity is no score."""
    with pytest.raises(InputError, match=r"(?s)overflowed.*Scale|infinity.*Scale"):
        learner.fit(X * scale, y).predict(X * scale)


def test_huge_features_in_single_precision_are_refused(learner: Any) -> None:
    rows = (X / np.abs(X).max() * 3e38).astype(np.float32)
    with pytest.raises(InputError, match=r"(?s)overflowed.*Scale|infinity.*Scale"):
        learner.fit(rows, y).predict(rows)


def test_huge_features_in_predict_are_refused(learner: Any) -> None:
    learner.fit(X * 1e20, y)
    rows = np.tile([1e300, -1e300, 1e300], (4, 1)) * [[1], [-1], [1], [-1]]
    rows[:, 1:] *= np.sign(learner.coef_[0, 1:]) if hasattr(learner, "coef_") else 1
    with pytest.raises(InputError, match=r"(?s)overflowed in row 0|infinity.*Scale"):
        learner.predict(np.vstack([rows, -rows, rows * [1, -1, 1], rows * [1, 1, -1]]))


@pytest.mark.parametrize("scale", [1e-300, 1e-320])
def test_tiny_features_have_finite_answers(scale: float, learner: Any) -> None:
    """Beside offsets of one they are nothing: all rows are of one class."""
    model = learner.fit(X * scale, y)
    assert np.isfinite(model.decision_function(X * scale)).all()
    assert len(set(model.predict(X * scale).tolist())) == 1


@pytest.mark.parametrize("power", [-300, 300])
def test_scales_that_fit_change_nothing(power: int, learner: Any) -> None:
    """Powers of two scale without rounding; without offsets the mistakes are the same."""
    learner.set_params(fit_intercept=False)
    near = clone(learner).fit(X, y)
    far = learner.fit(X * 2.0**power, y)
    assert far.n_mistakes_ == near.n_mistakes_
    np.testing.assert_array_equal(far.predict(X * 2.0**power), near.predict(X))


def test_huge_weights_of_rows_are_refused_or_right(learner: Any) -> None:
    weights = np.full(12, 1e308)
    if isinstance(learner, PocketPerceptron):
        # They are costs there: two mistakes overflow, and lose to one.
        model = learner.set_params(max_iter=500).fit(X, y, sample_weight=weights)
        assert model.cost_ == 1e308
        assert model.n_mistakes_ == 1
    else:
        with pytest.raises(InputError, match="overflowed"):
            learner.fit(X, y, sample_weight=weights)


# ---- partial_fit ---------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", [Perceptron, MulticlassPerceptron])
@pytest.mark.parametrize("average", [False, True])
def test_partial_fit_refuses(kind: Callable[..., Any], average: bool) -> None:
    model = kind(average=average, shuffle="never")
    with pytest.raises(InputError, match="name all classes in the first call"):
        model.partial_fit(X, y)
    with pytest.raises(InputError, match="one class only"):
        model.partial_fit(X, y, classes=[1])
    with pytest.raises(InputError, match="'b' in row 1, which is not among the classes"):
        model.partial_fit(X[:2], ["a", "b"], classes=["a", "c"])
    with pytest.raises(InputError, match="balanced"):
        kind(class_weight="balanced").partial_fit(X, y, classes=[0, 1])
    model.partial_fit(X, y, classes=[0, 1])
    before = model.coef_.copy(), model.t_
    for labels, classes, words in (
        (y, [0, 1, 2], "not the .* of the first call"),
        (y, [0, "a"], "classes"),
        (y + 1, None, "2 in row 1, which is not among the classes"),
        (y[:3], None, "12 rows, 3 values"),
    ):
        with pytest.raises(InputError, match=words):
            model.partial_fit(X, labels, classes=classes)
    with pytest.raises(InputError, match="2 features"):
        model.partial_fit(X[:, :2], y)
    np.testing.assert_array_equal(model.coef_, before[0])
    assert model.t_ == before[1]
    # A class that is missing from some rows is no matter.
    model.partial_fit(X[y == 1], y[y == 1])
    assert model.t_ == before[1] + 6


@pytest.mark.parametrize("kind", [Perceptron, MulticlassPerceptron])
def test_warm_start_refuses_other_problems(kind: Callable[..., Any]) -> None:
    model = kind(warm_start=True, max_iter=2, tol=None).fit(X, y)
    with pytest.raises(InputError, match=r"classes were \[0, 1\] and now are \[0, 1, 2\]"):
        model.fit(X, np.arange(12) % 3)
    with pytest.raises(InputError, match="warm_start: X had 3 features and now has 2"):
        model.fit(X[:, :2], y)


@pytest.mark.parametrize("kind", [Perceptron, MulticlassPerceptron])
@pytest.mark.parametrize("average", [False, True])
def test_a_start_goes_before_a_warm_start(kind: Callable[..., Any], average: bool) -> None:
    model = kind(average=average, warm_start=True, max_iter=1, tol=None, shuffle="never")
    cold = clone(model)
    shape = model.fit(X, y).coef_.shape
    start = {"coef_init": np.ones(shape), "intercept_init": np.ones(shape[0])}
    np.testing.assert_array_equal(model.fit(X, y, **start).coef_, cold.fit(X, y, **start).coef_)


# ---- kernels of the dual -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kernel", "words"),
    [
        (lambda _A, _B: np.ones((2, 2)), r"shape \(2, 2\) for 12 and 1 rows"),
        (lambda A, B: np.full((len(A), len(B)), np.nan), "NaN or infinity"),
    ],
)
def test_kernels_that_cannot_be_used(kernel: Any, words: str) -> None:
    with pytest.raises(InputError, match=words):
        DualPerceptron(kernel=kernel).fit(X, y)


def test_precomputed_kernels_are_square() -> None:
    with pytest.raises(InputError, match=r"square; X has shape \(12, 3\)"):
        DualPerceptron(kernel="precomputed").fit(X, y)


def test_no_threads_are_too_few() -> None:
    with pytest.raises(ParameterError, match="n_jobs: 0 threads"):
        Perceptron(n_jobs=0).fit(X, y)
