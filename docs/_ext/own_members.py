"""Leave out of a class's page what scikit-learn's base classes give to every learner alike."""

from __future__ import annotations

from typing import Any

from sphinx.application import Sphinx


def is_foreign(
    _app: Sphinx, what: str, _name: str, member: Any, skip: bool, _options: Any
) -> bool | None:
    """Tell autodoc to skip a member that is not defined in inducer; None leaves it to others."""
    if skip or what != "class":
        return None
    home = getattr(member, "__module__", None)
    return True if home is None or not home.startswith("inducer") else None


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the rule."""
    app.connect("autodoc-skip-member", is_foreign)
    return {"parallel_read_safe": True}
