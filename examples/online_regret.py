"""Two numbers of online learning: what irrelevant features cost, and what following costs.

    python examples/online_regret.py

Prints the mistakes of Winnow and of the perceptron on a disjunction of three features as others
join, beside Winnow's bound; and the regret of following the leader, plainly and regularised, on
losses that fool it.
"""

from __future__ import annotations

import math

import numpy as np

from inducer.linear import Perceptron
from inducer.online import Hedge, Winnow

RELEVANT, ROWS = 3, 4000


def mistakes(features: int) -> tuple[int, int, float]:
    """Return the mistakes of Winnow and of the perceptron in one pass, and Winnow's bound."""
    rng = np.random.default_rng(0)
    X = (rng.random((ROWS, features)) < 0.2).astype(np.float64)
    y = X[:, :RELEVANT].any(axis=1)
    winnow = Winnow(alpha=2, form="positive", shuffle=False).partial_fit(X, y, [False, True])
    perceptron = Perceptron(shuffle=False).partial_fit(X, y, [False, True])
    return winnow.n_updates_, perceptron.n_mistakes_, winnow.mistake_bound(RELEVANT)


def regret(rounds: int, eta: float | str) -> float:
    """Return the regret on losses whose leader is always about to lose."""
    losses = np.array([[0.5, 0.0]] + [[0.0, 1.0], [1.0, 0.0]] * (rounds // 2))[:rounds]
    hedge = Hedge(2, eta=eta)
    hedge.update(losses)
    return hedge.regret


def main() -> None:
    """Print both tables."""
    print("features   Winnow   its bound   perceptron")
    for features in (10, 100, 1000, 5000):
        few, many, bound = mistakes(features)
        print(f"{features:8d} {few:8d} {bound:11.0f} {many:12d}")
    print("\nrounds   the leader   best rate   adaptive   sqrt(T log(2) / 2)")
    for rounds in (100, 1000, 10_000):
        best = Hedge.best_eta(rounds, 2)
        found = [regret(rounds, eta) for eta in (math.inf, best, "adaptive")]
        bound = math.sqrt(rounds * math.log(2) / 2)
        print(f"{rounds:6d} {found[0]:12.1f} {found[1]:11.2f} {found[2]:10.2f} {bound:20.1f}")


if __name__ == "__main__":
    main()
