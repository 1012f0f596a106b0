"""Read a directory of texts: each file is one string, and its sub-directory the label."""

import os
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from wideberth.errors import InvalidFile
from wideberth.io.readers.formats.delimited import TEXT_CELLS
from wideberth.io.readers.records import (
    RawTable,
    ReadOptions,
    Row,
    Rows,
    explained_os_errors,
    fault,
    listed,
    readable,
)
from wideberth.io.readers.source import (
    Format,
    Source,
    Undecodable,
    determine_encoding,
    is_packed,
    too_large,
    warn_guessed_encoding,
)
from wideberth.objects.sample import half_character, shown

TEXT, FILE, LABEL = "text", "file", "label"


def directory_table(source: Source, options: ReadOptions) -> RawTable:
    r"""Read the files of a directory as a table with the columns ``text``, ``file`` and, if there
    are sub-directories, ``label``.

    Files are sorted by name, and hidden ones are skipped. Line breaks become ``\n`` whatever the
    file has, and the last one is left out: it ends the text and is not part of it.

    Examples
    --------
    >>> import tempfile
    >>> drinks = Path(tempfile.mkdtemp())
    >>> for label, text in (("hot", "tea\n"), ("cold", "beer\n")):
    ...     _ = (drinks / label).mkdir(), (drinks / label / "1.txt").write_text(text)
    >>> [
    ...     list(row.cells.values())
    ...     for row in directory_table(Source(str(drinks)), ReadOptions()).rows
    ... ]
    [['beer', 'cold/1.txt', 'cold'], ['tea', 'hot/1.txt', 'hot']]
    """
    rows = _rows(source.path, _files(source.path), options.encoding, source.max_size)
    return RawTable(rows, TEXT_CELLS, column=TEXT, kind="strings", identifier=FILE)


def text_files(path: str) -> list[tuple[str, str | None]]:
    """The files of a directory, each of which is one text: names relative to it, sorted, and their
    sub-directories, the labels.

    Examples
    --------
    >>> import tempfile
    >>> drinks = Path(tempfile.mkdtemp())
    >>> _ = (drinks / "tea.txt").write_text("tea")
    >>> text_files(str(drinks))
    [('tea.txt', None)]
    """
    return list(_files(path))


def read_text_files(
    path: str, files: Iterable[tuple[str, str | None]], max_size: int
) -> list[dict[str, str]]:
    """Some of the files that `text_files` lists: dicts of their ``text``, ``file`` and, if they
    have one, ``label``.

    Examples
    --------
    >>> import tempfile
    >>> drinks = Path(tempfile.mkdtemp())
    >>> _ = (drinks / "tea.txt").write_text("hot tea")
    >>> read_text_files(str(drinks), [("tea.txt", None)], 1000)
    [{'text': 'hot tea', 'file': 'tea.txt'}]
    """
    return [row.cells for row in readable(_rows(path, files, None, max_size))]


def _rows(
    path: str, files: Iterable[tuple[str, str | None]], encoding: str | None, max_size: int
) -> Rows:
    """The texts one by one; a guessed encoding is reported once."""
    found = warned = False
    unpacked = 0
    for name, label in files:
        source = _source(str(Path(path, name)), max_size)
        unpacked += len(source.content or b"") if source.compressed else 0
        if unpacked > max_size:
            raise too_large(path, max_size)
        try:
            text, settled, guessed = _text(source, encoding)
        except InvalidFile as error:
            yield error
            continue
        if guessed and not warned:
            # once: the files of a corpus usually share their encoding, and there may be thousands
            warned = True
            warn_guessed_encoding(source.path, guessed, settled)
        found = True
        yield Row(None, {TEXT: text, FILE: name} | ({} if label is None else {LABEL: label}))
    if not found:
        advice = (
            "Put one text into each file, and the files of each class into a directory of its own."
        )
        raise fault(path, "no files in this directory.", advice, value=path)


def _files(path: str) -> Iterator[tuple[str, str | None]]:
    """The name of each file, relative to the directory, and its label."""
    files, folders = _content(path)
    if files and folders:
        raise fault(
            path,
            f"{listed(files)} next to directories ({listed(folders)}).",
            "The directories are the labels, so every file must be in one; or put all files "
            "into one directory.",
            value=files,
        )
    yield from ((name, None) for name in files)
    for folder in folders:
        files, deeper = _content(str(Path(path, folder)))
        if deeper:
            problem = f"{listed(deeper)} in a directory that is a label itself."
            advice = "Labels are one level deep: move the files up, or read the inner directory."
            raise fault(str(Path(path, folder)), problem, advice, value=deeper)
        yield from ((f"{folder}/{name}", folder) for name in files)


def _content(path: str) -> tuple[list[str], list[str]]:
    """The names of the files and of the directories in a directory, sorted, without the hidden
    ones.
    """
    files: list[str] = []
    folders: list[str] = []
    with explained_os_errors(path), os.scandir(path) as entries:
        for entry in entries:
            if entry.name.startswith("."):
                continue
            # Python makes halves of surrogate pairs of the bytes of a name that it cannot decode
            if not (entry.is_dir() or entry.is_file()) or half_character(entry.name):
                problem = (
                    f"{shown(entry.name)} is neither a file nor a directory with a name that can "
                    "be shown."
                )
                raise fault(path, problem, "Remove or rename it.", value=entry.name)
            (folders if entry.is_dir() else files).append(entry.name)
    return sorted(files), sorted(folders)


def _source(path: str, max_size: int) -> Source:
    """One file with its content, at most ``max_size`` bytes if it is compressed."""
    source = Source(path, compressed=is_packed(path), max_size=max_size)
    return replace(source, content=b"".join(source.chunks()))


def _text(source: Source, encoding: str | None) -> tuple[str, str, Undecodable | None]:
    """The text of one file and its encoding; if that is a guess, also the bytes that are not
    UTF-8.
    """
    settled, guessed = determine_encoding(source, encoding) if source.content else ("utf-8", None)
    text = (source.content or b"").decode(settled).removeprefix("\ufeff")
    text = text.replace("\r\n", "\n").replace("\r", "\n").removesuffix("\n")
    if not text:
        raise fault(
            source.path,
            "the file is empty.",
            "Write the text into it, or remove the file.",
            value="",
        )
    if "\0" in text or half_character(text):
        value = "\0" if "\0" in text else text
        raise fault(
            source.path, "this is not a text.", "Remove the file, or save it as text.", value=value
        )
    return text, settled, guessed


DIRECTORY = Format(
    name="a directory",
    endings=(),
    of_file=directory_table,
    labels="Put the files of each class into a directory of its own.",
    example=b"hot tea\n",
)
