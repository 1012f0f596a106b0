"""The one form of a refusal: file, entry, what is wrong, the way out."""

from wideberth.errors import InvalidFile


def refusal(path: str, entry: str | None, problem: str, *, value: object = None, advice: str = "") -> InvalidFile:
    """The error for a model file that is not read, its facts kept as attributes.

    >>> print(refusal("tea.wb", "model.json", "the checksum is wrong.", advice="Save the model anew."))
    tea.wb, entry 'model.json': the checksum is wrong. Save the model anew.
    """
    place = path if entry is None else f"{path}, entry {entry!r}"
    return InvalidFile(
        f"{place}: {problem}", advice=advice or "Save the model anew.", path=path, entry=entry, line=None, value=value
    )
