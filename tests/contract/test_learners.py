"""Our own contract, kept by every learner of the table."""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn.base import clone, is_classifier
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler
from sklearn.utils import get_tags
from sklearn.utils._param_validation import make_constraint
from sklearn.utils.validation import check_is_fitted, has_fit_parameter

import inducer
from contract.data import answers, data_for, is_pairwise, labels_for, takes_sparse
from contract.learners import LEARNERS
from inducer.base import InputError, ParameterError
from inducer.base.params import (
    ArrayLike,
    Choice,
    Domain,
    Flag,
    Function,
    Instance,
    Int,
    Real,
    Seed,
)

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def fresh(name: str, **params: Any) -> Any:
    """Return a new learner, with a seed where it takes one."""
    learner = clone(LEARNERS[name])
    if "random_state" in learner.get_params():
        learner.set_params(random_state=0)
    return learner.set_params(**params)


@pytest.fixture(params=LEARNERS)
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def assert_same_answers(one: Any, other: Any, X: Any, X_other: Any = None) -> None:
    """Demand that two learners say the same, bit for bit."""
    said, also_said = answers(one, X), answers(other, X if X_other is None else X_other)
    assert said.keys() == also_said.keys()
    assert said
    for method, values in said.items():
        np.testing.assert_array_equal(values, also_said[method], err_msg=method)


# ---- parameters --------------------------------------------------------------------------------


def test_a_constructor_only_stores(name: str) -> None:
    kind = type(LEARNERS[name])
    values = {argument: object() for argument in LEARNERS[name].get_params(deep=False)}
    learner = kind(**values)
    assert vars(learner) == values


def test_every_argument_has_a_domain(name: str) -> None:
    learner = LEARNERS[name]
    assert learner.params.keys() == learner.get_params(deep=False).keys()
    assert all(isinstance(domain, Domain) for domain in learner.params.values())


def test_the_defaults_are_allowed(name: str) -> None:
    fresh(name)._validate_params()
    type(LEARNERS[name])()._validate_params()


def wrong_values(domain: Domain) -> Iterator[Any]:
    """Yield values just outside of a domain, and some that are of no domain."""
    for part in domain.parts():
        match part:
            case Int(low, high) | Real(low, high):
                step = 1 if isinstance(part, Int) else 1e-9
                if low is not None:
                    yield low if part.closed[0] == "(" else low - step
                if high is not None:
                    yield high if part.closed[1] == ")" else high + step
                yield from ("3", float("nan"), 1.5 if isinstance(part, Int) else 1j)
            case Choice() | Flag() | Function() | Instance():
                yield from ("no such word", 2.5, ["every"])
            case Seed():
                yield from (-1, 0.5, "seed")
            case ArrayLike():
                yield from (3.0, "costs")
    yield object()


def cases() -> Iterator[Any]:
    for learner in LEARNERS.values():
        for argument, domain in learner.params.items():
            allowed = [make_constraint(constraint) for constraint in domain.constraints()]
            wrong = [
                value
                for value in wrong_values(domain)
                if not any(constraint.is_satisfied_by(value) for constraint in allowed)
            ]
            # Each kind of domain has values outside of it besides the object, which is so always.
            assert len(wrong) > 1, (learner, argument)
            yield from (
                pytest.param(
                    type(learner), argument, value, id=f"{type(learner).__name__}-{argument}-{i}"
                )
                for i, value in enumerate(wrong)
            )


WRONG = {case.id: case for case in cases()}  # a class may be in the table more than once


@pytest.mark.parametrize(("kind", "argument", "value"), list(WRONG.values()))
def test_wrong_values_are_refused_by_name(kind: Any, argument: str, value: Any) -> None:
    learner = kind(**{argument: value})
    X, y = data_for(kind(), rows=6)
    with pytest.raises(ParameterError, match=f"'{argument}' parameter of {kind.__name__}") as error:
        learner.fit(X, y)
    assert repr(value)[:20] in str(error.value)
    assert not hasattr(learner, "n_features_in_")


def test_numbers_of_numpy_are_numbers(name: str) -> None:
    """Parameters often come out of arrays: np.int64(5), np.float32(1), np.True_."""
    plain = fresh(name)
    wrapped = {
        argument: {bool: np.bool_, int: np.int64, float: np.float64}[type(value)](value)
        for argument, value in plain.get_params().items()
        if type(value) in (bool, int, float)
    }
    X, y = data_for(plain)
    assert_same_answers(plain.fit(X, y), fresh(name, **wrapped).fit(X, y), X)


def test_numbers_of_passes_without_end(name: str) -> None:
    """No limit that is too large for 64 bits; the data are clean at once."""
    learner = fresh(name)
    # Under a penalty a descent does not end with a clean pass, but when there is no progress; and
    # a batch of all rows would be one short step a pass.
    kept = {"n_jobs", *(("n_iter_no_change", "batch_size") if name.startswith("SGD") else ())}
    huge = {
        argument: 10**30
        for argument, domain in learner.params.items()
        if argument not in kept and isinstance(domain, Int) and domain.high is None
    }
    if "loss" in learner.get_params():  # one that is never zero: no pass is clean
        huge.pop("n_iter_no_change", None)
    X = np.repeat(np.eye(2), 20, axis=0)
    y = X[:, 0] > 0
    X = X @ X.T if is_pairwise(learner) else X
    model = learner.set_params(**huge).fit(X, y)
    # Numbers may stay a little off for nothing: within epsilon, say.
    assert model.score(X, y) == 1 if is_classifier(model) else model.score(X, y) > 0.9


# ---- before and after fit ----------------------------------------------------------------------


def test_nothing_is_said_before_fit(name: str) -> None:
    learner = fresh(name)
    X, y = data_for(learner)
    for method in ("predict", "decision_function", "predict_proba", "transform"):
        if hasattr(learner, method):
            with pytest.raises(NotFittedError, match=type(learner).__name__):
                getattr(learner, method)(X)
    with pytest.raises(NotFittedError):
        check_is_fitted(learner)
    assert learner.fit(X, y) is learner
    check_is_fitted(learner)
    assert learner.n_iter_ >= 1 if hasattr(learner, "max_iter") else True


def test_a_refit_is_a_fresh_fit(name: str) -> None:
    learner = fresh(name)
    X, y = data_for(learner)
    other = slice(0, 40)
    small = X[other, other] if is_pairwise(learner) else X[other, :3]
    learner.fit(small, y[other] > 0)
    learner.fit(X, y)
    once = fresh(name).fit(X, y)
    assert vars(once).keys() == vars(learner).keys()
    assert_same_answers(learner, once, X)


def test_a_refused_fit_leaves_the_last_one(name: str) -> None:
    learner = fresh(name)
    X, y = data_for(learner)
    learner.fit(X, y)
    broken = X.copy()
    broken[5, 2] = np.inf if get_tags(learner).input_tags.allow_nan else np.nan
    with pytest.raises(InputError, match="row 5, column 2"):
        learner.fit(broken, y)
    assert_same_answers(learner, fresh(name).fit(X, y), X)
    attributes = set(vars(learner))
    refused = [(X[:, :2], X[:0]), (X, y[:-1])]
    if is_classifier(learner):
        refused.append((X[:40, :2], np.zeros(40)))
    for wrong in refused:
        with pytest.raises(ValueError, match=r"."):
            learner.fit(*wrong)
        assert set(vars(learner)) == attributes
        assert_same_answers(learner, fresh(name).fit(X, y), X)


@pytest.mark.parametrize("given", [{"coef_init": np.ones(99)}, {"sample_weight": [-1.0]}])
def test_a_warm_start_that_is_refused_leaves_the_last_fit(given: dict[str, Any]) -> None:
    X, y = data_for(LEARNERS["Perceptron"])
    learner = fresh("Perceptron", warm_start=True).fit(X, y > 0)
    before = answers(learner, X)
    for wrong in ((X[:, :2], y > 0), (X, y)):
        with pytest.raises(InputError):
            learner.fit(*wrong, **given)
        for method, values in answers(learner, X).items():
            np.testing.assert_array_equal(values, before[method])


def test_the_same_seed_gives_the_same_bits_with_any_threads(name: str) -> None:
    rows = 300 if is_pairwise(LEARNERS[name]) else 2000
    X, y = data_for(LEARNERS[name], rows=rows)
    models = []
    for number in (1, 2, 7, 7):
        with inducer.threads(number):
            models.append(fresh(name).fit(X, y))
    for model in models[1:]:
        assert_same_answers(models[0], model, X)


ONE_PASS = {"LeastSquares", "LeastSquaresClassifier", "Ridge"}  # closed forms, and trees
ONE_PASS |= {"DecisionStump", "DecisionTreeClassifier", "DecisionTreeRegressor"}


class Interrupting:
    """Callback that is a Ctrl-C in the second iteration."""

    def __init__(self) -> None:
        self.begun = 0

    def setup(self, estimator: Any, context: Any) -> None:
        pass

    def on_fit_task_begin(self, estimator: Any, context: Any) -> None:  # noqa: ARG002
        self.begun += context.task_name == "pass"
        if self.begun == 2:
            raise KeyboardInterrupt

    def on_fit_task_end(self, estimator: Any, context: Any) -> None:
        pass

    def teardown(self, estimator: Any, context: Any) -> None:
        pass


@pytest.mark.parametrize("fitted_before", [False, True])
def test_an_interrupted_fit_leaves_nothing_behind(name: str, fitted_before: bool) -> None:
    learner = fresh(name)
    if type(learner).__name__ in ONE_PASS:
        pytest.skip("a fit of one pass has none between which to call")
    X, y = data_for(learner)
    if fitted_before:
        learner.fit(X, y > 0)
    with pytest.raises(KeyboardInterrupt):
        learner.set_callbacks(Interrupting()).fit(X, y)
    with pytest.raises(NotFittedError):
        learner.predict(X)
    learner.set_callbacks().fit(X, y)
    assert_same_answers(learner, fresh(name).fit(X, y), X)


# ---- data --------------------------------------------------------------------------------------


def weights_for(learner: Any, rows: int) -> dict[str, Any]:
    if not has_fit_parameter(learner, "sample_weight"):
        return {}
    return {"sample_weight": np.random.default_rng(0).exponential(size=rows)}


def test_read_only_memory_maps_are_read_and_nothing_is_written(name: str, tmp_path: Path) -> None:
    learner = fresh(name)
    X, y = data_for(learner)
    arrays = {"X": X, "y": y, **weights_for(learner, len(X))}
    mapped = {}
    for key, array in arrays.items():
        np.save(tmp_path / key, array)
        mapped[key] = np.load(tmp_path / f"{key}.npy", mmap_mode="r")
        assert not mapped[key].flags.writeable
    before = {key: array.copy() for key, array in arrays.items()}
    learner.fit(**arrays)
    reference = answers(learner, X)
    for key, array in arrays.items():
        np.testing.assert_array_equal(array, before[key])
    again = fresh(name).fit(**mapped)
    for method, values in answers(again, mapped["X"]).items():
        np.testing.assert_array_equal(values, reference[method])


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("order", ["C", "F", "strided"])
def test_dense_layouts(name: str, dtype: Any, order: str) -> None:
    """Integers small enough for both precisions, whose sums do not depend on their order."""
    X, y = data_for(LEARNERS[name])
    X = np.round(2 * X)
    reference = fresh(name).fit(X.astype(dtype), y)
    given = X.astype(dtype)
    if order == "F":
        given = np.asfortranarray(given)
    elif order == "strided":
        wide = np.full((2 * X.shape[0], 2 * X.shape[1]), np.nan, dtype)
        wide[::2, ::2] = given
        given = wide[::2, ::2]
    model = fresh(name).fit(given, y)
    assert_same_answers(reference, model, X.astype(dtype), given)
    if hasattr(model, "coef_"):
        assert model.coef_.dtype == dtype
        scores = model.decision_function if is_classifier(model) else model.predict
        assert scores(given).dtype == dtype


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("index", [np.int32, np.int64])
def test_sparse_layouts(name: str, dtype: Any, index: Any) -> None:
    if not takes_sparse(LEARNERS[name]):
        pytest.skip("dense only")
    X, y = data_for(LEARNERS[name])
    X = np.round(2 * X).astype(dtype)
    stored = sparse.csr_array(X)
    stored.indices, stored.indptr = stored.indices.astype(index), stored.indptr.astype(index)
    kept = stored.copy()
    for array in (stored.data, stored.indices, stored.indptr):
        array.flags.writeable = False
    reference, model = fresh(name).fit(X, y), fresh(name).fit(stored, y)
    # Corrections by whole numbers have sums that do not depend on their order. Steps of other sizes
    # have some rounding errors each, and a step begins where the last has ended.
    whole = type(model).__name__.endswith("Perceptron")
    for attribute in ("coef_", "intercept_", "dual_coef_"):
        if hasattr(model, attribute):
            one, other = getattr(model, attribute), getattr(reference, attribute)
            if whole:
                np.testing.assert_array_equal(one, other)
            else:
                atol = 1000 * np.finfo(dtype).eps * max(1.0, np.abs(other).max())
                np.testing.assert_allclose(one, other, rtol=0, atol=atol)
    for method, values in answers(model, stored).items():
        # An average is a fraction, and the order in which its products are added shows: by some
        # rounding errors of the larger sums, since a small one may be their difference.
        if not whole and values.dtype.kind != "f":
            continue  # words for scores, which are compared themselves
        precision = (4 if whole else 4000) * np.finfo(dtype).eps * np.abs(values).max()
        np.testing.assert_allclose(values, answers(reference, X)[method], rtol=0, atol=precision)
    assert stored.indices.dtype == index
    np.testing.assert_array_equal(stored.toarray(), kept.toarray())
    if hasattr(model, "coef_"):
        assert model.coef_.dtype == dtype


@pytest.mark.parametrize("library", [pd, pl])
def test_data_frames_are_arrays_with_names(name: str, library: Any) -> None:
    learner = fresh(name)
    X, y = data_for(learner)
    columns = [f"column {j}" for j in range(X.shape[1])]
    frame = library.DataFrame(dict(zip(columns, X.T.copy(), strict=True)))
    values = labels_for(learner, y, ["a", "b", "c"])
    labels = library.Series(values)
    model = learner.fit(frame, labels)
    assert model.feature_names_in_.tolist() == columns
    reference = fresh(name).fit(X, values)
    if is_classifier(learner):
        assert model.classes_.tolist() == ["a", "b", "c"]
    assert_same_answers(model, reference, frame, X)
    swapped = frame[[columns[1], columns[0], *columns[2:]]]
    with pytest.raises(ValueError, match="feature names"):
        model.predict(swapped)


def test_weights_of_one_are_no_weights(name: str) -> None:
    learner = fresh(name)
    X, y = data_for(learner)
    if not has_fit_parameter(learner, "sample_weight"):
        pytest.skip("takes no weights")
    weighted = fresh(name).fit(X, y, sample_weight=np.ones(len(X)))
    assert_same_answers(learner.fit(X, y), weighted, X)
    uneven = fresh(name).fit(X, y, **weights_for(learner, len(X)))
    assert any(
        not np.array_equal(values, answers(learner, rows)[method])
        for rows in (X, 1.5 * X)  # a full tree says of the rows of the fit what they are
        for method, values in answers(uneven, rows).items()
    )


# ---- kept and used by others -------------------------------------------------------------------


def plain_params(learner: Any) -> dict[str, Any]:
    """Return all parameters; of learners among them the kind: their own follow by name."""
    return {
        name: type(value) if hasattr(value, "get_params") else value
        for name, value in learner.get_params().items()
        if name != "estimators" or value is None  # each follows by name
    }


def test_saved_and_pickled_learners_say_the_same(name: str, tmp_path: Path) -> None:
    learner = fresh(name)
    X, y = data_for(learner)
    learner.fit(X, labels_for(learner, y, ["red", "green", "blue"]))
    path = tmp_path / "model.skops"
    inducer.save(learner, path)
    for kept in (pickle.loads(pickle.dumps(learner)), inducer.load(path)):
        assert type(kept) is type(learner)
        assert_same_answers(learner, kept, X)
        assert plain_params(kept) == plain_params(learner)


def test_pipelines_and_searches(name: str) -> None:
    learner = fresh(name)
    X, y = data_for(learner)
    flags = [argument for argument, domain in learner.params.items() if isinstance(domain, Flag)]
    if is_pairwise(learner):  # the search takes the right columns of it
        assert cross_val_score(learner, X, y, cv=3).shape == (3,)
        model, prefix = learner, ""
    else:
        positive = get_tags(learner).input_tags.positive_only
        scaler = MinMaxScaler() if positive else StandardScaler()
        model = make_pipeline(scaler, learner)
        prefix = f"{model.steps[-1][0]}__"
        model.fit(X, y)
        scaled = clone(scaler).fit_transform(X)
        alone = fresh(name).fit(scaled, y)
        np.testing.assert_array_equal(model.predict(X), alone.predict(scaled))
    search = GridSearchCV(model, {prefix + flag: [True, False] for flag in flags[-1:]}, cv=3)
    search.fit(X, y)
    assert len(search.cv_results_["params"]) == 2 ** min(1, len(flags))
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()
    # Better than a guess: among three classes, or of the mean of the numbers.
    assert search.best_score_ > (0.34 if is_classifier(learner) else 0.1)
