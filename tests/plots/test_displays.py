"""Each display beside plain loops over the same objects, and the convention of scikit-learn that
all of them follow.
"""

import inspect

import matplotlib.pyplot as plt
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import wideberth as wb
from wideberth.errors import InvalidInput, MissingExtra
from wideberth.guarantees import attack, certified_accuracy
from wideberth.plots import axes

WORDS = ["tea", "teas", "sea", "rum", "rums", "gum", "ram", "pea"]
KINDS = ["soft", "soft", "soft", "hard", "hard", "hard", "hard", "soft"]
ASKED, TRUTH = ["tee", "rim", "yea", "tum"], ["soft", "hard", "soft", "soft"]


@pytest.fixture(autouse=True)
def no_figure_is_left():
    yield
    plt.close("all")


@pytest.fixture(scope="module")
def model():
    return wb.NeighborsClassifier("levenshtein", n_neighbors=1).fit(WORDS, KINDS)


@pytest.fixture(scope="module")
def margin_model():
    return wb.MarginNeighborsClassifier("levenshtein", separation="compression").fit(WORDS, KINDS)


@pytest.mark.parametrize("name", wb.plots.__all__)
def test_every_display_follows_the_convention(name):
    display = getattr(wb.plots, name)
    assert inspect.ismethod(display.from_estimator)
    assert "ax" in inspect.signature(display.from_estimator).parameters
    assert next(iter(list(inspect.signature(display.plot).parameters)[1:])) == "ax"


def drawn(model, margin_model):
    auto = wb.AutoClassifier(
        "levenshtein", max_time=None, candidates=["neighbors"], random_state=0
    ).fit(WORDS * 2, KINDS * 2)
    queries = np.random.default_rng(0).uniform(-1, 1, size=(12, 2))
    learner = wb.OnlinePartitionClassifier(engine="ellipsoid", random_state=0)
    yield wb.plots.CertifiedAccuracyDisplay.from_estimator(model, ASKED, TRUTH)
    yield wb.plots.MarginDisplay.from_estimator(model, ASKED, TRUTH)
    yield wb.plots.CoverPathDisplay.from_estimator(margin_model)
    yield wb.plots.MetricMapDisplay.from_estimator(model, ASKED, TRUTH)
    yield wb.plots.SpectrumDisplay.from_objects(WORDS, metric="levenshtein")
    yield wb.plots.LeaderboardDisplay.from_estimator(auto)
    yield wb.plots.OnlineLossDisplay.from_estimator(learner, queries, queries[:, 0] > 0)


@pytest.mark.slow
def test_a_display_draws_on_the_axes_it_is_given_and_again_on_others(model, margin_model):
    for display in drawn(model, margin_model):
        first = display.ax_
        assert display.figure_ is first.figure
        _, other = plt.subplots()
        assert display.plot(ax=other) is display
        assert display.ax_ is other is not first
        display.figure_.canvas.draw()


def test_without_matplotlib_the_extra_is_named(model, monkeypatch):
    def missing(module, extra):
        raise MissingExtra(
            f"This needs the package {module!r}.",
            advice=f'pip install "wideberth[{extra}]"',
            extra=extra,
        )

    monkeypatch.setattr(axes, "import_extra", missing)
    with pytest.raises(MissingExtra, match=r"wideberth\[plots\]"):
        wb.plots.MarginDisplay.from_estimator(model, ASKED, TRUTH)


# --- certified accuracy ---------------------------------------------------------------------------


def test_certified_accuracy_is_that_of_the_function_at_every_radius(model):
    display = wb.plots.CertifiedAccuracyDisplay.from_estimator(model, ASKED, TRUTH, unit="edit")
    radii = [0, 1, 2, 3]
    assert display.at(radii) == pytest.approx(
        certified_accuracy(model, ASKED, TRUTH, radii, unit="edit").certified
    )
    assert display.at([0.0])[0] == np.mean(model.predict(ASKED) == TRUTH)


def test_what_attacks_left_lies_above_what_is_proved(model):
    attacks = attack(model, ASKED, towards=WORDS, max_questions=50)
    display = wb.plots.CertifiedAccuracyDisplay.from_estimator(model, ASKED, TRUTH, attacks=attacks)
    (proved, left) = (
        np.asarray(line.get_ydata()) for line in (display.line_, display.attacked_line_)
    )
    assert proved[0] == left[0] == np.mean(model.predict(ASKED) == TRUTH)
    assert (display.broken >= display.proved).all()


@settings(deadline=None, max_examples=15)  # each one is drawn
@given(
    st.lists(
        st.tuples(st.booleans(), st.sampled_from([0.0, 0.5, 1.0, 2.0, np.inf])),
        min_size=1,
        max_size=12,
    )
)
def test_the_steps_are_the_shares_of_a_plain_loop(answers):
    truth = np.array(["a"] * len(answers))
    guesses = np.array(["a" if right else "b" for right, _ in answers])
    display = wb.plots.CertifiedAccuracyDisplay.from_predictions(
        truth, guesses, [radius for _, radius in answers]
    )
    plt.close("all")
    corners, shares = (np.asarray(values) for values in display.line_.get_data())
    for radius in [0.0, 0.25, 0.5, 0.75, 1.0, 1.5, 2.0]:
        expected = sum(right and reach >= radius for right, reach in answers) / len(answers)
        if radius <= corners[-1]:
            assert shares[np.searchsorted(corners, radius)] == pytest.approx(
                expected
            )  # as steps before each corner are drawn
        assert display.at([radius])[0] == pytest.approx(expected)


def test_answers_without_radii_are_refused():
    with pytest.raises(InvalidInput, match="shapes"):
        wb.plots.CertifiedAccuracyDisplay.from_predictions(["a", "b"], ["a", "b"], [1.0])


# --- margins --------------------------------------------------------------------------------------


@settings(deadline=None, max_examples=15)  # each one is drawn
@given(st.integers(2, 4), st.integers(1, 8), st.integers(0, 2**32 - 1))
def test_margins_are_those_of_a_plain_loop(k, n, seed):
    generator = np.random.default_rng(seed)
    scores, codes = (
        generator.integers(-5, 5, size=(n, k)).astype(float),
        generator.integers(k, size=n),
    )
    classes = np.array([f"class {each}" for each in range(k)])
    display = wb.plots.MarginDisplay.from_predictions(classes[codes], scores, classes=classes)
    plt.close("all")
    expected = [
        row[own] - max(score for place, score in enumerate(row) if place != own)
        for row, own in zip(scores, codes, strict=True)
    ]
    assert display.margins == pytest.approx(expected)


def test_one_score_of_two_classes_is_the_lead_of_the_second():
    display = wb.plots.MarginDisplay.from_predictions(
        ["b", "a", "b"], [2.0, 0.5, -1.0], classes=["a", "b"]
    )
    assert display.margins.tolist() == [2.0, -0.5, -1.0]
    assert [sum(bar.get_height() for bar in bars) for bars in display.bars_] == [1, 2]


def test_a_label_without_a_score_is_named(model):
    with pytest.raises(InvalidInput, match="'strong'"):
        wb.plots.MarginDisplay.from_estimator(model, ["gin"], ["strong"])
    with pytest.raises(InvalidInput, match="shape"):
        wb.plots.MarginDisplay.from_predictions(["a"], [[1.0, 2.0, 3.0]], classes=["a", "b"])


# --- covers ---------------------------------------------------------------------------------------


def test_the_cover_path_is_that_of_the_model(margin_model):
    display = wb.plots.CoverPathDisplay.from_estimator(margin_model)
    path = margin_model.cover_path_
    shown = np.isfinite(path.separations)
    assert display.line_.get_xdata() == pytest.approx(path.separations[shown])
    assert display.line_.get_ydata() == pytest.approx(path.covers[shown])
    assert display.separation == margin_model.separation_


def test_other_models_have_no_covers(model):
    with pytest.raises(InvalidInput, match="NeighborsClassifier has no covers"):
        wb.plots.CoverPathDisplay.from_estimator(model)


# --- map and spectrum -----------------------------------------------------------------------------


def test_points_of_a_plane_keep_their_distances_on_the_map():
    points = np.random.default_rng(0).normal(size=(20, 2))
    display = wb.plots.MetricMapDisplay.from_objects(points, metric="euclidean")
    assert wb.pairwise_distances(display.coordinates) == pytest.approx(
        wb.pairwise_distances(points)
    )
    assert display.explained == pytest.approx(1.0)


@pytest.mark.slow
def test_objects_with_another_label_are_circled(model):
    display = wb.plots.MetricMapDisplay.from_estimator(model, ASKED, TRUTH)
    assert display.wrong.tolist() == (model.predict(ASKED) != TRUTH).tolist()
    assert len(display.points_) == len(set(TRUTH))
    assert display.wrong.any()
    assert len(display.ax_.collections) == len(display.points_) + 1


def test_a_map_of_a_matrix_and_of_the_wrong_number_of_labels():
    distances = wb.pairwise_distances(WORDS, None, "levenshtein")
    assert wb.plots.MetricMapDisplay.from_objects(
        distances, KINDS, metric="precomputed"
    ).coordinates.shape == (8, 2)
    with pytest.raises(InvalidInput, match="8 objects"):
        wb.plots.MetricMapDisplay.from_objects(distances, KINDS[:-1], metric="precomputed")


def test_the_spectrum_is_that_of_the_centred_matrix():
    distances = wb.pairwise_distances(WORDS, None, "levenshtein")
    display = wb.plots.SpectrumDisplay.from_objects(WORDS, metric="levenshtein")
    n = len(WORDS)
    centring = np.eye(n) - np.full((n, n), 1 / n)
    expected = np.linalg.eigvalsh(-centring @ distances**2 @ centring / 2)
    assert display.eigenvalues == pytest.approx(expected[::-1], abs=1e-9)
    assert display.negative_part == pytest.approx(
        -expected[expected < 0].sum() / np.abs(expected).sum(), abs=1e-9
    )
    with pytest.raises(InvalidInput, match="from_objects"):
        wb.plots.SpectrumDisplay.from_estimator(wb.KuratowskiEmbedding())


# --- leaderboard and streams ----------------------------------------------------------------------


def test_candidates_without_a_result_are_not_drawn():
    rows = [
        {"metric": "m", "family": "svm", "error": 0.1, "standard_error": 0.01},
        {"metric": "n", "family": "lp", "error": None},
    ]
    assert len(wb.plots.LeaderboardDisplay(rows).plot().points_) == 1
    with pytest.raises(InvalidInput, match="AutoClassifier"):
        wb.plots.LeaderboardDisplay.from_estimator(wb.NeighborsClassifier())


def test_the_learner_itself_learns_nothing_and_its_mistakes_are_counted():
    queries = np.random.default_rng(1).uniform(-1, 1, size=(30, 2))
    labels = queries[:, 0] > 0
    learner = wb.OnlinePartitionClassifier(engine="ellipsoid", random_state=0)
    display = wb.plots.OnlineLossDisplay.from_estimator(learner, queries, labels)
    assert not hasattr(learner, "rounds_")
    learner.partial_fit(queries, labels)
    assert display.losses.sum() == learner.mistakes_
    again = wb.plots.OnlineLossDisplay.from_predictions([1, 1, 0, 1], [1, 0, 1, 1])
    assert again.line_.get_ydata().tolist() == [0, 1, 2, 2]


@pytest.mark.slow
def test_what_can_still_be_lost_is_a_band_above_the_line():
    queries = np.random.default_rng(2).uniform(-0.7, 0.7, size=(40, 2))
    centres = {"a": np.array([0.5, 0.0]), "b": np.array([-0.5, 0.0])}
    labels = ["a" if query[0] > 0 else "b" for query in queries]

    def loss(query, guess, label):
        return (
            0.0
            if guess is None
            else float(
                np.linalg.norm(query - centres[guess]) - np.linalg.norm(query - centres[label])
            )
        )

    learner = wb.OnlinePartitionClassifier(engine="exact", random_state=0)
    display = wb.plots.OnlineLossDisplay.from_estimator(learner, queries, labels, loss=loss)
    total = np.cumsum(display.losses)
    assert display.bound_rounds[0] == 1 + max(labels.index("a"), labels.index("b"))
    assert (total[display.bound_rounds - 1] + display.bounds >= total[-1] - 1e-9).all()
    assert display.band_ is not None


def test_a_stream_of_which_only_some_totals_are_known_is_drawn_at_their_rounds():
    losses = np.random.default_rng(3).random(100)
    noted = np.array([10, 40, 100])
    whole = wb.plots.OnlineLossDisplay(
        losses=losses, bound_rounds=[40, 100], bounds=[5.0, 1.0]
    ).plot()
    parts = np.diff(np.cumsum(losses)[noted - 1], prepend=0)
    known = wb.plots.OnlineLossDisplay(
        losses=parts, rounds=noted, bound_rounds=[40, 100], bounds=[5.0, 1.0]
    ).plot()
    np.testing.assert_allclose(known.line_.get_ydata(), whole.line_.get_ydata()[noted - 1])
    assert known.line_.get_xdata().tolist() == noted.tolist()
    bands = [display.band_.get_paths()[0].vertices for display in (whole, known)]
    np.testing.assert_allclose(*bands)


def test_what_cannot_learn_a_stream_is_refused(model):
    with pytest.raises(
        InvalidInput, match="NeighborsClassifier does not learn one object after the other"
    ):
        wb.plots.OnlineLossDisplay.from_estimator(model, ASKED, TRUTH)
    with pytest.raises(InvalidInput, match="2 queries and 1 labels"):
        wb.plots.OnlineLossDisplay.from_estimator(
            wb.OnlinePartitionClassifier(), [[0.0], [1.0]], ["a"]
        )
    with pytest.raises(InvalidInput, match="guesses"):
        wb.plots.OnlineLossDisplay.from_predictions([1], [1, 0])
