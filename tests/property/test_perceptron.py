"""The theorems about perceptrons, and what must not matter to them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import clone
from sklearn.callback import ProgressBar

import inducer
from inducer._core.base import pool_size
from inducer.base import Trace
from inducer.linear import (
    BatchPerceptron,
    DualPerceptron,
    MulticlassPerceptron,
    Perceptron,
    PocketPerceptron,
    VotedPerceptron,
    margin,
)

SEEDS = st.integers(0, 2**32 - 1)
# NumPy's strings end before a NUL, and lone surrogates are no text.
WORDS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=4)
LEARNERS = {
    "plain": Perceptron(max_iter=4, tol=None),
    "averaged": Perceptron(average=True, max_iter=4, tol=None),
    "multiclass": MulticlassPerceptron(max_iter=4, tol=None),
    "multiclass averaged": MulticlassPerceptron(average=True, max_iter=4, tol=None),
    "voted": VotedPerceptron(max_iter=4, tol=None),
    "pocket": PocketPerceptron(max_iter=12),
    "batch": BatchPerceptron(max_iter=6, tol=None),
    "dual": DualPerceptron(max_iter=4, tol=None),
}
every_learner = pytest.mark.parametrize("name", LEARNERS)


def learner(name: str, seed: int) -> Any:
    """Return a fresh learner, with the seed where it takes one."""
    fresh = clone(LEARNERS[name])
    return fresh if name == "batch" else fresh.set_params(random_state=seed)


@dataclass(frozen=True)
class Separable:
    """Rows that a hyperplane separates, and numbers about the rows (x, 1)."""

    X: NDArray[np.float64]
    y: NDArray[np.int64]
    radius: float  # the largest |(x, 1)|
    unit: NDArray[np.float64]  # of the hyperplane
    margin: float  # the smallest y unit.(x, 1)


@st.composite
def separable(draw: st.DrawFn) -> Separable:
    """Rows pushed away from a known hyperplane, whatever the best one is."""
    rng = np.random.default_rng(draw(SEEDS))
    n, d = draw(st.integers(2, 30)), draw(st.integers(1, 6))
    unit = rng.normal(size=d + 1)
    unit /= np.linalg.norm(unit)
    rows = rng.normal(size=(n, d)) * draw(st.sampled_from([0.1, 1.0, 30.0]))
    side = np.where(np.arange(n) % 2, 1.0, -1.0)
    # x moves along the normal until side * unit.(x, 1) is what it is to be.
    wanted = side * (draw(st.floats(0.05, 1.0)) + rng.exponential(size=n))
    normal = unit[:-1] / (unit[:-1] @ unit[:-1])
    rows += np.outer(wanted - rows @ unit[:-1] - unit[-1], normal)
    augmented = np.column_stack([rows, np.ones(n)])
    return Separable(
        rows,
        np.arange(n) % 2,
        float(np.linalg.norm(augmented, axis=1).max()),
        unit,
        float((side * (augmented @ unit)).min()),
    )


@st.composite
def noisy(draw: st.DrawFn, classes: int = 2, integers: bool = False) -> tuple[Any, Any, int]:
    """Rows with classes that nothing need separate, and a seed."""
    seed = draw(SEEDS)
    rng = np.random.default_rng(seed)
    n, d = draw(st.integers(classes + 1, 40)), draw(st.integers(1, 20))
    X = rng.normal(size=(n, d))
    codes = rng.integers(0, classes, size=n)
    codes[:classes] = np.arange(classes)
    X[:, 0] += codes
    return np.round(2 * X) if integers else X, codes, seed


def assert_same(one: Any, other: Any, X: Any) -> None:
    """Demand equal scores, bit for bit, and with them equal learned numbers."""
    np.testing.assert_array_equal(one.decision_function(X), other.decision_function(X))
    for name in ("coef_", "intercept_", "alpha_", "n_iter_", "n_mistakes_", "cost_", "t_"):
        if hasattr(one, name):
            np.testing.assert_array_equal(getattr(one, name), getattr(other, name))


# ---- convergence (CIML theorem 2) --------------------------------------------------------------


@given(problem=separable(), seed=SEEDS, average=st.booleans())
def test_mistake_bound_in_the_space_of_rows_and_one(
    problem: Separable, seed: int, average: bool
) -> None:
    """(R / g)^2 with R and g of the rows (x, 1), where the intercept is one more weight."""
    bound = (problem.radius / problem.margin) ** 2
    # A pass that is not clean has a mistake: so this many passes are enough.
    passes = int(bound) + 2
    model = Perceptron(
        average=average, max_iter=passes, tol=0, n_iter_no_change=passes, random_state=seed
    ).fit(problem.X, problem.y)
    assert model.n_mistakes_ <= bound * (1 + 1e-9)
    if not average:
        assert model.score(problem.X, problem.y) == 1


@pytest.mark.parametrize("kind", [np.asarray, np.ndarray.tolist, sparse.csr_array])
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_mistake_bound_of_a_learner_is_the_sum_over_its_problems(
    kind: Any, fit_intercept: bool
) -> None:
    X = np.array([[0.0, 9.0], [1.0, 8.0], [8.0, 0.0], [9.0, 1.0], [-9.0, -9.0], [-8.0, -9.0]])
    y = np.array([0, 0, 1, 1, 2, 2])
    model = Perceptron(fit_intercept=fit_intercept, random_state=0)
    two = margin(X[:4], y[:4], fit_intercept=fit_intercept).mistake_bound
    assert model.mistake_bound(kind(X[:4]), y[:4].tolist()) == two
    three = model.mistake_bound(kind(X), y.tolist())
    parts = [margin(X, y == k, fit_intercept=fit_intercept).mistake_bound for k in range(3)]
    assert three == sum(parts)
    assert model.fit(X, y).n_mistakes_ <= three
    assert np.isinf(model.mistake_bound(kind(X[[0, 0]]), [0, 1]))


@given(problem=separable(), seed=SEEDS)
def test_mistake_bound_without_an_intercept(problem: Separable, seed: int) -> None:
    rows = np.column_stack([problem.X, np.ones(len(problem.X))])
    passes = int((problem.radius / problem.margin) ** 2) + 2
    model = Perceptron(
        fit_intercept=False, max_iter=passes, tol=0, n_iter_no_change=passes, random_state=seed
    ).fit(rows, problem.y)
    assert model.n_mistakes_ <= (problem.radius / problem.margin) ** 2 * (1 + 1e-9)


@given(problem=separable(), seed=SEEDS)
def test_each_correction_turns_the_weights_and_hardly_lengthens_them(
    problem: Separable, seed: int
) -> None:
    """The two halves of the proof: w.w* grows by g at least, |w|^2 by R^2 at most."""
    model = VotedPerceptron(max_iter=6, tol=None, random_state=seed).fit(problem.X, problem.y)
    walk = np.array(
        [[*np.zeros(problem.X.shape[1]), 0.0], *((*w, b) for w, b, _ in model.voters())]
    )
    # Rounding: a few units in the last place of the largest number there is.
    slack = 1e-13 * (1 + np.abs(walk).max() ** 2)
    assert np.diff(walk @ problem.unit).min() >= problem.margin - slack
    assert np.diff((walk**2).sum(axis=1)).max() <= problem.radius**2 + slack


@given(data=noisy(), rate=st.sampled_from([0.25, 2.0, 1024.0]))
@pytest.mark.parametrize("name", [n for n in LEARNERS if n not in ("voted", "dual")])
def test_the_rate_changes_nothing_from_zero(name: str, data: Any, rate: float) -> None:
    """Powers of two scale weights without rounding, so the weights are scaled bit for bit."""
    X, y, seed = data
    one = learner(name, seed).fit(X, y)
    other = learner(name, seed).set_params(eta0=rate).fit(X, y)
    np.testing.assert_array_equal(other.coef_, rate * one.coef_)
    np.testing.assert_array_equal(other.intercept_, rate * one.intercept_)
    assert one.n_mistakes_ == other.n_mistakes_


@given(data=noisy(), rate=st.floats(1e-3, 1e3))
def test_any_rate_makes_the_same_mistakes_on_integers(data: Any, rate: float) -> None:
    X, y, seed = data
    X = np.round(4 * X)  # sums of integers keep away from zero, or are zero, whatever the rate
    one = Perceptron(max_iter=3, tol=None, random_state=seed, fit_intercept=False)
    other = clone(one).set_params(eta0=2.0 ** np.round(np.log2(rate)))
    assert one.fit(X, y).n_mistakes_ == other.fit(X, y).n_mistakes_


@given(data=noisy(classes=3), seed=SEEDS)
def test_an_indicator_a_row_makes_any_data_separable(data: Any, seed: int) -> None:
    """CMSC 726: then the margin is 1 / sqrt(N) at least, and R grows to sqrt(R^2 + 1)."""
    X, codes, _ = data
    y = codes > 0
    X = np.vstack([X, X[:1]])  # one and the same point
    y = np.append(y, ~y[0])  # with both labels
    n = len(X)
    rows = np.hstack([X, np.eye(n)])
    bound = n * ((X**2).sum(axis=1).max() + 2)
    passes = int(bound) + 2
    model = Perceptron(max_iter=passes, tol=0, n_iter_no_change=passes, random_state=seed)
    model.fit(rows, y)
    assert model.n_mistakes_ <= bound
    assert model.score(rows, y) == 1


# ---- averages, duals, pockets ------------------------------------------------------------------


@given(data=noisy(integers=True))
def test_the_average_is_the_running_average(data: Any) -> None:
    """Of the weights of all steps, as `VotedPerceptron` lists them, and the zeros at the start."""
    X, y, seed = data
    voters = list(learner("voted", seed).fit(X, y).voters())
    model = learner("averaged", seed).fit(X, y)
    steps = 1 + 4 * len(X)
    assert model.t_ == steps
    for ours, naive in (
        (model.coef_[0], sum(votes * w for w, _, votes in voters) / steps),
        (model.intercept_, sum(votes * b for _, b, votes in voters) / steps),
    ):
        # Two roundings in w - u / c, one in the mean, of numbers as large as the weights.
        largest = max(max(np.abs(w).max(), abs(b)) for w, b, _ in voters)
        np.testing.assert_allclose(ours, naive, rtol=0, atol=1e-15 * largest)


@given(data=noisy(classes=3, integers=True))
def test_the_dual_makes_the_mistakes_of_the_primal(data: Any) -> None:
    X, y, seed = data
    primal, dual = learner("plain", seed).fit(X, y), learner("dual", seed).fit(X, y)
    np.testing.assert_array_equal(dual.dual_coef_ @ X[dual.support_], primal.coef_)
    np.testing.assert_array_equal(dual.intercept_, primal.intercept_)
    np.testing.assert_array_equal(dual.decision_function(X), primal.decision_function(X))


@given(data=noisy(), cost=st.sampled_from([1.0, 7.0]))
@settings(max_examples=25)
def test_the_pocket_is_never_worse_with_more_updates(data: Any, cost: float) -> None:
    X, y, seed = data
    costs = [
        PocketPerceptron(cost=[[0, 1], [cost, 0]], max_iter=m, random_state=seed).fit(X, y).cost_
        for m in (1, 5, 20, 60)
    ]
    assert costs == sorted(costs, reverse=True)
    assert costs[0] <= np.where(y == 1, cost, 1.0).sum()  # of the zeros, all wrong


@given(data=noisy())
def test_the_pockets_cost_is_that_of_its_predictions(data: Any) -> None:
    X, y, seed = data
    model = learner("pocket", seed).fit(X, y)
    scores = model.decision_function(X)
    wrong = (model.predict(X) != y) | (scores == 0)
    assert model.cost_ == model.n_mistakes_ == wrong.sum()


# ---- what must not matter ----------------------------------------------------------------------


@every_learner
@pytest.mark.parametrize("kind", ["dense", "csr"])
def test_threads_do_not_matter(name: str, kind: str) -> None:
    """Enough rows for the work to be shared out; the dual's rows meet each other, so fewer."""
    rng = np.random.default_rng(0)
    n = 300 if name in ("dual", "voted") else 40_000
    X: Any = rng.normal(size=(n, 8))
    y = np.argmax(X[:, :4] + rng.normal(size=(n, 4)), axis=1)
    X = sparse.csr_array(X * (X > 0)) if kind == "csr" else X
    models = []
    for number in (1, 2, 7):
        with inducer.threads(number):
            models.append(learner(name, 1).fit(X, y))
            models.append(learner(name, 1).fit(X, y == 1))
    if name in ("plain", "averaged", "pocket"):
        assert pool_size() >= 3  # four classes at once, or blocks of rows: threads were used
    for one, other in zip(models[:2] * 2, models[2:], strict=True):
        assert_same(one, other, X)


@every_learner
@given(data=noisy(classes=3))
@settings(max_examples=15)
def test_layouts_do_not_matter(name: str, data: Any) -> None:
    """C, Fortran and strided arrays are added in one order; up to eight cells, CSR too."""
    X, y, seed = data
    wide = np.zeros((2 * len(X), 3 * X.shape[1]))
    wide[::2, 1::3] = X
    reference = learner(name, seed).fit(X, y)
    # The dual's and the voted perceptron's products are BLAS's, whose order is its own.
    for other in (np.asfortranarray(X), wide[::2, 1::3]):
        model = learner(name, seed).fit(other, y)
        if name in ("dual", "voted"):
            np.testing.assert_allclose(
                model.decision_function(X), reference.decision_function(X), rtol=1e-9, atol=1e-9
            )
        else:
            assert_same(reference, model, X)
    if X.shape[1] <= 2 and name != "dual":
        # Two products are added in one way only.
        stored = sparse.csr_array(X)
        model = learner(name, seed).fit(stored, y)
        np.testing.assert_array_equal(
            model.decision_function(stored), reference.decision_function(X)
        )


@every_learner
@given(data=noisy(classes=3, integers=True))
@settings(max_examples=15)
def test_storing_zeros_does_not_matter(name: str, data: Any) -> None:
    """Sums of integers do not depend on their order, so dense, sparse and full CSR agree."""
    X, y, seed = data
    full = sparse.csr_array(np.ones_like(X))
    full.data[:] = X.ravel()
    reference = learner(name, seed).fit(X, y)
    for rows in (full, sparse.csr_array(X), sparse.csc_array(X), X.astype(np.int32)):
        assert_same(reference, learner(name, seed).fit(rows, y), X)


@every_learner
@given(data=noisy(classes=3))
@settings(max_examples=15)
def test_the_same_seed_gives_the_same_bits_and_a_refit_is_a_fresh_fit(name: str, data: Any) -> None:
    X, y, seed = data
    once = learner(name, seed).fit(X, y)
    again = learner(name, seed).fit(X[::-1], y[::-1]).fit(X, y)
    assert_same(once, again, X)
    assert vars(once).keys() == vars(again).keys()


@every_learner
@given(data=noisy(classes=2), words=st.lists(WORDS, min_size=2, max_size=2, unique=True))
@settings(max_examples=15)
def test_labels_are_names(name: str, data: Any, words: list[str]) -> None:
    X, y, seed = data
    reference = learner(name, seed).fit(X, y)
    for labels in (np.array(sorted(words)), [False, True], [-1, 1], [-2.0, 7.0], [3, 900]):
        renamed = np.asarray(labels)
        model = learner(name, seed).fit(X, renamed[y])
        assert model.classes_.dtype == renamed.dtype
        np.testing.assert_array_equal(model.decision_function(X), reference.decision_function(X))
        np.testing.assert_array_equal(model.predict(X), renamed[reference.predict(X)])


@every_learner
@given(data=noisy(classes=3))
@settings(max_examples=10)
def test_watching_does_not_matter(name: str, data: Any) -> None:
    X, y, seed = data
    plain = learner(name, seed).fit(X, y)
    watched = learner(name, seed).set_callbacks(Trace()).fit(X, y)
    assert_same(plain, watched, X)
    assert len(watched.history_["seconds"]) == watched.n_iter_


@every_learner
def test_a_progress_bar_does_not_matter(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, 3))
    y = np.arange(30) % 3
    plain = learner(name, 0).fit(X, y)
    watched = learner(name, 0).set_callbacks(ProgressBar()).fit(X, y)
    assert "100%" in capsys.readouterr().out
    assert_same(plain, watched, X)


@every_learner
@given(data=noisy(classes=3), share=st.floats(0.1, 0.6))
@settings(max_examples=15)
def test_a_row_without_weight_is_no_row(name: str, data: Any, share: float) -> None:
    """With the rows in their order; a shuffle of fewer rows is another shuffle."""
    X, y, seed = data
    weights = (np.random.default_rng(seed).random(len(X)) > share).astype(float)
    weights[:3] = 1  # every class keeps a row
    weighted, shorter = learner(name, seed), learner(name, seed)
    if "shuffle" in weighted.get_params():
        weighted.set_params(shuffle="never")
        shorter.set_params(shuffle="never")
    weighted.fit(X, y, sample_weight=weights)
    kept = weights > 0
    shorter.fit(X[kept], y[kept])
    if name == "dual":  # its products with other rows are BLAS's, for another number of them
        np.testing.assert_array_equal(weighted.alpha_[:, kept], shorter.alpha_)
        assert not weighted.alpha_[:, ~kept].any()
    elif name == "voted":
        for ours, theirs in zip(weighted.votes_, shorter.votes_, strict=True):
            np.testing.assert_array_equal(ours, theirs)
        np.testing.assert_array_equal(weighted.support_vectors_, shorter.support_vectors_)
    else:
        assert_same(weighted, shorter, X)


@given(data=noisy(classes=3))
def test_shuffled_rows_without_weight_are_no_rows(data: Any) -> None:
    """The kernels shuffle only what they visit, so here, too, the order is the same."""
    X, y, seed = data
    weights = np.where(np.arange(len(X)) % 3 < 2, 1.0, 0.0)
    weights[:3] = 1
    kept = weights > 0
    for name in ("plain", "averaged", "multiclass", "pocket"):
        weighted = learner(name, seed).fit(X, y, sample_weight=weights)
        assert_same(weighted, learner(name, seed).fit(X[kept], y[kept]), X)
