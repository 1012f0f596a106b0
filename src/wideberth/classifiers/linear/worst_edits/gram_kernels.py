"""Compiled shortest paths through the texts within some edits of a text, over scores that add up over n-grams of three at most.

The states, the edges and the proof are in `gram_paths`. Letters are codes: 0 for marks, 1 for all letters that no n-gram has, then
those of the n-grams. The context of a state is the two letters written last, as the number ``older * letters + newer``; letters
to which no n-gram reaches back are 0 in it. Codes of a text have two marks before it and three behind, so that
``codes[i + 2]`` follows on i letters, in the context of ``codes[i]`` and ``codes[i + 1]``.
"""

from typing import NamedTuple

import numpy as np

from wideberth.array_types import Floats, Integers
from wideberth.compilation import compiled

#: What an edit does.
INSERT, REPLACE, DELETE = 0, 1, 2


class Grams(NamedTuple):
    """What n-grams add to the leads over each rival.

    Attributes
    ----------
    order : int
        How many letters the longest n-gram has.
    least : int
        The first letter that can be written: 0 if marks can, being white space, else 1.
    single : ndarray of float64, shape (letters, rivals)
        What each letter adds.
    pairs : ndarray of int64, shape (letters, letters)
        The numbers of pairs of letters; 0 for those of which nothing is known.
    doubles : ndarray of float64, shape (pairs, rivals)
        What pairs add.
    first, thirds : ndarray of int64, shapes (pairs + 1,) and (triples,)
        The letters that complete each pair to a known triple, in ascending order.
    triples : ndarray of float64, shape (triples + 1, rivals)
        What triples add; nothing in the last row.
    around : ndarray of int64, shape (letters, letters)
        The numbers of pairs of letters around the middle of a known triple; 0 for others.
    low_doubles, low_triples, low_around : ndarray of float64
        The lowest that a pair with this first letter, a triple with this first pair, a triple with these letters around its middle
        adds; 0 at most.
    """

    order: int
    least: int
    single: Floats
    pairs: Integers
    doubles: Floats
    first: Integers
    thirds: Integers
    triples: Floats
    around: Integers
    low_doubles: Floats
    low_triples: Floats
    low_around: Floats


class States(NamedTuple):
    """States at a position and at the next one, with one edit, two edits and so on.

    Attributes
    ----------
    slots : ndarray of int64, shape (2, levels, contexts)
        Where the state of each context is; -1 if there is none.
    keys : ndarray of int64, of the same shape
        The contexts of states.
    counts : ndarray of int64, shape (2, levels)
        How many states there are.
    values : ndarray of float64, shape (2, levels, contexts, rivals)
        The lowest sum of each state, over n-grams that end before it.
    origins : ndarray of int64, shape (2, levels, contexts, 5)
        The last edit on the way to each state for the first rival: the position, the kind, the letter, and the two letters before.
    """

    slots: Integers
    keys: Integers
    counts: Integers
    values: Floats
    origins: Integers


@compiled
def sums_around(codes: Integers, grams: Grams, sums: Floats) -> None:
    """Add up what the n-grams add that end before each letter, and what those add that end there or behind.

    Parameters
    ----------
    codes : ndarray of int64, shape (n + 5,)
        The letters of a text.
    grams : Grams
        The n-grams.
    sums : ndarray of float64, shape (2, n + 4, rivals)
        Gets the sums.
    """
    n_ends, rivals = sums.shape[1] - 1, sums.shape[2]
    for rival in range(rivals):
        sums[0, 0, rival] = sums[1, n_ends, rival] = 0.0
    for end in range(n_ends):
        _add_gram(grams, codes[end], codes[end + 1], codes[end + 2], sums[0, end], sums[0, end + 1])
    for end in range(n_ends - 1, -1, -1):
        _add_gram(grams, codes[end], codes[end + 1], codes[end + 2], sums[1, end + 1], sums[1, end])


@compiled
def edit_once(codes: Integers, grams: Grams, sums: Floats, best: Floats, edits: Integers) -> None:
    """Find the lowest sum behind each position if the only edit is made there.

    Parameters
    ----------
    codes, grams
        The text and the n-grams.
    sums : ndarray of float64
        From `sums_around`.
    best : ndarray of float64, shape (n + 1, rivals)
        Infinite; gets the sums, of n-grams that end there or behind.
    edits : ndarray of int64, shape (n + 1, 2)
        Gets the kind and the letter of each edit, for the first rival.
    """
    n, rivals = best.shape[0] - 1, best.shape[1]
    nothing, lows, tails = np.zeros(rivals), np.empty((2, rivals)), np.empty((2, grams.single.shape[0], rivals))
    _fill_tail(codes, 0, grams, sums, tails, lows)
    for at in range(n + 1):
        if at < n:
            _fill_tail(codes, at + 1, grams, sums, tails, lows)
        _edit_last(codes, at, n, codes[at], codes[at + 1], nothing, grams, tails, best[at], edits[at])


@compiled
def edit_often(
    codes: Integers,
    grams: Grams,
    sums: Floats,
    alone: Floats,
    alone_edits: Integers,
    lowest: Floats,
    target: Integers,
    record: Integers,
) -> None:
    """Lower the sums of two edits and more, through all states behind the first edit and before the last one.

    Parameters
    ----------
    codes, grams, sums
        As for `edit_once`.
    alone, alone_edits : ndarray
        What `edit_once` has found.
    lowest : ndarray of float64, shape (edits + 1, rivals)
        What sums are known to be at most; lowered in place, but for those of one edit and none.
    target : ndarray of int64, shape (3,)
        The position, the edits and the context of the only state that is asked for; -1 at first if there is none.
    record : ndarray of int64, shape (5,)
        Gets the last edit on the way to the target, or to the lowest sum of the most edits for the first rival, if it was
        lowered; see `States`.
    """
    n, letters, rivals, levels = alone.shape[0] - 1, grams.single.shape[0], alone.shape[1], lowest.shape[0] - 2
    states = _new_states(letters ** min(grams.order - 1, 2), levels, rivals)
    origin, edit, reached = np.empty(5, dtype=np.int64), np.empty(2, dtype=np.int64), np.empty(rivals)
    tails, lows = np.empty((2, letters, rivals)), np.empty((2, rivals))
    _fill_tail(codes, 0, grams, sums, tails, lows)
    for at in range(n + 1):
        now = at % 2
        if at < n:
            _fill_tail(codes, at + 1, grams, sums, tails, lows)
        older = codes[at] if grams.order > 2 else 0
        newer = codes[at + 1] if grams.order > 1 else 0
        _push_edits(at, n, older, newer, sums[0, at], grams, states, 0, origin, reached)
        for level in range(levels):
            if target[0] == at and target[1] == level + 1:
                record[:] = states.origins[now, level, states.slots[now, level, target[2]]]
                return
            for state in range(states.counts[now, level]):
                key, so_far = states.keys[now, level, state], states.values[now, level, state]
                states.slots[now, level, key] = -1
                if level + 1 < levels:
                    _push_edits(at, n, key // letters, key % letters, so_far, grams, states, level + 1, origin, reached)
                elif key == older * letters + newer:
                    for rival in range(rivals):
                        if so_far[rival] + alone[at, rival] < lowest[levels + 1, rival]:
                            lowest[levels + 1, rival] = so_far[rival] + alone[at, rival]
                            if rival == 0:
                                _write(record, at, alone_edits[at, 0], alone_edits[at, 1], older, newer)
                elif _may_lower(codes, at, n, key // letters, key % letters, so_far, grams, tails, lows, lowest[levels + 1]):
                    before = lowest[levels + 1, 0]
                    _edit_last(codes, at, n, key // letters, key % letters, so_far, grams, tails, lowest[levels + 1], edit)
                    if lowest[levels + 1, 0] < before:
                        _write(record, at, edit[0], edit[1], key // letters, key % letters)
                _add_gram(grams, key // letters, key % letters, codes[at + 2], so_far, reached)
                if at < n:
                    kept = (key % letters if grams.order > 2 else 0) * letters + (codes[at + 2] if grams.order > 1 else 0)
                    _push(states, 1 - now, level, kept, reached, states.origins[now, level, state])
                else:
                    _add_gram(grams, key % letters, 0, 0, reached, reached)
                    for rival in range(rivals):
                        lowest[level + 1, rival] = min(lowest[level + 1, rival], reached[rival])
            states.counts[now, level] = 0


@compiled
def _push_edits(
    at: int,
    n: int,
    older: int,
    newer: int,
    so_far: Floats,
    grams: Grams,
    states: States,
    level: int,
    origin: Integers,
    reached: Floats,
) -> None:
    """Add the states behind each edit of a state."""
    letters, now = grams.single.shape[0], at % 2
    for letter in range(grams.least, letters):
        context = (newer if grams.order > 2 else 0) * letters + (letter if grams.order > 1 else 0)
        _add_gram(grams, older, newer, letter, so_far, reached)
        for kind in range(2 if at < n else 1):
            _write(origin, at, kind, letter, older, newer)
            _push(states, now if kind == INSERT else 1 - now, level, context, reached, origin)
    if at < n:
        _write(origin, at, DELETE, 0, older, newer)
        _push(states, 1 - now, level, older * letters + newer, so_far, origin)


@compiled
def _push(states: States, layer: int, level: int, key: int, reached: Floats, origin: Integers) -> None:
    """Add a state, or lower the sums of the one with the same context."""
    state = states.slots[layer, level, key]
    new = state < 0
    if new:
        state = states.counts[layer, level]
        states.counts[layer, level] += 1
        states.slots[layer, level, key] = state
        states.keys[layer, level, state] = key
    for rival in range(reached.size):
        if new or reached[rival] < states.values[layer, level, state, rival]:
            states.values[layer, level, state, rival] = reached[rival]
            if rival == 0:
                for place in range(5):
                    states.origins[layer, level, state, place] = origin[place]


@compiled
def _edit_last(
    codes: Integers,
    at: int,
    n: int,
    older: int,
    newer: int,
    so_far: Floats,
    grams: Grams,
    tails: Floats,
    best: Floats,
    edit: Integers,
) -> None:
    """Lower sums by the best edit of a state behind which the text is not edited."""
    pair = grams.pairs[older, newer]
    for kind in range(2 if at < n else 1):
        tail = tails[(at + kind) % 2]
        for letter in range(grams.least, grams.single.shape[0]):
            double, triple = grams.pairs[newer, letter], _triple(grams, pair, letter)
            across = _triple(grams, double, codes[at + kind + 2])
            for rival in range(best.size):
                added = grams.single[letter, rival] + grams.doubles[double, rival] + grams.triples[triple, rival]
                total = so_far[rival] + (added + (grams.triples[across, rival] + tail[letter, rival]))
                if total < best[rival]:
                    best[rival] = total
                    if rival == 0:
                        edit[0], edit[1] = kind, letter
    if at < n:
        across = _triple(grams, pair, codes[at + 3])
        for rival in range(best.size):
            total = so_far[rival] + (grams.triples[across, rival] + tails[(at + 1) % 2, newer, rival])
            if total < best[rival]:
                best[rival] = total
                if rival == 0:
                    edit[0], edit[1] = DELETE, 0


@compiled
def _may_lower(
    codes: Integers,
    at: int,
    n: int,
    older: int,
    newer: int,
    so_far: Floats,
    grams: Grams,
    tails: Floats,
    lows: Floats,
    best: Floats,
) -> bool:
    """Whether the last edit of a state might lower a sum: if the lowest n-grams of each kind could be had at once."""
    pair = grams.pairs[older, newer]
    for kind in range(2 if at < n else 1):
        across = grams.around[newer, codes[at + kind + 2]]
        for rival in range(best.size):
            low = grams.low_doubles[newer, rival] + grams.low_triples[pair, rival] + grams.low_around[across, rival]
            if so_far[rival] + (low + lows[(at + kind) % 2, rival]) < best[rival]:
                return True
    if at < n:
        across = _triple(grams, pair, codes[at + 3])
        for rival in range(best.size):
            if so_far[rival] + (grams.triples[across, rival] + tails[(at + 1) % 2, newer, rival]) < best[rival]:
                return True
    return False


@compiled
def _fill_tail(codes: Integers, at: int, grams: Grams, sums: Floats, tails: Floats, lows: Floats) -> None:
    """What the rest of a text adds behind each letter, but for the triple that begins before it; the lowest with the letter itself."""
    following, next_one = codes[at + 2], codes[at + 3]
    between = grams.pairs[following, next_one]
    for rival in range(lows.shape[1]):
        lows[at % 2, rival] = np.inf
    for letter in range(grams.single.shape[0]):
        pair = grams.pairs[letter, following]
        triple = _triple(grams, pair, next_one)
        for rival in range(lows.shape[1]):
            added = grams.single[following, rival] + grams.doubles[pair, rival]
            behind = grams.single[next_one, rival] + grams.doubles[between, rival] + grams.triples[triple, rival]
            tails[at % 2, letter, rival] = added + behind + sums[1, at + 2, rival]
            if letter >= grams.least:
                low = grams.single[letter, rival] + tails[at % 2, letter, rival]
                lows[at % 2, rival] = min(lows[at % 2, rival], low)


@compiled
def _add_gram(grams: Grams, older: int, newer: int, letter: int, so_far: Floats, reached: Floats) -> None:
    """Add what the n-grams add that end with a letter."""
    double, triple = grams.pairs[newer, letter], _triple(grams, grams.pairs[older, newer], letter)
    for rival in range(reached.size):
        added = grams.single[letter, rival] + grams.doubles[double, rival] + grams.triples[triple, rival]
        reached[rival] = so_far[rival] + added


@compiled
def _triple(grams: Grams, pair: int, letter: int) -> int:
    """The number of the triple of a pair and a letter; that of the last row if it is not known."""
    low, high = grams.first[pair], grams.first[pair + 1]
    end = high
    while low < high:
        middle = (low + high) // 2
        if grams.thirds[middle] < letter:
            low = middle + 1
        else:
            high = middle
    return low if low < end and grams.thirds[low] == letter else grams.thirds.size


@compiled
def _write(row: Integers, at: int, kind: int, letter: int, older: int, newer: int) -> None:
    """Write an edit and its context into a row."""
    row[0], row[1], row[2], row[3], row[4] = at, kind, letter, older, newer


@compiled
def _new_states(contexts: int, levels: int, rivals: int) -> States:
    """Room for states."""
    return States(
        np.full((2, levels, contexts), -1, dtype=np.int64),
        np.empty((2, levels, contexts), dtype=np.int64),
        np.zeros((2, levels), dtype=np.int64),
        np.empty((2, levels, contexts, rivals)),
        np.empty((2, levels, contexts, 5), dtype=np.int64),
    )
