"""Written predictions: never answers about other objects than those that are asked about, and
nothing that others wrote.
"""

import os
from functools import partial
from pathlib import Path

import dask
import dask.dataframe
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from labelled_collections import array, bag, frame

import wideberth
from wideberth import scaleout
from wideberth.errors import InvalidInput, LostWork
from wideberth.scaleout.collections import answers as answering


@pytest.fixture(scope="module")
def model():
    return wideberth.NeighborsClassifier("levenshtein", n_neighbors=1).fit(
        ["tea", "rum"], ["soft", "hard"]
    )


def answers(files):
    return pd.concat([pd.read_parquet(file) for file in files])["label"].tolist()


def write_texts(folder, first, second):
    folder.mkdir(exist_ok=True)
    (folder / "a.txt").write_text(first)
    (folder / "b.txt").write_text(second)


def write_table(folder, *names):
    folder.mkdir(exist_ok=True)
    pd.DataFrame({"name": names}).to_csv(folder / "a.csv", index=False)


def write_parquet(folder, *names):
    folder.mkdir(exist_ok=True)
    pd.DataFrame({"name": names}).to_parquet(folder / "a.parquet")


@pytest.mark.few(1)
@pytest.mark.parametrize(
    ("write", "column"), [(write_texts, None), (write_table, "name"), (write_parquet, "name")]
)
def test_files_that_have_changed_are_never_answered_from_before(model, tmp_path, write, column):
    """Also if they have the size and the time of before."""
    write(tmp_path / "in", "tea", "tee")
    times = {file: file.stat() for file in (tmp_path / "in").iterdir()}
    call = partial(
        scaleout.write_predictions, model, tmp_path / "in", tmp_path / "out", column=column
    )
    assert answers(call()) == answers(call()) == ["soft", "soft"]
    write(tmp_path / "in", "rum", "rom")
    for file, told in times.items():
        os.utime(file, ns=(told.st_atime_ns, told.st_mtime_ns))
    with pytest.raises(
        InvalidInput,
        match=r"part-000000.parquet' holds predictions for other objects.*remove the file",
    ):
        call()
    (tmp_path / "out" / "part-000000.parquet").unlink()
    assert answers(call()) == ["hard", "hard"]


def test_partitions_of_which_dask_knows_the_name_alone(model, tmp_path):
    parts = [
        dask.delayed(list)(words, dask_key_name=name)
        for name, words in (("a", ["tea"]), ("b", ["rum"]))
    ]
    assert answers(scaleout.write_predictions(model, parts, tmp_path / "out")) == ["soft", "hard"]
    changed = [parts[0], dask.delayed(list)(["tee"], dask_key_name="b")]
    with pytest.raises(InvalidInput, match="other objects than partition 1 has now") as caught:
        scaleout.write_predictions(model, changed, tmp_path / "out")
    assert caught.value.partition == 1
    renamed = [
        dask.delayed(list)(words) for words in (["tea"], ["rum"])
    ]  # another name each time, and the same objects
    assert answers(scaleout.write_predictions(model, renamed, tmp_path / "out")) == ["soft", "hard"]


@pytest.mark.few(1)
@pytest.mark.parametrize("name", ["part-000000.parquet", "old.parquet", "notes.txt"])
def test_a_folder_with_files_of_others_is_refused(model, tmp_path, name):
    pd.DataFrame({"label": ["FOREIGN"]}).to_parquet(tmp_path / name)
    with pytest.raises(InvalidInput, match=f"{name}', which write_predictions did not write"):
        scaleout.write_predictions(model, bag(["tea"], 1), tmp_path)
    assert [file.name for file in tmp_path.iterdir()] == [name]


def test_files_of_others_that_come_later_are_refused(model, tmp_path):
    call = partial(scaleout.write_predictions, model, bag(["tea", "rum"], 2), tmp_path)
    files = call()
    pd.DataFrame({"label": ["FOREIGN"]}).to_parquet(tmp_path / "old.parquet")
    with pytest.raises(InvalidInput, match=r"'old.parquet', which write_predictions did not write"):
        call()
    (tmp_path / "old.parquet").replace(files[0])
    with pytest.raises(
        InvalidInput, match=r"part-000000.parquet' was not written by write_predictions"
    ):
        call()
    files[0].write_bytes(b"half a file")
    with pytest.raises(
        InvalidInput,
        match=r"part-000000.parquet' was not written by write_predictions, or is damaged",
    ):
        call()


def test_the_folder_of_the_objects_is_refused(model, tmp_path):
    write_parquet(tmp_path / "in", "tea", "rum")
    for folder in (tmp_path / "in", tmp_path / "in" / "answers", tmp_path / "out" / ".." / "in"):
        with pytest.raises(InvalidInput, match=r"where the objects are. Pass a folder beside it"):
            scaleout.write_predictions(model, str(tmp_path / "in"), folder, column="name")
    with pytest.raises(InvalidInput, match="did not write"):
        scaleout.write_predictions(
            model, dask.dataframe.read_parquet(tmp_path / "in"), tmp_path / "in", column="name"
        )
    assert [file.name for file in (tmp_path / "in").iterdir()] == ["a.parquet"]


def test_a_folder_that_is_a_file_and_a_damaged_question(model, tmp_path):
    (tmp_path / "file").write_text("x")
    for folder in (tmp_path / "file", tmp_path / "file" / "deeper"):
        with pytest.raises(InvalidInput, match="is a file, or in one, and no folder"):
            scaleout.write_predictions(model, bag(["tea"], 1), folder)
    scaleout.write_predictions(model, bag(["tea"], 1), tmp_path / "out")
    for damaged in ("{", "[1]", "7"):
        (tmp_path / "out" / "question.json").write_text(damaged)
        with pytest.raises(InvalidInput, match=r"question.json' is damaged.*empty folder"):
            scaleout.write_predictions(model, bag(["tea"], 1), tmp_path / "out")


def test_a_refusal_says_which_model_and_when(model, tmp_path):
    scaleout.write_predictions(model, bag(["tea"], 1), tmp_path)
    other = wideberth.NeighborsClassifier("levenshtein", n_neighbors=1).fit(
        ["tea", "rum"], ["1", "2"]
    )
    told = r"another model, begun 20\d\d-.*: NeighborsClassifier of 2 classes, \['hard', 'soft'\], not .*\['1', '2'\]"
    with pytest.raises(InvalidInput, match=told):
        scaleout.write_predictions(other, bag(["tea"], 1), tmp_path)
    with pytest.raises(InvalidInput, match=r"another number of partitions, begun .*: 1, not 2"):
        scaleout.write_predictions(model, bag(["tea", "rum"], 2), tmp_path)


@pytest.mark.few(2)
@pytest.mark.parametrize(
    "objects",
    [
        np.array([[1.0, 2.0]]),
        np.array(["tea", None], dtype=object),
        [["hot", "tea"], ["rum"]],
        [{"tea", "rum", "ale"}],
        [{"a": 1}],
        pd.DataFrame({"a": ["x", "y"]}),
        pd.Series(["tea", "rum"]),
        [None],
    ],
    ids=lambda objects: type(objects).__name__,
)
def test_digests_are_those_of_contents(objects):
    import pickle

    from wideberth.scaleout.collections.answers import digest_of_objects

    assert digest_of_objects(objects) == digest_of_objects(pickle.loads(pickle.dumps(objects)))
    assert digest_of_objects(objects) != digest_of_objects(array([[3.0]], 1).compute())


def tampered(file, change):
    """A part with other columns, and the digest of before."""
    table = pq.read_table(file)
    pq.write_table(
        pa.table(change(table.to_pydict())).replace_schema_metadata(table.schema.metadata), file
    )


@pytest.mark.few(2)
@pytest.mark.parametrize(
    ("change", "told"),
    [
        (
            lambda columns: {name: values[:1] for name, values in columns.items()},
            "it has 1 rows, and the partition 2 objects",
        ),
        (
            lambda columns: columns | {"label": ["soft", "FOREIGN"]},
            "it has the label 'FOREIGN', which the model does not have",
        ),
        (
            lambda columns: columns | {"label": ["soft", None]},
            "it has the label None, which the model does not have",
        ),
        (lambda columns: {"label": columns["label"]}, "it has the columns"),
        (
            lambda columns: columns | {"certified_radius": [1.0, float("nan")]},
            "radii that are no numbers from 0 on",
        ),
        (
            lambda columns: columns | {"certified_radius": [1.0, None]},
            "radii that are no numbers from 0 on",
        ),
        (
            lambda columns: columns | {"certified_radius": [-1.0, 1.0]},
            "radii that are no numbers from 0 on",
        ),
    ],
)
def test_parts_that_the_model_cannot_have_written_are_refused(model, tmp_path, change, told):
    call = partial(
        scaleout.write_predictions,
        model,
        bag(["tea", "rum", "tee", "rom"], 2),
        tmp_path,
        radius=True,
    )
    files = call()
    tampered(files[1], change)
    with pytest.raises(
        InvalidInput, match=rf"part-000001.parquet' was changed .*{told}.* Remove it"
    ) as caught:
        call()
    assert caught.value.partition == 1
    files[1].unlink()
    assert answers(call()) == ["soft", "hard", "soft", "hard"]


def test_answers_on_a_disk_that_only_workers_have_are_an_error(model, tmp_path, monkeypatch):
    """Each file is written, and this process does not see it."""
    monkeypatch.setattr(answering, "SECONDS_TO_SEE", 0.0)
    write = answering.write_piece

    def write_on_own_disk(model, piece, number, file, **settings):
        own = tmp_path / "disk of a worker" / Path(file).name
        own.parent.mkdir(exist_ok=True)
        (own.parent / answering.QUESTION).touch()
        return write(model, piece, number, str(own) if number else file, **settings)

    monkeypatch.setattr(answering, "write_piece", write_on_own_disk)
    told = r"This process does not see 2 of the 3 files.*part-000001.parquet.*part-000002.parquet.* must share the folder"
    with dask.config.set(scheduler="synchronous"), pytest.raises(LostWork, match=told) as caught:
        scaleout.write_predictions(model, bag(["tea", "rum", "tee"], 3), tmp_path / "out")
    assert [file.name for file in caught.value.chunks] == [
        "part-000001.parquet",
        "part-000002.parquet",
    ]
    assert [file.name for file in (tmp_path / "out").glob("*.parquet")] == ["part-000000.parquet"]


def test_a_worker_that_does_not_see_the_folder_says_so_before_it_asks_the_model(
    tmp_path, monkeypatch
):
    monkeypatch.setattr(answering, "SECONDS_TO_SEE", 0.0)
    with pytest.raises(
        LostWork,
        match=r"The process \d+ on .* does not see .*question.json.* must share the folder",
    ):
        answering.write_piece(
            None, None, 0, str(tmp_path / "part-000000.parquet"), radius=False, unit=None
        )


def test_files_that_a_shared_folder_shows_late_are_waited_for(tmp_path, monkeypatch):
    file, looks = tmp_path / "part-000000.parquet", []
    monkeypatch.setattr(
        answering.time,
        "sleep",
        lambda seconds: looks.append(seconds) or (len(looks) == 3 and file.touch()),
    )
    answering.check_seen([file], "This process")
    assert len(looks) == 3


def test_folders_are_absolute(client, model, tmp_path, monkeypatch):
    """Workers run elsewhere: here, where they were started."""
    write_texts(tmp_path / "in", "tea", "rum")
    monkeypatch.chdir(tmp_path)
    files = scaleout.write_predictions(model, "in", "out")
    assert files == [tmp_path / "out" / "part-000000.parquet"]
    assert answers(files) == ["soft", "hard"]


@pytest.mark.parametrize(
    "address", ["s3://bucket/out", "memory://out", "file:///out", Path("s3://bucket/out")], ids=str
)
def test_addresses_are_refused_as_folders(model, address, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InvalidInput, match=r"is an address, and no folder.*to_parquet\(address\)"):
        scaleout.write_predictions(model, bag(["tea"], 1), address)
    assert list(tmp_path.iterdir()) == []


def test_labels_of_a_table_are_written_to_an_address_by_dask(model):
    """What the advice says."""
    told = scaleout.predict(model, frame({"name": ["tea", "rum"]}, 2), column="name")
    told.to_frame().to_parquet("memory://wideberth-answers")
    assert dask.dataframe.read_parquet("memory://wideberth-answers")[
        "label"
    ].compute().tolist() == ["soft", "hard"]
    drinks = frame({"name": ["rum", "tee"]}, 2)
    drinks.to_parquet("memory://wideberth-drinks")
    assert scaleout.predict(
        model, "memory://wideberth-drinks", column="name"
    ).compute().tolist() == ["hard", "soft"]
    with pytest.raises(InvalidInput, match="neither a directory nor a Parquet file"):
        scaleout.predict(model, "memory://wideberth-nothing")
    with pytest.raises(InvalidInput, match=r"cannot be read: .*known"):
        scaleout.predict(model, "nonsense://drinks")
