"""The theorems about descents, projections, gaps and chords."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import optimize
from sklearn.exceptions import ConvergenceWarning

from inducer.optimize import (
    Box,
    ConstantRate,
    Halfspace,
    InverseRate,
    L1Ball,
    L2Ball,
    Quadratic,
    RatioRate,
    Simplex,
    SqrtRate,
    check_gradient,
    coordinate_descent,
    descent_bound,
    gradient_descent,
    looks_convex,
    projected_gradient,
    stochastic_gradient_descent,
    subgradient_bound,
    subgradient_descent,
)

Array = NDArray[Any]
SEEDS = st.integers(0, 2**32 - 1)
DIMENSIONS = st.integers(1, 6)


class Convex:
    """A smooth convex function with a known minimum and largest curvature."""

    def __init__(self, f: Any, L: float, minimum: Array) -> None:
        self.f, self.L, self.minimum = f, L, minimum
        self.least = f(minimum)[0]


def quadratic(seed: int, d: int) -> Convex:
    """Return a quadratic function, of a condition up to 1e4; sometimes not strictly convex."""
    random = np.random.default_rng(seed)
    turn = np.linalg.qr(random.normal(size=(d, d)))[0]
    curvatures = 10.0 ** random.uniform(-3, 1, size=d)
    if d > 2 and seed % 3 == 0:
        curvatures[0] = 0
    A = (turn * curvatures) @ turn.T
    minimum = random.normal(size=d)

    def f(x: Array) -> tuple[float, Array]:
        away = x - minimum
        return float(away @ A @ away / 2), A @ away

    return Convex(f, float(curvatures.max()), minimum)


def logistic(seed: int, d: int) -> Convex:
    """Return a logistic loss with a small penalty."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(20, d))
    y = np.where(X @ random.normal(size=d) + random.normal(size=20) > 0, 1.0, -1.0)

    def f(w: Array) -> tuple[float, Array]:
        m = y * (X @ w)
        pull = y / (1 + np.exp(m))
        return float(np.logaddexp(0, -m).mean() + 5e-3 * w @ w), 1e-2 * w - X.T @ pull / 20

    def hessian(w: Array) -> Array:
        p = 1 / (1 + np.exp(-(X @ w)))
        return np.asarray((X.T * (p * (1 - p) / 20)) @ X + 1e-2 * np.eye(d))

    found = optimize.minimize(
        f, np.zeros(d), jac=True, hess=hessian, method="trust-exact", tol=1e-12
    )
    # p (1 - p) is at most 1/4.
    L = float(np.linalg.eigvalsh(X.T @ X)[-1]) / 80 + 1e-2
    return Convex(f, L, found.x)


FUNCTIONS = {"quadratic": quadratic, "logistic": logistic}
each_function = pytest.mark.parametrize("kind", FUNCTIONS)


# Gradient descent


@each_function
@given(seed=SEEDS, d=DIMENSIONS, share=st.floats(0.05, 1))
def test_no_descent_is_farther_above_the_minimum_than_its_bound(
    kind: str, seed: int, d: int, share: float
) -> None:
    problem = FUNCTIONS[kind](seed, d)
    start = np.random.default_rng(seed + 1).normal(scale=3, size=d)
    rate = share / problem.L
    found = gradient_descent(problem.f, start, rate=rate, max_iter=150, gradient_tol=None)
    k = np.arange(1, found.iterations + 1)
    distance = float(np.linalg.norm(start - problem.minimum))
    above = found.trace.values[1:] - problem.least
    bound = descent_bound(distance, rate, k)
    assert np.all(above <= bound * (1 + 1e-9) + 1e-14)
    # Theorem 8 of the book, four times as wide.
    assert np.all(above <= 2 * distance**2 / (rate * k) + 1e-14)


def test_the_bound_can_be_violated_and_is_nearly_reached() -> None:
    # Huber's function, linear all the way from 1 on: the worst case.
    k = 25

    def huber(x: Array) -> tuple[float, Array]:
        knee = 1 / (2 * k + 1)
        size = float(np.abs(x[0]))
        value = size**2 / 2 if size <= knee else knee * (size - knee / 2)
        return value, np.clip(x, -knee, knee)

    found = gradient_descent(huber, [1.0], rate=1.0, max_iter=k, gradient_tol=None)
    bound = descent_bound(1.0, 1.0, k)
    assert 0.4 * bound < found.value <= bound
    # A rate beyond its premise breaks it.
    with pytest.warns(match="lower the rate"):
        wild = gradient_descent(lambda x: (x @ x / 2, x), [1.0], rate=2.2, max_iter=9)
    assert wild.value > descent_bound(1.0, 2.2, 9) * 4


@given(seed=SEEDS, d=DIMENSIONS)
def test_the_gap_falls_at_least_like_one_over_k(seed: int, d: int) -> None:
    problem = quadratic(seed, d)
    start = problem.minimum + np.random.default_rng(seed + 1).normal(size=d)
    found = gradient_descent(problem.f, start, rate=1 / problem.L, max_iter=200, gradient_tol=None)
    k = np.arange(1, found.iterations + 1)
    scaled = (found.trace.values[1:] - problem.least) * k
    assert scaled.max() <= problem.L * np.sum((start - problem.minimum) ** 2) / 2 * (1 + 1e-9)


@given(seed=SEEDS, share=st.floats(0.02, 3.9))
def test_rates_creep_settle_swing_or_diverge(seed: int, share: float) -> None:
    """On a parabola of curvature L each step multiplies the distance with 1 - share."""
    L = 10.0 ** np.random.default_rng(seed).uniform(-3, 3)
    start = 1 / np.sqrt(L)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        found = gradient_descent(
            lambda x: (float(L * x @ x / 2), L * x),
            [start],
            rate=share / L,
            max_iter=20,
            gradient_tol=None,
            points=True,
        )
    assert (found.reason == "diverged") <= (share > 2)
    assert found.trace.points is not None
    x = found.trace.points[:, 0]
    np.testing.assert_allclose(x, start * (1 - share) ** np.arange(len(x)), rtol=1e-9, atol=1e-12)
    if share > 1.01:
        assert np.all(np.diff(np.sign(x[np.abs(x) > 1e-9 * start])) != 0)  # from side to side
    if share > 2.01:
        assert np.all(np.diff(found.trace.values) > 0)
    elif share < 1.99:
        # Below rounding of the first values nothing is ordered any more.
        assert np.all(np.diff(found.trace.values) <= 0)


@each_function
@given(seed=SEEDS, d=DIMENSIONS, rate=st.sampled_from(["backtracking", "wolfe"]))
def test_line_searches_never_rise_and_arrive(kind: str, seed: int, d: int, rate: str) -> None:
    problem = FUNCTIONS[kind](seed, d)
    found = gradient_descent(problem.f, np.zeros(d), rate=rate, max_iter=100_000, gradient_tol=1e-4)
    assert found.reason == "gradient"
    # Values that differ by rounding are told apart by their slopes.
    assert np.all(np.diff(found.trace.values) <= 1e-14 * (1 + np.abs(found.trace.values[:-1])))


# Subgradient descent


def distances(seed: int, d: int) -> tuple[Any, Array, float]:
    """Return a weighted sum of distances to points, its minimum, and the value there.

    The first point outweighs all others: it is the minimum, and a kink.
    """
    random = np.random.default_rng(seed)
    points = random.normal(size=(5, d))
    weights = np.append(4.5, np.ones(4))

    def f(x: Array) -> tuple[float, Array]:
        away = x - points
        far = np.linalg.norm(away, axis=1)
        slopes = away / np.maximum(far, 1e-300)[:, None]
        return float(weights @ far), weights @ slopes

    return f, points[0], f(points[0])[0]


RATES = [ConstantRate(0.05), SqrtRate(0.3), InverseRate(0.5), RatioRate(2.0, 5.0)]


@given(seed=SEEDS, d=DIMENSIONS, rate=st.sampled_from(RATES), normalised=st.booleans())
def test_the_best_of_a_subgradient_descent_keeps_its_bound(
    seed: int, d: int, rate: Any, normalised: bool
) -> None:
    f, minimum, least = distances(seed, d)
    start = np.random.default_rng(seed + 1).normal(scale=2, size=d)
    found = subgradient_descent(f, start, rate=rate, normalised=normalised, max_iter=150)
    trace = found.trace
    slopes = trace.gradient_norms[:-1]
    eta = trace.rates / slopes if normalised else trace.rates
    distance = float(np.linalg.norm(start - minimum))
    above = trace.best[:-1] - least
    assert np.all(above >= -1e-12)
    assert np.all(above <= subgradient_bound(distance, slopes, eta) + 1e-12)
    assert np.all(above <= subgradient_bound(distance, slopes.max(), eta) + 1e-12)
    assert found.value == trace.best[-1] == trace.values.min()
    assert f(found.x)[0] == found.value


def test_the_bound_of_subgradients_can_be_violated() -> None:
    # 2 |x| from 1, with steps too short to get there: a minimum at .9 would have been found.
    found = subgradient_descent(
        lambda x: (2 * abs(x[0]), 2 * np.sign(x)), [1.0], rate=0.01, max_iter=9
    )
    assert np.all(found.trace.best[:-1] <= subgradient_bound(1.0, 2.0, found.trace.rates))
    assert found.trace.best[-2] > subgradient_bound(0.1, 2.0, found.trace.rates)[-1]


# Stochastic gradient descent


@given(seed=SEEDS, order=st.sampled_from(["every", "once", "never", "replace"]))
def test_same_seed_same_bits(seed: int, order: str) -> None:
    terms = np.random.default_rng(seed).normal(size=(12, 2))

    def run() -> Any:
        return stochastic_gradient_descent(
            lambda x, rows: x - terms[rows].mean(axis=0),
            np.zeros(2),
            12,
            batch_size=5,
            order=order,
            average=1,
            max_iter=3,
            random_state=seed,
        )

    assert run().x.tobytes() == run().x.tobytes()


@given(seed=SEEDS, n=st.integers(1, 30), size=st.integers(1, 30))
def test_a_pass_has_every_term_once(seed: int, n: int, size: int) -> None:
    size = min(size, n)
    seen: list[int] = []
    lengths: list[int] = []

    def gradient(x: Array, rows: Array) -> Array:
        seen.extend(rows.tolist())
        lengths.append(len(rows))
        return np.zeros(1)

    for order in ("every", "once", "never"):
        seen.clear()
        stochastic_gradient_descent(
            gradient, [0.0], n, batch_size=size, order=order, max_iter=3, random_state=seed
        )
        passes = np.array(seen).reshape(3, n)
        assert np.array_equal(np.sort(passes, axis=1), np.tile(np.arange(n), (3, 1)))
        assert order == "every" or np.all(passes == passes[0])
        assert order != "never" or passes[0].tolist() == list(range(n))
    assert min(lengths) >= 1


@given(seed=SEEDS)
def test_rates_of_one_over_k_give_the_mean(seed: int) -> None:
    terms = np.random.default_rng(seed).normal(size=9)
    found = stochastic_gradient_descent(
        lambda x, rows: x - terms[rows].mean(),
        0.0,
        9,
        rate="inverse",
        max_iter=2,
        random_state=seed,
    )
    assert float(found.x) == pytest.approx(terms.mean(), abs=1e-12)


def test_a_fixed_rate_ends_in_a_cloud_and_the_average_in_its_middle() -> None:
    terms = np.random.default_rng(0).normal(size=(200, 20))

    def away(**options: Any) -> float:
        found = stochastic_gradient_descent(
            lambda x, rows: x - terms[rows].mean(axis=0),
            np.zeros(20),
            200,
            max_iter=20,
            random_state=0,
            order="replace",
            **options,
        )
        return float(np.linalg.norm(found.x - terms.mean(axis=0)))

    # The cloud of rate eta has a variance of eta / (2 - eta) in each of 20 directions.
    last = away(rate=0.5)
    assert last == pytest.approx(np.sqrt(20 * 0.5 / 1.5), rel=0.4)
    assert away(rate=0.5, average=2) < last / 10
    assert away(rate=0.5, batch_size=50) == pytest.approx(last / np.sqrt(50), rel=0.5)
    assert away(rate="inverse") < last / 10


def test_terms_in_order_mislead() -> None:
    """All the low terms first, then all the high ones: the last seen win."""
    terms = np.repeat([-1.0, 1.0], 100)
    away = {
        order: abs(
            float(
                stochastic_gradient_descent(
                    lambda x, rows: x - terms[rows].mean(),
                    0.0,
                    200,
                    order=order,
                    rate=0.05,
                    random_state=0,
                ).x
            )
        )
        for order in ("never", "every")
    }
    assert away["never"] > 0.9
    assert away["every"] < 0.4


# Sets

D = 4


def convex_set(kind: str, seed: int) -> Any:
    random = np.random.default_rng(seed)
    if kind == "box":
        corners = np.sort(random.normal(size=(2, D)), axis=0)
        return Box(corners[0], corners[1])
    if kind == "l2":
        return L2Ball(random.exponential() + 0.01, random.normal(size=D))
    if kind == "l1":
        return L1Ball(random.exponential() + 0.01, random.normal(size=D))
    if kind == "simplex":
        return Simplex(random.exponential() + 0.01)
    return Halfspace(random.normal(size=D), random.normal())


each_set = pytest.mark.parametrize("kind", ["box", "l2", "l1", "simplex", "halfspace"])


@each_set
@given(seed=SEEDS, far=st.sampled_from([0.1, 1.0, 1e3]))
def test_projections_are_nearest_points(kind: str, seed: int, far: float) -> None:
    """(x - Px).(z - Px) <= 0 for all z in the set; and that is all there is to it."""
    held = convex_set(kind, seed)
    random = np.random.default_rng(seed + 1)
    x = random.normal(scale=far, size=D)
    near = held(x)
    assert held.contains(near)
    np.testing.assert_allclose(held(near), near, rtol=1e-12, atol=1e-12 * far)
    for _ in range(20):
        z = held(random.normal(scale=3, size=D))
        assert (x - near) @ (z - near) <= 1e-9 * far * (1 + far)
    # No farther from each other than before.
    other = random.normal(scale=far, size=D)
    apart = np.linalg.norm(near - held(other))
    assert apart <= np.linalg.norm(x - other) * (1 + 1e-12) + 1e-12
    if kind == "simplex":
        assert np.all(near >= 0)
        assert near.sum() == pytest.approx(held.total, rel=1e-9)
    single = held(x.astype(np.float32))
    assert single.dtype == np.float32
    np.testing.assert_allclose(single, near, atol=1e-5 * max(far, 1))


@each_set
@given(seed=SEEDS, accelerated=st.booleans(), fixed=st.booleans())
def test_projected_descent_ends_where_no_step_helps(
    kind: str, seed: int, accelerated: bool, fixed: bool
) -> None:
    held = convex_set(kind, seed)
    problem = logistic(seed, D)
    found = projected_gradient(
        problem.f,
        np.full(D, 2.0),
        held,
        rate=1 / problem.L if fixed else "backtracking",
        accelerated=accelerated,
        max_iter=20_000,
        gradient_tol=1e-7,
        points=True,
    )
    assert found.converged
    assert found.trace.points is not None
    assert all(held.contains(x) for x in found.trace.points[:50])
    slope = problem.f(found.x)[1]
    # Optimality: downhill leads out of the set. The penalty alone has a curvature of 1e-2.
    np.testing.assert_allclose(held(found.x - slope / problem.L), found.x, atol=1e-5)
    assert found.value >= problem.least - 1e-12
    assert np.all(np.diff(found.trace.values) <= 1e-14)  # momentum that rises is thrown away


# Coordinate descent


@given(
    seed=SEEDS,
    d=DIMENSIONS,
    l1=st.sampled_from([0.0, 0.3]),
    boxed=st.booleans(),
    active=st.booleans(),
)
def test_coordinates_never_rise_and_the_gap_bounds_what_is_left(
    seed: int, d: int, l1: float, boxed: bool, active: bool
) -> None:
    random = np.random.default_rng(seed)
    X, y = random.normal(size=(d + 2, d)), random.normal(size=d + 2)
    box = {"lower": -0.2, "upper": 0.3} if boxed else {}
    problem = Quadratic(X.T @ X, X.T @ y, l1=l1, floor=-y @ y / 2, **box)
    found = coordinate_descent(
        problem, np.zeros(d), active_set=active, max_iter=100_000, point_tol=1e-11
    )
    trace = found.trace
    assert found.converged
    # Values are differences of x.Ax / 2 and b.x, each a sum over pairs of d.
    x = np.abs(found.x)
    rounding = 1e-15 * d * (x @ np.abs(problem.A) @ x + np.abs(problem.b) @ x + 1)
    assert np.all(np.diff(trace.values) <= rounding)
    assert trace.gaps is not None
    # The gap is never below what is missing, and (but for a free quadratic, whose gap is infinite
    # until the gradient is exactly zero) closes.
    assert np.all(trace.gaps >= trace.values - found.value - 2 * rounding)
    if l1 or boxed:
        assert trace.gaps[-1] <= 1e-7
    # The conditions of optimality: downhill is blocked by the box or the kink.
    slope = problem.smooth(found.x)[1]
    for j in range(d):
        low = found.x[j] == problem.lower[j]
        high = found.x[j] == problem.upper[j]
        least = -l1 if found.x[j] <= 0 else l1
        most = l1 if found.x[j] >= 0 else -l1
        assert slope[j] + most >= -1e-8 or high
        assert slope[j] + least <= 1e-8 or low


# Convexity, gradients


@given(seed=SEEDS, d=DIMENSIONS)
def test_no_chord_speaks_against_a_convex_function(seed: int, d: int) -> None:
    random = np.random.default_rng(seed)
    planes, offsets = random.normal(size=(4, d)), random.normal(size=4)
    smooth = quadratic(seed, d).f
    box = (np.full(d, -3.0), np.full(d, 3.0))
    for f in (
        lambda x: float(np.max(planes @ x + offsets)),
        lambda x: smooth(x),
        lambda x: float(np.exp(np.sum(x) / 3)),
        lambda x: np.inf if np.sum(x**2) > 4 else 1.0,
        lambda x: 1e6 + float(np.abs(x).sum()),
    ):
        assert looks_convex(f, *box, chords=60, random_state=seed)


@settings(max_examples=15)
@given(seed=SEEDS, d=DIMENSIONS)
def test_the_chord_proves_that_a_function_is_not_convex(seed: int, d: int) -> None:
    random = np.random.default_rng(seed)
    A = random.normal(size=(d, d))
    A = A + A.T
    A -= (np.linalg.eigvalsh(A)[0] + 1) * np.eye(d)  # the least curvature is -1

    def f(x: Array) -> float:
        return float(x @ A @ x)

    found = looks_convex(f, np.full(d, -1.0), np.full(d, 1.0), chords=1500, random_state=seed)
    if d < 3:  # directions of negative curvature are rare among many
        assert not found
    if not found:
        chord = found.chord
        assert chord is not None
        assert np.array_equal(chord.middle, chord.a / 2 + chord.b / 2)
        assert f(chord.middle) > (f(chord.a) + f(chord.b)) / 2
        assert chord.excess == f(chord.middle) - (f(chord.a) / 2 + f(chord.b) / 2)


@each_function
@given(seed=SEEDS, d=DIMENSIONS)
def test_right_gradients_pass_and_wrong_ones_do_not(kind: str, seed: int, d: int) -> None:
    f = FUNCTIONS[kind](seed, d).f
    x = np.random.default_rng(seed).normal(size=d) * 2
    assert check_gradient(f, x)
    j = seed % d

    def wrong(x: Array) -> tuple[float, Array]:
        value, slope = f(x)
        slope[j] += 1e-4 * max(1.0, np.abs(slope).max())
        return value, slope

    found = check_gradient(wrong, x)
    assert not found
    assert found.worst == (j,)
