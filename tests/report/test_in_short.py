"""The opening says what a reader must not miss: a weak class, and an error that was not
expected.
"""

import pytest

from wideberth.report.facts.next_steps import in_short, next_steps, weakest_class


def error(wrong, sizes, **others):
    n, errors = sum(sizes), sum(wrong)
    classes = [
        {"name": f"class {place}", "n": size, "wrong": bad}
        for place, (bad, size) in enumerate(zip(wrong, sizes, strict=True))
    ]
    known = {
        "n": n,
        "errors": errors,
        "error": errors / n,
        "low": 0.9 * errors / n,
        "high": 1.1 * errors / n,
        "by_class": classes,
    }
    return (
        {
            "how": "new",
            "sentence": "New.",
            "confidence": 0.95,
            "compared": 3,
            "expected": None,
            "when_chosen": None,
            "guessing": 0.5,
        }
        | known
        | others
    )


def opening(found, certified=None, spread=None, novel=None, changed=None, proved=None):
    learned = {
        "n_learned": 9,
        "n_known_classes": 2,
        "method": "SVM",
        "metric": "distance",
        "rule": "Rule.",
        "n_given": 9,
    }
    facts = {
        "learned": learned | {"classes": [{"name": "a", "size": 9}], "automatic": True},
        "error": found,
        "certificate": {"proved": proved, "reason": None},
        "certified": certified or {"reason": "none"},
        "changed_rows": {"flips": None, "rows": None, "one_row_decides": False} | (changed or {}),
        "doctor": {"spread": spread},
        "notable": {"mislabelled": {}, "doubtful": {}, "novel": novel or {}},
    }
    return in_short(facts), [each["title"] for each in next_steps(facts)]


def test_a_weak_class_is_in_the_opening_and_among_the_next_steps():
    found, steps = opening(error([47, 18], [128, 372]))
    assert "It is weakest on class 0, where 47 of 128 answers are wrong, 36.7%." in found["good"]
    assert "Mind the class class 0" in steps


@pytest.mark.parametrize(
    ("wrong", "sizes"),
    [([10, 10], [100, 100]), ([3, 2], [5, 95]), ([2, 1], [100, 100]), ([40], [100])],
    ids=["alike", "few objects", "few points", "one class"],
)
def test_other_classes_are_not_called_weak(wrong, sizes):
    assert weakest_class(error(wrong, sizes)) is None


@pytest.mark.parametrize(
    ("expected", "said"), [(0.05, True), (0.13, False), (0.3, True), (None, False)]
)
def test_an_error_that_was_not_expected_is_said(expected, said):
    found, _ = opening(error([32, 33], [250, 250], when_chosen=expected))
    assert any(sentence.startswith("When it was chosen") for sentence in found["good"]) is said


@pytest.mark.parametrize(("own", "said"), [(True, True), (False, False)])
def test_a_radius_stands_beside_the_median_distance_in_its_own_unit(own, said):
    certified = {
        "unit": "",
        "radii": [0.0],
        "certified": [0.9],
        "step": None,
        "median": 0.004,
        "own_unit": own,
    }
    (_, sentence) = opening(error([1, 1], [9, 9]), certified, {"median": 0.821})[0]["proved"]
    assert ("the median distance between objects is 0.821" in sentence) is said


def test_a_proved_error_is_rounded_up():
    proved = {"value": 0.05242, "confidence": 0.95, "vacuous": False}
    found, _ = opening(error([1, 1], [9, 9]), proved=proved)
    assert found["proved"][0].startswith(
        "Proved, with 95% confidence: it misclassifies at most 5.3%"
    )


@pytest.mark.parametrize(
    ("compared", "said"),
    [(3, "It is the best of 3 methods that were compared"), (1, "no other method")],
)
def test_a_choice_among_one_is_not_called_the_best_of_many(compared, said):
    found, _ = opening(error([32, 33], [250, 250], expected=0.14, compared=compared))
    assert any(said in sentence and "14.0%" in sentence for sentence in found["good"])
    assert any("best of" in sentence for sentence in found["good"]) is (compared > 1)


def test_steps_are_told_one_by_one_and_other_distances_by_their_median():
    certified = {
        "unit": "edit",
        "step": 1,
        "radii": [0, 1],
        "certified": [0.9, 0.25],
        "median": 0.5,
        "own_unit": False,
    }
    guessed, beaten = ({"guessing": share, "n": 100} for share in (0.2, 0.05))
    told = "25.0% of the answers are right, and proved to stay so after any one edit"
    found, _ = opening(error([1, 1], [50, 50]), certified | beaten)
    assert f"{told}." in found["proved"]
    found, _ = opening(error([1, 1], [50, 50]), certified | guessed)
    [said] = [each for each in found["proved"] if each.startswith(told)]
    assert "that is not clearly better than guessing" in said
    assert "the most frequent class is right for 20.0%" in said
    found, _ = opening(error([1, 1], [50, 50]), certified | {"step": 0.5})
    assert "any one edit" not in " ".join(found["proved"])


@pytest.mark.parametrize(("novel", "said"), [(10, False), (11, True)])
def test_more_than_twice_as_many_novel_objects_as_expected_are_said(novel, said):
    _, steps = opening(error([1, 1], [50, 50]), novel={"n": novel, "delta": 0.05})
    assert ("Ask where the new objects come from" in steps) is said


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        (
            {"flips": [0.8, 0.7, 0.6, 0.5], "rows": [0.8, 0.6, 0.4, 0.2]},
            [
                "80.0% of the answers are right, and proved to stay so if any one training label is "
                "wrong, 60.0% if any 5 are.",
                "80.0% stay right whichever one row is added, removed or wrongly labelled, 40.0% "
                "whichever 5 are.",
            ],
        ),
        (
            {"one_row_decides": True, "rows": [0.0, 0.0, 0.0, 0.0]},
            [
                "A single training row, put where an object is, can decide its label: no answer is "
                "proved to stay when rows are added."
            ],
        ),
        ({}, []),
    ],
)
def test_what_wrong_rows_leave_is_said_where_it_is_proved(changed, said):
    found, _ = opening(error([1], [10]), changed={"changes": [1, 2, 5, 10]} | changed)
    assert found["proved"][1:] == said
