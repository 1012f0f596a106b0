"""Find what is not text in a text: halves of surrogate pairs, which stand for no character."""

import re

_SURROGATE = re.compile("[\ud800-\udfff]")


def half_character(text: str) -> str | None:
    r"""Describe the first half of a surrogate pair in a text.

    UTF-16 writes some characters as pairs of surrogates. One of them alone, which JSON and Python
    can hold, is no character: no file or terminal takes it.

    Parameters
    ----------
    text : str
        Any text.

    Returns
    -------
    str or None
        What is wrong, as the beginning of a sentence; None if nothing is.

    Examples
    --------
    >>> half_character("tea"), half_character("tea \u2615")
    (None, None)
    >>> print(half_character("tea \ud83c"))
    '\ud83c' at character 5 is half of a surrogate pair
    """
    if text.isascii() or not (found := _SURROGATE.search(text)):
        return None
    return f"{found[0]!r} at character {found.start() + 1} is half of a surrogate pair"
