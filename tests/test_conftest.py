"""Of a product of parameters, `make test` runs a sample in which each value occurs."""

import pytest
from conftest import pytest_collection_modifyitems

pytest_plugins = "pytester"

TOY = """
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks

@pytest.fixture(params=["hot", "cold"])
def served(request):
    return request.param

@pytest.mark.parametrize("size", [1, 2, 3])
@pytest.mark.parametrize("drink", ["tea", "rum"])
def test_product(drink, size): ...

@pytest.mark.parametrize(("drink", "size"), [("tea", 1), ("tea", 2), ("rum", 1), ("rum", 2)])
def test_pairs(drink, size): ...

@pytest.mark.parametrize("size", [1, True, 1.0])
def test_with_a_fixture(served, size): ...

@pytest.mark.few(2)
@pytest.mark.parametrize("size", [1, pytest.param(2, marks=pytest.mark.slow), 3, 4, 5])
def test_few(size): ...

@parametrize_with_checks([DummyClassifier(), DummyClassifier(strategy="uniform")])
def test_of_scikit_learn(estimator, check): ...
"""


@pytest.mark.filterwarnings("ignore:Unknown pytest.mark")  # the toy's settings know none of ours
def test_each_value_of_a_product_is_short_and_nothing_is_lost(pytester, request):
    items = pytester.getitems(TOY)
    pytest_collection_modifyitems(request.config, items)
    short, slow = (
        [each.name for each in items if is_slow(each) == which] for which in (False, True)
    )
    of_scikit_learn = [[each for each in part if "scikit" in each] for part in (short, slow)]
    assert [each for each in short if each not in of_scikit_learn[0]] == [
        *(f"test_product[{each}]" for each in ("tea-1", "tea-2", "tea-3", "rum-1")),
        *(f"test_pairs[{each}]" for each in ("tea-1", "tea-2", "rum-1", "rum-2")),
        *(f"test_with_a_fixture[{each}]" for each in ("hot-1", "hot-True", "hot-1.0", "cold-1")),
        *("test_few[1]", "test_few[4]"),
    ]
    assert [each for each in slow if each not in of_scikit_learn[1]] == [
        *("test_product[rum-2]", "test_product[rum-3]"),
        *("test_with_a_fixture[cold-True]", "test_with_a_fixture[cold-1.0]"),
        *("test_few[2]", "test_few[3]", "test_few[5]"),
    ]
    assert_all_checks_are_tried_on_the_first_classifier(*of_scikit_learn)


def is_slow(item):
    return item.get_closest_marker("slow") is not None


def assert_all_checks_are_tried_on_the_first_classifier(short, slow):
    first, other = ("[DummyClassifier()-", "[DummyClassifier(strategy='uniform')-")
    assert sum(first in each for each in short) > 40
    assert sum(other in each for each in short) == 1
    assert not any(first in each for each in slow)
    assert sum(other in each for each in slow) == sum(first in each for each in short) - 1
