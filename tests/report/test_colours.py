"""Colours of the page that people can read: contrast by WCAG 2.2, in the light and in the dark."""

import re
from importlib.resources import files

import pytest

CSS = (
    files("wideberth.report").joinpath("page", "styles", "colours.css").read_text(encoding="utf-8")
)
THEMES = [
    dict(re.findall(r"--(\w+): (#[0-9a-f]{6});", block))
    for block in re.findall(r":root.*?\{(.*?)\n\}", CSS, flags=re.DOTALL)
]


def luminance(colour):
    parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    linear = [
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one, other):
    low, high = sorted(map(luminance, (one, other)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("theme", THEMES, ids=["light", "dark"])
def test_text_and_shapes_stand_out(theme):
    assert len([name for name in theme if re.fullmatch(r"c\d", name)]) == 10
    for ground in ("paper", "raised"):
        for ink in ("ink", "soft", "accent", "bad", "good"):
            assert contrast(theme[ink], theme[ground]) >= 4.5, (ink, ground)
        for number in range(10):
            assert contrast(theme[f"c{number}"], theme[ground]) >= 3.0, (number, ground)
    assert contrast(theme["ink"], theme["mark"]) >= 4.5


def test_there_is_a_light_and_a_dark_page():
    assert len(THEMES) == 2
