"""The command `inducer`.

Nothing heavy is imported here: each command imports what it needs when it runs, so that
``inducer --help`` answers at once.
"""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from inducer import __version__
from inducer.cli import _course_map
from inducer.cli._stream import predict, stream

app = typer.Typer(
    name="inducer",
    help="Programs that take examples and give back a hypothesis.",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)


def main() -> None:
    """Run the command line; an error of ours, or of the system, is one line and exit code 2."""
    try:
        app()
        if sys.stdout is not None:
            sys.stdout.flush()  # a full disk is found out here, not at exit
    except Exception as error:
        if not (isinstance(error, OSError) or _is_ours(error)):
            raise
        typer.secho(f"error: {' '.join(str(error).split())}", fg="red", err=True)
        sys.exit(2)


def _is_ours(error: Exception) -> bool:
    """Tell whether it is an `InducerError`, without loading the module that defines it."""
    errors = sys.modules.get("inducer.base.errors")
    return errors is not None and isinstance(error, errors.InducerError)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"inducer {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Print the version and exit."
        ),
    ] = False,
) -> None:
    pass


def _known_package(name: str | None) -> str | None:
    packages = list(dict.fromkeys(row.package for row in _course_map.rows()))
    if name is not None and name not in packages:
        raise typer.BadParameter(
            f"there is no package {name!r} in the course map; choose from {', '.join(packages)}"
        )
    return name


@app.command()
def course(
    package: Annotated[
        str | None,
        typer.Option(callback=_known_package, help="Only the rows of this package."),
    ] = None,
    alive: Annotated[
        bool | None,
        typer.Option("--alive/--todo", help="Only the rows that work, or only those to come."),
    ] = None,
) -> None:
    """Print the course map, and which of its rows are alive."""
    from inducer.cli._course import print_rows

    counted = [row for row in _course_map.rows() if package in (None, row.package)]
    shown = [row for row in counted if alive in (None, row.alive)]
    print_rows(shown, counted)


@app.command()
def study(
    table: Annotated[str, typer.Argument(help="A bundled table with classes.")] = "heart",
    repeats: Annotated[int, typer.Option(min=1, help="How often the ten folds are drawn.")] = 3,
    seed: Annotated[
        int, typer.Option(min=0, max=2**32 - 1, help="Seed of the folds and the learners.")
    ] = 0,
) -> None:
    """Compare the perceptron family on a bundled table."""
    from inducer.cli._study import print_study

    print_study(table, repeats=repeats, seed=seed)


app.command()(stream)
app.command()(predict)
