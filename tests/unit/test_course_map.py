"""The course map tells the truth: what it says is alive imports, and has a test that runs."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from functools import cache
from importlib import import_module
from importlib.metadata import files
from pathlib import Path
from typing import Any

import pytest

from inducer.cli import _course_map
from inducer.cli._course_map import TODO, Row

ROOT = Path(__file__).parents[2]
ROWS = _course_map.rows()
ALIVE = [row for row in ROWS if row.alive]


def resolve(path: str) -> Any:
    """Return what a dotted path names: a module, or something in one."""
    try:
        return import_module(path)
    except ModuleNotFoundError:
        module, _, name = path.rpartition(".")
        return getattr(import_module(module), name)


@cache
def collected() -> frozenset[str]:
    """Return the files, and the nodes, that pytest collects for the tests of the map."""
    paths = {row.test.partition("::")[0] for row in ALIVE}
    there = sorted(path for path in paths if (ROOT / path).is_file())
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "--collect-only", "-q", *there],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    nodes = [line.partition("[")[0] for line in done.stdout.splitlines() if "::" in line]
    parts = [node.split("::") for node in nodes]
    return frozenset("::".join(part[:n]) for part in parts for n in range(1, len(part) + 1))


def test_ids_are_unique() -> None:
    assert [name for name, n in Counter(row.id for row in ROWS).items() if n > 1] == []


def test_rows_are_complete() -> None:
    for row in ROWS:
        assert all([row.what, row.source, row.test, row.experiment, *row.at]), row
        assert all(at.startswith("inducer.") for at in row.at), row


@pytest.mark.parametrize("row", ALIVE, ids=lambda row: row.id)
def test_what_is_alive_imports(row: Row) -> None:
    for at in row.at:
        assert resolve(at) is not None


@pytest.mark.parametrize("row", ALIVE, ids=lambda row: row.id)
def test_what_is_alive_has_a_test_that_is_collected(row: Row) -> None:
    assert row.test.startswith("tests/")
    assert row.test in collected()


def test_experiments_exist() -> None:
    named = {row.experiment for row in ROWS} - {TODO}
    assert [path for path in named if not (ROOT / path).is_file()] == []


def test_installed_package_has_the_map() -> None:
    """A wheel has no docs folder: `inducer course` must find its own copy."""
    assert [f for f in files("inducer") or [] if str(f) == "inducer/cli/course_map.yaml"]
