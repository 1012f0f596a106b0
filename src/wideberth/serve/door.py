"""Who may ask: the names under which a server may be called, the bearer token, and how many requests
of one client are in work at the same time.
"""

import hmac
import ipaddress
import os
import socket
from collections import Counter
from dataclasses import dataclass
from http import HTTPStatus
from pathlib import Path
from typing import Any

from starlette.types import ASGIApp, Receive, Scope, Send

from wideberth.errors import InvalidInput
from wideberth.serve.limits import Limits
from wideberth.serve.problems import RequestProblem, problem_response

#: The environment variable that holds the token.
TOKEN_VARIABLE = "WIDEBERTH_TOKEN"  # the name of a variable, not a token  # noqa: S105
#: The names by which this machine calls itself.
LOOPBACK_NAMES = ("localhost", "127.0.0.1", "[::1]")
#: The fewest characters of a token.
SHORTEST_TOKEN = 16
#: What may be asked for without a token: what says nothing of the model.
OPEN_PATHS = frozenset({"/", "/page.css", "/page.js", "/health"})


@dataclass(frozen=True)
class Door:
    """Who may ask a server.

    Examples
    --------
    >>> Door("short", (), None)
    Traceback (most recent call last):
    ...
    wideberth.errors.InvalidInput: The token has 5 characters. ...
    """

    token: str | None
    origins: tuple[str, ...]  # of web pages that may ask from a browser
    hosts: tuple[str, ...] | None  # the names under which it may be called; None for all

    def __post_init__(self) -> None:
        if self.token is None:
            return
        problem = f"has {len(self.token)} characters" if len(self.token) < SHORTEST_TOKEN else ""
        if any(not "!" <= letter <= "~" for letter in self.token):
            problem = "has characters that no header may carry"
        if problem:
            how = "python -c 'import secrets; print(secrets.token_hex())'"
            advice = f"Make one of {SHORTEST_TOKEN} letters and digits or more: {how}."
            raise InvalidInput(f"The token {problem}.", advice=advice, value=len(self.token))

    def refusal(self, path: str, headers: dict[bytes, bytes]) -> RequestProblem | None:
        """Why a request is refused; None if it may come in.

        Examples
        --------
        >>> Door("0123456789abcdef", (), None).refusal(
        ...     "/model", {b"authorization": b"Bearer 0123456789abcdef"}
        ... ) is None
        True
        """
        if self.hosts is not None and self._called(headers.get(b"host", b"")) not in self.hosts:
            return RequestProblem(
                421,
                "The server is not known under the name in the header Host.",
                "Call it by its address.",
            )
        if self.token is None or path in OPEN_PATHS:
            return None
        scheme, _, given = headers.get(b"authorization", b"").partition(b" ")
        if scheme.lower() == b"bearer" and hmac.compare_digest(given.strip(), self.token.encode()):
            return None
        return RequestProblem(
            401,
            "The request carries no valid token.",
            "Send the header Authorization: Bearer TOKEN.",
        )

    @staticmethod
    def _called(host: bytes) -> str:
        """The name in a header, without the port."""
        name = host.decode("latin-1").lower()
        end = name.rfind(":")
        return name[:end] if end > name.rfind("]") else name


class FramingMiddleware:
    """Refuses requests of which a proxy in front may have read another end, and closes their
    connection.

    With ``Content-Length`` and ``Transfer-Encoding``, or with the latter in HTTP/1.0, where one
    request ends and the next begins depends on who reads it (RFC 9112, 6.1): the rest of the body
    could pass for a request of somebody else.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it."""
        names = {name for name, _ in scope["headers"]} if scope["type"] == "http" else set()
        if b"transfer-encoding" in names and (
            b"content-length" in names or scope["http_version"] == "1.0"
        ):
            other = "Content-Length" if b"content-length" in names else "HTTP/1.0"
            problem = RequestProblem(
                400, f"The request has Transfer-Encoding beside {other}.", "Send one of the two."
            )
            await problem_response(problem, Connection="close")(scope, receive, send)
            return
        await self._app(scope, receive, send)


class DoorMiddleware:
    """Answers requests that may not come in."""

    def __init__(self, app: ASGIApp, door: Door) -> None:
        self._app, self._door = app, door

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it."""
        if scope["type"] == "http":
            refused = self._door.refusal(scope["path"], dict(scope["headers"]))
            if refused is not None:
                challenge = (
                    {"WWW-Authenticate": 'Bearer realm="wideberth"'}
                    if refused.status == 401
                    else {}
                )
                await problem_response(refused, **challenge)(scope, receive, send)
                return
        await self._app(scope, receive, send)


def read_token(file: str | None) -> str | None:
    """The token in a file, or else in the environment variable ``WIDEBERTH_TOKEN``; None if there
    is none.
    """
    if file is not None:
        return Path(file).read_text(encoding="utf-8").strip()
    return os.environ.get(TOKEN_VARIABLE, "").strip() or None


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach an address.

    Examples
    --------
    >>> is_loopback("127.0.0.1"), is_loopback("::1"), is_loopback("0.0.0.0")
    (True, True, False)
    """
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        pass
    try:
        found = {str(place[4][0]) for place in socket.getaddrinfo(host, None)}
    except OSError:
        return False
    return bool(found) and all(
        ipaddress.ip_address(address.partition("%")[0]).is_loopback for address in found
    )


def refuse_open_door(host: str, token: str | None) -> None:
    """Raise an `InvalidInput` if others could reach a server without a token.

    Examples
    --------
    >>> refuse_open_door("0.0.0.0", None)
    Traceback (most recent call last):
    ...
    wideberth.errors.InvalidInput: Other machines can reach 0.0.0.0, and there is no token. ...
    """
    if token is None and not is_loopback(host):
        raise InvalidInput(
            f"Other machines can reach {host}, and there is no token.",
            advice=f"Set {TOKEN_VARIABLE}, name a file with --token-file, or serve on 127.0.0.1.",
            value=host,
        )


# ---- What one client may take: who counts as one, and how many of its requests are in work at the
# same time.

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
