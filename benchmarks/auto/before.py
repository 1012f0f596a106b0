"""The first run, before metrics were added because of it."""

from benchmarks.auto.accuracy import PEERS
from benchmarks.auto.tables import OURS, errors, ranks_and_wins, rows_of, verdict
from benchmarks.results import Facts


def page(facts: Facts) -> str:
    rows = rows_of(facts["outcomes"])
    methods = [OURS, *PEERS]
    return "\n\n".join(
        [
            "## The first run",
            WORDS,
            verdict(rows),
            errors(rows, methods),
            ranks_and_wins(rows, methods),
        ]
    )


WORDS = """\
The same with the candidates as they were when these sets were first looked at. What is different above was changed after this
run, some of it because of it and after experiments on the same halves, so that this table is the one that did not influence
itself; it has one repetition."""
