"""Check the links of a built site: ``python tools/check_site.py build/site``.

Every link inside the site must lead to a file that is there and to an anchor in it; links to
elsewhere are not followed, only their form is looked at; and no page may load a script, a style or
a picture from elsewhere, so that the site works offline.
"""

import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

#: What loads its address, by itself, when a page is opened.
LOADED = {
    ("script", "src"),
    ("img", "src"),
    ("iframe", "src"),
    ("source", "src"),
    ("object", "data"),
    ("link", "href"),
}
#: Links in the head of a page that load nothing.
RELATIONS = {"canonical", "next", "prev", "search", "index", "author"}


@dataclass
class Page(HTMLParser):
    """The anchors of a page, the addresses that it loads, and those that it links to."""

    anchors: set[str] = field(default_factory=set)
    loads: list[str] = field(default_factory=list)
    links: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note what the parser has met."""
        given = {name: value for name, value in attrs if value is not None}
        self.anchors |= {given[name] for name in ("id", "name") if name in given}
        for name, value in given.items():
            if (tag, name) in LOADED:
                (self.links if given.get("rel") in RELATIONS else self.loads).append(value)
            elif (tag, name) == ("a", "href"):
                self.links.append(value)


@cache
def read(path: Path) -> Page:
    """The page in a file."""
    page = Page()
    page.feed(path.read_text(encoding="utf-8"))
    return page


def faults(site: Path) -> Iterator[str]:
    """What is wrong with the links of a site, in words."""
    for path in sorted(site.rglob("*.html")):
        if path.is_relative_to(
            site / "_static"
        ):  # pieces of pages, from which the theme takes its icons
            continue
        page, name = read(path), path.relative_to(site).as_posix()
        yield from (f"{name} loads {address}" for address in page.loads if is_elsewhere(address))
        for address in dict.fromkeys([*page.links, *page.loads]):
            fault = (
                fault_elsewhere(address)
                if is_elsewhere(address)
                else fault_inside(site, path, address)
            )
            if fault:
                yield f"{name} links to {address}: {fault}"


def is_elsewhere(address: str) -> bool:
    """Whether an address leaves the site; what stands in the address itself does not."""
    parts = urlsplit(address)
    return bool(parts.scheme or parts.netloc) and parts.scheme != "data"


def fault_elsewhere(address: str) -> str | None:
    """What is wrong with the form of an address elsewhere."""
    parts = urlsplit(address)
    if parts.scheme == "mailto":
        return None if "@" in parts.path else "no address of a person"
    if parts.scheme not in ("http", "https"):
        return "neither http nor https"
    host = parts.hostname or ""
    return (
        None
        if ("." in host or host == "localhost") and not set(address) & set(" <>`")
        else "no well-formed address"
    )


def fault_inside(site: Path, path: Path, address: str) -> str | None:
    """What is missing of the target of a link inside the site."""
    parts = urlsplit(address)
    if parts.scheme == "data":
        return None
    there = (path.parent / unquote(parts.path)).resolve() if parts.path else path.resolve()
    if not there.is_relative_to(site.resolve()):
        return "outside the site"
    if not there.is_file():
        return "no such file"
    wanted = unquote(parts.fragment)
    return (
        f"no anchor {wanted!r} there"
        if wanted and there.suffix == ".html" and wanted not in read(there).anchors
        else None
    )


def main(site: Path) -> int:
    """Print all faults; the number of pages otherwise."""
    found = list(faults(site))
    print(*found, sep="\n", end="\n" if found else "")
    pages = [path for path in site.rglob("*.html") if not path.is_relative_to(site / "_static")]
    print(
        f"{len(pages)} pages, {sum(len(read(path).links) for path in pages):,} links, {len(found)} "
        "of them wrong."
    )
    return int(bool(found) or not pages)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
