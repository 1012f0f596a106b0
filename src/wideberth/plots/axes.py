"""Where displays draw: on the axes that they are given, or on new ones."""

from typing import Any

from wideberth.extras import import_extra

#: Colours that people who see colours differently can tell apart (Okabe & Ito), for classes; more
#: classes share them.
CLASS_COLOURS = (
    "#0072b2",
    "#d55e00",
    "#009e73",
    "#cc79a7",
    "#e69f00",
    "#56b4e9",
    "#8c510a",
    "#666666",
)
#: The forms of marks; with the colours they tell 56 classes apart.
CLASS_MARKS = "osD^vPX"


def axes_or_new(ax: Any) -> Any:
    """The axes to draw on."""
    pyplot = import_extra("matplotlib.pyplot", "plots")
    return pyplot.subplots(layout="constrained")[1] if ax is None else ax


def look_of_class(place: int) -> dict[str, str]:
    """The colour and the form of the marks of the class with this number."""
    turns, colour = divmod(place, len(CLASS_COLOURS))
    return {"color": CLASS_COLOURS[colour], "marker": CLASS_MARKS[turns % len(CLASS_MARKS)]}
