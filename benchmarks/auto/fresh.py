"""Errors of the automatic choice and of its peers on tables that a seed has drawn, run once."""

import os
from collections.abc import Iterator
from functools import partial
from itertools import product

from benchmarks.auto.accuracy import MAX_TIME, PEERS, titled
from benchmarks.auto.tables import OURS, choices, errors, ranks_and_wins, rows_of, verdict
from benchmarks.keeping import kept
from benchmarks.results import Facts
from benchmarks.rows import Row, counted

#: How often each table is halved.
REPEATS = int(os.environ.get("FRESH_REPEATS", "2"))


def measure() -> Facts:
    """An outcome for each table, method and half."""
    return {"repeats": REPEATS, "outcomes": list(_outcomes())}


def _outcomes() -> Iterator[Facts]:
    from benchmarks.auto.drawn_tables import drawn
    from benchmarks.auto.methods import automatic, peers
    from benchmarks.auto.sets import labelled_set

    for name, repeat, half in product(drawn(), range(REPEATS), range(2)):
        for title, method in ({OURS: automatic(MAX_TIME)} | peers(labelled_set(name))).items():
            found = kept(
                "auto.fresh",
                f"{name}, {title}, {repeat}.{half}",
                partial(titled, name, title, method, repeat, half),
            )
            if found is not None:
                yield found


def rows(facts: Facts) -> Iterator[Row]:
    """The automatic choice beside every peer, on every table."""
    for row in rows_of(facts["outcomes"]):
        for peer in (each for each in row.outcomes if each != OURS):
            yield Row(
                topic="accuracy",
                key=f"fresh tables: {row.name}, {peer}",
                ours=row.error(OURS),
                peer=peer,
                theirs=row.error(peer),
                unit="% wrong",
                noise=row.noise_beside(peer),
                own_noise=row.own_noise(OURS),
                installable=True,
            )


def page(facts: Facts) -> str:
    measured = rows_of(facts["outcomes"])
    methods = [OURS, *(each for each in PEERS if any(each in row.outcomes for row in measured))]
    return "\n\n".join(
        [
            "## Tables that nobody has looked at",
            WORDS.format(n=len(measured), halves=2 * facts["repeats"]),
            verdict(measured),
            _beside(facts),
            errors(measured, methods),
            ranks_and_wins(measured, methods),
            choices(measured),
        ]
    )


def _beside(facts: Facts) -> str:
    """How often ours is ahead of each peer, and behind it, beyond two standard errors."""
    found = list(rows(facts))
    told = []
    for peer in dict.fromkeys(row.peer for row in found):
        count = counted([row for row in found if row.peer == peer])
        told.append(f"{peer} {count['ahead']} / {count['even']} / {count['behind']}")
    return f"Ahead, even and behind beyond two standard errors: {'; '.join(told)}."


WORDS = """\
{n} tables of the package pydataset, drawn by a seed from all that have 100 to 20,000 rows, three columns or more, and a column of
texts with two to ten classes of ten rows or more (the last such column is what is asked for). Tables that were used for anything
else here were left out before the draw. The rule was fixed before anything was run on them, and what came of it is below, of
{halves} halves of 2,000 rows at most, run once. Some of these tables ask for what nobody can know from the rest: there all
methods answer the largest class, or should."""
