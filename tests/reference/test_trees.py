"""Trees beside a literal transcription, scikit-learn's, and the numbers of the course."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
import sklearn.tree
from sklearn.datasets import load_diabetes, load_iris, load_wine, make_classification
from sklearn.inspection import partial_dependence

import inducer
from inducer.datasets import course_ratings, heart, variance_split
from inducer.trees import DecisionStump, DecisionTreeClassifier, DecisionTreeRegressor, rules
from reference.tree_transcription import grow, leaves_of

OF_CLASSES = ("gini", "entropy", "log_loss", "error", "gain_ratio")
OF_NUMBERS = ("squared_error", "friedman_mse", "poisson", "variance")


def assert_same_tree(model: Any, literal: dict[str, Any]) -> None:
    """Demand the same questions, and the same numbers but for the rounding of sums."""
    tree = model.tree_
    inner = literal["left"] >= 0
    np.testing.assert_array_equal(tree.children_left, literal["left"])
    np.testing.assert_array_equal(tree.children_right, literal["right"])
    np.testing.assert_array_equal(tree.feature[inner], literal["feature"][inner])
    np.testing.assert_array_equal(tree.threshold[inner], literal["threshold"][inner])
    np.testing.assert_array_equal(tree.missing_go_to_left[inner], literal["missing_left"][inner])
    np.testing.assert_array_equal(tree.n_node_samples, literal["samples"])
    # Sums of at most a few hundred numbers of the order of one.
    np.testing.assert_allclose(tree.weighted_n_node_samples, literal["weight"], rtol=1e-12)
    np.testing.assert_allclose(tree.totals, literal["value"], rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(tree.impurity, literal["impurity"], rtol=1e-9, atol=1e-11)


def rows(seed: int, *, levels: int, missing: float, count: int = 90) -> Any:
    """Return cells of few or many distinct values, classes and numbers that depend on them."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(count, 4))
    if levels:
        X = np.floor(levels * rng.random((count, 4)))
    score = X[:, 0] - X[:, 1] + rng.normal(size=count)
    X[rng.random(X.shape) < missing] = np.nan
    codes = np.digitize(score, np.quantile(score, [0.3, 0.7]))
    return X, codes, np.round(score, 2), rng.integers(0, 4, size=count).astype(float)


LIMITS = [
    {},
    {"max_depth": 0},
    {"max_depth": 2},
    {"min_samples_leaf": 5},
    {"min_samples_split": 20, "min_impurity_decrease": 0.02},
    {"min_weight_fraction_leaf": 0.1},
]


def literal_limits(limits: dict[str, Any], total: float) -> dict[str, Any]:
    names = {
        "max_depth": "max_depth",
        "min_samples_leaf": "min_leaf",
        "min_samples_split": "min_split",
        "min_impurity_decrease": "min_decrease",
    }
    found = {names[name]: value for name, value in limits.items() if name in names}
    if "min_weight_fraction_leaf" in limits:
        found["min_weight_leaf"] = limits["min_weight_fraction_leaf"] * total
    return found


# ---- the transcription -----------------------------------------------------------------------


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("levels", [0, 3])
@pytest.mark.parametrize("missing", [0.0, 0.2])
@pytest.mark.parametrize("criterion", OF_CLASSES)
def test_classes(criterion: str, missing: float, levels: int, weighted: bool) -> None:
    for seed, limits in enumerate(LIMITS):
        X, codes, _, weights = rows(seed, levels=levels, missing=missing)
        w = weights if weighted else None
        model = DecisionTreeClassifier(criterion=criterion, **limits).fit(X, codes, w)
        total = weights.sum() if weighted else len(X)
        literal = grow(
            X, codes, criterion=criterion, classes=3, weights=w, **literal_limits(limits, total)
        )
        assert_same_tree(model, literal)
        np.testing.assert_array_equal(model.apply(X), leaves_of(literal, X))


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("levels", [0, 3])
@pytest.mark.parametrize("missing", [0.0, 0.2])
@pytest.mark.parametrize("criterion", OF_NUMBERS)
def test_numbers(criterion: str, missing: float, levels: int, weighted: bool) -> None:
    for seed, limits in enumerate(LIMITS):
        X, _, y, weights = rows(seed, levels=levels, missing=missing)
        y = np.maximum(np.round(y + 3), 0) if criterion == "poisson" else y
        w = weights if weighted else None
        model = DecisionTreeRegressor(criterion=criterion, **limits).fit(X, y, w)
        total = weights.sum() if weighted else len(X)
        literal = grow(X, y, criterion=criterion, weights=w, **literal_limits(limits, total))
        assert_same_tree(model, literal)


@pytest.mark.parametrize("criterion", [*OF_CLASSES, *OF_NUMBERS])
def test_bins_that_hold_one_value_each_are_exact(criterion: str) -> None:
    X, codes, y, weights = rows(5, levels=9, missing=0.1, count=400)
    y = np.abs(y)
    kind: Any = DecisionTreeClassifier if criterion in OF_CLASSES else DecisionTreeRegressor
    target = codes if criterion in OF_CLASSES else y
    models = [
        kind(criterion=criterion, method=method).fit(X, target, weights)
        for method in ("exact", "binned")
    ]
    assert [model.method_ for model in models] == ["exact", "binned"]
    for name in ("feature", "threshold", "children_left", "children_right", "totals"):
        one, other = (getattr(model.tree_, name) for model in models)
        np.testing.assert_allclose(one, other, rtol=1e-12, atol=1e-12, err_msg=name)


# ---- the course ------------------------------------------------------------------------------


def test_scores_of_the_course_ratings() -> None:
    """CIML 1.3: right answers of 20, by the one feature that is asked for."""
    courses = course_ratings()
    scores = {}
    for j, name in enumerate(courses.feature_names):
        stump = DecisionStump().fit(courses.data[:, [j]], courses.target)
        scores[name] = round(20 * stump.score(courses.data[:, [j]], courses.target))
    assert scores == {"systems": 18, "ai": 15, "theory": 14, "morning": 13, "easy": 12}


def test_training_errors_of_the_course_ratings_by_depth() -> None:
    """CIML 2.1: 8 of 20 for the empty tree; 1 for the full one, since two rows contradict."""
    X, y = course_ratings(return_X_y=True)
    errors = []
    for depth in (0, 1, 2, 3, None):
        tree = DecisionTreeClassifier(criterion="error", max_depth=depth).fit(X, y)
        errors.append(int(np.sum(tree.predict(X) != y)))
    assert errors == [8, 2, 2, 1, 1]


def test_variances_of_the_regression_split() -> None:
    """MIT 3.3: 40.5; f3 leaves 3.7 and 1.67, f7 leaves 48.7 and 40.67; f3 is chosen."""
    X, y = variance_split(return_X_y=True)
    tree = DecisionTreeRegressor(criterion="variance", max_depth=1).fit(X, y)
    assert tree.tree_.feature[0] == 0
    assert tree.tree_.impurity.round(2).tolist() == [40.5, 3.7, 1.67]
    assert tree.fit(X[:, [1]], y).get_n_leaves() == 1  # f7 alone makes it worse: no question
    parts = [tree.fit(X[X[:, 1] == side], y[X[:, 1] == side]).tree_ for side in (0, 1)]
    assert sorted(round(part.impurity[0], 2) for part in parts) == [40.67, 48.7]


# ---- scikit-learn ----------------------------------------------------------------------------

CLASS_TABLES = [load_iris(return_X_y=True), load_wine(return_X_y=True)]
CLASS_TABLES.append(make_classification(3000, 8, n_informative=8, n_redundant=0, random_state=0))


@pytest.mark.parametrize("number", range(3))
@pytest.mark.parametrize("criterion", ["gini", "entropy"])
@pytest.mark.parametrize("limits", [{"max_depth": 3}, {"min_samples_leaf": 7, "max_depth": 4}])
def test_predictions_are_those_of_scikit_learn(
    number: int, criterion: str, limits: dict[str, Any]
) -> None:
    """As good on the rows of the fit; the same tree where no splits tie, for any order of columns.

    scikit-learn draws among ties; a tie is found by fits that differ in nothing but the seed.
    """
    X, y = CLASS_TABLES[number]
    X = X.astype(np.float32).astype(np.float64)  # scikit-learn compares in float32
    theirs = [
        sklearn.tree.DecisionTreeClassifier(criterion=criterion, random_state=seed, **limits)
        .fit(X, y)
        .predict_proba(X)
        for seed in range(8)
    ]
    ours = DecisionTreeClassifier(criterion=criterion, **limits).fit(X, y).predict_proba(X)
    tied = any(not np.array_equal(one, theirs[0]) for one in theirs)
    if not tied:
        np.testing.assert_allclose(ours, theirs[0], rtol=0, atol=1e-12)
    assert number != 2 or not tied  # this one has no ties: the test is one


@pytest.mark.parametrize("criterion", ["squared_error", "poisson"])
def test_numbers_are_those_of_scikit_learn(criterion: str) -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 5)).astype(np.float32).astype(np.float64)
    y = X[:, 0] * X[:, 1] + rng.normal(size=300)
    y = np.exp(y) if criterion == "poisson" else y
    limits = {"max_depth": 4, "min_samples_leaf": 3}
    theirs = sklearn.tree.DecisionTreeRegressor(criterion=criterion, random_state=0, **limits)
    ours = DecisionTreeRegressor(criterion=criterion, **limits).fit(X, y)
    # Means of some rows of size one.
    np.testing.assert_allclose(ours.predict(X), theirs.fit(X, y).predict(X), rtol=0, atol=1e-10)
    np.testing.assert_array_equal(ours.tree_.threshold, theirs.tree_.threshold)
    np.testing.assert_array_equal(ours.tree_.feature, theirs.tree_.feature)
    np.testing.assert_array_equal(ours.apply(X), theirs.apply(X))
    np.testing.assert_allclose(ours.feature_importances_, theirs.feature_importances_)
    np.testing.assert_array_equal(
        ours.decision_path(X).toarray(), theirs.decision_path(X).toarray()
    )
    assert (ours.get_depth(), ours.get_n_leaves()) == (theirs.get_depth(), theirs.get_n_leaves())


def test_leaves_are_limited_best_first_as_in_scikit_learn() -> None:
    X, y = CLASS_TABLES[2]
    X = X.astype(np.float32).astype(np.float64)
    for leaves in (2, 5, 12):
        theirs = sklearn.tree.DecisionTreeClassifier(max_leaf_nodes=leaves, random_state=0)
        ours = DecisionTreeClassifier(max_leaf_nodes=leaves).fit(X, y)
        assert ours.get_n_leaves() == leaves
        np.testing.assert_allclose(
            ours.predict_proba(X), theirs.fit(X, y).predict_proba(X), rtol=0, atol=1e-12
        )


def impurity_of_leaves(tree: Any) -> float:
    leaves = tree.children_left < 0
    return float(tree.impurity[leaves] @ tree.weighted_n_node_samples[leaves])


@pytest.mark.parametrize("number", [0, 2])
def test_cost_complexity_path_is_that_of_scikit_learn(number: int) -> None:
    X, y = CLASS_TABLES[number]
    X = X.astype(np.float32).astype(np.float64)
    ours = DecisionTreeClassifier(max_depth=4).cost_complexity_pruning_path(X, y)
    theirs = sklearn.tree.DecisionTreeClassifier(max_depth=4, random_state=0)
    path = theirs.cost_complexity_pruning_path(X, y)
    np.testing.assert_allclose(ours.ccp_alphas, path.ccp_alphas, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(ours.impurities, path.impurities, rtol=1e-9, atol=1e-12)
    for alpha in (path.ccp_alphas[1:] + path.ccp_alphas[:-1]) / 2:
        one = DecisionTreeClassifier(max_depth=4, ccp_alpha=alpha).fit(X, y).tree_
        other = theirs.set_params(ccp_alpha=alpha).fit(X, y).tree_
        assert one.n_leaves == other.n_leaves
        # Among equally good splits of a node scikit-learn draws one: the rows of its leaves may
        # differ, what they cost may not.
        assert impurity_of_leaves(one) == pytest.approx(impurity_of_leaves(other), rel=1e-12)


def test_scikit_learn_prints_and_draws_our_trees() -> None:
    plt = pytest.importorskip("matplotlib.pyplot")
    plt.switch_backend("Agg")
    X, y = load_iris(return_X_y=True)
    tree = DecisionTreeClassifier(max_depth=2).fit(X, y)
    text = sklearn.tree.export_text(tree, show_weights=True)
    assert text.count("class: ") == tree.get_n_leaves()
    assert "weights: [50.00, 0.00, 0.00] class: 0" in text
    _, ax = plt.subplots()
    assert len(sklearn.tree.plot_tree(tree, ax=ax, filled=True)) >= tree.tree_.node_count
    assert "digraph" in sklearn.tree.export_graphviz(tree)
    X, y = load_diabetes(return_X_y=True)
    numbers = DecisionTreeRegressor(max_depth=2).fit(X, y)
    theirs = sklearn.tree.DecisionTreeRegressor(max_depth=2).fit(X, y)
    assert sklearn.tree.export_text(numbers) == sklearn.tree.export_text(theirs)
    assert sklearn.tree.plot_tree(numbers, ax=ax)
    plt.close("all")


def test_partial_dependence_is_that_of_scikit_learn() -> None:
    X, y = load_diabetes(return_X_y=True)
    X = X.astype(np.float32).astype(np.float64)
    ours, theirs = (
        partial_dependence(kind(max_depth=3).fit(X, y), X, [2, 8], grid_resolution=5)["average"]
        for kind in (DecisionTreeRegressor, sklearn.tree.DecisionTreeRegressor)
    )
    np.testing.assert_allclose(ours, theirs, rtol=1e-9)


# ---- pruning, categories, rules, files -------------------------------------------------------


def test_reduced_error_pruning_is_the_best_pruning() -> None:
    """By trying all: none is better on the held-out rows, and none as good is smaller."""
    X, codes, y, _ = rows(3, levels=0, missing=0.0, count=160)
    for kind, target in ((DecisionTreeClassifier, codes), (DecisionTreeRegressor, y)):
        tree: Any = kind(max_depth=4).fit(X[:80], target[:80])
        held, wanted = X[80:], target[80:]
        whole = tree.tree_
        paths = whole.paths(whole.leaves(tree._table(held).rows))
        said = (
            tree.classes_[whole.totals.argmax(axis=1)]
            if kind is DecisionTreeClassifier
            else (whole.totals[:, 0])
        )

        def cost(
            node: int,
            whole: Any = whole,
            paths: Any = paths,
            said: Any = said,
            wanted: Any = wanted,
        ) -> Any:
            """Return the least error below a node, and the fewest leaves that have it."""
            here = wanted[paths[:, [node]].toarray()[:, 0] > 0]
            wrong = here != said[node] if said.dtype.kind == "i" else (here - said[node]) ** 2
            own = (float(np.sum(wrong)), 1)
            if whole.children_left[node] < 0:
                return own
            one, other = cost(whole.children_left[node]), cost(whole.children_right[node])
            split = (one[0] + other[0], one[1] + other[1])
            return own if own[0] <= split[0] * (1 + 1e-9) else split

        error, leaves = cost(0)
        tree.prune(held, wanted)
        found = tree.predict(held)
        assert tree.get_n_leaves() == leaves < whole.n_leaves
        lost = found != wanted if kind is DecisionTreeClassifier else (found - wanted) ** 2
        np.testing.assert_allclose(np.sum(lost), error, rtol=1e-9)


@pytest.mark.parametrize("criterion", ["gini", "entropy", "squared_error"])
def test_best_set_of_levels_is_found(criterion: str) -> None:
    """Two classes, or numbers: by trying all sets of seven levels."""
    rng = np.random.default_rng(0)
    levels = rng.integers(0, 7, size=200)
    score = rng.normal(size=7)[levels] + rng.normal(size=200)
    of_classes = criterion != "squared_error"
    y = (score > 0).astype(int) if of_classes else score
    kind: Any = DecisionTreeClassifier if of_classes else DecisionTreeRegressor
    tree = kind(criterion=criterion, max_depth=1, categorical_features=[0])
    tree.fit(levels[:, None].astype(float), y)
    left = tree.tree_.weighted_n_node_samples
    found = left[1:] @ tree.tree_.impurity[1:]
    least = np.inf
    for chosen in range(1, 64):
        side = (chosen >> levels & 1).astype(float)
        one = grow(side[:, None], y, criterion=criterion, classes=2 * of_classes, max_depth=1)
        if len(one["weight"]) == 3:
            least = min(least, one["weight"][1:] @ one["impurity"][1:])
    np.testing.assert_allclose(found, least, rtol=1e-12)


def test_heart_with_categories_and_missing_cells() -> None:
    table = heart()
    tree = DecisionTreeClassifier(max_depth=4, min_samples_leaf=10).fit(table.data, table.target)
    assert [one is not None for one in tree.categories_].count(True) == 5
    assert tree.score(table.data, table.target) > 0.85
    text = str(rules(tree))
    assert " in {" in text
    assert len(text.splitlines()) == tree.get_n_leaves()


def test_rules_hold_for_the_rows_of_their_leaf() -> None:
    X, codes, _, _ = rows(1, levels=0, missing=0.0)
    names = ["a", "b", "c", "d"]
    tree = DecisionTreeClassifier(max_depth=4).fit(X, codes)
    lines = rules(tree, feature_names=names).lines()
    leaves = np.flatnonzero(tree.tree_.children_left < 0)
    table = pl.DataFrame(X, schema=names)
    for line, leaf in zip(lines, leaves, strict=True):
        asked = line.removeprefix("if ").partition(":")[0]
        clauses = [clause.split(" < ") for clause in asked.split(" and ")]
        words = [
            f"({c[0]} < {c[1].split()[0]}) AND ({c[1]})" if len(c) == 2 else c[0] for c in clauses
        ]
        obeyed = table.with_row_index("row").sql(
            f"SELECT row FROM self WHERE {' AND '.join(words)}"
        )["row"]
        # Thresholds are printed to six digits; no cell of these rows is as near to one.
        assert obeyed.to_list() == np.flatnonzero(tree.apply(X) == leaf).tolist()


def test_rules_of_an_empty_tree_and_pictures() -> None:
    X, y = course_ratings(return_X_y=True)
    empty = DecisionTreeClassifier(max_depth=0).fit(X, y)
    assert str(rules(empty)) == "always: 1 (12 of 20, 60%)"
    tree = DecisionTreeClassifier(max_depth=2).fit(X, np.array(['say "no"', "yes"])[y])
    graph = rules(tree).dot()
    assert graph.count("->") == tree.tree_.node_count - 1
    assert r"say \"no\"" in graph
    plt = pytest.importorskip("matplotlib.pyplot")
    plt.switch_backend("Agg")
    ax = rules(tree).draw()
    assert sum("%" in text.get_text() for text in ax.texts) == tree.get_n_leaves()
    assert rules(empty).draw(ax) is ax
    plt.close("all")


def test_model_files(tmp_path: Path) -> None:
    table = heart()
    tree = DecisionTreeClassifier().fit(table.data, table.target)
    inducer.save(tree, tmp_path / "tree.skops")
    again = inducer.load(tmp_path / "tree.skops")
    np.testing.assert_array_equal(again.predict_proba(table.data), tree.predict_proba(table.data))
    assert str(rules(again)) == str(rules(tree))
    stranger = table.data.with_columns(thal=pl.lit("new level"))
    np.testing.assert_array_equal(again.apply(stranger), tree.apply(stranger))
