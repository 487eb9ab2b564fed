"""What must hold of trees on any data."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import inducer
from inducer.trees import DecisionStump, DecisionTreeClassifier, DecisionTreeRegressor

CLASSES = ("gini", "entropy", "error", "gain_ratio")


@st.composite
def tables(draw: Any, least: int = 2) -> Any:
    """Draw cells, some of them alike and some missing, two to four classes, and numbers."""
    seed, count = draw(st.integers(0, 2**32 - 1)), draw(st.integers(least, 60))
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(count, draw(st.integers(1, 4))))
    if draw(st.booleans()):
        X = np.round(X)
    X[rng.random(X.shape) < draw(st.sampled_from([0.0, 0.3]))] = np.nan
    codes = rng.integers(0, draw(st.integers(2, 4)), size=count)
    codes[:2] = [0, 1]
    return X, codes, np.round(rng.normal(size=count), 1)


@settings(deadline=None, max_examples=40)
@given(tables(), st.sampled_from(CLASSES))
def test_training_error_never_grows_with_depth(table: Any, criterion: str) -> None:
    X, codes, y = table
    before, scatter = np.inf, np.inf
    for depth in range(5):
        tree = DecisionTreeClassifier(criterion=criterion, max_depth=depth)
        wrong = np.sum(tree.fit(X, codes).predict(X) != codes)
        assert wrong <= before
        assert tree.get_depth() <= depth
        before = wrong
        of_numbers = DecisionTreeRegressor(max_depth=depth).fit(X, y)
        lost = np.sum((of_numbers.predict(X) - y) ** 2)
        assert lost <= scatter + 1e-9  # the rounding of sums of squares of size one
        scatter = lost


@settings(deadline=None, max_examples=40)
@given(tables())
def test_a_full_tree_is_wrong_only_where_equal_rows_contradict(table: Any) -> None:
    X, codes, _ = table
    tree = DecisionTreeClassifier().fit(X, codes)
    _, alike = np.unique(np.where(np.isnan(X), 1e300, X), axis=0, return_inverse=True)
    least = sum(np.sum(alike == k) - np.bincount(codes[alike == k]).max() for k in set(alike))
    assert np.sum(tree.predict(X) != codes) == least


@settings(deadline=None, max_examples=40)
@given(tables(), st.sampled_from(CLASSES))
def test_rising_transforms_of_a_column_change_nothing(table: Any, criterion: str) -> None:
    X, codes, _ = table
    tree = DecisionTreeClassifier(criterion=criterion).fit(X, codes)
    for transform in (lambda x: x**3, lambda x: np.exp(x / 2), lambda x: 5 * x - 7):
        other = DecisionTreeClassifier(criterion=criterion)
        other.fit(transform(X), codes)
        np.testing.assert_array_equal(other.tree_.children_left, tree.tree_.children_left)
        np.testing.assert_array_equal(other.tree_.feature, tree.tree_.feature)
        np.testing.assert_array_equal(other.apply(transform(X)), tree.apply(X))


@settings(deadline=None, max_examples=40)
@given(tables(), st.sampled_from(CLASSES), st.integers(0, 2**32 - 1))
def test_weights_are_copies(table: Any, criterion: str, seed: int) -> None:
    """Sums of counts are exact, so the trees are the same to the last bit."""
    X, codes, y = table
    weights = np.random.default_rng(seed).integers(0, 4, size=len(X))
    weights[np.unique(codes, return_index=True)[1]] = 1  # no class without rows
    copies = np.repeat(np.arange(len(X)), weights)
    kind = DecisionTreeClassifier(criterion=criterion)
    one = kind.fit(X, codes, weights).predict_proba(X)
    np.testing.assert_array_equal(one, kind.fit(X[copies], codes[copies]).predict_proba(X))
    of_numbers = DecisionTreeRegressor(max_depth=2)
    tens = np.round(10 * y)  # whole: their sums are exact, too
    two = of_numbers.fit(X, tens, weights).predict(X)
    np.testing.assert_allclose(two, of_numbers.fit(X[copies], tens[copies]).predict(X), rtol=1e-12)


@settings(deadline=None, max_examples=40)
@given(tables(), st.sampled_from(CLASSES))
def test_a_stump_is_a_tree_of_depth_one(table: Any, criterion: str) -> None:
    X, codes, _ = table
    stump = DecisionStump(criterion=criterion).fit(X, codes)
    tree = DecisionTreeClassifier(criterion=criterion, max_depth=1).fit(X, codes)
    np.testing.assert_array_equal(stump.predict_proba(X), tree.predict_proba(X))
    assert stump.get_n_leaves() <= 2


@settings(deadline=None, max_examples=30)
@given(tables(), st.integers(0, 2**32 - 1))
def test_pruning_never_hurts_the_rows_it_is_judged_by(table: Any, seed: int) -> None:
    X, codes, y = table
    half = np.random.default_rng(seed).random(len(X)) < 0.5
    half[:2] = True
    for kind, target in ((DecisionTreeClassifier, codes), (DecisionTreeRegressor, y)):
        tree: Any = kind().fit(X[half], target[half])
        known = np.isin(target, target[half]) & ~half
        if not known.any():
            continue
        held, wanted = X[known], target[known]
        before, leaves = np.sum((tree.predict(held) - wanted) ** 2), tree.get_n_leaves()
        wrong = np.sum(tree.predict(held) != wanted)
        tree.prune(held, wanted)
        if kind is DecisionTreeClassifier:
            assert np.sum(tree.predict(held) != wanted) <= wrong
        else:
            assert np.sum((tree.predict(held) - wanted) ** 2) <= before + 1e-9
        assert tree.get_n_leaves() <= leaves


@settings(deadline=None, max_examples=30)
@given(tables())
def test_costs_rise_along_the_pruning_path(table: Any) -> None:
    X, codes, _ = table
    tree = DecisionTreeClassifier().fit(X, codes)
    path = tree.cost_complexity_pruning_path(X, codes)
    assert np.all(np.diff(path.ccp_alphas) >= -1e-12)
    assert np.all(np.diff(path.impurities) >= -1e-12)
    np.testing.assert_allclose(path.impurities[-1], tree.tree_.impurity[0], atol=1e-12)
    most = DecisionTreeClassifier(ccp_alpha=path.ccp_alphas[-1] + 1e-9).fit(X, codes)
    assert most.get_n_leaves() == 1


def test_threads_do_not_matter() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(20_000, 6))
    codes = (X[:, 0] * X[:, 1] + rng.normal(size=len(X)) > 0).astype(int)
    trees = []
    for number in (1, 2, 5):
        with inducer.threads(number):
            model = DecisionTreeClassifier(max_features=3, random_state=7)
            trees.append(model.fit(X, codes).tree_)
    for other in trees[1:]:
        np.testing.assert_array_equal(other.threshold, trees[0].threshold)
        np.testing.assert_array_equal(other.feature, trees[0].feature)
        np.testing.assert_array_equal(other.totals, trees[0].totals)
