"""Print what rates, averages, orders and batches do to stochastic gradient descent, and truncation.

Part one fits a logistic regression by one row at a time, and says how far above the least objective
it is after 1, 5 and 25 passes: a constant rate does not settle, falling ones do, and the mean of
the weights that were settles sooner (CIML 14.3). Sorted rows taken as they come are the worst
order. Part two has a thousand words of which ten matter: a plain step never leaves a weight at
zero, a truncated one does, and that costs no accuracy here (CIML 14.5).

    python examples/stochastic_steps.py
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from inducer.linear import LinearClassifier, SGDClassifier

ALPHA = 1e-3
WORDS, RELEVANT = 1000, 10
RATES: dict[str, dict[str, Any]] = {
    "constant": {"learning_rate": "constant", "eta0": 0.1},
    "constant, averaged": {"learning_rate": "constant", "eta0": 0.1, "average": True},
    "eta0 / sqrt(t)": {"learning_rate": "sqrt", "eta0": 1.0},
    "eta0 / (b + t)": {"learning_rate": "shifted", "eta0": 500.0, "shift": 1000.0},
    "1 / (alpha (t0 + t))": {"learning_rate": "optimal"},
    "the same, averaged": {"learning_rate": "optimal", "average": 2000},
    "sqrt, one order": {"learning_rate": "sqrt", "eta0": 1.0, "shuffle": "once"},
    "sqrt, sorted by class": {"learning_rate": "sqrt", "eta0": 1.0, "shuffle": "never"},
    "sqrt, batches of 10": {"learning_rate": "sqrt", "eta0": 1.0, "batch_size": 10},
    "sqrt, no decay": {"learning_rate": "sqrt", "eta0": 1.0, "penalty": None},
}


def rows(count: int, features: int, relevant: int, seed: int) -> tuple[Any, Any]:
    """Return rows and labels that some features make, sorted by class."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(count, features))
    y = (X[:, :relevant].sum(axis=1) + rng.logistic(size=count) > 0).astype(int)
    order = np.argsort(y, kind="stable")
    return X[order], y[order]


def show_rates() -> None:
    """Print a line a rate."""
    X, y = rows(2000, 10, 5, 0)

    def objective(model: Any) -> float:
        signs = np.where(y == 1, 1.0, -1.0)
        losses = np.logaddexp(0, -signs * model.decision_function(X))
        return float(losses.mean() + ALPHA / 2 * np.sum(model.coef_**2))

    least = objective(LinearClassifier("logistic", alpha=ALPHA).fit(X, y))
    print(f"least objective {least:.6f}; above it after passes  1         5        25\n")
    for name, words in RATES.items():
        cells = []
        for passes in (1, 5, 25):
            model = SGDClassifier(
                "log_loss",
                **{"alpha": ALPHA, "max_iter": passes, "tol": None, "random_state": 0, **words},
            ).fit(X, y)
            cells.append(f"{objective(model) - least:9.5f}")
        print(f"{name:44}" + " ".join(cells))


def words(count: int, seed: int) -> tuple[Any, Any]:
    """Return texts as words that are there or not: ten that matter, and many rare ones."""
    rng = np.random.default_rng(seed)
    shares = np.r_[np.full(RELEVANT, 0.3), np.full(WORDS - RELEVANT, 0.02)]
    X = (rng.random((count, WORDS)) < shares).astype(float)
    signs = np.tile([2.0, -2.0], RELEVANT // 2)
    y = X[:, :RELEVANT] @ signs + rng.logistic(size=count) > 0
    return sparse.csr_matrix(X), y.astype(int)


def show_truncation() -> None:
    """Print a line a penalty: weights that are not zero, and errors on fresh rows."""
    X, y = words(2000, 0)
    fresh, truth = words(5000, 1)
    common: dict[str, Any] = {
        "max_iter": 20, "tol": None, "learning_rate": "sqrt", "eta0": 0.5, "random_state": 0,
    }  # fmt: skip
    print(f"\nalpha      truncate   of {WORDS} not zero   relevant   wrong on fresh rows\n")
    for alpha in (0.0, 1e-4, 1e-3, 3e-3, 1e-2, 3e-2):
        for truncate in ("penalty", "steps") if alpha else (None,):
            model = SGDClassifier(
                "log_loss", penalty="l1", alpha=alpha, truncate=truncate, **common
            )
            kept = model.fit(X, y).coef_[0] != 0
            wrong = np.mean(model.predict(fresh) != truth)
            name = truncate or "never"
            print(f"{alpha:<10g} {name:10} {kept.sum():16d} {kept[:10].sum():10d} {wrong:13.1%}")


def main() -> None:
    """Print both tables."""
    show_rates()
    show_truncation()


if __name__ == "__main__":
    main()
