"""A bandit, run against rewards that are all known."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from inducer.base.errors import InputError
from inducer.online.bandit import ContextualBandit


@dataclass(frozen=True)
class Replay:
    """What a bandit did: a log, and what it could have had.

    Attributes
    ----------
    actions : array of shape (n_samples,)
        Codes of the arms chosen.
    rewards : array of shape (n_samples,)
        What they earned.
    propensities : array of shape (n_samples,)
        How likely they were.
    regret : array of shape (n_samples,)
        What always choosing the best arm of each row would have earned more, so far.
    """

    actions: NDArray[np.int64]
    rewards: NDArray[np.float64]
    propensities: NDArray[np.float64]
    regret: NDArray[np.float64]


def replay(bandit: ContextualBandit, X: ArrayLike, rewards: ArrayLike) -> Replay:
    """Run a bandit over contexts, and tell it the reward of the arm it chooses, and no other.

    The bandit learns, and its own seed decides its choices. What is returned is a log for
    `off_policy_value`.

    Parameters
    ----------
    bandit : ContextualBandit
    X : array of shape (n_samples, n_features)
        The contexts.
    rewards : array of shape (n_samples, n_arms)
        The reward of every arm, in the order of ``bandit.arms``.

    Returns
    -------
    Replay

    Examples
    --------
    >>> import numpy as np
    >>> from inducer.online import ContextualBandit, replay
    >>> X = np.random.default_rng(0).uniform(size=(500, 2))
    >>> log = replay(ContextualBandit(2, 2, random_state=0), X, X)
    >>> bool(log.rewards[250:].mean() > 0.6)  # blindly it is 0.5, at best 0.67
    True
    """
    contexts, table = np.asarray(X, np.float64), np.asarray(rewards, np.float64)
    if contexts.ndim != 2 or table.shape != (len(contexts), len(bandit.arms)):
        raise InputError(
            f"rewards has the shape {table.shape}; with X of shape {contexts.shape} and "
            f"{len(bandit.arms)} arms, it has a row for each row and a column for each arm."
        )
    codes = {arm: code for code, arm in enumerate(bandit.arms)}
    actions = np.empty(len(table), np.int64)
    propensities = np.empty(len(table))
    for i, (x, row) in enumerate(zip(contexts, table, strict=True)):
        arm, propensities[i] = bandit.choose(x)
        actions[i] = codes[arm]
        bandit.update(x, arm, row[actions[i]])
    earned = table[np.arange(len(table)), actions]
    return Replay(actions, earned, propensities, np.cumsum(table.max(axis=1) - earned))
