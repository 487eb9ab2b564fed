"""Print what an averaged perceptron looks at in the heart table: the features that speak most.

Weights compare only when features have one scale, so they are scaled first (CIML 4.4).

    python examples/read_weights.py
"""

from __future__ import annotations

import numpy as np
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from inducer.datasets import heart
from inducer.linear import Perceptron, top_weights


def main() -> None:
    """Fit, and print the top and bottom features."""
    table = heart(numeric=True)
    model = make_pipeline(
        SimpleImputer(strategy="median"),
        StandardScaler(),
        Perceptron(average=True, max_iter=20, tol=None, random_state=0),
    )
    model.fit(table.data, np.array(table.target_names)[table.target])
    print(top_weights(model, 5, feature_names=table.feature_names))


if __name__ == "__main__":
    main()
