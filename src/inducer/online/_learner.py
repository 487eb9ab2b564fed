"""Fitting row by row: what the online linear learners share.

A learner says what an update does (`_rule`) and where the weights begin. Passes, streams of
chunks, classes one versus all, sample weights and callbacks are here.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import RegressorMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from inducer._core.online import OnlineFit, OnlineRule
from inducer.base import progress
from inducer.base._threads import threads_for
from inducer.base.arrays import (
    Array,
    Labels,
    Matrix,
    check_labels,
    check_weights,
    check_X,
    class_weights,
    codes_in,
)
from inducer.base.errors import InputError
from inducer.base.learner import Learner, fits, partially_fits
from inducer.base.params import Choice, Domain, Instance, Int
from inducer.base.random import kernel_seed
from inducer.base.targets import check_numbers
from inducer.base.warn import warn_user
from inducer.linear._passes import PASS_PARAMS, limited, pass_options
from inducer.linear._rule import LinearRule, in_precision, linear_scores, require_finite

State = dict[str, Array]

# For the classes that have a constructor: a table declares what that one takes.
NUMBER_PARAMS: Mapping[str, Domain] = {**PASS_PARAMS, "n_jobs": Int() | None}
CLASS_PARAMS: Mapping[str, Domain] = {
    **NUMBER_PARAMS,
    "class_weight": Choice("balanced") | Instance(dict) | None,
}

SCALARS = 4  # of a problem: visits, peak, total, touched (cpp/src/online/multiplicative.isa.cpp)


class OnlineLearner(Learner):
    """A linear learner that is updated row by row."""

    coef_: Array
    intercept_: Array
    n_updates_: int
    _state: State
    max_iter: int
    tol: float | None
    n_jobs: int | None
    random_state: Any

    @abstractmethod
    def _rule(self, cols: int) -> OnlineRule:
        """Return what an update does."""

    @abstractmethod
    def _outputs(self) -> int:
        """Return how many weight vectors there are."""

    def _check_features(self, matrix: Matrix) -> None:
        """Refuse rows that this learner cannot learn from."""

    def _fresh(self, outputs: int, cols: int, width: int, dtype: Any) -> State:
        """Return the arrays that a fit from nothing begins with."""
        return {
            "coef": np.zeros((outputs, cols), dtype),
            "memory": np.zeros((outputs, cols, width)),
            "intercept": np.zeros(outputs),
            "intercept_memory": np.zeros((outputs, width)),
            "scalars": np.tile([1.0, 0.0, 0.0, 0.0], (outputs, 1)),
        }

    def _weights(self, state: State) -> dict[str, Array]:
        """Return the fitted attributes that a state stands for."""
        return {"coef_": state["coef"].copy(), "intercept_": state["intercept"].copy()}

    def _learn(
        self,
        matrix: Matrix,
        codes: NDArray[np.int32],
        targets: NDArray[np.float64] | None,
        weights: NDArray[np.float64] | None,
        *,
        goes_on: bool,
        passes: int | None,
    ) -> None:
        """Run the kernel, from where it was left or from nothing."""
        self._check_features(matrix)
        cols = matrix.X.shape[1]
        rule = self._rule(cols)
        if goes_on:
            state = {name: array.copy() for name, array in self._state.items()}
        else:
            state = self._fresh(self._outputs(), cols, rule.memory_width, matrix.X.dtype)
            self._seed = kernel_seed(self.random_state)
            self._passes = 0
            self.n_updates_ = 0
        matrix = in_precision(matrix, state["coef"].dtype)
        kernel = OnlineFit(
            matrix.rows,
            codes,
            targets,
            weights,
            SimpleNamespace(**state),
            classes=2 if targets is not None else len(self.classes_),
            rule=rule,
            passes=pass_options(self, seed=self._seed, first=self._passes, passes=passes),
        )
        progress.run(
            self,
            kernel,
            limited(self.max_iter) if passes is None else passes,
            threads=threads_for(self.n_jobs),
            record=lambda: {
                "updates": sum(count.last_mistakes for count in kernel.passes),
                "loss": sum(count.last_loss for count in kernel.passes),
            },
            fitted=lambda: self._shaped(self._weights(state)),
            X=matrix.X,
            y=lambda: self._said(codes) if targets is None else targets,
            sample_weight=weights,
        )
        counts = kernel.passes
        fitted = self._shaped(self._weights(state))
        loss = sum(count.last_loss for count in counts)
        require_finite(self, loss, *state.values(), *fitted.values())
        self.n_iter_ = max(count.made for count in counts)
        self._passes += self.n_iter_
        self._last_updates = sum(count.last_mistakes for count in counts)
        self.n_updates_ += sum(count.mistakes for count in counts)
        self.progressive_loss_ = loss
        self.t_ = float(np.max(state["scalars"][:, 0]))
        self.coef_, self.intercept_ = fitted["coef_"], fitted["intercept_"]
        self._state = state

    def _warn_unless_settled(self) -> None:
        """Warn when a tolerance was asked for and the passes ran out before it was met."""
        if self.tol is None or self.n_iter_ < self.max_iter or self._last_updates == 0:
            return
        warn_user(
            f"{type(self).__name__} made all {self.n_iter_} passes of max_iter, the last with "
            f"{self._last_updates} updates and a mean loss of {self.progressive_loss_:.6g}. Raise "
            "max_iter, scale the features, or set tol=None if this many passes is what you want.",
            ConvergenceWarning,
        )

    def _shaped(self, fitted: dict[str, Array]) -> dict[str, Array]:
        """Return the fitted attributes in the shapes that users see."""
        return fitted

    def _said(self, codes: NDArray[np.int32]) -> Array:
        raise NotImplementedError


class OnlineClassifier(LinearRule, OnlineLearner):
    """An online learner of classes: one weight vector for two, else one a class."""

    class_weight: Any

    def _outputs(self) -> int:
        return 1 if len(self.classes_) == 2 else len(self.classes_)

    def _said(self, codes: NDArray[np.int32]) -> Array:
        labels: Array = self.classes_[codes]
        return labels

    @fits
    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Learn from labelled rows, in passes.

        Parameters
        ----------
        X : array, CSR matrix or DataFrame of shape (n_samples, n_features)
            Finite numbers; float64 and float32 are used as they are.
        y : array of shape (n_samples,)
            Labels of any type.
        sample_weight : array of shape (n_samples,), optional
            Factors of the rows' updates.
        """
        matrix = check_X(self, X, reset=True, y=y)
        labels = check_labels(y, matrix.X, learner=self)
        weights = check_weights(sample_weight, matrix.X)
        weights = class_weights(self.class_weight, labels, weights)
        self.classes_ = labels.classes
        self._learn(matrix, labels.codes, None, weights, goes_on=False, passes=None)
        self._warn_unless_settled()
        return self

    @partially_fits
    def partial_fit(
        self,
        X: Any,
        y: ArrayLike,
        classes: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> Self:
        """Make one pass over more rows, from where the last call ended.

        Parameters
        ----------
        X, y, sample_weight
            As for `fit`.
        classes : array, optional
            All classes there will ever be; needed in the first call.
        """
        first = not hasattr(self, "coef_")
        matrix = check_X(self, X, reset=first, y=y)
        if first:
            if classes is None:
                raise InputError("classes: name all classes in the first call of partial_fit.")
            self.classes_ = check_labels(classes, np.atleast_1d(classes), learner=self).classes
        elif classes is not None and not np.array_equal(np.unique(classes), self.classes_):
            raise InputError(
                f"classes: {np.unique(classes).tolist()} are not the {self.classes_.tolist()} "
                "of the first call."
            )
        codes = codes_in(y, self.classes_, matrix.X)
        if self.class_weight == "balanced":
            raise InputError(
                "class_weight='balanced' needs all rows at once; give partial_fit the weights "
                "themselves, as a dict of class to weight."
            )
        labels = Labels(self.classes_, codes)
        weights = class_weights(self.class_weight, labels, check_weights(sample_weight, matrix.X))
        self._learn(matrix, codes, None, weights, goes_on=not first, passes=1)
        return self


class OnlineRegressor(RegressorMixin, OnlineLearner):
    """An online learner of numbers."""

    def _outputs(self) -> int:
        return 1

    def _shaped(self, fitted: dict[str, Array]) -> dict[str, Array]:
        return {**fitted, "coef_": fitted["coef_"][0]}

    @fits
    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Learn from rows and numbers, in passes.

        Parameters
        ----------
        X : array, CSR matrix or DataFrame of shape (n_samples, n_features)
            Finite numbers; float64 and float32 are used as they are.
        y : array of shape (n_samples,)
            Finite numbers.
        sample_weight : array of shape (n_samples,), optional
            Factors of the rows' updates.
        """
        matrix = check_X(self, X, reset=True, y=y)
        self._learn_numbers(matrix, y, sample_weight, goes_on=False, passes=None)
        self._warn_unless_settled()
        return self

    @partially_fits
    def partial_fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Make one pass over more rows, from where the last call ended.

        Parameters
        ----------
        X, y, sample_weight
            As for `fit`.
        """
        first = not hasattr(self, "coef_")
        matrix = check_X(self, X, reset=first, y=y)
        self._learn_numbers(matrix, y, sample_weight, goes_on=not first, passes=1)
        return self

    def _learn_numbers(
        self, matrix: Matrix, y: Any, sample_weight: Any, *, goes_on: bool, passes: int | None
    ) -> None:
        targets = check_numbers(y, matrix.X)
        weights = check_weights(sample_weight, matrix.X)
        none = np.zeros(len(targets), np.int32)
        self._learn(matrix, none, targets, weights, goes_on=goes_on, passes=passes)

    def predict(self, X: Any) -> Array:
        """Return the predicted number of each row.

        Parameters
        ----------
        X : array, CSR matrix or DataFrame of shape (n_samples, n_features)
        """
        check_is_fitted(self)
        scores = linear_scores(check_X(self, X, reset=False), self.coef_[None], self.intercept_)
        found: Array = scores[:, 0]
        if not np.all(np.isfinite(found)):
            row = int(np.argmin(np.isfinite(found)))
            raise InputError(
                f"The prediction for row {row} overflowed: its features are too large to be "
                "multiplied and added. Scale the features first, in `fit` too."
            )
        return found

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags
