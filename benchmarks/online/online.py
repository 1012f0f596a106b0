"""Loss of online learners on streams about hidden centres, beside peers; and accuracy on streams
that come with River.
"""

from collections.abc import Iterator
from dataclasses import asdict, dataclass

import numpy as np

from benchmarks.folders import PAGES
from benchmarks.online import bundled
from benchmarks.online.libraries import timed_in_scikit_learn
from benchmarks.online.ours import OURS, PAPER
from benchmarks.online.race import (
    DIMENSIONS,
    FEWER_SEEDS,
    JOINT_AT_MOST,
    LABELS,
    MANY_NUMBERS,
    MANY_WITH_OPPONENT,
    ROUNDS,
    SEEDS,
    Cell,
    Outcome,
    cells,
    outcomes,
)
from benchmarks.online.streams import STREAMS
from benchmarks.results import Facts
from benchmarks.rows import Row
from benchmarks.timing import table

PICTURE = PAGES / "online.svg"
#: The engine that is measured against the peers, and the peers that it should beat everywhere.
MAIN, TO_BEAT = "sampling", ("Perceptron", "PA", "MIRA", "PA, MIRA", "AROW")
#: Losses may grow by this factor from EARLY to the last round.
FLAT, EARLY = 1.1, 1_000

#: Where the rule of the paper is shown.
PAPER_CELLS = [Cell("near", k, d) for k, d in ((3, 5), (5, 5), (5, 10))]


@dataclass(frozen=True)
class Summary:
    """The outcomes of one learner on one cell: the mean losses at the marks, and of each seed what
    the tables show.
    """

    marks: list[int]
    losses: list[float]
    ends: list[float]
    early: list[float]
    mistakes: list[int]
    rows: list[int]
    seconds: float

    @classmethod
    def of(cls, found: list[Outcome]) -> "Summary":
        marks = found[0].marks
        return cls(
            marks,
            [
                float(f"{each:.4g}")
                for each in np.mean([outcome.losses for outcome in found], axis=0)
            ],
            [outcome.losses[-1] for outcome in found],
            [outcome.loss(EARLY) if EARLY in marks else outcome.losses[-1] for outcome in found],
            [outcome.mistakes for outcome in found],
            [outcome.rows or 0 for outcome in found],
            float(np.mean([outcome.seconds for outcome in found])),
        )


Found = dict[Cell, dict[str, Summary]]


def measure() -> Facts:
    """Peers of all cells first, since they are quick; ours from cheap to expensive."""
    order = cells()
    found: Found = {cell: {} for cell in order}
    for ours in (False, True):
        for cell in order:
            for name in cell.learners:
                there = outcomes(cell, name) if (name in OURS) is ours else []
                if there:
                    found[cell][name] = Summary.of(there)
    papers = {cell: outcomes(cell, PAPER) for cell in PAPER_CELLS}
    times = {
        (k, d): 1e6 * timed_in_scikit_learn(k, d, "log_loss") for k in LABELS for d in DIMENSIONS
    }
    return {
        "cells": [
            _told(cell, {name: asdict(each) for name, each in learners.items()})
            for cell, learners in found.items()
        ],
        "papers": [
            _told(cell, {PAPER: asdict(Summary.of(each))}) for cell, each in papers.items() if each
        ],
        "scikit_learn": [[k, d, each] for (k, d), each in times.items()],
        "bundled": bundled.lines(),
    }


def _told(cell: Cell, learners: Facts) -> Facts:
    return {"stream": cell.stream, "k": cell.k, "d": cell.d, "learners": learners}


def stored_outcomes(told: list[Facts]) -> Found:
    """What was measured, from the plain values of a result file."""
    return {
        Cell(each["stream"], each["k"], each["d"]): {
            name: Summary(**found) for name, found in each["learners"].items()
        }
        for each in told
    }


def rows(facts: Facts) -> Iterator[Row]:
    """The total loss of the sampling engine near the boundaries, beside the best peer of each
    cell.
    """
    for cell, found in stored_outcomes(facts["cells"]).items():
        peers = {name: each for name, each in found.items() if name not in OURS}
        if cell.stream == "near" and MAIN in found and peers:
            best = min(peers, key=lambda name: final(peers[name])[0])
            (ours, ours_error), (theirs, error) = final(found[MAIN]), final(peers[best])
            noise = float(np.hypot(ours_error / ours, error / theirs))
            key = f"online: near the boundaries, k = {cell.k}, d = {cell.d}"
            yield Row(
                topic="online loss",
                key=key,
                ours=ours,
                peer=best,
                theirs=theirs,
                unit="loss",
                noise=noise,
            )


def final(each: Summary) -> tuple[float, float]:
    """The mean loss after all rounds and its standard error."""
    return _mean(each.ends)


def _mean(values: list[float]) -> tuple[float, float]:
    error = float(np.std(values, ddof=1) / np.sqrt(len(values))) if len(values) > 1 else 0.0
    return float(np.mean(values)), error


def loss_table(found: Found, stream: str, labels: tuple[int, ...]) -> str:
    """Mean losses with standard errors, the least in bold."""
    chosen = [Cell(stream, k, d) for k in labels for d in DIMENSIONS]
    names = list(chosen[0].learners)
    lines = []
    for cell in chosen:
        ends = {name: final(each) for name, each in found[cell].items()}
        least = min(mean for mean, _ in ends.values())
        texts = {name: f"{mean:.2f} ± {error:.2f}" for name, (mean, error) in ends.items()}
        marked = {
            name: f"**{text}**" if ends[name][0] == least else text for name, text in texts.items()
        }
        lines.append(
            [
                str(cell.k),
                str(cell.d),
                f"{cell.rounds:,}",
                *(marked.get(name, "") for name in names),
            ]
        )
    return table(["k", "d", "rounds", *names], lines)


def flatness_row(cell: Cell, found: dict[str, Summary]) -> list[str]:
    """Whether ours stop losing, and how they stand beside the best peer and beside those to
    beat.
    """
    ours = found[MAIN]
    early, late = _mean(ours.early)[0], final(ours)[0]
    peers = {name: each for name, each in found.items() if name not in OURS}
    best = min(peers, key=lambda name: final(peers[name])[0])
    behind, error = _mean(
        [ours_end - end for ours_end, end in zip(ours.ends, peers[best].ends, strict=False)]
    )
    unbeaten = [name for name in TO_BEAT if name in peers and late >= final(peers[name])[0]]
    return [
        *(str(cell.k), str(cell.d), f"{early:.2f}", f"{late:.2f}"),
        f"{late / early:.3f}, {_word(late <= FLAT * early)}",
        f"{best}, {final(peers[best])[0]:.2f} ± {final(peers[best])[1]:.2f}",
        f"{behind:+.2f} ± {error:.2f}, {_word(behind <= final(peers[best])[1])}",
        _word(not unbeaten) + "".join(f", {name}" for name in unbeaten),
        f"{np.mean(ours.mistakes):.0f}",
        f"{np.mean(ours.rows) / (cell.k * (cell.k - 1) / 2):.0f}",
    ]


def _word(held: bool) -> str:
    return "yes" if held else "**no**"


def time_row(cell: Cell, found: dict[str, Summary], scikit: float) -> list[str]:
    """Microseconds a round, and the ratios to River's passive-aggressive classifier."""
    micros = {name: 1e6 * each.seconds for name, each in found.items()}
    river = micros["River PA"]
    ours = [
        f"{micros[name]:,.0f} ({micros[name] / river:.0f}x)" if name in micros else ""
        for name in OURS
    ]
    return [
        str(cell.k),
        str(cell.d),
        *ours,
        f"{river:.0f}",
        *(f"{micros[name]:,.0f}" for name in TIMED),
        f"{scikit:,.0f}",
    ]


#: Peers whose times are shown beside River's.
TIMED = ("Perceptron", "AROW", "Chebyshev centre")


def paper_row(cell: Cell, by_rule: list[Summary]) -> list[str]:
    texts = ["{:.2f} ± {:.2f}".format(*final(each)) for each in by_rule]
    return [
        str(cell.k),
        str(cell.d),
        *texts,
        *(f"{np.mean(each.mistakes):.0f}" for each in by_rule),
    ]


def draw_from(facts: Facts) -> None:
    from benchmarks.online.plot import draw

    draw(stored_outcomes(facts["cells"]), "near", PICTURE)


def page(facts: Facts) -> str:
    found, papers = stored_outcomes(facts["cells"]), stored_outcomes(facts["papers"])
    scikit = {(k, d): each for k, d, each in facts["scikit_learn"]}
    every = [Cell("near", k, d) for k in LABELS for d in DIMENSIONS]
    many = tuple(k for k in LABELS if k > 2)
    losses = [
        part
        for stream in STREAMS
        for part in (
            f"## {HEADS[stream]}",
            loss_table(found, stream, (2,)),
            loss_table(found, stream, many),
        )
    ]
    flat = table(
        FLATNESS, [flatness_row(cell, found[cell]) for cell in every if MAIN in found[cell]]
    )
    times = table(TIMES, [time_row(cell, found[cell], scikit[cell.k, cell.d]) for cell in every])
    rules = table(
        RULES, [paper_row(cell, [found[cell][MAIN], each[PAPER]]) for cell, each in papers.items()]
    )
    rivers = table(["model", *bundled.DATASETS], facts["bundled"])
    parts = [
        INTRODUCTION,
        *losses,
        ON_FLATNESS,
        flat,
        PLOT,
        ON_TIMES,
        times,
        ON_RULES,
        rules,
        ON_BUNDLED,
        rivers,
    ]
    return "\n\n".join(parts) + "\n"


HEADS = {
    "near": "Near the boundaries",
    "random": "Spread evenly over the sphere",
    "adaptive": "Chosen by an opponent",
}
FLATNESS = [
    *(
        "k",
        "d",
        f"loss after {EARLY:,}",
        "after all rounds",
        f"at most {FLAT} times as much",
        "best peer",
    ),
    *("beside it", "below Perceptron, PA, MIRA, AROW", "mistakes", "rows a pair"),
]
TIMES = ["k", "d", *OURS, "River PA", *TIMED, "scikit-learn SGD"]
RULES = ["k", "d", "informative, loss", "paper, loss", "informative, mistakes", "paper, mistakes"]

INTRODUCTION = f"""\
# Online learning

From `make bench` (`python -m benchmarks online`). k hidden centres on the unit sphere in d dimensions, queries on the sphere; the
label is the centre of the largest inner product, and a wrong guess loses the difference of the two inner products. Total loss
after {ROUNDS:,} rounds (fewer where a round is expensive, as the tables say), mean and standard error over {len(SEEDS)} seeds
({FEWER_SEEDS} where k d is {MANY_NUMBERS} or more, with an opponent {MANY_WITH_OPPONENT}); the least in bold. Queries and
centres are the same for all learners, but for the opponent's queries. `sampling` and `ellipsoid` are engines of
`OnlinePartitionClassifier`, `joint` is `papers.JointPartitionClassifier`, with all else by default; nothing bounds the loss of
`joint` for ever, and it is left out where k d
is more than {JOINT_AT_MOST}.

Peers: Perceptron; passive-aggressive learning (PA) and MIRA, which are the same for two labels; AROW (r = 0.01, full
covariance); the Chebyshev centre of the weights that agree with all labels guessed wrong, by a linear program after each mistake;
scikit-learn's `SGDClassifier` (hinge and log loss, one step a query, more than two labels one against the rest); River's PA,
ALMA, logistic and softmax regression (SGD 0.5). None has an intercept, since boundaries go through 0. One against the rest
looks for boundaries that such labels do not have, hence the losses of SGD and of River's PA for k > 2.

Streams: *near the boundaries*, points on a boundary, moved off by a margin between 1e-4 and 1, all orders of magnitude alike;
*spread evenly*; *chosen by an opponent*, who knows the centres and sees into the learner (its weights, or the mean points of its
populations or ellipsoids), and each round asks what costs most of some queries that it gets wrong. No learner sees the loss."""
ON_FLATNESS = f"""\
## Does the loss stop growing?

The sampling engine near the boundaries. *At most {FLAT} times as much*: the loss after all rounds beside that after {EARLY:,}.
*Beside it*: the mean difference to the best peer with its standard error, and whether it is at most the standard error of the
best peer's mean. *Rows a pair*: how many queries are kept in the end."""
PLOT = "![Loss against rounds, near the boundaries](online.svg)"
ON_TIMES = """\
## Time

Microseconds of CPU for a round, guess and lesson, near the boundaries; in brackets as multiples of River's PA. Most of the times
of SGD are the checks of `partial_fit`."""
ON_RULES = """\
## The rule of the paper

Theorem 11 learns from mistakes alone, and from one pair of labels; the informative rule learns from every label all that it says,
with half the bound. Near the boundaries, sampling engine."""
ON_BUNDLED = """\
## Streams that come with River

Right answers in %, each asked before it is told, and CPU milliseconds a round. Features are scaled as they come. These labels are
no nearest-centre partition, so no bound holds here; ours use soft cuts, from the start (`noise=0.1`) or from the first
contradiction on (`inconsistent="soften"`)."""
