"""No command replaces what it reads, by whatever name its output is called."""

import io
import os
import sys

import pytest

import wideberth
from wideberth.cli.commands import parser

TABLE = "drink,kind\n" + "".join(
    f"{drink},{kind}\n"
    for kind, drinks in {"soft": "tea tee ten teas", "hard": "rum rom ram rums"}.items()
    for drink in drinks.split()
)
#: Every command that writes a file, with the inputs that it names: of each, no output may be one of
#: them.
WRITING = {
    "fit": ["drinks.csv", "--target", "kind", "--force"],
    "predict": ["m.wb", "drinks.csv"],
    "report": ["m.wb", "drinks.csv"],
    "suspects": ["drinks.csv", "--target", "kind"],
}
SPELLINGS = [
    "drinks.csv",
    "./drinks.csv",
    "sub/../drinks.csv",
    "soft.csv",
    "hard.csv",
    "{folder}/drinks.csv",
]


@pytest.fixture
def inputs(folder, run):
    (folder / "drinks.csv").write_text(TABLE)
    (folder / "sub").mkdir()
    run("fit", "drinks.csv", "--target", "kind", "--model", "neighbors", "-o", "m.wb")
    (folder / "soft.csv").symlink_to("drinks.csv")
    os.link(folder / "drinks.csv", folder / "hard.csv")
    return folder


def kept(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


def test_all_commands_with_an_output_are_here():
    commands = parser().commands
    assert {
        name
        for name, each in commands.items()
        if any(option.name == "output" for option in each.params)
    } == set(WRITING)


@pytest.mark.few(3)
@pytest.mark.parametrize("command", WRITING)
@pytest.mark.parametrize("spelling", SPELLINGS)
def test_the_data_stay_under_every_name(command, spelling, inputs, run):
    before = kept(inputs)
    failed = run(command, *WRITING[command], "-o", spelling.format(folder=inputs), code=2).err
    assert "is read by this command, and would be overwritten. Name another file with -o." in failed
    assert kept(inputs) == before


@pytest.mark.parametrize("command", ["predict", "report"])
def test_the_model_stays(command, inputs, run):
    before = kept(inputs)
    assert (
        "m.wb is read by this command" in run(command, *WRITING[command], "-o", "m.wb", code=2).err
    )
    assert kept(inputs) == before


def test_letters_of_another_case_name_the_same_file_where_the_system_says_so(inputs, run):
    if not (inputs / "DRINKS.csv").exists():
        pytest.skip("this file system tells upper from lower case")
    assert "would be overwritten" in run("fit", *WRITING["fit"], "-o", "DRINKS.csv", code=2).err


def test_files_of_labels_and_of_costs_stay(inputs, run):
    (inputs / "words.txt").write_text(
        "".join(line.split(",")[0] + "\n" for line in TABLE.splitlines()[1:])
    )
    (inputs / "labels.txt").write_text(
        "".join(line.split(",")[1] + "\n" for line in TABLE.splitlines()[1:])
    )
    (inputs / "costs.csv").write_text("one,other,cost\na,e,0.5\n")
    before = kept(inputs)
    labelled = (
        "words.txt",
        "--labels",
        "labels.txt",
        "--metric",
        "weighted_edit(substitutions='costs.csv')",
    )
    for output in ("words.txt", "labels.txt", "costs.csv"):
        assert "would be overwritten" in run("fit", *labelled, "-o", output, "--force", code=2).err
    assert kept(inputs) == before


def test_what_comes_in_by_redirection_stays(inputs, run, monkeypatch):
    with (inputs / "drinks.csv").open("rb") as stream:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(stream))
        failed = run("fit", "-", "--target", "kind", "-o", "drinks.csv", "--force", code=2).err
    assert "would be overwritten" in failed
    assert (inputs / "drinks.csv").read_text() == TABLE


def test_files_in_a_directory_that_is_read_stay(inputs, run):
    for kind in ("soft", "hard"):
        (inputs / "texts" / kind).mkdir(parents=True)
        for drink in ("tea", "rum"):
            (inputs / "texts" / kind / f"{drink}.txt").write_text(f"{kind} {drink}")
    failed = run("fit", "texts", "-o", "texts/soft/tea.txt", "--force", code=2).err
    assert "texts/soft/tea.txt, in texts, is read by this command" in failed
    assert (inputs / "texts" / "soft" / "tea.txt").read_text() == "soft tea"


def test_python_keeps_data_that_it_has_read(inputs):
    drinks = wideberth.read("drinks.csv", target="kind")
    model = wideberth.NeighborsClassifier("levenshtein").fit(drinks.objects, drinks.labels)
    for name in ("drinks.csv", "soft.csv", "hard.csv"):
        with pytest.raises(wideberth.errors.InvalidFile, match=f"{name} holds data that were read"):
            wideberth.save(model, name)
        with pytest.raises(wideberth.errors.InvalidFile, match=f"{name} holds data that were read"):
            wideberth.write_report(model, name, drinks.objects, drinks.labels)
    assert (inputs / "drinks.csv").read_text() == TABLE
    wideberth.save(model, "n.wb")  # as the advice says
    wideberth.save(wideberth.load("n.wb"), "n.wb")  # a model may be saved where it came from
