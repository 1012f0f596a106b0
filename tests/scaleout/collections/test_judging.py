"""Certificates and evaluations of collections: equal to those of the same objects on one
machine.
"""

import contextlib
import json

import numpy as np
import pandas as pd
import pytest
from dask.sizeof import sizeof
from labelled_collections import array, bag, frame, names, points

import wideberth
from wideberth import scaleout
from wideberth.cli.main import main
from wideberth.errors import InvalidInput
from wideberth.scaleout.collections.gathering import Wanted, facts_of_piece
from wideberth.scaleout.collections.partitions import LabelledPiece

MODELS = {
    "neighbors": wideberth.NeighborsClassifier("levenshtein", n_neighbors=3),
    "margin": wideberth.MarginNeighborsClassifier("levenshtein", condense="net"),
    "linear": wideberth.LinearLipschitzClassifier("ngrams"),
    "search": wideberth.LipschitzClassifierCV("levenshtein", C=[2.0, 5.0], cv=2),
}


@pytest.fixture(
    scope="module",
    params=["neighbors", "margin", "linear", pytest.param("search", marks=pytest.mark.slow)],
)
def model(request):
    return MODELS[request.param].fit(*names(120))


@pytest.fixture(scope="module")
def simple():
    return wideberth.NeighborsClassifier("levenshtein", n_neighbors=1).fit(*names(120))


@pytest.mark.few(1)
def test_new_objects(client, model):
    new, sexes = names(150, start=200)
    expected = wideberth.certify(model, new, sexes, radius=2.0, unit="edit")
    assert scaleout.certify(model, bag(new, 4), bag(sexes, 4), radius=2.0, unit="edit") == expected
    assert not expected[0].void


def test_vectors_with_their_labels_in_a_table(client):
    model = wideberth.MarginNeighborsClassifier().fit(*points(150))
    new, sides = points(90, seed=1)
    table = frame({"x": new[:, 0], "y": new[:, 1], "z": new[:, 2], "side": sides}, 3)
    expected = wideberth.certify(model, new, sides, radius=0.2)
    assert scaleout.certify(model, table, "side", radius=0.2) == expected


def test_objects_that_are_not_new_prove_nothing_here_as_there(client, simple):
    new, sexes = names(150, start=60)  # the first 60 of them were learned
    expected = wideberth.certify(simple, new, sexes)
    assert expected[0].void
    assert scaleout.certify(simple, bag(new, 3), bag(sexes, 3)) == expected


def test_the_training_sample_proves_what_it_proves(client, simple):
    old, sexes = names(120)
    assert scaleout.certify(simple, bag(old, 3), bag(sexes, 3)) == wideberth.certify(
        simple, old, sexes
    )


def test_a_metric_that_breaks_the_triangle_inequality_is_found_out(client):
    squared = wideberth.metric("euclidean")
    model = wideberth.NeighborsClassifier(
        wideberth.Metric(squared_distances, name="squared"), n_neighbors=1
    )
    model.fit(*points(60))
    new, sides = points(90, seed=1)
    expected = wideberth.certify(model, new, sides, radius=0.5)
    assert scaleout.certify(model, array(new, 3), array(sides, 3), radius=0.5) == expected
    assert "breaks the triangle inequality" in expected[-1].void[0]
    assert squared.obeys_triangle


def squared_distances(left, right):
    left, right = np.asarray(left), np.asarray(right)
    return ((left[:, None] - right[None]) ** 2).sum(axis=2)


@pytest.mark.few(1)
def test_an_evaluation_is_that_of_the_command_line(client, model, tmp_path, monkeypatch, capsys):
    new, sexes = names(150, start=200)
    wideberth.save(model, tmp_path / "names.wb")
    table = pd.DataFrame({"name": new, "sex": sexes})
    table.to_csv(tmp_path / "new.csv", index=False)
    files = [str(tmp_path / name) for name in ("names.wb", "new.csv")]
    monkeypatch.setattr("sys.argv", ["wideberth", "evaluate", *files, "--target", "sex", "--json"])
    with contextlib.suppress(SystemExit):
        main()
    printed = json.loads(capsys.readouterr().out)
    facts = scaleout.evaluate(model, bag(table.to_dict("records"), 4), "sex", column="name")
    assert json.loads(json.dumps(facts)) == {name: printed[name] for name in facts}


def test_radii_that_are_named_and_a_model_without_any(client):
    model = wideberth.NeighborsClassifier(lambda a, b: abs(len(a) - len(b)), n_neighbors=1).fit(
        ["a", "bbb"], ["s", "l"]
    )
    facts = scaleout.evaluate(model, bag(["aa", "bbbb"], 2), bag(["s", "l"], 2))
    assert "triangle" in facts["certified"]["reason"]
    of_points = wideberth.NeighborsClassifier(n_neighbors=1).fit(*points(60))
    new, sides = points(30, seed=1)
    shares = scaleout.evaluate(of_points, array(new, 2), array(sides, 2), radii=[0.0, 0.1])[
        "certified"
    ]["shares"]
    assert [each["radius"] for each in shares] == [0.0, 0.1]
    expected = wideberth.guarantees.certified_accuracy(of_points, new, sides, [0.0, 0.1]).certified
    assert [each["share"] for each in shares] == expected.tolist()


def test_labels_that_do_not_fit_are_refused(simple):
    with pytest.raises(InvalidInput, match="X has 2 partitions and y has 3"):
        scaleout.certify(
            simple, bag(["Anna", "Otto", "Ida"], 2), bag(["female", "male", "female"], 3)
        )
    with pytest.raises(InvalidInput, match="There are no labels"):
        scaleout.certify(simple, bag(["Anna"], 1))
    with pytest.raises(InvalidInput, match="Partition 0 has 1 objects and 2 labels"):
        scaleout.certify(simple, bag(["Anna"], 1), bag(["female", "male"], 1))
    with pytest.raises(InvalidInput, match="no objects"):
        scaleout.certify(simple, bag([], 1), bag([], 1))


@pytest.mark.few(1)
@pytest.mark.parametrize("missing", [None, float("nan")])
@pytest.mark.parametrize("judge", [scaleout.certify, scaleout.evaluate])
def test_a_missing_label_is_named(simple, judge, missing):
    new, sexes = names(20, start=200)
    sexes[13] = missing
    with pytest.raises(
        InvalidInput,
        match=r"Partition 2, object 3 of it, '.*': it has no label: .* Drop it or label it.$",
    ) as caught:
        judge(simple, bag(new, 4), bag(sexes, 4))
    assert (caught.value.partition, caught.value.witness) == (2, 3)


def test_dask_sees_how_large_facts_are(simple):
    """Else workers take each of them for a megabyte, and say so in their logs."""
    new, sexes = names(2000, start=200)
    facts = facts_of_piece(simple, LabelledPiece(new, sexes, None), 0, Wanted())
    assert facts.n == 2000
    assert sizeof(facts) > sum(each.nbytes for each in (facts.labels, facts.told, facts.digests))


def test_labels_for_other_chunks_get_the_advice_for_arrays(simple):
    vectors, sides = points(30)
    model = wideberth.NeighborsClassifier().fit(vectors, sides)
    for y in (array(sides, 3), array(sides, 2)[:20].rechunk(((15, 5),))):
        with pytest.raises(
            InvalidInput, match=r"y.rechunk of an array, y.repartition of a bag or a table"
        ):
            scaleout.certify(model, array(vectors, 2), y)
