"""What has to be true before a release: ``python tools/release.py``, and with ``--tag v0.3.0`` in the
workflow that publishes.

The version stands at several places, the changelog has to have its section, and the addresses of the
project have to be there. docs/releasing.md is the list for people.
"""

import argparse
import re
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
#: What [project.urls] has to name, by the words that package indexes know.
ADDRESSES = ("Documentation", "Source", "Issues", "Changelog")
#: Where else the version stands, and how.
PLACES = {
    "src/wideberth/__init__.py": r'^__version__ = "(.*)"$',
    "CITATION.cff": r"^version: (.*)$",
    "tools/conda/recipe.yaml": r'^  version: "(.*)"$',
}


def missing(root: Path, tag: str | None) -> Iterator[str]:
    """What stands in the way of a release, each in a sentence."""
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    version = project["version"]
    if tag is not None and tag != f"v{version}":
        yield f"The tag is {tag}, and pyproject.toml has the version {version}: tag v{version}."
    for name, pattern in PLACES.items():
        found = re.search(pattern, (root / name).read_text(encoding="utf-8"), re.MULTILINE)
        if found is None or found[1] != version:
            told = "no version" if found is None else found[1]
            yield f"{name} has {told}, and pyproject.toml {version}: write {version} there."
    changelog = (root / "CHANGELOG.md").read_text(encoding="utf-8")
    if not re.search(rf"^## \[{re.escape(version)}\] - \d{{4}}-\d\d-\d\d$", changelog, re.M):
        yield (
            f"CHANGELOG.md has no section of {version} with a date: name the section Unreleased "
            f"`## [{version}] - YYYY-MM-DD`, and begin a new one above it."
        )
    addresses = project.get("urls", {})
    for name in ADDRESSES:
        if not str(addresses.get(name, "")).startswith("https://"):
            yield f"pyproject.toml has no address of {name} under [project.urls]: write it there."


def main() -> int:
    """Print what is missing."""
    asked = argparse.ArgumentParser(description=__doc__.partition("\n\n")[0])
    asked.add_argument("--tag", help="the tag that is to be published, such as v0.3.0")
    found = list(missing(ROOT, asked.parse_args().tag))
    print(
        *found, sep="\n", end="\n" if found else "Everything that can be checked here is ready.\n"
    )
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main())
