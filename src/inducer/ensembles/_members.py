"""The members of an ensemble: which there are, their seeds, and fitting them side by side."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from joblib import Parallel, delayed, effective_n_jobs
from joblib.parallel import get_active_backend
from numpy.typing import NDArray
from sklearn import config_context, get_config
from sklearn.base import BaseEstimator, clone, is_classifier, is_regressor
from sklearn.dummy import DummyClassifier
from sklearn.utils.validation import has_fit_parameter

from inducer.base import progress
from inducer.base._threads import threads_for
from inducer.base.arrays import Array, codes_in
from inducer.base.errors import InputError, ParameterError
from inducer.base.params import Instance
from inducer.linear import LeastSquaresClassifier, LogisticRegression, Perceptron

MOST = 1_000_000  # members

Named = list[tuple[str, Any]]


class Estimator(Instance):
    """A learner of scikit-learn's protocol."""

    def __init__(self) -> None:
        super().__init__(BaseEstimator)


def committee() -> Named:
    """Return the members of a vote that was given none: three ways to draw a hyperplane."""
    return [
        ("logistic", LogisticRegression()),
        ("least_squares", LeastSquaresClassifier()),
        ("perceptron", Perceptron(average=True)),
    ]


def named(learner: Any, estimators: Any) -> Named:
    """Return members with their names, which must be words, distinct, and no parameters'."""
    if estimators is None:
        return committee()
    pairs: Named = []
    for place, entry in enumerate(estimators):
        if not (isinstance(entry, (tuple, list)) and len(entry) == 2 and isinstance(entry[0], str)):
            raise ParameterError(
                f"The 'estimators' parameter of {type(learner).__name__} is a list of pairs, "
                f"(name, learner). Entry {place} is {entry!r:.200}."
            )
        pairs.append((entry[0], entry[1]))
    names = [name for name, _ in pairs]
    wrong = [n for n in names if not n or "__" in n or n in learner.get_params(deep=False)]
    if not names or wrong or len(set(names)) < len(names):
        raise ParameterError(
            f"The 'estimators' parameter of {type(learner).__name__}: one name or more, each of "
            f"its own, without '__' and not that of a parameter. Got {names!r:.200}."
        )
    return pairs


def classifies(learner: Any, members: Sequence[Any]) -> bool:
    """Return whether the members are classifiers; all must be, or all regressors."""
    kinds = {(bool(is_classifier(one)), bool(is_regressor(one))) for one in members}
    if kinds not in ({(True, False)}, {(False, True)}):
        raise ParameterError(
            f"The members of {type(learner).__name__} must be all classifiers or all regressors: "
            f"{[type(one).__name__ for one in members]} are not."
        )
    return kinds == {(True, False)}


def seeded(estimator: Any, seed: np.random.SeedSequence) -> Any:
    """Return a clone; each ``random_state`` in it that is None is set from the seed."""
    member = clone(estimator)
    parts = member.get_params(deep=True)
    open_ = sorted(
        name
        for name, value in parts.items()
        if value is None and name.rpartition("__")[2] == "random_state"
    )
    if open_:
        words = seed.generate_state(len(open_))
        member.set_params(**{n: int(w >> 1) for n, w in zip(open_, words, strict=True)})
    return member


def takes_weights(estimator: Any) -> bool:
    """Return whether `fit` has an argument sample_weight."""
    return bool(has_fit_parameter(estimator, "sample_weight"))


def require_weights(learner: Any, members: Sequence[Any], why: str) -> None:
    """Refuse members that cannot be given weights."""
    for one in members:
        if not takes_weights(one):
            raise InputError(
                f"{type(one).__name__} doesn't support sample_weight, which "
                f"{type(learner).__name__} {why}. Take a learner whose fit has the argument."
            )


def fit_member(
    member: Any, X: Any, y: Array, weights: NDArray[np.float64] | None, classes: Array | None
) -> Any:
    """Fit a member; one that would see a single class only says that class."""
    if classes is not None and len(y) and np.all(y == y[0]):
        return DummyClassifier(strategy="most_frequent").fit(np.zeros((len(y), 1)), y)
    return member.fit(X, y) if weights is None else member.fit(X, y, sample_weight=weights)


def said_codes(member: Any, X: Any, classes: Array) -> NDArray[np.int32]:
    """Return the codes, among all classes, of what a member predicts."""
    said = member.predict(X)
    return codes_in(said, classes, said)


def probabilities(member: Any, X: Any, classes: Array) -> NDArray[np.float64]:
    """Return a member's probabilities, a column for each of all classes: it may know fewer."""
    known = np.asarray(member.predict_proba(X), dtype=np.float64)
    if len(member.classes_) == len(classes):
        return known
    found = np.zeros((len(known), len(classes)))
    found[:, np.searchsorted(classes, member.classes_)] = known
    return found


def work(
    learner: Any,
    function: Callable[..., Any],
    tasks: Sequence[tuple[Any, ...]],
    *,
    fitted: Callable[[list[Any]], Mapping[str, Any]] = lambda _: {},
    whole: bool = False,
    **data: Any,
) -> list[Any]:
    """Return the results of tasks that run side by side, with callbacks.

    Tasks are threads, since our kernels run without the interpreter lock; `parallel_config` of
    joblib changes that. Within a task our kernels use one thread.

    Parameters
    ----------
    learner : estimator
        The ensemble, for its ``n_jobs`` and callbacks.
    function : callable
        What a task calls.
    tasks : list of tuple
        Its arguments.
    fitted : callable
        The fitted attributes with only the first results, for callbacks.
    whole : bool
        Finish the tasks though a callback has seen enough: half of them would be of no use.
    **data
        X, y and sample_weight, for callbacks.
    """
    _, configured = get_active_backend()
    jobs = threads_for(learner.n_jobs)
    if learner.n_jobs is None and configured not in (None, 1):
        jobs = effective_n_jobs()
    # As many at a time as there are places, if somebody looks on; else as fast as they come.
    watched = getattr(learner, "_skl_callbacks", None)
    batch = jobs if watched else len(tasks)
    parallel = Parallel(n_jobs=jobs, prefer="threads")
    config = get_config()
    results: list[Any] = []
    made = 0

    def step(number: int) -> None:
        nonlocal made
        made = number
        if number <= len(results):
            return
        if jobs == 1:
            results.append(function(*tasks[number - 1]))
            return
        some = tasks[len(results) : len(results) + batch]
        results.extend(parallel(delayed(_configured)(config, function, task) for task in some))

    progress.rounds(
        learner,
        len(tasks),
        step,
        over=lambda: False,
        record=lambda: {"members": made},
        fitted=lambda: fitted(results[:made]),
        **data,
    )
    while whole and made < len(tasks):
        step(made + 1)
    return results[:made]


def _configured(config: dict[str, Any], function: Callable[..., Any], task: Any) -> Any:
    """Return the result of a task under scikit-learn's settings, which threads do not inherit."""
    with config_context(**config):
        return function(*task)
