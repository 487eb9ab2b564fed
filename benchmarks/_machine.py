"""Where a measurement was made."""

from __future__ import annotations

import os
import platform
import re
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

import joblib

from inducer._core.base import isa

PACKAGES = ("inducer", "numpy", "scipy", "scikit-learn")
QUIET = 0.5  # load below which nothing to speak of was running


@dataclass(frozen=True)
class Machine:
    """What the times depend on beside the code.

    Attributes
    ----------
    cpu : str
        The model, as the system calls it.
    cores : int
        Processors that this process may use.
    memory : float
        GiB of main memory.
    system, python : str
        Names and versions.
    packages : dict of str to str
        Versions of ours and of the peers.
    isa : str
        The instruction set that our kernels were chosen for.
    load : float
        Processes that wanted a processor, on average over the minute before; None if unknown.
    """

    cpu: str
    cores: int
    memory: float
    system: str
    python: str
    packages: dict[str, str]
    isa: str
    load: float | None

    @property
    def quiet(self) -> bool:
        """Whether so little else was running that the times can be believed."""
        return self.load is None or self.load < QUIET


def this_machine() -> Machine:
    """Return the description of the machine and the libraries in use."""
    return Machine(
        cpu=_cpu(),
        cores=joblib.cpu_count(),
        memory=round(_memory() / 2**30, 1),
        system=f"{platform.system()} {platform.release()}",
        python=f"{platform.python_implementation()} {platform.python_version()}",
        packages={name: version(name) for name in PACKAGES},
        isa=isa(),
        load=round(os.getloadavg()[0], 2) if hasattr(os, "getloadavg") else None,
    )


def _cpu() -> str:
    """Return the processor's model; virtual machines hide the name, so its numbers go with it."""
    info = Path("/proc/cpuinfo")
    if not info.is_file():
        return platform.processor() or platform.machine()
    lines = re.findall(r"^(.+?)\s*:\s*(.*)$", info.read_text(encoding="utf-8"), re.MULTILINE)
    facts = dict(reversed(lines))  # of the first processor
    name = facts.get("model name")
    if name is None:
        return platform.machine()
    return f"{name}, family {facts.get('cpu family')} model {facts.get('model')}"


def _memory() -> int:
    """Return the bytes of main memory, 0 if the system does not tell."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return 0
