"""The prepared sample of metrics that combine several metrics: one sample for each of them."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Self

from wideberth.errors import InvalidInput
from wideberth.objects import sample


@dataclass(frozen=True, eq=False)
class PartsSample:
    """The same objects, or their parts, as prepared by each of several metrics.

    It satisfies `wideberth.metrics.containers.Prepared`.

    Attributes
    ----------
    parts : tuple of samples
        One prepared sample for each metric, all of the same length, not empty.

    Examples
    --------
    >>> people = PartsSample((["Ann", "Bob"], [[20.0], [50.0]]))
    >>> len(people), people.for_metrics(2)[0]
    (2, ['Ann', 'Bob'])
    """

    parts: tuple[Any, ...]

    def __len__(self) -> int:
        return sample.count(self.parts[0])

    def __getitem__(self, index: int) -> Any:
        """One object, as the first metric that still has objects has prepared it: how it is shown
        in messages.
        """
        return sample.pick_one(next(filter(sample.has_objects, self.parts)), index)

    @property
    def has_objects(self) -> bool:
        """Whether a part has the objects themselves; see `sample.has_objects`."""
        return any(map(sample.has_objects, self.parts))

    def take(self, indices: Any) -> Self:
        """Select the objects at ``indices``, a slice or an integer array, from every part."""
        return type(self)(tuple(sample.pick(part, indices) for part in self.parts))

    def for_metrics(self, count: int) -> tuple[Any, ...]:
        """Return the parts, one for each metric.

        Parameters
        ----------
        count : int
            The number of metrics.

        Returns
        -------
        tuple of samples

        Raises
        ------
        InvalidInput
            If the objects were prepared for another number of metrics.
        """
        if len(self.parts) != count:
            raise InvalidInput(
                f"These objects were prepared for {len(self.parts)} metrics, not for {count}.",
                advice="Give the metric the objects themselves.",
                value=len(self.parts),
            )
        return self.parts

    def plain(self) -> dict[str, Any]:
        """Return the samples of the parts, each of which is written into a model file as a sample
        of its own.
        """
        return {"parts": list(self.parts)}

    def plain_inside(self, written: Callable[[Any], Any]) -> dict[str, Any]:
        """Return what `plain` returns with each part as ``written`` writes a sample."""
        return {"parts": [written(part) for part in self.parts]}

    @classmethod
    def from_plain_inside(cls, plain: dict[str, Any], read: Callable[[Any], Any]) -> Any:
        """Read back what `plain_inside` wrote, each part by ``read``.

        Raises
        ------
        ValueError
            As `from_plain`.
        """
        parts = plain.get("parts")
        return cls.from_plain(
            {"parts": [read(part) for part in parts] if isinstance(parts, list) else parts}
        )

    @classmethod
    def from_plain(cls, plain: dict[str, Any]) -> Any:
        """Read back what `plain` wrote; the metrics check their parts when they prepare them.

        Raises
        ------
        ValueError
            If there are no parts, or parts of different lengths.
        """
        match plain:
            case {"parts": [first, *others]} if all(
                sample.count(part) == sample.count(first) for part in others
            ):
                return cls((first, *others))
        raise ValueError("parts of as many objects each are needed")
