"""Every snippet in the documentation is run by a test, and its links lead somewhere in the
repository, too.
"""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
GENERATED = ("api", "gallery")
PAGES = sorted(
    page
    for page in [*(ROOT / "docs").rglob("*.md"), *ROOT.glob("*.md")]
    if page.relative_to(ROOT / "docs" if page.is_relative_to(ROOT / "docs") else ROOT).parts[0]
    not in GENERATED
)
#: Pages whose snippets are programs rather than doctests, the tests that run them, and the snippets
#: that these run.
PROGRAMS = {
    "docs/ecosystem.md": ("tests/examples/test_ecosystem.py", 10),
    "docs/how-to-add-a-command.md": ("tests/cli/test_one_more.py", 1),
    "docs/papers.md": ("tests/architecture/test_papers.py", 1),
    "docs/where-data-are.md": ("tests/examples/test_ecosystem.py", 6),
    "docs/serve.md": ("tests/serve/test_documented.py", 2),
}
#: A command that goes on until it is stopped; the tests of the server start it.
STARTED = "serve names.wb"


def blocks(page, language):
    return re.findall(
        rf"^```{language}\n(.*?)^```",
        page.read_text(encoding="utf-8"),
        flags=re.DOTALL | re.MULTILINE,
    )


def named(page):
    return page.relative_to(ROOT).as_posix()


def commands(page):
    """What is typed after ``wideberth`` in the blocks of a page."""
    return set(
        re.findall(r"^\$ wideberth (.*)$", "".join(blocks(page, "console")), flags=re.MULTILINE)
    )


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_code_is_a_doctest_or_run_by_a_test_of_its_page(page):
    programs = [block for block in blocks(page, "python") if not block.startswith(">>> ")]
    test, count = PROGRAMS.get(named(page), (None, 0))
    assert len(programs) == count, programs
    assert test is None or page.name in (ROOT / test).read_text(encoding="utf-8")
    assert "+SKIP" not in page.read_text(encoding="utf-8")


def test_pytest_collects_the_pages():
    settings = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    assert '"--doctest-glob=*.md"' in settings
    with_doctests = {named(page) for page in PAGES if ">>> " in "".join(blocks(page, "python"))}
    assert {page for page in with_doctests if not page.startswith("docs/")} == {"README.md"}
    assert '"docs", "README.md"]' in settings


def test_commands_stand_on_the_page_of_the_command_line_which_is_run():
    run = commands(ROOT / "docs" / "command-line.md")
    with_the_first_model = {command.replace("nearest.wb", "names.wb") for command in run}
    assert set().union(*map(commands, PAGES)) <= run | with_the_first_model | {STARTED}


def relative_links():
    """The links of all pages to files of the repository: page, file, anchor."""
    for page in PAGES:
        text = re.sub(
            r"^```.*?^```|`[^`\n]*`",
            "",
            page.read_text(encoding="utf-8"),
            flags=re.DOTALL | re.MULTILINE,
        )
        for target in re.findall(r"\]\(([^)\s]+)\)", text):
            if not re.match(r"[a-z]+:", target):
                yield page, *target.partition("#")[::2]


def anchors(page):
    """The anchors of the headings of a page, as the places that show Markdown make them."""
    headings = re.findall(r"^#+ (.*)$", page.read_text(encoding="utf-8"), flags=re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_links_lead_to_files_and_headings():
    missing = []
    for page, file, anchor in relative_links():
        there = (page.parent / file).resolve() if file else page
        if not there.exists() or (
            anchor and there.suffix == ".md" and anchor not in anchors(there)
        ):
            missing.append(f"{named(page)}: {file}#{anchor}")
    assert missing == []
