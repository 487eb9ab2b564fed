"""inducer: programs that take examples and give back a hypothesis."""

__version__ = "0.1.0"
