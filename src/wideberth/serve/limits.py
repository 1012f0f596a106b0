"""The most that a request may ask for."""

import math
from dataclasses import dataclass, fields

from wideberth.errors import InvalidInput
from wideberth.metrics.parameters import is_whole

#: The limits that are times.
_SECONDS = ("seconds", "idle")


@dataclass(frozen=True)
class Limits:
    """The most that a request may ask for.

    Attributes
    ----------
    body : int
        Bytes of a request.
    batch : int
        Objects of a request.
    length : int
        Characters of a text, or numbers of a vector or a series; of other objects both together,
        with all their parts.
    seconds : float
        How long a body may take to arrive, how long a request may wait for a worker, and how long
        the worker may take; then its work is stopped.
    waiting : int
        Requests that wait for a worker; more are refused at once.
    client : int
        Requests of one client that are in work or waiting; more are refused at once. A client is an
        address, or an IPv6 network of 64 bits.
    idle : float
        How long a connection may take to send the head of a request, and to take the next 64 kB of
        an answer.

    Examples
    --------
    >>> Limits(batch=10).batch
    10
    >>> Limits(seconds=0)
    Traceback (most recent call last):
    ...
    wideberth.errors.InvalidInput: seconds=0 is no limit. Pass a positive number.
    """

    body: int = 1_000_000
    batch: int = 1_000
    length: int = 10_000
    seconds: float = 10.0
    waiting: int = 100
    client: int = 50
    idle: float = 10.0

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if field.name in _SECONDS:
                fits = (
                    isinstance(value, int | float)
                    and not isinstance(value, bool)
                    and 0 < value < math.inf
                )
            else:
                fits = is_whole(value, 1)
            if not fits:
                number = "positive number" if field.name in _SECONDS else "whole number from 1 on"
                raise InvalidInput(
                    f"{field.name}={value!r} is no limit.", advice=f"Pass a {number}.", value=value
                )
