"""The one form of a reader's complaint: file, line, what is wrong, the way out."""

from wideberth.errors import InvalidFile

STANDARD_INPUT = "-"


def fault(
    path: str, problem: str, *, line: int | None = None, value: object = None, advice: str = "", unit: str = "line"
) -> InvalidFile:
    """The error for ``problem`` in a file, its facts kept as attributes.

    >>> print(fault("names.csv", "'abc' is not a number.", line=17, value="abc", advice="Correct it."))
    names.csv, line 17: 'abc' is not a number. Correct it.
    """
    return InvalidFile(f"{place(path, line, unit)}: {problem}", advice=advice, path=path, line=line, value=value)


def place(path: str, line: int | None = None, unit: str = "line") -> str:
    """Where in which file, as messages begin; ``unit`` is what a file without lines counts.

    >>> place("names.csv", 17), place("names.parquet", 17, "row"), place("-")
    ('names.csv, line 17', 'names.parquet, row 17', 'standard input')
    """
    name = "standard input" if path == STANDARD_INPUT else path
    return name if line is None else f"{name}, {unit} {line}"


def shown(value: object) -> str:
    """A value as messages quote it: its repr, cut to a length that fits in a sentence.

    >>> shown("tea"), len(shown("tea" * 100))
    ("'tea'", 60)
    """
    text = repr(value[:100] if isinstance(value, str | list) else value)
    return text if len(text) <= 60 else text[:57] + "..."


def counted(number: int, noun: str) -> str:
    """A number of things, in the singular if there is one.

    >>> counted(1, "row"), counted(2, "row")
    ('1 row', '2 rows')
    """
    return f"{number} {noun}{'s' * (number != 1)}"


def listed(names: list[str]) -> str:
    """Names as messages list them: quoted, at most a dozen.

    >>> listed(["word", "label"])
    "'word', 'label'"
    """
    rest = len(names) - 12
    return ", ".join(map(repr, names[:12])) + (f" and {rest} more" if rest > 0 else "")
