"""`margin`: answers known by hand, proofs checked by fractions, refusals."""

from __future__ import annotations

import math
import os
import signal
import subprocess
import sys
import threading
import time
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import sparse

import inducer
from inducer.base import InputError, ParameterError
from inducer.linear import _margin, _separate, margin

Array = NDArray[Any]


def prove(X: Any, y: Any, found: Any, fit_intercept: bool = True) -> None:
    """Check the certificate from its definition, in fractions."""
    rows = np.asarray(X.toarray() if hasattr(X, "toarray") else X).astype(float).tolist()
    y = np.asarray(y)
    signs = np.where(y == np.unique(y)[1], 1, -1).tolist()
    proof = found.certificate
    assert proof.exact
    if found.separable:
        assert proof.kind == "separating"
        w = [Fraction(value) for value in proof.coef.tolist()]
        b = Fraction(proof.intercept)
        assert fit_intercept or b == 0
        for row, sign in zip(rows, signs, strict=True):
            score = sum((a * Fraction(x) for a, x in zip(w, row, strict=True)), b)
            assert sign * score > 0
    else:
        assert proof.kind == "farkas"
        assert found.margin == -math.inf
        assert all(weight > 0 for weight in proof.weights)
        pairs = [
            (int(weight) * signs[row], rows[row])
            for row, weight in zip(proof.rows, proof.weights, strict=True)
        ]
        assert pairs
        assert not fit_intercept or sum(weight for weight, _ in pairs) == 0
        for column in range(len(rows[0])):
            assert sum(weight * Fraction(row[column]) for weight, row in pairs) == 0


def separated(rows: int, cols: int, gap: float, seed: int = 0) -> tuple[Array, Array]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, cols))
    w = rng.normal(size=cols)
    w /= np.linalg.norm(w)
    y = np.where(X @ w > 0.2, 1, -1)
    return X + gap * np.outer(y, w), y


def test_nearest_points_of_two_triangles() -> None:
    X = [[0.0, 0.0], [0.0, 2.0], [-1.0, 1.0], [3.0, 1.0], [5.0, 0.0], [5.0, 2.0]]
    found = margin(X, list("aaabbb"))
    assert found.separable is True
    assert found.margin == 1.5
    assert found.coef.tolist() == [1.0, 0.0]
    assert found.intercept == -1.5
    assert found.radius == pytest.approx(math.sqrt(29), rel=1e-15)
    assert found.certificate.gap == 0
    assert 3 in found.certificate.rows


def test_through_the_origin() -> None:
    # The hull of (1, 1), (2, 0.5) and -(-1, -3) is nearest to the origin at (1, 1).
    found = margin([[1.0, 1.0], [2.0, 0.5], [-1.0, -3.0]], [1, 1, 0], fit_intercept=False)
    assert found.intercept == 0
    assert found.margin == pytest.approx(math.sqrt(2), rel=1e-15)
    assert found.mistake_bound == pytest.approx(10 / 2, rel=1e-14)


def test_mistake_bound_is_that_of_the_augmented_rows() -> None:
    # The line through -(1, 1) and (3, 1) is 1 / sqrt(5) from the origin, between the two; the
    # longer one has squared norm 10. R^2 / gamma^2 without the 1 would be 9.
    found = margin([[1.0], [3.0]], [0, 1])
    assert found.margin == 1
    assert found.radius == 3
    assert found.mistake_bound == pytest.approx(50, rel=1e-12)


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize(("rows", "cols"), [(40, 2), (300, 7), (60, 80), (2000, 15)])
def test_margin_lies_within_its_gap_and_is_reached(
    rows: int, cols: int, fit_intercept: bool
) -> None:
    X, y = separated(rows, cols, 0.1)
    if not fit_intercept:
        X[:, 0] += 20 * y
    found = margin(X, y, fit_intercept=fit_intercept)
    assert found.separable
    assert np.linalg.norm(found.coef) == pytest.approx(1, abs=1e-15)
    reached = (y * (X @ found.coef + found.intercept)).min()
    assert found.margin == pytest.approx(reached, rel=1e-10)
    assert 0 <= found.certificate.gap <= 1e-9 * found.margin
    # Weak duality, from the certificate alone: no margin exceeds that of the dual point.
    proof = found.certificate
    nearest = (proof.weights * y[proof.rows]) @ X[proof.rows]
    upper = np.linalg.norm(nearest) / (2 if fit_intercept else 1)
    assert upper == pytest.approx(found.margin, rel=2e-9)
    prove(X, y, found, fit_intercept)


def test_support_vector_machine_agrees() -> None:
    svm = pytest.importorskip("sklearn.svm")
    X, y = separated(200, 6, 0.3)
    peer = svm.SVC(kernel="linear", C=1e8, tol=1e-10).fit(X, y)
    # SVC's tolerance is on its gradient; its margin is good to some six digits.
    assert margin(X, y).margin == pytest.approx(1 / np.linalg.norm(peer.coef_), rel=1e-5)


THIRD = 1 / 3
STEPS = np.linspace(0, 1, 11)
LINE = np.column_stack([STEPS, 1 - STEPS, 2 * STEPS])
GRID = np.array([[i, j] for i in range(12) for j in range(12)], dtype=float)
BELOW = np.where(GRID.sum(axis=1) > 10, 1, -1)
BORDERLINE: dict[str, tuple[Any, Any, bool]] = {
    "a row twice with both labels": ([[1.5, 2.0], [1.5, 2.0]], [0, 1], False),
    "two floats next to each other": ([[0.3], [0.1 + 0.2]], [0, 1], True),
    "point on an edge": ([[0.0, 0.0], [0.0, 1.0], [0.0, 0.5], [1.0, 0.3]], [0, 0, 1, 1], False),
    "corner on corner": ([[0, 0], [1, 0], [1, 0], [2, 5]], [0, 0, 1, 1], False),
    "grid in two": (GRID, BELOW, True),
    "grid, a point on the other side's edge": (
        np.vstack([GRID, [[5.0, 5.0]]]),
        np.append(BELOW, 1),
        False,
    ),
    "grid, a point within the gap": (np.vstack([GRID, [[5, 5.25]]]), np.append(BELOW, 1), True),
    "collinear in two": (LINE, STEPS > 0.45, True),
    "collinear, in turn": (LINE, np.arange(11) % 2, False),
    # 1/3 is rounded down: (1, 1/3) is below the segment from (0, 0) to (3, 1), by a hair.
    "a third is not a third": ([[0, 0], [1, THIRD], [3, 1], [2, 0]], [0, 1, 0, 1], True),
    "tenths": ([[0.1, 0], [0.3, 1], [0.2, 0.5], [1, 0.3]], [0, 0, 1, 1], True),
    "tenths that meet": ([[0.25, 0], [0.75, 1], [0.5, 0.5], [1, 0.3]], [0, 0, 1, 1], False),
    "zeros": ([[0.0], [0.0]], [0, 1], False),
    "xor": ([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0], False),
    "huge": ([[1e300], [1.1e300]], [0, 1], True),
    "tiny": ([[1e-310], [2e-310]], [0, 1], True),
    "tiny overlap": ([[1e-310], [3e-310], [2e-310]], [0, 0, 1], False),
    # The augmented rows are all but (0, 1) and -(0, 1): the kernel creeps, and has to give up.
    "no spread": (
        np.array([[2, -4, 1, 4, -2, -3, -3, 1, 2, -5, 0]]).T * 1e-11,
        [0, 1, 0, 0, 1, 1, 1, 0, 0, 1, 0],
        True,
    ),
    "scales": ([[1e150, 1e-150], [1e150, 2e-150], [-1e150, 1.5e-150]], [0, 1, 0], True),
}


@pytest.mark.parametrize("name", BORDERLINE)
def test_borderline_sets_are_decided_and_proved(name: str) -> None:
    X, y, separable = BORDERLINE[name]
    found = margin(X, y)
    assert found.separable is separable
    prove(np.asarray(X, dtype=float), y, found)
    assert (found.margin > 0) is separable
    assert math.isinf(found.mistake_bound) or separable


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("half", [1e-3, 1e-6, 1e-9, 1e-12, 1e-14])
def test_margins_down_to_rounding(half: float, fit_intercept: bool) -> None:
    """Two clouds, and a pair of points 2 `half` apart that holds them."""
    rng = np.random.default_rng(1)
    y = np.repeat([1, -1], 200)
    X = rng.normal(size=(400, 3))
    X[:, 0] = y * (np.abs(X[:, 0]) + half)
    X[0, 0], X[200, 0] = half, -half
    X[200, 1:] = X[0, 1:]
    found = margin(X, y, fit_intercept=fit_intercept)
    assert found.separable
    prove(X, y, found, fit_intercept)
    # The true margin is `half`; exact arithmetic finds it where floats no longer do.
    assert found.margin == pytest.approx(half, rel=1e-8)


def test_an_offset_does_not_cost_precision() -> None:
    X, y = separated(500, 5, 0.1)
    moved = np.round(X * 2**20) / 2**20 + 2.0**30  # exactly representable
    near = margin(moved - 2.0**30, y)
    far = margin(moved, y)
    # The margin of the hyperplane whose offset is a float near 2^30 sqrt(5): 1e-7 is its rounding.
    assert far.margin == pytest.approx(near.margin, abs=1e-6)
    assert far.margin + far.certificate.gap == pytest.approx(near.margin, rel=1e-9)


@pytest.mark.parametrize("cols", [3, 20, 60])
def test_overlap_is_proved(cols: int) -> None:
    rng = np.random.default_rng(cols)
    X = rng.normal(size=(12 * cols, cols)) * 10.0 ** rng.integers(-4, 5, size=cols)
    y = rng.choice(["a", "b"], size=len(X))
    found = margin(X, y)
    assert found.separable is False
    assert np.isnan(found.coef).all()
    prove(X, y, found)


@pytest.mark.parametrize("flip", [False, True])
def test_many_rows(flip: bool) -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(20_000, 10))
    y = np.where(X @ rng.normal(size=10) > 0.1, 1, 0)
    if flip:
        y[7] = 1 - y[7]
    found = margin(X, y)
    assert found.separable is not flip
    if not flip:
        assert (np.where(y > 0, 1, -1) * (X @ found.coef + found.intercept)).min() > 0
        assert found.certificate.gap <= 1e-8 * found.margin


def test_layouts_and_precisions_agree() -> None:
    X, y = separated(400, 9, 0.1)
    X[np.random.default_rng(2).random(X.shape) < 0.3] = 0
    X = (X + 0.3 * np.outer(y, np.ones(9))).astype(np.float32)
    wide = margin(X.astype(np.float64), y)
    padded = np.zeros((400, 18), dtype=np.float32)[:, ::2]
    padded[:] = X
    others = [X, np.asfortranarray(X), padded, sparse.csr_matrix(X), sparse.csr_array(X)]
    for other in others:
        found = margin(other, y)
        # The float32 values are the same numbers: only the order of sums may differ.
        assert found.margin == pytest.approx(wide.margin, rel=1e-10)
        np.testing.assert_allclose(found.coef, wide.coef, atol=1e-8)
        assert found.mistake_bound == pytest.approx(wide.mistake_bound, rel=1e-8)
        prove(other, y, found)


@pytest.mark.parametrize("kind", ["dense", "sparse"])
def test_threads_do_not_matter(kind: str) -> None:
    X, y = separated(30_000, 12, 0.01)
    data = sparse.csr_matrix(X) if kind == "sparse" else X
    results = []
    for number in (1, 2, 7):
        with inducer.threads(number):
            results.append(margin(data, y))
    for other in results[1:]:
        assert other.margin == results[0].margin
        assert other.coef.tobytes() == results[0].coef.tobytes()
        assert other.certificate.weights.tobytes() == results[0].certificate.weights.tobytes()


def test_linear_program_and_exact_steps_agree_with_the_kernel() -> None:
    """The fallbacks decide alone what the kernel decides first."""
    for X, y, separable in BORDERLINE.values():
        problem = _separate.Problem(np.asarray(X, dtype=float), np.asarray(y) > 0, True)
        every = np.arange(len(X))
        stepped = _separate.stepped(problem, every)
        assert isinstance(stepped, tuple) is not separable
        assert stepped is not None
    X, y = separated(3000, 4, 0.1)
    X[5] = X[y == y[5]].mean(axis=0)
    problem = _separate.Problem(X, y > 0, True)
    suggested = _separate.by_linear_program(problem, np.arange(100))
    assert suggested is not None
    assert _separate.along_floats(problem, suggested[0]) is not None
    y[5] *= -1
    problem = _separate.Problem(X, y > 0, True)
    suggested = _separate.by_linear_program(problem, np.arange(100))
    assert suggested is not None
    assert _separate.along_floats(problem, suggested[0]) is None
    assert _separate.combination(problem, *suggested[1:]) is not None


def test_undecided_is_an_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_margin, "_decided", lambda *_: None)
    found = margin([[0.0], [1.0]], [0, 1])
    assert found.separable is None
    assert math.isnan(found.margin)
    assert math.isnan(found.mistake_bound)
    assert found.certificate.kind == "undecided"
    assert not found.certificate.exact


def test_a_wrong_suggestion_is_not_believed() -> None:
    problem = _separate.Problem(
        np.array([[0.0], [1.0], [2.0]]), np.array([False, True, True]), True
    )
    assert _separate.along_floats(problem, np.array([-1.0])) is None
    assert _separate.along_floats(problem, np.array([np.nan])) is None
    rows, weights = np.arange(3), np.array([1.0, 0.5, 0.5])
    assert _separate.combination(problem, rows, weights) is None


@pytest.mark.parametrize(
    ("X", "y", "options", "words"),
    [
        ([[0.0], [1.0], [2.0]], [0, 1, 2], {}, "3 classes"),
        ([[0.0], [1.0]], [1, 1], {}, "one class"),
        ([[0.0], [np.nan]], [0, 1], {}, "NaN: row 1, column 0. margin needs numbers"),
        ([[0.0], [1.0]], [0, 1, 1], {}, "inconsistent"),
        ([["a"], ["b"]], [0, 1], {}, "could not convert"),
    ],
)
def test_unusable_data_are_refused(X: Any, y: Any, options: Any, words: str) -> None:
    with pytest.raises(InputError, match=words):
        margin(X, y, **options)


@pytest.mark.parametrize("options", [{"tol": 0}, {"tol": "small"}, {"fit_intercept": "yes"}])
def test_unusable_parameters_are_refused(options: Any) -> None:
    with pytest.raises(ParameterError, match=next(iter(options))):
        margin([[0.0], [1.0]], [0, 1], **options)


def test_interrupt_is_heard() -> None:
    """Some seconds of work, cut short by Ctrl-C."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(2500, 1500))
    y = np.where(X @ rng.normal(size=1500) > 0, 1, -1)
    sent: list[float] = []

    def interrupt() -> None:
        sent.append(time.perf_counter())
        signal.raise_signal(signal.SIGINT)

    timer = threading.Timer(0.3, interrupt)
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        margin(X, y)
    timer.join()
    # 0.2 s are promised; the rest is for a busy machine.
    assert time.perf_counter() - sent[0] < 0.5


def test_import_of_the_package_stays_light() -> None:
    code = "import inducer.linear, sys; print('numpy' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env=os.environ
    )
    assert done.stdout.strip() == "False"
