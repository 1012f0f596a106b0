"""Named rows: one number of ours beside the same of a peer, from one run, with the noise of the
comparison.

A benchmark with rows has a function ``rows(facts)``. The front page, the comparison of two results
and the page of rows in which a peer is ahead are made of them.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module
from math import copysign, exp, inf, log
from typing import Any

from benchmarks.pages import MODULES

#: Differences of so many standard errors are no noise.
NOISE = 2.0
#: Times in one run of a shared machine differ by as much, as a share; where a row does not say
#: better.
TIMING_NOISE = 0.1


@dataclass(frozen=True, kw_only=True)
class Row:
    """One comparison.

    ``unit`` says what is compared; units that end in "right" are better if larger, all others if
    smaller. Times, rates, calls and bytes are compared by their ratio, shares by their difference.
    ``noise`` is one standard error: of the difference for shares, of the logarithm of the ratio for
    the others; ``own_noise`` that of our number alone, by which two results are compared.
    """

    topic: str
    key: str
    ours: float
    peer: str
    theirs: float
    unit: str
    noise: float
    own_noise: float | None = None
    installable: bool = False

    @property
    def can_be_compared(self) -> bool:
        """Whether there is a ratio: what is too small to be measured, a peak of 0 bytes for
        instance, has none.
        """
        return self.is_share or min(self.ours, self.theirs) > 0

    @property
    def is_share(self) -> bool:
        return self.unit.startswith("%")

    @property
    def ratio(self) -> float:
        return self.ours / self.theirs

    @property
    def difference(self) -> float:
        return self.ours - self.theirs

    @property
    def advantage(self) -> float:
        """By how much ours is better, as a difference of shares or a logarithm of ratios; negative
        if the peer is ahead.
        """
        gap = self.difference if self.is_share else log(self.ratio)
        return gap if self.unit.endswith("right") else -gap

    @property
    def lead(self) -> float:
        """By how many standard errors ours is better; negative if the peer is ahead."""
        better = self.advantage
        if better == 0:
            return 0.0
        return better / self.noise if self.noise > 0 else copysign(inf, better)

    @property
    def is_behind(self) -> bool:
        return self.lead < -NOISE

    @property
    def is_ahead(self) -> bool:
        return self.lead > NOISE

    def shown(self) -> str:
        """Ours beside the peer's, in words."""
        if self.is_share:
            return (
                f"{self.ours:.1f} beside {self.theirs:.1f} ({self.difference:+.1f} ± "
                f"{self.noise:.1f}) {self.unit}"
            )
        times = (
            f"{self.ratio:.2f} times, from {self.ratio * exp(-self.noise):.2f} to "
            f"{self.ratio * exp(self.noise):.2f}"
        )
        return f"{self.ours:.3g} beside {self.theirs:.3g} {self.unit} ({times})"


def counted(rows: list[Row]) -> dict[str, int]:
    """How many rows are ahead, behind, and neither."""
    ahead, behind = sum(row.is_ahead for row in rows), sum(row.is_behind for row in rows)
    return {"ahead": ahead, "behind": behind, "even": len(rows) - ahead - behind}


def rows_of(benchmark: str, facts: Any) -> list[Row]:
    """The rows of one result; none if its benchmark has no such function, or the result is of an
    older form.

    Rows without a ratio are left out.
    """
    found = getattr(import_module(MODULES[benchmark]), "rows", None)
    rows = [] if found is None or set(facts) == {"page"} else list(found(facts))
    return [row for row in rows if row.can_be_compared]


def all_rows(results: dict[str, Any]) -> Iterator[tuple[str, Row]]:
    """The rows of results, each with the name of its benchmark."""
    for benchmark, result in results.items():
        if benchmark in MODULES:
            yield from ((benchmark, row) for row in rows_of(benchmark, result["facts"]))
