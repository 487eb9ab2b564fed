"""What the two learners by stochastic gradient descent share: objective, steps, and what is said.

The words of scikit-learn are turned into the numbers of the kernel here.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from inducer._core.linear import SgdFit, SgdOptions
from inducer.base.arrays import Array
from inducer.base.errors import InputError, ParameterError
from inducer.base.params import Choice, Domain, Flag, Instance, Int, Real
from inducer.base.progress import Record
from inducer.linear._passes import limited, warn_unless_converged
from inducer.linear._walks import WALK_PARAMS, State, Walk
from inducer.losses import Loss

RATES = ("constant", "optimal", "invscaling", "adaptive", "pa1", "pa2", "sqrt", "shifted")
# scikit-learn's names: the loss of ours, and the factor that makes it theirs.
THEIR_LOSSES = {"log_loss": ("logistic", 1.0), "squared_error": ("squared", 0.5)}
WITH_EPSILON = ("huber", "epsilon_insensitive", "squared_epsilon_insensitive")

CLASS_LOSSES = (
    "hinge",
    "log_loss",
    "logistic",
    "modified_huber",
    "squared_hinge",
    "perceptron",
    "exponential",
)
NUMBER_LOSSES = ("squared_error", "squared", "absolute", *WITH_EPSILON)

DESCENT_PARAMS: Mapping[str, Domain] = {
    **WALK_PARAMS,
    "penalty": Choice("l2", "l1", "elasticnet") | None,
    "alpha": Real(0),
    "l1_ratio": Real(0, 1) | None,
    "epsilon": Real(0),
    "learning_rate": Choice(*RATES),
    "power_t": Real(0),
    "shift": Real(0),
    "average": Int(1) | Flag(),
    "batch_size": Int(1),
    "truncate": Choice("penalty", "steps") | None,
}


def loss_domain(*names: str) -> Domain:
    """Return the domain of ``loss``: these names, and our objects."""
    return Choice(*names) | Instance(Loss)


class Descent(Walk):
    """Weights that walk down the gradient of one row, or of a few, at a time."""

    loss: str | Loss
    penalty: str | None
    alpha: float
    l1_ratio: float | None
    fit_intercept: bool
    epsilon: float
    learning_rate: str
    eta0: float
    power_t: float
    shift: float
    batch_size: int
    truncate: str | None

    _passive_loss: ClassVar[str]  # the one that passive-aggressive rates are for
    _targets: ClassVar[tuple[str, ...]]  # what losses may be about

    # ---- words into numbers --------------------------------------------------------------------

    def _check(self) -> None:
        """Refuse parameters that do not go together."""
        if self.learning_rate == "optimal" and not self.alpha > 0:
            raise ParameterError(
                "alpha must be > 0 with learning_rate='optimal', which is made of it. Choose "
                "'invscaling' or 'constant' to go without a penalty."
            )
        if self.learning_rate in ("pa1", "pa2") and self.loss != self._passive_loss:
            raise ParameterError(
                f"learning_rate={self.learning_rate!r} goes with loss={self._passive_loss!r} only."
            )
        if self.penalty == "elasticnet" and self.l1_ratio is None:
            raise ParameterError("l1_ratio must be a number with penalty='elasticnet'.")
        if self.truncate is not None and not self._penalties()[1] > 0:
            raise ParameterError(
                "truncate is a way of the l1 penalty: set penalty='l1' or 'elasticnet', alpha > 0 "
                "and l1_ratio > 0."
            )
        if self.truncate is not None and self.average:
            raise ParameterError(
                "truncate: an average of weights is zero only where all of them were. Set "
                "average=False to get weights that are zero."
            )
        loss = self.loss
        if isinstance(loss, Loss) and (
            loss.kind in (None, "zero_one") or loss.targets not in self._targets
        ):
            raise ParameterError(
                f"loss: {type(self).__name__} descends on losses of inducer.losses that are about "
                f"{' or '.join(self._targets)}. Got {loss!r}."
            )

    def _loss_numbers(self) -> tuple[str, float, float]:
        """Return the kernel's name of the loss, its parameter and its factor."""
        if isinstance(self.loss, Loss):
            return str(self.loss.kind), float(self.loss.parameter), 1.0
        name, factor = THEIR_LOSSES.get(self.loss, (self.loss, 1.0))
        return name, float(self.epsilon), factor

    def _penalties(self) -> tuple[float, float]:
        """Return the factors of |w|^2 / 2 and of |w|_1."""
        share = {None: None, "l2": 0.0, "l1": 1.0, "elasticnet": self.l1_ratio}[self.penalty]
        if share is None:
            return 0.0, 0.0
        return float(self.alpha * (1 - share)), float(self.alpha * share)

    def _rate_numbers(self) -> tuple[str, float, float, float]:
        """Return the kernel's schedule, and its numbers eta0, power and shift."""
        eta0 = float(self.eta0)
        match self.learning_rate:
            case "optimal":  # Bottou's: 1 / (alpha (t0 + t - 1)), begins at alpha^(-1/4)
                t0 = math.sqrt(math.sqrt(self.alpha)) / self.alpha
                return "shifted", 1 / self.alpha, 0.0, t0 - 1
            case "invscaling":
                return "power", eta0, float(self.power_t), 0.0
            case "sqrt":
                return "power", eta0, 0.5, 0.0
            case "shifted":
                return "shifted", eta0, 0.0, float(self.shift)
            case "pa1" | "pa2":
                return self.learning_rate, eta0, 0.0, 0.0
        return "constant", eta0, 0.0, 0.0

    def _options(self) -> SgdOptions:
        """Return what the kernel is to do."""
        loss, parameter, factor = self._loss_numbers()
        l2, l1 = self._penalties()
        schedule, eta0, power, shift = self._rate_numbers()
        ways = {None: "cumulative", "penalty": "truncated", "steps": "truncated_steps"}
        return SgdOptions(
            loss=loss,
            loss_parameter=parameter,
            loss_factor=factor,
            l2=l2,
            l1=l1,
            sparsity=ways[self.truncate] if l1 > 0 else "none",
            schedule=schedule,
            eta0=eta0,
            power=power,
            shift=shift,
            adaptive=self.learning_rate == "adaptive",
            fit_intercept=bool(self.fit_intercept),
            average_from=float(self.average),
            batch=limited(self.batch_size),
        )

    # ---- the walk ------------------------------------------------------------------------------

    def _classes(self) -> int:
        """Return the number of classes, 2 for a regression."""
        return 2

    def _state(
        self,
        X: Any,
        goes_on: bool,
        coef_init: ArrayLike | None,
        intercept_init: ArrayLike | None,
        *,
        anew: bool = False,
    ) -> State:
        state = super()._state(X, goes_on, coef_init, intercept_init, anew=anew)
        if goes_on and not anew and self.average and self._sums is None:
            # Averaging was not asked for before: take the weights there are for all there were.
            steps = np.maximum(state["visits"] - float(self.average), 0.0)
            state["coef_sum"][:] = state["coef"] * steps[:, None]
            state["intercept_sum"][:] = state["intercept"] * steps
        return state

    def _start_kernel(self, X: Any, targets: Any, weights: Any, state: Any, passes: Any) -> Any:
        return SgdFit(
            X,
            targets,
            weights,
            state,
            classes=self._classes(),
            options=self._options(),
            passes=passes,
        )

    def _another_chance(self, kernel: Any) -> bool:
        return bool(kernel.lower_rate())

    def _weights(self, state: State) -> dict[str, Array]:
        """Return the fitted attributes that a state stands for."""
        w, b = state["coef"], state["intercept"]
        if state["coef_sum"] is not None:
            steps = state["visits"] - float(self.average)
            if np.all(steps > 0):
                w = (state["coef_sum"] / steps[:, None]).astype(w.dtype)
                b = state["intercept_sum"] / steps
        return {"coef_": w.copy(), "intercept_": b.copy()}

    def _judge(self, counts: Sequence[Any]) -> None:
        self._last_objective = sum(count.last_loss + count.last_penalty for count in counts)
        self._last_corrections = sum(count.last_mistakes for count in counts)

    def _record(self, kernel: Any, state: State) -> Record:
        """Return the mean loss, the objective and the number of nonzero weights."""
        counts = kernel.passes
        loss = sum(count.last_loss for count in counts)
        return {
            "loss": loss,
            "objective": loss + sum(count.last_penalty for count in counts),
            "nonzeros": int(np.count_nonzero(self._weights(state)["coef_"])),
        }

    def _warn(self) -> None:
        free = self._penalties() == (0.0, 0.0)  # then a pass without corrections is the last
        warn_unless_converged(
            self,
            self._last_corrections if free else 1,
            self.n_iter_,
            last=f"an objective of {self._last_objective:.6g} that may still fall",
        )

    def _require_finite(self, *numbers: Any) -> None:
        if not all(np.all(np.isfinite(n)) for n in numbers):
            raise InputError(
                f"The weights of {type(self).__name__} overflowed: its steps are too long for the "
                "features. Scale the features first, with scikit-learn's StandardScaler for "
                f"example, or lower eta0 (learning_rate={self.learning_rate!r}, eta0={self.eta0})."
            )
