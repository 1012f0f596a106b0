"""Compiled search among short strings: bounds from signatures first, edits only where a bound
leaves a string in question.

Strings are sorted by (length, class, signature). Those of one length are a *shelf*, which is
skipped as a whole if its length alone is too far from that of a query. A shelf is cut into *strips*
of similar signatures. The bits that all signatures of a strip have, and those that one of them has,
bound the edits to every string of it, so that most strips are skipped as a whole too.
"""

from typing import NamedTuple

import numpy as np

from wideberth.array_types import Flags, Floats, Indices
from wideberth.compilation import compiled
from wideberth.geometry.search.heap_kernels import precedes, sink, sort_heap
from wideberth.metrics.strings.kernels import (
    SUM,
    Bounds,
    Letters,
    Word,
    Words,
    as_distance,
    bound_edits,
    clear_pattern,
    count_edits,
    count_unshared,
    ones,
    set_pattern,
)

#: Most strings of a strip: if their least bound is too large, they are not looked at one by one.
STRIP = 64
#: The largest bound of edits that is told from larger ones.
MOST_EDITS = 255
#: Places in the tally of a desk.
_MEASURED, _BOUNDED = 0, 1


class SpelledStrings(NamedTuple):
    """Strings by their signatures and letters; letters of queries are numbered as those on the
    shelves, -1 for others.
    """

    #: Their lengths, shape (n,).
    sizes: Indices
    #: Their signatures, shape (2, n).
    signatures: Words
    #: Their letters, one string after the other.
    letters: Letters
    #: Where the letters of each string start, shape (n + 1,).
    letter_starts: Indices


class Shelves(NamedTuple):
    """Strings sorted by (length, class, signature), where small classes count as one."""

    #: The strings in this order.
    strings: SpelledStrings
    #: Their indices, shape (n,).
    order: Indices
    #: Where each strip starts: at most `STRIP` strings of one length, shape (strips + 1,).
    strips: Indices
    #: The first strip of each shelf, shape (shelves + 1,).
    shelves: Indices
    #: The length of the strings of each shelf, shape (shelves,).
    shelf_sizes: Indices
    #: The class of all strings of a strip; -1 if they may have different ones, shape (strips,).
    strip_codes: Indices
    #: ``common``, ``union``: the bits that all signatures of a strip have, and those that at least
    #: one has, shape (2, strips).
    common: Words
    union: Words
    #: How many different letters there are.
    n_letters: int


class Terms(NamedTuple):
    """What counts as found, for all queries."""

    #: ``codes``, ``alive``: the class of each string, by index, and whether it can be found, shape
    #: (n,).
    codes: Indices
    alive: Flags
    #: Beyond the k-th best distance found nothing matters; 0 for no such limit.
    k: int
    #: Whether all strings as far as the k-th best matter, or only k of them, those of smaller
    #: index.
    ties: bool
    #: 1 + eta, by which bounds are multiplied.
    stretch: float
    #: ``rule``, ``form``: how signatures bound edits, and what edits are turned into.
    rule: int
    form: int


class _Query(NamedTuple):
    """A query: the two words of its signature, its length, and the class whose strings do not
    count.
    """

    first: Word
    second: Word
    size: int
    excluded: int


class _Reach(NamedTuple):
    """How far a string may be to matter: by (distance, index), up to this one."""

    limit: float
    last: int


class _Desk(NamedTuple):
    """What the search for one query works on; the arrays are used again for the next one."""

    #: Where each letter stands in the query, shape (letters,).
    positions: Words
    #: The shelves whose strips are bounded as wholes, shape (shelves,).
    opened: Flags
    #: The strips of opened shelves whose strings are bounded one by one, shape (strips,).
    bounded: Flags
    #: The least bound of the strings of a strip that were not taken yet, or a bound of it, shape
    #: (strips,).
    least: Bounds
    #: The bounds of the strings of bounded strips, shape (n,).
    bounds: Bounds
    #: ``best``, ``best_indices``: the heap of the k best strings so far, shape (k,).
    best: Floats
    best_indices: Indices
    #: ``near``, ``near_indices``: the strings found, shape (n,).
    near: Floats
    near_indices: Indices
    #: The places of the strings whose bound is the present number of edits, shape (n,).
    due: Indices
    #: How many distances and how many bounds were computed so far, for all queries, shape (2,).
    tally: Indices


@compiled
def search_shelves(
    shelves: Shelves, queries: SpelledStrings, excluded: Indices, limits: Floats, terms: Terms
) -> tuple[Indices, Indices, Floats, int, int]:
    """Find the strings that matter to each query, and maybe more; return them and how much was
    computed.

    Strings are taken by increasing bounds, so that few are measured before the k-th best distance
    is known.

    Queries have at most `LONGEST` letters. Returns rows, indices and distances of the pairs of a
    query and a string within its limits (those that had mattered only at first are among them if
    ``ties``), and how many distances and how many bounds were computed.
    """
    desk = _empty_desk(shelves, terms.k)
    rows = np.empty(64, dtype=np.intp)
    indices = np.empty(64, dtype=np.intp)
    distances = np.empty(64)
    stop = 0
    for row in range(excluded.size):
        query = _Query(
            queries.signatures[0, row],
            queries.signatures[1, row],
            queries.sizes[row],
            excluded[row],
        )
        letters_start, letters_stop = queries.letter_starts[row], queries.letter_starts[row + 1]
        set_pattern(queries.letters, letters_start, letters_stop, desk.positions)
        found = _search_one(shelves, query, limits[row], terms, desk)
        clear_pattern(queries.letters, letters_start, letters_stop, desk.positions)
        start, stop = stop, stop + found
        while stop > rows.size:
            rows, indices, distances = _doubled(rows, indices, distances)
        for place in range(found):
            rows[start + place] = row
            indices[start + place] = desk.near_indices[place]
            distances[start + place] = desk.near[place]
    return (
        rows[:stop],
        indices[:stop],
        distances[:stop],
        desk.tally[_MEASURED],
        desk.tally[_BOUNDED],
    )


@compiled
def _empty_desk(shelves: Shelves, k: int) -> _Desk:
    n, n_strips = shelves.order.size, shelves.strips.size - 1
    return _Desk(
        np.zeros(max(1, shelves.n_letters), dtype=np.uint64),
        np.zeros(shelves.shelves.size - 1, dtype=np.bool_),
        np.zeros(n_strips, dtype=np.bool_),
        np.empty(n_strips, dtype=np.uint8),
        np.empty(n, dtype=np.uint8),
        np.empty(k),
        np.empty(k, dtype=np.intp),
        np.empty(n),
        np.empty(n, dtype=np.intp),
        np.empty(n, dtype=np.intp),
        np.zeros(2, dtype=np.intp),
    )


@compiled
def _search_one(shelves: Shelves, query: _Query, limit: float, terms: Terms, desk: _Desk) -> int:
    """Take strings by increasing bounds until none can matter; return how many are found, on the
    desk.
    """
    n = shelves.order.size
    desk.opened[:], desk.best[:], desk.best_indices[:] = False, np.inf, n
    reach, found, left, active, edits = _Reach(limit, n), 0, n, True, 0
    while active and left and edits <= MOST_EDITS:
        active, n_due = _find_due(shelves, query, edits, reach.limit, terms, desk)
        reach, found = _measure_due(shelves, n_due, query, edits, reach, found, terms, desk)
        left -= n_due
        edits += 1
    if terms.ties or terms.k == 0:
        return found
    return _lay_out_best(desk.best, desk.best_indices, n, desk.near, desk.near_indices)


@compiled
def _find_due(
    shelves: Shelves, query: _Query, edits: int, limit: float, terms: Terms, desk: _Desk
) -> tuple[bool, int]:
    """Find the strings whose bound is this number of edits; return whether any shelf is within the
    limit, and their number.
    """
    level, active, n_due = np.uint8(edits), False, 0
    # arrays get names before loops: numba counts references at each use of a tuple of them, which
    # would take longer
    sizes, firsts, strips = shelves.shelf_sizes, shelves.shelves, shelves.strips
    codes, words = shelves.strip_codes, shelves.strings.signatures
    opened = desk.opened
    bounded = desk.bounded
    least = desk.least
    bounds = desk.bounds
    due = desk.due
    for shelf in range(sizes.size):
        apart = abs(sizes[shelf] - query.size)
        if (
            terms.stretch * as_distance(max(edits, apart), query.size + sizes[shelf], terms.form)
            > limit
        ):
            continue
        active = True
        if edits < min(apart, MOST_EDITS):
            continue
        if not opened[shelf]:
            _open_shelf(shelves, shelf, query, terms.rule, desk)
        for strip in range(firsts[shelf], firsts[shelf + 1]):
            if least[strip] != level or codes[strip] == query.excluded >= 0:
                continue
            start, stop = strips[strip], strips[strip + 1]
            if not bounded[strip]:
                least[strip], bounded[strip] = (
                    _bound_strip(words, start, stop, query, apart, terms.rule, bounds),
                    True,
                )
                desk.tally[_BOUNDED] += stop - start
            if least[strip] == level:
                n_due = _append_due(bounds[start:stop], level, start, due, n_due)
                least[strip] = _next_level(bounds[start:stop], level)
    return active, n_due


@compiled
def _append_due(bounds: Bounds, level: Word, start: int, due: Indices, n_due: int) -> int:
    """Append the places, from ``start`` on, of the bounds that equal ``level``; return how many are
    due then.
    """
    for offset in range(bounds.size):
        if bounds[offset] == level:
            due[n_due] = start + offset
            n_due += 1
    return n_due


@compiled
def _measure_due(
    shelves: Shelves,
    n_due: int,
    query: _Query,
    edits: int,
    reach: _Reach,
    found: int,
    terms: Terms,
    desk: _Desk,
) -> tuple[_Reach, int]:
    """Measure the strings that are due and within reach, and keep those that matter; return the
    reach and their number then.
    """
    order = shelves.order
    codes = terms.codes
    alive = terms.alive
    positions = desk.positions
    due = desk.due
    sizes = shelves.strings.sizes
    letters = shelves.strings.letters
    letter_starts = shelves.strings.letter_starts
    near = desk.near
    near_indices = desk.near_indices
    best = desk.best
    best_indices = desk.best_indices
    keeps_all, measured = terms.ties or terms.k == 0, 0
    for place in due[:n_due]:
        index, both_sizes = order[place], query.size + sizes[place]
        bound = terms.stretch * as_distance(edits, both_sizes, terms.form)
        if (
            not alive[index]
            or codes[index] == query.excluded
            or precedes(reach.limit, reach.last, bound, index)
        ):
            continue
        measured += 1
        start, stop = letter_starts[place], letter_starts[place + 1]
        distance = as_distance(
            _count(positions, query.size, letters, start, stop, terms.rule), both_sizes, terms.form
        )
        if precedes(reach.limit, reach.last, distance, index):
            continue
        if keeps_all:
            near[found], near_indices[found] = distance, index
            found += 1
        if terms.k and precedes(distance, index, best[0], best_indices[0]):
            reach = _improve(best, best_indices, distance, index, reach, terms.ties)
    desk.tally[_MEASURED] += measured
    return reach, found


@compiled
def _count(positions: Words, size: int, letters: Letters, start: int, stop: int, rule: int) -> int:
    """Count the edits between a pattern and a string, of the kind that a rule bounds."""
    if rule == SUM:
        return count_unshared(positions, size, letters, start, stop)
    return count_edits(positions, size, letters, start, stop)


@compiled
def _improve(
    best: Floats, best_indices: Indices, distance: float, index: int, reach: _Reach, ties: bool
) -> _Reach:
    """Replace the last of the k best strings; return the reach then."""
    best[0], best_indices[0] = distance, index
    sink(best, best_indices, 0, best.size)
    if best[0] <= reach.limit:
        return _Reach(best[0], reach.last if ties else best_indices[0])
    return reach


@compiled
def _lay_out_best(
    best: Floats, best_indices: Indices, n: int, near: Floats, near_indices: Indices
) -> int:
    """Sort the best strings and put them where those found are; return how many there are."""
    sort_heap(best, best_indices, best.size)
    found = 0
    while found < best.size and best_indices[found] < n:
        near[found], near_indices[found] = best[found], best_indices[found]
        found += 1
    return found


@compiled
def _open_shelf(shelves: Shelves, shelf: int, query: _Query, rule: int, desk: _Desk) -> None:
    """Bound the edits between a query and all strings of each strip of a shelf."""
    start: int = shelves.shelves[shelf]
    stop: int = shelves.shelves[shelf + 1]
    first, second = query.first, query.second
    apart = np.uint64(min(abs(shelves.shelf_sizes[shelf] - query.size), MOST_EDITS))
    common = shelves.common[:, start:stop]
    union = shelves.union[:, start:stop]
    of_shelf = desk.least[start:stop]
    for strip in range(of_shelf.size):
        surplus = ones(first & ~union[0, strip]) + ones(second & ~union[1, strip])
        deficit = ones(common[0, strip] & ~first) + ones(common[1, strip] & ~second)
        of_shelf[strip] = max(surplus + deficit if rule == SUM else max(surplus, deficit), apart)
    desk.opened[shelf], desk.bounded[start:stop] = True, False
    desk.tally[_BOUNDED] += stop - start


@compiled
def _bound_strip(
    words: Words, start: int, stop: int, query: _Query, apart: int, rule: int, bounds: Bounds
) -> Word:
    """Bound the edits between a query and each string of a strip; return the least bound, a
    uint8.
    """
    of_strip, least_apart = bounds[start:stop], np.uint64(min(apart, MOST_EDITS))
    bound_edits(
        query.first,
        query.second,
        words[0, start:stop],
        words[1, start:stop],
        least_apart,
        rule,
        of_strip,
    )
    return _minimum(of_strip)


@compiled
def _minimum(bounds: Bounds) -> Word:
    smallest = np.uint8(255)
    for place in range(bounds.size):
        smallest = min(smallest, bounds[place])
    return smallest


@compiled
def _next_level(bounds: Bounds, level: Word) -> Word:
    """Return the least of the bounds above ``level``, a uint8; 255 if there is none."""
    smallest = np.uint8(255)
    for place in range(bounds.size):
        smallest = min(smallest, bounds[place] if bounds[place] > level else np.uint8(255))
    return smallest


@compiled
def _doubled(rows: Indices, indices: Indices, distances: Floats) -> tuple[Indices, Indices, Floats]:
    """Copy three arrays of one length into arrays twice as long."""
    size = rows.size
    more_rows = np.empty(2 * size, np.intp)
    more_indices = np.empty(2 * size, np.intp)
    more_distances = np.empty(2 * size)
    for place in range(size):
        more_rows[place] = rows[place]
        more_indices[place] = indices[place]
        more_distances[place] = distances[place]
    return more_rows, more_indices, more_distances


# ---- Least sums of an offset and a multiple of the distance


class Offers(NamedTuple):
    """What the strings on shelves add to multiples of their distances."""

    #: The first shelf of each group of strings, shape (groups + 1,).
    groups: Indices
    #: The offset of each string, in the order of the shelves, shape (n,).
    offsets: Floats
    #: ``strip_least``, ``shelf_least``: the least offset of the strings of each strip and of each
    #: shelf, shape (strips,) and (shelves,).
    strip_least: Floats
    shelf_least: Floats
    #: What distances are multiplied by, 0 or more.
    slope: float
    #: ``rule``, ``form``: how signatures bound edits, and what edits are turned into.
    rule: int
    form: int
    #: Whether the string with the least sum of a group limits the sums of the groups after it, to
    #: what its sum is with the offset turned round.
    limits_others: bool
    #: Whether it is the first of several strings with the least sum that is told, which takes
    #: longer than any of them.
    breaks_ties: bool


class _Least(NamedTuple):
    """The least sum found so far with the index of its string, its ``place``, and its distance;
    before that, the limit of the query with -1.
    """

    total: float
    place: int
    distance: float


@compiled
def least_sums_on_shelves(
    shelves: Shelves,
    queries: SpelledStrings,
    offers: Offers,
    indices: Indices,
    sums: Floats,
    distances: Floats,
) -> tuple[int, int]:
    """Lower the sums of queries, limits at first, to the least ``offset + slope * distance`` of the
    strings of each group, and tell such a string with its distance; return how many distances and
    how many bounds were computed.

    Strings are taken by increasing bounds of edits. A string is left out if its offset and the
    slope times the bound of its distance cannot come before the least sum so far. This is exact:
    rounding never turns the order of two numbers round, so that of b <= d and a <= o follow
    fl(slope b) <= fl(slope d) and fl(fl(slope b) + a) <= fl(fl(slope d) + o), the sum as it is
    computed.

    Queries have at most `LONGEST` letters. The last three arguments have shape (queries, groups);
    ``indices`` are -1 at first, and stay so where no sum is below the limit.
    """
    desk = _empty_desk(shelves, 1)
    for row in range(queries.sizes.size):
        query = _Query(
            queries.signatures[0, row], queries.signatures[1, row], queries.sizes[row], -1
        )
        start, stop = queries.letter_starts[row], queries.letter_starts[row + 1]
        set_pattern(queries.letters, start, stop, desk.positions)
        limit = np.inf
        for group in range(offers.groups.size - 1):
            best = _Least(min(limit, sums[row, group]), indices[row, group], distances[row, group])
            best, opposite = _least_of_group(shelves, group, query, offers, best, desk)
            sums[row, group], indices[row, group], distances[row, group] = best
            if offers.limits_others:
                limit = min(limit, opposite)
        clear_pattern(queries.letters, start, stop, desk.positions)
    return desk.tally[_MEASURED], desk.tally[_BOUNDED]


@compiled
def _least_of_group(
    shelves: Shelves, group: int, query: _Query, offers: Offers, best: _Least, desk: _Desk
) -> tuple[_Least, float]:
    """Find the least sum below that of ``best`` in a group; return it, and what it is with the
    offset turned round, infinite if there is none.
    """
    first_shelf, last_shelf = offers.groups[group], offers.groups[group + 1]
    desk.opened[first_shelf:last_shelf] = False
    sizes, firsts, strip_least = shelves.shelf_sizes, shelves.shelves, offers.strip_least
    shelf_least, slope, form = offers.shelf_least, offers.slope, offers.form
    opened, least, breaks_ties = desk.opened, desk.least, offers.breaks_ties
    active, edits, opposite = True, 0, np.inf
    while active and edits <= MOST_EDITS:
        level, active = np.uint8(edits), False
        for shelf in range(first_shelf, last_shelf):
            apart = abs(sizes[shelf] - query.size)
            step = slope * as_distance(max(edits, apart), query.size + sizes[shelf], form)
            if not _may_win(step + shelf_least[shelf], 0, best, breaks_ties):
                continue
            active = True
            if edits < min(apart, MOST_EDITS):
                continue
            if not opened[shelf]:
                _open_shelf(shelves, shelf, query, offers.rule, desk)
            for strip in range(firsts[shelf], firsts[shelf + 1]):
                if least[strip] == level and _may_win(
                    step + strip_least[strip], 0, best, breaks_ties
                ):
                    best, opposite = _least_of_strip(
                        shelves, strip, query, apart, level, step, offers, best, opposite, desk
                    )
        edits += 1
    return best, opposite


@compiled(inline="always")
def _may_win(total: float, index: int, best: _Least, breaks_ties: bool) -> bool:
    """Whether a sum that is ``total`` at least, of a string not before ``index``, may come before
    the best one.
    """
    return total < best.total or (breaks_ties and total == best.total and index < best.place)


@compiled
def _least_of_strip(
    shelves: Shelves,
    strip: int,
    query: _Query,
    apart: int,
    level: Word,
    step: float,
    offers: Offers,
    best: _Least,
    opposite: float,
    desk: _Desk,
) -> tuple[_Least, float]:
    """Do what `_least_of_group` does for those strings of a strip whose bound is ``level`` edits,
    whose distances times the slope are ``step`` at least; note the next level.
    """
    start, stop = shelves.strips[strip], shelves.strips[strip + 1]
    of_strip = desk.bounds[start:stop]
    if not desk.bounded[strip]:
        desk.least[strip] = _bound_strip(
            shelves.strings.signatures, start, stop, query, apart, offers.rule, desk.bounds
        )
        desk.bounded[strip] = True
        desk.tally[_BOUNDED] += stop - start
        if desk.least[strip] != level:
            return best, opposite
    order, offsets, letter_starts = shelves.order, offers.offsets, shelves.strings.letter_starts
    both_sizes = query.size + shelves.strings.sizes[start]
    for offset in range(of_strip.size):
        place = start + offset
        if of_strip[offset] != level or not _may_win(
            step + offsets[place], order[place], best, offers.breaks_ties
        ):
            continue
        edits = _count(
            desk.positions,
            query.size,
            shelves.strings.letters,
            letter_starts[place],
            letter_starts[place + 1],
            offers.rule,
        )
        desk.tally[_MEASURED] += 1
        distance = as_distance(edits, both_sizes, offers.form)
        scaled = offers.slope * distance
        if _may_win(scaled + offsets[place], order[place], best, offers.breaks_ties):
            best = _Least(scaled + offsets[place], order[place], distance)
            opposite = scaled - offsets[place]
    desk.least[strip] = _next_level(of_strip, level)
    return best, opposite
