"""Columns far from zero, such as years: with a free offset only what is about them counts."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import sparse

from inducer.base.arrays import matrix_of
from inducer.linear import LinearClassifier, LinearSVC, LinearSVR, LogisticRegression
from inducer.linear._centre import Centre

WIDE, FEW = (300, 1500), (400, 4)


def table(shape: tuple[int, int]) -> tuple[Any, Any]:
    rng = np.random.default_rng(1)
    X = rng.normal(size=shape)
    return X, X[:, :3].sum(axis=1) + rng.normal(size=shape[0])


@pytest.mark.parametrize("shape", [WIDE, FEW])
@pytest.mark.parametrize("away", [1e3, 1e6])
@pytest.mark.parametrize(
    "learner",
    [
        LogisticRegression(),
        LogisticRegression(l1_ratio=0.5, max_iter=1000),
        LinearSVC(),
        LinearSVC(loss="hinge"),
        LinearSVC(loss="hinge", dual=True, C=0.01),
        LinearClassifier(alpha=0.01),
        LinearClassifier(alpha=0.01, solver="lbfgs"),
        LinearClassifier("hinge", alpha=0.01),
    ],
    ids=str,
)
def test_the_optimum_does_not_depend_on_where_a_column_is(
    learner: Any, away: float, shape: tuple[int, int]
) -> None:
    X, t = table(shape)
    y = t > 0
    far = X.copy()
    far[:, 0] += away
    here, there = (float(np.sum(learner.fit(Z, y).objective_)) for Z in (X, far))
    # tol is 1e-4, of a gap with the hinge; a column of 1e6 has ten digits left.
    assert there == pytest.approx(here, rel=3e-4)


@pytest.mark.parametrize("loss", ["epsilon_insensitive", "squared_epsilon_insensitive"])
def test_so_of_numbers(loss: str) -> None:
    X, t = table(WIDE)
    far = X + 1e3
    here = LinearSVR(loss=loss, C=0.01).fit(X, t).objective_
    assert LinearSVR(loss=loss, C=0.01).fit(far, t).objective_ == pytest.approx(here, rel=3e-4)


def test_classes_of_a_column_of_seconds_since_1970() -> None:
    X, t = table(WIDE)
    y = np.digitize(t, [-1, 1])
    seconds = X.copy()
    seconds[:, 0] = 1.7e9 + 1e5 * X[:, 0]
    centred = seconds - seconds.mean(axis=0)
    here = LogisticRegression().fit(centred, y).objective_
    assert LogisticRegression().fit(seconds, y).objective_ == pytest.approx(here, rel=1e-5)


def test_a_constant_column_changes_nothing() -> None:
    X, t = table(FEW)
    beside = np.column_stack([X, np.full(len(X), 1e8)])
    for learner in (LogisticRegression(), LinearSVC(), LinearSVC(loss="hinge")):
        alone, both = learner.fit(X, t > 0).coef_.copy(), learner.fit(beside, t > 0).coef_
        np.testing.assert_allclose(both[:, :-1], alone, rtol=1e-3)  # where tol=1e-4 leaves them
        # Sums of its squares, 4e18, leave some hundreds of rounding for its curvature about itself.
        assert np.all(np.abs(both[:, -1]) < 1e-5)


@pytest.mark.parametrize("form", [np.asarray, np.asfortranarray, sparse.csr_matrix])
def test_change_of_unknowns(form: Any) -> None:
    rng = np.random.default_rng(2)
    X = rng.normal(size=(50, 3)) + np.array([5.0, 0.0, -7.0])
    centre = Centre.of(matrix_of(form(X)), free=True, threads=1)
    expected = X.mean(axis=0)
    expected[1] = 0.0  # near enough as it is; rows as full as these are dense
    np.testing.assert_allclose(centre.place, expected, rtol=1e-12)
    at = rng.normal(size=8)
    np.testing.assert_allclose(centre.seen(centre.raw(at)), at, rtol=1e-12)
    ones, about = np.ones((50, 1)), X - centre.place
    one = at[:4]
    np.testing.assert_allclose(
        np.hstack([X, ones]) @ centre.raw(one), np.hstack([about, ones]) @ one, rtol=1e-10
    )
    Z = np.hstack([X, ones])
    seen = np.hstack([about, ones])
    slopes = rng.normal(size=50)
    np.testing.assert_allclose(centre.slopes(Z.T @ slopes), seen.T @ slopes, atol=1e-10)
    H = np.triu(Z.T @ Z)  # its lower triangle is not looked at
    np.testing.assert_allclose(np.triu(centre.curvatures(H)), np.triu(seen.T @ seen), atol=1e-9)
    assert Centre.of(matrix_of(form(X)), free=False, threads=1).place.tolist() == [0, 0, 0]
