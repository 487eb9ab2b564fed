"""The decision tree of numbers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Self

import numpy as np
import sklearn.tree
from numpy.typing import ArrayLike, NDArray
from sklearn.base import RegressorMixin, clone
from sklearn.utils import Bunch

from inducer.base.arrays import check_weights
from inducer.base.errors import InputError
from inducer.base.learner import fits
from inducer.base.params import Choice, Domain
from inducer.base.table import check_table
from inducer.base.targets import check_numbers
from inducer.trees._grow import grow
from inducer.trees._learner import LIMITS, TABLES, TreeLearner, pruning_path
from inducer.trees._prune import cost_complexity_pruned, passing, reduced_error_pruned


class DecisionTreeRegressor(RegressorMixin, TreeLearner):
    """A tree of questions, each about one feature; a leaf says the mean of its rows.

    Grown as `DecisionTreeClassifier` is, by how much the targets scatter: of all splits the one
    whose sides scatter least, on average over their rows. What it learns is constant on boxes, and
    outside of the rows it has seen too.

    Parameters
    ----------
    criterion : str, default="squared_error"
        How much targets scatter: "squared_error" around their mean, "friedman_mse", which is the
        same but for how it is computed, "poisson" (half the deviance) for counts, and "variance",
        the squared error with 1/(m - 1) for m rows.
    max_depth : int or None, default=None
        The most questions on the way to a leaf. 0 is the empty tree: it says the mean of all rows.
    min_samples_split : int or float, default=2
        The fewest rows that are split; a float is a share of all.
    min_samples_leaf : int or float, default=1
        The fewest rows of a leaf; a float is a share of all.
    min_weight_fraction_leaf : float, default=0.0
        The least share of all weight in a leaf.
    max_features : int, float, {"sqrt", "log2"} or None, default=None
        How many features to look at in each node, drawn anew; a float is a share, None is all.
    random_state : int, Generator, RandomState or None, default=None
        Seed of what is drawn. With all features nothing is.
    max_leaf_nodes : int or None, default=None
        The most leaves; where there is a limit, the best split of all leaves comes first.
    min_impurity_decrease : float, default=0.0
        The least that a split takes from the impurity, times the share of all weight at the node.
    ccp_alpha : float, default=0.0
        Prune to the tree of the least impurity plus so much a leaf.
    categorical_features : "from_dtype", sequence or None, default="from_dtype"
        Names or places of the columns that hold categories, or a mask. "from_dtype": those that a
        DataFrame says are categories. They are split by sets of levels, without encoding.
    n_jobs : int or None, default=None
        Threads. None: `inducer.threads`. The result has the same bits for any number.

    Attributes
    ----------
    tree_ : Tree
        The nodes, as arrays.
    method_ : str
        "exact": thresholds lie between any two neighbouring values.
    feature_importances_ : array of shape (n_features,)
        The share of each feature in what the splits take from the impurity.
    categories_ : list of (array or None)
        The levels of each column of categories; None for columns of numbers.
    n_features_in_, feature_names_in_
        What `fit` saw.

    See Also
    --------
    rules : The tree as text, or drawn.

    References
    ----------
    MIT 6.034, 3.3. Breiman and others, Classification and regression trees, 1984.

    Examples
    --------
    >>> from inducer.datasets import variance_split
    >>> from inducer.trees import DecisionTreeRegressor, rules
    >>> X, y = variance_split(return_X_y=True)
    >>> tree = DecisionTreeRegressor(criterion="variance", max_depth=1).fit(X, y)
    >>> print(rules(tree, feature_names=["f3", "f7"]))
    if f3 <= 0.5: -1.2 (5 rows, +- 1.924)
    if f3 > 0.5: 10.5 (4 rows, +- 1.291)
    """

    params: ClassVar[Mapping[str, Domain]] = {
        "criterion": Choice("squared_error", "friedman_mse", "poisson", "variance"),
        **LIMITS,
        **TABLES,
    }

    def __init__(
        self,
        *,
        criterion: str = "squared_error",
        max_depth: int | None = None,
        min_samples_split: float = 2,
        min_samples_leaf: float = 1,
        min_weight_fraction_leaf: float = 0.0,
        max_features: Any = None,
        random_state: Any = None,
        max_leaf_nodes: int | None = None,
        min_impurity_decrease: float = 0.0,
        ccp_alpha: float = 0.0,
        categorical_features: Any = "from_dtype",
        n_jobs: int | None = None,
    ) -> None:
        self.criterion = criterion
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.max_features = max_features
        self.random_state = random_state
        self.max_leaf_nodes = max_leaf_nodes
        self.min_impurity_decrease = min_impurity_decrease
        self.ccp_alpha = ccp_alpha
        self.categorical_features = categorical_features
        self.n_jobs = n_jobs

    @fits
    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Grow the tree.

        Parameters
        ----------
        X : array or DataFrame of shape (n_samples, n_features)
            Numbers and categories; cells may be missing.
        y : array of shape (n_samples,)
            Numbers.
        sample_weight : array of shape (n_samples,), optional
            How often each row counts.
        """
        table = check_table(self, X, y=y, categorical_features=self.categorical_features)
        targets = check_numbers(y, table.X)
        if self.criterion == "poisson" and (np.any(targets < 0) or not np.any(targets > 0)):
            raise InputError(
                "Some values of y are negative, or all are zero: the Poisson criterion is for "
                "counts."
            )
        weights = check_weights(sample_weight, table.X)
        tree, self.method_ = grow(
            self,
            table,
            limits=self._limits(),
            criterion=self.criterion,
            weights=weights,
            targets=targets,
            data={"X": X, "y": y, "sample_weight": sample_weight},
        )
        self.tree_ = cost_complexity_pruned(tree, self.ccp_alpha) if self.ccp_alpha > 0 else tree
        self.categories_ = list(table.levels)
        self.n_outputs_ = 1
        return self

    def predict(self, X: Any) -> NDArray[np.float64]:
        """Return the number that the leaf of each row says.

        Parameters
        ----------
        X : array or DataFrame of shape (n_samples, n_features)
        """
        return self._predictions(X)[:, 0]

    def prune(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Cut off, from the leaves up, what held-out rows are no better for: reduced error.

        A node becomes a leaf where its prediction has no larger squared error on the rows that
        reach it than the best of what is below. The smaller tree takes the place of ``tree_``.

        Parameters
        ----------
        X : array or DataFrame of shape (n_samples, n_features)
            Rows that `fit` has not seen.
        y : array of shape (n_samples,)
        sample_weight : array of shape (n_samples,), optional
        """
        table = self._table(X)
        targets = check_numbers(y, table.X)
        given = check_weights(sample_weight, table.X)
        weights = np.ones(len(targets)) if given is None else given
        tree = self.tree_
        leaves, said = tree.leaves(table.rows), tree.totals[:, 0]
        # From sums about what the root says, so that they do not cancel.
        away = targets - said[0]
        sums = np.zeros((tree.node_count, 3))
        np.add.at(sums, leaves, np.stack([weights, weights * away, weights * away**2], axis=1))
        weight, first, second = passing(tree, sums).T
        shift = said - said[0]
        errors = second - 2 * shift * first + shift**2 * weight
        self.tree_ = reduced_error_pruned(tree, errors)
        return self

    def cost_complexity_pruning_path(
        self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None
    ) -> Any:
        """Return the alphas at which pruning takes another node, and the impurity then left.

        Parameters
        ----------
        X : array or DataFrame of shape (n_samples, n_features)
        y : array of shape (n_samples,)
        sample_weight : array of shape (n_samples,), optional

        Returns
        -------
        Bunch
            ``ccp_alphas`` and ``impurities``, from the whole tree to its root.
        """
        whole = clone(self).set_params(ccp_alpha=0.0).fit(X, y, sample_weight)
        return Bunch(**pruning_path(whole.tree_))

    def _compute_partial_dependence_recursion(
        self, grid: NDArray[Any], target_features: NDArray[Any]
    ) -> NDArray[np.float64]:
        """Do what scikit-learn's `partial_dependence` asks of its trees."""
        return self.tree_.partial_dependence(np.asarray(grid, np.float64), target_features)


# What draws and prints scikit-learn's trees asks for its class, and then reads `tree_` alone.
sklearn.tree.DecisionTreeRegressor.register(DecisionTreeRegressor)
