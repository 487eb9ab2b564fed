"""Learning one example at a time."""

from inducer._lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, {})
