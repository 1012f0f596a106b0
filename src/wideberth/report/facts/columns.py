"""The columns of a table: what each holds, how its values are spread, and how much it matters to the
answers.
"""

from collections import Counter
from typing import Any

import numpy as np

from wideberth.array_types import Objects
from wideberth.estimators.model_facts import counted
from wideberth.metrics.tables.cells import ShownTable, cell_text
from wideberth.metrics.tables.mixed_rows import as_numbers, read_table
from wideberth.objects import sample
from wideberth.report.facts.errors import Unseen
from wideberth.report.facts.given import SECONDS, GivenObjects, distances_an_answer, stratified
from wideberth.safe_text import safe_name

#: How many of the most frequent values are listed, how many are drawn, and bars of a histogram.
_FREQUENT, _DRAWN, _BINS = 5, 12, 24
#: How many of a column of numbers, whose range says more.
_FREQUENT_NUMBERS = 3
#: On how many rows, and how often on each, a column is exchanged; with fewer rows nothing is said.
_ROWS, _REPEATS, _FEWEST = 300, 5, 20


def column_facts(
    given: GivenObjects, unseen: Unseen | None, *, show_objects: bool
) -> dict[str, Any] | None:
    """For each column of a table its name, kind, missing values and spread, and how much it
    matters; None if the objects are no rows.

    ``names``, ``columns`` (with ``kind``, ``missing``, ``distinct``, ``drawing``; where objects
    may be shown ``range`` and ``frequent``), ``n``; ``matters`` with ``more`` (how many more
    answers are wrong, a share) and ``noise`` (two standard errors) for each column, or a
    ``reason``.
    """
    table = given.table
    if table is None:
        return None
    described = [_described(table, place, show_objects) for place in range(len(table.keys))]
    return {
        "names": [safe_name(name) for name in table.names],
        "columns": described,
        "n": len(table),
        "matters": _matters(given, table, unseen),
    }


def _described(table: ShownTable, place: int, show_objects: bool) -> dict[str, Any]:
    """One column, by all of its values."""
    kind, values = table.kinds[place], table.values[place]
    known = [value for value in values if value is not None]
    texts = Counter(cell_text(value, kind) for value in known)
    frequent = sorted(texts.items(), key=lambda item: (-item[1], item[0]))
    found: dict[str, Any] = {
        "kind": kind,
        "missing": len(values) - len(known),
        "distinct": len(texts),
    }
    if kind in ("categories", "truth values"):
        rest = sum(count for _, count in frequent[_DRAWN:])
        counts = [count for _, count in frequent[:_DRAWN]] + ([rest] if rest else [])
        extent = None
    else:
        numbers = np.asarray(as_numbers(known), dtype=np.float64)
        counts = _histogram(numbers)
        extent = [cell_text(value, kind) for value in np.quantile(numbers, [0, 0.5, 1]).tolist()]
    alt = f"distribution of {counted(len(texts), 'different value', 'different values')}"
    found["drawing"] = {"type": "bars", "values": counts, "alt": alt}
    if show_objects:
        most = _FREQUENT if extent is None else _FREQUENT_NUMBERS
        repeated = frequent if extent is None or frequent[0][1] > 1 else []
        found |= {"range": extent, "frequent": [[*each] for each in repeated[:most]]}
    return found


def _histogram(numbers: Any) -> list[int]:
    """Counts in bins of equal width; of numbers too large for a range, in parts of the largest."""
    scale = np.max(np.abs(numbers)) or 1.0
    different = len(np.unique(numbers))
    bins = min(_BINS, max(2, different))
    return [int(count) for count in np.histogram(numbers / scale, bins=bins)[0]]


def _matters(given: GivenObjects, table: ShownTable, unseen: Unseen | None) -> dict[str, Any]:
    r"""How many more answers are wrong when the values of a column are exchanged among rows that
    the model has not seen.

    Each row counts by the mean over the repeats of what it loses, :math:`\delta_i`; the noise is
    two standard errors of the mean of :math:`\delta_i` over the rows.
    """
    if unseen is None:
        return {"reason": "No model has answered for rows that it has not seen."}
    answers = given.affordable(distances_an_answer(unseen.model), SECONDS / 4)
    each = answers // max(1, len(table.keys))  # answers for one column
    most = min(_ROWS, len(unseen.places), each)
    if most < min(_FEWEST, len(unseen.places)):
        return {"reason": "Exchanging columns would take too long under this distance."}
    chosen = stratified(np.unique(unseen.labels, return_inverse=True)[1], most)
    repeats = max(1, min(_REPEATS, each // len(chosen)))
    objects = sample.pick(sample.hold(unseen.objects), chosen)
    labels = unseen.labels[chosen]
    wrong = np.asarray(unseen.model.predict(objects) != labels, dtype=np.float64)
    chance = np.random.default_rng(0)
    orders = np.concatenate([chance.permutation(len(chosen)) for _ in range(repeats)])
    more, noise = [], []
    for key in table.keys:
        told = unseen.model.predict(exchanged(objects, key, orders)).reshape(repeats, -1)
        lost = (told != labels).mean(axis=0) - wrong
        more.append(float(lost.mean()))
        noise.append(2.0 * float(lost.std(ddof=1)) / len(lost) ** 0.5 if len(lost) > 1 else None)
    return {
        "more": more,
        "noise": noise,
        "rows": len(chosen),
        "repeats": repeats,
        "error": float(wrong.mean()),
    }


def exchanged(objects: Objects, key: Any, orders: Any) -> Objects:
    """Rows with the values of one column taken from others: row i, repeated as long as there are
    ``orders``, gets that of row ``orders[i]``.

    Examples
    --------
    >>> exchanged(np.array([[1.0, 2.0], [3.0, 4.0]]), 1, np.array([1, 0])).tolist()
    [[1.0, 4.0], [3.0, 2.0]]
    >>> exchanged([{"age": 3, "city": "Ulm"}, {"age": 5, "city": "Bonn"}], "age", np.array([1, 0]))
    [{'age': 5, 'city': 'Ulm'}, {'age': 3, 'city': 'Bonn'}]
    """
    n = sample.count(objects)
    if isinstance(objects, np.ndarray) and objects.ndim == 2:
        moved = objects[np.arange(len(orders)) % n].copy()
        moved[:, key] = objects[orders, key]
        return moved
    table = read_table(objects)
    columns = {name: list(table.column(name)) for name in table.names}
    rows = []
    for place, other in enumerate(orders.tolist()):
        row = {name: values[place % n] for name, values in columns.items()}
        row[key] = columns[key][other]
        rows.append(row if table.named else tuple(row.values()))
    return rows
