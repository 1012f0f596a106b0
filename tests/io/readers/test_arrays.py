"""NPY and NPZ: arrays found by name and shape, and nothing ever unpickled."""

import pickle
import zipfile

import numpy as np
import pytest

import wideberth
from wideberth.errors import InvalidInput
from wideberth.io.readers import read_batches


@pytest.fixture
def save(tmp_path):
    def save(name, *args, **arrays):
        path = tmp_path / name
        (np.savez if arrays else np.save)(path, *args, **arrays)
        return path

    return save


@pytest.mark.parametrize(
    ("array", "kind"),
    [
        (np.zeros((3, 2)), "vectors"),
        (np.arange(3), "vectors"),
        (np.zeros((3, 2, 4), dtype=np.float32), "series"),
        (np.array(["tea", "thé", "té"]), "strings"),
    ],
    ids=["matrix", "numbers", "series", "text"],
)
def test_an_array_is_read_by_its_shape(save, array, kind):
    records = wideberth.read(save("things.npy", array))
    assert (records.kind, len(records), records.labels, records.column) == (kind, 3, None, None)
    assert "from" not in repr(records)
    np.testing.assert_array_equal(np.reshape(records.objects, array.shape), array)


def test_numbers_on_one_axis_are_vectors_of_one(save):
    assert wideberth.read(save("things.npy", np.arange(3))).objects.shape == (3, 1)


@pytest.mark.parametrize("name", ["X", "x", "data", "objects", "points"])
@pytest.mark.parametrize("labels", ["y", "labels", "target"])
def test_arrays_are_found_by_name(save, name, labels):
    records = wideberth.read(
        save("points.npz", **{name: np.eye(3, 2), labels: np.array(["a", "b", "a"])})
    )
    assert (records.column, records.target, records.kind, records.labels) == (
        name,
        labels,
        "vectors",
        ["a", "b", "a"],
    )


@pytest.mark.parametrize("name", ["distances", "D"])
def test_distances_are_found_by_name(save, name):
    records = wideberth.read(save("cities.npz", **{name: np.ones((2, 2)), "y": np.array([0, 1])}))
    assert (records.kind, records.labels) == ("distances", [0, 1])


def test_named_arrays_win(save):
    path = save(
        "cities.npz",
        X=np.ones((2, 2)),
        other=np.zeros((2, 2)),
        y=np.array([0, 1]),
        z=np.array([True, False]),
    )
    records = wideberth.read(path, column="other", target="z", kind="distances")
    assert records.objects.sum() == 0
    assert (records.labels, records.kind) == ([True, False], "distances")


def test_a_matrix_can_be_series_or_objects(save):
    path = save("beats.npy", np.zeros((3, 5)))
    assert wideberth.read(path, kind="series").kind == "series"
    assert wideberth.read(path, kind="objects").kind == "objects"


def test_text_can_be_molecules(save, refused):
    assert wideberth.read(save("drinks.npy", np.array(["CCO", "O"])), kind="molecules").objects == [
        "CCO",
        "O",
    ]
    path = save("drinks.npy", np.zeros((2, 2)))
    with refused(path, "the array holds numbers, which cannot be molecules", value="molecules"):
        wideberth.read(path, kind="molecules")


def test_batches_are_slices(save):
    path = save("points.npz", X=np.arange(10.0).reshape(5, 2), y=np.arange(5))
    batches = list(read_batches(path, size=2))
    assert [batch.labels for batch in batches] == [[0, 1], [2, 3], [4]]
    np.testing.assert_array_equal(
        np.concatenate([batch.objects for batch in batches]), np.arange(10.0).reshape(5, 2)
    )


class Trap:
    def __reduce__(self):
        return (pytest.fail, ("a file ran code",))


@pytest.mark.parametrize("name", ["trap.npy", "trap.npz"])
def test_pickled_objects_are_refused_and_text_is_the_way_out(tmp_path, save, refused, name):
    def write(array):
        return save(name, X=array) if name.endswith("npz") else save(name, array)

    path = write(np.array([Trap(), "tea"], dtype=object))
    with refused(path, "could run any code", "dtype=str", value="object"):
        wideberth.read(path)
    assert wideberth.read(write(np.array(["tea", "milk"], dtype=str))).objects == ["tea", "milk"]


@pytest.mark.parametrize("name", ["trap.npy", "trap.npz"])
def test_a_bare_pickle_is_not_loaded(write, refused, name):
    path = write(name, pickle.dumps(Trap()))
    with refused(path, "this is not an NP"):
        wideberth.read(path)


def test_damaged_files_are_refused(save, refused):
    path = save("points.npy", np.zeros((100, 2)))
    path.write_bytes(path.read_bytes()[:500])
    with refused(path, "is damaged"):
        wideberth.read(path)
    path = save("points.npz", X=np.zeros((100, 2)))
    content = bytearray(path.read_bytes())
    content[300] ^= 0xFF
    path.write_bytes(content)
    with refused(path, "the array 'X' is damaged"):
        wideberth.read(path)


def test_members_that_are_not_arrays_are_refused(tmp_path, refused):
    path = tmp_path / "points.npz"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("X", "tea")
    with refused(path, "'X' is not an array", value="X"):
        wideberth.read(path)


def test_an_npy_file_has_no_names(save, refused):
    path = save("points.npy", np.zeros((2, 2)))
    with refused(path, "there is no 'y'", "numpy.savez", value="y"):
        wideberth.read(path, target="y")
    assert wideberth.read(
        save("points.npz", X=np.zeros((2, 2)), y=np.arange(2)), target="y"
    ).labels == [0, 1]


def test_a_misspelt_array_brings_the_closest_name(save, refused):
    path = save("points.npz", points=np.zeros((2, 2)), y=np.arange(2))
    with refused(path, "there is no array 'point'. Did you mean 'points'?", value="point"):
        wideberth.read(path, column="point")


def test_several_arrays_are_refused_until_one_is_named(save, refused):
    path = save("points.npz", a=np.zeros((2, 2)), b=np.ones((2, 2)))
    with refused(path, "2 arrays could hold the objects: 'a', 'b'", "column='a'", value=["a", "b"]):
        wideberth.read(path)
    assert wideberth.read(path, column="a").objects.sum() == 0


def test_labels_alone_are_refused(save, refused):
    path = save("points.npz", y=np.arange(2))
    with refused(path, "no array besides the labels", value=[]):
        wideberth.read(path)


@pytest.mark.parametrize(
    ("array", "kind", "complaint"),
    [
        (np.zeros(()), None, "an array of shape () cannot be vectors"),
        (np.zeros((2, 2, 2, 2)), None, "an array of shape (2, 2, 2, 2) cannot be vectors"),
        (np.zeros((0, 2)), None, "an array of shape (0, 2) holds nothing"),
        (np.zeros((2, 2, 2)), "vectors", "an array of shape (2, 2, 2) cannot be vectors"),
        (np.zeros((2, 2)), "sets", "an array of shape (2, 2) cannot be sets"),
        (np.zeros((2, 2)), "rows", "an array of shape (2, 2) cannot be rows"),
        (np.zeros((2, 2)), "trees", "an array of shape (2, 2) cannot be trees"),
        (np.zeros((2, 3)), "distances", "2 rows of 3 distances"),
        (np.array([["a"]]), None, "an array of shape (1, 1) cannot be strings"),
        (np.array([b"tea"]), None, "objects of dtype |S3 have no reader"),
        (np.zeros(2, dtype=complex), None, "objects of dtype complex128 have no reader"),
        (np.zeros(2, dtype=[("a", float)]), None, "have no reader"),
        (np.zeros((2, 2)), "strings", "the array holds numbers, which cannot be strings"),
        (np.array(["tea"]), "vectors", "the array holds text, which cannot be vectors"),
        (
            np.array([[0, 1], [2, np.nan]]),
            None,
            "nan at [1, 1] of the objects is not a finite number",
        ),
        (np.array(["tea", ""]), None, "'' at [1] of the objects is empty"),
    ],
)
def test_unfit_arrays_are_refused(save, refused, array, kind, complaint):
    path = save("things.npy", array)
    with refused(path, complaint):
        wideberth.read(path, kind=kind)


@pytest.mark.parametrize(
    ("labels", "complaint"),
    [
        (np.arange(3), "labels 'y' of shape (3,) for 2 objects"),
        (np.zeros((2, 1)), "labels 'y' of shape (2, 1) for 2 objects"),
        (np.array([b"a", b"b"]), "labels of dtype |S1 have no reader"),
        (np.array([0, np.nan]), "nan at [1] of the labels is not a finite number"),
        (np.array(["a", ""]), "'' at [1] of the labels is empty"),
    ],
)
def test_unfit_labels_are_refused(save, refused, labels, complaint):
    path = save("points.npz", D=np.zeros((2, 2)), y=labels)
    with refused(path, complaint):
        wideberth.read(path)


def test_arrays_have_no_encoding(save):
    with pytest.raises(InvalidInput, match="no encoding"):
        wideberth.read(save("points.npy", np.zeros((2, 2))), encoding="utf-8")
