"""Read a directory of texts: each file is one string, and its sub-directory the label."""

import os
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from wideberth.io.readers.delimited import TEXT_CELLS
from wideberth.io.readers.faults import fault, listed
from wideberth.io.readers.records import RawTable, Row
from wideberth.io.readers.source import Source, Undecodable, determine_encoding, explained_os_errors, warn_guessed_encoding
from wideberth.objects.sample import shown

TEXT, FILE, LABEL = "text", "file", "label"
_NOT_TEXT = re.compile(r"[\ud800-\udfff]")  # what Python makes of bytes in a file name that it cannot decode


def directory_table(path: str, encoding: str | None) -> RawTable:
    r"""Read the files of a directory as a table with the columns ``text``, ``file`` and, if there are sub-directories, ``label``.

    Files are sorted by name, and hidden ones are skipped. Line breaks become ``\n`` whatever the file has, and the last one is
    left out: it ends the text and is not part of it.

    Parameters
    ----------
    path : str
        The directory. Either all files are in it, or all are in its sub-directories, one level deep.
    encoding : str or None
        The encoding of all files; found for each file if None.

    Returns
    -------
    RawTable

    Examples
    --------
    >>> import tempfile
    >>> drinks = Path(tempfile.mkdtemp())
    >>> for label, text in (("hot", "tea\n"), ("cold", "beer\n")):
    ...     _ = (drinks / label).mkdir(), (drinks / label / "1.txt").write_text(text)
    >>> [list(row.cells.values()) for row in directory_table(str(drinks), None).rows]
    [['beer', 'cold/1.txt', 'cold'], ['tea', 'hot/1.txt', 'hot']]
    """
    return RawTable(_rows(path, encoding), TEXT_CELLS, column=TEXT, kind="strings")


def _rows(path: str, encoding: str | None) -> Iterator[Row]:
    """The texts one by one; a guessed encoding is reported once."""
    found = warned = False
    for name, label in _files(path):
        file = str(Path(path, name))
        text, guessed = _read(file, encoding)
        if guessed and not warned:
            warned = True  # once: the files of a corpus usually share their encoding, and there may be thousands
            warn_guessed_encoding(file, guessed)
        found = True
        yield Row(None, {TEXT: text, FILE: name} | ({} if label is None else {LABEL: label}))
    if not found:
        advice = "Put one text into each file, and the files of each class into a directory of its own."
        raise fault(path, "no files in this directory.", value=path, advice=advice)


def _files(path: str) -> Iterator[tuple[str, str | None]]:
    """The name of each file, relative to the directory, and its label."""
    files, folders = _content(path)
    if files and folders:
        raise fault(
            path,
            f"{listed(files)} next to directories ({listed(folders)}).",
            value=files,
            advice="The directories are the labels, so every file must be in one; or put all files into one directory.",
        )
    yield from ((name, None) for name in files)
    for folder in folders:
        files, deeper = _content(str(Path(path, folder)))
        if deeper:
            problem = f"{listed(deeper)} in a directory that is a label itself."
            advice = "Labels are one level deep: move the files up, or read the inner directory."
            raise fault(str(Path(path, folder)), problem, value=deeper, advice=advice)
        yield from ((f"{folder}/{name}", folder) for name in files)


def _content(path: str) -> tuple[list[str], list[str]]:
    """The names of the files and of the directories in a directory, sorted, without the hidden ones."""
    files: list[str] = []
    folders: list[str] = []
    with explained_os_errors(path), os.scandir(path) as entries:
        for entry in entries:
            if entry.name.startswith("."):
                continue
            if not (entry.is_dir() or entry.is_file()) or _NOT_TEXT.search(entry.name):
                problem = f"{shown(entry.name)} is neither a file nor a directory with a name that can be shown."
                raise fault(path, problem, value=entry.name, advice="Remove or rename it.")
            (folders if entry.is_dir() else files).append(entry.name)
    return sorted(files), sorted(folders)


def _read(path: str, encoding: str | None) -> tuple[str, Undecodable | None]:
    """The text of one file; if its encoding is a guess, also the bytes that are not UTF-8."""
    with explained_os_errors(path):
        source = Source(path, TEXT, compressed=path.lower().endswith(".gz"))
        source = replace(source, content=b"".join(source.chunks()))
    settled, guessed = determine_encoding(source, encoding) if source.content else ("utf-8", None)
    text = (source.content or b"").decode(settled).removeprefix("\ufeff")
    text = text.replace("\r\n", "\n").replace("\r", "\n").removesuffix("\n")
    if not text:
        raise fault(path, "the file is empty.", value="", advice="Write the text into it, or remove the file.")
    if "\0" in text:
        raise fault(path, "this is not a text.", value="\0", advice="Remove the file, or save it as text.")
    return text, guessed
