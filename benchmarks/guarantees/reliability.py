"""What was attacked, how often, and what held: radii, files, inputs, commands, certificates,
threads and caches.

The attacks are those of the tests (``tests/attacked_radii.py``, ``tests/hostile``,
``tests/statistical``), counted.
"""

import sys
import tempfile
import warnings
from collections import Counter
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks.folders import ROOT
from benchmarks.keeping import kept

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
#: Models of each family on each kind of object, and moves of the objects of each: ten million moves
#: inside radii.
MODELS, MOVES = 6, 8_000
#: The tests that are run, those on clusters among them.
MARKED = ("-m", "not slow and not browser")
#: Tests that are attacks themselves, run as they are.
RUN_AS_TESTS = {
    "Fits in 8 threads, 16 of each classifier, against one thread": "tests/classifiers/test_threads.py::test_concurrent_fits",
    "Caches: damaged tiles, killed runs that are resumed, a full disk": "tests/geometry/space/test_cache_faults.py",
    "Caches: distances that change, in 19 ways that their code shows and some that it hides; "
    "impossible tiles; links": ("tests/geometry/space/test_stale_cache.py"),
    "Fits, answers and grid searches inside of joblib's loky, threading, multiprocessing and dask": (
        "tests/geometry/measure/test_joblib_backends.py"
    ),
    "Files: writers that are killed, in threads, on other machines": "tests/test_atomic_write.py",
    "Commands that would replace what they read, by every name it has": "tests/cli/test_inputs_are_kept.py",
}

#: The page; tables stand in for the names in braces.
PAGE = """\
# Reliability

What was attacked, how often, and what held: all of it by `python -m benchmarks reliability`, with the attacks of the tests.
`make test` runs a part of them, `make test-slow` many times as many, and a case that once failed stays in the tests.

**Against whom.** The adversary of a radius knows the model file and the code, and chooses every letter and number of what is
closer than the radius. What is proved:

- in the unit of the metric: nothing strictly closer in its distance gets another label;
- in edits: no text strictly closer by insertions, deletions and replacements of single characters, any of Unicode, does;
- for linear scores over words, or over n-grams of up to three letters: the same, and up to `exact_edits` no larger radius holds
  but for rounding;
- in any other unit: what the constant between the two distances proves.

Nothing is proved against changed training data, model files or code, nor that a label is right.

## Moves inside certified radii

Someone who knows the model moves objects inside their radii, at random and towards objects of the other label. A radius is false
if a move that is shorter, measured in the unit in which the radius was claimed, changes the label. Where no move is counted, all
radii were shorter than the shortest move: nothing was claimed, so nothing was tested.

{families}

{kinds}

## Units of radii of texts

What a step of each unit is, is written once more in `tests/attacked_units.py`: an edit puts in, takes out or replaces one
character. All texts one step away are tried, many that are two steps away, random walks, and walks that take the step after which
the lead of the label is smallest; half of the models with letters that an adversary would choose.

{units}

## Radii at extreme numbers

Objects move at random and across borders between labels that were found down to neighbouring numbers. A radius is false if a
move that is shorter, measured with extended precision, changes the label. Vectors are measured by the Euclidean distance and by
that of a kernel; refused means that fitting or certifying raised an error with a name, as it must for metrics without the promise
that a method needs. Where no move is counted, radii were 0 or shorter than all moves: nothing was claimed there, so nothing was
tested.

{radii}

## Letters that share a key

Words, n-grams and other elements are found by keys of 64 bits, which anyone can invert. Letters are written here that have the
key of a word of the model, or had it under an earlier hash, labels of graphs that once collided, and tokens that share Python's
hash. An answer is false if it is not that of the definition, or if a label changes within a radius.

{collisions}

## Files, inputs and commands

A model file may work or be refused, within 10 s of processor time and 1 GB; a reader reads or refuses in a sentence; a command
works or ends in a sentence. Everything else is a failure.

{fuzzed}

## Certificates

A 1-nearest-neighbour classifier of pure noise errs with probability 1/2. A certificate fails if it is not void and states less;
that may happen in a share delta of all draws. Training objects in disguise must void it, new objects should not.

An object that also occurs in the training data is a leak, unless the user declares independent draws (`independent=True`,
`--independent`) or the library cut the sample itself; then the certificate assumes it. Training objects are recognised, whether
a model keeps them or only their digests,

- with other spaces, line ends, invisible characters, quotes, full stops, commas or semicolons at the ends of texts, in other
  case, width or Unicode form, also inside of sequences, sets, trees, graphs and rows of tables: one such object is enough;
- in half or single precision, with 0 to 4 decimal places or 2 to 6 significant digits, if more objects agree with training
  objects after rounding than objects of either sample agree with each other;
- as series with one value more, less or changed at the end, by the same test;
- in any form at distance 0, and with noise up to a hundredth of the usual distance to a neighbour, where the metric or the
  objects that the model keeps show it.

What makes another object is not recognised: noise from a tenth of that distance on, mixtures of two objects, a word more or
less, another unit of a column; nor rounded numbers where honest objects agree after rounding as often, as whole numbers in one
column do. Every certificate assumes that its objects had no part in the model.

{certificates}

## Disguises by family and metric

Labels are noise, and each model is certified on its training objects in every form of `tests/disguised_objects.py` that its kind
of objects has: how many of these were void. Any other value is false.

{disguises}

## Tests that are attacks themselves

{tests}"""

Row = dict[str, Any]


def measure() -> dict[str, list[Row]]:
    """Run all attacks."""
    sys.path.append(str(ROOT / "tests"))
    warnings.simplefilter("ignore")
    return {
        "moves": _moves(),
        "units": _units(),
        "radii": _radii(),
        "collisions": _collisions(),
        "fuzzed": [_files(), _inputs(), _commands()],
        "certificates": _certificates(),
        "disguises": disguises(),
        "tests": _tests(),
    }


def _moves() -> list[Row]:
    """Moves inside radii; a run that was stopped goes on after the last family and kind of object
    that it had done.
    """
    from moves_inside_radii import FAMILIES, KINDS

    cells = [(family, kind) for family in FAMILIES for kind in KINDS]
    return [
        {"family": family, "kind": kind, "unit": unit, "false": false, "moves": moves}
        for family, kind in cells
        for unit, (false, moves) in (
            kept("reliability", f"{family}; {kind}", partial(_moved, family, kind)) or {}
        ).items()
    ]


def _moved(family: str, kind: str) -> dict[str, list[int]]:
    from moves_inside_radii import moves_inside_radii

    totals: dict[str, list[int]] = {}
    for seed in range(MODELS):
        for unit, (false, moves) in moves_inside_radii(family, kind, MOVES, seed).items():
            so_far = totals.get(unit, [0, 0])
            totals[unit] = [so_far[0] + false, so_far[1] + moves]
    return totals


def _units() -> list[Row]:
    """Moves inside the radii of texts, in all units that a model claims."""
    from attacked_units import METRICS, attacked_units

    found = [
        kept("reliability", f"units; {metric}", partial(attacked_units, range(3), (metric,))) or []
        for metric in METRICS
    ]
    return [
        dict(zip(("metric", "unit", "moves", "false"), row, strict=True))
        for rows in found
        for row in rows
    ]


def _radii() -> list[Row]:
    from attacked_radii import CLASSIFIERS, KINDS, attacked, moved_inside_radii

    rows = [
        _radii_row(name, place, (attacked(name, metric, **extreme) for metric in MEASURED_BY))
        for name in CLASSIFIERS
        for place, extreme in EXTREMES.items()
    ]
    kinds = [
        _radii_row(
            name, "strings, series, sets", (moved_inside_radii(name, kind) for kind in KINDS)
        )
        for name in CLASSIFIERS
    ]
    return sorted(rows + kinds, key=lambda row: list(CLASSIFIERS).index(row["classifier"]))


def _radii_row(name: str, place: str, attacks: Iterable[Any]) -> Row:
    """Add up attacks on one classifier; those that are None were refused."""
    done = list(attacks)
    false = sum(found if isinstance(found, int) else len(found) for found, _ in filter(None, done))
    moves = sum(inside for _, inside in filter(None, done))
    return {
        "classifier": name,
        "place": place,
        "refused": done.count(None),
        "moves": moves,
        "false": false,
    }


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
        return _fuzzed(
            "Model files with 1 to 4 random edits, every kind of model", cases, verdict, FILES
        )


def _inputs() -> Row:
    from hostile.reader_inputs import cases
    from hostile.test_reader_inputs import check

    return _fuzzed(
        "Files for the readers, tampered with",
        cases,
        lambda case: check(case) or "read or refused",
        INPUTS,
    )


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
        missed = [
            leaked
            for source in SOURCES[:2]
            for leaked in leaks(source, disguise, share=1.0, runs=DRAWS)
        ]
        rows.append(
            {
                "sample": f"training objects, {name}",
                "draws": len(missed),
                "failed": sum(missed),
                "void": None,
            }
        )
    for source in SOURCES:
        failed, void = honest(source, 2 * DRAWS)
        rows.append(
            {
                "sample": f"new objects, {source.__name__}",
                "draws": len(failed),
                "failed": sum(failed),
                "void": sum(void),
            }
        )
    return [row | {"delta": DELTA} for row in rows]


def disguises() -> list[Row]:
    """Training objects as files and exports change them, by metric and family: how many forms were
    void or certified.
    """
    from disguised_objects import cases, caught, families

    rows = []
    for name, (metric, source, forms) in cases().items():
        for family, model in families(metric).items():
            found = caught(metric, source, forms, model)
            if found is not None:
                counts = Counter(
                    value if value in ("void", "refused") else "certified"
                    for value in found.values()
                )
                missed = [form for form, value in found.items() if value not in ("void", "refused")]
                rows.append(
                    {
                        "metric": name,
                        "family": family,
                        "forms": len(found),
                        **counts,
                        "missed": missed,
                    }
                )
    return rows


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
        pytest.main(
            [
                str(ROOT / path),
                "-q",
                "-q",
                "--no-cov",
                "--no-header",
                "-p",
                "no:cacheprovider",
                *MARKED,
            ],
            plugins=[counted],
        )
        rows.append({"attacked": attacked, "file": path, "outcomes": dict(counted.outcomes)})
    return rows


def page(facts: dict[str, list[Row]]) -> str:
    """The tables, with what they mean."""
    return PAGE.format(
        families=_added_up(facts["moves"], "family", "classifier"),
        kinds=_added_up(facts["moves"], "kind", "metric, and the unit of its radii"),
        units=_table(
            ["metric of the model", "unit", "moves inside a radius", "false"],
            [
                [row["metric"], row["unit"], f"{row['moves']:,}", row["false"]]
                for row in facts["units"]
            ],
        ),
        radii=_table(
            ["classifier", "where", "moves inside a radius", "false radii", "refused"],
            [
                [row[key] for key in ("classifier", "place", "moves", "false", "refused")]
                for row in facts["radii"]
            ],
        ),
        collisions=_table(
            ["attacked", "cases", "false"],
            [[row["attacked"], row["cases"], row["false"]] for row in facts["collisions"]],
        ),
        fuzzed=_table(
            ["attacked", "cases", "held", "failed"],
            [
                [
                    row["attacked"],
                    sum(row["verdicts"].values()),
                    _held(row["verdicts"]),
                    _failed(row["verdicts"]),
                ]
                for row in facts["fuzzed"]
            ],
        ),
        certificates=_table(
            ["sample", "draws", "delta", "failed", "void"],
            [
                [
                    row["sample"],
                    row["draws"],
                    row["delta"],
                    row["failed"],
                    "" if row["void"] is None else row["void"],
                ]
                for row in facts["certificates"]
            ],
        ),
        disguises=_disguises_in_words(facts["disguises"]),
        tests=_table(
            ["attacked", "tests", "passed", "failed", "skipped"],
            [
                [
                    f"{row['attacked']} (`{row['file']}`)",
                    sum(row["outcomes"].values()),
                    *(
                        row["outcomes"].get(outcome, 0)
                        for outcome in ("passed", "failed", "skipped")
                    ),
                ]
                for row in facts["tests"]
            ],
        ),
    )


def _added_up(rows: list[Row], by: str, title: str) -> str:
    """Moves and false radii of all families on a kind of object in a unit, or of a family on all of
    them.
    """
    totals: dict[str, list[int]] = {}
    for row in rows:
        name = (
            row[by]
            if by == "family" or row["unit"] == "own"
            else f"{row['kind']}, in the unit of {row['unit']}"
        )
        so_far = totals.get(name, [0, 0])
        totals[name] = [so_far[0] + row["moves"], so_far[1] + row["false"]]
    together = [
        sum(moves for moves, _ in totals.values()),
        sum(false for _, false in totals.values()),
    ]
    shown = [[name, *totals[name]] for name in totals] + [["together", *together]]
    return _table(
        [title, "moves inside a radius", "false"],
        [[name, f"{moves:,}", false] for name, moves, false in shown],
    )


def _disguises_in_words(rows: list[Row]) -> str:
    families = list(dict.fromkeys(row["family"] for row in rows))
    void = {
        (row["metric"], row["family"]): f"{row.get('void', 0)} of {row['forms']}" for row in rows
    }
    metrics = dict.fromkeys(row["metric"] for row in rows)
    return _table(
        ["metric", *families],
        [[metric, *(void.get((metric, each), "") for each in families)] for metric in metrics],
    )


def _held(verdicts: dict[str, int]) -> str:
    return ", ".join(
        f"{count} {verdict}"
        for verdict, count in sorted(verdicts.items())
        if not verdict.startswith("failed")
    )


def _failed(verdicts: dict[str, int]) -> str:
    return (
        ", ".join(
            f"{count} {verdict}"
            for verdict, count in verdicts.items()
            if verdict.startswith("failed")
        )
        or "0"
    )


def _table(header: list[str], rows: list[list[Any]]) -> str:
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join(f"| {' | '.join(map(str, cells))} |" for cells in lines)
