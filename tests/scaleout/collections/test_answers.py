"""Labels and radii of collections: those of all objects at once, in collections of the same
form.
"""

import subprocess
import sys
import tomllib
from pathlib import Path

import dask
import numpy as np
import pandas as pd
import pytest
from distributed import get_worker
from labelled_collections import array, bag, delayed_parts, frame, names, points, texts

import wideberth
from wideberth import scaleout
from wideberth.errors import InvalidInput, NotCertified
from wideberth.scaleout import cluster_runner
from wideberth.scaleout.collections.partitions import Partitions


@pytest.fixture(scope="module")
def of_names():
    return wideberth.MarginNeighborsClassifier("levenshtein").fit(*names(150))


@pytest.fixture(scope="module")
def of_points():
    return wideberth.NeighborsClassifier(n_neighbors=3).fit(*points(200))


def test_a_bag_of_texts(client, of_names):
    new, _ = names(90, start=200)
    collection = bag(new, 4)
    labels, radii = (
        scaleout.predict(of_names, collection),
        scaleout.certified_radius(of_names, collection, unit="edit"),
    )
    assert labels.npartitions == radii.npartitions == collection.npartitions
    assert labels.compute() == of_names.predict(new).tolist()
    assert radii.compute() == of_names.certified_radius(new, "edit").tolist()


def test_an_array_cut_in_columns_too(client, of_points):
    new, _ = points(100, seed=1)
    collection = dask.array.from_array(new, chunks=(30, 2))
    labels, radii = (
        scaleout.predict(of_points, collection),
        scaleout.certified_radius(of_points, collection),
    )
    assert labels.chunks == radii.chunks == (collection.chunks[0],)
    assert labels.dtype == of_points.classes_.dtype
    np.testing.assert_array_equal(labels.compute(), of_points.predict(new))
    np.testing.assert_array_equal(radii.compute(), of_points.certified_radius(new))


def test_a_table_keeps_its_index_and_divisions(client, of_points):
    new, labels = points(100, seed=1)
    table = frame({"x": new[:, 0], "y": new[:, 1], "z": new[:, 2], "side": labels}, 3)
    told = scaleout.predict(of_points, table, column=["x", "y", "z"])
    assert told.divisions == table.divisions
    expected = pd.Series(of_points.predict(new), name="label")
    pd.testing.assert_series_equal(told.compute(), expected)


def test_a_column_of_a_parquet_file(client, of_names, tmp_path):
    new, sexes = names(60, start=200)
    frame({"name": new, "sex": sexes}, 3).to_parquet(tmp_path / "names.parquet")
    told = scaleout.predict(of_names, tmp_path / "names.parquet", column="name")
    assert told.npartitions == 3
    assert told.compute().tolist() == of_names.predict(new).tolist()


@pytest.mark.slow
def test_a_directory_of_texts(client, tmp_path):
    objects, topics = texts(40)
    model = wideberth.LinearLipschitzClassifier("words").fit(*texts(80, seed=2))
    for number, (text, topic) in enumerate(zip(objects, topics, strict=True)):
        (tmp_path / topic).mkdir(exist_ok=True)
        (tmp_path / topic / f"{number:03}.txt").write_text(text)
    order = sorted(range(40), key=lambda i: (topics[i], i))
    assert (
        scaleout.predict(model, tmp_path).compute()
        == model.predict([objects[i] for i in order]).tolist()
    )
    facts = scaleout.evaluate(model, tmp_path)
    assert facts["errors"] == int(np.sum(model.predict(objects) != np.array(topics)))


def test_a_directory_of_tables(client, of_names, tmp_path):
    new, sexes = names(40, start=200)
    for part in range(2):
        own = slice(20 * part, 20 * part + 20)
        pd.DataFrame({"name": new[own], "sex": sexes[own]}).to_csv(
            tmp_path / f"{part}.csv", index=False
        )
    told = scaleout.predict(of_names, tmp_path, column="name")
    assert told.npartitions == 2
    assert told.compute() == of_names.predict(new).tolist()
    assert scaleout.evaluate(of_names, tmp_path, "sex", column="name")["objects"] == 40


def test_empty_partitions_have_no_answers(client, of_points):
    new, _ = points(10, seed=1)
    collection = [dask.delayed(new[:0]), dask.delayed(new), dask.delayed(new[:0])]
    assert scaleout.predict(of_points, collection).compute() == of_points.predict(new).tolist()


@pytest.mark.slow
def test_sparse_rows(client):
    from scipy.sparse import random as random_rows

    rows = random_rows(80, 30, 0.2, random_state=0, format="csr")
    model = wideberth.LinearLipschitzClassifier("manhattan").fit(rows, np.arange(80) % 2)
    assert scaleout.predict(model, delayed_parts(rows, 3)).compute() == model.predict(rows).tolist()


def test_without_a_cluster_threads_answer(of_points):
    new, _ = points(20, seed=1)
    np.testing.assert_array_equal(
        scaleout.predict(of_points, array(new, 2)).compute(), of_points.predict(new)
    )


def model_of(model):
    """Which object stands for the model on this worker."""
    return get_worker().address, id(model)


def test_a_model_is_shipped_once_to_each_worker_and_found_by_its_contents(client, of_points):
    sent = cluster_runner.shipped(of_points)
    seen = client.gather(
        [client.submit(model_of, sent.dask[sent.key], pure=False) for _ in range(12)]
    )
    assert len(set(seen)) == len({address for address, _ in seen})
    twin = wideberth.NeighborsClassifier(n_neighbors=3).fit(*points(200))
    assert cluster_runner.shipped(of_points).key == sent.key
    assert cluster_runner.shipped(twin.fit(*points(150))).key != sent.key


def test_tasks_have_one_core_and_show_nothing(client):
    from wideberth.geometry.measure.parallel import effective_jobs
    from wideberth.scaleout.collections.asking import asked

    def cores(objects):
        return effective_jobs(None), effective_jobs(4)

    assert client.submit(asked, cores, [0], 0).result() == (1, 1)


class Fussy(wideberth.Metric):
    """Refuses one word, or knows no distance from it."""

    def __init__(self, says):
        self.says = says
        super().__init__(self.measured, name="fussy", obeys_triangle=True)

    def measured(self, left, right):
        lengths = [np.array([len(word) for word in words], dtype=float) for words in (left, right)]
        block = np.abs(lengths[0][:, None] - lengths[1])
        if "lemonade" in list(left):
            if self.says == "error":
                raise RuntimeError("no lemonade")
            block[list(left).index("lemonade")] = np.nan
        return block


@pytest.mark.parametrize(
    ("says", "message"),
    [
        ("error", "RuntimeError: no lemonade. Mend it, or leave it out"),
        ("nan", "is nan .* check these objects"),
    ],
)
def test_an_object_on_which_the_metric_fails_is_named(client, says, message):
    model = wideberth.NeighborsClassifier(Fussy(says), n_neighbors=1, calibrate=None).fit(
        ["tea", "coffee"], ["a", "b"]
    )
    drinks = [f"drink{number}" for number in range(20)]
    drinks[13] = "lemonade"
    with pytest.raises(
        InvalidInput, match=f"Partition 2, object 3 of it, 'lemonade': .*{message}"
    ) as caught:
        scaleout.predict(model, bag(drinks, 4)).compute()
    assert (caught.value.partition, caught.value.witness) == (2, 3)
    kept = [drink for drink in drinks if drink != "lemonade"]
    assert scaleout.predict(model, bag(kept, 4)).compute() == model.predict(kept).tolist()


def test_a_number_that_is_not_finite_is_named(client, of_points):
    new, _ = points(40, seed=1)
    new[25, 1] = np.inf
    with pytest.raises(
        InvalidInput, match=r"Partition 2, object 5 of it.*inf at feature 1.*Fill it in"
    ):
        scaleout.predict(of_points, array(new, 4)).compute()


def test_what_cannot_be_asked_is_refused_at_once(of_points, of_names, tmp_path):
    with pytest.raises(InvalidInput, match=r"is no collection.*method of the model itself"):
        scaleout.predict(of_points, points(10)[0])
    with pytest.raises(NotCertified):
        scaleout.certified_radius(of_points, array(points(10)[0], 2), unit="edit")
    with pytest.raises(InvalidInput, match="no predict"):
        scaleout.predict("a model", array(points(10)[0], 2))
    with pytest.raises(InvalidInput, match="neither a directory nor a Parquet file"):
        scaleout.predict(of_names, tmp_path / "nothing.txt")
    with pytest.raises(InvalidInput, match="no column 'word'"):
        scaleout.predict(of_names, frame({"name": ["Anna"]}, 1), column="word").compute()
    with pytest.raises(InvalidInput, match="Partition 0 holds 'Anna', which has no field 'word'"):
        scaleout.predict(of_names, bag(["Anna"], 1), column="word").compute(scheduler="threads")


def test_files_that_have_changed_are_read_again_although_a_cluster_remembers_them(client, tmp_path):
    model = wideberth.NeighborsClassifier("levenshtein", n_neighbors=1).fit(
        ["tea", "rum"], ["soft", "hard"]
    )
    (tmp_path / "a.txt").write_text("tee")
    kept = scaleout.predict(model, tmp_path).persist()
    assert kept.compute() == ["soft"]
    (tmp_path / "a.txt").write_text("rum")
    assert scaleout.predict(model, tmp_path).compute() == ["hard"]


@pytest.mark.few(1)
@pytest.mark.parametrize("missing", ["pandas", "pyarrow"])
def test_what_tables_need_comes_with_dask(missing, tmp_path):
    project = tomllib.loads((Path(__file__).parents[3] / "pyproject.toml").read_text())["project"]
    assert any(
        line.startswith("dask[dataframe,distributed]")
        for line in project["optional-dependencies"]["dask"]
    )
    code = (
        f"import sys; sys.modules[{missing!r}] = None; import wideberth as wb; m = "
        "wb.NeighborsClassifier(n_neighbors=1)\nwb.scaleout.predict(m.fit([[0.0], [4.0]], ['low', "
        f"'up']), {str(tmp_path / 'x.parquet')!r})"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (
        f"MissingExtra: This needs the package '{missing}'. Install it with: pip install "
        '"wideberth[dask]"' in done.stderr
    )


def test_without_dask_the_way_to_install_it_is_told():
    code = "import sys; sys.modules['distributed'] = None; import wideberth; wideberth.scaleout"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (
        "MissingExtra: This needs the package 'distributed'. Install it with: pip install "
        '"wideberth[dask]"' in done.stderr
    )


@pytest.fixture
def parquet_table(tmp_path):
    """A folder of small files with a wide column: where few columns are read, Dask puts partitions
    together.
    """
    rng = np.random.default_rng(0)
    table = pd.DataFrame(
        {
            "series": list(rng.normal(size=(40, 6))),
            "sex": ["male", "female"] * 20,
            "notes": ["x" * 2000] * 40,
        }
    )
    for part in range(4):
        table[10 * part : 10 * part + 10].to_parquet(tmp_path / f"{part}.parquet")
    return tmp_path, table


@pytest.fixture(scope="module")
def of_series():
    rng = np.random.default_rng(1)
    return wideberth.NeighborsClassifier("dtw", n_neighbors=1).fit(
        rng.normal(size=(20, 6)), ["male", "female"] * 10
    )


def test_partitions_of_tables_are_never_put_together(client, parquet_table, of_series):
    folder, table = parquet_table
    read = dask.dataframe.read_parquet(folder)
    assert read.npartitions == 4 > len(read["sex"].to_delayed())
    expected = of_series.predict(table["series"].tolist())
    for given in (
        (folder, "series"),
        (read, "series"),
        (read["series"], None),
        (read[["series"]], "series"),
    ):
        told = scaleout.predict(of_series, given[0], column=given[1])
        assert told.npartitions == 4
        pd.testing.assert_series_equal(
            told.compute(), pd.Series(expected, table.index, name="label")
        )


def test_labels_of_the_same_table_have_its_partitions(client, parquet_table, of_series):
    folder, table = parquet_table
    read = dask.dataframe.read_parquet(folder)
    errors = int((of_series.predict(table["series"].tolist()) != table["sex"].to_numpy()).sum())
    here = wideberth.NeighborsClassifier("dtw", n_neighbors=1).fit(
        table["series"].tolist(), table["sex"]
    )
    for X, column in ((read, "series"), (read["series"], None), (folder, "series")):
        for y in (read["sex"], "sex") if column else (read["sex"],):
            assert scaleout.evaluate(of_series, X, y, column=column)["errors"] == errors
            fitted = scaleout.fit(
                wideberth.NeighborsClassifier("dtw", n_neighbors=1), X, y, column=column
            )
            np.testing.assert_array_equal(
                fitted.decision_function(table["series"].tolist()),
                here.decision_function(table["series"].tolist()),
            )


@pytest.mark.parametrize("labelled", [False, True])
def test_only_the_columns_that_are_asked_for_are_read(parquet_table, labelled):
    """The objects that answers are about show which columns were there."""
    folder, _ = parquet_table
    for X in (folder, dask.dataframe.read_parquet(folder)):
        pieces = Partitions.of(
            X, "sex" if labelled else None, column="series", labelled=labelled
        ).pieces()
        (piece,) = dask.compute(pieces[0], scheduler="synchronous")
        assert list(piece.rows.columns) == ["series", "sex"][: 1 + labelled]
        reading = [str(task) for task in dict(pieces[0].dask).values() if "notes" in str(task)]
        assert reading == []
