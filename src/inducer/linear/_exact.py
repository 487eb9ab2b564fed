"""Exact arithmetic on float64 values: each is an integer times a power of two.

Most signs and minima are settled by floats with an error bound; Python's integers decide the rest.
Linear systems are solved modulo powers of a prime (J. D. Dixon, Numerische Mathematik 40, 1982):
one inverse modulo the prime, then one matrix-vector product for each 31 bits of the answer.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

Floats = NDArray[np.float64]
Integers = NDArray[Any]  # Python's integers, of any size

PRIME = 2**31 - 1
_LIMB = 20  # bits; 2^20 * 2^31 * 2^11 terms still fit into 63
_BLOCK = 1 << 20  # cells


def is_sparse(X: Any) -> bool:
    """Return whether X is a sparse matrix or array."""
    return bool(sparse.issparse(X))


def integers(values: Floats) -> tuple[Integers, int]:
    """Return whole numbers and an exponent: values = whole * 2**exponent, exactly."""
    mantissas, exponents = np.frexp(values)
    whole = np.ldexp(mantissas, 53).astype(np.int64)
    low_bits = whole & -whole
    trailing = np.where(whole == 0, 0, np.frexp(low_bits.astype(np.float64))[1] - 1)
    whole >>= trailing
    exponents = exponents.astype(np.int64) - 53 + trailing
    used = whole != 0
    if not used.any():
        return whole.astype(object), 0
    lowest = int(exponents[used].min())
    shift = np.where(used, exponents - lowest, 0)
    return whole.astype(object) << shift.astype(object), lowest


def integer_columns(values: Floats) -> Integers:
    """Return a matrix as whole numbers, each column multiplied by a power of two of its own."""
    columns = [integers(column)[0] for column in values.T]
    return np.stack(columns, axis=1) if columns else np.empty(values.shape, dtype=object)


def fraction(whole: int, exponent: int) -> Fraction:
    """Return whole * 2**exponent."""
    return Fraction(whole << exponent) if exponent >= 0 else Fraction(whole, 1 << -exponent)


def blocks(X: Any) -> Iterator[tuple[slice, Any]]:
    """Yield rows of an array or CSR matrix in float64, some megabytes at a time."""
    rows, cols = X.shape
    cells = X.nnz // max(rows, 1) if is_sparse(X) else cols
    step = max(1, _BLOCK // (cells + 1))
    for begin in range(0, rows, step):
        part = slice(begin, min(begin + step, rows))
        yield part, X[part].astype(np.float64, copy=False)


def dense_rows(X: Any, rows: NDArray[np.int64]) -> Floats:
    """Return some rows as a dense float64 array."""
    chosen = X[rows]
    chosen = chosen.toarray() if is_sparse(chosen) else chosen
    return np.asarray(chosen, dtype=np.float64)


def least_products(
    X: Any, groups: list[NDArray[np.bool_]], w: Integers, exponent: int
) -> list[tuple[Fraction, int]]:
    """Return the exact minimum of ``x . w`` over each group of rows, and the row of each.

    w is `w` * 2**`exponent`. Floats with a bound on their error leave the few rows that may be the
    lowest; only these are multiplied out.
    """
    top = max((int(value).bit_length() for value in w), default=0)
    rounded = np.array([float(fraction(int(value), -top)) for value in w], dtype=np.float64)
    cells = int(np.diff(X.indptr).max(initial=0)) if is_sparse(X) else X.shape[1]
    # Rounding of w, of each product, of each sum, and of the bound itself; then underflow.
    relative, absolute = (cells + 8) * 2.0**-52, (cells + 8) * 2.0**-1073
    if np.any((np.abs(rounded) < 2.0**-1000) & (w != 0)):
        absolute = math.inf
    low, high = np.empty(X.shape[0]), np.empty(X.shape[0])
    with np.errstate(all="ignore"):
        for part, block in blocks(X):
            value = block @ rounded
            error = relative * (abs(block) @ np.abs(rounded)) + absolute
            low[part], high[part] = value - error, value + error
    low[np.isnan(low)], high[np.isnan(high)] = -math.inf, math.inf
    return [
        min(_products(X, np.flatnonzero(group & (low <= high[group].min())), w, exponent))
        for group in groups
    ]


def _products(
    X: Any, rows: NDArray[np.int64], w: Integers, exponent: int
) -> Iterator[tuple[Fraction, int]]:
    """Yield the exact ``x . w`` of some rows, and the row; of equal rows the first only."""
    step = max(1, _BLOCK // max(1, X.shape[1]))
    for begin in range(0, len(rows), step):
        some = rows[begin : begin + step]
        distinct, places = np.unique(dense_rows(X, some), axis=0, return_index=True)
        for row, place in zip(distinct, places, strict=True):
            used = np.flatnonzero(row)
            whole, own = integers(row[used])
            yield fraction(int(sum(whole * w[used])), own + exponent), int(some[place])


def eliminated(A: Integers) -> tuple[list[int], list[int]]:
    """Return rows and columns that make a largest square block of full rank.

    The rank is taken modulo a prime: never above the true one, and all but surely equal to it.
    Columns that come first are preferred.
    """
    rest = (A % PRIME).astype(np.int64)
    rows: list[int] = []
    columns: list[int] = []
    open_rows = np.ones(rest.shape[0], dtype=bool)
    for column in range(rest.shape[1]):
        candidates = np.flatnonzero(open_rows & (rest[:, column] != 0))
        if not len(candidates):
            continue
        row = int(candidates[0])
        open_rows[row] = False
        rows.append(row)
        columns.append(column)
        inverse = pow(int(rest[row, column]), -1, PRIME)
        tail = rest[row, column:] * inverse % PRIME
        below = candidates[1:]
        rest[below, column:] = (rest[below, column:] - rest[below, column, None] * tail) % PRIME
        if not open_rows.any():
            break
    return rows, columns


def solved(A: Integers, b: Integers) -> tuple[Integers, int] | None:
    """Return whole numbers x and d > 0 with A x = d b, or None when A is singular (mod a prime)."""
    inverse = _inverse(A)
    if inverse is None:
        return None
    limbs = _limbs(A)
    # Cramer and Hadamard: numerators and denominator have at most so many bits.
    size = sum(_norm_bits(row) for row in np.column_stack([A, b]))
    steps = math.ceil((2 * size + 4) / (PRIME.bit_length() - 1)) + 1
    residual = b.copy()
    digits = []
    for _ in range(steps):
        small = (residual % PRIME).astype(np.int64)
        digit = _times(inverse, small)
        digits.append(digit)
        product = np.zeros(len(b), dtype=object)
        for place, limb in enumerate(limbs):
            product += (limb @ digit).astype(object) << (_LIMB * place)
        residual = (residual - product) // PRIME
    modulus = PRIME**steps
    return _rational([_joined([int(d[i]) for d in digits])[0] for i in range(len(b))], modulus)


def _inverse(A: Integers) -> NDArray[np.int64] | None:
    """Return the inverse modulo the prime."""
    size = len(A)
    both = np.concatenate([(A % PRIME).astype(np.int64), np.eye(size, dtype=np.int64)], axis=1)
    for column in range(size):
        candidates = np.flatnonzero(both[column:, column])
        if not len(candidates):
            return None
        row = column + int(candidates[0])
        both[[column, row]] = both[[row, column]]
        both[column] = both[column] * pow(int(both[column, column]), -1, PRIME) % PRIME
        others = np.flatnonzero(both[:, column])
        others = others[others != column]
        both[others] = (both[others] - both[others, column, None] * both[column]) % PRIME
    return both[:, size:]


def _times(matrix: NDArray[np.int64], vector: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return matrix @ vector modulo the prime, in halves that do not overflow."""
    low, high = vector & 0xFFFF, vector >> 16
    product: NDArray[np.int64] = ((matrix @ high % PRIME << 16) + matrix @ low) % PRIME
    return product


def _limbs(A: Integers) -> list[NDArray[np.int64]]:
    """Return A in pieces of 20 bits, the last one with the sign."""
    pieces = []
    while True:
        if all(-(1 << _LIMB) < value < (1 << _LIMB) for value in A.flat):
            pieces.append(A.astype(np.int64))
            return pieces
        pieces.append((A & ((1 << _LIMB) - 1)).astype(np.int64))
        A = A >> _LIMB


def _norm_bits(row: Integers) -> int:
    """Return bits enough for the euclidean norm of a row."""
    return (int(sum(row * row)).bit_length() + 1) // 2 + 1


def _joined(digits: list[int]) -> tuple[int, int]:
    """Return the number with these digits to the base of the prime, and the base's power.

    The lowest digit comes first. By halves, so that large products are few.
    """
    if len(digits) == 1:
        return digits[0], PRIME
    half = len(digits) // 2
    low, base = _joined(digits[:half])
    high, above = _joined(digits[half:])
    return low + base * high, base * above


def _rational(residues: list[int], modulus: int) -> tuple[Integers, int] | None:
    """Return numerators over one denominator that have these residues."""
    bound = math.isqrt(modulus // 2)
    denominator = 1
    numerators: list[int] = []
    for residue in residues:
        value = residue * denominator % modulus
        value = value - modulus if value > modulus // 2 else value
        if abs(value) > bound:
            # Euclid, until the remainder is as small as a numerator must be.
            before, now, factor_before, factor = modulus, value % modulus, 0, 1
            while now > bound:
                quotient = before // now
                before, now = now, before - quotient * now
                factor_before, factor = factor, factor_before - quotient * factor
            if abs(factor) > bound or factor == 0:
                return None
            numerators = [numerator * abs(factor) for numerator in numerators]
            denominator *= abs(factor)
            value = now if factor > 0 else -now
        numerators.append(value)
    return np.array(numerators, dtype=object), denominator
