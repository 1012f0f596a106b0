"""Every metric of the table beside the call of a trusted library that measures the same, where
there is one.

Libraries that not everybody has are imported when they are called.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rapidfuzz.distance import DamerauLevenshtein, Hamming, Indel, Levenshtein
from rapidfuzz.process import cdist as string_cdist
from scipy.spatial.distance import cdist, directed_hausdorff
from scipy.stats import iqr, wasserstein_distance
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.metrics.pairwise import additive_chi2_kernel, haversine_distances, manhattan_distances

import wideberth as wb
from benchmarks.distances import objects
from wideberth.metrics.named import METRICS, bind

Block = Callable[[Any, Any], Any]
#: What rounding may do to a distance, or to a sum of some hundred costs.
ROUNDING = 1e-12


@dataclass(frozen=True)
class Rival:
    """A metric, objects for it, and the block of distances that a library measures between them.

    ``given`` turns the objects into what the library takes, once for all blocks. Where its values
    are allowed to differ by more than rounding, ``because`` says why.
    """

    metric: str
    what: str
    objects: Callable[[], Any]
    library: str = ""
    block: Block | None = None
    given: Callable[[Any], Any] = lambda objects: objects
    parameters: dict[str, Any] = field(default_factory=dict)
    tolerance: float = ROUNDING
    because: str = ""

    def bound(self) -> tuple[Any, wb.Metric, Any]:
        """The objects as ours has prepared them, our metric, and the objects as the library takes
        them.
        """
        made = self.objects()
        held, metric = bind(
            made, wb.metric(self.metric, **self.parameters) if self.parameters else self.metric
        )
        return metric.prepare(held), metric, self.given(made)


def each_pair(distance: Callable[[Any, Any], Any]) -> Block:
    """The block of a library that measures one pair at a time."""
    return lambda left, right: np.array(
        [[distance(one, other) for other in right] for one in left], dtype=np.float64
    )


def by_scipy(name: str, **options: Any) -> Block:
    return lambda left, right: cdist(left, right, name, **options)


def by_rapidfuzz(scorer: Any, **options: Any) -> Block:
    return lambda left, right: string_cdist(
        left, right, scorer=scorer, dtype=np.float64, scorer_kwargs=options
    )


def by_aeon(name: str) -> Block:
    def block(left: Any, right: Any) -> Any:
        from aeon import distances

        return getattr(distances, f"{name}_pairwise_distance")(left, right)

    return block


def mahalanobis(left: Any, right: Any) -> Any:
    return cdist(left, right, "mahalanobis", VI=_inverse_covariance())


def standardized(left: Any, right: Any) -> Any:
    return cdist(left, right, "seuclidean", V=_spreads() ** 2)


@cache
def _spreads() -> Any:
    return iqr(objects.vectors(), axis=0, scale="normal")


@cache
def _inverse_covariance() -> Any:
    return np.linalg.inv(np.cov(objects.vectors(), rowvar=False))


def angles(left: Any, right: Any) -> Any:
    return np.arccos(np.clip(1 - cdist(left, right, "cosine"), -1, 1))


def normalized(left: Any, right: Any) -> Any:
    edits = string_cdist(left, right, scorer=Levenshtein.distance, dtype=np.float64)
    return (
        2
        * edits
        / (np.array(list(map(len, left)))[:, None] + np.array(list(map(len, right))) + edits)
    )


def dtw_roots(left: Any, right: Any) -> Any:
    return np.sqrt(by_aeon("dtw")(left, right))


def ruzicka(left: Any, right: Any) -> Any:
    dissimilarity = cdist(left, right, "braycurtis")
    return 2 * dissimilarity / (1 + dissimilarity)


def counts(texts: list[str], **options: Any) -> Any:
    """The counts of scikit-learn, a sparse matrix."""
    return CountVectorizer(**options).fit_transform(texts).astype(np.float64)


def rdkit_fingerprints(smiles: list[str]) -> list[Any]:
    from rdkit.Chem import MolFromSmiles, rdFingerprintGenerator

    generator = rdFingerprintGenerator.GetMorganGenerator(radius=2, fpSize=2048)
    return [generator.GetFingerprint(MolFromSmiles(each)) for each in smiles]


def tanimoto(left: Any, right: Any) -> Any:
    from rdkit.DataStructs import BulkTanimotoSimilarity

    return 1 - np.array([BulkTanimotoSimilarity(each, right) for each in left])


def hausdorff(one: Any, other: Any) -> float:
    return max(directed_hausdorff(one, other)[0], directed_hausdorff(other, one)[0])


def on_the_line(one: Any, other: Any) -> float:
    bins = np.arange(len(one))
    return float(wasserstein_distance(bins, bins, one, other))


def earth_mover(one: Any, other: Any) -> float:
    import ot

    return float(ot.emd2(one, other, _between_pixels()))


@cache
def _between_pixels() -> NDArray[np.float64]:
    pixels = np.argwhere(np.ones((8, 8)))
    return cdist(pixels, pixels)


def apted_trees(trees: list[Any]) -> list[Any]:
    from apted.helpers import Tree

    return [_as_nodes(each, lambda label, children: Tree(label, *children)) for each in trees]


def by_apted(one: Any, other: Any) -> float:
    from apted import APTED

    return float(APTED(one, other).compute_edit_distance())


def zss_trees(trees: list[Any]) -> list[Any]:
    from zss import Node

    return [_as_nodes(each, Node) for each in trees]


def by_zss(one: Any, other: Any) -> float:
    from zss import simple_distance

    return float(simple_distance(one, other))


def _as_nodes(tree: Any, node: Callable[[Any, list[Any]], Any]) -> Any:
    return node(tree[0], [_as_nodes(child, node) for child in tree[1]])


def by_gower(left: Any, right: Any) -> Any:
    from gower import gower_matrix

    return gower_matrix(left, right, cat_features=[isinstance(value, str) for value in left[0]])


def _as_channels(series: Any) -> Any:
    """One channel each, in the form that aeon need not guess."""
    return series[:, None, :]


NAMES, DNA, VECTORS, TEXTS = (
    "first names",
    "DNA of {} bases",
    "10 numbers",
    "texts of 20 to 60 words",
)
HISTOGRAMS = "histograms of 64 bins"

VECTOR_RIVALS = [
    Rival("euclidean", VECTORS, objects.vectors, "scipy", by_scipy("euclidean")),
    Rival("manhattan", VECTORS, objects.vectors, "scipy", by_scipy("cityblock")),
    Rival("chebyshev", VECTORS, objects.vectors, "scipy", by_scipy("chebyshev")),
    Rival(
        "minkowski",
        VECTORS,
        objects.vectors,
        "scipy",
        by_scipy("minkowski", p=3),
        parameters={"p": 3},
    ),
    Rival("mahalanobis", VECTORS, objects.vectors, "scipy", mahalanobis),
    Rival("standardized", VECTORS, objects.vectors, "scipy seuclidean", standardized),
    Rival(
        *("angular", VECTORS, objects.vectors, "scipy cosine", angles),
        tolerance=1e-7,
        because="cosines near 1 leave half the digits of an angle",
    ),
    Rival("haversine", "places", objects.places, "scikit-learn", haversine_distances),
    Rival("canberra", VECTORS, objects.vectors, "scipy", by_scipy("canberra")),
]

STRING_RIVALS = [
    Rival("levenshtein", NAMES, objects.names, "rapidfuzz", by_rapidfuzz(Levenshtein.distance)),
    Rival(
        "levenshtein",
        DNA.format(150),
        partial(objects.dna, 150),
        "rapidfuzz",
        by_rapidfuzz(Levenshtein.distance),
    ),
    Rival("indel", NAMES, objects.names, "rapidfuzz", by_rapidfuzz(Indel.distance)),
    Rival("damerau", NAMES, objects.names, "rapidfuzz", by_rapidfuzz(DamerauLevenshtein.distance)),
    Rival("normalized_levenshtein", NAMES, objects.names, "rapidfuzz levenshtein", normalized),
    Rival(
        "hamming",
        DNA.format(60),
        partial(objects.dna, 60),
        "rapidfuzz",
        by_rapidfuzz(Hamming.distance),
    ),
    Rival(
        *("weighted_edit", NAMES, objects.names, "rapidfuzz, weights (2, 2, 3)"),
        by_rapidfuzz(Levenshtein.distance, weights=(2, 2, 3)),
        parameters={"gap": 2, "substitution": 3},
    ),
    Rival(
        *("weighted_edit", NAMES, objects.names, "rapidfuzz, weights (1, 1, 2)"),
        by_rapidfuzz(Levenshtein.distance, weights=(1, 1, 2)),
        parameters={"gap": 1, "substitution": 2},
    ),
    Rival(
        *("words", TEXTS, objects.texts, "scikit-learn", manhattan_distances),
        given=partial(counts, analyzer=str.split),
    ),
    Rival(
        *("ngrams", TEXTS, objects.texts, "scikit-learn", manhattan_distances),
        given=partial(counts, analyzer="char_wb", ngram_range=(2, 3)),
        parameters={"orders": (2, 3)},
    ),
]

SERIES_RIVALS = [
    Rival(
        name,
        f"series of {length}",
        partial(objects.series, length),
        "aeon",
        block,
        given=_as_channels,
    )
    for name, block in (
        ("msm", by_aeon("msm")),
        ("dtw", dtw_roots),
        ("erp", by_aeon("erp")),
        ("twe", by_aeon("twe")),
    )
    for length in (24, 150, 500)
]

SET_RIVALS = [
    Rival("jaccard", "64 bits", objects.bits, "scipy", by_scipy("jaccard")),
    Rival("ruzicka", "counts of 200 words", objects.word_counts, "scipy braycurtis", ruzicka),
    Rival(
        "tanimoto",
        "SMILES, 2048 bits",
        objects.molecules,
        "rdkit",
        tanimoto,
        given=rdkit_fingerprints,
    ),
]

DISTRIBUTION_RIVALS = [
    Rival(
        *("total_variation", HISTOGRAMS, objects.histograms, "scipy cityblock"),
        lambda left, right: cdist(left, right, "cityblock") / 2,
    ),
    Rival(
        *("hellinger", HISTOGRAMS, objects.histograms, "scipy euclidean, of roots"),
        by_scipy("euclidean"),
        given=lambda masses: np.sqrt(masses / 2),
    ),
    Rival(
        *("jensen_shannon", HISTOGRAMS, objects.histograms, "scipy"),
        lambda left, right: cdist(left, right, "jensenshannon") / np.sqrt(np.log(2)),
    ),
    Rival(
        *("chi2", HISTOGRAMS, objects.histograms, "scikit-learn"),
        lambda left, right: np.sqrt(additive_chi2_kernel(left, right) / -2),
    ),
    Rival("wasserstein_1d", HISTOGRAMS, objects.histograms, "scipy", each_pair(on_the_line)),
    Rival(
        *("wasserstein_1d", "samples of 20 to 40 numbers", objects.drawn_numbers, "scipy"),
        each_pair(wasserstein_distance),
        parameters={"of": "samples"},
    ),
    Rival(
        *("earth_mover", "digits of 8 x 8 pixels", objects.images, "POT, all costs"),
        each_pair(earth_mover),
        given=lambda images: images.reshape(len(images), -1),
    ),
]

STRUCTURE_RIVALS = [
    Rival("weisfeiler_lehman", "graphs of 15 to 40 nodes", objects.graphs),  # no library has it
    *(
        Rival(
            "tree_edit",
            f"trees of {size}",
            partial(objects.trees, size),
            library,
            each_pair(distance),
            given=given,
        )
        for size in (10, 50)
        for library, distance, given in (
            ("apted", by_apted, apted_trees),
            ("zss", by_zss, zss_trees),
        )
    ),
    Rival(
        "hausdorff", "20 to 40 points", objects.point_sets, "scipy, both ways", each_pair(hausdorff)
    ),
    Rival(
        *("gower", "8 numbers, 4 categories", objects.mixed_rows, "gower", by_gower),
        given=lambda rows: np.array(rows, dtype=object),
        tolerance=1e-6,
        because="it returns single precision",
    ),
    Rival(
        *("precomputed", "row numbers", objects.distances, "numpy.ix_"),
        lambda left, right: objects.distances()[np.ix_(left, right)],
        given=lambda matrix: np.arange(len(matrix)),
    ),
]


def with_the_others(rivals: list[Rival]) -> list[Rival]:
    """The rows, and one without a library for each metric that has none: on its own examples, over
    and over.
    """
    rest = [name for name in METRICS if name not in {rival.metric for rival in rivals}]
    return [*rivals, *(Rival(name, "its own examples", partial(_examples, name)) for name in rest)]


def _examples(name: str) -> list[Any]:
    return list(METRICS[name].examples) * 25


RIVALS = with_the_others(
    [
        *VECTOR_RIVALS,
        *STRING_RIVALS,
        *SERIES_RIVALS,
        *SET_RIVALS,
        *DISTRIBUTION_RIVALS,
        *STRUCTURE_RIVALS,
    ]
)
