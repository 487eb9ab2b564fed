"""Where the bytes of a stream come from: a file, a gzip, a pipe, a Parquet table."""

from __future__ import annotations

import gzip
import sys
import zlib
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import IO, Any, cast

from inducer.base._replacing import reason
from inducer.base.errors import InputError
from inducer.online._stream.settings import Format

CHUNK = 1 << 18
ENDINGS: dict[str, Format] = {
    ".csv": "csv",
    ".tsv": "csv",
    ".parquet": "csv",
    ".svm": "svmlight",
    ".svmlight": "svmlight",
    ".libsvm": "svmlight",
    ".vw": "vw",
    ".txt": "text",
}


class Source:
    """Bytes that are read in chunks, as often as what they come from allows.

    Parameters
    ----------
    name : str
        A file, or ``-`` for standard input. What gzip packed is unpacked; it is known by its
        first bytes.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self.ending = Path(name).with_suffix("").suffix if name.endswith(".gz") else ""
        self.ending = (self.ending or Path(name).suffix).lower()
        self.read_before = 0
        if name != "-":
            try:
                Path(name).open("rb").close()
            except OSError as error:
                raise InputError(f"Cannot read {name}: {reason(error)}.") from None

    @property
    def rereadable(self) -> bool:
        """Whether a second pass can read it again."""
        return self.name != "-" and Path(self.name).is_file()

    @property
    def is_parquet(self) -> bool:
        """Whether it is a Parquet table, which becomes the text of a CSV table."""
        return self.ending == ".parquet"

    @property
    def format(self) -> Format | None:
        """The format that the name stands for."""
        return ENDINGS.get(self.ending)

    def categories(self) -> list[str]:
        """Return the columns of a Parquet table that hold no numbers."""
        if not self.is_parquet:
            return []
        from inducer.online._stream.parquet import columns_of_words

        return columns_of_words(self.name)

    def chunks(self, skip: int = 0) -> Iterator[bytes]:
        """Yield the bytes from a place on."""
        try:
            if self.is_parquet:
                from inducer.online._stream.parquet import lines

                yield from _after(lines(self.name), skip)
                return
            with ExitStack() as stack:
                stream = self._open(stack)
                if skip and stream.seekable():
                    stream.seek(skip)
                    skip = 0
                # read1: of a pipe what there is, not what may come some day.
                yield from _after(iter(lambda: cast(Any, stream).read1(CHUNK), b""), skip)
        except EOFError:
            raise InputError(f"{self.name} ends in the middle: gzip's end is missing.") from None
        except zlib.error as error:
            raise InputError(f"{self.name} is damaged: {error}.") from None
        except OSError as error:
            raise InputError(f"Cannot read {self.name}: {reason(error)}.") from None

    def _open(self, stack: ExitStack) -> IO[bytes]:
        """Open what is read; the stack closes it, but standard input, which is not ours."""
        if self.name == "-" and sys.stdin is None:
            raise InputError("standard input is closed.")
        stream: Any = sys.stdin and sys.stdin.buffer
        if self.name != "-":
            stream = stack.enter_context(Path(self.name).open("rb"))  # noqa: SIM115
        if stream.peek(2)[:2] == b"\x1f\x8b":
            stream = stack.enter_context(gzip.open(stream))  # noqa: SIM115
        return cast(IO[bytes], stream)


def _after(chunks: Iterator[bytes], skip: int) -> Iterator[bytes]:
    """Leave out the first bytes."""
    for chunk in chunks:
        rest = chunk[skip:] if skip else chunk
        skip = max(0, skip - len(chunk))
        if rest:
            yield rest
