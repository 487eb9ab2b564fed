"""What `inducer stream` does."""

from __future__ import annotations

import csv
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, TextIO

import numpy as np

from inducer.base._replacing import reason, replace_file
from inducer.base.errors import InputError, ParameterError
from inducer.online._stream.model import Model, load_model, new_table
from inducer.online._stream.run import Plan, Reports, Stream
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
    if resume is None:
        settings = make_settings(words, source)
        model = Model(settings, new_table(settings))
    else:
        model = load_model(resume)
        _check_resumption(model, resume, passes, names)
    screen = Screen(model, sys.stderr if predictions == "-" else sys.stdout, quiet=quiet)
    with _opened(predictions, afresh=resume is None) as stream:
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
        )
        screen.begin(source)
        run = Stream(model, plan)
        try:
            run.learn()
        except KeyboardInterrupt:
            screen.interrupted(data, save)
            return INTERRUPTED
    screen.end(to_text(run.session.first_bad()), run.session.forgotten())
    if names is not None:
        _write_names(model, names)
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
def _opened(name: str, *, afresh: bool) -> Iterator[BinaryIO | None]:
    """Open what the predictions go to; errors of writing are told."""
    if not name:
        yield None
        return
    try:
        if name == "-":
            yield sys.stdout.buffer
            sys.stdout.buffer.flush()
        else:
            path = Path(name)
            with path.open("wb" if afresh or not path.exists() else "r+b") as stream:
                yield stream
    except BrokenPipeError:  # who read has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise InputError("the predictions are no longer read.") from None
    except OSError as error:
        raise InputError(f"Cannot write {name}: {reason(error)}.") from None


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


class Screen:
    """Prints what happens, a line each time the examples have doubled."""

    def __init__(self, model: Model, stream: TextIO, *, quiet: bool) -> None:
        self._model = model
        self._print: Callable[..., None] = (
            (lambda *_: None) if quiet else (lambda text: print(text, file=stream, flush=True))
        )

    def begin(self, source: Source) -> None:
        """Say what is done."""
        settings = self._model.settings
        loss = "costs" if settings.costs is not None else settings.loss
        self._print(
            f"{'standard input' if source.name == '-' else source.name} read as "
            f"{settings.format}; loss {loss}, rule {settings.rule}, 2^{settings.bits} features"
        )
        self._print("   average     since  examples    weight     label      said  features")

    def reports(self, rows: Reports) -> None:
        """Print lines."""
        for examples, weight, average, since, label, said, features in rows.tolist():
            self._print(
                f"{average:>10.6f}{since:>10.6f}{examples:>10.0f}{weight:>10.8g}"
                f"{self._label(label):>10.9}{self._said(said):>10.9}{features:>10.0f}"
            )

    def _label(self, value: float) -> str:
        settings = self._model.settings
        if settings.costs is not None:
            return "costs"
        if settings.most_classes == 2:
            value = (value + 1) / 2
        return self._class(value) if settings.most_classes else f"{value:g}"

    def _said(self, value: float) -> str:
        return self._class(value) if self._model.settings.outputs > 1 else f"{value:.4f}"

    def _class(self, code: float) -> str:
        names = self._model.settings.classes
        name = names[int(code)] if int(code) < len(names) else f"#{code:g}"
        return name.encode("utf-8", "backslashreplace").decode()

    def passed(self, record: dict[str, Any]) -> None:
        """Print how a pass went."""
        held = f", held out {record['held_loss']:.6f}" if "held_loss" in record else ""
        self._print(f"pass {record['pass']}: loss {record['loss']:.6f}{held}")

    def interrupted(self, data: str, save: Path | None) -> None:
        """Say how to go on."""
        state = self._model.state
        self._print(f"interrupted in pass {state['pass'] + 1} after line {state['lines']:,}")
        if save is not None:
            self._print(f"to go on: inducer stream {data} --resume {save}")

    def end(self, first_bad: str, forgotten: int) -> None:
        """Print the sums."""
        tally, bad = self._model.state["tally"], self._model.state["bad"]
        weight = tally["weight"]
        text = f"{tally['examples']:,.0f} examples"
        if weight:
            text += f", average loss {tally['loss'] / weight:.6f}"
            if self._model.settings.has_classes:
                text += f", mistakes {tally['mistakes'] / weight:.4%}"
        self._print(text)
        if bad:
            shown = first_bad.encode("utf-8", "backslashreplace").decode()
            self._print(f"{bad:,} bad lines left out{'; the first: ' + shown if shown else ''}")
        if forgotten:
            self._print("the names of some features did not fit in memory and are left out")
