"""The tables of the automatic choice beside its peers, from the outcomes of all halves."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from benchmarks.results import Facts
from benchmarks.timing import table

OURS = "AutoClassifier"
#: Points of error by which the automatic choice should at most be behind the best peer.
ALLOWED = 2.0
#: The halves of 5 x 2-fold cross-validation.
HALVES = 10
#: Errors in % that differ by less are equal.
EQUAL = 1e-9


@dataclass(frozen=True)
class Row:
    """The outcomes on one set, for each method those of the halves that all methods have."""

    name: str
    outcomes: dict[str, list[Facts]]

    @property
    def size(self) -> str:
        """Objects, classes and halves."""
        first, halves = self.outcomes[OURS][0], len(self.outcomes[OURS])
        return (
            f"{first['known'] + first['asked']:,} / {first['classes']} / "
            f"{halves if halves > 1 else 'archive'}"
        )

    def errors(self, method: str) -> list[float]:
        """In percent, one for each half."""
        return [100 * each["wrong"] / each["asked"] for each in self.outcomes[method]]

    def error(self, method: str) -> float:
        return float(np.mean(self.errors(method)))

    @property
    def best_peer(self) -> str:
        return min((method for method in self.outcomes if method != OURS), key=self.error)

    @property
    def gap(self) -> float:
        """How many points the automatic choice is behind the best peer; negative if it is ahead."""
        return self.error(OURS) - self.error(self.best_peer)

    @property
    def noise(self) -> float:
        """The standard error of the gap."""
        return self.noise_beside(self.best_peer)

    def noise_beside(self, peer: str) -> float:
        """The standard error of the difference to a peer."""
        return float(np.hypot(self.own_noise(OURS), self.own_noise(peer)))

    def own_noise(self, method: str) -> float:
        """The standard error of an error in percent, by the objects of all halves as if they were
        different ones.
        """
        asked, share = (
            sum(each["asked"] for each in self.outcomes[method]),
            self.error(method) / 100,
        )
        return 100 * float(np.sqrt(share * (1 - share) / asked))

    def rank(self, method: str) -> float:
        """Among the methods that ran here, 1 for the fewest errors; equal ones share the mean of
        their ranks.
        """
        mine, all_errors = self.error(method), [self.error(each) for each in self.outcomes]
        fewer = sum(each < mine - EQUAL for each in all_errors)
        equal = sum(abs(each - mine) <= EQUAL for each in all_errors)
        return fewer + (equal + 1) / 2

    def seconds(self, method: str, clock: str) -> float:
        return float(np.mean([each[clock] for each in self.outcomes[method]]))


def rows_of(outcomes: Iterable[Facts]) -> list[Row]:
    """A row for each set on which the automatic choice and its peers have outcomes of the same
    halves.
    """
    sets: dict[str, dict[str, dict[tuple[int, int], Facts]]] = {}
    for each in outcomes:
        sets.setdefault(each["set"], {}).setdefault(each["method"], {})[
            each["repeat"], each["half"]
        ] = each
    rows = []
    for name, found in sets.items():
        halves = sorted(set.intersection(*(set(of) for of in found.values())))
        if OURS in found and len(found) > 1 and halves:
            rows.append(
                Row(name, {method: [of[half] for half in halves] for method, of in found.items()})
            )
    return rows


def halves_in_words(rows: list[Row]) -> str:
    """Whether each set that is halved has the ten halves of 5 x 2-fold cross-validation, or which
    lack some.
    """
    counts = {row.name: len(row.outcomes[OURS]) for row in rows}
    lacking = [f"{name} ({count})" for name, count in counts.items() if 1 < count < HALVES]
    if not lacking:
        return f"All sets that are halved have {HALVES} halves."
    return (
        f"The time was not enough for all {HALVES} halves of {', '.join(lacking)}: what there is "
        "are the first ones."
    )


def errors(rows: list[Row], methods: list[str]) -> str:
    """Errors in %, with the seconds to fit by the clock; the fewest in bold."""
    ours, *peers = methods
    lines = [
        [
            row.name,
            _cell(row, ours),
            f"{row.gap:+.1f} ± {row.noise:.1f}",
            *(_cell(row, peer) for peer in peers),
            row.size,
        ]
        for row in rows
    ]
    return table(["set", ours, "behind the best peer", *peers, "n / classes / halves"], lines)


def _cell(row: Row, method: str) -> str:
    if method not in row.outcomes:
        return ""
    error = f"{row.error(method):.1f}"
    if row.rank(method) <= min(row.rank(each) for each in row.outcomes):
        error = f"**{error}**"
    return f"{error} ({_short(row.seconds(method, 'wall'))} s)"


def _short(seconds: float) -> str:
    return f"{seconds:.0f}" if seconds >= 1 else f"{seconds:.1g}"


def ranks_and_wins(rows: list[Row], methods: list[str]) -> str:
    """For each method: its mean rank, and on how many sets the automatic choice has fewer, equally
    many and more errors.
    """
    lines = []
    for method in methods:
        ran = [row for row in rows if method in row.outcomes]
        if not ran:
            continue
        behind = [row.error(method) - row.error(OURS) for row in ran]
        won, lost = sum(each > EQUAL for each in behind), sum(each < -EQUAL for each in behind)
        ours = f"{np.mean([row.rank(OURS) for row in ran]):.2f}"
        duel = (
            ["", "", ""]
            if method == OURS
            else [ours, f"{won} / {len(ran) - won - lost} / {lost}", f"{np.mean(behind):+.1f}"]
        )
        lines.append(
            [method, str(len(ran)), f"{np.mean([row.rank(method) for row in ran]):.2f}", *duel]
        )
    head = [
        "method",
        "sets",
        "mean rank",
        "of AutoClassifier there",
        "AutoClassifier better / equal / worse",
        "points more",
    ]
    return table(head, lines)


def shortfalls(rows: list[Row], methods: list[str], why: dict[str, str]) -> str:
    """For each peer that is not beaten on more than half of its sets: where it is ahead, what was
    chosen there, and why.
    """
    parts = []
    for method in methods:
        ran = [row for row in rows if method in row.outcomes and method != OURS]
        won = sum(row.error(method) > row.error(OURS) + EQUAL for row in ran)
        if ran and 2 * won <= len(ran):
            ahead = [row for row in ran if row.error(method) < row.error(OURS) - EQUAL]
            listed = "; ".join(_ahead(row, method) for row in ahead)
            parts.append(
                f"*{method}*: fewer errors than it on {won} of {len(ran)} sets. It is ahead on "
                f"{listed}. {why.get(method, '')}"
            )
    return "\n\n".join(parts)


def _ahead(row: Row, method: str) -> str:
    """By how many points a peer is ahead on a set, what was chosen there most often, and what was
    expected of it.
    """
    ours = row.outcomes[OURS]
    (chosen, _), *_ = Counter(
        f"{each['told']['family']} by {each['told']['metric']}" for each in ours
    ).most_common()
    expected = np.mean([each["told"]["expected"] for each in ours])
    return (
        f"{row.name} by {row.error(OURS) - row.error(method):.1f} points (mostly {chosen}, "
        f"{expected:.1f} % expected)"
    )


def choices(rows: list[Row]) -> str:
    """What was chosen, how often, what was expected of it, what came, and the time it took."""
    lines = []
    for row in rows:
        ours = row.outcomes[OURS]
        chosen = Counter(f"{each['told']['family']}, {each['told']['metric']}" for each in ours)
        named = "; ".join(
            f"{what} ({count})" if len(ours) > 1 else what for what, count in chosen.most_common()
        )
        told = [
            f"{np.mean([each['told'][what] for each in ours]):.1f}"
            for what in ("left out", "expected")
        ]
        times = (
            row.seconds(OURS, "wall"),
            row.seconds(OURS, "cpu"),
            max(each["cpu"] for each in ours),
        )
        lines.append(
            [
                row.name,
                named,
                *told,
                f"{row.error(OURS):.1f}",
                *(f"{seconds:.1f}" for seconds in times),
            ]
        )
    return table(
        [
            "set",
            "chosen (halves)",
            "left out",
            "expected",
            "asked",
            "s by the clock",
            "s of CPU",
            "longest, CPU",
        ],
        lines,
    )


def verdict(rows: list[Row]) -> str:
    """The largest gap, and the sets on which more points are missing than allowed."""
    worst = max(rows, key=lambda row: row.gap)
    beyond = [f"{row.name} ({row.gap:+.1f}, {row.best_peer})" for row in rows if row.gap > ALLOWED]
    listed = (
        f"More than {ALLOWED:g} points behind: {', '.join(beyond)}."
        if beyond
        else f"Nowhere more than {ALLOWED:g}."
    )
    return (
        f"Farthest behind the best peer: {worst.gap:+.1f} points, on {worst.name} "
        f"({worst.best_peer}). {listed}"
    )
