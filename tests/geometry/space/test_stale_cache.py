"""A cache never answers for a distance that has changed: not through anything that its code names,
nor through what it hides.
"""

import os
import shutil
import sys
import threading
import types
from functools import lru_cache, partial

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import wideberth
from wideberth.errors import InvalidInput, StaleCache
from wideberth.geometry.space import space, tiled_distances
from wideberth.geometry.space.fingerprint import fingerprint
from wideberth.geometry.space.space import MetricSpace
from wideberth.geometry.space.tiled_distances import MeasuredTile
from wideberth.metrics.metric import Metric

WORDS = ["a", "bb", "cccc", "dd", "e", "ffffff", "ggg"]


@pytest.fixture(autouse=True)
def small_tiles(monkeypatch):
    monkeypatch.setattr(space, "TILE_SIZE", 4)


def matrix(distance, cache):
    """All distances that a space with a cache tells, and how many it measured."""
    made = MetricSpace(
        WORDS, wideberth.metric(distance, obeys_triangle=True), cache=cache, n_jobs=1
    )
    return made.metric.block(made.index, made.index), made.distance_calls


def right(distance):
    return np.array([[distance(one, other) for other in WORDS] for one in WORDS])


def module_with(source, name="of_a_user", **values):
    """A module of a user."""
    made = types.ModuleType(name)
    vars(made).update(values)
    exec(source, vars(made))  # noqa: S102
    return made


LENGTHS = "abs(len(a) - len(b)) + (a != b)"


def by_global(gap):
    return module_with(f"def d(a, b): return GAP * ({LENGTHS})", GAP=gap).d


def by_closure(gap):
    return module_with(f"def far(gap):\n    return lambda a, b: gap * ({LENGTHS})").far(gap)


def by_default(gap):
    return module_with(f"def d(a, b, *, gap=GAP): return gap * ({LENGTHS})", GAP=gap).d


def by_function_of_a_function(gap):
    return module_with(
        f"def d(a, b): return e() * ({LENGTHS})\ndef e(): return f()\ndef f(): return GAP", GAP=gap
    ).d


def by_inner_function(gap):
    return module_with(
        f"def d(a, b): return sum([(lambda: GAP)() for _ in range(1)]) * ({LENGTHS})", GAP=gap
    ).d


def by_circle(gap):
    source = (
        f"def d(a, b, n=2): return e(a, b, n - 1) if n else GAP * ({LENGTHS})\ndef e(a, b, n): "
        "return d(a, b, n)"
    )
    return module_with(source, GAP=gap).d


def by_module(gap):
    return module_with(
        f"def d(a, b): return s.GAP * ({LENGTHS})", s=module_with("", "settings", GAP=gap)
    ).d


def by_inner_module(gap):
    inner = module_with("", "package.settings", GAP=gap)
    return module_with(
        f"def d(a, b): return p.settings.GAP * ({LENGTHS})",
        p=module_with("", "package", settings=inner),
    ).d


def by_name_of_an_attribute(gap):
    return module_with(
        f"def d(a, b): return getattr(s, 'GAP') * ({LENGTHS})",
        s=module_with("", "settings", GAP=gap),
    ).d


def by_attribute_of_the_function(gap):
    made = module_with(f"def d(a, b): return d.gap * ({LENGTHS})").d
    made.gap = gap
    return made


def by_class(gap):
    return module_with(
        f"class Settings:\n    gap = GAP\ndef d(a, b): return Settings.gap * ({LENGTHS})", GAP=gap
    ).d


def by_parent(gap):
    source = (
        "class Parent:\n    @property\n    def gap(self): return GAP\nclass Settings(Parent): "
        "pass\n"
    )
    return module_with(f"{source}def d(a, b): return Settings().gap * ({LENGTHS})", GAP=gap).d


def by_list(gap):
    made = module_with(f"def d(a, b): return GAPS[0] * ({LENGTHS})", GAPS=[0])
    made.GAPS[0] = gap
    return made.d


def by_array(gap):
    return module_with(
        f"def d(a, b): return float(GAPS.sum()) * ({LENGTHS})", GAPS=np.array([gap, 0.0])
    ).d


def by_method_in_c(gap):
    return module_with(f"def d(a, b): return get('gap') * ({LENGTHS})", get={"gap": gap}.get).d


def by_partial(gap):
    return partial(module_with(f"def d(gap, a, b): return gap * ({LENGTHS})").d, gap)


def by_memory(gap):
    return lru_cache(by_global(gap))


def by_decorated_helper(gap):
    return module_with(
        f"def d(a, b): return e() * ({LENGTHS})",
        e=lru_cache(module_with("def e(): return GAP", GAP=gap).e),
    ).d


def by_import(gap):
    sys.modules["settings_of_a_user"] = module_with("", "settings_of_a_user", GAP=gap)
    return module_with(
        f"def d(a, b):\n    from settings_of_a_user import GAP\n    return GAP * ({LENGTHS})"
    ).d


def by_order_of_a_dictionary(gap):
    rules = {"c": gap, "cc": 6 - gap} if gap == 1 else {"cc": gap, "c": 6 - gap}  # the same rules
    source = (
        "def kind(a): return next((RULES[part] for part in RULES if part in a), 0)\ndef d(a, b): "
        "return abs(kind(a) - kind(b))"
    )
    return module_with(f"{source} + ({LENGTHS})", RULES=rules).d


GUARDED = f"""
def e(a, b): return 1 / ((a == "e") == (b == "e")) - 1
def d(a, b):
    try:
        FIRST v = {LENGTHS}
        except ZeroDivisionError: return 1.0
    except ZeroDivisionError: return 5.0
    return u + v
"""


def by_handler_of_exceptions(gap):
    """The same instructions, of which the inner handler guards more or fewer."""
    first = "try: u = e(a, b);" if gap == 1 else "u = e(a, b)\n        try:"
    return module_with(GUARDED.replace("FIRST", first)).d


def by_order_of_categories(gap):
    graded = pd.Series(
        ["cccc"], dtype=pd.CategoricalDtype(["x", "cccc"] if gap > 1 else ["cccc", "x"])
    )
    source = (
        "def rank(a): return 5.0 * GRADED.cat.codes[0] * (a == 'cccc')\ndef d(a, b): return "
        "abs(rank(a) - rank(b))"
    )
    return module_with(f"{source} + ({LENGTHS})", GRADED=graded).d


WAYS = [value for name, value in list(globals().items()) if name.startswith("by_")]


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
def test_a_value_that_a_distance_names_is_part_of_it(way, tmp_path):
    prints = []
    for gap in (1.0, 5.0):
        distance = way(gap)
        prints.append(fingerprint(wideberth.metric(distance)))
        assert fingerprint(wideberth.metric(way(gap))) == prints[-1]
        found, measured = matrix(distance, tmp_path)
        np.testing.assert_array_equal(found, right(distance))
        assert measured == len(WORDS) * (len(WORDS) - 1) // 2
        assert matrix(way(gap), tmp_path)[1] == 0  # and the same value is recognised
    assert prints[0] != prints[1]
    sys.modules.pop("settings_of_a_user", None)


@settings(
    max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    states=st.lists(
        st.tuples(st.integers(0, 2), st.integers(0, 2), st.integers(0, 2)), min_size=2, max_size=5
    )
)
def test_whatever_changes_between_spaces_the_distances_are_right(states, tmp_path_factory):
    cache = tmp_path_factory.mktemp("cache")
    source = (
        f"def d(a, b): return GAP * ({LENGTHS}) + e(a, b)\ndef e(a, b): return (a != b) * "
        "(TABLE['extra'] + s.OFFSET)"
    )
    made = module_with(source, GAP=1, TABLE={"extra": 0}, s=module_with("", "settings", OFFSET=0))
    for made.GAP, made.TABLE["extra"], made.s.OFFSET in states:
        np.testing.assert_array_equal(matrix(made.d, cache)[0], right(made.d))


class Scaled(Metric):
    """A metric of a user, with state that is no parameter."""

    def __init__(self, factor=1.0):
        self.factor = factor
        self.extra = 0.0

    def _measure(self, left, right):
        return np.array(
            [
                [self.factor * abs(len(a) - len(b)) + self.extra * (a != b) for b in right]
                for a in left
            ],
            dtype=float,
        )


def test_attributes_of_a_metric_that_are_no_parameters_count():
    one, other = Scaled(), Scaled()
    assert fingerprint(one) == fingerprint(other)
    other.extra = 1.0
    assert fingerprint(one) != fingerprint(other)


def test_what_cannot_be_encoded_counts_by_its_type_where_code_only_names_it():
    one, other = (
        module_with(f"def d(a, b):\n    with LOCK: return {LENGTHS}", LOCK=threading.Lock()).d
        for _ in range(2)
    )
    assert (
        fingerprint(one)
        == fingerprint(other)
        != fingerprint(module_with(f"def d(a, b):\n    with LOCK: return {LENGTHS}", LOCK=1).d)
    )


def test_installed_packages_count_by_their_version(monkeypatch):
    distance = module_with("def d(a, b): return np.abs(np.subtract(len(a), len(b)))", np=np).d
    before = fingerprint(distance)
    monkeypatch.setattr(
        "wideberth.geometry.space.fingerprint._installed_version", lambda package, module: "99"
    )
    assert fingerprint(distance) != before


@pytest.mark.slow
def test_chains_of_functions_may_be_long():
    source = "\n".join(f"def f{i}(x): return f{i + 1}(x)" for i in range(2000))
    one, other = (module_with(f"{source}\ndef f2000(x): return {gap}").f0 for gap in (1, 5))
    assert fingerprint(one) != fingerprint(other)


def hidden(path):
    """A distance with a value that no fingerprint sees."""
    return module_with(
        f"def d(a, b):\n    with open({str(path)!r}) as file: return float(file.read()) * "
        f"({LENGTHS})"
    ).d


def test_what_a_fingerprint_does_not_see_is_measured(tmp_path):
    path, cache = tmp_path / "gap.txt", tmp_path / "cache"
    path.write_text("1.0")
    matrix(hidden(path), cache)
    path.write_text("5.0")
    with pytest.raises(
        StaleCache,
        match=r"objects \d and \d of the space is stored as .*, and 'd' now measures .*cache=None",
    ) as stale:
        matrix(hidden(path), cache)
    left, other = stale.value.witness
    assert stale.value.value == (
        right(hidden(path))[left, other] / 5,
        right(hidden(path))[left, other],
    )
    np.testing.assert_array_equal(
        matrix(hidden(path), None)[0], right(hidden(path))
    )  # as the advice says
    (folder,) = cache.iterdir()
    assert str(folder) in stale.value.advice
    shutil.rmtree(folder)
    np.testing.assert_array_equal(matrix(hidden(path), cache)[0], right(hidden(path)))
    path.write_text("1.0")
    with pytest.raises(StaleCache):
        matrix(hidden(path), cache)


def test_a_distance_that_depends_on_the_order_is_found_when_its_tiles_are_read(tmp_path):
    distance = module_with(
        "def d(a, b): return float(len(a)) if a < b else 2.0 * len(b) if a > b else 0.0"
    ).d
    matrix(distance, tmp_path)
    with pytest.raises(StaleCache, match="the order of the two"):
        matrix(distance, tmp_path)


def test_few_distances_are_measured_again_and_each_file_is_tried_once(tmp_path):
    calls = []

    def gap(left, right):
        os.environ["WIDEBERTH_TRIED"] = str(
            int(os.environ.get("WIDEBERTH_TRIED", "0")) + len(left) * len(right)
        )
        return np.abs(np.subtract.outer(left, right)).astype(float)

    os.environ["WIDEBERTH_TRIED"] = "0"
    try:
        for _ in range(2):
            made = MetricSpace(
                np.arange(64.0),
                Metric(gap, obeys_triangle=True),
                cache=tmp_path,
                n_jobs=1,
                max_memory=64,
            )
            for _ in range(3):  # tiles go to their files and come back
                made.metric.block(made.index, made.index)
            tiles, measured = 16 * 17 // 2, made.distance_calls
            calls.append((measured, int(os.environ["WIDEBERTH_TRIED"])))
            del made
    finally:
        del os.environ["WIDEBERTH_TRIED"]
    (first, all_of_first), (second, all_of_both) = calls
    assert first == all_of_first == 64 * 63 // 2
    assert second == 0
    assert 0 < all_of_both - all_of_first <= tiled_distances.TRIED * tiles


@pytest.mark.parametrize("wrong", [np.nan, -1.0, np.inf])
@pytest.mark.parametrize("which", range(3))
def test_tiles_with_impossible_values_are_measured_again(wrong, which, tmp_path):
    distance = by_global(0.5)
    matrix(distance, tmp_path)
    file = sorted(tmp_path.rglob("*.npz"))[which]
    with np.load(file) as stored:
        tile = stored["distances"].astype(float)
    tile[0, 1] = wrong
    np.savez(file, distances=tile)
    found, measured = matrix(distance, tmp_path)
    np.testing.assert_array_equal(found, right(distance))
    assert 0 < measured <= 12
    assert matrix(distance, tmp_path)[1] == 0


def test_tiles_that_are_not_symmetric_are_measured_again(tmp_path):
    distance = by_global(0.5)
    matrix(distance, tmp_path)
    for file in tmp_path.rglob("*.npz"):
        with np.load(file) as stored:
            tile = stored["distances"].copy()
        rows, columns = file.stem.split("-")
        if rows == columns:
            tile[0, 1] += 1
            np.savez(file, distances=tile)
    found, measured = matrix(distance, tmp_path)
    np.testing.assert_array_equal(found, right(distance))
    assert measured == 6 + 3


def test_a_change_while_a_space_lives_is_not_written(tmp_path):
    made = module_with(f"def d(a, b): return GAP * ({LENGTHS})", GAP=1.0)
    lives = MetricSpace(
        WORDS, wideberth.metric(made.d, obeys_triangle=True), cache=tmp_path, n_jobs=1
    )
    lives.metric.block([0], lives.index)
    lives._store.save()
    made.GAP = 5.0
    lives.metric.block(lives.index, lives.index)
    with pytest.warns(
        RuntimeWarning, match="'d' names a value that has changed since the space was made"
    ):
        lives._store.save()
    del lives
    made.GAP = 1.0
    np.testing.assert_array_equal(matrix(made.d, tmp_path)[0], right(made.d))


def test_distances_of_objects_that_are_not_there_yet_are_refused(tmp_path):
    distance = by_global(1.0)
    made = MetricSpace(
        WORDS[:4], wideberth.metric(distance, obeys_triangle=True), cache=tmp_path, n_jobs=1
    )
    made.metric.block(made.append(WORDS[4:5]), made.index)
    made._store.save()
    for file in tmp_path.rglob("*.npz"):
        with np.load(file) as stored:
            tile = stored["distances"].copy()
        tile[tile == 255] = 77
        np.savez(file, distances=tile)
    del made
    again = MetricSpace(
        WORDS[:4], wideberth.metric(distance, obeys_triangle=True), cache=tmp_path, n_jobs=1
    )
    again.append(WORDS[4:5])
    again.metric.block(again.index, again.index)
    again.append(WORDS[5:7])
    np.testing.assert_array_equal(again.metric.block(again.index, again.index), right(distance))


def test_tiles_of_workers_with_another_version_of_the_distance_are_found_out(tmp_path, monkeypatch):
    distance = by_global(1.0)
    made = MetricSpace(
        WORDS, wideberth.metric(distance, obeys_triangle=True), cache=tmp_path, n_jobs=1
    )
    monkeypatch.setattr(tiled_distances, "goes_elsewhere", lambda seconds: True)

    def elsewhere(members, files, keys, *_, **__):
        for key in keys:
            rows, columns = (members.indices_of(block) for block in key)
            yield MeasuredTile(key, 1, 1.0, right(by_global(5.0))[np.ix_(rows, columns)])

    monkeypatch.setattr(tiled_distances, "measure_elsewhere", elsewhere)
    with pytest.raises(StaleCache, match="or workers have another version of it"):
        made.metric.block(made.index, made.index)


def test_the_folder_of_a_metric_is_no_link(tmp_path):
    distance, cache, elsewhere = by_global(1.0), tmp_path / "cache", tmp_path / "elsewhere"
    matrix(distance, cache)
    (folder,) = cache.iterdir()
    folder.rename(elsewhere)
    folder.symlink_to(elsewhere)
    before = {path.name: path.read_bytes() for path in elsewhere.iterdir()}
    with pytest.raises(InvalidInput, match="is a link to"):
        matrix(distance, cache)
    assert {path.name: path.read_bytes() for path in elsewhere.iterdir()} == before
