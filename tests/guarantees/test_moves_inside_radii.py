"""No move inside a radius changes a label: every family, kind of object and unit."""

import pytest
from moves_inside_radii import FAMILIES, KINDS, moves_inside_radii
from short_samples import sampled

import wideberth as wb


@pytest.mark.few(8)
@sampled
@pytest.mark.parametrize("kind", KINDS)
def test_no_move_inside_a_radius_changes_a_label(kind, cases):
    for family in cases(("1 neighbour", "lipschitz", "svm", "linear"), kind):
        found = moves_inside_radii(family, kind, moves=320)
        assert [unit for unit, (false, _) in found.items() if false] == [], family


@pytest.mark.slow
@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("kind", KINDS)
def test_many_moves_inside_radii_change_no_label(kind, family):
    found = moves_inside_radii(family, kind, moves=8_000, seed=99)
    assert [unit for unit, (false, _) in found.items() if false] == []


@pytest.mark.parametrize("kind", ["euclidean", "levenshtein", "msm", "jaccard", "hellinger"])
def test_the_attack_finds_radii_that_are_too_long(kind, monkeypatch):
    proved = wb.LipschitzClassifier.certified_radius
    monkeypatch.setattr(
        wb.LipschitzClassifier,
        "certified_radius",
        lambda *given, **named: 3 * proved(*given, **named),
    )
    assert (
        sum(false for false, _ in moves_inside_radii("lipschitz", kind, moves=3_200).values()) > 0
    )


@pytest.mark.slow
def test_there_are_moves_inside_the_radii_of_every_kind():
    without = [
        kind
        for kind in KINDS
        if not sum(moves for _, moves in moves_inside_radii("1 neighbour", kind, 640).values())
    ]
    assert without == []
