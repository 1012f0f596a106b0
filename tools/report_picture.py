"""Take the pictures of reports that the documentation shows, into docs/pictures: python
tools/report_picture.py [NAME ...]

It needs a Chromium and its driver, as tests/browser does, and uses only data that come with the
packages. `report` is the first screen of the report on texts that `make demo` writes, `report-names`
the map of the one on names, the others are the maps of reports in tests/browser.
"""

import io
import runpy
import sys
import tempfile
from contextlib import chdir
from pathlib import Path

from PIL import Image

ROOT = Path(__file__).parents[1]
PICTURES = ROOT / "docs" / "pictures"
sys.path.insert(0, str(ROOT / "tests"))

from browser.chromium import Browser  # noqa: E402
from browser.reports import write  # noqa: E402

#: Pictures, and the reports that they show; those with a suffix are files of the demo.
REPORTS = {
    "report": "texts.html",
    "report-names": "names.html",
    "report-images": "distributions",
    "report-molecules": "molecules",
    "report-series": "series",
    "report-trees": "trees",
}
#: Colours of a picture: few are enough for figures and texts, and a quarter of the bytes.
COLOURS = 128


def demo(folder: Path) -> Path:
    """The folder of the reports of `make demo`, which are written once."""
    made = folder / "build" / "demo"
    if not made.exists():
        with chdir(folder):
            runpy.run_path(str(ROOT / "examples" / "first_names.py"), run_name="__main__")
    return made


def take(browser: Browser, name: str, page: Path) -> bytes:
    """The first screen, or the map with an object chosen."""
    browser.open(page)
    browser.find("#objects")
    if name == "report":
        return browser.driver.get_screenshot_as_png()
    chosen = browser.all("#check-first button") or browser.all(
        "#map .map svg circle, #map .map svg path"
    )
    browser.click(chosen[0])
    browser.wait(lambda: browser.all("aside.panel li"), "no neighbours are shown")
    browser.run("document.querySelector('header.top').style.display = 'none'")
    browser.point_away()
    return browser.find("#map .beside").screenshot_as_png


def main(names: list[str]) -> None:
    """Take the pictures that are named, or all of them."""
    PICTURES.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        written: dict[str, Path] = {}
        browser = Browser(folder / "profile")
        try:
            for name in names or REPORTS:
                shown = REPORTS[name]
                if shown not in written:
                    in_demo = shown.endswith(".html")
                    written[shown] = demo(folder) / shown if in_demo else write(shown, folder)
                picture = Image.open(io.BytesIO(take(browser, name, written[shown]))).convert("RGB")
                path = PICTURES / f"{name}.png"
                picture.quantize(COLOURS, dither=Image.Dither.NONE).save(path, optimize=True)
                print(
                    f"{path.relative_to(ROOT)}: {picture.width} x {picture.height}, "
                    f"{path.stat().st_size / 1000:.0f} kB",
                    flush=True,
                )
        finally:
            browser.close()


if __name__ == "__main__":
    main(sys.argv[1:])
