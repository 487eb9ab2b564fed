"""Writing a file in one step: the old one lives until the new one is complete on disk."""

from __future__ import annotations

import os
import secrets
import stat
import sys
from collections.abc import Callable
from contextlib import suppress
from glob import escape
from pathlib import Path
from typing import Any, BinaryIO

from inducer.base.errors import InputError

if sys.platform != "win32":
    import fcntl


def replace_file(file: Path, write: Callable[[BinaryIO], Any]) -> None:
    """Write a file beside the old one and let it take its name; on failure nothing has changed."""
    target = Path(os.path.realpath(file))  # a link goes on pointing at the file
    if target.exists() and not target.is_file() and not target.is_dir():
        raise InputError(f"Cannot write {file}: it is a device or a pipe, and would be replaced.")
    beside = None
    try:
        _sweep(target)
        beside, stream = _begin(target)
        with stream:
            with suppress(OSError):
                beside.chmod(stat.S_IMODE(target.stat().st_mode))
            write(stream)
            stream.flush()
            os.fsync(stream.fileno())
            if sys.platform != "win32":  # while it is locked; elsewhere an open file keeps its name
                beside.replace(target)
        if sys.platform == "win32":
            beside.replace(target)
        _sync_folder(target.parent)
    except OSError as error:
        raise InputError(f"Cannot write {file}: {reason(error)}.") from None
    finally:
        if beside is not None:
            with suppress(OSError):
                beside.unlink()


def _begin(target: Path) -> tuple[Path, BinaryIO]:
    """Open a new file beside another, and lock it: so `_sweep` knows that someone is writing."""
    while True:
        beside = target.with_name(f".{target.name}.{secrets.token_hex(4)}.tmp")
        stream = beside.open("xb")
        _locked(stream, wait=True)
        if beside.exists():
            return beside, stream
        stream.close()  # another process came before the lock, and took it for a stale one


def _sweep(target: Path) -> None:
    """Remove what killed processes left of earlier tries."""
    for old in target.parent.glob(f".{escape(target.name)}.{'[0-9a-f]' * 8}.tmp"):
        with suppress(OSError):
            if old.is_file() and not old.is_symlink():
                with old.open("r+b") as stream:
                    if _locked(stream, wait=False):
                        old.unlink()


def _locked(stream: BinaryIO, *, wait: bool) -> bool:
    """Lock a file, where the system can; without waiting only if nobody else has."""
    if sys.platform == "win32":
        return False
    try:
        fcntl.flock(stream, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
    except OSError:
        return False
    return True


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
