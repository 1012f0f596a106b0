"""Parse the command line. The commands load what they need when they run, so that ``--help`` is instant."""

import sys
import warnings
from enum import StrEnum
from typing import Annotated

import typer

import wideberth
from wideberth.classifiers.named import CLASSIFIERS
from wideberth.errors import WideberthError

app = typer.Typer(
    name="wideberth",
    help="Large-margin classification of anything you can measure a distance on.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)

File = Annotated[
    str,
    typer.Argument(
        help="CSV, TSV, JSON lines, FASTA, .ts, .smi, Parquet, NPY, NPZ, or a directory of texts; - reads standard input."
    ),
]
Column = Annotated[str | None, typer.Option(help="The column of the objects; found if only one fits.")]
Target = Annotated[str | None, typer.Option(help="The column of the labels; found if it is called label, class, target or y.")]
MetricName = Annotated[
    str | None,
    typer.Option(
        help="A metric by name, with parameters in brackets, such as 'minkowski(p=3)'; by default one for the kind of object."
    ),
]
Encoding = Annotated[str | None, typer.Option(help="The file's encoding; found if not given.")]
KindName = Annotated[
    str | None,
    typer.Option(
        help="strings, vectors, series, sets, molecules, trees, graphs, rows, objects or distances; found if not given."
    ),
]


ModelName = StrEnum("ModelName", list(CLASSIFIERS))  # type: ignore[misc]
DEFAULT_MODEL = ModelName("lipschitz")
PRICES = ", ".join(
    f"{name} {entry.C:g} ({entry.C_range[0]:g} to {entry.C_range[1]:g})" for name, entry in CLASSIFIERS.items() if entry.C
)


@app.callback(invoke_without_command=True)
def root(version: Annotated[bool, typer.Option("--version", help="Print the version and exit.")] = False) -> None:
    """Large-margin classification of anything you can measure a distance on."""
    if version:
        typer.echo(f"wideberth {wideberth.__version__}")
        raise typer.Exit


@app.command()
def doctor(
    file: File,
    column: Column = None,
    target: Target = None,
    metric: MetricName = None,
    encoding: Encoding = None,
    kind: KindName = None,
    max_objects: Annotated[int, typer.Option(help="Examine so many objects at most, chosen at random.")] = 500,
    json: Annotated[bool, typer.Option("--json", help="Print the facts as JSON.")] = False,
) -> None:
    """Examine a distance on the objects of a file: is it a metric, which methods are valid, what is odd in the data."""
    from wideberth.cli import doctor as command

    command.doctor(file, column, target, metric, encoding, kind, max_objects, json)


@app.command()
def fit(
    file: File,
    column: Column = None,
    target: Target = None,
    metric: MetricName = None,
    encoding: Encoding = None,
    kind: KindName = None,
    model: Annotated[ModelName, typer.Option(help="The classifier.")] = DEFAULT_MODEL,
    C: Annotated[
        float | None,
        typer.Option("-C", help=f"What errors cost; by default, and in brackets what is usual: {PRICES}."),
    ] = None,
    output: Annotated[str | None, typer.Option("--output", "-o", help="The model's file; DATA.wb by default.")] = None,
) -> None:
    """Learn from the labelled objects of a file, say what was learned, and save it."""
    from wideberth.cli import fit as command

    command.fit(file, column, target, metric, encoding, kind, model, C, output)


@app.command()
def predict(
    model: Annotated[str, typer.Argument(help="A model's file, as 'wideberth fit' writes it.")],
    file: File,
    column: Annotated[str | None, typer.Option(help="The column of the objects; the training objects' own by default.")] = None,
    encoding: Encoding = None,
    output: Annotated[str | None, typer.Option("--output", "-o", help="A CSV file; standard output by default.")] = None,
) -> None:
    """Label new objects: one line each with the label, its lead over the next one, and the radius within which it stays."""
    from wideberth.cli import predict as command

    command.predict(model, file, column, encoding, output)


@app.command()
def compare(
    file: File,
    column: Column = None,
    target: Target = None,
    metric: MetricName = None,
    encoding: Encoding = None,
    kind: KindName = None,
    folds: Annotated[int, typer.Option(help="Every method learns so many times, from all folds but one.")] = 5,
    max_memory: Annotated[str, typer.Option(help="What distances may take; those that fit are measured once.")] = "2GB",
) -> None:
    """Compare the errors of all classifiers on the same folds."""
    from wideberth.cli import compare as command

    command.compare(file, column, target, metric, encoding, kind, folds, max_memory)


@app.command()
def metrics() -> None:
    """List the metrics and what each of them promises."""
    from wideberth.cli import metrics as command

    command.metrics()


def main() -> None:
    """Run the command line; a problem of ours is a sentence, not a traceback."""
    warnings.showwarning = _say
    try:
        app()
    except WideberthError as error:
        typer.secho(f"wideberth: {error}", fg="red", err=True)
        sys.exit(2)
    except KeyboardInterrupt:
        sys.exit(130)


def _say(message: object, category: object, filename: str, lineno: int, file: object = None, line: object = None) -> None:
    """A warning is a sentence too: where in the code it arose is of no use here."""
    typer.secho(f"wideberth: {message}", fg="yellow", err=True)
