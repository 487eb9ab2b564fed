"""Penalties by name."""

from __future__ import annotations

from typing import Any

from inducer.base.errors import ParameterError
from inducer.penalties.lp import Lp
from inducer.penalties.max_norm import MaxNorm
from inducer.penalties.norms import L1, L2, ElasticNet
from inducer.penalties.penalty import Penalty
from inducer.penalties.structured import LowOrder, Symmetry

CLASSES: tuple[type[Penalty], ...] = (L2, L1, ElasticNet, Lp, MaxNorm, Symmetry, LowOrder)
BY_NAME: dict[str, type[Penalty]] = {str(one.name): one for one in CLASSES}
PLAIN = ("l2", "l1", "elasticnet", "lp", "max_norm")  # need no arguments


def as_penalty(penalty: str | Penalty, **parameters: Any) -> Penalty:
    """Return a penalty that is given by name, or is one already.

    Parameters
    ----------
    penalty : str or Penalty
        A name, such as ``"l2"`` or ``"max_norm"``.
    **parameters : Any
        Parameters of a penalty given by name.

    Examples
    --------
    >>> from inducer.penalties import as_penalty
    >>> as_penalty("lp", p=3)
    Lp(p=3)
    """
    if isinstance(penalty, Penalty) and not parameters:
        return penalty
    if not isinstance(penalty, str) or penalty not in BY_NAME:
        raise ParameterError(
            f"penalty: one of {', '.join(map(repr, BY_NAME))}, or a Penalty. Got {penalty!r:.200}."
        )
    try:
        return BY_NAME[penalty](**parameters)
    except TypeError as error:
        raise ParameterError(f"penalty {penalty!r}: {error}") from None
