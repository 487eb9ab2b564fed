"""What the generators promise, whatever their arguments."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from inducer.datasets import blobs, linear, text, xor

SEEDS = st.integers(0, 2**32 - 1)


@given(
    n=st.integers(2, 40),
    d=st.integers(1, 12),
    margin=st.floats(1e-3, 1e3),
    intercept=st.floats(-10, 10),
    seed=SEEDS,
)
def test_linear_has_its_margin(n: int, d: int, margin: float, intercept: float, seed: int) -> None:
    points = linear(n, n_features=d, margin=margin, intercept=intercept, random_state=seed)
    side = 2 * points.target - 1
    distance = side * (points.data @ points.coef + points.intercept)
    gaps = np.linalg.norm(points.data[side > 0][:, np.newaxis] - points.data[side < 0], axis=2)
    # Rounding of sums of a dozen products of numbers of this size.
    slack = 1e-14 * (margin + abs(intercept) + 10)
    assert abs(distance.min() - margin) <= slack
    assert abs(gaps.min() - 2 * margin) <= 2 * slack


@given(n=st.integers(1, 60), d=st.integers(1, 8), seed=SEEDS)
def test_xor_is_parity_and_even(n: int, d: int, seed: int) -> None:
    X, y = xor(n, n_features=d, noise=0, random_state=seed, return_X_y=True)
    assert np.array_equal(np.prod(-X, axis=1), 1 - 2 * y)
    if n >= 2**d:
        _, counts = np.unique(X, axis=0, return_counts=True)
        assert len(counts) == 2**d
        assert counts.max() - counts.min() <= 1


@given(n=st.integers(1, 60), k=st.integers(1, 6), seed=SEEDS)
def test_blobs_classes_are_dealt_evenly(n: int, k: int, seed: int) -> None:
    _, y = blobs(n, centers=k, random_state=seed, return_X_y=True)
    counts = np.bincount(y, minlength=k)
    assert len(counts) == k
    assert counts.max() - counts.min() <= 1


@given(
    n=st.integers(1, 15),
    words=st.integers(1, 90),
    length=st.floats(0.1, 30),
    exponent=st.floats(0, 3),
    contrast=st.floats(0, 5),
    seed=SEEDS,
)
def test_text_is_sound(
    n: int, words: int, length: float, exponent: float, contrast: float, seed: int
) -> None:
    documents = text(
        n,
        n_features=words,
        length=length,
        exponent=exponent,
        contrast=contrast,
        random_state=seed,
    )
    X = documents.data
    X.check_format(full_check=True)
    assert X.has_canonical_format
    assert X.shape == (n, words)
    written = [len(written_text.split()) for written_text in documents.frame["text"]]
    assert X.sum(axis=1).tolist() == written
    assert min(written) >= 1
