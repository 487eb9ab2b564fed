"""What learners that go over the rows again and again have in common."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sklearn.exceptions import ConvergenceWarning

from inducer._core.linear import PassCount, PassOptions
from inducer.base.params import Choice, Domain, Flag, Int, Real, Seed
from inducer.base.progress import Record
from inducer.base.warn import warn_user

PASS_PARAMS: Mapping[str, Domain] = {
    "max_iter": Int(1),
    "tol": Real(0) | None,
    "n_iter_no_change": Int(1),
    "shuffle": Choice("every", "once", "never") | Flag(),
    "random_state": Seed() | None,
}

FOREVER = 2**62


def limited(number: int) -> int:
    """Return a number of passes as the kernels can count them."""
    return min(int(number), FOREVER)


def pass_options(
    learner: Any, *, seed: int, first: int = 0, passes: int | None = None
) -> PassOptions:
    """Return the kernels' options for a learner with the parameters of `PASS_PARAMS`.

    Parameters
    ----------
    learner : estimator
    seed : int
        Key of the random streams.
    first : int
        How many passes were made before, of the same streams.
    passes : int, optional
        Exactly this many passes, whatever ``max_iter`` and ``tol`` say.
    """
    words = {True: "every", False: "never"}
    exact = passes is not None or learner.tol is None
    # With held-out rows to judge by, nothing but a clean pass stops for the training rows' sake.
    judged = getattr(learner, "early_stopping", False)
    return PassOptions(
        shuffle=words.get(learner.shuffle, learner.shuffle),
        max_passes=limited(learner.max_iter) if passes is None else passes,
        tolerance=-1.0 if exact else float(learner.tol),
        patience=FOREVER if judged else limited(learner.n_iter_no_change),
        seed=seed,
        first_part=first,
    )


def pass_record(counts: Sequence[PassCount]) -> Record:
    """Return what the last pass did, over all problems, for callbacks."""
    return {
        "mistakes": sum(count.last_mistakes for count in counts),
        "loss": sum(count.last_loss for count in counts),
    }


def warn_unless_converged(learner: Any, mistakes: int, passes: int, *, last: str = "") -> None:
    """Warn when a tolerance was asked for and the passes ran out before it was met.

    Parameters
    ----------
    learner : estimator
    mistakes : int
        Of the last pass; with none, all is well.
    passes : int
        How many were made.
    last : str, optional
        What else to say of the last pass than its mistakes.
    """
    if learner.tol is None or passes < learner.max_iter or mistakes == 0:
        return
    last = last or f"{mistakes} mistakes"
    warn_user(
        f"{type(learner).__name__} made all {passes} passes of max_iter, the last with "
        f"{last}. Raise max_iter, scale the features, or set tol=None if this many "
        "passes is what you want.",
        ConvergenceWarning,
    )
