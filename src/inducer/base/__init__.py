"""The contract that every learner keeps: parameters, arrays, threads, progress, saving, errors."""

from inducer._lazy import attach

__getattr__, __dir__, __all__ = attach(
    __name__,
    {
        "InducerError": "errors",
        "InputError": "errors",
        "Learner": "learner",
        "NotSeparableError": "errors",
        "ParameterError": "errors",
        "RowBlocks": "blocks",
        "Trace": "progress",
        "load": "_saving",
        "reduce_blocks": "blocks",
        "save": "_saving",
        "threads": "_threads",
    },
)
