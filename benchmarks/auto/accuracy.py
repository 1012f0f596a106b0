"""Errors and times of the automatic choice and of its peers, on the same folds."""

import os
import sys
import time
import warnings
from collections.abc import Iterator
from functools import partial
from itertools import product
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from benchmarks.auto.tables import (
    OURS,
    choices,
    errors,
    halves_in_words,
    ranks_and_wins,
    rows_of,
    shortfalls,
    verdict,
)
from benchmarks.keeping import kept
from benchmarks.results import Facts
from benchmarks.rows import Row

#: How often each set is halved; results are kept, and a run with more repetitions continues one
#: with fewer.
REPEATS = int(os.environ.get("AUTO_REPEATS", "5"))
#: The peers in the order of the tables.
PEERS = ("kNN", "SVM", "TF-IDF + LR", "RF on ECFP", "HistGB", "LightGBM", "1-NN DTW", "MiniRocket")
#: Seconds for choosing.
MAX_TIME = 60.0
#: The sets of a short run.
QUICK = ("wine", "breast cancer", "penguins", "digits", "phishing", "peptides")


def measure() -> Facts:
    """An outcome for each set, method and half."""
    return {
        "repeats": REPEATS,
        "max_time": MAX_TIME,
        "cores": os.cpu_count(),
        "outcomes": list(outcomes()),
    }


def quick() -> Facts:
    """One halving of the sets that install with packages and take little time."""
    found = list(outcomes(QUICK, 1))
    return {"repeats": 1, "max_time": MAX_TIME, "cores": os.cpu_count(), "outcomes": found}


def outcomes(chosen: tuple[str, ...] | None = None, repeats: int = REPEATS) -> Iterator[Facts]:
    """Sets in the outer loop, the cheapest first: a run that is stopped has all halves of the sets
    that it came to.
    """
    from benchmarks.auto.methods import automatic, peers
    from benchmarks.auto.sets import labelled_set, names

    for name in (each for each in names() if chosen is None or each in chosen):
        data = labelled_set(name)
        for repeat, half in product(range(repeats), range(2)):
            if data.fold(repeat, half) is None:
                continue
            for title, method in ({OURS: automatic(MAX_TIME)} | peers(data)).items():
                found = kept(
                    "auto.accuracy",
                    f"{name}, {title}, {repeat}.{half}",
                    partial(titled, name, title, method, repeat, half),
                )
                if found is not None:
                    yield found


def titled(name: str, title: str, method: Any, repeat: int, half: int) -> Facts:
    """The outcome of a method on a half of a set, with their names."""
    found = {"set": name, "method": title, "repeat": repeat, "half": half} | outcome(
        name, method, repeat, half
    )
    shown = (
        f"{found['wrong'] / found['asked']:.1%}, {found['wall']:.1f} s, {found['cpu']:.1f} s of CPU"
    )
    print(
        name,
        repeat,
        half,
        title,
        shown,
        found["told"].get("in words", ""),
        file=sys.stderr,
        flush=True,
    )
    return found


def outcome(name: str, method: Any, repeat: int, half: int) -> Facts:
    """How many answers are wrong, and how long it took to learn and to answer."""
    from benchmarks.auto.sets import labelled_set

    data = labelled_set(name)
    known, asked = data.fold(repeat, half)  # type: ignore[misc]
    with threadpool_limits(1), warnings.catch_warnings(action="ignore"):
        clocks = [(time.perf_counter(), time.process_time())]
        learned = method(data, known)
        clocks.append((time.perf_counter(), time.process_time()))
        answers = learned.answer(asked)
        clocks.append((time.perf_counter(), time.process_time()))
    (wall, cpu), (answer_wall, answer_cpu) = np.diff(clocks, axis=0)
    return {
        "known": len(known),
        "asked": len(asked),
        "classes": len(np.unique(data.labels)),
        "kind": data.kind,
        "wrong": int(np.sum(answers != data.labels[asked])),
        "wall": wall,
        "cpu": cpu,
        "answer_wall": answer_wall,
        "answer_cpu": answer_cpu,
        "load": os.getloadavg()[0],
        "told": learned.told,
    }


def rows(facts: Facts) -> Iterator[Row]:
    """The automatic choice beside every peer, on every set."""
    for row in rows_of(facts["outcomes"]):
        for peer in (each for each in row.outcomes if each != OURS):
            yield Row(
                topic="accuracy",
                key=f"auto: {row.name}, {peer}",
                ours=row.error(OURS),
                peer=peer,
                theirs=row.error(peer),
                unit="% wrong",
                noise=row.noise_beside(peer),
                own_noise=row.own_noise(OURS),
            )


def page(facts: Facts) -> str:
    rows = rows_of(facts["outcomes"])
    if not rows:
        return "## Errors beside peers\n\nThere was no time for a half of any set yet."
    methods = [OURS, *(each for each in PEERS if any(each in row.outcomes for row in rows))]
    load = np.median([each["load"] for each in facts["outcomes"]])
    words = WORDS.format(
        load=load, cores=facts["cores"], max_time=facts["max_time"], lacking=halves_in_words(rows)
    )
    short = shortfalls(rows, methods, WHY)
    parts = [
        LEGEND,
        verdict(rows),
        errors(rows, methods),
        ranks_and_wins(rows, methods),
        *([SHORT, short] if short else []),
        choices(rows),
        "### How it was measured",
        words,
    ]
    return "\n\n".join(["## Errors beside peers", *parts])


LEGEND = """\
Errors in % on the objects that were not learned from, the fewest in bold, and in brackets the seconds to fit by the clock, with
distances and the choice of settings. *Behind the best peer*: in points, below 0 if the automatic choice errs less, with the
standard error of the difference. [How it was measured](#how-it-was-measured)."""

WORDS = """\
Each set is cut into two halves, stratified, and each half is learned from once; the last column of the first table tells of how
many halves all methods have results (10 are 5 x 2-fold cross-validation). Series keep the split of their archive. Standard errors
are as if the answers of both were independent. The best peer is the one that turned out best on the objects asked about, which
flatters it, the more so the smaller the set.

`AutoClassifier(max_time={max_time:.0f}, random_state=0)` tries the metrics that `wideberth fit` tries on a file of such
objects. Other work ran on the machine (median load {load:.1f} on {cores} cores), and what is chosen should not depend on it:
the limit counts work, as long as an idle machine would take by the clock. Times by the clock are those of the
busy machine; the table above gives processor seconds beside them.

Peers choose on three folds of the objects to learn from. *kNN*: `NeighborsClassifier` on the usual distance of the set, k by
leave-one-out. *SVM*: `SVC` on exp(-g d²) of the same distance, 5 values of g, 3 of C. *TF-IDF + LR*: character n-grams of 1 to
5 at words, logistic regression, 3 values of C. *RF on ECFP*: 500 trees on 2048 bits. *HistGB*, *1-NN DTW* (no window) and
*MiniRocket*: as scikit-learn and aeon set them. The usual distances: normalised Levenshtein for words, names, sms and AG-News;
Hamming for promoters and splice; Tanimoto for molecules; Weisfeiler-Lehman for enzymes and proteins; normalised tree edit
distance for glycans; Kendall's shape distance for apes, which the automatic choice does not know; Gower for penguins; Euclidean
for digits, in units of the columns' spread for other numbers; MSM for series. Of names 3,000 objects were drawn, of splice
3,000, of sms 1,500, of AG-News 2,000.

Every outcome is of the commit below, the peers' too. {lacking}
The table above has the error of what was chosen on the objects that folds leave out, the error to expect with an allowance for
the choice (`expected_error_`), and what came.

These sets were looked at while the automatic choice was designed: the metrics `rare_ngrams` and `patterns` were made after *The
first run* below, which has the figures from before, and two more fingerprints of molecules after a second run, in which a
random forest was ahead on bace. So the figures here are not those of fresh data."""

SHORT = """\
Ranks are among the methods that ran on a set, so that those of peers on few sets compare with the column beside them. Not beaten
on more than half of their sets:"""

#: Why a peer is not beaten on more than half of its sets, as far as that is known.
WHY = {
    "TF-IDF + LR": """\
On words and sms a linear model in counts is within a standard error of the best, and is taken because it keeps no training
objects: that is the price of the rule. On promoters, with 53 training objects, a sum of metrics is chosen in half of the halves;
the SVM by `rare_ngrams` alone, with about the same errors out of fold, errs less (*What else could have been chosen*, below).""",
    "HistGB": """\
Trees look at one column at a time, and a distance weighs all of them: on image segments no candidate comes near. On wine and
penguins the LP machine is chosen in half of the halves or more, by about an object out of fold, and errs more on the other half
than the SVM on one metric does.""",
    "MiniRocket": """\
`patterns` has the same kernels with fewer features, and is chosen on GunPoint and OSULeaf; the differences there are one and two
objects. On ItalyPowerDemand, with 67 training objects, one error out of fold decides against the SVM that is best there.""",
}
