"""What ``--on-error skip`` leaves out is said by every command that reads data."""

import json

import pytest

DRINKS = "drink,kind\n" + "".join(f"{drink},soft\n" for drink in ("tea", "tee", "ten", "milk"))
DRINKS += "".join(f"{drink},hard\n" for drink in ("rum", "rom", "ram", "gin"))
HOLES = DRINKS + ",soft\nmild,\n,hard\n"
LISTED = (
    "3 records were skipped (--on-error skip):\n  line 10: column 'drink' is empty.\n  line 11: "
    "column 'kind' is empty."
)


@pytest.fixture
def model(folder, run):
    """A model of the whole rows, and a file with holes."""
    (folder / "drinks.csv").write_text(DRINKS)
    (folder / "holes.csv").write_text(HOLES)
    run("fit", "drinks.csv", "--target", "kind", "--model", "neighbors", "-o", "m.wb")
    return "m.wb"


@pytest.mark.few(2)
@pytest.mark.parametrize("command", ["evaluate", "certify", "report"])
@pytest.mark.parametrize("json_too", [(), ("--json",)])
def test_commands_on_a_model_list_what_they_skipped(run, model, command, json_too):
    done = run(command, model, "holes.csv", "--on-error", "skip", *json_too)
    assert f"holes.csv: {LISTED}" in done.err
    assert "skipped" not in run(command, model, "drinks.csv", "--on-error", "skip").err
    assert "skipped" not in run(command, model, "holes.csv", "--on-error", "skip", "--quiet").err


def test_programs_read_what_was_skipped(run, model):
    facts = json.loads(run("evaluate", model, "holes.csv", "--on-error", "skip", "--json").out)
    assert facts["objects"] == 8
    assert [each.count("is empty") for each in facts["skipped"]] == [1, 1, 1]


@pytest.mark.parametrize("command", ["fit", "suspects", "doctor", "compare"])
def test_with_json_it_is_said_beside_the_facts(run, model, command):
    few = {"compare": ("--folds", "2", "--model", "neighbors"), "fit": ("--model", "neighbors")}
    found = run(
        command,
        "holes.csv",
        "--target",
        "kind",
        "--on-error",
        "skip",
        "--json",
        *few.get(command, ()),
    )
    assert LISTED in found.err
    json.loads(found.out)


def test_many_are_counted(folder, run, model):
    (folder / "holes.csv").write_text(DRINKS + ",soft\n" * 25)
    assert "25 records were skipped" in (
        said := run("evaluate", model, "holes.csv", "--on-error", "skip").err
    )
    assert said.count("line ") == 10
    assert "and 15 more" in said


def test_an_error_names_the_records_that_were_skipped_before_it(folder, run):
    (folder / "ragged.csv").write_text("drink,kind\ntea,soft\nrum,hard,strong\ngin\nmilk,soft\n")
    failed = run("fit", "ragged.csv", "--target", "kind", "--on-error", "skip", code=2).err
    assert (
        "all 2 objects have the label 'soft': there is nothing to tell apart. 2 records were "
        "skipped: " in failed
    )
    assert "'rum,hard,strong', but the header has 2 ('drink', 'kind'). (line 3)" in failed
    assert "(line 4)" in failed


def test_one_object_is_one(folder, run, model):
    (folder / "one.csv").write_text("drink,kind\nteas,soft\n")
    assert (
        "the only object has the label 'soft'"
        in run("fit", "one.csv", "--target", "kind", code=2).err
    )
    assert run("evaluate", model, "one.csv").out.startswith("1 object of 1 class: soft 1.\n")
    assert (
        "1 object labelled: 1 class: soft 1."
        in run("predict", model, "one.csv", "-o", "out.csv").err
    )
