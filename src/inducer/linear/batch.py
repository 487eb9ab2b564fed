"""The batch perceptron."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from inducer._core.linear import sum_mistakes
from inducer.base import progress
from inducer.base._threads import threads
from inducer.base.arrays import Matrix
from inducer.base.blocks import RowBlocks, reduce_blocks
from inducer.base.learner import fits
from inducer.base.params import Choice, Domain, Flag, Instance, Int, Real
from inducer.linear._passes import limited, warn_unless_converged
from inducer.linear._rule import (
    LinearRule,
    binary_targets,
    check_examples,
    initial_weights,
    require_finite,
)


class BatchPerceptron(LinearRule):
    """The off-line perceptron: one step a pass, along the sum of all mistakes.

    With y = +1 for ``classes_[1]`` and -1 for ``classes_[0]``, each pass makes the step::

        w += eta0 sum y_n x_n,   b += eta0 sum y_n      over the rows where y_n (w.x_n + b) <= 0

    which is gradient descent on sum_n max(0, -y_n (w.x_n + b)). The order of the rows does not
    matter, and a pass is a sum over blocks of rows, shared among the threads. On separable data it
    ends with a clean pass; elsewhere with ``tol``, and of all weights there were it keeps those
    with the least mistakes, by weight. More than two classes are told apart one versus
    all.

    Parameters
    ----------
    eta0 : float, default=1.0
        Rate. From zero weights it changes their length, and nothing else.
    max_iter : int, default=1000
        The most passes.
    tol : float or None, default=1e-3
        Stop after a clean pass, or when the share of mistakes has not fallen by this much for
        ``n_iter_no_change`` passes. None: make exactly ``max_iter`` passes.
    n_iter_no_change : int, default=50
        Passes without progress before the fit stops.
    fit_intercept : bool, default=True
        Learn b; else it is zero.
    class_weight : dict, "balanced" or None, default=None
        Factors of the rows' losses by class.

    Attributes
    ----------
    classes_ : array of shape (n_classes,)
        The labels, sorted.
    coef_ : array of shape (1, n_features) or (n_classes, n_features)
        Weights.
    intercept_ : array of shape (1,) or (n_classes,)
        Offsets.
    n_iter_ : int
        Passes made.
    n_mistakes_ : int
        Mistakes of the kept weights on the training rows, over all problems.
    loss_ : float
        Their mean loss, summed over the problems.
    n_features_in_, feature_names_in_
        What `fit` saw.

    References
    ----------
    MIT 6.034 notes, section 3.5.

    Examples
    --------
    >>> from inducer.datasets import blobs
    >>> from inducer.linear import BatchPerceptron
    >>> X, y = blobs(n_samples=100, random_state=0, return_X_y=True)
    >>> BatchPerceptron().fit(X, y).score(X, y) > 0.9
    True
    """

    params: ClassVar[Mapping[str, Domain]] = {
        "eta0": Real(0, closed="()"),
        "max_iter": Int(1),
        "tol": Real(0) | None,
        "n_iter_no_change": Int(1),
        "fit_intercept": Flag(),
        "class_weight": Choice("balanced") | Instance(dict) | None,
    }

    def __init__(
        self,
        *,
        eta0: float = 1.0,
        max_iter: int = 1000,
        tol: float | None = 1e-3,
        n_iter_no_change: int = 50,
        fit_intercept: bool = True,
        class_weight: Any = None,
    ) -> None:
        self.eta0 = eta0
        self.max_iter = max_iter
        self.tol = tol
        self.n_iter_no_change = n_iter_no_change
        self.fit_intercept = fit_intercept
        self.class_weight = class_weight

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
        y : array of shape (n_samples,)
        coef_init, intercept_init : array, optional
            Where to start, in the shapes of ``coef_`` and ``intercept_``: the weights of a least
            squares fit to -1 and 1, for example. Else at zero.
        sample_weight : array of shape (n_samples,), optional
            Factors of the rows' losses.
        """
        matrix, labels, weights = check_examples(self, X, y, sample_weight)
        self.classes_ = labels.classes
        with np.errstate(over="ignore", invalid="ignore"):  # refused when the fit ends
            descent = _Descent(self, matrix, labels.codes, weights)
            if coef_init is not None:
                descent.coef[:] = initial_weights("coef_init", coef_init, descent.coef)
            if intercept_init is not None:
                descent.intercept[:] = initial_weights(
                    "intercept_init", intercept_init, descent.intercept
                )
            progress.run(
                self,
                descent,
                limited(self.max_iter),
                threads=threads(),
                record=descent.record,
                fitted=descent.fitted,
                X=matrix.X,
                y=y,
                sample_weight=weights,
            )
            walked = descent.coef.astype(descent.dtype)
        require_finite(self, walked, descent.intercept, descent.best, descent.total)
        for name, value in descent.fitted().items():
            setattr(self, name, value)
        self.n_iter_ = descent.passes
        if not descent.settled:
            warn_unless_converged(self, self.n_mistakes_, self.n_iter_)
        return self


class _Mistakes(NamedTuple):
    """What the weights get wrong in some rows, problem by problem: the statistics of a block."""

    sums: NDArray[np.float64]  # of weight * y * (x, 1) over the mistakes
    totals: NDArray[np.float64]  # their number, weight and loss

    def merge(self, other: _Mistakes) -> _Mistakes:
        return _Mistakes(self.sums + other.sums, self.totals + other.totals)


class _Descent:
    """The passes of a fit, as `progress.run` takes them."""

    def __init__(
        self,
        learner: BatchPerceptron,
        matrix: Matrix,
        codes: NDArray[np.int32],
        weights: NDArray[np.float64] | None,
    ) -> None:
        self.learner = learner
        X = matrix.X
        self.rows, self.codes, self.row_weights = matrix.rows, codes, weights
        self.dtype = X.dtype
        self.targets = binary_targets(learner.classes_)
        problems = len(self.targets)
        self.coef, self.intercept = np.zeros((problems, X.shape[1])), np.zeros(problems)
        self.best_coef, self.best_intercept = self.coef.copy(), self.intercept.copy()
        self.best = np.full((problems, 3), np.inf)  # number, weight and loss of the mistakes
        self.stale = np.zeros(problems, np.int64)
        self.total = float(X.shape[0]) if weights is None else float(weights.sum())
        self.blocks = RowBlocks(X.shape[0], float(X.shape[1] * problems))
        self.passes = 0
        self.found: _Mistakes | None = None

    def reached(self, passes: int, /) -> bool:
        """Return whether this many passes are made, or all there will be."""
        return self.passes >= passes or self.settled

    @property
    def settled(self) -> bool:
        """Whether every problem is clean, or has seen no progress for long."""
        clean, patience = self.best[:, 0] == 0, self.learner.n_iter_no_change
        return self.learner.tol is not None and bool(np.all(clean | (self.stale >= patience)))

    def advance(self, monitor: Any, passes: int, threads: int, /) -> None:  # noqa: ARG002
        """Make one pass: take the step that the last one found, and judge where it leads."""
        sums = (self.found or self.judge()).sums
        self.coef += self.learner.eta0 * sums[:, :-1]
        if self.learner.fit_intercept:
            self.intercept += self.learner.eta0 * sums[:, -1]
        self.judge()
        self.passes += 1

    def judge(self) -> _Mistakes:
        """Return what the weights get wrong; keep those that are the best so far."""
        self.found = found = reduce_blocks(self.blocks, self._statistics(), _Mistakes.merge)
        weight, best = found.totals[:, 1], self.best[:, 1]
        progressed = weight < best - (self.learner.tol or 0.0) * self.total
        self.stale = np.where(progressed, 0, self.stale + 1)
        better = weight < best
        self.best[better] = found.totals[better]
        self.best_coef[better] = self.coef[better]
        self.best_intercept[better] = self.intercept[better]
        return found

    def record(self) -> progress.Record:
        """Return what the last pass found, for callbacks."""
        number, _, loss = (self.found or self.judge()).totals.sum(axis=0)
        return {"mistakes": int(number), "loss": loss / self.total}

    def fitted(self) -> dict[str, Any]:
        """Return the fitted attributes as they are now."""
        number, _, loss = self.best.sum(axis=0)
        return {
            "coef_": self.best_coef.astype(self.dtype),
            "intercept_": self.best_intercept.copy(),
            "n_mistakes_": int(number),
            "loss_": float(loss / self.total),
        }

    def _statistics(self) -> Callable[[slice], _Mistakes]:
        """Return the function from a block of rows to what is wrong in it."""
        coef = self.coef.astype(self.dtype)

        def statistics(block: slice) -> _Mistakes:
            sums, totals = np.empty((len(coef), coef.shape[1] + 1)), np.empty((len(coef), 3))
            for k, target in enumerate(self.targets):
                sums[k, :-1], sums[k, -1], *totals[k] = sum_mistakes(
                    self.rows,
                    self.codes,
                    target,
                    self.row_weights,
                    coef[k],
                    float(self.intercept[k]),
                    block.start,
                    block.stop,
                )
            return _Mistakes(sums, totals)

        return statistics
