# ruff: noqa: ARG002 (the protocol's names)
"""Ensembles against the course's algorithms, brute force and scikit-learn."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any, Self

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin, clone, is_classifier
from sklearn.datasets import make_classification
from sklearn.ensemble import (
    AdaBoostClassifier,
    BaggingClassifier,
    StackingClassifier,
    VotingClassifier,
    VotingRegressor,
)
from sklearn.linear_model import LinearRegression
from sklearn.linear_model import LogisticRegression as TheirLogistic
from sklearn.metrics import r2_score
from sklearn.model_selection import StratifiedKFold
from sklearn.tree import DecisionTreeClassifier as TheirTree

from inducer.base import InputError, ParameterError, Trace
from inducer.datasets import blobs, heart, moons
from inducer.ensembles import AdaBoost, Bagging, Stacking, Voting
from inducer.linear import LeastSquares, LogisticRegression, Perceptron, Ridge
from inducer.trees import DecisionStump, DecisionTreeClassifier, DecisionTreeRegressor


class Majority(ClassifierMixin, BaseEstimator):
    """The class of most weight, whatever the row."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        self.classes_, codes = np.unique(y, return_inverse=True)
        self.sums_ = np.bincount(codes, sample_weight, minlength=len(self.classes_))
        return self

    def predict(self, X: Any) -> Any:
        return np.full(len(X), self.classes_[np.argmax(self.sums_)])


class Scripted(ClassifierMixin, BaseEstimator):
    """Says what the columns of the rows say: one column a round."""

    rounds: list[int] = []  # noqa: RUF012 (a counter that clones share)

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        self.classes_ = np.unique(y)
        self.column_ = len(self.rounds)
        self.rounds.append(self.column_)
        return self

    def predict(self, X: Any) -> Any:
        return X[:, self.column_].astype(int)


def data(rows: int = 300, classes: int = 2, seed: int = 0) -> tuple[Any, Any]:
    X, y = make_classification(
        rows, 6, n_informative=4, n_classes=classes, flip_y=0.1, random_state=seed
    )
    return X, y


# ---- AdaBoost ----------------------------------------------------------------------------------


def test_eighty_twenty() -> None:
    """CIML, 13.2: eps .2, alpha = log 2, weights 1/160 and 1/40, then even for ever."""
    X, y = np.zeros((100, 1)), np.repeat([1, -1], [80, 20])
    seen = []

    class Watching(Majority):
        def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
            seen.append(sample_weight.copy())
            return super().fit(X, y, sample_weight)

    model = AdaBoost(Watching()).fit(X, y)
    # One rounding each of the sum, the division and the logarithm.
    np.testing.assert_allclose(model.estimator_errors_, [0.2], rtol=1e-14)
    np.testing.assert_allclose(model.estimator_weights_, [0.5 * math.log(4)], rtol=1e-14)
    np.testing.assert_allclose(model.estimator_weights_, [math.log(2)], rtol=1e-14)
    assert len(seen) == 2  # the second has eps = 1/2: it ends the fit and is not kept
    d = seen[1] / 100
    np.testing.assert_allclose(d[:80], 1 / 160, rtol=1e-13)
    np.testing.assert_allclose(d[80:], 1 / 40, rtol=1e-13)
    assert set(model.predict(X)) == {1}


def transcribed(
    X: Any, y: Any, stump: Any, rounds: int
) -> tuple[list[float], list[float], list[float]]:
    """CIML, algorithm 32, line by line: alphas, errors, and F on the rows."""
    N = len(y)
    total = float(N)
    d = [1.0 / N for _ in range(N)]
    F = [0.0] * N
    alphas, errors = [], []
    for _ in range(rounds):
        # The learner is given N d, whose first round is its own unweighted fit.
        f = clone(stump).fit(X, y, sample_weight=np.array([total * w for w in d])).predict(X)
        eps = 0.0
        for n in range(N):
            if f[n] != y[n]:
                eps += d[n]
        alpha = 0.5 * math.log((1 - eps) / eps)
        up, down = math.exp(alpha), math.exp(-alpha)
        d = [d[n] * (up if f[n] != y[n] else down) for n in range(N)]
        Z = 0.0
        for n in range(N):
            Z += d[n]
        d = [w / Z for w in d]
        F = [F[n] + alpha * f[n] for n in range(N)]
        alphas.append(alpha)
        errors.append(eps)
    return alphas, errors, F


@pytest.mark.parametrize("seed", range(5))
def test_the_course_bit_for_bit(seed: int) -> None:
    X, codes = data(rows=120, seed=seed)
    y = 2 * codes - 1
    alphas, errors, F = transcribed(X, y, DecisionStump(), 25)
    model = AdaBoost(n_estimators=25).fit(X, y)
    assert model.estimator_weights_.tolist() == alphas
    assert model.estimator_errors_.tolist() == errors
    np.testing.assert_array_equal(model.decision_function(X), F)
    np.testing.assert_array_equal(model.predict(X), np.where(np.array(F) > 0, 1, -1))


@pytest.mark.parametrize("classes", [2, 3, 4])
def test_the_same_as_scikit_learns_samme(classes: int) -> None:
    """With the same stumps: half its estimator weights, and the same predictions."""
    X, y = data(classes=classes)
    stump = TheirTree(max_depth=1, random_state=0)
    theirs = AdaBoostClassifier(stump, n_estimators=20, random_state=0).fit(X, y)
    ours = AdaBoost(stump, n_estimators=20).fit(X, y)
    # Weights of other scales are rounded otherwise.
    np.testing.assert_allclose(ours.estimator_errors_, theirs.estimator_errors_, rtol=1e-9)
    np.testing.assert_allclose(2 * ours.estimator_weights_, theirs.estimator_weights_, rtol=1e-9)
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))
    for one, other in zip(ours.staged_score(X, y), theirs.staged_score(X, y), strict=True):
        assert one == other


@pytest.mark.parametrize("labels", [(0, 1), ("no", "yes")])
def test_boosted_stumps_are_a_linear_classifier(labels: tuple[Any, Any]) -> None:
    """CIML 13.5: w_d = sum of 2 alpha s over the stumps on d, b = -sum of alpha s."""
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, size=(200, 8)).astype(float)
    y = np.array(labels)[(X @ rng.normal(size=8) + 0.3 * rng.normal(size=200) > 0).astype(int)]
    model = AdaBoost(n_estimators=40).fit(X, y)
    assert len(model.estimators_) == 40
    linear = model.as_linear()
    every = np.array(np.meshgrid(*[[0.0, 1.0]] * 8)).reshape(8, -1).T
    scores = model.decision_function(every)
    # 40 sums of two, of numbers below one.
    np.testing.assert_allclose(linear.decision_function(every), scores, atol=1e-13)
    sure = np.abs(scores) > 1e-12
    np.testing.assert_array_equal(linear.predict(every)[sure], model.predict(every)[sure])
    w, b = np.zeros(8), 0.0
    for stump, alpha in zip(model.estimators_, model.estimator_weights_, strict=True):
        d = int(stump.tree_.feature[0])
        s = 1.0 if stump.predict(np.ones((1, 8)))[0] == labels[1] else -1.0
        if stump.predict(np.zeros((1, 8)))[0] == stump.predict(np.ones((1, 8)))[0]:
            b += alpha * s  # both sides say the same: a constant
            continue
        w[d] += 2 * alpha * s
        b -= alpha * s
    assert np.count_nonzero(w) > 4
    np.testing.assert_allclose(linear.coef_[0], w, atol=1e-13)
    np.testing.assert_allclose(linear.intercept_[0], b, atol=1e-13)


def test_as_linear_refuses_what_is_not() -> None:
    X, y = data()
    with pytest.raises(InputError, match="features of 0 and 1"):
        AdaBoost(n_estimators=3).fit(10 * X, y).as_linear()
    with pytest.raises(InputError, match="no stump"):
        AdaBoost(LogisticRegression(), 3).fit(X, y).as_linear()


def test_three_classes_are_linear_too() -> None:
    rng = np.random.default_rng(1)
    X = rng.integers(0, 2, size=(200, 6)).astype(float)
    y = np.argmax(X @ rng.normal(size=(6, 3)), axis=1)
    model = AdaBoost(n_estimators=15).fit(X, y)
    linear = model.as_linear()
    np.testing.assert_allclose(linear.decision_function(X), model.decision_function(X), atol=1e-13)


@pytest.mark.parametrize(
    ("columns", "alphas", "said"),
    [
        # No error: infinite, alone, and the end.
        (["0101", "0011"], [0.5 * math.log(3), math.inf], "0011"),
        # All wrong: the contrary is right.
        (["0101", "1100"], [0.5 * math.log(3), -math.inf], "0011"),
        # Half wrong at once: says nothing.
        (["0110"], [0.0], "0000"),
        # More than half: counts for the contrary.
        (["1000", "0011"], None, "0011"),
    ],
)
def test_edges(columns: list[str], alphas: list[float] | None, said: str) -> None:
    y = np.array([0, 0, 1, 1])
    X = np.array([[int(c) for c in column] for column in columns], dtype=float).T
    Scripted.rounds.clear()
    if columns[0] == "0101":  # wrong in one row of weight 1/4: make it so
        X[1, 0] = 0
        X[2, 0] = 0
    model = AdaBoost(Scripted(), n_estimators=len(columns)).fit(X, y)
    if alphas is not None:
        np.testing.assert_allclose(model.estimator_weights_, alphas, rtol=1e-12)
    else:
        assert model.estimator_weights_[0] < 0
    assert "".join(map(str, model.predict(X))) == said
    assert np.all(np.isfinite(model.predict_proba(X)))


def test_a_worse_than_guessing_member_ends_a_fit_of_three_classes() -> None:
    y = np.array([0, 1, 2, 0, 1, 2])
    X = np.array([[0, 1, 2, 0, 1, 0], [1, 2, 0, 1, 2, 0], [0, 1, 2, 0, 1, 2]], dtype=float).T
    Scripted.rounds.clear()
    model = AdaBoost(Scripted(), n_estimators=3).fit(X, y)
    assert len(model.estimators_) == 1
    alpha = 0.5 * (math.log(5) + math.log(2))
    np.testing.assert_allclose(model.estimator_weights_, [alpha], rtol=1e-12)


def test_history_and_stages() -> None:
    X, y = moons(n_samples=200, noise=0.2, random_state=0, return_X_y=True)
    model = AdaBoost(n_estimators=30).set_callbacks(Trace()).fit(X, y)
    told = model.history_
    np.testing.assert_array_equal(told["error"], model.estimator_errors_)
    np.testing.assert_array_equal(told["alpha"], model.estimator_weights_)
    scores = list(model.staged_score(X, y))
    np.testing.assert_allclose(told["training_error"], 1 - np.array(scores), atol=1e-12)
    assert np.all(told["training_error"] <= told["bound"] + 1e-12)
    assert scores[-1] == model.score(X, y)
    assert all(later <= sooner for sooner, later in pairwise(told["bound"]))
    *_, last = model.staged_predict_proba(X)
    np.testing.assert_array_equal(last, model.predict_proba(X))


def test_members_that_cannot_be_boosted() -> None:
    X, y = data()
    with pytest.raises(ParameterError, match="regressor"):
        AdaBoost(Ridge()).fit(X, y)

    class Unweighted(Majority):
        def fit(self, X: Any, y: Any) -> Self:  # type: ignore[override]
            return super().fit(X, y)

    with pytest.raises(InputError, match="sample_weight"):
        AdaBoost(Unweighted()).fit(X, y)


# ---- voting ------------------------------------------------------------------------------------


class Column(ClassifierMixin, BaseEstimator):
    """Says what a column says."""

    def __init__(self, column: int = 0) -> None:
        self.column = column

    def fit(self, X: Any, y: Any) -> Self:
        self.classes_ = np.unique(y)
        return self

    def predict(self, X: Any) -> Any:
        return self.classes_[X[:, self.column].astype(int)]


class NumberColumn(RegressorMixin, BaseEstimator):
    """Says the number in a column."""

    def __init__(self, column: int = 0) -> None:
        self.column = column

    def fit(self, X: Any, y: Any) -> Self:
        self.fitted_ = True
        return self

    def predict(self, X: Any) -> Any:
        return X[:, self.column]


@pytest.mark.parametrize("weights", [None, [1.0, 2.0, 0.5, 1.5, 0.0]])
def test_votes_by_brute_force(weights: Any) -> None:
    rng = np.random.default_rng(0)
    said = rng.integers(0, 3, size=(80, 5))
    labels = np.array(["a", "b", "c"])
    members = [(f"m{k}", Column(k)) for k in range(5)]
    model = Voting(members, weights=weights).fit(said.astype(float), labels[np.arange(80) % 3])
    voices = [1.0] * 5 if weights is None else weights
    for row, word, share in zip(
        said,
        model.predict(said.astype(float)),
        model.predict_proba(said.astype(float)),
        strict=True,
    ):
        sums = [sum(v for c, v in zip(row, voices, strict=True) if c == k) for k in range(3)]
        assert word == labels[sums.index(max(sums))]
        np.testing.assert_allclose(share, np.array(sums) / sum(voices), rtol=1e-15)


@pytest.mark.parametrize("average", ["mean", "median"])
@pytest.mark.parametrize("weights", [None, [1, 2, 3, 1, 1], [1, 1, 0, 2, 0]])
def test_means_and_medians_by_brute_force(average: str, weights: Any) -> None:
    """Whole weights are copies."""
    X = np.random.default_rng(0).normal(size=(50, 5))
    members = [(f"m{k}", NumberColumn(k)) for k in range(5)]
    model = Voting(members, average=average, weights=weights).fit(X, X[:, 0])
    assert not is_classifier(model)
    copies = np.repeat(X, [1] * 5 if weights is None else weights, axis=1)
    wanted = np.mean(copies, axis=1) if average == "mean" else np.median(copies, axis=1)
    np.testing.assert_allclose(model.predict(X), wanted, rtol=1e-13, atol=1e-15)


@pytest.mark.parametrize("voting", ["hard", "soft"])
def test_votes_as_scikit_learns(voting: str) -> None:
    X, y = data(classes=3)
    members = [("a", TheirLogistic()), ("b", TheirTree(max_depth=3, random_state=0))]
    members.append(("c", TheirLogistic(C=0.01)))
    ours = Voting(members, voting=voting, weights=[1, 2, 1.5]).fit(X, y)
    theirs = VotingClassifier(members, voting=voting, weights=[1, 2, 1.5]).fit(X, y)
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))
    if voting == "soft":
        np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), rtol=1e-12)


def test_numbers_as_scikit_learns() -> None:
    X, _ = data()
    y = X @ np.arange(6.0)
    members = [("a", LinearRegression()), ("b", Ridge(10.0))]
    np.testing.assert_allclose(
        Voting(members).fit(X, y).predict(X), VotingRegressor(members).fit(X, y).predict(X)
    )


def test_names_reach_members() -> None:
    model = Voting([("a", Ridge()), ("b", LeastSquares())]).set_params(a__alpha=3.0)
    assert model.get_params()["a__alpha"] == 3.0
    assert model.set_params(b=Ridge(7.0)).estimators[1][1].alpha == 7.0
    X, _ = data()
    assert model.fit(X, X[:, 0]).named_estimators_["a"].alpha == 3.0


@pytest.mark.parametrize(
    ("members", "words"),
    [
        ([("a", Ridge()), ("b", LogisticRegression())], "all classifiers or all regressors"),
        ([("a", Ridge()), ("a", Ridge())], "'a', 'a'"),
        ([("weights", Ridge())], "parameter"),
        ([Ridge()], "pairs"),
        ([], "one name or more"),
    ],
)
def test_members_that_are_refused(members: Any, words: str) -> None:
    X, y = data()
    for kind in (Voting, Stacking):
        if kind is Stacking and "weights" in words + str(members):
            continue
        with pytest.raises(ParameterError, match=words):
            kind(members).fit(X, y)


def test_a_soft_vote_needs_probabilities() -> None:
    X, y = data()
    with pytest.raises(ParameterError, match="Perceptron has none"):
        Voting([("a", Perceptron())], voting="soft").fit(X, y)


# ---- bagging -----------------------------------------------------------------------------------


def test_a_row_is_absent_as_often_as_the_formula_says() -> None:
    N, M = 40, 4000
    X, y = np.zeros((N, 1)), np.arange(N) % 2
    model = Bagging(Majority(), M, random_state=0, n_jobs=1).fit(X, y)
    absent = np.mean([np.bincount(s, minlength=N) == 0 for s in model.estimators_samples_], axis=0)
    p = (1 - 1 / N) ** N
    # 40 shares of 4000 draws: five standard deviations are passed once in 40,000 times.
    assert np.all(np.abs(absent - p) < 5 * math.sqrt(p * (1 - p) / M))


def test_heavier_rows_are_drawn_more_often() -> None:
    N, M = 20, 3000
    weights = np.arange(N, dtype=float)
    model = Bagging(Majority(), M, random_state=0, n_jobs=1)
    model.fit(np.zeros((N, 1)), np.arange(N) % 2, sample_weight=weights)
    counts = np.sum([np.bincount(s, minlength=N) for s in model.estimators_samples_], axis=0)
    p = weights / weights.sum()
    assert counts[0] == 0
    assert np.all(np.abs(counts / (N * M) - p) < 5 * np.sqrt(p * (1 - p) / (N * M)) + 1e-15)


def test_out_of_bag_error_is_near_the_test_error() -> None:
    X, y = make_classification(4000, 10, n_informative=6, flip_y=0.1, random_state=0)
    bag = Bagging(n_estimators=50, oob_score=True, random_state=0).fit(X[:1000], y[:1000])
    # Standard deviations of the two shares: 0.011 and 0.006; three of their difference. A row's
    # 18 absent members are fewer than 50, which costs a little, too.
    assert abs(bag.oob_score_ - bag.score(X[1000:], y[1000:])) < 0.04
    assert bag.score(X[:1000], y[:1000]) > bag.oob_score_ + 0.05
    theirs = BaggingClassifier(TheirTree(), 50, oob_score=True, random_state=0).fit(
        X[:1000], y[:1000]
    )
    assert abs(bag.score(X[1000:], y[1000:]) - theirs.score(X[1000:], y[1000:])) < 0.03
    assert abs(bag.oob_score_ - theirs.oob_score_) < 0.03


def test_out_of_bag_answers_by_brute_force() -> None:
    X, y = data(rows=60, classes=3)
    bag = Bagging(DecisionTreeClassifier(), 7, oob_score=True, random_state=3).fit(X, y)
    right = asked = 0
    for row in range(60):
        votes = np.zeros(3)
        for member, drawn in zip(bag.estimators_, bag.estimators_samples_, strict=True):
            if row not in drawn:
                votes[member.predict(X[row : row + 1])[0]] += 1
        if votes.sum():
            asked += 1
            right += np.argmax(votes) == y[row]
            np.testing.assert_allclose(bag.oob_decision_function_[row], votes / votes.sum())
        else:
            assert np.all(np.isnan(bag.oob_decision_function_[row]))
    assert bag.oob_score_ == pytest.approx(right / asked)


def test_out_of_bag_numbers_by_brute_force() -> None:
    X, _ = data(rows=60)
    y = X[:, 0] ** 2 + X[:, 1]
    bag = Bagging(DecisionTreeRegressor(), 9, average="median", oob_score=True, random_state=1)
    bag.fit(X, y)
    wanted = np.full(60, np.nan)
    for row in range(60):
        said = [
            member.predict(X[row : row + 1])[0]
            for member, drawn in zip(bag.estimators_, bag.estimators_samples_, strict=True)
            if row not in drawn
        ]
        wanted[row] = np.median(said) if said else np.nan
    np.testing.assert_allclose(bag.oob_prediction_, wanted, rtol=1e-14)
    told = ~np.isnan(wanted)
    assert bag.oob_score_ == pytest.approx(r2_score(y[told], wanted[told]))


def test_a_member_is_the_learner_on_its_draw() -> None:
    """By counts where it takes weights, by copies where not; on its columns."""
    X, y = data(rows=80)
    bag = Bagging(DecisionTreeClassifier(), 5, max_features=0.5, random_state=0).fit(X, y)
    for member, drawn, columns in zip(
        bag.estimators_, bag.estimators_samples_, bag.estimators_features_, strict=True
    ):
        assert len(columns) == len(set(columns)) == 3
        copies = DecisionTreeClassifier().set_params(**member.get_params())
        copies.fit(X[drawn][:, columns], y[drawn])
        np.testing.assert_array_equal(copies.predict(X[:, columns]), member.predict(X[:, columns]))


def test_draws_without_a_class() -> None:
    X, _ = data(rows=30)
    y = (np.arange(30) == 7).astype(int)
    bag = Bagging(LogisticRegression(), 30, voting="soft", random_state=0).fit(X, y)
    np.testing.assert_allclose(bag.predict_proba(X).sum(axis=1), 1)
    without = sum(7 not in drawn for drawn in bag.estimators_samples_)
    assert 0 < without < 30
    assert sum(type(m).__name__ == "DummyClassifier" for m in bag.estimators_) == without


@pytest.mark.parametrize(
    ("params", "words"),
    [
        ({"max_samples": 301, "bootstrap": False}, "301 rows of 300"),
        ({"max_features": 7}, "7 columns of 6"),
        ({"bootstrap": False, "oob_score": True}, "sees all rows"),
    ],
)
def test_draws_that_cannot_be(params: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        Bagging(**params).fit(*data())


# ---- stacking ----------------------------------------------------------------------------------


def test_stacks_as_scikit_learns() -> None:
    X, y = data(classes=3)
    members = [("a", TheirLogistic()), ("b", TheirTree(max_depth=3, random_state=0))]
    folds = StratifiedKFold(4)
    for through in (False, True):
        ours = Stacking(members, TheirLogistic(max_iter=2000), cv=folds, passthrough=through)
        theirs = StackingClassifier(
            members, TheirLogistic(max_iter=2000), cv=folds, passthrough=through
        )
        said, wanted = ours.fit(X, y).predict_proba(X), theirs.fit(X, y).predict_proba(X)
        # We leave out the first class's column, which the others imply; the penalty sees that.
        assert np.mean(ours.predict(X) == theirs.predict(X)) > 0.97
        assert np.mean(np.abs(said - wanted)) < 0.05


def test_a_stack_is_as_good_as_its_members_on_a_real_table() -> None:
    X, y = heart(numeric=True, return_X_y=True)
    X = np.where(np.isnan(X), 0, X)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    members = [("tree", DecisionTreeClassifier(max_depth=3)), ("line", LogisticRegression())]
    order = np.random.default_rng(0).permutation(len(X))
    train, test = order[:200], order[200:]
    scores = [m.fit(X[train], y[train]).score(X[test], y[test]) for _, m in members]
    for cv in (5, 0.3):
        stack = Stacking(members, cv=cv, random_state=0).fit(X[train], y[train])
        # Of 100 rows, one standard deviation is 0.04.
        assert stack.score(X[test], y[test]) > max(scores) - 0.08


def test_blobs_of_words() -> None:
    X, y = blobs(n_samples=90, centers=3, random_state=0, return_X_y=True)
    words = np.array(["red", "green", "blue"])[y]
    for model in (Voting(), Bagging(), AdaBoost(), Stacking()):
        if "random_state" in model.get_params():
            model.set_params(random_state=0)
        assert model.fit(X, words).score(X, words) > 0.8
        assert model.classes_.tolist() == ["blue", "green", "red"]
