"""What scikit-learn asks of an estimator, asked of every learner, and the check that we are."""

from __future__ import annotations

import inspect
import pkgutil
import warnings
from importlib import import_module
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import make_blobs
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import train_test_split
from sklearn.utils.estimator_checks import estimator_checks_generator, parametrize_with_checks

import inducer
from contract.data import data_for
from contract.expected_failures import EXPECTED_FAILURES
from contract.learners import LEARNERS
from inducer.base import InputError, Learner


def name_of(learner: Any) -> str:
    return next(name for name, one in LEARNERS.items() if one is learner)


# The checks leave limits of passes at what they are, and data are rarely clean after ten.
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@parametrize_with_checks(
    list(LEARNERS.values()),
    expected_failed_checks=lambda learner: EXPECTED_FAILURES.get(name_of(learner), {}),
    xfail_strict=True,
)
def test_check_estimator(estimator: Any, check: Any) -> None:
    check(estimator)


@pytest.mark.parametrize("name", EXPECTED_FAILURES)
def test_expected_failures_are_of_checks_that_are_run(name: str) -> None:
    """A check that is never run would never pass, so strictness alone would not notice."""
    checks = estimator_checks_generator(LEARNERS[name])
    run = {getattr(check, "func", check).__name__ for _, check in checks}
    assert EXPECTED_FAILURES[name].keys() <= run
    assert all(len(reason.split()) > 8 for reason in EXPECTED_FAILURES[name].values())


def test_every_public_learner_is_in_the_table() -> None:
    public = set()
    for package in pkgutil.iter_modules(inducer.__path__, "inducer."):
        if package.ispkg:
            module = import_module(package.name)
            public |= {getattr(module, name) for name in getattr(module, "__all__", ())}
    learners = {
        one
        for one in public - {Learner}
        if inspect.isclass(one) and issubclass(one, Learner) and not inspect.isabstract(one)
    }
    assert learners == {type(learner) for learner in LEARNERS.values()}


# ---- what the expected failures say ------------------------------------------------------------


@pytest.mark.parametrize(
    "name",
    [
        name
        for name, reasons in EXPECTED_FAILURES.items()
        if "tol=None" in reasons.get("check_class_weight_classifiers", "")
    ],
)
@pytest.mark.parametrize("centers", [2, 3])
def test_class_weights_work_without_a_tolerance(name: str, centers: int) -> None:
    """scikit-learn's check_class_weight_classifiers, with tol=None."""
    X, y = make_blobs(centers=centers, random_state=0, cluster_std=20)
    X, X_test, y, _ = train_test_split(X, y, test_size=0.5, random_state=0)
    model = clone(LEARNERS[name]).set_params(
        class_weight={0: 1000, **dict.fromkeys(range(1, centers), 0.0001)}, max_iter=1000, tol=None
    )
    if "random_state" in model.get_params():
        model.set_params(random_state=0)
    assert np.mean(model.fit(X, y).predict(X_test) == 0) > 0.87


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_nonfinite_cells_of_a_kernel_matrix(value: float) -> None:
    model = clone(LEARNERS["DualPerceptron, precomputed"])
    y = np.arange(10) % 2
    K = np.eye(10)
    model.fit(K, y)
    K[7, 2] = value
    for call in (lambda: model.predict(K), lambda: clone(model).fit(K, y)):
        with pytest.raises(InputError, match="row 7, column 2"):
            call()


def test_convergence_is_warned_of_only_with_a_tolerance() -> None:
    X, y = np.zeros((4, 1)), [0, 1, 0, 1]  # mistakes in every pass
    model = inducer.linear.Perceptron(max_iter=3, tol=1e-3)
    with pytest.warns(ConvergenceWarning, match="max_iter") as warned:
        model.fit(X, y)
    assert warned[0].filename == __file__  # not a line of ours
    model.set_params(tol=None).fit(X, y)  # warnings are errors here


@pytest.mark.parametrize("name", LEARNERS)
def test_warnings_point_at_the_line_that_called(name: str) -> None:
    learner = clone(LEARNERS[name])
    wanted = {"max_iter": 1, "tol": 1e-12} if "max_iter" in learner.get_params() else {}
    learner.set_params(**{k: v for k, v in wanted.items() if k in learner.get_params()})
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        learner.fit(*data_for(learner))
    assert {one.filename for one in caught} <= {__file__}
