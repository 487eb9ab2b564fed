"""What must hold of a model's file before anything is made from it.

A file may be cut off, flipped in a bit, or written by someone who wishes us ill. skops makes only
objects of trusted types; what it leaves open is closed here. Nothing in our files is compressed,
so nothing in them can be larger than the file, which rules out zip bombs. An array must be as long
as its header says before memory is asked for. And the tree of objects must be a tree: skops takes
a second object of the same id to be the first one, so a forged id could close a circle, or double
the tree at every level.
"""

from __future__ import annotations

import io
import json
import math
from collections.abc import Iterator
from typing import Any
from zipfile import ZIP_STORED, ZipFile

from numpy.lib import format as npy

from inducer.base.errors import InputError

Schema = dict[str, Any]

SCHEMA = "schema.json"
OLDEST_PROTOCOL = 2  # skops's, at the time of our first release: older loaders have no use here
_MOST_SHARING = 2  # in a file as skops writes it, an object that is shared is written each time


def check_sizes(archive: ZipFile, size: int) -> None:
    """Refuse an archive that holds more than its own size in bytes."""
    total = 0
    for entry in archive.infolist():
        if entry.compress_type != ZIP_STORED or entry.file_size != entry.compress_size:
            raise InputError(f"its part {entry.filename!r} is compressed, as we never write it")
        total += entry.file_size
    if total > size:
        raise InputError(f"it claims to hold {total} bytes in {size}")


def read_json(archive: ZipFile, name: str) -> Schema:
    """Return a JSON object of the archive."""
    found = json.loads(archive.read(name))
    if not isinstance(found, dict):
        raise InputError(f"its {name} is no JSON object")
    return found


def check_schema(schema: Schema, archive: ZipFile) -> set[str]:
    """Return the names of the types in a tree of objects, once the tree is known to be sound."""
    if schema["protocol"] < OLDEST_PROTOCOL:
        raise InputError(f"its skops protocol is {schema['protocol']}, as we never write it")
    sizes: dict[Any, int | None] = {}  # of the objects by id; None while inside
    names: set[str] = set()
    written = 0

    def size_of(node: Schema) -> int:
        """Return how many objects skops will go through from this one down."""
        nonlocal written
        written += 1
        names.add(f"{node['__module__']}.{node['__class__']}")
        if node["__loader__"] == "NdArrayNode" and node["type"] == "numpy":
            _check_array(archive, node["file"])
        elif node["__loader__"] == "SparseMatrixNode":
            raise InputError("it holds a sparse matrix, as we never write it")
        name = node.get("__id__")
        first = sizes.get(name, 0)
        if first is None:
            raise InputError("an object in it holds itself")
        if name:
            sizes[name] = None
        size = 1 + sum(size_of(part) for part in _objects_in(node))
        if name:
            sizes[name] = size = first or size
        return size

    if size_of(schema) > _MOST_SHARING * written:
        raise InputError("it holds objects in objects without end")
    return names


def _objects_in(part: Any) -> Iterator[Schema]:
    """Yield the objects directly inside one."""
    for inner in part.values() if isinstance(part, dict) else part:
        if isinstance(inner, dict) and isinstance(inner.get("__loader__"), str):
            yield inner
        elif isinstance(inner, (dict, list)):
            yield from _objects_in(inner)


def _check_array(archive: ZipFile, name: str) -> None:
    """Refuse an array that is not exactly as long as its header says."""
    with archive.open(name) as stream:
        head = io.BytesIO(stream.read(npy.MAGIC_LEN + 4 + 65536))
    version = npy.read_magic(head)
    read = npy.read_array_header_1_0 if version == (1, 0) else npy.read_array_header_2_0
    shape, _, dtype = read(head)
    if dtype.hasobject or min(shape, default=0) < 0:
        raise InputError(f"its array {name!r} holds objects")
    expected = head.tell() + math.prod(shape) * dtype.itemsize
    if expected != archive.getinfo(name).file_size:
        raise InputError(f"its array {name!r} is not as long as its header says")
