"""Reading a tree: a rule for each leaf, a drawing, a graph."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from inducer.base.errors import InputError
from inducer.trees._tree import Tree

MOST_LEVELS = 8  # of a category that are named


@dataclass(frozen=True)
class Question:
    """What a node asks of a feature, and what one of its sides answers."""

    feature: int
    high: float = np.inf  # cells up to it
    low: float = -np.inf  # cells above it
    levels: frozenset[int] | None = None


class Rules:
    """A tree to be read: prints as text, one rule a leaf; `dot` and `draw` make pictures.

    Made by `rules`. Rules stand from left to right, and each row of data obeys exactly one.

    Parameters
    ----------
    tree : Tree
    feature_names : sequence of str
    class_names : sequence of str or None
        None for a tree of numbers.
    levels : sequence of (array or None)
        What the codes of each feature stand for.
    """

    def __init__(
        self,
        tree: Tree,
        feature_names: Sequence[str],
        class_names: Sequence[str] | None,
        levels: Sequence[Any],
    ) -> None:
        self.tree, self.feature_names, self.levels = tree, feature_names, levels
        self.class_names = class_names

    def __str__(self) -> str:
        return "\n".join(self.lines())

    __repr__ = __str__

    def __len__(self) -> int:
        return self.tree.n_leaves

    def lines(self) -> list[str]:
        """Return the rules, a line each."""
        found = []
        for leaf, way in self._ways():
            asked = " and ".join(self._words(one) for one in _joined(way))
            found.append(f"{f'if {asked}' if asked else 'always'}: {self.says(leaf)}")
        return found

    def says(self, node: int) -> str:
        """Return what a node says, with counts and how sure it is.

        Parameters
        ----------
        node : int
        """
        tree = self.tree
        totals, weight = tree.totals[node], tree.weighted_n_node_samples[node]
        if self.class_names is None:
            scatter = np.sqrt(max(tree.impurity[node], 0.0))
            return f"{totals[0]:.4g} ({weight:.6g} rows, +- {scatter:.4g})"
        best = int(totals.argmax())
        share = totals[best] / totals.sum()
        return f"{self.class_names[best]} ({totals[best]:.6g} of {totals.sum():.6g}, {share:.0%})"

    def dot(self) -> str:
        """Return the tree in Graphviz's language: ``dot -Tsvg`` makes a picture of it."""
        tree = self.tree
        lines = ["digraph tree {", '    node [shape=box, style=rounded, fontname="sans-serif"];']
        for node in range(tree.node_count):
            asks = tree.children_left[node] >= 0
            label = self._words(self._question(node, True)) if asks else self.says(node)
            lines.append(f"    {node} [label={_quoted(label)}];")
            if asks:
                lines.append(f'    {node} -> {tree.children_left[node]} [label="yes"];')
                lines.append(f'    {node} -> {tree.children_right[node]} [label="no"];')
        return "\n".join([*lines, "}"])

    def draw(self, ax: Any = None) -> Any:
        """Draw the tree with matplotlib, which must be installed; return the axes.

        Parameters
        ----------
        ax : matplotlib axes, optional
            Where to draw. Left out: on a new figure.
        """
        try:
            import matplotlib.pyplot as plt
        except ImportError:
            raise InputError(
                "Drawing needs matplotlib: pip install matplotlib, or use dot()."
            ) from None
        tree, depths = self.tree, self.tree.depths
        if ax is None:
            _, ax = plt.subplots(figsize=(2.2 * max(tree.n_leaves, 2), 1.4 * (depths.max() + 1)))
        leaf = tree.children_left < 0
        across = np.where(leaf, np.cumsum(leaf) - 1.0, 0.0)
        for node in np.flatnonzero(~leaf)[::-1]:
            across[node] = across[[tree.children_left[node], tree.children_right[node]]].mean()
        for node in range(tree.node_count):
            place = across[node], -float(depths[node])
            if leaf[node]:
                words = self.says(node).replace(" (", "\n(")
            else:
                words = self._words(self._question(node, True)) + "?"
                for side, word in ((tree.children_left, "yes"), (tree.children_right, "no")):
                    child = int(side[node])
                    end = across[child], -float(depths[child])
                    ax.plot(*zip(place, end, strict=True), color="0.7", zorder=0)
                    middle = (place[0] + end[0]) / 2, (place[1] + end[1]) / 2
                    ax.text(*middle, word, ha="center", va="center", fontsize=8, color="0.4")
            box = {"boxstyle": "round", "facecolor": "white", "edgecolor": "0.5"}
            ax.text(*place, words, ha="center", va="center", fontsize=9, bbox=box)
        ax.set_xlim(-0.6, tree.n_leaves - 0.4)
        ax.set_ylim(-float(depths.max()) - 0.5, 0.5)
        ax.set_axis_off()
        return ax

    def _question(self, node: int, left: bool) -> Question:
        """Return what rows on one side of a node have answered."""
        tree = self.tree
        feature = int(tree.feature[node])
        if tree.asks_category(node):
            every = frozenset(range(len(self.levels[feature])))
            here = every.intersection(tree.levels_left(node).tolist())
            return Question(feature, levels=here if left else every - here)
        bound = float(tree.threshold[node])
        if left:
            return Question(feature, high=bound)
        return Question(feature, low=bound)

    def _ways(self) -> Iterator[tuple[int, list[Question]]]:
        """Yield each leaf, from left to right, and what its rows have answered."""
        waiting: list[tuple[int, list[Question]]] = [(0, [])]
        while waiting:
            node, way = waiting.pop()
            if self.tree.children_left[node] < 0:
                yield node, way
                continue
            for side, left in ((self.tree.children_right, False), (self.tree.children_left, True)):
                waiting.append((int(side[node]), [*way, self._question(node, left)]))

    def _words(self, asked: Question) -> str:
        name = self.feature_names[asked.feature]
        if asked.levels is not None:
            if not asked.levels:
                return f"{name} is missing"
            if len(asked.levels) == len(self.levels[asked.feature]):
                return f"{name} is not missing"
            named = [str(self.levels[asked.feature][code]) for code in sorted(asked.levels)]
            more = f", ... ({len(named)} levels)" if len(named) > MOST_LEVELS else ""
            return f"{name} in {{{', '.join(named[:MOST_LEVELS])}{more}}}"
        if np.isfinite(asked.low) and np.isfinite(asked.high):
            return f"{asked.low:.6g} < {name} <= {asked.high:.6g}"
        if asked.high == np.inf and asked.low == -np.inf:
            return f"{name} is not missing"
        if asked.low == np.inf:
            return f"{name} is missing"
        if np.isfinite(asked.high):
            return f"{name} <= {asked.high:.6g}"
        return f"{name} > {asked.low:.6g}"


def _joined(way: list[Question]) -> list[Question]:
    """Return answers with those about the same feature made one, in the order of the first."""
    found: dict[int, Question] = {}
    for one in way:
        before = found.get(one.feature)
        if before is None:
            found[one.feature] = one
        elif one.levels is not None and before.levels is not None:
            both = before.levels & one.levels
            found[one.feature] = Question(one.feature, levels=both)
        else:
            high, low = min(before.high, one.high), max(before.low, one.low)
            found[one.feature] = Question(one.feature, high=high, low=low)
    return list(found.values())


def _quoted(words: str) -> str:
    """Return a text as Graphviz wants it."""
    escaped = words.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def rules(
    tree: Any,
    *,
    feature_names: Sequence[str] | None = None,
    class_names: Sequence[str] | None = None,
) -> Rules:
    """Return a fitted tree in words: what prints as one rule a leaf, and can be drawn.

    After each rule stands how many rows of the fit obeyed it (their weights), and how sure it is:
    the share of the class, or the root of the impurity for numbers.

    Parameters
    ----------
    tree : DecisionTreeClassifier, DecisionTreeRegressor or DecisionStump
        Fitted.
    feature_names : sequence of str, optional
        Left out: the names of the frame that it was fitted to, or x0, x1, ...
    class_names : sequence of str, optional
        One for each of ``classes_``, in their order. Left out: the labels.

    Returns
    -------
    Rules
        ``print(it)``, ``it.dot()``, ``it.draw(ax)``.

    Examples
    --------
    >>> from inducer.trees import DecisionTreeClassifier, rules
    >>> tree = DecisionTreeClassifier().fit([[1.0], [2.0], [4.0]], ["low", "low", "high"])
    >>> print(rules(tree))
    if x0 <= 3: low (2 of 2, 100%)
    if x0 > 3: high (1 of 1, 100%)
    """
    check_is_fitted(tree)
    grown = getattr(tree, "tree_", None)
    if not isinstance(grown, Tree):
        raise InputError(f"rules takes one tree of inducer.trees. Got {tree!r:.200}.")
    names = _names(feature_names, "feature_names", grown.n_features)
    if names is None:
        fallback = [f"x{j}" for j in range(grown.n_features)]
        names = [str(name) for name in getattr(tree, "feature_names_in_", fallback)]
    labels = None
    if grown.of_classes:
        labels = _names(class_names, "class_names", len(tree.classes_))
        labels = labels or [str(label) for label in tree.classes_.tolist()]
    return Rules(grown, names, labels, tree.categories_)


def _names(given: Sequence[str] | None, what: str, count: int) -> list[str] | None:
    """Return names as a list, if they are as many as they should be."""
    if given is None:
        return None
    names = [str(name) for name in given]
    if len(names) != count:
        raise InputError(f"{what} has {len(names)} names; the tree has {count}.")
    return names
