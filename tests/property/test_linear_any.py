"""What is true of every answer: conditions of optimality, gaps, the three forms, no rises."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

import inducer
from inducer.base import Trace
from inducer.base.arrays import matrix_of
from inducer.linear import LinearClassifier, LinearRegressor, _sums
from inducer.linear.solvers import design, row_losses
from inducer.linear.solvers.problem import Problem
from inducer.losses import Hinge, Huber, Loss, Quantile, as_loss
from inducer.penalties import L1, L2, ElasticNet, Lp, MaxNorm, Penalty

seeds = st.integers(0, 10_000)
alphas = st.sampled_from([1e-3, 0.03, 0.5])
PENALTIES: list[Penalty] = [L2(), L1(), ElasticNet(0.6), Lp(1.5), Lp(3.0), MaxNorm()]
penalties = st.sampled_from(PENALTIES)
CLASSES = ["logistic", "hinge", "squared_hinge", "exponential", "modified_huber", "squared"]
NUMBERS = [as_loss("squared"), as_loss("absolute"), Huber(0.5), Quantile(0.3)]


def rows(seed: int) -> tuple[Any, Any, Any]:
    """Return X, labels and weights, of shapes and scales that differ."""
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(8, 60)), int(rng.integers(1, 7))
    X = rng.normal(size=(n, d)) * rng.choice([0.3, 1.0, 5.0], size=d)
    y = np.where(X @ rng.normal(size=d) + 2 * rng.normal(size=n) > 0, 1.0, -1.0)
    y[:2] = [-1.0, 1.0]
    return X, y, rng.exponential(size=n)


def objective(model: Any, X: Any, y: Any, loss: Loss, weights: Any, u: Any) -> float:
    z = X @ u[:-1] + u[-1]
    found = np.average(loss.value(y, z), weights=weights)
    return float(found + model.alpha * model.penalty.value(u[:-1]))


def around(u: Any, rng: Any) -> Any:
    """Yield points near and far."""
    for size in (1e-6, 1e-3, 0.1, 1.0):
        for way in rng.normal(size=(6, len(u))):
            yield u + size * way
        for j in range(len(u)):
            yield u + size * np.eye(len(u))[j]
            yield u - size * np.eye(len(u))[j]
    yield np.zeros(len(u))


@given(seeds, alphas, penalties, st.sampled_from(CLASSES))
@settings(max_examples=80)
def test_no_point_is_better_than_the_gap_allows(
    seed: int, alpha: float, penalty: Penalty, name: str
) -> None:
    X, y, weights = rows(seed)
    model: Any = LinearClassifier(name, penalty=penalty, alpha=alpha).fit(X, y, weights)
    u = np.append(model.coef_, model.intercept_)
    here = objective(model, X, y, as_loss(name), weights, u)
    np.testing.assert_allclose(model.objective_[0], here, rtol=1e-9, atol=1e-12)
    gap = model.certificate_["gap"]
    assert 0 <= gap <= 1e-8  # tol, and zero weights cost at most 1
    for other in around(u, np.random.default_rng(seed)):
        there = objective(model, X, y, as_loss(name), weights, other)
        assert there >= here - gap - 1e-12


@given(seeds, alphas, penalties, st.sampled_from(NUMBERS))
@settings(max_examples=40)
def test_no_point_is_better_for_numbers(
    seed: int, alpha: float, penalty: Penalty, loss: Loss
) -> None:
    X, _, weights = rows(seed)
    y = X @ np.arange(X.shape[1]) + np.random.default_rng(seed).standard_t(2, size=len(X))
    model: Any = LinearRegressor(loss, penalty=penalty, alpha=alpha).fit(X, y, weights)
    u = np.append(model.coef_, model.intercept_)
    here = objective(model, X, y, loss, weights, u)
    gap = model.certificate_["gap"]
    size = np.average(np.abs(loss.value(y, np.average(y, weights=weights))), weights=weights)
    assert 0 <= gap <= 1.1e-8 * max(1.0, size) * 10
    for other in around(u, np.random.default_rng(seed)):
        there = objective(model, X, y, loss, weights, other)
        assert there >= here - gap - 1e-12 * max(1.0, size)


@given(seeds, alphas, st.sampled_from(["logistic", "squared_hinge", "exponential"]))
def test_conditions_of_karush_kuhn_and_tucker_with_l1(seed: int, alpha: float, name: str) -> None:
    """Where a weight is zero the slope of the loss is at most alpha; else it is -alpha sign w."""
    X, y, weights = rows(seed)
    model = LinearClassifier(name, penalty="l1", alpha=alpha, tol=1e-12)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # this tol may be out of reach
        model.fit(X, y, weights)
    w = model.coef_[0]
    slope = as_loss(name).derivative(y, X @ w + model.intercept_) * weights / weights.sum()
    scale = np.max(weights / weights.sum() @ np.abs(X))
    pull = slope @ X
    tolerance = 1e-5 * scale
    assert abs(np.sum(slope)) < tolerance
    np.testing.assert_allclose(pull[w != 0], -alpha * np.sign(w[w != 0]), atol=tolerance)
    assert np.all(np.abs(pull[w == 0]) <= alpha + tolerance)


@given(seeds, alphas, st.sampled_from(["logistic", "squared", "squared_hinge"]))
def test_gradient_descent_never_rises(seed: int, alpha: float, name: str) -> None:
    X, y, weights = rows(seed)
    model = LinearClassifier(name, alpha=alpha, solver="gradient", max_iter=40, tol=None)
    model.set_callbacks(Trace()).fit(X, y, weights)
    values = model.history_["objective"]
    assert np.all(np.diff(values) <= 1e-15 * np.abs(values[:-1]))


@given(seeds)
def test_gradient_descent_is_within_its_bound(seed: int) -> None:
    """With eta = 1/L: F(z_k) - F(z*) <= 2 |z_0 - z*|^2 / (eta k), which T8 of the book says."""
    X, y, _ = rows(seed)
    curved = np.c_[X, np.ones(len(X))]
    most = 0.25 * np.linalg.norm(curved, 2) ** 2 / len(X) + 0.1
    best = LinearClassifier(alpha=0.1).fit(X, y)
    away = np.sum(best.coef_**2) + best.intercept_[0] ** 2
    model = LinearClassifier(
        alpha=0.1, solver="gradient", learning_rate=1 / most, max_iter=60, tol=None
    )
    model.set_callbacks(Trace()).fit(X, y)
    k = np.arange(1, 61)
    assert np.all(model.history_["objective"] - best.objective_ <= 2 * away * most / k + 1e-12)


@given(seeds, st.sampled_from(PENALTIES[:5]), st.sampled_from(["logistic", "hinge", "squared"]))
@settings(max_examples=12)
def test_the_three_forms_meet(seed: int, penalty: Penalty, name: str) -> None:
    X, y, weights = rows(seed)
    plain: Any = LinearClassifier(name, penalty=penalty, alpha=0.05, tol=1e-10)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # this tol may be out of reach
        plain.fit(X, y, weights)
        norm = penalty.value(plain.coef_[0])
        if norm < 1e-3 or plain.loss_ < 1e-3:
            return
        params = {"loss": name, "penalty": penalty, "tol": 1e-10}
        ivanov = LinearClassifier(form="norm_bound", bound=norm, **params).fit(X, y, weights)
        morozov = LinearClassifier(form="loss_bound", bound=plain.loss_, **params)
        morozov.fit(X, y, weights)
    # What each form bounds is met, and what it minimises is as small as the penalty form has it.
    assert penalty.value(ivanov.coef_[0]) <= norm * (1 + 1e-6)
    assert morozov.loss_ <= plain.loss_ * (1 + 1e-6)
    np.testing.assert_allclose(ivanov.loss_, plain.loss_, rtol=1e-5, atol=1e-7)
    np.testing.assert_allclose(penalty.value(morozov.coef_[0]), norm, rtol=1e-4, atol=1e-7)


@given(seeds)
@settings(max_examples=10)
def test_bounds_that_ask_for_nothing(seed: int) -> None:
    X, y, _ = rows(seed)
    free = LinearClassifier("squared", penalty=None).fit(X, y)
    loose = LinearClassifier("squared", form="norm_bound", bound=1e6).fit(X, y)
    np.testing.assert_allclose(loose.loss_, free.loss_, rtol=1e-6)
    assert loose.alpha_[0] < 1e-6
    still = LinearClassifier("squared", form="loss_bound", bound=10.0).fit(X, y)
    assert np.all(still.coef_ == 0)
    assert still.alpha_[0] == np.inf


@given(seeds, st.sampled_from(["logistic", "hinge"]), st.sampled_from(["l2", "l1"]))
@settings(max_examples=15)
def test_a_weight_is_a_number_of_copies(seed: int, name: str, penalty: str) -> None:
    X, y, _ = rows(seed)
    counts = np.random.default_rng(seed).integers(1, 4, size=len(X))
    weighted = LinearClassifier(name, penalty=penalty, alpha=0.05).fit(X, y, counts)
    copied = LinearClassifier(name, penalty=penalty, alpha=0.05)
    copied.fit(np.repeat(X, counts, axis=0), np.repeat(y, counts))
    np.testing.assert_allclose(weighted.objective_, copied.objective_, atol=3e-8)
    if penalty == "l2":
        np.testing.assert_allclose(weighted.coef_, copied.coef_, atol=1e-3)


def sparse_rows(rows: int, columns: int) -> tuple[Any, Any]:
    rng = np.random.default_rng(0)
    X = sparse.random_array((rows, columns), density=0.02, rng=rng, format="csr")
    return X, (X @ rng.normal(size=columns) + 0.1 * rng.normal(size=rows) > 0).astype(int)


@pytest.mark.parametrize("columns", [200, 1500])
@pytest.mark.parametrize(
    ("name", "penalty"),
    [("logistic", "l2"), ("logistic", "l1"), ("squared_hinge", "elasticnet"), ("hinge", "l2")],
)
def test_sparse_rows_give_what_dense_ones_do(name: str, penalty: str, columns: int) -> None:
    """Below and above the number of features up to which a Hessian is written down."""
    X, y = sparse_rows(300, columns)
    tol = 1e-6 if columns > 1000 else 1e-8
    fits = [
        LinearClassifier(name, penalty=penalty, alpha=1e-2, tol=tol, max_iter=3000).fit(rows, y)
        for rows in (X, X.toarray())
    ]
    assert fits[0].solver_ == fits[1].solver_
    assert fits[0].certificate_["gap"] < (1e-4 if columns > 1000 else 1e-7)
    np.testing.assert_allclose(fits[0].objective_, fits[1].objective_, rtol=1e-5)


def test_single_precision_is_read_and_not_computed_in() -> None:
    X, y, _ = rows(5)
    X = X.astype(np.float32)
    one, other = LinearClassifier().fit(X, y), LinearClassifier().fit(X.astype(np.float64), y)
    assert one.coef_.dtype == np.float32
    np.testing.assert_array_equal(one.coef_, other.coef_.astype(np.float32))
    assert one.objective_[0] == other.objective_[0]


def test_many_classes_are_each_against_the_rest() -> None:
    X, _, _ = rows(1)
    y = np.arange(len(X)) % 3
    model = LinearClassifier(alpha=0.1).fit(X, y)
    for k in range(3):
        alone = LinearClassifier(alpha=0.1).fit(X, y == k)
        np.testing.assert_allclose(model.coef_[k], alone.coef_[0], rtol=1e-9, atol=1e-12)
    p = model.predict_proba(X)
    np.testing.assert_allclose(p.sum(axis=1), 1)
    np.testing.assert_array_equal(model.classes_[np.argmax(p, axis=1)], model.predict(X))
    assert not hasattr(LinearClassifier("hinge"), "predict_proba")


class OwnHinge(Loss):
    """A loss without a C++ twin."""

    targets = "classes"

    def value(self, y: Any, z: Any) -> Any:
        return np.maximum(0.0, 1 - y * z)

    def derivative(self, y: Any, z: Any) -> Any:
        return np.where(y * z <= 1, -y, 0.0)


@pytest.mark.parametrize(
    ("loss", "penalty"),
    [
        ("hinge", L2()),
        ("hinge", MaxNorm()),
        ("logistic", MaxNorm()),
        ("squared_hinge", L1()),
        (OwnHinge(), L2()),
    ],
    ids=repr,
)
@pytest.mark.parametrize("store", [np.asarray, sparse.csr_array], ids=["dense", "sparse"])
def test_threads_do_not_matter_to_many_blocks(
    store: Any, loss: Any, penalty: Penalty, monkeypatch: Any
) -> None:
    """Blocks of rows that are handed to the kernels, and the pieces that those cut them into."""
    monkeypatch.setattr(_sums, "WORK", 1 << 18)
    own = isinstance(loss, Loss)  # halving finds its prox: slow
    count, iterations = (5_000, 4) if own else (20_000, 60)
    rng = np.random.default_rng(0)
    X = rng.normal(size=(count, 40)) * (rng.random((count, 40)) < 0.2)
    y = X @ rng.normal(size=40) + rng.normal(size=len(X)) > 0
    X = store(X)
    fits = []
    for number in (1, 2, 3, 7):
        with inducer.threads(number):
            model = LinearClassifier(loss, penalty=penalty, alpha=0.01, tol=None)
            fits.append(model.set_params(max_iter=iterations).fit(X, y))
    assert len(list(_sums.blocks(matrix_of(X), 41 / 8))) > 3
    for model in fits[1:]:
        np.testing.assert_array_equal(model.coef_, fits[0].coef_)
        np.testing.assert_array_equal(model.intercept_, fits[0].intercept_)
        assert model.objective_ == fits[0].objective_
        assert model.certificate_ == fits[0].certificate_


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("cols", [7, 230])
@pytest.mark.parametrize("store", [np.asarray, np.asfortranarray, sparse.csr_array])
def test_products_are_those_of_numpy(store: Any, cols: int, dtype: Any, monkeypatch: Any) -> None:
    """In blocks, narrow and wide, with rows of no weight, with an intercept and without."""
    monkeypatch.setattr(_sums, "WORK", 1 << 15)
    rng = np.random.default_rng(2)
    plain = (rng.normal(size=(500, cols)) * (rng.random((500, cols)) < 0.15)).astype(dtype)
    X = plain.astype(np.float64)
    h = rng.exponential(size=500) * (rng.random(500) < 0.3)
    for intercept in (True, False):
        table = design.Design(matrix_of(store(plain)), intercept)
        wide = np.c_[X, np.ones(500)] if intercept else X
        close = {"rtol": 1e-12, "atol": 1e-12}  # sums of 500 in another order
        np.testing.assert_allclose(table.transpose_times(h), h @ wide, **close)
        np.testing.assert_allclose(table.gram(h), wide.T @ (h[:, None] * wide), **close)
        sizes = table.sums_of_sizes(h)
        np.testing.assert_allclose(sizes[0], h @ np.abs(wide), **close)
        np.testing.assert_allclose(sizes[1], h @ wide**2, **close)
        problem = Problem(table, np.ones(500), h, as_loss("logistic"), L2(), 0.0)
        u = rng.normal(size=table.columns)
        np.testing.assert_allclose(problem.scores(u), wide @ u, **close)
        point = problem.at(u, curved=True)
        bend = point.curvatures
        assert bend is not None
        hessian = problem.hessian(point)
        np.testing.assert_allclose(hessian, wide.T @ (bend[:, None] * wide), **close)


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("store", [np.asarray, np.asfortranarray, sparse.csr_array])
def test_a_loss_of_ones_own_is_evaluated_as_its_twin(store: Any, intercept: bool) -> None:
    """The same numbers, by the kernel in one pass and by Python's functions."""
    rng = np.random.default_rng(1)
    X = store(rng.normal(size=(300, 5)) * (rng.random((300, 5)) < 0.2))
    y, weights = np.where(rng.random(300) < 0.5, 1.0, -1.0), rng.exponential(size=300) / 300
    weights[:20] = 0
    table = design.Design(matrix_of(X), intercept)
    u = rng.normal(size=table.columns)
    for loss in (OwnHinge(), row_losses.LossEnvelope(OwnHinge(), 0.3)):
        twin: Loss = as_loss("hinge")
        if isinstance(loss, row_losses.LossEnvelope):
            twin = row_losses.LossEnvelope(twin, 0.3)
        problems = [Problem(table, y, weights, one, L2(), 0.1) for one in (loss, twin)]
        mine, theirs = (problem.at(u, curved=True) for problem in problems)
        assert isinstance(problems[0].row_losses, row_losses.OwnLosses)
        assert not isinstance(problems[1].row_losses, row_losses.OwnLosses)
        # Halving finds the prox of a loss of one's own up to rounding.
        for name in ("z", "slopes", "value", "gradient"):
            found, expected = getattr(mine, name), getattr(theirs, name)
            np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12)
        hessians = [p.hessian(point) for p, point in zip(problems, (mine, theirs), strict=True)]
        # Its curvature is by differences, where it has any.
        np.testing.assert_allclose(hessians[0], hessians[1], rtol=1e-6, atol=1e-9)
        dz, t = rng.normal(size=300), 0.7
        slopes = [problem.slope_along(mine.z, dz, t) for problem in problems]
        np.testing.assert_allclose(slopes[0], slopes[1], rtol=1e-9, atol=1e-12)


def test_a_subclass_of_a_loss_of_ours_is_not_taken_for_it() -> None:
    class Shifted(Hinge):
        kink = 2.0

    assert row_losses.has_twin(Hinge())
    assert not row_losses.has_twin(Shifted())
    X, y, _ = rows(3)
    model = LinearClassifier(Shifted(), alpha=0.1).fit(X, y)
    z = X @ model.coef_[0] + model.intercept_
    np.testing.assert_allclose(model.loss_, np.mean(np.maximum(0, 2 - y * z)), rtol=1e-9)
