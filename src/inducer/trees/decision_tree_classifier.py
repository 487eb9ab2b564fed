"""The decision tree of classes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import sklearn.tree
from numpy.typing import ArrayLike
from sklearn.base import clone
from sklearn.utils import Bunch

from inducer.base.params import Choice, Domain, Instance
from inducer.trees._classes import TreeOfClasses
from inducer.trees._learner import LIMITS, TABLES, pruning_path


class DecisionTreeClassifier(TreeOfClasses):
    """A tree of questions, each about one feature; a leaf says what most of its rows are.

    Grown from the top: of all questions "is the cell at most so much" or "is the category one of
    these", ask the one that takes the most from the impurity, on average over the rows of the two
    sides; go on with each side. It goes on until leaves are pure, so that the training error is as
    small as can be, and the tree learns the noise too: limit the depth or the leaves, or `prune`.

    Missing cells need no filling: the side they go to is learned. Where no cell was missing they go
    with most of the rows, and so do levels of a category that the rows of the fit do not have.

    Parameters
    ----------
    criterion : {"gini", "entropy", "log_loss", "error", "gain_ratio"}, default="gini"
        The impurity of rows whose classes have the shares p: 1 - sum p^2; -sum p log2 p, also
        called log_loss; the error 1 - max p (the course's score, counted in mistakes). The gain
        ratio divides the gain in entropy by the entropy of the split itself.
    max_depth : int or None, default=None
        The most questions on the way to a leaf. 0 is the empty tree: it says what most rows are.
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
    class_weight : dict, "balanced" or None, default=None
        How often the rows of a class count.
    ccp_alpha : float, default=0.0
        Prune to the tree of the least impurity plus so much a leaf.
    categorical_features : "from_dtype", sequence or None, default="from_dtype"
        Names or places of the columns that hold categories, or a mask. "from_dtype": those that a
        DataFrame says are categories. They are split by sets of levels, without encoding.
    n_jobs : int or None, default=None
        Threads. None: `inducer.threads`. The result has the same bits for any number.

    Attributes
    ----------
    classes_ : array of shape (n_classes,)
        The labels, sorted.
    n_classes_ : int
        Their number.
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
    DecisionStump : One question.

    References
    ----------
    CIML v0.99, chapter 1 and algorithms 1 and 2; MIT 6.034, 3.2. Breiman and others, Classification
    and regression trees, 1984. Quinlan, Induction of decision trees, 1986.

    Examples
    --------
    >>> from inducer.datasets import course_ratings
    >>> from inducer.trees import DecisionTreeClassifier, rules
    >>> courses = course_ratings()
    >>> tree = DecisionTreeClassifier(criterion="error", max_depth=1)
    >>> tree.fit(courses.data, courses.target).score(courses.data, courses.target)
    0.9
    >>> print(rules(tree, feature_names=courses.feature_names, class_names=courses.target_names))
    if systems <= 0.5: liked (10 of 10, 100%)
    if systems > 0.5: not liked (8 of 10, 80%)
    """

    params: ClassVar[Mapping[str, Domain]] = {
        "criterion": Choice("gini", "entropy", "log_loss", "error", "gain_ratio"),
        **LIMITS,
        **TABLES,
        "class_weight": Choice("balanced") | Instance(dict) | None,
    }

    def __init__(
        self,
        *,
        criterion: str = "gini",
        max_depth: int | None = None,
        min_samples_split: float = 2,
        min_samples_leaf: float = 1,
        min_weight_fraction_leaf: float = 0.0,
        max_features: Any = None,
        random_state: Any = None,
        max_leaf_nodes: int | None = None,
        min_impurity_decrease: float = 0.0,
        class_weight: Any = None,
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
        self.class_weight = class_weight
        self.ccp_alpha = ccp_alpha
        self.categorical_features = categorical_features
        self.n_jobs = n_jobs

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


# What draws and prints scikit-learn's trees asks for its class, and then reads `tree_` alone.
sklearn.tree.DecisionTreeClassifier.register(DecisionTreeClassifier)
