"""Problems of the elastic net made of data: one alpha, a whole path, and the choice on folds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from inducer.base.arrays import Matrix
from inducer.base.errors import ParameterError
from inducer.linear._descent import (
    Design,
    GramDescent,
    HeldColumns,
    Penalty,
    WorkingSetDescent,
)
from inducer.linear._moments import Moments, moments, raw_moments, shift_near_means
from inducer.linear._numbers import Numbers, predictions, some_rows
from inducer.linear._rule import require_finite

# Up to so many columns the Gram matrix is made whole: for one alpha, and for many.
WHOLE, WHOLE_FOR_PATHS = 400, 2500

Descent = GramDescent | WorkingSetDescent


class Source(Protocol):
    """Data, as the descents need it."""

    yy: Numbers
    pulls: Numbers  # features x targets: Xc'HYc / total

    def descent(self, target: int, penalty: Penalty, start: Start, tolerance: float) -> Descent:
        """Return a descent for one target."""
        ...

    def intercept(self, coef: Numbers) -> Numbers:
        """Return the offsets that go with weights (targets x features)."""
        ...


class Start:
    """Where a descent begins: weights, and on a path what the last alpha left behind."""

    def __init__(self, w: Numbers, last: Descent | None = None) -> None:
        self.w, self.last = w, last


class GramSource:
    """Data as its moments."""

    def __init__(self, made: Moments) -> None:
        self.moments = made
        self.Q, self.pulls, self.yy = made.Q / made.total, made.q / made.total, made.yy / made.total

    def descent(self, target: int, penalty: Penalty, start: Start, tolerance: float) -> Descent:
        """Return a descent on the Gram matrix."""
        q, yy = self.pulls[:, target], float(self.yy[target])
        return GramDescent(self.Q, q, yy, penalty, start.w, tolerance)

    def intercept(self, coef: Numbers) -> Numbers:
        """Return the offsets that go with weights."""
        return self.moments.intercept(coef)


class ColumnSource:
    """Data itself, of which a few columns are held."""

    def __init__(self, design: Design) -> None:
        self.design, self.yy, self.pulls = design, design.yy, design.pulls.T
        self.held = HeldColumns(design)

    def descent(self, target: int, penalty: Penalty, start: Start, tolerance: float) -> Descent:
        """Return a descent on the columns that matter."""
        last = start.last if isinstance(start.last, WorkingSetDescent) else None
        return WorkingSetDescent(self.held, target, penalty, start.w, tolerance, last)

    def intercept(self, coef: Numbers) -> Numbers:
        """Return the offsets that go with weights."""
        found: Numbers = self.design.y_mean - coef @ self.design.mean
        return found


def source_of(
    learner: Any,
    matrix: Matrix,
    Y: Numbers,
    weights: Numbers | None,
    threads: int,
    *,
    many: bool,
) -> Source:
    """Return data in the form that suits its shape, for one alpha or for many."""
    fit_intercept = bool(learner.fit_intercept)
    made: Source
    with np.errstate(over="ignore", invalid="ignore"):
        if by_moments(matrix, many):
            made = GramSource(moments(matrix, Y, weights, fit_intercept, threads))
            require_finite(learner, made.Q)
        else:
            made = ColumnSource(Design(matrix, Y, weights, fit_intercept, threads))
        require_finite(learner, made.pulls, made.yy)
    return made


def by_moments(matrix: Matrix, many: bool) -> bool:
    """Return whether the Gram matrix is worth making whole."""
    rows, cols = matrix.X.shape
    return cols <= WHOLE or (many and cols <= min(WHOLE_FOR_PATHS, rows))


def l1_ratios(learner: Any, *, choose: bool) -> Numbers:
    """Return the shares of l1 that a learner names: one, or several to choose among."""
    try:
        ratios = np.atleast_1d(np.asarray(learner.l1_ratio, np.float64))
    except (TypeError, ValueError) as error:
        raise ParameterError(f"l1_ratio: {error}") from None
    if ratios.ndim > 1 or not len(ratios) or not np.all((ratios >= 0) & (ratios <= 1)):
        raise ParameterError(
            f"l1_ratio must be a number from 0 to 1, or a list of such. Got {learner.l1_ratio!r}."
        )
    if np.ndim(learner.l1_ratio) and not choose:
        raise ParameterError(
            "l1_ratio: a list is chosen from by cross-validation, in fit. Give cv, or one number."
        )
    return ratios


def alpha_grid(learner: Any, source: Source, l1_ratio: float) -> Numbers:
    """Return the alphas of a path, falling: those given, or from the least that gives zeros."""
    given = learner.alphas
    if given is not None and not isinstance(given, (int, np.integer)):
        try:
            alphas = np.asarray(given, np.float64).ravel()
        except (TypeError, ValueError) as error:
            raise ParameterError(f"alphas: {error}") from None
        if len(alphas) == 0 or not np.all(np.isfinite(alphas)) or np.any(alphas < 0):
            raise ParameterError("alphas must be some finite numbers, none negative.")
        return np.sort(alphas)[::-1]
    count = 100 if given is None else int(given)
    if l1_ratio == 0:
        raise ParameterError(
            "alphas: with l1_ratio=0 no alpha makes all weights zero, so that a path has no "
            "natural beginning. Give the alphas themselves."
        )
    pulls = source.pulls if learner.positive else np.abs(source.pulls)
    most = float(pulls.max(initial=0.0)) / l1_ratio
    if most <= np.finfo(np.float64).resolution:
        return np.full(count, np.finfo(np.float64).resolution)
    return np.geomspace(most, most * learner.eps, count)


def penalty_of(learner: Any, alpha: float, l1_ratio: float) -> Penalty:
    """Return the penalty of an alpha and a share of l1."""
    return Penalty(alpha * l1_ratio, alpha * (1 - l1_ratio), bool(learner.positive))


def walk(
    learner: Any, source: Source, target: int, alphas: Numbers, l1_ratio: float
) -> Iterator[Descent]:
    """Yield the finished descents of falling alphas, each begun where the last one ended."""
    start = Start(np.zeros(len(source.pulls)))
    for alpha in alphas:
        tolerance = float(learner.tol * source.yy[target])
        penalty = penalty_of(learner, float(alpha), l1_ratio)
        descent = source.descent(target, penalty, start, tolerance)
        descent.advance(int(learner.max_iter))
        yield descent
        start = Start(descent.w, descent)


def fold_errors(
    learner: Any,
    matrix: Matrix,
    Y: Numbers,
    weights: Numbers | None,
    folds: Sequence[tuple[NDArray[np.intp], NDArray[np.intp]]],
    alphas: Numbers,
    ratios: Numbers,
    threads: int,
) -> tuple[Numbers, Numbers]:
    """Return the mean squared errors on folds, and the weights of the folds.

    The errors are a table of l1_ratios x alphas x folds; ``alphas`` has a row of them for each
    l1_ratio. What a fold's data come down to is made once, for all of them.
    """
    rows = matrix.X.shape[0]
    fit_intercept = bool(learner.fit_intercept)
    shift = shift_near_means(matrix, Y, fit_intercept)
    whole = None
    errors, totals = np.zeros((*alphas.shape, len(folds))), np.empty(len(folds))
    for k, (train, test) in enumerate(folds):
        w_test = None if weights is None else weights[test]
        tested = some_rows(matrix, test)
        source: Source
        if by_moments(matrix, True) and _split_in_two(train, test, rows):
            if whole is None:
                whole = raw_moments(matrix, Y, weights, shift, threads)
            out = raw_moments(tested, Y[test], w_test, shift, threads)
            source = GramSource((whole - out).centred(fit_intercept))
        else:
            part = some_rows(matrix, train)
            w_train = None if weights is None else weights[train]
            source = source_of(learner, part, Y[train], w_train, threads, many=True)
        totals[k] = len(test) if w_test is None else w_test.sum()
        if totals[k] <= 0:
            continue
        for place, ratio in enumerate(ratios):
            for target in range(Y.shape[1]):
                path = walk(learner, source, target, alphas[place], float(ratio))
                coefs = np.array([d.w for d in path])
                offsets = _offsets(source, coefs, target, Y.shape[1])
                misses = predictions(tested, coefs, offsets) - Y[test, target][:, None]
                errors[place, :, k] += np.average(misses**2, axis=0, weights=w_test)
    errors /= Y.shape[1]
    return errors, totals


def _offsets(source: Source, coefs: Numbers, target: int, targets: int) -> Numbers:
    """Return the intercept of each of many weights for one target."""
    found = np.empty(len(coefs))
    for k, coef in enumerate(coefs):
        every = np.zeros((targets, len(coef)))
        every[target] = coef
        found[k] = source.intercept(every)[target]
    return found


def _split_in_two(train: NDArray[np.intp], test: NDArray[np.intp], rows: int) -> bool:
    """Return whether the two make all rows, each once."""
    seen = np.zeros(rows, np.int8)
    np.add.at(seen, train, 1)
    np.add.at(seen, test, 1)
    return bool(np.all(seen == 1))
