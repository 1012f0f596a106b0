"""A metric as the command line writes it: a name, or a name with parameters in brackets."""

import json
import re

from wideberth.errors import InvalidInput
from wideberth.metrics.metric import Metric
from wideberth.metrics.named import metric

_WRITTEN = re.compile(r"\s*(\w+)\s*\((.*)\)\s*", re.DOTALL)
_PARAMETER = re.compile(r"\s*(\w+)\s*=\s*(.+?)\s*", re.DOTALL)


def parse_metric(written: str) -> str | Metric:
    """The metric that ``name`` or ``name(parameter=value, ...)`` means; values are JSON, or else text.

    >>> parse_metric("levenshtein"), parse_metric("minkowski(p=3)"), parse_metric('gower(missing=far)')
    ('levenshtein', Minkowski(p=3), Gower(missing='far'))
    """
    brackets = _WRITTEN.fullmatch(written)
    if brackets is None:
        return written.strip()
    name, inside = brackets.groups()
    return metric(name, **dict(_parameter(each, written) for each in _parts(inside) if each.strip()))


def _parts(inside: str) -> list[str]:
    """What is between the commas that are not inside quotes or brackets.

    >>> _parts("covariance=[[2, 0], [0, 1]], name=a")
    ['covariance=[[2, 0], [0, 1]]', ' name=a']
    """
    parts, depth, quoted = [""], 0, False
    for letter in inside:
        quoted ^= letter == '"'
        depth += 0 if quoted else (letter in "[{(") - (letter in ")}]")
        if letter == "," and not depth and not quoted:
            parts.append("")
        else:
            parts[-1] += letter
    return parts


def _parameter(text: str, written: str) -> tuple[str, object]:
    named = _PARAMETER.fullmatch(text)
    if named is None:
        raise InvalidInput(
            f"{text.strip()!r} in the metric {written!r} is not a parameter.",
            advice="Write name=value, for example 'minkowski(p=3)' or 'gower(missing=far)'.",
            value=text,
        )
    name, value = named.groups()
    try:
        return name, json.loads(value)
    except ValueError:
        return name, value
