"""Packages that load a module when one of its names is first asked for."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any


def attach(
    package: str, homes: Mapping[str, str]
) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """Return `__getattr__`, `__dir__` and `__all__` for a lazy package.

    Parameters
    ----------
    package : str
        `__name__` of the package.
    homes : mapping of str to str
        Public name to the module that holds it, relative to the package; a name that is itself
        a subpackage maps to an empty string.

    A module must not have the name of a function that it holds: once imported, it would be an
    attribute of the package and hide the function.
    """

    def __getattr__(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        if not homes[name]:
            return import_module(f"{package}.{name}")
        value = getattr(import_module(f"{package}.{homes[name]}"), name)
        setattr(sys.modules[package], name, value)
        return value

    names = sorted(homes)
    return __getattr__, lambda: names, names
