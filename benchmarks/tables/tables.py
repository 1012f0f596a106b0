"""The commands of the program with no option but the column of the labels, on forty ordinary
tables, and the errors of their answers beside those of trees.
"""

import io
import re
import sys
import tempfile
import warnings
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from benchmarks.auto.files import PROGRAM
from benchmarks.halves import halves
from benchmarks.keeping import kept
from benchmarks.outside_data import missing
from benchmarks.results import Facts
from benchmarks.rows import Row, counted
from benchmarks.tables.files import TABLES, Table
from benchmarks.timing import Ended, ended, table

#: Rows of a table that are taken, at most.
MOST = 2_000
#: The commands in their order. Where the column holds no classes there is no model for the others.
COMMANDS = ("fit", "predict", "evaluate", "suspects", "report")
WITHOUT_MODEL = ("fit", "suspects")
#: What the program prints of a column that it does not use.
_LEFT_OUT = re.compile(r"^  (.+?) +(?:identifier|ignored) \(", re.MULTILINE)


def measure() -> Facts:
    here = [each for each in TABLES if not missing([each.package])]
    found = [kept("tables", each.key, partial(outcome, each)) for each in here]
    return {"most": MOST, "tables": [each for each in found if each is not None]}


def outcome(table: Table) -> Facts:
    """How the commands ended on one half of a table and the other, and the errors of the answers
    beside those of the peers.
    """
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        known, asked = halves(table.written(folder), folder, most=MOST)
        commands = _ended_commands(table, folder)
        facts: Facts = {
            "file": table.file,
            "package": table.package,
            "target": table.target,
            "has_classes": table.has_classes,
            "commands": {
                name: {"code": each.code, "seconds": each.seconds, "remarks": each.remarks}
                for name, each in commands.items()
            },
            "left_out": _LEFT_OUT.findall(commands["fit"].printed),
        }
        if table.has_classes and not any(each.code for each in commands.values()):
            facts |= _beside_peers(table, known, asked, commands["predict"].printed)
            facts |= _chosen(known.with_suffix(".wb"))
    _tell(facts, commands)
    return facts


def _ended_commands(table: Table, folder: Path) -> dict[str, Ended]:
    """What came of each command, in the folder with both halves."""
    suffix, target = Path(table.file).suffix, ["--target", table.target]
    known, asked = f"known{suffix}", f"asked{suffix}"
    arguments = {
        "fit": [known, *target],
        "predict": ["known.wb", asked],
        "evaluate": ["known.wb", asked, *target],
        "suspects": [known, *target],
        "report": ["known.wb", asked, *target],
    }
    return {
        name: ended([*PROGRAM, name, *arguments[name]], folder=folder)
        for name in (COMMANDS if table.has_classes else WITHOUT_MODEL)
    }


def _beside_peers(table: Table, known: Path, asked: Path, answers: str) -> Facts:
    """The errors in % on the rows of the other half that have a label, with the differences and
    their standard errors, paired.
    """
    import pandas as pd

    from benchmarks.tables.peers import columns_in, labels_in, peers

    labels = {half: labels_in(half, table) for half in (known, asked)}
    rows = {half: columns_in(half, table)[labels[half] != ""] for half in (known, asked)}
    known_labels, true = (labels[half][labels[half] != ""] for half in (known, asked))
    ours = pd.read_csv(io.StringIO(answers), dtype=str, keep_default_na=False)["label"].to_numpy()
    wrong = {"fit": ours[labels[asked] != ""] != true}
    for name, pipeline in peers().items():
        with threadpool_limits(1), warnings.catch_warnings(action="ignore"):
            learned = pipeline(rows[known]).fit(rows[known], known_labels)
            wrong[name] = learned.predict(rows[asked]) != true
    classes, sizes = np.unique(known_labels, return_counts=True)
    return {
        "known": len(known_labels),
        "asked": len(true),
        "classes": len(classes),
        "gaps": 100 * float(rows[known].isna().to_numpy().mean()),
        "errors": {name: 100 * float(each.mean()) for name, each in wrong.items()},
        "most_frequent": 100 * float(np.mean(true != classes[np.argmax(sizes)])),
        "differences": {name: _difference(wrong["fit"], wrong[name]) for name in peers()},
    }


def _difference(ours: Any, theirs: Any) -> list[float]:
    """In points, and its standard error."""
    behind = 100 * (ours.astype(float) - theirs)
    return [float(behind.mean()), float(behind.std(ddof=1) / np.sqrt(len(behind)))]


def _chosen(model: Path) -> Facts:
    import wideberth as wb

    best = wb.load(model).leaderboard_[0]  # type: ignore[attr-defined]
    return {"family": best["family"], "metric": best["metric"]}


def _tell(facts: Facts, commands: dict[str, Ended]) -> None:
    """Everything that was printed, but answers, for who looks on."""
    for name, each in commands.items():
        shown = each.printed if name in ("fit", "evaluate", "report") else each.printed[:1500]
        print(f"$ {name} {each.code} {each.seconds:.1f} s\n{each.remarks}{shown}", file=sys.stderr)
    told = {name: facts.get(name) for name in ("errors", "differences", "most_frequent")}
    print(facts["package"], facts["file"], told, "\n", file=sys.stderr, flush=True)


def rows(facts: Facts) -> Iterator[Row]:
    """The command with no options beside trees, on the tables that every command ended well on."""
    for each in facts["tables"]:
        for peer, (_, noise) in each.get("differences", {}).items():
            share = each["errors"]["fit"] / 100
            yield Row(
                topic="accuracy",
                key=f"tables: {each['file']}, {peer}",
                ours=each["errors"]["fit"],
                peer=peer,
                theirs=each["errors"][peer],
                unit="% wrong",
                noise=noise,
                own_noise=100 * float(np.sqrt(share * (1 - share) / each["asked"])),
                installable=True,
            )


def page(facts: Facts) -> str:
    classed = [each for each in facts["tables"] if each["has_classes"]]
    measured = [each for each in classed if "errors" in each]
    others = [each for each in facts["tables"] if not each["has_classes"]]
    return "\n\n".join(
        [
            "# Ordinary tables",
            WORDS.format(most=facts["most"], n=len(facts["tables"])),
            "## How the commands ended",
            f"All five commands ended well on {len(measured)} of {len(classed)} tables whose "
            f"column holds classes.{_failures(classed)}",
            NO_CLASSES,
            table(
                ["table", "target", "fit says"],
                [[each["file"], each["target"], _sentence(each, "fit")] for each in others],
            ),
            "## Errors beside trees",
            LEGEND,
            _summary(facts),
            _errors(measured),
            "## What was chosen and left out",
            CHOSEN,
            _choices(measured),
        ]
    )


def _failures(classed: list[Facts]) -> str:
    """A line for each command that did not end well, and why, as far as that is known."""
    lines = {
        each["file"]: [
            f"- {each['file']}, `{name}`: {_sentence(each, name)}"
            for name, command in each["commands"].items()
            if command["code"]
        ]
        for each in classed
    }
    failed = [file for file, found in lines.items() if found]
    told = ["\n".join(line for file in failed for line in lines[file])]
    told += [WHY[file] for file in failed if file in WHY]
    return "\n\n".join([" Not so:", *told]) if failed else ""


def _sentence(outcome: Facts, command: str) -> str:
    """What a command said at last, without the names of the program and of the half."""
    last = outcome["commands"][command]["remarks"].strip().rpartition("\n")[2]
    return re.sub(r"^wideberth: ((known|asked)\.\w+: )?", "", last) or "nothing"


def _summary(facts: Facts) -> str:
    """For each peer: on how many tables ours is ahead, even and behind, and the mean difference."""
    found = list(rows(facts))
    lines = []
    for peer in dict.fromkeys(row.peer for row in found):
        own = [row for row in found if row.peer == peer]
        gaps, counts = [row.difference for row in own], counted(own)
        lines.append(
            [
                peer,
                f"{len(own)}",
                f"{counts['ahead']} / {counts['even']} / {counts['behind']}",
                f"{np.mean(gaps):+.1f} ± {np.std(gaps, ddof=1) / np.sqrt(len(gaps)):.1f}",
                f"{np.median(gaps):+.1f}",
            ]
        )
    return table(["beside", "tables", "ahead / even / behind", "mean, points", "median"], lines)


def _errors(measured: list[Facts]) -> str:
    lines = []
    for each in measured:
        gaps = [f"{gap:+.1f} ± {noise:.1f}" for gap, noise in each["differences"].values()]
        told = [f"{error:.1f}" for error in each["errors"].values()]
        lines.append(
            [
                each["file"],
                each["target"],
                f"{each['known']:,} / {each['asked']:,}",
                f"{each['classes']}",
                f"{each['gaps']:.0f}",
                f"{each['most_frequent']:.1f}",
                *told,
                *gaps,
            ]
        )
    peers = list(measured[0]["differences"]) if measured else []
    head = ["table", "target", "learned / asked", "classes", "gaps, %", "most frequent", "fit"]
    return table([*head, *peers, *(f"beside {peer}" for peer in peers)], lines)


def _choices(measured: list[Facts]) -> str:
    lines = [
        [
            each["file"],
            f"{each['family']}, {each['metric']}",
            ", ".join(f"`{name}`" for name in each["left_out"]),
            " / ".join(f"{each['commands'][name]['seconds']:.0f}" for name in COMMANDS),
        ]
        for each in measured
    ]
    return table(["table", "chosen", "columns left out", "s of CPU"], lines)


WORDS = """\
From `make bench` (`python -m benchmarks tables`). `wideberth fit`, `predict`, `evaluate`, `suspects` and `report` on {n} tables
as packages carry them, with no option but `--target`. Of each, {most:,} rows at most, drawn at random, are cut into two halves:
`fit` and `suspects` get the one, the other commands the other. The list of tables was fixed before any error beside a peer was
seen, and neither it nor the code was changed by the errors below. After an earlier run, in which a random forest was ahead on
three of them, `forest` was made, a metric that labels teach, on other data. Penguins and breast cancer, in another form, were
among the sets that the automatic choice was designed with."""
#: Why a command ended with a sentence, as far as that is known.
WHY = {
    "MASS/Cars93.csv": """\
In Cars93 one car has a `rotary` engine in the column of the number of cylinders. It fell into the half that was asked about: the
model knows numbers there only. The sentence is right, and what it advises, `--missing rotary`, gives all answers."""
}
NO_CLASSES = """\
Where the column holds no classes, `fit` and `suspects` should end with a sentence that says so:"""
LEGEND = """\
Errors in % on the rows of the other half that have a label, and the differences to the peers in points, below 0 if ours errs
less, with their standard errors over these rows (paired); ahead and behind are beyond two standard errors. *Most frequent*: the
error of always answering the most frequent class. Peers get what pandas reads, without the columns that name rows, which were
named by hand, and with dates as days. *HistGB*: `HistGradientBoostingClassifier`, which takes gaps in numbers itself, with
ordinal codes of categories. *Random forest*: 500 trees, gaps filled by the median or the most frequent category, categories
one-hot. All else as scikit-learn sets it: HistGB wants 20 rows in a leaf, and answers the most frequent class on the smallest
tables, so that the median over tables tells more than the mean, whose standard error is that over tables."""
CHOSEN = """\
The classifier and the metric that `fit` chose, the columns that it does not use, by its own judgement, and the seconds of CPU of
the five commands in their order, start of Python included. The limit of `fit` is the usual one of 60 s, counted in processor
seconds, since other work ran on the machine."""
