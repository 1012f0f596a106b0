"""Attacks on the labels of strings, or of any sequences of tokens, by edits."""

from typing import Any

import numpy as np
from rapidfuzz.distance import Levenshtein

from wideberth.errors import InvalidInput
from wideberth.guarantees.attacks.attacked import AdversarialSearch, nearest_first
from wideberth.objects import sample

#: How many objects with other labels, the nearest ones, are approached.
_ENEMIES = 4
#: The width of the beam at most: how many strings are edited further in each round.
_BEAM = 4
#: The number of edits that the beam search expects to need if nothing was found before.
_DEPTH = 4
#: The number of letters tried at most; of more, as many are drawn at random.
_LETTERS = 64

#: The operation ("replace", "insert" or "delete"), the position in the string, and the position in
#: the other string.
Edit = tuple[str, int, int]


def attack_string(
    search: AdversarialSearch, enemies: Any, letters: list[Any], generator: np.random.Generator
) -> None:
    """Search for a string with another label: on the way to enemies first, then by a beam search
    over single edits.

    From an enemy, which has another label, the edits that lead to it are taken back as long as the
    label stays another one: many at once at first, in the end one by one. Of several possibilities,
    the one with the smallest lead of the target's label is taken. The beam search then edits the
    target, among strings that are closer than the closest found, until the questions are used up.
    Where the metric compares only strings of equal length, strings keep their length.

    Examples
    --------
    >>> from wideberth import NeighborsClassifier
    >>> model = NeighborsClassifier("levenshtein", n_neighbors=1).fit(
    ...     ["tea", "rum"], ["soft", "hard"]
    ... )
    >>> search = AdversarialSearch(model, "tea", np.str_("soft"), max_questions=200)
    >>> attack_string(
    ...     search, np.array(["rum"], dtype=object), list("tearum"), np.random.default_rng(0)
    ... )
    >>> search.distance
    2.0
    """
    resizable = _compares_any_lengths(search)
    if not resizable:
        alike = [place for place, enemy in enumerate(enemies) if len(enemy) == len(search.target)]
        enemies = sample.pick(enemies, np.array(alike, dtype=np.intp))
    for enemy in nearest_first(search, enemies, _ENEMIES):
        _take_edits_back(search, enemy, resizable)
    if len(letters) > _LETTERS:
        letters = [
            letters[place]
            for place in np.sort(generator.choice(len(letters), _LETTERS, replace=False))
        ]
    _beam_search(search, letters, resizable, generator)
    if search.closest is not None:
        _take_edits_back(search, search.closest, resizable)


def single_edits(string: Any, letters: list[Any], resizable: bool = True) -> list[Any]:
    """All strings that are one substitution, swap of neighbours, deletion or insertion away.

    Examples
    --------
    >>> single_edits("ab", ["c"])
    ['cb', 'ac', 'ba', 'b', 'a', 'cab', 'acb', 'abc']
    """
    n, parts = len(string), [_same_type(string, [letter]) for letter in letters]
    found = [string[:at] + part + string[at + 1 :] for at in range(n) for part in parts]
    found += [
        string[:at] + string[at + 1 : at + 2] + string[at : at + 1] + string[at + 2 :]
        for at in range(n - 1)
    ]
    if resizable:
        found += [string[:at] + string[at + 1 :] for at in range(n)]
        found += [string[:at] + part + string[at:] for at in range(n + 1) for part in parts]
    return [edited for edited in found if edited != string]


def apply_edits(string: Any, other: Any, edits: list[Edit]) -> Any:
    """Apply some of the edits that turn a string into another.

    Examples
    --------
    >>> edits = [("replace", 0, 0), ("insert", 3, 3)]
    >>> apply_edits("tea", "seat", edits), apply_edits("tea", "seat", edits[1:])
    ('seat', 'teat')
    """
    letters, at = [], 0
    for operation, place, there in edits:
        letters += list(string[at:place])
        letters += [] if operation == "delete" else [other[there]]
        at = place if operation == "insert" else place + 1
    return _same_type(string, letters + list(string[at:]))


def _same_type(string: Any, letters: list[Any]) -> Any:
    """Letters as a sequence of the same type as the string."""
    return "".join(letters) if isinstance(string, str) else type(string)(letters)


def _compares_any_lengths(search: AdversarialSearch) -> bool:
    """Whether the metric can compare the target with a longer string."""
    try:
        search.distances([search.target + search.target[:1], search.target])
    except InvalidInput:
        return False
    return True


def _take_edits_back(search: AdversarialSearch, enemy: Any, resizable: bool) -> None:
    """Take back edits that lead to an enemy, as long as the label stays another one than the
    target's.

    Blocks of edits are taken back first, half of them at once, and shorter blocks where that fails.
    """
    edits = _edits(search.target, enemy, resizable)
    search.ask([enemy], search.distances([enemy]))
    together = max(1, len(edits) // 2)
    while len(edits) > 1 and together and search.questions_left > 0:
        without = [
            edits[:start] + edits[start + together :] for start in range(0, len(edits), together)
        ]
        nearer = [apply_edits(search.target, enemy, kept) for kept in without]
        changed = np.flatnonzero(search.ask(nearer, search.distances(nearer)))
        if len(changed):
            edits = without[
                changed[
                    search.leads(
                        [nearer[candidate] for candidate in changed], already_asked=True
                    ).argmin()
                ]
            ]
        together = min(together, len(edits) // 2 or 1) if len(changed) else together // 2


def _edits(target: Any, enemy: Any, resizable: bool) -> list[Edit]:
    """The edits that turn the target into an enemy, in the order of their positions.

    Without ``resizable`` both have the same length, and the edits are substitutions.
    """
    if resizable:
        return [
            (edit.tag, edit.src_pos, edit.dest_pos) for edit in Levenshtein.editops(target, enemy)
        ]
    return [("replace", at, at) for at in range(len(target)) if target[at] != enemy[at]]


def _beam_search(
    search: AdversarialSearch, letters: list[Any], resizable: bool, generator: np.random.Generator
) -> None:
    """Edit the target, and then the edited strings with the smallest leads, until no string is
    closer than the closest found.
    """
    beam, seen = [search.target], {_key(search.target)}
    depth = (
        _DEPTH if search.closest is None else len(_edits(search.target, search.closest, resizable))
    )
    width = int(
        np.clip(
            search.questions_left
            // max(1, depth * len(single_edits(search.target, letters, resizable))),
            1,
            _BEAM,
        )
    )
    while beam and search.questions_left > 0:
        candidates = []
        for edited in (
            edited for string in beam for edited in single_edits(string, letters, resizable)
        ):
            if _key(edited) not in seen:
                seen.add(_key(edited))
                candidates.append(edited)
        distances = search.distances(candidates)
        closer = generator.permutation(
            np.flatnonzero((distances < search.distance) & (distances > 0))
        )[: search.questions_left]
        candidates = [candidates[place] for place in closer]
        changed = search.ask(candidates, distances[closer])
        kept = [
            candidate
            for candidate, is_changed in zip(candidates, changed, strict=True)
            if not is_changed
        ]
        beam = (
            [
                kept[place]
                for place in np.argsort(search.leads(kept, already_asked=True), kind="stable")[
                    :width
                ]
            ]
            if kept
            else []
        )


def _key(string: Any) -> Any:
    return string if isinstance(string, str | bytes) else tuple(string)
