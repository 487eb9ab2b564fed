"""What `inducer stream` does."""

from __future__ import annotations

import csv
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from inducer.base._replacing import reason, replace_file
from inducer.base.errors import InputError, ParameterError
from inducer.cli._distinct import check_distinct
from inducer.cli._stream_screen import Screen
from inducer.online._stream.files import open_at, open_stdout
from inducer.online._stream.model import Model, load_model, new_table
from inducer.online._stream.run import Plan, Stream
from inducer.online._stream.settings import Settings, read_loss, to_bytes, to_text
from inducer.online._stream.source import Source

INTERRUPTED = 130  # as a shell counts


def learn(
    data: str,
    words: dict[str, Any],
    *,
    resume: Path | None,
    passes: int,
    patience: int,
    cache: Path | None,
    predictions: str,
    names: Path | None,
    save: Path | None,
    checkpoint: float,
    quiet: bool,
) -> int:
    """Learn, print how it goes, and return the exit code."""
    source = Source(data)
    costs = "" if words["costs"] == "labels" else words["costs"]
    check_distinct(
        {"the data": data, "--costs": costs, "--resume": resume},
        {"--predictions": predictions, "--cache": cache, "--names": names, "--save": save},
    )
    if resume is None:
        settings = make_settings(words, source)
        model = Model(settings, new_table(settings))
    else:
        model = load_model(resume)
        _check_resumption(model, resume, passes, names)
    screen = Screen(
        model,
        None if quiet else sys.stderr if predictions == "-" else sys.stdout,
        alone=predictions in ("", "-") and save is None and names is None,
    )
    with _opened(predictions, model.state.get("predictions", 0)) as stream:
        plan = Plan(
            source,
            passes=passes,
            patience=patience,
            save=save,
            checkpoint=checkpoint if save else 0.0,
            predictions=stream,
            cache=cache,
            reports=screen.reports,
            passed=screen.passed,
            interrupted=lambda: screen.interrupted(save),
        )
        screen.begin(source)
        run = Stream(model, plan)
        try:
            run.learn()
        except KeyboardInterrupt:
            screen.saved(data, save)
            return INTERRUPTED
        screen.end(to_text(run.session.first_bad()), run.session.forgotten())
        if names is not None:
            _write_names(model, names)
        if run.lost:
            raise OSError(*run.lost)
        if screen.lost:
            raise InputError(screen.lost)
    return 0


def make_settings(words: dict[str, Any], source: Source) -> Settings:
    """Return settings from what was typed."""
    words = dict(words)
    costs, classes = words.pop("costs"), words.pop("classes")
    listed = _listed(classes)
    most = int(classes) if classes.isdigit() else len(listed)
    if classes.isdigit():
        listed = []
    if classes and most < 2:
        raise ParameterError(f"--classes: at least two are wanted. Got {classes!r}.")
    if len(set(listed)) < len(listed):
        raise ParameterError(f"--classes: a name is there twice. Got {classes!r}.")
    matrix: Any = costs or None
    if costs and costs != "labels":
        listed, matrix = _read_costs(Path(costs), listed)
        most = len(listed)
    separator = words.pop("separator") or ("\t" if source.ending == ".tsv" else ",")
    if len(to_bytes(separator)) != 1 or separator in '"\r\n':
        raise ParameterError(f"--separator: one character is wanted. Got {separator!r}.")
    categories = _listed(words.pop("categories"))
    target = words["target"]
    for name in source.categories():
        if name not in (target, words["weight"], words["tag"], *categories):
            categories.append(name)
    interactions = [_listed(text, empty=True) for text in words.pop("interact")]
    for terms in interactions:
        if not 2 <= len(terms) <= 8:
            raise ParameterError(f"--interact: two to eight names are wanted. Got {terms}.")
    # Each product once: the order of its names says nothing, and --quadratic has all pairs.
    products = dict.fromkeys(tuple(sorted(terms)) for terms in interactions)
    interactions = [list(p) for p in products if len(p) > 2 or not words["quadratic"]]
    words["rule"] = words["rule"] or ("ftrl" if words["l1"] or words["l2"] else "adaptive")
    words["loss"], words["loss_parameter"] = read_loss(words["loss"])
    words["format"] = words["format"] or source.format or "text"
    return Settings(
        **words,
        most_classes=most,
        classes=listed,
        costs=matrix,
        separator=separator,
        categories=categories,
        interactions=interactions,
    )


def _listed(text: str, *, empty: bool = False) -> list[str]:
    return [part.strip() for part in text.split(",") if empty or part.strip()] if text else []


def _read_costs(file: Path, classes: list[str]) -> tuple[list[str], list[list[float]]]:
    """Return classes and matrix of a table: a head of classes said, rows of true classes."""
    try:
        with file.open(newline="", encoding="utf-8") as stream:
            rows = [row for row in csv.reader(stream) if row]
        head, body = rows[0][1:], {row[0]: [float(cell) for cell in row[1:]] for row in rows[1:]}
    except OSError as error:
        raise InputError(f"Cannot read {file}: {reason(error)}.") from None
    except (ValueError, IndexError) as error:
        raise InputError(f"{file} is no table of costs: {error}.") from None
    wanted = classes or head
    if sorted(wanted) != sorted(head) or sorted(body) != sorted(head) or len(head) < 2:
        raise InputError(
            f"{file}: the costs want a column for each class, {', '.join(wanted)}, and a row that "
            "begins with its name."
        )
    if any(len(row) != len(head) or not np.isfinite(row).all() for row in body.values()):
        raise InputError(f"{file}: each row wants {len(head)} finite costs.")
    return wanted, [[body[true][head.index(said)] for said in wanted] for true in wanted]


def _check_resumption(model: Model, file: Path, passes: int, names: Path | None) -> None:
    state = model.state
    if names is not None and not model.settings.named:
        raise ParameterError("--names: the model was begun without, so no names were kept.")
    if state["over"] or state["pass"] >= passes:
        raise ParameterError(
            f"{file} has made its passes ({state['pass']}): nothing is left to resume. "
            f"--passes {state['pass'] + 1} makes one more."
        )


@contextmanager
def _opened(name: str, size: int) -> Iterator[BinaryIO | None]:
    """Open what the predictions go to, after those already there; errors of writing are told."""
    try:
        if not name:
            yield None
        else:
            with (
                open_stdout()
                if name == "-"
                else open_at(Path(name), max(size, 0), "wb", "file of predictions")
            ) as stream:
                yield stream
    except BrokenPipeError:  # who read has seen enough
        raise InputError("the predictions are no longer read.") from None
    except OSError as error:
        what = "to standard output" if name == "-" else name
        raise InputError(f"Cannot write {what}: {reason(error)}.") from None


def _write_names(model: Model, file: Path) -> None:
    """Write the weights of the features whose names were kept, the largest first."""
    settings, outputs = model.settings, model.settings.outputs
    entries = []
    for line in model.names.split(b"\n")[:-1]:
        slot, _, name = line.partition(b"\t")
        row = int(slot) * outputs
        entries.append((name, model.table[row : row + outputs, 0]))
    entries.append((b"(bias)", model.table[-outputs:, 0]))
    entries.sort(key=lambda entry: (-float(np.abs(entry[1]).max()), entry[0]))

    def write(stream: BinaryIO) -> None:
        heads = [to_bytes(name) for name in settings.classes] if outputs > 1 else [b"weight"]
        heads += [b""] * (outputs - len(heads))  # classes that never came
        stream.write(b",".join([b"feature", *map(_quoted, heads)]) + b"\n")
        for name, weights in entries:
            stream.write(_quoted(name) + b"".join(b",%.9g" % w for w in weights) + b"\n")

    replace_file(file, write)


def _quoted(text: bytes) -> bytes:
    return b'"' + text.replace(b'"', b'""') + b'"' if b"," in text or b'"' in text else text
