"""Write the golden model files: small ones that together hold every class, every kind of sample,
every metric and transform, and every form that a state can take. Each is there for what it adds to
the others, which its name says.

    PYTHONPATH=tests python tests/golden/write_golden.py           # those that are missing

The format of model files is kept from release 0.3.0 on. A file that is there must never be written
again, changed or removed, for what a release has written must load for ever, with the answers that
stand beside it; what a later release saves in another way becomes another file, under a name of its
own in `golden_models`. ``SHA256SUMS`` holds the digest of each, and a test compares them.
"""

import hashlib
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
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

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
    PartitionVoteClassifier,
    transforms,
)
from wideberth.io.model_file.model_parts import Origin, metric_to_plain
from wideberth.io.model_file.provenance import DataNotes
from wideberth.io.model_file.write import write_model
from wideberth.metrics.named import METRICS
from wideberth.metrics.precomputed import Precomputed

FOLDER = Path(__file__).parent / "models"
#: A line for each golden file: its SHA-256, and its name.
SUMS = Path(__file__).parent / "SHA256SUMS"

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
    """An estimator that was not fitted, and what to fit it to: objects of a kind, made of so many
    words; and how.
    """

    model: Any
    kind: str
    size: int = len(WORDS)
    labels: tuple[Any, ...] = tuple(KINDS)
    weights: tuple[float, ...] | None = None
    # "frame", "space" or "matrix" for objects in a data frame, in a MetricSpace, or known by
    # distances
    way: str = "objects"
    origin: Origin | None = None
    notes: DataNotes | None = None
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
    "series of two channels": lambda word: [
        numbers_of(word),
        [float(letter in "aeiou") for letter in word],
    ],
    "sets": lambda word: sorted(set(numbers_of(word))),
    "multisets": lambda word: {letter: word.count(letter) for letter in sorted(word)},
    "fingerprints": lambda word: [int(number in numbers_of(word)) for number in range(26)],
    "histograms": histogram,
    "images": lambda word: [histogram(word)[:2], histogram(word[::-1] + "aou")[1:3]],
    "samples": lambda word: [number / 10 for number in numbers_of(word)],
    "trees": tree,
    "graphs": lambda word: {
        "nodes": list(word),
        "edges": [[place, place + 1] for place in range(len(word) - 1)],
    },
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
        return wideberth.pairwise_distances(
            words, WORDS[: golden.size], metric="levenshtein"
        ).tolist()
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
    return (
        model.fit(objects, labels)
        if weights is None
        else model.fit(objects, labels, sample_weight=weights)
    )


def svm_models() -> dict[str, Golden]:
    indefinite = {"metric": "levenshtein", "kernel": "distance"}
    bounded = HilbertSVC(
        kernel="bounded", width="70%", C=10.0, class_weight="balanced", calibrate=3, random_state=0
    )
    folds: dict[str, Any] = {"cv": 3, "random_state": 0}
    return {
        "svm-two-classes": Golden(
            HilbertSVC(kernel="gaussian", width=1.0, C=np.inf), "vectors", TWO_CLASSES
        ),
        "svm-several-classes": Golden(bounded, "vectors"),
        "svm-measured-kernel": Golden(HilbertSVC("levenshtein", kernel="laplace"), "strings"),
        "svm-clip": Golden(HilbertSVC(**indefinite, repair="clip"), "strings"),
        "svm-landmarks-shift": Golden(
            HilbertSVC(**indefinite, repair="shift", landmarks=8), "strings"
        ),
        "svm-cv": Golden(
            HilbertSVCCV(C=[0.1, 1.0, 10.0], width=["100%", "50%"], **folds), "vectors", way="frame"
        ),
        "svm-cv-space": Golden(
            HilbertSVCCV("jaccard", C=[1.0, 10.0], **folds), "sets", way="space"
        ),
    }


def lipschitz_models() -> dict[str, Golden]:
    weights = {"soft": 1.0, "hard": 2.0, "food": 0.5}
    search = {"C": [2.0, 10.0], "calibrate": 3, "cv": 3, "random_state": 0}
    by_balance = LipschitzClassifierCV("precomputed", scoring="balanced_accuracy", **search)
    by_radius = LipschitzClassifierCV(
        "levenshtein", scoring="certified", radius=1, unit="edit", **search
    )
    return {
        "lipschitz-calibrated": Golden(
            LipschitzClassifier("levenshtein", calibrate=3, random_state=0), "strings", TWO_CLASSES
        ),
        "lipschitz-hard-margin": Golden(
            LipschitzClassifier("levenshtein", C=np.inf, class_weight=weights), "strings"
        ),
        "lipschitz-constant": Golden(LipschitzClassifier("levenshtein", C=0.01), "strings"),
        "lipschitz-cv-matrix": Golden(by_balance, "distance rows", way="matrix"),
        "lipschitz-cv-certified": Golden(by_radius, "strings"),
    }


def lp_machines() -> dict[str, Golden]:
    radials = ["distance", ("gaussian", "50%"), ("laplace", 2.0), "bounded"]
    search = LPMachineClassifierCV(
        "levenshtein", C=[3.0, 30.0], radial=["distance", ("gaussian", "70%")], cv=3, random_state=0
    )
    return {
        "lp-two-classes": Golden(
            LPMachineClassifier("levenshtein", references=6, calibrate=3, random_state=0),
            "strings",
            TWO_CLASSES,
        ),
        "lp-radials": Golden(LPMachineClassifier("levenshtein", radial=radials), "strings"),
        "lp-own-references": Golden(
            LPMachineClassifier("levenshtein", references=["tea", "rum", "bread", "wine"]),
            "strings",
        ),
        "lp-matrix": Golden(LPMachineClassifier("precomputed"), "distance rows", way="matrix"),
        "lp-cv": Golden(search, "strings"),
    }


def margin_models() -> dict[str, Golden]:
    given = MarginNeighborsClassifier(separation=1.0, cover="exact", eta=0.1, condense="p2l")
    chosen: dict[str, dict[str, Any]] = {
        "holdout": {"holdout": 0.3},
        "holdout-refit": {"holdout": 0.3, "refit": True},
        "compression": {"separation": "compression", "condense": "net"},
        "theory": {"separation": "theory"},
    }
    models = {
        f"margin-{name}": Golden(MarginNeighborsClassifier("levenshtein", **each), "strings")
        for name, each in chosen.items()
    }
    return models | {"margin-number": Golden(given, "vectors", TWO_CLASSES)}


def neighbors_models() -> dict[str, Golden]:
    """Ways to pass objects, labels of each type, weights, and what is noted about the data."""
    soft = tuple(kind == "soft" for kind in KINDS)
    columns = Origin("rows", ("length", "begins", "has an e"), ("length",))
    notes = DataNotes(
        ("words.csv",),
        "2026-11-17T06:05:00Z",
        "kind",
        "abcdefghiklmnoprstuvwy",
        5.0,
        tuple(WORDS),
        (2,) * 18,
    )
    return {
        "neighbors-chosen": Golden(
            NeighborsClassifier("levenshtein"),
            "strings",
            origin=Origin("strings", "word"),
            notes=notes,
        ),
        "neighbors-two-classes": Golden(
            NeighborsClassifier(n_neighbors=3), "vectors", TWO_CLASSES, labels=(3,) * 6 + (7,) * 6
        ),
        "neighbors-frame": Golden(
            NeighborsClassifier(n_neighbors=1), "vectors", way="frame", labels=(0.0, 1.0, 2.0) * 6
        ),
        "neighbors-space": Golden(
            NeighborsClassifier("levenshtein", n_neighbors=3),
            "strings",
            way="space",
            weights=(1.0, 2.0, 0.5) * 6,
        ),
        "neighbors-table": Golden(
            NeighborsClassifier("gower", n_neighbors=1), "rows", labels=soft, origin=columns
        ),
        "neighbors-matrix": Golden(
            NeighborsClassifier("precomputed", n_neighbors=3), "distance rows", way="matrix"
        ),
    }


def linear_models() -> dict[str, Golden]:
    both = transforms.total("words", transforms.scale("ngrams", 0.25))
    of_both = LinearLipschitzClassifier(both, min_count=1, calibrate=3, random_state=0)
    search = LinearLipschitzClassifierCV(
        "words", C=[0.3, 3.0], edits=[0, 1], min_count=1, cv=3, random_state=0
    )
    synonyms = {"tea": ["rum", "Wine"], "rum": ("tea",), "unheard": []}
    return {
        "linear-synonyms": Golden(
            LinearLipschitzClassifier(
                wideberth.metric("words", tokens="punctuation"), min_count=1, synonyms=synonyms
            ),
            "texts",
        ),
        "linear-words": Golden(LinearLipschitzClassifier("words", edits=1, min_count=1), "texts"),
        "linear-ngrams-margin": Golden(
            LinearLipschitzClassifier("ngrams", margin=4.0), "strings", TWO_CLASSES
        ),
        "linear-words-and-ngrams": Golden(of_both, "texts"),
        "linear-vectors": Golden(
            LinearLipschitzClassifier("manhattan", class_weight="balanced"), "vectors", way="frame"
        ),
        "linear-cv": Golden(search, "texts"),
    }


def embeddings() -> dict[str, Golden]:
    own = KuratowskiEmbedding("levenshtein", references=["tea", "rum", "wine"])
    steps = make_pipeline(
        StandardScaler(with_std=False), KuratowskiEmbedding(references=4), LogisticRegression()
    )
    return {
        "kuratowski-far-references": Golden(
            KuratowskiEmbedding(references=5), "vectors", way="frame"
        ),
        "kuratowski-own-references": Golden(own, "strings"),
        "kuratowski-matrix": Golden(
            KuratowskiEmbedding("precomputed", references=5), "distance rows", way="matrix"
        ),
        "hilbert": Golden(HilbertEmbedding(), "vectors"),
        "hilbert-landmarks": Golden(
            HilbertEmbedding("levenshtein", n_components=None, landmarks=8), "strings"
        ),
        "pipeline": Golden(steps, "vectors"),
    }


def automatic_choice() -> dict[str, Golden]:
    auto = AutoClassifier(
        ["levenshtein", "ngrams"], candidates=["neighbors", "svm"], max_time=None, random_state=0
    )
    blend = AutoClassifier(
        ["levenshtein", "ngrams"],
        candidates=["neighbors", "svm", "linear"],
        max_time=None,
        random_state=9,
    )
    return {"auto": Golden(auto, "strings"), "auto-blend": Golden(blend, "strings")}


def online_models() -> dict[str, Golden]:
    """Learners of labels that are not those of nearest centres, so that contradictions are met
    too.
    """
    settings: dict[str, dict[str, Any]] = {
        "sampling": {},
        "inner-paper": {"similarity": "inner", "update": "paper", "alpha": 2.0},
        "exact": {"engine": "exact"},
        "noise": {"noise": 0.1},
        "softened": {"inconsistent": "soften"},
        "even-power-ellipsoid": {"similarity": "lp", "p": 4, "engine": "ellipsoid"},
        "found-radius": {"radius": "auto"},
    }
    usual: dict[str, Any] = {"radius": 3.0, "inconsistent": "ignore", "random_state": 0}
    return {
        f"online-{name}": Golden(
            OnlinePartitionClassifier(**usual | each), "places", labels=("soft", "hard", "food") * 6
        )
        for name, each in settings.items()
    }


def search_models() -> dict[str, Golden]:
    """Learners of values, told answers that belong to no value; those of labels have the other
    engines.
    """
    settings: dict[str, dict[str, Any]] = {
        "exact": {"engine": "exact", "alpha": 0.5},
        "noise": {"noise": 0.1},
    }
    return {
        f"search-{name}": Golden(ContextualSearch(random_state=0, **each), "places")
        for name, each in settings.items()
    }


def metric_models() -> dict[str, Golden]:
    """Models for every kind of sample, by a metric on it."""
    weighted = {"substitution": 1.5, "gaps": {"e": 0.5}, "substitutions": {("a", "o"): 0.75}}
    levels = {"length": tuple(range(10)), "begins": None, "has an e": None}
    metrics = {
        "mahalanobis": ("mahalanobis", "vectors"),
        "haversine": ("haversine", "places"),
        "hamming": ("hamming", "padded strings"),
        "levenshtein": ("levenshtein", "tokens"),
        "words": ("words", "texts"),
        "word_edit": (wideberth.metric("word_edit", tokens="punctuation"), "texts"),
        "weighted-edit-costs": (wideberth.metric("weighted_edit", **weighted), "strings"),
        "weighted-edit-by-name": (
            wideberth.metric("weighted_edit", substitutions="PAM250", opening=0.5),
            "strings",
        ),
        "msm": ("msm", "series of two channels"),
        "jaccard": ("jaccard", "sets"),
        "ruzicka": ("ruzicka", "multisets"),
        "tanimoto": ("tanimoto", "fingerprints"),
        "wasserstein-samples": (wideberth.metric("wasserstein_1d", of="samples"), "samples"),
        "tree_edit": ("tree_edit", "trees"),
        "tree_paths": ("tree_paths", "trees"),
        "weisfeiler_lehman": (wideberth.metric("weisfeiler_lehman", iterations=2), "bonded graphs"),
        "weisfeiler-lehman-plain": ("weisfeiler_lehman", "graphs"),
        "hausdorff": ("hausdorff", "points"),
        "forest": (wideberth.metric("forest", n_trees=5), "rows"),
        "forest-and-vectors": (
            transforms.total("standardized", wideberth.metric("forest", n_trees=5)),
            "vectors",
        ),
        "gower-ranges": (wideberth.metric("gower", ranges=levels, weights={"begins": 2.0}), "rows"),
    }
    models = {
        f"metric-{name}": Golden(NeighborsClassifier(metric, n_neighbors=3), kind, TWO_CLASSES)
        for name, (metric, kind) in metrics.items()
    }
    moved = NeighborsClassifier("earth_mover", n_neighbors=3)
    return models | {"metric-earth_mover": Golden(moved, "images", TWO_CLASSES, needs="ot")}


def summed_metric_models() -> dict[str, Golden]:
    """One model for many metrics on a kind of sample; its answers are sums of their distances, so
    that a change of any shows.
    """
    named = wideberth.metric
    sums = {
        "vectors": ["manhattan", "chebyshev", "angular", "canberra", named("minkowski", p=3)],
        "strings": [
            *["indel", "damerau", "normalized_levenshtein"],
            named("rare_ngrams", orders=(1, 2), at="text"),
            named("ngrams", orders=(2, 3), at="text", form="ruzicka"),
        ],
        "series": ["dtw", "msm", "erp", "twe"],
        "histograms": ["total_variation", "hellinger", "jensen_shannon", "chi2", "wasserstein_1d"],
    }
    return {f"metrics-of-{kind}": summed(kind, *metrics) for kind, metrics in sums.items()}


def transform_models() -> dict[str, Golden]:
    by = transforms
    of_strings = [
        *[by.cap("levenshtein", 4), by.power("levenshtein", 0.5), by.saturate("levenshtein")],
        by.one_minus_exp("levenshtein", rate=0.3),
        by.largest("levenshtein", by.scale("indel", 0.75)),
        by.cap(by.total("levenshtein", "indel"), 6),
    ]
    of_vectors = [
        by.schoenberg("euclidean", weights=[1.0, 0.5], rates=[0.3, 2.0], linear=0.1),
        by.znormalized("standardized"),
    ]
    alone = {
        "scale": (by.scale("levenshtein", 0.5), "strings"),
        "product": (
            by.product({"name": "levenshtein", "place": "euclidean"}, weights={"place": 2.0}),
            "records",
        ),
        "sets": (by.sets("levenshtein"), "bags"),
        "geodesic": (by.geodesic("levenshtein", neighbors=3), "strings"),
        "geodesic-vectors": (by.geodesic("standardized", neighbors=2), "vectors"),
        "znormalized": (
            by.total("twe", by.derivative(by.znormalized("erp"))),
            "series of two channels",
        ),
    }
    models = {
        f"transform-{name}": Golden(NeighborsClassifier(metric, n_neighbors=3), kind, TWO_CLASSES)
        for name, (metric, kind) in alone.items()
    }
    sums = {
        "transforms-of-strings": summed("strings", *of_strings),
        "transforms-of-vectors": summed("vectors", *of_vectors),
    }
    return models | sums


def summed(kind: str, *metrics: Any) -> Golden:
    """A model whose answers are distances to some objects, by a sum of metrics."""
    return Golden(KuratowskiEmbedding(transforms.total(*metrics), references=6), kind, TWO_CLASSES)


def models_of_other_metrics(known: dict[str, Golden]) -> dict[str, Golden]:
    """A model for every metric of the table that no other measures with, on objects of its kind."""
    used = [
        golden.model.metric
        for golden in known.values()
        if hasattr(golden.model, "metric") and golden.way != "matrix"
    ]
    plain = [
        metric_to_plain(wideberth.metric(metric))
        for each in used
        for metric in (each if isinstance(each, list) else [each])
    ]
    measured = {Precomputed.name}.union(*(parts_named(each, "name") for each in plain))
    sample_of = {"distributions": "histograms", "molecules": "fingerprints"}
    return {
        f"metric-{name}": Golden(
            NeighborsClassifier(name, n_neighbors=3),
            sample_of.get(each.accepts, each.accepts),
            TWO_CLASSES,
        )
        for name, each in METRICS.items()
        if name not in measured
    }


def parts_named(value: Any, key: str) -> set[str]:
    """All texts that stand under a key, however deep."""
    inner = (
        list(value.values())
        if isinstance(value, dict)
        else value
        if isinstance(value, list)
        else []
    )
    own = {value[key]} if isinstance(value, dict) and isinstance(value.get(key), str) else set()
    return own.union(*(parts_named(each, key) for each in inner))


def votes_of_parts() -> dict[str, Golden]:
    nearest = NeighborsClassifier("levenshtein", n_neighbors=1, calibrate=None)
    return {
        # some of its parts are empty or of one class
        "vote-strings": Golden(PartitionVoteClassifier(nearest, n_parts=12), "strings"),
        "vote-frame": Golden(
            PartitionVoteClassifier(LipschitzClassifier("standardized", C=10.0), n_parts=2),
            "vectors",
            way="frame",
        ),
    }


def golden_models() -> dict[str, Golden]:
    """All golden models by the names of their files."""
    models = {
        **svm_models(),
        **lipschitz_models(),
        **lp_machines(),
        **margin_models(),
        **neighbors_models(),
        **linear_models(),
        **embeddings(),
        **automatic_choice(),
        **votes_of_parts(),
        **online_models(),
        **search_models(),
        **metric_models(),
        **summed_metric_models(),
        **transform_models(),
    }
    written = models | models_of_other_metrics(models)
    return written | other_families(written)


def other_families(written: dict[str, Golden]) -> dict[str, Golden]:
    """A model of each family, and of each class that chooses settings, of which none is written,
    with its usual settings.
    """
    classes = {type(golden.model) for golden in written.values()}
    return {
        class_name(each): Golden(each, "strings")
        for each in every_classifier("strings")
        if type(each) not in classes
    }


def write_golden(name: str, golden: Golden, folder: Path) -> None:
    """Write ``name.wb`` and, in ``name.json``, queries with their answers; a `FileExistsError` if
    either is there.
    """
    for path in (model_path := folder / f"{name}.wb", answers_path := folder / f"{name}.json"):
        if path.exists():
            raise FileExistsError(
                f"{path} is there, and a golden file is never written again; choose another name."
            )
    model = fitted(golden)
    write_model(model, model_path, golden.origin, golden.notes)
    queries = plain_objects(golden, QUERIES)
    given = OBJECTS_OF_KIND[golden.kind](queries)
    described = {
        "written_by": wideberth.__version__,
        "kind": golden.kind,
        "needs": golden.needs,
        "origin": None if golden.origin is None else vars(golden.origin),
        "notes": None if golden.notes is None else vars(golden.notes),
        "queries": queries,
        "answers": answers_of(wideberth.load(model_path), given),
    }
    answers_path.write_text(json.dumps(described, allow_nan=False) + "\n")


def digests() -> dict[str, str]:
    """The digest of each file in the folder, by its name."""
    return {
        path.name: hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(FOLDER.iterdir())
    }


def kept_digests() -> dict[str, str]:
    """The digests that stand in ``SHA256SUMS``, by the names of the files."""
    lines = SUMS.read_text(encoding="utf-8").splitlines() if SUMS.exists() else []
    return {name: digest for digest, name in (line.split() for line in lines)}


def main() -> None:
    """Write the golden files that are missing, and their digests."""
    warnings.simplefilter("ignore")  # of a dozen objects, warnings are to be expected
    for name, golden in golden_models().items():
        if not (FOLDER / f"{name}.wb").exists():
            write_golden(name, golden, FOLDER)
            print("written:", name)
    kept = digests() | kept_digests()  # what is kept stays as it was
    SUMS.write_text("".join(f"{kept[name]}  {name}\n" for name in sorted(kept)), encoding="utf-8")


if __name__ == "__main__":
    main()
