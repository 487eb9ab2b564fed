"""`inducer study`: for now, the perceptron family compared on a bundled table."""

from __future__ import annotations

import inspect
import time
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table
from sklearn.exceptions import ConvergenceWarning
from sklearn.impute import SimpleImputer
from sklearn.model_selection import RepeatedStratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from inducer import datasets
from inducer.base.errors import InputError
from inducer.cli._console import make_console
from inducer.linear import (
    BatchPerceptron,
    DualPerceptron,
    MulticlassPerceptron,
    Perceptron,
    PocketPerceptron,
    VotedPerceptron,
    margin,
    top_weights,
)

FOLDS = 10


@dataclass(frozen=True)
class Result:
    """What one learner did in the folds."""

    name: str
    accuracies: list[float]
    seconds: list[float]
    mistakes: list[int]

    @property
    def accuracy(self) -> float:
        """Mean accuracy on the held-out folds."""
        return float(np.mean(self.accuracies))


def print_study(name: str, *, repeats: int, seed: int) -> None:
    """Compare the perceptron family on a bundled table, and print what came out."""
    table = _load(name)
    console = make_console()
    counts = np.bincount(table.target)
    console.print(
        f"[bold]{name}[/bold]: {len(table.target)} rows, {table.data.shape[1]} features, "
        f"{len(counts)} classes; always saying {table.target_names[counts.argmax()]!r} is right "
        f"for {counts.max() / counts.sum():.1%}."
    )
    folds = min(FOLDS, int(counts.min()))
    console.print(
        f"{folds} folds, drawn {repeats} times (seed {seed}); missing cells are filled and "
        "features scaled inside the folds.\n"
    )
    with console.status("") as status:
        results = []
        for learner in _family(seed):
            status.update(f"{_words(learner)} ...")
            results.append(_evaluate(learner, table, folds, repeats, seed))
    console.print(_comparison(results))
    _print_reading(console, table, seed)


def _load(name: str) -> Any:
    if name not in datasets.tables():
        raise InputError(f"there is no table {name!r}; choose from {', '.join(datasets.tables())}.")
    function = getattr(datasets, name)
    numeric = {"numeric": True} if "numeric" in inspect.signature(function).parameters else {}
    table = function(**numeric)
    if "target_names" not in table:
        raise InputError(f"the target of {name!r} is a number, and perceptrons tell classes apart.")
    return table


def _family(seed: int) -> Iterator[Any]:
    yield Perceptron(random_state=seed)
    yield Perceptron(average=True, random_state=seed)
    yield VotedPerceptron(random_state=seed)
    yield PocketPerceptron(random_state=seed)
    yield BatchPerceptron()
    yield DualPerceptron(random_state=seed)
    yield MulticlassPerceptron(average=True, random_state=seed)


def _words(learner: Any) -> str:
    averaged = getattr(learner, "average", False)
    return f"{type(learner).__name__}{', averaged' if averaged else ''}"


def _evaluate(learner: Any, table: Any, folds: int, repeats: int, seed: int) -> Result:
    result = Result(_words(learner), [], [], [])
    splitter = RepeatedStratifiedKFold(n_splits=folds, n_repeats=repeats, random_state=seed)
    X, y = table.data, table.target
    for train, test in splitter.split(X, y):
        ready = make_pipeline(SimpleImputer(strategy="median"), StandardScaler())
        X_train, X_test = ready.fit_transform(X[train]), ready.transform(X[test])
        begin = time.perf_counter()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # the table shows how it ended
            learner.fit(X_train, y[train])
        result.seconds.append(time.perf_counter() - begin)
        result.mistakes.append(learner.n_mistakes_)
        result.accuracies.append(learner.score(X_test, y[test]))
    return result


def _comparison(results: list[Result]) -> Table:
    best = max(result.accuracy for result in results)
    table = Table()
    table.add_column("learner")
    for heading in ("accuracy", "spread", "ms a fit", "mistakes"):
        table.add_column(heading, justify="right")
    for result in results:
        style = "[bold]" if result.accuracy == best else ""
        table.add_row(
            f"{style}{result.name}",
            f"{style}{result.accuracy:.3f}",
            f"{np.std(result.accuracies):.3f}",
            f"{1000 * np.median(result.seconds):.1f}",
            f"{np.mean(result.mistakes):.0f}",
        )
    table.caption = (
        "spread: standard deviation over the folds. mistakes: corrections made, all passes; for "
        "pocket and batch, training rows that the kept weights get wrong."
    )
    return table


def _print_reading(console: Console, table: Any, seed: int) -> None:
    """Print whether the classes can be separated, and what the averaged weights say."""
    ready = make_pipeline(SimpleImputer(strategy="median"), StandardScaler())
    X, y = ready.fit_transform(table.data), np.array(table.target_names)[table.target]
    if len(table.target_names) == 2:
        found = margin(X, y)
        words = {
            True: f"a hyperplane separates them, with margin {found.margin:.3g}; a perceptron "
            f"makes at most {found.mistake_bound:.3g} mistakes",
            False: "no hyperplane separates them (proved in exact arithmetic): a perceptron "
            "never settles, and averaging helps",
            None: "whether a hyperplane separates them could not be decided",
        }
        console.print(f"\nThe classes of the whole table: {words[found.separable]}.")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = Perceptron(average=True, random_state=seed).fit(X, y)
    weights = top_weights(model, 3, feature_names=table.feature_names)
    console.print("What the averaged perceptron looks at (weights of scaled features):")
    shown = Table(*weights.columns)
    for row in weights.iter_rows():
        shown.add_row(*(f"{v:+.2f}" if isinstance(v, float) else str(v) for v in row))
    console.print(shown)
