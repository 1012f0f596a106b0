"""Compiled shortest paths through the texts within some edits of a text, over scores that add up
over n-grams of three at most.

The states, the edges and the proof are in `gram_paths`. Letters are codes: 0 for marks, 1 for all
letters that no n-gram has, then those of the n-grams. The context of a state is the two letters
written last, as the number ``older * letters + newer``; letters to which no n-gram reaches back are
0 in it. Codes of a text have two marks before it and three behind, so that ``codes[i + 2]`` follows
on i letters, in the context of ``codes[i]`` and ``codes[i + 1]``.
"""

from typing import Any, NamedTuple

import numpy as np

from wideberth.array_types import Floats, Integers
from wideberth.compilation import compiled

#: What an edit does.
INSERT, REPLACE, DELETE = 0, 1, 2


class Triples(NamedTuple):
    """Known triples by two of their letters.

    ``pairs`` has the number i of each pair of letters, 0 for those in no triple; its triples are
    those from ``first[i]`` to ``first[i + 1] - 1``, with their other letters, in ascending order
    for each pair, and the numbers of the triples.
    """

    pairs: Integers
    first: Integers
    letters: Integers
    numbers: Integers


class Grams(NamedTuple):
    """What n-grams add to the leads over each rival.

    The longest n-gram has ``order`` letters; ``least`` is the first letter that can be written, 0
    if marks can, being white space, else 1. ``doubles[a, b]`` is what b and the pair add,
    ``triples`` what each known triple adds, which ``beginnings``, ``frames`` and ``ends`` find by
    the first two letters, the outer two, and the last two. The ``low`` ones are the lowest that a
    pair with this first letter, a triple with these first letters, with these letters around its
    middle, or with these last letters adds; 0 at most. ``low_letters[c]`` is the lowest that c adds
    behind any two letters, ``low_next[b]`` what any letter adds behind b and any one before it.
    """

    order: int
    least: int
    doubles: Floats
    triples: Floats
    beginnings: Triples
    frames: Triples
    ends: Triples
    singles: Floats
    low_doubles: Floats
    low_beginnings: Floats
    low_frames: Floats
    low_ends: Floats
    low_letters: Floats
    low_next: Floats


class States(NamedTuple):
    """States at a position and at the next one, with one edit, two edits and so on: the first axes
    are (2, levels).

    ``slots`` says where the state of a context is, -1 for none; ``keys`` the contexts of states;
    ``values`` the lowest sum of each state over n-grams that end before it; ``origins`` the last
    edit on the way to it for the first rival: position, kind, letter, and the two letters before
    it.
    """

    slots: Integers
    keys: Integers
    counts: Integers
    values: Floats
    origins: Integers


@compiled
def sums_around(codes: Integers, grams: Grams, sums: Floats) -> None:
    """Add up what the n-grams add that end before each letter of a text of n + 5 codes, and what
    those add that end there or behind: ``sums`` of shape (2, n + 4, rivals).
    """
    n_ends, rivals = sums.shape[1] - 1, sums.shape[2]
    for rival in range(rivals):
        sums[0, 0, rival] = sums[1, n_ends, rival] = 0.0
    for end in range(n_ends):
        _add_gram(grams, codes[end], codes[end + 1], codes[end + 2], sums[0, end], sums[0, end + 1])
    for end in range(n_ends - 1, -1, -1):
        _add_gram(grams, codes[end], codes[end + 1], codes[end + 2], sums[1, end + 1], sums[1, end])


@compiled
def edit_once(
    codes: Integers, grams: Grams, sums: Floats, best: Floats, edits: Integers, lows: Floats
) -> None:
    """Find the lowest sum behind each position, of n-grams that end there or behind, if the only
    edit is made there.

    ``best``, which starts infinite, gets the sums; ``edits`` the kind and the letter of each edit
    for the first rival; ``lows`` the lowest sum of any letter that is written there and of what
    follows, but for n-grams that begin before.
    """
    n, rivals = best.shape[0] - 1, best.shape[1]
    nothing, tails = np.zeros(rivals), np.empty((5, grams.doubles.shape[0], rivals))
    for at in range(-1, n + 1):
        if at < n:
            _fill_tail(codes, at + 1, grams, sums, tails)
            for rival in range(rivals):
                lows[at + 1, rival] = np.inf
                for letter in range(grams.least, grams.doubles.shape[0]):
                    low = grams.singles[letter, rival] + tails[(at + 1) % 4, letter, rival]
                    lows[at + 1, rival] = min(lows[at + 1, rival], low)
        if at >= 0:
            _edit_last(
                codes, at, n, codes[at], codes[at + 1], nothing, grams, tails, best[at], edits[at]
            )


@compiled
def bound_behind(
    codes: Integers, grams: Grams, sums: Floats, gains: Floats, bounds: Floats
) -> None:
    """Find sums below which no text falls, of n-grams that end behind each position, by the number
    of edits made there or behind: ``bounds`` of shape (edits + 1, n + 3, 3, rivals).

    The last place but one says how many of the two letters before are those of the text: none that
    is known, the one right before, or both. Of letters that are not known the lowest n-grams are
    taken, whether or not they can be had at once. What an edit takes that no other follows within
    two letters is known: ``gains``, as for `edit_often`. To take a letter out is not looked at where
    letters are not known: a strange one in its place adds nothing, and what is behind it is no
    higher.
    """
    n, rivals = bounds.shape[1] - 3, sums.shape[2]
    # the same if another edit is made before two letters of the text are kept
    again = np.full((bounds.shape[0], n + 3, 2, rivals), np.inf)
    written, kept, nothing = np.empty(rivals), np.empty(rivals), np.zeros(rivals)
    for edits in range(bounds.shape[0]):
        bounds[edits, n + 2] = 0.0
        for at in range(n + 1, -1, -1):
            newer, letter = codes[at + 1], codes[at + 2]
            ends = grams.ends.pairs[newer, letter]
            _lowest_written(grams, codes[at], newer, written)
            _add_gram(grams, codes[at], newer, letter, nothing, kept)
            for rival in range(rivals):
                low, low_letter = np.inf, grams.low_letters[letter, rival]
                if edits > 0 and at <= n:
                    left = bounds[edits - 1, at, 0, rival]
                    near = again[edits - 1, at, 0, rival]
                    if at < n:
                        left = min(left, bounds[edits - 1, at + 1, 0, rival])
                        near = min(near, again[edits - 1, at + 1, 0, rival])
                    again[edits, at, 0, rival] = min(
                        grams.low_next[:, rival].min() + left,
                        low_letter + again[edits, at + 1, 1, rival],
                    )
                    again[edits, at, 1, rival] = grams.low_next[newer, rival] + left
                    low = min(
                        bounds[edits - 1, at, 2, rival] - gains[at, rival], written[rival] + near
                    )
                ahead = bounds[edits, at + 1, :, rival]
                behind_any = grams.doubles[newer, letter, rival] + grams.low_ends[ends, rival]
                bounds[edits, at, 0, rival] = min(low_letter + ahead[1], again[edits, at, 0, rival])
                bounds[edits, at, 1, rival] = min(behind_any + ahead[2], again[edits, at, 1, rival])
                bounds[edits, at, 2, rival] = min(kept[rival] + ahead[2], low)


@compiled
def _lowest_written(grams: Grams, older: int, newer: int, lowest: Floats) -> None:
    """The lowest that any letter adds behind two letters."""
    pair = grams.beginnings.pairs[older, newer]
    triple, last = grams.beginnings.first[pair], grams.beginnings.first[pair + 1]
    lowest[:] = np.inf
    for letter in range(grams.least, grams.doubles.shape[0]):
        known = triple < last and grams.beginnings.letters[triple] <= letter
        while known and grams.beginnings.letters[triple] < letter:
            triple += 1
            known = triple < last and grams.beginnings.letters[triple] <= letter
        for rival in range(lowest.size):
            added = grams.doubles[newer, letter, rival]
            if known:
                added += grams.triples[grams.beginnings.numbers[triple], rival]
            lowest[rival] = min(lowest[rival], added)


@compiled
def edit_often(
    codes: Integers,
    grams: Grams,
    sums: Floats,
    alone: Floats,
    alone_edits: Integers,
    lows: Floats,
    gains: Floats,
    bounds: Floats,
    lowest: Floats,
    target: Integers,
    record: Integers,
) -> None:
    """Lower the sums of two edits and more, through all states behind the first edit and before the
    last one.

    States from which no further edits can lower a sum are left out.

    ``gains`` are the most that a single edit takes from the sum of the text, at each position or
    behind it, 0 at least. ``lowest`` is what sums are known to be at most, lowered in place for two
    edits and more. ``target`` is the position, the edits and the context of the only state that is
    asked for, -1 for none; ``record`` gets the last edit on the way to it, or to the lowest sum of
    the most edits for the first rival, if it was lowered.
    """
    n = alone.shape[0] - 1
    letters = grams.doubles.shape[0]
    rivals = alone.shape[1]
    levels = lowest.shape[0] - 2
    states = _new_states(letters ** min(grams.order - 1, 2), levels, rivals)
    origin = np.empty(5, dtype=np.int64)
    edit = np.empty(2, dtype=np.int64)
    reached = np.empty(rivals)
    tails, best = np.empty((5, letters, rivals)), lowest[levels + 1]
    for at in range(-3, n + 1):
        if at + 3 <= n:
            _fill_tail(codes, at + 3, grams, sums, tails)
        if at < 0:
            continue
        now = at % 2
        older = codes[at] if grams.order > 2 else 0
        newer = codes[at + 1] if grams.order > 1 else 0
        for level in range(levels + 1):
            if level > 0 and target[0] == at and target[1] == level:
                for place in range(5):
                    record[place] = states.origins[
                        now, level - 1, states.slots[now, level - 1, target[2]], place
                    ]
                return
            for state in range(states.counts[now, level - 1] if level > 0 else 1):
                key = states.keys[now, level - 1, state] if level > 0 else older * letters + newer
                so_far = states.values[now, level - 1, state] if level > 0 else sums[0, at]
                known = 2 if key == older * letters + newer else int(key % letters == newer)
                if target[0] < 0 and not _can_lower(so_far, bounds, at, known, level, lowest):
                    if level > 0:
                        states.slots[now, level - 1, key] = -1
                    continue
                if level < levels:
                    _push_edits(
                        codes,
                        at,
                        n,
                        key // letters,
                        key % letters,
                        so_far,
                        grams,
                        tails,
                        lows,
                        gains,
                        bounds,
                        lowest,
                        states,
                        level,
                        origin,
                        reached,
                    )
                elif key == older * letters + newer:
                    for rival in range(rivals if target[0] < 0 else 0):
                        if so_far[rival] + alone[at, rival] < best[rival]:
                            best[rival] = so_far[rival] + alone[at, rival]
                            if rival == 0:
                                _write(
                                    record, at, alone_edits[at, 0], alone_edits[at, 1], older, newer
                                )
                elif target[0] < 0:
                    before = best[0]
                    _edit_last(
                        codes,
                        at,
                        n,
                        key // letters,
                        key % letters,
                        so_far,
                        grams,
                        tails,
                        best,
                        edit,
                    )
                    if best[0] < before:
                        _write(record, at, edit[0], edit[1], key // letters, key % letters)
                if level > 0:
                    states.slots[now, level - 1, key] = -1
                    _add_gram(grams, key // letters, key % letters, codes[at + 2], so_far, reached)
                    if at < n:
                        kept = (key % letters if grams.order > 2 else 0) * letters + (
                            codes[at + 2] if grams.order > 1 else 0
                        )
                        _push(
                            states,
                            1 - now,
                            level - 1,
                            kept,
                            reached,
                            states.origins[now, level - 1, state],
                        )
                    else:
                        _add_gram(grams, key % letters, 0, 0, reached, reached)
                        for rival in range(rivals):
                            lowest[level, rival] = min(lowest[level, rival], reached[rival])
            if level > 0:
                states.counts[now, level - 1] = 0


@compiled
def _push_edits(
    codes: Integers,
    at: int,
    n: int,
    older: int,
    newer: int,
    so_far: Floats,
    grams: Grams,
    tails: Floats,
    lows: Floats,
    gains: Floats,
    bounds: Floats,
    lowest: Floats,
    states: States,
    level: int,
    origin: Integers,
    reached: Floats,
) -> None:
    """Add the states behind each edit of a state."""
    letters, now = grams.doubles.shape[0], at % 2
    pair = grams.beginnings.pairs[older, newer]
    triple, last = grams.beginnings.first[pair], grams.beginnings.first[pair + 1]
    for letter in range(grams.least, letters):
        while triple < last and grams.beginnings.letters[triple] < letter:
            triple += 1
        known = triple < last and grams.beginnings.letters[triple] == letter
        for rival in range(reached.size):
            added = grams.doubles[newer, letter, rival]
            if known:
                added += grams.triples[grams.beginnings.numbers[triple], rival]
            reached[rival] = so_far[rival] + added
        context = (newer if grams.order > 2 else 0) * letters + (letter if grams.order > 1 else 0)
        for kind in range(2 if at < n else 1):
            if _can_lower(reached, bounds, at + kind, 0, level + 1, lowest) and (
                level + 3 < lowest.shape[0]
                or _may_lower(
                    codes, at + kind, n, newer, letter, reached, grams, tails, lows, gains, lowest
                )
            ):
                _write(origin, at, kind, letter, older, newer)
                _push(states, now if kind == INSERT else 1 - now, level, context, reached, origin)
    if at < n:
        _write(origin, at, DELETE, 0, older, newer)
        _push(states, 1 - now, level, older * letters + newer, so_far, origin)


@compiled
def _can_lower(
    so_far: Floats, bounds: Floats, at: int, known: int, edits: int, lowest: Floats
) -> bool:
    """Whether a state after some edits might lower a sum, by the bounds of what is behind it."""
    for total in range(edits, lowest.shape[0]):
        for rival in range(so_far.size):
            if so_far[rival] + bounds[total - edits, at, known, rival] < lowest[total, rival]:
                return True
    return False


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
    gains: Floats,
    lowest: Floats,
) -> bool:
    """Whether no edit or one edit behind a state might lower a sum.

    The edit is right there, behind one more letter, or where the context is that of the text again.
    In the first two cases the lowest n-grams of each kind are taken, whether or not they can be had
    at once.
    """
    edits, following = lowest.shape[0] - 1, codes[at + 2]
    pair = grams.beginnings.pairs[older, newer]
    for rival in range(so_far.size):
        behind = so_far[rival] + grams.low_beginnings[pair, rival]
        far = behind + tails[at % 4, newer, rival]
        kept = behind + grams.doubles[newer, following, rival]
        low = min(
            far - gains[at, rival],
            behind + _low_last(codes, at, n, newer, grams, tails, lows, rival),
        )
        next_pair = grams.beginnings.pairs[newer, following]
        if at < n:
            next_low = grams.low_beginnings[next_pair, rival] + _low_last(
                codes, at + 1, n, following, grams, tails, lows, rival
            )
            low = min(low, kept + next_low)
        if low < lowest[edits, rival] or far < lowest[edits - 1, rival]:
            return True
    return False


# Small enough for LLVM to inline it: a call would count references to all arrays of the n-grams,
# ten times as long as the sums.
@compiled
def _low_last(
    codes: Integers,
    at: int,
    n: int,
    newer: int,
    grams: Grams,
    tails: Floats,
    lows: Floats,
    rival: int,
) -> Any:
    """The lowest that a last edit behind a letter adds with what follows, but for the triple that
    begins before the letter.
    """
    low = grams.low_frames[grams.frames.pairs[newer, codes[at + 2]], rival] + lows[at, rival]
    if at < n:
        low = min(
            low,
            grams.low_frames[grams.frames.pairs[newer, codes[at + 3]], rival] + lows[at + 1, rival],
        )
        return min(grams.low_doubles[newer, rival] + low, tails[(at + 1) % 4, newer, rival])
    return grams.low_doubles[newer, rival] + low


@compiled
def _push(
    states: States, layer: int, level: int, key: int, reached: Floats, origin: Integers
) -> None:
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
    """Lower sums by the best edit of a state behind which the text is not edited; the last of the
    tails is for notes.
    """
    for kind in range(2 if at < n else 1):
        tail, costs = tails[(at + kind) % 4], tails[4]
        for letter in range(grams.least, grams.doubles.shape[0]):
            for rival in range(best.size):
                costs[letter, rival] = grams.doubles[newer, letter, rival] + tail[letter, rival]
        _add_triples(grams.beginnings, older, newer, grams.triples, costs)
        _add_triples(grams.frames, newer, codes[at + kind + 2], grams.triples, costs)
        for letter in range(grams.least, grams.doubles.shape[0]):
            for rival in range(best.size):
                if so_far[rival] + costs[letter, rival] < best[rival]:
                    best[rival] = so_far[rival] + costs[letter, rival]
                    if rival == 0:
                        edit[0], edit[1] = kind, letter
    if at < n:
        triple = _triple(grams.beginnings, older, newer, codes[at + 3])
        for rival in range(best.size):
            total = tails[(at + 1) % 4, newer, rival]
            if triple >= 0:
                total += grams.triples[triple, rival]
            if so_far[rival] + total < best[rival]:
                best[rival] = so_far[rival] + total
                if rival == 0:
                    edit[0], edit[1] = DELETE, 0


@compiled
def _fill_tail(codes: Integers, at: int, grams: Grams, sums: Floats, tails: Floats) -> None:
    """What the rest of a text adds behind each letter, but for the triple that begins before it."""
    following, next_one, tail = codes[at + 2], codes[at + 3], tails[at % 4]
    for letter in range(grams.doubles.shape[0]):
        for rival in range(sums.shape[2]):
            behind = grams.doubles[following, next_one, rival] + sums[1, at + 2, rival]
            tail[letter, rival] = grams.doubles[letter, following, rival] + behind
    _add_triples(grams.ends, following, next_one, grams.triples, tail)


@compiled
def _add_triples(triples: Triples, one: int, other: int, values: Floats, sums: Floats) -> None:
    """Add what the triples of two letters add, for each third one."""
    pair = triples.pairs[one, other]
    for triple in range(triples.first[pair], triples.first[pair + 1]):
        for rival in range(values.shape[1]):
            sums[triples.letters[triple], rival] += values[triples.numbers[triple], rival]


@compiled
def _add_gram(
    grams: Grams, older: int, newer: int, letter: int, so_far: Floats, reached: Floats
) -> None:
    """Add what the n-grams add that end with a letter."""
    triple = _triple(grams.beginnings, older, newer, letter)
    for rival in range(reached.size):
        added = grams.doubles[newer, letter, rival]
        if triple >= 0:
            added += grams.triples[triple, rival]
        reached[rival] = so_far[rival] + added


@compiled
def _triple(triples: Triples, one: int, other: int, letter: int) -> int:
    """The number of the triple of two letters and a third one; -1 if it is not known."""
    pair = triples.pairs[one, other]
    low, high = triples.first[pair], triples.first[pair + 1]
    end = high
    while low < high:
        middle = (low + high) // 2
        if triples.letters[middle] < letter:
            low = middle + 1
        else:
            high = middle
    return triples.numbers[low] if low < end and triples.letters[low] == letter else -1


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
