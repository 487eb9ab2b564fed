"""Fits that are sums over rows: statistics of a block, a merge, and a solve.

A learner writes three functions: ``statistics(block)`` for some rows, ``merge(a, b)`` for two such
results, and a solve that makes the model of the total. `reduce_blocks` runs the first two over any
`Blocks`: here, the rows of an array in threads. A source says how it is cut, and the cut depends on
the data alone; results are merged in the order of the blocks. So the total has the same bits
however many threads there are.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import reduce
from typing import Protocol, TypeVar

from inducer.base._threads import threads

B = TypeVar("B", covariant=True)
Block = TypeVar("Block")
Statistics = TypeVar("Statistics")


class Blocks(Protocol[B]):
    """A source of blocks that can be gone through again and again."""

    def __iter__(self) -> Iterator[B]:
        """Yield the blocks, always the same ones in the same order."""
        ...

    def __len__(self) -> int:
        """Return how many there are."""
        ...


@dataclass(frozen=True)
class RowBlocks:
    """The rows of an array as ranges, each worth the hand-over to a thread."""

    rows: int
    work: float  # multiply-adds a row costs
    block_work: float = 1 << 20

    def __len__(self) -> int:
        """Return how many blocks there are: a function of rows and work alone."""
        return max(1, min(self.rows, round(self.rows * self.work / self.block_work)))

    def __iter__(self) -> Iterator[slice]:
        """Yield the ranges, in order, of lengths that differ by one at most."""
        count = len(self)
        for k in range(count):
            yield slice(self.rows * k // count, self.rows * (k + 1) // count)


def reduce_blocks(
    blocks: Blocks[Block],
    statistics: Callable[[Block], Statistics],
    merge: Callable[[Statistics, Statistics], Statistics],
) -> Statistics:
    """Return the merged statistics of all blocks.

    Parameters
    ----------
    blocks : Blocks
        Where the rows come from.
    statistics : callable
        From a block to its statistics; should release the interpreter lock, as our kernels and
        NumPy do, and may run in any thread. `threads` is 1 there: the blocks have the processors.
    merge : callable
        From two statistics to theirs together; called in the order of the blocks.

    Examples
    --------
    >>> import numpy as np
    >>> x = np.arange(10.0)
    >>> reduce_blocks(RowBlocks(10, 1.0), lambda rows: x[rows].sum(), lambda a, b: a + b).item()
    45.0
    """
    workers = min(threads(), len(blocks))
    if workers <= 1:
        return reduce(merge, map(statistics, blocks))
    with ThreadPoolExecutor(workers, "inducer-blocks", initializer=threads, initargs=(1,)) as pool:
        return reduce(merge, _in_order(pool, statistics, blocks, 2 * workers))


def _in_order(
    pool: Executor,
    statistics: Callable[[Block], Statistics],
    blocks: Blocks[Block],
    most: int,
) -> Iterator[Statistics]:
    """Yield the statistics in the order of the blocks, of which no more than `most` are held."""
    waiting: deque[Future[Statistics]] = deque()
    try:
        for block in blocks:
            waiting.append(pool.submit(statistics, block))
            if len(waiting) >= most:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    finally:
        for future in waiting:
            future.cancel()
