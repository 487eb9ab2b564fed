"""inducer: programs that take examples and give back a hypothesis.

Packages and functions load when they are first asked for: ``import inducer`` costs nothing.
"""

from inducer._lazy import attach

__version__ = "0.1.0"

__getattr__, __dir__, __all__ = attach(
    __name__,
    {
        "base": "",
        "datasets": "",
        "ensembles": "",
        "linear": "",
        "load": "base._saving",
        "losses": "",
        "online": "",
        "optimize": "",
        "penalties": "",
        "save": "base._saving",
        "threads": "base._threads",
        "trees": "",
    },
)
