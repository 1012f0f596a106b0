"""Compiled shortest paths through the texts within some edits of a text, over scores that add up over words.

The states, the edges and the proof are in `word_paths`. Tables of states have the shape (n + 1, edits + 1, rivals): position,
edits, rival. White space is the letter 32 in the texts given to these kernels, and no word contains it.
"""

from typing import NamedTuple

import numpy as np

from wideberth.array_types import Floats, Integers
from wideberth.classifiers.linear.worst_edits.tries import Trie
from wideberth.compilation import compiled
from wideberth.metrics.strings.count_kernels import Letters

#: White space of any kind.
SPACE = 32
#: More edits than anybody asks for.
_FAR = 1 << 30


class Edges(NamedTuple):
    """What can stand between two positions of a text: known words and tokens that are the beginning of one.

    Attributes
    ----------
    first : ndarray of int64, shape (n + 2,)
        The edges that start at position i are ``first[i]`` to ``first[i + 1] - 1``.
    steps : ndarray of int64, shape (edges, 3)
        Where each edge ends, how many edits it takes, and which word is written; -1 for what stands there and is no known word.
    values : ndarray of float64, shape (edges, rivals)
        What it adds to each lead, the lowest of all words that take as many edits.
    leaves, prices : ndarray of int64, shape (n + 1,)
        From where on what starts at a position is the beginning of no known word, and how many edits that takes: none, or one
        where white space has to be written over.
    """

    first: Integers
    steps: Integers
    values: Floats
    leaves: Integers
    prices: Integers


class Search(NamedTuple):
    """What a walk through the trie reads and writes; columns are letters of the text from the start of the walk on.

    Attributes
    ----------
    limits : ndarray of float64, shape (columns, edits + 1, rivals)
        Below which value a word is of use.
    reachable : ndarray of float64, of the same shape
        The largest limit from this column and this number of edits on.
    best : ndarray of float64, of the same shape
        Gets the lowest values.
    words : ndarray of int64, shape (columns, edits + 1)
        Gets a word that has the lowest value, if there is one rival.
    rows : ndarray of int64, shape (depth + 1, 2 * edits + 1)
        Distances between the beginnings of a word and of the text, in a band along the diagonal.
    nodes, lasts : ndarray of int64, shape (depth + 2,)
        Where the walk is on each level, and where the level ends.
    """

    limits: Floats
    reachable: Floats
    best: Floats
    words: Integers
    rows: Integers
    nodes: Integers
    lasts: Integers


@compiled
def lowest_below(trie: Trie, values: Floats) -> Floats:
    """The lowest value of any word that begins with each node; infinite where there is none.

    Examples
    --------
    >>> lowest_below(Trie.of(["a", "at"]), np.array([[2.0], [1.0]])).ravel()
    array([1., 1., 1.])
    """
    n_nodes, rivals = trie.words.size, values.shape[1]
    below = np.empty((n_nodes, rivals))
    for node in range(n_nodes - 1, -1, -1):
        for rival in range(rivals):
            lowest = np.inf if trie.words[node] < 0 else values[trie.words[node], rival]
            for child in range(trie.first[node], trie.first[node + 1]):
                lowest = min(lowest, below[child, rival])
            below[node, rival] = lowest
    return below


@compiled
def lowest_of_texts(
    letters: Letters, begins: Integers, ends: Integers, trie: Trie, values: Floats, below: Floats, out: Floats
) -> None:
    """The lowest sums over the words of all texts within some edits of each text.

    Parameters
    ----------
    letters : ndarray of uint32
        The code points of all texts in lower case, white space as 32.
    begins, ends : ndarray of int64, shape (n,)
        Where texts begin and end.
    trie : Trie
        The known words.
    values : ndarray of float64, shape (words, rivals)
        What each word adds to each lead.
    below : ndarray of float64
        From `lowest_below`.
    out : ndarray of float64, shape (n, edits + 1, rivals)
        Gets the sums.

    Examples
    --------
    >>> tea, values = np.array([116, 101, 97], dtype=np.uint32), np.array([[2.0], [-1.0]])
    >>> trie, out = Trie.of(["tea", "sea"]), np.empty((1, 2, 1))
    >>> lowest_of_texts(tea, np.array([0]), np.array([3]), trie, values, lowest_below(trie, values), out)
    >>> out.ravel()
    array([ 2., -1.])
    """
    for text in range(begins.size):
        letters_of_text, jump = letters[begins[text] : ends[text]], np.full(4, -1, dtype=np.int64)
        edges = short_edges(letters_of_text, trie, values, below, out.shape[1] - 1)
        tables = lowest_after(letters_of_text, edges, out.shape[1] - 1)
        for edits in range(out.shape[1]):
            for rival in range(out.shape[2]):
                out[text, edits, rival] = tables[0][0, edits, rival]
        before = lowest_before(letters_of_text, edges, out.shape[1] - 1)
        take_long_edges(letters_of_text, trie, values, below, before, tables[1], out[text], jump)


@compiled
def short_edges(letters: Letters, trie: Trie, values: Floats, below: Floats, edits: int) -> Edges:
    """All edges of which a shortest path may have several; for the others see `take_long_edges`."""
    n, rivals, filled = letters.size, values.shape[1], 0
    first, leaves, prices = np.empty(n + 2, dtype=np.int64), np.empty(n + 1, dtype=np.int64), np.empty(n + 1, dtype=np.int64)
    steps, sums = np.empty((4 * n + 64, 3), dtype=np.int64), np.empty((4 * n + 64, rivals))
    search = _new_search(n, trie.depth, edits, rivals)
    for start in range(n + 1):
        first[start] = filled
        budget = (edits - _inside(letters, start)) // 2
        columns = _n_columns(letters, start, budget, search.best.shape[0])
        needed = filled + trie.depth + columns * budget
        if needed > len(steps):
            steps, sums = _enlarged(steps, sums, filled, 2 * needed)
        filled = _add_what_stands(letters, start, trie, values, filled, steps, sums, leaves, prices)
        if budget > 0:
            _limit_short_edges(letters, start, columns, budget, edits, search)
            _walk(letters, start, columns, budget, trie, values, below, search)
            filled = _add_found(start, columns, budget, search, filled, steps, sums)
    first[n + 1] = filled
    return Edges(first, steps[:filled], sums[:filled], leaves, prices)


@compiled
def lowest_before(letters: Letters, edges: Edges, edits: int) -> Floats:
    """The lowest sum of what stands before each position where a token may start, within some edits."""
    n, rivals = letters.size, edges.values.shape[1]
    starts = np.full((n + 1, edits + 1, rivals), np.inf)
    ends = np.full((n + 1, edits + 1, rivals), np.inf)
    unknown = np.full((n + 1, edits + 1, rivals), np.inf)
    starts[0, 0, :] = 0.0
    for at in range(n + 1):
        for spent in range(edits + 1):
            _lower(ends, at, spent, unknown, at, spent)
            if spent > 0:
                _lower(ends, at, spent, ends, at, spent - 1)
                _lower(starts, at, spent, starts, at, spent - 1)
                _lower(starts, at, spent, ends, at, spent - 1)
            for edge in range(edges.first[at], edges.first[at + 1]):
                end, total = edges.steps[edge, 0], spent + edges.steps[edge, 1]
                if total <= edits:
                    for rival in range(rivals):
                        reached = starts[at, spent, rival] + edges.values[edge, rival]
                        ends[end, total, rival] = min(ends[end, total, rival], reached)
            if spent + edges.prices[at] <= edits:
                _lower(unknown, edges.leaves[at], spent + edges.prices[at], starts, at, spent)
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
def lowest_after(letters: Letters, edges: Edges, edits: int) -> tuple[Floats, Floats, Floats]:
    """The lowest sums of what stands behind each position within some edits.

    Returns
    -------
    starts, ends, unknown : ndarray of float64, shape (n + 1, edits + 1, rivals)
        Where a token may start, where one has ended, and inside of a token that is no known word.
    """
    n, rivals = letters.size, edges.values.shape[1]
    starts = np.full((n + 1, edits + 1, rivals), np.inf)
    ends = np.full((n + 1, edits + 1, rivals), np.inf)
    unknown = np.full((n + 1, edits + 1, rivals), np.inf)
    starts[n, 0, :] = 0.0
    ends[n, 0, :] = 0.0
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
            if edges.prices[at] <= left:
                _lower(starts, at, left, unknown, edges.leaves[at], left - edges.prices[at])
            for edge in range(edges.first[at], edges.first[at + 1]):
                end, still = edges.steps[edge, 0], left - edges.steps[edge, 1]
                if still >= 0:
                    for rival in range(rivals):
                        reached = edges.values[edge, rival] + ends[end, still, rival]
                        starts[at, left, rival] = min(starts[at, left, rival], reached)
    return starts, ends, unknown


@compiled
def take_long_edges(
    letters: Letters, trie: Trie, values: Floats, below: Floats, before: Floats, after: Floats, lowest: Floats, jump: Integers
) -> None:
    """Lower the sums by paths with an edge of which a path has one at most.

    Parameters
    ----------
    letters, trie, values, below
        As for `lowest_of_texts`, of one text.
    before, after : ndarray of float64, shape (n + 1, edits + 1, rivals)
        The lowest sums before each start and behind each end of a token, over short edges.
    lowest : ndarray of float64, shape (edits + 1, rivals)
        The lowest sums of paths of short edges; lowered in place.
    jump : ndarray of int64, shape (4,)
        If there is one rival: gets start, end, edits and word of the long edge on the path of the most edits, if it has one.
    """
    edits, rivals = lowest.shape[0] - 1, lowest.shape[1]
    search = _new_search(letters.size, trie.depth, edits, rivals)
    for start in range(letters.size + 1):
        inside = _inside(letters, start)
        budget = edits - inside
        columns = _n_columns(letters, start, budget, search.best.shape[0])
        if budget < 1 or not _limit_long_edges(letters, start, columns, below, before, after, lowest, search):
            continue
        _walk(letters, start, columns, budget, trie, values, below, search)
        for column in range(columns):
            for price in range(1, budget + 1):
                if search.words[column, price] >= 0:
                    for total in range(price + inside, edits + 1):
                        for spent in range(inside, total - price + 1):
                            for rival in range(rivals):
                                behind = search.best[column, price, rival] + after[start + column, total - price - spent, rival]
                                if before[start, spent, rival] + behind < lowest[total, rival]:
                                    lowest[total, rival] = before[start, spent, rival] + behind
                                    if total == edits:
                                        jump[0], jump[1], jump[2] = start, start + column, price
                                        jump[3] = search.words[column, price]


@compiled(no_cpython_wrapper=True, no_cfunc_wrapper=True)
def _limit_long_edges(
    letters: Letters, start: int, columns: int, below: Floats, before: Floats, after: Floats, lowest: Floats, search: Search
) -> bool:
    """Below which values long edges from a start shorten a path, and whether there may be words with such values."""
    edits, rivals = lowest.shape[0] - 1, lowest.shape[1]
    inside, useful = _inside(letters, start), False
    for column in range(columns):
        at_end = _before_space(letters, start + column)
        for price in range(1, edits - inside + 1):
            search.words[column, price] = -1
            for rival in range(rivals):
                search.best[column, price, rival] = np.inf
                search.limits[column, price, rival] = -np.inf
            if price + inside + at_end <= edits < 2 * price + max(inside, at_end):
                for total in range(price + inside + at_end, edits + 1):
                    for spent in range(inside, total - price - at_end + 1):
                        for rival in range(rivals):
                            others = before[start, spent, rival] + after[start + column, total - price - spent, rival]
                            limit = lowest[total, rival] - others
                            if limit > search.limits[column, price, rival]:
                                search.limits[column, price, rival] = limit
                                useful = useful or below[0, rival] < limit
    return useful


@compiled(no_cpython_wrapper=True, no_cfunc_wrapper=True)
def _limit_short_edges(letters: Letters, start: int, columns: int, budget: int, edits: int, search: Search) -> None:
    """Words of a value of 0 or more are of no use: at the same price something unknown stands there."""
    inside = _inside(letters, start)
    for column in range(columns):
        at_end = _before_space(letters, start + column)
        for price in range(1, budget + 1):
            search.words[column, price] = -1
            short = price + inside + at_end <= edits and 2 * price + max(inside, at_end) <= edits
            for rival in range(search.best.shape[2]):
                search.best[column, price, rival] = np.inf
                search.limits[column, price, rival] = 0.0 if short else -np.inf


@compiled(no_cpython_wrapper=True, no_cfunc_wrapper=True)
def _walk(
    letters: Letters, start: int, columns: int, budget: int, trie: Trie, values: Floats, below: Floats, search: Search
) -> None:
    """Walk through the trie and find the words of the lowest values within the limits, for each end and number of edits.

    Beginnings are given up if no word with them is within a limit, at any end and number of edits that can be reached.
    """
    rows, nodes, lasts, band = search.rows, search.nodes, search.lasts, 2 * budget + 1
    _find_reachable(columns, budget, search)
    for cell in range(band):
        rows[0, cell] = cell - budget if 0 <= cell - budget < columns else _FAR
    depth, nodes[1], lasts[1] = 1, trie.first[0], trie.first[1]
    while depth > 0:
        node = nodes[depth]
        if node == lasts[depth]:
            depth -= 1
            continue
        nodes[depth] += 1
        useful = False
        for cell in range(band):
            column, cost = depth - budget + cell, _FAR
            if 0 <= column < columns:
                if column > 0:
                    cost = rows[depth - 1, cell] + (0 if letters[start + column - 1] == trie.letters[node] else 1)
                    if cell > 0:
                        cost = min(cost, rows[depth, cell - 1] + 1)
                if cell + 1 < band:
                    cost = min(cost, rows[depth - 1, cell + 1] + 1)
            rows[depth, cell] = cost
            if cost <= budget and not useful:
                for rival in range(values.shape[1]):
                    useful = useful or below[node, rival] < search.reachable[column, max(cost, 1), rival]
        if useful:
            if trie.words[node] >= 0:
                _take_word(trie.words[node], depth, budget, values, search)
            if trie.first[node] < trie.first[node + 1]:
                depth += 1
                nodes[depth], lasts[depth] = trie.first[node], trie.first[node + 1]


@compiled(no_cpython_wrapper=True, no_cfunc_wrapper=True)
def _find_reachable(columns: int, budget: int, search: Search) -> None:
    """The largest limit from each column and number of edits on."""
    for column in range(columns - 1, -1, -1):
        for price in range(budget, 0, -1):
            for rival in range(search.best.shape[2]):
                largest = search.limits[column, price, rival]
                if column + 1 < columns:
                    largest = max(largest, search.reachable[column + 1, price, rival])
                if price < budget:
                    largest = max(largest, search.reachable[column, price + 1, rival])
                search.reachable[column, price, rival] = largest


@compiled(no_cpython_wrapper=True, no_cfunc_wrapper=True)
def _take_word(word: int, depth: int, budget: int, values: Floats, search: Search) -> None:
    """Enter a word at the ends and numbers of edits where its value is the lowest within the limit."""
    for cell in range(2 * budget + 1):
        column, price = depth - budget + cell, search.rows[depth, cell]
        if 1 <= price <= budget:
            for rival in range(values.shape[1]):
                value = values[word, rival]
                if value < search.limits[column, price, rival] and value < search.best[column, price, rival]:
                    search.best[column, price, rival] = value
                    search.words[column, price] = word


@compiled(no_cpython_wrapper=True, no_cfunc_wrapper=True)
def _add_what_stands(
    letters: Letters,
    start: int,
    trie: Trie,
    values: Floats,
    filled: int,
    steps: Integers,
    sums: Floats,
    leaves: Integers,
    prices: Integers,
) -> int:
    """Add what stands behind a start as long as it begins a known word; tell where it ceases to."""
    node, at = 0, start
    leaves[start], prices[start] = start, _FAR
    while at < letters.size:
        if letters[at] == SPACE:
            leaves[start], prices[start] = at + 1, 1
            break
        node = _child(trie, node, letters[at])
        at += 1
        if node < 0:
            leaves[start], prices[start] = at, 0
            break
        steps[filled, 0], steps[filled, 1], steps[filled, 2] = at, 0, trie.words[node]
        for rival in range(values.shape[1]):
            sums[filled, rival] = 0.0 if trie.words[node] < 0 else values[trie.words[node], rival]
        filled += 1
    return filled


@compiled(no_cpython_wrapper=True, no_cfunc_wrapper=True)
def _add_found(start: int, columns: int, budget: int, search: Search, filled: int, steps: Integers, sums: Floats) -> int:
    """Add what a walk has found."""
    for column in range(columns):
        for price in range(1, budget + 1):
            if search.words[column, price] >= 0:
                steps[filled, 0], steps[filled, 1], steps[filled, 2] = start + column, price, search.words[column, price]
                for rival in range(sums.shape[1]):
                    sums[filled, rival] = search.best[column, price, rival]
                filled += 1
    return filled


@compiled(no_cpython_wrapper=True, no_cfunc_wrapper=True)
def _enlarged(steps: Integers, sums: Floats, filled: int, size: int) -> tuple[Integers, Floats]:
    """The same edges, with room for more."""
    more_steps, more_sums = np.empty((size, 3), dtype=np.int64), np.empty((size, sums.shape[1]))
    for edge in range(filled):
        for place in range(3):
            more_steps[edge, place] = steps[edge, place]
        for rival in range(sums.shape[1]):
            more_sums[edge, rival] = sums[edge, rival]
    return more_steps, more_sums


@compiled(no_cpython_wrapper=True, no_cfunc_wrapper=True)
def _child(trie: Trie, node: int, letter: np.uint32) -> int:
    """The node with one letter more; -1 if no word begins like that."""
    low, high = trie.first[node], trie.first[node + 1]
    end = high
    while low < high:
        middle = (low + high) // 2
        if trie.letters[middle] < letter:
            low = middle + 1
        else:
            high = middle
    return low if low < end and trie.letters[low] == letter else -1


@compiled(no_cpython_wrapper=True, no_cfunc_wrapper=True)
def _new_search(n_letters: int, depth: int, edits: int, rivals: int) -> Search:
    """Room for walks through a trie from any start of a text."""
    columns = min(n_letters, depth + edits) + 1
    return Search(
        np.empty((columns, edits + 1, rivals)),
        np.empty((columns, edits + 1, rivals)),
        np.empty((columns, edits + 1, rivals)),
        np.empty((columns, edits + 1), dtype=np.int64),
        np.empty((depth + 1, 2 * edits + 1), dtype=np.int64),
        np.empty(depth + 2, dtype=np.int64),
        np.empty(depth + 2, dtype=np.int64),
    )


@compiled(no_cpython_wrapper=True, no_cfunc_wrapper=True)
def _n_columns(letters: Letters, start: int, budget: int, most: int) -> int:
    """How many ends an edge from a start may have, the start itself among them: white space on its way takes an edit each."""
    columns, spaces = 1, 0
    while columns < most and start + columns <= letters.size:
        spaces += letters[start + columns - 1] == SPACE
        if spaces > budget:
            break
        columns += 1
    return columns


@compiled(no_cpython_wrapper=True, no_cfunc_wrapper=True)
def _inside(letters: Letters, at: int) -> int:
    """1 where it takes an edit to let a token start, 0 where the text starts or behind white space."""
    return 0 if at == 0 or letters[at - 1] == SPACE else 1


@compiled(no_cpython_wrapper=True, no_cfunc_wrapper=True)
def _before_space(letters: Letters, at: int) -> int:
    """1 where it takes an edit to let a token end, 0 where the text ends or white space follows."""
    return 0 if at == letters.size or letters[at] == SPACE else 1


@compiled(no_cpython_wrapper=True, no_cfunc_wrapper=True)
def _lower(table: Floats, at: int, edits: int, other: Floats, other_at: int, other_edits: int) -> None:
    """Lower the sums of a state to those of another."""
    for rival in range(table.shape[2]):
        table[at, edits, rival] = min(table[at, edits, rival], other[other_at, other_edits, rival])
