"""The decision stump."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from inducer.base.params import Choice, Domain, Instance
from inducer.trees._classes import TreeOfClasses
from inducer.trees._grow import Limits
from inducer.trees._learner import TABLES


class DecisionStump(TreeOfClasses):
    """A tree of one question: the feature and threshold that alone tell the classes best apart.

    A weak learner: little better than chance where one feature says little, fast, and nothing that
    it could learn by heart. What `AdaBoost`-like methods make strong ones of.

    Parameters
    ----------
    criterion : {"error", "gini", "entropy", "log_loss", "gain_ratio"}, default="error"
        What the question makes as small as can be; "error" is the weight of the mistakes.
    class_weight : dict, "balanced" or None, default=None
        How often the rows of a class count.
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
    DecisionTreeClassifier : Many questions.

    References
    ----------
    CIML v0.99, 13.2; NTU 5.

    Examples
    --------
    >>> from inducer.datasets import course_ratings
    >>> from inducer.trees import DecisionStump
    >>> X, y = course_ratings(return_X_y=True)
    >>> stump = DecisionStump().fit(X, y)
    >>> int(stump.tree_.feature[0]), stump.score(X, y)
    (2, 0.9)
    """

    params: ClassVar[Mapping[str, Domain]] = {
        "criterion": Choice("gini", "entropy", "log_loss", "error", "gain_ratio"),
        "class_weight": Choice("balanced") | Instance(dict) | None,
        **TABLES,
    }

    def __init__(
        self,
        *,
        criterion: str = "error",
        class_weight: Any = None,
        categorical_features: Any = "from_dtype",
        n_jobs: int | None = None,
    ) -> None:
        self.criterion = criterion
        self.class_weight = class_weight
        self.categorical_features = categorical_features
        self.n_jobs = n_jobs

    def _limits(self) -> Limits:
        return Limits(max_depth=1)
