"""Contextual bandits: choose an arm, and learn from its reward alone."""

from __future__ import annotations

import math
from collections.abc import Sequence
from numbers import Integral, Real
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from inducer.base.errors import InputError, ParameterError
from inducer.base.random import seed_sequence

POLICIES = ("linucb", "thompson", "epsilon_greedy")


class Decision(NamedTuple):
    """What was chosen, and how likely that was: log both, to value other policies later."""

    arm: Any
    propensity: float


class ContextualBandit:
    """Choose one of several arms for a context x, and see the reward of that arm only.

    An arm's reward is taken to be linear in the context. Of each arm the ridge estimate is kept,
    with A = l2 I + sum x x' over the contexts it was chosen in (x with a one at its end)::

        theta = A^-1 sum r x

    and the policy says how to explore:

    - "linucb": the arm of the largest theta.x + alpha sqrt(x' A^-1 x), which is the largest reward
      that can still be believed.
    - "thompson": the arm that is best when each theta is drawn from N(theta, alpha^2 A^-1).
    - "epsilon_greedy": the arm of the largest theta.x.

    With probability ``epsilon`` any arm is chosen instead, all alike: only then does every arm have
    a chance in every context, which the value of other policies needs (`off_policy_value`).

    Parameters
    ----------
    arms : int or sequence
        How many arms, which are then called 0, 1, ..., or their names.
    n_features : int
        Length of a context.
    policy : {"linucb", "thompson", "epsilon_greedy"}, default="linucb"
        How to explore.
    epsilon : float, default=0.1
        Share of choices that are made blindly.
    alpha : float, default=1.0
        How wide linucb and thompson look.
    l2 : float, default=1.0
        Ridge of the estimates.
    reward_range : tuple of two floats or None, default=(0.0, 1.0)
        What a reward can be; others are refused. None: any finite number.
    n_draws : int, default=100
        Of thompson: how often all theta are drawn for a decision. The arm is then drawn by how
        often each was best, so that its probability is known.
    random_state : int, Generator, RandomState or None, default=None
        Seed of the choices.

    Attributes
    ----------
    arms : list
        Their names.
    n_updates : array of shape (n_arms,)
        Rewards seen of each arm.
    theta : array of shape (n_arms, n_features + 1)
        The estimates; the offset is last.

    References
    ----------
    Li, Chu, Langford and Schapire, A contextual-bandit approach to personalized news article
    recommendation, 2010. Agrawal and Goyal, Thompson sampling for contextual bandits with linear
    payoffs, 2013.

    Examples
    --------
    >>> import numpy as np
    >>> from inducer.online import ContextualBandit
    >>> bandit = ContextualBandit(["sports", "news"], 2, random_state=0)
    >>> for x in np.random.default_rng(0).uniform(size=(200, 2)):
    ...     arm, propensity = bandit.choose(x)
    ...     bandit.update(x, arm, reward=x[0] if arm == "sports" else x[1])
    >>> bandit.probabilities([0.9, 0.1])
    array([0.95, 0.05])
    """

    def __init__(
        self,
        arms: int | Sequence[Any],
        n_features: int,
        *,
        policy: str = "linucb",
        epsilon: float = 0.1,
        alpha: float = 1.0,
        l2: float = 1.0,
        reward_range: tuple[float, float] | None = (0.0, 1.0),
        n_draws: int = 100,
        random_state: Any = None,
    ) -> None:
        self.arms: list[Any] = (
            list(range(int(arms))) if isinstance(arms, Integral) else list(arms)  # type: ignore[arg-type]
        )
        if not self.arms or len(set(self.arms)) < len(self.arms):
            raise ParameterError(f"arms: one or more, all different. Got {arms!r:.200}.")
        _demand("n_features", n_features, _whole(n_features, 0))
        if policy not in POLICIES:
            raise ParameterError(f"policy is one of {list(POLICIES)}. Got {policy!r}.")
        _demand("epsilon", epsilon, _number(epsilon) and 0 <= epsilon <= 1)
        _demand("alpha", alpha, _number(alpha) and alpha >= 0)
        _demand("l2", l2, _number(l2) and l2 > 0)
        _demand("n_draws", n_draws, _whole(n_draws, 1))
        if reward_range is not None:
            low, high = reward_range
            _demand("reward_range", reward_range, _number(low) and _number(high) and low < high)
        self.n_features = int(n_features)
        self.policy = policy
        self.epsilon = float(epsilon)
        self.alpha = float(alpha)
        self.l2 = float(l2)
        self.reward_range = reward_range
        self.n_draws = int(n_draws)
        size = self.n_features + 1
        self.n_updates = np.zeros(len(self.arms), np.int64)
        self.theta = np.zeros((len(self.arms), size))
        self._inverse = np.tile(np.eye(size) / self.l2, (len(self.arms), 1, 1))
        self._sums = np.zeros((len(self.arms), size))
        self._codes = {arm: code for code, arm in enumerate(self.arms)}
        self._rng = np.random.default_rng(seed_sequence(random_state))

    def predict(self, X: ArrayLike) -> NDArray[np.float64]:
        """Return the reward that is expected of each arm.

        Parameters
        ----------
        X : array of shape (n_features,) or (n_samples, n_features)

        Returns
        -------
        array of shape (n_arms,) or (n_samples, n_arms)
        """
        contexts, flat = self._contexts(X)
        expected = contexts @ self.theta.T
        return expected[0] if flat else expected

    def probabilities(self, X: ArrayLike) -> NDArray[np.float64]:
        """Return how likely each arm is to be chosen, as things stand; equals share alike.

        With "thompson" these are shares of ``n_draws`` new draws.

        Parameters
        ----------
        X : array of shape (n_features,) or (n_samples, n_features)

        Returns
        -------
        array of shape (n_arms,) or (n_samples, n_arms)
        """
        contexts, flat = self._contexts(X)
        chances = self._chances(contexts)
        return chances[0] if flat else chances

    def choose(self, x: ArrayLike) -> Decision:
        """Choose an arm for a context.

        Parameters
        ----------
        x : array of shape (n_features,)

        Returns
        -------
        Decision
            The arm, and the probability that it had.
        """
        contexts, flat = self._contexts(x)
        if not flat:
            raise InputError("choose: give one context at a time: each decision is learned from.")
        chances = self._chances(contexts)[0]
        code = int(self._rng.choice(len(self.arms), p=chances))
        return Decision(self.arms[code], float(chances[code]))

    def update(self, x: ArrayLike, arm: Any, reward: float) -> None:
        """Learn the reward of the arm that was chosen.

        Parameters
        ----------
        x : array of shape (n_features,)
        arm : object
            One of ``arms``.
        reward : float
        """
        contexts, flat = self._contexts(x)
        if not flat:
            raise InputError("update: give one context at a time.")
        try:
            code = self._codes[arm]
        except (KeyError, TypeError):
            raise InputError(f"arm {arm!r} is none of {self.arms!r:.300}.") from None
        gained = self._reward(reward)
        z = contexts[0]
        inverse = self._inverse[code]
        moved = inverse @ z
        # The inverse of A + z z' (Sherman and Morrison), kept symmetric.
        inverse -= np.outer(moved, moved) / (1 + z @ moved)
        self._sums[code] += gained * z
        self.theta[code] = inverse @ self._sums[code]
        self.n_updates[code] += 1

    def _reward(self, reward: Any) -> float:
        try:
            gained = float(reward)
        except (TypeError, ValueError):
            raise InputError(f"reward: {reward!r} is no number.") from None
        low, high = self.reward_range or (-math.inf, math.inf)
        if not math.isfinite(gained) or not low <= gained <= high:
            raise InputError(
                f"reward: {gained} is not between {low} and {high}. Name the range of the rewards "
                "in reward_range."
            )
        return gained

    def _contexts(self, X: ArrayLike) -> tuple[NDArray[np.float64], bool]:
        """Return contexts with a one at the end of each, and whether there was one, flat."""
        try:
            given = np.asarray(X, np.float64)
        except (TypeError, ValueError) as error:
            raise InputError(f"context: {error}") from None
        flat = given.ndim == 1
        rows = np.atleast_2d(given)
        if rows.ndim != 2 or rows.shape[1] != self.n_features:
            raise InputError(
                f"context has the shape {given.shape}; a context has {self.n_features} features."
            )
        if not np.all(np.isfinite(rows)):
            row, col = (int(i) for i in np.argwhere(~np.isfinite(rows))[0])
            raise InputError(f"context contains {rows[row, col]}: row {row}, feature {col}.")
        return np.hstack([rows, np.ones((len(rows), 1))]), flat

    def _chances(self, contexts: NDArray[np.float64]) -> NDArray[np.float64]:
        expected = contexts @ self.theta.T
        if self.policy == "thompson":
            best = self._shares_of_draws(contexts, expected)
        else:
            if self.policy == "linucb":
                expected = expected + self.alpha * self._widths(contexts)
            leads = (expected == expected.max(axis=1, keepdims=True)).astype(np.float64)
            best = leads / leads.sum(axis=1, keepdims=True)
        return (1 - self.epsilon) * best + self.epsilon / len(self.arms)

    def _widths(self, contexts: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return sqrt(x' A^-1 x) of each context and arm."""
        squares = np.einsum("ni,kij,nj->nk", contexts, self._inverse, contexts, optimize=True)
        widths: NDArray[np.float64] = np.sqrt(np.maximum(squares, 0))
        return widths

    def _shares_of_draws(
        self, contexts: NDArray[np.float64], expected: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Return how often each arm is best; theta.x is normal, so it is what is drawn."""
        noise = self._rng.standard_normal((self.n_draws, *expected.shape))
        winners = np.argmax(expected + self.alpha * self._widths(contexts) * noise, axis=2)
        arms = np.arange(len(self.arms))
        shares: NDArray[np.float64] = (winners[:, :, None] == arms).mean(axis=0)
        return shares


def _number(value: Any) -> bool:
    return type(value) is not bool and isinstance(value, Real) and math.isfinite(value)


def _whole(value: Any, least: int) -> bool:
    return type(value) is not bool and isinstance(value, Integral) and int(value) >= least


def _demand(name: str, value: Any, holds: bool) -> None:
    if not holds:
        raise ParameterError(f"{name}: {value!r} is out of its range; see ContextualBandit.")
