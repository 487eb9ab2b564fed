"""What trees of classes share: labels in, shares of classes out."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import ClassifierMixin

from inducer.base.arrays import Array, check_labels, check_weights, class_weights, codes_in
from inducer.base.learner import fits
from inducer.base.table import check_table
from inducer.trees._grow import Limits, grow
from inducer.trees._learner import TreeLearner
from inducer.trees._prune import cost_complexity_pruned, passing, reduced_error_pruned

Floats = NDArray[np.float64]


class TreeOfClasses(ClassifierMixin, TreeLearner):
    """A tree whose leaves hold counts of classes."""

    classes_: Array
    n_classes_: int

    @fits
    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Grow the tree.

        Parameters
        ----------
        X : array or DataFrame of shape (n_samples, n_features)
            Numbers and categories; cells may be missing.
        y : array of shape (n_samples,)
            Labels of any type.
        sample_weight : array of shape (n_samples,), optional
            How often each row counts.
        """
        return self._fit(X, y, sample_weight, self._limits())

    def _fit(self, X: Any, y: Any, sample_weight: Any, limits: Limits) -> Self:
        own: Any = self
        table = check_table(self, X, y=y, categorical_features=own.categorical_features)
        labels = check_labels(y, table.X, learner=self)
        weights = check_weights(sample_weight, table.X)
        weights = class_weights(own.class_weight, labels, weights)
        classes = len(labels.classes)
        tree, method = grow(
            self,
            table,
            limits=limits,
            criterion=own.criterion,
            weights=weights,
            codes=labels.codes,
            classes=classes,
            data={"X": X, "y": y, "sample_weight": sample_weight},
        )
        ccp_alpha = getattr(self, "ccp_alpha", 0.0)
        self.tree_ = cost_complexity_pruned(tree, ccp_alpha) if ccp_alpha > 0 else tree
        self.method_ = method
        self.categories_ = list(table.levels)
        self.classes_ = labels.classes
        self.n_classes_ = classes
        self.n_outputs_ = 1
        return self

    def predict_proba(self, X: Any) -> Floats:
        """Return the share of each class in the leaf of each row.

        Parameters
        ----------
        X : array or DataFrame of shape (n_samples, n_features)

        Returns
        -------
        array of shape (n_samples, n_classes)
        """
        return self._predictions(X)

    def predict_log_proba(self, X: Any) -> Floats:
        """Return the logarithms of the shares; minus infinity for classes not in the leaf.

        Parameters
        ----------
        X : array or DataFrame of shape (n_samples, n_features)
        """
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    def predict(self, X: Any) -> Array:
        """Return the class of most weight in the leaf of each row; the first among equals.

        Parameters
        ----------
        X : array or DataFrame of shape (n_samples, n_features)
        """
        rows = self._table(X).rows
        leaves = self.tree_.leaves(rows)
        found: Array = self.classes_[self.tree_.totals[leaves].argmax(axis=1)]
        return found

    def prune(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Cut off, from the leaves up, what held-out rows are no better for: reduced error.

        A node becomes a leaf where that makes no more mistakes on the rows that reach it than the
        best of what is below. The smaller tree takes the place of ``tree_``.

        Parameters
        ----------
        X : array or DataFrame of shape (n_samples, n_features)
            Rows that `fit` has not seen.
        y : array of shape (n_samples,)
        sample_weight : array of shape (n_samples,), optional
        """
        table = self._table(X)
        codes = codes_in(y, self.classes_, table.X)
        weights = check_weights(sample_weight, table.X)
        tree = self.tree_
        counts = np.zeros(tree.totals.shape)
        np.add.at(counts, (tree.leaves(table.rows), codes), 1.0 if weights is None else weights)
        counts = passing(tree, counts)
        right = np.take_along_axis(counts, tree.totals.argmax(axis=1)[:, None], axis=1)[:, 0]
        self.tree_ = reduced_error_pruned(tree, counts.sum(axis=1) - right)
        return self
