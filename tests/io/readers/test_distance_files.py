"""Distance matrices: with or without header and names, square or condensed, as CSV, NumPy and
PHYLIP.
"""

import numpy as np
import pytest

import wideberth
from wideberth.io.readers import read_batches

MATRIX = [[0, 2.5, 1], [2.5, 0, 2], [1, 2, 0]]
ROWS = [",".join(map(str, row)) for row in MATRIX]


@pytest.mark.parametrize(
    ("text", "names", "labels"),
    [
        ("\n".join(ROWS), None, None),
        (
            "\n".join(f"{name},{row}" for name, row in zip("xyz", ROWS, strict=True)),
            ["x", "y", "z"],
            None,
        ),
        ("\n".join(["a,b,c", *ROWS]), None, None),
        ("\n".join(["x,y,z", *ROWS]), None, None),  # y is not the labels here
        (
            "\n".join(
                [",x,y,z", *(f"{name},{row}" for name, row in zip("xyz", ROWS, strict=True))]
            ),
            ["x", "y", "z"],
            None,
        ),
        (
            "\n".join(["id,a,b,c,label", *(f"{n},{row},{n % 2}" for n, row in enumerate(ROWS))]),
            ["0", "1", "2"],
            ["0", "1", "0"],
        ),
        ("\n".join(["a,b,c,label", *(f"{row},u" for row in ROWS)]), None, ["u", "u", "u"]),
        ("\n".join(ROWS).replace(",", ";").replace(".", ","), None, None),
    ],
    ids=[
        "bare",
        "names",
        "header",
        "y in the header",
        "header and names",
        "all",
        "labels",
        "decimal commas",
    ],
)
def test_a_table_that_can_only_be_distances_is_one(write, text, names, labels):
    records = wideberth.read(write("d.csv", text + "\n"))
    assert (records.objects.tolist(), records.kind) == (MATRIX, "distances")
    assert (records.names, records.labels) == (names, labels)
    assert [use.why for use in records.understood if use.use == "number"] == [
        "distances to all objects"
    ] * 3


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ("v,4,0,2", "from 'u' to 'v' it is 2.5, and back 4."),
        ("v,2.5,7,2", "from 'v' to 'v' it is 7."),
        ("v,-2.5,0,2", None),  # features, such as correlations
        ("a,4,0,2", None),
    ],
)
def test_what_is_nearly_a_matrix_of_distances_is_said(write, recwarn, row, said):
    path = write("d.csv", f",u,v,w\nu,{ROWS[0]}\n{row}\nw,{ROWS[2]}\n")
    assert wideberth.read(path).kind != "distances"
    told = [str(each.message) for each in recwarn]
    assert len(told) == (said is not None)
    assert all(said in each and "kind='distances'" in each for each in told)
    if said:
        assert wideberth.read(path, kind="distances").names == ["u", "v", "w"]


@pytest.mark.slow
def test_a_large_matrix_is_known_by_its_first_rows(tmp_path):
    points = np.random.default_rng(0).normal(size=(300, 2))
    distances = np.linalg.norm(points[:, None] - points, axis=2)
    np.savetxt(tmp_path / "d.csv", distances, delimiter=",")
    batches = list(read_batches(tmp_path / "d.csv", size=100))
    assert [batch.kind for batch in batches] == ["distances"] * 3
    np.testing.assert_array_equal(np.concatenate([batch.objects for batch in batches]), distances)


@pytest.mark.parametrize(
    "text",
    [
        "a,b,c\n0,2,1\n2,0,1\n1,1,1\n",
        "a,b,c\n0,2,1\n2,0,1\n1,3,0\n",
        "a,b,c\n0,0,0\n0,0,0\n0,0,0\n",
        "a,b,c\n0,-2,1\n-2,0,1\n1,1,0\n",
    ],
    ids=["no zero", "not symmetric", "nothing but zeros", "negative"],
)
def test_other_square_tables_are_vectors_until_it_is_said(write, text):
    assert wideberth.read(write("d.csv", text)).kind == "vectors"
    assert wideberth.read(write("d.csv", text), kind="distances").kind == "distances"


def test_a_column_of_distances_is_not_taken_for_names(write, refused):
    path = write("cities.csv", "a,b,c\n0,2,1\n2,0,1\n")
    with refused(path, "2 rows of 3 distances", value=(2, 3)):
        wideberth.read(path, kind="distances")
    records = wideberth.read(write("cities.csv", "id,b,c\n7,0,1\n8,1,0\n"), kind="distances")
    assert (records.objects.tolist(), records.names) == ([[0, 1], [1, 0]], ["7", "8"])


def test_square_arrays(tmp_path):
    np.save(tmp_path / "d.npy", np.array(MATRIX))
    assert wideberth.read(tmp_path / "d.npy").kind == "distances"
    assert wideberth.read(tmp_path / "d.npy", kind="vectors").kind == "vectors"
    np.save(tmp_path / "d.npy", np.eye(3))
    assert wideberth.read(tmp_path / "d.npy").kind == "vectors"


def test_condensed_distances(tmp_path, refused):
    np.save(tmp_path / "d.npy", np.array([2.5, 1, 2]))
    records = wideberth.read(tmp_path / "d.npy", kind="distances")
    assert (records.objects.tolist(), records.kind) == (MATRIX, "distances")
    np.savez(tmp_path / "d.npz", distances=np.array([2.5, 1, 2]), y=np.array(["a", "b", "a"]))
    assert wideberth.read(tmp_path / "d.npz").labels == ["a", "b", "a"]
    np.save(tmp_path / "d.npy", np.array([2.5, 1, 2, 4]))
    with refused(
        tmp_path / "d.npy", "4 distances are not those between all pairs", "n (n - 1) / 2", value=4
    ):
        wideberth.read(tmp_path / "d.npy", kind="distances")
    np.save(tmp_path / "d.npy", np.ones(4950))
    with refused(tmp_path / "d.npy", "above the limit of 1 kB"):
        wideberth.read(tmp_path / "d.npy", kind="distances", max_size="1kB")


def test_arrays_have_weights_and_groups(tmp_path, refused):
    path = tmp_path / "t.npz"
    np.savez(path, X=np.arange(6).reshape(3, 2), y=[1, 2, 1], w=[1, 0.5, 0], g=["u", "v", "u"])
    records = wideberth.read(path, weight="w", groups="g")
    assert (records.weights, records.groups, records.labels) == (
        [1.0, 0.5, 0.0],
        ["u", "v", "u"],
        [1, 2, 1],
    )
    assert [use[:2] for use in records.understood] == [
        ("X", "number"),
        ("y", "label"),
        ("w", "weight"),
        ("g", "group"),
    ]
    with refused(path, "weights of dtype <U1 have no reader"):
        wideberth.read(path, weight="g")
    np.savez(path, X=np.arange(6).reshape(3, 2), w=[1, -0.5, 0], g=[1, 2])
    with refused(path, "the weight -0.5 is negative"):
        wideberth.read(path, weight="w")
    with refused(path, "groups 'g' of shape (2,) for 3 objects"):
        wideberth.read(path, groups="g")


@pytest.mark.parametrize("ending", ["phy", "phylip", "dist"])
@pytest.mark.parametrize(
    "text",
    [
        "3\nape 0 2.5 1\ncat 2.5 0 2\ndog 1 2 0\n",
        "   3\nape       0.0 2.5\n 1\ncat 2.5 0 2\ndog  1\n2 0\n",
        "3\nape\ncat 2.5\ndog 1 2\n",
    ],
    ids=["square", "over several lines", "lower triangle"],
)
def test_phylip(write, ending, text):
    records = wideberth.read(write(f"d.{ending}", text))
    assert (records.objects.tolist(), records.kind, records.names) == (
        MATRIX,
        "distances",
        ["ape", "cat", "dog"],
    )


def test_names_of_phylip_may_have_spaces_in_ten_columns(write):
    records = wideberth.read(write("d.phy", "2\nHomo sapie 0 1\nPan trogl  1 0\n"))
    assert (records.names, records.objects.tolist()) == (
        ["Homo sapie", "Pan trogl"],
        [[0, 1], [1, 0]],
    )


@pytest.mark.parametrize(
    ("text", "complaint", "line"),
    [
        ("3 100\nape ACGT\n", "begins an alignment, not distances", 1),
        ("three\n", "'three' is not a number of objects", 1),
        ("0\n", "'0' is not a number of objects", 1),
        ("2\nape 0 1\n", "the matrix ends within the 2 objects", None),
        ("2\nape 0 1\ncat 1\n", "the matrix ends within the 2 objects", None),
        ("1\nape 0 1\n", "2 distances of 'ape', but 1 are needed", 2),
        ("2\nape 0 1\ncat 1 0\ndog 1 1\n", "'dog 1 1' after the 2 objects", 4),
        ("2\nape 0 1\ncat x 0\n", "'x' is not a distance", 3),
        ("2\nape 0 nan\ncat 1 0\n", "'nan' is not a distance", 2),
        ("99999999\nape 0\n", "the matrix ends", None),
    ],
)
def test_damaged_phylip_is_refused(write, refused, text, complaint, line):
    path = write("d.phy", text)
    with refused(path, complaint, line=line):
        wideberth.read(path)
