"""What a report calls proved is a bound of the error on new objects of all classes, never of one
class alone.
"""

import wideberth as wb
from wideberth.report import Report
from wideberth.report.facts import errors


def test_a_bound_for_one_class_is_not_the_proved_error():
    known = ["tea", "tee", "ten", "rum", "rom"]
    model = wb.NeighborsClassifier("levenshtein", n_neighbors=1).fit(
        known, ["soft"] * 3 + ["hard"] * 2
    )
    new = [f"te{'x' * length}" for length in range(1, 61)] + [
        f"te{'y' * length}" for length in range(1, 16)
    ]
    facts = Report(
        model, new, ["soft"] * 60 + ["hard"] * 15
    ).facts  # all are told soft: guessing does as well
    assert facts["error"]["errors"] == 15
    proved = facts["certificate"]["proved"]
    assert "class" not in proved["kind"]
    assert proved["value"] >= facts["error"]["error"]
    assert any(
        other["value"] < facts["error"]["low"] for other in facts["certificate"]["others"]
    ), "the trap is set"


def test_bounds_by_many_training_objects_are_left_out_with_the_reason(monkeypatch):
    monkeypatch.setattr(errors, "MOST_TRAINING", 7)
    drinks, kinds = (
        ["tea", "tee", "ten", "teas", "rum", "rom", "ram", "rums"],
        ["soft"] * 4 + ["hard"] * 4,
    )
    model = wb.NeighborsClassifier("levenshtein", n_neighbors=1).fit(drinks, kinds)
    certificate = Report(model, drinks, kinds).facts["certificate"]
    assert certificate["proved"] is None
    assert "would take too long" in certificate["reason"]
