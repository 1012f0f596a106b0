"""Write the table of metrics into docs/metrics.md: ``python tools/metrics_table.py``.

All of it comes from the metrics: what each accepts, takes and promises, the first of its
``examples``, and its ``source``, which says in a few words why or from whom the promises are; the
docstrings say it in full.
"""

from inspect import Parameter, signature
from pathlib import Path

import wideberth as wb
from wideberth.metrics.metric import promise_names
from wideberth.metrics.named import METRICS

PAGE = Path(__file__).parent.parent / "docs" / "metrics.md"
BEGIN, END = "<!-- begin: written by tools/metrics_table.py -->\n", "<!-- end -->\n"

HEADINGS = {
    "obeys_triangle": "triangle",
    "hilbertian": "Hilbertian",
    "negative_type": "negative type",
}


def table() -> str:
    """One row for each metric, kinds of object together."""
    promises = [HEADINGS.get(name, name) for name in promise_names()]
    rows = [["metric", "objects", "for example", "parameters", *promises, "from"]]
    rows.append(["---"] * len(rows[0]))
    rows += [row(name) for name in METRICS]
    return "".join(f"| {' | '.join(cells)} |\n" for cells in rows)


def row(name: str) -> list[str]:
    """The cells of one metric, its promises as they are when nothing but its name is given."""
    metric = wb.metric(name, **({"distances": [[0.0]]} if name == "precomputed" else {}))
    promises = [in_words(getattr(metric, each)) for each in promise_names()]
    example = written(metric.examples[0])
    return [
        f"`{name}`",
        metric.accepts,
        f"`{example}`",
        ", ".join(parameters(METRICS[name])),
        *promises,
        metric.source,
    ]


def written(example: object) -> str:
    """An object as one would type it; a set in the order of its elements' looks, so that the page
    is the same each time.
    """
    return (
        f"{{{', '.join(sorted(map(repr, example)))}}}"
        if isinstance(example, set) and example
        else repr(example)
    )


def parameters(kind: type[wb.Metric]) -> list[str]:
    """The parameters of a metric with their defaults, but for promises, which have columns of their
    own.
    """
    taken = signature(kind.__init__).parameters
    shown = {each: taken[each].default for each in kind.parameters() if each not in promise_names()}
    return [
        f"`{each}`" if default in (None, Parameter.empty) else f"`{each}={default!r}`"
        for each, default in shown.items()
    ]


def in_words(promise: bool | float | None) -> str:
    """A promise in a table: yes, no, a number, or a dash where nobody has said."""
    return (
        "-"
        if promise is None
        else {True: "yes", False: "no"}[promise]
        if isinstance(promise, bool)
        else f"{promise:g}"
    )


def renewed(page: str) -> str:
    """The page with the table of today."""
    before, _, rest = page.partition(BEGIN)
    return before + BEGIN + table() + END + rest.partition(END)[2]


if __name__ == "__main__":
    PAGE.write_text(renewed(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
