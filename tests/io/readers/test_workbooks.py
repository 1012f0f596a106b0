"""Workbooks: a sheet as a table, with dates, errors of formulas and empty rows; archives that claim
too much are refused.
"""

import contextlib
import datetime
import io
import zipfile

import numpy as np
import pytest
from hostile.reader_inputs import PARTS, SHEET, workbook

import wideberth
from wideberth.io.readers import read_batches

openpyxl = pytest.importorskip("openpyxl")


@pytest.fixture
def save(tmp_path):
    """Write sheets, lists of rows by name, into a workbook and return its path."""

    def save(**sheets):
        book = openpyxl.Workbook()
        book.remove(book.active)
        for name, rows in sheets.items():
            sheet = book.create_sheet(name)
            for row in rows:
                sheet.append(row)
        book.save(tmp_path / "t.xlsx")
        return tmp_path / "t.xlsx"

    return save


ROWS = [
    ["id", "day", "size", "city", "open", "label"],
    [1, datetime.date(1970, 1, 3), 1.5, "Ulm", True, "x"],
    [],
    [2, datetime.datetime(1970, 1, 4, 12), None, "Bonn", False, "y"],
]


def test_a_sheet_is_a_table(save):
    path = save(data=ROWS, empty=[])
    records = wideberth.read(path, keep_cells=True)
    assert (records.kind, records.labels, records.names) == ("rows", ["x", "y"], [1, 2])
    assert records.objects == [
        {"day": 2.0, "size": 1.5, "city": "Ulm", "open": "True"},
        {"day": 3.5, "size": None, "city": "Bonn", "open": "False"},
    ]
    assert {use.name: use.use for use in records.understood}["day"] == "date"
    assert list(records.cells[1]) == ROWS[0]
    assert [len(batch) for batch in read_batches(path, size=1)] == [1, 1]


def test_numbers_written_as_text_are_numbers(save):
    records = wideberth.read(save(data=[["x", "z"], ["3,5", "7"], ["4,25", 8]]))
    assert records.objects.tolist() == [[3.5, 7], [4.25, 8]]


def test_one_of_several_sheets_is_named(save, refused):
    path = save(one=[["x"], [1.5]], other=[["x"], [2.5]])
    with refused(path, "2 sheets have cells: 'one', 'other'", "sheet='one'"):
        wideberth.read(path)
    assert wideberth.read(path, sheet="other").objects.tolist() == [[2.5]]
    with refused(path, "there is no sheet 'others'. Did you mean 'other'?"):
        wideberth.read(path, sheet="others")


@pytest.mark.parametrize(
    ("rows", "complaint", "row"),
    [
        ([["x", "z"], [1, "#DIV/0!"]], "'#DIV/0!' in column 'z' is not a value", 2),
        ([["x"], [1, 2]], "2 in column 2, which has no name", 2),
        ([["x", None, "z"], [1, 2, 3]], "2 in column 2, which has no name", 2),
        (
            [[1.5, 2.5], [1, 2]],
            "numbers ('1.5', '2.5') where the names of the columns should be",
            1,
        ),
        ([["x", "z"], [1, 2], [1, 2], [1, "q"]], "'q' in column 'z' is not a number", 4),
    ],
)
def test_what_is_odd_is_refused_with_its_row(save, refused, rows, complaint, row):
    path = save(data=rows)
    with refused(path, complaint, line=row, unit="row"):
        wideberth.read(path)


def test_a_title_above_the_names_is_told_and_names_are_told_apart(save):
    below = [[40 + i, 3.5 * i, datetime.date(2024, 5, 1 + i), "ab"[i % 2]] for i in range(4)]
    path = save(data=[["Survey of 2024"], [], ["age", "pay", "day", "label"], *below])
    with pytest.warns(UserWarning, match="'Survey of 2024' is read as a title, and row 3 as"):
        records = wideberth.read(path)
    assert records.column == ("age", "pay", "day")
    assert records.objects.tolist()[1] == [41, 3.5, 19845]
    with pytest.warns(UserWarning, match="called 'x'; they are told apart as 'x', 'x \\(2\\)'"):
        assert wideberth.read(save(data=[["x", "x"], [1, 2]])).column == ("x", "x (2)")


def test_bad_rows_are_skipped(save):
    records = wideberth.read(save(data=[["x", "z"], [1, 2], [1, "#REF!"], [3, 4]]), on_error="skip")
    assert (records.objects.tolist(), records.skipped[0].line) == ([[1, 2], [3, 4]], 3)


def test_sheets_without_rows_are_refused(save, refused):
    with refused(save(data=[]), "no sheet has cells"):
        wideberth.read(save(data=[]))
    with refused(save(data=[["x", "label"]]), "a header ('x', 'label') and no rows"):
        wideberth.read(save(data=[["x", "label"]]))


def test_no_encoding_no_pipe_and_only_workbooks_have_sheets(save, write):
    path = save(data=ROWS)
    with pytest.raises(wideberth.errors.InvalidInput, match="has no encoding"):
        wideberth.read(path, encoding="utf-8")
    with pytest.raises(wideberth.errors.InvalidInput, match=r"only \.xlsx files have sheets"):
        wideberth.read(write("t.csv", "x\n1\n"), sheet="data")


def written(tmp_path, content):
    path = tmp_path / "t.xlsx"
    path.write_bytes(content)
    return path


def test_a_workbook_made_by_hand(tmp_path):
    records = wideberth.read(written(tmp_path, workbook()))
    assert (records.labels, records.objects[0]) == (["a", "b"], {"word": "tea", "size": 1.5})


def test_an_archive_that_unpacks_to_much_is_refused_before_it_is_unpacked(tmp_path, refused):
    bomb = SHEET.replace(b"</sheetData>", b"<row/>" * 10_000_000 + b"</sheetData>")
    path = written(tmp_path, workbook(bomb))
    assert path.stat().st_size < 200_000
    with refused(path, "above the limit of 10 MB", "max_size="):
        wideberth.read(path, max_size="10MB")


def test_entities_are_refused(tmp_path, refused):
    laughs = b'<!DOCTYPE s [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;">]>'
    for encoding in ("utf-8", "utf-16"):
        sheet = SHEET.replace(b"<worksheet", laughs + b"<worksheet").replace(
            b"UTF-8", encoding.encode()
        )
        path = written(tmp_path, workbook(sheet.decode().encode(encoding)))
        with refused(path, "defines entities"):
            wideberth.read(path)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b'<row r="3">', b'<row r="99999999999999">'),
        (b'ref="A1:C3"', b'ref="A1:XFD1048576"'),
        (b'ref="A1:C3"', b'ref="A1:XFD99999999999"'),
        (b'r="C3"', b'r="ZZZ3"'),
        (b'r="C3"', b'r="ZZZZZZZZ3"'),
        (b"<v>45000</v>", b"<v>1e999</v>"),
        (b'<c r="C3" t="s"><v>1</v>', b'<c r="C3" t="s"><v>99</v>'),
        (b"</sheetData>", b""),
    ],
)
def test_claims_that_are_not_so_are_read_or_refused(tmp_path, old, new):
    assert old in SHEET
    path = written(tmp_path, workbook(SHEET.replace(old, new)))
    with contextlib.suppress(wideberth.errors.InvalidFile):
        assert len(wideberth.read(path)) == 2


@pytest.mark.parametrize(
    "missing", ["[Content_Types].xml", "xl/workbook.xml", "xl/_rels/workbook.xml.rels"]
)
def test_incomplete_archives_are_refused(tmp_path, refused, missing):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name, text in PARTS.items():
            if name != missing:
                archive.writestr(name, text)
    path = written(tmp_path, stream.getvalue())
    with refused(path, "the workbook is damaged"):
        wideberth.read(path)


@pytest.mark.slow
def test_too_many_parts_are_refused(tmp_path, refused):
    path = written(tmp_path, workbook(**{f"xl/media/{number}": "" for number in range(10_001)}))
    with refused(path, "10,007 parts in the workbook"):
        wideberth.read(path)


def test_what_a_formula_calls_not_available_is_missing(save):
    found = wideberth.read(save(data=[["x", "z"], [1, 2], ["#N/A", 3], [3, 4]])).objects
    assert np.array_equal(found, [[1, 2], [np.nan, 3], [3, 4]], equal_nan=True)
