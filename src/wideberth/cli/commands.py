"""The commands and their options. Commands import what they need only when they run, so that
``--help`` is instant.

The docstrings of commands are their help texts.
"""

import re
from difflib import get_close_matches
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

import wideberth
from wideberth.cli.console import run_with
from wideberth.cli.options import (
    DEFAULT_MODEL,
    JUDGE,
    MAX_SIZE,
    Column,
    Declare,
    Delta,
    Encoding,
    Errors,
    ExactLabels,
    Files,
    Groups,
    Independent,
    Json,
    KindName,
    Labels,
    MaxSize,
    MetricName,
    Metrics,
    Model,
    ModelName,
    NewColumn,
    NewFiles,
    Numbers,
    Param,
    Prefer,
    Price,
    Sheet,
    SingleModel,
    Target,
    Time,
    Unit,
    Weight,
    data_options,
)
from wideberth.cli.serve import serve

# ---- What is wrong with a command line, in our own words: the value, and the way out


class Commands(TyperGroup):
    """The commands; messages name the options of the one that runs, and wrong values are told in
    our own words.
    """

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Find the command that runs."""
        name, command, rest = super().resolve_command(ctx, args)
        if command is not None:
            run_with(command, self.commands["fit"])
        return name, command, rest

    def invoke(self, ctx: Any) -> Any:
        """Run a command."""
        try:
            return super().invoke(ctx)
        except typer.BadParameter as wrong:
            wrong.message = in_our_words(wrong)
            raise


def in_our_words(wrong: typer.BadParameter) -> str:
    """What is wrong with the value of an option.

    Parameters
    ----------
    wrong : BadParameter
        From the parser; the error that it stands for, if there is one, knows the value.

    Returns
    -------
    str
        Its own message if nothing better is known.

    Examples
    --------
    >>> in_our_words(typer.BadParameter("Value error, 'marjin' is not one of 'auto', 'margin'."))
    "'marjin' is not one of 'auto', 'margin'. Did you mean 'margin'?"
    """
    found: list[dict[str, Any]] = getattr(wrong.__cause__, "errors", list)()
    told = found[0] if found else {}
    value, limits = told.get("input"), told.get("ctx", {})
    match told.get("type"):
        case "less_than_equal":
            return f"{value} is more than {limits['le']:g}, the largest that is allowed."
        case "greater_than_equal":
            return f"{value} is less than {limits['ge']:g}, the smallest that is allowed."
        case "int_parsing" | "int_from_float":
            return f"{value!r} is not a whole number."
        case "float_parsing":
            return f"{value!r} is not a number."
    message = wrong.message.removeprefix("Value error, ")
    written, *known = re.findall(r"'([^']*)'", message) if " is not one of " in message else [""]
    close = get_close_matches(written, known, n=1)
    return f"{message} Did you mean {close[0]!r}?" if close else message


EPILOG = (
    "Exit codes: 0 done; 2 something in the command or in the files has to be corrected; 1 what "
    "nobody foresaw, a full disk or too little memory; 130 stopped with Ctrl-C."
)

app = typer.Typer(
    name="wideberth",
    cls=Commands,
    help="Large-margin classification of anything you can measure a distance on.",
    epilog=EPILOG,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)


@app.callback(invoke_without_command=True)
def root(
    version: Annotated[bool, typer.Option("--version", help="Print the version and exit.")] = False,
    debug: Annotated[
        bool, typer.Option("--debug", help="Show the traceback of an error; may stand anywhere.")
    ] = False,
    quiet: Annotated[
        bool,
        typer.Option(
            "--quiet",
            help="Print answers and errors only: no remarks, warnings or progress; may stand "
            "anywhere.",
        ),
    ] = False,
) -> None:
    """Large-margin classification of anything you can measure a distance on."""
    if version:
        typer.echo(f"wideberth {wideberth.__version__}")
        raise typer.Exit


@app.command()
def fit(
    files: Files,
    target: Target = None,
    column: Column = None,
    metric: MetricName = None,
    model: Annotated[
        ModelName, typer.Option(help="The classifier; auto compares all, with several metrics.")
    ] = DEFAULT_MODEL,
    time: Time = None,
    prefer: Prefer = None,
    C: Price = None,
    param: Param = None,
    tune: Annotated[
        bool,
        typer.Option("--tune", help="Choose the settings that are not given by cross-validation."),
    ] = False,
    output: Annotated[
        str | None, typer.Option("--output", "-o", help="The model's file; DATA.wb by default.")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace a model that is there.")] = False,
    labels: Labels = None,
    exact_labels: ExactLabels = False,
    weight: Weight = None,
    groups: Groups = None,
    on_error: Errors = None,
    declare: Declare = None,
    kind: KindName = None,
    numbers: Numbers = None,
    sheet: Sheet = None,
    encoding: Encoding = None,
    max_size: MaxSize = MAX_SIZE,
    json: Json = False,
) -> None:
    """Learn from labelled objects, print what was understood and learned, and save the model."""
    from wideberth.cli import fit as command

    data = data_options(
        files,
        target=target,
        column=column,
        metric=metric,
        labels_from=labels,
        exact_labels=exact_labels,
        weight=weight,
        groups=groups,
        on_error=on_error,
        declare=declare,
        kind=kind,
        numbers=numbers,
        sheet=sheet,
        encoding=encoding,
        max_size=max_size,
    )
    settings = (*(() if C is None else (f"C={C!r}",)), *(param or ()))
    chosen = command.ModelOptions(
        model, settings, tune, time, None if prefer is None else prefer.value
    )
    command.fit(data, chosen, output, force=force, json=json)


@app.command()
def predict(
    model: Model,
    files: NewFiles,
    column: NewColumn = None,
    output: Annotated[
        str | None, typer.Option("--output", "-o", help="A CSV file; standard output by default.")
    ] = None,
    unit: Unit = None,
    examples: Annotated[
        int,
        typer.Option(min=0, help="Put so many of the nearest training objects beside each answer."),
    ] = 0,
    on_error: Errors = None,
    numbers: Numbers = None,
    sheet: Sheet = None,
    encoding: Encoding = None,
    max_size: MaxSize = MAX_SIZE,
    json: Annotated[bool, typer.Option("--json", help="Write JSON lines.")] = False,
) -> None:
    """Label new objects: their own columns, then the label, its lead over the next one, and what it
    is proved to withstand.
    """
    data = data_options(**locals())
    from wideberth.cli import predict as command

    command.predict(data, model, output, unit, examples=examples, json=json)


@app.command()
def evaluate(
    model: Model,
    files: NewFiles,
    target: Target = None,
    column: NewColumn = None,
    labels: Labels = None,
    exact_labels: ExactLabels = False,
    radii: Annotated[
        str | None, typer.Option(help="Radii of the certified accuracy, with commas between them.")
    ] = None,
    unit: Unit = None,
    delta: Delta = 0.05,
    independent: Independent = False,
    on_error: Errors = None,
    numbers: Numbers = None,
    sheet: Sheet = None,
    encoding: Encoding = None,
    max_size: MaxSize = MAX_SIZE,
    json: Json = False,
) -> None:
    """Show how often a model errs on labelled objects, which classes it confuses, and what is
    certified and proved.
    """
    data = data_options(**locals())
    from wideberth.cli import evaluate as command

    command.evaluate(
        data, model, delta=delta, radii=radii, unit=unit, independent=independent, json=json
    )


@app.command()
def certify(
    model: Model,
    files: NewFiles,
    target: Target = None,
    column: NewColumn = None,
    labels: Labels = None,
    exact_labels: ExactLabels = False,
    radius: Annotated[float | None, typer.Option(help="How far new objects may move.")] = None,
    unit: Unit = None,
    delta: Delta = 0.05,
    independent: Independent = False,
    on_error: Errors = None,
    numbers: Numbers = None,
    sheet: Sheet = None,
    encoding: Encoding = None,
    max_size: MaxSize = MAX_SIZE,
    json: Json = False,
) -> None:
    """Show what labelled objects prove about a model: new ones, or all that it learned from."""
    data = data_options(**locals())
    from wideberth.cli import certify as command

    command.certify(
        data, model, delta=delta, radius=radius, unit=unit, independent=independent, json=json
    )


@app.command()
def report(
    model: Model,
    files: NewFiles,
    output: Annotated[
        str | None, typer.Option("--output", "-o", help="The HTML file; report.html by default.")
    ] = None,
    no_objects: Annotated[
        bool, typer.Option("--no-objects", help="Leave out objects and the names of rows.")
    ] = False,
    target: Target = None,
    column: NewColumn = None,
    labels: Labels = None,
    exact_labels: ExactLabels = False,
    independent: Independent = False,
    on_error: Errors = None,
    numbers: Numbers = None,
    sheet: Sheet = None,
    encoding: Encoding = None,
    max_size: MaxSize = MAX_SIZE,
    json: Json = False,
) -> None:
    """Write an HTML page to look at: what a model learned, how good it is on labelled objects, and
    which rows to check first.
    """
    data = data_options(**locals())
    from wideberth.cli import report as command

    command.report(
        data, model, output, show_objects=not no_objects, independent=independent, json=json
    )


@app.command()
def explain(
    model: Model,
    objects: Annotated[
        list[str], typer.Argument(help="Texts as they are, numbers with commas, others as in JSON.")
    ],
    examples: Annotated[
        int, typer.Option(min=1, help="How many of the nearest training objects to show.")
    ] = 3,
    unit: Unit = None,
    json: Json = False,
) -> None:
    """Show why objects get their labels: the nearest training objects themselves, and what would
    change the answer.
    """
    from wideberth.cli import explain as command

    command.explain(model, tuple(objects), examples=examples, unit=unit, json=json)


@app.command()
def info(model: Model, json: Json = False) -> None:
    """Show what a model file holds, when it was made and from what."""
    from wideberth.cli import info as command

    command.info(model, json=json)


@app.command()
def compare(
    files: Files,
    target: Target = None,
    column: Column = None,
    metric: Metrics = None,
    model: Annotated[
        str | None,
        typer.Option(help="Some of the classifiers, with commas between them; all by default."),
    ] = None,
    folds: Annotated[
        int,
        typer.Option(help="Number of folds; every method learns from all folds but one, in turn."),
    ] = 5,
    max_memory: Annotated[
        str, typer.Option(help="Memory for distances; if all fit, they are measured once.")
    ] = "2GB",
    labels: Labels = None,
    exact_labels: ExactLabels = False,
    groups: Groups = None,
    on_error: Errors = None,
    declare: Declare = None,
    kind: KindName = None,
    numbers: Numbers = None,
    sheet: Sheet = None,
    encoding: Encoding = None,
    max_size: MaxSize = MAX_SIZE,
    json: Json = False,
) -> None:
    """Compare the errors of all classifiers, with one metric or several, on the same folds."""
    data = data_options(**locals())
    from wideberth.cli import compare as command

    command.compare(data, folds, max_memory, models=model, json=json)


@app.command()
def suspects(
    files: Files,
    target: Target = None,
    column: Column = None,
    metric: MetricName = None,
    model: Annotated[
        SingleModel, typer.Option(help="The classifier whose copies judge the labels.")
    ] = JUDGE,
    param: Param = None,
    output: Annotated[
        str | None,
        typer.Option(
            "--output",
            "-o",
            help="Write all objects, the most doubtful first: CSV, or JSON lines with --json.",
        ),
    ] = None,
    count: Annotated[int, typer.Option(min=1, help="How many to print at most.")] = 20,
    enemies: Annotated[
        int,
        typer.Option(min=0, help="How many of the nearest objects with the other label to show."),
    ] = 3,
    folds: Annotated[
        int,
        typer.Option(min=2, help="Number of folds; copies learn from all folds but one, in turn."),
    ] = 5,
    labels: Labels = None,
    exact_labels: ExactLabels = False,
    on_error: Errors = None,
    declare: Declare = None,
    kind: KindName = None,
    numbers: Numbers = None,
    sheet: Sheet = None,
    encoding: Encoding = None,
    max_size: MaxSize = MAX_SIZE,
    json: Json = False,
) -> None:
    """Show which labels of a file are probably wrong, each with the nearest objects that speak
    against it.
    """
    data = data_options(**locals())
    from wideberth.cli import suspects as command

    command.suspects(
        data,
        model,
        tuple(param or ()),
        output,
        count=count,
        enemies=enemies,
        folds=folds,
        json=json,
    )


@app.command()
def doctor(
    files: Files,
    target: Target = None,
    column: Column = None,
    metric: MetricName = None,
    max_objects: Annotated[
        int, typer.Option(help="Examine at most this many objects, chosen at random.")
    ] = 500,
    labels: Labels = None,
    exact_labels: ExactLabels = False,
    on_error: Errors = None,
    declare: Declare = None,
    kind: KindName = None,
    numbers: Numbers = None,
    sheet: Sheet = None,
    encoding: Encoding = None,
    max_size: MaxSize = MAX_SIZE,
    json: Json = False,
) -> None:
    """Examine a distance on the objects of a file: is it a metric, which methods are valid, what is
    unusual in the data.
    """
    data = data_options(**locals())
    from wideberth.cli import doctor as command

    command.doctor(data, max_objects, json=json)


app.command()(serve)


@app.command()
def metrics(json: Json = False) -> None:
    """List the metrics and what each of them promises."""
    from wideberth.cli import metrics as command

    command.metrics(json=json)


@app.command()
def warmup(json: Json = False) -> None:
    """Compile the loops of all classifiers and metrics now, once, so that no first fit has to wait
    for it.
    """
    from wideberth.cli import warmup as command

    command.warmup(json=json)
