"""Models that learn from a part of a collection, certified on another part."""

from functools import partial

import dask
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from labelled_collections import array, bag, names, points

import wideberth
from wideberth import scaleout
from wideberth.errors import InvalidInput
from wideberth.scaleout.collections.fitting import _quotas, held_out


@pytest.mark.few(1)
@pytest.mark.parametrize("by", ["sample", "net"])
def test_the_certificate_is_that_of_the_objects_set_aside(client, by):
    vectors, sides = points(600)
    model = wideberth.NeighborsClassifier(n_neighbors=3)
    X, y = array(vectors, 4), array(sides, 4)
    found = scaleout.learn_from_net(model, X, y, n_objects=100, by=by, radius=0.1, random_state=3)
    aside = np.concatenate([held_out(150, number, 0.2, 3) for number in range(4)])
    assert (found.n_learned, found.n_held_out, found.n_objects) == (100, 120, 600)
    alone = wideberth.certify(model, vectors[aside], sides[aside], radius=0.1)
    assert [(each.value, each.statement) for each in found.certificates] == [
        (each.value, each.statement) for each in alone
    ]
    assert not found.certificates[0].void
    assert "cut in two at random" in found.certificates[0].assumptions[1]
    learned = {tuple(row) for row in model._objects}
    assert learned <= {tuple(row) for row in vectors[~aside]}
    shares = [np.mean(sides[~aside] == label) for label in model.classes_]
    assert (
        np.abs(np.bincount(model._codes) / 100 - shares).max() < 0.01
    )  # as many of each class as there are


def test_a_net_is_spread_wider_than_a_sample(client):
    vectors, _ = points(400)
    X, y = array(vectors, 2), array(np.zeros(400, dtype=int), 2)
    spread = {}
    for by in ("sample", "net"):
        model = wideberth.NeighborsClassifier(n_neighbors=1)
        scaleout.learn_from_net(model, X, y, n_objects=40, by=by)
        spread[by] = wideberth.Index(model._objects).nearest(vectors).distances.max()
    assert spread["net"] < spread["sample"]


def test_words_and_more_than_there_are(client):
    objects, labels = names(120)
    found = scaleout.learn_from_net(
        wideberth.MarginNeighborsClassifier("levenshtein"), bag(objects, 3), bag(labels, 3)
    )
    assert (found.n_learned, found.n_held_out) == (96, 24)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"n_objects": 0}, "n_objects=0"),
        ({"holdout": 1.0}, "holdout=1.0"),
        ({"by": "luck"}, "by='luck'"),
        ({"delta": 2}, "delta"),
    ],
)
def test_settings_that_mean_nothing(changed, message):
    with pytest.raises(InvalidInput, match=message):
        scaleout.learn_from_net(
            wideberth.NeighborsClassifier(),
            array(points(10)[0], 2),
            array(points(10)[1], 2),
            **changed,
        )


@pytest.mark.few(1)
@pytest.mark.parametrize("by", ["sample", "net"])
def test_partitions_of_one_class_each_give_as_many_as_asked(by):
    vectors, letters = points(1000)[0], np.repeat(list("abcdefghij"), 100)
    model = wideberth.NeighborsClassifier()
    found = scaleout.learn_from_net(
        model, array(vectors, 10), array(letters, 10), n_objects=200, by=by
    )
    assert found.n_learned == 200
    assert np.bincount(model._codes).tolist() == [20] * 10


def test_a_net_asks_again_where_equal_objects_leave_too_few():
    """Two partitions offer one object however often they have it: the third has to offer more than
    its part.
    """
    vectors = np.concatenate([np.zeros((200, 1)), np.arange(1.0, 101.0)[:, None]])
    model, y = wideberth.NeighborsClassifier(n_neighbors=1), np.zeros(300, dtype=int)
    found = scaleout.learn_from_net(model, array(vectors, 3), array(y, 3), n_objects=60, by="net")
    assert found.n_learned == 60
    assert len(np.unique(model._objects)) == 60
    found = scaleout.learn_from_net(model, array(vectors, 3), array(y, 3), n_objects=200, by="net")
    assert found.n_learned == 81  # all that are different


@settings(deadline=None)
@given(st.lists(st.integers(1, 200), min_size=1, max_size=12), st.integers(1, 400))
def test_quotas_are_shares_and_together_what_is_wanted(sizes, wanted):
    total, asked = sum(sizes), dict(enumerate(sizes))
    if wanted < len(sizes):
        with pytest.raises(
            InvalidInput, match=f"n_objects={wanted} is fewer than the {len(sizes)} classes"
        ):
            _quotas(asked, wanted)
        return
    quotas = _quotas(asked, wanted)
    assert sum(quotas.values()) == min(wanted, total)
    assert all(1 <= quotas[label] <= size for label, size in asked.items())
    shares = [min(wanted, total) * size / total for size in sizes]
    if min(shares) >= 1:
        assert all(abs(quotas[label] - share) < 1 for label, share in enumerate(shares))


@pytest.mark.few(1)
@pytest.mark.parametrize("by", ["sample", "net"])
def test_what_cannot_be_learned_from_is_named_where_it_is(by):
    objects, labels = names(300)
    learn = partial(
        scaleout.learn_from_net,
        wideberth.NeighborsClassifier("levenshtein"),
        by=by,
        n_objects=290,
        holdout=0.02,
    )
    with pytest.raises(
        InvalidInput, match=r"Partition 3, object 7 of it, None: it is not a string"
    ) as caught:
        learn(bag([*objects[:157], None, *objects[158:]], 6), bag(labels, 6))
    assert (caught.value.partition, caught.value.witness) == (3, 7)
    with pytest.raises(
        InvalidInput, match=r"Partition 3, object 7 of it, '.*': it has no label: None"
    ):
        learn(bag(objects, 6), bag([*labels[:157], None, *labels[158:]], 6))
    with pytest.raises(InvalidInput, match="Labels of kinds int, str cannot be sorted"):
        learn(bag(objects[:4], 2), bag([1, 2, "1", "2"], 2))
    with pytest.raises(InvalidInput, match="no objects to learn from"):
        learn(*([dask.delayed([]), dask.delayed([])] for _ in "Xy"))


def test_an_object_set_aside_is_named_where_it_is():
    """The model learned from others, and fails on one of those that prove how good it is."""
    vectors, sides = points(40)
    place = 10 + int(np.flatnonzero(held_out(10, 1, 0.2, 0))[1])
    vectors[place] = 1000.0
    model = wideberth.NeighborsClassifier(
        wideberth.Metric(no_thousands, name="fussy"), n_neighbors=1, calibrate=None
    )
    with pytest.raises(
        InvalidInput, match=f"Partition 1, object {place - 10} of it, .*: RuntimeError: a thousand"
    ):
        scaleout.learn_from_net(model, array(vectors, 4), array(sides, 4), n_objects=20)


def no_thousands(left, right):
    left, right = np.asarray(left), np.asarray(right)
    if (left == 1000.0).any() or (right == 1000.0).any():
        raise RuntimeError("a thousand")
    return np.abs(left[:, None] - right[None]).sum(axis=2)
