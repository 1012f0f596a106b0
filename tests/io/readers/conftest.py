"""Files to read, and the shape every complaint about one must have."""

from contextlib import contextmanager

import pytest

from wideberth.errors import InvalidFile


@pytest.fixture
def write(tmp_path):
    """Write text or bytes into a file and return its path."""

    def write(name, content):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


@pytest.fixture
def refused():
    """Expect a file to be refused with its path, the line and the value, in the message and as
    attributes.
    """

    @contextmanager
    def refused(path, *texts, line=None, value=..., unit="line"):
        with pytest.raises(InvalidFile) as caught:
            yield caught
        error, place = caught.value, str(path) if line is None else f"{path}, {unit} {line}:"
        assert error.path == str(path)
        assert error.line == line
        assert error.advice
        if value is not ...:
            assert error.value == value
        for text in (place, *texts):
            assert text in str(error)

    return refused
