"""What one client may take: who counts as one, and how many of its requests are in work at the same
time.
"""

import ipaddress
from collections import Counter
from http import HTTPStatus
from typing import Any

from starlette.types import ASGIApp, Receive, Scope, Send

from wideberth.errors import InvalidInput
from wideberth.serve.limits import Limits
from wideberth.serve.problems import RequestProblem
from wideberth.serve.web.responses import problem_response

Networks = tuple[ipaddress.IPv4Network | ipaddress.IPv6Network, ...]
#: Whoever has an IPv6 address usually has all that begin with so many equal bits.
_OF_ONE_NETWORK = 64


def client_of(address: Any) -> str:
    """Who is behind the address of a connection, ``(host, port)``: the host, or the network of an
    IPv6 host.

    Examples
    --------
    >>> (
    ...     client_of(("127.0.0.1", 5000)),
    ...     client_of(("::ffff:10.0.0.1", 80)),
    ...     client_of(("2001:db8::1:2", 80)),
    ... )
    ('127.0.0.1', '10.0.0.1', '2001:db8::/64')
    >>> client_of(None)  # a Unix socket
    ''
    """
    host = str(address[0]) if address else ""
    try:
        found = ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        return host
    if isinstance(found, ipaddress.IPv4Address):
        return str(found)
    mapped = found.ipv4_mapped
    return str(mapped or ipaddress.ip_network((found, _OF_ONE_NETWORK), strict=False))


def networks_of(addresses: tuple[str, ...]) -> Networks:
    """The addresses and networks of proxies; an `InvalidInput` for something else, such as ``"*"``.

    Examples
    --------
    >>> networks_of(("10.0.0.1", "10.1.0.0/16"))
    (IPv4Network('10.0.0.1/32'), IPv4Network('10.1.0.0/16'))
    >>> networks_of(("*",))
    Traceback (most recent call last):
    ...
    wideberth.errors.InvalidInput: '*' is no address of a proxy. ...
    """
    found: list[ipaddress.IPv4Network | ipaddress.IPv6Network] = []
    for address in addresses:
        try:
            found.append(ipaddress.ip_network(address))
        except ValueError:
            advice = (
                "Name the addresses or networks of the proxies themselves, such as 10.0.0.1 or "
                "10.1.0.0/16."
            )
            raise InvalidInput(
                f"{address!r} is no address of a proxy.", advice=advice, value=address
            ) from None
    return tuple(found)


def within(address: Any, networks: Networks) -> bool:
    """Whether the address of a connection, ``(host, port)``, belongs to one of some networks.

    Examples
    --------
    >>> within(("10.1.2.3", 80), networks_of(("10.1.0.0/16",))), within(None, ())
    (True, False)
    """
    try:
        found = ipaddress.ip_address(str(address[0]) if address else "")
    except ValueError:
        return False
    return any(found in network for network in networks)


class ShareMiddleware:
    """Of the route that answers: refuses requests beyond the share of their client, and beyond what
    the server can hold at all.

    A place is held from the head of a request until its answer has been taken, so that bodies and
    answers in memory are bounded.

    Parameters
    ----------
    app : ASGI application
        What answers.
    limits : Limits
        How many places a client has, and how many requests may wait.
    workers : int
        How many requests are answered at the same time.
    """

    def __init__(self, app: ASGIApp, limits: Limits, workers: int) -> None:
        self._app, self._of_one, self._of_all = app, limits.client, limits.waiting + workers
        self._held: Counter[str] = Counter()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it before its body is read."""
        client = client_of(scope.get("client"))
        refused = self._refusal(client)
        if refused is not None:
            await problem_response(refused, Connection="close")(scope, receive, send)
            return
        self._held[client] += 1
        try:
            await self._app(scope, receive, send)
        finally:
            self._held[client] -= 1
            self._held += Counter()  # forgets clients that hold none

    def _refusal(self, client: str) -> RequestProblem | None:
        if self._held[client] >= self._of_one:
            return too_many(f"{self._of_one} requests of this client are in work or waiting")
        if self._held.total() >= self._of_all:
            return RequestProblem(
                503, f"{self._of_all} requests are in work or waiting already.", "Try again later."
            )
        return None


def too_many(what: str) -> RequestProblem:
    """The problem of a client that has its share already."""
    advice = (
        "Wait for their answers. Clients behind one address or one proxy count as one, unless the "
        "server knows the proxy."
    )
    return RequestProblem(HTTPStatus.TOO_MANY_REQUESTS, f"{what} already.", advice)
