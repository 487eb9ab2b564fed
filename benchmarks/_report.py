"""What is shown of a report: a table for the terminal, a table for the README."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from benchmarks._machine import Machine
from benchmarks._results import Comparison, Report, Result

BEGIN, END = "<!-- speed -->", "<!-- /speed -->"


def print_report(report: Report, console: Console) -> None:
    """Print the times, the ratios with their targets, and what is wrong."""
    table = Table("benchmark", "contestant")
    for head in ("best", "median", "quality", "ratio", "by medians", "target"):
        table.add_column(head, justify="right")
    table.add_column("")
    for result in report.results:
        for row in _rows(result):
            table.add_row(*row)
        table.add_section()
    console.print(table)
    console.print(f"{describe(report.machine)}; {report.date}")
    if not report.machine.quiet:
        console.print(
            f"[yellow]The machine was not quiet (load {report.machine.load} at the start): "
            "take the times with care.[/yellow]"
        )
    for fault in report.faults:
        console.print(f"[bold red]WORSE QUALITY[/bold red] {escape(fault)}")


def _rows(result: Result) -> Iterator[tuple[str, ...]]:
    """Give the rows of one benchmark: ours, then each other with the comparison."""
    ours, *others = result.timings
    verdicts = [_verdict(result, comparison) for comparison in result.comparisons]
    heads = [("", "", "", ""), *verdicts] if others else verdicts
    for at, (timing, verdict) in enumerate(zip([ours, *others], heads, strict=True)):
        yield (
            escape(result.name) if at == 0 else "",
            escape(timing.name),
            show_seconds(timing.best),
            show_seconds(timing.median),
            "" if timing.score is None else f"{timing.score:.4f}",
            *verdict,
        )


def _verdict(result: Result, comparison: Comparison) -> tuple[str, str, str, str]:
    if comparison.fault:
        word = "[bold red]WORSE QUALITY[/bold red]"
    elif comparison.met:
        word = "[green]met[/green]"
    else:
        word = "[red]missed[/red]"
    return (
        show_value(result, comparison.value),
        show_value(result, comparison.typical),
        show_target(result),
        word,
    )


def show_seconds(seconds: float) -> str:
    """Return a time with three digits and a fitting unit."""
    for unit, size in (("s", 1.0), ("ms", 1e-3)):
        if seconds >= size:
            return f"{_three(seconds / size)} {unit}"
    return f"{_three(seconds / 1e-6)} µs"


def _three(number: float) -> str:
    """Return three digits of a number, all of those before the point."""
    digits = 0 if number >= 99.95 else 1 if number >= 9.995 else 2
    return f"{number:.{digits}f}"


def show_value(result: Result, value: float) -> str:
    """Return the number that the target limits."""
    return show_seconds(value) if result.target.kind == "within" else f"{value:.2f}×"


def show_target(result: Result) -> str:
    """Return the target in signs."""
    sign = "≥" if result.target.kind == "faster" else "<"
    if result.target.kind == "within":
        return f"{sign} {show_seconds(result.target.limit)}"
    return f"{sign} {result.target.limit:g}×"


def describe(machine: Machine) -> str:
    """Return the machine and the libraries in a line."""
    packages = ", ".join(f"{name} {version}" for name, version in machine.packages.items())
    return (
        f"{machine.cpu}, {machine.cores} cores, {machine.memory:g} GiB, kernels {machine.isa}; "
        f"{machine.system}, {machine.python}, {packages}"
    )


# ---- README --------------------------------------------------------------------------------------


def markdown(report: Report) -> str:
    """Return the report as a Markdown table, and where it was measured."""
    lines = [
        "| what | ours | the other's | ratio | target |",
        "|---|---:|---:|---:|---:|",
    ]
    for result in report.results:
        others = result.timings[1:] or (None,)
        for timing, comparison in zip(others, result.comparisons, strict=True):
            peer = "" if timing is None else f"{show_seconds(timing.best)} ({timing.name})"
            missed = "" if comparison.met else ", missed"
            cells = (
                result.what,
                show_seconds(result.timings[0].best),
                peer,
                "" if timing is None else f"**{comparison.value:.1f}×**",
                show_target(result) + missed,
            )
            lines.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
    day = report.date.partition("T")[0]
    lines += ["", f"Best times of `python -m benchmarks` on {day}: {describe(report.machine)}."]
    return "\n".join(lines)


def update_readme(report: Report, readme: Path) -> None:
    """Write the table between the two marks of a README.

    Raises
    ------
    ValueError
        When the marks are not there once each, in order.
    """
    text = readme.read_text(encoding="utf-8")
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end or BEGIN in rest or END in before + after:
        raise ValueError(f"{readme.name} must have one line {BEGIN} and, below it, one line {END}.")
    readme.write_text(f"{before}{BEGIN}\n{markdown(report)}\n{END}{after}", encoding="utf-8")
