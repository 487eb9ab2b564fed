"""Theorems of least squares and its penalties, on problems of any shape."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from sklearn.linear_model import lasso_path

from inducer.linear import ElasticNet, Lasso, LeastSquares, Ridge

Array = NDArray[Any]

# Sums of some hundred products of numbers of size one to a hundred.
ROUNDING = 1e-9


@st.composite
def problems(draw: Any) -> tuple[Array, Array]:
    rows, cols = draw(st.integers(2, 40)), draw(st.integers(1, 12))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    X = rng.normal(size=(rows, cols)) * 10.0 ** rng.integers(-1, 2, cols)
    kind = draw(st.sampled_from(["plain", "whole", "repeated", "constant", "shifted"]))
    if kind == "whole":
        X = np.round(X)
    elif kind == "repeated":
        X[:, -1] = X[:, 0]
    elif kind == "constant":
        X[:, -1] = 3
    elif kind == "shifted":
        X += 100
    return X, X @ rng.normal(size=cols) + rng.normal(size=rows)


WEIGHTS = st.sampled_from([None, 1, 2])
RATIOS = st.sampled_from([0.2, 0.7, 1.0])
SHARES = st.sampled_from([0.9, 0.5, 0.1, 0.01])


def weights_of(choice: int | None, rows: int) -> Array | None:
    if choice is None:
        return None
    h = np.random.default_rng(choice).integers(0, 3, rows).astype(float)
    h[0] = 1
    return h


def objective(X: Array, y: Array, h: Array | None, w: Array, b: float, a: float, r: float) -> float:
    residual = y - X @ w - b
    squares = np.average(residual**2, weights=h)
    return float(squares / 2 + a * (r * np.abs(w).sum() + (1 - r) / 2 * (w @ w)))


def fitted(model: Any, X: Array, y: Array, h: Array | None, share: float) -> tuple[Any, float]:
    most = model.set_params(alphas=1).path(X, y, h)[0][0]
    model.set_params(alphas=None, alpha=share * most)
    return model.fit(X, y, h), float(share * most)


@given(problems(), WEIGHTS, RATIOS, SHARES, st.booleans(), st.booleans())
def test_the_optimality_conditions_hold(
    problem: tuple[Array, Array],
    choice: int | None,
    ratio: float,
    share: float,
    positive: bool,
    fit_intercept: bool,
) -> None:
    """x_j'r - l2 w_j = l1 sign(w_j) where w_j is not zero, and within [-l1, l1] elsewhere."""
    X, y = problem
    h = weights_of(choice, len(X))
    net = ElasticNet(
        l1_ratio=ratio, positive=positive, fit_intercept=fit_intercept, tol=1e-13, max_iter=100_000
    )
    model, alpha = fitted(net, X, y, h, share)
    shares = np.ones(len(X)) / len(X) if h is None else h / h.sum()
    residual = y - model.predict(X)
    if fit_intercept:
        assert abs(shares @ residual) <= ROUNDING * np.abs(y).max()
        X = X - shares @ X
    pull = X.T @ (shares * residual) - alpha * (1 - ratio) * model.coef_
    # A gap of e leaves a slope of at most sqrt(2 e |x_j|^2): 1e-13 of the variance, its root.
    spread = np.sqrt(shares @ (y - shares @ y * fit_intercept) ** 2 * (shares @ X**2))
    slack = 3e-6 * spread + ROUNDING
    used = model.coef_ != 0
    assert np.all(np.abs(pull - alpha * ratio * np.sign(model.coef_))[used] <= slack[used])
    assert np.all(pull <= alpha * ratio + slack)
    if positive:
        assert np.all(model.coef_ >= 0)
    else:
        assert np.all(-pull <= alpha * ratio + slack)


@given(problems(), WEIGHTS, RATIOS, SHARES, st.integers(1, 5), st.booleans())
def test_the_gap_bounds_what_is_left(
    problem: tuple[Array, Array],
    choice: int | None,
    ratio: float,
    share: float,
    sweeps: int,
    positive: bool,
) -> None:
    import warnings

    X, y = problem
    h = weights_of(choice, len(X))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # few sweeps are the point
        rough, alpha = fitted(
            ElasticNet(l1_ratio=ratio, positive=positive, max_iter=sweeps, tol=1e-12),
            X, y, h, share,
        )  # fmt: skip
        best, _ = fitted(
            ElasticNet(l1_ratio=ratio, positive=positive, max_iter=100_000, tol=1e-13),
            X, y, h, share,
        )  # fmt: skip
    left = objective(X, y, h, rough.coef_, rough.intercept_, alpha, ratio) - objective(
        X, y, h, best.coef_, best.intercept_, alpha, ratio
    )
    scale = ROUNDING * (1 + np.abs(y).max() ** 2)
    assert -scale <= left <= rough.dual_gap_ + scale


@given(problems(), SHARES, st.floats(0.1, 3))
def test_no_step_from_the_solution_helps(
    problem: tuple[Array, Array], share: float, size: float
) -> None:
    X, y = problem
    model, alpha = fitted(Lasso(tol=1e-13, max_iter=100_000), X, y, None, share)
    best = objective(X, y, None, model.coef_, model.intercept_, alpha, 1)
    rng = np.random.default_rng(0)
    for _ in range(5):
        w = model.coef_ + size * rng.normal(size=len(model.coef_))
        b = model.intercept_ + size * rng.normal()
        assert objective(X, y, None, w, b, alpha, 1) >= best - ROUNDING * (1 + np.abs(y).max() ** 2)


@given(problems(), WEIGHTS)
def test_least_squares_leaves_residuals_at_right_angles(
    problem: tuple[Array, Array], choice: int | None
) -> None:
    X, y = problem
    h = weights_of(choice, len(X))
    model = LeastSquares().fit(X, y, h)
    residual = (y - model.predict(X)) * (1 if h is None else h)
    size = np.linalg.norm(X) * np.linalg.norm(y)
    assert np.abs(X.T @ residual).max() <= ROUNDING * size
    assert abs(residual.sum()) <= ROUNDING * np.abs(y).sum()
    assert np.all((model.leverage_ >= -ROUNDING) & (model.leverage_ <= 1 + ROUNDING))
    np.testing.assert_allclose(model.leverage_.sum(), model.rank_ + 1, rtol=1e-6)


@given(problems(), WEIGHTS)
def test_a_weight_is_as_many_rows(problem: tuple[Array, Array], choice: int | None) -> None:
    X, y = problem
    h = weights_of(choice or 1, len(X))
    assert h is not None
    rows = np.repeat(np.arange(len(X)), h.astype(int))
    one, two = Ridge(1.0).fit(X, y, h), Ridge(1.0).fit(X[rows], y[rows])
    np.testing.assert_allclose(one.coef_, two.coef_, rtol=1e-6, atol=1e-7)
    np.testing.assert_allclose(one.effective_dimension_, two.effective_dimension_, rtol=1e-6)


@given(problems())
def test_as_alpha_grows_the_weights_shrink_and_the_error_grows(
    problem: tuple[Array, Array],
) -> None:
    X, y = problem
    alphas = np.geomspace(1e-3, 1e5, 9)
    coefs, offsets = Ridge().path(X, y, alphas)
    lengths = np.linalg.norm(coefs, axis=1)
    errors = np.mean((X @ coefs.T + offsets - y[:, None]) ** 2, axis=0)
    assert np.all(np.diff(lengths) <= ROUNDING * (1 + lengths[0]))
    assert np.all(np.diff(errors) >= -ROUNDING * (1 + errors[-1]))
    model = Ridge().fit(X, y)
    dimensions = [model.effective_dimension(a) for a in alphas]
    assert np.all(np.diff(dimensions) <= 0)
    assert 0 <= dimensions[-1] <= dimensions[0] <= min(X.shape) + ROUNDING


@given(problems())
def test_the_ball_of_the_same_radius_has_nothing_better(problem: tuple[Array, Array]) -> None:
    """Ridge regression is least squares under |w| <= C for the C that goes with its alpha."""
    X, y = problem
    model = Ridge(2.0).fit(X, y)
    C = model.radius(2.0)
    Z, z = X - X.mean(axis=0), y - y.mean()
    best = np.sum((z - Z @ model.coef_) ** 2)
    rng = np.random.default_rng(0)
    for _ in range(10):
        w = rng.normal(size=len(model.coef_))
        w *= C / np.linalg.norm(w)
        assert np.sum((z - Z @ w) ** 2) >= best * (1 - ROUNDING) - ROUNDING


def test_the_learning_curve_of_least_squares() -> None:
    """On N rows of noise s^2: s^2 (1 - (d + 1)/N) on them, s^2 (1 + (d + 1)/N) on the same X with
    fresh noise (NTU 9). On fresh X it is larger still, by d (d + 1) / N (N - d - 2) for normal X.
    """
    rng = np.random.default_rng(0)
    N, d, repeats, s2 = 30, 9, 4000, 4.0
    X = rng.normal(size=(N, d))
    signal = X @ rng.normal(size=d) + 1
    noise, fresh = np.sqrt(s2) * rng.normal(size=(2, N, repeats))
    said = LeastSquares(diagnostics=False).fit(X, signal[:, None] + noise).predict(X)
    inside = (signal[:, None] + noise - said) ** 2
    outside = (signal[:, None] + fresh - said) ** 2
    # The mean of 4000 means of 30 squares: its own spread is below 0.5 %; three of them.
    assert abs(inside.mean() / (s2 * (1 - (d + 1) / N)) - 1) < 0.015
    assert abs(outside.mean() / (s2 * (1 + (d + 1) / N)) - 1) < 0.015
    # Fresh X each time: the identity is not met.
    errors = []
    for _ in range(400):
        A = rng.normal(size=(N, d))
        model = LeastSquares(diagnostics=False).fit(A, np.sqrt(s2) * rng.normal(size=N))
        new = rng.normal(size=(200, d))
        errors.append(np.mean((np.sqrt(s2) * rng.normal(size=200) - model.predict(new)) ** 2))
    beyond = s2 * (1 + 1 / N) * (N - 2) / (N - d - 2)
    assert abs(np.mean(errors) / beyond - 1) < 0.05
    assert np.mean(errors) > 1.05 * s2 * (1 + (d + 1) / N)


def test_the_noise_estimate_is_right_on_average() -> None:
    rng = np.random.default_rng(1)
    X = rng.normal(size=(20, 5))
    y = (X @ rng.normal(size=5))[:, None] + 3 * rng.normal(size=(20, 4000))
    found = LeastSquares().fit(X, y).noise_variance_
    # 14 degrees of freedom: the spread of the mean of 4000 is 9 sqrt(2 / 14 / 4000) = 0.05.
    assert abs(found.mean() - 9) < 0.2


def test_many_columns_and_a_whole_path_keep_their_promises() -> None:
    rng = np.random.default_rng(2)
    X = rng.normal(size=(60, 900))
    y = X[:, :5] @ [3.0, -2, 2, 1, 1] + 0.1 * rng.normal(size=60)
    for tol in (1e-3, 1e-6):
        alphas, coefs, gaps = Lasso(tol=tol, alphas=20, eps=0.05).path(X, y)
        assert np.all(gaps <= tol * y.var())
        peer = lasso_path(X - X.mean(axis=0), y - y.mean(), alphas=alphas, tol=1e-10)[1]
        for k, alpha in enumerate(alphas):
            values = [
                objective(X - X.mean(axis=0), y - y.mean(), None, w, 0.0, alpha, 1)
                for w in (coefs[:, k], peer[:, k])
            ]
            assert values[0] - values[1] <= gaps[k] + 1e-12
