r"""Three embeddings of a metric space side by side, on real data: whose margin is worth more than
its ball costs?

A classifier with a large margin in an embedding is a function with a small norm in its dual. The
larger the embedding, the smaller the norm that is needed, and the richer the ball. What counts is
the norm times the Rademacher average of the unit ball.
"""

import sys
from collections.abc import Callable
from dataclasses import asdict, dataclass
from math import inf, isfinite
from textwrap import fill
from typing import Any

import numpy as np

from benchmarks.folders import PAGES
from benchmarks.guarantees.embedded_balls import (
    DELTA,
    EMBEDDINGS,
    SHARE_OF_SIGNS,
    Embedding,
    Floats,
)
from benchmarks.guarantees.guarantees import WIDTH, best_in_sample
from benchmarks.guarantees.halves import Halves, halves
from benchmarks.keeping import kept
from benchmarks.results import Facts
from benchmarks.timing import seconds, table
from wideberth.bounds.balls import best_margin, offset_price

#: Objects of a set at most, and the share of them that is set aside for references.
MOST, ASIDE = 2400, 0.2
PICTURE = PAGES / "embeddings.svg"


@dataclass(frozen=True)
class Line:
    """What a table says of an embedding; errors and bounds are shares. The norm is infinite if the
    loss was not reached.
    """

    name: str
    norm: float
    training_error: float
    error: float
    capacity: float
    capacity_high: float
    bound: float
    certified: float

    @property
    def price(self) -> float:
        """The norm times the capacity."""
        return self.norm * self.capacity


def norm_at(margins: Floats, loss: float) -> float:
    r"""The norm L at which the mean of :math:`\min\{1, \max\{0, 1 - L m_i\}\}` is ``loss``;
    infinite if more are wrong than that.

    >>> norm_at(
    ...     np.array([0.5, 0.5, -1.0]), 0.5
    ... )  # 1/3 for the wrong one, and 1/4 of the others' 2/3
    1.5
    """
    if np.mean(margins <= 0) >= loss:
        return inf
    low, high = 0.0, 1.0 / float(margins[margins > 0].min())
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (
            (middle, high) if np.clip(1 - middle * margins, 0, 1).mean() > loss else (low, middle)
        )
    return round(high, 12)


def line(data: Halves, embedding: Embedding) -> Line:
    """The function with the smallest norm at half the loss of a constant, and the smallest bound of
    all functions.
    """
    X, asked = data.space.index[data.known], data.space.index[data.asked]
    classes = embedding.models[0].classes_
    signs = np.where(data.labels[data.known] == classes[1], 1.0, -1.0)
    margins = [signs * each for each in embedding.functions(X)]
    norms = [norm_at(each, data.guessing / 2) for each in margins]
    place = int(np.argmin(norms)) if isfinite(min(norms)) else len(norms) - 1
    model, high, n = embedding.models[place], embedding.capacity.high, len(signs)
    delta = (1 - SHARE_OF_SIGNS) * DELTA
    found = [
        best_margin(each, lambda B: B * high + offset_price(B * embedding.reach, n), delta=delta)
        for each in margins
    ]
    proved = best_in_sample(model, X, data.labels[data.known])
    return Line(
        name=embedding.name,
        norm=norms[place],
        training_error=float(np.mean(model.predict(X) != data.labels[data.known])),
        error=float(np.mean(model.predict(asked) != data.labels[data.asked])),
        capacity=embedding.capacity.value,
        capacity_high=high,
        bound=min(each.risk for each in found),
        certified=1.0 if proved.void else proved.value,
    )


def outcome(data: Halves) -> dict[str, Any]:
    def run() -> list[dict[str, Any]]:
        found = (make(data) for make in EMBEDDINGS)
        return [asdict(line(data, each)) for each in found if each is not None]

    took, lines = seconds(run)
    about = About(data.name, data.metric_name, data.size, data.guessing, data.unit)
    return {"about": asdict(about), "lines": lines, "seconds": took}


@dataclass(frozen=True)
class About:
    """What a set is called, how large it is, the error of guessing, and the median distance."""

    name: str
    metric_name: str
    size: str
    guessing: float
    unit: float


@dataclass(frozen=True)
class Found:
    """A set and what was measured on it; the lines of one embedding each, but for the Kuratowski
    embedding on the sample.
    """

    data: About
    lines: list[Line]
    seconds: float

    @property
    def rivals(self) -> list[Line]:
        """The embeddings whose capacities are proved for what the functions are taken from."""
        return [each for each in self.lines if each.name != "Kuratowski on the sample"]

    def best(self, of: Callable[[Line], float]) -> str:
        """The first word of the name of the embedding with the smallest number; no name if two have
        it.
        """
        smallest = min(map(of, self.rivals))
        names = [each.name.partition(",")[0] for each in self.rivals if of(each) == smallest]
        return names[0] if len(names) == 1 else ""


def section(found: Found) -> list[str]:
    data = found.data
    about = (
        f"{data.size.partition(' /')[0]} objects, guessing {100 * data.guessing:.1f} %, median "
        f"distance {data.unit:.3g}."
    )
    head = [
        "embedding",
        "margin",
        "training errors",
        "error",
        "capacity",
        "norm x capacity",
        "bound",
        "by certify",
    ]
    rows = []
    for each in found.lines:
        reached = isfinite(each.norm)
        rows.append(
            [
                each.name,
                f"{1 / each.norm:.3g}" if reached else "not reached",
                *(f"{100 * share:.1f}" for share in (each.training_error, each.error)),
                f"{each.capacity:.3g} (at most {each.capacity_high:.3g})",
                f"{each.price:.3f} ({each.norm * each.capacity_high:.3f})" if reached else "",
                *(f"{100 * share:.1f}" for share in (each.bound, each.certified)),
            ]
        )
    return ["", f"## {data.name}, {data.metric_name}", "", about, "", table(head, rows)]


def counted(sets: list[Found], of: Callable[[Line], float]) -> str:
    names = [each.best(of) for each in sets]
    there = [name for name in ("Arens-Eells", "Kuratowski", "Hilbert") if name in names]
    shared = [f"shared in {names.count('')}"] if "" in names else []
    return ", ".join([*(f"{name} in {names.count(name)}" for name in there), *shared])


def conclusion(sets: list[Found]) -> str:
    """What the tables show, counted."""
    with_hilbert = [each for each in sets if len(each.rivals) == 3]
    without = [each for each in sets if len(each.rivals) == 2]
    cheapest = [min(each.rivals, key=lambda line: line.price) for each in sets]
    alike = sum(
        line.error == min(rival.error for rival in each.rivals)
        for line, each in zip(cheapest, sets, strict=True)
    )
    telling = sum(min(line.bound for line in each.rivals) < each.data.guessing for each in sets)
    bounded = [each for each in sets if min(line.bound for line in each.rivals) < 1]
    lines = {each.data.name: {line.name: line for line in each.lines} for each in sets}
    richer = np.median(
        [each["Arens-Eells"].capacity / each["Kuratowski"].capacity for each in lines.values()]
    )
    wider = np.median(
        [each["Kuratowski"].norm / each["Arens-Eells"].norm for each in lines.values()]
    )
    larger = sum(
        each["Kuratowski on the sample"].price > each["Arens-Eells"].price
        for each in lines.values()
    )
    price, error, bound = (
        (lambda line: line.price),
        (lambda line: line.error),
        (lambda line: line.bound),
    )
    return fill(
        f"**Norm times capacity is smallest**, of the {len(with_hilbert)} sets with a Hilbert "
        f"embedding, for {counted(with_hilbert, price)}; of the {len(without)} without one for "
        f"{counted(without, price)}. The margin of the Arens-Eells embedding is {wider:.1f} times "
        f"that of the Kuratowski embedding in the median, and its ball has {richer:.1f} times the "
        "capacity. On the sample, where the capacity of the Kuratowski embedding is too small, the "
        f"product is still above that of Arens-Eells in {larger} of {len(sets)} sets. The error on "
        f"the test half is smallest for {counted(sets, error)}; where the product is smallest, no "
        f"error is smaller in {alike} of {len(sets)} sets. Some bound is below 100 % in "
        f"{len(bounded)} sets, and below guessing in {telling}; the smallest is that of "
        f"{counted(bounded, bound) or 'none'}.",
        WIDTH,
        break_on_hyphens=False,
    )


def measure() -> Facts:
    found = []
    for data in halves(MOST, ASIDE, two_classes=True):
        found.append(kept("embeddings", f"{data.name}, {data.metric_name}", lambda: outcome(data)))  # noqa: B023 - at once
        print(data.name, file=sys.stderr, flush=True)
    return {"sets": [each for each in found if each is not None]}


def stored_sets(facts: Facts) -> list[Found]:
    """What was measured, from the plain values of a result file."""
    return [
        Found(About(**each["about"]), [Line(**line) for line in each["lines"]], each["seconds"])
        for each in facts["sets"]
    ]


def draw_from(facts: Facts) -> None:
    from benchmarks.guarantees.embeddings_plot import (
        draw,
    )  # tests import this file, and have no matplotlib

    draw(stored_sets(facts), PICTURE)


def page(facts: Facts) -> str:
    sets = stored_sets(facts)
    spent = sum(each.seconds for each in sets) / 60
    return "\n".join(
        [
            INTRODUCTION.format(minutes=spent),
            "",
            conclusion(sets),
            "",
            PLOT,
            *(line for each in sets for line in section(each)),
            "",
        ]
    )


PLOT = "![Norm times capacity of the embeddings](embeddings.svg)"
INTRODUCTION = """\
# Three embeddings of a metric space

From `make bench` (`python -m benchmarks embeddings`). Von Luxburg & Bousquet (2004) classify in the Arens-Eells embedding, whose
dual are the Lipschitz functions; Hein, Bousquet & Schoelkopf (2005) in the Kuratowski embedding, whose dual are combinations of
distances, and in a Hilbert space, if there is one. The larger the embedding, the wider the margin, and the richer the ball of
functions; they leave open which of the two counts for more. Here both are measured.

Two classes of each set, its largest ones, and 2,400 objects at most: a fifth is set aside, one half of the rest is learned from
and one tested on. The classifiers are `LipschitzClassifier`, `LPMachineClassifier` on distances and `HilbertSVC` with the kernel
-d^2 / 2, each with ten or eleven prices of errors. *Margin*: 1 / norm, in the unit of the metric (of its root where the metric
itself is in no Hilbert space, and the name says so), for the function that needs the smallest norm to have half the loss of a
constant; the loss is the mean of min(1, max(0, 1 - y f)). *Errors* in %, of this function. *Capacity*: the empirical Rademacher
average of the unit ball on the training half, 0 at the object in its middle, measured with 100 sign vectors, and in brackets an
upper limit that is proved at 99.75 %. *Norm x capacity*: what the ball adds to the loss, but for a factor of 2. *Bound*: of the
probability of an error at 95 %, in %, from the margins and the upper limit, with offsets and strata of the norm paid for, the
smallest for all prices. *By certify*: what `wideberth.certify` proves for the one function. It took {minutes:.0f} minutes.

The references of the Kuratowski embedding are the objects set aside: fixed before the sample, so that the capacity is proved for
them. *On the sample* they are the training objects, as in the paper: what is measured then is too small, and the limit that is
proved is that of the Lipschitz functions, among which all combinations of distances are. It takes no part in what is counted."""
