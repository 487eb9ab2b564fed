"""Losses by name."""

from __future__ import annotations

from typing import Any

from inducer.base.errors import ParameterError
from inducer.losses.loss import Loss
from inducer.losses.margins import (
    Exponential,
    Hinge,
    Logistic,
    ModifiedHuber,
    Perceptron,
    SquaredHinge,
    ZeroOne,
)
from inducer.losses.rates import Gamma, Poisson, Tweedie
from inducer.losses.residuals import (
    Absolute,
    EpsilonInsensitive,
    Huber,
    Quantile,
    Squared,
    SquaredEpsilonInsensitive,
)

CLASSES: tuple[type[Loss], ...] = (
    ZeroOne,
    Perceptron,
    Hinge,
    SquaredHinge,
    Logistic,
    Exponential,
    ModifiedHuber,
    Squared,
    Absolute,
    Huber,
    EpsilonInsensitive,
    SquaredEpsilonInsensitive,
    Quantile,
    Poisson,
    Gamma,
    Tweedie,
)
BY_NAME: dict[str, type[Loss]] = {str(one.kind): one for one in CLASSES}


def as_loss(loss: str | Loss, **parameters: Any) -> Loss:
    """Return a loss that is given by name, or is one already.

    Parameters
    ----------
    loss : str or Loss
        A name is that of the class in small letters: ``"squared_hinge"`` for `SquaredHinge`.
    **parameters : float
        Parameters of a loss given by name.

    Examples
    --------
    >>> from inducer.losses import as_loss
    >>> as_loss("huber", delta=2.0)
    Huber(delta=2.0)
    """
    if isinstance(loss, Loss) and not parameters:
        return loss
    if not isinstance(loss, str) or loss not in BY_NAME:
        raise ParameterError(
            f"loss: one of {', '.join(map(repr, BY_NAME))}, or a Loss. Got {loss!r:.200}."
        )
    try:
        return BY_NAME[loss](**parameters)
    except TypeError as error:
        raise ParameterError(f"loss {loss!r}: {error}") from None
