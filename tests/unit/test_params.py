"""Parameter domains: what they say to scikit-learn, and what the user reads."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
import pytest
from sklearn.utils._param_validation import InvalidParameterError, make_constraint

from inducer.base import InducerError, Learner, ParameterError
from inducer.base.learner import fits
from inducer.base.params import (
    ArrayLike,
    Choice,
    Domain,
    Flag,
    Function,
    Instance,
    Int,
    Missing,
    Real,
    Seed,
    Union,
)

NAN, INF = float("nan"), float("inf")


def allows(domain: Domain, value: Any) -> bool:
    constraints = [make_constraint(one) for one in domain.constraints()]
    return any(one.is_satisfied_by(value) for one in constraints)


@pytest.mark.parametrize(
    ("domain", "inside", "outside"),
    [
        (Real(), [0, -1.5, np.float32(2), 10**400], [INF, NAN, None, "1", 1j]),
        (Real(0), [0, 0.0, 1e300], [-1e-300, INF, NAN]),
        (Real(0, closed="()"), [1e-300], [0, -1, INF]),
        (Real(0, 1), [0, 1, 0.5], [-0.1, 1.1]),
        (Real(0, 1, closed="[)"), [0], [1]),
        (Real(0, 1, closed="(]"), [1], [0]),
        (Real(None, 0), [-1e300, 0], [1, -INF]),
        (Int(), [0, -3, np.int8(2), 10**30], [1.0, "1", None]),
        (Int(1), [1, 10**9], [0, -1, 1.5]),
        (Int(1, 3, closed="[)"), [1, 2], [3, 0]),
        (Flag(), [True, False, np.True_], [1, 0, "True", None]),
        (Choice("every", "once"), ["every", "once"], ["never", None, 1]),
        (Choice(1, 2), [1, 2], [3, "1"]),
        (Choice("l1", 2), ["l1", 2], ["2", 1]),
        (Missing(), [None], [0, False, ""]),
        (
            Seed(),
            [0, 2**32 - 1, None, np.random.RandomState(0), np.random.default_rng()],
            [-1, "a"],
        ),
        (ArrayLike(), [[1], np.ones(2), (1,)], [1, None, "abc"]),
        (Instance(dict, list), [{}, []], [(), None]),
        (Function(), [len, lambda: None], [1, "len"]),
        (Real(0) | None, [None, 0.0], [-1, "a"]),
        (None | Real(0), [None, 0.0], [-1, "a"]),
        (Choice("auto") | Int(1) | None, ["auto", 1, None], ["a", 0, 1.5]),
        (Int(1) | (Choice("auto") | None), ["auto", 1, None], ["a", 0]),
    ],
)
def test_domains(domain: Domain, inside: list[Any], outside: list[Any]) -> None:
    assert [value for value in inside if not allows(domain, value)] == []
    assert [value for value in outside if allows(domain, value)] == []


def test_unions_are_flat() -> None:
    union = (Choice("a") | Int()) | (Real() | None)
    assert isinstance(union, Union)
    assert [type(part) for part in union.parts()] == [Choice, Int, Real, Missing]


class Base(Learner):
    params: ClassVar[dict[str, Domain]] = {"rate": Real(0, closed="()"), "gone": Int()}

    def __init__(self, rate: Any = 1.0) -> None:
        self.rate = rate

    @fits
    def fit(self, X: Any, y: Any = None) -> Base:  # noqa: ARG002
        self.fitted_ = True
        return self


class Derived(Base):
    params: ClassVar[dict[str, Domain]] = {"rate": Real(0, 1), "order": Choice("up", "down") | None}

    def __init__(self, rate: Any = 1.0, order: Any = "up") -> None:
        super().__init__(rate)
        self.order = order


def test_a_table_holds_the_constructor_s_arguments_and_what_is_inherited() -> None:
    assert set(Base.params) == {"rate"}
    assert Derived.params == {**Derived.params, "rate": Real(0, 1)}
    assert set(Derived.params) == {"rate", "order"}
    assert set(Derived._parameter_constraints) == {"rate", "order"}
    assert Base.params["rate"] == Real(0, closed="()")


@pytest.mark.parametrize(
    ("model", "words"),
    [
        (
            Derived(rate=-1),
            r"The 'rate' parameter of Derived must be a float in the range \[0(\.0)?, 1(\.0)?\]\. "
            r"Got -1 instead\.",
        ),
        (
            Derived(order="sideways"),
            r"The 'order' parameter of Derived must be a str among \{'(up|down)', '(up|down)'\} or "
            r"None\. Got 'sideways' instead\.",
        ),
        (
            Base(rate="fast"),
            r"The 'rate' parameter of Base must be a float in the range \(0(\.0)?, inf\)\. Got "
            r"'fast' instead\.",
        ),
    ],
)
def test_error_text(model: Any, words: str) -> None:
    with pytest.raises(ParameterError, match=words) as caught:
        model.fit([[1.0]])
    assert isinstance(caught.value, InvalidParameterError)
    assert isinstance(caught.value, InducerError)
    assert caught.value.__cause__ is None
    assert not hasattr(model, "fitted_")


def test_nothing_is_checked_before_fit() -> None:
    assert Base(rate=0).set_params(rate=-3).rate == -3
    assert Base(rate=2.0).fit([[1.0]]).fitted_
