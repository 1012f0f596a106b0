"""What a killed process leaves is removed by the next one; what a living one writes is not."""

import contextlib
import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from wideberth import atomic_write as module
from wideberth.atomic_write import atomic_write, remove_abandoned, temporary_mark
from wideberth.io.whole_file import whole_file

#: Writes half a file and waits, until it is told to go on or killed.
WRITER = """
import sys
from wideberth.io.whole_file import whole_file

with whole_file(sys.argv[1]) as stream:
    stream.write(b"half")
    stream.flush()
    print("waiting", flush=True)
    sys.stdin.readline()
    stream.write(b" whole")
"""
needs_locks = pytest.mark.skipif(module.fcntl is None, reason="there, open files cannot be removed")


@contextlib.contextmanager
def writer(path):
    process = subprocess.Popen(
        [sys.executable, "-c", WRITER, str(path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout.readline() == "waiting\n"
        yield process
    finally:
        process.kill()
        process.communicate()


def unfinished(folder):
    return sorted(path.name for path in folder.iterdir() if path.name.endswith(".unfinished"))


@needs_locks
def test_what_a_killed_process_left_is_removed_by_the_next_write_and_a_living_one_goes_on(tmp_path):
    path = tmp_path / "letter.txt"
    with writer(path) as killed:
        killed.kill()
    (left,) = unfinished(tmp_path)
    with writer(path) as living:
        (its,) = unfinished(tmp_path)  # that of the killed one is gone
        assert its != left
        with whole_file(path) as stream:
            stream.write(b"quick")
        assert unfinished(tmp_path) == [its]
        assert path.read_bytes() == b"quick"
        living.communicate("go on\n")
        assert living.returncode == 0
    assert path.read_bytes() == b"half whole"
    assert unfinished(tmp_path) == []


@needs_locks
def test_only_files_of_our_own_names_are_removed(tmp_path):
    digits = module._HOST + "0123456789abcdef0abcdef0"
    (tmp_path / "precious.txt").write_text("precious")
    others = [
        "letter.txt.unfinished",
        f"letter.txt.{digits}.unfinished",
        f".letter.txt.{digits[:-1]}.unfinished",
        f".letter.txt.{digits}.unfinished.txt",
        f".letter.txt.{digits.upper()}.unfinished",
        f".other.txt.{digits}.unfinished",
    ]
    for name in others:
        (tmp_path / name).touch()
    link, folder, own = (tmp_path / f".letter.txt.{digits[:-1]}{end}.unfinished" for end in "012")
    link.symlink_to("precious.txt")
    folder.mkdir()
    own.touch()
    remove_abandoned(tmp_path, "letter.txt")
    assert not own.exists()
    assert set(unfinished(tmp_path)) | {others[3]} == {*others, link.name, folder.name}
    remove_abandoned(tmp_path)
    assert not (tmp_path / others[-1]).exists()
    assert (tmp_path / "precious.txt").read_text() == "precious"
    remove_abandoned(tmp_path / "nowhere")


def test_the_file_comes_to_the_disk_before_its_name_and_the_name_before_it_returns(
    tmp_path, monkeypatch
):
    told, path = [], tmp_path / "letter.txt"
    sync, replace = os.fsync, Path.replace

    def synced(descriptor):
        told.append("folder" if os.path.isdir(f"/proc/self/fd/{descriptor}") else "file")  # noqa: PTH112
        sync(descriptor)

    def renamed(self, target):
        told.append("name")
        return replace(self, target)

    monkeypatch.setattr(os, "fsync", synced)
    monkeypatch.setattr(Path, "replace", renamed)
    with atomic_write(path) as stream:
        stream.write(b"x")
    assert told[:2] == ["file", "name"]
    if Path("/proc/self/fd").exists():
        assert told == ["file", "name", "folder"]
    told.clear()
    with atomic_write(path, durable=False) as stream:
        stream.write(b"y")
    assert told == ["name"]
    assert path.read_bytes() == b"y"


def test_a_folder_that_cannot_be_synced_is_no_error(tmp_path, monkeypatch):
    sync = os.fsync

    def refused(descriptor):
        if not os.isatty(descriptor) and os.fstat(descriptor).st_mode & 0o040000:
            raise OSError(22, "Invalid argument")
        sync(descriptor)

    monkeypatch.setattr(os, "fsync", refused)
    with atomic_write(tmp_path / "letter.txt") as stream:
        stream.write(b"x")
    assert (tmp_path / "letter.txt").read_bytes() == b"x"


@needs_locks
def test_without_locks_only_age_tells(tmp_path, monkeypatch):
    def none(*_):
        raise OSError(95, "Operation not supported")

    monkeypatch.setattr(module.fcntl, "flock", none)
    young, old = (tmp_path / f".letter.txt.{module._HOST}{digit * 24}.unfinished" for digit in "01")
    young.touch()
    old.touch()
    long_ago = time.time() - 2 * module._ABANDONED
    os.utime(old, (long_ago, long_ago))
    with whole_file(tmp_path / "letter.txt") as stream:
        stream.write(b"x")
    assert unfinished(tmp_path) == [young.name]


@needs_locks
def test_of_other_machines_only_age_tells(tmp_path):
    young, old = (tmp_path / f".letter.txt.{digit * 32}.unfinished" for digit in "ab")
    young.touch()
    old.touch()
    long_ago = time.time() - 2 * module._ABANDONED
    os.utime(old, (long_ago, long_ago))
    remove_abandoned(tmp_path)
    assert unfinished(tmp_path) == [young.name]


def test_a_mark_is_there_as_long_as_it_is_needed(tmp_path):
    with temporary_mark(tmp_path / "mark") as mark:
        remove_abandoned(tmp_path)
        assert mark.exists()
    assert list(tmp_path.iterdir()) == []


@needs_locks
def test_a_file_that_is_taken_for_abandoned_before_it_is_locked_is_begun_anew(
    tmp_path, monkeypatch
):
    locked, taken = module._is_locked, []

    def late(descriptor):
        if not taken:
            (found,) = unfinished(tmp_path)
            taken.append(found)
            with (
                monkeypatch.context() as other
            ):  # another process, which does not know what this one writes
                other.setattr(module, "_under_way", set())
                remove_abandoned(tmp_path)
        return locked(descriptor)

    monkeypatch.setattr(module, "_is_locked", late)
    with atomic_write(tmp_path / "letter.txt") as stream:
        stream.write(b"whole")
    assert taken
    assert (tmp_path / "letter.txt").read_bytes() == b"whole"
    assert module._under_way == set()


def test_threads_do_not_disturb_each_other(tmp_path):
    path, failed = tmp_path / "letter.txt", []

    def write(number):
        try:
            for _ in range(20):
                with whole_file(path) as stream:
                    stream.write(b"%d" % number * 1000)
        except BaseException as error:
            failed.append(error)

    threads = [threading.Thread(target=write, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failed == []
    assert len(set(path.read_bytes())) == 1
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("name", ["🍵" * 60, "x" * 250, "ä" * 120])
def test_names_as_long_as_the_system_takes(name, tmp_path):
    with whole_file(tmp_path / name) as stream:
        stream.write(b"x")
    assert [path.name for path in tmp_path.iterdir()] == [name]
