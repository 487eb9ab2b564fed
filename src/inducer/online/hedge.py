"""Hedge: learning from experts' advice."""

from __future__ import annotations

import math
from collections.abc import Sequence
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from inducer.base.arrays import Array
from inducer.base.errors import InputError, ParameterError
from inducer.base.random import seed_sequence
from inducer.base.targets import check_numbers

LOSSES = ("zero_one", "absolute", "squared")


class Hedge:
    """Hedge, or weighted majority: shares in experts, which fall with the losses of each.

    In every round the share of expert k is p_k, proportional to exp(-eta L_k), where L_k is what
    it has lost so far. The round's losses l_k come, we lose p.l, and L += l. Whatever the losses,
    within a range of width s, after T rounds with N experts the regret, which is what we lost
    beyond the best expert, is at most::

        log(N) / eta + eta s^2 T / 8     eta fixed;  s sqrt(T log(N) / 2) for the best of these
        s sqrt(T log N) + s (4/3 log N + 2)          eta="adaptive", which need not know T

    An infinite eta follows the leader: all is put on the best so far. Without randomness or a
    regulariser that can lose every round: on losses (1/2, 0), (0, 1), (1, 0), (0, 1), ... the
    leader loses T - 1, and either expert T / 2.

    It works on losses (`update`), and over fitted models (`learn`, `predict`).

    Parameters
    ----------
    experts : int or sequence of fitted models
        How many experts there are, or the experts.
    eta : float or "adaptive", default="adaptive"
        Rate. "adaptive": AdaHedge, log(N) over what was lost by mixing so far.
    bounds : tuple of two floats, default=(0.0, 1.0)
        What a loss can be; others are refused.
    loss : {"zero_one", "absolute", "squared"}, default="zero_one"
        Of `learn`: what a wrong prediction of a model costs.
    randomised : bool, default=False
        `predict` takes the word of an expert that is drawn by the shares for each row: then p.l
        is the expected loss. Else the experts vote by their shares, or their numbers are averaged.
    random_state : int, Generator, RandomState or None, default=None
        Seed of the draws.

    Attributes
    ----------
    n_rounds : int
        T.
    loss_total : float
        What we lost: the sum of p.l.
    expert_losses : array of shape (n_experts,)
        L.

    References
    ----------
    CIML, older edition, chapter 17. Littlestone and Warmuth, The weighted majority algorithm, 1994.
    Freund and Schapire, 1997. De Rooij, van Erven, Grünwald and Koolen, Follow the leader if you
    can, hedge if you must, 2014.

    Examples
    --------
    >>> import numpy as np
    >>> from inducer.online import Hedge
    >>> hedge = Hedge(3, eta=0.5)
    >>> hedge.update([[0, 1, 1], [0, 0, 1]]).round(3)
    array([0.667, 0.274])
    >>> round(hedge.regret, 3), hedge.best
    (0.941, 0)
    >>> hedge.regret <= hedge.regret_bound
    True
    """

    def __init__(
        self,
        experts: int | Sequence[Any],
        *,
        eta: float | str = "adaptive",
        bounds: tuple[float, float] = (0.0, 1.0),
        loss: str = "zero_one",
        randomised: bool = False,
        random_state: Any = None,
    ) -> None:
        counted = isinstance(experts, Integral) and not isinstance(experts, bool)
        self.models: list[Any] | None = None if counted else list(experts)  # type: ignore[arg-type]
        number = int(experts) if self.models is None else len(self.models)  # type: ignore[arg-type]
        if number < 1:
            raise ParameterError(f"Hedge: it needs one expert at least. Got {number}.")
        if eta != "adaptive" and not (_is_number(eta) and float(eta) > 0):
            raise ParameterError(f"Hedge: eta is a positive number or 'adaptive'. Got {eta!r}.")
        low, high = (float(bound) for bound in bounds)
        if not (math.isfinite(low) and math.isfinite(high) and low < high):
            raise ParameterError(f"Hedge: bounds are two numbers, low < high. Got {bounds!r}.")
        if loss not in LOSSES:
            raise ParameterError(f"Hedge: loss is one of {list(LOSSES)}. Got {loss!r}.")
        self.eta = eta
        self.bounds = (low, high)
        self.loss = loss
        self.randomised = randomised
        self.n_rounds = 0
        self.loss_total = 0.0
        self.expert_losses = np.zeros(number)
        self._mixability = 0.0  # of AdaHedge: p.l less the mix loss, summed
        self._rng = np.random.default_rng(seed_sequence(random_state))

    @staticmethod
    def best_eta(n_rounds: int, n_experts: int, width: float = 1.0) -> float:
        """Return the rate with the least bound for a number of rounds that is known.

        Parameters
        ----------
        n_rounds, n_experts : int
        width : float, default=1.0
            Of the range of the losses.
        """
        return math.sqrt(8 * math.log(n_experts) / n_rounds) / width

    @property
    def rate(self) -> float:
        """The eta of the next round."""
        if self.eta != "adaptive":
            return float(self.eta)
        logs = math.log(len(self.expert_losses))
        return logs / self._mixability if self._mixability > 0 else math.inf

    @property
    def weights(self) -> NDArray[np.float64]:
        """The shares of the next round."""
        behind = self.expert_losses - self.expert_losses.min()
        return _shares(behind, self.rate)

    @property
    def best(self) -> int:
        """The expert that has lost least so far."""
        return int(np.argmin(self.expert_losses))

    @property
    def regret(self) -> float:
        """What we have lost beyond the best expert."""
        return float(self.loss_total - self.expert_losses.min())

    @property
    def regret_bound(self) -> float:
        """What the regret cannot exceed after so many rounds, whatever the losses."""
        number, width = len(self.expert_losses), self.bounds[1] - self.bounds[0]
        logs, rounds = math.log(number), self.n_rounds
        if number == 1:
            return 0.0
        if self.eta == "adaptive":
            return width * (math.sqrt(rounds * logs) + 4 / 3 * logs + 2)
        eta = float(self.eta)
        if math.isinf(eta):
            return width * rounds
        return logs / eta + eta * width**2 * rounds / 8

    def update(self, losses: ArrayLike) -> NDArray[np.float64]:
        """Learn what the experts lost.

        Parameters
        ----------
        losses : array of shape (n_experts,) or (n_rounds, n_experts)
            One round, or several in their order.

        Returns
        -------
        array of shape (n_rounds,)
            What we lost in each.
        """
        try:
            rounds = np.atleast_2d(np.asarray(losses, np.float64))
        except (TypeError, ValueError) as error:
            raise InputError(f"losses: {error}") from None
        number = len(self.expert_losses)
        if rounds.ndim != 2 or rounds.shape[1] != number:
            raise InputError(
                f"losses have the shape {np.shape(losses)}: give one a round for each of the "
                f"{number} experts."
            )
        low, high = self.bounds
        wrong = ~((rounds >= low) & (rounds <= high))  # NaN, too
        if wrong.any():
            row, expert = (int(i) for i in np.argwhere(wrong)[0])
            raise InputError(
                f"losses: {rounds[row, expert]} of expert {expert} in round {row} is not between "
                f"{low} and {high}. Name the range of the losses in bounds."
            )
        own = np.empty(len(rounds))
        for t, found in enumerate(rounds):
            rate = self.rate
            least = self.expert_losses.min()
            shares = _shares(self.expert_losses - least, rate)
            own[t] = shares @ found
            after = self.expert_losses + found
            if self.eta == "adaptive":
                mixed = _mix(after, rate) - _mix(self.expert_losses, rate)
                self._mixability += max(0.0, own[t] - mixed)
            self.expert_losses = after
            self.n_rounds += 1
            self.loss_total += float(own[t])
        return own

    def learn(self, X: Any, y: ArrayLike) -> NDArray[np.float64]:
        """Learn from labelled rows, one after another, which of the models to trust.

        Parameters
        ----------
        X : array or whatever the models take
        y : array of shape (n_samples,)

        Returns
        -------
        array of shape (n_samples,)
            What we lost in each row.
        """
        said = self._advice(X)
        truth = np.asarray(y)
        if truth.shape != (len(said),):
            raise InputError(f"y has the shape {truth.shape}, and X {len(said)} rows.")
        if self.loss == "zero_one":
            return self.update(said != truth[:, None])
        rest = np.abs(said - check_numbers(truth, said)[:, None])
        return self.update(rest if self.loss == "absolute" else rest**2)

    def predict(self, X: Any) -> Array:
        """Return what the models say together, by their shares.

        Parameters
        ----------
        X : array or whatever the models take

        Returns
        -------
        array of shape (n_samples,)
        """
        said = self._advice(X)
        if self.randomised:
            drawn = self._rng.choice(said.shape[1], size=len(said), p=self.weights)
            word: Array = said[np.arange(len(said)), drawn]
            return word
        if self.loss != "zero_one":
            mean: Array = said @ self.weights
            return mean
        return self.vote(said)

    def vote(self, advice: ArrayLike) -> Array:
        """Return the label with the largest share behind it, for each row of advice.

        With losses of 0 and 1 this is the deterministic weighted majority. If the best expert makes
        m mistakes, it makes at most (eta m + log N) / log(2 / (1 + exp(-eta))) between two labels.

        Parameters
        ----------
        advice : array of shape (n_samples, n_experts)
            The experts' labels.

        Returns
        -------
        array of shape (n_samples,)
        """
        said = np.asarray(advice)
        if said.ndim != 2 or said.shape[1] != len(self.expert_losses):
            raise InputError(
                f"advice has the shape {said.shape}: give a label of each of the "
                f"{len(self.expert_losses)} experts."
            )
        labels, codes = np.unique(said, return_inverse=True)
        codes = codes.reshape(said.shape)
        shares = self.weights
        votes = np.stack([(codes == code) @ shares for code in range(len(labels))], axis=1)
        winners: Array = labels[np.argmax(votes, axis=1)] if len(said) else said[:, 0]
        return winners

    def choose(self) -> int:
        """Return an expert drawn by the shares."""
        return int(self._rng.choice(len(self.expert_losses), p=self.weights))

    def _advice(self, X: Any) -> Array:
        if self.models is None:
            raise InputError("Hedge: to learn from rows, give the fitted models as experts.")
        return np.stack([np.asarray(model.predict(X)) for model in self.models], axis=1)


def _is_number(value: Any) -> bool:
    return type(value) is not bool and isinstance(value, Real)


def _shares(behind: NDArray[np.float64], rate: float) -> NDArray[np.float64]:
    """Return shares for experts that are so far behind the leader."""
    if math.isinf(rate):
        leads = (behind <= 0).astype(np.float64)
        shares: NDArray[np.float64] = leads / leads.sum()
        return shares
    with np.errstate(under="ignore"):
        raw = np.exp(-rate * behind)
    return np.asarray(raw / raw.sum())


def _mix(losses: NDArray[np.float64], rate: float) -> float:
    """Return -1/eta log mean exp(-eta L), which is the least loss when eta is infinite."""
    least = float(losses.min())
    if math.isinf(rate):
        return least
    with np.errstate(under="ignore"):
        return least - math.log(float(np.mean(np.exp(-rate * (losses - least))))) / rate
