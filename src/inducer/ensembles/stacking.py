"""Stacked generalisation and blending."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from sklearn.base import clone, is_classifier
from sklearn.model_selection import (
    BaseCrossValidator,
    BaseShuffleSplit,
    KFold,
    ShuffleSplit,
    StratifiedKFold,
    StratifiedShuffleSplit,
)
from sklearn.utils import _safe_indexing
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_array, check_is_fitted

from inducer.base.arrays import Array
from inducer.base.errors import InputError, ParameterError
from inducer.base.learner import fits_members
from inducer.base.params import Domain, Flag, Instance, Int, Real, Seed
from inducer.base.random import seed_sequence
from inducer.ensembles._ensemble import Composed
from inducer.ensembles._members import (
    Estimator,
    classifies,
    fit_member,
    named,
    probabilities,
    require_weights,
    said_codes,
    seeded,
    work,
)
from inducer.linear import LogisticRegression, Ridge


def _final_has(method: str) -> Any:
    """Return the condition that the final learner has a method."""

    def check(self: Stacking) -> bool:
        final = getattr(self, "final_estimator_", None)
        return is_classifier(self) and hasattr(self._final() if final is None else final, method)

    return check


class Stacking(Composed):
    """Stacking: a last learner learns how much to believe each of the others.

    Its features are what the members say of rows they did not learn from, so that it sees how good
    they are on fresh rows, and not how well they remember. With folds, every row is asked about of
    members that were fitted to the other folds (stacked generalisation); with a share, the members
    are fitted to the rest, and the last learner to the share (blending), which is cheaper and has
    fewer rows to learn from. Then the members are fitted again, to all rows. A uniform vote is the
    last learner with equal weights; this one can do better, and with many members and few rows it
    can also overfit.

    A classifier says its probabilities, its scores if it has none, or else its class as an
    indicator; a regressor its number.

    Parameters
    ----------
    estimators : list of (str, estimator) or None, default=None
        Names and learners, all classifiers or all regressors. None: logistic regression, least
        squares and the averaged perceptron.
    final_estimator : estimator or None, default=None
        The last learner. None: `LogisticRegression` for classes, `Ridge` for numbers.
    cv : int, float or splitter, default=5
        The number of folds, drawn anew and with each class's share; a splitter of scikit-learn's
        that tests each row once; or, between 0 and 1, the share of the rows that is held out.
    passthrough : bool, default=False
        Give the last learner the columns of X, too.
    n_jobs : int or None, default=None
        How many members are fitted at a time, by joblib. None: `inducer.threads`.
    random_state : int, Generator, RandomState or None, default=None
        Seed of the folds, and of the learners whose own ``random_state`` is None.

    Attributes
    ----------
    estimators_ : list of estimator
        The members, fitted to all rows.
    named_estimators_ : dict of str to estimator
        The same by name.
    final_estimator_ : estimator
        The fitted last learner.
    classes_ : array of shape (n_classes,)
        The labels, sorted; of classifiers only.
    n_features_in_, feature_names_in_
        What `fit` saw.

    See Also
    --------
    Voting : All members count as much as was said beforehand.

    References
    ----------
    Wolpert, Stacked generalization, 1992. NTU, Hsuan-Tien Lin, Machine learning techniques, 7.

    Examples
    --------
    >>> from inducer.datasets import blobs
    >>> from inducer.ensembles import Stacking
    >>> from inducer.linear import LinearSVC, Perceptron
    >>> X, y = blobs(n_samples=100, random_state=0, return_X_y=True)
    >>> members = [("machine", LinearSVC()), ("perceptron", Perceptron(average=True))]
    >>> model = Stacking(members, random_state=0).fit(X, y)
    >>> model.score(X, y) > 0.9
    True
    """

    params: ClassVar[Mapping[str, Domain]] = {
        "estimators": Instance(list, tuple) | None,
        "final_estimator": Estimator() | None,
        "cv": Int(2) | Real(0, 1, "()") | Instance(BaseCrossValidator, BaseShuffleSplit),
        "passthrough": Flag(),
        "n_jobs": Int() | None,
        "random_state": Seed() | None,
    }

    def __init__(
        self,
        estimators: Any = None,
        final_estimator: Any = None,
        *,
        cv: Any = 5,
        passthrough: bool = False,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.estimators = estimators
        self.final_estimator = final_estimator
        self.cv = cv
        self.passthrough = passthrough
        self.n_jobs = n_jobs
        self.random_state = random_state

    @fits_members
    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Fit the members, and the last learner to what they say of rows they did not see.

        Parameters
        ----------
        X : array, sparse matrix or DataFrame of shape (n_samples, n_features)
            What the members take.
        y : array of shape (n_samples,)
            Labels of any type, or numbers for regressors.
        sample_weight : array of shape (n_samples,), optional
            Weights of the rows, if all members and the last learner take them.
        """
        pairs = named(self, self.estimators)
        prototypes = [one for _, one in pairs]
        final = self._final()
        classes = classifies(self, [*prototypes, final])
        if sample_weight is not None:
            require_weights(self, [*prototypes, final], "was given")
        X, targets, codes, weights = self._examples(X, y, sample_weight, classes=classes)
        known = self.classes_ if classes else None
        root = seed_sequence(self.random_state)
        folds = self._folds(X, targets if codes is None else codes, classes, root.spawn(1)[0])
        final_seed, *seeds = root.spawn(1 + len(pairs))
        # Each member with its own seed, the same in every fold and at last.
        cast = [seeded(one, seed) for one, seed in zip(prototypes, seeds, strict=True)]
        tasks = [
            (clone(one), X, targets, weights, known, train, test)
            for train, test in [*folds, (None, None)]
            for one in cast
        ]
        done = work(self, _fit_and_ask, tasks, whole=True, X=X, y=targets, sample_weight=weights)
        self.estimators_ = [member for member, _ in done[-len(cast) :]]
        self.named_estimators_ = dict(zip((n for n, _ in pairs), self.estimators_, strict=True))
        asked = np.concatenate([test for _, test in folds])
        said = np.concatenate(
            [
                np.hstack([told for _, told in done[k : k + len(cast)]])
                for k in range(0, len(folds) * len(cast), len(cast))
            ]
        )
        features = self._with_columns(said, X, asked)
        self.final_estimator_ = fit_member(
            seeded(final, final_seed),
            features,
            targets[asked],
            None if weights is None else weights[asked],
            known,
        )
        return self

    def predict(self, X: Any) -> Array:
        """Return the class, or the number, of each row.

        Parameters
        ----------
        X : array, sparse matrix or DataFrame of shape (n_samples, n_features)
        """
        check_is_fitted(self)
        said: Array = self.final_estimator_.predict(self._features(X))
        return said

    @available_if(_final_has("predict_proba"))  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the last learner's probabilities.

        Parameters
        ----------
        X : array, sparse matrix or DataFrame of shape (n_samples, n_features)

        Returns
        -------
        array of shape (n_samples, n_classes)
        """
        check_is_fitted(self)
        return probabilities(self.final_estimator_, self._features(X), self.classes_)

    @available_if(_final_has("decision_function"))  # type: ignore[untyped-decorator]
    def decision_function(self, X: Any) -> Array:
        """Return the last learner's scores.

        Parameters
        ----------
        X : array, sparse matrix or DataFrame of shape (n_samples, n_features)
        """
        check_is_fitted(self)
        scores: Array = self.final_estimator_.decision_function(self._features(X))
        return scores

    def _features(self, X: Any) -> Any:
        """Return what the last learner sees of rows."""
        X = self._rows(X, reset=False)
        classes = getattr(self, "classes_", None)
        said = np.hstack([_answers(member, X, classes) for member in self.estimators_])
        return self._with_columns(said, X, None)

    def _with_columns(self, said: NDArray[np.float64], X: Any, rows: Any) -> Any:
        """Return the members' answers, with the columns of X if they are wanted."""
        if not self.passthrough:
            return said
        part = X if rows is None else _safe_indexing(X, rows)
        part = check_array(part, accept_sparse="csr", ensure_all_finite=False)
        if sparse.issparse(part):
            both: list[Any] = [said, part]
            return sparse.hstack(both, format="csr")
        return np.hstack([said, part])

    def _folds(
        self, X: Any, y: Array, classes: bool, seed: np.random.SeedSequence
    ) -> list[tuple[Array, Array]]:
        """Return rows to learn from and rows to be asked about; the latter at most once each."""
        number = int(seed.generate_state(1)[0] >> 1)
        splitter = self.cv
        if not isinstance(splitter, BaseCrossValidator | BaseShuffleSplit):
            if isinstance(splitter, float):
                kind = StratifiedShuffleSplit if classes else ShuffleSplit
                splitter = kind(1, test_size=splitter, random_state=number)
            else:
                kind = StratifiedKFold if classes else KFold
                splitter = kind(int(splitter), shuffle=True, random_state=number)
        try:
            folds = list(splitter.split(np.empty((X.shape[0], 0)), y))
        except ValueError as error:
            raise InputError(f"cv={self.cv!r}: {error}") from None
        tests = np.concatenate([test for _, test in folds])
        if len(np.unique(tests)) < len(tests):
            raise ParameterError(f"cv={self.cv!r:.200} asks about rows more than once.")
        return folds

    def _final(self) -> Any:
        if self.final_estimator is not None:
            return self.final_estimator
        members = self._prototypes()
        numbers = bool(members) and not any(is_classifier(one) for one in members)
        return Ridge() if numbers else LogisticRegression()


def _fit_and_ask(
    member: Any, X: Any, y: Array, weights: Any, classes: Any, train: Any, test: Any
) -> tuple[Any, Any]:
    """Fit a member to some rows, or all, and ask it about others."""
    if train is None:
        return fit_member(member, X, y, weights, classes), None
    part = None if weights is None else weights[train]
    fit_member(member, _safe_indexing(X, train), y[train], part, classes)
    return None, _answers(member, _safe_indexing(X, test), classes)


def _answers(member: Any, X: Any, classes: Any) -> NDArray[np.float64]:
    """Return what a member says, as columns of numbers."""
    if classes is None:
        return np.asarray(member.predict(X), dtype=np.float64)[:, None]
    if hasattr(member, "predict_proba"):
        found = probabilities(member, X, classes)
    elif hasattr(member, "decision_function") and len(member.classes_) == len(classes):
        found = np.asarray(member.decision_function(X), dtype=np.float64)
        return found[:, None] if found.ndim == 1 else found
    else:
        found = np.eye(len(classes))[said_codes(member, X, classes)]
    return found[:, 1:]  # they sum to one
