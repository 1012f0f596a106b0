"""Parse the command line. Commands import what they need only when they run, so that ``--help`` is instant.

The docstrings of commands are their help texts. `wideberth.cli.failures` gives the exit codes of commands that fail.
"""

import sys
import warnings
from enum import StrEnum
from typing import Annotated

import typer

import wideberth
from wideberth.classifiers.named import CLASSIFIERS
from wideberth.cli.failures import exit_code, flush_output, prepare_streams, report, take_debug

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
MaxSize = Annotated[
    str, typer.Option(help="The most that may come out of a compressed file or a pipe; raise it for files that you trust.")
]
KindName = Annotated[
    str | None,
    typer.Option(
        help="strings, vectors, series, sets, molecules, trees, graphs, rows, objects or distances; found if not given."
    ),
]


#: As `wideberth.read` has it.
MAX_SIZE = "10GB"
ModelName = StrEnum("ModelName", list(CLASSIFIERS))  # type: ignore[misc]
DEFAULT_MODEL = ModelName("lipschitz")
PRICES = ", ".join(
    f"{name} {entry.C:g} ({entry.C_range[0]:g} to {entry.C_range[1]:g})" for name, entry in CLASSIFIERS.items() if entry.C
)


@app.callback(invoke_without_command=True)
def root(
    version: Annotated[bool, typer.Option("--version", help="Print the version and exit.")] = False,
    debug: Annotated[bool, typer.Option("--debug", help="Show the traceback of an error; may stand anywhere.")] = False,
) -> None:
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
    max_size: MaxSize = MAX_SIZE,
    max_objects: Annotated[int, typer.Option(help="Examine at most this many objects, chosen at random.")] = 500,
    json: Annotated[bool, typer.Option("--json", help="Print the facts as JSON.")] = False,
) -> None:
    """Examine a distance on the objects of a file: is it a metric, which methods are valid, what is unusual in the data."""
    from wideberth.cli import doctor as command
    from wideberth.cli.reading import DataOptions

    command.doctor(DataOptions(file, column, target, metric, encoding, kind, max_size), max_objects, json)


@app.command()
def fit(
    file: File,
    column: Column = None,
    target: Target = None,
    metric: MetricName = None,
    encoding: Encoding = None,
    kind: KindName = None,
    max_size: MaxSize = MAX_SIZE,
    model: Annotated[ModelName, typer.Option(help="The classifier.")] = DEFAULT_MODEL,
    C: Annotated[
        float | None,
        typer.Option("-C", help=f"Price of errors. Defaults, with the usual ranges in brackets: {PRICES}."),
    ] = None,
    output: Annotated[str | None, typer.Option("--output", "-o", help="The model's file; DATA.wb by default.")] = None,
) -> None:
    """Learn from the labelled objects of a file, print what was learned, and save the model."""
    from wideberth.cli import fit as command
    from wideberth.cli.reading import DataOptions

    command.fit(DataOptions(file, column, target, metric, encoding, kind, max_size), model, C, output)


@app.command()
def predict(
    model: Annotated[str, typer.Argument(help="A model's file, as 'wideberth fit' writes it.")],
    file: File,
    column: Annotated[
        str | None, typer.Option(help="The column of the objects; by default that of the training objects.")
    ] = None,
    encoding: Encoding = None,
    max_size: MaxSize = MAX_SIZE,
    output: Annotated[str | None, typer.Option("--output", "-o", help="A CSV file; standard output by default.")] = None,
    unit: Annotated[
        str | None, typer.Option(help="What radii are measured in: 'edit', or a metric; by default the model's metric.")
    ] = None,
) -> None:
    """Label new objects: one line for each, with the label, its lead over the next one, and its certified radius."""
    from wideberth.cli import predict as command
    from wideberth.cli.reading import DataOptions

    command.predict(DataOptions(file, column, encoding=encoding, max_size=max_size), model, output, unit)


@app.command()
def compare(
    file: File,
    column: Column = None,
    target: Target = None,
    metric: MetricName = None,
    encoding: Encoding = None,
    kind: KindName = None,
    max_size: MaxSize = MAX_SIZE,
    folds: Annotated[int, typer.Option(help="Number of folds; every method learns from all folds but one, in turn.")] = 5,
    max_memory: Annotated[str, typer.Option(help="Memory for distances; if all fit, they are measured once.")] = "2GB",
) -> None:
    """Compare the errors of all classifiers on the same folds."""
    from wideberth.cli import compare as command
    from wideberth.cli.reading import DataOptions

    command.compare(DataOptions(file, column, target, metric, encoding, kind, max_size), folds, max_memory)


@app.command()
def metrics() -> None:
    """List the metrics and what each of them promises."""
    from wideberth.cli import metrics as command

    command.metrics()


@app.command()
def warmup() -> None:
    """Compile the loops of all classifiers and metrics now, once, so that no first fit has to wait for it."""
    from wideberth.cli import warmup as command

    command.warmup()


def main() -> None:
    """Run the command line: whatever goes wrong is printed as one sentence, and its traceback only with ``--debug``.

    The entry point of the program ``wideberth``.
    """
    warnings.showwarning = _show_warning
    prepare_streams()
    arguments, debug = take_debug(sys.argv[1:])
    try:
        _run(arguments)
    except (Exception, KeyboardInterrupt) as error:
        report(error, debug=debug)
        sys.exit(exit_code(error))


def _run(arguments: list[str]) -> None:
    """Run a command and write out what it printed; ends with `SystemExit`."""
    try:
        app(args=arguments)
    except SystemExit:
        flush_output()
        raise


def _show_warning(
    message: object, category: object, filename: str, lineno: int, file: object = None, line: object = None
) -> None:
    """Print a warning as one sentence on standard error: its place in the source code is of no use on the command line."""
    typer.secho(f"wideberth: {message}", fg="yellow", err=True)
