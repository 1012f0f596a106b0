"""Which pieces of code are names of the library that have a page in the reference."""

import re
from importlib import import_module

from wideberth import _HOME, _MODULES

#: A public name, alone or with arguments, with or without the name of the package.
NAME = re.compile(r"(?:wb\.|wideberth\.)?(?P<name>[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)?)(?:\([^()]*\))?")


def target_of(code: str) -> str | None:
    """The full name that a piece of code stands for, None if it is none of ours.

    A lower-case name without the package, such as ``metric`` or ``read``, may just as well be a
    parameter or a word.
    """
    found = NAME.fullmatch(code)
    if found is None:
        return None
    head, _, rest = found["name"].partition(".")
    is_ours = head in _HOME and not rest and (head[0].isupper() or found[0] != head)
    return (
        f"wideberth.{found['name']}"
        if is_ours or (head in _MODULES and rest in _public(head))
        else None
    )


def _public(module: str) -> list[str]:
    """The names of a public module."""
    return list(getattr(import_module(f"wideberth.{module}"), "__all__", []))
