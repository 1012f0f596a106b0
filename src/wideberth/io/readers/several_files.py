"""Read several files as one: a file for each class, or the parts of one table."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from wideberth.errors import InvalidInput
from wideberth.io.readers.options import ReadOptions
from wideberth.io.readers.records import ColumnUse, Records, fault
from wideberth.io.readers.sources.source import stem_of
from wideberth.wording import Text, setting

#: What the labels are called that the names of files are.
FILE = "file"


class ClassFile(NamedTuple):
    """A file and the label of its objects, unless it has labels of its own.

    Attributes
    ----------
    path : str
        The file.
    label : str
        The label.
    """

    path: str
    label: str


def class_files(paths: Iterable[str]) -> list[ClassFile]:
    """Label files by their names without the ending, or by their folders if all have the same name.

    Examples
    --------
    >>> [file.label for file in class_files(["pos/1.fasta", "neg/1.fasta"])]
    ['pos', 'neg']
    >>> class_files(["data/pos.fasta", "data/neg.fasta.gz"])
    [ClassFile(path='data/pos.fasta', label='pos'), ClassFile(path='data/neg.fasta.gz', label='neg')]
    """
    files = [ClassFile(path, stem_of(path)) for path in paths]
    if not files:
        raise InvalidInput("An empty list of files.", advice="Name at least one file.", value=[])
    if len({file.label for file in files}) == 1 < len({file.path for file in files}):
        return [ClassFile(file.path, Path(file.path).resolve().parent.name) for file in files]
    return files


def read_files(
    files: list[ClassFile],
    options: ReadOptions,
    whole: str,
    read: Callable[[str, ReadOptions], Iterator[Records]],
) -> Iterator[Records]:
    """Read several files as one.

    What the objects are is decided on the first file, and all others are read alike. If the first
    file has labels, all must have them; otherwise the label of each object is that of its file.

    Parameters
    ----------
    files : list of ClassFile
        The files in order.
    options : ReadOptions
        What the caller named.
    whole : str
        What all of them together are called: the directory, or their names.
    read : callable
        Takes a path and options, and returns the batches of one file.

    Yields
    ------
    Records
    """
    if options.labels_from is not None and len(files) > 1:
        raise InvalidInput(
            f"{setting('labels_from', options.labels_from)} gives the labels of one file, not of "
            f"{len(files)}.",
            advice=f"Join the files to one, or leave {setting('labels_from')} out: the names of "
            "the files are the labels.",
            value=options.labels_from,
        )
    first: Records | None = None
    for file in files:
        for batch in read(file.path, options if first is None else _alike(options, first)):
            first = first or batch
            _check_alike(batch, first, file.path)
            skipped = [
                record.because(Text(f"{file.path}: {Text(record.why).marked}"))
                for record in batch.skipped
            ]
            batch = replace(batch, skipped=skipped, understood=first.understood)
            yield replace(_labelled(batch, file.label, options), path=whole)


def _alike(options: ReadOptions, first: Records) -> ReadOptions:
    """The options by which further files are read as the first one was."""
    if first.column is None:
        return replace(options, kind=first.kind)
    columns = (first.column,) if isinstance(first.column, str) else first.column
    return replace(
        options, columns=columns, kind=first.kind, numbers=first.numbers, target=first.target
    )


def _check_alike(batch: Records, first: Records, path: str) -> None:
    """Refuse files of which only some have labels, or whose arrays differ in shape."""
    if (batch.labels is None) != (first.labels is None):
        has = "no labels" if batch.labels is None else "labels"
        raise fault(
            path,
            f"it has {has}, unlike {first.path}.",
            value=batch.target,
            advice="Give all files a column of labels, or none: then the names of the files are "
            "the labels.",
        )
    shapes = [getattr(records.objects, "shape", ())[1:] for records in (batch, first)]
    if shapes[0] != shapes[1]:
        problem = f"objects of shape {shapes[0]}, but those of {first.path} have {shapes[1]}."
        raise fault(path, problem, value=shapes[0], advice="Give all files the same columns.")


def _labelled(batch: Records, label: str, options: ReadOptions) -> Records:
    """A batch with the label of its file, if it has none of its own."""
    names = [None] * len(batch) if batch.names is None else batch.names
    batch = replace(batch, names=names)
    if batch.labels is not None or not options.labels:
        return batch
    told = ColumnUse(FILE, "label", "the name of the file, or of its directory")
    return replace(
        batch, labels=[label] * len(batch), target=FILE, understood=(*batch.understood, told)
    )


def joined_name(files: list[ClassFile]) -> str:
    """What several files are called in messages.

    Examples
    --------
    >>> joined_name(class_files(["data/pos.fasta", "data/neg.fasta"]))
    'data/pos.fasta, neg.fasta'
    """
    return ", ".join([files[0].path, *(Path(file.path).name for file in files[1:])])
