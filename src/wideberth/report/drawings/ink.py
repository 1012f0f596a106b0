"""Small pictures, written here: arrays of brightness as PNG files, line drawings as SVG files.

No package of images is needed. Both are shown as images, in which nothing can run; what they
contain is written here, and labels are escaped all the same.
"""

import base64
import reprlib
import struct
import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wideberth.array_types import Floats
from wideberth.safe_text import visible

#: Most pixels along one side: larger images are shown by means of their blocks. Pixels are enlarged
#: to about this size in all.
MOST_PIXELS, SHOWN = 32, 64
#: The colour types of PNG, by the number of channels.
_COLOUR_TYPES = {1: 0, 3: 2, 4: 6}


def image(brightness: Any) -> dict[str, Any]:
    """Draw an array of shape (height, width), or (height, width, 3 or 4) for colours, as an image.

    The smallest finite value is black and the largest white, but for bytes, which mean what they
    say; missing values are black.

    The drawing: ``{"type": "image", "uri": "data:image/png;base64,...", "width": ..., "height":
    ..., "ink": False, "alt": ...}``.

    Examples
    --------
    >>> drawn = image([[0, 1], [1, 0]])
    >>> drawn["uri"][:30], drawn["alt"]
    ('data:image/png;base64,iVBORw0K', 'image of 2 x 2 pixels')
    """
    given = np.asarray(brightness)
    pixels = given.astype(float)[..., None] if given.ndim == 2 else given.astype(float)
    height, width = pixels.shape[:2]
    small = _blocks(_blocks(pixels, 0), 1)
    enlarged = max(1, SHOWN // max(small.shape[:2]))
    return {
        "type": "image",
        "uri": data_uri(png(_bytes(small, given.dtype == np.uint8)), "image/png"),
        "width": enlarged * small.shape[1],
        "height": enlarged * small.shape[0],
        "ink": False,
        "alt": f"image of {height:,} x {width:,} pixels",
    }


def data_uri(content: bytes, media_type: str) -> str:
    """Write the content of a file as an address that contains it.

    Examples
    --------
    >>> data_uri(b"tea", "text/plain")
    'data:text/plain;base64,dGVh'
    """
    return f"data:{media_type};base64,{base64.b64encode(content).decode('ascii')}"


def png(pixels: NDArray[np.uint8]) -> bytes:
    """Write an image as a PNG file (W3C, "Portable Network Graphics specification", third edition).

    Of one channel (grey), three (red, green, blue) or four (with opacity): uint8 of shape (height,
    width, channels).

    Examples
    --------
    >>> png(np.zeros((1, 1, 1), dtype=np.uint8))[:8]
    b'\\x89PNG\\r\\n\\x1a\\n'
    """
    height, width, channels = pixels.shape
    rows = b"".join(b"\0" + row.tobytes() for row in pixels)  # 0: this row is not filtered
    header = struct.pack(">IIBBBBB", width, height, 8, _COLOUR_TYPES[channels], 0, 0, 0)
    parts = [(b"IHDR", header), (b"IDAT", zlib.compress(rows, 9)), (b"IEND", b"")]
    return b"\x89PNG\r\n\x1a\n" + b"".join(_part(name, content) for name, content in parts)


def _part(name: bytes, content: bytes) -> bytes:
    return (
        struct.pack(">I", len(content))
        + name
        + content
        + struct.pack(">I", zlib.crc32(name + content))
    )


def _blocks(pixels: Floats, axis: int) -> Floats:
    """The means of at most 32 blocks of rows or of columns."""
    pieces = np.array_split(pixels, min(MOST_PIXELS, pixels.shape[axis]), axis=axis)
    return np.concatenate([piece.mean(axis=axis, keepdims=True) for piece in pieces], axis=axis)


def _bytes(pixels: Floats, are_bytes: bool) -> NDArray[np.uint8]:
    finite = np.isfinite(pixels)
    lowest, highest = (
        (0.0, 255.0)
        if are_bytes
        else (pixels[finite].min(), pixels[finite].max())
        if finite.any()
        else (0.0, 1.0)
    )
    # so that the range of very large numbers is finite
    scale = max(abs(lowest), abs(highest)) or 1.0
    span = highest / scale - lowest / scale
    shares = (np.where(finite, pixels, lowest) / scale - lowest / scale) / (span or 1.0)
    return np.round(255 * shares).clip(0, 255).astype(np.uint8)


# ---- Small line drawings as SVG files: strokes, dots and short labels, in one colour or a few.

#: Colours of dots by their labels: dark enough on white, and, inverted with the hue kept, light
#: enough on black.
COLOURS = ("#333", "#0072b2", "#b5541c", "#00745a", "#a03a78", "#7a5c00", "#4b4fb8", "#8a2f2f")
_STYLE = (
    "path{fill:none;stroke:#333;stroke-linecap:round}text{font:%gpx "
    "sans-serif;fill:#222;text-anchor:%s}"
)

Place = Sequence[float]


@dataclass
class Ink:
    """What is drawn: strokes from place to place, dots of several colours, labels beside or upon
    them.
    """

    strokes: list[tuple[Place, Place]] = field(default_factory=list)
    dots: list[tuple[Place, str]] = field(default_factory=list)
    labels: list[tuple[Place, str]] = field(default_factory=list)
    dot_size: float = 6.0
    letter_size: float = 11.0
    width: float = 1.0
    anchor: str = "middle"

    def image(self, width: float, height: float, alt: str) -> dict[str, Any]:
        """The drawing as an image of so many pixels, as `image` has it; "ink" is True: on a dark
        page its colours are inverted.
        """
        size = f"{width:.0f} {height:.0f}"
        by_colour: dict[str, list[Place]] = {}
        for place, colour in self.dots:
            by_colour.setdefault(colour, []).append(place)
        parts = [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {size}" width="{width:.0f}" height="{height:.0f}">',
            f"<style>{_STYLE % (self.letter_size, self.anchor)}</style>",
            _path(
                (f"M{_at(start)}L{_at(end)}" for start, end in self.strokes),
                {"stroke-width": f"{self.width:g}"},
            ),
            *(
                _path(
                    (f"M{_at(place)}h0" for place in places),
                    {"style": f"stroke:{colour};stroke-width:{self.dot_size:g}"},
                )
                for colour, places in by_colour.items()
            ),
            *(
                f'<text x="{place[0]:.0f}" y="{place[1]:.0f}">{escape(text)}</text>'
                for place, text in self.labels
            ),
            "</svg>",
        ]
        uri = data_uri("".join(parts).encode(), "image/svg+xml")
        return {
            "type": "image",
            "uri": uri,
            "width": round(width),
            "height": round(height),
            "ink": True,
            "alt": alt,
        }


def colour_of(label: str | None) -> str:
    """The colour of a label: the same in every drawing, and that of strokes for nodes without one.

    Examples
    --------
    >>> colour_of("C") == colour_of("C"), colour_of(None)
    (True, '#333')
    """
    return (
        COLOURS[0]
        if label is None
        else COLOURS[1 + zlib.crc32(label.encode()) % (len(COLOURS) - 1)]
    )


def fitted(places: Floats, width: float, height: float, border: float) -> Floats:
    """Places moved and scaled, the same in both directions, to the middle of a drawing.

    Examples
    --------
    >>> fitted(np.array([[0.0, 0.0], [4.0, 1.0]]), 100, 60, 10).tolist()
    [[10.0, 20.0], [90.0, 40.0]]
    """
    lowest, highest = places.min(axis=0), places.max(axis=0)
    room = np.array([width - 2 * border, height - 2 * border])
    extent = np.maximum(highest - lowest, 1e-300)
    scale = min(room / extent) if (highest > lowest).any() else 1.0
    middle = lowest + (highest - lowest) / 2
    return np.asarray((places - middle) * scale + np.array([width, height]) / 2)


def _path(moves: Iterable[str], attributes: Mapping[str, str]) -> str:
    drawn = "".join(moves)
    return (
        f'<path d="{drawn}" {" ".join(f"{name}={chr(34)}{value}{chr(34)}" for name, value in attributes.items())}/>'
        if drawn
        else ""
    )


def _at(place: Place) -> str:
    return f"{place[0]:.0f} {place[1]:.0f}"


# ---- Texts and values of any type as short, visible texts

#: Most characters of a text that are shown.
MOST_CHARACTERS = 200
#: Of a text that is longer, how much of its end is shown.
_END = 40

#: The types of pandas' missing values, which need not be installed.
_MISSING = {"NAType", "NaTType"}

_BRIEF = reprlib.Repr()
_BRIEF.maxstring = _BRIEF.maxother = 60
_BRIEF.maxlevel = 3


def shortened(text: str, most: int = MOST_CHARACTERS) -> str:
    r"""The visible form of a text; of a long one, that of its beginning and its end.

    Examples
    --------
    >>> shortened("tea " * 1000, 20)
    'tea tea tea tea …tea '
    """
    if len(text) <= most:
        return visible(text)
    end = min(_END, most // 5)
    return f"{visible(text[: most - end])}…{visible(text[len(text) - end :])}"


def in_words(value: Any, most: int = 60) -> str:
    """A value of any type as a short, visible text: numbers with five digits, texts as they are,
    others by their repr.

    Examples
    --------
    >>> in_words(2 / 3), in_words("tea"), in_words(None), in_words(float("nan")), in_words(10**400)
    ('0.66667', 'tea', 'missing', 'missing', '1000000000...')
    """
    if value is None or type(value).__name__ in _MISSING:
        return "missing"
    if isinstance(value, str):
        return shortened(value, most)
    if isinstance(value, bytes):
        return shortened(value[: 2 * most].decode("latin-1"), most)
    return shortened(_number(value) or " ".join(_BRIEF.repr(value).split()), most)


def _number(value: Any) -> str | None:
    """A number in at most five digits, or None if the value is none."""
    if isinstance(value, bool) or not hasattr(value, "__float__") or hasattr(value, "__len__"):
        return None
    try:
        number = float(value)
    except (OverflowError, TypeError, ValueError):
        return None
    if number != number:
        return "missing"
    return str(int(number)) if number.is_integer() and abs(number) < 1e7 else f"{number:.5g}"
