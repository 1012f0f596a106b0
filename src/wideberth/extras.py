"""Optional dependencies: import one, or say in a sentence how to get it."""

from importlib import import_module
from types import ModuleType

from wideberth.errors import MissingExtra


def import_extra(module: str, extra: str) -> ModuleType:
    """Import ``module``, which the optional dependency group ``extra`` installs.

    >>> import_extra("no_such_module", "transport")
    Traceback (most recent call last):
    ...
    wideberth.errors.MissingExtra: This needs the package 'no_such_module'. Install it with: pip install "wideberth[transport]"
    """
    try:
        return import_module(module)
    except ModuleNotFoundError as missing:
        if missing.name != module.partition(".")[0]:
            raise
        raise MissingExtra(
            f"This needs the package {module!r}.",
            advice=f'Install it with: pip install "wideberth[{extra}]"',
            extra=extra,
        ) from None
