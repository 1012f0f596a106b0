"""The LP machine beside HiGHS on the full linear program and beside scikit-learn's LinearSVC on the
same columns.
"""

import subprocess
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from math import inf
from typing import Any

import highspy
import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csc_array, eye_array, hstack
from sklearn.datasets import make_classification
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import LinearSVC

import wideberth as wb
from benchmarks.data import DATA
from benchmarks.keeping import kept
from benchmarks.results import Facts
from benchmarks.rows import TIMING_NOISE, Row
from benchmarks.samples import edited_names, two_moons
from benchmarks.timing import digits, number, peak_memory, seconds, tables
from wideberth.classifiers.lp_machine.problem import RadialColumns
from wideberth.classifiers.lp_machine.program import DistanceProgram
from wideberth.estimators.radial_expansions import Radial
from wideberth.optimize.solution import Solution

Floats = NDArray[np.float64]

N, LARGE = 2_000, 20_000
STRONG = 3.0
#: How many times as fast as the full program it is to be, at strong and at weak regularisation.
FASTER, FASTER_WHEN_WEAK = 50, 5
#: Points on a path, and how many times as long as its last point alone it may take.
POINTS, PATH_GOAL = 20, 3.0
#: Megabytes that a fit to many objects may take.
MEMORY_GOAL = 1024
#: Seconds after which the full program is given up.
LIMIT = 60.0
ROUNDS = 3


@dataclass(frozen=True)
class Sample:
    """Objects of two classes, and a weak regularisation for them: for words the LP machine needs
    hundreds of references there.
    """

    name: str
    metric: str
    objects: Any
    signs: Floats
    weak: float

    @cached_property
    def columns(self) -> RadialColumns:
        """The distances between all objects, measured."""
        columns = self.unmeasured()
        columns.price(np.ones(len(self.signs)))
        return columns

    def unmeasured(self) -> RadialColumns:
        metric = wb.metric(self.metric)
        prepared = metric.prepare(self.objects)
        return RadialColumns(
            prepared, prepared, metric, [Radial("distance")], max_memory=2**30, n_jobs=1
        )


def moons(n: int) -> Sample:
    points, labels = two_moons(n)
    return Sample("two moons", "euclidean", points, np.where(labels, 1.0, -1.0), weak=300.0)


def blobs(n: int) -> Sample:
    points, labels = make_classification(n, 20, n_informative=5, random_state=0)
    return Sample(
        "make_classification, 20-D", "euclidean", points, np.where(labels, 1.0, -1.0), weak=300.0
    )


def words(n: int) -> Sample:
    """Words of three Romance and three Germanic languages if they are beside the repository, else
    first names.
    """
    file = DATA / "words_6_languages.csv"
    if not file.exists():
        names, sexes = edited_names(n)
        return Sample(
            "first names, by sex",
            "levenshtein",
            names,
            np.where(np.array(sexes) == sexes[0], 1.0, -1.0),
            weak=100.0,
        )
    records = wb.read(file)
    chosen = np.sort(np.random.default_rng(0).choice(len(records.objects), n, replace=False))
    romance = np.isin(np.asarray(records.labels)[chosen], ["french", "italian", "spanish"])
    return Sample(
        "words, Romance or Germanic",
        "levenshtein",
        [records.objects[each] for each in chosen],
        np.where(romance, 1.0, -1.0),
        weak=100.0,
    )


def cpu(run: Callable[[], Any], rounds: int = 1) -> tuple[float, Any]:
    """The least time that the cores spent in one of the rounds, and what the last one returned."""
    runs = [seconds(run) for _ in range(rounds)]
    return min(spent for spent, _ in runs), runs[-1][1]


def solve(columns: RadialColumns, signs: Floats, multiple: float) -> Solution:
    program = DistanceProgram(columns, signs, np.ones(len(signs)))
    return program.solve(multiple * program.critical_price)


# ---- the full program ----------------------------------------------------------------------------


def full_dual(matrix: Floats, signs: Floats, price: float) -> highspy.HighsLp:
    """Maximise the sum of multipliers between 0 and price, of equal sums in both classes, with all
    prices between -1 and 1.
    """
    n, p = matrix.shape
    rows = csc_array(np.vstack([signs, (matrix * signs[:, None]).T]))
    bounds = np.concatenate([[0.0], np.ones(p)])
    return _program(-np.ones(n), (np.zeros(n), np.full(n, price)), rows, (-bounds, bounds))


def full_primal(matrix: Floats, signs: Floats, price: float) -> highspy.HighsLp:
    """Minimise the sum of the positive and negative parts of the coefficients plus price times the
    sum of slacks.
    """
    n, p = matrix.shape
    signed = csc_array(matrix * signs[:, None])
    rows = hstack([signed, -signed, csc_array(signs[:, None]), eye_array(n)], format="csc")
    costs = np.concatenate([np.ones(2 * p), [0.0], np.full(n, price)])
    lower = np.where(np.arange(2 * p + 1 + n) == 2 * p, -inf, 0.0)
    return _program(costs, (lower, np.full(len(costs), inf)), rows, (np.ones(n), np.full(n, inf)))


def _program(
    costs: Floats, bounds: tuple[Floats, Floats], rows: Any, row_bounds: tuple[Floats, Floats]
) -> highspy.HighsLp:
    program = highspy.HighsLp()
    program.num_row_, program.num_col_ = rows.shape
    program.col_cost_ = costs
    program.col_lower_, program.col_upper_ = bounds
    program.row_lower_, program.row_upper_ = row_bounds
    program.a_matrix_.format_ = highspy.MatrixFormat.kColwise
    program.a_matrix_.start_, program.a_matrix_.index_, program.a_matrix_.value_ = (
        rows.indptr,
        rows.indices,
        rows.data,
    )
    return program


def run_highs(program: highspy.HighsLp, solver: str, limit: float) -> float | None:
    """The best value, or None if it is not found within the limit."""
    highs = highspy.Highs()
    for option, value in {
        "output_flag": False,
        "solver": solver,
        "threads": 1,
        "time_limit": limit,
    }.items():
        highs.setOptionValue(option, value)
    highs.passModel(program)
    highs.run()
    return (
        abs(highs.getObjectiveValue())
        if highs.getModelStatus() == highspy.HighsModelStatus.kOptimal
        else None
    )


WAYS: dict[str, tuple[Callable[[Floats, Floats, float], highspy.HighsLp], str]] = {
    "dual, simplex": (full_dual, "simplex"),
    "dual, interior point": (full_dual, "ipm"),
    "primal, simplex": (full_primal, "simplex"),
}


@dataclass(frozen=True)
class Peer:
    """What the full program took in each way, the fastest of them, and its value."""

    shown: list[str]
    way: str
    seconds: float
    value: float | None


def peer(matrix: Floats, signs: Floats, price: float) -> Peer:
    """Each way may take as long as the fastest before it, because only the fastest counts."""
    shown, best = [], Peer([], "none", LIMIT, None)
    limit = LIMIT
    for way, (build, solver) in WAYS.items():
        wall = time.perf_counter()
        spent, value = cpu(
            lambda build=build, solver=solver, limit=limit: run_highs(
                build(matrix, signs, price), solver, limit
            )
        )
        wall = time.perf_counter() - wall
        shown.append(f"> {spent:.1f}" if value is None else f"{spent:.1f}")
        if value is not None and (best.value is None or spent < best.seconds):
            best, limit = Peer([], way, spent, value), min(limit, wall)
        print(way, shown[-1], file=sys.stderr, flush=True)
    return Peer(shown, best.way, best.seconds, best.value)


def beside_highs(sample: Sample) -> Iterator[list[str]]:
    columns = sample.columns
    matrix = columns.columns(np.arange(len(sample.signs)))
    measuring, _ = cpu(lambda: sample.unmeasured().price(np.ones(len(sample.signs))), ROUNDS)
    for multiple in (STRONG, sample.weak):
        spent, found = cpu(lambda multiple=multiple: solve(columns, sample.signs, multiple), ROUNDS)
        unit = DistanceProgram(columns, sample.signs, np.ones(len(sample.signs))).critical_price
        rival = peer(matrix / columns.scale, sample.signs, multiple * unit * columns.scale)
        value = None if rival.value is None else rival.value / columns.scale
        goal = FASTER if multiple == STRONG else FASTER_WHEN_WEAK
        ratio = rival.seconds / spent
        sign = "" if value is not None else "> "
        yield [
            sample.name,
            f"{multiple:g}",
            *rival.shown,
            f"{spent:.3f}",
            f"{len(found.point.coefficients.indices)}",
            f"{found.relative_gap:.0e}",
            "" if value is None else f"{abs(found.value - value) / value:.0e}",
            f"{sign}{digits(ratio)}",
            f"{sign}{digits((rival.seconds + measuring) / (spent + measuring))}",
            f"{goal}" if ratio >= goal else f"{goal}, **missed**",
        ]


# ---- LinearSVC -----------------------------------------------------------------------------------


def beside_linear_svc(sample: Sample) -> Iterator[list[str]]:
    columns, signs = sample.columns, sample.signs
    matrix = columns.columns(np.arange(len(signs))) / columns.scale
    matrix -= np.median(matrix, axis=0)  # the intercept, which it penalises, has less to do
    unit = DistanceProgram(columns, signs, np.ones(len(signs))).critical_price * columns.scale
    for multiple in (STRONG, sample.weak):
        spent, found = cpu(lambda multiple=multiple: solve(columns, signs, multiple), ROUNDS)
        price = multiple * unit
        model = LinearSVC(penalty="l1", dual=False, C=price, intercept_scaling=10.0, random_state=0)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", ConvergenceWarning)
            theirs, _ = cpu(lambda model=model: model.fit(matrix, signs))
        slacks = np.maximum(0.0, 1.0 - signs * model.decision_function(matrix))
        value = (np.abs(model.coef_).sum() + price * slacks.sum()) / columns.scale
        yield [
            sample.name,
            f"{multiple:g}",
            f"{theirs:.2f}{' (not converged)' if caught else ''}",
            f"{spent:.2f}",
            digits(theirs / spent),
            f"{value / found.value:.3f}",
            f"{np.count_nonzero(model.coef_)} / {len(found.point.coefficients.indices)}",
        ]
        print("LinearSVC", sample.name, multiple, theirs, spent, file=sys.stderr, flush=True)


# ---- paths ---------------------------------------------------------------------------------------


def path(sample: Sample) -> list[str]:
    columns, signs = sample.columns, sample.signs
    prices = np.geomspace(1.0, sample.weak, POINTS)

    def all_points() -> Solution:
        program = DistanceProgram(columns, signs, np.ones(len(signs)))
        unit = program.critical_price
        return [program.solve(each * unit) for each in prices][-1]

    rounds = ROUNDS if sample.metric == "euclidean" else 1
    spent, last = cpu(all_points, rounds)
    cold, alone = cpu(lambda: solve(columns, signs, sample.weak), rounds)
    ratio = spent / cold
    return [
        sample.name,
        f"1 to {sample.weak:g}",
        f"{cold:.2f}",
        f"{spent:.2f}",
        f"{abs(last.value - alone.value) / alone.value:.0e}",
        f"{ratio:.1f}",
        f"{PATH_GOAL:g}" if ratio <= PATH_GOAL else f"{PATH_GOAL:g}, **missed**",
    ]


# ---- many objects --------------------------------------------------------------------------------

MAKERS = {"two moons": moons, "make_classification, 20-D": blobs}


def print_large(name: str, multiple: float) -> None:
    """Seconds and megabytes of one large fit; run in a process of its own."""
    sample = MAKERS[name](LARGE)
    model = wb.LPMachineClassifier(sample.metric, C=multiple, max_memory="1GB")
    small = MAKERS[name](200)
    wb.LPMachineClassifier(small.metric, C=multiple).fit(
        small.objects, small.signs
    )  # compiled code is loaded before it is timed
    spent = [time.process_time(), time.perf_counter()]
    peak = peak_memory(lambda: model.fit(sample.objects, sample.signs))
    spent = [time.process_time() - spent[0], time.perf_counter() - spent[1]]
    print(
        f"{spent[0]:.1f};{spent[1]:.1f};{len(model.references_)};{model.solution_.relative_gap:.0e};{peak / 2**20:.0f}"
    )


def large(name: str, multiple: float) -> list[str]:
    script = (
        f"from benchmarks.classifiers.lp_machine import print_large; print_large({name!r}, "
        f"{multiple})"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    if done.returncode:
        return [
            name,
            f"{multiple:g}",
            "failed",
            done.stderr.strip().splitlines()[-1],
            "",
            "",
            "",
            "",
        ]
    found = done.stdout.strip().split(";")
    met = float(found[-1]) <= MEMORY_GOAL
    print(name, multiple, found, file=sys.stderr, flush=True)
    return [
        name,
        f"{multiple:g}",
        *found,
        f"{MEMORY_GOAL}" if met else f"{MEMORY_GOAL}, **missed**",
    ]


@cache
def samples() -> list[Sample]:
    """The samples of all parts but the last."""
    return [moons(N), blobs(N), words(N)]


PARTS: dict[str, tuple[str, list[str], Callable[[], list[list[str]]]]] = {
    f"HiGHS on the full program, n = {N:,}": (
        "Seconds that the cores spend, one thread each. HiGHS solves the program with all "
        "references, built from the matrix of\ndistances in units of their median, in three ways; "
        "the fastest is the peer. A way that takes longer than a faster one\nbefore it, or "
        f"{LIMIT:g} s, is stopped: '>'. Ours starts from the matrix too, tol = 1e-6; 'with "
        "distances' adds\nto both what measuring them takes us. 'difference' is that of the "
        f"objectives, relative. Goals: at least\n{FASTER} times as fast at strong regularisation "
        f"(C = {STRONG:g}), {FASTER_WHEN_WEAK} times at weak.",
        [
            "data",
            "C",
            *WAYS,
            "ours",
            "references",
            "gap",
            "difference",
            "times faster",
            "with distances",
            "goal",
        ],
        lambda: [row for sample in samples() for row in beside_highs(sample)],
    ),
    f"LinearSVC(penalty='l1') on the same columns, n = {N:,}": (
        "It minimises the sum of absolute coefficients, the intercept a little among them, plus C "
        "times the squares of the\nslacks. C is the same number, the columns are the distances in "
        "units of their median, less the median of each.\n'objective' is ours (with the hinge "
        "loss) at its solution, over the optimum; supports are references with\na coefficient, its "
        "/ ours.",
        ["data", "C", "LinearSVC s", "ours s", "times faster", "objective", "supports"],
        lambda: [row for sample in samples() for row in beside_linear_svc(sample)],
    ),
    f"Paths, n = {N:,}": (
        f"{POINTS} values of C, ascending, beside the last one alone, both from the matrix of "
        f"distances. Goal: at most\n{PATH_GOAL:g} times as long. 'difference' is that of the "
        "objectives at the last C.",
        ["data", "C", "last alone s", "path s", "difference", "times as long", "goal"],
        lambda: [path(sample) for sample in samples()],
    ),
    f"n = {LARGE:,}": (
        "LPMachineClassifier(max_memory='1GB') in its own process, distances measured as they are "
        "needed (a matrix would take\n3.2 GB). The peak is what the fit takes beyond the sample "
        "and the compiled code.",
        ["data", "C", "cores s", "s", "references", "gap", "peak MB", "goal"],
        lambda: [
            large(*each)
            for each in (
                ("two moons", 3.0),
                ("two moons", 300.0),
                ("make_classification, 20-D", 30.0),
            )
        ],
    ),
}


def measure() -> Facts:
    solve(moons(200).columns, moons(200).signs, 3.0)  # compiled code is loaded before it is timed
    solve(words(200).columns, words(200).signs, 3.0)
    found = {
        title: kept("lp_machine", title, measured) for title, (_, _, measured) in PARTS.items()
    }
    return {"parts": {title: each for title, each in found.items() if each is not None}}


def rows(facts: Facts) -> Iterator[Row]:
    """Beside HiGHS on the full program where it ended, and beside LinearSVC, whose objective is
    another one.
    """
    full, linear = (facts["parts"].get(title, []) for title in list(PARTS)[:2])
    for name, price, *_, ratio, _, _ in full:
        if not ratio.startswith(">"):
            yield _row(
                f"lp_machine: {name}, C = {price}", 1 / number(ratio), "HiGHS on the full program"
            )
    for name, price, _, _, ratio, *_ in linear:
        yield _row(
            f"lp_machine: {name}, C = {price}, LinearSVC",
            1 / number(ratio),
            "LinearSVC(penalty='l1')",
        )


def _row(key: str, ratio: float, peer: str) -> Row:
    unit = "times the peer's seconds"
    return Row(
        topic="fitting", key=key, ours=ratio, peer=peer, theirs=1.0, unit=unit, noise=TIMING_NOISE
    )


def page(facts: Facts) -> str:
    title = "# The LP machine\n\nFrom `make bench` (`python -m benchmarks lp_machine`)."
    return tables(title, {name: part[:2] for name, part in PARTS.items()}, facts["parts"])
