"""The members of an ensemble: which there are, their seeds, and fitting them side by side."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from joblib.parallel import get_active_backend
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, clone, is_classifier, is_regressor
from sklearn.dummy import DummyClassifier
from sklearn.utils.parallel import Parallel, delayed
from sklearn.utils.validation import has_fit_parameter

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
                f"{type(one).__name__} doesn't support sample_weight, which {type(learner).__name__}"
                f" {why}. Take a learner whose fit has the argument."
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


def side_by_side(
    function: Callable[..., Any], tasks: Sequence[tuple[Any, ...]], n_jobs: int | None
) -> Iterator[Any]:
    """Yield the results of tasks, in order, as they come.

    Tasks are threads, since our kernels run without the interpreter lock; `parallel_config` of
    joblib changes that. Within a task our kernels use one thread.
    """
    _, configured = get_active_backend()
    jobs = None if n_jobs is None and configured not in (None, 1) else threads_for(n_jobs)
    if jobs == 1 or len(tasks) == 1:
        for task in tasks:
            yield function(*task)
        return
    parallel = Parallel(n_jobs=jobs, prefer="threads", return_as="generator")
    yield from parallel(delayed(function)(*task) for task in tasks)
