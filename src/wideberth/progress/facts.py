"""What there is to say of work under way: facts, then words."""

from collections.abc import Iterator
from typing import NamedTuple

from wideberth.progress.tasks import Task


class Facts(NamedTuple):
    """What a display shows of an outermost task and the tasks inside it.

    Attributes
    ----------
    what : tuple of str
        What is being done, from the outermost task to the innermost one.
    share : float or None
        Which share is done of the outermost task that knows how much it has to do.
    left : float or None
        The seconds that the rest of that task will take; None if that is not known.
    elapsed : float
        The seconds since the outermost task began.
    note : str
        What else there is to say, such as the gap that is left.
    """

    what: tuple[str, ...]
    share: float | None
    left: float | None
    elapsed: float
    note: str

    @classmethod
    def of(cls, outermost: Task, now: float) -> "Facts":
        """What is to be said of a task at the time ``now``.

        Examples
        --------
        >>> Facts.of(Task("tea", total=2, clock=lambda: 0.0), now=3.0)
        Facts(what=('tea',), share=0.0, left=None, elapsed=3.0, note='')
        """
        path = list(_path(outermost))
        measured = next((task for task in path if task.total), None)
        share = None if measured is None else measured.share
        left = None if measured is None or share is None else time_left(share, now - measured.started)
        note = next((task.note for task in reversed(path) if task.note), "")
        return cls(tuple(task.what for task in path), share, left, now - outermost.started, note)

    def timing(self) -> str:
        """The time left, or else the time that has passed; with the note.

        Examples
        --------
        >>> Facts(("tea",), 0.5, 75.0, 80.0, "").timing(), Facts(("tea",), None, None, 3.0, "gap 2%").timing()
        ('1:15 left', '0:03 so far, gap 2%')
        """
        time = f"{clock_time(self.elapsed)} so far" if self.left is None else f"{clock_time(self.left)} left"
        return f"{time}, {self.note}" if self.note else time

    def path(self, width: int) -> str:
        """What is being done, from the outermost task to the innermost one; of a long path the middle is left out.

        Examples
        --------
        >>> facts = Facts(("fit", "cross-validation", "fold 2 of 5", "distances"), None, None, 3.0, "")
        >>> facts.path(80), facts.path(35), facts.path(10)
        ('fit > cross-validation > fold 2 of 5 > distances', 'fit > ... > fold 2 of 5 > distances', 'distances')
        """
        paths = [" > ".join(self.what)]
        paths += [" > ".join((self.what[0], "...", *self.what[kept:])) for kept in range(2, len(self.what))]
        return next((path for path in paths if len(path) <= width), self.what[-1])

    def line(self) -> str:
        """All facts in one line.

        Examples
        --------
        >>> Facts(("fit", "distances"), 0.5, 75.0, 80.0, "").line()
        'fit > distances: 50%, 1:15 left'
        """
        share = "" if self.share is None else f"{self.share:.0%}, "
        return f"{' > '.join(self.what)}: {share}{self.timing()}"


def time_left(share: float, elapsed: float) -> float | None:
    r"""How long the rest takes, if it goes on as before.

    .. math:: t_\text{left} = t \, \frac{1 - s}{s}

    where the share s took the time t; None if s is 0.

    Examples
    --------
    >>> time_left(0.25, 10.0)
    30.0
    """
    return elapsed * (1 - share) / share if share > 0 else None


def clock_time(seconds: float) -> str:
    """Seconds as minutes and seconds, or hours, minutes and seconds.

    Examples
    --------
    >>> clock_time(75.4), clock_time(3675)
    ('1:15', '1:01:15')
    """
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def _path(outermost: Task) -> Iterator[Task]:
    """The task, the latest one inside it, the latest one inside that, and so on."""
    task: Task | None = outermost
    while task is not None:
        yield task
        parts = task.parts  # may change meanwhile: the work goes on in another thread
        task = parts[-1] if parts else None
