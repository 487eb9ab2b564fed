"""The voted perceptron."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import SimpleNamespace
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted

from inducer._core.linear import PerceptronFit
from inducer.base import progress
from inducer.base._threads import threads_for
from inducer.base.arrays import Array, check_X
from inducer.base.learner import fits
from inducer.base.params import Choice, Domain, Flag, Instance, Int
from inducer.base.random import kernel_seed
from inducer.linear._passes import (
    PASS_PARAMS,
    limited,
    pass_options,
    pass_record,
    warn_unless_converged,
)
from inducer.linear._rule import (
    Rule,
    binary_targets,
    check_examples,
    dense,
    require_finite,
    said,
)

BLOCK_CELLS = 1 << 22  # of a prediction's largest array: 32 MB


class Voter(NamedTuple):
    """Weights that a voted perceptron went through, and how many rows they outlived."""

    coef: Array
    intercept: float
    votes: float


class VotedPerceptron(Rule):
    """The voted perceptron: every weight vector of the fit votes, as often as it was right.

    The fit is the perceptron's. Weights w(k), b(k) that the k-th mistake made and that then lived
    through c(k) rows, the mistaken one counted, vote with that number::

        prediction = sign( sum_k  c(k) sign(w(k).x + b(k)) )

    It generalises like the averaged perceptron at many times the cost: here the weights are not
    stored, but the mistaken rows they are sums of, and a prediction costs
    O(n_features * rows ever mistaken + mistakes). Use ``Perceptron(average=True)`` for work, and
    this to study. More than two classes are told apart one versus all, by the share of the votes.

    Parameters
    ----------
    max_iter : int, default=10
        The most passes over the rows.
    tol : float or None, default=1e-3
        Stop after a clean pass, or when the mean loss of a pass has not fallen by this much for
        ``n_iter_no_change`` passes. None: make exactly ``max_iter`` passes.
    shuffle : {"every", "once", "never"} or bool, default="every"
        Draw a new order for every pass, one order for all, or take the rows as they come.
    fit_intercept : bool, default=True
        Learn offsets; else they are zero.
    n_iter_no_change : int, default=5
        Passes without progress before the fit stops.
    class_weight : dict, "balanced" or None, default=None
        Factors of the corrections by class.
    n_jobs : int or None, default=None
        Threads, of use with more than two classes. None: `inducer.threads`.
    random_state : int, Generator, RandomState or None, default=None
        Seed of the order of the rows.

    Attributes
    ----------
    classes_ : array of shape (n_classes,)
        The labels, sorted.
    support_ : array of shape (n_support,)
        Rows that were mistaken at least once.
    support_vectors_ : array or CSR matrix of shape (n_support, n_features)
        Those rows.
    mistakes_ : list of array
        For each problem, the place in ``support_`` of each mistake, in order.
    steps_ : list of array
        For each problem and mistake, the weight of the row with the sign of its class.
    votes_ : list of array
        For each problem and mistake, the votes of the weights it made.
    n_mistakes_ : int
        Corrections made, over all classes.
    n_iter_ : int
        Passes made.
    n_features_in_, feature_names_in_
        What `fit` saw.

    References
    ----------
    CIML v0.99, section 4.6. Freund and Schapire, Large margin classification using the perceptron
    algorithm, 1999.

    Examples
    --------
    >>> from inducer.datasets import blobs
    >>> from inducer.linear import VotedPerceptron
    >>> X, y = blobs(n_samples=100, random_state=0, return_X_y=True)
    >>> model = VotedPerceptron(random_state=0).fit(X, y)
    >>> model.score(X, y) > 0.9
    True
    """

    params: ClassVar[Mapping[str, Domain]] = {
        **PASS_PARAMS,
        "fit_intercept": Flag(),
        "class_weight": Choice("balanced") | Instance(dict) | None,
        "n_jobs": Int() | None,
    }

    def __init__(
        self,
        *,
        max_iter: int = 10,
        tol: float | None = 1e-3,
        shuffle: str | bool = "every",
        fit_intercept: bool = True,
        n_iter_no_change: int = 5,
        class_weight: Any = None,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.max_iter = max_iter
        self.tol = tol
        self.shuffle = shuffle
        self.fit_intercept = fit_intercept
        self.n_iter_no_change = n_iter_no_change
        self.class_weight = class_weight
        self.n_jobs = n_jobs
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
        self.classes_ = labels.classes
        targets = binary_targets(labels.classes)
        state = SimpleNamespace(
            coef=np.zeros((len(targets), X.shape[1]), X.dtype),
            coef_sum=None,
            intercept=np.zeros(len(targets)),
            intercept_sum=np.zeros(len(targets)),
            visits=np.ones(len(targets)),
        )
        kernel = PerceptronFit(
            matrix.rows,
            labels.codes,
            weights,
            state,
            classes=len(labels.classes),
            fit_intercept=bool(self.fit_intercept),
            remember=True,
            rate=1.0,
            passes=pass_options(self, seed=kernel_seed(self.random_state)),
        )

        def fitted() -> dict[str, Any]:
            return self._voters(kernel, X, labels.codes, weights, targets, state.visits)

        progress.run(
            self,
            kernel,
            limited(self.max_iter),
            threads=threads_for(self.n_jobs),
            record=lambda: pass_record(kernel.passes),
            fitted=fitted,
            X=X,
            y=y,
            sample_weight=weights,
        )
        losses = [count.last_loss for count in kernel.passes]
        require_finite(self, state.coef, state.intercept, losses)
        for name, value in fitted().items():
            setattr(self, name, value)
        counts = kernel.passes
        self.n_iter_ = max(count.made for count in counts)
        self.n_mistakes_ = sum(count.mistakes for count in counts)
        warn_unless_converged(self, sum(count.last_mistakes for count in counts), self.n_iter_)
        return self

    def _voters(
        self,
        kernel: PerceptronFit,
        X: Any,
        codes: NDArray[np.int32],
        weights: NDArray[np.float64] | None,
        targets: list[int],
        visits: NDArray[np.float64],
    ) -> dict[str, Any]:
        """Return the fitted attributes that the mistakes so far stand for."""
        found = [kernel.mistaken(problem) for problem in range(len(targets))]
        support = np.unique(np.concatenate([rows for rows, _ in found])).astype(np.intp)
        steps = [
            np.where(codes[rows] == target, 1.0, -1.0)
            for (rows, _), target in zip(found, targets, strict=True)
        ]
        if weights is not None:
            steps = [step * weights[rows] for step, (rows, _) in zip(steps, found, strict=True)]
        return {
            "support_": support,
            "support_vectors_": X[support],
            "mistakes_": [np.searchsorted(support, rows) for rows, _ in found],
            "steps_": steps,
            "votes_": [
                np.diff(times, append=end) for (_, times), end in zip(found, visits, strict=True)
            ],
        }

    def decision_function(self, X: Any) -> Array:
        """Return the votes for the positive class less those against, as a share of all votes.

        Parameters
        ----------
        X : array, CSR matrix or DataFrame of shape (n_samples, n_features)

        Returns
        -------
        array of shape (n_samples,), or (n_samples, n_classes) with more than two classes
        """
        check_is_fitted(self)
        X = check_X(self, X, reset=False).X
        most = max(len(self.support_), *(len(rows) for rows in self.mistakes_))
        step = max(1, BLOCK_CELLS // most)
        with np.errstate(over="ignore", invalid="ignore"):  # refused by `said`
            blocks = [self._votes(X[i : i + step]) for i in range(0, X.shape[0], step)]
        return said(self, np.concatenate(blocks))

    def _votes(self, X: Any) -> NDArray[np.float64]:
        products = dense(X @ self.support_vectors_.T).astype(np.float64, copy=False)
        shares = np.empty((X.shape[0], len(self.mistakes_)))
        problems = zip(self.mistakes_, self.steps_, self.votes_, strict=True)
        for k, (places, steps, votes) in enumerate(problems):
            gains = products[:, places]
            if self.fit_intercept:
                gains += 1.0
            gains *= steps
            np.cumsum(gains, axis=1, out=gains)
            shares[:, k] = np.sign(gains) @ votes / votes.sum()
        return shares

    def voters(self, problem: int = 0) -> Iterator[Voter]:
        """Yield all weights of a problem with their votes, from the first mistake's to the last's.

        Parameters
        ----------
        problem : int, default=0
            The place of the positive class in ``classes_``; 0 where there are two classes.
        """
        check_is_fitted(self)
        w = np.zeros(self.n_features_in_, self.support_vectors_.dtype)
        b = 0.0
        for place, step, votes in zip(
            self.mistakes_[problem], self.steps_[problem], self.votes_[problem], strict=True
        ):
            w = w + w.dtype.type(step) * dense(self.support_vectors_[[place]])[0]
            b += step if self.fit_intercept else 0.0
            yield Voter(w, float(b), float(votes))
