"""The theorems about stochastic gradient descent, and what must not matter to it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from sklearn.base import clone

import inducer
from inducer.base import Trace
from inducer.linear import SGDClassifier, SGDRegressor

SEEDS = st.integers(0, 2**32 - 1)
LEARNERS = {
    "hinge": SGDClassifier(),
    "averaged": SGDClassifier("log_loss", average=True),
    "l1": SGDClassifier("squared_hinge", penalty="l1", learning_rate="sqrt"),
    "truncated": SGDClassifier("log_loss", penalty="elasticnet", truncate="penalty", batch_size=3),
    "steps": SGDClassifier("hinge", penalty="l1", truncate="steps", learning_rate="sqrt"),
    "held out": SGDClassifier(early_stopping=True, validation_fraction=0.3),
    "numbers": SGDRegressor(),
    "numbers, batches": SGDRegressor("absolute", penalty="elasticnet", batch_size=5, average=3),
}
every_learner = pytest.mark.parametrize("name", LEARNERS)


def learner(name: str, seed: int) -> Any:
    return clone(LEARNERS[name]).set_params(random_state=seed, max_iter=4, tol=None)


def table(seed: int, classes: int = 3) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(30, 4))
    y = np.argmax(X[:, :classes] + rng.normal(size=(30, classes)), axis=1)
    y[:6] = np.arange(6) % classes
    return X, y


def assert_equal(one: Any, other: Any) -> None:
    np.testing.assert_array_equal(one.coef_, other.coef_)
    np.testing.assert_array_equal(one.intercept_, other.intercept_)
    assert (one.n_iter_, one.t_) == (other.n_iter_, other.t_)


# ---- the bound ---------------------------------------------------------------------------------


@given(SEEDS, st.sampled_from(["hinge", "logistic", "perceptron", "absolute"]), st.booleans())
def test_subgradient_descent_keeps_its_bound(seed: int, loss: str, constant: bool) -> None:
    """cmsc 16.2: min_k f_k <= f* + (|x0 - x*|^2 + G^2 sum eta^2) / (2 sum eta).

    A batch of all rows makes the steps those of f. The bound holds with any point for x*: here with
    one that is no worse than any the walk has seen. With rows (x, 1) no longer than G, slopes of
    these losses are no longer either.
    """
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(12, 3))
    y = np.sign(rng.normal(size=12))
    y[:2] = 1, -1
    target = rng.normal(size=4)
    slope_bound = float(np.max(np.sqrt(np.sum(X**2, axis=1) + 1)))
    values = {
        "hinge": lambda z: np.maximum(0, 1 - y * z),
        "logistic": lambda z: np.logaddexp(0, -y * z),
        "perceptron": lambda z: np.maximum(0, -y * z),
        "absolute": lambda z: np.abs(z - y),
    }[loss]

    def objective(w: Any, b: float) -> float:
        return float(np.mean(values(X @ w + b)))

    eta0, passes = 0.5, 30
    model = SGDClassifier(
        loss, penalty=None, learning_rate="constant" if constant else "sqrt", eta0=eta0,
        batch_size=12, max_iter=1, tol=None,
    )  # fmt: skip
    best = objective(np.zeros(3), 0.0)
    for _ in range(passes - 1):
        model.partial_fit(X, y, classes=[-1, 1])
        best = min(best, objective(model.coef_[0], float(model.intercept_[0])))
    etas = eta0 / (np.ones(passes) if constant else np.sqrt(np.arange(1, passes + 1)))
    distance = np.sum(target**2)
    bound = (distance + slope_bound**2 * np.sum(etas**2)) / (2 * np.sum(etas))
    assert best <= objective(target[:3], float(target[3])) + bound


@given(SEEDS)
def test_the_stochastic_bound_holds_on_average(seed: int) -> None:
    """The same for rows drawn one by one, in expectation: over 20 orders, of averaged weights.

    Averages keep it: f(mean of x) <= mean of f(x). A walk without replacement is no worse here.
    """
    X, y = table(seed % 1000, classes=2)
    signs = 2.0 * y - 1
    target = np.linalg.lstsq(np.column_stack([X, np.ones(30)]), signs, rcond=None)[0]

    def objective(w: Any, b: float) -> float:
        return float(np.mean(np.maximum(0, 1 - signs * (X @ w + b))))

    eta, steps = 0.05, 150
    found = []
    for order in range(20):
        model = SGDClassifier(
            penalty=None, learning_rate="constant", eta0=eta, average=True, max_iter=5, tol=None,
            random_state=order,
        ).fit(X, y)  # fmt: skip
        found.append(objective(model.coef_[0], float(model.intercept_[0])))
    squared = float(np.max(np.sum(X**2, axis=1) + 1))
    bound = (np.sum(target**2) + squared * steps * eta**2) / (2 * steps * eta)
    assert np.mean(found) <= objective(target[:4], float(target[4])) + bound


@given(SEEDS)
def test_gradient_descent_on_a_smooth_objective_never_climbs(seed: int) -> None:
    """With all rows in a batch and a rate below 1 / L the objective falls at every step."""
    X, y = table(seed, classes=2)
    largest = np.linalg.norm(np.column_stack([X, np.ones(30)]), 2) ** 2 / 30
    model = SGDClassifier(
        "log_loss", alpha=0.1, learning_rate="constant", eta0=1 / (largest / 4 + 0.1),
        batch_size=30, max_iter=25, tol=None,
    ).set_callbacks(Trace())  # fmt: skip
    model.fit(X, y)
    # Of each pass: the loss before its step, and the penalty after it.
    penalty = model.history_["objective"] - model.history_["loss"]
    objective = model.history_["loss"][1:] + penalty[:-1]
    assert np.all(np.diff(objective) <= 1e-12)


@given(SEEDS, st.sampled_from(["penalty", "steps", None]))
def test_a_larger_penalty_leaves_no_more_weights(seed: int, truncate: str | None) -> None:
    """And one that is larger than any slope leaves none at all."""
    X, y = table(seed, classes=2)
    largest = float(np.abs(X).max())
    model = SGDClassifier(
        penalty="l1", alpha=largest * 1.01, truncate=truncate, learning_rate="constant", eta0=0.1,
        max_iter=3, tol=None, random_state=0,
    )  # fmt: skip
    if truncate == "steps":  # from zero a weight is free to go, for one step
        assert np.abs(model.fit(X, y).coef_).max() <= 0.1 * largest
    else:
        assert not np.any(model.fit(X, y).coef_)


# ---- what must not matter ----------------------------------------------------------------------


@every_learner
@given(seed=SEEDS)
def test_a_second_fit_is_a_fresh_one(name: str, seed: int) -> None:
    X, y = table(seed)
    model = learner(name, seed).fit(X, y)
    model.fit(X[::-1], y[::-1])
    assert_equal(model.fit(X, y), learner(name, seed).fit(X, y))


@every_learner
@given(seed=SEEDS)
def test_threads_and_callbacks_do_not_matter(name: str, seed: int) -> None:
    X, y = table(seed)
    expected = learner(name, seed).fit(X, y)
    for count in (1, 2, 7):
        with inducer.threads(count):
            assert_equal(learner(name, seed).fit(X, y), expected)
    traced = learner(name, seed).set_callbacks(Trace()).fit(X, y)
    assert_equal(traced, expected)
    assert len(traced.history_["objective"]) == traced.n_iter_
    if name not in ("held out",):
        assert traced.history_["nonzeros"][-1] == np.count_nonzero(expected.coef_)


@every_learner
@given(seed=SEEDS)
def test_rows_of_no_weight_are_not_there(name: str, seed: int) -> None:
    if name == "held out":
        return  # other rows would be held out
    X, y = table(seed)
    weights = np.random.default_rng(seed).integers(0, 2, 30).astype(float)
    weights[:6] = 1
    kept = weights > 0
    one = learner(name, seed).set_params(shuffle="never").fit(X, y, sample_weight=weights)
    assert_equal(one, learner(name, seed).set_params(shuffle="never").fit(X[kept], y[kept]))


@given(SEEDS)
def test_features_that_are_never_seen_have_no_weight(seed: int) -> None:
    X, y = table(seed, classes=2)
    wide = sparse.csr_array(np.column_stack([X, np.zeros((30, 2))]))
    for name in ("hinge", "averaged", "l1", "truncated", "steps"):
        narrow = learner(name, seed).fit(sparse.csr_array(X), y)
        model = learner(name, seed).fit(wide, y)
        np.testing.assert_array_equal(model.coef_[:, :4], narrow.coef_)
        assert not np.any(model.coef_[:, 4:])


@given(SEEDS)
def test_probabilities_sum_to_one(seed: int) -> None:
    X, y = table(seed)
    for loss in ("log_loss", "modified_huber"):
        model = SGDClassifier(loss, eta0=0.1, learning_rate="constant", random_state=seed)
        model.set_params(max_iter=2, tol=None).fit(X, y)
        P = model.predict_proba(X)
        np.testing.assert_allclose(P.sum(axis=1), 1, rtol=1e-14)
        assert np.all(P >= 0)
        # Elsewhere several classes may be at the same end of the scale.
        sure = np.sum(P.max(axis=1, keepdims=True) == P, axis=1) == 1
        codes = np.argmax(P, axis=1)
        np.testing.assert_array_equal(model.classes_[codes][sure], model.predict(X)[sure])
