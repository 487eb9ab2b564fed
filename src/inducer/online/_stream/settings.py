"""What is learned from a stream, and how."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, field
from typing import Any, Literal, NamedTuple

import numpy as np

from inducer.base.errors import ParameterError

Format = Literal["text", "svmlight", "vw", "csv"]
Rule = Literal["adaptive", "plain", "ftrl"]


class LossKind(NamedTuple):
    """What the labels of a loss are, and its parameter where it has one."""

    labels: Literal["signs", "any", "counts", "amounts"]
    parameter: float | None = None
    least: float = 0.0  # the parameter is above this ...
    most: float = math.inf  # ... and below that


LOSSES = {
    "perceptron": LossKind("signs"),
    "hinge": LossKind("signs"),
    "squared_hinge": LossKind("signs"),
    "logistic": LossKind("signs"),
    "exponential": LossKind("signs"),
    "modified_huber": LossKind("signs"),
    "squared": LossKind("any"),
    "absolute": LossKind("any"),
    "huber": LossKind("any", 1.0),
    "epsilon_insensitive": LossKind("any", 0.1),
    "squared_epsilon_insensitive": LossKind("any", 0.1),
    "quantile": LossKind("any", 0.5, most=1.0),
    "poisson": LossKind("counts"),
    "gamma": LossKind("amounts"),
    "tweedie": LossKind("counts", 1.5, least=1.0, most=2.0),
}


def read_loss(text: str) -> tuple[str, float]:
    """Return name and parameter of a loss that is written ``name`` or ``name:parameter``."""
    name, colon, given = text.partition(":")
    if name not in LOSSES:
        raise ParameterError(f"there is no loss {name!r}; choose from {', '.join(LOSSES)}.")
    kind = LOSSES[name]
    if not colon:
        return name, kind.parameter or 0.0
    if kind.parameter is None:
        raise ParameterError(f"the loss {name} has no parameter; got {text!r}.")
    try:
        value = float(given)
    except ValueError:
        value = math.nan
    if not kind.least < value < kind.most:
        raise ParameterError(
            f"the parameter of {name} is a number above {kind.least:g} and below {kind.most:g}; "
            f"got {given!r}."
        )
    return name, value


@dataclass
class Settings:
    """What is learned from a stream, and how; saved with the model.

    Attributes
    ----------
    loss, loss_parameter
        What is minimised, as `read_loss` gives it.
    rule, rate, power, beta, l1, l2
        How weights move: see cpp/include/inducer/stream/learner.h.
    bits, ngram, quadratic, interactions
        What the features are. The table has 2^bits rows.
    most_classes, classes
        How many classes there may be, and those known: 0 where labels are numbers or -1 and 1.
    costs
        Nothing; "labels" where a label is a list of class:cost; or the matrix, row of the true
        class.
    format, separator, target, weight, tag, categories, columns
        How a line is read; all but the first are for tables.
    holdout
        Every so many examples one is not learned from; 0 for none.
    named
        Whether names of features are remembered.
    skip_bad
        Whether bad lines are left out, and counted.
    """

    loss: str = "logistic"
    loss_parameter: float = 0.0
    rule: Rule = "adaptive"
    rate: float = 0.5
    power: float = 0.5
    beta: float = 1.0
    l1: float = 0.0
    l2: float = 0.0
    bits: int = 18
    ngram: int = 1
    quadratic: bool = False
    interactions: list[list[str]] = field(default_factory=list)
    most_classes: int = 0
    classes: list[str] = field(default_factory=list)
    costs: Literal["labels"] | list[list[float]] | None = None
    format: Format = "text"
    separator: str = ","
    target: str = ""
    weight: str = ""
    tag: str = ""
    categories: list[str] = field(default_factory=list)
    columns: list[str] = field(default_factory=list)
    holdout: int = 0
    named: bool = False
    skip_bad: bool = False

    def __post_init__(self) -> None:
        signs = LOSSES[self.loss].labels == "signs"
        for name in ("rate", "power", "beta", "l1", "l2"):
            if not math.isfinite(getattr(self, name)):
                raise ParameterError(f"--{name}: a finite number is wanted.")
        if self.costs is not None and self.most_classes < 2:
            raise ParameterError("costs are for classes: say which, or how many, by --classes.")
        if self.costs is None and self.most_classes and not signs:
            raise ParameterError(
                f"the loss {self.loss} is one of numbers; with --classes choose from "
                f"{', '.join(name for name, kind in LOSSES.items() if kind.labels == 'signs')}."
            )
        if self.rule != "ftrl" and (self.l1 or self.l2):
            raise ParameterError(f"--l1 and --l2 go with --rule ftrl, not with {self.rule}.")
        if self.cells > 2**32:
            raise ParameterError(
                f"{self.bits} bits for each of {self.outputs} outputs are too many: lower --bits."
            )

    @property
    def outputs(self) -> int:
        """How many scores an example has."""
        return self.most_classes if self.most_classes > 2 or self.costs is not None else 1

    @property
    def cells(self) -> int:
        """Rows of the table: for each output a row for each feature, and the constant one."""
        return int(2**self.bits + 1) * self.outputs

    @property
    def has_classes(self) -> bool:
        """Whether predictions are classes."""
        return self.costs is not None or LOSSES[self.loss].labels == "signs"

    def class_names(self) -> list[str]:
        """Return the classes, where there are some."""
        return self.classes if self.most_classes else ["-1", "1"]

    def for_core(self, *, learning: bool, labelled: bool = True, **flags: bool) -> dict[str, Any]:
        """Return the options of a `Session` of the core."""
        options: dict[str, Any] = asdict(self)
        for name in ("separator", "target", "weight", "tag"):
            options[name] = to_bytes(options[name])
        for name in ("classes", "categories", "columns"):
            options[name] = [to_bytes(text) for text in options[name]]
        options["interactions"] = [[to_bytes(t) for t in terms] for terms in self.interactions]
        options["labels"] = "classes" if self.most_classes else LOSSES[self.loss].labels
        options["listed_costs"] = self.costs == "labels"
        matrix = self.costs if isinstance(self.costs, list) else []
        options["costs"] = np.array(matrix, dtype=np.float64).ravel()
        options["outputs"] = self.outputs
        if not learning:
            options |= {"holdout": 0, "named": False}
        return options | flags | {"learning": learning, "labelled": labelled}


def to_bytes(text: str) -> bytes:
    """Return the bytes of a name; those that were no UTF-8 too."""
    return text.encode("utf-8", "surrogateescape")


def to_text(name: bytes) -> str:
    """Return a name as text, from which `to_bytes` makes the same bytes."""
    return name.decode("utf-8", "surrogateescape")
