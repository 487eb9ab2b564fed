"""What `inducer predict` does: a model is told apart by its content."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any, BinaryIO

from inducer.base._replacing import reason, replace_file
from inducer.base.errors import InputError
from inducer.cli._distinct import check_distinct
from inducer.online._stream.files import open_stdout
from inducer.online._stream.model import Model, is_stream_model, load_model
from inducer.online._stream.run import predict as predict_stream
from inducer.online._stream.source import Source


def predict(model: Path, data: str, output: str, *, labelled: bool, skip_bad: bool) -> None:
    """Write predictions as CSV."""
    if model.is_dir():
        raise InputError(f"{model} is a folder, not a saved model.")
    check_distinct({"the model": model, "the data": data}, {"--output": output})
    if is_stream_model(model):
        _predict_stream(load_model(model), data, output, labelled=labelled, skip_bad=skip_bad)
    else:
        _predict_table(model, data, output)


def _predict_stream(
    model: Model, data: str, output: str, *, labelled: bool, skip_bad: bool
) -> None:
    source = Source(data)
    sums: dict[str, Any] = {}

    def write(stream: BinaryIO) -> None:
        sums.update(predict_stream(model, source, stream, labelled=labelled, skip_bad=skip_bad))

    _write(output, write)
    text = f"{sums['examples']:,.0f} examples"
    if sums["weight"]:
        text += f", average loss {sums['loss'] / sums['weight']:.6f}"
        if model.settings.has_classes:
            text += f", mistakes {sums['mistakes'] / sums['weight']:.4%}"
    if sums["bad"]:
        text += f", {sums['bad']:,} bad lines left out"
    print(text, file=sys.stderr)


def _predict_table(model: Path, data: str, output: str) -> None:
    """Predict with a learner that `inducer.save` wrote: from the columns it was fitted on."""
    import polars

    from inducer.base import load

    learner = load(model)
    try:
        if data == "-":
            table = polars.read_csv(sys.stdin.buffer)
        elif data.endswith(".parquet"):
            table = polars.read_parquet(data)
        else:
            table = polars.read_csv(data)
    except OSError as error:
        raise InputError(f"Cannot read {data}: {reason(error)}.") from None
    except polars.exceptions.PolarsError as error:
        raise InputError(f"Cannot read {data} as a table: {error}") from None
    names = getattr(learner, "feature_names_in_", None)
    if names is not None:
        missing = [name for name in names if name not in table.columns]
        if missing:
            raise InputError(f"{data} has no column {missing[0]!r}, and {model} was fitted on it.")
        table = table.select([str(name) for name in names])
        X: Any = table
    else:
        X = table.to_numpy()
    said = polars.DataFrame({"prediction": learner.predict(X)})
    _write(output, said.write_csv)


def _write(output: str, write: Any) -> None:
    """Have a function write to a file, that is replaced once it is complete, or to the screen."""
    path = Path(output)
    device = path.exists() and not path.is_file() and not path.is_dir()
    if output != "-" and not device:
        replace_file(path, write)
        return
    try:
        with path.open("wb") if device else open_stdout() as stream:
            write(stream)
    except OSError as error:
        raise InputError(f"Cannot write predictions: {reason(error)}.") from None
