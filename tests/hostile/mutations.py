"""Model files that were tampered with: edits as plain values, the bytes that they make of a file,
and strategies that draw them.

An edit is a list: what is done, and with what. Those of `model.json` and of arrays come first and
leave a file that is sound on the outside, with the right sizes and checksums; those of bytes come
last, and say whether the seal is made right again. Edits are JSON, so that one that found a fault
is kept as a line of the corpus.
"""

import contextlib
import hashlib
import io
import json
import struct
import warnings
import zipfile
import zlib
from tokenize import TokenError

from hypothesis import strategies as st
from mutated_files import NOTHING_SAID
from numpy.lib import format as npy

from wideberth.io.model_file.archive import MANIFEST, write_archive
from wideberth.io.model_file.read import up_to_date
from wideberth.io.model_file.write import MODEL

SEAL_SIZE = len(b"sha256=") + 64

#: Values at the edges of what a number, a text or a list can be; the texts of long ones are made
#: when they are used.
VALUES = [
    *[None, True, False, "", "x", "\ud800", "\0", "nan", "loo", "auto", "2GB", "9" * 400 + "GB"],
    *[
        0,
        1,
        -1,
        2,
        3,
        255,
        2**16,
        2**24,
        2**31,
        2**32,
        2**40,
        2**53 + 1,
        2**62,
        2**63 - 1,
        2**63,
        2**64,
        10**30,
        10**400,
        -(2**63),
    ],
    *[
        0.5,
        -0.5,
        1e-320,
        1e-300,
        1e150,
        1e300,
        1.7e308,
        -1e308,
        {"$float": "inf"},
        {"$float": "-inf"},
        {"$float": "nan"},
    ],
    *[
        [],
        {},
        [[]],
        [0],
        ["a"],
        {"a": 0},
        {"$tuple": []},
        {"$set": [1, "a"]},
        {"$dict": [[1, 2]]},
        {"$bytes": "AA=="},
    ],
    *[
        {"$array": "arrays/0.npy"},
        {"$array": "arrays/1.npy"},
        {"$array": "manifest.json"},
        {"$array": "model.json"},
    ],
    *[
        {"$dict": [[1]]},
        {"$dict": [[[], 1]]},
        {"$set": [{"$array": "arrays/0.npy"}]},
        {"$bytes": "A"},
    ],
]
DTYPES = [
    "<f8",
    ">f8",
    "<f4",
    "<f2",
    "<f16",
    "<i8",
    ">i8",
    "<i4",
    "|i1",
    "|u1",
    "<u8",
    "|b1",
    "<U1",
    "<U2",
    "|S1",
    "|S8",
    "<c16",
]
DTYPES += ["|O", "<M8[s]", "|V8", "<U0", "<U99999999", "|S2147483647"]
#: What is written over the data of arrays: NaN, infinities, numbers that are too large as counts,
#: positions or letters.
WORDS = [
    "000000000000f87f",
    "000000000000f07f",
    "000000000000f0ff",
    "ffffffffffffffff",
    "ffffffffffffff7f",
    "0000000000000080",
]
WORDS += [
    "ffffff7f",
    "00d80000",
    "00000000",
    "ff",
    "0100000000000000",
    "ffffffffffffef7f",
    "0000000001000000",
]


def entries_of(content):
    """The entries of a model file and their contents, without the manifest, as the newest version of
    the format has them: they are written again with that version.
    """
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        entries = {name: archive.read(name) for name in archive.namelist() if name != MANIFEST}
        version = json.loads(archive.read(MANIFEST))["format_version"]
    newest = up_to_date(json.loads(entries[MODEL]), version)
    unchanged = newest == json.loads(entries[MODEL])
    return entries if unchanged else entries | {MODEL: json.dumps(newest).encode()}


def sealed(entries):
    """A file with any entries, as sound on the outside as one of ours."""
    stream = io.BytesIO()
    write_archive(stream, entries.items() if isinstance(entries, dict) else entries, NOTHING_SAID)
    return stream.getvalue()


def with_seal(body):
    """Any bytes, with the seal at their end that they ought to have."""
    return body + b"sha256=" + hashlib.sha256(body).hexdigest().encode()


def npy_bytes(header, data):
    """The content of an NPY file with any header."""
    text = header.encode() + b" " * (-(len(header) + 11) % 64) + b"\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text + data


#: What edits raise if earlier ones have left a damaged archive, or no bytes at all.
UNREADABLE = (
    zipfile.BadZipFile,
    zlib.error,
    ArithmeticError,
    struct.error,
    EOFError,
    LookupError,
    RuntimeError,
    ValueError,
)


def mutated(content, edits):
    """The bytes of a model file after the edits."""
    edits = sorted(edits, key=lambda edit: edit[0] in BYTE_EDITS)
    entries = entries_of(content)
    for name, *given in edits:
        if name in ENTRY_EDITS:
            with contextlib.suppress(
                ArithmeticError, LookupError, RecursionError, TypeError, ValueError
            ):
                ENTRY_EDITS[name](
                    entries, *given
                )  # skipped where an earlier one has left nothing to edit
    out = sealed(entries)
    for name, *given in edits:
        if name in BYTE_EDITS:
            with contextlib.suppress(*UNREADABLE):
                out = BYTE_EDITS[name](
                    out, *given
                )  # skipped where an earlier one has left no archive that could be read
    return out


# ---- edits of entries ----------------------------------------------------------------------------


def _places(value, path=()):
    """All places of a JSON value, as tuples of keys and positions."""
    inner = (
        value.items()
        if isinstance(value, dict)
        else enumerate(value)
        if isinstance(value, list)
        else ()
    )
    for key, item in inner:
        yield (*path, key)
        yield from _places(item, (*path, key))


def _edit_model(entries, number, change):
    """Change the place with this number (counted round) in model.json: ``change(parent, key)``."""
    described = json.loads(entries["model.json"])
    places = list(_places(described))
    *path, key = places[number % len(places)]
    parent = described
    for step in path:
        parent = parent[step]
    change(parent, key)
    entries["model.json"] = json.dumps(described).encode()


def set_value(entries, number, value):
    _edit_model(entries, number, lambda parent, key: parent.__setitem__(key, value))


def delete_value(entries, number):
    _edit_model(entries, number, lambda parent, key: parent.__delitem__(key))


def rename_key(entries, number, name):
    def rename(parent, key):
        value = parent.pop(key)
        parent[name] = value

    _edit_model(
        entries,
        number,
        lambda parent, key: rename(parent, key) if isinstance(parent, dict) else None,
    )


def copy_value(entries, number, other):
    """Put the value of one place into another."""
    described = json.loads(entries["model.json"])
    places = list(_places(described))
    value = described
    for step in places[other % len(places)]:
        value = value[step]
    set_value(entries, number, value)


def set_path(entries, path, value):
    """Set the value at a path, such as "state/codes"; for the corpus, which names places."""
    described = parent = json.loads(entries["model.json"])
    *steps, last = path.split("/")
    for step in steps:
        parent = parent[step]
    parent[last] = value
    entries["model.json"] = json.dumps(described).encode()


def nest(entries, number, depth):
    """Put a value into many lists."""
    text, mark = entries, "7\u0001"
    set_value(entries, number, mark)
    entries["model.json"] = text["model.json"].replace(
        json.dumps(mark).encode(), b"[" * depth + b"]" * depth
    )


def repeat_key(entries, key, count):
    """Many fields of one object, the last of which has the name of the first."""
    fields = ",".join(f'"{key}{number}":0' for number in [*range(count), 0])
    entries["model.json"] = entries["model.json"][:-1] + f',"many":{{{fields}}}}}'.encode()


def _arrays(entries):
    return [name for name in entries if name.endswith(".npy")]


def _edit_array(entries, number, change):
    names = _arrays(entries)
    if not names:
        return
    name = names[number % len(names)]
    stream = io.BytesIO(entries[name])
    try:
        npy.read_magic(stream)
        shape, column_order, dtype = npy.read_array_header_1_0(stream)
    except (ValueError, TokenError):  # an earlier edit has broken it
        return
    header = {"descr": npy.dtype_to_descr(dtype), "fortran_order": column_order, "shape": shape}
    header, data = change(header, stream.read())
    entries[name] = npy_bytes(header if isinstance(header, str) else repr(header), data)


def set_header(entries, number, field, value):
    """Set a field of the header of an array; the data stay."""
    value = tuple(value) if isinstance(value, list) else value
    _edit_array(entries, number, lambda header, data: (header | {field: value}, data))


def replace_array(entries, number, descr, shape, data):
    """Another header and other data, given in hexadecimal digits."""
    header = {"descr": descr, "fortran_order": False, "shape": tuple(shape)}
    _edit_array(entries, number, lambda *_: (header, bytes.fromhex(data)))


def set_header_text(entries, number, text):
    _edit_array(entries, number, lambda header, data: (text, data))


def set_data(entries, number, position, word):
    """Write over the data of an array, from a position counted round in units of the word."""
    word = bytes.fromhex(word)

    def write(header, data):
        place = position * len(word) % max(1, len(data) // len(word) * len(word))
        return header, (data[:place] + word + data[place + len(word) :])[: len(data)]

    _edit_array(entries, number, write)


def swap_entries(entries, number, other):
    names = list(entries)
    one, two = names[number % len(names)], names[other % len(names)]
    entries[one], entries[two] = entries[two], entries[one]


def drop_entry(entries, number):
    names = list(entries)
    del entries[names[number % len(names)]]


def add_entries(entries, prefix, count):
    entries |= {f"{prefix}{number}": b"" for number in range(count)}


ENTRY_EDITS = {
    edit.__name__: edit
    for edit in (
        set_value,
        delete_value,
        rename_key,
        copy_value,
        set_path,
        nest,
        repeat_key,
        set_header,
        set_header_text,
    )
} | {
    edit.__name__: edit for edit in (replace_array, set_data, swap_entries, add_entries, drop_entry)
}


# ---- edits of bytes ------------------------------------------------------------------------------


def _sealed_again(body, again):
    return with_seal(body[:-SEAL_SIZE]) if again else body


def flip(content, position, bit, again):
    out = bytearray(content)
    out[position % len(out)] ^= 1 << bit
    return _sealed_again(bytes(out), again)


def overwrite(content, position, data, again):
    """Write hexadecimal digits over the file; a negative position counts from the seal, before
    which the zip directory is.
    """
    data = bytes.fromhex(data)
    place = (
        position % (len(content) - SEAL_SIZE)
        if position >= 0
        else max(0, len(content) - SEAL_SIZE + position)
    )
    return _sealed_again(
        (content[:place] + data + content[place + len(data) :])[: len(content)], again
    )


def zip_field(content, number, field, value):
    """Set a field of an entry in the directory of the zip: flags, method, sizes, where it
    begins.
    """
    found = [place for place in range(len(content)) if content.startswith(b"PK\1\2", place)]
    if not found:
        return content
    place, size = _ZIP_FIELDS[field]
    begin = found[number % len(found)] + place
    return _sealed_again(
        content[:begin] + (value % 256**size).to_bytes(size, "little") + content[begin + size :],
        True,
    )


def zip_end(content, field, value):
    """Set a field of the end of the zip: how many entries there are, where their directory is and
    how long.
    """
    found = content.rfind(b"PK\5\6")
    if found < 0:
        return content
    place, size = _END_FIELDS[field]
    begin = found + place
    return _sealed_again(
        content[:begin] + (value % 256**size).to_bytes(size, "little") + content[begin + size :],
        True,
    )


def set_manifest(content, number, value):
    """Set the place with this number (counted round) in the manifest."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            entries = {"model.json": archive.read(MANIFEST)}
    except (
        zipfile.BadZipFile,
        KeyError,
        ValueError,
        NotImplementedError,
        RuntimeError,
        OSError,
    ):  # an earlier edit broke it
        return content
    kept = entries_of(content)
    set_value(entries, number, value)
    return zipped([*kept.items(), (MANIFEST, entries["model.json"])])


def zipped(entries):
    """A zip of any entries, with the seal; names may repeat."""
    stream = io.BytesIO()
    with warnings.catch_warnings(), zipfile.ZipFile(stream, "w") as archive:
        warnings.simplefilter("ignore")
        for name, entry in entries:
            archive.writestr(zipfile.ZipInfo(name), entry)
        archive.comment = b"0" * SEAL_SIZE
    return with_seal(stream.getvalue()[:-SEAL_SIZE])


def cut(content, size, again):
    short = content[: size % len(content)]
    return with_seal(short) if again else short


def append(content, data, again):
    return with_seal(content + bytes.fromhex(data)) if again else content + bytes.fromhex(data)


#: Where the fields of a directory entry and of the end of a zip are, and their sizes in bytes.
_ZIP_FIELDS = {
    "version": (6, 2),
    "flags": (8, 2),
    "method": (10, 2),
    "crc": (16, 4),
    "stored": (20, 4),
    "size": (24, 4),
}
_ZIP_FIELDS |= {
    "name": (28, 2),
    "extra": (30, 2),
    "comment": (32, 2),
    "disk": (34, 2),
    "mode": (38, 4),
    "begin": (42, 4),
}
_END_FIELDS = {
    "disk": (4, 2),
    "here": (8, 2),
    "entries": (10, 2),
    "length": (12, 4),
    "begin": (16, 4),
    "comment": (20, 2),
}

BYTE_EDITS = {
    edit.__name__: edit for edit in (set_manifest, zip_field, zip_end, flip, overwrite, cut, append)
}


# ---- strategies ----------------------------------------------------------------------------------

_number = st.integers(0, 400)
_size = st.sampled_from([0, 1, 2, 3, 6, 12, 18, 2**16, 2**24, 2**31, 2**40, 2**62, -1])
_scalar = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(max_size=3),
)
_value = st.one_of(
    st.sampled_from(VALUES),
    _scalar,
    st.recursive(_scalar, lambda inner: st.lists(inner, max_size=3), max_leaves=4),
)


def _edit(function, *arguments):
    return st.tuples(st.just(function.__name__), *arguments).map(list)


_field_value = st.sampled_from(
    [0, 1, 2, 8, 9, 12, 14, 99, 0x0801, 0xFFFF, 0xFFFFFFFF, 0x7FFFFFFF, 100, 1000]
)
_data = st.binary(min_size=1, max_size=8).map(bytes.hex)
edits = st.one_of(
    _edit(set_value, _number, _value),
    _edit(set_value, _number, _value),
    _edit(delete_value, _number),
    _edit(
        rename_key,
        _number,
        st.sampled_from(["", "a", "kind", "$array", "$float", "$dict", "parameters", "objects"]),
    ),
    _edit(copy_value, _number, _number),
    _edit(nest, _number, st.sampled_from([1, 30, 300, 3000, 100_000])),
    _edit(set_header, _number, st.just("shape"), st.lists(_size, max_size=3)),
    _edit(set_header, _number, st.just("descr"), st.sampled_from(DTYPES)),
    _edit(set_header, _number, st.just("fortran_order"), st.booleans()),
    _edit(set_header_text, _number, st.text(max_size=30).filter(lambda text: "\ud800" not in text)),
    _edit(set_data, _number, _number, st.sampled_from(WORDS)),
    _edit(set_data, _number, _number, st.sampled_from(WORDS)),
    _edit(set_data, _number, _number, _data),
    _edit(swap_entries, _number, _number),
    _edit(drop_entry, _number),
    _edit(set_manifest, _number, _value),
    _edit(zip_field, _number, st.sampled_from(sorted(_ZIP_FIELDS)), _field_value),
    _edit(zip_end, st.sampled_from(sorted(_END_FIELDS)), _field_value),
    _edit(flip, st.integers(0, 20_000), st.integers(0, 7), st.booleans()),
    _edit(overwrite, st.integers(-600, 20_000), _data, st.just(True)),
    _edit(overwrite, st.integers(-600, -1), _data, st.just(True)),
    _edit(cut, st.integers(0, 20_000), st.booleans()),
    _edit(append, _data, st.booleans()),
)
