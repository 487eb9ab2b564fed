"""The margin of a data set: is it linearly separable, and how widely."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from inducer._core.base import Monitor
from inducer._core.linear import MaxMarginFit
from inducer.base._threads import threads
from inducer.base.arrays import check_labels, matrix_of
from inducer.base.errors import InputError, ParameterError
from inducer.base.progress import SLICE_SECONDS
from inducer.linear import _exact, _separate
from inducer.linear._gate import checked
from inducer.linear._separate import Answer, Direction, Problem, Weights


@dataclass(frozen=True, eq=False)
class Certificate:
    """Why the answer of `margin` is right.

    Attributes
    ----------
    kind : {"separating", "farkas", "undecided"}
        ``separating``: y (coef.x + intercept) > 0 in every row. ``farkas``: the `weights` of
        `rows` are positive, and the sums of weight y x and (with an intercept) of weight y are
        zero, so that nothing separates. ``undecided``: neither was found.
    exact : bool
        Whether that was checked in exact arithmetic: True but for ``undecided``.
    coef, intercept : array and number, or None
        Of a separating hyperplane. Floats; or Python integers of any size where no floats of unit
        norm separate.
    rows : array of int, shape (k,)
        The rows that decide: those of the Farkas weights, or those that hold the margin up.
    weights : array of shape (k,)
        Of these rows: Python integers in a Farkas certificate. Otherwise the dual solution in
        floats, summing to one over each class (without an intercept, over all rows).
    gap : float
        How much larger the maximum margin can be than `Margin.margin`, by the dual solution
        (which, other than the rest, is in floats unless exact steps ended the search); 0 when not
        separable, NaN when undecided.
    """

    kind: Literal["separating", "farkas", "undecided"]
    exact: bool
    coef: NDArray[Any] | None
    intercept: float | int | None
    rows: NDArray[np.int64]
    weights: NDArray[Any]
    gap: float


class Margin(NamedTuple):
    """The margin of a data set, and what comes with it; see `inducer.linear.margin`."""

    margin: float
    coef: NDArray[np.float64]
    intercept: float
    radius: float
    separable: bool | None
    mistake_bound: float
    certificate: Certificate


def margin(X: Any, y: Any, *, fit_intercept: bool = True, tol: float = 1e-9) -> Margin:
    r"""Return the margin of a data set of two classes.

    .. math:: \max_{\|w\| = 1,\, b} \; \min_i \; y_i (w \cdot x_i + b)

    with :math:`y_i = +1` for the second of the sorted classes. The norm of w is held to one (as
    the supremum would be infinite without), b is free. A set with a positive margin is linearly
    separable; strictly so: hulls that touch are not separated.

    The maximum margin is found by Wolfe's nearest-point method, with a duality gap. That the
    data are separable, or are not, is then proved in exact arithmetic on the float64 values that
    X holds, be they 0.1 + 0.2; where the dual method leaves it open, by a linear program (HiGHS)
    and by exact steps. What is still open then is called undecided: a margin of some 1e-16 of the
    radius, or an overlap that takes more than 400 rows to prove.

    Parameters
    ----------
    X : array, CSR matrix or DataFrame of shape (n_samples, n_features)
    y : array of shape (n_samples,)
        Labels of two classes.
    fit_intercept : bool, default=True
        Whether the hyperplane may miss the origin.
    tol : float, default=1e-9
        The duality gap to reach, relative to the margin.

    Returns
    -------
    Margin
        A named tuple of

        - ``margin``: what the certificate's hyperplane reaches; -inf when not separable, NaN when
          undecided;
        - ``coef``, ``intercept``: that hyperplane in floats, ``coef`` of unit norm; NaN when not
          separable. Where the margin is of the order of rounding, the floats may reach less: then
          the certificate holds integers, and those separate;
        - ``radius``: the largest norm of a row;
        - ``separable``: True, False, or None when undecided;
        - ``mistake_bound``: how often a perceptron that starts at zero can be wrong on these data,
          however often it sees them: :math:`R^2/\gamma^2`; infinite when not separable. Its
          proof has no intercept. So with one, R and :math:`\gamma` are those of the augmented
          rows (x, 1), whose separator goes through the origin, and not ``radius`` and ``margin``;
        - ``certificate``: a `Certificate`.

    Notes
    -----
    A round costs O(stored cells), shared among the threads; some ten or twenty are needed. Between
    them k rows are held, about n_features + 2 at most, at O(k^2) a step and in memory: with
    thousands of rows that hold the margin up, this takes minutes.

    References
    ----------
    A. B. J. Novikoff: On convergence proofs for perceptrons (1962). P. Wolfe: Finding the nearest
    point in a polytope. Mathematical Programming 11 (1976).

    Examples
    --------
    >>> from inducer.linear import margin
    >>> found = margin([[0.0, 0.0], [1.0, 0.0], [0.0, 4.0], [1.0, 4.0]], ["a", "a", "b", "b"])
    >>> found.margin, found.separable, found.coef.tolist(), found.intercept
    (2.0, True, [0.0, 1.0], -2.0)
    >>> margin([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0]], [0, 1, 1, 0]).margin  # xor
    -inf
    """
    if not isinstance(tol, int | float) or not 0 < tol < 1:
        raise ParameterError(f"margin: tol must be between 0 and 1. Got {tol!r}.")
    if not isinstance(fit_intercept, bool | np.bool_):
        raise ParameterError(f"margin: fit_intercept must be True or False. Got {fit_intercept!r}.")
    X = checked(X, "margin")
    labels = check_labels(y, X)
    if len(labels.classes) > 2:
        raise InputError(
            f"margin: y holds {len(labels.classes)} classes, and a hyperplane has two sides. Keep "
            "the rows of two classes, or call it for each class against the others."
        )
    problem = Problem(X, labels.codes == 1, bool(fit_intercept))
    widest = _widest(problem, float(tol))
    answer = _decided(problem, widest, float(tol))
    radius = _radius(X)
    if answer is None or isinstance(answer, tuple):
        return _not_separated(X.shape[1], radius, answer)
    return _separated(problem, widest, answer, radius, float(tol))


@dataclass(frozen=True)
class _Widest:
    """What the kernel found: a hyperplane in floats, its margin, an upper bound, the dual."""

    coef: NDArray[np.float64]
    offset: float
    lower: float
    upper: float
    rows: NDArray[np.int64]
    weights: NDArray[np.float64]


def _widest(problem: Problem, tol: float) -> _Widest:
    """Return the widest margin, in floats."""
    X, shift = _centred(problem.X) if problem.offset else (problem.X, None)
    found = _nearest(X, problem.positive, tol, two_hulls=problem.offset, constant=0.0)
    if shift is None:
        return found
    offset = found.offset - float(found.coef @ shift)
    return _Widest(found.coef, offset, found.lower, found.upper, found.rows, found.weights)


def _nearest(
    X: Any, positive: NDArray[np.bool_], tol: float, *, two_hulls: bool, constant: float
) -> _Widest:
    """Run the kernel, in slices."""
    scale = 2.0 ** -np.clip(np.frexp(max(_largest(X), constant))[1], -1000, 1000)
    fit = MaxMarginFit(
        matrix_of(X).rows,
        np.where(positive, 1, -1).astype(np.int8),
        two_hulls=two_hulls,
        constant=constant,
        scale=float(scale),
        tolerance=tol,
    )
    monitor = Monitor()
    while not fit.finished:
        monitor.begin_slice(SLICE_SECONDS)
        fit.advance(monitor, threads())
    coef, held, weight = (np.asarray(part) for part in (fit.coef, fit.held, fit.weight))
    return _Widest(coef, fit.offset, fit.lower, fit.upper, held, weight)


def _centred(X: Any) -> tuple[Any, NDArray[np.float64] | None]:
    """Return rows that are far from the origin, for their spread, moved to it; and by how much.

    The distance of two hulls does not change, and rounding is that of the spread. Where that is no
    gain, X itself is returned, and None.
    """
    if _exact.is_sparse(X):
        return X, None
    low, high = X.min(axis=0).astype(np.float64), X.max(axis=0).astype(np.float64)
    middle = low / 2 + high / 2
    if np.max(np.abs(middle)) <= 16 * np.max(high / 2 - low / 2):
        return X, None
    return X - middle, middle


def _decided(problem: Problem, widest: _Widest, tol: float) -> Answer | None:
    """Return a separating direction, Farkas weights, or None: whatever can be proved."""
    answer: Answer | None = None
    if widest.lower > -1e-6 * widest.upper:
        answer = _separate.along_floats(problem, widest.coef)
        if isinstance(answer, Direction) and answer.margin() >= (1 - tol) * widest.upper:
            return answer
    if answer is None:
        answer = _separate.combination(problem, widest.rows, widest.weights)
    if answer is None and problem.X.shape[1] <= _separate.LP_ROWS:
        answer = _by_linear_program(problem, widest)
    if isinstance(answer, tuple) or len(widest.rows) > _separate.MOST_ROWS_STEPPED:
        return answer
    # Rounding has the better of the floats: the last steps in exact arithmetic.
    order = np.argsort(-widest.weights, kind="stable")
    refined = _separate.stepped(problem, widest.rows[order])
    if isinstance(answer, Direction) and isinstance(refined, Direction) and refined.dual is None:
        return max(answer, refined, key=Direction.margin)
    return answer if refined is None else refined


def _by_linear_program(problem: Problem, widest: _Widest) -> Answer | None:
    """Return what can be proved of the suggestions of HiGHS."""
    v = np.append(widest.coef, widest.offset) if problem.offset else widest.coef
    near = np.argsort(problem.scores(v), kind="stable")[: _separate.LP_ROWS]
    suggested = _separate.by_linear_program(problem, np.union1d(widest.rows, near))
    if suggested is None:
        return None
    w, rows, weights = suggested
    return _separate.along_floats(problem, w) or _separate.combination(problem, rows, weights)


def _not_separated(cols: int, radius: float, farkas: Weights | None) -> Margin:
    """Return the answer without a hyperplane."""
    nothing = np.full(cols, math.nan)
    if farkas is None:
        none = np.array([], dtype=np.int64)
        certificate = Certificate("undecided", False, None, None, none, none, math.nan)
        return Margin(math.nan, nothing, math.nan, radius, None, math.nan, certificate)
    certificate = Certificate("farkas", True, None, None, *farkas, 0.0)
    return Margin(-math.inf, nothing, math.nan, radius, False, math.inf, certificate)


def _separated(
    problem: Problem, widest: _Widest, separator: Direction, radius: float, tol: float
) -> Margin:
    """Return the answer with a hyperplane, its margin taken from exact scores."""
    square = separator.square()
    middle = separator.middle()
    coef = np.array(
        [
            _separate.ratio_to_norm(_exact.fraction(int(value), separator.exponent), square)
            for value in separator.whole
        ]
    )
    intercept = _separate.ratio_to_norm(middle, square)
    reached = _separate.ratio_to_norm(separator.least(middle), square)
    # The floats may separate as well; then they are the proof, and give the margin.
    rounded = _separate.along_floats(problem, coef)
    floats = rounded is not None and rounded.least(Fraction(intercept)) > 0
    proof_coef: NDArray[Any] = coef
    proof_intercept: float | int = intercept
    if rounded is not None and floats:
        reached = _separate.ratio_to_norm(rounded.least(Fraction(intercept)), rounded.square())
    else:
        offset = middle / _exact.fraction(1, separator.exponent)
        proof_coef = separator.whole * offset.denominator
        proof_intercept = offset.numerator
    upper, rows, weights = widest.upper, widest.rows, widest.weights
    if separator.dual is not None:
        upper, (rows, weights) = separator.margin(), separator.dual
    gap = max(0.0, upper - reached)
    certificate = Certificate("separating", True, proof_coef, proof_intercept, rows, weights, gap)
    bound = _mistake_bound(problem, separator, radius, tol)
    return Margin(reached, coef, intercept, radius, True, bound, certificate)


def _mistake_bound(problem: Problem, separator: Direction, radius: float, tol: float) -> float:
    """Return R^2 / gamma^2 of the rows as a perceptron sees them, through the origin.

    Any separator bounds the mistakes; the widest in that space does so best.
    """
    known = [(separator, separator.middle())]
    if problem.offset:
        augmented = _nearest(problem.X, problem.positive, tol, two_hulls=False, constant=1.0)
        if augmented.lower > 0:
            found = _separate.along_floats(problem, augmented.coef)
            if found is not None:
                known.append((found, Fraction(augmented.offset)))
    R2 = Fraction(radius) ** 2 + (1 if problem.offset else 0) if math.isfinite(radius) else None
    bounds = [
        R2 * (found.square() + offset * offset) / found.least(offset) ** 2
        for found, offset in known
        if R2 is not None and found.least(offset) > 0
    ]
    try:
        return float(min(bounds, default=math.inf))
    except OverflowError:
        return math.inf


def _radius(X: Any) -> float:
    """Return the largest norm of a row."""
    scale = 2.0 ** -np.clip(np.frexp(_largest(X))[1], -1000, 1000)
    most = 0.0
    for _, block in _exact.blocks(X):
        scaled: Any = block * scale
        squares = scaled.multiply(scaled) if _exact.is_sparse(scaled) else scaled * scaled
        most = max(most, float(squares.sum(axis=1).max()))
    return float(np.sqrt(most) / scale)


def _largest(X: Any) -> float:
    """Return the largest absolute value of a cell."""
    values: Any = X.data if _exact.is_sparse(X) else X
    return max(float(values.max(initial=0)), -float(values.min(initial=0)))
