"""Objects and labels for the model that a command names, read as its training objects were."""

from dataclasses import replace

from wideberth.cli.arguments.data import DataOptions, read_labelled
from wideberth.cli.printing.understood import remark_skipped
from wideberth.io.model_file.read import SavedModel
from wideberth.io.model_file.saved_classifier import options_for
from wideberth.io.readers import Records
from wideberth.io.readers.opening import has_columns
from wideberth.io.readers.records import fault
from wideberth.objects.sample import shown


def labelled_for(saved: SavedModel, data: DataOptions) -> Records:
    """Read labelled objects for a model.

    Parameters
    ----------
    saved : SavedModel
        The model.
    data : DataOptions
        The files; where the labels are not named, they are in the column of the training labels.

    Returns
    -------
    Records
        The labels are those of the model wherever they are written alike: 1 in JSON is "1" in a
        table. What was skipped is said.

    Raises
    ------
    InvalidFile
        If there are no labels, or none that the model knows.
    """
    options = options_for(saved, data.file, data.column)
    remembered = None if saved.notes is None else saved.notes.target
    named = (
        remembered
        if data.target is None and data.labels_from is None and has_columns(data.file)
        else data.target
    )
    column, _ = options.pop("column", None), options.pop("numbers", None)
    written = (
        data.numbers
        if data.numbers is not None
        else None
        if saved.origin is None
        else saved.origin.numbers
    )
    records = read_labelled(
        replace(
            data,
            column=()
            if column is None
            else (column,)
            if isinstance(column, str)
            else tuple(column),
            target=named,
            numbers=written,
            **options,
        ),
        classes=1,
    )
    remark_skipped(records)
    classes = saved.model.classes_.tolist()
    written_alike = {str(label): label for label in classes}
    labels = [written_alike.get(str(label), label) for label in records.labels or []]
    if not set(labels) & set(classes):
        raise fault(
            data.file,
            f"none of its labels ({', '.join(map(shown, sorted(set(labels), key=str)[:3]))}) is a "
            "class of the model.",
            value=labels[0],
            advice=f"The model knows {', '.join(map(shown, classes[:8]))}; --target names the "
            "column of the labels.",
        )
    return replace(records, labels=labels)
