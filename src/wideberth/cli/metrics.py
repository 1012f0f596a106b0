"""``wideberth metrics``: print the table of metrics and their promises."""

from typing import Any

from rich.console import Console
from rich.table import Table

from wideberth.cli import options
from wideberth.cli.console import say, show_json
from wideberth.metrics.metric import promise_names
from wideberth.metrics.named import METRICS, list_metrics, metric

#: Parameters that a metric cannot be constructed without, as small as possible.
_REQUIRED = {"precomputed": {"distances": [[0.0]]}}
#: Column headings for the promises, short enough for a terminal of eighty columns.
_HEADING = {
    "obeys_triangle": "triangle",
    "hilbertian": "Hilbert",
    "negative_type": "neg.t.",
    "bounded": "bound.",
    "separates": "separ.",
}
_MEANING = {
    "obeys_triangle": "no detour is shorter, which radii and fast searches need",
    "hilbertian": "a distance between points of a Hilbert space, which an SVM needs",
    "negative_type": "its square root is; also good for an SVM",
    "bounded": "never above some constant",
    "separates": "0 only between equal objects",
    "step": "all distances are multiples of it",
}
_WORDS = "yes: proved or cited; no: refuted; ?: nobody has said. --json has their parameters."


@options.command(
    options.JSON,
    examples=(
        "",
        "--json",
    ),
    panel=options.Panel.output,
)
def metrics(*, json: bool) -> None:
    """List the metrics and what each of them promises.

    A promise is shown as yes (proved or cited), no (refuted) or ? (unknown); the step of a metric
    as a number.
    """
    if json:
        show_json([_facts(name) for name in list_metrics()])
        return
    table = Table(
        "metric",
        "accepts",
        *(_HEADING.get(name, name) for name in promise_names()),
        box=None,
        padding=(0, 1, 0, 0),
    )
    for name in list_metrics():
        measure = metric(name, **_REQUIRED.get(name, {}))
        table.add_row(name, measure.accepts, *map(_in_words, vars(measure.promises).values()))
    Console().print(table)
    say("", *(f"{_HEADING.get(name, name)}: {_MEANING[name]}" for name in promise_names()), _WORDS)


def _facts(name: str) -> dict[str, Any]:
    """What a metric takes and promises, for programs."""
    measure = metric(name, **_REQUIRED.get(name, {}))
    parameters = [
        parameter
        for parameter in METRICS[name].parameters()
        if parameter not in _REQUIRED.get(name, {})
    ]
    return {
        "name": name,
        "accepts": measure.accepts,
        "parameters": parameters,
        "unit": measure.unit,
    } | vars(measure.promises)


def _in_words(promise: bool | float | None) -> str:
    """A promise as a cell of the table."""
    return (
        {None: "?", True: "yes", False: "no"}[promise]
        if promise is None or isinstance(promise, bool)
        else f"{promise:g}"
    )
