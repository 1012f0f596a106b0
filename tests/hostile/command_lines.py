"""Command lines that nobody would write, as lists of words, and strategies that draw them."""

from hypothesis import strategies as st

from wideberth.classifiers.named import CLASSIFIERS

#: Files in the directory where commands run; some are not there, or are something else than they
#: seem.
FILES = [
    *[
        "words.csv",
        "numbers.csv",
        "words.jsonl",
        "words.wb",
        "numbers.wb",
        "broken.wb",
        "empty.csv",
        "texts",
        "pipe",
        "odd.csv",
    ],
    *[
        "nowhere.csv",
        "nowhere.wb",
        "",
        "-",
        ".",
        "/",
        "/dev/null",
        "words",
        "a\0b.csv",
        "x" * 300 + ".csv",
        "\udcff.csv",
        "--",
        "...",
    ],
]
TEXTS = [
    "",
    " ",
    "word",
    "label",
    "x",
    "no such",
    "\udcff",
    "\ud83c",
    "a,b",
    "'",
    "--",
    "-",
    "\n",
    "é",
    "x" * 5000,
    "0",
    "1e999",
    "٣",
]
NUMBERS = [
    "0",
    "1",
    "2",
    "3",
    "5",
    "-1",
    "25",
    "1e999",
    "nan",
    "inf",
    "-inf",
    "1e-320",
    "٣",
    "1_0",
    "",
    "x",
    "2.5",
    "9" * 400,
    "0x1",
]
SIZES = ["2GB", "1kB", "1", "0", "-1", "", "GB", "٣GB", "9" * 400 + "TB", "1e9", "inf", "nanMB"]
KINDS = [
    "strings",
    "vectors",
    "series",
    "sets",
    "molecules",
    "trees",
    "graphs",
    "rows",
    "objects",
    "distances",
    "",
    "x",
]
ENCODINGS = [
    "utf-8",
    "utf-16",
    "cp1252",
    "",
    "base64",
    "rot13",
    "no such",
    "\0",
    "unicode_escape",
    "idna",
    "punycode",
]
PARAMETERS = [
    "p",
    "g",
    "c",
    "nu",
    "cost",
    "costs",
    "ranges",
    "missing",
    "distances",
    "which",
    "name",
    "self",
    "radius",
    "size",
    "",
]
VALUES = [
    "3",
    "0",
    "-1",
    "1e999",
    "NaN",
    "Infinity",
    "null",
    "true",
    "[]",
    "{}",
    "[[1]]",
    '"a"',
    "a",
    "[" * 50,
    "9" * 400,
    '{"a": 1}',
    "",
]
METRICS = [
    *[
        "euclidean",
        "levenshtein",
        "minkowski",
        "msm",
        "erp",
        "twe",
        "dtw",
        "jaccard",
        "gower",
        "precomputed",
        "tree_edit",
        "tree_paths",
        "tanimoto",
    ],
    *[
        "weighted_edit",
        "mahalanobis",
        "haversine",
        "hausdorff",
        "wasserstein_1d",
        "earth_mover",
        "weisfeiler_lehman",
        "hamming",
    ],
    *[
        "normalized_levenshtein",
        "angular",
        "ruzicka",
        "canberra",
        "chi2",
        "words",
        "ngrams",
        "",
        "no such",
        "__class__",
        "\udcff",
    ],
]


def metrics():
    pair = st.tuples(st.sampled_from(PARAMETERS), st.sampled_from(VALUES)).map("=".join)
    with_parameters = st.tuples(
        st.sampled_from(METRICS), st.lists(pair | st.sampled_from(TEXTS), max_size=3)
    ).map(lambda drawn: f"{drawn[0]}({', '.join(drawn[1])})")
    return (
        st.sampled_from(METRICS)
        | with_parameters
        | st.sampled_from(["(", ")", "a(b", "minkowski(p=3", "minkowski(p=3)x", "((", "\n"])
    )


def settings():
    """Settings of models, sound and not."""
    names = [
        "C",
        "separation",
        "n_neighbors",
        "kernel",
        "width",
        "radial",
        "tol",
        "cv",
        "metric",
        "max_memory",
        "class_weight",
        "",
        "x",
    ]
    return st.tuples(st.sampled_from(names), st.sampled_from(VALUES)).map(
        "=".join
    ) | st.sampled_from(TEXTS)


def option(names, values):
    """One of several options, with or without its value."""
    return st.tuples(st.sampled_from(names), values).map(list) | st.sampled_from(names).map(
        lambda name: [name]
    )


texts, numbers = st.sampled_from(TEXTS), st.sampled_from(NUMBERS)
COMMON = [
    option(["--column", "--target"], texts),
    option(["--metric"], metrics()),
    option(["--encoding"], st.sampled_from(ENCODINGS)),
    option(["--kind"], st.sampled_from(KINDS)),
    option(["--max-size"], st.sampled_from(SIZES)),
    option(
        ["--labels", "--weight", "--groups", "--sheet"],
        texts | st.sampled_from(["words.csv", "texts"]),
    ),
    option(
        ["--numbers"],
        st.sampled_from(["x", "x=1,5", "x=1.5", "=", "x=", "=x", "no such=1,5", "a=b=c", ""]),
    ),
    option(["--on-error"], st.sampled_from(["skip", "stop", "raise", ""])),
    option(["--declare"], st.sampled_from(["obeys_triangle", "hilbertian", "bounded", "", "x"])),
    st.sampled_from(["--exact-labels", "--quiet", "--force", "--tune"]).map(lambda word: [word]),
    st.sampled_from(
        ["--debug=1", "--help", "--no-such", "-", "--", "", "-C", "-o", "--json", "--version"]
    ).map(lambda word: [word]),
]
UNITS = ["edit", "levenshtein", "precomputed", "mile", "", "\udcff"]
OUTPUTS = [
    "out.csv",
    "m.wb",
    "",
    ".",
    "nowhere/m.wb",
    "-",
    "/dev/null",
    "texts",
    "\udcff.wb",
    "a\0b",
    "x" * 300,
]
OPTIONS = {
    "doctor": [*COMMON, option(["--max-objects"], numbers), st.just(["--json"])],
    "fit": [
        *COMMON,
        option(["-C"], numbers),
        option(["--output", "-o"], st.sampled_from(OUTPUTS)),
        option(["--model"], st.sampled_from([*CLASSIFIERS, "", "x"])),
        option(["--param"], settings()),
    ],
    "predict": [
        *COMMON,
        option(["--output", "-o"], st.sampled_from(OUTPUTS)),
        option(["--unit"], st.sampled_from(UNITS)),
        option(["--examples"], numbers),
    ],
    "evaluate": [
        *COMMON,
        option(["--unit"], st.sampled_from(UNITS)),
        option(["--radii", "--delta"], numbers | texts),
    ],
    "certify": [
        *COMMON,
        option(["--unit"], st.sampled_from(UNITS)),
        option(["--radius", "--delta"], numbers),
    ],
    "explain": [
        option(["--unit"], st.sampled_from(UNITS)),
        option(["--examples"], numbers),
        st.just(["--json"]),
    ],
    "info": [st.just(["--json"])],
    "compare": [
        *COMMON,
        option(["--folds"], numbers),
        option(["--max-memory"], st.sampled_from(SIZES)),
    ],
    "metrics": COMMON,
    "no such": COMMON,
}
#: How many files a command takes, and command lines that work, to which odd options are added.
FILES_OF = {"predict": 2, "metrics": 0, "evaluate": 2, "certify": 2, "explain": 2}
SOUND = {
    "doctor": [["numbers.csv"], ["words.csv", "--column", "word"], ["words.jsonl"]],
    "fit": [
        ["numbers.csv", "--force"],
        ["words.csv", "--column", "word", "--force"],
        ["words.jsonl", "--force"],
        ["numbers.csv", "--kind", "rows", "--force"],
        ["numbers.csv", "numbers.csv", "--force"],
    ],
    "evaluate": [["words.wb", "words.csv", "--column", "word"], ["numbers.wb", "numbers.csv"]],
    "certify": [["words.wb", "words.csv", "--column", "word"], ["numbers.wb", "numbers.csv"]],
    "explain": [
        ["words.wb", "tea", "x" * 300],
        ["numbers.wb", "1,2"],
        ["numbers.wb", "[1]"],
        ["numbers.wb", "1,2", "1"],
    ],
    "info": [["words.wb"], ["broken.wb"], ["nowhere.wb"]],
    "predict": [
        ["words.wb", "words.csv", "--column", "word"],
        ["numbers.wb", "numbers.csv"],
        ["words.wb", "words.jsonl"],
    ],
    "compare": [["numbers.csv", "--folds", "2"], ["words.jsonl", "--folds", "2"]],
}


@st.composite
def command_lines(draw):
    command = draw(st.sampled_from(sorted(OPTIONS)))
    if command in SOUND and draw(st.booleans()):
        first = draw(st.sampled_from(SOUND[command]))
        options = draw(st.lists(st.one_of(OPTIONS[command]), max_size=2))
        return [command, *first, *(word for option in options for word in option)]
    words = [
        [draw(st.sampled_from(FILES))]
        for _ in range(FILES_OF.get(command, 1) + draw(st.sampled_from([0, 0, 0, 0, 1, -1])))
    ]
    words += draw(st.lists(st.one_of(OPTIONS[command]), max_size=4))
    return [command, *(word for some in draw(st.permutations(words)) for word in some)]
