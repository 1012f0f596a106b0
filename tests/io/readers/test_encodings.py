"""Every encoding is found, named or refused, wherever in the file the telling byte stands."""

import codecs
import gzip
import warnings

import pytest

import wideberth
from wideberth.errors import GuessedEncodingWarning
from wideberth.io.readers import read_batches

TABLE = "word,label\nthé,fr\nчай,ru\n茶,zh\n"
WORDS = ["thé", "чай", "茶"]


@pytest.fixture(autouse=True)
def no_guess_unannounced():
    with warnings.catch_warnings():
        warnings.simplefilter("error", GuessedEncodingWarning)
        yield


@pytest.mark.parametrize(
    ("mark", "encoding"),
    [
        (b"", "utf-8"),
        (codecs.BOM_UTF8, "utf-8"),
        (codecs.BOM_UTF16_LE, "utf-16-le"),
        (codecs.BOM_UTF16_BE, "utf-16-be"),
        (codecs.BOM_UTF32_LE, "utf-32-le"),
        (codecs.BOM_UTF32_BE, "utf-32-be"),
        (b"", "utf-16-le"),
        (b"", "utf-16-be"),
    ],
)
@pytest.mark.parametrize("named", [False, True], ids=["found", "named"])
def test_unicode_is_found_or_named(write, mark, encoding, named):
    records = wideberth.read(
        write("drinks.csv", mark + TABLE.encode(encoding)), encoding=encoding if named else None
    )
    assert (records.objects, records.column) == (WORDS, "word")


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_unmarked_utf16_is_found_in_other_scripts(write, encoding):
    text = "слово,язык\n" + "чай,русский\n茶,漢語一\n" * 50
    assert wideberth.read(write("drinks.csv", text.encode(encoding)), target="язык").objects[
        :2
    ] == ["чай", "茶"]


def test_json_lines_and_compressed_files_too(write):
    assert wideberth.read(write("drinks.jsonl", '"thé"\n'.encode("utf-16"))).objects == ["thé"]
    assert (
        wideberth.read(write("drinks.csv.gz", gzip.compress(TABLE.encode("utf-16")))).objects
        == WORDS
    )


@pytest.mark.parametrize("rows", [1, 20_000], ids=["near", "far into the file"])
@pytest.mark.parametrize("ending", ["\n", "\r\n", "\r"], ids=["LF", "CRLF", "CR"])
def test_windows_1252_is_guessed_with_a_warning(write, rows, ending):
    path = write(
        "drinks.csv",
        ("word,label\n" + "tea,en\n" * rows + "thé,fr\n").replace("\n", ending).encode("cp1252"),
    )
    with pytest.warns(GuessedEncodingWarning) as caught:
        records = wideberth.read(path)
    assert records.objects[-1] == "thé"
    message = str(caught[0].message)
    assert f"{path}, line {rows + 2}: the byte 0xE9 is not UTF-8" in message
    assert "encoding='cp1252'" in message
    assert caught[0].filename == __file__
    assert wideberth.read(path, encoding="cp1252").objects[-1] == "thé"


def test_the_warning_of_a_stream_points_to_the_caller_too(write):
    path = write("drinks.csv", "word\nthé\n".encode("cp1252"))
    with pytest.warns(GuessedEncodingWarning) as caught:
        read_batches(path)
    assert caught[0].filename == __file__


def test_a_character_across_chunks_is_no_error(write):
    padding = "a" * ((1 << 16) - len("word,label\n") - 1)
    assert wideberth.read(write("drinks.csv", f"word,label\n{padding}é,fr\n")).objects == [
        padding + "é"
    ]


def test_bytes_that_neither_encoding_knows_are_refused(write, refused):
    path = write("drinks.csv", b"word,label\n" + b"tea,en\n" * 50_000 + b"t\x81a,fr\n")
    with refused(
        path, "byte 0x81 is neither UTF-8 nor Windows-1252", "encoding=", line=50_002, value=b"\x81"
    ):
        wideberth.read(path)
    assert wideberth.read(path, encoding="latin-1").objects[-1] == "t\x81a"


@pytest.mark.parametrize(
    ("content", "value"),
    [(b"word\nth\xe9\n", b"\xe9"), (b"word\nth\xc3", b"\xc3")],
    ids=["inside", "cut off"],
)
def test_bytes_against_the_named_encoding_are_refused(write, refused, content, value):
    path = write("drinks.csv", content)
    with refused(
        path, "cannot be decoded as utf-8", "or none to have it found", line=2, value=value
    ):
        wideberth.read(path, encoding="utf-8")


def test_several_wrong_bytes_are_all_named(write, refused):
    path = write("drinks.csv", b"word\nt\x80\xff\n")
    with refused(path, "the byte 0x80 cannot be decoded as ascii", line=2):
        wideberth.read(path, encoding="ascii")
    path = write("drinks.csv", "word\n".encode("utf-16") + b"\x00\xdcab")
    with refused(
        path, "the bytes 0x00 0xDC cannot be decoded as utf-16-le", line=2, value=b"\x00\xdc"
    ):
        wideberth.read(path)


def test_encodings_that_keep_a_state_are_placed_right(write, refused):
    path = write("drinks.csv", "word\n茶\n".encode("iso2022_jp") + b"\xff\n")
    with refused(path, "byte 0xFF", line=3, value=b"\xff"):
        wideberth.read(path, encoding="iso2022_jp")


def test_utf16_without_mark_or_byte_order_is_refused(write, refused):
    path = write("drinks.csv", TABLE.encode("utf-16-le"))
    with refused(path, "bytes 0x77 0x00 cannot be decoded as utf-16", "or none", line=1):
        wideberth.read(path, encoding="utf-16")
    assert wideberth.read(path).objects == WORDS


@pytest.mark.parametrize("name", ["utf-9", "base64", "locale", "a\0b"])
def test_what_is_no_encoding_is_refused(write, refused, name):
    path = write("drinks.csv", TABLE)
    with refused(path, f"{name!r} is not a text encoding", "'utf-8'", value=name):
        wideberth.read(path, encoding=name)


def test_zero_bytes_are_refused_until_the_encoding_is_named(write, refused):
    path = write("drinks.csv", TABLE.encode("utf-32-le"))
    with refused(path, "byte 0x00 does not belong in a text", "encoding=", line=1, value=b"\0"):
        wideberth.read(path)
    assert wideberth.read(path, encoding="utf-32-le").objects == WORDS


#: Small tables in the encodings that were usual before UTF-8.
SMALL = {
    "cp1252": "mot,langue\nthé,français\ncafé,français\nbière,français\nœuf,français\ncrème "
    "brûlée,français\n",
    "cp1251": "слово,язык\nчай,русский\nмолоко,русский\nвода,русский\n",
    "koi8_r": "слово,язык\nчай,русский\nмолоко,русский\nвода,русский\n",
    "shift_jis": "単語,ラベル\nお茶,日本語\n牛乳,日本語\nコーヒー,日本語\n",
    "gb18030": "词语,标签\n茶叶,中文\n牛奶,中文\n咖啡,中文\n",
    "cp1250": "słowo,język\nherbata,polski\nmleko świeże,polski\nźródło,polski\nżółw,polski\n",
}


@pytest.mark.parametrize("encoding", SMALL)
def test_small_texts_in_other_encodings_are_guessed_with_a_warning(write, encoding):
    path = write("words.csv", SMALL[encoding].encode(encoding))
    column, target = SMALL[encoding].partition("\n")[0].split(",")
    with pytest.warns(GuessedEncodingWarning, match="not UTF-8; reading the file as") as caught:
        records = wideberth.read(path, target=target)
    expected = [line.split(",")[0] for line in SMALL[encoding].splitlines()[1:]]
    assert (records.objects, records.column) == (expected, column)
    named = str(caught[0].message).partition("Pass encoding='")[2].partition("'")[0]
    assert wideberth.read(path, target=target, encoding=named).objects == expected


def test_letters_far_into_a_file_tell_the_encoding(write):
    text = "слово,язык\n" + "tea,english\n" * 20_000 + "чай,русский\nмолоко,русский\n"
    with pytest.warns(GuessedEncodingWarning, match="cp1251"):
        assert wideberth.read(write("words.csv", text.encode("cp1251")), target="язык").objects[
            -2:
        ] == ["чай", "молоко"]
