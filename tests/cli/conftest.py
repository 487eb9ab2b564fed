"""The command line, without a new interpreter for each line."""

from __future__ import annotations

import io
import sys
from pathlib import Path
from typing import Any

import pytest

from cli.streaming import Done, Run
from inducer.cli import app


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfdbinary: Any) -> Run:
    """Return a function that types a line in an empty folder, without a new interpreter."""
    monkeypatch.chdir(tmp_path)

    def run(line: str, stdin: bytes = b"", code: int | None = 0) -> Done:
        monkeypatch.setattr(sys, "argv", ["inducer", *line.split()])
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BufferedReader(io.BytesIO(stdin))))
        try:
            app.main()
            left = 0
        except SystemExit as stop:
            left = stop.code if isinstance(stop.code, int) else 0
        out, err = (text.decode("utf-8", "replace") for text in capfdbinary.readouterr())
        assert code is None or left == code, err
        return Done(left, out, err)

    return run
