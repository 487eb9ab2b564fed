"""What fitted trees do, whatever they predict: leaves, paths, sizes, importances."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from inducer.base.arrays import Array
from inducer.base.learner import Learner
from inducer.base.params import ArrayLike, Choice, Domain, Int, Real, Seed
from inducer.base.table import Levels, Table, check_like
from inducer.trees._grow import Limits
from inducer.trees._tree import Tree

Floats = NDArray[np.float64]

# What scikit-learn's trees take besides the criterion.
LIMITS: Mapping[str, Domain] = {
    "max_depth": Int(0) | None,
    "min_samples_split": Int(2) | Real(0, 1, "(]"),
    "min_samples_leaf": Int(1) | Real(0, 1, "()"),
    "min_weight_fraction_leaf": Real(0, 0.5),
    "max_features": Int(1) | Real(0, 1, "(]") | Choice("sqrt", "log2") | None,
    "random_state": Seed(),
    "max_leaf_nodes": Int(2) | None,
    "min_impurity_decrease": Real(0),
    "ccp_alpha": Real(0),
}


# What all trees here take besides.
TABLES: Mapping[str, Domain] = {
    "categorical_features": Choice("from_dtype") | ArrayLike() | None,
    "n_jobs": Int() | None,
}


class TreeLearner(Learner):
    """A learner whose hypothesis is one tree."""

    tree_: Tree
    method_: str
    categories_: list[Array | None]

    def _limits(self) -> Limits:
        """Return the limits that the parameters of scikit-learn's trees set."""
        own: Any = self
        return Limits(
            max_depth=own.max_depth,
            min_samples_split=own.min_samples_split,
            min_samples_leaf=own.min_samples_leaf,
            min_weight_fraction_leaf=own.min_weight_fraction_leaf,
            max_features=own.max_features,
            max_leaf_nodes=own.max_leaf_nodes,
            min_impurity_decrease=own.min_impurity_decrease,
        )

    def _table(self, X: Any) -> Table:
        """Return rows to predict, checked."""
        check_is_fitted(self)
        levels: Levels = tuple(self.categories_)
        return check_like(self, X, levels)

    def _predictions(self, X: Any) -> Floats:
        """Return what the leaf of each row says."""
        rows = self._table(X).rows
        return self.tree_.predictions(self.tree_.leaves(rows))

    def apply(self, X: Any) -> NDArray[np.int64]:
        """Return the leaf of each row, as the number of its node.

        Parameters
        ----------
        X : array or DataFrame of shape (n_samples, n_features)
        """
        rows = self._table(X).rows
        return self.tree_.leaves(rows).astype(np.int64)

    def decision_path(self, X: Any) -> Any:
        """Return which nodes each row passes.

        Parameters
        ----------
        X : array or DataFrame of shape (n_samples, n_features)

        Returns
        -------
        CSR matrix of shape (n_samples, node_count)
            1 where row i passes node t.
        """
        rows = self._table(X).rows
        return self.tree_.paths(self.tree_.leaves(rows))

    def get_depth(self) -> int:
        """Return the depth of the deepest leaf."""
        check_is_fitted(self)
        return self.tree_.max_depth

    def get_n_leaves(self) -> int:
        """Return the number of leaves."""
        check_is_fitted(self)
        return self.tree_.n_leaves

    @property
    def feature_importances_(self) -> Floats:
        """The share of each feature in what the splits take from the impurity."""
        check_is_fitted(self)
        return self.tree_.compute_feature_importances()

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = False
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        return tags


def pruning_path(tree: Tree) -> dict[str, Any]:
    """Return alphas and impurities of cost-complexity pruning, from the whole tree to the root."""
    from inducer.trees._prune import weakest_links

    leaves = tree.children_left < 0
    shares = tree.weighted_n_node_samples / tree.weighted_n_node_samples[0]
    alphas, impurities = [0.0], [float(tree.impurity[leaves] @ shares[leaves])]
    for alpha, impurity, _ in weakest_links(tree):
        alphas.append(alpha)
        impurities.append(impurity)
    return {"ccp_alphas": np.array(alphas), "impurities": np.array(impurities)}
