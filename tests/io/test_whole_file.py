"""A file is there as a whole or not at all."""

import errno
import os
import stat

import pytest

from wideberth.errors import InvalidFile
from wideberth.io.whole_file import check_writable, whole_file


@pytest.mark.parametrize("trouble", [KeyboardInterrupt, ValueError, SystemExit])
def test_an_interruption_keeps_the_old_file_and_leaves_nothing_else(tmp_path, trouble):
    path = tmp_path / "letter.txt"
    path.write_bytes(b"old")

    def interrupted():
        with whole_file(path) as stream:
            stream.write(b"half of the new")
            stream.flush()
            raise trouble

    with pytest.raises(trouble):
        interrupted()
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_full_disk_is_a_sentence_and_keeps_the_old_file(tmp_path):
    path = tmp_path / "letter.txt"
    path.write_bytes(b"old")
    with (
        pytest.raises(InvalidFile, match=r"letter\.txt: cannot be written \(No space left") as full,
        whole_file(path),
    ):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    assert full.value.path == str(path)
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_link_keeps_pointing_where_it_did(tmp_path):
    (tmp_path / "real.txt").write_bytes(b"old")
    (tmp_path / "link.txt").symlink_to("real.txt")
    with whole_file(tmp_path / "link.txt") as stream:
        stream.write(b"new")
    assert (tmp_path / "link.txt").is_symlink()
    assert (tmp_path / "real.txt").read_bytes() == b"new"


def test_a_device_is_written_to_and_not_replaced():
    with whole_file(os.devnull) as stream:
        stream.write(b"gone")
    assert stat.S_ISCHR(os.stat(os.devnull).st_mode)  # noqa: PTH116


def test_places_that_cannot_be_written_to_are_named_before_any_work(tmp_path):
    for wrong in (tmp_path, tmp_path / "no" / "letter.txt"):
        with pytest.raises(InvalidFile, match="cannot be written"):
            check_writable(wrong)
        with pytest.raises(InvalidFile, match="cannot be written"), whole_file(wrong) as stream:
            stream.write(b"x")
    check_writable(tmp_path / "letter.txt")
    assert not list(tmp_path.iterdir())


def test_a_broken_pipe_stays_what_it_is(tmp_path):
    with pytest.raises(BrokenPipeError), whole_file(tmp_path / "letter.txt"):
        raise BrokenPipeError
