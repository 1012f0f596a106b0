"""One thing has one text and one number, whichever face shows it: commands, the report, the page of
a server, HTTP, notebooks, the documentation.
"""

import html
import json
import re
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest

import wideberth as wb
from wideberth.cards.card import as_html
from wideberth.cards.glosses import GLOSSES
from wideberth.cards.values import probability
from wideberth.cli.commands import COMMANDS, WORDS
from wideberth.serve.answering import Answering, Question
from wideberth.serve.app import page_files
from wideberth.serve.limits import Limits
from wideberth.serve.served_model import served_model

DRINKS = ["tea", "tee", "ten", "teas", "team", "rum", "rom", "rim", "ram", "rums"]
KINDS = ["soft"] * 5 + ["hard"] * 5
NEW = ["tears", "ruin", "tram"]
TRUE = ["soft", "hard", "hard"]
#: The words of ours that each face has to explain.
ASKED = {"lead", "margin", "radius", "safe edits", "kept", "certificate", "holds if"}


@pytest.fixture(scope="module")
def model():
    return wb.LipschitzClassifier("levenshtein", C=5.0, calibrate=2).fit(DRINKS, KINDS)


# ---- Words


def explained(page):
    """The words of a page with their meanings."""
    return {
        html.unescape(word): html.unescape(meaning)
        for word, meaning in re.findall(r"<dt>([^<]*)</dt>\s*<dd>(?:<div>)?([^<]*)<", page)
        if html.unescape(word) in GLOSSES
    }


def test_words_mean_the_same_on_all_faces(run, model):
    report = explained(wb.Report(model, DRINKS, KINDS).html())
    served = explained(page_files()["/"][0].decode())
    notation = (Path(__file__).parents[2] / "docs" / "notation.md").read_text(encoding="utf-8")
    documented = dict(
        re.findall(r"^\| ([a-z -]+) \| ([A-Z][^|]*) \|$", notation, flags=re.MULTILINE)
    )
    helped = {}
    for name in COMMANDS:
        said = " ".join(run(name, "--help").out.split())
        assert all(f"{word}: {GLOSSES[word]}" in said for word in WORDS.get(name, ()))
        helped |= {word: GLOSSES[word] for word in WORDS.get(name, ())}
    carded = explained(as_html(model.card()) + as_html(wb.certify(model, NEW, TRUE).card()))
    for face in (report, served, documented, helped, carded):
        assert face.items() <= GLOSSES.items()
    assert documented == GLOSSES
    assert set(report) >= ASKED
    assert set(helped) >= ASKED
    assert set(served) >= {"lead", "radius", "safe edits"}


# ---- Numbers


def asked_over_http(model, objects):
    served = served_model(
        model, calibration=None, delta=0.05, unit=None, witnesses=False, limits=Limits()
    )
    reply = Answering(served).reply(
        json.dumps({"objects": objects}).encode(), Question("json", witnesses=0, change=False)
    )
    return [answer["probability"] for answer in json.loads(reply.body)["answers"]]


def test_the_probability_of_a_row_is_one_number(run, folder, model):
    wb.save(model, "m.wb")
    (folder / "new.csv").write_text("\n".join(["drink", *NEW]))
    report = wb.Report(model, NEW, TRUE)
    told = {
        "Python": [probability(each) for each in model.predict_proba(NEW).max(axis=1)],
        "predict": [float(row["probability"]) for row in run("predict", "m.wb", "new.csv").rows],
        "predict --json": [
            json.loads(line)["probability"]
            for line in run("predict", "m.wb", "new.csv", "--json").out.splitlines()
        ],
        "explain": [
            float(each)
            for each in re.findall(r"probability ([\d.]+)", run("explain", "m.wb", *NEW).out)
        ],
        "HTTP": asked_over_http(model, NEW),
        "report": report.facts["objects"]["probability"],
    }
    assert all(each == told["Python"] for each in told.values()), told
    assert len(set(told["Python"])) > 1
    # the pages show them as they come; tests/browser/test_serve_page.py looks at one
    shown = (files("wideberth.serve") / "page" / "page.js").read_text(encoding="utf-8")
    assert "`probability ${answer.probability}`" in shown
    assert "`Probability of the answer: ${objects.probability[place]}.`" in report.html()


def test_copies_of_a_model_have_no_probability(model):
    assert wb.Report(model, DRINKS, KINDS).facts["objects"]["probability"] is None


def test_what_becomes_of_all_objects_adds_up():
    words, kinds = wb.datasets.load_first_names()
    model = wb.MarginNeighborsClassifier("levenshtein", separation="compression").fit(
        words[:150], kinds[:150]
    )
    [said] = [line for line in model.summary().splitlines() if line.startswith("Of 150 objects")]
    first, *rest = [int(each) for each in re.findall(r"\d+", said)]
    assert sum(rest) == first
    assert len(rest) == 4
    assert "1 are" not in said


# ---- Labels of numpy

LABELS = {
    "int64": np.array([23, 42]),
    "str_": np.array(["soft", "hard"]),
    "bool_": np.array([True, False]),
    "float64": np.array([1.0, 2.0]),
}


@pytest.mark.few(2)
@pytest.mark.parametrize("labels", LABELS.values(), ids=LABELS.keys())
def test_no_face_shows_a_type_of_numpy(labels):
    kinds = np.repeat(labels, 5)
    models = [
        wb.NeighborsClassifier("levenshtein"),
        wb.LipschitzClassifier("levenshtein"),
        wb.MarginNeighborsClassifier("levenshtein", separation="compression"),
        wb.LPMachineClassifier("levenshtein", C=100.0),
        wb.LinearLipschitzClassifier("ngrams"),
    ]
    for model in models:
        model.fit(DRINKS, kinds)
        certificates = wb.certify(model, NEW, np.resize(kinds, 3)[::-1])
        told = [
            model.summary(),
            model.card(),
            model.explain(DRINKS[:1]),
            model.explain(DRINKS[:1])[0],
            certificates,
            certificates[0],
            wb.label_issues(model, DRINKS, kinds, cv=2),
            wb.label_issues(model, DRINKS, kinds, cv=2)[0],
        ]
        for each in told:
            assert "np." not in str(each) + repr(each), type(model)
    report = wb.Report(models[0], DRINKS, kinds)
    assert "np." not in str(report) + json.dumps(report.facts)
