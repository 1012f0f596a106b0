"""What is shown, and when: a bar for a person who waits, lines for those who ask, silence for
everybody else.
"""

import io
import sys
import threading
from types import SimpleNamespace

import pytest

from wideberth import progress
from wideberth.geometry.measure.parallel import over_chunks
from wideberth.progress import CURRENT, PATIENCE, SECONDS_A_LINE, Watch, follow, task


class Terminal(io.StringIO):
    def isatty(self):
        return True


class Recorder:
    """A display that remembers what it was told."""

    def __init__(self):
        self.lines, self.closed = [], False

    def show(self, facts):
        self.lines.append(facts.line())

    def close(self, facts):
        self.closed = True


class Scene:
    """A watch without a thread, on a clock that is set by hand."""

    def __init__(self):
        self.now = 0.0
        self.bars, self.line_displays = [], []
        self.watch = Watch(
            lambda: self.now, lambda: self._new(self.bars), lambda: self._new(self.line_displays)
        )
        self.watch.start = lambda: None

    def _new(self, displays):
        displays.append(Recorder())
        return displays[-1]

    def at(self, seconds):
        self.now = seconds
        self.watch.look()


@pytest.fixture
def scene(monkeypatch):
    scene = Scene()
    monkeypatch.setattr(progress, "WATCH", scene.watch)
    return scene


@pytest.fixture
def terminal(monkeypatch):
    monkeypatch.setenv("TERM", "xterm")
    stream = Terminal()
    monkeypatch.setattr(
        progress, "sys", SimpleNamespace(stderr=stream, stdout=None)
    )  # pytest sets sys.stderr once more before the test
    return stream


def test_a_bar_appears_when_the_work_has_lasted(scene, terminal):
    with task("tea", 4) as tea:
        scene.at(PATIENCE - 0.1)
        assert not scene.bars
        tea.advance(1)
        scene.at(PATIENCE)
        assert scene.bars[0].lines == ["tea: 25%, 0:06 left"]
    assert scene.bars[0].closed


def test_short_work_shows_nothing(scene, terminal):
    with task("tea", 4):
        scene.at(PATIENCE - 0.1)
    scene.at(PATIENCE + 1)
    assert not scene.bars


def test_an_error_takes_the_bar_away(scene, terminal):
    def fail():
        with task("tea"):
            scene.at(PATIENCE)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert scene.bars[0].closed
    scene.at(10)
    assert len(scene.bars[0].lines) == 1


@pytest.mark.parametrize("verbose", [0, False, -1])
def test_without_a_terminal_nothing_is_shown_unless_asked_for(scene, verbose):
    with task("tea", verbose=verbose), task("water", verbose=1):
        scene.at(60)
    assert not scene.bars
    assert not scene.line_displays


def test_without_a_terminal_lines_are_shown_on_request(scene):
    with task("tea", verbose=1), task("water", 2) as water:
        water.advance()
        scene.at(PATIENCE)
    assert scene.line_displays[0].lines == ["tea > water: 50%, 0:02 left"]
    assert scene.line_displays[0].closed


def test_minus_one_silences_a_terminal_too(scene, terminal):
    with task("tea", verbose=-1), task("water"):
        scene.at(60)
    assert not scene.bars


def test_a_dumb_terminal_is_none(scene, terminal, monkeypatch):
    monkeypatch.setenv("TERM", "dumb")
    with task("tea"):
        scene.at(60)
    assert not scene.bars


def test_one_of_several_workers_shows_no_bar(scene, terminal):
    from joblib import Parallel, delayed

    def work():
        with task("tea"):
            scene.watch.look()
            return scene.bars

    scene.now = 60.0
    assert Parallel(n_jobs=2, prefer="threads")(delayed(work)() for _ in range(2)) == [[], []]


def test_fits_in_threads_share_one_bar_and_the_next_takes_over(scene, terminal):
    inside, go_on = threading.Barrier(9), [threading.Event() for _ in range(8)]

    def fit(number):
        with task(f"fit {number}"):
            inside.wait()
            go_on[number].wait()

    threads = [threading.Thread(target=fit, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    inside.wait()
    scene.at(PATIENCE)
    assert len(scene.bars) == 1
    first = int(scene.bars[0].lines[0][4])
    go_on[first].set()
    threads[first].join()
    assert scene.bars[0].closed
    scene.at(PATIENCE + 1)
    assert len(scene.bars) == 2
    for event in go_on:
        event.set()
    for thread in threads:
        thread.join()
    assert all(bar.closed for bar in scene.bars)
    assert not scene.watch._watched


def test_lines_of_several_threads_are_their_own(scene):
    inside = threading.Barrier(4)
    done = threading.Event()

    def fit():
        with task("fit", verbose=1):
            inside.wait()
            done.wait()

    threads = [threading.Thread(target=fit) for _ in range(3)]
    for thread in threads:
        thread.start()
    inside.wait()
    scene.at(PATIENCE)
    assert len(scene.line_displays) == 3
    done.set()
    for thread in threads:
        thread.join()


def test_work_in_worker_threads_is_part_of_the_task_that_divided_it(scene, terminal):
    def work(chunk):
        with task(f"chunk {chunk}", worth=1):
            return threading.get_ident(), CURRENT.get().parent.what

    with task("division", 4) as division:
        found = list(over_chunks(work, range(4), n_jobs=2, expected=10.0))
        assert division.done == 4
    assert {outer for _, outer in found} == {"division"}
    assert threading.get_ident() not in {thread for thread, _ in found}


def test_an_iteration_is_a_task_that_is_nobodys_parent(scene, terminal):
    with task("fit") as fit:
        two = zip(follow(iter("ab"), "letters", 2), follow(iter("12"), "digits", 2), strict=True)
        next(two)
        assert CURRENT.get() is fit
        assert [part.what for part in fit.parts] == ["letters", "digits"]
        scene.at(PATIENCE)
        assert scene.bars[0].lines == ["fit > digits: 50%, 0:02 left"]
        del two
        assert not fit.parts


def test_the_bar_of_rich_goes_to_standard_error_and_disappears(terminal, monkeypatch, capsys):
    monkeypatch.setattr(sys, "stderr", terminal)
    now = [0.0]
    watch = Watch(lambda: now[0])
    watch.start = lambda: None
    monkeypatch.setattr(progress, "WATCH", watch)
    with task("tea", 2) as tea, task("[water]"):
        tea.advance()
        now[0] = 30.0
        watch.look()
        watch.look()
        shown = terminal.getvalue()
        assert "tea > [water]" in shown
        assert "50%" in shown
        assert "0:30 left" in shown
    assert capsys.readouterr().out == ""
    assert sys.stderr is terminal


def test_lines_come_every_few_seconds(monkeypatch, capsys):
    now = [0.0]
    watch = Watch(lambda: now[0])
    watch.start = lambda: None
    monkeypatch.setattr(progress, "WATCH", watch)
    with task("tea", verbose=1):
        for now[0] in (
            0.0,
            PATIENCE,
            PATIENCE + 1,
            PATIENCE + SECONDS_A_LINE,
            PATIENCE + SECONDS_A_LINE + 1,
        ):
            watch.look()
    assert capsys.readouterr() == (
        "",
        "wideberth: tea: 0:02 so far\nwideberth: tea: 0:07 so far\nwideberth: tea: ended after "
        "0:08\n",
    )


def test_a_broken_screen_stops_no_work(scene, terminal):
    class Broken(Recorder):
        def show(self, facts):
            raise BrokenPipeError

    scene.watch._bar = Broken
    with task("tea"):
        scene.at(60)


def test_the_thread_of_the_watch_shows_work_that_does_not_report(monkeypatch):
    shown = threading.Event()

    class Seen(Recorder):
        def show(self, facts):
            shown.set()

    later = iter([0.0])
    watch = Watch(lambda: next(later, 60.0), lines=Seen)
    monkeypatch.setattr(progress, "WATCH", watch)
    with task("eigenvalues", verbose=1):
        assert shown.wait(timeout=60)
    assert not watch._watched
