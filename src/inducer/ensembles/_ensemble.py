"""What all ensembles are: classifiers or regressors as their members are, and one gate."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray
from sklearn.base import is_classifier
from sklearn.metrics import accuracy_score, r2_score
from sklearn.utils import ClassifierTags, RegressorTags, get_tags
from sklearn.utils.metaestimators import _BaseComposition
from sklearn.utils.validation import check_array, validate_data

from inducer.base.arrays import Array, check_labels, check_weights, check_X, refuse_masked
from inducer.base.errors import InputError
from inducer.base.learner import Learner
from inducer.base.targets import check_numbers


class Ensemble(Learner):
    """A learner made of learners.

    Tables of numbers are checked here, once, so that errors name rows of the whole and not of a
    draw. What else members take, text, categories or missing values, is their business.
    """

    classes_: Array

    @abstractmethod
    def _prototypes(self) -> Sequence[Any]:
        """Return the unfitted learners that it is made of; junk where it was given junk."""

    @abstractmethod
    def predict(self, X: Any) -> Array:
        """Return the class, or the number, of each row."""

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return the accuracy of a classifier, the R^2 of a regressor.

        Parameters
        ----------
        X : array, sparse matrix or DataFrame of shape (n_samples, n_features)
        y : array of shape (n_samples,)
        sample_weight : array of shape (n_samples,), optional
        """
        measure = accuracy_score if is_classifier(self) else r2_score
        return float(measure(y, self.predict(X), sample_weight=sample_weight))

    def _rows(self, X: Any, *, reset: bool, y: Any = "no_validation") -> Any:
        """Return X as something that has rows, with the names and number of columns of the fit."""
        if y is None:
            validate_data(self, X, y, reset=reset, skip_check_array=True)
        refuse_masked(X, "X")
        if hasattr(X, "collect_schema") and not hasattr(X, "shape"):
            raise InputError("X is a lazy frame: call its collect() first.")
        if _numbers(X):
            if not get_tags(self).input_tags.allow_nan:
                checked = check_X(self, X, reset=reset).X
                return X if hasattr(X, "columns") else checked
            self._refuse_infinite(X)
        if not hasattr(X, "columns"):
            try:
                X = check_array(
                    X,
                    accept_sparse="csr",
                    accept_large_sparse=True,
                    dtype=None,
                    ensure_all_finite=False,
                    estimator=self,
                    input_name="X",
                )
            except ValueError as error:
                raise InputError(f"{error}") from None
        validate_data(self, X, reset=reset, skip_check_array=True)
        return X

    def _refuse_infinite(self, X: Any) -> None:
        """Refuse infinities in a dense array; NaN means that a value is missing."""
        if not (isinstance(X, np.ndarray) and X.ndim == 2 and X.dtype.kind == "f"):
            return
        places = np.argwhere(np.isinf(X))
        if len(places):
            row, col = places[0]
            raise InputError(
                f"Input X contains infinity: row {row}, column {col}. {type(self).__name__} needs "
                "finite numbers, or NaN for missing ones. Remove the row, or clip the value."
            )

    def _examples(
        self, X: Any, y: Any, sample_weight: Any, *, classes: bool
    ) -> tuple[Any, Array, NDArray[np.int32] | None, NDArray[np.float64] | None]:
        """Return rows, targets, codes of classes and weights; sets or deletes ``classes_``."""
        X = self._rows(X, reset=True, y=y)
        codes = None
        if classes:
            labels = check_labels(y, X, learner=self)
            self.classes_, codes = labels.classes, labels.codes
            targets: Array = labels.classes[labels.codes]
        else:
            self.__dict__.pop("classes_", None)
            targets = check_numbers(y, X)
        return X, targets, codes, check_weights(sample_weight, np.empty((X.shape[0], 0)))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        kinds = [
            get_tags(one)
            for one in self._prototypes()
            if hasattr(one, "__sklearn_tags__") and not isinstance(one, type)
        ]
        tags.target_tags.required = True
        if kinds and all(kind.estimator_type == "regressor" for kind in kinds):
            tags.estimator_type, tags.regressor_tags = "regressor", RegressorTags()
        else:
            tags.estimator_type, tags.classifier_tags = "classifier", ClassifierTags()
            tags.classifier_tags.multi_class = all(
                kind.classifier_tags is None or kind.classifier_tags.multi_class for kind in kinds
            )
        inputs = [kind.input_tags for kind in kinds]
        tags.input_tags.sparse = bool(inputs) and all(one.sparse for one in inputs)
        tags.input_tags.allow_nan = bool(inputs) and all(one.allow_nan for one in inputs)
        tags.input_tags.positive_only = any(one.positive_only for one in inputs)
        return tags


def _numbers(X: Any) -> bool:
    """Return whether X is an array, sparse matrix or frame of numbers in all columns."""
    if hasattr(X, "columns"):
        frame = nw.from_native(X, pass_through=True, eager_only=True)
        return isinstance(frame, nw.DataFrame) and all(
            t.is_numeric() for t in frame.schema.values()
        )
    return getattr(getattr(X, "dtype", None), "kind", "") in tuple("biuf")


class Composed(Ensemble, _BaseComposition):
    """An ensemble of named members, whose parameters are reached as ``name__parameter``."""

    estimators: Any

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters, those of the members too.

        Parameters
        ----------
        deep : bool, default=True
            Whether the members' are wanted.
        """
        found: dict[str, Any] = self._get_params("estimators", deep=deep)
        return found

    def set_params(self, **params: Any) -> Any:
        """Set parameters, or whole members by their names.

        Parameters
        ----------
        **params : dict
            Names, of parameters, of members, or ``name__parameter``, and values.
        """
        return self._set_params("estimators", **params)

    def _prototypes(self) -> Sequence[Any]:
        from inducer.ensembles._members import committee

        given = committee() if self.estimators is None else self.estimators
        try:
            return [one for _, one in given]
        except (TypeError, ValueError):
            return []
