"""Arrays of brightness as small PNG files, written here: the format is simple, and no package of
images is needed.
"""

import base64
import struct
import zlib
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wideberth.array_types import Floats

#: Most pixels along one side: larger images are shown by means of their blocks. Pixels are enlarged
#: to about this size in all.
MOST_PIXELS, SHOWN = 32, 64
#: The colour types of PNG, by the number of channels.
_COLOUR_TYPES = {1: 0, 3: 2, 4: 6}


def image(brightness: Any) -> dict[str, Any]:
    """Draw an array of shape (height, width), or (height, width, 3 or 4) for colours, as an image.

    The smallest finite value is black and the largest white, but for bytes, which mean what they
    say; missing values are black.

    Parameters
    ----------
    brightness : array-like
        The pixels.

    Returns
    -------
    dict
        ``{"type": "image", "uri": "data:image/png;base64,...", "width": ..., "height": ..., "ink":
        False, "alt": ...}``

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

    Parameters
    ----------
    pixels : ndarray of uint8 of shape (height, width, channels)
        One channel of grey; three of red, green and blue; or these with opacity.

    Returns
    -------
    bytes

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
    scale = (
        max(abs(lowest), abs(highest)) or 1.0
    )  # so that the range of very large numbers is finite
    span = highest / scale - lowest / scale
    shares = (np.where(finite, pixels, lowest) / scale - lowest / scale) / (span or 1.0)
    return np.round(255 * shares).clip(0, 255).astype(np.uint8)
