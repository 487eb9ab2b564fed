"""What the learners of squared loss refuse, and in which words."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import sparse

from inducer.base import InputError, ParameterError
from inducer.linear import ElasticNet, Lasso, LeastSquares, LeastSquaresClassifier, Ridge

LEARNERS: list[Any] = [
    ElasticNet(), Lasso(), Lasso(cv=2), LeastSquares(), LeastSquares(positive=True), Ridge(),
    Ridge(solver="cg"), Ridge(positive=True), Ridge(alphas=[1.0, 2.0]),
]  # fmt: skip
X = np.random.default_rng(0).normal(size=(12, 3))
y = X[:, 0] + 1


@pytest.mark.parametrize("learner", LEARNERS, ids=repr)
@pytest.mark.parametrize(
    ("target", "words"),
    [
        (np.where(np.arange(12) == 5, np.nan, y), "row 5"),
        (np.where(np.arange(12) == 7, np.inf, y), "row 7"),
        (np.array(list("abcdefghijkl")), "could not convert"),
        (y[:-1], "inconsistent numbers"),
        (y + 1j, "omplex"),
        (y.reshape(3, 2, 2), "3"),
        (sparse.csr_matrix(y[:, None]), "sparse"),
    ],
)
def test_targets_are_finite_numbers_one_a_row(learner: Any, target: Any, words: str) -> None:
    with pytest.raises(InputError, match=words):
        learner.fit(X, target)


@pytest.mark.parametrize("learner", [*LEARNERS, LeastSquaresClassifier()], ids=repr)
def test_numbers_too_large_to_be_squared_are_told(learner: Any) -> None:
    with pytest.raises(InputError, match="overflowed"):
        learner.fit(X * 1e200, y > 1)


@pytest.mark.parametrize("learner", LEARNERS, ids=repr)
def test_one_row_gives_its_own_target(learner: Any) -> None:
    if getattr(learner, "cv", None) is not None:
        pytest.skip("two folds need two rows")
    model = learner.fit(X[:1], y[:1])
    assert model.predict(X[:1]) == pytest.approx(y[:1])
    assert np.all(model.coef_ == 0)


@pytest.mark.parametrize("learner", LEARNERS, ids=repr)
def test_targets_that_do_not_vary_get_no_weights(learner: Any) -> None:
    model = learner.fit(X, np.full(12, 0.1))
    np.testing.assert_allclose(model.coef_, 0, atol=1e-15)
    assert model.intercept_ == pytest.approx(0.1)


def test_parameters() -> None:
    for learner in (Ridge(-1.0), Lasso(-1.0), ElasticNet(l1_ratio=2), Lasso(cv=1), Lasso(alphas=0)):
        with pytest.raises(ParameterError):
            learner.fit(X, y)
    with pytest.raises(ParameterError, match="radius"):
        Ridge().fit(X, y).alpha_for_radius(0)
    with pytest.raises(ParameterError, match="one alpha at a time"):
        Ridge(solver="cg", alphas=[1.0]).fit(X, y)
