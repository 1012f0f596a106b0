"""Objects that several metrics measure, prepared by each of them."""

from dataclasses import dataclass
from typing import Any, Self

from wideberth.errors import InvalidInput
from wideberth.objects import sample


@dataclass(frozen=True, eq=False)
class PartsSample:
    """The same objects several times, or their parts: one sample for each metric, as it prepares them, all of one length."""

    parts: tuple[Any, ...]

    def __len__(self) -> int:
        return sample.count(self.parts[0])

    def take(self, indices: Any) -> Self:
        """The objects at ``indices``."""
        return type(self)(tuple(sample.pick(part, indices) for part in self.parts))

    def for_metrics(self, count: int) -> tuple[Any, ...]:
        """The parts, one for each of ``count`` metrics."""
        if len(self.parts) != count:
            raise InvalidInput(
                f"These objects were prepared for {len(self.parts)} metrics, not for {count}.",
                advice="Give the metric the objects themselves.",
                value=len(self.parts),
            )
        return self.parts

    def plain(self) -> dict[str, Any]:
        """The samples of the parts, each of which goes into a file as a sample of its own."""
        return {"parts": list(self.parts)}

    @classmethod
    def from_plain(cls, plain: dict[str, Any]) -> Any:
        """The parts, each to be checked by its metric."""
        match plain:
            case {"parts": [first, *others]} if all(sample.count(each) == sample.count(first) for each in others):
                return cls((first, *others))
        raise ValueError("parts of as many objects each are needed")
