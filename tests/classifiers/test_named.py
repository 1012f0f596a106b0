"""The table of families names all, each row has what is asked of it, and each class keeps the
contract of a fitted model.
"""

import ast
import inspect
from pathlib import Path

import numpy as np
import pytest
from families import class_name, every_classifier, families
from sklearn.base import clone

import wideberth
from wideberth.checks import check_classifier
from wideberth.classifiers.named import CLASSIFIERS, by_class_name, choosers
from wideberth.errors import InvalidInput
from wideberth.estimators.choosing.chosen_classifier import AnswersOfBest, ChosenClassifier
from wideberth.estimators.metric_classifier import MetricClassifier

WORDS, KINDS = ["tea", "tee", "ten", "rum", "rom", "rim"], ["soft"] * 3 + ["hard"] * 3
DOCS = Path(__file__).parents[2] / "docs"

each_family = pytest.mark.parametrize("entry", CLASSIFIERS.values(), ids=lambda entry: entry.name)
each_classifier = pytest.mark.parametrize("model", every_classifier("strings"), ids=class_name)


def public_classes(base):
    public = [getattr(wideberth, name) for name in wideberth._HOME]
    return {each for each in public if isinstance(each, type) and issubclass(each, base)}


def test_every_public_classifier_on_a_metric_is_in_the_table():
    single = public_classes(MetricClassifier) - public_classes(AnswersOfBest)
    assert {entry.load() for entry in CLASSIFIERS.values()} == single


def test_every_public_chooser_is_in_the_row_of_its_family():
    assert {entry.load_chooser() for entry in choosers().values()} == public_classes(
        ChosenClassifier
    )
    for entry in choosers().values():
        assert entry.load_chooser().single is entry.load()
    for entry in CLASSIFIERS.values():
        if entry.chooser_name is None:
            assert entry.load_chooser() is entry.load()


def families_in_code(path):
    """The families whose classes the code of a file names; texts in which they are mentioned are
    not code.
    """
    of = {written: entry.name for written, entry in (by_class_name() | choosers()).items()}
    tree = ast.parse(path.read_text(encoding="utf-8"))
    found = set()
    for node in ast.walk(tree):
        match node:
            case (
                ast.Name(id=str(word))
                | ast.Attribute(attr=str(word))
                | ast.alias(name=str(word))
                | ast.Constant(value=str(word))
            ) if word in of:
                found.add(of[word])
    return found


def test_no_list_of_families_stands_in_a_second_place():
    package = Path(wideberth.__file__).parent
    named = {
        path.relative_to(package).as_posix(): families_in_code(path)
        for path in sorted(package.rglob("*.py"))
    }
    assert named["classifiers/named.py"] == set(CLASSIFIERS)
    assert {path for path, found in named.items() if len(found) > 1} == {
        "__init__.py",
        "classifiers/named.py",
    }


def test_names_and_titles_tell_families_apart():
    assert all(name == entry.name for name, entry in CLASSIFIERS.items())
    assert (
        len({entry.title for entry in CLASSIFIERS.values()})
        == len(by_class_name())
        == len(CLASSIFIERS)
    )


@each_family
def test_pages_name_it(entry):
    which = (DOCS / "which-model.md").read_text(encoding="utf-8")
    reference = (DOCS / "reference.rst").read_text(encoding="utf-8").split()
    assert f"`{entry.name}`" in which
    assert f"`{entry.class_name}`" in which
    assert entry.class_name in reference
    assert entry.chooser_name is None or entry.chooser_name in reference
    _, _, candidates = wideberth.AutoClassifier.__doc__.partition("candidates : ")
    listed = candidates.partition("holdout :")[0].partition("choose from: ")[2].partition(";")[0]
    assert entry.name in listed.split(", ")


@each_family
def test_the_automatic_choice_finds_what_it_needs_in_the_row(entry):
    assert 1 <= entry.growth <= 3
    assert entry.on_metrics is None or entry.on_metrics >= 1
    assert set(entry.fixed) <= set(entry.load_chooser()().get_params(deep=False))
    made = entry.chooser("ngrams", n_jobs=1, no_such_parameter=3)
    assert made.get_params(deep=False).items() >= ({"metric": "ngrams"} | dict(entry.fixed)).items()
    assert isinstance(made, entry.load_chooser())


def test_families_that_compare_metrics_are_tried_first():
    on = [
        float("inf") if each.on_metrics is None else each.on_metrics
        for each in CLASSIFIERS.values()
    ]
    assert on == sorted(on, reverse=True)
    assert next(iter(CLASSIFIERS)) == "neighbors"  # there at once


@each_family
def test_a_chooser_suits_the_metrics_of_its_family(entry):
    for metric in ("levenshtein", "words", "euclidean", "manhattan", "jaccard", "precomputed"):
        assert entry.load_chooser().suits(metric) == entry.suits(metric)


@each_family
def test_it_says_in_own_words_how_it_decides(entry):
    assert "decides_by" in vars(entry.load()), "the report says it"
    assert not entry.load().decides_by.endswith(".")
    assert all(isinstance(each, type) for each in entry.load().holds)


@pytest.mark.parametrize("model", families("strings"), ids=class_name)
def test_every_family_keeps_the_contract_of_a_classifier(model):
    check_classifier(model, [*WORDS, "rums"], [*KINDS, "hard"])


@each_classifier
def test_what_it_says_of_itself_comes_back_from_a_file(model, tmp_path):
    fitted = clone(model).fit(WORDS, KINDS)
    assert fitted.in_words(), "the summary says what was learned"
    wideberth.save(fitted, tmp_path / "model.wb")
    loaded = wideberth.load(tmp_path / "model.wb")
    assert loaded.state().keys() == fitted.state().keys()
    assert loaded.settings() == fitted.settings()
    assert loaded.decides_by == fitted.decides_by
    np.testing.assert_array_equal(loaded.decision_function(WORDS), fitted.decision_function(WORDS))


@each_classifier
def test_settings_are_what_was_chosen(model):
    fitted = clone(model).fit(WORDS, KINDS)
    if isinstance(model, ChosenClassifier):
        assert fitted.settings() == fitted.best_params_
        assert fitted.decides_by == type(model).single.decides_by
    elif type(model).__name__ in {entry.class_name for entry in choosers().values()}:
        assert fitted.settings() == {}
    else:
        assert fitted.settings(), "it has no chooser: tables show what it chose while it learned"
        assert all(
            value == getattr(fitted, f"{name}_") for name, value in fitted.settings().items()
        )


@pytest.mark.few(2)
@each_family
def test_the_automatic_choice_answers_for_its_winner(entry):
    metric = "levenshtein" if entry.suits("levenshtein") else "ngrams"
    model = wideberth.AutoClassifier(
        metric, candidates=entry.name, max_time=None, cv=2, random_state=0
    ).fit(WORDS, KINDS)
    assert type(model.best_estimator_) is entry.load()
    assert model.settings().keys() == model.leaderboard_[0]["settings"].keys()
    assert model.decides_by == entry.load().decides_by


@pytest.mark.parametrize(
    "name", [name for name, entry in CLASSIFIERS.items() if entry.suits("levenshtein")]
)
def test_the_usual_settings_learn_from_a_distance_that_is_not_hilbertian(name):
    entry = CLASSIFIERS[name]
    model = entry.set_up("levenshtein", len(WORDS))
    assert model.fit(WORDS, KINDS).predict(["tea", "rum"]).tolist() == ["soft", "hard"]
    assert model.get_params().get("C") == type(model)().get_params().get("C")


@each_family
def test_what_a_row_repeats_is_the_default_of_the_class(entry):
    parameters = inspect.signature(entry.load()).parameters
    assert ("C" in parameters) == (entry.C is not None)
    if entry.C is not None:
        assert parameters["C"].default == entry.C
    if "max_memory" in parameters:
        memory = inspect.signature(entry.set_up).parameters["max_memory"].default
        assert parameters["max_memory"].default == memory


@each_family
def test_what_the_automatic_choice_sets_is_not_the_default_anyway(entry):
    defaults = inspect.signature(entry.load_chooser()).parameters
    assert all(value != defaults[name].default for name, value in entry.fixed.items())


def test_what_does_not_suit_a_metric_says_so_and_learns_by_another():
    assert not CLASSIFIERS["linear"].suits("levenshtein")
    with pytest.raises(InvalidInput, match="Take metric='words' or 'ngrams'"):
        CLASSIFIERS["linear"].set_up("levenshtein", len(WORDS)).fit(WORDS, KINDS)
    model = CLASSIFIERS["linear"].set_up("ngrams", len(WORDS))
    assert model.fit(WORDS, KINDS).predict(["tea", "rum"]).tolist() == ["soft", "hard"]


@pytest.mark.parametrize(
    "name", [name for name, entry in CLASSIFIERS.items() if entry.C is not None]
)
def test_a_price_may_be_told_and_the_usual_one_is_in_its_range(name):
    entry = CLASSIFIERS[name]
    assert entry.C_range[0] <= entry.C <= entry.C_range[1]
    assert entry.set_up("levenshtein", 6, C=7.0).C == 7.0
