"""Answers that stay whichever few training rows are wrong, added or removed: votes of neighbours, and
votes of classifiers on parts, beside trees on the same parts.
"""

import sys
import time
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from sklearn.datasets import load_digits
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.tree import DecisionTreeClassifier
from threadpoolctl import threadpool_limits

import wideberth as wb
from benchmarks.certified.samples import CUTS, cut
from benchmarks.data import DATA, Labels
from benchmarks.keeping import kept
from benchmarks.results import Facts
from benchmarks.rows import Row
from benchmarks.timing import table

#: So many rows may be wrong, added or removed; settings are compared at `CHOSEN_AT`.
CHANGES = (1, 2, 5, 10, 20)
CHOSEN_AT = 5
LEARNED = 900
#: Numbers of votes, and of parts, that are compared.
VOTES, PARTS = (15, 51), (20, 60)


class Case(NamedTuple):
    """Objects to learn from and to ask about, and what learns from them."""

    name: str
    known: Any
    labels: Labels
    asked: Any
    truth: Labels
    metric: str
    #: Classifiers for the parts, the tree of scikit-learn last.
    single: dict[str, Any]


def measure() -> Facts:
    """The outcomes of all methods on all cuts; those that there was no time for are left out."""
    found: Facts = {}
    with threadpool_limits(1), warnings.catch_warnings(action="ignore"):
        for seed in CUTS:
            for case in _cases(seed):
                _measure_case(case, seed, found)
    return {"cases": list(found.values())}


def _measure_case(case: Case, seed: int, found: Facts) -> None:
    sizes = {"learned": len(case.labels), "asked": len(case.truth), "largest_class": []}
    of_case = found.setdefault(case.name, {"name": case.name, **sizes, "methods": {}})
    largest = np.unique(case.truth, return_counts=True)[1].max() / len(case.truth)
    of_case["largest_class"].append(float(largest))
    for title, settings in _methods(case):
        outcome = kept(
            "certified.wrong_rows",
            f"{case.name}, {title}, {seed}",
            partial(_measured, case, settings),
        )
        if outcome is not None:
            of_case["methods"].setdefault(title, []).append(outcome)


def _cases(seed: int) -> Iterator[Case]:
    digits = load_digits()
    order = np.random.default_rng(seed).permutation(len(digits.target))
    known, asked = order[:LEARNED], order[LEARNED:]
    parts = {"1-NN": _nearest("euclidean"), "tree": DecisionTreeClassifier()}
    yield Case(
        *("digits", digits.data[known], digits.target[known]),
        *(digits.data[asked], digits.target[asked], "euclidean", parts),
    )
    if not DATA.exists():
        return
    counts = {
        "sms": ("words", CountVectorizer()),
        "words": ("ngrams", CountVectorizer(analyzer="char_wb", ngram_range=(1, 3))),
    }
    for name, (metric, vectorizer) in counts.items():
        texts = cut(name, seed)
        parts = {
            "linear": wb.LinearLipschitzClassifier(metric, calibrate=None),
            "1-NN": _nearest(metric),
            "tree": make_pipeline(vectorizer, DecisionTreeClassifier()),
        }
        yield Case(
            *(name, texts.texts, texts.labels, texts.asked, texts.truth),
            *("levenshtein" if name == "words" else metric, parts),
        )


def _nearest(metric: str) -> Any:
    return wb.NeighborsClassifier(metric, n_neighbors=1, calibrate=None)


def _methods(case: Case) -> Iterator[tuple[str, list[tuple[str, Callable[[], Any]]]]]:
    """Each method with its settings, of which one is chosen."""

    def neighbors(votes: int) -> Callable[[], Any]:
        return lambda: wb.NeighborsClassifier(case.metric, n_neighbors=votes, calibrate=None)

    def parts(single: Any, n_parts: int) -> Callable[[], Any]:
        return lambda: wb.PartitionVoteClassifier(single, n_parts=n_parts, verbose=-1)

    yield "neighbours", [(f"{votes} votes", neighbors(votes)) for votes in VOTES]
    for title, single in case.single.items():
        yield f"parts, {title}", [(f"{count} parts", parts(single, count)) for count in PARTS]


def _measured(case: Case, settings: list[tuple[str, Callable[[], Any]]]) -> Facts:
    """The better one of the settings, and what its answers withstand."""
    started = time.process_time()
    chosen = int(np.argmax([_on_folds(case, make) for _, make in settings]))
    setting, make = settings[chosen]
    model = make().fit(case.known, case.labels)
    right = model.predict(case.asked) == case.truth
    withstood, flips = model.certified_rows(case.asked), model.certified_flips(case.asked)
    found = {
        "setting": setting,
        "right": float(right.mean()),
        "certified": [float((right & (withstood >= changes)).mean()) for changes in CHANGES],
        "flips": [float((right & (flips >= changes)).mean()) for changes in CHANGES],
        "cpu": time.process_time() - started,
    }
    print(case.name, found, file=sys.stderr, flush=True)
    return found


def _on_folds(case: Case, make: Callable[[], Any]) -> float:
    """The share of the rows to learn from that are right, and stay so, on folds; with a third of the
    rows left out they withstand fewer changes, in proportion.
    """
    labels, score = np.asarray(case.labels), 0
    folds = StratifiedKFold(3, shuffle=True, random_state=0)
    for known, left_out in folds.split(np.zeros(len(labels)), labels):
        model = make().fit(_some(case.known, known), labels[known])
        asked = _some(case.known, left_out)
        right = model.predict(asked) == labels[left_out]
        score += int((right & (model.certified_rows(asked) >= CHOSEN_AT)).sum())
    return score / len(labels)


def _some(objects: Any, places: Any) -> Any:
    return objects[places] if isinstance(objects, np.ndarray) else [objects[at] for at in places]


def rows(facts: Facts) -> Iterator[Row]:
    """The best of ours beside trees on the same parts, at the number of changes that settings were
    chosen for.
    """
    at = CHANGES.index(CHOSEN_AT)
    for case in facts["cases"]:
        shares = {
            title: float(np.mean([each["certified"][at] for each in found]))
            for title, found in case["methods"].items()
        }
        theirs = shares.pop("parts, tree", None)
        if theirs is None or not shares:
            continue
        best = max(shares, key=lambda title: shares[title])
        errors = [
            100 * float(np.sqrt(share * (1 - share) / case["asked"]))
            for share in (shares[best], theirs)
        ]
        yield Row(
            topic="certified accuracy",
            key=f"certified: {case['name']}, {best}, after {CHOSEN_AT} changed rows",
            ours=100 * shares[best],
            peer="trees of scikit-learn on the same parts",
            theirs=100 * theirs,
            unit="% right",
            noise=float(np.hypot(*errors)),
            own_noise=errors[0],
        )


def page(facts: Facts) -> str:
    return "\n\n".join(["## Wrong, added and removed rows", WORDS, *map(_table, facts["cases"])])


def _table(case: Facts) -> str:
    head = [case["name"], "setting", "right", *(f"{n} rows" for n in CHANGES), "±", "CPU, s"]
    lines = []
    for title, found in case["methods"].items():
        settings = "; ".join(dict.fromkeys(each["setting"] for each in found))
        cpu = f"{np.mean([each['cpu'] for each in found]):.0f}"
        lines.append([title, settings, *_shares(found, "certified"), cpu])
        if any(each["flips"] != each["certified"] for each in found):
            lines.append([f"{title}, wrong labels alone", settings, *_shares(found, "flips"), ""])
    constant = [f"{100 * np.mean(case['largest_class']):.1f}"] * (1 + len(CHANGES))
    about = f"{case['learned']:,} rows learned, {case['asked']:,} asked about."
    return f"{about}\n\n{table(head, [*lines, ['the largest class', '', *constant, '', '']])}"


def _shares(found: list[Facts], what: str) -> list[str]:
    """Means over the cuts, and the largest of their standard deviations."""
    shares = np.array([[each["right"], *each[what]] for each in found])
    return [f"{100 * share:.1f}" for share in [*shares.mean(axis=0), shares.std(axis=0).max()]]


WORDS = f"""\
The share of answers that are right, and proved to stay so whichever so many rows are added, removed or wrongly labelled.
*Neighbours* is a vote by the metric; *parts* are votes of classifiers on parts by digests (`PartitionVoteClassifier`): of 1-NN,
of linear scores, and of trees of scikit-learn, which is deep partition aggregation with trees, and has no radius. Of
{VOTES[0]} or {VOTES[1]} votes, and of {PARTS[0]} or {PARTS[1]} parts, three folds of the rows to learn from chose the better at
{CHOSEN_AT} changed rows. That shows what can be reached; a statement about one's own rows needs a setting that they have not
chosen. All other settings are the usual ones. Means over {len(CUTS)} cuts, ± the largest of their standard deviations; *CPU*:
choice, fit and answers. A constant stays under any rows, right or wrong."""
