"""`top_weights`: what is read, in which order, under which names."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.exceptions import NotFittedError
from sklearn.feature_selection import SelectKBest
from sklearn.linear_model import Lasso, LinearRegression, LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

import inducer
from inducer.base import InputError, ParameterError
from inducer.linear import top_weights


class Rule(BaseEstimator):  # type: ignore[misc]
    """A fitted model by hand."""

    def __init__(self, coef: Any, classes: Any = None, names: Any = None) -> None:
        self.coef_ = np.asarray(coef)
        if classes is not None:
            self.classes_ = np.asarray(classes)
        if names is not None:
            self.feature_names_in_ = np.asarray(names, dtype=object)

    def fit(self) -> Rule:
        return self


def test_binary_order_sides_and_ranks() -> None:
    model = Rule([[0.5, -3.0, 0.0, 2.0, -1.0]], ["no", "yes"], list("abcde"))
    found = top_weights(model)
    assert found.columns == ["class", "side", "rank", "feature", "weight"]
    assert found.rows() == [
        ("yes", "top", 1, "d", 2.0),
        ("yes", "top", 2, "a", 0.5),
        ("yes", "bottom", 1, "b", -3.0),
        ("yes", "bottom", 2, "e", -1.0),
    ]
    assert found.dtypes == [pl.String, pl.String, pl.Int64, pl.String, pl.Float64]


def test_n_is_for_each_side_and_ties_keep_their_order() -> None:
    found = top_weights(Rule([[1.0, 1.0, 2.0, -1.0, -1.0]], [0, 1]), n=2)
    assert found["feature"].to_list() == ["x2", "x0", "x3", "x4"]
    assert found["class"].to_list() == [1] * 4


def test_multiclass_has_a_part_for_each_class() -> None:
    found = top_weights(Rule([[1.0, -1.0], [0.0, 2.0], [-3.0, 0.0]], [10, 20, 30]))
    assert found.select("class", "side", "feature").rows() == [
        (10, "top", "x0"),
        (10, "bottom", "x1"),
        (20, "top", "x1"),
        (30, "bottom", "x0"),
    ]


def test_two_classes_with_a_row_each() -> None:
    found = top_weights(Rule([[1.0], [-1.0]], ["a", "b"]))
    assert found.select("class", "side").rows() == [("a", "top"), ("b", "bottom")]


def test_scaled_by_the_deviation_of_the_features() -> None:
    X = np.array([[0.0, 0.0, 5.0], [2.0, 200.0, 5.0]])  # deviations 1, 100, 0
    model = Rule([[3.0, 0.05, 9.0]], [0, 1])
    assert top_weights(model)["feature"].to_list() == ["x2", "x0", "x1"]
    for rows in (X, X.astype(np.float32), sparse.csr_matrix(X), pd.DataFrame(X)):
        found = top_weights(model, X=rows)
        assert found.columns[-1] == "scaled"
        assert found["feature"].to_list() == ["x1", "x0"]
        assert found["weight"].to_list() == [0.05, 3.0]
        assert found["scaled"].to_list() == [5.0, 3.0]


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_matrix, sparse.csr_array])
@pytest.mark.parametrize("factor", [1.0, 2.0**600, 2.0**-600])
def test_deviations_of_columns_far_from_zero_huge_tiny_and_constant(kind: Any, factor: Any) -> None:
    X = factor * np.array([[1e9 - 1, 0.1, 0.0], [1e9 + 1, 0.1, 4.0]] * 30)
    found = top_weights(Rule([[1.0, 1.0, 1.0]], [0, 1]), X=kind(X))
    assert dict(found.select("feature", "scaled").rows()) == {"x0": factor, "x2": 2 * factor}


def frame() -> tuple[pd.DataFrame, Any]:
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(60, 3)) * [1, 10, 100], columns=["one", "ten", "hundred"])
    return X, (X["one"] - X["hundred"] / 50 > 0).to_numpy()


def test_pipeline_names_and_scales_are_those_of_the_last_step() -> None:
    X, y = frame()
    model = make_pipeline(StandardScaler(), SelectKBest(k=2), LogisticRegression()).fit(X, y)
    found = top_weights(model, X=X)
    assert found.select("side", "feature").rows() == [("top", "one"), ("bottom", "hundred")]
    # Behind the scaler every deviation is one.
    np.testing.assert_allclose(found["scaled"], found["weight"], rtol=1e-12)
    search = GridSearchCV(model, {"logisticregression__C": [1.0]}, cv=2).fit(X, y)
    assert top_weights(search).equals(top_weights(search.best_estimator_))


def test_names_come_from_the_argument_the_model_or_nowhere() -> None:
    X, y = frame()
    model = LogisticRegression().fit(X, y)
    assert set(top_weights(model)["feature"]) == {"one", "ten", "hundred"}
    named = top_weights(model, feature_names=["a", "b", "c"])
    assert set(named["feature"]) == {"a", "b", "c"}
    silent = make_pipeline(FunctionTransformer(), LogisticRegression()).fit(X.to_numpy(), y)
    assert set(top_weights(silent)["feature"]) <= {"x0", "x1", "x2"}
    alone = make_pipeline(LogisticRegression()).fit(X, y)
    assert top_weights(alone).equals(top_weights(model))


def test_regressions() -> None:
    X, _ = frame()
    found = top_weights(LinearRegression().fit(X, X["one"]))
    assert found["class"].to_list()[0] is None
    assert found["feature"][0] == "one"
    several = top_weights(LinearRegression().fit(X, X[["one", "ten"]]), n=1)
    assert several.filter(pl.col("side") == "top")["class"].to_list() == [0, 1]
    assert top_weights(Lasso(alpha=1e9).fit(X, X["one"])).is_empty()


def test_learners_of_ours() -> None:
    perceptron = pytest.importorskip("inducer.linear.perceptron").Perceptron
    X, y = frame()
    found = top_weights(perceptron(random_state=0).fit(X, y))
    assert set(found["feature"]) <= {"one", "ten", "hundred"}
    assert found["class"].to_list() == [True] * len(found)


def test_sparse_weights_and_pairs_of_classes() -> None:
    X, y = frame()
    two = SVC(kernel="linear").fit(sparse.csr_matrix(X), y)
    assert len(top_weights(two)) == 3
    three = SVC(kernel="linear").fit(X, np.arange(60) % 3)
    with pytest.raises(InputError, match="in pairs"):
        top_weights(three)


def test_what_cannot_be_read_is_refused() -> None:
    X, y = frame()
    with pytest.raises(NotFittedError):
        top_weights(LogisticRegression())
    with pytest.raises(InputError, match="DecisionTreeClassifier has no weights"):
        top_weights(DecisionTreeClassifier().fit(X, y))
    model = LogisticRegression().fit(X, y)
    with pytest.raises(InputError, match="2 feature_names for 3 features"):
        top_weights(model, feature_names=["a", "b"])
    with pytest.raises(InputError, match="X has 2 features where the model has 3"):
        top_weights(model, X=X[["one", "ten"]])
    with pytest.raises(InputError, match="top_weights needs numbers"):
        top_weights(model, X=X.mask(X > 0))
    for n in (0, True, 1.5, "all"):
        with pytest.raises(ParameterError, match="n must be an integer"):
            top_weights(model, n)


@pytest.mark.parametrize("names", [5, "abc"])
def test_names_that_are_no_list(names: object) -> None:
    model = inducer.linear.Perceptron(random_state=0).fit(np.eye(3), [0, 1, 1])
    with pytest.raises(InputError, match="feature_names is a list of names"):
        top_weights(model, feature_names=names)
