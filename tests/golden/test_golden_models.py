"""Model files load with the answers that they gave when they were written; from release 0.3.0 on,
for ever.
"""

import contextlib
import json
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from golden.answers import NOT_CERTIFIED, NUMBERS, answers_of
from golden.kinds import OBJECTS_OF_KIND
from golden.write_golden import (
    FOLDER,
    QUERIES,
    Golden,
    digests,
    golden_models,
    kept_digests,
    parts_named,
    write_golden,
)
from mutated_files import Place, content_of, places, value_at, without, write_content
from short_samples import sampled

import wideberth
from wideberth.errors import InvalidFile
from wideberth.io.model_file.model_parts import PIPELINE, SAVABLE
from wideberth.io.model_file.read import read_model
from wideberth.metrics.named import CONTAINERS, METRICS
from wideberth.metrics.transforms import TRANSFORMS

FILES = sorted(FOLDER.glob("*.wb"))
#: Dicts of a model whose keys are labels, tokens, columns, sizes, or what somebody has counted.
OPEN = {"class_weight", "evidence", "gaps", "loo_errors", "settings", "substitutions", "weights"}
each_file = pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)


def described(path: Path) -> dict[str, Any]:
    return json.loads(path.with_suffix(".json").read_text())


def queries_of(path: Path) -> Any:
    golden = described(path)
    if golden["needs"] is not None:
        pytest.importorskip(golden["needs"])
    return OBJECTS_OF_KIND[golden["kind"]](golden["queries"])


def assert_close(found: Any, expected: Any, atol: float = 1e-12) -> None:
    if NOT_CERTIFIED in (found, expected):
        assert found == expected
    else:
        found, expected = (np.array(each).astype(float) for each in (found, expected))
        np.testing.assert_allclose(
            found, expected, rtol=1e-9, atol=atol
        )  # some scores are 0 but for rounding


def assert_answers(model: Any, path: Path) -> None:
    """The answers that stand beside the file: numbers nearly, all else exactly."""
    found, expected = answers_of(model, queries_of(path)), described(path)["answers"]
    assert found.keys() == expected.keys()
    for name in expected:
        if name == "radii":  # a search for a radius ends where its bounds are as near to each other
            assert_close(found[name], expected[name], atol=1e-8)
        elif name in NUMBERS:
            assert_close(found[name], expected[name])
        elif name == "parameters":  # later releases may have more
            assert expected[name].items() <= found[name].items()
        else:
            assert found[name] == expected[name], name


@pytest.mark.filterwarnings("ignore")
@each_file
def test_a_golden_file_answers_as_when_it_was_written(path):
    assert_answers(wideberth.load(path), path)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@each_file
def test_a_golden_model_is_saved_and_loaded_again(path, tmp_path):
    wideberth.save(wideberth.load(path), tmp_path / "again.wb")
    assert_answers(wideberth.load(tmp_path / "again.wb"), path)


@each_file
def test_a_golden_file_remembers_where_its_objects_came_from(path):
    saved = read_model(path)
    for name in ("origin", "notes"):
        found = getattr(saved, name)
        assert (
            json.loads(json.dumps(None if found is None else vars(found))) == described(path)[name]
        )


def is_needed(content: Any, place: Place) -> bool:
    """Whether a place is a key of ours: some dicts have any keys, and scikit-learn's own steps
    whatever parameters it has now.
    """
    inside = value_at(content, place[:-1])
    of_sklearn = (
        place[0] == "steps"
        and "fitted" in value_at(content, place[:3])
        and place[3:4] == ("parameters",)
    )
    return (
        isinstance(inside, dict)
        and not OPEN & set(place[:-1])
        and (not of_sklearn or len(place) == 4)
    )


@pytest.mark.few(8)
@pytest.mark.filterwarnings("ignore")
@sampled
@each_file
def test_a_file_without_one_of_its_keys_is_refused(path, cases, tmp_path):
    content = content_of(path)
    write_content(content, tmp_path / "whole.wb")
    read_model(tmp_path / "whole.wb")  # so those below are refused for their own reason
    taken = []
    needed = [each for each in places(content) if is_needed(content, each)]
    for place in cases(needed, path.stem):
        write_content(without(content, place), tmp_path / "part.wb")
        with contextlib.suppress(InvalidFile):
            read_model(tmp_path / "part.wb")
            taken.append(place)
    assert taken == []


def test_every_golden_model_has_its_file():
    assert {path.stem for path in FILES} == set(golden_models())
    assert {path.stem for path in FOLDER.glob("*.json")} == {path.stem for path in FILES}


def test_no_golden_file_has_changed_since_it_was_written():
    """A file that was rewritten shows nothing of the files that people have."""
    assert digests() == kept_digests()


def names_in_files(entry: str, key: str) -> set[str]:
    """The names under a key of an entry of the models, over all golden files; a pipeline has no
    such entries.
    """
    return set().union(*(parts_named(model_json(path).get(entry), key) for path in FILES))


def model_json(path: Path) -> dict[str, Any]:
    with zipfile.ZipFile(path) as archive:
        return json.loads(archive.read("model.json"))


def test_every_class_kind_of_sample_and_metric_has_a_golden_file():
    assert {model_json(path)["class"] for path in FILES} == {*SAVABLE, PIPELINE}
    assert names_in_files("objects", "kind") >= set(CONTAINERS) | {"array"}
    assert names_in_files("metric", "name") >= set(METRICS)
    assert names_in_files("metric", "transform") >= set(TRANSFORMS)


@pytest.mark.parametrize("there", ["wb", "json"])
def test_a_golden_file_is_never_written_again(tmp_path, there):
    (tmp_path / f"tea.{there}").write_text("as it was")
    with pytest.raises(FileExistsError, match="never written again"):
        write_golden("tea", Golden(None, "strings"), tmp_path)  # before a model is looked at
    assert (tmp_path / f"tea.{there}").read_text() == "as it was"


@pytest.mark.slow
def test_a_golden_file_can_be_written_as_it_was_described(tmp_path):
    write_golden("tea", golden_models()["neighbors-two-classes"], tmp_path)
    assert len(described(tmp_path / "tea.wb")["answers"]["labels"]) == len(QUERIES)
    assert_answers(wideberth.load(tmp_path / "tea.wb"), tmp_path / "tea.wb")
