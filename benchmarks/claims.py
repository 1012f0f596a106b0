"""Numbers in README and the guide, each linked to its place in a result file by
``tests/benchmarks/claims.toml``.

`rewrite` puts the present results into the sentences. It knows numbers, not words: whoever runs it
reads what it prints, and the sentences around.
"""

import json
import re
import tomllib
from typing import Any

from benchmarks.folders import RESULTS, ROOT

TABLE = ROOT / "tests" / "benchmarks" / "claims.toml"
_HEAD = "[[claim]]\n"

Claim = dict[str, Any]


def claims() -> list[Claim]:
    """All of them."""
    found: list[Claim] = tomllib.loads(TABLE.read_text(encoding="utf-8"))["claim"]
    return found


def found_in(facts: Any, path: list[Any]) -> Any:
    """The value at a place of a result.

    >>> found_in(
    ...     {"rows": [{"n": 10, "error": 0.1}, {"n": 20, "error": 0.05}]}, ["rows", "n=20", "error"]
    ... )
    0.05
    """
    for step in path:
        if isinstance(facts, list) and isinstance(step, str):
            wanted = dict(part.split("=", 1) for part in step.split(";"))
            facts = next(
                each
                for each in facts
                if all(str(each[key]) == value for key, value in wanted.items())
            )
        else:
            facts = facts[step]
    return facts


def measured(claim: Claim) -> str:
    """What the result says now, with as many decimals as the claim has."""
    result = json.loads((RESULTS / f"{claim['result']}.json").read_text(encoding="utf-8"))
    value = found_in(result["facts"], claim["path"]) * claim.get("times", 1)
    return f"{value:.{len(claim['number'].partition('.')[2])}f}"


def replaced(text: str, old: str, new: str) -> str:
    """A text with one number instead of another, which may have commas.

    >>> replaced("2,128 distances of 12128", "2128", "2130")
    '2,130 distances of 12128'
    """
    whole, dot, decimals = old.partition(".")
    spelled = re.compile(
        rf"(?<![\d.,])({'|'.join({whole, f'{int(whole):,}'})}){re.escape(dot + decimals)}(?![\d]|[.,]\d)"
    )
    there = spelled.search(text)
    if there is None:
        return text
    grown = (
        f"{int(new.partition('.')[0]):,}" + "".join(new.partition(".")[1:])
        if "," in there[0]
        else new
    )
    return text[: there.start()] + grown + text[there.end() :]


def rewrite() -> list[str]:
    """Put the present numbers on the pages and into the table of claims; return what changed, a
    line each.
    """
    changes = []
    for claim in claims():
        number = measured(claim)
        if number != claim["number"]:
            _rewrite_page(claim, number)
            _rewrite_table(claim, number)
            changes.append(f"{claim['page']}: {claim['number']} is {number} now, {claim['text']!r}")
    return changes


def _rewrite_page(claim: Claim, number: str) -> None:
    path = ROOT / claim["page"]
    page, text = path.read_text(encoding="utf-8"), _present_text(claim)
    stands = re.compile(r"\s+".join(map(re.escape, text.split())))  # line breaks do not matter
    path.write_text(
        stands.sub(lambda there: replaced(there[0], claim["number"], number), page),
        encoding="utf-8",
    )


def _rewrite_table(claim: Claim, number: str) -> None:
    """In the block of this claim the number, and in those of all claims about the same words the
    words.
    """
    text = _present_text(claim)
    before, *blocks = TABLE.read_text(encoding="utf-8").split(_HEAD)
    words = f"text = {json.dumps(text, ensure_ascii=False)}\n"
    changed = f"text = {json.dumps(replaced(text, claim['number'], number), ensure_ascii=False)}\n"
    for place, block in enumerate(blocks):
        if words in block and f'page = "{claim["page"]}"\n' in block:
            if (
                f'number = "{claim["number"]}"\n' in block
                and f"path = {json.dumps(claim['path'], ensure_ascii=False)}\n" in block
            ):
                block = block.replace(f'number = "{claim["number"]}"\n', f'number = "{number}"\n')
            blocks[place] = block.replace(words, changed)
    TABLE.write_text(_HEAD.join([before, *blocks]), encoding="utf-8")


def _present_text(claim: Claim) -> str:
    """The words of a claim, in which an earlier one may have changed another number."""
    same = [
        each
        for each in claims()
        if each["path"] == claim["path"] and each["number"] == claim["number"]
    ]
    return str(
        next(
            each
            for each in same
            if each["page"] == claim["page"] and each["result"] == claim["result"]
        )["text"]
    )
