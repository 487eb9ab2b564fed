"""`inducer stream` and `inducer predict`: their options, and no more, so that they load at once."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer


class Format(StrEnum):
    """How a line is read."""

    text = "text"
    svmlight = "svmlight"
    vw = "vw"
    csv = "csv"


class Rule(StrEnum):
    """How weights move."""

    adaptive = "adaptive"
    plain = "plain"
    ftrl = "ftrl"


# What may be said beside --resume: all else comes from the model.
_AFRESH = {
    "data", "resume", "save", "checkpoint", "passes", "patience", "cache", "predictions", "names",
    "quiet",
}  # fmt: skip


def stream(
    context: typer.Context,
    data: Annotated[
        str, typer.Argument(help="A file, packed by gzip or not; - for standard input.")
    ] = "-",
    format: Annotated[
        Format | None, typer.Option(help="How a line is read; by the file's ending if left out.")
    ] = None,
    loss: Annotated[
        str, typer.Option(help="What is minimised; a parameter goes after a colon: quantile:0.9.")
    ] = "logistic",
    classes: Annotated[
        str, typer.Option(help="Names of the classes, a,b,c, or how many there may be.")
    ] = "",
    costs: Annotated[
        str,
        typer.Option(help="A CSV file with the cost of each mistake; or the word labels."),
    ] = "",
    bits: Annotated[
        int, typer.Option("--bits", "-b", min=1, max=30, help="2^BITS features are told apart.")
    ] = 18,
    rule: Annotated[
        Rule | None,
        typer.Option(help="How weights move; adaptive if left out, ftrl with --l1 or --l2."),
    ] = None,
    rate: Annotated[float, typer.Option(min=1e-12, help="How fast.")] = 0.5,
    power: Annotated[
        float, typer.Option(min=0, max=1, help="Of plain: the rate falls as time^-POWER.")
    ] = 0.5,
    beta: Annotated[float, typer.Option(min=0, help="Of ftrl: damps the first steps.")] = 1.0,
    l1: Annotated[float, typer.Option("--l1", min=0, help="Of ftrl: makes weights zero.")] = 0.0,
    l2: Annotated[float, typer.Option("--l2", min=0, help="Of ftrl: keeps weights small.")] = 0.0,
    ngram: Annotated[int, typer.Option(min=1, max=1000, help="Up to N words in a row.")] = 1,
    quadratic: Annotated[
        bool, typer.Option("--quadratic", help="All pairs of features, squares too.")
    ] = False,
    interact: Annotated[
        list[str] | None,
        typer.Option(help="Products of the features of namespaces, a,b; may be repeated."),
    ] = None,
    target: Annotated[
        str, typer.Option(help="The column of the label; the first if left out.")
    ] = "",
    weight: Annotated[str, typer.Option(help="The column of importance weights.")] = "",
    tag: Annotated[str, typer.Option(help="A column that is handed on to predictions.")] = "",
    categories: Annotated[
        str, typer.Option(help="Columns a,b that hold words, even where they look like numbers.")
    ] = "",
    separator: Annotated[str, typer.Option(help="What is between cells.")] = "",
    passes: Annotated[int, typer.Option(min=1, help="How often the input is read.")] = 1,
    cache: Annotated[
        Path | None,
        typer.Option(help="Where a pipe is kept for later passes; a nameless file if left out."),
    ] = None,
    holdout: Annotated[
        int, typer.Option(min=0, help="Do not learn from each N-th example; 0: from all.")
    ] = 0,
    patience: Annotated[
        int, typer.Option(min=1, help="Passes that do not lower the held-out loss before we stop.")
    ] = 1,
    predictions: Annotated[
        str, typer.Option(help="Where to write what is said before learning; - for the screen.")
    ] = "",
    names: Annotated[
        Path | None, typer.Option(help="Where to write the weights by the features' names.")
    ] = None,
    save: Annotated[Path | None, typer.Option(help="Where to write the model.")] = None,
    checkpoint: Annotated[
        float, typer.Option(min=0, help="Save after so many seconds, again and again; 0: no.")
    ] = 0.0,
    resume: Annotated[
        Path | None, typer.Option(help="A model that was interrupted: go on where it was.")
    ] = None,
    skip_bad: Annotated[
        bool, typer.Option("--skip-bad", help="Leave bad lines out, and count them.")
    ] = False,
    quiet: Annotated[bool, typer.Option("--quiet", help="Print nothing but errors.")] = False,
) -> None:
    """Learn from a file that need not fit in memory, one line at a time."""
    from inducer.cli import _stream_learn

    words = {
        "loss": loss, "classes": classes, "costs": costs, "bits": bits, "rule": rule and rule.value,
        "rate": rate, "power": power, "beta": beta, "l1": l1, "l2": l2, "ngram": ngram,
        "quadratic": quadratic, "interact": interact or [], "target": target, "weight": weight,
        "tag": tag, "categories": categories, "separator": separator, "holdout": holdout,
        "skip_bad": skip_bad, "format": format and format.value, "named": names is not None,
    }  # fmt: skip
    if resume is not None:
        for name in context.params:
            origin = context.get_parameter_source(name)
            if origin is not None and origin.name == "COMMANDLINE" and name not in _AFRESH:
                raise typer.BadParameter(
                    f"--{name.replace('_', '-')} is said by the model that --resume goes on with"
                )
    code = _stream_learn.learn(
        data,
        words,
        resume=resume,
        passes=passes,
        patience=patience,
        cache=cache,
        predictions=predictions,
        names=names,
        save=save or resume,
        checkpoint=checkpoint,
        quiet=quiet,
    )
    raise typer.Exit(code)


def predict(
    model: Annotated[
        Path, typer.Argument(help="What `inducer stream --save` or inducer.save wrote.")
    ],
    data: Annotated[str, typer.Argument(help="A file like that it learned from; - for a pipe.")],
    output: Annotated[
        str, typer.Option("--output", "-o", help="Where the predictions go, as CSV.")
    ] = "-",
    unlabelled: Annotated[
        bool, typer.Option("--unlabelled", help="Of text: the lines hold words only.")
    ] = False,
    skip_bad: Annotated[
        bool, typer.Option("--skip-bad", help="Leave bad lines out, and count them.")
    ] = False,
) -> None:
    """Predict with a saved model."""
    from inducer.cli import _predict

    _predict.predict(model, data, output, labelled=not unlabelled, skip_bad=skip_bad)
