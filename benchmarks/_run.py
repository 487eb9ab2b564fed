"""Running a benchmark: the contestants take turns, in one process, on the same data."""

from __future__ import annotations

import gc
import math
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from statistics import fmean

from threadpoolctl import threadpool_limits

import inducer
from benchmarks._benchmark import Benchmark, Contestant, Data, Made
from benchmarks._results import Result, Timing, judged

SEEDS = 3  # quality is a mean over so many; a round uses the next of them
SHORT = 0.02  # seconds; quicker work is called several times in a round
# Seconds of nothing before the clock starts: the threads of BLAS turn in circles for some 30 ms
# after their last work, on the processors of whoever comes next.
REST = 0.1


def run(benchmark: Benchmark, *, repeat: int = 5, scale: float = 1.0) -> Result:
    """Return the times and the quality of a benchmark's contestants.

    Parameters
    ----------
    benchmark : Benchmark
    repeat : int
        Rounds, in each of which every contestant has its turn.
    scale : float
        Size of the data; 1 is full.
    """
    data = benchmark.data(scale)
    with inducer.threads(benchmark.threads), threadpool_limits(benchmark.threads):
        calls = [_calls(contestant, data) for contestant in benchmark.contestants]
        seconds: list[list[float]] = [[] for _ in benchmark.contestants]
        scores: list[dict[int, float]] = [{} for _ in benchmark.contestants]
        for number in _rounds(repeat, benchmark.seconds):
            seed = number % SEEDS
            for at in _order(len(calls), number):
                spent, made = _timed(benchmark.contestants[at], data, seed, calls[at])
                seconds[at].append(spent)
                if benchmark.quality is not None and seed not in scores[at]:
                    scores[at][seed] = benchmark.quality.score(data, made)
                del made  # before the next turn needs the memory
        if benchmark.quality is not None:
            for seed in range(repeat, SEEDS):
                for at, contestant in enumerate(benchmark.contestants):
                    scores[at][seed] = benchmark.quality.score(data, contestant.work(data, seed))
    timings = [
        Timing(contestant.name, spent, number, fmean(found.values()) if found else None)
        for contestant, spent, number, found in zip(
            benchmark.contestants, seconds, calls, scores, strict=True
        )
    ]
    return judged(benchmark, timings)


def _calls(contestant: Contestant, data: Data) -> int:
    """Warm up, and return how many calls fill a round."""
    _timed(contestant, data, 0, 1)  # imports, page faults
    spent, _ = _timed(contestant, data, 0, 1)
    return max(1, math.ceil(SHORT / spent))


def _rounds(repeat: int, seconds: float) -> Iterator[int]:
    """Count the rounds, at least `SEEDS` where asked for; the last begins before the time is up."""
    begin = time.perf_counter()
    for number in range(repeat):
        if number >= SEEDS and time.perf_counter() - begin > seconds:
            return
        yield number


def _order(contestants: int, number: int) -> Sequence[int]:
    """Return whose turn it is first, second, ...: the other way round in every other round."""
    turns = range(contestants)
    return turns if number % 2 == 0 else turns[::-1]


def _timed(contestant: Contestant, data: Data, seed: int, calls: int) -> tuple[float, Made]:
    """Return the seconds of one call, and what the last call made."""
    work = contestant.work
    with _no_collection():
        time.sleep(REST)
        begin = time.perf_counter()
        for _ in range(calls):
            made = work(data, seed)
        return (time.perf_counter() - begin) / calls, made


@contextmanager
def _no_collection() -> Iterator[None]:
    """Collect garbage now, and not within the block."""
    gc.collect()
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()
