"""Compiled search among short strings: bounds from signatures first, edits only where a bound leaves a string in question.

Strings are sorted by (length, class, signature). Those of one length are a *shelf*, which is skipped as a whole if its length
alone is too far from that of a query. A shelf is cut into *strips* of similar signatures. The bits that all signatures of a strip
have, and those that one of them has, bound the edits to every string of it, so that most strips are skipped as a whole too.
"""

from typing import NamedTuple

import numpy as np

from wideberth.array_types import Flags, Floats, Indices
from wideberth.compilation import compiled
from wideberth.geometry.search.heap_kernels import precedes, sink, sort_heap
from wideberth.metrics.strings.sketch_kernels import (
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


class Shelves(NamedTuple):
    """Strings sorted by (length, class, signature), where small classes count as one.

    Attributes
    ----------
    order : ndarray of int of shape (n,)
        Their indices.
    sizes : ndarray of int of shape (n,)
        Their lengths, ascending.
    strips : ndarray of int of shape (strips + 1,)
        Where each strip starts: at most `STRIP` strings of one length.
    shelves : ndarray of int of shape (shelves + 1,)
        The first strip of each shelf.
    strip_codes : ndarray of int of shape (strips,)
        The class of all strings of a strip; -1 if they may have different ones.
    common, union : ndarray of uint64 of shape (2, strips)
        The bits that all signatures of a strip have, and those that at least one has.
    signatures : ndarray of uint64 of shape (2, n)
        Their signatures.
    letters : ndarray of int32
        Their letters, one string after the other.
    letter_starts : ndarray of int of shape (n + 1,)
        Where the letters of each string start.
    n_letters : int
        How many different letters there are.
    """

    order: Indices
    sizes: Indices
    strips: Indices
    shelves: Indices
    strip_codes: Indices
    common: Words
    union: Words
    signatures: Words
    letters: Letters
    letter_starts: Indices
    n_letters: int


class ShortQueries(NamedTuple):
    """Queries of at most `LONGEST` letters, their letters numbered as those of the shelves; -1 for others.

    Attributes
    ----------
    sizes : ndarray of int of shape (m,)
        Their lengths.
    signatures : ndarray of uint64 of shape (2, m)
        Their signatures.
    letters : ndarray of int32
        Their letters, one query after the other.
    letter_starts : ndarray of int of shape (m + 1,)
        Where the letters of each query start.
    """

    sizes: Indices
    signatures: Words
    letters: Letters
    letter_starts: Indices


@compiled
def search_shelves(
    shelves: Shelves,
    queries: ShortQueries,
    codes: Indices,
    alive: Flags,
    excluded: Indices,
    limits: Floats,
    k: int,
    ties: bool,
    stretch: float,
    rule: int,
    form: int,
) -> tuple[Indices, Indices, Floats, int, int]:
    """Find the strings that matter to each query, and maybe more; return them and how much was computed.

    Strings are taken by increasing bounds, so that few are measured before the k-th best distance is known.

    Parameters
    ----------
    shelves : Shelves
        The strings.
    queries : ShortQueries
        The queries.
    codes, alive : ndarrays of shape (n,)
        The class of each string, by index, and whether it can be found.
    excluded : ndarray of shape (m,)
        The class whose strings do not count for a query.
    limits : ndarray of shape (m,)
        The largest distance that matters.
    k : int
        Beyond the k-th best distance found nothing matters; 0 for no such limit.
    ties : bool
        Whether all strings as far as the k-th best matter, or only k of them, those of smaller index.
    stretch : float
        1 + eta, by which bounds are multiplied.
    rule, form : int
        How signatures bound edits, and what edits are turned into.

    Returns
    -------
    rows, indices, distances : ndarrays
        The pairs of a query and a string within its limits. Those that had mattered only at first are among them if ``ties``.
    measured, bounded : int
        How many distances and how many bounds were computed.
    """
    n, n_shelves = shelves.order.size, shelves.shelves.size - 1
    bounds, least = np.empty(n, dtype=np.uint8), np.empty(shelves.strips.size - 1, dtype=np.uint8)
    opened, bounded_yet = np.zeros(n_shelves, dtype=np.bool_), np.zeros(least.size, dtype=np.bool_)
    positions = np.zeros(max(1, shelves.n_letters), dtype=np.uint64)
    best, best_indices = np.empty(k), np.empty(k, dtype=np.intp)
    rows, indices, distances = np.empty(64, dtype=np.intp), np.empty(64, dtype=np.intp), np.empty(64)
    found, measured, bounded = 0, 0, 0
    for query in range(excluded.size):
        first, second, size = queries.signatures[0, query], queries.signatures[1, query], queries.sizes[query]
        set_pattern(queries.letters, queries.letter_starts[query], queries.letter_starts[query + 1], positions)
        best[:], best_indices[:], opened[:] = np.inf, n, False
        limit, last = limits[query], n
        edits, active, left = 0, True, n
        while active and left:
            active, level = False, np.uint8(min(edits, 255))
            for shelf in range(n_shelves):
                shelf_size = shelves.sizes[shelves.strips[shelves.shelves[shelf]]]
                apart = abs(shelf_size - size)
                if edits > 255 or stretch * as_distance(max(edits, apart), size + shelf_size, form) > limit:
                    continue
                active = True
                if edits < min(apart, 255):
                    continue
                bits_apart = np.uint64(min(apart, 255))
                if not opened[shelf]:
                    bounded += _open_shelf(shelves, shelf, first, second, bits_apart, rule, least, bounded_yet)
                    opened[shelf] = True
                bound = stretch * as_distance(edits, size + shelf_size, form)
                for strip in range(shelves.shelves[shelf], shelves.shelves[shelf + 1]):
                    if least[strip] != level or shelves.strip_codes[strip] == excluded[query] >= 0:
                        continue
                    if not bounded_yet[strip]:
                        bounded += _bound_strip(shelves, strip, first, second, bits_apart, rule, bounds, least)
                        bounded_yet[strip] = True
                        if least[strip] != level:
                            continue
                    start = shelves.strips[strip]
                    of_strip = bounds[start : shelves.strips[strip + 1]]
                    least[strip] = _next_level(of_strip, level)
                    for offset in range(of_strip.size):
                        if of_strip[offset] != level:
                            continue
                        place = start + offset
                        left -= 1
                        index = shelves.order[place]
                        if not alive[index] or codes[index] == excluded[query]:
                            continue
                        if bound > limit or (bound == limit and index > last):
                            continue
                        measured += 1
                        letters_start, letters_stop = shelves.letter_starts[place], shelves.letter_starts[place + 1]
                        if rule == SUM:
                            exact = count_unshared(positions, size, shelves.letters, letters_start, letters_stop)
                        else:
                            exact = count_edits(positions, size, shelves.letters, letters_start, letters_stop)
                        distance = as_distance(exact, size + shelf_size, form)
                        if distance > limit or (distance == limit and index > last):
                            continue
                        if k and precedes(distance, index, best[0], best_indices[0]):
                            best[0], best_indices[0] = distance, index
                            sink(best, best_indices, 0, k)
                            if best[0] <= limit:
                                limit = best[0]
                                last = n if ties else best_indices[0]
                        if ties or k == 0:
                            if found == rows.size:
                                rows, indices, distances = _doubled(rows, indices, distances)
                            rows[found], indices[found], distances[found] = query, index, distance
                            found += 1
            edits += 1
        if k and not ties:
            while found + k > rows.size:
                rows, indices, distances = _doubled(rows, indices, distances)
            sort_heap(best, best_indices, k)
            for place in range(k):
                if best_indices[place] < n:
                    rows[found], indices[found], distances[found] = query, best_indices[place], best[place]
                    found += 1
        clear_pattern(queries.letters, queries.letter_starts[query], queries.letter_starts[query + 1], positions)
    return rows[:found], indices[:found], distances[:found], measured, bounded


@compiled
def _open_shelf(
    shelves: Shelves, shelf: int, first: Word, second: Word, apart: Word, rule: int, least: Bounds, bounded_yet: Flags
) -> int:
    """Bound the edits between a query and all strings of each strip of a shelf; return the number of strips."""
    start: int = shelves.shelves[shelf]
    stop: int = shelves.shelves[shelf + 1]
    common, union, of_shelf = shelves.common[:, start:stop], shelves.union[:, start:stop], least[start:stop]
    for strip in range(of_shelf.size):
        surplus = ones(first & ~union[0, strip]) + ones(second & ~union[1, strip])
        deficit = ones(common[0, strip] & ~first) + ones(common[1, strip] & ~second)
        of_shelf[strip] = max(surplus + deficit if rule == SUM else max(surplus, deficit), apart)
    bounded_yet[start:stop] = False
    return stop - start


@compiled
def _bound_strip(
    shelves: Shelves, strip: int, first: Word, second: Word, apart: Word, rule: int, bounds: Bounds, least: Bounds
) -> int:
    """Bound the edits between a query and each string of a strip, and find the least bound; return the number of strings."""
    start: int = shelves.strips[strip]
    stop: int = shelves.strips[strip + 1]
    words = shelves.signatures
    bound_edits(first, second, words[0, start:stop], words[1, start:stop], apart, rule, bounds[start:stop])
    least[strip] = _minimum(bounds[start:stop])
    return stop - start


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
    more_rows, more_indices, more_distances = np.empty(2 * size, np.intp), np.empty(2 * size, np.intp), np.empty(2 * size)
    more_rows[:size], more_indices[:size], more_distances[:size] = rows, indices, distances
    return more_rows, more_indices, more_distances
