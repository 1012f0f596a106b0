"""The metrics that are compared on each kind of object, by the words in which the page names them.

A plus sign marks those that are added up, with equal shares and with learned weights.
"""

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import cdist

import wideberth as wb
from benchmarks.kendall import kendall

transforms = wb.transforms
Metrics = dict[str, wb.Metric]


def for_table() -> Metrics:
    """Columns in units of their own."""
    return {
        "euclidean": wb.metric("euclidean"),
        "manhattan": wb.metric("manhattan"),
        "canberra": wb.metric("canberra"),
        "standardized +": wb.metric("standardized"),
        "standardized, p=1 +": wb.metric("standardized", p=1),
        "mahalanobis": wb.metric("mahalanobis"),
        "geodesic of standardized": transforms.geodesic("standardized"),
    }


def for_one_unit() -> Metrics:
    """Columns of one unit, such as pixels."""
    return {
        "euclidean +": wb.metric("euclidean"),
        "manhattan +": wb.metric("manhattan"),
        "angular +": wb.metric("angular"),
        "standardized": wb.metric("standardized"),
        "standardized, p=1": wb.metric("standardized", p=1),
        "geodesic of euclidean": transforms.geodesic("euclidean"),
    }


def for_rows(weights: dict[str, float]) -> Metrics:
    """Mixed columns, some of them with missing values; the weights are examples of what a user
    might know.
    """
    chosen = ", ".join(f"{column} x {weight:g}" for column, weight in weights.items())
    return {
        "gower, missing far": wb.metric("gower"),
        "gower, missing skipped": wb.metric("gower", missing="skip"),
        f"gower, {chosen}": wb.metric("gower", weights=weights),
    }


def for_words() -> Metrics:
    share = wb.metric("ngrams", form="ruzicka")
    suffixes = wb.metric("affixes", prefixes=(), suffixes=(1, 2, 3))
    return {
        "levenshtein": wb.metric("levenshtein"),
        "normalized_levenshtein +": wb.metric("normalized_levenshtein"),
        "ngrams": wb.metric("ngrams"),
        "ngrams, share +": share,
        "rare_ngrams +": wb.metric("rare_ngrams"),
        "affixes +": wb.metric("affixes"),
        "affixes, suffixes only": suffixes,
        "normalized_levenshtein and ngrams, share": transforms.total(
            "normalized_levenshtein", share
        ),
        "ngrams, share, and suffixes / 6": transforms.total(
            share, transforms.scale(suffixes, 1 / 6)
        ),
    }


def for_texts() -> Metrics:
    return {
        "normalized_levenshtein +": wb.metric("normalized_levenshtein"),
        "words": wb.metric("words"),
        "ngrams": wb.metric("ngrams"),
        "ngrams, share +": wb.metric("ngrams", form="ruzicka"),
        "rare_ngrams +": wb.metric("rare_ngrams"),
    }


def for_sites() -> Metrics:
    """DNA of one length."""
    share = wb.metric("ngrams", orders=(3, 4, 5), at="text", form="ruzicka")
    return {
        "hamming +": wb.metric("hamming"),
        "levenshtein": wb.metric("levenshtein"),
        "weighted_edit, transitions": wb.metric("weighted_edit", substitutions="transitions"),
        "weighted_edit, opening=1": wb.metric("weighted_edit", opening=1.0),
        "ngrams of the text, share +": share,
        "rare_ngrams of the text +": wb.metric("rare_ngrams", at="text"),
        "hamming / 10 and ngrams, share": transforms.total(transforms.scale("hamming", 0.1), share),
    }


def for_peptides() -> Metrics:
    """Chains of amino acids, of any lengths."""
    named = ("BLOSUM62", "BLOSUM45", "PAM250")
    return {
        "levenshtein": wb.metric("levenshtein"),
        "normalized_levenshtein +": wb.metric("normalized_levenshtein"),
        **{
            f"weighted_edit, {name}": wb.metric("weighted_edit", substitutions=name)
            for name in named
        },
        "weighted_edit, BLOSUM62, opening=1 +": wb.metric(
            "weighted_edit", substitutions="BLOSUM62", gap=0.5, opening=1.0
        ),
        "ngrams of the text, share +": wb.metric("ngrams", at="text", form="ruzicka"),
        "rare_ngrams of the text +": wb.metric("rare_ngrams", orders=(1, 2, 3), at="text"),
    }


def for_molecules() -> Metrics:
    kinds = {
        name: wb.metric("tanimoto", fingerprint=name)
        for name in ("morgan", "features", "atom_pairs")
    }
    return {f"tanimoto, {name} +": metric for name, metric in kinds.items()} | {
        "all three tanimoto": transforms.total(*kinds.values())
    }


def for_graphs() -> Metrics:
    return {
        f"weisfeiler_lehman, {rounds} rounds": wb.metric("weisfeiler_lehman", iterations=rounds)
        for rounds in (1, 2, 3, 5)
    }


def for_trees() -> Metrics:
    return {
        "tree_edit +": wb.metric("tree_edit"),
        "tree_edit, normalized +": wb.metric("tree_edit", normalized=True),
    }


def for_sets() -> Metrics:
    """Sets of words."""
    return {
        "jaccard +": wb.metric("jaccard"),
        "sets of levenshtein": transforms.sets("levenshtein"),
        "sets of levenshtein, average": transforms.sets("levenshtein", how="average"),
        "sets of normalized_levenshtein": transforms.sets("normalized_levenshtein"),
        "sets of normalized_levenshtein, average +": transforms.sets(
            "normalized_levenshtein", how="average"
        ),
    }


def for_landmarks() -> Metrics:
    """Points in the plane that correspond to each other."""
    return {
        "hausdorff +": wb.metric("hausdorff"),
        "sets of euclidean, average": transforms.sets("euclidean", how="average"),
        "Kendall's shape distance, a function of the user +": kendall,
    }


def for_histograms(places: NDArray[np.float64] | None = None) -> Metrics:
    """Counts in bins; where the places of the bins are known, also by how far mass has to go."""
    metrics = {
        f"{name} +": wb.metric(name)
        for name in ("total_variation", "hellinger", "jensen_shannon", "chi2")
    }
    return (
        metrics
        if places is None
        else metrics | {"earth_mover": wb.metric("earth_mover", ground=cdist(places, places))}
    )


def for_series(*, equal: bool, channels: bool) -> Metrics:
    """Series; those of one length can be compared point by point."""
    elastic = {
        "msm +": wb.metric("msm"),
        "znormalized(msm)": transforms.znormalized("msm"),
        "derivative(msm) +": transforms.derivative("msm"),
        "twe": wb.metric("twe"),
        "erp": wb.metric("erp"),
        "patterns +": wb.metric("patterns"),
    }
    if not channels:
        elastic["dtw, window=0.1"] = wb.metric("dtw", window=0.1)
    if not equal:
        return elastic
    shape = transforms.znormalized("euclidean")
    by_point = {} if channels else {"euclidean +": wb.metric("euclidean")}
    return {
        **by_point,
        "znormalized(euclidean)": shape,
        "derivative(euclidean)": transforms.derivative("euclidean"),
        "derivative(znormalized(euclidean)) +": transforms.derivative(shape),
        "znormalized(euclidean) and its derivative": transforms.total(
            shape, transforms.derivative(shape)
        ),
        **elastic,
    }
