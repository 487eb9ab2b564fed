"""What came out of a run, and its JSON."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks._benchmark import Benchmark, Target
from benchmarks._machine import Machine

SCHEMA = 1


@dataclass(frozen=True)
class Timing:
    """What one contestant did.

    Attributes
    ----------
    name : str
    seconds : list of float
        Of one call, one value a round.
    calls : int
        How many calls were timed together in a round.
    score : float or None
        Mean quality over the seeds.
    """

    name: str
    seconds: list[float]
    calls: int
    score: float | None

    @property
    def best(self) -> float:
        """The least seconds."""
        return min(self.seconds)

    @property
    def median(self) -> float:
        """The median seconds."""
        return median(self.seconds)


@dataclass(frozen=True)
class Comparison:
    """Our time and results beside another's.

    Attributes
    ----------
    other : str or None
        None where there is only a limit in seconds.
    value : float
        What has the limit, from the best times.
    typical : float
        The same from the median times: far from `value` where the machine was not quiet.
    met : bool
        Whether `value` is within the limit.
    fault : str
        What is wrong with the quality; empty if nothing.
    """

    other: str | None
    value: float
    typical: float
    met: bool
    fault: str


@dataclass(frozen=True)
class Result:
    """What came out of one benchmark."""

    name: str
    what: str
    threads: int
    target: Target
    quality: str | None
    timings: list[Timing]
    comparisons: list[Comparison]

    @property
    def faults(self) -> list[str]:
        """What is wrong with the quality."""
        return [
            f"{self.name}: {c.fault} ({self.timings[0].name} beside {c.other})"
            for c in self.comparisons
            if c.fault
        ]


@dataclass(frozen=True)
class Report:
    """What came out of a run of several."""

    date: str
    machine: Machine
    results: list[Result]

    @property
    def faults(self) -> list[str]:
        """What is wrong with the quality of any."""
        return [fault for result in self.results for fault in result.faults]


def judged(benchmark: Benchmark, timings: list[Timing]) -> Result:
    """Return the result that the timings of a benchmark's contestants amount to."""
    ours, others = timings[0], timings[1:]
    return Result(
        name=benchmark.name,
        what=benchmark.what,
        threads=benchmark.threads,
        target=benchmark.target,
        quality=None if benchmark.quality is None else benchmark.quality.name,
        timings=timings,
        comparisons=[_compared(benchmark, ours, other) for other in others or (None,)],
    )


def _compared(benchmark: Benchmark, ours: Timing, other: Timing | None) -> Comparison:
    target, quality = benchmark.target, benchmark.quality
    value = target.value(ours.best, None if other is None else other.best)
    fault = ""
    if quality is not None and other is not None:
        assert ours.score is not None
        assert other.score is not None
        fault = quality.fault(ours.score, other.score)
    return Comparison(
        other=None if other is None else other.name,
        value=value,
        typical=target.value(ours.median, None if other is None else other.median),
        met=target.met(value),
        fault=fault,
    )


def write(report: Report, path: Path) -> None:
    """Write a report as JSON."""
    text = json.dumps({"schema": SCHEMA, **asdict(report)}, indent=1)
    path.write_text(text + "\n", encoding="utf-8")


def read(path: Path) -> Report:
    """Read a report that `write` wrote."""
    entries = json.loads(path.read_text(encoding="utf-8"))
    if entries.get("schema") != SCHEMA:
        raise ValueError(
            f"{path.name} has schema {entries.get('schema')!r}, this program reads {SCHEMA}: "
            "make the results again with --json."
        )
    return Report(
        date=entries["date"],
        machine=Machine(**entries["machine"]),
        results=[_result(entry) for entry in entries["results"]],
    )


def _result(entry: dict[str, Any]) -> Result:
    return Result(
        **{
            **entry,
            "target": Target(**entry["target"]),
            "timings": [Timing(**timing) for timing in entry["timings"]],
            "comparisons": [Comparison(**comparison) for comparison in entry["comparisons"]],
        }
    )
