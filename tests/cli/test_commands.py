"""The installed command: what it prints, its exit codes, and that it starts light."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
import tomllib
from pathlib import Path
from typing import Any

import pytest

CASES = tomllib.loads(Path(__file__).with_name("commands.toml").read_text(encoding="utf-8"))
INDUCER = Path(sysconfig.get_path("scripts")) / "inducer"
HEAVY = {"numpy", "scipy", "sklearn", "polars", "pandas", "narwhals", "skops", "rich", "yaml"}


def run(*command: str | Path) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"COLUMNS": "200", "TERM": "dumb"}
    return subprocess.run(
        command, capture_output=True, text=True, env=environment, stdin=subprocess.DEVNULL
    )


@pytest.mark.parametrize("case", CASES["command"], ids=lambda case: case["line"] or "nothing")
def test_command(case: dict[str, Any]) -> None:
    done = run(INDUCER, *case["line"].split())
    assert done.returncode == case.get("code", 0), done.stderr
    for words in case.get("out", ()):
        assert words in done.stdout + (done.stderr if case["line"] == "" else "")
    for words in case.get("not_out", ()):
        assert words not in done.stdout
    for words in case.get("err", ()):
        assert words in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("argument", ["--help", "--version"])
def test_starts_light(argument: str) -> None:
    """Not a timed test: what takes time is what it imports."""
    code = f"""
import sys
from inducer.cli.app import main
sys.argv = ["inducer", {argument!r}]
try:
    main()
finally:
    print("modules", *{{name.partition(".")[0] for name in sys.modules}})
"""
    done = run(sys.executable, "-c", code)
    assert done.returncode == 0, done.stderr
    modules = set(done.stdout.splitlines()[-1].split())
    assert {"modules", "typer", "inducer"} <= modules
    assert modules.isdisjoint(HEAVY)


def test_error_of_ours_is_one_line(monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    from inducer.base.errors import InputError
    from inducer.cli import app

    def fail() -> None:
        raise InputError("row 3 is\nnot a row")

    monkeypatch.setattr(app, "app", fail)
    with pytest.raises(SystemExit) as stop:
        app.main()
    assert stop.value.code == 2
    assert capsys.readouterr().err == "error: row 3 is not a row\n"


@pytest.mark.skipif(not Path("/dev/full").is_char_device(), reason="no full device here")
def test_a_full_disk_is_one_line() -> None:
    with open("/dev/full", "w") as full:
        done = subprocess.run([INDUCER, "course"], stdout=full, stderr=subprocess.PIPE, text=True)
    assert done.returncode == 2
    assert done.stderr.startswith("error: ")
    assert done.stderr.count("\n") == 1
