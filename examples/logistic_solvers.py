"""Print how four solvers get to the same logistic regression, what priors do, and what matches.

The log-likelihood has one optimum: gradient descent, L-BFGS and Newton's method end there, in very
different numbers of steps; stochastic gradient descent ends nearby (NTU 10 and 11). A Gaussian
prior keeps weights small, a Laplace prior makes some zero (CIML 9.7). Labels may be soft. At the
optimum of the softmax, the sums of each feature over the rows of a class are what the model expects
of them: it is the distribution of maximum entropy with these sums (CMSC 11.1).

    python examples/logistic_solvers.py
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.preprocessing import StandardScaler

from inducer.datasets import heart, penguins
from inducer.linear import LinearClassifier, LogisticRegression, SGDClassifier

ALPHA = 0.01


def numbers(table: Any) -> tuple[Any, Any]:
    """Return the numbers of a table, scaled, without the rows that miss some."""
    X, y = np.asarray(table.data, dtype=np.float64), np.asarray(table.target)
    whole = ~np.isnan(X).any(axis=1)
    return StandardScaler().fit_transform(X[whole]), y[whole]


def show_solvers() -> None:
    """Print a line a solver: steps, and how far the objective is above the least."""
    X, y = numbers(heart(numeric=True))

    def objective(model: Any) -> float:
        signs = np.where(y == model.classes_[1], 1.0, -1.0)
        losses = np.logaddexp(0, -signs * model.decision_function(X))
        return float(losses.mean() + ALPHA / 2 * np.sum(model.coef_**2))

    least = objective(LogisticRegression(C=1 / (ALPHA * len(y)), tol=1e-12).fit(X, y))
    print(f"heart, {len(y)} rows: least objective {least:.9f}; steps, and above it by\n")
    for solver in ("gradient", "lbfgs", "newton"):
        for steps in (2, 4, 8, 16, 32):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", ConvergenceWarning)  # few steps are the point
                model: Any = LinearClassifier(
                    "logistic", alpha=ALPHA, solver=solver, max_iter=steps, tol=1e-10
                ).fit(X, y)
            print(f"{solver:28} {model.n_iter_:5d} {objective(model) - least:9.1e}")
            if model.n_iter_ < steps:
                break
    for average in (False, True):
        for passes in (5, 50):
            model = SGDClassifier(
                "log_loss", alpha=ALPHA, average=average, max_iter=passes, tol=None,
                learning_rate="sqrt", eta0=0.1, random_state=0,
            ).fit(X, y)  # fmt: skip
            name = "sgd, averaged" if average else "sgd"
            print(f"{name + ', passes':28} {passes:5d} {objective(model) - least:9.1e}")


def show_priors() -> None:
    """Print the length of the most probable weights, and how many are not zero."""
    X, y = numbers(heart(numeric=True))
    print("\nprior              |w|   not zero   log-likelihood\n")
    for prior in ("gaussian", "laplace"):
        for scale in (0.05, 0.2, 1.0, 5.0):
            model = LogisticRegression.with_prior(prior, scale, tol=1e-8).fit(X, y)
            codes = np.searchsorted(model.classes_, y)
            likelihood = model.predict_log_proba(X)[np.arange(len(y)), codes].sum()
            kept = np.count_nonzero(model.coef_)
            length = np.linalg.norm(model.coef_)
            print(f"{prior:9} {scale:5g} {length:8.4f} {kept:8d} {likelihood:14.3f}")


def show_soft_labels() -> None:
    """Print that rows with probabilities for labels are rows with both labels, weighted."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 3))
    p = 1 / (1 + np.exp(-(X @ [1.0, -2.0, 0.5])))
    soft = LogisticRegression(C=np.inf, tol=1e-10).fit(X, np.column_stack([1 - p, p]))
    drawn = LogisticRegression(C=np.inf, tol=1e-10).fit(X, rng.random(200) < p)
    print("\nweights 1, -2, 0.5 from soft labels: ", soft.coef_[0].round(4).tolist())
    print("from labels drawn with these chances:", drawn.coef_[0].round(4).tolist())


def show_matches() -> None:
    """Print the sums of features by class, in the data and as the model expects them."""
    X, y = numbers(penguins(numeric=True))
    model = LogisticRegression(C=1e4, tol=1e-10).fit(X, y)
    kinds = np.asarray(y)[:, None] == model.classes_
    seen, expected = kinds.T @ X, model.predict_proba(X).T @ X
    print(
        f"\npenguins: sums of the first four of {X.shape[1]} features by class, seen | expected\n"
    )
    for name, here, there in zip(model.classes_, seen, expected, strict=True):
        cells = [f"{a:9.3f} |{b:9.3f}" for a, b in zip(here[:4], there[:4], strict=True)]
        print(f"{name!s:10}" + "  ".join(cells))
    print(f"\nlargest difference {np.abs(seen - expected).max():.1e}, which is w / C")


def main() -> None:
    """Print all four tables."""
    show_solvers()
    show_priors()
    show_soft_labels()
    show_matches()


if __name__ == "__main__":
    main()
