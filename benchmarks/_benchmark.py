"""What a benchmark is: data, contestants, a target and a rule of quality."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

Data = Any  # what a maker returns; only the benchmark's own functions look inside
Made = Any  # what a contestant returns: a fitted learner, predictions, ...


@dataclass(frozen=True)
class Contestant:
    """One way to do the work.

    Attributes
    ----------
    name : str
    work : callable
        ``work(data, seed)`` is timed; what it returns is judged.
    """

    name: str
    work: Callable[[Data, int], Made]


@dataclass(frozen=True)
class Target:
    """What is wanted of our time.

    Attributes
    ----------
    kind : {"faster", "cost", "within"}
        Of what the limit is: "faster", how many times as long the other takes, at least; "cost",
        how many times as long we take as the other, who does less; "within", our seconds.
    limit : float
    """

    kind: Literal["faster", "cost", "within"]
    limit: float

    def value(self, ours: float, other: float | None) -> float:
        """Return the number that has the limit, from seconds."""
        if other is None:
            return ours
        return other / ours if self.kind == "faster" else ours / other

    def met(self, value: float) -> bool:
        """Return whether a number is within the limit."""
        return value >= self.limit if self.kind == "faster" else value < self.limit


@dataclass(frozen=True)
class Quality:
    """What makes speed count: results as good as the others'.

    Attributes
    ----------
    name : str
    score : callable
        ``score(data, made)`` tells how good a result is.
    tolerance : float
        By how much our mean over the seeds may be worse than another's.
    better : {"higher", "lower"}
        "lower" for objectives and errors.
    """

    name: str
    score: Callable[[Data, Made], float]
    tolerance: float
    better: Literal["higher", "lower"] = "higher"

    def fault(self, ours: float, other: float) -> str:
        """Return what is wrong with our mean score beside another's, or nothing."""
        lead = ours - other if self.better == "higher" else other - ours
        if lead >= -self.tolerance:  # false for NaN
            return ""
        return (
            f"{self.name} {ours:.6g} against {other:.6g}: {self.better} is better, and the "
            f"tolerance is {self.tolerance:g}"
        )


@dataclass(frozen=True)
class Benchmark:
    """A race of contestants over the same data.

    Attributes
    ----------
    name : str
        Its name for ever: results of all times are compared by it.
    what : str
        The work, in a few words.
    data : callable
        ``data(scale)`` makes the data, the same every time; 1 is full size.
    contestants : sequence of Contestant
        Ours first.
    target : Target
        What is wanted of our time, beside each other contestant's.
    quality : Quality, optional
        What is wanted of our results.
    threads : int
        How many threads our kernels and BLAS may use.
    seconds : float
        After so long no further round begins, once there are three.
    """

    name: str
    what: str
    data: Callable[[float], Data]
    contestants: Sequence[Contestant]
    target: Target
    quality: Quality | None = None
    threads: int = 1
    seconds: float = 12.0
