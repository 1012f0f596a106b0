"""Write the golden model files: a small one for every estimator, every kind of sample and every metric that a file can hold.

A file that is there must never be written again, changed or removed: what a version of wideberth has written must load for ever,
with the answers that stand beside it. This script writes those that are missing, and refuses to overwrite. What a later version
saves in another way becomes another file, under a name of its own in `golden_models`. To write what is missing:

    PYTHONPATH=tests python tests/golden/write_golden.py
"""

import json
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from families import class_name, every_classifier
from golden.answers import answers_of
from golden.kinds import OBJECTS_OF_KIND

import wideberth
from wideberth import (
    AutoClassifier,
    ContextualSearch,
    HilbertEmbedding,
    HilbertSVC,
    HilbertSVCCV,
    KuratowskiEmbedding,
    LinearLipschitzClassifier,
    LinearLipschitzClassifierCV,
    LipschitzClassifier,
    LipschitzClassifierCV,
    LPMachineClassifier,
    LPMachineClassifierCV,
    MarginNeighborsClassifier,
    MetricSpace,
    NeighborsClassifier,
    OnlinePartitionClassifier,
    transforms,
)
from wideberth.io.model_file.model_parts import Origin, metric_to_plain
from wideberth.io.model_file.write import write_model
from wideberth.metrics.named import METRICS
from wideberth.metrics.precomputed import Precomputed

FOLDER = Path(__file__).parent / "models"

#: Every object is made of a word: six for each of three classes.
WORDS = [
    *["tea", "tee", "latte", "cocoa", "milk", "cola"],
    *["rum", "rhum", "gin", "vodka", "sherry", "brandy"],
    *["bread", "broth", "rice", "pasta", "beans", "cheese"],
]
KINDS = ["soft"] * 6 + ["hard"] * 6 + ["food"] * 6
QUERIES = ["teas", "grin", "breads", "cider", "ramen", "milk"]
TWO_CLASSES = 12


@dataclass(frozen=True)
class Golden:
    """An estimator that was not fitted, and what to fit it to: objects of a kind, made of so many words; and how."""

    model: Any
    kind: str
    size: int = len(WORDS)
    labels: tuple[Any, ...] = tuple(KINDS)
    weights: tuple[float, ...] | None = None
    way: str = "objects"  # "frame", "space" or "matrix" for objects in a data frame, in a MetricSpace, or known by distances
    origin: Origin | None = None
    needs: str | None = None  # the package without which new objects cannot be measured


def numbers_of(word: str) -> list[int]:
    return [ord(letter) - ord("a") for letter in word]


def vector(word: str) -> list[float]:
    first, *_, last = numbers_of(word)
    return [first / 4, last / 8 - 1, len(word) - 4.5]


def tree(word: str) -> list[Any]:
    """The first letter above the trees of two halves of the others."""
    middle = (len(word) + 1) // 2
    return [word[0], [tree(part) for part in (word[1:middle], word[middle:]) if part]]


def row(word: str) -> dict[str, Any]:
    return {"length": len(word), "begins": word[0], "has an e": "e" in word}


def histogram(word: str) -> list[int]:
    return np.bincount([number // 6 for number in numbers_of(word)], minlength=5).tolist()


OBJECT_OF_WORD = {
    "vectors": vector,
    "places": lambda word: [numbers_of(word)[0] / 30, numbers_of(word)[-1] / 10],
    "strings": str,
    "texts": lambda word: f"{word} or {word[:2]} with {word[-2:]} and {word[0]}",
    "padded strings": lambda word: word.ljust(6, "-"),
    "tokens": lambda word: [word[:1], *numbers_of(word)],
    "series": lambda word: [number / 10 for number in numbers_of(word)],
    "series of two channels": lambda word: [numbers_of(word), [float(letter in "aeiou") for letter in word]],
    "sets": lambda word: sorted(set(numbers_of(word))),
    "multisets": lambda word: {letter: word.count(letter) for letter in sorted(word)},
    "fingerprints": lambda word: [int(number in numbers_of(word)) for number in range(26)],
    "histograms": histogram,
    "images": lambda word: [histogram(word)[:2], histogram(word[::-1] + "aou")[1:3]],
    "samples": lambda word: [number / 10 for number in numbers_of(word)],
    "trees": tree,
    "graphs": lambda word: {"nodes": list(word), "edges": [[place, place + 1] for place in range(len(word) - 1)]},
    "bonded graphs": lambda word: {
        "nodes": list(word),
        "edges": [[place, place + 1, word[place] in "aeiou"] for place in range(len(word) - 1)],
    },
    "bags": lambda word: [word, word[:2], word[2:]],
    "points": lambda word: [[place, number / 5] for place, number in enumerate(numbers_of(word))],
    "rows": row,
    "records": lambda word: {"name": word, "place": vector(word)[:2]},
}


def plain_objects(golden: Golden, words: list[str]) -> list[Any]:
    """Objects of the kind, as JSON holds them."""
    if golden.way == "matrix":
        return wideberth.pairwise_distances(words, WORDS[: golden.size], metric="levenshtein").tolist()
    return [OBJECT_OF_WORD[golden.kind](word) for word in words]


def fitted(golden: Golden) -> Any:
    """The classifier, fitted in the way that is asked for."""
    objects = OBJECTS_OF_KIND[golden.kind](plain_objects(golden, WORDS[: golden.size]))
    weights = None if golden.weights is None else list(golden.weights)
    model, labels = golden.model, list(golden.labels[: golden.size])
    if golden.way == "frame":
        objects = pd.DataFrame(objects, columns=["first", "last", "length"])
    if golden.way == "space":
        space = MetricSpace(objects, model.metric)
        return model.set_params(metric=space.metric).fit(space.index, labels, sample_weight=weights)
    if isinstance(model, ContextualSearch):
        for place, label in zip(objects, labels, strict=True):
            model.learn_one(place, too_high=label == "hard")
        return model
    return model.fit(objects, labels) if weights is None else model.fit(objects, labels, sample_weight=weights)


def svm_models() -> dict[str, Golden]:
    indefinite = {"metric": "levenshtein", "kernel": "distance"}
    return {
        "svm-two-classes": Golden(HilbertSVC(), "vectors", TWO_CLASSES),
        "svm-several-classes": Golden(HilbertSVC(C=10.0), "vectors"),
        "svm-calibrated": Golden(HilbertSVC(calibrate=3, random_state=0), "vectors"),
        "svm-hard-margin": Golden(HilbertSVC(kernel="gaussian", width=1.0, C=np.inf), "vectors", TWO_CLASSES),
        "svm-bounded-kernel": Golden(HilbertSVC(kernel="bounded", width="70%", class_weight="balanced"), "vectors"),
        "svm-measured-kernel": Golden(HilbertSVC("levenshtein", kernel="laplace"), "strings"),
        "svm-landmarks": Golden(HilbertSVC(landmarks=6), "vectors"),
        "svm-landmarks-repaired": Golden(HilbertSVC(**indefinite, repair="shift", landmarks=8), "strings"),
        "svm-clip": Golden(HilbertSVC(**indefinite, repair="clip"), "strings"),
        "svm-shift": Golden(HilbertSVC(**indefinite, repair="shift"), "strings", TWO_CLASSES),
    }


def lipschitz_models() -> dict[str, Golden]:
    return {
        "lipschitz-two-classes": Golden(LipschitzClassifier("levenshtein"), "strings", TWO_CLASSES),
        "lipschitz-several-classes": Golden(LipschitzClassifier("levenshtein", C=10.0), "strings"),
        "lipschitz-calibrated": Golden(LipschitzClassifier("levenshtein", calibrate=3, random_state=0), "strings"),
        "lipschitz-hard-margin": Golden(
            LipschitzClassifier("levenshtein", C=np.inf, class_weight={"soft": 1.0, "hard": 2.0, "food": 0.5}), "strings"
        ),
        "lipschitz-constant": Golden(LipschitzClassifier("levenshtein", C=0.01), "strings"),
    }


def lp_machines() -> dict[str, Golden]:
    return {
        "lp-two-classes": Golden(LPMachineClassifier("levenshtein"), "strings", TWO_CLASSES),
        "lp-one-vs-rest": Golden(LPMachineClassifier("levenshtein"), "strings"),
        "lp-calibrated": Golden(LPMachineClassifier("levenshtein", calibrate=3, random_state=0), "strings"),
        "lp-radials": Golden(
            LPMachineClassifier("levenshtein", radial=["distance", ("gaussian", "50%"), ("laplace", 2.0), "bounded"]), "strings"
        ),
        "lp-far-references": Golden(LPMachineClassifier("levenshtein", references=6), "strings"),
        "lp-own-references": Golden(LPMachineClassifier("levenshtein", references=["tea", "rum", "bread", "wine"]), "strings"),
    }


def margin_models() -> dict[str, Golden]:
    settings: dict[str, dict[str, Any]] = {
        "margin-holdout": {"holdout": 0.3},
        "margin-holdout-refit": {"holdout": 0.3, "refit": True},
        "margin-compression": {"separation": "compression"},
        "margin-compression-net": {"separation": "compression", "condense": "net"},
        "margin-theory": {"separation": "theory"},
        "margin-number": {"separation": 4.0},
        "margin-number-p2l": {"separation": 4.0, "condense": "p2l"},
        "margin-exact-cover": {"separation": 5.0, "cover": "exact", "eta": 0.1},
    }
    models = {name: Golden(MarginNeighborsClassifier("levenshtein", **each), "strings") for name, each in settings.items()}
    return models | {"margin-vectors": Golden(MarginNeighborsClassifier(separation=1.0), "vectors", TWO_CLASSES)}


def neighbors_models() -> dict[str, Golden]:
    one = {"n_neighbors": 1}
    return {
        "neighbors-chosen": Golden(NeighborsClassifier("levenshtein"), "strings", origin=Origin("strings", "word")),
        "neighbors-two-classes": Golden(NeighborsClassifier(n_neighbors=3), "vectors", TWO_CLASSES),
        "neighbors-weights": Golden(NeighborsClassifier("levenshtein", n_neighbors=3), "strings", weights=(1.0, 2.0, 0.5) * 6),
        "neighbors-frame": Golden(NeighborsClassifier(**one), "vectors", way="frame"),
        "neighbors-space": Golden(NeighborsClassifier("levenshtein", n_neighbors=3), "strings", way="space"),
        "neighbors-table": Golden(
            NeighborsClassifier("gower", **one), "rows", origin=Origin("rows", ("length", "begins", "has an e"), ("length",))
        ),
        "labels-truth-values": Golden(NeighborsClassifier(**one), "vectors", labels=tuple(kind == "soft" for kind in KINDS)),
        "labels-whole-numbers": Golden(NeighborsClassifier(**one), "vectors", labels=(3, 7, 9) * 6),
        "labels-floats": Golden(NeighborsClassifier(**one), "vectors", labels=(0.0, 1.0, 2.0) * 6),
    }


def distance_row_models() -> dict[str, Golden]:
    models = {"neighbors": NeighborsClassifier("precomputed", n_neighbors=3), "lp": LPMachineClassifier("precomputed")}
    return {f"{name}-matrix": Golden(model, "distance rows", way="matrix") for name, model in models.items()}


def metric_models() -> dict[str, Golden]:
    """Models for every metric that has no other here, and for every kind of sample of those that take several."""
    kinds = {
        "mahalanobis": "vectors",
        "haversine": "places",
        "hamming": "padded strings",
        "levenshtein": "tokens",
        "dtw": "series",
        "msm": "series of two channels",
        "jaccard": "sets",
        "ruzicka": "multisets",
        "tanimoto": "fingerprints",
        "wasserstein_1d": "histograms",
        "tree_edit": "trees",
        "weisfeiler_lehman": "graphs",
        "hausdorff": "points",
    }
    models = {f"metric-{name}": Golden(NeighborsClassifier(name, n_neighbors=3), kinds[name], TWO_CLASSES) for name in kinds}
    moved = NeighborsClassifier("earth_mover", n_neighbors=3)
    return models | {"metric-earth_mover": Golden(moved, "images", TWO_CLASSES, needs="ot")}


def metric_models_in_sums() -> dict[str, Golden]:
    """One model for all metrics of a kind of sample that have no parameters: each has its share in every distance."""
    sums = {
        "vectors": ["manhattan", "chebyshev", "angular", "canberra"],
        "strings": ["indel", "damerau", "normalized_levenshtein"],
        "series": ["msm", "erp", "twe"],
        "histograms": ["total_variation", "hellinger", "jensen_shannon", "chi2"],
    }
    return {
        f"metrics-of-{kind}": Golden(NeighborsClassifier(transforms.total(*names), n_neighbors=3), kind, TWO_CLASSES)
        for kind, names in sums.items()
    }


def metric_models_with_parameters() -> dict[str, Golden]:
    levels = {"ranges": {"length": tuple(range(10)), "begins": None}}
    weighted = {"substitution": 1.5, "gaps": {"e": 0.5}, "substitutions": {("a", "o"): 0.75}}
    metrics = {
        "minkowski-p": (wideberth.metric("minkowski", p=3), "vectors"),
        "weighted-edit-costs": (wideberth.metric("weighted_edit", **weighted), "strings"),
        "weisfeiler-lehman-bonds": (wideberth.metric("weisfeiler_lehman", iterations=2), "bonded graphs"),
        "weighted-edit-by-name": (wideberth.metric("weighted_edit", substitutions="PAM250", opening=0.5), "strings"),
        "rare-ngrams-in-texts": (wideberth.metric("rare_ngrams", orders=(1, 2), at="text"), "strings"),
        "ngrams-share-in-texts": (wideberth.metric("ngrams", orders=(2, 3), at="text", form="ruzicka"), "strings"),
        "wasserstein-1d-samples": (wideberth.metric("wasserstein_1d", of="samples"), "samples"),
        "gower-ranges": (wideberth.metric("gower", ranges={"length": 4.0, "begins": None, "has an e": None}), "rows"),
        "gower-weights": (wideberth.metric("gower", **levels, weights={"begins": 2.0}), "rows"),
    }
    return {
        f"metric-{name}": Golden(NeighborsClassifier(metric, n_neighbors=3), kind, TWO_CLASSES)
        for name, (metric, kind) in metrics.items()
    }


def transform_models() -> dict[str, Golden]:
    made = {
        "scale": (transforms.scale("levenshtein", 0.5), "strings"),
        "cap": (transforms.cap("levenshtein", 4), "strings"),
        "power": (transforms.power("levenshtein", 0.5), "strings"),
        "saturate": (transforms.saturate("levenshtein"), "strings"),
        "one-minus-exp": (transforms.one_minus_exp("levenshtein", rate=0.3), "strings"),
        "schoenberg": (transforms.schoenberg("euclidean", weights=[1.0, 0.5], rates=[0.3, 2.0], linear=0.1), "vectors"),
        "total": (transforms.total("manhattan", transforms.scale("chebyshev", 2.0)), "vectors"),
        "largest": (transforms.largest("levenshtein", transforms.scale("indel", 0.75)), "strings"),
        "product": (transforms.product({"name": "levenshtein", "place": "euclidean"}, weights={"place": 2.0}), "records"),
        "nested": (transforms.cap(transforms.total("levenshtein", "indel"), 6), "strings"),
        "sets": (transforms.sets("levenshtein"), "bags"),
        "geodesic": (transforms.geodesic("levenshtein", neighbors=3), "strings"),
        "geodesic-vectors": (transforms.geodesic("standardized", neighbors=2), "vectors"),
        "derivative": (transforms.derivative("msm"), "series"),
        "znormalized": (transforms.total("twe", transforms.derivative(transforms.znormalized("erp"))), "series of two channels"),
        "znormalized-vectors": (transforms.total("euclidean", transforms.znormalized("standardized")), "vectors"),
    }
    return {
        f"transform-{name}": Golden(NeighborsClassifier(metric, n_neighbors=3), kind, TWO_CLASSES)
        for name, (metric, kind) in made.items()
    }


def newer_metric_models(older: dict[str, Golden]) -> dict[str, Golden]:
    """A model for every metric of the table that no other measures with, on objects of its kind."""
    metrics = [wideberth.metric(golden.model.metric) for golden in older.values() if golden.way != "matrix"]
    measured = {Precomputed.name}.union(*(parts_named(metric_to_plain(each), "name") for each in metrics))
    sample_of = {"distributions": "histograms", "molecules": "fingerprints"}
    return {
        f"metric-{name}": Golden(NeighborsClassifier(name, n_neighbors=3), sample_of.get(each.accepts, each.accepts), TWO_CLASSES)
        for name, each in METRICS.items()
        if name not in measured
    }


def searches() -> dict[str, Golden]:
    folds: dict[str, Any] = {"cv": 3, "random_state": 0}
    paths = LipschitzClassifierCV("precomputed", C=[2.0, 10.0], scoring="balanced_accuracy", **folds)
    radials = ["distance", ("gaussian", "70%")]
    return {
        "lipschitz-cv": Golden(LipschitzClassifierCV("levenshtein", C=[2.0, 10.0], calibrate=3, **folds), "strings"),
        "lipschitz-cv-matrix": Golden(paths, "distance rows", way="matrix"),
        "lp-cv": Golden(LPMachineClassifierCV("levenshtein", C=[3.0, 30.0], radial=radials, **folds), "strings"),
        "svm-cv": Golden(HilbertSVCCV(C=[0.1, 1.0, 10.0], width=["100%", "50%"], **folds), "vectors", way="frame"),
        "auto": Golden(
            AutoClassifier(["levenshtein", "ngrams"], candidates=["neighbors", "svm"], max_time=None, random_state=0), "strings"
        ),
        "svm-cv-space": Golden(HilbertSVCCV("jaccard", C=[1.0, 10.0], **folds), "sets", way="space"),
    }


def linear_models() -> dict[str, Golden]:
    both = transforms.total("words", transforms.scale("ngrams", 0.25))
    slope = LinearLipschitzClassifier(both, program="slope", C=5.0, min_count=1, calibrate=3, random_state=0)
    search = LinearLipschitzClassifierCV("words", C=[0.3, 3.0], edits=[0, 1], min_count=1, cv=3, random_state=0)
    return {
        "linear-words": Golden(LinearLipschitzClassifier("words", edits=1, min_count=1), "texts"),
        "linear-ngrams-margin": Golden(LinearLipschitzClassifier("ngrams", margin=4.0), "strings", TWO_CLASSES),
        "linear-slope-of-both": Golden(slope, "texts"),
        "linear-vectors": Golden(LinearLipschitzClassifier("manhattan", class_weight="balanced"), "vectors", way="frame"),
        "linear-cv": Golden(search, "texts"),
    }


def embeddings() -> dict[str, Golden]:
    return {
        "kuratowski": Golden(KuratowskiEmbedding("levenshtein"), "strings"),
        "kuratowski-far-references": Golden(KuratowskiEmbedding(references=5), "vectors", way="frame"),
        "kuratowski-own-references": Golden(KuratowskiEmbedding("levenshtein", references=["tea", "rum", "wine"]), "strings"),
        "kuratowski-matrix": Golden(KuratowskiEmbedding("precomputed", references=5), "distance rows", way="matrix"),
        "hilbert": Golden(HilbertEmbedding(), "vectors"),
        "hilbert-landmarks": Golden(HilbertEmbedding("levenshtein", n_components=None, landmarks=8), "strings"),
    }


def online_models() -> dict[str, Golden]:
    """Learners of labels that are not those of nearest centres, so that contradictions are met too."""
    settings: dict[str, dict[str, Any]] = {
        "sampling": {},
        "inner": {"similarity": "inner"},
        "paper": {"update": "paper", "alpha": 2.0},
        "ellipsoid": {"engine": "ellipsoid"},
        "exact": {"engine": "exact"},
        "joint": {"engine": "joint"},
        "noise": {"noise": 0.1},
        "softened": {"inconsistent": "soften"},
        "softened-joint": {"engine": "joint", "inconsistent": "soften"},
        "even-power": {"similarity": "lp", "p": 4, "engine": "ellipsoid"},
        "degree": {"similarity": "lp", "p": 3, "degree": 4, "engine": "joint"},
        "ladder": {"similarity": "lp", "p": 5, "separation": 3.0, "resolution": 1.0},
        "found-degrees": {"similarity": "lp", "p": 3, "separation": 3.0, "resolution": 3.0, "degree": "auto"},
    }
    usual: dict[str, Any] = {"radius": 3.0, "inconsistent": "ignore", "random_state": 0}
    return {
        f"online-{name}": Golden(OnlinePartitionClassifier(**usual | each), "places", labels=("soft", "hard", "food") * 6)
        for name, each in settings.items()
    }


def search_models() -> dict[str, Golden]:
    """Learners of values, told answers that belong to no value."""
    settings: dict[str, dict[str, Any]] = {
        "sampling": {"radius": 2.0},
        "ellipsoid": {"engine": "ellipsoid"},
        "exact": {"engine": "exact", "alpha": 0.5},
        "noise": {"noise": 0.1},
    }
    return {f"search-{name}": Golden(ContextualSearch(random_state=0, **each), "places") for name, each in settings.items()}


def parts_named(value: Any, key: str) -> set[str]:
    """All texts that stand under a key, however deep."""
    inner = list(value.values()) if isinstance(value, dict) else value if isinstance(value, list) else []
    own = {value[key]} if isinstance(value, dict) and isinstance(value.get(key), str) else set()
    return own.union(*(parts_named(each, key) for each in inner))


def golden_models() -> dict[str, Golden]:
    """All golden models by the names of their files."""
    models = {
        **svm_models(),
        **lipschitz_models(),
        **lp_machines(),
        **margin_models(),
        **neighbors_models(),
        **distance_row_models(),
        **metric_models(),
        **metric_models_in_sums(),
        **metric_models_with_parameters(),
        **transform_models(),
    }
    newer = {**newer_metric_models(models), **searches(), **linear_models(), **embeddings()}
    written = {**models, **newer, **online_models(), **search_models()}
    return {**written, **other_families(written)}


def other_families(written: dict[str, Golden]) -> dict[str, Golden]:
    """A model of each family, and of each class that chooses settings, of which none is written, with its usual settings."""
    classes = {type(golden.model) for golden in written.values()}
    return {class_name(each): Golden(each, "strings") for each in every_classifier("strings") if type(each) not in classes}


def write_golden(name: str, golden: Golden, folder: Path) -> None:
    """Write ``name.wb`` and, in ``name.json``, queries with their answers; a `FileExistsError` if either is there."""
    for path in (model_path := folder / f"{name}.wb", answers_path := folder / f"{name}.json"):
        if path.exists():
            raise FileExistsError(f"{path} is there, and a golden file is never written again; choose another name.")
    model = fitted(golden)
    write_model(model, model_path, golden.origin)
    queries = plain_objects(golden, QUERIES)
    given = OBJECTS_OF_KIND[golden.kind](queries)
    described = {
        "written_by": wideberth.__version__,
        "kind": golden.kind,
        "needs": golden.needs,
        "origin": None if golden.origin is None else vars(golden.origin),
        "queries": queries,
        "answers": answers_of(wideberth.load(model_path), given),
    }
    answers_path.write_text(json.dumps(described, allow_nan=False) + "\n")


def revise_golden(path: Path, why: str) -> list[str]:
    """Add to the answers beside a golden file those that it gives now, and why; what it answered before stays there too.

    Only for a result that was wrong or a rule that a decision record has changed. Returns the names of the answers that differ.
    """
    described = json.loads(path.with_suffix(".json").read_text())
    given = OBJECTS_OF_KIND[described["kind"]](described["queries"])
    now = answers_of(wideberth.load(path), given)
    known = {**described["answers"], **described.get("revised", {})}
    differing = {name: now[name] for name in now if name != "parameters" and now[name] != known[name]}
    if differing:
        described["revised"] = {**described.get("revised", {}), **differing, "why": why}
        path.with_suffix(".json").write_text(json.dumps(described, allow_nan=False) + "\n")
    return sorted(differing)


def main() -> None:
    """Write the golden files that are missing."""
    FOLDER.mkdir(exist_ok=True)
    warnings.simplefilter("ignore")  # of a dozen objects, warnings are to be expected
    for name, golden in golden_models().items():
        if not (FOLDER / f"{name}.wb").exists():
            write_golden(name, golden, FOLDER)
            print("written:", name)


if __name__ == "__main__":
    main()
