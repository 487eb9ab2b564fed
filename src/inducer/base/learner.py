"""What every learner of ours is."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, ClassVar, TypeVar

from sklearn.base import BaseEstimator, _fit_context
from sklearn.callback import CallbackSupportMixin
from sklearn.utils._param_validation import InvalidParameterError, make_constraint

from inducer.base.errors import ParameterError
from inducer.base.params import Domain

Method = TypeVar("Method", bound=Callable[..., Any])


class Learner(CallbackSupportMixin, BaseEstimator):
    """A scikit-learn estimator with a declared table of parameters.

    ``params`` maps each constructor argument to its domain; a subclass adds to what it inherits.
    A constructor only stores.
    """

    params: ClassVar[Mapping[str, Domain]] = {}
    _ready_constraints: ClassVar[Mapping[str, list[Any]]] = {}

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        table: dict[str, Domain] = {}
        for base in reversed(cls.__mro__):
            table.update(vars(base).get("params", {}))
        names = set(cls._get_param_names())
        cls.params = {name: domain for name, domain in table.items() if name in names}
        cls._parameter_constraints = {
            name: domain.constraints() for name, domain in cls.params.items()
        }
        cls._ready_constraints = {
            name: [make_constraint(c) for c in constraints]
            for name, constraints in cls._parameter_constraints.items()
        }

    def _validate_params(self) -> None:
        """Check the parameters against their domains: the first gate."""
        if all(
            any(constraint.is_satisfied_by(getattr(self, name)) for constraint in constraints)
            for name, constraints in self._ready_constraints.items()
        ):
            return
        try:
            super()._validate_params()  # slower, with words
        except InvalidParameterError as error:
            raise ParameterError(str(error)) from None


def fits(method: Method) -> Method:
    """Wrap a `fit`: parameters are checked first, callbacks torn down, nothing is left half done.

    After Ctrl-C the learner is unfitted, rather than half of one fit and half of another. A fit
    that is refused leaves the learner as it was.
    """
    return _fitting(_fit_context(prefer_skip_nested_validation=True)(method), method)


def fits_members(method: Method) -> Method:
    """Wrap the `fit` of a learner built on learners, as `fits` does; theirs are checked, too."""
    return _fitting(_fit_context(prefer_skip_nested_validation=False)(method), method)


def _fitting(checked: Callable[..., Any], method: Method) -> Method:
    """Return a `fit` that is whole or not at all."""

    @functools.wraps(method)
    def fit(self: Learner, *args: Any, **kwargs: Any) -> Any:
        try:
            with _all_or_nothing(self):
                return checked(self, *args, **kwargs)
        except KeyboardInterrupt:
            for name in [n for n in vars(self) if n.endswith("_") and not n.startswith("_")]:
                delattr(self, name)
            raise

    return fit  # type: ignore[return-value]  # wraps keeps the signature


def partially_fits(method: Method) -> Method:
    """Wrap a `partial_fit`: parameters are checked the first time, callbacks torn down.

    A call that is refused leaves the learner as it was.
    """
    checked = _fit_context(prefer_skip_nested_validation=True)(method)

    @functools.wraps(method)
    def partial_fit(self: Learner, *args: Any, **kwargs: Any) -> Any:
        with _all_or_nothing(self):
            return checked(self, *args, **kwargs)

    return partial_fit  # type: ignore[return-value]  # wraps keeps the signature


@contextmanager
def _all_or_nothing(learner: Learner) -> Iterator[None]:
    """Give the learner the attributes again that it had, when the block raises an error."""
    attributes: dict[str, Any] = learner.__dict__
    before = attributes.copy()
    try:
        yield
    except Exception:
        attributes.clear()
        attributes.update(before)
        raise
