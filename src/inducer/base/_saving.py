"""Saving a learner to a file, and making it again from there.

The file is a zip archive as skops writes it: NumPy's own format for arrays, JSON for the rest,
never pickle. Beside them lies ``inducer.json`` with the version of the state. Nothing in a file is
believed before `_archive` has looked at it, and nothing is made from it but objects of known types.
"""

from __future__ import annotations

import io
import json
import os
import stat
from collections.abc import Callable, Iterable
from importlib import import_module
from pathlib import Path
from typing import Any, BinaryIO
from zipfile import ZipFile

import skops.io
from sklearn.base import BaseEstimator
from skops.io.exceptions import UntrustedTypesFoundException

from inducer import __version__
from inducer.base._archive import SCHEMA, Schema, check_schema, check_sizes, read_json
from inducer.base._portable import STAND_INS, portable
from inducer.base._replacing import reason, replace_file
from inducer.base.errors import InputError, ParameterError
from inducer.base.part import Part

NOTE = "inducer.json"

# The version of the state that `save` writes, and how to make version n + 1 of a file's tree of
# objects out of version n. A release that renames a class, a parameter or a fitted attribute
# raises the one and adds to the other.
STATE_VERSION = 1
MIGRATIONS: dict[int, Callable[[Schema], Schema]] = {}

# Not trusted by skops, though to make one is only to hold values.
_HARMLESS = frozenset(
    {
        "builtins.frozenset",
        "builtins.range",
        "numpy.dtype",
        "sklearn.utils._bunch.Bunch",
        *STAND_INS,
    }
)


def save(model: BaseEstimator, path: str | os.PathLike[str]) -> None:
    """Write a learner to a file, to be made again with `load`.

    Parameters
    ----------
    model : estimator
        A learner of ours, or one of scikit-learn's, a Pipeline for example, that may hold ours;
        fitted or not. Its callbacks are not saved.
    path : str or path
        The file, by custom named ``*.skops``. What was there is replaced in one step, once the new
        file is complete: a failure leaves the old one.

    Raises
    ------
    InputError
        If the model holds something that a file cannot (the attribute is named), or the file
        cannot be written.

    See Also
    --------
    load : The way back.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import inducer
    >>> from inducer.linear import Perceptron
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     inducer.save(Perceptron(max_iter=7), Path(folder) / "model.skops")
    ...     inducer.load(Path(folder) / "model.skops")
    Perceptron(max_iter=7)
    """
    file = _path(path)
    if isinstance(model, type) or not isinstance(model, BaseEstimator):
        raise InputError(
            f"save takes a learner, such as Perceptron() or a Pipeline. Got {model!r:.200}."
        )
    content = io.BytesIO()
    try:
        skops.io.dump(portable(model), content)
    except RecursionError:
        raise InputError(f"This {type(model).__name__} is nested too deeply to be saved.") from None
    except (TypeError, ValueError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"This {type(model).__name__} cannot be saved: {error}") from error
    with ZipFile(content, "a") as archive:
        note = {"state_version": STATE_VERSION, "inducer": __version__}
        archive.writestr(NOTE, json.dumps(note))
    replace_file(file, lambda stream: stream.write(content.getbuffer()))


def load(path: str | os.PathLike[str], *, trusted: Iterable[str | type] = ()) -> Any:
    """Return the learner that `save` wrote to a file.

    Parameters
    ----------
    path : str or path
        The file.
    trusted : iterable of str or type, optional
        Types of other libraries that the file may make use of, besides inducer's public learners
        and what skops trusts of NumPy, SciPy and scikit-learn. Name only those that you would run.

    Returns
    -------
    estimator

    Raises
    ------
    InputError
        If the file cannot be read, is damaged, was saved by a newer inducer, or holds types that
        are not trusted (the message names them). Nothing in it has run then.

    See Also
    --------
    save : The way there.
    """
    file = _path(path)
    names = _type_names(trusted)
    try:
        status = file.stat()
        if not stat.S_ISREG(status.st_mode):  # a pipe would keep us waiting
            kind = "a folder" if stat.S_ISDIR(status.st_mode) else "no ordinary file"
            raise InputError(f"{file} is {kind}, not a saved model.")
        with file.open("rb") as stream:
            return _loaded(file, stream, status.st_size, names)
    except OSError as error:
        raise InputError(f"Cannot read {file}: {reason(error)}.") from None


def _loaded(file: Path, stream: BinaryIO, size: int, trusted: frozenset[str]) -> Any:
    """Return the learner in an open file; whatever goes wrong is an InputError."""
    try:
        content, names = _checked(stream, size)
        ours = frozenset(name for name in names if name in _HARMLESS or is_learner(name))
        try:
            model = skops.io.load(content, trusted=sorted(ours | trusted))
        except UntrustedTypesFoundException:
            strange = sorted(set(skops.io.get_untrusted_types(file=content)) - ours - trusted)
            raise _Untrusted(strange) from None
        if not isinstance(model, BaseEstimator):
            raise InputError(f"it holds a {type(model).__name__}, not a learner")
    except _Untrusted as error:
        raise InputError(
            f"{file} makes use of types that inducer does not know: {', '.join(error.names)}. If "
            f"you trust the file and them, name them: load(path, trusted={error.names!r})."
        ) from None
    except _TooNew as error:
        raise InputError(f"{file} {error}") from None
    except Exception as error:  # a damaged file can fail anywhere, in any way
        raise InputError(
            f"{file} is damaged, or was not written by inducer.save: "
            f"{str(error).strip().rstrip('.') or type(error).__name__}."
        ) from error
    return model


def _checked(stream: BinaryIO, size: int) -> tuple[BinaryIO, set[str]]:
    """Return the file brought up to today's state version, and the types it names."""
    with ZipFile(stream) as archive:
        check_sizes(archive, size)
        note = read_json(archive, NOTE)
        version = note["state_version"]
        if isinstance(version, bool) or not isinstance(version, int) or version < 1:
            raise InputError(f"its state version is {version!r}")
        if version > STATE_VERSION:
            raise _TooNew(
                f"was saved by inducer {note['inducer']} with state version {version}; inducer "
                f"{__version__} reads versions up to {STATE_VERSION}. Install a newer inducer."
            )
        schema = read_json(archive, SCHEMA)
        if version < STATE_VERSION:
            for step in range(version, STATE_VERSION):
                schema = MIGRATIONS[step](schema)
            stream = _with_schema(archive, schema)
        names = check_schema(schema, archive)
    stream.seek(0)
    return stream, names


def _with_schema(archive: ZipFile, schema: Schema) -> BinaryIO:
    """Return a copy of the archive, in memory, with another tree of objects."""
    content = io.BytesIO()
    with ZipFile(content, "w") as copy:
        for name in archive.namelist():
            copy.writestr(name, json.dumps(schema) if name == SCHEMA else archive.read(name))
    return content


class _Untrusted(Exception):
    """The file names types that it may not use."""

    def __init__(self, names: list[str]) -> None:
        super().__init__(names)
        self.names = names


class _TooNew(Exception):
    """The file is of a later state version."""


def is_learner(name: str) -> bool:
    """Return whether a type's full name is that of a public learner of ours, or of a part of one.

    The register is what the packages say in ``__all__``: a class counts if the package of its
    module offers it under its own name. Only inducer's packages are imported to find out.
    """
    module, _, class_name = name.rpartition(".")
    package = module.rpartition(".")[0]
    parts = package.split(".")
    if parts[0] != "inducer" or any(p.startswith("_") or not p.isidentifier() for p in parts):
        return False
    try:
        home = import_module(package)
    except ImportError:
        return False
    if class_name not in getattr(home, "__all__", ()):
        return False
    found = getattr(home, class_name)
    return (
        isinstance(found, type)
        and issubclass(found, (BaseEstimator, Part))
        and (found.__module__, found.__qualname__) == (module, class_name)
    )


def _path(path: str | os.PathLike[str]) -> Path:
    """Return a path as one; numbers, which `open` would take for files already open, are none."""
    try:
        words = os.fsdecode(path)
    except TypeError:
        raise ParameterError(f"path: a string or a path is wanted. Got {path!r:.200}.") from None
    if "\0" in words:
        raise ParameterError(f"path: no file's name holds a zero character. Got {path!r:.200}.")
    return Path(words)


def _type_names(trusted: Iterable[str | type]) -> frozenset[str]:
    """Return full names of types that are given by name or as themselves."""
    if isinstance(trusted, (str, bytes, type)) or not isinstance(trusted, Iterable):
        raise ParameterError(f"trusted: a list of types or names is wanted. Got {trusted!r:.200}.")
    names = set()
    for one in trusted:
        if isinstance(one, type):
            names.add(f"{one.__module__}.{one.__name__}")
        elif isinstance(one, str):
            names.add(one)
        else:
            raise ParameterError(f"trusted: {one!r:.200} is neither a type nor the name of one.")
    return frozenset(names)
