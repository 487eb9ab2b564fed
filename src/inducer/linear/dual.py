"""The dual perceptron."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted

from inducer._core.base import Monitor
from inducer._core.linear import DualPerceptronFit
from inducer.base import progress
from inducer.base.arrays import Array, Labels, check_X
from inducer.base.errors import InputError
from inducer.base.learner import fits
from inducer.base.params import Choice, Domain, Flag, Function, Instance
from inducer.base.random import kernel_seed
from inducer.linear._passes import (
    PASS_PARAMS,
    limited,
    pass_options,
    pass_record,
    warn_unless_converged,
)
from inducer.linear._rule import (
    BLOCK_WORK,
    Rule,
    binary_targets,
    check_examples,
    dense,
    require_finite,
    said,
)

CACHE_BYTES = 200_000_000  # of kernel rows, kept for the next mistake on the same row


class DualPerceptron(Rule):
    """The perceptron as counts of mistakes: rows meet each other through a kernel only.

    Weights that start at zero stay sums of rows, w = sum_n alpha_n y_n x_n, and the perceptron can
    be run on the counts alone. For each row visited::

        a = sum_m alpha_m y_m K(x_m, x_n) + b;    if y_n a <= 0:   alpha_n += 1,   b += y_n

    With the linear kernel it makes the very mistakes of `Perceptron` with the same seed. A visit
    costs O(1), a mistake O(n_samples * cost of the kernel). More than two classes are told apart
    one versus all.

    Parameters
    ----------
    kernel : {"linear", "precomputed"} or callable, default="linear"
        A callable takes two matrices and returns K of each row of the first with each of the
        second. "precomputed": X is the matrix of K itself, in `predict` too, with a column for each
        row of the fit.
    max_iter : int, default=1000
        The most passes over the rows.
    tol : float or None, default=1e-3
        Stop after a clean pass, or when the mean loss of a pass has not fallen by this much for
        ``n_iter_no_change`` passes. None: make exactly ``max_iter`` passes.
    shuffle : {"every", "once", "never"} or bool, default="every"
        Draw a new order for every pass, one order for all, or take the rows as they come.
    fit_intercept : bool, default=True
        Learn b; else it is zero.
    n_iter_no_change : int, default=5
        Passes without progress before the fit stops.
    class_weight : dict, "balanced" or None, default=None
        Factors of the corrections by class.
    random_state : int, Generator, RandomState or None, default=None
        Seed of the order of the rows.

    Attributes
    ----------
    classes_ : array of shape (n_classes,)
        The labels, sorted.
    alpha_ : array of shape (1, n_samples) or (n_classes, n_samples)
        Mistakes by row, each counted with the weight of the row.
    support_ : array of shape (n_support,)
        Rows that were mistaken at least once.
    support_vectors_ : array or CSR matrix of shape (n_support, n_features)
        Those rows; empty for a precomputed kernel.
    dual_coef_ : array of shape (1, n_support) or (n_classes, n_support)
        alpha times the sign of the class, for the support.
    intercept_ : array of shape (1,) or (n_classes,)
        Offsets.
    n_mistakes_ : int
        Corrections made, over all classes.
    n_iter_ : int
        Passes made.
    n_features_in_, feature_names_in_
        What `fit` saw.

    References
    ----------
    MIT 6.034 notes, section 3.5. CIML v0.99, algorithm 30. Aizerman, Braverman and Rozonoer, 1964.

    Examples
    --------
    >>> import numpy as np
    >>> from inducer.linear import DualPerceptron
    >>> X = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
    >>> y = [0, 1, 1, 0]
    >>> model = DualPerceptron(kernel=lambda A, B: (1 + A @ B.T) ** 2, tol=0, random_state=0)
    >>> model = model.fit(X, y)
    >>> model.predict(X).tolist()
    [0, 1, 1, 0]
    """

    params: ClassVar[Mapping[str, Domain]] = {
        **PASS_PARAMS,
        "kernel": Choice("linear", "precomputed") | Function(),
        "fit_intercept": Flag(),
        "class_weight": Choice("balanced") | Instance(dict) | None,
    }

    def __init__(
        self,
        *,
        kernel: str | Callable[[Any, Any], Any] = "linear",
        max_iter: int = 1000,
        tol: float | None = 1e-3,
        shuffle: str | bool = "every",
        fit_intercept: bool = True,
        n_iter_no_change: int = 5,
        class_weight: Any = None,
        random_state: Any = None,
    ) -> None:
        self.kernel = kernel
        self.max_iter = max_iter
        self.tol = tol
        self.shuffle = shuffle
        self.fit_intercept = fit_intercept
        self.n_iter_no_change = n_iter_no_change
        self.class_weight = class_weight
        self.random_state = random_state

    @fits
    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Learn from labelled rows.

        Parameters
        ----------
        X : array, CSR matrix or DataFrame of shape (n_samples, n_features)
        y : array of shape (n_samples,)
        sample_weight : array of shape (n_samples,), optional
            Factors of the rows' corrections.
        """
        matrix, labels, weights = check_examples(self, X, y, sample_weight)
        X = matrix.X
        if self.kernel == "precomputed" and X.shape[0] != X.shape[1]:
            raise InputError(f"A precomputed kernel matrix must be square; X has shape {X.shape}.")
        self.classes_ = labels.classes
        problems = _Problems(self, X, labels, weights)
        progress.run(
            self,
            problems,
            limited(self.max_iter),
            threads=1,
            record=lambda: pass_record(problems.passes),
            fitted=lambda: problems.weights(X),
            X=X,
            y=y,
            sample_weight=weights,
        )
        fitted = problems.weights(X)
        losses = [count.last_loss for count in problems.passes]
        require_finite(self, fitted["alpha_"], fitted["intercept_"], losses)
        for name, value in fitted.items():
            setattr(self, name, value)
        counts = problems.passes
        self.n_iter_ = max(count.made for count in counts)
        self.n_mistakes_ = sum(count.mistakes for count in counts)
        warn_unless_converged(self, sum(count.last_mistakes for count in counts), self.n_iter_)
        return self

    def decision_function(self, X: Any) -> Array:
        """Return sum_m alpha_m y_m K(x_m, x) + b for each row.

        Parameters
        ----------
        X : array, CSR matrix or DataFrame of shape (n_samples, n_features)

        Returns
        -------
        array of shape (n_samples,), or (n_samples, n_classes) with more than two classes
        """
        check_is_fitted(self)
        X = check_X(self, X, reset=False).X
        cost = max(1, len(self.support_) * (1 + X.shape[1]))
        step = max(1, BLOCK_WORK // cost)
        blocks = [self._scores(X[i : i + step]) for i in range(0, X.shape[0], step)]
        return said(self, np.concatenate(blocks))

    def _scores(self, X: Any) -> Array:
        if self.kernel == "precomputed":
            K = dense(X[:, self.support_])
        else:
            K = kernel_values(self.kernel, X, self.support_vectors_)
        with np.errstate(over="ignore", invalid="ignore"):  # refused by `said`
            scores: Array = K.astype(np.float64, copy=False) @ self.dual_coef_.T + self.intercept_
        return scores

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self.kernel == "precomputed"
        return tags


def kernel_values(kernel: Any, A: Any, B: Any) -> Array:
    """Return K of each row of A with each of B, checked."""
    with np.errstate(over="ignore", invalid="ignore"):  # refused below
        values = dense(A @ B.T if kernel == "linear" else kernel(A, B))
    values = np.asarray(values)
    if values.shape != (A.shape[0], B.shape[0]):
        raise InputError(
            f"The kernel returned shape {values.shape} for {A.shape[0]} and {B.shape[0]} rows."
        )
    if not np.all(np.isfinite(values)):
        raise InputError("The kernel returned NaN or infinity. Scale the features first.")
    return values


class _Problems:
    """One dual perceptron a class, and the kernel rows that they ask for."""

    def __init__(
        self, learner: DualPerceptron, X: Any, labels: Labels, weights: NDArray[np.float64] | None
    ) -> None:
        self.kernel, self.X = learner.kernel, X
        self.targets = binary_targets(labels.classes)
        self.codes = labels.codes
        options = pass_options(learner, seed=kernel_seed(learner.random_state))
        self.fits = [
            DualPerceptronFit(
                labels.codes,
                weights,
                positive=target,
                stream=problem,
                fit_intercept=bool(learner.fit_intercept),
                passes=options,
            )
            for problem, target in enumerate(self.targets)
        ]
        self.cached: dict[int, NDArray[np.float64]] = {}
        self.most_cached = max(1, CACHE_BYTES // (8 * X.shape[0]))

    @property
    def passes(self) -> list[Any]:
        """The passes of each problem."""
        return [fit.passes for fit in self.fits]

    def reached(self, passes: int, /) -> bool:
        """Return whether this many passes are made, or all there will be."""
        return all(fit.reached(passes) for fit in self.fits)

    def advance(self, monitor: Monitor, passes: int, threads: int, /) -> None:  # noqa: ARG002
        """Run each problem until it has made its passes, or has used up its part of the slice."""
        for fit in self.fits:
            while not fit.reached(passes):
                row = fit.advance(monitor, passes)
                if row < 0:
                    break
                fit.correct(self.row(row))

    def row(self, i: int) -> NDArray[np.float64]:
        """Return K of row i with all rows."""
        if i not in self.cached:
            if len(self.cached) >= self.most_cached:
                del self.cached[next(iter(self.cached))]  # the oldest
            X = self.X
            if self.kernel == "precomputed":
                values = dense(X[[i]])[0]
            else:
                values = kernel_values(self.kernel, X, X[[i]])[:, 0]
            self.cached[i] = np.ascontiguousarray(values, np.float64)
        return self.cached[i]

    def weights(self, X: Any) -> dict[str, Any]:
        """Return the fitted attributes that the counts so far stand for."""
        alpha = np.stack([fit.alpha for fit in self.fits])
        signs = np.where(self.codes == np.array(self.targets)[:, None], 1.0, -1.0)
        support = np.flatnonzero(alpha.any(axis=0))
        return {
            "alpha_": alpha,
            "support_": support,
            "support_vectors_": X[:0] if self.kernel == "precomputed" else X[support],
            "dual_coef_": (alpha * signs)[:, support],
            "intercept_": np.array([fit.intercept for fit in self.fits]),
        }
