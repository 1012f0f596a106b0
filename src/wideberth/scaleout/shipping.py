"""Data on the workers of a cluster: shipped once, found again by their contents."""

import re
import time
from collections import OrderedDict
from collections.abc import Callable
from functools import partial
from hashlib import blake2b
from pickle import PickleBuffer, PicklingError
from typing import Any, NamedTuple
from uuid import uuid4

import cloudpickle
from distributed import Client, Future

from wideberth.errors import LostWork, MissingOnWorkers

#: Bytes of a pickled argument up to which it is sent with each batch: a round trip to ship it costs as much.
SENT_ALONG = 16_384
#: Bytes on each worker of what the last work was done on, which the next fit may find. Older data are forgotten.
KEPT = 2**29
#: Seconds to wait before each attempt to ship data: the scheduler takes a while to notice that a worker has died.
PAUSES = (0.0, 0.1, 0.5, 2.0)
#: Seconds that a cluster may be without workers: those that died are started again, and a queue may let new ones wait.
PATIENCE = 300.0


class Cargo(NamedTuple):
    """Data to be shipped: what they are found by, themselves, and their bytes."""

    digest: bytes
    value: Any
    size: int


class Call(NamedTuple):
    """A function of chunks as it is sent: pickled with its small arguments, and the data that are shipped.

    Attributes
    ----------
    name : str
        The name of the function.
    pickled : bytes
        The function, its arguments by keyword, and a list of its positional ones: the place among the shipped data, or
        None and the value.
    cargo : list of Cargo
        The data.
    """

    name: str
    pickled: bytes
    cargo: list[Cargo]


class Shipping:
    """The data that this client has sent to the workers of its cluster.

    Data are recognised by a digest of their pickled contents, so that what was changed in place meanwhile is shipped again.

    Parameters
    ----------
    client : distributed.Client
        The client.

    Attributes
    ----------
    bytes_shipped : int
        How many bytes of data have left this process so far, each copy counted once.
    """

    def __init__(self, client: Client) -> None:
        self.bytes_shipped = 0
        self._client = client
        self._shipped: OrderedDict[bytes, tuple[Future, int]] = OrderedDict()  # with their bytes

    def call(self, work: Callable[[Any], Any]) -> Call:
        """Divide a ``functools.partial`` into what is sent with each batch and what is shipped.

        Raises
        ------
        pickle.PicklingError
            If the function or an argument cannot be pickled.
        """
        function, given, named = (work.func, work.args, work.keywords) if isinstance(work, partial) else (work, (), {})
        cargo: dict[bytes, Cargo] = {}
        arguments: list[tuple[int | None, Any]] = []
        for value in given:
            digest, size = _digest(value)
            if size <= SENT_ALONG:
                arguments.append((None, value))
            else:
                cargo.setdefault(digest, Cargo(digest, value, size))
                arguments.append((list(cargo).index(digest), None))
        name = getattr(function, "__name__", type(function).__name__)
        return Call(name.strip("_"), _pickled((function, named, arguments)), list(cargo.values()))

    def futures(self, call: Call) -> list[Future]:
        """The data of a call on the workers; those that are not there are shipped now."""
        futures = [self._ship(cargo) for cargo in call.cargo]
        self._forget_old({cargo.digest for cargo in call.cargo})
        return futures

    def drop(self, lost: list[Future]) -> None:
        """Know no more of data whose copies are lost."""
        for digest, (future, _) in list(self._shipped.items()):
            if any(future is each for each in lost):
                del self._shipped[digest]

    def forget(self) -> None:
        """Let the workers drop all data."""
        self._shipped.clear()

    def _ship(self, cargo: Cargo) -> Future:
        if cargo.digest not in self._shipped:
            self._shipped[cargo.digest] = self._scattered(cargo), cargo.size
            self.bytes_shipped += cargo.size
        self._shipped.move_to_end(cargo.digest)
        return self._shipped[cargo.digest][0]

    def _scattered(self, cargo: Cargo) -> Future:
        """Send data to all workers; once more if one of them dies meanwhile."""
        for pause in PAUSES:
            time.sleep(pause)
            key = f"wideberth-data-{cargo.digest.hex()}-{uuid4().hex}"  # the scheduler may be about to forget an earlier key
            try:
                return self._client.scatter({key: cargo.value}, broadcast=True, timeout=PATIENCE)[key]
            except TimeoutError as error:
                raise no_workers("Data could not be shipped") from error
            except (OSError, KeyError) as error:  # a connection was closed, or the scheduler misses a worker it has just lost
                reason = error
            except Exception as error:  # what a worker could not unpickle is told in words alone
                found = re.search(r"ModuleNotFoundError\(.No module named '([^']+)'", str(error))
                if found is None:
                    raise
                raise missing_on_workers(found[1]) from error
        raise LostWork(
            f"Data could not be shipped to the workers, {len(PAUSES)} times: {reason}",
            advice="The scheduler cannot reach its workers, or they die; their logs tell.",
            work="shipping",
            times=len(PAUSES),
        ) from reason

    def _forget_old(self, needed: set[bytes]) -> None:
        """Keep what is needed now, and of the rest the latest. Tasks under way keep what they need."""
        total = sum(size for _, size in self._shipped.values())
        for digest in [digest for digest in self._shipped if digest not in needed]:
            if total <= KEPT:
                break
            total -= self._shipped.pop(digest)[1]


def no_workers(what: str) -> LostWork:
    """The error for work that has had no worker for long."""
    return LostWork(
        f"{what}: the cluster has had no worker for {PATIENCE:g} seconds.",
        advice="Start workers, or leave wideberth.scaleout.on(client) out to work on this machine.",
        work=what,
    )


def missing_on_workers(module: str) -> MissingOnWorkers:
    """The error for a module that workers cannot import."""
    return MissingOnWorkers(
        f"The workers of the cluster cannot import the module {module!r}, which your distance or your objects come from.",
        advice="Send it to them by client.upload_file('path/of/the/module.py'), or install it where they run.",
        module=module,
    )


def _digest(value: Any) -> tuple[bytes, int]:
    """The digest and the number of bytes of a pickled value."""
    buffers: list[PickleBuffer] = []
    pickled = _pickled(value, buffers.append)
    contents = [memoryview(pickled), *(buffer.raw() for buffer in buffers)]
    digest = blake2b(digest_size=16)
    for content in contents:
        digest.update(content)
    return digest.digest(), sum(content.nbytes for content in contents)


def _pickled(value: Any, buffer_callback: Callable[[PickleBuffer], Any] | None = None) -> bytes:
    try:
        pickled: bytes = cloudpickle.dumps(value, protocol=5, buffer_callback=buffer_callback)
    except (TypeError, AttributeError, RecursionError) as error:  # what pickling raises of locks, files and local objects
        raise PicklingError(str(error)) from error
    return pickled
