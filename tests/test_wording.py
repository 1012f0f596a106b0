"""Marked parts of messages: every face says them in its own words, and no text of a user can break
or imitate them.
"""

import ast
import copy
import pickle
import warnings
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import joblib
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import wideberth
from wideberth.errors import InvalidInput, MissingExtra, UnknownName, WideberthError, warn_user
from wideberth.wording import Face, Marking, Text, at, python, setting

MARKS = "\ufdd0\ufdd1\ufdd2"
SOURCE = Path(wideberth.__file__).parent
#: Texts as users may write them, some with marks in them.
texts = st.text(st.sampled_from(f"{MARKS}a'\"\\ ={{}}") | st.characters(), max_size=12)


class Recorded(Face):
    """A face that lists the parts it is asked to say."""

    def __init__(self):
        self.parts = []

    def say(self, part):
        self.parts.append(tuple(part))
        return super().say(part)


@given(texts, texts, texts)
@example(
    "\ufdd0setting\ufdd1kind\ufdd1", "\ufdd2", "\ufdd0at\ufdd1Object\ufdd1" + "9" * 5000 + "\ufdd2"
)
def test_a_text_of_the_user_neither_breaks_nor_shows_marks(value, name, raw):
    error = WideberthError(
        f"{raw}: {setting('kind', value)} {at('column', name)}",
        advice=f"{python(name)} {raw}",
        value=value,
    )
    for told in (str(error), error.problem, error.advice, error.told(Face())):
        assert not set(told) & set(MARKS)
    assert f"kind={value!r}" in str(error)
    assert f"column {name!r}" in str(error)


@given(texts, texts)
def test_values_are_never_taken_for_parts(value, name):
    face = Recorded()
    Text(f"{setting('kind', value)}, {at('column', name)}").told(face)
    assert face.parts == [("setting", "kind", repr(value)), ("at", "column", repr(name))]


@given(texts)
def test_a_text_without_marks_is_as_it_was_written(written):
    plain = "".join(letter for letter in written if letter not in MARKS)
    assert Text(plain) == plain
    assert Text(plain).told(Face()) == plain


words = st.text("abc d", max_size=12)


@given(
    st.lists(
        words | texts.map(python) | texts.map(lambda value: setting("kind", value)), max_size=9
    ),
    st.integers(2, 60),
)
def test_no_part_is_cut_in_two(parts, longest):
    text = Text(" ".join(parts))
    shortened = text.shortened(longest)
    if len(text) <= longest:
        assert shortened == text
    else:
        head, _, tail = shortened.marked.partition(" ... ")
        assert text.marked.startswith(head)
        assert text.marked.endswith(tail)
        assert len(head) + len(tail) <= longest + 1
        for part in (head, tail):
            assert part.count(MARKS[0]) == part.count(MARKS[2]) == len(list(Text(part).parts()))


ERROR = InvalidInput(
    f"{at('Object', 3)} has {setting('kind', 'rows')}.",
    advice=f"Call {python('wideberth.diagnose')}.",
    value=[1, 2],
)


def raise_it(_):
    raise ERROR


def assert_same(error):
    assert type(error) is InvalidInput
    assert str(error) == "Object 3 has kind='rows'. Call wideberth.diagnose."
    assert (error.problem.marked, error.advice.marked) == (
        ERROR.problem.marked,
        ERROR.advice.marked,
    )
    assert (error.parameter, error.place, error.value) == ("kind", {"object": 3}, [1, 2])


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_errors_are_pickled_with_marks_and_facts(protocol):
    assert_same(pickle.loads(pickle.dumps(ERROR, protocol)))


def test_errors_are_copied_with_marks_and_facts():
    assert_same(copy.copy(ERROR))
    assert_same(copy.deepcopy(ERROR))


def test_errors_cross_processes_with_marks_and_facts():
    with ProcessPoolExecutor(1) as pool, pytest.raises(InvalidInput) as caught:
        list(pool.map(raise_it, [0]))
    assert_same(caught.value)
    with pytest.raises(InvalidInput) as caught:
        joblib.Parallel(2)(joblib.delayed(raise_it)(i) for i in range(2))
    assert_same(caught.value)


@pytest.mark.parametrize("kind", [UnknownName, MissingExtra])
def test_errors_with_other_bases_keep_marks(kind):
    error = pickle.loads(pickle.dumps(kind(f"No {setting('metric', 'x')}.", known=["y"])))
    assert (str(error), error.parameter, error.known) == ("No metric='x'.", "metric", ["y"])


def test_parameter_and_place_are_there_without_marks_too():
    error = WideberthError("The sky is falling.")
    assert (error.parameter, dict(error.place)) == (None, {})
    assert WideberthError("The sky is falling.", parameter="sky", place={"row": 1}).place == {
        "row": 1
    }


def test_what_a_face_does_not_say_is_left_to_the_next():
    class Here(Marking):
        def say(self, part):
            return "here" if part.kind == "at" else super().say(part)

    again = WideberthError(f"Part 'a': {ERROR.problem.told(Here())}", advice=ERROR.advice)
    assert str(again) == "Part 'a': here has kind='rows'. Call wideberth.diagnose."
    assert again.parameter == "kind"
    assert [part.kind for part in again.advice.parts()] == ["python"]


def test_warnings_keep_marks():
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        warn_user(f"Pass {setting('encoding', 'latin-1')}.", UserWarning)
    assert str(caught[0].message) == "Pass encoding='latin-1'."
    assert [part.name for part in caught[0].message.args[0].parts()] == ["encoding"]


@pytest.mark.parametrize(
    ("call", "parameter", "place"),
    [
        (lambda: wideberth.LipschitzClassifier(C=-1).fit([[0], [1]], [0, 1]), "C", {}),
        (
            lambda: wideberth.NeighborsClassifier().fit([[0], [float("inf")]], [0, 1]),
            None,
            {"object": 1},
        ),
        (
            lambda: wideberth.NeighborsClassifier("levenshtein").fit(["a", "b", 3], [0, 0, 1]),
            None,
            {"object": 2},
        ),
        (
            lambda: wideberth.NeighborsClassifier("gower").fit(
                [{"age": 3}, {"age": 1e999}], [0, 1]
            ),
            None,
            {"row": 1, "column": "age"},
        ),
        (lambda: wideberth.metric("minkowski", p=-1), "p", {}),
        (lambda: wideberth.metric("weighted_edit", gaps={"a": -1}), "gaps", {}),
        (lambda: wideberth.read("/no/such/file", kind="?"), "kind", {}),
        (lambda: wideberth.read("/no/such/file", on_error="?"), "on_error", {}),
        (lambda: wideberth.metric("gower", missing="?"), "missing", {}),
    ],
)
def test_errors_know_their_parameter_and_place(call, parameter, place):
    with pytest.raises(WideberthError) as caught:
        call()
    assert (caught.value.parameter, dict(caught.value.place)) == (parameter, place)


def marked_in_source():
    """The names that are marked in the source: of parameters, and pieces of Python."""
    for file in SOURCE.rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            match node:
                case ast.Call(ast.Name("setting" | "python" as kind), [ast.Constant(name), *_]):
                    yield kind, name


def test_what_the_command_line_says_otherwise_is_marked_somewhere():
    from wideberth.cli.console import CALLS, DECLARED

    marked = set(marked_in_source())
    for code in (*CALLS, DECLARED):
        assert ("python", code) in marked
