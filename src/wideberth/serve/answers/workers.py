"""The worker processes of a server: a question goes to one that is idle, and one that takes too long is killed and replaced.

Work in Python threads cannot be stopped, and compiled code does not even notice that it should. A process can be killed whatever
it does, so that a request that takes too long costs no more than its time.
"""

import asyncio
import logging
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from multiprocessing import get_context
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess

from wideberth.errors import InvalidInput, WideberthError
from wideberth.metrics.parameters import is_whole
from wideberth.serve.answers.answering import Question, Reply
from wideberth.serve.answers.worker import packed_question, unpacked_reply, work
from wideberth.serve.problems import RequestProblem
from wideberth.serve.served_model import ServedModel

LOG = logging.getLogger("wideberth.serve")
#: Seconds before another try to start a worker that could not be started.
_PAUSE = 1.0


class TooSlow(Exception):
    """A worker that has not answered in time."""


class Died(Exception):
    """A worker that ended in the middle of its work."""


class Worker:
    """A process that answers questions.

    Parameters
    ----------
    process : Process
        What runs `wideberth.serve.answers.worker.work`.
    connection : Connection
        Our end of its pipe.
    """

    def __init__(self, process: BaseProcess, connection: Connection) -> None:
        self._process, self._connection = process, connection

    @classmethod
    def started(cls, served: ServedModel, threads: int) -> "Worker":
        """Start a process and wait until it is ready; `Died` if it ends before."""
        context = get_context("spawn")  # a copy of a process with threads, as fork makes it, may hang
        ours, theirs = context.Pipe()
        process = context.Process(target=work, args=(served, theirs, threads), daemon=True, name="wideberth-worker")
        process.start()
        theirs.close()
        worker = cls(process, ours)
        worker._received(None)
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
        return self._received(seconds)

    def _received(self, seconds: float | None) -> bytes:
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
    """All worker processes of a server.

    Parameters
    ----------
    served : ServedModel
        The model.
    count : int
        How many there are.
    killed : callable
        Called with the reason whenever one is replaced: "time" or "died".

    Attributes
    ----------
    waiting : int
        How many questions wait for a worker.
    """

    def __init__(self, served: ServedModel, count: int, killed: Callable[[str], None]) -> None:
        if not is_whole(count, 1):
            raise InvalidInput(f"workers={count!r} is no number of processes.", advice="Pass 1 or more.", value=count)
        self._served, self._killed, self.count = served, killed, int(count)
        self._all: set[Worker] = set()
        self._idle: list[Worker] = []
        self._replacing: set[asyncio.Task[None]] = set()
        self._stopped = False
        self.waiting = 0

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
        self._free = asyncio.Semaphore(0)
        self._threads = ThreadPoolExecutor(2 * self.count, thread_name_prefix="wideberth-serve")
        try:
            for worker in await asyncio.gather(*(self._started() for _ in range(self.count))):
                self._add(worker)
        except Died:
            await self.stop()
            raise WideberthError(
                "A worker process ended before it was ready.",
                advice="Run the server under if __name__ == '__main__':, and see what the process printed.",
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

    async def ask(self, question: Question, body: bytes) -> Reply:
        """The reply of a worker.

        Raises
        ------
        RequestProblem
            With the status 503, if none is free in time, if the answer takes too long, so that its work is stopped, or if the
            worker ends in the middle of it.
        """
        loop, seconds = asyncio.get_running_loop(), self._served.limits.seconds
        until = loop.time() + seconds
        worker = await self._next(seconds)
        message = packed_question(question, body)
        try:
            told = await loop.run_in_executor(self._threads, worker.ask, message, max(0.0, until - loop.time()))
        except TooSlow:
            self._replace(worker, "time")
            detail = f"The answer took more than {seconds:g} seconds, and its work was stopped."
            raise RequestProblem(503, detail, "Send fewer or shorter objects at a time.") from None
        except Died:
            self._replace(worker, "died")
            raise RequestProblem(503, "The process that worked on the answer ended.", "Send fewer or shorter objects.") from None
        except asyncio.CancelledError:
            self._replace(worker, "time")
            raise
        self._idle.append(worker)
        self._free.release()
        return unpacked_reply(told)

    async def _next(self, seconds: float) -> Worker:
        """An idle worker, as soon as there is one."""
        if self._free.locked() and self.waiting >= self._served.limits.waiting:
            raise RequestProblem(503, f"{self.waiting} requests are waiting already.", "Try again later.")
        self.waiting += 1
        try:
            async with asyncio.timeout(seconds):
                await self._free.acquire()
        except TimeoutError:
            raise RequestProblem(503, f"No worker was free for {seconds:g} seconds.", "Try again later.") from None
        finally:
            self.waiting -= 1
        return self._idle.pop()

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
        self._free.release()

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
