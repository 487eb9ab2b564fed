"""`Perceptron` against CIML A5 and A7, bit for bit; the numbers of the books; scikit-learn."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from scipy import sparse
from sklearn.linear_model import Perceptron as TheirPerceptron
from sklearn.linear_model import SGDClassifier

from inducer._core.base import isa, permutation, random_words, use_isa
from inducer.base.random import kernel_seed
from inducer.datasets import bankruptcy
from inducer.linear import Perceptron
from reference import transcriptions
from reference.examples import LAYOUTS, examples, row_weights, signs
from reference.transcriptions import make_passes, orders, visited

SHUFFLES = ("every", "once", "never")


def transcribed(
    X: Any,
    codes: Any,
    *,
    seed: int = 0,
    positive: int = 1,
    stream: int = 0,
    max_iter: int = 4,
    tol: float | None = None,
    patience: int = 5,
    shuffle: str = "every",
    weights: Any = None,
    rate: float = 1.0,
    fit_intercept: bool = True,
    start: tuple[Any, float] | None = None,
) -> tuple[transcriptions.Perceptron, transcriptions.Passes]:
    """Return A5 and A7 after their passes."""
    walk = transcriptions.Perceptron(
        X,
        signs(codes, positive),
        weights=weights,
        rate=rate,
        fit_intercept=fit_intercept,
    )
    if start is not None:
        walk.w[:], walk.b = start
    passes = make_passes(
        walk.visit,
        orders(visited(X.shape[0], weights), shuffle, kernel_seed(seed), stream),
        float(X.shape[0]) if weights is None else float(weights.sum()),
        max_iter=max_iter,
        tol=tol,
        patience=patience,
    )
    return walk, passes


def assert_equal_weights(model: Perceptron, w: Any, b: Any) -> None:
    assert model.coef_.dtype == np.asarray(w).dtype
    np.testing.assert_array_equal(model.coef_, np.atleast_2d(w))
    np.testing.assert_array_equal(model.intercept_, np.atleast_1d(b))


# ---- weight for weight -------------------------------------------------------------------------


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("shuffle", SHUFFLES)
@pytest.mark.parametrize("average", [False, True])
def test_two_classes(layout: str, shuffle: str, average: bool) -> None:
    X, codes = examples(layout)
    model = Perceptron(average=average, max_iter=4, tol=None, shuffle=shuffle, random_state=3).fit(
        X, codes
    )
    walk, passes = transcribed(X, codes, seed=3, shuffle=shuffle)
    assert_equal_weights(model, *(walk.averaged() if average else (walk.w, walk.b)))
    assert model.n_mistakes_ == sum(passes.mistakes) > 20
    assert model.n_iter_ == passes.made == 4
    assert model.t_ == walk.c


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("average", [False, True])
def test_weights_rate_and_no_intercept(layout: str, average: bool) -> None:
    X, codes = examples(layout)
    weights = row_weights()
    for rate, fit_intercept in itertools.product((0.3, 1.0), (False, True)):
        model = Perceptron(
            average=average,
            max_iter=4,
            tol=None,
            eta0=rate,
            fit_intercept=fit_intercept,
            random_state=1,
        ).fit(X, codes, sample_weight=weights)
        walk, passes = transcribed(
            X, codes, seed=1, weights=weights, rate=rate, fit_intercept=fit_intercept
        )
        assert_equal_weights(model, *(walk.averaged() if average else (walk.w, walk.b)))
        assert model.n_mistakes_ == sum(passes.mistakes)
        assert (model.intercept_[0] == 0) == (not fit_intercept)


@pytest.mark.parametrize("layout", ["float64", "csr float32"])
@pytest.mark.parametrize("average", [False, True])
def test_one_versus_all(layout: str, average: bool) -> None:
    """Class k is a problem of its own, with the stream of random numbers k."""
    X, codes = examples(layout, classes=4)
    model = Perceptron(average=average, max_iter=3, tol=None, random_state=2).fit(X, codes)
    walks = [transcribed(X, codes, seed=2, positive=k, stream=k, max_iter=3)[0] for k in range(4)]
    found = [walk.averaged() if average else (walk.w, walk.b) for walk in walks]
    assert_equal_weights(model, np.stack([w for w, _ in found]), [b for _, b in found])


@pytest.mark.parametrize("tol", [1e-3, 0.3])
def test_passes_end_as_they_are_said_to(tol: float) -> None:
    X, codes = examples("float64", rows=60, cols=7)
    model = Perceptron(max_iter=500, tol=tol, n_iter_no_change=3, random_state=0).fit(X, codes)
    walk, passes = transcribed(X, codes, max_iter=500, tol=tol, patience=3)
    assert model.n_iter_ == passes.made < 500
    assert passes.mistakes[-1] > 0
    assert_equal_weights(model, walk.w, walk.b)


def test_class_weights_are_weights_of_rows() -> None:
    X, codes = examples("float64", classes=3)
    weights = row_weights()
    given = {0: 0.5, 1: 3.0, 2: 0.0}
    model = Perceptron(max_iter=3, tol=None, class_weight=given, random_state=0)
    model.fit(X, codes, sample_weight=weights)
    rows = np.array([given[code] for code in codes]) * weights
    for k in range(3):
        walk, _ = transcribed(X, codes, positive=k, stream=k, max_iter=3, weights=rows)
        np.testing.assert_array_equal(model.coef_[k], walk.w)


def test_balanced_class_weights() -> None:
    X, codes = examples("float64")
    model = Perceptron(max_iter=3, tol=None, class_weight="balanced", random_state=0)
    model.fit(X, codes)
    rows = (len(codes) / (2 * np.bincount(codes)))[codes]
    walk, _ = transcribed(X, codes, max_iter=3, weights=rows)
    assert_equal_weights(model, walk.w, walk.b)


@pytest.mark.parametrize("average", [False, True])
def test_given_weights_to_start_from(average: bool) -> None:
    X, codes = examples("float64")
    start = np.linspace(-1, 1, 41), 0.75
    model = Perceptron(average=average, max_iter=2, tol=None, random_state=0)
    model.fit(X, codes, coef_init=start[0], intercept_init=start[1])
    walk, _ = transcribed(X, codes, max_iter=2, start=start)
    assert_equal_weights(model, *(walk.averaged() if average else (walk.w, walk.b)))


@pytest.mark.parametrize("level", ["plain", "v2", "v3", "v4"])
def test_every_instruction_set_adds_in_the_same_order(level: str) -> None:
    before = isa()
    if not use_isa(level):
        pytest.skip(f"no {level} here")
    try:
        for layout in ("float32", "csr float64"):
            X, codes = examples(layout)
            model = Perceptron(average=True, max_iter=3, tol=None, random_state=0).fit(X, codes)
            walk, _ = transcribed(X, codes, max_iter=3)
            assert_equal_weights(model, *walk.averaged())
    finally:
        use_isa(before)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_scores_add_in_the_same_order(layout: str) -> None:
    X, codes = examples(layout)
    model = Perceptron(max_iter=3, tol=None, random_state=0).fit(X, codes)
    w, b = model.coef_[0], model.coef_.dtype.type(model.intercept_[0])
    scores = [model.coef_.dtype.type(x.dot(w)) + b for x in transcriptions.rows_of(X)]
    np.testing.assert_array_equal(model.decision_function(X), scores)


# ---- many calls --------------------------------------------------------------------------------


def walk_on(
    walk: transcriptions.Perceptron, X: Any, shuffle: str, first: int, passes: int
) -> transcriptions.Passes:
    """Make more passes; a call begins with the rows as they come, at its place in the stream."""
    order = orders(np.arange(X.shape[0]), shuffle, kernel_seed(0), 0, first)
    return make_passes(walk.visit, order, X.shape[0], max_iter=passes, tol=None)


@pytest.mark.parametrize("layout", ["float64", "csr float32"])
@pytest.mark.parametrize("shuffle", SHUFFLES)
@pytest.mark.parametrize("average", [False, True])
def test_warm_start_goes_on(layout: str, shuffle: str, average: bool) -> None:
    X, codes = examples(layout)
    model = Perceptron(
        average=average, max_iter=2, tol=None, shuffle=shuffle, warm_start=True, random_state=0
    )
    walk = transcriptions.Perceptron(X, signs(codes))
    mistakes = 0
    for call in range(3):
        model.fit(X, codes)
        mistakes += sum(walk_on(walk, X, shuffle, 2 * call, 2).mistakes)
        assert_equal_weights(model, *(walk.averaged() if average else (walk.w, walk.b)))
        assert (model.n_mistakes_, model.n_iter_, model.t_) == (mistakes, 2, walk.c)


@pytest.mark.parametrize("layout", ["float64", "csr float32"])
@pytest.mark.parametrize("shuffle", SHUFFLES)
@pytest.mark.parametrize("average", [False, True])
def test_partial_fit_is_a_pass(layout: str, shuffle: str, average: bool) -> None:
    X, codes = examples(layout)
    model = Perceptron(average=average, shuffle=shuffle, random_state=0)
    walk = transcriptions.Perceptron(X, signs(codes))
    for call in range(4):
        model.partial_fit(X, codes, classes=[0, 1])
        walk_on(walk, X, shuffle, call, 1)
        assert_equal_weights(model, *(walk.averaged() if average else (walk.w, walk.b)))


@pytest.mark.parametrize("average", [False, True])
@pytest.mark.parametrize("classes", [2, 3])
def test_partial_fits_in_blocks_are_one_fit(average: bool, classes: int) -> None:
    X, codes = examples("float64", classes)
    whole = Perceptron(average=average, max_iter=2, tol=None, shuffle="never").fit(X, codes)
    parts = Perceptron(average=average, shuffle="never")
    for block in [slice(0, 11), slice(11, 30), slice(30, None)] * 2:
        parts.partial_fit(X[block], codes[block], classes=range(classes))
    assert_equal_weights(parts, whole.coef_, whole.intercept_)
    assert (parts.t_, parts.n_mistakes_) == (whole.t_, whole.n_mistakes_)


# ---- averages ----------------------------------------------------------------------------------


def test_the_average_is_of_all_weights_there_were() -> None:
    """Of the zeros at the start and the weights after each of T rows: T + 1 in all.

    The sums are of integers and exact; w - u / c rounds twice, the mean once.
    """
    X, codes = examples("integers")
    walk = transcriptions.Perceptron(X, signs(codes))
    total, offsets = np.zeros(41), 0.0
    for _, order in zip(range(3), orders(np.arange(40), "every", kernel_seed(0), 0), strict=False):
        for i in order:
            walk.visit(int(i))
            total, offsets = total + walk.w, offsets + walk.b
    model = Perceptron(average=True, max_iter=3, tol=None, random_state=0).fit(X, codes)
    scale = np.abs(walk.w).max()
    np.testing.assert_allclose(model.coef_[0], total / 121, rtol=0, atol=4e-16 * scale)
    np.testing.assert_allclose(model.intercept_[0], offsets / 121, rtol=0, atol=4e-16 * scale)


# ---- the books' numbers ------------------------------------------------------------------------


def test_mit_bankruptcy_from_zero() -> None:
    """MIT 6.034: rate .1, 49 passes to -2.2 + .94 R + .4 L; exact but for sums of tenths."""
    X, y = bankruptcy(return_X_y=True)
    model = Perceptron(eta0=0.1, shuffle="never", n_iter_no_change=1000).fit(X, y)
    assert model.n_iter_ == 49
    np.testing.assert_allclose(model.coef_, [[0.94, 0.4]], atol=1e-12)
    np.testing.assert_allclose(model.intercept_, [-2.2], atol=1e-12)
    assert model.score(X, y) == 1


def test_mit_bankruptcy_from_given_weights() -> None:
    """MIT 6.034: from (-1, 1, 1) to -1.7 + .81 R + .3 L; the dual slide counts its mistakes."""
    X, y = bankruptcy(return_X_y=True)
    model = Perceptron(eta0=0.1, shuffle="never", n_iter_no_change=1000)
    model.fit(X, y, coef_init=[1, 1], intercept_init=-1)
    assert model.n_iter_ == 10
    np.testing.assert_allclose(model.coef_, [[0.81, 0.3]], atol=1e-12)
    np.testing.assert_allclose(model.intercept_, [-1.7], atol=1e-12)


def test_xor_needs_a_product_feature() -> None:
    """CIML 4.7: no line tells XOR; with x1 AND x2 as a third feature a plane does."""
    X = np.array([[0, 0], [0, 1], [1, 0], [1, 1]], float)
    y = [0, 1, 1, 0]
    plain = Perceptron(shuffle="never", max_iter=100, tol=None).fit(X, y)
    assert plain.score(X, y) < 1
    assert plain.n_mistakes_ >= 100  # one a pass at least: it never settles
    conjunction = np.column_stack([X, X[:, 0] * X[:, 1]])
    model = Perceptron(shuffle="never").fit(conjunction, y)
    assert model.score(conjunction, y) == 1
    assert model.n_iter_ < 100


def test_without_features_the_offset_goes_to_and_fro() -> None:
    """CIML 4.5: one +, one -, nothing to tell them by: b is +1, -1 or 0 for ever."""
    model = Perceptron(max_iter=1000, tol=None, shuffle="never").fit(np.zeros((2, 1)), [1, 0])
    assert model.n_mistakes_ == 2000
    assert model.coef_.tolist() == [[0]]
    assert model.intercept_.tolist() == [0]


# ---- random numbers ----------------------------------------------------------------------------


@pytest.mark.parametrize("seed", [0, 1, 2**64 - 1])
@pytest.mark.parametrize("part", [0, 5, 2**63])
def test_streams_are_numpys_philox(seed: int, part: int) -> None:
    stream = 2**40 + 3
    theirs = np.random.Philox(key=seed + (stream << 64), counter=part << 64)
    words = random_words(seed, stream, part, 13)
    assert words.dtype == np.uint64
    np.testing.assert_array_equal(words, theirs.random_raw(13))


def halves(seed: int, stream: int, part: int) -> Iterator[int]:
    for word in random_words(seed, stream, part, 4000).tolist():
        yield word & 0xFFFFFFFF
        yield word >> 32


@pytest.mark.parametrize("n", [0, 1, 2, 3, 100, 1000])
def test_shuffles_are_fisher_and_yates_with_lemires_numbers(n: int) -> None:
    numbers = halves(11, 4, 2)
    items = list(range(n))
    for i in range(n - 1, 0, -1):
        product = next(numbers) * (i + 1)
        while product % 2**32 < 2**32 % (i + 1):
            product = next(numbers) * (i + 1)
        j = product >> 32
        items[i], items[j] = items[j], items[i]
    assert permutation(11, 4, 2, n).tolist() == items


# ---- scikit-learn ------------------------------------------------------------------------------


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("fit_intercept", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
def test_scikit_learn_agrees(classes: int, fit_intercept: bool, weighted: bool) -> None:
    """On integers, where no order of additions matters, the weights are the same."""
    X, codes = examples("integers", classes)
    weights = np.arange(40) % 4 + 1.0 if weighted else None
    options: dict[str, Any] = {"max_iter": 7, "tol": None, "fit_intercept": fit_intercept}
    theirs = TheirPerceptron(shuffle=False, **options).fit(X, codes, sample_weight=weights)
    ours = Perceptron(shuffle=False, **options).fit(X, codes, sample_weight=weights)
    assert_equal_weights(ours, theirs.coef_, theirs.intercept_)
    assert ours.t_ == theirs.t_
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))


def test_scikit_learns_average_leaves_the_zeros_at_the_start_out() -> None:
    """Theirs is the mean of the T weights after each row, ours of these and the first, zero.

    So ours is theirs times T / (T + 1), which is the same rule; theirs is a running mean with a
    rounding a row (120 of them), which the tolerance is for.
    """
    X, codes = examples("integers")
    theirs = SGDClassifier(
        loss="perceptron",
        average=True,
        max_iter=3,
        tol=None,
        shuffle=False,
        penalty=None,
        learning_rate="constant",
        eta0=1.0,
    ).fit(X, codes)
    ours = Perceptron(average=True, max_iter=3, tol=None, shuffle="never").fit(X, codes)
    np.testing.assert_allclose(ours.coef_, theirs.coef_ * (120 / 121), rtol=0, atol=1e-12)
    np.testing.assert_allclose(ours.intercept_, theirs.intercept_ * (120 / 121), atol=1e-12)


def test_scikit_learn_agrees_on_csr_without_an_intercept() -> None:
    X, codes = examples("integers")
    options: dict[str, Any] = {"max_iter": 7, "tol": None, "fit_intercept": False}
    ours = Perceptron(shuffle=False, **options).fit(sparse.csr_array(X), codes)
    theirs = TheirPerceptron(shuffle=False, **options).fit(sparse.csr_array(X), codes)
    assert_equal_weights(ours, theirs.coef_, theirs.intercept_)
