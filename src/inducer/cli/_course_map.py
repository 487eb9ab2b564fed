"""The course map: what inducer must be able to do, row by row, and which rows are alive."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path

TODO = "todo"


@dataclass(frozen=True)
class Row:
    """One thing a course teaches, and where inducer does it.

    Attributes
    ----------
    package : str
        The package it belongs to, without the leading ``inducer.``.
    id : str
        Its name in the map, unique.
    what : str
        The subject in a few words.
    source : str
        The chapters, lectures or sections that teach it (the column ``from``).
    at : tuple of str
        The public names that do it, the main one first (the columns ``at`` and ``also``).
    test : str
        The pytest file or node that proves it, or ``todo``.
    experiment : str
        The script that shows it, or ``todo``.
    """

    package: str
    id: str
    what: str
    source: str
    at: tuple[str, ...]
    test: str
    experiment: str

    @property
    def alive(self) -> bool:
        """Whether a test proves the row."""
        return self.test != TODO


def source_file() -> Traversable:
    """Return ``docs/course_map.yaml`` of the checkout, or the copy in an installed package.

    The checkout comes first, so that an edit shows at once under an editable install.
    """
    checkout = Path(__file__).parents[3] / "docs" / "course_map.yaml"
    return checkout if checkout.is_file() else files("inducer.cli") / "course_map.yaml"


@cache
def rows() -> tuple[Row, ...]:
    """Return all rows in the order of the file."""
    import yaml

    packages = yaml.safe_load(source_file().read_text(encoding="utf-8"))
    return tuple(
        Row(
            package=package,
            id=entry["id"],
            what=entry["what"],
            source=entry["from"],
            at=(entry["at"], *entry.get("also", ())),
            test=entry["test"],
            experiment=entry["experiment"],
        )
        for package, entries in packages.items()
        for entry in entries
    )
