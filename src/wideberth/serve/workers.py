"""The worker processes of a server: a question goes to one that is idle, and one that takes too
long is killed and replaced.

Work in Python threads cannot be stopped, and compiled code does not even notice that it should. A
process can be killed whatever it does, so that a request that takes too long costs no more than its
time.
"""

import asyncio
import json
import logging
import multiprocessing
import os
import signal
import threading
import warnings
from collections import Counter, deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from multiprocessing import get_context
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess

from threadpoolctl import threadpool_limits

from wideberth.compilation import compile_from_the_first_call
from wideberth.errors import InvalidInput, WideberthError
from wideberth.metrics.parameters import is_whole
from wideberth.serve.answering import Answering, Question, Reply
from wideberth.serve.problems import RequestProblem
from wideberth.serve.served_model import ServedModel, example_value
from wideberth.wording import setting

# ---- A worker process: it answers one question after the other, until nobody asks any more

#: What a worker says when it is ready.
READY = b"ready"


def work(served: ServedModel, connection: Connection, threads: int) -> None:
    """Answer questions until the connection closes."""
    # they reach the whole group; the server ends its workers when it is done
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    warnings.simplefilter("ignore")
    compile_from_the_first_call()
    with threadpool_limits(threads):
        answering = Answering(served)
        _warm_up(answering, served)
        connection.send_bytes(READY)
        while True:
            try:
                question, body = unpacked_question(connection.recv_bytes())
            except EOFError:
                return
            connection.send_bytes(packed_reply(answering.reply(body, question)))


def _warm_up(answering: Answering, served: ServedModel) -> None:
    """Answer a made-up question, so that compiled code is there when a request comes, whose time is
    limited.
    """
    body = json.dumps({"objects": [example_value(served.saved)]}).encode()
    answering.reply(
        body,
        Question(
            "json", witnesses=int(served.shows_objects), change="change" not in served.missing
        ),
    )


def _end_with_parent() -> None:
    """End this process when the server has ended, even if it was killed and this process is at
    work.
    """
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def packed_question(question: Question, body: bytes) -> bytes:
    """A question and its body in one message.

    Examples
    --------
    >>> unpacked_question(packed_question(Question("csv"), b"word"))
    (Question(written='csv', witnesses=0, change=False), b'word')
    """
    return json.dumps(asdict(question)).encode() + b"\n" + body


def unpacked_question(message: bytes) -> tuple[Question, bytes]:
    """The question and the body in a message."""
    head, _, body = message.partition(b"\n")
    return Question(**json.loads(head)), body


def packed_reply(reply: Reply) -> bytes:
    """A reply as one message.

    Examples
    --------
    >>> unpacked_reply(packed_reply(Reply(200, b"{}", objects=3)))
    Reply(status=200, body=b'{}', objects=3, fault='')
    """
    return json.dumps([reply.status, reply.objects, reply.fault]).encode() + b"\n" + reply.body


def unpacked_reply(message: bytes) -> Reply:
    """The reply in a message."""
    head, _, body = message.partition(b"\n")
    status, objects, fault = json.loads(head)
    return Reply(status, body, objects, fault)


LOG = logging.getLogger("wideberth.serve")
#: Seconds before another try to start a worker that could not be started.
_PAUSE = 1.0


class TooSlow(Exception):
    """A worker that has not answered in time."""


class Died(Exception):
    """A worker that ended in the middle of its work."""


class Worker:
    """A process that answers questions."""

    def __init__(self, process: BaseProcess, connection: Connection) -> None:
        self._process, self._connection = process, connection

    @classmethod
    def started(cls, served: ServedModel, threads: int) -> "Worker":
        """Start a process and wait until it is ready; `Died` if it ends before."""
        # a copy of a process with threads, as fork makes it, may hang
        context = get_context("spawn")
        ours, theirs = context.Pipe()
        process = context.Process(
            target=work, args=(served, theirs, threads), daemon=True, name="wideberth-worker"
        )
        process.start()
        theirs.close()
        worker = cls(process, ours)
        worker.reply(None)
        return worker

    @property
    def pid(self) -> int | None:
        """The number of the process."""
        return self._process.pid

    def ask(self, question: bytes, seconds: float) -> bytes:
        """The reply to a question; `TooSlow` if it takes longer, `Died` if the process ends."""
        try:
            self._connection.send_bytes(question)
        except OSError:
            raise Died from None
        return self.reply(seconds)

    def reply(self, seconds: float | None) -> bytes:
        """What the process sends next; `TooSlow` if it takes longer, `Died` if the process ends."""
        try:
            if not self._connection.poll(seconds):
                raise TooSlow
            return self._connection.recv_bytes()
        except (EOFError, OSError):
            raise Died from None

    def kill(self) -> None:
        """End the process at once, whatever it does."""
        self._process.kill()
        self._process.join()
        self._connection.close()


class Workers:
    """All worker processes of a server, and who waits for one.

    A worker that gets free goes to the client that has the fewest of them at work, in turn where
    several have as few: a client with many requests waits for itself, not the others for it.
    """

    def __init__(self, served: ServedModel, count: int, killed: Callable[[str], None]) -> None:
        if not is_whole(count, 1):
            raise InvalidInput(
                f"{setting('workers', count)} is no number of processes.",
                advice="Pass 1 or more.",
                value=count,
            )
        self._served, self._killed, self.count = served, killed, int(count)
        self._all: set[Worker] = set()
        self._idle: list[Worker] = []
        self._replacing: set[asyncio.Task[None]] = set()
        self._stopped = False
        self._queues: dict[str, deque[asyncio.Future[Worker]]] = {}
        self._at_work: Counter[str] = Counter()

    @property
    def waiting(self) -> int:
        """How many questions wait for a worker."""
        return sum(map(len, self._queues.values()))

    @property
    def ready(self) -> int:
        """How many workers have been started and live."""
        return len(self._all)

    @property
    def pids(self) -> set[int | None]:
        """The numbers of their processes."""
        return {worker.pid for worker in self._all}

    async def start(self) -> None:
        """Start all of them; a `WideberthError` if one cannot be started."""
        self._threads = ThreadPoolExecutor(2 * self.count, thread_name_prefix="wideberth-serve")
        try:
            for worker in await asyncio.gather(*(self._started() for _ in range(self.count))):
                self._add(worker)
        except Died:
            await self.stop()
            raise WideberthError(
                "A worker process ended before it was ready.",
                advice="Run the server under if __name__ == '__main__':, and see what the process "
                "printed.",
            ) from None

    async def stop(self) -> None:
        """End all of them."""
        self._stopped = True
        for task in self._replacing:
            task.cancel()
        for worker in self._all:
            worker.kill()
        self._all.clear()
        self._threads.shutdown(wait=False, cancel_futures=True)

    async def ask(self, question: Question, body: bytes, client: str) -> Reply:
        """The reply of a worker to a client; a problem with status 503 if none is free in time, if
        the answer takes too long, so that its work is stopped, or if the worker ends in the middle
        of it. Waiting and work are timed apart: who has waited is not cut short for it.
        """
        worker = await self._next(client)
        try:
            return await self._asked(worker, packed_question(question, body))
        finally:
            self._give_back(worker, client)

    async def _asked(self, worker: Worker, message: bytes) -> Reply:
        """The reply of a worker, which is replaced if there is none in time."""
        seconds = self._served.limits.seconds
        try:
            told = await asyncio.get_running_loop().run_in_executor(
                self._threads, worker.ask, message, seconds
            )
        except TooSlow:
            self._replace(worker, "time")
            detail = f"The answer took more than {seconds:g} seconds, and its work was stopped."
            raise RequestProblem(503, detail, "Send fewer or shorter objects at a time.") from None
        except Died:
            self._replace(worker, "died")
            raise RequestProblem(
                503,
                "The process that worked on the answer ended.",
                "Send fewer or shorter objects.",
            ) from None
        except asyncio.CancelledError:
            self._replace(worker, "time")
            raise
        return unpacked_reply(told)

    async def _next(self, client: str) -> Worker:
        """An idle worker, as soon as there is one and it is the client's turn."""
        seconds = self._served.limits.seconds
        turn: asyncio.Future[Worker] = asyncio.get_running_loop().create_future()
        self._queues.setdefault(client, deque()).append(turn)
        self._hand_out()
        try:
            async with asyncio.timeout(seconds):
                return await turn
        except BaseException as reason:
            self._leave(client, turn)
            if not isinstance(reason, TimeoutError):
                raise
            raise RequestProblem(
                503, f"No worker was free for {seconds:g} seconds.", "Try again later."
            ) from None

    def _leave(self, client: str, turn: "asyncio.Future[Worker]") -> None:
        """Wait no more; a worker that came in the same moment goes to the next."""
        queue = self._queues.get(client, deque())
        if turn in queue:
            queue.remove(turn)
            if not queue:
                del self._queues[client]
        elif not turn.cancelled():
            self._give_back(turn.result(), client)

    def _hand_out(self) -> None:
        """Give idle workers to whose turn it is."""
        while self._idle and self._queues:
            # the first of the smallest: who is served goes to the end
            client = min(self._queues, key=self._at_work.__getitem__)
            queue = self._queues.pop(client)
            turn = queue.popleft()
            if queue:
                self._queues[client] = queue
            if not turn.done():  # or else nobody waits for it any more
                self._at_work[client] += 1
                turn.set_result(self._idle.pop())

    def _give_back(self, worker: Worker, client: str) -> None:
        """A client needs a worker no more, which goes to the next unless it was replaced."""
        if worker in self._all:
            self._idle.append(worker)
            self._hand_out()  # while it still counts: others first
        self._at_work[client] -= 1
        self._at_work += Counter()  # forgets clients without any

    async def _started(self) -> Worker:
        return await asyncio.get_running_loop().run_in_executor(self._threads, self._start)

    def _start(self) -> Worker:
        """Start a worker; one that is ready only after the end is ended, too."""
        worker = Worker.started(self._served, max(1, (os.cpu_count() or 1) // self.count))
        if self._stopped:
            worker.kill()
            raise Died
        return worker

    def _add(self, worker: Worker) -> None:
        self._all.add(worker)
        self._idle.append(worker)
        self._hand_out()

    def _replace(self, worker: Worker, reason: str) -> None:
        """Kill a worker and start another one, while requests go on."""
        self._all.discard(worker)
        worker.kill()
        self._killed(reason)
        LOG.warning("worker replaced", extra={"facts": {"reason": reason, "pid": worker.pid}})
        if not self._stopped:
            task = asyncio.get_running_loop().create_task(self._replacement())
            self._replacing.add(task)
            task.add_done_callback(self._replacing.discard)

    async def _replacement(self) -> None:
        while not self._stopped:
            try:
                worker = await self._started()
            except (Died, OSError):
                LOG.exception("a worker could not be started")
                await asyncio.sleep(_PAUSE)
                continue
            self._add(worker)
            return
