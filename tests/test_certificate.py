"""A certificate says what is proved, under what, and whether it says anything; and survives a model
file.
"""

import json
import math
import pickle

import numpy as np
import pytest

from wideberth.bounds.binomial import holdout_bound
from wideberth.bounds.compression import preferent_bound, support_vector_bound
from wideberth.certificate import Certificate
from wideberth.errors import InvalidInput


def certificate(**changes):
    fields = {
        "statement": "The error on new objects is at most 0.03.",
        "value": 0.03,
        "kind": "preferent compression",
        "confidence": 0.95,
        "assumptions": (
            "The objects are drawn independently.",
            "The separation was fixed in advance.",
        ),
        "evidence": {"kept": 17, "n": 4000, "separation": 0.25},
        "guessing": 0.5,
    }
    return Certificate(**(fields | changes))


@pytest.mark.parametrize(
    ("value", "guessing", "vacuous"),
    [
        (0.3, None, False),
        (1.0, None, True),
        (math.inf, None, True),
        (0.3, 0.5, False),
        (0.5, 0.5, True),
        (0.3, 0.1, True),
    ],
)
def test_it_is_vacuous_where_guessing_is_as_good(value, guessing, vacuous):
    assert certificate(value=value, guessing=guessing).vacuous is vacuous


def test_it_prints_a_few_readable_lines():
    assert str(certificate()).splitlines() == [
        "The error on new objects is at most 0.03.",
        "value: 0.03 (preferent compression), with confidence 95%",
        "holds if: The objects are drawn independently.",
        "holds if: The separation was fixed in advance.",
        "not vacuous: guessing has 0.5",
    ]
    assert str(certificate(confidence=None, assumptions=(), value=2.0, guessing=None)).splitlines()[
        1:
    ] == [
        "value: 2 (preferent compression), certain",
        "vacuous: an error is never above 1",
    ]


def test_high_confidence_is_not_rounded_to_certainty():
    assert "99.9999999%" in str(certificate(confidence=1 - 1e-9))


def test_numbers_of_numpy_become_plain():
    made = certificate(
        value=np.float64(0.03),
        confidence=np.float32(0.5),
        evidence={"kept": np.int64(17)},
        guessing=np.float64(0.5),
    )
    assert [
        type(number)
        for number in (made.value, made.confidence, made.evidence["kept"], made.guessing)
    ] == [
        float,
        float,
        int,
        float,
    ]


def test_it_cannot_be_changed_but_compared_hashed_and_pickled():
    made = certificate()
    with pytest.raises(AttributeError):
        made.value = 0.0
    assert made == certificate()
    assert made != certificate(value=0.04)
    assert hash(made) == hash(certificate())
    assert pickle.loads(pickle.dumps(made)) == made


@pytest.mark.parametrize(
    "made",
    [certificate(), certificate(confidence=None, guessing=None, assumptions=(), evidence={})],
)
def test_it_survives_a_file(made):
    assert Certificate.from_plain(json.loads(json.dumps(made.to_plain()))) == made


def test_what_is_written_is_a_copy():
    made = certificate()
    made.to_plain()["evidence"]["kept"] = 0
    assert made.evidence["kept"] == 17


@pytest.mark.parametrize(
    ("field", "value", "needed"),
    [
        ("statement", 3, "a text"),
        ("value", "0.03", "a number"),
        ("value", math.nan, "a number"),
        ("value", True, "a number"),
        ("kind", None, "a text"),
        ("confidence", 1.5, "from 0 to 1"),
        ("assumptions", "The objects are drawn independently.", "a list of texts"),
        ("assumptions", [1], "a list of texts"),
        ("evidence", {"kept": "many"}, "a dict from texts to numbers"),
        ("evidence", {1: 2}, "a dict from texts to numbers"),
        ("evidence", [("kept", 2)], "a dict from texts to numbers"),
        ("guessing", "never", "a number, or None"),
    ],
)
def test_what_is_not_a_certificate_is_refused(field, value, needed):
    plain = certificate().to_plain() | {field: value}
    with pytest.raises(InvalidInput, match=needed) as refusal:
        Certificate.from_plain(plain)
    assert f"its {field} is" in str(refusal.value)
    assert refusal.value.value is value


@pytest.mark.parametrize(
    "plain", [None, [], {}, {"statement": "It rains."}, certificate().to_plain() | {"more": 1}]
)
def test_no_other_fields_are_allowed(plain):
    with pytest.raises(InvalidInput, match="exactly statement, value, kind"):
        Certificate.from_plain(plain)


@pytest.mark.parametrize("name", certificate().to_plain())
def test_all_fields_are_needed(name):
    plain = certificate().to_plain()
    del plain[name]
    with pytest.raises(InvalidInput, match="exactly statement, value, kind"):
        Certificate.from_plain(plain)


def test_the_advice_of_a_refusal_works():
    with pytest.raises(InvalidInput, match=r"Certificate\.to_plain"):
        Certificate.from_plain(vars(certificate()) | {"vacuous": False})
    assert Certificate.from_plain(certificate().to_plain()) == certificate()


def test_a_void_certificate_says_why():
    made = certificate(void=["Objects 3 and 7 are equal.", "It rained."])
    assert made.void == ("Objects 3 and 7 are equal.", "It rained.")
    assert str(made).splitlines()[1] == "value: none (preferent compression)"
    assert str(made).splitlines()[-2:] == ["void: Objects 3 and 7 are equal.", "void: It rained."]
    assert "vacuous" not in str(made)
    assert made != certificate()
    assert Certificate.from_plain(made.to_plain()) == made


@pytest.mark.parametrize(
    "made",
    [
        certificate(),
        certificate(value=math.inf, guessing=math.inf, evidence={"norm": math.inf, "n": 3}),
        certificate(void=("No.",)),
    ],
)
def test_it_survives_json(made):
    text = made.to_json()
    assert (
        json.loads(text, parse_constant=lambda name: pytest.fail(f"{name} is no JSON"))["vacuous"]
        is made.vacuous
    )
    assert Certificate.from_json(text) == made


@pytest.mark.parametrize(
    ("text", "needed"),
    [
        ("{", "JSON"),
        ("3", "a JSON object"),
        ("{}", "exactly statement"),
        ('{"value": 1}', "exactly"),
    ],
)
def test_text_that_is_no_certificate_is_refused(text, needed):
    with pytest.raises(InvalidInput, match=needed):
        Certificate.from_json(text)


COUNTS = {
    "holdout": {"errors": 3, "held_out": 200, "candidates": 64},
    "preferent compression": {"objects": 1000, "matched": 8, "condensed": 30, "separations": 49},
    "support vector compression": {"objects": 1000, "kept": 40, "machines": 2},
    "structural risk, complexity of the sample": {
        "objects": 1000,
        "without_margin": 0.1,
        "rademacher": 0.02,
        "stratum": 3,
    },
    "structural risk, Theorems 4 and 5": {
        "objects": 10**6,
        "without_margin": 0.1,
        "lipschitz": 4.0,
        "dimension": 1.0,
        "classes": 2,
        "eta": 0.0,
    },
}


def proved(bound, delta, **about):
    return Certificate.proved_by(
        bound,
        "The error is at most {value}. It is small.",
        delta=delta,
        evidence=COUNTS[bound],
        **about,
    )


@pytest.mark.parametrize("bound", COUNTS)
@pytest.mark.parametrize("delta", [0.2, 0.05, 1e-9])
def test_at_another_delta_it_is_as_if_made_for_it(bound, delta):
    about = {
        "assumptions": ["It rains."],
        "guessing": 0.5,
        "void": ["It snows."],
        "kind": "weather",
    }
    fresh, restated = proved(bound, delta, **about), proved(bound, 0.5, **about).at(delta=delta)
    assert restated == fresh
    assert restated.statement == f"The error is at most {restated.value:.4g}. It is small."
    assert (restated.confidence, restated.evidence["delta"]) == (1 - delta, delta)
    assert restated.value > proved(bound, 0.5).value
    assert restated.at(0.5) == proved(bound, 0.5, **about)


def test_the_values_are_those_of_the_bounds():
    share = math.log(0.05)
    assert proved("holdout", 0.05).value == holdout_bound(3, 200, log_delta=share, candidates=64)
    assert proved("preferent compression", 0.05).value == preferent_bound(
        38, 1000, log_delta=share - math.log(49)
    )
    assert proved("support vector compression", 0.05).value == support_vector_bound(
        40, 1000, log_delta=share - math.log(2)
    )


@pytest.mark.parametrize("bound", COUNTS)
def test_it_is_restated_after_a_file_too(bound):
    made = proved(bound, 0.05)
    assert Certificate.from_json(made.to_json()).at(0.01) == made.at(0.01)
    assert Certificate.from_plain(json.loads(json.dumps(made.to_plain()))).at(0.01) == made.at(0.01)


def test_a_bound_is_a_probability():
    plain = proved("holdout", 0.05).to_plain()
    with pytest.raises(InvalidInput, match=r"its value is 1\.2\. Expected: a probability"):
        Certificate.from_plain(plain | {"value": 1.2})
    assert Certificate.from_plain(plain | {"value": 1.2, "bound": None}).value == 1.2


def test_a_label_may_look_like_the_value():
    claim = "The error on objects of the class '{value}' is at most {value}."
    made = Certificate.proved_by(
        "holdout", claim, delta=0.25, evidence={"errors": 0, "held_out": 2}
    )
    assert made.statement == "The error on objects of the class '{value}' is at most 0.5."


def test_what_the_evidence_does_not_decide_cannot_be_restated():
    with pytest.raises(
        InvalidInput,
        match=r"kind 'preferent compression' cannot be restated for delta=0\.01.*with that delta",
    ):
        certificate().at(delta=0.01)


@pytest.mark.parametrize("delta", [0, 1, -0.1, math.nan, "0.05", None])
def test_a_delta_is_a_probability(delta):
    with pytest.raises(InvalidInput, match=r"is not a probability between 0 and 1\. Pass 0\.05"):
        proved("holdout", 0.05).at(delta)


def test_a_bound_needs_its_numbers():
    with pytest.raises(
        InvalidInput, match="The bound 'holdout' cannot be computed: there is no 'held_out'"
    ):
        Certificate.proved_by("holdout", "{value}", delta=0.05, evidence={"errors": 3})
    with pytest.raises(InvalidInput, match="there is no 'weather'"):
        Certificate.proved_by("weather", "{value}", delta=0.05, evidence={"errors": 3})
    with pytest.raises(InvalidInput, match="its bound is 'weather'"):
        Certificate.from_plain(proved("holdout", 0.05).to_plain() | {"bound": "weather"})
