"""Five people with files, on the command line: sequences with costs, curves, molecules, a matrix of
distances, and a spreadsheet.

Each writes small files into a temporary folder and runs the commands that it prints; the last lines
of each answer are shown.
"""

import contextlib
import csv
import datetime
import io
import os
import random
import shlex
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path

from wideberth.cli.main import main


def wideberth(*arguments, shown=6):
    """Run a command as the shell would, print it with the end of what it says, and return what it
    says.
    """
    said = io.StringIO()
    sys.argv = ["wideberth", *arguments]
    with contextlib.redirect_stdout(said), contextlib.suppress(SystemExit):
        main()
    print(f"$ wideberth {shlex.join(arguments)}")
    print("\n".join(f"    {line[:120]}" for line in said.getvalue().splitlines()[-shown:]))
    return said.getvalue()


def table(said):
    """The rows of CSV that a command printed."""
    return list(csv.DictReader(io.StringIO(said)))


def sequences_with_costs(chance):
    """A biologist has a FASTA file for each class, and knows that some substitutions are likelier
    than others.
    """
    motifs = {"promoter": "ACGTTGCAACGTACGTTAGC", "other": "TTGACCATGCAATTCCGGAT"}
    for name, motif in motifs.items():
        records = [
            "".join(chance.choice("ACGT") if chance.random() < 0.15 else base for base in motif)
            for _ in range(25)
        ]
        Path(f"{name}.fasta").write_text(
            "".join(f">{name}{i}\n{record}\n" for i, record in enumerate(records))
        )
    Path("costs.csv").write_text("one,other,cost\nA,G,0.5\nC,T,0.5\n")
    Path("new.fasta").write_text(">q1\nACGTTGCAACGTACGTTAGG\n>q2\nTTGACCATGCAATTCCGGAA\n")
    wideberth(
        "fit",
        "promoter.fasta",
        "other.fasta",
        "--metric",
        "weighted_edit(substitutions=costs.csv)",
        "-o",
        "dna.wb",
    )
    answers = table(wideberth("predict", "dna.wb", "new.fasta", "--examples", "1"))
    assert [(row["id"], row["label"]) for row in answers] == [("q1", "promoter"), ("q2", "other")]
    assert int(answers[0]["safe_edits"]) >= 1
    wideberth("explain", "dna.wb", "ACGTTGCAACGTACGTTAGG", shown=12)


def curves(chance):
    """An engineer has curves in the format of the UCR archive, a training and a test file."""
    for name, size in (("TRAIN", 30), ("TEST", 20)):
        rows = []
        for place in range(size):
            step = chance.randint(5, 14)
            height = 1.0 if place % 2 else -1.0
            curve = [height * (time >= step) + chance.gauss(0, 0.1) for time in range(20)]
            rows.append("\t".join([str(place % 2), *(f"{value:.3f}" for value in curve)]))
        Path(f"Steps_{name}.tsv").write_text("\n".join(rows) + "\n")
    wideberth("fit", "Steps_TRAIN.tsv", "--model", "margin", "-o", "steps.wb")
    assert "0 are classified wrongly" in wideberth(
        "evaluate", "steps.wb", "Steps_TEST.tsv", shown=20
    )
    wideberth(
        "compare",
        "Steps_TRAIN.tsv",
        "--metric",
        "msm,erp",
        "--model",
        "neighbors,lipschitz",
        "--folds",
        "3",
        shown=8,
    )


def molecules():
    """A chemist has SMILES, and one of them is misprinted."""
    alcohols, rings = (
        ["CCO", "CCCO", "CCCCO", "CC(O)C", "OCCO"],
        ["c1ccccc1", "Cc1ccccc1", "c1ccncc1", "Clc1ccccc1", "Oc1ccccc1"],
    )
    lines = [f"{smiles} alcohol" for smiles in alcohols] + [f"{smiles} ring" for smiles in rings]
    Path("molecules.smi").write_text("\n".join(["smiles label", *lines]) + "\n")
    Path("new.smi").write_text("smiles\nCCCCCO\nBrc1ccccc1\nC1CC(\n")
    wideberth("fit", "molecules.smi", "--model", "neighbors", "-o", "molecules.wb")
    answers = table(
        wideberth("predict", "molecules.wb", "new.smi", "--on-error", "skip", "--examples", "1")
    )
    assert [row["label"] for row in answers] == ["alcohol", "ring"]
    wideberth("doctor", "molecules.smi", shown=4)


def matrix_of_distances(chance):
    """Somebody has measured distances, a square table with names, and labels in another file."""
    places = [round(chance.gauss(0, 1) + 8 * (i >= 10), 2) for i in range(20)]
    names = [f"site{i}" for i in range(20)]
    with Path("distances.csv").open("w", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(["site", *names])
        writer.writerows(
            [name, *(f"{abs(a - b):.2f}" for b in places)]
            for name, a in zip(names, places, strict=True)
        )
    Path("labels.csv").write_text(
        "site,label\n"
        + "".join(f"{name},{'east' if i < 10 else 'west'}\n" for i, name in enumerate(names))
    )
    wideberth("doctor", "distances.csv", "--labels", "labels.csv", shown=14)
    wideberth(
        "fit",
        "distances.csv",
        "--labels",
        "labels.csv",
        "--declare",
        "obeys_triangle",
        "-o",
        "sites.wb",
    )
    answers = table(wideberth("predict", "sites.wb", "distances.csv", shown=2))
    assert [row["label"] for row in answers] == ["east"] * 10 + ["west"] * 10
    assert all(float(row["radius"]) > 0 for row in answers)


def spreadsheet(chance):
    """An analyst has a table with identifiers, numbers with decimal commas, dates and categories;
    as .xlsx where openpyxl is.
    """
    header = ["customer_id", "age", "income", "city", "since", "churned"]
    rows = []
    for place in range(80):
        leaves = place % 4 == 0
        since = datetime.date(2015, 1, 1) + datetime.timedelta(
            days=chance.randint(0, 900) + 1500 * leaves
        )
        income = f"{chance.gauss(2.1 if leaves else 3.4, 0.4):.2f}".replace(".", ",")
        rows.append(
            [
                f"K{place:04}",
                round(chance.gauss(35, 8)),
                income,
                chance.choice(["Ulm", "Bonn"]),
                since,
                "yes" if leaves else "no",
            ]
        )
    with Path("customers.csv").open("w", newline="") as stream:
        csv.writer(stream, delimiter=";").writerows([header, *rows])
    said = wideberth("fit", "customers.csv", "--target", "churned", "-o", "customers.wb", shown=14)
    assert "customer_id  identifier" in said
    assert "decimal commas" in said
    answers = table(
        wideberth("predict", "customers.wb", "customers.csv", "--examples", "1", shown=2)
    )
    assert list(answers[0])[:6] == header
    wideberth(
        "explain",
        "customers.wb",
        '{"age": 40, "income": 2.0, "city": "Ulm", "since": "2020-05-01"}',
        shown=10,
    )
    if find_spec("openpyxl") is not None:
        from openpyxl import Workbook

        book = Workbook()
        for row in [header, *rows]:
            book.active.append(
                [
                    float(cell.replace(",", ".")) if place == 2 and row is not header else cell
                    for place, cell in enumerate(row)
                ]
            )
        book.save("customers.xlsx")
        assert "0 are classified wrongly" in wideberth(
            "evaluate", "customers.wb", "customers.xlsx", shown=3
        )


def run_all():
    """All of them, one after the other, in a temporary folder."""
    journeys = {
        "Sequences with costs of their own": lambda: sequences_with_costs(random.Random(0)),
        "Curves of the UCR archive": lambda: curves(random.Random(1)),
        "A matrix of distances": lambda: matrix_of_distances(random.Random(2)),
        "A spreadsheet": lambda: spreadsheet(random.Random(3)),
    }
    if find_spec("rdkit") is not None:  # the extra wideberth[molecules]
        journeys["Molecules"] = molecules
    before, arguments = Path.cwd(), sys.argv
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            for title, journey in journeys.items():
                print(f"\n{title}\n")
                journey()
        finally:
            os.chdir(before)
            sys.argv = arguments


if __name__ == "__main__":
    run_all()
