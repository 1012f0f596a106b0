"""A worker process: it answers one question after the other, until nobody asks any more."""

import json
import multiprocessing
import os
import signal
import threading
import warnings
from dataclasses import asdict
from multiprocessing.connection import Connection

from threadpoolctl import threadpool_limits

from wideberth.compilation import compile_from_the_first_call
from wideberth.serve.answers.answering import Answering, Question, Reply
from wideberth.serve.example_object import example_value
from wideberth.serve.served_model import ServedModel

#: What a worker says when it is ready.
READY = b"ready"


def work(served: ServedModel, connection: Connection, threads: int) -> None:
    """Answer questions until the connection closes.

    Parameters
    ----------
    served : ServedModel
        The model.
    connection : Connection
        Where questions come from and answers go.
    threads : int
        How many threads linear algebra may take.
    """
    for number in (signal.SIGINT, signal.SIGTERM):  # they reach the whole group; the server ends its workers when it is done
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
    """Answer a made-up question, so that compiled code is there when a request comes, whose time is limited."""
    body = json.dumps({"objects": [example_value(served.saved)]}).encode()
    answering.reply(body, Question("json", witnesses=int(served.shows_objects), change="change" not in served.missing))


def _end_with_parent() -> None:
    """End this process when the server has ended, even if it was killed and this process is at work."""
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
