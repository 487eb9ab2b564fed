"""Files that grow with a stream, and are gone on with when it is resumed."""

from __future__ import annotations

import stat
import sys
from os import fstat
from pathlib import Path
from typing import BinaryIO, Literal

from inducer.base._replacing import reason
from inducer.base.errors import InputError


def open_at(path: Path, size: int, mode: Literal["wb", "w+b"], what: str) -> BinaryIO:
    """Open a file after the first bytes, those that were there when the model was saved.

    A new one when there were none. What was written later belongs to a stream that was cut off,
    and is written again.
    """
    try:
        stream: BinaryIO = path.open("r+b" if size else mode)
        if size:
            if stream.seek(0, 2) < size:
                stream.close()
                raise InputError(
                    f"{path} is not the {what} that the model was saved with: that had "
                    f"{size:,} bytes."
                )
            stream.seek(size)
            stream.truncate()
        return stream
    except FileNotFoundError as error:
        if not size:
            raise InputError(f"Cannot write {path}: {reason(error)}.") from None
        raise InputError(f"{path}, the {what} that the model was saved with, is gone.") from None
    except OSError as error:
        raise InputError(f"Cannot write {path}: {reason(error)}.") from None


def open_stdout() -> BinaryIO:
    """Open standard output for bytes, with a buffer of its own: Python's may have none."""
    if sys.stdout is None:
        raise InputError("standard output is closed.")
    return open(sys.stdout.fileno(), "wb", closefd=False)


def place(stream: BinaryIO) -> int:
    """Return how much of a file was written; 0 where a resumed stream cannot go on.

    That is so for pipes and screens, and for what came open: it may be another file next time.
    """
    if not stream.seekable() or isinstance(stream.name, int):
        return 0
    return stream.tell() if stat.S_ISREG(fstat(stream.fileno()).st_mode) else 0
