"""Parse the command line. The commands load what they need when they run, so that ``--help`` is instant."""

import sys
from typing import Annotated

import typer

import wideberth
from wideberth.errors import WideberthError

app = typer.Typer(
    name="wideberth",
    help="Large-margin classification of anything you can measure a distance on.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)

File = Annotated[str, typer.Argument(help="CSV, TSV, JSON lines, NPY or NPZ; - reads standard input.")]
Column = Annotated[str | None, typer.Option(help="The column of the objects; found if only one fits.")]
Target = Annotated[str | None, typer.Option(help="The column of the labels; found if it is called label, class, target or y.")]
MetricName = Annotated[str | None, typer.Option(help="A metric by name; by default one for the kind of object.")]


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
    encoding: Annotated[str | None, typer.Option(help="The file's encoding; found if not given.")] = None,
    kind: Annotated[
        str | None, typer.Option(help="strings, vectors, series, sets, objects or distances; found if not given.")
    ] = None,
    max_objects: Annotated[int, typer.Option(help="Examine so many objects at most, chosen at random.")] = 500,
    json: Annotated[bool, typer.Option("--json", help="Print the facts as JSON.")] = False,
) -> None:
    """Examine a distance on the objects of a file: is it a metric, which methods are valid, what is odd in the data."""
    from wideberth.cli import commands

    commands.doctor(file, column, target, metric, encoding, kind, max_objects, json)


@app.command()
def metrics() -> None:
    """List the metrics and what each of them promises."""
    from wideberth.cli import commands

    commands.metrics()


def main() -> None:
    """Run the command line; a problem of ours is a sentence, not a traceback."""
    try:
        app()
    except WideberthError as error:
        typer.secho(f"wideberth: {error}", fg="red", err=True)
        sys.exit(2)
    except KeyboardInterrupt:
        sys.exit(130)
