"""Attacks on certified radii of texts in every unit that a model claims, for the tests and for the
page about reliability.

What a step of a unit is, is written here once more and does not ask the library: an edit puts in,
takes out or replaces one character, a word edit one word. A radius of r claims that no ceil(r) - 1 steps change the
label. All texts one step away are tried, all or many that are two steps away, random walks, and
walks that take the step after which the lead of the label is smallest.
"""

import math
from itertools import product

import numpy as np
from attacked_radii import CLASSIFIERS

import wideberth as wb
from wideberth.errors import InvalidInput, NotCertified, UnsolvedProgram

#: Letters of the texts, and such as an adversary may choose: white space, letters without a lower
#: case of one letter, marks.
LETTERS = "ab "
ADVERSARIAL = "b \u2003\x1cİΣς\u0301\x00\U0001e900\ud800"

METRICS = {
    "levenshtein": wb.metric("levenshtein"),
    "indel": wb.metric("indel"),
    "damerau": wb.metric("damerau"),
    "hamming": wb.metric("hamming"),
    "normalized_levenshtein": wb.metric("normalized_levenshtein"),
    "weighted_edit": wb.metric("weighted_edit"),
    "weighted_edit, own costs": wb.metric(
        "weighted_edit", gap=2.0, substitution=1.5, substitutions={("a", "b"): 0.25}
    ),
    "weighted_edit, runs": wb.metric(
        "weighted_edit", gap=0.5, substitution=np.inf, gaps={" ": 0.25}, opening=0.75
    ),
    "words": wb.metric("words"),
    "ngrams": wb.metric("ngrams"),
    "ngrams in texts": wb.metric("ngrams", orders=(1, 2), at="text"),
    "share of ngrams": wb.metric("ngrams", orders=(1, 2), form="ruzicka"),
    "share of pairs in texts": wb.metric("ngrams", orders=(2,), at="text", form="ruzicka"),
    "rare_ngrams": wb.metric("rare_ngrams", orders=(1, 2)),
    "affixes": wb.metric("affixes", prefixes=(1,), suffixes=(1, 2)),
    "scaled": wb.transforms.scale("indel", 0.37),
    "capped": wb.transforms.cap("indel", 20),
    "root": wb.transforms.power("indel", 0.5),
    "saturated": wb.transforms.saturate(wb.transforms.scale("damerau", 0.05)),
    "one minus exp": wb.transforms.one_minus_exp("indel", 0.05),
    "sum": wb.transforms.total("indel", wb.transforms.scale("words", 0.25)),
    "sum of two costs": wb.transforms.total(
        wb.metric("weighted_edit", gap=5, substitution=5, substitutions={("a", "b"): 0.1}),
        wb.metric("weighted_edit", gap=5, substitution=5, substitutions={("a", "b"): 8}),
    ),
    "largest": wb.transforms.largest("damerau", wb.metric("ngrams", orders=(1,))),
}
#: Those of `attacked_radii` whose radii are of the same kind as those of another.
_ALIKE = {"lp, gaussian", "svm, overlap", "svm, clip", "svm, landmarks"}
#: The families of classifiers: one of each kind of radius among those of `attacked_radii`, and the
#: linear one.
FAMILIES = {name: make for name, make in CLASSIFIERS.items() if name not in _ALIKE} | {
    "linear": lambda metric, unit: wb.LinearLipschitzClassifier(
        metric, edits=0, min_count=1, n_jobs=1
    ),
    "linear, exact": lambda metric, unit: wb.LinearLipschitzClassifier(
        metric, edits=1, min_count=1, n_jobs=1
    ),
}
#: What may be asked for, and the steps that are meant; None is the metric of the model.
UNITS = {
    "edit": "levenshtein",
    "indel": "indel",
    "replacement": "hamming",
    "damerau step": "damerau",
    "word": "word_edit",
    "weighted_edit": "levenshtein",  # its default costs are 1
    None: None,
}
#: The length of the longest texts; steps, texts at two steps and random walks that are tried at
#: most for each.
LONGEST = 40
_MOST_STEPS, _MOST_TEXTS, _WALKS = 4, 500, 6


def one_step_away(text, letters):
    """All texts that are one step away, by the metric that counts such steps."""
    cuts = [(text[:at], text[at:]) for at in range(len(text) + 1)]
    resized = {before + rest[1:] for before, rest in cuts if rest}
    resized |= {before + letter + rest for before, rest in cuts for letter in letters}
    replaced = {before + letter + rest[1:] for before, rest in cuts if rest for letter in letters}
    swapped = {before + rest[1] + rest[0] + rest[2:] for before, rest in cuts if len(rest) > 1}
    words, new = text.split(), {letter for letter in letters if letter.split()} | {"ab", "ba"}
    cuts = [(words[:at], words[at:]) for at in range(len(words) + 1)]
    reworded = {" ".join(before + rest[1:]) for before, rest in cuts if rest}
    reworded |= {
        " ".join([*before, word, *rest[far:]])
        for before, rest in cuts
        for word in new
        for far in (0, 1)
    }
    found = {
        "word_edit": reworded,
        "indel": resized,
        "hamming": replaced,
        "levenshtein": resized | replaced,
        "damerau": resized | replaced | swapped,
    }
    return {name: texts - {text} for name, texts in found.items()}


def steps_within(radius):
    """The number of steps that a radius claims to be safe."""
    return _MOST_STEPS if radius == math.inf else min(_MOST_STEPS, max(0, math.ceil(radius) - 1))


def leads_of(model, texts, label):
    """By how much the label leads in each text; negative where another one wins."""
    scores = model.decision_function(texts)
    scores = np.stack([-scores, scores], axis=1) if scores.ndim == 1 else scores
    own = int(np.flatnonzero(model.classes_ == label)[0])
    return scores[:, own] - np.delete(scores, own, axis=1).max(axis=1)


def texts_inside(model, text, radius, label, kind, letters, random):
    """Texts that are strictly closer than a radius in steps of a kind; see the module."""
    steps = steps_within(radius)
    if not steps:
        return set()

    def away(one):
        return sorted(one_step_away(one, letters)[kind])

    ring = away(text)
    found = set(ring)
    if steps >= 2 and ring:
        near = (
            ring
            if len(ring) ** 2 <= _MOST_TEXTS
            else [ring[at] for at in random.integers(len(ring), size=2)]
        )
        found = found.union(*map(away, near))
    for _ in range(_WALKS):
        walked = text
        for _ in range(steps):
            reached = away(walked)
            walked = reached[random.integers(len(reached))] if reached else walked
            found.add(walked)
    greedy = text
    for _ in range(steps):
        reached = away(greedy)
        if reached:
            greedy = reached[int(leads_of(model, reached, label).argmin())]
            found.add(greedy)
    return found


def texts_closer(metric, text, radius, letters, random):
    """Texts that are strictly closer than a radius in a metric, among those a few steps away."""
    kind = "hamming" if metric.name == "hamming" else "damerau"
    tried = one_step_away(text, letters)[kind]
    tried = sorted(
        tried.union(
            *(
                one_step_away(one, letters)[kind]
                for one in sorted(tried)[:: max(1, len(tried) // 6)]
            )
        )
    )
    some = (
        [tried[place] for place in random.integers(len(tried), size=min(len(tried), 150))]
        if tried
        else []
    )
    return (
        {one for one, far in zip(some, metric.block([text], some)[0], strict=True) if far < radius}
        if some
        else set()
    )


def drawn_texts(random, metric, n, longest):
    """Texts of two classes in turns, of which one has more a and the other more b, the more the
    longer they may be.

    Short ones are near the border between the labels, long ones far from it; of one length where
    the metric compares places.
    """
    lengths = (
        np.full(n, longest)
        if metric.name == "hamming"
        else random.integers(1 + longest // 2, longest + 1, size=n)
    )
    shares = 0.45 + 0.4 * longest / LONGEST, 0.45 - 0.4 * longest / LONGEST
    drawn = []
    for place, length in enumerate(lengths.tolist()):
        a, b = shares[:: 1 - 2 * (place % 2)]
        drawn.append("".join(random.choice(list(LETTERS), size=length, p=[a, b, 0.1])))
    return drawn


def attacked_model(family, metric, seed, units=tuple(UNITS)):
    """Rows (unit, moves, false) of a model of a family learned on random texts, for all units that
    it claims; None if refused.
    """
    random, measure = np.random.default_rng(seed), METRICS[metric]
    longest = (7, 16, LONGEST)[seed % 3]
    texts, asked = (
        drawn_texts(random, measure, 10, longest),
        drawn_texts(random, measure, 3, longest),
    )
    model = FAMILIES[family](measure, 1.0)
    try:
        model.fit(texts, np.arange(10) % 2)
    except (InvalidInput, NotCertified, UnsolvedProgram):
        return None
    asked, rows = [*asked, texts[0]], []
    labels = model.predict(asked)
    for unit in units:
        try:
            radii = model.certified_radius(asked, unit)
        except NotCertified:
            continue
        moves = false = 0
        for text, radius, label in zip(asked, radii.tolist(), labels, strict=True):
            for letters in (LETTERS, ADVERSARIAL) if seed % 2 else (LETTERS,):
                if unit is None:
                    inside = texts_closer(model.metric_, text, radius, letters, random)
                else:
                    inside = texts_inside(model, text, radius, label, UNITS[unit], letters, random)
                moves += len(inside)
                false += int((model.predict(sorted(inside)) != label).sum()) if inside else 0
        rows.append((unit or "the metric itself", moves, false))
    return rows


def attacked_units(seeds=range(3), metrics=tuple(METRICS), families=tuple(FAMILIES)):
    """Rows (metric, unit, moves, false): moves inside the radii that all families claim in a unit,
    and changed labels.

    A unit in which no family proves a radius has no row.
    """
    counts = {}
    for metric, family, seed in product(metrics, families, seeds):
        for unit, moves, false in attacked_model(family, metric, seed) or []:
            before = counts.get((metric, unit), (0, 0))
            counts[metric, unit] = before[0] + moves, before[1] + false
    return [(*names, *count) for names, count in counts.items()]
