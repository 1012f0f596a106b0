"""Every kind of object and every format, from a file to the labels of new objects."""

import csv
import io
import json
import sys

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import wideberth
from wideberth.cli.main import main


@pytest.fixture
def run(monkeypatch, capsys, tmp_path):
    """Run a command here, in an empty directory: what it prints, after it has succeeded."""
    monkeypatch.chdir(tmp_path)

    def command(*arguments, code=0):
        monkeypatch.setattr(sys, "argv", ["wideberth", *map(str, arguments)])
        with pytest.raises(SystemExit) as done:
            main()
        captured = capsys.readouterr()
        assert "Traceback" not in captured.err
        assert done.value.code == code, captured.err
        return captured.err if code else captured.out

    return command


def rows(text):
    return list(csv.DictReader(io.StringIO(text)))


def shown(value):
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


TREES = [["A", [["B", []]]], ["A", [["B", []], ["B", []]]], ["Z", []], ["Z", [["é", []]]]] * 3
GRAPHS = [
    {"nodes": ["C"] * n, "edges": [[i, i + 1] for i in range(n - 1)]} for n in (2, 3, 7, 8)
] * 3
MOLECULES = ["CCO", "CCCO", "c1ccccc1", "c1ccccc1C"] * 3
PEOPLE = [
    {"age": 30.0, "city": "Ulm"},
    {"age": 31.0, "city": "Ulm"},
    {"age": 70.0, "city": "7"},
    {"age": 71.0, "city": "7"},
] * 3
LABELS = ["a", "a", "b", "b"] * 3


def json_lines(path, objects, field=None):
    records = [item if field is None else {field: item} for item in objects]
    labelled = zip(records, LABELS, strict=True)
    path.write_text(
        "".join(json.dumps({**record, "label": label}) + "\n" for record, label in labelled)
    )


def parquet(path, objects):
    pq.write_table(
        pa.table(
            {**{name: [row[name] for row in objects] for name in objects[0]}, "label": LABELS}
        ),
        path,
    )


def table(path, objects):
    with path.open("w", newline="") as stream:
        writer = csv.DictWriter(stream, [*objects[0], "label"])
        writer.writeheader()
        writer.writerows(
            {**row, "label": label} for row, label in zip(objects, LABELS, strict=True)
        )


def write(path, kind):
    match kind:
        case "fasta":
            path.write_text(
                "".join(
                    f">s{i} label={y}\n{'AC' if y == 'a' else 'GT'}{'A' * i}\n"
                    for i, y in enumerate(LABELS)
                )
            )
        case "ts":
            cases = [f"{i},{i % 3}.5:{1000 * (y == 'b')},{i}:{y}" for i, y in enumerate(LABELS)]
            path.write_text(
                "\n".join(["@univariate false", "@classLabel true a b", "@data", *cases])
            )
        case "ucr":
            path.write_text(
                "".join(
                    f"{'ab'.index(y)}\t{1000 * (y == 'b')}\t{i}.5\tNaN\n"
                    for i, y in enumerate(LABELS)
                )
            )
        case "smi":
            path.write_text(
                "smiles label\n"
                + "".join(f"{x} {y}\n" for x, y in zip(MOLECULES, LABELS, strict=True))
            )
        case "texts":
            for i, y in enumerate(LABELS):
                (path / y).mkdir(parents=True, exist_ok=True)
                (path / y / f"{i:02}.txt").write_text(
                    f"{'tea with milk' if y == 'a' else 'rum'} {i}\n"
                )


@pytest.mark.few(2)
@pytest.mark.parametrize(
    ("name", "kind", "metric", "column", "objects"),
    [
        (
            "t.fasta",
            "fasta",
            "levenshtein",
            "sequence",
            [("AC" if y == "a" else "GT") + "A" * i for i, y in enumerate(LABELS)],
        ),
        ("t.ts", "ts", "msm", "label", LABELS),
        ("t.tsv", "ucr", "msm", "label", ["01"["ab".index(y)] for y in LABELS]),
        ("t.smi", "smi", "tanimoto", "smiles", MOLECULES),
        (
            "texts",
            "texts",
            "levenshtein",
            "text",
            [f"tea with milk {i}" for i in range(12) if i % 4 < 2]
            + [f"rum {i}" for i in range(12) if i % 4 >= 2],
        ),
    ],
)
def test_formats_that_say_where_their_objects_are(
    run, tmp_path, name, kind, metric, column, objects
):
    write(tmp_path / name, kind)
    assert f"by {metric} distance" in run(
        "fit", name, "--model", "lipschitz", "-C", "25", "-o", "m.wb"
    )
    answers = rows(run("predict", "m.wb", name))
    assert [row[column] for row in answers] == objects
    labels = wideberth.read(tmp_path / name).labels
    assert [row["predicted_label"] for row in answers] == labels
    assert " answers are wrong: 0.0%" in run("evaluate", "m.wb", name)
    assert f"{metric}: a metric" in run("doctor", name)
    assert f"Metric: {metric}, chosen" in run("compare", name, "--folds", "3", "--model", "margin")


@pytest.mark.few(2)
@pytest.mark.parametrize(
    ("metric", "objects", "save", "options"),
    [
        (
            "tree_edit",
            TREES,
            lambda path: json_lines(path.with_suffix(".jsonl"), TREES, "tree"),
            (),
        ),
        (
            "weisfeiler_lehman",
            GRAPHS,
            lambda path: json_lines(path.with_suffix(".jsonl"), GRAPHS),
            (),
        ),
        (
            "weisfeiler_lehman",
            GRAPHS,
            lambda path: parquet(path.with_suffix(".parquet"), GRAPHS),
            (),
        ),
        (
            "gower",
            PEOPLE,
            lambda path: json_lines(path.with_suffix(".jsonl"), PEOPLE),
            ("--kind", "rows"),
        ),
        ("gower", PEOPLE, lambda path: table(path.with_suffix(".csv"), PEOPLE), ("--kind", "rows")),
        (
            "gower",
            PEOPLE,
            lambda path: parquet(path.with_suffix(".parquet"), PEOPLE),
            ("--kind", "rows"),
        ),
    ],
    ids=["trees", "graphs", "graphs in Parquet", "rows", "rows of a table", "rows in Parquet"],
)
def test_structures_are_shown_as_json(run, tmp_path, metric, objects, save, options):
    save(tmp_path / "t")
    (file,) = tmp_path.iterdir()
    assert f"by {metric} distance" in run(
        "fit", file.name, "--model", "lipschitz", "-C", "25", "-o", "m.wb", *options
    )
    answers = rows(run("predict", "m.wb", file.name))
    told = ("predicted_label", "lead", "radius", "safe_node_edits")
    own = {name: cell for name, cell in answers[0].items() if name not in told}
    assert list(own)[-1] == "label"
    assert [row["predicted_label"] for row in answers] == LABELS
    told = [json.loads(line) for line in run("predict", "m.wb", file.name, "--json").splitlines()]
    assert [line["predicted_label"] for line in told] == LABELS
    assert f"{metric}: a metric" in run("doctor", file.name, *options)
    assert f"Metric: {metric}" in run(
        "compare", file.name, "--folds", "3", "--model", "margin", *options
    )


def labels_of(text):
    return [row.get("predicted_label", row["label"]) for row in rows(text)]


def test_a_table_of_molecules(run, tmp_path):
    table(
        tmp_path / "t.csv",
        [{"name": f"m{i}", "SMILES": smiles} for i, smiles in enumerate(MOLECULES)],
    )
    assert "by tanimoto distance" in run("fit", "t.csv", "--model", "lipschitz", "-C", "25")
    (tmp_path / "new.csv").write_text("name,SMILES\nx,CCCCO\n")
    assert rows(run("predict", "t.wb", "new.csv"))[0]["SMILES"] == "CCCCO"
    as_texts = ("--kind", "strings", "--column", "SMILES", "--force")
    assert "by levenshtein distance" in run("fit", "t.csv", *as_texts, "--model", "neighbors")
    assert (
        "Metrics to try: ngrams, rare_ngrams, normalized_levenshtein, because the objects are "
        "strings" in run("fit", "t.csv", *as_texts, "--time", "0.1")
    )


def test_new_rows_are_read_as_the_old_ones_were(run, tmp_path):
    table(tmp_path / "t.csv", PEOPLE)
    run("fit", "t.csv", "--kind", "rows", "--model", "lipschitz", "-C", "25")
    (tmp_path / "new.csv").write_text(
        "city,shoe,age\n7,40,71\n7,41,30\n"
    )  # where 7 could be a number
    answers = rows(run("predict", "t.wb", "new.csv"))
    assert [(row["city"], row["shoe"], row["age"]) for row in answers] == [
        ("7", "40", "71"),
        ("7", "41", "30"),
    ]
    model = wideberth.load("t.wb")
    expected = model.decision_function([{"age": 71.0, "city": "7"}, {"age": 30.0, "city": "7"}])
    assert [float(row["lead"]) for row in answers] == pytest.approx(abs(expected), rel=1e-3)
    (tmp_path / "new.csv").write_text("city,age\n7,old\n")
    assert "line 2: 'old' in column 'age' is not a number" in run(
        "predict", "t.wb", "new.csv", code=2
    )


def test_rows_of_a_model_saved_from_python(run, tmp_path):
    wideberth.save(
        wideberth.NeighborsClassifier("gower", n_neighbors=1).fit(PEOPLE, LABELS), "people.wb"
    )
    (tmp_path / "new.csv").write_text("city,age\n7,71\n")
    assert labels_of(run("predict", "people.wb", "new.csv")) == ["b"]
    nameless = [(person["age"], person["city"]) for person in PEOPLE]
    wideberth.save(
        wideberth.NeighborsClassifier("gower", n_neighbors=1).fit(nameless, LABELS), "people.wb"
    )
    assert "no column 0" in run("predict", "people.wb", "new.csv", code=2)


def test_parts_of_a_model_saved_from_python(run, tmp_path):
    metric = wideberth.transforms.product({"city": "levenshtein", "age": "euclidean"})
    wideberth.save(
        wideberth.NeighborsClassifier(metric, n_neighbors=1).fit(PEOPLE, LABELS), "people.wb"
    )
    (tmp_path / "new.csv").write_text("city,age\n7,71\nUlm,20\n")
    assert labels_of(run("predict", "people.wb", "new.csv")) == ["b", "a"]
    metric = wideberth.transforms.product({"city": "levenshtein", "beat": "msm"})
    people = [{"city": person["city"], "beat": [person["age"], 1.0]} for person in PEOPLE]
    wideberth.save(
        wideberth.NeighborsClassifier(metric, n_neighbors=1).fit(people, LABELS), "people.wb"
    )
    (tmp_path / "new.jsonl").write_text('{"city": "7", "beat": [71, 1], "pulse": 80}\n')
    assert rows(run("predict", "people.wb", "new.jsonl"))[0] | {
        "probability": "",
        "lead": "",
        "radius": "",
    } == {
        "city": "7",
        "beat": "[71, 1]",
        "pulse": "80",
        "label": "b",
        "probability": "",
        "lead": "",
        "radius": "",
    }


def test_graphs_may_have_edges_in_one_file_and_neighbors_in_another(run, tmp_path):
    json_lines(tmp_path / "t.jsonl", GRAPHS)
    run("fit", "t.jsonl", "--model", "lipschitz", "-C", "25")
    (tmp_path / "new.jsonl").write_text('{"nodes": ["C", "C"], "neighbors": [[1], [0]]}\n')
    assert labels_of(run("predict", "t.wb", "new.jsonl")) == ["a"]
    json_lines(tmp_path / "t.jsonl", GRAPHS, "g")
    run("fit", "t.jsonl", "--model", "lipschitz", "-C", "25", "--kind", "graphs", "--force")
    (tmp_path / "new.jsonl").write_text('{"g": {"nodes": ["C", "C"], "neighbors": [[1], [0]]}}\n')
    assert labels_of(run("predict", "t.wb", "new.jsonl")) == ["a"]


def test_records_that_are_trees(run, tmp_path):
    lines = [
        {"label": tree[0], "children": [{"label": child[0]} for child in tree[1]]} for tree in TREES
    ]
    labelled = [
        json.dumps({**record, "class": label}) for record, label in zip(lines, LABELS, strict=True)
    ]
    (tmp_path / "t.jsonl").write_text("\n".join(labelled))
    assert "2 classes: a 6, b 6" in run("fit", "t.jsonl", "--model", "lipschitz", "-C", "25")
    answers = rows(run("predict", "t.wb", "t.jsonl"))
    assert [row["label"] for row in answers] == [tree[0] for tree in TREES]
    assert labels_of(run("predict", "t.wb", "t.jsonl")) == LABELS


def test_point_sets_are_objects(run, tmp_path):
    sets = [[[0, i]] * (1 + i) for i in range(4)]
    json_lines(tmp_path / "t.jsonl", sets * 3, "points")
    assert "by hausdorff distance" in run(
        "fit", "t.jsonl", "--kind", "objects", "--metric", "hausdorff", "--model", "neighbors"
    )
    assert len(rows(run("predict", "t.wb", "t.jsonl"))) == 12
    wideberth.save(
        wideberth.NeighborsClassifier("hausdorff", n_neighbors=1).fit(sets, LABELS[:4]), "p.wb"
    )
    assert labels_of(run("predict", "p.wb", "t.jsonl")) == LABELS


def test_fasta_comes_through_a_pipe(run, tmp_path, monkeypatch):
    content = b"".join(
        b">s label=%s\n%s\n" % (y.encode(), b"AC" if y == "a" else b"GT") for y in LABELS
    )
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))
    assert "2 classes: a 6, b 6" in run("fit", "-", "--model", "neighbors")


def test_texts_without_labels_need_directories(run, tmp_path):
    (tmp_path / "texts").mkdir()
    (tmp_path / "texts" / "1.txt").write_text("tea")
    assert "a directory of its own" in run("fit", "texts", code=2)


@pytest.mark.slow
@pytest.mark.parametrize("steps", [0, 1])
def test_series_of_several_channels_and_of_any_lengths_are_fitted_and_answered(
    run, tmp_path, steps
):
    """The lengths of series, not the number of their channels, tell whether they can be compared
    point by point.
    """
    lines = []
    for number in range(16):
        rate, places = (0.5 if number % 2 else 1.3), np.arange(12 + steps * (number % 3))
        channels = [
            ",".join(f"{value:.3f}" for value in np.sin(rate * places + shift))
            for shift in (0, number, 2)
        ]
        lines.append(":".join([*channels, "ab"[number % 2]]))
    (tmp_path / "t.ts").write_text(
        "@univariate false\n@dimensions 3\n@classLabel true a b\n@data\n" + "\n".join(lines) + "\n"
    )
    shown = run("fit", "t.ts", "-o", "m.wb")
    assert ("znormalized" in shown) == (steps == 0)
    assert [row["predicted_label"] for row in rows(run("predict", "m.wb", "t.ts"))] == [
        "a",
        "b",
    ] * 8


def test_a_number_to_predict_is_no_class(run, tmp_path):
    (tmp_path / "t.ts").write_text("@targetLabel true\n@data\n1,2:0.5\n")
    assert "'label' holds measurements, such as 0.5" in run("fit", "t.ts", code=2)
