"""`inducer course`: the course map as a table."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from rich.markup import escape
from rich.table import Table

from inducer.cli._console import make_console
from inducer.cli._course_map import Row


def print_rows(shown: Sequence[Row], counted: Sequence[Row]) -> None:
    """Print the rows shown, then how many of the rows counted are alive."""
    console = make_console()
    if shown:
        console.print(_table(shown))
    alive = sum(row.alive for row in counted)
    console.print(f"{alive} of {len(counted)} rows alive")


def _table(shown: Sequence[Row]) -> Table:
    table = Table("id", "what", "from", "at", "alive")
    ends = [a.package != b.package for a, b in pairwise(shown)] + [False]
    for row, end in zip(shown, ends, strict=True):
        table.add_row(
            row.id,
            escape(row.what),
            escape(row.source),
            "\n".join(row.at),
            "[green]yes[/green]" if row.alive else "[dim]no[/dim]",
            end_section=end,
        )
    return table
