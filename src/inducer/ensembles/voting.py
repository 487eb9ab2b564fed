"""A vote of different learners."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from inducer.base.errors import ParameterError
from inducer.base.learner import fits_members
from inducer.base.params import ArrayLike as ArrayDomain
from inducer.base.params import Domain, Instance, Int, Seed
from inducer.base.random import seed_sequence
from inducer.ensembles._ensemble import Composed
from inducer.ensembles._members import (
    classifies,
    fit_member,
    named,
    require_weights,
    seeded,
    work,
)
from inducer.ensembles._votes import VOTE_PARAMS, Voters


class Voting(Voters, Composed):
    """A vote of different learners: they seldom make the same mistakes.

    Each member learns from all rows. Classifiers vote, for the class they predict ("hard") or with
    their probabilities ("soft"); of classes with equal votes the first wins. Of regressors' numbers
    the mean or the median is taken. M members that are wrong independently, each with probability
    p < 1/2, are outvoted by their wrong ones with a probability that falls exponentially in M;
    members that are wrong on the same rows gain nothing.

    Parameters
    ----------
    estimators : list of (str, estimator) or None, default=None
        Names and learners, all classifiers or all regressors. None: logistic regression, least
        squares and the averaged perceptron.
    voting : {"hard", "soft"}, default="hard"
        What classifiers vote with: their prediction, or their probabilities.
    average : {"mean", "median"}, default="mean"
        What becomes of regressors' predictions.
    weights : array of shape (n_estimators,) or None, default=None
        How much each vote counts. None: all the same.
    n_jobs : int or None, default=None
        How many members are fitted at a time, by joblib. None: `inducer.threads`.
    random_state : int, Generator, RandomState or None, default=None
        Seeds of those members whose own ``random_state`` is None.

    Attributes
    ----------
    estimators_ : list of estimator
        The fitted members.
    named_estimators_ : dict of str to estimator
        The same by name.
    classes_ : array of shape (n_classes,)
        The labels, sorted; of classifiers only.
    n_features_in_, feature_names_in_
        What `fit` saw.

    See Also
    --------
    Bagging : One learner on many draws of the rows.
    Stacking : Learns how much to believe each member.

    References
    ----------
    CIML v0.99, section 13.1.

    Examples
    --------
    >>> from inducer.datasets import blobs
    >>> from inducer.ensembles import Voting
    >>> from inducer.linear import LinearSVC, LogisticRegression, Perceptron
    >>> X, y = blobs(n_samples=100, random_state=0, return_X_y=True)
    >>> members = [("a", LogisticRegression()), ("b", LinearSVC()), ("c", Perceptron(average=True))]
    >>> model = Voting(members, random_state=0).fit(X, y)
    >>> model.score(X, y) > 0.9
    True
    """

    params: ClassVar[Mapping[str, Domain]] = {
        **VOTE_PARAMS,
        "estimators": Instance(list, tuple) | None,
        "weights": ArrayDomain() | None,
        "n_jobs": Int() | None,
        "random_state": Seed() | None,
    }

    def __init__(
        self,
        estimators: Any = None,
        *,
        voting: str = "hard",
        average: str = "mean",
        weights: Any = None,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.estimators = estimators
        self.voting = voting
        self.average = average
        self.weights = weights
        self.n_jobs = n_jobs
        self.random_state = random_state

    @fits_members
    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Fit all members to all rows.

        Parameters
        ----------
        X : array, sparse matrix or DataFrame of shape (n_samples, n_features)
            What the members take.
        y : array of shape (n_samples,)
            Labels of any type, or numbers for regressors.
        sample_weight : array of shape (n_samples,), optional
            Weights of the rows, if all members take them.
        """
        pairs = named(self, self.estimators)
        prototypes = [one for _, one in pairs]
        classes = classifies(self, prototypes)
        if classes:
            self._check_voting(prototypes)
        voices = np.ones(len(pairs)) if self.weights is None else _voices(self.weights, len(pairs))
        if sample_weight is not None:
            require_weights(self, prototypes, "was given")
        X, targets, _, weights = self._examples(X, y, sample_weight, classes=classes)
        seeds = seed_sequence(self.random_state).spawn(len(pairs))
        known = self.classes_ if classes else None
        tasks = [
            (seeded(one, seed), X, targets, weights, known)
            for one, seed in zip(prototypes, seeds, strict=True)
        ]
        members = work(
            self,
            fit_member,
            tasks,
            fitted=lambda done: {"estimators_": list(done), "_voice": voices[: len(done)]},
            X=X,
            y=targets,
            sample_weight=weights,
        )
        self.estimators_ = members
        self.named_estimators_ = dict(zip((name for name, _ in pairs), members, strict=False))
        self._voice = voices[: len(members)]
        return self

    def _seen(self, number: int, X: Any) -> Any:  # noqa: ARG002 (all see all columns)
        return X

    def _voices(self) -> NDArray[np.float64]:
        return self._voice


def _voices(given: Any, number: int) -> NDArray[np.float64]:
    """Return the weights of the votes as numbers."""
    try:
        voices = np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError):
        voices = np.empty(0)
    sound = voices.shape == (number,) and np.all(np.isfinite(voices)) and np.all(voices >= 0)
    if not sound or voices.sum() == 0:
        raise ParameterError(
            f"The 'weights' parameter of Voting: {number} numbers that are not negative, one a "
            f"member, not all zero. Got {given!r:.200}."
        )
    return voices
