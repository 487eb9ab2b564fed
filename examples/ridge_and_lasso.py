"""Print the paths of ridge regression and of the lasso: what a penalty does to weights, and costs.

Ridge: the penalty alpha |w|^2 and the constraint |w| <= C have the same answers, alpha and C going
opposite ways; the effective dimension counts the weights that are left free; the error of rows left
out, in closed form, says which alpha to take (NTU 14). Lasso: the larger alpha, the more weights
are exactly zero, each answer with a proof of how good it is, the duality gap.

    python examples/ridge_and_lasso.py
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from inducer.linear import ElasticNet, Lasso, LeastSquares, Ridge

ROWS, COLUMNS, RELEVANT = 60, 20, 4
ALPHAS = np.array([1e-3, 0.1, 1.0, 10.0, 100.0, 1e4])


def table(rows: int, seed: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return rows of columns that go together, and targets that few of them make."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, COLUMNS)) + rng.normal(size=(rows, 1))
    w = np.zeros(COLUMNS)
    w[:RELEVANT] = 3, -2, 1.5, 1
    return X, X @ w + 2 * rng.normal(size=rows)


def show_ridge() -> None:
    """Print a line an alpha, and the alpha that an error on rows left out chooses."""
    X, y = table(ROWS, 0)
    fresh, truth = table(5000, 1)
    model = Ridge(alphas=ALPHAS).fit(X, y)
    coefs, intercepts = model.path(X, y, ALPHAS)
    print("ridge:  alpha   C = |w|   alpha for C   dimension   left out    fresh\n")
    for k, alpha in enumerate(ALPHAS):
        radius = float(model.radius(alpha))
        back = float(model.alpha_for_radius(radius))
        left_out = -float(np.mean(model.scores_[k]))
        error = np.mean((fresh @ coefs[k] + intercepts[k] - truth) ** 2)
        print(
            f"{alpha:14g} {radius:9.4f} {back:13g} {model.effective_dimension(alpha):11.2f} "
            f"{left_out:10.3f} {error:8.3f}"
        )
    print(f"\nchosen: {model.alpha_:g}; weights left free: {model.effective_dimension_:.1f}")
    plain = LeastSquares().fit(X, y)
    print(f"least squares: |w| = {np.linalg.norm(plain.coef_):.4f}, rank {plain.rank_}")


def show_lasso() -> None:
    """Print a line an alpha of the path, and what folds choose."""
    X, y = table(ROWS, 0)
    fresh, truth = table(5000, 1)
    alphas, coefs, gaps = Lasso(alphas=10, eps=1e-3, tol=1e-10).path(X, y)
    print("\nlasso:  alpha   not zero   relevant   others       gap    fresh\n")
    for alpha, w, gap in zip(alphas, coefs.T, gaps, strict=True):
        kept = w != 0
        offset = np.mean(y - X @ w)
        error = np.mean((fresh @ w + offset - truth) ** 2)
        print(
            f"{alpha:14.4f} {kept.sum():9d} {kept[:RELEVANT].sum():10d} "
            f"{kept[RELEVANT:].sum():8d} {gap:11.1e} {error:8.3f}"
        )
    model = Lasso(cv=10).fit(X, y)
    print(f"\nchosen by ten folds: {model.alpha_:.4f}, {np.count_nonzero(model.coef_)} not zero")
    both = ElasticNet(l1_ratio=[0.1, 0.5, 0.9, 1.0], cv=10).fit(X, y)
    print(f"with the share of l1: {both.alpha_:.4f} at {both.l1_ratio_:g}")
    twice = np.column_stack([X, X[:, 0]])
    for ratio in (1.0, 0.5):
        shared = ElasticNet(0.1, l1_ratio=ratio, tol=1e-10).fit(twice, y).coef_[[0, -1]]
        print(f"a column twice, l1_ratio {ratio:g}: weights {shared.round(3).tolist()}")


def main() -> None:
    """Print both tables."""
    show_ridge()
    show_lasso()


if __name__ == "__main__":
    main()
