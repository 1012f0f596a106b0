"""Compiled shortest paths through the texts within some edits of a text, over scores that add up
over words.

The states, the edges and the proof are in `word_paths`. Tables of states have the shape (n + 1,
edits + 1, rivals): position, edits, rival. White space is the letter 32 in the texts given to these
kernels, and no word contains it. Tries are the arrays ``nodes`` of `Trie`. Each kernel is called
from Python: what calls all others would take as long again to be compiled.
"""

from typing import Any, NamedTuple

import numpy as np

from wideberth.array_types import Floats, Integers
from wideberth.compilation import compiled
from wideberth.metrics.element_kernels import Letters

#: White space of any kind.
SPACE = 32
#: More edits than anybody asks for.
_FAR = 1 << 30
#: The columns of a trie: the letter of a node, its first child, and the word that ends there.
_LETTER, _FIRST, _WORD = 0, 1, 2
#: What a walk reads and writes: below which values words are of use, the largest of that from a
#: place on, and the lowest values.
_LIMIT, _REACHABLE, _BEST = 0, 1, 2


class Edges(NamedTuple):
    """What can stand between two positions of a text: known words and tokens that are the beginning
    of one.

    The edges that start at position i are ``first[i]`` to ``first[i + 1] - 1``. ``steps`` says
    where each ends, how many edits it takes, and which word is written, of several that take as
    many edits the last one that had the lowest value for a rival; -1 for what stands there and is
    no known word, which may end anywhere from the fourth number on. ``values`` are what it adds to
    each lead: the lowest of the words that take as many edits. ``leaves`` says from where on what
    starts at a position is the beginning of no known word, and how many edits that takes: none, or
    one where white space has to be written over.
    """

    first: Integers
    steps: Integers
    values: Floats
    leaves: Integers


@compiled
def lowest_below(nodes: Integers, values: Floats, below: Floats) -> None:
    """Find the lowest value of any word that begins with each node; infinite where there is none.

    Examples
    --------
    >>> trie = np.array([[0, 1, -1], [97, 2, 0], [116, 3, 1], [0, 3, -1]])  # a, at
    >>> lowest_below(trie, np.array([[2.0], [1.0]]), out := np.empty((3, 1)))
    >>> out.ravel()
    array([1., 1., 1.])
    """
    for node in range(below.shape[0] - 1, -1, -1):
        for rival in range(below.shape[1]):
            lowest = np.inf if nodes[node, _WORD] < 0 else values[nodes[node, _WORD], rival]
            for child in range(nodes[node, _FIRST], nodes[node + 1, _FIRST]):
                lowest = min(lowest, below[child, rival])
            below[node, rival] = lowest


@compiled
def find_edges(
    letters: Letters,
    nodes: Integers,
    depth: int,
    values: Floats,
    below: Floats,
    before: Floats,
    after: Floats,
    lowest: Floats,
) -> tuple[Integers, Integers, Floats, Integers]:
    """Find the edges of which a shortest path may have several, or those of which it has one at
    most; edges that lower no sum may be missing.

    ``letters`` are those of a text in lower case, white space as 32; ``nodes`` the trie of known
    words. For the edges of which a path has one at most, ``before`` and ``after`` are the lowest
    sums before each start and behind each end of a token over other edges; for those others they
    have no elements. ``lowest``, the lowest sums of a path so far, is lowered in place.
    """
    n, rivals, edits, long = letters.size, values.shape[1], lowest.shape[0] - 1, before.size > 0
    filled: Any = np.int64(0)  # what is called with a literal is compiled twice
    first, leaves = np.empty(n + 2, dtype=np.int64), np.empty((n + 1, 2), dtype=np.int64)
    steps, sums = np.empty((4 * n + 64, 4), dtype=np.int64), np.empty((4 * n + 64, rivals))
    found = np.empty((3, min(n, depth + edits) + 1, edits + 1, rivals))
    words = np.empty((found.shape[1], edits + 1), dtype=np.int64)
    rows = np.empty((depth + 2, 2 * edits + 3), dtype=np.int64)
    for start in range(n + 1):
        first[start] = filled
        inside = 0 if start == 0 or letters[start - 1] == SPACE else 1
        budget = edits - inside if long else (edits - inside) // 2
        columns = _n_columns(letters, start, budget, found.shape[1])
        needed = filled + depth + columns * budget
        if needed > steps.shape[0]:
            steps, sums = _enlarged(steps, sums, filled, 2 * needed)
        if not long:
            filled = _add_what_stands(letters, start, nodes, values, filled, steps, sums, leaves)
        if budget > 0 and _set_limits(
            letters, start, inside, columns, below, before, after, lowest, found, words
        ):
            _walk(letters, start, columns, budget, nodes, values, below, found, words, rows)
            filled = _add_found(start, columns, budget, found, words, filled, steps, sums)
            if long:
                _lower_sums(start, first[start], filled, before, after, steps, sums, lowest)
    first[n + 1] = filled
    return first, steps[:filled], sums[:filled], leaves


@compiled
def lowest_before(
    letters: Letters, first: Integers, steps: Integers, values: Floats, leaves: Integers, edits: int
) -> Floats:
    """The lowest sum of what stands before each position where a token may start, within some
    edits.
    """
    n, rivals = letters.size, values.shape[1]
    starts = np.full((n + 1, edits + 1, rivals), np.inf)
    ends = np.full((n + 1, edits + 1, rivals), np.inf)
    unknown = np.full((n + 1, edits + 1, rivals), np.inf)
    for rival in range(rivals):
        starts[0, 0, rival] = 0.0
    for at in range(n + 1):
        for spent in range(edits + 1):
            _lower(ends, at, spent, unknown, at, spent)
            if spent > 0:
                _lower(ends, at, spent, ends, at, spent - 1)
                _lower(starts, at, spent, starts, at, spent - 1)
                _lower(starts, at, spent, ends, at, spent - 1)
            for edge in range(first[at], first[at + 1]):
                total = spent + steps[edge, 1]
                for end in range(steps[edge, 3], steps[edge, 0] + 1 if total <= edits else 0):
                    for rival in range(rivals):
                        reached = starts[at, spent, rival] + values[edge, rival]
                        ends[end, total, rival] = min(ends[end, total, rival], reached)
            if spent + leaves[at, 1] <= edits:
                _lower(unknown, leaves[at, 0], spent + leaves[at, 1], starts, at, spent)
            if at < n:
                over, under = (spent, spent + 1) if letters[at] == SPACE else (spent + 1, spent)
                if spent < edits:
                    _lower(unknown, at + 1, spent + 1, starts, at, spent)
                if under <= edits:
                    _lower(unknown, at + 1, under, unknown, at, spent)
                if over <= edits:
                    _lower(starts, at + 1, over, starts, at, spent)
                    _lower(starts, at + 1, over, ends, at, spent)
    return starts


@compiled
def lowest_after(
    letters: Letters, first: Integers, steps: Integers, values: Floats, leaves: Integers, edits: int
) -> tuple[Floats, Floats, Floats]:
    """The lowest sums of what stands behind each position within some edits: where a token may
    start, where one has ended, and inside of a token that is no known word, each of shape (n + 1,
    edits + 1, rivals).
    """
    n, rivals = letters.size, values.shape[1]
    starts = np.full((n + 1, edits + 1, rivals), np.inf)
    ends = np.full((n + 1, edits + 1, rivals), np.inf)
    unknown = np.full((n + 1, edits + 1, rivals), np.inf)
    for rival in range(rivals):
        starts[n, 0, rival] = ends[n, 0, rival] = 0.0
    for at in range(n, -1, -1):
        for left in range(edits + 1):
            if left > 0:
                _lower(starts, at, left, starts, at, left - 1)
                _lower(ends, at, left, ends, at, left - 1)
                _lower(ends, at, left, starts, at, left - 1)
            if at < n:
                over, under = (left, left - 1) if letters[at] == SPACE else (left - 1, left)
                if over >= 0:
                    _lower(ends, at, left, starts, at + 1, over)
                    _lower(starts, at, left, starts, at + 1, over)
                if under >= 0:
                    _lower(unknown, at, left, unknown, at + 1, under)
                if left > 0:
                    _lower(starts, at, left, unknown, at + 1, left - 1)
            _lower(unknown, at, left, ends, at, left)
            if leaves[at, 1] <= left:
                _lower(starts, at, left, unknown, leaves[at, 0], left - leaves[at, 1])
            for edge in range(first[at], first[at + 1]):
                still = left - steps[edge, 1]
                for end in range(steps[edge, 3], steps[edge, 0] + 1 if still >= 0 else 0):
                    for rival in range(rivals):
                        reached = values[edge, rival] + ends[end, still, rival]
                        starts[at, left, rival] = min(starts[at, left, rival], reached)
    return starts, ends, unknown


@compiled
def _set_limits(
    letters: Letters,
    start: int,
    inside: int,
    columns: int,
    below: Floats,
    before: Floats,
    after: Floats,
    lowest: Floats,
    found: Floats,
    words: Integers,
) -> bool:
    """Set below which values words are of use, for each end and number of edits, and tell whether
    there may be such words.

    Short edges: below 0, for at the same price something unknown stands there. Long ones: if the
    path is then the shortest.
    """
    edits, rivals, long, useful = lowest.shape[0] - 1, lowest.shape[1], before.size > 0, False
    for column in range(columns):
        end = start + column
        cut = 0 if end == letters.size or letters[end] == SPACE else 1
        for price in range(1, edits - inside + 1):
            words[column, price] = -1
            for rival in range(rivals):
                found[_BEST, column, price, rival] = np.inf
                found[_LIMIT, column, price, rival] = -np.inf
            if price + inside + cut <= edits and (2 * price + max(inside, cut) > edits) == long:
                for rival in range(rivals):
                    limit = -np.inf if long else 0.0
                    if long:
                        for total in range(price + inside + cut, edits + 1):
                            for spent in range(inside, total - price - cut + 1):
                                others = (
                                    before[start, spent, rival]
                                    + after[end, total - price - spent, rival]
                                )
                                limit = max(limit, lowest[total, rival] - others)
                    found[_LIMIT, column, price, rival] = limit
                    useful = useful or below[0, rival] < limit
    return useful


@compiled
def _lower_sums(
    start: int,
    first: int,
    last: int,
    before: Floats,
    after: Floats,
    steps: Integers,
    sums: Floats,
    lowest: Floats,
) -> None:
    """Lower the sums by paths through new edges from a start."""
    for edge in range(first, last):
        end, price = steps[edge, 0], steps[edge, 1]
        for total in range(price, lowest.shape[0]):
            for spent in range(total - price + 1):
                for rival in range(lowest.shape[1]):
                    length = before[start, spent, rival] + (
                        sums[edge, rival] + after[end, total - price - spent, rival]
                    )
                    lowest[total, rival] = min(lowest[total, rival], length)


@compiled
def _walk(
    letters: Letters,
    start: int,
    columns: int,
    budget: int,
    nodes: Integers,
    values: Floats,
    below: Floats,
    found: Floats,
    words: Integers,
    rows: Integers,
) -> None:
    """Walk through the trie and find the words of the lowest values within the limits, for each end
    and number of edits.

    Beginnings are given up if no word with them is within a limit, at any end and number of edits
    that can be reached. Rows hold the distances between a beginning and those of the text, in a
    band along the diagonal, then the next node and the last.
    """
    band, following, last = 2 * budget + 1, rows.shape[1] - 2, rows.shape[1] - 1
    depth: Any = np.int64(1)
    _find_reachable(columns, budget, found)
    for cell in range(band):
        rows[0, cell] = cell - budget if 0 <= cell - budget < columns else _FAR
    rows[1, following], rows[1, last] = nodes[0, _FIRST], nodes[1, _FIRST]
    while depth > 0:
        node = rows[depth, following]
        if node == rows[depth, last]:
            depth -= 1
            continue
        rows[depth, following] += 1
        useful = False
        for cell in range(band):
            column, cost = depth - budget + cell, _FAR
            if 0 <= column < columns:
                if column > 0:
                    cost = rows[depth - 1, cell] + (
                        0 if letters[start + column - 1] == nodes[node, _LETTER] else 1
                    )
                    if cell > 0:
                        cost = min(cost, rows[depth, cell - 1] + 1)
                if cell + 1 < band:
                    cost = min(cost, rows[depth - 1, cell + 1] + 1)
            rows[depth, cell] = cost
            if cost <= budget and not useful:
                for rival in range(values.shape[1]):
                    useful = (
                        useful
                        or below[node, rival] < found[_REACHABLE, column, max(cost, 1), rival]
                    )
        if useful:
            if nodes[node, _WORD] >= 0:
                _take_word(nodes[node, _WORD], depth, budget, values, found, words, rows)
            if nodes[node, _FIRST] < nodes[node + 1, _FIRST]:
                depth += 1
                rows[depth, following], rows[depth, last] = (
                    nodes[node, _FIRST],
                    nodes[node + 1, _FIRST],
                )


@compiled
def _find_reachable(columns: int, budget: int, found: Floats) -> None:
    """The largest limit from each column and number of edits on."""
    for column in range(columns - 1, -1, -1):
        for price in range(budget, 0, -1):
            for rival in range(found.shape[3]):
                largest = found[_LIMIT, column, price, rival]
                if column + 1 < columns:
                    largest = max(largest, found[_REACHABLE, column + 1, price, rival])
                if price < budget:
                    largest = max(largest, found[_REACHABLE, column, price + 1, rival])
                found[_REACHABLE, column, price, rival] = largest


@compiled
def _take_word(
    word: int,
    depth: int,
    budget: int,
    values: Floats,
    found: Floats,
    words: Integers,
    rows: Integers,
) -> None:
    """Enter a word at the ends and numbers of edits where its value is the lowest within the
    limit.
    """
    for cell in range(2 * budget + 1):
        column, price = depth - budget + cell, rows[depth, cell]
        if 1 <= price <= budget:
            for rival in range(values.shape[1]):
                value = values[word, rival]
                if (
                    value < found[_LIMIT, column, price, rival]
                    and value < found[_BEST, column, price, rival]
                ):
                    found[_BEST, column, price, rival] = value
                    words[column, price] = word


@compiled
def _add_what_stands(
    letters: Letters,
    start: int,
    nodes: Integers,
    values: Floats,
    filled: int,
    steps: Integers,
    sums: Floats,
    leaves: Integers,
) -> int:
    """Add what stands behind a start as long as it begins a known word; tell where it ceases to."""
    at, begin = start, filled
    node: Any = np.int64(0)
    leaves[start, 0], leaves[start, 1] = start, _FAR
    while at < letters.size:
        if letters[at] == SPACE:
            leaves[start, 0], leaves[start, 1] = at + 1, 1
            break
        node = _child(nodes, node, letters[at])
        at += 1
        if node < 0:
            leaves[start, 0], leaves[start, 1] = at, 0
            break
        word = nodes[node, _WORD]
        if word >= 0 or filled == begin or steps[filled - 1, 2] >= 0:
            steps[filled, 1], steps[filled, 2], steps[filled, 3] = 0, word, at
            for rival in range(values.shape[1]):
                sums[filled, rival] = 0.0 if word < 0 else values[word, rival]
            filled += 1
        steps[filled - 1, 0] = at
    return filled


@compiled
def _add_found(
    start: int,
    columns: int,
    budget: int,
    found: Floats,
    words: Integers,
    filled: int,
    steps: Integers,
    sums: Floats,
) -> int:
    """Add what a walk has found."""
    for column in range(columns):
        for price in range(1, budget + 1):
            if words[column, price] >= 0:
                steps[filled, 0], steps[filled, 1], steps[filled, 2] = (
                    start + column,
                    price,
                    words[column, price],
                )
                steps[filled, 3] = start + column
                for rival in range(sums.shape[1]):
                    sums[filled, rival] = found[_BEST, column, price, rival]
                filled += 1
    return filled


@compiled
def _enlarged(steps: Integers, sums: Floats, filled: int, size: int) -> tuple[Integers, Floats]:
    """The same edges, with room for more."""
    more_steps, more_sums = np.empty((size, 4), dtype=np.int64), np.empty((size, sums.shape[1]))
    for edge in range(filled):
        for place in range(4):
            more_steps[edge, place] = steps[edge, place]
        for rival in range(sums.shape[1]):
            more_sums[edge, rival] = sums[edge, rival]
    return more_steps, more_sums


@compiled
def _child(nodes: Integers, node: int, letter: np.uint32) -> int:
    """The node with one letter more; -1 if no word begins like that."""
    low, high = nodes[node, _FIRST], nodes[node + 1, _FIRST]
    end = high
    while low < high:
        middle = (low + high) // 2
        if nodes[middle, _LETTER] < letter:
            low = middle + 1
        else:
            high = middle
    return low if low < end and nodes[low, _LETTER] == letter else -1


@compiled
def _n_columns(letters: Letters, start: int, budget: int, most: int) -> int:
    """How many ends an edge from a start may have, the start itself among them: white space on its
    way takes an edit each.
    """
    columns, spaces = 1, 0
    while columns < most and start + columns <= letters.size:
        spaces += letters[start + columns - 1] == SPACE
        if spaces > budget:
            break
        columns += 1
    return columns


@compiled
def _lower(
    table: Floats, at: int, edits: int, other: Floats, other_at: int, other_edits: int
) -> None:
    """Lower the sums of a state to those of another."""
    for rival in range(table.shape[2]):
        table[at, edits, rival] = min(table[at, edits, rival], other[other_at, other_edits, rival])
