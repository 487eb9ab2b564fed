"""Adaptive boosting."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit, softmax
from sklearn.utils.validation import check_is_fitted

from inducer.base import progress
from inducer.base.arrays import Array
from inducer.base.errors import ParameterError
from inducer.base.learner import fits_members
from inducer.base.params import Domain, Int, Seed
from inducer.base.random import seed_sequence
from inducer.ensembles._ensemble import Ensemble
from inducer.ensembles._members import (
    MOST,
    Estimator,
    classifies,
    require_weights,
    said_codes,
    seeded,
)
from inducer.ensembles._stumps import linear_rule
from inducer.linear import LinearClassifier
from inducer.trees import DecisionStump


class AdaBoost(Ensemble):
    """AdaBoost: each learner looks harder at the rows that the last one had wrong.

    With weights d of the rows, at first all 1/N, in round k, y and f(x) being +1 or -1::

        f_k     = the learner's fit to the rows with weights d
        eps_k   = sum_n d_n [f_k(x_n) != y_n]
        alpha_k = 1/2 log((1 - eps_k) / eps_k)
        d_n     = d_n exp(-alpha_k y_n f_k(x_n)) / Z

    and the ensemble says the sign of F(x) = sum_k alpha_k f_k(x). Every round takes the step of
    the f_k found that lowers sum_n exp(-y_n F(x_n)) most. The training error is at most
    ``prod_k 2 sqrt(eps_k (1 - eps_k))``: exponentially small if every round is a little better
    than a guess. With K classes, log(K - 1) / 2 is added to alpha (SAMME).

    What has no answer in the formulas: eps = 0 makes alpha infinite, and that member alone decides;
    the fit ends. eps = 1/2 makes alpha zero and changes no weight: the fit ends, without that
    member unless it is the first. eps > 1/2 makes alpha negative, and the member counts for the
    contrary. With more than two classes the contrary is no class, and a member that is no better
    than a guess, eps >= 1 - 1/K, ends the fit.

    The learner is given weights whose sum is the number of rows (or the sum of the sample weights),
    so that its penalties mean what they mean in its own fit, which the first round is.

    Parameters
    ----------
    estimator : estimator or None, default=None
        A classifier whose `fit` takes sample_weight. None: `inducer.trees.DecisionStump`.
    n_estimators : int, default=50
        The most rounds.
    random_state : int, Generator, RandomState or None, default=None
        Seeds of the members whose own ``random_state`` is None.

    Attributes
    ----------
    estimators_ : list of estimator
        The fitted members.
    estimator_weights_ : array of shape (n_rounds,)
        alpha of each.
    estimator_errors_ : array of shape (n_rounds,)
        eps of each.
    classes_ : array of shape (n_classes,)
        The labels, sorted.
    n_features_in_, feature_names_in_
        What `fit` saw.

    Notes
    -----
    With the `Trace` callback, ``history_`` has for each round ``error`` (eps), ``alpha``,
    ``training_error`` (of the ensemble, by sample weight) and ``bound`` (the product above).

    References
    ----------
    CIML v0.99, section 13.2, algorithm 32. Freund and Schapire, A decision-theoretic generalization
    of on-line learning, 1997. Zhu and others, Multi-class AdaBoost, 2009.

    Examples
    --------
    >>> from inducer.datasets import moons
    >>> from inducer.ensembles import AdaBoost
    >>> X, y = moons(n_samples=200, random_state=0, return_X_y=True)
    >>> model = AdaBoost(n_estimators=30).fit(X, y)
    >>> model.score(X, y) > model.estimators_[0].score(X, y)
    True
    """

    params: ClassVar[Mapping[str, Domain]] = {
        "estimator": Estimator() | None,
        "n_estimators": Int(1, MOST),
        "random_state": Seed() | None,
    }

    def __init__(
        self, estimator: Any = None, n_estimators: int = 50, *, random_state: Any = None
    ) -> None:
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.random_state = random_state

    @fits_members
    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Boost.

        Parameters
        ----------
        X : array, sparse matrix or DataFrame of shape (n_samples, n_features)
            What the learner takes.
        y : array of shape (n_samples,)
            Labels of any type.
        sample_weight : array of shape (n_samples,), optional
            What d is in proportion to at first.
        """
        (prototype,) = self._prototypes()
        if not classifies(self, [prototype]):
            raise ParameterError(
                f"AdaBoost boosts classifiers; {type(prototype).__name__} is a regressor."
            )
        require_weights(self, [prototype], "changes in every round")
        X, targets, codes, given = self._examples(X, y, sample_weight, classes=True)
        assert codes is not None
        seeds = seed_sequence(self.random_state)
        boost = Rounds(codes, len(self.classes_), given)
        watched = bool(getattr(self, "_skl_callbacks", None))
        members: list[Any] = []

        def step(_: int) -> None:
            member = seeded(prototype, seeds.spawn(1)[0])
            member.fit(X, targets, sample_weight=boost.total * boost.d)
            if boost.learn(said_codes(member, X, self.classes_), watched=watched):
                members.append(member)

        def fitted() -> dict[str, Any]:
            return {
                "estimators_": list(members),
                "estimator_weights_": np.array(boost.alphas),
                "estimator_errors_": np.array(boost.errors),
            }

        progress.rounds(
            self,
            int(self.n_estimators),
            step,
            over=lambda: boost.over,
            record=boost.record,
            fitted=fitted,
            X=X,
            y=targets,
            sample_weight=given,
        )
        for name, value in fitted().items():
            setattr(self, name, value)
        return self

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Return F(x), positive for ``classes_[1]``; of several classes, the score of each.

        With several classes a vote gives its alpha to its class and takes alpha / (K - 1) from each
        other. A member without any error counts alone, as 1.

        Parameters
        ----------
        X : array, sparse matrix or DataFrame of shape (n_samples, n_features)

        Returns
        -------
        array of shape (n_samples,), or (n_samples, n_classes) with more than two classes
        """
        scores = np.empty(0)
        for scores in self.staged_decision_function(X):  # noqa: B007 (the last is wanted)
            pass
        return scores

    def predict(self, X: Any) -> Array:
        """Return the class of each row.

        Parameters
        ----------
        X : array, sparse matrix or DataFrame of shape (n_samples, n_features)
        """
        return self._said(self.decision_function(X))

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the probabilities under which the exponential loss would have F as its least.

        For two classes 1 / (1 + exp(-2 F)). They come out too sure after many rounds.

        Parameters
        ----------
        X : array, sparse matrix or DataFrame of shape (n_samples, n_features)

        Returns
        -------
        array of shape (n_samples, n_classes)
        """
        return self._likely(self.decision_function(X))

    def staged_decision_function(self, X: Any) -> Iterator[NDArray[np.float64]]:
        """Yield the scores after each round.

        Parameters
        ----------
        X : array, sparse matrix or DataFrame of shape (n_samples, n_features)
        """
        check_is_fitted(self)
        X = self._rows(X, reset=False)
        several = len(self.classes_)
        total: NDArray[np.float64] = np.zeros((X.shape[0], several))
        each = np.arange(X.shape[0])
        for member, alpha in zip(self.estimators_, self.estimator_weights_, strict=True):
            vote = np.full((X.shape[0], several), -1.0 / (several - 1))
            vote[each, said_codes(member, X, self.classes_)] = 1.0
            total = np.sign(alpha) * vote if np.isinf(alpha) else total + alpha * vote
            yield total[:, 1].copy() if several == 2 else total.copy()

    def staged_predict(self, X: Any) -> Iterator[Array]:
        """Yield the predictions after each round.

        Parameters
        ----------
        X : array, sparse matrix or DataFrame of shape (n_samples, n_features)
        """
        yield from (self._said(scores) for scores in self.staged_decision_function(X))

    def staged_predict_proba(self, X: Any) -> Iterator[NDArray[np.float64]]:
        """Yield the probabilities after each round.

        Parameters
        ----------
        X : array, sparse matrix or DataFrame of shape (n_samples, n_features)
        """
        yield from (self._likely(scores) for scores in self.staged_decision_function(X))

    def staged_score(self, X: Any, y: Any, sample_weight: Any = None) -> Iterator[float]:
        """Yield the accuracy after each round.

        Parameters
        ----------
        X : array, sparse matrix or DataFrame of shape (n_samples, n_features)
        y : array of shape (n_samples,)
        sample_weight : array of shape (n_samples,), optional
        """
        y = np.asarray(y)
        for said in self.staged_predict(X):
            yield float(np.average(said == y, weights=sample_weight))

    def as_linear(self) -> LinearClassifier:
        """Return boosted stumps as the linear classifier that they are, on features of 0 and 1.

        A stump on such a feature is s (2 x_d - 1), s = +1 or -1, or a constant; their weighted sum
        is linear, with w_d = sum 2 alpha_k s_k over the stumps on d, and b = -sum alpha_k s_k (CIML
        13.5). Scores are the same up to rounding.

        Returns
        -------
        LinearClassifier
            Fitted: ``coef_`` and ``intercept_`` give F(x).

        Raises
        ------
        InputError
            If a member is no stump, or a threshold is not in [0, 1).
        """
        check_is_fitted(self)
        return linear_rule(self)

    def _said(self, scores: NDArray[np.float64]) -> Array:
        if scores.ndim == 1:
            scores = np.stack([-scores, scores], axis=1)
        said: Array = self.classes_[np.argmax(scores, axis=1)]
        return said

    def _likely(self, scores: NDArray[np.float64]) -> NDArray[np.float64]:
        if scores.ndim == 1:
            return np.stack([expit(-2 * scores), expit(2 * scores)], axis=1)
        several = len(self.classes_)
        found: NDArray[np.float64] = softmax(2 * (several - 1) / several * scores, axis=1)
        return found

    def _prototypes(self) -> Sequence[Any]:
        return [DecisionStump() if self.estimator is None else self.estimator]


class Rounds:
    """The weights of the rows from round to round, and what the rounds came to."""

    def __init__(
        self, codes: NDArray[np.int32], several: int, weights: NDArray[np.float64] | None
    ) -> None:
        self.codes = codes
        self.several = several
        given = np.ones(len(codes)) if weights is None else weights
        self.total = _sum(given)
        self.first = given / self.total
        self.d = self.first
        self.alphas: list[float] = []
        self.errors: list[float] = []
        self.over = False
        self._last = (math.nan, math.nan)
        self._votes: NDArray[np.float64] | None = None

    def learn(self, said: NDArray[np.int32], *, watched: bool) -> bool:
        """Weigh the rows by what a member said of them; return whether it is kept."""
        wrong = said != self.codes
        error = _sum(self.d[wrong])
        guess = 1 - 1 / self.several
        unsure = len(wrong) * 2.0**-53  # what the sum may be off
        useless = error >= guess - unsure if self.several > 2 else abs(error - guess) <= unsure
        if useless:
            alpha = 0.0
        elif not np.any(wrong & (self.d > 0)):
            alpha, error = math.inf, 0.0
        elif not np.any(~wrong & (self.d > 0)):
            alpha, error = -math.inf, 1.0
        else:
            alpha = 0.5 * math.log((1 - error) / error)
            if self.several > 2:
                alpha += 0.5 * math.log(self.several - 1)
            d = self.d * np.where(wrong, math.exp(alpha), math.exp(-alpha))
            self.d = d / _sum(d)
        self.over = useless or math.isinf(alpha)
        self._last = error, alpha
        if useless and self.alphas:
            return False
        self.alphas.append(alpha)
        self.errors.append(error)
        if watched:
            self._count(said, alpha)
        return True

    def record(self) -> dict[str, float]:
        """Return what a callback is told of the last round."""
        votes = self._votes
        assert votes is not None
        error, alpha = self._last
        bound = math.prod(2 * math.sqrt(max(0.0, e * (1 - e))) for e in self.errors)
        # The first of equal votes, as in a prediction.
        mistaken = np.argmax(votes, axis=1) != self.codes
        return {
            "error": error,
            "alpha": alpha,
            "training_error": _sum(self.first[mistaken]),
            "bound": bound,
        }

    def _count(self, said: NDArray[np.int32], alpha: float) -> None:
        """Add a member's votes to those on the rows of the fit."""
        if self._votes is None or math.isinf(alpha):
            self._votes = np.zeros((len(said), self.several))
        self._votes[np.arange(len(said)), said] += (
            math.copysign(1, alpha) if math.isinf(alpha) else alpha
        )


def _sum(values: NDArray[np.float64]) -> float:
    """Return the sum from the first to the last: the same bits on any machine."""
    return float(np.cumsum(values)[-1]) if len(values) else 0.0
