"""Methods that keep some centres with the majority labels of their cells, as many as a criterion of
theirs says.

KSU, MARMANN's GB and OptiNet take the nets of a farthest-first traversal, all scales in one pass;
Proto-NN takes the first objects of the sample. Other benchmarks set them beside the certificates of
this library.
"""

import sys
from collections.abc import Callable
from dataclasses import dataclass
from math import log
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import make_moons

import wideberth as wb
from benchmarks.results import Facts
from benchmarks.timing import seconds, table
from wideberth.classifiers.margin_neighbors.quantisation import Quantisation, quantise
from wideberth.papers.compression_bounds import (
    ksu_criterion,
    marmann_criterion,
    optinet_criterion,
    prototype_bound,
)

Points = NDArray[np.float64]
Indices = NDArray[np.intp]
Sample = tuple[Points, Indices]
#: centres, errors on the sample, objects, classes -> what a method minimises
Criterion = Callable[[int, int, int, int], float]

TRAINING, TEST = 4_000, 10_000
LOG_DELTA = log(0.05)
#: A method may keep this share of the objects at most.
MOST_KEPT = 0.5
#: The numbers of prototypes among which Proto-NN chooses, and pays for; 2 ** (i / 4).
PROTOTYPES_PER_OCTAVE = 4

CRITERIA: dict[str, Criterion] = {
    "KSU": lambda m, errors, n, k: ksu_criterion(
        2 * m, errors, n, log_delta=LOG_DELTA
    ),  # an object and one for its label
    "GB": lambda m, errors, n, k: marmann_criterion(m, errors, n, log_delta=LOG_DELTA, classes=k),
    "OptiNet": lambda m, errors, n, k: optinet_criterion(m, errors, n, log_delta=LOG_DELTA),
}


@dataclass(frozen=True)
class Choice:
    """The objects kept, the numbers of the classes they answer with, the errors on the sample, and
    the value of the criterion.
    """

    kept: Indices
    codes: Indices
    errors: int
    value: float

    def error(self, known: Any, asked: Any, truth: Indices, metric: Any = "euclidean") -> float:
        """The share of wrong answers for new objects, by the nearest of the objects kept."""
        nearest = wb.NeighborsClassifier(metric, n_neighbors=1).fit(known[self.kept], self.codes)
        return float(np.mean(nearest.predict(asked) != truth))


def by_criteria(
    objects: Any,
    codes: Indices,
    metric: Any = "euclidean",
    criteria: dict[str, Criterion] = CRITERIA,
) -> dict[str, Choice]:
    """What each criterion chooses among all nets of one traversal of the objects, up to half of
    them.
    """
    found = quantise(objects, codes, metric, count=int(MOST_KEPT * len(codes)))
    errors = majority_errors(found)
    n, sizes = len(codes), range(1, len(found) + 1)
    choices = {}
    for name, criterion in criteria.items():
        values = [criterion(m, int(errors[m - 1]), n, found.n_classes) for m in sizes]
        choices[name] = _choice(found, int(np.argmin(values)) + 1, errors, min(values))
    return choices


def by_prototypes(objects: Any, codes: Indices, metric: Any = "euclidean") -> Choice:
    """Proto-NN: the first m objects, labelled by the others; m is the one of a fixed grid with the
    smallest certificate.
    """
    n = len(codes)
    most = int(MOST_KEPT * n)
    sizes = np.unique(
        np.floor(
            2 ** (np.arange(PROTOTYPES_PER_OCTAVE * np.log2(most) + 1) / PROTOTYPES_PER_OCTAVE)
        ).astype(int)
    )
    sizes = sizes[sizes <= most]
    found = quantise(objects, codes, metric, order=np.arange(sizes[-1]))
    errors = majority_errors(found, with_centres=False)
    share = LOG_DELTA - log(len(sizes))
    values = [
        prototype_bound(m, int(errors[m - 1]), n, log_delta=share, classes=found.n_classes)
        for m in sizes.tolist()
    ]
    return _choice(found, int(sizes[np.argmin(values)]), errors, min(values), with_centres=False)


def majority_errors(found: Quantisation, *, with_centres: bool = True) -> Indices:
    """The errors of majority labels on the sample for 1, 2, 3... centres; the votes of each cell
    are kept as objects move.

    Without the centres these neither vote nor count as errors.
    """
    votes = np.zeros((len(found), found.n_classes), dtype=np.intp)
    owner, voter = np.zeros(len(found.codes), dtype=np.intp), np.ones(len(found.codes), dtype=bool)
    right, errors = 0, []
    for place, centre in enumerate(found.centres.tolist()):
        moved = found.taken(place)
        moved = moved[voter[moved]]
        left = np.union1d(owner[moved], owner[[centre]]) if place else np.empty(0, dtype=np.intp)
        right -= votes[left].max(axis=1).sum()
        if place:
            np.subtract.at(votes, (owner[moved], found.codes[moved]), 1)
        owner[moved] = place
        np.add.at(votes, (place, found.codes[moved]), 1)
        if not with_centres:
            votes[owner[centre], found.codes[centre]] -= 1
            voter[centre] = False
        right += votes[left].max(axis=1).sum() + votes[place].max()
        errors.append(voter.sum() - right)
    return np.array(errors)


def _choice(
    found: Quantisation, m: int, errors: Indices, value: float, *, with_centres: bool = True
) -> Choice:
    votes = next(found.counts([m])).toarray()
    if not with_centres:
        kept = found.centres[:m]
        np.subtract.at(votes, (next(found.owners([m]))[kept], found.codes[kept]), 1)
    return Choice(found.centres[:m], votes.argmax(axis=1), int(errors[m - 1]), float(value))


def moons(n: int, generator: np.random.Generator) -> Sample:
    """Two half circles that hardly touch."""
    return make_moons(n, noise=0.15, random_state=int(generator.integers(2**31)))


def rings(n: int, generator: np.random.Generator) -> Sample:
    """Five rings round one point, with gaps between them."""
    codes, angles = generator.integers(5, size=n), generator.uniform(0, 2 * np.pi, n)
    radii = 1 + codes + generator.uniform(-0.3, 0.3, n)
    return np.c_[radii * np.cos(angles), radii * np.sin(angles)], codes


def gaussians(n: int, generator: np.random.Generator) -> Sample:
    """Ten clouds in ten dimensions, whose means are always the same."""
    means = 2 * np.random.default_rng(7).normal(size=(10, 10))
    codes = generator.integers(10, size=n)
    return means[codes] + generator.normal(size=(n, 10)), codes


def flipped(
    draw: Callable[[int, np.random.Generator], Sample],
) -> Callable[[int, np.random.Generator], Sample]:
    """The same with 10 % of the labels exchanged for another one."""

    def noisy(n: int, generator: np.random.Generator) -> Sample:
        points, codes = draw(n, generator)
        k = int(codes.max()) + 1
        wrong = generator.random(n) < 0.1
        return points, np.where(wrong, (codes + generator.integers(1, k, n)) % k, codes)

    return noisy


CASES: dict[str, Callable[[int, np.random.Generator], Sample]] = {
    "moons": moons,
    "moons, 10 % flips": flipped(moons),
    "5 rings": rings,
    "10 gaussians, R^10": gaussians,
    "10 gaussians, 10 % flips": flipped(gaussians),
}


def row(name: str) -> list[str]:
    generator = np.random.default_rng(len(name))
    points, codes = CASES[name](TRAINING, generator)
    asked, truth = CASES[name](TEST, generator)
    nearest = wb.NeighborsClassifier(n_neighbors=1).fit(points, codes)
    nets_took, choices = seconds(lambda: by_criteria(points, codes))
    prototypes_took, choices["Proto-NN"] = seconds(lambda: by_prototypes(points, codes))
    cells = [
        f"{choice.error(points, asked, truth):.3f} / {choice.value:.3f} ({len(choice.kept)})"
        for choice in choices.values()
    ]
    line = [
        name,
        f"{np.mean(nearest.predict(asked) != truth):.3f}",
        *cells,
        f"{nets_took:.1f}",
        f"{prototypes_took:.1f}",
    ]
    print(*line, file=sys.stderr, flush=True)
    return line


def measure() -> Facts:
    by_criteria(*moons(100, np.random.default_rng(0)))  # compiled code is loaded before it is timed
    return {"rows": [row(name) for name in CASES]}


def page(facts: Facts) -> str:
    head = ["data", "1-NN", *CRITERIA, "Proto-NN", "s, nets", "s, Proto-NN"]
    return "\n".join(
        [
            "# Criteria",
            "",
            f"From `make bench` (`python -m benchmarks criteria`): n = {TRAINING:,}; error on "
            f"{TEST:,} new objects / value of",
            "the criterion at 95 % (objects kept). Labels are the majorities of the cells. KSU, GB "
            "and OptiNet choose among all",
            "nets of one farthest-first traversal; what they minimise are criteria, and no "
            "certificates up to the last constant.",
            "That of Proto-NN is a certificate: a union over labellings and numbers of prototypes. "
            "Flips are in the test labels",
            "too.",
            "",
            table(head, facts["rows"]),
            "",
        ]
    )
