"""What the doctor found, as plain data."""

from dataclasses import asdict, dataclass
from typing import Any

from wideberth.doctor.methods import MethodVerdict
from wideberth.doctor.neighborhood import Hubs, LabelFacts
from wideberth.doctor.page import render
from wideberth.doctor.repairs import Repair
from wideberth.doctor.spectrum import SpectrumFact
from wideberth.doctor.spread import Spread
from wideberth.metrics.axioms import Violation
from wideberth.metrics.metric import Promises


@dataclass(frozen=True)
class Diagnosis:
    """Facts about a distance on a sample. ``print`` shows them as a page, `to_dict` gives them to programs.

    ``is_metric`` is True only if the metric promises it and nothing contradicts it, False if an axiom breaks or the metric says
    so, and None if nobody has said and the sample shows nothing against it.
    """

    metric: str
    promises: Promises
    n_objects: int
    examined: tuple[int, ...]
    triangles_tried: int
    violations: tuple[Violation, ...]
    spectrum: tuple[SpectrumFact, ...]
    spread: Spread | None
    hubs: Hubs | None
    labels: LabelFacts | None
    methods: tuple[MethodVerdict, ...]
    repairs: tuple[Repair, ...]
    shown: dict[int, str]

    @property
    def is_metric(self) -> bool | None:
        """Whether it is a metric: True, False, or None for not known."""
        return False if self.violations else self.promises.obeys_triangle

    @property
    def exhaustive(self) -> bool:
        """Whether every object, and so every triangle, was examined."""
        return len(self.examined) == self.n_objects

    @property
    def broken_promises(self) -> tuple[str, ...]:
        """Promises of the metric that the sample contradicts."""
        broken = ["obeys_triangle"] if self.violations and self.promises.obeys_triangle else []
        broken += [fact.promise for fact in self.spectrum if fact.promised and fact.violated]
        return tuple(broken)

    def violation(self, axiom: str) -> Violation | None:
        """The worst violation of one axiom, or None."""
        return next((each for each in self.violations if each.axiom == axiom), None)

    def to_dict(self) -> dict[str, Any]:
        """Everything as dictionaries, lists, numbers and strings, ready for JSON."""
        facts = asdict(self)
        facts["violations"] = [asdict(each) | {"sentence": each.describe(self.metric)} for each in self.violations]
        facts |= {"is_metric": self.is_metric, "exhaustive": self.exhaustive, "broken_promises": self.broken_promises}
        return facts

    def __str__(self) -> str:
        return render(self)
