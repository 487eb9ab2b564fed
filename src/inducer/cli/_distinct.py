"""No output onto an input, nor onto another output: files would be destroyed without a word."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Hashable, Mapping
from pathlib import Path

from inducer.base.errors import ParameterError

Name = str | Path | None


def check_distinct(read: Mapping[str, Name], written: Mapping[str, Name]) -> None:
    """Refuse to write onto a file that is read, or twice onto one; nothing is open yet.

    ``-`` among the files that are read is the one behind standard input, if there is one; among
    those that are written it is left to the shell. A model may be saved where it was resumed from.
    """
    taken: dict[Hashable, str] = {}
    for what, name in read.items():
        if (file := _file(name)) is not None:
            taken[file] = what
    for what, name in written.items():
        file = None if name == "-" else _file(name)
        other = taken.get(file) if file is not None else None
        if other is not None and (what, other) != ("--save", "--resume"):
            where = "standard input" if read.get(other) == "-" else other
            raise ParameterError(f"{what} {name} is the file of {where}: name another file.")
        if file is not None:
            taken[file] = what


def _file(name: Name) -> Hashable:
    """Return what a file is known by, under all its names; None of what cannot be destroyed."""
    if not name:
        return None
    try:
        status = os.fstat(sys.stdin.fileno()) if name == "-" else os.stat(name)
    except FileNotFoundError:
        return os.path.realpath(name)
    except (OSError, ValueError, AttributeError):  # no such folder; no file behind standard input
        return None
    return (status.st_dev, status.st_ino) if stat.S_ISREG(status.st_mode) else None
