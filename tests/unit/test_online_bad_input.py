"""What the online package refuses, and in which words."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LinearRegression, SGDRegressor
from sklearn.naive_bayes import MultinomialNB

from inducer.base import InputError, ParameterError, Trace
from inducer.online import (
    ContextualBandit,
    ExponentiatedGradient,
    FollowTheLeader,
    FollowTheLeaderRegressor,
    Hedge,
    PassiveAggressive,
    PassiveAggressiveRegressor,
    Winnow,
    off_policy_value,
    progressive_validation,
    replay,
)

X = np.random.default_rng(0).normal(size=(40, 3))
Y = (X[:, 0] > 0).astype(int)

# ---- learners ------------------------------------------------------------------------------------


@pytest.mark.parametrize("make", [np.asarray, sparse.csr_array])
def test_the_positive_winnow_refuses_negative_features(make: Any) -> None:
    broken = np.abs(X)
    broken[7, 1] = -0.5
    with pytest.raises(InputError, match=r"Negative values.*-0\.5 in row 7, column 1"):
        Winnow(form="positive").fit(make(broken), Y)
    model = Winnow(form="positive").fit(np.abs(X), Y)
    with pytest.raises(InputError, match="row 7, column 1"):
        model.partial_fit(make(broken), Y)


def test_the_mistake_bound_is_one_of_the_positive_form() -> None:
    with pytest.raises(ParameterError, match="positive"):
        Winnow().fit(X, Y).mistake_bound(2)
    with pytest.raises(ParameterError, match="threshold"):
        Winnow(form="positive", threshold=0.5).mistake_bound(2, n_features=10)
    # By hand: alpha 2, threshold 8, 16 features: 3 k (3 + 1) + 2 * 16 / 8.
    assert Winnow(alpha=2, form="positive").mistake_bound(2, n_features=16) == pytest.approx(28)


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_numbers_to_learn_are_finite(value: float) -> None:
    y = X[:, 0].copy()
    y[5] = value
    with pytest.raises(InputError, match="row 5"):
        PassiveAggressiveRegressor().fit(X, y)


def test_numbers_to_learn_are_numbers() -> None:
    with pytest.raises(InputError, match="could not convert"):
        FollowTheLeaderRegressor().fit(X, ["a"] * len(X))
    with pytest.raises(InputError, match="inconsistent"):
        FollowTheLeaderRegressor().fit(X, X[:-1, 0])


def test_streams_name_their_classes() -> None:
    with pytest.raises(InputError, match="first call"):
        PassiveAggressive().partial_fit(X, Y)
    model = PassiveAggressive().partial_fit(X, Y, classes=[0, 1])
    with pytest.raises(InputError, match="are not the"):
        model.partial_fit(X, Y, classes=[0, 1, 2])
    with pytest.raises(InputError, match="row 3"):
        model.partial_fit(X, np.where(np.arange(len(Y)) == 3, 9, Y))
    with pytest.raises(InputError, match="all rows at once"):
        PassiveAggressive(class_weight="balanced").partial_fit(X, Y, classes=[0, 1])
    with pytest.raises(ValueError, match="features"):
        model.partial_fit(X[:, :2], Y)


def test_probabilities_are_those_of_the_logistic_loss() -> None:
    model = FollowTheLeader().fit(X, Y)
    chances = model.predict_proba(X)
    np.testing.assert_allclose(chances[:, 1], 1 / (1 + np.exp(-model.decision_function(X))))
    np.testing.assert_allclose(chances.sum(axis=1), 1)
    three = ExponentiatedGradient().fit(X, np.arange(len(X)) % 3)
    np.testing.assert_allclose(three.predict_proba(X).sum(axis=1), 1)
    assert not hasattr(FollowTheLeader(loss="hinge"), "predict_proba")


@pytest.mark.parametrize("learner", [PassiveAggressive(), FollowTheLeader()])
def test_overflow_is_refused(learner: Any) -> None:
    with pytest.raises(InputError, match="overflowed"):
        learner.fit(np.sign(X) * 1e308, Y)
    assert not hasattr(learner, "coef_")


def test_passes_that_run_out_are_warned_of_with_the_loss() -> None:
    model = FollowTheLeader(max_iter=2)
    with pytest.warns(
        ConvergenceWarning, match=r"all 2 passes.*80 updates.*loss of 0\.\d+"
    ) as seen:
        model.fit(np.vstack([X, X]), np.append(Y, Y))
    assert seen[0].filename == __file__  # whose `fit` it was
    PassiveAggressive(max_iter=1000, random_state=0).fit(np.eye(2), [0, 1])  # settles: no warning


def test_a_trace_has_updates_and_losses() -> None:
    model = FollowTheLeader(max_iter=4, tol=None).set_callbacks(Trace()).fit(X, Y)
    assert sorted(model.history_) == ["loss", "seconds", "updates"]
    assert model.history_["loss"][-1] == model.progressive_loss_
    assert model.history_["updates"].sum() == model.n_updates_ == 4 * len(X)


# ---- Hedge ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        ({"experts": 0}, "one expert"),
        ({"experts": 2, "eta": 0}, "eta"),
        ({"experts": 2, "eta": "fast"}, "eta"),
        ({"experts": 2, "eta": math.nan}, "eta"),
        ({"experts": 2, "bounds": (1, 0)}, "bounds"),
        ({"experts": 2, "loss": "log"}, "loss"),
    ],
)
def test_hedge_refuses(arguments: dict[str, Any], word: str) -> None:
    with pytest.raises(ParameterError, match=word):
        Hedge(**arguments)


@pytest.mark.parametrize(
    ("losses", "word"),
    [
        ([[0, 1], [0.5, 1.5]], "1.5 of expert 1 in round 1"),
        ([[0, np.nan]], "nan of expert 1"),
        ([0, 0, 0], "each of the 2 experts"),
        ([["a", "b"]], "could not convert"),
    ],
)
def test_losses_that_hedge_refuses_change_nothing(losses: Any, word: str) -> None:
    hedge = Hedge(2)
    with pytest.raises(InputError, match=word):
        hedge.update(losses)
    assert hedge.n_rounds == 0
    assert hedge.weights.tolist() == [0.5, 0.5]


def test_hedge_over_models() -> None:
    good = PassiveAggressive(random_state=0).fit(X, Y)
    bad = PassiveAggressive(random_state=0).fit(X, 1 - Y)
    hedge = Hedge([bad, good, bad], random_state=0)
    own = hedge.learn(X, Y)
    assert own.shape == (len(X),)
    assert hedge.best == 1
    np.testing.assert_array_equal(hedge.predict(X), good.predict(X))
    drawn = Hedge([bad, good], randomised=True, random_state=0)
    assert 0 < np.mean(drawn.predict(X) == good.predict(X)) < 1
    numbers = Hedge([LinearRegression().fit(X, X[:, 0]), LinearRegression().fit(X, X[:, 1])],
                    loss="squared", bounds=(0, 100), eta=1.0)  # fmt: skip
    numbers.learn(X, X[:, 0])
    assert numbers.best == 0
    assert np.mean((numbers.predict(X) - X[:, 0]) ** 2) < 1e-3
    with pytest.raises(InputError, match="fitted models"):
        Hedge(2).predict(X)
    with pytest.raises(InputError, match="shape"):
        hedge.learn(X, Y[:-1])
    with pytest.raises(InputError, match="3 experts"):
        hedge.vote([[0, 1]])
    assert Hedge(4, random_state=0).choose() in range(4)


# ---- bandits -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("changed", "word"),
    [
        ({"arms": []}, "arms"),
        ({"arms": ["a", "a"]}, "arms"),
        ({"n_features": -1}, "n_features"),
        ({"policy": "greedy"}, "policy"),
        ({"epsilon": 1.5}, "epsilon"),
        ({"alpha": -1}, "alpha"),
        ({"l2": 0}, "l2"),
        ({"n_draws": 0}, "n_draws"),
        ({"reward_range": (1, 0)}, "reward_range"),
    ],
)
def test_bandits_refuse(changed: dict[str, Any], word: str) -> None:
    with pytest.raises(ParameterError, match=word):
        ContextualBandit(**{"arms": 2, "n_features": 3, **changed})


def test_what_a_bandit_refuses_changes_nothing() -> None:
    bandit = ContextualBandit(["left", "right"], 2)
    for x, arm, reward, word in [
        ([0, 1], "up", 1, "'up' is none of"),
        ([0, 1], ["left"], 1, "is none of"),
        ([0, 1], "left", 2, "between 0.0 and 1.0"),
        ([0, 1], "left", np.nan, "between"),
        ([0, 1], "left", "much", "no number"),
        ([0, 1, 2], "left", 1, "2 features"),
        ([[0, 1]], "left", 1, "one context"),
        ([0, np.inf], "left", 1, "feature 1"),
    ]:
        with pytest.raises(InputError, match=word):
            bandit.update(x, arm, reward)
    with pytest.raises(InputError, match="one context"):
        bandit.choose([[0, 1]])
    assert not bandit.theta.any()
    ContextualBandit(2, 1, reward_range=None).update([0], 1, -50)
    with pytest.raises(InputError, match="column for each arm"):
        replay(bandit, X[:, :2], X)


LOG: dict[str, Any] = {
    "actions": [0, 1, 1],
    "rewards": [1.0, 0.0, 1.0],
    "propensities": [0.5, 0.5, 0.5],
    "target": [[0.5, 0.5]] * 3,
    "estimates": [[0.5, 0.5]] * 3,
}


@pytest.mark.parametrize(
    ("changed", "kind", "word"),
    [
        ({"propensities": [0.5, 0.0, 0.5]}, InputError, "0.0 in row 1"),
        ({"propensities": [0.5, 0.5, 1.5]}, InputError, "1.5 in row 2"),
        ({"propensities": [0.5, 0.5]}, InputError, "shape"),
        ({"rewards": [1, np.nan, 0]}, InputError, "row 1"),
        ({"rewards": []}, InputError, "empty"),
        ({"actions": [0, 2, 1]}, InputError, "row 1"),
        ({"actions": [0, -1, 1]}, InputError, "row 1"),
        ({"actions": [0, 0.5, 1]}, InputError, "row 1"),
        ({"target": [[0.5, 0.5], [0.5, 0.6], [1, 0]]}, InputError, "row 1"),
        ({"target": [[0.5, 0.5], [1.5, -0.5], [1, 0]]}, InputError, "row 1"),
        ({"estimates": [[0.5, 0.5, 0.5]] * 3}, InputError, "estimates"),
        ({"estimates": None}, ParameterError, "needs estimates"),
        ({"method": "magic"}, ParameterError, "method"),
        ({"confidence": 1.0}, ParameterError, "confidence"),
        ({"target": [1, 0, 0], "method": "snips"}, InputError, "never does"),
    ],
)
def test_logs_that_are_refused(changed: dict[str, Any], kind: Any, word: str) -> None:
    off_policy_value(**LOG)
    with pytest.raises(kind, match=word):
        off_policy_value(**{**LOG, **changed})


def test_off_policy_values_by_hand() -> None:
    log = {**LOG, "target": [[1.0, 0.0], [0.0, 1.0], [0.0, 1.0]], "estimates": [[0.5, 0.25]] * 3}
    # Weights 2, 2, 2; ips = 2 (1 + 0 + 1) / 3; dm = (.5 + .25 + .25) / 3.
    assert off_policy_value(**log, method="ips").value == pytest.approx(4 / 3)
    assert off_policy_value(**log, method="snips").value == pytest.approx(2 / 3)
    assert off_policy_value(**log, method="dm").value == pytest.approx(1 / 3)
    assert off_policy_value(**log, method="dr").value == pytest.approx(1 / 3 + 2 * (1.0) / 3)
    assert off_policy_value(**log, method="ips").effective_sample_size == pytest.approx(3)


# ---- progressive validation ----------------------------------------------------------------------


class Counting:
    """Writes down what it is asked, and says 0."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, int]] = []

    def partial_fit(self, X: Any, y: Any) -> Any:  # noqa: ARG002
        self.calls.append(("learn", len(X)))
        self.fitted_ = True
        return self

    def predict(self, X: Any) -> Any:
        self.calls.append(("predict", len(X)))
        return np.zeros(len(X))

    def fit(self, X: Any, y: Any) -> Any:  # noqa: ARG002
        return self


def test_each_chunk_is_a_test_before_it_is_an_example() -> None:
    model = Counting()
    y = np.arange(10.0)
    result = progressive_validation(model, X[:10], y, chunk_rows=4)
    assert model.calls == [("learn", 4), ("predict", 4), ("learn", 4), ("predict", 2), ("learn", 2)]
    assert (result.n_rows, result.n_scored) == (10, 6)
    assert result.loss == pytest.approx(np.mean(y[4:] ** 2))
    np.testing.assert_allclose(result.rows, [8, 10])
    np.testing.assert_allclose(result.recent, [np.mean(y[4:8] ** 2), np.mean(y[8:] ** 2)])
    np.testing.assert_allclose(result.curve, [np.mean(y[4:8] ** 2), np.mean(y[4:] ** 2)])
    assert result.standard_error == pytest.approx(np.std(y[4:] ** 2, ddof=1) / math.sqrt(6))


def test_labels_may_come_late() -> None:
    model = Counting()
    progressive_validation(model, X[:20], X[:20, 0], chunk_rows=4, delay=8)
    kinds = [kind for kind, _ in model.calls]
    assert kinds == ["learn", "predict", "learn", "predict", "learn", "learn", "learn"]


def test_streams_from_files_and_tables(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    frame = pl.DataFrame({"a": rng.normal(size=1000), "b": rng.normal(size=1000)})
    up = pl.when(pl.col("a") > 0).then(pl.lit("up")).otherwise(pl.lit("down"))
    frame = frame.with_columns(y=up)
    frame.write_csv(tmp_path / "rows.csv")
    frame.write_parquet(tmp_path / "rows.parquet")

    def loss(*data: Any, **options: Any) -> float:
        model = FollowTheLeader(random_state=0)
        classes = ["down", "up"]
        return progressive_validation(model, *data, classes=classes, loss="log", **options).loss

    arrays = loss(frame.drop("y").to_numpy(), frame["y"].to_numpy(), chunk_rows=64)
    assert 0 < arrays < 0.5
    pairs = ((part.drop("y").to_numpy(), part["y"].to_numpy()) for part in frame.iter_slices(64))
    assert loss(pairs) == arrays
    for data in (tmp_path / "rows.csv", str(tmp_path / "rows.parquet"), frame, frame.lazy()):
        assert loss(data, target="y", chunk_rows=64) == pytest.approx(arrays)
    short = progressive_validation(
        FollowTheLeader(), frame, target="y", classes=["down", "up"], max_rows=130
    )
    assert short.n_rows == 130


def test_the_curve_has_bounded_length() -> None:
    y = np.zeros(5000)
    result = progressive_validation(Counting(), np.zeros((5000, 1)), y, chunk_rows=1)
    assert len(result.curve) <= 1000
    assert result.rows[-1] == 5000
    assert result.n_scored == 4999


def test_learners_of_others_and_losses_of_ones_own() -> None:
    result = progressive_validation(
        SGDRegressor(random_state=0), X, X[:, 0], chunk_rows=5, loss="absolute"
    )
    assert result.n_scored == 35
    counts = progressive_validation(MultinomialNB(), np.abs(X), Y, chunk_rows=5, loss="log")
    assert 0 < counts.loss < 2
    own = progressive_validation(
        PassiveAggressive(), X, Y, chunk_rows=5, loss=lambda y, said: 3 * (y != said)
    )
    assert own.loss <= 3


def empty() -> Any:
    return iter(())


@pytest.mark.parametrize(
    ("call", "kind", "word"),
    [
        (lambda: progressive_validation(LinearRegression(), X, Y), ParameterError, "partial_fit"),
        (lambda: progressive_validation(Winnow(), X, Y, chunk_rows=0), ParameterError, "_rows"),
        (lambda: progressive_validation(Winnow(), X, Y, delay=-1), ParameterError, "delay"),
        (lambda: progressive_validation(Winnow(), X, Y, loss="cost"), ParameterError, "loss"),
        (lambda: progressive_validation(Winnow(), X, Y, loss="log"), ParameterError, "no pred"),
        (lambda: progressive_validation(Winnow(), empty()), ParameterError, "classes"),
        (lambda: progressive_validation(Winnow(), empty(), classes=[0, 1]), InputError, "empty"),
        (lambda: progressive_validation(Winnow(), X, Y[:-1]), InputError, "rows"),
        (lambda: progressive_validation(Winnow(), X, classes=[0, 1]), InputError, "X and y"),
        (lambda: progressive_validation(Winnow(), [X], classes=[0, 1]), InputError, "no pair"),
        (lambda: progressive_validation(Winnow(), "none.csv", target="y", classes=[0, 1]),
         InputError, "no file"),
    ],
)  # fmt: skip
def test_streams_that_are_refused(call: Any, kind: Any, word: str) -> None:
    with pytest.raises(kind, match=word):
        call()


def test_tables_that_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "broken.csv"
    path.write_text("a,y\n1,0\n2,1\n3,4,5,6\n")
    for options, word in [({"target": "y"}, "cannot be read"), ({"target": "z"}, "none of the"),
                          ({}, "name the column")]:  # fmt: skip
        with pytest.raises(InputError, match=word):
            progressive_validation(Winnow(), path, classes=[0, 1], **options)
