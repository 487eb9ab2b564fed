"""The documentation is complete and true, as far as a machine can tell."""

from __future__ import annotations

import ast
import inspect
import pkgutil
import re
import runpy
import tomllib
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import typer.main
from sklearn.utils import all_estimators

import inducer
from inducer.base import Learner
from inducer.cli.app import app
from inducer.datasets import moons
from inducer.linear import Perceptron

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"


def public_names() -> dict[str, Any]:
    """Return the full name and the object of all that the packages offer."""
    packages = ["inducer"] + [
        info.name for info in pkgutil.iter_modules(inducer.__path__, "inducer.") if info.ispkg
    ]
    return {
        f"{package}.{name}": value
        for package in packages
        for name in getattr(import_module(package), "__all__", ())
        if not isinstance(value := getattr(import_module(package), name), ModuleType)
    }


PUBLIC = public_names()
LEARNERS = {
    name: value
    for name, value in PUBLIC.items()
    if inspect.isclass(value) and issubclass(value, Learner) and value is not Learner
}
FUNCTIONS = {name: value for name, value in PUBLIC.items() if inspect.isroutine(value)}


def documented(function: Any) -> dict[str, str]:
    """Return the entries of a docstring's section Parameters: name to type."""
    found = re.search(
        r"^Parameters\n-+\n(.*?)(?=^\w[\w ]*\n---|\Z)",
        inspect.getdoc(function) or "",
        re.MULTILINE | re.DOTALL,
    )
    lines = [line for line in (found[1] if found else "").splitlines() if re.match(r"[*\w]", line)]
    entries = [line.partition(" : ") for line in lines]
    return {name.lstrip("*"): kind for names, _, kind in entries for name in names.split(", ")}


def parameters(function: Any) -> dict[str, inspect.Parameter]:
    return {n: p for n, p in inspect.signature(function).parameters.items() if n != "self"}


# Docstrings


@pytest.mark.parametrize("name", [*LEARNERS, *FUNCTIONS])
def test_every_parameter_is_described_in_its_place(name: str) -> None:
    entries = documented(PUBLIC[name])
    assert sorted(entries) == sorted(parameters(PUBLIC[name]))


@pytest.mark.parametrize("name", LEARNERS)
def test_every_parameter_of_every_method_is_described(name: str) -> None:
    methods = {
        n: m
        for n, m in inspect.getmembers(LEARNERS[name], inspect.isfunction)
        if not n.startswith("_") and m.__module__.startswith("inducer.")
    }
    assert "fit" in methods
    for method in methods.values():
        assert sorted(documented(method)) == sorted(parameters(method)), method


@pytest.mark.parametrize("name", LEARNERS)
def test_described_defaults_are_the_defaults(name: str) -> None:
    for parameter, kind in documented(LEARNERS[name]).items():
        _, stated, default = kind.partition("default=")
        assert stated, parameter
        assert ast.literal_eval(default) == parameters(LEARNERS[name])[parameter].default, parameter


@pytest.mark.parametrize("name", LEARNERS)
def test_params_covers_the_constructor_and_its_defaults(name: str) -> None:
    learner = LEARNERS[name]
    assert sorted(learner.params) == sorted(parameters(learner))
    learner()._validate_params()


# Pages


def test_api_pages_list_all_public_names_and_nothing_else() -> None:
    listed: list[str] = []
    for page in (DOCS / "api").glob("*.md"):
        package = ""
        inside = False
        for line in page.read_text(encoding="utf-8").splitlines():
            if line.startswith(".. "):
                directive, _, argument = line.removeprefix(".. ").partition("::")
                inside = directive == "autosummary"
                package = argument.strip() if directive == "currentmodule" else package
            elif inside and re.fullmatch(r"   \w+", line):
                listed.append(f"{package}.{line.strip()}")
    assert sorted(listed) == sorted(set(PUBLIC) - {"inducer.__version__"})


def test_every_package_has_a_page() -> None:
    packages = {name.split(".")[1] for name in PUBLIC if name.count(".") == 2}
    pages = {page.stem for page in (DOCS / "packages").glob("*.md")}
    families = {page for page in pages if "-" in page}  # of a package: linear-sgd
    assert pages - families == packages
    assert {page.partition("-")[0] for page in families} <= packages


def test_command_line_page_has_every_command_and_option() -> None:
    group: Any = typer.main.get_command(app)
    commands = {"inducer": group} | {f"inducer {n}": c for n, c in group.commands.items()}
    expected = {
        title: {
            word.upper() if parameter.param_type_name == "argument" else word
            for parameter in command.params
            for word in (*parameter.opts, *parameter.secondary_opts)
        }
        for title, command in commands.items()
    }
    page = (DOCS / "command-line.md").read_text(encoding="utf-8")
    sections = re.split(r"^## ", page, flags=re.MULTILINE)[1:]
    described = {
        section.partition("\n")[0]: {
            word.split()[0]
            for line in re.findall(r"^(`.*`)\n:", section, re.MULTILINE)
            for word in re.findall(r"`(.+?)`", line)
        }
        for section in sections
    }
    described["inducer"].remove("--help")  # Typer adds it to each command by itself
    assert described == expected


THEIRS = dict(all_estimators())


@pytest.mark.parametrize("name", [n for n in LEARNERS if n.rpartition(".")[2] in THEIRS])
def test_differences_page_names_each_parameter_that_differs(name: str) -> None:
    short = name.rpartition(".")[2]
    theirs = parameters(THEIRS[short])
    ours = parameters(LEARNERS[name])
    page = (DOCS / "differences.md").read_text(encoding="utf-8")
    section = re.search(rf"^## {short}\n(.*?)(?=^## |\Z)", page, re.MULTILINE | re.DOTALL)
    assert section, f"docs/differences.md has no section {short}"
    same = {"shuffle"}  # True, and our word for it
    for parameter in {*ours, *theirs} - same:
        mine, other = (which.get(parameter) for which in (ours, theirs))
        if mine is None or other is None or mine.default != other.default:
            assert f"`{parameter}`" in section[1], parameter


def test_dependencies_page_has_every_dependency() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    wanted = [re.match(r"[\w-]+", line)[0] for line in project["dependencies"]]  # type: ignore[index]
    page = (DOCS / "design" / "dependencies.md").read_text(encoding="utf-8")
    assert re.findall(r"^\| ([\w-]+) \|", page, re.MULTILINE)[1:] == wanted


def test_readme_table_is_that_of_the_course_map() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert runpy.run_path(str(ROOT / "tools" / "readme.py"))["filled"](text) == text


PAGES = [ROOT / "README.md", *DOCS.glob("*.md"), *DOCS.glob("packages/*.md")]
PAGES += DOCS.glob("design/*.md")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_code_on_a_page_runs(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In order, as a reader would type it who has a learner called model and data X and y."""
    monkeypatch.chdir(tmp_path)
    X, y = moons(n_samples=60, random_state=0, return_X_y=True)
    names = {"X": X, "y": y, "model": Perceptron(tol=None), "Perceptron": Perceptron}
    names["inducer"] = inducer
    text = page.read_text(encoding="utf-8")
    for indent, block in re.findall(r"^( *)```python\n(.*?)^\1```", text, re.MULTILINE | re.DOTALL):
        exec(re.sub(f"^{indent}", "", block, flags=re.MULTILINE), names)
