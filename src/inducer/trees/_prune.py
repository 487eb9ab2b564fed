"""Pruning: which nodes of a grown tree are better leaves."""

from __future__ import annotations

import heapq
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from inducer.trees._tree import Tree

Floats = NDArray[np.float64]


def weakest_links(tree: Tree) -> Iterator[tuple[float, float, int]]:
    """Yield the steps of cost-complexity pruning: alpha, the impurity left, the node cut below.

    The cost of a tree is the impurity of its leaves, weighted by rows, plus alpha times their
    number. A node is worth its subtree up to alpha = (its impurity - that of the subtree's leaves)
    / (leaves - 1); the node of the smallest is cut first, the first in preorder among equals.
    """
    count = tree.node_count
    parents = tree.parents
    own = tree.impurity * tree.weighted_n_node_samples / tree.weighted_n_node_samples[0]
    below, leaves = own.copy(), np.ones(count, np.int64)
    inner = tree.children_left >= 0
    for t in np.flatnonzero(inner)[::-1]:
        left, right = tree.children_left[t], tree.children_right[t]
        below[t], leaves[t] = below[left] + below[right], leaves[left] + leaves[right]
    alpha = np.full(count, np.inf)
    alpha[inner] = (own - below)[inner] / (leaves[inner] - 1)
    waiting = [(float(alpha[t]), int(t)) for t in np.flatnonzero(inner)]
    heapq.heapify(waiting)
    while waiting:
        least, t = heapq.heappop(waiting)
        if not inner[t] or least != alpha[t]:
            continue  # cut already, or weighed anew
        gained, fewer = own[t] - below[t], leaves[t] - 1
        _cut(tree, t, inner)
        below[t], leaves[t], alpha[t] = own[t], 1, np.inf
        up = int(parents[t])
        while up >= 0:
            below[up] += gained
            leaves[up] -= fewer
            alpha[up] = (own[up] - below[up]) / (leaves[up] - 1)
            heapq.heappush(waiting, (float(alpha[up]), up))
            up = int(parents[up])
        yield least, float(below[0]), t


def _cut(tree: Tree, top: int, inner: NDArray[np.bool_]) -> None:
    """Mark a node and all below it as no longer split."""
    waiting = [top]
    while waiting:
        t = waiting.pop()
        if inner[t]:
            inner[t] = False
            waiting += [int(tree.children_left[t]), int(tree.children_right[t])]


def cost_complexity_pruned(tree: Tree, ccp_alpha: float) -> Tree:
    """Return the tree of the least cost at an alpha."""
    tops = np.zeros(tree.node_count, bool)
    for alpha, _, t in weakest_links(tree):
        if alpha > ccp_alpha:
            break
        tops[t] = True
    return tree.without(tops) if tops.any() else tree


def reduced_error_pruned(tree: Tree, errors: Floats) -> Tree:
    """Return the tree without the splits that held-out rows are no better for.

    Parameters
    ----------
    errors : array of shape (node_count,)
        What the held-out rows that pass each node would cost if it were a leaf.
    """
    least = errors.copy()
    tops = np.zeros(tree.node_count, bool)
    for t in np.flatnonzero(tree.children_left >= 0)[::-1]:
        split = least[tree.children_left[t]] + least[tree.children_right[t]]
        tops[t] = errors[t] <= split * (1 + 1e-12)
        least[t] = min(errors[t], split)
    return tree.without(tops) if tops.any() else tree


def passing(tree: Tree, at_leaves: Floats) -> Floats:
    """Return sums over all rows that pass a node, from the sums over the rows of each leaf."""
    sums = at_leaves.copy()
    for t in np.flatnonzero(tree.children_left >= 0)[::-1]:
        sums[t] += sums[tree.children_left[t]] + sums[tree.children_right[t]]
    return sums
