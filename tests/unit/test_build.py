"""What the build leaves behind: one version, and levels of instruction sets that stay apart."""

from __future__ import annotations

import re
import subprocess
import tomllib
from pathlib import Path

import pytest

import inducer
from inducer import _core

ROOT = Path(__file__).parents[2]
LEVEL_FOLDERS = sorted((ROOT / "build/tests/CMakeFiles").glob("inducer_[vp]*.dir"))
REGISTERS = {"v2": "xmm", "v3": "ymm", "v4": "zmm"}  # the widest that each level may use


def level_of(folder: Path) -> str:
    return folder.stem.removeprefix("inducer_")


def objects_in(folder: Path) -> list[Path]:
    return sorted(folder.rglob("*.isa.cpp.o"))


def defined_symbols(file: Path) -> list[str]:
    """Return the mangled names that other files see; local ones cannot clash."""
    done = subprocess.run(["nm", "--defined-only", "-P", file], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    entries = [line.split() for line in done.stdout.splitlines()]
    return [entry[0] for entry in entries if entry[1].isupper() or entry[1] in "uvw"]


def test_core_and_package_have_the_version_of_pyproject() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert _core.__version__ == inducer.__version__ == project["version"]


def test_make_has_built_every_level() -> None:
    levels = {level_of(folder) for folder in LEVEL_FOLDERS}
    assert levels in ({"v2", "v3", "v4"}, {"plain"}), "run `make test`, which builds them"
    sources = {path.name for path in (ROOT / "cpp/src").rglob("*.isa.cpp")}
    for folder in LEVEL_FOLDERS:
        assert {path.stem for path in objects_in(folder)} == sources


@pytest.mark.parametrize("folder", LEVEL_FOLDERS, ids=level_of)
def test_a_level_defines_nothing_outside_its_namespace(folder: Path) -> None:
    """Of two functions of one name the linker keeps either: perhaps the one for AVX-512."""
    level = level_of(folder)
    # A name, or a static variable of a function (Z), or its guard (GVZ).
    own = re.compile(rf"_Z(GV)?Z?NK?7inducer{len(level)}{level}")
    strange: list[str] = []
    for file in objects_in(folder):
        symbols = defined_symbols(file)
        assert any(own.match(symbol) for symbol in symbols), file
        strange += [f"{file.name}: {symbol}" for symbol in symbols if not own.match(symbol)]
    assert strange == []


@pytest.mark.parametrize("folder", LEVEL_FOLDERS, ids=level_of)
def test_a_level_uses_the_widest_register_it_has_and_no_wider(folder: Path) -> None:
    widest = REGISTERS.get(level_of(folder))
    seen: set[str] = set()
    for file in objects_in(folder):
        done = subprocess.run(["objdump", "-d", file], capture_output=True, text=True, check=True)
        seen |= set(re.findall(r"[xyz]mm(?=\d)", done.stdout))
    if widest is not None:
        assert max(seen) == widest
