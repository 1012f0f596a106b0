"""``wideberth metrics``: the table of metrics and what each of them promises."""

from rich.console import Console
from rich.table import Table

from wideberth.metrics.metric import promise_names
from wideberth.metrics.named import list_metrics, metric

#: Parameters without which a metric cannot be made, not even to read its promises.
_SMALLEST = {"precomputed": {"distances": [[0.0]]}}
#: Names of promises, short enough for eighty columns.
_HEADING = {
    "obeys_triangle": "triangle",
    "hilbertian": "Hilbert",
    "negative_type": "neg.t.",
    "bounded": "bound.",
    "separates": "separ.",
}


def metrics() -> None:
    """Print the table of metrics."""
    table = Table("metric", "accepts", *(_HEADING.get(name, name) for name in promise_names()), box=None, padding=(0, 1, 0, 0))
    for name in list_metrics():
        each = metric(name, **_SMALLEST.get(name, {}))
        table.add_row(name, each.accepts, *map(_in_words, vars(each.promises).values()))
    Console().print(table)


def _in_words(promise: bool | float | None) -> str:
    return {None: "?", True: "yes", False: "no"}[promise] if promise is None or isinstance(promise, bool) else f"{promise:g}"
