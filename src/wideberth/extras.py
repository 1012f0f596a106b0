"""Optional dependencies: import one, or raise an error that explains how to install it."""

from importlib import import_module
from types import ModuleType

from wideberth.errors import MissingExtra


def import_extra(module: str, extra: str) -> ModuleType:
    """Import a module that is installed only with an extra of ``pyproject.toml``.

    An installed module that fails to import something else passes on that error.

    Examples
    --------
    >>> import_extra("no_such_module", "transport")
    Traceback (most recent call last):
    ...
    wideberth.errors.MissingExtra: This needs the package 'no_such_module'. Install it with: pip install "wideberth[transport]"
    """
    try:
        return import_module(module)
    except ModuleNotFoundError as missing:
        package = module.partition(".")[0]
        if missing.name != package:
            raise
        raise MissingExtra(
            f"This needs the package {package!r}.",
            advice=f'Install it with: pip install "wideberth[{extra}]"',
            extra=extra,
        ) from None
