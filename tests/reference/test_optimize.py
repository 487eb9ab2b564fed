"""The descents against literal transcriptions, closed forms and other solvers."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import optimize
from sklearn.linear_model import Lasso
from sklearn.svm import LinearSVC

from inducer.optimize import (
    Box,
    ConstantRate,
    Halfspace,
    L1Ball,
    L2Ball,
    Quadratic,
    RatioRate,
    Simplex,
    SqrtRate,
    check_gradient,
    coordinate_descent,
    gradient_descent,
    projected_gradient,
    stochastic_gradient_descent,
    subgradient_descent,
)

Array = NDArray[Any]


def classes(rows: int, cols: int, seed: int = 0) -> tuple[Array, Array]:
    """Return points of two classes that overlap, labels -1 and +1."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(rows, cols))
    y = np.where(X @ random.normal(size=cols) + random.normal(size=rows) > 0, 1.0, -1.0)
    return X, y


def logistic(X: Array, y: Array) -> Any:
    """Return the mean logistic loss and its gradient, as functions of the weights."""

    def f(w: Array) -> tuple[float, Array]:
        margins = y * (X @ w)
        pull = y / (1 + np.exp(margins))
        return float(np.logaddexp(0, -margins).mean()), -(X.T @ pull) / len(y)

    return f


# Gradient descent (CIML algorithm 21), with fixed and falling rates


def descend(gradient: Any, x0: Any, etas: list[float]) -> list[Array]:
    """z(0) = x0; z(k) = z(k-1) - eta_k grad F(z(k-1)); all of them."""
    z = [np.array(x0, dtype=float)]
    for eta in etas:
        g = gradient(z[-1])
        z.append(z[-1] - eta * g)
    return z


@pytest.mark.parametrize("rate", [0.7, SqrtRate(0.5), RatioRate(3.0, 4.0)])
def test_gradient_descent_is_that_of_the_book(rate: Any) -> None:
    f = logistic(*classes(40, 3))
    etas = [rate if isinstance(rate, float) else rate(k) for k in range(1, 31)]
    z = descend(lambda w: f(w)[1], np.zeros(3), etas)
    found = gradient_descent(f, np.zeros(3), rate=rate, max_iter=30, gradient_tol=None, points=True)
    assert found.trace.points is not None
    assert found.trace.points.tobytes() == np.array(z).tobytes()
    assert found.x.tobytes() == z[-1].tobytes()
    assert found.trace.rates.tolist() == etas
    assert found.trace.values.tolist() == [f(w)[0] for w in z]
    norms = [np.linalg.norm(f(w)[1]) for w in z]
    np.testing.assert_allclose(found.trace.gradient_norms, norms, rtol=1e-14)
    assert (found.iterations, found.reason, found.evaluations) == (30, "max_iter", 31)


def test_ascent_mirrors_descent() -> None:
    f = logistic(*classes(40, 3))

    def likelihood(w: Array) -> tuple[float, Array]:
        value, slope = f(w)
        return -value, -slope

    for rate in (0.5, "backtracking", "wolfe"):
        down = gradient_descent(f, np.zeros(3), rate=rate)
        up = gradient_descent(likelihood, np.zeros(3), rate=rate, ascent=True)
        assert up.x.tobytes() == down.x.tobytes()
        assert up.trace.values.tolist() == (-down.trace.values).tolist()
        assert up.value == -down.value


def test_first_step_of_logistic_regression() -> None:
    # From 0 with a rate of .1 every theta is 1/2: .05 times the mean of y x.
    X, y = classes(20, 4)
    found = gradient_descent(logistic(X, y), np.zeros(4), rate=0.1, max_iter=1, gradient_tol=None)
    np.testing.assert_allclose(found.x, 0.05 * (y @ X) / 20, rtol=1e-14)


def test_normalised_steps_have_the_length_of_the_rate() -> None:
    f = logistic(*classes(40, 3))
    w = np.zeros(3)
    for _ in range(12):
        slope = f(w)[1]
        w = w - 0.1 * slope / np.linalg.norm(slope)
    found = gradient_descent(
        f, np.zeros(3), rate=0.1, normalised=True, max_iter=12, gradient_tol=None, points=True
    )
    np.testing.assert_allclose(found.x, w, rtol=1e-13)
    assert found.trace.points is not None
    lengths = np.linalg.norm(np.diff(found.trace.points, axis=0), axis=1)
    np.testing.assert_allclose(lengths, 0.1, rtol=1e-13)


@pytest.mark.parametrize("rate", ["backtracking", "armijo", "wolfe"])
def test_line_searches_find_what_scipy_finds(rate: str) -> None:
    f = logistic(*classes(60, 5))

    def penalised(w: Array) -> tuple[float, Array]:
        value, slope = f(w)
        return value + 0.05 * w @ w, slope + 0.1 * w

    found = gradient_descent(penalised, np.zeros(5), rate=rate, gradient_tol=1e-9)
    peer = optimize.minimize(penalised, np.zeros(5), jac=True, method="BFGS", tol=1e-9)
    # The Hessian is at least 0.1 I: both are within 1e-9 / 0.1 of the minimum.
    np.testing.assert_allclose(found.x, peer.x, atol=2e-8)


# The polynomial of CIML chapter 7: x1^3 + 5 x1 x2 - 3 x2 x3^2


def cubic(x: Array) -> Any:
    return x[0] ** 3 + 5 * x[0] * x[1] - 3 * x[1] * x[2] ** 2


def cubic_gradient(x: Array) -> list[float]:
    return [3 * x[0] ** 2 + 5 * x[1], 5 * x[0] - 3 * x[2] ** 2, -6 * x[1] * x[2]]


@pytest.mark.parametrize("method", ["central", "complex"])
def test_gradient_of_the_book_checks(method: str) -> None:
    for x in ([1.0, 2.0, 3.0], [0.0, 0.0, 0.0], [-1.5, 0.25, 1e3]):
        assert check_gradient(cubic, x, gradient=cubic_gradient, method=method)
    at = check_gradient(cubic, [1.0, 2.0, 3.0], gradient=cubic_gradient, method=method)
    assert at.gradient.tolist() == [13.0, -22.0, -36.0]
    np.testing.assert_allclose(at.differences, [13.0, -22.0, -36.0], rtol=1e-10)


# Subgradient descent for the hinge loss (CIML algorithm 22; eta as an argument)


def hinge_regularized_descent(
    X: Array, y: Array, lam: float, eta: Any, max_iter: int
) -> tuple[Array, float]:
    w, b = np.zeros(X.shape[1]), 0.0
    for k in range(1, max_iter + 1):
        g, g_b = np.zeros(X.shape[1]), 0.0
        for x, label in zip(X, y, strict=True):
            if label * (w @ x + b) <= 1:
                g = g + label * x
                g_b = g_b + label
        g = g - lam * w
        w = w + eta(k) * g
        b = b + eta(k) * g_b
    return w, b


def hinge(X: Array, y: Array, lam: float) -> Any:
    """Return sum of hinge losses plus lam/2 |w|^2 and a subgradient, of (w, b)."""

    def f(v: Array) -> tuple[float, Array]:
        w, b = v[:-1], v[-1]
        margins = y * (X @ w + b)
        active = margins <= 1
        slope = np.append(lam * w - (y * active) @ X, -(y * active).sum())
        return float(np.maximum(0, 1 - margins).sum() + lam / 2 * w @ w), slope

    return f


@pytest.mark.parametrize("rate", [0.01, SqrtRate(0.05)])
def test_hinge_descent_is_that_of_the_book(rate: Any) -> None:
    X, y = classes(30, 3)
    eta = rate if callable(rate) else ConstantRate(rate)
    w, b = hinge_regularized_descent(X, y, 0.5, eta, 60)
    found = subgradient_descent(hinge(X, y, 0.5), np.zeros(4), rate=rate, max_iter=60, points=True)
    assert found.trace.points is not None
    # Sums of 30 rows in another order, 60 times.
    np.testing.assert_allclose(found.trace.points[-1], np.append(w, b), rtol=1e-11, atol=1e-12)
    # What is returned is the best of the way.
    values = [hinge(X, y, 0.5)(v)[0] for v in found.trace.points]
    assert found.value == min(values)
    assert found.x.tolist() == found.trace.points[int(np.argmin(values))].tolist()


def test_hinge_descent_nears_the_support_vector_machine() -> None:
    X, y = classes(80, 3)
    C = 0.7
    peer = LinearSVC(loss="hinge", C=C, fit_intercept=False, tol=1e-10, max_iter=10**6).fit(X, y)
    f = hinge(X, y, 1 / C)

    def through_origin(w: Array) -> tuple[float, Array]:
        value, slope = f(np.append(w, 0.0))
        return value, slope[:-1]

    best = through_origin(peer.coef_[0])[0]
    found = subgradient_descent(through_origin, np.zeros(3), rate=RatioRate(C, 1.0), max_iter=4000)
    # Falling like 1/k for a strongly convex function: log k / k is about 2e-3.
    assert best <= found.value * (1 + 1e-9)
    assert found.value == pytest.approx(best, rel=2e-3)


# Stochastic gradient descent (CIML algorithm 34)


@pytest.mark.parametrize("size", [1, 3, 20])
def test_stochastic_descent_is_that_of_the_book(size: int) -> None:
    X, y = classes(20, 3)
    random = np.random.default_rng(np.random.SeedSequence(5))
    z, k = np.zeros(3), 0
    for _ in range(4):
        drawn = random.integers(20, size=20)
        while len(drawn):
            batch, drawn = drawn[:size], drawn[size:]
            k += 1
            z = z - 0.3 / math.sqrt(k) * logistic(X[batch], y[batch])(z)[1]
    found = stochastic_gradient_descent(
        lambda w, rows: logistic(X[rows], y[rows])(w)[1],
        np.zeros(3),
        20,
        batch_size=size,
        order="replace",
        rate=SqrtRate(0.3),
        max_iter=4,
        random_state=5,
    )
    assert found.x.tobytes() == z.tobytes()
    assert found.evaluations == k
    assert found.trace.rates[-1] == 0.3 / math.sqrt(k)


def test_all_terms_in_a_batch_is_gradient_descent() -> None:
    X, y = classes(20, 3)
    f = logistic(X, y)
    steps = gradient_descent(f, np.zeros(3), rate=0.5, max_iter=8, gradient_tol=None)
    passes = stochastic_gradient_descent(
        lambda w, rows: logistic(X[rows], y[rows])(w)[1],
        np.zeros(3),
        20,
        value=lambda w: f(w)[0],
        batch_size=20,
        order="never",
        rate=0.5,
        max_iter=8,
    )
    assert passes.x.tobytes() == steps.x.tobytes()
    assert passes.trace.values.tolist() == steps.trace.values.tolist()


def test_average_is_the_mean_of_all_points() -> None:
    terms = np.array([1.0, 5.0, -2.0, 3.0])
    x, points = 0.0, []
    for _ in range(3):
        for term in terms:
            x = x - 0.2 * (x - term)
            points.append(x)
    for begin, mean in ((1, points), (2, points[4:]), (0, points[-1:]), (True, points)):
        found = stochastic_gradient_descent(
            lambda x, rows: x - terms[rows].mean(),
            0.0,
            4,
            order="never",
            rate=0.2,
            average=begin,
            max_iter=3,
        )
        assert float(found.x) == pytest.approx(np.mean(mean), rel=1e-14)


def test_stream_takes_examples_as_they_come() -> None:
    seen: list[list[float]] = []

    def gradient(x: Array, batch: list[float]) -> Array:
        seen.append(batch)
        return np.asarray(x - np.mean(batch))

    items = iter([4.0, 2.0, 9.0, 1.0, 1.0])
    found = stochastic_gradient_descent(
        gradient, 0.0, items, order="stream", batch_size=2, rate="inverse"
    )
    assert seen == [[4.0, 2.0], [9.0, 1.0], [1.0]]
    assert float(found.x) == pytest.approx((3 + 5 + 1) / 3)
    assert (found.reason, found.iterations) == ("end", 3)


# Projections, against quadratic programs

CENTRE = np.array([1.0, 0.0, 0.0, -1.0])
NORMAL = np.array([1.0, -2.0, 0.5, 3.0])
SETS = {
    "box": (
        Box([-1, 0, -np.inf, 0.5], [1, 0, 2, np.inf]),
        [],
        [(-1, 1), (0, 0), (None, 2), (0.5, None)],
    ),
    "ball": (
        L2Ball(1.5, CENTRE),
        [lambda z: 1.5**2 - ((z - CENTRE) ** 2).sum()],
        None,
    ),
    "simplex": (Simplex(2.0), [], [(0, None)] * 4),
    "halfspace": (Halfspace(NORMAL, 0.7), [lambda z: 0.7 - NORMAL @ z], None),
}


@pytest.mark.parametrize("name", SETS)
def test_projections_solve_their_quadratic_program(name: str) -> None:
    projection, inside, bounds = SETS[name]
    constraints: list[Any] = [{"type": "ineq", "fun": rule} for rule in inside]
    if name == "simplex":
        constraints = [{"type": "eq", "fun": lambda z: z.sum() - 2.0}]
    random = np.random.default_rng(0)
    for _ in range(10):
        x = random.normal(scale=3, size=4)
        peer = optimize.minimize(
            lambda z, x=x: ((z - x) ** 2).sum(),
            np.array([0.5, 0.0, 0.5, 0.5]),
            jac=lambda z, x=x: 2 * (z - x),
            bounds=bounds,
            constraints=constraints,
            method="SLSQP",
            options={"ftol": 1e-14, "maxiter": 500},
        )
        # SLSQP's steps end at a change of 1e-14 of the value, 1e-7 of the point.
        np.testing.assert_allclose(projection(x), peer.x, atol=2e-6)


def test_l1_ball_solves_its_quadratic_program() -> None:
    # As a difference of two vectors without negative entries, whose sum is bounded.
    random = np.random.default_rng(0)
    centre = np.array([0.5, 0.0, -1.0])
    for _ in range(10):
        x = random.normal(scale=2, size=3)
        peer = optimize.minimize(
            lambda z, x=x: ((centre + z[:3] - z[3:] - x) ** 2).sum(),
            np.full(6, 0.1),
            bounds=[(0, None)] * 6,
            constraints=[{"type": "ineq", "fun": lambda z: 1.2 - z.sum()}],
            method="SLSQP",
            options={"ftol": 1e-14, "maxiter": 500},
        )
        np.testing.assert_allclose(
            L1Ball(1.2, centre)(x), centre + peer.x[:3] - peer.x[3:], atol=2e-6
        )


# The dual of the support vector machine (CIML 11.5), by gradient steps cut off at 0 and C


def svm_dual(X: Array, y: Array) -> Array:
    return np.asarray((y[:, None] * y) * (X @ X.T))


def test_projected_steps_are_those_of_the_book() -> None:
    X, y = classes(25, 3)
    Q, C, eta = svm_dual(X, y), 0.4, 0.01
    alpha = np.zeros(25)
    for _ in range(40):
        gradient = [sum(Q[n, m] * alpha[m] for m in range(25)) - 1 for n in range(25)]
        for n in range(25):
            alpha[n] = alpha[n] - eta * gradient[n]
            if alpha[n] < 0:
                alpha[n] = 0
            if alpha[n] > C:
                alpha[n] = C
    found = projected_gradient(
        Quadratic(Q, np.ones(25)).smooth,
        np.zeros(25),
        Box(0, C),
        rate=eta,
        max_iter=40,
        gradient_tol=None,
    )
    np.testing.assert_allclose(found.x, alpha, atol=1e-13)  # sums in another order
    assert 0 < np.count_nonzero(alpha == C) < 25


@pytest.mark.parametrize("how", ["plain", "accelerated", "coordinates", "negative, ascent"])
def test_svm_dual_meets_the_primal(how: str) -> None:
    X, y = classes(60, 4)
    C = 0.5
    dual = Quadratic(svm_dual(X, y), np.ones(60), lower=0, upper=C)
    box = Box(0, C)
    if how == "coordinates":
        found = coordinate_descent(dual, np.zeros(60), gap_tol=1e-9)
        assert found.trace.gaps is not None
        assert found.trace.gaps[-1] <= 1e-9
    elif how == "negative, ascent":
        found = projected_gradient(
            lambda a: tuple(-part for part in dual.smooth(a)),
            np.zeros(60),
            box,
            ascent=True,
            max_iter=20_000,
            gradient_tol=1e-7,
        )
    else:
        found = projected_gradient(
            dual.smooth,
            np.zeros(60),
            box,
            accelerated=how == "accelerated",
            max_iter=20_000,
            gradient_tol=1e-7,
        )
    assert found.converged
    w = X.T @ (y * found.x)
    primal = w @ w / 2 + C * np.maximum(0, 1 - y * (X @ w)).sum()
    value = -abs(found.value)
    # No duality gap at the solution. The tolerance on the gradient leaves 1e-7 * |alpha| of it.
    assert primal == pytest.approx(-value, rel=1e-6)
    peer = LinearSVC(loss="hinge", C=C, fit_intercept=False, tol=1e-10, max_iter=10**6).fit(X, y)
    np.testing.assert_allclose(w, peer.coef_[0], atol=1e-4)
    assert np.all((found.x >= 0) & (found.x <= C))
    # Who is beyond the margin has no weight, and who is within has all there is.
    margins = y * (X @ w)
    assert np.all(found.x[margins > 1 + 1e-3] == 0)
    assert np.all(found.x[margins < 1 - 1e-3] == C)


# Coordinate descent


@pytest.mark.parametrize("order", ["cyclic", "random"])
@pytest.mark.parametrize("active_set", [True, False])
def test_lasso_is_that_of_scikit_learn(order: str, active_set: bool) -> None:
    random = np.random.default_rng(0)
    X = random.normal(size=(50, 30))
    y = X[:, :4] @ [3, -2, 1, 0.5] + 0.1 * random.normal(size=50)
    peer = Lasso(alpha=0.1, fit_intercept=False, tol=1e-14, max_iter=10**5).fit(X, y)
    problem = Quadratic(X.T @ X, X.T @ y, l1=50 * 0.1, floor=-y @ y / 2)
    found = coordinate_descent(
        problem,
        np.zeros(30),
        order=order,
        active_set=active_set,
        gap_tol=1e-9,
        random_state=0,
    )
    assert found.reason == "gap"
    np.testing.assert_allclose(found.x, peer.coef_, atol=1e-5)
    assert np.array_equal(found.x != 0, peer.coef_ != 0)
    assert found.value == pytest.approx(problem.value(peer.coef_), abs=1e-8)


def test_active_set_saves_work() -> None:
    random = np.random.default_rng(1)
    X = random.normal(size=(60, 200)) + random.normal(size=(60, 1))
    y = X[:, :3].sum(axis=1)
    problem = Quadratic(X.T @ X, X.T @ y, l1=30.0, floor=-y @ y / 2)
    with_set, without = (
        coordinate_descent(problem, np.zeros(200), active_set=active_set)
        for active_set in (True, False)
    )
    np.testing.assert_allclose(with_set.x, without.x, atol=1e-5)
    assert with_set.evaluations < without.evaluations / 3


def test_coordinates_of_a_logistic_loss_by_a_root_finder() -> None:
    X, y = classes(40, 3)

    def f(w: Array) -> tuple[float, Array]:
        value, slope = logistic(X, y)(w)
        return value + 0.05 * w @ w, slope + 0.1 * w

    def best(w: Array, j: int) -> float:
        def slope(t: float) -> float:
            moved = w.copy()
            moved[j] = t
            return float(f(moved)[1][j])

        return float(optimize.brentq(slope, -50, 50, xtol=1e-14))

    found = coordinate_descent(best, np.zeros(3), value=lambda w: f(w)[0], point_tol=1e-10)
    assert found.converged
    assert np.linalg.norm(f(found.x)[1]) < 1e-8
    assert np.all(np.diff(found.trace.values) <= 1e-15)
