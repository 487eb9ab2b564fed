"""LinearClassifier and LinearRegressor against scikit-learn, SciPy, closed forms and the book."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import sparse
from scipy.optimize import linprog, minimize
from sklearn import linear_model
from sklearn.datasets import make_classification, make_regression

from inducer import penalties
from inducer.base import InputError, ParameterError, Trace
from inducer.linear import LinearClassifier, LinearRegressor
from inducer.losses import (
    EpsilonInsensitive,
    Hinge,
    Huber,
    Logistic,
    Loss,
    Poisson,
    Quantile,
    Squared,
    SquaredHinge,
    Tweedie,
    ZeroOne,
)
from inducer.penalties import L1, L2, ElasticNet, LowOrder, Lp, MaxNorm, Penalty, Symmetry

# What the issue asks of exact solvers.
RELATIVE = 1e-6


@pytest.fixture(scope="module")
def classes() -> tuple[Any, Any]:
    return make_classification(300, 8, n_informative=4, flip_y=0.15, random_state=3)


@pytest.fixture(scope="module")
def numbers() -> tuple[Any, Any]:
    X, y = make_regression(200, 6, noise=30.0, random_state=1)
    return X, y / 50


def assert_close(found: Any, expected: Any, tolerance: float = RELATIVE) -> None:
    """Compare relative to the largest part."""
    size = np.max(np.abs(expected))
    np.testing.assert_allclose(found, expected, rtol=0, atol=tolerance * size)


def objective(model: Any, X: Any, y: Any, loss: Loss, penalty: Penalty, weights: Any = None) -> Any:
    """Return the objective of a fitted model, from its definition."""
    z = X @ np.ravel(model.coef_) + model.intercept_
    mean = np.average(loss.value(y, np.ravel(z)), weights=weights)
    return mean + model.alpha * penalty.value(np.ravel(model.coef_))


# ---- scikit-learn ------------------------------------------------------------------------------


@pytest.mark.parametrize("solver", ["newton", "lbfgs", "smoothing"])
def test_logistic_regression(classes: Any, solver: str) -> None:
    """scikit-learn's lbfgs leaves the intercept free; C sums where we average."""
    X, y = classes
    alpha = 0.02
    peer = linear_model.LogisticRegression(C=1 / (alpha * len(X)), tol=1e-12, max_iter=10_000)
    peer.fit(X, y)
    ours = LinearClassifier(alpha=alpha, solver=solver).fit(X, y)
    assert_close(ours.coef_, peer.coef_)
    assert_close(ours.intercept_, peer.intercept_)
    assert_close(ours.predict_proba(X), peer.predict_proba(X))


def test_class_and_sample_weights(classes: Any) -> None:
    X, y = classes
    alpha, weights = 0.02, np.random.default_rng(0).exponential(size=len(X))
    by_class = {0: 0.5, 1: 3.0}
    total = np.sum(weights * np.where(y == 1, 3.0, 0.5))
    peer = linear_model.LogisticRegression(
        C=1 / (alpha * total), class_weight=by_class, tol=1e-12, max_iter=10_000
    ).fit(X, y, weights)
    ours = LinearClassifier(alpha=alpha, class_weight=by_class).fit(X, y, weights)
    assert_close(ours.coef_, peer.coef_)


def test_squared_is_ridge(numbers: Any) -> None:
    """Ridge has sum r^2 + a |w|^2: alpha/2 of ours, times n."""
    X, y = numbers
    alpha = 0.3
    peer = linear_model.Ridge(alpha * len(X) / 2, solver="svd").fit(X, y)
    ours = LinearRegressor(alpha=alpha).fit(X, y)
    assert ours.solver_ == "newton"
    assert_close(ours.coef_, peer.coef_, 1e-12)
    assert_close(ours.intercept_, peer.intercept_, 1e-12)


@pytest.mark.parametrize("solver", ["smoothing", "proximal", "coordinate"])
@pytest.mark.parametrize("ratio", [1.0, 0.4])
def test_squared_with_l1_is_the_elastic_net(numbers: Any, ratio: float, solver: str) -> None:
    """The elastic net has half of the squares."""
    X, y = numbers
    peer = linear_model.ElasticNet(0.1, l1_ratio=ratio, tol=1e-14, max_iter=100_000).fit(X, y)
    penalty = ElasticNet(ratio)
    ours = LinearRegressor(penalty=penalty, alpha=0.2, solver=solver, tol=1e-12).fit(X, y)
    assert_close(ours.coef_, peer.coef_)
    np.testing.assert_array_equal(ours.coef_ == 0, peer.coef_ == 0)


@pytest.mark.parametrize("q", [0.1, 0.5, 0.8])
def test_quantile_regression(numbers: Any, q: float) -> None:
    """Weights may differ where several are best; what they come to may not."""
    X, y = numbers
    peer = linear_model.QuantileRegressor(quantile=q, alpha=0.02).fit(X, y)
    ours = LinearRegressor(Quantile(q), penalty="l1", alpha=0.02).fit(X, y)
    expected = objective(peer, X, y, Quantile(q), L1())
    np.testing.assert_allclose(ours.objective_, expected, rtol=1e-7)
    np.testing.assert_allclose(ours.objective_, objective(ours, X, y, Quantile(q), L1()))
    assert 0 <= ours.objective_ - expected + 1e-12 <= ours.certificate_["gap"] + 1e-12


@pytest.mark.parametrize(
    ("loss", "peer"),
    [
        (Poisson(), linear_model.PoissonRegressor),
        ("gamma", linear_model.GammaRegressor),
        (Tweedie(1.5), lambda **kw: linear_model.TweedieRegressor(power=1.5, link="log", **kw)),
    ],
    ids=["poisson", "gamma", "tweedie"],
)
def test_rates(numbers: Any, loss: Any, peer: Any) -> None:
    """The same half deviances; scikit-learn's intercept is free too."""
    X, y = numbers
    amounts = np.exp(y / 3)
    if isinstance(loss, Poisson):
        amounts = np.round(amounts)
    theirs = peer(alpha=0.1, solver="newton-cholesky", tol=1e-12).fit(X, amounts)
    ours = LinearRegressor(loss, alpha=0.1).fit(X, amounts)
    assert_close(ours.coef_, theirs.coef_)
    assert_close(ours.predict(X), theirs.predict(X))


# ---- SciPy -------------------------------------------------------------------------------------


@pytest.mark.parametrize("loss", [Huber(0.4), SquaredHinge(), Huber(3.0)], ids=repr)
def test_smooth_losses_end_where_scipy_does(numbers: Any, loss: Loss) -> None:
    X, y = numbers
    learner: Any = LinearRegressor(loss, alpha=0.05)
    targets = y
    if loss.targets == "classes":
        learner, targets = LinearClassifier(loss, alpha=0.05), np.where(y > 0, 1.0, -1.0)

    def value(u: Any) -> Any:
        z = X @ u[:-1] + u[-1]
        slope = loss.derivative(targets, z) / len(X)
        gradient = np.append(slope @ X + 0.05 * u[:-1], np.sum(slope))
        return np.mean(loss.value(targets, z)) + 0.05 * L2().value(u[:-1]), gradient

    start = np.zeros(X.shape[1] + 1)
    expected = minimize(value, start, jac=True, method="BFGS", options={"gtol": 1e-11})
    ours = learner.fit(X, targets)
    assert_close(np.append(ours.coef_, ours.intercept_), expected.x)


def linear_program(X: Any, y: Any, alpha: float, loss: str, penalty: str) -> float:
    """Return the least objective of a loss and penalty in linear pieces, by HiGHS.

    Variables: w, b, what each row costs, and the size of each weight (or of the largest).
    """
    n, d = X.shape
    sizes = d if penalty == "l1" else 1
    cost = np.r_[np.zeros(d + 1), np.full(n, 1 / n), np.full(sizes, alpha)]
    ones, none = np.ones((n, 1)), np.zeros((n, sizes))
    if loss == "hinge":  # cost >= 1 - y (x.w + b)
        rows = [np.hstack([-y[:, None] * X, -y[:, None] * ones, -np.eye(n), none])]
        bounds = [-np.ones(n)]
    else:  # cost >= |x.w + b - y| - 0.5
        rows = [np.hstack([s * X, s * ones, -np.eye(n), none]) for s in (1, -1)]
        bounds = [y + 0.5, 0.5 - y]
    measure = np.eye(d) if penalty == "l1" else np.ones((d, 1))
    for s in (1, -1):  # size >= |w|
        rows.append(np.hstack([s * np.eye(d), np.zeros((d, 1 + n)), -measure]))
        bounds.append(np.zeros(d))
    free = [(None, None)] * (d + 1) + [(0, None)] * (n + sizes)
    found = linprog(cost, A_ub=np.vstack(rows), b_ub=np.concatenate(bounds), bounds=free)
    assert found.success
    return float(found.fun)


@pytest.mark.parametrize("penalty", ["l1", "max_norm"])
@pytest.mark.parametrize("loss", ["hinge", "epsilon_insensitive"])
def test_linear_pieces_are_linear_programs(
    classes: Any, numbers: Any, loss: str, penalty: str
) -> None:
    if loss == "hinge":
        X, codes = classes
        y = 2.0 * codes - 1
        ours: Any = LinearClassifier(loss, penalty=penalty, alpha=0.02).fit(X, y)
    else:
        X, y = numbers
        ours = LinearRegressor(EpsilonInsensitive(0.5), penalty=penalty, alpha=0.02).fit(X, y)
    expected = linear_program(X, y, 0.02, loss, penalty)
    np.testing.assert_allclose(ours.objective_, expected, rtol=1e-7)
    assert np.all(ours.objective_ - expected <= ours.certificate_["gap"] + 1e-10)


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("loss", ["hinge", "absolute", "epsilon_insensitive"])
def test_dual_descent_ends_where_smoothing_does(
    classes: Any, numbers: Any, loss: str, intercept: bool
) -> None:
    X, y = classes if loss == "hinge" else numbers
    learner = LinearClassifier if loss == "hinge" else LinearRegressor
    common = {"alpha": 0.5, "fit_intercept": intercept, "max_iter": 20_000}
    weights = np.random.default_rng(0).exponential(size=len(X))
    weights[:30] = 0
    dual = learner(loss, solver="dual_descent", **common).fit(X, y, weights)
    other = learner(loss, solver="smoothing", **common).fit(X, y, weights)
    assert dual.solver_ == "dual_descent"
    np.testing.assert_allclose(dual.objective_, other.objective_, rtol=3e-8)  # both within tol
    # Strongly convex in w: |difference|^2 alpha / 2 is at most the sum of the gaps.
    apart = np.ravel(dual.coef_ - other.coef_)
    assert 0.25 * apart @ apart <= dual.certificate_["gap"] + other.certificate_["gap"]


def test_many_sparse_columns_with_hinge_reach_their_gap() -> None:
    """The default of tol, with so many columns that no Hessian is written down."""
    rng = np.random.default_rng(0)
    X = sparse.random_array((2_000, 20_000), density=3e-3, rng=rng, format="csr")
    y = X @ rng.normal(size=20_000) + 0.5 * rng.normal(size=2_000) > 0
    model = LinearClassifier("hinge", alpha=1e-3).fit(X, y)  # warnings are errors here
    assert model.solver_ == "dual_descent"
    assert model.certificate_["gap"] <= 1e-8


@pytest.mark.parametrize("loss", ["logistic", "hinge", "squared", "huber"])
@pytest.mark.parametrize(
    ("solver", "penalty"),
    [("sgd", "l2"), ("sgd", "l1"), ("sgd", None), ("truncated", "l1"), ("truncated", "elasticnet")],
)
def test_stochastic_steps_come_near_the_least(
    classes: Any, numbers: Any, loss: str, solver: str, penalty: Any
) -> None:
    X, y = numbers if loss == "huber" else classes
    X = X / np.std(X, axis=0)
    learner = LinearRegressor if loss == "huber" else LinearClassifier
    common = {"penalty": penalty, "alpha": 0.05}
    walked = learner(loss, solver=solver, max_iter=300, tol=None, **common).fit(X, y)
    best = learner(loss, **common).fit(X, y)
    excess = np.ravel(walked.objective_ - best.objective_)[0]
    start = np.ravel(learner(loss, form="loss_bound", bound=1e9).fit(X, y).loss_)[0]
    # Noise of single rows: a fiftieth of what there is to gain.
    assert -1e-8 <= excess <= 0.02 * (start - np.ravel(best.objective_)[0])
    if "gap" in walked.certificate_:
        assert excess <= walked.certificate_["gap"] + 1e-12
    again = learner(loss, solver=solver, max_iter=300, tol=None, **common).fit(X, y)
    np.testing.assert_array_equal(again.coef_, walked.coef_)


def test_collinear_columns_have_the_smallest_weights_of_the_best(numbers: Any) -> None:
    X, y = numbers
    X = np.hstack([X, X[:, :1], 2 * X[:, 1:2], np.ones((len(X), 1))])
    ours = LinearRegressor(penalty=None).fit(X, y)
    centred = X - X.mean(axis=0)
    assert_close(ours.coef_, np.linalg.pinv(centred) @ (y - y.mean()), 1e-8)


@pytest.mark.parametrize("loss", ["logistic", "hinge", "exponential"])
def test_a_large_column_does_not_hide_the_others(classes: Any, loss: str) -> None:
    """Constant and zero columns beside it; without a penalty the units of columns do not matter."""
    X, y = classes
    units = np.r_[1e6, np.ones(X.shape[1] - 1)]
    odd = np.hstack([X * units, np.ones((len(X), 1)), np.zeros((len(X), 1))])
    plain = LinearClassifier(loss, penalty=None).fit(X, y)
    model = LinearClassifier(loss, penalty=None).fit(odd, y)
    np.testing.assert_allclose(model.objective_, plain.objective_, rtol=1e-7)
    if loss != "hinge":  # which several rules may minimise
        assert_close(model.decision_function(odd), plain.decision_function(X), 1e-4)


def test_more_columns_than_rows(numbers: Any) -> None:
    X, y = make_regression(15, 40, random_state=0)
    ours = LinearRegressor(penalty=None).fit(X, y)
    assert_close(ours.predict(X), y, 1e-9)
    centred = X - X.mean(axis=0)
    assert_close(ours.coef_, np.linalg.pinv(centred) @ (y - y.mean()), 1e-8)


# ---- the book ----------------------------------------------------------------------------------


def hinge_regularized_gd(X: Any, y: Any, lam: float, eta: float, steps: int) -> list[Any]:
    """Return w and b after each step of HingeRegularizedGD (the book's section 7.5).

    With the mean of the hinge losses for their sum; eta is missing from the printed arguments.
    """
    w, b = np.zeros(X.shape[1]), 0.0
    walk = []
    for _ in range(steps):
        g, g_b = np.zeros_like(w), 0.0
        for x, label in zip(X, y, strict=True):
            if label * (w @ x + b) <= 1:
                g, g_b = g + label * x / len(X), g_b + label / len(X)
        w, b = w + eta * (g - lam * w), b + eta * g_b
        walk.append((w, b))
    return walk


def test_subgradient_descent_is_the_books(classes: Any) -> None:
    X, codes = classes
    y = 2.0 * codes - 1
    walk = hinge_regularized_gd(X, y, 0.1, 0.05, 60)
    model = LinearClassifier(
        "hinge", alpha=0.1, solver="subgradient", learning_rate=0.05, tol=None, max_iter=60
    )
    model.set_callbacks(Trace()).fit(X, codes)
    values = [
        np.mean(Hinge().value(y, X @ w + b)) + 0.1 * L2().value(w)
        for w, b in [(np.zeros(X.shape[1]), 0.0), *walk]
    ]
    np.testing.assert_allclose(model.history_["objective"], values[:-1], rtol=1e-10)
    np.testing.assert_allclose(model.objective_, min(values), rtol=1e-10)  # the best is kept


def test_gradient_descent_is_the_books(numbers: Any) -> None:
    """GradientDescent with K steps of lengths eta_1, ..., eta_K."""
    X, y = numbers
    steps = [0.1, 0.05, 0.2, 0.01]
    w, b = np.zeros(X.shape[1]), float(np.mean(y))  # where our fits start
    for eta in steps:
        slope = 2 * (X @ w + b - y) / len(X)
        w, b = w - eta * (slope @ X + 0.3 * w), b - eta * np.sum(slope)
    model = LinearRegressor(
        alpha=0.3, solver="gradient", learning_rate=lambda k: steps[k - 1], max_iter=4, tol=None
    ).fit(X, y)
    np.testing.assert_allclose(model.coef_, w, rtol=1e-12)
    np.testing.assert_allclose(model.intercept_, b, rtol=1e-12)


def test_every_loss_and_penalty_of_the_book_goes_together(classes: Any) -> None:
    X, y = classes
    penalties = [
        L2(), L1(), ElasticNet(0.5), Lp(1.0), Lp(1.3), Lp(3.0), MaxNorm(),
        Symmetry([(0, 1), (2, 5)], rest=0.1), LowOrder(range(1, 9)), None,
    ]  # fmt: skip
    for loss in ("logistic", "hinge", "squared_hinge", "exponential", "squared", "modified_huber"):
        for penalty in penalties:
            model = LinearClassifier(loss, penalty=penalty, alpha=0.05).fit(X, y)
            gap = model.certificate_.get("gap", model.certificate_["gradient_norm"])
            assert gap < 1e-7, (loss, penalty)
            assert model.zero_one_ == np.mean(model.predict(X) != y) < 0.3


# ---- of one's own ------------------------------------------------------------------------------


class OwnHinge(Loss):
    """Hinge from its value and derivative alone."""

    targets = "classes"

    def value(self, y: Any, z: Any) -> Any:
        return np.maximum(0.0, 1 - y * z)

    def derivative(self, y: Any, z: Any) -> Any:
        return np.where(y * z <= 1, -y, 0.0)


class OwnLogistic(Loss):
    targets = "classes"
    smooth = True

    def value(self, y: Any, z: Any) -> Any:
        return np.logaddexp(0, -y * z)

    def derivative(self, y: Any, z: Any) -> Any:
        return -y / (1 + np.exp(y * z))


class OwnFourth(Penalty):
    smooth = True

    def value(self, w: Any) -> float:
        return float(np.sum(w**4))

    def gradient(self, w: Any) -> Any:
        return 4 * w**3


def test_losses_and_penalties_of_ones_own(classes: Any) -> None:
    X, y = classes[0][:50], classes[1][:50]
    for own, known in ((OwnHinge(), Hinge()), (OwnLogistic(), Logistic())):
        # Without a conjugate the gap is bounded less tightly.
        mine = LinearClassifier(own, alpha=0.05, tol=1e-7).fit(X, y)
        theirs = LinearClassifier(known, alpha=0.05).fit(X, y)
        assert mine.solver_ == theirs.solver_
        assert_close(mine.coef_, theirs.coef_, 1e-4)
        np.testing.assert_allclose(mine.objective_, theirs.objective_, rtol=RELATIVE)
    mine = LinearClassifier(OwnLogistic(), penalty=OwnFourth(), alpha=0.05).fit(X, y)
    theirs = LinearClassifier("logistic", penalty=Lp(4), alpha=0.05).fit(X, y)
    assert (mine.solver_, theirs.solver_) == ("lbfgs", "newton")
    assert_close(mine.coef_, theirs.coef_)


# ---- bad input ---------------------------------------------------------------------------------


@pytest.mark.parametrize("loss", ["logistic", "exponential"])
def test_separable_data_without_a_penalty(loss: str) -> None:
    X = np.array([[-2.0], [-1.0], [1.0], [2.0]])
    y = [0, 0, 1, 1]
    for solver in ("newton", "lbfgs", "gradient"):
        with pytest.warns(UserWarning, match="a hyperplane separates the classes"):
            model = LinearClassifier(loss, penalty=None, solver=solver, max_iter=50).fit(X, y)
        assert model.zero_one_ == 0
    LinearClassifier(loss, alpha=1e-6).fit(X, y)  # warnings are errors here
    LinearClassifier("squared_hinge", penalty=None).fit(X, y)


def test_a_limit_of_iterations_is_warned_of_with_a_number(classes: Any) -> None:
    X, y = classes
    with pytest.warns(UserWarning, match=r"2 iterations of solver 'gradient'.*gradient norm \d"):
        model = LinearClassifier(solver="gradient", max_iter=2).fit(X, y)
    assert model.n_iter_ == 2
    with pytest.warns(UserWarning, match=r"solver 'subgradient'.*gap \d"):
        LinearClassifier("hinge", alpha=0.1, solver="subgradient", max_iter=3).fit(X, y)
    LinearClassifier(solver="gradient", max_iter=2, tol=None).fit(X, y)


@pytest.mark.parametrize(
    ("learner", "words"),
    [
        (LinearClassifier(ZeroOne()), "not convex"),
        (LinearClassifier("hinge", solver="newton"), "Hinge.. has kinks"),
        (LinearClassifier(penalty="l1", solver="lbfgs"), "L1.. has kinks"),
        (LinearClassifier("hinge", solver="proximal"), "smooth loss"),
        (LinearClassifier(penalty=OwnFourth(), solver="newton"), "curvature"),
        (LinearClassifier(penalty=OwnFourth(), solver="proximal"), "prox"),
        (LinearClassifier(penalty=OwnFourth(), solver="smoothing"), "curvature"),
        (LinearClassifier(solver="coordinate"), "squared losses"),
        (LinearRegressor(penalty=MaxNorm(), solver="coordinate"), "l1, l2 or both"),
        (LinearClassifier(solver="dual_descent"), "hinge, absolute or epsilon-insensitive"),
        (LinearClassifier("hinge", penalty=None, solver="dual_descent"), "and l2"),
        (LinearClassifier(OwnHinge(), solver="sgd"), "of inducer.losses"),
        (LinearClassifier(penalty="max_norm", solver="sgd"), "l1, l2 or both"),
        (LinearClassifier(solver="truncated"), "a penalty with l1 in it"),
        (LinearClassifier(solver="sgd", learning_rate=lambda _: 1.0), "a number as learning_rate"),
        (LinearClassifier(form="norm_bound"), "wants a bound"),
        (LinearClassifier(bound=1.0), "takes no bound"),
        (LinearClassifier(form="norm_bound", bound=0.0), "above 0"),
        (LinearClassifier(form="norm_bound", bound=1.0, penalty=None), "wants a penalty"),
        (LinearClassifier(penalty=LowOrder([1.0])), "1 factors"),
        (LinearRegressor(Hinge()), "LinearClassifier"),
    ],
)
def test_parameters_that_do_not_go_together(learner: Any, words: str, classes: Any) -> None:
    X, y = classes
    with pytest.raises(ParameterError, match=words):
        learner.fit(X, y)


@pytest.mark.parametrize(
    ("loss", "value", "words"),
    [
        ("poisson", -1.0, "row 2.*at least 0"),
        ("gamma", 0.0, "row 2.*above 0"),
        (Tweedie(1.5), -0.1, "row 2.*at least 0"),
        ("squared", np.nan, "row 2"),
    ],
)
def test_targets_outside_of_the_losss_range(loss: Any, value: float, words: str) -> None:
    y = np.ones(5)
    y[2] = value
    with pytest.raises(InputError, match=words):
        LinearRegressor(loss).fit(np.eye(5), y)


def test_a_bound_that_no_weights_meet(classes: Any) -> None:
    X, y = classes
    with pytest.raises(InputError, match="no weights have so small a mean loss"):
        LinearClassifier(form="loss_bound", bound=0.01).fit(X, y)


def test_features_too_large_are_refused(numbers: Any) -> None:
    X, y = numbers
    for solver in ("newton", "lbfgs", "gradient"):
        with pytest.raises(InputError, match="Scale the features"):
            LinearRegressor(solver=solver).fit(X * 1e200, y)


@pytest.mark.parametrize("learner", [LinearRegressor(), LinearRegressor("absolute", penalty="l1")])
def test_targets_all_alike(learner: Any) -> None:
    X = np.random.default_rng(0).normal(size=(20, 3))
    model = learner.fit(X, np.full(20, 0.1))
    np.testing.assert_allclose(model.predict(X), 0.1, rtol=1e-9)


def test_a_warm_start_is_at_the_answer(classes: Any) -> None:
    X, y = classes
    model = LinearClassifier(alpha=0.01, warm_start=True, solver="lbfgs").fit(X, y)
    before = model.n_iter_
    coef = model.coef_.copy()
    model.fit(X, y)
    assert model.n_iter_ < before / 3
    assert_close(model.coef_, coef)


def test_squares_of_classes(classes: Any) -> None:
    """Least squares to -1 and 1, in closed form."""
    X, y = classes
    model = LinearClassifier(Squared(), penalty=None).fit(X, y)
    wide = np.c_[X, np.ones(len(X))]
    expected = np.linalg.lstsq(wide, 2.0 * y - 1, rcond=None)[0]
    assert_close(np.append(model.coef_, model.intercept_), expected, 1e-10)


@pytest.mark.parametrize(
    "penalty", ["l1", "l2", "max_norm", "elasticnet", penalties.Lp(1.5), penalties.Lp(3)]
)
def test_bounds_and_the_perceptrons_loss_which_is_zero_at_zero_weights(penalty: Any) -> None:
    """Its scale says nothing: weights are shortened until the bound is met, with the same rule."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 4))
    y = (X[:, 0] + rng.normal(size=200) > 0).astype(int)
    long = LinearClassifier("perceptron", penalty=penalty, alpha=0, max_iter=300).fit(X, y)
    size = penalties.as_penalty(penalty).value(long.coef_[0])
    common: dict[str, Any] = {"penalty": penalty, "max_iter": 300}
    for bound in (size / 50, 2 * size):
        short = LinearClassifier("perceptron", form="norm_bound", bound=bound, **common).fit(X, y)
        met = penalties.as_penalty(penalty).value(short.coef_[0])
        np.testing.assert_allclose(met, min(bound, size), rtol=1e-9)
        np.testing.assert_array_equal(short.predict(X), long.predict(X))
        assert short.certificate_["gap"] == short.objective_[0]  # no loss is below zero
        assert short.n_iter_ <= 300
    least = LinearClassifier("perceptron", form="loss_bound", bound=0.1, **common).fit(X, y)
    assert not least.coef_.any()
    assert (least.objective_[0], least.certificate_["gap"]) == (0.0, 0.0)
    apart = LinearClassifier("perceptron", form="norm_bound", bound=1e-3, **common)
    apart.fit(X, (X[:, 0] > 0).astype(int))
    assert (apart.zero_one_, apart.certificate_["gap"]) == (0.0, 0.0)
