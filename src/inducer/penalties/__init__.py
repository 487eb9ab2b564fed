"""What weights cost: one small object a penalty. The bias is never given to one."""

from inducer._lazy import attach

__getattr__, __dir__, __all__ = attach(
    __name__,
    {
        "ElasticNet": "norms",
        "L1": "norms",
        "L2": "norms",
        "LowOrder": "structured",
        "Lp": "lp",
        "MaxNorm": "max_norm",
        "Penalty": "penalty",
        "Symmetry": "structured",
        "as_penalty": "registry",
    },
)
