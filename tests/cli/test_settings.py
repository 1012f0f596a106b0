"""Metrics, costs, settings and promises as people type them, and errors in the words of the command
line.
"""

import json
import re

import pytest

import wideberth
from wideberth.classifiers.named import CLASSIFIERS, choosers
from wideberth.cli.commands import parser
from wideberth.cli.console import OPTIONS, CommandLine, Running
from wideberth.cli.values import parse_value, read_costs
from wideberth.errors import InvalidFile, InvalidInput
from wideberth.wording import Text, python, setting

DNA = "dna,label\n" + "".join(
    f"{word},{'a' if word.startswith('AC') else 'b'}\n"
    for word in ["ACGT", "ACGG", "ACTT", "GTTT", "GTCC", "GTGA"]
)


@pytest.fixture
def fit(folder, run):
    (folder / "dna.csv").write_text(DNA)

    def command(*options, code=0):
        return run("fit", "dna.csv", *options, "--force", code=code)

    return command


@pytest.mark.few(4)
@pytest.mark.parametrize(
    ("written", "expected"),
    [
        (
            "weighted_edit(substitutions={('A','G'): 0.5})",
            wideberth.metric("weighted_edit", substitutions={("A", "G"): 0.5}),
        ),
        (
            'weighted_edit(gaps={"A": 0.7}, gap=1)',
            wideberth.metric("weighted_edit", gaps={"A": 0.7}, gap=1),
        ),
        ("weighted_edit( gap = 0.5 )", wideberth.metric("weighted_edit", gap=0.5)),
        ("ngrams(orders=(2, 3))", wideberth.metric("ngrams", orders=(2, 3))),
        ("ngrams(form='ruzicka')", wideberth.metric("ngrams", form="ruzicka")),
        ('ngrams(form="ruzicka")', wideberth.metric("ngrams", form="ruzicka")),
        ("ngrams(form=ruzicka)", wideberth.metric("ngrams", form="ruzicka")),
        ("levenshtein()", wideberth.metric("levenshtein")),
    ],
)
def test_parameters_are_python_or_json_or_bare_words(fit, written, expected):
    assert "as --metric says" in fit("--metric", written, "--model", "neighbors").out
    assert wideberth.load("dna.wb").metric_.get_params() == expected.get_params()


@pytest.mark.few(4)
@pytest.mark.parametrize(
    ("options", "words"),
    [
        (
            ("--metric", "levenstein"),
            "There is no metric 'levenstein'. Did you mean 'levenshtein'?",
        ),
        (("--metric", "minkowski(p=3"), "is not a metric: what follows the name is not closed"),
        (
            ("--metric", "weighted_edit(0.5)"),
            "'0.5' in the metric 'weighted_edit(0.5)' is not a setting. Write name=value",
        ),
        (("--metric", "weighted_edit(gap=[1, 2)"), "is not a value. Check its brackets and quotes"),
        (
            ("--metric", "weighted_edit(cost=1)"),
            "The metric 'weighted_edit' has no parameter 'cost'. It takes",
        ),
        (("--metric", "__import__('os').system('true')"), "is not a setting"),
        (("--metric", "weighted_edit(gap=__import__('os'))"), ""),
        (
            ("--metric", "weighted_edit(substitutions=nowhere.csv)"),
            "nowhere.csv: the costs cannot be read",
        ),
        (("--metric", "euclidean"), "not a vector of numbers"),
        (
            ("--param", "C"),
            "'C' in --param C is not a setting. Write name=value, for example --param C=10.",
        ),
        (("--model", "lipschitz", "--param", "C=abc"), "C='abc' does not fit"),
        (
            ("--model", "lipschitz", "--param", "separation=2"),
            "separation = 2 has no meaning for lipschitz. It has C, ",
        ),
        (
            ("--param", "separation=2"),
            "separation = 2 has no meaning for the automatic choice. It has candidates, ",
        ),
        (("--param", "separation=2"), "separation is a setting of margin."),
        (
            ("--param", "C=7"),
            "C = 7 is the price of errors of a single classifier, and none is named. Name it",
        ),
        (("--param", "prefer=small"), "prefer is not set with --param. Use --prefer."),
        (("--param", "candidates=magic"), "candidates='magic' does not fit"),
        (("--tune",), "--tune is for a classifier that --model names"),
        (("--model", "svm", "--time", "5"), "--time is for the automatic choice, --model auto"),
        (("--model", "svm", "--prefer", "small"), "--prefer is for the automatic choice"),
        (("--prefer", "certified"), "needs a radius"),
        (("--param", "metric=indel"), "metric is not set with --param. Use --metric."),
        (("--model", "neighbors", "--tune"), "--tune has no meaning for neighbors"),
        (
            ("--model", "lipschitz", "--tune", "-C", "3"),
            "C = 3.0 is given, and --tune would choose it",
        ),
        (("--declare", "obeys_triangle"), "'levenshtein' says itself what it promises"),
        (
            ("--declare", "beauty"),
            "--declare beauty is no promise. Of a matrix of distances can be declared: "
            "obeys_triangle",
        ),
        (("--target", "lable"), "Did you mean 'label'?"),
        (("--column", "dnb"), "dnb"),
        (("--kind", "rocks"), "'rocks' is not a kind of objects"),
        (("--labels", "nowhere.txt"), "nowhere.txt"),
        (("--weight", "mass"), "mass"),
        (("--groups", "ward"), "ward"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_what_cannot_be_is_a_sentence_in_the_words_of_the_command_line(folder, fit, options, words):
    failed = fit(*options, code=2).err
    assert words in failed
    assert len(failed.splitlines()) == 1
    for words in ("column=", "target=", "kind=", "metric=", "list_metrics"):
        assert words not in failed
    assert not (folder / "dna.wb").exists()


@pytest.mark.parametrize(
    ("model", "setting", "value"),
    [
        ("margin", "separation", "compression"),
        ("margin", "separation", 2.0),
        ("neighbors", "n_neighbors", 3),
        ("svm", "kernel", "laplace"),
        ("svm", "width", 3.0),
        ("lp", "radial", ["distance", "gaussian"]),
        ("lipschitz", "class_weight", "balanced"),
        ("lp", "max_time", None),
    ],
)
def test_settings_of_every_model(fit, model, setting, value):
    fit("--model", model, "--param", f"{setting}={value!r}")
    assert wideberth.load("dna.wb").get_params()[setting] == value


def test_prices_in_two_ways(fit):
    fit("--model", "lipschitz", "-C", "7")
    assert wideberth.load("dna.wb").C == 7.0
    fit("--model", "lipschitz", "--param", "C=7")
    assert wideberth.load("dna.wb").C == 7


@pytest.mark.few(2)
@pytest.mark.parametrize("model", [entry.name for entry in choosers().values()])
def test_tuning_chooses_among_values(fit, model):
    price = "C=[1.0,10.0]"
    if "C" not in CLASSIFIERS[model].load()("levenshtein").get_params():
        pytest.skip("it has no price of errors")
    metric = "levenshtein" if CLASSIFIERS[model].suits("levenshtein") else "ngrams"
    out = fit(
        "--model", model, "--metric", metric, "--tune", "--param", price, "--param", "cv=3"
    ).out
    assert "Chosen by cross-validation: " in out
    chosen = wideberth.load("dna.wb")
    assert type(chosen) is CLASSIFIERS[model].load_chooser()
    assert chosen.best_params_["C"] in (1.0, 10.0)


@pytest.mark.parametrize(
    "content",
    [
        "A,G,0.5\nC,T,0.5\n",
        "one;other;cost\nA;G;0.5\nC;T;0.5\n",
        "# costs\nA G 0.5\nC T 0.5\n",
        "A\tG\t0.5\nC\tT\t0.5\n",
    ],
    ids=["commas", "header", "spaces", "tabs"],
)
def test_costs_may_be_in_a_file(folder, fit, content):
    (folder / "costs.csv").write_text(content)
    fit("--metric", "weighted_edit(substitutions=costs.csv)", "--model", "neighbors")
    assert wideberth.load("dna.wb").metric_("ACGT", "GCGT") == 0.5


def test_costs_in_a_square_table_and_of_gaps(folder, fit):
    (folder / "square.txt").write_text(
        "   A  C  G  T\nA  0  1 .5  1\nC  1  0  1 .5\nG .5  1  0  1\nT  1 .5  1  0\n"
    )
    (folder / "gaps.csv").write_text("letter,cost\nA,0.7\nC,0.8\n")
    fit(
        "--metric",
        "weighted_edit(substitutions=square.txt, gaps='gaps.csv')",
        "--model",
        "neighbors",
    )
    measure = wideberth.load("dna.wb").metric_
    assert (measure("ACGT", "GCGT"), measure("GT", "GTA")) == (0.5, 0.7)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("A,G,-1\n", "costs.csv, line 1: the cost -1 is negative"),
        ("A,G,0.5\nC,T\n", "costs.csv, line 2: it has 2 cells"),
        ("A,G,0.5\nC,T,x\n", "costs.csv, line 2: 'x' is not a cost"),
        ("# nothing\n", "costs.csv: there are no costs in it"),
        (",A,G\nA,4,0.5\nG,0.5,4\n", "'A' does not turn into itself at no cost"),
        (",A,G\nA,0,0.5\nG,0.5\n", "line 3: it has 1 costs for 2 letters"),
    ],
)
def test_bad_costs_are_told_with_their_line(folder, fit, content, words):
    (folder / "costs.csv").write_text(content)
    assert words in fit("--metric", "weighted_edit(substitutions=costs.csv)", code=2).err
    with pytest.raises(InvalidFile):
        read_costs("costs.csv")


def test_compare_several_metrics_with_paired_differences(folder, run, fit):
    done = run(
        "compare",
        "dna.csv",
        "--metric",
        "levenshtein,weighted_edit(gap=2),hamming",
        "--model",
        "margin,lipschitz",
        "--folds",
        "3",
    )
    for words in (
        "Metric: Levenshtein().",
        "Metric: WeightedEdit(gap=2).",
        "points behind the best",
        "best",
        "Lipschitz margin",
    ):
        assert words in done.out
    assert "margin" in done.out
    assert "SVM" not in done.out
    facts = json.loads(
        run(
            "compare",
            "dna.csv",
            "--metric",
            "levenshtein,euclidean",
            "--model",
            "margin",
            "--folds",
            "3",
            "--json",
        ).out
    )
    best = [row for row in facts["methods"] if row["best"]]
    assert len(best) == 1
    assert best[0]["behind_best"] == 0
    (failed,) = [row for row in facts["methods"] if row["failure"]]
    assert failed["metric"] == "euclidean"
    assert (
        "There is no model 'forest'. Known: neighbors"
        in run("compare", "dna.csv", "--model", "forest", code=2).err
    )


def test_doctor_fit_compare_and_python_agree_on_the_svm(run, fit):
    told = " ".join(run("doctor", "dna.csv").out.split())
    assert (
        "no SVM (HilbertSVC) needs negative type; repair='clip' works on any distance, as "
        "'wideberth fit'" in told
    )
    assert fit("--model", "svm").out
    names, sexes = (part[:40] for part in wideberth.datasets.load_first_names())
    with pytest.raises(InvalidInput, match="repair='clip'"):
        wideberth.HilbertSVC("levenshtein", kernel="gaussian", repair="error").fit(names, sexes)


def test_values_never_run():
    for text in ("__import__('os')", "open('x')", "[1, x]", "(lambda: 1)()"):
        try:
            assert parse_value(text) == text
        except InvalidInput as refused:
            assert "is not a value" in str(refused)  # noqa: PT017


@pytest.mark.parametrize(
    ("message", "options"),
    [
        (
            f"Pass {setting('kind', 'rows')} as well, or leave {setting('numbers')} out.",
            "Pass --kind 'rows' as well, or leave --numbers out.",
        ),
        (
            f"Say which: {setting('numbers', {'price': '1,5'})}.",
            "Say which: --numbers 'price=1,5'.",
        ),
        (f"Name them: {setting('numbers', shown='[...]')}.", "Name them: --numbers COLUMN."),
        (
            f"Unless {setting('numbers', shown='{...}')} says so.",
            "Unless --numbers COLUMN=1,5 says so.",
        ),
        (
            f"Name one: {setting('column', ['nodes', 'edges'])}.",
            "Name one: --column nodes --column edges.",
        ),
        (
            "Or " + setting("column", ["a b", "it's"]) + "; or",
            "Or --column 'a b' --column 'it'\"'\"'s'; or",
        ),
        (setting("column", shown="['a' ..."), "--column ['a' ..."),
        (
            f"raise the limit: {setting('max_size', '2 B')}; or",
            "raise the limit: --max-size '2 B'; or",
        ),
        (f"{setting('target', 'x')} names no column.", "--target 'x' names no column."),
        (f"{setting('target', '$HOME')} names no column.", "--target '$HOME' names no column."),
        (setting("target", "it's") + " names no column.", "--target 'it'\"'\"'s' names no column."),
        (setting("target", "\x1b[31m"), r"--target '\x1b[31m'"),
        (setting("column", ["\x1b[31m"]), r"--column '\x1b[31m'"),
        (f"Leave {setting('encoding')} out.", "Leave --encoding out."),
        (f"{setting('exact_labels', True)} keeps them", "--exact-labels keeps them"),
        (f"{setting('labels_from', 'a.csv')} gives", "--labels 'a.csv' gives"),
        (f"repair it ({python('wideberth.diagnose')})", "repair it ('wideberth doctor')"),
        (
            f"means: {setting('missing', 'far')} lets it",
            "means: --metric \"gower(missing='far')\" lets it",
        ),
        (setting("metric", "gower(missing='far')"), "--metric 'gower(missing='\"'\"'far'\"'\"')'"),
        ("kind='rows' in a file of the user", "kind='rows' in a file of the user"),
    ],
)
def test_python_becomes_options(message, options):
    assert Text(message).told(CommandLine()) == options


COMMANDS = parser().commands


def options_of(command):
    return {option for parameter in COMMANDS[command].params for option in parameter.opts}


@pytest.mark.parametrize("name", OPTIONS)
@pytest.mark.parametrize("command", COMMANDS)
def test_messages_name_options_that_the_command_has(command, name):
    running = Running(frozenset(options_of(command)), frozenset(options_of("fit")))
    for value in ("x", ["x", "y"], {"x": "y"}, 3):
        told = Text(f"{setting(name, value)}.").told(CommandLine(running))
        named = set(re.findall(r"--[a-z-]+", told))
        assert named <= options_of("fit" if told.endswith(" (of 'wideberth fit').") else command)
        if not named:
            assert OPTIONS[name] not in options_of("fit") | options_of(command)


def test_every_parameter_with_an_option_has_it_in_some_command():
    assert set(OPTIONS.values()) <= set().union(*map(options_of, COMMANDS))


def test_options_of_the_command_that_runs_are_named(folder, run, fit):
    assert (
        "--prefer 'certified' needs a radius. Pass how far objects may move: --param radius=1, "
        "--param unit=edit." in (fit("--prefer", "certified", code=2).err)
    )
    fit("--model", "neighbors", "-o", "dna.wb")
    assert (
        "--delta 2.0 is not a probability"
        in run("evaluate", "dna.wb", "dna.csv", "--delta", "2", code=2).err
    )
    (folder / "numbers.csv").write_text(
        "a,label\n" + "".join(f"{i},{'xy'[i % 2]}\n" for i in range(8))
    )
    run("fit", "numbers.csv", "--model", "neighbors", "-o", "numbers.wb")
    (folder / "new.csv").write_text("a\n1\nmany\n")
    failed = run("predict", "numbers.wb", "new.csv", code=2).err
    assert "or pass --kind 'strings' (of 'wideberth fit') to take the cells as they are." in failed


def test_completion_and_exit_codes_are_in_the_help(run):
    out = run("--help").out
    assert "--install-completion" in out
    assert "Exit codes: 0 done; 2" in " ".join(out.split())


def test_metrics_for_programs(run):
    listed = {metric["name"]: metric for metric in json.loads(run("metrics", "--json").out)}
    assert set(listed) == set(wideberth.list_metrics())
    assert listed["levenshtein"]["obeys_triangle"] is True
    assert "gap" in listed["weighted_edit"]["parameters"]
    assert listed["dtw"]["obeys_triangle"] is False


def test_transforms_are_written_like_in_python(folder, run, fit):
    done = fit(
        "--model",
        "neighbors",
        "--metric",
        "total(levenshtein, scale(weighted_edit(gap=2), factor=0.5))",
    )
    assert "by levenshtein + weighted_edit distance" in done.out
    assert "Scaled(metric=WeightedEdit(gap=2), factor=0.5)" in done.out
    told = run(
        "compare",
        "dna.csv",
        "--metric",
        "levenshtein,cap(levenshtein, at=3)",
        "--model",
        "neighbors",
        "--folds",
        "3",
    )
    assert "Capped(metric=Levenshtein(), at=3)" in told.out
    for wrong, words in (
        ("scale(levenshtein)", "missing a required argument: 'factor'"),
        ("scale(levenshtein, by=2)", "factor"),
        ("total(levenshtein)", "two metrics at least"),
        ("cap(nothing, at=3)", "nothing"),
    ):
        assert words in fit("--model", "neighbors", "--metric", wrong, code=2).err


def test_certified_choices_measure_strings_in_edits(fit):
    certified = (
        "--prefer",
        "certified",
        "--param",
        "radius=1",
        "--param",
        "unit=edit",
        "--param",
        "candidates=neighbors",
    )
    assert ", levenshtein, because the objects are strings" in fit(*certified).out
    assert ", levenshtein, because" not in fit("--param", "candidates=neighbors").out
