"""The online learners against literal transcriptions and scikit-learn, weight for weight.

Tolerances: the kernels add in other orders, keep logarithms for products and roots for squares;
over some hundred updates that is some hundred rounding errors. float32 has its own epsilon.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from scipy import sparse
from sklearn import linear_model

import inducer
from inducer._core.base import isa, use_isa
from inducer.online import (
    ExponentiatedGradient,
    ExponentiatedGradientRegressor,
    FollowTheLeader,
    FollowTheLeaderRegressor,
    PassiveAggressive,
    PassiveAggressiveRegressor,
    Winnow,
)
from reference import online_transcriptions as slow
from reference.examples import LAYOUTS, examples, row_weights, signs

ORDERED = {"shuffle": False, "tol": None, "max_iter": 3}


def dense(X: Any) -> Any:
    return np.asarray(X.toarray() if sparse.issparse(X) else X, np.float64)


def tolerance(X: Any) -> float:
    return 2e-3 if X.dtype == np.float32 else 1e-9


def assert_near(found: Any, expected: Any, X: Any) -> None:
    scale = max(1.0, float(np.abs(expected).max()))
    np.testing.assert_allclose(found, expected, rtol=0, atol=tolerance(X) * scale)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("variant", ["pa", "pa1", "pa2"])
@pytest.mark.parametrize("weighted", [False, True])
def test_passive_aggressive(layout: str, variant: str, weighted: bool) -> None:
    X, codes = examples(layout)
    weights = row_weights() if weighted else None
    for intercept in (False, True):
        model = PassiveAggressive(C=0.3, variant=variant, fit_intercept=intercept, **ORDERED)
        model.fit(X, codes, sample_weight=weights)
        expected = slow.passive_aggressive(
            dense(X),
            signs(codes),
            C=0.3,
            variant=variant,
            intercept=intercept,
            weights=weights,
            passes=3,
        )
        assert_near(model.coef_[0], expected.w[-1], X)
        assert_near(model.intercept_[0], expected.b[-1], X)
        last = expected.losses[-len(expected.losses) // 3 :]
        v = weights[weights > 0] if weights is not None else np.ones(len(last))
        assert model.progressive_loss_ == pytest.approx(last @ v / v.sum(), rel=5e-3, abs=1e-5)


def test_the_average_is_that_of_all_weights() -> None:
    X, codes = examples("float64")
    model = PassiveAggressive(variant="pa1", C=0.2, average=True, **ORDERED).fit(X, codes)
    found = slow.passive_aggressive(X, signs(codes), C=0.2, variant="pa1", intercept=True, passes=3)
    # One for each row visited, and the first: w_1 = 0 counts, the last does.
    assert_near(model.coef_[0], found.w.mean(axis=0), X)
    assert_near(model.intercept_[0], found.b.mean(), X)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("variant", ["pa", "pa1", "pa2"])
def test_passive_aggressive_of_numbers(layout: str, variant: str) -> None:
    X, codes = examples(layout)
    y = dense(X)[:, 0] + codes
    model = PassiveAggressiveRegressor(C=0.3, variant=variant, epsilon=0.2, **ORDERED).fit(X, y)
    expected = slow.passive_aggressive(
        dense(X), y, C=0.3, variant=variant, intercept=True, epsilon=0.2, passes=3
    )
    assert_near(model.coef_, expected.w[-1], X)
    assert_near(model.intercept_[0], expected.b[-1], X)


@pytest.mark.parametrize("layout", ["float64", "csr float64"])
@pytest.mark.parametrize(("variant", "loss"), [("pa1", "hinge"), ("pa2", "squared_hinge")])
def test_passive_aggressive_is_that_of_scikit_learn(layout: str, variant: str, loss: str) -> None:
    """Without an intercept; theirs is moved as far, but left out of the length of a row."""
    X, codes = examples(layout, rows=300)
    ours = PassiveAggressive(C=0.1, variant=variant, fit_intercept=False, **ORDERED).fit(X, codes)
    peer = linear_model.SGDClassifier(
        loss="hinge", penalty=None, learning_rate=variant, eta0=0.1, fit_intercept=False, **ORDERED
    ).fit(X, codes)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)  # deprecated
        named = linear_model.PassiveAggressiveClassifier(
            C=0.1, loss=loss, fit_intercept=False, **ORDERED
        ).fit(X, codes)
    np.testing.assert_allclose(ours.coef_, peer.coef_, rtol=0, atol=1e-12)
    np.testing.assert_allclose(ours.coef_, named.coef_, rtol=0, atol=1e-12)


def test_regressor_is_that_of_scikit_learn() -> None:
    X, codes = examples("float64", rows=300)
    y = X[:, 0] + codes
    ours = PassiveAggressiveRegressor(C=0.1, fit_intercept=False, **ORDERED).fit(X, y)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)
        peer = linear_model.PassiveAggressiveRegressor(C=0.1, fit_intercept=False, **ORDERED)
        peer.fit(X, y)
    np.testing.assert_allclose(ours.coef_, peer.coef_, rtol=0, atol=1e-12)
    assert ours.coef_.shape == peer.coef_.shape


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("threshold", [None, 1.5])
@pytest.mark.parametrize("weighted", [False, True])
def test_balanced_winnow(layout: str, threshold: float | None, weighted: bool) -> None:
    X, codes = examples(layout)
    weights = row_weights() if weighted else None
    model = Winnow(alpha=1.2, threshold=threshold, **ORDERED)
    model.fit(X, codes, sample_weight=weights)
    w, b, mistakes = slow.winnow(
        dense(X),
        signs(codes),
        alpha=1.2,
        form="balanced",
        threshold=threshold,
        weights=weights,
        passes=3,
    )
    assert model.n_updates_ == mistakes
    assert_near(model.coef_[0], w, X)
    assert_near(model.intercept_[0], b, X)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_positive_winnow(layout: str) -> None:
    X, codes = examples(layout)
    X = abs(X)
    model = Winnow(alpha=1.5, form="positive", **ORDERED).fit(X, codes)
    w, b, mistakes = slow.winnow(
        dense(X), signs(codes), alpha=1.5, form="positive", threshold=X.shape[1] / 2, passes=3
    )
    assert model.n_updates_ == mistakes
    assert_near(model.coef_[0], w, X)
    assert model.intercept_[0] == b == -X.shape[1] / 2


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("form", ["balanced", "positive"])
@pytest.mark.parametrize("loss", ["logistic", "hinge", "squared_hinge", "squared"])
def test_exponentiated_gradient(layout: str, form: str, loss: str) -> None:
    X, codes = examples(layout)
    params: dict[str, Any] = {"loss": loss, "eta": 0.01, "radius": 3.0, "form": form}
    weights = row_weights()
    for intercept in (False, True):
        model = ExponentiatedGradient(**params, fit_intercept=intercept, **ORDERED)
        model.fit(X, codes, sample_weight=weights)
        expected = slow.exponentiated_gradient(
            dense(X), signs(codes), **params, intercept=intercept, weights=weights, passes=3
        )
        assert_near(model.coef_[0], expected.w[-1], X)
        assert_near(model.intercept_[0], expected.b[-1], X)


@pytest.mark.parametrize("loss", ["squared", "absolute"])
def test_exponentiated_gradient_of_numbers(loss: str) -> None:
    X, codes = examples("float64")
    y = X[:, 0] + codes
    params: dict[str, Any] = {"loss": loss, "eta": 0.01, "radius": 3.0, "form": "balanced"}
    model = ExponentiatedGradientRegressor(**params, **ORDERED).fit(X, y)
    expected = slow.exponentiated_gradient(X, y, **params, intercept=True, passes=3)
    assert_near(model.coef_, expected.w[-1], X)
    assert_near(model.intercept_[0], expected.b[-1], X)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("loss", ["logistic", "hinge", "squared_hinge", "squared"])
@pytest.mark.parametrize(("l1", "l2"), [(0.0, 0.0), (0.7, 0.3)])
def test_follow_the_leader(layout: str, loss: str, l1: float, l2: float) -> None:
    X, codes = examples(layout)
    params: dict[str, Any] = {"loss": loss, "alpha": 0.1, "beta": 0.5, "l1": l1, "l2": l2}
    weights = row_weights()
    for intercept in (False, True):
        model = FollowTheLeader(**params, fit_intercept=intercept, **ORDERED)
        model.fit(X, codes, sample_weight=weights)
        expected = slow.leader(
            dense(X), signs(codes), **params, intercept=intercept, weights=weights, passes=3
        )
        assert_near(model.coef_[0], expected.w[-1], X)
        assert_near(model.intercept_[0], expected.b[-1], X)
        if X.dtype != np.float32:
            np.testing.assert_array_equal(model.coef_[0] == 0, expected.w[-1] == 0)


@pytest.mark.parametrize("loss", ["squared", "absolute"])
def test_follow_the_leader_of_numbers(loss: str) -> None:
    X, codes = examples("csr float64")
    y = dense(X)[:, 0] + codes
    params: dict[str, Any] = {"loss": loss, "alpha": 0.1, "beta": 0.5, "l1": 0.1, "l2": 0.3}
    model = FollowTheLeaderRegressor(**params, **ORDERED).fit(X, y)
    expected = slow.leader(dense(X), y, **params, intercept=True, passes=3)
    assert_near(model.coef_, expected.w[-1], X)
    assert_near(model.intercept_[0], expected.b[-1], X)


EACH: dict[str, Any] = {
    "PassiveAggressive": PassiveAggressive(average=True),
    "Winnow": Winnow(),
    "ExponentiatedGradient": ExponentiatedGradient(),
    "FollowTheLeader": FollowTheLeader(l1=0.1),
}


@pytest.mark.parametrize("name", EACH)
def test_classes_are_told_apart_one_versus_all(name: str) -> None:
    X, codes = examples("float64", classes=3)
    many = EACH[name].set_params(**ORDERED).fit(X, codes)
    for k in range(3):
        coef, offset = many.coef_[k].copy(), many.intercept_[k]
        one = EACH[name].__class__(**{**EACH[name].get_params(), **ORDERED}).fit(X, codes == k)
        np.testing.assert_array_equal(coef, one.coef_[0])
        assert offset == one.intercept_[0]


@pytest.mark.parametrize("name", EACH)
@pytest.mark.parametrize("layout", ["float64", "csr float64"])
def test_a_stream_in_chunks_is_one_pass(name: str, layout: str) -> None:
    X, codes = examples(layout, rows=90)
    whole = EACH[name].__class__(**{**EACH[name].get_params(), **ORDERED, "max_iter": 1})
    parts = EACH[name].__class__(**{**EACH[name].get_params(), **ORDERED})
    whole.fit(X, codes)
    for begin in (0, 1, 31, 60):
        end = {0: 1, 1: 31, 31: 60, 60: 90}[begin]
        parts.partial_fit(X[begin:end], codes[begin:end], classes=[0, 1])
    np.testing.assert_array_equal(whole.coef_, parts.coef_)
    np.testing.assert_array_equal(whole.intercept_, parts.intercept_)
    assert whole.t_ == parts.t_ == 91
    assert whole.n_updates_ == parts.n_updates_


@pytest.mark.parametrize("name", EACH)
@pytest.mark.parametrize("layout", ["float64", "float32", "csr float64"])
def test_every_instruction_set_gives_the_same_bits(name: str, layout: str) -> None:
    X, codes = examples(layout, classes=3)
    level = isa()
    found = []
    try:
        for other in ("v2", "v3", "v4", "plain"):
            if use_isa(other):
                with inducer.threads(2):
                    model = EACH[name].__class__(**{**EACH[name].get_params(), "random_state": 0})
                    found.append(model.set_params(max_iter=5, tol=None).fit(X, codes))
    finally:
        assert use_isa(level)
    for model in found[1:]:
        np.testing.assert_array_equal(model.coef_, found[0].coef_)


# ---- logarithms that would overflow --------------------------------------------------------------


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_winnow_with_weights_beyond_any_float(dtype: Any) -> None:
    """Ten thousand mistakes on one feature would be a weight of 2^10000."""
    X = np.array([[1.0, 0.0], [0.0, 1.0]] * 50, dtype) * 1000
    y = np.array([0, 1] * 50)
    model = Winnow(alpha=2, max_iter=10, tol=None, shuffle=False).fit(X, y)
    assert np.isfinite(model.coef_).all()
    assert model.score(X, y) == 1
    # By hand: row 0 is a mistake at zero; then s = (-1000, 0) log 2 and s_b = -log 2, and row 1 is.
    assert model.n_updates_ == 2
    assert model.coef_[0, 1] == -model.coef_[0, 0] > 0


def test_exponentiated_gradient_far_out() -> None:
    """Logarithms of thousands: all of the radius is on one weight, and comes back from there."""
    X = np.array([[1.0, 0.0, 0.0]] * 300 + [[0.0, 1.0, 0.0]] * 900)
    y = np.full(1200, 5.0)  # out of reach: every row pulls its weight up by 20
    model = ExponentiatedGradientRegressor(
        loss="absolute", eta=20, radius=4, fit_intercept=False, shuffle=False, tol=None, max_iter=1
    )
    model.fit(X[:300], y[:300])  # s = (6000, 0, 0)
    np.testing.assert_array_equal(model.coef_, [4, 0, 0])
    assert model.progressive_loss_ == pytest.approx((5 + 299) / 300)
    model.fit(X, y)  # s = (6000, 18000, 0)
    np.testing.assert_array_equal(model.coef_, [0, 4, 0])
    # The first row of each kind, and 300 rows while s_2 climbs; at 6000 each they have halves.
    assert model.progressive_loss_ == pytest.approx((5 + 299 + 300 * 5 + 3 + 599) / 1200)
