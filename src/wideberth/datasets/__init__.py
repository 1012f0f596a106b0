"""Small real data sets that come with the package."""

import csv
from importlib.resources import files


def load_first_names() -> tuple[list[str], list[str]]:
    """Load first names and the sex of the people who bear them, the most frequent first (United
    States Census of 1990).

    Some names are borne by both sexes and occur twice, once for each sex: no classifier that sees
    only names gets both right.

    Returns
    -------
    names : list of str
        5494 names, 5163 of them different.
    sexes : list of {"male", "female"}
        The sex for each name.

    Examples
    --------
    >>> names, sexes = load_first_names()
    >>> names[:3], sexes[:3]
    (['James', 'John', 'Robert'], ['male', 'male', 'male'])
    >>> len(names), len(set(names))
    (5494, 5163)
    """
    table = files(__name__).joinpath("first_names.csv").read_text(encoding="utf-8")
    rows = list(csv.DictReader(table.splitlines()))
    return [row["name"] for row in rows], [row["sex"] for row in rows]
