"""Sums over blocks of rows: the same bits on any number of threads, and errors that come out."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import inducer
from inducer.base import RowBlocks, reduce_blocks
from inducer.base.blocks import Blocks


@pytest.mark.parametrize("rows", [0, 1, 2, 7, 1000, 12_345])
@pytest.mark.parametrize("work", [0.0, 1.0, 1e3, 1e9])
def test_ranges_cover_the_rows_once_and_evenly(rows: int, work: float) -> None:
    blocks = RowBlocks(rows, work)
    ranges = list(blocks)
    assert len(ranges) == len(blocks)
    assert ranges == list(blocks)  # again and again
    assert [r for block in ranges for r in range(block.start, block.stop)] == [*range(rows)]
    lengths = {block.stop - block.start for block in ranges}
    assert max(lengths) - min(lengths) <= 1
    assert 0 not in lengths or rows == 0


def test_the_cut_does_not_depend_on_threads() -> None:
    cuts = []
    for number in (1, 2, 7):
        with inducer.threads(number):
            cuts.append(list(RowBlocks(5000, 1000.0)))
    assert cuts[0] == cuts[1] == cuts[2]
    assert len(cuts[0]) == 5


def test_same_bits_on_any_number_of_threads() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(4001, 3)) * 10.0 ** rng.integers(-9, 9, size=(4001, 1))
    blocks = RowBlocks(len(X), 9.0, block_work=1000.0)
    assert len(blocks) == 36

    def total(number: int) -> bytes:
        def statistics(rows: slice) -> Any:
            time.sleep(rng_of_block(rows.start))  # blocks end in any order
            return X[rows].T @ X[rows]

        with inducer.threads(number):
            return reduce_blocks(blocks, statistics, np.add).tobytes()  # type: ignore[no-any-return]

    def rng_of_block(start: int) -> float:
        return 0.002 if start % 3 == 0 else 0.0

    first = total(1)
    assert total(2) == first
    assert total(7) == first
    # The order matters for these numbers, so the test above can fail.
    parts = [X[rows].T @ X[rows] for rows in blocks]
    backwards = parts[-1]
    for part in parts[-2::-1]:
        backwards = backwards + part
    assert backwards.tobytes() != first


def test_merges_are_made_in_order_and_in_the_caller_s_thread() -> None:
    here = threading.get_ident()
    merging: set[int] = set()

    def merge(a: list[int], b: list[int]) -> list[int]:
        merging.add(threading.get_ident())
        return a + b

    with inducer.threads(3):
        starts = reduce_blocks(RowBlocks(100, 1.0, 1.0), lambda rows: [rows.start], merge)
    assert starts == [*range(100)]
    assert merging == {here}


def test_threads_are_used_and_no_more_than_asked_for() -> None:
    together = threading.Barrier(3, timeout=20)
    workers: set[str] = set()

    def statistics(rows: slice) -> int:
        workers.add(threading.current_thread().name)
        together.wait()  # passes only if three run at once
        return 1

    with inducer.threads(3):
        assert reduce_blocks(RowBlocks(9, 1.0, 1.0), statistics, lambda a, b: a + b) == 9
    assert len(workers) == 3
    assert all(name.startswith("inducer-blocks") for name in workers)


def test_one_thread_or_one_block_stays_here() -> None:
    here = threading.get_ident()
    for number, rows in ((1, 50), (4, 1)):
        with inducer.threads(number):
            found = reduce_blocks(
                RowBlocks(rows, 1.0, 1.0), lambda _: {threading.get_ident()}, set.union
            )
        assert found == {here}


def test_inside_a_block_there_is_one_thread() -> None:
    with inducer.threads(3):
        counts = reduce_blocks(RowBlocks(6, 1.0, 1.0), lambda _: [inducer.threads()], list.__add__)
        assert inducer.threads() == 3
    assert counts == [1] * 6


@pytest.mark.parametrize("number", [1, 2, 7])
def test_errors_come_out_and_the_rest_is_not_done(number: int) -> None:
    done: list[int] = []

    def statistics(rows: slice) -> int:
        if rows.start == 3:
            raise ZeroDivisionError("block 3")
        time.sleep(0.001)
        done.append(rows.start)
        return 1

    with inducer.threads(number), pytest.raises(ZeroDivisionError, match="block 3"):
        reduce_blocks(RowBlocks(500, 1.0, 1.0), statistics, lambda a, b: a + b)
    assert {0, 1, 2} <= set(done)
    assert len(done) <= 3 + 2 * number
    count = len(done)
    time.sleep(0.02)
    assert len(done) == count  # nothing goes on behind our back


def test_an_error_in_a_merge_comes_out() -> None:
    def merge(a: int, b: int) -> int:
        raise OverflowError

    with inducer.threads(2), pytest.raises(OverflowError):
        reduce_blocks(RowBlocks(10, 1.0, 1.0), lambda rows: rows.start, merge)


class Stream:
    """Blocks that are read one by one, as from a file larger than memory."""

    def __init__(self, count: int) -> None:
        self.count = count
        self.read = 0
        self.merged = 1
        self.most_held = 0

    def __len__(self) -> int:
        return self.count

    def __iter__(self) -> Iterator[int]:
        for k in range(self.count):
            self.read += 1
            self.most_held = max(self.most_held, self.read - self.merged)
            yield k


def test_any_source_of_blocks_will_do_and_is_not_read_all_at_once() -> None:
    stream = Stream(200)
    source: Blocks[int] = stream

    def merge(a: int, b: int) -> int:
        stream.merged += 1
        return a + b

    with inducer.threads(3):
        assert reduce_blocks(source, lambda k: k, merge) == sum(range(200))
    assert stream.read == 200
    assert stream.most_held <= 2 * 3 + 1
