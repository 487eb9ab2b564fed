"""Print what decision trees learn, how deep they should be, and how to read them.

The scores of the course ratings are those of CIML 1.3, the training errors by depth those of 2.1
(one mistake is left at any depth: two rows contradict each other). Then the heart table, where the
error on fresh rows falls and rises again with depth, and what pruning makes of the deepest tree;
and the regression split of MIT 3.3.

    python examples/decision_trees.py
"""

from __future__ import annotations

import numpy as np

from inducer.datasets import course_ratings, heart, variance_split
from inducer.trees import DecisionStump, DecisionTreeClassifier, DecisionTreeRegressor, rules


def show_courses() -> None:
    """Print the score of each feature, and the errors by depth."""
    courses = course_ratings()
    X, y = courses.data, courses.target
    print("right answers of 20, by the one feature that is asked for")
    for j, name in enumerate(courses.feature_names):
        print(f"    {name:8} {20 * DecisionStump().fit(X[:, [j]], y).score(X[:, [j]], y):3.0f}")
    print("mistakes on the 20 ratings, by depth")
    for depth in range(4):
        tree = DecisionTreeClassifier(criterion="error", max_depth=depth).fit(X, y)
        print(f"    {depth:8} {np.sum(tree.predict(X) != y):3}")
    print(rules(tree, feature_names=courses.feature_names, class_names=courses.target_names))


def show_depth() -> None:
    """Print errors of trees on the heart table: by depth, by criterion, and pruned."""
    table = heart()
    order = np.random.default_rng(0).permutation(len(table.target))
    train, held, test = np.split(order, [160, 230])
    X, y = table.data, table.target
    print("\nheart: depth, leaves, error on the rows of the fit and on fresh ones")
    for depth in (0, 1, 2, 3, 4, 6, None):
        tree = DecisionTreeClassifier(max_depth=depth).fit(X[train], y[train])
        inside, outside = (1 - tree.score(X[rows], y[rows]) for rows in (train, test))
        print(f"    {depth!s:5} {tree.get_n_leaves():3} {inside:6.1%} {outside:6.1%}")
    tree.prune(X[held], y[held])
    print(f"    pruned {tree.get_n_leaves():2} {'':6} {1 - tree.score(X[test], y[test]):6.1%}")
    print("criterion, error on fresh rows at depth 3")
    for criterion in ("gini", "entropy", "error", "gain_ratio"):
        chosen = DecisionTreeClassifier(criterion=criterion, max_depth=3)
        lost = 1 - chosen.fit(X[train], y[train]).score(X[test], y[test])
        print(f"    {criterion:10} {lost:6.1%}")
    print(rules(tree, class_names=table.target_names))


def show_numbers() -> None:
    """Print the split of a regression tree, with the variances of its sides."""
    X, y = variance_split(return_X_y=True)
    tree = DecisionTreeRegressor(criterion="variance", max_depth=1).fit(X, y)
    print(f"\nvariance of the nine numbers and of the two sides: {tree.tree_.impurity.round(2)}")
    print(rules(tree, feature_names=["f3", "f7"]))


if __name__ == "__main__":
    show_courses()
    show_depth()
    show_numbers()
