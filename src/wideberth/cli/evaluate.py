"""``wideberth evaluate``: how often a model errs on labelled objects, where, and what is certified
and proved.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from wideberth.array_types import Floats, Objects
from wideberth.cli import options
from wideberth.cli.answers import check_unit
from wideberth.cli.console import number, show_json, table
from wideberth.cli.data import DataOptions, labelled_for, remark_oddities
from wideberth.cli.values import between_commas, parse_value
from wideberth.errors import InvalidInput
from wideberth.estimators.metric_classifier import MetricClassifier, usual_unit
from wideberth.estimators.model_facts import counted, some_wrong
from wideberth.guarantees.certify import (
    certificates_of_recognised,
    check_certify_parameters,
    recognise,
)
from wideberth.insight.evaluation import evaluation_facts
from wideberth.io.model_file.saved_classifier import classifier_in
from wideberth.io.readers import Records
from wideberth.objects.sample import shown

#: The most classes whose confusions are shown as a table.
_MOST_CLASSES = 12


@options.command(
    options.MODEL,
    *options.NEW_LABELLED,
    options.option(
        "radii", str | None, "Radii of the certified accuracy, with commas between them."
    ),
    options.UNIT,
    options.DELTA,
    options.INDEPENDENT,
    *options.READING,
    options.JSON,
    examples=(
        "names.wb test.csv",
        "names.wb test.csv --radii 0,1,2 --unit edit",
    ),
    panel=options.Panel.proof,
)
def evaluate(
    data: DataOptions,
    *,
    model: str,
    radii: str | None,
    unit: str | None,
    delta: float,
    independent: bool,
    json: bool,
) -> None:
    """Show how often a model errs on labelled objects, which classes it confuses, and what is
    certified and proved.
    """
    saved = classifier_in(model)
    check_unit(saved.model, unit)
    records = labelled_for(saved, data)
    remark_oddities(saved, records.objects)
    skipped = [str(each) for each in records.skipped]
    facts = _facts(saved.model, records, delta, _parsed(radii), unit, independent)
    if json:
        show_json(facts | {"skipped": skipped, "model": model, "files": list(data.files)})
    else:
        print("\n".join(_in_words(facts)))


def _parsed(radii: str | None) -> list[float] | None:
    """The radii that the user named."""
    if radii is None:
        return None
    values = [parse_value(each) for each in between_commas(radii)]
    if not all(isinstance(value, int | float) and value >= 0 for value in values):
        raise InvalidInput(
            f"--radii {radii} are not radii.",
            advice="Write numbers from 0 on: --radii 0,1,2.",
            value=radii,
        )
    return [float(value) for value in values]


@dataclass(frozen=True)
class _Asked:
    """Radii of objects that are here."""

    model: MetricClassifier
    objects: Objects

    def usual_unit(self) -> str | None:
        return usual_unit(self.model, self.objects)

    def radii(self, unit: str | None) -> Floats:
        radii: Floats = self.model.certified_radius(self.objects, unit)
        return radii


def _facts(
    model: MetricClassifier,
    records: Records,
    delta: float,
    radii: list[float] | None,
    unit: str | None,
    independent: bool,
) -> dict[str, Any]:
    """Everything that is printed."""
    check_certify_parameters(delta, None)
    told = model.predict(records.objects)
    labelled = recognise(model, records.objects, records.labels, independent=independent)
    best = certificates_of_recognised(model, labelled, delta=delta)[0]
    asked = _Asked(model, records.objects)
    return evaluation_facts(labelled, told, asked, best, delta=delta, radii=radii, unit=unit)


def _in_words(facts: dict[str, Any]) -> Iterator[str]:
    """The facts as lines for people."""
    yield f"{counted(facts['objects'], 'object', 'objects')} of {facts['sizes']}."
    yield (
        f"{some_wrong(facts['errors'], facts['objects'])}: "
        f"{facts['error']:.1%}{_interval_in_words(facts)}."
    )
    if facts["learned_from"]:
        yield (
            f"The model learned from {facts['learned_from']:,} of them: this is no estimate of its "
            "errors on new ones."
        )
    if facts["others"] is not None:
        yield others_in_words(facts["others"])
    guessing = facts["guessing"]
    if not guessing["better"]:
        yield (
            f"The model is no better than guessing: always answering {shown(guessing['label'])} is "
            f"right for {guessing['share']:.1%}, and more may be chance."
        )
    yield ""
    yield from table(
        ["label", "objects", "found (recall)", "right when told (precision)"],
        [
            [
                str(row["label"]),
                row["objects"],
                *(
                    "-" if row[key] is None else f"{row[key]:.1%}"
                    for key in ("found", "right_when_told")
                ),
            ]
            for row in facts["classes"]
        ],
    )
    yield ""
    yield from _confusion_in_words(facts)
    yield ""
    yield from _certified_in_words(facts["certified"], guessing)
    yield ""
    yield from _certificate_in_words(facts["certificate"])


def others_in_words(others: dict[str, Any]) -> str:
    """The errors on the objects that the model did not learn from, where it did from some."""
    return (
        f"Of the {counted(others['objects'], 'other', 'others')} "
        f"{counted(others['errors'], 'is', 'are')} answered wrongly: {others['error']:.1%}."
    )


def _interval_in_words(facts: dict[str, Any]) -> str:
    """The interval of the error, if the objects are new to the model."""
    if facts["interval"] is None:
        return ""
    low, high = facts["interval"]
    return (
        f", and {low:.1%} to {high:.1%} of all objects drawn like these, with confidence "
        f"{facts['confidence']:.0%}"
    )


def _confusion_in_words(facts: dict[str, Any]) -> Iterator[str]:
    """The table of confusions, or the most frequent ones if there are many classes."""
    counts = {(row["label"], row["told"]): row["objects"] for row in facts["confusion"]}
    labels = [str(row["label"]) for row in facts["classes"]]
    if len(labels) <= _MOST_CLASSES:
        yield "Confusion (rows: the label in the data; columns: what the model says):"
        yield from table(
            ["", *labels],
            [[label, *(counts.get((label, told), 0) for told in labels)] for label in labels],
        )
        return
    confused = [(pair, count) for pair, count in counts.items() if pair[0] != pair[1]][:10]
    yield "Most frequent confusions:"
    yield from table(["label", "told", "objects"], [[*pair, count] for pair, count in confused])


def _certified_in_words(certified: dict[str, Any], guessing: dict[str, Any]) -> Iterator[str]:
    if "reason" in certified:
        yield f"No radius is certified. {certified['reason']}"
        return
    yield "Right, and proved to stay so:"
    for row in certified["shares"]:
        if row["safe"] is None:
            yield (
                f"  {row['share']:.1%} within a distance of {number(row['radius'])}"
                if row["radius"]
                else f"  {row['share']:.1%} unchanged"
            )
        else:
            moves = counted(
                row["safe"], certified["unit"] or "step", f"{certified['unit'] or 'step'}s"
            )
            moved = f"after any {moves}" if row["safe"] else "unchanged"
            yield f"  {row['share']:.1%} {moved}"
    worse = [row for row in certified["shares"] if row["radius"] and not row["better"]]
    if worse and guessing["better"]:
        first = worse[0]
        moves = (
            f"a distance of {number(first['radius'])}"
            if first["safe"] is None
            else counted(
                first["safe"], certified["unit"] or "step", f"{certified['unit'] or 'step'}s"
            )
        )
        better = "not clearly better" if first["share"] > guessing["share"] else "no better"
        yield (
            f"From {moves} on that is {better} than guessing: always answering "
            f"{shown(guessing['label'])} is right for {guessing['share']:.1%}, and no change can "
            "make it answer otherwise."
        )


def _certificate_in_words(certificate: dict[str, Any]) -> Iterator[str]:
    yield f"Certificate: {certificate['statement']}"
    yield from (f"  holds if: {assumption}" for assumption in certificate["assumptions"])
    yield from (f"  void: {reason}" for reason in certificate["void"])
