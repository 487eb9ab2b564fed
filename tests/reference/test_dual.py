"""`DualPerceptron` against the counts of mistakes of MIT 3.5 and CIML A30."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from inducer.base.random import kernel_seed
from inducer.datasets import bankruptcy
from inducer.linear import DualPerceptron, Perceptron
from reference import transcriptions
from reference.examples import LAYOUTS, examples, row_weights, signs
from reference.transcriptions import make_passes, orders, visited


def dense(X: Any) -> NDArray[Any]:
    return X if isinstance(X, np.ndarray) else np.asarray(X.toarray())


def polynomial(A: Any, B: Any) -> Any:
    return (1.0 + dense(A @ B.T)) ** 2


def transcribed(
    K: Any,
    codes: Any,
    *,
    positive: int = 1,
    stream: int = 0,
    shuffle: str = "every",
    max_iter: int = 3,
    tol: float | None = None,
    **options: Any,
) -> tuple[transcriptions.Dual, transcriptions.Passes]:
    walk = transcriptions.Dual(K, signs(codes, positive), **options)
    order = orders(visited(len(K), options.get("weights")), shuffle, kernel_seed(0), stream)
    total = float(walk.weights.sum())
    return walk, make_passes(walk.visit, order, total, max_iter=max_iter, tol=tol)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("shuffle", ["every", "once", "never"])
def test_counts_of_mistakes(layout: str, shuffle: str) -> None:
    """Counts are integers: equal unless an activation is within rounding of zero, and none is."""
    X, codes = examples(layout)
    wide = dense(X).astype(np.float64)
    for kernel, K in (("linear", wide @ wide.T), (polynomial, (1 + wide @ wide.T) ** 2)):
        model = DualPerceptron(
            kernel=kernel, max_iter=3, tol=None, shuffle=shuffle, random_state=0
        ).fit(X, codes)
        walk, passes = transcribed(K, codes, shuffle=shuffle)
        np.testing.assert_array_equal(model.alpha_[0], walk.alpha)
        assert model.intercept_[0] == walk.b
        assert model.n_mistakes_ == sum(passes.mistakes) == walk.alpha.sum()


@pytest.mark.parametrize("fit_intercept", [False, True])
def test_weights_of_rows_and_precomputed_kernels(fit_intercept: bool) -> None:
    X, codes = examples("integers", classes=3)
    K, weights = X @ X.T, row_weights()
    options: dict[str, Any] = {
        "max_iter": 3,
        "tol": None,
        "fit_intercept": fit_intercept,
        "random_state": 0,
    }
    model = DualPerceptron(**options).fit(X, codes, sample_weight=weights)
    given = DualPerceptron(kernel="precomputed", **options).fit(K, codes, sample_weight=weights)
    np.testing.assert_array_equal(model.alpha_, given.alpha_)
    for k in range(3):
        walk, _ = transcribed(
            K, codes, positive=k, stream=k, weights=weights, fit_intercept=fit_intercept
        )
        np.testing.assert_array_equal(model.alpha_[k], walk.alpha)
        assert model.intercept_[k] == walk.b
    np.testing.assert_allclose(
        model.decision_function(X), given.decision_function(K), rtol=1e-12, atol=1e-12
    )


def test_passes_end_as_they_are_said_to() -> None:
    X, codes = examples("integers", cols=5)
    model = DualPerceptron(random_state=0).fit(X, codes)
    walk, passes = transcribed(X @ X.T, codes, max_iter=1000, tol=1e-3)
    assert model.n_iter_ == passes.made < 1000
    np.testing.assert_array_equal(model.alpha_[0], walk.alpha)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("classes", [2, 3])
def test_the_counts_are_the_primal_weights(layout: str, classes: int) -> None:
    """CIML theorem 12; sums of the same 41 products in another order, so nearly the same."""
    X, codes = examples(layout, classes)
    dual = DualPerceptron(max_iter=3, tol=None, random_state=6).fit(X, codes)
    primal = Perceptron(max_iter=3, tol=None, random_state=6).fit(X, codes)
    rows = X[dual.support_]
    tolerance = 1e-4 if X.dtype == np.float32 else 1e-11
    np.testing.assert_allclose(dual.dual_coef_ @ dense(rows), primal.coef_, atol=tolerance)
    np.testing.assert_array_equal(dual.intercept_, primal.intercept_)
    assert dual.n_mistakes_ == primal.n_mistakes_


def test_mit_slide_of_mistake_counts() -> None:
    """MIT 6.034: 5, 3, 9, 1, 4 and 1 mistakes make (-7, -1.9, -7), a tenth of it from (-1, 1, 1).

    The rows are (1, x) and the weights begin at zero on the slide; the run of ten passes begins
    elsewhere, so here its mistakes are counted by `Perceptron` and put together as the slide does.
    """
    X, y = bankruptcy(return_X_y=True)
    walk = transcriptions.Perceptron(X, signs(y), rate=0.1)
    walk.w[:], walk.b = 1.0, -1.0
    passes = make_passes(walk.visit, orders(np.arange(14), "never", 0, 0), 14, max_iter=10, tol=0)
    assert passes.mistakes[-1] == 0
    counts = {tuple(X[i]): walk.mistaken.count(i) for i in set(walk.mistaken)}
    slide = {(0.2, 6): 5, (1.1, 3): 3, (0.2, 3): 9, (0.7, 2): 1, (0.5, 4): 4, (1.7, 1): 1}
    assert counts == slide
    alpha = np.array([counts.get(tuple(x), 0) for x in X])
    rows = np.column_stack([np.ones(14), X])
    np.testing.assert_allclose((alpha * signs(y)) @ rows, [-7, -1.9, -7], atol=1e-13)
    model = Perceptron(eta0=0.1, shuffle="never", n_iter_no_change=1000)
    model.fit(X, y, coef_init=[1, 1], intercept_init=-1)
    assert model.n_mistakes_ == alpha.sum() == 23
