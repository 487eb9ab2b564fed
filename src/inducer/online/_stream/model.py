"""A stream's model in a file: what `inducer stream --save` writes.

    MAGIC, length of the head, head (JSON), the tables, the names, CRC-32 of all before

A table is a list of batches of those cells that are not all zero: how many, their rows, the cells;
a batch of none ends it. Numbers are little-endian.
"""

from __future__ import annotations

import json
import struct
import zlib
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from inducer import __version__
from inducer.base._replacing import reason, replace_file
from inducer.base.errors import InputError
from inducer.online._stream.settings import Settings

MAGIC = b"inducer stream 1\n"
BATCH = 1 << 16

Table = NDArray[np.float32]


@dataclass
class Model:
    """What was learned so far, and where.

    Attributes
    ----------
    settings : Settings
    table : array of shape (cells, 4)
        Weight, sum of squared slopes, scale and dual of each feature for each output.
    state : dict
        Where the stream is: see `run.Stream`.
    names : bytes
        Lines of row, tabulator, name.
    best : array or None
        The table of the best pass so far, by the examples held out.
    """

    settings: Settings
    table: Table
    state: dict[str, Any] = field(default_factory=dict)
    names: bytes = b""
    best: Table | None = None


def new_table(settings: Settings) -> Table:
    """Return a table of zeros."""
    try:
        return np.zeros((settings.cells, 4), np.float32)
    except MemoryError:
        raise InputError(
            f"There is no memory for {settings.cells:,} cells of 16 bytes: lower --bits."
        ) from None


def check_finite(table: Table) -> None:
    """Refuse weights that are no numbers: nothing could be predicted with them."""
    for begin in range(0, len(table), BATCH):
        batch = table[begin : begin + BATCH]
        if not (np.isfinite(batch[:, 0]).all() and np.isfinite(batch[:, 3]).all()):
            raise InputError(
                "The weights have left the range of numbers: lower --rate, or scale labels and "
                "features down."
            )


def is_stream_model(file: Path) -> bool:
    """Return whether a file begins like a model of a stream."""
    try:
        with file.open("rb") as stream:
            return stream.read(len(MAGIC)) == MAGIC
    except OSError as error:
        raise InputError(f"Cannot read {file}: {reason(error)}.") from None


def save_model(model: Model, file: Path) -> None:
    """Write a model; the old file lives until the new one is complete on disk."""
    replace_file(file, lambda stream: _write(model, stream))


def _write(model: Model, stream: BinaryIO) -> None:
    checksum = 0

    def put(content: bytes | memoryview) -> None:
        nonlocal checksum
        checksum = zlib.crc32(content, checksum)
        stream.write(content)

    head = json.dumps(
        {
            "inducer": __version__,
            "settings": asdict(model.settings),
            "state": model.state,
            "tables": 1 if model.best is None else 2,
        }
    ).encode()
    put(MAGIC)
    put(struct.pack("<Q", len(head)))
    put(head)
    for table in (model.table, model.best):
        if table is not None:
            _write_table(table, put)
    put(struct.pack("<Q", len(model.names)))
    put(model.names)
    stream.write(struct.pack("<I", checksum))


def _write_table(table: Table, put: Callable[[bytes | memoryview], None]) -> None:
    for begin in range(0, len(table), BATCH):
        batch = table[begin : begin + BATCH]
        rows = np.flatnonzero(batch.any(axis=1))
        if len(rows):
            put(struct.pack("<I", len(rows)))
            put((rows + begin).astype("<u4").tobytes())
            put(batch[rows].astype("<f4").tobytes())
    put(struct.pack("<I", 0))


def load_model(file: Path) -> Model:
    """Return the model in a file."""
    try:
        with file.open("rb") as stream:
            if stream.read(len(MAGIC)) != MAGIC:
                raise InputError(f"{file} is no model of `inducer stream`.")
            if not _sound(stream):
                raise InputError(f"{file} is damaged: its checksum is not that of its content.")
            stream.seek(len(MAGIC))
            return _read(stream)
    except OSError as error:
        raise InputError(f"Cannot read {file}: {reason(error)}.") from None
    except InputError:
        raise
    except (ValueError, LookupError, TypeError, struct.error) as error:  # made so by someone
        raise InputError(f"{file} is no model that this inducer can read: {error}.") from None


def _sound(stream: BinaryIO) -> bool:
    """Return whether the checksum at the end is that of what comes before."""
    size = stream.seek(0, 2) - 4
    stream.seek(0)
    checksum = 0
    for chunk in _pieces(stream, size):
        checksum = zlib.crc32(chunk, checksum)
    return stream.read() == struct.pack("<I", checksum)


def _pieces(stream: BinaryIO, size: int) -> Iterator[bytes]:
    while size > 0:
        chunk = stream.read(min(size, 1 << 20))
        if not chunk:
            return
        size -= len(chunk)
        yield chunk


def _read(stream: BinaryIO) -> Model:
    def number(kind: str) -> int:
        return int(struct.unpack(kind, stream.read(struct.calcsize(kind)))[0])

    head = json.loads(stream.read(number("<Q")))
    settings = Settings(**head["settings"])
    tables = []
    for _ in range(head["tables"]):
        table = new_table(settings)
        while count := number("<I"):
            rows = np.frombuffer(stream.read(4 * count), "<u4")
            table[rows] = np.frombuffer(stream.read(16 * count), "<f4").reshape(-1, 4)
        tables.append(table)
    names = stream.read(number("<Q"))
    return Model(settings, tables[0], head["state"], names, *tables[1:2])
