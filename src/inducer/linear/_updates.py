"""Fitting a rule for classes row by row: what the perceptrons and SGD share beside the walk."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.model_selection import StratifiedShuffleSplit

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
from inducer.base.learner import fits, partially_fits
from inducer.base.params import Choice, Domain, Instance
from inducer.linear._passes import warn_unless_converged
from inducer.linear._rule import (
    LinearRule,
    check_examples,
    linear_scores,
    one_a_row,
    winners,
)
from inducer.linear._walks import WALK_PARAMS, State, Walk

CLASS_WALK_PARAMS: Mapping[str, Domain] = {
    **WALK_PARAMS,
    "class_weight": Choice("balanced") | Instance(dict) | None,
}


class ClassWalk(Walk, LinearRule):
    """A linear rule for classes that is corrected row by row."""

    class_weight: Any
    warm_start: bool
    _restarts: ClassVar[bool] = False  # whether a warm start begins schedule and average anew

    def _check(self) -> None:
        """Refuse parameters that do not go together."""

    def _warn(self) -> None:
        """Warn when the passes ran out."""

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
        self._check()
        matrix, labels, weights = check_examples(self, X, y, sample_weight)
        goes_on = self.warm_start and hasattr(self, "coef_")
        if goes_on and not np.array_equal(self.classes_, labels.classes):
            raise InputError(
                f"warm_start: the classes were {self.classes_.tolist()} and now are "
                f"{labels.classes.tolist()}. Fit a fresh learner."
            )
        if goes_on:
            self._require_width(matrix.X.shape[1])
        self.classes_ = labels.classes
        state = self._state(matrix.X, goes_on, coef_init, intercept_init, anew=self._restarts)
        if not goes_on:
            self._begin()
        if self.early_stopping:
            self._fit_held_out(matrix, labels.codes, weights, state)
        else:
            self._run(matrix, labels.codes, weights, state)
        self._warn()
        return self

    @partially_fits
    def partial_fit(
        self,
        X: Any,
        y: ArrayLike,
        classes: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> Self:
        """Make one pass over more rows, from where the last call ended. None are held out.

        Parameters
        ----------
        X, y, sample_weight
            As for `fit`.
        classes : array, optional
            All classes there will ever be; needed in the first call.
        """
        self._check()
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

    def _named(self, targets: Array) -> Array:
        return self.classes_[targets]

    def _split(self, targets: Array) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """Return the rows to fit on and the rows held out, in the same shares of the classes."""
        splitter = StratifiedShuffleSplit(
            test_size=self.validation_fraction, random_state=self._seed % 2**32
        )
        try:
            kept, held = next(splitter.split(targets, targets))
        except ValueError as error:
            raise InputError(f"early_stopping: {error}") from None
        return np.sort(kept), np.sort(held)

    def _score(self, held: Matrix, targets: Array, weights: Any, fitted: Any) -> float:
        """Return the accuracy on held-out rows."""
        scores = linear_scores(held, fitted["coef_"], fitted["intercept_"])
        return float(np.average(winners(one_a_row(scores)) == targets, weights=weights))


class UpdatedRule(ClassWalk):
    """A linear rule that is corrected at each mistake: the perceptrons."""

    params: ClassVar[Mapping[str, Domain]] = CLASS_WALK_PARAMS

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

    def _begin(self) -> None:
        """Draw the key of the random streams; passes and mistakes are counted from here."""
        super()._begin()
        self.n_mistakes_ = 0

    def _judge(self, counts: Sequence[Any]) -> None:
        """Count the mistakes."""
        self.n_mistakes_ += sum(count.mistakes for count in counts)
        self._last_mistakes = sum(count.last_mistakes for count in counts)

    def _warn(self) -> None:
        warn_unless_converged(self, self._last_mistakes, self.n_iter_)

    def _weights(self, state: State) -> dict[str, Array]:
        """Return the fitted attributes that a state stands for."""
        w, b, u, beta, c = (
            state[name] for name in ("coef", "intercept", "coef_sum", "intercept_sum", "visits")
        )
        if u is None:
            return {"coef_": w.copy(), "intercept_": b.copy()}
        with np.errstate(over="ignore", invalid="ignore"):  # refused when the fit ends
            return {"coef_": (w - u / c[:, None]).astype(w.dtype), "intercept_": b - beta / c}
