"""Attacks on the labels of strings, or of any sequences of tokens, by edits."""

from typing import Any

import numpy as np
from rapidfuzz.distance import Levenshtein

from wideberth.errors import InvalidInput
from wideberth.guarantees.attacks.attacked import Victim, in_order_of_distance

#: Objects of other labels that are approached.
_ENEMIES = 4
#: Strings that are edited on at most, after each edit those that are closest to another label.
_BEAM = 4
#: Edits that the target is thought to need if nothing was found so far.
_DEPTH = 4
#: Letters tried; where there are more, so many chosen at random.
_LETTERS = 64

Edit = tuple[str, int, int]  # what is done, where in the string, and the place of the letter in the other string


def attack_string(victim: Victim, enemies: Any, letters: list[Any], generator: np.random.Generator) -> None:
    """Look for a string with another label, first on the way to enemies, then by single edits that lower the lead.

    From an enemy, whose label is another, edits are taken back as long as that stays so, many together at first, in the end one
    by one, of several the ones that leave the label of the target behind most. The search by single edits is a beam search over
    all of them, among strings that are closer than the closest found; it ends with the questions. Strings keep their lengths
    where the metric compares strings of equal lengths only.
    """
    resizable = _takes_any_length(victim)
    for enemy in in_order_of_distance(victim, enemies, _ENEMIES):
        _come_back(victim, enemy, resizable)
    if len(letters) > _LETTERS:
        letters = [letters[place] for place in np.sort(generator.choice(len(letters), _LETTERS, replace=False))]
    _edit_on(victim, letters, resizable, generator)
    if victim.closest is not None:
        _come_back(victim, victim.closest, resizable)


def single_edits(string: Any, letters: list[Any], resizable: bool = True) -> list[Any]:
    """All strings one substitution, swap of neighbours, deletion or insertion away.

    >>> single_edits("ab", ["c"])
    ['cb', 'ac', 'ba', 'b', 'a', 'cab', 'acb', 'abc']
    """
    n, parts = len(string), [_of_kind(string, [letter]) for letter in letters]
    found = [string[:at] + part + string[at + 1 :] for at in range(n) for part in parts]
    found += [string[:at] + string[at + 1 : at + 2] + string[at : at + 1] + string[at + 2 :] for at in range(n - 1)]
    if resizable:
        found += [string[:at] + string[at + 1 :] for at in range(n)]
        found += [string[:at] + part + string[at:] for at in range(n + 1) for part in parts]
    return [each for each in found if each != string]


def apply_edits(string: Any, other: Any, edits: list[Edit]) -> Any:
    """Some of the edits, in their order, that turn a string into another.

    >>> edits = [("replace", 0, 0), ("insert", 3, 3)]
    >>> apply_edits("tea", "seat", edits), apply_edits("tea", "seat", edits[1:])
    ('seat', 'teat')
    """
    letters, at = [], 0
    for what, place, there in edits:
        letters += [string[each] for each in range(at, place)]
        letters += [] if what == "delete" else [other[there]]
        at = place if what == "insert" else place + 1
    return _of_kind(string, letters + [string[each] for each in range(at, len(string))])


def _of_kind(string: Any, letters: list[Any]) -> Any:
    """Letters as a sequence of the same kind as the string."""
    return "".join(letters) if isinstance(string, str) else type(string)(letters)


def _takes_any_length(victim: Victim) -> bool:
    """Whether the metric compares the target with a string that is longer."""
    try:
        victim.distances([victim.target + victim.target[:1], victim.target])
    except InvalidInput:
        return False
    return True


def _come_back(victim: Victim, enemy: Any, resizable: bool) -> None:
    """Take back edits that lead to an enemy, as long as the label is another one."""
    edits = _edits(victim.target, enemy, resizable)
    victim.ask([enemy], victim.distances([enemy]))
    together = max(1, len(edits) // 2)
    while len(edits) > 1 and together and victim.left > 0:
        without = [edits[:start] + edits[start + together :] for start in range(0, len(edits), together)]
        nearer = [apply_edits(victim.target, enemy, kept) for kept in without]
        changed = np.flatnonzero(victim.ask(nearer, victim.distances(nearer)))
        if len(changed):
            edits = without[changed[victim.leads([nearer[each] for each in changed], asked=True).argmin()]]
        together = min(together, len(edits) // 2 or 1) if len(changed) else together // 2


def _edits(target: Any, enemy: Any, resizable: bool) -> list[Edit]:
    """The edits from the target to an enemy, in the order of their places."""
    if resizable:
        return [(each.tag, each.src_pos, each.dest_pos) for each in Levenshtein.editops(target, enemy)]
    return [("replace", at, at) for at in range(len(target)) if target[at] != enemy[at]]


def _edit_on(victim: Victim, letters: list[Any], resizable: bool, generator: np.random.Generator) -> None:
    """Edit the target, and what is closest to another label on, until nothing is closer than what was found."""
    beam, seen = [victim.target], {_key(victim.target)}
    depth = _DEPTH if victim.closest is None else len(_edits(victim.target, victim.closest, resizable))
    width = int(np.clip(victim.left // max(1, depth * len(single_edits(victim.target, letters, resizable))), 1, _BEAM))
    while beam and victim.left > 0:
        candidates = []
        for each in (edited for string in beam for edited in single_edits(string, letters, resizable)):
            if _key(each) not in seen:
                seen.add(_key(each))
                candidates.append(each)
        distances = victim.distances(candidates)
        closer = generator.permutation(np.flatnonzero((distances < victim.distance) & (distances > 0)))[: victim.left]
        candidates = [candidates[each] for each in closer]
        changed = victim.ask(candidates, distances[closer])
        kept = [each for each, is_changed in zip(candidates, changed, strict=True) if not is_changed]
        beam = [kept[place] for place in np.argsort(victim.leads(kept, asked=True), kind="stable")[:width]] if kept else []


def _key(string: Any) -> Any:
    return string if isinstance(string, str | bytes) else tuple(string)
