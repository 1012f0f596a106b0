"""Every snippet of the pages about other libraries and engines runs, where these are installed; and
skops needs no other types.
"""

import re
import sys
import warnings
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest
from families import every_classifier

import wideberth as wb
from wideberth.classifiers.named import CLASSIFIERS
from wideberth.io.trusted_types import trusted_types

ROOT = Path(__file__).parents[2]


def snippets(page):
    """What the snippets of a page begin with, and the snippets."""
    text = (ROOT / "docs" / page).read_text(encoding="utf-8")
    first, *others = re.findall(r"```python\n(.*?)```", text, flags=re.DOTALL)
    return first, others


FIRST, SNIPPETS = snippets("ecosystem.md")
FIRST_OF_ENGINES, ENGINES = snippets("where-data-are.md")
MODELS = sorted((ROOT / "tests" / "golden" / "models").glob("*.wb"))
#: Skops writes no dicts whose keys are tuples.
NOT_WRITTEN = ("online-", "search-", "metric-weighted-edit")


def imported(snippet):
    return re.findall(r"^(?:from|import) ([\w.]+)", snippet, flags=re.MULTILINE)


@pytest.mark.few(1)
@pytest.mark.parametrize("snippet", SNIPPETS, ids=lambda snippet: imported(snippet)[0])
def test_the_snippet_runs(snippet):
    run(FIRST, snippet)


@pytest.mark.few(1)
@pytest.mark.parametrize("snippet", ENGINES, ids=lambda snippet: imported(snippet)[0])
def test_an_engine_answers_as_predict_does(snippet, monkeypatch):
    monkeypatch.setenv("PYSPARK_PYTHON", sys.executable)
    run(FIRST_OF_ENGINES, snippet)


def run(first, snippet):
    for module in imported(snippet):
        pytest.importorskip(
            module,
            reason=f"{module} is not installed: pip install {module.partition('.')[0]}",
            exc_type=ImportError,
        )
    names = {}
    exec(first, names)  # noqa: S102
    with warnings.catch_warnings(action="ignore"):
        exec(snippet, names)  # noqa: S102


def test_there_are_snippets_of_each_library():
    found = {module.partition(".")[0] for snippet in SNIPPETS for module in imported(snippet)}
    assert found >= {"cleanlab", "crepes", "mapie", "skops", "sklearn", "pandas"}
    engines = {imported(snippet)[0].partition(".")[0] for snippet in ENGINES}
    assert engines == {"polars", "duckdb", "pyspark", "ray", "joblib"}


@pytest.mark.few(5)
@pytest.mark.parametrize(
    "file",
    [file for file in MODELS if not file.stem.startswith(NOT_WRITTEN)],
    ids=lambda file: file.stem,
)
def test_skops_reads_every_model_with_the_published_types(file):
    skops = pytest.importorskip("skops.io", reason="skops is not installed: pip install skops")
    model = wb.load(file)
    written = skops.dumps(model)
    assert set(skops.get_untrusted_types(data=written)) <= set(trusted_types())
    loaded = skops.loads(written, trusted=trusted_types())
    if hasattr(model, "metric_"):  # a pipeline has none
        assert repr(loaded.metric_) == repr(model.metric_)
    if hasattr(model, "predict"):
        np.testing.assert_array_equal(loaded.classes_, model.classes_)


@pytest.mark.few(2)
@pytest.mark.parametrize(
    "made",
    [
        *every_classifier("strings"),
        *(
            wb.AutoClassifier("levenshtein", candidates=name, random_state=0)
            for name, entry in CLASSIFIERS.items()
            if entry.suits("levenshtein")
        ),
        wb.AutoClassifier(["hamming", "levenshtein"], random_state=0),
    ],
    ids=lambda made: f"{type(made).__name__}-{getattr(made, 'candidates', None)}",
)
def test_skops_reads_models_whose_distances_were_kept_while_they_learned(made):
    """Distances between strings of 80 letters are worth keeping."""
    skops = pytest.importorskip("skops.io", reason="skops is not installed: pip install skops")
    rng = np.random.default_rng(0)
    genes = ["".join(rng.choice(list("acgt"), 80)) for _ in range(40)]
    labels = [gene.count("a") > 20 for gene in genes]
    model = made.fit(genes, labels)
    loaded = skops.loads(skops.dumps(model), trusted=trusted_types())
    np.testing.assert_array_equal(loaded.predict(genes), model.predict(genes))
    assert loaded.metric_.name == model.metric_.name


def test_the_published_types_exist():
    for name in trusted_types():
        module, _, cls = name.rpartition(".")
        assert isinstance(getattr(import_module(module), cls), type)
    assert trusted_types() == sorted(set(trusted_types()))
