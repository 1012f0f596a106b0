"""From a file of labelled objects to the labels of new ones."""

import csv
import io
import json
import math
import re
import signal
import subprocess
import sys
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest

import wideberth
from wideberth.cli.main import main
from wideberth.io.readers.records import KINDS
from wideberth.metrics.named import KNOWN_KINDS, NAME_IN_DATA

NAMES = str(files("wideberth.datasets") / "first_names.csv")
DRINKS = "drink,kind\n" + "".join(
    f"{drink},{kind}\n"
    for kind, drinks in (
        ("soft", ["tea", "tee", "ten", "milk", "mild"]),
        ("hard", ["rum", "rom", "ram", "gin", "gun"]),
    )
    for drink in drinks
)


@pytest.fixture
def run(monkeypatch, capsys, tmp_path):
    """Run a command here, in an empty directory: its exit code, standard output and standard
    error.
    """
    monkeypatch.chdir(tmp_path)
    (tmp_path / "drinks.csv").write_text(DRINKS)

    def command(*arguments):
        monkeypatch.setattr(sys, "argv", ["wideberth", *map(str, arguments)])
        with pytest.raises(SystemExit) as done:
            main()
        captured = capsys.readouterr()
        assert "Traceback" not in captured.err
        return done.value.code, captured.out, captured.err

    return command


def rows(text):
    return list(csv.DictReader(io.StringIO(text)))


def test_margin_neighbours_say_what_they_keep_and_prove(run, tmp_path):
    (tmp_path / "points.csv").write_text(
        "x,y,kind\n" + "".join(f"{i % 7},{i // 7},{'ab'[i % 7 > 3]}\n" for i in range(70))
    )
    code, out, err = run(
        "fit", "points.csv", "--target", "kind", "--model", "margin", "--metric", "minkowski(p=3)"
    )
    assert (code, err) == (0, "")
    for words in (
        "minkowski",
        "apart at least",
        "14 set aside to measure errors",
        "errs on a new object is at most",
        "(holdout)",
    ):
        assert words in out
    (tmp_path / "new.csv").write_text("x,y\n0,5\n6,5\n")
    code, out, err = run("predict", "points.wb", "new.csv")
    assert [row["label"] for row in rows(out)] == ["a", "b"]
    assert all(float(row["radius"]) > 0 for row in rows(out))
    code, _, err = run(
        "fit", "points.csv", "--target", "kind", "--model", "margin", "-C", "5", "--force"
    )
    assert code == 2
    assert "C = 5.0 has no meaning for margin" in err


def test_fit_says_what_was_learned_and_predict_answers(run, tmp_path):
    code, out, err = run(
        "fit",
        "drinks.csv",
        "--target",
        "kind",
        "--model",
        "lipschitz",
        "-C",
        "25",
        "-o",
        "drinks.wb",
    )
    assert (code, err) == (0, "")
    for words in (
        "10 objects",
        "2 classes: soft 5, hard 5",
        "levenshtein",
        "C = 25",
        "Lipschitz constant",
        "margin",
        "drinks.wb",
    ):
        assert words in out
    (tmp_path / "new.csv").write_text("number,drink\n1,tean\n2,rumi\n")
    code, out, err = run("predict", "drinks.wb", "new.csv")
    assert (code, err) == (0, "")
    model = wideberth.load("drinks.wb")
    new = ["tean", "rumi"]
    assert [(row["number"], row["drink"]) for row in rows(out)] == [("1", "tean"), ("2", "rumi")]
    assert list(rows(out)[0]) == ["number", "drink", "label", "lead", "safe_edits"]
    assert [row["label"] for row in rows(out)] == model.predict(new).tolist() == ["soft", "hard"]
    assert [float(row["lead"]) for row in rows(out)] == pytest.approx(
        abs(model.decision_function(new)), rel=1e-3
    )
    assert [int(row["safe_edits"]) for row in rows(out)] == (
        np.ceil(model.certified_radius(new)) - 1
    ).tolist()


@pytest.mark.slow
def test_the_whole_path_works_as_people_run_it_and_through_pipes(tmp_path):
    def wide(*arguments, **options):
        return subprocess.run(
            [sys.executable, "-m", "wideberth", *arguments],
            capture_output=True,
            cwd=tmp_path,
            **options,
        )

    done = wide("fit", "-", "--target", "kind", input=DRINKS.encode())
    assert done.returncode == 0, done.stderr
    assert b"model.wb" in done.stdout
    done = wide("predict", "model.wb", "-", input="drink\ntea\nwhisky\nthé\n".encode())
    assert done.returncode == 0, done.stderr
    assert [row["drink"] for row in rows(done.stdout.decode())] == ["tea", "whisky", "thé"]
    assert (
        "have characters that no training object has: 'h', 's', 'w', 'y', 'é'"
        in done.stderr.decode()
    )


def test_where_no_radius_is_certified_it_is_said_once(run, tmp_path):
    points = "".join(f"{place},{place % 3},{'low' if place < 5 else 'up'}\n" for place in range(10))
    (tmp_path / "points.csv").write_text(f"x,y,kind\n{points}", encoding="utf-8")
    uncertain = ("--model", "neighbors", "--metric", "minkowski(p=0.5)")
    assert run("fit", "points.csv", "--target", "kind", *uncertain)[0] == 0
    code, out, err = run("predict", "points.wb", "points.csv", "-o", "out.csv")
    assert (code, out) == (0, "")
    assert err.count("no radius is certified") == 1
    answered = rows((tmp_path / "out.csv").read_text(encoding="utf-8"))
    assert len(answered) == 10
    assert {row["radius"] for row in answered} == {""}
    assert all(float(row["lead"]) >= 0 for row in answered)


def test_neighbors_have_radii(run):
    assert run("fit", "drinks.csv", "--target", "kind", "--model", "neighbors")[0] == 0
    code, out, err = run("predict", "drinks.wb", "drinks.csv")
    assert (code, err) == (0, "")
    assert max(int(row["safe_edits"]) for row in rows(out)) > 0


@pytest.mark.parametrize("model", ["lipschitz", "lp"])
def test_a_small_price_of_errors_is_said_in_words(run, model):
    code, out, _ = run("fit", "drinks.csv", "--target", "kind", "--model", model, "-C", "0.01")
    assert code == 0
    assert "every object gets the label" in out


def test_the_lp_machine_says_how_many_references_it_needs(run):
    code, out, err = run("fit", "drinks.csv", "--target", "kind", "--model", "lp", "-C", "100")
    assert (code, err) == (0, "")
    model = wideberth.load("drinks.wb")
    assert model.C == 100
    assert f"of 10 objects {len(model.references_)} are references" in out
    assert "Lipschitz constant at most" in out
    radii = [int(row["safe_edits"]) for row in rows(run("predict", "drinks.wb", "drinks.csv")[1])]
    proved = model.certified_radius(
        ["tea", "tee", "ten", "milk", "mild", "rum", "rom", "ram", "gin", "gun"]
    )
    assert radii == np.maximum(np.ceil(proved) - 1, 0).tolist()


def test_the_svm_says_why_its_kernel_is_valid_or_what_was_done_to_it(run, monkeypatch):
    code, out, err = run("fit", "drinks.csv", "--target", "kind", "--model", "svm", "-C", "100")
    assert (code, err) == (0, "")
    model = wideberth.load("drinks.wb")
    assert model.C == 100
    assert f"of 10 objects {len(model.references_)} are references" in out
    assert str(model.kernel_report_) in out
    code, out, err = run("predict", "drinks.wb", "drinks.csv")
    assert (
        "no radius is certified" not in err
    )  # the kernel may be repaired: edits obey the triangle inequality
    proved = model.certified_radius([row["drink"] for row in rows(out)])
    assert (proved > 0).all()
    assert [int(row["safe_edits"]) for row in rows(out)] == (np.ceil(proved) - 1).tolist()
    assert {row["label"] for row in rows(out)} == {"soft", "hard"}
    Path("points.csv").write_text(
        "x,y,kind\n" + "".join(f"{i % 7},{i // 7},{'ab'[i % 7 > 3]}\n" for i in range(70))
    )
    code, out, err = run("fit", "points.csv", "--target", "kind", "--model", "svm")
    assert "the metric promises hilbertian" in out
    assert all(
        float(row["radius"]) > 0 for row in rows(run("predict", "points.wb", "points.csv")[1])
    )
    monkeypatch.setattr("wideberth.cli.fit.MAX_MEMORY", "40KB")
    code, out, err = run("fit", "points.csv", "--target", "kind", "--model", "svm", "--force")
    assert (code, err) == (0, "")
    landmarks = wideberth.load("points.wb").landmarks
    assert 2 <= landmarks < 70
    assert f"of 70 objects {landmarks} are references" in out
    assert "Landmarks leave out" in out


def test_the_svm_proves_labels_after_edits_of_long_strings(run):
    strings = [letter * 12 + end for letter in "ab" for end in ("", "c", "d", "cd", "dc")]
    Path("long.csv").write_text(
        "string,kind\n" + "".join(f"{string},{string[0]}\n" for string in strings)
    )
    run("fit", "long.csv", "--target", "kind", "--model", "svm", "--metric", "levenshtein")
    safe = [int(row["safe_edits"]) for row in rows(run("predict", "long.wb", "long.csv")[1])]
    assert min(safe) >= 1
    assert max(safe) < 12  # as many would make the other letter of each


def test_batches_give_the_same_answers_as_all_at_once(run, monkeypatch):
    run("fit", "drinks.csv", "--target", "kind", "--model", "lipschitz")
    whole = run("predict", "drinks.wb", "drinks.csv")[1]
    monkeypatch.setattr("wideberth.cli.predict.BATCH", 3)
    assert run("predict", "drinks.wb", "drinks.csv")[1] == whole


def test_columns_are_remembered_by_name_and_order(run, tmp_path):
    points = np.random.default_rng(0).normal(size=(30, 2))
    lines = [f"{x},{y},{'abc'[number % 3]}" for number, (x, y) in enumerate(points)]
    (tmp_path / "points.csv").write_text("width,height,label\n" + "\n".join(lines))
    (tmp_path / "new.csv").write_text(
        "height,id,width\n" + "\n".join(f"{y},7,{x}" for x, y in points)
    )
    code, out, err = run("fit", "points.csv", "--model", "lipschitz")
    assert (code, err) == (0, "")
    code, out, err = run("predict", "points.wb", "new.csv")
    assert (code, err) == (0, "")
    model = wideberth.load("points.wb")
    assert [row["label"] for row in rows(out)] == model.predict(points).tolist()
    assert list(rows(out)[0])[:3] == ["height", "id", "width"]
    assert [float(row["width"]) for row in rows(out)] == points[:, 0].tolist()
    top = np.sort(model.decision_function(points), axis=1)
    assert [float(row["lead"]) for row in rows(out)] == pytest.approx(
        top[:, -1] - top[:, -2], rel=1e-3
    )
    code, _, err = run("predict", "points.wb", "drinks.csv")
    assert code == 2
    assert "there is no column 'width'" in err
    np.save(tmp_path / "new.npy", points)
    assert [
        row["label"] for row in rows(run("predict", "points.wb", "new.npy")[1])
    ] == model.predict(points).tolist()


def test_a_matrix_of_distances_and_rows_of_new_ones(run, tmp_path):
    points = np.random.default_rng(0).normal(size=(20, 2))
    np.savez(
        tmp_path / "table.npz", distances=wideberth.pairwise_distances(points), labels=[0, 1] * 10
    )
    new = wideberth.pairwise_distances(points[:3] + 0.1, points)
    np.save(tmp_path / "new.npy", new)
    assert run("fit", "table.npz", "--model", "neighbors")[0] == 0
    code, out, err = run("predict", "table.wb", "new.npy")
    assert code == 0
    assert "no radius is certified" in err
    assert [int(row["label"]) for row in rows(out)] == wideberth.load("table.wb").predict(
        new
    ).tolist()


def test_series_and_sets(run, tmp_path):
    (tmp_path / "s.jsonl").write_text(
        "".join(json.dumps({"v": [number, 1.5], "label": number % 2}) + "\n" for number in range(8))
    )
    assert "msm" in run("fit", "s.jsonl", "--model", "neighbors")[1]
    assert len(rows(run("predict", "s.wb", "s.jsonl")[1])) == 8
    (tmp_path / "b.csv").write_text(
        "bag,label\n"
        + "".join(f"a b{number % 3} c{number % 2},{number % 2}\n" for number in range(8))
    )
    assert "jaccard" in run("fit", "b.csv", "--kind", "sets", "--model", "neighbors")[1]
    assert [row["label"] for row in rows(run("predict", "b.wb", "b.csv")[1])] == list("01") * 4


def test_labels_in_a_file_of_new_objects_are_left_alone(run, tmp_path):
    run("fit", "drinks.csv", "--target", "kind", "--model", "lipschitz")
    (tmp_path / "new.csv").write_text("drink,label\ntea,\nrum,?\n")
    np.savez(tmp_path / "new.npz", X=np.array(["tea", "rum"]), y=np.array([np.nan, 1]))
    code, out, err = run("predict", "drinks.wb", "new.csv")
    assert code == 0
    assert "the input has a column 'label': the answer is in 'predicted_label'" in err
    assert [(row["label"], row["predicted_label"]) for row in rows(out)] == [
        ("", "soft"),
        ("?", "hard"),
    ]
    code, out, err = run("predict", "drinks.wb", "new.npz")
    assert (code, err) == (0, "")
    assert [(row["object"], row["label"]) for row in rows(out)] == [
        ("tea", "soft"),
        ("rum", "hard"),
    ]


def test_models_saved_from_python_are_asked_too(run, tmp_path):
    wideberth.save(
        wideberth.NeighborsClassifier("levenshtein", n_neighbors=1).fit(
            ["1", "22"], ["one", "many"]
        ),
        "digits.wb",
    )
    (tmp_path / "new.csv").write_text("digits\n3\n122\n")
    assert [row["label"] for row in rows(run("predict", "digits.wb", "new.csv")[1])] == [
        "one",
        "many",
    ]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("fit", "drinks.csv"), "no column of labels was found. Name it with --target"),
        (("fit", "drinks.csv", "--column", "drink"), "--target"),
        (("fit", "drinks.csv", "--target", "kid"), "Did you mean 'kind'?"),
        (("fit", "drinks.csv", "--target", "kind", "--metric", "hamming"), "equal length"),
        (
            ("fit", "drinks.csv", "--target", "kind", "--model", "lipschitz", "-C", "-1"),
            "C=-1.0 does not fit",
        ),
        (
            ("fit", "drinks.csv", "--target", "kind", "--model", "neighbors", "-C", "5"),
            "no meaning",
        ),
        (("fit", "drinks.csv", "--target", "kind", "--model", "forest"), "forest"),
        (("fit", "drinks.csv", "--target", "kind", "-o", "no/where.wb"), "cannot be written"),
        (("fit", "heights.jsonl"), "measurement"),
        (("fit", "shelves.jsonl"), "There is no usual metric for the objects"),
        (("predict", "drinks.csv", "drinks.csv"), "not a model file"),
        (("predict", "nowhere.wb", "drinks.csv"), "cannot be opened"),
        (
            ("compare", "drinks.csv", "--target", "kind", "--folds", "9"),
            "Choose --folds from 2 to 5",
        ),
        (("compare", "drinks.csv", "--target", "kind", "--max-memory", "tea"), "not a size"),
    ],
)
def test_problems_are_sentences_and_leave_no_file(run, tmp_path, arguments, message):
    (tmp_path / "heights.jsonl").write_text(
        '{"name": "Ann", "label": 1.75}\n{"name": "Bob", "label": 1.8}\n'
    )
    (tmp_path / "shelves.jsonl").write_text(
        '{"v": {"shelf": 1}, "label": 1}\n{"v": {"shelf": 2}, "label": 2}\n'
    )
    before = sorted(tmp_path.iterdir())
    code, _, err = run(*arguments)
    assert code == 2
    assert message in " ".join(err.replace("│", " ").split())
    assert sorted(tmp_path.iterdir()) == before


def test_an_error_in_the_middle_leaves_the_old_answers(run, tmp_path, monkeypatch):
    monkeypatch.setattr("wideberth.cli.predict.BATCH", 3)
    run("fit", "drinks.csv", "--target", "kind", "--model", "lipschitz")
    (tmp_path / "new.csv").write_text("drink,x\n" + "tea,1\n" * 300 + "tea,1,1\n")
    (tmp_path / "out.csv").write_text("old")
    before = sorted(tmp_path.iterdir())
    code, _, err = run("predict", "drinks.wb", "new.csv", "-o", "out.csv")
    assert code == 2
    assert "line 302" in err
    assert (tmp_path / "out.csv").read_text() == "old"
    assert sorted(tmp_path.iterdir()) == before


def test_ctrl_c_stops_with_130_and_leaves_no_half_file(run, tmp_path):
    run("fit", "drinks.csv", "--target", "kind", "--model", "lipschitz")
    before = sorted(tmp_path.iterdir())
    process = subprocess.Popen(
        [sys.executable, "-m", "wideberth", "predict", "drinks.wb", "-", "-o", "out.csv"],
        cwd=tmp_path,
        stdin=subprocess.PIPE,
        stderr=subprocess.PIPE,
        preexec_fn=lambda: signal.signal(
            signal.SIGINT, signal.SIG_DFL
        ),  # a shell lets its background jobs ignore Ctrl-C
    )
    process.stdin.write(
        b"drink\n" + b"tea\n" * 100_000
    )  # more than a pipe holds: written only if somebody reads
    process.stdin.flush()
    process.send_signal(signal.SIGINT)
    _, err = process.communicate()
    assert process.returncode == 130
    assert b"Traceback" not in err
    assert sorted(tmp_path.iterdir()) == before


def test_a_person_at_a_terminal_sees_signs_of_life(run, monkeypatch):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    assert run("fit", "drinks.csv", "--target", "kind", "--model", "lipschitz")[0] == 0
    code, _, err = run("predict", "drinks.wb", "drinks.csv", "-o", "out.csv")
    assert code == 0
    assert err.startswith("\r10 objects\r10 objects\n")
    assert "10 objects labelled: 2 classes: soft 5, hard 5. Written to out.csv." in err
    assert run("predict", "drinks.wb", "drinks.csv")[2] == ""


def test_a_model_of_one_class_has_one_answer(run, tmp_path):
    wideberth.save(
        wideberth.NeighborsClassifier("levenshtein").fit(["tea", "tee"], ["soft", "soft"]), "tea.wb"
    )
    assert [
        row["label"] for row in rows(run("predict", "tea.wb", "drinks.csv", "--column", "drink")[1])
    ] == ["soft"] * 10


def test_warnings_are_sentences_too(run, tmp_path):
    (tmp_path / "far.csv").write_bytes("drink,label\ncafé,a\ntea,b\n".encode("cp1252"))
    code, _, err = run("fit", "far.csv")
    assert code == 0
    assert err.startswith("wideberth: ")
    assert ".py" not in err


def test_compare_shows_every_method_on_the_same_folds(run):
    code, out, err = run("compare", "drinks.csv", "--target", "kind", "--folds", "3")
    assert (code, err) == (0, "")
    for words in (
        "10 objects",
        "45 distances, measured once",
        "always the largest",
        "1 nearest",
        "nearest neighbours with a margin",
        "Lipschitz margin, C = 5",
        "LP machine, C = 30",
        "SVM, C = 1",
        "±",
    ):
        assert words in out


@pytest.mark.slow
def test_compare_measures_again_what_does_not_fit_in_memory(run):
    names, sexes = (part[:150] for part in wideberth.datasets.load_first_names())
    Path("names.csv").write_text(
        "\n".join(["name,sex", *(f"{name},{sex}" for name, sex in zip(names, sexes, strict=True))])
    )
    once = run("compare", "names.csv", "--target", "sex", "--folds", "3")[1]
    again = run("compare", "names.csv", "--target", "sex", "--folds", "3", "--max-memory", "10KB")[
        1
    ]
    assert "measured once" not in again

    def errors(out):
        return [
            line.split("%")[0] for line in out.splitlines() if "%" in line and "SVM" not in line
        ]

    assert errors(once) == errors(again)
    assert "landmarks" in again, "the SVM needs all pairs in memory, or some landmarks"


def test_compare_takes_vectors_and_matrices(run, tmp_path):
    labels = np.arange(30) % 2
    points = np.random.default_rng(0).normal(size=(30, 2)) + 9 * labels[:, None]
    np.savez(tmp_path / "points.npz", X=points, y=labels)
    np.savez(tmp_path / "table.npz", distances=wideberth.pairwise_distances(points), y=labels)
    for name in ("points", "table"):
        out = run("compare", f"{name}.npz", "--folds", "3")[1]
        assert out.count(" 0.0% ± 0.0%") == 6  # all methods but the one that always says the same


def test_readers_know_the_objects_of_every_metric():
    assert {NAME_IN_DATA.get(kind, kind) for kind in KNOWN_KINDS} == set(KINDS)


@pytest.mark.parametrize(
    ("model", "objects", "words"),
    [
        (
            wideberth.KuratowskiEmbedding("levenshtein"),
            ["tea", "rum"],
            "holds a KuratowskiEmbedding.*coordinates.*transform",
        ),
        (
            wideberth.HilbertEmbedding(n_components=1),
            [[0.0], [1.0]],
            "holds a HilbertEmbedding.*coordinates.*transform",
        ),
        (
            wideberth.OnlinePartitionClassifier(),
            [[0.0], [1.0]],
            "holds an OnlinePartitionClassifier.*labels.*predict",
        ),
    ],
    ids=["Kuratowski", "Hilbert", "online"],
)
def test_a_file_of_another_estimator_is_a_sentence(run, tmp_path, model, objects, words):
    wideberth.save(model.fit(objects, ["soft", "hard"]), tmp_path / "other.wb")
    code, out, err = run("predict", "other.wb", "drinks.csv", "-o", "out.csv")
    assert (code, out) == (2, "")
    assert re.search(words, err)
    assert not (tmp_path / "out.csv").exists()


def test_a_search_labels_objects(run, tmp_path):
    drinks = [line.split(",") for line in DRINKS.splitlines()[1:]]
    search = wideberth.LipschitzClassifierCV("levenshtein", C=[2, 10], cv=2, random_state=0)
    wideberth.save(search.fit(*zip(*drinks, strict=True)), tmp_path / "search.wb")
    code, out, err = run("predict", "search.wb", "drinks.csv", "--column", "drink")
    assert (code, err) == (0, "")
    assert [row["label"] for row in rows(out)] == search.predict(
        [drink for drink, _ in drinks]
    ).tolist()


def test_radii_in_edits_and_how_many_labels_are_safe(run, tmp_path):
    texts = [
        "a cup of tea with milk",
        "tea and cakes for two",
        "rum and ale from a cask",
        "a bottle of old rum, sir",
    ]
    lines = "".join(
        f'"{text}",{kind}\n'
        for text, kind in zip(texts, ["soft", "soft", "hard", "hard"], strict=True)
    )
    (tmp_path / "orders.csv").write_text(f"order,kind\n{lines}", encoding="utf-8")
    assert (
        run("fit", "orders.csv", "--target", "kind", "--model", "neighbors", "--metric", "words")[0]
        == 0
    )
    code, out, err = run("predict", "orders.wb", "orders.csv", "--unit", "edit")
    assert code == 0
    proved = wideberth.load("orders.wb").certified_radius(texts, "edit")
    assert [int(row["safe_edits"]) for row in rows(out)] == np.maximum(
        np.ceil(proved) - 1, 0
    ).tolist()
    assert run("predict", "orders.wb", "orders.csv")[1] == out  # edits are the usual unit of texts
    assert [
        int(row["safe_counted_words"])
        for row in rows(run("predict", "orders.wb", "orders.csv", "--unit", "counted word")[1])
    ] == [
        max(0, math.ceil(radius) - 1)
        for radius in wideberth.load("orders.wb").certified_radius(texts)
    ]
    safe = [int((proved > edits).sum()) for edits in (1, 2, 3)]
    assert safe[0] > 0
    assert (
        f"of 4 labels are safe: {safe[0]} under any 1 edit, {safe[1]} under any 2 edits, {safe[2]} "
        "under any 3 edits" in err
    )
    code, out, err = run("predict", "orders.wb", "orders.csv", "--unit", "mile")
    assert (code, out) == (2, "")
    assert (
        "--unit 'mile': no radius by 'words' is proved in it. Leave --unit out, or name 'counted "
        "word', 'words', 'edit'" in err
    )


#: By a metric: what its column is called, how many steps of its own are one edit at most, and
#: whether its radii are in edits.
COLUMNS = {
    "levenshtein": ("safe_edits", 1),
    "indel": ("safe_edits", 2),
    "damerau": ("safe_edits", 1),
    "hamming": ("safe_replacements", None),
}


@pytest.mark.parametrize("metric", COLUMNS)
def test_only_what_is_proved_in_edits_is_called_safe_edits(run, tmp_path, metric):
    words, kinds = ["teapots", "teabags", "rumbled", "rumbaed"], ["soft", "soft", "hard", "hard"]
    lines = "".join(f"{word},{kind}\n" for word, kind in zip(words, kinds, strict=True))
    (tmp_path / "words.csv").write_text(f"word,kind\n{lines}", encoding="utf-8")
    assert (
        run("fit", "words.csv", "--target", "kind", "--model", "neighbors", "--metric", metric)[0]
        == 0
    )
    code, out, _ = run("predict", "words.wb", "words.csv")
    column, in_an_edit = COLUMNS[metric]
    radii = wideberth.load("words.wb").certified_radius(words) / (in_an_edit or 1)
    assert code == 0
    assert [name for name in rows(out)[0] if name.startswith("safe_")] == [column]
    assert [int(row[column]) for row in rows(out)] == np.maximum(np.ceil(radii) - 1, 0).tolist()
    code, _, err = run("predict", "words.wb", "words.csv", "--unit", "edit")
    assert code == (0 if in_an_edit else 2)
    if not in_an_edit:
        assert (
            "no radius by 'hamming' is proved in it. Leave --unit out, or name 'replacement', "
            "'hamming'." in err
        )
    _, out, err = run("predict", "words.wb", "words.csv", "--unit", "damerau step")
    assert ("safe_damerau_steps" in out and "under any 2 damerau steps" in err) == (
        metric != "hamming"
    )
