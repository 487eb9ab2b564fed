"""SGD against A34 written down, against scikit-learn, and the books' numbers.

The transcription multiplies weights where the kernel keeps a scale, and adds in another order: both
round, some thousand times, and steps carry errors on. So weights agree to 1e-10 of the largest.
"""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from sklearn import linear_model

from inducer import losses
from inducer.base.random import kernel_seed
from inducer.linear import Perceptron, SGDClassifier, SGDRegressor
from reference.descents import SLOPES, Descent, constant, truncated_step
from reference.examples import LAYOUTS, examples, row_weights, signs
from reference.transcriptions import orders, visited

EPSILONS = ("huber", "epsilon_insensitive", "squared_epsilon_insensitive")
NUMBERS = ("squared_error", "squared", "absolute", *EPSILONS)
PENALTIES: dict[str | None, tuple[float, float]] = {
    None: (0, 0),
    "l2": (1, 0),
    "l1": (0, 1),
    "elasticnet": (0.7, 0.3),
}
ALPHA = 0.02


def shrunk(layout: str, classes: int = 2) -> tuple[Any, Any]:
    """Return examples of features so small that no walk leaps about, carrying errors far."""
    X, codes = examples(layout, classes)
    return X * np.asarray(0.08 if layout == "integers" else 0.25, X.dtype), codes


def walked(
    walk: Descent, *, seed: int, passes: int, shuffle: str = "every", stream: int = 0
) -> Any:
    rows = visited(walk.X.shape[0], walk.weights)
    for _, order in zip(
        range(passes), orders(rows, shuffle, kernel_seed(seed), stream), strict=False
    ):
        walk.walk(order)
    return walk


def assert_close(model: Any, w: Any, b: Any, tolerance: float = 1e-10) -> None:
    scale = np.abs(w).max()
    assert scale > 5e-4
    np.testing.assert_allclose(np.ravel(model.coef_), np.ravel(w), rtol=0, atol=tolerance * scale)
    np.testing.assert_allclose(model.intercept_, np.ravel(b), rtol=0, atol=tolerance * scale)


# ---- weight for weight -------------------------------------------------------------------------


@pytest.mark.parametrize("layout", [*LAYOUTS])
@pytest.mark.parametrize("penalty", PENALTIES)
def test_every_loss_on_every_layout(layout: str, penalty: str | None) -> None:
    X, codes = shrunk(layout)
    alpha = 0.003
    l2, l1 = (alpha * share for share in PENALTIES[penalty])
    # float32 weights round at each of 160 steps, to 6e-8 of their size.
    tolerance = 2e-5 if X.dtype == np.float32 else 1e-10
    for loss in SLOPES:
        model = SGDClassifier(
            loss=loss, penalty=penalty, alpha=alpha, l1_ratio=0.3, eta0=0.05,
            learning_rate="constant", max_iter=4, tol=None, random_state=3,
        ).fit(X, codes)  # fmt: skip
        walk = Descent(X, signs(codes), loss, l2, l1, rate=constant(0.05))
        walked(walk, seed=3, passes=4)
        if X.dtype == np.float32 and loss in ("absolute", "epsilon_insensitive"):
            continue  # at their kinks a rounding error decides on a step
        assert_close(model, walk.w, walk.b, tolerance)
        assert model.coef_.dtype == X.dtype
        assert model.t_ == walk.t == 161


SCHEDULES: dict[str, Any] = {
    "constant": constant(0.1),
    "adaptive": constant(0.1),
    "invscaling": lambda t: 0.1 / t**0.3,
    "sqrt": lambda t: 0.1 / np.sqrt(t),
    "shifted": lambda t: 0.1 / (2.5 + t),
    "optimal": lambda t: 1 / (ALPHA * (ALPHA**0.25 / ALPHA + t - 1)),
}


@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize("shuffle", ["every", "once", "never"])
@pytest.mark.parametrize("average", [False, True, 50])
def test_schedules_orders_and_averages(schedule: str, shuffle: str, average: bool | int) -> None:
    for layout, penalty in itertools.product(("float64", "csr float64"), ("l2", "l1")):
        X, codes = shrunk(layout)
        model = SGDClassifier(
            "log_loss", penalty=penalty, alpha=ALPHA, learning_rate=schedule, eta0=0.1,
            power_t=0.3, shift=2.5, average=average, shuffle=shuffle, max_iter=3, tol=None,
            random_state=1,
        ).fit(X, codes)  # fmt: skip
        l2, l1 = (ALPHA * share for share in PENALTIES[penalty])
        walk = Descent(
            X, signs(codes), "log_loss", l2, l1, rate=SCHEDULES[schedule], average_from=int(average)
        )
        walked(walk, seed=1, passes=3, shuffle=shuffle)
        if average and penalty == "l1" and layout.startswith("csr"):
            continue  # what all weights pay when a pass is over is in no step's weights
        assert_close(model, *(walk.averaged() if average else (walk.w, walk.b)))


@pytest.mark.parametrize("truncate", [None, "penalty", "steps"])
@pytest.mark.parametrize("layout", ["float64", "csr float64", "fortran"])
@pytest.mark.parametrize("batch", [1, 7, 40, 1000])
def test_batches_and_the_ways_of_the_l1_penalty(
    truncate: str | None, layout: str, batch: int
) -> None:
    X, codes = shrunk(layout)
    weights = row_weights()
    for penalty in ("l1", "elasticnet"):
        model = SGDClassifier(
            "log_loss", penalty=penalty, alpha=ALPHA, l1_ratio=0.3, learning_rate="sqrt", eta0=1.0,
            batch_size=batch, truncate=truncate, max_iter=5, tol=None, random_state=2,
        ).fit(X, codes, sample_weight=weights)  # fmt: skip
        l2, l1 = (ALPHA * share for share in PENALTIES[penalty])
        walk = Descent(
            X, signs(codes), "log_loss", l2, l1, rate=lambda t: 1 / np.sqrt(t), weights=weights,
            batch=batch, truncate=truncate,
        )  # fmt: skip
        walked(walk, seed=2, passes=5)
        assert_close(model, walk.w, walk.b)
        np.testing.assert_array_equal(model.coef_[0] == 0, walk.w == 0)
        assert model.t_ == walk.t


@pytest.mark.parametrize("truncate", ["penalty", "steps"])
def test_truncation_through_a_rescaling(truncate: str) -> None:
    """Decay of a half a step makes the scale small within a pass; what is owed must survive it."""
    X, codes = shrunk("csr float64")
    model = SGDClassifier(
        penalty="elasticnet", alpha=1.0, l1_ratio=0.01, truncate=truncate, eta0=0.5,
        learning_rate="constant", max_iter=3, tol=None, random_state=0,
    ).fit(X, codes)  # fmt: skip
    walk = Descent(X, signs(codes), "hinge", 0.99, 0.01, rate=constant(0.5), truncate=truncate)
    walked(walk, seed=0, passes=3)
    assert_close(model, walk.w, walk.b)


@pytest.mark.parametrize("average", [False, True])
def test_a_decay_that_empties_the_weights(average: bool) -> None:
    X, codes = shrunk("float64")
    model = SGDClassifier(
        alpha=3.0, eta0=0.5, learning_rate="constant", average=average, max_iter=2, tol=None,
        random_state=0,
    ).fit(X, codes)  # fmt: skip
    walk = walked(Descent(X, signs(codes), "hinge", 3.0, rate=constant(0.5)), seed=0, passes=2)
    assert_close(model, *(walk.averaged() if average else (walk.w, walk.b)))


@pytest.mark.parametrize("loss", NUMBERS)
@pytest.mark.parametrize("layout", ["float64", "csr float64", "fortran"])
def test_regressions(loss: str, layout: str) -> None:
    X, _ = shrunk(layout)
    y = np.random.default_rng(8).normal(size=40)
    weights = row_weights()
    for batch, fit_intercept in itertools.product((1, 6), (False, True)):
        model = SGDRegressor(
            loss, alpha=ALPHA, batch_size=batch, fit_intercept=fit_intercept, max_iter=4, tol=None,
            random_state=5, eta0=0.05,
        ).fit(X, y, sample_weight=weights)  # fmt: skip
        walk = Descent(
            X, y, loss, ALPHA, rate=lambda t: 0.05 / t**0.25, weights=weights, batch=batch,
            fit_intercept=fit_intercept,
        )  # fmt: skip
        walked(walk, seed=5, passes=4)
        assert_close(model, walk.w, walk.b)
        assert (model.coef_.shape, model.intercept_.shape) == ((41,), (1,))
        assert (model.intercept_[0] == 0) == (not fit_intercept)


@pytest.mark.parametrize("layout", ["float64", "csr float64"])
def test_one_versus_all(layout: str) -> None:
    """Class k is a problem of its own, with the stream of random numbers k."""
    X, codes = shrunk(layout, classes=4)
    given = {0: 0.5, 1: 3.0, 2: 1.0, 3: 0.0}
    model = SGDClassifier(
        "modified_huber", alpha=ALPHA, eta0=0.1, learning_rate="constant", class_weight=given,
        max_iter=3, tol=None, random_state=2,
    ).fit(X, codes)  # fmt: skip
    weights = np.array([given[code] for code in codes])
    for k in range(4):
        walk = Descent(
            X, signs(codes, k), "modified_huber", ALPHA, rate=constant(0.1), weights=weights
        )
        walked(walk, seed=2, passes=3, stream=k)
        scale = np.abs(walk.w).max()
        np.testing.assert_allclose(model.coef_[k], walk.w, rtol=0, atol=1e-10 * scale)
        np.testing.assert_allclose(model.intercept_[k], walk.b, rtol=0, atol=1e-10 * scale)


def test_partial_fits_in_blocks_are_one_fit() -> None:
    """A stream: steps are counted, and averaged, on and on."""
    X, codes = shrunk("float64")
    options: dict[str, Any] = {"average": 15, "shuffle": "never", "alpha": ALPHA}
    whole = SGDClassifier("log_loss", max_iter=2, tol=None, **options).fit(X, codes)
    parts = SGDClassifier("log_loss", **options)
    for block in [slice(0, 11), slice(11, 30), slice(30, None)] * 2:
        parts.partial_fit(X[block], codes[block], classes=[0, 1])
    assert_close(parts, whole.coef_, whole.intercept_)
    assert parts.t_ == whole.t_ == 81
    y = X @ np.arange(41.0)
    number = SGDRegressor(max_iter=2, tol=None, **options).fit(X, y)
    stream = SGDRegressor(**options)
    for block in [slice(0, 11), slice(11, 30), slice(30, None)] * 2:
        stream.partial_fit(X[block], y[block])
    assert_close(stream, number.coef_, number.intercept_)


# ---- the perceptron is a descent ---------------------------------------------------------------


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("classes", [2, 3])
def test_the_perceptron_bit_for_bit(layout: str, classes: int) -> None:
    """cmsc 16: the perceptron is SGD on max(0, -y f) at a constant rate without decay."""
    X, codes = examples(layout, classes)
    for weights, tol in itertools.product((None, row_weights()), (None, 1e-3)):
        options: dict[str, Any] = {"max_iter": 400 if tol else 6, "tol": tol, "random_state": 4}
        descent = SGDClassifier(
            "perceptron", penalty=None, learning_rate="constant", eta0=0.3, **options
        ).fit(X, codes, sample_weight=weights)
        expected = Perceptron(eta0=0.3, **options).fit(X, codes, sample_weight=weights)
        np.testing.assert_array_equal(descent.coef_, expected.coef_)
        np.testing.assert_array_equal(descent.intercept_, expected.intercept_)
        assert (descent.n_iter_, descent.t_) == (expected.n_iter_, expected.t_)


def test_the_averaged_perceptron_but_for_its_zeros() -> None:
    """Ours counts the weights at the start as one more; both round in sums of 240 terms."""
    X, codes = examples("float64")
    options: dict[str, Any] = {"average": True, "max_iter": 6, "tol": None, "random_state": 4}
    descent = SGDClassifier("perceptron", penalty=None, learning_rate="constant", eta0=1, **options)
    expected = Perceptron(**options).fit(X, codes)
    descent.fit(X, codes)
    assert_close(descent, expected.coef_ * 241 / 240, expected.intercept_ * 241 / 240, 1e-13)


# ---- the books' numbers ------------------------------------------------------------------------


def test_overstepping_and_the_truncated_gradient() -> None:
    """CIML 14.5: w = .6, g = .8, eta = 1 oversteps to -.2, and g = -.3 then goes to .1.

    One feature, rows 1, targets such that squared_error has these slopes: y = w - g.
    """
    X = np.ones((1, 1))
    options: dict[str, Any] = {
        "penalty": "l1", "alpha": 1e-300, "eta0": 1.0, "learning_rate": "constant",
        "fit_intercept": False, "max_iter": 1, "tol": None, "warm_start": True,
    }  # fmt: skip
    plain = SGDRegressor(**options).fit(X, [0.6 - 0.8], coef_init=[0.6])
    np.testing.assert_allclose(plain.coef_, [-0.2], atol=1e-15)
    plain.fit(X, plain.coef_ + 0.3)
    np.testing.assert_allclose(plain.coef_, [0.1], atol=1e-15)
    cut = SGDRegressor(truncate="steps", **options).fit(X, [0.6 - 0.8], coef_init=[0.6])
    assert cut.coef_.tolist() == [0]
    cut.fit(X, [0.3])  # from zero the weight is free to go: g = -.3
    np.testing.assert_allclose(cut.coef_, [0.3], atol=1e-15)
    w, g = np.array([0.6, -0.2, 0.6, -0.6]), np.array([0.8, -0.3, 0.5, 0.5])
    np.testing.assert_allclose(truncated_step(w, g, 1.0), [0, 0, 0.1, -1.1], atol=1e-15)


def test_the_printed_truncated_gradient_would_leave_the_weight() -> None:
    """(14.8) as printed has g = 0 in the third case, so w = .6 would stay; the text wants zero."""
    assert truncated_step(np.array([0.6]), np.array([0.8]), 1.0).tolist() == [0]


@pytest.mark.parametrize("layout", ["float64", "csr float64"])
def test_first_step_of_logistic_regression(layout: str) -> None:
    """ntu 11: from w = 0 with eta = .1 the step is .05 y x; a batch of all rows takes the mean."""
    X, codes = examples(layout)
    y = signs(codes)
    options: dict[str, Any] = {
        "penalty": None, "learning_rate": "constant", "eta0": 0.1, "shuffle": "never", "tol": None,
        "max_iter": 1,
    }  # fmt: skip
    dense = X if isinstance(X, np.ndarray) else X.toarray()
    one = SGDClassifier("log_loss", **options)
    one.partial_fit(X[:1], codes[:1], classes=[0, 1])
    np.testing.assert_allclose(one.coef_[0], 0.05 * y[0] * dense[0], rtol=1e-15)
    np.testing.assert_allclose(one.intercept_, 0.05 * y[0], rtol=1e-15)
    all_rows = SGDClassifier("log_loss", batch_size=40, **options).fit(X, codes)
    step = 0.05 * (y @ dense) / 40
    np.testing.assert_allclose(all_rows.coef_[0], step, rtol=0, atol=1e-16)


def test_weight_decay() -> None:
    """A row that costs nothing leaves w (1 - eta alpha), and the offset as it is."""
    X = np.array([[2.0, 0.0], [-3.0, 0.0]])
    model = SGDClassifier(
        alpha=0.5, learning_rate="constant", eta0=0.25, shuffle="never", max_iter=1, tol=None
    ).fit(X, [1, 0], coef_init=[4.0, -7.0], intercept_init=[0.5])
    np.testing.assert_allclose(model.coef_[0], np.array([4, -7]) * (1 - 0.25 * 0.5) ** 2)
    assert model.intercept_.tolist() == [0.5]


# ---- scikit-learn ------------------------------------------------------------------------------


def theirs_and_ours(kind: str, X: Any, y: Any, weights: Any = None, **options: Any) -> None:
    their, our = {
        "class": (linear_model.SGDClassifier, SGDClassifier),
        "number": (linear_model.SGDRegressor, SGDRegressor),
    }[kind]
    theirs = their(shuffle=False, **options).fit(X, y, sample_weight=weights)
    ours = our(shuffle=False, **options).fit(X, y, sample_weight=weights)
    assert_close(ours, theirs.coef_, theirs.intercept_)
    assert ours.t_ == theirs.t_
    assert ours.coef_.shape == theirs.coef_.shape
    np.testing.assert_allclose(ours.predict(X), theirs.predict(X), rtol=1e-8)


THEIR_LOSSES = (
    "hinge",
    "log_loss",
    "modified_huber",
    "squared_hinge",
    "perceptron",
    "squared_error",
    *EPSILONS,
)


@pytest.mark.parametrize("loss", THEIR_LOSSES)
@pytest.mark.parametrize("penalty", ["l2", "l1", "elasticnet", None])
def test_scikit_learns_weights(loss: str, penalty: str | None) -> None:
    """Dense rows as they come. (With alpha = 10 "optimal" begins at a rate that is stable.)

    Averages are compared without an l1 penalty: theirs forgets what it takes off earlier weights.
    """
    X, codes = shrunk("float64")
    y = X @ np.linspace(-1, 1, 41) + 0.3
    weights = np.arange(40) % 4 + 1.0
    for rate, average in itertools.product(
        ("constant", "optimal", "invscaling", "adaptive"), (False, True, 17)
    ):
        if average and penalty in ("l1", "elasticnet"):
            continue
        options: dict[str, Any] = {
            "loss": loss, "penalty": penalty, "learning_rate": rate, "average": average,
            "alpha": 10.0 if rate == "optimal" and penalty != "l1" else 1e-3, "eta0": 0.02,
            "l1_ratio": 1e-4 if rate == "optimal" else 0.15, "max_iter": 4, "tol": None,
        }  # fmt: skip
        if rate == "optimal" and options["alpha"] < 1 and loss not in ("hinge", "perceptron"):
            continue  # its steps begin at 5.6: both walks leap about, and rounding errors with them
        theirs_and_ours("class", X, codes, **options)
        theirs_and_ours("class", X, codes, weights, **options)
        if loss in NUMBERS:
            theirs_and_ours("number", X, y, weights, **options)


@pytest.mark.parametrize("rate", ["pa1", "pa2"])
def test_scikit_learns_passive_aggressive_rates(rate: str) -> None:
    X, codes = shrunk("float64")
    y = X @ np.linspace(-1, 1, 41) + 0.3
    options: dict[str, Any] = {"learning_rate": rate, "eta0": 0.3, "max_iter": 4, "tol": None}
    theirs_and_ours("class", X, codes, penalty=None, **options)
    theirs_and_ours("class", X, codes, penalty="l2", alpha=1e-2, **options)
    theirs_and_ours("number", X, y, loss="epsilon_insensitive", penalty=None, **options)


def test_scikit_learns_several_classes() -> None:
    X, codes = shrunk("float64", classes=3)
    theirs_and_ours("class", X, codes, loss="log_loss", alpha=10.0, max_iter=4, tol=None)


@pytest.mark.parametrize("rate", ["invscaling", "adaptive"])
def test_scikit_learn_stops_after_as_many_passes(rate: str) -> None:
    """Without a penalty the objectives are the same; with one, theirs is the mean over the pass."""
    X, codes = shrunk("float64")
    options: dict[str, Any] = {"learning_rate": rate, "eta0": 0.5, "penalty": None, "max_iter": 900}
    theirs = linear_model.SGDClassifier("log_loss", shuffle=False, **options).fit(X, codes)
    ours = SGDClassifier("log_loss", shuffle=False, **options).fit(X, codes)
    assert 5 < ours.n_iter_ == theirs.n_iter_ < 900
    assert_close(ours, theirs.coef_, theirs.intercept_)


@pytest.mark.parametrize("loss", ["log_loss", "modified_huber"])
@pytest.mark.parametrize("classes", [2, 3])
def test_scikit_learns_probabilities(loss: str, classes: int) -> None:
    X, codes = examples("float64", classes)
    ours = SGDClassifier(loss, random_state=0, max_iter=5, tol=None).fit(X, codes)
    theirs = linear_model.SGDClassifier(loss).fit(X, codes)
    theirs.coef_, theirs.intercept_ = ours.coef_, ours.intercept_
    X = np.vstack([X / 40, X])
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-12)
    assert np.ptp(ours.predict_proba(X)) > 0.5


def test_probabilities_where_no_class_has_any() -> None:
    X, codes = examples("float64", 3)
    ours = SGDClassifier("modified_huber", max_iter=1, tol=None).fit(X, codes)
    ours.coef_, ours.intercept_ = np.zeros((3, 41)), np.array([-2.0, -1.0, -5.0])
    np.testing.assert_array_equal(ours.predict_proba(X[:2]), np.full((2, 3), 1 / 3))
    with pytest.raises(AttributeError, match="predict_proba"):
        SGDClassifier().fit(X, codes).predict_proba  # noqa: B018


# ---- losses as objects -------------------------------------------------------------------------


def test_losses_of_ours_are_the_same_by_name_and_as_objects() -> None:
    X, codes = shrunk("float64")
    y = X @ np.linspace(-1, 1, 41)
    for name, loss in [
        ("logistic", losses.Logistic()),
        ("squared", losses.Squared()),
        ("huber", losses.Huber(0.3)),
    ]:
        options: dict[str, Any] = {"max_iter": 3, "tol": None, "random_state": 0, "epsilon": 0.3}
        options |= {"learning_rate": "constant", "eta0": 0.02}
        one, two = (SGDClassifier(which, **options).fit(X, codes) for which in (name, loss))
        np.testing.assert_array_equal(one.coef_, two.coef_)
        if name != "logistic":
            one, two = (SGDRegressor(which, **options).fit(X, y) for which in (name, loss))
            np.testing.assert_array_equal(one.coef_, two.coef_)
    quantile = SGDRegressor(losses.Quantile(0.8), eta0=0.05, alpha=1e-6, random_state=0, tol=None)
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(2000, 1)), rng.normal(size=2000)
    share = np.mean(y < quantile.set_params(max_iter=20).fit(X, y).predict(X))
    assert abs(share - 0.8) < 0.03  # of 2,000 rows, at a rate that still moves
