"""The value of a policy from the log of another."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import norm

from inducer.base.errors import InputError, ParameterError

METHODS = ("dr", "ips", "snips", "dm")


@dataclass(frozen=True)
class OffPolicyValue:
    """An estimate of the mean reward of a policy.

    Attributes
    ----------
    value : float
        The estimate.
    standard_error : float
        Of the estimate; that of "dm" knows nothing of errors in the reward model.
    low, high : float
        The interval, from the normal distribution.
    method : str
        How it was estimated.
    effective_sample_size : float
        How many rows of the policy itself the log is worth: (sum w)^2 / sum w^2.
    n_samples : int
        Rows of the log.
    """

    value: float
    standard_error: float
    low: float
    high: float
    method: str
    effective_sample_size: float
    n_samples: int


def off_policy_value(
    actions: ArrayLike,
    rewards: ArrayLike,
    propensities: ArrayLike,
    target: ArrayLike,
    *,
    estimates: ArrayLike | None = None,
    method: str = "dr",
    confidence: float = 0.95,
) -> OffPolicyValue:
    """Return what a policy would have earned, from what another one did.

    The log has an action a, its reward r, and the probability p that it had; the policy to value
    takes action k with probability pi_k in that context. With the weight w = pi_a / p, and q_k the
    reward that a model expects of action k::

        "ips"     mean of w r                               inverse propensity: unbiased
        "snips"   sum of w r / sum of w                     self-normalised: less variance
        "dm"      mean of sum_k pi_k q_k                    direct method: as good as the model
        "dr"      mean of sum_k pi_k q_k + w (r - q_a)      doubly robust: unbiased, and precise
                                                            where the model is good

    "ips" and "dr" need every action that the policy may take to have had a chance, and a q that
    was not fitted to these rows.

    Parameters
    ----------
    actions : array of shape (n_samples,)
        Codes of the actions taken, 0 .. n_actions - 1.
    rewards : array of shape (n_samples,)
        What they earned.
    propensities : array of shape (n_samples,)
        How likely they were, above 0 and at most 1.
    target : array of shape (n_samples, n_actions) or (n_samples,)
        The policy: probabilities of the actions, or the code of the one that it takes.
    estimates : array of shape (n_samples, n_actions), optional
        Expected rewards q; needed by "dr" and "dm".
    method : {"dr", "ips", "snips", "dm"}, default="dr"
        Which estimate.
    confidence : float, default=0.95
        Of the interval.

    Returns
    -------
    OffPolicyValue

    Examples
    --------
    >>> from inducer.online import off_policy_value
    >>> off_policy_value([0, 1, 0, 1], [1, 0, 1, 1], [0.5] * 4, [0, 0, 0, 0], method="ips").value
    1.0
    """
    if method not in METHODS:
        raise ParameterError(f"method is one of {list(METHODS)}. Got {method!r}.")
    if not 0 < confidence < 1:
        raise ParameterError(f"confidence lies between 0 and 1. Got {confidence!r}.")
    if estimates is None and method in ("dr", "dm"):
        raise ParameterError(
            f"method {method!r} needs estimates, the rewards that a model expects; "
            "'ips' and 'snips' do without."
        )
    r = _column("rewards", rewards, None)
    n = len(r)
    if n == 0:
        raise InputError("The log is empty: there is nothing to estimate from.")
    p = _column("propensities", propensities, n)
    wrong = ~((p > 0) & (p <= 1))
    if wrong.any():
        row = int(np.argmax(wrong))
        raise InputError(
            f"propensities: {p[row]} in row {row}. What was done had a probability above 0 and at "
            "most 1; log the one that `choose` returns."
        )
    q = None if estimates is None else _table("estimates", estimates, n)
    a = _codes("actions", actions, n, None if q is None else q.shape[1])
    pi = _policy(target, n, a, q)
    if a.max() >= pi.shape[1]:
        row = int(np.argmax(a >= pi.shape[1]))
        raise InputError(
            f"actions: {a[row]} in row {row}, and the target has {pi.shape[1]} actions."
        )
    rows = np.arange(n)
    w = pi[rows, a] / p
    total = float(w.sum())
    if method == "snips":
        if total == 0:
            raise InputError(
                "The target never does what was done: all weights are zero, and the log says "
                "nothing of it."
            )
        value = float(w @ r) / total
        error = float(np.sqrt(np.sum((w * (r - value)) ** 2))) / total
    else:
        terms = w * r
        if q is not None and method != "ips":
            terms = (pi * q).sum(axis=1)
            if method == "dr":
                terms = terms + w * (r - q[rows, a])
        value = float(terms.mean())
        error = float(terms.std(ddof=1) / np.sqrt(n)) if n > 1 else float("inf")
    reach = float(norm.ppf((1 + confidence) / 2)) * error
    squares = float(w @ w)
    size = total**2 / squares if squares > 0 else 0.0
    return OffPolicyValue(value, error, value - reach, value + reach, method, size, n)


def _column(name: str, values: Any, length: int | None) -> NDArray[np.float64]:
    try:
        column = np.asarray(values, np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(f"{name}: {error}") from None
    if column.ndim != 1 or (length is not None and len(column) != length):
        raise InputError(
            f"{name} has the shape {column.shape}, expected "
            f"({'n_samples' if length is None else length},)."
        )
    if not np.all(np.isfinite(column)):
        row = int(np.argmin(np.isfinite(column)))
        raise InputError(f"{name}: {column[row]} in row {row}.")
    return column


def _table(name: str, values: Any, length: int) -> NDArray[np.float64]:
    try:
        table = np.asarray(values, np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(f"{name}: {error}") from None
    if table.ndim != 2 or len(table) != length or table.shape[1] == 0:
        raise InputError(f"{name} has the shape {table.shape}, expected ({length}, n_actions).")
    if not np.all(np.isfinite(table)):
        row, col = (int(i) for i in np.argwhere(~np.isfinite(table))[0])
        raise InputError(f"{name}: {table[row, col]} in row {row}, action {col}.")
    return table


def _codes(name: str, values: Any, length: int, count: int | None) -> NDArray[np.int64]:
    numbers = _column(name, values, length)
    high = np.inf if count is None else count
    wrong = ~((numbers >= 0) & (numbers < high) & (numbers == np.floor(numbers)))
    if wrong.any():
        row = int(np.argmax(wrong))
        raise InputError(
            f"{name}: {numbers[row]:g} in row {row} is no code of an action: they are 0, 1, ..."
            + (f", {count - 1}." if count is not None else ".")
        )
    return numbers.astype(np.int64)


def _policy(target: Any, n: int, a: NDArray[np.int64], q: Any) -> NDArray[np.float64]:
    """Return the probabilities of the policy to value."""
    if np.ndim(target) == 1:
        taken = _codes("target", target, n, None if q is None else q.shape[1])
        count = int(max(a.max(), taken.max())) + 1 if q is None else q.shape[1]
        return np.asarray(taken[:, None] == np.arange(count), np.float64)
    pi = _table("target", target, n)
    wrong = (pi < 0).any(axis=1) | (np.abs(pi.sum(axis=1) - 1) > 1e-6)
    if wrong.any():
        row = int(np.argmax(wrong))
        raise InputError(
            f"target: row {row} is {pi[row].tolist()}; probabilities are not negative and sum to 1."
        )
    if q is not None and q.shape != pi.shape:
        raise InputError(f"estimates has the shape {q.shape}, and target {pi.shape}.")
    return pi
