"""Prices learned from sales and refusals: contextual search beside fixed markups and online
gradient descent.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol

import numpy as np

import wideberth as wb
from benchmarks.folders import PAGES
from benchmarks.results import Facts
from benchmarks.timing import table

DIMENSIONS, ROUNDS, SEEDS = 4, 2_000, 5
MARKS = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000]
#: Below this range of possible values, in units of the largest value, a price is the lowest
#: possible value: it is paid for sure.
NARROW = 0.002


class Seller(Protocol):
    """Names a price for an offer, and is told whether it was paid."""

    def price(self, offer: Any) -> float: ...

    def told(self, offer: Any, price: float, *, paid: bool) -> None: ...


class Searching:
    """Guesses while the value is uncertain, and the lowest possible value when it is nearly
    known.
    """

    def __init__(self, seed: int) -> None:
        self.learner, self.started = wb.ContextualSearch(random_state=seed), False

    def price(self, offer: Any) -> float:
        low, high = self.learner.value_range(offer)
        largest = float(np.linalg.norm(offer))
        return (
            low if self.started and high - low < NARROW * largest else self.learner.guess_one(offer)
        )

    def told(self, offer: Any, price: float, *, paid: bool) -> None:
        self.learner.learn_one(offer, too_high=not paid, guess=price)
        self.started = True


class Markup:
    """The cost of an offer, which is known and a rough guide to its value, times a fixed factor."""

    def __init__(self, factor: float, costs: Any) -> None:
        self.factor, self.costs = factor, costs

    def price(self, offer: Any) -> float:
        return float(self.factor * offer @ self.costs)

    def told(self, offer: Any, price: float, *, paid: bool) -> None:
        pass


class Descending:
    """Weights that move along the offer, up after a sale and down after a refusal: the gradient of
    the absolute error.
    """

    def __init__(self, step: float, d: int) -> None:
        self.step, self.weights, self.rounds = step, np.zeros(d), 0

    def price(self, offer: Any) -> float:
        return float(offer @ self.weights)

    def told(self, offer: Any, price: float, *, paid: bool) -> None:
        self.rounds += 1
        self.weights += (self.step if paid else -self.step) / np.sqrt(self.rounds) * offer


def sellers(seed: int, costs: Any) -> dict[str, Callable[[], Seller]]:
    markups = {f"markup of {round(100 * (factor - 1))} %": factor for factor in (1.2, 1.5, 2.0)}
    steps = {f"gradient descent, step {step:g}": step for step in (0.1, 0.3, 1.0)}
    return {
        "contextual search": lambda: Searching(seed),
        **{name: lambda factor=factor: Markup(factor, costs) for name, factor in markups.items()},
        **{name: lambda step=step: Descending(step, DIMENSIONS) for name, step in steps.items()},
    }


def play(seller: Seller, offers: Any, worth: Any) -> dict[str, list[float]]:
    """What was not earned, and how far prices were off, up to each mark."""
    missed, off = [], []
    for offer in offers:
        value, price = float(offer @ worth), seller.price(offer)
        paid = price <= value
        missed.append(value - (max(price, 0.0) if paid else 0.0))
        off.append(abs(value - price))
        seller.told(offer, price, paid=paid)
    return {
        "missed": np.cumsum(missed)[np.array(MARKS) - 1].tolist(),
        "off": np.cumsum(off)[np.array(MARKS) - 1].tolist(),
    }


def measure() -> Facts:
    found: dict[str, list[dict[str, list[float]]]] = {}
    values = []
    for seed in range(SEEDS):
        generator = np.random.default_rng(seed)
        worth = generator.random(DIMENSIONS)
        worth *= 0.9 / np.linalg.norm(worth)
        costs = worth * generator.uniform(
            0.45, 0.85, size=DIMENSIONS
        )  # what things cost is only a rough guide to their value
        offers = generator.random((ROUNDS, DIMENSIONS))
        offers /= np.linalg.norm(offers, axis=1, keepdims=True)
        values.append(float((offers @ worth).sum()))
        for name, seller in sellers(seed, costs).items():
            found.setdefault(name, []).append(play(seller(), offers, worth))
    curves = {
        name: {key: np.mean([game[key] for game in games], axis=0) for key in games[0]}
        for name, games in found.items()
    }
    return {
        "curves": curves,
        "worth": float(np.mean(values)),
        "rounds": ROUNDS,
        "seeds": SEEDS,
        "d": DIMENSIONS,
    }


def page(facts: Facts) -> str:
    places = [MARKS.index(mark) for mark in (10, 100, 1_000, 2_000)]
    body = []
    for name, curve in facts["curves"].items():
        missed = [f"{curve['missed'][place]:,.2f}" for place in places]
        body.append(
            [
                name,
                *missed,
                f"{100 * curve['missed'][-1] / facts['worth']:.2f} %",
                f"{curve['off'][-1]:,.2f}",
            ]
        )
    header = [
        "seller",
        "after 10",
        "after 100",
        "after 1,000",
        "after 2,000",
        "of all values",
        "prices off by, in all",
    ]
    return f"""# Pricing by contextual search

From `python -m benchmarks pricing`. Offers have {facts["d"]} features; an offer is worth a hidden linear function of them to
the buyer, who pays if the price is not above that. The seller is told nothing else. Not earned: the value of a refused offer,
or what was left of it above the price; mean of {facts["seeds"]} hidden vectors, {facts["rounds"]:,} offers each, all together
worth {facts["worth"]:,.0f}.

*Contextual search* names the guesses of `wideberth.ContextualSearch`, and the lowest possible value (`value_range`) once that
is within 0.2 % of the largest value. *Markups* are on the cost of an offer, which is 45 to 85 % of the value of each feature
and known. *Gradient descent* moves its weights by the step over the root of the number of rounds, up after a sale and down
after a refusal.

{table(header, body)}

![What was not earned, against the number of offers](pricing.svg)
"""


def draw_from(facts: Facts) -> None:
    """What was not earned against the number of offers."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    from wideberth.plots import OnlineLossDisplay

    with mpl.rc_context({"svg.hashsalt": "pricing", "svg.fonttype": "none", "font.size": 8}):
        figure = Figure(figsize=(6, 4), layout="constrained")
        panel = figure.subplots()
        for name, curve in facts["curves"].items():
            ours = name == "contextual search"
            display = OnlineLossDisplay(
                losses=np.diff(curve["missed"], prepend=0),
                rounds=MARKS,
                name=name,
                loss_name="not earned",
            )
            display.plot(panel, linestyle="-" if ours else "--", linewidth=2.2 if ours else 1.0)
        panel.set(yscale="log", xlabel="offers")
        panel.grid(alpha=0.25)
        figure.savefig(Path(PAGES) / "pricing.svg", metadata={"Date": None})
