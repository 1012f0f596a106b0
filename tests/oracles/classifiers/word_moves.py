"""Slow twins: all texts within some moves of whole words, written down one by one."""

from itertools import product

#: A word that no model knows.
UNKNOWN = "unheard"


def one_edit_away(words, vocabulary):
    """All sequences of words with one put in, taken out or replaced."""
    known = [*vocabulary, UNKNOWN]
    for at in range(len(words) + 1):
        for word in known:
            yield (*words[:at], word, *words[at:])
        if at < len(words):
            yield (*words[:at], *words[at + 1 :])
            for word in known:
                yield (*words[:at], word, *words[at + 1 :])


def within_edits(words, vocabulary, edits):
    """The sets of all sequences within 0, 1, ... edits of words."""
    reached = [{tuple(words)}]
    for _ in range(edits):
        last = reached[-1]
        reached.append(last | {other for each in last for other in one_edit_away(each, vocabulary)})
    return reached


def within_synonyms(words, table, steps):
    """The sets of all sequences with at most 0, 1, ... words replaced as a table allows."""
    found = [set() for _ in range(steps + 1)]
    for chosen in product(*[(word, *table.get(word, ())) for word in words]):
        moved = sum(new != old for new, old in zip(chosen, words, strict=True))
        for within in range(moved, steps + 1):
            found[within].add(chosen)
    return found


def lowest_lead(sequences, winner, rival, weights, intercepts):
    """The lowest lead over some sequences of words; ``weights`` has a row for each known word."""
    nothing = [0.0] * len(intercepts)

    def lead(words):
        rows = [weights.get(word, nothing) for word in words]
        return (
            intercepts[winner] - intercepts[rival] + sum(row[winner] - row[rival] for row in rows)
        )

    return min(map(lead, sequences))
