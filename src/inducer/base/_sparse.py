"""Sparse matrices whose structure the kernels may trust.

SciPy believes the arrays of a matrix that it is given, and a wrong index would let a kernel read or
write anywhere: whatever is not sound is refused, with the place.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from inducer._core.base import csr_fault
from inducer.base._threads import threads
from inducer.base.errors import InputError


def is_sparse(X: Any) -> bool:
    """Return whether X is a sparse matrix or array."""
    return bool(sparse.issparse(X))


def refuse_unsound(X: Any) -> None:
    """Refuse a sparse matrix that SciPy, in turning it into CSR, would leave the arrays of.

    SciPy believes what it is given: a wrong index would let it write anywhere.
    """
    kind, (rows, cols), words = X.format, X.shape, ""
    if kind == "csc":
        _, words = _fault(X, cols, rows, "column", "row")
    elif kind == "bsr":
        high, wide = X.blocksize
        _, words = _fault(X, rows // high, cols // wide, "block row", "block column")
    elif kind == "coo":
        words = _fault_of_places(X)
    # The other formats are Python's own containers, or become CSR as they are.
    if words:
        raise InputError(f"X is no sound {kind.upper()} matrix: {words}.")


def sound_csr(X: Any) -> Any:
    """Return a CSR matrix that is sound, its columns sorted; refuse one that cannot be made so."""
    rows, cols = X.shape
    fault, words = _fault(X, rows, cols, "row", "column")
    if words:
        raise InputError(f"X is no sound CSR matrix: {words}.")
    if fault == "unordered":
        X = X.copy()
        X.has_sorted_indices = X.has_canonical_format = False  # whatever it was told before
        X.sum_duplicates()
    return X


def _fault(X: Any, lines: int, cells: int, line: str, cell: str) -> tuple[str, str]:
    """Return what is wrong with compressed lines (rows or columns) of cells: a word, and words."""
    if len(X.indptr) != lines + 1 or len(X.indices) != len(X.data):
        return "lengths", (
            f"{lines} {line}s want {lines + 1} pointers, there are {len(X.indptr)}; "
            f"{len(X.data)} values have {len(X.indices)} indices"
        )
    indices = np.asarray(X.indices)
    if indices.dtype != np.int32:
        wide = (indices < 0) | (indices >= cells)
        if np.any(wide):
            at = int(np.argmax(wide))
            where = int(np.searchsorted(X.indptr, at, side="right")) - 1
            return "range", _outside(where, int(indices[at]), cells, line, cell)
    fault, where, index = csr_fault(
        np.ascontiguousarray(indices, dtype=np.int32),
        np.ascontiguousarray(X.indptr, dtype=np.int64),
        cells,
        threads(),
    )
    words = ""
    if fault == "indptr":
        words = f"its pointers do not rise from 0 to the number of stored values ({line} {where})"
    elif fault == "range":
        words = _outside(where, index, cells, line, cell)
    return fault, words


def _outside(where: int, index: int, cells: int, line: str, cell: str) -> str:
    return f"{line} {where} has a value in {cell} {index}, but there are {cells} {cell}s"


def _fault_of_places(X: Any) -> str:
    """Return what is wrong with a matrix given as rows, columns and values, in words."""
    for axis, places, size in zip(("row", "column"), X.coords, X.shape, strict=True):
        if len(places) != len(X.data):
            return f"{len(X.data)} values have {len(places)} {axis} numbers"
        wrong = (places < 0) | (places >= size)
        if np.any(wrong):
            place = places[int(np.argmax(wrong))]
            return f"a value is in {axis} {place}, but there are {size} {axis}s"
    return ""
