"""Models that learn from a part of a collection, certified on another part."""

import numpy as np
import pytest
from labelled_collections import array, bag, names, points

import wideberth
from wideberth import scaleout
from wideberth.errors import InvalidInput
from wideberth.scaleout.collections.learning_from_few import held_out


@pytest.mark.parametrize("by", ["sample", "net"])
def test_the_certificate_is_that_of_the_objects_set_aside(client, by):
    vectors, sides = points(600)
    model = wideberth.NeighborsClassifier(n_neighbors=3)
    X, y = array(vectors, 4), array(sides, 4)
    found = scaleout.learn_from_net(model, X, y, n_objects=100, by=by, radius=0.1, random_state=3)
    aside = np.concatenate([held_out(150, number, 0.2, 3) for number in range(4)])
    assert (found.n_learned, found.n_held_out, found.n_objects) == (100, 120, 600)
    assert found.certificates == wideberth.certify(model, vectors[aside], sides[aside], radius=0.1)
    assert not found.certificates[0].void
    learned = {tuple(row) for row in model._objects}
    assert learned <= {tuple(row) for row in vectors[~aside]}
    shares = [np.mean(sides[~aside] == label) for label in model.classes_]
    assert np.abs(np.bincount(model._codes) / 100 - shares).max() < 0.01  # as many of each class as there are


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
    found = scaleout.learn_from_net(wideberth.MarginNeighborsClassifier("levenshtein"), bag(objects, 3), bag(labels, 3))
    assert (found.n_learned, found.n_held_out) == (96, 24)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"n_objects": 0}, "n_objects=0"),
        ({"holdout": 1.0}, "holdout=1.0"),
        ({"by": "luck"}, "by='luck'"),
        ({"delta": 2}, "delta"),
    ],
)
def test_settings_that_mean_nothing(settings, message):
    with pytest.raises(InvalidInput, match=message):
        scaleout.learn_from_net(wideberth.NeighborsClassifier(), array(points(10)[0], 2), array(points(10)[1], 2), **settings)
