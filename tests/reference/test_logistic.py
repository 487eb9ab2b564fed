"""LogisticRegression beside scikit-learn, SciPy and the formulas of the course."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import sparse
from scipy.optimize import minimize
from sklearn.datasets import make_classification
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression as Peer

from inducer.base import InputError
from inducer.linear import LogisticRegression

# Both minimise the same convex sum to rounding; what is left is the last step of either.
CLOSE: dict[str, Any] = {"rtol": 1e-6, "atol": 1e-7}


def table(classes: int = 2, rows: int = 600) -> tuple[Any, Any]:
    return make_classification(
        rows, 12, n_informative=8, n_redundant=0, n_classes=classes, flip_y=0.1, random_state=3
    )


@pytest.mark.parametrize("solver", ["newton-cholesky", "newton-cg"])
@pytest.mark.parametrize("classes", [2, 4])
@pytest.mark.parametrize(
    "arguments",
    [{}, {"C": 0.01}, {"fit_intercept": False}, {"class_weight": "balanced"}, {"C": np.inf}],
    ids=str,
)
def test_the_optimum_is_scikit_learns(solver: str, classes: int, arguments: Any) -> None:
    X, y = table(classes)
    ours = LogisticRegression(solver=solver, tol=1e-8, **arguments).fit(X, y)
    exact = "newton-cholesky" if np.isfinite(arguments.get("C", 1.0)) else "newton-cg"
    peer = Peer(solver=exact, tol=1e-10, max_iter=1000, **arguments).fit(X, y)
    np.testing.assert_allclose(ours.predict_proba(X), peer.predict_proba(X), **CLOSE)
    if classes == 2 or np.isfinite(ours.C):
        np.testing.assert_allclose(ours.coef_, peer.coef_, **CLOSE)
    assert ours.certificate_ < 1e-9


@pytest.mark.parametrize("ratio", [1.0, 0.5])
@pytest.mark.parametrize("classes", [2, 3])
def test_absolute_values_in_the_penalty(ratio: float, classes: int) -> None:
    X, y = table(classes)
    ours = LogisticRegression(C=0.03, l1_ratio=ratio, tol=1e-8).fit(X, y)
    peer = Peer(
        solver="saga", C=0.03, l1_ratio=ratio, tol=1e-9, max_iter=20_000, random_state=0
    ).fit(X, y)
    np.testing.assert_allclose(ours.predict_proba(X), peer.predict_proba(X), rtol=1e-5)  # saga's
    assert 0 < np.count_nonzero(ours.coef_ == 0) == np.count_nonzero(peer.coef_ == 0)


def test_one_versus_all_are_the_binary_problems() -> None:
    X, y = table(3)
    model = LogisticRegression(multi_class="ovr", tol=1e-8).fit(X, y)
    for k in range(3):
        alone = LogisticRegression(tol=1e-8).fit(X, y == k)
        np.testing.assert_array_equal(model.coef_[k], alone.coef_[0])
    np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1.0, rtol=1e-12)


def test_layouts_precisions_and_sparse_rows_agree() -> None:
    X, y = table()
    model = LogisticRegression(tol=1e-8).fit(X, y)
    assert (LogisticRegression(tol=1e-8).fit(np.asfortranarray(X), y).coef_ == model.coef_).all()
    thin = LogisticRegression(tol=1e-8).fit(sparse.csr_matrix(X), y)
    np.testing.assert_allclose(thin.coef_, model.coef_, rtol=1e-10)
    single = LogisticRegression(tol=1e-8).fit(X.astype(np.float32), y)
    assert single.coef_.dtype == np.float32
    np.testing.assert_allclose(single.coef_, model.coef_, rtol=1e-4, atol=1e-5)  # float32's X


# ---- facts of the course -------------------------------------------------------------------------


def test_the_derivative_of_sigma_is_sigma_times_one_minus_sigma() -> None:
    """CIML prints another; the slopes of the kernel, which the fit uses, are by this one."""
    from inducer._core.linear import Objective
    from inducer.base.arrays import matrix_of

    z = np.linspace(-30, 30, 241)
    held = matrix_of(z[:, None])
    kernel = Objective(
        held.rows, "logistic", parameter=0.0, targets=np.ones(241), codes=None, positive=1,
        weights=None,
    )  # fmt: skip
    slopes, curvatures = np.empty(241), np.empty(241)
    kernel.evaluate(np.array([1.0, 0.0]), 0, 241, 1, slopes=slopes, curvatures=curvatures)
    sigma = 1 / (1 + np.exp(-z))
    np.testing.assert_allclose(slopes, -1 / (1 + np.exp(z)), rtol=1e-14)
    np.testing.assert_allclose(curvatures, np.exp(-z) * sigma**2, rtol=1e-13)


def test_the_first_step_of_gradient_descent_from_zero() -> None:
    """NTU 10: with a rate of 0.1, w1 is 0.05 times the mean of y x."""
    from inducer._core.linear import Objective
    from inducer.base.arrays import matrix_of

    X, y = table()
    signs = np.where(y == 1, 1.0, -1.0)
    kernel = Objective(
        matrix_of(X).rows, "logistic", parameter=0.0, targets=signs, codes=None, positive=1,
        weights=None,
    )  # fmt: skip
    gradient = np.zeros(13)
    kernel.evaluate(np.zeros(13), 0, len(y), 1, gradient=gradient)
    step = -0.1 * gradient[:12] / len(y)
    np.testing.assert_allclose(step, 0.05 * np.mean(signs[:, None] * X, axis=0), rtol=1e-12)


def test_at_the_optimum_the_expectations_of_the_features_match() -> None:
    """CMSC 11.1: maximum entropy. Without a penalty the model's sums are the data's."""
    X, y = table(3)
    model = LogisticRegression(C=np.inf, tol=1e-8).fit(X, y)
    shares = model.predict_proba(X)
    truth = np.eye(3)[y]
    np.testing.assert_allclose(shares.T @ X, truth.T @ X, rtol=0, atol=1e-8 * len(X))
    np.testing.assert_allclose(shares.sum(axis=0), truth.sum(axis=0), rtol=1e-10)


@pytest.mark.parametrize(("prior", "scale"), [("gaussian", 0.3), ("laplace", 0.05)])
def test_the_fit_is_the_most_probable_under_its_prior(prior: str, scale: float) -> None:
    X, y = table(rows=150)
    model = LogisticRegression.with_prior(prior, scale, tol=1e-8).fit(X, y)
    signs = np.where(y == 1, 1.0, -1.0)

    def minus_log_posterior(v: Any) -> float:
        likelihood = np.logaddexp(0, -signs * (X @ v[:-1] + v[-1])).sum()
        if prior == "gaussian":
            return float(likelihood + np.sum(v[:-1] ** 2) / (2 * scale**2))
        return float(likelihood + np.sum(np.abs(v[:-1])) / scale)

    at = np.append(model.coef_[0], model.intercept_)
    best = minus_log_posterior(at)
    found = minimize(minus_log_posterior, at, method="Powell", options={"ftol": 1e-12})
    assert best <= found.fun + 1e-7 * abs(best)
    rng = np.random.default_rng(0)
    assert all(minus_log_posterior(at + 1e-3 * rng.normal(size=13)) > best for _ in range(50))


# ---- soft labels ---------------------------------------------------------------------------------


@pytest.mark.parametrize("classes", [2, 3])
def test_hard_labels_as_soft_ones_give_the_same_fit(classes: int) -> None:
    X, y = table(classes)
    soft = LogisticRegression(tol=1e-8).fit(X, np.eye(classes)[y])
    hard = LogisticRegression(tol=1e-8).fit(X, y)
    np.testing.assert_allclose(soft.coef_, hard.coef_, rtol=1e-7, atol=1e-9)
    np.testing.assert_allclose(soft.intercept_, hard.intercept_, rtol=1e-7, atol=1e-9)


def test_a_soft_label_is_rows_of_every_class_with_weights() -> None:
    X, y = table()
    share = np.random.default_rng(0).random(len(y))
    soft = LogisticRegression(tol=1e-8).fit(X, np.column_stack([1 - share, share]))
    twice = LogisticRegression(tol=1e-8).fit(
        np.vstack([X, X]),
        np.repeat([0, 1], len(y)),
        sample_weight=np.concatenate([1 - share, share]),
    )
    np.testing.assert_allclose(soft.coef_, twice.coef_, rtol=1e-7)


def test_soft_labels_must_sum_to_one() -> None:
    with pytest.raises(InputError, match=r"row 1 sums to 0\.9"):
        LogisticRegression().fit(np.eye(3), [[0.5, 0.5], [0.5, 0.4], [1.0, 0.0]])


# ---- many penalties, and none --------------------------------------------------------------------


def test_the_path_is_the_single_fits_and_cv_chooses_on_it() -> None:
    X, y = table()
    model = LogisticRegression(tol=1e-8)
    Cs, coefs, intercepts = model.path(X, y, Cs=[0.01, 1.0])
    for C, coef, intercept in zip(Cs, coefs, intercepts, strict=True):
        alone = LogisticRegression(C=float(C), tol=1e-8).fit(X, y)
        np.testing.assert_allclose(coef, alone.coef_, rtol=1e-7, atol=1e-9)
        np.testing.assert_allclose(intercept, alone.intercept_, rtol=1e-7, atol=1e-9)
    chosen = LogisticRegression(cv=3, Cs=[1e-4, 1.0]).fit(X, y)
    assert chosen.C_ == 1.0
    assert chosen.scores_.shape == (2, 3)
    np.testing.assert_allclose(chosen.coef_, LogisticRegression().fit(X, y).coef_, rtol=1e-6)


@pytest.mark.parametrize("classes", [2, 3])
def test_separable_classes_without_a_penalty_are_said_to_diverge(classes: int) -> None:
    X = np.repeat(np.eye(classes), 5, axis=0)
    y = np.repeat(np.arange(classes), 5)
    with pytest.warns(ConvergenceWarning, match="separable"):
        LogisticRegression(C=np.inf).fit(X, y)


def test_a_fit_that_is_cut_short_says_what_is_left() -> None:
    X, y = table()
    with pytest.warns(ConvergenceWarning, match="slope left"):
        model = LogisticRegression(max_iter=1, tol=1e-8).fit(X, y)
    assert model.certificate_ > 1e-4


def test_columns_that_repeat_without_a_penalty_give_the_same_probabilities() -> None:
    X, y = table()
    alone = LogisticRegression(C=np.inf, tol=1e-7).fit(X, y)
    twice = LogisticRegression(C=np.inf, tol=1e-7).fit(np.hstack([X, X]), y)
    np.testing.assert_allclose(twice.predict_proba(X @ np.hstack([np.eye(12)] * 2)),
                               alone.predict_proba(X), rtol=1e-5)  # fmt: skip
