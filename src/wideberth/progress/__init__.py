"""What long work is doing, how much of it is done and how long the rest will take.

Work is described by nested tasks (`task`, `doing`, `follow`), wherever it is done; the outermost
one decides whether and how it is shown: as a bar in a terminal, or as lines on standard error if
the user asks for them (``verbose=1``).
"""

from wideberth.progress import doing, follow, in_worker_threads, note, task

__all__ = ["doing", "follow", "in_worker_threads", "note", "task"]
