"""Print how online learners do while they learn, and what a log of one bandit says of others.

Progressive validation tests on each row before it is learned from: the mean loss is honest, and
nothing is held out (CIML 14). Passive-aggressive steps go as far as a row asks for, which noise
makes too far, unless C limits them; the regularised leader has a rate for each weight, and with an
l1 penalty zeros. Bandits see the reward of what they did alone; from the log of one that chooses
blindly, weighted by how likely each choice was, the value of another policy follows.

    python examples/online_learners.py
"""

from __future__ import annotations

from typing import Any

import numpy as np

from inducer.linear import Perceptron
from inducer.online import (
    ContextualBandit,
    FollowTheLeader,
    PassiveAggressive,
    off_policy_value,
    progressive_validation,
    replay,
)

ROWS, FEATURES = 4000, 50


def learners() -> dict[str, Any]:
    """Return the learners of the first table."""
    return {
        "perceptron": Perceptron(random_state=0),
        "passive-aggressive": PassiveAggressive(variant="pa", random_state=0),
        "PA-I, C = 0.01": PassiveAggressive(variant="pa1", C=0.01, random_state=0),
        "PA-II, C = 0.01": PassiveAggressive(variant="pa2", C=0.01, random_state=0),
        "PA-I, averaged": PassiveAggressive(C=0.01, average=True, random_state=0),
        "leader": FollowTheLeader(random_state=0),
        "leader, l1 = 10": FollowTheLeader(l1=10.0, random_state=0),
    }


def show_learners() -> None:
    """Print progressive and fresh errors, without and with wrong labels."""
    for noise in (0.0, 0.2):
        rng = np.random.default_rng(0)
        X = rng.normal(size=(2 * ROWS, FEATURES))
        truth = X[:, :5].sum(axis=1) > 0
        y = np.where(rng.random(len(X)) < noise, ~truth, truth)
        print(
            f"labels wrong: {noise:.0%}; errors while learning, on fresh rows; weights not zero\n"
        )
        for name, model in learners().items():
            result = progressive_validation(model, X[:ROWS], y[:ROWS], chunk_rows=1)
            wrong = np.mean(model.predict(X[ROWS:]) != truth[ROWS:])
            kept = np.count_nonzero(model.coef_)
            print(
                f"{name:20} {result.loss:6.1%} +- {result.standard_error:5.1%} "
                f"{wrong:7.1%} {kept:5d}"
            )
        print()


def show_bandits() -> None:
    """Print what policies earn, and what a blind log says that the best of them would."""
    rng = np.random.default_rng(0)
    X = rng.uniform(size=(ROWS, 3))
    expected = X * [1.0, 0.8, 0.6]
    rewards = (rng.random(expected.shape) < expected).astype(float)
    print(f"three arms: blindly {rewards.mean():.3f}, at best {expected.max(axis=1).mean():.3f}\n")
    for policy in ("epsilon_greedy", "linucb", "thompson"):
        bandit = ContextualBandit(3, 3, policy=policy, epsilon=0.05, random_state=0)
        log = replay(bandit, X, rewards)
        print(f"{policy:16} earned {log.rewards.mean():.3f}, late {log.rewards[-1000:].mean():.3f}")
    blind = replay(ContextualBandit(3, 3, epsilon=1.0, random_state=1), X, rewards)
    target = np.argmax(expected, axis=1)
    truth = expected.max(axis=1).mean()
    print(f"\nthe best policy, from a blind log (truth {truth:.3f})\n")
    for method in ("ips", "snips", "dm", "dr"):
        # A model of the rewards that is wrong: it knows the arms, and not the contexts.
        estimates = None if "ips" in method else np.tile([0.5, 0.4, 0.3], (ROWS, 1))
        found = off_policy_value(
            blind.actions, blind.rewards, blind.propensities, target,
            estimates=estimates, method=method,
        )  # fmt: skip
        print(f"{method:6} {found.value:.3f}, between {found.low:.3f} and {found.high:.3f}")


def main() -> None:
    """Print both tables."""
    show_learners()
    show_bandits()


if __name__ == "__main__":
    main()
