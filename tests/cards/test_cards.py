"""Results are shown by their cards: text and HTML say the same, nothing that users bring gets out of
its place, and nothing is computed for it.
"""

import json
import pickle
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import config_context
from sklearn.utils import estimator_html_repr

import wideberth as wb
from wideberth.cards.card import Card, Cell, Shown, ShownList, Table, as_html, as_text
from wideberth.cards.glosses import GLOSSES
from wideberth.cards.values import duration, number, told
from wideberth.certificate import Certificate, Certificates
from wideberth.choice.rules import COLUMNS, Leaderboard
from wideberth.estimators.model_facts import Explanation, Explanations, Push
from wideberth.insight.label_issues import LabelIssue, LabelIssues

HOSTILE = "<script>alert(1)</script><img src=x onerror='alert(2)'>\u202e"
DRINKS = ["tea", "tee", "ten", "teas", "team", "rum", "rom", "rim", "ram", "rums"]
KINDS = ["soft"] * 5 + ["hard"] * 5


class Read(HTMLParser):
    """What a browser finds in a piece of a page."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.texts: list[str] = []
        self._styles = 0
        self.feed(page)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}
        self._styles += tag == "style"

    def handle_endtag(self, tag):
        self._styles -= tag == "style"

    def handle_data(self, data):
        if not self._styles:
            self.texts.append(data)


TAGS = {
    *("div", "style", "dl", "dt", "dd", "p", "span", "details", "summary"),
    *("table", "thead", "tbody", "tr", "th", "td"),
}


def lipschitz(labels=KINDS, objects=DRINKS):
    return wb.LipschitzClassifier("levenshtein", C=5.0).fit(objects, labels)


def shown_things(label, other, objects):
    """One of each result, with labels and objects of the user."""
    labels = [label] * 5 + [other] * 5
    model = lipschitz(labels, objects)
    row = dict.fromkeys(COLUMNS) | {"metric": label, "family": "linear", "why": other}
    space = wb.MetricSpace(objects, "levenshtein")
    return {
        "model": model,
        "explanation": model.explain(objects[:1])[0],
        "explanations": model.explain(objects[:3]),
        "change": Explanation(
            label, 1.0, 0.0, (), other, changed=label, changed_label=other, edits=1
        ),
        "issues": wb.label_issues(model, objects, labels, cv=2),
        "certificates": wb.certify(model, objects, labels, independent=True),
        "certificate": Certificate(
            f"Of {label} few.", 0.1, label, assumptions=(other,), void=(label,)
        ),
        "sets": wb.predict_set(model, objects[:2], calibration=(["ale", "milk"], [label, other])),
        "novelty": wb.novelty(model, objects[:2], training=objects),
        "diagnosis": wb.diagnose(objects, wb.metric(lambda x, y: 1.0 + len(x), name=label), labels),
        "space": space,
        "leaderboard": Leaderboard([row]),
    }


@pytest.fixture(scope="module")
def hostile():
    return shown_things(HOSTILE, "<b>", [*DRINKS[:-1], HOSTILE])


def test_what_users_bring_stays_text(hostile):
    for name, thing in hostile.items():
        read = Read(as_html(thing.card()))
        assert read.tags <= TAGS, name
        assert read.attributes <= {"class", "style", "scope", "tabindex"}, name
        assert "\u202e" not in as_html(thing.card()) + as_text(thing.card()), name
    for name in ("model", "explanations", "issues", "certificate", "diagnosis", "leaderboard"):
        # it is shown all the same
        assert any("<script>alert(1)" in text for text in Read(as_html(hostile[name].card())).texts)


def test_text_and_html_say_the_same(hostile):
    for name, thing in (hostile | shown_things("soft", "hard", DRINKS)).items():
        card = thing.card()
        page, text = Read(as_html(card)).texts, " ".join(as_text(card).split())
        written = [card.title, *card.notes, *(text for fact in card.facts for text in fact if text)]
        for each in written:
            plain = as_text(Card(each))
            assert plain in page, (name, each)
            assert " ".join(plain.split()) in text, (name, each)
        for table in card.tables:
            for cell in (cell.text for row in table.rows for cell in row if cell.text):
                assert as_text(Card(cell)) in page, (name, cell)


def test_the_html_needs_no_script_and_nothing_from_outside(hostile):
    for thing in hostile.values():
        page = as_html(thing.card()).lower()
        assert "<script" not in page
        assert "http" not in page
        assert "url(" not in page
        assert "@import" not in page


def test_plain_reprs_are_short(hostile):
    for name, thing in shown_things("soft", "hard", DRINKS).items():
        assert len(repr(thing)) < 4000, name
        assert "np." not in repr(thing) + as_text(thing.card()), name
    many = Explanation("tea", 1.0, 0.0, tuple(Push(0.1, place) for place in range(1000)))
    assert "and 997 more" in repr(many)
    assert len(repr(many)) < 300
    assert "and 990 more" in str(many)
    # in lists of their own, too
    assert len(repr(list(hostile["issues"][:2]))) < 600
    assert repr(Certificate("It rains.", 0.25, "forecast", confidence=0.95)) == (
        "Certificate('It rains.', value=0.25, kind='forecast', confidence=0.95)"
    )


def test_nothing_is_measured_for_a_repr():
    calls = 0

    def gap(one, other):
        nonlocal calls
        calls += 1
        return abs(len(one) - len(other)) + (one != other)

    metric = wb.metric(gap, obeys_triangle=True)
    space = wb.MetricSpace(DRINKS, metric)
    models = [
        wb.LipschitzClassifier(metric).fit(DRINKS, KINDS),
        wb.NeighborsClassifier(metric, n_neighbors=1).fit(DRINKS, KINDS),
        wb.MarginNeighborsClassifier(metric).fit(DRINKS, KINDS),
        wb.LPMachineClassifier(metric).fit(DRINKS, KINDS),
    ]
    before = calls
    for thing in [space, *models]:
        repr(thing), thing._repr_html_(), as_text(thing.card())
    assert calls == before
    assert space.distance_calls == 0


# ---- Lists remain lists


@pytest.mark.parametrize("found", [Certificates, Explanations, Leaderboard])
def test_empty_lists_can_be_shown(found):
    assert as_html(found().card())
    assert repr(found()) == found().card().title


def test_lists_are_lists_and_slices_are_shown_too():
    issues = wb.label_issues(lipschitz(), DRINKS, KINDS, cv=2)
    assert isinstance(issues, list)
    assert issues == list(issues)
    assert type(issues[:3]) is type(issues)
    assert len(issues[:3].card().tables[0].rows) == 3
    assert pickle.loads(pickle.dumps(issues)) == issues
    assert type(pickle.loads(pickle.dumps(issues))) is type(issues)
    frame = pd.DataFrame(issues)
    assert list(frame.columns)[:3] == ["index", "label_quality", "is_label_issue"]
    assert len(frame) == 10


def leaderboard():
    empty = dict.fromkeys(COLUMNS)
    first = empty | {
        "metric": "levenshtein",
        "family": "svm",
        "settings": {"C": 0.46, "kernel": "gaussian"},
        "error": 0.125,
        "standard_error": 0.01,
        "answer_microseconds": 12.0,
        "objects_kept": 12345,
        "median_radius": 0.0022,
        "radius_unit": "edit",
        "why": "chosen",
    }
    late = {"metric": "ngrams", "family": "linear", "settings": {"C": [1, 2]}, "why": "given up"}
    return Leaderboard([first, empty | late])


def test_the_leaderboard_is_a_list_of_dicts_and_a_frame():
    table = leaderboard()
    assert table == [dict(row) for row in table]
    assert json.loads(json.dumps(table)) == table
    assert table[0]["error"] == 0.125
    assert pd.DataFrame(table).equals(table.to_frame())
    assert pl.DataFrame(table[:1]).height == 1
    said = str(table)
    assert "0 edits" in said  # of a radius of 0.0022 edits
    assert "12.5% ± 1.0%" in said
    assert "12,345" in said
    assert "12 us" in said


def test_without_pandas_the_frame_is_of_polars(monkeypatch):
    from wideberth.choice import rules

    monkeypatch.setattr(rules, "find_spec", lambda name: None if name == "pandas" else True)
    assert leaderboard().to_frame().columns == list(COLUMNS)
    monkeypatch.setattr(rules, "find_spec", lambda name: None)
    with pytest.raises(wb.errors.MissingExtra, match="pip install pandas"):
        leaderboard().to_frame()


def test_counted_nouns():
    doubtful = LabelIssue(3, 0.1, True, "soft", "hard", ())
    fine = LabelIssue(4, 0.9, False, "soft", "soft", ())
    for some, title in (
        ([], "0 of 0 labels are probably wrong"),
        ([doubtful], "1 label is probably wrong"),
        ([doubtful, doubtful], "2 labels are probably wrong"),
        ([doubtful, fine], "1 of 2 labels is probably wrong"),
        ([doubtful, doubtful, fine], "2 of 3 labels are probably wrong"),
    ):
        assert LabelIssues(some).card().title == title


def test_certificates_say_shared_assumptions_once():
    alike = ("Objects are drawn independently.",)
    some = Certificates(
        [
            Certificate("At most 0.1.", 0.1, "holdout", 0.95, alike, guessing=0.5),
            Certificate("At most 0.2.", 0.2, "class", 0.95, (*alike, "It is one class.")),
            Certificate("Nothing.", 1.0, "margin", 0.95, void=("Objects repeat.",)),
        ]
    )
    assert some.card().title == "3 certificates, 1 void"
    assert some.card().notes == (
        "holds if: Objects are drawn independently.",
        "holds if (2): It is one class.",
        "void (3): Objects repeat.",
        "Each holds alone with its confidence; all 2 together with confidence 90%.",
    )


# ---- Fitted classifiers


def test_a_fitted_classifier_has_its_card_beside_the_diagram_of_scikit_learn():
    unfitted, fitted = wb.LipschitzClassifier("levenshtein", C=5.0), lipschitz()
    assert "wb-card" not in unfitted._repr_html_()
    assert unfitted._repr_mimebundle_()["text/plain"] == repr(unfitted)
    assert repr(fitted) == repr(unfitted)
    page = fitted._repr_html_()
    assert page.index("wb-card") < page.index("sk-top-container")
    assert "LipschitzClassifier by levenshtein distance" in page
    bundle = fitted._repr_mimebundle_()
    assert "wb-card" in bundle["text/html"]
    assert bundle["text/plain"].startswith(repr(fitted))
    assert "\nkept: 10 objects\n" in bundle["text/plain"]
    with config_context(display="text"):
        assert list(fitted._repr_mimebundle_()) == ["text/plain"]
        assert not hasattr(fitted, "_repr_html_")
    assert estimator_html_repr(fitted)  # scikit-learn's own stays as it is
    assert "wb-card" not in estimator_html_repr(fitted)


def test_a_fit_that_failed_can_be_shown():
    model = wb.NeighborsClassifier("levenshtein", n_neighbors=50)
    with pytest.raises(wb.errors.InvalidInput):
        model.fit(DRINKS, KINDS)
    assert "wb-card" not in model._repr_html_()


def test_a_classifier_says_how_good_it_is_and_what_is_proved():
    facts = dict(lipschitz().card().facts)
    assert facts["how good"].startswith("not measured")
    assert facts["proved"].startswith("nothing about its errors yet")
    margin = wb.MarginNeighborsClassifier("levenshtein", separation="compression")
    assert dict(margin.fit(DRINKS, KINDS).card().facts)["proved"] == margin.risk_bound_.statement
    assert str(margin.risk_bound_) in margin.summary()
    searched = wb.LipschitzClassifierCV("levenshtein", C=[2, 5], cv=2).fit(DRINKS, KINDS)
    assert "of the best of 2 settings" in dict(searched.card().facts)["how good"]
    assert "not obey" in dict(
        wb.NeighborsClassifier("dtw", n_neighbors=1).fit([[0.0], [1.0]], [0, 1]).card().facts
    )["radii"].replace("does not promise", "does not obey")


def test_a_report_opens_as_its_page_does():
    model = wb.NeighborsClassifier("levenshtein", n_neighbors=1).fit(DRINKS, KINDS)
    report = wb.Report(model, DRINKS, KINDS)
    assert str(report).startswith("What the model learned\nlearned: A NeighborsClassifier")
    assert repr(report) == "Report(NeighborsClassifier, 10 objects)"
    assert report._repr_html_().startswith("<iframe")


# ---- The writing itself


def test_what_is_hidden_is_counted():
    table = Table.of(["n"], range(25), lambda n: [str(n)])
    assert "... and 15 more" in as_text(Card("Numbers", tables=(table,)))
    assert "and 15 more" in as_html(Card("Numbers", tables=(table,)))


def test_wide_tables_are_broken_to_the_width_of_a_terminal():
    long = "a word and another " * 20
    table = Table.of(["#", "text", "why"], [long], lambda text: ["1", text, Cell(text, "bad")])
    assert max(map(len, as_text(Card("Words", tables=(table,))).splitlines())) <= 100


def test_all_words_that_are_explained_have_a_gloss(hostile):
    for thing in hostile.values():
        assert set(thing.card().words) <= set(GLOSSES)


class Printer:
    """What IPython hands to ``_repr_pretty_``."""

    def __init__(self) -> None:
        self.said = ""

    def text(self, text: str) -> None:
        self.said += text


def test_ipython_prints_the_text(hostile):
    for name, thing in hostile.items():
        if isinstance(thing, Shown):
            printer = Printer()
            thing._repr_pretty_(printer, False)
            assert printer.said == as_text(thing.card()), name
            if isinstance(thing, ShownList):
                assert repr(thing) == printer.said


@given(st.floats(1e-4, 1e12) | st.integers(0, 10**12))
def test_numbers_of_people_have_no_exponent(value):
    assert "e" not in number(value)
    assert float(number(value).replace(",", "")) == pytest.approx(value, rel=0.006)


@given(st.floats(0, 1e7))
def test_times_have_units(seconds):
    assert duration(seconds).rstrip("0123456789., hminsu") == ""
    assert "e" not in duration(seconds)


def test_values_of_users_in_words():
    assert told(np.datetime64("2024-05-01T00:00:00.000000000", "D")) == "2024-05-01"
    assert told(pd.Timestamp("2024-05-01")) == "2024-05-01"
    assert told(frozenset("ba")) == "{a, b}"
    assert told([[1, [2, [3, [4]]]]]) == "[[1, [2, ...]]]"
    assert len(told("x" * 10**6)) == 60
    assert told("") == "(empty)"
