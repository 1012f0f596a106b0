"""The page to try objects by hand: three files, served as they are, that need nothing from elsewhere."""

from importlib.resources import files

_TYPES = {
    "index.html": "text/html; charset=utf-8",
    "page.css": "text/css; charset=utf-8",
    "page.js": "text/javascript; charset=utf-8",
}


def page_files() -> dict[str, tuple[bytes, str]]:
    """The files of the page, each with its media type, by their paths.

    Examples
    --------
    >>> sorted(page_files())
    ['/', '/page.css', '/page.js']
    """
    folder = files("wideberth.serve.web") / "page"
    return {
        "/" if name == "index.html" else f"/{name}": ((folder / name).read_bytes(), media_type)
        for name, media_type in _TYPES.items()
    }
