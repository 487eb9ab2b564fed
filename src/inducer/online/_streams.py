"""Chunks of labelled rows, out of arrays, iterables, tables and files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from inducer.base.errors import InputError

Chunk = tuple[Any, Any]


def chunks_of(data: Any, y: Any, target: str | None, rows: int) -> Iterator[Chunk]:
    """Yield (X, y), some rows at a time; of a file no more than that is in memory.

    Parameters
    ----------
    data : array and so on with y; or iterable of (X, y); or file or table with target
    y : array or None
    target : str or None
        The column of the labels.
    rows : int
        How many at a time; iterables keep their own sizes.
    """
    if y is not None:
        return _of_arrays(data, y, rows)
    frame = _table(data)
    if frame is not None:
        if target is None:
            raise InputError("target: name the column of the labels.")
        return _of_table(frame, target, rows, str(data) if isinstance(data, str | Path) else "")
    if isinstance(data, np.ndarray) or not isinstance(data, Iterable):
        raise InputError(
            "Give X and y, an iterable of pairs (X, y), or a CSV or Parquet file and target."
        )
    return _of_pairs(data)


def _of_arrays(X: Any, y: Any, rows: int) -> Iterator[Chunk]:
    count = X.shape[0] if hasattr(X, "shape") else len(X)
    if len(y) != count:
        raise InputError(f"X has {count} rows, and y {len(y)}.")
    labels = np.asarray(y)
    take = X.iloc if hasattr(X, "iloc") else X
    for begin in range(0, count, rows):
        part = slice(begin, min(begin + rows, count))
        yield take[part], labels[part]


def _of_pairs(data: Iterable[Any]) -> Iterator[Chunk]:
    for number, pair in enumerate(data):
        if not isinstance(pair, tuple | list) or len(pair) != 2:
            raise InputError(f"chunk {number} is no pair (X, y), but {type(pair).__name__}.")
        yield pair[0], pair[1]


def _table(data: Any) -> pl.LazyFrame | None:
    """Return what is a table, or names one, as a query."""
    if isinstance(data, pl.LazyFrame):
        return data
    if isinstance(data, pl.DataFrame):
        return data.lazy()
    if not isinstance(data, str | Path):
        return None
    path = Path(data)
    if not path.is_file():
        raise InputError(f"There is no file {str(path)!r}.")
    if path.suffix in (".parquet", ".pq"):
        return pl.scan_parquet(path)
    return pl.scan_csv(path, infer_schema_length=10_000)


def _of_table(frame: pl.LazyFrame, target: str, rows: int, name: str) -> Iterator[Chunk]:
    where = f" of {name!r}" if name else ""
    try:
        columns = frame.collect_schema().names()
        if target not in columns:
            raise InputError(f"target: {target!r} is none of the columns{where}, {columns}.")
        for batch in _batches(frame, rows):
            for part in batch.iter_slices(rows):
                if part.height:
                    yield part.drop(target), part[target].to_numpy()
    except pl.exceptions.PolarsError as error:
        raise InputError(f"The table{where} cannot be read: {error}") from None


def _batches(frame: pl.LazyFrame, rows: int) -> Iterator[pl.DataFrame]:
    if hasattr(frame, "collect_batches"):
        yield from frame.collect_batches(chunk_size=rows, maintain_order=True)
        return
    begin = 0  # an older Polars reads on from the start each time
    while (batch := frame.slice(begin, rows).collect()).height:
        yield batch
        begin += batch.height
