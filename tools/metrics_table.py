"""Write the table of metrics into docs/metrics.md: ``python tools/metrics_table.py``.

What a metric accepts, takes and promises comes from the metric. An example of its objects and, in a few words, why or from whom
the promises are, stand here; the docstrings say it in full.
"""

from inspect import Parameter, signature
from pathlib import Path

import wideberth as wb
from wideberth.metrics.metric import promise_names
from wideberth.metrics.named import METRICS

PAGE = Path(__file__).parent.parent / "docs" / "metrics.md"
BEGIN, END = "<!-- begin: written by tools/metrics_table.py -->\n", "<!-- end -->\n"

HEADINGS = {"obeys_triangle": "triangle", "hilbertian": "Hilbertian", "negative_type": "negative type"}

#: By the name of the metric: an object, and where its promises come from.
KNOWN = {
    "euclidean": ("[3.0, 4.0]", "as the crow flies; Hilbertian by definition"),
    "manhattan": ("[3.0, 4.0]", "a sum of distances on the line"),
    "chebyshev": ("[3.0, 4.0]", "the largest difference; every finite metric lies in it (Frechet, Kuratowski)"),
    "minkowski": ("[3.0, 4.0]", "Minkowski's inequality; Schoenberg 1938, Dor 1976"),
    "mahalanobis": ("[3.0, 4.0]", "Euclidean in units of the covariance (Mahalanobis 1936)"),
    "angular": ("[3.0, 4.0]", "the angle, in place of cosine distance, which is no metric; Crofton's formula"),
    "haversine": ("[0.853, 0.041]", "latitude and longitude in radians; angles on a sphere"),
    "canberra": ("[3.0, 4.0]", "relative differences (Lance & Williams 1967); Polya 1949"),
    "levenshtein": ("'garden'", "insert, delete, substitute (Levenshtein 1966; Wagner & Fischer 1974)"),
    "indel": ("'garden'", "insert and delete; what is outside a longest common subsequence"),
    "hamming": ("'ACGT'", "positions that differ; words of one length"),
    "damerau": ("'garden'", "swaps of neighbours too, unrestricted (Lowrance & Wagner 1975)"),
    "normalized_levenshtein": ("'garden'", "relative to the lengths (Yujian & Bo 2007)"),
    "weighted_edit": ("'ACGT'", "your costs, checked to make a metric (Sellers 1974; Waterman, Smith & Beyer 1976)"),
    "msm": ("[0, 1, 1, 0]", "move, split, merge (Stefan, Athitsos & Das 2013)"),
    "dtw": ("[0, 1, 1, 0]", "no metric: it costs nothing to dwell on a point (Sakoe & Chiba 1978)"),
    "erp": ("[0, 1, 1, 0]", "values are inserted at their distance from the gap (Chen & Ng 2004)"),
    "twe": ("[0, 1, 1, 0]", "time has a price too (Marteau 2009)"),
    "jaccard": ("{'tea', 'milk'}", "Marczewski & Steinhaus 1958; Gower & Legendre 1986"),
    "ruzicka": ("{'tea': 2, 'milk': 1}", "Jaccard's with weights (Marczewski & Steinhaus 1958, Charikar 2002)"),
    "tanimoto": ("'CCO'", "Jaccard's on the bits of fingerprints (Rogers & Hahn 2010)"),
    "total_variation": ("[3, 1, 0]", "half the city-block distance (Schoenberg 1938)"),
    "hellinger": ("[3, 1, 0]", "Euclidean between square roots"),
    "jensen_shannon": ("[3, 1, 0]", "Endres & Schindelin 2003, Fuglede & Topsoe 2004"),
    "chi2": ("[3, 1, 0]", "Hein & Bousquet 2005"),
    "wasserstein_1d": ("[3, 1, 0]", "work on the line; L1 between cumulative sums (Vallender 1974)"),
    "earth_mover": ("[[0, 3], [1, 0]]", "work in the plane (Rubner, Tomasi & Guibas 2000; Naor & Schechtman 2007)"),
    "weisfeiler_lehman": ("{'nodes': ['C', 'O'], 'edges': [[0, 1]]}", "Ruzicka's on neighbourhoods (Shervashidze et al. 2011)"),
    "tree_edit": ("['+', [['x', []], ['1', []]]]", "insert, delete, rename nodes (Tai 1979, Zhang & Shasha 1989)"),
    "hausdorff": ("[[0, 0], [1, 2]]", "the most remote point (Hausdorff 1914)"),
    "gower": ("{'age': 20, 'city': 'Ulm'}", "the mean over the columns (Gower 1971)"),
    "precomputed": ("0", "a matrix of your own and its row numbers; you say what it promises"),
}


def table() -> str:
    """One row for each metric, kinds of object together."""
    promises = [HEADINGS.get(name, name) for name in promise_names()]
    rows = [["metric", "objects", "for example", "parameters", *promises, "from"]]
    rows.append(["---"] * len(rows[0]))
    rows += [row(name) for name in METRICS]
    return "".join(f"| {' | '.join(cells)} |\n" for cells in rows)


def row(name: str) -> list[str]:
    """The cells of one metric, its promises as they are when nothing but its name is given."""
    metric = wb.metric(name, **({"distances": [[0.0]]} if name == "precomputed" else {}))
    example, source = KNOWN[name]
    promises = [in_words(getattr(metric, each)) for each in promise_names()]
    return [f"`{name}`", metric.accepts, f"`{example}`", ", ".join(parameters(METRICS[name])), *promises, source]


def parameters(kind: type[wb.Metric]) -> list[str]:
    """The parameters of a metric with their defaults, but for promises, which have columns of their own."""
    taken = signature(kind.__init__).parameters
    shown = {each: taken[each].default for each in kind.parameters() if each not in promise_names()}
    return [f"`{each}`" if default in (None, Parameter.empty) else f"`{each}={default!r}`" for each, default in shown.items()]


def in_words(promise: bool | float | None) -> str:
    """A promise in a table: yes, no, a number, or a dash where nobody has said."""
    return "-" if promise is None else {True: "yes", False: "no"}[promise] if isinstance(promise, bool) else f"{promise:g}"


def renewed(page: str) -> str:
    """The page with the table of today."""
    before, _, rest = page.partition(BEGIN)
    return before + BEGIN + table() + END + rest.partition(END)[2]


if __name__ == "__main__":
    PAGE.write_text(renewed(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
