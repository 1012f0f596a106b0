"""Read which words may stand in the place of others from a file."""

from typing import Any

from wideberth.errors import InvalidFile
from wideberth.io.readers.opening import locate
from wideberth.io.strict_json import parse_data


def read_synonyms(path: str) -> dict[str, Any]:
    r"""Read a table of words from a JSON file, compressed or not: ``{"good": ["fine", "great"]}``.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> file = Path(tempfile.mkdtemp(), "synonyms.json")
    >>> _ = file.write_text('{"good": ["fine", "great"]}')
    >>> read_synonyms(str(file))
    {'good': ['fine', 'great']}
    """
    try:
        source = locate(path, any_text=True)
        table = parse_data(b"".join(source.chunks()).decode("utf-8-sig"))
    except ValueError as reason:
        raise _fault(path, f"it is no JSON: {reason}") from None
    if not isinstance(table, dict):
        raise _fault(path, f"it holds a {type(table).__name__}")
    for word, others in table.items():
        if not isinstance(others, list) or not all(isinstance(other, str) for other in others):
            raise _fault(path, f"{word!r} has no list of words")
    return table


def _fault(path: str, what: str) -> InvalidFile:
    return InvalidFile(
        f"{path} is no table of synonyms: {what}.",
        advice='Write a list of words for each word: {"good": ["fine", "great"]}.',
        path=path,
        line=None,
        value=path,
    )
