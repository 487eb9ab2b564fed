"""``python -m benchmarks``: race, show the ratios, keep the results, fill the README."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from benchmarks import _report, _results, catalogue
from benchmarks._benchmark import Benchmark
from benchmarks._machine import this_machine
from benchmarks._results import Report
from benchmarks._run import run

README = Path(__file__).parents[1] / "README.md"
WIDE = 180

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)


@app.command()
def main(
    names: Annotated[
        list[str] | None, typer.Argument(help="Which to run or show; all of them by default.")
    ] = None,
    json: Annotated[
        Path | None, typer.Option("--json", dir_okay=False, help="Write the results there.")
    ] = None,
    source: Annotated[
        Path | None,
        typer.Option("--from", exists=True, dir_okay=False, help="Show these; run nothing."),
    ] = None,
    readme: Annotated[
        bool, typer.Option("--readme", help="Write the table into README.md.")
    ] = False,
    repeat: Annotated[int, typer.Option(min=1, help="Rounds of each benchmark.")] = 5,
    listed: Annotated[bool, typer.Option("--list", help="Name the benchmarks; run none.")] = False,
) -> None:
    """Race inducer against its peers, in one process, on the same data.

    The ratio is of the best times. Exit code 1: results of ours were worse than a peer's.
    """
    console = Console(width=None if sys.stdout.isatty() else WIDE, highlight=False)
    known = catalogue()
    if readme and names:
        raise typer.BadParameter("give no names: it shows a whole run", param_hint="--readme")
    if listed:
        for benchmark in known.values():
            typer.echo(f"{benchmark.name:36}{benchmark.what}")
        return
    if source is None:
        report = _race([known[name] for name in _chosen(names, list(known))], repeat)
    else:
        report = _kept(source, names)
    _report.print_report(report, console)
    if json is not None:
        _results.write(report, json)
    if report.faults:
        raise typer.Exit(1)
    if readme:
        try:
            _report.update_readme(report, README)
        except ValueError as error:
            raise typer.BadParameter(str(error), param_hint="--readme") from None


def _chosen(names: Sequence[str] | None, known: Sequence[str]) -> Sequence[str]:
    """Return the names asked for, all by default."""
    unknown = sorted(set(names or ()) - set(known))
    if unknown:
        raise typer.BadParameter(f"no benchmark is called {', '.join(unknown)}; --list names them")
    return names or known


def _race(benchmarks: Sequence[Benchmark], repeat: int) -> Report:
    """Run benchmarks, telling on the error stream which one is at work."""
    machine = this_machine()  # before our own load
    date = datetime.now(UTC).isoformat(timespec="seconds")
    results = []
    console = Console(stderr=True, highlight=False)
    with console.status("") as status:
        for at, benchmark in enumerate(benchmarks, 1):
            status.update(f"{at} of {len(benchmarks)}: {benchmark.name}")
            results.append(run(benchmark, repeat=repeat))
    return Report(date=date, machine=machine, results=results)


def _kept(source: Path, names: Sequence[str] | None) -> Report:
    """Return the results of a file, all or those of some names."""
    try:
        report = _results.read(source)
    except (ValueError, KeyError, TypeError) as error:
        raise typer.BadParameter(f"{source.name}: {error}", param_hint="--from") from None
    by_name = {result.name: result for result in report.results}
    chosen = _chosen(names, list(by_name))
    return Report(report.date, report.machine, [by_name[name] for name in chosen])


if __name__ == "__main__":
    app(prog_name="python -m benchmarks")
