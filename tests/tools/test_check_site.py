"""The check of the links of a built site finds what is missing, and nothing else."""

import runpy
from pathlib import Path

import pytest

TOOL = runpy.run_path(str(Path(__file__).parents[2] / "tools" / "check_site.py"))


@pytest.fixture
def site(tmp_path):
    """Writes a site of two pages, the first of which has the given body, and returns its faults."""
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "page.html").write_text(
        '<h1 id="there">There</h1><a href="../index.html">back</a>'
    )
    (tmp_path / "picture a.png").write_bytes(b"")

    def faults(body):
        (tmp_path / "index.html").write_text(body)
        TOOL["read"].cache_clear()
        return list(TOOL["faults"](tmp_path))

    return faults


@pytest.mark.parametrize(
    "body",
    [
        '<a href="sub/page.html">a page</a>',
        '<a href="sub/page.html#there">an anchor</a>',
        '<p id="here"><a href="#here">here</a><a href="#">top</a></p>',
        '<img src="picture%20a.png"><img src="data:image/png;base64,AAAA">',
        '<a href="https://example.org/a?b#c">elsewhere</a><a href="mailto:a@example.org">somebody</a>',
        '<link rel="canonical" href="https://example.org/"><iframe srcdoc="<script>1</script>"></iframe>',
    ],
)
def test_good_links(site, body):
    assert site(body) == []


@pytest.mark.parametrize(
    ("body", "fault"),
    [
        ('<a href="sub/other.html">', "index.html links to sub/other.html: no such file"),
        ('<a href="sub">', "index.html links to sub: no such file"),
        (
            '<a href="sub/page.html#where">',
            "index.html links to sub/page.html#where: no anchor 'where' there",
        ),
        ('<a href="#where">', "index.html links to #where: no anchor 'where' there"),
        ('<img src="missing.png">', "index.html links to missing.png: no such file"),
        ('<a href="../up.html">', "index.html links to ../up.html: outside the site"),
        ('<script src="https://example.org/a.js">', "index.html loads https://example.org/a.js"),
        (
            '<link rel="stylesheet" href="//example.org/a.css">',
            "index.html loads //example.org/a.css",
        ),
        (
            '<a href="htps://example.org">',
            "index.html links to htps://example.org: neither http nor https",
        ),
        (
            '<a href="https://example">',
            "index.html links to https://example: no well-formed address",
        ),
        (
            '<a href="https://example.org/a b">',
            "index.html links to https://example.org/a b: no well-formed address",
        ),
        ('<a href="mailto:nobody">', "index.html links to mailto:nobody: no address of a person"),
    ],
)
def test_faults(site, body, fault):
    assert fault in site(body)


def test_a_folder_without_pages_is_no_site(tmp_path, capsys):
    assert TOOL["main"](tmp_path) == 1
    (tmp_path / "index.html").write_text('<a href="index.html">')
    assert TOOL["main"](tmp_path) == 0
    assert capsys.readouterr().out.splitlines()[-1] == "1 pages, 1 links, 0 of them wrong."
