"""Whoever has a file gets what they meant, is told what was understood, and is never given less
than that in silence.
"""

import json
import re

import numpy as np
import pytest

import wideberth
from wideberth.geometry.measure import parallel

DRINKS = "drink,kind\n" + "".join(
    f"{drink},{kind}\n"
    for kind, drinks in (
        ("soft", ["tea", "tee", "ten", "milk", "mild"]),
        ("hard", ["rum", "rom", "ram", "gin", "gun"]),
    )
    for drink in drinks
)
TOWNS, STATES = ("Bonn", "Ulm"), ("well", "ill")
PEOPLE = "id,age,height,city,admitted,state\n" + "".join(
    f'P{i:03},{30 + i % 3 + 30 * (i % 2)},"1,{60 + i}",{TOWNS[i % 2]},2024-0{1 + i % 9}-15,{STATES[i % 2]}\n'
    for i in range(20)
)


@pytest.fixture
def files(folder):
    """A folder with a table of words and one of people."""
    (folder / "drinks.csv").write_text(DRINKS)
    (folder / "people.csv").write_text(PEOPLE)
    return folder


def test_every_column_has_a_line_with_its_use(files, run):
    out = run("fit", "people.csv", "--target", "state", "--model", "neighbors").out
    uses = {line.split()[0]: line.split()[1] for line in out.splitlines()[:6]}
    assert uses == {
        "id": "identifier",
        "age": "number",
        "height": "number",
        "city": "category",
        "admitted": "date",
        "state": "label",
    }
    assert "state     label (named with --target)" in out
    assert "Metric: gower, chosen because the objects are rows." in out


def test_no_column_is_dropped_and_identifiers_are_no_features(files, run):
    run("fit", "people.csv", "--target", "state", "--model", "neighbors", "--model", "neighbors")
    model = wideberth.load("people.wb")
    assert set(model.metric_.ranges) == {"age", "height", "city", "admitted"}
    answers = run("predict", "people.wb", "people.csv", "--examples", "1").rows
    assert list(answers[0]) == [
        *("id", "age", "height", "city", "admitted", "state"),
        *(
            "label",
            "probability",
            "lead",
            "radius",
            "nearest_1",
            "nearest_1_label",
            "nearest_1_distance",
        ),
    ]
    assert [row["nearest_1"] for row in answers] == [row["id"] for row in answers]
    assert answers[0]["height"] == "1,60"


def test_decimal_commas_and_dates_are_numbers(files, run):
    out = run("fit", "people.csv", "--target", "state", "--model", "neighbors").out
    assert "decimal commas: 1,5 is 1.5" in out
    assert "days since 1970-01-01" in out
    assert wideberth.load("people.wb").metric_.ranges["height"] == pytest.approx(0.19)


def test_two_columns_of_texts_are_a_table_and_a_metric_of_texts_asks_for_one(files, run):
    (files / "two.csv").write_text("first,last,sex\nann,lee,f\nbob,ray,m\nann,may,f\nbob,lou,m\n")
    assert "gower" in run("fit", "two.csv", "--target", "sex", "--model", "neighbors").out
    failed = run(
        "fit", "two.csv", "--target", "sex", "--metric", "levenshtein", "-o", "x.wb", code=2
    )
    assert (
        "'levenshtein' measures strings, and the objects are rows of 2 columns: 'first', 'last'"
        in failed.err
    )
    assert (
        "by levenshtein"
        in run(
            "fit",
            "two.csv",
            "--target",
            "sex",
            "--metric",
            "levenshtein",
            "--column",
            "last",
            "--force",
        ).out
    )


def test_labels_are_stripped_and_it_is_said_or_kept_exactly(files, run):
    (files / "v.csv").write_text("word,label\ntea,a\ntee, a\nrum,True\nrye,true\n")
    done = run("fit", "v.csv", "--model", "neighbors")
    assert "4 objects of 3 classes" in done.out
    assert "spaces around 1 label were removed; --exact-labels keeps them" in done.out
    assert "'True' (1) and 'true' (1) differ only in spelling" in done.err
    assert (
        "4 objects of 4 classes"
        in run("fit", "v.csv", "--model", "neighbors", "--exact-labels", "--force").out
    )


def test_one_class_is_an_error_and_no_model(files, run):
    (files / "one.csv").write_text("word,label\ntea,a\ntee,a\n")
    assert (
        "all 2 objects have the label 'a': there is nothing to tell apart"
        in run("fit", "one.csv", code=2).err
    )
    assert not (files / "one.wb").exists()


def test_a_directory_of_fasta_files_is_read_as_sequences(files, run):
    for label, letters in (("pos", "ACGT"), ("neg", "TTGA")):
        (files / "genes" / label).mkdir(parents=True)
        (files / "genes" / label / "a.fasta").write_text(
            "".join(f">{label}{i}\n{letters}{'A' * i}\n" for i in range(4))
        )
    out = run("fit", "genes", "--model", "neighbors").out
    assert "8 objects of 2 classes: neg 4, pos 4" in out
    assert "sequence" in out
    assert ">" not in "".join(wideberth.load("genes.wb").state()["objects"])


def test_one_file_for_each_class(files, run):
    (files / "pos.fasta").write_text("".join(f">p{i}\nACGT{'A' * i}\n" for i in range(4)))
    (files / "neg.fasta").write_text("".join(f">n{i}\nTTGA{'G' * i}\n" for i in range(4)))
    assert (
        "8 objects of 2 classes: pos 4, neg 4"
        in run("fit", "pos.fasta", "neg.fasta", "-o", "dna.wb", "--model", "neighbors").out
    )
    assert json.loads(run("info", "dna.wb", "--json").out)["data"] == ["pos.fasta", "neg.fasta"]
    assert " answers are wrong: 0.0%" in run("evaluate", "dna.wb", "pos.fasta", "neg.fasta").out


def test_fasta_without_labels_is_told_of_headers_and_files_not_of_columns(files, run):
    (files / "all.fasta").write_text(">a\nACGT\n>b\nTTGA\n")
    failed = run("fit", "all.fasta", code=2).err
    assert "Write label=... into the headers" in failed
    assert "--target" not in failed
    (files / "labels.csv").write_text("id,label\nb,neg\na,pos\n")
    assert (
        "2 classes: pos 1, neg 1"
        in run("fit", "all.fasta", "--labels", "labels.csv", "--model", "neighbors").out
    )


def test_a_bare_table_of_distances(files, run):
    points = np.arange(8.0) + 9 * (np.arange(8) > 3)
    np.savetxt(files / "bare.csv", abs(points[:, None] - points), delimiter=",")
    (files / "labels.txt").write_text("\n".join("aaaabbbb"))
    done = run(
        "fit",
        "bare.csv",
        "--labels",
        "labels.txt",
        "--declare",
        "obeys_triangle",
        "--model",
        "neighbors",
    )
    assert "Metric: the distances in the file, of which obeys_triangle is declared" in done.out
    answers = run("predict", "bare.wb", "bare.csv").rows
    assert [row["label"] for row in answers] == list("aaaabbbb")
    assert float(answers[0]["radius"]) > 0


def test_numbers_that_would_overflow_are_a_sentence_without_warnings(files, run):
    (files / "big.csv").write_text("p,q,label\n1e200,2,a\n-1e200,3,a\n1e308,4,b\n-1e308,5,b\n")
    failed = run("fit", "big.csv", code=2).err
    assert "their squares would overflow" in failed
    assert "RuntimeWarning" not in failed
    assert len(failed.splitlines()) == 1


def test_bad_records_are_skipped_on_request_and_listed(files, run):
    (files / "bad.csv").write_text("p,q,label\n1,2,a\nx,3,a\n3,4,b\n3,5,b\n")
    failed = run("fit", "bad.csv", code=2).err
    assert "bad.csv, line 3" in failed
    out = run("fit", "bad.csv", "--on-error", "skip", "--model", "neighbors").out
    assert "1 record was skipped (--on-error skip):" in out
    assert "line 3: " in out
    assert "3 objects of 2 classes" in out


def test_weights_and_groups_are_no_features(files, run):
    lines = [f"{i % 7}.5,{i % 5},{1 + i % 2},g{i // 4},{'ab'[i % 2]}" for i in range(40)]
    (files / "w.csv").write_text("p,q,w,g,label\n" + "\n".join(lines) + "\n")
    done = run("fit", "w.csv", "--weight", "w", "--groups", "g", "--model", "neighbors")
    assert "without --tune there are no folds" in done.err
    assert wideberth.load("w.wb").n_features_in_ == 2
    searched = ("--model", "lipschitz", "--tune", "--param", "C=[2,5]", "--param", "cv=2")
    done = run("fit", "w.csv", "--weight", "w", "--groups", "g", "--force", *searched)
    assert done.err == ""
    assert "Chosen by cross-validation: C = " in done.out
    done = run(
        "fit",
        "w.csv",
        "--weight",
        "w",
        "--groups",
        "g",
        "--force",
        "--param",
        "candidates=neighbors",
    )
    assert done.err == ""
    assert re.search(r"compared with \d+ others?, ", done.out)
    assert (
        "3 folds"
        in run("compare", "w.csv", "--groups", "g", "--folds", "3", "--model", "neighbors").out
    )


def test_facts_for_programs(files, run):
    facts = json.loads(run("fit", "people.csv", "--target", "state", "--json").out)
    assert facts["metric"] == "gower"
    assert facts["metric_chosen"]
    assert facts["classes"] == {"ill": 10, "well": 10}
    assert facts["columns"][0]["use"] == "identifier"
    assert facts["file"] == "people.wb"
    tried = {row["metric"] for row in facts["leaderboard"]}
    assert {"gower", "forest"} <= tried <= {"gower", "forest", "gower + forest", "forest + gower"}
    assert facts["leaderboard"][0]["why"].startswith("chosen")
    assert 0 <= facts["leaderboard"][0]["error"] <= facts["expected_error"] <= 1
    assert (
        facts["training_error"] is None
    )  # objects left out tell more, and nothing is measured again
    facts = json.loads(
        run(
            "fit", "people.csv", "--target", "state", "--json", "--force", "--model", "neighbors"
        ).out
    )
    assert 0 <= facts["training_error"] <= 1


def test_many_alike_columns_share_a_line(files, run):
    random = np.random.default_rng(0)
    header = ",".join(f"v{i}" for i in range(40))
    rows = "\n".join(
        ",".join(f"{value:.3f}" for value in random.normal(size=40)) + f",{'ab'[i % 2]}"
        for i in range(12)
    )
    (files / "wide.csv").write_text(f"{header},label\n{rows}\n")
    out = run("fit", "wide.csv", "--model", "neighbors").out
    assert "v0 to v39 (40 columns)  number" in out
    assert "chosen because the objects are vectors" in out


def test_numbers_that_can_be_read_in_two_ways_are_refused_with_the_flag_to_say_it(files, run):
    cells = [f"{1 + i % 2},{100 + 7 * i}" for i in range(8)]
    lines = "".join(f'"{cell}",{"ab"[i % 2]}\n' for i, cell in enumerate(cells))
    (files / "prices.csv").write_text(f"price,label\n{lines}")
    failed = run("fit", "prices.csv", "--model", "neighbors", code=2).err
    assert "it is open what '1,100' in column 'price' means" in failed
    assert "--numbers 'price=1,5'" in failed
    run("fit", "prices.csv", "--model", "neighbors", "--numbers", "price=1,5")
    assert wideberth.load("prices.wb")._objects.max() < 3
    assert "it is open" in run("predict", "prices.wb", "prices.csv", code=2).err
    assert len(run("predict", "prices.wb", "prices.csv", "--numbers", "price=1,5").rows) == 8


def test_long_strings_are_searched_in_many_steps_so_that_progress_is_seen(files, run, monkeypatch):
    steps = []
    follow = parallel.follow

    def followed(results, what, total):
        steps.append((what, total))
        return follow(results, what, total)

    monkeypatch.setattr("wideberth.geometry.measure.parallel.follow", followed)
    lines = "".join(f"{'ACGT' * 500}{'A' * i},{'ab'[i % 2]}\n" for i in range(30))
    (files / "long.csv").write_text(f"dna,label\n{lines}")
    run("fit", "long.csv", "--model", "neighbors", "--param", "n_neighbors=1")
    assert max(total for what, total in steps if what == "neighbours") >= 4


def test_columns_of_different_units_are_measured_by_their_spread(files, run):
    lines = "".join(
        f"{1.6 + i / 100:.2f},{60 + 7 * i % 20},{20_000 + 137 * i * i % 9_000},{'ab'[i % 2]}\n"
        for i in range(20)
    )
    (files / "people.csv").write_text(f"metres,kilograms,euros,label\n{lines}")
    out = run("fit", "people.csv", "--model", "neighbors").out
    assert (
        "Metric: standardized, chosen because the objects are vectors, and the spread of one "
        "column is" in out
    )
    assert "NeighborsClassifier by standardized distance" in out
    assert (
        run(
            "fit", "people.csv", "--model", "neighbors", "--metric", "euclidean", "--force"
        ).out.count("euclidean")
        == 2
    )


def test_columns_of_numbers_without_an_example_are_not_dropped_beside_those_with_one(folder, run):
    (folder / "people.csv").write_text("age;price;kind\n12;1,5;a\n30;2,5;b\n")
    options = ("doctor", "people.csv", "--target", "kind", "--numbers")
    err = run(*options, "age", "--numbers", "price=1,5", code=2).err
    assert "--numbers age has no example" in err
    assert "--numbers age=1.5" in err
    assert "decimal commas" in run(*options, "age=1.5", "--numbers", "price=1,5").out


def test_the_name_of_a_training_column_may_have_an_equals_sign(folder, run):
    """What a model remembers are names of columns; only what was typed has examples."""
    people = "".join(f"{n},{'xy'[n % 2]},{n % 2},{'ab'[n % 2]}\n" for n in range(12))
    (folder / "people.csv").write_text("a=b,word,size,kind\n" + people)
    run("fit", "people.csv", "--target", "kind", "--model", "neighbors", "--output", "p.wb")
    assert "12 objects" in run("evaluate", "p.wb", "people.csv", "--target", "kind").out
