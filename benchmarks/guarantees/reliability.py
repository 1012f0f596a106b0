"""What was attacked, how often, and what held: radii, files, inputs, commands, certificates, threads and caches.

The attacks are those of the tests (``tests/attacked_radii.py``, ``tests/hostile``, ``tests/statistical``), counted.
"""

import sys
import tempfile
import warnings
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from benchmarks.folders import ROOT

#: The circumstances under which the radii of vectors are attacked.
EXTREMES: dict[str, dict[str, float]] = {
    "among ordinary numbers": {},
    "1e13 margins away": {"far": 1e13},
    "at the scale 1e-157": {"scale": 1e-157},
    "at the offset 1e6": {"offset": 1e6},
}
#: Metrics of vectors, one that squares and one that subtracts; the slow tests attack others too.
MEASURED_BY = ("euclidean", "linear kernel")
#: How many cases of each attack; together they take some three minutes on one core.
FILES, INPUTS, COMMANDS, DRAWS = 100, 300, 30, 10
#: Tests that are attacks themselves, run as they are.
RUN_AS_TESTS = {
    "Fits in 8 threads, 16 of each classifier, against one thread": "tests/classifiers/test_threads.py::test_concurrent_fits",
    "Caches: damaged tiles, killed runs that are resumed, a full disk": "tests/geometry/space/test_cache_faults.py",
}

Row = dict[str, Any]

THREAT = """\
**Against whom.** The adversary of a radius knows the model file and the code, and chooses every letter and number of what is
closer than the radius. What is proved:

- in the unit of the metric: nothing strictly closer in its distance gets another label;
- in edits: no text strictly closer by insertions, deletions and replacements of single characters, any of Unicode, does;
- for linear scores over words, or over n-grams of up to three letters: the same, and up to `exact_edits` no larger radius holds
  but for rounding;
- in any other unit: what the constant between the two distances proves.

Nothing is proved against changed training data, model files or code, nor that a label is right."""

COLLISIONS = """\
Words, n-grams and other elements are found by keys of 64 bits, which anyone can invert. Letters are written here that have the
key of a word of the model, or had it under an earlier hash, labels of graphs that once collided, and tokens that share Python's
hash. An answer is false if it is not that of the definition, or if a label changes within a radius."""


def measure() -> dict[str, list[Row]]:
    """Run all attacks."""
    sys.path.append(str(ROOT / "tests"))
    warnings.simplefilter("ignore")
    return {
        "radii": _radii(),
        "collisions": _collisions(),
        "fuzzed": [_files(), _inputs(), _commands()],
        "certificates": _certificates(),
        "tests": _tests(),
    }


def _radii() -> list[Row]:
    from attacked_radii import CLASSIFIERS, KINDS, attacked, moved_inside_radii

    rows = [
        _radii_row(name, place, (attacked(name, metric, **extreme) for metric in MEASURED_BY))
        for name in CLASSIFIERS
        for place, extreme in EXTREMES.items()
    ]
    kinds = [
        _radii_row(name, "strings, series, sets", (moved_inside_radii(name, kind) for kind in KINDS)) for name in CLASSIFIERS
    ]
    return sorted(rows + kinds, key=lambda row: list(CLASSIFIERS).index(row["classifier"]))


def _radii_row(name: str, place: str, attacks: Iterable[Any]) -> Row:
    """Add up attacks on one classifier; those that are None were refused."""
    done = list(attacks)
    false = sum(found if isinstance(found, int) else len(found) for found, _ in filter(None, done))
    moves = sum(inside for _, inside in filter(None, done))
    return {"classifier": name, "place": place, "refused": done.count(None), "moves": moves, "false": false}


def _collisions() -> list[Row]:
    from attacked_keys import collisions

    return collisions()


def _fuzzed(attacked: str, cases: Any, verdict: Callable[[Any], str], count: int) -> Row:
    """Draw cases and count verdicts; a case that raises is a failure."""
    from hypothesis import HealthCheck, Phase, given, settings

    verdicts: Counter[str] = Counter()

    quiet = {"deadline": None, "suppress_health_check": list(HealthCheck)}

    @settings(max_examples=count, derandomize=True, database=None, phases=[Phase.generate], **quiet)
    @given(cases)
    def attack(case: Any) -> None:
        try:
            verdicts[verdict(case)] += 1
        except Exception as fault:
            verdicts[f"failed: {type(fault).__name__}"] += 1

    attack()
    return {"attacked": attacked, "verdicts": dict(verdicts)}


def _files() -> Row:
    from golden.write_golden import FOLDER
    from hostile.mutations import edits, mutated
    from hostile.server import JudgeServer
    from hypothesis import strategies as st

    goldens = sorted(path.stem for path in FOLDER.glob("*.wb"))
    with tempfile.TemporaryDirectory() as folder, JudgeServer(goldens) as judge:
        path = Path(folder) / "tampered.wb"

        def verdict(case: tuple[str, Any]) -> str:
            path.write_bytes(mutated((FOLDER / f"{case[0]}.wb").read_bytes(), case[1]))
            told = judge.verdict(path, case[0])
            return str(told) if told in ("worked", "refused") else f"failed: {told}"

        cases = st.tuples(st.sampled_from(goldens), st.lists(edits, min_size=1, max_size=4))
        return _fuzzed("Model files with 1 to 4 random edits, every kind of model", cases, verdict, FILES)


def _inputs() -> Row:
    from hostile.reader_inputs import cases
    from hostile.test_reader_inputs import check

    return _fuzzed("Files for the readers, tampered with", cases, lambda case: check(case) or "read or refused", INPUTS)


def _commands() -> Row:
    from hostile.command_lines import command_lines
    from hostile.test_command_lines import check, fill

    with tempfile.TemporaryDirectory() as folder:
        fill(Path(folder))
        return _fuzzed(
            "Command lines",
            command_lines(),
            lambda words: check(Path(folder), words) or "worked or ended in a sentence",
            COMMANDS,
        )


def _certificates() -> list[Row]:
    from statistical.test_leaks_on_sources import DELTA, DISGUISES, SOURCES, honest, leaks

    rows = []
    for name, disguise in DISGUISES.items():
        missed = [leaked for source in SOURCES[:2] for leaked in leaks(source, disguise, share=1.0, runs=DRAWS)]
        rows.append({"sample": f"training objects, {name}", "draws": len(missed), "failed": sum(missed), "void": None})
    for source in SOURCES:
        failed, void = honest(source, 2 * DRAWS)
        rows.append({"sample": f"new objects, {source.__name__}", "draws": len(failed), "failed": sum(failed), "void": sum(void)})
    return [row | {"delta": DELTA} for row in rows]


def _tests() -> list[Row]:
    import pytest

    class Counted:
        """Counts the outcomes of tests."""

        def __init__(self) -> None:
            self.outcomes: Counter[str] = Counter()

        def pytest_runtest_logreport(self, report: Any) -> None:
            if report.when == "call" or report.outcome != "passed":
                self.outcomes[report.outcome] += 1

    rows = []
    for attacked, path in RUN_AS_TESTS.items():
        counted = Counted()
        pytest.main([str(ROOT / path), "-q", "-q", "--no-cov", "--no-header", "-p", "no:cacheprovider"], plugins=[counted])
        rows.append({"attacked": attacked, "file": path, "outcomes": dict(counted.outcomes)})
    return rows


def page(facts: dict[str, list[Row]]) -> str:
    """The tables."""
    return "\n\n".join(
        [
            "# Reliability",
            "What was attacked, how often, and what held: all of it by `python -m benchmarks reliability`, with the attacks "
            "of\nthe tests. `make test` runs a part of them, `make test-slow` many times as many, and a case that once "
            "failed stays in the\ntests.",
            THREAT,
            "## Moves inside certified radii",
            "Objects move at random and across borders between labels that were found down to neighbouring numbers. A radius is "
            "false if a\nmove that is shorter, measured with extended precision, changes the label. Vectors are measured by "
            "the\nEuclidean distance and by that of a kernel; refused means that "
            "fitting or certifying raised\nan error with a name, as it must "
            "for metrics without the promise that a method needs. Where no\nmove is counted, radii were 0 or shorter "
            "than all moves: nothing was claimed there, so nothing was tested.",
            _table(
                ["classifier", "where", "moves inside a radius", "false radii", "refused"],
                [[row[key] for key in ("classifier", "place", "moves", "false", "refused")] for row in facts["radii"]],
            ),
            *_collisions_shown(facts.get("collisions", [])),  # results of earlier commits have none
            "## Files, inputs and commands",
            "A model file may work or be refused, within 10 s of processor time and 1 GB; a reader reads or refuses in a "
            "sentence;\na command works or ends in a sentence. Everything else is a failure.",
            _table(
                ["attacked", "cases", "held", "failed"],
                [
                    [row["attacked"], sum(row["verdicts"].values()), _held(row["verdicts"]), _failed(row["verdicts"])]
                    for row in facts["fuzzed"]
                ],
            ),
            "## Certificates",
            "A 1-nearest-neighbour classifier of pure noise errs with probability 1/2. A certificate fails if it is not void and "
            "states less;\nthat may happen in a share delta of all draws. Training objects in disguise must void it, new objects "
            "should not.",
            _table(
                ["sample", "draws", "delta", "failed", "void"],
                [
                    [row["sample"], row["draws"], row["delta"], row["failed"], "" if row["void"] is None else row["void"]]
                    for row in facts["certificates"]
                ],
            ),
            "## Tests that are attacks themselves",
            _table(
                ["attacked", "tests", "passed", "failed", "skipped"],
                [
                    [
                        f"{row['attacked']} (`{row['file']}`)",
                        sum(row["outcomes"].values()),
                        *(row["outcomes"].get(outcome, 0) for outcome in ("passed", "failed", "skipped")),
                    ]
                    for row in facts["tests"]
                ],
            ),
        ]
    )


def _collisions_shown(rows: list[Row]) -> list[str]:
    """The section about letters that share the keys of others, if it was measured."""
    if not rows:
        return []
    header = ["attacked", "cases", "false"]
    return ["## Letters that share a key", COLLISIONS, _table(header, [[row[name] for name in header] for row in rows])]


def _held(verdicts: dict[str, int]) -> str:
    return ", ".join(f"{count} {verdict}" for verdict, count in sorted(verdicts.items()) if not verdict.startswith("failed"))


def _failed(verdicts: dict[str, int]) -> str:
    return ", ".join(f"{count} {verdict}" for verdict, count in verdicts.items() if verdict.startswith("failed")) or "0"


def _table(header: list[str], rows: list[list[Any]]) -> str:
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join(f"| {' | '.join(map(str, cells))} |" for cells in lines)
