"""`SGDClassifier` and `SGDRegressor` on bad input, and what they say."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning, NotFittedError

from inducer import losses
from inducer.base import InputError, ParameterError, Trace
from inducer.linear import SGDClassifier, SGDRegressor

X = np.random.default_rng(0).normal(size=(20, 3))
CODES = np.arange(20) % 2
NUMBERS = X @ [1.0, 2.0, -1.0]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"alpha": 0.0}, "alpha must be > 0 with learning_rate='optimal'"),
        ({"learning_rate": "pa1", "loss": "log_loss"}, "goes with loss='hinge' only"),
        ({"penalty": "elasticnet", "l1_ratio": None}, "l1_ratio must be a number"),
        ({"truncate": "steps"}, "truncate is a way of the l1 penalty"),
        ({"truncate": "penalty", "penalty": "elasticnet", "l1_ratio": 0.0}, "l1_ratio > 0"),
        ({"truncate": "penalty", "penalty": "l1", "average": True}, "average=False"),
        ({"loss": "nothing"}, "'loss' parameter"),
        ({"loss": losses.Poisson()}, "classes or numbers"),
        ({"loss": losses.ZeroOne()}, "loss: SGDClassifier descends"),
        ({"batch_size": 0}, "'batch_size' parameter"),
        ({"average": 0.5}, "'average' parameter"),
    ],
)
def test_parameters_that_do_not_go_together(options: dict[str, Any], words: str) -> None:
    model = SGDClassifier(**options)
    with pytest.raises(ParameterError, match=words):
        model.fit(X, CODES)
    with pytest.raises(ParameterError, match=words):
        model.partial_fit(X, CODES, classes=[0, 1])


def test_regressions_refuse_losses_of_classes() -> None:
    with pytest.raises(ParameterError, match="'loss' parameter"):
        SGDRegressor("hinge").fit(X, NUMBERS)
    with pytest.raises(ParameterError, match="about numbers"):
        SGDRegressor(losses.Hinge()).fit(X, NUMBERS)
    with pytest.raises(ParameterError, match="epsilon_insensitive"):
        SGDRegressor(learning_rate="pa2").fit(X, NUMBERS)


@pytest.mark.parametrize("X", [X * 1e200, (X * 1e30).astype(np.float32)])
def test_steps_that_are_too_long(X: Any) -> None:
    """The squared error's steps grow with the features: the error names both cures."""
    for fit in (
        lambda: SGDRegressor(max_iter=50).fit(X, NUMBERS),
        lambda: SGDClassifier("squared_error").fit(X, CODES),
        lambda: SGDRegressor(average=True).partial_fit(X, NUMBERS),
        lambda: SGDRegressor(penalty="l1", batch_size=3).fit(X, NUMBERS),
    ):
        with pytest.raises(InputError, match=r"Scale the features first.* lower eta0"):
            fit()


@pytest.mark.parametrize(
    ("y", "words"),
    [
        (np.where(np.arange(20) == 7, np.nan, 1.0), "NaN: row 7"),
        (np.where(np.arange(20) == 3, np.inf, 1.0), "infinity: row 3"),
        (["a"] * 20, "targets of a regression are numbers"),
        (np.ones(19), "inconsistent numbers of samples"),
        (np.ones((20, 2)), "y should be a 1d array"),
        (np.ma.masked_equal(np.arange(20.0), 4), "row 4"),
    ],
)
def test_targets_that_are_no_numbers(y: Any, words: str) -> None:
    for call in (SGDRegressor().fit, SGDRegressor().partial_fit):
        with pytest.raises(InputError, match=words):
            call(X, y)


def test_warm_starts_ask_for_the_same_features_and_classes() -> None:
    model = SGDClassifier(warm_start=True).fit(X, CODES)
    with pytest.raises(InputError, match="3 features and now has 2"):
        model.fit(X[:, :2], CODES)
    with pytest.raises(InputError, match="the classes were"):
        model.fit(X, CODES + 1)
    number = SGDRegressor(warm_start=True).fit(X, NUMBERS)
    with pytest.raises(InputError, match="3 features and now has 2"):
        number.fit(X[:, :2], NUMBERS)


def test_a_warm_start_begins_with_the_weights_there_are() -> None:
    options: dict[str, Any] = {"max_iter": 3, "tol": None, "shuffle": "never", "average": True}
    model = SGDRegressor(warm_start=True, **options).fit(X, NUMBERS)
    first = model.coef_.copy(), model.intercept_.copy()
    again = SGDRegressor(**options).fit(X, NUMBERS, coef_init=first[0], intercept_init=first[1])
    model.fit(X, NUMBERS)
    np.testing.assert_array_equal(model.coef_, again.coef_)
    np.testing.assert_array_equal(model.intercept_, again.intercept_)
    assert model.t_ == 61


def test_averaging_may_begin_between_partial_fits() -> None:
    """The weights of the first pass count as often as it had steps; the average stays near."""
    model = SGDRegressor(learning_rate="constant", eta0=1e-9).partial_fit(X, NUMBERS)
    first = model.coef_.copy()
    model.set_params(average=True).partial_fit(X, NUMBERS)
    np.testing.assert_allclose(model.coef_, first * 1.25, rtol=0.3)  # steps of all the same size
    assert model.t_ == 41


def test_the_history_adds_up() -> None:
    model = SGDClassifier("log_loss", penalty="elasticnet", alpha=0.1, max_iter=3, tol=None)
    model.set_callbacks(Trace()).fit(X, CODES)
    penalty = 0.1 * (0.85 * np.sum(model.coef_**2) / 2 + 0.15 * np.abs(model.coef_).sum())
    history = model.history_
    assert history["objective"][-1] - history["loss"][-1] == pytest.approx(penalty, rel=1e-12)
    assert history["nonzeros"][-1] == np.count_nonzero(model.coef_)
    # While the weights are as good as zero, a row costs log 2, a weight of two or not.
    model = SGDClassifier("log_loss", learning_rate="constant", eta0=1e-12, max_iter=1, tol=None)
    for weights in (None, np.arange(20.0)):
        model.set_callbacks(Trace()).fit(X, CODES, sample_weight=weights)
        assert model.history_["loss"][0] == pytest.approx(np.log(2), rel=1e-9)


def test_the_warning_names_the_objective() -> None:
    with pytest.warns(ConvergenceWarning, match=r"2 passes of max_iter.* objective of [0-9.]+"):
        SGDClassifier(max_iter=2).fit(X, CODES)
    with pytest.warns(ConvergenceWarning, match="max_iter"):
        SGDRegressor(max_iter=2).fit(X, NUMBERS)
    SGDClassifier(max_iter=2, tol=None).fit(X, CODES)  # warnings are errors here


def test_an_early_stop_keeps_the_best_and_lowers_an_adaptive_rate() -> None:
    rng = np.random.default_rng(1)
    rows = rng.normal(size=(300, 5))
    y = rows @ np.arange(5.0) + rng.normal(size=300)
    options: dict[str, Any] = {"early_stopping": True, "random_state": 0, "eta0": 0.2}
    plain = SGDRegressor(learning_rate="constant", **options).fit(rows, y)
    patient = SGDRegressor(learning_rate="adaptive", **options).fit(rows, y)
    assert patient.n_iter_ > plain.n_iter_ + 20  # five passes more at each of the lower rates
    assert patient.best_score_ > plain.best_score_
    kept, held = plain._split(y)
    assert plain.best_score_ == pytest.approx(plain.score(rows[held], y[held]), abs=1e-12)
    assert len(kept) + len(held) == 300


def test_predict_before_fit() -> None:
    with pytest.raises(NotFittedError):
        SGDRegressor().predict(X)
    with pytest.raises(NotFittedError):
        SGDClassifier("log_loss").predict_proba(X)


def test_a_stream_needs_no_second_look_at_the_classes() -> None:
    model = SGDClassifier(loss="log_loss")
    with pytest.raises(InputError, match="name all classes"):
        model.partial_fit(X, CODES)
    model.partial_fit(X, CODES, classes=[0, 1, 2]).partial_fit(X, CODES)
    assert model.coef_.shape == (3, 3)
    with pytest.raises(InputError, match="balanced"):
        SGDClassifier(class_weight="balanced").partial_fit(X, CODES, classes=[0, 1])
