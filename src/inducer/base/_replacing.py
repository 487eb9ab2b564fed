"""Writing a file in one step: the old one lives until the new one is complete on disk."""

from __future__ import annotations

import os
import secrets
import stat
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, BinaryIO

from inducer.base.errors import InputError


def replace_file(file: Path, write: Callable[[BinaryIO], Any]) -> None:
    """Write a file beside the old one and let it take its name; on failure nothing has changed."""
    target = Path(os.path.realpath(file))  # a link goes on pointing at the file
    beside = target.with_name(f".{target.name}.{secrets.token_hex(4)}.tmp")
    if target.exists() and not target.is_file() and not target.is_dir():
        raise InputError(f"Cannot write {file}: it is a device or a pipe, and would be replaced.")
    try:
        with beside.open("xb") as stream:
            with suppress(OSError):
                beside.chmod(stat.S_IMODE(target.stat().st_mode))
            write(stream)
            stream.flush()
            os.fsync(stream.fileno())
        beside.replace(target)
        _sync_folder(target.parent)
    except OSError as error:
        raise InputError(f"Cannot write {file}: {reason(error)}.") from None
    finally:
        with suppress(OSError):
            beside.unlink()


def _sync_folder(folder: Path) -> None:
    """Have the new name on disk too, where the system lets a folder be opened."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def reason(error: OSError) -> str:
    """Return what the system says went wrong."""
    return error.strerror or str(error)
