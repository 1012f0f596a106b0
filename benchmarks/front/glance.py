"""The front page: what the results say at a glance, beside peers measured in the same run."""

import re
from collections.abc import Iterable
from typing import Any

import numpy as np

from benchmarks.certified.news import shares_of
from benchmarks.certified.texts import EDITS, NEAREST
from benchmarks.folders import PAGES
from benchmarks.front.speed import speed
from benchmarks.growth.growth import SMALL, exponent
from benchmarks.pages import MODULES, path_of
from benchmarks.rows import Row, all_rows, counted
from benchmarks.timing import table

Results = dict[str, Any]

#: Topics in their order: the heading, and the words under it.
TOPICS = {
    "accuracy": (
        "Accuracy",
        "Errors on objects that were not learned from, in points: below 0 ours errs less.",
    ),
    "certified accuracy": (
        "Certified accuracy",
        "The share of answers that are right and proved to stay right under any so many edits, in "
        "points: above 0 ours has more.",
    ),
    "choosing": (
        "Choosing settings",
        "Time of choosing and fitting, as a multiple of the peer's: below 1 ours is faster.",
    ),
    "fitting": (
        "Fitting",
        "CPU time of a fit, as a multiple of the peer's: below 1 ours is faster.",
    ),
    "prediction": (
        "Answers",
        "CPU time of an answer, as a multiple of the peer's: below 1 ours is faster.",
    ),
    "search": ("Search and matching", "Time, as a multiple of the peer's: below 1 ours is faster."),
    "distances": (
        "Distances",
        "Time of a pair, as a multiple of that of the library that measures the same: below 1 ours "
        "is faster.",
    ),
    "memory": (
        "Memory",
        "The peak beyond the sample, as a multiple of the peer's: below 1 ours needs less.",
    ),
    "distance calls": (
        "Distances measured",
        "As a multiple of the number of pairs, each measured once: 1 is none twice, below 1 some "
        "not at all.",
    ),
    "online loss": (
        "Online",
        "Right answers in points (above 0 ours has more), or total loss as a multiple of the best "
        "peer's.",
    ),
    "label issues": (
        "Wrong labels found",
        "The share of wrong labels in the first tenth of the list, in points: above 0 ours has "
        "more.",
    ),
    "probabilities": (
        "Probabilities",
        "Log loss, as a multiple of that of the best of the peer's ways: below 1 ours is better.",
    ),
    "prediction sets": (
        "Sets of labels",
        "How many labels a set has that holds the true one with a proved probability, as a "
        "multiple: below 1 ours says more.",
    ),
    "starting": (
        "Starting",
        "CPU time of a whole command, as a multiple of that of importing scikit-learn: below 1 "
        "ours is faster.",
    ),
    "scale-out": (
        "Scale-out",
        "CPU time of the client and of two workers together, halved, as a multiple of that of one "
        "process: 0.5 is half the wait and no work added, 1 is no gain.",
    ),
}
#: Where the best of several peers is taken, row by row.
BEST = {
    "errors": "the best of kNN and two SVMs",
    "river_streams": "the best of River's models",
    "online": "the best of all peers",
    "probabilities": "the best of CalibratedClassifierCV's ways",
}


def front_page(results: Results) -> str:
    """The whole front page."""
    found = list(all_rows(results))
    parts = [
        "# Benchmarks",
        AHEAD.format(rows=len(found), **counted([row for _, row in found])),
        speed(results),
    ]
    parts.append(ORIGIN.format(exception=EXCEPTION if set(MODULES) - set(results) else ""))
    for topic, (title, words) in TOPICS.items():
        here = [(benchmark, row) for benchmark, row in found if row.topic == topic]
        if here:
            parts += [f"## {title}", words, summary(here)]
        if topic == "certified accuracy" and "certified.news" in results:
            parts += [NEWS, news(results["certified.news"]["facts"])]
        if topic == "memory" and "growth" in results:
            parts += growth(results["growth"]["facts"])
    absent = [
        title
        for topic, (title, _) in TOPICS.items()
        if not any(row.topic == topic for _, row in found)
    ]
    if absent:
        parts.append(f"Without results yet: {', '.join(absent)}.")
    parts += [
        "## All pages",
        re.sub(r"\[([^]]*)\]\(([^)]*)\)", _linked, QUESTIONS),
        "## What was measured when",
        measured(results),
        CONTENTS,
    ]
    return "\n\n".join(part for part in parts if part)


def _linked(link: re.Match[str]) -> str:
    """A link, or its words alone if the page is still to be measured."""
    return link[0] if (PAGES / link[2]).exists() else f"{link[1]} (not measured yet)"


def summary(found: Iterable[tuple[str, Row]]) -> str:
    """A line for each page and peer: rows, how many are ahead, even and behind, the median, and the
    worst row.
    """
    groups: dict[tuple[str, str, str], list[Row]] = {}
    for benchmark, row in found:
        peer = BEST.get(benchmark, row.peer)
        groups.setdefault((benchmark.partition(".")[0], _what(benchmark, row), peer), []).append(
            row
        )
    lines = []
    for (name, what, peer), rows in groups.items():
        counts, shares = counted(rows), rows[0].is_share
        gaps = [row.difference if shares else row.ratio for row in rows]
        worst = min(rows, key=lambda row: row.advantage)
        gap = worst.difference if shares else worst.ratio
        lines.append(
            [
                f"[{what}]({path_of(name).name})"
                if path_of(name).parent.name == "benchmarks"
                else what,
                peer,
                f"{len(rows)}",
                f"{counts['ahead']} / {counts['even']} / {counts['behind']}",
                _shown(float(np.median(gaps)), shares),
                f"{_shown(gap, shares)}, {worst.key.partition(': ')[2]}",
            ]
        )
    return table(["ours", "beside", "rows", "ahead / even / behind", "median", "worst row"], lines)


def _what(benchmark: str, row: Row) -> str:
    """Whom the rows of a benchmark are about: the last part of the key where several are
    compared.
    """
    page, _, section = benchmark.partition(".")
    detail = row.key.partition(": ")[2]
    if benchmark == "errors":
        return detail.rpartition(", ")[2]
    if benchmark == "auto.accuracy":
        return "AutoClassifier"
    if benchmark in ("auto.files", "tables"):
        return "wideberth fit, no options"
    if benchmark in (
        "certified.accuracy",
        "choosing.hilbert_svm",
        "choosing.lp_machine",
        "choosing.lipschitz",
    ):
        return detail.partition(", ")[2]
    if page == "growth":
        return f"{detail.split(', ')[1]}, {detail.split(', ')[0]}"
    return f"{page}, {section.replace('_', ' ')}" if section else page


def _shown(gap: float, share: bool) -> str:
    return f"{gap:+.1f}" if share else f"{gap:.2g}" if gap < 0.1 else f"{gap:.2f}"


def news(facts: Any) -> str:
    """AG-News: right answers, and after any 1, 2, 3 edits, beside LipsLev on the same texts, and the
    nearest neighbour.
    """
    found = {**facts["cuts"], NEAREST: [facts["methods"][NEAREST]]}
    lines = [
        [title, *(f"{100 * share:.1f}" for share in shares_of(each).mean(axis=0))]
        for title, each in found.items()
    ]
    return table(["AG-News", "right", *(f"after any {edits}" for edits in EDITS)], lines)


def growth(facts: Any) -> list[str]:
    """Powers of n of time and memory for every classifier, as far as they were measured."""
    lines = []
    for kind, found in facts["kinds"].items():
        for method, series in found.items():
            done = [int(n) for n, each in series.items() if "failed" not in each]
            if done:
                powers = [
                    exponent(series, what, least)
                    for what, least in (("fit", 0.0), ("peak", SMALL), ("answer", 0.0))
                ]
                lines.append(
                    [
                        method,
                        kind,
                        f"{done[-1]:,}",
                        *("" if power is None else f"{power[0]:.2f}" for power in powers),
                    ]
                )
    return [
        "## Growth with n",
        GROWTH,
        table(["classifier", "objects", "n up to", "fit", "memory", "answer"], lines),
    ]


def measured(results: Results) -> str:
    """The commit, the day and the minutes of every section."""
    lines = []
    for name, result in results.items():
        told = result["circumstances"]
        minutes = f"{told['cpu_minutes']:.1f}" if "cpu_minutes" in told else ""
        missing = [
            *told.get("missing", []),
            *([f"{len(told['lacking'])} outcomes"] if told.get("lacking") else []),
        ]
        clean = " and changes" if told["changed"] else ""
        lines.append([name, told["commit"][:12] + clean, told["date"], minutes, ", ".join(missing)])
    never = sorted(set(MODULES) - set(results))
    note = f"\n\nWithout a result file yet: {', '.join(never)}." if never else ""
    return table(["section", "commit", "date", "CPU minutes", "missing"], lines) + note


AHEAD = """\
Tables show ratios or differences beside peers of the same run. Of {rows} rows ours is ahead in {ahead}, even in {even} and behind
in {behind}, where ahead and behind are beyond two standard errors (10 % is taken for times that were measured once). What
explains each row in which a peer is ahead, and what was tried, is on [a page of its own](where-peers-are-ahead.md)."""
ORIGIN = """\
Every figure comes from `python -m benchmarks NAME`, is kept as a result file with machine, versions, commit and digests of the
sources it speaks of, and every page is written from result files alone{exception}.
`make bench` measures all that has no result of the present code (hours; it can be stopped and goes on), `make bench-quick` the
headline rows in 15 minutes, `make bench-compare A=... B=...` sets two results side by side, `python -m benchmarks --stale` lists
what is older than the code. [Where the data come from](data.md)."""
EXCEPTION = "; the pages of sections without one, listed at the end, are older"
NEWS = """\
LipsLev learned from 120,000 other texts ([how](certified.md)), ours from 5,600, nearest neighbours from 1,000 of them."""
GROWTH = """\
Powers of n that the largest sizes show, for CPU time of a fit, peak memory, and an answer ([all sizes](growth.md))."""
QUESTIONS = """\
| question | page |
| --- | --- |
| How accurate is the automatic choice beside what people use, and how long does it take? | [the automatic choice](auto.md) |
| Do ordinary tables pass through the commands, and how accurate are the answers beside trees? | [tables](tables.md) |
| How accurate is each family, on the same distances? | [errors](errors.md), [nearest neighbours](neighbors.md), [ties](ties.md) |
| Which repair of an indefinite kernel errs least? | [repairs](repairs.md) |
| Which metric errs least on which data, and what does a distance cost? | [metrics](metrics.md) |
| How accurate are certified answers? | [certified accuracy](certified.md) |
| How fast are distances beside other libraries, and are they the same? | [distances](distances.md), [agreement](agreement.md) |
| How long does it take to choose settings, to fit, to answer? | [choosing](choosing.md), [growth](growth.md), [index](index.md) |
| What is inside the fits? | [Lipschitz](lipschitz.md), [engines](engines.md), [LP machine](lp_machine.md), [SVM](hilbert.md) |
| How do LP machines grow with the number of objects? | [many objects](lp_growth.md) |
| What do margins bring to nearest neighbours? | [margin neighbours](margin.md) |
| What do matching and memory cost? | [matching](matching.md), [memory](memory.md) |
| How far are attacks from radii? | [robustness](robustness.md) |
| What is proved of the error, on real data? | [guarantees](guarantees.md), [embeddings](embeddings.md), [capacity](capacity.md) |
| Are wrong labels found? Are probabilities right? | [label issues](label_issues.md), [probabilities](probabilities.md) |
| How small are sets of labels that hold the true one? | [sets of labels](prediction_sets.md) |
| Which labels to ask for? | [label next](label_next.md) |
| What do online learners lose? | [online](online.md), [streams](river_streams.md), [bounds](online_bounds.md) |
| What does contextual search earn? | [pricing](pricing.md) |
| What do a report and a server cost? | [report](report.md), [serve](serve.md) |
| What does a cluster bring? | [beyond one machine](scaleout.md) |
| What did the papers print or promise? | [papers](papers.md), [criteria](criteria.md), [perturbation](perturbation.md) |"""
CONTENTS = """\
```{toctree}
:hidden:
:maxdepth: 1
:glob:

*
```"""
