"""Votes of members: shares for classes, mean or median for numbers."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import is_classifier
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from inducer.base.arrays import Array
from inducer.base.errors import ParameterError
from inducer.base.params import Choice, Domain
from inducer.ensembles._ensemble import Ensemble
from inducer.ensembles._members import probabilities, said_codes

VOTE_PARAMS: dict[str, Domain] = {
    "voting": Choice("hard", "soft"),
    "average": Choice("mean", "median"),
}


class Voters(Ensemble):
    """An ensemble whose members are asked one by one, and all count the same way."""

    voting: str
    average: str
    estimators_: list[Any]

    def _seen(self, number: int, X: Any) -> Any:
        """Return the part of X that a member sees."""
        raise NotImplementedError

    def _voices(self) -> NDArray[np.float64]:
        """Return how much each member's vote counts."""
        return np.ones(len(self.estimators_))

    def _shares(
        self, asked: Iterable[tuple[int, Any]], rows: int, voices: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Return the sum of the votes of some members, each a row and class."""
        votes = np.zeros((rows, len(self.classes_)))
        each = np.arange(rows)
        for number, X in asked:
            member = self.estimators_[number]
            if self.voting == "soft":
                votes += voices[number] * probabilities(member, X, self.classes_)
            else:
                votes[each, said_codes(member, X, self.classes_)] += voices[number]
        return votes

    def _asked(self, X: Any) -> Iterable[tuple[int, Any]]:
        """Yield each member's number and the part of X that it sees."""
        return ((number, self._seen(number, X)) for number in range(len(self.estimators_)))

    @available_if(is_classifier)  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the share of the votes that each class has, or the mean probability if soft.

        Parameters
        ----------
        X : array, sparse matrix or DataFrame of shape (n_samples, n_features)

        Returns
        -------
        array of shape (n_samples, n_classes)
        """
        check_is_fitted(self)
        X = self._rows(X, reset=False)
        votes = self._shares(self._asked(X), X.shape[0], self._voices())
        shares: NDArray[np.float64] = votes / votes.sum(axis=1, keepdims=True)
        return shares

    def predict(self, X: Any) -> Array:
        """Return the class with most votes, of equal ones the first, or the mean or median.

        Parameters
        ----------
        X : array, sparse matrix or DataFrame of shape (n_samples, n_features)
        """
        check_is_fitted(self)
        if is_classifier(self):
            found: Array = self.classes_[np.argmax(self.predict_proba(X), axis=1)]
            return found
        X = self._rows(X, reset=False)
        said = np.stack([self.estimators_[k].predict(part) for k, part in self._asked(X)], axis=1)
        return middle(said.astype(np.float64, copy=False), self._voices(), self.average)

    def _check_voting(self, members: Iterable[Any]) -> None:
        """Refuse a soft vote of members without probabilities."""
        if self.voting == "soft":
            for one in members:
                if not hasattr(one, "predict_proba"):
                    raise ParameterError(
                        f"voting='soft' needs probabilities, and {type(one).__name__} has none: "
                        "take voting='hard', or another learner."
                    )


def middle(
    numbers: NDArray[np.float64], voices: NDArray[np.float64], average: str
) -> NDArray[np.float64]:
    """Return the weighted mean, or median, of each row.

    The weighted median is the middle of the numbers below and above which there is at most half
    of the weight; with equal weights it is the usual one.
    """
    if average == "mean":
        found: NDArray[np.float64] = numbers @ (voices / voices.sum())
        return found
    order = np.argsort(numbers, axis=1, kind="stable")
    ranked = np.take_along_axis(numbers, order, axis=1)
    below = np.cumsum(voices[order], axis=1)
    half = below[:, -1:] / 2
    low = np.argmax(below >= half, axis=1)
    high = np.argmax(below > half, axis=1)
    rows = np.arange(len(numbers))
    middles: NDArray[np.float64] = (ranked[rows, low] + ranked[rows, high]) / 2
    return middles
