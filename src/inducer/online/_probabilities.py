"""Probabilities of a classifier that was trained on the logistic loss."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit
from sklearn.utils.metaestimators import available_if

from inducer.base.arrays import Array
from inducer.base.errors import ParameterError


def _is_logistic(learner: Any) -> bool:
    if learner.loss != "logistic":
        raise ParameterError(f"predict_proba: the loss {learner.loss!r} gives no probabilities.")
    return True


class LogisticProbabilities:
    """Gives ``predict_proba`` where the loss is logistic."""

    loss: str

    @available_if(_is_logistic)  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> Array:
        """Return the probability of each class; one versus all, they are made to sum to one.

        Parameters
        ----------
        X : array, CSR matrix or DataFrame of shape (n_samples, n_features)

        Returns
        -------
        array of shape (n_samples, n_classes)
        """
        scores: NDArray[Any] = self.decision_function(X)  # type: ignore[attr-defined]
        if scores.ndim == 1:
            return np.stack([expit(-scores), expit(scores)], axis=1)
        each = expit(scores)
        total = each.sum(axis=1, keepdims=True)
        shares: Array = np.where(total > 0, each / np.where(total > 0, total, 1), 1 / each.shape[1])
        return shares
