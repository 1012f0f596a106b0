"""Tiles hold distances exactly, in as few bytes as that takes, and a store keeps to its budget."""

import os
import threading
import zipfile

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from wideberth import atomic_write
from wideberth.errors import InvalidInput
from wideberth.geometry.space import tiles
from wideberth.geometry.space.tiles import (
    DTYPES,
    Tile,
    TileFiles,
    TileStore,
    is_possible,
    narrowest,
)

EVERYTHING = slice(None)


def read(tile, rows=EVERYTHING, columns=EVERYTHING):
    part = np.empty(tile.distances[rows][:, columns].shape)
    gaps = tile.read(rows, columns, part)
    assert gaps == (part == -np.inf).any()
    return part


@pytest.mark.parametrize(
    ("distances", "dtype"),
    [
        ([], "uint8"),
        ([0, 254], "uint8"),
        ([0, 255], "uint16"),
        ([65534], "uint16"),
        ([65535], "float32"),
        ([0.5], "float32"),
        ([np.inf], "float32"),
        ([np.nan, 1], "float32"),
        ([-1], "float32"),
        ([0.1], "float64"),
        ([2**24 + 1], "float64"),
        ([1e300], "float64"),
    ],
)
def test_the_narrowest_dtype_that_is_exact(distances, dtype):
    values = np.array(distances, dtype=float)
    assert narrowest(values) == dtype
    np.testing.assert_array_equal(values.astype(dtype), values)


values = st.one_of(st.integers(0, 300), st.integers(0, 10**6), st.floats(0), st.just(np.nan)).map(
    float
)


@settings(max_examples=50, deadline=None)
@given(
    st.lists(
        st.tuples(
            st.sets(st.integers(0, 4), min_size=1), st.sets(st.integers(0, 3), min_size=1), values
        ),
        max_size=6,
    )
)
def test_what_is_written_is_read_again(writes):
    tile, twin = Tile((5, 4)), np.full((5, 4), -np.inf)
    for rows, columns, value in writes:
        rows, columns = np.array(sorted(rows)), np.array(sorted(columns))
        part = np.full((len(rows), len(columns)), value)
        part[0, 0] = -np.inf  # not known yet: what was there stays
        tile.write(rows, columns, part)
        twin[np.ix_(rows, columns)] = np.where(part == -np.inf, twin[np.ix_(rows, columns)], part)
        np.testing.assert_array_equal(read(tile), twin)
        np.testing.assert_array_equal(read(tile, rows, slice(1, 3)), twin[rows, 1:3])


@given(
    arrays(float, (3, 2), elements=values),
    arrays(float, (3, 2), elements=st.one_of(values, st.just(-np.inf))),
)
@settings(max_examples=50, deadline=None)
def test_what_another_process_knows_is_merged(own, others):
    tile, other = Tile((3, 2)), Tile((3, 2))
    tile.write(EVERYTHING, EVERYTHING, own)
    other.write(EVERYTHING, EVERYTHING, others)
    tile.merge(other.distances)
    np.testing.assert_array_equal(read(tile), np.where(others == -np.inf, own, others))


def store(budget, tmp_path=None):
    files = TileFiles(tmp_path, "metric") if tmp_path else None
    return TileStore(
        budget,
        shape=lambda key: (4, 4),
        names=lambda key: (f"a{key[0]}", f"a{key[1]}"),
        files=files,
    )


def put(tiles, key, value):
    with tiles.borrow([key]) as lent:
        lent[key].write(EVERYTHING, EVERYTHING, np.full((4, 4), float(value)))


def get(tiles, key):
    with tiles.borrow([key]) as lent:
        return read(lent[key])[0, 0]


def test_the_tiles_not_used_for_longest_give_way():
    tiles = store(budget=3 * 16)
    for number in range(3):
        put(tiles, (0, number), number)
    assert tiles.nbytes == 48
    assert get(tiles, (0, 0)) == 0  # used last now
    put(tiles, (1, 0), 7)
    assert [get(tiles, (0, number)) for number in (0, 2)] == [0, 2]
    assert get(tiles, (0, 1)) == -np.inf
    put(tiles, (2, 0), 0.1)  # eight bytes each: the tile alone is more than the budget
    assert tiles.nbytes == 0
    assert get(tiles, (2, 0)) == -np.inf


def test_tiles_over_the_budget_come_back_from_their_files(tmp_path):
    tiles = store(16, tmp_path)
    for number in range(4):
        put(tiles, (0, number), number)
    assert tiles.nbytes == 16
    assert [get(tiles, (0, number)) for number in range(4)] == [0, 1, 2, 3]
    tiles.save()
    assert len(list(tmp_path.rglob("*.npz"))) == 4


def test_a_lent_tile_is_waited_for():
    tiles = store(10**6)
    order = []

    def other():
        with tiles.borrow([(0, 1), (0, 0)]):
            order.append("other")

    with tiles.borrow([(0, 0)]):
        waiting = threading.Thread(target=other)
        waiting.start()
        waiting.join(0.05)
        with tiles.borrow([(5, 5)]):  # a tile that is not lent is available
            order.append("first")
    waiting.join()
    assert order == ["first", "other"]


def test_files_of_two_processes_are_joined(tmp_path):
    one, other = store(10**6, tmp_path), store(10**6, tmp_path)
    with one.borrow([(0, 0)]) as mine, other.borrow([(0, 0)]) as yours:
        mine[0, 0].write(slice(0, 1), EVERYTHING, np.full((1, 4), 1.0))
        yours[0, 0].write(slice(1, 2), EVERYTHING, np.full((1, 4), 0.1))
        one.save(mine)
        assert other.refresh(yours)
        assert not other.refresh(yours)
        yours[0, 0].write(slice(2, 3), EVERYTHING, np.full((1, 4), 2.0))
        mine[0, 0].write(slice(3, 4), EVERYTHING, np.full((1, 4), 3.0))
        other.save(yours)
        one.save(mine)
    assert read(store(1, tmp_path)._fetch((0, 0)))[:, 0].tolist() == [1.0, 0.1, 2.0, 3.0]


@pytest.fixture
def files(tmp_path):
    return TileFiles(tmp_path / "cache", "f00")


def test_damaged_files_are_not_trusted(files):
    path, tile = files.path("a", "b"), np.arange(64, dtype=np.uint16).reshape(8, 8)
    files.save(path, tile)
    np.testing.assert_array_equal(files.load(path, (8, 8), DTYPES), tile)
    assert files.load(path, (8, 9), DTYPES) is None
    whole = path.read_bytes()
    for damaged in (
        whole[:100],
        whole[:-10],
        b"",
        b"tea",
        whole.replace(bytes([9, 0, 10, 0]), bytes([9, 0, 11, 0])),
    ):
        assert damaged != whole
        path.write_bytes(damaged)
        assert files.load(path, (8, 8), DTYPES) is None
    for arrays_in_file in (
        {"distances": tile.astype(int)},
        {"other": tile},
        {"distances": tile.astype(object)},
    ):
        np.savez(path, **arrays_in_file)
        assert files.load(path, (8, 8), DTYPES) is None
    with zipfile.ZipFile(path, "w") as empty:
        empty.comment = b"no tile"
    assert files.load(path, (8, 8), DTYPES) is None
    assert files.load(files.path("a", "c"), (8, 8), DTYPES) is None


def test_an_interrupted_write_leaves_what_was_there(files, monkeypatch):
    path, old = files.path("a", "b"), np.zeros((2, 2), dtype=np.uint8)
    files.save(path, old)

    def killed(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("pathlib.Path.replace", killed)
    with pytest.raises(KeyboardInterrupt):
        files.save(path, old + np.uint8(1))
    monkeypatch.undo()
    np.testing.assert_array_equal(files.load(path, (2, 2), DTYPES), old)


def test_only_leftovers_of_our_own_names_are_swept(files):
    own = files.folder / f".a-b.npz.{atomic_write._HOST}{'0' * 24}.unfinished"
    others = [
        files.folder / name
        for name in ("1.unfinished", "thesis.unfinished", f"{'0' * 32}.unfinished", "a-b.npz.bak")
    ]
    for path in (own, *others):
        path.touch()
        os.utime(path, (0, 0))
    TileFiles(files.folder.parent, "f00")
    assert not own.exists()
    assert all(path.exists() for path in others)


def test_nothing_in_a_cache_is_a_link(files, tmp_path):
    tile, elsewhere = np.zeros((2, 2), dtype=np.uint8), tmp_path / "elsewhere"
    elsewhere.mkdir()
    (files.folder.parent / "linked").symlink_to(elsewhere)
    with pytest.raises(InvalidInput, match=r"linked, is a link to .*elsewhere.* Remove the link"):
        TileFiles(files.folder.parent, "linked")
    path, precious = files.path("a", "b"), elsewhere / "precious.npz"
    np.savez(precious, distances=tile)
    before = precious.read_bytes()
    path.symlink_to(precious)
    assert files.stamp(path) is None
    assert files.load(path, (2, 2), DTYPES) is None
    files.save(path, tile + np.uint8(1))  # replaces the link, and not what it leads to
    assert precious.read_bytes() == before
    np.testing.assert_array_equal(files.load(path, (2, 2), DTYPES), tile + 1)
    (tmp_path / "by_link").symlink_to(
        files.folder.parent
    )  # the directory itself is the user's choice
    np.testing.assert_array_equal(
        TileFiles(tmp_path / "by_link", "f00").load(path, (2, 2), DTYPES), tile + 1
    )


@pytest.mark.parametrize("wrong", [np.nan, -1.0, np.inf, -0.5])
def test_impossible_tiles_are_refused(wrong):
    tile = np.ones((3, 3))
    assert is_possible(tile, mirrored=False)
    tile[0, 2] = wrong
    assert not is_possible(tile, mirrored=False)
    assert is_possible(np.where(tile == wrong, -np.inf, tile), mirrored=False) or np.isnan(wrong)


def test_mirrored_tiles_are_symmetric_with_zeros_on_the_diagonal():
    tile = np.array([[0.0, 1.0, -np.inf], [1.0, 0.0, 2.0], [-np.inf, 2.0, 0.0]])
    assert is_possible(tile, mirrored=True)
    for i, j, value in ((0, 1, 2.0), (0, 2, 1.0), (1, 1, 1.0)):
        wrong = tile.copy()
        wrong[i, j] = value
        assert not is_possible(wrong, mirrored=True)
        assert is_possible(wrong, mirrored=False)
    whole = np.array([[0, 3], [4, 0]], dtype=np.uint8)
    assert not is_possible(whole, mirrored=True)


def test_tiles_are_kept_if_another_one_cannot_be_read(tmp_path):
    put(written := store(10**6, tmp_path), (0, 1), 3.0)
    written.save()
    tiles = store(10**6, tmp_path)

    def refuse(key, distances):
        raise InvalidInput("stale", advice="", value=key)

    tiles.agrees = refuse
    put(tiles, (0, 0), 7.0)
    with pytest.raises(InvalidInput, match="stale"), tiles.borrow([(0, 0), (0, 1)]):
        pass
    assert get(tiles, (0, 0)) == 7.0
    assert tiles.nbytes == 16


def test_a_full_disk_is_noticed_before_and_while_writing(files, monkeypatch):
    tile = np.zeros((2, 2))
    monkeypatch.setattr(tiles, "disk_usage", lambda path: type("Usage", (), {"free": 31}))
    with pytest.raises(InvalidInput, match=r"32 bytes more; 31 bytes are free .* cache=None"):
        files.save(files.path("a", "b"), tile)
    monkeypatch.undo()

    def full(*_, **__):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(np, "savez", full)
    with pytest.raises(InvalidInput, match="No space left"):
        files.save(files.path("a", "b"), tile)
    assert list(files.folder.iterdir()) == []


def test_a_cache_must_be_a_directory(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(InvalidInput, match="may write to"):
        TileFiles(tmp_path / "file", "f00")


def test_files_follow_a_new_name(files):
    for rows, columns in (("a", "a"), ("a", "b"), ("c", "a"), ("b", "c")):
        files.save(files.path(rows, columns), np.zeros((1, 1), dtype=np.uint8))
    taken = files.path("new", "b")
    taken.touch()
    files.rename("a", "new", ["b", "c", "new"])
    names = sorted(path.stem for path in files.folder.iterdir())
    assert names == ["a-b", "b-c", "c-new", "new-b", "new-new"]
    assert (
        taken.stat().st_size == 0
    )  # what another process knows under that name is not overwritten
    assert files.size({"b", "c"}) == files.path("b", "c").stat().st_size
