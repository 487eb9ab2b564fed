"""Data: bundled real tables, seeded generators, and the toy sets of the course.

Every function returns scikit-learn's `Bunch`, or the pair ``(X, y)`` with ``return_X_y=True``.
"""

from inducer._lazy import attach

__getattr__, __dir__, __all__ = attach(
    __name__,
    {
        "auto_mpg": "_tables",
        "bankruptcy": "_course",
        "birds": "_course",
        "blobs": "_blobs",
        "circles": "_shapes",
        "coins": "_stories",
        "conjunctions": "_course",
        "course_ratings": "_tables",
        "digits": "_tables",
        "disc": "_shapes",
        "exam": "_stories",
        "heart": "_tables",
        "linear": "_shapes",
        "mixed": "_mixed",
        "moons": "_shapes",
        "noisy_bit": "_stories",
        "parallel_lines": "_shapes",
        "penguins": "_tables",
        "polynomial": "_stories",
        "reviews": "_course",
        "skis": "_course",
        "tables": "_tables",
        "text": "_text",
        "variance_split": "_course",
        "weather": "_course",
        "xor": "_shapes",
        "xor_chain": "_stories",
    },
)
