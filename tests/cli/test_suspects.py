"""``wideberth suspects``: doubtful labels of a file, by the real command."""

import csv
import json

import numpy as np
import pytest

import wideberth

TEAS = ["tea", "teas", "tee", "team", "ten", "tear", "teal", "tent"]
RUMS = ["rum", "rums", "rumor", "rim", "ram", "rom", "rump", "drum"]
WRONG = "teams"


@pytest.fixture
def drinks(folder):
    rows = [*((word, "soft") for word in TEAS), *((word, "hard") for word in RUMS), (WRONG, "hard")]
    with (folder / "drinks.csv").open("w", newline="") as stream:
        csv.writer(stream).writerows(
            [("number", "name", "kind"), *((f"n{i}", *row) for i, row in enumerate(rows))]
        )
    return "drinks.csv"


NEIGHBORS = (
    "--target",
    "kind",
    "--column",
    "name",
    "--model",
    "neighbors",
    "--param",
    "n_neighbors=3",
)


def test_the_wrong_label_comes_first_with_its_witnesses(run, drinks, folder):
    head, *lines = (folder / drinks).read_text().splitlines()
    (folder / drinks).write_text("\n".join([head, "n99,milk,", *lines]))  # left out
    said = run("suspects", drinks, *NEIGHBORS).out
    table = said[said.index("line ") :].splitlines()
    assert table[1].split()[:4] == ["19", WRONG, "hard", "soft"]
    assert (folder / drinks).read_text().splitlines()[18].split(",")[1] == WRONG
    assert "teas (1 edit), team (1 edit)" in said
    assert "1 label is probably wrong" in said
    assert "of 17" in said


def test_the_file_has_all_objects_in_cleanlabs_columns(run, drinks, folder):
    done = run("suspects", drinks, *NEIGHBORS, "-o", "d.csv", "--enemies", "2")
    assert "All 17 objects" in done.err
    with (folder / "d.csv").open() as stream:
        rows = list(csv.DictReader(stream))
    assert list(rows[0])[:8] == [
        *(
            "number",
            "name",
            "kind",
            "index",
            "is_label_issue",
            "label_quality",
            "given_label",
            "predicted_label",
        )
    ]
    assert list(rows[0])[8:] == ["enemy_1", "enemy_1_distance", "enemy_2", "enemy_2_distance"]
    words, kinds = [*TEAS, *RUMS, WRONG], ["soft"] * 8 + ["hard"] * 9
    model = wideberth.NeighborsClassifier("levenshtein", n_neighbors=3).fit(words, kinds)
    for row, issue in zip(rows, wideberth.label_issues(model, words, kinds), strict=True):
        assert row["name"] == words[issue.index]
        assert (int(row["index"]), row["is_label_issue"]) == (
            issue.index,
            str(issue.is_label_issue),
        )
        assert float(row["label_quality"]) == pytest.approx(issue.label_quality, rel=1e-4)
        assert (row["given_label"], row["predicted_label"]) == (
            issue.given_label,
            issue.predicted_label,
        )


def test_programs_get_json(run, drinks, folder):
    facts = json.loads(run("suspects", drinks, *NEIGHBORS, "--json", "--count", "1").out)
    assert facts["objects"] == 17
    assert facts["label_issues"] >= 1
    [first] = facts["issues"]
    assert (first["index"], first["given_label"], first["predicted_label"]) == (16, "hard", "soft")
    assert len(first["enemies"]) == 3
    run("suspects", drinks, *NEIGHBORS, "--json", "-o", "d.jsonl")
    lines = [json.loads(line) for line in (folder / "d.jsonl").read_text().splitlines()]
    assert lines[0]["index"] == 16
    assert len(lines) == 17
    printed = run("suspects", drinks, *NEIGHBORS, "--json", "-o", "-").out
    assert json.loads(printed.splitlines()[0])["index"] == 16


def test_labels_that_fit_are_not_doubted(run, folder):
    (folder / "p.csv").write_text(
        "x,kind\n" + "".join(f"{10 * (i % 2) + i / 100},{'ab'[i % 2]}\n" for i in range(40))
    )
    said = run("suspects", "p.csv", "--target", "kind", "--time", "5").out
    assert "None of 40 labels is probably wrong" in said
    assert "quality" not in said
    assert "compared with" in said  # the model is the one that fit would choose


def test_vectors_and_matrices_have_rows(run, folder):
    points = np.r_[
        np.random.default_rng(0).normal(size=(20, 2)),
        9 + np.random.default_rng(1).normal(size=(20, 2)),
    ]
    labels = np.repeat([0, 1], 20)
    labels[3] = 1
    np.savez(folder / "p.npz", X=points, y=labels)
    assert (
        json.loads(run("suspects", "p.npz", "--model", "neighbors", "--json").out)["issues"][0][
            "index"
        ]
        == 3
    )
    run("suspects", "p.npz", "--model", "svm", "-o", "out.csv")
    assert (folder / "out.csv").read_text().splitlines()[1].split('"')[1].startswith("[")
    distances = np.linalg.norm(points[:, None] - points[None], axis=2)
    np.savez(folder / "d.npz", D=distances, y=labels)
    found = run("suspects", "d.npz", "--kind", "distances", "--model", "neighbors").out
    assert "row 4" in found


def test_the_input_is_not_overwritten_and_one_class_is_refused(run, drinks, folder):
    assert "would be overwritten" in run("suspects", drinks, *NEIGHBORS, "-o", drinks, code=2).err
    (folder / "one.csv").write_text("name,kind\ntea,soft\ntee,soft\n")
    assert "nothing to tell apart" in run("suspects", "one.csv", "--target", "kind", code=2).err
    assert "--folds" in run("suspects", drinks, "--folds", "1", code=2).err


def test_doubtful_labels_that_wrong_ones_cannot_excuse_are_counted(folder, run):
    words = [first + middle + last for first in "tr" for middle in "aeiou" for last in "nms"]
    kinds = ["soft" if word[0] == "t" else "hard" for word in words]
    kinds[0] = "hard"
    rows = "".join(f"{3 * word[0]}{word},{kind}\n" for word, kind in zip(words, kinds, strict=True))
    (folder / "crowd.csv").write_text("word,kind\n" + rows)
    asked = ["suspects", "crowd.csv", "--target", "kind", "--metric", "levenshtein"]
    votes = [*asked, "--model", "neighbors", "--param", "n_neighbors=9"]
    assert "1 of them would get the other label even if" in run(*votes).out
    first = json.loads(run(*votes, "--json").out)["issues"][0]
    assert first["stays"] is True
    assert first["certified_flips"] >= 2
    assert "would get the other label even if" not in run(*asked, "--model", "neighbors").out
