"""Every classifier and every kind of object gets a report; what a model cannot give is left out
with a sentence.
"""

import numpy as np
import pytest
from families import class_name, every_classifier
from sklearn.base import clone

import wideberth as wb
from wideberth.report import Report

WORDS = [
    "tea",
    "tee",
    "ten",
    "teas",
    "team",
    "teal",
    "tear",
    "rum",
    "rom",
    "ram",
    "rums",
    "rump",
    "drum",
    "rim",
]
KINDS = ["soft"] * 7 + ["hard"] * 7
ALWAYS = {
    "learned",
    "error",
    "certificate",
    "certified",
    "leaderboard",
    "settings",
    "map",
    "margins",
    "confusion",
    "notable",
}

CLASSIFIERS = [
    *every_classifier("strings"),
    wb.AutoClassifier("levenshtein", candidates=["neighbors", "svm"], random_state=0),
]


def read(model, X, y, **options):
    report = Report(model, X, y, **options)
    facts = report.facts
    assert facts.keys() >= ALWAYS
    assert len(report.html()) > 100_000
    assert facts["in_short"]["learned"][0].startswith(("A ", "An "))
    assert facts["next"]
    return facts


@pytest.mark.few(2)
@pytest.mark.parametrize("model", CLASSIFIERS, ids=class_name)
def test_every_classifier(model):
    model = clone(model).fit(WORDS, KINDS)
    facts = read(model, WORDS, KINDS)
    compared = hasattr(model, "cv_results_") or len(getattr(model, "risk_curve_", ())) > 1
    assert facts["error"]["how"] == "out of fold"
    assert ("rows" in facts["leaderboard"]) == isinstance(model, wb.AutoClassifier)
    assert ("curves" in facts["settings"]) == compared
    assert facts["learned"]["rule"] == f"An object gets {model.decides_by}."
    assert facts["objects"]["drawing"][0]["alt"] == "tea"


def series(n):
    return [np.sin(np.linspace(0, 3 + place % 2, 12)) for place in range(n)]


OBJECTS = {
    "vectors": ("euclidean", [[float(place % 2), float(place)] for place in range(14)]),
    "series": ("msm", series(14)),
    "sets": ("jaccard", [frozenset(word) for word in WORDS]),
    "histograms": (
        "total_variation",
        [[0.1 * (place % 5), 1 - 0.1 * (place % 5)] for place in range(14)],
    ),
    "images": ("wasserstein_1d", [[float(place % 3 + 1), 2.0, 3.0] for place in range(14)]),
    "molecules": ("tanimoto", ["C" * (place + 1) + "O" * (place % 2) for place in range(14)]),
    "trees": ("tree_edit", [["root", [["leaf", []]] * (1 + place % 4)] for place in range(14)]),
    "graphs": (
        "weisfeiler_lehman",
        [{"nodes": ["C"] * 3, "edges": [[0, 1], [1, 2]][: 1 + place % 2]} for place in range(14)],
    ),
    "rows": ("gower", [{"island": "ab"[place % 2], "mass": float(place)} for place in range(14)]),
    "points": ("hausdorff", [np.array([[0.0, place], [1.0, place % 2]]) for place in range(14)]),
    "functions": (lambda one, other: float(abs(len(one) - len(other)) + (one != other)), WORDS),
}


@pytest.mark.few(3)
@pytest.mark.parametrize("kind", OBJECTS)
def test_every_kind_of_object(kind):
    metric, objects = OBJECTS[kind]
    labels = np.array(["odd", "even"] * 7)
    facts = read(
        wb.NeighborsClassifier(metric, n_neighbors=1).fit(objects, labels), objects, labels
    )
    assert len(facts["objects"]["index"]) == 14
    assert all(drawn["alt"] for drawn in facts["objects"]["drawing"])


def test_a_bare_matrix_of_distances():
    distances = wb.pairwise_distances(WORDS, None, "levenshtein")
    model = wb.NeighborsClassifier("precomputed", n_neighbors=1).fit(distances, KINDS)
    facts = read(model, distances, KINDS)
    assert facts["error"]["how"] == "out of fold"
    assert len(facts["map"]["index"]) == len(WORDS)
    assert facts["objects"]["drawing"][3]["alt"] == "object 3"


def test_new_rows_of_distances_have_training_objects_as_neighbours_and_no_map():
    new = ["teen", "rumor", "tent", "room"]
    model = wb.NeighborsClassifier("precomputed", n_neighbors=1).fit(
        wb.pairwise_distances(WORDS, WORDS, "levenshtein"), KINDS
    )
    facts = read(
        model, wb.pairwise_distances(new, WORDS, "levenshtein"), ["soft", "hard", "soft", "hard"]
    )
    assert "no map" in facts["map"]["reason"]
    assert "reason" in facts["notable"]["typical"]


def test_a_space_of_objects():
    space = wb.MetricSpace(WORDS, "levenshtein")
    facts = read(wb.LipschitzClassifier(space.metric).fit(space.index, KINDS), space.index, KINDS)
    assert facts["error"]["n"] == len(WORDS)


def test_data_frames():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"a": range(14), "b": [place % 2 for place in range(14)]}, dtype=float)
    facts = read(wb.NeighborsClassifier(n_neighbors=1).fit(frame, KINDS), frame, KINDS)
    assert facts["table"]["names"] == ["a", "b"]
    assert facts["objects"]["drawing"][3]["cells"] == ["3", "1"]
    mixed = frame.assign(c=list("xy" * 7))
    read(wb.NeighborsClassifier("gower", n_neighbors=1).fit(mixed, KINDS), mixed, KINDS)


@pytest.mark.parametrize("labels", [["soft", "hard"], ["soft", "soft"]])
def test_too_few_objects_for_an_error(labels):
    facts = read(
        wb.NeighborsClassifier("levenshtein", n_neighbors=1).fit(["tea", "rum"], labels),
        ["tea", "rum"],
        labels,
    )
    assert facts["error"]["error"] is None
    assert "say nothing about errors" in facts["error"]["sentence"]
    assert all("reason" in facts[part] for part in ("certified", "confusion", "margins"))


def test_labels_that_the_model_does_not_know():
    model = wb.NeighborsClassifier("levenshtein", n_neighbors=1).fit(WORDS, KINDS)
    facts = read(model, ["teen", "milk", "rumor"], ["soft", "white", "hard"])
    assert [each["name"] for each in facts["learned"]["classes"]] == ["hard", "soft", "white"]
    assert facts["error"]["errors"] >= 1


def test_names_and_numbers_of_rows():
    model = wb.NeighborsClassifier("levenshtein", n_neighbors=1).fit(WORDS, KINDS)
    report = Report(model, WORDS, KINDS, names=[f"n{place}" for place in range(14)], counted_from=1)
    first = report.facts["check_first"][0]["index"]
    assert f"n{first} (row {first + 1})" in report.html()


def test_columns_of_vectors_have_names():
    X = [[float(place), float(place % 2)] for place in range(14)]
    facts = read(
        wb.NeighborsClassifier(n_neighbors=1).fit(X, KINDS), X, KINDS, columns=["bill", "mass<b>"]
    )
    assert facts["table"]["names"] == ["bill", "mass<b>"]
