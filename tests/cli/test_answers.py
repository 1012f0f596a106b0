"""Answers beside the user's own rows, and what the commands about a model print; all by the real
command.
"""

import json
import sys

import numpy as np
import pytest

import wideberth
from wideberth.bounds.binomial import binomial_interval
from wideberth.classifiers.named import CLASSIFIERS
from wideberth.cli import evaluate
from wideberth.insight.evaluation import better_than_guessing, guessing_facts

SOFT, HARD = ["tea", "tee", "ten", "milk", "mild"], ["rum", "rom", "ram", "gin", "gun"]
DRINKS = "number,drink,kind\n" + "".join(
    f"d{i},{drink},{'soft' if drink in SOFT else 'hard'}\n"
    for i, drink in enumerate([*SOFT, *HARD])
)


@pytest.fixture
def model(folder, run):
    """A folder with a table of words and a model of it."""
    (folder / "drinks.csv").write_text(DRINKS)
    run(
        "fit",
        "drinks.csv",
        "--target",
        "kind",
        "--column",
        "drink",
        "--model",
        "lipschitz",
        "-C",
        "25",
        "-o",
        "m.wb",
    )
    return "m.wb"


def test_the_input_is_never_overwritten(folder, run, model):
    for output in ("drinks.csv", "./drinks.csv", "m.wb"):
        failed = run("predict", model, "drinks.csv", "-o", output, code=2).err
        assert "is read by this command, and would be overwritten" in failed
    (folder / "link.csv").symlink_to("drinks.csv")
    assert (
        "would be overwritten" in run("predict", model, "drinks.csv", "-o", "link.csv", code=2).err
    )
    assert (folder / "drinks.csv").read_text() == DRINKS


def test_a_model_is_replaced_only_by_force(folder, run, model):
    before = (folder / model).read_bytes()
    failed = run("fit", "drinks.csv", "--target", "kind", "-o", "m.wb", code=2).err
    assert (
        "m.wb exists already, and is not replaced. Add --force to replace it, or name another file "
        "with -o." in failed
    )
    assert (folder / model).read_bytes() == before
    run("fit", "drinks.csv", "--target", "kind", "--model", "neighbors", "-o", "m.wb", "--force")
    assert type(wideberth.load("m.wb")).__name__ == "NeighborsClassifier"


@pytest.mark.parametrize(
    ("answer", "code"), [("y\n", 0), ("yes\n", 0), ("n\n", 2), ("\n", 2), ("", 2)]
)
def test_a_person_at_a_terminal_is_asked(folder, run, model, monkeypatch, answer, code):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    monkeypatch.setattr(
        "sys.stdin",
        type("Terminal", (), {"isatty": lambda self: True, "readline": lambda self: answer})(),
    )
    asked = run(
        "fit", "drinks.csv", "--target", "kind", "--model", "neighbors", "-o", "m.wb", code=code
    )
    assert "m.wb exists already. Replace it? [y/N]" in asked.err
    assert type(wideberth.load("m.wb")).__name__ == (
        "LipschitzClassifier" if code else "NeighborsClassifier"
    )


def test_answers_stand_behind_all_columns_in_their_order(folder, run, model):
    (folder / "new.csv").write_text('note,drink,number\n"a, b",teas,7\n,rums,8\n')
    done = run("predict", model, "new.csv")
    assert done.out.splitlines()[0] == "note,drink,number,label,lead,safe_edits"
    assert [(row["note"], row["number"], row["label"]) for row in done.rows] == [
        ("a, b", "7", "soft"),
        ("", "8", "hard"),
    ]


def test_numbers_are_rounded_and_edits_are_whole(folder, run, model):
    for row in run("predict", model, "drinks.csv").rows:
        assert len(row["lead"].lstrip("0.-")) <= 5
        assert row["safe_edits"].isdigit()


def test_clashing_names_are_said_and_nothing_is_lost(folder, run, model):
    (folder / "new.csv").write_text("drink,label,predicted_label,lead\ntea,old,older,fast\n")
    done = run("predict", model, "new.csv")
    assert done.rows[0] == {
        "drink": "tea",
        "label": "old",
        "predicted_label": "older",
        "lead": "fast",
        "predicted_predicted_label": "soft",
        "predicted_lead": done.rows[0]["predicted_lead"],
        "safe_edits": done.rows[0]["safe_edits"],
    }
    assert done.err.count("the input has a column") == 2


def test_json_lines_keep_labels_and_names_that_look_like_numbers(folder, run):
    (folder / "t.csv").write_text(
        "id,x,z,label\n" + "".join(f"0{i},{i},1,{i % 2}\n" for i in range(9))
    )
    run("fit", "t.csv", "--model", "neighbors", "-o", "t.wb")
    told = run("predict", "t.wb", "t.csv", "--json", "--examples", "1").out.splitlines()
    first = json.loads(told[0])
    assert (first["predicted_label"], first["nearest_1"], first["nearest_1_label"]) == (
        "0",
        "00",
        "0",
    )
    assert first["nearest_1_distance"] == 0.0


def test_json_lines_keep_types_and_nested_values(folder, run, model):
    (folder / "new.jsonl").write_text(
        '{"drink": "tea", "n": 3, "more": {"a": [1]}}\n{"drink": "rum", "late": true}\n'
    )
    lines = [
        json.loads(line) for line in run("predict", model, "new.jsonl", "--json").out.splitlines()
    ]
    assert lines[0]["more"] == {"a": [1]}
    assert lines[1]["late"] is True
    assert [line["label"] for line in lines] == ["soft", "hard"]
    assert isinstance(lines[0]["lead"], float)
    assert isinstance(lines[0]["safe_edits"], int)
    assert run("predict", model, "new.jsonl").rows[0]["more"] == '{"a": [1]}'


def test_identifiers_of_fasta_come_back(folder, run):
    (folder / "s.fasta").write_text(
        "".join(f">s{i} label={'ab'[i % 2]}\n{'ACGT' if i % 2 else 'TTGA'}\n" for i in range(6))
    )
    run("fit", "s.fasta", "--model", "neighbors")
    (folder / "new.fasta").write_text(">q1 a strange one\nACGG\n>q2\nTTTA\n")
    answers = run("predict", "s.wb", "new.fasta", "--examples", "1").rows
    assert [row["id"] for row in answers] == ["q1", "q2"]
    assert answers[0]["nearest_1"] in ("s1", "s3", "s5")
    assert answers[0]["nearest_1_label"] == "b"


def test_arrays_have_numbers_for_objects(folder, run):
    points = np.arange(10.0)[:, None] + [0.0, 0.5]
    np.savez(folder / "p.npz", X=points, y=[0, 1] * 5)
    run("fit", "p.npz", "--model", "neighbors")
    np.save(folder / "new.npy", points[:3])
    assert [row["object"] for row in run("predict", "p.wb", "new.npy").rows] == ["0", "1", "2"]


def test_more_examples_than_objects_are_those_there_are(folder, run, model):
    header = run("predict", model, "drinks.csv", "--examples", "99").out.splitlines()[0]
    assert header.count("_distance") == wideberth.load(model).state()["objects"].__len__()


def test_models_without_notes_name_examples_by_themselves(folder, run):
    (folder / "drinks.csv").write_text(DRINKS)
    wideberth.save(
        wideberth.LipschitzClassifier("levenshtein", C=25).fit(
            [*SOFT, *HARD], ["s"] * 5 + ["h"] * 5
        ),
        "p.wb",
    )
    answers = run("predict", "p.wb", "drinks.csv", "--column", "drink", "--examples", "1").rows
    assert [row["nearest_1"] for row in answers] == [*SOFT, *HARD]
    assert "with the labels it gives them" in run("explain", "p.wb", "tea").out


def test_several_new_files_are_one_table(folder, run, model):
    (folder / "a.csv").write_text("drink\ntea\n")
    (folder / "b.csv").write_text("drink\nrum\n")
    assert [row["label"] for row in run("predict", model, "a.csv", "b.csv").rows] == [
        "soft",
        "hard",
    ]


def test_lower_case_queries_of_an_upper_case_model(folder, run):
    (folder / "s.csv").write_text("dna,label\nACGT,a\nACGG,a\nTTTT,b\nTTTA,b\n")
    (folder / "new.csv").write_text("dna\nacgt\ntttt\n")
    run("fit", "s.csv", "--model", "neighbors")
    done = run("predict", "s.wb", "new.csv")
    assert (
        "2 of 2 objects have letters in lower case, and all training objects are in upper case"
        in done.err
    )
    assert done.err.count("wideberth:") == 1
    assert run("predict", "s.wb", "new.csv", "--quiet").err == ""


def test_unknown_characters_are_counted(folder, run, model):
    (folder / "new.csv").write_text("drink\n" + "tea\n" * 30 + "çé\n")
    assert run("predict", model, "new.csv").err == "", "one in thirty is nothing unusual"
    (folder / "new.csv").write_text("drink\n" + "tea\n" * 3 + "çé\n")
    assert (
        "1 of 4 objects have characters that no training object has: 'ç', 'é'."
        in run("predict", model, "new.csv").err
    )


@pytest.mark.parametrize(
    ("factor", "words"),
    [(1000.0, "away from training objects"), (0.001, "away from each other"), (1.0, "")],
)
def test_other_units_are_noticed(folder, run, factor, words):
    points = np.random.default_rng(0).normal(size=(40, 2))
    lines = [f"{x:.6f},{y:.6f},{'ab'[i % 2]}" for i, (x, y) in enumerate(points)]
    (folder / "metres.csv").write_text("x,z,label\n" + "\n".join(lines) + "\n")
    (folder / "new.csv").write_text(
        "x,z\n" + "\n".join(f"{factor * x:.6f},{factor * y:.6f}" for x, y in points) + "\n"
    )
    run("fit", "metres.csv", "--model", "neighbors")
    err = run("predict", "metres.wb", "new.csv").err
    assert ("same units" in err) == bool(words)
    assert words in err


def test_evaluate_says_errors_interval_confusion_and_certificate(folder, run, model):
    (folder / "test.csv").write_text(
        "drink,kind\nteen,soft\nmilky,soft\ntoo,soft\nrums,hard\nginn,hard\nmole,hard\n"
    )
    out = run("evaluate", model, "test.csv").out
    facts = json.loads(run("evaluate", model, "test.csv", "--json").out)
    words, truth = ["teen", "milky", "too", "rums", "ginn", "mole"], ["soft"] * 3 + ["hard"] * 3
    told = wideberth.load(model).predict(words)
    assert facts["errors"] == int(np.sum(told != truth))
    assert facts["interval"] == pytest.approx(binomial_interval(facts["errors"], 6, 0.05))
    curve = wideberth.guarantees.certified_accuracy(wideberth.load(model), words, truth, [0, 1])
    shares = {row["radius"]: row["share"] for row in facts["certified"]["shares"]}
    assert [shares[0.0], shares[1.0]] == pytest.approx(curve.certified)
    assert facts["certificate"]["statement"] in out
    for said in (
        "6 objects of 2 classes",
        f"{facts['error']:.1%}",
        "Confusion",
        "right when told",
        "after any 1 edit",
    ):
        assert said in out


@pytest.mark.parametrize(
    ("shares", "said"),
    [
        (
            [0.99, 0.95, 0.3],
            "From 2 edits on that is no better than guessing: always answering 'a'",
        ),
        ([0.99, 0.6, 0.3], "From 1 edit on that is no better than guessing: always answering 'a'"),
        (
            [0.99, 0.61, 0.3],
            "From 1 edit on that is not clearly better than guessing: always answering 'a'",
        ),
        ([0.99, 0.95, 0.9], None),
    ],
)
def test_what_is_certified_is_held_against_always_answering_the_largest_class(shares, said):
    truth = np.array(["a"] * 60 + ["b"] * 40)
    rows = [
        {
            "radius": radius,
            "share": share,
            "safe": radius,
            "better": better_than_guessing(share, 0.6, 100),
        }
        for radius, share in enumerate(shares)
    ]
    guessing = guessing_facts(truth, np.arange(100) != 0)
    assert guessing == {"label": "a", "share": 0.6, "better": True}
    lines = list(evaluate._certified_in_words({"unit": "edit", "shares": rows}, guessing))
    assert len(lines) == 4 + (said is not None)
    assert said is None or lines[-1].startswith(said)


def test_evaluate_on_training_objects_says_so(run, model):
    out = run("evaluate", model, "drinks.csv").out
    assert (
        "The model learned from 10 of them: this is no estimate of its errors on new ones." in out
    )
    assert json.loads(run("evaluate", model, "drinks.csv", "--json").out)["interval"] is None


def test_evaluate_and_report_agree_on_a_file_that_shares_objects(folder, run, model):
    known = (folder / "drinks.csv").read_text().splitlines()
    rows = [*known[:3], "11,teen,soft", "12,milky,soft", "13,rums,soft", "14,ginn,hard"]
    (folder / "both.csv").write_text("\n".join(rows) + "\n")
    said = run("evaluate", model, "both.csv").out
    facts = json.loads(run("evaluate", model, "both.csv", "--json").out)
    shown = json.loads(run("report", model, "both.csv", "--json").out)["error"]
    assert (facts["errors"], facts["learned_from"]) == (shown["errors"], 2)
    assert shown["others"]["errors"] == facts["others"]["errors"] == 1
    assert "Of the 4 others 1 is answered wrongly: 25.0%." in said
    facts = json.loads(run("evaluate", model, "drinks.csv", "--json").out)
    assert facts["others"] is None


def test_evaluate_at_given_radii_and_in_other_units(folder, run, model):
    facts = json.loads(
        run("evaluate", model, "drinks.csv", "--radii", "0,1.5", "--unit", "edit", "--json").out
    )
    assert [(row["radius"], row["safe"]) for row in facts["certified"]["shares"]] == [
        (0.0, 0),
        (1.5, 1),
    ]
    assert (
        "--radii a,b are not radii"
        in run("evaluate", model, "drinks.csv", "--radii", "a,b", code=2).err
    )


def test_labels_written_as_numbers_are_those_written_as_texts(folder, run):
    (folder / "t.csv").write_text("word,label\ntea,1\ntee,1\nrum,2\nrom,2\n")
    (folder / "t.jsonl").write_text('{"word": "ten", "label": 1}\n{"word": "ram", "label": 2}\n')
    run("fit", "t.csv", "--model", "neighbors")
    assert " answers are wrong: 0.0%" in run("evaluate", "t.wb", "t.jsonl").out
    (folder / "t.jsonl").write_text('{"word": "ten", "label": "x"}\n')
    assert (
        "none of its labels ('x') is a class of the model. The model knows '1', '2'"
        in run("evaluate", "t.wb", "t.jsonl", code=2).err
    )


def test_certify_prints_what_python_proves(folder, run, model):
    (folder / "test.csv").write_text("drink,kind\nteen,soft\nmilky,soft\nrums,hard\nginn,hard\n")
    proved = wideberth.certify(
        wideberth.load(model),
        ["teen", "milky", "rums", "ginn"],
        ["soft", "soft", "hard", "hard"],
        delta=0.1,
    )
    shown = proved if len(proved) > 1 else proved[0]
    assert run("certify", model, "test.csv", "--delta", "0.1").out == f"{shown}\n"
    assert (
        json.loads(run("certify", model, "test.csv", "--delta", "0.1", "--json").out)[0]["value"]
        == proved[0].value
    )
    assert (
        "--delta 2.0 is not a probability"
        in run("certify", model, "test.csv", "--delta", "2", code=2).err
    )


def test_objects_that_also_occur_in_the_training_data_are_a_leak_unless_declared(folder, run):
    learned = [*[f"x{number:05b}{number:05b}" for number in range(28)], "y", "y"]
    new = [*[f"x{number:05b}{number:05b}" for number in range(100, 138)], *learned[3:5]]
    for name, words in (("old", learned), ("new", new)):
        rows = [f"{word},{'ab'[place % 2]}" for place, word in enumerate(words)]
        (folder / f"{name}.csv").write_text("\n".join(["word,label", *rows, ""]))
    run("fit", "old.csv", "--model", "neighbors")
    allowed = (
        "2 of these 40 objects also occur in the training data; that is allowed if all were drawn "
        "independently."
    )
    for command in ("certify", "evaluate"):
        assert (
            "2 of 40 objects are among those that the model learned from"
            in run(command, "old.wb", "new.csv").out
        )
        declared = " ".join(run(command, "old.wb", "new.csv", "--independent").out.split())
        assert allowed in declared
        assert "void" not in declared
    run("report", "old.wb", "new.csv", "--independent")


def test_info_says_what_when_and_from_what(run, model):
    facts = json.loads(run("info", model, "--json").out)
    assert facts["model"] == "LipschitzClassifier"
    assert facts["data"] == ["drinks.csv"]
    assert facts["target"] == "kind"
    assert facts["columns"] == "drink"
    assert facts["objects_learned_from"] == 10
    assert facts["settings"]["C"] == 25.0
    assert facts["fitted"].endswith("Z")
    out = run("info", model).out
    assert "Learned from 10 objects" in out
    assert "Objects: strings in 'drink'; labels in 'kind'." in out


def test_info_of_any_saved_estimator(folder, run):
    wideberth.save(wideberth.KuratowskiEmbedding("levenshtein").fit(SOFT), "e.wb")
    assert "KuratowskiEmbedding" in run("info", "e.wb").out


def test_explain_shows_objects_distances_and_a_change(run, model):
    fact = json.loads(run("explain", model, "teal", "--json").out)[0]
    loaded = wideberth.load(model)
    assert fact["label"] == loaded.predict(["teal"])[0]
    levenshtein = wideberth.metric("levenshtein")
    for near in fact["nearest"]:
        assert near["distance"].split()[0] == f"{levenshtein('teal', near['object']):g}"
        assert near["label"] == ("soft" if near["object"] in SOFT else "hard")
    change = fact["change"]
    assert loaded.predict([change["object"]])[0] == change["label"] != fact["label"]
    assert levenshtein("teal", change["object"]) > fact["safe_edits"]
    out = run("explain", model, "teal", "gin").out
    for words in (
        "teal: soft",
        "gin: hard",
        "nearest of other labels",
        "what would change the answer",
        "edit",
    ):
        assert words in out


def test_explain_says_what_wrong_training_data_leave(folder, run, model):
    nearest = wideberth.NeighborsClassifier("levenshtein", n_neighbors=5).fit(
        [*SOFT, *HARD], ["soft"] * 5 + ["hard"] * 5
    )
    wideberth.save(nearest, "n.wb")
    fact = json.loads(run("explain", "n.wb", "ten", "--json").out)[0]
    flips, rows = fact["certified_flips"], fact["certified_rows"]
    assert [flips, rows] == [
        nearest.certified_flips(["ten"])[0],
        nearest.certified_rows(["ten"])[0],
    ]
    out = run("explain", "n.wb", "ten").out
    assert ("it stays soft if any" in out) == (flips > 0)
    assert "put where this one is" in run("explain", model, "ten").out
    assert "put where this one is" not in out or rows == 0


def test_explain_takes_numbers_sets_and_rows(folder, run):
    (folder / "p.csv").write_text(
        "p,q,label\n" + "".join(f"{i % 5}.5,{i % 3}.5,{'ab'[i % 5 > 2]}\n" for i in range(30))
    )
    run("fit", "p.csv", "--model", "neighbors")
    assert "0.5,1: a" in run("explain", "p.wb", "0.5,1", "[4.5, 2]").out
    assert "'tea' in column 'p' is not a number" in run("explain", "p.wb", "tea,1", code=2).err
    (folder / "r.csv").write_text(
        "age,city,label\n"
        + "".join(f"{20 + i}.5,{'Ulm' if i % 2 else 'Bonn'},{'ab'[i % 2]}\n" for i in range(12))
    )
    run("fit", "r.csv", "--model", "neighbors")
    assert ": b (" in run("explain", "r.wb", '{"age": 22, "city": "Ulm"}').out
    assert "Ulm" in run("explain", "r.wb", "{'age': 22, 'city': 'Ulm'}", "--json").out
    failed = run("explain", "r.wb", '{"age": 22}', code=2).err
    assert "city" in failed
    assert "typed.jsonl" not in failed


def test_explain_shows_rows_beside_each_other_and_how_far_they_may_move(folder, run):
    rows = [(39 - i, ("Ulm", "Bonn")[i % 2], f"2024-01-{1 + i:02d}") for i in range(20)]
    (folder / "r.csv").write_text(
        "age,city,day,label\n"
        + "".join(f"{age}.5,{city},{day},{'ab'[age < 30]}\n" for age, city, day in rows)
    )
    run("fit", "r.csv", "--model", "neighbors")
    asked = {"age": 37.5, "city": "Ulm", "day": "2024-01-04"}
    out = run("explain", "r.wb", json.dumps(asked)).out
    lines = {line.split()[0]: line.split()[1:] for line in out.splitlines() if line.split()}
    assert lines["age"][:3] == ["37.5", "37.5", "35.5"]
    assert lines["day"][:3] == ["2024-01-04", "2024-01-03", "*"]
    assert "Cells with * differ" in out
    fact = json.loads(run("explain", "r.wb", json.dumps(asked), "--json").out)[0]
    assert fact["row"] == asked | {"age": "37.5"}
    years = float(fact["moves_alone"]["age"].removeprefix("less than "))
    days = float(fact["moves_alone"]["day"].removeprefix("less than ").removesuffix(" days"))
    assert years == pytest.approx(days, rel=0.01)  # both columns have a range of 19
    row = {"age": 37.5, "city": "Ulm", "day": 19726.0}
    moved = [
        row | {name: row[name] + move}
        for name in ("age", "day")
        for move in (0.999 * years, -0.999 * years)
    ]
    assert set(wideberth.load("r.wb").predict(moved)) == {fact["label"]} == {"a"}


def test_explain_of_molecules_says_what_is_not_searched(folder, run):
    pytest.importorskip("rdkit")
    (folder / "m.smi").write_text("smiles label\nCCO a\nCCCO a\nc1ccccc1 b\nc1ccccc1C b\n")
    run("fit", "m.smi", "--model", "neighbors")
    out = run("explain", "m.wb", "CCCCO").out
    assert "CCCO" in out
    assert "is searched for in strings, vectors and series only" in out


@pytest.mark.few(3)
@pytest.mark.parametrize("name", CLASSIFIERS)
def test_every_model_answers_every_command(folder, run, name):
    (folder / "drinks.csv").write_text(DRINKS)
    run("fit", "drinks.csv", "--target", "kind", "--column", "drink", "--model", name, "-o", "x.wb")
    for command in (
        ("info", "x.wb"),
        ("explain", "x.wb", "tea"),
        ("evaluate", "x.wb", "drinks.csv"),
        ("certify", "x.wb", "drinks.csv"),
    ):
        assert run(*command).out
        json.loads(run(*command, "--json").out)
    assert len(run("predict", "x.wb", "drinks.csv", "--examples", "2").rows) == 10


def test_quiet_prints_answers_only(folder, run, model):
    options = ("--target", "kind", "-o", "q.wb", "--model", "neighbors", "--quiet")
    assert run("fit", "drinks.csv", *options) == ("", "")
    (folder / "new.csv").write_text("drink,label\nTEA,x\n")
    loud, quiet = run("predict", model, "new.csv"), run("--quiet", "predict", model, "new.csv")
    assert loud.err
    assert (quiet.out, quiet.err) == (loud.out, "")
    assert "nowhere.csv" in run("predict", model, "nowhere.csv", "--quiet", code=2).err, (
        "errors are said all the same"
    )


def test_explain_takes_trees_as_their_file_has_them_or_bare(folder, run):
    trees = [["A", [["B", []]]], ["A", [["B", []], ["B", []]]], ["Z", []], ["Z", [["C", []]]]]
    lines = [json.dumps({"tree": tree, "label": "ab"[tree[0] == "Z"]}) for tree in trees * 2]
    (folder / "t.jsonl").write_text("\n".join(lines) + "\n")
    run("fit", "t.jsonl", "--model", "neighbors")
    for typed in ('["A", [["C", []]]]', '{"tree": ["A", [["C", []]]]}'):
        assert ": a (" in run("explain", "t.wb", typed).out


def test_ties_have_no_lead(folder, run):
    (folder / "t.csv").write_text("word,label\ntea,a\ntee,b\nrum,a\nrom,b\n")
    run("fit", "t.csv", "--model", "neighbors", "--param", "n_neighbors=2")
    (folder / "new.csv").write_text("word\nten\n")
    assert run("predict", "t.wb", "new.csv").rows[0]["lead"] == "0"


TEAS, RUMS = (
    ["tea", "teas", "tee", "team", "ten", "tear"],
    ["rum", "rums", "rumor", "rim", "ram", "rom"],
)


def test_a_calibrated_model_tells_the_probability_of_each_label(run, folder):
    rows = [*(f"{word},soft" for word in TEAS), *(f"{word},hard" for word in RUMS)]
    (folder / "d.csv").write_text("\n".join(["name,kind", *rows]) + "\n")
    run("fit", "d.csv", "--target", "kind", "--model", "neighbors", "--param", "n_neighbors=3")
    answers = run("predict", "d.wb", "d.csv").rows
    expected = wideberth.load("d.wb").predict_proba(TEAS + RUMS)
    for row, chances in zip(answers, expected, strict=True):
        assert float(row["probability"]) == pytest.approx(chances.max(), abs=1e-4)
        assert float(row["probability"]) <= chances.max()
        assert row["label"] == ["hard", "soft"][chances.argmax()]
    lines = [
        json.loads(line) for line in run("predict", "d.wb", "d.csv", "--json").out.splitlines()
    ]
    assert [line["probability"] for line in lines] == [float(row["probability"]) for row in answers]
    assert list(lines[0])[2:5] == ["label", "probability", "lead"]
    for model in ("lipschitz", "margin"):
        run(
            "fit",
            "d.csv",
            "--target",
            "kind",
            "--model",
            model,
            "--param",
            "calibrate=2",
            "--force",
        )
        assert 0.5 <= float(run("predict", "d.wb", "d.csv").rows[0]["probability"]) <= 1
    run("fit", "d.csv", "--target", "kind", "--model", "lipschitz", "--force")
    assert "probability" not in run("predict", "d.wb", "d.csv").rows[0]
    explained = json.loads(run("explain", "d.wb", "tea", "--json").out)
    assert "probability" not in explained[0]


@pytest.mark.parametrize(
    "metric", ["total(ngrams, normalized_levenshtein)", "total(ngrams, rare_ngrams)"]
)
def test_objects_of_a_sum_are_shown_where_a_part_of_it_still_has_them(run, folder, metric):
    names = ["Anna", "Hanna", "Joanna", "Mark", "Marko", "Jack"]
    rows = "".join(
        f"{name},{'f' if name.endswith('anna') or name == 'Anna' else 'm'}\n" for name in names
    )
    (folder / "t.csv").write_text(f"name,sex\n{rows}")
    run(
        "fit",
        "t.csv",
        "--target",
        "sex",
        "--model",
        "svm",
        "--param",
        "repair=clip",
        "--metric",
        metric,
        "-o",
        "m.wb",
    )
    model = wideberth.load(folder / "m.wb")
    wideberth.save(model, folder / "bare.wb")  # without the names that `fit` notes
    shown = "Anna" if "levenshtein" in metric else "object 0"
    assert f"    {shown} " in run("explain", "bare.wb", "Anna").out


@pytest.mark.parametrize("said", [["--no-header"], []], ids=["said", "recognised"])
def test_a_model_of_a_file_without_a_header_reads_such_files(folder, run, said):
    rows = "".join(f"{'red' if i % 2 else 'blue'},{i},{'ab'[i % 2]}\n" for i in range(12))
    (folder / "t.csv").write_text(rows)
    (folder / "new.csv").write_text("red,3\nblue,4\n")
    (folder / "one.csv").write_text("red,3\n")
    run("fit", "t.csv", *said, "--target", "3", "--model", "neighbors", "-o", "t.wb")
    assert [row["label"] for row in run("predict", "t.wb", "new.csv").rows] == ["b", "a"]
    assert [row["label"] for row in run("predict", "t.wb", "one.csv").rows] == ["b"]
    assert " answers are wrong: 0.0%" in run("evaluate", "t.wb", "t.csv").out
    (folder / "named.csv").write_text("1,2\nred,3\n")
    assert len(run("predict", "t.wb", "named.csv", "--header").rows) == 1
