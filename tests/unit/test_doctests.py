"""Every example in a docstring of the installed package runs and prints what it says."""

from __future__ import annotations

import doctest
import inspect
import pkgutil
from collections.abc import Iterator
from importlib import import_module
from types import ModuleType

import pytest

import inducer
from inducer.base import Learner

PARSER = doctest.DocTestParser()
FINDER = doctest.DocTestFinder(exclude_empty=True, parser=PARSER)


def modules() -> Iterator[ModuleType]:
    yield inducer
    for info in pkgutil.walk_packages(inducer.__path__, "inducer."):
        if not info.name.startswith("inducer._core"):
            yield import_module(info.name)


def examples(module: ModuleType) -> Iterator[doctest.DocTest]:
    """Yield the tests of a module: of itself, its functions, wrapped ones too, and its classes."""
    names = vars(module)
    yield PARSER.get_doctest(module.__doc__ or "", dict(names), module.__name__, None, 0)
    for name, value in names.items():
        own = getattr(value, "__module__", None) == module.__name__
        if own and (inspect.isroutine(value) or inspect.isclass(value)):
            yield from FINDER.find(
                value, f"{module.__name__}.{name}", module=False, globs=dict(names)
            )


FOUND = [test for module in modules() for test in examples(module) if test.examples]


@pytest.mark.parametrize("test", FOUND, ids=lambda test: test.name)
def test_example(test: doctest.DocTest) -> None:
    report: list[str] = []
    result = doctest.DocTestRunner(verbose=False).run(test, out=report.append)
    assert result.attempted
    assert not result.failed, "".join(report)


def test_every_learner_and_function_has_an_example() -> None:
    public = {
        name: getattr(package, name)
        for package in modules()
        if hasattr(package, "__path__")
        for name in getattr(package, "__all__", ())
    }
    wanted = {
        name
        for name, value in public.items()
        if inspect.isroutine(value) or (inspect.isclass(value) and issubclass(value, Learner))
    }
    shown = {test.name.rpartition(".")[2] for test in FOUND}
    assert wanted - shown == {"Learner", "load"}  # one is abstract, one is in the example of save
