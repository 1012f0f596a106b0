"""Certified answers under edits of whole words and under synonyms, on AG-News and on reviews of
films (IMDB).
"""

import csv
import gzip
import json
import re
import sys
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone
from threadpoolctl import threadpool_limits

import wideberth as wb
from benchmarks.certified import deletion
from benchmarks.certified.samples import CUTS, Cut, cut
from benchmarks.certified.texts import share_row
from benchmarks.data import DATA
from benchmarks.keeping import kept
from benchmarks.outside_data import missing
from benchmarks.results import Facts
from benchmarks.rows import Row
from benchmarks.timing import table

#: Numbers of moves at which answers are certified, and the name that means all words at once.
MOVES, ALL = (0, 1, 2, 3, 5, 10), "all"
#: Words and punctuation marks, in lower case.
METRIC: Any = ("words", {"tokens": "punctuation"})
#: How settings are chosen: on folds of (some of) the texts to learn from alone, for certificates
#: at one word, among those within a point of the best accuracy.
CHOSEN: dict[str, Any] = {
    "scoring": "certified",
    "radius": 1,
    "floor": 0.01,
    "random_state": 0,
    "tol": 0.03,
    "n_jobs": 1,
}
NEWS = {"unit": "word", "C": [0.3, 1.0, 3.0], "edits": 2, "cv": 3}
REVIEWS = {"unit": "word", "C": [0.1, 0.3, 1.0], "edits": 3, "cv": 2}
SYNONYMS = {"unit": "synonym", "C": [0.1, 0.3, 1.0], "cv": 2}
#: On how many of the reviews settings are chosen; all are learned from.
FOR_CHOICE = 4_000
#: How many of the texts asked about are attacked, and with how many moves.
ATTACKED, ATTACKS = 100, (0, 1, 2, 3, 5)
#: With which probabilities the peer leaves words out, and from how many such copies of a text it
#: learns.
DELETED, COPIES = (0.8, 0.9), {"AG-News": 3, "IMDB": 1}
PEERS = {"the same scores": deletion.linear(wb.metric(METRIC[0], **METRIC[1]))} | {
    "TF-IDF and logistic regression": deletion.tfidf
}
#: The one that is ours.
OURS = "linear scores"
TRAIN, TEST, TABLE = "imdb_train.csv.gz", "imdb_test.csv.gz", "counterfitted_neighbors.json.gz"
#: What was published for synonyms.
JIA = (0.75, "interval bounds (Jia et al., EMNLP 2019), published")


def films(seed: int) -> Cut:
    """The official split of IMDB: 25,000 reviews to learn from, in random order, and 25,000 asked
    about.
    """
    (texts, labels), (asked, truth) = _reviews(TRAIN), _reviews(TEST)
    order = np.random.default_rng(seed).permutation(len(texts))
    places = np.arange(len(asked))
    return Cut("IMDB", [texts[i] for i in order], labels[order], asked, truth, places)


def _reviews(file: str) -> tuple[list[str], Any]:
    """The reviews of a file, ends of lines as spaces, and their labels."""
    with gzip.open(DATA / file, "rt", encoding="utf-8", newline="") as opened:
        _, *rows = csv.reader(opened)
    return [text.replace("<br />", " ") for _, text in rows], np.array([label for label, _ in rows])


def counterfitted() -> dict[str, list[str]]:
    """The table of synonyms, without what is not one word."""
    words = re.compile(r"[\w']+")
    with gzip.open(DATA / TABLE, "rt", encoding="utf-8") as file:
        given = json.load(file)
    return {
        word: [other for other in others if words.fullmatch(other)]
        for word, others in given.items()
        if words.fullmatch(word)
    }


class Task(NamedTuple):
    """Texts, cut by seeds, what is chosen from, and on how many texts."""

    sample: Callable[[int], Cut]
    seeds: Sequence[int]
    settings: dict[str, Any]
    for_choice: int | None = None

    @property
    def filled(self) -> dict[str, Any]:
        """The settings, with the table of synonyms if they are about them."""
        table = {"synonyms": counterfitted()} if self.settings["unit"] == "synonym" else {}
        return {**self.settings, **table}


SETS: dict[str, tuple[list[str], Task]] = {
    "AG-News, edits of words": (["ag_news_test.csv"], Task(partial(cut, "AG-News"), CUTS, NEWS)),
    "IMDB, edits of words": ([TRAIN, TEST], Task(films, CUTS[:1], REVIEWS, FOR_CHOICE)),
    "IMDB, synonyms": ([TRAIN, TEST, TABLE], Task(films, CUTS[:1], SYNONYMS, FOR_CHOICE)),
}


def measure() -> Facts:
    """The facts of the sets that are there; outcomes that there was no time for are left out."""
    there = {name: task for name, (files, task) in SETS.items() if not missing(files)}
    found: Facts = {}
    with threadpool_limits(1), warnings.catch_warnings(action="ignore"):
        for name, task in there.items():
            for seed in task.seeds:
                sample = task.sample(seed)
                sizes = {"learned": len(sample.texts), "asked": len(sample.asked)}
                of_set = found.setdefault(name, {**sizes, "largest_class": [], "methods": {}})
                of_set["largest_class"].append(sample.largest_class)
                for title, of in _methods(task).items():
                    facts = kept(
                        "certified.moved_words",
                        f"{name}, {title}, {seed}",
                        partial(of, sample, task),
                    )
                    if facts is not None:
                        of_set["methods"].setdefault(title, []).append(facts)
                        print(name, title, seed, facts, file=sys.stderr, flush=True)
    return found


def _methods(task: Task) -> dict[str, Callable[[Cut, Task], Facts]]:
    """Ours, and for edits of words the peers."""
    return {OURS: ours} | {
        f"{100 * probability:.0f} % deleted, {title}": partial(
            deleted, learn=learn, probability=probability
        )
        for probability in DELETED
        for title, learn in PEERS.items()
        if task.settings["unit"] == "word"
    }


def ours(found: Cut, task: Task) -> Facts:
    """Choose settings on folds of some texts to learn from, learn from all of them, and certify
    answers on those asked about.
    """
    metric, unit = wb.metric(METRIC[0], **METRIC[1]), task.settings["unit"]
    started = time.process_time()
    chooser = wb.LinearLipschitzClassifierCV(metric, **CHOSEN, **task.filled)
    chooser.fit(found.texts[: task.for_choice], found.labels[: task.for_choice])
    model = chooser.best_estimator_
    if task.for_choice is not None:
        model = clone(model).fit(found.texts, found.labels)
    learned = time.process_time()
    radii = model.certified_radius(found.asked, unit=unit)
    asked = time.process_time()
    right = model.predict(found.asked) == found.truth
    attacks = wb.guarantees.attack(model, found.asked[:ATTACKED], unit=unit)
    nearest = np.array([each.distance for each in attacks])
    facts = {
        "features": len(model.feature_names_),
        "chosen": {name: chooser.best_params_[name] for name in ("C", "edits")},
        "certified": {
            **{str(moves): float(np.mean(right & (radii > moves))) for moves in MOVES},
            ALL: float(np.mean(right & np.isinf(radii))),
        },
        "attacks_that_differ": int(np.sum(nearest != radii[: len(attacks)])),
        "fit_seconds": learned - started,
        "radius_milliseconds": 1000 * (asked - learned) / len(found.asked),
    }
    if unit == "word":
        of_words = deletion.scorer_of(model)
        words = words_of(found.asked[:ATTACKED])

        def labels(texts: list[list[str]]) -> Any:
            return model.predict([" ".join(each) for each in texts])

        facts["attacked"] = under_attack(of_words, words, found, model.classes_, labels)
    return facts


def deleted(found: Cut, task: Task, learn: deletion.Learn, probability: float) -> Facts:
    """Randomised deletion around a classifier that learns from texts with words left out."""
    random = np.random.default_rng(0)
    started = time.process_time()
    known, copies = words_of(found.texts), COPIES[found.name]
    once = deletion.thinned(known[: task.for_choice], probability, 1, random)
    often = deletion.thinned(known, probability, copies, random)
    scorer = learn(
        (once, found.labels[: task.for_choice]), (often, np.repeat(found.labels, copies))
    )
    learned = time.process_time()
    words, classes = words_of(found.asked), np.unique(found.labels)
    votes = [deletion.elected(scorer, each, probability, random) for each in words]
    asked = time.process_time()
    right = classes[[each.winner for each in votes]] == found.truth
    radii = np.array([each.radius for each in votes])

    def labels(texts: list[list[str]]) -> Any:
        again = [deletion.elected(scorer, each, probability, random) for each in texts]
        return classes[[each.winner for each in again]]

    return {
        "certified": {
            "0": float(np.mean(right)),
            **{str(moves): float(np.mean(right & (radii >= moves))) for moves in MOVES[1:]},
        },
        "attacked": under_attack(scorer, words[:ATTACKED], found, classes, labels),
        "fit_seconds": learned - started,
        "radius_milliseconds": 1000 * (asked - learned) / len(found.asked),
    }


def words_of(texts: list[str]) -> list[list[str]]:
    """The words of texts, in lower case."""
    return [list(words) for words in wb.metric("word_edit", **METRIC[1]).prepare(texts)]


def under_attack(
    scorer: deletion.LinearScorer,
    texts: list[list[str]],
    found: Cut,
    classes: Any,
    labels: Callable[[list[list[str]]], Any],
) -> list[float]:
    """The shares of the first texts asked about that are right, and that no attack with so many
    moves has changed; one attack for all.
    """
    before = labels(texts)
    right, shares = before == found.truth[: len(texts)], []
    for moves in ATTACKS:
        for place, words in enumerate(texts if moves else []):
            winner = int(np.flatnonzero(classes == before[place])[0])
            if right[place]:
                changed = list(deletion.worst_texts(scorer, words, winner, moves))
                right[place] = bool((labels(changed) == before[place]).all())
        shares.append(float(np.mean(right)))
    return shares


def mean(outcomes: list[Facts], moves: str) -> float:
    """The mean over the cuts of a share that is certified."""
    return float(np.mean([each["certified"].get(moves, np.nan) for each in outcomes]))


def rows(facts: Facts) -> Iterator[Row]:
    """Edits of words beside randomised deletion, and synonyms beside the published figure, which was
    measured by others.
    """
    for name, found in facts.items():
        about = {"set": name, "asked": found["asked"]}
        of_ours, *peers = found["methods"].values()
        for moves in map(str, MOVES[:3] if peers else ()):
            best = max(found["methods"], key=lambda title: _of_peer(found, title, moves))
            shares = mean(of_ours, moves), mean(found["methods"][best], moves)
            yield share_row(about, f"after {moves} edits", shares[0], best, shares[1])
        if not peers:
            yield share_row(about, "all words at once", mean(of_ours, ALL), *JIA[::-1])


def _of_peer(found: Facts, title: str, moves: str) -> float:
    return -1.0 if title == OURS else mean(found["methods"][title], moves)


def page(facts: Facts) -> str:
    return "\n\n".join(
        [
            f"## Edits of words, and synonyms\n\n{WORDS}",
            *(_table(name, found) for name, found in facts.items()),
            EFFORT,
            _efforts(facts),
        ]
    )


def _table(name: str, found: Facts) -> str:
    """The shares of one set: means over the cuts, and the largest deviation of a mean."""
    of_ours = found["methods"][OURS]
    shown = [moves for moves in (*map(str, MOVES), ALL) if mean(of_ours, moves) or moves != ALL]
    head = [name, "right", *(f"any {moves}" if moves != ALL else ALL for moves in shown[1:])]
    head += ["±", "after attacks"]
    lines = []
    for title, outcomes in found["methods"].items():
        shares = np.array(
            [[each["certified"].get(moves, np.nan) for moves in shown] for each in outcomes]
        )
        attacked = np.mean([each.get("attacked", []) for each in outcomes], axis=0)
        spread = f"{100 * shares.std(axis=0).max():.1f}" if len(outcomes) > 1 else ""
        lines.append(
            [
                title,
                *(f"{100 * share:.1f}" for share in shares.mean(axis=0)),
                spread,
                " / ".join(f"{100 * share:.0f}" for share in attacked),
            ]
        )
    constant = [f"{100 * np.mean(found['largest_class']):.1f}"] * len(shown)
    sizes = f"{found['learned']:,} texts learned, {found['asked']:,} others asked about."
    return f"{sizes}\n\n{table(head, [*lines, ['the largest class', *constant, '', '']])}"


def _efforts(facts: Facts) -> str:
    lines = []
    for name, found in facts.items():
        of_ours = found["methods"][OURS]
        chosen = dict.fromkeys(
            ", ".join(f"{what} = {value}" for what, value in each["chosen"].items())
            for each in of_ours
        )
        differ = sum(each["attacks_that_differ"] for each in of_ours)
        fit, radius = (
            np.mean([each[what] for each in of_ours])
            for what in ("fit_seconds", "radius_milliseconds")
        )
        lines.append(
            [
                name,
                f"{of_ours[0]['features']:,}",
                "; ".join(chosen),
                f"{fit:.0f}",
                f"{radius:.2g}",
                f"{differ} of {ATTACKED * len(of_ours):,}",
            ]
        )
    return table(["set", "words", "chosen", "fit", "radius", "exact attacks"], lines)


WORDS = f"""\
*Any k*: the share of texts whose label is right and proved to stay so under any k word edits, each of which puts one word in,
takes one out or replaces one by any other; or, for synonyms, with any k words replaced by any of their synonyms, *all* of them
at once. Words are runs of letters, digits and apostrophes, and single punctuation marks, in lower case. AG-News is cut as in the
section of that name, by {len(CUTS)} seeds: shares are means over them, ± the largest of their standard deviations. IMDB has its
official split, and programs are convex: nothing is random but the texts that settings are chosen on, and by one other seed those
for edits of words were the same. Synonyms are neighbours of counter-fitted word vectors; entries that are not one word were left
out.

*Linear scores* are `LinearLipschitzClassifier`; all radii are exact. The price C is chosen on folds of the texts to learn from
alone (of IMDB on {FOR_CHOICE:,} of them): the most certified at one move, among those within a point of the best accuracy.
*Deleted*: randomised deletion (RS-Del, NeurIPS 2023; CERT-ED), a vote over {deletion.COUNTED:,} copies of a text in which each
word is left out with the probability named, by its published bound at the level {deletion.ALPHA}; around linear scores of ours
without edits, and around TF-IDF of words and a logistic regression (C of 1, 3 and 10, 200 steps at most), both learned from
such copies (of AG-News {COPIES["AG-News"]} a text), with prices on folds; more prices and copies were given up after a look at
300 texts of another cut, for time, and may have been worth something to it. Its radius cannot exceed 6 words at 90 %, and 3
at 80 %. Interval-bound networks (Jia et al., EMNLP 2019) have 75 % on IMDB under
synonyms from the same kind of vectors, which a language model filters as well: their task is easier, and the number is quoted. A
constant is certified at the share of the largest class.

*After attacks*: of the first {ATTACKED} texts, the share that is right and that one attack for all did not change, with
{", ".join(map(str, ATTACKS))} words: those that speak most for the label, by the weights of the scores, are replaced by the one
that speaks most against it. From sums nothing takes more; for the peers, whose scores have norms and whose answers are votes, it
is an attempt, and the true share is between what is certified and what the attack leaves."""
EFFORT = """\
*fit*: seconds of CPU, the choice included; *radius*: milliseconds of CPU for a certified radius; *exact attacks*: of the first
texts, those whose nearest text with another label, as `attack` writes it, is at another distance than the radius says."""
