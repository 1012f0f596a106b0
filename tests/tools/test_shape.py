"""The figures of the shape of a tree count what they say."""

import importlib
import runpy
import sys
from pathlib import Path
from textwrap import dedent

import pytest

TOOL = runpy.run_path(str(Path(__file__).parents[2] / "tools" / "shape.py"))

#: Files of a toy package.
TOY = {
    "__init__.py": '"""A toy."""\n',
    "plays.py": '''
        """Two lines
        of words."""
        from toy.rules import rule
        from toy.boards import (
            board,
        )

        # a comment is neither code nor a docstring
        def play():
            """One line."""
            return rule() + board()

        def again():
            return play()
    ''',
    "rules.py": "def rule():\n    return 1\n",
    "boards/__init__.py": "from toy.boards.square import board\n",
    "boards/square.py": "from toy.rules import rule\n\ndef board():\n    return rule()\n",
    "report/page.py": """
        from toy.plays import play
        class Page:
            def about(self, model, kind):
                self._own, super()._inherited, self.__dict__
                named = getattr(model, "kept_", None), getattr(model, "classes_", None), getattr(model, kind)
                if isinstance(model, (int, HilbertSVC)) or isinstance(model, str):
                    return model._private, model.inner._deep, named
    """,
    "classifiers/svm.py": "def told(model):\n    return model.state, isinstance(model, "
    "HilbertSVC), getattr(model, 'kept_')\n",
}


@pytest.fixture
def toy(tmp_path, monkeypatch):
    for name, text in TOY.items():
        path = tmp_path / "toy" / name
        path.parent.mkdir(exist_ok=True, parents=True)
        path.write_text(dedent(text).lstrip("\n"), encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    yield tmp_path / "toy"
    for name in [name for name in sys.modules if name.partition(".")[0] == "toy"]:
        del sys.modules[name]


def test_lines_are_code_docs_or_imports(toy):
    figures = TOOL["grain"](toy)
    assert figures["files"].number == len(TOY)
    assert "plays.py: 8" in figures["code"].places
    assert "plays.py: 3" in figures["docs"].places
    assert "plays.py: 4" in figures["imports"].places
    code, docs = (
        sum(int(place.split()[-1]) for place in figures[name].places) for name in ("code", "docs")
    )
    assert figures["code"].number == code
    assert figures["docs"].number == round(100 * docs / code)


def test_modules_with_one_importer_and_those_beside_it(toy):
    figures = TOOL["grain"](toy)
    assert figures["single"].places == [
        "toy.boards.square < toy.boards",
        "toy.plays < toy.report.page",
    ]
    assert figures["beside"].number == 0
    (toy / "start.py").write_text("from toy import again\n")
    (toy / "again.py").write_text("import os\n")
    assert TOOL["grain"](toy)["beside"].places == ["toy.again < toy.start"]


def test_small_files_are_no_fronts_of_folders(toy):
    (toy / "long.py").write_text("1\n" * 31)
    (toy / "short.py").write_text("1\n" * 30)
    small = [place.partition(":")[0] for place in TOOL["grain"](toy)["small"].places]
    assert "short.py" in small
    assert not {"long.py", "__init__.py", "boards/__init__.py"} & set(small)


def test_places_outside_that_reach_into_a_model(toy):
    figures = TOOL["grain"](toy)
    assert figures["underscore"].places == ["report/page.py:7 ._private", "report/page.py:7 ._deep"]
    assert figures["isinstance"].places == ["report/page.py:6 HilbertSVC"]
    assert figures["getattr"].places == ["report/page.py:5 kept_"]


def test_a_walk_meets_each_function_once_in_order(toy):
    plays = importlib.import_module("toy.plays")
    walk = TOOL["stations"](lambda: (plays.again(), plays.again(), len("not of the package")), toy)
    assert walk == [
        ("plays.py", "again"),
        ("plays.py", "play"),
        ("rules.py", "rule"),
        (str(Path("boards", "square.py")), "board"),
    ]
    assert TOOL["lengths"](walk) == (3, 4, 2)


def test_what_is_counted_can_be_shown(toy, monkeypatch, capsys):
    monkeypatch.setitem(TOOL["main"].__globals__, "PACKAGE", toy)
    monkeypatch.setattr(sys, "argv", ["shape.py", "--show", "getattr"])
    TOOL["main"]()
    assert capsys.readouterr().out == "report/page.py:5 kept_\n"
