"""Sets of labels that contain the true one with a proved probability, beside those of crepes for
the same classifier.
"""

import sys
import time
import warnings
from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
from sklearn.datasets import load_digits

import wideberth as wb
from benchmarks.data import DATA, Labels
from benchmarks.keeping import kept
from benchmarks.results import Facts
from benchmarks.rows import Row
from benchmarks.timing import table
from wideberth.array_types import Integers
from wideberth.geometry.classes.duplicates import group_equal

#: Objects to learn from, to calibrate with and to ask about, and the fewest of a class among the
#: first ones, as calibration of probabilities has five folds.
LEARNED, CALIBRATED, ASKED, FEWEST = 800, 400, 800, 5
#: The share of sets that may miss the true label, and how often the objects that were not learned
#: from are cut in two.
DELTA, CUTS = 0.1, 10
#: Files beside the repository, and their metrics.
FILES = {"words_6_languages": "ngrams", "names_18_nationalities": "ngrams", "bbbp": "ngrams"}
OURS = "wideberth"
#: The ways of crepes to tell how strange a label is: one minus its probability, and by how much
#: another one leads.
PEERS = ("hinge", "margin")


def sets() -> Iterator[tuple[str, str, Any, Labels]]:
    """Name, metric, objects and labels: those that install with packages first."""
    digits, (names, sexes) = load_digits(), wb.datasets.load_first_names()
    yield _drawn("digits", "euclidean", list(digits.data), digits.target)
    yield _drawn("first names", "ngrams", list(names), np.asarray(sexes))
    for name, metric in FILES.items():
        if (DATA / f"{name}.csv").exists():
            records = wb.read(DATA / f"{name}.csv", kind="strings")
            yield _drawn(name, metric, records.objects, np.asarray(records.labels))


def _drawn(
    name: str, metric: str, objects: list[Any], labels: Labels
) -> tuple[str, str, Any, Labels]:
    """A part of a set in random order, without objects equal to one before: calibration needs
    objects that are new.
    """
    some = np.random.default_rng(0).permutation(len(labels))[: LEARNED + CALIBRATED + ASKED]
    some = some[group_equal([objects[place] for place in some], metric).representatives]
    classes, counts = np.unique(labels[some[:LEARNED]], return_counts=True)
    some = some[np.isin(labels[some], classes[counts >= FEWEST])]
    return name, metric, [objects[place] for place in some], labels[some]


def models(metric: Any) -> dict[str, Any]:
    """Classifiers with probabilities, which crepes needs."""
    return {
        "15 neighbours": wb.NeighborsClassifier(metric, n_neighbors=15),
        "Lipschitz": wb.LipschitzClassifier(metric, calibrate=5, random_state=0),
        "SVM": wb.HilbertSVC(metric, repair="clip", calibrate=5, random_state=0),
    }


def outcome(title: str, metric: str, objects: Any, labels: Labels) -> Facts:
    """One classifier on one set: for each way, and each cut, the share of sets with the true label,
    and their sizes.
    """
    space, codes = wb.MetricSpace(objects, metric), np.unique(labels, return_inverse=True)[1]
    known, new = np.arange(LEARNED), np.arange(LEARNED, len(codes))
    model = models(space.metric)[title].fit(space.index[known], codes[known])
    found: dict[str, dict[str, list[float]]] = {
        way: {"right": [], "size": [], "cpu": []} for way in (OURS, *PEERS)
    }
    for cut in range(CUTS):
        order = np.random.default_rng(cut).permutation(new)
        calibration, asked = order[:CALIBRATED], order[CALIBRATED:]
        for way, each in found.items():
            started = time.process_time()
            members = members_of(way, model, space.index, codes, calibration, asked)
            each["cpu"].append(time.process_time() - started)
            each["right"].append(float(members[np.arange(len(asked)), codes[asked]].mean()))
            each["size"].append(float(members.sum(axis=1).mean()))
    return {"classes": len(np.unique(codes)), "asked": len(new) - CALIBRATED, "ways": found}


def members_of(
    way: str, model: Any, index: Any, codes: Integers, calibration: Integers, asked: Integers
) -> Any:
    """For each object asked about and each label, whether it is in the set."""
    if way == OURS:
        return wb.predict_set(
            model, index[asked], DELTA, (index[calibration], codes[calibration]), independent=True
        ).members
    from crepes import WrapClassifier
    from crepes.extras import hinge, margin

    wrapped = WrapClassifier(model)
    wrapped.calibrate(
        index[calibration], codes[calibration], nc={"hinge": hinge, "margin": margin}[way]
    )
    members = wrapped.predict_set(index[asked], labels=False, confidence=1 - DELTA, smoothing=False)
    return np.asarray(members).astype(bool)


def measure() -> Facts:
    found = []
    with warnings.catch_warnings(action="ignore"):
        for name, metric, objects, labels in sets():
            for title in models(metric):
                run = partial(outcome, title, metric, objects, labels)
                each = kept("prediction_sets", f"{name}, {title}", run)
                if each is not None:
                    found.append({"name": name, "model": title} | each)
                    print(
                        name,
                        title,
                        {way: np.mean(it["size"]) for way, it in each["ways"].items()},
                        file=sys.stderr,
                        flush=True,
                    )
    return {"outcomes": found}


def rows(facts: Facts) -> Iterator[Row]:
    """The mean number of labels in a set beside both ways of crepes, all with the same proved
    probability.
    """
    for each in facts["outcomes"]:
        ours = each["ways"][OURS]["size"]
        for way in PEERS:
            theirs = each["ways"][way]["size"]
            noise = float(
                np.std(np.subtract(np.log(ours), np.log(theirs)), ddof=1)
            )  # cuts share their objects
            yield Row(
                topic="prediction sets",
                key=f"prediction_sets: {each['name']}, {each['model']}, {way}",
                ours=float(np.mean(ours)),
                peer=f"crepes, {way}",
                theirs=float(np.mean(theirs)),
                unit="labels in a set",
                noise=noise,
                installable=each["name"] in ("digits", "first names"),
            )


def page(facts: Facts) -> str:
    ways = (OURS, *(f"crepes, {way}" for way in PEERS))
    lines = [
        [
            each["name"],
            f"{each['classes']}",
            each["model"],
            *(f"{100 * np.mean(found['right']):.1f}" for found in each["ways"].values()),
            *(f"{np.mean(found['size']):.2f}" for found in each["ways"].values()),
            *(
                f"{1e6 * np.mean(found['cpu']) / each['asked']:.0f}"
                for found in each["ways"].values()
            ),
        ]
        for each in facts["outcomes"]
    ]
    head = [
        *(f"right, {way}" for way in ways),
        *(f"labels, {way}" for way in ways),
        *(f"µs, {way}" for way in ways),
    ]
    return "\n\n".join(
        ["# Sets of labels", WORDS, table(["data", "classes", "classifier", *head], lines)]
    )


WORDS = f"""\
From `make bench` (`python -m benchmarks prediction_sets`): `wideberth.predict_set` beside crepes' `WrapClassifier` with the
same fitted classifier of {LEARNED:,} objects and the same {CALIBRATED:,} calibration objects, without smoothing; all sets
contain the true label with a probability of {1 - DELTA:.0%} at least. Of equal objects one is taken. Means over {CUTS} cuts of
the other objects into those that calibrate and those asked about. *Right*: the share of sets with the true label, in %.
*Labels*: how many are in a set; fewer say more. *µs*: CPU time of a set, calibration included. Ours looks at scores: by how
much another label leads. crepes looks at probabilities: one minus that of the label (*hinge*), or by how much that of another
label is larger (*margin*)."""
