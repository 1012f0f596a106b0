"""Data on the workers of a cluster: sent once, found again by their contents, and lost by none.

Scattered data are gone when all workers that hold them are. So data are a task, whose only work is
to be there: the scheduler keeps it as long as somebody refers to it, gives it to workers that come
later, and computes it again if all copies are lost.
"""

from collections import OrderedDict
from collections.abc import Callable
from functools import partial
from hashlib import blake2b
from pickle import PickleBuffer, PicklingError
from typing import Any, NamedTuple
from uuid import uuid4

import cloudpickle
import dask
import numpy as np
from distributed import Client, Future
from numpy.typing import NDArray

from wideberth.scaleout.losses import DATA
from wideberth.scaleout.worker import unpacked

#: Bytes of a pickled argument up to which it is sent with each batch: a task that holds it costs as
#: much.
SENT_ALONG = 16_384
#: Bytes on each worker of what the last work was done on, which the next fit may find. Older data
#: are forgotten.
KEPT = 2**29
#: Bytes of an array from which on it travels beside the pickle, without a copy.
_APART = 65_536
#: Data are sent once for all tasks, so that Dask need not warn of their size.
NO_WARNING = {"distributed.admin.large-graph-warning-threshold": "1TB"}


class Packed(NamedTuple):
    """A pickled value, so that neither the client nor the scheduler need its modules.

    Attributes
    ----------
    digest : bytes
        By which equal contents are recognised.
    frames : list of ndarray of uint8
        The pickle, and the large arrays beside it, which are those of the value.
    """

    digest: bytes
    frames: list[NDArray[np.uint8]]

    @property
    def size(self) -> int:
        """The number of bytes."""
        return sum(frame.nbytes for frame in self.frames)


class Call(NamedTuple):
    """A function of chunks as it is sent.

    Attributes
    ----------
    name : str
        The name of the function.
    pickled : bytes
        The function, its arguments by keyword, and a list of its positional ones: the place among
        the data, or None and the value.
    data : list of Future
        The large arguments.
    """

    name: str
    pickled: bytes
    data: list[Future]


class Shipping:
    """The data that this client has sent to its cluster.

    Data are recognised by a digest of their pickled contents, so that what was changed in place
    meanwhile is sent again.

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
        """Divide a ``functools.partial`` into what is sent with each batch and what is sent once.

        Raises
        ------
        pickle.PicklingError
            If the function or an argument cannot be pickled.
        """
        function, given, named = (
            (work.func, work.args, work.keywords) if isinstance(work, partial) else (work, (), {})
        )
        large: dict[bytes, Packed] = {}
        arguments: list[tuple[int | None, Any]] = []
        for value in given:
            packed = pack(value)
            if packed.size <= SENT_ALONG:
                arguments.append((None, value))
            else:
                large.setdefault(packed.digest, packed)
                arguments.append((list(large).index(packed.digest), None))
        pickled = bytes(pack((function, named, arguments), in_one=True).frames[0])
        name = getattr(function, "__name__", type(function).__name__).strip("_")
        data = [self._future(packed) for packed in large.values()]
        self._forget_old(set(large))
        return Call(name, pickled, data)

    def forget(self) -> None:
        """Let the workers drop all data."""
        self._shipped.clear()

    def _future(self, packed: Packed) -> Future:
        if packed.digest not in self._shipped or is_lost(self._shipped[packed.digest][0]):
            self._shipped[packed.digest] = send(self._client, packed), packed.size
            self.bytes_shipped += packed.size
        self._shipped.move_to_end(packed.digest)
        return self._shipped[packed.digest][0]

    def _forget_old(self, needed: set[bytes]) -> None:
        """Keep what is needed now, and of the rest the latest. Tasks under way keep what they
        need.
        """
        total = sum(size for _, size in self._shipped.values())
        for digest in [digest for digest in self._shipped if digest not in needed]:
            if total <= KEPT:
                break
            total -= self._shipped.pop(digest)[1]


def pack(value: Any, *, in_one: bool = False) -> Packed:
    """Pickle a value; large arrays stay beside the pickle unless it shall be in one piece.

    Raises
    ------
    pickle.PicklingError
        If it cannot be pickled.

    Examples
    --------
    >>> numbers = np.arange(10_000)
    >>> (
    ...     [frame.nbytes for frame in pack(numbers).frames][1:],
    ...     pack(numbers).digest == pack(numbers.copy()).digest,
    ... )
    ([80000], True)
    """
    apart: list[PickleBuffer] = []

    def stays(buffer: PickleBuffer) -> bool:
        if in_one or buffer.raw().nbytes < _APART:
            return True
        apart.append(buffer)
        return False

    try:
        pickled = cloudpickle.dumps(value, protocol=5, buffer_callback=stays)
    except (
        TypeError,
        AttributeError,
        RecursionError,
    ) as error:  # what pickling raises of locks, files and local objects
        raise PicklingError(str(error)) from error
    frames = [
        np.frombuffer(part, dtype=np.uint8)
        for part in (pickled, *(buffer.raw() for buffer in apart))
    ]
    digest = blake2b(digest_size=16)
    for frame in frames:
        digest.update(frame.data)
    return Packed(digest.digest(), frames)


def send(client: Client, packed: Packed) -> Future:
    """A task that holds a value, under a name that no other has: one that has failed would be found
    again.
    """
    frames = [
        packed.frames[0],
        *map(_copied, packed.frames[1:]),
    ]  # they are sent later, and may change meanwhile
    with dask.config.set(NO_WARNING):
        return client.submit(unpacked, *frames, key=f"{DATA}-{packed.digest.hex()}-{uuid4().hex}")


def is_lost(future: Future) -> bool:
    """Whether a future will never have a value."""
    return future.status in ("cancelled", "error", "lost")


def _copied(frame: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """A copy that may be written to if the frame may: compiled code knows arrays that may not by
    another type.
    """
    copy = frame.copy()
    copy.flags.writeable = frame.flags.writeable
    return copy
