"""The small tables that the course works by hand, with the numbers it gives."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl

from inducer.base.params import Choice
from inducer.datasets._result import checked, of_numbers


@checked()
def bankruptcy(*, return_X_y: bool = False) -> Any:
    """Return fourteen people, their late payments and expenses, and whether they went bankrupt.

    The running example of the MIT notes. A perceptron with rate 0.1 that visits the rows in this
    order makes 49 passes from zero to -2.2 + 0.94 R + 0.4 L, and ten from (-1, 1, 1) to
    -1.7 + 0.81 R + 0.3 L (the run whose mistakes the dual form counts). The tree of least average
    entropy asks L > 1.5, R > 0.9, L > 5. With R scaled by 5, the nearest neighbour of R = 0.3,
    L = 2 says no. The notes print only the six rows with mistakes in that run; with the other
    eight here, all of the above holds as they have it.

    Parameters
    ----------
    return_X_y : bool
        Return only the features and the target.

    Returns
    -------
    Bunch or pair
        ``data`` has the columns R (expenses to income) and L (late payments).

    Examples
    --------
    >>> from inducer.datasets import bankruptcy
    >>> people = bankruptcy()
    >>> people.frame.head(2).rows()
    [(0.2, 3.0, 0), (0.3, 1.0, 0)]
    """
    no = [(0.2, 3), (0.3, 1), (0.5, 4), (0.7, 2), (1.0, 0), (1.2, 1), (1.7, 1)]
    yes = [(0.2, 6), (0.3, 7), (0.7, 6), (1.1, 3), (1.5, 2), (1.7, 4), (1.9, 2)]
    return of_numbers(
        np.array(no + yes, dtype=np.float64),
        np.repeat([0, 1], 7),
        function=bankruptcy,
        return_X_y=return_X_y,
        feature_names=["expenses_to_income", "late_payments"],
        target_column="bankrupt",
        target_names=["no", "yes"],
    )


@checked()
def weather(*, return_X_y: bool = False) -> Any:
    """Return eight days, whether sunny and windy, and whether one played.

    The class notes print only how often: played on 5 of 8 days, on 1 of 3 sunny and 4 of 5 other
    ones, on 2 of 4 windy and 3 of 4 calm ones. These eight rows agree with all of that. Asking
    about the sun is right on 6 of 8 days, asking about the wind on 5, as is asking nothing.

    Parameters
    ----------
    return_X_y : bool
        Return only the features and the target.

    Returns
    -------
    Bunch or pair
        ``data`` is a float64 array of zeros and ones.

    Examples
    --------
    >>> from inducer.datasets import weather
    >>> X, y = weather(return_X_y=True)
    >>> float(y[X[:, 0] == 0].mean())
    0.8
    """
    rows = np.array(
        [(0, 1, 1), (0, 0, 1), (0, 0, 1), (0, 0, 1), (1, 1, 1), (0, 1, 0), (1, 1, 0), (1, 0, 0)]
    )
    return of_numbers(
        rows[:, :2].astype(np.float64),
        rows[:, 2],
        function=weather,
        return_X_y=return_X_y,
        feature_names=["sunny", "windy"],
        target_column="played",
        target_names=["no", "yes"],
    )


@checked()
def conjunctions(*, return_X_y: bool = False) -> Any:
    """Return three rows of four bits, from which CIML learns the conjunction not-x1, x3, x4.

    Parameters
    ----------
    return_X_y : bool
        Return only the features and the target.

    Returns
    -------
    Bunch or pair
        ``data`` is a float64 array of zeros and ones.

    Examples
    --------
    >>> from inducer.datasets import conjunctions
    >>> conjunctions().frame.rows()
    [(0.0, 0.0, 1.0, 1.0, 1), (0.0, 1.0, 1.0, 1.0, 1), (1.0, 1.0, 0.0, 1.0, 0)]
    """
    X = np.array([(0, 0, 1, 1), (0, 1, 1, 1), (1, 1, 0, 1)], dtype=np.float64)
    y = np.array([1, 1, 0])
    return of_numbers(X, y, function=conjunctions, return_X_y=return_X_y)


@checked()
def variance_split(*, return_X_y: bool = False) -> Any:
    """Return nine numbers that a regression tree may split by one of two yes-or-no features.

    The example of the MIT notes: the numbers have the variance 40.5 (divided by 8). Feature f3
    leaves parts of variance 3.7 and 1.67, f7 of 48.7 and 40.67. The notes do not print which rows
    go where: the variances leave no other division. Which part is "yes" is ours to say.

    Parameters
    ----------
    return_X_y : bool
        Return only the features and the target.

    Returns
    -------
    Bunch or pair
        ``data`` is a float64 array of zeros and ones.

    Examples
    --------
    >>> from inducer.datasets import variance_split
    >>> X, y = variance_split(return_X_y=True)
    >>> [round(float(y[X[:, 0] == value].var(ddof=1)), 2) for value in (1, 0)]
    [1.67, 3.7]
    """
    y = np.array([-2, 9, 1, 12, -4, 0, 11, 10, -1], dtype=np.float64)
    X = np.column_stack([y > 5, np.arange(9) > 4]).astype(np.float64)
    return of_numbers(
        X, y, function=variance_split, return_X_y=return_X_y, feature_names=["f3", "f7"]
    )


@checked()
def birds(*, return_X_y: bool = False) -> Any:
    """Return CIML's question of inductive bias: eight pictures that three ideas explain alike.

    The four pictures of class A show a bird, that flies, before a background in focus; the four of
    class B none of that. On the four pictures of ``test`` the ideas part: "is it a bird" says
    A B B A (60 to 70 of 100 people), "does it fly" A A B B (30 to 40), "is the background in
    focus" A B A B (nobody). The data cannot say which is right.

    Parameters
    ----------
    return_X_y : bool
        Return only the features and the target.

    Returns
    -------
    Bunch or pair
        ``data`` is a float64 array of zeros and ones, as is ``test``; ``target`` is 1 for A.

    Examples
    --------
    >>> from inducer.datasets import birds
    >>> pictures = birds()
    >>> for idea, answers in zip(pictures.feature_names, pictures.test.T):
    ...     print(idea, "".join("A" if answer else "B" for answer in answers))
    bird ABBA
    flies AABB
    focus ABAB
    """
    y = np.repeat([1, 0], 4)
    X = np.repeat(y[:, np.newaxis], 3, axis=1).astype(np.float64)
    test = np.array([(1, 1, 1), (0, 1, 0), (0, 0, 1), (1, 0, 0)], dtype=np.float64)
    return of_numbers(
        X,
        y,
        function=birds,
        return_X_y=return_X_y,
        feature_names=["bird", "flies", "focus"],
        target_names=["B", "A"],
        test=test,
    )


@checked(width=Choice("mm", "cm"))
def skis(*, width: str = "mm", return_X_y: bool = False) -> Any:
    """Return skis and snowboards by width and height: the unit of the width decides.

    CIML tells the story with a figure and no numbers; the sizes are ours. With the width in
    millimetres the nearest neighbours of ``query``, a ski as short as a snowboard, are skis; in
    centimetres the heights, which are always in centimetres, drown the widths, and they are
    snowboards.

    Parameters
    ----------
    width : {"mm", "cm"}
        Unit of the width.
    return_X_y : bool
        Return only the features and the target.

    Returns
    -------
    Bunch or pair
        ``data`` has the columns width and height; ``query`` is one more object, a ski.

    Examples
    --------
    >>> from inducer.datasets import skis
    >>> skis().query, skis(width="cm").query
    (array([ 90., 154.]), array([  9., 154.]))
    """
    ski = [(84, 172), (78, 177), (96, 181), (88, 185), (102, 176), (74, 190)]
    snowboard = [(250, 150), (248, 153), (254, 157), (258, 160), (252, 163), (246, 147)]
    scale = np.array([1.0 if width == "mm" else 0.1, 1.0])
    return of_numbers(
        np.array(ski + snowboard, dtype=np.float64) * scale,
        np.repeat([1, 0], 6),
        function=skis,
        return_X_y=return_X_y,
        feature_names=["width", "height"],
        target_names=["snowboard", "ski"],
        query=np.array([90.0, 154.0]) * scale,
    )


@checked()
def reviews(*, return_X_y: bool = False) -> Any:
    """Return sixteen one-line reviews of courses, gadgets and hotels, and whether they praise.

    The texts are ours, after two examples of CIML. In the eight of courses, "not" turns
    "excellent" and "terrible" around, so no line parts them; with the two products excellent-and-
    not and terrible-and-not added, the weights 1, -1, 0, -2, 2 do. "awesome" praises gadgets and
    hotels alike, "small" praises a gadget and blames a hotel: what two domains share, and not.

    Parameters
    ----------
    return_X_y : bool
        Return only the features and the target.

    Returns
    -------
    Bunch or pair
        ``data`` is a float64 array of zeros and ones, a column for each of five words; ``frame``
        has the columns domain, text and positive.

    Examples
    --------
    >>> from inducer.datasets import reviews
    >>> reviews().frame.row(2)
    ('course', 'not an excellent week to spend', 0)
    """
    rows = [
        ("course", "excellent lectures and fair homework", 1),
        ("course", "the projects were excellent", 1),
        ("course", "not an excellent week to spend", 0),
        ("course", "slides that are not excellent", 0),
        ("course", "terrible pace and a terrible room", 0),
        ("course", "the exam was terrible", 0),
        ("course", "not terrible at all", 1),
        ("course", "the early hour is not so terrible", 1),
        ("gadget", "awesome sound for the price", 1),
        ("gadget", "so small that it fits a coin pocket", 1),
        ("gadget", "small and quiet", 1),
        ("gadget", "broke after a day", 0),
        ("hotel", "awesome view of the harbour", 1),
        ("hotel", "a small room over the kitchen", 0),
        ("hotel", "small bed and thin walls", 0),
        ("hotel", "we would come back", 1),
    ]
    words = ["excellent", "terrible", "not", "awesome", "small"]
    domains = pl.Enum(["course", "gadget", "hotel"])
    frame = pl.DataFrame(
        rows, schema={"domain": domains, "text": pl.String, "positive": pl.Int64}, orient="row"
    )
    said = [set(text.split()) for text in frame["text"]]
    return of_numbers(
        np.array([[word in one for word in words] for one in said], dtype=np.float64),
        frame["positive"].to_numpy(writable=True),
        function=reviews,
        return_X_y=return_X_y,
        feature_names=words,
        target_column="positive",
        target_names=["blame", "praise"],
        frame=frame,
    )
