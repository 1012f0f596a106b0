"""`show_versions`: the versions that belong in a bug report."""

import platform
import re
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, requires, version


def show_versions() -> None:
    """Print the versions of wideberth, Python, the platform, the dependencies and the installed
    optional ones.

    The packages are looked up, not imported, so that this also works if one of them is missing or
    broken.

    Examples
    --------
    >>> show_versions()
    wideberth     ...
    python        3...
    platform      ...
    numpy         ...
    """
    for name, found in _versions():
        print(f"{name:<13} {found}")


def _versions() -> Iterator[tuple[str, str]]:
    """Yield names and versions. Missing core dependencies are listed as such; missing optional ones
    are left out.
    """
    yield "wideberth", version("wideberth")
    yield "python", platform.python_version()
    yield "platform", platform.platform()
    for name, extra in _requirements():
        found = _installed(name)
        if extra == "":
            yield name, found or "not installed"
        elif found and extra != "all":  # which has the packages of all others
            yield name, f"{found} (extra: {extra})"


def _requirements() -> Iterator[tuple[str, str]]:
    """Yield the name of each required distribution and the extra that requires it, "" for a core
    dependency.
    """
    for line in requires("wideberth") or []:
        requirement, _, marker = line.partition(";")
        name = re.split(r"[^\w.-]", requirement, maxsplit=1)[0]
        extra = re.search(r"""extra == ['"]([\w-]+)['"]""", marker)
        yield name, extra[1] if extra else ""


def _installed(name: str) -> str | None:
    """The version of a distribution, or None if it is not installed."""
    try:
        return version(name)
    except PackageNotFoundError:
        return None
