"""Costs of substitutions by name: right to the last number, metrics by construction, the same for
capitals and small letters.
"""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles.metrics.distances import broken_triangles

import wideberth
from wideberth.checks import check_metric
from wideberth.errors import UnknownName
from wideberth.metrics.strings.weighted_edit import (
    AMINO_ACIDS,
    SCORES,
    WeightedEdit,
    named_substitutions,
    scores,
)

NAMES = [*SCORES, "transitions"]


@pytest.mark.parametrize("name", SCORES)
def test_scores_are_those_of_biopython(name):
    theirs = pytest.importorskip("Bio.Align.substitution_matrices").load(name)
    expected = [[theirs[one][other] for other in AMINO_ACIDS] for one in AMINO_ACIDS]
    np.testing.assert_array_equal(scores(name), expected)


def test_a_few_scores_everybody_knows():
    matrix, place = scores("BLOSUM62"), AMINO_ACIDS.index
    assert [matrix[place(one), place(other)] for one, other in ("WW", "AA", "IV", "WP", "DE")] == [
        11,
        4,
        3,
        -4,
        2,
    ]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("otherwise", [0.5, 1.0, 10.0])
def test_costs_are_a_metric_on_letters(name, otherwise):
    pairs = named_substitutions(name, otherwise)
    letters = sorted({letter for pair in pairs for letter in pair})
    costs = np.array(
        [
            [0.0 if a == b else pairs.get((a, b), pairs.get((b, a))) for b in letters]
            for a in letters
        ]
    )
    assert broken_triangles(costs)[0] == 0
    assert costs.max() <= 2 * otherwise
    for gap in (0.3, 1.0, 4.0):
        WeightedEdit(otherwise, gap, name)  # which checks the costs with all others


@pytest.mark.parametrize("name", ["BLOSUM62", "BLOSUM45"])
def test_blosum_is_a_metric_as_it_stands(name):
    matrix = scores(name)
    costs = (np.add.outer(matrix.diagonal(), matrix.diagonal()) - 2 * matrix) / 16
    pairs = named_substitutions(name, 10.0)
    for row, one in enumerate(AMINO_ACIDS):
        for column, other in enumerate(AMINO_ACIDS[:row]):
            assert pairs[one, other] == costs[row, column]


def test_pam_takes_the_cheapest_way():
    assert named_substitutions("PAM250", 10.0)["W", "C"] == 37 / 16  # by way of S


@pytest.mark.parametrize("name", NAMES)
@given(data=st.data())
@settings(max_examples=20, deadline=None)
def test_distances_keep_their_promises(name, data):
    letters = "ACGTU" if name == "transitions" else "ARWCS"
    objects = data.draw(
        st.lists(st.text(letters + letters.lower(), max_size=5), min_size=3, max_size=7)
    )
    metric = WeightedEdit(substitutions=name)
    check_metric(metric, objects)
    assert not wideberth.diagnose(objects, metric).broken_promises
    np.testing.assert_array_equal(
        metric.block(objects, objects), metric.block([one.upper() for one in objects], objects)
    )


def test_steps_files_and_names(tmp_path):
    metric = wideberth.metric("weighted_edit", substitutions="BLOSUM62")
    assert (metric.step, metric.separates) == (0.0625, False)
    assert wideberth.metric("weighted_edit", substitutions="transitions")("ACGU", "acat") == 0.5
    model = wideberth.NeighborsClassifier(metric, n_neighbors=1).fit(
        ["MKVL", "MKIL", "WWGG"], [0, 0, 1]
    )
    wideberth.save(model, tmp_path / "model.wb")
    loaded = wideberth.load(tmp_path / "model.wb")
    assert loaded.metric_.substitutions == "BLOSUM62"
    assert loaded.predict(["MKLL"]).tolist() == [0]
    with pytest.raises(UnknownName, match="Did you mean 'BLOSUM62'"):
        WeightedEdit(substitutions="blosum-62")
    with pytest.raises(UnknownName, match="Known: BLOSUM62"):
        WeightedEdit(substitutions="costs")
