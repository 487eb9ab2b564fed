"""The elastic net and the lasso against scikit-learn, closed forms, and SciPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import sparse
from sklearn import linear_model
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import KFold, ShuffleSplit

import inducer
from inducer.base import InputError, ParameterError, Trace
from inducer.linear import ElasticNet, Lasso, LeastSquares, Ridge

Array = NDArray[Any]

# Both sides solved to a gap of 1e-12 of the variance: weights are right to about its root.
EXACT = 1e-12
TIGHT = {"rtol": 1e-6, "atol": 1e-6}
SHAPES = [(80, 7), (30, 600)]  # by the Gram matrix, and by a working set


def problem(rows: int, cols: int, targets: int = 0) -> tuple[Array, Array]:
    rng = np.random.default_rng(rows + cols)
    X = rng.normal(size=(rows, cols))
    X[:, 1:] += 0.7 * X[:, :-1]
    X += 3
    shape = (cols, targets) if targets else (cols,)
    w = np.where(rng.random(shape) < min(0.5, 5 / cols), rng.normal(size=shape), 0.0)
    w[0] = 2
    return X, X @ w + 0.3 * rng.normal(size=(rows, *shape[1:])) + 5


def objective(model: Any, X: Any, y: Array, h: Array | None = None, ratio: float = 1.0) -> float:
    r = y - model.predict(X).astype(np.float64)
    w = np.asarray(model.coef_, np.float64)
    penalty = ratio * np.abs(w).sum() + (1 - ratio) / 2 * (w * w).sum()
    return float(np.average(r * r, weights=h) / 2 + model.alpha * penalty)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("ratio", [0.3, 1.0])
@pytest.mark.parametrize("positive", [False, True])
@pytest.mark.parametrize("form", [np.array, np.asfortranarray, sparse.csr_matrix])
def test_weights_are_scikit_learns(
    shape: tuple[int, int], fit_intercept: bool, ratio: float, positive: bool, form: Any
) -> None:
    X, y = problem(*shape)
    if not fit_intercept:  # or scikit-learn would not converge
        X = X - 3
    h = np.random.default_rng(1).integers(0, 3, len(X)).astype(float)
    for weights in (None, h):
        words = {
            "alpha": 0.2, "l1_ratio": ratio, "fit_intercept": fit_intercept, "positive": positive,
            "max_iter": 100_000,
        }  # fmt: skip
        ours = ElasticNet(**words, tol=EXACT).fit(form(X), y, weights)
        peer = linear_model.ElasticNet(**words, tol=1e-13).fit(X, y, weights)
        np.testing.assert_allclose(ours.coef_, peer.coef_, **TIGHT)
        assert ours.intercept_ == pytest.approx(peer.intercept_, rel=1e-6, abs=1e-6)
        assert ours.coef_.shape == peer.coef_.shape
        assert ours.dual_gap_ <= EXACT * np.average(y**2, weights=weights)


def test_sweeps_stop_at_the_gap_that_scikit_learn_stops_at() -> None:
    X, y = problem(80, 7)
    for tol in (1e-2, 1e-4, 1e-8):
        model = Lasso(0.01, tol=tol).fit(X, y)
        assert model.dual_gap_ == model.certificate_ <= tol * y.var()
        # scikit-learn's own gap, at our weights, is the same number.
        exact = Lasso(0.01, tol=EXACT).fit(X, y)
        assert objective(model, X, y) - objective(exact, X, y) <= model.dual_gap_ + 1e-14


@pytest.mark.parametrize("shape", SHAPES)
def test_the_path_is_lasso_path(shape: tuple[int, int]) -> None:
    X, y = problem(*shape)
    ours = ElasticNet(l1_ratio=0.8, tol=EXACT, alphas=12, eps=1e-2).path(X, y)
    peer = linear_model.enet_path(
        X - X.mean(axis=0), y - y.mean(), l1_ratio=0.8, alphas=12, eps=1e-2, tol=1e-13,
        max_iter=100_000,
    )  # fmt: skip
    np.testing.assert_allclose(ours[0], peer[0], rtol=1e-9)
    np.testing.assert_allclose(ours[1], peer[1], **TIGHT)
    assert np.all(ours[1][:, 0] == 0)
    assert ours[2].max() <= EXACT * y.var()


def test_a_path_of_several_targets() -> None:
    X, y = problem(50, 6, 2)
    alphas, coefs, gaps = Lasso(alphas=[0.1, 0.5], tol=EXACT).path(X, y)
    assert alphas.tolist() == [0.5, 0.1]
    for k, alpha in enumerate(alphas):
        model = Lasso(alpha, tol=EXACT).fit(X, y)
        np.testing.assert_allclose(coefs[:, :, k], model.coef_, **TIGHT)
        assert model.intercept_.shape == model.dual_gap_.shape == (2,)
        assert len(model.n_iter_) == 2
        for target in range(2):
            one = Lasso(alpha, tol=EXACT).fit(X, y[:, target])
            np.testing.assert_allclose(model.coef_[target], one.coef_, **TIGHT)
    assert gaps.shape == (2, 2)


FOLDS = [KFold(4, shuffle=True, random_state=0), ShuffleSplit(3, random_state=0)]


@pytest.mark.parametrize("cv", FOLDS)
@pytest.mark.parametrize("shape", [(60, 7), (40, 500)])
@pytest.mark.parametrize("weighted", [False, True])
def test_the_choice_is_that_of_lasso_cv(cv: Any, shape: tuple[int, int], weighted: bool) -> None:
    X, y = problem(*shape)
    h = np.random.default_rng(1).uniform(0.5, 2, len(X)) if weighted else None
    alphas = np.geomspace(2, 0.05, 9)
    ours = Lasso(alphas=alphas, cv=cv, tol=EXACT).fit(X, y, h)
    peer = linear_model.LassoCV(alphas=alphas, cv=cv, tol=1e-12, max_iter=100_000)
    peer.fit(X, y, h)
    np.testing.assert_allclose(ours.mse_path_, peer.mse_path_, rtol=1e-5)
    assert ours.alpha_ == peer.alpha_
    np.testing.assert_allclose(ours.coef_, peer.coef_, **TIGHT)


@pytest.mark.parametrize("cv", FOLDS)
@pytest.mark.parametrize("shape", [(60, 7), (40, 500)])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("alphas", [6, [0.8, 0.05, 0.2]])
def test_the_choice_among_shares_is_that_of_elastic_net_cv(
    cv: Any, shape: tuple[int, int], weighted: bool, alphas: Any
) -> None:
    X, y = problem(*shape)
    h = np.random.default_rng(1).uniform(0.5, 2, len(X)) if weighted else None
    words = {"l1_ratio": [0.2, 0.9, 0.5], "alphas": alphas, "eps": 0.02, "cv": cv}
    ours = ElasticNet(**words, tol=EXACT).fit(X, y, h)
    peer = linear_model.ElasticNetCV(**words, tol=1e-13, max_iter=100_000).fit(X, y, h)
    assert ours.alphas_.shape == peer.alphas_.shape
    assert ours.mse_path_.shape == peer.mse_path_.shape
    np.testing.assert_allclose(ours.alphas_, peer.alphas_, rtol=1e-9)
    np.testing.assert_allclose(ours.mse_path_, peer.mse_path_, rtol=1e-6)
    assert ours.l1_ratio_ == peer.l1_ratio_
    assert ours.alpha_ == pytest.approx(peer.alpha_, rel=1e-9)
    np.testing.assert_allclose(ours.coef_, peer.coef_, **TIGHT)


def test_a_list_of_one_share_is_that_share() -> None:
    X, y = problem(60, 7, 2)
    one = ElasticNet(l1_ratio=0.3, alphas=5, cv=3).fit(X, y)
    listed = ElasticNet(l1_ratio=[0.3], alphas=5, cv=3).fit(X, y)
    assert one.mse_path_.shape == (5, 3)
    assert listed.mse_path_.shape == (1, 5, 3)
    assert listed.alphas_.shape == (1, 5)
    assert np.array_equal(one.mse_path_, listed.mse_path_[0])
    assert np.array_equal(one.coef_, listed.coef_)
    assert one.l1_ratio_ == listed.l1_ratio_ == 0.3
    assert ElasticNet().fit(X, y).l1_ratio_ == 0.5


@pytest.mark.parametrize("ratio", [[], [0.5, 2.0], [np.nan], ["x"], [[0.5]]])
def test_shares_that_are_none_are_refused(ratio: Any) -> None:
    X, y = problem(80, 7)
    with pytest.raises(ParameterError, match="l1_ratio"):
        ElasticNet(l1_ratio=ratio, cv=3).fit(X, y)


def test_a_list_of_shares_wants_folds() -> None:
    X, y = problem(80, 7)
    for call in (ElasticNet(l1_ratio=[0.1, 0.5]).fit, ElasticNet(l1_ratio=[0.1], cv=3).path):
        with pytest.raises(ParameterError, match="cross-validation"):
            call(X, y)


def test_the_largest_alpha_of_a_path_is_the_least_that_gives_zeros() -> None:
    X, y = problem(80, 7)
    for learner in (Lasso(), ElasticNet(l1_ratio=0.2), Lasso(positive=True)):
        most = learner.set_params(alphas=3).path(X, y)[0][0]
        learner.set_params(alphas=None, tol=EXACT)
        assert np.all(learner.set_params(alpha=1.0001 * most).fit(X, y).coef_ == 0)
        assert np.any(learner.set_params(alpha=0.999 * most).fit(X, y).coef_ != 0)


def test_orthogonal_columns_are_shrunk_one_by_one() -> None:
    Q, _ = np.linalg.qr(np.random.default_rng(0).normal(size=(64, 5)))
    X, y = 8 * Q, 8 * Q @ [3.0, -2.0, 1.0, 0.5, 0.0]
    model = ElasticNet(alpha=1.0, l1_ratio=0.75, fit_intercept=False, tol=EXACT).fit(X, y)
    # X'X / n = 1: each weight is S(w, 3/4) / (1 + 1/4).
    np.testing.assert_allclose(
        model.coef_, [2.25 / 1.25, -1.25 / 1.25, 0.25 / 1.25, 0, 0], atol=1e-9
    )


@pytest.mark.parametrize("shape", [(60, 7), (10, 20)])
@pytest.mark.parametrize("ratio", [0.0, 0.5])
def test_alpha_zero_is_least_squares_and_ratio_zero_is_ridge(
    shape: tuple[int, int], ratio: float
) -> None:
    X, y = problem(*shape)
    np.testing.assert_allclose(
        ElasticNet(alpha=0, l1_ratio=ratio).fit(X, y).coef_, LeastSquares().fit(X, y).coef_, **TIGHT
    )
    np.testing.assert_allclose(
        ElasticNet(alpha=0.3, l1_ratio=0).fit(X, y).coef_,
        Ridge(0.3 * len(X)).fit(X, y).coef_,
        **TIGHT,
    )


@pytest.mark.parametrize("shape", SHAPES)
def test_columns_that_do_not_vary_or_repeat(shape: tuple[int, int]) -> None:
    X, y = problem(*shape)
    plain = Lasso(0.1, tol=EXACT).fit(X, y)
    more = np.column_stack([X, np.full(len(X), 0.1), np.full(len(X), 1e6), X[:, 0]])
    model = Lasso(0.1, tol=EXACT).fit(more, y)
    assert np.all(model.coef_[-3:-1] == 0)
    # What two equal columns share out between them is free; their sum is not.
    assert model.coef_[0] + model.coef_[-1] == pytest.approx(plain.coef_[0], rel=1e-5)
    assert model.predict(more) == pytest.approx(plain.predict(X), rel=1e-5)


def test_nearly_collinear_columns_take_few_sweeps() -> None:
    rng = np.random.default_rng(0)
    base = rng.normal(size=(300, 1))
    X = base + 0.01 * rng.normal(size=(300, 20))
    y = X @ rng.normal(size=20) + rng.normal(size=300)
    model = Lasso(1e-4, tol=1e-9).fit(X, y)
    assert model.n_iter_ < 200
    assert model.dual_gap_ <= 1e-9 * y.var()


def test_too_few_sweeps_are_told_with_the_gap() -> None:
    X, y = problem(80, 7)
    with pytest.warns(ConvergenceWarning, match=r"all 1 sweeps .* gap is 0\.\d+"):
        model = Lasso(0.001, max_iter=1, tol=1e-10).fit(X, y)
    assert model.n_iter_ == 1


@pytest.mark.parametrize("shape", SHAPES)
def test_a_warm_start_has_nothing_left_to_do(shape: tuple[int, int]) -> None:
    X, y = problem(*shape)
    model = Lasso(0.05, warm_start=True, tol=1e-8).fit(X, y)
    first, weights = model.n_iter_, model.coef_
    assert model.fit(X, y).n_iter_ <= min(2, first)
    np.testing.assert_allclose(model.coef_, weights, **TIGHT)
    with pytest.raises(InputError, match="warm_start"):
        model.fit(X[:, :3], y)


def test_the_trace_falls() -> None:
    X, y = problem(80, 7)
    model = Lasso(0.001, tol=1e-12).set_callbacks(Trace()).fit(X, y)
    history = model.history_
    assert len(history["objective"]) == model.n_iter_
    assert np.all(np.diff(history["objective"]) <= 1e-12)
    assert history["dual_gap"][-1] == model.dual_gap_
    assert history["objective"][-1] == pytest.approx(objective(model, X, y), rel=1e-9)
    silent = Lasso(0.001, tol=1e-12).fit(X, y)
    assert np.array_equal(silent.coef_, model.coef_)
    assert silent.n_iter_ == model.n_iter_


@pytest.mark.parametrize("shape", [(20000, 9), (50, 900)])
@pytest.mark.parametrize("form", [np.array, sparse.csr_matrix])
def test_threads_do_not_change_a_bit(shape: tuple[int, int], form: Any) -> None:
    X, y = problem(*shape)
    found = set()
    for number in (1, 2, 7):
        with inducer.threads(number):
            model = Lasso(0.05).fit(form(X), y)
            found.add((model.coef_.tobytes(), model.intercept_, model.dual_gap_, model.n_iter_))
    assert len(found) == 1


@pytest.mark.parametrize("shape", SHAPES)
def test_float32_comes_to_the_same(shape: tuple[int, int]) -> None:
    X, y = problem(*shape)
    single = Lasso(0.1, tol=EXACT).fit(X.astype(np.float32), y)
    assert single.coef_.dtype == np.float32
    np.testing.assert_allclose(single.coef_, Lasso(0.1, tol=EXACT).fit(X, y).coef_, atol=1e-5)


def test_sparse_weights_and_bad_alphas() -> None:
    X, y = problem(80, 7)
    model = Lasso(0.3).fit(X, y)
    assert model.sparse_coef_.nnz == np.count_nonzero(model.coef_)
    with pytest.raises(ParameterError, match="l1_ratio=0"):
        ElasticNet(l1_ratio=0, cv=3).fit(X, y)
    with pytest.raises(ParameterError, match="alphas"):
        Lasso(alphas=[-1.0]).fit(X, y)
    with pytest.raises(InputError, match="cv"):
        Lasso(cv=200).fit(X, y)
