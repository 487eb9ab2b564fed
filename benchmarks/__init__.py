"""Races against our peers: ``python -m benchmarks``.

A module named for a family of learners holds `BENCHMARKS`. A benchmark's name is for ever.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from benchmarks._benchmark import Benchmark

FAMILIES = (
    "perceptrons",
    "sgd",
    "squares",
    "classifiers",
    "any_loss",
    "margins",
    "trees",
    "online",
    "stream",
    "startup",
)


def catalogue() -> dict[str, Benchmark]:
    """Return all benchmarks by name, in the order in which they are run."""
    found: dict[str, Benchmark] = {}
    for family in FAMILIES:
        for benchmark in import_module(f"benchmarks.{family}").BENCHMARKS:
            if benchmark.name in found:
                raise ValueError(f"two benchmarks are called {benchmark.name!r}")
            found[benchmark.name] = benchmark
    return found
