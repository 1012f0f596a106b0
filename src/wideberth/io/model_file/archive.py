"""Write and check the zip archive of a model file: it is read only if every byte is what it was
when it was written.

Three checks build on each other: the seal, a SHA-256 of the whole file at its end, finds accidental
damage; the manifest lists every entry with its size and SHA-256; and sizes are compared with that
of the file before anything is read into memory. The checksums have no secret key: they do not prove
who wrote a file, and reading never depends on trust.
"""

import hashlib
import io
import json
import os
import re
import struct
import zipfile
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any, BinaryIO

import wideberth
from wideberth.errors import InvalidFile
from wideberth.io import strict_json
from wideberth.wording import python

FORMAT, FORMAT_VERSION = "wideberth model", 1
MANIFEST = "manifest.json"

#: The comment that ends the file: the SHA-256 of all bytes before it.
_SEAL = b"sha256=%s"
_SEAL_SIZE = len(_SEAL % (b"0" * 64))
#: Bytes hashed at a time, and the largest size of a manifest in bytes.
_CHUNK, _LARGEST_MANIFEST = 1 << 20, 1 << 24
#: What zipfile raises for bytes that are not the zip they claim to be: sizes, positions, flags,
#: extra fields or names.
_NO_ZIP = (
    zipfile.BadZipFile,
    ValueError,
    OSError,
    EOFError,
    RuntimeError,
    OverflowError,
    struct.error,
)
#: Letters of a value or of another error's message that a message of ours repeats.
_SHOWN = 300
#: The earliest time that a zip can hold, in place of the time of writing: equal models give equal
#: files.
_NO_TIME = (1980, 1, 1, 0, 0, 0)


def refusal(
    path: str, entry: str | None, problem: str, *, value: object = None, advice: str = ""
) -> InvalidFile:
    """Make the error for a model file that cannot be read.

    Parameters
    ----------
    path : str
        The file, as the message names it.
    entry : str or None
        The entry of the archive in which the problem is; None for the file as a whole.
    problem : str
        What is wrong, as the end of a sentence; a very long one is shortened, since a file decides
        what it repeats.
    value : object, optional
        The value that is wrong, kept as an attribute of the error.
    advice : str, optional
        What to do; by default to save the model again.

    Returns
    -------
    InvalidFile
        To be raised by the caller.

    Examples
    --------
    >>> print(
    ...     refusal(
    ...         "tea.wb", "model.json", "the checksum is wrong.", advice="Save the model again."
    ...     )
    ... )
    tea.wb, entry 'model.json': the checksum is wrong. Save the model again.
    """
    place = path if entry is None else f"{path}, entry {_shortened(repr(entry))}"
    return InvalidFile(
        f"{place}: {_shortened(problem)}",
        advice=advice or "Save the model again.",
        path=path,
        entry=entry,
        line=None,
        value=value,
    )


def _shortened(text: str) -> str:
    """A text without its middle if it is long: a message is read by people."""
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN // 2]} ... {text[-_SHOWN // 2 :]}"


def write_archive(
    stream: BinaryIO, entries: Iterable[tuple[str, bytes]], provenance: dict[str, Any]
) -> None:
    """Write entries, then the manifest and the seal.

    The same entries give the same bytes: no time of writing is stored.

    Parameters
    ----------
    stream : binary stream
        Readable, writable and at its beginning: the seal is computed from the bytes that were
        written.
    entries : iterable of (str, bytes)
        Names and contents, written in this order; only one content is in memory at a time if the
        iterable makes them one by one.
    provenance : dict
        What the manifest says of where the model comes from, as plain values.

    Examples
    --------
    >>> stream = io.BytesIO()
    >>> write_archive(stream, [("model.json", b"{}")], {"n_learned": 2})
    >>> zipfile.ZipFile(stream).namelist()
    ['model.json', 'manifest.json']
    """
    listed = {}
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_STORED) as archive:
        for name, content in entries:
            archive.writestr(zipfile.ZipInfo(name, _NO_TIME), content)
            listed[name] = {"bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}
        manifest = {
            "format": FORMAT,
            "format_version": FORMAT_VERSION,
            "wideberth_version": wideberth.__version__,
            "provenance": provenance,
            "entries": listed,
        }
        archive.writestr(zipfile.ZipInfo(MANIFEST, _NO_TIME), json.dumps(manifest, indent=1))
        archive.comment = _SEAL % (b"0" * 64)
    size = stream.seek(0, io.SEEK_END)
    seal = _SEAL % _digest(stream, size - _SEAL_SIZE).encode()
    stream.seek(-_SEAL_SIZE, io.SEEK_END)
    stream.write(seal)


class Archive:
    """An open model file that passed all checks: the seal, the version, and the names and sizes of
    its entries.

    A context manager, which closes the file at the end.

    Parameters
    ----------
    path : str or path
        The file.

    Attributes
    ----------
    path : str
        The file, as messages name it.
    manifest : dict
        ``format``, ``format_version``, ``wideberth_version``, ``entries`` with the ``bytes`` and
        the ``sha256`` of each, and ``provenance``, which `wideberth.io.model_file.provenance`
        reads.

    Raises
    ------
    InvalidFile
        If a check fails: the message names the entry and what is wrong with it.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp(), "tea.wb")
    >>> with path.open("w+b") as stream:
    ...     write_archive(stream, [("model.json", b"{}")], {"n_learned": 2})
    >>> with Archive(path) as archive:
    ...     archive.read("model.json")
    b'{}'
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = os.fspath(path)
        self._stream = self._open_file()
        try:
            self._zip = self._open_zip()
            self.manifest = self._read_manifest()
            self._check_seal()
            self._check_entries()
        except BaseException:
            self._stream.close()
            raise

    def __enter__(self) -> "Archive":
        return self

    def __exit__(self, *reason: object) -> None:
        self._stream.close()

    def read(self, name: str) -> bytes:
        """Read an entry.

        Parameters
        ----------
        name : str
            The name of the entry.

        Returns
        -------
        bytes
            Its content, which has the size and the SHA-256 of the manifest.

        Raises
        ------
        InvalidFile
            If there is no such entry, or if it is compressed, damaged or not the one that the
            manifest describes.
        """
        if name not in self.manifest["entries"]:
            raise refusal(self.path, name, "there is no such entry.", value=name)
        declared = self.manifest["entries"][name]
        content = self._content(self._zip.getinfo(name), declared["bytes"])
        if hashlib.sha256(content).hexdigest() != declared["sha256"]:
            raise refusal(
                self.path,
                name,
                "its SHA-256 is not the one in the manifest.",
                value=declared["sha256"],
            )
        return content

    def _open_file(self) -> BinaryIO:
        try:
            if (
                Path(self.path).is_fifo() or Path(self.path).is_char_device()
            ):  # opening one may wait forever
                advice = "Write it to a plain file first: its parts are read in any order."
                raise refusal(
                    self.path,
                    None,
                    "this is a pipe or a device, not a file.",
                    value=self.path,
                    advice=advice,
                )
            return Path(self.path).open("rb")
        except InvalidFile:
            raise
        except (OSError, ValueError) as reason:  # of a name with a NUL in it, a ValueError
            advice = (
                "Check the path."
                if isinstance(reason, FileNotFoundError)
                else "Check that it is a file you may read."
            )
            why = getattr(reason, "strerror", None) or reason
            raise refusal(
                self.path, None, f"cannot be opened ({why}).", value=self.path, advice=advice
            ) from None

    def _open_zip(self) -> zipfile.ZipFile:
        try:
            return zipfile.ZipFile(self._stream)
        except (
            _NO_ZIP
        ) as reason:  # NotImplementedError, of features of zip files, is a RuntimeError
            raise refusal(
                self.path,
                None,
                f"this is not a model file, or only a part of one ({reason}).",
                value=str(reason),
                advice=f"{python('wideberth.save')}(model, path) and 'wideberth fit' write one; "
                "copy or download it again if it was one.",
            ) from None

    def _read_manifest(self) -> dict[str, Any]:
        found = self._zip.namelist().count(MANIFEST)
        if found != 1:
            raise refusal(
                self.path, MANIFEST, f"there are {found} such entries, not one.", value=found
            )
        info = self._zip.getinfo(MANIFEST)
        if info.file_size > _LARGEST_MANIFEST:
            raise refusal(
                self.path,
                MANIFEST,
                f"{info.file_size:,} bytes are too many for it.",
                value=info.file_size,
            )
        try:
            manifest = strict_json.parse(self._content(info, info.file_size).decode())
        except ValueError as reason:
            raise refusal(
                self.path, MANIFEST, f"not readable as JSON ({reason}).", value=str(reason)
            ) from None
        self._check_version(manifest)
        return dict(manifest)

    def _check_version(self, manifest: Any) -> None:
        """Refuse a manifest of another format, of another version of it, or without a description
        of every entry.
        """
        if not isinstance(manifest, dict) or manifest.get("format") != FORMAT:
            raise refusal(
                self.path, MANIFEST, f"it does not name the format {FORMAT!r}.", value=manifest
            )
        version, library = manifest.get("format_version"), manifest.get("wideberth_version")
        if type(version) is not int or version < 1 or type(library) is not str:
            raise refusal(
                self.path, MANIFEST, f"{version!r} is not a version of the format.", value=version
            )
        if version != FORMAT_VERSION:
            raise refusal(
                self.path,
                MANIFEST,
                f"format {version}, written by wideberth {library[:20]}; wideberth "
                f"{wideberth.__version__} reads format {FORMAT_VERSION}.",
                value=version,
                advice="Install a newer wideberth, or save the model again with this one.",
            )
        entries = manifest.get("entries")
        if not isinstance(entries, dict) or not all(map(_describes_entry, entries.values())):
            raise refusal(
                self.path,
                MANIFEST,
                "it does not give the bytes and the sha256 of every entry.",
                value=entries,
            )

    def _check_seal(self) -> None:
        """Compare the SHA-256 at the end of the file with that of all bytes before it."""
        size = self._stream.seek(0, io.SEEK_END)
        self._stream.seek(max(0, size - _SEAL_SIZE))
        found = self._stream.read()
        if (
            not re.fullmatch(_SEAL % b"[0-9a-f]{64}", found)
            or found != _SEAL % _digest(self._stream, size - _SEAL_SIZE).encode()
        ):
            raise refusal(
                self.path,
                None,
                "the file was changed after it was written: its SHA-256 is not the one at its end.",
                value=found,
                advice="Copy or download it again, or save the model again.",
            )

    def _check_entries(self) -> None:
        """Refuse entries that the manifest does not list, that are missing, that share a name, or
        that overlap in the file.
        """
        names, declared = Counter(self._zip.namelist()), self.manifest["entries"]
        for name, found in names.items():
            if found > 1:
                raise refusal(self.path, name, f"{found} entries have this name.", value=name)
            if name not in declared and name != MANIFEST:
                raise refusal(self.path, name, "the manifest does not list it.", value=name)
        for name in declared:
            if name not in names or name == MANIFEST:
                raise refusal(
                    self.path, name, "the manifest lists it, but it is not there.", value=name
                )
        size = self._stream.seek(0, io.SEEK_END)
        total = sum(info.file_size for info in self._zip.infolist())
        if total > size:  # entries that overlap
            raise refusal(
                self.path,
                None,
                f"its entries claim {total:,} bytes, the file has {size:,}.",
                value=total,
            )

    def _content(self, info: zipfile.ZipInfo, declared: int) -> bytes:
        """The bytes of an entry, as many as declared; a compressed one is refused, so that none can
        be larger than the file.
        """
        if info.compress_type != zipfile.ZIP_STORED or info.file_size != info.compress_size:
            raise refusal(
                self.path,
                info.filename,
                "it is compressed, which is never so in model files.",
                value=info.compress_type,
            )
        if info.file_size != declared:
            problem = f"it has {info.file_size:,} bytes, the manifest declares {declared:,}."
            raise refusal(self.path, info.filename, problem, value=info.file_size)
        try:
            with self._zip.open(info) as stream:
                content = stream.read(declared + 1)
        except _NO_ZIP as reason:
            raise refusal(
                self.path, info.filename, f"it is damaged ({reason}).", value=str(reason)
            ) from None
        if len(content) != declared:
            problem = f"it ends after {len(content):,} of {declared:,} bytes."
            raise refusal(self.path, info.filename, problem, value=len(content))
        return content


def _digest(stream: BinaryIO, size: int) -> str:
    """The SHA-256 of the first ``size`` bytes of a stream, in hexadecimal digits."""
    stream.seek(0)
    digest = hashlib.sha256()
    while size > 0 and (chunk := stream.read(min(_CHUNK, size))):
        digest.update(chunk)
        size -= len(chunk)
    return digest.hexdigest()


def _describes_entry(entry: Any) -> bool:
    """Whether a value of the manifest gives the size and the checksum of an entry, in the right
    types.
    """
    return (
        isinstance(entry, dict)
        and entry.keys() == {"bytes", "sha256"}
        and type(entry["bytes"]) is int
        and entry["bytes"] >= 0
        and type(entry["sha256"]) is str
    )
