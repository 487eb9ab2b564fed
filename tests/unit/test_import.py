"""What `import inducer` loads, and what the packages offer."""

from __future__ import annotations

import inspect
import pkgutil
import subprocess
import sys
from importlib import import_module
from types import ModuleType

import pytest

import inducer

HEAVY = ("numpy", "scipy", "sklearn", "polars", "pandas", "narwhals", "rich", "typer", "yaml")


def loaded_by(statement: str) -> set[str]:
    """Return the top-level modules of a fresh interpreter after a statement."""
    code = f"{statement}\nimport sys; print(*sorted({{m.partition('.')[0] for m in sys.modules}}))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(done.stdout.splitlines()[-1].split())


def public_packages() -> list[str]:
    """Return inducer and its packages; `_core` and other private ones left out."""
    found = [
        info.name
        for info in pkgutil.walk_packages(inducer.__path__, "inducer.")
        if info.ispkg and "._" not in info.name
    ]
    return ["inducer", *found]


def public_names() -> list[tuple[str, str]]:
    return [
        (package, name)
        for package in public_packages()
        for name in getattr(import_module(package), "__all__", ())
    ]


@pytest.mark.parametrize("statement", ["import inducer", "import inducer; dir(inducer)"])
def test_import_is_light(statement: str) -> None:
    assert loaded_by(statement).isdisjoint(HEAVY)


def test_the_probe_sees_what_is_loaded() -> None:
    assert "numpy" in loaded_by("import numpy")


@pytest.mark.parametrize("package", public_packages())
def test_dir_lists_all(package: str) -> None:
    module = import_module(package)
    public = set(getattr(module, "__all__", ()))
    assert public <= set(dir(module))
    assert len(public) == len(getattr(module, "__all__", ()))


@pytest.mark.parametrize("package", [p for p in public_packages() if p != "inducer.cli"])
def test_unknown_attribute_names_package_and_attribute(package: str) -> None:
    with pytest.raises(AttributeError, match=f"'{package}' has no attribute 'no_such_name'"):
        import_module(package).no_such_name  # noqa: B018


@pytest.mark.parametrize(("package", "name"), public_names())
def test_public_name_resolves_and_is_documented(package: str, name: str) -> None:
    value = getattr(import_module(package), name)
    if isinstance(value, ModuleType):
        assert value.__name__ == f"{package}.{name}"
    if name.startswith("__"):  # __version__
        return
    documentation = inspect.getdoc(value)
    assert documentation
    assert documentation.strip()


@pytest.mark.parametrize(("package", "name"), public_names())
def test_no_module_hides_a_public_name(package: str, name: str) -> None:
    """A module called like a function it holds would replace it once imported."""
    value = getattr(import_module(package), name)
    assert isinstance(value, ModuleType) or f"{package}.{name}" not in sys.modules
