"""Errors of the LP machine and of the SVM on a metric beside tuned nearest neighbours and bare SVMs, on the same folds."""

import functools
import json
import sys
from collections.abc import Callable
from dataclasses import asdict, dataclass
from itertools import islice
from typing import Any

import numpy as np

import wideberth as wb
from benchmarks import folders
from benchmarks.classifiers.errors import SVM_WIDTHS, Floats, Measured, chosen_svm, measure
from benchmarks.data import REPEATS, Case, Indices, Labels, cases
from benchmarks.timing import seconds, table

#: The sets, in the order of the table; the most expensive last.
SETS = (
    *(("promoters", "hamming"), ("promoters", "levenshtein"), ("GunPoint", "msm"), ("GunPoint", "erp"), ("GunPoint", "dtw")),
    *(("ItalyPowerDemand", "msm"), ("ItalyPowerDemand", "erp"), ("ItalyPowerDemand", "dtw")),
    *(("enzymes", "weisfeiler_lehman"), ("glycans_kingdom", "tree_edit, normalized=True"), ("proteins", "weisfeiler_lehman")),
    *(("bace", "tanimoto"), ("bbbp", "tanimoto"), ("splice_junctions", "hamming")),
    *(("words_6_languages", "normalized_levenshtein"), ("names_18_nationalities", "normalized_levenshtein")),
)
#: Folds inside the training half on which ours choose; few objects are soon learned from, and need more of them.
FEW_OBJECTS, FOLDS_OF_FEW, FOLDS_OF_MANY = 1200, 5, 3
#: Folds of the most expensive cells, of which one takes many minutes; all others have them all.
FEWER_FOLDS = {
    ("words_6_languages", "LPMachineCV"): 2,
    ("names_18_nationalities", "LPMachineCV"): 2,
    ("names_18_nationalities", "HilbertSVCCV"): 4,
}
#: Cells that take long and are not asked for; the table says that they were not run.
LEFT_OUT = {("enzymes", "LPMachineCV")}
#: Outcomes of this run and of runs that were stopped; to measure anew, remove it.
KEPT = folders.KEPT / "machines"
#: Points of error that count as none.
A_POINT = 1.0


@dataclass(frozen=True)
class Answered:
    """The labels that a method gave, and how many training objects its distances are measured to."""

    labels: Labels
    needed: int


#: Learns from the objects with the first numbers and their labels, and answers for those with the second.
Method = Callable[[Measured, Indices, Labels, Indices], Answered]


def ours(make: Callable[[Any], Any], needed: Callable[[Any], Any] | None = None) -> Method:
    """A classifier of ours, made from the metric of the space; ``needed`` gives the objects that it needs, if not all."""

    def answer(measured: Measured, known: Indices, labels: Labels, asked: Indices) -> Answered:
        index = measured.space.index
        model = make(measured.space.metric)
        if "cv" in model.get_params():
            model.set_params(cv=FOLDS_OF_FEW if len(index) <= FEW_OBJECTS else FOLDS_OF_MANY)
        model.fit(index[known], labels)
        return Answered(np.asarray(model.predict(index[asked])), len(known if needed is None else needed(model)))

    return answer


def bare_svm(kernels: list[Callable[[Floats], Floats]]) -> Method:
    """scikit-learn's SVC on a matrix, whatever its eigenvalues."""

    def answer(measured: Measured, known: Indices, labels: Labels, asked: Indices) -> Answered:
        fitted, kernel = chosen_svm(kernels, measured, known, labels)
        return Answered(fitted.predict(kernel(measured.distances[np.ix_(asked, known)] ** 2)), len(fitted.support_))

    return answer


RIVALS: dict[str, Method] = {
    "kNN": ours(wb.NeighborsClassifier),
    "SVM exp(-g d²)": bare_svm([lambda squares, width=width: np.exp(-width * squares) for width in SVM_WIDTHS]),
    "SVM -d²/2": bare_svm([lambda squares: -squares / 2]),
}
OURS: dict[str, Method] = {
    "LPMachineCV": ours(
        lambda metric: wb.LPMachineClassifierCV(metric, random_state=0),
        lambda model: model.best_estimator_.references_,
    ),
    "HilbertSVCCV": ours(
        lambda metric: wb.HilbertSVCCV(metric, repair="clip", random_state=0), lambda model: model.best_estimator_.support_
    ),
}


#: The rivals that each of ours is judged by.
BESIDE = {"LPMachineCV": tuple(RIVALS), "HilbertSVCCV": ("SVM exp(-g d²)", "SVM -d²/2")}


@dataclass(frozen=True)
class Outcome:
    """Errors in percent, one for each fold; training objects needed, and seconds, in one fold on average."""

    wrong: list[float]
    needed: float
    spent: float

    def __str__(self) -> str:
        folds = "" if len(self.wrong) in (1, 2 * REPEATS) else f"; {len(self.wrong)} folds"
        return f"{np.mean(self.wrong):.1f} ({self.needed:,.0f}; {self.spent:.2g} s{folds})"


def outcome(name: str, method: Method, case: Case, measured: Callable[[], Measured]) -> Outcome:
    """The outcome of a method on a set; it is kept, so that a run that was stopped goes on where it stood."""
    kept = KEPT / f"{case.name}, {case.metric_name}, {name}.json".replace("/", ":")
    if not kept.exists():
        found = measured_outcome(method, case, measured(), FEWER_FOLDS.get((case.name, name)))
        KEPT.mkdir(parents=True, exist_ok=True)
        kept.write_text(json.dumps(asdict(found)), encoding="utf-8")
    return Outcome(**json.loads(kept.read_text(encoding="utf-8")))


def measured_outcome(method: Method, case: Case, measured: Measured, n_folds: int | None) -> Outcome:
    wrong, needed, spent = [], [], []
    for _, known, asked in islice(case.folds(), n_folds):
        took, answered = seconds(lambda: method(measured, known, case.labels[known], asked))  # noqa: B023 - called at once
        wrong.append(100 * float(np.mean(answered.labels != case.labels[asked])))
        needed.append(answered.needed)
        spent.append(took)
    return Outcome(wrong, float(np.mean(needed)), float(np.mean(spent)))


def verdict(ours: Outcome, best: Outcome) -> str:
    """By how much ours is behind the best rival, with two standard errors of the paired difference, and whether that counts."""
    behind = np.subtract(ours.wrong, best.wrong[: len(ours.wrong)])
    error = 2 * float(behind.std(ddof=1) / np.sqrt(len(behind))) if len(behind) > 1 else 0.0
    word = "within" if behind.mean() <= max(A_POINT, error) else "**behind**"
    return f"{behind.mean():+.1f} ± {error:.1f}, {word}"


def row(case: Case) -> list[str]:
    measured = functools.cache(lambda: measure(case))
    there = {name: method for name, method in (RIVALS | OURS).items() if (case.name, name) not in LEFT_OUT}
    found = {name: outcome(name, method, case, measured) for name, method in there.items()}
    rivals = {name: found[name] for name in RIVALS}
    line = [case.name, case.metric_name, case.size, *map(str, rivals.values())]
    for name in OURS:
        if name not in found:
            line += ["not run", ""]
            continue
        best = min((found[each] for each in BESIDE[name]), key=lambda each: float(np.mean(each.wrong)))
        line += [str(found[name]), verdict(found[name], best)]
    print(*line, file=sys.stderr, sep=" | ", flush=True)
    return line


def page() -> str:
    there = {(case.name, case.metric_name): case for case in cases()}
    rows = [row(there[each]) for each in SETS if each in there]
    head = [*RIVALS, *(name for each in OURS for name in (each, "beside the best rival"))]
    return "\n".join(
        [
            "# Machines on distances",
            "",
            "From `make bench` (`python -m benchmarks machines`): errors in % and, in brackets, the training objects to which",
            "distances are measured for an answer and the seconds of learning and answering in one fold, all distances known;",
            f"{REPEATS} x 2-fold stratified cross-validation. kNN chooses k by leaving one out, bare SVMs choose g and C on a",
            f"third of the training half, ours choose everything in {FOLDS_OF_MANY} folds of it ({FOLDS_OF_FEW} of sets up to",
            f"{FEW_OBJECTS:,} objects). Beside the best rival: the mean difference to the best of them on that set, of the SVMs",
            "alone for HilbertSVCCV, with two standard errors of the paired difference over the folds; within means by no",
            "more than a point or those two standard errors. HilbertSVCCV clips negative eigenvalues, needs all training objects",
            "then, and shows the number of its support vectors.",
            "",
            table(["data", "metric", "n / classes", *head], rows),
            "",
        ]
    )
