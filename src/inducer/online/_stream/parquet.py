"""A Parquet table as the text of a CSV table, a few rows at a time.

pyarrow reads pages as they come; polars would decode a whole group of rows, and a group may be the
whole table.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from inducer.base.errors import InputError

ROWS = 8192
BUFFER = 1 << 18
BREAKS = r"[\r\n]"  # in a cell they become blanks: a record is a line


def columns_of_words(name: str) -> list[str]:
    """Return the columns that hold no numbers."""
    import pyarrow as pa

    with _told(name):
        return [
            _head(field.name)
            for field in _open(name).schema_arrow
            if not (
                pa.types.is_integer(field.type)
                or pa.types.is_floating(field.type)
                or pa.types.is_decimal(field.type)
            )
        ]


def lines(name: str) -> Iterator[bytes]:
    """Yield the text of a table: its header, then rows."""
    import pyarrow as pa
    from pyarrow import csv

    with _told(name):
        table = _open(name)
        _check(name, table.schema_arrow)
        heads = [_head(field.name) for field in table.schema_arrow]
        yield ",".join('"' + head.replace('"', '""') + '"' for head in heads).encode() + b"\n"
        options = csv.WriteOptions(include_header=False)
        for batch in table.iter_batches(ROWS, use_threads=False):
            columns = [_of_one_line(column) for column in batch.columns]
            text = io.BytesIO()
            csv.write_csv(pa.RecordBatch.from_arrays(columns, heads), text, options)
            yield text.getvalue()


def _open(name: str) -> Any:
    from pyarrow.parquet import ParquetFile

    return ParquetFile(name, pre_buffer=False, buffer_size=BUFFER)


def _check(name: str, schema: Any) -> None:
    """Refuse what no line of text stands for."""
    import pyarrow as pa

    for field in schema:
        kind = field.type.value_type if pa.types.is_dictionary(field.type) else field.type
        if pa.types.is_nested(kind) or "binary" in str(kind) or isinstance(kind, pa.ExtensionType):
            raise InputError(
                f"{name}: the column {field.name!r} holds {' '.join(str(kind).split())}, of which "
                "no features can be made: leave it out, or make numbers or words of it."
            )


def _of_one_line(column: Any) -> Any:
    import pyarrow as pa
    from pyarrow import compute

    if pa.types.is_dictionary(column.type):
        column = column.dictionary_decode()
    if pa.types.is_string_view(column.type):
        column = column.cast(pa.large_string())
    if pa.types.is_string(column.type) or pa.types.is_large_string(column.type):
        return compute.replace_substring_regex(column, BREAKS, " ")
    return column


def _head(column: str) -> str:
    return re.sub(BREAKS, " ", column)


@contextmanager
def _told(name: str) -> Iterator[None]:
    """Say which table cannot be read."""
    from pyarrow import ArrowException

    try:
        yield
    except (ArrowException, OSError) as error:
        raise InputError(f"Cannot read {name} as Parquet: {error}") from None
