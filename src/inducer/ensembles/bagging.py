"""One learner on many draws of the rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import is_classifier
from sklearn.metrics import accuracy_score, r2_score
from sklearn.utils import _safe_indexing

from inducer.base.arrays import Array
from inducer.base.errors import InputError, ParameterError
from inducer.base.learner import fits_members
from inducer.base.params import Domain, Flag, Int, Real, Seed
from inducer.base.random import seed_sequence
from inducer.ensembles._members import (
    MOST,
    Estimator,
    classifies,
    fit_member,
    seeded,
    takes_weights,
    work,
)
from inducer.ensembles._votes import VOTE_PARAMS, Voters, middle
from inducer.trees import DecisionTreeClassifier


class Bagging(Voters):
    """Bagging: one learner on many bootstrap draws of the rows, and a vote.

    Each member learns from N rows that are drawn with replacement from the N there are, as if they
    were fresh ones. The mean of M members with variance s^2 and correlation c has the variance
    ``c s^2 + (1 - c) s^2 / M``: learners that vary much with their rows gain much, deep trees say,
    and steady ones nothing. A row is absent from a draw with probability (1 - 1/N)^N, which is
    about 1/e; the members that never saw it tell what the bag makes of fresh rows, without any set
    aside (``oob_score``).

    A row drawn twice is a row of weight two where the learner takes sample weights, and there
    twice where not. Rows with sample weights are drawn with chances in proportion. A member whose
    draw holds one class only says that class.

    Parameters
    ----------
    estimator : estimator or None, default=None
        The learner, a classifier or a regressor. None:
        `inducer.trees.DecisionTreeClassifier`.
    n_estimators : int, default=10
        How many members there are.
    voting : {"hard", "soft"}, default="hard"
        What classifiers vote with: their prediction, or their probabilities.
    average : {"mean", "median"}, default="mean"
        What becomes of regressors' predictions.
    max_samples : int or float, default=1.0
        Rows in a draw, or their share.
    max_features : int or float, default=1.0
        Columns that a member sees, or their share.
    bootstrap : bool, default=True
        Draw rows with replacement.
    bootstrap_features : bool, default=False
        Draw columns with replacement.
    oob_score : bool, default=False
        Ask each row's absent members for it.
    n_jobs : int or None, default=None
        How many members are fitted at a time, by joblib. None: `inducer.threads`.
    random_state : int, Generator, RandomState or None, default=None
        Seed of the draws, and of the members whose own ``random_state`` is None. The same seed
        gives the same bits, whatever ``n_jobs``.

    Attributes
    ----------
    estimators_ : list of estimator
        The fitted members.
    estimators_features_ : list of array
        The columns that each member sees.
    oob_score_ : float
        Accuracy or R^2 over the rows that were absent at least once, if asked for.
    oob_decision_function_ : array of shape (n_samples, n_classes)
        For classes: the shares of the votes of the absent members; NaN for rows without.
    oob_prediction_ : array of shape (n_samples,)
        For numbers: their mean or median.
    classes_ : array of shape (n_classes,)
        The labels, sorted; of classifiers only.
    n_features_in_, feature_names_in_
        What `fit` saw.

    See Also
    --------
    Voting : Different learners on the same rows.

    References
    ----------
    CIML v0.99, section 13.1. Breiman, Bagging predictors, 1996.

    Examples
    --------
    >>> from inducer.datasets import blobs
    >>> from inducer.ensembles import Bagging
    >>> from inducer.trees import DecisionTreeClassifier
    >>> X, y = blobs(n_samples=100, random_state=0, return_X_y=True)
    >>> model = Bagging(DecisionTreeClassifier(), 25, oob_score=True, random_state=0)
    >>> model.fit(X, y).oob_score_ > 0.8
    True
    """

    params: ClassVar[Mapping[str, Domain]] = {
        **VOTE_PARAMS,
        "estimator": Estimator() | None,
        "n_estimators": Int(1, MOST),
        "max_samples": Int(1) | Real(0, 1, "(]"),
        "max_features": Int(1) | Real(0, 1, "(]"),
        "bootstrap": Flag(),
        "bootstrap_features": Flag(),
        "oob_score": Flag(),
        "n_jobs": Int() | None,
        "random_state": Seed() | None,
    }

    def __init__(
        self,
        estimator: Any = None,
        n_estimators: int = 10,
        *,
        voting: str = "hard",
        average: str = "mean",
        max_samples: float = 1.0,
        max_features: float = 1.0,
        bootstrap: bool = True,
        bootstrap_features: bool = False,
        oob_score: bool = False,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.voting = voting
        self.average = average
        self.max_samples = max_samples
        self.max_features = max_features
        self.bootstrap = bootstrap
        self.bootstrap_features = bootstrap_features
        self.oob_score = oob_score
        self.n_jobs = n_jobs
        self.random_state = random_state

    @fits_members
    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Fit each member to a draw of its own.

        Parameters
        ----------
        X : array, sparse matrix or DataFrame of shape (n_samples, n_features)
            What the learner takes.
        y : array of shape (n_samples,)
            Labels of any type, or numbers for regressors.
        sample_weight : array of shape (n_samples,), optional
            Rows are drawn with chances in proportion.
        """
        (prototype,) = self._prototypes()
        classes = classifies(self, [prototype])
        if classes:
            self._check_voting([prototype])
        X, targets, codes, weights = self._examples(X, y, sample_weight, classes=classes)
        rows, cols = X.shape
        self._drawn = rows, _number(self.max_samples, rows), bool(self.bootstrap), weights
        seen = _number(self.max_features, cols)
        self._check_draws(cols, seen)
        seeds = seed_sequence(self.random_state).spawn(int(self.n_estimators))
        self._draws = [int(seed.generate_state(1, np.uint64)[0]) for seed in seeds]
        members = [seeded(prototype, seed.spawn(1)[0]) for seed in seeds]
        everything = not self.bootstrap_features and seen == cols
        self.estimators_features_ = [
            np.arange(cols)
            if everything
            else np.random.default_rng(seed.spawn(1)[0]).choice(
                cols, seen, replace=bool(self.bootstrap_features)
            )
            for seed in seeds
        ]
        self._all_columns = everything
        tasks = [(member, k, X, targets) for k, member in enumerate(members)]
        self.estimators_ = work(
            self,
            self._fit_one,
            tasks,
            fitted=lambda done: {"estimators_": list(done)},
            X=X,
            y=targets,
            sample_weight=weights,
        )
        made = len(self.estimators_)  # fewer than asked for, if a callback has seen enough
        self.estimators_features_ = self.estimators_features_[:made]
        for name in ("oob_score_", "oob_decision_function_", "oob_prediction_"):
            self.__dict__.pop(name, None)
        if self.oob_score:
            self._ask_the_absent(X, targets, codes)
        return self

    @property
    def estimators_samples_(self) -> list[NDArray[np.int64]]:
        """The rows that each member learned from, with repeats, drawn again from their seeds."""
        return [self._draw(k) for k in range(len(self.estimators_))]

    def _draw(self, number: int) -> NDArray[np.int64]:
        """Return a member's rows; equal weights draw as none do."""
        rows, size, again, weights = self._drawn
        rng = np.random.default_rng(self._draws[number])
        chances = np.ones(rows) if weights is None else weights
        if again:
            upto = np.cumsum(chances)
            at = rng.random(size) * upto[-1]
            drawn = np.searchsorted(upto, at, side="right").astype(np.int64)
            # A product rounded up to the sum would be past the last row.
            rows_drawn: NDArray[np.int64] = np.minimum(drawn, np.flatnonzero(chances)[-1])
            return rows_drawn
        # Without replacement: the largest of u^(1/w), the smallest of exponential times.
        with np.errstate(divide="ignore"):
            times = rng.exponential(size=rows) / chances
        drawn = np.argsort(times, kind="stable")[:size].astype(np.int64)
        return np.sort(drawn)

    def _fit_one(self, member: Any, number: int, X: Any, y: Array) -> Any:
        """Fit a member to its draw: distinct rows with counts if it takes weights."""
        drawn = self._draw(number)
        weights = None
        if takes_weights(member):
            counts = np.bincount(drawn, minlength=X.shape[0])
            drawn = np.flatnonzero(counts)
            weights = counts[drawn].astype(np.float64)
            weights = None if np.all(weights == 1) else weights
        part = self._seen(number, X)
        part = part if len(drawn) == X.shape[0] and weights is None else _safe_indexing(part, drawn)
        return fit_member(member, part, y[drawn], weights, getattr(self, "classes_", None))

    def _seen(self, number: int, X: Any) -> Any:
        columns = self.estimators_features_[number]
        return X if self._all_columns else _safe_indexing(X, columns, axis=1)

    def _prototypes(self) -> Sequence[Any]:
        return [DecisionTreeClassifier() if self.estimator is None else self.estimator]

    def _check_draws(self, cols: int, seen: int) -> None:
        """Refuse draws without replacement that are larger than what there is."""
        rows, size, again, weights = self._drawn
        there = rows if weights is None else int(np.count_nonzero(weights))
        if not again and size > there:
            raise InputError(
                f"max_samples={self.max_samples!r} asks for {size} rows of {there} without "
                "replacement: take fewer, or bootstrap=True."
            )
        if not self.bootstrap_features and seen > cols:
            raise InputError(
                f"max_features={self.max_features!r} asks for {seen} columns of {cols} without "
                "replacement: take fewer, or bootstrap_features=True."
            )
        if self.oob_score and not again and size == there:
            raise ParameterError(
                "oob_score=True, but every member sees all rows: take bootstrap=True, or fewer "
                "max_samples."
            )

    def _ask_the_absent(self, X: Any, y: Array, codes: NDArray[np.int32] | None) -> None:
        """Set the predictions and the score that members have on rows that they never saw."""
        rows = X.shape[0]
        weights = self._drawn[3]
        said = np.full((rows, len(self.estimators_)), np.nan)
        votes = np.zeros((rows, len(self.classes_))) if codes is not None else None
        for number, member in enumerate(self.estimators_):
            absent = np.flatnonzero(np.bincount(self._draw(number), minlength=rows) == 0)
            if not len(absent):
                continue
            part = _safe_indexing(self._seen(number, X), absent)
            if votes is None:
                said[absent, number] = member.predict(part)
            else:
                votes[absent] += self._shares([(number, part)], len(absent), self._voices())
        if votes is not None:
            told = votes.sum(axis=1) > 0
            shares = np.full_like(votes, np.nan)
            shares[told] = votes[told] / votes[told].sum(axis=1, keepdims=True)
            self.oob_decision_function_ = shares
            found: Array = self.classes_[np.argmax(votes, axis=1)]
        else:
            heard = ~np.isnan(said)
            told = heard.any(axis=1)
            found = np.full(rows, np.nan)
            for row in np.flatnonzero(told):
                numbers = said[row, heard[row]]
                found[row] = middle(numbers[None], np.ones(len(numbers)), self.average)[0]
            self.oob_prediction_ = found
        measure = accuracy_score if is_classifier(self) else r2_score
        self.oob_score_ = (
            float(
                measure(
                    y[told], found[told], sample_weight=None if weights is None else weights[told]
                )
            )
            if np.any(told)
            else float("nan")
        )


def _number(wanted: Any, there: int) -> int:
    """Return a number, or the number that a share stands for: at least one."""
    return max(1, int(wanted * there)) if isinstance(wanted, float) else int(wanted)
