"""The forest straight from its definition: a tree grown node by node, and the leaf of one row."""

from typing import Any

import numpy as np

PRIME, FACTOR = 2**31 - 1, 48271


class Lehmer:
    """Numbers from 1 to PRIME - 1, one after another."""

    def __init__(self, seed: int) -> None:
        self.state = seed

    def __call__(self) -> int:
        self.state = self.state * FACTOR % PRIME
        return self.state


def grow(
    ranks: np.ndarray, codes: np.ndarray, weights: np.ndarray, n_tried: int, least: int, seed: int
) -> list[dict[str, Any]]:
    """The nodes of a tree, level by level; ranks of shape (columns, rows), -1 for a missing one."""
    draw, columns = Lehmer(seed), list(range(len(ranks)))
    members, nodes = [np.arange(ranks.shape[1])], []
    for rows in members:
        split = best_split(ranks, codes, weights, rows, n_tried, least, draw, columns)
        nodes.append(split)
        if split is not None:
            goes = np.array([left(split, ranks[split["column"], row]) for row in rows])
            split["children"] = len(members), len(members) + 1
            members += [rows[goes], rows[~goes]]
    return nodes


def left(split: dict[str, Any], rank: int) -> bool:
    return split["missing left"] if rank < 0 else rank <= split["cut"]


def best_split(ranks, codes, weights, rows, n_tried, least, draw, columns) -> Any:
    if len(rows) < 2 * least or (codes.any() and len(set(codes[rows])) < 2):
        return None
    found, tried = [], 0
    for drawn in range(len(columns)):
        if tried == n_tried:
            break
        other = drawn + draw() % (len(columns) - drawn)
        columns[drawn], columns[other] = columns[other], columns[drawn]
        here = ranks[columns[drawn], rows]
        known = here[here >= 0]
        missing = len(known) < len(here)
        choices = np.ptp(known) + missing if len(known) else 0
        if choices < 1:
            continue
        tried += 1
        place = draw() / PRIME * choices
        cut = known.min() + int(place)
        split = {"column": columns[drawn], "cut": cut, "share": place - int(place)}
        split["missing left"] = bool(draw() % 2 == 0 and missing and cut < known.max())
        goes = np.array([left(split, rank) for rank in here])
        if not missing:
            split["missing left"] = bool(2 * goes.sum() > len(rows))
        if min(goes.sum(), (~goes).sum()) >= least:
            purity = sum(
                np.bincount(codes[side], weights[side])
                @ np.bincount(codes[side], weights[side])
                / weights[side].sum()
                for side in (rows[goes], rows[~goes])
            )
            found.append((purity, split))
    return max(found, key=lambda each: each[0])[1] if found else None


def leaf(trees: dict[str, Any], tree: int, values: Any) -> int:
    """The node in which a row of values, None for missing ones, ends in a tree of the metric."""
    root = node = int(trees["starts"][tree])
    while (column := trees["columns"][node]) >= 0:
        value = values[column]
        goes = trees["missing_left"][node] if value is None else value <= trees["thresholds"][node]
        node = root + int(trees["children"][node, 0 if goes else 1])
    return node
