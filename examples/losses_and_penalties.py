"""Print what losses cost, and what any loss with any penalty makes of a real table.

First each loss at the margins of CIML 7.2, -1, 0, 0.2, 1 and 3: all but the mistakes themselves are
convex, and those that the book names are never below them. Then the heart table, each loss with
each penalty: mistakes, weights that are not zero, and how near the least the fit is known to be.
Then the three forms of one problem, which meet; and last, regressions on numbers of which one in
ten is wild.

    python examples/losses_and_penalties.py
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from sklearn.preprocessing import StandardScaler

from inducer.datasets import heart
from inducer.linear import LinearClassifier, LinearRegressor
from inducer.losses import as_loss
from inducer.penalties import ElasticNet, LowOrder, Lp

MARGINS = np.array([-1.0, 0.0, 0.2, 1.0, 3.0])
LOSSES = ("zero_one", "hinge", "logistic", "exponential", "squared", "squared_hinge")
PENALTIES: dict[str, Any] = {
    "none": None,
    "L2": "l2",
    "L1": "l1",
    "elastic net": ElasticNet(0.5),
    "L1.5": Lp(1.5),
    "largest": "max_norm",
}


def show_losses() -> None:
    """Print a line a loss; the logistic one divided by log 2, so that it is 1 at 0."""
    print(f"{'loss at a margin of':20}" + "".join(f"{margin:9.4g}" for margin in MARGINS))
    for name in LOSSES:
        scale = math.log(2) if name == "logistic" else 1.0
        values = as_loss(name).value(np.ones(len(MARGINS)), MARGINS) / scale
        print(f"{name:20}" + "".join(f"{value:9.4f}" for value in values))


def heart_rows() -> tuple[Any, Any]:
    """Return the heart table as numbers, scaled, without the rows that miss some."""
    X, y = heart(numeric=True, return_X_y=True)
    table = np.asarray(X, dtype=np.float64)
    whole = ~np.isnan(table).any(axis=1)
    return StandardScaler().fit_transform(table[whole]), np.asarray(y)[whole]


def show_pairs() -> None:
    """Print mistakes, weights that are not zero and the certificate of each pair."""
    X, y = heart_rows()
    print(
        f"\nheart, {X.shape[0]} rows, {X.shape[1]} columns: mistakes, weights, solver, how near\n"
    )
    factors = 2.0 ** np.arange(X.shape[1])
    for loss in ("hinge", "logistic", "exponential", "squared"):
        for name, penalty in (*PENALTIES.items(), ("low order", LowOrder(factors))):
            model = LinearClassifier(loss, penalty=penalty, alpha=0.02).fit(X, y)
            kept = np.count_nonzero(np.abs(model.coef_) > 1e-9)
            near = model.certificate_
            words = f"gap {near['gap']:.0e}" if "gap" in near else ""
            print(
                f"{loss:12} {name:12} {model.zero_one_:6.1%} {kept:4d}   {model.solver_:10} {words}"
            )


def show_forms() -> None:
    """Print the weights of the penalised, the bounded and the sparing problem: the same."""
    X, y = heart_rows()
    penalised = LinearClassifier("logistic", alpha=0.05).fit(X, y)
    norm = float(np.sum(penalised.coef_**2)) / 2
    print(f"\nlogistic, alpha 0.05: R(w) = {norm:.6f}, mean loss {penalised.loss_:.6f}\n")
    for form, bound in (("norm_bound", norm), ("loss_bound", penalised.loss_)):
        model = LinearClassifier("logistic", form=form, bound=bound).fit(X, y)
        apart = np.abs(model.coef_ - penalised.coef_).max()
        print(f"{form} {bound:.6f}: alpha {model.alpha_[0]:.6f}, weights apart by {apart:.0e}")


def show_regressions() -> None:
    """Print what wild numbers do to a slope of 2 and an offset of 1, and quantiles."""
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, size=(500, 1))
    y = 2 * X[:, 0] + 1 + 0.1 * rng.normal(size=500)
    wild = np.where(rng.random(500) < 0.1, y + 20 * rng.random(500), y)
    print("\n2 x + 1, one number in ten up to 20 too large: slope, offset, rows below\n")
    for loss in (
        *("squared", "absolute", "huber", "epsilon_insensitive"),
        *(as_loss("quantile", q=q) for q in (0.1, 0.9)),
    ):
        model = LinearRegressor(loss, alpha=0).fit(X, wild)
        below = np.mean(wild <= model.predict(X))
        print(f"{loss!s:24} {model.coef_[0]:7.3f} {model.intercept_:7.3f} {below:7.1%}")


def main() -> None:
    """Print the four tables."""
    show_losses()
    show_pairs()
    show_forms()
    show_regressions()


if __name__ == "__main__":
    main()
