"""A fitted tree: flat arrays, the nodes in preorder, under scikit-learn's names."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from inducer._core.base import Rows
from inducer._core.trees import apply
from inducer.base._threads import threads
from inducer.base.part import Part

Floats = NDArray[np.float64]

LEAF = -1
UNDEFINED = -2  # scikit-learn's feature of a leaf


class Tree(Part):
    """The nodes of a tree, as arrays: ``tree_`` of a fitted learner.

    The root is node 0, and nodes stand in preorder: all that is below node t follows it without a
    gap. The names are those of scikit-learn's ``tree_``, so that what draws or prints trees from
    there reads this one.

    Parameters
    ----------
    nodes : mapping of str to array
        What the kernel gives.
    n_features : int
    classes : int
        How many classes there are; zero for numbers.

    Attributes
    ----------
    children_left, children_right : array of shape (node_count,)
        -1 for a leaf.
    feature : array of shape (node_count,)
        The column that is asked for; -2 for a leaf.
    threshold : array of shape (node_count,)
        Cells up to it go left; -2 for a leaf.
    missing_go_to_left : array of shape (node_count,)
        Where missing cells go, and new levels of a category.
    impurity, n_node_samples, weighted_n_node_samples : array of shape (node_count,)
        Of the rows that reach a node: the criterion, their number (of weight above zero), and the
        sum of their weights.
    totals : array of shape (node_count, n_classes) or (node_count, 1)
        The weight of each class in a node, or its prediction.
    value : array of shape (node_count, 1, n_classes) or (node_count, 1, 1)
        The share of each class, or the prediction.
    node_count, n_leaves, max_depth, n_features, n_outputs, max_n_classes : int
        Sizes.
    n_classes : array of shape (1,)
        The number of classes; 1 for numbers.
    """

    def __init__(self, nodes: Mapping[str, NDArray[Any]], n_features: int, classes: int) -> None:
        self.n_features = n_features
        self.max_n_classes = max(classes, 1)
        self.of_classes = classes > 0
        leaf = nodes["left"] < 0
        self.children_left = np.ascontiguousarray(nodes["left"], np.int32)
        self.children_right = np.ascontiguousarray(nodes["right"], np.int32)
        self.feature = np.where(leaf, UNDEFINED, nodes["feature"]).astype(np.int32)
        self.threshold = np.where(leaf, UNDEFINED, nodes["threshold"]).astype(np.float64)
        self.missing_go_to_left = np.ascontiguousarray(nodes["missing_left"], bool)
        self.set_begin = np.ascontiguousarray(nodes["set_begin"], np.int64)
        self.set_words = np.ascontiguousarray(nodes["set_words"], np.uint64)
        self.impurity = np.ascontiguousarray(nodes["impurity"], np.float64)
        self.n_node_samples = np.ascontiguousarray(nodes["samples"], np.int64)
        self.weighted_n_node_samples = np.ascontiguousarray(nodes["weight"], np.float64)
        self.totals = np.ascontiguousarray(nodes["value"], np.float64)

    @property
    def node_count(self) -> int:
        """The number of nodes."""
        return len(self.feature)

    @property
    def n_leaves(self) -> int:
        """The number of leaves."""
        return int(np.count_nonzero(self.children_left < 0))

    @property
    def n_outputs(self) -> int:
        """One."""
        return 1

    @property
    def n_classes(self) -> NDArray[np.int64]:
        """The number of classes, in an array; 1 for numbers."""
        return np.array([self.max_n_classes])

    @property
    def capacity(self) -> int:
        """The number of nodes."""
        return self.node_count

    @property
    def value(self) -> Floats:
        """The share of each class, or the prediction."""
        return self.predictions(np.arange(self.node_count))[:, None, :]

    def predictions(self, nodes: NDArray[Any]) -> Floats:
        """Return what some nodes would predict: shares of classes, or a number.

        Parameters
        ----------
        nodes : array of int
        """
        found: Floats = self.totals[nodes]
        if self.of_classes:
            found /= found.sum(axis=1, keepdims=True)
        return found

    @property
    def depths(self) -> NDArray[np.int64]:
        """How far each node is from the root."""
        found = np.zeros(self.node_count, np.int64)
        inner = np.flatnonzero(self.children_left >= 0)
        for t in inner:  # parents come before children
            found[self.children_left[t]] = found[self.children_right[t]] = found[t] + 1
        return found

    @property
    def max_depth(self) -> int:
        """The depth of the deepest leaf; zero where the root is one."""
        return int(self.depths.max())

    @property
    def parents(self) -> NDArray[np.int64]:
        """The node above each; -1 for the root."""
        found = np.full(self.node_count, LEAF, np.int64)
        inner = np.flatnonzero(self.children_left >= 0)
        found[self.children_left[inner]] = found[self.children_right[inner]] = inner
        return found

    def leaves(self, rows: Rows) -> NDArray[np.int32]:
        """Return the leaf of each row of checked cells."""
        found: NDArray[np.int32] = apply(
            self.feature,
            self.threshold,
            self.children_left,
            self.children_right,
            self.missing_go_to_left,
            self.set_begin,
            self.set_words,
            rows,
            threads(),
        )
        return found

    def paths(self, leaves: NDArray[np.int32]) -> Any:
        """Return the nodes that rows of known leaves pass, as a CSR indicator matrix."""
        parents = self.parents
        depths = self.depths
        distinct, which = np.unique(leaves, return_inverse=True)
        ways = {}
        for number, leaf in enumerate(distinct):
            node, way = int(leaf), []
            while node >= 0:
                way.append(node)
                node = int(parents[node])
            ways[number] = way[::-1]
        begin = np.concatenate([[0], np.cumsum(depths[leaves] + 1)])
        indices = np.concatenate([np.array(ways[number]) for number in which])
        shape = (len(leaves), self.node_count)
        return sparse.csr_matrix((np.ones(len(indices), np.int64), indices, begin), shape=shape)

    def compute_feature_importances(self, normalize: bool = True) -> Floats:
        """Return how much the splits by each feature take from the impurity, as shares.

        Parameters
        ----------
        normalize : bool
            Whether to divide by their sum.
        """
        found = np.zeros(self.n_features)
        inner = np.flatnonzero(self.children_left >= 0)
        mass = self.weighted_n_node_samples * self.impurity
        taken = mass[inner] - mass[self.children_left[inner]] - mass[self.children_right[inner]]
        np.add.at(found, self.feature[inner], taken)
        found = np.maximum(found, 0.0) / self.weighted_n_node_samples[0]  # a gain of zero, rounded
        total = found.sum()
        return found / total if normalize and total > 0 else found

    def partial_dependence(self, grid: Floats, features: NDArray[np.int64]) -> Floats:
        """Return predictions with some features set, averaged over the weight on either side.

        Parameters
        ----------
        grid : array of shape (n_points, n_set)
            What the features are set to.
        features : array of shape (n_set,)
        """
        found = np.zeros(len(grid))
        place = {int(feature): k for k, feature in enumerate(features)}
        waiting = [(0, np.ones(len(grid)))]
        while waiting:
            node, weight = waiting.pop()
            left, right = int(self.children_left[node]), int(self.children_right[node])
            if left < 0:
                found += weight * self.totals[node, 0]
            elif int(self.feature[node]) in place:
                goes = grid[:, place[int(self.feature[node])]] <= self.threshold[node]
                waiting += [(left, weight * goes), (right, weight * ~goes)]
            else:
                share = self.weighted_n_node_samples[left] / self.weighted_n_node_samples[node]
                waiting += [(left, weight * share), (right, weight * (1 - share))]
        return found

    def levels_left(self, node: int) -> NDArray[np.int64]:
        """Return the codes that go left at a node that asks for a category."""
        words = self.set_words[self.set_begin[node] : self.set_begin[node + 1]]
        bits = np.unpackbits(words.view(np.uint8), bitorder="little")
        return np.flatnonzero(bits)

    def asks_category(self, node: int) -> bool:
        """Return whether a node asks for a category."""
        return bool(self.set_begin[node] < self.set_begin[node + 1])

    def without(self, tops: NDArray[np.bool_]) -> Tree:
        """Return the tree in which the marked nodes are leaves."""
        end = np.arange(1, self.node_count + 1)  # of what is below each node
        for t in np.flatnonzero(self.children_left >= 0)[::-1]:
            end[t] = end[self.children_right[t]]
        kept = np.ones(self.node_count, bool)
        for t in np.flatnonzero(tops):
            kept[t + 1 : end[t]] = False
        number = np.cumsum(kept) - 1
        leaf = (tops | (self.children_left < 0))[kept]
        widths = np.where(leaf, 0, np.diff(self.set_begin)[kept])
        parts = [
            self.set_words[self.set_begin[t] : self.set_begin[t + 1]]
            for t in np.flatnonzero(kept & ~tops)
            if self.asks_category(int(t))
        ]
        nodes = {
            "left": np.where(leaf, LEAF, number[self.children_left[kept]]),
            "right": np.where(leaf, LEAF, number[self.children_right[kept]]),
            "feature": self.feature[kept],
            "threshold": self.threshold[kept],
            "missing_left": self.missing_go_to_left[kept] & ~leaf,
            "set_begin": np.concatenate([[0], np.cumsum(widths)]),
            "set_words": np.concatenate([*parts, np.empty(0, np.uint64)]),
            "impurity": self.impurity[kept],
            "samples": self.n_node_samples[kept],
            "weight": self.weighted_n_node_samples[kept],
            "value": self.totals[kept],
        }
        return Tree(nodes, self.n_features, self.max_n_classes if self.of_classes else 0)
