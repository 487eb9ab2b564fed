"""Theorems about the margin: the perceptron's bound, invariances, duality."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from inducer.linear import margin

Floats = NDArray[np.float64]

small_numbers = st.integers(-6, 6)


@st.composite
def labelled_grids(draw: st.DrawFn) -> tuple[Floats, NDArray[np.int64]]:
    """Few points with small whole coordinates: often touching, collinear or repeated."""
    cols = draw(st.integers(1, 3))
    rows = draw(st.integers(2, 12))
    cells = draw(st.lists(small_numbers, min_size=rows * cols, max_size=rows * cols))
    y = draw(st.lists(st.sampled_from([-1, 1]), min_size=rows, max_size=rows))
    assume(len(set(y)) == 2)
    return np.array(cells, dtype=float).reshape(rows, cols), np.array(y)


def perceptron_updates(X: Floats, y: NDArray[np.int64], most: int) -> int:
    """Run the perceptron with intercept on whole numbers, where nothing is rounded."""
    w, updates = np.zeros(X.shape[1] + 1), 0
    Z = np.column_stack([X, np.ones(len(X))])
    while updates <= most:
        clean = True
        for z, sign in zip(Z, y, strict=True):
            if sign * (w @ z) <= 0:
                w += sign * z
                updates += 1
                clean = False
        if clean:
            return updates
    return updates


@given(labelled_grids())
def test_perceptron_is_wrong_at_most_as_often_as_promised(
    data: tuple[Floats, NDArray[np.int64]],
) -> None:
    X, y = data
    found = margin(X, y)
    assert found.separable is not None
    if found.separable:
        assume(found.mistake_bound < 20_000)
        # The bound is rounded to the last bit or two.
        assert perceptron_updates(X, y, 20_000) <= found.mistake_bound * (1 + 1e-12)
    else:
        assert found.mistake_bound == math.inf


def test_bound_without_the_one_would_be_wrong() -> None:
    """R^2 / margin^2 with the intercept left out promises too little: found by trying."""
    X, y = np.array([[0.0], [0.125]]), np.array([-1, 1])
    found = margin(X, y)
    updates = perceptron_updates(X, y, 10**6)
    assert (found.radius / found.margin) ** 2 < updates <= found.mistake_bound


@given(labelled_grids())
def test_certificate_proves_the_answer(data: tuple[Floats, NDArray[np.int64]]) -> None:
    X, y = data
    for fit_intercept in (True, False):
        found = margin(X, y, fit_intercept=fit_intercept)
        proof = found.certificate
        assert proof.exact
        if found.separable:
            assert proof.coef is not None
            assert proof.intercept is not None
            for row, sign in zip(X.tolist(), y.tolist(), strict=True):
                score = Fraction(proof.intercept) + sum(
                    Fraction(a) * Fraction(x) for a, x in zip(proof.coef.tolist(), row, strict=True)
                )
                assert sign * score > 0
        else:
            signed = [int(w) * int(y[r]) for r, w in zip(proof.rows, proof.weights, strict=True)]
            assert min(proof.weights) > 0
            assert not fit_intercept or sum(signed) == 0
            for column in range(X.shape[1]):
                cells = X[proof.rows, column].astype(int).tolist()
                assert sum(a * x for a, x in zip(signed, cells, strict=True)) == 0


@given(labelled_grids(), st.integers(-20, 20), st.randoms(use_true_random=False))
def test_moves_swaps_and_scales(
    data: tuple[Floats, NDArray[np.int64]], exponent: int, random: object
) -> None:
    """A shift changes nothing, a factor scales the margin, the order of rows does not matter."""
    X, y = data
    found = margin(X, y)
    order = np.arange(len(y))
    random.shuffle(order)  # type: ignore[attr-defined]
    scaled = margin(X[order] * 2.0**exponent, y[order])
    moved = margin(X + 64.0, y)
    swapped = margin(X, -y)
    assert found.separable is scaled.separable is moved.separable is swapped.separable
    if found.separable:
        # All are solved to a relative gap of 1e-9.
        assert scaled.margin == pytest.approx(found.margin * 2.0**exponent, rel=2e-9)
        assert moved.margin == pytest.approx(found.margin, rel=2e-9)
        assert swapped.margin == pytest.approx(found.margin, rel=2e-9)


@given(labelled_grids(), st.integers(0, 2**32 - 1))
def test_no_other_hyperplane_has_a_wider_margin(
    data: tuple[Floats, NDArray[np.int64]], seed: int
) -> None:
    X, y = data
    found = margin(X, y)
    assume(found.separable)
    rng = np.random.default_rng(seed)
    w = found.coef + 10.0 ** rng.uniform(-6, 0) * rng.normal(size=X.shape[1])
    w /= np.linalg.norm(w)
    scores = X @ w
    other = (scores[y > 0].min() - scores[y < 0].max()) / 2
    assert other <= found.margin + found.certificate.gap + 1e-14


@settings(max_examples=20)
@given(st.integers(0, 2**32 - 1), st.integers(1, 6))
def test_random_overlap_or_not(seed: int, cols: int) -> None:
    """With n about 2 d near half of the label choices are separable (Cover); all are decided."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(2 * cols + 2, cols))
    y = rng.choice([-1, 1], size=len(X))
    assume(len(set(y)) == 2)
    found = margin(X, y)
    assert found.separable is not None
    if found.separable:
        assert found.certificate.gap <= 1e-9 * found.margin
