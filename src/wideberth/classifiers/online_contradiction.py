"""A label that cannot be that of the nearest centre, if those before it were."""

from typing import Any, NamedTuple

from wideberth.errors import InconsistentLabels


class Contradiction(NamedTuple):
    """Round ``round`` says that ``told`` is nearer than ``implied``; the rounds ``witnesses`` together say the opposite.

    No witnesses are known to an engine that keeps no rows.

    >>> print(Contradiction(7, told="tea", implied="rum", witnesses=(2, 3, 5)).describe())
    Round 7 says that 'tea' is nearer than 'rum', but rounds 2, 3 and 5 imply the opposite; at best, a tie explains all of them.
    """

    round: int
    told: Any
    implied: Any
    witnesses: tuple[int, ...]

    def describe(self) -> str:
        """The contradiction in a sentence."""
        *others, last = self.witnesses or (0,)
        rounds = f"rounds {', '.join(map(str, others))} and {last}" if others else f"round {last}"
        past = f"{rounds} impl{'y' if others else 'ies'}" if self.witnesses else "the rounds before imply"
        return (
            f"Round {self.round} says that {self.told!r} is nearer than {self.implied!r}, but {past} the opposite; at best, "
            "a tie explains all of them."
        )

    def error(self) -> InconsistentLabels:
        """The error for those who want to know; nothing of the round was learned."""
        return InconsistentLabels(
            self.describe(),
            advice="If labels can be wrong, give their share as noise=, or go on with soft cuts from the first contradiction by "
            'inconsistent="soften"; inconsistent="ignore" leaves such labels out. If no nearest centres could give these labels, '
            "no bound of the loss holds.",
            witness=self.witnesses,
            value=self.told,
            round=self.round,
        )
