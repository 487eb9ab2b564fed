"""A model's state as a file can hold it; the model itself is not touched.

skops writes lists, dicts, arrays and objects with a ``__dict__``. Four things need help: callbacks
belong to the process and stay behind; a dict whose keys are no JSON words, a sparse matrix and a
metadata request are replaced by stand-ins, which become the real thing again when they are loaded;
and what could not be loaded again is refused here, by the name of the attribute that holds it.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.utils._metadata_requests import SIMPLE_METHODS, MetadataRequest

from inducer.base.errors import InputError

# What scikit-learn keeps on an estimator for the length of a process, or of a fit.
_OF_THE_PROCESS = frozenset(
    {"_skl_callbacks", "_skl_callbacks_to_teardown", "_callback_fit_ctx", "_parent_callback_ctx"}
)

_WORDS = (type(None), bool, int, float, str, bytes, bytearray)
_VALUES = (
    *_WORDS,
    slice,
    np.generic,
    np.dtype,
    np.ufunc,
    np.random.RandomState,
    np.random.Generator,
    MetadataRequest,
)


class _StandIn:
    """Something written as the arguments of a call that makes the real thing."""

    arguments: tuple[Any, ...]

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), self.arguments

    @classmethod
    def holding(cls, *arguments: Any) -> Any:
        """Return a stand-in; calling the class would make the real thing at once."""
        self = object.__new__(cls)
        self.arguments = arguments
        return self


class Pairs(_StandIn):
    """A dict, as a list of its pairs: its keys may be anything."""

    def __new__(cls, pairs: list[tuple[Any, Any]]) -> Any:
        """Return the dict."""
        return dict(pairs)


class Compressed(_StandIn):
    """A sparse matrix, as the three arrays of CSR or CSC."""

    def __new__(
        cls,
        kept: str,
        wanted: str,
        is_array: bool,
        shape: tuple[int, ...],
        data: Any,
        indices: Any,
        indptr: Any,
    ) -> Any:
        """Return the matrix, once its structure is known to be sound."""
        matrix: Any = {
            ("csr", True): sparse.csr_array,
            ("csr", False): sparse.csr_matrix,
            ("csc", True): sparse.csc_array,
            ("csc", False): sparse.csc_matrix,
        }[kept, is_array]((data, indices, indptr), shape=tuple(shape))
        matrix.check_format(full_check=True)
        return matrix.asformat(wanted)

    @classmethod
    def of(cls, matrix: Any) -> Any:
        """Return the stand-in of a matrix; formats other than CSR and CSC travel as CSR."""
        kept = matrix if matrix.format in ("csr", "csc") else matrix.tocsr()
        return cls.holding(
            kept.format,
            matrix.format,
            isinstance(matrix, sparse.sparray),
            matrix.shape,
            kept.data,
            kept.indices,
            kept.indptr,
        )


class Requests(_StandIn):
    """A metadata request of scikit-learn, which refers back to its owner, as plain words."""

    def __new__(cls, owner: str, requests: dict[str, dict[str, Any]]) -> Any:
        """Return the request; its owner, wanted for messages alone, is a name now."""
        made = MetadataRequest(owner=owner)
        for method in SIMPLE_METHODS:
            for name, alias in requests.get(method, {}).items():
                getattr(made, method).add_request(param=name, alias=alias)
        return made

    @classmethod
    def of(cls, request: Any) -> Any:
        """Return the stand-in of a request."""
        owner = request.owner if isinstance(request.owner, str) else type(request.owner).__name__
        return cls.holding(owner, {m: dict(getattr(request, m).requests) for m in SIMPLE_METHODS})


STAND_INS = tuple(f"{kind.__module__}.{kind.__name__}" for kind in (Pairs, Compressed, Requests))


def portable(model: BaseEstimator) -> Any:
    """Return the model as skops can write it, sharing all arrays with the model."""
    _refuse_hidden(model, type(model).__name__, ())
    return _rebuilt(model, {})


def _refuse_hidden(value: Any, place: str, above: tuple[int, ...]) -> None:
    """Refuse what a file cannot hold, naming the attribute; `above` are the ids of the holders."""
    if isinstance(value, _VALUES) or sparse.issparse(value):
        return
    if id(value) in above:
        raise InputError(f"{place} refers back to what holds it: a saved model cannot.")
    above = (*above, id(value))
    if isinstance(value, np.ndarray):
        for number, part in enumerate(value.flat if value.dtype.hasobject else ()):
            _refuse_hidden(part, f"{place}[{number}]", above)
    elif isinstance(value, dict):
        if type(value) is not dict and not _plain_keys(value):
            raise InputError(
                f"{place} is a {type(value).__name__} with keys that are neither words nor "
                "numbers: make it a dict."
            )
        for key, part in value.items():
            _refuse_hidden(part, f"{place}[{key!r}]", above)
    elif isinstance(value, (list, tuple, set, frozenset)):
        for number, part in enumerate(value):
            _refuse_hidden(part, f"{place}[{number}]", above)
    elif isinstance(value, type) or (callable(value) and hasattr(value, "__name__")):
        if not _found_again(value):
            raise InputError(
                f"{place} is {value!r}, which no other process would find again: put it at the "
                "top of a module, and import it from there."
            )
    else:
        for name, part in _state(value, place).items():
            if name not in _OF_THE_PROCESS:
                _refuse_hidden(part, f"{place}.{name}", above)


def _state(value: Any, place: str) -> dict[str, Any]:
    """Return what skops would write of an object, by name."""
    kind: Any = type(value)
    try:
        if isinstance(value, ModuleType) or not _found_again(kind):
            raise TypeError
        made_by, arguments, *rest = value.__reduce__()
        if made_by is kind and all(part is None for part in rest):
            return {f"__reduce__[{number}]": part for number, part in enumerate(arguments)}
        state = value.__getstate__()
        if state is None and hasattr(value, "__dict__") and kind.__reduce__ is object.__reduce__:
            return {}
        if isinstance(state, dict):
            return state
        if isinstance(state, tuple) and hasattr(value, "__setstate__"):
            return {f"__getstate__[{number}]": part for number, part in enumerate(state)}
    except TypeError:
        pass
    raise InputError(
        f"{place} is a {kind.__module__}.{kind.__qualname__}, which a saved model cannot hold: it "
        "holds numbers, text, arrays, lists, dicts and learners."
    )


def _found_again(named: Any) -> bool:
    """Return whether a class or function is what its module has under its name."""
    module = sys.modules.get(getattr(named, "__module__", None) or "")
    return getattr(module, named.__name__, None) is named


def _rebuilt(value: Any, done: dict[int, tuple[Any, Any]]) -> Any:
    """Return a value with stand-ins and without callbacks: the value itself if it needs neither.

    `done` holds what has been rebuilt, and keeps it alive, so that what is shared stays shared.
    """
    if isinstance(value, _WORDS):
        return value
    if id(value) not in done:
        done[id(value)] = value, _rebuild(value, lambda part: _rebuilt(part, done))
    return done[id(value)][1]


def _rebuild(value: Any, rebuilt: Callable[[Any], Any]) -> Any:
    """Return a value made of rebuilt parts."""
    if sparse.issparse(value):
        return Compressed.of(value)
    if isinstance(value, MetadataRequest):
        return Requests.of(value)
    if isinstance(value, dict):
        parts = {key: rebuilt(part) for key, part in value.items()}
        if type(value) is dict and not _plain_keys(value):
            return Pairs.holding(list(parts.items()))
        return value if _same(parts.values(), value.values()) else type(value)(parts)
    if isinstance(value, (list, tuple)):
        items = [rebuilt(part) for part in value]
        if _same(items, value):
            return value
        return type(value)(*items) if hasattr(value, "_fields") else type(value)(items)
    if isinstance(value, np.ndarray):
        if not value.dtype.hasobject:
            return value
        items = [rebuilt(part) for part in value.flat]
        if _same(items, value.flat):
            return value
        replaced = np.empty(value.shape, dtype=object)
        for number, part in enumerate(items):
            replaced.flat[number] = part
        return replaced
    state = getattr(value, "__dict__", None)
    if isinstance(value, type) or not isinstance(state, dict):
        return value
    parts = {name: rebuilt(part) for name, part in state.items() if name not in _OF_THE_PROCESS}
    if len(parts) == len(state) and _same(parts.values(), state.values()):
        return value
    twin = object.__new__(type(value))
    twin.__dict__.update(parts)
    return twin


def _same(new: Any, old: Any) -> bool:
    """Return whether nothing was replaced."""
    return all(a is b for a, b in zip(new, old, strict=True))


def _plain_keys(entries: dict[Any, Any]) -> bool:
    """Return whether JSON keeps the keys apart, and skops can make them again.

    It makes a key by calling its type with the text: that is wrong for booleans and None.
    """
    words = set()
    for key in entries:
        if isinstance(key, np.generic):
            number = isinstance(key, (np.integer, np.floating, np.str_))
            key = key.item() if number else None
        if isinstance(key, bool) or not isinstance(key, (str, int, float)):
            return False
        words.add(key if isinstance(key, str) else json.dumps(key))
    return len(words) == len(entries)
