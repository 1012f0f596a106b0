"""Our choosing classifiers beside a grid search of scikit-learn: time, and error on objects that
were not learned from.

By hand, a table of some classifiers on some sets: ``python -m benchmarks.choosing.speed lp
lipschitz words names [--cuts 5]``.
"""

import sys
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.svm import SVC
from threadpoolctl import threadpool_limits

import wideberth as wb
from benchmarks.choosing.samples import INSTALLED, LEARNED, SETS, Cut, cuts, here
from benchmarks.results import Facts
from benchmarks.rows import TIMING_NOISE, Row
from benchmarks.timing import seconds, table

#: The 20 settings of the peer: widths of the gaussian kernel, in median distances, and prices of
#: errors.
WIDTHS, PRICES, FOLDS = (2.0, 1.0, 0.6, 0.35), (0.1, 1.0, 10.0, 100.0, 1000.0), 5
#: How many cuts of each set are measured.
CUTS = 5
OURS: dict[str, Callable[[str], Any]] = {
    "svm": lambda metric: wb.HilbertSVCCV(metric, random_state=0),
    "svm-repaired": lambda metric: wb.HilbertSVCCV(metric, repair="shift", random_state=0),
    "svm-clipped": lambda metric: wb.HilbertSVCCV(metric, repair="clip", random_state=0),
    "lp": lambda metric: wb.LPMachineClassifierCV(metric, random_state=0),
    "lipschitz": lambda metric: wb.LipschitzClassifierCV(metric, random_state=0),
}
TITLES = {
    "svm": "HilbertSVCCV",
    "svm-repaired": "HilbertSVCCV, repair='shift'",
    "svm-clipped": "HilbertSVCCV, repair='clip'",
    "lp": "LPMachineClassifierCV",
    "lipschitz": "LipschitzClassifierCV",
}


class Grid:
    """What people do with a matrix of distances: a grid search over C for each width of a kernel,
    and the winner fitted again.
    """

    def __init__(self, metric: str) -> None:
        self.metric = metric

    def fit(self, objects: Any, labels: Any) -> "Grid":
        distances = wb.pairwise_distances(objects, metric=self.metric)
        unit = np.median(distances[distances > 0])
        folds = StratifiedKFold(FOLDS, shuffle=True, random_state=0)
        searches = []
        for width in WIDTHS:
            search = GridSearchCV(SVC(kernel="precomputed"), {"C": PRICES}, cv=folds, refit=False)
            searches.append(
                (search.fit(self._kernel(distances, width * unit), labels), width * unit)
            )
        best, self.width = max(searches, key=lambda each: each[0].best_score_)
        self.objects = objects
        self.machine = SVC(kernel="precomputed", **best.best_params_).fit(
            self._kernel(distances, self.width), labels
        )
        return self

    def predict(self, asked: Any) -> Any:
        return self.machine.predict(
            self._kernel(wb.pairwise_distances(asked, self.objects, metric=self.metric), self.width)
        )

    @staticmethod
    def _kernel(distances: Any, width: float) -> Any:
        return np.exp(-((distances / width) ** 2))


def measure_beside_grid(
    ours: list[str], sets: list[str] | None = None, n_cuts: int = CUTS
) -> Facts:
    """Times and errors of ours and of the peer on each cut of the sets; where one of ours refuses
    the distance, why.
    """
    found: dict[str, Facts] = {}
    for name in sets or here():
        for place, cut in enumerate(cuts(name, n_cuts)):
            facts = found.setdefault(
                name,
                {
                    "metric": cut.metric,
                    "classes": len(np.unique(cut.labels)),
                    "asked": len(cut.asked),
                    "cuts": [],
                },
            )
            facts["cuts"].append(_on_cut(ours, cut))
            print(name, place, facts["cuts"][-1], file=sys.stderr, flush=True)
    return found


def _on_cut(ours: list[str], cut: Cut) -> Facts:
    with threadpool_limits(1), warnings.catch_warnings(action="ignore"):
        models = {name: OURS[name](cut.metric) for name in ours} | {"grid": Grid(cut.metric)}
        for model in models.values():  # compiled code is loaded before it is timed
            _cpu_and_error(
                model,
                Cut(cut.metric, cut.objects[::8], cut.labels[::8], cut.asked[:50], cut.truth[:50]),
            )
        return {name: _cpu_and_error(model, cut) for name, model in models.items()}


def _cpu_and_error(model: Any, cut: Cut) -> Facts:
    try:
        cpu, fitted = seconds(lambda: model.fit(cut.objects, cut.labels))
    except wb.errors.InvalidInput as refused:
        return {"refused": str(refused).partition("\n")[0]}
    settings = len(getattr(fitted, "cv_results_", {"params": WIDTHS * len(PRICES)})["params"])
    return {
        "cpu": round(cpu, 4),
        "error": float(np.mean(fitted.predict(cut.asked) != cut.truth)),
        "settings": settings,
    }


def rows_beside_grid(ours: list[str], found: Facts) -> Iterator[Row]:
    """CPU of choosing and fitting beside the grid: the median of the ratios over the cuts, and the
    spread of their logarithms.
    """
    for name, facts in found.items():
        for each in ours:
            pairs = [
                (cut[each]["cpu"], cut["grid"]["cpu"])
                for cut in facts["cuts"]
                if "refused" not in cut[each]
            ]
            if pairs:
                ratios = np.array([our / grid for our, grid in pairs])
                spread = (
                    float(np.log(ratios).std(ddof=1) / np.sqrt(len(ratios)))
                    if len(ratios) > 1
                    else TIMING_NOISE
                )
                theirs = float(np.median([grid for _, grid in pairs]))
                yield Row(
                    topic="choosing",
                    key=f"choosing: {name}, {TITLES[each]}",
                    ours=float(np.median(ratios)) * theirs,
                    peer="GridSearchCV(SVC), 20 settings",
                    theirs=theirs,
                    unit="s of CPU",
                    noise=spread,
                )


def table_beside_grid(ours: list[str], found: Facts) -> str:
    """A row for each set and each of ours: medians of times and of their ratio over the cuts, means
    of errors.
    """
    head = [
        "data",
        "metric",
        "ours",
        "settings",
        "grid s",
        "ours s",
        "ours / grid",
        "grid's error",
        "ours",
        "difference",
    ]
    return table(head, [_row(name, each, facts) for name, facts in found.items() for each in ours])


def _row(name: str, each: str, facts: Facts) -> list[str]:
    words = [name, facts["metric"], f"`{TITLES[each]}`"]
    pairs = [(cut[each], cut["grid"]) for cut in facts["cuts"] if "refused" not in cut[each]]
    if not pairs:
        return [*words, "", "", "refused", "", "", "", ""]
    ratios = [our["cpu"] / grid["cpu"] for our, grid in pairs]
    errors = 100 * np.array([(our["error"], grid["error"]) for our, grid in pairs])
    differences = errors[:, 0] - errors[:, 1]
    spread = (
        f" ± {differences.std(ddof=1) / np.sqrt(len(differences)):.1f}"
        if len(differences) > 1
        else ""
    )
    times = [f"{np.median([one['cpu'] for one in side]):.2f}" for side in zip(*pairs, strict=True)]
    return [
        *words,
        str(pairs[0][0]["settings"]),
        *reversed(times),
        f"{np.median(ratios):.2f}",
        *(f"{mean:.1f} %" for mean in errors.mean(axis=0)[::-1]),
        f"{differences.mean():+.1f}{spread}",
    ]


ON_THE_GRID = f"""\
{LEARNED:,} objects to learn from, up to as many others to ask about, {CUTS} random cuts of each set. Grid:
`GridSearchCV(SVC(kernel='precomputed'))`, {len(WIDTHS)} widths of the gaussian kernel times {len(PRICES)} values of C,
{FOLDS} folds, and the winner fitted again. Seconds are medians over the cuts, the ratio is the median of the ratios. Errors are
means over the cuts, with their difference and its standard error."""


def main(arguments: list[str]) -> None:
    count = int(arguments[arguments.index("--cuts") + 1]) if "--cuts" in arguments else CUTS
    ours, sets = (
        [each for each in arguments if each in known] for known in (OURS, (*SETS, *INSTALLED))
    )
    print(
        table_beside_grid(ours or list(OURS), measure_beside_grid(ours or list(OURS), sets, count))
    )


if __name__ == "__main__":
    main(sys.argv[1:])
