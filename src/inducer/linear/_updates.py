"""Fitting by correction: what the binary and the multiclass perceptron share.

A subclass names its kernel and how many weight vectors tell its classes apart. Everything else,
from warm starts to the held-out error, is here.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping
from types import SimpleNamespace
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.model_selection import StratifiedShuffleSplit

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
    matrix_of,
)
from inducer.base.errors import InputError
from inducer.base.learner import fits, partially_fits
from inducer.base.params import Choice, Domain, Flag, Instance, Int, Real
from inducer.base.random import kernel_seed
from inducer.linear._passes import (
    PASS_PARAMS,
    limited,
    pass_options,
    pass_record,
    warn_unless_converged,
)
from inducer.linear._rule import (
    LinearRule,
    check_examples,
    in_precision,
    initial_weights,
    linear_scores,
    one_a_row,
    require_finite,
    winners,
)

State = dict[str, Any]


class UpdatedRule(LinearRule):
    """A linear rule that is corrected at each mistake, row by row."""

    params: ClassVar[Mapping[str, Domain]] = {
        **PASS_PARAMS,
        "average": Flag(),
        "fit_intercept": Flag(),
        "eta0": Real(0, closed="()"),
        "early_stopping": Flag(),
        "validation_fraction": Real(0, 1, closed="()"),
        "class_weight": Choice("balanced") | Instance(dict) | None,
        "warm_start": Flag(),
        "n_jobs": Int() | None,
    }

    def __init__(
        self,
        *,
        average: bool = False,
        max_iter: int = 1000,
        tol: float | None = 1e-3,
        shuffle: str | bool = "every",
        fit_intercept: bool = True,
        eta0: float = 1.0,
        early_stopping: bool = False,
        validation_fraction: float = 0.1,
        n_iter_no_change: int = 5,
        class_weight: Any = None,
        warm_start: bool = False,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.average = average
        self.max_iter = max_iter
        self.tol = tol
        self.shuffle = shuffle
        self.fit_intercept = fit_intercept
        self.eta0 = eta0
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.class_weight = class_weight
        self.warm_start = warm_start
        self.n_jobs = n_jobs
        self.random_state = random_state

    _sums: State | None

    @abstractmethod
    def _outputs(self) -> int:
        """Return how many weight vectors tell the classes apart."""

    @abstractmethod
    def _start_kernel(self, X: Any, codes: Any, weights: Any, state: Any, passes: Any) -> Any:
        """Return the kernel's fit, which reads and writes the arrays of the state."""

    @fits
    def fit(
        self,
        X: Any,
        y: ArrayLike,
        coef_init: ArrayLike | None = None,
        intercept_init: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> Self:
        """Learn from labelled rows.

        Parameters
        ----------
        X : array, CSR matrix or DataFrame of shape (n_samples, n_features)
            Finite numbers; float64 and float32 are used as they are.
        y : array of shape (n_samples,)
            Labels of any type.
        coef_init, intercept_init : array, optional
            Where to start, in the shapes of ``coef_`` and ``intercept_``; else at zero.
        sample_weight : array of shape (n_samples,), optional
            Factors of the rows' corrections.
        """
        matrix, labels, weights = check_examples(self, X, y, sample_weight)
        goes_on = self.warm_start and hasattr(self, "coef_")
        if goes_on and not np.array_equal(self.classes_, labels.classes):
            raise InputError(
                f"warm_start: the classes were {self.classes_.tolist()} and now are "
                f"{labels.classes.tolist()}. Fit a fresh learner."
            )
        if goes_on and self.coef_.shape[1] != matrix.X.shape[1]:
            raise InputError(
                f"warm_start: X had {self.coef_.shape[1]} features and now has "
                f"{matrix.X.shape[1]}. Fit a fresh learner."
            )
        self.classes_ = labels.classes
        state = self._state(matrix.X, goes_on, coef_init, intercept_init)
        if not goes_on:
            self._begin()
        if self.early_stopping:
            self._fit_held_out(matrix, labels, weights, state)
        else:
            self._run(matrix, labels.codes, weights, state)
        warn_unless_converged(self, self._last_mistakes, self.n_iter_)
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
        self._learn_classes(classes, first)
        codes = codes_in(y, self.classes_, matrix.X)
        if self.class_weight == "balanced":
            raise InputError(
                "class_weight='balanced' needs all rows at once; give partial_fit the weights "
                "themselves, as a dict of class to weight."
            )
        labels = Labels(self.classes_, codes)
        weights = class_weights(self.class_weight, labels, check_weights(sample_weight, matrix.X))
        state = self._state(matrix.X, not first, None, None)
        if first:
            self._begin()
        self._run(matrix, codes, weights, state, passes=1)
        return self

    def _learn_classes(self, classes: ArrayLike | None, first: bool) -> None:
        if first:
            if classes is None:
                raise InputError("classes: name all classes in the first call of partial_fit.")
            self.classes_ = check_labels(classes, np.atleast_1d(classes), learner=self).classes
        elif classes is not None and not np.array_equal(np.unique(classes), self.classes_):
            raise InputError(
                f"classes: {np.unique(classes).tolist()} are not the {self.classes_.tolist()} "
                "of the first call."
            )

    def _begin(self) -> None:
        """Draw the key of the random streams; passes and mistakes are counted from here."""
        self._seed = kernel_seed(self.random_state)
        self._passes = 0
        self.n_mistakes_ = 0

    def _state(
        self,
        X: Any,
        goes_on: bool,
        coef_init: ArrayLike | None,
        intercept_init: ArrayLike | None,
    ) -> State:
        """Return the arrays that the kernel starts from and writes to."""
        outputs, cols = self._outputs(), X.shape[1]
        counters = self._counters()
        given = coef_init is not None or intercept_init is not None
        if goes_on and self.average and self._sums is not None and not given:
            return {name: array.copy() for name, array in self._sums.items()}
        state: State = {
            "coef": np.zeros((outputs, cols), X.dtype),
            "coef_sum": np.zeros((outputs, cols)) if self.average else None,
            "intercept": np.zeros(outputs),
            "intercept_sum": np.zeros(outputs),
            "visits": np.ones(counters),
        }
        if goes_on:
            state["coef"] = np.array(self.coef_, order="C")
            state["intercept"] = np.array(self.intercept_, np.float64)
            if not given:  # else the average begins anew
                state["visits"] = np.full(counters, self.t_)
        if coef_init is not None:
            state["coef"][:] = initial_weights("coef_init", coef_init, state["coef"])
        if intercept_init is not None:
            state["intercept"][:] = initial_weights(
                "intercept_init", intercept_init, state["intercept"]
            )
        return state

    def _counters(self) -> int:
        """Return how many counts of visits the kernel keeps."""
        return self._outputs()

    def _run(
        self,
        matrix: Matrix,
        codes: NDArray[np.int32],
        weights: NDArray[np.float64] | None,
        state: State,
        *,
        passes: int | None = None,
        stop: Callable[[], bool] | None = None,
    ) -> None:
        """Run the kernel on the state, with callbacks, and read the weights off it."""
        matrix = in_precision(matrix, state["coef"].dtype)
        options = pass_options(self, seed=self._seed, first=self._passes, passes=passes)
        kernel = self._start_kernel(matrix.rows, codes, weights, SimpleNamespace(**state), options)
        progress.run(
            self,
            kernel,
            limited(self.max_iter) if passes is None else passes,
            threads=threads_for(self.n_jobs),
            record=lambda: pass_record(kernel.passes),
            fitted=lambda: self._weights(state),
            stop=stop,
            X=matrix.X,
            y=lambda: self.classes_[codes],
            sample_weight=weights,
        )
        counts = kernel.passes
        require_finite(self, [count.last_loss for count in counts])
        self.n_iter_ = max(count.made for count in counts)
        self.n_mistakes_ += sum(count.mistakes for count in counts)
        self._last_mistakes = sum(count.last_mistakes for count in counts)
        self._passes += self.n_iter_
        self._finish(state)

    def _fit_held_out(
        self,
        matrix: Matrix,
        labels: Labels,
        weights: NDArray[np.float64] | None,
        state: State,
    ) -> None:
        """Fit on a part of the rows; keep the weights that do best on the rest."""
        kept, held = self._split(labels)
        held_out = matrix_of(matrix.X[held])
        held_weights = kept_weights = None
        if weights is not None:
            # To their largest, so that their sum cannot overflow.
            held_weights, kept_weights = weights[held] / weights.max(), weights[kept]
            if not held_weights.any() or not kept_weights.any():
                raise InputError(
                    "early_stopping: the rows to fit on or those held out weigh nothing. Give "
                    "more rows a weight, or choose another validation_fraction or random_state."
                )
        best: State = {}
        best_score, stale = -np.inf, 0

        def worse() -> bool:
            nonlocal best, best_score, stale
            fitted = self._weights(state)
            scores = linear_scores(held_out, fitted["coef_"], fitted["intercept_"])
            right = winners(one_a_row(scores)) == labels.codes[held]
            score = float(np.average(right, weights=held_weights))
            stale = 0 if score > best_score + (self.tol or 0.0) else stale + 1
            if score > best_score:
                best_score = score
                best = {name: None if a is None else a.copy() for name, a in state.items()}
            return self.tol is not None and stale >= self.n_iter_no_change

        self._run(matrix_of(matrix.X[kept]), labels.codes[kept], kept_weights, state, stop=worse)
        self.best_score_ = best_score
        self._finish(best)

    def _split(self, labels: Labels) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """Return the rows to fit on and the rows held out, in the same shares of the classes."""
        splitter = StratifiedShuffleSplit(
            test_size=self.validation_fraction, random_state=self._seed % 2**32
        )
        try:
            kept, held = next(splitter.split(labels.codes, labels.codes))
        except ValueError as error:
            raise InputError(f"early_stopping: {error}") from None
        return np.sort(kept), np.sort(held)

    def _weights(self, state: State) -> dict[str, Array]:
        """Return the fitted attributes that a state stands for."""
        w, b, u, beta, c = (
            state[name] for name in ("coef", "intercept", "coef_sum", "intercept_sum", "visits")
        )
        if u is None:
            return {"coef_": w.copy(), "intercept_": b.copy()}
        with np.errstate(over="ignore", invalid="ignore"):  # refused when the fit ends
            return {"coef_": (w - u / c[:, None]).astype(w.dtype), "intercept_": b - beta / c}

    def _finish(self, state: State) -> None:
        """Set the fitted attributes, and keep what a later call starts from."""
        fitted = self._weights(state)
        require_finite(self, *fitted.values())
        self.coef_, self.intercept_ = fitted["coef_"], fitted["intercept_"]
        self.t_ = float(np.max(state["visits"]))
        self._sums = state if self.average else None
