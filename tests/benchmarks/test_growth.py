"""Powers of n: what is fitted, when the next size is tried, and what is compared with a peer."""

import pytest


@pytest.fixture
def growth(benchmark_module):
    return benchmark_module("growth.growth")


def series(power, sizes=(1000, 3000, 9000), scale=1e-6):
    return {str(n): {"fit": scale * n**power, "peak": 8.0 * n**2, "answer": 1e-5} for n in sizes}


@pytest.mark.parametrize("power", [1.0, 1.5, 2.0])
def test_the_power_of_a_power_is_found(growth, power):
    value, spread = growth.exponent(series(power), "fit")
    assert value == pytest.approx(power)
    assert spread == pytest.approx(0, abs=1e-9)


def test_failed_fits_and_small_peaks_do_not_count(growth):
    found = series(1.0) | {"27000": {"failed": "more than 300 s of CPU"}}
    assert growth.exponent(found, "fit")[0] == pytest.approx(1.0)
    assert growth.exponent(found, "peak", least=8.0 * 5000**2) is None


def test_the_next_size_is_expected_to_grow_as_the_last_did(growth):
    assert growth.expected({}, 1000) == 0.0
    assert growth.expected(series(2.0), 90_000) == pytest.approx(1e-6 * 90_000**2)
    assert growth.expected(series(0.5), 90_000) == pytest.approx(
        10 * 1e-6 * 9000**0.5
    )  # not less than n


def test_sizes_go_on_while_time_allows(growth, monkeypatch):
    monkeypatch.setattr(growth, "kept", lambda benchmark, name, measure: measure())
    monkeypatch.setattr(growth, "methods", lambda kind: ["quadratic", "failing"])
    took = {
        "quadratic": lambda n: {"fit": 1e-6 * n**2, "peak": 1, "answer": 1},
        "failing": lambda n: {"failed": "no"},
    }
    monkeypatch.setattr(growth, "fit", lambda method, kind, n, most: took[method](n))
    found = growth.fits((1000, 3000, 9000, 27_000), 100.0)["kinds"]["vectors"]
    assert list(found["quadratic"]) == ["1000", "3000", "9000"]
    assert found["failing"] == {"1000": {"failed": "no"}}


def test_nothing_begins_that_would_take_all_fits_beyond_their_time(growth, monkeypatch):
    monkeypatch.setattr(growth, "kept", lambda benchmark, name, measure: measure())
    monkeypatch.setattr(growth, "methods", lambda kind: ["slow", "fast"])
    seconds = {"slow": 40.0, "fast": 0.1}
    clock = {"now": 0.0}
    monkeypatch.setattr(growth, "cpu_seconds", lambda: clock["now"])

    def fit(method, kind, n, most):
        clock["now"] += seconds[method] * n / 1000
        return {"fit": seconds[method] * n / 1000, "peak": 1, "answer": 1}

    monkeypatch.setattr(growth, "fit", fit)
    found = growth.fits((1000, 2000), 300.0, most_minutes=2)["kinds"]
    assert [list(each["slow"]) for each in found.values()] == [["1000"]] * 2
    assert [list(each["fast"]) for each in found.values()] == [["1000", "2000"]] * 2


def test_ours_stand_beside_the_peer_at_the_largest_size_of_both(growth):
    facts = {"kinds": {"vectors": {"lp": series(2.0), "SVC": series(1.0, (1000, 3000))}}}
    found = {row.key: row for row in growth.rows(facts)}
    row = found["growth: vectors, lp, fit, n = 3,000"]
    assert row.ratio == pytest.approx(3000)
    assert row.is_behind
