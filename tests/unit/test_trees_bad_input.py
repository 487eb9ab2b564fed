"""What trees make of data that is strange, wrong, or too much."""

from __future__ import annotations

import signal
import threading
import time
from typing import Any

import numpy as np
import polars as pl
import pytest
from sklearn.exceptions import NotFittedError

from inducer.base import InputError, Trace
from inducer.trees import DecisionStump, DecisionTreeClassifier, DecisionTreeRegressor, rules

BOTH = (DecisionTreeClassifier, DecisionTreeRegressor)


@pytest.mark.parametrize("kind", BOTH)
def test_columns_that_say_nothing(kind: Any) -> None:
    y = np.arange(6) % 2
    for column in (np.full(6, np.nan), np.full(6, 3.0)):
        tree = kind().fit(column[:, None], y)
        assert tree.get_n_leaves() == 1
        assert len(set(tree.predict([[np.nan], [1.0], [9.0]]).tolist())) == 1


def test_missing_is_an_answer() -> None:
    X = np.array([[np.nan], [np.nan], [1.0], [2.0]])
    tree = DecisionTreeClassifier().fit(X, ["gone", "gone", "there", "there"])
    assert tree.predict([[np.nan], [1.0], [2.0], [1e300]]).tolist() == ["gone"] + 3 * ["there"]
    assert "missing" in str(rules(tree))


def test_rows_that_contradict_each_other() -> None:
    X = np.ones((4, 2))
    tree = DecisionTreeClassifier().fit(X, [0, 1, 1, 1])
    np.testing.assert_array_equal(tree.predict_proba(X[:1]), [[0.25, 0.75]])


def test_neighbouring_floats_are_told_apart() -> None:
    x = np.nextafter(1.0, 2.0)
    for low, high in ((1.0, x), (-x, -1.0), (-5e-324, 0.0), (-1.7e308, 1.7e308)):
        tree = DecisionTreeClassifier().fit([[low], [high]], [0, 1])
        assert tree.predict([[low], [high]]).tolist() == [0, 1]


def test_categories_by_the_thousand() -> None:
    count = 100_000
    levels = np.random.default_rng(0).permutation(count).astype(float)
    y = levels % 2
    tree = DecisionTreeClassifier(max_depth=1, categorical_features=[0])
    tree.fit(levels[:, None], y)
    assert tree.score(levels[:, None], y) == 1
    assert len(str(rules(tree))) < 500


def test_a_category_that_is_new_goes_where_missing_ones_go() -> None:
    train = pl.DataFrame({"c": pl.Series(["a", "b", "b", None] * 5, dtype=pl.Categorical)})
    tree = DecisionTreeClassifier().fit(train, [0, 1, 1, 2] * 5)
    new = pl.DataFrame({"c": ["a", "b", None, "z"]})
    assert tree.predict(new).tolist() == [0, 1, 2, 2]


def test_few_rows() -> None:
    assert DecisionTreeRegressor().fit([[1.0]], [3.0]).predict([[7.0]]).tolist() == [3.0]
    tree = DecisionTreeClassifier().fit([[1.0], [2.0]], ["a", "b"])
    assert tree.predict([[0.0], [3.0]]).tolist() == ["a", "b"]
    with pytest.raises(InputError, match="one class only"):
        DecisionTreeClassifier().fit([[1.0], [2.0]], ["a", "a"])


@pytest.mark.parametrize("kind", BOTH)
def test_weights_that_are_none(kind: Any) -> None:
    X, y = np.arange(4.0)[:, None], [0, 1, 0, 1]
    with pytest.raises(InputError, match=r"weight"):
        kind().fit(X, y, sample_weight=np.zeros(4))
    tree = kind().fit(X, y, sample_weight=[0, 1, 1, 0])  # rows of no weight are no rows
    assert tree.tree_.n_node_samples[0] == 2
    assert tree.get_n_leaves() == 2


def test_targets_the_criterion_is_not_for() -> None:
    for y in ([-1.0, 2.0], [0.0, 0.0]):
        with pytest.raises(InputError, match="Poisson"):
            DecisionTreeRegressor(criterion="poisson").fit([[1.0], [2.0]], y)


def test_rules_and_pruning_want_a_fitted_tree() -> None:
    for ask in (rules, lambda tree: tree.prune([[1.0]], [0]), lambda tree: tree.get_depth()):
        with pytest.raises(NotFittedError):
            ask(DecisionStump())
    stump = DecisionStump().fit([[1.0], [2.0]], [0, 1])
    with pytest.raises(InputError, match="1 names; the tree has 2"):
        rules(stump, class_names=["only"])
    with pytest.raises(InputError, match="not among the classes"):
        stump.prune([[1.0]], [7])


def test_ctrl_c_stops_a_fit() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(200_000, 30)), rng.integers(0, 2, size=200_000)
    tree = DecisionTreeClassifier()
    timer = threading.Timer(0.4, signal.raise_signal, [signal.SIGINT])
    began = time.perf_counter()
    timer.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            tree.fit(X, y)
    finally:
        timer.cancel()
    assert time.perf_counter() - began < 5  # far less than the fit; a busy machine may be slow
    assert not hasattr(tree, "tree_")


def test_trace_and_method() -> None:
    X, y = np.arange(8.0)[:, None], np.arange(8) // 4
    tree = DecisionTreeClassifier().set_callbacks(Trace()).fit(X, y)
    assert tree.history_["nodes"].tolist() == [3]
    assert tree.method_ == "exact"
