"""The losses of the rows at a weight vector: by a fused kernel, or given in Python."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from inducer._core.linear import Objective, curvature_product
from inducer.linear.solvers.design import Design, Vector
from inducer.losses import Loss
from inducer.losses.registry import BY_NAME


class RowLosses(Protocol):
    """What `inducer._core.linear.Objective` does: there, in one pass over the rows."""

    def evaluate(
        self,
        w: Vector,
        begin: int,
        end: int,
        threads: int,
        *,
        gradient: Any = None,
        hessian: Any = None,
        scores: Any = None,
        slopes: Any = None,
        curvatures: Any = None,
    ) -> float:
        """Return the sum over some rows at w; add to gradient and Hessian, write the others."""
        ...

    def along(
        self, scores: Vector, changes: Vector, t: float, begin: int, end: int, threads: int
    ) -> tuple[float, float, float]:
        """Return the sum at scores + t changes, and its derivatives in t."""
        ...


def row_losses(design: Design, loss: Loss, y: Vector, weights: Vector) -> RowLosses:
    """Return the kernel for a loss, or what stands in for it where the loss has no C++ twin."""
    smoothing = 0.0
    kernels = loss
    if isinstance(loss, LossEnvelope):
        kernels, smoothing = loss.loss, loss.width
    if not has_twin(kernels):
        return OwnLosses(design, loss, y, weights)
    return Objective(
        design.matrix.rows,
        str(kernels.kind),
        parameter=kernels.parameter,
        targets=y,
        codes=None,
        positive=1,
        weights=weights,
        smoothing=smoothing,
    )


def has_twin(loss: Loss) -> bool:
    """Return whether the kernels know a loss; a class made from one of ours may be another."""
    return BY_NAME.get(str(loss.kind)) is type(loss)


class OwnLosses:
    """A loss given in Python: its functions are called with some rows at a time."""

    def __init__(self, design: Design, loss: Loss, y: Vector, weights: Vector) -> None:
        self.rows, self.loss, self.y, self.weights = design.matrix.rows, loss, y, weights
        self.scores = Objective(
            self.rows, "squared", parameter=0.0, targets=y, codes=None, positive=1, weights=weights
        )
        self.one = np.append(np.zeros(design.features), 1.0)

    def evaluate(
        self,
        w: Vector,
        begin: int,
        end: int,
        threads: int,
        *,
        gradient: Any = None,
        hessian: Any = None,
        scores: Any = None,
        slopes: Any = None,
        curvatures: Any = None,
    ) -> float:
        """Return the sum over some rows at w; the Hessian is made of the curvatures elsewhere."""
        assert hessian is None
        z_all = np.empty(len(self.y)) if scores is None else scores
        self.scores.evaluate(w, begin, end, threads, scores=z_all)
        at = slice(begin, end)
        y, z, weights = self.y[at], z_all[at], self.weights[at]
        with np.errstate(all="ignore"):
            if slopes is not None:
                slopes[at] = weigh(weights, self.loss.derivative(y, z))
            if curvatures is not None:
                curvatures[at] = weigh(weights, self.loss.curvature(y, z))
            if gradient is not None:
                curvature_product(self.rows, slopes, self.one, begin, end, gradient, threads)
            return float(np.sum(weigh(weights, self.loss.value(y, z))))

    def along(
        self,
        scores: Vector,
        changes: Vector,
        t: float,
        begin: int,
        end: int,
        threads: int,  # noqa: ARG002
    ) -> tuple[float, float, float]:
        """Return the sum at scores + t changes, and its slope; no curvature."""
        at = slice(begin, end)
        y, weights, change = self.y[at], self.weights[at], changes[at]
        z = scores[at] + t * change
        with np.errstate(all="ignore"):
            value = float(np.sum(weigh(weights, self.loss.value(y, z))))
            slope = float(np.dot(weigh(weights, self.loss.derivative(y, z)), change))
        return value, slope, float("nan")


def weigh(weights: Vector, values: Any) -> Vector:
    """Return weights times values; a row of no weight is out, whatever its loss."""
    return np.where(weights == 0, 0.0, weights * values)


@dataclass(frozen=True)
class LossEnvelope(Loss):
    """The envelope of a loss: the least of f(x) + (x - z)^2 / (2 width) over x.

    The kernels have that of each of ours with kinks; what is here is for a loss of one's own.
    """

    loss: Loss
    width: float
    smooth = True

    def value(self, y: Any, z: Any) -> Any:
        """Return the least of the loss there and the way there."""
        slope = self.loss.envelope_slope(y, z, self.width)
        return self.loss.value(y, self.loss.prox(y, z, self.width)) + slope**2 * self.width / 2

    def derivative(self, y: Any, z: Any) -> Any:
        """Return the slope, which is one of the loss's at the point of the prox."""
        return self.loss.envelope_slope(y, z, self.width)

    def curvature(self, y: Any, z: Any) -> Any:
        """Return 1 / width where a kink holds the prox, else nearly the loss's own curvature."""
        x = self.loss.prox(y, z, self.width)
        slope = self.loss.envelope_slope(y, z, self.width)
        own = self.loss.curvature(y, x)
        held = np.abs(slope - self.loss.derivative(y, x)) > 1e-6 * (1 + np.abs(slope))
        return np.where(held, 1 / self.width, own / (1 + self.width * own))
