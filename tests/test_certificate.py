"""A certificate says what is proved, under what, and whether it says anything; and survives a model file."""

import json
import math
import pickle

import numpy as np
import pytest

from wideberth.certificate import Certificate
from wideberth.errors import InvalidInput


def certificate(**changes):
    fields = {
        "statement": "The error on new objects is at most 0.03.",
        "value": 0.03,
        "kind": "preferent compression",
        "confidence": 0.95,
        "assumptions": ("The objects are drawn independently.", "The separation was fixed in advance."),
        "evidence": {"kept": 17, "n": 4000, "separation": 0.25},
        "guessing": 0.5,
    }
    return Certificate(**(fields | changes))


@pytest.mark.parametrize(
    ("value", "guessing", "vacuous"),
    [(0.3, None, False), (1.0, None, True), (math.inf, None, True), (0.3, 0.5, False), (0.5, 0.5, True), (0.3, 0.1, True)],
)
def test_it_is_vacuous_where_guessing_is_as_good(value, guessing, vacuous):
    assert certificate(value=value, guessing=guessing).vacuous is vacuous


def test_it_prints_a_few_readable_lines():
    assert str(certificate()).splitlines() == [
        "The error on new objects is at most 0.03.",
        "value: 0.03 (preferent compression), with confidence 95 %",
        "if: The objects are drawn independently.",
        "if: The separation was fixed in advance.",
        "not vacuous: guessing has 0.5",
    ]
    assert str(certificate(confidence=None, assumptions=(), value=2.0, guessing=None)).splitlines()[1:] == [
        "value: 2 (preferent compression), certain",
        "vacuous: an error is never above 1",
    ]


def test_high_confidence_is_not_rounded_to_certainty():
    assert "99.9999999 %" in str(certificate(confidence=1 - 1e-9))


def test_numbers_of_numpy_become_plain():
    made = certificate(
        value=np.float64(0.03), confidence=np.float32(0.5), evidence={"kept": np.int64(17)}, guessing=np.float64(0.5)
    )
    assert [type(each) for each in (made.value, made.confidence, made.evidence["kept"], made.guessing)] == [
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


@pytest.mark.parametrize("made", [certificate(), certificate(confidence=None, guessing=None, assumptions=(), evidence={})])
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


@pytest.mark.parametrize("plain", [None, [], {}, {"statement": "It rains."}, certificate().to_plain() | {"more": 1}])
def test_all_fields_are_needed_and_no_others(plain):
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


def test_files_of_before_had_no_reasons():
    plain = certificate().to_plain()
    del plain["void"]
    assert Certificate.from_plain(plain) == certificate()


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
    assert json.loads(text, parse_constant=lambda name: pytest.fail(f"{name} is no JSON"))["vacuous"] is made.vacuous
    assert Certificate.from_json(text) == made


@pytest.mark.parametrize(
    ("text", "needed"), [("{", "JSON"), ("3", "a JSON object"), ("{}", "exactly statement"), ('{"value": 1}', "exactly")]
)
def test_text_that_is_no_certificate_is_refused(text, needed):
    with pytest.raises(InvalidInput, match=needed):
        Certificate.from_json(text)
