"""Labels that are asked for one batch after the other: those of `label_next`, at random, of a net,
and where a classifier is least sure.
"""

import sys
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

import wideberth as wb
from benchmarks.data import DATA, Labels
from benchmarks.results import Facts
from benchmarks.timing import table
from wideberth.insight.label_next import label_next

#: Objects whose label may be asked for, and others that are judged; labels at the start, in a batch,
#: and batches; how often all of it is drawn.
POOL, TEST, START, BATCH, BATCHES, DRAWS = 800, 400, 10, 10, 9, 10
SETS = {
    "surnames": ("names_18_nationalities.csv", "ngrams"),
    "bbbp": ("bbbp.csv", "tanimoto"),
    "splice junctions": ("splice_junctions.csv", "hamming"),
    "messages": ("sms_spam.csv", "ngrams"),
}

Distances = NDArray[np.float64]
#: Chooses a batch: distances of the pool, positions that have a label, the lead of the classifier at
#: each object, and a source of chance.
Rule = Callable[[Distances, list[int], Any, np.random.Generator], list[int]]


def at_random(distances: Distances, known: list[int], _: Any, random: Any) -> list[int]:
    free = np.setdiff1d(np.arange(len(distances)), known)
    return random.choice(free, BATCH, replace=False).tolist()


def that_teach_most(distances: Distances, known: list[int], _: Any, random: Any) -> list[int]:
    asked = label_next(distances, "precomputed", BATCH, labelled=known).indices.tolist()
    return asked + at_random(distances, known + asked, _, random)[: BATCH - len(asked)]


def of_a_net(distances: Distances, known: list[int], *_: Any) -> list[int]:
    """The object that is farthest from all labelled ones, again and again."""
    nearest, asked = distances[known].min(axis=0), []
    for _ in range(BATCH):
        asked.append(int(nearest.argmax()))
        nearest = np.minimum(nearest, distances[asked[-1]])
    return asked


def least_sure(distances: Distances, known: list[int], lead: Any, _: Any) -> list[int]:
    order = np.argsort(lead, kind="stable")
    return order[~np.isin(order, known)][:BATCH].tolist()


RULES: dict[str, Rule] = {
    "label_next": that_teach_most,
    "at random": at_random,
    "a net": of_a_net,
    "least lead": least_sure,
}
MODELS: dict[str, Callable[[], Any]] = {
    "1 neighbour": lambda: wb.NeighborsClassifier("precomputed", n_neighbors=1),
    "SVM": lambda: wb.HilbertSVC("precomputed", repair="clip", random_state=0),
}


def errors(
    distances: Distances, labels: Labels, rule: Rule, model: Callable[[], Any], draw: int
) -> list[float]:
    """The error on the others after each batch. The first labels are drawn at random, so that all
    rules begin alike.
    """
    random = np.random.default_rng([draw, 7])
    order = random.permutation(len(labels))
    pool, test = order[:POOL], order[POOL : POOL + TEST]
    inside, known, found = distances[np.ix_(pool, pool)], list(range(START)), []
    for batch in range(BATCHES + 1):
        learned = pool[known]
        lead = random.random(POOL)
        if len(np.unique(labels[learned])) < 2:
            told = np.full(TEST, labels[learned][0])
        else:
            fitted = model().fit(distances[np.ix_(learned, learned)], labels[learned])
            told = fitted.predict(distances[np.ix_(test, learned)])
            scores = fitted.decision_function(distances[np.ix_(pool, learned)])
            ranked = np.sort(np.atleast_2d(scores.T), axis=0)
            lead = 2 * np.abs(scores) if scores.ndim == 1 else ranked[-1] - ranked[-2]
        found.append(float(np.mean(told != labels[test])))
        if batch < BATCHES:
            known += rule(inside, known, lead, random)
    return found


def data() -> Iterator[tuple[str, str, Distances, Labels]]:
    """Name, metric, distances and labels, of as many objects as are needed."""
    for name, (file, metric) in SETS.items():
        records = wb.read(DATA / file)
        some = np.random.default_rng(0).permutation(len(records.objects))[: 2 * (POOL + TEST)]
        objects = [records.objects[i] for i in some]
        space = wb.MetricSpace(objects, metric)
        yield (
            name,
            metric,
            space.metric.block(space.index, space.index),
            np.array(records.labels)[some],
        )


def measure() -> Facts:
    rows = []
    for name, metric, distances, labels in data():
        for kind, model in MODELS.items():
            found = {
                each: [errors(distances, labels, rule, model, draw) for draw in range(DRAWS)]
                for each, rule in RULES.items()
            }
            rows.append(
                {
                    "data": name,
                    "metric": metric,
                    "model": kind,
                    "errors": {
                        each: np.mean(some, axis=0).tolist() for each, some in found.items()
                    },
                    "noise": {
                        each: float(
                            np.std(np.mean(some, 1) - np.mean(found["at random"], 1), ddof=1)
                            / DRAWS**0.5
                        )
                        for each, some in found.items()
                    },
                    "mean": {each: float(np.mean(some)) for each, some in found.items()},
                }
            )
            print(name, kind, rows[-1]["mean"], file=sys.stderr, flush=True)
    return {"rows": rows, "labels": [START + BATCH * batch for batch in range(BATCHES + 1)]}


def page(facts: Facts) -> str:
    lines = []
    for each in facts["rows"]:
        at_50 = facts["labels"].index(50)
        lines.append(
            [
                each["data"],
                each["model"],
                *(
                    f"{each['mean'][rule]:.1%} ({each['errors'][rule][at_50]:.1%}, {each['errors'][rule][-1]:.1%})"
                    for rule in RULES
                ),
                f"{each['noise']['label_next']:.1%}",
            ]
        )
    metrics = ", ".join(
        f"{name} ({metric})"
        for name, metric in dict.fromkeys((e["data"], e["metric"]) for e in facts["rows"])
    )
    header = ["data", "learned by", *RULES, "noise"]
    return f"""# Which labels to ask for

From `make bench` (`python -m benchmarks label_next`): of {POOL:,} objects {START} have a label, drawn at random, and
{BATCHES} times {BATCH} more are asked for; {TEST} other objects are judged. `label_next` takes those that bring a label near to
as many objects as possible; *a net* the one that is farthest from all labelled ones; *least lead* those where the
classifier is least sure. In each cell the error as a mean over all numbers of labels from {START} to {facts["labels"][-1]},
and in brackets that with 50 and with {facts["labels"][-1]} labels; means of {DRAWS} draws, the same for all. *Noise*: the
standard error of the difference between `label_next` and chance. Data: {metrics}.

{table(header, lines)}

The rule was chosen on other data, digits and first names, beside sums that weigh objects by the doubt of a classifier: those were
not better, and need a classifier.
"""
